//! Tables that people publish, read with a mapping file and held against themselves.

use assay_core::view::CounterCompareView;
use assay_profile::compare::{Column, Options, compare, published_changes, to_csv, to_markdown};
use assay_profile::{Catalog, Launch, Mapping, Profile};

use super::{near, row};

pub const INTERLEAVE4: [&str; 2] = [
    include_str!("fixtures/interleave4.toml"),
    include_str!("fixtures/interleave4.csv"),
];
const PANEL2: [&str; 2] = [
    include_str!("fixtures/panel2.toml"),
    include_str!("fixtures/panel2.csv"),
];
pub fn read([mapping, table]: [&str; 2]) -> Profile {
    let mapping = Mapping::read("table.toml", mapping).expect("a mapping");
    mapping.parse(table.as_bytes()).expect("a profile")
}

pub fn columns(p: &Profile) -> Vec<Column<'_>> {
    let column = |launch| Column {
        label: &Launch::clone(launch).kernel.leak()[..],
        profile: p,
        launch,
    };
    p.launches.iter().map(column).collect()
}

fn against_first(p: &Profile) -> CounterCompareView {
    compare(&columns(p), &Options::default(), Catalog::builtin()).expect("a comparison")
}

/// One row as published: name, both figures, canonical name, value and resolution of the first.
type Row<'a> = (&'a str, &'a str, &'a str, &'a str, &'a str, f64, f64);

const ROWS: [Row<'_>; 14] = [
    (
        "Total Instructions",
        "24.603B",
        "18.658B",
        "-24.16%",
        "inst.executed",
        24_603e6,
        1e6,
    ),
    (
        "Memory Instructions",
        "9.208B",
        "4.820B",
        "-47.65%",
        "inst.memory",
        9_208e6,
        1e6,
    ),
    (
        "BSM instructions",
        "8.424B",
        "3.846B",
        "-54.35%",
        "inst.shared",
        8_424e6,
        1e6,
    ),
    (
        "MTE instructions",
        "5.924B",
        "4.087B",
        "-31.00%",
        "inst.vector",
        5_924e6,
        1e6,
    ),
    (
        "MMA instructions",
        "6.107B",
        "6.109B",
        "基本不变",
        "inst.mma",
        6_107e6,
        1e6,
    ),
    (
        "Total Instructions",
        "18.658B",
        "21.254B",
        "+13.92%",
        "inst.executed",
        18_658e6,
        1e6,
    ),
    (
        "Memory Instructions",
        "4.820B",
        "6.159B",
        "+27.77%",
        "inst.memory",
        4_820e6,
        1e6,
    ),
    (
        "Global Read Instructions",
        "952.760M",
        "763.565M",
        "-19.86%",
        "",
        952_760e3,
        1e3,
    ),
    (
        "L2C Read Instructions",
        "12.188B",
        "9.161B",
        "-24.83%",
        "",
        12_188e6,
        1e6,
    ),
    (
        "Workgroup total instructions",
        "3.846B",
        "5.371B",
        "+39.64%",
        "inst.shared.total",
        3_846e6,
        1e6,
    ),
    (
        "Average WG conflict cycles / instruction",
        "2.40",
        "1.72",
        "-28.33%",
        "shared.conflict_cycles",
        2.4,
        0.01,
    ),
    (
        "Shared memory access efficiency",
        "66.67%",
        "72.70%",
        "+9.04%",
        "shared.efficiency",
        66.67,
        0.01,
    ),
    (
        "AP MTE Duty ratio",
        "7.63%",
        "5.18%",
        "-32.11%",
        "duty.vector",
        7.63,
        0.01,
    ),
    (
        "AP MMA Duty ratio",
        "44.51%",
        "47.10%",
        "+5.82%",
        "duty.mma",
        44.51,
        0.01,
    ),
];

#[test]
fn every_row_comes_out_as_it_was_printed_and_its_change_is_consistent() {
    let tables = [(read(INTERLEAVE4), &ROWS[..5]), (read(PANEL2), &ROWS[5..])];
    for (p, rows) in &tables {
        let view = against_first(p);
        assert!(view.warnings.is_empty(), "{:?}", view.warnings);
        assert_eq!(view.rows.len(), rows.len());
        assert_eq!(published_changes(p), []);
        for (name, a, b, published, canonical, value, resolution) in *rows {
            let r = row(&view, name);
            assert_eq!([&r.cells[0].raw, &r.cells[1].raw], [a, b]);
            let found = r.canonical.as_deref().unwrap_or_default();
            assert!(
                !found.is_empty() && (canonical.is_empty() || found == *canonical),
                "{name}: {found}"
            );
            assert_eq!(
                r.cells[0]
                    .value
                    .as_ref()
                    .and_then(serde_json::Value::as_f64),
                Some(*value)
            );
            assert_eq!(r.cells[0].resolution, Some(*resolution), "{name}");
            let stands = r.published[1].as_ref().expect("what was published");
            assert_eq!(
                (stands.printed.as_str(), stands.consistent),
                (*published, Some(true))
            );
            let change = r.changes[1].as_ref().expect("a change");
            let [low, high] = change.interval.expect("an interval");
            let Ok(printed) = published.trim_end_matches('%').parse::<f64>() else {
                assert!(!change.changed && low < 0.1 && high > -0.1);
                continue;
            };
            assert!(change.changed);
            assert!(
                printed - 0.005 <= high && printed + 0.005 >= low,
                "{name}: {low} {high}"
            );
            // The printed figures themselves need not give it.
            let percent = change.percent.expect("a percentage");
            assert!((percent - printed).abs() < 0.0151, "{name}: {percent}");
        }
    }
    let view = against_first(&tables[1].0);
    let efficiency = row(&view, "Shared memory access efficiency").changes[1]
        .clone()
        .expect("a change");
    assert!(near(efficiency.absolute, 6.03));
    assert_eq!(
        format!("{:+.2}", efficiency.percent.unwrap_or_default()),
        "+9.04"
    );
    assert_eq!(efficiency.better, Some(true));
    let text = assay_profile::compare::to_markdown(&view);
    assert!(
        text.contains(
            "| 66.67% | 72.70% | +9.04 ± 0.02 % (+6.03 pt), better | +9.04% (consistent) |"
        ),
        "{text}"
    );
    assert!(
        text.contains("| 12.188B | 9.161B | -24.84 ± 0.01 %, better | -24.83% (consistent) |"),
        "{text}"
    );
}

#[test]
fn what_is_published_stands_beside_what_the_figures_give() {
    let [mapping, table] = INTERLEAVE4;
    for (printed, consistent, shown) in [
        (
            "-54.35%",
            Some(true),
            "-54.34 ± 0.01 %, better | -54.35% (consistent) |",
        ),
        ("-55.35%", Some(false), "-55.35% (CONTRADICTED) |"),
        ("大幅下降", None, "大幅下降 (not judged) |"),
    ] {
        let view = against_first(&read([mapping, &table.replace("-54.35%", printed)]));
        let published = row(&view, "BSM instructions").published[1].clone();
        let published = published.expect("what was published");
        assert_eq!(
            (published.printed.as_str(), published.consistent),
            (printed, consistent)
        );
        let text = to_markdown(&view);
        assert!(
            text.contains(shown) && text.contains("| Change | Published |"),
            "{text}"
        );
        assert!(to_csv(&view).contains(&format!(",{printed},")));
    }
    // It is a change against the first side, and of no use against another one.
    let p = read(INTERLEAVE4);
    let options = Options {
        base: 1,
        ..Options::default()
    };
    let view = compare(&columns(&p), &options, Catalog::builtin()).expect("a comparison");
    assert!(
        view.rows
            .iter()
            .all(|r| r.published.iter().all(Option::is_none))
    );
    assert!(!to_markdown(&view).contains("Published"));
}

#[test]
fn points_are_no_relative_change() {
    let [mapping, table] = PANEL2;
    for (printed, severity) in [
        ("+9.04%", None),
        ("+6.03%", Some("warning")),
        ("+6.03pp", None),
        ("+6.0 个百分点", None),
        ("+9.04 points", Some("error")),
        ("+7.5%", Some("error")),
    ] {
        let findings = published_changes(&read([mapping, &table.replace("+9.04%", printed)]));
        let found = findings.first().map(|f| f.severity.as_str());
        assert_eq!(
            (findings.len(), found),
            (usize::from(severity.is_some()), severity),
            "{printed}"
        );
        if severity == Some("warning") {
            assert!(
                findings[0].message.contains("+9.04 %"),
                "{}",
                findings[0].message
            );
        }
    }
    // Points of what is no percentage mean nothing.
    let odd = table.replace("+13.92%", "+13.92pp");
    assert_eq!(published_changes(&read([mapping, &odd])), []);
}

#[test]
fn a_published_change_that_no_figures_allow_is_found() {
    let [mapping, table] = INTERLEAVE4;
    for (right, wrong, found) in [
        ("-54.35%", "-53.45%", 1),
        ("-54.35%", "-54.36%", 1),
        ("-54.35%", "-54.34%", 0),
        ("-54.35%", "-54.3%", 0),
        ("-54.35%", "↓54.35%", 0),
        ("-54.35%", "\u{2212}54.35 %", 0),
        ("-54.35%", "+54.35%", 1),
        ("-54.35%", "基本不变", 1),
        ("-54.35%", "大幅下降", 0),
        ("-54.35%", "0.46x", 0),
        ("-54.35%", "2.19×", 0),
        ("-54.35%", "2.2 倍", 0),
        ("-54.35%", "0.48x", 1),
        ("基本不变", "+2%", 1),
        ("基本不变", "+0.03%", 0),
        ("3.846B", "3.864B", 1),
        ("3.846B", "-", 0),
        ("8.424B", "0", 0),
    ] {
        let table = table.replace(right, wrong);
        let findings = published_changes(&read([mapping, &table]));
        assert_eq!(findings.len(), found, "{wrong}: {findings:?}");
        for f in findings {
            assert_eq!(
                (f.rule.as_str(), f.severity.as_str()),
                ("published-change", "error")
            );
            assert!(f.subject.contains("interleave4") && !f.message_zh.is_empty());
            assert_eq!(f.counters.len(), 2);
        }
    }
    let wrong = table.replace("-54.35%", "-53.45%");
    let message = &published_changes(&read([mapping, &wrong]))[0].message;
    assert!(
        message.contains("-53.45%") && message.contains("8.424B and 3.846B"),
        "{message}"
    );
    assert!(message.contains("give -54.353 to -54.336 %"), "{message}");
}
