//! What a document says in words about the figures of a table.

use serde::Deserialize;

use super::Mapping;
use crate::derive::formula;

/// A sentence about the figures of a table, with what it states.
///
/// ```toml
/// [[claims]]
/// what = "geomean"        # geomean median min max faster slower speedup reduction increase linear bandwidth-bound
/// of = "speed-up"         # a counter of the table; without it the times, against those of `against`
/// side = "after"          # rows of this side only
/// row = "medium"          # the row that it is about; without it all rows
/// against = "before"      # side or row that it is held against
/// in = "K"                # linear: the dim or counter that the time is said to grow with
/// stated = "9.998x"
/// where = "summary"
/// ```
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Claim {
    pub what: What,
    #[serde(default)]
    pub of: Option<String>,
    #[serde(default)]
    pub side: Option<String>,
    #[serde(default)]
    pub row: Option<String>,
    #[serde(default)]
    pub against: Option<String>,
    #[serde(default, rename = "in")]
    pub grows_with: Option<String>,
    pub stated: String,
    #[serde(default, rename = "where")]
    pub place: String,
}

/// What is claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum What {
    Geomean,
    Median,
    Min,
    Max,
    /// Rows that are faster than what they are compared with, counted.
    Faster,
    /// Rows that are slower.
    Slower,
    Speedup,
    Reduction,
    Increase,
    /// The time grows in proportion.
    Linear,
    /// The time is that of moving the bytes.
    BandwidthBound,
}

impl What {
    pub fn name(self) -> &'static str {
        match self {
            Self::Geomean => "geomean",
            Self::Median => "median",
            Self::Min => "min",
            Self::Max => "max",
            Self::Faster => "rows that are faster",
            Self::Slower => "rows that are slower",
            Self::Speedup => "speed-up",
            Self::Reduction => "reduction",
            Self::Increase => "increase",
            Self::Linear => "linear",
            Self::BandwidthBound => "bandwidth-bound",
        }
    }

    fn over_rows(self) -> bool {
        use What::{Faster, Geomean, Max, Median, Min, Slower};
        matches!(self, Geomean | Median | Min | Max | Faster | Slower)
    }
}

impl Mapping {
    /// What is wrong with claims and with what figures are said to follow from.
    pub(super) fn problem_of_claims(&self) -> Option<String> {
        for c in &self.counters {
            if let Some(text) = &c.formula
                && let Err(fault) = formula::parse(text)
            {
                return Some(format!("`formula` of `{}`: {fault}", c.name()));
            }
            if c.formula.is_some() && c.against.is_some() {
                return Some(format!(
                    "`{}` has both `formula` and `against`; one says what it follows from",
                    c.name()
                ));
            }
        }
        self.claims.iter().find_map(|c| {
            let missing = match c.what {
                what if what.over_rows() && c.of.is_none() && c.against.is_none() => {
                    "`of`, the counter, or `against`, what the times are held against"
                }
                What::Speedup | What::Reduction | What::Increase if c.against.is_none() => {
                    "`against`, the side or row that it is held against"
                }
                What::Linear if c.grows_with.is_none() => "`in`, what the time grows with",
                What::BandwidthBound if c.row.is_none() => "`row`, the row that it is about",
                _ => return None,
            };
            Some(format!("the claim {} lacks {missing}", c.what.name()))
        })
    }
}
