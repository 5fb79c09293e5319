//! Texts that carry what they say in the other language behind them.
//!
//! Two forms. A quotation is in the language of its document, and its translation stands behind it:
//! `原文 [place] (translation: English)`. A text of this project is English, and what it says in
//! Chinese stands behind it: `English (in Chinese: 中文)`.

use std::borrow::Cow;

const TRANSLATION: &str = " (translation: ";
const IN_CHINESE: &str = " (in Chinese: ";

/// What a reader of Chinese is shown: of a quotation the original alone.
pub(crate) fn in_chinese(text: &str) -> Cow<'_, str> {
    if let Some([_, chinese, after]) = cut(text, IN_CHINESE) {
        return joined(chinese, after);
    }
    match cut(text, TRANSLATION) {
        Some([before, _, after]) => joined(before, after),
        None => text.into(),
    }
}

/// What a reader of English is shown: of a quotation the translation, and the original behind it.
pub(crate) fn in_english(text: &str) -> Cow<'_, str> {
    if let Some([before, _, after]) = cut(text, IN_CHINESE) {
        return joined(before, after);
    }
    let Some([before, translation, after]) = cut(text, TRANSLATION) else {
        return text.into();
    };
    match before.strip_suffix(']').and_then(|b| b.rsplit_once(" [")) {
        Some((original, place)) => {
            format!("{translation} [{place}] (original: {original}){after}").into()
        }
        None => format!("{translation} (original: {before}){after}").into(),
    }
}

fn joined<'t>(text: &'t str, after: &str) -> Cow<'t, str> {
    match after {
        "" => text.into(),
        after => format!("{text}{after}").into(),
    }
}

/// What stands before the mark, in its brackets and behind them; nothing where they do not close.
fn cut<'t>(text: &'t str, mark: &str) -> Option<[&'t str; 3]> {
    let (before, rest) = text.split_once(mark)?;
    let mut open = 1;
    for (at, c) in rest.char_indices() {
        match c {
            '(' => open += 1,
            ')' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return Some([before, &rest[..at], &rest[at + 1..]]);
        }
    }
    // A bracket within that is never closed: what ends the text closes.
    Some([before, rest.strip_suffix(')')?, ""])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quotation_is_shown_in_the_language_of_the_reader() {
        let text = "很快 [review 2] (translation: Fast.)";
        assert_eq!(in_chinese(text), "很快 [review 2]");
        assert_eq!(in_english(text), "Fast. [review 2] (original: 很快)");
        let bare = "很快 (translation: Fast (very).)";
        assert_eq!(in_english(bare), "Fast (very). (original: 很快)");
        for open in ["很快 (translation: Fast", "很快"] {
            assert_eq!(in_chinese(open), open);
            assert_eq!(in_english(open), open);
        }
    }

    #[test]
    fn a_text_of_the_project_is_shown_in_the_language_of_the_reader() {
        let text = "The knobs (all of them) (in Chinese: 参数（全部）) (table knobs.csv)";
        assert_eq!(in_chinese(text), "参数（全部） (table knobs.csv)");
        assert_eq!(
            in_english(text),
            "The knobs (all of them) (table knobs.csv)"
        );
        let odd = "A text (in Chinese: 文本 :( 完)";
        assert_eq!(in_chinese(odd), "文本 :( 完");
        assert_eq!(in_english(odd), "A text");
    }
}
