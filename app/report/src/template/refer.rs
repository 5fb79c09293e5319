//! What a reference in a template yields.

use assay_core::text::nearest;
use assay_core::view::{FigureRecords, FigureView, VariantRow};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

use super::Records;
use crate::ReportModel;
use crate::chapter::or_none;
use crate::doc::Line;
use crate::figure;

/// A value, and the record that it comes from.
pub(super) struct Found {
    pub text: Line,
    pub record: Option<String>,
}

/// What can be asked of the campaign.
const WORDS: [&str; 6] = ["title", "campaign", "champion", "device", "made", "tool"];

/// What can be asked of a variant.
const FIELDS: [&str; 13] = [
    "ratio",
    "speedup",
    "interval",
    "verdict",
    "against",
    "processes",
    "median",
    "why",
    "reason",
    "commit",
    "error",
    "counter",
    "fact",
];

/// Looks a reference up; what is wrong with it otherwise.
pub(super) fn resolve(
    m: &ReportModel,
    records: &Records,
    words: &[String],
) -> Result<Found, String> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let plain = |text| Ok(Found { text, record: None });
    match words.as_slice() {
        ["title"] => plain(Line::outside(&m.title)),
        ["campaign"] => plain(Line::outside(&m.list.campaign)),
        ["champion"] => plain(or_none(m.list.champion.as_deref())),
        ["device"] => plain(or_none(m.list.device.as_deref())),
        ["made"] => plain(or_none(Some(&figure::second(&m.generated_at)))),
        ["tool"] => plain(or_none(Some(&m.tool_version))),
        ["record", id, pointer] => record(records, id, pointer),
        ["record", ..] => Err("a record is asked for as `{{record ID /POINTER}}`".into()),
        [name, field, rest @ ..] => of_variant(m, name, field, rest),
        [word] => Err(unknown("reference", word, WORDS.into_iter())),
        [] => Err("an empty reference".into()),
    }
}

fn unknown<'a>(what: &str, word: &str, all: impl Iterator<Item = &'a str> + Clone) -> String {
    match nearest(word, all.clone()) {
        Some(near) => format!("no {what} `{word}`; did you mean `{near}`?"),
        None => {
            let all: Vec<&str> = all.take(20).collect();
            match all.is_empty() {
                true => format!("no {what} `{word}`; there is none"),
                false => format!("no {what} `{word}`; there are {}", all.join(", ")),
            }
        }
    }
}

fn record(records: &Records, id: &str, pointer: &str) -> Result<Found, String> {
    let whole = records
        .get(id)
        .ok_or_else(|| format!("no record `{id}` in this ledger"))?;
    let value = whole
        .pointer(pointer)
        .ok_or_else(|| format!("record {id} has nothing at `{pointer}`"))?;
    let text = match value {
        Value::String(t) => Line::outside(t),
        Value::Bool(b) => Line::outside(b.to_string()),
        Value::Number(n) => Line::own(n.as_f64().map_or_else(|| n.to_string(), figure::number)),
        _ => return Err(format!("`{pointer}` of record {id} is no single value")),
    };
    let record = Some(id.to_owned());
    Ok(Found { text, record })
}

fn of_variant(m: &ReportModel, name: &str, field: &str, rest: &[&str]) -> Result<Found, String> {
    let name = match (name, &m.list.champion) {
        ("champion", Some(champion)) => champion,
        ("champion", None) => return Err("there is no champion to refer to".into()),
        (name, _) => name,
    };
    let row = (m.list.variants.iter().find(|v| v.name == name)).ok_or_else(|| {
        unknown(
            "variant",
            name,
            m.list.variants.iter().map(|v| v.name.as_str()),
        )
    })?;
    let show = m.show(name);
    let none = FigureRecords::default();
    let records = show.map_or(&none, |s| &s.records);
    let from = |text: Line, record: &Option<String>| {
        let record = record.clone();
        Ok(Found { text, record })
    };
    match (field, rest) {
        ("ratio", []) => from(Line::own(figure::ratio(row.ratio)), &records.verdict),
        ("speedup", []) => from(Line::own(figure::speed_up(row.ratio)), &records.verdict),
        ("interval", []) => from(Line::own(figure::interval(row.interval)), &records.verdict),
        ("verdict", []) => from(or_none(row.verdict.as_deref()), &records.verdict),
        ("against", []) => from(or_none(row.against.as_deref()), &records.verdict),
        ("processes", []) => {
            let verdict = show.and_then(|s| s.verdict.as_ref());
            let count = verdict.map_or_else(|| figure::NONE.into(), |v| Line::count(v.processes));
            from(count, &records.verdict)
        }
        ("median", rest) => {
            let text = Line::own(median(m, row, rest)?);
            let of = |w: &str| match row.published.iter().any(|p| p == w) {
                true => Some(m.published_record(&row.name, w).to_owned()),
                false => records.measurement.clone(),
            };
            // A mean over workloads may be of several records.
            let of: BTreeSet<Option<String>> = match rest {
                [w, ..] => [of(w)].into(),
                [] => m.list.workloads.iter().map(|w| of(w)).collect(),
            };
            let ids: Vec<String> = of.into_iter().flatten().filter(|r| !r.is_empty()).collect();
            let record = (!ids.is_empty()).then(|| ids.join(", "));
            Ok(Found { text, record })
        }
        ("why", []) => from(or_none(Some(&row.why)), &records.declaration),
        ("reason", []) => {
            let reason = row.decision.as_ref().map(|d| d.reason.as_str());
            from(or_none(reason), &records.decision)
        }
        ("commit", []) => from(or_none(row.commit.as_deref()), &records.commit),
        ("error", [workload]) => {
            let checks = show.map_or(&[][..], |s| &s.checks);
            let check = (checks.iter().find(|c| c.workload == *workload)).ok_or_else(|| {
                unknown(
                    "checked workload",
                    workload,
                    checks.iter().map(|c| c.workload.as_str()),
                )
            })?;
            let error = check.max_abs_error;
            let text = error.map_or_else(|| figure::NONE.into(), |e| figure::with_unit(e, "1"));
            from(text, &records.check)
        }
        ("counter", [counter]) => self::counter(m, name, counter, None),
        ("counter", [counter, workload]) => self::counter(m, name, counter, Some(workload)),
        ("fact", [fact]) => from(figure_of(show.map(|s| &s.facts), fact)?, &records.source),
        ("counter", _) => Err("`counter` needs a name behind it, and may have a workload".into()),
        ("error" | "fact", _) => Err(format!("`{field}` needs one name behind it")),
        (known, _) if FIELDS.contains(&known) => Err(format!("nothing can stand behind `{known}`")),
        (field, _) => Err(unknown("figure", field, FIELDS.into_iter())),
    }
}

/// The newest figure of a counter, on a workload where that is said.
fn counter(
    m: &ReportModel,
    name: &str,
    counter: &str,
    workload: Option<&&str>,
) -> Result<Found, String> {
    let sets = m.counters_of(name).iter().rev();
    let sets = sets.filter(|s| workload.is_none_or(|w| s.workload == **w));
    let sets: Vec<_> = sets.collect();
    match sets.iter().find_map(|s| s.figures.get(counter)) {
        Some(c) => Ok(Found {
            text: figure::with_unit(c.value, &c.unit),
            record: Some(c.record.clone()),
        }),
        None => {
            let mut all: Vec<&str> = (sets.iter())
                .flat_map(|s| s.figures.keys().map(String::as_str))
                .collect();
            all.sort_unstable();
            all.dedup();
            Err(unknown("figure", counter, all.into_iter()))
        }
    }
}

/// The median on a workload, or the geometric mean of the medians on all.
fn median(m: &ReportModel, row: &VariantRow, rest: &[&str]) -> Result<String, String> {
    let workloads = &m.list.workloads;
    match rest {
        [] => Ok(figure::time(row.geomean_ns(workloads))),
        [w] if workloads.iter().any(|known| known == w) => {
            Ok(figure::time(row.median_ns.get(*w).copied()))
        }
        [w] => Err(unknown("workload", w, workloads.iter().map(String::as_str))),
        _ => Err("`median` takes one workload, or none for the geometric mean".into()),
    }
}

fn figure_of(all: Option<&BTreeMap<String, FigureView>>, name: &str) -> Result<Line, String> {
    let none = BTreeMap::new();
    let all = all.unwrap_or(&none);
    match all.get(name) {
        Some(f) => Ok(figure::with_unit(f.value, &f.unit)),
        None => Err(unknown("figure", name, all.keys().map(String::as_str))),
    }
}
