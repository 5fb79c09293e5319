use proptest::prelude::*;

use super::*;

fn env(pairs: &[(&str, f64)]) -> Env {
    pairs.iter().map(|(k, v)| ((*k).to_owned(), *v)).collect()
}

fn value(text: &str) -> f64 {
    let env = env(&[("M", 256.0), ("N", 128.0), ("K", 100.0), ("zero", 0.0)]);
    Expr::parse(text).unwrap().eval(&env).unwrap()
}

#[test]
fn formulas_have_their_usual_values() {
    for (text, expected) in [
        ("2*M*N*K", 6_553_600.0),
        ("1 + 2 * 3", 7.0),
        ("(1 + 2) * 3", 9.0),
        ("7 - 2 - 1", 4.0),
        ("8 / 4 / 2", 1.0),
        ("-M + 1", -255.0),
        ("--3", 3.0),
        ("-2*3", -6.0),
        ("1e3", 1000.0),
        ("1.5e-1", 0.15),
        ("ceildiv(K, 64)", 2.0),
        ("ceildiv(-5, 2)", -2.0),
        ("ceildiv(9007199254740991, 2)", 4_503_599_627_370_496.0),
        ("min(M, N, K)", 100.0),
        ("max(1, 2)", 2.0),
        ("if(M > N and not K == 0, 1, 2)", 1.0),
        ("if(zero != 0 and 1/zero > 0, 1, 2)", 2.0),
        ("if(M < 1 or N >= 128, 3, 4)", 3.0),
        ("floor(7/2) + ceil(7/2)", 7.0),
        ("log2(M)", 8.0),
        ("abs(N - M)", 128.0),
    ] {
        assert_eq!(value(text), expected, "{text}");
    }
}

#[test]
fn bad_formulas_say_where_and_what() {
    for (text, span, message) in [
        (
            "",
            0..0,
            "expected a number, a name, a function or `(`, found the end",
        ),
        (
            "2*",
            2..2,
            "expected a number, a name, a function or `(`, found the end",
        ),
        (
            "2M",
            0..2,
            "expected an operator after the number, found `2M`",
        ),
        ("M N", 2..3, "expected an operator or the end, found `N`"),
        ("(M", 2..2, "expected `)`, found the end"),
        (
            "M ^ 2",
            2..3,
            "expected a number, a name or an operator, found `^`",
        ),
        ("M**2", 1..3, "expected an operator, found `**`"),
        ("M < N", 0..5, "expected a number, found a condition"),
        (
            "if(M, 1, 2)",
            3..4,
            "expected a condition such as `x <= 1`, found a number",
        ),
        (
            "if(M<1, 1)",
            0..10,
            "expected 3 arguments of `if`, found 2 arguments",
        ),
        (
            "min(M)",
            0..6,
            "expected 2 or more arguments of `min`, found 1 argument",
        ),
        (
            "ceildiv(1,2,3)",
            0..14,
            "expected 2 arguments of `ceildiv`, found 3 arguments",
        ),
        (
            "floor()",
            6..7,
            "expected a number, a name, a function or `(`, found `)`",
        ),
        (
            "min",
            3..3,
            "expected `(` after the function `min`, found the end",
        ),
        ("1 + (M < 2)", 4..11, "expected a number, found a condition"),
        ("1.", 0..2, "expected digits after the point, found `1.`"),
        (
            "9007199254740994",
            0..16,
            "expected a number of at most 2^53, found `9007199254740994`",
        ),
        (
            "1e999",
            0..5,
            "expected a number of at most 2^53, found `1e999`",
        ),
        (
            "a.b",
            1..2,
            "expected a number, a name or an operator, found `.`",
        ),
        (
            "核",
            0..3,
            "expected a number, a name or an operator, found `核`",
        ),
    ] {
        let e = Expr::parse(text).unwrap_err();
        assert_eq!(
            (e.span.clone(), e.message()),
            (span, message.to_owned()),
            "{text}"
        );
    }
    let hint = |text: &str| Expr::parse(text).unwrap_err().hint.unwrap();
    assert_eq!(hint("2M"), "did you mean `2*M`?");
    assert_eq!(hint("ciel(M)"), "did you mean `ceil`?");
    assert_eq!(hint("if(M < 1 && N < 1, 1, 2)"), "write `and`");
    assert_eq!(hint("M**2"), "there is no power; multiply");
}

#[test]
fn unknown_names_have_near_misses() {
    let e = Expr::parse("2*batch*sqe")
        .unwrap()
        .check_names(&["batch", "seq"])
        .unwrap_err();
    assert_eq!(e.span, 8..11);
    assert_eq!(e.hint.as_deref(), Some("did you mean `seq`?"));
    let e = Expr::parse("batc")
        .unwrap()
        .eval(&env(&[("batch", 1.0)]))
        .unwrap_err();
    assert_eq!(
        e.to_string(),
        "`batc` has no value; did you mean `batch`? at character 1"
    );
    assert_eq!(
        Expr::parse("b*a + b").unwrap().names(),
        vec![("b", 0..1), ("a", 2..3)]
    );
}

#[test]
fn nothing_is_rounded_or_infinite_in_silence() {
    let kind = |text: &str| {
        let env = env(&[
            ("big", 9_007_199_254_740_992.0),
            ("nan", f64::NAN),
            ("zero", 0.0),
        ]);
        Expr::parse(text).unwrap().eval(&env).map_err(|e| e.kind)
    };
    assert_eq!(kind("1/zero"), Err(EvalErrorKind::DivisionByZero));
    assert_eq!(kind("ceildiv(1, zero)"), Err(EvalErrorKind::DivisionByZero));
    assert_eq!(kind("big + 2"), Err(EvalErrorKind::TooLarge));
    assert_eq!(kind("big * big - big * big"), Err(EvalErrorKind::TooLarge));
    assert_eq!(kind("-big"), Ok(-9_007_199_254_740_992.0));
    assert_eq!(kind("nan"), Err(EvalErrorKind::NotFinite));
    assert!(matches!(kind("log2(0)"), Err(EvalErrorKind::Domain(_))));
    assert!(matches!(
        kind("ceildiv(1.5, 2)"),
        Err(EvalErrorKind::Domain(_))
    ));
    assert!(matches!(
        kind("ceildiv(1, -2)"),
        Err(EvalErrorKind::Domain(_))
    ));
}

#[test]
fn hostile_length_and_depth_are_refused() {
    for text in [
        "(".repeat(4000),
        "-".repeat(4000),
        "not ".repeat(1000),
        "1+".repeat(2000) + "1",
        "if(1<2,".repeat(500),
        "min(1,".repeat(600),
        "1<".repeat(2000),
        "x".repeat(5000),
    ] {
        assert!(Expr::parse(&text).is_err());
    }
    let sum = vec!["M"; 100].join("+");
    assert_eq!(value(&sum), 25_600.0);
}

#[test]
fn names_are_identifiers_that_are_not_words_of_the_language() {
    assert!(is_name("M") && is_name("top_k") && is_name("_x1"));
    assert!(!is_name("") && !is_name("1a") && !is_name("a.b") && !is_name("min") && !is_name("核"));
}

proptest! {
    #[test]
    fn no_text_panics(text in "\\PC{0,60}") {
        if let Ok(e) = Expr::parse(&text) {
            let _ = e.eval(&Env::new());
        }
    }

    #[test]
    fn no_likely_text_panics(words in proptest::collection::vec(
        proptest::sample::select(vec!["M", "1", "0", "2.5", "+", "-", "*", "/", "(", ")", ",", "<", "==",
            "and", "or", "not", "if(", "min(", "ceildiv(", "log2(", " ", "1e300", "'", "\\", "é"]), 0..40)
    ) {
        let text = words.concat();
        match Expr::parse(&text) {
            Ok(e) => { if let Ok(v) = e.eval(&env(&[("M", 3.0)])) { prop_assert!(v.is_finite() && v.abs() <= MAX_EXACT) } }
            Err(e) => prop_assert!(text.get(e.span.clone()).is_some()),
        }
    }

    #[test]
    fn ceildiv_is_exact(a in 0u64..(1 << 53), b in 1u64..(1 << 53)) {
        let v = Expr::parse("ceildiv(a, b)").unwrap().eval(&env(&[("a", a as f64), ("b", b as f64)])).unwrap();
        prop_assert_eq!(v, a.div_ceil(b) as f64);
    }
}
