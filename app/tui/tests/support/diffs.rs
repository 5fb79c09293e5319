//! Diffs of a kernel as written and as generated, with what breaks interfaces in them.

use assay_core::view::*;
use assay_source::diff::{OpenDiff, open};
use assay_source::said::{Key, Lang, plain, say, step, text};
use assay_source::{DiffOptions, SourceFile};
use assay_tui::event::DiffKey;

/// A C kernel; in B the tile is larger, a line is new, and an escape sequence has come in.
fn written(b: bool) -> String {
    let mut out = String::from("#include \"gemm.h\"\n\n/* rows of C */\n");
    for i in 0..8 {
        out.push_str(&format!("static const int row_{i} = {i};\n"));
    }
    out.push_str("\tfor (int k = 0; k < K; ++k) {\n");
    match b {
        false => out.push_str("\t\tacc += a[k] * b[k * N + j];\n"),
        true => {
            out.push_str("\t\tacc += a[k] * tile[k][j];\n\t\t// 分块后 B 留在一级缓存\n");
        }
    }
    out.push_str("\t}\n");
    for i in 0..20 {
        out.push_str(&format!("static const int column_{i} = {i};\n"));
    }
    out.push_str("void gemm(void)\n");
    out.push_str(match b {
        false => "#define TILE 32\n",
        true => "#define TILE 64 \u{1b}[2Jx\n",
    });
    out
}

/// A generated file of several kernels: of each state one, and a long one that changed.
fn generated(b: bool) -> String {
    let kernel = |name: &str, body: &str| {
        format!(
            "extern \"C\" __global__ void __launch_bounds__(128, 1) {name}_kernel(float* C, int n) {{\n{body}}}\n\n"
        )
    };
    let lines = |prefix: &str, n: usize| -> String {
        (0..n)
            .map(|i| format!("  C[{i}] = {prefix}_{i};\n"))
            .collect()
    };
    let mut out = String::from("#include <cuda_fp16.h>\n");
    out += &kernel("same", "  C[0] = 1;\n");
    out += &kernel(
        "numbered",
        match b {
            false => "  int x_1 = n;\n  C[1] = x_1;\n",
            true => "  int x_7 = n;\n  C[1] = x_7;\n",
        },
    );
    out += &kernel(
        "main",
        &format!(
            "{}  {}\n{}  {}\n",
            lines("n", 30),
            if b { "__syncthreads();" } else { "C[99] = 3;" },
            lines("n", 12),
            if b { "C[98] = 16;" } else { "C[98] = 8;" },
        ),
    );
    out += &match b {
        false => kernel("gone", "  C[2] = 4;\n"),
        true => {
            kernel("fresh", "  C[4] = 1;\n")
                + &kernel(
                    "added",
                    "  float y = C[5];\n  C[7] = y * y;\n  __syncthreads();\n",
                )
        }
    };
    out
}

fn statements() -> Vec<SourceStatement> {
    let figure = |name: &str, unit: &str, a: f64, b: f64| ComparedFigure {
        name: name.into(),
        unit: unit.into(),
        values: vec![Some(a), Some(b)],
        change_percent: (a != 0.0).then(|| (b - a) / a * 100.0),
    };
    let of = |kind: &str, said: Said, fact: ComparedFigure, counters: Vec<ComparedFigure>| {
        SourceStatement {
            text: text(Lang::En, &said).unwrap(),
            said: Some(said),
            kind: kind.into(),
            facts: vec![fact],
            counters,
        }
    };
    let topic = SaidValue::Topic("vector.width_bits".into());
    let width = say(Key::Colon, [topic, step(Some(128.0), Some(256.0), "bits")]);
    let fma = SaidValue::Fact("vector.fma".into());
    let counter = SaidValue::Counter("inst.total".into());
    let beside = [
        fma.clone(),
        step(Some(0.0), Some(16.0), "1"),
        counter,
        plain("-40.0 %"),
        plain("inst.total"),
    ];
    let none = [fma, step(Some(0.0), Some(16.0), "1"), plain("inst.fma")];
    let fact = || figure("vector.fma", "1", 0.0, 16.0);
    vec![
        of(
            "change",
            width,
            figure("vector.width_bits", "bits", 128.0, 256.0),
            Vec::new(),
        ),
        of(
            "goes-with",
            say(Key::GoesWith, beside),
            fact(),
            vec![figure("inst.total", "count", 1000.0, 600.0)],
        ),
        of("no-counter", say(Key::NoCounter, none), fact(), Vec::new()),
    ]
}

/// The diff of a key.
pub fn diff(key: &DiffKey) -> OpenDiff {
    let (path, of): (&str, fn(bool) -> String) = match key.generated {
        true => ("kernel.cu", generated),
        false => ("kernel/gemm.c", written),
    };
    let side = |b: bool| {
        vec![
            SourceFile::new(path, of(b)),
            SourceFile::new("kernel/gemm.h", "int gemm(void);\n"),
        ]
    };
    let mut out = of_files(key, &side(false), &side(true));
    if key.generated {
        out.view.statements = statements();
        out.view.facts = vec![ComparedFigure {
            name: "vector.fma".into(),
            unit: "count".into(),
            values: vec![Some(0.0), Some(16.0)],
            change_percent: None,
        }];
        let said = say(Key::TwiceDiffersIn, ["B", "kernel.cu"].map(plain));
        out.view.warnings = vec![text(Lang::En, &said).unwrap()];
        out.view.remarks = vec![said];
    }
    out
}

/// The diff of two file sets.
pub fn of_files(key: &DiffKey, a: &[SourceFile], b: &[SourceFile]) -> OpenDiff {
    // However slow the machine is, the same lines belong together.
    let options = DiffOptions {
        timeout: std::time::Duration::from_secs(3600),
        ..DiffOptions::default()
    };
    let options = match key.normalised {
        true => options.normalised(),
        false => options,
    };
    let (files, opened) = open(a, b, &options);
    OpenDiff {
        view: DiffView {
            schema: "assay.diff/1".into(),
            a: key.a.clone(),
            b: key.b.clone(),
            what: if key.generated { "generated" } else { "kernel" }.into(),
            files,
            facts: Vec::new(),
            warnings: Vec::new(),
            remarks: Vec::new(),
            statements: Vec::new(),
        },
        files: opened,
    }
}
