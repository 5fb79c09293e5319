//! The Variants screen: rows in lineage order or sorted, filtered, selected by name.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

use assay_core::view::{ListView, ShowView, VariantRow};

use super::columns::Chosen;
use super::{Cursor, Slot};
use crate::document::Doc;
use crate::document::parts::LETTERS;
use crate::filter::Filter;
use crate::lineage::{self, Node};
use crate::options::Lang;

/// What the table is sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SortColumn {
    /// Children under their parents.
    #[default]
    Lineage,
    /// Name.
    Name,
    /// Status.
    Status,
    /// Verdict.
    Verdict,
    /// Ratio, fastest first.
    Ratio,
    /// Median as shown, fastest first.
    Median,
    /// Last record, newest first.
    Updated,
}

impl SortColumn {
    /// All, in the order of the key that steps through them.
    pub const ALL: [Self; 7] = [
        Self::Lineage,
        Self::Name,
        Self::Status,
        Self::Verdict,
        Self::Ratio,
        Self::Median,
        Self::Updated,
    ];

    /// The column `step` places further.
    pub fn step(self, step: isize) -> Self {
        let at = Self::ALL.iter().position(|s| *s == self).unwrap_or(0) as isize;
        Self::ALL[(at + step).rem_euclid(Self::ALL.len() as isize) as usize]
    }
}

/// Most variants that are marked at once: as many as a comparison names.
pub const MARKS: usize = LETTERS.len();

/// State of the screen.
#[derive(Debug, Default)]
pub struct Variants {
    /// The list.
    pub list: Slot<ListView>,
    /// Rows shown, in order.
    pub rows: Vec<Node>,
    /// Selection as a place.
    pub cursor: Cursor,
    /// Selection as a name: it stays on its variant when the list changes.
    pub selected: Option<String>,
    /// A name to select as soon as a list has it.
    pub wanted: Option<String>,
    /// Names marked to compare or run, at most [`MARKS`], oldest first.
    pub marked: Vec<String>,
    /// Filter.
    pub filter: Filter,
    /// The language in which hypotheses are shown.
    lang: Lang,
    /// Hypotheses as they are shown where that is not as they are recorded, and the list that they are
    /// of. Made when the first filter reads them.
    whys: (u64, Vec<Option<String>>),
    /// Columns.
    pub columns: Chosen,
    /// Which median is shown: where there are several workloads the mean of all, and behind it the
    /// place of a workload, counted from 1.
    pub median: usize,
    /// Sort column.
    pub sort: SortColumn,
    /// Sort order reversed.
    pub reversed: bool,
    /// Details read so far, by name; forgotten when the ledger changes.
    pub shows: HashMap<String, Arc<ShowView>>,
    /// The detail of the selected variant is older than the list.
    pub stale: bool,
    /// Detail asked for and not answered.
    pub asked: Option<String>,
    /// Why the detail of a variant could not be read.
    pub show_error: Option<(String, String)>,
    /// Counts changes of the details.
    pub generation: u64,
    /// Detail of the selected variant, as drawn.
    pub detail: Doc,
    /// The detail takes the whole body.
    pub detail_full: bool,
}

impl Variants {
    /// Nothing, for a reader of a language.
    pub fn new(lang: Lang) -> Self {
        Self {
            lang,
            ..Self::default()
        }
    }

    /// The variant of a row.
    pub fn row(&self, row: usize) -> Option<&VariantRow> {
        let node = self.rows.get(row)?;
        self.list.value.as_ref()?.variants.get(node.index)
    }

    /// The selected variant.
    pub fn current(&self) -> Option<&VariantRow> {
        self.row(self.cursor.index)
    }

    /// The variant of a name.
    pub fn find(&self, name: &str) -> Option<&VariantRow> {
        self.list
            .value
            .as_ref()?
            .variants
            .iter()
            .find(|v| v.name == name)
    }

    /// Name of the champion.
    pub fn champion(&self) -> Option<&str> {
        self.list.value.as_ref()?.champion.as_deref()
    }

    fn workloads(&self) -> &[String] {
        self.list.value.as_ref().map_or(&[], |l| &l.workloads)
    }

    /// The workload whose median the table shows; none where it shows the mean of all, or there is
    /// none.
    pub fn shown_workload(&self) -> Option<&str> {
        let at = match self.workloads().len() {
            0 | 1 => self.median,
            _ => self.median.checked_sub(1)?,
        };
        self.workloads().get(at).map(String::as_str)
    }

    /// How many workloads the table shows the mean of, if it does.
    pub fn mean_of(&self) -> Option<usize> {
        let all = self.workloads().len();
        (all > 1 && self.median == 0).then_some(all)
    }

    /// The median that the table shows for a variant, in nanoseconds.
    pub fn median_ns(&self, row: &VariantRow) -> Option<f64> {
        match self.shown_workload() {
            Some(workload) => row.median_ns.get(workload).copied(),
            None => self
                .mean_of()
                .and_then(|_| row.geomean_ns(self.workloads())),
        }
    }

    /// Shows the medians of the next workload; behind the last one the mean of all.
    pub fn next_median(&mut self) {
        self.median = (self.median + 1) % self.medians();
        self.arrange();
    }

    /// How many medians there are to choose from.
    fn medians(&self) -> usize {
        match self.workloads().len() {
            0 | 1 => 1,
            all => all + 1,
        }
    }

    /// What to compare `name` with: what it was measured against, the champion, its parent.
    pub fn opponent(&self, name: &str) -> Option<String> {
        let row = self.find(name)?;
        [
            row.against.as_deref(),
            self.champion(),
            row.parent.as_deref(),
        ]
        .into_iter()
        .flatten()
        .find(|other| *other != name && self.find(other).is_some())
        .map(str::to_owned)
    }

    /// What a variant was made from, where that is in the list.
    pub fn parent(&self, name: &str) -> Option<String> {
        let parent = self.find(name)?.parent.as_deref()?;
        self.find(parent).map(|p| p.name.clone())
    }

    /// Marks or unmarks; false when there is no room for another mark.
    pub fn toggle_mark(&mut self, name: &str) -> bool {
        if let Some(at) = self.marked.iter().position(|m| m == name) {
            self.marked.remove(at);
        } else if self.marked.len() < MARKS {
            self.marked.push(name.to_owned());
        } else {
            return false;
        }
        true
    }

    /// Marks on rows that show, and those on rows that the filter hides.
    pub fn marks(&self) -> [Vec<String>; 2] {
        let shown = |name: &String| {
            (0..self.rows.len()).any(|i| self.row(i).is_some_and(|v| v.name == *name))
        };
        let (shown, hidden) = self.marked.iter().cloned().partition(shown);
        [shown, hidden]
    }

    /// Makes the rows anew after the list, the filter or the order has changed.
    pub fn arrange(&mut self) {
        self.say_whys();
        self.median = self.median.min(self.medians() - 1);
        let Some(list) = &self.list.value else {
            self.rows.clear();
            return;
        };
        let rows = &list.variants;
        let mut order = if self.sort == SortColumn::Lineage {
            lineage::order(rows)
        } else {
            let mut flat: Vec<Node> = (0..rows.len()).map(Node::flat).collect();
            let (by, turned) = (self.sort, self.reversed);
            let medians: Vec<Option<f64>> = match by {
                SortColumn::Median => rows.iter().map(|v| self.median_ns(v)).collect(),
                _ => Vec::new(),
            };
            let of = |n: &Node| (&rows[n.index], medians.get(n.index).copied().flatten());
            flat.sort_by(|a, b| compare(by, turned, of(a), of(b)));
            flat
        };
        if self.reversed && self.sort == SortColumn::Lineage {
            order.reverse();
        }
        if !self.filter.is_empty() {
            let shown = |n: &Node| self.whys.1.get(n.index).and_then(Option::as_deref);
            order.retain(|n| self.filter.matches(&rows[n.index], shown(n)));
        }
        // Without its neighbours a branch of the tree would be drawn to nowhere.
        if !self.filter.is_empty() || self.reversed {
            order.iter_mut().for_each(|n| *n = Node::flat(n.index));
        }
        self.marked.retain(|m| rows.iter().any(|v| v.name == *m));
        self.rows = order;
        self.reselect();
    }

    /// Makes the hypotheses as they are shown, where the filter reads them.
    fn say_whys(&mut self) {
        let Some(list) = &self.list.value else { return };
        let of = self.list.generation;
        if !self.filter.reads_why() || self.whys.0 == of {
            return;
        }
        let said = |row: &VariantRow| {
            let said = self.lang.said(&row.why);
            (said != row.why).then(|| said.into_owned())
        };
        self.whys = (of, list.variants.iter().map(said).collect());
    }

    /// Puts the cursor on the selected name, or keeps its place when the name is gone.
    fn reselect(&mut self) {
        let place = |name: &Option<String>| {
            let name = name.as_deref()?;
            (0..self.rows.len()).find(|i| self.row(*i).is_some_and(|v| v.name == name))
        };
        if let Some(at) = place(&self.wanted) {
            self.cursor.index = at;
            self.selected = self.wanted.take();
        } else if let Some(at) = place(&self.selected) {
            self.cursor.index = at;
        }
    }

    /// Selects a variant by its name; one that the filter hides clears it.
    pub fn select(&mut self, name: &str) {
        if self.find(name).is_none() {
            return;
        }
        self.wanted = Some(name.to_owned());
        self.reselect();
        if self.wanted.is_some() {
            self.set_filter("");
        }
        self.wanted = None;
    }

    /// Takes a new filter.
    pub fn set_filter(&mut self, text: &str) {
        self.filter = Filter::parse(text);
        self.arrange();
    }
}

/// Rows without a value come last in either direction. With each row comes the median that is shown.
fn compare(
    by: SortColumn,
    reversed: bool,
    (a, a_median): (&VariantRow, Option<f64>),
    (b, b_median): (&VariantRow, Option<f64>),
) -> Ordering {
    let turn = |o: Ordering| if reversed { o.reverse() } else { o };
    let order = match by {
        SortColumn::Lineage => Ordering::Equal,
        SortColumn::Name => turn(a.name.cmp(&b.name)),
        SortColumn::Status => turn(a.status.cmp(&b.status)),
        SortColumn::Verdict => absent_last(a.verdict.as_deref(), b.verdict.as_deref(), |x, y| {
            turn(x.cmp(y))
        }),
        SortColumn::Ratio => absent_last(a.ratio, b.ratio, |x, y| turn(x.total_cmp(y))),
        SortColumn::Median => absent_last(a_median, b_median, |x, y| turn(x.total_cmp(y))),
        SortColumn::Updated => turn(b.updated_at.cmp(&a.updated_at)),
    };
    order.then_with(|| a.id.cmp(&b.id))
}

fn absent_last<T>(a: Option<T>, b: Option<T>, by: impl Fn(&T, &T) -> Ordering) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => by(&a, &b),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => Ordering::Equal,
    }
}
