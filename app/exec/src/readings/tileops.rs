//! The report of a TileOPs benchmark session, `profile_run.log`: Markdown with a section for each
//! operator, in it one for each tag, in it a table with a row for each workload.
//!
//! Latencies have four decimals of a millisecond: a kernel of 3.5 us reads 0.0035, good to 1.4 %.

use assay_core::campaign::ParseKind;
use assay_core::text::inert;
use assay_core::units::TimeUnit;

use super::grid::{Block, Grid, blocks, is_none};
use super::{Collect, Extra, Reading, Readings, ReadingsError, RowFailureKind, Taken, joined};

const TITLE: &str = "TileOPs Benchmark Report";

/// What a column of results, and no parameter of a workload, ends with.
const RESULTS: &[&str] = &[
    "_ms",
    "_us",
    "_ns",
    "_tbs",
    "_gbs",
    "tflops",
    "gflops",
    "n_kernels",
];

/// Whether a line of a log is its title.
pub(super) fn is_title(line: &str) -> bool {
    let text = line.trim_end().trim_start_matches('#').trim();
    line.starts_with('#') && text.eq_ignore_ascii_case(TITLE)
}

/// Reads a report, which may stand in the output of a test run. `wanted` is the column with the
/// time, or empty for the latency.
pub(super) fn read(bytes: &[u8], wanted: &str) -> Result<Readings, ReadingsError> {
    let mut all = Collect::new(ParseKind::TileOps);
    let text = all.text(bytes)?;
    let mut titled = false;
    let mut place = Place::default();
    for block in blocks(&text) {
        match block {
            Block::Heading { level: 1, text } => {
                titled |= text.eq_ignore_ascii_case(TITLE);
                place = Place::default();
            }
            Block::Heading { level: 2, text } => {
                place = Place {
                    environment: text == "Environment",
                    op: text,
                    ..Place::default()
                };
            }
            Block::Heading { text, .. } => {
                place.marks = mark(&text).into_iter().collect();
                place.from = all.rows.len();
                place.tag = text;
            }
            Block::Line(line) => place.line(&line, &mut all),
            Block::Table(grid) => place.table(&grid, wanted, &mut all)?,
        }
    }
    if !titled {
        return all.error(format!("the heading `# {TITLE}` is missing"));
    }
    if all.rows.is_empty() {
        let why = all.notices.first().cloned().unwrap_or_default();
        return all.error(format!("it has no table with times; {why}"));
    }
    let busy = |e: &Extra| e.name == "device_busy_ms";
    if wanted.is_empty() && all.rows.iter().any(|r| r.extras.iter().any(busy)) {
        all.notice("the time read is the latency; the log also has `device_busy_ms`, without the gaps between kernels");
    }
    let marked = all.rows.iter().filter(|r| !r.marks.is_empty()).count();
    if marked > 0 {
        all.notice(format!(
            "{marked} rows are marked as timed by another way than the rest (a fallback to events adds \
             the cost of launching); they do not compare with rows that are not"
        ));
    }
    drop(text);
    Ok(all.finish())
}

/// Where in the report a line stands.
#[derive(Default)]
struct Place {
    environment: bool,
    op: String,
    tag: String,
    /// Marks of the section.
    marks: Vec<String>,
    /// First row of the section.
    from: usize,
}

impl Place {
    fn line(&mut self, line: &str, all: &mut Collect) {
        let fact = line.trim_start_matches(['-', '*', ' ']).replace("**", "");
        if self.environment || fact.starts_with("Generated:") {
            match fact.split_once(':') {
                Some((name, value)) => all
                    .facts
                    .push((name.trim().to_owned(), value.trim().to_owned())),
                None => all.notice(fact),
            }
        } else if let Some(mark) = mark(line) {
            // A remark under a table is about the rows above it.
            for row in all.rows.iter_mut().skip(self.from) {
                row.marks.push(mark.clone());
            }
            self.marks.push(mark);
        }
    }

    fn table(&self, grid: &Grid, wanted: &str, all: &mut Collect) -> Result<(), ReadingsError> {
        let latency = (0..).zip(&grid.header).find_map(|(i, name)| {
            let rest = match wanted {
                "" => name.strip_prefix("latency")?,
                wanted => name.strip_prefix(wanted).map(|_| wanted)?,
            };
            let unit = rest.rsplit('_').next().unwrap_or_default();
            (wanted.is_empty() || name == wanted).then_some((
                i,
                name,
                unit.parse::<TimeUnit>().ok(),
            ))
        });
        let Some((at, name, unit)) = latency else {
            let column = if wanted.is_empty() {
                "of a latency"
            } else {
                wanted
            };
            all.notice(format!(
                "the table under `{}` has no column {} and is left out",
                inert(&self.op),
                inert(column)
            ));
            return Ok(());
        };
        for row in &grid.rows {
            let mut reading = Reading {
                group: self.op.clone(),
                tag: self.tag.clone(),
                marks: self.marks.clone(),
                taken: Taken::Summary {
                    statistic: "median of trial means".into(),
                    of: None,
                },
                ..Reading::new(unit.unwrap_or(TimeUnit::Ms), row.line)
            };
            if let Some(why) = &row.damage {
                all.row(reading.failed(RowFailureKind::Unreadable, why.clone()))?;
                continue;
            }
            let is_result = |name: &str| RESULTS.iter().any(|end| name.ends_with(end));
            let mut results = Vec::new();
            for (i, (name, text)) in grid.header.iter().zip(&row.cells).enumerate() {
                if i < at && !is_result(name) {
                    reading.params.push((name.clone(), text.clone()));
                } else if i != at {
                    results.push((name, text));
                }
            }
            reading.workload = joined(&reading.params);
            for (name, text) in results {
                let lower = name.to_ascii_lowercase();
                let flag = ["fallback", "timer", "timing"]
                    .iter()
                    .any(|w| lower.contains(w));
                let off = is_none(text)
                    || ["false", "no", "0", "cupti", "kineto"]
                        .contains(&text.to_lowercase().as_str());
                if flag && !off {
                    reading.marks.push(format!("{name}: {text}"));
                } else if let (false, Some(mark)) = (flag, mark(text)) {
                    reading.marks.push(mark);
                }
                reading.extras.push(Extra::new(name, text));
            }
            let printed = row.cells.get(at).map_or("", String::as_str);
            let (figure, remark) = match printed.split_once([' ', '(', '*']) {
                Some((figure, _)) if mark(printed).is_some() => (figure, mark(printed)),
                _ => (printed, None),
            };
            reading.marks.extend(remark);
            all.row(if unit.is_none() {
                let why = format!("column `{}` does not say its unit", inert(name));
                reading.failed(RowFailureKind::Unreadable, why)
            } else if is_none(figure) {
                let why = format!("the log has `{}` for its latency", inert(figure));
                reading.failed(RowFailureKind::NotAvailable, why)
            } else {
                reading.timed([figure])
            })?;
        }
        Ok(())
    }
}

/// A remark that the time was taken in another way.
fn mark(text: &str) -> Option<String> {
    let found = text.to_ascii_lowercase().contains("fallback");
    found.then(|| text.trim().to_owned())
}
