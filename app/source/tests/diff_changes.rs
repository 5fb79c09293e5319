//! Changes that a diff must not hide, and what it calls them.

use assay_core::view::FileDiff;
use assay_source::diff::diff_pair_with_facts;
use assay_source::said::{self, Lang};
use assay_source::{DiffOptions, SourceFile, summary, to_unified};

fn normalised(path: &str, a: &str, b: &str) -> FileDiff {
    let (a, b) = (SourceFile::new(path, a), SourceFile::new(path, b));
    assay_source::diff::diff_pair(&a, &b, &DiffOptions::default().normalised())
}

fn raw(path: &str, a: &str, b: &str) -> FileDiff {
    let (a, b) = (SourceFile::new(path, a), SourceFile::new(path, b));
    assay_source::diff::diff_pair(&a, &b, &DiffOptions::default())
}

/// Removed and new lines, each with its mark.
fn changed(d: &FileDiff) -> Vec<String> {
    let text = to_unified(std::slice::from_ref(d));
    let lines = text
        .lines()
        .filter(|l| !l.starts_with("---") && !l.starts_with("+++"));
    let marked = lines.filter(|l| l.starts_with(['-', '+']));
    marked
        .map(|l| l.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect()
}

fn kinds(d: &FileDiff) -> Vec<&str> {
    let all = d.notes.iter().flat_map(|n| &n.changes);
    all.map(String::as_str).collect()
}

const CUDA: &str = "\
__global__ void __launch_bounds__(128) k(float* a, float* b, int n) {
  float tmp_1 = a[0];
  float tmp_2 = b[0];
  int v_3 = 7;
  a[1] = tmp_1 - tmp_2;
  __syncthreads();
  s[v_3] = tmp_1;
  a[2] = v_3 & 1;
}
";

const PTX: &str = "\
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 k_param_0, .param .u64 k_param_1)
{
 .reg .f32 %f<9>;
 .reg .b64 %rd<4>;
 ld.param.u64 %rd1, [k_param_0];
 ld.global.f32 %f1, [%rd1];
 ld.global.f32 %f2, [%rd1+4];
 sub.f32 %f3, %f1, %f2;
 bar.sync 0;
 st.global.f32 [%rd1], %f3;
 ret;
}
";

#[test]
fn temporaries_that_swap_names_at_their_definitions_are_a_change() {
    let swapped = CUDA
        .replace("tmp_1 = a[0]", "tmp_2 = a[0]")
        .replace("tmp_2 = b[0]", "tmp_1 = b[0]");
    let d = normalised("k.cu", CUDA, &swapped);
    assert_eq!(d.normalised_equal, Some(false));
    assert_eq!(
        changed(&d),
        [
            "- a[1] = tmp_1 - tmp_2;",
            "+ a[1] = tmp_1 - tmp_2;",
            "- s[v_3] = tmp_1;",
            "+ s[v_3] = tmp_1;"
        ]
    );
    assert_eq!(kinds(&d), ["rebound"]);
    assert!(
        d.notice.contains("2 lines have the same text"),
        "{}",
        d.notice
    );
    let swapped = PTX
        .replace("%f1, [%rd1];", "%f0, [%rd1];")
        .replace("%f2, [%rd1+4]", "%f1, [%rd1+4]")
        .replace("%f0, [%rd1];", "%f2, [%rd1];");
    let d = normalised("k.ptx", PTX, &swapped);
    assert_eq!(d.normalised_equal, Some(false));
    let line = "sub.f32 %f3, %f1, %f2;";
    assert_eq!(changed(&d), [format!("- {line}"), format!("+ {line}")]);
    assert_eq!(kinds(&d), ["rebound"]);
}

#[test]
fn a_new_temporary_before_others_changes_none_of_their_lines() {
    let b = CUDA.replace("  float tmp_1", "  float tmp_0 = n;\n  float tmp_1");
    let d = normalised("k.cu", CUDA, &b);
    assert_eq!(changed(&d), ["+ float tmp_0 = n;"]);
    assert_eq!(kinds(&d), ["insert"]);
    let b = PTX.replace(
        " ld.global.f32 %f1",
        " mov.f32 %f8, 0f00000000;\n ld.global.f32 %f1",
    );
    assert_eq!(changed(&normalised("k.ptx", PTX, &b)).len(), 1);
}

#[test]
fn labels_that_swap_names_are_a_change() {
    let of = |one: &str, two: &str| {
        format!(
            "k:\n\tcmpl $1, %eax\n\tje .L2\n.L{one}:\n\taddl $1, %eax\n.L{two}:\n\tsubl $2, %eax\n\tjne .L2\n\tje .L3\n\tret\n"
        )
    };
    let d = normalised("k.s", &of("2", "3"), &of("3", "2"));
    assert_eq!(d.normalised_equal, Some(false));
    assert!(!d.hunks.is_empty() && !kinds(&d).is_empty(), "{d:?}");
}

#[test]
fn kernels_in_another_order_are_said_and_shown_raw() {
    let k = |n: u32| format!("__global__ void k{n}(float*a){{\n  a[0]={n};\n  a[1]=1{n};\n}}\n");
    let (a, b) = (k(1) + &k(2) + &k(3), k(2) + &k(3) + &k(1));
    let d = normalised("k.cu", &a, &b);
    assert!(d.hunks.is_empty());
    assert_eq!(d.notice, "Kernels are in another order: `k1`.");
    assert_eq!(said::notices(Lang::Zh, &d), ["内核的次序不同：`k1`。"]);
    let d = raw("k.cu", &a, &b);
    assert_eq!(d.notice, "Kernels are in another order: `k1`.");
    let lines = changed(&d);
    assert_eq!(lines.iter().filter(|l| l.starts_with('-')).count(), 4);
    assert_eq!(lines.iter().filter(|l| l.starts_with('+')).count(), 4);
    assert_eq!(d.moved, 4);
}

#[test]
fn a_header_names_the_kernel_of_the_change_and_its_partner() {
    let k =
        |n: u32, body: &str| format!("__global__ void k{n}(float*a){{\n{body}  a[2]=2{n};\n}}\n");
    let body = "  a[0]=1;\n  __syncthreads();\n";
    let all = |bodies: [&str; 3]| -> String { (0..3).map(|n| k(n, bodies[n as usize])).collect() };
    for (a, b) in [
        ([body, body, body], [body, "", body]),
        ([body, "", body], [body, body, body]),
    ] {
        let d = normalised("k.cu", &all(a), &all(b));
        assert_eq!(d.notes.len(), 1);
        let n = &d.notes[0];
        assert_eq!((n.kernel_a.as_str(), n.kernel_b.as_str()), ("k1", "k1"));
    }
    let (a, b) = (CUDA.replace("n) {", "n, int m) {"), CUDA);
    let d = normalised("k.cu", &a, b);
    assert_eq!(d.notes[0].kernel_b, "k");
    assert!(!d.notes[0].changes.is_empty());
    assert!(to_unified(&[d]).contains("@@ k [edit]"));
}

#[test]
fn each_hunk_says_what_kind_of_change_it_is() {
    for (path, text, from, to, kind) in [
        (
            "k.cu",
            CUDA,
            "tmp_1 - tmp_2",
            "tmp_2 - tmp_1",
            vec!["operands"],
        ),
        (
            "k.cu",
            CUDA,
            "v_3 & 1",
            "v_3 % 3",
            vec!["literal", "operator"],
        ),
        ("k.cu", CUDA, "(128)", "(64)", vec!["literal"]),
        ("k.cu", CUDA, "n) {", "n, int m) {", vec!["edit"]),
        ("k.ptx", PTX, "%f1, %f2;", "%f2, %f1;", vec!["operands"]),
        ("k.ptx", PTX, "sm_90", "sm_80", vec!["target"]),
        ("k.ptx", PTX, "sub.f32", "add.f32", vec!["opcode"]),
        (
            "k.ptx",
            PTX,
            " st.global",
            " @%p1 st.global",
            vec!["predicate"],
        ),
    ] {
        let d = normalised(path, text, &text.replacen(from, to, 1));
        assert_eq!(kinds(&d), kind, "{from} -> {to}");
        let words = format!("[{}]", kind.join(", "));
        assert!(to_unified(&[d]).contains(&words), "{from} -> {to}");
    }
    let d = normalised("k.ptx", PTX, &PTX.replace("sm_90", "sm_80"));
    assert_eq!(
        d.notice,
        "The code of A is for `sm_90`, that of B for `sm_80`."
    );
}

#[test]
fn a_barrier_that_moved_is_said() {
    let bar = "  __syncthreads();\n";
    let b = CUDA
        .replace(bar, "")
        .replace("  int v_3", &format!("{bar}  int v_3"));
    let d = normalised("k.cu", CUDA, &b);
    assert_eq!(kinds(&d), ["moved"]);
    assert_eq!(
        d.notice,
        "`__syncthreads();` moved from line 6 of A to line 4 of B."
    );
    let zh = said::notices(Lang::Zh, &d);
    assert_eq!(
        zh,
        ["`__syncthreads();` 从 A 的第 6 行移到了 B 的第 4 行。"]
    );
    let b = PTX
        .replace(" bar.sync 0;\n", "")
        .replace(" ret;", " bar.sync 0;\n ret;");
    let d = normalised("k.ptx", PTX, &b);
    assert_eq!((kinds(&d), d.moved), (vec!["moved"], 1));
}

#[test]
fn lines_that_change_no_fact_are_summed_up() {
    let b = CUDA
        .replace("v_3 & 1", "v_3 & 3")
        .replace("tmp_1 - tmp_2", "tmp_2 - tmp_1");
    let (a, b) = (SourceFile::new("k.cu", CUDA), SourceFile::new("k.cu", b));
    let options = DiffOptions {
        context: 0,
        ..DiffOptions::default().normalised()
    };
    let (d, facts) = diff_pair_with_facts(&a, &b, &options);
    let [x, y] = facts.unwrap();
    let all = summary(&d, &x.facts, &y.facts);
    let en = said::statement(Lang::En, &all[0]);
    let zh = said::statement(Lang::Zh, &all[0]);
    let kinds = "kinds of change by number of hunks: 1 literal, 1 operands";
    assert_eq!(en, format!("the facts do not differ; {kinds}"));
    assert!(
        zh.starts_with("源码事实没有不同；") && zh.ends_with("1 操作数"),
        "{zh}"
    );
}
