//! The noise of the machine: measured, kept, shown, used, verified.

use crate::support::Lab;

/// The warning of a run on a machine whose noise is not known.
const NONE: &str = "no A/A calibration of this machine";

#[test]
fn without_a_calibration_a_verdict_says_so() {
    let lab = Lab::new();
    lab.variant("one", &[("cost", "80")]);
    lab.assay(&["run", "one"]).ok();
    assert!(lab.assay(&["show", "one"]).ok().contains(NONE));
    let none = lab.assay(&["calibrate", "--history"]).ok();
    assert!(none.contains("no calibration of this device yet"), "{none}");
}

#[test]
fn a_calibration_is_kept_shown_used_and_verified() {
    let lab = Lab::new();
    // Without a champion the first baseline is measured against itself.
    let text = lab.assay(&["calibrate", "--noise"]).ok();
    assert!(
        text.contains("noise: ref against itself in 8 processes"),
        "{text}"
    );
    lab.champion("base", &[("cost", "100"), ("load", "51")]);
    let done = lab.assay(&["calibrate", "--noise", "--processes", "6", "--json"]);
    assert_eq!(done.code, 0, "{done:#?}");
    let view = done.json();
    assert_eq!(view["schema"], "assay.calibrate/1");
    assert_eq!(view["noise"]["subject"], "base");
    assert_eq!(view["noise"]["processes"], 6);
    assert_eq!(view["noise"]["timer"], "stand-in");
    assert_eq!(
        view["noise"]["smallest_effects"].as_array().unwrap().len(),
        3
    );
    assert!(view["peaks"].as_array().unwrap().is_empty());
    let floor = view["noise"]["floor"].as_f64().unwrap();
    assert!(floor > 0.0 && floor < 0.01, "{view:#}");
    let rate = |policy: &str| {
        let all = view["noise"]["false_accepts"].as_array().unwrap();
        let one = all.iter().find(|f| f["policy"] == policy).unwrap();
        one["rate"].as_f64().unwrap()
    };
    assert_eq!(rate("assay"), 0.0);
    assert!(rate("median-lower") > 0.3, "{view:#}");
    let subjects: Vec<&str> = (view["history"].as_array().unwrap().iter())
        .map(|n| n["subject"].as_str().unwrap())
        .collect();
    assert_eq!(subjects, ["base", "ref"]);

    let log = lab.assay(&["log"]).ok();
    assert!(
        log.contains("measured against itself in 6 processes"),
        "{log}"
    );
    let history = lab.assay(&["calibrate", "--history"]).ok();
    assert!(history.contains("effect at 12"), "{history}");

    lab.variant("quick", &[("cost", "80")]);
    let run = lab.assay(&["run", "quick"]);
    assert!(!run.err.contains("warning"), "{run:#?}");
    let show = lab.assay(&["show", "quick"]).ok();
    assert!(
        show.contains("policy assay accepts 0.00 % (0.00 % to 0.38 %) of changes that do nothing on this machine: 1000 campaigns drawn from 6 A/A processes"),
        "{show}"
    );
    let verified = lab.assay(&["verify"]).ok();
    assert!(
        verified.contains("and 2 calibrations computed again"),
        "{verified}"
    );
    // Only a calibration speaks of itself as its own opponent: the champion is as it was.
    assert_eq!(lab.row("base")["status"], "champion");
}

#[test]
fn a_floor_above_delta_is_warned_of_before_time_is_spent() {
    let lab = Lab::new();
    lab.champion("base", &[("cost", "100"), ("drift", "8")]);
    let text = lab.assay(&["calibrate", "--noise"]).ok();
    assert!(text.contains("TOO COARSE for the campaign"), "{text}");
    lab.variant("quick", &[("cost", "50")]);
    let run = lab.assay(&["run", "quick"]);
    assert_eq!(run.code, 0, "{run:#?}");
    let says = "this machine is too noisy for delta 1 %";
    assert!(run.err.contains(says), "{run:#?}");
    assert!(lab.assay(&["show", "quick"]).ok().contains(says));
    lab.verify();
}

#[test]
fn what_cannot_be_calibrated_is_refused() {
    let lab = Lab::new();
    lab.variant("idle", &[("cost", "80")]);
    lab.assay(&["calibrate", "--noise", "idle"]).fails(
        3,
        &["was not checked", "assay run idle --stages build,check"],
    );
    lab.assay(&["calibrate", "--noise", "idel"])
        .fails(3, &["did you mean `idle`?"]);
    lab.assay(&["calibrate", "--noise", "--processes", "3"])
        .fails(3, &["3 is not in 4..=1000"]);
    lab.variant("mute", &[("bad", "bench-silent")]);
    lab.assay(&["run", "mute", "--stages", "build,check"]).ok();
    let before = lab.records().len();
    lab.assay(&["calibrate", "--noise", "mute"])
        .fails(4, &["calibration: "]);
    assert_eq!(lab.records().len(), before);
    let empty = Lab::empty();
    assert_eq!(empty.assay(&["calibrate", "--noise"]).code, 3);
}

#[test]
fn a_pair_that_disturbs_is_found_and_warned_of() {
    let lab = Lab::new();
    lab.champion("base", &[("cost", "100"), ("disturb", "3")]);
    let done = lab.assay(&["calibrate", "--noise", "--isolation", "--json"]);
    assert_eq!(done.code, 0, "{done:#?}");
    let isolation = &done.json()["noise"]["isolation"];
    assert_eq!(isolation["disturbed"], true, "{isolation:#}");
    assert_eq!(isolation["processes"], serde_json::json!([8, 8]));
    assert!((isolation["ratio"].as_f64().unwrap() - 1.03).abs() < 0.002);
    let history = lab.assay(&["calibrate", "--history"]).ok();
    assert!(
        history.contains("a pair DISTURBS") && history.contains("pair/alone"),
        "{history}"
    );
    lab.variant("quick", &[("cost", "80"), ("disturb", "3")]);
    let run = lab.assay(&["run", "quick"]);
    let says = "measuring two at once disturbs in mode `pair`: base takes 1.030 times as long in a pair as alone";
    assert!(run.err.contains(says), "{run:#?}");
    let show = lab.assay(&["show", "quick"]).ok();
    assert!(
        show.contains(says) && show.contains("mode `resident` or `invocation` in [bench]"),
        "{show}"
    );
    let report = lab.assay(&["report"]).ok();
    assert!(report.contains("a pair disturbs"), "{report}");
    lab.verify();
    // A newer calibration that does not look at it leaves the finding in force.
    lab.assay(&["calibrate", "--noise"]).ok();
    let again = lab.assay(&["run", "quick", "--again"]);
    assert!(again.err.contains(says), "{again:#?}");
}

#[test]
fn a_pair_that_is_not_shown_to_disturb_is_said_so() {
    let lab = Lab::new();
    lab.champion("base", &[("cost", "100"), ("load", "51")]);
    let text = lab.assay(&["calibrate", "--isolation", "--noise"]).ok();
    let settled = "a pair does not disturb by more than 1 %";
    let open = "not settled whether a pair disturbs by more than 1 %: it could be up to";
    assert!(text.contains(settled) || text.contains(open), "{text}");
    lab.variant("quick", &[("cost", "80")]);
    let run = lab.assay(&["run", "quick"]);
    assert!(!run.err.contains("warning"), "{run:#?}");
    lab.verify();
}

/// What a forger may lay where samples are asked for.
const OTHER: &str = "other samples";

/// Writes an edited copy of the newest calibration under an id of its own, with a hash that fits: what a forger would do.
fn forge(lab: &Lab, edit: impl Fn(&mut assay_core::record::Calibration)) -> String {
    use assay_core::record::{Body, Record};
    let repo = assay_ledger::Repo::open(lab.repo()).unwrap();
    let ledger = assay_ledger::Ledger::git(&repo).unwrap();
    let all = ledger.read_all().unwrap();
    let mut found = all
        .iter()
        .rev()
        .filter_map(|r| Record::from_bytes(&r.bytes).ok());
    let old = found
        .find(|r| matches!(r.body, Body::Calibration(_)))
        .unwrap();
    let Body::Calibration(mut c) = old.body else {
        unreachable!()
    };
    edit(&mut c);
    let forged = Record::new(assay_core::Timestamp::now(), old.by, old.campaign, c.into());
    let samples = assay_ledger::Blob::new("samples.jsonl", OTHER.as_bytes().to_vec());
    ledger
        .append(std::slice::from_ref(&forged), &[samples])
        .unwrap();
    forged.id.to_string()
}

#[test]
fn a_forged_calibration_is_not_used_and_verify_names_it() {
    let lab = Lab::new();
    lab.champion("base", &[("cost", "100"), ("drift", "8")]);
    lab.assay(&["calibrate", "--noise"]).ok();
    let quiet = forge(&lab, |c| {
        c.noise.floor = 0.0001;
        c.noise.sd = 0.0001;
    });
    let rare = forge(&lab, |c| {
        for f in &mut c.noise.false_accepts {
            (f.accepted, f.rate) = (0, 0.0);
        }
    });
    lab.variant("quick", &[("cost", "50")]);
    let run = lab.assay(&["run", "quick"]);
    assert_eq!(run.code, 0, "{run:#?}");
    let show = lab.assay(&["show", "quick"]).ok();
    for id in [&quiet, &rare] {
        let says = format!("the A/A calibration {id} does not come out of its samples again");
        assert!(run.err.contains(&says), "{run:#?}");
        assert!(show.contains(&says), "{show}");
    }
    // The sound one is older and in force.
    assert!(
        show.contains("this machine is too noisy for delta 1 %"),
        "{show}"
    );
    let verified = lab.assay(&["verify", "--json"]);
    assert_ne!(verified.code, 0, "{verified:#?}");
    let named = verified.json()["disagreements"].to_string();
    assert!(named.contains(&quiet) && named.contains(&rare), "{named}");
}

#[test]
fn a_calibration_without_its_samples_is_not_used() {
    let lab = Lab::new();
    lab.champion("base", &[("cost", "90")]);
    lab.assay(&["calibrate", "--noise"]).ok();
    let id = forge(&lab, |c| {
        c.samples.sha256 = assay_core::Sha256::of(OTHER);
        c.samples.bytes = OTHER.len() as u64;
    });
    lab.variant("quick", &[("cost", "50")]);
    let run = lab.assay(&["run", "quick"]);
    assert!(
        run.err
            .contains(&format!("calibration {id} does not come out")),
        "{run:#?}"
    );
    let verified = lab.assay(&["verify", "--json"]);
    assert!(verified.out.contains(&id), "{verified:#?}");
}
