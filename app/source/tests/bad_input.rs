//! Kernel sources that are large, broken or hostile: bounded, described, never a panic.

use assay_source::{Language, Pass, Passes, SourceFile, analyse, normalise};
use proptest::prelude::*;

const DEVICE: &[Language] = &[
    Language::Cuda,
    Language::Maca,
    Language::Hip,
    Language::Ptx,
    Language::Sass,
];

fn notices(language: &str, bytes: impl Into<Vec<u8>>) -> Vec<String> {
    let a = analyse(language, &[SourceFile::new("k\x1b[2J.cu", bytes)]).expect("a known language");
    for n in &a.notices {
        assert!(n.chars().all(|c| !c.is_control()), "{n:?}");
    }
    a.notices
}

#[test]
fn what_cannot_be_read_is_said_to_be() {
    let has = |n: Vec<String>, what: &str| assert!(n.iter().any(|n| n.contains(what)), "{n:?}");
    for language in DEVICE {
        let name = language.name();
        has(notices(name, ""), "no kernel found");
        has(notices(name, "hello\r\n"), "no kernel found");
        has(
            notices(name, b"__global__ void k() {\0}".to_vec()),
            "is binary",
        );
    }
    has(
        notices("cuda", "__global__ void k() { f("),
        "do not balance: it ends with the file",
    );
    has(
        notices("cuda", "__global__ void k() { } }"),
        "braces outside of functions",
    );
    has(
        notices("ptx", ".entry k()\n{\nret;\n"),
        "do not balance: it ends with the file",
    );
    has(
        notices("ptx", ".entry k()\n{\nret;\n.entry g()\n{\nret;\n}\n"),
        "is cut where the next function begins",
    );
    has(
        notices("sass", "/*0000*/ EXIT ;\n"),
        "1 instructions stand before any function",
    );
    let many = "__global__ void k() {\n".repeat(100);
    let found = notices("cuda", many);
    assert!(found.len() < 16, "{found:?}");
}

#[test]
fn facts_survive_a_comment_in_another_encoding() {
    let gbk = b"// \xba\xcb\xba\xaf\xca\xfd\n__global__ void k() { __syncthreads(); }\n".to_vec();
    let a = analyse("cuda", &[SourceFile::new("k.cu", gbk)]).unwrap();
    assert_eq!(a.facts["barrier.block"].value, 1.0);
    assert!(
        a.notices[0].contains("not UTF-8 (byte 3)"),
        "{:?}",
        a.notices
    );
}

#[test]
fn line_ends_and_escapes_change_no_fact() {
    let text = "#pragma unroll \\\n 4\n__global__ void k(float* p) {\n#pragma unroll\n for (int i = 0; i < 4; ++i) { p[i] = \"\x1b[2J\\\"}\"[0]; }\n}\n";
    let crlf = text.replace('\n', "\r\n");
    let facts = |t: &str| analyse("cuda", &[SourceFile::new("k", t)]).unwrap().facts;
    assert_eq!(facts(text), facts(&crlf));
    assert_eq!(facts(text)["store.global.b32"].value, 1.0);
    assert_eq!(facts(text)["loop.unroll"].value, 1.0);
    let n = |t: &str| normalise(Language::Cuda, t, &Passes::default());
    assert_eq!(n(text).text, n(&crlf).text);
}

#[test]
fn hundreds_of_kernels_are_each_told_and_the_record_stays_small() {
    let text: String = (0..5000)
        .map(|i| format!("__device__ void h{i}() {{ __syncthreads(); }}\n__global__ void k{i}() {{ h{i}(); }}\n"))
        .collect();
    let few = text.lines().take(1200).collect::<Vec<_>>().join("\n");
    let a = analyse("cuda", &[SourceFile::new("k", few)]).unwrap();
    assert_eq!(a.kernels.kernels.len(), 600);
    assert_eq!(a.facts["barrier.block"].value, 600.0);
    assert!(
        a.facts.len() < 120
            && a.notices
                == [
                    "600 kernels: facts of single kernels are recorded for up to 8, the totals hold all"
                ],
        "{:?}",
        a.notices
    );
    let a = analyse("cuda", &[SourceFile::new("k", text)]).unwrap();
    assert!(
        a.notices.iter().any(|n| n.contains("only the first 4096")),
        "{:?}",
        a.notices
    );
}

#[test]
fn hostile_shapes_take_no_longer_than_their_size() {
    const N: usize = 40_000;
    let body = |s: String| format!("__global__ void k(float* p) {{ {s} }}");
    let shapes = [
        body("(".repeat(N)),
        body("((float4*)".repeat(N / 4)),
        body("[".repeat(N)),
        body("{".repeat(N)),
        body("f<".repeat(N)),
        body("int a = (".repeat(N / 4)),
        body("asm(".repeat(N / 4)),
        body("for (int i = 0; i < (".repeat(N / 8)),
        body("p[".repeat(N)),
        body("*".repeat(N)),
        body("if (x) ".repeat(N / 2)),
        "__global__".repeat(N),
        "__global__ void k(".repeat(N / 4),
        "#if\n".repeat(N),
        "/*".repeat(N),
        "\"".repeat(N),
        "R\"(".repeat(N),
        "\\\n".repeat(N),
        "\n".repeat(N),
        " ".repeat(N),
        ":".repeat(N),
        ".entry k\n{\n".repeat(N / 4),
        ".x = {".repeat(N),
        "a: ".repeat(N),
        "$L1:\nbra $L1;\n".repeat(N / 4),
        format!(".entry k()\n{{\n{}}}\n", "%r1 ".repeat(N)),
        "/*0000*/ BRA 0x0 ;\n".repeat(N / 4),
        format!("Function : f\n/*0000*/ {} ;", "R1.reuse, ".repeat(N)),
        "Function : f\n".repeat(N / 4),
        "Compiling entry function 'k'\nUsed 1 registers\n".repeat(N / 8),
    ];
    for text in &shapes {
        for language in [Language::Cuda, Language::Ptx, Language::Sass] {
            let files = [SourceFile::new("k", text.as_str())];
            let a = analyse(language.name(), &files).unwrap();
            assert!(a.notices.len() < 24);
            assert!(a.facts.len() < 3000);
        }
    }
}

fn soup() -> impl Strategy<Value = String> {
    let token = prop_oneof![
        4 => proptest::sample::select(vec![
            "__global__", "void", "k", "(", ")", "{", "}", "[", "]", "<", ">", ";", ",", "*", "&", "=",
            "float4", "half_t", "p", "i_1", "for", "if", "else", "int", "asm", "\"mma.sync.x\"", "::", ".",
            "->", "__shared__", "extern", "#pragma unroll\n", "#if\n", "reinterpret_cast", "1", "0x10",
            "__launch_bounds__", "tl", "gemm_ss", "\n", "//", "/*", "*/", "\\", "'", "R\"(", "+=", "$a",
            ".entry", ".func", ".reg .b32 %r<4>;", "%r1", "@%p1", "bra", "$L1", ":", "ld.global.v4.u32",
            "Function : f\n", "/*0000*/", "/*0010*/", "BRA 0x10", "/* 0x000fe20000000800 */", ".L_x_1:",
            "`(.L_x_1)", "HMMA.16816", "using", "typedef", "namespace", "struct", "__device__", "\r\n", "核",
        ]).prop_map(str::to_owned),
        1 => "\\PC{0,6}",
    ];
    (proptest::collection::vec(token, 0..120), any::<bool>())
        .prop_map(|(t, spaced)| t.join(if spaced { " " } else { "" }))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_it_panic(text in soup(), off in 0usize..11) {
        for language in DEVICE {
            let mut passes = Passes::default();
            if let Some(p) = Pass::ALL.get(off) {
                passes = passes.without(*p);
            }
            let n = normalise(*language, &text, &passes);
            for channel in [&n.text, &n.preamble, &n.scheduling] {
                prop_assert!(channel.is_empty() || channel.ends_with('\n'));
            }
            let a = analyse(language.name(), &[SourceFile::new("k", text.as_str())]);
            prop_assert!(a.is_ok());
        }
        let _ = analyse("auto", &[SourceFile::new("k", text)]);
    }

    /// Words are neither lost nor made up: the channels together hold the words of the text.
    #[test]
    fn words_are_kept_in_one_channel_or_the_other(text in soup()) {
        let passes = Passes::none().with(Pass::Preamble).with(Pass::Whitespace);
        let n = normalise(Language::Cuda, &text, &passes);
        let words = |t: &str| {
            let mut w: Vec<String> = t.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).map(str::to_owned).collect();
            w.sort();
            w
        };
        prop_assert_eq!(words(&text), words(&format!("{}\n{}", n.text, n.preamble)));
    }

    #[test]
    fn arbitrary_bytes_are_described(bytes: Vec<u8>) {
        for language in DEVICE {
            let a = analyse(language.name(), &[SourceFile::new("k", bytes.clone())]);
            prop_assert!(a.is_ok_and(|a| !a.notices.is_empty()));
        }
        let _ = analyse("auto", &[SourceFile::new("k", bytes)]);
    }
}
