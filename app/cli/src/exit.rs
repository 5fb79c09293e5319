//! Exit codes, and how errors are told.

use std::process::ExitCode;

use assay_core::text::inert_block;
use assay_engine::{Error, Kind};

/// Done; of `compare` and `verdict`: FASTER or SAME.
pub const DONE: u8 = 0;
/// SLOWER, a variant that failed, or a gate in the way.
pub const WORSE: u8 = 1;
/// NO_GAIN, UNDECIDED or INVALID.
pub const OPEN: u8 = 2;
/// Wrong usage or input.
pub const USAGE_CODE: u8 = 3;
/// The environment or a tool failed.
pub const ENVIRONMENT: u8 = 4;

/// Wrong usage, as the parser of arguments finds it.
pub const USAGE: Code = Code(USAGE_CODE);

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code(pub u8);

impl From<Code> for ExitCode {
    fn from(code: Code) -> Self {
        Self::from(code.0)
    }
}

/// The exit code of a verdict word.
pub fn of_verdict(word: &str) -> Code {
    Code(match word {
        "FASTER" | "SAME" => DONE,
        "SLOWER" => WORSE,
        _ => OPEN,
    })
}

/// Tells an error on standard error and gives its exit code.
#[expect(clippy::print_stderr, reason = "errors go to standard error")]
pub fn report(e: &Error) -> Code {
    eprintln!("error: {}", inert_block(&e.to_string()));
    Code(match e.kind {
        Kind::Input => USAGE_CODE,
        Kind::Gate => WORSE,
        Kind::Environment | Kind::Cancelled => ENVIRONMENT,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_map_to_the_documented_codes() {
        let codes: Vec<u8> = [
            "FASTER",
            "SAME",
            "SLOWER",
            "NO_GAIN",
            "UNDECIDED",
            "INVALID",
        ]
        .map(|w| of_verdict(w).0)
        .to_vec();
        assert_eq!(codes, [0, 0, 1, 2, 2, 2]);
    }
}
