//! What a mapping file can say of tables that people make.

use assay_profile::compare::{Column, Options, compare, is_published, published_changes};
use assay_profile::{Catalog, Launch, Mapping, Status};

use proptest::prelude::*;

use super::tables::{INTERLEAVE4, columns, read};

const WORKLOADS: [&str; 2] = [
    include_str!("fixtures/workloads.toml"),
    include_str!("fixtures/workloads.csv"),
];

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
fn sides_in_json() {
    let mapping = "schema = \"assay.mapping/1\"\ntool = \"mcProfiler\"\nformat = \"json\"\nrows = \"/rows\"\ndecimal = \".\"\ncounter = \"/name\"\nunit = \"/unit\"\n[[sides]]\nlabel = \"a\"\ncolumn = \"/a\"\n[[sides]]\nlabel = \"b\"\ncolumn = \"/b\"\nchange = \"/change\"\n";
    let rows = r#"{"rows": [
        {"name": "MMA instructions", "a": 9007199254740993, "b": 9007199254740995, "change": "0.0 %"},
        {"name": "AP MMA Duty", "unit": "%", "a": "40.1", "b": "45.0%", "change": "+13%"},
        {"name": "VLS Duty", "unit": "%", "a": 12.5, "b": null},
        {"name": null, "a": 1, "b": 2}]}"#;
    let p = read([mapping, rows]);
    let labels: Vec<_> = p.launches.iter().map(|l| l.kernel.as_str()).collect();
    assert_eq!(labels, ["a", "b"]);
    assert!(p.notices[0].starts_with("1 row lacks"), "{:?}", p.notices);
    let view =
        compare(&columns(&p), &Options::default(), Catalog::builtin()).expect("a comparison");
    let of = |name: &str| super::row(&view, name);
    let mma = of("MMA instructions").changes[1]
        .as_ref()
        .expect("a change");
    assert_eq!(mma.absolute, 2.0);
    assert_eq!(of("VLS Duty").cells[1].status, "absent");
    let found = published_changes(&p);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].message.contains("AP MMA Duty")
            && found[0].message.contains("In points it is +4.90")
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

proptest! {
    #[test]
    fn no_table_panics(
        cells in proptest::collection::vec((cell(), cell(), cell()), 1..6),
        decimal in prop_oneof![Just(""), Just("decimal = \".\"\n"), Just("decimal = \",\"\n")],
    ) {
        let sides = "[[sides]]\nlabel = \"a\"\ncolumn = \"a\"\n[[sides]]\nlabel = \"b\"\ncolumn = \"b\"\nchange = \"d\"\n";
        let mapping = format!("schema = \"assay.mapping/1\"\ntool = \"t\"\nformat = \"csv\"\nseparator = \";\"\n{decimal}counter = \"n\"\nmagnitudes = true\n{sides}");
        let rows = cells.iter().enumerate().map(|(i, (a, b, d))| format!("{i};{a};{b};{d}\n"));
        let p = read([&mapping, &format!("n;a;b;d\n{}", rows.collect::<String>())]);
        for c in p.launches.iter().flat_map(Launch::iter) {
            prop_assert_eq!(c.number().is_some(), c.status() == Status::Value);
            prop_assert!(c.status() != Status::Error || !c.suspect().is_empty());
        }
        let found = published_changes(&p);
        prop_assert!(found.len() <= cells.len());
        prop_assert!(compare(&columns(&p), &Options::default(), Catalog::builtin()).is_ok());
    }
}

/// A figure, or something near one.
fn cell() -> impl Strategy<Value = String> {
    let number = prop_oneof![
        any::<f64>().prop_map(|f| f.to_string()),
        (0u32..9999).prop_map(|n| format!("{}.{:03}", n / 10, n % 1000)),
        any::<i64>().prop_map(|n| n.to_string()),
        Just(String::new())
    ];
    let sign = prop_oneof![Just(""), Just("+"), Just("\u{2212}"), Just("↓"), Just("-")];
    let end = prop_oneof![
        Just(""),
        Just("%"),
        Just("B"),
        Just("万"),
        Just("×"),
        Just("pp"),
        Just(" 亿"),
        Just("KB"),
        Just("e")
    ];
    prop_oneof![
        (sign, number, end).prop_map(|(s, n, e)| format!("{s}{n}{e}")),
        "[^;\"\r\n]{0,6}"
    ]
}

#[test]
fn a_unit_behind_a_figure_is_its_unit() {
    let mapping = "schema = \"assay.mapping/1\"\ntool = \"t\"\nformat = \"csv\"\ndecimal = \".\"\ncounter = \"Metric\"\n\
        [names]\nlatency = \"claim.time\"\n[[sides]]\nlabel = \"a\"\ncolumn = \"a\"\n[[sides]]\nlabel = \"b\"\ncolumn = \"b\"\n";
    let table = "Metric,a,b\nlatency,36.16 ms,35.81ms\nodd,3 apples,4\n";
    let p = read([mapping, table]);
    let time = |launch: &Launch| {
        let c = launch.canonical("claim.time").next().expect("a time");
        (c.unit().to_owned(), c.in_unit("ns"), c.raw().to_owned())
    };
    assert_eq!(
        time(&p.launches[0]),
        ("ms".into(), Some(36_160_000.0), "36.16 ms".into())
    );
    assert_eq!(time(&p.launches[1]).1, Some(35_810_000.0));
    // What is no unit is no figure either.
    let odd = p.launches[0].counter("", "odd").expect("a row");
    assert_eq!(odd.status(), Status::Error);
}

#[test]
fn a_published_time_is_above_0() {
    let head = "schema = \"assay.mapping/1\"\ntool = \"t\"\nformat = \"csv\"\ndecimal = \".\"\n";
    let column = format!(
        "{head}kernel = \"case\"\n[[counters]]\nfrom = \"ms\"\nunit = \"ms\"\ncanonical = \"claim.time\"\n"
    );
    let sides = format!(
        "{head}counter = \"case\"\n[names]\na = \"claim.time\"\n[[sides]]\nlabel = \"x\"\ncolumn = \"ms\"\n"
    );
    let values = format!("{head}counter = \"case\"\nvalue = \"ms\"\n[names]\na = \"claim.time\"\n");
    for mapping in [&column, &sides, &values] {
        for cell in ["-36.160896", "\u{2212}36.16 ms", "0", "0.000 ms", "-0"] {
            let p = read([mapping, &format!("case,ms\na,{cell}\n")]);
            let told: Vec<_> = (p.faults.iter())
                .map(|f| (f.place.as_str(), f.what.as_str()))
                .collect();
            let what = format!("`{cell}` is no time: a time is a finite figure above 0");
            assert_eq!(told, [("row 2, column `ms`", what.as_str())], "{mapping}");
        }
        assert!(read([mapping, "case,ms\na,36.16 ms\n"]).faults.is_empty());
    }
    // Digits of other scripts are no figure.
    let p = read([&column, "case,ms\na,\u{ff13}\u{ff16}\n"]);
    assert!(
        p.faults[0].what.contains("is no figure"),
        "{}",
        p.faults[0].what
    );
    // A counter that is no published time may be what it is.
    let other = column.replace("canonical = \"claim.time\"\n", "");
    assert!(read([&other, "case,ms\na,0\n"]).faults.is_empty());
}

#[test]
fn a_published_time_is_there_and_can_be_one() {
    let head = "schema = \"assay.mapping/1\"\ntool = \"t\"\nformat = \"csv\"\ndecimal = \".\"\n";
    let column = format!(
        "{head}workload = \"case\"\n[[counters]]\nfrom = \"ms\"\nname = \"latency\"\nunit = \"ms\"\ncanonical = \"claim.time\"\n"
    );
    let sides = format!(
        "{head}counter = \"what\"\nunit = \"u\"\n[names]\nlatency = \"claim.time\"\nrate = \"claim.tflops\"\n\
        [[sides]]\nlabel = \"x\"\ncolumn = \"ms\"\n[[sides]]\nlabel = \"y\"\ncolumn = \"b\"\n"
    );
    let values = format!(
        "{head}workload = \"case\"\ncounter = \"what\"\nvalue = \"ms\"\nunit = \"u\"\n[names]\nlatency = \"claim.time\"\nrate = \"claim.tflops\"\n"
    );
    let row =
        |cell: &str| format!("case,what,ms,b,u\nsmall,latency,3,4,ms\nlarge,latency,{cell},4,ms\n");
    let faults = |mapping: &str, table: &str| -> Vec<(String, String)> {
        let p = read([mapping, table]);
        (p.faults.iter())
            .map(|f| (f.place.clone(), f.what.clone()))
            .collect()
    };
    let at = |place: &str, what: &str| (place.to_owned(), what.to_owned());
    let year = "a time is between 1 ps and a year";
    for mapping in [&column, &sides, &values] {
        for (cell, what) in [
            ("", "the cell is missing".to_owned()),
            ("-", "the cell is missing".into()),
            ("NaN", "`NaN` is no figure in `ms`".into()),
            ("inf", "`inf` is no figure in `ms`".into()),
            ("1e400", "`1e400` is no figure in `ms`".into()),
            ("1e300", format!("`1e300` is no time: {year}")),
            ("1e-320", format!("`1e-320` is no time: {year}")),
            ("31536000001", format!("`31536000001` is no time: {year}")),
        ] {
            assert_eq!(
                faults(mapping, &row(cell)),
                [at("row 3, column `ms`", &what)],
                "{mapping}{cell}"
            );
        }
        let lax = mapping.replacen("decimal", "optional = [\"latency\"]\ndecimal", 1);
        assert!(faults(&lax, &row("")).is_empty());
        assert_eq!(
            faults(&lax, &row("1e300")).len(),
            1,
            "what is there has to be right"
        );
    }
    // A figure of one case without the row that has its time.
    let table =
        "case,what,ms,b,u\nsmall,latency,3,4,ms\nsmall,rate,5,6,TFLOPS\nlarge,rate,7,8,TFLOPS\n";
    let gone = "`large` has no time, which others have: its row is missing";
    assert_eq!(faults(&values, table), [at("row 4", gone)]);
    // A table without any time has rates and nothing else.
    assert!(faults(&values, "case,what,ms,b,u\nlarge,rate,7,8,TFLOPS\n").is_empty());
    let strange = column.replacen("decimal", "optional = [\"latncy\"]\ndecimal", 1);
    let error = Mapping::read("m.toml", &strange).unwrap_err().to_string();
    assert!(error.contains("`optional` names `latncy`"), "{error}");
}
