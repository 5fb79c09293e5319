//! Small parts that the readers of tools share: comma-separated rows and figures with units.

use assay_core::text;

/// Cells of one line, trimmed.
pub(super) fn cells(line: &str) -> Vec<&str> {
    line.split(',').map(str::trim).collect()
}

/// A name from a tool, safe to print and of bounded length.
pub(crate) fn safe_name(text: &str) -> String {
    let inert = text::inert(text.trim());
    text::truncate(&inert, 80).into_owned()
}

/// The name of a program from its command line, without folders and arguments.
///
/// Records are published, and folders and arguments tell more of other people than is needed.
pub(super) fn program_name(command: &str, pid: u32) -> String {
    let path = match command.trim() {
        nothing if absent(nothing) => "",
        path if path.starts_with('/') => path.split(' ').next().unwrap_or(path),
        other => other,
    };
    match path.rsplit('/').next().unwrap_or(path) {
        name if absent(name) => format!("process {pid}"),
        name => safe_name(name),
    }
}

/// What stands for "not known": `[N/A]`, `[Not Supported]`, `N/A`, an empty cell.
pub(crate) fn absent(cell: &str) -> bool {
    let bare = cell.trim_start_matches('[').trim_end_matches(']').trim();
    let known = [
        "",
        "N/A",
        "NA",
        "-",
        "Not Supported",
        "Not Found",
        "Unknown",
        "Unknown Error",
    ];
    cell.starts_with('[') || known.iter().any(|k| bare.eq_ignore_ascii_case(k))
}

/// A figure with an optional unit behind it, e.g. `135.84 W` or `36`; finite and at least zero.
///
/// The figure is returned only where its unit, if one is written, is `unit`: a tool that changes
/// its units must not be misread.
pub(super) fn figure(cell: &str, unit: &str) -> Option<f64> {
    let (number, written) = match cell.split_once(' ') {
        Some((n, u)) => (n, u.trim()),
        None => (cell, ""),
    };
    let value: f64 = number.parse().ok()?;
    let known = written.is_empty() || written == unit;
    (known && value.is_finite() && value >= 0.0).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_counts_only_in_its_unit() {
        assert_eq!(figure("135.84 W", "W"), Some(135.84));
        assert_eq!(figure("36", "C"), Some(36.0));
        assert_eq!(figure("0 %", "%"), Some(0.0));
        for wrong in [
            "135840 mW",
            "NaN",
            "inf W",
            "-5 W",
            "",
            "W",
            "1,5 W",
            "5 W x",
        ] {
            assert_eq!(figure(wrong, "W"), None, "{wrong}");
        }
    }

    #[test]
    fn a_program_is_named_without_folders_and_arguments() {
        for (command, name) in [
            ("/home/ann/venv/bin/python3 train.py --key=1", "python3"),
            ("python3", "python3"),
            ("C:\\x a.exe", "C:\\x a.exe"),
            ("[Not Found]", "process 7"),
            ("/", "process 7"),
            ("", "process 7"),
            ("a\u{1b}[31mb", "a\\x1b[31mb"),
        ] {
            assert_eq!(program_name(command, 7), name, "{command}");
        }
    }

    #[test]
    fn the_ways_to_say_nothing_are_known() {
        for nothing in [
            "[N/A]",
            "N/A",
            "",
            "[Not Supported]",
            "[GPU requires reset]",
            "-",
        ] {
            assert!(absent(nothing), "{nothing}");
        }
        assert!(!absent("0") && !absent("0 W"));
    }
}
