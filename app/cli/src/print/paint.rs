//! Colours of plain output: only on a terminal, and not where `NO_COLOR` asks for none.

use std::env;
use std::io::{self, IsTerminal};

/// Paints text that is inert already, after it was measured and cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Paint {
    on: bool,
}

impl Paint {
    /// No colour at all.
    #[cfg(test)]
    pub const PLAIN: Self = Self { on: false };

    /// As standard output allows.
    pub fn stdout() -> Self {
        let set = |name| env::var_os(name).is_some_and(|v| !v.is_empty());
        let dumb = env::var_os("TERM").is_none_or(|t| t.is_empty() || t == "dumb");
        Self {
            on: io::stdout().is_terminal() && !dumb && !set("NO_COLOR"),
        }
    }

    /// Colour whatever standard output is.
    pub fn always() -> Self {
        Self { on: true }
    }

    /// No colour at all.
    pub fn never() -> Self {
        Self { on: false }
    }

    /// Whether there is any colour.
    pub fn is_on(self) -> bool {
        self.on
    }

    fn code(self, code: &str, text: &str) -> String {
        if self.on && !text.trim().is_empty() {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }

    /// What matters less.
    pub fn dim(self, text: &str) -> String {
        self.code("2", text)
    }

    /// Headings.
    pub fn bold(self, text: &str) -> String {
        self.code("1", text)
    }

    /// What cannot be right.
    pub fn error(self, text: &str) -> String {
        self.code("1;31", text)
    }

    /// What needs care.
    pub fn warning(self, text: &str) -> String {
        self.code("1;33", text)
    }

    /// What got better.
    pub fn good(self, text: &str) -> String {
        self.code("32", text)
    }

    /// What got worse.
    pub fn bad(self, text: &str) -> String {
        self.code("31", text)
    }

    /// What got better, in the part that changed.
    pub fn strong_good(self, text: &str) -> String {
        self.code("1;4;32", text)
    }

    /// What got worse, in the part that changed.
    pub fn strong_bad(self, text: &str) -> String {
        self.code("1;4;31", text)
    }

    /// What stands elsewhere now.
    pub fn moved(self, text: &str) -> String {
        self.code("35", text)
    }

    /// A word of a language.
    pub fn keyword(self, text: &str) -> String {
        self.code("34", text)
    }

    /// A name that a language or machine gives.
    pub fn name(self, text: &str) -> String {
        self.code("36", text)
    }

    /// A number or text.
    pub fn literal(self, text: &str) -> String {
        self.code("33", text)
    }

    /// What is good to know.
    pub fn info(self, text: &str) -> String {
        self.code("36", text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_surrounds_the_text_and_is_left_out_where_there_is_none() {
        let on = Paint { on: true };
        assert_eq!(on.dim("x"), "\x1b[2mx\x1b[0m");
        assert_eq!(on.dim("  "), "  ");
        assert_eq!(Paint::PLAIN.error("x"), "x");
    }
}
