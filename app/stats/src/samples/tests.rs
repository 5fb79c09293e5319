//! Lines and legs that are accepted, and those that are not.

use super::*;

const GOOD: &str = r#"{"assay":1,"nonce":"ab","kind":"samples","workload":"w","subject":"A","process":1,"block":0,"leg":3,"unit":"us","values":[1.5,2],"launches":4,"timer":"clock_monotonic","tick":1,"cache":"hot"}"#;

fn problem(line: &str) -> String {
    let (samples, problems) = Samples::parse_jsonl(line);
    assert!(samples.is_empty(), "{line}");
    assert_eq!(problems.len(), 1, "{line}");
    problems[0].to_string()
}

#[test]
fn a_sound_line_becomes_a_leg_in_nanoseconds() {
    let (samples, problems) = Samples::parse_jsonl(GOOD);
    assert_eq!(problems, []);
    let leg = &samples.legs()[0];
    assert_eq!(leg.values_ns, [1500.0, 2000.0]);
    assert_eq!(leg.tick_ns, Some(1.0));
    assert_eq!((leg.process, leg.block, leg.leg), (1, 0, 3));
    assert_eq!(
        (leg.timer.as_str(), leg.cache.as_str()),
        ("clock_monotonic", "hot")
    );
    assert_eq!(
        (samples.subjects(), samples.workloads()),
        (vec!["A"], vec!["w"])
    );
    assert_eq!((samples.processes(), samples.values()), (vec![1], 2));
}

#[test]
fn other_kinds_and_blank_lines_are_skipped() {
    let text =
        format!("\n  \r\n{{\"kind\":\"note\",\"text\":\"x\"}}\n{GOOD}\n{{\"kind\":\"done\"}}");
    let (samples, problems) = Samples::parse_jsonl(&text);
    assert_eq!((samples.legs().len(), problems.len()), (1, 0));
}

#[test]
fn bad_values_and_fields_are_problems_with_a_line_number() {
    for (from, to, want) in [
        ("[1.5,2]", "[1.5,0]", "not above zero"),
        ("[1.5,2]", "[-1]", "not above zero"),
        ("[1.5,2]", "[NaN]", "not JSON"),
        ("[1.5,2]", "[Infinity]", "not JSON"),
        ("[1.5,2]", "[1e999]", "not JSON"),
        ("[1.5,2]", "[1e300]", "eleven days"),
        ("[1.5,2]", "[1e-300]", "thousandth"),
        ("[1.5,2]", "[null]", "value 1 is not a number"),
        ("[1.5,2]", "[\"1\"]", "value 1 is not a number"),
        ("[1.5,2]", "[]", "empty"),
        ("[1.5,2]", "3", "not a list"),
        ("\"us\"", "\"min\"", "unit \"min\""),
        ("\"unit\":\"us\",", "", "\"unit\" is missing"),
        ("\"process\":1,", "", "\"process\" is missing"),
        ("\"process\":1,", "\"process\":-1,", "whole number"),
        ("\"block\":0,", "\"block\":0.5,", "whole number"),
        ("\"leg\":3,", "\"leg\":4294967296,", "whole number"),
        (
            "\"workload\":\"w\"",
            "\"workload\":\" \"",
            "\"workload\" is empty",
        ),
        (
            "\"subject\":\"A\"",
            "\"subject\":7",
            "\"subject\" is not a text",
        ),
        ("\"tick\":1", "\"tick\":-1", "no resolution"),
        ("\"assay\":1", "\"assay\":2", "version of the protocol"),
        ("\"kind\":\"samples\",", "", "\"kind\" is missing"),
        (GOOD, "[1]", "not a JSON object"),
        (GOOD, "{", "not JSON"),
    ] {
        let line = GOOD.replace(from, to);
        assert_ne!(line, GOOD, "{from}");
        let message = problem(&line);
        assert!(
            message.starts_with("line 1: ") && message.contains(want),
            "{message}"
        );
    }
}

#[test]
fn a_leg_claimed_twice_is_used_not_at_all() {
    let other = GOOD.replace("\"leg\":3", "\"leg\":2");
    let (samples, problems) = Samples::parse_jsonl(&format!("{GOOD}\n{other}\n{GOOD}"));
    assert_eq!(samples.legs().len(), 1);
    assert_eq!(samples.legs()[0].leg, 2);
    assert_eq!(problems.iter().map(|p| p.line).collect::<Vec<_>>(), [1, 3]);
    assert!(
        problems[1].message.contains("first on line 1"),
        "{}",
        problems[1]
    );
}

#[test]
fn a_leg_claimed_three_times_is_used_not_at_all_either() {
    let (samples, problems) = Samples::parse_jsonl(&[GOOD; 3].join("\n"));
    assert!(samples.is_empty());
    assert_eq!(
        problems.iter().map(|p| p.line).collect::<Vec<_>>(),
        [1, 2, 3]
    );
}

#[test]
fn typed_legs_go_through_the_same_examination() {
    let (samples, _) = Samples::parse_jsonl(GOOD);
    let leg = samples.legs()[0].clone();
    let mut nan = leg.clone();
    nan.values_ns[1] = f64::NAN;
    let mut next = leg.clone();
    next.leg = 0;
    let (again, problems) = Samples::from_legs(vec![leg, nan, next]);
    assert_eq!(again.legs().len(), 2);
    assert_eq!(again.legs()[0].leg, 0);
    assert_eq!((problems.len(), problems[0].line), (1, 2));
    assert_eq!(Samples::from_legs(again.clone().into_legs()).0, again);
}

#[test]
fn legs_of_a_further_look_join_those_that_are_there() {
    let (mut samples, _) = Samples::parse_jsonl(GOOD);
    let mut more: Vec<Leg> = vec![samples.legs()[0].clone(); 2];
    more[0].process = 0;
    more[1].process = 2;
    let all: Vec<Leg> = more.iter().chain(samples.legs()).cloned().collect();
    assert_eq!(samples.add(more.clone()), []);
    assert_eq!(samples, Samples::from_legs(all).0);
    // Claimed again: neither is used.
    let problems = samples.add(vec![more[1].clone()]);
    assert_eq!(problems.iter().map(|p| p.line).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(samples.processes(), [0, 1]);
}

#[test]
fn conditions_are_read_and_nonsense_in_them_is_unknown() {
    let with = |more: &str| {
        let line = GOOD.replace("\"leg\":3", &format!("\"leg\":3,{more}"));
        let (samples, problems) = Samples::parse_jsonl(&line);
        assert_eq!(problems, [], "{more}");
        let leg = samples.legs()[0].clone();
        (leg.clock(), leg.clock_locked, leg.device)
    };
    assert_eq!(
        with(r#""clock_mhz":1410,"clock_locked":true,"device":"GPU-1""#),
        (Some(1410.0), Some(true), Some("GPU-1".into()))
    );
    for (key, value) in [
        ("clock_mhz", "0"),
        ("clock_mhz", "-5"),
        ("clock_mhz", "1e30"),
        ("clock_mhz", "\"fast\""),
        ("clock_locked", "1"),
        ("device", "7"),
    ] {
        assert_eq!(with(&format!("\"{key}\":{value}")), (None, None, None));
    }
}

#[test]
fn a_leg_measured_to_screen_is_no_evidence() {
    let line = GOOD.replace("\"leg\":3", "\"leg\":3,\"screen\":true");
    assert!(problem(&line).contains("needs fresh samples"));
}

#[test]
fn a_key_that_is_there_twice_is_refused() {
    for (from, to, key) in [
        ("\"unit\":\"us\"", "\"unit\":\"us\",\"unit\":\"ns\"", "unit"),
        (
            "\"launches\":4",
            "\"launches\":4,\"launches\":5",
            "launches",
        ),
        (
            "\"nonce\":\"ab\"",
            "\"nonce\":\"ab\",\"nonce\":\"cd\"",
            "nonce",
        ),
        ("\"leg\":3", "\"leg\":3,\"l\\u0065g\":2", "leg"),
    ] {
        let line = GOOD.replace(from, to);
        assert_ne!(line, GOOD);
        assert_eq!(
            problem(&line),
            format!("line 1: {key:?} is there twice; there is no telling which is true")
        );
    }
}

#[test]
fn what_cannot_be_beside_the_times_is_kept_in_words() {
    for (more, want) in [
        ("\"launches\":4", None),
        ("\"launches\":null", None),
        ("\"launches\":0", Some("\"launches\" is 0")),
        ("\"launches\":-3", Some("\"launches\" is -3")),
        ("\"launches\":\"many\"", Some("\"launches\" is no number")),
        ("\"clock_mhz\":1410.5", None),
        ("\"clock_mhz\":0", Some("\"clock_mhz\" is 0")),
        ("\"clock_mhz\":-1", Some("\"clock_mhz\" is -1")),
        ("\"clock_mhz\":\"fast\"", Some("\"clock_mhz\" is no number")),
    ] {
        let (samples, problems) = Samples::parse_jsonl(&GOOD.replace("\"launches\":4", more));
        assert_eq!(problems, []);
        assert_eq!(samples.legs()[0].odd.as_deref(), want, "{more}");
    }
}
