//! The Workloads screen: ratios of variants by workload, sorted, with a cell at hand.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use assay_core::text::{inert, width};
use assay_core::view::{HeatRow, HeatView, ListView, SampleSet, WorkloadVerdictView};

use super::find::{Find, Searched, plain_hits};
use super::{Cursor, Slot};
use crate::document::Doc;
use crate::lineage;

/// What the map is sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HeatSort {
    /// Children after their parents.
    #[default]
    Lineage,
    /// Name.
    Name,
    /// Geometric mean, fastest first.
    Mean,
    /// Wins, most first.
    Wins,
    /// Losses, fewest first.
    Losses,
    /// The workload of a column, fastest first.
    Workload(usize),
}

impl HeatSort {
    const KEYED: [Self; 5] = [
        Self::Lineage,
        Self::Name,
        Self::Mean,
        Self::Wins,
        Self::Losses,
    ];

    /// The order `step` places further; from a workload the steps begin anew.
    pub fn step(self, step: isize) -> Self {
        let at = Self::KEYED.iter().position(|s| *s == self).unwrap_or(0) as isize;
        Self::KEYED[(at + step).rem_euclid(Self::KEYED.len() as isize) as usize]
    }
}

/// What stands in a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CellShows {
    /// The ratio.
    #[default]
    Ratio,
    /// The ratio and its interval.
    Interval,
    /// Both medians.
    Times,
}

impl CellShows {
    /// The next of the three.
    pub fn next(self) -> Self {
        match self {
            Self::Ratio => Self::Interval,
            Self::Interval => Self::Times,
            Self::Times => Self::Ratio,
        }
    }
}

/// How the columns share the width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeatFrame {
    /// Columns of the name, without the two of the marks before it.
    pub name: usize,
    /// Columns of the reference; 0 where there is no room for it.
    pub against: usize,
    /// Columns of the mean with wins and losses; 0 where there is no room for them.
    pub mean: usize,
    /// Columns of a workload, with the blank before it.
    pub cell: usize,
    /// Workloads that are shown whole.
    pub visible: usize,
}

/// Columns of the mean with wins and losses.
pub const MEAN: usize = 19;
/// Columns of a ratio with its signs.
pub const RATIO: usize = 8;

/// State of the screen.
#[derive(Debug, Default)]
pub struct Workloads {
    /// The ratios.
    pub slot: Slot<HeatView>,
    /// Rows shown, as places in the view.
    pub rows: Vec<usize>,
    /// Workloads shown, in the order of the campaign.
    pub columns: Vec<String>,
    /// Row at hand.
    pub row: Cursor,
    /// Column at hand.
    pub column: Cursor,
    /// Variant and reference at hand: they stay when the view changes.
    pub selected: Option<[String; 2]>,
    /// Order.
    pub sort: HeatSort,
    /// Order reversed.
    pub reversed: bool,
    /// What stands in a cell.
    pub shows: CellShows,
    /// Names that several rows have, of different references.
    pub repeated: HashSet<String>,
    /// Samples of the pair at hand.
    pub samples: Slot<Vec<SampleSet>>,
    /// The pair whose samples were asked for: reference, variant.
    pub asked: Option<[String; 2]>,
    /// The cell at hand, as drawn.
    pub detail: Doc,
    /// Counts changes of rows and samples.
    pub generation: u64,
    /// What is looked for in the names.
    pub find: Find,
    /// Variants of the list without a row here.
    pub without: usize,
    widest: usize,
    widest_reference: usize,
}

impl Workloads {
    /// A row of the map.
    pub fn at(&self, row: usize) -> Option<&HeatRow> {
        self.slot.value.as_ref()?.rows.get(*self.rows.get(row)?)
    }

    /// The row at hand.
    pub fn current(&self) -> Option<&HeatRow> {
        self.at(self.row.index)
    }

    /// The workload at hand.
    pub fn workload(&self) -> Option<&str> {
        self.columns.get(self.column.index).map(String::as_str)
    }

    /// The cell of a row.
    pub fn cell<'r>(&self, row: &'r HeatRow, column: usize) -> Option<&'r WorkloadVerdictView> {
        let workload = self.columns.get(column)?;
        row.cells.iter().find(|c| c.workload == *workload)
    }

    /// Makes the rows anew after the ratios, the list or the order have changed.
    pub fn arrange(&mut self, list: Option<&ListView>) {
        self.generation += 1;
        self.rows.clear();
        let Some(view) = &self.slot.value else {
            return;
        };
        let mut columns: Vec<String> = list.map(|l| l.workloads.clone()).unwrap_or_default();
        let mut known: HashSet<String> = columns.iter().cloned().collect();
        let cells = || view.rows.iter().flat_map(|r| &r.cells);
        for c in cells() {
            if known.insert(c.workload.clone()) {
                columns.push(c.workload.clone());
            }
        }
        let used: HashSet<&str> = cells().map(|c| c.workload.as_str()).collect();
        columns.retain(|c| used.contains(c.as_str()));
        let rank: HashMap<&str, usize> = match list {
            Some(l) => (lineage::order(&l.variants).iter().enumerate())
                .map(|(i, n)| (l.variants[n.index].name.as_str(), i))
                .collect(),
            None => HashMap::new(),
        };
        let by = Order {
            rows: &view.rows,
            sort: self.sort,
            reversed: self.reversed,
            workload: match self.sort {
                HeatSort::Workload(c) => columns.get(c).map(String::as_str),
                _ => None,
            },
            rank: &rank,
        };
        let mut rows: Vec<usize> = (0..view.rows.len()).collect();
        rows.sort_by(|a, b| by.compare(*a, *b));
        let mut once: HashSet<&str> = HashSet::new();
        self.repeated = (view.rows.iter())
            .filter(|r| !once.insert(&r.name))
            .map(|r| r.name.clone())
            .collect();
        let has: HashSet<&str> = view.rows.iter().map(|r| r.name.as_str()).collect();
        let all = list.iter().flat_map(|l| &l.variants);
        self.without = all.filter(|v| !has.contains(&*v.name)).count();
        (self.rows, self.columns) = (rows, columns);
        self.widest = (self.rows.iter())
            .filter_map(|i| view.rows.get(*i))
            .map(|r| width(&self.label(r)))
            .max()
            .unwrap_or(0);
        self.widest_reference = (view.rows.iter())
            .map(|r| width(&inert(&r.against)))
            .max()
            .unwrap_or(0);
        self.reselect();
    }

    /// How a row is called: by its variant, and by its reference too where the name is no name.
    pub fn label(&self, row: &HeatRow) -> String {
        match self.repeated.contains(&row.name) {
            true => format!("{} / {}", inert(&row.name), inert(&row.against)),
            false => inert(&row.name).into_owned(),
        }
    }

    fn reselect(&mut self) {
        let Some([a, b]) = &self.selected else {
            return;
        };
        let place = |exact: bool| {
            (0..self.rows.len()).find(|i| {
                (self.at(*i)).is_some_and(|r| r.name == *b && (!exact || r.against == *a))
            })
        };
        if let Some(at) = place(true).or_else(|| place(false)) {
            self.row.index = at;
        }
    }

    /// Goes to the first row of a variant; nothing happens without one.
    pub fn go_to(&mut self, name: &str) {
        if self.current().is_some_and(|r| r.name == name) {
            return;
        }
        self.selected = Some([String::new(), name.to_owned()]);
        self.reselect();
        self.remember();
    }

    /// Keeps the row at hand by its names.
    pub fn remember(&mut self) {
        if let Some(row) = self.current() {
            self.selected = Some([row.against.clone(), row.name.clone()]);
        }
    }

    /// How the columns share a width.
    pub fn frame(&self, columns: u16) -> HeatFrame {
        let room = usize::from(columns).saturating_sub(2);
        let name = self.widest.clamp(7, (room / 3).clamp(7, 32));
        let names = self.columns.iter().map(|c| width(&inert(c)));
        let titles = names.max().unwrap_or(0).clamp(RATIO, 16);
        // Whole names where all workloads have room for them, else shorter ones.
        let all = name + MEAN + self.columns.len() * (titles + 1);
        let cell = 1 + match self.shows {
            CellShows::Ratio if all > room => titles.min(RATIO + 2),
            CellShows::Ratio => titles,
            CellShows::Interval => RATIO + 15,
            CellShows::Times => 23,
        };
        let spare = |used: usize| room.saturating_sub(name + used);
        // The mean goes before it takes the place of all workloads, the reference long before.
        let mean = if spare(MEAN) >= cell { MEAN } else { 0 };
        // Where rows are called by their reference too, it is there already.
        let wanted = room >= 98 && self.repeated.is_empty();
        // One blank before it.
        let whole = self.widest_reference.clamp(9, 32) + 1;
        let all = cell * self.columns.len().max(1);
        let against = match wanted {
            true if spare(mean + whole) >= all => whole,
            true if spare(mean + whole.min(18)) >= cell => whole.min(18),
            _ => 0,
        };
        HeatFrame {
            name,
            against,
            mean,
            cell,
            visible: (spare(mean + against) / cell).max(1),
        }
    }
}

impl Searched for Workloads {
    fn find(&self) -> &Find {
        &self.find
    }

    fn find_mut(&mut self) -> &mut Find {
        &mut self.find
    }

    fn hits(&self, query: &str) -> Vec<usize> {
        let rows = (0..self.rows.len()).filter_map(|i| self.at(i));
        plain_hits(rows.map(|r| format!("{} {}", r.name, r.against)), query)
    }

    fn stamp(&self) -> u64 {
        self.generation
    }

    fn place(&self) -> usize {
        self.row.index
    }

    fn go_back(&mut self, place: usize) {
        self.show(place);
    }

    fn show(&mut self, row: usize) {
        self.row.index = row;
        self.remember();
    }
}

/// What rows are ordered by.
struct Order<'v> {
    rows: &'v [HeatRow],
    sort: HeatSort,
    reversed: bool,
    workload: Option<&'v str>,
    rank: &'v HashMap<&'v str, usize>,
}

impl Order<'_> {
    /// Rows without a value come last in either direction.
    fn compare(&self, a: usize, b: usize) -> Ordering {
        let (x, y) = (&self.rows[a], &self.rows[b]);
        let turn = |o: Ordering| if self.reversed { o.reverse() } else { o };
        let absent_last = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => turn(a.total_cmp(&b)),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => Ordering::Equal,
        };
        let of = |r: &HeatRow| {
            let cell = r.cells.iter().find(|c| Some(&*c.workload) == self.workload);
            cell.and_then(|c| c.ratio)
        };
        let rank = |r: &HeatRow| self.rank.get(&*r.name).copied().unwrap_or(usize::MAX);
        let order = match self.sort {
            HeatSort::Lineage => turn(rank(x).cmp(&rank(y))),
            HeatSort::Name => turn(x.name.cmp(&y.name)),
            HeatSort::Mean => absent_last(x.ratio, y.ratio),
            HeatSort::Wins => turn(y.wins.len().cmp(&x.wins.len())),
            HeatSort::Losses => turn(x.losses.len().cmp(&y.losses.len())),
            HeatSort::Workload(_) => absent_last(of(x), of(y)),
        };
        order.then(a.cmp(&b))
    }
}

#[cfg(test)]
mod tests;
