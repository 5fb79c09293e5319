//! Key sequences and what they lead to: (keys, screen, selected variant).

#![allow(clippy::unwrap_used)]

mod support;

use assay_tui::Backend;
use assay_tui::event::{DiffKey, Effect, Event, Load, Loaded};
use assay_tui::options::{Lang, Options};
use assay_tui::state::{Layer, Screen};
use support::dump;
use support::play::{Play, play, run};

#[test]
fn keys_move_between_screens_and_rows() {
    use Screen::*;
    let table: &[(&str, Screen, &str)] = &[
        // The champion is selected at the start.
        ("", Variants, "tile-64"),
        ("j", Variants, "unroll-4"),
        ("down down", Variants, "unroll-8"),
        ("k k k k", Variants, "base"),
        ("G", Variants, "orphan"),
        ("end g", Variants, "base"),
        ("g pgdn", Variants, "orphan"),
        ("2", Compare, "tile-64"),
        ("5", History, "tile-64"),
        ("tab", Compare, "tile-64"),
        ("shift-tab", Report, "tile-64"),
        ("6", Workloads, "tile-64"),
        ("7", Profile, "tile-64"),
        ("j c", Compare, "unroll-4"),
        ("j c d", Source, "unroll-4"),
        ("j c d esc", Compare, "unroll-4"),
        ("j c d q q", Variants, "unroll-4"),
        ("3 4 5 1", Variants, "tile-64"),
        ("/ \"fma\" enter", Variants, "fma"),
        ("/ \"fma\" esc", Variants, "fma"),
        ("/ \"分块\" enter", Variants, "分块-寄存器-核函数优化"),
        ("s s s s g", Variants, "tile-64"),
        ("s s s s S g", Variants, "tile-128"),
        ("s s s s S G", Variants, "prefetch"),
        (": \"history\" enter", History, "tile-64"),
        (": \"历史\" enter", History, "tile-64"),
        ("ctrl-p esc", Variants, "tile-64"),
        // A record leads to its variant.
        ("5 enter", Variants, "tile-128"),
        // Fullwidth letters of an input method.
        ("ｊ ｊ", Variants, "unroll-8"),
        ("４", Jobs, "tile-64"),
    ];
    for (keys, screen, selected) in table {
        let p = run(keys);
        assert_eq!(
            (p.state.screen, p.selected()),
            (*screen, *selected),
            "{keys}"
        );
        assert!(p.state.layers.is_empty(), "{keys}");
        assert!(!p.effects.contains(&Effect::Quit), "{keys}");
    }
}

#[test]
fn only_the_root_quits_on_q() {
    for (keys, quits) in [
        ("q", true),
        ("f10", true),
        ("esc", false),
        ("5 q", false),
        ("5 q q", true),
        ("space q", false),
        ("/ \"tile\" enter q", false),
        ("/ \"tile\" enter q q", true),
        ("enter q", false),
        ("? q", false),
        ("j a \"q\" enter", false),
        ("ctrl-c", false),
        ("ctrl-c ctrl-c", true),
        ("ctrl-c j ctrl-c", false),
        ("a ctrl-c ctrl-c", true),
    ] {
        assert_eq!(run(keys).effects.contains(&Effect::Quit), quits, "{keys}");
    }
}

#[test]
fn comparing_takes_marks_or_finds_an_opponent() {
    for (keys, pair) in [
        ("j c", ["tile-64", "unroll-4"]),
        ("j j c", ["unroll-4", "unroll-8"]),
        ("space j space c", ["tile-64", "unroll-8"]),
        ("space j j c", ["tile-64", "fma"]),
        ("j c s", ["unroll-4", "tile-64"]),
        ("c", ["base", "tile-64"]),
    ] {
        let p = run(keys);
        assert_eq!(p.state.compare.pair, pair, "{keys}");
        assert!(p.state.compare.slot.value.is_some(), "{keys}");
    }
    let p = run("G c");
    assert_eq!(
        p.state.screen,
        Screen::Compare,
        "the champion is the opponent"
    );
    let p = run("j d t");
    let key = DiffKey::new("tile-64".into(), "unroll-4".into(), true);
    assert_eq!(p.loads.last(), Some(&Load::Diff(key)));
}

/// A change of source is what was done to the parent, whatever the variant was measured against.
#[test]
fn a_diff_is_against_the_parent_and_by_another_key_against_the_champion() {
    // tile-128 was made from base and measured against the champion.
    for (keys, [a, b]) in [
        ("/ \"tile-128\" enter d", ["base", "tile-128"]),
        ("/ \"tile-128\" enter 3", ["base", "tile-128"]),
        ("/ \"tile-128\" enter enter d", ["base", "tile-128"]),
        ("/ \"tile-128\" enter 7 d", ["base", "tile-128"]),
        ("/ \"tile-128\" enter 6 d", ["base", "tile-128"]),
        ("5 d", ["base", "tile-128"]),
        ("/ \"tile-128\" enter D", ["tile-64", "tile-128"]),
        ("5 D", ["tile-64", "tile-128"]),
        ("/ \"tile-128\" enter d D", ["tile-64", "tile-128"]),
        ("/ \"tile-128\" enter D d", ["base", "tile-128"]),
        // A comparison keeps its pair, and so do marks.
        ("/ \"tile-128\" enter c d", ["tile-64", "tile-128"]),
        (
            "/ \"tile-128\" enter space esc g space d",
            ["tile-128", "base"],
        ),
    ] {
        let p = run(keys);
        assert_eq!(p.state.screen, Screen::Source, "{keys}");
        let key = p.state.source.key.as_ref().unwrap();
        assert_eq!([key.a.as_str(), key.b.as_str()], [a, b], "{keys}");
        assert!(p.state.source.slot.value.is_some(), "{keys}");
    }
    // Generated source stays generated source.
    let p = run("/ \"tile-128\" enter d t D");
    let key = DiffKey::new("tile-64".into(), "tile-128".into(), true);
    assert_eq!(p.loads.last(), Some(&Load::Diff(key)));
    let p = run("D");
    let said = p.state.notice.map(|n| n.text).unwrap_or_default();
    assert!(said.contains("tile-64 is the champion"), "{said}");
    let help = dump::plain(&run("?").state);
    assert!(
        help.contains("Source diff: the champion, not the parent"),
        "{help}"
    );
}

#[test]
fn hunks_and_layout_of_the_diff() {
    let mut p = run("j d");
    assert_eq!(p.state.source.hunk(), None);
    p.keys("n");
    assert_eq!(p.state.source.hunk(), Some(0));
    p.keys("n n n");
    assert_eq!(p.state.source.hunk(), Some(1));
    p.keys("v");
    assert!(p.state.source.split(120));
    assert_eq!(p.state.source.hunk(), Some(1), "the layout keeps the place");
    p.keys("N");
    assert_eq!(p.state.source.hunk(), Some(0));
}

#[test]
fn the_path_of_the_report_stays_until_it_is_closed() {
    let mut p = run("R");
    let path = "reports/gemm-cpu.md";
    assert!(dump::plain(&p.state).contains(path));
    p.event(Event::LedgerChanged);
    p.keys("j");
    assert!(dump::plain(&p.state).contains(path));
    p.keys("esc");
    assert!(!dump::plain(&p.state).contains(path));
}

#[test]
fn the_help_explains_the_marks_of_the_table() {
    let text = dump::plain(&run("?").state);
    for words in [
        ["\u{2605}", "the champion"],
        ["\u{258c}", "the selected row"],
        ["!", "a gate failed or lacks evidence"],
        ["2+", "levels of the lineage"],
    ] {
        let found = text.lines().any(|l| words.iter().all(|w| l.contains(w)));
        assert!(found, "{words:?} in {text}");
    }
}

#[test]
fn words_of_status_and_failure_are_whole_at_120_columns() {
    let mut list = play().fake.list().unwrap();
    let failed = list.variants.iter().find(|v| v.failure.is_some());
    let template = failed.cloned().unwrap();
    let kinds = [
        "correctness",
        "exploit_suspected",
        "lowering_lost",
        "constraint",
    ];
    list.variants = kinds
        .map(|kind| {
            let mut v = template.clone();
            (v.name, v.parent) = (kind.chars().take(3).collect(), None);
            v.failure.as_mut().unwrap().kind = kind.into();
            v
        })
        .to_vec();
    list.variants[0].status = "rolled_back".into();
    let p = Play::with(support::Fake::with(list), Options::default(), (120, 40));
    let text = dump::plain(&p.state);
    let rows: Vec<String> = (text.lines().skip(2).take(5))
        .map(|l| l.chars().take(80).collect())
        .collect();
    let table = rows.join("\n");
    for word in ["rolled back", "wrong", "exploit?", "lost", "constraint"] {
        assert!(table.contains(&format!("  {word} ")), "{word} in {table}");
    }
    assert!(!table.contains('\u{2026}'), "{table}");
}

#[test]
fn a_new_variant_is_declared_and_selected() {
    let mut p = run("n enter \"tile-96\" enter enter");
    assert!(matches!(p.state.layers.last(), Some(Layer::New(n)) if n.focus == 1));
    p.keys("\"between the two\" enter");
    assert_eq!(p.selected(), "tile-96");
    assert!(matches!(&p.effects[..], [Effect::Create { parent: Some(p), .. }] if p == "tile-64"));
}

#[test]
fn the_selection_stays_on_its_variant() {
    let mut p = run("j j j");
    assert_eq!(p.selected(), "fma");
    let mut list = p.fake.list().unwrap();
    list.variants.remove(2);
    list.variants
        .insert(0, support::data::row("first", None, "new"));
    p.fake = support::Fake::with(list);
    p.event(Event::LedgerChanged);
    assert_eq!(p.selected(), "fma");
    // A variant that is gone leaves its place to its neighbour.
    let mut list = p.fake.list().unwrap();
    list.variants.retain(|v| v.name != "fma");
    p.fake = support::Fake::with(list);
    p.event(Event::LedgerChanged);
    assert!(!p.selected().is_empty());
    p.fake = support::Fake::with(assay_core::view::ListView {
        variants: vec![],
        ..p.fake.list().unwrap()
    });
    p.event(Event::LedgerChanged);
    assert_eq!(p.selected(), "");
    p.keys("j k G enter a c d r y x space esc q");
}

#[test]
fn answers_to_old_questions_are_dropped() {
    let mut p = run("j c");
    let old = p.fake.compare(&["base".into(), "fma".into()]).unwrap();
    p.event(Event::Loaded(Loaded::Compare(
        vec!["base".into(), "fma".into()],
        Ok(Box::new(old)),
    )));
    let shown = p.state.compare.slot.value.as_ref().unwrap();
    assert_eq!(shown.variants[1].name, "unroll-4");
}

#[test]
fn errors_are_shown_and_nothing_is_asked_twice() {
    let mut p = play();
    p.event(Event::Loaded(Loaded::Report(Err(
        "cannot write\nsecond line".into(),
    ))));
    assert!(matches!(p.state.layers.last(), Some(Layer::Message { .. })));
    p.keys("enter");
    assert!(p.state.layers.is_empty());
    p.event(Event::Loaded(Loaded::Show(
        "tile-64".into(),
        Err("blob missing".into()),
    )));
    let loads = p.loads.len();
    p.event(Event::FocusGained);
    p.keys("ctrl-l");
    assert_eq!(p.loads.len(), loads);
    let mut empty = Play::new(Options::default(), (80, 24));
    empty.event(Event::Loaded(Loaded::List(Err(
        "no ledger here: run `assay init`".into(),
    ))));
    assert!(dump::plain(&empty.state).contains("assay init"));
}

#[test]
fn copies_and_says_so() {
    let p = run("y y");
    assert_eq!(p.effects, [Effect::Copy("tile-64".into())]);
    assert!(run("y esc").effects.is_empty());
    let p = run("Y");
    assert!(
        matches!(&p.effects[..], [Effect::Copy(t)] if t.starts_with("tile-64\tchampion\tFASTER\t0.518\t"))
    );
    assert_eq!(run("4 y").effects, []);
}

#[test]
fn an_input_method_is_pointed_out() {
    let p = run("核");
    assert!(
        p.state
            .notice
            .as_ref()
            .is_some_and(|n| n.text.contains("input method"))
    );
    let mut p = Play::new(
        Options {
            lang: Lang::Zh,
            ..Options::default()
        },
        (80, 24),
    );
    p.keys("核");
    assert!(p.state.notice.is_some_and(|n| n.text.contains("输入法")));
}

#[test]
fn the_page_of_keys_has_every_action() {
    let page = assay_tui::keys_markdown();
    for a in assay_tui::action::ACTIONS {
        assert!(page.contains(&format!("`{}`", a.name)), "{}", a.name);
    }
}
