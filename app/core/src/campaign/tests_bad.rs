mod cases;

use proptest::prelude::*;

use super::tests::{EXAMPLE, LEAST};
use super::*;

fn problems(text: &str) -> Vec<Problem> {
    Campaign::parse(text, "f").map_or_else(|e| e.problems, |_| Vec::new())
}

#[test]
fn each_mistake_is_reported_at_its_place() {
    let root: Vec<_> = tables::TABLES[0].keys.iter().map(|k| k.name).collect();
    for (from, to, expected) in cases::CASES {
        assert_eq!(EXAMPLE.matches(from).count(), 1, "{from}");
        let error = Campaign::parse(&EXAMPLE.replace(from, to), "f").expect_err(to);
        let expected = expected.replace("ROOT", &root.join(", "));
        assert_eq!(error.to_string(), expected, "{to}");
    }
}

#[test]
fn an_empty_file_lists_all_that_is_required() {
    let expected: Vec<_> = problems("")
        .into_iter()
        .map(|p| (p.line, p.column, p.expected))
        .collect();
    let wanted = [
        "the key `schema`",
        "the key `name`",
        "a table [kernel]",
        "a table [formulas]",
        "a table [[workload]]",
        "a table [build]",
        "a table [check]",
        "a table [bench]",
    ];
    assert_eq!(expected, wanted.map(|w| (1, 1, w.to_owned())));
}

#[test]
fn a_stage_of_one_target_alone_must_be_complete() {
    let text = format!("{LEAST}[target.x.source]\ncommand = \"s\"\n");
    let error = Campaign::parse(&text, "f").unwrap_err();
    assert_eq!(
        error.to_string(),
        "f:11:11: target.x.source: expected the key `files`, found none"
    );
    let text = format!("{LEAST}[target.x.source]\nfiles = [\"k.s\"]\n");
    let campaign = Campaign::parse(&text, "f").unwrap();
    assert!(
        campaign
            .stage("x", Stage::Source)
            .unwrap()
            .command
            .is_none()
    );
    assert_eq!(campaign.stage("local", Stage::Source), None);
}

#[test]
fn columns_count_characters_and_texts_of_several_lines_are_followed() {
    let text = LEAST.replace("dims.n = 8", "dims = { n = 8 }, \u{5927}");
    assert_eq!(problems(&text)[0].line, 10);
    let text = LEAST.replace(
        "[[workload]]",
        "[[gate]]\nname = \"g\"\nrule = \"\"\"\na < 1 and\nb ? 2\"\"\"\n[[workload]]",
    );
    let p = &problems(&text)[0];
    assert_eq!((p.line, p.column, p.found.as_str()), (12, 3, "`?`"));
    let text = LEAST.replace("name = \"大 batch (1)\"", "name = \"大\"\nweigth = 1");
    let p = &problems(&text)[0];
    assert_eq!((p.line, p.column), (10, 1));
    let text = LEAST.replace(
        "dims.n = 8",
        "dims.n = 8\nweight = 1 # 大\n[[gate]]\nname = \"g\"\nrule = \"has('大') and q\"",
    );
    let p = &problems(&text)[0];
    assert_eq!((p.line, p.column), (14, 22));
}

#[test]
fn many_problems_are_cut_and_counted() {
    let mut text = String::from(LEAST);
    for i in 0..70 {
        text.push_str(&format!("key{i} = 1\n"));
    }
    let error = Campaign::parse(&text, "f").unwrap_err();
    assert_eq!((error.problems.len(), error.more), (50, 20));
    assert!(error.to_string().ends_with("f: 20 more problems"));
}

#[test]
fn hostile_files_are_refused() {
    let deep = 20_000;
    for text in [
        format!("a = {}", "[".repeat(deep)),
        format!("a = {}1{}", "[".repeat(deep), "]".repeat(deep)),
        format!("a = {}", "{a=".repeat(deep)),
        format!("{}a = 1", "a.".repeat(deep)),
        format!("[{}a]", "a.".repeat(deep)),
        "#".repeat((1 << 18) + 1),
        "a=1\n".repeat(60_000),
        (0..20_000).fold(String::new(), |s, i| s + &format!("a{i}=1\n")),
        LEAST.replace("dims.n = 8", &"[[gate]]\n".repeat(20_000)),
        format!("{} = 1", "a".repeat(200_000)),
        LEAST.replace(
            "flops = \"0\"",
            &format!("flops = \"{}\"", "n+".repeat(90_000)),
        ),
        LEAST.replace("\"c\"", "\"\u{0}\""),
    ] {
        assert!(!problems(&text).is_empty());
    }
}

proptest! {
    #[test]
    fn no_text_panics(text in "\\PC{0,80}") {
        let _ = Campaign::parse(&text, "f");
        let _ = VariantFile::parse(&text, "f", &Params::new());
    }

    #[test]
    fn no_damaged_file_panics(at in 0usize..2000, cut in 0usize..40, with in "[\\[\\]{}=\"'.,a0 \n大\\\\-]{0,6}") {
        let chars: Vec<char> = EXAMPLE.chars().collect();
        let at = at.min(chars.len());
        let end = (at + cut).min(chars.len());
        let text: String = chars[..at].iter().copied().chain(with.chars()).chain(chars[end..].iter().copied()).collect();
        let lines: Vec<&str> = text.split('\n').collect();
        for p in problems(&text) {
            prop_assert!(p.line >= 1 && p.line <= lines.len());
            prop_assert!(p.column >= 1 && p.column <= lines[p.line - 1].chars().count() + 1, "{:?}", p);
        }
    }
}
