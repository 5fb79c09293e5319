//! Imported benchmark logs, as a report shows them.

use serde::{Deserialize, Serialize};

/// A benchmark log as a table: a row for each workload, a cell for each subject.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LogTable {
    /// Record id.
    pub record: String,
    /// When it was imported, RFC 3339.
    pub at: String,
    /// Who imported it.
    pub by: String,
    /// Name of the file.
    pub name: String,
    /// Form of the log, e.g. `tileops`.
    pub kind: String,
    /// The device, where the log names one.
    pub device: Option<String>,
    /// The target that it is said to be from.
    pub target: Option<String>,
    /// What whoever imported it says about it.
    pub note: Option<String>,
    /// What the log says about its machine and run.
    pub facts: Vec<LogFact>,
    /// What was timed.
    pub subjects: Vec<String>,
    /// Subjects that the others are held against.
    pub baselines: Vec<String>,
    /// The rows in the order of the log.
    pub rows: Vec<LogRow>,
    /// Each subject against each baseline over all rows that both have.
    pub summaries: Vec<LogSummary>,
    /// Rows without a time, the first ones.
    pub problems: Vec<LogProblem>,
    /// How many rows have none.
    pub failed: u64,
    /// What a person should know.
    pub notices: Vec<String>,
    /// Why the rows are not here.
    pub missing: Option<String>,
}

/// Something that a log says about its machine and run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LogFact {
    /// Name as printed.
    pub name: String,
    /// Text as printed.
    pub value: String,
}

/// One workload of a log.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LogRow {
    /// Operator, heading, benchmark or tuning run.
    pub group: String,
    /// Name in the log.
    pub workload: String,
    /// The workload of the campaign that it is.
    pub campaign_workload: Option<String>,
    /// A cell for each subject; absent where the log has no row.
    pub cells: Vec<Option<LogCell>>,
}

/// One workload of one subject.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LogCell {
    /// Line of the log from 1; 0 where a row is no line.
    pub line: u64,
    /// The time; absent where there is a failure.
    pub time: Option<LogTime>,
    /// Against each baseline that it compares with.
    pub speedups: Vec<LogSpeedup>,
    /// 10^12 floating-point operations a second.
    pub tflops: Option<LogRate>,
    /// 10^9 bytes a second.
    pub gbs: Option<LogRate>,
    /// A speed-up that the log prints and that no other subject of the row bears out.
    pub printed_speedup: Option<LogDisagreement>,
    /// What sets the time apart.
    pub marks: Vec<String>,
    /// Why there is no time.
    pub failure: Option<String>,
}

/// A printed time with the range that its digits leave.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LogTime {
    /// Nanoseconds; the median where the log has samples.
    pub ns: f64,
    /// Least time that is printed like this, in nanoseconds.
    pub low_ns: f64,
    /// Greatest time that is printed like this, in nanoseconds.
    pub high_ns: f64,
    /// As printed, with its unit.
    pub printed: String,
    /// What it stands for, e.g. `median of 50`.
    pub taken: String,
}

/// Time of a baseline over that of the subject: above 1 is faster.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LogSpeedup {
    /// The baseline.
    pub baseline: String,
    /// From the figures as printed.
    pub value: f64,
    /// Least that the printed digits leave.
    pub low: f64,
    /// Greatest that the printed digits leave.
    pub high: f64,
    /// The times differ by more than one display digit.
    pub is_told: bool,
}

/// A rate and where it is from.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LogRate {
    /// The rate: by formula and time, or as printed.
    pub value: f64,
    /// `formula` or `printed`.
    pub from: String,
    /// As shown: digits that the time supports, or the text of the log.
    pub text: String,
    /// The column of the log, of a printed one.
    pub column: Option<String>,
    /// What the log prints, where that cannot be.
    pub disagreement: Option<LogDisagreement>,
}

/// A printed figure that the others do not bear out.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LogDisagreement {
    /// The column of the log.
    pub column: String,
    /// As printed.
    pub printed: String,
    /// What it should be, in the unit of the log.
    pub computed: f64,
    /// Least that the printed digits of the time leave.
    pub low: f64,
    /// Greatest that the printed digits of the time leave.
    pub high: f64,
    /// Printed over computed.
    pub factor: f64,
}

/// A subject against a baseline over the rows that both have.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LogSummary {
    /// Operator, heading, benchmark or tuning run.
    pub group: String,
    /// The subject.
    pub subject: String,
    /// The baseline.
    pub baseline: String,
    /// Geometric mean of the speed-ups, each row counted once; absent without a matched row.
    pub geomean: Option<f64>,
    /// Geometric mean of the least ones.
    pub low: Option<f64>,
    /// Geometric mean of the greatest ones.
    pub high: Option<f64>,
    /// Rows that both have.
    pub matched: u64,
    /// Rows on which the subject is faster by more than one display digit.
    pub wins: u64,
    /// Rows on which it is slower by more than one display digit.
    pub losses: u64,
    /// Rows on which the digits do not tell.
    pub untold: u64,
    /// Rows that only one of them has a time for, or that were timed in different ways.
    pub unmatched: u64,
}

/// A row without a time.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LogProblem {
    /// Line of the log from 1; 0 where a row is no line.
    pub line: u64,
    /// What the row is called.
    pub row: String,
    /// Kind of reason.
    pub kind: String,
    /// Why.
    pub message: String,
}

impl LogTable {
    /// The subjects that are held against baselines; all of them where there is none.
    pub(crate) fn others(&self) -> Vec<(usize, &str)> {
        let all = self.subjects.iter().enumerate();
        all.filter(|(_, s)| !self.baselines.contains(s))
            .map(|(i, s)| (i, s.as_str()))
            .collect()
    }

    /// Unit of the times in a table, and nanoseconds in it: the one in which the least time is
    /// one or more.
    pub(crate) fn unit(&self) -> (&'static str, f64) {
        let cells = self.rows.iter().flat_map(|r| r.cells.iter().flatten());
        let times = cells.filter_map(|c| c.time.as_ref()).map(|t| t.ns);
        match times.reduce(f64::min) {
            Some(ns) if ns >= 1e9 => ("s", 1e9),
            Some(ns) if ns >= 1e6 => ("ms", 1e6),
            Some(ns) if ns < 1e3 => ("ns", 1.0),
            _ => ("µs", 1e3),
        }
    }
}
