//! Reports made from canonical names: each figure is written under the name that the tool gives it,
//! in the tool's own format, and read back by the reader of that format.

use std::collections::BTreeMap;

use assay_core::view::FindingView;
use assay_profile::rules::{Context, Found, Kind, Rules, on_launch, on_pair};
use assay_profile::{Catalog, Format, Profile};
use serde_json::{Map, Value, json};

/// What a report is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    McProfiler,
    Ncu,
    Ptxas,
    Mxcc,
}

/// Figures by canonical name, as the tool prints them.
pub type Figures = Vec<(String, String)>;

pub fn report(tool: Tool, kernel: &str, block: &str, figures: &Figures) -> Profile {
    let (format, text) = match tool {
        Tool::McProfiler => (Format::McProfilerTxtJson, mcprofiler(figures)),
        Tool::Ncu => (Format::NsightCompute, ncu(kernel, block, figures)),
        Tool::Ptxas => (Format::Resources, ptxas(kernel, figures)),
        Tool::Mxcc => (Format::Resources, mxcc(kernel, figures)),
    };
    let read = format.parse(text.as_bytes());
    let mut profile = read.unwrap_or_else(|e| panic!("{e}\n{text}"));
    let launch = profile.launches.first_mut().expect("a launch");
    if tool == Tool::McProfiler {
        launch.kernel = kernel.into();
    }
    for (name, _) in figures {
        let there = launch.canonical(name).next().is_some();
        assert!(there, "the reader has no {name} from\n{text}");
    }
    profile
}

/// What the tool calls a counter: the first of its names, as text.
fn printed(tool: &str, canonical: &str) -> (String, String) {
    let entry = Catalog::builtin().get(canonical);
    let entry = entry.unwrap_or_else(|| panic!("{canonical} is not in the catalog"));
    let names = entry.names.get(tool);
    let pattern = names.and_then(|n| n.first());
    let pattern = pattern.unwrap_or_else(|| panic!("{tool} has no {canonical}"));
    let plain = pattern.replace('\\', "");
    match plain.split_once(" > ") {
        Some((section, name)) => (section.to_owned(), name.to_owned()),
        None => (String::new(), plain),
    }
}

fn mcprofiler(figures: &Figures) -> String {
    let mut sections: BTreeMap<String, Map<String, Value>> = BTreeMap::new();
    for (canonical, raw) in figures {
        let (section, name) = printed("mcProfiler", canonical);
        let value: Value = match raw.parse::<f64>() {
            Ok(_) => serde_json::from_str(raw).expect("a number"),
            Err(_) => json!(raw),
        };
        let rows = sections.entry(section).or_default();
        match name.rsplit_once('.') {
            // A figure inside a chart.
            Some((chart, key)) => {
                let chart = chart.strip_suffix(".data").unwrap_or(chart);
                let row = rows
                    .entry(chart)
                    .or_insert_with(|| json!({"data": {}, "filename": "chart.png"}));
                row["data"][key] = value;
            }
            None => {
                rows.insert(name, value);
            }
        }
    }
    let sections: Map<String, Value> = sections
        .into_iter()
        .map(|(section, rows)| {
            let rows: Vec<Value> = rows
                .into_iter()
                .map(|(name, value)| json!({"name": name, "description": "", "value": value}))
                .collect();
            (section, Value::Array(rows))
        })
        .collect();
    Value::Object(sections).to_string()
}

fn ncu(kernel: &str, block: &str, figures: &Figures) -> String {
    let mut head = String::from(
        "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\"",
    );
    let mut units = "\"\",".repeat(10) + "\"\"";
    let mut row = format!(
        "\"0\",\"1\",\"app\",\"host\",\"{kernel}(float *, int)\",\"1\",\"7\",\"{block}\",\"(64, 1, 1)\",\"0\",\"9.0\""
    );
    for (canonical, raw) in figures {
        let (_, name) = printed("ncu", canonical);
        let unit = &Catalog::builtin().get(canonical).expect("an entry").unit;
        let unit = match unit.as_str() {
            "1" => "",
            "bytes" => "byte",
            "GB/s" => "Gbyte/s",
            "GHz" => "Ghz",
            other => other,
        };
        head += &format!(",\"{name}\"");
        units += &format!(",\"{unit}\"");
        row += &format!(",\"{raw}\"");
    }
    format!("{head}\n{units}\n{row}\n")
}

fn ptxas(kernel: &str, figures: &Figures) -> String {
    let of = |name| value_of(figures, name);
    format!(
        "ptxas info    : 0 bytes gmem\n\
         ptxas info    : Compiling entry function '{kernel}' for 'sm_90'\n\
         ptxas info    : Function properties for {kernel}\n    \
         {} bytes stack frame, {} bytes spill stores, {} bytes spill loads\n\
         ptxas info    : Used {} registers, used 1 barriers, 380 bytes cmem[0]\n",
        of("resource.stack"),
        of("resource.spill.stores"),
        of("resource.spill.loads"),
        of("resource.registers"),
    )
}

fn mxcc(kernel: &str, figures: &Figures) -> String {
    let of = |name| value_of(figures, name);
    format!(
        "maca info  : Function properties for {kernel}\n  \
         {} bytes stack frame\n\
         maca info  : Used  {} MTregisters, 41 STregisters, 16384 bytes shared mem\n\
         maca info  : staticMaxWarps/PEU : {}\n",
        of("resource.stack"),
        of("resource.registers"),
        of("resource.waves_per_scheduler"),
    )
}

fn value_of<'a>(figures: &'a Figures, name: &str) -> &'a str {
    let found = figures.iter().find(|(n, _)| n == name);
    found.map_or_else(|| panic!("no {name}"), |(_, v)| v)
}

pub fn figures(list: &[(&str, &str)]) -> Figures {
    list.iter()
        .map(|(n, v)| ((*n).to_owned(), (*v).to_owned()))
        .collect()
}

pub fn context(list: &[(&str, f64)]) -> Context {
    let mut context = Context::default();
    context.extend(list.iter().copied());
    context
}

pub fn on_one(profile: &Profile, context: &Context) -> Vec<FindingView> {
    let launch = &profile.launches[0];
    let rules = Rules::builtin();
    diagnoses(on_launch(rules, Kind::Diagnosis, profile, launch, context))
}

pub fn on_two(a: &Profile, b: &Profile, context: &Context) -> Vec<FindingView> {
    let (x, y) = (&a.launches[0], &b.launches[0]);
    let rules = Rules::builtin();
    diagnoses(on_pair(rules, Kind::Diagnosis, (a, x), (b, y), context))
}

/// What was found; and what holds of every diagnosis.
fn diagnoses(found: Found) -> Vec<FindingView> {
    assert_eq!(found.not_judged, [], "only audits say what is missing");
    for f in &found.findings {
        let id = &f.rule;
        assert!(!f.evidence.is_empty() && !f.source.is_empty(), "{id}");
        assert!(!f.counters.is_empty() || f.rule.contains("roof"), "{id}");
        for text in [&f.message, &f.message_zh, &f.advice, &f.advice_zh] {
            assert!(!text.is_empty(), "{id}");
            assert!(
                !text.contains("no value") && !text.contains("无值"),
                "{id}: {text}"
            );
        }
        let names_what_must_move = f.advice.contains(" -> ") || f.advice.contains("duty.issue");
        assert!(names_what_must_move, "{id}: {}", f.advice);
    }
    found.findings
}

pub fn ids(findings: &[FindingView]) -> Vec<&str> {
    findings.iter().map(|f| f.rule.as_str()).collect()
}
