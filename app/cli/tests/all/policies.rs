//! Rules other than the default: computed, named, verified.

use crate::support::Lab;

/// A campaign whose file says this policy.
fn lab(policy: &str) -> Lab {
    let lab = Lab::committed();
    let text = include_str!("standin/assay.toml");
    lab.write(
        "assay.toml",
        &text.replace("policy = \"assay\"", &format!("policy = \"{policy}\"")),
    );
    lab.git(&["commit", "-q", "-a", "-m", "policy"]);
    lab.assay(&["init"]).ok();
    lab.assay(&["trust", "--trust"]).ok();
    lab
}

#[test]
fn each_policy_judges_a_run_by_its_own_procedure_and_is_verified_by_it() {
    for (policy, procedure, small) in [
        ("median-lower", "median-lower/1", "FASTER"),
        ("threshold", "threshold/1", "NO_GAIN"),
        ("mann-whitney", "mann-whitney/1", "FASTER"),
    ] {
        let lab = lab(policy);
        lab.champion("base", &[("cost", "101")]);
        // 1.3 % less time: above what the noise is, and below the threshold.
        lab.variant("small", &[("cost", "99")]);
        lab.assay(&["run", "small"]).ok();
        let show = lab.assay(&["show", "small", "--json"]).json();
        let verdict = &show["verdict"];
        assert_eq!(verdict["policy"], policy);
        assert_eq!(verdict["procedure"], procedure);
        assert_eq!(verdict["verdict"], small, "{verdict:#}");
        assert_eq!(verdict["processes"], 4);
        let gain = verdict.get("gain").and_then(|g| g.as_f64());
        assert_eq!(gain, (policy == "threshold").then_some(0.03));
        let accept = lab.assay(&["accept", "small", "--reason", "x"]);
        assert_eq!(accept.code, i32::from(small != "FASTER"), "{accept:#?}");
        let text = lab.assay(&["show", "small"]).ok();
        let named = format!("procedure {procedure}, policy {policy}");
        assert!(text.contains(&named), "{text}");
        let report = lab.assay(&["report"]).ok();
        assert!(report.contains(policy), "{report}");
        lab.verify();
    }
}

#[test]
fn a_threshold_of_its_own_is_kept_with_the_verdict() {
    let lab = lab("threshold\"\nthreshold = \"1%");
    lab.champion("base", &[("cost", "101")]);
    lab.variant("small", &[("cost", "99")]);
    lab.assay(&["run", "small"]).ok();
    let show = lab.assay(&["show", "small"]).ok();
    assert!(show.contains("the threshold is 1 %"), "{show}");
    assert!(show.contains("policy threshold (1 %), delta 1 %"), "{show}");
    lab.verify();
}

#[test]
fn raw_samples_are_judged_by_any_policy() {
    let lab = Lab::empty();
    let mut lines = String::new();
    for process in 1..=4 {
        for leg in 0..4 {
            let (subject, ns) = if leg == 0 || leg == 3 {
                ("A-old", 1000 + process)
            } else {
                ("B-new", 980 + process)
            };
            lines.push_str(&format!(
                r#"{{"assay":1,"kind":"samples","workload":"w","subject":"{subject}","process":{process},"block":0,"leg":{leg},"unit":"ns","values":[{ns}],"timer":"t","tick":1,"cache":"hot"}}"#
            ));
            lines.push('\n');
        }
    }
    lab.write("s.jsonl", &lines);
    let judged = |more: &[&str]| {
        let args = ["verdict", "s.jsonl", "--a", "old", "--b", "new"];
        lab.assay(&[&args[..], more].concat())
    };
    let text = judged(&["--policy", "median-lower"]).ok();
    assert!(text.contains("FASTER: new against old"), "{text}");
    assert!(text.contains("policy median-lower, delta 1 %"), "{text}");
    let three = judged(&["--policy", "threshold"]);
    assert_eq!(three.code, 2, "{three:#?}");
    assert!(three.out.contains("policy threshold (3 %)"), "{three:#?}");
    judged(&["--policy", "threshold", "--threshold", "1%"]).ok();
    judged(&["--threshold", "1%"]).fails(3, &["policy `assay` has none"]);
    judged(&["--policy", "thresold"]).fails(3, &["did you mean `threshold`?"]);
}
