//! From a number on a screen one key leads to what it rests on; and what there is to do in a ledger
//! that can only be read.

#![allow(clippy::unwrap_used)]

mod support;

use assay_core::view::JobState;
use assay_tui::action::{ACTIONS, Action};
use assay_tui::event::{Effect, Load};
use assay_tui::options::Options;
use assay_tui::state::{Layer, Screen};
use support::jobs::job;
use support::play::Play;
use support::{Fake, dump, published};

fn play() -> Play {
    let fake = Fake::new();
    fake.jobs.add(job("fma", JobState::Done), "== fma: bench\n");
    Play::with(fake, Options::default(), (120, 40))
}

#[test]
fn one_key_leads_from_a_number_to_its_evidence() {
    use Screen::*;
    // Where the number stands, the key, the screen, and what is seen there.
    let table: &[(&str, &str, Screen, &str)] = &[
        ("j", "enter", Variants, "Evidence"),
        ("j", "c", Compare, "Samples: square-256"),
        ("j", "d", Source, "#define TILE 64"),
        ("j", "P", Profile, "l2.hit"),
        ("j enter", "c", Compare, "Samples: square-256"),
        ("j enter", "P", Profile, "l2.hit"),
        ("j c", "P", Profile, "l2.hit"),
        ("j c", "d", Source, "#define TILE 64"),
        ("j d", "c", Compare, "Samples: square-256"),
        ("j d", "P", Profile, "l2.hit"),
        ("6", "enter", Compare, "Samples: square-256"),
        ("6", "P", Profile, "l2.hit"),
        ("6", "d", Source, "#define TILE 64"),
        ("g j j 7", "c", Compare, "Samples: square-256"),
        ("g j j 7", "d", Source, "#define TILE 64"),
        ("5 j", "c", Compare, "Samples: square-256"),
        ("5 j", "P", Profile, "l2.hit"),
        ("4", "enter", Variants, "fma"),
        ("4", "c", Compare, "Samples: square-256"),
        ("4", "P", Profile, "l2.hit"),
    ];
    for (at, key, screen, seen) in table {
        let mut p = play();
        p.keys(at).keys(key);
        let text = dump::plain(&p.state);
        assert_eq!(p.state.screen, *screen, "{at} {key}\n{text}");
        // The detail of a variant is longer than the screen.
        let detail = p
            .state
            .variants
            .detail
            .lines
            .iter()
            .map(ToString::to_string);
        let found = text.contains(seen) || detail.collect::<String>().contains(seen);
        assert!(found, "{at} {key}: no {seen} in\n{text}");
    }
    // The log of a job stands below it.
    let mut p = play();
    p.keys("4");
    assert!(dump::plain(&p.state).contains("== fma: bench"));
}

#[test]
fn a_decision_takes_three_keys_and_a_reason() {
    let mut p = play();
    p.keys("j a");
    let text = dump::plain(&p.state);
    for part in [
        "FASTER 0.858 (-14.2 %) [0.850-0.866] against tile-64",
        "prediction  l1.misses<-30%: -41.5 %  held",
        "moved  l1.misses -41.5 %",
        "vector  no evidence",
    ] {
        assert!(text.contains(part), "no {part} in\n{text}");
    }
    p.keys("\"14 % on all sizes\" enter");
    assert!(matches!(&p.effects[..], [Effect::Decide { .. }]));
}

#[test]
fn anything_can_be_compared_with() {
    let mut p = play();
    p.keys("j b");
    // Baselines come first: they have no row of their own.
    let text = dump::plain(&p.state);
    let at = |name: &str| {
        text.rfind(name)
            .unwrap_or_else(|| panic!("no {name} in\n{text}"))
    };
    assert!(at("  base") < at("  fma"), "{text}");
    p.keys("j enter");
    assert_eq!(p.state.screen, Screen::Compare);
    let pair = p.state.compare.pair.clone();
    assert_eq!(pair[1], "unroll-4");
    assert_ne!(pair[0], "unroll-4");
    // From there again, about the same one.
    p.keys("b G enter");
    assert_eq!(p.state.compare.pair[1], "unroll-4");
    assert_ne!(p.state.compare.pair[0], pair[0]);
    p.keys("b esc");
    assert!(p.state.layers.is_empty());
}

#[test]
fn medians_of_every_workload_and_their_mean_are_shown() {
    let mut p = play();
    let workloads = p
        .state
        .variants
        .list
        .value
        .as_ref()
        .unwrap()
        .workloads
        .clone();
    assert!(workloads.len() > 1);
    let mut seen = Vec::new();
    for w in &workloads {
        let text = dump::plain(&p.state);
        assert!(text.contains(&format!("median: {w}")), "{text}");
        seen.push(
            p.state
                .variants
                .median_ns(p.state.variants.find("tile-64").unwrap()),
        );
        p.keys("u");
    }
    let n = workloads.len();
    assert!(dump::plain(&p.state).contains(&format!("median: geometric mean of {n} workloads")));
    let row = p.state.variants.find("tile-64").unwrap();
    assert_eq!(p.state.variants.median_ns(row), row.geomean_ns(&workloads));
    p.keys("u");
    assert!(dump::plain(&p.state).contains(&format!("median: {}", workloads[0])));
}

#[test]
fn a_ledger_in_a_plain_folder_offers_only_what_can_be_done() {
    let fake = Fake::with(published::list());
    let mut p = Play::with(fake, Options::default(), (120, 40));
    let changes: Vec<Action> = ACTIONS
        .iter()
        .map(|a| a.action)
        .filter(|a| a.changes())
        .collect();
    for screen in ["1", "2", "3", "4", "5", "6", "7"] {
        p.keys(screen);
        let hints = dump::plain(&p.state);
        let hints = hints.lines().last().unwrap();
        assert!(
            !hints.contains("Accept") && !hints.contains("Run"),
            "{screen}: {hints}"
        );
        p.keys("?");
        let Some(Layer::Help(doc)) = p.state.layers.last() else {
            panic!("no help on {screen}");
        };
        let help: String = doc.lines.iter().map(|l| format!("{l}\n")).collect();
        assert!(
            !help.contains(" Accept\n") && !help.contains(" Reject\n"),
            "{help}"
        );
        p.keys("esc : \"accept\"");
        let Some(Layer::Palette(palette)) = p.state.layers.last() else {
            panic!("no palette on {screen}");
        };
        assert!(palette.hits.iter().all(|a| !changes.contains(a)));
        p.keys("esc");
    }
    // Whoever presses the key is told why nothing comes of it.
    for key in ["r", "a", "x", "p", "n", "E"] {
        p.keys("1");
        p.keys(key);
        let notice = p.state.notice.clone().unwrap();
        assert!(notice.text.contains("plain folder"), "{key}: {notice:?}");
        assert!(p.state.layers.is_empty() && p.effects.is_empty());
    }
    // Comparing and looking go on.
    p.keys("c");
    assert!(p.loads.iter().any(|l| matches!(l, Load::Compare(_))));
}
