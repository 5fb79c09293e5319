//! Decisions of two people at a time, and what a form is shown beforehand.

use std::path::Path;
use std::sync::Barrier;

use super::*;
use crate::demo;
use crate::variants::NewVariant;
use crate::workbench::{Dirs, Options};

/// The campaign of the demo with variants of which nothing was run.
fn campaign(at: &Path, names: &[&str]) -> Workbench {
    let options = Options {
        dir: at.join("lab"),
        dirs: Dirs {
            cache: at.join("cache"),
            state: at.join("state"),
            data: at.join("data"),
            locks: at.join("locks"),
        },
        author: Some("ann".into()),
        campaign: None,
    };
    let bench = demo::prepare(&at.join("lab"), &options).unwrap();
    for name in names {
        bench
            .new_variant(&NewVariant {
                name: (*name).into(),
                from: Some("HEAD".into()),
                why: "an idea".into(),
                family: None,
                knobs: Vec::new(),
                predictions: Vec::new(),
            })
            .unwrap();
    }
    bench
}

/// An acceptance against whoever is champion: that nothing was measured is set aside too.
fn set_aside(name: &str) -> Request {
    let mut request = accept(name);
    let better = (gates::VERDICT.into(), "it is better".into());
    request.overrides.push(better);
    request
}

/// Nothing was run, and that is set aside.
fn request(name: &str, kind: DecisionKind) -> Request {
    let accepts = kind == DecisionKind::Accept;
    let aside = accepts.then(|| {
        (
            gates::EVIDENCE.to_owned(),
            "known from elsewhere".to_owned(),
        )
    });
    Request {
        name: name.into(),
        kind,
        reason: "thought over".into(),
        overrides: aside.into_iter().collect(),
        decided_by: "person",
        seen: None,
    }
}

fn accept(name: &str) -> Request {
    request(name, DecisionKind::Accept)
}

#[test]
fn of_two_acceptances_at_once_the_second_is_judged_against_the_first() {
    let at = tempfile::tempdir().unwrap();
    let bench = campaign(at.path(), &["one", "two"]);
    let start = Barrier::new(2);
    let results: Vec<_> = std::thread::scope(|s| {
        let one = ["one", "two"].map(|name| {
            let (options, start) = (bench.options.clone(), &start);
            s.spawn(move || {
                let bench = Workbench::open(options).unwrap();
                start.wait();
                bench.decide(&accept(name))
            })
        });
        one.into_iter().map(|t| t.join().unwrap()).collect()
    });
    let (done, refused): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_ok);
    assert_eq!((done.len(), refused.len()), (1, 1));
    let champion = done.into_iter().flatten().next().unwrap().name;
    let why = refused.into_iter().find_map(Result::err).unwrap();
    let says = format!("not measured against the champion {champion}");
    assert!(why.message.contains(&says), "{why}");
    let now = bench.state().unwrap();
    assert_eq!(now.champion().name(), Some(champion.as_str()));
}

#[test]
fn an_acceptance_that_saw_another_champion_is_refused_whatever_it_sets_aside() {
    let at = tempfile::tempdir().unwrap();
    let bench = campaign(at.path(), &["one", "two"]);
    let seen = bench.standing("two").unwrap();
    assert!(seen.place.is_empty());
    bench.decide(&accept("one")).unwrap();
    let mut late = set_aside("two");
    late.seen = Some(seen.place);
    let why = bench.decide(&late).unwrap_err();
    assert!(why.message.contains("the champion is one now"), "{why}");
    // Looked at again, it may be set aside.
    late.seen = Some(bench.standing("two").unwrap().place);
    let done = bench.decide(&late).unwrap();
    assert_eq!(done.champion.as_deref(), Some("two"));
}

#[test]
fn what_a_form_is_shown_is_what_an_acceptance_is_judged_by() {
    let at = tempfile::tempdir().unwrap();
    let bench = campaign(at.path(), &["one", "two"]);
    bench.decide(&accept("one")).unwrap();
    let second = set_aside("two");
    bench.decide(&second).unwrap();
    // Accepted once, and no champion any more: it would have to be measured against the new one.
    let standing = bench.standing("one").unwrap();
    let open: Vec<_> = (standing.gates.iter())
        .filter(|g| g.pass != Some(true))
        .map(|g| g.name.as_str())
        .collect();
    assert_eq!(open, [gates::EVIDENCE, gates::VERDICT]);
    let mut again = accept("one");
    again.overrides.clear();
    let refused = bench.decide(&again).unwrap_err();
    for gate in &standing.gates {
        let named = refused.message.contains(&format!("\n  {}: ", gate.name));
        assert_eq!(named, gate.pass != Some(true), "{} in {refused}", gate.name);
    }
}

#[test]
fn that_nobody_would_stand_under_a_decision_is_known_before_it() {
    let at = tempfile::tempdir().unwrap();
    let mut bench = campaign(at.path(), &["one"]);
    assert_eq!(bench.standing("one").unwrap().nameless, None);
    bench.options.author = Some("unknown".into());
    let told = bench.standing("one").unwrap().nameless;
    assert!(told.is_some_and(|t| t.contains("--as NAME")));
}

#[test]
fn a_step_of_the_champion_is_neither_rejected_nor_parked() {
    let at = tempfile::tempdir().unwrap();
    let bench = campaign(at.path(), &["one", "two"]);
    bench.decide(&accept("one")).unwrap();
    let second = set_aside("two");
    bench.decide(&second).unwrap();
    for kind in [DecisionKind::Reject, DecisionKind::Park] {
        let why = bench.decide(&request("one", kind)).unwrap_err();
        assert!(
            why.message.contains("the champion two rests on it"),
            "{why}"
        );
        assert_eq!(why.hint.as_deref(), Some(BACK_FIRST));
    }
    bench
        .decide(&request("one", DecisionKind::Rollback))
        .unwrap();
    bench.decide(&request("two", DecisionKind::Reject)).unwrap();
}
