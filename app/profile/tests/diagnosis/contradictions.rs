//! On whatever figures, no two diagnoses say the opposite of each other.

use std::collections::BTreeSet;

use assay_core::gate;
use assay_profile::rules::{Context, Kind, On, Rule, Rules, known_names, on_launch, on_pair};
use assay_profile::{Catalog, Launch, Profile, Scope};

/// Of each of these groups at most one may speak.
const EXCLUSIVE: &[&[&str]] = &[
    &[
        "sol-grid-too-small",
        "sol-latency-bound",
        "sol-compute-leads",
        "sol-memory-leads",
        "sol-balanced",
        "sol-compute-saturated",
    ],
    &[
        "sol-grid-too-small",
        "sol-latency-bound",
        "sol-compute-leads",
        "sol-memory-leads",
        "sol-balanced",
        "sol-memory-saturated",
    ],
    &["sol-grid-too-small", "tail-round"],
    &["sol-grid-too-small", "occupancy-gap"],
    &["grid-smaller-than-device", "few-workgroups-with-barriers"],
    &["fixed-cost-bound", "memory-bandwidth-bound"],
    &["fixed-cost-bound", "near-memory-roof"],
    &["fixed-cost-bound", "poor-l2-locality"],
    &[
        "mma-starved-by-shared-memory",
        "mma-fed-slowly",
        "mma-saturated",
        "memory-bandwidth-bound",
    ],
    &[
        "mma-starved-by-shared-memory",
        "mma-fed-slowly",
        "poor-l2-locality",
    ],
    &["mma-saturated", "poor-l2-locality"],
    &["mma-saturated", "issue-slots-idle"],
    &[
        "mma-saturated",
        "matmul-without-mma",
        "no-matrix-work-expected",
        "mma-starved-by-shared-memory",
    ],
    &["matmul-without-mma", "mma-fed-slowly"],
    &["overhead-instructions", "no-matrix-work-expected"],
    &["shared-conflict-free", "shared-conflicts"],
    &["shared-conflict-free", "shared-load-conflicts"],
    &["shared-conflict-free", "shared-store-conflicts"],
    &["register-spill", "register-spill-few", "local-arrays"],
    &[
        "occupancy-limited-by-barriers",
        "occupancy-limited-by-registers",
    ],
    &[
        "occupancy-limited-by-barriers",
        "occupancy-limited-by-shared-memory",
    ],
    &[
        "occupancy-limited-by-workgroup-size",
        "mma-saturated",
        "occupancy-limited-by-barriers",
    ],
    &["movement-removed", "mma-dropped"],
    &["movement-removed", "faster-without-a-cause"],
    &["trade", "faster-without-a-cause"],
    &["movement-removed", "off-the-critical-path"],
    &["trade", "off-the-critical-path"],
    &["trade", "fewer-instructions-not-faster"],
    &["movement-removed", "fewer-instructions-not-faster"],
];

/// Numbers of a fixed sequence.
struct Dice(u64);

impl Dice {
    fn next(&mut self, below: u64) -> u64 {
        let n = self.0;
        self.0 = n
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }

    /// A figure of a unit: often small, zero or even, so that limits are met exactly.
    fn figure(&mut self, name: &str, unit: &str) -> f64 {
        if name.starts_with("device.bandwidth") {
            return 1000.0;
        }
        let n = self.next(1000) as f64;
        match name {
            "workload.bytes" => return n * 1e4,
            "workload.flops" => return n * 1e6,
            _ => {}
        }
        match (self.next(8), unit) {
            (0, _) => 0.0,
            (1, "%") => 100.0,
            (_, "%") => n / 9.5,
            (_, "ns") => n * 20.0,
            (1, _) => n / 100.0,
            (2, _) => (n / 100.0).floor(),
            _ => n,
        }
    }
}

/// The names that the conditions of rules use.
fn names<'r>(rules: impl Iterator<Item = &'r Rule>) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for rule in rules {
        let condition = gate::Rule::parse(rule.condition()).expect("a condition");
        for name in condition.names() {
            names.insert(name.strip_prefix("known.").unwrap_or(name).to_owned());
        }
    }
    names
}

fn unit(name: &str) -> &str {
    if let Some(entry) = Catalog::builtin().get(name) {
        return &entry.unit;
    }
    let entry = known_names().iter().find(|(n, _, _)| *n == name);
    entry.map_or("1", |(_, unit, _)| unit)
}

fn of_one(tool: &str, kernel: &str) -> Profile {
    let mut profile = Profile::new(tool, "test");
    profile.launches.push(Launch::new(kernel, Scope::PerKernel));
    profile
}

/// Asserts that what was found has no two sides, and adds it to what was ever found.
fn hold(found: &[assay_core::view::FindingView], given: &Context, ever: &mut BTreeSet<String>) {
    let ids: BTreeSet<&str> = found.iter().map(|f| f.rule.as_str()).collect();
    for group in EXCLUSIVE {
        let both: Vec<&&str> = group.iter().filter(|id| ids.contains(**id)).collect();
        assert!(both.len() < 2, "{both:?} on {given:?}");
    }
    ever.extend(ids.iter().map(|id| (*id).to_owned()));
}

#[test]
fn no_two_diagnoses_of_a_launch_are_opposites() {
    let rules = Rules::builtin();
    let of_launches = |r: &&Rule| r.kind() == Kind::Diagnosis && r.on() == On::Launch;
    let names = names(rules.iter().filter(of_launches));
    let (mut dice, mut ever) = (Dice(7), BTreeSet::new());
    for round in 0..2500 {
        // Few figures leave most rules silent, all of them few combinations.
        let share = 2 + dice.next(9);
        let mut given = Context::default();
        for name in &names {
            if dice.next(10) < share {
                given.set(name.as_str(), dice.figure(name, unit(name)));
            }
        }
        if round % 3 == 0 {
            // A kernel without matrix work is rare among figures by chance.
            given.set("inst.mma", 0.0);
            given.set("duty.mma", 0.0);
        }
        let tool = ["ncu", "mcProfiler", "mxcc", "ptxas"][round % 4];
        let kernel = ["gemm_kernel", "main_kernel"][round / 4 % 2];
        let profile = of_one(tool, kernel);
        let found = on_launch(
            rules,
            Kind::Diagnosis,
            &profile,
            &profile.launches[0],
            &given,
        );
        hold(&found.findings, &given, &mut ever);
    }
    let silent: Vec<&str> = rules
        .iter()
        .filter(of_launches)
        .map(Rule::id)
        .filter(|id| !ever.contains(*id))
        .collect();
    assert_eq!(silent, [""; 0], "rules that never spoke");
}

#[test]
fn no_two_diagnoses_of_a_pair_are_opposites() {
    let rules = Rules::builtin();
    let of_pairs = |r: &&Rule| r.kind() == Kind::Diagnosis && r.on() == On::Pair;
    let mut counters = BTreeSet::new();
    for name in names(rules.iter().filter(of_pairs)) {
        for side in ["a.", "b.", "change.", "points."] {
            if let Some(rest) = name.strip_prefix(side) {
                counters.insert(rest.to_owned());
            }
        }
    }
    let (mut dice, mut ever) = (Dice(11), BTreeSet::new());
    for round in 0..2500 {
        let mut given = Context::default();
        let share = 2 + dice.next(9);
        for name in &counters {
            if dice.next(10) >= share {
                continue;
            }
            let before = dice.figure(name, unit(name));
            // Most counters stay or change a little.
            let after = match dice.next(4) {
                0 => before,
                1 => dice.figure(name, unit(name)),
                _ => before * (0.85 + dice.next(31) as f64 / 100.0),
            };
            given.set(format!("a.{name}"), before);
            given.set(format!("b.{name}"), after);
        }
        match round % 5 {
            0 => {
                given.set("a.claim.time", 1000.0);
                given.set("b.claim.time", 980.0 + dice.next(40) as f64);
            }
            n => {
                for (at, verdict) in ["faster", "slower", "same", "no_gain"].iter().enumerate() {
                    given.set(
                        format!("verdict.{verdict}"),
                        f64::from(u8::from(at + 1 == n)),
                    );
                }
                given.set("time.change", if n == 1 { -3.0 } else { 0.2 });
            }
        }
        let better = dice.next(4);
        let worse = dice.next(3);
        given.set("pair.better", better as f64);
        given.set("pair.worse", worse as f64);
        // What moved is counted over all counters; here a few of them are known to have moved.
        let moved = (better + worse) as f64;
        let still = counters.iter().all(|n| {
            let of = |side| given.get(&format!("{side}.{n}"));
            of("a") == of("b")
        });
        given.set("pair.moved", if still { moved } else { moved.max(1.0) });
        let (a, b) = (of_one("ncu", "gemm_kernel"), of_one("ncu", "gemm_kernel"));
        let found = on_pair(
            rules,
            Kind::Diagnosis,
            (&a, &a.launches[0]),
            (&b, &b.launches[0]),
            &given,
        );
        hold(&found.findings, &given, &mut ever);
    }
    let silent: Vec<&str> = rules
        .iter()
        .filter(of_pairs)
        .map(Rule::id)
        .filter(|id| !ever.contains(*id) && *id != "faster-without-a-cause")
        .collect();
    assert_eq!(silent, [""; 0], "rules that never spoke");
}
