//! The one table of which facts go with which counters.

/// In which sense a counter goes with a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sense {
    /// Both grow.
    Same,
    /// One grows, the other shrinks.
    Opposite,
    /// It may go either way, and yet belongs together.
    Either,
}

/// A fact and the counters to read beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// Name of the fact. `load.global.mean_bits` and its like are the mean over the histogram.
    pub fact: &'static str,
    /// What the fact is, in a sentence.
    pub label: &'static str,
    /// Canonical names of counters, what they are in a sentence, and the sense.
    pub counters: &'static [(&'static str, &'static str, Sense)],
}

macro_rules! links {
    ($($fact:literal, $label:literal: $($counter:literal, $name:literal, $sense:ident;)*)|*) => {
        /// Facts and the counters that go with them.
        pub const LINKS: &[Link] = &[$(Link {
            fact: $fact,
            label: $label,
            counters: &[$(($counter, $name, Sense::$sense)),*],
        }),*];
    };
}

links! {
    "load.global.mean_bits", "mean width of global loads":
        "inst.global.load", "global read instructions", Opposite;
        "global.load.requests", "global load requests", Opposite; |
    "load.global.count", "global loads in the text":
        "inst.global.load", "global read instructions", Same;
        "global.load.requests", "global load requests", Same; |
    "store.global.mean_bits", "mean width of global stores":
        "inst.global.store", "global write instructions", Opposite;
        "global.store.requests", "global store requests", Opposite; |
    "store.global.count", "global stores in the text":
        "inst.global.store", "global write instructions", Same;
        "global.store.requests", "global store requests", Same; |
    "load.shared.mean_bits", "mean width of shared loads":
        "inst.shared.load", "shared read instructions", Opposite; |
    "store.shared.mean_bits", "mean width of shared stores":
        "inst.shared.store", "shared write instructions", Opposite; |
    "ldmatrix.count", "matrix loads from shared memory":
        "shared.bank_conflicts.load", "bank conflicts of shared loads", Either; |
    "stmatrix.count", "matrix stores to shared memory":
        "shared.bank_conflicts.store", "bank conflicts of shared stores", Either;
        "inst.shared.store", "shared write instructions", Same; |
    "tma.load", "bulk loads":
        "inst.global.load", "global read instructions", Opposite; |
    "tma.store", "bulk stores":
        "inst.global.store", "global write instructions", Opposite;
        "global.store.sectors", "sectors written to global memory", Opposite; |
    "cp_async.count", "asynchronous copies":
        "inst.shared.store", "shared write instructions", Opposite; |
    "mma.count", "matrix instructions in the text":
        "inst.mma", "matrix instructions executed", Either; |
    "mma.unrolled", "matrix instructions after unrolling":
        "stall.issue.gmma", "stalls on matrix instructions", Either;
        "duty.mma", "use of the matrix unit", Either; |
    "loop.trips", "steps of the longest loop":
        "branch.executed", "branches executed", Same;
        "stall.issue.barrier", "stalls at barriers", Same; |
    "barrier.count", "barriers in the text":
        "stall.issue.barrier", "stalls at barriers", Same; |
    "mbarrier.init", "barrier objects":
        "stall.issue.long_scoreboard", "stalls on global memory", Either;
        "resource.shared.total", "shared memory of a block", Same; |
    "shared.dynamic_offset", "last buffer in dynamic shared memory":
        "resource.shared.dynamic", "dynamic shared memory", Same;
        "occupancy.limit.shared", "blocks that shared memory allows", Opposite; |
    "shared.static_bytes", "static shared memory":
        "resource.shared.static", "static shared memory of the binary", Same;
        "occupancy.limit.shared", "blocks that shared memory allows", Opposite; |
    "launch.threads", "threads a block may have":
        "launch.workgroup_threads", "threads of a block", Same;
        "resource.registers", "registers a thread", Opposite; |
    "registers.count", "registers a thread":
        "resource.registers", "registers a thread of the binary", Same;
        "occupancy.theoretical", "theoretical occupancy", Opposite; |
    "local.array_bytes", "arrays of a thread":
        "resource.registers", "registers a thread", Same; |
    "spill.store_bytes", "spill stores":
        "inst.spill", "spill instructions", Same;
        "resource.spill.stores", "spill stores of the binary", Same; |
    "spill.load_bytes", "spill loads":
        "inst.spill", "spill instructions", Same;
        "resource.spill.loads", "spill loads of the binary", Same; |
    "swizzle.panel", "panel of the block order":
        "cache.l2.hit_rate", "hit rate of the L2 cache", Either;
        "mem.read_bytes", "bytes read from memory", Either; |
    "swizzle.count", "calls that order blocks or swizzle addresses":
        "cache.l2.hit_rate", "hit rate of the L2 cache", Either;
        "mem.read_bytes", "bytes read from memory", Either;
        "shared.bank_conflicts", "bank conflicts", Either; |
    "vector.width_bits", "widest vector":
        "inst.total", "instructions", Opposite; |
    "vector.fma", "vector multiply-adds in the text":
        "inst.fma", "multiply-adds executed", Either;
        "inst.total", "instructions", Either; |
    "stack.spills", "stores of registers to the stack":
        "cache.l1d.write_misses", "write misses of the L1 cache", Either;
        "inst.total", "instructions", Same; |
    "branch.total", "branches in the text":
        "branch.executed", "branches executed", Same;
        "branch.missed", "branches missed", Same;
}

/// The table as Markdown, for the reference pages.
pub fn links_as_markdown() -> String {
    let mut out =
        String::from("| Fact | What it is | Counters, and how they go with it |\n|---|---|---|\n");
    for l in LINKS {
        let counters: Vec<String> = (l.counters.iter())
            .map(|(name, _, sense)| {
                let how = match sense {
                    Sense::Same => "same way",
                    Sense::Opposite => "other way",
                    Sense::Either => "either way",
                };
                format!("`{name}` ({how})")
            })
            .collect();
        out.push_str(&format!(
            "| `{}` | {} | {} |\n",
            l.fact,
            l.label,
            counters.join(", ")
        ));
    }
    out
}
