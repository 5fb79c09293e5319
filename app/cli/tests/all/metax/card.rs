//! The card: what identifies it, what is measured on it, and when nothing is.

use super::*;

/// All stages but the profile.
const TIMED: [&str; 2] = ["--stages", "build,source,check,bench"];

fn run(lab: &Lab, name: &str) -> crate::support::Done {
    lab.assay(&["run", name, TIMED[0], TIMED[1]])
}

#[test]
fn a_card_its_libraries_and_its_compiler_are_in_the_fingerprint() {
    let lab = lab();
    variant(&lab, "quick", &[("cost = 100", "cost = 80")]);
    run(&lab, "quick").ok();
    let environment = &lab.records_of("run")[0]["body"]["environment"];
    assert_eq!(environment["device"], "MetaX C500");
    let stable = &environment["stable"];
    for (fact, value) in [
        ("gpu.model", "MetaX C500"),
        ("gpu.bus", "0000:01:00.0"),
        ("gpu.uuid", "GPU-11111111-2222-3333-4444-555555555555"),
        ("gpu.driver", "3.8.30"),
        ("gpu.maca", "3.7.1.5"),
        ("gpu.bios", "1.24.4.0"),
        ("gpu.memory", "65536 MiB"),
        ("gpu.isa", "METAX-MXC-MXMACA--XCORE1000"),
        ("tool.mx-smi", "2.2.4"),
        ("tool.mxcc", "mxcc version 1.0.0 (stand-in)"),
    ] {
        assert_eq!(stable[fact], value, "{fact} in {stable:#}");
    }
    assert_eq!(environment["volatile"]["gpu.state"], "Available");
    assert!(stable.get("gpu.sgpu").is_none(), "a whole card has no mark");
    // Clocks are told by no documented output: absent, and not zero.
    let samples = lab.samples_of(&lab.records_of("measurement")[0]);
    let read: Vec<&Value> = (samples.iter())
        .filter(|l| l["source"] == "mx-smi")
        .collect();
    assert_eq!(read.len(), 8, "before and after each of four processes");
    for c in read {
        assert_eq!(
            (&c["power_w"], &c["temperature_c"]),
            (&159.0.into(), &45.0.into())
        );
        assert_eq!(c["device"], "0000:01:00.0");
        assert!(c.get("sm_clock_mhz").is_none(), "{c:#}");
    }
    let row = lab.row("quick");
    assert_eq!(row["verdict"], "FASTER", "{row:#}");
    assert_eq!(lab.list()["device"], "MetaX C500");
    lab.verify();
}

#[test]
fn evidence_under_another_driver_is_of_another_device() {
    let lab = lab();
    variant(&lab, "one", &[("cost = 100", "cost = 80")]);
    run(&lab, "one").ok();
    faults(&lab, "hot=61");
    let again = run(&lab, "one").ok();
    assert!(again.contains("FASTER") || again.is_empty(), "{again}");
    assert_eq!(lab.records_of("run").len(), 1, "heat is no other device");
    faults(&lab, "driver=3.9.0");
    run(&lab, "one").ok();
    assert_eq!(lab.records_of("run").len(), 2);
}

#[test]
fn a_card_that_is_missing_wrong_or_sliced_is_refused_and_recorded() {
    let lab = lab();
    variant(&lab, "quick", &[("cost = 100", "cost = 80")]);
    for (words, says) in [
        ("no-card", "`mx-smi` lists none"),
        (
            "unaccessible",
            "Not Available(MetaX Sysfs File Unaccessible)",
        ),
        ("sliced", "a slice is not set against a whole card"),
    ] {
        faults(&lab, words);
        let said = run(&lab, "quick").fails(4, &[says]);
        let (kind, _, message) = failure(&lab);
        assert_eq!(kind, "infra", "{said}");
        assert!(message.contains(says), "{message}");
    }
    assert!(lab.records_of("check").is_empty(), "nothing was launched");
    faults(&lab, "");
    run(&lab, "quick").ok();
    let other = lab_with(&[("model = \"c500\"", "model = \"c550\"")]);
    variant(&other, "quick", &[("cost = 100", "cost = 80")]);
    run(&other, "quick").fails(4, &["wrong device", "MetaX C500"]);
    assert_eq!(failure(&other).0, "infra");
}

#[test]
fn a_driver_that_hangs_or_is_absent_is_refused_unless_the_campaign_allows_an_unknown_device() {
    let lab = lab();
    variant(&lab, "quick", &[("cost = 100", "cost = 80")]);
    for (words, says) in [
        ("no-driver", "the kernel driver is not loaded"),
        ("smi-hang", "did not answer within"),
    ] {
        faults(&lab, words);
        run(&lab, "quick").fails(4, &[says, "[target.local] unknown_device = true"]);
        let (kind, stage, _) = failure(&lab);
        assert_eq!((kind.as_str(), stage.as_str()), ("infra", "check"));
    }
    assert!(lab.records_of("check").is_empty(), "nothing was launched");
    let lab = lab_with(&[(
        "model = \"c500\"",
        "model = \"c500\"\nunknown_device = true",
    )]);
    variant(&lab, "quick", &[("cost = 100", "cost = 80")]);
    faults(&lab, "no-driver");
    run(&lab, "quick").ok();
    let environment = &lab.records_of("run")[0]["body"]["environment"];
    assert_eq!(environment["device"], "unknown metax device");
    let verdict = &lab.records_of("verdict")[0]["body"];
    let warnings: Vec<&str> = (verdict["warnings"].as_array().unwrap().iter())
        .filter_map(Value::as_str)
        .filter(|w| w.contains("which GPU measures is not known"))
        .collect();
    assert_eq!(warnings.len(), 1, "{verdict:#}");
}

#[test]
fn others_who_hold_memory_are_named_and_others_at_work_are_waited_for_in_vain() {
    let lab = lab();
    variant(&lab, "quick", &[("cost = 100", "cost = 80")]);
    faults(&lab, "others busy");
    run(&lab, "quick").fails(
        4,
        &[
            "in use by others",
            "python3 train.py",
            "MACA_VISIBLE_DEVICES",
        ],
    );
    assert_eq!(failure(&lab).0, "infra");
    assert!(lab.records_of("measurement").is_empty());
    faults(&lab, "others");
    run(&lab, "quick").ok();
    let show = lab.assay(&["show", "quick"]).ok();
    assert!(
        show.contains("other processes worked on the device"),
        "{show}"
    );
    assert!(show.contains("python3 train.py"), "{show}");
}

#[test]
fn a_whole_card_is_no_slice() {
    let lab = lab_with(&[SLICE]);
    variant(&lab, "quick", &[("cost = 100", "cost = 80")]);
    let args = ["run", "quick", "--target", "slice", TIMED[0], TIMED[1]];
    // A version that marks slices, and shows none.
    faults(&lab, "new");
    lab.assay(&args)
        .fails(4, &["shows the whole card", "remove `share`"]);
    assert_eq!(failure(&lab).0, "infra");
    assert!(lab.records_of("check").is_empty(), "nothing was launched");
    // One of which that is not documented: it is not called a slice, and no peer of one.
    faults(&lab, "");
    let said = lab.assay(&args);
    assert!(
        said.err.contains("whether this is one is not known"),
        "{said:#?}"
    );
    let runs = lab.records_of("run");
    let environment = &runs.last().unwrap()["body"]["environment"];
    assert_eq!(
        environment["device"],
        "MetaX C500 (said to be a slice of 25 %)"
    );
    assert_eq!(
        environment["stable"]["gpu.sgpu.share"],
        "25 % (not confirmed)"
    );
}

#[test]
fn a_card_that_goes_under_a_check_or_a_profile_is_no_failure_of_the_variant() {
    for (command, bad, stage) in [
        ("exec sh harness/harness.sh check", "check-exit139", "check"),
        ("exec sh harness/launch.sh", "profile-exit", "profile"),
    ] {
        let losing = format!("echo no-card > \\\"$HOME/standin\\\"; {command}");
        let lab = lab_with(&[(command, losing.as_str())]);
        faults(&lab, "");
        variant(&lab, "quick", &[("bad = none", &format!("bad = {bad}"))]);
        lab.assay(&["run", "quick", "--stages", "build,source,check,profile"])
            .fails(4, &["the device was lost", "`mx-smi` lists none"]);
        let (kind, at, message) = failure(&lab);
        assert_eq!((kind.as_str(), at.as_str()), ("infra", stage), "{message}");
        assert!(message.contains("says nothing of the variant"), "{message}");
    }
}

#[test]
fn clocks_that_nobody_tells_are_said_to_be_not_sampled() {
    let lab = lab();
    variant(&lab, "quick", &[("cost = 100", "cost = 80")]);
    run(&lab, "quick").ok();
    let conditions = &lab.records_of("measurement")[0]["body"]["conditions"];
    assert_eq!(
        conditions["process-01.clock"], "not sampled",
        "{conditions:#}"
    );
    let show = lab.assay(&["show", "quick"]).ok();
    assert!(show.contains("clocks were not sampled"), "{show}");
}

#[test]
fn a_slice_that_is_declared_is_measured_and_never_set_against_a_whole_card() {
    let lab = lab_with(&[SLICE]);
    variant(&lab, "quick", &[("cost = 100", "cost = 80")]);
    run(&lab, "quick").ok();
    // The same card, sliced.
    faults(&lab, "sliced");
    variant(&lab, "sliced", &[("cost = 100", "cost = 70")]);
    let args = ["run", "sliced", "--target", "slice", "--against", "ref"];
    lab.assay(&[&args[..], &TIMED].concat()).ok();
    let run = &lab.records_of("run")[1]["body"]["environment"];
    assert_eq!(run["device"], "MetaX C500 (slice of 25 %)");
    assert_eq!(run["stable"]["gpu.sgpu"], "sGPU-M");
    let compared = lab.assay(&["compare", "quick", "sliced"]);
    let said = format!("{}{}", compared.out, compared.err);
    assert!(said.contains("another device"), "{said}");
    assert!(said.contains("MetaX C500 (slice of 25 %)"), "{said}");
}
