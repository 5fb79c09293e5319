//! Text from outside, made inert for Markdown.

use assay_core::text;

use crate::doc::Line;
use crate::doc::markdown::line;

/// One line of text that shows as it is wherever it stands: no markup, link, HTML, cell or control
/// character of it is active.
pub(crate) fn md(raw: &str) -> String {
    let shown = text::inert(raw);
    let mut out = String::with_capacity(shown.len() + 8);
    let mut digits_only = true;
    let mut rest = shown.trim().chars().enumerate().peekable();
    while let Some((i, c)) = rest.next() {
        let next = rest.peek().map(|n| n.1);
        let ends = next.is_none_or(char::is_whitespace);
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            // Neither a mention nor an address.
            '@' => out.push_str("&#64;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' | '!' | '$' => {
                out.push('\\');
                out.push(c);
            }
            // A bare address becomes a link only with these in place.
            ':' if shown.contains("://") || shown.contains("mailto:") => out.push_str("\\:"),
            '.' if shown.to_ascii_lowercase().contains("www.") => out.push_str("\\."),
            // What begins a list, a rule or the line below a heading at the start of a line.
            '-' | '+' | '=' if i == 0 && (ends || next == Some(c)) => {
                out.push('\\');
                out.push(c);
            }
            '.' | ')' if i > 0 && digits_only && ends => {
                out.push('\\');
                out.push(c);
            }
            _ => out.push(c),
        }
        digits_only &= c.is_ascii_digit();
    }
    out
}

/// Text for XML and HTML, between tags or in an attribute with double quotes, on one line.
pub(crate) fn xml(raw: &str) -> String {
    xml_escaped(&text::inert(raw))
}

/// The same with line feeds and tabs as they are.
pub(crate) fn xml_block(raw: &str) -> String {
    xml_escaped(&text::inert_block(raw))
}

fn xml_escaped(shown: &str) -> String {
    let mut out = String::with_capacity(shown.len() + 8);
    for c in shown.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // XML has no such characters, not even escaped.
            '\u{FFFE}' | '\u{FFFF}' => out.push('\u{FFFD}'),
            c => out.push(c),
        }
    }
    out
}

/// A block of text in a fence that it cannot close. Line feeds and tabs stay.
pub(crate) fn fence(language: &str, raw: &str) -> String {
    let shown = text::inert_block(raw);
    let mut longest = 0;
    let mut run = 0;
    for c in shown.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let ticks = "`".repeat((longest + 1).max(3));
    let end = if shown.ends_with('\n') || shown.is_empty() {
        ""
    } else {
        "\n"
    };
    format!("{ticks}{language}\n{shown}{end}{ticks}\n")
}

/// Code in a line, between marks that it cannot close.
pub(crate) fn code(raw: &str) -> String {
    let shown = text::inert(raw);
    let longest = shown.split(|c| c != '`').map(str::len).max();
    let ticks = "`".repeat(longest.unwrap_or(0) + 1);
    let pad = if shown.starts_with('`') || shown.ends_with('`') {
        " "
    } else {
        ""
    };
    // A cell ends at such a mark even in code.
    format!("{ticks}{pad}{}{pad}{ticks}", shown.replace('|', "\\|"))
}

/// A table; `right` says which columns hold numbers.
pub(crate) fn table(out: &mut String, head: &[Line], right: &[usize], rows: &[Vec<Line>]) {
    let row = |cells: &[Line], out: &mut String| {
        out.push('|');
        for cell in cells {
            out.push(' ');
            line(cell, out);
            out.push_str(" |");
        }
        out.push('\n');
    };
    row(head, out);
    out.push('|');
    for i in 0..head.len() {
        out.push_str(if right.contains(&i) {
            " ---: |"
        } else {
            " --- |"
        });
    }
    out.push('\n');
    for cells in rows {
        row(cells, out);
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_stays_active() {
        assert_eq!(md("<b>|`x`|[a](b)"), "&lt;b&gt;\\|\\`x\\`\\|\\[a\\](b)");
        assert_eq!(md("# h"), "\\# h");
        assert_eq!(md("- a"), "\\- a");
        assert_eq!(md("12. a"), "12\\. a");
        assert_eq!(md("12."), "12\\.");
        assert_eq!(md("3) a"), "3\\) a");
        assert_eq!(md("1.5 a"), "1.5 a");
        assert_eq!(md("-24.16%"), "-24.16%");
        assert_eq!(md("---"), "\\---");
        assert_eq!(md("=="), "\\==");
        assert_eq!(md("-"), "\\-");
        assert_eq!(md("+ a"), "\\+ a");
        assert_eq!(md("a\nb\x1b[0m"), "a\\\\nb\\\\x1b\\[0m");
        assert_eq!(md("https://x.y"), "https\\://x.y");
        assert_eq!(md("www.x.y @me"), "www\\.x\\.y &#64;me");
        assert_eq!(md("核函数 v2: fast"), "核函数 v2: fast");
    }

    #[test]
    fn nothing_stays_active_in_xml() {
        assert_eq!(
            xml("<img src=x onerror='a'>&\"\n\u{ffff}"),
            "&lt;img src=x onerror=&#39;a&#39;&gt;&amp;&quot;\\n\u{fffd}"
        );
        assert_eq!(xml_block("a\n\t<b>"), "a\n\t&lt;b&gt;");
    }

    #[test]
    fn code_in_a_line_outlasts_the_ticks_in_it() {
        assert_eq!(code("assay verify <x>"), "`assay verify <x>`");
        assert_eq!(code("a `` b"), "```a `` b```");
        assert_eq!(code("`x`"), "`` `x` ``");
        assert_eq!(code("a\nb\u{1b}"), "`a\\nb\\x1b`");
    }

    #[test]
    fn a_fence_outlasts_the_ticks_in_it() {
        assert_eq!(fence("", "a\n````\nb"), "`````\na\n````\nb\n`````\n");
        assert_eq!(fence("sh", ""), "```sh\n```\n");
    }
}
