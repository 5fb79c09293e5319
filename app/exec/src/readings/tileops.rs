//! The report of a TileOPs benchmark session, `profile_run.log`: Markdown with a section for each
//! operator, in it one for each tag, in it a table with a row for each workload.
//!
//! Latencies have four decimals of a millisecond: a kernel of 3.5 us reads 0.0035, good to 1.4 %.

use assay_core::campaign::ParseKind;
use assay_core::text::inert;
use assay_core::units::TimeUnit;

use super::grid::{Block, Grid, blocks, is_none};
use super::{Collect, Extra, Reading, Readings, ReadingsError, RowFailureKind, Taken, joined};

const TITLE: &str = "TileOps Benchmark Report";

/// Reads a report.
pub(super) fn read(bytes: &[u8]) -> Result<Readings, ReadingsError> {
    let mut all = Collect::new(ParseKind::TileOps);
    let text = all.text(bytes)?;
    let mut titled = false;
    let mut place = Place::default();
    for block in blocks(&text) {
        match block {
            Block::Heading { level: 1, text } => {
                titled |= text == TITLE;
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
            Block::Table(grid) => place.table(&grid, &mut all)?,
        }
    }
    if !titled {
        return all.error(format!("the heading `# {TITLE}` is missing"));
    }
    if all.rows.is_empty() {
        return all.error("it has no table with a latency");
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

    fn table(&self, grid: &Grid, all: &mut Collect) -> Result<(), ReadingsError> {
        let latency = (0..).zip(&grid.header).find_map(|(i, name)| {
            let unit = name.strip_prefix("latency")?;
            Some((
                i,
                name,
                unit.trim_start_matches('_').parse::<TimeUnit>().ok(),
            ))
        });
        let Some((at, name, unit)) = latency else {
            all.notice(format!(
                "the table under `{}` has no column of a latency and is left out",
                inert(&self.op)
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
            let named = grid.header.iter().zip(&row.cells);
            let pair = |(n, c): (&String, &String)| (n.clone(), c.clone());
            reading.params = named.clone().take(at).map(pair).collect();
            reading.workload = joined(&reading.params);
            for (name, text) in named.skip(at + 1) {
                let flag = name.to_ascii_lowercase().contains("fallback");
                let off =
                    is_none(text) || ["false", "no", "0"].contains(&text.to_lowercase().as_str());
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
