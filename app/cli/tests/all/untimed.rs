//! Steps that are not timed: declared, measured by the harness, and printed beside the claim.

use crate::support::Lab;

/// The campaign with declared steps and a harness that reports those given, in milliseconds.
fn lab(declared: &[(&str, &str)], reported: &[(&str, &str)]) -> Lab {
    let lab = Lab::committed();
    let mut text = include_str!("standin/assay.toml").to_owned();
    for (name, why) in declared {
        text.push_str(&format!(
            "\n[[untimed]]\nname = \"{name}\"\nwhy = \"{why}\"\n"
        ));
    }
    lab.write("assay.toml", &text);
    let answers: String = (reported.iter())
        .map(|(name, ms)| {
            format!(
                "    answer(\"\\\"kind\\\":\\\"resource\\\",\\\"name\\\":\\\"untimed.{name}_ms\\\",\\\"value\\\":{ms},\\\"unit\\\":\\\"ms\\\"\")\n"
            )
        })
        .collect();
    let awk = include_str!("standin/harness.awk");
    let at = "function check(    w, wrong) {\n";
    assert!(awk.contains(at));
    lab.write(
        "harness/harness.awk",
        &awk.replace(at, &format!("{at}{answers}")),
    );
    lab.git(&["add", "-A"]);
    lab.git(&["commit", "-q", "-m", "untimed steps"]);
    lab.assay(&["init"]).ok();
    lab.assay(&["trust", "--trust"]).ok();
    lab
}

#[test]
fn a_declared_step_is_printed_beside_the_claim() {
    let lab = lab(
        &[("pack-b", "once a model")],
        &[("pack-b", "0.9"), ("pack-b", "1.25")],
    );
    lab.champion("base", &[("cost", "90")]);
    lab.champion("quick", &[("cost", "80")]);
    let show = lab.assay(&["show", "quick"]).ok();
    assert!(
        show.contains("pack-b, 1.250 ms once (once a model)"),
        "{show}"
    );
    assert!(!show.contains("is not timed, and"), "{show}");
    let view = lab.assay(&["show", "quick", "--json"]).json();
    assert_eq!(view["untimed"][0]["cost_ns"], 1.25e6, "{view:#}");
    let report = lab.assay(&["report"]).ok();
    assert!(
        report.contains("Not in the timed region: pack-b, 1.250 ms once (once a model)"),
        "{report}"
    );
    lab.verify();
}

#[test]
fn a_step_that_is_not_declared_or_not_measured_is_warned_of() {
    let lab = lab(&[("tune", "once a machine")], &[("graph", "3")]);
    lab.variant("quick", &[("cost", "80")]);
    let run = lab.assay(&["run", "quick"]);
    assert_eq!(run.code, 0, "{run:#?}");
    let show = lab.assay(&["show", "quick"]).ok();
    for says in [
        "left out of the times that the campaign file does not declare: graph",
        "the step tune is not timed, and the harness did not report what it costs",
    ] {
        assert!(run.err.contains(says), "{run:#?}");
        assert!(show.contains(says), "{show}");
    }
    assert!(
        show.contains("graph, 3.000 ms once (NOT DECLARED)"),
        "{show}"
    );
    assert!(
        show.contains("tune, cost not measured (once a machine)"),
        "{show}"
    );
}
