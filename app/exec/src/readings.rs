//! Logs of benchmarks read as data: times by workload and tag, each with the resolution it was
//! printed with.
//!
//! Pure over bytes. A figure keeps its unit and its last digit, a row that has no time says why, and
//! what a log does not state (a unit, which of two rows is true) is never guessed.

pub mod claims;
mod figure;
mod google;
mod grid;
mod hyperfine;
mod join;
mod json;
mod nvbench;
pub mod table;
mod text;
mod tilelang;
mod tileops;

use std::collections::BTreeMap;
use std::fmt;

use assay_core::campaign::ParseKind;
use assay_core::text::inert;
use assay_core::units::{GREATEST_NS, LEAST_NS, TimeUnit};

pub use figure::Figure;
pub use grid::{Columns, csv, markdown};
pub use join::join;
pub use json::pointed;
pub use text::regex;

/// Bytes of a log beyond which it is refused.
pub const LOG_MAX: usize = 64 << 20;
/// Rows of a log beyond which it is refused.
const ROWS_MAX: usize = 200_000;
/// Notices that are kept word by word.
const NOTICES_MAX: usize = 50;

/// What a log holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Readings {
    /// Its form.
    pub kind: ParseKind,
    /// What it says about its machine and run: name and value as printed.
    pub facts: Vec<(String, String)>,
    /// Rows in the order of the log.
    pub rows: Vec<Reading>,
    /// What a person should know before using it.
    pub notices: Vec<String>,
}

/// One row: what one subject took on one workload.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// Operator, heading, benchmark or tuning run; empty where the log has none.
    pub group: String,
    /// Name of the row in the log.
    pub workload: String,
    /// What the row says about its workload or configuration.
    pub params: Vec<(String, String)>,
    /// Which implementation or device; empty where the log has none.
    pub tag: String,
    /// Unit of the times.
    pub unit: TimeUnit,
    /// The times as printed, finite and above zero; empty exactly where there is a failure.
    pub times: Vec<Figure>,
    /// Whether the times are samples or sum up many.
    pub taken: Taken,
    /// Further figures and texts of the row.
    pub extras: Vec<Extra>,
    /// What sets the time apart, e.g. `event fallback`.
    pub marks: Vec<String>,
    /// Why there is no time.
    pub failure: Option<RowFailure>,
    /// Line of the log from 1; 0 where a row is no line.
    pub line: usize,
}

/// What a time stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Taken {
    /// Each time is a sample: one launch, or one timed batch of launches.
    Samples,
    /// One figure that sums up others: a comparison can use it, a verdict over it alone cannot.
    Summary {
        /// Which figure, e.g. `median`.
        statistic: String,
        /// Of how many samples, where the log says so.
        of: Option<u64>,
    },
}

impl fmt::Display for Taken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Samples => f.write_str("samples"),
            Self::Summary {
                statistic,
                of: None,
            } => f.write_str(statistic),
            Self::Summary {
                statistic,
                of: Some(n),
            } => write!(f, "{statistic} of {n}"),
        }
    }
}

/// A further figure or text of a row.
#[derive(Debug, Clone, PartialEq)]
pub struct Extra {
    /// Name in the log, which often holds the unit.
    pub name: String,
    /// The text as printed.
    pub printed: String,
    /// The number, where it is one.
    pub figure: Option<Figure>,
}

impl Extra {
    /// A text under a name; it is a figure where it reads as a number.
    pub fn new(name: &str, printed: &str) -> Self {
        Self {
            name: name.to_owned(),
            printed: printed.to_owned(),
            figure: Figure::read(printed).ok(),
        }
    }
}

/// Why a row has no time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowFailure {
    /// What kind of reason.
    pub kind: RowFailureKind,
    /// A sentence for people.
    pub message: String,
}

/// Kinds of reasons why a row has no time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowFailureKind {
    /// The log says that there is none (`N/A`).
    NotAvailable,
    /// The benchmark was skipped.
    Skipped,
    /// The benchmark reported an error.
    Error,
    /// The benchmark took too long.
    Timeout,
    /// The row is damaged or its figure is no time.
    Unreadable,
    /// Another row claims the same.
    Duplicate,
}

impl RowFailureKind {
    /// The word for people and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::NotAvailable => "not available",
            Self::Skipped => "skipped",
            Self::Error => "error",
            Self::Timeout => "timeout",
            Self::Unreadable => "unreadable",
            Self::Duplicate => "duplicate",
        }
    }
}

/// Why a log as a whole cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the output cannot be read as {}: {}", kind.name(), inert(message))]
pub struct ReadingsError {
    /// The form it was to have.
    pub kind: ParseKind,
    /// What is wrong, and where.
    pub message: String,
}

impl Reading {
    fn new(unit: TimeUnit, line: usize) -> Self {
        Self {
            group: String::new(),
            workload: String::new(),
            params: Vec::new(),
            tag: String::new(),
            unit,
            times: Vec::new(),
            taken: Taken::Samples,
            extras: Vec::new(),
            marks: Vec::new(),
            failure: None,
            line,
        }
    }

    fn failed(mut self, kind: RowFailureKind, message: impl Into<String>) -> Self {
        self.times.clear();
        self.failure = Some(RowFailure {
            kind,
            message: message.into(),
        });
        self
    }

    /// Takes times as they were printed; one that is no time fails the row.
    fn timed<'t>(mut self, printed: impl IntoIterator<Item = &'t str>) -> Self {
        for text in printed {
            match Figure::time(text, self.unit) {
                Ok(figure) => self.times.push(figure),
                Err(why) => return self.failed(RowFailureKind::Unreadable, why),
            }
        }
        if self.times.is_empty() && self.failure.is_none() {
            return self.failed(RowFailureKind::Unreadable, "no time");
        }
        self
    }

    /// As [`Reading::timed`], where numbers are JSON: a trailing zero is not printed there, so the
    /// finest figure shows what all of them were rounded to.
    fn timed_json<'t>(self, printed: impl IntoIterator<Item = &'t str>) -> Self {
        let mut row = self.timed(printed);
        let finest = row.times.iter().map(|t| t.quantum).reduce(f64::min);
        for t in &mut row.times {
            t.quantum = finest.unwrap_or(t.quantum).max(t.value * f64::EPSILON);
        }
        row
    }

    /// Nanoseconds in one unit of the times.
    fn unit_ns(&self) -> f64 {
        self.unit.to_ns(1.0).unwrap_or(1.0)
    }

    /// The times in nanoseconds.
    pub fn values_ns(&self) -> Vec<f64> {
        let unit = self.unit_ns();
        self.times.iter().map(|t| t.value * unit).collect()
    }

    /// The coarsest resolution of the times, in nanoseconds.
    pub fn quantum_ns(&self) -> f64 {
        let coarsest = self.times.iter().map(|t| t.quantum).fold(0.0, f64::max);
        coarsest * self.unit_ns()
    }

    /// The median of the times in nanoseconds; `None` where there is none.
    pub fn median_ns(&self) -> Option<f64> {
        let mut values = self.values_ns();
        values.sort_by(f64::total_cmp);
        let n = values.len();
        let upper = values.get(n / 2).copied()?;
        Some(if n % 2 == 1 {
            upper
        } else {
            f64::midpoint(values[n / 2 - 1], upper)
        })
    }

    /// What tells the row from others, for people; safe to show.
    pub fn title(&self) -> String {
        let parts = [&self.group, &self.workload, &self.tag];
        let parts: Vec<&str> = parts
            .iter()
            .map(|p| p.as_str())
            .filter(|p| !p.is_empty())
            .collect();
        match parts.as_slice() {
            [] => format!("the row of line {}", self.line),
            parts => inert(&parts.join(" / ")).into_owned(),
        }
    }
}

/// The form of a log, where its content shows it.
pub fn sniff(bytes: &[u8]) -> Option<ParseKind> {
    // What tells a form stands at its beginning, except for the lines of an autotuner.
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(1 << 20)]);
    let head = head.trim_start_matches('\u{feff}').trim_start();
    if head.starts_with('{') {
        let has = |words: &[&str]| words.iter().all(|w| head.contains(w));
        return if has(&["\"benchmarks\"", "\"nvbench\""]) {
            Some(ParseKind::NvBench)
        } else if has(&["\"benchmarks\"", "\"context\""]) {
            Some(ParseKind::GoogleBenchmark)
        } else if has(&["\"results\"", "\"command\"", "\"mean\""]) {
            Some(ParseKind::Hyperfine)
        } else {
            None
        };
    }
    if head.lines().any(tileops::is_title) {
        return Some(ParseKind::TileOps);
    }
    tilelang::MARKS
        .iter()
        .any(|m| head.contains(m))
        .then_some(ParseKind::TileLang)
}

/// Reads a log of a form that states its own units.
///
/// # Errors
/// When the log is not of that form, is cut off where that shows, or is too large; and for forms
/// that need to be told what the time is ([`csv`], [`markdown`], [`regex()`], [`pointed`]).
pub fn read(kind: ParseKind, bytes: &[u8]) -> Result<Readings, ReadingsError> {
    match kind {
        ParseKind::TileOps => tileops::read(bytes, ""),
        ParseKind::TileLang => tilelang::read(bytes),
        ParseKind::GoogleBenchmark => google::read(bytes, google::Clock::Real),
        ParseKind::NvBench => nvbench::read(bytes, "", &mut |_| None),
        ParseKind::Hyperfine => hyperfine::read(bytes),
        ParseKind::Regex | ParseKind::Csv | ParseKind::Json | ParseKind::Markdown => {
            Err(ReadingsError {
                kind,
                message: "this form does not say what the time is and in which unit".into(),
            })
        }
    }
}

/// Reads a TileOPs report for the time in another column than the latency, e.g. `device_busy_ms`.
///
/// # Errors
/// As [`read`].
pub fn tile_ops(bytes: &[u8], column: &str) -> Result<Readings, ReadingsError> {
    tileops::read(bytes, column)
}

/// Reads Google Benchmark's JSON for the time that `clock` names: `real_time` or `cpu_time`.
///
/// # Errors
/// As [`read`].
pub fn google_benchmark(bytes: &[u8], clock: &str) -> Result<Readings, ReadingsError> {
    let clock = match clock {
        "cpu_time" => google::Clock::Cpu,
        _ => google::Clock::Real,
    };
    google::read(bytes, clock)
}

/// Reads nvbench's JSON. `summary` is the tag of the figure that is the time, or empty for the
/// median GPU time of cold runs. `side` gives the content of a side file (`--jsonbin`) by the name
/// that the JSON has for it; where it does, the row holds samples. The name is relative to the
/// folder of the JSON and as little to be trusted as the rest: `side` must open nothing elsewhere.
///
/// # Errors
/// As [`read`].
pub fn nv_bench(
    bytes: &[u8],
    summary: &str,
    side: &mut dyn FnMut(&str) -> Option<Vec<u8>>,
) -> Result<Readings, ReadingsError> {
    nvbench::read(bytes, summary, side)
}

/// Collects rows and notices of one log.
struct Collect {
    kind: ParseKind,
    facts: Vec<(String, String)>,
    rows: Vec<Reading>,
    notices: Vec<String>,
    more: usize,
}

impl Collect {
    fn new(kind: ParseKind) -> Self {
        Self {
            kind,
            facts: Vec::new(),
            rows: Vec::new(),
            notices: Vec::new(),
            more: 0,
        }
    }

    fn error<T>(&self, message: impl Into<String>) -> Result<T, ReadingsError> {
        Err(ReadingsError {
            kind: self.kind,
            message: message.into(),
        })
    }

    /// The text of a log: UTF-8 without its mark, and not beyond what is read.
    fn text<'b>(&mut self, bytes: &'b [u8]) -> Result<std::borrow::Cow<'b, str>, ReadingsError> {
        if bytes.len() > LOG_MAX {
            return self.error(format!("it is longer than {LOG_MAX} bytes"));
        }
        if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
            return self.error("it is UTF-16; write it as UTF-8");
        }
        let bytes = bytes.strip_prefix(&[0xef, 0xbb, 0xbf]).unwrap_or(bytes);
        let text = String::from_utf8_lossy(bytes);
        if matches!(text, std::borrow::Cow::Owned(_)) {
            self.notice("bytes that are not UTF-8 were replaced");
        }
        Ok(text)
    }

    fn notice(&mut self, text: impl Into<String>) {
        if self.notices.len() < NOTICES_MAX {
            self.notices.push(text.into());
        } else {
            self.more += 1;
        }
    }

    fn row(&mut self, row: Reading) -> Result<(), ReadingsError> {
        if self.rows.len() >= ROWS_MAX {
            return self.error(format!("it has more than {ROWS_MAX} rows"));
        }
        self.rows.push(row);
        Ok(())
    }

    /// Ends the log: rows that claim the same thing are used not at all.
    fn finish(mut self) -> Readings {
        let mut places: BTreeMap<(&str, &str, &str), Vec<usize>> = BTreeMap::new();
        for (i, r) in self.rows.iter().enumerate() {
            let damaged = r.failure.as_ref().map(|f| f.kind) == Some(RowFailureKind::Unreadable);
            if !(damaged && r.workload.is_empty()) {
                let key = (r.group.as_str(), r.workload.as_str(), r.tag.as_str());
                places.entry(key).or_default().push(i);
            }
        }
        let twice: Vec<Vec<usize>> = places.into_values().filter(|p| p.len() > 1).collect();
        for same in twice {
            let Some(first) = same.first().and_then(|i| self.rows.get(*i)) else {
                continue;
            };
            let at: Vec<String> = same
                .iter()
                .filter_map(|i| self.rows.get(*i))
                .filter(|r| r.line > 0)
                .take(5)
                .map(|r| r.line.to_string())
                .collect();
            let at = match at.as_slice() {
                [] => String::new(),
                lines => format!(" (lines {})", lines.join(", ")),
            };
            let message = format!(
                "{} stands there {} times{at}; none of them is used",
                first.title(),
                same.len()
            );
            self.notice(message.clone());
            for i in same {
                if let Some(row) = self.rows.get_mut(i) {
                    *row = row
                        .clone()
                        .failed(RowFailureKind::Duplicate, message.clone());
                }
            }
        }
        if self.more > 0 {
            self.notices.push(format!("and {} more notices", self.more));
        }
        Readings {
            kind: self.kind,
            facts: self.facts,
            rows: self.rows,
            notices: self.notices,
        }
    }
}

fn joined(params: &[(String, String)]) -> String {
    let parts: Vec<String> = params.iter().map(|(k, v)| format!("{k}={v}")).collect();
    parts.join(", ")
}

/// Whether a time can be believed.
fn believed(ns: f64) -> bool {
    (LEAST_NS..=GREATEST_NS).contains(&ns)
}
