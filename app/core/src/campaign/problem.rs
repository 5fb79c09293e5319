//! What is wrong with a configuration file, and where.

use std::fmt;

use crate::text::inert;

/// One thing that is wrong, with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The key or table concerned, e.g. `bench.mode`; empty for the file as a whole.
    pub context: String,
    /// What was found, for people.
    pub found: String,
    /// What was expected, for people.
    pub expected: String,
    /// A near miss or another way out.
    pub hint: Option<String>,
}

impl Problem {
    /// The message on one line, without place and hint; safe to show in a terminal.
    pub fn message(&self) -> String {
        let what = format!("expected {}, found {}", self.expected, self.found);
        let text = match self.context.as_str() {
            "" => what,
            context => format!("{context}: {what}"),
        };
        inert(&text).into_owned()
    }
}

/// Everything that is wrong with one file, in the order of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    /// The file as it was named by the caller.
    pub file: String,
    /// The problems; never empty.
    pub problems: Vec<Problem>,
    /// How many more there are that are not listed.
    pub more: usize,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, p) in self.problems.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            write!(
                f,
                "{}:{}:{}: {}",
                inert(&self.file),
                p.line,
                p.column,
                p.message()
            )?;
            if let Some(hint) = &p.hint {
                write!(f, "\n  hint: {}", inert(hint))?;
            }
        }
        if self.more > 0 {
            write!(f, "\n{}: {} more problems", inert(&self.file), self.more)?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigError {}
