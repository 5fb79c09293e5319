//! What the user has chosen: a selection follows no look, and a mark is neither lost nor used unseen.

#![allow(clippy::unwrap_used)]

mod support;

use assay_tui::event::{Effect, Load};
use assay_tui::options::Options;
use assay_tui::state::Screen;
use support::Fake;
use support::dump;
use support::jobs::job;
use support::play::{Play, run};

use assay_core::view::JobState;

#[test]
fn looking_at_a_screen_selects_nothing() {
    // The newest record is of tile-128.
    for keys in [
        "5 1",
        "5 6 1",
        "5 7 1",
        "5 tab tab tab 1",
        "6 1",
        "5 6 5 7 1",
    ] {
        assert_eq!(run(keys).selected(), "tile-64", "{keys}");
    }
    // A row that the user goes to is meant.
    for keys in ["5 j 7 1", "5 j 6 1"] {
        assert_eq!(run(keys).selected(), "tile-128", "{keys}");
    }
    // And only on that visit.
    assert_eq!(run("5 j 1 j 5 7 1").selected(), "unroll-4");
    // A variant without ratios leaves the map alone, and the map leaves it alone.
    let mut p = run("G");
    let last = p.selected().to_owned();
    p.keys("6 1");
    assert_eq!(p.selected(), last);
    // A comparison that was made before is of what it is of.
    assert_eq!(run("j c 1 k 2 7 1").selected(), "tile-64");
}

#[test]
fn a_job_that_is_only_looked_at_selects_nothing() {
    let fake = Fake::new();
    fake.jobs.add(job("fma", JobState::Running), "");
    let mut p = Play::with(fake, Options::default(), (120, 40));
    p.keys("4 7 1");
    assert_eq!(p.selected(), "tile-64");
}

#[test]
fn a_filter_that_hides_all_leaves_nothing_to_act_on() {
    for keys in ["d", "c", "r", "a", "x", "space", "P", "3", "2"] {
        let mut p = run("space j space / \"name:nothing\" enter");
        assert_eq!(p.state.variants.rows.len(), 0);
        p.loads.clear();
        p.effects.clear();
        p.keys(keys);
        assert_eq!(p.effects, [], "{keys}");
        assert!(p.state.layers.is_empty(), "{keys}");
        let asked = |l: &Load| matches!(l, Load::Diff(_) | Load::Compare(_));
        assert!(!p.loads.iter().any(asked), "{keys}");
    }
    // That marks are hidden is said.
    let mut p = run("space j space / \"name:nothing\" enter r");
    assert!(
        dump::plain(&p.state).contains("left out, for the filter hides them: tile-64 unroll-8")
    );
    // What shows is run, and nothing else.
    p.keys("esc / \"name:unroll\" enter r");
    assert_eq!(p.effects, [Effect::Run(vec!["unroll-8".into()])]);
    let text = dump::plain(&p.state);
    assert!(
        text.contains("left out, for the filter hides them: tile-64"),
        "{text}"
    );
}

#[test]
fn all_that_are_marked_are_compared() {
    let mut p = run("space space space c");
    let marked = ["tile-64", "unroll-4", "unroll-8"];
    assert_eq!(p.state.compare.pair, marked);
    let text = dump::plain(&p.state);
    for part in [
        "A=tile-64  B=unroll-4  C=unroll-8",
        "B/A  unroll-4",
        "C/A  unroll-8",
        "C/A",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    p.keys("s");
    assert_eq!(p.state.compare.pair, ["unroll-8", "unroll-4", "tile-64"]);
    // The first and the last of several are what is diffed.
    p.keys("s d");
    let key = p.state.source.key.clone().unwrap();
    assert_eq!((key.a.as_str(), key.b.as_str()), ("tile-64", "unroll-8"));
    assert_eq!(p.state.screen, Screen::Source);
}

#[test]
fn no_mark_is_dropped_for_another() {
    let mut p = run("g space space space space space space space space");
    assert_eq!(p.state.variants.marked.len(), 8);
    let before = p.state.variants.marked.clone();
    p.keys("space");
    assert_eq!(p.state.variants.marked, before);
    assert!(dump::plain(&p.state).contains("not marked: 8 are marked"));
    // Eight columns stand in bands where the screen has no room for them.
    p.keys("c");
    assert_eq!(p.state.compare.pair, before);
    for width in [80, 120, 200] {
        p.event(assay_tui::event::Event::Resize(width, 300));
        let text = dump::plain(&p.state);
        let heads: Vec<&str> = text
            .lines()
            .filter(|l| l.starts_with("Workloads"))
            .collect();
        let letters: Vec<&str> = heads
            .iter()
            .flat_map(|h| h.split_whitespace())
            .filter(|w| w.len() == 1)
            .collect();
        assert_eq!(letters, ["A", "B", "C", "D", "E", "F", "G", "H"], "{text}");
        assert!(heads.last().unwrap().ends_with("H/A"), "{text}");
    }
}

#[test]
fn an_empty_screen_offers_no_keys_that_do_nothing() {
    let last = |p: &Play| {
        let text = dump::plain(&p.state);
        text.trim_end().lines().last().unwrap().to_owned()
    };
    let mut p = Play::with(Fake::new(), Options::default(), (120, 40));
    p.keys("4");
    let row = last(&p);
    for key in ["Cancel the job", "Run again", "Follow", "Compare", "Search"] {
        assert!(!row.contains(key), "{key} in {row}");
    }
    assert!(row.contains("help"), "{row}");
    p.fake.jobs.add(job("fma", JobState::Running), "");
    p.look_at_jobs();
    assert!(last(&p).contains("Cancel the job"), "{}", last(&p));
    let mut list = support::data::list();
    list.variants.clear();
    for key in ["3", "2", "7"] {
        let mut p = Play::with(Fake::with(list.clone()), Options::default(), (120, 40));
        p.keys(key);
        let row = last(&p);
        for gone in ["Next hunk", "Swap", "Next finding", "Accept"] {
            assert!(!row.contains(gone), "{gone} in {row}");
        }
    }
}
