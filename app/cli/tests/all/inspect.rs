//! `assay inspect`: what reports say, as one document and as text.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use assay_core::view::ProfileView;
use serde_json::Value;

use crate::reports::{self, SOUND};
use crate::support::{Done, Lab, write};

/// A report of three kernels that was measured; see docs/counters.md.
pub const MEASURED: &str = include_str!("../../../../docs/samples/gemm_h200_ncu_raw.csv");

/// The document, which must be what the schema says.
#[track_caller]
pub fn document(done: &Done) -> Value {
    assert_eq!(done.code, 0, "{done:#?}");
    let view: ProfileView = serde_json::from_str(&done.out).unwrap();
    assert_eq!(view.schema, "assay.profile/1");
    let document = done.json();
    assert_eq!(serde_json::to_value(&view).unwrap(), document, "keys");
    document
}

/// A counter of a launch, by name.
#[track_caller]
pub fn counter<'v>(launch: &'v Value, name: &str) -> &'v Value {
    let all = launch["counters"].as_array().unwrap();
    let found = all.iter().find(|c| c["name"] == name);
    found.unwrap_or_else(|| panic!("no {name} in {launch:#}"))
}

pub fn outcomes(view: &Value) -> Vec<(&str, &str)> {
    let files = view["files"].as_array().unwrap();
    let mut out: Vec<(&str, &str)> = files
        .iter()
        .map(|f| {
            let name = f["path"].as_str().unwrap().rsplit('/').next().unwrap();
            (name, f["outcome"].as_str().unwrap())
        })
        .collect();
    out.sort_unstable();
    out
}

pub fn rules(view: &Value) -> Vec<&str> {
    let found = view["findings"].as_array().unwrap();
    found.iter().map(|f| f["rule"].as_str().unwrap()).collect()
}

#[test]
fn a_measured_report_is_nine_launches_of_three_kernels_in_the_right_units() {
    let lab = Lab::empty();
    lab.write("r.csv", MEASURED);
    let view = document(&lab.assay(&["inspect", "r.csv", "--json"]));
    assert_eq!(
        (&view["tool"], &view["flavour"]),
        (&"ncu".into(), &"csv".into())
    );
    let launches = view["launches"].as_array().unwrap();
    let kernels: Vec<(&str, u64)> = launches
        .iter()
        .map(|l| {
            let kernel = l["kernel"].as_str().unwrap().split('(').next().unwrap();
            (kernel, l["occurrence"].as_u64().unwrap())
        })
        .collect();
    let expected = ["gemm_naive", "gemm_shared", "gemm_wmma"].map(|k| [(k, 0), (k, 1), (k, 2)]);
    assert_eq!(kernels, expected.concat());
    let first = &launches[0];
    assert_eq!(first["grid"], serde_json::json!([64, 256, 1]));
    assert_eq!(first["block"], serde_json::json!([32, 8, 1]));
    for (name, canonical, value, unit, raw) in [
        (
            "gpu__time_duration.sum",
            Some("time.profiled"),
            3_313_664.into(),
            "ns",
            "3,313,664",
        ),
        (
            "dram__bytes_read.sum",
            Some("mem.read_bytes"),
            16_781_568.into(),
            "byte",
            "16,781,568",
        ),
        (
            "dram__bytes.sum.per_second",
            Some("mem.bandwidth"),
            Value::from(5_215_852_904.82),
            "byte/s",
            "5,215,852,904.82",
        ),
    ] {
        let c = launches
            .iter()
            .take(3)
            .map(|l| counter(l, name))
            .find(|c| c["raw"] == raw);
        let c = c.unwrap_or_else(|| panic!("{name} {raw}"));
        assert_eq!((&c["value"], &c["unit"]), (&value, &unit.into()), "{name}");
        assert_eq!(
            c["canonical"],
            canonical.map_or(Value::Null, Value::from),
            "{name}"
        );
    }
    assert_eq!(view["device"]["name"], "h200");
    assert!(
        rules(&view).contains(&"slightly-over-100"),
        "{:?}",
        rules(&view)
    );
    let unread = counter(first, "derived_tempMetric4");
    assert_eq!(
        (&unread["status"], &unread["value"]),
        (&"error".into(), &Value::Null)
    );
    // What the program printed under the profiler is no figure of the profiler.
    assert!(
        view["profiles"][0]["notices"]
            .to_string()
            .contains("9 lines are not the profiler's")
    );
}

#[test]
fn flavours_of_one_launch_are_one_launch_with_all_digits() {
    let lab = Lab::empty();
    let folder = lab.repo().join("out");
    reports::all_flavours(&folder, "1_gemm_kernel", SOUND);
    write(&folder.join("notes.md"), "not a report");
    let by_folder = document(&lab.assay(&["inspect", "out", "--json"]));
    let launches = by_folder["launches"].as_array().unwrap();
    assert_eq!(launches.len(), 1);
    let l = &launches[0];
    assert_eq!(
        (&l["kernel"], &l["occurrence"], &l["scope"]),
        (&"gemm_kernel".into(), &0.into(), &"per-kernel".into())
    );
    assert_eq!(l["counters"].as_array().unwrap().len(), SOUND.len());
    for (section, name, _, _, exact) in SOUND {
        let c = counter(l, name);
        let exact: f64 = exact.parse().unwrap();
        assert_eq!(
            (c["section"].as_str().unwrap(), c["value"].as_f64().unwrap()),
            (*section, exact)
        );
        assert_eq!(c["suspect"].as_array().unwrap().len(), 0, "{c:#}");
    }
    assert_eq!(
        outcomes(&by_folder),
        [
            ("1_gemm_kernel.txt", "read"),
            ("1_gemm_kernel.txt.csv", "read"),
            ("1_gemm_kernel.txt.json", "read"),
            ("1_gemm_kernel_dumped_result.json", "read"),
            ("notes.md", "not_a_report"),
        ]
    );
    for f in by_folder["files"].as_array().unwrap() {
        let is_read = f["outcome"] == "read";
        assert_eq!(
            f["counters"].as_u64().unwrap(),
            if is_read { SOUND.len() as u64 } else { 0 }
        );
        assert_eq!(f["sha256"].as_str().map(str::len), is_read.then_some(64));
    }
    // Named one by one they belong together just the same.
    let files = [
        "out/1_gemm_kernel.txt",
        "out/1_gemm_kernel_dumped_result.json",
    ];
    let named = document(&lab.assay(&["inspect", files[0], files[1], "--json"]));
    assert_eq!(named["launches"].as_array().unwrap().len(), 1);
    assert_eq!(
        counter(&named["launches"][0], "AP busy Duty")["value"],
        98.5615145450249
    );
    // One alone has its kernel from its name, and the digits that were printed.
    let alone = document(&lab.assay(&["inspect", files[0], "--json"]));
    assert_eq!(alone["launches"][0]["kernel"], "gemm_kernel");
    assert_eq!(
        counter(&alone["launches"][0], "AP busy Duty")["value"],
        98.56
    );
    assert_eq!(alone["flavour"], "txt");
}

#[test]
fn flavours_that_contradict_each_other_are_marked() {
    let lab = Lab::empty();
    let folder = lab.repo().join("out");
    write(&folder.join("1_k.txt.json"), &reports::txt_json(SOUND));
    let other = reports::dumped(SOUND).replace("64.80556142370405", "46.0");
    write(&folder.join("1_k_dumped_result.json"), &other);
    let view = document(&lab.assay(&["inspect", "out", "--json"]));
    let hit = counter(&view["launches"][0], "L2C Hit Rate");
    assert!(
        hit["suspect"][0]
            .as_str()
            .unwrap()
            .contains("contradiction"),
        "{hit:#}"
    );
    let text = lab.assay(&["inspect", "out"]).ok();
    let line = text
        .lines()
        .position(|l| l.trim_start().starts_with("! L2C Hit Rate"));
    let line = line.unwrap_or_else(|| panic!("{text}"));
    assert!(
        text.lines()
            .nth(line + 1)
            .unwrap()
            .contains("contradiction"),
        "{text}"
    );
}

#[test]
fn a_folder_holds_runs_sums_and_reports_of_other_tools() {
    let lab = Lab::empty();
    let out = lab.repo().join("out");
    reports::all_flavours(&out, "report", &reports::overfull());
    reports::all_flavours(&out, "1_gemm", SOUND);
    reports::all_flavours(&out, "2_gemm", SOUND);
    write(&out.join("deep/er/r.csv"), &reports::ncu(&["k", "k"]));
    write(&out.join("deep/3_x.txt.json"), "");
    write(&out.join("chart.png"), "\u{89}PNG");
    fs::create_dir(out.join(".git")).unwrap();
    write(&out.join(".git/1_hidden.txt"), &reports::txt(SOUND));
    write(&lab.root().join("secret.csv"), &reports::ncu(&["secret"]));
    symlink(lab.root().join("secret.csv"), out.join("link.csv")).unwrap();
    let view = document(&lab.assay(&["inspect", "out", "--json"]));
    assert_eq!(
        (&view["tool"], &view["flavour"]),
        (&"mixed".into(), &"mixed".into())
    );
    let launches: Vec<String> = view["launches"]
        .as_array()
        .unwrap()
        .iter()
        .map(|l| {
            let occurrence = l["occurrence"]
                .as_u64()
                .map_or("-".into(), |n| n.to_string());
            format!(
                "{} {} {occurrence} {}",
                l["profile"],
                l["kernel"].as_str().unwrap(),
                l["scope"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(
        launches,
        [
            "0 gemm 0 per-kernel",
            "0 gemm 1 per-kernel",
            "1 (all kernels) - aggregate",
            "2 k 0 per-kernel",
            "2 k 1 per-kernel",
        ]
    );
    let what = outcomes(&view);
    for expected in [
        ("3_x.txt.json", "unreadable"),
        ("chart.png", "not_a_report"),
        ("link.csv", "not_used"),
        ("r.csv", "read"),
    ] {
        assert!(what.contains(&expected), "{expected:?} in {what:?}");
    }
    assert!(!what.iter().any(|(name, _)| *name == "1_hidden.txt"));
    // A sum over all kernels is not judged where each kernel has a report of its own.
    assert!(
        !rules(&view).contains(&"duty-over-100"),
        "{:?}",
        rules(&view)
    );
    fs::remove_file(out.join("1_gemm.txt")).unwrap();
    for n in ["1", "2"] {
        for e in [".txt", ".txt.csv", ".txt.json", "_dumped_result.json"] {
            let _ = fs::remove_file(out.join(format!("{n}_gemm{e}")));
        }
    }
    let sum = document(&lab.assay(&["inspect", "out", "--json"]));
    let subjects: Vec<&str> = sum["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| f["subject"].as_str().unwrap())
        .collect();
    assert!(
        !subjects.is_empty() && subjects.contains(&"(all kernels)"),
        "{sum:#}"
    );
}

#[test]
fn many_reports_are_read_and_listed_in_short() {
    let lab = Lab::empty();
    for n in 1..=300 {
        write(
            &lab.repo().join(format!("out/{n}_k.txt.json")),
            &reports::txt_json(SOUND),
        );
    }
    let view = document(&lab.assay(&["inspect", "out", "--json"]));
    assert_eq!(view["launches"].as_array().unwrap().len(), 300);
    let text = lab.assay(&["inspect", "out"]).ok();
    assert!(
        text.contains("300: 300 read") && text.contains("300 launches; --launch N"),
        "{text}"
    );
    assert!(text.lines().count() < 100, "{}", text.lines().count());
    for n in 1..=40 {
        let report = reports::txt_json(SOUND);
        write(
            &lab.repo().join(format!("others/{n}_k{n}.txt.json")),
            &report,
        );
    }
    let text = lab.assay(&["inspect", "others"]).ok();
    assert!(
        text.contains("and 16 more kernels; --kernel TEXT"),
        "{text}"
    );
    let one = lab.assay(&["inspect", "out", "--launch", "299"]).ok();
    assert!(one.contains("launch 299") && one.contains("98.56"), "{one}");
}

#[test]
fn findings_are_told_and_only_strict_makes_them_an_error() {
    let lab = Lab::empty();
    reports::all_flavours(&lab.repo().join("out"), "1_gemm", &reports::overfull());
    let done = lab.assay(&["inspect", "out", "--json"]);
    let view = document(&done);
    let found = view["findings"].as_array().unwrap();
    let worst = &found[0];
    assert_eq!(
        (&worst["severity"], &worst["kind"]),
        (&"error".into(), &"audit".into()),
        "{worst:#}"
    );
    assert_eq!(worst["subject"], "gemm");
    assert!(
        worst["message"].as_str().unwrap().contains("128.749"),
        "{worst:#}"
    );
    let text = lab.assay(&["inspect", "out"]).ok();
    let (finding, table) = (
        text.find("ERROR").unwrap(),
        text.find("launches  counters").unwrap(),
    );
    assert!(finding < table, "findings come first: {text}");
    assert!(!text.contains('\x1b'), "no colour where it is no terminal");
    let zh = lab.assay(&["inspect", "out", "--lang", "zh"]).ok();
    assert!(zh.contains("错误") && zh.contains("依据："), "{zh}");
    let strict = lab.assay(&["inspect", "out", "--strict"]);
    assert_eq!(strict.code, 1, "{strict:#?}");
    lab.write("r.csv", &reports::ncu(&["k"]));
    assert_eq!(lab.assay(&["inspect", "r.csv", "--strict"]).code, 0);
}

#[test]
fn the_text_keeps_to_the_width_and_says_what_each_figure_is() {
    let lab = Lab::empty();
    lab.write("r.csv", MEASURED);
    for columns in ["80", "120"] {
        let mut c = lab.command(env!("CARGO_BIN_EXE_assay"), lab.repo());
        let out = c
            .args(["inspect", "r.csv"])
            .env("COLUMNS", columns)
            .output()
            .unwrap();
        let text = String::from_utf8(out.stdout).unwrap();
        let most: usize = columns.parse().unwrap();
        // Names and figures are never cut to fit.
        let long: Vec<&str> = text
            .lines()
            .filter(|l| {
                assay_core::text::width(l) > most && !l.contains("__") && !l.contains("gemm_")
            })
            .collect();
        assert!(long.is_empty(), "{columns}: {long:#?}");
        assert!(
            text.contains("sm__throughput.avg.pct_of_peak_sustained_elapsed"),
            "{text}"
        );
    }
    let text = lab
        .assay(&["inspect", "r.csv", "--kernel", "wmma", "--launch", "1"])
        .ok();
    assert!(
        text.contains("launch 1, grid 128x32x1, block 128x1x1"),
        "{text}"
    );
    assert!(text.contains("unreadable: nan"), "{text}");
    assert!(!text.contains("gemm_naive"), "{text}");
    let all = lab.assay(&["inspect", "r.csv", "--all"]).ok();
    assert_eq!(all.matches(", grid ").count(), 9, "{all}");
}

/// The examples of the guide: a block of text that begins with a command shows lines of what it
/// prints, and `…` for the others.
#[test]
fn the_guide_shows_what_the_program_prints() {
    let lab = Lab::empty();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let guide = fs::read_to_string(root.join("docs/counters.md")).unwrap();
    let blocks = guide.split("```text\n").skip(1);
    let mut checked = 0;
    for block in blocks.filter_map(|b| b.split("```").next()) {
        let mut lines = block.lines();
        let command = lines.next().unwrap().strip_prefix("$ assay ").unwrap();
        let mut c = lab.command(env!("CARGO_BIN_EXE_assay"), &root);
        c.args(command.split(' ')).env("COLUMNS", "100");
        let out = String::from_utf8(c.output().unwrap().stdout).unwrap();
        let mut printed = out.lines();
        for line in lines.filter(|l| *l != "…") {
            assert!(
                printed.any(|p| p == line),
                "`{line}` of the guide is not in\n{out}"
            );
            checked += 1;
        }
    }
    assert!(checked > 10, "{checked}");
}
