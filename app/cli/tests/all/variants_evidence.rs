//! Variants: what is evidence of them, and of which content.

use crate::support::{Lab, write};

#[test]
fn evidence_is_kept_by_content_and_not_made_twice() {
    let lab = Lab::new();
    lab.variant("one", &[("cost", "80")]);
    lab.assay(&["run", "one"]).ok();
    lab.ran();
    let before = lab.records();
    let again = lab.assay(&["run", "one"]).ok();
    assert!(
        again.contains("evidence that was there; --again does it anew"),
        "{again}"
    );
    assert!(lab.ran().is_empty());
    assert_eq!(lab.records(), before);
    lab.assay(&["run", "one", "--again"]).ok();
    assert!(lab.records().len() > before.len());
}

#[test]
fn the_file_of_flags_beside_the_campaign_file_is_part_of_a_variant() {
    let lab = Lab::new();
    lab.variant("flags", &[("cost", "80")]);
    lab.assay(&["run", "flags"]).ok();
    let tree = lab.edit("flags");
    write(&tree.join("variant.toml"), "[build]\nflags = \"-O3\"\n");
    lab.assay(&["run", "flags"])
        .fails(3, &["holds edits that are not committed: variant.toml"]);
    lab.assay(&["commit", "flags"]).ok();
    assert_eq!(
        lab.git(&["show", "assay/lab/flags:variant.toml"]),
        "[build]\nflags = \"-O3\"\n"
    );
    assert_eq!(
        lab.assay(&["show", "flags", "--json"]).json()["stale"],
        true
    );
    assert!(
        !lab.assay(&["run", "flags"])
            .ok()
            .contains("evidence that was there")
    );
    assert_eq!(
        lab.assay(&["show", "flags", "--json"]).json()["stale"],
        false
    );
    lab.assay(&["accept", "flags", "--reason", "x"]).ok();
    lab.variant("plain", &[("cost", "70")]);
    write(
        &lab.edit("plain").join("variant.toml"),
        "[build]\nflgas = \"-O2\"\n",
    );
    lab.assay(&["commit", "plain"]).ok();
    assert!(lab.assay(&["diff", "plain"]).ok().contains("+flgas"));
    lab.assay(&["run", "plain"])
        .fails(3, &["variant.toml:2:1", "flgas", "flags"]);
}

#[test]
fn many_programs_may_write_at_the_same_time() {
    let lab = Lab::new();
    let names: Vec<String> = (0..6).map(|i| format!("v{i}")).collect();
    let made: Vec<_> = names
        .iter()
        .map(|n| lab.start(&["new", n, "--why", "x"]))
        .collect();
    for mut child in made {
        assert!(child.wait().unwrap().success());
    }
    let parked: Vec<_> = names
        .iter()
        .map(|n| lab.start(&["park", n, "--reason", "later"]))
        .collect();
    for mut child in parked {
        assert!(child.wait().unwrap().success());
    }
    for name in &names {
        assert_eq!(lab.row(name)["status"], "parked");
    }
    assert_eq!(lab.records().len(), 1 + 2 * names.len());
    lab.verify();
}

#[test]
fn edits_outside_the_kernel_are_told_and_an_acceptance_waits_for_a_commit() {
    let lab = Lab::new();
    lab.assay(&["new", "one", "--why", "x"]).ok();
    let tree = lab.edit("one");
    write(&tree.join("harness/run.sh"), "exit 0\n");
    write(&tree.join("notes.txt"), "mine\n");
    let told = [
        "harness/run.sh was left uncommitted: it belongs to the evaluator",
        "notes.txt was left uncommitted: it is outside the kernel's paths (kernel",
    ];
    let said = lab
        .assay(&["commit", "one"])
        .fails(3, &["nothing to commit"]);
    assert!(told.iter().all(|t| said.contains(t)), "{said}");
    write(&tree.join("kernel/k.txt"), &Lab::kernel(&[("cost", "80")]));
    let done = lab.assay(&["commit", "one"]);
    assert!(told.iter().all(|t| done.err.contains(t)), "{done:#?}");
    assert!(done.ok().starts_with("committed "));
    lab.assay(&["run", "one"]).ok();

    write(&tree.join("kernel/k.txt"), &Lab::kernel(&[("cost", "70")]));
    lab.assay(&["accept", "one", "--reason", "x"]).fails(
        3,
        &[
            "edits that are not committed: kernel/k.txt",
            "assay commit one",
        ],
    );
    lab.assay(&["reject", "one", "--reason", "x"]).ok();
}

#[test]
fn a_baseline_is_compared_and_is_no_variant() {
    let lab = Lab::new();
    lab.variant("one", &[("cost", "80")]);
    lab.assay(&["compare", "ref", "one"])
        .fails(3, &["nothing was measured against the baseline `ref`"]);
    lab.assay(&["run", "one", "--against", "ref"]).ok();
    let view = lab.assay(&["compare", "ref", "one", "--json"]).json();
    assert_eq!(view["variants"][0]["status"], "baseline");
    assert_eq!(view["verdict"]["a"], "ref");
    for verb in ["edit", "commit", "run"] {
        lab.assay(&[verb, "ref"]).fails(
            3,
            &[
                "`ref` is a baseline",
                "assay show ref",
                "assay compare ref NAME",
                "assay run NAME --against ref",
            ],
        );
    }
    let shown = lab.assay(&["show", "ref"]).ok();
    assert!(shown.starts_with("ref  [baseline]"), "{shown}");
    assert!(shown.contains("measured against ref"), "{shown}");
    assert!(!shown.contains("branch  "), "{shown}");
}

#[test]
fn evidence_of_earlier_content_is_marked_wherever_a_row_is_shown() {
    let lab = Lab::new();
    lab.champion("base", &[("cost", "80")]);
    lab.variant("one", &[("cost", "70")]);
    lab.assay(&["new", "idea", "--why", "nothing was run of it"])
        .ok();
    let stale = |name: &str| {
        let row = lab.row(name)["stale"].clone();
        let shown = lab.assay(&["show", name, "--json"]).json();
        assert_eq!(shown["variant"]["stale"], row, "{name}");
        row
    };
    lab.assay(&["run", "one"]).ok();
    lab.change("idea", &[("cost", "75")]);
    for name in ["base", "one", "idea"] {
        assert_eq!(stale(name), false, "{name}");
    }
    assert!(!lab.assay(&["list"]).ok().contains("stale"));
    lab.change("one", &[("cost", "60")]);
    assert_eq!(stale("one"), true);
    assert_eq!(stale("base"), false);
    let view = lab.assay(&["compare", "base", "one", "--json"]).json();
    assert_eq!(view["variants"][1]["stale"], true);
    assert!(lab.assay(&["list"]).ok().contains("FASTER, stale"));
}
