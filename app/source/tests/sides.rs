//! What a comparison says of many kernels, of a side without any, and of languages told by content.

use assay_core::record::Figure;
use assay_core::view::FileDiff;
use assay_source::diff::diff_pair_with_facts;
use assay_source::{DiffOptions, SourceFile, attribute, summary};

/// A file of kernels, kernel `n` with as many matrix instructions as asked for.
fn kernels(path: &str, mma: &[usize]) -> SourceFile {
    let mut text = String::new();
    for (n, count) in mma.iter().enumerate() {
        let calls = "  __builtin_mxc_mma_16x16x16f16(a, b, c);\n".repeat(*count);
        text.push_str(&format!(
            "extern \"C\" __global__ void __launch_bounds__({}) k{n}(float* a) {{\n{calls}}}\n",
            if n == 0 { 256 } else { 64 }
        ));
    }
    SourceFile::new(path, text)
}

fn compared(a: &SourceFile, b: &SourceFile) -> (FileDiff, Vec<String>) {
    let options = DiffOptions::default().normalised();
    let (diff, sides) = diff_pair_with_facts(a, b, &options);
    let [x, y] = sides.expect("both were read");
    let said = summary(&diff, &x.facts, &y.facts);
    (diff, said.into_iter().map(|s| s.text).collect())
}

#[test]
fn of_hundreds_of_kernels_those_that_differ_are_named() {
    let of = |n: usize, edits: &[(usize, usize)]| {
        let mut all = vec![2; n];
        edits.iter().for_each(|(at, m)| all[*at] = *m);
        all
    };
    for n in [2, 8, 9, 65, 300] {
        let a = kernels("a.cu", &of(n, &[(0, 2), (1, 3)]));
        let b = kernels("b.cu", &of(n, &[(0, 3), (1, 2)]));
        let (_, said) = compared(&a, &b);
        let all = said.join("\n");
        assert!(
            all.contains("`k0` (mma.__builtin_mxc_mma_16x16x16f16 2 -> 3"),
            "{n}: {all}"
        );
        assert!(
            all.contains("`k1` (mma.__builtin_mxc_mma_16x16x16f16 3 -> 2"),
            "{n}: {all}"
        );
        assert!(all.contains(&format!(" {n} kernels")), "{n}: {all}");
        assert!(!all.contains("`k2`"), "{n}: {all}");
    }
    let (_, said) = compared(&kernels("a.cu", &[1; 40]), &kernels("b.cu", &[2; 40]));
    assert!(
        said.iter()
            .any(|s| s.contains("each of the 40 kernels") && s.contains("and 28 more")),
        "{said:?}"
    );
}

#[test]
fn a_figure_of_several_kernels_is_not_said_of_each() {
    let a = kernels("a.cu", &[1, 1]);
    let text = String::from_utf8(a.bytes.clone()).unwrap();
    let b = SourceFile::new("a.cu", text.replace("256", "512"));
    let (_, said) = compared(&a, &b);
    let of_block: Vec<&String> = said
        .iter()
        .filter(|s| s.contains("threads a block"))
        .collect();
    assert_eq!(
        of_block,
        ["threads a block, the most of any kernel: 256 -> 512 threads"]
    );
}

#[test]
fn a_side_without_kernels_is_one_sentence() {
    let with = kernels("k.cu", &[1]);
    for (a, b, side) in [
        (SourceFile::new("k.cu", ""), with.clone(), "A"),
        (with.clone(), SourceFile::new("k.cu", "int x;\n"), "B"),
    ] {
        let (_, said) = compared(&a, &b);
        let want = format!("{side} has no kernel: the facts are those of the other side alone");
        assert_eq!(said, [want]);
    }
}

#[test]
fn what_may_go_either_way_is_no_evidence() {
    let facts = |n: f64| {
        let figure = Figure {
            value: n,
            unit: "1".into(),
        };
        [("mma.count".to_owned(), figure)].into()
    };
    let counter = |value: f64| {
        vec![assay_source::attribution::Counter {
            name: "inst.mma".into(),
            value,
            unit: "1".into(),
        }]
    };
    let said = attribute(&facts(1.0), &facts(2.0), &counter(100.0), &counter(200.0));
    assert_eq!(said[0].kind, "beside");
    assert!(said[0].text.contains("beside it: "), "{}", said[0].text);
}

#[test]
fn kernels_are_found_in_files_named_like_plain_cpp() {
    let cuda = "__global__ void k(float* a) { __syncthreads(); }\n";
    let maca = "#include \"m.h\"\nextern \"C\" __global__ void k(float4 a) { __builtin_mxc_mma_16x16x16f16(a, a, a); }\n";
    for (path, text, language) in [
        ("k.cpp", cuda, "cuda"),
        ("k.h", cuda, "cuda"),
        ("k.hpp", maca, "maca"),
        ("k.cc", "#include <cuda_runtime.h>\nvoid f();\n", "cuda"),
        ("k.cxx", "#include <hip/hip_runtime.h>\nvoid f();\n", "hip"),
        ("k.hip.cpp", cuda, "hip"),
        ("k.cpp", "int main() {}\n", "cpp"),
    ] {
        let of = assay_source::language::of_file(&SourceFile::new(path, text));
        assert_eq!(of.name(), language, "{path}");
    }
}

#[test]
fn the_same_bytes_under_two_paths_have_nothing_that_changed() {
    let text = "__global__ void k(float* a) { __syncthreads(); }\n";
    for (p, q) in [
        ("a.cu", "b.txt"),
        ("a.cpp", "b.cu"),
        ("a.py", "b.cu"),
        ("a.h", "b.ptx"),
    ] {
        let (diff, said) = compared(&SourceFile::new(p, text), &SourceFile::new(q, text));
        assert!(diff.hunks.is_empty() && diff.kernels.is_empty(), "{diff:?}");
        assert!(!diff.language.is_empty());
        assert!(
            said.iter().all(|s| s.contains("equal after normalisation")),
            "{said:?}"
        );
    }
}

/// A kernel with this in it.
fn with(body: &str) -> SourceFile {
    SourceFile::new(
        "k.cu",
        format!(
            "__global__ void k(float* a, int n) {{\n  float tmp_1 = a[0];\n  {body}\n  a[2] = n;\n}}\n"
        ),
    )
}

#[test]
fn blanks_between_tokens_and_comments_never_matter() {
    for (p, q) in [
        ("a[1] = tmp_1 - 2.0f;", "a[1]=tmp_1-2.0f;"),
        ("float Cl[64];", "float Cl[64] /* x */;"),
        ("a[0] = 1;", "a[0] = 1 /*x*/;"),
        ("f<int, 2>(a);", "f < int , 2 > ( a ) ;"),
        (
            "for (int i = 0; i < n; ++i) { a[i] = -i; }",
            "for(int i=0;i<n;++i){a[i]=- i;}",
        ),
        ("a[1] = 1; // x", "a[1] = 1;"),
        ("unsigned int x = n;", "unsigned/**/int x=n;"),
    ] {
        for (p, q) in [(p, q), (q, p)] {
            let (diff, _) = compared(&with(p), &with(q));
            assert_eq!(diff.normalised_equal, Some(true), "{p} | {q}");
            assert!(diff.hunks.is_empty(), "{p} | {q}");
            assert_eq!(diff.renamed, 1, "{p} | {q}");
            let hash = |f: SourceFile| assay_source::analyse("cuda", &[f]).unwrap().normalised;
            assert_eq!(hash(with(p)), hash(with(q)), "{p} | {q}");
        }
    }
}

#[test]
fn tokens_never_run_together() {
    for (p, q) in [
        ("n = n+ +n;", "n = n++n;"),
        ("n = n - -n;", "n = n--n;"),
        ("f<g<int> >(n);", "f<g<int>>(n);"),
        ("n = n / *a;", "n = n /*a;*/;"),
        ("n = n & &n;", "n = n && n;"),
        ("n = L\"x\";", "n = L \"x\";"),
        ("n = int x;", "n = intx;"),
        ("n = 1 . x;", "n = 1.x;"),
        ("a[1] = \"a b\";", "a[1] = \"ab\";"),
        ("n = n < = 2;", "n = n <= 2;"),
    ] {
        let (diff, _) = compared(&with(p), &with(q));
        assert_eq!(diff.normalised_equal, Some(false), "{p} | {q}");
        assert_eq!(diff.hunks.len(), 1, "{p} | {q}");
    }
}

#[test]
fn labels_are_renamed_like_temporaries() {
    let of = |p: &str, q: &str| {
        with(&format!(
            "if (n) goto {p};\n{q}: n = 1;\n  goto {q};\n{p}:\n  n = n ? tmp_1 : 2;"
        ))
    };
    let (diff, _) = compared(&of("L_1", "M_2"), &of("L_7", "X"));
    assert_eq!(diff.normalised_equal, Some(true));
    assert!(diff.hunks.is_empty());
    // A jump to another place is another program.
    let a = with("L_1: n = 1;\nL_2: n = 2; goto L_1;");
    let b = with("L_1: n = 1;\nL_2: n = 2; goto L_2;");
    assert_eq!(compared(&a, &b).0.normalised_equal, Some(false));
}

#[test]
fn blank_lines_and_line_marks_are_no_hunks_after_normalisation() {
    for (p, q) in [
        ("n = 1;", "n = 1;\n\n\n"),
        ("n = 1;", "#line 7 \"x\"\n  n = 1;"),
        ("// a\nn = 1;", "/* b\n*/\nn = 1;"),
    ] {
        let (diff, _) = compared(&with(p), &with(q));
        assert_eq!(diff.normalised_equal, Some(true), "{p} | {q}");
        assert!(diff.hunks.is_empty(), "{p} | {q}: {:?}", diff.hunks);
        assert!(diff.renamed > 0);
    }
}

#[test]
fn what_encodings_hide_is_read_and_said() {
    let plain = with("a[1] = 1;");
    let text = String::from_utf8(plain.bytes.clone()).unwrap();
    let units = |big: bool| -> Vec<u8> {
        let of = |u: u16| {
            if big {
                u.to_be_bytes()
            } else {
                u.to_le_bytes()
            }
        };
        "\u{feff}"
            .encode_utf16()
            .chain(text.encode_utf16())
            .flat_map(of)
            .collect()
    };
    for (bytes, said) in [
        (units(false), "`k.cu` is UTF-16 and is read as such."),
        (units(true), "`k.cu` is UTF-16 and is read as such."),
        (
            format!("\u{feff}{text}").into_bytes(),
            "`k.cu` begins with a byte order mark, which is left out.",
        ),
        (
            text.replace('\n', "\r").into_bytes(),
            "`k.cu` ends its lines with carriage returns alone; they are read as line ends.",
        ),
    ] {
        let other = SourceFile::new("k.cu", bytes);
        let (diff, _) = compared(&plain, &other);
        assert!(diff.notice.contains(said), "{}", diff.notice);
        assert_eq!(diff.normalised_equal, Some(true), "{said}");
        assert!(diff.hunks.is_empty());
        let found = assay_source::analyse("auto", std::slice::from_ref(&other)).unwrap();
        assert_eq!(found.language.name(), "cuda", "{said}");
        assert!(
            found.notices.iter().any(|n| n == said),
            "{:?}",
            found.notices
        );
        assert!(!found.facts.is_empty());
    }
    let open = with("a[1] = 1; /* never");
    let (diff, _) = compared(&plain, &open);
    assert!(
        diff.notice
            .contains("comment that begins with `/*` in line 3 does not end"),
        "{}",
        diff.notice
    );
}

#[test]
fn what_is_too_large_or_binary_has_no_facts_and_says_so() {
    let options = DiffOptions {
        max_bytes: 10,
        ..DiffOptions::default()
    };
    let (diff, sides) = diff_pair_with_facts(&with("n = 1;"), &with("n = 2;"), &options);
    assert!(sides.is_none());
    assert!(
        diff.notice
            .contains("No facts and no kernels are taken, and nothing is normalised.")
    );
    let (diff, _) = diff_pair_with_facts(
        &SourceFile::new("k.cu", b"a\0b".to_vec()),
        &with("n = 2;"),
        &options,
    );
    assert!(
        diff.notice.contains("not shown, and no facts are taken"),
        "{}",
        diff.notice
    );
}
