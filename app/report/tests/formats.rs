//! The page, the CSV and the JSON of whole reports.

#[path = "../benches/big/mod.rs"]
mod big;
mod common;
#[path = "common/xml.rs"]
mod xml;

use assay_core::view::{SampleSet, VariantRow};
use assay_report::template::{Records, Template};
use assay_report::{ChainRow, JSON_SCHEMA, Lang, Peaks, ReportModel, csv, html, json, markdown};
use common::{campaign, empty_list, row};

/// The limit of a page for 500 variants x 15 workloads.
const PAGE: usize = 5_000_000;

fn with_everything() -> ReportModel {
    let mut m = campaign();
    let sets = ["naive", "blocked"].map(|subject| SampleSet {
        workload: "tall".into(),
        subject: subject.into(),
        values_ns: vec![812.5, 815.0, 820.0],
    });
    m.samples.insert("blocked".into(), sets.into());
    m.task.workloads[0].bytes = Some(786_432.0);
    m.peaks = Some(Peaks {
        record: "device example".into(),
        device: "Example CPU".into(),
        source: "data sheet".into(),
        source_zh: String::new(),
        bytes_per_s: 2e10,
        flops_per_s: [("f32".to_owned(), 1e11)].into(),
    });
    m
}

#[test]
fn the_page_has_the_chapters_of_the_markdown_and_all_pictures() {
    for lang in Lang::ALL {
        let m = with_everything();
        let page = html(&m, lang);
        let elements = xml::elements(&page);
        let count = |name: &str| elements.iter().filter(|e| *e == name).count();
        assert_eq!((count("h1"), count("h2"), count("section")), (1, 14, 14));
        // Curve, forest, heat map, roofline; samples and counters of the champion.
        assert_eq!((count("svg"), count("figure")), (6, 6));
        let text = markdown(&m, lang);
        for title in text.lines().filter_map(|l| l.strip_prefix("## ")) {
            assert!(page.contains(&format!(">{title}</h2>")), "{title}");
        }
        let rows = |t: &str| t.lines().filter(|l| l.starts_with('|')).count();
        let separators = text.lines().filter(|l| l.starts_with("| ---")).count();
        // Lines of diffs are rows with a class, and code in Markdown.
        let lines = page.matches("<tr class=").count();
        assert!(lines >= 4 && page.contains(assay_source::diff::STYLE));
        assert_eq!(count("tr") - lines, rows(&text) - separators);
        assert!(page.contains("<a href=\"#h1\">") && page.contains("<h2 id=\"h1\">"));
    }
}

#[test]
fn the_page_fetches_and_runs_nothing() {
    let page = html(&with_everything(), Lang::En);
    let elements = xml::elements(&page);
    for name in ["script", "img", "iframe", "object", "form", "base"] {
        assert!(!elements.iter().any(|e| e == name), "{name}");
    }
    assert!(page.contains("default-src 'none'"));
    assert!(!page.contains("http://") && !page.contains("https://"));
    assert!(!page.contains("url(") && !page.contains("@import"));
    assert!(page.contains("@media print") && page.contains("prefers-color-scheme:dark"));
}

/// Replaces every text of the model but for names by which its parts find each other.
fn hostile(evil: &str) -> ReportModel {
    let m = with_everything();
    let text = serde_json::to_string(&m).expect("JSON");
    let evil = serde_json::to_string(evil).expect("JSON");
    let mut out = text;
    for name in [
        "naive",
        "blocked",
        "unrolled",
        "packed",
        "tall",
        "square-256",
        "Ann",
        "tiling",
        "cachegrind",
        "inst.executed",
        "Example CPU",
        "f32",
        "FASTER",
        "gcc 12",
    ] {
        let inner = &evil[1..evil.len() - 1];
        out = out.replace(&format!("\"{name}\""), &format!("\"{inner} {name}\""));
    }
    serde_json::from_str(&out).expect("a model")
}

#[test]
fn hostile_names_are_inert_in_every_format() {
    for evil in [
        "<img src=x onerror=\"alert(1)\">",
        "</title></style></svg><script>alert('1')</script>",
        "\"><b onmouseover=x>&amp;&#x41;",
        "]]><!-- -->\x1b[2J\u{202e}\u{85}\u{7f}\n\r\t",
        "javascript:alert(1)",
    ] {
        let m = hostile(evil);
        let plain = xml::elements(&html(&with_everything(), Lang::En)).len();
        let page = html(&m, Lang::En);
        // Not an element more than with harmless names, and only what the formats write.
        let elements = xml::elements(&page);
        assert!(elements.len().abs_diff(plain) < 40, "{evil:?}");
        assert!(
            !elements
                .iter()
                .any(|e| e == "img" || e == "script" || e == "b")
        );
        assert!(!page.contains("href=\"javascript") && !page.contains('\x1b'));
        let text = json(&m).unwrap();
        let is_bad = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!text.contains(is_bad));
        let table = csv(&m);
        assert!(!table.contains(is_bad));
    }
}

#[test]
fn a_csv_has_one_figure_a_row_with_its_record() {
    let mut m = with_everything();
    m.list.variants[1].ratio = Some(f64::NAN);
    let table = csv(&m);
    assert!(table.starts_with("record,variant,workload,metric,value,unit,source\n"));
    for line in [
        "01HZZ-blocked,blocked,square-256,median,9460000,ns,measurement",
        "01HZV-blocked,blocked,tall,ratio_high,1.024,1,verdict against naive by paired-t/1",
        "01HZP-blocked,blocked,square-256,inst.executed,801000,1,cachegrind",
        ",,square-256,flops,33554432,flop,formula of the campaign",
        "01HZZ-naive-o3,naive-o3,square-256,median,15000000,ns,measurement of the baseline",
        "device example,,,peak.f32,100000000000,flop/s,data sheet",
        ",,,protocol.delta,0.01,1,protocol",
    ] {
        assert!(table.lines().any(|l| l == line), "{line}\n{table}");
    }
    xml::has_no_impossible_number(&table);
    for line in table.lines() {
        assert_eq!(line.matches(',').count(), 6, "{line}");
    }
}

#[test]
fn a_spreadsheet_runs_no_name() {
    let mut m = campaign();
    for v in &mut m.list.variants {
        v.name = format!("=cmd|'/c calc'!A0,{}", v.name);
    }
    for line in csv(&m).lines().filter(|l| l.contains("calc")) {
        assert!(line.contains(",\"'=cmd"), "{line}");
    }
}

#[test]
fn a_figure_names_the_record_that_it_is_from_and_not_the_newest_of_its_kind() {
    let mut m = campaign();
    let show = &mut m.shows[1];
    for kind in ["measurement", "verdict", "check", "profile"] {
        let mut newer = show.evidence[0].clone();
        (newer.id, newer.kind) = (format!("01HZZ-newer-{kind}"), kind.into());
        show.evidence.push(newer);
    }
    let table = csv(&m);
    for line in [
        "01HZZ-blocked,blocked,square-256,median,9460000,",
        "01HZV-blocked,blocked,,ratio,0.44,1,verdict against naive",
        "01HZV-blocked,blocked,tall,ratio,1.004,",
        "01HZP-blocked,blocked,,change for inst.executed<-30%,-62.476,%,beside 01HZP-naive of the parent",
    ] {
        assert!(table.contains(line), "{line}\n{table}");
    }
    let text = markdown(&m, Lang::En);
    let card = "Records: variant 01HZD-blocked, measurement 01HZZ-blocked, verdict 01HZV-blocked, \
                decision 01HZX-blocked, profile 01HZP-blocked.";
    assert!(text.contains(card), "{text}");
    let words = "{{champion ratio}} {{champion median tall}} {{champion median square-256}} \
                 {{champion why}} {{champion reason}} {{champion verdict}}\n";
    let template = Template::parse(words).unwrap();
    let text = template.markdown(&m, &Records::new(), Lang::En).unwrap();
    for row in [
        "champion ratio | 0.4400 | 01HZV-blocked |",
        "champion verdict | FASTER | 01HZV-blocked |",
        "champion median square-256 | 9.460 ms | 01HZZ-blocked |",
        "| 01HZD-blocked |",
        "| 01HZX-blocked |",
    ] {
        assert!(text.contains(row), "{row}\n{text}");
    }
    assert!(!table.contains("newer") && !text.contains("newer"));
}

#[test]
fn json_is_the_model_with_a_schema() {
    let m = with_everything();
    let text = json(&m).unwrap();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["schema"], JSON_SCHEMA);
    let back: ReportModel = serde_json::from_value(value["report"].clone()).unwrap();
    assert_eq!(back, m);
}

#[test]
fn a_model_of_an_earlier_version_is_read() {
    let mut value = serde_json::to_value(campaign()).unwrap();
    let object = value.as_object_mut().unwrap();
    object.remove("samples");
    object.remove("peaks");
    let back: ReportModel = serde_json::from_value(value).unwrap();
    assert_eq!(back, campaign());
}

#[test]
fn little_is_a_page_too() {
    for lang in Lang::ALL {
        xml::elements(&html(&ReportModel::new(empty_list()), lang));
        let mut list = empty_list();
        list.champion = Some("naive".into());
        list.variants.push(row("naive", None, "champion"));
        let page = html(&ReportModel::new(list), lang);
        assert!(!xml::elements(&page).iter().any(|e| e == "svg"));
        xml::elements(&html(&big::campaign(1, 1, 1), lang));
    }
}

#[test]
fn impossible_figures_are_not_printed() {
    let mut m = with_everything();
    for v in &mut m.list.variants {
        (v.ratio, v.interval) = (Some(f64::NAN), Some([f64::NEG_INFINITY, f64::NAN]));
        v.median_ns.values_mut().for_each(|t| *t = f64::INFINITY);
    }
    for r in &mut m.chain {
        (r.ratio, r.median_ns) = (Some(f64::INFINITY), Some(f64::NAN));
    }
    for s in &mut m.shows {
        s.facts.values_mut().for_each(|c| c.value = f64::NAN);
    }
    for set in m.counters.values_mut().flatten() {
        set.figures.values_mut().for_each(|c| c.value = f64::NAN);
    }
    for text in [html(&m, Lang::En), html(&m, Lang::Zh), csv(&m)] {
        xml::has_no_impossible_number(&text);
    }
}

#[test]
fn five_hundred_variants_stay_small() {
    for accepted in [10, 1] {
        let m = big::campaign(500, 15, accepted);
        let page = html(&m, Lang::En);
        assert!(page.len() < PAGE, "{} bytes", page.len());
        xml::elements(&page);
        // Of a chain of all variants those are shown that no other chapter lists.
        let mut m = m;
        let rows = m.list.variants.iter();
        m.chain = rows.map(|v| ChainRow::from_row(v, "m128-k512")).collect();
        let text = markdown(&m, Lang::En);
        let chain = text.split("\n## ").find(|c| c.starts_with("Result chain"));
        let rows = chain.map_or(0, |c| c.matches("\n| v").count());
        let elsewhere =
            |v: &&VariantRow| matches!(v.status.as_str(), "rejected" | "parked" | "failed");
        let left_out = m.list.variants.iter().filter(elsewhere).count();
        assert_eq!(rows, 500 - left_out + 1, "and the head of the table");
        let says = format!("{} of 500 versions are shown", 500 - left_out);
        assert_eq!(text.contains(&says), left_out > 0, "{says}");
    }
}

#[test]
fn the_curve_is_of_accepted_versions_alone() {
    let mut m = campaign();
    let mut parked = m.chain[1].clone();
    parked.name = "aside".into();
    if let Some(d) = &mut parked.decision {
        d.kind = "park".into();
    }
    m.chain.push(parked);
    let page = html(&m, Lang::En);
    let at = page.find("Median time by accepted version").unwrap();
    let curve = &page[at..at + page[at..].find("</svg>").unwrap()];
    assert!(
        curve.contains("blocked") && !curve.contains("aside"),
        "{curve}"
    );
}
