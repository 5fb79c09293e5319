//! What works without a campaign: a verdict on raw samples, the diff of two files, the demo's refusal.

use std::fs;

use crate::support::{Lab, write};

/// Samples of two subjects, `processes` times; `b` times what `a` takes, with this much noise.
fn samples(b: f64, noise: f64, processes: u32) -> String {
    let mut out = String::new();
    for process in 1..=processes {
        let swing = if process % 2 == 0 { 1.0 } else { -1.0 };
        for block in 0..2 {
            for (leg, subject) in ["A-old", "B-new", "B-new", "A-old"].iter().enumerate() {
                let ns = if subject.starts_with('B') {
                    1000.0 * b * (1.0 + noise * swing)
                } else {
                    1000.0
                };
                let ns = ns + f64::from(process) * 0.01 + leg as f64 * 0.001;
                out.push_str(&format!(
                    "{{\"assay\":1,\"kind\":\"samples\",\"workload\":\"w\",\"subject\":\"{subject}\",\"process\":{process},\
                     \"block\":{block},\"leg\":{leg},\"unit\":\"ns\",\"values\":[{ns}],\"launches\":10,\
                     \"timer\":\"clock_monotonic\",\"tick\":1,\"cache\":\"hot\"}}\n"
                ));
            }
        }
    }
    out
}

#[test]
fn each_verdict_has_its_exit_code() {
    let lab = Lab::empty();
    for (b, noise, processes, code, word) in [
        (0.8, 0.001, 4, 0, "FASTER"),
        (1.0, 0.001, 4, 0, "SAME"),
        (1.2, 0.001, 4, 1, "SLOWER"),
        (1.01, 0.02, 12, 2, "NO_GAIN"),
        (1.0, 0.2, 12, 2, "UNDECIDED"),
        (0.8, 0.001, 1, 2, "INVALID"),
    ] {
        let path = lab.root().join(format!("{word}.jsonl"));
        write(&path, &samples(b, noise, processes));
        let done = lab.assay(&[
            "verdict",
            path.to_str().unwrap(),
            "--a",
            "old",
            "--b",
            "new",
            "--json",
        ]);
        let view = done.json();
        assert_eq!(
            (done.code, view["verdict"].as_str()),
            (code, Some(word)),
            "{done:#?}"
        );
        assert_eq!(view["schema"], "assay.verdict/1");
        for key in [
            "policy",
            "procedure",
            "delta",
            "processes",
            "ratio",
            "interval",
            "reason",
            "next",
            "workloads",
        ] {
            assert!(view.get(key).is_some(), "{key}");
        }
        let text = lab.assay(&[
            "verdict",
            path.to_str().unwrap(),
            "--a",
            "A-old",
            "--b",
            "B-new",
        ]);
        assert!(
            text.out
                .starts_with(&format!("{word}: B-new against A-old\n")),
            "{text:#?}"
        );
    }
}

#[test]
fn bad_samples_are_told_by_line() {
    let lab = Lab::empty();
    let path = lab.root().join("s.jsonl");
    let name = path.to_str().unwrap();
    lab.assay(&["verdict", name, "--a", "old", "--b", "new"])
        .fails(3, &["s.jsonl", "No such file"]);
    fs::write(&path, [0xff, 0x00]).unwrap();
    lab.assay(&["verdict", name, "--a", "old", "--b", "new"])
        .fails(3, &["s.jsonl: not UTF-8"]);
    write(&path, &samples(0.8, 0.001, 4));
    lab.assay(&["verdict", name, "--a", "old", "--b", "nwe"])
        .fails(3, &["no samples of `nwe`", "A-old, B-new"]);
    lab.assay(&[
        "verdict", name, "--a", "old", "--b", "new", "--delta", "lots",
    ])
    .fails(3, &["--delta: "]);
    lab.assay(&["verdict", name, "--a", "old"])
        .fails(3, &["--b"]);
    let first = samples(0.8, 0.001, 4)
        .lines()
        .next()
        .unwrap()
        .replace("\"values\":[1000.01]", "\"values\":[-1]");
    write(
        &path,
        &format!("garbage\n{}{first}\n", samples(0.8, 0.001, 4)),
    );
    let done = lab.assay(&["verdict", name, "--a", "old", "--b", "new"]);
    assert!(done.out.contains("s.jsonl: line 1: "), "{done:#?}");
    assert!(
        done.code == 2 && done.out.starts_with("INVALID"),
        "{done:#?}"
    );
    write(&path, "");
    lab.assay(&["verdict", name, "--a", "old", "--b", "new"])
        .fails(3, &["no samples of `old`"]);
}

#[test]
fn two_files_are_compared_without_a_campaign() {
    let lab = Lab::empty();
    lab.write("a.c", "int f(void)\n{\n    return 1;\n}\n");
    lab.write("b.c", "int f(void)\n{\n    return 2;\n}\n");
    let text = lab.assay(&["diff", "--files", "a.c", "b.c"]).ok();
    assert!(
        text.contains("-    return 1;\n") && text.contains("+    return 2;\n"),
        "{text}"
    );
    let side = lab
        .assay(&["diff", "--files", "a.c", "b.c", "--side-by-side"])
        .ok();
    assert!(
        side.lines()
            .any(|l| l.contains("return 1;") && l.contains("return 2;")),
        "{side}"
    );
    let view = lab
        .assay(&["diff", "--files", "a.c", "b.c", "--json"])
        .json();
    assert_eq!(view["schema"], "assay.diff/1");
    assert!(
        lab.assay(&["diff", "--files", "a.c", "a.c"])
            .ok()
            .contains("no difference in the text")
    );
    lab.assay(&["diff", "--files", "a.c", "none.c"])
        .fails(3, &["none.c", "No such file"]);
    lab.assay(&["diff", "--files", "a.c"])
        .fails(3, &["--files"]);
    lab.assay(&["diff"])
        .fails(3, &["diff of what?", "--files F1 F2"]);
    fs::write(lab.repo().join("bin"), [0, 159, 146, 150]).unwrap();
    lab.assay(&["diff", "--files", "a.c", "bin"]).ok();
}

#[test]
fn the_demo_never_takes_over_a_folder_of_something_else() {
    let lab = Lab::committed();
    lab.assay(&["demo", ".", "--no-tui"]).fails(
        3,
        &["holds the campaign `lab`, not the demo", "assay demo DIR"],
    );
    let home = lab.home();
    write(&home.join("precious.txt"), "mine");
    lab.assay(&["demo", home.to_str().unwrap()])
        .fails(3, &["is neither empty nor a demo", "name another folder"]);
    lab.assay(&["demo", lab.repo().join("assay.toml").to_str().unwrap()])
        .fails(3, &["assay.toml is a file", "name another folder"]);
    assert_eq!(
        fs::read_to_string(home.join("precious.txt")).unwrap(),
        "mine"
    );
    assert!(!home.join("assay.toml").exists());
    assert_eq!(lab.git(&["status", "--porcelain"]), "");
}
