//! Two texts of one report: where figures differ, and where words or drawings do.

use std::sync::LazyLock;

use regex::Regex;
use similar::{Algorithm, DiffOp, capture_diff_slices};

/// What holds a figure or a verdict: a word with a digit in it with the sign before and the unit
/// behind it, or the word of a verdict.
static FIGURE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    const WORDS: &str = concat!(
        r"[-+]?[\w.,:/-]*\d[\w.,:/-]*(?:\s(?:%|ns|us|µs|ms|s|x|bytes|[KMG]iB|GB/s|GHz|MHz)(?:\W|$))?",
        r"|\b(?:FASTER|SLOWER|SAME|NO_GAIN|UNDECIDED|INVALID|n/a)\b",
    );
    Regex::new(WORDS).ok()
});

/// A tag, or a style with all that it holds.
static TAG: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?s)<style>.*?</style>|<[^>]*>").ok());

/// The first lines that differ, counted from 1 in the stored text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Difference {
    pub line: usize,
    pub stored: Option<String>,
    pub again: Option<String>,
}

/// What two texts come to beside each other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Beside {
    /// Lines with the same figures, in order.
    pub same: usize,
    /// Where figures or verdicts first differ.
    pub figure: Option<Difference>,
    /// Where anything else first differs.
    pub words: Option<Difference>,
}

/// Compares two texts; of a page only what is read counts as a figure, not how it is drawn.
pub(super) fn beside(stored: &str, again: &str, is_page: bool) -> Beside {
    let texts = [stored, again].map(|text| match is_page {
        true => read(text),
        false => text.to_owned(),
    });
    let [a, b] = texts.each_ref().map(|t| t.lines().collect::<Vec<&str>>());
    let [raw_a, raw_b] = [stored, again].map(|t| t.lines().collect::<Vec<&str>>());
    let at = |a: usize, b: usize| Difference {
        line: a + 1,
        stored: raw_a.get(a).map(|l| (*l).to_owned()),
        again: raw_b.get(b).map(|l| (*l).to_owned()),
    };
    let mut out = Beside::default();
    for op in capture_diff_slices(Algorithm::Histogram, &a, &b) {
        let (old, new) = (&a[op.old_range()], &b[op.new_range()]);
        if let DiffOp::Equal { len, .. } = op {
            out.same += len;
            continue;
        }
        let is_same = figures(old) == figures(new);
        if is_same {
            out.same += old.len();
        }
        let place = match is_same {
            true => &mut out.words,
            false => &mut out.figure,
        };
        // Of changed lines the first with other figures is shown, not one that is merely worded anew.
        let skip = match is_same || old.len() != new.len() {
            true => 0,
            false => (old.iter().zip(new))
                .position(|(o, n)| figures(&[o]) != figures(&[n]))
                .unwrap_or(0),
        };
        let (from, to) = (op.old_range().start + skip, op.new_range().start + skip);
        place.get_or_insert_with(|| Difference {
            stored: old.get(skip).and(at(from, to).stored),
            again: new.get(skip).and(at(from, to).again),
            line: from + 1,
        });
    }
    // What is drawn otherwise and reads the same.
    if out.words.is_none() && stored != again {
        let differs = (0..raw_a.len().max(raw_b.len())).find(|i| raw_a.get(*i) != raw_b.get(*i));
        out.words = differs.map(|i| at(i, i));
    }
    out
}

/// A page without tags and styles, on the same lines.
fn read(page: &str) -> String {
    let Some(tag) = &*TAG else {
        return page.to_owned();
    };
    let lines = |c: &regex::Captures| " ".to_owned() + &"\n".repeat(c[0].matches('\n').count());
    tag.replace_all(page, lines).into_owned()
}

/// Figures and verdicts of some lines, in order; digits in groups are as those without.
fn figures(lines: &[&str]) -> Vec<String> {
    let text = lines.join("\n");
    let Some(figure) = &*FIGURE else {
        return vec![text];
    };
    let all = figure.find_iter(&text).map(|m| m.as_str());
    all.map(|f| f.trim_start_matches(['.', ',', ':', ';', '/']))
        .map(|f| f.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '%'))
        .map(|f| f.replace(',', ""))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_may_differ_and_figures_may_not() {
        let same = beside("a\nit takes 3.50 ms", "a\ntime: 3.50 ms", false);
        assert_eq!((same.same, same.figure), (2, None));
        assert_eq!(same.words.map(|d| d.line), Some(2));
        let grouped = beside("771837 GB/s", "771,837 GB/s", false);
        assert_eq!(grouped.figure, None);
        for (stored, again) in [
            ("it takes 3.5 ms", "it takes 3.6 ms"),
            ("it takes 3.5 ms", "it takes 3.5 us"),
            ("it takes 3.5", "it takes -3.5"),
            ("0.5 and 0.9", "0.9 and 0.5"),
            ("base is FASTER", "base is SLOWER"),
            ("| 1.0 |", "| n/a |"),
            ("", "one more: 3"),
            ("kernel-v1", "kernel-v2"),
        ] {
            let found = beside(stored, again, false);
            assert!(found.figure.is_some(), "{stored} / {again}: {found:?}");
        }
        assert_eq!(
            beside("x\ny", "x\ny", true),
            Beside {
                same: 2,
                ..Beside::default()
            }
        );
    }

    #[test]
    fn a_page_may_be_drawn_anew_with_the_same_figures() {
        let page = "<style>\np{margin:1rem}\n</style>\n<p class=\"a1\">3.5 ms</p>";
        let again = "<style>\np{margin:2rem}\n</style>\n<p class=\"b2\">3.5 ms</p>";
        let found = beside(page, again, true);
        assert!(found.words.is_some());
        assert_eq!(
            beside("<p>3.5</p>", "<p>3.6</p>", true)
                .figure
                .map(|d| d.line),
            Some(1)
        );
    }
}
