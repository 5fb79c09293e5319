//! The measured series as diffs: what is shown, and what is said of each step.

use std::time::Duration;

use assay_core::view::{FileDiff, SourceStatement};
use assay_source::diff::Fold;
use assay_source::syntax::Syntax;
use assay_source::{
    Comparison, DiffOptions, Language, Prepared, SourceFile, analyse, captures, diff_pair, summary,
};

macro_rules! sources {
    ($($name:ident = $file:literal;)*) => {
        $(const $name: &str = include_str!(concat!("fixtures/h200/src_", $file, ".cu"));)*
    };
}

sources! {
    V0 = "v0_direct_store";
    V1 = "v1_cshared";
    V2 = "v2_panel4";
    V3 = "v3_panel2_256t";
    V4 = "v4_bk64";
    V5 = "v5_stages3";
    V6 = "v6_256x128";
    V7 = "v7_coal4";
    X = "x_stage4_oversub";
}

const MACA: &str = include_str!("fixtures/maca_gemm.cu");

fn file(text: &str) -> SourceFile {
    SourceFile::new("device_kernel.cu", text)
}

fn options() -> DiffOptions {
    DiffOptions {
        timeout: Duration::from_secs(600),
        ..DiffOptions::default()
    }
    .normalised()
}

fn compared(a: &str, b: &str) -> (FileDiff, Vec<SourceStatement>) {
    let d = diff_pair(&file(a), &file(b), &options());
    let (x, y) = (
        analyse("auto", &[file(a)]).expect("a known language"),
        analyse("auto", &[file(b)]).expect("a known language"),
    );
    let s = summary(&d, &x.facts, &y.facts);
    (d, s)
}

fn said(a: &str, b: &str) -> Vec<String> {
    compared(a, b).1.into_iter().map(|s| s.text).collect()
}

fn changed(d: &FileDiff, tag: &str) -> Vec<String> {
    (d.hunks.iter().flatten())
        .filter(|l| l.tag == tag)
        .map(|l| l.pieces.iter().map(|p| p.text.as_str()).collect())
        .collect()
}

#[test]
fn the_direct_store_gives_way_to_staging_and_a_bulk_store() {
    let (d, s) = compared(V0, V1);
    let gone = changed(&d, "delete");
    let new = changed(&d, "insert");
    let has = |lines: &[String], what: &str| lines.iter().filter(|l| l.contains(what)).count();
    assert_eq!(has(&gone, "*(uint1*)(C +"), 1);
    assert_eq!(has(&new, "*(uint1*)(C +"), 0);
    assert_eq!(has(&new, "tl::ptx_stmatrix_m8n8_x4("), 1);
    assert_eq!(has(&new, "tl::tma_store(C_desc"), 1);
    assert_eq!(has(&new, "void* Cs = "), 1);
    assert_eq!(has(&new, "tl::__sync_thread_partial(3, 128);"), 2);
    assert_eq!(
        s[0].text,
        "direct uint1 stores to global memory give way to staging in shared memory and a bulk store: \
         stmatrix 0 -> 1, TMA stores 0 -> 1, barriers 1 -> 3, fences 2 -> 3"
    );
    assert!(
        s[0].facts
            .iter()
            .any(|f| f.name == "barrier.count" && f.values == [Some(1.0), Some(3.0)])
    );
    // The kernel is one pair, and each hunk says where it lies and what it is.
    assert_eq!(d.kernels.len(), 1);
    assert_eq!(d.notes.len(), d.hunks.len());
    assert!(
        d.notes
            .iter()
            .skip(1)
            .all(|n| n.kernel_a == "main_kernel" && n.kernel_b == "main_kernel")
    );
    assert!(d.passes.contains(&"temporaries".to_owned()));
    // The other way round is said the other way round.
    assert!(
        said(V1, V0)[0].starts_with(
            "staging in shared memory and a bulk store give way to direct uint1 stores"
        )
    );
}

#[test]
fn a_first_screen_needs_only_the_lines() {
    let (a, b) = (file(V0), file(V1));
    let o = DiffOptions::default();
    let lines = |f| Prepared::lines(f, None, &o).unwrap();
    let c = Comparison::new(lines(&a), lines(&b), &o);
    let full = diff_pair(&a, &b, &o);
    assert_eq!(c.hunks.len(), full.hunks.len());
    assert!(!c.normalised_equal());
    let layout = c.layout(Fold::Context);
    let rows = c.window(&layout, 0..20);
    assert_eq!(rows.len(), 20);
    assert!(
        rows.iter()
            .flat_map(|r| &r.right)
            .flat_map(|cell| &cell.spans)
            .any(|s| s.syntax != Syntax::Plain)
    );
}

#[test]
fn each_step_is_said_as_an_engineer_would() {
    assert_eq!(
        said(V1, V2),
        ["block order and swizzles: none -> rasterization2DColumn with panels of 4"]
    );
    assert_eq!(
        said(V2, V3),
        [
            "matrix instructions: wgmma_ss m64n128k16 -> wgmma_ss m64n64k16",
            "block order and swizzles: rasterization2DColumn with panels of 4 -> rasterization2DColumn with panels of 2",
            "threads a block: 256 -> 384 threads",
            "arrays of a thread (accumulators and fragments): 512 -> 256 bytes",
        ]
    );
    assert_eq!(
        said(V3, V4),
        [
            "matrix instructions: 4 -> 8 after unrolling; in 224 -> 112 steps of the main loop, the same 896 in all",
            "last buffer in dynamic shared memory at: 16384 -> 32768 bytes",
            "bulk copies announced in the text (one stage, if one loop fills it): 16384 -> 32768 bytes",
        ]
    );
    assert_eq!(
        said(V4, V5),
        [
            "barrier objects of the pipeline: 4 -> 6 (2 -> 3 stages, if each has a full and an empty one), last buffer in \
          dynamic shared memory at 32768 -> 49152 bytes, static shared memory 32 -> 48 bytes"
        ]
    );
    assert_eq!(
        said(V5, V6),
        [
            "matrix instructions: 8 -> 16 after unrolling",
            "arrays of a thread (accumulators and fragments): 256 -> 512 bytes",
            "last buffer in dynamic shared memory at: 49152 -> 98304 bytes",
            "bulk copies announced in the text (one stage, if one loop fills it): 32768 -> 49152 bytes",
        ]
    );
    assert_eq!(said(V6, X).len(), 3);
}

#[test]
fn the_null_pair_and_its_noise_are_called_so() {
    assert_eq!(said(V5, V7), ["the sources are equal after normalisation"]);
    let renumbered = V5
        .replace("i_1", "i_17")
        .replace("k_1", "k_9")
        .replace("/*0.000000e+00*/", "/* 0 */");
    let (d, s) = compared(V5, &renumbered);
    assert!(d.hunks.is_empty(), "{:?}", d.notes);
    assert!(d.renamed >= 5, "{}", d.renamed);
    assert_eq!(d.normalised_equal, Some(true));
    assert_eq!(s.len(), 1);
    assert!(s[0].text.contains("equal after normalisation"));
    // As they are, the same lines are hunks of renames.
    let raw = DiffOptions {
        align: assay_source::Align::Raw,
        ..options()
    };
    let d = diff_pair(&file(V5), &file(&renumbered), &raw);
    assert!(!d.notes.is_empty());
    assert!(
        d.notes.iter().all(|n| n.changes == ["rename"]),
        "{:?}",
        d.notes
    );
}

#[test]
fn captures_of_one_commit_are_equal_noisy_or_different() {
    let c = |a: &str, b: &str| captures(Language::Cuda, &[file(a)], &[file(b)]);
    assert_eq!(c(V5, V7).result, "equal");
    assert_eq!(c(V5, &V5.replace("i_1", "i_3")).result, "normalised-equal");
    let d = c(V5, V6);
    assert_eq!(
        (d.result.as_str(), d.file.as_str()),
        ("differs", "device_kernel.cu")
    );
    assert!(d.hunk.iter().any(|l| l.tag == "insert"));
    let d = captures(
        Language::Cuda,
        &[file(V5)],
        &[file(V5), SourceFile::new("more.cu", "int x;\n")],
    );
    assert_eq!((d.result.as_str(), d.file.as_str()), ("differs", "more.cu"));
}

#[test]
fn kernels_pair_when_they_are_renamed_or_stand_elsewhere() {
    let k = |name: &str, body: &str| {
        format!(
            "__global__ void {name}(float* p, int n) {{\n  int a = 1;\n  f(p, n);\n  {body}\n  g(p);\n}}\n"
        )
    };
    let a = format!("{}{}", k("first", "one(p);"), k("main_kernel", "two(p);"));
    let b = format!(
        "{}{}",
        k("main_kernel_1", "three(p);"),
        k("first", "one(p);")
    );
    let d = diff_pair(&file(&a), &file(&b), &options());
    let pairs: Vec<_> = d
        .kernels
        .iter()
        .map(|k| (k.a.as_deref(), k.b.as_deref()))
        .collect();
    assert_eq!(
        pairs,
        [
            (Some("main_kernel"), Some("main_kernel_1")),
            (Some("first"), Some("first"))
        ]
    );
    // Only the name and the one line are changes, wherever the kernels stand.
    assert_eq!(
        changed(&d, "delete"),
        [
            "__global__ void main_kernel(float* p, int n) {",
            "  two(p);"
        ]
    );
    assert_eq!(
        changed(&d, "insert"),
        [
            "__global__ void main_kernel_1(float* p, int n) {",
            "  three(p);"
        ]
    );
    let s = summary(&d, &Default::default(), &Default::default());
    assert_eq!(s[0].text, "kernel `main_kernel` is `main_kernel_1` now");
    // A renamed file is found by its kernels.
    let files = assay_source::diff(
        &[
            SourceFile::new("old.cu", a.as_str()),
            SourceFile::new("x.txt", "1\n"),
        ],
        &[
            SourceFile::new("new.cu", a.as_str()),
            SourceFile::new("y.txt", "1\n"),
        ],
        &options(),
    );
    let names: Vec<_> = files
        .iter()
        .map(|f| (f.a.as_deref(), f.b.as_deref()))
        .collect();
    assert!(
        names.contains(&(Some("old.cu"), Some("new.cu"))),
        "{names:?}"
    );
    assert_eq!(files.len(), 3);
}

#[test]
fn blocks_that_move_are_marked_on_both_sides() {
    let block = "  alpha(1);\n  beta(2);\n  gamma(3);\n";
    let rest: String = (0..8).map(|i| format!("  step_{i}();\n")).collect();
    let k = |body: &str| format!("__global__ void k(float* p) {{\n{body}}}\n");
    let d = diff_pair(
        &file(&k(&format!("{block}{rest}"))),
        &file(&k(&format!("{rest}{block}"))),
        &options(),
    );
    let moved: Vec<_> = (d.hunks.iter().flatten())
        .filter_map(|l| Some((l.tag.as_str(), l.a.or(l.b)?, l.moved?)))
        .collect();
    assert_eq!(
        moved,
        [
            ("delete", 2, 10),
            ("delete", 3, 11),
            ("delete", 4, 12),
            ("insert", 10, 2),
            ("insert", 11, 3),
            ("insert", 12, 4)
        ]
    );
    assert!(
        d.notes.iter().all(|n| n.changes == ["moved"]),
        "{:?}",
        d.notes
    );
}

#[test]
fn maca_sources_are_told_by_their_vectors_and_builtins() {
    let wider = MACA
        .replace("*(uint2*)(((half_t*)A_shared) + ((((int)threadIdx.x) * 4) + (i_1 * 256))) = *(uint2*)(A +", "*(uint4*)(((half_t*)A_shared) + ((((int)threadIdx.x) * 4) + (i_1 * 256))) = *(uint4*)(A +")
        .replace("__launch_bounds__(64, 1)", "__launch_bounds__(128, 1)");
    assert_ne!(wider, MACA);
    assert_eq!(
        said(MACA, &wider),
        [
            "global loads: 1 of 64 bits (uint2) and 1 of 128 bits (uint4) -> 2 of 128 bits (uint4)",
            "shared stores: 1 of 64 bits (uint2) and 1 of 128 bits (uint4) -> 2 of 128 bits (uint4)",
            "threads a block: 64 -> 128 threads",
        ]
    );
    let bf16 = MACA.replace("mma_16x16x16f16", "mma_16x16x16bf16");
    assert_eq!(
        said(MACA, &bf16),
        ["matrix instructions: __builtin_mxc_mma_16x16x16f16 -> __builtin_mxc_mma_16x16x16bf16"]
    );
    let fewer = MACA.replacen("    __syncthreads();\n", "", 1);
    assert_eq!(said(MACA, &fewer), ["barriers: 3 -> 2"]);
}

#[test]
fn the_kernel_that_differs_among_several_is_named() {
    let k = |name: &str, ty: &str| {
        format!("__global__ void {name}({ty}* p) {{ p[threadIdx.x] = p[0]; }}\n")
    };
    let a = ["one", "two", "three"].map(|n| k(n, "float")).concat();
    let b = [k("one", "float"), k("two", "float4"), k("three", "float")].concat();
    let s = said(&a, &b);
    assert_eq!(
        s[0],
        "the facts differ in `two`, of 3 kernels on both sides"
    );
    assert_eq!(
        s[1],
        "global loads: 3 of 32 bits (uint1) -> 2 of 32 bits (uint1) and 1 of 128 bits (uint4)"
    );
    assert_eq!(said(&a, &a), ["the sources are equal after normalisation"]);
}
