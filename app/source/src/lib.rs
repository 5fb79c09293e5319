//! Generated and written kernel source: what it is, what it holds, and how two of them differ.
//!
//! Everything here is a function of bytes. Nothing reads a file, prints, or trusts its input:
//! sizes are bounded and malformed input is described instead of guessed at.
//!
//! For whoever shows it:
//!
//! - [`analyse`] gives the facts and hashes of a file set, for records, gates and comparisons.
//! - [`diff()`] and [`diff_pair`] give whole views. `DiffOptions::default()` compares lines as they are;
//!   [`DiffOptions::normalised`] compares what is left of them, so that renumbered temporaries and
//!   moved labels are context. Kernels are paired by name, family and header in both. Each hunk has a
//!   note: the kernel it lies in and the kinds of change.
//! - [`to_unified`], [`to_side_by_side`] and their styled forms make text of a view, [`to_html`] a
//!   table (style sheet in [`diff::STYLE`]); the view itself is the JSON form.
//! - For a screen: [`diff::prepare`] reads two files at once, [`Comparison::new`] aligns them,
//!   [`Comparison::layout`] lists the rows (folded or not) without their text, and
//!   [`Comparison::window`] makes the rows that are visible, with syntax and marks.
//! - [`syntax::Highlighter`] colours any text line by line.
//! - [`summary()`] says in sentences how the facts of B differ from those of A; [`attribute`] puts
//!   counters of both beside them. Statements have evidence and claim no reason.
//! - [`captures`] compares two captures of the source of one commit.

mod analysis;
mod asm;
pub mod attribution;
mod c_lex;
mod code;
mod determinism;
pub mod diff;
mod elf;
pub mod facts;
mod fast;
pub mod kernel;
pub mod language;
pub mod machine_code;
pub mod normalise;
pub mod said;
mod summary;
pub mod syntax;
mod text;

pub use analysis::{Analysis, analyse};
pub use attribution::attribute;
pub use code::code;
pub use determinism::captures;
pub use diff::{
    Align, Comparison, DiffOptions, Prepared, diff, diff_pair, to_html, to_side_by_side, to_unified,
};
pub use facts::{AsmFacts, Counts, FunctionFacts};
pub use kernel::{FACTS, Kernel, KernelFacts, Tally};
pub use language::{Language, resolve};
pub use machine_code::{MachineCode, NoMachineCode, machine_code};
pub use normalise::{Normalised, Pass, Passes, normalise};
pub use summary::summary;

/// A file as captured: a path for people and for pairing, and its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// Path relative to the folder it was captured from.
    pub path: String,
    /// Content, not yet known to be text.
    pub bytes: Vec<u8>,
}

impl SourceFile {
    /// A file from its path and content.
    pub fn new(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            path: path.into(),
            bytes: bytes.into(),
        }
    }

    /// Whether it is small enough to be read for kernels, and no binary.
    fn has_readable_size(&self) -> bool {
        self.bytes.len() <= analysis::MAX_BYTES && !text::is_binary(&self.bytes)
    }

    /// The content as text.
    ///
    /// # Errors
    /// The offset of the first byte that is not UTF-8.
    pub fn text(&self) -> Result<&str, usize> {
        std::str::from_utf8(&self.bytes).map_err(|e| e.valid_up_to())
    }
}

/// What this crate refuses.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    /// The name of a language is not one that is known.
    #[error("unknown source language `{name}`{hint}; known are: {known}")]
    Language {
        /// The name as given.
        name: String,
        /// `, did you mean ...?` or empty.
        hint: String,
        /// All names.
        known: String,
    },
    /// `auto-asm` was asked for and no file shows which machine it is for.
    #[error(
        "cannot tell which machine the assembly is for ({files}); name it in `[source] language`, e.g. `asm-x86_64`"
    )]
    UnknownMachine {
        /// The files looked at.
        files: String,
    },
}
