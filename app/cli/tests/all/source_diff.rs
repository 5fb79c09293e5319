//! Source diffs of files, without a campaign: real generated kernels, and input that is none.

use std::fs;
use std::time::{Duration, Instant};

use crate::support::Lab;

/// The generated kernels of a campaign on an H200.
fn sample(lab: &Lab, name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../source/tests/fixtures/h200");
    let to = format!("{name}.cu");
    let path = format!("{folder}/src_{name}.cu");
    lab.write(&to, &fs::read_to_string(path).unwrap());
    to
}

fn diff(lab: &Lab, more: &[&str], a: &str, b: &str) -> String {
    let mut args = vec!["diff", "--files", a, b];
    args.extend(more);
    lab.assay(&args).ok()
}

#[test]
fn equal_kernels_are_equal_after_normalisation() {
    let lab = Lab::empty();
    let (a, b) = (sample(&lab, "v5_stages3"), sample(&lab, "v7_coal4"));
    let text = diff(&lab, &[], &a, &b);
    assert!(
        text.contains("# the sources are equal after normalisation"),
        "{text}"
    );
    assert!(text.contains("no difference in the text"), "{text}");
    // Renumbered temporaries are noise, and said to be there.
    let five = fs::read_to_string(lab.repo().join(&a)).unwrap();
    lab.write("noise.cu", &five.replace("i_1", "i_99"));
    let text = diff(&lab, &[], &a, "noise.cu");
    assert!(text.contains("equal after normalisation"), "{text}");
    assert!(
        text.contains("counts as unchanged; --raw shows it"),
        "{text}"
    );
    assert!(!text.contains("@@"), "{text}");
    let raw = diff(&lab, &["--raw"], &a, "noise.cu");
    assert!(raw.contains("@@") && raw.contains("i_99"), "{raw}");
}

#[test]
fn staging_through_shared_memory_is_said_in_a_sentence() {
    let lab = Lab::empty();
    let (a, b) = (sample(&lab, "v0_direct_store"), sample(&lab, "v1_cshared"));
    let text = diff(&lab, &[], &a, &b);
    for part in [
        "what changed\n",
        "direct uint1 stores to global memory give way to staging in shared memory and a bulk store",
        "stmatrix 0 -> 1, TMA stores 0 -> 1, barriers 1 -> 3",
        "facts that differ (A v0_direct_store.cu, B v1_cshared.cu)",
        "+    tl::__sync_thread_partial(3, 128);\n",
        " main_kernel",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(!text.contains('\u{1b}'), "no terminal, no colour");
    let view = lab
        .assay(&["diff", "--files", &a, &b, "--format", "json"])
        .json();
    assert_eq!(view["what"], "files");
    assert_eq!(view["files"][0]["language"], "cuda");
    assert_eq!(view["files"][0]["kernels"][0]["a"], "main_kernel");
    let first = &view["statements"][0];
    assert_eq!(first["kind"], "change");
    let names: Vec<&str> = (first["facts"].as_array().unwrap().iter())
        .map(|f| f["name"].as_str().unwrap())
        .collect();
    assert!(names.contains(&"tma.store") && names.contains(&"barrier.count"));
}

#[test]
fn forms_of_a_diff() {
    let lab = Lab::empty();
    let (a, b) = (sample(&lab, "v0_direct_store"), sample(&lab, "v1_cshared"));
    let colour = diff(&lab, &["--color", "always"], &a, &b);
    assert!(colour.contains("\u{1b}[32m") && colour.contains("\u{1b}[36m@@"));
    let never = diff(&lab, &["--color", "never"], &a, &b);
    assert_eq!(never, diff(&lab, &[], &a, &b));
    let mut narrow = lab.command(env!("CARGO_BIN_EXE_assay"), lab.repo());
    narrow.env("COLUMNS", "100");
    narrow.args(["diff", "--files", &a, &b, "--side-by-side"]);
    let side = String::from_utf8(narrow.output().unwrap().stdout).unwrap();
    let rows: Vec<&str> = side.lines().filter(|l| l.contains(" │ ")).collect();
    assert!(rows.len() > 20);
    for row in rows {
        assert_eq!(assay_core::text::width(row), 100, "{row}");
    }
    lab.write(
        "<b>.cu",
        "__global__ void k() { /* <script>x</script> \u{1b}[2J */ }\n",
    );
    let page = diff(&lab, &["--format", "html"], &a, "<b>.cu");
    assert!(page.starts_with("<!doctype html>") && page.contains("<table class=\"diff\">"));
    assert!(
        page.contains("&lt;b&gt;.cu") && !page.contains("<script"),
        "{page}"
    );
    assert!(!page.contains('\u{1b}') && !page.contains("http:") && !page.contains("https:"));
    lab.assay(&["diff", "--files", &a, &b, "--format", "pdf"])
        .fails(3, &["pdf"]);
}

#[test]
fn what_is_no_source_is_said_in_bounded_time() {
    let lab = Lab::empty();
    let write = |name: &str, bytes: &[u8]| fs::write(lab.repo().join(name), bytes).unwrap();
    let kernel = b"__global__ void k(float *a) { a[0] = 1.0f; }\n";
    write("k.cu", kernel);
    write("empty.cu", b"");
    write("binary.cu", b"__global__\0\x01\x02");
    write(
        "latin.cu",
        b"// caf\xe9\n__global__ void k(float *a) { a[0] = 2.0f; }\n",
    );
    write(
        "crlf.cu",
        b"__global__ void k(float *a) { a[0] = 1.0f; }\r\n",
    );
    write(
        "open.cu",
        b"__global__ void k(float *a) { if (a) { a[0] = 1.0f;\n",
    );
    let mut long = b"__global__ void k(float *a) { a[0] = ".to_vec();
    long.extend(std::iter::repeat_n(*b"1 + ", 5 << 18).flatten());
    long.extend(b"1; }\n");
    write("line.cu", &long);
    let mut large = Vec::new();
    while large.len() < 70 << 20 {
        large.extend_from_slice(&long[..1 << 20]);
        large.extend_from_slice(b"\n");
    }
    write("large.cu", &large);
    for (name, says) in [
        ("empty.cu", ""),
        ("binary.cu", "is binary"),
        ("latin.cu", "not UTF-8"),
        ("crlf.cu", ""),
        ("open.cu", ""),
        ("line.cu", ""),
        ("large.cu", "Coarse diff"),
    ] {
        let started = Instant::now();
        let mut args = vec!["diff", "--files", "k.cu", name];
        // The largest is compared once: its reading is what takes time.
        for side in [false, true]
            .into_iter()
            .take(if name == "large.cu" { 1 } else { 2 })
        {
            if side {
                args.push("--side-by-side");
            }
            let text = lab.assay(&args).ok();
            assert!(
                text.contains(says),
                "{name}: {says} in {}",
                &text[..text.len().min(2000)]
            );
        }
        assert!(started.elapsed() < Duration::from_secs(120), "{name}");
    }
}

#[test]
fn sentences_are_said_in_chinese_and_json_has_their_parts() {
    let lab = Lab::empty();
    let a = "extern \"C\" __global__ void k_kernel(float* C) {\n  C[0] = 1;\n}\n";
    let b =
        "extern \"C\" __global__ void k_kernel(float* C) {\n  C[0] = 1;\n  __syncthreads();\n}\n";
    lab.write("a.cu", a);
    lab.write("b.cu", b);
    let text = diff(&lab, &["--lang", "zh"], "a.cu", "b.cu");
    assert!(text.contains("改动要点"), "{text}");
    assert!(text.contains("屏障（同步）：0 -> 1"), "{text}");
    let page = diff(&lab, &["--lang", "zh", "--format", "html"], "a.cu", "b.cu");
    assert!(page.contains("<html lang=\"zh-Hans\">") && page.contains("屏障（同步）：0 -&gt; 1"));
    // Kinds of change, names of passes and titles of columns are words of the language too.
    assert!(text.contains("单位") && !text.contains("unit"), "{text}");
    let more =
        "extern \"C\" __global__ void k_kernel(float* C) {\n  int i_1 = 0;\n  C[i_1] = 2;\n}\n";
    lab.write("c.cu", more);
    lab.write("d.cu", &more.replace("= 2;", "= 3;").replace("i_1", "i_2"));
    lab.write("e.cu", &more.replace("i_1", "i_2"));
    for side in [&["--lang", "zh"][..], &["--lang", "zh", "--side-by-side"]] {
        let text = diff(&lab, side, "c.cu", "d.cu");
        assert!(text.contains(" k_kernel [字面量]"), "{text}");
    }
    let page = diff(&lab, &["--lang", "zh", "--format", "html"], "c.cu", "d.cu");
    assert!(page.contains(" k_kernel 字面量</td>"), "{page}");
    let renamed = diff(&lab, &["--lang", "zh"], "c.cu", "e.cu");
    assert!(
        renamed.contains("临时变量") && !renamed.contains("temporaries"),
        "{renamed}"
    );
    let english = diff(&lab, &[], "c.cu", "d.cu");
    assert!(english.contains(" k_kernel [literal]"), "{english}");
    let json = diff(&lab, &["--lang", "zh", "--json"], "a.cu", "b.cu");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let barriers = (json["statements"].as_array().unwrap().iter())
        .find(|s| s["text"] == "barriers: 0 -> 1")
        .unwrap();
    assert_eq!(barriers["said"]["key"], "colon");
    assert_eq!(barriers["said"]["values"][0]["topic"], "barrier.count");
    assert_eq!(barriers["said"]["values"][1]["step"]["b"], 1.0);
    let same = diff(&lab, &["--lang", "zh"], "a.cu", "a.cu");
    assert!(
        same.starts_with(&format!("# 逐字节相同，{} 字节，sha256 ", a.len())),
        "{same}"
    );
    assert!(same.contains("文本没有差异"), "{same}");
}
