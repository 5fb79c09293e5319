//! Generated source in a campaign: facts, statements beside counters, and two builds of one commit.

use crate::matrix::{AFTER, BEFORE, matrix_lab_with, report};
use crate::support::{Lab, gate, write};

/// A kernel as a generator for the C500 writes it.
const NARROW: &str = "#include <tl_templates/maca/gemm.h>
// seed SEED
extern \"C\" __global__ void __launch_bounds__(512, 1) gemm_k(half_t* A, half_t* B, half_t* C) {
  float4 acc;
  uint1 v_1 = *(uint1*)(A + ((int)threadIdx.x) * 2);
  acc = __builtin_mxc_mma_16x16x16f16(v_1, v_1, acc);
  __syncthreads();
  *(uint1*)(C + ((int)threadIdx.x) * 2) = v_1;
}
";

/// A campaign whose source is `kernel/gen.cu`, with the number of the capture in it for `SEED`.
fn lab() -> Lab {
    matrix_lab_with(&[
        (
            "cp kernel/k.txt $ASSAY_BUILD/k.cu",
            "n=$(cat $HOME/n || echo 0); echo $((n + 1)) > $HOME/n; sed s/SEED/$n/ kernel/gen.cu > $ASSAY_BUILD/k.cu",
        ),
        ("language = \"cuda\"", "language = \"auto\""),
        (
            "[[gate]]\nname = \"correct\"",
            "[[gate]]\nname = \"mma-kept\"\nrule = \"mma.count >= 1 and has('__launch_bounds__(512, 1)')\"\n\n[[gate]]\nname = \"correct\"",
        ),
    ])
}

/// A variant with this cost and this generated source, not run yet.
fn variant(lab: &Lab, name: &str, cost: &str, source: &str) {
    lab.assay(&["new", "--why", "a test", "--", name]).ok();
    let tree = lab.edit(name);
    write(&tree.join("kernel/gen.cu"), source);
    lab.change(name, &[("cost", cost)]);
}

#[test]
fn facts_stand_beside_counters_and_gates_read_them() {
    let lab = lab();
    variant(&lab, "before", "90", NARROW);
    lab.assay(&["run", "before"]).ok();
    lab.assay(&["accept", "before", "--reason", "a test"]).ok();
    variant(
        &lab,
        "after",
        "80",
        &NARROW.replace("uint1 v_1 = *(uint1*)", "uint2 v_1 = *(uint2*)"),
    );
    lab.assay(&["run", "after"]).ok();
    let source = &lab.records_of("source")[1]["body"];
    assert_eq!(source["language"], "maca");
    assert!(source.get("twice").is_none());
    let row = lab.row("after");
    assert_eq!(gate(&row, "mma-kept")["pass"], true);

    let without = lab.assay(&["diff", "after", "--generated"]).ok();
    assert!(
        without.contains("no counter of both sides to read with load.global.mean_bits"),
        "{without}"
    );
    for (name, figures) in [("before", BEFORE), ("after", AFTER)] {
        let folder = report(&lab, name, &[("gemm_k", figures)]);
        lab.assay(&["import", &folder, "--variant", name]).ok();
    }
    let said = "mean width of global loads 32 -> 64 bits; goes with global read instructions -19.9 % (inst.global.load)";
    let text = lab.assay(&["diff", "after", "--generated"]).ok();
    assert!(
        text.contains("never a proof") && text.contains(said),
        "{text}"
    );
    assert!(
        text.contains("global loads: 1 of 32 bits (uint1) -> 1 of 64 bits (uint2)"),
        "{text}"
    );
    let pair = lab.assay(&["compare", "before", "after"]).out;
    assert!(pair.contains(said), "{pair}");
    let view = lab.assay(&["compare", "before", "after", "--json"]).json();
    let statements = view["attribution"].as_array().unwrap();
    let goes = statements
        .iter()
        .find(|s| s["kind"] == "goes-with")
        .unwrap();
    assert_eq!(goes["facts"][0]["name"], "load.global.mean_bits");
    assert_eq!(goes["counters"][0]["name"], "inst.global.load");

    lab.assay(&["accept", "after", "--reason", "a test"]).ok();
    for (lang, parts) in [
        (
            "en",
            [
                "Change of the generated source against before",
                "goes with inst.global.load -19.86 %",
            ],
        ),
        (
            "zh",
            [
                "生成代码相对 before 的改动",
                "与之相符的是 inst.global.load -19.86 %",
            ],
        ),
    ] {
        for format in ["md", "html"] {
            let text = lab
                .assay(&["report", "--format", format, "--lang", lang])
                .ok();
            let text = text.replace("\\_", "_").replace("<wbr>", "");
            for part in parts {
                assert!(text.contains(part), "{part} in {format} {text}");
            }
        }
    }
    lab.verify();
}

#[test]
fn equal_sources_are_said_beside_the_verdict() {
    let lab = lab();
    variant(&lab, "one", "90", NARROW);
    lab.assay(&["run", "one"]).ok();
    lab.assay(&["accept", "one", "--reason", "a test"]).ok();
    variant(&lab, "two", "80", &NARROW.replace("v_1", "v_7"));
    lab.assay(&["run", "two"]).ok();
    let verdict = lab.records_of("verdict").pop().unwrap();
    assert_eq!(verdict["body"]["normalised_equal"], true);
    for command in ["show", "compare"] {
        let args: &[&str] = if command == "show" {
            &["show", "two"]
        } else {
            &["compare", "one", "two"]
        };
        let text = lab.assay(args).out;
        let warning =
            "warning: the generated sources of `one` and `two` are equal after normalisation";
        assert_eq!(text.matches(warning).count(), 1, "{text}");
    }
    let text = lab.assay(&["diff", "one", "two", "--generated"]).ok();
    assert!(text.contains("equal after normalisation"), "{text}");
}

#[test]
fn two_builds_of_one_commit_are_compared() {
    let lab = lab();
    let run = |name: &str| lab.assay(&["run", name, "--build-twice"]).ok();
    variant(&lab, "plain", "90", &NARROW.replace("SEED", "none"));
    run("plain");
    variant(&lab, "noisy", "85", NARROW);
    run("noisy");
    variant(
        &lab,
        "random",
        "80",
        &NARROW.replace("* 2)", "* (2 + SEED))"),
    );
    run("random");
    let results: Vec<String> = (lab.records_of("source").iter())
        .map(|r| r["body"]["twice"]["result"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(results, ["equal", "normalised-equal", "differs"]);
    let text = lab.assay(&["show", "random"]).ok();
    for part in [
        "built twice: the sources differ, first in k.cu",
        "    | -  uint1 v_1 = *(uint1*)(A + ((int)threadIdx.x) * (2 + ",
        "warning: the generated source of `random` differs from build to build, also after normalisation, first in k.cu: this weakens every claim about it",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let plain = lab.assay(&["show", "plain"]).ok();
    assert!(
        plain.contains("built twice: the sources are equal byte for byte"),
        "{plain}"
    );
    let log = lab.assay(&["log", "noisy"]).ok();
    assert!(log.contains("built twice: normalised-equal"), "{log}");
    let diff = lab.assay(&["diff", "plain", "random", "--generated"]).ok();
    assert!(
        diff.contains("# random: built twice: the sources differ"),
        "{diff}"
    );
}
