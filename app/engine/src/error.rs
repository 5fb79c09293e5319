//! The one error that users see: what failed, where, and what to do.

use std::fmt;

/// Who can mend it; decides the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Wrong usage or wrong input: exit code 3.
    Input,
    /// The machine, git, a tool or the file system failed: exit code 4.
    Environment,
    /// A gate stands in the way: exit code 1.
    Gate,
    /// Someone cancelled: exit code 4.
    Cancelled,
}

/// An error with a hint.
#[derive(Debug)]
pub struct Error {
    /// Who can mend it.
    pub kind: Kind,
    /// What failed and where.
    pub message: String,
    /// What to do.
    pub hint: Option<String>,
}

/// Result of a use case.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// Wrong usage or input.
    pub fn input(message: impl Into<String>) -> Self {
        Self {
            kind: Kind::Input,
            message: message.into(),
            hint: None,
        }
    }

    /// The machine or a tool failed.
    pub fn environment(message: impl Into<String>) -> Self {
        Self {
            kind: Kind::Environment,
            message: message.into(),
            hint: None,
        }
    }

    /// A gate stands in the way.
    pub fn gate(message: impl Into<String>) -> Self {
        Self {
            kind: Kind::Gate,
            message: message.into(),
            hint: None,
        }
    }

    /// Stopped by someone.
    pub fn cancelled() -> Self {
        Self {
            kind: Kind::Cancelled,
            message: "cancelled".into(),
            hint: None,
        }
    }

    /// Adds what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds the ways that are open, if there are any.
    #[must_use]
    pub fn hint_of<'h>(self, ways: impl IntoIterator<Item = &'h String>) -> Self {
        let ways: Vec<&str> = ways.into_iter().map(String::as_str).collect();
        if ways.is_empty() {
            return self;
        }
        self.hint(ways.join(", "))
    }

    /// Puts what was being done in front.
    #[must_use]
    pub fn context(mut self, doing: impl fmt::Display) -> Self {
        self.message = format!("{doing}: {}", self.message);
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.hint {
            Some(hint) => write!(f, "\n  hint: {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}

impl From<assay_core::fold::NameError> for Error {
    fn from(e: assay_core::fold::NameError) -> Self {
        Self::input(e.to_string())
    }
}

impl From<std::io::Error> for Error {
    fn from(e: std::io::Error) -> Self {
        Self::environment(e.to_string())
    }
}

impl From<serde_json::Error> for Error {
    fn from(e: serde_json::Error) -> Self {
        Self::environment(format!("JSON: {e}"))
    }
}

/// Adds the path to an I/O error.
pub trait AtPath<T> {
    /// Names the file or folder that could not be used.
    ///
    /// # Errors
    /// The same failure, with the path in front.
    fn at(self, path: &std::path::Path) -> Result<T>;
}

impl<T> AtPath<T> for std::io::Result<T> {
    fn at(self, path: &std::path::Path) -> Result<T> {
        self.map_err(|e| Error::environment(format!("{}: {e}", path.display())))
    }
}

impl From<assay_ledger::Error> for Error {
    fn from(e: assay_ledger::Error) -> Self {
        use assay_ledger::Error as L;
        let input = matches!(
            e,
            L::NotARepository { .. }
                | L::NoCommits { .. }
                | L::Bare { .. }
                | L::BranchExists { .. }
                | L::BranchBlocked { .. }
                | L::CheckedOut { .. }
                | L::Conflict { .. }
                | L::NoBranch { .. }
                | L::BranchName { .. }
                | L::NoPath { .. }
                | L::UnsafePath { .. }
                | L::Folder { .. }
                | L::NoRevision { .. }
        );
        let hint = e.hint();
        let error = if input {
            Self::input(e.to_string())
        } else {
            Self::environment(e.to_string())
        };
        Self { hint, ..error }
    }
}

impl From<assay_exec::ExecError> for Error {
    fn from(e: assay_exec::ExecError) -> Self {
        match e {
            assay_exec::ExecError::Cancelled => Self::cancelled(),
            e => Self::environment(e.to_string()),
        }
    }
}

impl From<assay_table::Error> for Error {
    fn from(e: assay_table::Error) -> Self {
        Self::environment(e.to_string())
    }
}
