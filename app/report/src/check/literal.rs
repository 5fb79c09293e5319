//! Figures and gaps in text that people wrote.

use std::sync::LazyLock;

use regex::Regex;

/// A figure in a text, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Literal {
    /// Line, from 1.
    pub line: usize,
    /// The figure with its unit as written.
    pub text: String,
}

/// A number with a unit of this field behind it, or a factor.
///
/// Names such as `fp16`, `H200` and `64x64` are none: no unit follows a number of its own there.
static FIGURE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let number = r"[-+−]?\d+(?:[.,]\d+)*(?:[eE][-+]?\d+)?";
    let unit = [
        "%",
        "‰",
        "×",
        "倍",
        "percent",
        "ns",
        "us",
        "µs",
        "μs",
        "ms",
        "s",
        "cycles?",
        "[KMGTP]?FLOPS",
        "[kMGTP]?FLOPs?",
        "[KMGTP]?flop/s",
        "[kKMGTP]i?B(?:/s)?",
        "bytes",
        "[kMG]?Hz",
        "W",
        "MHz",
        "pt",
        "x",
        "times",
        "-?fold",
        "微秒",
        "毫秒",
        "纳秒",
        "秒",
    ]
    .join("|");
    Regex::new(&format!(
        r"(?:^|[^\w.,-])({number}\s*(?:{unit}))(?:[^\w]|$)"
    ))
    .ok()
});

/// A number with a point or in groups of three, without a unit: `1.385`, `4,194,304`.
///
/// A count such as `15 workloads` and the parts of a version, a date or a name are none.
static BARE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?:^|[\s(（\[=~≈<>，。：；、:;])([-+−]?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.\d+(?:[eE][-+]?\d+)?))(?:$|[\s)）\],;:，。；：、]|\.(?:\s|$))",
    )
    .ok()
});

/// Words before a number that make it a place or a version.
const PLACES: [&str; 12] = [
    "section", "sections", "chapter", "version", "release", "step", "table", "figure", "appendix",
    "§", "章节", "版本",
];

/// Words that stand where somebody still has to write something.
static GAP: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?x) \b(?:TODO|TBD|FIXME|XXX)\b | \?\?\? | 提交前回填 | 待(?:补充?|填写?|定|回填) | <(?:fill|insert|your)[^>]*> | \[(?:fill|insert|your)[^\]]*\]",
    )
    .ok()
});

/// All figures with a unit in a text, in order. Fenced code is left out: it shows what was printed.
pub fn literals(text: &str) -> Vec<Literal> {
    let mut out = Vec::new();
    let mut fenced = false;
    for (i, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            continue;
        }
        let (Some(figure), false) = (FIGURE.as_ref(), fenced) else {
            continue;
        };
        let from = out.len();
        let mut at = 0;
        // One after the other, since the sign behind a figure may stand before the next.
        while let Some(found) = figure.captures_at(line, at).and_then(|c| c.get(1)) {
            out.push(Literal {
                line: i + 1,
                text: found.as_str().to_owned(),
            });
            at = found.end();
        }
        bare(line, i + 1, from, &mut out);
    }
    out
}

/// Adds the numbers of a line that have no unit; `from` is where those of the line begin.
fn bare(line: &str, number: usize, from: usize, out: &mut Vec<Literal>) {
    let Some(bare) = BARE.as_ref() else { return };
    let mut at = 0;
    while let Some(found) = bare.captures_at(line, at).and_then(|c| c.get(1)) {
        at = found.end();
        let before = line[..found.start()].trim_end();
        let word = before
            .rsplit(char::is_whitespace)
            .next()
            .unwrap_or_default();
        let is_place = PLACES.contains(&word.to_lowercase().trim_start_matches('('));
        let has_unit = out[from..]
            .iter()
            .any(|l| l.text.starts_with(found.as_str()));
        if !is_place && !has_unit {
            out.push(Literal {
                line: number,
                text: found.as_str().to_owned(),
            });
        }
    }
}

/// The first place that somebody still has to fill in.
pub fn placeholder(text: &str) -> Option<&str> {
    GAP.as_ref()?.find(text).map(|m| m.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        literals(text).into_iter().map(|l| l.text).collect()
    }

    #[test]
    fn figures_have_a_unit() {
        assert_eq!(found("2.3 % faster, 32.82 ms"), ["2.3 %", "32.82 ms"]);
        assert_eq!(found("快 1.4倍，耗时 3.6 µs。"), ["1.4倍", "3.6 µs"]);
        assert_eq!(
            found("1.385× over it; 1,843 GB/s"),
            ["1.385×", "1,843 GB/s"]
        );
        assert_eq!(
            found("(1499.4 GB/s) and 3 %, 4 %"),
            ["1499.4 GB/s", "3 %", "4 %"]
        );
        assert_eq!(found("42.5 times faster, 3-fold"), ["42.5 times", "3-fold"]);
        assert_eq!(found("106 TFLOPS\n\n-5%"), ["106 TFLOPS", "-5%"]);
    }

    #[test]
    fn names_and_counts_are_no_figures() {
        for text in [
            "fp16 on an H200",
            "64x64 tiles, 2 stages, v5.1",
            "the 15 workloads of 2026-11-30",
            "stage 3 of 4",
            "```\n3.5 ms\n```",
            "sm_90a, float16x2, 128B swizzle",
        ] {
            assert_eq!(found(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn a_number_without_a_unit_is_a_figure_too() {
        assert_eq!(found("a speed-up of 1.385."), ["1.385"]);
        assert_eq!(
            found("几何平均约 9.998，中位数（10.596）"),
            ["9.998", "10.596"]
        );
        assert_eq!(found("4,194,304 operations"), ["4,194,304"]);
        assert_eq!(
            found("ratio = 0.27 (0.26 to 0.28)"),
            ["0.27", "0.26", "0.28"]
        );
        // Told once, with its unit.
        assert_eq!(found("1.385 x, then 32.82 ms"), ["1.385 x", "32.82 ms"]);
        for text in [
            "see section 3.2, Version 0.1",
            "MACA 3.7.1.5, v5.1, a-1.2, 1.2b",
            "2026.11.30 and 2026-11-30",
            "stage 3 of 4, 512 threads",
            "```\n1.385\n```",
        ] {
            assert_eq!(found(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn gaps_are_found_in_both_languages() {
        assert_eq!(placeholder("commit: [提交前回填]"), Some("提交前回填"));
        assert_eq!(placeholder("TODO measure"), Some("TODO"));
        assert_eq!(placeholder("speed <fill in>"), Some("<fill in>"));
        assert_eq!(placeholder("a method of todos: METODO"), None);
    }
}
