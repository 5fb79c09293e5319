//! The terminal interface of Assay.
//!
//! One synchronous [`update::update`] changes the [`state::State`] and returns effects; worker
//! threads carry them out against a [`Backend`] and answer with events; [`view::draw`] is pure.
//! The crate knows views from `assay-core` and nothing of git, processes or data frames.
//!
//! | module | job |
//! |---|---|
//! | [`action`] | the one table of actions: keys, titles, contexts |
//! | [`keymap`] | keys and input methods |
//! | [`state`], [`update`], [`view`] | what is known, how it changes, how it looks |
//! | [`document`], [`widget`], [`cut`] | longer texts, small pieces, where text is cut |
//! | [`runtime`] | threads, terminal, signals |
//! | [`mod@picture`] | a screen as SVG, for the documentation |

pub mod action;
pub mod backend;
pub mod cut;
pub mod document;
pub mod event;
pub mod filter;
pub mod fmt;
pub mod keymap;
mod keys_doc;
pub mod layout;
pub mod lineage;
pub mod options;
pub mod picture;
pub mod runtime;
#[cfg(test)]
mod sample;
pub mod state;
pub mod strings;
pub mod theme;
pub mod update;
pub mod view;
pub mod widget;

pub use backend::{Backend, EditPlace, JobLog, ReportChecks, ReportText, RuleLine};
pub use keys_doc::keys_markdown;
pub use options::{ColorLevel, Lang, Notify, Options, PlotMarks, ThemeName};
pub use picture::picture;
pub use runtime::{Error, Exit, run};
