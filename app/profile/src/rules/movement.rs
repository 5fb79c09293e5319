//! What moved between two launches.

use super::names::Vocabulary;
use super::show;
use super::side::Side;
use crate::Direction;

/// A relative change below this, in percent, is not counted as one.
const THRESHOLD: f64 = 1.0;

/// Most counters that a list names.
const MOST: usize = 6;

/// A counter that moved.
#[derive(Debug)]
struct Moved {
    name: String,
    text: String,
    /// Relative change in percent; infinite from zero.
    size: f64,
    better: Option<bool>,
}

/// The counters that moved, largest change first.
#[derive(Debug)]
pub(super) struct Movement {
    moved: Vec<Moved>,
    pub(super) only_a: usize,
    pub(super) only_b: usize,
}

impl Movement {
    pub(super) fn between(words: &Vocabulary, a: &Side<'_>, b: &Side<'_>) -> Self {
        let mut moved = Vec::new();
        for (name, x) in a.figures() {
            let Some(y) = b.figure(name) else { continue };
            let difference = y.value - x.value;
            // What the printed digits cannot show is no change.
            if difference.abs() <= (x.resolution + y.resolution) / 2.0 * (1.0 + 1e-9) {
                continue;
            }
            let percent = difference / x.value.abs() * 100.0;
            if x.value != 0.0 && percent.abs() < THRESHOLD {
                continue;
            }
            let unit = words.unit(name).unwrap_or("1");
            let text = if x.value == 0.0 {
                format!(
                    "{name} {} -> {}",
                    show::number(x.value),
                    show::figure(y.value, unit)
                )
            } else if unit == "%" {
                let points = show::change(difference, "points");
                format!("{name} {} ({points})", show::change(percent, "%"))
            } else {
                format!("{name} {}", show::change(percent, "%"))
            };
            let better = match words.direction(name) {
                Some(Direction::Lower) => Some(difference < 0.0),
                Some(Direction::Higher) => Some(difference > 0.0),
                _ => None,
            };
            moved.push(Moved {
                name: name.to_owned(),
                text,
                size: percent.abs(),
                better,
            });
        }
        moved.sort_by(|x, y| y.size.total_cmp(&x.size).then_with(|| x.name.cmp(&y.name)));
        let lacking = |of: &Side<'_>, other: &Side<'_>| {
            of.figures()
                .filter(|(name, _)| other.figure(name).is_none())
                .count()
        };
        Self {
            moved,
            only_a: lacking(a, b),
            only_b: lacking(b, a),
        }
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
