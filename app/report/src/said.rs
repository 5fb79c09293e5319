//! What records say in English, in the language of the report.
//!
//! The sentences of the judge, of gates and of summaries are stored as they were written. The report
//! in Chinese says them by the table below; a sentence that is not in it stands as it is. A quotation
//! of a published document carries its translation behind it: each language shows its own.

mod phrases;

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

use crate::doc::Line;
use crate::figure::NONE;
use crate::strings::Lang;
use phrases::PHRASES;

/// A sentence with places for what differs, in both languages.
struct Phrase {
    english: Regex,
    /// Words before the first place, by which most phrases are ruled out.
    begins: &'static str,
    /// Whether each place is said again by the table.
    again: Vec<bool>,
    chinese: &'static str,
}

static TABLE: LazyLock<Vec<Phrase>> = LazyLock::new(|| {
    let read = |(english, chinese): &(&'static str, &'static str)| phrase(english, chinese);
    PHRASES.iter().filter_map(read).collect()
});

/// Places are `{}`, or `{*}` where what stands there is a sentence again.
fn phrase(english: &'static str, chinese: &'static str) -> Option<Phrase> {
    let mut pattern = String::from("^");
    let mut again = Vec::new();
    let mut rest = english;
    let begins = english.split('{').next().unwrap_or_default();
    while let Some(open) = rest.find('{') {
        pattern.push_str(&regex::escape(&rest[..open]));
        pattern.push_str("(.+?)");
        again.push(rest[open..].starts_with("{*}"));
        rest = &rest[open + rest[open..].find('}')? + 1..];
    }
    pattern.push_str(&regex::escape(rest));
    pattern.push('$');
    Some(Phrase {
        english: Regex::new(&pattern).ok()?,
        begins,
        again,
        chinese,
    })
}

/// Sentences within sentences.
const DEEP: usize = 4;

/// A text of a record in the language of the report, as a part of a line.
pub(crate) fn said(lang: Lang, text: &str) -> Line {
    match text.trim() {
        "" => NONE.into(),
        text => Line::outside(own_language(lang, text)),
    }
}

/// The same as plain text.
pub(crate) fn own_language(lang: Lang, text: &str) -> Cow<'_, str> {
    let text = quoted(lang, text);
    match lang {
        Lang::En => text,
        Lang::Zh => match in_chinese(&text, DEEP) {
            Some(chinese) => chinese.into(),
            None => text,
        },
    }
}

/// A quotation without the translation that is not for this reader: in English what was translated
/// stands behind, in Chinese the original alone.
fn quoted(lang: Lang, text: &str) -> Cow<'_, str> {
    let Some((before, translation)) = text.split_once(" (translation: ") else {
        return text.into();
    };
    let Some(translation) = translation.strip_suffix(')') else {
        return text.into();
    };
    match (
        lang,
        before.strip_suffix(']').and_then(|b| b.rsplit_once(" [")),
    ) {
        (Lang::Zh, _) => before.into(),
        (Lang::En, Some((original, place))) => {
            format!("{translation} [{place}] (original: {original})").into()
        }
        (Lang::En, None) => format!("{translation} (original: {before})").into(),
    }
}

fn in_chinese(text: &str, depth: usize) -> Option<String> {
    if depth == 0 || !text.bytes().any(|b| b.is_ascii_alphabetic()) {
        return None;
    }
    TABLE.iter().find_map(|p| {
        let found = text
            .starts_with(p.begins)
            .then(|| p.english.captures(text))??;
        let mut out = String::new();
        let mut rest = p.chinese;
        while let Some(open) = rest.find('{') {
            out.push_str(&rest[..open]);
            let close = open + rest[open..].find('}')?;
            let n: usize = rest[open + 1..close].parse().ok()?;
            let value = found.get(n + 1)?.as_str();
            let again = p.again.get(n).is_some_and(|a| *a);
            let said = again.then(|| in_chinese(value, depth - 1)).flatten();
            out.push_str(said.as_deref().unwrap_or(value));
            rest = &rest[close + 1..];
        }
        out.push_str(rest);
        Some(out)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_phrase_has_the_same_places_in_both_languages() {
        assert_eq!(TABLE.len(), PHRASES.len(), "a phrase cannot be read");
        for (p, (english, chinese)) in TABLE.iter().zip(PHRASES) {
            for n in 0..p.again.len() {
                assert!(
                    chinese.contains(&format!("{{{n}}}")),
                    "{english}: {chinese}"
                );
            }
            let more = format!("{{{}}}", p.again.len());
            assert!(!chinese.contains(&more), "{english}: {chinese}");
        }
    }

    #[test]
    fn sentences_of_the_judge_are_said_in_chinese() {
        let said = |t| own_language(Lang::Zh, t).into_owned();
        assert_eq!(
            said(
                "b takes 0.241 x the time of a (99.95 % interval 0.092 to 0.631, 4 processes); the gain exceeds delta 1 %"
            ),
            "b 的耗时为 a 的 0.241 倍（99.95 % 区间 0.092 至 0.631，4 个进程）；增益超过 delta 1 %"
        );
        assert_eq!(
            said(
                "FASTER: b takes 0.241 x the time of a (99.95 % interval 0.092 to 0.631, 4 processes); the gain exceeds delta 1 %"
            ),
            "FASTER：b 的耗时为 a 的 0.241 倍（99.95 % 区间 0.092 至 0.631，4 个进程）；增益超过 delta 1 %"
        );
        // What is not in the table stands as it is.
        assert_eq!(said("my own words"), "my own words");
        assert_eq!(
            own_language(Lang::En, "the slowdown is proven"),
            "the slowdown is proven"
        );
    }

    #[test]
    fn a_quotation_is_shown_in_the_language_of_the_reader() {
        let text = "很快 [review 2] (translation: Fast.)";
        assert_eq!(own_language(Lang::Zh, text), "很快 [review 2]");
        assert_eq!(
            own_language(Lang::En, text),
            "Fast. [review 2] (original: 很快)"
        );
        let open = "很快 (translation: Fast";
        assert_eq!(own_language(Lang::Zh, open), open);
        let summary = "accept by person: 很快 [review 2] (translation: Fast.)";
        assert_eq!(
            own_language(Lang::Zh, summary),
            "接受（由人决定）：很快 [review 2]"
        );
    }
}
