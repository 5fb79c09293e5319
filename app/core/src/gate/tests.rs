use proptest::prelude::*;

use super::*;

fn values(name: &str) -> Option<f64> {
    match name {
        "max_abs_error" => Some(3.1e-5),
        "vector.fma" => Some(12.0),
        "fact:spills" => Some(4.0),
        "zero" => Some(0.0),
        "long" => Some(1.0 / 3.0),
        "dram.bytes" => Some(1e18),
        "resource:shared_bytes" => Some(18_014_398_509_481_988.0),
        "resource:limit_bytes" => Some(18_014_398_509_481_984.0),
        _ => None,
    }
}

fn gate(rule: &str) -> GateSpec {
    GateSpec {
        name: "g".into(),
        rule: Rule::parse(rule).unwrap(),
        message: String::new(),
    }
}

#[test]
fn evidence_prints_the_figures_used() {
    for (rule, pass, evidence) in [
        (
            "max_abs_error <= 1e-3",
            Some(true),
            "max_abs_error = 3.1e-5 <= 1e-3",
        ),
        (
            "max_abs_error == 0",
            Some(false),
            "max_abs_error = 3.1e-5, not == 0",
        ),
        (
            "fact[\"spills\"] <= 0",
            Some(false),
            "fact[\"spills\"] = 4, not <= 0",
        ),
        (
            "fact['vector.fma'] > 0",
            Some(true),
            "fact['vector.fma'] = 12 > 0",
        ),
        (
            "vector.fma / 4 >= max(2, vector.fma)",
            Some(false),
            "vector.fma / 4 = 3, not >= max(2, vector.fma) (12)",
        ),
        (
            "dram.bytes * 2 > 1e18",
            Some(true),
            "dram.bytes * 2 = 2e18 > 1e18",
        ),
        (
            "resource[\"shared_bytes\"] <= resource[\"limit_bytes\"]",
            Some(false),
            "resource[\"shared_bytes\"] = 1.8014398509481988e16, not <= resource[\"limit_bytes\"] (1.8014398509481984e16)",
        ),
        ("long > 0.1", Some(true), "long = 0.333333 > 0.1"),
        ("long * 1e9 > 1", Some(true), "long * 1e9 = 3.33333e8 > 1"),
        (
            "long <= 0.333333",
            Some(false),
            "long = 0.333333, not <= 0.333333 (they differ by 3.33333e-7)",
        ),
        ("zero < long", Some(true), "zero = 0 < long (0.333333)"),
        ("spills == 0", None, "spills has no value"),
        (
            "a.b < 1 and c > 2 and a.b > 0",
            None,
            "a.b, c have no value",
        ),
        (
            "a < 1 and zero > 1",
            Some(false),
            "a has no value, unknown whether < 1; zero = 0, not > 1",
        ),
        (
            "a < 1 or zero < 1",
            Some(true),
            "a has no value, unknown whether < 1; zero = 0 < 1",
        ),
        ("not zero > 1", Some(true), "zero = 0, not > 1"),
        ("1 / zero > 1", None, "division by zero at character 1"),
        (
            "has('ld.shared')",
            None,
            "there is no generated source to search",
        ),
    ] {
        let r = judge(&gate(rule), &values);
        assert_eq!((r.pass, r.evidence.as_str()), (pass, evidence), "{rule}");
    }
}

#[test]
fn generated_source_is_searched_when_there_is_one() {
    let text = Some("vfmadd231ps %ymm0\nvfmadd231ps %ymm1\nret");
    let judged = |rule: &str| {
        let r = judge_with_text(&gate(rule), &values, text);
        (r.pass, r.evidence)
    };
    assert_eq!(
        judged(r#"has("vfmadd")"#),
        (Some(true), r#"has("vfmadd"): found"#.into())
    );
    assert_eq!(
        judged(r#"has("zmm")"#),
        (Some(false), r#"has("zmm"): not found"#.into())
    );
    let launch = Some("void __launch_bounds__(512, 1) k(float* p) {");
    for (rule, pass) in [
        (r#"has("__launch_bounds__(512, 1)")"#, true),
        (r#"has('__launch_bounds__(512, 1)')"#, true),
        (r#"has("__launch_bounds__(512, 2)")"#, false),
        (
            r#"not has("__launch_bounds__(256, 1)") and count("__launch_bounds__\(512, 1\)") == 1"#,
            true,
        ),
    ] {
        let r = judge_with_text(&gate(rule), &values, launch);
        assert_eq!(r.pass, Some(pass), "{rule}");
    }
    assert_eq!(
        judged(r#"count("^vfmadd\d+ps") == 2"#),
        (Some(true), r#"count("^vfmadd\d+ps") = 2 == 2"#.into())
    );
    let rule = Rule::parse("has('x') or a > 1").unwrap();
    assert!(rule.needs_text() && !Rule::parse("a > 1").unwrap().needs_text());
    assert_eq!(rule.missing(&values, None), (vec!["a"], true));
    assert_eq!(rule.eval(&values), None);
    assert_eq!(rule.eval_with(&values, Some("xyz")), Some(true));
    assert_eq!(rule.names(), vec!["a"]);
}

#[test]
fn the_message_is_shown_when_the_gate_fails() {
    let mut g = gate("zero > 1");
    g.message = "raise it".into();
    assert_eq!(judge(&g, &values).evidence, "zero = 0, not > 1 (raise it)");
}

#[test]
fn bad_rules_say_where_and_what() {
    for (rule, span, message) in [
        (
            "max_abs_error",
            0..13,
            "expected a condition such as `x <= 1`, found a number",
        ),
        (
            "a <= ",
            5..5,
            "expected a number, a name, a function or `(`, found the end",
        ),
        (
            "a = 1",
            2..3,
            "expected a number, a name or an operator, found `=`",
        ),
        ("has(a)", 4..5, "expected a quoted text, found `a`"),
        (
            "has('') ",
            4..6,
            "expected a text to search for, found an empty text",
        ),
        (
            "has('a",
            4..6,
            "expected a closing ', found a text without end",
        ),
        (
            "count('(') > 1",
            6..9,
            "expected a regular expression, found unclosed group",
        ),
        ("fact[a] > 1", 5..6, "expected a quoted name, found `a`"),
        ("fact['a' > 1", 9..10, "expected `]`, found `>`"),
        (
            "cuont('a') > 1",
            0..5,
            "expected one of ceildiv, min, max, if, floor, ceil, log2, abs, has, count, found unknown function `cuont`",
        ),
    ] {
        let e = Rule::parse(rule).unwrap_err();
        assert_eq!(
            (e.span.clone(), e.message()),
            (span, message.to_owned()),
            "{rule}"
        );
    }
    assert_eq!(
        Rule::parse("a = 1").unwrap_err().hint.as_deref(),
        Some("write `==` for equal, and `<=` without a space")
    );
}

proptest! {
    #[test]
    fn no_text_panics(text in "\\PC{0,60}") {
        if let Ok(rule) = Rule::parse(&text) {
            let g = GateSpec { name: "g".into(), rule, message: String::new() };
            let _ = judge_with_text(&g, &values, Some(&text));
        }
    }

    #[test]
    fn no_likely_text_panics(words in proptest::collection::vec(
        proptest::sample::select(vec!["zero", "a.b", "1", "<", "==", "and ", "or ", "not ", "(", ")",
            "has(", "count(", "'x'", "\"[\"", "fact[", "]", "/", "\\", "é", "."]), 0..30)
    ) {
        let text = words.concat();
        match Rule::parse(&text) {
            Ok(rule) => { let _ = judge(&GateSpec { name: "g".into(), rule, message: String::new() }, &values); }
            Err(e) => prop_assert!(text.get(e.span.clone()).is_some()),
        }
    }
}

#[test]
fn an_amount_is_a_number_over_dotted_names() {
    let amount = Amount::parse("dram.bytes / vector.fma + count(\"a\")").unwrap();
    assert_eq!(amount.names()[0], ("dram.bytes", 0..10));
    assert_eq!(amount.eval(&values, Some("aba")), Ok(1e18 / 12.0 + 2.0));
    assert!(amount.eval(&values, None).is_err());
    let zero = Amount::parse("vector.fma / zero").unwrap();
    assert!(zero.eval(&values, None).is_err());
    assert!(Amount::parse("vector.fma > 1").is_err());
}

#[test]
fn the_evidence_of_a_rule_is_text_without_a_gate() {
    let rule = Rule::parse("vector.fma > 10 and unknown < 1").unwrap();
    assert_eq!(
        rule.evidence(&values, None),
        "vector.fma = 12 > 10; unknown has no value, unknown whether < 1"
    );
}
