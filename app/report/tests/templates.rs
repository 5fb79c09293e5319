//! Reports by a template, and the form for pull requests.

mod common;

use assay_core::view::{NoteView, TableView};
use assay_report::check::Verification;
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
        (
            "{{unrolled counter inst.executed}}",
            "no figure `inst.executed`; there is none",
        ),
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
        "published",
        "logs",
        "roofline",
        "diagnosis",
        "notes",
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

#[test]
fn headings_of_a_pull_request_nest() {
    let mut m = campaign();
    for v in &mut m.list.variants {
        v.verdict = None;
        v.published = v.median_ns.keys().cloned().collect();
    }
    let table = TableView {
        name: "runs".into(),
        columns: vec!["case".into(), "date".into(), "time".into()],
        rows: vec![vec!["a".into(), "2026-08-06".into(), "3.50 µs".into()]],
        ..TableView::default()
    };
    m.notes = vec![NoteView {
        id: "01HZN".into(),
        about: None,
        topic: Some("runs".into()),
        text: "What was run.".into(),
        by: "Ann".into(),
        at: "2026-11-30T01:00:00Z".into(),
        table: Some(table),
    }];
    let text = pull_request(&m, Lang::En);
    assert!(text.contains("\n### Notes\n\n"), "{text}");
    assert!(text.contains("\n#### runs\n\n"), "{text}");
    assert!(
        text.contains("| --- | --- | ---: |\n| a | 2026-08-06 | 3.50 µs |"),
        "{text}"
    );
}

#[test]
fn a_pull_request_claims_nothing_faster_and_no_accepted_version_where_there_is_none() {
    let optimize = "`optimize`: an existing implementation made faster";
    let mut m = campaign();
    for v in m.list.variants.iter_mut() {
        v.commit = Some("c0ffee".into());
    }
    for v in m.shows.iter_mut().map(|s| &mut s.variant) {
        v.commit = Some("c0ffee".into());
    }
    let text = pull_request(&m, Lang::En);
    assert!(text.contains(&format!("- [x] {optimize}")), "{text}");
    assert!(
        text.contains("| first accepted version (commit) | c0ffee |"),
        "{text}"
    );
    // Neither a verdict that says otherwise nor a contest supports it.
    let mut undecided = m.clone();
    undecided.list.variants[1].verdict = Some("UNDECIDED".into());
    let mut contested = m.clone();
    contested.list.contested = vec!["a".into(), "b".into()];
    for m in [&undecided, &contested] {
        let text = pull_request(m, Lang::En);
        assert!(text.contains(&format!("- [ ] {optimize}")), "{text}");
    }
    m.list.champion = None;
    for v in m.list.variants.iter_mut() {
        (v.status, v.decision) = ("measured".into(), None);
    }
    for v in m.shows.iter_mut().map(|s| &mut s.variant) {
        (v.status, v.decision) = ("measured".into(), None);
    }
    let text = pull_request(&m, Lang::En);
    assert!(text.contains(&format!("- [ ] {optimize}")), "{text}");
    assert!(
        text.contains("| first accepted version (commit) | n/a |"),
        "{text}"
    );
}

#[test]
fn code_in_a_line_of_a_template_stays_code() {
    let text = made("Run `assay **verify** <x>`, `{{champion}} at` and a lone ` tick.\n");
    assert!(
        text.starts_with("Run `assay **verify** <x>`, `blocked at` and a lone \\` tick.\n"),
        "{text}"
    );
    let template = Template::parse("**see `a_b`**\n").unwrap();
    let page = template
        .html(&campaign(), &Records::new(), Lang::En)
        .unwrap();
    assert!(
        page.contains("<strong>see <code>a_b</code></strong>"),
        "{page}"
    );
}

#[test]
fn the_guide_names_every_chapter() {
    let guide =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide.md"));
    let guide = guide.expect("the guide");
    let from = guide.find("`{{chapter NAME}}`").expect("templates");
    let part = &guide[from..from
        + guide[from..]
            .find("figures as references")
            .expect("their end")];
    let failed = fails("{{chapter qqqq}}");
    let (_, all) = failed.split_once("there are ").expect("all chapters");
    for name in all.split(", ") {
        assert!(
            part.contains(&format!("`{name}`")),
            "{name} is not in the guide"
        );
    }
}
