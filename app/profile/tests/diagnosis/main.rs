//! Diagnosis rules: each speaks with the right figures, is silent just beside its threshold, and
//! silent without a counter that it needs.

mod contradictions;
mod launches;
mod matrix;
mod memory;
mod pairs;
mod samples;
mod seeds;
mod shape;
mod support;

use std::collections::BTreeSet;

use assay_core::view::FindingView;
use assay_profile::rules::{Context, Kind, On, Rules};

use launches::{Case, NONE, STALL_REASONS};
use pairs::{PAIRS, Pair};
use support::{Figures, context, figures, ids, on_one, on_two, report};

fn cases() -> impl Iterator<Item = &'static Case> {
    launches::SPEED_OF_LIGHT
        .iter()
        .chain(launches::STALLS)
        .chain(shape::LAUNCH_SHAPE)
        .chain(memory::MEMORY)
        .chain(matrix::MATRIX)
}

/// Sets a figure in a list, or in a context when it stands there or is no counter.
fn set(list: &mut Figures, context: &mut Context, name: &str, value: &str) {
    if let Some(at) = list.iter().position(|(n, _)| n == name) {
        list[at].1 = value.to_owned();
    } else if name.starts_with("workload.")
        || name.starts_with("bench.")
        || name.starts_with("device.")
        || name.contains("claim.")
        || name.starts_with("verdict.")
    {
        context.set(name, value.parse().expect("a number"));
    } else {
        list.push((name.to_owned(), value.to_owned()));
    }
}

/// A context without one figure.
fn without(context: &Context, name: &str) -> Context {
    let mut left = Context::default();
    left.extend(context.iter().filter(|(n, _)| *n != name));
    left
}

fn found(case: &Case, list: &Figures, context: &Context) -> Vec<FindingView> {
    let profile = report(case.tool, case.kernel, case.block, list);
    on_one(&profile, context)
}

fn check(case: &Case) {
    let (id, list, given) = (case.id, figures(case.figures), context(case.context));
    let findings = found(case, &list, &given);
    let mut expected: Vec<&str> = case.with.iter().copied().chain([id]).collect();
    let mut all = ids(&findings);
    expected.sort_unstable();
    all.sort_unstable();
    assert_eq!(all, expected, "the rules that speak beside {id}");
    let finding = findings.iter().find(|f| f.rule == id).expect(id);
    for part in case.says {
        let text = &finding.message;
        assert!(text.contains(part), "{id}: no `{part}` in\n{text}");
    }
    for change in case.beside {
        let (mut list, mut given) = (list.clone(), given.clone());
        for (name, value) in *change {
            set(&mut list, &mut given, name, value);
        }
        let all = found(case, &list, &given);
        assert!(!ids(&all).contains(&id), "{id} speaks with {change:?}");
    }
    let names = list.iter().map(|(n, _)| n.as_str());
    for name in names.chain(given.iter().map(|(n, _)| n)) {
        if case.optional.contains(&name) {
            continue;
        }
        let mut list: Figures = list.iter().filter(|(n, _)| n != name).cloned().collect();
        if list.is_empty() {
            // A report without any counter is none.
            list = figures(&[("inst.executed", "1")]);
        }
        let all = found(case, &list, &without(&given, name));
        assert!(!ids(&all).contains(&id), "{id} speaks without {name}");
    }
}

#[test]
fn a_rule_speaks_on_its_figures_and_not_beside_them() {
    for case in cases() {
        check(case);
    }
}

#[test]
fn each_reason_for_waiting_has_a_rule_of_the_same_limits() {
    for (id, reason) in STALL_REASONS {
        let counter = format!("stall.issue.{reason}");
        let list = |duty: &str, waves: &str| {
            figures(&[
                ("duty.issue", duty),
                ("stall.cycles_per_issue", "100"),
                (&counter, waves),
            ])
        };
        let case = Case { id, ..NONE };
        let speaking = found(&case, &list("79.9", "30.1"), &Context::default());
        assert_eq!(ids(&speaking), [*id]);
        assert!(speaking[0].message.contains("30.1 % of the 100 cycles"));
        assert!(speaking[0].advice.contains(&counter), "{id}");
        for (duty, waves) in [("80", "30.1"), ("79.9", "30")] {
            assert_eq!(
                ids(&found(&case, &list(duty, waves), &Context::default())),
                [""; 0],
                "{id}"
            );
        }
        for name in ["duty.issue", "stall.cycles_per_issue", &counter] {
            let mut list = list("79.9", "30.1");
            list.retain(|(n, _)| n != name);
            let silent = found(&case, &list, &Context::default());
            assert_eq!(ids(&silent), [""; 0], "{id} without {name}");
        }
    }
}

fn compared(pair: &Pair, a: &Figures, b: &Figures, context: &Context) -> Vec<FindingView> {
    let side = |list| report(pair.tool, "gemm_kernel", "(256, 1, 1)", list);
    on_two(&side(a), &side(b), context)
}

#[test]
fn a_rule_of_pairs_speaks_on_its_figures_and_not_beside_them() {
    for pair in PAIRS {
        let id = pair.id;
        let side = |b: bool| -> Figures {
            let value = |(n, x, y): &(&str, &str, &str)| {
                ((*n).to_owned(), if b { *y } else { *x }.to_owned())
            };
            // What both have and does not move, so that no report is empty.
            let other = match pair.tool {
                support::Tool::Ncu => "clock.memory",
                _ => "roofline.units",
            };
            let first = [(other.to_owned(), "104".to_owned())];
            first
                .into_iter()
                .chain(pair.figures.iter().map(value))
                .collect()
        };
        let (a, b, given) = (side(false), side(true), context(pair.context));
        let findings = compared(pair, &a, &b, &given);
        let mut expected: Vec<&str> = pair.with.iter().copied().chain([id]).collect();
        let mut all = ids(&findings);
        expected.sort_unstable();
        all.sort_unstable();
        assert_eq!(all, expected, "the rules that speak beside {id}");
        let finding = findings.iter().find(|f| f.rule == id).expect(id);
        for part in pair.says {
            let text = &finding.message;
            assert!(text.contains(part), "{id}: no `{part}` in\n{text}");
        }
        for change in pair.beside {
            let (mut b, mut given) = (b.clone(), given.clone());
            for (name, value) in *change {
                set(&mut b, &mut given, name, value);
            }
            let all = compared(pair, &a, &b, &given);
            assert!(!ids(&all).contains(&id), "{id} speaks with {change:?}");
        }
        let names = pair.figures.iter().map(|(n, _, _)| *n);
        for name in names.chain(pair.context.iter().map(|(n, _)| *n)) {
            if pair.optional.contains(&name) {
                continue;
            }
            let lacking: Figures = b.iter().filter(|(n, _)| n != name).cloned().collect();
            let all = compared(pair, &a, &lacking, &without(&given, name));
            assert!(!ids(&all).contains(&id), "{id} speaks without {name}");
        }
    }
}

#[test]
fn every_diagnosis_has_a_case() {
    let mut tried: BTreeSet<&str> = cases().map(|c| c.id).collect();
    tried.extend(PAIRS.iter().map(|p| p.id));
    tried.extend(STALL_REASONS.iter().map(|(id, _)| *id));
    let diagnoses = Rules::builtin()
        .iter()
        .filter(|r| r.kind() == Kind::Diagnosis);
    let known: BTreeSet<&str> = diagnoses.map(|r| r.id()).collect();
    assert_eq!(tried, known);
}

#[test]
fn every_diagnosis_says_where_it_is_from_and_names_a_counter_that_exists() {
    let catalog = assay_profile::Catalog::builtin();
    for rule in Rules::builtin().iter() {
        if rule.kind() != Kind::Diagnosis {
            continue;
        }
        assert!(!rule.source().is_empty(), "{}", rule.id());
        assert!(matches!(rule.on(), On::Launch | On::Pair), "{}", rule.id());
    }
    for (_, reason) in STALL_REASONS {
        assert!(catalog.get(&format!("stall.issue.{reason}")).is_some());
    }
}
