//! The words of a report, both languages side by side in one table.
//!
//! `{0}`, `{1}` … are filled in with lines of the document. A string that one language
//! lacks does not compile.

use assay_core::text;

use crate::doc::{Line, Piece};

/// Language of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// Simplified Chinese.
    Zh,
}

impl Lang {
    /// Both languages.
    pub const ALL: [Self; 2] = [Self::En, Self::Zh];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Zh => "zh",
        }
    }

    /// The language of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|l| l.name() == name)
    }

    /// The language in which sources are spoken of.
    pub(crate) fn of_source(self) -> assay_source::said::Lang {
        match self {
            Self::En => assay_source::said::Lang::En,
            Self::Zh => assay_source::said::Lang::Zh,
        }
    }

    pub(crate) fn strings(self) -> &'static Strings {
        match self {
            Self::En => &EN,
            Self::Zh => &ZH,
        }
    }
}

macro_rules! strings {
    ($($name:ident: $en:literal, $zh:literal;)*) => {
        /// Every string of a report.
        pub(crate) struct Strings { $(pub $name: &'static str,)* }
        pub(super) const EN: Strings = Strings { $($name: $en,)* };
        pub(super) const ZH: Strings = Strings { $($name: $zh,)* };
        #[cfg(test)]
        pub(super) const TABLE: &[(&str, &str, &str)] = &[$((stringify!($name), $en, $zh),)*];
    };
}

// The macro has to come before.
mod table;

pub(crate) use table::Strings;
use table::{EN, ZH};

impl Strings {
    /// The word for a kind of decision; unknown kinds show as they are.
    pub(crate) fn decision_kind(&self, kind: &str) -> Line {
        match kind {
            "accept" => self.accept.into(),
            "reject" => self.reject.into(),
            "park" => self.park.into(),
            "rollback" => self.rollback.into(),
            other => Line::outside(other),
        }
    }

    /// The name of a column of a table that was filed: names that this project gave to columns are
    /// words, those that were printed stand as they are.
    pub(crate) fn column(&self, name: &str) -> Line {
        match name {
            "document" => self.c_document.into(),
            "section" => self.c_section.into(),
            "item" => self.key.into(),
            "printed" => self.c_printed.into(),
            "text" => self.c_text.into(),
            "subject" => self.log_subject.into(),
            "workload" => self.workload.into(),
            "version" => self.version.into(),
            "parent" => self.parent.into(),
            "family" => self.family_name.into(),
            "knob" => self.knobs_name.into(),
            "value" => self.value.into(),
            "against" => self.against.into(),
            "quantity" => self.figure.into(),
            "latency" => self.log_time_alone.into(),
            "commit" => self.c_commit.into(),
            "passed" => self.c_passed.into(),
            "group" => self.group.into(),
            "reason" => self.reason.into(),
            other => Line::outside(other),
        }
    }

    /// What became of a kernel that was broken on purpose.
    pub(crate) fn canary_outcome(&self, outcome: &str) -> &'static str {
        match outcome {
            "noticed" => self.canary_noticed,
            "survived" => self.canary_survived,
            "unproven" => self.canary_unproven,
            _ => self.canary_not_run,
        }
    }

    /// Yes, no, or not known.
    pub(crate) fn yes_no(&self, value: Option<bool>) -> &'static str {
        match value {
            Some(true) => self.yes,
            Some(false) => self.no,
            None => self.unknown,
        }
    }
}

/// Fills the numbered places of a template, in one pass: a value cannot bring in new places.
pub(crate) fn fill(template: &'static str, values: &[Line]) -> Line {
    let mut out = Line::default();
    let own = |words: &'static str, out: &mut Line| {
        if !words.is_empty() {
            out.0.push(Piece::Own(words.into()));
        }
    };
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        own(&rest[..open], &mut out);
        let tail = &rest[open + 1..];
        let place = tail.find('}').map(|close| (close, &tail[..close]));
        match place.and_then(|(close, n)| Some((close, values.get(n.parse::<usize>().ok()?)?))) {
            Some((close, value)) => {
                out.0.extend(value.0.iter().cloned());
                rest = &tail[close + 1..];
            }
            None => {
                own("{", &mut out);
                rest = tail;
            }
        }
    }
    own(rest, &mut out);
    out
}

/// Names as a list, at most `limit` of them.
pub(crate) fn names<'a>(all: impl IntoIterator<Item = &'a str>, limit: usize) -> Line {
    let all: Vec<&str> = all.into_iter().collect();
    let mut out: Vec<Line> = all
        .iter()
        .take(limit)
        .map(|n| Line::outside(text::truncate(n, 80)))
        .collect();
    if all.len() > limit {
        out.push(Line::own(format!("… (+{})", all.len() - limit)));
    }
    Line::join(out, ", ")
}

#[cfg(test)]
mod tests {
    use super::table::TABLE;
    use super::*;

    fn places(text: &str) -> Vec<String> {
        let mut found: Vec<String> = (0..9)
            .map(|n| format!("{{{n}}}"))
            .filter(|p| text.contains(p))
            .collect();
        found.sort();
        found
    }

    #[test]
    fn both_languages_fill_the_same_places() {
        for (name, en, zh) in TABLE {
            assert_eq!(places(en), places(zh), "{name}");
            assert!(!en.is_empty() && !zh.is_empty(), "{name}");
        }
    }

    #[test]
    fn a_value_cannot_bring_in_places() {
        let values = [Line::outside("{1}"), Line::own("b")];
        let filled = fill("{0} {1} {x} {", &values);
        assert_eq!(filled.plain(), "{1} b {x} {");
    }
}
