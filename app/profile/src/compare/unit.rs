//! The unit of a row, and figures in it.

use assay_core::text::inert;

use super::Column;
use super::align::Line;
use super::amount::Amount;
use crate::catalog::unit_factor;
use crate::{CounterInfo, CounterRef, Status};

/// A figure in the unit of its row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Reading {
    /// The value.
    pub amount: Amount,
    /// What its last printed digit is worth.
    pub resolution: Option<f64>,
}

impl Reading {
    /// How far the value may be off by rounding in print.
    pub fn half(&self) -> f64 {
        self.resolution.map_or(0.0, |r| r.abs() / 2.0)
    }
}

/// The unit that the figures of a row are shown in: their own where they share one, else that of
/// the catalog where all can be converted to it, else that of the base.
pub(super) fn of_row(line: &Line<'_>, base: usize, info: Option<&CounterInfo>) -> String {
    let mut units = line.values().map(|(_, c)| c.unit());
    let Some(first) = units.next() else {
        let mut any = line.cells.iter().flatten();
        return any.next().map_or(String::new(), |c| c.unit().to_owned());
    };
    if units.all(|u| u == first) {
        return first.to_owned();
    }
    if let Some(info) = info
        && line
            .values()
            .all(|(_, c)| unit_factor(c.unit(), &info.unit).is_some())
    {
        return info.unit.clone();
    }
    let mut of_base = line.values().filter(|(i, _)| *i == base);
    of_base.next().map_or(first, |(_, c)| c.unit()).to_owned()
}

/// A counter in the unit of its row, if it is a number and can be converted.
pub(super) fn read(c: &CounterRef<'_>, unit: &str) -> Option<Reading> {
    if c.status() != Status::Value {
        return None;
    }
    let factor = unit_factor(c.unit(), unit)?;
    let amount = Amount::of(&c.exact()?)?.times(factor)?;
    let resolution = c.resolution().map(|r| r * factor).filter(|r| r.is_finite());
    Some(Reading { amount, resolution })
}

/// The figure as printed, with its unit where that is not the one of the row.
pub(super) fn printed(c: &CounterRef<'_>, unit: &str) -> String {
    let own = c.unit();
    let is_plain = own == unit || own == "1" || c.raw().is_empty() || c.status() != Status::Value;
    if is_plain || c.raw().trim_end_matches(')').ends_with(own) {
        c.raw().to_owned()
    } else {
        format!("{} {own}", c.raw())
    }
}

/// Whether figures in a unit are counts of something: whole numbers of it are exact. Times, rates
/// and shares are not.
pub(super) fn counts(unit: &str) -> bool {
    let is_measure = unit.contains(['%', '/']) || unit.to_lowercase().ends_with("hz");
    !is_measure && unit_factor(unit, "ns").is_none()
}

/// Why some figures of a row are not compared.
pub(super) fn mixed(line: &Line<'_>, columns: &[Column<'_>], unit: &str) -> Option<String> {
    let other: Vec<String> = line
        .values()
        .filter(|(_, c)| unit_factor(c.unit(), unit).is_none())
        .filter_map(|(i, c)| Some(format!("{} in `{}`", columns.get(i)?.label, c.unit())))
        .collect();
    let text = format!(
        "{}: the row is in `{unit}`, {}; the units cannot be converted, so that no change is said.",
        line.name,
        other.join(", ")
    );
    (!other.is_empty()).then(|| inert(&text).into_owned())
}
