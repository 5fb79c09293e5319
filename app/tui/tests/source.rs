//! The Source screen: folds, stops, kernels, notices, large diffs.

#![allow(clippy::unwrap_used)]

mod support;

use std::sync::Arc;

use assay_source::SourceFile;
use assay_tui::event::{DiffKey, Event, Load, Loaded};
use assay_tui::options::{Lang, Options};
use proptest::prelude::*;
use support::play::Play;
use support::{diffs, dump};

fn at(size: (u16, u16), keys: &str) -> Play {
    let options = Options {
        lang: Lang::En,
        ..Options::default()
    };
    let mut play = Play::new(options, size);
    play.keys(keys);
    play
}

fn text(play: &Play) -> String {
    dump::plain(&play.state)
}

/// Shows the diff of two file sets as generated source.
fn showing(size: (u16, u16), a: Vec<SourceFile>, b: Vec<SourceFile>) -> Play {
    let mut play = at(size, "j j d t");
    let key = play.state.source.key.clone().unwrap();
    let diff = diffs::of_files(&key, &a, &b);
    play.event(Event::Loaded(Loaded::Diff(key, Ok(Arc::new(diff)))));
    play
}

#[test]
fn unchanged_lines_fold_and_unfold_one_by_one_and_all_at_once() {
    let mut p = at((120, 40), "j j d n");
    let before = p.state.source.rows.len();
    assert!(text(&p).contains("unchanged lines"));
    // The fold above the first hunk.
    p.keys("k");
    assert!(text(&p).contains("9 unchanged lines"), "{}", text(&p));
    p.keys("space");
    assert_eq!(p.state.source.rows.len(), before + 8);
    assert!(text(&p).contains("row_2 = 2"));
    p.keys("space");
    assert_eq!(p.state.source.rows.len(), before);
    p.keys("z");
    assert!(!text(&p).contains("unchanged lines"));
    p.keys("z");
    assert_eq!(p.state.source.rows.len(), before);
}

#[test]
fn headings_files_and_kernels_fold() {
    let mut p = at((120, 60), "j j d t");
    assert!(text(&p).contains("widest vector"));
    p.keys("enter");
    assert!(!text(&p).contains("widest vector"));
    p.keys("enter f");
    assert!(text(&p).contains("widest vector") && !text(&p).contains("vector.fma 0 -> 16"));
    p.keys("}");
    assert!(text(&p).contains("C[99] = 3;"));
    p.keys("enter");
    assert!(!text(&p).contains("C[99] = 3;"));
    assert_eq!(
        p.state.source.kernel(),
        Some((0, 2)),
        "the cursor stays on it"
    );
    p.keys("Z");
    assert!(!text(&p).contains("y * y"));
    p.keys("Z");
    assert!(text(&p).contains("y * y") && text(&p).contains("C[99] = 3;"));
    p.keys("<");
    p.keys("enter");
    assert!(!text(&p).contains("C[99] = 3;"));
}

#[test]
fn stops_go_from_hunk_to_hunk_kernel_to_kernel_and_file_to_file() {
    let mut p = at((100, 30), "j j d t }");
    assert_eq!(p.state.source.kernel(), Some((0, 2)));
    p.keys("} }");
    let last = p.state.source.kernel().unwrap();
    assert_ne!(last, (0, 2));
    p.keys("{ { {");
    assert_eq!(p.state.source.kernel(), Some((0, 2)));
    p.keys("g n");
    assert_eq!(p.state.source.hunk(), Some(0));
    p.keys("G n");
    assert_eq!(p.state.source.hunk(), Some(p.state.source.hunk_count - 1));
    assert!(
        text(&p).contains("kernel/gemm.h  equal byte for byte"),
        "{}",
        text(&p)
    );
    p.keys("g > >");
    let files = p.state.source.files.clone();
    assert_eq!(p.state.source.cursor.index, files[1]);
    p.keys("<");
    assert_eq!(p.state.source.cursor.index, files[0]);
}

#[test]
fn every_kernel_is_listed_with_what_became_of_it() {
    let mut p = at((100, 30), "j j d t o");
    let shown = text(&p);
    for line in [
        "same_kernel  same",
        "numbered_kernel  same after normalisation",
        "main_kernel  changed",
        "gone_kernel -> fresh_kernel  renamed, changed",
        "added_kernel  new",
    ] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    p.keys("G enter");
    assert_eq!(p.state.source.kernel(), Some((0, 4)));
    assert!(p.state.layers.is_empty());
    // One without a change is where it is folded away.
    p.keys("o g enter");
    assert!(text(&p).contains("unchanged lines"));
    p.keys("o esc");
    assert!(p.state.layers.is_empty());
}

#[test]
fn raw_and_normalised_are_two_diffs_and_the_newest_question_wins() {
    let mut p = at((120, 40), "j j d t");
    assert!(!text(&p).contains("x_7") && text(&p).contains("normalised"));
    p.keys("w");
    let key = p.state.source.key.clone().unwrap();
    assert!(key.generated && !key.normalised);
    assert_eq!(p.loads.last(), Some(&Load::Diff(key.clone())));
    p.keys("n");
    assert!(
        text(&p).contains("x_7") && text(&p).contains("  raw"),
        "{}",
        text(&p)
    );
    // The answer to the question before comes late.
    let late = DiffKey {
        normalised: true,
        ..key
    };
    let diff = diffs::diff(&late);
    p.event(Event::Loaded(Loaded::Diff(late, Ok(Arc::new(diff)))));
    assert!(text(&p).contains("x_7"));
}

#[test]
fn what_is_equal_is_said_and_notices_stay_in_view() {
    let file = |text: &str| vec![SourceFile::new("k.cu", text)];
    let kernel = |x: &str| {
        format!(
            "extern \"C\" __global__ void k_kernel(int n) {{\n  int {x} = n;\n  C[0] = {x};\n}}\n"
        )
    };
    let p = showing((80, 24), file(&kernel("x_1")), file(&kernel("x_7")));
    assert!(
        text(&p).contains("k.cu  equal after normalisation"),
        "{}",
        text(&p)
    );
    let p = showing((80, 24), file(&kernel("x_1")), file(&kernel("x_1")));
    assert!(
        text(&p).contains("k.cu  equal byte for byte"),
        "{}",
        text(&p)
    );
    let p = showing((80, 24), file("a\u{0}b"), file("c\u{0}d"));
    assert!(
        text(&p).contains("! `k.cu` is binary; not shown"),
        "{}",
        text(&p)
    );

    let mut p = at((80, 24), "j j d t G");
    assert!(text(&p).contains("! B: built twice"), "{}", text(&p));
    p.keys("i");
    // In the window the sentence stands whole, on as many rows as it needs.
    let shown = text(&p);
    let window = shown.split_once("─ Notices").map_or("", |(_, rest)| rest);
    let words: Vec<&str> = window.split_whitespace().filter(|w| *w != "│").collect();
    assert!(
        words.join(" ").contains("weakens every claim about it"),
        "{shown}"
    );
}

/// Two generated files of so many lines, of which one in a hundred differs.
fn large(lines: usize) -> (Vec<SourceFile>, Vec<SourceFile>) {
    let side = |b: bool| {
        let mut out = String::new();
        for k in 0..lines / 1000 {
            out.push_str(&format!(
                "extern \"C\" __global__ void k{k}_kernel(float* C) {{\n"
            ));
            for i in 0..998 {
                let by = if b && i % 100 == 7 { 3 } else { 2 };
                out.push_str(&format!("  C[{i}] = A[{i}] * {by} + {k};\n"));
            }
            out.push_str("}\n");
        }
        vec![SourceFile::new("k.cu", out)]
    };
    (side(false), side(true))
}

#[test]
fn moving_in_a_large_diff_lists_no_rows_anew() {
    let (a, b) = large(50_000);
    let mut p = showing((120, 40), a, b);
    let source = &p.state.source;
    assert_eq!(source.hunk_count, 500);
    assert_eq!(source.kernels.len(), 50);
    let listed = source.listed;
    p.keys("n n } G pgup k j g l h f");
    assert_eq!(p.state.source.listed, listed + 1, "evidence is a fold");
    p.keys("z G k");
    assert_eq!(p.state.source.listed, listed + 2);
    assert!(p.state.source.rows.len() > 50_000);
    assert!(
        text(&p).contains("C[997] = A[997] * 2 + 49;"),
        "{}",
        text(&p)
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_size_and_no_order_of_keys_panics(
        first in (1u16..200, 1u16..70),
        zh in any::<bool>(),
        keys in proptest::collection::vec((0usize..25, 1u16..200, 1u16..70), 1..40),
    ) {
        const KEYS: [&str; 25] = [
            "n", "p", "j", "k", "G", "g", "z", "Z", "}", "{", ">", "<", "o", "enter", "esc", "f", "e",
            "i", "v", "w", "t", "space", "l", "pgdn", "s",
        ];
        let lang = if zh { Lang::Zh } else { Lang::En };
        let mut play = Play::new(Options { lang, ..Options::default() }, first);
        play.keys("j j d t");
        for (key, w, h) in keys {
            play.keys(KEYS[key]);
            dump::buffer(&play.state);
            play.event(Event::Resize(w, h));
            dump::buffer(&play.state);
        }
    }
}

/// Another look at the same two sides, as after a decision, leaves the reader where he was.
#[test]
fn a_diff_that_is_read_again_stays_where_it_was() {
    let mut p = at((100, 30), "j j d t n n");
    let before = (p.state.source.cursor.index, p.state.source.cursor.offset);
    assert!(before.0 > 0);
    p.keys("f5");
    assert_eq!(
        (p.state.source.cursor.index, p.state.source.cursor.offset),
        before
    );
    // Other sides begin at the top.
    p.keys("s");
    assert_eq!(p.state.source.cursor.index, 0);
}
