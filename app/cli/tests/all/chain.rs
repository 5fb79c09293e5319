//! Whether the chain of accepted steps holds: the champion against the first baseline, measured at once.

use crate::support::Lab;

/// Five accepted steps from the baseline `ref` (250 us) on; the last is `s5`.
///
/// `boast` is by how many percent each of them looks better beside the one before than it is.
fn five(boast: &str) -> Lab {
    let lab = Lab::new();
    for (i, cost) in ["100", "90", "80", "72", "65"].iter().enumerate() {
        let name = format!("s{}", i + 1);
        lab.champion(&name, &[("cost", cost), ("boast", boast)]);
    }
    lab
}

#[test]
fn after_five_steps_the_next_run_measures_the_chain_first() {
    let lab = five("0");
    let list = lab.list();
    assert_eq!(list["chain"]["from"], "ref");
    assert_eq!(
        (
            list["chain"]["steps"].as_u64(),
            list["chain"]["since"].as_u64()
        ),
        (Some(5), Some(5))
    );
    let due = "5 steps were accepted since the chain was last measured end to end: the next `assay run` first measures s5 against ref";
    for view in [&["list"][..], &["show", "s5"]] {
        let text = lab.assay(view).ok();
        assert!(text.contains(due), "{view:?}: {text}");
    }
    let report = lab.assay(&["report"]).ok();
    assert!(
        report.contains("the next assay run first measures s5 against ref"),
        "{report}"
    );
    let before = lab.row("s5");
    lab.variant("next", &[("cost", "64")]);
    let skipped = lab.assay(&["run", "next", "--no-chain"]);
    assert!(
        skipped.err.contains("left out as asked (--no-chain)"),
        "{skipped:#?}"
    );
    assert!(lab.list()["chain"]["latest"].is_null());

    let run = lab.assay(&["run", "next", "--again"]);
    assert!(
        run.err.contains("first s5 is measured against ref"),
        "{run:#?}"
    );
    assert!(run.err.contains("4 to 12 fresh processes"), "{run:#?}");
    assert!(
        run.err.contains("agree with what was measured end to end"),
        "{run:#?}"
    );
    let list = lab.list();
    let latest = &list["chain"]["latest"];
    assert_eq!(
        (&latest["to"], &latest["overstated"]),
        (&"s5".into(), &false.into())
    );
    // 115 of 250 us.
    let ratio = latest["ratio"].as_f64().unwrap();
    assert!((ratio - 0.46).abs() < 0.005, "{latest:#}");
    assert_eq!(list["chain"]["since"], 0);
    let said = "s5 against ref, measured end to end in 4 processes: 0.4";
    for view in [&["list"][..], &["show", "s5"], &["report"]] {
        let text = lab.assay(view).ok();
        assert!(
            text.contains(said) && !text.contains(due),
            "{view:?}: {text}"
        );
    }
    // The champion keeps its own verdict.
    let after = lab.row("s5");
    for key in ["against", "ratio", "verdict", "status"] {
        assert_eq!(before[key], after[key]);
    }
    assert_eq!(after["against"], "s4");
    let again = lab.assay(&["run", "next", "--again"]);
    assert!(!again.err.contains("chain:"), "it is not due: {again:#?}");
    let verified = lab.assay(&["verify"]).ok();
    assert!(verified.contains("1 chain"), "{verified}");
    lab.verify();
    // One step later the figure is of an earlier champion.
    lab.champion("s6", &[("cost", "50")]);
    let text = lab.assay(&["list"]).ok();
    assert!(text.contains("; one step was accepted since"), "{text}");
}

#[test]
fn steps_that_promise_too_much_are_said_to() {
    let lab = five("4");
    let by_hand = lab.assay(&["run", "s5", "--against", "ref", "--again"]);
    assert_eq!(by_hand.code, 0, "{by_hand:#?}");
    assert!(
        !by_hand.err.contains("first s5 is measured"),
        "once is enough: {by_hand:#?}"
    );
    assert!(
        by_hand.err.contains("chain: the accepted steps promise"),
        "{by_hand:#?}"
    );
    let list = lab.list();
    assert_eq!(list["chain"]["since"], 0);
    let latest = &list["chain"]["latest"];
    assert_eq!(latest["overstated"], true, "{latest:#}");
    assert!(
        latest["promised"].as_f64().unwrap() < 0.42 && latest["ratio"].as_f64().unwrap() > 0.45
    );
    for view in [&["list"][..], &["show", "s5"], &["report"]] {
        let text = lab.assay(view).ok();
        assert!(
            text.contains("overstate what was measured end to end"),
            "{view:?}: {text}"
        );
    }
    let row = lab.row("s5");
    assert_eq!(
        row["against"], "s4",
        "a verdict against a baseline stands behind"
    );
    lab.verify();
}
