//! What a call in a kernel does, by the name it is called by.

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// Matrix instruction.
    Mma,
    /// Synchronisation: the fact it counts as, beside its name.
    Sync(&'static str),
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
}

/// The effect of a function; `scope` is the name before `::`, or empty.
pub(super) fn function(scope: &str, name: &str) -> Option<Effect> {
    use Effect::{Count, Load, Mma, Registers, Store, Swizzle, Sync};
    let begins = |prefixes: &[&str]| prefixes.iter().any(|p| name.starts_with(p));
    let cute = matches!(scope, "cute" | "tl");
    Some(match name {
        "mma_sync" | "bmma_sync" => Mma,
        "gemm" if cute => Mma,
        "gemm_ss" | "gemm_rs" | "gemm_sr" | "gemm_rr" | "gemm_ts" | "gemm_sp_ss" => Mma,
        "warpgroup_arrive" | "wgmma_fence" | "warpgroup_fence" => Sync("fence.count"),
        "warpgroup_commit_batch"
        | "wgmma_commit"
        | "cp_async_commit"
        | "cp_async_fence"
        | "tma_store_arrive"
        | "tma_store_commit_group"
        | "__pipeline_commit"
        | "tcgen05_commit"
        | "tcgen05_mma_arrive" => Sync("async.commit"),
        "warpgroup_wait"
        | "wgmma_wait"
        | "cp_async_wait"
        | "tma_store_wait"
        | "__pipeline_wait_prior"
        | "wait_wgmma" => Sync("async.wait"),
        "__sync_thread_partial"
        | "sync_thread_partial"
        | "named_barrier_sync"
        | "named_barrier_arrive"
        | "__named_barrier_sync" => Sync("barrier.partial"),
        "__syncwarp" => Sync("barrier.warp"),
        "sync_grid" | "grid_sync" => Sync("barrier.grid"),
        "mbarrier_init" | "mbar_init" => Sync("mbarrier.init"),
        "mbarrier_wait" | "mbar_wait" | "mbarrier_try_wait" | "mbarrier_test_wait" => {
            Sync("mbarrier.wait")
        }
        "warpgroup_reg_alloc" => Registers("registers.alloc"),
        "warpgroup_reg_dealloc" => Registers("registers.dealloc"),
        "prefetch_tma_descriptor" => Count("tma.prefetch"),
        "__ldg" | "__ldcg" | "__ldca" | "__ldcs" | "__ldlu" | "__ldcv" => Load,
        "__stwb" | "__stcg" | "__stcs" | "__stwt" => Store,
        "AllReduce" if cute => Count("reduce.count"),
        _ if begins(&[
            "__builtin_mxc_mma",
            "__builtin_amdgcn_mfma",
            "__builtin_amdgcn_wmma",
        ]) || begins(&[
            "__builtin_amdgcn_smfmac",
            "wgmma_ss",
            "wgmma_rs",
            "tcgen05mma",
        ]) || begins(&["tcgen05_mma", "mma_m", "warp_mma"]) =>
        {
            Mma
        }
        _ if begins(&["__syncthreads", "__builtin_amdgcn_s_barrier"]) => Sync("barrier.block"),
        _ if begins(&[
            "cluster_sync",
            "cluster_arrive",
            "cluster_wait",
            "sync_cluster",
        ]) =>
        {
            Sync("barrier.cluster")
        }
        _ if begins(&["mbarrier_arrive", "mbar_arrive", "arrive_and_expect"]) => {
            Sync("mbarrier.arrive")
        }
        _ if begins(&[
            "__threadfence",
            "fence_",
            "__builtin_amdgcn_fence",
            "tma_store_fence",
        ]) =>
        {
            Sync("fence.count")
        }
        _ if begins(&["tma_store", "tma_reduce", "bulk_store"]) => Count("tma.store"),
        _ if begins(&["tma_load", "bulk_load"]) => Count("tma.load"),
        _ if begins(&["cp_async", "__pipeline_memcpy_async", "memcpy_async"]) => {
            Count("cp_async.count")
        }
        _ if begins(&["ptx_ldmatrix", "ldmatrix", "ldsm"]) => Count("ldmatrix.count"),
        _ if begins(&["ptx_stmatrix", "stmatrix", "stsm"]) => Count("stmatrix.count"),
        _ if begins(&["atomic", "Atomic", "__hip_atomic", "unsafeAtomic"]) => Count("atomic.count"),
        _ if begins(&[
            "__shfl",
            "__builtin_amdgcn_ds_bpermute",
            "__builtin_amdgcn_ds_swizzle",
        ]) =>
        {
            Count("shuffle.count")
        }
        _ if begins(&["rasterization", "Rasterization"])
            || name.to_ascii_lowercase().contains("swizzle") =>
        {
            Swizzle
        }
        _ => return None,
    })
}

/// The effect of a method, by its name and that of its object.
pub(super) fn method(object: &str, name: &str) -> Option<Effect> {
    use Effect::Sync;
    let object = object.to_ascii_lowercase();
    Some(match name {
        "init" if object.contains("bar") => Sync("mbarrier.init"),
        "wait" | "try_wait" | "test_wait" if object.contains("bar") => Sync("mbarrier.wait"),
        "arrive" | "arrive_and_expect_tx" if object.contains("bar") => Sync("mbarrier.arrive"),
        "arrive_and_wait" => Sync("mbarrier.wait"),
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
