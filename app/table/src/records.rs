//! The table of all records: one row each, without their bodies, in the order of ids.

use std::collections::{BTreeSet, HashMap, HashSet};

use polars::prelude::*;

use assay_core::fold::{log_row, owner, ranked, reference, subject};
use assay_core::record::{Body, Record};
use assay_core::view::LogRow;

use crate::error::Result;
use crate::source::Placed;

/// The kinds of decision that make a champion, as they stand in the column `detail`.
const PLACING: [&str; 2] = ["accept", "rollback"];

struct Line<'a> {
    path: &'a str,
    record: &'a Record,
    log: LogRow,
}

/// The data frame of these records, in the order of their ids.
pub(crate) fn to_frame(placed: &[Placed]) -> Result<DataFrame> {
    let mut lines: Vec<Line<'_>> = (placed.iter())
        .map(|(path, record)| Line {
            path,
            record,
            log: log_row(record),
        })
        .collect();
    lines.sort_by_key(|l| l.record.id);
    let text = |name: &str, f: &dyn Fn(&Line<'_>) -> Option<String>| {
        let values: Vec<Option<String>> = lines.iter().map(f).collect();
        Column::new(name.into(), values)
    };
    let body = |l: &Line<'_>, f: fn(&Body) -> Option<&str>| f(&l.record.body).map(str::to_owned);
    Ok(DataFrame::new(
        lines.len(),
        vec![
            text("id", &|l| Some(l.log.id.clone())),
            text("campaign", &|l| Some(l.record.campaign.clone())),
            text("kind", &|l| Some(l.log.kind.clone())),
            text("detail", &|l| detail(&l.record.body)),
            text("at", &|l| Some(l.log.at.clone())),
            text("by", &|l| Some(l.log.by.clone())),
            text("variant", &|l| body(l, owner)),
            text("against", &|l| body(l, reference)),
            text("content", &|l| content(&l.record.body)),
            text("path", &|l| Some(l.path.to_owned())),
            text("summary", &|l| Some(l.log.summary.clone())),
            text("supersedes", &|l| l.log.supersedes.clone()),
            text("removes", &|l| match &l.record.body {
                Body::Tombstone(t) => Some(t.removed.to_string()),
                _ => None,
            }),
        ],
    )?)
}

/// What else decides how a record is used: the kind of a decision, that it is not understood, or
/// which variants a ranking is about, one a line.
fn detail(body: &Body) -> Option<String> {
    match body {
        Body::Decision(d) => Some(d.kind.name().into()),
        Body::Unknown { .. } => Some("unknown".into()),
        Body::Screening(_) => Some(ranked(body).collect::<Vec<_>>().join("\n")),
        _ => None,
    }
}

/// The content that a record is evidence about: kernel and recipe, abridged.
fn content(body: &Body) -> Option<String> {
    let key = &subject(body)?.key;
    Some(format!("{}{}", key.kernel.short(), key.recipe.short()))
}

/// The record table with its columns at hand.
pub(crate) struct Table {
    id: StringChunked,
    campaign: StringChunked,
    kind: StringChunked,
    detail: StringChunked,
    at: StringChunked,
    by: StringChunked,
    variant: StringChunked,
    against: StringChunked,
    content: StringChunked,
    summary: StringChunked,
    supersedes: StringChunked,
    removes: StringChunked,
}

impl Table {
    pub(crate) fn of(df: &DataFrame) -> Result<Self> {
        let text = |name: &str| -> Result<StringChunked> { Ok(df.column(name)?.str()?.clone()) };
        Ok(Self {
            id: text("id")?,
            campaign: text("campaign")?,
            kind: text("kind")?,
            detail: text("detail")?,
            at: text("at")?,
            by: text("by")?,
            variant: text("variant")?,
            against: text("against")?,
            content: text("content")?,
            summary: text("summary")?,
            supersedes: text("supersedes")?,
            removes: text("removes")?,
        })
    }

    fn rows(&self, campaign: &str) -> impl DoubleEndedIterator<Item = usize> {
        (0..self.id.len()).filter(move |i| self.campaign.get(*i) == Some(campaign))
    }

    /// Whether the rows of `later` follow on these in the order of ids.
    pub(crate) fn is_followed_by(&self, later: &Self) -> bool {
        let last = self.id.len().checked_sub(1).and_then(|i| self.id.get(i));
        later.id.is_empty() || last < later.id.get(0)
    }

    /// Whether a record with this id is in the table.
    pub(crate) fn holds(&self, id: &str) -> bool {
        // Rows are in the order of ids.
        let (mut low, mut high) = (0, self.id.len());
        while low < high {
            let mid = low + (high - low) / 2;
            match self.id.get(mid).cmp(&Some(id)) {
                std::cmp::Ordering::Less => low = mid + 1,
                std::cmp::Ordering::Greater => high = mid,
                std::cmp::Ordering::Equal => return true,
            }
        }
        false
    }

    /// Whether an id stands in it twice: which content counts then is left to a rebuild.
    pub(crate) fn has_twins(&self) -> bool {
        (1..self.id.len()).any(|i| self.id.get(i) == self.id.get(i - 1))
    }

    /// Records of a campaign that this version does not understand.
    pub(crate) fn unknown(&self, campaign: &str) -> u64 {
        self.rows(campaign)
            .filter(|i| self.detail.get(*i) == Some("unknown"))
            .count() as u64
    }

    /// The log of a campaign, newest first.
    pub(crate) fn log(
        &self,
        campaign: &str,
        variant: Option<&str>,
        limit: Option<usize>,
    ) -> Vec<LogRow> {
        let removed = self.removed(campaign);
        let text = |c: &StringChunked, i| c.get(i).unwrap_or_default().to_owned();
        (self.rows(campaign).rev())
            .filter(|i| variant.is_none() || self.variant.get(*i) == variant)
            .filter(|i| !self.is_removed(&removed, *i))
            .take(limit.unwrap_or(usize::MAX))
            .map(|i| LogRow {
                id: text(&self.id, i),
                at: text(&self.at, i),
                by: text(&self.by, i),
                kind: text(&self.kind, i),
                variant: self.variant.get(i).map(str::to_owned),
                summary: text(&self.summary, i),
                supersedes: self.supersedes.get(i).map(str::to_owned),
            })
            .collect()
    }

    fn removed(&self, campaign: &str) -> HashSet<&str> {
        self.rows(campaign)
            .filter_map(|i| self.removes.get(i))
            .collect()
    }

    fn is_removed(&self, removed: &HashSet<&str>, row: usize) -> bool {
        self.removes.get(row).is_none() && self.id.get(row).is_some_and(|id| removed.contains(id))
    }

    /// Rows of the records that are understood and in use, in the order of ids.
    fn active(&self, campaign: &str) -> Vec<usize> {
        let removed = self.removed(campaign);
        let corrected: HashSet<&str> = (self.rows(campaign))
            .filter(|i| !self.is_removed(&removed, *i))
            .filter_map(|i| {
                self.supersedes
                    .get(i)
                    .filter(|s| Some(*s) != self.id.get(i))
            })
            .collect();
        (self.rows(campaign))
            .filter(|i| {
                !self.is_removed(&removed, *i)
                    && !self.id.get(*i).is_some_and(|id| corrected.contains(id))
                    && self.detail.get(*i) != Some("unknown")
            })
            .collect()
    }

    /// Those of `names` whose present content was measured on their own side: that others are
    /// measured against them changes nothing in their row.
    pub(crate) fn settled<'a>(&self, campaign: &str, names: &HashSet<&'a str>) -> HashSet<&'a str> {
        let active = self.active(campaign);
        let own = |i: &usize| self.variant.get(*i).and_then(|v| names.get(v)).copied();
        let present: HashMap<&str, &str> = (active.iter())
            .filter(|i| self.kind.get(**i) == Some("run"))
            .filter_map(|i| Some((own(i)?, self.content.get(*i)?)))
            .collect();
        (active.iter())
            .filter(|i| self.kind.get(**i) == Some("measurement"))
            .filter(|i| self.variant.get(**i) != self.against.get(**i))
            .filter_map(|i| {
                let name = own(i)?;
                (present.get(name).copied() == self.content.get(*i)).then_some(name)
            })
            .collect()
    }

    /// Ids of the records that the rows of `names` and the head of the list follow from: their own;
    /// what was measured against those that are not settled; every evaluator, calibration, canary,
    /// measurement of a chain, placing decision, correction and tombstone; the newest run and measurement of the campaign.
    pub(crate) fn needed(&self, campaign: &str, names: &HashSet<&str>) -> Vec<String> {
        let settled = self.settled(campaign, names);
        let mut newest: HashMap<&str, usize> = HashMap::new();
        for i in self.active(campaign) {
            if let Some(kind @ ("run" | "measurement")) = self.kind.get(i) {
                newest.insert(kind, i);
            }
        }
        (self.rows(campaign))
            .filter(|i| {
                let i = *i;
                let own = self.variant.get(i).is_some_and(|v| names.contains(v));
                let other = (self.against.get(i))
                    .is_some_and(|a| names.contains(a) && !settled.contains(a));
                let kind = self.kind.get(i);
                let ranked = kind == Some("screening")
                    && (self.detail.get(i))
                        .is_some_and(|all| all.lines().any(|name| names.contains(name)));
                own || other
                    || ranked
                    || matches!(kind, Some("evaluator" | "calibration" | "canary" | "chain"))
                    || self.detail.get(i).is_some_and(|d| PLACING.contains(&d))
                    || self.supersedes.get(i).is_some()
                    || self.removes.get(i).is_some()
                    || newest.values().any(|n| *n == i)
            })
            .filter_map(|i| self.id.get(i).map(str::to_owned))
            .collect()
    }

    /// Variants that a placing decision names: their status depends on who is champion.
    pub(crate) fn placed(&self, campaign: &str) -> BTreeSet<String> {
        (self.rows(campaign))
            .filter(|i| self.detail.get(*i).is_some_and(|d| PLACING.contains(&d)))
            .filter_map(|i| self.variant.get(i).map(str::to_owned))
            .collect()
    }
}

/// Whether a record may be added to lists without reading everything again: corrections,
/// tombstones and changed evaluators reach further than the variant that they name.
pub(crate) fn is_plain(r: &Record) -> bool {
    r.supersedes.is_none() && !matches!(r.body, Body::Tombstone(_) | Body::Evaluator(_))
}
