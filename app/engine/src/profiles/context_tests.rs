use assay_core::RecordId;
use assay_core::campaign::{Campaign, Params};
use assay_core::record::{ContentKey, Role, SampleSummary, Subject, WorkloadVerdict};
use assay_profile::{Counter, Scope};

use super::*;

fn subject(name: &str) -> Subject {
    let hash = Sha256::of(name);
    Subject {
        name: name.into(),
        role: Role::Variant,
        commit: None,
        dirty: false,
        key: ContentKey {
            kernel: hash,
            recipe: hash,
            toolchain: hash,
            device: hash,
            evaluator: hash,
        },
    }
}

fn measurement(timer: &str, cache: &str) -> Measurement {
    let blob = record::BlobRef {
        sha256: Sha256::of("x"),
        bytes: 1,
        name: "samples.jsonl".into(),
    };
    Measurement {
        run: RecordId::from_parts(1, 1),
        a: subject("a"),
        b: subject("b"),
        mode: "pair".into(),
        timer: timer.into(),
        tick_ns: None,
        cache: cache.into(),
        protocol: 1,
        processes: 4,
        samples: blob,
        summary: vec![SampleSummary {
            workload: "w".into(),
            subject: "b".into(),
            n: 4,
            median_ns: 1500.0,
            min_ns: 1400.0,
            mad_ns: 1.0,
        }],
        conditions: Default::default(),
    }
}

#[test]
fn the_benchmark_says_time_cache_and_whether_a_profiler_timed() {
    let of = |timer: &str, cache: &str, name: &str| {
        let mut c = Context::default();
        bench(&measurement(timer, cache), name, "w", &mut c);
        ["bench.time", "bench.cold", "bench.time_from_profiler"].map(|n| c.get(n))
    };
    assert_eq!(
        of("clock_monotonic", "hot", "b"),
        [Some(1500.0), Some(0.0), Some(0.0)]
    );
    assert_eq!(
        of("cupti", "cold", "b"),
        [Some(1500.0), Some(1.0), Some(0.0)]
    );
    assert_eq!(
        of("mcProfiler kernel time", "rotating", "b"),
        [Some(1500.0), Some(1.0), Some(1.0)]
    );
    assert_eq!(of("clock_monotonic", "hot", "a"), [None; 3]);
}

#[test]
fn a_verdict_turned_over_claims_less() {
    let v = |kind| Verdict {
        run: RecordId::from_parts(1, 1),
        a: "a".into(),
        b: "b".into(),
        measurement: RecordId::from_parts(1, 2),
        procedure: "paired-t/1".into(),
        policy: "assay".into(),
        delta: 0.01,
        guard: 0.02,
        gain: None,
        null_pair: false,
        null_ground: None,
        normalised_equal: None,
        processes: 4,
        ratio: Some(0.9),
        interval: None,
        verdict: kind,
        reason: String::new(),
        next: String::new(),
        workloads: vec![WorkloadVerdict {
            workload: "w".into(),
            weight: 1.0,
            ratio: Some(0.8),
            interval: None,
            a_median_ns: None,
            b_median_ns: None,
            guard_broken: false,
        }],
        warnings: Vec::new(),
        calibration: None,
        false_accepts: None,
        regime: None,
        clocks_locked: None,
        cycles: None,
        wins: None,
        losses: None,
        split: None,
        control: None,
    };
    let of = |kind, reversed, workload: &str| {
        let mut c = Context::default();
        verdict(&v(kind), reversed, workload, &mut c);
        let get = |n: &str| c.get(n).unwrap();
        (
            get("verdict.faster"),
            get("verdict.slower"),
            (get("time.change") * 100.0).round() / 100.0,
        )
    };
    assert_eq!(of(VerdictKind::Faster, false, "w"), (1.0, 0.0, -20.0));
    assert_eq!(of(VerdictKind::Faster, false, "other"), (1.0, 0.0, -10.0));
    assert_eq!(of(VerdictKind::Faster, true, "w"), (0.0, 1.0, 25.0));
    assert_eq!(of(VerdictKind::Slower, true, "w"), (0.0, 0.0, 25.0));
}

#[test]
fn claims_come_with_what_their_last_digit_is_worth() {
    let mut p = Profile::new("paper", "csv");
    let mut row = Launch::new("w", Scope::PerKernel);
    let mut time = Counter::read("", "time", "3.5", "us");
    time.canonical = Some("claim.time".into());
    row.push(time);
    p.launches.push(row);
    let mut c = Context::default();
    claims(&p.launches[0], &mut c);
    assert_eq!(c.get("claim.time"), Some(3500.0));
    let worth = c.get("res.claim.time").unwrap();
    assert!((worth - 100.0).abs() < 1e-9, "{worth}");
}

#[test]
fn formulas_and_data_type_of_a_workload_are_told() {
    let text = "schema = \"assay.campaign/1\"\nname = \"c\"\n[kernel]\npaths = [\"k\"]\n[formulas]\nflops = \"2*n\"\nbytes = \"n\"\noutputs = \"n\"\n\
        [[workload]]\nname = \"w\"\ndims.n = 8\ndtype = \"bfloat16\"\n[build]\ncommand = \"c\"\nartefact = \"a\"\n[check]\ncommand = \"c\"\n[bench]\ncommand = \"c\"\n";
    let campaign = Campaign::parse(text, "f").unwrap();
    let w = campaign.resolve(&campaign.workloads[0], &Params::new());
    let mut c = Context::default();
    workload(&w.unwrap(), &mut c);
    let got: Vec<(&str, f64)> = c.iter().collect();
    assert_eq!(
        got,
        [
            ("workload.bf16", 1.0),
            ("workload.bytes", 8.0),
            ("workload.flops", 16.0),
            ("workload.fp16", 0.0),
            ("workload.fp32", 0.0),
            ("workload.int8", 0.0),
            ("workload.outputs", 8.0),
        ]
    );
}

#[test]
fn a_run_is_held_against_the_device_that_its_driver_names() {
    let data = Data::load(&[]).unwrap();
    let on = |device: &str, mig: Option<&str>| {
        let stable = mig.map(|m| ("gpu.mig".to_owned(), m.to_owned()));
        let environment = Environment {
            device: device.into(),
            stable: stable.into_iter().collect(),
            volatile: BTreeMap::new(),
        };
        let found = device_of(None, None, Some(&environment), &data).unwrap();
        found.map(|d| d.name)
    };
    assert_eq!(on("NVIDIA H200", None).as_deref(), Some("h200"));
    assert_eq!(on("NVIDIA H200", Some("Disabled")).as_deref(), Some("h200"));
    assert_eq!(on("MetaX C500", None).as_deref(), Some("c500"));
    for (device, mig) in [
        ("NVIDIA H200", Some("Enabled")),
        ("NVIDIA H200 NVL", None),
        ("MetaX C500 (slice of 25 %)", None),
        ("", None),
    ] {
        assert_eq!(on(device, mig), None, "{device}, {mig:?}");
    }
}
