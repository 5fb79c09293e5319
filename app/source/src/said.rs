//! Sentences about sources, in every language from one table.
//!
//! A sentence is a [`Key`] with what fills its places. [`TABLE`](Key::texts) has each key in both
//! languages: a missing text does not compile. What facts and counters are called stands in
//! [`crate::attribution::LINKS`] and [`TOPICS`].

mod keys;
mod topics;

use std::borrow::Cow;

use assay_core::view::{
    DiffView, FileDiff, HunkNote, Said, SaidList, SaidStep, SaidValue, SourceStatement,
};

use crate::attribution::{LINKS, number};

pub use keys::Key;
pub use topics::{TOPICS, Topic};

/// A language that sentences are said in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// Simplified Chinese.
    Zh,
}

/// What stands between the values of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Join {
    /// `, `
    Comma,
    /// ` and `
    And,
    /// `; `
    Semicolon,
}

impl Join {
    const ALL: [Self; 3] = [Self::Comma, Self::And, Self::Semicolon];

    fn name(self) -> &'static str {
        match self {
            Self::Comma => "comma",
            Self::And => "and",
            Self::Semicolon => "semicolon",
        }
    }

    fn text(self, lang: Lang) -> &'static str {
        match (self, lang) {
            (Self::Comma, Lang::En) => ", ",
            (Self::Comma, Lang::Zh) => "、",
            (Self::And, Lang::En) => " and ",
            (Self::And, Lang::Zh) => " 和 ",
            (Self::Semicolon, Lang::En) => "; ",
            (Self::Semicolon, Lang::Zh) => "；",
        }
    }
}

/// A sentence from its key and what fills its places.
pub fn say(key: Key, values: impl IntoIterator<Item = SaidValue>) -> Said {
    Said {
        key: key.name().to_owned(),
        values: values.into_iter().collect(),
    }
}

/// A part of a sentence.
pub fn part(key: Key, values: impl IntoIterator<Item = SaidValue>) -> SaidValue {
    SaidValue::Said(say(key, values))
}

/// A name or a number, the same in every language.
pub fn plain(text: impl Into<String>) -> SaidValue {
    SaidValue::Text(text.into())
}

/// Values one after the other.
pub fn list(by: Join, items: Vec<SaidValue>) -> SaidValue {
    SaidValue::List(SaidList {
        by: by.name().to_owned(),
        items,
    })
}

/// A figure of both sides.
pub fn step(a: Option<f64>, b: Option<f64>, unit: &str) -> SaidValue {
    SaidValue::Step(SaidStep {
        a,
        b,
        unit: unit.to_owned(),
    })
}

/// A statement in a language; English where it has no key.
pub fn statement(lang: Lang, s: &SourceStatement) -> String {
    let said = s.said.as_ref().and_then(|said| text(lang, said));
    said.unwrap_or_else(|| s.text.clone())
}

/// The remarks of a diff in a language; English where one has no key.
pub fn remarks(lang: Lang, view: &DiffView) -> Vec<String> {
    let all = view.remarks.iter().map(|s| text(lang, s));
    match all.collect::<Option<Vec<_>>>() {
        Some(all) if all.len() == view.warnings.len() => all,
        _ => view.warnings.clone(),
    }
}

/// The notices of a file in a language; English where one has no key.
pub fn notices(lang: Lang, file: &FileDiff) -> Vec<String> {
    let all = file.notices.iter().map(|s| text(lang, s));
    match all.collect::<Option<Vec<_>>>() {
        Some(all) if !all.is_empty() || file.notice.is_empty() => all,
        _ => vec![file.notice.clone()],
    }
}

/// A kind of change by its name in views, as a value of a sentence.
pub fn change(name: &str) -> SaidValue {
    match Key::of_name(&format!("change-{name}")) {
        Some(key) => part(key, []),
        None => plain(name),
    }
}

/// Sentences one after the other: each but the last ends as a sentence does.
pub fn sentences(lang: Lang, all: &[String]) -> String {
    let (stop, gap) = match lang {
        Lang::En => (".", " "),
        Lang::Zh => ("。", ""),
    };
    let mut out = String::new();
    for s in all {
        if !out.is_empty() {
            let ends = out.ends_with(['.', '!', '?', '。', '！', '？']);
            out.push_str(if ends { "" } else { stop });
            out.push_str(gap);
        }
        out.push_str(s);
    }
    out
}

/// A word of a table by the name it has in views; the name where the table lacks it.
fn word<'n>(lang: Lang, family: &str, name: &'n str) -> Cow<'n, str> {
    let key = Key::of_name(&format!("{family}-{name}"));
    let said = key.and_then(|k| text(lang, &say(k, [])));
    said.map_or(Cow::Borrowed(name), Cow::Owned)
}

/// The kinds of change in a hunk, in a language.
pub fn changes(lang: Lang, note: &HunkNote) -> String {
    let names = note.changes.iter().map(|c| word(lang, "change", c));
    names.collect::<Vec<_>>().join(Join::Comma.text(lang))
}

/// The name of a pass of normalisation, as a value of a sentence.
pub fn pass(name: &str) -> SaidValue {
    match Key::of_name(&format!("pass-{name}")) {
        Some(key) => part(key, []),
        None => plain(name),
    }
}

/// Puts the sentences of a diff into a language, for whoever shows their text alone.
pub fn localise(lang: Lang, view: &mut DiffView) {
    view.warnings = remarks(lang, view);
    for s in &mut view.statements {
        s.text = statement(lang, s);
    }
    for f in &mut view.files {
        f.notice = sentences(lang, &notices(lang, f));
    }
}

/// A sentence in a language; `None` when its key is not known.
pub fn text(lang: Lang, said: &Said) -> Option<String> {
    let texts = Key::of_name(&said.key)?.texts();
    let mut rest = match lang {
        Lang::En => texts.0,
        Lang::Zh => texts.1,
    };
    // Filled from left to right: what fills a place may hold braces itself.
    let mut out = String::new();
    while let Some(at) = rest.find('{') {
        let place = rest
            .get(at + 1..at + 2)
            .and_then(|d| d.parse::<usize>().ok());
        match place.filter(|_| rest.get(at + 2..at + 3) == Some("}")) {
            Some(n) => {
                out.push_str(&rest[..at]);
                if let Some(v) = said.values.get(n) {
                    out.push_str(&value(lang, v)?);
                }
                rest = &rest[at + 3..];
            }
            None => {
                out.push_str(&rest[..=at]);
                rest = &rest[at + 1..];
            }
        }
    }
    out.push_str(rest);
    Some(out)
}

fn value(lang: Lang, v: &SaidValue) -> Option<String> {
    Some(match v {
        SaidValue::Text(t) => t.clone(),
        SaidValue::Said(said) => text(lang, said)?,
        SaidValue::List(l) => {
            let by = Join::ALL.into_iter().find(|j| j.name() == l.by)?;
            let items = l.items.iter().map(|v| value(lang, v));
            items.collect::<Option<Vec<_>>>()?.join(by.text(lang))
        }
        SaidValue::Step(s) => of_step(lang, s),
        SaidValue::Fact(name) => {
            let link = LINKS.iter().find(|l| l.fact == name);
            link.map_or(name.as_str(), |l| l.label(lang)).to_owned()
        }
        SaidValue::Counter(name) => {
            let mut all = LINKS.iter().flat_map(|l| l.counters);
            let found = all.find(|c| c.name == name);
            found.map_or(name.as_str(), |c| c.label(lang)).to_owned()
        }
        SaidValue::Topic(name) => {
            let topic = TOPICS
                .iter()
                .find(|t| t.facts.first() == Some(&name.as_str()));
            topic.map_or(name.as_str(), |t| t.label(lang)).to_owned()
        }
    })
}

/// `32 -> 64 bits`, `not stated -> 1`: what a text does not state is not zero.
fn of_step(lang: Lang, s: &SaidStep) -> String {
    let none = match lang {
        Lang::En => "not stated",
        Lang::Zh => "未注明",
    };
    let unit = match (s.unit.as_str(), lang) {
        ("" | "1", _) => String::new(),
        (unit, Lang::En) => format!(" {unit}"),
        (unit, Lang::Zh) => format!(" {}", chinese_unit(unit)),
    };
    match (s.a, s.b) {
        (Some(a), Some(b)) => format!("{} -> {}{unit}", number(a), number(b)),
        (None, Some(b)) => format!("{none} -> {}{unit}", number(b)),
        (Some(a), None) => format!("{}{unit} -> {none}", number(a)),
        (None, None) => String::new(),
    }
}

fn chinese_unit(unit: &str) -> &str {
    match unit {
        "bytes" => "字节",
        "bits" => "位",
        "threads" => "线程",
        "blocks" => "线程块",
        "registers" => "寄存器",
        "instructions" => "指令",
        unit => unit,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::Change;
    use crate::normalise::Pass;

    #[test]
    fn places_are_filled_from_left_to_right() {
        let said = say(Key::KernelRenamed, [plain("{1}"), plain("b")]);
        let all = [Lang::En, Lang::Zh].map(|l| text(l, &said).unwrap());
        assert_eq!(all, ["kernel `{1}` is `b` now", "内核 `{1}` 现名为 `b`"]);
        let unknown = Said {
            key: "of-a-later-version".into(),
            values: Vec::new(),
        };
        assert_eq!(text(Lang::Zh, &unknown), None);
        let file = FileDiff {
            notice: "as it is".into(),
            notices: vec![unknown],
            ..FileDiff::default()
        };
        assert_eq!(notices(Lang::Zh, &file), ["as it is"]);
    }

    #[test]
    fn both_languages_fill_the_same_places_and_names_are_unique() {
        for key in Key::ALL {
            let (en, zh) = key.texts();
            for place in ["{0}", "{1}", "{2}", "{3}"] {
                assert_eq!(en.contains(place), zh.contains(place), "{en}: {place}");
            }
            assert_eq!(Key::of_name(key.name()), Some(*key));
        }
    }

    #[test]
    fn kinds_of_change_and_passes_have_names_in_both_languages() {
        let changes_of = |lang, name: &str| {
            let note = HunkNote {
                changes: vec![name.to_owned(), "of-a-later-version".into()],
                ..HunkNote::default()
            };
            changes(lang, &note)
        };
        for c in Change::ALL.iter().map(|c| c.name()) {
            let en = format!("{c}, of-a-later-version");
            assert_eq!(changes_of(Lang::En, c), en);
            let zh = changes_of(Lang::Zh, c);
            assert!(
                !zh.starts_with(c) && zh.ends_with("、of-a-later-version"),
                "{zh}"
            );
        }
        for p in Pass::ALL.iter().map(|p| p.name()) {
            let of = |lang| text(lang, &say(Key::Text, [pass(p)])).unwrap();
            assert_eq!(of(Lang::En), p);
            assert!(!of(Lang::Zh).is_ascii(), "{p}");
        }
        assert_eq!(pass("of-a-later-version"), plain("of-a-later-version"));
    }

    #[test]
    fn sentences_stand_apart() {
        let all = ["the time was spent", "Long lines are cut.", "more"].map(str::to_owned);
        let en = "the time was spent. Long lines are cut. more";
        assert_eq!(sentences(Lang::En, &all), en);
        let all = ["时间已用完", "长行已截断。", "其余"].map(str::to_owned);
        assert_eq!(sentences(Lang::Zh, &all), "时间已用完。长行已截断。其余");
        assert_eq!(sentences(Lang::En, &all[..1]), "时间已用完");
        assert_eq!(sentences(Lang::En, &[]), "");
    }

    #[test]
    fn what_readers_say_is_found_again_by_its_text() {
        let text = "12 functions: only the first 4096 are looked at";
        let said = Key::found(text);
        assert_eq!(said.key, "functions-left-out");
        assert_eq!(super::text(Lang::En, &said).unwrap(), text);
        let other = Key::found("something else {0}");
        assert_eq!(super::text(Lang::Zh, &other).unwrap(), "something else {0}");
    }

    #[test]
    fn facts_and_counters_have_names_in_both_languages() {
        for l in LINKS {
            assert!(!l.label(Lang::Zh).is_ascii(), "{}", l.fact);
            assert!(l.counters.iter().all(|c| !c.label(Lang::Zh).is_ascii()));
        }
        assert!(TOPICS.iter().all(|t| !t.label(Lang::Zh).is_ascii()));
    }
}
