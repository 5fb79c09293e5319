//! Diffs for a screen: rows by place, folds, kernels and their states, one column and two.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use assay_source::diff::{Fold, KernelState, Layout, Row, Shape, open};
use assay_source::{DiffOptions, SourceFile, diff};

fn kernel(name: &str, body: &str) -> String {
    format!("extern \"C\" __global__ void {name}_kernel(float* C, int n) {{\n{body}}}\n\n")
}

fn stores(n: usize, last: &str) -> String {
    let all: String = (0..n).map(|i| format!("  C[{i}] = n;\n")).collect();
    all + last
}

fn sides() -> [Vec<SourceFile>; 2] {
    let side = |x: &str, changed: &str, more: &str| {
        let text = kernel("same", "  C[0] = 1;\n")
            + &kernel("numbered", &format!("  int {x} = n;\n  C[1] = {x};\n"))
            + &kernel("main", &(stores(20, changed) + &stores(20, "")))
            + more;
        vec![SourceFile::new("k.cu", text)]
    };
    let new = kernel("other", "  __syncthreads();\n");
    [
        side("x_1", "  C[2] = 3;\n", ""),
        side("x_7", "  C[2] = 4;\n", &new),
    ]
}

#[test]
fn heads_are_what_a_whole_diff_says() {
    let [a, b] = sides();
    for options in [DiffOptions::default(), DiffOptions::default().normalised()] {
        let whole = diff(&a, &b, &options);
        let (heads, files) = open(&a, &b, &options);
        for (whole, head) in whole.iter().zip(&heads) {
            let mut whole = whole.clone();
            assert!(!whole.hunks.is_empty());
            whole.hunks.clear();
            assert_eq!(whole, *head);
        }
        // The place of each hunk is that of its lines.
        for (n, hunk) in whole[0].hunks.iter().enumerate() {
            let [a, count_a, b, count_b] = files[0].place(&heads[0], n);
            assert_eq!(hunk.iter().find_map(|l| l.a).unwrap_or(0), a);
            assert_eq!(hunk.iter().find_map(|l| l.b).unwrap_or(0), b);
            assert_eq!(
                hunk.iter().filter(|l| l.a.is_some()).count(),
                count_a as usize
            );
            assert_eq!(
                hunk.iter().filter(|l| l.b.is_some()).count(),
                count_b as usize
            );
        }
    }
}

#[test]
fn each_kernel_has_a_state() {
    let [a, b] = sides();
    for options in [DiffOptions::default(), DiffOptions::default().normalised()] {
        let (_, files) = open(&a, &b, &options);
        let c = files[0].comparison.as_ref().unwrap();
        let states: Vec<KernelState> = c.kernels.iter().map(|k| k.state).collect();
        use KernelState::{Changed, New, NormalisedEqual, Same};
        assert_eq!(states, [Same, NormalisedEqual, Changed, New]);
        let (_, files) = open(&b, &a, &options);
        let c = files[0].comparison.as_ref().unwrap();
        assert_eq!(c.kernels.last().unwrap().state, KernelState::Gone);
    }
}

#[test]
fn every_line_is_in_a_layout_once_whatever_is_folded() {
    let [a, b] = sides();
    let (heads, files) = open(&a, &b, &DiffOptions::default().normalised());
    let file = &files[0];
    let count = |layout: &Layout| -> [usize; 2] {
        let mut out = [0, 0];
        for row in &layout.rows {
            match *row {
                Row::Folded { count, .. } => out.iter_mut().for_each(|n| *n += count as usize),
                Row::Lines { a, b, .. } => {
                    out[0] += usize::from(a.is_some());
                    out[1] += usize::from(b.is_some());
                }
                Row::Line { gone, .. } => out[usize::from(!gone)] += 1,
                Row::Hunk(_) | Row::Kernel(_) => {}
            }
        }
        out
    };
    let lines = [&a, &b].map(|s| s[0].text().unwrap().lines().count());
    for unified in [false, true] {
        for heads_on in [false, true] {
            for fold in [Fold::Context, Fold::Nothing] {
                let shape = Shape {
                    unified,
                    fold,
                    heads: heads_on,
                    ..Shape::default()
                };
                let layout = file.layout(&heads[0], &shape);
                assert_eq!(count(&layout), lines, "{shape:?}");
                let window = file.window(&heads[0], &layout, 0..layout.rows.len());
                assert_eq!(window.len(), layout.rows.len());
                // A run of unchanged lines turned over is one row more or less than it has lines.
                let run = match fold {
                    Fold::Context => layout.rows.iter().find_map(|r| match r {
                        Row::Folded { at, count } => Some((*at, *count as isize - 1)),
                        _ => None,
                    }),
                    Fold::Nothing => {
                        (layout.unfolded.first()).map(|(rows, at)| (*at, 1 - rows.len() as isize))
                    }
                };
                let (at, more) = run.unwrap();
                let turned = Shape {
                    except: BTreeSet::from([at]),
                    ..shape.clone()
                };
                let turned = file.layout(&heads[0], &turned);
                assert_eq!(
                    turned.rows.len() as isize,
                    layout.rows.len() as isize + more
                );
                assert_eq!(count(&turned), lines);
            }
        }
    }
}

#[test]
fn a_shut_kernel_is_one_row() {
    let [a, b] = sides();
    let (heads, files) = open(&a, &b, &DiffOptions::default().normalised());
    let c = files[0].comparison.as_ref().unwrap();
    let open_shape = Shape {
        heads: true,
        ..Shape::default()
    };
    let layout = files[0].layout(&heads[0], &open_shape);
    let kernels: BTreeSet<u32> = (layout.rows.iter())
        .filter_map(|r| match r {
            Row::Kernel(k) => Some(*k),
            _ => None,
        })
        .collect();
    // Those without a change have no row of their own.
    assert_eq!(kernels, BTreeSet::from([2, 3]));
    assert!(matches!(
        layout.rows[c.row_of_kernel(&layout, 0).unwrap()],
        Row::Folded { .. }
    ));
    let shut = Shape {
        shut: kernels.clone(),
        ..open_shape
    };
    let layout = files[0].layout(&heads[0], &shut);
    for k in kernels {
        let at = c.row_of_kernel(&layout, k as usize).unwrap();
        assert_eq!(layout.rows[at], Row::Kernel(k));
    }
    let changed = |r: &Row| matches!(r, Row::Lines { equal: false, .. });
    assert!(
        !layout
            .rows
            .iter()
            .any(|r| changed(r) && !matches!(r, Row::Lines { b: Some(b), .. } if *b > 50))
    );
}

#[test]
fn files_without_lines_to_compare_are_shown_all_the_same() {
    let of = |bytes: &[u8]| vec![SourceFile::new("k.bin", bytes)];
    let (heads, files) = open(&of(b"a\0b"), &of(b"a\0c"), &DiffOptions::default());
    assert!(heads[0].notice.contains("binary"));
    assert!(
        files[0]
            .layout(&heads[0], &Shape::default())
            .rows
            .is_empty()
    );
    let options = DiffOptions {
        max_bytes: 8,
        ..DiffOptions::default()
    };
    let text = |s: &str| vec![SourceFile::new("k.cu", s)];
    let (heads, files) = open(
        &text("one\ntwo\nthree\n"),
        &text("one\n2\nthree\n"),
        &options,
    );
    assert!(
        heads[0].notice.contains("Coarse diff"),
        "{}",
        heads[0].notice
    );
    let layout = files[0].layout(&heads[0], &Shape::default());
    let rows = files[0].window(&heads[0], &layout, 0..layout.rows.len());
    let shown: Vec<String> = (rows.iter())
        .filter_map(|r| r.right.as_ref().or(r.left.as_ref()))
        .map(|c| c.spans.iter().map(|s| s.text.as_str()).collect())
        .collect();
    assert!(
        shown.contains(&"two".to_owned()) && shown.contains(&"2".to_owned()),
        "{shown:?}"
    );
}

#[test]
fn a_window_anywhere_is_the_same_as_all_of_it() {
    let open_comment = |n: usize| -> String {
        let body: String = (0..n).map(|i| format!("line {i} of a comment\n")).collect();
        format!("/*\n{body}*/\nint x = 1;\n")
    };
    let [a, b] = [700, 701].map(|n| vec![SourceFile::new("k.c", open_comment(n))]);
    let (heads, files) = open(&a, &b, &DiffOptions::default());
    let shape = Shape {
        fold: Fold::Nothing,
        ..Shape::default()
    };
    let layout = files[0].layout(&heads[0], &shape);
    let all = files[0].window(&heads[0], &layout, 0..layout.rows.len());
    for from in [690, 300, 0, 650] {
        let part = files[0].window(&heads[0], &layout, from..from + 10);
        assert_eq!(part[..], all[from..from + 10]);
    }
}

#[test]
fn rows_that_hold_a_text_are_those_whose_window_shows_it() {
    let [fine_a, fine_b] = sides();
    let text = |s: &str| vec![SourceFile::new("k.cu", s)];
    let coarse = DiffOptions {
        max_bytes: 8,
        ..DiffOptions::default()
    };
    for (a, b, options, words) in [
        (
            fine_a,
            fine_b,
            DiffOptions::default(),
            ["C[2]", "x_7", "main"],
        ),
        (
            text("one\ntwo\nthree\n"),
            text("one\n2\nthree\n"),
            coarse,
            ["two", "2", "three"],
        ),
    ] {
        let (heads, files) = open(&a, &b, &options);
        for columns in [false, true] {
            let shape = Shape {
                fold: Fold::Nothing,
                unified: columns,
                ..Shape::default()
            };
            let layout = files[0].layout(&heads[0], &shape);
            let shown = files[0].window(&heads[0], &layout, 0..layout.rows.len());
            for word in words {
                let found = files[0].rows_where(&heads[0], &layout, &|t| t.contains(word));
                let seen: Vec<usize> = (shown.iter().enumerate())
                    .filter(|(_, r)| {
                        // Of a line that both sides have, one column has that of side B.
                        let equal = matches!(r.row, Row::Lines { equal: true, .. });
                        let left = r.left.as_ref().filter(|_| !equal || r.right.is_none());
                        let cells = [left, r.right.as_ref()];
                        cells.into_iter().flatten().any(|c| {
                            let text: String = c.spans.iter().map(|s| s.text.as_str()).collect();
                            text.contains(word)
                        })
                    })
                    .map(|(i, _)| i)
                    .collect();
                assert_eq!(found, seen, "{word} {columns}");
                assert!(!found.is_empty(), "{word}");
            }
        }
    }
}
