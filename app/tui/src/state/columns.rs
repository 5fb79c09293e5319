//! The columns of the Variants table: what there is, what was chosen, what of it is in view.

use crate::strings::Strings;

/// What a column shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Name, which stays in its place.
    Name,
    /// Status.
    Status,
    /// Verdict.
    Verdict,
    /// Ratio to what it was measured against.
    Ratio,
    /// Its interval.
    Interval,
    /// Median of the first workload.
    Median,
    /// Gates passed of all.
    Gates,
    /// What it was measured against.
    Against,
    /// Parent.
    Parent,
    /// Family.
    Family,
    /// Parameters.
    Knobs,
    /// Commit.
    Commit,
    /// Last record.
    Updated,
    /// Hypothesis.
    Why,
}

impl Kind {
    /// All that can be chosen, in the order of the table; the name is always there.
    pub const ALL: [Self; 13] = [
        Self::Status,
        Self::Verdict,
        Self::Ratio,
        Self::Interval,
        Self::Median,
        Self::Gates,
        Self::Against,
        Self::Parent,
        Self::Family,
        Self::Knobs,
        Self::Commit,
        Self::Updated,
        Self::Why,
    ];

    /// Those that are shown as far as they fit unless others were chosen.
    pub const USUAL: [Self; 6] = [
        Self::Status,
        Self::Verdict,
        Self::Ratio,
        Self::Interval,
        Self::Median,
        Self::Gates,
    ];

    /// Its title.
    pub fn title(self, s: &Strings) -> &'static str {
        match self {
            Self::Name => s.col_name,
            Self::Status => s.col_status,
            Self::Verdict => s.col_verdict,
            Self::Ratio => s.col_ratio,
            Self::Interval => s.col_interval,
            Self::Median => s.col_median,
            Self::Gates => s.col_gates,
            Self::Against => s.col_against,
            Self::Parent => s.parent,
            Self::Family => s.family,
            Self::Knobs => s.knobs,
            Self::Commit => s.commit,
            Self::Updated => s.col_updated,
            Self::Why => s.new_why,
        }
    }
}

/// The choice of columns, kept for the session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Chosen {
    /// Those chosen; absent while as many of the usual ones are shown as fit.
    kinds: Option<Vec<Kind>>,
    /// How many are out of view on the left.
    pub left: usize,
}

impl Chosen {
    /// The columns beside the name, in order.
    pub fn kinds(&self) -> Vec<Kind> {
        self.kinds.clone().unwrap_or_else(|| Kind::USUAL.to_vec())
    }

    /// Whether as many are shown as fit, the least needed left out first.
    pub fn fitting(&self) -> bool {
        self.kinds.is_none() && self.left == 0
    }

    /// Whether columns were chosen.
    pub fn is_own(&self) -> bool {
        self.kinds.is_some()
    }

    /// Shows a column or hides it; `None` goes back to the usual ones.
    pub fn toggle(&mut self, kind: Option<Kind>) {
        let Some(kind) = kind else {
            *self = Self::default();
            return;
        };
        let mut kinds = self.kinds();
        match kinds.iter().position(|k| *k == kind) {
            Some(at) => _ = kinds.remove(at),
            None => kinds.push(kind),
        }
        kinds.sort_by_key(|k| Kind::ALL.iter().position(|a| a == k));
        self.left = self.left.min(kinds.len().saturating_sub(1));
        self.kinds = Some(kinds);
    }

    /// Scrolls by columns.
    pub fn step(&mut self, by: isize) {
        let most = self.kinds().len().saturating_sub(1);
        self.left = self.left.saturating_add_signed(by).min(most);
    }
}
