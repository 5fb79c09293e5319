//! Rule files that are refused, with the place of what is wrong.

use assay_profile::Catalog;
use assay_profile::rules::Rules;
use proptest::prelude::*;

/// A file with one rule; the keys given replace those of the rule.
fn file(keys: &[(&str, &str)]) -> String {
    let mut text = String::from(
        "schema = \"assay.rules/1\"\nkind = \"audit\"\nsource = \"test\"\n\n[[rule]]\n",
    );
    for (key, value) in [
        ("id", "\"r\""),
        ("on", "\"launch\""),
        ("severity", "\"error\""),
        ("when", "\"duty.mma > 1\""),
        ("message", "\"m\""),
        ("message_zh", "\"m\""),
    ] {
        let other = keys.iter().find(|(k, _)| *k == key).map(|(_, v)| *v);
        text += &format!("{key} = {}\n", other.unwrap_or(value));
    }
    for (key, value) in keys {
        if !text.contains(&format!("\n{key} = ")) {
            text += &format!("{key} = {value}\n");
        }
    }
    text
}

fn refused(text: &str) -> String {
    match Rules::load([("x.toml", text)], Catalog::builtin()) {
        Err(e) => e.to_string(),
        Ok(_) => panic!("accepted: {text}"),
    }
}

#[test]
fn what_is_wrong_is_said_with_file_line_and_near_miss() {
    for (keys, expected) in [
        (
            vec![("when", "\"inst.executed > 1 and inst.mm > 1\"")],
            "x.toml:9:31: rule `r`: unknown name `inst.mm`; did you mean `inst.mma`?",
        ),
        (
            vec![("when", "\"res.dutty.mma > 1\"")],
            "x.toml:9:9: rule `r`: unknown name `res.dutty.mma`; did you mean `res.duty.mma`?",
        ),
        (
            vec![("when", "\"duty.mma\"")],
            "x.toml:9:9: rule `r`: condition: expected a condition such as `x <= 1`, found a number",
        ),
        (
            vec![("when", "\"duty.mma > (1 > 2)\"")],
            "x.toml:9:20: rule `r`: condition: expected a number, found a condition",
        ),
        (
            vec![("when", "3")],
            "x.toml:9:8: invalid type: integer `3`, expected a string",
        ),
        (
            vec![("message", "\"it is {duty.mmb}\"")],
            "x.toml:10:19: rule `r`: unknown name `duty.mmb` in a placeholder; did you mean `duty.mma`?",
        ),
        (
            vec![("message_zh", "\"{it}\"")],
            "x.toml:11:16: rule `r`: unknown name `it` in a placeholder",
        ),
        (
            vec![("message", "\"{paid}\"")],
            "x.toml:10:13: rule `r`: `paid` in a rule that is not about a pair",
        ),
        (
            vec![("message", "\"50 } x\"")],
            "x.toml:10:15: rule `r`: a `}` without its `{`; write `}}` for a brace",
        ),
        (
            vec![("message", "\"{duty.mma\"")],
            "x.toml:10:12: rule `r`: a `{` without its `}`; write `{{` for a brace",
        ),
        (
            vec![("message", "\"{duty.mma +}\"")],
            "x.toml:10:23: rule `r`: placeholder `duty.mma +`: expected a number, a name, a function or `(`, found the end",
        ),
        (
            vec![("message", "\" \"")],
            "x.toml:10:11: rule `r`: an empty message",
        ),
        (
            vec![("severity", "\"eror\"")],
            "x.toml:8:12: rule `r`: severity: expected one of error, warning, info, found `eror`; did you mean `error`?",
        ),
        (
            vec![("on", "\"lunch\"")],
            "x.toml:7:6: rule `r`: on: expected one of launch, pair, campaign, launch|campaign, found `lunch`; did you mean `launch`?",
        ),
        (
            vec![("id", "\"Bad id\"")],
            "x.toml:6:6: id `Bad id` is not of lower-case letters, digits and `-`",
        ),
        (
            vec![("each", "\"dutty.*\"")],
            "x.toml:12:8: rule `r`: each: no counter of the catalog matches `dutty.*`",
        ),
        (
            vec![("each", "\"duty.mmm\"")],
            "x.toml:12:8: rule `r`: each: no counter of the catalog matches `duty.mmm`; did you mean `duty.mma`?",
        ),
        (
            vec![("each", "\"duty[\"")],
            "x.toml:12:8: rule `r`: each: `duty[` is not a counter name in which `*` stands for any text",
        ),
        (
            vec![("needs", "[\"device.peek\"]")],
            "x.toml:12:11: rule `r`: unknown name `device.peek`; did you mean `device.peak`?",
        ),
        (
            vec![("on", "\"pair\"")],
            "x.toml:9:9: rule `r`: unknown name `duty.mma`; write `a.duty.mma`, `b.duty.mma` or `change.duty.mma`",
        ),
        (
            vec![("when", "\"a.duty.mma > 1\"")],
            "x.toml:9:9: rule `r`: unknown name `a.duty.mma`; only rules with on = \"pair\" have two sides",
        ),
        (
            vec![("on", "\"campaign\"")],
            "x.toml:9:9: rule `r`: unknown name `duty.mma`; a rule with on = \"campaign\" has no report to read counters from",
        ),
        (
            vec![("advice", "\"do\"")],
            "x.toml:5:1: rule `r`: advice and advice_zh: one of the two is missing",
        ),
        (vec![("wen", "\"x\"")], "did you mean `when`?"),
    ] {
        let text = file(&keys);
        let message = refused(&text);
        let short = expected.starts_with("did you");
        assert!(
            if short {
                message.ends_with(expected)
            } else {
                message == expected
            },
            "{keys:?}\n{message}\n{expected}"
        );
    }
}

#[test]
fn what_is_missing_is_said_with_its_rule() {
    let text = file(&[]).replace("severity = \"error\"\n", "");
    assert!(
        refused(&text).contains("missing field `severity`"),
        "{}",
        refused(&text)
    );
    let text = file(&[]).replace("source = \"test\"\n", "");
    assert!(
        refused(&text).starts_with("x.toml:4:1: rule `r`: source:"),
        "{}",
        refused(&text)
    );
    let text = file(&[]).replace("rules/1", "rules/2");
    assert_eq!(
        refused(&text),
        "x.toml:1:10: schema `assay.rules/2` is not `assay.rules/1`"
    );
    assert!(refused("schema = ").starts_with("x.toml:1:"));
    let text = file(&[]).replace("\"audit\"", "\"audits\"");
    assert!(
        refused(&text).starts_with("x.toml:2:8: kind:"),
        "{}",
        refused(&text)
    );
}

#[test]
fn a_rule_that_is_there_twice_is_refused_also_across_files() {
    let one = file(&[]);
    let files = [("a.toml", one.as_str()), ("b.toml", one.as_str())];
    let message = Rules::load(files, Catalog::builtin())
        .map(|_| ())
        .unwrap_err()
        .to_string();
    assert_eq!(
        message,
        "b.toml:6:1: rule `r`: there is a rule of this name already, at a.toml:6"
    );
}

#[test]
fn a_file_with_escape_sequences_is_refused_in_plain_text() {
    let text = file(&[
        ("when", "'duty.\u{202e}mma > 1'"),
        ("message", "\"{\\u001b[2J}\""),
    ]);
    for message in [refused(&text), refused(&text.replace('\u{202e}', ""))] {
        assert!(
            message.chars().all(|c| !c.is_control() && c != '\u{202e}'),
            "{message:?}"
        );
    }
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(
        when in "[a-z.{}()<> 0-9\"|ü]{0,40}",
        message in "[a-z.{}|+*ü中 0-9]{0,40}",
        each in "[a-z.*|ü]{0,20}",
    ) {
        let quoted = |s: &str| toml::Value::from(s).to_string();
        let text = file(&[
            ("when", quoted(&when).as_str()),
            ("message", quoted(&message).as_str()),
            ("each", quoted(&each).as_str()),
        ]);
        if let Err(e) = Rules::load([("x.toml", text.as_str())], Catalog::builtin()) {
            prop_assert!(e.line <= 12 && e.line > 0 && e.column > 0, "{}", e);
        }
    }

    #[test]
    fn no_file_makes_the_reader_panic(text in "\\PC{0,200}") {
        let _ = Rules::load([("x.toml", text.as_str())], Catalog::builtin());
    }
}
