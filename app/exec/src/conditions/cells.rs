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

/// What a column of figures holds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Quantity {
    /// What it is, in a word.
    pub what: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// The least and the greatest figure that can be one: beyond what any device that there is reaches.
    pub range: [f64; 2],
}

impl Quantity {
    /// A clock; one that is asleep is told as 0, which is none.
    pub const CLOCK: Self = Self::of("clock", "MHz", [1.0, 50_000.0]);
    /// Electric power.
    pub const POWER: Self = Self::of("power", "W", [0.0, 100_000.0]);
    /// Temperature.
    pub const TEMPERATURE: Self = Self::of("temperature", "C", [0.0, 500.0]);
    /// Share of the time in which the device was at work.
    pub const USE: Self = Self::of("utilisation", "%", [0.0, 100.0]);

    const fn of(what: &'static str, unit: &'static str, range: [f64; 2]) -> Self {
        Self { what, unit, range }
    }

    /// The figure in a cell, where it can be one.
    pub fn read(&self, cell: &str) -> Option<f64> {
        let [least, most] = self.range;
        figure(cell, self.unit).filter(|v| (least..=most).contains(v))
    }

    /// What is said of a cell that holds neither such a figure nor that it is not known.
    pub fn odd(&self, tool: &str, column: &str, cell: &str) -> Option<String> {
        let is_none = figure(cell, self.unit) == Some(0.0);
        (!absent(cell) && !is_none && self.read(cell).is_none()).then(|| {
            format!(
                "`{tool}` tells `{}` for `{}`, which is no {}: it is not known",
                safe_name(cell),
                safe_name(column),
                self.what
            )
        })
    }
}

/// Words with which a tool says that something is wrong.
const WRONG: [&str; 12] = [
    "error",
    "fail",
    " not ",
    "n't ",
    "cannot",
    "unable",
    "unknown",
    "denied",
    "lost",
    "invalid",
    "no device",
    "no such",
];

/// Characters of a complaint that are told: its remedy often stands at its end.
const COMPLAINT: usize = 300;

/// The line of a tool's answer that says what is wrong, safe to show: the first that speaks of a failure, else the
/// first that is more than a rule, or the name and version that the tool begins with.
pub fn complaint(said: &str) -> Option<String> {
    let lines = || said.lines().map(str::trim).filter(|l| !l.is_empty());
    let lower = |l: &str| l.to_ascii_lowercase();
    let is_wrong = |l: &&str| WRONG.iter().any(|w| lower(l).contains(w));
    let is_head = |l: &&str| lower(l).contains("version") || l.starts_with(['=', '+', '-', '#']);
    let line = (lines().find(is_wrong))
        .or_else(|| lines().find(|l| !is_head(l)))
        .or_else(|| lines().next())?;
    let inert = text::inert(line);
    Some(text::truncate(&inert, COMPLAINT).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_that_can_be_none_of_its_kind_is_told() {
        let odd = |q: Quantity, cell: &str| q.odd("mx-smi", "power", cell);
        for cell in ["nan", "-5", "hot\u{1b}[31m", "1e400", "1e99", "5 kW"] {
            assert_eq!(Quantity::POWER.read(cell), None, "{cell}");
            let told = odd(Quantity::POWER, cell).unwrap();
            assert!(told.contains("`power`, which is no power"), "{told}");
            assert!(!told.contains('\u{1b}'), "{told}");
        }
        for cell in ["48", "48.5 W", "0", "[N/A]", "N/A", ""] {
            assert_eq!(odd(Quantity::POWER, cell), None, "{cell}");
        }
        assert_eq!(odd(Quantity::CLOCK, "0 MHz"), None);
        assert!(odd(Quantity::USE, "400 %").is_some());
    }

    #[test]
    fn the_line_that_says_what_is_wrong_is_found_and_told_whole() {
        let lost = "Unable to determine the device handle for GPU0: 0000:08:00.0: GPU is lost.  Reboot the system to recover this GPU";
        for (said, words) in [
            (
                "mx-smi  version: 2.3.1\n\nError: MetaX kernel driver is not loaded\n",
                "Error: MetaX kernel driver is not loaded",
            ),
            (lost, lost),
            ("mx-smi  version: 2.3.1\n====\nbye\n", "bye"),
            ("mx-smi  version: 2.3.1\n", "mx-smi  version: 2.3.1"),
        ] {
            assert_eq!(complaint(said).as_deref(), Some(words));
        }
        assert_eq!(complaint(" \n"), None);
        let long = complaint(&format!("error {}", "x".repeat(900))).unwrap();
        assert!(long.chars().count() <= COMPLAINT + 1);
    }

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
