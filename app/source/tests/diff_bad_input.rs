//! Hostile and odd inputs of diffs and colours: bounded, and never silent.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use assay_source::diff::{Fold, Prepared};
use assay_source::said::Lang;
use assay_source::syntax::Highlighter;
use assay_source::{
    Comparison, DiffOptions, Language, SourceFile, diff_pair, to_html, to_side_by_side, to_unified,
};
use proptest::prelude::*;

fn options() -> DiffOptions {
    DiffOptions::default().normalised()
}

fn file(bytes: impl Into<Vec<u8>>) -> SourceFile {
    SourceFile::new("k.cu", bytes)
}

#[test]
fn a_file_above_the_limit_gets_the_coarse_diff() {
    let line = "  *(uint4*)(a + 1) = b;\n";
    let mut a = line.repeat(200_000);
    a.push_str("last\n");
    let b = a.replacen("uint4", "uint2", 1);
    let small = DiffOptions {
        max_bytes: 1 << 20,
        max_lines: 20,
        ..options()
    };
    let d = diff_pair(&file(a), &file(b), &small);
    assert!(
        d.notice.contains("Coarse diff (larger than 1048576 bytes)"),
        "{}",
        d.notice
    );
    assert_eq!(d.hunks[0].iter().filter(|l| l.tag != "context").count(), 2);
    assert_eq!(d.normalised_equal, None);
}

#[test]
fn one_line_of_fifty_megabytes_is_cut() {
    let a = "x = 1; ".repeat(7 << 20);
    let b = "y = 1;\n";
    let begin = Instant::now();
    let d = diff_pair(
        &SourceFile::new("k.txt", a),
        &SourceFile::new("k.txt", b),
        &options(),
    );
    assert!(begin.elapsed() < Duration::from_secs(240));
    assert!(d.notice.contains("Long lines are cut."), "{}", d.notice);
    assert!(to_unified(&[d]).len() < 100_000);
}

#[test]
fn what_is_hostile_for_line_diffs_ends_in_time() {
    // Two lines over and over in another order: no line stands once.
    let words = ["a\n", "b\n", "c\n"];
    let mut seed = 1u64;
    let mut text = || -> String {
        (0..60_000)
            .map(|_| {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                words[usize::try_from(seed >> 60).unwrap() % 3]
            })
            .collect()
    };
    let (a, b) = (text(), text());
    let fast = DiffOptions {
        timeout: Duration::from_millis(300),
        ..options()
    };
    let begin = Instant::now();
    let d = diff_pair(&SourceFile::new("k", a), &SourceFile::new("k", b), &fast);
    assert!(
        begin.elapsed() < Duration::from_secs(30),
        "{:?}",
        begin.elapsed()
    );
    assert!(!d.hunks.is_empty());
}

#[test]
fn hundreds_of_kernels_pair_and_only_one_differs() {
    let text = |changed: usize| {
        let mut out = String::new();
        for i in 0..900 {
            let n = if i == changed { 7 } else { 1 };
            let _ = write!(
                out,
                "__global__ void k_{i}(float* p) {{\n  p[{n}] = {i}.0f;\n}}\n"
            );
        }
        out
    };
    let d = diff_pair(&file(text(5000)), &file(text(450)), &options());
    assert_eq!(d.hunks.len(), 1);
    assert_eq!(
        (d.notes[0].kernel_b.as_str(), d.kernels.len()),
        ("k_450", 900)
    );
    assert_eq!(d.notes[0].changes, ["literal"]);
}

#[test]
fn unbalanced_binary_empty_and_identical_files_are_described() {
    let d = diff_pair(
        &file("__global__ void k() { {\n"),
        &file("__global__ void k() { }\n"),
        &options(),
    );
    assert!(d.notice.contains("do not balance"), "{}", d.notice);
    let d = diff_pair(&file(""), &file("int x;\n"), &options());
    assert_eq!(d.hunks[0].len(), 1);
    let d = diff_pair(&file("int x;\n"), &file("int x;\n"), &options());
    assert!(d.hunks.is_empty() && d.notice.is_empty() && d.normalised_equal == Some(true));
    let d = diff_pair(&file(b"\0".to_vec()), &file("int x;\n"), &options());
    assert!(d.notice.contains("binary"));
}

#[test]
fn pages_hold_no_markup_and_no_escapes_of_the_source() {
    let d = diff_pair(
        &SourceFile::new("<k>&.cu", "int a; // \x1b[31m\n"),
        &SourceFile::new(
            "<k>&.cu",
            "<script>alert('1')</script> \u{202e}\x07 \"q\"\n",
        ),
        &options(),
    );
    let page = to_html(&[d], Lang::En);
    assert!(!page.contains("<script") && page.contains("&lt;script&gt;"));
    assert!(page.contains("<caption>&lt;k&gt;&amp;.cu</caption>"));
    assert!(page.chars().all(|c| c == '\n' || !c.is_control()) && !page.contains('\u{202e}'));
    for tag in ["style=", "onclick", "href"] {
        assert!(!page.contains(tag));
    }
}

fn language() -> impl Strategy<Value = Language> {
    proptest::sample::select(Language::ALL.to_vec())
}

fn source() -> impl Strategy<Value = String> {
    let piece = proptest::sample::select(vec![
        "__global__ void k(float* p) {",
        "}",
        "{",
        "/*",
        "*/",
        "//x",
        "\\",
        "\n",
        "\r\n",
        "\"",
        "'",
        "R\"a(",
        ")a\"",
        "#pragma unroll",
        "int i_1 = 0;",
        "i_1",
        "0x1p+2f",
        "\t.entry k(",
        ".type f,@function",
        "f:",
        ".L3:",
        "bra $L_1;",
        "Function : k",
        "/*0010*/ MOV R1, R2 ;",
        "/* 0x0 */",
        "s_endpgm",
        ".amdgpu_metadata",
        "  - .name: k",
        "\u{202e}",
        "核",
        "\"\"\"",
        "@P0 ",
        "%r12",
        "__shared__ ",
        ";",
        " ",
    ]);
    proptest::collection::vec(piece, 0..60).prop_map(|p| p.concat())
}

#[test]
fn an_empty_line_of_side_a_is_not_shown_as_the_line_of_side_b() {
    let o = DiffOptions {
        context: 9,
        language: Some(Language::AsmX86_64),
        ..options()
    };
    for (a, b) in [
        ("\tret\n\n\tud2\n", "\tret\n \t \n\tnop\n"),
        ("\n", "__global__ void k(float* p) {\n "),
    ] {
        let d = diff_pair(&file(a), &file(b), &o);
        let paired: Vec<_> = (d.hunks.iter().flatten())
            .filter(|l| l.tag == "context" && l.other.is_some())
            .collect();
        let [line] = paired[..] else { panic!("{d:?}") };
        assert_eq!(line.other, Some(Vec::new()));
        assert_eq!(line.left(), []);
        assert_ne!(line.pieces, []);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_the_text_is_both_sides_can_be_put_together(l in language(), a in source(), b in source(), raw: bool) {
        let o = DiffOptions {
            context: 10_000,
            timeout: Duration::from_secs(600),
            language: Some(l),
            ..if raw { DiffOptions::default() } else { options() }
        };
        let d = diff_pair(&file(a.as_str()), &file(b.as_str()), &o);
        prop_assert_eq!(d.notes.len(), d.hunks.len());
        let side = |left: bool| -> Vec<(u32, String)> {
            let mut out: Vec<(u32, String)> = d.hunks.iter().flatten().filter_map(|l| {
                let n = if left { l.a } else { l.b }?;
                let pieces = if left { l.left() } else { &l.pieces };
                Some((n, pieces.iter().map(|p| p.text.as_str()).collect()))
            }).collect();
            out.sort();
            out
        };
        for (left, text) in [(true, &a), (false, &b)] {
            let got = side(left);
            let want: Vec<&str> = text.lines().collect();
            for (n, line) in &got {
                prop_assert_eq!(line.as_str(), want[*n as usize - 1]);
            }
            // Each line is there once; kernels that stand elsewhere may leave unchanged lines folded.
            prop_assert!(got.windows(2).all(|w| w[0].0 < w[1].0));
        }
        let _ = (to_unified(std::slice::from_ref(&d)), to_html(std::slice::from_ref(&d), Lang::Zh), to_side_by_side(&d, 40));
    }

    #[test]
    fn windows_are_the_layout_wherever_they_begin(l in language(), a in source(), b in source(), from in 0usize..40) {
        let o = DiffOptions { language: Some(l), timeout: Duration::from_secs(600), ..options() };
        let (x, y) = (file(a.as_str()), file(b.as_str()));
        let (p, q) = (Prepared::read(&x, None, &o), Prepared::read(&y, None, &o));
        let (Ok(p), Ok(q)) = (p, q) else { return Ok(()) };
        let c = Comparison::new(p, q, &o);
        for fold in [Fold::Context, Fold::Nothing] {
            let layout = c.layout(fold);
            let all = c.window(&layout, 0..layout.rows.len());
            let part = c.window(&layout, from..from + 7);
            prop_assert_eq!(&all[from.min(all.len())..(from + 7).min(all.len())], &part[..]);
            if fold == Fold::Nothing {
                let lines = |left: bool| all.iter().filter(|r| if left { r.left.is_some() } else { r.right.is_some() }).count();
                prop_assert_eq!((lines(true), lines(false)), (a.lines().count(), b.lines().count()));
            }
        }
    }

    #[test]
    fn colours_cover_every_line_without_gaps(l in language(), text in source()) {
        let mut h = Highlighter::new(l);
        let mut quick = Highlighter::new(l);
        for line in text.lines() {
            let spans = h.line(line);
            let joined: String = spans.iter().map(|s| &line[s.from..s.to]).collect();
            prop_assert_eq!(joined, line);
            prop_assert!(spans.windows(2).all(|w| w[0].to == w[1].from));
            quick.skip(line);
            // Going past lines leaves the same state.
            prop_assert_eq!(quick.clone().line("x /* y"), h.clone().line("x /* y"));
        }
    }
}
