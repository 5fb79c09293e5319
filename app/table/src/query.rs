//! Sorting and filtering a list.

use std::collections::BTreeMap;
use std::str::FromStr;

use polars::prelude::*;

use assay_core::text::nearest;
use assay_core::view::ListView;

use crate::error::{Error, Result};
use crate::index::Index;
use crate::rows;
use crate::source::Records;

/// How a column is held against a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// Equal.
    Equal,
    /// Not equal, or without a value.
    NotEqual,
    /// Smaller.
    Less,
    /// Smaller or equal.
    LessOrEqual,
    /// Greater.
    Greater,
    /// Greater or equal.
    GreaterOrEqual,
    /// Holds the text, whatever the case of its letters.
    Contains,
}

impl FromStr for Op {
    type Err = Error;

    /// Reads `=`, `!=`, `<`, `<=`, `>`, `>=` or `~`.
    fn from_str(s: &str) -> Result<Self> {
        Ok(match s {
            "=" | "==" => Self::Equal,
            "!=" => Self::NotEqual,
            "<" => Self::Less,
            "<=" => Self::LessOrEqual,
            ">" => Self::Greater,
            ">=" => Self::GreaterOrEqual,
            "~" => Self::Contains,
            other => {
                return Err(Error::Query(format!(
                    "`{other}` compares nothing; write =, !=, <, <=, >, >= or ~ (holds the text)"
                )));
            }
        })
    }
}

/// Which variants, in what order.
///
/// Columns are those of a row of the list, with `low` and `high` for the interval, `knob.NAME` for
/// a knob and `median_ns.WORKLOAD` for a median. Rows without a value pass only `NotEqual`, and
/// stand last in either direction.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Query {
    /// Column to sort by; without one the oldest variant stands first.
    pub sort: Option<String>,
    /// Largest first.
    pub descending: bool,
    /// Conditions that must all hold.
    pub filter: Vec<(String, Op, String)>,
}

impl Index {
    /// The list of a campaign, filtered and sorted.
    ///
    /// # Errors
    /// When there is no such campaign or column, a value is no number where one is needed, or the ledger
    /// has to be read again and cannot be.
    pub fn query(
        &mut self,
        source: &mut impl Records,
        campaign: &str,
        query: &Query,
    ) -> Result<ListView> {
        let mut df = self.rows(source, campaign)?.clone();
        for (column, op, value) in &query.filter {
            let mask = mask(&df, column, *op, value)?;
            df = df.filter(&mask)?;
        }
        if let Some(by) = &query.sort {
            let key = column(&df, by)?.with_name("sort".into());
            df.with_column(key)?;
            let options = SortMultipleOptions::default()
                .with_order_descending(query.descending)
                .with_nulls_last(true)
                .with_maintain_order(true);
            df = df.sort(["sort"], options)?;
        }
        let head = &self.campaign(campaign)?.head;
        Ok(self.view(campaign, head, rows::from_frame(&df)?))
    }
}

/// A column by the name that a query uses.
fn column(df: &DataFrame, name: &str) -> Result<Column> {
    if let Some(knob) = name.strip_prefix("knob.") {
        let knobs = members::<String>(df, "knobs", knob)?;
        // Knobs that are numbers everywhere sort as numbers: 8 stands before 16.
        let numbers: Option<Vec<Option<f64>>> = (knobs.iter())
            .map(|k| match k {
                Some(text) => number(text).map(Some),
                None => Some(None),
            })
            .collect();
        return Ok(match numbers {
            Some(n) => Column::new(name.into(), n),
            None => Column::new(name.into(), knobs),
        });
    }
    if let Some(workload) = name.strip_prefix("median_ns.") {
        let medians = members::<f64>(df, "median_ns", workload)?;
        return Ok(Column::new(name.into(), medians));
    }
    if rows::COLUMNS.contains(&name) {
        return Ok(df.column(name)?.clone());
    }
    let known = rows::COLUMNS.iter().copied();
    Err(Error::Query(match nearest(name, known.clone()) {
        Some(n) => format!("there is no column `{name}`; did you mean `{n}`?"),
        None => format!(
            "there is no column `{name}`; there are {}, knob.NAME and median_ns.WORKLOAD",
            known.collect::<Vec<_>>().join(", ")
        ),
    }))
}

/// One member of the JSON objects in a column.
fn members<T: serde::de::DeserializeOwned>(
    df: &DataFrame,
    column: &str,
    member: &str,
) -> Result<Vec<Option<T>>> {
    (df.column(column)?.str()?.iter())
        .map(|text| {
            let Some(text) = text else { return Ok(None) };
            serde_json::from_str::<BTreeMap<String, T>>(text)
                .map(|mut map| map.remove(member))
                .map_err(|e| Error::Frame(e.to_string()))
        })
        .collect()
}

fn mask(df: &DataFrame, name: &str, op: Op, value: &str) -> Result<BooleanChunked> {
    let column = column(df, name)?;
    let numeric = column.dtype().is_primitive_numeric();
    let mask = if op == Op::Contains {
        let value = value.to_lowercase();
        let text = column.cast(&DataType::String)?;
        (text.str()?.iter())
            .map(|t| Some(t.is_some_and(|t| t.to_lowercase().contains(&value))))
            .collect_ca("mask".into())
    } else if numeric {
        let value = number(value).ok_or_else(|| {
            Error::Query(format!(
                "column `{name}` holds numbers, and `{value}` is none"
            ))
        })?;
        compare(column.f64()?, op, value)
    } else {
        compare(column.str()?, op, value)
    };
    // A missing value is not the one asked for, so it passes `!=` and nothing else.
    Ok(mask.fill_null_with_values(op == Op::NotEqual)?)
}

fn compare<C, V>(column: &C, op: Op, value: V) -> BooleanChunked
where
    C: ChunkCompareIneq<V, Item = BooleanChunked> + ChunkCompareEq<V, Item = BooleanChunked>,
{
    match op {
        Op::Equal | Op::Contains => column.equal(value),
        Op::NotEqual => column.not_equal(value),
        Op::Less => column.lt(value),
        Op::LessOrEqual => column.lt_eq(value),
        Op::Greater => column.gt(value),
        Op::GreaterOrEqual => column.gt_eq(value),
    }
}

fn number(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|n: &f64| n.is_finite())
}
