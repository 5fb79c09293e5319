//! A list as a data frame, and back. Nested things are JSON text; an empty one is null.

use std::collections::HashMap;

use polars::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

use assay_core::fold::{Contest, GateParts, State, gate_parts};
use assay_core::view::VariantRow;

use crate::error::{Error, Result};

/// Names of the columns of a list.
pub(crate) const COLUMNS: &[&str] = &[
    "id",
    "name",
    "parent",
    "parents",
    "status",
    "family",
    "knobs",
    "why",
    "commit",
    "median_ns",
    "published",
    "ratio",
    "low",
    "high",
    "against",
    "verdict",
    "screened",
    "gates",
    "failure",
    "later_failure",
    "decision",
    "updated_at",
];

/// The column of the ids of verdicts, which is no part of a list.
pub(crate) const VERDICT_RECORD: &str = "verdict_record";

/// The data frame of these rows, in their order.
pub(crate) fn to_frame(rows: &[VariantRow], state: &State) -> Result<DataFrame> {
    let text = |name: &str, f: &dyn Fn(&VariantRow) -> Option<String>| {
        Column::new(
            name.into(),
            rows.iter().map(f).collect::<Vec<Option<String>>>(),
        )
    };
    let number = |name: &str, f: &dyn Fn(&VariantRow) -> Option<f64>| {
        Column::new(
            name.into(),
            rows.iter().map(f).collect::<Vec<Option<f64>>>(),
        )
    };
    let some = |s: &str| (!s.is_empty()).then(|| s.to_owned());
    Ok(DataFrame::new(
        rows.len(),
        vec![
            text("id", &|r| some(&r.id)),
            text("name", &|r| Some(r.name.clone())),
            text("parent", &|r| r.parent.clone()),
            // One parent is the rule and stands in its own column.
            text("parents", &|r| json(&r.parents, r.parents.len() < 2)),
            text("status", &|r| Some(r.status.clone())),
            text("family", &|r| r.family.clone()),
            text("knobs", &|r| json(&r.knobs, r.knobs.is_empty())),
            text("why", &|r| some(&r.why)),
            text("commit", &|r| r.commit.clone()),
            text("median_ns", &|r| json(&r.median_ns, r.median_ns.is_empty())),
            text("published", &|r| json(&r.published, r.published.is_empty())),
            number("ratio", &|r| r.ratio),
            number("low", &|r| r.interval.map(|i| i[0])),
            number("high", &|r| r.interval.map(|i| i[1])),
            text("against", &|r| r.against.clone()),
            text("verdict", &|r| r.verdict.clone()),
            text("screened", &|r| json(&r.screened, r.screened.is_none())),
            text("gates", &|r| json(&r.gates, r.gates.is_empty())),
            text("failure", &|r| json(&r.failure, r.failure.is_none())),
            text("later_failure", &|r| {
                json(&r.later_failure, r.later_failure.is_none())
            }),
            text("decision", &|r| json(&r.decision, r.decision.is_none())),
            text("updated_at", &|r| Some(r.updated_at.clone())),
            text(VERDICT_RECORD, &|r| {
                Some(state.variant(&r.name)?.verdict?.to_string())
            }),
        ],
    )?)
}

fn json<T: Serialize>(value: &T, empty: bool) -> Option<String> {
    // These are plain data with text keys, which always can be written.
    (!empty)
        .then(|| serde_json::to_string(value).ok())
        .flatten()
}

/// The rows of a data frame, in its order.
///
/// On one thread: what takes time is memory for the texts, and two threads were measured to take
/// longer over 10,000 rows than one.
pub(crate) fn from_frame(df: &DataFrame) -> Result<Vec<VariantRow>> {
    let columns = Columns::of(df)?;
    (0..df.height()).map(|i| columns.row(i)).collect()
}

/// What the gates of these rows follow from, whoever is champion, by their names.
pub(crate) fn to_parts(rows: &[VariantRow], state: &State) -> Result<DataFrame> {
    let names: Vec<&str> = rows.iter().map(|r| r.name.as_str()).collect();
    let parts: Vec<Option<String>> = (rows.iter())
        .map(|r| gate_parts(state, &r.name).and_then(|p| json(&p, false)))
        .collect();
    let columns = vec![
        Column::new("name".into(), names),
        Column::new("parts".into(), parts),
    ];
    Ok(DataFrame::new(rows.len(), columns)?)
}

/// The rows with their gates held against another champion.
pub(crate) fn held_against(
    mut rows: DataFrame,
    parts: &DataFrame,
    place: Contest<'_>,
) -> Result<DataFrame> {
    let (of, all) = (parts.column("name")?.str()?, parts.column("parts")?.str()?);
    let by_name: HashMap<&str, &str> = (of.iter().zip(all.iter()))
        .filter_map(|(name, parts)| name.zip(parts))
        .collect();
    let names = rows.column("name")?.str()?;
    let gates: Vec<Option<String>> = (names.iter())
        .map(|name| {
            let parts = name.and_then(|n| by_name.get(n));
            let parts: Option<GateParts> = parts.map(|text| parse(text)).transpose()?;
            let gates = parts.map(|p| p.gates(place)).unwrap_or_default();
            Ok(json(&gates, gates.is_empty()))
        })
        .collect::<Result<_>>()?;
    rows.with_column(Column::new("gates".into(), gates))?;
    Ok(rows)
}

struct Columns<'a> {
    id: Texts<'a>,
    name: Texts<'a>,
    parent: Texts<'a>,
    parents: Texts<'a>,
    status: Texts<'a>,
    family: Texts<'a>,
    knobs: Texts<'a>,
    why: Texts<'a>,
    commit: Texts<'a>,
    median_ns: Texts<'a>,
    published: Texts<'a>,
    ratio: &'a Float64Chunked,
    low: &'a Float64Chunked,
    high: &'a Float64Chunked,
    against: Texts<'a>,
    verdict: Texts<'a>,
    screened: Texts<'a>,
    gates: Texts<'a>,
    failure: Texts<'a>,
    later_failure: Texts<'a>,
    decision: Texts<'a>,
    updated_at: Texts<'a>,
}

impl<'a> Columns<'a> {
    fn of(df: &'a DataFrame) -> Result<Self> {
        let text = |name: &str| -> Result<Texts<'a>> { Ok(Texts(df.column(name)?.str()?)) };
        let number = |name: &str| -> Result<&'a Float64Chunked> { Ok(df.column(name)?.f64()?) };
        Ok(Self {
            id: text("id")?,
            name: text("name")?,
            parent: text("parent")?,
            parents: text("parents")?,
            status: text("status")?,
            family: text("family")?,
            knobs: text("knobs")?,
            why: text("why")?,
            commit: text("commit")?,
            median_ns: text("median_ns")?,
            published: text("published")?,
            ratio: number("ratio")?,
            low: number("low")?,
            high: number("high")?,
            against: text("against")?,
            verdict: text("verdict")?,
            screened: text("screened")?,
            gates: text("gates")?,
            failure: text("failure")?,
            later_failure: text("later_failure")?,
            decision: text("decision")?,
            updated_at: text("updated_at")?,
        })
    }

    fn row(&self, i: usize) -> Result<VariantRow> {
        let parent = self.parent.owned(i);
        let interval = self.low.get(i).zip(self.high.get(i));
        Ok(VariantRow {
            id: self.id.owned(i).unwrap_or_default(),
            name: self.name.owned(i).unwrap_or_default(),
            parents: match self.parents.json(i)? {
                Some(several) => several,
                None => parent.iter().cloned().collect(),
            },
            parent,
            status: self.status.owned(i).unwrap_or_default(),
            family: self.family.owned(i),
            knobs: self.knobs.json(i)?.unwrap_or_default(),
            why: self.why.owned(i).unwrap_or_default(),
            commit: self.commit.owned(i),
            median_ns: self.median_ns.json(i)?.unwrap_or_default(),
            published: self.published.json(i)?.unwrap_or_default(),
            // Audits rest on the campaign file and on rules, which are no part of the ledger.
            doubted: Vec::new(),
            ratio: self.ratio.get(i),
            interval: interval.map(|(low, high)| [low, high]),
            against: self.against.owned(i),
            verdict: self.verdict.owned(i),
            screened: self.screened.json(i)?,
            // Branches are not part of the ledger.
            stale: false,
            gates: self.gates.json(i)?.unwrap_or_default(),
            failure: self.failure.json(i)?,
            later_failure: self.later_failure.json(i)?,
            decision: self.decision.json(i)?,
            updated_at: self.updated_at.owned(i).unwrap_or_default(),
        })
    }
}

/// The names of all variants.
pub(crate) fn names(df: &DataFrame) -> Result<Vec<String>> {
    let names = df.column("name")?.str()?;
    Ok(names.iter().flatten().map(str::to_owned).collect())
}

/// The names of the variants with published times, and whether they have a verdict too.
pub(crate) fn published(df: &DataFrame) -> Result<Vec<(String, bool)>> {
    let (name, published) = (df.column("name")?.str()?, df.column("published")?.str()?);
    let verdict = df.column(VERDICT_RECORD)?.str()?;
    let with = (0..df.height()).filter(|i| published.get(*i).is_some());
    Ok(with
        .filter_map(|i| Some((name.get(i)?.to_owned(), verdict.get(i).is_some())))
        .collect())
}

/// The names of the variants with a verdict, and the ids of these.
pub(crate) fn verdicts(df: &DataFrame) -> Result<Vec<(String, String)>> {
    let (name, verdict) = (df.column("name")?.str()?, df.column(VERDICT_RECORD)?.str()?);
    let both = name.iter().zip(verdict.iter());
    Ok(both
        .filter_map(|(name, id)| Some((name?.to_owned(), id?.to_owned())))
        .collect())
}

/// The parents of these variants.
pub(crate) fn parents(df: &DataFrame, names: &[&str]) -> Result<Vec<String>> {
    let (name, parent) = (df.column("name")?.str()?, df.column("parent")?.str()?);
    let parents = df.column("parents")?.str()?;
    let mut found = Vec::new();
    for i in (0..df.height()).filter(|i| name.get(*i).is_some_and(|n| names.contains(&n))) {
        found.extend(parent.get(i).map(str::to_owned));
        found.extend(
            parents
                .get(i)
                .map(parse::<Vec<String>>)
                .transpose()?
                .unwrap_or_default(),
        );
    }
    Ok(found)
}

#[derive(Clone, Copy)]
struct Texts<'a>(&'a StringChunked);

impl Texts<'_> {
    fn get(&self, row: usize) -> Option<&str> {
        self.0.get(row)
    }

    fn owned(&self, row: usize) -> Option<String> {
        self.get(row).map(str::to_owned)
    }

    fn json<T: DeserializeOwned>(&self, row: usize) -> Result<Option<T>> {
        self.get(row).map(parse).transpose()
    }
}

fn parse<T: DeserializeOwned>(text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|e| Error::Frame(e.to_string()))
}
