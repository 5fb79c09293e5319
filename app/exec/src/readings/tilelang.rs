//! What TileLang's autotuner prints: one line for each configuration, among bars of progress.
//!
//! Latencies are milliseconds. Programs around the tuner print the best one as seconds, which is
//! wrong by a factor of a thousand and is said here.

use std::collections::BTreeSet;

use assay_core::campaign::ParseKind;
use assay_core::text::inert;
use assay_core::units::TimeUnit;

use super::{Collect, Reading, Readings, ReadingsError, RowFailureKind, Taken, joined};

const TUNED: &str = "Tuned Latency ";
const WITH: &str = " with config ";
const FAILURES: &[(&str, RowFailureKind, &str)] = &[
    (
        "A timeout occurred while testing config ",
        RowFailureKind::Timeout,
        "the configuration took longer than the tuner waits",
    ),
    (
        "An error occurred while testing config ",
        RowFailureKind::Error,
        "the configuration failed when it was tested; autotuner.log says why",
    ),
    (
        "Compilation failed for config ",
        RowFailureKind::Error,
        "the configuration does not compile",
    ),
];

/// What a log of the tuner has at least one of.
pub(super) const MARKS: &[&str] = &[
    TUNED,
    "A timeout occurred while testing config ",
    "An error occurred while testing config ",
];

/// Reads a log or what was printed.
pub(super) fn read(bytes: &[u8]) -> Result<Readings, ReadingsError> {
    let mut all = Collect::new(ParseKind::TileLang);
    let text = all.text(bytes)?;
    let mut tuning = Tuning {
        run: 1,
        ..Tuning::default()
    };
    for (i, line) in text.lines().enumerate() {
        // A bar of progress is drawn over itself, and what is printed follows on its line.
        for piece in line.split('\r') {
            tuning.piece(piece, i + 1, &mut all)?;
        }
    }
    tuning.close(&mut all)?;
    if all.rows.is_empty() {
        return all.error("it has no line of the autotuner, such as `Tuned Latency 0.089 with config {…} at index 3`");
    }
    drop(text);
    Ok(all.finish())
}

/// One tuning run at a time.
#[derive(Default)]
struct Tuning {
    run: usize,
    seen: BTreeSet<String>,
    last: Option<(String, usize)>,
    /// Rows of the run so far.
    count: usize,
    best: Option<(String, usize, bool)>,
    config: Option<String>,
}

impl Tuning {
    fn piece(&mut self, piece: &str, line: usize, all: &mut Collect) -> Result<(), ReadingsError> {
        if let Some((_, rest)) = piece.split_once(TUNED) {
            return self.tuned(rest, line, all);
        }
        for (words, kind, message) in FAILURES {
            if let Some((_, rest)) = piece.split_once(words) {
                let end = rest
                    .find(", checkout autotuner.log")
                    .or_else(|| rest.find(" at index "))
                    .or_else(|| rest.find(" with error: "));
                let config = rest[..end.unwrap_or(rest.len())].trim();
                let cause = rest.split_once(" with error: ").map(|(_, e)| e.trim());
                let message = match cause {
                    Some(cause) => format!("{message}: {}", inert(cause)),
                    None => (*message).to_owned(),
                };
                self.begin(config, all)?;
                return all.row(self.row(config, line).failed(*kind, message));
            }
        }
        let lower = piece.to_ascii_lowercase();
        let told = |name: &str| -> Option<&str> {
            let at = lower.find(name)? + name.len();
            piece[at..].split_once(':').map(|(_, v)| v.trim())
        };
        if let Some(value) = told("best latency") {
            let seconds = lower.contains("best latency (s)");
            let value = value.split_whitespace().next().unwrap_or_default();
            self.best = Some((value.to_owned(), line, seconds));
        } else if let Some(config) = told("best config") {
            self.config = Some(config.to_owned());
        }
        Ok(())
    }

    /// `0.089 with config {…} at index 3`.
    fn tuned(&mut self, rest: &str, line: usize, all: &mut Collect) -> Result<(), ReadingsError> {
        let parts = rest.split_once(WITH).and_then(|(value, rest)| {
            let (config, index) = rest.rsplit_once(" at index ")?;
            let index = index.trim().split(' ').next()?;
            let is_index = !index.is_empty() && index.bytes().all(|b| b.is_ascii_digit());
            is_index.then_some((value.trim(), config.trim(), index))
        });
        let Some((value, config, index)) = parts else {
            let row = Reading::new(TimeUnit::Ms, line);
            return all.row(row.failed(RowFailureKind::Unreadable, "the line is cut off"));
        };
        let whole = format!("{value} {config} {index}");
        if self.last.as_ref().is_some_and(|(l, _)| *l == whole) {
            return Ok(());
        }
        self.last = Some((whole, line));
        self.begin(config, all)?;
        let mut row = self.row(config, line);
        row.extras.push(super::Extra::new("index", index));
        all.row(match value {
            "None" => row.failed(
                RowFailureKind::NotAvailable,
                "the tuner has no latency for it",
            ),
            "inf" => row.failed(
                RowFailureKind::Error,
                "the tuner gave it an infinite latency",
            ),
            value => row.timed([value]),
        })
    }

    /// A configuration that was there before belongs to another tuning run.
    fn begin(&mut self, config: &str, all: &mut Collect) -> Result<(), ReadingsError> {
        if self.best.is_some() || self.seen.contains(config) {
            self.close(all)?;
            self.run += 1;
            self.seen.clear();
            self.count = 0;
        }
        self.count += 1;
        self.seen.insert(config.to_owned());
        Ok(())
    }

    fn row(&self, config: &str, line: usize) -> Reading {
        let params = dict(config).unwrap_or_default();
        Reading {
            group: format!("run {}", self.run),
            workload: match params.as_slice() {
                [] => config.to_owned(),
                params => joined(params),
            },
            params,
            taken: Taken::Summary {
                statistic: "latency of the tuner".into(),
                of: None,
            },
            ..Reading::new(TimeUnit::Ms, line)
        }
    }

    /// Holds the best latency of a run, if it was printed, against its lines.
    fn close(&mut self, all: &mut Collect) -> Result<(), ReadingsError> {
        let Some((printed, line, seconds)) = self.best.take() else {
            return Ok(());
        };
        let config = self.config.take();
        if seconds {
            all.notice(format!(
                "line {line} prints the best latency as seconds; the tuner's latencies are milliseconds and are \
                 read as such, and a TFLOPS figure made from them as seconds is a thousandth of the true one"
            ));
        }
        let group = format!("run {}", self.run);
        if self.count == 0 {
            // Nothing was tuned: the result came from the cache, or the lines went elsewhere.
            self.run += 1;
            let config = config.unwrap_or_else(|| "best".into());
            let row = Reading {
                taken: Taken::Summary {
                    statistic: "least latency of the tuner".into(),
                    of: None,
                },
                group,
                ..self.row(&config, line)
            };
            return all.row(row.timed([printed.as_str()]));
        }
        let rows = all.rows.iter().filter(|r| r.group == group);
        let least = rows
            .filter_map(Reading::median_ns)
            .reduce(f64::min)
            .map(|ns| ns / 1e6);
        if let (Some(least), Ok(best)) = (least, super::Figure::read(&printed)) {
            let step = (best.quantum * 0.51).max(least * 1e-9);
            if (best.value - least).abs() > step {
                all.notice(format!(
                    "line {line} calls {} ms the best latency, and the least one above it is {least} ms",
                    best.value
                ));
            }
        }
        Ok(())
    }
}

/// The entries of a Python dict as it is printed; values keep their text.
fn dict(text: &str) -> Option<Vec<(String, String)>> {
    let inner = text.trim().strip_prefix('{')?.strip_suffix('}')?;
    let mut entries = vec![String::new()];
    let (mut depth, mut quote) = (0usize, None);
    for c in inner.chars() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (None, '(' | '[' | '{' | '<') => depth += 1,
            (None, ')' | ']' | '}' | '>') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                entries.push(String::new());
                continue;
            }
            _ => {}
        }
        entries.last_mut()?.push(c);
    }
    entries
        .iter()
        .filter(|e| !e.trim().is_empty())
        .map(|e| {
            let (key, value) = e.split_once(':')?;
            let bare = |s: &str| s.trim().trim_matches(['\'', '"']).to_owned();
            Some((bare(key), bare(value)))
        })
        .collect()
}
