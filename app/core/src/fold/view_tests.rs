use super::fixture::{Maker, subject};
use super::*;
use crate::record::{DecisionKind, VerdictKind};
use crate::{Sha256, record::Body};

fn state(m: &Maker) -> State {
    State::fold("gemm", m.records.clone())
}

fn two() -> Maker {
    let mut m = Maker::new();
    m.variant("root", &[]);
    m.variant("blocking", &["root"]);
    for (name, shared) in [("root", 100.0), ("blocking", 60.0)] {
        m.run(name, None);
        m.profile(name, "perf", shared);
    }
    m
}

#[test]
fn names_resolve_by_their_beginning() {
    let mut m = two();
    m.variant("blocking-2", &["root"]);
    m.measure("base-o3", "root", (2.0, 1.0), VerdictKind::Faster);
    let s = state(&m);
    assert_eq!(resolve_name(&s, "ro"), Ok("root"));
    assert_eq!(resolve_name(&s, "blocking"), Ok("blocking"));
    assert!(matches!(
        resolve_name(&s, "blo"),
        Err(NameError::Ambiguous { candidates, .. }) if candidates == ["blocking", "blocking-2"]
    ));
    let e = resolve_name(&s, "blokcing").unwrap_err();
    assert!(e.to_string().contains("did you mean `blocking`"), "{e}");
    assert!(resolve_name(&s, "").is_err());
    assert!(resolve_name(&s, "base").is_err());
    assert_eq!(resolve_subject(&s, "base"), Ok("base-o3"));
}

#[test]
fn show_works_out_predictions_from_counters_and_verdict() {
    let mut m = two();
    m.measure("root", "blocking", (100.0, 80.0), VerdictKind::Faster);
    let s = state(&m);
    let v = show_view(&s, "blocking", BranchTip::default()).unwrap();
    assert_eq!(v.predictions[0].text, "inst.shared<-30%");
    assert_eq!(v.predictions[0].observed_percent, Some(-40.0));
    assert_eq!(v.predictions[0].held, Some(true));
    let time = v.predictions[1].observed_percent.unwrap();
    assert!((time + 20.0).abs() < 1e-9, "{time}");
    assert_eq!(v.verdict.as_ref().unwrap().verdict, "FASTER");
    assert_eq!(v.evidence.len(), 5);
    assert_eq!(v.counter_tool.as_deref(), Some("perf"));
    // The root has no parent: nothing is known of its predictions.
    let root = show_view(&s, "root", BranchTip::default()).unwrap();
    assert!(root.predictions.iter().all(|p| p.held.is_none()));
    assert!(show_view(&s, "nobody", BranchTip::default()).is_none());
}

/// `root`, and `tile` from it with these predictions.
fn predicting(predictions: [&str; 3]) -> Maker {
    let mut m = Maker::new();
    m.variant("root", &[]);
    let id = m.variant("tile", &["root"]);
    let declared = m.records.iter_mut().find(|r| r.id == id).unwrap();
    let Body::Variant(v) = &mut declared.body else {
        unreachable!()
    };
    v.predictions = (predictions.map(|p| crate::predict::parse(p).unwrap())).to_vec();
    m
}

#[test]
fn a_rise_from_zero_has_no_percentage_and_is_a_rise() {
    let mut m = predicting(["vector.fma>+0%", "vector.fma>+50%", "nothing<-1%"]);
    for (who, fma) in [("root", 0.0), ("tile", 5.0)] {
        m.run(who, None);
        m.source(who, &[("vector.fma", fma)]);
    }
    let v = show_view(&state(&m), "tile", BranchTip::default()).unwrap();
    let shown: Vec<_> = (v.predictions.iter())
        .map(|p| (p.observed_percent, p.held, p.why.as_str()))
        .collect();
    let zero = "from 0 to 5: there is no percentage of 0";
    assert_eq!(
        shown,
        [
            (None, Some(true), zero),
            (None, None, zero),
            (None, None, "no evidence")
        ]
    );
}

#[test]
fn predictions_look_at_facts_and_at_profiles_of_the_same_tool() {
    let mut m = predicting(["vector.fma>+50%", "inst.shared<-30%", "nothing<-1%"]);
    for who in ["root", "tile@old", "tile"] {
        m.run(who, None);
    }
    m.profile("root", "perf", 100.0);
    m.profile("tile", "perf", 60.0);
    // Newer, and of another tool: there is nothing of the parent to set it against.
    m.profile("tile", "cachegrind", 7.0);
    m.source("root", &[("vector.fma", 2.0)]);
    m.source("tile@old", &[("vector.fma", 3.0)]);
    let shown = |m: &Maker| {
        let v = show_view(&state(m), "tile", BranchTip::default()).unwrap();
        (v.predictions.into_iter())
            .map(|p| (p.observed_percent, p.held))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        shown(&m),
        [(None, None), (Some(-40.0), Some(true)), (None, None)],
        "facts of earlier content are none of this one"
    );
    m.decide("tile", DecisionKind::Accept, &[]);
    m.source("tile", &[("vector.fma", 16.0)]);
    assert_eq!(
        shown(&m),
        [
            (Some(700.0), Some(true)),
            (Some(-40.0), Some(true)),
            (None, None)
        ]
    );
}

#[test]
fn measuring_again_with_the_same_content_shows() {
    let mut m = two();
    m.measure("root", "blocking", (100.0, 101.0), VerdictKind::Undecided);
    let warnings = |m: &Maker| {
        let s = state(m);
        let shown = show_view(&s, "blocking", BranchTip::default()).unwrap();
        let compared = compare_view(&s, &["root", "blocking"], Vec::new()).unwrap();
        assert_eq!(
            shown.verdict.as_ref().unwrap().warnings,
            compared.verdict.unwrap().warnings
        );
        shown.verdict.unwrap().warnings
    };
    assert!(warnings(&m).is_empty());
    // Other content and other pairs are no repetition.
    m.measure("root", "blocking@0", (100.0, 90.0), VerdictKind::Faster);
    m.measure("base", "blocking", (100.0, 90.0), VerdictKind::Faster);
    assert!(warnings(&m).is_empty());
    m.measure("blocking", "root", (100.0, 95.0), VerdictKind::Faster);
    m.measure("root", "blocking", (100.0, 90.0), VerdictKind::Faster);
    assert_eq!(
        warnings(&m),
        [
            "measured 3 times with this content; earlier verdicts: FASTER 0.9500 (`root` against `blocking`), UNDECIDED 1.0100"
        ]
    );
}

#[test]
fn times_of_different_sessions_give_no_change() {
    let mut m = two();
    m.variant("third", &["root"]);
    m.measure("base", "root", (300.0, 100.0), VerdictKind::Faster);
    m.measure("base", "blocking", (250.0, 80.0), VerdictKind::Faster);
    m.measure("root", "third", (90.0, 70.0), VerdictKind::Faster);
    let s = state(&m);
    for names in [
        &["root", "blocking"][..],
        &["root", "blocking", "third"],
        &["base", "root", "blocking"],
    ] {
        let v = compare_view(&s, names, Vec::new()).unwrap();
        assert_eq!(v.workloads[0].values.len(), names.len());
        assert!(v.workloads.iter().all(|w| w.change_percent.is_none()));
        assert_eq!(v.warnings.len(), 1, "{:?}", v.warnings);
        assert!(v.warnings[0].contains("different sessions"));
    }
    // The rows show what was measured as a pair as well.
    let v = compare_view(&s, &["root", "third"], Vec::new()).unwrap();
    assert_eq!(v.workloads[0].values, [Some(90.0), Some(70.0)]);
    assert_eq!(v.variants[0].median_ns["square"], 90.0);
    assert!(v.warnings.is_empty() && v.workloads[0].change_percent.is_some());
}

#[test]
fn an_older_evaluator_is_marked() {
    let mut m = two();
    m.measure("root", "blocking", (100.0, 80.0), VerdictKind::Faster);
    m.evaluator("evaluator 2");
    let v = show_view(&state(&m), "blocking", BranchTip::default()).unwrap();
    assert!(v.verdict.unwrap().warnings[0].contains("not comparable"));
    assert!(
        v.evidence
            .iter()
            .any(|e| e.summary.contains("earlier evaluator"))
    );
}

#[test]
fn compare_uses_the_paired_measurement() {
    let mut m = two();
    m.measure("base-o3", "blocking", (300.0, 75.0), VerdictKind::Faster);
    m.measure("root", "blocking", (100.0, 80.0), VerdictKind::Faster);
    let s = state(&m);
    let v = compare_view(&s, &["root", "blocking"], Vec::new()).unwrap();
    assert_eq!(v.verdict.as_ref().unwrap().ratio, Some(0.8));
    assert_eq!(v.workloads[0].values, [Some(100.0), Some(80.0)]);
    assert!((v.workloads[0].change_percent.unwrap() + 20.0).abs() < 1e-9);
    assert!(v.warnings.is_empty() && v.verdict_missing.is_none());
    let shared = v.counters.iter().find(|c| c.name == "inst.shared").unwrap();
    assert_eq!(shared.change_percent, Some(-40.0));
    // Nothing is a percentage of zero.
    let zero = v.counters.iter().find(|c| c.name == "only.perf").unwrap();
    assert_eq!(zero.change_percent, None);
    let with_baseline = compare_view(&s, &["base-o3", "blocking"], Vec::new()).unwrap();
    assert_eq!(with_baseline.verdict.unwrap().ratio, Some(0.25));
    assert_eq!(with_baseline.variants[0].status, "baseline");
}

#[test]
fn a_verdict_is_turned_over_only_as_far_as_it_follows() {
    for (recorded, ratio, turned) in [
        (VerdictKind::Faster, 0.5, "SLOWER"),
        (VerdictKind::Slower, 2.0, "FASTER"),
        (VerdictKind::Slower, 1.02, "UNDECIDED"),
        (VerdictKind::Same, 1.0, "SAME"),
        (VerdictKind::NoGain, 1.0, "UNDECIDED"),
        (VerdictKind::Invalid, 1.0, "INVALID"),
    ] {
        let mut m = two();
        m.measure("blocking", "root", (100.0, 100.0 * ratio), recorded);
        let s = state(&m);
        let view = compare_view(&s, &["root", "blocking"], Vec::new()).unwrap();
        let v = view.verdict.unwrap();
        assert_eq!((v.a.as_str(), v.b.as_str()), ("root", "blocking"));
        assert_eq!(v.verdict, turned, "{recorded:?}");
        assert_eq!(v.ratio, Some(1.0 / ratio));
        let [low, high] = v.interval.unwrap();
        assert!(low < 1.0 / ratio && 1.0 / ratio < high);
        assert_eq!(v.workloads[0].a_median_ns, Some(100.0 * ratio));
        assert!(v.warnings[0].contains("turned over"));
    }
}

#[test]
fn times_from_different_devices_are_not_set_against_each_other() {
    let mut m = two();
    m.measure("base", "root", (2.0, 100.0), VerdictKind::Slower);
    let mut b = subject("blocking");
    b.key.device = Sha256::of("another device");
    m.measure_with(subject("base"), b, (2.0, 80.0), VerdictKind::Slower);
    let v = compare_view(&state(&m), &["root", "blocking"], Vec::new()).unwrap();
    assert!(v.verdict.is_none());
    assert!(
        v.verdict_missing
            .unwrap()
            .contains("assay run blocking --against root")
    );
    assert_eq!(v.workloads[0].values, [Some(100.0), Some(80.0)]);
    assert_eq!(v.workloads[0].change_percent, None);
    assert!(v.warnings[0].contains("another device"), "{:?}", v.warnings);
}

#[test]
fn counters_of_different_tools_stand_beside_each_other_without_a_change() {
    let mut m = two();
    m.variant("third", &["root"]);
    m.profile("third", "cachegrind", 1.0);
    let v = compare_view(&state(&m), &["root", "third"], Vec::new()).unwrap();
    let told = v.warnings.iter().any(|w| w.contains("different tools"));
    assert!(told, "{:?}", v.warnings);
    assert!(v.counters.iter().all(|c| c.change_percent.is_none()));
    let workload = v.counter_workloads[0].clone().unwrap();
    assert_eq!(v.counter_workloads, vec![Some(workload.clone()); 2]);
    assert_eq!(v.counters_of(), Some(workload.clone()));
    let mut two_of = v.clone();
    two_of.counter_workloads[1] = Some("other\u{1b}".into());
    let told = two_of.counters_of().unwrap();
    assert!(
        told.starts_with(&format!("root: {workload}, third: other")),
        "{told}"
    );
    assert!(!told.contains('\u{1b}'), "{told}");
    // Both tools' counters are there, each with a gap where the other has none.
    assert_eq!(v.counters.len(), 3);
}

#[test]
fn a_verdict_on_earlier_content_is_not_used() {
    let mut m = two();
    m.measure("root", "blocking", (100.0, 80.0), VerdictKind::Faster);
    m.run("blocking@2", None);
    let s = state(&m);
    let v = compare_view(&s, &["root", "blocking"], Vec::new()).unwrap();
    assert!(v.verdict.is_none());
    assert!(row(&s, "blocking").unwrap().verdict.is_none());
}

#[test]
fn the_log_is_newest_first_and_in_one_line_each() {
    let mut m = two();
    m.run("blocking", Some(crate::record::FailureKind::Compile));
    let v = log_view(&state(&m), None, Some(2));
    assert_eq!(v.records.len(), 2);
    assert_eq!(v.records[0].summary, "failed in build: compile: it broke");
    let only = log_view(&state(&m), Some("root"), None);
    assert!(
        only.records
            .iter()
            .all(|r| r.variant.as_deref() == Some("root"))
    );
    assert_eq!(only.records.len(), 3);
    let note = summary(&Body::Note(crate::record::Note::new(None, "\x1b[31mred")));
    assert!(!note.contains('\x1b'), "{note}");
}

#[test]
fn the_chain_has_parents_before_children_and_survives_loops() {
    let mut m = Maker::new();
    m.variant("leaf", &["mid"]);
    m.variant("mid", &["root"]);
    m.variant("root", &[]);
    m.variant("a", &["b"]);
    m.variant("b", &["a"]);
    m.variant("orphan", &["lost"]);
    m.decide("root", DecisionKind::Accept, &[]);
    let rows = chain(&state(&m));
    let order: Vec<(&str, usize)> = rows.iter().map(|r| (r.variant.as_str(), r.depth)).collect();
    assert_eq!(
        order,
        [
            ("root", 0),
            ("mid", 1),
            ("leaf", 2),
            ("orphan", 0),
            ("a", 0),
            ("b", 1)
        ]
    );
    assert_eq!(rows[0].decision.as_ref().unwrap().kind, "accept");
}

#[test]
fn counters_of_a_newer_tool_do_not_hide_those_that_both_have() {
    let mut m = two();
    m.profile("root", "perf", 100.0);
    m.profile("blocking", "perf", 60.0);
    m.profile("blocking", "ncu", 7.0);
    let change = |m: &Maker| {
        let view = compare_view(&state(m), &["root", "blocking"], Vec::new()).unwrap();
        let of = view.counters.into_iter().find(|c| c.name == "inst.shared");
        of.unwrap().change_percent
    };
    assert_eq!(change(&m), Some(-40.0));
    m.profile("root", "ncu", 14.0);
    assert_eq!(change(&m), Some(-50.0), "the newest that both have");
    m.profile("root", crate::record::PUBLISHED, 1.0);
    m.profile("blocking", crate::record::PUBLISHED, 9.0);
    assert_eq!(change(&m), Some(-50.0), "what was published is not counted");
    let s = state(&m);
    let shown = show_view(&s, "root", BranchTip::default()).unwrap();
    assert_eq!(shown.counter_tool.as_deref(), Some("ncu"));
}

#[test]
fn evidence_of_another_target_is_not_called_other_content() {
    let mut m = two();
    let build = m.build("blocking");
    let run = |m: &mut Maker, target: &str, recipe: &str, records: Vec<crate::RecordId>| {
        let id = m.run("blocking", None);
        let record = m.records.iter_mut().find(|r| r.id == id).unwrap();
        let Body::Run(run) = &mut record.body else {
            unreachable!()
        };
        run.target = target.into();
        run.subject.key.recipe = Sha256::of(recipe);
        run.records = records;
    };
    run(&mut m, "local", "one", vec![build]);
    run(&mut m, "c500\u{1b}", "two", Vec::new());
    let shown = show_view(&state(&m), "blocking", BranchTip::default()).unwrap();
    let line = |kind: &str| {
        let of = shown.evidence.iter().find(|e| e.kind == kind);
        of.unwrap().summary.clone()
    };
    for kind in ["run", "build"] {
        let line = line(kind);
        assert!(
            line.ends_with("(of the target local, not that of the newest run)"),
            "{line}"
        );
    }
}
