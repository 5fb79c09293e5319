use super::*;

const NONCE: &str = "c0ffee";

fn read(text: &str) -> Answers {
    let mut reader = Reader::new(NONCE);
    reader.push(text.as_bytes());
    reader.finish()
}

fn samples(leg: u32, values: &str) -> String {
    format!(
        r#"{{"assay":1,"nonce":"c0ffee","kind":"samples","workload":"w","subject":"A-x","process":1,"block":0,"leg":{leg},"unit":"us","values":{values},"launches":8,"clock_mhz":2100}}"#
    )
}

#[test]
fn sound_lines_become_answers_and_lose_their_nonce() {
    let text = [
        samples(0, "[1.5, 2]").as_str(),
        r#"{"assay":1,"nonce":"c0ffee","kind":"check","workload":"w","subject":"A-x","max_abs_error":0.25,"ok":true}"#,
        "",
        r#"{"assay":1,"nonce":"c0ffee","kind":"resource","name":"registers","value":42,"unit":"1"}"#,
        r#"{"assay":1,"nonce":"c0ffee","kind":"suspect","workload":"w","subject":"A-x","detail":"remembers"}"#,
        r#"{"assay":1,"nonce":"c0ffee","kind":"note","text":"hi"}"#,
        r#"{"assay":1,"nonce":"c0ffee","kind":"done","process":1}"#,
    ]
    .join("\n");
    let got = read(&text);
    assert_eq!(
        (got.suspect, got.problems.len(), got.lines.len()),
        (0, 0, 6)
    );
    let suspicion = got.suspicions().next().unwrap();
    assert_eq!(
        (suspicion.subject.as_str(), suspicion.detail.as_str()),
        ("A-x", "remembers")
    );
    let (_, s) = got.samples().next().unwrap();
    assert_eq!(s.values_ns, [1500.0, 2000.0]);
    assert_eq!(s.launches, Some(8));
    assert_eq!(
        got.sample_lines(),
        [
            r#"{"assay":1,"block":0,"clock_mhz":2100,"kind":"samples","launches":8,"leg":0,"process":1,"subject":"A-x","unit":"us","values":[1.5,2],"workload":"w"}"#
        ]
    );
    assert_eq!(
        got.checks().next().unwrap().result.max_abs_error,
        Some(0.25)
    );
    assert_eq!(got.notes().collect::<Vec<_>>(), ["hi"]);
    assert_eq!(got.lines[5].answer, Answer::Done);
    assert_eq!(got.lines[5].line, 7, "blank lines count as lines");
}

#[test]
fn bytes_may_come_in_any_pieces() {
    let text = format!("{}\n{}\n", samples(0, "[1]"), samples(1, "[2]"));
    let mut reader = Reader::new(NONCE);
    let seen: usize = text.bytes().map(|b| reader.push(&[b]).len()).sum();
    assert_eq!(seen, 2);
    assert_eq!(reader.finish(), read(&text));
}

#[test]
fn lines_without_the_nonce_are_counted_and_never_data() {
    let good = samples(0, "[1]");
    let text = format!(
        "{}\n{}\n{good}\n",
        good.replace("c0ffee", "coffee"),
        good.replace(r#""nonce":"c0ffee","#, "")
    );
    let got = read(&text);
    assert_eq!((got.suspect, got.lines.len()), (2, 1));
    assert!(got.problems.is_empty());
}

#[test]
fn figures_that_cannot_be_are_problems_with_their_line() {
    for (values, words) in [
        ("[1, -3]", "-3 is not a time"),
        ("[0]", "0 is not a time"),
        ("[NaN]", "NaN and Infinity"),
        ("[-Infinity]", "NaN and Infinity"),
        ("[1e999]", "not JSON"),
        ("[null]", "null is not a time"),
        ("[\"3\"]", "\"3\" is not a time"),
        ("[1e300]", "not a time that is believed"),
        ("[2, 1e-9]", "not a time that is believed"),
        ("[]", "empty"),
        ("7", "not a list"),
    ] {
        let got = read(&format!("\n{}", samples(0, values)));
        assert!(got.lines.is_empty(), "{values}");
        let problem = got.problems[0].to_string();
        assert!(
            problem.starts_with("answer line 2: ") && problem.contains(words),
            "{problem}"
        );
    }
    let error = r#"{"assay":1,"nonce":"c0ffee","kind":"check","workload":"w","max_abs_error":-1,"ok":true}"#;
    assert!(read(error).problems[0].message.contains("max_abs_error"));
    assert!(
        read(&error.replace("-1", "NaN")).problems[0]
            .message
            .contains("NaN")
    );
}

#[test]
fn lines_that_are_no_answers_are_problems() {
    for (line, words) in [
        ("hello", "not JSON"),
        ("[1]", "not a JSON object"),
        (r#"{"assay":2,"nonce":"c0ffee","kind":"done"}"#, "version"),
        (r#"{"assay":1,"nonce":"c0ffee","kind":"magic"}"#, "`magic`"),
        (r#"{"assay":1,"nonce":"c0ffee"}"#, "`kind`"),
    ] {
        let got = read(line);
        assert_eq!((got.suspect, got.lines.len()), (0, 0), "{line}");
        assert!(
            got.problems[0].message.contains(words),
            "{:?}",
            got.problems
        );
    }
    let unit = samples(0, "[1]").replace(r#""us""#, r#""h""#);
    assert!(read(&unit).problems[0].message.contains("unit `h`"));
    let block = samples(0, "[1]").replace(r#""block":0"#, r#""block":-1"#);
    assert!(read(&block).problems[0].message.contains("`block`"));
}

#[test]
fn two_lines_for_a_leg_are_a_problem_even_under_another_subject() {
    let second = samples(0, "[2]").replace("A-x", "B-y");
    let got = read(&format!("{}\n{second}\n", samples(0, "[1]")));
    assert_eq!(
        got.problem_texts(),
        ["answer line 2: workload w, process 1, block 0, leg 0 is claimed before on line 1"]
    );
    assert_eq!(
        got.sample_lines().len(),
        2,
        "both stay in sight of the procedure"
    );
}

#[test]
fn size_is_bounded() {
    let mut reader = Reader::new(NONCE);
    let chunk = vec![b'x'; 1 << 20];
    for _ in 0..300 {
        reader.push(&chunk);
        assert!(reader.held.len() <= LINE_MAX);
    }
    reader.push(b"\n");
    let got = reader.finish();
    assert!(
        got.problems
            .iter()
            .any(|p| p.message.contains("bytes of answers"))
    );

    let mut reader = Reader::new(NONCE);
    reader.push(&chunk);
    reader.push(b"x\n");
    reader.push(samples(0, "[1]").as_bytes());
    let got = reader.finish();
    assert_eq!(
        got.problems[0].to_string(),
        "answer line 1: longer than 1048576 bytes"
    );
    assert_eq!(
        got.lines.len(),
        1,
        "reading goes on behind an overlong line"
    );

    let got = read(&"bad\n".repeat(1000));
    assert_eq!(got.problem_texts().len(), PROBLEMS_MAX + 1);
    assert_eq!(got.more_problems, 900);
}

#[test]
fn the_state_of_a_device_is_taken_with_its_bounds() {
    let line = |rest: &str| {
        format!(
            r#"{{"assay":1,"nonce":"c0ffee","kind":"conditions","workload":"w","process":1,"block":2{rest}}}"#
        )
    };
    let good = [
        r#","sm_mhz":1755,"mem_mhz":3201,"power_w":698.25,"power_cap_w":700,"celsius":61,"reasons":["power-cap","software-thermal"],"source":"nvml""#,
        r#","leg":3,"reasons":[],"source":"mxml""#,
    ];
    let got = read(&good.map(line).join("\n"));
    assert_eq!((got.problems.len(), got.lines.len()), (0, 2));
    let states: Vec<&DeviceState> = got.states().map(|(_, s)| s).collect();
    assert_eq!((states[0].sm_mhz, states[0].leg), (Some(1755.0), None));
    let names: Vec<&str> = states[0]
        .reasons
        .iter()
        .flatten()
        .map(|r| r.name())
        .collect();
    assert_eq!(names, ["power-cap", "software-thermal"]);
    assert_eq!((states[1].sm_mhz, states[1].leg), (None, Some(3)));
    assert!(states[1].reasons.as_ref().is_some_and(|r| r.is_empty()));
    assert!(!got.lines[0].json.contains("nonce"));
    let long = format!(r#","sm_mhz":1,"source":"{}""#, "x".repeat(33));
    for (bad, says) in [
        (r#","source":"nvml""#, "says nothing"),
        (r#","sm_mhz":0,"source":"nvml""#, "`sm_mhz` is 0"),
        (r#","sm_mhz":null,"source":"nvml""#, "leave out"),
        (r#","sm_mhz":"1755","source":"nvml""#, "not a number"),
        (r#","celsius":1e9,"source":"nvml""#, "degrees"),
        (r#","sm_mhz":1755"#, "`source`"),
        (r#","sm_mhz":1755,"source":"a\u001b[2J""#, "`source`"),
        (long.as_str(), "`source`"),
        (
            r#","reasons":["sw_power_cap"],"source":"nvml""#,
            "power-cap",
        ),
        (r#","reasons":"idle","source":"nvml""#, "not a list"),
        (r#","leg":-1,"sm_mhz":9,"source":"nvml""#, "`leg`"),
    ] {
        let got = read(&line(bad));
        let problems = got.problem_texts().join("; ");
        assert!(problems.contains(says), "{bad}: {problems}");
        assert!(got.lines.is_empty(), "{bad}");
    }
}
