//! Damaged and hostile content: nothing panics, and no figure is wrong in silence.

use assay_profile::{Format, Profile, ProfileError, Status, parse};
use proptest::prelude::*;

use crate::figures::{csv, dumped, table, txt, txt_json};

const HARDWARE: &str = r#"{"perf_counters": {"0": [{"CE": {"generic": {"CE_PERF_WAVES": 640123, "X": 77}}, "L2C": {"generic": {"perf_hit": 90210}}}, {"ISU": {"dpcId1,blockId12": {"AP_PERF_WAVES": 5120}}}]}, "umd_data": {}}"#;

fn flavours(seed: u64) -> [(Format, String); 5] {
    let t = table(seed);
    [
        (Format::McProfilerTxtJson, txt_json(&t)),
        (Format::McProfilerDumped, dumped(&t)),
        (Format::McProfilerTxt, txt(&t)),
        (Format::McProfilerCsv, csv(&t)),
        (Format::McProfilerHardware, HARDWARE.into()),
    ]
}

/// Every figure of a part that has no doubt noted is that of the whole, as far as it was printed.
fn assert_no_figure_is_wrong(whole: &Profile, part: &Profile, at: usize) {
    for (w, p) in whole.launches.iter().zip(&part.launches) {
        for c in p.iter().filter(|c| c.suspect().is_empty()) {
            let Some(value) = c.number() else {
                continue;
            };
            let full = w.counter(c.section(), c.name());
            let full = full.unwrap_or_else(|| panic!("{} is new, cut at {at}", c.name()));
            let true_value = full.number().expect("a value");
            assert!(
                (value - true_value).abs() < c.resolution().expect("a resolution")
                    && c.unit() == full.unit()
                    || value == true_value,
                "cut at {at}: {} is {} for {}",
                c.name(),
                c.raw(),
                full.raw()
            );
        }
    }
}

#[test]
fn a_report_cut_anywhere_says_so_or_is_right() {
    for (format, text) in flavours(3) {
        let whole = format.parse(text.as_bytes()).unwrap();
        for at in (0..text.len()).step_by(if text.len() > 2000 { 23 } else { 1 }) {
            match format.parse(&text.as_bytes()[..at]) {
                Ok(part) => {
                    assert_no_figure_is_wrong(&whole, &part, at);
                    let is_json = text.starts_with('{');
                    assert!(
                        !is_json || !part.notices.is_empty(),
                        "cut at {at} unnoticed"
                    );
                }
                Err(e) => assert!(matches!(e, ProfileError::Unusable { .. }), "{e}"),
            }
        }
    }
}

#[test]
fn a_cut_is_located() {
    let text = txt_json(&table(1));
    let half = &text[..text.len() / 2];
    let p = parse(half.as_bytes()).unwrap();
    assert!(
        p.notices[0].contains("line ") && p.notices[0].contains("column "),
        "{:?}",
        p.notices
    );
    assert!(
        p.notices
            .iter()
            .any(|n| n.contains("cut off and was not read"))
            || p.notices.len() == 1
    );
}

#[test]
fn hostile_content_is_contained() {
    let deep = format!(
        "{{\"Summary\": [{{\"name\": \"x\", \"description\": \"\", \"value\": 1}}, {}",
        "[".repeat(2_000_000)
    );
    let p = parse(deep.as_bytes()).unwrap();
    assert!(p.launches[0].len() == 1 && p.notices[0].contains("deep"));
    let hostile = "{\"\\u001b[2J\": [{\"name\": \"\\u001b]0;x\\u0007\", \"description\": \"\", \"value\": \"\\u202e12\"}, 5], \"\\u001b[31m\": 1}";
    let p = parse(hostile.as_bytes()).unwrap();
    assert!(
        p.notices.iter().all(|n| !n.contains('\x1b')),
        "{:?}",
        p.notices
    );
    assert_eq!(p.launches[0].get(0).unwrap().status(), Status::Text);
    let mut latin =
        b"{\"Summary\": [{\"name\": \"a\xff\", \"description\": \"\", \"value\": 3}]}".to_vec();
    assert!(parse(&latin).unwrap().notices[0].contains("UTF-8"));
    latin.truncate(3);
    assert!(parse(&latin).is_err() && parse(b"").is_err());
    let e = parse(b"{\"Summary\": [{\"name\": \"a\", \"value\": ").map(|p| p.notices);
    assert!(e.is_err());
}

#[test]
fn what_grows_without_bound_stays_quick() {
    let row = |n: u64| format!("{{\"name\": \"r{n}\", \"description\": \"\", \"value\": 1}}");
    let sections: Vec<String> = (0..50_000).map(|n| format!("\"s{n}\": []")).collect();
    let keys: Vec<String> = (0..50_000).map(|n| format!("\"k{n}\": 0")).collect();
    let same = vec![row(1); 20_000].join(",");
    let text = format!(
        "{{\"Summary\": [{}, {{\"name\": \"x\", {}, \"value\": 2}}, {same}], {}}}",
        row(0),
        keys.join(","),
        sections.join(",")
    );
    let p = parse(text.as_bytes()).unwrap();
    assert_eq!(p.launches[0].len(), 20_002);
    let other = text
        .replace("value", "data")
        .replace("description", "message");
    let folder = assay_profile::formats::mcprofiler::read_folder([
        ("1_k.txt.json", text.as_bytes()),
        ("1_k_dumped_result.json", other.as_bytes()),
    ]);
    assert_eq!(folder.runs.len(), 1);
}

#[test]
fn line_ends_and_byte_order_marks_change_nothing() {
    for (format, text) in flavours(5) {
        let plain = format.parse(text.as_bytes()).unwrap();
        let lf = text.replace("\r\n", "\n");
        for other in [lf.replace('\n', "\r\n"), format!("\u{feff}{lf}"), lf] {
            let p = format.parse(other.as_bytes()).unwrap();
            assert_eq!(p.launches, plain.launches, "{}", format.name());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        for f in Format::ALL {
            let _ = f.parse(&bytes);
        }
    }

    #[test]
    fn damaged_reports_are_survived(
        which in 0usize..5,
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in any::<prop::sample::Index>(),
        drop in 0usize..60,
    ) {
        let (format, text) = flavours(11)[which].clone();
        let mut bytes = text.into_bytes();
        for (at, b) in damage {
            let at = at.index(bytes.len());
            bytes[at] = b;
        }
        let at = cut.index(bytes.len());
        let to = (at + drop).min(bytes.len());
        bytes.drain(at..to);
        let _ = format.parse(&bytes);
        let _ = parse(&bytes);
    }

    #[test]
    fn text_made_of_the_formats_own_parts_is_survived(
        parts in prop::collection::vec(prop::sample::select(vec![
            "{", "}", "[", "]", ":", ",", "\"", "\\", "\\u", "d83d", "\"name\"", "\"value\"", "\"data\"", "\"isError\"",
            "\"perf_counters\"", "null", "NaN", "1,024", "99.5%", "1e400", "\n", "\r\n", "Name: a", "Value: 5", "Value: {",
            "Sub-module: S", "##############################", "------------------------------", "Name,Description,Value", "核",
        ]), 0..60),
    ) {
        let text = parts.concat();
        for f in Format::ALL {
            let _ = f.parse(text.as_bytes());
        }
    }
}
