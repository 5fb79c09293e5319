//! From a number on a screen one key leads to what it rests on; and what there is to do in a ledger
//! that can only be read.

#![allow(clippy::unwrap_used)]

mod support;

use assay_core::view::{JobState, LogRow};
use assay_tui::action::{ACTIONS, Action};
use assay_tui::event::{Effect, Event, Load, Loaded};
use assay_tui::options::Options;
use assay_tui::state::{Layer, Screen};
use support::jobs::job;
use support::play::{Play, run};
use support::{Fake, data, dump, published};

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

/// From every screen, and from the form of a decision, one key leads to the records: to the one that is
/// meant, or to a list from which the next key opens it.
#[test]
fn one_key_leads_to_records_logs_and_samples() {
    use Screen::*;
    let table: &[(&str, &str, Screen, &str)] = &[
        ("", "e", Variants, "FASTER 0.518 against base"),
        ("enter", "e", Variants, "FASTER 0.518 against base"),
        ("c", "ctrl-e", Compare, "FASTER 0.518 against base"),
        ("d", "e", Source, "FASTER 0.518 against base"),
        ("6 enter", "e", Compare, "FASTER 0.518 against base"),
        ("5 j", "e", History, "SLOWER 1.353 against tile-64"),
        ("8", "e", Report, "FASTER 0.518 against base"),
        ("x", "f9", Variants, "FASTER 0.518 against base"),
    ];
    for (at, key, screen, seen) in table {
        let mut p = play();
        p.keys(at).keys(key);
        let text = dump::plain(&p.state);
        assert_eq!(p.state.screen, *screen, "{at} {key}\n{text}");
        assert!(text.contains(seen), "{at} {key}: no {seen} in\n{text}");
        if *screen != History {
            assert!(matches!(p.state.layers.last(), Some(Layer::Evidence(_))));
            p.keys("j enter");
        }
        let text = dump::plain(&p.state);
        for part in [
            "bench.log (58 bytes)",
            "block 1: \\x1b[31m812 us\\x1b[0m",
            "分块 done",
            "samples.jsonl (48211 bytes)",
            "not stored here",
            "ratio: 0.518",
            "commit: 4f2a91c07be3d5a8c1f0",
        ] {
            assert!(text.contains(part), "{at} {key}: no {part} in\n{text}");
        }
        // Nothing was lost on the way: a form that was open is open again.
        let under = usize::from(*at == "x");
        p.keys("esc");
        if *screen != History {
            p.keys("esc");
        }
        assert_eq!(p.state.layers.len(), under, "{at} {key}");
    }
}

#[test]
fn a_page_of_the_report_leads_to_the_records_that_it_cites() {
    use assay_tui::ReportText;
    use assay_tui::event::{Event, Loaded};
    use assay_tui::state::report::written;
    let mut p = play();
    p.keys("8");
    let id = |n: u32| format!("01KB00000000000000000000{n:02}");
    let filler = "words\n\n".repeat(60);
    let markdown = format!(
        "# Report\n\n## One\n\n**tile-64** is faster.\n\n{filler}Records: measurement {}, verdict {}.\n\n## Two\n\nof fma\n\nRecords: {}.\n",
        id(6),
        id(7),
        id(9),
    );
    let page = ReportText {
        markdown,
        ..ReportText::default()
    };
    let lang = p.state.report.lang.unwrap();
    p.event(Event::Loaded(Loaded::Page(lang, Ok(written(page)))));
    p.keys("e");
    // Those of the chapter that is begun, although they stand below what is in view.
    let wanted = [id(6), id(7), "tile-64".into()].to_vec();
    assert_eq!(p.loads.last(), Some(&Load::Evidence(wanted)));
    p.keys("esc / \"of fma\" enter e");
    assert_eq!(
        p.loads.last(),
        Some(&Load::Evidence(vec![id(9), "fma".into()]))
    );
    p.keys("esc");
    // Where nothing is named, that is said.
    let page = ReportText {
        markdown: "nothing".into(),
        ..ReportText::default()
    };
    p.event(Event::Loaded(Loaded::Page(lang, Ok(written(page)))));
    p.keys("esc e");
    assert!(p.state.layers.is_empty());
    assert!(dump::plain(&p.state).contains("no record is named here"));
}

#[test]
fn a_record_leads_to_the_records_that_it_cites() {
    let mut p = play();
    p.keys("5 g e e");
    // What it cites is one record, which is opened at once.
    let of = |p: &Play| match p.state.layers.last() {
        Some(Layer::Record(r)) => r.id.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(of(&p), "01KB0000000000000000000008");
    p.keys("esc");
    assert_eq!(of(&p), "01KB0000000000000000000009");
    p.keys("esc");
    assert!(p.state.layers.is_empty());
}

#[test]
fn evidence_that_cannot_be_read_says_so() {
    use assay_tui::event::{Event, Loaded};
    let mut p = play();
    p.keys("e");
    let names = vec!["tile-64".to_owned()];
    p.event(Event::Loaded(Loaded::Evidence(
        names.clone(),
        Err("ledger: gone".into()),
    )));
    p.keys("enter");
    let Some(Layer::Record(r)) = p.state.layers.last() else {
        panic!("{:?}", p.state.layers)
    };
    let id = r.id.clone();
    p.event(Event::Loaded(Loaded::Record(
        id,
        Err("record 01KB: damaged".into()),
    )));
    p.event(Event::Loaded(Loaded::Record(
        "other".into(),
        Err("foreign".into()),
    )));
    let text = dump::plain(&p.state);
    assert!(!text.contains("foreign"), "{text}");
    p.keys("esc esc");
    assert!(p.state.layers.is_empty());
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
    // The mean of all first, as the command line lists it.
    let n = workloads.len();
    let mean = format!("median: geometric mean of {n} workloads");
    assert!(dump::plain(&p.state).contains(&mean));
    let row = p.state.variants.find("tile-64").unwrap();
    assert_eq!(p.state.variants.median_ns(row), row.geomean_ns(&workloads));
    for w in &workloads {
        p.keys("u");
        let text = dump::plain(&p.state);
        assert!(text.contains(&format!("median: {w}")), "{text}");
        seen.push(
            p.state
                .variants
                .median_ns(p.state.variants.find("tile-64").unwrap()),
        );
    }
    assert_ne!(seen[0], seen[1]);
    p.keys("u");
    assert!(dump::plain(&p.state).contains(&mean));
    // That they are of different sessions is said beside them, and in the help.
    let said = "medians of different rows come from";
    for (size, keys) in [
        ((200, 60), ""),
        ((120, 90), "?"),
        ((120, 40), "5"),
        ((120, 90), "5 ?"),
    ] {
        let mut p = Play::new(Options::default(), size);
        p.keys(keys);
        let text = dump::plain(&p.state);
        assert!(text.contains(said), "{keys} {text}");
    }
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

/// All that a person wrote stands in a record, not only what fits its summary.
#[test]
fn a_reason_of_several_lines_is_shown_whole() {
    let log = data::log();
    let mut view = data::record(log.records[0].clone());
    view.record.summary = "reject by person: first".into();
    view.body = serde_json::json!({"reason": "first\n\nsecond of them\nthird"});
    let mut p = run("5 e");
    let id = match p.state.layers.last() {
        Some(Layer::Record(r)) => r.id.clone(),
        other => panic!("{other:?}"),
    };
    p.event(Event::Loaded(Loaded::Record(id, Ok(Box::new(view)))));
    let text = dump::plain(&p.state);
    let at = |part: &str| {
        text.find(part)
            .unwrap_or_else(|| panic!("no {part} in {text}"))
    };
    assert!(at("person: first") < at("  second of them") && at("  second of them") < at("  third"));
}

/// Of many records that which the figures are from is selected, and those that look alike are told
/// apart by their ids.
#[test]
fn evidence_begins_at_the_record_of_the_figures() {
    let row = |i: usize, kind: &str, summary: &str| LogRow {
        id: format!("01KB00000000000000000000{i:02}"),
        at: "2026-11-29T10:00:00Z".into(),
        by: "ann".into(),
        kind: kind.into(),
        variant: Some("tile-64".into()),
        summary: summary.into(),
        supersedes: None,
    };
    let mut rows: Vec<LogRow> = (0..20).map(|i| row(i, "note", "of the review")).collect();
    rows.push(row(20, "decision", "accept by person: faster"));
    rows.push(row(21, "measurement", "8 processes"));
    rows.push(row(22, "verdict", "FASTER 0.518"));
    rows.push(row(23, "verdict", "FASTER 0.530"));
    let mut p = run("e");
    let names = vec!["tile-64".to_owned()];
    p.event(Event::Loaded(Loaded::Evidence(
        names.clone(),
        Ok(rows.clone()),
    )));
    let current = |p: &Play| match p.state.layers.last() {
        Some(Layer::Evidence(e)) => e.current().map(|r| r.summary.clone()),
        other => panic!("{other:?}"),
    };
    assert_eq!(current(&p).as_deref(), Some("FASTER 0.518"));
    let text = dump::plain(&p.state);
    assert!(
        text.contains("FASTER 0.518"),
        "what is selected is in view: {text}"
    );
    assert!(
        text.contains("…000019 of the review") && !text.contains("…000022"),
        "{text}"
    );
    // Without a verdict it is the measurement, and without any of them the newest.
    rows.retain(|r| r.kind != "verdict");
    p.event(Event::Loaded(Loaded::Evidence(
        names.clone(),
        Ok(rows.clone()),
    )));
    assert_eq!(current(&p).as_deref(), Some("8 processes"));
    rows.retain(|r| r.kind == "note");
    p.event(Event::Loaded(Loaded::Evidence(names, Ok(rows))));
    assert_eq!(current(&p).as_deref(), Some("of the review"));
    let p = run("4 e");
    let said = p.state.notice.map(|n| n.text).unwrap_or_default();
    assert!(said.contains("No jobs"), "{said}");
}
