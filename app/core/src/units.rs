//! Quantities as people write and read them: `1%`, `10ms`, `64KiB`.
//!
//! Reading is exact: `0.1us` is 100 ns, and what does not come out whole is an error.

mod show;
#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::text::inert;

pub use show::{
    format_bytes, format_count, format_factor, format_ns, format_percent, format_rate,
    format_ratio_change, short_figures, whole_number,
};

/// The least time of one launch that is believed, in nanoseconds.
pub const LEAST_NS: f64 = 1e-3;

/// The greatest time of one launch that is believed, in nanoseconds (about 11 days).
pub const GREATEST_NS: f64 = 1e15;

/// A share: 0.01 is 1 %.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
pub struct Ratio(pub f64);

/// A time span in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct DurationNs(pub u64);

/// A size in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Bytes(pub u64);

/// Why a text is not a quantity.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}, found `{}`{}", inert(found), hint.as_ref().map(|h| format!("; {h}")).unwrap_or_default())]
pub struct UnitError {
    /// What was given.
    pub found: String,
    /// What was expected, with an example.
    pub expected: &'static str,
    /// What may have been meant, or what else is wrong.
    pub hint: Option<String>,
}

const PERCENT: &str = "a percentage such as \"1%\" or \"0.5%\"";
const DURATION: &str = "a duration such as \"10ms\", \"2s\" or \"1m\" (ns, us, ms, s, m, h)";
const SIZE: &str = "a size such as \"64KiB\" or \"1GiB\" (B, KiB, MiB, GiB, TiB, kB, MB, GB, TB)";

const DURATION_UNITS: &[(&str, u64)] = &[
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("μs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("min", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

const SIZE_UNITS: &[(&str, u64)] = &[
    ("B", 1),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
    ("kB", 1_000),
    ("KB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
];

/// Splits `12.5ms` into its digits before the point, after the point, and the unit.
fn split(text: &str) -> Option<(&str, &str, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = text.split_at(end);
    let (whole, fraction) = match number.split_once('.') {
        Some((w, f)) if !f.is_empty() && !f.contains('.') => (w, f),
        Some(_) => return None,
        None => (number, ""),
    };
    let unit = unit.strip_prefix(' ').unwrap_or(unit);
    (!whole.is_empty() && whole.len() + fraction.len() <= 30).then_some((whole, fraction, unit))
}

fn exact(text: &str, units: &[(&str, u64)], expected: &'static str) -> Result<u64, UnitError> {
    let error = |hint: Option<String>| UnitError {
        found: text.to_owned(),
        expected,
        hint,
    };
    let Some((whole, fraction, unit)) = split(text) else {
        let bare = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        return Err(error(bare.then(|| "the unit is missing".to_owned())));
    };
    let Some((_, factor)) = units.iter().find(|(u, _)| *u == unit) else {
        let near = units.iter().find(|(u, _)| u.eq_ignore_ascii_case(unit));
        return Err(error(near.map(|(u, _)| format!("did you mean `{u}`?"))));
    };
    let digits = |s: &str| {
        if s.is_empty() {
            Some(0)
        } else {
            s.parse::<u128>().ok()
        }
    };
    let scale = 10u128.checked_pow(u32::try_from(fraction.len()).unwrap_or(u32::MAX));
    let value = (|| {
        let scale = scale?;
        let digits = digits(whole)?
            .checked_mul(scale)?
            .checked_add(digits(fraction)?)?;
        Some((digits.checked_mul(u128::from(*factor))?, scale))
    })();
    let Some((value, scale)) = value else {
        return Err(error(Some("the value is too large".into())));
    };
    if value % scale != 0 {
        return Err(error(Some(
            "the value is not a whole number of the smallest unit".into(),
        )));
    }
    u64::try_from(value / scale).map_err(|_| error(Some("the value is too large".into())))
}

impl FromStr for DurationNs {
    type Err = UnitError;
    fn from_str(s: &str) -> Result<Self, UnitError> {
        exact(s, DURATION_UNITS, DURATION).map(Self)
    }
}

impl FromStr for Bytes {
    type Err = UnitError;
    fn from_str(s: &str) -> Result<Self, UnitError> {
        exact(s, SIZE_UNITS, SIZE).map(Self)
    }
}

impl FromStr for Ratio {
    type Err = UnitError;
    fn from_str(s: &str) -> Result<Self, UnitError> {
        let error = |hint| UnitError {
            found: s.to_owned(),
            expected: PERCENT,
            hint,
        };
        let Some((whole, fraction, "%")) = split(s) else {
            let hint = s.parse::<f64>().ok().filter(|v| v.is_finite());
            return Err(error(hint.map(|_| format!("did you mean \"{s}%\"?"))));
        };
        // Dividing the decimal by 100 in text keeps `1%` equal to 0.01, and so on.
        let text = format!(
            "{whole}.{}e-2",
            if fraction.is_empty() { "0" } else { fraction }
        );
        match text.parse::<f64>() {
            Ok(v) if v.is_finite() => Ok(Self(v)),
            _ => Err(error(None)),
        }
    }
}

impl fmt::Display for DurationNs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format_ns(self.0 as f64))
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format_bytes(self.0 as f64))
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format_percent(self.0))
    }
}

/// The unit in which a harness reports times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TimeUnit {
    /// Nanoseconds.
    Ns,
    /// Microseconds.
    Us,
    /// Milliseconds.
    Ms,
    /// Seconds.
    S,
}

impl TimeUnit {
    /// The names in files.
    pub const NAMES: &[&str] = &["ns", "us", "ms", "s"];

    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ns => "ns",
            Self::Us => "us",
            Self::Ms => "ms",
            Self::S => "s",
        }
    }

    /// A time in this unit, in nanoseconds; `None` when it is negative or not finite.
    pub fn to_ns(self, value: f64) -> Option<f64> {
        let factor = match self {
            Self::Ns => 1.0,
            Self::Us => 1e3,
            Self::Ms => 1e6,
            Self::S => 1e9,
        };
        let ns = value * factor;
        (ns.is_finite() && ns >= 0.0).then_some(ns)
    }
}

impl FromStr for TimeUnit {
    type Err = UnitError;
    fn from_str(s: &str) -> Result<Self, UnitError> {
        match s {
            "ns" => Ok(Self::Ns),
            "us" => Ok(Self::Us),
            "ms" => Ok(Self::Ms),
            "s" => Ok(Self::S),
            _ => Err(UnitError {
                found: s.to_owned(),
                expected: "one of ns, us, ms, s",
                hint: None,
            }),
        }
    }
}
