//! The table of variants: columns, filter, export.

#![allow(clippy::unwrap_used)]

mod support;

use assay_tui::event::{Effect, Event};
use assay_tui::options::{Lang, Options};
use assay_tui::state::Layer;
use assay_tui::state::columns::Kind;
use support::dump;
use support::play::Play;

fn run(size: (u16, u16), keys: &str) -> Play {
    let mut p = Play::new(Options::default(), size);
    p.keys(keys);
    p
}

fn head(p: &Play) -> String {
    dump::plain(&p.state).lines().nth(2).unwrap().to_owned()
}

#[test]
fn columns_are_chosen_and_stay_chosen() {
    // The last of the list is the hypothesis.
    let mut p = run((120, 40), "C G space");
    assert!(p.state.variants.columns.kinds().contains(&Kind::Why));
    p.keys("esc 5 1 f5");
    assert!(p.state.layers.is_empty() && p.state.variants.columns.is_own());
    p.keys("C j space esc");
    assert!(!head(&p).contains("status"), "{}", head(&p));
    // The first of the list is the way back.
    p.keys("C space esc");
    assert!(!p.state.variants.columns.is_own());
    assert!(head(&p).contains("status"));
}

#[test]
fn the_name_stays_while_columns_scroll() {
    let mut p = run((60, 20), "");
    assert!(!head(&p).contains("gates"));
    p.keys("l l l l l");
    assert!(
        head(&p).contains("variant") && head(&p).contains("gates"),
        "{}",
        head(&p)
    );
    assert!(!head(&p).contains("status"));
    p.keys("l l l");
    assert!(head(&p).contains("gates"), "the last one stays");
    p.keys("h h h h h h");
    assert!(head(&p).contains("verdict"));
}

#[test]
fn the_view_is_written_as_it_stands() {
    let p = run((120, 40), "/ \"name~tile-64\" enter w enter");
    let Some(Effect::SaveTable { name, text }) = p.effects.first() else {
        panic!()
    };
    assert_eq!(name, "variants.csv");
    let lines: Vec<&str> = text.lines().collect();
    assert!(
        lines[0].starts_with("variant,status,verdict,ratio,interval_low,interval_high,geomean_ns,")
    );
    assert!(lines[0].ends_with("gates_passed,gates"), "{}", lines[0]);
    assert!(lines[1].starts_with("tile-64,champion,"), "{}", lines[1]);
    assert_eq!(lines.len(), 2);
    assert!(dump::plain(&p.state).contains("reports/variants.csv"));
}

#[test]
fn the_clipboard_takes_tabs_and_says_how_much() {
    let mut p = Play::new(
        Options {
            lang: Lang::Zh,
            ..Options::default()
        },
        (120, 40),
    );
    p.keys("C j j j j j j j j j j j j j space esc w j j enter");
    let Some(Effect::Copy(text)) = p.effects.first() else {
        panic!()
    };
    let rows = text.lines().count();
    assert_eq!(rows, 14, "a header and all variants");
    let head: Vec<&str> = text.lines().next().unwrap().split('\t').collect();
    assert_eq!(head[0], "variant", "names do not depend on the language");
    assert!(text.lines().all(|l| l.split('\t').count() == head.len()));
    assert!(!text.contains('\x1b'));
    assert!(dump::plain(&p.state).contains("13 行"));
}

#[test]
fn nothing_to_write_is_said() {
    let p = run((120, 40), "/ \"no such thing\" enter w");
    assert!(p.state.layers.is_empty() && p.effects.is_empty());
    assert!(p.state.notice.is_some());
    let p = run((120, 40), "w esc");
    assert!(p.state.layers.is_empty() && p.effects.is_empty());
    assert!(matches!(
        run((120, 40), "w").state.layers.last(),
        Some(Layer::Pick(_))
    ));
}

#[test]
fn every_table_is_written_as_it_stands() {
    // The screen, the file, how its header begins, how a row of it begins, rows.
    let table: &[(&str, &str, &str, &str)] = &[
        (
            "6 w",
            "workloads.csv",
            "variant,reference,geomean,wins,losses,ratio square-256",
            "tile-64,base,",
        ),
        (
            "6 v w",
            "workloads.csv",
            "variant,reference,geomean,wins,losses,ratio square-256,interval_low",
            "tile-64,base,",
        ),
        (
            "6 v v w",
            "workloads.csv",
            "variant,reference,geomean,wins,losses,median_ns square-256,reference_median_ns",
            "tile-64,base,",
        ),
        ("7 w", "counters.csv", "section,counter,canonical,", ""),
        (
            "5 w",
            "history.csv",
            "id,at,kind,variant,summary,by,supersedes",
            "01KB0000000000000000000009,",
        ),
    ];
    for (keys, file, head, row) in table {
        let p = run((120, 40), &format!("{keys} enter"));
        let Some(Effect::SaveTable { name, text }) = p.effects.first() else {
            panic!("{keys}: {:?}", p.effects)
        };
        assert_eq!(name, file, "{keys}");
        let mut lines = text.lines();
        let first = lines.next().unwrap();
        assert!(first.starts_with(head), "{keys}: {first}");
        assert!(text.lines().count() > 2, "{keys}: {text}");
        assert!(lines.any(|l| l.starts_with(row)), "{keys}: {text}");
        assert!(!text.contains('\x1b'), "{keys}");
    }
    // What the filter hides is not written.
    let lines = |keys: &str| match run((120, 40), keys).effects.first() {
        Some(Effect::SaveTable { text, .. }) => text.lines().count(),
        other => panic!("{other:?}"),
    };
    assert!(lines("7 / \"l2\" enter w enter") < lines("7 w enter"));
}

#[test]
fn a_later_failure_and_a_stale_branch_show_in_the_list_and_in_the_detail() {
    let mut list = support::data::list();
    for v in &mut list.variants {
        match v.name.as_str() {
            "unroll-4" => {
                v.later_failure = Some(assay_core::view::FailureView {
                    kind: "infra".into(),
                    stage: "bench".into(),
                    message: "bench: the device fell off the bus".into(),
                    stderr_tail: "Xid 79\x1b[2J".into(),
                });
            }
            "fma" => v.stale = true,
            _ => {}
        }
    }
    let fake = support::Fake::with(list);
    let mut p = Play::with(fake, Options::default(), (120, 40));
    p.keys("j");
    let text = dump::plain(&p.state);
    let row = |name: &str| {
        let row = text.lines().find(|l| l.contains(name)).unwrap();
        row.chars().take(4).collect::<String>()
    };
    assert_eq!(row("─unroll-4"), "▌  x");
    assert_eq!(row("─fma"), "   s");
    assert_eq!(row("─unroll-8"), "    ");
    for part in [
        "A later run failed: infra (bench)",
        "the device fell off the bus",
        "Xid 79\\x1b[2J",
        "The evidence before it stands",
    ] {
        assert!(text.contains(part), "no {part} in\n{text}");
    }
    p.keys("? pgdn");
    assert!(dump::plain(&p.state).contains("a later run failed; the evidence stands"));
}

/// What is beside an empty table belongs to nothing in it.
#[test]
fn no_detail_stands_beside_an_empty_table() {
    let mut play = Play::new(Options::default(), (120, 40));
    play.keys("j j");
    assert!(dump::plain(&play.state).contains("commit    4f2a91c07be3"));
    play.keys("/ \"zzz\" enter");
    let text = dump::plain(&play.state);
    assert!(
        text.contains("No variant matches") && !text.contains("commit"),
        "{text}"
    );
    play.keys("esc");
    assert!(dump::plain(&play.state).contains("commit    4f2a91c07be3"));
    // The ledger is gone, with the detail on the whole screen, and beside the table.
    for keys in ["", "enter"] {
        let mut play = Play::new(Options::default(), (120, 40));
        play.keys("j j").keys(keys);
        play.fake.empty();
        play.event(Event::LedgerChanged);
        let text = dump::plain(&play.state);
        assert!(
            text.contains("Variants  0") && !text.contains("commit"),
            "{text}"
        );
        for keys in ["6", "7"] {
            play.keys(keys);
            let text = dump::plain(&play.state);
            assert!(
                !text.contains("unroll") && !text.contains("l1.misses"),
                "{text}"
            );
        }
    }
}

/// A failure, a gate in the way and an overridden gate show at every width, with the column of the
/// gates or without it.
#[test]
fn gates_that_failed_or_were_overridden_have_their_marks() {
    let mut list = support::data::list();
    for v in &mut list.variants {
        let mut gate = support::data::gate("kernel", Some(false), "not built");
        match v.name.as_str() {
            "prefetch" => v.gates = vec![gate],
            "fma" => {
                gate.overridden = Some("known".into());
                v.gates = vec![support::data::gate("correct", Some(true), "0"), gate];
            }
            _ => {}
        }
    }
    for (columns, marks) in [
        (80, ["compile!", "FASTER^", "FASTER!"]),
        (100, ["compile!", "FASTER^", "FASTER!"]),
        (200, ["0/1!", "1/2^", "2/3!"]),
    ] {
        let fake = support::Fake::with(list.clone());
        let p = Play::with(fake, Options::default(), (columns, 40));
        let text = dump::plain(&p.state);
        for (name, mark) in ["prefetch", "fma", "unroll-4"].into_iter().zip(marks) {
            let row = text.lines().find(|l| l.contains(name)).unwrap();
            assert!(
                row.contains(mark),
                "no {mark} of {name} at {columns}:\n{text}"
            );
        }
    }
    let help = dump::plain(&run((120, 90), "?").state);
    assert!(
        help.contains("^                  a gate was overridden"),
        "{help}"
    );
}
