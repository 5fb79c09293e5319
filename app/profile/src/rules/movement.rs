//! What moved between two launches.

use assay_core::text::inert;
use assay_core::view::{ChangeView, CounterRow};

use super::names::Vocabulary;
use super::show;
use super::side::Side;
use crate::compare::{Column, DEFAULT_THRESHOLD, Options, mode_differs, moved, version_differs};

/// Most counters that a list names.
const MOST: usize = 6;

/// A counter that moved.
#[derive(Debug)]
struct Moved {
    text: String,
    better: Option<bool>,
}

/// The counters that moved, largest weighted change first.
#[derive(Debug)]
pub(super) struct Movement {
    moved: Vec<Moved>,
}

impl Movement {
    /// What moved from `a` to `b`; `None` where the two cannot be held against each other.
    pub(super) fn between(words: &Vocabulary, a: &Side<'_>, b: &Side<'_>) -> Option<Self> {
        if version_differs(a.profile, b.profile) || modes_differ(a, b) {
            return None;
        }
        let (left, right) = (column("A", a), column("B", b));
        // Here a time counts like any other figure; rules about time ask for it by name.
        let options = Options {
            time_threshold: DEFAULT_THRESHOLD,
            ..Options::default()
        };
        let rows = moved(left, right, &options, words.catalog());
        let moved = rows.iter().filter_map(|row| {
            let change = row.changes.get(1)?.as_ref()?;
            Some(Moved {
                text: text(row, change),
                better: change.better,
            })
        });
        Some(Self {
            moved: moved.collect(),
        })
    }

    /// How many moved in their good direction, in their bad one, or at all.
    pub(super) fn count(&self, better: Option<bool>) -> usize {
        match better {
            Some(_) => self.moved.iter().filter(|m| m.better == better).count(),
            None => self.moved.len(),
        }
    }

    /// The counters as text: those of a direction, or all.
    pub(super) fn list(&self, better: Option<bool>) -> Option<String> {
        let of_them = self
            .moved
            .iter()
            .filter(|m| better.is_none() || m.better == better);
        list(of_them.map(|m| m.text.as_str()))
    }
}

/// The first of some names, and how many more there are.
pub(super) fn list<T: AsRef<str>>(names: impl Iterator<Item = T>) -> Option<String> {
    let all: Vec<T> = names.collect();
    let named: Vec<&str> = all.iter().take(MOST).map(AsRef::as_ref).collect();
    let named = named.join(", ");
    match all.len() {
        0 => None,
        n if n > MOST => Some(format!("{named}, + {}", n - MOST)),
        _ => Some(named),
    }
}

fn column<'a>(label: &'a str, side: &Side<'a>) -> Column<'a> {
    Column {
        label,
        profile: side.profile,
        launch: side.launch,
    }
}

fn text(row: &CounterRow, change: &ChangeView) -> String {
    let name = inert(row.canonical.as_deref().unwrap_or(&row.name));
    match change.percent {
        Some(percent) if row.unit == "%" => {
            let points = show::change(change.absolute, "points");
            format!("{name} {} ({points})", show::change(percent, "%"))
        }
        Some(percent) => format!("{name} {}", show::change(percent, "%")),
        // There is no percentage of zero.
        None => format!("{name} 0 -> {}", show::figure(change.absolute, &row.unit)),
    }
}

/// Whether one report is of a kernel and the other an aggregate, or they were taken in different
/// modes of the tool.
pub(super) fn modes_differ(a: &Side<'_>, b: &Side<'_>) -> bool {
    // What a report of mcProfiler states as its peak is 1 after a single pass.
    let single = |s: &Side<'_>| s.value("roofline.flops_base").map(|v| v == 1.0);
    let passes = matches!((single(a), single(b)), (Some(x), Some(y)) if x != y);
    a.launch.scope != b.launch.scope || passes || mode_differs(a.profile, b.profile)
}

/// How many counters of one launch the other has not.
pub(super) fn only(of: &Side<'_>, other: &Side<'_>) -> usize {
    let figures = of.figures();
    figures
        .filter(|(name, _)| other.figure(name).is_none())
        .count()
}
