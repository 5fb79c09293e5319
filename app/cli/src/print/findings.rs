//! What rules found, the worst first, wrapped to the terminal.

use assay_core::text::{inert, width};
use assay_core::view::FindingView;

use super::paint::Paint;
use crate::args::Lang;

/// Columns that the text of a finding is moved in.
const INDENT: usize = 2;

/// Findings with severity, message, evidence and advice; `columns` wide.
pub fn findings(found: &[FindingView], lang: Lang, columns: usize, paint: Paint) -> String {
    let mut out = String::new();
    for f in found {
        let kind = match (f.kind.as_str(), lang) {
            ("audit", Lang::Zh) => "审计",
            ("diagnosis", Lang::Zh) => "诊断",
            (kind, _) => kind,
        };
        let about = format!("{kind}: {}", inert(&f.subject));
        let rule = inert(&f.rule);
        // The longest word for a severity, and the blanks.
        let head = 9;
        out.push_str(&severity(&f.severity, lang, paint));
        if head + width(&rule) <= columns {
            out.push_str(&format!("  {}", paint.bold(&rule)));
        } else {
            for line in wrap(&rule, columns.saturating_sub(2 * INDENT)) {
                out.push_str(&format!("\n  {}", paint.bold(&line)));
            }
        }
        if head + width(&rule) + 2 + width(&about) <= columns {
            out.push_str(&format!("  {}\n", paint.dim(&about)));
        } else {
            out.push('\n');
            for line in wrap(&about, columns.saturating_sub(2 * INDENT)) {
                out.push_str(&format!("  {}\n", paint.dim(&line)));
            }
        }
        let (message, advice) = match lang {
            Lang::Zh if !f.message_zh.is_empty() => (&f.message_zh, &f.advice_zh),
            _ => (&f.message, &f.advice),
        };
        let [of, evidence, next, source] = labels(lang);
        block(&mut out, "", message, columns);
        block(&mut out, of, &f.of.join(", "), columns);
        block(&mut out, evidence, &f.evidence, columns);
        block(&mut out, next, advice, columns);
        if !f.source.is_empty() {
            let mut text = String::new();
            let from = match lang {
                Lang::Zh if !f.source_zh.is_empty() => &f.source_zh,
                _ => &f.source,
            };
            block(&mut text, source, from, columns);
            text.lines().for_each(|l| {
                out.push_str(&paint.dim(l));
                out.push('\n');
            });
        }
        out.push('\n');
    }
    out
}

/// How many of each severity, in one line.
pub fn summary(found: &[FindingView], lang: Lang) -> String {
    let of = |severity: &str| found.iter().filter(|f| f.severity == severity).count();
    let (errors, warnings, infos) = (of("error"), of("warning"), of("info"));
    match lang {
        Lang::Zh if found.is_empty() => "没有规则命中".into(),
        Lang::Zh => format!("发现 {errors} 个错误，{warnings} 个警告，{infos} 个提示"),
        Lang::En if found.is_empty() => "no rule found anything".into(),
        Lang::En => {
            let word = super::change::count;
            format!(
                "{}, {}, {}",
                word(errors, "error"),
                word(warnings, "warning"),
                word(infos, "note")
            )
        }
    }
}

fn labels(lang: Lang) -> [&'static str; 4] {
    match lang {
        Lang::En => ["of: ", "because: ", "try: ", "rule from: "],
        Lang::Zh => ["对象：", "依据：", "建议：", "规则来源："],
    }
}

fn severity(word: &str, lang: Lang, paint: Paint) -> String {
    let shown = match (word, lang) {
        ("error", Lang::En) => "ERROR  ",
        ("error", Lang::Zh) => "错误",
        ("warning", Lang::En) => "WARNING",
        ("warning", Lang::Zh) => "警告",
        (_, Lang::En) => "note   ",
        (_, Lang::Zh) => "提示",
    };
    match word {
        "error" => paint.error(shown),
        "warning" => paint.warning(shown),
        _ => paint.info(shown),
    }
}

/// A paragraph behind a label; nothing for an empty one.
fn block(out: &mut String, label: &str, text: &str, columns: usize) {
    if text.is_empty() {
        return;
    }
    let text = format!("{label}{}", inert(text));
    for (i, line) in wrap(&text, columns.saturating_sub(2 * INDENT))
        .iter()
        .enumerate()
    {
        let more = if i > 0 && !label.is_empty() {
            INDENT
        } else {
            0
        };
        out.push_str(&format!("{:indent$}{line}\n", "", indent = INDENT + more));
    }
}

/// Lines of at most `columns` columns, broken at blanks and between Chinese characters.
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(20);
    let mut lines = Vec::new();
    let (mut line, mut used) = (String::new(), 0);
    for piece in pieces(text) {
        let w = width(piece.trim_end());
        if used + w > columns && !line.is_empty() {
            lines.push(line.trim_end().to_owned());
            line.clear();
            used = 0;
        }
        line.push_str(piece);
        used += width(piece);
        while used > columns && width(line.trim_end()) > columns {
            // One word that is longer than a line, e.g. a mangled name.
            let (mut at, mut w) = (0, 0);
            for (i, c) in line.char_indices() {
                w += width(c.encode_utf8(&mut [0; 4]));
                if w > columns && i > 0 {
                    break;
                }
                at = i + c.len_utf8();
            }
            let rest = line.split_off(at);
            lines.push(std::mem::replace(&mut line, rest));
            used = width(&line);
        }
    }
    if !line.trim().is_empty() {
        lines.push(line.trim_end().to_owned());
    }
    lines
}

/// Parts of a text that a line may end behind.
fn pieces(text: &str) -> Vec<&str> {
    /// Signs that no line begins with.
    const CLOSING: &str = "，。；：、！？）】》」％";
    /// Signs that no line ends with.
    const OPENING: &str = "（【《「";
    let wide = |c: char| matches!(c, '\u{2E80}'..='\u{9FFF}' | '\u{FF00}'..='\u{FFEF}');
    let mut out = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((i, c)) = chars.next() {
        let end = i + c.len_utf8();
        let breaks = match chars.peek() {
            Some((_, next)) => {
                (c == ' ' && *next != ' ')
                    || ((wide(c) || wide(*next))
                        && *next != ' '
                        && !CLOSING.contains(*next)
                        && !OPENING.contains(c))
            }
            None => true,
        };
        if breaks {
            out.push(&text[start..end]);
            start = end;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_blanks_and_between_chinese_characters() {
        assert_eq!(
            wrap("one two three four five six", 20),
            ["one two three four", "five six"]
        );
        let zh = wrap("矩阵单元的占空比超过百分之一百，报告不可信。", 20);
        assert!(
            zh.iter().all(|l| width(l) <= 20 && !l.starts_with('，')),
            "{zh:?}"
        );
        assert_eq!(zh.concat(), "矩阵单元的占空比超过百分之一百，报告不可信。");
        let long = wrap(&"x".repeat(45), 20);
        assert_eq!(
            long.iter().map(String::len).collect::<Vec<_>>(),
            [20, 20, 5]
        );
        assert!(wrap("", 20).is_empty());
    }

    #[test]
    fn a_finding_says_what_and_why_and_what_next_in_both_languages() {
        let f = FindingView {
            rule: "duty-over-100".into(),
            kind: "audit".into(),
            severity: "error".into(),
            subject: "k\x1b[2J".into(),
            message: "busy for 120 %".into(),
            message_zh: "忙了 120 %".into(),
            advice: "profile again".into(),
            advice_zh: "重新采集".into(),
            counters: Vec::new(),
            evidence: "duty.mma = 120 > 100".into(),
            source: "a test".into(),
            source_zh: "测试".into(),
            of: vec!["01J (review 9.3)".into()],
        };
        let en = findings(std::slice::from_ref(&f), Lang::En, 80, Paint::PLAIN);
        assert_eq!(
            en,
            "ERROR    duty-over-100  audit: k\\x1b[2J\n  busy for 120 %\n  of: 01J (review 9.3)\n  because: duty.mma = 120 > 100\n  try: profile again\n  rule from: a test\n\n"
        );
        let zh = findings(std::slice::from_ref(&f), Lang::Zh, 80, Paint::PLAIN);
        assert!(
            zh.contains("错误") && zh.contains("忙了 120 %") && zh.contains("建议：重新采集"),
            "{zh}"
        );
        assert_eq!(summary(&[f], Lang::En), "1 error, 0 warnings, 0 notes");
    }
}
