//! Plays keys against the update function, answering loads from the fake backend at once.

use assay_tui::Backend;
use assay_tui::event::{Effect, Event, Load, Loaded};
use assay_tui::keymap::Key;
use assay_tui::options::Options;
use assay_tui::runtime::executor::answer_to;
use assay_tui::state::State;
use assay_tui::update::{start, update};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::Fake;

/// A session without threads.
pub struct Play {
    pub state: State,
    pub fake: Fake,
    /// Effects other than loads, in order.
    pub effects: Vec<Effect>,
    /// Loads asked for, in order.
    pub loads: Vec<Load>,
}

/// A session of 120 by 40 cells.
pub fn play() -> Play {
    Play::new(Options::default(), (120, 40))
}

/// The same after these keys.
pub fn run(keys: &str) -> Play {
    let mut p = play();
    p.keys(keys);
    p
}

impl Play {
    pub fn new(options: Options, size: (u16, u16)) -> Self {
        Self::with(Fake::new(), options, size)
    }

    pub fn with(fake: Fake, options: Options, size: (u16, u16)) -> Self {
        let mut play = Self {
            state: State::new(options, size),
            fake,
            effects: vec![],
            loads: vec![],
        };
        let effects = start(&mut play.state);
        play.perform(effects);
        play.look_at_jobs();
        play.event(Event::ReadOnly(play.fake.read_only()));
        play
    }

    /// Sends an event and answers what it asks for.
    pub fn event(&mut self, event: Event) {
        let effects = update(&mut self.state, event);
        self.perform(effects);
    }

    fn perform(&mut self, effects: Vec<Effect>) {
        let mut todo = effects;
        while !todo.is_empty() {
            let mut next = Vec::new();
            for effect in todo {
                if let Some(answer) = self.answer(effect) {
                    next.extend(update(&mut self.state, Event::Loaded(answer)));
                }
            }
            todo = next;
        }
    }

    fn answer(&mut self, effect: Effect) -> Option<Loaded> {
        let f = &self.fake;
        Some(match effect {
            Effect::Load(load) => {
                self.loads.push(load.clone());
                answer_to(f, load)
            }
            Effect::Decide {
                ref name,
                kind,
                ref reason,
                ref overrides,
                ref seen,
            } => {
                let done = f.decide(name, kind, reason, overrides, seen.as_deref());
                let answer = Loaded::Decided(name.clone(), kind, done);
                self.effects.push(effect);
                answer
            }
            Effect::Create {
                ref name,
                ref parent,
                ref why,
            } => {
                let answer = Loaded::Created(name.clone(), f.create(name, parent.as_deref(), why));
                self.effects.push(effect);
                answer
            }
            Effect::Export(ref order) => {
                let answer = Loaded::Exported(f.export(order));
                self.effects.push(effect);
                answer
            }
            Effect::SaveTable { ref name, ref text } => {
                let answer = Loaded::Exported(f.save(name, text).map(|p| vec![p]));
                self.effects.push(effect);
                answer
            }
            Effect::Commit(ref name) => {
                let answer = Loaded::Committed(f.commit(name));
                self.effects.push(effect);
                answer
            }
            Effect::Report => Loaded::Report(f.report()),
            other => {
                self.effects.push(other);
                return None;
            }
        })
    }

    /// Hands over the jobs of the fake backend as they stand.
    pub fn look_at_jobs(&mut self) {
        self.event(Event::Jobs(self.fake.jobs()));
    }

    /// Presses keys: names in blanks, or text in quotes, e.g. `j j a "good enough" enter`.
    pub fn keys(&mut self, script: &str) -> &mut Self {
        for (i, part) in script.split('"').enumerate() {
            if i % 2 == 1 {
                for c in part.chars() {
                    self.press(Key {
                        code: KeyCode::Char(c),
                        modifiers: KeyModifiers::NONE,
                    });
                }
                continue;
            }
            for name in part.split_whitespace() {
                self.press(Key::parse(name).unwrap_or_else(|| panic!("no key {name}")));
            }
        }
        self
    }

    fn press(&mut self, key: Key) {
        self.event(Event::Key(KeyEvent::new(key.code, key.modifiers)));
    }

    /// Name of the selected variant.
    pub fn selected(&self) -> &str {
        self.state
            .variants
            .current()
            .map_or("", |v| v.name.as_str())
    }
}
