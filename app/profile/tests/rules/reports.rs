//! The built-in rules on reports as the tools write them.

use assay_profile::parse;
use assay_profile::rules::{Context, Kind, Rules, on_launch};

/// A report of a single pass, with the figures of a real one.
const SINGLE_PASS: &str = r#"{
    "Summary": [
        {"name": "Total Instructions", "description": "", "value": "3,101,536,473"},
        {"name": "Memory Access per Second", "description": "", "value": "439,161.32(MB/s)"},
        {"name": "Average AP busy cycles", "description": "", "value": "126,061,486.0"},
        {"name": "RoofLine", "description": "", "value": {"data": {
            "all_ops": 75553649408.0, "all_memacs": 64500623360.0, "block_num": 104,
            "during": 126061486.0, "core_clk": 1.125, "MAX_Flops_base": 1,
            "case_flops": 5.762881441472505, "MAX_Bandwith": 1843.2, "MAX_I": 260.0,
            "case_I": 10.011650331558334, "case_bandwith": 575.6175306389772, "mc_clk": 0.9
        }, "filename": "RoofLine.png"}}
    ],
    "Memory Statistics": [
        {"name": "Global Read Instructions", "description": "", "value": 594},
        {"name": "Global Write Instructions", "description": "", "value": 5},
        {"name": "Private Read Instructions", "description": "", "value": "330,240"},
        {"name": "Private Write Instructions", "description": "", "value": "330,240"},
        {"name": "VL1 Read Instructions", "description": "", "value": "118,318,387"},
        {"name": "VL1 Write Instructions", "description": "", "value": "1,375,449"}
    ],
    "Workgroup Memory": [
        {"name": "load instructions", "description": "", "value": "473,432,064.0"},
        {"name": "store instructions", "description": "", "value": "59,179,008.0"},
        {"name": "average latency per load instruction", "description": "", "value": 0.0},
        {"name": "average cycles per store instruction", "description": "", "value": 0.0},
        {"name": "shared memory access efficiency", "description": "", "value": "50.00%"}
    ],
    "Occupancy": [
        {"name": "Achieved waves", "description": "", "value": "66,048.0"},
        {"name": "Dispatched waves", "description": "", "value": "66,048.0"}
    ],
    "GPU Throughput Statistics": [
        {"name": "AP MMA Duty ratio", "description": "", "value": "28.75%"},
        {"name": "VLS Duty ratio", "description": "", "value": "0.0%"}
    ]
}"#;

fn found(text: &str) -> Vec<(String, String)> {
    let mut profile = parse(text.as_bytes()).expect("a report");
    let path = "1_kernel_kernel.txt.json";
    assay_profile::formats::mcprofiler::name_by_path(&mut profile, path);
    let mut context = Context::default();
    context.extend([
        ("device.bandwidth", 1843.2),
        ("device.ridge.int8", 260.0),
        ("device.ridge.fp16", 130.0),
    ]);
    let launch = &profile.launches[0];
    let found = on_launch(Rules::builtin(), Kind::Audit, &profile, launch, &context);
    let ids = found.findings.into_iter();
    ids.map(|f| (f.severity, f.rule)).collect()
}

#[test]
fn a_single_pass_report_shows_its_defects_and_nothing_else() {
    let all: Vec<(String, String)> = found(SINGLE_PASS);
    let all: Vec<(&str, &str)> = all.iter().map(|(s, r)| (s.as_str(), r.as_str())).collect();
    assert_eq!(
        all,
        [
            ("error", "single-pass-global-reads"),
            ("error", "single-pass-global-writes"),
            ("error", "single-pass-load-latency"),
            ("error", "single-pass-store-cycles"),
            ("info", "vls-duty-zero"),
            ("error", "single-pass-roofline"),
            ("info", "two-bandwidths"),
            ("info", "int8-ridge"),
        ]
    );
}

#[test]
fn a_report_of_several_passes_with_right_figures_is_not_accused() {
    let right = SINGLE_PASS
        .replace("\"value\": 594}", "\"value\": \"117,988,147\"}")
        .replace("\"value\": 5}", "\"value\": \"1,045,209\"}")
        .replace(
            "per load instruction\", \"description\": \"\", \"value\": 0.0",
            "per load instruction\", \"description\": \"\", \"value\": 44.12",
        )
        .replace(
            "per store instruction\", \"description\": \"\", \"value\": 0.0",
            "per store instruction\", \"description\": \"\", \"value\": 4.0",
        )
        .replace("\"MAX_Flops_base\": 1,", "\"MAX_Flops_base\": 0.117,")
        .replace("0.0%", "12.5%");
    let all = found(&right);
    assert!(
        all.iter().all(|(severity, _)| severity == "info"),
        "{all:?}"
    );
}

#[test]
fn a_report_of_three_metrics_is_judged_by_what_it_has() {
    let few = r#"{"GPU Throughput Statistics": [
        {"name": "AP MMA Duty ratio", "description": "", "value": "28.75%"},
        {"name": "AP MTE Duty ratio", "description": "", "value": "10330.45%"}
    ]}"#;
    assert_eq!(
        found(few),
        [("error".to_owned(), "duty-over-100".to_owned())]
    );
}
