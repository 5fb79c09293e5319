//! The rules that are built in, each on a case where it must hold and on near ones.

use std::collections::BTreeSet;

use assay_profile::Catalog;
use assay_profile::rules::{Kind, On, Rules};

use crate::cases::{Case, read};

const AUDIT: [&str; 2] = [
    include_str!("audit.cases"),
    include_str!("audit_claims.cases"),
];

fn cases() -> Vec<Case> {
    AUDIT.iter().flat_map(|text| read(text)).collect()
}

fn label(case: &Case) -> String {
    format!("{} (line {})", case.rule, case.line)
}

#[test]
fn the_built_in_files_are_valid() {
    let read = Rules::load(Rules::builtin_files().iter().copied(), Catalog::builtin());
    let read = read.unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(read.iter().count(), Rules::builtin().iter().count());
    assert!(read.iter().count() > 50);
    for rule in read.iter() {
        assert!(!rule.source_zh().is_empty(), "{}", rule.id());
    }
}

#[test]
fn every_audit_rule_has_a_case_and_near_ones() {
    let cases = cases();
    let covered: BTreeSet<&str> = cases.iter().map(|c| c.rule.as_str()).collect();
    for rule in Rules::builtin().iter().filter(|r| r.kind() == Kind::Audit) {
        assert!(covered.contains(rule.id()), "{} has no case", rule.id());
    }
    for case in &cases {
        assert!(case.near() > 0 && !case.says.is_empty(), "{}", label(case));
    }
}

#[test]
fn each_rule_holds_where_it_must_and_says_the_figures() {
    let mut wrong = Vec::new();
    for case in cases() {
        let found = case.found(Rules::builtin());
        let Some(f) = found.findings.iter().find(|f| f.rule == case.rule) else {
            wrong.push(format!("{}: silent, {:?}", label(&case), found.not_judged));
            continue;
        };
        for text in &case.says {
            if !f.message.contains(text) {
                wrong.push(format!(
                    "{}: not said: {text}\n  {}",
                    label(&case),
                    f.message
                ));
            }
        }
        let all = [&f.message, &f.message_zh, &f.advice, &f.advice_zh];
        if all
            .iter()
            .any(|t| t.is_empty() || t.contains("no value") || t.contains("无值"))
        {
            wrong.push(format!("{}: {all:?}", label(&case)));
        }
        if f.source.is_empty()
            || f.evidence.is_empty()
            || (f.counters.is_empty() && !f.rule.ends_with("-kernel"))
        {
            wrong.push(format!("{}: no source or no figures", label(&case)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_rule_is_silent_on_what_is_near_and_right() {
    let mut wrong = Vec::new();
    for case in cases() {
        for which in 0..case.near() {
            let found = case.found_near(Rules::builtin(), which);
            if let Some(f) = found.findings.iter().find(|f| f.rule == case.rule) {
                wrong.push(format!(
                    "{}, near case {which}: {}",
                    label(&case),
                    f.message
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn chinese_messages_hold_the_same_figures() {
    let digits = |text: &str| {
        let numbers = text.split(|c: char| !c.is_ascii_digit() && c != '.' && c != ',');
        let mut all: Vec<String> = numbers
            .map(|n| n.trim_matches(['.', ',']).to_owned())
            .filter(|n| n.len() > 2)
            .collect();
        all.sort();
        all.dedup();
        all
    };
    for case in cases() {
        let found = case.found(Rules::builtin());
        for f in found.findings.iter().filter(|f| f.rule == case.rule) {
            assert_eq!(
                digits(&f.message),
                digits(&f.message_zh),
                "{}",
                label(&case)
            );
        }
    }
}

#[test]
fn rules_of_published_figures_are_tried_on_a_campaign_too() {
    let mut context = assay_profile::rules::Context::default();
    for (name, value) in [
        ("claim.time", 0.089056e9),
        ("claim.tflops", 386.0),
        ("workload.flops", 34_359_738_368.0),
    ] {
        context.set(name, value);
    }
    let found = assay_profile::rules::on_campaign(Rules::builtin(), "v", &context);
    let ids: Vec<&str> = found.findings.iter().map(|f| f.rule.as_str()).collect();
    assert_eq!(ids, ["tflops-unit-slip"]);
    let figures = Rules::builtin().iter().filter(|r| r.on() == On::Figures);
    assert!(figures.count() > 8);
}
