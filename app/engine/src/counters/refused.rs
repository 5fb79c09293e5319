//! Why nothing was read.

use std::path::PathBuf;

use super::open::Opened;
use crate::error::{Error, Kind};

/// Why a file is none that a reader knows.
pub(super) fn unknown(shown: &str, head: &[u8]) -> Error {
    if head.is_empty() {
        return Error::input(format!("{shown}: the file is empty"));
    }
    let why = match assay_profile::parse(head) {
        Err(e) => e.to_string(),
        Ok(_) => "the format is not certain".into(),
    };
    Error::input(format!("{shown}: {why}")).hint(
        "name the format with --format, or say with --mapping FILE which part of a CSV or JSON is what",
    )
}

/// Why nothing was read: the failure itself, or what was seen.
pub(super) fn nothing(paths: &[PathBuf], out: &Opened) -> Error {
    const SHOWN: usize = 8;
    let kind = match out.failures.iter().all(|f| f.kind == Kind::Environment) {
        true if !out.failures.is_empty() => Kind::Environment,
        _ => Kind::Input,
    };
    if let ([_], [only]) = (out.files.as_slice(), out.failures.as_slice()) {
        return Error {
            kind,
            message: only.message.clone(),
            hint: only.hint.clone(),
        };
    }
    let given: Vec<String> = paths.iter().map(|p| p.display().to_string()).collect();
    let mut message = format!("no profiler report in {}", given.join(", "));
    match out.files.len() {
        0 => message.push_str(": there is no file in it"),
        n => message.push_str(&format!("; {n} files were looked at:")),
    }
    for f in out.files.iter().take(SHOWN) {
        let why = match f.detail.as_str() {
            "" => "no report",
            detail => detail,
        };
        message.push_str(&format!("\n  {}: {why}", f.path));
    }
    if out.files.len() > SHOWN {
        message.push_str(&format!("\n  and {} more", out.files.len() - SHOWN));
    }
    Error {
        kind,
        message,
        hint: out.failures.iter().find_map(|f| f.hint.clone()),
    }
}
