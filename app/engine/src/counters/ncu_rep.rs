//! Binary reports of Nsight Compute: their format is not public, so that `ncu` prints them.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use assay_exec::plan::StageEnv;
use assay_exec::process::{CommandLine, Limits, Program, run};

use crate::Cancel;
use crate::error::{Error, Result};

/// How such a file begins.
const MAGIC: &[u8] = b"NVR\0";

/// What such a file is called.
const EXTENSION: &str = "ncu-rep";

/// How long `ncu` may take for one report.
const PATIENCE: Duration = Duration::from_secs(600);

/// Output that is read at most.
const OUTPUT_MAX: usize = 1 << 30;

/// Places that the installers use, beside those in `PATH`.
const PLACES: [(&str, &str); 3] = [
    ("/usr/local", "bin/ncu"),
    ("/opt/nvidia/nsight-compute", "ncu"),
    ("/opt/cuda", "nsight_compute/ncu"),
];

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
    let Some(ncu) = find() else {
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
    let command = CommandLine::Exec(vec![
        text(&ncu)?,
        "--import".into(),
        text(&full)?,
        "--page".into(),
        "raw".into(),
        "--csv".into(),
        "--print-units".into(),
        "base".into(),
    ]);
    let env = StageEnv::new(|name| env::var_os(name), &[]).vars();
    let limits = Limits {
        timeout: Some(PATIENCE),
        output_max: OUTPUT_MAX as u64,
        ..Limits::default()
    };
    let program = Program::new(command, "/", env)
        .limits(limits)
        .keep_stdout(OUTPUT_MAX);
    let done = run(program, cancel);
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

/// The `ncu` of this machine.
fn find() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let mut found = env::split_paths(&path)
        .map(|d| d.join("ncu"))
        .chain(installed());
    found.find(|p| is_program(p))
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    // An empty entry of PATH would mean the current folder, where anything may lie.
    path.is_absolute()
        && path
            .metadata()
            .is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

/// Where installers put it: the newest version first.
fn installed() -> Vec<PathBuf> {
    let mut out = Vec::new();
    for (folder, program) in PLACES {
        let listed = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut names: Vec<OsString> = listed
            .map(|e| e.file_name())
            .filter(|n| folder != "/usr/local" || n.as_encoded_bytes().starts_with(b"cuda"))
            .collect();
        names.sort_by_cached_key(|n| std::cmp::Reverse(numbers(&n.to_string_lossy())));
        out.extend(
            names
                .iter()
                .map(|n| Path::new(folder).join(n).join(program)),
        );
        out.push(Path::new(folder).join(program));
    }
    out
}

/// The numbers in a name, so that 2025.10 comes after 2025.9.
fn numbers(name: &str) -> Vec<u64> {
    name.split(|c: char| !c.is_ascii_digit())
        .filter_map(|n| n.parse().ok())
        .collect()
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

    #[test]
    fn versions_are_ordered_by_number() {
        assert!(numbers("2025.10.0") > numbers("2025.9.1"));
        assert!(numbers("cuda-13.0") > numbers("cuda"));
    }
}
