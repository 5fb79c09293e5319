//! How people write kernels: each form with the facts counted by hand.

use assay_source::{Analysis, SourceFile, analyse};

fn analysed(text: &str) -> Analysis {
    analyse("cuda", &[SourceFile::new("k.cu", text)]).expect("a known language")
}

/// Checks facts of the body of a kernel; `expected` is `fact=value …`, and `-` for an absent one.
fn holds(before: &str, body: &str, expected: &str) {
    let text = format!(
        "{before}\n__global__ void k(float* __restrict__ A, const float* __restrict__ B, half* C, int n) {{\n{body}\n}}\n"
    );
    let a = analysed(&text);
    for e in expected.split_whitespace() {
        let (name, value) = e.split_once('=').expect("fact=value");
        let found = a
            .facts
            .get(name)
            .map_or("-".to_owned(), |f| f.value.to_string());
        assert_eq!(found, value, "{name} of\n{text}");
    }
}

#[test]
fn accesses_hide_behind_macros() {
    holds(
        "#define FETCH_FLOAT4(p) (reinterpret_cast<float4*>(&(p))[0])",
        "float r[4]; __shared__ float s[64];\n\
         FETCH_FLOAT4(r[0]) = FETCH_FLOAT4(B[n]); FETCH_FLOAT4(s[n]) = FETCH_FLOAT4(r[0]);\n\
         FETCH_FLOAT4(A[n]) = FETCH_FLOAT4(s[4]);",
        "load.global.b128=1 store.global.b128=1 store.shared.b128=1 load.shared.b128=1 \
         load.local.b128=1 load.global.b32=0 store.global.b32=0",
    );
    holds(
        "#define LD128(p) (*(const float4*)(p))\n#define ST128(p, v) *(float4*)(p) = v",
        "float4 v = LD128(&B[n]); ST128(A + n, v);",
        "load.global.b128=1 store.global.b128=1 load.global.count=1",
    );
    holds(
        "#define MMA(d, a) asm volatile(\"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0}, {%1};\" \\\n : \"+f\"(d) : \"r\"(a))\n\
         #define BOTH(d, a) do { MMA(d, a); MMA(d, a); __syncthreads(); } while (0)\n#define SYNC() __syncthreads()",
        "#pragma unroll\nfor (int i = 0; i < 4; ++i) { MMA(x, y); }\nBOTH(x, y); SYNC();",
        "mma.count=3 mma.mma.sync.m16n8k16=3 mma.unrolled=6 barrier.block=2",
    );
}

#[test]
fn accesses_of_pointers_and_types_with_other_names() {
    holds(
        "",
        "const float4* B4 = reinterpret_cast<const float4*>(B); float4 v = B4[n]; ((float4*)A)[n] = v;",
        "load.global.b128=1 store.global.b128=1",
    );
    holds(
        "",
        "*(A + 1) = *(B + n); *A++ = 1; A[n]++; --A[0]; float* p = &A[n]; use(&A[1], A);",
        "store.global.b32=4 load.global.b32=3",
    );
    holds(
        "typedef float4 v4; using f2 = float2; typedef float f8 __attribute__((ext_vector_type(8)));",
        "v4 v = *(v4*)(B + n); *(v4*)(A + n) = v; f2 q = *(f2*)B; *(f8*)A = 0;",
        "load.global.b128=1 store.global.b128=1 load.global.b64=1 store.global.b256=1",
    );
    // Types that are not known are accesses of a width that is not known.
    holds(
        "",
        "Vec w = *(const Vec*)(B); reinterpret_cast<Pack*>(A)[n] = w;",
        "load.global.count=1 load.global.unknown=1 store.global.unknown=1",
    );
    holds(
        "",
        "float4 w = __ldg(reinterpret_cast<const float4*>(B)); uint4 q = __ldcs((const uint4*)B + n);\n\
         __stcs(reinterpret_cast<float4*>(A), w); float v = __ldg(B + n);",
        "load.global.b128=2 store.global.b128=1 load.global.b32=1",
    );
    holds(
        "constexpr int BM = 64;\n#define BK (32 / 2)\n#define NT (4 << 5)",
        "__shared__ half As[2][BM * BK]; __shared__ char raw[sizeof(float) * NT];",
        "shared.static_bytes=4608 shared.declarations=2",
    );
}

#[test]
fn accesses_through_records_and_pointers_to_arrays() {
    let declared = "struct __align__(16) Params {\n float* out; const half2 *__restrict__ a, *b;\n \
                    void f() { int q; }\n int strides[4]; int n;\n};\n\
                    template <typename T> struct Typed { T* out; };\n";
    let kernel = |arguments: &str, body: &str| {
        let a = analysed(&format!(
            "{declared}__global__ void k({arguments}) {{\n{body}\n}}\n"
        ));
        let of = |(n, v): (&String, &assay_core::record::Figure)| {
            let kept = (n.starts_with("load.") || n.starts_with("store."))
                && v.value > 0.0
                && !n.ends_with("width_bits")
                && !n.ends_with(".count");
            kept.then(|| format!("{n}={}", v.value))
        };
        a.facts.iter().filter_map(of).collect::<Vec<_>>().join(" ")
    };
    for (arguments, body, expected) in [
        (
            "const __grid_constant__ Params p",
            "half2 v = p.a[i]; p.out[p.strides[0]] += 1; use(&p.out[1], p.n);",
            "load.global.b32=2 store.global.b32=1",
        ),
        (
            "Params* q",
            "q->out[i] = *q->b;",
            "load.global.b32=1 store.global.b32=1",
        ),
        (
            "Params p",
            "*reinterpret_cast<float4*>(p.out) = ((const float4*)p.a)[i];",
            "load.global.b128=1 store.global.b128=1",
        ),
        ("Typed<float> p", "p.out[i] = 0;", "store.global.unknown=1"),
        // What is not declared may lie anywhere.
        (
            "Others p, dim3 g",
            "p.out[i] = p.in[i][j]; float x = p.scale * g.x;",
            "load.generic.unknown=1 store.generic.unknown=1",
        ),
        (
            "float (*A)[16], const half (* __restrict__ B)[8]",
            "A[i][j] = B[i][j]; (*A)[j] = 0; float x = (*B)[3]; use(A[i]);",
            "load.global.b16=2 store.global.b32=2",
        ),
        (
            "float* p",
            "__shared__ float s[64]; float (*t)[8] = (float (*)[8])s; t[i][j] = 1; t[0][1]++;",
            "load.shared.b32=1 store.shared.b32=2",
        ),
    ] {
        assert_eq!(kernel(arguments, body), expected, "{arguments}: {body}");
    }
}

#[test]
fn builtins_of_maca() {
    holds(
        "#define arrive_gvmcnt(n) __builtin_mxc_arrive(64 + n)",
        "auto token = __builtin_mxc_ldg_b128_bsm_predicator(s, B, 0, 1, 1, 0, 1, n, 1, MACA_ICMP_SLT);\n\
         __builtin_mxc_ldg_b64_bsm(s, B, 0, -1);\n\
         LDG_B128_BSM_WITH_PREDICATOR(s, B, 0, 1, 1, 0, 1, 0);\n\
         v4 r = __builtin_mxc_ldg_b128(B, 0, -1, 1, 0, 0, 0);\n\
         q = __builtin_mxc_load_global_async64((int64_t*)B);\n\
         __builtin_mxc_stg_b64_predicator(A, 0, r, 1, 1, 0, 0);\n\
         f = __builtin_mxc_load_shared_trans_4x16_i64(s);\n\
         __builtin_mxc_arrive_gvmcnt(4); __builtin_mxc_arrive_bsmcnt(0); arrive_gvmcnt(8);\n\
         __builtin_mxc_barrier_inst(); __builtin_mxc_barrier_ex(4);\n\
         __builtin_mxc_barrier_and_wait4(1, token); __builtin_mxc_barrier_and_wait4(0, token);\n\
         acc = __builtin_mxc_mma_16x16x16bf16(a, b, acc); x = __builtin_mxc_rcpf(y);",
        "cp_async.count=3 load.global.b128=1 load.global.b64=1 store.global.b64=1 ldmatrix.count=1 \
         async.wait=4 barrier.block=3 barrier.count=3 mma.count=1 \
         mma.__builtin_mxc_mma_16x16x16bf16=1",
    );
}

#[test]
fn libraries_and_helpers_by_name() {
    // A helper whose name says what it does counts at its calls alone.
    holds(
        "__device__ void mma_m16n8k16(float* d) { asm volatile(\"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0};\" : \"+f\"(d[0])); }\n\
         __device__ void cp_async_wait_all() { asm volatile(\"cp.async.wait_all;\"); }",
        "mma_m16n8k16(d); mma_m16n8k16(d); cp_async_wait_all();",
        "mma.count=2 async.wait=1 cp_async.count=0",
    );
    holds(
        "",
        "gemm(mma, a, b, c); cute::gemm(mma, a, b, c); cutlass::arch::NamedBarrier::sync(128, 1);\n\
         cg::sync(block); block_sync_lds(); pipe.producer_commit(); pipe.consumer_wait();",
        "mma.count=2 barrier.partial=1 barrier.block=2 async.commit=1 async.wait=1",
    );
    // A function of that name in the text is another one.
    holds(
        "__device__ void gemm(float* a) { a[0] = 1; }",
        "gemm(A);",
        "mma.count=0",
    );
    holds(
        "",
        "asm volatile(R\"(\n{ mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; }\n)\" :: \"r\"(1));",
        "mbarrier.wait=1",
    );
    holds(
        "",
        "bar[0].expect_transaction(8192); bar[0].arrive_and_expect_tx(128 * 64);",
        "tma.expect_bytes=16384 mbarrier.arrive=1",
    );
}

#[test]
fn loops_and_what_is_asked_of_them() {
    let mma = "acc = __builtin_mxc_mma_16x16x16f16(a, b, acc);";
    for (head, unrolled) in [
        ("#pragma unroll\nfor (int i = 0; i < 8; ++i)", 8),
        ("#pragma unroll 4\nfor (int i = 0; i < 8; ++i)", 4),
        ("#pragma unroll(4)\nfor (int i = 0; i < n; ++i)", 4),
        ("#pragma unroll N\nfor (int i = 0; i < n; ++i)", 2),
        ("#pragma GCC unroll 4\nfor (int i = 0; i < 2; ++i)", 2),
        ("_Pragma(\"unroll\") for (int i = 0; i < 8; i += 2)", 4),
        ("CUTE_UNROLL\nfor (int i = 0; i <= 8; ++i)", 9),
        ("#pragma unroll\nfor (int s = 16; s > 0; s >>= 1)", 5),
        ("#pragma unroll\nfor (int s = 8; s >= 1; s /= 2)", 4),
        ("#pragma unroll\nfor (int s = 1; s < 64; s *= 2)", 6),
        ("#pragma unroll\nfor (int i = 7; i >= 0; --i)", 8),
        ("#pragma unroll\nfor (int i = 0; i != 6; i += 3)", 2),
        ("#pragma unroll 1\nfor (int i = 0; i < 8; ++i)", 1),
        ("#pragma nounroll\nfor (int i = 0; i < 8; ++i)", 1),
        ("for (int i = 0; i < 8; ++i)", 1),
        ("#pragma unroll\nfor (int i = 0; i < n; ++i)", 1),
        ("#pragma unroll\nfor (int i = 1; i != 0; i *= 2)", 1),
    ] {
        holds(
            "#define N 2",
            &format!("{head} {{ {mma} }}"),
            &format!("mma.unrolled={unrolled} mma.count=1 loop.count=1"),
        );
    }
    holds(
        "",
        "#pragma unroll 4\nfor (int i = 0; i < 64; ++i) { A[i] = 0; }",
        "loop.trips=16 loop.unroll=1",
    );
}

fn kernels(text: &str) -> (Vec<String>, Analysis) {
    let a = analysed(text);
    let names = a.kernels.kernels.iter().map(|k| k.name.clone()).collect();
    (names, a)
}

#[test]
fn heads_of_kernels() {
    let body = "(float* p) { p[0] = 1; }";
    for (head, name) in [
        (
            "template <typename T, int N = (4 > 2 ? 1 : 2)> __global__ void k",
            "k",
        ),
        (
            "template <int BM = 64, class U = float>\n__global__\n__launch_bounds__(\n 256, /* } */ 2)\nvoid k",
            "k",
        ),
        ("template <> __global__ void k<float, 1>", "k"),
        (
            "template <typename T> requires (sizeof(T) == 4) __global__ void k",
            "k",
        ),
        (
            "#define LB(a, b) __launch_bounds__(a, b)\n__global__ LB(128, 4) void k",
            "k",
        ),
        ("#define KERNEL extern \"C\" __global__ void\nKERNEL k", "k"),
        ("#define KERNEL(name) __global__ void name\nKERNEL(k)", "k"),
        (
            "__global__ void [[maybe_unused]] __attribute__((noinline)) k",
            "k",
        ),
    ] {
        let (names, a) = kernels(&format!("{head}{body}\n__global__ void last{body}"));
        assert_eq!(names, [name, "last"], "{head}");
        assert_eq!(a.facts["store.global.b32"].value, 2.0, "{head}");
        assert!(a.notices.is_empty(), "{head}: {:?}", a.notices);
    }
}

#[test]
fn launch_bounds_in_words_of_others() {
    for (before, bounds, threads) in [
        ("#define LB __launch_bounds__(128, 4)", "LB", 128.0),
        ("#define LB(a) __launch_bounds__(a * 2, 4)", "LB(64)", 128.0),
        ("", "C10_LAUNCH_BOUNDS_2(512, 4)", 512.0),
        ("", "__attribute__((launch_bounds(256, 4)))", 256.0),
        (
            "#define NT (32 * 8)\nconstexpr int W = NT / 2;",
            "__launch_bounds__(W << 1, 4)",
            256.0,
        ),
    ] {
        let (_, a) = kernels(&format!(
            "{before}\n__global__ void {bounds} k(float* p) {{ p[0] = 1; }}"
        ));
        let fact = |n: &str| a.facts.get(n).map(|f| f.value);
        assert_eq!(fact("launch.threads"), Some(threads), "{bounds}");
        assert_eq!(fact("launch.bounded"), Some(1.0), "{bounds}");
        if !bounds.starts_with("__launch_bounds__") {
            assert_eq!(fact("launch.min_blocks"), Some(4.0), "{bounds}");
        }
    }
}

#[test]
fn conditions_of_the_preprocessor() {
    let last = "__global__ void last(float* p) { p[0] = 1; }";
    for (text, names) in [
        (
            "#if 0\n__global__ void dead(float* p) { {{{ p[0] = 2; }\n#endif",
            &["last"][..],
        ),
        (
            "#ifdef A\n__global__ void k(float* p) {\n#else\n__global__ void k(float* p, int q) {\n#endif\n p[0] = 3;\n}",
            &["k", "last"],
        ),
        (
            "__global__ void k(float* p) {\n#ifdef A\n if (x) {\n#elif B\n while (y) {\n#else\n if (z) {\n#endif\n p[0] = 3;\n}\n}",
            &["k", "last"],
        ),
        (
            "__device__ void h(float* p) {\n#ifdef A\n if (x) {\n#endif\n p[0] = 3;\n#ifdef A\n}\n#endif\n}",
            &["last"],
        ),
        (
            "#if 1\n__global__ void k(float* p) { p[0] = 1; }\n#else\n__global__ void k(float* p) { p[0] = 2; }\n#endif",
            &["k", "last"],
        ),
    ] {
        let (found, a) = kernels(&format!("{text}\n{last}"));
        assert_eq!(found, names, "{text}");
        assert!(a.notices.is_empty(), "{text}: {:?}", a.notices);
    }
    holds(
        "",
        "#if 0\nA[0] = 1; __syncthreads();\n#else\nA[1] = 2;\n#endif\n#if X\nA[2] = 3;\n#else\nA[3] = 3;\n#endif",
        "store.global.b32=3 barrier.block=0 conditional.count=1",
    );
}

fn facts_of(language: &str, text: &str) -> Analysis {
    analyse(language, &[SourceFile::new("k", text)]).expect("a known language")
}

fn has(a: &Analysis, expected: &[(&str, f64)]) {
    for (name, value) in expected {
        assert_eq!(a.facts.get(*name).map(|f| f.value), Some(*value), "{name}");
    }
}

#[test]
fn ptx_as_triton_and_others_write_it() {
    let a = facts_of(
        "ptx",
        ".version 8.6\n.target sm_90a\n.extern .shared .align 16 .b8 global_smem[];\n\
         .visible .entry k(\n\t.param .u64 .ptr .global .align 1 k_param_0\n)\n.reqntid 128\n{\n\
         \t.reg .b32 \t%r<10>;\n$L__func_begin0:\n\t.loc\t1 18 0\n\
         \tmad.lo.s32 %r1, %r2, %r3, %r4;\n\tmad.rn.f32 %f1, %f2, %f3, %f4;\n\tfma.rn.f32x2 %rd1, %rd2, %rd3, %rd4;\n\
         \t// begin inline asm\n\t@%p1 ld.global.v4.b32 { %r1, %r2, %r3, %r4 }, [ %rd1 + 0 ];\n\t// end inline asm\n\
         \tcp.async.cg.shared.global [ %r5 + 0 ], [ %rd2 + 0 ], 0x10, 0x10;\n\tcp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r1];\n\
         \tmbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 16384;\n\tmbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r1], 0x100;\n\
         \t{\n\t.reg .pred complete;\n\twaitLoop:\n\tmbarrier.try_wait.parity.shared::cta.b64 complete, [%r1], %r2;\n\t@!complete bra.uni waitLoop;\n\t}\n\
         \tbar.sync 0;\n\tret;\n}\n\t.section\t.debug_abbrev\n\t{\n.b8 1\n.b8 17\n\t}\n",
    );
    has(
        &a,
        &[
            ("kernel.count", 1.0),
            ("launch.threads", 128.0),
            ("inst.fma", 2.0),
            ("load.global.b128", 1.0),
            ("cp_async.count", 1.0),
            ("mbarrier.arrive", 2.0),
            ("mbarrier.wait", 1.0),
            ("tma.expect_bytes", 16640.0),
            ("barrier.block", 1.0),
            ("branch.total", 1.0),
        ],
    );
    assert!(a.notices.is_empty(), "{:?}", a.notices);
}

#[test]
fn sass_of_several_disassemblers() {
    let code = "        /*0000*/                   HFMA2 R3, -RZ, RZ, 0, 0 ;\n\
                \t//## File \"k.py\", line 100 inlined at \"k.py\", line 7\n\
                \x20       /*0010*/                   HFMA2.MMA R3, R4, R5, R3 ;\n\
                \x20       /*0020*/               @P0 ARRIVES.LDGSTSBAR.64 [UR4] ;\n\
                \x20       /*0030*/                   UTCBAR [UR4], URZ ;\n\
                \x20       /*0040*/                   UTMACCTL.PF [UR4] ;\n\
                \x20       /*0050*/                   UTMACCTL.IV [UR4] ;\n\
                \x20       /*0060*/                   STL.128 [R1], R4 ;\n\
                \x20       /*0070*/                   EXIT ;\n.L_x_0:\n";
    for (head, last) in [
        (
            "\t\tFunction : k\n",
            "        /*0080*/                   BRA 0x80 ;\n",
        ),
        (
            "Function:k\n",
            "        /*0080*/                   BRA `(.L_x_0) ;\n",
        ),
    ] {
        let a = facts_of("sass", &format!("{head}{code}{last}"));
        has(
            &a,
            &[
                ("kernel.count", 1.0),
                ("inst.total", 8.0),
                ("inst.nop", 1.0),
                ("inst.fma", 1.0),
                ("branch.total", 0.0),
                ("mbarrier.arrive", 1.0),
                ("async.commit", 1.0),
                ("tma.prefetch", 1.0),
                ("store.local.b128", 1.0),
            ],
        );
    }
}

#[test]
fn sparse_matrix_instructions() {
    holds(
        "",
        "tl::wgmma_sp_ss<tl::DataType::kFloat16, tl::DataType::kFloat16, tl::DataType::kFloat32, 64, 128, 32, false, false, 1, 1, 0>(a, b, c, 1, e);\n\
         tl::wgmma_ss<tl::DataType::kFloat16, tl::DataType::kFloat16, tl::DataType::kFloat32, 64, 128, 16, false, false, 1, 1>(a, b, c, 1);\n\
         tl::mma_sp_sync<tl::DataType::kFloat16, tl::DataType::kFloat16, tl::DataType::kFloat32, 16, 8, 32, false, true, 0>(c, a, b, e);\n\
         tl::gemm_sp_ss<64, 64, 64, 2, 2>(a, b, c, e);\n\
         asm volatile(\"wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%0};\" : \"+f\"(d));",
        "mma.count=5 mma.sparse=4 mma.wgmma_sp_ss=1 mma.wgmma_sp_ss.m64n128k32=1 mma.wgmma_ss=1 \
         mma.mma_sp_sync.m16n8k32=1 mma.gemm_sp_ss=1 mma.wgmma.mma_async.sp.m64n8k32=1",
    );
    holds(
        "",
        "acc = __builtin_amdgcn_smfmac_f32_16x16x32_f16(a, b, acc, i, 0, 0); mma_sync(a, b, c, d);",
        "mma.count=2 mma.sparse=1",
    );
    let a = facts_of(
        "ptx",
        ".version 8.6\n.target sm_90a\n.visible .entry k()\n{\n\
         \tmma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%f1}, {%r1}, {%r2}, {%f1}, %r3, 0x0;\n\
         \tmma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%f1}, {%r1}, {%r2}, {%f1}, %r3, 0x0;\n\
         \twgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%f1}, %rd1, %rd2, %r3, 0, 1, 1, 1, 0, 1;\n\
         \ttcgen05.mma.sp.cta_group::1.kind::f16 [%r1], %rd1, %rd2, [%r2], %r3, %p1;\n\
         \tmma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1}, {%r1}, {%r2}, {%f1};\n\
         \tret;\n}\n",
    );
    has(
        &a,
        &[
            ("mma.count", 5.0),
            ("mma.sparse", 4.0),
            ("mma.mma.sp", 2.0),
            ("mma.mma.sp.m16n8k32", 2.0),
            ("mma.wgmma.mma_async.sp.m64n8k32", 1.0),
            ("mma.tcgen05.mma.sp", 1.0),
            ("mma.mma.sync.m16n8k16", 1.0),
        ],
    );
    let a = facts_of(
        "sass",
        "\t\tFunction : k\n\
         \x20       /*0000*/                   HMMA.SP.16832.F32 R4, R8, R12, R4, R2, 0x0 ;\n\
         \x20       /*0010*/                   HGMMA.SP.64x128x32.F32 R24, gdesc[UR4], R24, R2 ;\n\
         \x20       /*0020*/                   HMMA.16816.F32 R4, R8, R12, R4 ;\n\
         \x20       /*0030*/                   EXIT ;\n",
    );
    has(
        &a,
        &[
            ("mma.count", 3.0),
            ("mma.sparse", 2.0),
            ("mma.HMMA.SP", 1.0),
            ("mma.HMMA.SP.16832.F32", 1.0),
            ("mma.HGMMA.SP", 1.0),
            ("mma.HMMA", 1.0),
        ],
    );
    let a = facts_of(
        "asm-amdgcn",
        "\t.type\tk,@function\nk:\n\tv_smfmac_f32_16x16x32_f16 v[0:3], v[4:5], v[6:9], v10\n\
         \ts_waitcnt vmcnt(0)\n\ts_wait_loadcnt 0x0\n\ts_endpgm\n",
    );
    has(
        &a,
        &[
            ("mma.count", 1.0),
            ("mma.sparse", 1.0),
            ("wait.counters", 2.0),
            ("async.wait", 0.0),
        ],
    );
}
