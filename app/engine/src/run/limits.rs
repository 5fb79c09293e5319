//! What a device allows a kernel: of a MetaX card as gates that every such target brings by itself, of CUDA its
//! shared memory, where a kernel exceeds it for certain.
//!
//! A limit is held against what the compiler and the generated source say. What neither says is
//! said to be unknown: it passes nothing, and, since the launch itself is checked on the device, it
//! does not stand in the way of a decision either.

use std::collections::BTreeMap;

use assay_core::campaign::{Device as Kind, Target};
use assay_core::record::{Failure, FailureKind, Figure, GateResult, Stage};
use assay_core::text::inert;
use assay_profile::{Device, Devices};

use super::Running;
use crate::gates::{PRIVATE, SHARED, THREADS, WAVE};

/// The device whose limits hold where neither the target nor the card names one with a file.
const DEFAULT: &str = "c500";

/// Bytes of shared memory that the compiler laid out.
const LAID_OUT: &str = "shared_bytes";

/// Bytes of shared memory that a launch asks for, as a harness may report them.
const DYNAMIC: &str = "shared_dynamic_bytes";

/// Bytes of the stack frame of a thread.
const STACK: &str = "stack_bytes";

/// The most shared memory of a block that the device gives, as a harness reports it.
const ALLOWED: &str = "shared_limit";

/// The same in KiB by the compute capability, with opt-in: technical specifications in the CUDA C++ Programming Guide.
const BY_CAPABILITY: [(&str, f64); 12] = [
    ("5.0", 48.0),
    ("5.2", 48.0),
    ("6.0", 48.0),
    ("6.1", 48.0),
    ("7.0", 96.0),
    ("7.5", 64.0),
    ("8.0", 163.0),
    ("8.6", 99.0),
    ("8.9", 99.0),
    ("9.0", 227.0),
    ("10.0", 227.0),
    ("12.0", 99.0),
];

type Figures = BTreeMap<String, Figure>;

/// What is known of what was built.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Known<'a> {
    /// By the compiler, or by the harness.
    pub resources: Option<&'a Figures>,
    /// By the generated source.
    pub facts: Option<&'a Figures>,
}

impl Running<'_> {
    /// What is known of the kernel that a limit of the device is held against.
    pub(super) fn known(&self) -> Known<'_> {
        Known {
            resources: self.build.as_ref().map(|b| &b.resources),
            facts: self.source.as_ref().map(|(s, _)| &s.facts),
        }
    }

    /// The device whose limits the target brings, where it brings any.
    pub(super) fn limiting(&self) -> Option<&'static Device> {
        let session = self.session;
        let target = session.config.targets.get(&session.request.target);
        let card = session.environment.stable.get("gpu.model");
        (session.kind == Kind::Metax)
            .then(|| device_of(target, card.map(String::as_str), Devices::builtin()))
            .flatten()
    }

    /// A kernel that exceeds a limit of the device is not launched.
    pub(super) fn within_limits(&self, stage: Stage) -> Result<(), Failure> {
        let device = match (self.session.kind, stage) {
            (Kind::Cuda, Stage::Build | Stage::Source) => return self.within_cuda(stage),
            (_, Stage::Build | Stage::Source | Stage::Check) => self.limiting(),
            _ => None,
        };
        match device.and_then(|d| broken(d, self.known(), stage)) {
            None => Ok(()),
            Some(failure) => Err(failure),
        }
    }

    /// A launch that the device refused, by the limit that the kernel is known to exceed, where it does.
    pub(super) fn exceeding(&self, refused: Failure) -> Failure {
        if refused.kind != FailureKind::Launch || self.session.kind != Kind::Cuda {
            return refused;
        }
        match self.within_cuda(refused.stage) {
            Ok(()) => refused,
            Err(why) => Failure {
                stderr_tail: refused.stderr_tail,
                ..why
            },
        }
    }

    fn within_cuda(&self, stage: Stage) -> Result<(), Failure> {
        let environment = &self.session.environment;
        let capability = environment.stable.get("gpu.capability");
        let failure = exceeds_cuda(
            &environment.device,
            capability.map(String::as_str),
            self.known(),
            stage,
        );
        failure.map_or(Ok(()), Err)
    }
}

/// The failure of a kernel that takes more shared memory than a block can have on a device of CUDA.
fn exceeds_cuda(
    device: &str,
    capability: Option<&str>,
    known: Known<'_>,
    stage: Stage,
) -> Option<Failure> {
    let of_capability = || {
        let known = BY_CAPABILITY.iter().find(|(c, _)| Some(*c) == capability);
        known.map(|(_, kib)| kib * 1024.0)
    };
    let limit = value(known.resources, ALLOWED).or_else(of_capability)?;
    let (pass, evidence) = shared(known, limit);
    (pass == Some(false)).then(|| exceeding(device, SHARED, &evidence, stage))
}

/// The device of a target: by its model, else by what the card calls itself.
pub(super) fn device_of<'d>(
    target: Option<&Target>,
    card: Option<&str>,
    devices: &'d Devices,
) -> Option<&'d Device> {
    let model = target.and_then(|t| t.model.as_deref());
    let by_name = || {
        let card = card?;
        devices.iter().find(|d| {
            let word = d.title.split_whitespace().last();
            d.vendor == "MetaX" && word.is_some_and(|w| card.contains(w))
        })
    };
    (model.and_then(|m| devices.get(m)))
        .or_else(by_name)
        .or_else(|| devices.get(DEFAULT))
}

/// The gates of a device.
pub(super) fn gates(device: &Device, known: Known<'_>) -> Vec<GateResult> {
    let limit = |figure: &str| device.figure(figure).map(|f| f.value);
    let of = [
        (SHARED, limit("shared_per_block"), shared as Judge),
        (PRIVATE, limit("private_per_thread"), private),
        (THREADS, limit("threads_per_block"), threads),
        (WAVE, limit("wave"), wave),
    ];
    (of.into_iter())
        .filter_map(|(name, limit, judge)| {
            let (pass, evidence) = judge(known, limit?);
            Some(GateResult {
                name: name.into(),
                pass,
                evidence,
            })
        })
        .collect()
}

/// The failure of a kernel that exceeds a limit.
pub(super) fn broken(device: &Device, known: Known<'_>, stage: Stage) -> Option<Failure> {
    let gates = gates(device, known);
    let failed = gates.iter().find(|g| g.pass == Some(false))?;
    Some(exceeding(
        &device.title,
        &failed.name,
        &failed.evidence,
        stage,
    ))
}

fn exceeding(device: &str, limit: &str, evidence: &str, stage: Stage) -> Failure {
    Failure {
        kind: FailureKind::Constraint,
        stage,
        message: format!(
            "the kernel exceeds a limit of {}: {limit}: {evidence}",
            inert(device)
        ),
        stderr_tail: String::new(),
    }
}

type Judge = fn(Known<'_>, f64) -> (Option<bool>, String);

fn value(map: Option<&Figures>, name: &str) -> Option<f64> {
    map?.get(name).map(|f| f.value)
}

/// Kernels in the source, and the values of a fact of those that have it, by name.
fn each<'a>(known: Known<'a>, fact: &str) -> (f64, Vec<(&'a str, f64)>) {
    let count = value(known.facts, "kernel.count").unwrap_or(0.0);
    let end = format!(".{fact}");
    let of_kernel = |(name, figure): (&'a String, &'a Figure)| {
        let kernel = name.strip_prefix("kernel.")?.strip_suffix(&end)?;
        Some((kernel, figure.value))
    };
    let mut all: Vec<(&str, f64)> = (known.facts.into_iter().flatten())
        .filter_map(of_kernel)
        .collect();
    // One kernel alone has no facts of its own beside the totals.
    if count == 1.0 && all.is_empty() {
        all.extend(value(known.facts, fact).map(|v| ("the kernel", v)));
    }
    (count, all)
}

/// Shared memory of a block: what the compiler laid out and what the launch asks for.
fn shared(known: Known<'_>, limit: f64) -> (Option<bool>, String) {
    let (layout, how) = static_shared(known, limit);
    let dynamic = value(known.resources, DYNAMIC).or_else(|| {
        let declared = value(known.facts, "shared.dynamic")?;
        (declared == 0.0).then_some(0.0)
    });
    match (layout, dynamic) {
        (Some(layout), Some(dynamic)) => {
            let (pass, said) = held(layout + dynamic, limit, "bytes of shared memory");
            let said = format!("{said} ({layout} static by {how}, {dynamic} dynamic)");
            (pass, said)
        }
        _ => {
            let begins = value(known.facts, "shared.dynamic_offset");
            let least = layout.unwrap_or(0.0) + begins.unwrap_or(0.0);
            if least > limit {
                return (
                    Some(false),
                    format!("at least {least} bytes of shared memory, {limit} are allowed"),
                );
            }
            let missing = match (layout, begins) {
                (None, _) => "how much is laid out statically is not known".to_owned(),
                (_, Some(at)) => format!(
                    "a buffer in dynamic memory begins at {at} bytes; how much a launch asks for stands in no device source"
                ),
                _ => "how much dynamic memory a launch asks for stands in no device source".into(),
            };
            (
                None,
                format!("not known: {missing}; {limit} bytes are allowed"),
            )
        }
    }
}

/// Static shared memory of the kernel with most of it, and who says so.
fn static_shared(known: Known<'_>, limit: f64) -> (Option<f64>, &'static str) {
    if let Some(bytes) = value(known.resources, LAID_OUT) {
        return (Some(bytes), "the compiler");
    }
    let fact = "shared.static_bytes";
    let all = value(known.facts, fact);
    let (count, each) = each(known, fact);
    let most = each.iter().map(|(_, v)| *v).reduce(f64::max);
    let complete = each.len() as f64 >= count;
    // Of several kernels the total is the sum: an upper bound of each.
    let bound = all.filter(|sum| *sum <= limit);
    let bytes = most.filter(|_| complete && count > 0.0).or(bound);
    (bytes, "the source")
}

/// The stack frame of a thread, which is the sign of spilled registers too.
fn private(known: Known<'_>, limit: f64) -> (Option<bool>, String) {
    let said = value(known.resources, STACK).or(value(known.facts, "stack.bytes"));
    let Some(bytes) = said else {
        let what =
            "not known: the build shows no `mxcc -resource-usage`, which prints the stack frame";
        return (None, what.into());
    };
    let (pass, text) = held(bytes, limit, "bytes of private memory a thread");
    if bytes > 0.0 && pass == Some(true) {
        return (
            pass,
            format!("{text}; a stack frame means spilled registers"),
        );
    }
    (pass, text)
}

fn threads(known: Known<'_>, limit: f64) -> (Option<bool>, String) {
    let most = value(known.facts, "launch.threads");
    match (most, unbounded(known)) {
        (Some(most), None) => held(most, limit, "threads a block"),
        (Some(most), _) if most > limit => held(most, limit, "threads a block"),
        (_, why) => not_bounded(why),
    }
}

fn wave(known: Known<'_>, limit: f64) -> (Option<bool>, String) {
    let (_, each) = each(known, "launch.threads");
    let odd = each.iter().find(|(_, t)| t % limit != 0.0);
    if let Some((kernel, threads)) = odd {
        let said = format!(
            "{}: {threads} threads a block are no multiple of {limit}, the threads of a wave",
            inert(kernel)
        );
        return (Some(false), said);
    }
    match unbounded(known) {
        None => (
            Some(true),
            format!("all launch bounds are multiples of {limit}, the threads of a wave"),
        ),
        why => not_bounded(why),
    }
}

/// Why launch bounds do not tell of every kernel, if they do not.
fn unbounded(known: Known<'_>) -> Option<String> {
    let count = value(known.facts, "kernel.count").unwrap_or(0.0);
    let bounded = value(known.facts, "launch.bounded").unwrap_or(0.0);
    if count == 0.0 {
        return Some("no generated source with a kernel was captured".into());
    }
    let (_, each) = each(known, "launch.threads");
    (bounded < count || (each.len() as f64) < count).then(|| {
        format!(
            "of {count} kernels {} state their launch bounds",
            each.len()
        )
    })
}

fn not_bounded(why: Option<String>) -> (Option<bool>, String) {
    let why = why.unwrap_or_else(|| "the launch bounds are no numbers".into());
    (None, format!("not known: {why}"))
}

fn held(value: f64, limit: f64, what: &str) -> (Option<bool>, String) {
    let pass = value <= limit;
    let said = match pass {
        true => format!("{value} {what} of {limit}"),
        false => format!("{value} {what}, {limit} are allowed"),
    };
    (Some(pass), said)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(figures: &[(&str, f64)]) -> Figures {
        let figure = |(name, value): &(&str, f64)| {
            let figure = Figure {
                value: *value,
                unit: "1".into(),
            };
            ((*name).to_owned(), figure)
        };
        figures.iter().map(figure).collect()
    }

    const BOUNDED: [(&str, f64); 5] = [
        ("kernel.count", 1.0),
        ("launch.bounded", 1.0),
        ("launch.threads", 256.0),
        ("shared.static_bytes", 0.0),
        ("shared.dynamic", 0.0),
    ];

    fn judged(
        resources: &[(&str, f64)],
        facts: &[(&str, f64)],
    ) -> Vec<(String, Option<bool>, String)> {
        let (resources, facts) = (map(resources), map(facts));
        let known = Known {
            resources: Some(&resources),
            facts: Some(&facts),
        };
        let device = Devices::builtin().get("c500").unwrap();
        let all = gates(device, known).into_iter();
        all.map(|g| (g.name, g.pass, g.evidence)).collect()
    }

    #[track_caller]
    fn says(
        resources: &[(&str, f64)],
        facts: &[(&str, f64)],
        gate: &str,
        pass: Option<bool>,
        words: &str,
    ) {
        let all = judged(resources, facts);
        let (_, got, evidence) = all.iter().find(|(n, ..)| n == gate).unwrap();
        assert_eq!(*got, pass, "{evidence}");
        assert!(evidence.contains(words), "{evidence}");
    }

    #[test]
    fn each_limit_is_held_at_its_edge() {
        let fits = [(STACK, 28.0)];
        let all = judged(&fits, &BOUNDED);
        assert!(
            all.iter().all(|(_, pass, _)| *pass == Some(true)),
            "{all:?}"
        );
        assert_eq!(all.len(), 4);
        says(&fits, &BOUNDED, PRIVATE, Some(true), "spilled registers");
        for (bytes, pass) in [(65536.0, true), (65537.0, false)] {
            let of = [(LAID_OUT, 0.0), (DYNAMIC, bytes)];
            says(&of, &BOUNDED, SHARED, Some(pass), "65536");
        }
        says(&[(STACK, 4095.0)], &BOUNDED, PRIVATE, Some(true), "of 4095");
        says(
            &[(STACK, 4096.0)],
            &BOUNDED,
            PRIVATE,
            Some(false),
            "4095 are allowed",
        );
        let with = |threads: f64| {
            let mut facts = BOUNDED;
            facts[2].1 = threads;
            facts
        };
        says(
            &[],
            &with(1024.0),
            THREADS,
            Some(true),
            "1024 threads a block of 1024",
        );
        says(&[], &with(1088.0), THREADS, Some(false), "1024 are allowed");
        says(&[], &with(1088.0), WAVE, Some(true), "multiples of 64");
        says(
            &[],
            &with(96.0),
            WAVE,
            Some(false),
            "96 threads a block are no multiple of 64",
        );
    }

    #[test]
    fn what_nobody_says_is_unknown_and_not_passed() {
        for gate in [SHARED, PRIVATE, THREADS, WAVE] {
            says(&[], &[], gate, None, "not known");
        }
        let dynamic = [
            ("kernel.count", 1.0),
            ("shared.static_bytes", 0.0),
            ("shared.dynamic", 1.0),
            ("shared.dynamic_offset", 32768.0),
        ];
        says(&[], &dynamic, SHARED, None, "begins at 32768 bytes");
        let mut far = dynamic;
        far[3].1 = 70000.0;
        says(&[], &far, SHARED, Some(false), "at least 70000");
        says(
            &[],
            &dynamic,
            THREADS,
            None,
            "of 1 kernels 0 state their launch bounds",
        );
    }

    #[test]
    fn of_several_kernels_the_one_with_most_decides() {
        let two = [
            ("kernel.count", 2.0),
            ("launch.bounded", 2.0),
            ("launch.threads", 256.0),
            ("shared.static_bytes", 98304.0),
            ("shared.dynamic", 0.0),
            ("kernel.a.launch.threads", 256.0),
            ("kernel.b.launch.threads", 96.0),
            ("kernel.a.shared.static_bytes", 49152.0),
            ("kernel.b.shared.static_bytes", 49152.0),
        ];
        says(
            &[],
            &two,
            SHARED,
            Some(true),
            "49152 bytes of shared memory of 65536",
        );
        says(&[], &two, WAVE, Some(false), "b: 96 threads");
        // The facts of one of them are missing.
        says(&[], &two[..8], SHARED, None, "not known");
    }

    #[test]
    fn on_cuda_a_kernel_that_exceeds_shared_memory_for_certain_is_told_with_figures() {
        let of = |resources: &[(&str, f64)], capability| {
            let resources = map(resources);
            let known = Known {
                resources: Some(&resources),
                facts: None,
            };
            let failure = exceeds_cuda("NVIDIA H200", capability, known, Stage::Build);
            failure.map(|f| (f.kind, f.message))
        };
        let h200 = Some("9.0");
        assert_eq!(of(&[(LAID_OUT, 232448.0), (DYNAMIC, 0.0)], h200), None);
        let over = "the kernel exceeds a limit of NVIDIA H200: device-shared: ";
        for (figures, says) in [
            (
                &[(LAID_OUT, 16384.0), (DYNAMIC, 229376.0)][..],
                "245760 bytes of shared memory, 232448 are allowed (16384 static by the compiler, 229376 dynamic)",
            ),
            // Static and dynamic together, as a harness has it.
            (
                &[(LAID_OUT, 262144.0)],
                "at least 262144 bytes of shared memory, 232448 are allowed",
            ),
        ] {
            let (kind, message) = of(figures, h200).unwrap();
            assert_eq!(kind, FailureKind::Constraint);
            assert_eq!(message, format!("{over}{says}"));
        }
        // What the device says of itself goes before what its capability says.
        let told = [(LAID_OUT, 60000.0), (ALLOWED, 49152.0)];
        assert!(of(&told, h200).unwrap().1.contains("49152 are allowed"));
        // Neither is known, or the device is not.
        assert_eq!(of(&[], h200), None);
        assert_eq!(of(&[(LAID_OUT, 262144.0)], None), None);
    }

    #[test]
    fn the_device_is_that_of_the_target_the_card_or_the_usual_one() {
        let devices = Devices::builtin();
        for card in [Some("MetaX C500"), Some("MXC550"), None] {
            assert_eq!(device_of(None, card, devices).unwrap().name, "c500");
        }
    }
}
