//! The Profile screen: counters of one variant by section, and what rules found.

use std::collections::HashSet;
use std::sync::Arc;

use assay_core::view::{AuditView, CounterCompareView, CounterRow, VariantProfile};

use super::{Cursor, Slot};
use crate::document::Doc;
use crate::event::ProfileKey;

/// A row of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Row {
    /// The heading of a section.
    Section(usize),
    /// A counter, as a place in the comparison.
    Counter(usize),
}

/// The order of counters within a section, and of the sections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CounterSort {
    /// Largest weighted change first.
    #[default]
    Change,
    /// Name.
    Name,
}

/// A section that is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Name; empty where the report has none.
    pub name: String,
    /// Counters in it that the filter lets through.
    pub count: usize,
}

/// State of the screen.
#[derive(Debug, Default)]
pub struct Profile {
    /// Which counters were asked for.
    pub key: Option<ProfileKey>,
    /// The counters.
    pub slot: Slot<Arc<VariantProfile>>,
    /// What rules found.
    pub findings: Slot<AuditView>,
    /// The variant whose findings were asked for.
    pub found_of: Option<String>,
    /// Rows shown.
    pub rows: Vec<Row>,
    /// Sections shown.
    pub sections: Vec<Section>,
    /// Row at hand.
    pub cursor: Cursor,
    /// Section and counter at hand: they stay when the rows change.
    pub selected: Option<(String, String)>,
    /// Words that counters must have.
    pub filter: String,
    /// Sections whose counters are hidden.
    pub folded: HashSet<String>,
    /// Order.
    pub sort: CounterSort,
    /// Only counters that changed.
    pub changed_only: bool,
    /// Finding at hand.
    pub finding: Option<usize>,
    /// Findings and roofline take the place of the counters where both have no room.
    pub side: bool,
    /// Findings and roofline, as drawn.
    pub doc: Doc,
    /// First line of each finding in `doc`.
    pub stops: Vec<usize>,
    /// Counters that the finding at hand rests on.
    pub used: HashSet<String>,
    /// Counters before the filter.
    pub total: usize,
    /// Counters that it lets through.
    pub shown: usize,
    /// Counts changes of counters and findings.
    pub generation: u64,
}

impl Profile {
    /// The comparison.
    pub fn compared(&self) -> Option<&CounterCompareView> {
        self.slot.value.as_ref()?.counters.as_ref()
    }

    /// The counter of a row.
    pub fn counter(&self, row: usize) -> Option<&CounterRow> {
        match self.rows.get(row)? {
            Row::Counter(i) => self.compared()?.rows.get(*i),
            Row::Section(_) => None,
        }
    }

    /// Number of findings.
    pub fn found(&self) -> usize {
        self.findings.value.as_ref().map_or(0, |v| v.findings.len())
    }

    /// Drops what is of another variant or workload.
    pub fn forget(&mut self) {
        self.slot.clear();
        self.rows.clear();
        self.sections.clear();
        self.cursor = Cursor::default();
        self.selected = None;
        self.generation += 1;
    }

    /// Drops everything: there is no variant at hand.
    pub fn forget_all(&mut self) {
        let before = (self.key.take(), self.found_of.take());
        if before != (None, None) {
            self.forget();
            self.forget_findings();
        }
    }

    /// Drops the findings of another variant.
    pub fn forget_findings(&mut self) {
        self.findings.clear();
        self.finding = None;
        self.used.clear();
        self.generation += 1;
    }

    /// Makes the rows anew after counters, filter, order or folds have changed.
    pub fn arrange(&mut self) {
        let view = self.slot.value.clone();
        self.rows.clear();
        self.sections.clear();
        (self.total, self.shown) = (0, 0);
        let Some(compared) = view.as_ref().and_then(|v| v.counters.as_ref()) else {
            return;
        };
        let words: Vec<String> = self
            .filter
            .to_lowercase()
            .split_whitespace()
            .map(str::to_owned)
            .collect();
        self.total = compared.rows.len();
        // Sections in the order in which their first counter comes, in that order their counters.
        let mut of: Vec<(&str, Vec<usize>)> = Vec::new();
        let mut place = std::collections::HashMap::new();
        for (i, row) in compared.rows.iter().enumerate() {
            if (self.changed_only && !changed(row)) || !matches(row, &words) {
                continue;
            }
            let at = *place.entry(row.section.as_str()).or_insert_with(|| {
                of.push((&row.section, Vec::new()));
                of.len() - 1
            });
            of[at].1.push(i);
        }
        if self.sort == CounterSort::Name {
            of.sort_by_key(|(name, _)| *name);
            for (_, rows) in &mut of {
                rows.sort_by(|a, b| compared.rows[*a].name.cmp(&compared.rows[*b].name));
            }
        }
        for (name, rows) in of {
            self.rows.push(Row::Section(self.sections.len()));
            self.shown += rows.len();
            self.sections.push(Section {
                name: name.to_owned(),
                count: rows.len(),
            });
            // What is searched for shows, whatever is folded.
            if !self.folded.contains(name) || !words.is_empty() {
                self.rows.extend(rows.into_iter().map(Row::Counter));
            }
        }
        self.reselect();
    }

    fn reselect(&mut self) {
        let Some((section, name)) = self.selected.clone() else {
            return;
        };
        let of_counter = |p: &Self, i: usize| {
            p.counter(i)
                .is_some_and(|c| c.section == section && c.name == name)
        };
        let of_section = |p: &Self, i: usize| match p.rows.get(i) {
            Some(Row::Section(s)) => p.sections.get(*s).is_some_and(|s| s.name == section),
            _ => false,
        };
        let find = |of: &dyn Fn(&Self, usize) -> bool| (0..self.rows.len()).find(|i| of(self, *i));
        if let Some(at) = find(&of_counter).or_else(|| find(&of_section)) {
            self.cursor.index = at;
        }
    }

    /// Keeps the row at hand by its names.
    pub fn remember(&mut self) {
        let at = self.cursor.index;
        self.selected = match (self.rows.get(at), self.counter(at)) {
            (_, Some(c)) => Some((c.section.clone(), c.name.clone())),
            (Some(Row::Section(s)), _) => {
                (self.sections.get(*s)).map(|s| (s.name.clone(), String::new()))
            }
            _ => None,
        };
    }

    /// Takes a new filter.
    pub fn set_filter(&mut self, text: &str) {
        text.clone_into(&mut self.filter);
        self.arrange();
    }

    /// The section that the row at hand belongs to.
    pub fn section(&self) -> Option<&Section> {
        let up_to = self.rows.get(..=self.cursor.index)?;
        up_to.iter().rev().find_map(|r| match r {
            Row::Section(s) => self.sections.get(*s),
            Row::Counter(_) => None,
        })
    }

    /// Hides or shows the counters of the section at hand.
    pub fn fold_here(&mut self) {
        let Some(name) = self.section().map(|s| s.name.clone()) else {
            return;
        };
        if !self.folded.remove(&name) {
            self.folded.insert(name.clone());
            self.selected = Some((name, String::new()));
        }
        self.arrange();
    }

    /// Folds all sections, or unfolds them where one is folded.
    pub fn fold_all(&mut self) {
        let all: HashSet<String> = self.sections.iter().map(|s| s.name.clone()).collect();
        self.folded = match self.folded.is_empty() {
            true => all,
            false => HashSet::new(),
        };
        self.arrange();
    }

    /// Goes to the next or the previous finding, around the end.
    pub fn step_finding(&mut self, by: isize) {
        let n = self.found() as isize;
        if n == 0 {
            return;
        }
        let at = match self.finding {
            Some(at) => (at as isize + by).rem_euclid(n),
            None if by < 0 => n - 1,
            None => 0,
        };
        self.finding = Some(at as usize);
        let findings = self
            .findings
            .value
            .iter()
            .flat_map(|v| v.findings.get(at as usize));
        self.used = findings
            .flat_map(|f| &f.counters)
            .map(|c| {
                c.name
                    .trim_start_matches("a.")
                    .trim_start_matches("b.")
                    .to_owned()
            })
            .collect();
        if let Some(line) = self.stops.get(at as usize) {
            self.doc.scroll = *line;
        }
    }

    /// The workload `by` places further among those that were profiled.
    pub fn workload(&self, by: isize) -> Option<String> {
        let view = self.slot.value.as_ref()?;
        let n = view.workloads.len() as isize;
        let own = view.workload.as_ref()?;
        let at = view.workloads.iter().position(|w| w == own)? as isize;
        (n > 1).then(|| view.workloads[(at + by).rem_euclid(n) as usize].clone())
    }
}

/// Whether a counter changed by more than its digits and its threshold.
fn changed(row: &CounterRow) -> bool {
    row.changes.iter().flatten().any(|c| c.changed)
}

fn matches(row: &CounterRow, words: &[String]) -> bool {
    if words.is_empty() {
        return true;
    }
    let canonical = row.canonical.as_deref().unwrap_or_default();
    let text = format!("{} {} {canonical} {}", row.section, row.name, row.unit).to_lowercase();
    words.iter().all(|w| text.contains(w.as_str()))
}
