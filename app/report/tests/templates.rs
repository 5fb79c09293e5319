//! Reports by a template, the checklist, and the form for pull requests.

mod common;

use assay_core::view::CheckView;
use assay_report::check::{Rule, Verification, check};
use assay_report::template::{Records, Template};
use assay_report::{Lang, ReportModel, html, markdown, pull_request};
use common::{campaign, empty_list};

fn made(text: &str) -> String {
    let template = Template::parse(text).expect("a template");
    template
        .markdown(&campaign(), &Records::new(), Lang::En)
        .expect("references that lead somewhere")
}

fn fails(text: &str) -> String {
    let failed = match Template::parse(text) {
        Err(e) => e,
        Ok(t) => t
            .markdown(&campaign(), &Records::new(), Lang::En)
            .expect_err("a fault"),
    };
    failed.to_string()
}

#[test]
fn a_template_has_words_chapters_and_figures_with_their_records() {
    let text = made(
        "# {{title}} on {{device}}\n\n**{{champion}}** takes {{champion ratio}} of the time of\n{{champion against}}.\n\n- one\n- {{blocked median tall}}\n\n{{chapter rejected}}\n",
    );
    insta::assert_snapshot!(text);
}

#[test]
fn records_are_referred_to_by_id_and_place() {
    let record = serde_json::json!({"body": {"ratio": 0.5, "note": "<b>", "list": [1]}});
    let records = Records::from([("01K".to_owned(), record)]);
    let at = |pointer: &str| {
        let template = Template::parse(&format!("x {{{{record 01K {pointer}}}}}")).unwrap();
        assert_eq!(template.records(), ["01K"]);
        template.markdown(&campaign(), &records, Lang::En)
    };
    let text = at("/body/ratio").unwrap();
    assert!(text.starts_with("x 0.5\n"), "{text}");
    assert!(
        text.contains("| record 01K /body/ratio | 0.5 | 01K |"),
        "{text}"
    );
    assert!(at("/body/note").unwrap().contains("x &lt;b&gt;"));
    assert!(
        at("/body/nothing")
            .unwrap_err()
            .problem
            .contains("has nothing at")
    );
    assert!(
        at("/body/list")
            .unwrap_err()
            .problem
            .contains("no single value")
    );
}

#[test]
fn an_error_names_the_line_and_the_reason() {
    for (text, says) in [
        (
            "a\n\n{{chapter clam}}",
            "line 3: no chapter `clam`; did you mean `claim`?",
        ),
        ("a {{champion ratio", "line 1: `{{` without `}}`"),
        ("\na {{}}", "line 2: an empty reference"),
        (
            "see {{chapter claim}}",
            "a chapter stands on a line of its own",
        ),
        (
            "{{champion ration}}",
            "no figure `ration`; did you mean `ratio`?",
        ),
        (
            "a\nb\n{{blokced ratio}}",
            "line 3: no variant `blokced`; did you mean `blocked`?",
        ),
        ("{{champion median square}}", "no workload `square`"),
        ("{{record 01X /a}}", "no record `01X`"),
        ("{{champion counter nothing}}", "no figure `nothing`"),
        ("{{champion ratio 3}}", "nothing can stand behind `ratio`"),
        ("| a | b |", "tables come from chapters"),
        ("```\ncode", "has no end"),
        ("#### deep", "a heading is"),
        ("a **b", "without its partner"),
        ("{{hello}}", "no reference `hello`"),
    ] {
        let failed = fails(text);
        assert!(failed.contains(says), "{text}: {failed}");
    }
}

#[test]
fn words_of_a_template_are_inert_in_both_formats() {
    let template = Template::parse("<script>x</script> [a](http://x) \u{1b}[31m\n").unwrap();
    let records = Records::new();
    let page = template.html(&campaign(), &records, Lang::Zh).unwrap();
    assert!(
        page.contains("&lt;script&gt;") && !page.contains("<script"),
        "{page}"
    );
    let text = template.markdown(&campaign(), &records, Lang::En).unwrap();
    assert!(!text.contains('\u{1b}') && !text.contains("[a]("), "{text}");
}

#[test]
fn figures_that_are_written_out_are_found_and_references_are_none() {
    let text = "# T\n\n{{champion ratio}} is 3.5 % less, TODO\n\n```\n4 ms\n```\n";
    let template = Template::parse(text).unwrap();
    let found = template.literals();
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].line, found[0].text.as_str()), (3, "3.5 %"));
    assert_eq!(template.placeholders()[0].line, 3);
}

#[test]
fn every_chapter_can_be_asked_for() {
    let whole = markdown(&campaign(), Lang::En);
    let chapters = [
        "claim",
        "task",
        "environment",
        "protocol",
        "chain",
        "cards",
        "rejected",
        "failures",
        "logs",
        "roofline",
        "diagnosis",
        "audit",
        "threats",
        "reproduce",
        "evidence",
    ];
    for name in chapters {
        let text = made(&format!("{{{{chapter {name}}}}}"));
        assert!(whole.contains(text.trim()), "{name}:\n{text}");
    }
    assert!(html(&campaign(), Lang::En).contains("<h2"));
}

#[test]
fn a_pull_request_in_english() {
    insta::assert_snapshot!(pull_request(&campaign(), Lang::En));
}

#[test]
fn a_pull_request_in_chinese() {
    let mut m = campaign();
    m.verified = Some(Verification::default());
    insta::assert_snapshot!(pull_request(&m, Lang::Zh));
}

#[test]
fn a_pull_request_of_nothing_claims_nothing() {
    let text = pull_request(&ReportModel::new(empty_list()), Lang::En);
    assert!(text.contains("no speed-up is claimed"), "{text}");
    assert!(
        text.contains("No check of the results is recorded."),
        "{text}"
    );
    assert!(!text.contains("[x] The claim"), "{text}");
}

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
    broken(
        Rule::Verdict,
        &|m| m.list.contested = vec!["a".into(), "b".into()],
        "a, b",
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
            let audit = serde_json::json!({
                "schema": "assay.audit/1", "campaign": "gemm-cpu", "variants": [],
                "findings": [{
                    "rule": "duty-over-100", "kind": "audit", "severity": "error",
                    "subject": "blocked", "message": "duty is 120 %", "message_zh": "",
                    "advice": "", "advice_zh": "", "counters": [], "evidence": "", "source": "",
                }],
                "not_judged": [], "notices": [],
            });
            m.audit = serde_json::from_value(audit).expect("an audit");
        },
        "blocked: duty is 120 %",
    );
    let (unknown, _) = holds(&whole, Rule::Verified);
    assert_eq!(unknown, None, "what was not asked is not known");
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

#[test]
fn a_change_that_is_shown_as_nothing_is_neither_better_nor_worse() {
    let rows = |before: f64, after: f64| {
        let mut m = campaign();
        let counted = m.counters["blocked"].clone();
        m.counters.insert("naive".into(), counted);
        for (name, value) in [("naive", before), ("blocked", after)] {
            for set in m.counters.get_mut(name).into_iter().flatten() {
                if let Some(c) = set.figures.get_mut("inst.executed") {
                    c.value = value;
                }
            }
        }
        let text = markdown(&m, Lang::En);
        // The first version has values alone.
        let is_change = |l: &&str| l.starts_with("| inst.executed |") && l.contains(" % |");
        let row = text.lines().find(is_change);
        row.unwrap_or_else(|| panic!("{text}")).to_owned()
    };
    let nothing = rows(1_000_000.0, 999_990.0);
    assert!(
        nothing.contains("| 0.00 % |") && !nothing.contains("better"),
        "{nothing}"
    );
    let some = rows(1_000_000.0, 990_000.0);
    assert!(some.contains("better"), "{some}");
}
