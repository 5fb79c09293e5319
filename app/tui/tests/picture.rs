//! Pictures of screens: wide characters keep their columns, nothing breaks the markup.

#![allow(clippy::unwrap_used)]

mod support;

use assay_tui::options::{Lang, Options};
use assay_tui::picture;
use support::Fake;

fn drawn(lang: Lang, keys: &str) -> String {
    let options = Options {
        lang,
        ..Options::default()
    };
    picture(&Fake::new(), options, (100, 30), keys).unwrap()
}

#[test]
fn a_screen_becomes_a_picture() {
    let svg = drawn(Lang::En, "j d");
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    assert!(
        svg.contains("3\u{a0}Src") || svg.contains("3\u{a0}Source"),
        "{svg}"
    );
    // Markup of the source is text here.
    assert!(!svg.contains("#include <") && svg.contains("TILE"));
    assert_eq!(svg, drawn(Lang::En, "j d"), "the same each time");
    assert!(picture(&Fake::new(), Options::default(), (80, 24), "no-such-key").is_err());
}

#[test]
fn wide_characters_take_two_columns() {
    let svg = drawn(Lang::Zh, "");
    let line = svg.lines().find(|l| l.contains(">变体<")).unwrap();
    assert!(
        line.contains("textLength=\"33.6\""),
        "four columns of 8.4 px: {line}"
    );
    for line in svg.lines().filter(|l| l.starts_with("<text")) {
        let text = &line[line.find('>').unwrap() + 1..line.rfind("</text>").unwrap()];
        let wide = text
            .chars()
            .filter(|c| assay_core::text::width(&c.to_string()) > 1)
            .count();
        assert!(wide == 0 || wide == text.chars().count(), "{line}");
    }
}
