use super::*;
use crate::campaign::Campaign;
use crate::campaign::tests::LEAST;
use crate::record::Stage;

fn file(parse: &str) -> String {
    let more = "[[workload]]\nname = \"small\"\ndims = { n = 4, m = 1 }\n";
    LEAST.replace(
        "bench.command = \"./bench\"",
        &format!(
            "bench = {{ command = \"./bench\", mode = \"invocation\", parse = {{ {parse} }} }}"
        ),
    ) + more
}

fn read(parse: &str) -> BenchParse {
    let campaign = Campaign::parse(&file(parse), "f").unwrap_or_else(|e| panic!("{e}"));
    let spec = campaign.stage("local", Stage::Bench).unwrap();
    spec.bench().unwrap().parse.clone().unwrap()
}

fn refused(parse: &str) -> String {
    let error = Campaign::parse(&file(parse), "f").expect_err(parse);
    let texts: Vec<String> = error.problems.iter().map(|p| p.message()).collect();
    texts.join("\n")
}

#[test]
fn each_kind_is_read_with_its_keys() {
    assert_eq!(KINDS.len(), ParseKind::ALL.len());
    for (kind, word) in ParseKind::ALL.iter().zip(KINDS) {
        assert_eq!(kind.name(), *word);
    }
    let p = read(r#"pattern = "t: (.+)", unit = "ms""#);
    assert_eq!((p.kind, p.unit), (ParseKind::Regex, Some(TimeUnit::Ms)));
    assert_eq!((p.covers, p.delimiter.byte()), (Covers::One, b','));
    let p = read(
        r#"kind = "csv", value = "t {ms}", unit = "ms", labels = ["a", "b"], tag_column = "who", tag = "me", row = "{name}, {n}", covers = "all", delimiter = "tab""#,
    );
    assert_eq!(p.labels, ["a", "b"]);
    assert_eq!(p.delimiter.byte(), b'\t');
    assert_eq!(
        p.value.fill(|_| None).as_deref(),
        Some("t {ms}"),
        "a column is no template"
    );
    let fill = |n: &str| Some(format!("<{n}>"));
    assert_eq!(p.row.unwrap().fill(fill).unwrap(), "<name>, <n>");
    for plain in [
        "tileops",
        "tilelang",
        "google-benchmark",
        "nvbench",
        "hyperfine",
    ] {
        let p = read(&format!("kind = \"{plain}\", row = \"x {{n}}\""));
        assert_eq!((p.kind.name(), p.unit), (plain, None));
    }
}

#[test]
fn keys_that_do_not_fit_are_named() {
    for (parse, expected) in [
        (
            r#"kind = "jsn""#,
            "bench.parse.kind: expected one of regex, csv, json, markdown, tileops, tilelang, google-benchmark, nvbench, hyperfine, found \"jsn\"",
        ),
        (
            r#"kind = "csv", value = "t""#,
            "bench.parse: expected the key `unit`, found none",
        ),
        (
            r#"pattern = "(.)""#,
            "bench.parse: expected the key `unit`, found none",
        ),
        (
            r#"kind = "hyperfine", unit = "ms""#,
            "bench.parse.unit: expected `row`, found `unit`, which kind \"hyperfine\" does not have",
        ),
        (
            r#"kind = "csv", value = "t", unit = "ms", row = "{name}""#,
            "bench.parse.row: expected the key `labels`: the columns that name a row, found none",
        ),
        (
            r#"kind = "csv", value = "t", unit = "ms", tag = "x""#,
            "bench.parse.tag: expected the key `tag_column`: where tags stand, found none",
        ),
        (
            r#"kind = "tileops", row = "{m}""#,
            "bench.parse.row: expected names that every workload has: one of name, dtype, n, found `{m}`",
        ),
        (
            r#"kind = "tileops", row = "{nam}""#,
            "bench.parse.row: expected names that every workload has: one of name, dtype, n, found `{nam}`",
        ),
        (
            r#"kind = "tileops", row = "{name""#,
            "bench.parse.row: expected braces in pairs (`{{` stands for a brace), found a `{` without its `}`",
        ),
        (
            r#"kind = "tileops", covers = "all""#,
            "bench.parse.covers: expected a `row` with names in braces, which tells workloads apart, found \"all\" without it",
        ),
        (
            r#"kind = "tileops", row = "x", covers = "all""#,
            "bench.parse.covers: expected a `row` with names in braces, which tells workloads apart, found \"all\" without it",
        ),
        (
            r#"kind = "json", value = "/t", unit = "s", covers = "all""#,
            "bench.parse.covers: expected a `value` with names in braces, which tells workloads apart, found \"all\" without it",
        ),
        (
            r#"kind = "json", value = "t", unit = "s""#,
            "bench.parse.value: expected a JSON pointer, which begins with `/`, found a text without it",
        ),
        (
            r#"kind = "google-benchmark", value = "iterations""#,
            "bench.parse.value: expected one of real_time, cpu_time, found `iterations`",
        ),
        (
            r#"pattern = "(.)", unit = "ms", row = "{name}""#,
            "bench.parse.row: expected a group `(?<workload>…)` in `pattern` that it is held against, found none",
        ),
        (
            r#"kind = "csv", value = "t", unit = "ms", labels = ["a", 1]"#,
            "bench.parse.labels: expected an array of texts, found the number 1",
        ),
    ] {
        assert_eq!(refused(parse), expected, "{parse}");
    }
}

#[test]
fn a_template_keeps_braces_that_are_doubled() {
    let t = Template::parse("{{{a}}}-{b}").unwrap();
    assert_eq!(t.names().collect::<Vec<_>>(), ["a", "b"]);
    let fill = |n: &str| (n != "b").then(|| n.to_uppercase());
    assert_eq!(t.fill(fill), None);
    assert_eq!(t.fill(|n| Some(n.to_uppercase())).unwrap(), "{A}-B");
    assert_eq!(t.to_string(), "{{{a}}}-{b}");
    assert!(Template::parse("a}").is_err());
    assert_eq!(Template::parse("").unwrap().fill(|_| None).unwrap(), "");
}
