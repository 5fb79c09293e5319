//! What records say in English, in the language of the report.

use std::borrow::Cow;

use crate::doc::Line;
use crate::figure::NONE;
use crate::strings::Lang;

/// A text of a record in the language of the report, as a part of a line.
pub(crate) fn said(lang: Lang, text: &str) -> Line {
    match text.trim() {
        "" => NONE.into(),
        text => Line::lines(&own_language(lang, text)),
    }
}

/// A text that its maker has in both languages, or in English only.
pub(crate) fn said_of(lang: Lang, english: &str, chinese: &str) -> Line {
    match (lang, chinese.trim()) {
        (Lang::En, _) | (_, "") => said(lang, english),
        (Lang::Zh, chinese) => Line::lines(chinese),
    }
}

/// The same as plain text.
pub(crate) fn own_language(lang: Lang, text: &str) -> Cow<'_, str> {
    match lang {
        Lang::En => assay_said::english(text),
        Lang::Zh => assay_said::chinese(text),
    }
}

/// What a figure of an audit is, in the language of the report.
pub(crate) fn figure_name(lang: Lang, figure: &str) -> Cow<'_, str> {
    match lang {
        Lang::En => figure.into(),
        Lang::Zh => assay_said::chinese_figure(figure),
    }
}

/// What a finding is about, in the language of the report.
pub(crate) fn about(lang: Lang, subject: &str) -> Cow<'_, str> {
    match lang {
        Lang::En => subject.into(),
        Lang::Zh => assay_said::chinese_subject(subject),
    }
}
