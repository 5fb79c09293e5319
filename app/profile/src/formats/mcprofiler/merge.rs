//! Several flavours of one report put together: numbers from the one with all digits, units and
//! derived rows from those for people. What they say of one figure is held against each other.

use std::collections::{BTreeSet, HashMap};

use smol_str::SmolStr;

use crate::{Counter, Status};

/// Rows of one name are paired up to this number; they are marked as repeated all the same.
const MOST_REPEATED: usize = 16;

/// The counters of one flavour.
pub(super) struct Part {
    pub(super) flavour: &'static str,
    /// Whether its numbers have all their digits.
    pub(super) is_raw: bool,
    pub(super) counters: Vec<Counter>,
}

/// Puts the flavours of one report together, the leading one first; with the result, how many
/// figures they contradict each other in.
pub(super) fn merge(parts: Vec<Part>) -> (Vec<Counter>, u64) {
    let mut parts = parts.into_iter();
    let Some(lead) = parts.next() else {
        return (Vec::new(), 0);
    };
    let mut merged = Merged {
        flavour: lead.flavour,
        index: HashMap::with_capacity(lead.counters.len()),
        counters: lead.counters,
        contradicted: BTreeSet::new(),
    };
    for at in 0..merged.counters.len() {
        merged.enter(at);
    }
    for part in parts {
        merged.add(part);
    }
    (merged.counters, merged.contradicted.len() as u64)
}

struct Merged {
    flavour: &'static str,
    counters: Vec<Counter>,
    /// By name: where its counters are; a name mostly has one.
    index: HashMap<SmolStr, Vec<usize>>,
    /// Figures that a flavour contradicts; each counts once, however many do.
    contradicted: BTreeSet<usize>,
}

impl Merged {
    fn enter(&mut self, at: usize) {
        let name = self.counters[at].name.clone();
        self.index.entry(name).or_default().push(at);
    }

    fn add(&mut self, part: Part) {
        let lead = self.counters.len();
        let mut used = vec![false; lead];
        for c in part.counters {
            if part.is_raw && c.status == Status::Error {
                self.spoil_chart(&c, lead);
            }
            let found = self.find(&c, &used);
            let Some(at) = found else {
                self.counters.push(c);
                // Rows of the same name in one part are rows of their own.
                used.push(true);
                self.enter(self.counters.len() - 1);
                continue;
            };
            used[at] = true;
            let alone = self.index[&c.name].len() == 1;
            self.join(at, c, part.flavour, part.is_raw, alone);
        }
    }

    /// A row that the tool calls an error is one as a whole: so are the figures that others print of its chart.
    fn spoil_chart(&mut self, row: &Counter, lead: usize) {
        for (at, b) in self.counters.iter_mut().enumerate().take(lead) {
            let in_chart =
                (b.name.strip_prefix(row.name.as_str())).is_some_and(|rest| rest.starts_with('.'));
            let same = b.section == row.section || b.section.is_empty();
            if in_chart && same && b.status == Status::Value {
                self.contradicted.insert(at);
                b.suspect.push(format_in(self.flavour, &b.raw));
                b.suspect.extend(row.suspect.iter().cloned());
                (b.status, b.value, b.resolution) = (Status::Error, None, None);
            }
        }
    }

    /// The counter of the same key that no other row of the part has taken. A flavour without
    /// sections is matched by the name, if only one counter has it.
    fn find(&self, c: &Counter, used: &[bool]) -> Option<usize> {
        let places = self.index.get(&c.name)?;
        if places.len() > MOST_REPEATED {
            return None;
        }
        let free = |at: &&usize| !used[**at];
        let same = |at: &&usize| self.counters[**at].section == c.section;
        if let Some(at) = places.iter().filter(free).find(same) {
            return Some(*at);
        }
        match places.as_slice() {
            [only] if c.section.is_empty() && free(&only) => Some(*only),
            _ => None,
        }
    }

    fn join(&mut self, at: usize, c: Counter, flavour: &str, is_raw: bool, alone: bool) {
        let lead = self.flavour;
        let b = &mut self.counters[at];
        let printed = format_in(lead, &b.raw);
        match (b.status, c.status) {
            (Status::Value, Status::Value) => {
                let same_unit = b.unit == c.unit;
                if !agree(b, &c) {
                    self.contradicted.insert(at);
                    let other = format_in(flavour, &c.raw);
                    b.suspect.push(format!("contradiction: {printed}, {other}"));
                } else if alone && same_unit && c.suspect.is_empty() {
                    // A doubt about one flavour is settled by another one.
                    b.suspect.clear();
                }
                if is_raw || finer(&c, b) {
                    b.value = c.value;
                    b.resolution = c.resolution;
                    b.raw = c.raw;
                    for s in c.suspect {
                        if !b.suspect.contains(&s) {
                            b.suspect.push(s);
                        }
                    }
                }
            }
            (Status::Absent, Status::Value) => replace(b, c),
            (Status::Error | Status::Text, Status::Value) => {
                replace(b, c);
                b.suspect.push(printed);
            }
            // What the tool itself calls an error is none of the figures it prints all the same.
            (Status::Value, Status::Error) if is_raw => {
                self.contradicted.insert(at);
                replace(b, c);
                b.suspect.push(printed);
            }
            _ => {}
        }
    }
}

fn format_in(flavour: &str, raw: &str) -> String {
    format!("`{}` in the {flavour}", super::input::shown(raw))
}

fn replace(b: &mut Counter, c: Counter) {
    let section = std::mem::take(&mut b.section);
    *b = c;
    if !section.is_empty() {
        b.section = section;
    }
}

fn finer(a: &Counter, b: &Counter) -> bool {
    matches!((a.resolution, b.resolution), (Some(a), Some(b)) if a < b)
}

/// Whether two flavours can mean the same number: integers are equal, others as far as the digits
/// that were printed go.
fn agree(a: &Counter, b: &Counter) -> bool {
    let (Some(x), Some(y)) = (&a.value, &b.value) else {
        return false;
    };
    if !x.is_f64() && !y.is_f64() {
        return x == y;
    }
    let (Some(x), Some(y)) = (x.as_f64(), y.as_f64()) else {
        return false;
    };
    let half = |c: &Counter| c.resolution.unwrap_or(0.0) / 2.0;
    let rounding = x.abs().max(y.abs()) * f64::EPSILON * 4.0;
    (x - y).abs() <= (half(a) + half(b)) * (1.0 + 1e-9) + rounding
}
