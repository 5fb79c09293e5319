//! Google Benchmark, `--benchmark_format=json`.
//!
//! Repetitions share a name and are the samples of one row; each is the mean of a timed batch.
//! Where a file holds aggregates alone, the median (or else the mean) stands for the row.

use std::collections::{BTreeMap, BTreeSet};

use assay_core::campaign::ParseKind;
use assay_core::text::inert;
use assay_core::units::TimeUnit;

use super::json::{self, Node};
use super::{Collect, Extra, Reading, Readings, ReadingsError, RowFailureKind, Taken};

/// Which time counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Clock {
    Real,
    Cpu,
}

impl Clock {
    fn key(self) -> &'static str {
        match self {
            Self::Real => "real_time",
            Self::Cpu => "cpu_time",
        }
    }
}

/// Keys that are no counters of the user.
const KNOWN: &[&str] = &[
    "name",
    "run_name",
    "run_type",
    "real_time",
    "cpu_time",
    "time_unit",
    "aggregate_name",
    "aggregate_unit",
    "family_index",
    "per_family_instance_index",
    "repetition_index",
    "error_occurred",
    "error_message",
    "skipped",
    "skip_message",
];

const SUFFIXES: &[&str] = &["mean", "median", "stddev", "cv", "min", "max"];

/// What a benchmark of one name came to.
#[derive(Default)]
struct Named<'n, 'a> {
    runs: Vec<&'n Node<'a>>,
    aggregates: BTreeMap<String, &'n Node<'a>>,
}

/// Reads a document.
pub(super) fn read(bytes: &[u8], clock: Clock) -> Result<Readings, ReadingsError> {
    let mut all = Collect::new(ParseKind::GoogleBenchmark);
    let text = all.text(bytes)?;
    let root = match json::read(&text) {
        Ok(root) => root,
        Err(why) => return all.error(why),
    };
    let Some(Node::List(list)) = root.get("benchmarks") else {
        return all.error("there is no list `benchmarks`");
    };
    for (name, value) in root.get("context").map_or(&[][..], Node::members) {
        let printed = value.printed();
        if !printed.is_empty() {
            all.facts.push((name.to_string(), printed.to_owned()));
        }
        if name == "cpu_scaling_enabled" && value.is_true() {
            all.notice("the clock of the CPU was free to change (cpu_scaling_enabled)");
        }
        if name == "library_build_type" && printed == "debug" {
            all.notice("the benchmark library was built for debugging");
        }
    }
    let mut order: Vec<String> = Vec::new();
    let mut named: BTreeMap<String, Named<'_, '_>> = BTreeMap::new();
    let plain: BTreeSet<&str> = list.iter().filter_map(|n| n.get("name")?.text()).collect();
    for node in list {
        let Some(name) = node.get("name").and_then(Node::text) else {
            all.row(
                Reading::new(TimeUnit::Ns, 0)
                    .failed(RowFailureKind::Unreadable, "a benchmark without a name"),
            )?;
            continue;
        };
        let (base, aggregate) = split(node, name, &plain);
        if !named.contains_key(&base) {
            order.push(base.clone());
        }
        let entry = named.entry(base).or_default();
        match aggregate {
            None => entry.runs.push(node),
            Some(what) => {
                entry.aggregates.insert(what, node);
            }
        }
    }
    for name in order {
        let Some(found) = named.get(&name) else {
            continue;
        };
        if let Some(row) = row(&name, found, clock) {
            all.row(row)?;
        }
    }
    if all.rows.is_empty() {
        return all.error("it holds no benchmark; does the filter match none?");
    }
    drop(named);
    drop(root);
    drop(text);
    Ok(all.finish())
}

/// The name of the benchmark, and which aggregate the entry is, if it is one. Old files do not say
/// so: there the end of the name does.
fn split(node: &Node<'_>, name: &str, all: &BTreeSet<&str>) -> (String, Option<String>) {
    let text = |key: &str| node.get(key).and_then(Node::text);
    match text("run_type") {
        Some("aggregate") => {
            let what = text("aggregate_name").unwrap_or_default().to_owned();
            let base = name.strip_suffix(&format!("_{what}")).unwrap_or(name);
            (base.to_owned(), Some(what))
        }
        Some(_) => (name.to_owned(), None),
        None => {
            let has = |base: &str, end: &str| all.contains(format!("{base}{end}").as_str());
            let fits = ["BigO", "RMS"].iter().chain(SUFFIXES).find_map(|s| {
                let base = name.strip_suffix(s)?.strip_suffix('_')?;
                let is_aggregate = match *s {
                    "BigO" | "RMS" => node.get("iterations").is_none(),
                    // A benchmark may be called `..._min`; aggregates come in company.
                    _ => has(base, "_mean") && (has(base, "") || has(base, "_stddev")),
                };
                is_aggregate.then(|| (base.to_owned(), Some((*s).to_owned())))
            });
            fits.unwrap_or((name.to_owned(), None))
        }
    }
}

/// The row of a benchmark; `None` for what is no time, such as a fit of complexity alone.
fn row(name: &str, found: &Named<'_, '_>, clock: Clock) -> Option<Reading> {
    let (nodes, taken) = if found.runs.is_empty() {
        let what = ["median", "mean"]
            .into_iter()
            .find(|w| found.aggregates.contains_key(*w))?;
        let node = found.aggregates.get(what)?;
        let of = node.get("repetitions").or_else(|| node.get("iterations"));
        let taken = Taken::Summary {
            statistic: what.into(),
            of: of.and_then(Node::count),
        };
        (vec![*node], taken)
    } else {
        (found.runs.clone(), Taken::Samples)
    };
    let first = *nodes.first()?;
    let mut row = Reading {
        workload: name.to_owned(),
        taken,
        ..Reading::new(TimeUnit::Ns, 0)
    };
    for (key, value) in first.members() {
        if !KNOWN.contains(&key.as_ref()) && !value.printed().is_empty() {
            row.extras.push(Extra::new(key, value.printed()));
        }
    }
    for node in &nodes {
        let text = |key: &str| node.get(key).map_or("", Node::printed);
        let skipped = node
            .get("skipped")
            .is_some_and(|n| !["", "false"].contains(&n.printed()));
        if node.get("error_occurred").is_some_and(Node::is_true) || text("skipped") == "error" {
            let why = format!("the benchmark reported: {}", inert(text("error_message")));
            return Some(row.failed(RowFailureKind::Error, why));
        }
        if skipped {
            let why = [text("skip_message"), text("error_message")].concat();
            let why = format!("the benchmark was skipped: {}", inert(&why));
            return Some(row.failed(RowFailureKind::Skipped, why));
        }
    }
    let mut units = nodes
        .iter()
        .map(|n| n.get("time_unit").map_or("", Node::printed));
    let unit = units.next().unwrap_or("");
    if units.any(|u| u != unit) {
        return Some(row.failed(
            RowFailureKind::Unreadable,
            "its repetitions are in different units",
        ));
    }
    match unit.parse::<TimeUnit>() {
        Ok(unit) => row.unit = unit,
        Err(_) => {
            let why = format!("unit `{}` is not one of ns, us, ms, s", inert(unit));
            return Some(row.failed(RowFailureKind::Unreadable, why));
        }
    }
    let times: Result<Vec<&str>, String> = nodes
        .iter()
        .map(|n| n.only(clock.key()).map(Node::printed))
        .collect();
    Some(match times {
        Ok(times) => row.timed_json(times),
        Err(why) => row.failed(RowFailureKind::Unreadable, why),
    })
}
