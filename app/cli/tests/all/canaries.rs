//! Does the evaluator notice? Kernels that are broken or slowed on purpose, before the real stages.

use serde_json::Value;

use crate::support::Lab;

/// Declares canaries in the campaign file, each as `name`, `change` and `expect`.
fn declare(lab: &Lab, canaries: &[(&str, &str, &str)]) {
    let mut text = include_str!("standin/assay.toml").to_owned();
    for (name, change, expect) in canaries {
        text.push_str(&format!(
            "\n[[canary]]\nname = \"{name}\"\n{change}\nexpect = \"{expect}\"\n"
        ));
    }
    lab.write("assay.toml", &text);
}

/// An overlay of the stand-in's kernel file.
fn overlay(lab: &Lab, name: &str, changes: &[(&str, &str)]) -> String {
    let path = format!("harness/canaries/{name}");
    lab.write(&format!("{path}/kernel/k.txt"), &Lab::kernel(changes));
    format!("overlay = \"{path}\"")
}

fn pin(lab: &Lab) {
    lab.git(&["add", "-A"]);
    lab.git(&["commit", "-q", "-m", "canaries"]);
    lab.assay(&["init", "--why", "canaries"]).ok();
    lab.assay(&["trust", "--trust"]).ok();
}

/// A campaign with a broken and a slowed canary that the stand-in notices.
fn sound() -> Lab {
    let lab = Lab::committed();
    let wrong = overlay(&lab, "wrong", &[("error", "2")]);
    let slow = overlay(&lab, "slow", &[("cost", "110")]);
    declare(
        &lab,
        &[("wrong", &wrong, "correctness"), ("slow", &slow, "slower")],
    );
    pin(&lab);
    lab
}

fn outcomes(view: &Value) -> Vec<(String, String)> {
    let text = |v: &Value| v.as_str().unwrap().to_owned();
    let all = view["canaries"].as_array().unwrap();
    all.iter()
        .map(|c| (text(&c["name"]), text(&c["outcome"])))
        .collect()
}

/// All refs but the ledger's, with what they point to.
fn refs(lab: &Lab) -> String {
    let all = lab.git(&["for-each-ref"]);
    let kept = all.lines().filter(|l| !l.contains("assay/ledger"));
    kept.collect::<Vec<_>>().join("\n")
}

#[track_caller]
fn warnings(lab: &Lab, name: &str) -> String {
    let show = lab.assay(&["show", name, "--json"]);
    assert_eq!(show.code, 0, "{show:#?}");
    show.json()["verdict"]["warnings"].to_string()
}

#[test]
fn a_broken_and_a_slowed_kernel_are_noticed_recorded_and_shown() {
    let lab = sound();
    let before = lab.git(&["status", "--porcelain"]);
    // Nothing was tried yet: a verdict says so, before and after.
    lab.variant("quick", &[("cost", "80")]);
    lab.assay(&["run", "quick"]).ok();
    let doubt = "whether this evaluator notices a broken or slowed kernel is not known";
    assert!(warnings(&lab, "quick").contains(doubt));
    lab.assay(&["canary", "--history"]).fails(2, &[]);

    let branches = refs(&lab);
    let done = lab.assay(&["canary", "--json"]);
    assert_eq!(done.code, 0, "{done:#?}");
    let view = done.json();
    assert_eq!(view["schema"], "assay.canary/1");
    assert_eq!(view["ok"], true, "{view:#}");
    let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    assert_eq!(
        outcomes(&view),
        [pair("wrong", "noticed"), pair("slow", "noticed")]
    );
    let slow = &view["canaries"][1];
    assert_eq!(slow["subject"], "pinned-kernel");
    let ratio = slow["ratio"].as_f64().unwrap();
    assert!((1.05..1.08).contains(&ratio), "{view:#}");
    let wrong = view["canaries"][0]["found"].as_str().unwrap();
    assert!(wrong.contains("correctness in check"), "{wrong}");

    // It is evidence about the evaluator, and about nothing else.
    assert!(!warnings(&lab, "quick").contains(doubt));
    let names: Vec<Value> = (lab.list()["variants"].as_array().unwrap().iter())
        .map(|v| v["name"].clone())
        .collect();
    assert_eq!(names, ["quick"]);
    assert_eq!(lab.git(&["status", "--porcelain"]), before);
    assert_eq!(refs(&lab), branches);
    let log = lab.assay(&["log"]).ok();
    assert!(log.contains("canary wrong noticed by evaluator"), "{log}");
    let doctor = lab.assay(&["doctor"]).out;
    assert!(doctor.contains("2 of 2 noticed"), "{doctor}");
    let report = lab.assay(&["report"]).ok();
    assert!(report.contains("Does the evaluator notice?"), "{report}");
    let verified = lab.assay(&["verify"]).ok();
    assert!(verified.contains("2 verdicts"), "{verified}");

    // Another evaluator has to prove itself anew.
    lab.write("harness/note", "another evaluator\n");
    pin(&lab);
    lab.assay(&["run", "quick"]).ok();
    assert!(warnings(&lab, "quick").contains(doubt));
}

#[test]
fn an_evaluator_that_sees_nothing_is_told_of_beside_every_verdict() {
    let lab = Lab::committed();
    let wrong = overlay(&lab, "wrong", &[("error", "2")]);
    let slow = overlay(&lab, "slow", &[("cost", "110")]);
    declare(
        &lab,
        &[("wrong", &wrong, "correctness"), ("slow", &slow, "slower")],
    );
    // A check that finds everything right, and a clock that always says the same.
    let seeing = include_str!("standin/harness.awk");
    let line = |head: &str| seeing.lines().map(str::trim).find(|l| l.starts_with(head));
    let awk = seeing
        .replace(line("wrong = ").expect("the check compares"), "wrong = 0")
        .replace(line("ns = ").expect("the bench has a time"), "ns = 100000");
    lab.write("harness/harness.awk", &awk);
    pin(&lab);
    lab.variant("quick", &[("cost", "80")]);
    lab.assay(&["run", "quick"]).ok();
    let done = lab.assay(&["canary"]);
    assert_eq!(done.code, 1, "{done:#?}");
    assert!(done.out.contains("wrong  NOT NOTICED"), "{done:#?}");
    assert!(done.out.contains("DO NOT TRUST") || done.out.contains("do not trust"));
    let said = warnings(&lab, "quick");
    for name in ["wrong", "slow"] {
        let loud = format!("DO NOT TRUST THIS: the evaluator did not notice the canary {name}");
        assert!(said.contains(&loud), "{said}");
    }
    assert!(
        lab.assay(&["show", "quick"])
            .ok()
            .contains("DO NOT TRUST THIS")
    );
    let log = lab.assay(&["log"]).ok();
    assert!(log.contains("canary slow NOT NOTICED"), "{log}");
    let doctor = lab.assay(&["doctor"]).out;
    assert!(
        doctor.contains("NOT NOTICED by this evaluator: wrong, slow"),
        "{doctor}"
    );
    let report = lab.assay(&["report"]).ok();
    assert!(report.contains("NOT NOTICED"), "{report}");
    lab.verify();
}

#[test]
fn a_canary_that_fails_for_another_reason_proves_nothing() {
    let lab = Lab::committed();
    let typo = overlay(&lab, "typo", &[("bad", "compile")]);
    let crash = overlay(&lab, "crash", &[("bad", "check-exit139")]);
    let wrong = overlay(&lab, "wrong", &[("error", "2")]);
    let large = overlay(&lab, "large", &[("size", "500")]);
    let twin = overlay(&lab, "twin", &[("load", "50")]);
    declare(
        &lab,
        &[
            ("typo", &typo, "correctness"),
            ("crash", &crash, "correctness"),
            ("wrong", &wrong, "slower"),
            ("typo-2", &typo, "compile"),
            ("large", &large, "constraint"),
            ("twin", &twin, "constraint"),
        ],
    );
    pin(&lab);
    let done = lab.assay(&["canary", "--json"]);
    assert_eq!(done.code, 1, "{done:#?}");
    let view = done.json();
    let got: Vec<String> = outcomes(&view).into_iter().map(|(_, o)| o).collect();
    assert_eq!(
        got,
        [
            "unproven", "unproven", "unproven", "noticed", "noticed", "survived"
        ],
        "{view:#}"
    );
    let found = view["canaries"][0]["found"].as_str().unwrap();
    assert!(found.contains("it does not build"), "{found}");
    let found = view["canaries"][4]["found"].as_str().unwrap();
    assert!(found.contains("gate small-size"), "{found}");
    lab.assay(&["canary", "typo"]).fails(2, &["proves nothing"]);
    lab.assay(&["canary", "typo-2"]).ok();
}

#[test]
fn a_patch_is_applied_to_the_champion_and_one_that_does_not_fit_is_refused() {
    let lab = Lab::committed();
    lab.write(
        "harness/slow.patch",
        "--- a/kernel/k.txt\n+++ b/kernel/k.txt\n@@ -5,5 +5,5 @@\n # touch the others\n #\n-load = 50\n+load = 90\n #\n # lines between\n",
    );
    declare(
        &lab,
        &[("slow", "patch = \"harness/slow.patch\"", "slower")],
    );
    pin(&lab);
    lab.champion("base", &[("cost", "90")]);
    let done = lab.assay(&["canary", "--json"]);
    assert_eq!(done.code, 0, "{done:#?}");
    let view = done.json();
    assert_eq!(view["canaries"][0]["subject"], "base", "{view:#}");
    let ratio = view["canaries"][0]["ratio"].as_f64().unwrap();
    assert!((ratio - 180.0 / 140.0).abs() < 0.01, "{view:#}");
    assert_eq!(lab.row("base")["status"], "champion");

    lab.variant("other", &[("load", "40")]);
    lab.assay(&["canary", "--of", "other"]).fails(
        3,
        &[
            "canary `slow`: harness/slow.patch does not fit the kernel",
            "an overlay that wraps",
        ],
    );
}

#[test]
fn what_an_overlay_replaces_lies_beside_it() {
    let lab = Lab::committed();
    lab.write("harness/canaries/wrap/kernel/k.txt", "@SUBJECT\n");
    declare(
        &lab,
        &[("wrap", "overlay = \"harness/canaries/wrap\"", "slower")],
    );
    // A build that includes what was there, as a compiler would, and makes it slower.
    let build = include_str!("standin/build.sh").replace(
        "if grep -q '^bad = compile$'",
        "if grep -q @SUBJECT kernel/k.txt; then sed 's/^cost = .*/cost = 150/' kernel/k.txt.subject > \"$ASSAY_BUILD/k.bin\"; exit 0; fi\nif grep -q '^bad = compile$'",
    );
    lab.write("harness/build.sh", &build);
    pin(&lab);
    let done = lab.assay(&["canary", "--json"]);
    assert_eq!(done.code, 0, "{done:#?}");
    let ratio = done.json()["canaries"][0]["ratio"].as_f64().unwrap();
    assert!((ratio - 200.0 / 150.0).abs() < 0.01, "{ratio}");
}

#[test]
fn what_cannot_be_tried_is_refused() {
    let lab = Lab::new();
    lab.assay(&["canary"])
        .fails(3, &["campaign `lab` declares no canary", "[[canary]]"]);
    let lab = Lab::committed();
    lab.write("harness/canaries/out/README", "no kernel file\n");
    let wrong = overlay(&lab, "wrong", &[("error", "2")]);
    declare(
        &lab,
        &[
            ("out", "overlay = \"harness/canaries/out\"", "slower"),
            ("gone", "overlay = \"harness/canaries/gone\"", "slower"),
            ("wrong", &wrong, "correctness"),
        ],
    );
    pin(&lab);
    lab.assay(&["canary", "wrog"])
        .fails(3, &["did you mean `wrong`?"]);
    lab.assay(&["canary", "out"])
        .fails(3, &["it changes README, which is not among [kernel] paths"]);
    lab.assay(&["canary", "gone"]).fails(
        3,
        &["there is no harness/canaries/gone in the pinned evaluator"],
    );
    // A kernel that fails as it is proves nothing by failing when it is broken.
    lab.variant("bad", &[("error", "3")]);
    let before = lab.records().len();
    lab.assay(&["canary", "wrong", "--of", "bad"])
        .fails(3, &["`bad`, unchanged, does not pass itself"]);
    assert_eq!(lab.records().len(), before);
}
