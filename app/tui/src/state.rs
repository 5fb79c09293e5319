//! All that the interface knows. Changed by [`crate::update`] only, drawn by [`crate::view`].

pub mod columns;
pub mod cursor;
pub mod curve;
pub mod evidence;
pub mod find;
pub mod history;
pub mod jobs;
pub mod layer;
pub mod profile;
pub mod report;
pub mod source;
pub mod variants;
pub mod workloads;

use std::time::Duration;

use assay_core::view::CompareView;

use crate::action::{ACTIONS, Action, ActionInfo, Context};
use crate::document::Doc;
use crate::options::Options;
use crate::strings::{Strings, strings_for};
use crate::theme::Theme;

pub use cursor::Cursor;
pub use evidence::{Evidence, Opened};
pub use history::{History, Log};
pub use jobs::{Job, Jobs};
pub use layer::{ConfirmKind, Decide, Kernels, Layer, NewVariant, Palette, Pick, Picked};
pub use profile::Profile;
pub use report::{ExportForm, ExportOrder, Form, Report};
pub use source::{Source, SourceMode};
pub use variants::Variants;
pub use workloads::Workloads;

/// The screens in the order of their number keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Screen {
    /// Table of variants with lineage, and the detail of the selected one.
    #[default]
    Variants,
    /// Variants side by side.
    Compare,
    /// Diff of kernel or generated source.
    Source,
    /// Running and finished jobs.
    Jobs,
    /// The records of the ledger.
    History,
    /// Heat map of ratios.
    Workloads,
    /// Counters and findings of one variant.
    Profile,
    /// The write-up, and what stands against it.
    Report,
}

impl Screen {
    /// All screens.
    pub const ALL: [Self; 8] = [
        Self::Variants,
        Self::Compare,
        Self::Source,
        Self::Jobs,
        Self::History,
        Self::Workloads,
        Self::Profile,
        Self::Report,
    ];

    /// The number key that leads to it.
    pub fn number(self) -> u8 {
        match self {
            Self::Variants => 1,
            Self::Compare => 2,
            Self::Source => 3,
            Self::Jobs => 4,
            Self::History => 5,
            Self::Workloads => 6,
            Self::Profile => 7,
            Self::Report => 8,
        }
    }

    /// The context of its keys.
    pub fn context(self) -> Context {
        match self {
            Self::Variants => Context::Variants,
            Self::Compare => Context::Compare,
            Self::Source => Context::Source,
            Self::Jobs => Context::Jobs,
            Self::History => Context::History,
            Self::Workloads => Context::Workloads,
            Self::Profile => Context::Profile,
            Self::Report => Context::Report,
        }
    }

    /// Its name.
    pub fn title(self, s: &Strings) -> &'static str {
        match self {
            Self::Variants => s.variants,
            Self::Compare => s.compare,
            Self::Source => s.source,
            Self::Jobs => s.jobs,
            Self::History => s.history,
            Self::Workloads => s.workloads,
            Self::Profile => s.profile,
            Self::Report => s.report,
        }
    }

    /// Its name where room is short.
    pub fn short(self, s: &Strings) -> &'static str {
        match self {
            Self::Variants => s.short_variants,
            Self::Compare => s.short_compare,
            Self::Source => s.short_source,
            Self::Jobs => s.short_jobs,
            Self::History => s.short_history,
            Self::Workloads => s.short_workloads,
            Self::Profile => s.short_profile,
            Self::Report => s.short_report,
        }
    }

    /// The screen `step` places further, around the end.
    pub fn step(self, step: isize) -> Self {
        let at = Self::ALL.iter().position(|s| *s == self).unwrap_or(0) as isize;
        Self::ALL[(at + step).rem_euclid(Self::ALL.len() as isize) as usize]
    }
}

/// A value that is read in the background: the newest answer stays while a new one is read.
#[derive(Debug, Clone)]
pub struct Slot<T> {
    /// Newest good answer.
    pub value: Option<T>,
    /// What went wrong with the newest question.
    pub error: Option<String>,
    /// A question is open.
    pub loading: bool,
    /// Counts answers, so that what is derived from the value knows when to be made anew.
    pub generation: u64,
}

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Self {
            value: None,
            error: None,
            loading: false,
            generation: 0,
        }
    }
}

impl<T> Slot<T> {
    /// Takes an answer.
    pub fn set(&mut self, answer: Result<T, String>) {
        self.loading = false;
        self.generation += 1;
        match answer {
            Ok(v) => {
                self.value = Some(v);
                self.error = None;
            }
            Err(e) => self.error = Some(e),
        }
    }

    /// Forgets the value.
    pub fn clear(&mut self) {
        self.value = None;
        self.error = None;
        self.generation += 1;
    }
}

/// One line at the bottom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Text, already in the language of the interface and inert.
    pub text: String,
    /// Whether it tells of a failure.
    pub bad: bool,
}

/// The Compare screen.
#[derive(Debug, Default)]
pub struct Compare {
    /// Names of A, B and so on.
    pub pair: Vec<String>,
    /// The comparison.
    pub slot: Slot<CompareView>,
    /// What is drawn.
    pub doc: Doc,
    /// A heading to scroll to as soon as it is there.
    pub wanted: Option<String>,
}

/// Everything.
#[derive(Debug)]
pub struct State {
    /// Options.
    pub options: Options,
    /// Texts.
    pub strings: &'static Strings,
    /// Styles.
    pub theme: Theme,
    /// Columns and rows of the terminal.
    pub size: (u16, u16),
    /// The screen shown.
    pub screen: Screen,
    /// Screens to step back to.
    pub trail: Vec<Screen>,
    /// The user has chosen a row since the screen was shown: what was only looked at selects nothing.
    pub chosen: bool,
    /// Variants screen.
    pub variants: Variants,
    /// Compare screen.
    pub compare: Compare,
    /// Source screen.
    pub source: Source,
    /// Jobs screen.
    pub jobs: Jobs,
    /// History screen.
    pub history: History,
    /// Report screen.
    pub report: Report,
    /// Profile screen.
    pub profile: Profile,
    /// Workloads screen.
    pub workloads: Workloads,
    /// What lies over the screen, topmost last.
    pub layers: Vec<Layer>,
    /// Line at the bottom, until the next key.
    pub notice: Option<Notice>,
    /// The ledger can only be read.
    pub read_only: bool,
    /// The mouse is ours.
    pub mouse: bool,
    /// Ctrl-c was pressed once.
    pub cancel_armed: bool,
    /// Time since the start.
    pub now: Duration,
    /// Something changed since the last frame.
    pub dirty: bool,
}

impl State {
    /// The state before anything is read.
    pub fn new(options: Options, size: (u16, u16)) -> Self {
        Self {
            strings: strings_for(options.lang, &options.keys),
            theme: Theme::new(&options),
            size,
            screen: Screen::default(),
            trail: Vec::new(),
            chosen: false,
            variants: Variants::new(options.lang),
            compare: Compare::default(),
            source: Source::default(),
            jobs: Jobs::default(),
            history: History::default(),
            report: Report::default(),
            profile: Profile::default(),
            workloads: Workloads::default(),
            layers: Vec::new(),
            notice: None,
            read_only: false,
            mouse: options.mouse,
            options,
            cancel_armed: false,
            now: Duration::ZERO,
            dirty: true,
        }
    }

    /// Whether an action can do anything here: where the ledger can only be read, nothing is run,
    /// decided or declared.
    pub fn offers(&self, action: Action) -> bool {
        !(self.read_only && action.changes())
    }

    /// Whether an action has something to work on, as the hints show it: the keys of an empty screen
    /// do nothing.
    pub fn works(&self, action: Action) -> bool {
        let is_of_screen = |a: &&ActionInfo| !a.contexts.contains(&Context::Any);
        let Some(info) = ACTIONS
            .iter()
            .filter(is_of_screen)
            .find(|a| a.action == action)
        else {
            return true;
        };
        if matches!(action, Action::NextField | Action::PrevField) {
            return match self.layers.last() {
                Some(Layer::Decide(d)) => d.fields() > 1,
                Some(Layer::New(_) | Layer::Export(_) | Layer::Palette(_)) => true,
                _ => false,
            };
        }
        if action == Action::FormEvidence {
            return matches!(self.layers.last(), Some(Layer::Decide(_)));
        }
        !info.contexts.contains(&self.below()) || !self.is_empty() || self.is_of_selected(action)
    }

    /// Whether an action on this screen is about the selected variant, whatever the screen shows.
    fn is_of_selected(&self, action: Action) -> bool {
        use Action::{Accept, Compare, Diff, DiffChampion, Evidence, OpenProfile, Reject, Run};
        let of_it = match self.screen {
            Screen::Profile => matches!(
                action,
                Compare | Diff | DiffChampion | Accept | Reject | Evidence
            ),
            Screen::Workloads => matches!(action, Run | Accept | Reject | OpenProfile),
            _ => false,
        };
        of_it && self.variants.current().is_some()
    }

    /// Whether the screen has nothing to show that keys could work on.
    fn is_empty(&self) -> bool {
        match self.screen {
            Screen::Source => self.source.key.is_none(),
            Screen::Compare => self.compare.pair.is_empty(),
            Screen::Jobs => self.jobs.list.is_empty(),
            Screen::History => {
                (self.history.slot.value.as_ref()).is_some_and(|v| v.records.is_empty())
            }
            Screen::Workloads => {
                self.workloads.slot.value.is_some() && self.workloads.rows.is_empty()
            }
            Screen::Profile => {
                (self.profile.slot.value.as_ref()).is_none_or(|p| p.counters.is_none())
                    && self.profile.found() == 0
            }
            Screen::Variants | Screen::Report => false,
        }
    }

    /// What is said where nothing is to be shown: advice on running only where something can run.
    pub fn hint(&self, advice: &'static str, plain: &'static str) -> &'static str {
        if self.read_only { plain } else { advice }
    }

    /// Whether a clock tick would change what is shown.
    pub fn wants_tick(&self) -> bool {
        self.jobs.running() > 0
    }

    /// The context in which keys are looked up.
    pub fn context(&self) -> Context {
        if self.layers.is_empty() {
            self.below()
        } else {
            Context::Layer
        }
    }

    /// The context of the screen, whatever lies over it.
    pub fn below(&self) -> Context {
        match self.screen {
            Screen::Variants if self.variants.detail_full => Context::Detail,
            screen => screen.context(),
        }
    }

    /// Whether some read is open.
    pub fn loading(&self) -> bool {
        self.variants.list.loading
            || self.compare.slot.loading
            || self.source.slot.loading
            || self.history.slot.loading
            || self.report.slot.loading
            || self.report.checks.loading
            || self.workloads.slot.loading
            || self.profile.slot.loading
            || self.profile.findings.loading
            || self.workloads.samples.loading
    }
}
