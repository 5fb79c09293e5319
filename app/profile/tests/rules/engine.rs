//! Conditions, messages and figures of rules.

use assay_profile::Counter;
use assay_profile::rules::{Context, Kind, Rules, has_time, on_launch};

use crate::support::{campaign, compared, context, only, report, rules, tried};

const HEAD: &str = "schema = \"assay.rules/1\"\nkind = \"audit\"\nsource = \"test\"\n";

fn one_rule(on: &str, more: &str, when: &str, message: &str) -> Rules {
    rules(&format!(
        "{HEAD}[[rule]]\nid = \"r\"\non = \"{on}\"\nseverity = \"warning\"\n{more}\nwhen = '{when}'\nmessage = '{message}'\nmessage_zh = '中{message}'\n"
    ))
}

const DUTY: (&str, &str, &str, &str) = (
    "GPU Throughput Statistics",
    "AP MMA Duty ratio",
    "28.75",
    "%",
);

#[test]
fn a_finding_has_the_figures_in_both_languages() {
    let rules = one_rule(
        "launch",
        "",
        "duty.mma < device.share * 30",
        "{kernel}: {duty.mma} of {device.peak}, {duty.mma * 2 | x} {{}}",
    );
    let profile = report("mcProfiler", "gemm\u{1b}[2J", &[DUTY]);
    let context = context(&[("device.share", 1.0), ("device.peak", 239.616)]);
    let finding = only(tried(&rules, &profile, &context));
    assert_eq!(
        finding.message,
        "gemm\\x1b[2J: 28.75 % of 239.616 TFLOPS, 57.5x {}"
    );
    assert_eq!(
        finding.message_zh,
        "中gemm\\x1b[2J: 28.75 % of 239.616 TFLOPS, 57.5x {}"
    );
    assert_eq!(finding.subject, "gemm\\x1b[2J");
    assert_eq!(
        finding.evidence,
        "duty.mma = 28.75 < device.share * 30 (30)"
    );
    assert_eq!(
        (finding.kind.as_str(), finding.severity.as_str()),
        ("audit", "warning")
    );
    let used: Vec<_> = finding
        .counters
        .iter()
        .map(|c| (c.name.as_str(), c.value, c.unit.as_str()))
        .collect();
    assert_eq!(
        used,
        [
            ("duty.mma", 28.75, "%"),
            ("device.share", 1.0, "1"),
            ("device.peak", 239.616, "TFLOPS")
        ]
    );
}

#[test]
fn what_has_no_value_is_neither_found_nor_denied() {
    let rules = one_rule(
        "launch",
        "needs = [\"device.peak\"]",
        "duty.mma > 1 and duty.l2 > 1",
        "x",
    );
    let profile = report("mcProfiler", "k", &[DUTY]);
    let found = tried(&rules, &profile, &Context::default());
    assert!(found.findings.is_empty());
    assert_eq!(found.not_judged[0].missing, ["device.peak", "duty.l2"]);
    // What one side settles needs no other.
    let settled = one_rule("launch", "", "duty.mma > 90 and duty.l2 > 1", "x");
    assert_eq!(
        tried(&settled, &profile, &Context::default()),
        Default::default()
    );
    // A rule of the other kind is not tried, and diagnoses that cannot be judged are silent.
    let launch = &profile.launches[0];
    let other = on_launch(
        &rules,
        Kind::Diagnosis,
        &profile,
        launch,
        &Context::default(),
    );
    assert_eq!(other, Default::default());
}

#[test]
fn each_counter_that_matches_is_tried_by_itself() {
    let rules = one_rule(
        "launch",
        "each = \"duty.* | ipc.efficiency\"",
        "it > 100 + res.it",
        "{it.name} is {it}",
    );
    let profile = report(
        "mcProfiler",
        "k",
        &[
            DUTY,
            (
                "GPU Throughput Statistics",
                "AP MTE Duty ratio",
                "10330.45",
                "%",
            ),
            ("Summary", "AP busy Duty", "100.01", "%"),
            ("GPU Throughput Statistics", "VLS Duty ratio", "101.5", "%"),
        ],
    );
    let found = tried(&rules, &profile, &Context::default());
    let messages: Vec<_> = found.findings.iter().map(|f| f.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "VLS Duty ratio is 101.5 %",
            "AP MTE Duty ratio is 10,330.5 %"
        ]
    );
    assert_eq!(
        found.findings[1].evidence,
        "duty.vector: it = 10330.5 > 100 + res.it (100.01)"
    );
    assert_eq!(found.findings[1].counters[0].name, "duty.vector");
    assert!(found.not_judged.is_empty());
    let none = tried(&rules, &report("mcProfiler", "k", &[]), &Context::default());
    assert_eq!(none.not_judged[0].missing, ["duty.* | ipc.efficiency"]);
}

#[test]
fn supporting_evidence_is_added_when_it_holds() {
    let text = format!(
        "{HEAD}[[rule]]\nid = \"r\"\non = \"launch\"\nseverity = \"info\"\nwhen = 'duty.mma > 1'\nmessage = 'a'\nmessage_zh = '甲'\n\
         [[rule.also]]\nwhen = 'duty.mma > 2'\nmessage = 'b {{duty.mma}}'\nmessage_zh = '乙'\n\
         [[rule.also]]\nwhen = 'duty.mma > 90'\nmessage = 'c'\nmessage_zh = '丙'\n\
         [[rule.also]]\nwhen = 'duty.l2 > 90'\nmessage = 'd'\nmessage_zh = '丁'\n"
    );
    let profile = report("mcProfiler", "k", &[DUTY]);
    let finding = only(tried(&rules(&text), &profile, &Context::default()));
    assert_eq!(finding.message, "a; b 28.75 %");
    assert_eq!(finding.message_zh, "甲；乙");
    assert_eq!(
        finding.evidence,
        "duty.mma = 28.75 > 1; duty.mma = 28.75 > 2"
    );
}

#[test]
fn a_rule_for_some_tools_is_silent_on_others() {
    let rules = one_rule("launch", "tools = [\"ncu\"]", "duty.mma > 1", "x");
    let found = tried(
        &rules,
        &report("mcProfiler", "k", &[DUTY]),
        &Context::default(),
    );
    assert_eq!(found, Default::default());
}

#[test]
fn a_counter_that_contradicts_itself_has_no_value() {
    let rules = one_rule("launch", "", "cycles.elapsed > 0", "{cycles.elapsed}");
    let twice = |second: &str| {
        let key = ("Summary", "Total Cycles");
        report(
            "mcProfiler",
            "k",
            &[
                (key.0, key.1, "1234", "cycle"),
                (key.0, key.1, second, "Kcycles"),
            ],
        )
    };
    assert_eq!(
        only(tried(&rules, &twice("1.2"), &Context::default())).message,
        "1,234"
    );
    let found = tried(&rules, &twice("1.3"), &Context::default());
    assert_eq!(found.not_judged[0].missing, ["cycles.elapsed"]);
}

#[test]
fn a_pair_has_changes_points_and_lists() {
    let rules = one_rule(
        "pair",
        "",
        "change.inst.shared.total < -50 and points.duty.mma > 1 and pair.moved == 3",
        "{change.inst.shared.total}, {points.duty.mma}, paid {paid}, bought {bought}, {time.change}, moved {moved}",
    );
    let side = |total: &str, duty: &str, conflict: &str| {
        report(
            "mcProfiler",
            "k",
            &[
                ("Workgroup Memory", "total instructions", total, ""),
                ("GPU Throughput Statistics", "AP MMA Duty ratio", duty, "%"),
                (
                    "Workgroup Memory",
                    "average conflict cycles per instruction",
                    conflict,
                    "",
                ),
                ("Summary", "Total Instructions", "1000", ""),
            ],
        )
    };
    let (a, b) = (side("1000", "23.55", "2.00"), side("456", "25.68", "3.00"));
    let context = context(&[("a.claim.time", 200.0), ("b.claim.time", 150.0)]);
    let finding = only(compared(&rules, &a, &b, &context));
    assert_eq!(
        finding.message,
        "-54.40 %, +2.13 points, paid shared.conflict_cycles +50.00 %, bought inst.shared.total -54.40 %, \
         duty.mma +9.04 % (+2.13 points), -25.00 %, moved inst.shared.total -54.40 %, shared.conflict_cycles \
         +50.00 %, duty.mma +9.04 % (+2.13 points)"
    );
    assert!(compared(&rules, &a, &a, &context).findings.is_empty());
}

#[test]
fn changes_of_one_counter_after_the_other() {
    let rules = one_rule(
        "pair",
        "each = \"duty.*\"",
        "change.it > 5",
        "{it.name} {a.it} {b.it} {points.it}",
    );
    let side = |duty: &str| report("mcProfiler", "k", &[(DUTY.0, DUTY.1, duty, "%")]);
    let finding = only(compared(
        &rules,
        &side("20"),
        &side("30"),
        &Context::default(),
    ));
    assert_eq!(finding.message, "AP MMA Duty ratio 20 % 30 % +10.00 points");
}

#[test]
fn what_printed_digits_cannot_show_has_not_moved() {
    let rules = one_rule("pair", "", "pair.moved == 0", "none");
    let side = |duty: &str| report("mcProfiler", "k", &[(DUTY.0, DUTY.1, duty, "%")]);
    assert_eq!(
        compared(&rules, &side("20"), &side("20.4"), &Context::default())
            .findings
            .len(),
        1
    );
    assert_eq!(
        compared(&rules, &side("20.0"), &side("20.4"), &Context::default())
            .findings
            .len(),
        0
    );
}

#[test]
fn a_campaign_is_judged_without_a_report() {
    let rules = one_rule(
        "campaign",
        "",
        "claim.time < bench.time - res.claim.time",
        "{claim.time} and {bench.time}",
    );
    let context = context(&[("claim.time", 3500.0), ("bench.time", 4e6)]);
    let finding = only(campaign(&rules, &context));
    assert_eq!(finding.message, "3.5 us and 4 ms");
    assert_eq!(finding.subject, "variant");
    assert_eq!(finding.counters.len(), 2);
}

#[test]
fn figures_that_are_not_finite_are_absent() {
    let rules = one_rule("campaign", "", "claim.time > 0", "x");
    let found = campaign(&rules, &context(&[("claim.time", f64::NAN)]));
    assert_eq!(found.not_judged[0].missing, ["claim.time"]);
    let divided = one_rule("campaign", "", "1 / claim.time > 0", "x");
    let found = campaign(&divided, &context(&[("claim.time", 0.0)]));
    assert!(found.findings.is_empty() && found.not_judged.len() == 1);
}

#[test]
fn names_of_counters_and_kernels_are_shown_as_inert_text() {
    let rules = one_rule(
        "launch",
        "each = \"duty.*\"",
        "it > 100 and launch.suspect > 0",
        "{it.name} {suspect}",
    );
    let mut profile = report("mcProfiler", "k", &[]);
    let mut counter = Counter::read("", "MMA\u{1b}[31m\u{202e}", "140", "%");
    counter.canonical = Some("duty.mma".into());
    counter.suspect.push("odd".into());
    profile.launches[0].push(counter);
    let finding = only(tried(&rules, &profile, &Context::default()));
    let name = "MMA\\x1b[31m\\u{202e}";
    assert_eq!(finding.message, format!("{name} {name}"));
}

#[test]
fn kernels_of_a_pair_are_named_with_their_launch() {
    let rules = one_rule(
        "pair",
        "",
        "pair.kernel_differs == 1",
        "{a.kernel} {b.kernel}",
    );
    let mut a = report("mcProfiler", "old\u{7}", &[DUTY]);
    let again = a.launches[0].clone();
    a.launches.push(again);
    a.launches[0].occurrence = Some(0);
    let b = report("mcProfiler", "new", &[DUTY]);
    let finding = only(compared(&rules, &a, &b, &Context::default()));
    assert_eq!(finding.subject, "old\\x07, launch 0 -> new");
    assert_eq!(finding.message, "old\\x07 new");
}

#[test]
fn a_pair_that_cannot_be_compared_has_no_movement() {
    let rules = one_rule("pair", "", "pair.moved == 0", "nothing moved");
    let mut a = report("mcProfiler", "k", &[DUTY]);
    let mut b = a.clone();
    a.tool_version = Some("3.7".into());
    b.tool_version = Some("3.8".into());
    let found = compared(&rules, &a, &b, &Context::default());
    assert_eq!(found.not_judged[0].missing, ["pair.moved"]);
    b.tool_version = Some("3.7".into());
    assert_eq!(
        compared(&rules, &a, &b, &Context::default()).findings.len(),
        1
    );
}

#[test]
fn a_rule_can_ask_whether_a_figure_is_there() {
    let rules = one_rule(
        "launch",
        "",
        "duty.mma > 1 and known.workload.flops + known.duty.l2 == 0",
        "x",
    );
    let profile = report("mcProfiler", "k", &[DUTY]);
    let finding = only(tried(&rules, &profile, &Context::default()));
    let used: Vec<&str> = finding.counters.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(used, ["duty.mma"]);
    let known = context(&[("workload.flops", 1.0)]);
    assert_eq!(tried(&rules, &profile, &known), Default::default());
}

#[test]
fn a_counter_that_the_tool_does_not_have_is_no_gap_in_its_report() {
    let rules = one_rule("launch", "", "branch.missed > 1 and duty.mma > 1", "x");
    let of = |tool: &str| tried(&rules, &report(tool, "k", &[]), &Context::default());
    assert_eq!(of("mcProfiler"), Default::default());
    let rules = one_rule("launch", "", "branch.missed > 1", "x");
    let of = |tool: &str| tried(&rules, &report(tool, "k", &[]), &Context::default());
    assert_eq!(of("perf stat").not_judged[0].missing, ["branch.missed"]);
}

#[test]
fn a_pair_has_a_time_when_both_sides_or_a_verdict_say_one() {
    let of = |ms: Option<&str>| {
        let mut p = report("mcProfiler", "k", &[DUTY]);
        if let Some(ms) = ms {
            let mut time = Counter::read("", "time", ms, "ms");
            time.canonical = Some("claim.time".into());
            p.launches[0].push(time);
        }
        p
    };
    let timed = |a: Option<&str>, b: Option<&str>, context: &Context| {
        let (a, b) = (of(a), of(b));
        let pair = ((&a, &a.launches[0]), (&b, &b.launches[0]));
        has_time(Rules::builtin(), pair.0, pair.1, context)
    };
    let none = Context::default();
    assert!(!timed(None, None, &none) && !timed(Some("3"), None, &none));
    assert!(timed(Some("3"), Some("2"), &none));
    assert!(timed(None, None, &context(&[("verdict.faster", 0.0)])));
}
