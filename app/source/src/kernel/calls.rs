//! What a call in a kernel does, by the name it is called by: tables of names.

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// Matrix instruction.
    Mma,
    /// Synchronisation: the fact it counts as, beside its name.
    Sync(&'static str),
    /// A barrier, or a wait alone where the first argument is 0.
    SyncOrWait,
    /// Anything with a fact of its own.
    Count(&'static str),
    /// Orders blocks or swizzles addresses.
    Swizzle,
    /// `setmaxnreg`: the fact that takes its number.
    Registers(&'static str),
    /// Load through a pointer argument.
    Load,
    /// Store through a pointer argument.
    Store,
    /// Access to global memory of as many bits as the name says: `load` or `store`.
    Wide(&'static str),
    /// An arrival that says how many bytes will come.
    Expect,
    /// Says how many bytes will come, without an arrival.
    ExpectAlone,
}

use Effect::{
    Count, Expect, ExpectAlone, Load, Mma, Registers, Store, Swizzle, Sync, SyncOrWait, Wide,
};

type Rules = &'static [(Effect, &'static [&'static str])];

/// Functions by their whole name, in any scope.
const NAMES: Rules = &[
    (Mma, &["mma_sync", "bmma_sync"]),
    (
        Mma,
        &[
            "gemm_ss",
            "gemm_rs",
            "gemm_sr",
            "gemm_rr",
            "gemm_ts",
            "gemm_sp_ss",
            "gemm_sp_rs",
            "gemm_sp_sr",
            "gemm_sp_rr",
            "gemm_sp_ts",
        ],
    ),
    (
        Sync("fence.count"),
        &["warpgroup_arrive", "wgmma_fence", "warpgroup_fence"],
    ),
    (
        Sync("async.commit"),
        &[
            "warpgroup_commit_batch",
            "wgmma_commit",
            "tma_store_arrive",
            "tma_store_commit_group",
            "__pipeline_commit",
            "tcgen05_commit",
            "tcgen05_mma_arrive",
        ],
    ),
    (
        Sync("async.wait"),
        &[
            "warpgroup_wait",
            "wgmma_wait",
            "tma_store_wait",
            "__pipeline_wait_prior",
            "wait_wgmma",
            "arrive_gvmcnt",
            "arrive_bsmcnt",
        ],
    ),
    (
        Sync("barrier.partial"),
        &[
            "__sync_thread_partial",
            "sync_thread_partial",
            "named_barrier_sync",
            "named_barrier_arrive",
            "__named_barrier_sync",
        ],
    ),
    (Sync("barrier.warp"), &["__syncwarp"]),
    (Sync("barrier.grid"), &["sync_grid", "grid_sync"]),
    (
        Sync("barrier.block"),
        &["block_sync_lds", "block_sync_lds_direct_load"],
    ),
    (Sync("mbarrier.init"), &["mbarrier_init", "mbar_init"]),
    (
        Sync("mbarrier.wait"),
        &[
            "mbarrier_wait",
            "mbar_wait",
            "mbarrier_try_wait",
            "mbarrier_test_wait",
        ],
    ),
    (Registers("registers.alloc"), &["warpgroup_reg_alloc"]),
    (Registers("registers.dealloc"), &["warpgroup_reg_dealloc"]),
    (Count("tma.prefetch"), &["prefetch_tma_descriptor"]),
    (
        Load,
        &[
            "__ldg",
            "__ldcg",
            "__ldca",
            "__ldcs",
            "__ldlu",
            "__ldcv",
            "__builtin_nontemporal_load",
        ],
    ),
    (Store, &["__stwb", "__stcg", "__stcs", "__stwt"]),
];

/// Functions by the beginning of their name; the first that fits counts.
const BEGINNINGS: Rules = &[
    (
        Mma,
        &[
            "__builtin_mxc_mma",
            "__builtin_amdgcn_mfma",
            "__builtin_amdgcn_wmma",
            "__builtin_amdgcn_smfmac",
            "__builtin_amdgcn_swmmac",
            "wgmma_ss",
            "wgmma_rs",
            "wgmma_sp",
            "tcgen05mma",
            "tcgen05_mma",
            "mma_m",
            "mma_sp",
            "ptx_mma_sp",
            "mma_16x16",
            "warp_mma",
            "HMMA16",
            "HMMA_16",
        ],
    ),
    (SyncOrWait, &["__builtin_mxc_barrier_and_wait"]),
    (
        Sync("barrier.block"),
        &[
            "__syncthreads",
            "__builtin_amdgcn_s_barrier",
            "__builtin_mxc_barrier",
        ],
    ),
    (
        Sync("async.wait"),
        &[
            "__builtin_mxc_arrive",
            "cp_async_wait",
            "cp_async_bulk_wait",
            "CP_ASYNC_WAIT",
        ],
    ),
    (
        Sync("wait.counters"),
        &["__builtin_amdgcn_s_waitcnt", "__builtin_amdgcn_s_wait_"],
    ),
    (
        Sync("async.commit"),
        &[
            "cp_async_commit",
            "cp_async_bulk_commit",
            "cp_async_fence",
            "CP_ASYNC_COMMIT",
        ],
    ),
    (
        Sync("barrier.cluster"),
        &[
            "cluster_sync",
            "cluster_arrive",
            "cluster_wait",
            "sync_cluster",
        ],
    ),
    (
        Expect,
        &[
            "mbarrier_arrive_expect",
            "mbar_arrive_expect",
            "arrive_and_expect",
        ],
    ),
    (
        ExpectAlone,
        &["mbarrier_expect_tx", "mbar_expect_tx", "expect_transaction"],
    ),
    (Sync("mbarrier.arrive"), &["mbarrier_arrive", "mbar_arrive"]),
    (
        Sync("fence.count"),
        &[
            "__threadfence",
            "fence_",
            "__builtin_amdgcn_fence",
            "tma_store_fence",
        ],
    ),
    (
        Count("tma.store"),
        &["tma_store", "tma_reduce", "bulk_store"],
    ),
    (
        Count("tma.load"),
        &["tma_load", "bulk_load", "cp_async_bulk"],
    ),
    (
        Count("cp_async.count"),
        &[
            "cp_async",
            "CP_ASYNC",
            "__pipeline_memcpy_async",
            "memcpy_async",
            "__builtin_amdgcn_global_load_lds",
            "__builtin_amdgcn_raw_ptr_buffer_load_lds",
        ],
    ),
    (
        Count("ldmatrix.count"),
        &[
            "ptx_ldmatrix",
            "ldmatrix",
            "LDMATRIX",
            "ldsm",
            "__builtin_mxc_load_shared_trans",
        ],
    ),
    (
        Count("stmatrix.count"),
        &["ptx_stmatrix", "stmatrix", "STMATRIX", "stsm"],
    ),
    (
        Wide("load"),
        &[
            "__builtin_mxc_ldg_b",
            "__builtin_mxc_load_global_async",
            "LDG_B",
        ],
    ),
    (Wide("store"), &["__builtin_mxc_stg_b", "STG_B"]),
    (
        Count("atomic.count"),
        &["atomic", "Atomic", "__hip_atomic", "unsafeAtomic"],
    ),
    (
        Count("shuffle.count"),
        &[
            "__shfl",
            "__builtin_amdgcn_ds_bpermute",
            "__builtin_amdgcn_ds_swizzle",
        ],
    ),
    (Swizzle, &["rasterization", "Rasterization"]),
];

/// Functions whose names say little without the scope before `::`.
const SCOPED: &[(&[&str], Effect, &[&str])] = &[
    (&["cute", "tl"], Mma, &["gemm"]),
    (&["tl", "cute"], Count("reduce.count"), &["AllReduce"]),
    (
        &["NamedBarrier"],
        Sync("barrier.partial"),
        &["sync", "arrive", "arrive_and_wait"],
    ),
    (
        &["cg", "cooperative_groups"],
        Sync("barrier.block"),
        &["sync"],
    ),
];

/// Functions of libraries by names that others have too: they count where the text itself has no
/// function of that name.
const UNSCOPED: Rules = &[(Mma, &["gemm"])];

fn among(rules: Rules, fits: impl Fn(&str) -> bool) -> Option<Effect> {
    let found = rules
        .iter()
        .find(|(_, names)| names.iter().any(|n| fits(n)));
    found.map(|(effect, _)| *effect)
}

/// The effect of a function; `scope` is the name before `::`, or empty.
pub(super) fn function(scope: &str, name: &str) -> Option<Effect> {
    let scoped = || {
        let found = SCOPED
            .iter()
            .find(|(scopes, _, names)| scopes.contains(&scope) && names.contains(&name));
        found.map(|(_, effect, _)| *effect)
    };
    let has = |parts: &[&str]| parts.iter().any(|p| name.contains(p));
    let directed = |e| match e {
        // `ldg_b128_bsm` goes to shared memory, and nothing waits for it.
        Wide("load") if has(&["_bsm", "_BSM"]) => Count("cp_async.count"),
        Count("tma.load") if has(&["store", "s2g", "reduce", "global_shared"]) => {
            Count("tma.store")
        }
        Count("tma.load") if has(&["prefetch"]) => Count("tma.prefetch"),
        e => e,
    };
    among(NAMES, |n| n == name)
        .or_else(|| among(BEGINNINGS, |n| name.starts_with(n)))
        .map(directed)
        .or_else(scoped)
        .or_else(|| {
            name.to_ascii_lowercase()
                .contains("swizzle")
                .then_some(Swizzle)
        })
}

/// The effect of a function that is called without a scope and that the text does not define.
pub(super) fn unscoped(name: &str) -> Option<Effect> {
    among(UNSCOPED, |n| n == name)
}

/// Whether a name has an effect in some scope.
pub(super) fn in_some_scope(name: &str) -> bool {
    function("", name).is_some()
        || unscoped(name).is_some()
        || SCOPED.iter().any(|(_, _, names)| names.contains(&name))
}

/// Bits that the name of an access says: 128 of `ldg_b128` and `load_global_async128`.
pub(super) fn bits(name: &str) -> Option<u64> {
    let at = ["_b", "_B", "async"]
        .iter()
        .flat_map(|m| name.match_indices(m).map(|(i, m)| i + m.len()))
        .find(|i| name[*i..].starts_with(|c: char| c.is_ascii_digit()))?;
    let digits = name[at..].bytes().take_while(u8::is_ascii_digit).count();
    let n = name[at..at + digits].parse().ok()?;
    matches!(n, 8 | 16 | 32 | 64 | 96 | 128 | 256).then_some(n)
}

/// The effect of a method, by its name and that of its object.
pub(super) fn method(object: &str, name: &str) -> Option<Effect> {
    let object = object.to_ascii_lowercase();
    Some(match name {
        "init" if object.contains("bar") => Sync("mbarrier.init"),
        "wait" | "try_wait" | "test_wait" if object.contains("bar") => Sync("mbarrier.wait"),
        "arrive_and_expect_tx" if object.contains("bar") => Expect,
        "expect_transaction" if object.contains("bar") => ExpectAlone,
        "arrive" if object.contains("bar") => Sync("mbarrier.arrive"),
        "arrive_and_wait" => Sync("mbarrier.wait"),
        "producer_commit" => Sync("async.commit"),
        "consumer_wait" => Sync("async.wait"),
        "sync" if object.contains("grid") => Sync("barrier.grid"),
        "sync" if object.contains("cluster") => Sync("barrier.cluster"),
        "sync" if ["block", "cta", "tb"].iter().any(|b| object.contains(b)) => {
            Sync("barrier.block")
        }
        "sync" if object.contains("warp") => Sync("barrier.warp"),
        "sync" if object.contains("tile") => Sync("barrier.partial"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_is_done() {
        for (scope, name, effect) in [
            (
                "",
                "__builtin_mxc_ldg_b128_bsm_predicator",
                Some(Count("cp_async.count")),
            ),
            (
                "",
                "LDG_B128_BSM_WITH_PREDICATOR",
                Some(Count("cp_async.count")),
            ),
            ("", "__builtin_mxc_ldg_b64_predicator", Some(Wide("load"))),
            ("", "__builtin_mxc_arrive_gvmcnt", Some(Sync("async.wait"))),
            ("", "__builtin_mxc_barrier_and_wait4", Some(SyncOrWait)),
            (
                "",
                "__builtin_mxc_barrier_inst",
                Some(Sync("barrier.block")),
            ),
            ("tl", "cp_async_wait_all", Some(Sync("async.wait"))),
            ("tl", "gemm", Some(Mma)),
            ("tl", "wgmma_sp_ss", Some(Mma)),
            ("tl", "mma_sp_sync", Some(Mma)),
            ("", "gemm_sp_rs", Some(Mma)),
            (
                "",
                "__builtin_amdgcn_s_waitcnt",
                Some(Sync("wait.counters")),
            ),
            ("", "gemm", None),
            ("", "sync", None),
            ("NamedBarrier", "sync", Some(Sync("barrier.partial"))),
            ("", "getSwizzledOffset", Some(Swizzle)),
            ("", "printf", None),
        ] {
            assert_eq!(function(scope, name), effect, "{name}");
        }
        assert_eq!(bits("__builtin_mxc_ldg_b128_bsm"), Some(128));
        assert_eq!(bits("__builtin_mxc_load_global_async64"), Some(64));
        assert_eq!(bits("__builtin_mxc_stg_b64_predicator"), Some(64));
        assert_eq!(bits("LDG_B128"), Some(128));
        assert_eq!(bits("x_b7"), None);
        assert!(in_some_scope("sync") && in_some_scope("gemm") && !in_some_scope("f"));
    }
}
