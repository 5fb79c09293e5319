//! A diff of two hunks, with what breaks interfaces in it.

use assay_core::view::*;

fn line(tag: &str, a: Option<u32>, b: Option<u32>, pieces: &[(&str, bool)]) -> DiffLine {
    let pieces = pieces
        .iter()
        .map(|(text, emphasised)| DiffPiece {
            emphasised: *emphasised,
            text: (*text).into(),
        })
        .collect();
    DiffLine {
        tag: tag.into(),
        a,
        b,
        pieces,
        ..DiffLine::default()
    }
}

fn note(a: &str, b: &str, change: &str) -> HunkNote {
    HunkNote {
        kernel_a: a.into(),
        kernel_b: b.into(),
        changes: vec![change.into()],
        folded: 0,
    }
}

pub fn diff(a: &str, b: &str, generated: bool) -> DiffView {
    let first = vec![
        line(
            "context",
            Some(12),
            Some(12),
            &[("\tfor (int k = 0; k < K; ++k) {", false)],
        ),
        line(
            "delete",
            Some(13),
            None,
            &[
                ("\t\tacc += a[k] * ", false),
                ("b[k * N + j]", true),
                (";", false),
            ],
        ),
        line(
            "insert",
            None,
            Some(13),
            &[
                ("\t\tacc += a[k] * ", false),
                ("tile[k][j]", true),
                (";", false),
            ],
        ),
        line(
            "insert",
            None,
            Some(14),
            &[("\t\t// 分块后 B 留在一级缓存", false)],
        ),
        line("context", Some(14), Some(15), &[("\t}", false)]),
    ];
    let second = vec![
        line("context", Some(40), Some(41), &[("void gemm(void)", false)]),
        line(
            "delete",
            Some(41),
            None,
            &[("#define TILE ", false), ("32", true)],
        ),
        line(
            "insert",
            None,
            Some(42),
            &[("#define TILE ", false), ("64", true), (" \x1b[2Jx", false)],
        ),
    ];
    let file = if generated {
        "kernel.s"
    } else {
        "kernel/gemm.c"
    };
    DiffView {
        statements: if generated {
            let of = |kind: &str, text: &str| SourceStatement {
                text: text.into(),
                kind: kind.into(),
                facts: vec![ComparedFigure {
                    name: "vector.fma".into(),
                    unit: "1".into(),
                    values: vec![Some(0.0), Some(16.0)],
                    change_percent: None,
                }],
                counters: Vec::new(),
            };
            vec![
                of("change", "widest vector: 128 -> 256 bits"),
                of(
                    "goes-with",
                    "vector multiply-adds in the text 0 -> 16; goes with instructions -40.0 % (inst.total)",
                ),
                of("no-counter", "unused"),
            ]
        } else {
            Vec::new()
        },
        schema: "assay.diff/1".into(),
        a: a.into(),
        b: b.into(),
        what: if generated { "generated" } else { "kernel" }.into(),
        files: vec![FileDiff {
            a: Some(file.into()),
            b: Some(file.into()),
            notes: vec![note("gemm", "gemm", "edit"), note("", "", "literal")],
            language: if generated { "asm-x86_64" } else { "c" }.into(),
            hunks: vec![first, second],
            notice: String::new(),
            ..FileDiff::default()
        }],
        facts: if generated {
            vec![ComparedFigure {
                name: "vector.fma".into(),
                unit: "count".into(),
                values: vec![Some(0.0), Some(16.0)],
                change_percent: None,
            }]
        } else {
            Vec::new()
        },
        warnings: Vec::new(),
    }
}
