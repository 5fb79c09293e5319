use super::*;

/// The example of the documentation, with commands filled in.
pub(super) const EXAMPLE: &str = r#"schema = "assay.campaign/1"
name = "gemm-cpu"
title = "fp32 GEMM on the CPU"
[kernel]
paths = ["kernel"]
protected = ["harness", "assay.toml"]
[dims]
T = "M*top_k"
[formulas]
flops = "2*T*N*K"
bytes = "dtype_bytes*(M*K + K*N + M*N)"
[[workload]]
name = "square-256"
dims = { M = 256, N = 256, K = 256 }
dtype = "f32"
weight = 1.0
[[workload]]
name = "square-128"
dims = { M = 128, N = 128, K = 128 }
[params]
top_k = 1
layout = "row"
prefetch = true
[[baseline]]
name = "naive-o3"
build = "sh harness/build-naive.sh"
requires = ["cc", "--version"]
[build]
command = "sh harness/build.sh"
artefact = "libkernel.so"
timeout = "60s"
[source]
command = "sh harness/source.sh"
files = ["kernel.s"]
language = "asm-x86_64"
timeout = "60s"
[check]
command = "python3 harness/check.py"
timeout = "60s"
[bench]
command = ["harness/bench", "--quiet"]
mode = "pair"
blocks = 6
min_leg = "10ms"
warmup = "50ms"
cache = "hot"
timeout = "120s"
[profile]
command = "harness/once"
workload = "square-128"
timeout = "120s"
[[gate]]
name = "correct"
rule = "max_abs_error <= 1e-3"
message = "the result is wrong"
[[gate]]
name = "vectorised"
rule = "fact[\"vector.fma\"] > 0"
[decide]
delta = "1%"
guard = "2%"
policy = "assay"
[noise]
max_cv = "5%"
[env]
pass = ["OMP_NUM_THREADS"]
[target.local]
device = "cpu"
[target.big.bench]
blocks = 12
mode = "invocation"
[target.big.bench.parse]
pattern = "time: ([0-9.]+)"
unit = "ms"
"#;

/// The least file that is a campaign.
pub(super) const LEAST: &str = r#"schema = "assay.campaign/1"
name = "c"
kernel.paths = ["k.c"]
formulas = { flops = "0", bytes = "4*n" }
build = { command = "make", artefact = "k.so" }
check.command = "./check"
bench.command = "./bench"
[[workload]]
name = "大 batch (1)"
dims.n = 8
"#;

pub(super) fn parse(text: &str) -> Campaign {
    Campaign::parse(text, "assay.toml").unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn the_example_is_read_as_it_stands() {
    let c = parse(EXAMPLE);
    assert_eq!(
        (c.name.as_str(), c.title.as_str()),
        ("gemm-cpu", "fp32 GEMM on the CPU")
    );
    assert_eq!(c.branch("b"), "assay/gemm-cpu/b");
    assert_eq!(c.kernel.paths, ["kernel"]);
    assert_eq!(c.kernel.protected, ["harness", "assay.toml"]);
    assert_eq!(c.workloads.len(), 2);
    assert_eq!(c.workloads[1].dtype, "f32");
    assert_eq!(c.workloads[1].weight, 1.0);
    let dims: Vec<_> = c.workloads[0]
        .dims
        .iter()
        .map(|(n, _)| n.as_str())
        .collect();
    assert_eq!(dims, ["M", "N", "K"], "in the order of the file");
    assert_eq!(c.params["layout"], ParamValue::Text("row".into()));
    assert_eq!(c.params["prefetch"], ParamValue::Bool(true));
    let base = c.baseline("naive-o3").unwrap();
    assert_eq!(base.build.argv(), ["sh", "-c", "sh harness/build-naive.sh"]);
    assert_eq!(base.requires.as_ref().unwrap().argv(), ["cc", "--version"]);
    let build = c.stage("local", Stage::Build).unwrap();
    assert_eq!(build.artefact(), Some("libkernel.so"));
    assert_eq!(build.timeout_ns, 60_000_000_000);
    let (files, language) = c.stage("local", Stage::Source).unwrap().source().unwrap();
    assert_eq!(
        (files, language),
        (&["kernel.s".to_owned()][..], Language::AsmX86)
    );
    let profile = c.stage("local", Stage::Profile).unwrap();
    assert_eq!(profile.profile_workload(), Some("square-128"));
    assert_eq!(c.gates[1].rule.names(), ["vector.fma"]);
    assert_eq!((c.decide.delta, c.decide.guard), (Ratio(0.01), Ratio(0.02)));
    assert_eq!(c.decide.policy, Policy::Assay);
    assert_eq!(c.noise.max_cv, Ratio(0.05));
    assert_eq!(c.env_pass, ["OMP_NUM_THREADS"]);
    assert_eq!(c.stage("nowhere", Stage::Build), None);
}

#[test]
fn a_target_overrides_single_keys_of_a_stage() {
    let c = parse(EXAMPLE);
    let local = c.stage("local", Stage::Bench).unwrap();
    let big = c.stage("big", Stage::Bench).unwrap();
    assert_eq!(local.command, big.command);
    let (l, b) = (local.bench().unwrap(), big.bench().unwrap());
    assert_eq!(
        (l.blocks, l.mode, l.parse.is_some()),
        (6, Mode::Pair, false)
    );
    assert_eq!(
        (b.blocks, b.mode, b.min_leg_ns),
        (12, Mode::Invocation, 10_000_000)
    );
    let parse = b.parse.as_ref().unwrap();
    assert_eq!(
        (parse.pattern.as_str(), parse.unit),
        ("time: ([0-9.]+)", Some(crate::units::TimeUnit::Ms))
    );
    assert_eq!(c.stage("big", Stage::Build), c.stage("local", Stage::Build));
}

#[test]
fn omitted_keys_have_defaults() {
    let c = parse(LEAST);
    assert_eq!(c.title, "c");
    assert_eq!(c.kernel.protected, ["assay.toml"]);
    let bench = c.stage("local", Stage::Bench).unwrap();
    assert_eq!(bench.timeout_ns, 120_000_000_000);
    assert_eq!(
        bench.bench().unwrap(),
        &BenchSpec {
            mode: Mode::Pair,
            blocks: 6,
            min_leg_ns: 10_000_000,
            warmup_ns: 50_000_000,
            cache: Cache::Hot,
            parse: None,
        }
    );
    assert_eq!(c.stage("local", Stage::Source), None);
    assert_eq!(c.stage("local", Stage::Profile), None);
    assert_eq!(
        (c.decide.delta, c.decide.threshold),
        (Ratio(0.01), Ratio(0.03))
    );
    assert_eq!(c.noise.max_cv, Ratio(0.05));
    assert_eq!(c.targets["local"].device, Device::Cpu);
    assert!(c.gates.is_empty() && c.baselines.is_empty() && c.env_pass.is_empty());
}

#[test]
fn workloads_are_resolved_with_derived_dims_and_params() {
    let c = parse(EXAMPLE);
    let all = c.resolve_all().unwrap();
    assert_eq!(all[0].flops, 2.0 * 256.0 * 256.0 * 256.0);
    assert_eq!(all[0].bytes, 4.0 * 3.0 * 65_536.0);
    let last = all[0].dims.last().unwrap();
    assert_eq!((last.0.as_str(), last.1), ("T", 256.0));
    let params = Params::from([("top_k".to_owned(), ParamValue::Number(2.0))]);
    let two = c.resolve(&c.workloads[0], &params).unwrap();
    assert_eq!(two.flops, 2.0 * all[0].flops);
    let params = Params::from([("top_k".to_owned(), ParamValue::Number(-1.0))]);
    assert_eq!(
        c.resolve(&c.workloads[0], &params).unwrap_err().to_string(),
        "workload `square-256`: dims.T = M*top_k: the value is -256, below zero"
    );
}

#[test]
fn fractional_dims_may_give_fractional_work_and_whole_ones_may_not() {
    let with = |dims: &str| LEAST.replace("4*n", "n/3").replace("dims.n = 8", dims);
    assert!(Campaign::parse(&with("dims.n = 9"), "f").is_ok());
    assert!(Campaign::parse(&with("dims.n = 0.5"), "f").is_ok());
    let e = Campaign::parse(&with("dims.n = 8"), "f").unwrap_err();
    assert!(e.problems[0].found.contains("not whole"), "{e}");
}

#[test]
fn words_in_the_table_of_keys_are_those_of_the_types() {
    let same = |words: &[&str], names: Vec<&str>| assert_eq!(words, names);
    same(
        languages::LANGUAGES,
        Language::ALL.iter().map(|v| v.name()).collect(),
    );
    same(tables::MODES, Mode::ALL.iter().map(|v| v.name()).collect());
    same(
        tables::CACHES,
        Cache::ALL.iter().map(|v| v.name()).collect(),
    );
    same(
        tables::POLICIES,
        Policy::ALL.iter().map(|v| v.name()).collect(),
    );
    same(
        tables::DEVICES,
        Device::ALL.iter().map(|v| v.name()).collect(),
    );
    same(
        profiling::TOOLS,
        ProfileTool::ALL.iter().map(|v| v.name()).collect(),
    );
    same(
        profiling::CLOCKS,
        ClockControl::ALL.iter().map(|v| v.name()).collect(),
    );
    same(
        profiling::CACHES,
        CacheControl::ALL.iter().map(|v| v.name()).collect(),
    );
    same(
        sanitizer::TOOLS,
        Sanitizer::ALL.iter().map(|v| v.name()).collect(),
    );
}

#[test]
fn every_default_has_the_form_that_its_key_asks_for() {
    for table in tables::TABLES.iter().chain(tables::VARIANT_TABLES) {
        for key in table.keys {
            let Some(text) = key.default else { continue };
            let toml = match key.kind {
                keys::Kind::Count { .. } | keys::Kind::Positive | keys::Kind::Flag => {
                    text.to_owned()
                }
                keys::Kind::Paths { .. } | keys::Kind::Texts { .. } | keys::Kind::Variables
                    if text.is_empty() =>
                {
                    "[]".into()
                }
                keys::Kind::Paths { .. } | keys::Kind::Variables => format!("[\"{text}\"]"),
                _ => format!("\"{text}\""),
            };
            let value = toml::de::DeValue::parse(&toml).unwrap();
            let checked = kinds::check(key.kind, value.get_ref());
            assert!(checked.is_ok(), "{}.{}: {checked:?}", table.path, key.name);
        }
    }
}

#[test]
fn every_key_is_in_the_schema_and_on_the_reference_page() {
    let page = reference_markdown();
    for (list, schema) in [
        (tables::TABLES, schema()),
        (tables::VARIANT_TABLES, variant_schema()),
    ] {
        for table in list {
            let object = match table.path {
                "" => &schema,
                path => &schema["$defs"][path],
            };
            assert_eq!(object["additionalProperties"], false);
            let properties = object["properties"].as_object().unwrap();
            assert_eq!(properties.len(), table.keys.len());
            for key in table.keys {
                assert!(
                    properties.contains_key(key.name),
                    "{}.{}",
                    table.path,
                    key.name
                );
                assert!(page.contains(&format!("| `{}` |", key.name)));
                if let keys::Kind::Table(p)
                | keys::Kind::Tables { path: p, .. }
                | keys::Kind::Named(p) = key.kind
                {
                    assert!(keys::table(list, p).is_some(), "{p}");
                }
            }
        }
    }
    let text = serde_json::to_string(&schema()).unwrap();
    for found in text.split("#/$defs/").skip(1) {
        let name = found.split('"').next().unwrap();
        assert!(schema()["$defs"][name].is_object(), "{name}");
    }
}

#[test]
fn a_variant_file_sets_declared_parameters() {
    let declared = parse(EXAMPLE).params;
    let text = "[params]\ntop_k = 2\n[build]\nflags = \"-O3 -ffast-math\"\n";
    let v = VariantFile::parse(text, "variant.toml", &declared).unwrap();
    assert_eq!(v.flags, "-O3 -ffast-math");
    assert_eq!(v.effective(&declared)["top_k"], ParamValue::Number(2.0));
    assert_eq!(
        v.effective(&declared)["layout"],
        ParamValue::Text("row".into())
    );
    assert_eq!(
        VariantFile::parse("", "v", &declared).unwrap(),
        VariantFile::default()
    );
    let text =
        "flag = 1\n[params]\ntop_kk = 2\nlayout = 3\nprefetch = \"yes\"\n[build]\nflagz = \"\"\n";
    let e = VariantFile::parse(text, "variant.toml", &declared).unwrap_err();
    assert_eq!(
        e.to_string(),
        "variant.toml:1:1: expected one of params, build, found unknown key `flag`\n\
         variant.toml:3:1: params: expected one of layout, prefetch, top_k, found unknown parameter `top_kk`\n  \
         hint: did you mean `top_k`?\n\
         variant.toml:4:10: params.layout: expected a text like the default row, found the number 3\n\
         variant.toml:5:12: params.prefetch: expected a boolean like the default true, found \"yes\"\n\
         variant.toml:7:1: build: expected `flags`, found unknown key `flagz`\n  \
         hint: did you mean `flags`?"
    );
}

#[test]
fn parameters_are_written_as_plain_json() {
    let json = serde_json::to_string(&parse(EXAMPLE).params).unwrap();
    assert_eq!(json, r#"{"layout":"row","prefetch":true,"top_k":1.0}"#);
    assert_eq!(ParamValue::Number(16.0).to_string(), "16");
}

#[test]
fn the_reference_page_names_every_function() {
    let page = reference_markdown();
    for word in crate::expr::RESERVED {
        assert!(page.contains(&format!("`{word}")), "{word}");
    }
}
