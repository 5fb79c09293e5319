use proptest::prelude::*;

use super::fixture::{Maker, decision, gates_of};
use super::*;
use crate::record::{Body, DecisionKind, FailureKind, Note, Override, Record, VerdictKind};
use crate::{RecordId, Sha256};

use DecisionKind::{Accept, Park, Reject, Rollback};

fn state(m: &Maker) -> State {
    State::fold("gemm", m.records.clone())
}

fn status(s: &State, name: &str) -> &'static str {
    s.status(name).unwrap().name()
}

#[test]
fn the_champion_follows_from_what_replaces_what() {
    let mut m = Maker::new();
    for name in ["one", "two", "three"] {
        m.variant(name, &[]);
    }
    assert_eq!(*state(&m).champion(), Champion::None);
    let first = m.decide("one", Accept, &[]);
    assert_eq!(state(&m).champion().name(), Some("one"));
    let second = m.decide("two", Accept, &[first]);
    let s = state(&m);
    assert_eq!(s.champion().name(), Some("two"));
    assert_eq!(s.heads(), [second]);
    assert_eq!(status(&s, "one"), "accepted");
    assert_eq!(status(&s, "three"), "new");

    // Another clone accepted over the same champion.
    let other = m.decide("three", Accept, &[first]);
    let s = state(&m);
    assert_eq!(s.champion().name(), None);
    assert_eq!(s.champion().contested(), ["two", "three"]);
    assert_eq!(status(&s, "two"), "contested");
    assert_eq!(s.heads(), [second, other]);
    // Replacing one of two does not settle it.
    let half = m.decide("one", Accept, &[second]);
    assert_eq!(state(&m).champion().contested(), ["three", "one"]);
    m.decide("two", Accept, &[half, other]);
    assert_eq!(state(&m).champion().name(), Some("two"));
}

#[test]
fn a_rollback_puts_its_variant_back() {
    let mut m = Maker::new();
    let first = m.decide("one", Accept, &[]);
    let second = m.decide("two", Accept, &[first]);
    m.decide("one", Rollback, &[second]);
    let s = state(&m);
    assert_eq!(s.champion().name(), Some("one"));
    assert_eq!(status(&s, "two"), "rolled_back");
    let kinds: Vec<_> = (champion_history(&s).into_iter())
        .map(|c| (c.variant, c.kind, c.head))
        .collect();
    let step = |v: &str, k: &str, head| (v.to_owned(), k.to_owned(), head);
    assert_eq!(
        kinds,
        [
            step("one", "accept", false),
            step("two", "accept", false),
            step("one", "rollback", true)
        ]
    );
}

#[test]
fn a_step_that_the_champion_rests_on_is_taken_out_by_a_roll_back_and_not_by_a_rejection() {
    for given_up in [Reject, Park] {
        let mut m = Maker::new();
        for name in ["one", "two", "three"] {
            m.variant(name, &[]);
            m.run(name, None);
        }
        let first = m.decide("one", Accept, &[]);
        let second = m.decide("two", Accept, &[first]);
        let third = m.decide("three", Accept, &[second]);
        // As a merge may bring it.
        m.decide("two", given_up, &[]);
        let s = state(&m);
        assert_eq!(status(&s, "two"), "accepted");
        let kernel = fixture::subject("two").key.kernel;
        assert!(s.stands("two", Some(kernel)));
        assert!(!s.stands("two", Some(fixture::subject("two@2").key.kernel)));
        m.decide("one", Rollback, &[third]);
        let s = state(&m);
        assert!(!s.stands("two", Some(kernel)) && s.champion().name() == Some("one"));
        let word = if given_up == Reject {
            "rejected"
        } else {
            "parked"
        };
        assert_eq!(status(&s, "two"), word);
    }
}

#[test]
fn an_acceptance_over_an_unknown_decision_is_a_head() {
    let mut m = Maker::new();
    let lost = m.decide("one", Accept, &[]);
    m.records.pop();
    m.decide("two", Accept, &[lost]);
    assert_eq!(state(&m).champion().name(), Some("two"));
}

#[test]
fn two_clones_that_accept_the_same_content_agree() {
    let mut m = Maker::new();
    let a = m.decide("one", Accept, &[]);
    let b = m.decide("one", Accept, &[]);
    let s = state(&m);
    assert_eq!(s.champion().name(), Some("one"));
    assert_eq!(s.heads(), [a, b]);
    m.decide("one@2", Accept, &[]);
    assert_eq!(state(&m).champion().contested(), ["one"]);
}

#[test]
fn a_ring_of_decisions_is_shown_as_contested() {
    let mut m = Maker::new();
    let a = m.decide("one", Accept, &[]);
    let b = m.decide("two", Accept, &[a]);
    let Body::Decision(d) = &mut m.records[1].body else {
        panic!("a decision")
    };
    d.replaces = vec![b];
    let s = state(&m);
    assert_eq!(s.champion().contested(), ["one", "two"]);
    assert_eq!(champion_history(&s).len(), 2);
}

#[test]
fn a_corrected_decision_counts_by_its_correction() {
    let mut m = Maker::new();
    let first = m.decide("one", Accept, &[]);
    let second = m.decide("two", Accept, &[first]);
    // The correction of the first stands where the first stood: it is replaced too.
    m.correct(first, decision("one", Accept, &[]));
    assert_eq!(state(&m).champion().name(), Some("two"));
    // The second turns out to have been a rejection.
    m.correct(second, decision("two", Reject, &[]));
    let s = state(&m);
    assert_eq!(s.champion().name(), Some("one"));
    assert_eq!(status(&s, "two"), "rejected");
    assert_eq!(s.log().count(), m.records.len());
    assert_eq!(s.active().count(), m.records.len() - 2);
}

#[test]
fn removed_records_do_not_come_back() {
    let mut m = Maker::new();
    m.variant("one", &[]);
    m.run("one", None);
    m.build("one");
    let (_, v) = m.measure("one", "one", (1.0, 1.0), VerdictKind::Same);
    let b = m.build("one");
    let gone = m.remove(b);
    m.remove(gone);
    let s = state(&m);
    assert!(!s.is_active(b) && s.is_active(gone) && s.is_active(v));
    assert!(s.log().all(|r| r.id != b));
    // A tombstone itself cannot be removed, or a merge would bring the record back.
    assert!(s.log().any(|r| r.id == gone));
}

#[test]
fn status_follows_evidence_and_decisions_of_the_present_content() {
    let mut m = Maker::new();
    m.variant("one", &[]);
    assert_eq!(status(&state(&m), "one"), "new");
    m.run("one", None);
    m.build("one");
    assert_eq!(status(&state(&m), "one"), "built");
    m.check("one", &[]);
    assert_eq!(status(&state(&m), "one"), "checked");
    m.measure("base", "one", (2.0, 1.0), VerdictKind::Faster);
    assert_eq!(status(&state(&m), "one"), "measured");
    m.decide("one", Park, &[]);
    assert_eq!(status(&state(&m), "one"), "parked");
    m.run("one@2", Some(FailureKind::Compile));
    let s = state(&m);
    assert_eq!(status(&s, "one"), "failed");
    let row = row(&s, "one").unwrap();
    assert_eq!(row.failure.unwrap().kind, "compile");
    assert!(row.median_ns.is_empty() && row.ratio.is_none());
    assert_eq!(row.commit.as_deref(), Some("c-one@2"));
    // Back to the first content: its evidence and its decision count again.
    m.run("one", None);
    assert_eq!(status(&state(&m), "one"), "parked");
}

#[test]
fn a_verdict_against_a_variant_comes_before_one_against_a_baseline() {
    let mut m = Maker::new();
    m.variant("one", &[]);
    m.run("one", None);
    m.measure("root", "one", (4.0, 1.0), VerdictKind::Faster);
    m.measure("base", "one", (2.0, 1.0), VerdictKind::Faster);
    m.measure("one", "one", (1.0, 1.0), VerdictKind::Same);
    let s = state(&m);
    let r = row(&s, "one").unwrap();
    assert_eq!(r.against.as_deref(), Some("root"));
    assert_eq!(r.ratio, Some(0.25));
    // The root was only ever measured against, and is not declared; it is listed all the same.
    let root = row(&s, "root").unwrap();
    assert_eq!(root.median_ns["square"], 4.0);
    assert_eq!(row(&s, "base").unwrap().status, "baseline");
    assert!(s.baselines().contains("base"));
}

#[test]
fn overrides_show_for_ever() {
    let mut m = Maker::new();
    m.variant("one", &[]);
    m.run("one", None);
    m.check("one", &[("fast", Some(false)), ("right", Some(true))]);
    let mut d = decision("one", Accept, &[]);
    d.gates = gates_of(&[("fast", Some(false)), ("late", Some(true))]);
    d.overrides = vec![Override {
        gate: "fast".into(),
        reason: "known".into(),
    }];
    m.put(d);
    let gate = |s: &State, name: &str| {
        let row = row(s, "one").unwrap();
        row.gates.into_iter().find(|g| g.name == name)
    };
    let s = state(&m);
    assert_eq!(gate(&s, "fast").unwrap().overridden.unwrap(), "known");
    assert_eq!(gate(&s, "late").unwrap().pass, Some(true));
    m.run("one@2", None);
    let s = state(&m);
    assert_eq!(gate(&s, "fast").unwrap().pass, None);
    assert_eq!(gate(&s, "fast").unwrap().overridden.unwrap(), "known");
    assert_eq!(gate(&s, "late"), None);
}

#[test]
fn nothing_unreadable_is_dropped_silently() {
    let mut m = Maker::new();
    m.put(Body::Unknown {
        kind: "hologram".into(),
        body: serde_json::json!({}),
        problem: "unknown kind".into(),
    });
    let mut twin = m.records[0].clone();
    twin.by = "someone else".into();
    m.records.push(twin);
    let mut s = state(&m);
    s.set_unreadable(3);
    assert_eq!(s.unreadable(), 5);
    let list = list_view(&s, &[]);
    // Three are damaged; two are sound, and this version cannot use them.
    assert_eq!((list.unreadable, list.damaged), (5, 3));
}

#[test]
fn other_campaigns_are_left_alone() {
    let mut m = Maker::new();
    m.variant("one", &[]);
    m.records[1].campaign = "other".into();
    assert_eq!(state(&m).variants().len(), 0);
    let names: Vec<String> = campaigns(&m.records).into_iter().collect();
    assert_eq!(names, ["gemm", "other"]);
}

/// A ledger with a bit of everything, drawn from a list of small numbers.
fn ledger(steps: &[(u8, u8, u8)]) -> Vec<Record> {
    const NAMES: [&str; 6] = ["one", "two", "three", "one@2", "base", "two@2"];
    let mut m = Maker::new();
    for &(what, x, y) in steps {
        let name = |n: u8| NAMES[n as usize % NAMES.len()];
        let any = |n: u8| m.records[n as usize % m.records.len()].id;
        let (a, b) = (name(x), name(y));
        let ids = [any(x), any(y)];
        match what % 14 {
            0 => drop(m.variant(a, &[b])),
            1 => drop(m.run(a, (y % 3 == 0).then_some(FailureKind::Launch))),
            2 => drop(m.build(a)),
            3 => drop(m.check(a, &[("right", Some(y % 2 == 0))])),
            4 => drop(m.profile(a, "perf", f64::from(y))),
            5 | 6 => drop(m.measure(a, b, (2.0, f64::from(y) + 1.0), VerdictKind::Faster)),
            7 | 8 => drop(m.decide(a, Accept, &ids[..(y % 3) as usize])),
            9 => drop(m.decide(a, [Reject, Park, Rollback][y as usize % 3], &ids)),
            10 => drop(m.evaluator(a)),
            11 => drop(m.correct(ids[0], decision(b, Accept, &ids[1..]))),
            12 => drop(m.remove(ids[0])),
            _ => {
                // Another content under an id already taken.
                let mut twin = m.records[x as usize % m.records.len()].clone();
                twin.body = Body::Note(Note::new(None, b));
                m.records.push(twin);
            }
        }
    }
    m.records
}

proptest! {
    #[test]
    fn any_order_gives_the_same_state(
        steps in prop::collection::vec((any::<u8>(), any::<u8>(), any::<u8>()), 0..40),
        keys in prop::collection::vec(any::<u32>(), 64),
    ) {
        let records = ledger(&steps);
        let folded = State::fold("gemm", records.clone());
        let mut shuffled: Vec<(u32, Record)> = (records.iter().enumerate())
            .map(|(i, r)| (keys[i % keys.len()].rotate_left(i as u32), r.clone()))
            .collect();
        shuffled.sort_by_key(|(k, _)| *k);
        let shuffled: Vec<Record> = shuffled.into_iter().map(|(_, r)| r).collect();
        prop_assert_eq!(&State::fold("gemm", shuffled.clone()), &folded);
        // A merge brings records one by one, some of them twice.
        let mut grown = State::fold("gemm", []);
        for r in shuffled.iter().chain(&records[..records.len() / 2]) {
            grown.add(r.clone());
        }
        prop_assert_eq!(&grown, &folded);
        prop_assert_eq!(list_view(&grown, &[]), list_view(&folded, &[]));
        prop_assert_eq!(chain(&folded).len(), folded.variants().len());
    }
}

#[test]
fn a_stopped_repeat_takes_nothing_away_and_a_failed_one_does() {
    for kind in [FailureKind::Cancelled, FailureKind::Infra] {
        let mut m = Maker::new();
        m.variant("one", &[]);
        let told = m.run("one", None);
        if let Body::Run(run) = &mut m.records.last_mut().unwrap().body {
            run.done = run.stages.clone();
        }
        m.run("one", Some(kind));
        let s = state(&m);
        let v = s.variant("one").unwrap();
        assert_eq!(v.run, Some(told));
        assert_eq!(s.without_effect(v).count(), 1);
        let notes = show_view(&s, "one", BranchTip::default()).unwrap().notes;
        assert!(notes[0].text.contains("the evidence before it stands"));
        let failed = m.run("one", Some(FailureKind::Correctness));
        assert_eq!(state(&m).variant("one").unwrap().run, Some(failed));
        m.run("one", Some(kind));
        let s = state(&m);
        assert_eq!(s.variant("one").unwrap().run, Some(failed));
        assert_eq!(status(&s, "one"), "failed");
    }
}

/// A run that ended so on a target whose recipe is its own, under another evaluator.
fn elsewhere(m: &mut Maker, device: &str, failure: Option<FailureKind>) -> RecordId {
    let id = m.run("one", failure);
    if let Body::Run(run) = &mut m.records.last_mut().unwrap().body {
        run.target = "mx".into();
        run.subject.key.recipe = Sha256::of("mx");
        run.subject.key.evaluator = Sha256::of("another pin");
        run.subject.key.device = Sha256::of(device);
        run.environment.device = device.into();
        if let Some(f) = &mut run.failure {
            f.message = "wrong device".into();
        }
    }
    id
}

#[test]
fn a_refused_start_on_another_target_takes_nothing_away_and_is_told() {
    let mut m = Maker::new();
    m.variant("base", &[]);
    m.variant("one", &["base"]);
    m.run("base", None);
    let told = m.run("one", None);
    if let Body::Run(run) = &mut m.records.last_mut().unwrap().body {
        run.done = run.stages.clone();
    }
    let (measured, judged) = m.measure("base", "one", (10.0, 8.0), VerdictKind::Faster);
    elsewhere(&mut m, "A100", Some(FailureKind::Infra));
    let s = state(&m);
    let v = s.variant("one").unwrap();
    assert_eq!(
        (v.run, v.measurement, v.verdict),
        (Some(told), Some(measured), Some(judged))
    );
    assert_eq!(status(&s, "one"), "measured");
    let list = list_view(&s, &[]);
    assert_eq!(
        list.device.as_deref(),
        Some("a CPU"),
        "nothing ran on the other"
    );
    let row = list.variants.iter().find(|r| r.name == "one").unwrap();
    assert_eq!(
        (row.verdict.as_deref(), &row.failure),
        (Some("FASTER"), &None)
    );
    let later = row.later_failure.as_ref().unwrap();
    assert_eq!(
        (later.kind.as_str(), later.message.as_str()),
        ("infra", "wrong device")
    );
    let compared = compare_view(&s, &["base", "one"], Vec::new()).unwrap();
    assert!(compared.verdict.is_some());
    let warned = compared
        .warnings
        .iter()
        .any(|w| w.contains("ended infra in build (wrong device)"));
    assert!(warned, "{:?}", compared.warnings);
    // What is alone is told as it is, and is of no device of the campaign.
    let mut alone = Maker::new();
    alone.variant("one", &[]);
    elsewhere(&mut alone, "A100", Some(FailureKind::Infra));
    let s = state(&alone);
    assert_eq!(status(&s, "one"), "failed");
    assert_eq!(list_view(&s, &[]).device, None);
    assert!(s.without_effect(s.variant("one").unwrap()).next().is_none());
}

/// A run of a variant on a device; its id as measurements name it.
fn ran_on(m: &mut Maker, name: &str, device: &str) -> RecordId {
    m.run(name, None);
    let Body::Run(run) = &mut m.records.last_mut().unwrap().body else {
        unreachable!("it was just put");
    };
    run.environment.device = device.into();
    run.run
}

#[test]
fn all_devices_of_the_shown_measurements_are_named_and_no_other() {
    let mut m = Maker::new();
    for name in ["base", "one", "two"] {
        m.variant(name, &[]);
    }
    let measured = |m: &mut Maker, name: &str, run: RecordId| {
        m.measure("base", name, (10.0, 8.0), VerdictKind::Faster);
        if let Body::Measurement(of) = &mut m.records.iter_mut().nth_back(1).unwrap().body {
            of.run = run;
        }
    };
    let device = |m: &Maker| list_view(&state(m), &[]).device.unwrap();
    let run = ran_on(&mut m, "one", "a CPU");
    measured(&mut m, "one", run);
    // A later run that measured nothing.
    let run = ran_on(&mut m, "two", "H200");
    assert_eq!(device(&m), "a CPU");
    measured(&mut m, "two", run);
    assert_eq!(device(&m), "a CPU and H200");
    assert_eq!(
        state(&m).shown_run().unwrap().environment.device,
        "H200",
        "the newest"
    );
}
