//! `assay inspect`: what it is given, good and bad: choices, files that are no reports, standard input,
//! binary reports, data files of one's own.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;

use crate::inspect::{MEASURED, counter, document, outcomes};
use crate::reports;
use crate::support::{Done, Lab, write};

#[test]
fn a_choice_that_fits_nothing_says_what_there_is() {
    let lab = Lab::empty();
    lab.write("r.csv", &reports::ncu(&["gemm", "reduce"]));
    for (args, says) in [
        (
            &["--kernel", "gmem"][..],
            &["no kernel with `gmem`", "gemm, reduce"][..],
        ),
        (&["--launch", "5"], &["no kernel has a launch 5", "from 0"]),
        (&["--device", "h20"], &["--device", "h20", "h200"]),
        (&["--device", "h200@0%"], &["--device", "share"]),
        (&["--dtype", "fp12"], &["no data type `fp12`", "fp16"]),
        (
            &["--format", "nuc"],
            &["no format `nuc`", "did you mean `ncu`?"],
        ),
        (&["--mapping", "none.toml"], &["none.toml", "No such file"]),
        (
            &["--profiles", "none"],
            &["--profiles", "none is no folder"],
        ),
        (
            &["--mapping", "m.toml", "--format", "ncu"],
            &["cannot be used with"],
        ),
    ] {
        let args = [&["inspect", "r.csv"], args].concat();
        lab.assay(&args).fails(3, says);
    }
    lab.assay(&["inspect"]).fails(3, &["PATHS"]);
    let sliced = document(&lab.assay(&["inspect", "r.csv", "--device", "c500@25%", "--json"]));
    assert_eq!(
        (&sliced["device"]["name"], &sliced["device"]["share"]),
        (&"c500".into(), &0.25.into())
    );
}

#[test]
fn what_is_no_report_is_refused_with_what_was_seen() {
    let lab = Lab::empty();
    let repo = lab.repo();
    fs::write(repo.join("empty"), "").unwrap();
    fs::write(
        repo.join("binary"),
        [0u8, 159, 146, 150, 0, 1, 2, 3].repeat(5000),
    )
    .unwrap();
    fs::write(
        repo.join("cut.csv"),
        MEASURED.split("\n\"0\"").next().unwrap(),
    )
    .unwrap();
    lab.write("log.txt", "a line of\x1b[2J something else\nand more\n");
    fs::create_dir(repo.join("nothing")).unwrap();
    lab.write("junk/a.md", "x");
    lab.write("junk/2_k.txt", "");
    for (path, says) in [
        ("none", &["none: No such file"][..]),
        ("empty", &["empty: the file is empty"]),
        (
            "binary",
            &[
                "not the output of a profiler that is known here",
                "--format",
                "--mapping",
            ],
        ),
        ("log.txt", &["it begins `a line of\\x1b[2J something else`"]),
        ("cut.csv", &["cut.csv: Nsight Compute CSV: "]),
        (
            "nothing",
            &["no profiler report in nothing", "no file in it"],
        ),
        (
            "junk",
            &[
                "no profiler report in junk; 2 files",
                "a.md",
                "2_k.txt: the file is empty",
            ],
        ),
    ] {
        let err = lab.assay(&["inspect", path]).fails(3, says);
        assert!(!err.contains('\x1b'), "{err:?}");
        let json = lab.assay(&["inspect", path, "--json"]);
        assert!(json.code == 3 && json.out.is_empty(), "{json:#?}");
    }
    // What can be read is read, and the rest is said.
    lab.write("r.csv", &reports::ncu(&["k"]));
    let view = document(&lab.assay(&["inspect", "r.csv", "empty", "log.txt", "--json"]));
    assert_eq!(
        outcomes(&view),
        [
            ("empty", "unreadable"),
            ("log.txt", "unreadable"),
            ("r.csv", "read")
        ]
    );
    lab.assay(&["inspect", "r.csv", "none"])
        .fails(3, &["none: No such file"]);
}

#[test]
fn names_from_outside_cannot_act_on_the_terminal() {
    let lab = Lab::empty();
    let name = "evil\x1b]0;owned\x07\u{202e}核函数<\"q\">";
    lab.write("r.csv", &reports::ncu(&[name, name]));
    let view = document(&lab.assay(&["inspect", "r.csv", "--json"]));
    assert_eq!(view["launches"][0]["kernel"], name);
    for args in [&[][..], &["--all"], &["--launch", "0"]] {
        let text = lab.assay(&[&["inspect", "r.csv"], args].concat()).ok();
        let active = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!text.contains(active), "{text:?}");
        assert!(
            text.contains("evil\\x1b]0;owned\\x07\\u{202e}核函数"),
            "{text}"
        );
    }
}

#[test]
fn standard_input_is_read_like_a_file() {
    let lab = Lab::empty();
    let piped = |text: &str| {
        let mut child = lab
            .command(env!("CARGO_BIN_EXE_assay"), lab.repo())
            .args(["inspect", "-", "--json"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // A program that refuses what it read is gone by then.
        let _ = stdin.write_all(text.as_bytes());
        drop(stdin);
        let out = child.wait_with_output().unwrap();
        Done {
            code: out.status.code().unwrap(),
            out: String::from_utf8(out.stdout).unwrap(),
            err: String::from_utf8(out.stderr).unwrap(),
        }
    };
    let view = document(&piped(&reports::ncu(&["k", "k"])));
    assert_eq!(view["launches"].as_array().unwrap().len(), 2);
    assert_eq!(outcomes(&view), [("-", "read")]);
    piped("").fails(3, &["-: the file is empty"]);
}

/// A stand-in for `ncu`: it prints what a report file holds behind its first line, if it is called
/// as the real one has to be.
const STAND_IN: &str = r#"#!/bin/sh
# stand-in for ncu in a test
[ "$LC_ALL" = C ] || { echo "no LC_ALL=C" >&2; exit 9; }
[ "$1 $3 $4 $5 $6 $7" = "--import --page raw --csv --print-units base" ] || { echo "called with $*" >&2; exit 9; }
case "$2" in *broken*) echo "==ERROR== Failed to open report file" ; exit 1 ;; esac
tail -n +2 "$2"
"#;

/// Runs the program with this folder alone in `PATH`, before those of the shell's tools.
fn with_path(lab: &Lab, first: &Path, args: &[&str]) -> Done {
    let path = format!("{}:/usr/bin:/bin", first.display());
    let mut c = lab.command(env!("CARGO_BIN_EXE_assay"), lab.repo());
    let out = c.args(args).env("PATH", path).output().unwrap();
    Done {
        code: out.status.code().unwrap(),
        out: String::from_utf8(out.stdout).unwrap(),
        err: String::from_utf8(out.stderr).unwrap(),
    }
}

#[test]
fn binary_reports_are_printed_by_ncu_where_there_is_one() {
    let lab = Lab::empty();
    let bin = lab.root().join("bin");
    write(&bin.join("ncu"), STAND_IN);
    fs::set_permissions(bin.join("ncu"), fs::Permissions::from_mode(0o755)).unwrap();
    let report = format!("NVR\0 stand-in\n{}", reports::ncu(&["k"]));
    lab.write("a.ncu-rep", &report);
    lab.write("renamed.bin", &report);
    for file in ["a.ncu-rep", "renamed.bin"] {
        let view = document(&with_path(&lab, &bin, &["inspect", file, "--json"]));
        assert_eq!(view["flavour"], "ncu-rep");
        assert_eq!(view["launches"][0]["kernel"], "k");
        let sha = view["files"][0]["sha256"].as_str().unwrap();
        assert_eq!(sha, assay_core::Sha256::of(report.as_bytes()).to_string());
    }
    lab.write("broken.ncu-rep", &report);
    with_path(&lab, &bin, &["inspect", "broken.ncu-rep"]).fails(
        4,
        &[
            "bin/ncu could not read broken.ncu-rep: exit code 1",
            "Failed to open report file",
        ],
    );
    // Without it the rest of a folder is read, and the report alone is the environment's failure.
    lab.write("mixed/r.csv", &reports::ncu(&["k"]));
    lab.write("mixed/a.ncu-rep", &report);
    let none = lab.root().join("none");
    let view = document(&with_path(&lab, &none, &["inspect", "mixed", "--json"]));
    assert_eq!(
        outcomes(&view),
        [("a.ncu-rep", "unreadable"), ("r.csv", "read")]
    );
    let err = with_path(&lab, &none, &["inspect", "a.ncu-rep"]).fails(4, &["a.ncu-rep", "ncu"]);
    if err.contains("there is no `ncu`") {
        assert!(err.contains("--import a.ncu-rep --page raw --csv"), "{err}");
    }
}

#[test]
fn data_files_of_ones_own_go_before_built_in_ones() {
    let lab = Lab::empty();
    lab.write("r.csv", &reports::ncu(&["k"]));
    let own = lab.repo().join("own");
    let rule = |when: &str, message: &str| {
        format!(
            "schema = \"assay.rules/1\"\nkind = \"audit\"\nsource = \"a test\"\n[[rule]]\nid = \"ours\"\non = \"launch\"\nseverity = \"warning\"\nwhen = \"{when}\"\nmessage = \"{message}\"\nmessage_zh = \"{message}\"\n"
        )
    };
    let counters = "schema = \"assay.counters/1\"\nsource = \"a test\"\n[[counter]]\ncanonical = \"our.share\"\nunit = \"%\"\ndirection = \"higher\"\nmeaning = \"Ours.\"\nnames.ncu = [\"sm__throughput\\\\.avg\\\\.pct_of_peak_sustained_elapsed\"]\n";
    write(&own.join("counters/ours.toml"), counters);
    write(
        &own.join("rules/audit/ours.toml"),
        &rule("our.share > 50", "it is {our.share}"),
    );
    let args = ["inspect", "r.csv", "--profiles", "own", "--json"];
    let view = document(&lab.assay(&args));
    let c = counter(
        &view["launches"][0],
        "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    );
    assert_eq!(c["canonical"], "our.share");
    let ours = view["findings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|f| f["rule"] == "ours")
        .unwrap();
    assert_eq!(ours["message"], "it is 50.5 %");
    // The folders of the user and of the campaign count without being named.
    let home = lab.home().join(".local/share/assay/profiles");
    write(&home.join("counters/ours.toml"), counters);
    write(
        &home.join("rules/audit/ours.toml"),
        &rule("our.share > 50", "from home"),
    );
    let message = |lab: &Lab| {
        let view = document(&lab.assay(&["inspect", "r.csv", "--json"]));
        let all = view["findings"].as_array().unwrap();
        let ours = all.iter().find(|f| f["rule"] == "ours").unwrap();
        ours["message"].as_str().unwrap().to_owned()
    };
    assert_eq!(message(&lab), "from home");
    lab.write("assay.toml", "");
    lab.write(
        "profiles/rules/audit/ours.toml",
        &rule("our.share > 50", "from the campaign"),
    );
    assert_eq!(message(&lab), "from the campaign");
    // A rule about a counter that is not there is refused where it stands.
    write(
        &own.join("rules/audit/ours.toml"),
        &rule("our.shrae > 50", "x"),
    );
    let err = lab
        .assay(&args)
        .fails(3, &["own/rules/audit/ours.toml:8:", "our.shrae"]);
    assert!(err.contains("our.share"), "near miss: {err}");
    let twice = counters.replace(
        "[[counter]]",
        "[[alias]]\ncanonical = \"no.such\"\nnames.ncu = [\"x\"]\n[[counter]]",
    );
    write(&own.join("counters/theirs.toml"), &twice);
    lab.assay(&args)
        .fails(3, &["own/counters/theirs.toml`, line 4, counter `no.such`"]);
    fs::remove_file(own.join("counters/theirs.toml")).unwrap();
    write(&own.join("rules/audit/ours.toml"), "schema = 1\n");
    lab.assay(&args).fails(3, &["own/rules/audit/ours.toml:1:"]);
    fs::write(own.join("rules/audit/ours.toml"), [0xff]).unwrap();
    lab.assay(&args)
        .fails(3, &["own/rules/audit/ours.toml: not UTF-8"]);
}

#[test]
fn a_mapping_reads_what_no_reader_knows() {
    let lab = Lab::empty();
    lab.write(
        "own.csv",
        "Kernel;Time (us);Hits\ngemm;1,5;90\ngemm;1,7;91\n",
    );
    lab.write(
        "map.toml",
        "schema = \"assay.mapping/1\"\ntool = \"our-profiler\"\nformat = \"csv\"\nseparator = \";\"\ndecimal = \",\"\nkernel = \"Kernel\"\n[[counters]]\nfrom = \"Time (us)\"\nname = \"time\"\nunit = \"us\"\n[[counters]]\nfrom = \"Hits\"\nunit = \"%\"\n",
    );
    let view = document(&lab.assay(&["inspect", "own.csv", "--mapping", "map.toml", "--json"]));
    assert_eq!(view["tool"], "our-profiler");
    assert_eq!(counter(&view["launches"][1], "time")["value"], 1.7);
    lab.write("bad.toml", "schema = \"assay.mapping/1\"\ntol = 1\n");
    lab.assay(&["inspect", "own.csv", "--mapping", "bad.toml"])
        .fails(3, &["bad.toml", "line 2"]);
}

#[test]
fn a_large_trace_is_read_as_it_comes() {
    let lab = Lab::empty();
    let event = |n: u64| {
        format!(
            "{{\"ph\":\"X\",\"cat\":\"0\",\"ts\":{n},\"dur\":18944,\"name\":\"k\",\"pid\":2,\"tid\":1,\"args\":{{\"name\":\"k\",\"grid\":{{\"x\":8,\"y\":1,\"z\":1}},\"block\":{{\"x\":256,\"y\":1,\"z\":1}},\"submit_ts\":1,\"complete_ts\":2,\"dispatch_id\":{n}}}}}"
        )
    };
    // Blanks are content like any other: more of them than is looked at to tell the format.
    let gap = format!(",\n{}", " ".repeat(1 << 20));
    let events: Vec<String> = (0..12).map(event).collect();
    let text = format!("{{\"traceEvents\":[{}]}}", events.join(&gap));
    lab.write("t.json", &text);
    let of_kernels = |view: &serde_json::Value| {
        let all = view["launches"].as_array().unwrap();
        all.iter().filter(|l| l["scope"] == "per-kernel").count()
    };
    let view = document(&lab.assay(&["inspect", "t.json", "--json"]));
    assert_eq!(of_kernels(&view), 12);
    assert_eq!(
        view["files"][0]["sha256"],
        assay_core::Sha256::of(&text).to_string()
    );
    // Cut short it says so, and what stands before is there.
    lab.write("cut.json", &text[..text.len() - (2 << 20)]);
    let cut = document(&lab.assay(&["inspect", "cut.json", "--json"]));
    assert_eq!(of_kernels(&cut), 10);
    assert_ne!(
        cut["profiles"][0]["notices"].as_array().unwrap().len(),
        0,
        "{cut:#}"
    );
}
