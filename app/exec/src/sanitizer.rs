//! `compute-sanitizer`: its command line, and what its report comes to.

use std::collections::BTreeMap;
use std::path::Path;

use assay_core::campaign::Sanitizer;
use assay_core::text::{inert, truncate};

/// The word by which the program is found.
pub const PROGRAM: &str = "compute-sanitizer";

/// Lines of its own begin so.
const MARK: &str = "=========";

/// Errors of a kind that are listed one after the other.
const LISTED: usize = 6;

/// Columns of an error.
const WIDTH: usize = 160;

/// The words before the command of the program; its report goes to `log`.
pub fn words(program: &Path, tool: Sanitizer, log: &Path) -> Vec<String> {
    let path = |p: &Path| p.to_string_lossy().into_owned();
    vec![
        path(program),
        "--tool".into(),
        tool.name().into(),
        "--target-processes".into(),
        "all".into(),
        "--log-file".into(),
        path(log),
    ]
}

/// What a report says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// Errors that it counts; absent where it has no summary, so that it is not whole.
    pub errors: Option<u64>,
    /// Warnings of `racecheck`, which are no errors.
    pub warnings: u64,
    /// Headlines of errors with how often they come, in the order of the first.
    pub kinds: Vec<(String, u64)>,
}

impl Report {
    /// Reads a report; that of several processes has a summary of each.
    pub fn read(text: &str) -> Self {
        let mut out = Self::default();
        let mut kinds: BTreeMap<String, (usize, u64)> = BTreeMap::new();
        for line in text.lines() {
            let Some(said) = line.trim_start().strip_prefix(MARK) else {
                continue;
            };
            if let Some((errors, warnings)) = summary(said.trim()) {
                out.errors = Some(out.errors.unwrap_or(0).saturating_add(errors));
                out.warnings = out.warnings.saturating_add(warnings);
            } else if is_headline(said) {
                let at = kinds.len();
                let headline = truncate(&inert(said.trim()), WIDTH).into_owned();
                kinds.entry(headline).or_insert((at, 0)).1 += 1;
            }
        }
        let mut kinds: Vec<(usize, String, u64)> =
            kinds.into_iter().map(|(k, (at, n))| (at, k, n)).collect();
        kinds.sort_unstable();
        out.kinds = kinds.into_iter().map(|(_, kind, n)| (kind, n)).collect();
        out
    }

    /// The errors in words, the first ones by their headlines.
    pub fn sentence(&self) -> String {
        let n = self.errors.unwrap_or(0);
        let kinds: Vec<String> = (self.kinds.iter().take(LISTED))
            .map(|(kind, n)| match n {
                1 => kind.clone(),
                n => format!("{kind} ({n} times)"),
            })
            .collect();
        let more = match self.kinds.len().saturating_sub(LISTED) {
            0 => String::new(),
            more => format!("; and {more} more kinds"),
        };
        let all = match kinds.is_empty() {
            true => String::new(),
            false => format!(": {}{more}", kinds.join("; ")),
        };
        let s = if n == 1 { "" } else { "s" };
        let warned = match self.warnings {
            0 => String::new(),
            1 => " and 1 warning".into(),
            w => format!(" and {w} warnings"),
        };
        format!("{n} error{s}{warned}{all}")
    }
}

/// Errors and warnings of a summary.
fn summary(said: &str) -> Option<(u64, u64)> {
    if let Some(rest) = said.strip_prefix("ERROR SUMMARY:") {
        return Some((first_number(rest)?, 0));
    }
    let rest = said.strip_prefix("RACECHECK SUMMARY:")?;
    let (_, counts) = rest.split_once('(')?;
    let (errors, warnings) = counts.split_once(',')?;
    Some((first_number(errors)?, first_number(warnings)?))
}

fn first_number(text: &str) -> Option<u64> {
    text.split_whitespace().next()?.parse().ok()
}

/// A line of one error, not of where it happened: those are indented further.
fn is_headline(said: &str) -> bool {
    const BEGINNINGS: [&str; 10] = [
        " Invalid ",
        " Uninitialized ",
        " Misaligned ",
        " Leaked ",
        " Barrier error",
        " Program hit ",
        " Error: ",
        " Warning: ",
        " Fatal ",
        " Divergent ",
    ];
    BEGINNINGS.iter().any(|b| said.starts_with(b)) && !said.starts_with(" Error: No ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEMCHECK: &str = "\
========= COMPUTE-SANITIZER
========= Invalid __global__ write of size 4 bytes
=========     at gemm(float *, int)+0x70 in mm.cu:7
=========     by thread (0,0,0) in block (0,0,0)
=========     Address 0x7f0 is out of bounds
========= 
========= Invalid __global__ write of size 4 bytes
=========     at gemm(float *, int)+0x70 in mm.cu:7
========= Program hit cudaErrorLaunchFailure (error 719) due to \"unspecified launch failure\" on CUDA API call to cudaDeviceSynchronize.
========= ERROR SUMMARY: 3 errors
";

    #[test]
    fn errors_are_counted_and_named_once() {
        let report = Report::read(MEMCHECK);
        assert_eq!(report.errors, Some(3));
        assert_eq!(report.kinds.len(), 2, "{report:?}");
        assert_eq!(
            report.kinds[0],
            ("Invalid __global__ write of size 4 bytes".into(), 2)
        );
        let said = report.sentence();
        assert!(
            said.starts_with(
                "3 errors: Invalid __global__ write of size 4 bytes (2 times); Program hit"
            ),
            "{said}"
        );
    }

    #[test]
    fn hazards_are_errors_and_warnings_and_several_processes_add_up() {
        let text = "========= COMPUTE-SANITIZER\n========= Error: Race reported between Write access at k+0x40 in a.cu:3\n=========     and Read access at k+0x80\n========= RACECHECK SUMMARY: 3 hazards displayed (1 error, 2 warnings)\n";
        let report = Report::read(text);
        assert_eq!((report.errors, report.warnings), (Some(1), 2));
        assert!(
            report
                .sentence()
                .starts_with("1 error and 2 warnings: Error: Race reported"),
            "{}",
            report.sentence()
        );
        let two = "========= ERROR SUMMARY: 0 errors\n========= ERROR SUMMARY: 2 errors\n";
        assert_eq!(Report::read(two).errors, Some(2));
    }

    #[test]
    fn a_report_without_a_summary_says_nothing() {
        for text in [
            "",
            "ERROR SUMMARY: 0 errors\n",
            "========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: many\n",
        ] {
            assert_eq!(Report::read(text).errors, None, "{text:?}");
        }
        let clean =
            Report::read("========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n");
        assert_eq!(
            (clean.errors, clean.sentence().as_str()),
            (Some(0), "0 errors")
        );
    }

    #[test]
    fn the_command_line_keeps_the_report_apart() {
        let words = words(
            Path::new("/c/compute-sanitizer"),
            Sanitizer::Racecheck,
            Path::new("/f/r.txt"),
        );
        assert_eq!(
            words.join(" "),
            "/c/compute-sanitizer --tool racecheck --target-processes all --log-file /f/r.txt"
        );
    }
}
