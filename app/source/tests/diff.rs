//! Diffs: pairing, hunks, emphasis, bounds, and that their text is inert.

use std::time::Duration;

use assay_core::text::width;
use assay_core::view::FileDiff;
use assay_source::diff::{to_side_by_side_styled, to_unified_styled};
use assay_source::said::{self, Lang};
use assay_source::{
    Comparison, DiffOptions, SourceFile, diff, diff_pair, to_html, to_side_by_side, to_unified,
};
use proptest::prelude::*;

fn options() -> DiffOptions {
    // Long enough that a slow machine does not change what a test sees.
    DiffOptions {
        timeout: Duration::from_secs(600),
        ..DiffOptions::default()
    }
}

fn one(a: &str, b: &str) -> FileDiff {
    diff_pair(
        &SourceFile::new("k", a),
        &SourceFile::new("k", b),
        &options(),
    )
}

#[test]
fn kinds_of_change_are_those_of_the_view_when_they_are_asked_for() {
    let (a, b) = (
        SourceFile::new("k", "a\nb 1\nc\nd\ne\nf\ng\nh\ni\nj\n"),
        SourceFile::new("k", "a\nb 2\nc\nd\ne\nf\ng\nh\ni\nx\nj\n"),
    );
    let (p, q) = assay_source::diff::prepare(&a, &b, &options()).unwrap();
    let c = Comparison::new(p, q, &options());
    let names: Vec<Vec<&str>> = (c.hunks.iter())
        .map(|h| c.changes(h).into_iter().map(|k| k.name()).collect())
        .collect();
    assert_eq!(names, [["literal"], ["insert"]]);
    let view = diff_pair(&a, &b, &options());
    assert!(view.notes.iter().map(|n| &n.changes).eq(&names));
    // A hunk of another comparison is clipped, and does no harm.
    let mut far = c.hunks[0].clone();
    far.lines = 900..1000;
    assert!(c.changes(&far).is_empty());
}

#[test]
fn files_are_paired_by_path() {
    let a = [
        SourceFile::new("b", "1\n"),
        SourceFile::new("a", "x\n"),
        SourceFile::new("gone", "g\n"),
    ];
    let b = [
        SourceFile::new("a", "y\n"),
        SourceFile::new("b", "1\n"),
        SourceFile::new("new", "n\n"),
    ];
    let d = diff(&a, &b, &options());
    let names: Vec<_> = d.iter().map(|f| (f.a.as_deref(), f.b.as_deref())).collect();
    assert_eq!(
        names,
        [
            (Some("a"), Some("a")),
            (Some("b"), Some("b")),
            (Some("gone"), None),
            (None, Some("new"))
        ]
    );
    assert!(d[1].hunks.is_empty() && d[1].notice.is_empty());
    assert_eq!(
        to_unified(&d),
        "--- a\n+++ a\n@@ -1,1 +1,1 @@\n-x\n+y\n--- gone\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-g\n\
         --- /dev/null\n+++ new\n@@ -0,0 +1,1 @@\n+n\n"
    );
}

#[test]
fn no_file_has_a_heading_without_anything_below_it() {
    let a = [
        SourceFile::new("same", "1\n"),
        SourceFile::new("ends", "x\r\n"),
    ];
    let b = [
        SourceFile::new("same", "1\n"),
        SourceFile::new("ends", "x\n"),
        SourceFile::new("empty", ""),
    ];
    assert_eq!(
        to_unified(&diff(&a, &b, &options())),
        "--- /dev/null\n+++ empty\n\\ an empty file\n--- ends\n+++ ends\n\
         \\ A has CRLF line ends and B does not; line ends are not compared.\n"
    );
    assert_eq!(to_unified(&diff(&a[..1], &b[..1], &options())), "");
}

#[test]
fn what_changed_inside_a_line_is_emphasised() {
    let d = one("\tvmovups\t%ymm0, (%rax)\n", "\tvmovups\t%ymm1, (%rax)\n");
    let emphasised: Vec<&str> = d.hunks[0]
        .iter()
        .flat_map(|l| &l.pieces)
        .filter(|p| p.emphasised)
        .map(|p| p.text.as_str())
        .collect();
    assert_eq!(emphasised, ["ymm0", "ymm1"]);
}

#[test]
fn an_empty_line_in_a_change_is_not_lost() {
    let d = one("a\n\naa\naa", "\r\nb\naa\n\naa\na");
    let lines = |tag: &str| {
        let of = d.hunks.iter().flatten();
        of.filter(|l| l.tag == "context" || l.tag == tag).count()
    };
    assert_eq!((lines("delete"), lines("insert")), (4, 6));
}

#[test]
fn context_is_three_lines_and_far_changes_are_hunks_of_their_own() {
    let text = |x: &str, y: &str| {
        let mut lines: Vec<String> = (0..30).map(|i| i.to_string()).collect();
        lines[5] = x.into();
        lines[25] = y.into();
        lines.join("\n") + "\n"
    };
    let d = one(&text("a", "b"), &text("c", "d"));
    assert_eq!(d.hunks.len(), 2);
    assert_eq!(d.hunks[0].len(), 3 + 2 + 3);
    assert_eq!((d.hunks[0][0].a, d.hunks[0][0].b), (Some(3), Some(3)));
}

#[test]
fn line_ends_are_noted_and_not_compared() {
    let d = one("a\r\nb\r\n", "a\nb\n");
    assert!(
        d.hunks.is_empty() && d.notice.contains("CRLF"),
        "{}",
        d.notice
    );
    let d = one("a\nb", "a\nb\n");
    assert!(
        d.hunks.is_empty() && d.notice.contains("A has no line feed"),
        "{}",
        d.notice
    );
}

#[test]
fn what_is_not_text_is_described() {
    let bin = |b: &[u8]| SourceFile::new("k", b.to_vec());
    let d = diff_pair(&bin(b"a\0b"), &bin(b"a"), &options());
    assert!(d.hunks.is_empty() && d.notice.contains("binary") && d.notice.contains("3 bytes"));
    let d = diff_pair(&bin(b"a"), &bin(b"ab\xff"), &options());
    assert!(
        d.hunks.len() == 1 && d.notice.contains("not UTF-8 (byte 2)"),
        "{}",
        d.notice
    );
    assert!(to_unified(&[d]).contains("\\ `k` is not UTF-8"));
}

#[test]
fn large_files_and_spent_time_give_a_coarse_diff_and_say_so() {
    let a: String = (0..500).map(|i| format!("{i}\n")).collect();
    let b = a.replace("100\n", "x\n").replace("400\n", "y\n");
    let small = DiffOptions {
        max_bytes: 100,
        max_lines: 20,
        ..options()
    };
    let late = DiffOptions {
        timeout: Duration::ZERO,
        ..options()
    };
    for o in [small, late] {
        let d = diff_pair(
            &SourceFile::new("k", a.as_str()),
            &SourceFile::new("k", b.as_str()),
            &o,
        );
        assert_eq!(d.hunks.len(), 1);
        assert!(d.notice.contains("Coarse diff"), "{}", d.notice);
        let first = d.hunks[0].iter().find(|l| l.tag == "delete").unwrap();
        assert_eq!(first.a, Some(101));
    }
    let d = diff_pair(
        &SourceFile::new("k", a.as_str()),
        &SourceFile::new("k", b.as_str()),
        &small,
    );
    assert_eq!(d.hunks[0].iter().filter(|l| l.tag == "delete").count(), 10);
    assert!(
        d.notice.contains("582 changed lines are left out"),
        "{}",
        d.notice
    );
}

#[test]
fn output_cannot_drive_a_terminal_or_forge_lines() {
    let a = [SourceFile::new("k\x1b[2J\n", "old\n")];
    let b = [SourceFile::new("k\x1b[2J\n", "n\x1b[31mew\u{202e}\x07\n")];
    let d = diff(&a, &b, &options());
    let unified = to_unified(&d);
    let side: String = to_side_by_side(&d[0], 60).join("\n");
    for text in [&unified, &side] {
        assert!(
            text.chars().all(|c| c == '\n' || !c.is_control()),
            "{text:?}"
        );
        assert!(!text.contains('\u{202e}'));
    }
    assert!(unified.contains("n\\x1b[31mew\\u{202e}\\x07"));
    assert_eq!(unified.lines().count(), 5);
}

#[test]
fn side_by_side_is_as_wide_as_asked_with_wide_text() {
    let d = one(
        "int a; // 核函数一\n\tsame\nx\n",
        "int b; // 核函数二二二二二二二\n\tsame\n",
    );
    for columns in [1, 2, 3, 7, 20, 41, 80] {
        for row in to_side_by_side(&d, columns) {
            assert!(width(&row) <= columns, "{columns}: {row}");
        }
    }
    let rows = to_side_by_side(&d, 41);
    assert_eq!(rows[0], "k                   │ k                  ");
    assert_eq!(rows[2], "1 int a; // 核函数… │ 1 int b; // 核函数…");
    assert_eq!(rows[3], "2     same          │ 2     same         ");
}

fn lines() -> impl Strategy<Value = String> {
    proptest::collection::vec(
        prop_oneof!["[ab]{0,2}", "\\PC{0,5}", Just("\r".to_owned())],
        0..20,
    )
    .prop_map(|l| l.join("\n"))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn both_sides_can_be_put_together_from_the_hunks(a in lines(), b in lines()) {
        let wide = DiffOptions { context: 1000, ..options() };
        let d = diff_pair(&SourceFile::new("k", a.as_str()), &SourceFile::new("k", b.as_str()), &wide);
        let side = |tag: &str| -> Vec<String> {
            d.hunks.iter().flatten().filter(|l| l.tag == "context" || l.tag == tag)
                .map(|l| l.pieces.iter().map(|p| p.text.as_str()).collect())
                .collect()
        };
        if !d.hunks.is_empty() {
            prop_assert_eq!(side("delete"), a.lines().collect::<Vec<_>>());
            prop_assert_eq!(side("insert"), b.lines().collect::<Vec<_>>());
        }
        let _ = to_side_by_side(&d, 33);
    }

    #[test]
    fn arbitrary_bytes_never_panic(a: Vec<u8>, b: Vec<u8>, w in 0usize..50) {
        let d = diff(&[SourceFile::new("k", a)], &[SourceFile::new("k", b)], &options());
        let _ = to_unified(&d);
        let _ = to_side_by_side(&d[0], w);
    }
}

#[test]
fn metadata_of_amd_kernels_is_no_comment() {
    let text = include_str!("fixtures/gemm_gfx942.s");
    let changes = |from: &str, to: &str| -> Vec<String> {
        assert!(text.contains(from));
        let other = text.replace(from, to);
        let (a, b) = (
            SourceFile::new("k.s", text),
            SourceFile::new("k.s", other.as_str()),
        );
        for o in [options(), options().normalised()] {
            let d = diff_pair(&a, &b, &o);
            assert_eq!(d.language, "asm-amdgcn");
            if let [n] = &d.notes[..] {
                return n.changes.clone();
            }
        }
        panic!("no hunk");
    };
    for (from, to, kind) in [
        (".vgpr_count:     48", ".vgpr_count:     50", "metadata"),
        (".name:           A", ".name:           X", "metadata"),
        ("gfx942\n", "gfx950\n", "metadata"),
        // The descriptor of the kernel is code.
        ("next_free_vgpr 48", "next_free_vgpr 50", "literal"),
    ] {
        assert_eq!(changes(from, to), [kind], "{from}");
    }
}

#[test]
fn notices_stand_apart_in_every_form() {
    let a = "__global__ void k(float* p) {\r\n  p[0] = 1;\r\n}}\r\n";
    let b = "__global__ void k(float* p) {\n  p[0] = 2;\n}}";
    let d = diff_pair(
        &SourceFile::new("k.cu", a),
        &SourceFile::new("k.cu", b),
        &options().normalised(),
    );
    assert!(d.notices.len() >= 3, "{:?}", d.notices);
    for lang in [Lang::En, Lang::Zh] {
        let all = said::notices(lang, &d);
        let unified = to_unified_styled(std::slice::from_ref(&d), lang, &|_, t| t.to_owned());
        let beside = to_side_by_side_styled(&d, 200, lang, &|_, t| t.to_owned());
        let page = to_html(std::slice::from_ref(&d), lang);
        for n in &all {
            assert!(unified.contains(&format!("\n\\ {n}\n")), "{n} in {unified}");
            assert!(beside.iter().any(|row| row == n), "{n} in {beside:?}");
            assert!(
                page.contains(&format!("<td colspan=\"3\">{n}</td>")),
                "{page}"
            );
        }
        // In one line each is a sentence of its own.
        let joined = said::sentences(lang, &all);
        let stop = ['.', '。'];
        assert!(joined.matches(stop).count() + 1 >= all.len(), "{joined}");
    }
    assert_eq!(
        d.notice,
        said::sentences(Lang::En, &said::notices(Lang::En, &d))
    );
    let zh = to_html(std::slice::from_ref(&d), Lang::Zh);
    assert!(zh.contains("字面量") && !zh.contains("literal"), "{zh}");
}
