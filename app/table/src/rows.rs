//! A list as a data frame, and back. Nested things are JSON text; an empty one is null.

use std::collections::BTreeMap;

use polars::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

use assay_core::view::{DecisionView, FailureView, GateView, VariantRow};

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
    "ratio",
    "low",
    "high",
    "against",
    "verdict",
    "gates",
    "failure",
    "decision",
    "updated_at",
];

/// The data frame of these rows, in their order.
pub(crate) fn to_frame(rows: &[VariantRow]) -> Result<DataFrame> {
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
            number("ratio", &|r| r.ratio),
            number("low", &|r| r.interval.map(|i| i[0])),
            number("high", &|r| r.interval.map(|i| i[1])),
            text("against", &|r| r.against.clone()),
            text("verdict", &|r| r.verdict.clone()),
            text("gates", &|r| json(&r.gates, r.gates.is_empty())),
            text("failure", &|r| json(&r.failure, r.failure.is_none())),
            text("decision", &|r| json(&r.decision, r.decision.is_none())),
            text("updated_at", &|r| Some(r.updated_at.clone())),
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
pub(crate) fn from_frame(df: &DataFrame) -> Result<Vec<VariantRow>> {
    let texts = |name: &str| -> Result<Texts> { Ok(Texts(df.column(name)?.str()?.clone())) };
    let numbers = |name: &str| -> Result<Float64Chunked> { Ok(df.column(name)?.f64()?.clone()) };
    let (id, name, parent, parents) = (
        texts("id")?,
        texts("name")?,
        texts("parent")?,
        texts("parents")?,
    );
    let (status, family, knobs, why) = (
        texts("status")?,
        texts("family")?,
        texts("knobs")?,
        texts("why")?,
    );
    let (commit, median, against, verdict) = (
        texts("commit")?,
        texts("median_ns")?,
        texts("against")?,
        texts("verdict")?,
    );
    let (gates, failure, decision, updated) = (
        texts("gates")?,
        texts("failure")?,
        texts("decision")?,
        texts("updated_at")?,
    );
    let (ratio, low, high) = (numbers("ratio")?, numbers("low")?, numbers("high")?);
    (0..df.height())
        .map(|i| {
            let parent = parent.owned(i);
            let parents: Vec<String> = match parents.get(i) {
                Some(text) => parse(text)?,
                None => parent.iter().cloned().collect(),
            };
            Ok(VariantRow {
                id: id.owned(i).unwrap_or_default(),
                name: name.owned(i).unwrap_or_default(),
                parents,
                parent,
                status: status.owned(i).unwrap_or_default(),
                family: family.owned(i),
                knobs: knobs
                    .json::<BTreeMap<String, String>>(i)?
                    .unwrap_or_default(),
                why: why.owned(i).unwrap_or_default(),
                commit: commit.owned(i),
                median_ns: median.json::<BTreeMap<String, f64>>(i)?.unwrap_or_default(),
                ratio: ratio.get(i),
                interval: low.get(i).zip(high.get(i)).map(|(l, h)| [l, h]),
                against: against.owned(i),
                verdict: verdict.owned(i),
                gates: gates.json::<Vec<GateView>>(i)?.unwrap_or_default(),
                failure: failure.json::<FailureView>(i)?,
                decision: decision.json::<DecisionView>(i)?,
                updated_at: updated.owned(i).unwrap_or_default(),
            })
        })
        .collect()
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

struct Texts(StringChunked);

impl Texts {
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
