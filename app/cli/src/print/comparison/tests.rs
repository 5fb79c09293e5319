//! The text of comparisons.

use assay_core::text::width;
use assay_core::view::{CellView, ChangeView, ColumnView, CounterRow, PublishedView};
use serde_json::json;

use super::grid::{figure, names};
use super::*;

fn cell(raw: &str, value: serde_json::Value) -> CellView {
    CellView {
        status: "value".into(),
        value: Some(value),
        raw: raw.into(),
        resolution: None,
        suspect: Vec::new(),
    }
}

fn row(name: &str, unit: &str, cells: Vec<CellView>, changes: &[Option<f64>]) -> CounterRow {
    CounterRow {
        section: "S".into(),
        name: name.into(),
        canonical: None,
        unit: unit.into(),
        direction: None,
        cells,
        changes: (changes.iter())
            .map(|c| {
                c.map(|percent| ChangeView {
                    absolute: percent,
                    percent: Some(percent),
                    interval: None,
                    text: format!("{percent:+.2} %"),
                    resolved: true,
                    changed: true,
                    better: Some(percent < 0.0),
                })
            })
            .collect(),
        published: Vec::new(),
        outcome: "changed".into(),
        threshold: 1.0,
        weighted: 0.0,
    }
}

fn view(labels: &[&str], rows: Vec<CounterRow>) -> CounterCompareView {
    let column = |label: &&str| ColumnView {
        label: (*label).into(),
        tool: "mcProfiler".into(),
        tool_version: None,
        kernel: "k".into(),
        occurrence: Some(0),
        scope: "per-kernel".into(),
        values: 1,
    };
    CounterCompareView {
        schema: "assay.counter-compare/1".into(),
        columns: labels.iter().map(column).collect(),
        base: 0,
        rows,
        unchanged: 0,
        below_threshold: 0,
        no_figure: 0,
        not_compared: 0,
        threshold: 1.0,
        findings: Vec::new(),
        warnings: Vec::new(),
    }
}

#[test]
fn columns_that_do_not_fit_follow_below_with_names_and_base_again() {
    let cells = || {
        vec![
            cell("100", json!(100)),
            cell("90", json!(90)),
            cell("80", json!(80)),
        ]
    };
    let rows = vec![row(
        "counter one",
        "1",
        cells(),
        &[None, Some(-10.0), Some(-20.0)],
    )];
    let v = view(&["base", "second", "third"], rows);
    let wide = comparison(&v, Lang::En, Some(100), Paint::PLAIN);
    assert!(
        wide.contains("counter      base  second    change  third    change\n"),
        "{wide}"
    );
    assert!(
        wide.contains("counter one   100      90  -10.00 %     80  -20.00 %\n"),
        "{wide}"
    );
    let narrow = comparison(&v, Lang::En, Some(40), Paint::PLAIN);
    assert!(
        narrow.contains("counter      base  second    change\n"),
        "{narrow}"
    );
    assert!(
        narrow.contains("\n\ncounter      base  third    change\n"),
        "{narrow}"
    );
    assert_eq!(narrow.matches("counter one   100").count(), 2, "{narrow}");
    let table = narrow.split("\n\n").skip(1).collect::<Vec<_>>().join("\n");
    assert!(table.lines().all(|l| width(l) <= 40), "{narrow}");
}
#[test]
fn figures_stand_as_printed_with_a_unit_once() {
    let shown =
        |unit: &str, raw: &str, value| figure(&cell(raw, value), &row("n", unit, Vec::new(), &[]));
    assert_eq!(shown("1", "24.603B", json!(24_603_000_000_u64)), "24.603B");
    assert_eq!(shown("1", "3,101,536", json!(3_101_536)), "3,101,536");
    assert_eq!(shown("1", "3101536", json!(3_101_536)), "3,101,536");
    assert_eq!(shown("%", "28.75%", json!(28.75)), "28.75%");
    assert_eq!(shown("%", "28.750", json!(28.75)), "28.750%");
    assert_eq!(
        shown("ns", "1.5", json!(1500)),
        "1,500 ns",
        "printed in another unit"
    );
    assert_eq!(
        shown("ns", "127,901.33(Kcycles)", json!(1)),
        "127,901.33(Kcycles)"
    );
    let mut bad = cell("", json!(null));
    bad.status = "none".into();
    assert_eq!(figure(&bad, &row("n", "1", Vec::new(), &[])), "-");
    bad.status = "not_supported".into();
    assert_eq!(
        figure(&bad, &row("n", "1", Vec::new(), &[])),
        "not supported"
    );
    let mut odd = cell("5\u{1b}[2J", json!(null));
    odd.suspect.push("why".into());
    assert_eq!(figure(&odd, &row("n", "1", Vec::new(), &[])), "5\\x1b[2J ?");
}

#[test]
fn names_that_differ_by_case_or_section_only_have_their_section() {
    let rows: Vec<CounterRow> = ["Total Instructions", "total instructions", "other"]
        .map(|n| row(n, "1", Vec::new(), &[]))
        .into();
    assert_eq!(
        names(&rows),
        ["Total Instructions (S)", "total instructions (S)", "other"]
    );
}

#[test]
fn why_a_figure_is_unread_is_said_below_once() {
    let unread = |reason: &str| {
        let mut c = cell("nan", json!(null));
        c.status = "error".into();
        c.suspect.push(reason.into());
        c
    };
    let ok = || cell("1", json!(1));
    let rows = vec![
        row(
            "first",
            "1",
            vec![unread("not finite"), ok()],
            &[None, None],
        ),
        row(
            "second",
            "1",
            vec![ok(), unread("not finite")],
            &[None, None],
        ),
        row("third", "1", vec![ok(), unread("too large")], &[None, None]),
    ];
    let text = comparison(&view(&["a", "b"], rows), Lang::En, Some(80), Paint::PLAIN);
    assert!(text.contains("first    nan ?"), "{text}");
    assert!(
        text.contains("\n? not finite: first, second\n\n? too large: third\n"),
        "{text}"
    );
}

#[test]
fn what_is_left_out_and_what_was_not_compared_are_told_apart() {
    let mut v = view(&["a", "b"], Vec::new());
    (v.unchanged, v.below_threshold) = (2, 1);
    let text = comparison(&v, Lang::En, Some(200), Paint::PLAIN);
    assert!(
        text.contains("\n2 counters did not change and are left out\n\n1 counter changed, but by no more than the threshold (1 %, "),
        "{text}"
    );
}

#[test]
fn long_names_use_the_room_and_are_never_mistaken_for_each_other() {
    let long = |op: &str| {
        format!(
            "smsp__sass_thread_inst_executed_op_{op}_pred_on_{}.sum",
            "x".repeat(8)
        )
    };
    let cells = || vec![cell("100", json!(100)), cell("90", json!(90))];
    let of = |op: &str| row(&long(op), "1", cells(), &[None, Some(-10.0)]);
    let v = view(&["a", "b"], vec![of("dadd"), of("dmul")]);
    let wide = comparison(&v, Lang::En, Some(140), Paint::PLAIN);
    assert!(wide.contains(&format!("{}  100", long("dadd"))), "{wide}");
    let narrow = comparison(&v, Lang::En, Some(60), Paint::PLAIN);
    assert!(
        narrow.contains(&long("dadd")) && narrow.contains(&long("dmul")),
        "{narrow}"
    );
    let alone = view(&["a", "b"], vec![of("dadd")]);
    let narrow = comparison(&alone, Lang::En, Some(60), Paint::PLAIN);
    assert!(
        narrow.contains("\nsmsp__sass") && narrow.contains("xx.sum  100"),
        "{narrow}"
    );
}

#[test]
fn a_published_change_stands_beside_the_one_worked_out() {
    let mut rows = vec![row(
        "BSM",
        "1",
        vec![cell("8.424B", json!(8)), cell("3.846B", json!(3))],
        &[None, Some(-54.34)],
    )];
    rows[0].published = vec![
        None,
        Some(PublishedView {
            printed: "-54.35%".into(),
            consistent: Some(true),
        }),
    ];
    // Where there is no room, the name stands above and what was published beneath.
    let mut long = rows.clone();
    long[0].name = "Average WG conflict cycles / instruction".into();
    let labels = ["b-prepack-interleave4", "panel2-512-threads"];
    let narrow = comparison(&view(&labels, long), Lang::En, Some(60), Paint::PLAIN);
    assert!(
        narrow.contains("\nAverage WG conflict cycles / instruction\n      8.424B    3.846B  -54.34 %\n    published -54.35% (consistent)\n"),
        "{narrow}"
    );
    assert!(narrow.lines().all(|l| width(l) <= 60), "{narrow}");
    let text = comparison(&view(&["a", "b"], rows), Lang::En, Some(80), Paint::PLAIN);
    assert!(
        text.contains("change             published\n")
            && text.contains("3.846B  -54.34 %  -54.35% (consistent)\n"),
        "{text}"
    );
}
