//! No screen shows a part of a number: the rest of one reads as another.

#![allow(clippy::unwrap_used)]

mod support;

use std::collections::BTreeSet;

use assay_tui::cut::numbers;
use assay_tui::event::{Event, Loaded};
use assay_tui::options::{Lang, Options};
use support::dump;
use support::play::Play;

/// Screens and layers with figures, by the keys that lead there.
const KEYS: &[&str] = &[
    "",
    "j j j j j",
    "j j enter",
    "j j c",
    "space j space j space j space c",
    "j j d t n",
    "j j d t z",
    "6",
    "6 j l v",
    "6 j l v v",
    "7",
    "g 7 v",
    "5",
    "8",
    "8 ] ] ] l l",
    "8 ] ] ] l l l l l",
    "j j a",
    "j x",
    "e",
    "5 e",
];

/// Numbers with a point or commas in them: of the others any may be part of any.
fn figures(screen: &str) -> BTreeSet<String> {
    let rows = screen.lines();
    rows.flat_map(|row| numbers(row).into_iter().map(|r| row[r].to_owned()))
        .map(|n| n.trim_start_matches(['+', '-']).to_owned())
        .filter(|n| n.contains(['.', ',']))
        .collect()
}

#[test]
fn no_number_is_cut_in_its_middle() {
    for lang in [Lang::En, Lang::Zh] {
        for keys in KEYS {
            let mut play = Play::new(
                Options {
                    lang,
                    ..Options::default()
                },
                (500, 400),
            );
            play.keys(keys);
            let whole = figures(&dump::plain(&play.state));
            for columns in (20..=200).step_by(7) {
                for rows in [24, 60] {
                    play.event(Event::Resize(columns, rows));
                    let text = dump::plain(&play.state);
                    let faults = cut(&text, &whole);
                    assert!(
                        faults.is_empty(),
                        "{faults:?} at {columns}x{rows} after {keys:?}:\n{text}"
                    );
                }
            }
        }
    }
}

/// Parts of whole numbers on a screen, a point with nothing behind it among them.
fn cut(screen: &str, whole: &BTreeSet<String>) -> Vec<String> {
    let part = |n: &String| {
        whole
            .iter()
            .any(|w| w.starts_with(n.as_str()) || w.ends_with(n.as_str()))
    };
    let mut out: Vec<String> = figures(screen)
        .difference(whole)
        .filter(|n| part(n))
        .cloned()
        .collect();
    for row in screen.lines() {
        for r in numbers(row) {
            let dotted = format!("{}.", &row[r.clone()]);
            let ends = |t: &str| t.is_empty() || t.starts_with('│');
            if row[r.end..].strip_prefix('.').is_some_and(ends)
                && whole.iter().any(|w| w.starts_with(&dotted))
            {
                out.push(dotted);
            }
        }
    }
    out
}

/// A name is not cut where there is room behind the figures.
#[test]
fn names_of_compared_figures_take_what_is_free() {
    let mut play = Play::new(Options::default(), (80, 24));
    play.keys("j j c");
    let mut view = play.state.compare.slot.value.clone().unwrap();
    view.counters[0].name = "cache.ll.instruction_misses".into();
    let pair = play.state.compare.pair.clone();
    play.event(Event::Loaded(Loaded::Compare(pair, Ok(Box::new(view)))));
    play.event(Event::Resize(80, 100));
    let text = dump::plain(&play.state);
    assert!(text.contains("  cache.ll.instruction_misses "), "{text}");
}
