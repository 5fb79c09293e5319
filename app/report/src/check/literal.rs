//! Figures in text that people wrote.

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
    let number = r"(?:[-+−]?\d+(?:[.,]\d+)*(?:[eE][-+]?\d+)?|(?i:two|three|four|five|six|seven|eight|nine|ten|twenty|fifty|hundred)|[〇零一二两三四五六七八九十百千万亿]+(?:点[零一二三四五六七八九]+)?)";
    let unit = [
        "%",
        "‰",
        "×",
        "倍",
        "percent(?:age points?)?",
        "ns",
        "us",
        "µs",
        "μs",
        "ms",
        "s",
        "[num]?secs?",
        "(?:nano|micro|milli)?seconds?",
        "min(?:ute)?s?",
        "hours?",
        "cycles?",
        "[KMGTP]?FLOPS",
        "[GTP]?OPS",
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
        "分钟",
        "小时",
        "个?百分点",
        "成",
        "字节",
        "周期",
        "瓦",
    ]
    .join("|");
    // Chinese is written without spaces: its characters end a figure as punctuation does.
    Regex::new(&format!(
        r"(?:^|[^0-9A-Za-z_.,-])({number}(?:\s*|-)(?:{unit})|百分之[零一二两三四五六七八九十百点]+|(?i:(?:twice|half) (?:as|the)))(?:[^0-9A-Za-z_]|$)"
    ))
    .ok()
});

/// A number with a point, a decimal comma or in groups of three, without a unit: `1.385`, `3,8`,
/// `4,194,304`.
///
/// A count such as `15 workloads` and the parts of a version, a date or a name are none.
static BARE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?:^|[\s(（\[=~≈<>，。：；、:;\p{Han}])([-+−]?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.\d+(?:[eE][-+]?\d+)?|\d+,\d{1,2}))(?:$|[\s)）\],;:，。；：、\p{Han}]|\.(?:\s|$))",
    )
    .ok()
});

/// Words before a number that make it a place or a version.
const PLACES: [&str; 10] = [
    "section", "sections", "chapter", "version", "release", "step", "table", "figure", "appendix",
    "§",
];

/// The same in Chinese, where no space stands between the words.
const PLACES_ZH: [&str; 6] = ["章节", "版本", "第", "表", "图", "附录"];

/// A line with the wide forms of digits, letters and signs in figures as those of ASCII; every character
/// stays one.
fn narrow(line: &str) -> String {
    let one = |c: char| match c {
        '０'..='９' | 'Ａ'..='Ｚ' | 'ａ'..='ｚ' | '％' | '＋' | '－' | '．' | '／' => {
            char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c)
        }
        '\u{3000}' => ' ',
        c => c,
    };
    line.chars().map(one).collect()
}

/// The part of a line as it was written that a part of its narrow form stands for.
fn as_written(line: &str, narrow: &str, at: std::ops::Range<usize>) -> String {
    let before = narrow[..at.start].chars().count();
    let length = narrow[at].chars().count();
    line.chars().skip(before).take(length).collect()
}

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
        let (written, line) = (line, &narrow(line));
        let from = out.len();
        let mut at = 0;
        // One after the other, since the sign behind a figure may stand before the next.
        while let Some(found) = figure.captures_at(line, at).and_then(|c| c.get(1)) {
            at = found.end();
            // `64 x 64` are dimensions.
            let is_product = found.as_str().ends_with(['x', '×'])
                && line[at..]
                    .trim_start()
                    .starts_with(|c: char| c.is_ascii_digit());
            if !is_product {
                out.push(Literal {
                    line: i + 1,
                    text: as_written(written, line, found.range()),
                });
            }
        }
        bare(written, line, i + 1, from, &mut out);
    }
    out
}

/// Adds the numbers of a line that have no unit; `from` is where those of the line begin.
fn bare(written: &str, line: &str, number: usize, from: usize, out: &mut Vec<Literal>) {
    let Some(bare) = BARE.as_ref() else { return };
    let mut at = 0;
    while let Some(found) = bare.captures_at(line, at).and_then(|c| c.get(1)) {
        at = found.end();
        let before = line[..found.start()].trim_end();
        let word = before
            .rsplit(char::is_whitespace)
            .next()
            .unwrap_or_default();
        // `1,2,3` and `(64,64)` are lists; `3,8` alone is a figure with a decimal comma.
        let is_comma = found.as_str().contains(',') && !found.as_str().contains('.');
        let is_group = found
            .as_str()
            .rsplit(',')
            .next()
            .is_some_and(|n| n.len() == 3);
        let around = (
            line[..found.start()].chars().next_back(),
            line[at..].chars().next(),
        );
        let is_list = is_comma
            && !is_group
            && (matches!(around.0, Some('(' | '[' | ',' | '（' | '，')) || around.1 == Some(','));
        let is_place = PLACES.contains(&word.to_lowercase().trim_start_matches('('))
            || PLACES_ZH.iter().any(|p| before.ends_with(p));
        let text = as_written(written, line, found.range());
        let has_unit = out[from..].iter().any(|l| l.text.starts_with(&text));
        if !is_place && !is_list && !has_unit {
            out.push(Literal { line: number, text });
        }
    }
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
    fn figures_are_found_however_they_are_written() {
        for (text, figures) in [
            ("快了 74％", &["74％"][..]),
            ("快了74％。", &["74％"]),
            ("约１０％", &["１０％"]),
            ("12 msec, 7 usec", &["12 msec", "7 usec"]),
            ("12 microseconds", &["12 microseconds"]),
            ("3 percentage points", &["3 percentage points"]),
            ("speedup 3,8", &["3,8"]),
            ("约三倍", &["三倍"]),
            ("提升两成，一点五倍", &["两成", "一点五倍"]),
            ("百分之七十", &["百分之七十"]),
            ("耗时3.6微秒，1.4倍于前", &["3.6微秒", "1.4倍"]),
            ("加速比1.385。", &["1.385"]),
            ("three times, ten-fold", &["three times", "ten-fold"]),
            ("twice as fast", &["twice as"]),
        ] {
            assert_eq!(found(text), figures, "{text}");
        }
        for text in [
            "64 x 64 tiles",
            "built twice, run three workloads",
            "见第3.2节、表4.1，版本5.1",
            "三个变体，一次构建",
            "tiles of (64,64), stages 1,2,3",
        ] {
            assert_eq!(found(text), Vec::<String>::new(), "{text}");
        }
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
}
