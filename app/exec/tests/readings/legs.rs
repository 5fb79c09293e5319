//! What a campaign's rules make of an output.

use std::collections::BTreeMap;

use assay_core::campaign::{BenchParse, Campaign};
use assay_core::record::Stage;
use assay_exec::bench::{LegTimes, StdoutParse};
use assay_exec::plan::WorkloadSpec;

use super::*;

/// A campaign with workloads of one dim each, read from a file so that its checks count too.
fn rules(parse: &str) -> BenchParse {
    let text = format!(
        "schema = \"assay.campaign/1\"\nname = \"c\"\nkernel.paths = [\"k.c\"]\n\
         formulas = {{ flops = \"0\", bytes = \"4*n\" }}\n\
         build = {{ command = \"make\", artefact = \"k.so\" }}\ncheck.command = \"./check\"\n\
         bench = {{ command = \"./bench\", mode = \"invocation\", parse = {{ {parse} }} }}\n\
         [[workload]]\nname = \"small\"\ndims.n = 256\n[[workload]]\nname = \"large\"\ndims.n = 512\n"
    );
    let campaign = Campaign::parse(&text, "f").unwrap_or_else(|e| panic!("{e}"));
    let bench = campaign.stage("local", Stage::Bench).unwrap().bench();
    bench.unwrap().parse.clone().unwrap()
}

fn workloads(names: &[(&str, f64)]) -> Vec<WorkloadSpec> {
    let spec = |(name, n): &(&str, f64)| WorkloadSpec {
        name: (*name).into(),
        dtype: "f32".into(),
        dims: BTreeMap::from([("n".into(), *n)]),
        flops: None,
        bytes: None,
    };
    names.iter().map(spec).collect()
}

fn legs(parse: &str, output: &[u8]) -> Result<Vec<LegTimes>, String> {
    let parse = StdoutParse::new(&rules(parse)).unwrap();
    let all = workloads(&[("small", 256.0), ("large", 512.0)]);
    let asked = if parse.covers_all() {
        &all[..]
    } else {
        &all[..1]
    };
    parse.legs(output, asked)
}

fn one(parse: &str, output: &[u8]) -> (Vec<f64>, f64, &'static str) {
    let got = legs(parse, output).unwrap_or_else(|e| panic!("{parse}: {e}"));
    assert_eq!(got.len(), 1);
    (got[0].values.clone(), got[0].tick, got[0].unit.name())
}

#[test]
fn each_form_gives_the_times_of_the_workload_that_was_run() {
    for (parse, output, expected) in [
        (
            r#"pattern = "t=([0-9.]+)", unit = "us""#,
            &b"t=1.50\nt=1.4\n"[..],
            (vec![1.5, 1.4], 0.1, "us"),
        ),
        (
            r#"kind = "csv", value = "ms", unit = "ms", labels = ["M", "N"], tag_column = "impl", row = "{n}, 128""#,
            CSV,
            (vec![1.5], 0.01, "ms"),
        ),
        (
            r#"kind = "csv", value = "t", unit = "s", delimiter = "tab""#,
            b"t\tx\n2.0\t1\n",
            (vec![2.0], 0.1, "s"),
        ),
        (
            r#"kind = "json", value = "/runs/{name}/1", unit = "ns""#,
            br#"{"runs": {"small": [1, 250], "large": 1}}"#,
            (vec![250.0], 1.0, "ns"),
        ),
        (
            r#"kind = "json", value = "/t", unit = "us""#,
            br#"{"t": [1.5, "2.50"]}"#,
            (vec![1.5, 2.5], 0.01, "us"),
        ),
        (
            r#"kind = "markdown", value = "time (us)", unit = "us", labels = ["case"], row = "plain", tag_column = "impl", tag = "theirs""#,
            MARKDOWN,
            (vec![3.25], 0.01, "us"),
        ),
        (
            r#"kind = "tileops", group = "MHCPostOp", tag = "tileops", row = "batch=1, n_expand=4, c_x=1280, dtype=torch.bfloat16""#,
            TILEOPS,
            (vec![0.0035], 0.0001, "ms"),
        ),
        (
            r#"kind = "tilelang", group = "run 2", row = "block_M=128, policy=1""#,
            TILELANG,
            (vec![0.1321], 0.0001, "ms"),
        ),
        (
            r#"kind = "google-benchmark", row = "BM_gemm/{n}", value = "cpu_time""#,
            GOOGLE,
            (vec![1361.0, 1358.0, 1369.0], 0.1, "us"),
        ),
        (
            r#"kind = "nvbench", group = "copy", row = "Elements=1048576""#,
            NVBENCH,
            (vec![1.002e-5], 1e-10, "s"),
        ),
        (
            r#"kind = "hyperfine", row = "./k --n {n}""#,
            HYPERFINE,
            (vec![0.05083121, 0.0511, 0.05180044], 1e-8, "s"),
        ),
    ] {
        assert_eq!(one(parse, output), expected, "{parse}");
    }
}

#[test]
fn one_output_can_cover_all_workloads() {
    let parse =
        r#"kind = "csv", value = "t", unit = "us", labels = ["n"], row = "{n}", covers = "all""#;
    let got = legs(parse, b"n,t\n512,7\n256,3.5\n").unwrap();
    assert_eq!(got.len(), 2);
    assert_eq!((got[0].workload.as_str(), got[0].values[0]), ("small", 3.5));
    assert_eq!((got[1].workload.as_str(), got[1].values[0]), ("large", 7.0));
    let parse = r#"kind = "json", value = "/{name}", unit = "ms", covers = "all""#;
    assert_eq!(
        legs(parse, br#"{"large": 2, "small": 1}"#).unwrap()[1].values,
        [2.0]
    );
    let parse = r#"pattern = "(?<workload>\\w+): (?<value>\\S+)", unit = "ms", row = "{name}", covers = "all""#;
    assert_eq!(
        legs(parse, b"large: 2\nsmall: 1\n").unwrap()[0].values,
        [1.0]
    );
}

#[test]
fn a_figure_that_sums_up_many_is_one_value_and_says_so() {
    let parse = r#"kind = "nvbench", group = "copy", row = "Elements=1048576""#;
    let got = legs(parse, NVBENCH).unwrap();
    assert_eq!(
        (got[0].values.len(), got[0].statistic.as_deref()),
        (1, Some("median of 50"))
    );
    assert_eq!(got[0].timer, "reported");
    let parse = r#"kind = "tileops", group = "GemmOp""#;
    let got = legs(parse, TILEOPS).unwrap();
    assert_eq!(got[0].timer, "reported, 0.6120 (event fallback)");
}

#[test]
fn what_cannot_be_a_leg_is_named() {
    let tall = "kind = \"csv\", value = \"t\", unit = \"us\", labels = [\"n\"], row = \"{n}\"";
    for (parse, output, words) in [
        (
            tall,
            &b"n,t\n128,1\n64,2\n"[..],
            "no row of the output is called `256`; there are `128`, `64`",
        ),
        (
            tall,
            b"n,t\n256,1\n256,2\n",
            "2 rows of the output can be workload small",
        ),
        (
            tall,
            b"n,t\n256,1,5\n",
            "line 2 is damaged: the row has 3 fields where the header has 2",
        ),
        (
            tall,
            b"n,t\n256,N/A\n",
            "workload small has no time, not available: the log has `N/A` for its time (line 2 of the output)",
        ),
        (tall, b"", "cannot be read as csv: it is empty"),
        (
            r#"kind = "csv", value = "t", unit = "us""#,
            b"t\n1\n2\n",
            "2 rows of the output can be workload small: line 2, line 3; choose with `row`",
        ),
        (
            r#"kind = "tileops", tag = "cutlass""#,
            TILEOPS,
            "none of the 7 rows of the output has tag `cutlass`; there are `MHCPostOp / tileops`, `MHCPostOp / torch-ref`, `GemmOp / tileops`",
        ),
        (
            r#"kind = "tilelang""#,
            TILELANG,
            "6 rows of the output can be workload small",
        ),
        (
            r#"kind = "google-benchmark", row = "BM_gpu/64""#,
            GOOGLE,
            "error: the benchmark reported: no device",
        ),
        (
            r#"kind = "google-benchmark""#,
            b"Run on (8 X 3000 MHz CPU s)\n{}",
            "this is not JSON alone",
        ),
        (
            r#"kind = "json", value = "/a/b", unit = "s""#,
            br#"{"a": {}}"#,
            "there is no `b` on the way of `/a/b`",
        ),
        (
            r#"kind = "json", value = "/a", unit = "s""#,
            br#"{"a": 1, "a": 2}"#,
            "`a` stands there twice",
        ),
        (
            r#"kind = "json", value = "/a", unit = "s""#,
            br#"{"a": []}"#,
            "the array of times is empty",
        ),
        (
            r#"kind = "json", value = "/a", unit = "s""#,
            br#"{"a": true}"#,
            "`true` is not a number",
        ),
        (
            r#"pattern = "t=(\\S+)", unit = "us""#,
            b"t=1,5\n",
            "has a comma",
        ),
        (
            r#"pattern = "t=(\\S+)", unit = "us""#,
            b"t=nan\n",
            "`nan` is not a number",
        ),
        (
            r#"pattern = "t=(\\S+)", unit = "us""#,
            b"fast",
            "nothing in the output matches the pattern",
        ),
        (
            r#"pattern = "(?<workload>\\w+)=(?<value>\\S+)", unit = "us", row = "{name}""#,
            b"small=1\nsmall=2\n",
            "2 rows of the output can be workload small",
        ),
    ] {
        let why = legs(parse, output).expect_err(parse);
        assert!(why.contains(words), "{parse}\n{why}");
    }
}
