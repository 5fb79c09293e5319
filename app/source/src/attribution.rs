//! Facts and counters beside each other.
//!
//! A fact of the source and a counter of a run that both moved are worth reading together: loads
//! twice as wide usually go with fewer load instructions. [`LINKS`] says which facts go with which
//! counters, and in which sense. [`attribute`] looks at each pair and states what it finds, also
//! when the counter moved the other way, did not move, or was not taken. It never says that one is
//! the reason of the other: compilers change more than one thing at once, and the facts are static.

mod links;

use std::collections::BTreeMap;

use assay_core::record::Figure;
use assay_core::view::{ComparedFigure, Said, SaidValue, SourceStatement};

use crate::said::{self, Key, Lang};

pub use links::{LINKS, Link, Linked, Sense, links_as_markdown};

/// Facts by name, as [`crate::Analysis::facts`] has them.
pub type Facts = BTreeMap<String, Figure>;

/// A counter of a run by its canonical name.
#[derive(Debug, Clone, PartialEq)]
pub struct Counter {
    /// Canonical name, e.g. `inst.global.load`.
    pub name: String,
    /// Value.
    pub value: f64,
    /// Unit.
    pub unit: String,
}

/// Relative change of a counter from which on it has moved. Counters of one kernel repeat to about
/// that much.
pub const LEAST_CHANGE: f64 = 0.01;

/// Statements about the facts that differ and the counters that go with them, in the order of
/// [`LINKS`]. Facts that are the same on both sides say nothing.
pub fn attribute(
    facts_a: &Facts,
    facts_b: &Facts,
    counters_a: &[Counter],
    counters_b: &[Counter],
) -> Vec<SourceStatement> {
    let derived = |f: &Facts| with_local(with_means(f));
    let (facts_a, facts_b) = (derived(facts_a), derived(facts_b));
    let mut out = Vec::new();
    for link in LINKS {
        let get = |f: &Facts| f.get(link.fact).map(|f| f.value);
        let (Some(x), Some(y)) = (get(&facts_a), get(&facts_b)) else {
            continue;
        };
        if x == y {
            continue;
        }
        let unit = facts_b.get(link.fact).map_or("", |f| f.unit.as_str());
        let fact = compared(link.fact, unit, x, y);
        let said = [
            SaidValue::Fact(link.fact.to_owned()),
            said::step(Some(x), Some(y), unit),
        ];
        let of =
            |counters: &[Counter], name: &str| counters.iter().find(|c| c.name == name).cloned();
        let mut seen = false;
        for c in link.counters {
            let (Some(p), Some(q)) = (of(counters_a, c.name), of(counters_b, c.name)) else {
                continue;
            };
            if p.unit != q.unit || !p.value.is_finite() || !q.value.is_finite() {
                continue;
            }
            seen = true;
            let change = relative(p.value, q.value);
            let moved = change.is_none_or(|c| c.abs() >= LEAST_CHANGE) && p.value != q.value;
            let up = (q.value > p.value) == (y > x);
            let (kind, key) = match c.sense {
                _ if !moved => ("unmoved", Key::Unmoved),
                // It may go either way: no evidence for anything.
                Sense::Either => ("beside", Key::Beside),
                Sense::Same if up => ("goes-with", Key::GoesWith),
                Sense::Opposite if !up => ("goes-with", Key::GoesWith),
                _ => ("against", Key::Against),
            };
            let amount = match change {
                Some(c) => said::plain(percent(c * 100.0)),
                None => said::step(Some(p.value), Some(q.value), &q.unit),
            };
            let counter = [
                SaidValue::Counter(c.name.to_owned()),
                amount,
                said::plain(c.name),
            ];
            let values = said.iter().cloned().chain(counter);
            let counters = vec![compared(c.name, &q.unit, p.value, q.value)];
            out.push(stated(
                kind,
                said::say(key, values),
                vec![fact.clone()],
                counters,
            ));
        }
        if !seen {
            let names: Vec<&str> = link.counters.iter().map(|c| c.name).collect();
            let names = said::plain(names.join(", "));
            let said = said::say(Key::NoCounter, said.into_iter().chain([names]));
            out.push(stated("no-counter", said, vec![fact], Vec::new()));
        }
    }
    out
}

/// A statement from its sentence.
pub(crate) fn stated(
    kind: &str,
    said: Said,
    facts: Vec<ComparedFigure>,
    counters: Vec<ComparedFigure>,
) -> SourceStatement {
    SourceStatement {
        text: said::text(Lang::En, &said).unwrap_or_default(),
        said: Some(said),
        kind: kind.to_owned(),
        facts,
        counters,
    }
}

/// The facts with the mean width of loads and stores where the histogram states one.
fn with_means(facts: &Facts) -> Facts {
    let mut out = facts.clone();
    for kind in ["load", "store"] {
        for space in ["global", "shared"] {
            let prefix = format!("{kind}.{space}.b");
            let (mut n, mut bits) = (0.0, 0.0);
            for (name, f) in facts.range(prefix.clone()..) {
                let Some(width) = name.strip_prefix(&prefix) else {
                    break;
                };
                let Ok(width) = width.parse::<f64>() else {
                    continue;
                };
                n += f.value;
                bits += width * f.value;
            }
            if n > 0.0 {
                let figure = Figure {
                    value: bits / n,
                    unit: "bits".into(),
                };
                out.insert(format!("{kind}.{space}.mean_bits"), figure);
            }
        }
    }
    out
}

/// The facts with the number of accesses to local memory where they are those of instructions.
fn with_local(mut facts: Facts) -> Facts {
    if !facts.contains_key("inst.total") {
        return facts;
    }
    for kind in ["load", "store"] {
        let prefix = format!("{kind}.local.");
        let of = facts.range(prefix.clone()..);
        let value = of
            .take_while(|(name, _)| name.starts_with(&prefix))
            .map(|(_, f)| f.value)
            .sum();
        let unit = "1".to_owned();
        facts.insert(format!("{prefix}count"), Figure { value, unit });
    }
    facts
}

/// The change of `b` against `a`; `None` where that has no meaning.
fn relative(a: f64, b: f64) -> Option<f64> {
    (a != 0.0)
        .then(|| (b - a) / a.abs())
        .filter(|c| c.is_finite())
}

pub(crate) fn compared(name: &str, unit: &str, a: f64, b: f64) -> ComparedFigure {
    ComparedFigure {
        name: name.to_owned(),
        unit: unit.to_owned(),
        values: vec![Some(a), Some(b)],
        change_percent: relative(a, b).map(|c| c * 100.0),
    }
}

fn percent(p: f64) -> String {
    format!("{}{:.1} %", if p < 0.0 { "-" } else { "+" }, p.abs())
}

/// A figure in a sentence: whole, or with two digits after the point.
pub(crate) fn number(v: f64) -> String {
    if v.fract() == 0.0 && v.abs() < 1e15 {
        format!("{v:.0}")
    } else {
        format!("{v:.2}")
    }
}
