//! What records say in English, in the language of the report.
//!
//! The sentences of the judge, of gates and of summaries are stored as they were written. The report
//! in Chinese says them by the table below; a sentence that is not in it stands as it is. A quotation
//! of a published document carries its translation behind it: each language shows its own.

mod phrases;
mod warnings;

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

use crate::doc::Line;
use crate::figure::NONE;
use crate::strings::Lang;
use phrases::PHRASES;
use warnings::{SUBJECTS, WARNINGS};

/// A sentence with places for what differs, in both languages.
struct Phrase {
    english: Regex,
    /// Words before the first place, by which most phrases are ruled out.
    begins: &'static str,
    /// Whether each place is said again by the table.
    again: Vec<bool>,
    chinese: &'static str,
}

static TABLE: LazyLock<Vec<Phrase>> = LazyLock::new(|| table(&[PHRASES, WARNINGS]));

static ABOUT: LazyLock<Vec<Phrase>> = LazyLock::new(|| table(&[SUBJECTS]));

fn table(parts: &[&[(&'static str, &'static str)]]) -> Vec<Phrase> {
    let all = parts.iter().copied().flatten();
    all.filter_map(|(english, chinese)| phrase(english, chinese))
        .collect()
}

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
        Lang::Zh => match in_chinese(&TABLE, &text, DEEP) {
            Some(chinese) => chinese.into(),
            None => text,
        },
    }
}

/// What a finding is about, in the language of the report.
pub(crate) fn about(lang: Lang, subject: &str) -> Cow<'_, str> {
    let chinese = match lang {
        Lang::En => None,
        Lang::Zh => in_chinese(&ABOUT, subject, DEEP),
    };
    chinese.map_or_else(|| subject.into(), Cow::Owned)
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

fn in_chinese(table: &[Phrase], text: &str, depth: usize) -> Option<String> {
    if depth == 0 || !text.bytes().any(|b| b.is_ascii_alphabetic()) {
        return None;
    }
    table.iter().find_map(|p| {
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
            let said = again.then(|| in_chinese(table, value, depth - 1)).flatten();
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
        let all = || PHRASES.iter().chain(WARNINGS).chain(SUBJECTS);
        let read = TABLE.iter().chain(ABOUT.iter());
        assert_eq!(
            read.clone().count(),
            all().count(),
            "a phrase cannot be read"
        );
        for (p, (english, chinese)) in read.zip(all()) {
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
    fn what_stands_beside_a_verdict_has_no_english_left() {
        let english = |t: &str| {
            let known = [
                "assay",
                "calibrate",
                "noise",
                "canary",
                "max",
                "cv",
                "resident",
                "delta",
            ];
            let words = t.split(|c: char| !c.is_ascii_alphabetic());
            let words = words.filter(|w| w.len() > 2 && !known.contains(w));
            words.map(str::to_owned).collect::<Vec<_>>()
        };
        for text in [
            "no A/A calibration of this machine in this mode: its noise floor is not known; `assay calibrate` measures it",
            "a power cap held in 1 of 12 stretches between readings: it came or went during the measurement",
            "a power cap held in 1 of 12 stretches between readings: it came or went during the measurement (in 12 of 12 processes)",
            "a power cap came or went: it came between the reading before the first block and the next one",
            "the clocks differ by 1.5 % over 4 processes (1740 to 1766 MHz), more than 1 %: lock them, or let the device reach its steady state before it is measured",
            "a thermal slowdown by the driver in one of 3 blocks between two readings; mode resident tells which",
            "dropped block 0 of process 1: void: the clocks of its legs differ by 1.5 % (1740 to 1766 MHz)",
            "dropped block 0 of process 1 (workload w): legs of A and B are not mirrored: drift is not cancelled",
            "dropped process 3 (workload w): 1 of 6 blocks are complete, 2 needed",
            "noisy: the log-ratio varies by 7.1 % from process to process, more than [noise] max_cv = 5.0 %; measure again on a quieter machine",
            "whether this evaluator notices a broken or slowed kernel is not known: canary x was never run, canary y was never run; `assay canary` tries it",
            "workload w takes 1.100 x (1.050 to 1.150): proven slower than the guard 2 % allows; consider a dispatch split",
            "workload w did not enter: all its 6 blocks were measured and voided; the first: void: the clocks in it differ by 1.1 % (1400 to 1415 MHz)",
            "wrong result on w and 1 more: 3",
            "some task waited for a processor for 33 % of the time: other work, or more threads than processors (in 12 of 12 processes)",
        ] {
            let chinese = own_language(Lang::Zh, text);
            let left = english(&chinese);
            let left: Vec<_> = left.iter().filter(|w| *w != "MHz").collect();
            assert!(left.is_empty(), "{left:?} in {chinese}");
        }
        let chinese = about(
            Lang::Zh,
            "a against b on w: k, launch 1 (and 2 more launches)",
        );
        assert_eq!(
            chinese,
            "a 对照 b，工作负载 w：k, launch 1（另有 2 次启动）"
        );
        assert_eq!(about(Lang::Zh, "a"), "a");
        assert_eq!(about(Lang::En, "a against b"), "a against b");
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
