//! Runs the interface: terminal, threads, the loop around [`crate::update::update`].
//!
//! Threads: this one (state, drawing), one that reads input and one that watches for a vanished
//! terminal (`input`), one for signals (`signals`), and the workers of [`executor`]. They only
//! meet in one channel of events. Nothing but this thread touches the state.

mod editor;
pub mod executor;
mod input;
mod signals;
mod terminal;

use std::io::{self, BufWriter, IsTerminal, Stdout, Write};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, unbounded};
use crossterm::clipboard::CopyToClipboard;
use crossterm::terminal::{BeginSynchronizedUpdate, EndSynchronizedUpdate};
use crossterm::{execute, queue};
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use ratatui::{Frame, Terminal};

use crate::backend::Backend;
use crate::event::{Effect, Event};
use crate::options::{Notify, Options};
use crate::state::State;
use crate::update::{start, update};
use crate::view;
use executor::Executor;

/// Why the interface could not run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Standard input or output is not a terminal.
    #[error(
        "no terminal: the interface needs one on standard input and output; try `assay list` or `assay show NAME`"
    )]
    NoTerminal,
    /// The terminal failed.
    #[error("the terminal failed: {0}; try `assay list`, which needs none")]
    Terminal(#[from] io::Error),
}

/// How the interface was left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// The user quit.
    Quit,
}

/// Shortest time between two frames: about 60 a second.
const FRAME: Duration = Duration::from_millis(16);
/// Time between clock ticks while a job runs.
const TICK: Duration = Duration::from_secs(1);
/// How long orders that were given before the user quit may take.
const FAREWELL: Duration = Duration::from_secs(5);
/// Events taken before a frame is drawn, so that a flood of log lines cannot starve the screen.
const BATCH: usize = 4096;

type Screen = Terminal<CrosstermBackend<BufWriter<Stdout>>>;

/// Runs the interface until the user leaves it.
///
/// A signal (TERM, HUP, INT, QUIT) or a vanished terminal restores what can be restored and ends the
/// process with 128 + signal, without coming back here. Jobs go on in any case.
pub fn run(backend: Arc<dyn Backend>, options: Options) -> Result<Exit, Error> {
    run_drawn(backend, options, &view::draw)
}

/// Like [`run`], drawn by someone else: the tests have one that fails.
#[doc(hidden)]
pub fn run_drawn(
    backend: Arc<dyn Backend>,
    options: Options,
    draw: &dyn Fn(&State, &mut Frame<'_>),
) -> Result<Exit, Error> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Err(Error::NoTerminal);
    }
    // The terminal library would also drop bold and reverse under NO_COLOR; the theme leaves
    // colours out by itself.
    crossterm::style::force_color_output(true);
    let (events, inbox) = unbounded();
    let executor = Executor::new(backend, events.clone());
    let (tmux, notify) = (options.tmux, options.notify);
    let guard = terminal::Guard::enter(events.clone())?;
    let signals = signals::Signals::watch(events.clone())?;
    let input = Some(input::Input::read(events.clone())?);
    let mut screen = Terminal::new(CrosstermBackend::new(BufWriter::new(io::stdout())))?;
    let mut turn = Loop {
        executor: &executor,
        inbox: &inbox,
        events: &events,
        screen: &mut screen,
        draw,
        input,
        tmux,
        notify,
        redraw: true,
        suspended: false,
    };
    let result = turn.run(options);
    drop(turn.input.take());
    drop(screen);
    drop(signals);
    drop(guard);
    executor.farewell(&inbox, FAREWELL);
    result
}

struct Loop<'a> {
    executor: &'a Executor,
    inbox: &'a Receiver<Event>,
    events: &'a Sender<Event>,
    /// Reads keys unless an editor does.
    input: Option<input::Input>,
    /// Copies go to tmux too.
    tmux: bool,
    /// What tells of the end of a job.
    notify: Notify,
    screen: &'a mut Screen,
    /// Draws a frame.
    draw: &'a dyn Fn(&State, &mut Frame<'_>),
    /// The next frame writes every cell.
    redraw: bool,
    /// The terminal is given back until SIGCONT.
    suspended: bool,
}

impl Loop<'_> {
    fn run(&mut self, options: Options) -> Result<Exit, Error> {
        let begun = Instant::now();
        let size = self.screen.size()?;
        let mut state = State::new(options, (size.width, size.height));
        let mut effects = start(&mut state);
        let mut drawn: Option<Instant> = None;
        let mut ticked = begun;
        loop {
            for effect in std::mem::take(&mut effects) {
                if effect == Effect::Quit {
                    return Ok(Exit::Quit);
                }
                self.perform(effect, &mut state)?;
            }
            let since = drawn.map_or(FRAME, |d| d.elapsed());
            if state.dirty && since >= FRAME && !self.suspended {
                effects.extend(self.draw(&mut state)?);
                drawn = Some(Instant::now());
            }
            let wait = if !effects.is_empty() {
                Some(Duration::ZERO)
            } else if state.dirty && !self.suspended {
                Some(FRAME.saturating_sub(since))
            } else if state.wants_tick() {
                Some(TICK.saturating_sub(ticked.elapsed()))
            } else {
                None
            };
            let first = match wait {
                None => self
                    .inbox
                    .recv()
                    .map_err(|_| RecvTimeoutError::Disconnected),
                Some(t) => self.inbox.recv_timeout(t),
            };
            match first {
                Ok(event) => {
                    let rest = self.inbox.try_iter().take(BATCH);
                    for event in std::iter::once(event).chain(rest) {
                        if matches!(event, Event::Jobs(_)) {
                            effects.extend(update(&mut state, Event::Tick(begun.elapsed())));
                        }
                        if matches!(event, Event::Resumed) {
                            terminal::enter_again()?;
                            self.suspended = false;
                        }
                        effects.extend(update(&mut state, event));
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(Exit::Quit),
            }
            if state.wants_tick() && ticked.elapsed() >= TICK {
                ticked = Instant::now();
                effects.extend(update(&mut state, Event::Tick(begun.elapsed())));
            }
        }
    }

    fn perform(&mut self, effect: Effect, state: &mut State) -> Result<(), Error> {
        match effect {
            Effect::Redraw => {
                self.redraw = true;
                state.dirty = true;
            }
            Effect::Copy(text) => {
                if self.tmux {
                    to_tmux(text.clone());
                }
                let out = self.screen.backend_mut();
                execute!(out, CopyToClipboard::to_clipboard_from(text))?;
            }
            Effect::Notify(text) => terminal::notify(self.notify, self.tmux, &text)?,
            Effect::Mouse(on) => terminal::mouse(on)?,
            Effect::Editor(name, place) => {
                // Two readers of one terminal would share the keys between them.
                drop(self.input.take());
                let done = terminal::lend(|| editor::run(&place))?;
                self.input = Some(input::Input::read(self.events.clone())?);
                self.redraw = true;
                update(state, Event::Edited(name, done));
            }
            Effect::Suspend => {
                if terminal::suspend()? {
                    self.suspended = true;
                } else {
                    let text = state.strings.session_leader.to_owned();
                    update(state, Event::Notice(Err(text)));
                }
            }
            other => self.executor.submit(other),
        }
        Ok(())
    }

    /// Draws a frame; a size that changed meanwhile may ask for something to be read.
    fn draw(&mut self, state: &mut State) -> Result<Vec<Effect>, Error> {
        let mut effects = Vec::new();
        queue!(self.screen.backend_mut(), BeginSynchronizedUpdate)?;
        if std::mem::take(&mut self.redraw) {
            // Forgets what the terminal shows, so that every cell is written. `Terminal::clear`
            // would ask the terminal for the cursor position and wait for the answer.
            let size = self.screen.size()?;
            self.screen
                .resize(Rect::new(0, 0, size.width, size.height))?;
            if state.size != (size.width, size.height) {
                effects = update(state, Event::Resize(size.width, size.height));
                effects.retain(|e| *e != Effect::Redraw);
            }
        }
        self.screen.draw(|frame| (self.draw)(state, frame))?;
        let out = self.screen.backend_mut();
        queue!(out, EndSynchronizedUpdate)?;
        Write::flush(out)?;
        state.dirty = false;
        Ok(effects)
    }
}

/// Hands a text to tmux, which passes it on to the terminal; it takes no clipboard sequence from a
/// program as it is set up at first. Whether that works is not waited for: the sequence is sent too.
fn to_tmux(text: String) {
    let run = move || {
        let child = Command::new("tmux")
            .args(["load-buffer", "-w", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        if let Ok(mut child) = child {
            if let Some(mut to) = child.stdin.take() {
                let _ = to.write_all(text.as_bytes());
            }
            let _ = child.wait();
        }
    };
    let _ = std::thread::Builder::new().spawn(run);
}
