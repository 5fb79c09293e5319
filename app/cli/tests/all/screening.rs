//! Many candidates: screened once each, ranked, and the best confirmed with fresh samples.

use serde_json::Value;

use crate::support::Lab;

/// A champion of 151 us, and variants that take this cost beside a load of 51.
fn lab(variants: &[(&str, &str)]) -> Lab {
    let lab = Lab::new();
    lab.champion("base", &[("cost", "100"), ("load", "51")]);
    for (name, cost) in variants {
        lab.variant(name, &[("cost", cost), ("load", "51")]);
    }
    lab
}

fn fate<'v>(view: &'v Value, name: &str) -> &'v str {
    let ranking = view["screening"]["ranking"].as_array().unwrap();
    let one = ranking.iter().find(|r| r["name"] == name);
    one.unwrap()["fate"].as_str().unwrap()
}

#[test]
fn the_best_are_confirmed_and_clear_losers_are_not() {
    let lab = lab(&[
        ("quick", "60"),
        ("close", "61"),
        ("slow", "140"),
        ("wrong", "50"),
    ]);
    lab.change("wrong", &[("cost", "50"), ("error", "2")]);
    lab.ran();
    let names = ["quick", "close", "slow", "wrong"];
    let done = lab.assay(&[&["run", "--screen", "--json"], &names[..]].concat());
    assert_eq!(done.code, 1, "the wrong one is wrong: {done:#?}");
    let view = done.json();
    assert_eq!(view["screening"]["incumbent"], "base");
    assert_eq!(view["screening"]["ranking"].as_array().unwrap().len(), 3);
    assert_eq!(
        (fate(&view, "quick"), fate(&view, "slow")),
        ("keep", "drop")
    );
    assert_eq!(view["screening"]["failed"]["wrong"], "correctness in check");
    assert!(
        done.err.contains("not calibrated in this mode"),
        "{done:#?}"
    );
    assert!(done.err.contains("a ranking, no verdict"), "{done:#?}");
    // One process to screen; four or more to confirm, and none for what was dropped.
    let ran = lab.ran();
    let benches = |name: &str| {
        ran.iter()
            .filter(|r| **r == format!("bench {name}"))
            .count()
    };
    let builds = |name: &str| {
        ran.iter()
            .filter(|r| **r == format!("build {name}"))
            .count()
    };
    assert_eq!(benches("slow"), 1, "{ran:?}");
    assert!(benches("quick") >= 5, "{ran:?}");
    assert_eq!(
        (benches("wrong"), builds("quick"), builds("base")),
        (0, 1, 0)
    );

    let quick = lab.row("quick");
    assert_eq!(quick["verdict"], "FASTER");
    assert_eq!(quick["screened"]["fate"], "keep");
    let slow = lab.row("slow");
    assert!(
        slow["verdict"].is_null() && slow["ratio"].is_null(),
        "{slow:#}"
    );
    assert_eq!(
        (slow["status"].as_str(), &slow["decision"]),
        (Some("checked"), &Value::Null)
    );
    assert_eq!(slow["screened"]["against"], "base");
    assert!(slow["screened"]["ratio"].as_f64().unwrap() > 1.2);
    assert_eq!(lab.row("wrong")["status"], "failed");
    let list = lab.assay(&["list"]).ok();
    let line = list.lines().find(|l| l.contains("slow")).unwrap();
    assert!(line.contains("screened") && line.contains("1.26"), "{list}");
    assert!(list.contains("open, and no verdict"), "{list}");
    let show = lab.assay(&["show", "slow"]).ok();
    assert!(
        show.contains("drop: 1.26") && show.contains("no verdict"),
        "{show}"
    );
    let log = lab.assay(&["log"]).ok();
    assert!(
        log.contains("screened 3 variants against base; keep: "),
        "{log}"
    );
    let report = lab.assay(&["report"]).ok();
    assert!(report.contains("Variants tried: 5"), "{report}");
    assert!(
        report.contains("screened and not confirmed: slow"),
        "{report}"
    );

    // A verdict is what `accept` asks for: a rank is none.
    let accept = lab.assay(&["accept", "slow", "--reason", "x"]);
    assert_eq!(accept.code, 1, "{accept:#?}");
    let verified = lab.assay(&["verify"]).ok();
    assert!(verified.contains("1 ranking"), "{verified}");
    // What has a verdict already is not screened again.
    let again = lab.assay(&["run", "--screen", "quick", "slow", "--json"]);
    let ranking = &again.json()["screening"]["ranking"];
    assert_eq!(ranking.as_array().unwrap().len(), 1, "{again:#?}");
    lab.verify();
}

#[test]
fn few_are_kept_when_few_are_asked_for() {
    let lab = lab(&[("one", "60"), ("two", "90"), ("three", "98")]);
    let done = lab.assay(&["run", "one", "two", "three", "--screen", "--keep", "1"]);
    let text = done.ok();
    assert!(text.contains("among the 1 fastest"), "{text}");
    assert!(
        text.contains("spare: confirm it with `assay run NAME`"),
        "{text}"
    );
    assert_eq!(lab.row("one")["verdict"], "FASTER");
    for spare in ["two", "three"] {
        assert_eq!(lab.row(spare)["screened"]["fate"], "spare");
        assert!(lab.row(spare)["verdict"].is_null());
    }
    // It is confirmed later, from samples of its own.
    lab.assay(&["run", "two"]).ok();
    assert_eq!(lab.row("two")["verdict"], "FASTER");
    lab.verify();
}

#[test]
fn a_screening_that_ends_early_keeps_what_was_recorded() {
    let lab = lab(&[("one", "60"), ("two", "90")]);
    // The second one waits in its bench for somebody who never comes.
    lab.change(
        "two",
        &[("cost", "90"), ("load", "51"), ("bad", "bench-meet")],
    );
    lab.sh("mkfifo \"$HOME/meet\"");
    let mut running = lab.start(&["run", "one", "two", "--screen"]);
    // Opening it to write returns when the harness has opened it to read.
    let meet = lab.home().join("meet");
    let harness = std::fs::File::options().write(true).open(meet).unwrap();
    running.kill().unwrap();
    running.wait().unwrap();
    drop(harness);
    let row = lab.row("one");
    assert!(row["screened"]["ratio"].as_f64().unwrap() < 0.8, "{row:#}");
    assert!(row["screened"]["fate"].is_null());
    let show = lab.assay(&["show", "one"]).ok();
    assert!(show.contains("not ranked: 0.7"), "{show}");
    lab.verify();
}

#[test]
fn what_cannot_be_screened_is_refused() {
    let lab = lab(&[("one", "60")]);
    lab.assay(&["run", "one", "base", "--screen"])
        .fails(3, &["`base` is what the others are screened against"]);
    lab.assay(&["run", "one", "--keep", "3"])
        .fails(3, &["--screen"]);
    lab.assay(&["run", "one", "--screen", "--stages", "build"])
        .fails(3, &["stage `bench` is not asked for"]);
    assert!(lab.row("one")["screened"].is_null());
}
