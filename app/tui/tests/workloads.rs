//! The Workloads screen: the map scrolls both ways, and every cell leads to its evidence.

#![allow(clippy::unwrap_used)]

mod support;

use std::time::{Duration, Instant};

use assay_tui::event::{Effect, Event, Load};
use assay_tui::options::{ColorLevel, Lang, Options};
use assay_tui::state::Screen;
use assay_tui::state::workloads::{CellShows, HeatSort};
use ratatui::style::Color;
use support::play::Play;
use support::{Fake, dump, heat};

fn at(size: (u16, u16), keys: &str) -> Play {
    let mut p = Play::new(Options::default(), size);
    p.keys(keys);
    p
}

#[test]
fn the_ratios_are_read_once_and_the_samples_of_the_row_at_hand() {
    let p = at((120, 40), "6 j k 1 6");
    let heat = p.loads.iter().filter(|l| **l == Load::Heat).count();
    assert_eq!(heat, 1);
    let pair = |a: &str, b: &str| Load::Samples([a.into(), b.into()]);
    let samples: Vec<&Load> = (p.loads.iter())
        .filter(|l| matches!(l, Load::Samples(_)))
        .collect();
    assert_eq!(
        samples,
        [
            &pair("base", "tile-64"),
            &pair("tile-64", "unroll-4"),
            &pair("base", "tile-64")
        ]
    );
    assert!(dump::plain(&p.state).contains("n=96"));
}

#[test]
fn a_ledger_that_changed_is_read_again_and_the_row_stays() {
    let mut p = at((120, 40), "6 j l");
    p.event(Event::LedgerChanged);
    assert_eq!(p.loads.iter().filter(|l| **l == Load::Heat).count(), 2);
    let w = &p.state.workloads;
    assert_eq!(w.current().unwrap().name, "unroll-4");
    assert_eq!(w.workload(), Some("square-512"));
}

#[test]
fn the_row_at_hand_is_the_variant_at_hand_everywhere() {
    let mut p = at((120, 40), "6 j");
    assert_eq!(p.selected(), "unroll-4");
    p.keys("1 j 6");
    assert_eq!(p.state.workloads.current().unwrap().name, "unroll-8");
    // A variant without ratios leaves the map where it was.
    p.keys("1 G 6");
    assert_eq!(p.state.workloads.current().unwrap().name, "unroll-8");
    // A filter that hides the row is dropped rather than the row.
    let mut p = at((120, 40), "/ \"fma\" enter 6");
    p.keys("k");
    assert_ne!(p.selected(), "fma");
}

#[test]
fn a_cell_leads_to_its_samples_and_its_counters() {
    let mut p = at((120, 40), "6 enter");
    assert_eq!(p.state.screen, Screen::Compare);
    assert_eq!(p.state.compare.pair, ["base", "tile-64"]);
    let text = dump::plain(&p.state);
    let body = text.lines().nth(2).unwrap();
    assert!(
        body.contains("Samples: square-256") || text.contains("Samples: square-256"),
        "{text}"
    );
    p.keys("esc");
    assert_eq!(p.state.screen, Screen::Workloads);
    p.keys("l P");
    assert_eq!(p.state.screen, Screen::Profile);
    let key = p.state.profile.key.clone().unwrap();
    assert_eq!(key.variant, "tile-64");
    assert_eq!(key.workload.as_deref(), Some("square-512"));
    p.keys("esc d");
    assert_eq!(p.state.screen, Screen::Source);
    assert_eq!(p.state.source.key.as_ref().unwrap().a, "base");
}

#[test]
fn sorts_turn_and_cells_change_what_they_show() {
    let mut p = at((120, 40), "6");
    assert_eq!(p.state.workloads.shows, CellShows::Ratio);
    p.keys("v");
    assert!(dump::plain(&p.state).contains("[0.510-0.526]"));
    p.keys("v");
    assert!(dump::plain(&p.state).contains("1.800 ms / 2 ms"));
    p.keys("v l o");
    assert_eq!(p.state.workloads.sort, HeatSort::Workload(1));
    let ratio = |p: &Play, i: usize| {
        let w = &p.state.workloads;
        w.cell(w.at(i).unwrap(), 1).unwrap().ratio.unwrap()
    };
    let n = p.state.workloads.rows.len();
    assert!((1..n).all(|i| ratio(&p, i - 1) <= ratio(&p, i)));
    p.keys("S");
    assert!((1..n).all(|i| ratio(&p, i - 1) >= ratio(&p, i)));
    assert_eq!(p.state.workloads.current().unwrap().name, "tile-64");
    p.keys("s");
    assert_eq!(p.state.workloads.sort, HeatSort::Name);
}

#[test]
fn a_cell_is_copied_with_its_figures() {
    let p = at((120, 40), "6 Y");
    let copied = p.effects.iter().find_map(|e| match e {
        Effect::Copy(t) => Some(t.as_str()),
        _ => None,
    });
    let cells: Vec<&str> = copied.unwrap().split('\t').collect();
    assert_eq!(cells[..4], ["tile-64", "base", "square-256", "0.518"]);
    assert_eq!(cells.len(), 8);
}

#[test]
fn the_first_column_stays_while_the_others_scroll() {
    let mut p = at((80, 24), "6");
    p.state.workloads.slot.set(Ok(heat::large(500, 15)));
    p.state.workloads.arrange(None);
    p.keys("g");
    let begun = Instant::now();
    for _ in 0..14 {
        p.keys("l");
        let text = dump::plain(&p.state);
        assert!(text.contains("v00000"), "{text}");
    }
    for _ in 0..30 {
        p.keys("j");
        dump::buffer(&p.state);
    }
    let frame = begun.elapsed() / 44;
    eprintln!("key to buffer, 500 x 15 cells: {frame:?}");
    // A frame is 16 ms; this is an unoptimised build on whatever machine runs it.
    assert!(frame < Duration::from_millis(100), "{frame:?}");
    let text = dump::plain(&p.state);
    assert!(
        text.contains("columns from 12-15 of 15") && text.contains("v00030"),
        "{text}"
    );
    assert_eq!(p.state.workloads.workload(), Some("workload-14"));
    p.keys("G");
    assert_eq!(p.state.workloads.row.index, 499);
    p.event(Event::Resize(500, 200));
    dump::buffer(&p.state);
}

#[test]
fn ratios_read_without_colours_and_in_ascii() {
    let options = Options {
        color_level: ColorLevel::None,
        ascii: true,
        ..Options::default()
    };
    let mut p = Play::new(options, (120, 40));
    p.keys("6");
    let text = dump::plain(&p.state);
    for part in ["v 0.518", "^ 1.123!", "~ 1.009", "*tile-64"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let (buf, _) = dump::buffer(&p.state);
    let plain = |c: Option<Color>| c.is_none_or(|c| c == Color::Reset);
    assert!((buf.content.iter()).all(|c| plain(c.style().fg) && plain(c.style().bg)));
}

#[test]
fn with_more_colours_a_shade_names_both_its_colours() {
    let options = Options {
        lang: Lang::Zh,
        color_level: ColorLevel::Ansi256,
        ..Options::default()
    };
    let mut p = Play::new(options, (120, 40));
    p.keys("6");
    let (buf, _) = dump::buffer(&p.state);
    let shaded = buf
        .content
        .iter()
        .filter(|c| matches!(c.bg, Color::Indexed(_)));
    let fore: Vec<Color> = shaded.map(|c| c.fg).collect();
    assert!(fore.len() > 40 && fore.iter().all(|c| matches!(c, Color::Indexed(_))));
}

#[test]
fn without_ratios_it_says_how_to_get_some() {
    let mut list = support::data::list();
    list.variants.retain(|v| v.verdict.is_none());
    let mut p = Play::with(Fake::with(list), Options::default(), (80, 24));
    p.keys("6");
    assert!(dump::plain(&p.state).contains("press r on a variant"));
    p.keys("l j v o enter P esc");
}

#[test]
fn a_ledger_that_can_only_be_read_is_not_told_to_measure() {
    for (read_only, words, others) in [
        (false, "press", "No ratios in this ledger."),
        (true, "No ratios in this ledger.", "press"),
    ] {
        let mut p = at((120, 40), "6");
        p.event(Event::ReadOnly(read_only));
        p.state.workloads.slot.value = None;
        let text = dump::plain(&p.state);
        assert!(text.contains(words) && !text.contains(others), "{text}");
    }
}
