//! A sentence against the table: fixed words in order, with places between them.
//!
//! Places in English are `{}` for a name or a figure, `{w}` for one word, `{#}` for a number, `{id}` for
//! that of a record, `{stage}`, `{verdict}` and `{failure}` for one of these words, `{*}` for what is a
//! sentence again, and `{"}` for words of a person or of another program, which are said where the
//! table has them. Chinese has the places by their number: `{0}`.

use std::collections::BTreeMap;

use crate::carried;

/// A sentence in English and in Chinese.
pub(crate) type Phrase = (&'static str, &'static str);

/// Sentences within sentences.
const DEEP: usize = 6;

/// Bytes of the longest text that is looked at: no sentence of the program is nearly as long.
const LONG: usize = 8 << 10;

/// A sentence in Chinese.
#[derive(Debug, Default)]
pub(crate) struct Said {
    /// The text.
    pub text: String,
    /// Parts of it that should be sentences and are not in the table.
    pub unsaid: Vec<String>,
}

/// The phrases in the order in which they are tried.
///
/// What begins with fixed words says more of a sentence than what begins with a place, and is found by
/// its first letter.
#[derive(Debug)]
pub(crate) struct Table {
    behind: &'static [Phrase],
    fixed: BTreeMap<u8, Vec<Phrase>>,
    /// Those that begin with a place, with the words behind their last one.
    open: Vec<(Phrase, &'static str)>,
}

impl Table {
    /// Of the phrases in `parts`, and those that are tried before them.
    pub fn new(behind: &'static [Phrase], parts: &[&[Phrase]]) -> Self {
        let mut table = Self {
            behind,
            fixed: BTreeMap::new(),
            open: Vec::new(),
        };
        for phrase in parts.iter().copied().flatten() {
            match phrase.0.bytes().next() {
                None => {}
                Some(b'{') => {
                    let end = phrase.0.rsplit_once('}').map_or("", |(_, end)| end);
                    table.open.push((*phrase, end));
                }
                Some(first) => table.fixed.entry(first).or_default().push(*phrase),
            }
        }
        table
    }

    /// The sentence by the first phrase that fits it; of several in a row each by its own. Nothing
    /// where the table has none of them.
    pub fn say(&self, text: &str) -> Option<Said> {
        match text.len() > LONG {
            true => None,
            false => self.within(text, DEEP),
        }
    }

    fn within(&self, text: &str, depth: usize) -> Option<Said> {
        if depth == 0 || !has_words(text) {
            return None;
        }
        let fit = |(english, chinese): &Phrase| {
            let found = places(english, text)?;
            Some(self.filled(chinese, &found, depth))
        };
        let fixed = self
            .fixed
            .get(text.as_bytes().first()?)
            .into_iter()
            .flatten();
        let found = self.behind.iter().chain(fixed).find_map(fit);
        // What carries its own Chinese is no sentence of the table, however its words may fall.
        if found.is_some() || carried::in_chinese(text) != text {
            return found;
        }
        let open = self.open.iter().filter(|(_, end)| text.ends_with(end));
        let one = open.map(|(phrase, _)| phrase).find_map(fit);
        one.or_else(|| self.in_a_row(text, depth - 1))
    }

    /// Sentences with semicolons between them, where the table has at least one.
    fn in_a_row(&self, text: &str, depth: usize) -> Option<Said> {
        let mut said = Said::default();
        let parts = text.split("; ");
        let known = text.contains("; ") && parts.clone().any(|p| self.within(p, depth).is_some());
        for (i, part) in parts.enumerate().filter(|_| known) {
            said.text.push_str(if i > 0 { "；" } else { "" });
            self.add(&mut said, part, depth);
        }
        known.then_some(said)
    }

    /// The Chinese of a phrase with what was found in its places.
    fn filled(&self, chinese: &str, found: &[(Place, &str)], depth: usize) -> Said {
        let mut said = Said::default();
        let mut rest = chinese;
        while let Some((before, behind)) = rest.split_once('{') {
            said.text.push_str(before);
            let Some((number, after)) = behind.split_once('}') else {
                break;
            };
            let place = number.parse().ok().and_then(|n: usize| found.get(n));
            match place {
                Some((Place::Sentence, value)) => self.add(&mut said, value, depth - 1),
                Some((Place::Words, value)) => {
                    let known = said.unsaid.len();
                    self.add(&mut said, value, depth - 1);
                    said.unsaid.truncate(known);
                }
                Some((_, value)) => said.text.push_str(value),
                None => {}
            }
            rest = after;
        }
        said.text.push_str(rest);
        said
    }

    /// A part that is a sentence of its own.
    fn add(&self, said: &mut Said, part: &str, depth: usize) {
        if let Some(inner) = self.within(part, depth) {
            said.text.push_str(&inner.text);
            said.unsaid.extend(inner.unsaid);
            return;
        }
        let shown = carried::in_chinese(part);
        if shown == part && has_words(part) {
            said.unsaid.push(part.to_owned());
        }
        said.text.push_str(&shown);
    }
}

fn has_words(text: &str) -> bool {
    text.bytes().any(|b| b.is_ascii_alphabetic())
}

/// What stands in a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Name,
    Sentence,
    Words,
    Number,
    Word,
    Id,
    OneOf(&'static [&'static str]),
}

/// Words of the program that a place takes, one or several with commas between.
const STAGES: &[&str] = &["build", "source", "check", "bench", "profile"];
const VERDICTS: &[&str] = &[
    "FASTER",
    "SLOWER",
    "SAME",
    "NO_GAIN",
    "UNDECIDED",
    "INVALID",
];
const FAILURES: &[&str] = &[
    "timeout",
    "compile",
    "launch",
    "runtime",
    "correctness",
    "constraint",
    "lowering_lost",
    "noisy",
    "exploit_suspected",
    "infra",
    "cancelled",
];

impl Place {
    fn of(mark: &str) -> Self {
        match mark {
            "*" => Self::Sentence,
            "\"" => Self::Words,
            "#" => Self::Number,
            "w" => Self::Word,
            "id" => Self::Id,
            "stage" => Self::OneOf(STAGES),
            "verdict" => Self::OneOf(VERDICTS),
            "failure" => Self::OneOf(FAILURES),
            _ => Self::Name,
        }
    }

    /// Whether this may stand in the place.
    fn takes(self, value: &str) -> bool {
        match self {
            Self::Number => is_number(value),
            Self::Word => !value.is_empty() && !value.contains(char::is_whitespace),
            Self::Id => value.len() == 26 && value.bytes().all(|b| b.is_ascii_alphanumeric()),
            Self::OneOf(words) => value.split(", ").all(|word| words.contains(&word)),
            Self::Name | Self::Sentence | Self::Words => !value.is_empty(),
        }
    }
}

/// A number with its sign, digits, separators and exponent, and a percent sign behind it.
fn is_number(text: &str) -> bool {
    let digits = text.strip_suffix(" %").or(text.strip_suffix('%'));
    let digits = digits.unwrap_or(text);
    digits.bytes().any(|b| b.is_ascii_digit())
        && (digits.bytes()).all(|b| b.is_ascii_digit() || b".,+-e".contains(&b))
}

/// What stands in the places of a phrase; nothing where the text is another sentence.
///
/// A place takes as little as lets the words behind it follow; the last one takes the rest. With the
/// earliest find of every piece the rest is the longest, so that nothing has to be tried again but
/// places that take certain words only, which take the first find that leaves such words before it.
fn places<'t>(english: &str, text: &'t str) -> Option<Vec<(Place, &'t str)>> {
    let (head, mut pattern) = english.split_once('{').unwrap_or((english, ""));
    let mut rest = text.strip_prefix(head)?;
    if head.len() == english.len() {
        return rest.is_empty().then(Vec::new);
    }
    let mut out = Vec::new();
    loop {
        let (mark, behind) = pattern.split_once('}')?;
        let place = Place::of(mark);
        let (words, next) = behind.split_once('{').unwrap_or((behind, ""));
        let is_last = words.len() == behind.len();
        let at = match (is_last, words) {
            (true, words) => rest.strip_suffix(words)?.len(),
            (false, "") => return None,
            (false, words) => {
                let mut finds = rest.match_indices(words).map(|(at, _)| at);
                finds.find(|at| place.takes(&rest[..*at]))?
            }
        };
        let value = rest.get(..at)?;
        if !place.takes(value) {
            return None;
        }
        out.push((place, value));
        if is_last {
            return Some(out);
        }
        rest = &rest[at + words.len()..];
        pattern = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PHRASES: &[Phrase] = &[
        ("{} takes {} x: {*}", "{0} 为 {1} 倍：{2}"),
        ("the gain exceeds {}", "增益超过 {0}"),
        ("{#} of {#} pass", "{1} 个中通过 {0} 个"),
        ("new: {\"}", "新建：{0}"),
        ("{*} and more", "{0}等"),
        ("done", "完成"),
        ("failed", "失败"),
    ];

    fn say(text: &str) -> Option<Said> {
        Table::new(&[], &[PHRASES]).say(text)
    }

    fn said(text: &str) -> Option<String> {
        say(text).map(|s| s.text)
    }

    #[test]
    fn places_are_filled_and_sentences_within_are_said() {
        assert_eq!(
            said("b x y takes 0.9 x: the gain exceeds 1 %").as_deref(),
            Some("b x y 为 0.9 倍：增益超过 1 %")
        );
        assert_eq!(said("done").as_deref(), Some("完成"));
        for other in [
            "done!",
            "not done",
            "",
            "12 %",
            "takes 1 x: done",
            "b takes 1 x: ",
        ] {
            assert_eq!(said(other), None, "{other}");
        }
    }

    #[test]
    fn numbers_are_numbers() {
        assert_eq!(said("3 of 4 pass").as_deref(), Some("4 个中通过 3 个"));
        assert_eq!(
            said("1,024 of 2.5e3 pass").as_deref(),
            Some("2.5e3 个中通过 1,024 个")
        );
        assert_eq!(said("some of 4 pass"), None);
        assert_eq!(said("- of 4 pass"), None);
    }

    #[test]
    fn words_of_a_person_stand_as_they_are() {
        assert_eq!(said("new: my words").as_deref(), Some("新建：my words"));
        assert_eq!(say("new: my words").unwrap().unsaid, [""; 0]);
        // What the program gave them to say is said.
        assert_eq!(said("new: done").as_deref(), Some("新建：完成"));
        assert_eq!(
            said("new: 快 [2] (translation: fast)").as_deref(),
            Some("新建：快 [2]")
        );
        assert_eq!(
            said("new: fast (in Chinese: 快)").as_deref(),
            Some("新建：快")
        );
    }

    #[test]
    fn what_should_be_a_sentence_and_is_none_is_told() {
        let unsaid = |text| say(text).unwrap().unsaid;
        assert_eq!(unsaid("b takes 2 x: whatever"), ["whatever"]);
        assert_eq!(unsaid("b takes 2 x: done and more"), [""; 0]);
        assert_eq!(unsaid("b takes 2 x: 12 %"), [""; 0]);
    }

    #[test]
    fn sentences_in_a_row_are_said_one_by_one() {
        assert_eq!(said("done; failed").as_deref(), Some("完成；失败"));
        let odd = say("my words; failed; 3").unwrap();
        assert_eq!(
            (odd.text.as_str(), odd.unsaid.len()),
            ("my words；失败；3", 1)
        );
        assert_eq!(said("my words; yours"), None);
    }

    #[test]
    fn what_begins_with_fixed_words_goes_before_what_begins_with_a_place() {
        let table = Table::new(
            &[],
            &[&[
                ("{} is done", "{0} 完成"),
                ("all of {} is done", "{0} 全部完成"),
            ]],
        );
        let text = table.say("all of it is done").unwrap().text;
        assert_eq!(text, "it 全部完成");
    }

    #[test]
    fn what_is_far_too_long_stands_as_it_is() {
        let long = format!("new: {}", "x".repeat(LONG));
        assert_eq!(said(&long), None);
    }

    #[test]
    fn depth_is_bounded() {
        let deep = format!("done{}", " and more".repeat(50));
        let text = said(&deep).unwrap();
        assert!(text.ends_with("等等等等等"), "{text}");
    }
}
