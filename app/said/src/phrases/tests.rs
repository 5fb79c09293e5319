use super::*;
use crate::matching::Table;

fn every() -> impl Iterator<Item = &'static Phrase> {
    let all = ALL.iter().chain([&BEHIND, &SUBJECTS]);
    all.flat_map(|table| table.iter())
}

/// The marks of the places of a phrase, in order.
fn marks(english: &str) -> Vec<&str> {
    let behind = english.split('{').skip(1);
    behind.map(|b| b.split_once('}').unwrap().0).collect()
}

#[test]
fn every_phrase_has_the_same_places_in_both_languages() {
    for (english, chinese) in every() {
        let marks = marks(english);
        for (n, mark) in marks.iter().enumerate() {
            assert!(
                ["", "*", "#", "w", "\"", "id", "stage", "verdict", "failure"].contains(mark),
                "{english}"
            );
            assert!(
                chinese.contains(&format!("{{{n}}}")),
                "{english}: {chinese}"
            );
        }
        let more = format!("{{{}}}", marks.len());
        assert!(!chinese.contains(&more), "{english}: {chinese}");
        assert!(
            !english.contains("}{"),
            "nothing parts two places: {english}"
        );
    }
}

#[test]
fn no_phrase_stands_behind_one_that_takes_its_sentences() {
    let value = |mark: &str| match mark {
        "*" => ("1 block", "1 个区组"),
        "#" => ("3", "3"),
        "w" => ("w1", "w1"),
        "id" => ("01ARZ3NDEKTSV4RRFFQ69G5FAV", "01ARZ3NDEKTSV4RRFFQ69G5FAV"),
        "stage" => ("check", "check"),
        "verdict" => ("SAME", "SAME"),
        "failure" => ("noisy", "noisy"),
        _ => ("some name", "some name"),
    };
    for (behind, parts) in [(BEHIND, ALL), (&[][..], &[SUBJECTS][..])] {
        let table = Table::new(behind, parts);
        let all = parts.iter().copied().flatten().chain(behind);
        for (english, chinese) in all {
            let (mut sentence, mut expected) = ((*english).to_owned(), (*chinese).to_owned());
            for (n, mark) in marks(english).iter().enumerate() {
                let (english, mut chinese) = value(mark);
                // What findings are about has no sentence of its own.
                if parts.len() == 1 {
                    chinese = english;
                }
                sentence = sentence.replacen(&format!("{{{mark}}}"), english, 1);
                expected = expected.replace(&format!("{{{n}}}"), chinese);
            }
            let said = table.say(&sentence).map(|s| s.text);
            assert_eq!(said.as_deref(), Some(expected.as_str()), "{sentence}");
        }
    }
}

#[test]
fn what_a_person_types_stands_as_it_was_typed() {
    for text in [
        "my own words",
        "B is packed so that four values along K lie side by side",
        "8.7 % faster on all shapes",
        "it was slow and is fast",
        "won against naive: 3 % on w1",
        "run it twice, then decide",
        "removed the barrier: no race was seen",
        "on H200: no gain",
        "ran it on another card",
        "tile of 64, and more",
        "no spills",
    ] {
        assert_eq!(crate::chinese(text), text);
    }
}

#[test]
fn no_english_stands_twice() {
    let mut all: Vec<&str> = every().map(|p| p.0).collect();
    all.sort_unstable();
    let twice: Vec<_> = all.windows(2).filter(|w| w[0] == w[1]).collect();
    assert!(twice.is_empty(), "{twice:?}");
}
