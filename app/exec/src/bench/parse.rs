//! Reading times from the output of a program that does not speak the protocol.
//!
//! The log is read as data first; then each workload takes its row, and only one row may be it.

use std::collections::BTreeSet;

use assay_core::campaign::{BenchParse, Covers, Delimiter, ParseKind, Template};
use assay_core::text::inert;
use assay_core::units::TimeUnit;
use regex::Regex;

use crate::ExecError;
use crate::plan::{WorkloadSpec, number_text};
use crate::readings::{self, Columns, Reading, Readings, Taken};

/// How the output of a program becomes legs.
#[derive(Debug, Clone)]
pub struct StdoutParse {
    spec: BenchParse,
    pattern: Option<Regex>,
}

/// The times of one workload in one output.
#[derive(Debug, Clone, PartialEq)]
pub struct LegTimes {
    /// Workload of the campaign.
    pub workload: String,
    /// Unit of values and tick; what is written of the tick is in nanoseconds.
    pub unit: TimeUnit,
    /// Times as printed, one or more.
    pub values: Vec<f64>,
    /// What the coarsest of them was printed to.
    pub tick: f64,
    /// How they were taken: `reported`, and what the log says beyond that.
    pub timer: String,
    /// What a single figure sums up, e.g. `median of 50`; absent for samples.
    pub statistic: Option<String>,
}

impl StdoutParse {
    /// The rules of a campaign.
    ///
    /// # Errors
    /// When the pattern is no regular expression, has no group, or a unit is missing.
    pub fn new(spec: &BenchParse) -> Result<Self, ExecError> {
        let wrong = |text: String| Err(ExecError::Pattern(text));
        let mut pattern = None;
        if spec.kind == ParseKind::Regex {
            let regex = regex::RegexBuilder::new(&spec.pattern)
                .multi_line(true)
                .build()
                .map_err(|e| ExecError::Pattern(e.to_string()))?;
            if regex.captures_len() < 2 {
                return wrong(
                    "it has no group; write one around the time, e.g. `time: ([0-9.]+)`".into(),
                );
            }
            pattern = Some(regex);
        }
        let needs = matches!(
            spec.kind,
            ParseKind::Regex | ParseKind::Csv | ParseKind::Json | ParseKind::Markdown
        );
        if needs && spec.unit.is_none() {
            return wrong("the unit of the time is missing: one of ns, us, ms, s".into());
        }
        Ok(Self {
            spec: spec.clone(),
            pattern,
        })
    }

    /// A pattern (multi-line: `^` and `$` match at lines) and a unit (`ns`, `us`, `ms`, `s`).
    ///
    /// # Errors
    /// As [`StdoutParse::new`], and when the unit is not known.
    pub fn regex(pattern: &str, unit: &str) -> Result<Self, ExecError> {
        let unit = unit.parse().map_err(|_| {
            ExecError::Pattern(format!("unit `{unit}` is not one of ns, us, ms, s"))
        })?;
        Self::new(&BenchParse {
            kind: ParseKind::Regex,
            pattern: pattern.to_owned(),
            value: Template::parse("").map_err(ExecError::Pattern)?,
            unit: Some(unit),
            labels: Vec::new(),
            tag_column: None,
            tag: None,
            group: None,
            row: None,
            covers: Covers::One,
            delimiter: Delimiter::Comma,
        })
    }

    /// Whether one process of the program covers all workloads.
    pub fn covers_all(&self) -> bool {
        self.spec.covers == Covers::All
    }

    /// The times of each of `workloads`, in their order.
    ///
    /// # Errors
    /// A sentence for people: the output cannot be read, a workload has no row, more than one, or
    /// one without a time.
    pub fn legs(&self, output: &[u8], workloads: &[WorkloadSpec]) -> Result<Vec<LegTimes>, String> {
        let readings = self.read(output, workloads)?;
        let rows: Vec<&Reading> = readings.rows.iter().filter(|r| self.counts(r)).collect();
        if rows.is_empty() {
            return Err(format!(
                "none of the {} rows of the output has {}; there are {}",
                readings.rows.len(),
                self.wanted(),
                names(&readings.rows.iter().collect::<Vec<_>>(), |r| [
                    &r.group, &r.tag
                ])
            ));
        }
        workloads.iter().map(|w| self.leg(w, &rows)).collect()
    }

    fn read(&self, output: &[u8], workloads: &[WorkloadSpec]) -> Result<Readings, String> {
        let spec = &self.spec;
        let unit = spec.unit.unwrap_or(TimeUnit::Ns);
        let value = || spec.value.fill(|_| None).unwrap_or_default();
        let columns = || Columns {
            value: value(),
            unit,
            labels: spec.labels.clone(),
            tag: spec.tag_column.clone(),
        };
        let read = match (spec.kind, &self.pattern) {
            (ParseKind::Regex, Some(pattern)) => readings::regex(output, pattern, unit),
            (ParseKind::Csv, _) => readings::csv(output, &columns(), spec.delimiter.byte()),
            (ParseKind::Markdown, _) => readings::markdown(output, &columns()),
            (ParseKind::Json, _) => {
                let pointers: Result<Vec<_>, String> = workloads
                    .iter()
                    .map(|w| {
                        let part =
                            |n: &str| Some(fill(w, n)?.replace('~', "~0").replace('/', "~1"));
                        let pointer = spec.value.fill(part);
                        Ok((
                            w.name.clone(),
                            pointer.ok_or_else(|| unknown(&spec.value, w))?,
                        ))
                    })
                    .collect();
                readings::pointed(output, &pointers?, unit)
            }
            (ParseKind::GoogleBenchmark, _) => readings::google_benchmark(output, &value()),
            (ParseKind::TileOps, _) => readings::tile_ops(output, &value()),
            (ParseKind::NvBench, _) => readings::nv_bench(output, &value(), &mut |_| None),
            (kind, _) => readings::read(kind, output),
        };
        read.map_err(|e| e.to_string())
    }

    /// Whether a row is of the tag and group that count. A row too damaged to tell counts.
    fn counts(&self, row: &Reading) -> bool {
        let is = |wanted: &Option<String>, has: &str| wanted.as_ref().is_none_or(|w| w == has);
        let damaged = row.failure.is_some() && row.workload.is_empty();
        (is(&self.spec.tag, &row.tag) || (damaged && row.tag.is_empty()))
            && is(&self.spec.group, &row.group)
    }

    fn wanted(&self) -> String {
        let part = |what: &str, value: &Option<String>| {
            let value = value.as_ref()?;
            Some(format!("{what} `{}`", inert(value)))
        };
        let parts = [part("group", &self.spec.group), part("tag", &self.spec.tag)];
        parts
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" and ")
    }

    fn leg(&self, workload: &WorkloadSpec, rows: &[&Reading]) -> Result<LegTimes, String> {
        let name = match (&self.spec.row, self.spec.kind) {
            (_, ParseKind::Json) => Some(workload.name.clone()),
            (None, _) => None,
            (Some(row), _) => {
                let text = row.fill(|n| fill(workload, n));
                Some(text.ok_or_else(|| unknown(row, workload))?)
            }
        };
        let found: Vec<&Reading> = rows
            .iter()
            .copied()
            .filter(|r| name.as_ref().is_none_or(|n| *n == r.workload))
            .collect();
        let row = match (found.as_slice(), &name) {
            ([row], _) => *row,
            ([], name) => {
                let damaged = rows
                    .iter()
                    .find(|r| r.workload.is_empty() && r.failure.is_some());
                let damaged = damaged.and_then(|r| Some((r.line, r.failure.as_ref()?)));
                let also = match damaged {
                    Some((line, f)) => format!("; line {line} is damaged: {}", inert(&f.message)),
                    None => String::new(),
                };
                return Err(format!(
                    "no row of the output is called `{}`; there are {}{also}",
                    inert(name.as_deref().unwrap_or_default()),
                    names(rows, |r| [&r.workload, ""])
                ));
            }
            (several, _) => {
                return Err(format!(
                    "{} rows of the output can be workload {}: {}; choose with `row`, `tag` and `group` of [bench.parse]",
                    several.len(),
                    inert(&workload.name),
                    names(several, |r| [&r.workload, &r.tag])
                ));
            }
        };
        if let Some(failure) = &row.failure {
            let at = match row.line {
                0 => String::new(),
                line => format!(" (line {line} of the output)"),
            };
            return Err(format!(
                "workload {} has no time, {}: {}{at}",
                inert(&workload.name),
                failure.kind.name(),
                inert(&failure.message)
            ));
        }
        Ok(LegTimes {
            workload: workload.name.clone(),
            unit: row.unit,
            values: row.times.iter().map(|t| t.value).collect(),
            tick: row.times.iter().map(|t| t.quantum).fold(0.0, f64::max),
            timer: match row.marks.as_slice() {
                [] => "reported".into(),
                marks => format!("reported, {}", inert(&marks.join(", "))),
            },
            statistic: match &row.taken {
                Taken::Samples => None,
                summary => Some(summary.to_string()),
            },
        })
    }
}

/// What a name in a template stands for.
fn fill(workload: &WorkloadSpec, name: &str) -> Option<String> {
    match name {
        "name" => Some(workload.name.clone()),
        "dtype" => Some(workload.dtype.clone()),
        dim => workload.dims.get(dim).map(|v| number_text(*v)),
    }
}

fn unknown(template: &Template, workload: &WorkloadSpec) -> String {
    format!(
        "`{}` uses a name that workload {} does not have",
        inert(&template.to_string()),
        inert(&workload.name)
    )
}

/// Up to eight names of rows, for a message.
fn names<'r, 's: 'r>(
    rows: &'r [&'s Reading],
    parts: impl Fn(&'s Reading) -> [&'s str; 2],
) -> String {
    let mut list: Vec<String> = Vec::new();
    let mut seen = BTreeSet::new();
    for row in rows {
        let parts = parts(row);
        let text = parts
            .iter()
            .filter(|p| !p.is_empty())
            .copied()
            .collect::<Vec<_>>()
            .join(" / ");
        let text = match text.as_str() {
            "" => format!("line {}", row.line),
            text => format!("`{}`", inert(text)),
        };
        if seen.insert(text.clone()) && list.len() < 8 {
            list.push(text);
        }
    }
    let more = seen.len() - list.len();
    match more {
        0 => list.join(", "),
        n => format!("{} and {n} more", list.join(", ")),
    }
}

#[cfg(test)]
mod tests;
