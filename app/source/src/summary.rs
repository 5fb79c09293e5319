//! What a diff says in sentences, from the facts of both sides.
//!
//! Facts that belong to one decision of whoever wrote or generated the kernel make one sentence: a
//! store that now goes through shared memory, a deeper pipeline, another block order. Every fact
//! that differs is in exactly one sentence.

use std::collections::BTreeSet;

use assay_core::view::{ComparedFigure, FileDiff, SourceStatement};

use crate::attribution::{Facts, step};

/// Sentences of facts that no other sentence speaks of; more of them help nobody.
const MAX_OTHERS: usize = 12;

/// Sentences about how the facts of B differ from those of A, the weightiest first.
///
/// `diff` may be empty of hunks; what it knows (equal after normalisation, kernels, moved blocks)
/// is said too.
pub fn summary(diff: &FileDiff, a: &Facts, b: &Facts) -> Vec<SourceStatement> {
    let mut s = Summary {
        a,
        b,
        left: a.keys().chain(b.keys()).map(String::as_str).collect(),
        out: Vec::new(),
    };
    s.left.retain(|n| figure(a, n) != figure(b, n));
    // The facts of single kernels say again what the total says.
    s.left
        .retain(|n| !n.starts_with("kernel.") || *n == "kernel.count");
    s.diff(diff);
    s.store_through_shared();
    s.widths();
    s.matrix();
    s.pipeline();
    s.block_order();
    s.simple();
    s.others();
    s.out
}

struct Summary<'f> {
    a: &'f Facts,
    b: &'f Facts,
    /// Facts that differ and that no sentence speaks of yet.
    left: BTreeSet<&'f str>,
    out: Vec<SourceStatement>,
}

fn figure(facts: &Facts, name: &str) -> Option<f64> {
    facts.get(name).map(|f| f.value)
}

impl<'f> Summary<'f> {
    fn value(&self, name: &str) -> (f64, f64) {
        let get = |f| figure(f, name).unwrap_or(0.0);
        (get(self.a), get(self.b))
    }

    fn differs(&self, name: &str) -> bool {
        self.left.contains(name)
    }

    /// `0 -> 1`, with the unit.
    fn step(&self, name: &str) -> String {
        let unit = self
            .b
            .get(name)
            .or(self.a.get(name))
            .map_or("", |f| f.unit.as_str());
        match (figure(self.a, name), figure(self.b, name)) {
            (Some(x), Some(y)) => step(x, y, unit),
            (None, Some(y)) => format!(
                "none -> {}",
                step(y, y, unit)
                    .split_once(" -> ")
                    .map_or(String::new(), |(_, r)| r.to_owned())
            ),
            (Some(x), None) => format!(
                "{} -> none",
                step(x, x, unit)
                    .split_once(" -> ")
                    .map_or(String::new(), |(_, r)| r.to_owned())
            ),
            (None, None) => String::new(),
        }
    }

    /// Adds a sentence, and takes its facts off the list.
    fn say(&mut self, text: String, names: &[&str]) {
        let mut facts = Vec::new();
        for name in names {
            let (x, y) = (self.a.get(*name), self.b.get(*name));
            let Some(any) = y.or(x) else { continue };
            self.left.remove(*name);
            facts.push(ComparedFigure {
                name: (*name).to_owned(),
                unit: any.unit.clone(),
                values: vec![x.map(|f| f.value), y.map(|f| f.value)],
                change_percent: match (x, y) {
                    (Some(x), Some(y)) if x.value != 0.0 => {
                        Some((y.value - x.value) / x.value.abs() * 100.0)
                    }
                    _ => None,
                },
            });
        }
        self.out.push(SourceStatement {
            text,
            kind: "change".into(),
            facts,
            counters: Vec::new(),
        });
    }

    fn diff(&mut self, d: &FileDiff) {
        if d.normalised_equal == Some(true) {
            let text = if d.hunks.is_empty() && d.notes.is_empty() && d.renamed == 0 {
                "the sources are equal after normalisation"
            } else {
                "the sources differ in names, comments or addresses alone: they are equal after normalisation"
            };
            self.say(text.into(), &[]);
        }
        for k in &d.kernels {
            match (&k.a, &k.b) {
                (Some(a), Some(b)) if a != b => self.say(format!("kernel `{a}` is `{b}` now"), &[]),
                (Some(a), None) => self.say(format!("kernel `{a}` is gone"), &[]),
                (None, Some(b)) => self.say(format!("kernel `{b}` is new"), &[]),
                _ => {}
            }
            if self.out.len() > MAX_OTHERS {
                self.say(
                    "and other kernels that are renamed, new or gone".into(),
                    &[],
                );
                break;
            }
        }
        if d.moved > 0 {
            let moved = d.moved;
            self.say(format!("{moved} lines moved to another place"), &[]);
        }
        let scheduling = d
            .notes
            .iter()
            .filter(|n| n.changes == ["scheduling"])
            .count();
        if scheduling > 0 && scheduling == d.notes.len() {
            self.say("the same instructions, scheduled otherwise".into(), &[]);
        }
    }

    /// Direct global stores became staging in shared memory and a bulk store, or the other way.
    fn store_through_shared(&mut self) {
        let (direct_a, direct_b) = self.value("store.global.count");
        let (bulk_a, bulk_b) = self.value("tma.store");
        let forth = direct_a > direct_b && bulk_b > bulk_a;
        let back = direct_a < direct_b && bulk_b < bulk_a;
        if !forth && !back {
            return;
        }
        let (with, without) = if forth {
            (self.a, self.b)
        } else {
            (self.b, self.a)
        };
        let widths: Vec<String> = WIDTHS
            .iter()
            .filter(|(bits, _)| {
                let name = format!("store.global.b{bits}");
                figure(with, &name).unwrap_or(0.0) > figure(without, &name).unwrap_or(0.0)
            })
            .map(|(_, name)| (*name).to_owned())
            .collect();
        let direct = if widths.is_empty() {
            "direct global stores".to_owned()
        } else {
            format!("direct {} stores to global memory", widths.join(" and "))
        };
        let mut parts = Vec::new();
        for (name, label) in [
            ("stmatrix.count", "stmatrix"),
            ("tma.store", "TMA stores"),
            ("barrier.count", "barriers"),
            ("fence.count", "fences"),
        ] {
            if self.differs(name) {
                parts.push(format!("{label} {}", self.step(name)));
            }
        }
        let text = if forth {
            format!(
                "{direct} give way to staging in shared memory and a bulk store: {}",
                parts.join(", ")
            )
        } else {
            format!(
                "staging in shared memory and a bulk store give way to {direct}: {}",
                parts.join(", ")
            )
        };
        let mut names = vec![
            "store.global.count",
            "store.global.width_bits",
            "stmatrix.count",
            "tma.store",
            "tma.prefetch",
            "barrier.count",
            "barrier.partial",
            "barrier.block",
            "fence.count",
            "async.commit",
            "async.wait",
        ];
        let family: Vec<&'f str> = (self.left.iter().copied())
            .filter(|n| n.starts_with("store.global.") || n.starts_with("sync."))
            .collect();
        names.extend(family);
        names.retain(|n| self.differs(n));
        self.say(text, &names);
    }

    /// Wider or narrower accesses.
    fn widths(&mut self) {
        for (kind, space) in [
            ("load", "global"),
            ("store", "global"),
            ("load", "shared"),
            ("store", "shared"),
        ] {
            let prefix = format!("{kind}.{space}.");
            let family: Vec<&'f str> = (self.left.iter().copied())
                .filter(|n| n.starts_with(&prefix))
                .collect();
            if family.is_empty() {
                continue;
            }
            let side = |f: &Facts| -> String {
                let parts: Vec<String> = (WIDTHS.iter())
                    .filter_map(|(bits, name)| {
                        let n = figure(f, &format!("{prefix}b{bits}"))?;
                        (n > 0.0).then(|| format!("{n:.0} of {bits} bits ({name})"))
                    })
                    .collect();
                if parts.is_empty() {
                    "none".into()
                } else {
                    parts.join(" and ")
                }
            };
            let (x, y) = (side(self.a), side(self.b));
            let text = if x == y {
                format!("{space} {kind}s: other ones whose width is not known")
            } else {
                format!("{space} {kind}s: {x} -> {y}")
            };
            self.say(text, &family);
        }
    }

    fn matrix(&mut self) {
        let family: Vec<&'f str> = (self.left.iter().copied())
            .filter(|n| n.starts_with("mma."))
            .collect();
        let names = |f: &Facts, other: &Facts| -> Vec<String> {
            (family.iter())
                .filter(|n| !matches!(**n, "mma.count" | "mma.unrolled"))
                .filter(|n| figure(f, n).unwrap_or(0.0) > figure(other, n).unwrap_or(0.0))
                .map(|n| n.trim_start_matches("mma.").replace('.', " "))
                .collect()
        };
        let (gone, new) = (names(self.a, self.b), names(self.b, self.a));
        let (trips, work) = (self.value("loop.trips"), self.value("mma.unrolled"));
        let mut parts = Vec::new();
        match (gone.is_empty(), new.is_empty()) {
            (false, false) => parts.push(format!("{} -> {}", gone.join(", "), new.join(", "))),
            (false, true) => parts.push(format!("fewer {}", gone.join(", "))),
            (true, false) => parts.push(format!("more {}", new.join(", "))),
            (true, true) => {}
        }
        let mut used = family.clone();
        if self.differs("mma.count") {
            parts.push(format!("{} in the text", self.step("mma.count")));
        }
        if self.differs("mma.unrolled") {
            parts.push(format!("{} after unrolling", self.step("mma.unrolled")));
            if self.differs("loop.trips") {
                used.push("loop.trips");
                let same = (trips.0 * work.0 - trips.1 * work.1).abs() < 0.5;
                let total = if same {
                    format!(", the same {:.0} in all", trips.0 * work.0)
                } else {
                    String::new()
                };
                parts.push(format!(
                    "in {} steps of the main loop{total}",
                    self.step("loop.trips")
                ));
            }
        }
        if !parts.is_empty() {
            self.say(format!("matrix instructions: {}", parts.join("; ")), &used);
        }
    }

    /// Barriers and buffers of a pipeline.
    fn pipeline(&mut self) {
        if !self.differs("mbarrier.init") {
            return;
        }
        let (x, y) = self.value("mbarrier.init");
        let stages = if x % 2.0 == 0.0 && y % 2.0 == 0.0 && x > 0.0 && y > 0.0 {
            format!(
                " ({:.0} -> {:.0} stages, if each has a full and an empty one)",
                x / 2.0,
                y / 2.0
            )
        } else {
            String::new()
        };
        let mut text = format!(
            "barrier objects of the pipeline: {}{stages}",
            self.step("mbarrier.init")
        );
        for (name, label) in [
            (
                "shared.dynamic_offset",
                "last buffer in dynamic shared memory at",
            ),
            ("shared.static_bytes", "static shared memory"),
        ] {
            if self.differs(name) {
                text.push_str(&format!(", {label} {}", self.step(name)));
            }
        }
        let names: Vec<&str> = [
            "mbarrier.init",
            "sync.init",
            "shared.dynamic_offset",
            "shared.static_bytes",
            "mbarrier.wait",
            "mbarrier.arrive",
        ]
        .into_iter()
        .filter(|n| self.differs(n))
        .collect();
        self.say(text, &names);
    }

    fn block_order(&mut self) {
        let family: Vec<&'f str> = (self.left.iter().copied())
            .filter(|n| n.starts_with("swizzle."))
            .collect();
        if family.is_empty() {
            return;
        }
        let side = |f: &Facts| -> String {
            let names: Vec<&str> = (f.iter())
                .filter(|(n, v)| n.starts_with("swizzle.") && v.value > 0.0)
                .map(|(n, _)| n.trim_start_matches("swizzle."))
                .filter(|n| !matches!(*n, "count" | "panel"))
                .collect();
            let panel = figure(f, "swizzle.panel")
                .map_or(String::new(), |p| format!(" with panels of {p:.0}"));
            if names.is_empty() {
                "none".into()
            } else {
                format!("{}{panel}", names.join(", "))
            }
        };
        let (x, y) = (side(self.a), side(self.b));
        self.say(format!("block order and swizzles: {x} -> {y}"), &family);
    }

    /// Facts that stand for themselves.
    fn simple(&mut self) {
        const TOPICS: &[(&str, &[&str])] = &[
            ("threads a block", &["launch.threads"]),
            (
                "blocks asked for on a multiprocessor",
                &["launch.min_blocks"],
            ),
            ("blocks of a cluster", &["launch.cluster"]),
            ("kernels", &["kernel.count"]),
            (
                "barriers",
                &[
                    "barrier.count",
                    "barrier.block",
                    "barrier.partial",
                    "barrier.warp",
                ],
            ),
            ("steps of the main loop", &["loop.trips"]),
            (
                "arrays of a thread (accumulators and fragments)",
                &["local.array_bytes"],
            ),
            (
                "registers a thread, as the compiler stated",
                &["registers.count"],
            ),
            ("highest register", &["registers.seen"]),
            ("spill stores", &["spill.store_bytes"]),
            ("spill loads", &["spill.load_bytes"]),
            ("stack frame", &["stack.bytes"]),
            ("largest stack frame", &["frame.bytes"]),
            ("static shared memory", &["shared.static_bytes"]),
            (
                "last buffer in dynamic shared memory at",
                &["shared.dynamic_offset"],
            ),
            ("widest vector", &["vector.width_bits"]),
            ("vector multiply-adds", &["vector.fma"]),
            ("stores of registers to the stack", &["stack.spills"]),
            ("instructions", &["inst.total"]),
        ];
        for (label, names) in TOPICS {
            if self.differs(names[0]) {
                let text = format!("{label}: {}", self.step(names[0]));
                let names: Vec<&str> = names.iter().copied().filter(|n| self.differs(n)).collect();
                let more: Vec<&str> = if names[0] == "barrier.count" {
                    let all = self.left.iter().copied();
                    all.filter(|n| n.starts_with("sync.")).collect()
                } else {
                    Vec::new()
                };
                self.say(text, &[names, more].concat());
            }
        }
    }

    fn others(&mut self) {
        let names: Vec<&'f str> = self.left.iter().copied().collect();
        let shown: Vec<String> = names
            .iter()
            .take(MAX_OTHERS)
            .map(|n| format!("{n} {}", self.step(n)))
            .collect();
        if shown.is_empty() {
            return;
        }
        let more = match names.len().saturating_sub(MAX_OTHERS) {
            0 => String::new(),
            n => format!(", and {n} more"),
        };
        self.say(format!("also: {}{more}", shown.join(", ")), &names);
    }
}

/// Bits of an access and the type that generated sources write for it.
const WIDTHS: &[(u32, &str)] = &[
    (8, "uchar"),
    (16, "ushort"),
    (32, "uint1"),
    (64, "uint2"),
    (128, "uint4"),
    (256, "ulonglong4"),
];
