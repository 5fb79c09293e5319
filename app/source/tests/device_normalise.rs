//! Normalisation of device source, PTX and SASS: what goes, what stays, what gets its own channel.

use assay_source::normalise::normalised_hash;
use assay_source::{Language, Normalised, Pass, Passes, SourceFile, normalise};
use proptest::prelude::*;

const V1: &str = include_str!("fixtures/h200/src_v1_cshared.cu");
const MACA: &str = include_str!("fixtures/maca_gemm.cu");
const PTX: &str = include_str!("fixtures/kernels.ptx");
const SASS: &str = include_str!("fixtures/h200/mm.sass");

fn normal(language: Language, text: &str) -> Normalised {
    normalise(language, text, &Passes::default())
}

fn cuda(text: &str) -> String {
    normal(Language::Cuda, text).text
}

#[test]
fn normal_text_is_a_fixed_point() {
    for (language, text) in [
        (Language::Cuda, V1),
        (Language::Maca, MACA),
        (Language::Ptx, PTX),
    ] {
        let once = normal(language, text);
        assert!(once.notices.is_empty());
        assert_eq!(normal(language, &once.text).text, once.text, "{language}");
    }
}

#[test]
fn without_passes_nothing_changes() {
    for (language, text) in [
        (Language::Cuda, V1),
        (Language::Ptx, PTX),
        (Language::Sass, SASS),
    ] {
        let none = normalise(language, text, &Passes::none());
        assert_eq!(none.text, text, "{language}");
        assert!(none.preamble.is_empty() && none.scheduling.is_empty() && none.applied.is_empty());
    }
}

#[test]
fn every_pass_can_be_switched_off() {
    let sass = |at: u32, op: &str, word: &str| {
        format!("\t\tFunction : f\n        /*{at:04x}*/ {op} ; /* 0x1 */\n        /* {word} */\n")
    };
    let plain = "0x000fe20000000800";
    let kernel = "__global__ void k() {\n";
    let cases: Vec<(Language, Pass, String, String)> = vec![
        (
            Language::Cuda,
            Pass::Comments,
            format!("{kernel}x(); // a\n}}"),
            format!("{kernel}x();\n}}"),
        ),
        (
            Language::Cuda,
            Pass::DebugInfo,
            format!("{kernel}#line 3\nx();\n}}"),
            format!("{kernel}x();\n}}"),
        ),
        (
            Language::Cuda,
            Pass::Paths,
            format!("{kernel}f(\"/a/b.cu\");\n}}"),
            format!("{kernel}f(\"/c/b.cu\");\n}}"),
        ),
        (
            Language::Cuda,
            Pass::Temporaries,
            format!("{kernel}int a_1;\n}}"),
            format!("{kernel}int a_2;\n}}"),
        ),
        (
            Language::Cuda,
            Pass::Whitespace,
            format!("{kernel}  x( );\r\n\n}}"),
            format!("{kernel}x( );\n}}"),
        ),
        (
            Language::Ptx,
            Pass::Comments,
            "ret; // a\n".into(),
            "ret;\n".into(),
        ),
        (
            Language::Ptx,
            Pass::DebugInfo,
            "\t.loc 1 2 3\nret;\n".into(),
            "ret;\n".into(),
        ),
        (
            Language::Ptx,
            Pass::Paths,
            ".x \"/a/k\";\n".into(),
            ".x \"/b/k\";\n".into(),
        ),
        (
            Language::Ptx,
            Pass::Temporaries,
            "{\n.reg .b32 %r<9>;\nneg %r1, %r2;\n}\n".into(),
            "{\n.reg .b32 %r<9>;\nneg %r4, %r7;\n}\n".into(),
        ),
        (
            Language::Ptx,
            Pass::Labels,
            "{\n$L_1:\nbra $L_1;\n}\n".into(),
            "{\n$L_7:\nbra $L_7;\n}\n".into(),
        ),
        (
            Language::Ptx,
            Pass::Whitespace,
            "ret ;\n\n".into(),
            "  ret  ;\n".into(),
        ),
        (
            Language::Sass,
            Pass::Offsets,
            sass(0, "EXIT", plain),
            sass(16, "EXIT", plain),
        ),
        (
            Language::Sass,
            Pass::Labels,
            sass(0, "BRA 0x0", plain),
            sass(16, "BRA 0x10", plain),
        ),
        (
            Language::Sass,
            Pass::Banners,
            format!("host = a\n{}", sass(0, "EXIT", plain)),
            sass(0, "EXIT", plain),
        ),
        (
            Language::Sass,
            Pass::Whitespace,
            sass(0, "MOV  R1, R2", plain),
            sass(0, "MOV R1, R2", plain),
        ),
    ];
    for (language, pass, a, b) in &cases {
        let hash = |t: &str, p: &Passes| normalised_hash(*language, &[SourceFile::new("k", t)], p);
        let all = Passes::default();
        assert_eq!(hash(a, &all), hash(b, &all), "{language} {}", pass.name());
        let without = all.without(*pass);
        assert_ne!(
            hash(a, &without),
            hash(b, &without),
            "{language} {}",
            pass.name()
        );
        assert!(!normalise(*language, a, &without).applied.contains(pass));
        assert!(pass.applies_to(*language));
    }
    // These two move text instead of dropping it.
    let off = normalise(
        Language::Cuda,
        V1,
        &Passes::default().without(Pass::Preamble),
    );
    assert!(off.preamble.is_empty() && off.text.contains("#include"));
    let off = normalise(
        Language::Sass,
        SASS,
        &Passes::default().without(Pass::Scheduling),
    );
    assert!(off.scheduling.is_empty());
    assert!(
        off.text
            .contains("\t[wait 00 read - write - stay stall 1 reuse 0] LDC R1, c[0x0][0x28]\n")
    );
}

#[test]
fn literals_names_and_order_are_kept() {
    let base = cuda(V1);
    for (from, to) in [
        ("buf_dyn_shmem + 16384", "buf_dyn_shmem + 16392"),
        ("(float4*)(Cl", "(float2*)(Cl"),
        (
            "__sync_thread_partial(3, 128)",
            "__sync_thread_partial(3, 256)",
        ),
        ("__launch_bounds__(256, 1)", "__launch_bounds__(256, 2)"),
        ("0x0p+0f", "0x1p+0f"),
        ("#pragma unroll", "#pragma unroll 1"),
        ("float Cl[128]", "float Cl[64]"),
        ("k_1 & 1", "k_1 & 3"),
        ("^ 1", "^ 0"),
    ] {
        let changed = V1.replacen(from, to, 1);
        assert_ne!(changed, V1, "{from}");
        assert_ne!(cuda(&changed), base, "{from}");
    }
}

#[test]
fn variables_are_not_mixed_up() {
    let k = |body: &str| cuda(&format!("__global__ void k(int a, int b) {{\n{body}\n}}"));
    assert_eq!(
        k("int t_1 = a; { int t_2 = t_1; f(t_2, t_1); } int t_9 = 0;"),
        k("int t_4 = a; { int t_5 = t_4; f(t_5, t_4); } int t_6 = 0;")
    );
    for (x, y) in [
        (
            "int t_1 = a; int t_2 = b; f(t_1);",
            "int t_1 = a; int t_2 = b; f(t_2);",
        ),
        ("int a_1 = 1; f(a);", "int a_1 = 1; f(a_1);"),
        ("int t = 1; f(t_1);", "int t = 1; f(t);"),
        ("int t_1 = 1; s.t_1 = 2;", "int t_1 = 1; s.t_2 = 2;"),
        ("int t_1 = 1; f($t);", "int t_1 = 1; f(t_1);"),
        ("int t_1 = 1; n::t_1();", "int t_1 = 1; n::t_2();"),
        (
            "for (int i = 0; i < 4; ++i) for (int i_1 = 0; i_1 < 4; ++i_1) f(i, i_1);",
            "for (int i = 0; i < 4; ++i) for (int i_1 = 0; i_1 < 4; ++i_1) f(i_1, i);",
        ),
    ] {
        assert_ne!(k(x), k(y), "{x}");
    }
    // Names that only the generator could tell apart.
    assert_eq!(
        k(
            "for (int i_3 = 0; i_3 < 4; ++i_3) f(i_3); for (int i_4 = 0; i_4 < 4; ++i_4) { g(i_4); }"
        ),
        "__global__ void k(int a,int b){\nfor(int $i=0;$i<4;++$i)f($i);for(int $i=0;$i<4;++$i){g($i);}\n}\n"
    );
    assert_eq!(
        k("if (a) for (int j_2 = 0;;) f(j_2); else { int j_3 = 1; } float4 v_7 = {1, 2}; f(v_7);"),
        "__global__ void k(int a,int b){\nif(a)for(int $j=0;;)f($j);else{int $j=1;}float4 $v={1,2};f($v);\n}\n"
    );
}

#[test]
fn a_changed_helper_changes_the_preamble_alone() {
    let with = |helper: &str| {
        format!(
            "#include <a.h>\nusing index_t = int;\n{helper}\n__global__ void k(float* p) {{ h(p); }}\n"
        )
    };
    let a = normal(
        Language::Cuda,
        &with("__device__ void h(float* q) { *q = 1; }"),
    );
    let b = normal(
        Language::Cuda,
        &with("__device__ void h(float* q) { *q = 2; }"),
    );
    assert_eq!(a.text, b.text);
    assert_ne!(a.preamble, b.preamble);
    assert_eq!(
        a.text,
        "using index_t=int;\n__global__ void k(float*p){h(p);}\n"
    );
    let hash = |t: &str| {
        normalised_hash(
            Language::Cuda,
            &[SourceFile::new("k", t)],
            &Passes::default(),
        )
    };
    assert_ne!(hash(&with("int x;")), hash(&with("int y;")));
}

#[test]
fn ptx_is_compared_without_its_numbers() {
    let renumbered = PTX
        .replace("%r14", "%r19")
        .replace("%rd1", "%rd7")
        .replace("$L__BB0_4", "$L__BB7_9")
        .replace(".loc\t1 12 0", ".loc\t1 99 0")
        .replace("CL-36424714", "CL-1");
    assert_ne!(renumbered, PTX);
    let (a, b) = (
        normal(Language::Ptx, PTX),
        normal(Language::Ptx, &renumbered),
    );
    assert_eq!(a.text, b.text);
    assert_eq!(a.preamble, b.preamble);
    assert!(a.preamble.contains(".func (.param .b32 retval) clampf"));
    assert!(a.preamble.contains(".target sm_90a") && !a.preamble.contains("NVVM"));
    assert!(!a.text.contains("debug_info") && !a.preamble.contains("debug_info"));
    // The unused label is gone, the loop goes one back, the exit is the next.
    assert!(a.text.contains("@%p1 bra @+2;\n@:\n"), "{}", a.text);
    assert!(
        a.text
            .contains("@%p2 bra @-1;\nbra.uni @+1;\nnanosleep.u32 32;\n@:\n"),
        "{}",
        a.text
    );
    for (from, to) in [
        ("[%rd1+16]", "[%rd1+32]"),
        ("v4.u32", "v2.u32"),
        ("3, 64", "3, 96"),
    ] {
        assert_ne!(
            normal(Language::Ptx, &PTX.replace(from, to)).text,
            a.text,
            "{from}"
        );
    }
}

#[test]
fn scheduling_of_sass_is_told_apart_from_its_code() {
    let a = normal(Language::Sass, SASS);
    let later = SASS
        .replacen("0x000fc80000011600", "0x000fd00000011600", 1)
        .replacen("0x001fc80000011600", "0x001fd00000011600", 1);
    assert_ne!(later, SASS);
    let b = normal(Language::Sass, &later);
    assert_eq!(a.text, b.text);
    let differing = a
        .scheduling
        .lines()
        .zip(b.scheduling.lines())
        .filter(|(x, y)| x != y);
    assert_eq!(differing.count(), 1);
    let hash = |t: &str| {
        normalised_hash(
            Language::Sass,
            &[SourceFile::new("k", t)],
            &Passes::default(),
        )
    };
    assert_ne!(
        hash(SASS),
        hash(&later),
        "a schedule may well be the reason of a latency"
    );
    // One line of scheduling for each instruction and function.
    assert_eq!(a.scheduling.lines().count(), 568 + 3);
    for gone in ["/*", "0x110", "host =", "identifier"] {
        assert!(
            !a.text.contains(gone) && !a.preamble.contains(gone),
            "{gone}"
        );
    }
    assert!(a.text.contains("c[0x0][0x230]") && a.text.contains("\t@P0 BRA @+1\n"));
    let reuse = |code: &str| format!("\t\tFunction : f\n        /*0000*/ {code} ;\n");
    let x = normal(Language::Sass, &reuse("FFMA R1, R2.reuse, R3, R4"));
    let y = normal(Language::Sass, &reuse("FFMA R1, R2, R3, R4"));
    assert_eq!(x.text, y.text);
    assert_eq!(
        (x.scheduling.as_str(), y.scheduling.as_str()),
        ("f:\nreuse 2\n", "")
    );
}

/// A kernel of nested loops with temporaries; `number` gives each variable its number.
fn program(shape: &[(u8, u8)], number: &dyn Fn(usize) -> usize) -> String {
    let mut out = String::from("__global__ void k(const float* p, float* q) {\n");
    let mut open: Vec<usize> = Vec::new();
    for (n, (kind, pick)) in shape.iter().enumerate() {
        let used = open
            .get(usize::from(*pick) % open.len().max(1))
            .map_or("7".into(), |v| format!("t_{}", number(*v)));
        let name = format!("t_{}", number(n));
        match kind % 4 {
            0 => {
                out.push_str(&format!("for (int {name} = 0; {name} < 4; ++{name}) {{\n"));
                open.push(n);
            }
            1 if !open.is_empty() => {
                out.push_str("}\n");
                open.pop();
            }
            _ => out.push_str(&format!("q[{used}] = f({used}, p);\n")),
        }
    }
    out.push_str(&"}\n".repeat(open.len() + 1));
    out
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn renumbered_temporaries_are_a_null_pair(
        shape in proptest::collection::vec((any::<u8>(), any::<u8>()), 0..40),
        step in 1usize..9, first in 0usize..1000,
    ) {
        let a = program(&shape, &|n| n);
        let b = program(&shape, &|n| first + n * step);
        prop_assert_eq!(cuda(&a), cuda(&b));
    }

    /// A different variable at one place must show, whatever the numbers are.
    #[test]
    fn another_variable_is_another_kernel(
        mut shape in proptest::collection::vec((0u8..1, any::<u8>()), 2..6),
        pick in any::<(u8, u8)>(), step in 1usize..9,
    ) {
        let loops = shape.len() as u8;
        prop_assume!(pick.0 % loops != pick.1 % loops);
        shape.push((2, pick.0));
        let a = program(&shape, &|n| n);
        let last = shape.len() - 1;
        shape[last].1 = pick.1;
        let b = program(&shape, &|n| n * step);
        prop_assert_ne!(cuda(&a), cuda(&b));
    }
}
