//! Which counters of different reports are the same one.

use std::collections::{BTreeMap, HashMap};

use assay_core::text::{count, inert};

use super::Column;
use super::published::is_published;
use super::unit;
use crate::{Catalog, CounterRef, Status};

/// One counter of all columns.
pub(super) struct Line<'a> {
    pub section: String,
    pub name: String,
    pub canonical: Option<String>,
    pub cells: Vec<Option<CounterRef<'a>>>,
}

impl<'a> Line<'a> {
    /// The counters that have a number, with their columns.
    pub fn values(&self) -> impl Iterator<Item = (usize, &CounterRef<'a>)> {
        let cells = self.cells.iter().enumerate();
        cells
            .filter_map(|(i, c)| Some((i, c.as_ref()?)))
            .filter(|(_, c)| c.status() == Status::Value)
    }

    /// Whether the two share no column.
    fn is_apart(&self, other: &Self) -> bool {
        let mut both = self.cells.iter().zip(&other.cells);
        both.all(|(a, b)| a.is_none() || b.is_none())
    }
}

/// The rows in the order of the base's report, then of the others', and what is to be said of how
/// they were found.
pub(super) fn lines<'a>(
    columns: &[Column<'a>],
    base: usize,
    catalog: &Catalog,
) -> (Vec<Line<'a>>, Vec<String>) {
    let mut warnings = Vec::new();
    let lines = by_key(columns, base, &mut warnings);
    (
        by_canonical(lines, columns, catalog, &mut warnings),
        warnings,
    )
}

/// Pairs counters of one tool by section and name; the second one of a name with the second one.
fn by_key<'a>(columns: &[Column<'a>], base: usize, warnings: &mut Vec<String>) -> Vec<Line<'a>> {
    let mut lines: Vec<Line<'a>> = Vec::new();
    // By tool, so that a name is looked up without being copied.
    let mut tools: HashMap<&str, HashMap<(String, String), Vec<usize>>> = HashMap::new();
    let others = (0..columns.len()).filter(|i| *i != base);
    for (i, column) in std::iter::once(base)
        .chain(others)
        .map(|i| (i, &columns[i]))
    {
        let known = tools.entry(column.profile.tool.as_str()).or_default();
        let mut repeated = 0usize;
        for c in column.launch.iter() {
            if is_published(&c) {
                continue;
            }
            let key = (c.section().to_owned(), c.name().to_owned());
            let places = known.entry(key).or_default();
            let mut taken = places.iter().filter_map(|at| lines[*at].cells[i].as_ref());
            let (mut again, mut same) = (false, false);
            for t in &mut taken {
                again = true;
                same |= t.raw() == c.raw() && t.unit() == c.unit() && t.status() == c.status();
            }
            repeated += usize::from(again && !same);
            if same {
                continue;
            }
            let free = places
                .iter()
                .copied()
                .find(|at| lines[*at].cells[i].is_none());
            let at = free.unwrap_or_else(|| {
                places.push(lines.len());
                lines.push(Line {
                    section: c.section().to_owned(),
                    name: c.name().to_owned(),
                    canonical: None,
                    cells: (0..columns.len()).map(|_| None).collect(),
                });
                lines.len() - 1
            });
            let line = &mut lines[at];
            if line.canonical.is_none() {
                line.canonical = c.canonical().map(str::to_owned);
            }
            line.cells[i] = Some(c);
        }
        if repeated > 0 {
            warnings.push(inert(&format!(
                "{}: {} in the report more than once with other figures; paired in the order of the reports.",
                column.label,
                count(repeated, "counter")
            )).into_owned());
        }
    }
    lines
}

/// Joins rows that the catalog gives one name and that no column has both of.
fn by_canonical<'a>(
    mut lines: Vec<Line<'a>>,
    columns: &[Column<'a>],
    catalog: &Catalog,
    warnings: &mut Vec<String>,
) -> Vec<Line<'a>> {
    let mut named: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, line) in lines.iter().enumerate() {
        if let Some(canonical) = &line.canonical {
            named.entry(canonical.clone()).or_default().push(at);
        }
    }
    let mut gone = vec![false; lines.len()];
    for (canonical, places) in named {
        let can_join = places.iter().enumerate().any(|(n, a)| {
            let later = &places[n + 1..];
            later.iter().any(|b| lines[*a].is_apart(&lines[*b]))
        });
        if !can_join {
            continue;
        }
        let target = catalog.get(&canonical).map(|e| e.unit.as_str());
        if let Some(column) = contradicted(&lines, &places, columns.len(), target) {
            let names: Vec<&str> = places
                .iter()
                .filter(|at| lines[**at].cells[column].is_some())
                .map(|at| lines[*at].name.as_str())
                .collect();
            warnings.push(inert(&format!(
                "{canonical}: {} has {} of this name with different figures ({}), so that none is paired with another tool's.",
                columns[column].label,
                count(names.len(), "counter"),
                names.join(", ")
            )).into_owned());
            continue;
        }
        for n in 1..places.len() {
            let later = places[n];
            let earlier = places[..n]
                .iter()
                .copied()
                .find(|at| !gone[*at] && lines[*at].is_apart(&lines[later]));
            if let Some(at) = earlier {
                let cells = std::mem::take(&mut lines[later].cells);
                for (to, from) in lines[at].cells.iter_mut().zip(cells) {
                    if to.is_none() {
                        *to = from;
                    }
                }
                // Keeps its length, for the rows that are looked at after it.
                lines[later].cells = (0..columns.len()).map(|_| None).collect();
                gone[later] = true;
            }
        }
    }
    let mut gone = gone.into_iter();
    lines.retain(|_| !gone.next().unwrap_or(false));
    lines
}

/// A column in which counters of one canonical name do not agree as far as their digits go.
fn contradicted(
    lines: &[Line<'_>],
    places: &[usize],
    columns: usize,
    unit: Option<&str>,
) -> Option<usize> {
    (0..columns).find(|column| {
        let cells = places
            .iter()
            .filter_map(|at| lines[*at].cells[*column].as_ref());
        let cells: Vec<_> = cells.collect();
        let Some((first, rest)) = cells.split_first() else {
            return false;
        };
        let unit = unit.unwrap_or(first.unit());
        let one = unit::read(first, unit);
        rest.iter().any(|c| match (&one, unit::read(c, unit)) {
            (Some(a), Some(b)) => {
                let apart = a.amount.minus(b.amount).abs();
                // Neighbours in print are different numbers.
                apart > 0.0 && apart >= (a.half() + b.half()) * (1.0 - 1e-9)
            }
            // What has no number cannot be held against the other.
            _ => true,
        })
    })
}
