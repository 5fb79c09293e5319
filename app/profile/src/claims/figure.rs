//! Figures of a table, known to the digits that they are printed with.

use crate::catalog::unit_factor;
use crate::derive::interval::Interval;
use crate::{CounterRef, Launch, Status};

/// A printed figure in some unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Printed {
    pub value: f64,
    /// Half of what its last digit is worth.
    pub half: f64,
}

impl Printed {
    /// A counter in a unit; none without a number, or where the unit cannot be converted.
    pub fn of(c: &CounterRef<'_>, unit: &str) -> Option<Self> {
        let own = if c.unit().is_empty() { "1" } else { c.unit() };
        let unit = if unit.is_empty() { "1" } else { unit };
        let factor = unit_factor(own, unit)?;
        let value = c.number().filter(|_| c.status() == Status::Value)? * factor;
        let half = c.resolution().unwrap_or(0.0).abs() / 2.0 * factor;
        (value.is_finite() && half.is_finite()).then_some(Self { value, half })
    }

    pub fn interval(&self) -> Interval {
        Interval::new(self.value - self.half, self.value + self.half)
    }

    /// Whether it may be zero or less, so that nothing can be divided by it.
    pub fn is_positive(&self) -> bool {
        self.value - self.half > 0.0
    }
}

/// What a figure comes to: at the printed values, and what the digits allow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Outcome {
    pub value: f64,
    pub range: Interval,
}

impl Outcome {
    /// A figure that grows or falls with each of what it follows from: its ends are at theirs.
    pub fn of(parts: &[Printed], f: impl Fn(&[f64]) -> f64) -> Option<Self> {
        let at = |pick: &dyn Fn(&Printed) -> f64| f(&parts.iter().map(pick).collect::<Vec<_>>());
        let value = at(&|p| p.value);
        let mut ends = Vec::new();
        // Every corner; no figure here follows from more than two others.
        for corner in 0..1_u32 << parts.len().min(2) {
            let values: Vec<f64> = (parts.iter().enumerate())
                .map(|(i, p)| match corner >> i & 1 {
                    0 => p.value - p.half,
                    _ => p.value + p.half,
                })
                .collect();
            ends.push(f(&values));
        }
        let low = ends.iter().copied().fold(value, f64::min);
        let high = ends.iter().copied().fold(value, f64::max);
        (value.is_finite() && low.is_finite() && high.is_finite()).then_some(Self {
            value,
            range: Interval::new(low, high),
        })
    }
}

/// The published time of a row, in nanoseconds.
pub(super) fn time(launch: &Launch) -> Option<Printed> {
    let c = launch.canonical("claim.time").next()?;
    Printed::of(&c, "ns")
}

/// The published time as it is printed, with its unit.
pub(super) fn shown(launch: &Launch) -> String {
    let Some(c) = launch.canonical("claim.time").next() else {
        return String::new();
    };
    match c.raw().ends_with(c.unit()) {
        true => c.raw().to_owned(),
        false => format!("{} {}", c.raw(), c.unit()),
    }
}

/// Nanoseconds in the unit that the time of a row is printed in.
pub(super) fn in_unit(ns: f64, of: &Launch) -> String {
    let unit = of
        .canonical("claim.time")
        .next()
        .map(|c| c.unit().to_owned());
    let unit = unit.unwrap_or_else(|| "ns".into());
    let value = ns * unit_factor("ns", &unit).unwrap_or(1.0);
    let text = format!("{value:.9}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    format!("{text} {unit}")
}
