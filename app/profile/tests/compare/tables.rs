//! Tables that people publish, read with a mapping file and held against themselves.

use assay_core::view::CounterCompareView;
use assay_profile::compare::{Column, Options, compare, is_published, published_changes};
use assay_profile::{Catalog, Launch, Mapping, Profile, Status};

use super::{near, row};

const INTERLEAVE4: [&str; 2] = [
    include_str!("fixtures/interleave4.toml"),
    include_str!("fixtures/interleave4.csv"),
];
const PANEL2: [&str; 2] = [
    include_str!("fixtures/panel2.toml"),
    include_str!("fixtures/panel2.csv"),
];
const WORKLOADS: [&str; 2] = [
    include_str!("fixtures/workloads.toml"),
    include_str!("fixtures/workloads.csv"),
];

fn read([mapping, table]: [&str; 2]) -> Profile {
    let mapping = Mapping::read("table.toml", mapping).expect("a mapping");
    mapping.parse(table.as_bytes()).expect("a profile")
}

fn columns(p: &Profile) -> Vec<Column<'_>> {
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
        text.contains("| 66.67% | 72.70% | +9.04 %, +6.03 points, better |"),
        "{text}"
    );
    assert!(
        text.contains("| 12.188B | 9.161B | -24.84 %, better |"),
        "{text}"
    );
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

#[test]
fn sides_are_launches_and_changes_are_no_counters() {
    let p = read(INTERLEAVE4);
    let kernels: Vec<_> = p.launches.iter().map(|l| l.kernel.as_str()).collect();
    assert_eq!(kernels, ["swizzle128", "B prepack/interleave4"]);
    let published = p.launches[1]
        .iter()
        .filter(is_published)
        .collect::<Vec<_>>();
    assert_eq!(published.len(), 5);
    assert!(published.iter().all(|c| c.canonical().is_none()));
    assert_eq!(published[4].word(), Some("基本不变"));
    assert_eq!(
        (
            published[2].number(),
            published[2].unit(),
            published[2].resolution()
        ),
        (Some(-54.35), "%", Some(0.01))
    );
    // Without leave no letter is a power of ten.
    let [mapping, table] = INTERLEAVE4;
    let p = read([
        &mapping.replace("magnitudes = true", ""),
        &table.replace("6.109B", "7"),
    ]);
    let c = p.launches[0]
        .counter("", "BSM instructions")
        .expect("a counter");
    assert_eq!((c.status(), c.raw()), (Status::Error, "8.424B"));
    assert!(c.suspect()[0].contains("magnitudes = true"));
    // Nor is a figure read that may be a thousand times as large.
    let p = read([
        &mapping.replace("decimal = \".\"", ""),
        &table.replace("6.109B", "7"),
    ]);
    let c = p.launches[0]
        .counter("", "BSM instructions")
        .expect("a counter");
    assert!(c.suspect()[0].contains("ambiguous"), "{:?}", c.suspect());
}

#[test]
fn a_line_a_workload_gives_a_launch_for_each_of_its_variants() {
    let p = read(WORKLOADS);
    assert_eq!(p.launches.len(), 45);
    let kernels: Vec<_> = p.launches.iter().map(|l| l.kernel.as_str()).collect();
    let first = [
        "small · PyTorch",
        "small · before",
        "small · after",
        "medium · PyTorch",
    ];
    assert_eq!(kernels[..4], first);
    let value = |launch: &Launch, name: &str, unit: &str| {
        let c = launch.canonical(name).next()?;
        c.in_unit(unit)
    };
    let small = &p.launches[2];
    assert_eq!(value(small, "claim.time", "ns"), Some(3500.0));
    assert_eq!(value(small, "claim.bandwidth", "GB/s"), Some(8.8));
    assert_eq!(value(small, "claim.speedup", "1"), Some(1.057));
    let share = small.counter("", "利用率").expect("a counter");
    assert_eq!(
        (share.unit(), share.number(), share.raw()),
        ("%", Some(0.5), "0.5%")
    );
    assert_eq!(value(&p.launches[1], "claim.speedup", "1"), None);
    for of in p.launches.chunks(3) {
        let columns: Vec<_> = of
            .iter()
            .map(|launch| Column {
                label: "side",
                profile: &p,
                launch,
            })
            .collect();
        let published = ["相对 PyTorch 加速比", "相对未优化 Kernel 加速比"];
        for (other, name) in published.iter().enumerate() {
            // What remains of the time is one part in as many as the speedup says.
            let pair = [columns[2], columns[other]];
            let view =
                compare(&pair, &Options::default(), Catalog::builtin()).expect("a comparison");
            assert!(
                !view.warnings.iter().any(|w| w.contains("kernels")),
                "{:?}",
                view.warnings
            );
            let time = view
                .rows
                .iter()
                .find(|r| r.canonical.as_deref() == Some("claim.time"));
            let change = time.and_then(|r| r.changes[1].as_ref()).expect("a change");
            let [low, high] = change
                .interval
                .expect("an interval")
                .map(|p| 1.0 + p / 100.0);
            let speedup = of[2]
                .counter("", name)
                .and_then(|c| c.number())
                .expect("a speedup");
            assert!(
                speedup + 5e-4 >= low && speedup - 5e-4 <= high,
                "{name} {} {low} {high}",
                of[2].kernel
            );
        }
    }
    let apart = [columns(&p)[2], columns(&p)[5]];
    let view = compare(&apart, &Options::default(), Catalog::builtin()).expect("a comparison");
    assert!(
        view.warnings
            .iter()
            .any(|w| w.contains("different kernels"))
    );
}

#[test]
fn mapping_files_that_say_something_impossible() {
    let head = "schema = \"assay.mapping/1\"\ntool = \"t\"\nformat = \"csv\"\n";
    for (bad, why) in [
        (
            "counter = \"c\"\n[[sides]]\nlabel = \"a\"\ncolumn = \"a\"\n[[sides]]\nlabel = \"a\"\ncolumn = \"b\"\n",
            "called `a`",
        ),
        (
            "counter = \"c\"\nvalue = \"v\"\n[[sides]]\nlabel = \"a\"\ncolumn = \"a\"\n",
            "neither `value`",
        ),
        (
            "counter = \"c\"\nkernel = \"k\"\n[[sides]]\nlabel = \"a\"\ncolumn = \"a\"\n",
            "do not go with them",
        ),
        (
            "counter = \"c\"\n[[sides]]\nlabel = \"a\"\ncolumn = \"a\"\nchange = \"d\"\n",
            "no `change`",
        ),
        ("counter = \"c\"\n", "belong together"),
        (
            "[[counters]]\nfrom = \"a\"\ncanonical = \"claim.tiem\"\n",
            "did you mean `claim.time`",
        ),
        (
            "[[counters]]\nfrom = \"a\"\nunit = \"GB/s\"\ncanonical = \"claim.time\"\n",
            "cannot be converted",
        ),
        (
            "[[counters]]\nfrom = \"a\"\ncanonical = \"claim.time\"\n",
            "cannot be converted",
        ),
        (
            "[[counters]]\nfrom = \"a\"\nside = \"x\"\n[[counters]]\nfrom = \"b\"\n",
            "some have none",
        ),
        (
            "counter = \"c\"\nvalue = \"v\"\n[names]\nx = \"inst.mmaa\"\n",
            "did you mean `inst.mma`",
        ),
    ] {
        let e = Mapping::read("m.toml", &format!("{head}{bad}"))
            .expect_err(bad)
            .to_string();
        assert!(e.contains(why), "{e}");
    }
    let named = "counter = \"c\"\nvalue = \"v\"\n[names]\n\"matrix ops\" = \"inst.mma\"\n";
    let p = read([&format!("{head}{named}"), "c,v\nmatrix ops,7\nother,8\n"]);
    let canonical: Vec<_> = p.launches[0].iter().map(|c| c.canonical()).collect();
    assert_eq!(canonical, [Some("inst.mma"), None]);
}
