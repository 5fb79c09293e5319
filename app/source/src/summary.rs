//! What a diff says in sentences, from the facts of both sides.
//!
//! Facts that belong to one decision of whoever wrote or generated the kernel make one sentence: a
//! store that now goes through shared memory, a deeper pipeline, another block order. Every fact
//! that differs is in exactly one sentence.

mod kernels;

use std::collections::{BTreeMap, BTreeSet};

use assay_core::view::{ComparedFigure, FileDiff, Said, SaidValue, SourceStatement};

use crate::attribution::{Facts, stated};
use crate::said::{self, Join, Key, TOPICS, list, part, plain, say};

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
    if s.one_sided() {
        return s.out;
    }
    let same_facts = s.left.is_empty() && !(a.is_empty() && b.is_empty());
    s.diff(diff);
    let of_kernels = s.kernels(diff);
    if same_facts && !of_kernels {
        s.only_lines(diff);
    }
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
    fn step(&self, name: &str) -> SaidValue {
        let any = self.b.get(name).or(self.a.get(name));
        let unit = any.map_or("", |f| f.unit.as_str());
        said::step(figure(self.a, name), figure(self.b, name), unit)
    }

    /// Adds a sentence, and takes its facts off the list.
    fn say(&mut self, said: Said, names: &[&str]) {
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
        self.out.push(stated("change", said, facts, Vec::new()));
    }

    fn diff(&mut self, d: &FileDiff) {
        if d.normalised_equal == Some(true) {
            let same = d.hunks.is_empty() && d.notes.is_empty() && d.renamed == 0;
            let key = if same { Key::Equal } else { Key::EqualButNames };
            self.say(say(key, []), &[]);
        }
        for k in &d.kernels {
            let said = match (&k.a, &k.b) {
                (Some(a), Some(b)) if a != b => say(Key::KernelRenamed, [plain(a), plain(b)]),
                (Some(a), None) => say(Key::KernelGone, [plain(a)]),
                (None, Some(b)) => say(Key::KernelNew, [plain(b)]),
                _ => continue,
            };
            self.say(said, &[]);
            if self.out.len() > MAX_OTHERS {
                self.say(say(Key::KernelsMore, []), &[]);
                break;
            }
        }
        if d.moved > 0 {
            self.say(say(Key::LinesMoved, [plain(d.moved.to_string())]), &[]);
        }
        let scheduling = d
            .notes
            .iter()
            .filter(|n| n.changes == ["scheduling"])
            .count();
        if scheduling > 0 && scheduling == d.notes.len() {
            self.say(say(Key::Rescheduled, []), &[]);
        }
    }

    /// That lines differ and no fact does, with the kinds of change.
    fn only_lines(&mut self, d: &FileDiff) {
        if d.normalised_equal == Some(true) {
            return;
        }
        let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
        for kind in d.notes.iter().flat_map(|n| &n.changes) {
            *kinds.entry(kind).or_default() += 1;
        }
        let mut kinds: Vec<(&str, usize)> = kinds.into_iter().collect();
        kinds.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
        let kinds: Vec<SaidValue> = kinds
            .into_iter()
            .map(|(kind, n)| part(Key::Pair, [plain(n.to_string()), said::change(kind)]))
            .collect();
        if !kinds.is_empty() {
            self.say(say(Key::OnlyLines, [list(Join::Comma, kinds)]), &[]);
        }
    }

    /// Whether the facts are those of instructions, whose types have no names.
    fn is_code(&self) -> bool {
        self.a.contains_key("inst.total") || self.b.contains_key("inst.total")
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
        let widths: Vec<SaidValue> = WIDTHS
            .iter()
            .filter(|(bits, _)| {
                let name = format!("store.global.b{bits}");
                figure(with, &name).unwrap_or(0.0) > figure(without, &name).unwrap_or(0.0)
            })
            .map(|(_, name)| plain(*name))
            .collect();
        let direct = if widths.is_empty() {
            part(Key::DirectStores, [])
        } else {
            part(Key::DirectStoresOf, [list(Join::And, widths)])
        };
        let mut parts = Vec::new();
        for (name, label) in [
            ("stmatrix.count", plain("stmatrix")),
            ("tma.store", part(Key::TmaStores, [])),
            ("barrier.count", part(Key::Barriers, [])),
            ("fence.count", part(Key::Fences, [])),
        ] {
            if self.differs(name) {
                parts.push(part(Key::Pair, [label, self.step(name)]));
            }
        }
        let key = if forth {
            Key::StagedForth
        } else {
            Key::StagedBack
        };
        let said = say(key, [direct, list(Join::Comma, parts)]);
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
        self.say(said, &names);
    }

    /// Wider or narrower accesses.
    fn widths(&mut self) {
        for (prefix, label) in [
            ("load.global.", Key::GlobalLoads),
            ("store.global.", Key::GlobalStores),
            ("load.shared.", Key::SharedLoads),
            ("store.shared.", Key::SharedStores),
            ("load.local.", Key::LocalLoads),
            ("store.local.", Key::LocalStores),
        ] {
            // In C++ those are arrays of a thread, and registers when all goes well.
            if prefix.contains(".local.") && !self.is_code() {
                continue;
            }
            let family: Vec<&'f str> = (self.left.iter().copied())
                .filter(|n| n.starts_with(prefix))
                .collect();
            if family.is_empty() {
                continue;
            }
            let side = |f: &Facts| -> SaidValue {
                let parts: Vec<SaidValue> = (WIDTHS.iter())
                    .filter_map(|(bits, name)| {
                        let n = figure(f, &format!("{prefix}b{bits}"))?;
                        let values = [format!("{n:.0}"), bits.to_string()].map(plain);
                        let [n_of, bits_of] = values;
                        (n > 0.0).then(|| match self.is_code() {
                            true => part(Key::OfBitsCode, [n_of, bits_of]),
                            false => part(Key::OfBits, [n_of, bits_of, plain(*name)]),
                        })
                    })
                    .collect();
                match parts.is_empty() {
                    true => part(Key::Nothing, []),
                    false => list(Join::And, parts),
                }
            };
            let (label, x, y) = (part(label, []), side(self.a), side(self.b));
            let said = if x == y {
                say(Key::WidthUnknown, [label])
            } else {
                say(Key::Become, [label, x, y])
            };
            self.say(said, &family);
        }
    }

    fn matrix(&mut self) {
        let family: Vec<&'f str> = (self.left.iter().copied())
            .filter(|n| n.starts_with("mma."))
            .collect();
        let names = |f: &Facts, other: &Facts| -> Vec<String> {
            (family.iter())
                .filter(|n| !matches!(**n, "mma.count" | "mma.unrolled" | "mma.sparse"))
                .filter(|n| figure(f, n).unwrap_or(0.0) > figure(other, n).unwrap_or(0.0))
                .map(|n| n.trim_start_matches("mma.").replace('.', " "))
                .collect()
        };
        let (gone, new) = (names(self.a, self.b), names(self.b, self.a));
        let (trips, work) = (self.value("loop.trips"), self.value("mma.unrolled"));
        let [gone, new] = [gone, new].map(|names| match names.is_empty() {
            true => None,
            false => Some(plain(names.join(", "))),
        });
        let mut parts = Vec::new();
        match (gone, new) {
            (Some(gone), Some(new)) => parts.push(part(Key::Arrow, [gone, new])),
            (Some(gone), None) => parts.push(part(Key::Fewer, [gone])),
            (None, Some(new)) => parts.push(part(Key::More, [new])),
            (None, None) => {}
        }
        let mut used = family.clone();
        if self.differs("mma.count") {
            parts.push(part(Key::InText, [self.step("mma.count")]));
        }
        if self.differs("mma.sparse") {
            parts.push(part(Key::OfThemSparse, [self.step("mma.sparse")]));
        }
        if self.differs("mma.unrolled") {
            parts.push(part(Key::Unrolled, [self.step("mma.unrolled")]));
            if self.differs("loop.trips") {
                used.push("loop.trips");
                let same = (trips.0 * work.0 - trips.1 * work.1).abs() < 0.5;
                let steps = self.step("loop.trips");
                parts.push(if same {
                    let all = plain(format!("{:.0}", trips.0 * work.0));
                    part(Key::InStepsSame, [steps, all])
                } else {
                    part(Key::InSteps, [steps])
                });
            }
        }
        if !parts.is_empty() {
            self.say(say(Key::Matrix, [list(Join::Semicolon, parts)]), &used);
        }
    }

    /// Barriers and buffers of a pipeline.
    fn pipeline(&mut self) {
        if !self.differs("mbarrier.init") {
            return;
        }
        let (x, y) = self.value("mbarrier.init");
        let objects = self.step("mbarrier.init");
        let objects = if x % 2.0 == 0.0 && y % 2.0 == 0.0 && x > 0.0 && y > 0.0 {
            let stages = said::step(Some(x / 2.0), Some(y / 2.0), "1");
            part(Key::Stages, [objects, stages])
        } else {
            objects
        };
        let mut parts = vec![objects];
        for name in [
            "shared.dynamic_offset",
            "tma.expect_bytes",
            "shared.static_bytes",
        ] {
            if self.differs(name) {
                let label = SaidValue::Topic(name.to_owned());
                parts.push(part(Key::Pair, [label, self.step(name)]));
            }
        }
        let names: Vec<&str> = [
            "mbarrier.init",
            "sync.init",
            "shared.dynamic_offset",
            "shared.static_bytes",
            "tma.expect_bytes",
            "mbarrier.wait",
            "mbarrier.arrive",
        ]
        .into_iter()
        .filter(|n| self.differs(n))
        .collect();
        self.say(say(Key::Pipeline, [list(Join::Comma, parts)]), &names);
    }

    fn block_order(&mut self) {
        let family: Vec<&'f str> = (self.left.iter().copied())
            .filter(|n| n.starts_with("swizzle."))
            .collect();
        if family.is_empty() {
            return;
        }
        let side = |f: &Facts| -> SaidValue {
            let names: Vec<&str> = (f.iter())
                .filter(|(n, v)| n.starts_with("swizzle.") && v.value > 0.0)
                .map(|(n, _)| n.trim_start_matches("swizzle."))
                .filter(|n| !matches!(*n, "count" | "panel"))
                .collect();
            let panel = figure(f, "swizzle.panel").map(|p| plain(format!("{p:.0}")));
            match (names.is_empty(), panel) {
                (true, _) => part(Key::Nothing, []),
                (false, Some(p)) => part(Key::Panels, [plain(names.join(", ")), p]),
                (false, None) => plain(names.join(", ")),
            }
        };
        let (x, y) = (side(self.a), side(self.b));
        self.say(say(Key::BlockOrder, [x, y]), &family);
    }

    /// Facts that stand for themselves.
    fn simple(&mut self) {
        for topic in TOPICS {
            let name = topic.facts[0];
            if self.differs(name) {
                let said = say(Key::Colon, [self.label(name), self.step(name)]);
                let names = topic.facts.iter().copied();
                let names: Vec<&str> = names.filter(|n| self.differs(n)).collect();
                // Accesses to arrays of a thread are copies of registers when all goes well.
                let prefixes: &[&str] = match name {
                    "barrier.count" => &["sync."],
                    "local.array_bytes" => &["load.local.", "store.local."],
                    _ => &[],
                };
                let all = self.left.iter().copied();
                let more: Vec<&str> = all
                    .filter(|n| prefixes.iter().any(|p| n.starts_with(p)))
                    .collect();
                self.say(said, &[names, more].concat());
            }
        }
    }

    fn others(&mut self) {
        let names: Vec<&'f str> = self.left.iter().copied().collect();
        // Names of synchronisations say again what their facts say.
        let parents = ["barrier.", "fence.", "async.", "mbarrier.", "wait."];
        let parent = |n: &&str| parents.iter().any(|p| n.starts_with(p));
        let told = self.out.iter().flat_map(|s| &s.facts);
        let again = names.iter().any(parent) || told.map(|f| f.name.as_str()).any(|n| parent(&n));
        let shown: Vec<&str> = names
            .iter()
            .copied()
            .filter(|n| !again || !n.starts_with("sync."))
            .collect();
        let count = shown.len();
        let shown: Vec<SaidValue> = shown
            .iter()
            .take(MAX_OTHERS)
            .map(|n| part(Key::Pair, [plain(*n), self.step(n)]))
            .collect();
        if shown.is_empty() {
            return;
        }
        let shown = list(Join::Comma, shown);
        let said = match count.saturating_sub(MAX_OTHERS) {
            0 => say(Key::Also, [shown]),
            n => say(Key::AlsoMore, [shown, plain(n.to_string())]),
        };
        self.say(said, &names);
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
