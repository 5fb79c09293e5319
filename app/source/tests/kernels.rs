//! Facts of kernels in each language, by hand-written sources.

use assay_source::{Analysis, FACTS, Kernel, SourceFile, analyse};

const MACA: &str = include_str!("fixtures/maca_gemm.cu");
const PTX: &str = include_str!("fixtures/kernels.ptx");
const SASS: &str = include_str!("fixtures/h200/mm.sass");
const CUDA: &str = include_str!("fixtures/h200/mm.cu");

fn analysed(language: &str, text: &str) -> Analysis {
    let a = analyse(language, &[SourceFile::new("k", text)]).expect("a known language");
    assert!(a.notices.is_empty(), "{:?}", a.notices);
    a
}

fn holds(k: &Kernel, expected: &[(&str, u64)]) {
    for (name, value) in expected {
        assert_eq!(k.tally.get(name), Some(*value), "{name} of {}", k.name);
    }
}

#[test]
fn maca_source_as_tilelang_writes_it() {
    let a = analysed("maca", MACA);
    holds(
        &a.kernels.kernels[0],
        &[
            ("launch.threads", 64),
            ("launch.min_blocks", 1),
            ("mma.count", 1),
            ("mma.__builtin_mxc_mma_16x16x16f16", 1),
            ("mma.unrolled", 4),
            ("barrier.block", 2),
            ("barrier.warp", 1),
            ("barrier.count", 3),
            ("reduce.count", 1),
            ("load.global.b64", 1),
            ("load.global.b128", 1),
            ("load.global.count", 2),
            ("load.global.width_bits", 128),
            ("store.shared.b64", 1),
            ("store.shared.b128", 1),
            ("load.shared.b64", 2),
            ("store.global.b32", 1),
            ("store.global.b16", 1),
            ("store.local.b128", 2),
            ("load.local.b128", 1),
            ("shared.dynamic", 1),
            ("shared.dynamic_offset", 4096),
            ("local.array_bytes", 64 + 8 + 32 + 4),
            ("loop.count", 6),
            ("loop.unroll", 5),
            ("loop.trips", 32),
            ("swizzle.rasterization2DRow", 1),
            ("swizzle.panel", 8),
        ],
    );
    assert_eq!(a.facts["mma.__builtin_mxc_mma_16x16x16f16"].value, 1.0);
    // The name in a campaign file of today, and recognition by content.
    assert_eq!(analysed("cuda", MACA).facts, a.facts);
    assert_eq!(analysed("auto", MACA).language.name(), "maca");
}

#[test]
fn an_edit_of_one_load_moves_that_load_alone() {
    let scalar = MACA.replace(
        "*(uint4*)(((half_t*)B_shared) + (((int)threadIdx.x) * 8)) = *(uint4*)(B + ",
        "*(uint1*)(((half_t*)B_shared) + (((int)threadIdx.x) * 8)) = *(uint1*)(B + ",
    );
    let (a, b) = (analysed("maca", MACA), analysed("maca", &scalar));
    let differing: Vec<&str> = a
        .facts
        .keys()
        .filter(|n| b.facts.get(*n) != a.facts.get(*n))
        .map(String::as_str)
        .collect();
    assert_eq!(
        differing,
        [
            "load.global.b128",
            "load.global.b32",
            "load.global.width_bits",
            "store.shared.b128",
            "store.shared.b32",
            "store.shared.width_bits"
        ]
    );
}

#[test]
fn plain_cuda_with_helpers_and_inline_assembly() {
    let text = r#"
        constexpr int BM = 64, BK = 32;
        #define STAGES 3
        __device__ __forceinline__ void mma(float* d, const unsigned* a) {
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                         "{%0}, {%1};\n" : "+f"(d[0]) : "r"(a[0]));
        }
        __device__ void unused() { __syncthreads(); mma(0, 0); }
        __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(BM * 2) k(const float4* __restrict__ in, float* out, int n) {
            __shared__ __align__(128) half tile[STAGES][BM * BK];
            __shared__ float flag;
            float d[8];
            #pragma unroll 4
            for (int i = 0; i < 16; i += 4) mma(d, nullptr);
            #pragma unroll 1
            for (int i = 0; i < n; ++i) { out[i] += d[i]; }
            float4 v = in[threadIdx.x];
            reinterpret_cast<float4*>(out)[threadIdx.x] = v;
            *reinterpret_cast<int4*>(&tile[0][8]) = *reinterpret_cast<const int4*>(in + 1);
            float x = __ldg((const float2*)out)->x;
            *out = x; x = *out;
            f(&tile[1][threadIdx.x], (float4*)out);
            asm("bar.sync 1, 64; \n\t cp.async.ca.shared.global [%0], [%1], 16;" ::);
            atomicAdd(out, 1.f);
            x = __shfl_xor_sync(~0u, x, 1);
            __threadfence();
        #if X
            __syncthreads_or(1);
        #endif
        }
        "#;
    let a = analysed("cuda", text);
    let k = &a.kernels.kernels[0];
    assert_eq!(k.helpers, ["mma"]);
    assert_eq!(k.bounds, "__launch_bounds__(BM * 2)");
    holds(
        k,
        &[
            ("launch.threads", 128),
            ("launch.cluster", 2),
            ("mma.count", 1),
            ("mma.mma.sync.m16n8k16", 1),
            ("shared.declarations", 2),
            ("shared.static_bytes", 3 * 64 * 32 * 2 + 4),
            ("local.array_bytes", 32),
            ("loop.unroll", 1),
            ("loop.nounroll", 1),
            ("load.global.b128", 2),
            ("store.global.b128", 1),
            ("store.shared.b128", 1),
            ("load.global.b64", 1),
            ("load.global.b32", 2),
            ("store.global.b32", 2),
            ("load.shared.count", 0),
            ("barrier.block", 1),
            ("barrier.partial", 1),
            ("cp_async.count", 1),
            ("asm.count", 2),
            ("atomic.count", 1),
            ("shuffle.count", 1),
            ("fence.count", 1),
            ("conditional.count", 1),
        ],
    );
    assert_eq!(a.facts["mma.count"].value, 1.0);
}

#[test]
fn ptx_by_kernel() {
    let a = analysed("ptx", PTX);
    let [gemm, scale] = &a.kernels.kernels[..] else {
        panic!("{:?}", a.kernels.kernels)
    };
    holds(
        gemm,
        &[
            ("launch.threads", 128),
            ("launch.min_blocks", 2),
            ("inst.total", 23),
            ("inst.fma", 1),
            ("branch.total", 3),
            ("mma.count", 1),
            ("mma.mma.sync.m16n8k16", 1),
            ("barrier.block", 1),
            ("barrier.partial", 1),
            ("barrier.count", 2),
            ("mbarrier.wait", 1),
            ("fence.count", 1),
            ("load.global.b128", 1),
            ("store.shared.b64", 1),
            ("store.global.b32", 1),
            ("load.param.b64", 1),
            ("ldmatrix.count", 1),
            ("cp_async.count", 1),
            ("async.commit", 1),
            ("async.wait", 1),
            ("tma.load", 1),
            ("tma.store", 1),
            ("shared.declarations", 1),
            ("shared.static_bytes", 4096),
            ("loop.nounroll", 1),
            ("registers.virtual", 33),
        ],
    );
    assert_eq!(gemm.opcodes["bra"], 2);
    assert_eq!(gemm.opcodes["ld.global.nc.v4.u32"], 1);
    holds(
        scale,
        &[
            ("inst.total", 4),
            ("load.global.b16", 1),
            ("local.array_bytes", 32),
            ("mma.count", 0),
        ],
    );
    assert_eq!(scale.tally.get("launch.threads"), None);
    // With several kernels the record names those of each.
    assert_eq!(a.facts["kernel.gemm.mma.count"].value, 1.0);
    assert_eq!(a.facts["kernel.scale.mma.count"].value, 0.0);
    assert_eq!(a.facts["mma.count"].value, 1.0);
    assert_eq!(a.facts["shared.dynamic"].value, 1.0);
}

#[test]
fn sass_of_three_kernels_of_rising_quality() {
    let a = analysed("sass", SASS);
    let names: Vec<&str> = a.kernels.kernels.iter().map(|k| k.base.as_str()).collect();
    assert_eq!(names, ["gemm_wmma", "gemm_shared", "gemm_naive"]);
    let [wmma, shared, naive] = &a.kernels.kernels[..] else {
        panic!()
    };
    holds(
        wmma,
        &[
            ("mma.count", 10),
            ("mma.HMMA.16816.F32", 10),
            ("load.global.b32", 40),
            ("store.global.b32", 4),
            ("barrier.count", 0),
            ("inst.nop", 11),
            ("registers.seen", 30),
        ],
    );
    holds(
        shared,
        &[
            ("inst.fma", 32),
            ("load.shared.b16", 32),
            ("load.shared.b64", 8),
            ("store.shared.b16", 2),
            ("barrier.block", 2),
            ("load.global.width_bits", 16),
        ],
    );
    holds(
        naive,
        &[("mma.count", 0), ("inst.fma", 5), ("load.global.b16", 10)],
    );
    assert_eq!(wmma.opcodes["HMMA.16816.F32"], 10);
    let total: u64 = a.kernels.opcodes.values().sum();
    assert_eq!(total, 568);
    assert_eq!(a.facts["kernel.gemm_wmma.mma.count"].value, 10.0);
}

#[test]
fn the_same_kernels_as_written() {
    let a = analysed("cuda", CUDA);
    let names: Vec<&str> = a.kernels.kernels.iter().map(|k| k.base.as_str()).collect();
    assert_eq!(names, ["gemm_naive", "gemm_shared", "gemm_wmma"]);
    holds(
        &a.kernels.kernels[1],
        &[("shared.static_bytes", 4096), ("barrier.block", 2)],
    );
    holds(&a.kernels.kernels[2], &[("mma.mma_sync", 1)]);
}

#[test]
fn wide_sass_accesses_and_asynchronous_copies() {
    let line = |at: u32, code: &str| format!("        /*{at:04x}*/  {code} ;  /* 0x0 */\n");
    let mut text = String::from("\t\tFunction : f\n");
    for (i, code) in [
        "@P0 LDG.E.128.CONSTANT R4, desc[UR4][R2.64]",
        "STG.E.64 desc[UR4][R2.64], R4",
        "LDSM.16.M88.4 R8, [R3]",
        "STSM.16.M88.4 [R3], R8",
        "LDGSTS.E.BYPASS.128 [R5], desc[UR4][R2.64]",
        "UTMALDG.2D [UR8], [UR4]",
        "UTMASTG.2D [UR8], [UR4]",
        "HGMMA.64x128x16.F32 R24, gdesc[UR4], R24",
        "BAR.SYNC.DEFER_BLOCKING 0x1, 0x80",
        "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR4], R0",
        "LDL.LU R1, [R1+0x8]",
        "STL [R1], R200",
        "HFMA2.MMA R0, -RZ, RZ, 0, 0",
        "EXIT",
    ]
    .into_iter()
    .enumerate()
    {
        text.push_str(&line(i as u32 * 16, code));
    }
    text.push_str("ptxas info    : Compiling entry function 'f' for 'sm_90a'\nptxas info    : Used 168 registers, 8 bytes spill stores, 12 bytes spill loads\n");
    let a = analysed("sass", &text);
    holds(
        &a.kernels.kernels[0],
        &[
            ("load.global.b128", 1),
            ("store.global.b64", 1),
            ("ldmatrix.count", 1),
            ("stmatrix.count", 1),
            ("cp_async.count", 1),
            ("tma.load", 1),
            ("tma.store", 1),
            ("mma.HGMMA.64x128x16.F32", 1),
            ("barrier.partial", 1),
            ("mbarrier.wait", 1),
            ("load.local.b32", 1),
            ("store.local.b32", 1),
            ("inst.fma", 0),
            ("registers.seen", 201),
            ("registers.count", 168),
            ("spill.store_bytes", 8),
            ("spill.load_bytes", 12),
        ],
    );
}

#[test]
fn every_figure_is_in_the_table() {
    for a in [
        analysed("maca", MACA),
        analysed("ptx", PTX),
        analysed("sass", SASS),
    ] {
        for name in a.kernels.total.iter().map(|(n, _)| n) {
            let known = FACTS.iter().any(|f| match f.name.strip_suffix('*') {
                Some(family) => name.starts_with(family),
                None => f.name == name,
            });
            assert!(known, "{name}");
        }
    }
}

#[test]
fn machine_code_beside_its_source_has_facts_under_its_own_name() {
    let files = [
        SourceFile::new("kernel.cu", CUDA),
        SourceFile::new("kernel.ptx", PTX),
        SourceFile::new("kernel.sass", SASS),
    ];
    let alone = analyse("sass", &files[2..]).expect("a known language");
    let source = analyse("cuda", &files[..1]).expect("a known language");
    for language in ["cuda", "auto"] {
        let all = analyse(language, &files).expect("a known language");
        assert!(all.notices.is_empty(), "{:?}", all.notices);
        assert_eq!(all.language.name(), "cuda");
        assert_eq!(all.facts["sass.mma.count"], alone.facts["mma.count"]);
        assert_eq!(all.facts["sass.kernel.count"].value, 3.0);
        assert!(all.facts.contains_key("ptx.inst.total"));
        // The facts of the source are those of the source alone.
        for (name, figure) in &source.facts {
            assert_eq!(&all.facts[name], figure, "{name}");
        }
        let foreign = |n: &&String| n.starts_with("sass.kernel.") && *n != "sass.kernel.count";
        assert_eq!(all.facts.keys().find(foreign), None);
    }
    // What a file is normalised as follows from its own language, too.
    let moved = SASS.replace("/*0010*/", "/*0018*/");
    assert_ne!(moved, SASS);
    let with = |sass: &str| {
        let files = [
            SourceFile::new("k.cu", CUDA),
            SourceFile::new("k.sass", sass),
        ];
        analyse("cuda", &files)
            .expect("a known language")
            .normalised
    };
    assert_eq!(with(SASS), with(&moved));
}
