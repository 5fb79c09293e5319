//! A published folder goes into a repository of its reader's and out again, and no figure changes.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::published::experiment;
use crate::support::Lab;

const CAMPAIGNS: [&str; 3] = ["c500-gemm", "h800-matmul", "c500-mhc-post"];

/// A repository with nothing of a campaign in it.
pub fn reader() -> Lab {
    let lab = Lab::empty();
    lab.git(&["init", "-q", "-b", "main"]);
    lab.git(&["config", "user.name", "Tester"]);
    lab.git(&["config", "user.email", "tester@localhost"]);
    lab.write("README", "the reader's own\n");
    lab.git(&["add", "-A"]);
    lab.git(&["commit", "-q", "-m", "own work"]);
    lab
}

/// What list, comparison and audit say in a folder, without what is of the place.
fn said(lab: &Lab, at: &Path, name: &str) -> Vec<Value> {
    let view = |args: &[&str]| {
        let mut v = lab.assay_in(at, &[&["--json"][..], args].concat()).json();
        if let Some(of) = v.as_object_mut() {
            // A plain folder has no branches, and says nothing of one.
            for key in ["read_only", "notices", "findings", "not_judged", "branch"] {
                of.remove(key);
            }
        }
        v
    };
    let pair = match name {
        "c500-mhc-post" => ["unoptimized", "optimized"],
        "c500-gemm" => ["torch-mm", "a-copy-coalesced-width4"],
        _ => ["autotuned", "autotuned"],
    };
    vec![
        view(&["list"]),
        view(&["show", pair[0]]),
        view(&["compare", pair[0], pair[1]]),
        view(&["note"]),
    ]
}

/// The documents are the same; where they are not, the key that differs says enough.
#[track_caller]
fn same(a: &[Value], b: &[Value]) {
    for (a, b) in a.iter().zip(b) {
        let keys = a.as_object().unwrap().keys();
        let other: Vec<&String> = keys.filter(|k| a[*k] != b[*k]).collect();
        assert!(
            other.is_empty(),
            "{other:?} of {}: {:#}",
            a["schema"],
            a[other[0]]
        );
    }
}

#[test]
fn an_import_into_a_fresh_repository_keeps_every_figure() {
    for name in CAMPAIGNS {
        let lab = reader();
        let published = experiment(name);
        let out = lab.assay(&["import", published.to_str().unwrap()]).ok();
        assert!(out.contains("records added, 0 were here"), "{out}");
        let again = lab.assay(&["import", published.to_str().unwrap()]).ok();
        assert!(again.contains(": 0 records added"), "{again}");
        lab.assay(&["verify"]).ok();
        // The formulas are in the campaign file, which is no record.
        fs::copy(published.join("assay.toml"), lab.repo().join("assay.toml")).unwrap();
        let here = said(&lab, lab.repo(), name);
        same(&here, &said(&lab, &published, name));

        let folder = lab.root().join("out");
        lab.assay(&["export", folder.to_str().unwrap()]).ok();
        fs::copy(published.join("assay.toml"), folder.join("assay.toml")).unwrap();
        same(&here, &said(&lab, &folder, name));

        // Through a remote into a clone.
        let remote = lab.root().join("remote.git");
        let remote = remote.to_str().unwrap();
        lab.git(&["init", "-q", "--bare", remote]);
        lab.git(&["remote", "add", "origin", remote]);
        lab.git(&["push", "-q", "origin", "main"]);
        lab.assay(&["sync"]).ok();
        let clone = lab.clone_to("clone");
        lab.git_in(&clone, &["remote", "set-url", "origin", remote]);
        lab.assay_in(&clone, &["sync"]).ok();
        fs::copy(published.join("assay.toml"), clone.join("assay.toml")).unwrap();
        same(&here, &said(&lab, &clone, name));
    }
}

/// Words of a command that cannot work where there is nothing to run or to write to.
const COMMANDS: [&str; 6] = [
    "assay run",
    "assay ablate",
    "assay import",
    "assay sync",
    "assay rollback",
    "assay accept",
];

#[test]
fn a_published_folder_gives_no_advice_that_cannot_be_followed() {
    let lab = Lab::empty();
    let reads: [(&str, &[&str]); 12] = [
        ("c500-gemm", &["list"]),
        ("c500-gemm", &["audit"]),
        ("c500-gemm", &["show", "torch-mm"]),
        ("c500-gemm", &["show", "direct-c-store"]),
        (
            "c500-gemm",
            &["compare", "direct-c-store", "b-prepack-interleave4"],
        ),
        (
            "c500-gemm",
            &[
                "compare",
                "--counters",
                "direct-c-store",
                "b-prepack-interleave4",
            ],
        ),
        (
            "c500-gemm",
            &[
                "diff",
                "direct-c-store",
                "b-prepack-interleave4",
                "--generated",
            ],
        ),
        ("c500-gemm", &["show", "torch"]),
        ("c500-mhc-post", &["audit"]),
        (
            "c500-mhc-post",
            &["compare", "--counters", "unoptimized", "optimized"],
        ),
        ("c500-mhc-post", &["compare", "torch-ref", "nobody"]),
        ("h800-matmul", &["audit"]),
    ];
    for (name, args) in reads {
        let done = lab.assay_in(&experiment(name), args);
        for command in COMMANDS {
            let given = done.out.contains(command) || done.err.contains(command);
            assert!(!given, "`{command}` of {args:?} in {name}: {done:#?}");
        }
    }
    // A baseline has published figures of its own.
    let shown = lab
        .assay_in(&experiment("c500-gemm"), &["show", "torch-mm"])
        .ok();
    assert!(shown.contains("torch-mm  [baseline]"), "{shown}");
    assert!(shown.contains("16.4741115570068 ms"), "{shown}");
    let side = ["compare", "--counters", "unoptimized", "optimized"];
    let side = lab.assay_in(&experiment("c500-mhc-post"), &side).ok();
    assert!(
        side.contains("3.70 us") && side.contains("3.50 us"),
        "{side}"
    );
}

#[test]
fn workloads_stand_in_the_order_of_the_campaign_file_everywhere() {
    let lab = Lab::empty();
    let at = experiment("c500-mhc-post");
    let view = |args: &[&str]| lab.assay_in(&at, &[&["--json"][..], args].concat()).json();
    let names = |of: &Value, key: &str| -> Vec<String> {
        let name = |v: &Value| v.get(key).unwrap_or(v).as_str().unwrap().to_owned();
        of.as_array().unwrap().iter().map(name).collect()
    };
    let list = view(&["list"]);
    let declared = names(&list["workloads"], "-");
    assert_eq!(
        declared[..4],
        ["small", "medium", "large", "v4-flash-decode-s"]
    );
    assert_eq!(declared[13..], ["expand2-c2048", "expand8-c1024"]);
    assert_eq!(names(&list["variants"][0]["published"], "-"), declared);
    let compare = view(&["compare", "unoptimized", "optimized"]);
    assert_eq!(names(&compare["workloads"], "name"), declared);
    assert_eq!(names(&compare["variants"][0]["published"], "-"), declared);
    let shown = view(&["show", "torch-ref"]);
    assert_eq!(names(&shown["published"], "workload"), declared);
    // In the text as well, and of what a rule says of each row.
    let text = lab.assay_in(&at, &["show", "torch-ref"]).ok();
    let places: Vec<usize> = (declared.iter())
        .map(|w| text.find(&format!("\n{w} ")).unwrap())
        .collect();
    assert!(places.is_sorted(), "{text}");
    let slips = lab
        .assay_in(&experiment("h800-matmul"), &["--json", "audit"])
        .json();
    let of = |f: &&Value| f["rule"] == "tflops-unit-slip";
    let subjects: Vec<&str> = (slips["findings"].as_array().unwrap().iter().filter(of))
        .map(|f| f["subject"].as_str().unwrap().rsplit(' ').next().unwrap())
        .collect();
    let ks = ["K256", "K512", "K1024", "K2048", "K4096", "K8192", "K16384"];
    assert_eq!(subjects, ks);
}

#[test]
fn nothing_is_cut_in_a_pipe_and_everything_fits_a_narrow_terminal() {
    let lab = Lab::empty();
    let at = experiment("c500-gemm");
    let whole = lab.assay_in(&at, &["list"]).ok();
    assert!(!whole.contains('…'), "{whole}");
    assert!(
        whole.contains("c-shared-swizzle256-panel4") && whole.contains("a workaround that works")
    );
    let pair = [
        "compare",
        "--counters",
        "b-prepack-interleave4",
        "panel2-512-threads",
    ];
    let text = lab.assay_in(&at, &pair).ok();
    for name in [
        "Average WG conflict cycles / instruction",
        "Shared memory access efficiency",
    ] {
        assert!(text.contains(name), "no `{name}` in {text}");
    }
    let narrow = |dir: &Path, args: &[&str]| {
        let mut command = lab.command(env!("CARGO_BIN_EXE_assay"), dir);
        let done = command.env("COLUMNS", "60").args(args).output().unwrap();
        String::from_utf8(done.stdout).unwrap()
    };
    let post = experiment("c500-mhc-post");
    for (dir, args) in [
        (&at, &pair[..]),
        (&at, &["audit"][..]),
        (&at, &["audit", "--lang", "zh"][..]),
        (&post, &["compare", "unoptimized", "optimized"][..]),
    ] {
        let text = narrow(dir, args);
        let lines = text
            .lines()
            .filter(|l| l.starts_with("  ") || l.contains("us  "));
        for line in lines {
            let wide = assay_core::text::width(line);
            // A record, a place or a formula is one word.
            let words = line.split_whitespace().count();
            assert!(wide <= 60 || words <= 2, "{wide}: {line}");
        }
    }
}
