//! The series of generated sources that the project measured on an H200, pair by pair: what a
//! kernel engineer would say of each step must be what the facts say.

use std::collections::BTreeMap;

use assay_source::{Analysis, Language, Passes, SourceFile, analyse, normalise};

macro_rules! sources {
    ($($name:ident = $file:literal;)*) => {
        $(const $name: &str = include_str!(concat!("fixtures/h200/src_", $file, ".cu"));)*
    };
}

sources! {
    V0 = "v0_direct_store";
    V1 = "v1_cshared";
    V2 = "v2_panel4";
    V3 = "v3_panel2_256t";
    V4 = "v4_bk64";
    V5 = "v5_stages3";
    V6 = "v6_256x128";
    V7 = "v7_coal4";
    X = "x_stage4_oversub";
}

fn analysed(text: &str) -> Analysis {
    let a =
        analyse("cuda", &[SourceFile::new("device_kernel.cu", text)]).expect("a known language");
    assert!(a.notices.is_empty(), "{:?}", a.notices);
    a
}

/// The facts that differ, as `name a b`; what is absent is `-`.
fn changes(a: &str, b: &str) -> Vec<String> {
    let (a, b) = (analysed(a), analysed(b));
    let get = |m: &Analysis, n: &str| m.facts.get(n).map_or("-".into(), |f| f.value.to_string());
    let names: BTreeMap<&String, ()> = a
        .facts
        .keys()
        .chain(b.facts.keys())
        .map(|n| (n, ()))
        .collect();
    names
        .into_keys()
        .filter(|n| get(&a, n) != get(&b, n))
        .map(|n| format!("{n} {} {}", get(&a, n), get(&b, n)))
        .collect()
}

#[test]
fn the_direct_store_becomes_staging_stmatrix_and_a_tma_store() {
    assert_eq!(
        changes(V0, V1),
        [
            "async.commit 1 2",
            "async.wait 1 2",
            "barrier.count 1 3",
            "barrier.partial 0 2",
            "fence.count 2 3",
            "load.local.b32 1 8",
            "load.local.b64 2 -",
            "local.array_bytes 516 512",
            "loop.count 7 8",
            "loop.unroll 5 6",
            "stmatrix.count 0 1",
            "store.global.b32 1 0",
            "store.global.count 1 0",
            "store.global.width_bits 32 -",
            "store.local.b32 2 -",
            "sync.__sync_thread_partial - 2",
            "sync.fence_proxy_async - 1",
            "sync.tma_store_arrive - 1",
            "sync.tma_store_wait - 1",
            "tma.prefetch 2 3",
            "tma.store 0 1",
        ]
    );
}

#[test]
fn each_step_of_the_series_is_told_by_its_facts() {
    assert_eq!(
        changes(V1, V2),
        [
            "swizzle.count 0 1",
            "swizzle.panel - 4",
            "swizzle.rasterization2DColumn - 1"
        ]
    );
    // Twice the consumers, half the tile for each.
    assert_eq!(
        changes(V2, V3),
        [
            "launch.threads 256 384",
            "local.array_bytes 512 256",
            "mma.wgmma_ss.m64n128k16 1 -",
            "mma.wgmma_ss.m64n64k16 - 1",
            "swizzle.panel 4 2"
        ]
    );
    // Twice the depth of a step, half the steps.
    assert_eq!(
        changes(V3, V4),
        [
            "loop.trips 224 112",
            "mma.unrolled 4 8",
            "shared.dynamic_offset 16384 32768",
            "tma.expect_bytes 16384 32768"
        ]
    );
    // One more stage: buffers and barriers.
    assert_eq!(
        changes(V4, V5),
        [
            "mbarrier.init 4 6",
            "shared.dynamic_offset 32768 49152",
            "shared.static_bytes 32 48",
            "sync.init 4 6"
        ]
    );
    // Twice the rows.
    assert_eq!(
        changes(V5, V6),
        [
            "local.array_bytes 256 512",
            "mma.unrolled 8 16",
            "shared.dynamic_offset 49152 98304",
            "tma.expect_bytes 32768 49152"
        ]
    );
    assert_eq!(
        changes(V6, X),
        [
            "local.array_bytes 512 1024",
            "mbarrier.init 6 8",
            "mma.wgmma_ss.m64n128k16 - 1",
            "mma.wgmma_ss.m64n64k16 1 -",
            "shared.dynamic_offset 98304 131072",
            "shared.static_bytes 48 64",
            "sync.init 6 8",
            "tma.expect_bytes 49152 65536"
        ]
    );
}

#[test]
fn the_knob_that_does_nothing_is_a_null_pair() {
    let (a, b) = (analysed(V5), analysed(V7));
    assert_eq!(a.normalised, b.normalised);
    assert!(changes(V5, V7).is_empty());
    // Renumbered temporaries, comments and line ends make another file and the same kernel.
    let renamed = V5
        .replace("i_1", "i_17")
        .replace("i_2", "i_41")
        .replace("k_1", "k_9")
        .replace("broadcast_var", "broadcast_var_6")
        .replace("/*0.000000e+00*/", "/* zero */")
        .replace('\n', " // moved\r\n");
    let c = analyse(
        "cuda",
        &[SourceFile::new("device_kernel.cu", renamed.as_str())],
    )
    .unwrap();
    assert_ne!(a.raw, c.raw);
    let n = |t: &str| normalise(Language::Cuda, t, &Passes::default());
    assert_eq!(n(V5).text, n(&renamed).text);
    // The preamble has directives whose continuation would change; here it has none.
    assert_eq!(a.normalised, c.normalised);
    assert_eq!(a.facts, c.facts);
    for other in [V0, V1, V2, V3, V4, V6, X] {
        assert_ne!(analysed(other).normalised, a.normalised);
    }
}

#[test]
fn the_kernel_is_described_in_full() {
    let a = analysed(V2);
    let [k] = &a.kernels.kernels[..] else {
        panic!("{:?}", a.kernels.kernels)
    };
    assert_eq!(
        (k.name.as_str(), k.base.as_str()),
        ("main_kernel", "main_kernel")
    );
    assert_eq!(k.bounds, "__launch_bounds__(256, 1)");
    for (name, value) in [
        ("kernel.count", None),
        ("launch.threads", Some(256)),
        ("launch.min_blocks", Some(1)),
        ("mma.count", Some(1)),
        ("mma.unrolled", Some(4)),
        ("barrier.block", Some(1)),
        ("mbarrier.init", Some(4)),
        ("mbarrier.wait", Some(2)),
        ("mbarrier.arrive", Some(2)),
        ("tma.load", Some(2)),
        ("shared.declarations", Some(1)),
        ("shared.dynamic", Some(1)),
        ("shared.static_bytes", Some(32)),
        ("registers.alloc", Some(240)),
        ("registers.dealloc", Some(24)),
        ("load.global.count", Some(0)),
        ("store.shared.b128", Some(0)),
    ] {
        assert_eq!(k.tally.get(name), value, "{name}");
    }
    assert_eq!(a.facts["kernel.count"].value, 1.0);
    assert_eq!(a.facts["launch.threads"].unit, "threads");
    assert_eq!(a.facts["shared.static_bytes"].unit, "bytes");
}

#[test]
fn what_is_left_is_the_kernel() {
    let n = normalise(Language::Cuda, V1, &Passes::default());
    assert!(n.preamble.contains("#include <tl_templates/cuda/reduce.h>"));
    assert!(!n.preamble.contains("main_kernel"));
    assert!(
        n.text
            .starts_with("extern \"C\" __global__ void main_kernel(")
    );
    for kept in [
        "__launch_bounds__(256,1)",
        "$buf_dyn_shmem+16384",
        "for(int $i=0;$i<16;++$i){",
        "$k<224",
        "float $broadcast_var=0x0p+0f;",
        "blockIdx.y)*128",
    ] {
        assert!(n.text.contains(kept), "{kept}");
    }
    for gone in ["i_1", "k_1", "/*", "//"] {
        assert!(!n.text.contains(gone), "{gone}");
    }
    // A loop that goes renames none of the others.
    let fewer = normalise(Language::Cuda, V0, &Passes::default());
    let (a, b): (Vec<&str>, Vec<&str>) = (n.text.lines().collect(), fewer.text.lines().collect());
    let same = a.iter().filter(|l| b.contains(l)).count();
    assert_eq!(a.len() - same, 12, "lines of v1 that v0 has not");
}
