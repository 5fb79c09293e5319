//! Reports of mcProfiler, written by a generator of this test in every flavour.

mod damage;
mod figures;
mod folder;
mod one_after_another;
mod shapes;

use std::collections::BTreeMap;

use assay_profile::{Counter, Format, Launch, Status, detect, parse};
use figures::{csv, dumped, table, txt, txt_json};

/// The counters of a report by key.
fn by_key(l: &Launch) -> BTreeMap<(String, String), Counter> {
    let all: BTreeMap<_, _> = l
        .iter()
        .map(|c| ((c.section().into(), c.name().into()), c.into()))
        .collect();
    assert_eq!(all.len(), l.len(), "keys are unique");
    all
}

fn number(c: &Counter) -> f64 {
    let v = c.value.as_ref().and_then(|v| v.as_f64());
    v.unwrap_or_else(|| panic!("{} has no value: {c:?}", c.name))
}

/// Whether a rounded figure can be the exact one.
fn rounds_to(exact: &Counter, printed: &Counter) -> bool {
    let half = printed.resolution.unwrap_or(0.0) / 2.0;
    (number(exact) - number(printed)).abs() <= half * (1.0 + 1e-9)
}

#[test]
fn flavours_are_told_by_content() {
    let t = table(1);
    for (text, format) in [
        (txt_json(&t), Format::McProfilerTxtJson),
        (dumped(&t), Format::McProfilerDumped),
        (txt(&t), Format::McProfilerTxt),
        (csv(&t), Format::McProfilerCsv),
        (
            "{\"perf_counters\": {\"0\": []}}".into(),
            Format::McProfilerHardware,
        ),
    ] {
        assert_eq!(detect(text.as_bytes()), Some(format));
        let marked = format!("\u{feff}{text}");
        assert_eq!(detect(marked.as_bytes()), Some(format));
        let with_crlf = text.replace("\r\n", "\n").replace('\n', "\r\n");
        assert_eq!(detect(with_crlf.as_bytes()), Some(format));
    }
    for other in [
        "{}",
        "{\"a\": [{\"name\": \"x\", \"value\": 1}]}",
        "{\"context\": {}, \"benchmarks\": [{\"name\": \"x\", \"real_time\": 1}]}",
        "Name,Value\nx,1\n",
        "Sub-module: Summary\n",
    ] {
        assert_eq!(detect(other.as_bytes()), None, "{other}");
    }
}

/// Rows that an older version of the tool does not have.
const LATER_ROWS: &[&str] = &[
    "RoofLine",
    "ISU stall cycles layout",
    "Total Atomic Instructions",
    "Dnoc Read Req",
    "Dnoc Write Req",
    "Global Memory Read bytes",
    "Global Memory Write bytes",
    "instruction throughput efficiency",
];

#[test]
fn the_flavours_of_one_report_agree_on_every_row() {
    for seed in 0..20 {
        let mut t = table(seed);
        if seed % 2 == 1 {
            t.retain(|row| !LATER_ROWS.contains(&row.name));
        }
        let read = |text: String| parse(text.as_bytes()).unwrap().launches.remove(0);
        let (a, b, c, d) = (
            read(txt_json(&t)),
            read(txt(&t)),
            read(csv(&t)),
            read(dumped(&t)),
        );
        let (a, b, c, d) = (by_key(&a), by_key(&b), by_key(&c), by_key(&d));
        assert!(a.keys().eq(b.keys()) && a.keys().eq(c.keys()));
        for (key, x) in &a {
            assert!(x.suspect.is_empty(), "{key:?}: {:?}", x.suspect);
            for y in [&b[key], &c[key]] {
                assert_eq!((x.status, &x.unit), (y.status, &y.unit), "{key:?}");
                if x.status == Status::Value {
                    assert!(y.suspect.is_empty(), "{key:?}: {:?}", y.suspect);
                    assert!(
                        (number(x) - number(y)).abs() < 1e-9,
                        "{key:?}: {} {}",
                        x.raw,
                        y.raw
                    );
                }
            }
            let only_for_people =
                key.1.ends_with(".filename") || key.1.starts_with("RoofLine.data.");
            assert_eq!(d.contains_key(key), !only_for_people, "{key:?}");
            let named = x.canonical.is_some() || key.1.ends_with(".filename");
            assert!(named, "{key:?} is not in the catalog");
        }
        for (key, exact) in &d {
            let x = &a[key];
            assert_eq!((x.status, &x.unit), (exact.status, &exact.unit), "{key:?}");
            assert!(exact.suspect.is_empty(), "{key:?}: {:?}", exact.suspect);
            if x.status == Status::Value {
                assert!(rounds_to(exact, x), "{key:?}: {} {}", exact.raw, x.raw);
            }
        }
    }
}

#[test]
fn values_are_those_of_the_table() {
    let t = table(7);
    let d = parse(dumped(&t).as_bytes()).unwrap().launches.remove(0);
    let d = by_key(&d);
    let mut checked = 0;
    for row in &t {
        let key = (row.section.to_owned(), row.name.to_owned());
        match &row.figure {
            figures::Figure::Count(n) => {
                assert_eq!(d[&key].value.as_ref().unwrap().as_u64(), Some(*n));
            }
            figures::Figure::Float(f) | figures::Figure::Unit(f, _) => {
                assert_eq!(number(&d[&key]), *f);
            }
            figures::Figure::Chart(data) => {
                for (member, raw) in data {
                    let c = &d[&(key.0.clone(), format!("{}.{member}", key.1))];
                    assert_eq!(c.raw, raw);
                }
            }
            figures::Figure::Roofline(from, _) => {
                for (member, raw) in from {
                    let name = format!("RoofLine.processed_data.{member}");
                    assert_eq!(d[&(key.0.clone(), name)].raw, raw);
                }
            }
        }
        checked += 1;
    }
    assert_eq!(checked, t.len());
}
