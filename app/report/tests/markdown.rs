//! Whole reports in both languages, and that nothing in them is active or made up.

mod common;

use assay_core::view::FailureView;
use assay_report::{Lang, MAX_DIFF_LINES, ReportModel, markdown};
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
            text.lines().filter(|l| l.starts_with("## ")).count() == 11,
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
        assert_eq!((fences, fence), (2, None));
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
        "3 records could not be read",
        "The branches of blocked have moved on",
        "one environment: cc differs",
        "from a simulated machine",
        "4 variants were tried",
    ] {
        assert!(text.contains(found), "{found}\n{text}");
    }
}

#[test]
fn a_model_survives_json() {
    let m = campaign();
    let json = serde_json::to_string(&m).unwrap();
    assert_eq!(serde_json::from_str::<ReportModel>(&json).unwrap(), m);
}
