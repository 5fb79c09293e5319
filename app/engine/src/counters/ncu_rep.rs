//! Binary reports of Nsight Compute: their format is not public, so that `ncu` prints them.

use std::env;
use std::path::Path;

use assay_exec::gpu_profile::ncu;
use assay_exec::plan::StageEnv;

use crate::Cancel;
use crate::error::{Error, Result};

/// How such a file begins.
const MAGIC: &[u8] = b"NVR\0";

/// What such a file is called.
const EXTENSION: &str = "ncu-rep";

/// Whether a file is such a report, by its beginning or its name.
pub(super) fn is_one(path: &Path, head: &[u8]) -> bool {
    head.starts_with(MAGIC) || path.extension().is_some_and(|e| e == EXTENSION)
}

/// What `ncu` prints of a report: the raw page as CSV, in base units.
///
/// # Errors
/// When there is no `ncu`, or it cannot read the report.
pub(crate) fn print(path: &Path, cancel: &Cancel) -> Result<Vec<u8>> {
    let name = path.display();
    let Some(ncu) = ncu::find(|name| env::var_os(name)) else {
        return Err(Error::environment(format!(
            "{name} is a binary report of Nsight Compute, and there is no `ncu` in PATH, /usr/local/cuda*/bin or /opt/nvidia/nsight-compute"
        ))
        .hint(format!(
            "install Nsight Compute, or where it is installed run  ncu --import {name} --page raw --csv --print-units base > report.csv  and inspect report.csv"
        )));
    };
    if path.as_os_str() == super::STDIN {
        return Err(Error::input(
            "a binary report of Nsight Compute cannot come on standard input",
        )
        .hint("name the file"));
    }
    let full = path
        .canonicalize()
        .map_err(|e| Error::input(format!("{name}: {e}")))?;
    let text = |p: &Path| {
        let text = p.to_str().map(str::to_owned);
        text.ok_or_else(|| Error::input(format!("{}: the path is not UTF-8", p.display())))
    };
    let env = StageEnv::new(|name| env::var_os(name), &[]).vars();
    let done = ncu::print(&text(&ncu)?, &text(&full)?, env, cancel);
    if cancel.is_cancelled() {
        return Err(Error::cancelled());
    }
    if !done.outcome.ok() {
        let said = done.tail_text();
        let said = said.trim();
        let said = if said.is_empty() {
            String::new()
        } else {
            format!("\n{said}")
        };
        return Err(Error::environment(format!(
            "{} could not read {name}: {}{said}",
            ncu.display(),
            done.outcome.describe()
        ))
        .hint("a report is read by the version of Nsight Compute that wrote it, or a newer one"));
    }
    Ok(done.stdout)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_known_by_their_beginning_or_their_name() {
        assert!(is_one(Path::new("a"), b"NVR\0\x01\x02"));
        assert!(is_one(Path::new("a.ncu-rep"), b""));
        assert!(!is_one(Path::new("a.csv"), b"\"ID\",\"NVR\""));
    }
}
