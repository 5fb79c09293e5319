//! A real ledger in Chinese: what the program said into its records reads Chinese on every screen and
//! in the report.

use serde_json::Value;

use crate::support::Lab;

/// Every five words in a row of a sentence of the table that stand in a text.
fn left(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for piece in assay_said::sentences().flat_map(|s| s.split(['{', '}'])) {
        let words: Vec<&str> = piece.split_whitespace().collect();
        for five in words.windows(5) {
            let five = five.join(" ");
            if text.contains(&five) && !out.contains(&five) {
                out.push(five);
            }
        }
    }
    out
}

/// The texts of a picture, one a line.
fn texts(svg: &str) -> String {
    let parts = svg.split('<').filter_map(|part| part.split_once('>'));
    let texts = parts.map(|(_, text)| text.replace('\u{a0}', " "));
    let all: Vec<String> = texts.filter(|t| !t.trim().is_empty()).collect();
    all.join("\n").replace("&lt;", "<").replace("&gt;", ">")
}

/// A campaign in which most things happened that can: a champion, one that is slower, one that is the
/// same, one that is wrong, one that does not build, one that a gate stops, one that nobody ran.
fn campaign() -> Lab {
    let lab = Lab::new();
    lab.champion("one", &[("cost", "80")]);
    for (name, change) in [
        ("slow", ("cost", "95")),
        ("same", ("load", "51")),
        ("wrong", ("error", "5")),
        ("broken", ("bad", "compile")),
        ("large", ("size", "200")),
    ] {
        lab.variant(name, &[("cost", "80"), change]);
        lab.assay(&["run", name]);
    }
    lab.variant("idle", &[("cost", "70")]);
    lab.assay(&["reject", "slow", "--reason", "a test"]).ok();
    lab
}

/// Sentences of records that the program made.
fn made(record: &Value) -> Vec<String> {
    let body = &record["body"];
    let text = |v: &Value| v.as_str().unwrap_or_default().to_owned();
    let mut out = match record["kind"].as_str() {
        Some("verdict") => vec![text(&body["reason"]), text(&body["next"])],
        Some("run" | "build") => vec![text(&body["failure"]["message"])],
        _ => Vec::new(),
    };
    let list = |name: &str| body[name].as_array().cloned().unwrap_or_default();
    out.extend(list("warnings").iter().map(text));
    out.extend(list("gates").iter().map(|g| text(&g["evidence"])));
    out.retain(|t| !t.is_empty());
    out
}

#[test]
fn nothing_that_the_program_said_is_left_in_english() {
    let lab = campaign();
    let mut checked = 0;
    for kind in ["verdict", "run", "build", "check", "decision"] {
        for record in lab.records_of(kind) {
            for text in made(&record) {
                let unsaid = assay_said::unsaid(&text);
                assert!(unsaid.is_empty(), "not in the table: {unsaid:?} of {text}");
                checked += 1;
            }
        }
    }
    assert!(checked > 20, "{checked} sentences");
    for keys in [
        "",
        "enter",
        "j enter",
        "j j enter",
        "j j j enter",
        "j j j j enter",
        "j j j j j enter",
        "j c",
        "j j c",
        "j j j c",
        "5",
        "6",
        "6 j e",
        "7",
        "4",
        "j a",
        "j j a",
        "j j j j j a",
        "j j j j j j a",
    ] {
        let svg = lab
            .assay(&["screen", keys, "--lang", "zh", "--size", "150x110"])
            .ok();
        let screen = texts(&svg);
        let left = left(&screen);
        assert!(left.is_empty(), "{keys}: {left:?} in\n{screen}");
    }
    let verdict = lab
        .assay(&["screen", "enter", "--lang", "zh", "--size", "150x110"])
        .ok();
    assert!(texts(&verdict).contains("增益超过"), "{verdict}");
    let report = lab
        .assay(&["report", "--lang", "zh"])
        .ok()
        .replace('\\', "");
    let left = left(&report);
    assert!(left.is_empty(), "{left:?} in\n{report}");
}
