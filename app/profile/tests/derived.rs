//! Figures that follow from counters, on reports whose numbers fit together by hand.

use std::collections::BTreeMap;

use assay_core::view::DerivedView;
use assay_profile::derive::derive;
use assay_profile::{Catalog, Devices, Formulas, Profile};

/// A report: 104 units, 1,000,000 busy cycles, 10.4 million matrix instructions of 8192 operations.
const REPORT: &str = r#"{
"Summary": [
 {"name": "Total Instructions", "value": "130,000,000"},
 {"name": "Compute Instructions", "value": "104,000,000"},
 {"name": "Memory Instructions", "value": "26,000,000"},
 {"name": "Total Cycles", "value": "1,250.00(Kcycles)"},
 {"name": "Memory Access per Second", "value": "439,453.12(MB/s)"},
 {"name": "Average AP busy cycles", "value": "1,000,000.0"},
 {"name": "AP busy Duty", "value": "80.00%"},
 {"name": "RoofLine", "value": {"data": {
  "all_ops": OPS, "all_memacs": 512000000.0, "block_num": 104, "during": 1000000.0, "core_clk": 1.125,
  "MAX_Flops_base": BASE, "case_flops": RATE, "MAX_Bandwith": 1843.2, "MAX_I": 260.0,
  "case_I": INTENSITY, "case_bandwith": 576.0, "mc_clk": 0.9}}}],
"CE Statistics": [
 {"name": "WORKGROUPS", "value": "1,024.0"},
 {"name": "WAVES", "value": "4,096.0"}],
"ISU Statistics": [
 {"name": "Compute Instructions Cycles Rate", "value": {"data": {
  "MTE_4CYCLES": 32000000.0, "MTE_16CYCLES": 1600000.0, "MMA_16CYCLES": 665600000.0, "MMA_32CYCLES": 0.0}}},
 {"name": "Instructions Comparison", "value": {"data": {
  "MTE": 81600000.4, "MMA": 10400000.0, "STE": 4000000.0, "GVM": 6000000.0, "BSM": 19000000.0,
  "LDU": 1000000.0, "MISC": 7999999.8}}}],
"Memory Statistics": [
 {"name": "Constant Read SL1 Instructions", "value": "1,000,000"},
 {"name": "Constant Read L2 Instructions", "value": "6,100"},
 {"name": "Constant SL1 Hit Rate", "value": "99.39%"},
 {"name": "Global Memory Read bytes", "value": "460,800,000.0byte"},
 {"name": "Global Memory Write bytes", "value": "51,200,000.0byte"}],
"Workgroup Memory": [
 {"name": "load instructions", "value": "15,000,000.0"},
 {"name": "store instructions", "value": "4,000,000.0"},
 {"name": "atomic instructions", "value": "0.0"},
 {"name": "total instructions", "value": "19,000,000.0"},
 {"name": "average conflict cycles per instruction", "value": "2.40"},
 {"name": "average cycles per instruction", "value": "7.2"},
 {"name": "shared memory access efficiency", "value": "66.67%"}],
"GPU Throughput Statistics": [
 {"name": "AP active cycles", "value": "400,000,000.00"},
 {"name": "AP MTE Duty ratio", "value": "2.00%"},
 {"name": "AP STE Duty ratio", "value": "1.00%"},
 {"name": "AP MMA Duty ratio", "value": "10.40%"}],
"Occupancy": [
 {"name": "Achieved waves", "value": "4,096.0"},
 {"name": "Dispatched waves", "value": "4,096.0"}],
"Compute workload": [
 {"name": "instruction per cycle", "value": "130.00"},
 {"name": "instruction throughput", "value": "1.25"},
 {"name": "instruction throughput efficiency", "value": "31.25%"}],
"Instruction Statistics": [
 {"name": "instruction number", "value": "130,000,000.2"},
 {"name": "instructions per AP", "value": "1,250,000.00"}]
}"#;

/// The same in full, and as a single pass has it: the operations of one unit, and a base of 1.
const FULL: [&str; 4] = ["85196800000.0", "0.117", "95.8464", "166.4"];
const SINGLE: [&str; 4] = [
    "819200000.0",
    "1",
    "7.876923076923077",
    "13.675213675213676",
];

fn report(roofline: [&str; 4]) -> String {
    let [ops, base, rate, intensity] = roofline;
    REPORT
        .replace("OPS", ops)
        .replace("BASE", base)
        .replace("RATE", rate)
        .replace("INTENSITY", intensity)
}

fn read(text: &str) -> Profile {
    assay_profile::parse(text.as_bytes()).expect("a formula")
}

fn figures(text: &str) -> BTreeMap<String, DerivedView> {
    let profile = read(text);
    let (device, _) = Devices::builtin().recognise(&profile).expect("a device");
    let values = device.values(Some("fp16"));
    let device = |name: &str| values.get(name).copied();
    let derived = derive(Formulas::builtin(), &profile, &profile.launches[0], &device);
    derived.into_iter().map(|d| (d.name.clone(), d)).collect()
}

#[test]
fn the_builtin_files_are_valid() {
    let files = Formulas::builtin_files().iter().copied();
    Formulas::load(files, Catalog::builtin()).unwrap();
    assert!(Formulas::builtin().iter().count() > 40);
    for f in Formulas::builtin().iter() {
        assert!(
            f.meaning.ends_with('.') && f.meaning_zh.ends_with('。'),
            "{}",
            f.name
        );
        assert!(!f.meaning_zh.is_ascii(), "{}", f.name);
    }
    let time = Formulas::builtin()
        .get("mcProfiler", "time.estimate")
        .unwrap();
    assert!(time.meaning.starts_with("An estimate") && time.meaning.contains("Never a latency"));
}

#[test]
fn a_report_in_full_is_reproduced_in_all_its_figures() {
    let found = figures(&report(FULL));
    let held: Vec<&DerivedView> = found.values().filter(|d| d.reported.is_some()).collect();
    assert_eq!(held.len(), 25, "{held:#?}");
    for d in held {
        assert_eq!(d.agrees, Some(true), "{d:#?}");
    }
    for (name, value) in [
        ("inst.executed", 130_000_000.2),
        ("ipc.device", 130.0),
        ("ipc.unit", 1.25),
        ("ipc.efficiency", 31.25),
        ("duty.mma", 10.4),
        ("shared.efficiency", 66.666_666_666_666_67),
        ("mem.bandwidth", 576.0),
        ("mem.access_rate", 439_453.125),
        ("bandwidth.share", 31.25),
        ("rate.mma", 95.8464),
        ("roofline.flops_base", 0.117),
        ("roofline.intensity", 166.4),
        ("ridge.fp16", 130.0),
        ("waves.per_workgroup", 4.0),
    ] {
        let d = &found[name];
        assert!(
            (d.value - value).abs() <= value * 1e-9,
            "{name}: {}",
            d.value
        );
    }
    let time = &found["time.estimate"];
    assert_eq!((time.unit.as_str(), time.reported), ("ns", None));
    assert!((time.value - 888_888.889).abs() < 1e-3);
    assert!(!found.contains_key("rate.single_pass"));
}

#[test]
fn what_a_single_pass_prints_is_held_against_what_it_should() {
    let found = figures(&report(SINGLE));
    for (name, value) in [
        ("roofline.flops_base", 0.117),
        ("rate.single_pass", 95.8464),
        ("intensity.single_pass", 166.4),
    ] {
        let d = &found[name];
        assert!((d.value - value).abs() < 1e-6, "{name}: {}", d.value);
        assert_eq!(d.agrees, Some(false), "{name}");
    }
    assert_eq!(
        found["roofline.flops"].agrees,
        Some(true),
        "what the tool did is known"
    );
    assert!(!found.contains_key("roofline.intensity"));
}

#[test]
fn one_digit_off_is_seen_and_rounding_is_not_taken_for_a_fault() {
    for (from, to, name, agrees) in [
        ("\"10.40%\"", "\"10.41%\"", "duty.mma", false),
        ("\"66.67%\"", "\"66.68%\"", "shared.efficiency", true),
        ("\"66.67%\"", "\"70.00%\"", "shared.efficiency", false),
        ("\"7.2\"", "\"7.20\"", "shared.efficiency", true),
        ("\"130.00\"", "\"130.01\"", "ipc.device", false),
        ("\"130,000,000\"", "\"130,000,002\"", "inst.executed", false),
        ("\"130,000,000\"", "\"129,999,998\"", "inst.executed", false),
        ("576.0", "576.1", "mem.bandwidth", false),
        ("439,453.12", "439,453.13", "mem.access_rate", true),
        ("439,453.12", "439,453.22", "mem.access_rate", false),
        (
            "\"Achieved waves\", \"value\": \"4,096.0\"",
            "\"Achieved waves\", \"value\": \"1,024.0\"",
            "waves.achieved",
            false,
        ),
        ("665600000.0", "665600064.0", "cycles.mma.short", false),
    ] {
        let text = report(FULL);
        assert!(text.contains(from), "{from}");
        let d = &figures(&text.replace(from, to))[name];
        assert_eq!(d.agrees, Some(agrees), "{from} -> {to}: {d:#?}");
    }
}

#[test]
fn what_has_no_value_is_not_derived() {
    let without = |from: &str, to: &str| figures(&report(FULL).replace(from, to));
    let no_busy = without("\"1,000,000.0\"", "null");
    assert!(!no_busy.contains_key("ipc.device") && !no_busy.contains_key("time.estimate"));
    assert!(no_busy.contains_key("inst.executed"));
    let zero = without("\"1,000,000.0\"", "\"0.0\"");
    assert!(!zero.contains_key("ipc.device") && !zero.contains_key("mem.bandwidth"));
    let long = without("\"MMA_32CYCLES\": 0.0", "\"MMA_32CYCLES\": 64.0");
    assert!(
        !long.contains_key("cycles.mma.short"),
        "instructions of both kinds"
    );
    let nothing_to_hold = without("\"10.40%\"", "\"n/a\"");
    assert_eq!(nothing_to_hold["duty.mma"].agrees, None);
    // Two sources of one figure that cannot both be right give none.
    let data = "\"RoofLine\", \"value\": {\"processed_data\": {\"during\": 2.0}, \"data\"";
    let twice = without("\"RoofLine\", \"value\": {\"data\"", data);
    assert_eq!(twice["roofline.cycles"].reported, None);
    // Another tool's counters are not this tool's.
    let mut profile = read(&report(FULL));
    profile.tool = "other".into();
    assert!(
        derive(Formulas::builtin(), &profile, &profile.launches[0], &|_| {
            None
        })
        .is_empty()
    );
}

#[test]
fn reports_of_nsight_compute_are_reproduced() {
    let profile = assay_profile::parse(include_bytes!("fixtures/ncu_raw.csv")).unwrap();
    let (device, _) = Devices::builtin().recognise(&profile).unwrap();
    let values = device.values(None);
    for launch in &profile.launches {
        let device = |name: &str| values.get(name).copied();
        let found = derive(Formulas::builtin(), &profile, launch, &device);
        assert!(found.iter().any(|d| d.name == "mem.bandwidth"));
        for d in &found {
            assert_ne!(d.agrees, Some(false), "{d:#?}");
        }
        let held = found.iter().filter(|d| d.agrees == Some(true)).count();
        assert!(held >= 3, "{found:#?}");
    }
}

#[test]
fn a_broken_file_is_refused_with_its_line() {
    let load = |text: &str| {
        let e = Formulas::load([("mine.toml", text)], Catalog::builtin());
        e.map(|f| f.iter().count()).map_err(|e| e.to_string())
    };
    let head = "schema = \"assay.derived/1\"\nsource = \"s\"\n[[formula]]\nname = \"x\"\nunit = \"1\"\ntools = [\"ncu\"]\nmeaning = \"m\"\nmeaning_zh = \"m\"\n";
    let formula = |f: &str| format!("{head}formula = \"{f}\"\n");
    let good = formula("(inst.executed + 1.5) * -max(cycles.busy, device.units, 2) / 3");
    assert_eq!(load(&good), Ok(1));
    let deep = "(".repeat(60);
    for (text, line, why) in [
        (good.replace("derived/1", "derived/2"), 1, "assay.derived/1"),
        (good.replace("source", "sauce"), 2, "sauce"),
        (good.replace("source = \"s\"", ""), 3, "`source`"),
        (good.replace("[\"ncu\"]", "[]"), 3, "`tools` is empty"),
        (
            good.replace("unit = \"1\"", "unit = \"furlong\""),
            3,
            "furlong",
        ),
        (
            good.replace("meaning_zh = \"m\"", "meaning_zh = \"\""),
            3,
            "meaning_zh",
        ),
        (format!("{good}within = -1.0\n"), 3, "within"),
        (formula("inst.executd"), 9, "did you mean `inst.executed`?"),
        (formula("device.unit"), 9, "did you mean `units`?"),
        (
            formula("inst.executed +"),
            9,
            "found the end at character 16",
        ),
        (formula("inst.executed % 2"), 9, "found `%`"),
        (formula("min(1)"), 9, "expected `,`"),
        (formula("1.2.3"), 9, "no number"),
        (formula("2x"), 9, "no number"),
        (formula(&deep), 9, "nests"),
        (formula(&"1+".repeat(600)), 9, "at most"),
        (format!("{good}reported = \"duty.mma\"\n"), 10, "is in `%`"),
        (
            format!("{good}reported = \"duty.mmma\"\n"),
            10,
            "did you mean `duty.mma`?",
        ),
        (format!("{good}when = \"cycles.busy\"\n"), 10, "condition"),
        (
            format!("{good}when = \"cycles.bsy > 1\"\n"),
            10,
            "cycles.busy",
        ),
        (format!("{good}exact = [\"cycles.bus\"]\n"), 10, "no input"),
        (
            format!(
                "{good}{}",
                good.split_once('\n').unwrap().1.split_once('\n').unwrap().1
            ),
            10,
            "stands twice",
        ),
    ] {
        let e = load(&text).unwrap_err();
        let place = format!("derived figures `mine.toml`, line {line}: ");
        assert!(e.starts_with(&place) && e.contains(why), "{e}\n{text}");
    }
}

#[test]
fn a_formula_of_ones_own_replaces_the_builtin_one_of_its_tool() {
    let own = "schema = \"assay.derived/1\"\nsource = \"s\"\n[[formula]]\nname = \"ipc.unit\"\nunit = \"1\"\ntools = [\"mcProfiler\"]\nmeaning = \"m\"\nmeaning_zh = \"m\"\nformula = \"inst.executed\"\n";
    let files = Formulas::builtin_files().iter().copied();
    let all = Formulas::load(files.chain([("mine.toml", own)]), Catalog::builtin()).unwrap();
    assert_eq!(
        all.get("mcProfiler", "ipc.unit").unwrap().formula,
        "inst.executed"
    );
    assert_ne!(all.get("ncu", "ipc.unit").unwrap().formula, "inst.executed");
    assert_eq!(all.iter().count(), Formulas::builtin().iter().count());
}
