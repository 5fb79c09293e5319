//! A check that text is well-formed enough: tags close in order, attributes are quoted, and
//! every ampersand begins an entity.

/// Elements of HTML that have no end.
const VOID: [&str; 3] = ["meta", "link", "br"];

/// The element names in order of their starts.
pub fn elements(text: &str) -> Vec<String> {
    let mut open: Vec<String> = Vec::new();
    let mut seen = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        check_text(&rest[..at]);
        let tail = &rest[at..];
        if let Some(raw) = tail.strip_prefix("<style>") {
            let end = raw.find("</style>").expect("style ends");
            assert!(!raw[..end].contains('<'), "markup in a style");
            rest = &raw[end + "</style>".len()..];
            continue;
        }
        let end = tag_end(tail);
        let tag = &tail[1..end];
        rest = &tail[end + 1..];
        if tag.starts_with("!DOCTYPE") {
            continue;
        }
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(
                open.pop().as_deref(),
                Some(name),
                "closes the wrong element"
            );
            continue;
        }
        let body = tag.strip_suffix('/').unwrap_or(tag);
        let name = body.split_whitespace().next().expect("a name").to_owned();
        assert!(
            name.chars().all(|c| c.is_ascii_alphanumeric()),
            "element {name:?}"
        );
        check_attributes(&body[name.len()..]);
        if body == tag && !VOID.contains(&name.as_str()) {
            open.push(name.clone());
        }
        seen.push(name);
    }
    check_text(rest);
    assert!(open.is_empty(), "left open: {open:?}");
    seen
}

fn tag_end(tail: &str) -> usize {
    let mut quoted = false;
    for (i, c) in tail.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '>' if !quoted => return i,
            _ => {}
        }
    }
    panic!("a tag does not end: {}", &tail[..tail.len().min(80)]);
}

fn check_attributes(text: &str) {
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (name, tail) = rest.split_once("=\"").expect("a quoted attribute");
        assert!(
            name.chars()
                .all(|c| c.is_ascii_lowercase() || c == '-' || c == ':')
                || name == "viewBox"
                || name == "x1",
            "attribute {name:?}"
        );
        assert!(!name.starts_with("on"), "a handler: {name}");
        let (value, tail) = tail.split_once('"').expect("a closing quote");
        assert!(!value.contains('<'));
        check_text(value);
        rest = tail.trim_start();
    }
}

fn check_text(text: &str) {
    for (i, _) in text.match_indices('&') {
        let entity = text[i + 1..].split(';').next().unwrap_or("");
        assert!(
            ["amp", "lt", "gt", "quot", "#39"].contains(&entity),
            "a bare ampersand before {entity:?}"
        );
    }
    assert!(
        text.chars()
            .all(|c| !c.is_control() || c == '\n' || c == '\t')
    );
    let is_turning = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    assert!(!text.contains(is_turning));
}

/// That no number in the text is none.
pub fn has_no_impossible_number(text: &str) {
    for word in text.split(|c: char| !c.is_ascii_alphanumeric()) {
        assert!(
            !matches!(word, "NaN" | "nan" | "inf" | "infinity"),
            "{word}"
        );
    }
}
