//! Profiler files of this project and damaged ones: nothing panics, nothing is wrong in silence.

use assay_profile::{
    Counter, Format, Launch, Profile, ProfileError, Scope, Status, canonical_figures,
    canonical_notices, detect, formats::static_asm, launch_figures, parse,
};
use proptest::prelude::*;

const CACHEGRIND: &str = include_str!("fixtures/cachegrind.out");
const PERF: &str = include_str!("fixtures/perf_semicolon.txt");

fn read(text: &str) -> Profile {
    parse(text.as_bytes()).expect("a profile")
}

/// The counters of a launch, each by itself.
fn all(l: &Launch) -> Vec<Counter> {
    l.iter().map(Counter::from).collect()
}

fn value(p: &Profile, name: &str) -> Option<f64> {
    p.launches[0].iter().find(|c| c.name() == name)?.number()
}

#[test]
fn formats_are_told_apart_by_content() {
    assert_eq!(detect(CACHEGRIND.as_bytes()), Some(Format::Cachegrind));
    assert_eq!(detect(PERF.as_bytes()), Some(Format::PerfStat));
    for other in [
        "",
        "\n\n",
        "a,b,c\n1,2,3\n",
        "1,foo,bar,2\n",
        "{\"a\":1}",
        "\u{0}\u{1}",
    ] {
        assert_eq!(detect(other.as_bytes()), None, "{other:?}");
    }
    let callgrind = CACHEGRIND.replace("cmd:", "creator: callgrind-3.19.0\ncmd:");
    assert_eq!(detect(callgrind.as_bytes()), Some(Format::Callgrind));
    let e = parse(b"hello\x1b[2J\n").unwrap_err().to_string();
    assert!(e.contains("perf stat") && e.contains("hello\\x1b"), "{e}");
}

#[test]
fn perf_stat_with_units_scaling_and_what_is_missing() {
    let p = read(PERF);
    assert_eq!((p.tool.as_str(), p.launches.len()), ("perf stat", 1));
    let l = &p.launches[0];
    let get = |n: &str| Counter::from(l.counter("", n).unwrap());
    assert_eq!(
        get("cycles").value.as_ref().unwrap().as_u64(),
        Some(1_843_200_113)
    );
    assert!(get("cycles").suspect[0].contains("66.67 %"));
    assert_eq!(
        (
            get("task-clock").unit.as_str(),
            get("task-clock").resolution
        ),
        ("msec", Some(0.01))
    );
    assert_eq!(get("branch-misses").status, Status::Absent);
    assert_eq!(get("L1-dcache-loads").status, Status::NotSupported);
    assert_eq!(get("my_pmu/weird-event/").canonical, None);
    assert_eq!(
        l.counter("derived", "instructions: insn per cycle")
            .unwrap()
            .raw(),
        "1.23"
    );
    let f = canonical_figures(&p);
    assert_eq!(
        (f["time.cpu"].value, f["time.cpu"].unit.as_str()),
        (640_000.0, "ns")
    );
    assert_eq!(f["inst.executed"].value, 2_263_350.0);
    assert!(!f.contains_key("branch.missed") && !f.contains_key("mem.reads"));
    assert!(
        canonical_notices(&p)
            .iter()
            .any(|n| n.contains("mem.reads") && n.contains("does not have it"))
    );
    assert!(p.notices.is_empty());
}

#[test]
fn perf_stat_with_every_set_of_columns() {
    let p = read("0.63,msec,task-clock,5.63%,630785,100.00,0.584,CPUs utilized\n");
    assert_eq!(value(&p, "task-clock"), Some(0.63));
    let p = read(
        "     1.001095540,0.63,msec,task-clock,632046,100.00,0.632,CPUs utilized\n\
         \x20    2.002221129,<not counted>,msec,task-clock,0,100.00,,\n",
    );
    assert_eq!(all(&p.launches[0])[0].section, "1.001095540");
    assert_eq!(all(&p.launches[0])[2].status, Status::Absent);
    let p = read(
        "CPU0,11.28,msec,cpu-clock,11281172,100.00,1.001,CPUs utilized\nCPU1,11.29,msec,cpu-clock,11283700,100.00,,\n",
    );
    assert_eq!(all(&p.launches[0])[0].section, "CPU0");
    // Two CPUs, two values: none of them is the program's.
    assert!(canonical_figures(&p).is_empty());
    assert!(canonical_notices(&p)[0].contains("more than once"));
    let p = read("S0,2,22.49,msec,cpu-clock,22488533,100.00,2.002,CPUs utilized\n");
    assert_eq!(
        (
            all(&p.launches[0])[0].section.as_str(),
            value(&p, "cpu-clock")
        ),
        ("S0", Some(22.49))
    );
    let p = read("S0,2,77,,cycles,22488533,100.00,,\n1,,,\n,,,,,25.3,retiring\n");
    assert_eq!(value(&p, "cycles"), Some(77.0));
    assert_eq!(value(&p, "retiring"), Some(25.3));
    assert!(p.notices[0].contains("1 lines"), "{:?}", p.notices);
}

#[test]
fn decimal_commas_are_marked_and_never_read() {
    // The figure is 0.82 in a locale with decimal commas.
    let split = read(
        "0,82,msec,task-clock,817462,100,00,0,574,CPUs utilized\n65,,page-faults,817462,100.00,,\n",
    );
    let c = &all(&split.launches[0])[0];
    assert_eq!(
        (c.status, c.raw.as_str(), &c.value),
        (Status::Error, "0,82", &None)
    );
    assert!(c.suspect[0].contains("ambiguous"));
    let whole = read(
        "0,82;msec;task-clock;817462;100,00;0,574;CPUs utilized\n1.234.567;;cycles;817462;50,00;;\n",
    );
    let c = &all(&whole.launches[0])[0];
    assert_eq!((c.status, &c.value), (Status::Error, &None));
    assert_eq!(value(&whole, "cycles"), None);
    assert!(canonical_figures(&whole).is_empty());
    assert!(canonical_notices(&whole)[0].contains("cannot be read for certain"));
}

#[test]
fn a_report_of_which_nothing_was_counted_is_one_notice() {
    let row = |name: &str, is_error: bool| {
        format!("{{\"name\":\"{name}\",\"isError\":{is_error},\"message\":\"\",\"data\":12}}")
    };
    let of = |first: bool| {
        let rows = [
            row("Total Instructions", first),
            row("Compute Instructions", true),
        ];
        let text = format!("{{\"Summary\":[{}]}}", rows.join(","));
        let p = parse(text.as_bytes()).unwrap();
        (canonical_figures(&p).len(), canonical_notices(&p))
    };
    let (figures, notices) = of(true);
    assert_eq!(figures, 0);
    assert_eq!(
        notices,
        ["none of its 2 figures has a value: what the tool printed cannot be read for certain"]
    );
    // Where one was counted, those that were not are named.
    let (figures, notices) = of(false);
    assert_eq!((figures, notices.len()), (1, 1), "{notices:?}");
}

#[test]
fn cachegrind_totals_and_functions() {
    let p = read(CACHEGRIND);
    let whole = &p.launches[0];
    assert_eq!(
        (whole.kernel.as_str(), whole.scope),
        ("mm", Scope::Aggregate)
    );
    assert_eq!(p.command.as_deref(), Some("./mm"));
    assert_eq!(whole.len(), 13 + 3);
    let counters = all(whole);
    let (figures, words) = counters.split_at(13);
    assert_eq!(words[0].name, "I1 cache");
    assert_eq!(
        words[0].text.as_deref(),
        Some("32768 B, 64 B, 8-way associative")
    );
    assert!(p.notices.is_empty());
    assert!(
        figures
            .iter()
            .all(|c| c.suspect.is_empty() && c.canonical.is_some())
    );
    let mm = &p.launches[1];
    assert_eq!((mm.kernel.as_str(), mm.scope), ("mm", Scope::PerKernel));
    assert_eq!(launch_figures(mm)["inst.executed"].value, 2_134_673.0);
    assert_eq!(canonical_figures(&p)["inst.executed"].value, 2_134_687.0);
    assert_eq!(canonical_figures(&p)["branch.missed"].unit, "1");
}

#[test]
fn a_cut_cachegrind_file_says_so() {
    let cut = &CACHEGRIND[..CACHEGRIND.find("summary:").unwrap()];
    let p = read(cut);
    assert_eq!(value(&p, "Ir"), Some(2_134_687.0));
    assert!(
        all(&p.launches[0])
            .iter()
            .filter(|c| c.section.is_empty())
            .all(|c| c.suspect[0].contains("no `summary:` line"))
    );
    let lies = CACHEGRIND.replace("summary: 2134687", "summary: 5");
    let c = &all(&read(&lies).launches[0])[0];
    assert!(
        c.suspect[0].contains("add up to 2134687"),
        "{:?}",
        c.suspect
    );
    let broken = CACHEGRIND.replace("\n134 ", "\n134 x ");
    assert!(read(&broken).notices[0].contains("1 lines"));
    let short = CACHEGRIND.replace("summary: 2134687 ", "summary: NaN ");
    assert_eq!(all(&read(&short).launches[0])[0].status, Status::Error);
    assert!(matches!(
        parse(b"desc: x\ncmd: y\nevents: Ir\n"),
        Err(ProfileError::Unusable { .. })
    ));
}

#[test]
fn numbers_past_64_bits_are_not_wrapped() {
    let max = u64::MAX;
    let text = format!("cmd: x\nevents: Ir\nfn=a\n1 {max}\n2 {max}\n");
    let p = read(&text);
    assert_eq!(all(&p.launches[0])[0].status, Status::Error);
    assert_eq!(all(&p.launches[1])[0].status, Status::Error);
    let p = read("99999999999999999999999,,cycles,1,100.00,,\n");
    let c = &all(&p.launches[0])[0];
    assert!(c.suspect[0].contains("64-bit"), "{:?}", c.suspect);
    assert!(
        all(&read("1e999,,cycles,1,100.00,,\n").launches[0])[0]
            .value
            .is_none()
    );
}

#[test]
fn missing_counts_at_the_end_of_a_line_are_zero_by_the_format() {
    let p = read("desc: x\ncmd: y\nevents: Ir Dr Dw\nfn=f\n1 5\n2 3 . 4\nsummary: 8 0 4\n");
    let whole = &p.launches[0];
    assert!(whole.iter().all(|c| c.suspect().is_empty()), "{whole:?}");
    // Two builds of one program are of one name, wherever they lay.
    let built = |folder: &str| {
        let text = format!("cmd: /tmp/{folder}/driver --once\nevents: Ir\nfn=f\n1 5\n");
        read(&text).launches[0].kernel.clone()
    };
    assert_eq!([built("a"), built("b/c")], ["driver", "driver"]);
    // One count more than there are events is not that format.
    let p = read("cmd: y\nevents: Ir\nfn=f\n1 5\n2 3 4\n");
    assert_eq!(value(&p, "Ir"), Some(5.0));
    assert!(p.notices[0].contains("1 lines"));
}

#[test]
fn static_facts_become_a_profile_with_names_of_their_own() {
    let figure = |value, unit: &str| assay_core::record::Figure {
        value,
        unit: unit.into(),
    };
    let facts = [
        ("inst.total".to_owned(), figure(134.0, "1")),
        ("frame.bytes".to_owned(), figure(48.0, "bytes")),
        ("odd".to_owned(), figure(f64::NAN, "1")),
    ]
    .into();
    let p = static_asm::from_facts(&facts, "asm-x86_64");
    assert_eq!(
        (p.tool.as_str(), p.flavour.as_str()),
        ("static", "asm-x86_64")
    );
    let f = canonical_figures(&p);
    assert_eq!(f["inst.total"].value, 134.0);
    assert_eq!(f["frame.bytes"].unit, "bytes");
    assert!(!f.contains_key("inst.executed") && !f.contains_key("odd"));
    assert_eq!(
        p.launches[0].counter("", "odd").unwrap().status(),
        Status::Error
    );
}

#[test]
fn bytes_that_are_no_text_are_said_to_be() {
    let mut bytes = CACHEGRIND.as_bytes().to_vec();
    let at = CACHEGRIND.find("fn=mm").unwrap() + 3;
    bytes[at] = 0xff;
    let p = parse(&bytes).unwrap();
    assert!(p.notices[0].contains("not UTF-8"));
    assert_eq!(p.launches[1].kernel, "\u{fffd}m");
}

fn damaged(original: &'static str) -> impl Strategy<Value = Vec<u8>> {
    let edits = proptest::collection::vec((0..original.len(), any::<u8>()), 0..6);
    (edits, 0..=original.len()).prop_map(move |(edits, cut)| {
        let mut bytes = original.as_bytes().to_vec();
        for (at, b) in edits {
            bytes[at] = b;
        }
        bytes.truncate(cut);
        bytes
    })
}

fn fine(bytes: &[u8]) -> Result<(), TestCaseError> {
    for format in Format::ALL {
        let Ok(p) = format.parse(bytes) else { continue };
        for c in p.launches.iter().flat_map(all) {
            prop_assert_eq!(c.value.is_some(), c.status == Status::Value);
            prop_assert_eq!(c.text.is_some(), c.status == Status::Text);
            if c.status == Status::Error {
                prop_assert!(!c.suspect.is_empty());
            }
        }
        for f in canonical_figures(&p).values() {
            prop_assert!(f.value.is_finite());
        }
        let _ = canonical_notices(&p);
    }
    let _ = detect(bytes);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damage_never_panics(a in damaged(CACHEGRIND), b in damaged(PERF)) {
        fine(&a)?;
        fine(&b)?;
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes: Vec<u8>) {
        fine(&bytes)?;
    }

    #[test]
    fn lines_of_fields_never_panic(
        lines in proptest::collection::vec(
            proptest::collection::vec(prop_oneof![
                "[0-9.,eE<%+-]{0,8}", "[a-z/_:]{0,8}", Just("<not counted>".to_owned()),
                Just("100.00".to_owned()), Just(String::new()), "\\PC{0,4}",
            ], 0..10).prop_map(|f| f.join(",")),
            0..8,
        )
    ) {
        fine(lines.join("\n").as_bytes())?;
    }
}
