//! Progress on standard error: one line that is painted over on a terminal, plain lines elsewhere.

use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use assay_core::text;
use assay_core::units::format_ns;
use assay_engine::progress::{Progress, SAID};

/// Shows progress to a person or a log.
pub struct Stderr {
    terminal: bool,
    /// The output of programs is shown too.
    live: bool,
    state: Mutex<State>,
}

struct State {
    stage: String,
    painted: bool,
    last: Option<Instant>,
}

impl Stderr {
    /// Progress on this program's standard error.
    pub fn new() -> Self {
        let state = State {
            stage: String::new(),
            painted: false,
            last: None,
        };
        Self {
            terminal: io::stderr().is_terminal(),
            live: false,
            state: Mutex::new(state),
        }
    }

    /// Shows what the programs of the stages write too, if `live`.
    pub fn live(mut self, live: bool) -> Self {
        self.live = live;
        self
    }

    fn with(&self, f: impl FnOnce(&mut State, &mut dyn Write)) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut err = io::stderr().lock();
        f(&mut state, &mut err);
        let _ = err.flush();
    }

    fn clear(state: &mut State, err: &mut dyn Write) {
        if std::mem::take(&mut state.painted) {
            let _ = write!(err, "\r\x1b[K");
        }
    }
}

impl Drop for Stderr {
    fn drop(&mut self) {
        self.with(|state, err| Self::clear(state, err));
    }
}

impl Progress for Stderr {
    fn stage(&self, name: &str) {
        self.with(|state, err| {
            Self::clear(state, err);
            state.stage = text::inert(name).into_owned();
            state.last = None;
            if !self.terminal {
                let _ = writeln!(err, "{}", state.stage);
            }
        });
        self.step(0, 0, None);
    }

    fn step(&self, done: u64, total: u64, estimate_ns: Option<u64>) {
        if !self.terminal {
            return;
        }
        self.with(|state, err| {
            let recent = state
                .last
                .is_some_and(|t| t.elapsed() < Duration::from_millis(100));
            if recent && done < total {
                return;
            }
            state.last = Some(Instant::now());
            let share =
                (total > 0).then(|| format!(" {:3.0} %", done as f64 * 100.0 / total as f64));
            let left = estimate_ns
                .filter(|_| done > 0)
                .map(|ns| format!(", about {} left", format_ns(ns as f64)));
            let line = format!(
                "{}{}{}",
                state.stage,
                share.unwrap_or_default(),
                left.unwrap_or_default()
            );
            let _ = write!(err, "\r\x1b[K{}", text::truncate(&line, 78));
            state.painted = true;
        });
    }

    fn line(&self, line: &str) {
        self.with(|state, err| {
            Self::clear(state, err);
            let _ = writeln!(err, "{}", text::inert(line));
        });
    }

    fn said(&self, line: &str) {
        if self.live {
            self.line(&format!("{SAID}{line}"));
        }
    }
}
