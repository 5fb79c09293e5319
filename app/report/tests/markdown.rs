//! Whole reports in both languages, and that nothing in them is active or made up.

mod common;

use assay_core::view::{FailureView, NoteView, UntimedView};
use assay_report::{
    ChainRow, Counter, Lang, MAX_DIFF_LINES, MeasuredCommit, ReportModel, html, markdown,
    pull_request,
};
use common::{campaign, empty_list, row};

#[test]
fn a_campaign_in_english() {
    insta::assert_snapshot!(markdown(&campaign(), Lang::En));
}

#[test]
fn a_campaign_in_chinese() {
    insta::assert_snapshot!(markdown(&campaign(), Lang::Zh));
}

#[test]
fn a_workload_is_faster_where_the_verdict_lists_it_and_not_where_its_interval_alone_leaves_1_out() {
    let counts = |m: &ReportModel| {
        let text = markdown(m, Lang::En);
        let line = text.lines().find(|l| l.starts_with("Workloads: ")).unwrap();
        line.split(", ")
            .map(|p| p.replace("Workloads: ", ""))
            .take(3)
            .collect::<Vec<_>>()
    };
    let mut m = campaign();
    let [one, none] = ["1 proven faster", "0 proven faster"].map(str::to_owned);
    assert_eq!(counts(&m)[..2], [one, "0 proven slower".into()]);
    let verdict = m.shows[1].verdict.as_mut().unwrap();
    assert!(verdict.workloads[0].interval.unwrap()[1] < 1.0);
    verdict.wins.clear();
    assert_eq!(
        counts(&m),
        [
            none,
            "0 proven slower".into(),
            "2 not proven either way".into()
        ]
    );
}

#[test]
fn nothing_accepted_claims_nothing() {
    let mut m = campaign();
    m.list.champion = None;
    m.chain.clear();
    for v in m.list.variants.iter_mut() {
        v.status = "measured".into();
        v.decision = None;
    }
    for s in &mut m.shows {
        s.variant.status = "measured".into();
    }
    let text = markdown(&m, Lang::En);
    assert!(text.contains("No variant has been accepted: no speed-up is claimed."));
    assert!(text.contains("No version has been accepted."));
    assert!(!text.contains("times as long as"));
}

#[test]
fn one_variant_and_nothing_else_is_a_report() {
    let mut list = empty_list();
    list.champion = Some("naive".into());
    list.variants.push(row("naive", None, "champion"));
    insta::assert_snapshot!(markdown(&ReportModel::new(list), Lang::En));
}

#[test]
fn an_empty_campaign_is_a_report() {
    for lang in Lang::ALL {
        let text = markdown(&ReportModel::new(empty_list()), lang);
        assert!(
            text.lines().filter(|l| l.starts_with("## ")).count() == 14,
            "{text}"
        );
        assert!(text.ends_with('\n') && !text.contains("\n\n\n"));
    }
}

#[test]
fn a_contested_place_is_no_claim() {
    let mut m = campaign();
    m.list.contested = vec!["blocked".into(), "packed".into()];
    let text = markdown(&m, Lang::En);
    assert!(text.contains("contest the place of the champion: blocked, packed"));
    assert!(!text.contains("times as long as"));
}

#[test]
fn absent_and_impossible_figures_are_never_zero() {
    let mut m = campaign();
    for r in &mut m.chain {
        r.median_ns = None;
        r.ratio = Some(f64::NAN);
        r.interval = None;
    }
    let text = markdown(&m, Lang::En);
    let chain = &text[text.find("## Result chain").unwrap()..text.find("## Accepted").unwrap()];
    assert!(
        chain.contains("| blocked | naive | n/a | naive | n/a | n/a |"),
        "{chain}"
    );
    assert!(!text.contains("NaN") && !text.contains("inf"));
}

#[test]
fn hostile_text_is_inert_everywhere() {
    let evil = "</table><script>x</script>|`a`\n# h\n```\n![i](https://e.vil) @all \x1b[2J\u{202e}";
    let mut m = campaign();
    m.title = evil.into();
    m.reproduce = vec![evil.into()];
    m.environment.insert(evil.into(), evil.into());
    m.protocol.procedure = Some(evil.into());
    m.list.device = Some(evil.into());
    m.kernel_diffs.insert("blocked".into(), evil.into());
    for source in m.sources.values_mut() {
        source.diff = evil.into();
        for x in &mut source.statements {
            x.text = evil.into();
            for f in x.facts.iter_mut().chain(&mut x.counters) {
                (f.name, f.unit) = (evil.into(), evil.into());
            }
        }
    }
    for v in m
        .list
        .variants
        .iter_mut()
        .chain(m.shows.iter_mut().map(|s| &mut s.variant))
    {
        v.why = evil.into();
        v.family = Some(evil.into());
        v.knobs.insert(evil.into(), evil.into());
        v.failure = Some(FailureView {
            kind: evil.into(),
            stage: evil.into(),
            message: evil.into(),
            stderr_tail: evil.into(),
        });
        for g in &mut v.gates {
            g.evidence = evil.into();
            g.overridden = Some(evil.into());
        }
        if let Some(d) = &mut v.decision {
            d.reason = evil.into();
        }
    }
    for s in &mut m.shows {
        for d in &mut s.decisions {
            (d.reason, d.by, d.at) = (evil.into(), evil.into(), evil.into());
        }
        for e in &mut s.evidence {
            e.summary = evil.into();
        }
        if let Some(v) = &mut s.verdict {
            v.reason = evil.into();
            v.warnings.push(evil.into());
        }
    }
    for set in m.counters.values_mut().flatten() {
        (set.tool, set.workload) = (evil.into(), evil.into());
        set.records = vec![evil.into(), evil.into()];
        let counter = set.figures.values().next().cloned().unwrap_or_default();
        let evil_one = Counter {
            unit: evil.into(),
            record: evil.into(),
            ..counter
        };
        set.figures.insert(evil.into(), evil_one);
    }
    for lang in Lang::ALL {
        let text = markdown(&m, lang);
        assert!(
            text.chars()
                .all(|c| c == '\n' || c == '\t' || !c.is_control())
        );
        assert!(!text.contains('\u{202e}'));
        let mut fence: Option<String> = None;
        let (mut fences, mut cells) = (0, None);
        for line in text.lines() {
            let ticks: String = line.chars().take_while(|c| *c == '`').collect();
            match &fence {
                Some(open) => {
                    if line == open {
                        fence = None;
                    }
                    continue;
                }
                None if ticks.len() >= 3 => {
                    fences += 1;
                    fence = Some(ticks);
                    continue;
                }
                None => {}
            }
            assert!(!line.contains("<script"), "{line}");
            assert!(
                !line.replace("\\]", "").contains("](") && !line.contains("https://"),
                "{line}"
            );
            assert!(!line.starts_with("# h"), "{line}");
            // Every row of a table has as many cells as its head.
            let bars = line.replace("\\|", "").matches('|').count();
            cells = match (cells, line.starts_with('|')) {
                (_, false) => None,
                (None, true) => Some(bars),
                (Some(n), true) => {
                    assert_eq!(n, bars, "{line}");
                    Some(n)
                }
            };
        }
        // Three diffs and commands, and the error output of four failures.
        assert_eq!((fences, fence), (7, None));
    }
}

#[test]
fn long_diffs_are_cut_with_a_notice() {
    let mut m = campaign();
    let long: String = (0..MAX_DIFF_LINES + 50)
        .map(|i| format!("+{i}\n"))
        .collect();
    m.kernel_diffs.insert("blocked".into(), long);
    let text = markdown(&m, Lang::En);
    assert!(text.contains("200 of 250 lines are shown."));
    assert!(!text.contains("\n+200\n"));
}

#[test]
fn threats_are_found_in_the_model() {
    let mut m = campaign();
    m.protocol.noise_floor = Some(0.02);
    m.list.unreadable = 3;
    m.shows[1].stale = true;
    m.shows[1].environment.insert("cc".into(), "gcc 13".into());
    let text = markdown(&m, Lang::En);
    for found in [
        "The noise floor (2 %) is above delta (1 %)",
        "UNDECIDED verdicts: 1 (unrolled).",
        "that are not in this report: 3.",
        "The branches of blocked have moved on",
        "one environment: cc differs",
        "from a simulated machine",
        "4 variants were tried",
    ] {
        assert!(text.contains(found), "{found}\n{text}");
    }
}

#[test]
fn momentary_conditions_are_no_threat() {
    let mut m = campaign();
    let keys = [
        "load1",
        "running",
        "pressure.cpu",
        "mhz",
        "celsius",
        "load1.after",
    ];
    for (i, show) in m.shows.iter_mut().enumerate() {
        for key in keys {
            show.environment.insert(key.into(), i.to_string());
        }
    }
    let text = markdown(&m, Lang::En);
    assert!(!text.contains("one environment"), "{text}");
}

#[test]
fn the_total_is_the_product_of_the_accepted_steps_and_says_so() {
    let mut m = campaign();
    let mut next = m.chain[1].clone();
    next.name = "packed".into();
    next.parent = Some("blocked".into());
    next.against = next.parent.clone();
    next.ratio = Some(0.5);
    m.list.champion = Some("packed".into());
    m.list.variants[3] = row("packed", Some("blocked"), "champion");
    let top = &mut m.list.variants[3];
    (top.ratio, top.interval) = (Some(0.5), Some([0.49, 0.51]));
    (top.against, top.verdict) = (Some("blocked".into()), Some("FASTER".into()));
    m.chain.push(next);
    let text = markdown(&m, Lang::En);
    let total = "**packed** takes 0.2200 times as long as **naive**, the first accepted version: \
                 4.545 times as fast (product of 2 accepted steps, not measured as one pair).";
    assert!(text.contains(total), "{text}");
    // Versions that are held against each other have no first one.
    m.chain[0].against = Some("packed".into());
    m.chain[0].ratio = Some(2.0);
    assert!(!markdown(&m, Lang::En).contains("first accepted version"));
}

#[test]
fn a_rejection_shows_the_verdict_that_it_rested_on() {
    let mut m = campaign();
    let unrolled = &mut m.list.variants[2];
    let decision = unrolled.decision.as_mut().unwrap();
    decision.reason = "NO_GAIN: a gain of 1 % is excluded".into();
    let text = markdown(&m, Lang::En);
    let cell = "| blocked | 0.9980 | 0.9700 .. 1.030 | NO\\_GAIN (a later run, which the figures \
                here are of: UNDECIDED) | rejected |";
    assert!(text.contains(cell), "{text}");
    m.list.variants[2].verdict = Some("NO_GAIN".into());
    let text = markdown(&m, Lang::En);
    assert!(text.contains("| NO\\_GAIN | rejected |"), "{text}");
}

#[test]
fn times_are_to_the_second_and_means_are_said_to_be_means() {
    let mut m = campaign();
    m.median_of = assay_report::GEOMETRIC_MEAN.into();
    m.generated_at = "2026-11-30T03:00:00.987654321Z".into();
    for s in &mut m.shows {
        for e in &mut s.evidence {
            e.at = "2026-11-30T01:30:00.5Z".into();
        }
        for d in &mut s.decisions {
            d.at = "2026-11-30T02:00:00.25Z".into();
        }
    }
    let text = markdown(&m, Lang::En);
    assert!(!text.contains(".5Z") && !text.contains(".25Z") && !text.contains(".98765"));
    assert!(text.contains("Each median is the geometric mean"), "{text}");
    assert!(!text.contains("kernel diff is not"));
}

#[test]
fn a_model_survives_json() {
    let m = campaign();
    let json = serde_json::to_string(&m).unwrap();
    assert_eq!(serde_json::from_str::<ReportModel>(&json).unwrap(), m);
}

#[test]
fn what_was_published_is_not_shown_as_measured_here() {
    let mut m = campaign();
    for v in &mut m.list.variants {
        v.published = v.median_ns.keys().cloned().collect();
        v.verdict = None;
    }
    for lang in [Lang::En, Lang::Zh] {
        let text = markdown(&m, lang);
        assert!(text.contains(" (p)"), "{text}");
        for says in [
            "measured beside",
            "Timed is the kernel",
            "assay run",
            "fresh process in which",
        ] {
            assert!(!text.contains(says), "{says}: {text}");
        }
    }
    let text = markdown(&m, Lang::En);
    assert!(
        text.contains("nothing in this campaign was measured here"),
        "{text}"
    );
    let rows = assay_report::csv(&m);
    let medians: Vec<&str> = rows.lines().filter(|l| l.contains(",median,")).collect();
    assert!(
        !medians.is_empty() && medians.iter().all(|l| l.contains("published")),
        "{medians:?}"
    );
}

#[test]
fn a_failure_shows_what_the_program_said() {
    let mut m = campaign();
    let lines: Vec<String> = (0..40).map(|i| format!("error {i}")).collect();
    let long = format!(
        "{}\nlast \u{1b}[31m<b>{}",
        lines.join("\n"),
        "x".repeat(500)
    );
    for v in &mut m.list.variants {
        if let Some(f) = &mut v.failure {
            (f.message, f.stderr_tail) = ("exit code 3".into(), long.clone());
        }
    }
    let text = markdown(&m, Lang::En);
    let failures = text.split("## Failures").nth(1).unwrap();
    let failures = failures.split("## ").next().unwrap();
    assert!(failures.contains("| exit code 3 |"), "{failures}");
    assert!(
        failures.contains("End of the error output of packed"),
        "{failures}"
    );
    assert!(
        failures.contains("\nerror 39\n") && !failures.contains("error 25\n"),
        "{failures}"
    );
    assert!(
        failures.contains("The last 15 of 41 lines are shown."),
        "{failures}"
    );
    // Inert, and no line longer than a page.
    assert!(failures.contains("last \\x1b[31m<b>xxx"), "{failures}");
    assert!(failures.lines().all(|l| l.len() < 300), "{failures}");
}

#[test]
fn an_interval_stands_with_its_level() {
    let mut m = campaign();
    for show in &mut m.shows {
        if let Some(v) = &mut show.verdict {
            v.reason = format!(
                "b takes 0.667 x the time of {} (98.6 % interval 0.65 to 0.68, 8 processes); the gain exceeds delta 1 %",
                v.a
            );
        }
    }
    let text = markdown(&m, Lang::En);
    assert!(text.contains("98.6 % confidence interval 0."), "{text}");
    assert!(text.contains(" (98.6 %) |"), "{text}");
    let text = markdown(&m, Lang::Zh);
    assert!(text.contains("（98.6 % 置信区间 0."), "{text}");
    assert!(text.contains("8 个进程）；增益超过 delta 1 %"), "{text}");
}

#[test]
fn warnings_that_differ_in_their_figures_are_one_threat() {
    let mut m = campaign();
    for (i, show) in m.shows.iter_mut().enumerate() {
        if let Some(v) = &mut show.verdict {
            v.warnings = vec![
                format!("other processes worked on the device: cc ({} %)", 10 + i),
                "other processes worked on the device: ld (3 %), xz (1 %)".into(),
                "workload tall: the difference is not above one tick of the timer (1 ns)".into(),
                "workload square-256: the difference is not above one tick of the timer (1 ns)"
                    .into(),
            ];
        }
    }
    let text = markdown(&m, Lang::En);
    let threats = text.split("## Threats").nth(1).unwrap();
    let said = |words: &str| threats.lines().filter(|l| l.contains(words)).count();
    assert_eq!(said("other processes worked"), 1, "{threats}");
    assert!(threats.contains("more of this kind)"), "{threats}");
    // Each workload is one of its own.
    assert_eq!(said("the difference is not above"), 2, "{threats}");
}

#[test]
fn evidence_of_several_devices_is_never_called_that_of_one_machine() {
    let mut m = campaign();
    let one = markdown(&m, Lang::En);
    assert!(one.contains("All evidence comes from one machine"), "{one}");
    m.devices = vec!["NVIDIA H200".into(), "MetaX C500".into()];
    let several = markdown(&m, Lang::En);
    assert!(!several.contains("one machine"), "{several}");
    assert!(several.contains("several machines (NVIDIA H200, MetaX C500)"));
}

#[test]
fn what_repeats_the_claim_says_on_which_commits_and_where_nothing_can_be_run() {
    let mut m = campaign();
    m.claim_commits = ["blocked", "naive"]
        .map(|n| MeasuredCommit {
            name: n.into(),
            commit: format!("c0ffee-{n}"),
        })
        .into();
    let text = markdown(&m, Lang::En);
    let says = "The claim was measured on blocked at commit c0ffee-blocked, naive at commit \
                c0ffee-naive; the evaluator is that of commit 0123abcd.";
    assert!(text.contains(says), "{text}");
    assert!(!text.contains("Nothing can be run"), "{text}");
    m.list.read_only = true;
    let text = markdown(&m, Lang::En);
    assert!(text.contains("Nothing can be run where") && text.contains("no README.md beside"));
    m.readme = vec!["sh lab.sh\nrm x".into()];
    let text = markdown(&m, Lang::En);
    let says =
        "README.md beside the records names what measures again:\n\n```sh\nsh lab.sh\\nrm x\n```";
    assert!(text.contains(says), "{text}");
    assert!(markdown(&m, Lang::Zh).contains("README.md 给出重新测量的命令："));
}

fn note(topic: &str, text: &str) -> NoteView {
    NoteView {
        id: format!("01N-{topic}"),
        about: None,
        topic: Some(topic.into()),
        text: text.into(),
        by: "Ann".into(),
        at: "2026-11-30T01:00:00Z".into(),
        table: None,
    }
}

/// The text of a chapter without what follows it.
fn chapter<'t>(text: &'t str, title: &str) -> &'t str {
    let from = text.find(&format!("## {title}\n")).expect("the chapter");
    let rest = &text[from..];
    rest[3..].find("\n## ").map_or(rest, |end| &rest[..end + 3])
}

#[test]
fn what_to_try_next_has_notes_and_parked_directions_and_says_where_no_counters_are() {
    let title = "Remaining bottleneck and what to try next";
    let mut m = campaign();
    assert!(chapter(&markdown(&m, Lang::En), title).contains("No rule has anything to say"));
    // Times that were published are no counters.
    for set in m.counters.values_mut().flatten() {
        set.is_published = true;
    }
    let text = markdown(&m, Lang::En);
    assert!(
        chapter(&text, title).contains("There are no counters of the champion"),
        "{text}"
    );
    m.notes = vec![
        note("remaining bottleneck", "Shared memory."),
        note("next: layers", "Grouped GEMM."),
        note("nextafter", "A function."),
    ];
    m.list.variants[2].status = "parked".into();
    m.list.variants[2].decision.as_mut().unwrap().reason = "Next: align the loop.".into();
    let text = markdown(&m, Lang::En);
    let part = chapter(&text, title);
    for says in [
        "- **remaining bottleneck**: Shared memory.",
        "01N-next: layers)",
        "- **unrolled**: Next: align the loop.",
    ] {
        assert!(part.contains(says), "{says}\n{part}");
    }
    let notes = chapter(&text, "Notes");
    assert!(
        notes.contains("A function.") && !notes.contains("Grouped"),
        "{notes}"
    );
    let text = markdown(&m, Lang::Zh);
    assert!(
        chapter(&text, "剩余瓶颈与下一步").contains("搁置待续的方向"),
        "{text}"
    );
}

#[test]
fn a_note_on_the_environment_is_no_statement_of_a_document() {
    let mut m = campaign();
    m.notes = vec![note("environment", "clocks locked")];
    for (lang, title, noted, read, stated) in [
        (
            Lang::En,
            "Environment",
            "What was noted on it:",
            "read off the machine:",
            "documents",
        ),
        (
            Lang::Zh,
            "环境",
            "相关备注：",
            "从机器上读取的内容：",
            "发布文件",
        ),
    ] {
        let text = markdown(&m, lang);
        let part = chapter(&text, title);
        let places = [noted, "clocks locked", read, "gcc 12"].map(|t| part.find(t));
        assert!(
            places.iter().all(Option::is_some) && places.is_sorted(),
            "{part}"
        );
        assert!(!part.contains(stated), "{part}");
    }
    // Where all was published, the documents state it.
    for row in &mut m.list.variants {
        row.published = row.median_ns.keys().cloned().collect();
        row.verdict = None;
    }
    let text = markdown(&m, Lang::En);
    assert!(chapter(&text, "Environment").contains("nothing of it was read off a machine"));
}

/// The campaign with a further accepted step, so that the claim has a product.
fn two_steps() -> ReportModel {
    let mut m = campaign();
    let mut packed = m.list.variants[1].clone();
    packed.name = "packed-b".into();
    (packed.against, packed.ratio) = (Some("blocked".into()), Some(0.5));
    m.list.variants[1].status = "accepted".into();
    m.list.champion = Some("packed-b".into());
    let mut chain = ChainRow::from_row(&packed, "square-256");
    chain.parent = Some("blocked".into());
    m.chain.push(chain);
    m.list.variants.push(packed);
    m
}

#[test]
fn a_product_over_evaluators_or_environments_says_so_and_a_moved_branch_too() {
    let mut m = two_steps();
    let text = markdown(&m, Lang::En);
    let part = chapter(&text, "Claim");
    assert!(
        part.contains("4.545 times as fast (product of 2 accepted steps"),
        "{part}"
    );
    assert!(
        !part.contains("no single figure") && !part.contains("has moved"),
        "{part}"
    );
    m.other_evaluators = vec!["blocked: aaaa".into(), "packed-b: bbbb".into()];
    m.shows[0].environment.insert("driver".into(), "1".into());
    m.shows[1].environment.insert("driver".into(), "2".into());
    m.list.variants[0].stale = true;
    let text = markdown(&m, Lang::En);
    let part = chapter(&text, "Claim");
    for says in [
        "with different evaluators, which do not compare (blocked: aaaa, packed-b: bbbb).",
        "in different environments (driver differs).",
        "The branch of naive has moved",
    ] {
        assert!(part.contains(says), "{says}\n{part}");
    }
    // Of one step there is no product.
    let mut m = campaign();
    m.other_evaluators = vec!["naive: aaaa".into(), "blocked: bbbb".into()];
    assert!(!chapter(&markdown(&m, Lang::En), "Claim").contains("no single figure"));
    // A version that was rejected is none of the accepted ones.
    let mut m = two_steps();
    m.list.variants[0].status = "rejected".into();
    assert!(!chapter(&markdown(&m, Lang::En), "Claim").contains("first accepted version"));
}

#[test]
fn lines_of_what_people_wrote_stay_lines_and_stay_inert() {
    let mut m = campaign();
    m.notes = vec![note(
        "todo",
        "First line.\n\n# no heading\r\n- no item\n| no cell |",
    )];
    m.list.variants[2].decision.as_mut().unwrap().reason = "Not worth it.\nReally.".into();
    m.shows[1].variant.why = "One.\nTwo.".into();
    m.title = "A\nB".into();
    let text = markdown(&m, Lang::En);
    for says in [
        "- **todo**: First line.\\\n  \\# no heading\\\n  \\- no item\\\n  \\| no cell \\| (the campaign;",
        "| Not worth it. Really. |",
        "Hypothesis: One.\\\n  Two.\n",
        "# Report: A B\n",
    ] {
        assert!(text.contains(says), "{says}\n{text}");
    }
    let page = html(&m, Lang::En);
    assert!(page.contains("One.<br>Two.") && page.contains("First line.<br># no heading<br>"));
}

#[test]
fn a_rejected_direction_shows_each_workload_and_what_became_of_its_predictions() {
    let mut m = campaign();
    let verdict = m.shows[1].verdict.clone().map(|mut v| {
        (v.a, v.b) = ("blocked".into(), "unrolled".into());
        v
    });
    m.shows[2].verdict = verdict;
    m.shows[2].predictions = m.shows[1].predictions.clone();
    let text = markdown(&m, Lang::En);
    let part = chapter(&text, "Rejected and parked directions");
    for says in [
        "| variant | against | square-256 | tall |",
        "| unrolled | blocked | 0.4400 (0.4300 .. 0.4500) | 1.004 (0.9840 .. 1.024) |",
        "| unrolled | inst.executed&lt;-30% | -62.48 % | yes |",
    ] {
        assert!(part.contains(says), "{says}\n{part}");
    }
    assert!(pull_request(&m, Lang::Zh).contains("| unrolled | blocked | 0.4400（0.4300"));
    // On one workload the table above says it all.
    m.shows[2].verdict.as_mut().unwrap().workloads.truncate(1);
    m.shows[2].predictions.clear();
    let text = markdown(&m, Lang::En);
    let part = chapter(&text, "Rejected and parked directions");
    assert!(
        !part.contains("square-256") && !part.contains("Predictions"),
        "{part}"
    );
}

#[test]
fn a_verdict_from_before_the_calibration_and_a_cost_of_nothing_say_what_they_are() {
    let mut m = campaign();
    let verdict = m.shows[1].verdict.as_mut().unwrap();
    verdict.warnings = vec![
        "no A/A calibration of this machine in this mode: its noise floor is not known; `assay calibrate` measures it".into(),
    ];
    let text = markdown(&m, Lang::En);
    assert!(chapter(&text, "Threats to validity").contains("- blocked: no A/A calibration of"));
    m.protocol.noise_floor = Some(0.001);
    let text = markdown(&m, Lang::En);
    let part = chapter(&text, "Threats to validity");
    assert!(
        part.contains("- blocked: when it was measured: no A/A calibration of"),
        "{part}"
    );
    assert!(part.contains("(it was calibrated since)"), "{part}");
    m.shows[1].untimed = [("pack-b", 0.0), ("tune", 1500.0)]
        .map(|(name, ns)| UntimedView {
            name: name.into(),
            why: Some("once a model".into()),
            cost_ns: Some(ns),
        })
        .into();
    let text = markdown(&m, Lang::En);
    let part = chapter(&text, "Claim");
    assert!(
        part.contains("pack-b, 0 ns as the harness reports it: not done by"),
        "{part}"
    );
    assert!(
        part.contains("tune, 1.500 us once (once a model)"),
        "{part}"
    );
    assert!(markdown(&m, Lang::Zh).contains("pack-b，评测程序报告为 0 ns"));
}
