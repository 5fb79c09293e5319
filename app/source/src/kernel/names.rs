//! The one table of kernel facts: names, units, meaning.

use crate::language::Language;

/// How the figures of several kernels become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fold {
    /// They are added.
    Sum,
    /// The largest counts.
    Most,
}

/// A fact by name. A name that ends in `.*` stands for a family: one fact for each thing counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fact {
    /// Name in gates, records and reports.
    pub name: &'static str,
    /// Unit; `1` for counts.
    pub unit: &'static str,
    /// How those of several kernels become one.
    pub fold: Fold,
    /// Languages that have it: `c` (CUDA, MACA, HIP), `p` (PTX), `s` (SASS), `a` (AMDGCN). A capital letter says
    /// that a text in which there is none of it has the figure 0; otherwise it is absent.
    pub languages: &'static str,
    /// What is counted.
    pub meaning: &'static str,
}

impl Fact {
    /// Whether the fact is stated, as 0, even when there is none of it.
    pub(super) fn always(&self, language: Language) -> bool {
        let letter = match language {
            Language::Ptx => 'P',
            Language::Sass => 'S',
            Language::AsmAmdgcn => 'A',
            l if l.is_device_c() => 'C',
            _ => return false,
        };
        !self.name.ends_with('*') && self.languages.contains(letter)
    }
}

macro_rules! facts {
    ($($name:literal, $unit:literal, $fold:ident, $languages:literal, $meaning:literal;)*) => {
        /// Every fact of kernels.
        pub const FACTS: &[Fact] = &[$(Fact {
            name: $name, unit: $unit, fold: Fold::$fold, languages: $languages, meaning: $meaning,
        },)*];
    };
}

facts! {
    "kernel.count", "1", Sum, "cpsa", "kernels with a body";
    "launch.threads", "threads", Most, "cpa", "most threads a block that launch bounds allow (`__launch_bounds__`, `.maxntid`, `.reqntid`)";
    "launch.min_blocks", "blocks", Most, "cp", "blocks a multiprocessor asked for (second launch bound, `.minnctapersm`)";
    "launch.cluster", "blocks", Most, "cp", "blocks a cluster (`__cluster_dims__`, `.reqnctapercluster`)";
    "launch.bounded", "1", Sum, "CP", "kernels that state launch bounds";
    "mma.count", "1", Sum, "CPSA", "matrix instructions: calls of builtins and of templates that expand to them, and in inline assembly; copies on matrices are none";
    "mma.unrolled", "1", Sum, "C", "the same, times the copies that `#pragma unroll` makes of the loops around each: the literal trip count or the factor";
    "mma.sparse", "1", Sum, "CPSA", "those with a sparse operand (2:4): `wgmma_sp_ss`, `mma.sp`, `HGMMA.SP`, `v_smfmac`";
    "mma.*", "1", Sum, "cpsa", "by name, e.g. `mma.__builtin_mxc_mma_16x16x16f16`; templates also with their first three numbers: `mma.wgmma_ss.m64n128k16`";
    "inst.total", "1", Sum, "PSA", "instructions, without no-operations";
    "inst.nop", "1", Sum, "SA", "no-operations, mostly padding, and in SASS the branch to itself behind the end";
    "inst.fma", "1", Sum, "PSA", "fused multiply-adds of floating-point numbers, scalar or packed";
    "branch.total", "1", Sum, "PSA", "branches, conditional or not";
    "call.total", "1", Sum, "PSA", "calls";
    "barrier.count", "1", Sum, "CPSA", "barriers of threads: the sum of the five below";
    "barrier.block", "1", Sum, "CPSA", "of all threads of a block (`__syncthreads`, `bar.sync 0`)";
    "barrier.partial", "1", Sum, "CPSA", "named ones and those of some threads (`__sync_thread_partial`, `bar.sync 3, 128`)";
    "barrier.warp", "1", Sum, "CPSA", "of a warp (`__syncwarp`, `bar.warp.sync`, `WARPSYNC`)";
    "barrier.cluster", "1", Sum, "CPSA", "of a cluster of blocks";
    "barrier.grid", "1", Sum, "CPSA", "of the whole grid";
    "mbarrier.init", "1", Sum, "CPSA", "initialisations of barrier objects in shared memory";
    "mbarrier.arrive", "1", Sum, "CPSA", "arrivals at them, with or without expected bytes";
    "mbarrier.wait", "1", Sum, "CPSA", "waits and tests";
    "fence.count", "1", Sum, "CPSA", "memory and proxy fences";
    "async.commit", "1", Sum, "CPSA", "commits of groups of asynchronous copies, matrix instructions or stores";
    "async.wait", "1", Sum, "CPSA", "waits for such groups, and on MetaX devices for the counters of such copies (`__builtin_mxc_arrive`)";
    "wait.counters", "1", Sum, "cA", "waits for counters of memory operations on AMD devices (`s_waitcnt`, `s_wait_loadcnt`): the compiler puts them before every use of what was loaded";
    "sync.*", "1", Sum, "cpsa", "everything above from `barrier` to `wait`, by name";
    "load.global.count", "1", Sum, "CPSA", "loads from global memory that the text shows, without asynchronous and TMA copies";
    "store.global.count", "1", Sum, "CPSA", "stores to global memory, likewise";
    "load.shared.count", "1", Sum, "CPSA", "loads from shared memory, without `ldmatrix`";
    "store.shared.count", "1", Sum, "CPSA", "stores to shared memory, without `stmatrix`";
    "load.global.width_bits", "bits", Most, "cpsa", "widest load from global memory";
    "store.global.width_bits", "bits", Most, "cpsa", "widest store to global memory";
    "load.shared.width_bits", "bits", Most, "cpsa", "widest load from shared memory";
    "store.shared.width_bits", "bits", Most, "cpsa", "widest store to shared memory";
    "load.*", "1", Sum, "cpsa", "by memory space and bits of one thread: `load.global.b128`; spaces are global, shared, local, const, param, generic (not known)";
    "store.*", "1", Sum, "cpsa", "likewise";
    "ldmatrix.count", "1", Sum, "CPSA", "loads of matrix fragments from shared memory (`ldmatrix`, `LDSM`)";
    "stmatrix.count", "1", Sum, "CPSA", "stores of matrix fragments to shared memory (`stmatrix`, `STSM`)";
    "cp_async.count", "1", Sum, "CPSA", "asynchronous copies by threads (`cp.async`, `LDGSTS`, `__builtin_mxc_ldg_b128_bsm`)";
    "tma.load", "1", Sum, "CPSA", "bulk copies to shared memory (`tma_load`, `cp.async.bulk`, `UTMALDG`)";
    "tma.store", "1", Sum, "CPSA", "bulk copies from shared memory";
    "tma.expect_bytes", "bytes", Sum, "cp", "bytes that barriers are told to expect, as far as the text says a number: what one stage of a pipeline brings";
    "tma.prefetch", "1", Sum, "CPSA", "prefetches of descriptors and of bulk data";
    "atomic.count", "1", Sum, "CPSA", "atomic operations on memory";
    "shuffle.count", "1", Sum, "CPSA", "exchanges between the lanes of a warp";
    "reduce.count", "1", Sum, "C", "calls of reduction templates (`tl::AllReduce`)";
    "shared.declarations", "1", Sum, "CP", "static arrays and variables in shared memory";
    "shared.static_bytes", "bytes", Sum, "cpsa", "their size; absent when one of them is not plain";
    "shared.dynamic", "1", Sum, "CP", "declarations of dynamic shared memory (`extern __shared__`)";
    "shared.dynamic_offset", "bytes", Most, "c", "largest constant offset at which a buffer begins in it: a lower bound of its size";
    "local.array_bytes", "bytes", Sum, "cp", "arrays of a thread: accumulators, fragments, the local depot; registers when all goes well";
    "loop.count", "1", Sum, "C", "loops";
    "loop.unroll", "1", Sum, "CP", "unroll pragmas that ask for it";
    "loop.nounroll", "1", Sum, "CP", "unroll pragmas that forbid it (`#pragma unroll 1`, `nounroll`)";
    "loop.trips", "1", Most, "c", "largest literal trip count of a loop that is not unrolled, or what is left of it by a factor";
    "swizzle.count", "1", Sum, "C", "calls that order blocks or swizzle addresses (`rasterization2DColumn`)";
    "swizzle.panel", "1", Most, "c", "largest number in their template arguments";
    "swizzle.*", "1", Sum, "c", "by name";
    "asm.count", "1", Sum, "C", "inline assembly statements; the PTX in them is counted like calls";
    "conditional.count", "1", Sum, "C", "preprocessor conditions inside kernels; all their branches are counted, but for those of `#if 0` and `#if 1` that are never read";
    "registers.count", "registers", Most, "cpsa", "registers a thread as the compiler stated (`ptxas -v`, resource usage, section info)";
    "registers.scalar", "registers", Most, "a", "scalar registers of a wave (`.sgpr_count`)";
    "registers.accumulator", "registers", Most, "a", "accumulation registers a lane (`.agpr_count`)";
    "registers.seen", "registers", Most, "sa", "highest general register in the text, plus one";
    "registers.virtual", "registers", Sum, "p", "virtual registers declared";
    "registers.limit", "registers", Most, "cp", "limit asked for (`__maxnreg__`, `.maxnreg`)";
    "registers.alloc", "registers", Most, "cpsa", "largest `setmaxnreg` increase (`warpgroup_reg_alloc`)";
    "registers.dealloc", "registers", Most, "cpsa", "largest `setmaxnreg` decrease";
    "spill.store_bytes", "bytes", Sum, "cpsa", "bytes of spill stores as the compiler stated";
    "spill.load_bytes", "bytes", Sum, "cpsa", "bytes of spill loads as the compiler stated";
    "spill.count", "registers", Sum, "a", "registers that are spilled, vector and scalar (`.vgpr_spill_count`, `.sgpr_spill_count`)";
    "stack.bytes", "bytes", Most, "cpsa", "stack frame as the compiler stated";
}

/// The table of facts as Markdown, for the reference pages.
pub fn facts_as_markdown() -> String {
    let mut out =
        String::from("| Fact | Unit | Of | Several kernels | Meaning |\n|---|---|---|---|---|\n");
    for f in FACTS {
        let of: Vec<&str> = [('c', "C++"), ('p', "PTX"), ('s', "SASS"), ('a', "AMDGCN")]
            .into_iter()
            .filter(|(letter, _)| f.languages.to_ascii_lowercase().contains(*letter))
            .map(|(_, name)| name)
            .collect();
        let fold = match f.fold {
            Fold::Sum => "sum",
            Fold::Most => "largest",
        };
        out.push_str(&format!(
            "| `{}` | {} | {} | {fold} | {} |\n",
            f.name,
            f.unit,
            of.join(", "),
            f.meaning
        ));
    }
    out
}

/// The fact of a name, or the family that it belongs to.
pub(super) fn fact(name: &str) -> Option<&'static Fact> {
    FACTS.iter().find(|f| f.name == name).or_else(|| {
        FACTS.iter().find(|f| {
            (f.name.strip_suffix('*')).is_some_and(|p| name.starts_with(p) && name.len() > p.len())
        })
    })
}

/// The names of the histograms of loads and stores in global and shared memory, which are always
/// stated: by kind, space and width.
pub(super) const HISTOGRAM: &[&str] = &[
    "load.global.b8",
    "load.global.b16",
    "load.global.b32",
    "load.global.b64",
    "load.global.b128",
    "load.global.b256",
    "load.shared.b8",
    "load.shared.b16",
    "load.shared.b32",
    "load.shared.b64",
    "load.shared.b128",
    "load.shared.b256",
    "store.global.b8",
    "store.global.b16",
    "store.global.b32",
    "store.global.b64",
    "store.global.b128",
    "store.global.b256",
    "store.shared.b8",
    "store.shared.b16",
    "store.shared.b32",
    "store.shared.b64",
    "store.shared.b128",
    "store.shared.b256",
];

/// The place of an access in [`HISTOGRAM`], if it is there.
pub(super) fn histogram_place(kind: &str, space: &str, bits: u64) -> Option<usize> {
    let kind = match kind {
        "load" => 0,
        "store" => 12,
        _ => return None,
    };
    let space = match space {
        "global" => 0,
        "shared" => 6,
        _ => return None,
    };
    let width = [8, 16, 32, 64, 128, 256].iter().position(|b| *b == bits)?;
    Some(kind + space + width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fact_has_one_line() {
        for (i, f) in FACTS.iter().enumerate() {
            assert!(!f.meaning.is_empty() && !f.languages.is_empty());
            assert!(FACTS[..i].iter().all(|g| g.name != f.name), "{}", f.name);
        }
        assert_eq!(fact("load.local.b32").map(|f| f.name), Some("load.*"));
        assert_eq!(fact("launch.threads").map(|f| f.fold), Some(Fold::Most));
        assert_eq!(fact("mma."), None);
        assert_eq!(
            histogram_place("store", "shared", 64).map(|n| HISTOGRAM[n]),
            Some("store.shared.b64")
        );
        assert_eq!(histogram_place("load", "global", 8), Some(0));
        assert_eq!(histogram_place("load", "local", 8), None);
        let table = facts_as_markdown();
        assert_eq!(table.lines().count(), FACTS.len() + 2);
        assert!(table.lines().all(|l| l.matches('|').count() == 6));
    }
}
