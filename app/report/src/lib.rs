//! The write-up of a campaign, from views that the engine hands over.
//!
//! Every number in a report comes from the model; what is absent shows as `n/a`. All text that
//! people or programs wrote is made inert before it goes into the document.

mod chapter;
pub mod check;
mod doc;
mod escape;
mod figure;
mod json;
mod logs;
mod model;
pub mod plot;
mod pr;
mod said;
mod strings;
mod table;
pub mod template;

pub use chapter::source::first_lines;
pub use json::{JSON_SCHEMA, json, read_model};
pub use logs::{
    LogCell, LogDisagreement, LogFact, LogProblem, LogRate, LogRow, LogSpeedup, LogSummary,
    LogTable, LogTime,
};
pub use model::{
    Baseline, Better, ChainRow, Claim, Counter, CounterSet, GEOMETRIC_MEAN, MeasuredCommit, Peaks,
    Protocol, PublishedTable, ReportModel, SourceChange, Task, TaskGate, TaskWorkload,
    was_accepted,
};
pub use strings::Lang;
pub use table::{CitedFigure, cited, csv};

/// Lines of a kernel diff that are shown before it is cut with a notice.
pub const MAX_DIFF_LINES: usize = 200;

/// Accepted variants that have pictures: the last ones, which are what the champion rests on.
pub const MOST_PICTURES: usize = 24;

/// Writes the report as Markdown (GitHub flavour), without any HTML of its own.
pub fn markdown(model: &ReportModel, lang: Lang) -> String {
    doc::markdown::write(&chapter::document(model, lang, false))
}

/// Writes a pull-request description in Markdown, with a checklist that the records fill.
pub fn pull_request(model: &ReportModel, lang: Lang) -> String {
    doc::markdown::write(&pr::document(model, lang))
}

/// Writes the report as one HTML file with style and pictures in it, which runs and fetches
/// nothing.
pub fn html(model: &ReportModel, lang: Lang) -> String {
    doc::html::write(&chapter::document(model, lang, true), lang)
}
