//! What a write-up is held to: each rule, and what breaks it.

mod common;

use assay_core::view::{AuditView, CheckView, NoteView, TableView};
use assay_report::check::{Rule, Verification, check};
use assay_report::{Lang, PublishedTable, ReportModel};
use common::campaign;
use serde_json::{Value, json};

/// The campaign with everything that a rule asks for.
fn sound() -> ReportModel {
    let mut m = campaign();
    for show in &mut m.shows {
        show.checks = (m.list.workloads.iter())
            .map(|w| CheckView {
                workload: w.clone(),
                max_abs_error: Some(1e-5),
                max_rel_error: None,
                ok: true,
                detail: String::new(),
            })
            .collect();
        show.environment.clear();
    }
    for canary in &mut m.protocol.canaries {
        canary.outcome = "noticed".into();
    }
    for w in &mut m.task.workloads {
        (w.flops, w.bytes) = (Some(1.0), Some(1.0));
    }
    for row in &mut m.list.variants {
        row.stale = false;
        row.gates.iter_mut().for_each(|g| {
            g.pass = Some(true);
            g.overridden = None;
        });
    }
    m
}

/// An audit with these findings and figures.
fn audit(findings: Value, figures: Value) -> Option<AuditView> {
    let view = json!({
        "schema": "assay.audit/1", "campaign": "gemm-cpu", "variants": [],
        "findings": findings, "figures": figures, "not_judged": [], "notices": [],
    });
    Some(serde_json::from_value(view).expect("an audit"))
}

fn finding(rule: &str, severity: &str, message: &str) -> Value {
    json!([{
        "rule": rule, "kind": "audit", "severity": severity, "subject": "blocked",
        "message": message, "message_zh": "", "advice": "", "advice_zh": "", "counters": [],
        "evidence": "", "source": "", "of": ["01A (8ba899b)", "01B"],
    }])
}

fn figure(outcome: &str, printed: Option<&str>) -> Value {
    json!([{
        "record": "01A", "kind": "published", "subject": "blocked", "workload": null,
        "figure": "speed-up", "unit": "1", "stated": null, "printed": printed, "computed": 1.2,
        "interval": null, "outcome": outcome, "why": "no time beside it", "why_zh": "",
        "sources": [],
    }])
}

fn holds(m: &ReportModel, rule: Rule) -> (Option<bool>, Vec<String>) {
    let all = check(m, Lang::En);
    let found = all
        .into_iter()
        .find(|c| c.rule == rule)
        .expect("every rule is looked at");
    (found.holds, found.found)
}

#[test]
fn each_rule_is_broken_by_what_it_is_about() {
    let whole = sound();
    for c in check(&whole, Lang::En) {
        assert_ne!(c.holds, Some(false), "{c:?}");
    }
    let broken = |rule: Rule, change: &dyn Fn(&mut ReportModel), says: &str| {
        let mut m = sound();
        change(&mut m);
        let (holds, found) = holds(&m, rule);
        assert_eq!(holds, Some(false), "{rule:?}");
        assert!(
            found.iter().any(|f| f.contains(says)),
            "{rule:?}: {found:?}"
        );
    };
    let champion = |m: &mut ReportModel| {
        let name = m.list.champion.clone().unwrap();
        m.list.variants.iter().position(|v| v.name == name).unwrap()
    };
    broken(
        Rule::Correct,
        &|m| {
            for s in &mut m.shows {
                s.checks.clear();
            }
        },
        "not checked",
    );
    broken(
        Rule::Gates,
        &|m| {
            let at = champion(m);
            m.list.variants[at].gates[0].pass = Some(false);
        },
        "blocked, ",
    );
    // Set aside at the decision, though it passes by now: the first champion had nothing to beat.
    broken(
        Rule::Gates,
        &|m| {
            let at = champion(m);
            m.list.variants[at].gates[0].overridden = Some("ref is another kernel".into());
        },
        "gate blocked, correct was overridden: ref is another kernel",
    );
    broken(
        Rule::Verdict,
        &|m| m.list.contested = vec!["a".into(), "b".into()],
        "a, b",
    );
    // As a merge may bring it: the acceptance stands, and a later decision is against it.
    broken(
        Rule::Verdict,
        &|m| {
            let at = champion(m);
            let decision = m.list.variants[at].decision.as_mut().unwrap();
            decision.kind = "reject".into();
        },
        "blocked is an accepted step that the champion rests on, and its newest decision is reject",
    );
    broken(
        Rule::Fresh,
        &|m| {
            let at = champion(m);
            m.list.variants[at].stale = true;
        },
        "blocked",
    );
    broken(
        Rule::OneEnvironment,
        &|m| {
            for (i, s) in m.shows.iter_mut().enumerate() {
                s.environment.insert("driver".into(), i.to_string());
            }
        },
        "driver",
    );
    broken(
        Rule::OneBuild,
        &|m| m.other_builds.push("blocked: recipe".into()),
        "recipe",
    );
    broken(
        Rule::OneEvaluator,
        &|m| m.other_evaluators = vec!["naive: aa".into(), "blocked: bb".into()],
        "blocked: bb",
    );
    broken(
        Rule::Noise,
        &|m| {
            m.protocol.noise_floor = Some(0.5);
            m.protocol.delta = Some(0.01);
        },
        "50 % is above 1 %",
    );
    broken(
        Rule::Formulas,
        &|m| m.task.workloads[0].flops = None,
        "no formula of flops",
    );
    broken(
        Rule::Canaries,
        &|m| m.protocol.canaries[0].outcome = "survived".into(),
        ": ",
    );
    broken(
        Rule::Placeholders,
        &|m| m.title = "TODO a title".into(),
        "TODO",
    );
    broken(
        Rule::Verified,
        &|m| {
            m.verified = Some(Verification {
                problems: vec!["verdict X differs".into()],
                unchecked: 0,
            });
        },
        "verdict X differs",
    );
    broken(
        Rule::Audit,
        &|m| {
            m.audit = audit(
                finding("duty-over-100", "error", "duty is 120 %"),
                json!([]),
            )
        },
        "blocked: duty is 120 %",
    );
    broken(
        Rule::Audit,
        &|m| m.audit = audit(json!([]), figure("disagrees", Some("1.5"))),
        "blocked, speed-up: stated 1.5, comes to 1.2",
    );
    broken(
        Rule::OneCommit,
        &|m| {
            let mixed = finding("commits-behind-report", "warning", "of 4 different commits");
            m.audit = audit(mixed, json!([]));
        },
        "blocked: of 4 different commits (01A (8ba899b); 01B)",
    );
    broken(
        Rule::Formulas,
        &|m| m.audit = audit(json!([]), figure("not_recomputed", Some("1.5"))),
        "blocked, speed-up: no formula that gives it (no time beside it)",
    );
    for text in ["TODO measure", "提交前回填"] {
        let says = text.split(' ').next().unwrap();
        broken(
            Rule::Placeholders,
            &|m| m.list.variants[0].why = text.into(),
            &format!("naive, hypothesis: {says}"),
        );
        broken(
            Rule::Placeholders,
            &|m| m.list.variants[0].decision.as_mut().unwrap().reason = text.into(),
            &format!("naive, reason: {says}"),
        );
        broken(
            Rule::Placeholders,
            &|m| {
                let at = champion(m);
                m.list.variants[at].gates[0].overridden = Some(text.into());
            },
            &format!("blocked, correct: {says}"),
        );
        broken(
            Rule::Placeholders,
            &|m| m.notes = vec![note(text, None)],
            &format!("Notes, snapshots: {says}"),
        );
        broken(
            Rule::Placeholders,
            &|m| m.notes = vec![note("", Some(table(text)))],
            &format!("Notes, snapshots, commits: {says}"),
        );
        broken(
            Rule::Placeholders,
            &|m| {
                m.tables = vec![PublishedTable {
                    table: table(text),
                    ..PublishedTable::default()
                }];
            },
            &format!("Published tables, commits: {says}"),
        );
    }
    let mut m = sound();
    let mut disagrees = figure("disagrees", Some("1.5"));
    disagrees[0]["figure"] = "increase over naive".into();
    m.audit = audit(json!([]), disagrees);
    let all = check(&m, Lang::Zh);
    let told = all.iter().find(|c| c.rule == Rule::Audit).unwrap();
    assert_eq!(
        told.found,
        ["blocked，相对 naive 的增幅：所述 1.5，重新计算为 1.2"]
    );
    let (unknown, _) = holds(&whole, Rule::Verified);
    assert_eq!(unknown, None, "what was not asked is not known");
}

fn note(text: &str, table: Option<TableView>) -> NoteView {
    NoteView {
        id: "01HZN".into(),
        about: None,
        topic: Some("snapshots".into()),
        text: text.into(),
        by: "Ann".into(),
        at: "2026-11-30T01:00:00Z".into(),
        table,
    }
}

fn table(cell: &str) -> TableView {
    TableView {
        name: "commits".into(),
        columns: vec!["part".into(), "text".into()],
        rows: vec![vec!["kernel".into(), cell.into()]],
        ..TableView::default()
    }
}

#[test]
fn the_rule_on_the_audit_says_what_the_audit_counts() {
    let mut m = sound();
    let with = |m: &mut ReportModel, outcome: &str, counts: [usize; 3]| {
        m.audit = audit(json!([]), figure(outcome, Some("1.5")));
        let totals = &mut m.audit.as_mut().unwrap().figure_totals;
        [totals.agrees, totals.rounding, totals.ambiguous] = counts;
        holds(m, Rule::Audit)
    };
    assert_eq!(with(&mut m, "agrees", [57, 0, 0]), (Some(true), Vec::new()));
    let rounded = "Derived figures computed again: 56 as stated, 4 up to rounding, 0 in another meaning only, 0 otherwise; 0 could not be computed.";
    assert_eq!(
        with(&mut m, "rounding", [56, 4, 0]),
        (Some(true), vec![rounded.into()])
    );
    // What is right only if it means something else than it says is not ticked.
    let (ticked, found) = with(&mut m, "ambiguous", [56, 4, 1]);
    assert_eq!(ticked, None);
    assert_eq!(
        found[0],
        "blocked, speed-up: stated 1.5, right in another meaning only: it comes to 1.2"
    );
    assert!(
        found[1].contains("4 up to rounding, 1 in another meaning only"),
        "{found:?}"
    );
}

#[test]
fn of_no_accepted_variant_nothing_is_ticked() {
    let mut m = sound();
    m.list.champion = None;
    for v in &mut m.list.variants {
        v.status = "open".into();
        v.decision = None;
    }
    for rule in [
        Rule::Correct,
        Rule::Gates,
        Rule::Verdict,
        Rule::Fresh,
        Rule::OneEnvironment,
        Rule::OneEvaluator,
        Rule::OneBuild,
    ] {
        let (kept, found) = holds(&m, rule);
        assert_eq!((kept, found.len()), (None, 1), "{rule:?}: {found:?}");
    }
}

#[test]
fn a_table_that_cannot_be_read_is_no_figure_without_a_formula() {
    let mut m = sound();
    m.audit = audit(json!([]), figure("not_recomputed", None));
    let (kept, found) = holds(&m, Rule::Formulas);
    assert_eq!(kept, None);
    assert!(found[0].contains("no time beside it"), "{found:?}");
}

#[test]
fn what_a_reader_expects_is_ticked_where_it_is_recorded() {
    let mut m = sound();
    for (rule, says) in [
        (Rule::Compared, "naive-o3: no time on tall"),
        (Rule::Profiled, "tall: no counters"),
        (Rule::Recorded, "timer is not recorded"),
        (Rule::Commits, "is not recorded"),
    ] {
        let (is_kept, found) = holds(&m, rule);
        assert_eq!(is_kept, None, "{rule:?}");
        assert!(
            found.iter().any(|f| f.contains(says)),
            "{rule:?}: {found:?}"
        );
    }
    for b in &mut m.task.baselines {
        b.median_ns.insert("tall".into(), 1.0);
    }
    for row in &mut m.list.variants {
        row.median_ns.insert("tall".into(), 1.0);
    }
    let sets = m.counters.get_mut("blocked").unwrap();
    let mut more = sets[0].clone();
    more.workload = "tall".into();
    sets.push(more);
    m.protocol.timer = Some("clock".into());
    m.task.evaluator = Some("0123456789abcdef0123456789abcdef01234567".into());
    for show in &mut m.shows {
        show.variant.commit.clone_from(&m.task.evaluator);
    }
    for rule in [
        Rule::Compared,
        Rule::Profiled,
        Rule::Recorded,
        Rule::Commits,
    ] {
        assert_eq!(holds(&m, rule), (Some(true), Vec::new()), "{rule:?}");
    }
    m.task.evaluator = Some("8ba899b".into());
    let (is_kept, found) = holds(&m, Rule::Commits);
    assert_eq!(is_kept, None);
    assert!(found[0].contains("8ba899b"), "{found:?}");
}

#[test]
fn a_gate_set_aside_stands_against_a_published_campaign_too() {
    let mut m = campaign();
    for v in &mut m.list.variants {
        v.verdict = None;
        v.published = v.median_ns.keys().cloned().collect();
    }
    let (kept, found) = holds(&m, Rule::Gates);
    assert_eq!(kept, Some(false));
    assert!(found[0].contains("outside of the hot loop"), "{found:?}");
    // Where no gate was judged there is nothing to say of them.
    m.list.variants.iter_mut().for_each(|v| v.gates.clear());
    let all = check(&m, Lang::En);
    assert!(all.iter().all(|c| c.rule != Rule::Gates), "{all:?}");
}
