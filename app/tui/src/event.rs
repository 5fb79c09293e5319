//! What comes into [`crate::update::update`] and what it asks for.

use std::sync::Arc;
use std::time::Duration;

use assay_core::record::DecisionKind;
use assay_core::view::{
    AuditView, CompareView, HeatView, JobView, ListView, LogRow, RecordView, SampleSet, ShowView,
    Standing, VariantProfile,
};
use assay_source::diff::OpenDiff;
use crossterm::event::KeyEvent;

use crate::backend::{EditPlace, JobLog, ReportChecks};
use crate::options::Lang;
use crate::state::report::Written;
use crate::state::{ExportOrder, Log};

/// Something happened.
#[derive(Debug, Clone)]
pub enum Event {
    /// A key was pressed.
    Key(KeyEvent),
    /// The wheel was turned, towards the user by 1, or away by -1, at a column and a row.
    Wheel(isize, u16, u16),
    /// The mouse was clicked at a column and a row.
    Click(u16, u16),
    /// The editor of a variant ended, or could not be started.
    Edited(String, Result<(), String>),
    /// Text was pasted, or committed by an input method in one piece.
    Paste(String),
    /// The terminal has this many columns and rows now.
    Resize(u16, u16),
    /// The terminal got the focus back.
    FocusGained,
    /// Time since the start; sent once a second while a job runs.
    Tick(Duration),
    /// The process was continued after a stop.
    Resumed,
    /// Someone asked the process to stop until continued.
    SuspendRequested,
    /// A load has finished.
    Loaded(Loaded),
    /// Whether the ledger can only be read.
    ReadOnly(bool),
    /// The jobs stand anew, or cannot be read.
    Jobs(Result<Vec<JobView>, String>),
    /// The ledger changed under us.
    LedgerChanged,
    /// Something that the runtime did or could not do, as one line.
    Notice(Result<String, String>),
}

/// What to read. Each kind has one slot in which the latest request wins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Load {
    /// All variants.
    List,
    /// One variant.
    Show(String),
    /// Several variants.
    Compare(Vec<String>),
    /// A diff.
    Diff(DiffKey),
    /// The records.
    Log(Lang),
    /// The write-up.
    Page(Lang),
    /// The rules of a write-up.
    Checks(Lang),
    /// Ratios by workload of all variants.
    Heat,
    /// Samples of a pair, reference first.
    Samples([String; 2]),
    /// Counters of a variant.
    Profile(ProfileKey),
    /// What rules find in the reports of a variant.
    Findings(String),
    /// The log of a job from a byte on.
    JobLog(String, u64),
    /// The records of variants, or of ids.
    Evidence(Vec<String>),
    /// One record.
    Record(String),
    /// What an acceptance of a variant would be judged by now.
    Standing(String),
}

/// Which counters.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct ProfileKey {
    /// Variant.
    pub variant: String,
    /// Workload; absent for the one that the campaign profiles.
    pub workload: Option<String>,
}

/// Which diff.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DiffKey {
    /// Side A.
    pub a: String,
    /// Side B.
    pub b: String,
    /// Generated source instead of the kernel source.
    pub generated: bool,
    /// Lines are compared by what is left of them after normalisation.
    pub normalised: bool,
}

impl DiffKey {
    /// A diff as it is shown first: what people write as it stands, what generators write after
    /// normalisation, for they renumber.
    pub fn new(a: String, b: String, generated: bool) -> Self {
        Self {
            a,
            b,
            generated,
            normalised: generated,
        }
    }
}

impl Load {
    /// Number of slots.
    pub const SLOTS: usize = 15;

    /// The slot of this kind.
    pub fn slot(&self) -> usize {
        match self {
            Self::List => 0,
            Self::Show(_) => 1,
            Self::Compare(_) => 2,
            Self::Diff(_) => 3,
            Self::Log(_) => 4,
            Self::Page(_) => 5,
            Self::Checks(_) => 6,
            Self::Heat => 7,
            Self::Samples(_) => 8,
            Self::Profile(_) => 9,
            Self::Findings(_) => 10,
            Self::JobLog(..) => 11,
            Self::Evidence(_) => 12,
            Self::Record(_) => 13,
            Self::Standing(_) => 14,
        }
    }
}

/// An answer of the backend, with the question.
#[derive(Debug, Clone)]
pub enum Loaded {
    /// All variants.
    List(Result<Box<ListView>, String>),
    /// One variant.
    Show(String, Result<Box<ShowView>, String>),
    /// Several variants.
    Compare(Vec<String>, Result<Box<CompareView>, String>),
    /// A diff.
    Diff(DiffKey, Result<Arc<OpenDiff>, String>),
    /// The records.
    Log(Result<Log, String>),
    /// The write-up.
    Page(Lang, Result<Written, String>),
    /// The rules of a write-up.
    Checks(Lang, Result<ReportChecks, String>),
    /// Where a variant is edited.
    Edit(String, Result<EditPlace, String>),
    /// Edits were committed or not.
    Committed(Result<String, String>),
    /// Files were written, with their paths, or not.
    Exported(Result<Vec<String>, String>),
    /// Ratios by workload of all variants.
    Heat(Result<HeatView, String>),
    /// Samples of a pair.
    Samples([String; 2], Result<Vec<SampleSet>, String>),
    /// Counters of a variant.
    Profile(ProfileKey, Result<Arc<VariantProfile>, String>),
    /// What rules found in the reports of a variant.
    Findings(String, Result<Box<AuditView>, String>),
    /// A decision was written, with the champion afterwards, or refused.
    Decided(String, DecisionKind, Result<Option<String>, String>),
    /// A part of the log of a job.
    JobLog(String, Result<JobLog, String>),
    /// The records of variants, or of ids.
    Evidence(Vec<String>, Result<Vec<LogRow>, String>),
    /// One record.
    Record(String, Result<Box<RecordView>, String>),
    /// What an acceptance of a variant would be judged by.
    Standing(String, Result<Standing, String>),
    /// A job was asked to stop, or could not be.
    Cancelled(String, Result<(), String>),
    /// A run was started or refused.
    RunStarted(Result<String, String>),
    /// A variant was declared or refused.
    Created(String, Result<(), String>),
    /// The report was written, with its path, or not.
    Report(Result<String, String>),
}

/// Something for the runtime to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Read; an older request of the same kind that has not started is dropped.
    Load(Load),
    /// Write a decision.
    Decide {
        /// Variant.
        name: String,
        /// What was decided.
        kind: DecisionKind,
        /// Why.
        reason: String,
        /// Overridden gates and why.
        overrides: Vec<(String, String)>,
        /// The place of the champion that an acceptance was thought over against.
        seen: Option<Vec<String>>,
    },
    /// Start a run.
    Run(Vec<String>),
    /// Start once more what a job did.
    RunAgain(String),
    /// Cancel a job.
    Cancel(String),
    /// Declare a variant.
    Create {
        /// Name.
        name: String,
        /// Parent.
        parent: Option<String>,
        /// Hypothesis.
        why: String,
    },
    /// Write the report.
    Report,
    /// Write files.
    Export(ExportOrder),
    /// Write a table to a file of a name.
    SaveTable {
        /// Name of the file.
        name: String,
        /// Its content.
        text: String,
    },
    /// Open the work tree of a variant.
    Edit(String),
    /// Give the terminal to the editor until it ends.
    Editor(String, EditPlace),
    /// Commit the edits of a variant.
    Commit(String),
    /// Whether the terminal reports the mouse.
    Mouse(bool),
    /// Put text on the clipboard.
    Copy(String),
    /// Tell that something has ended, to someone who looks elsewhere.
    Notify(String),
    /// Clear the screen and draw everything.
    Redraw,
    /// Give the terminal back and stop until continued.
    Suspend,
    /// Leave.
    Quit,
}
