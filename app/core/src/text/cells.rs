//! Text from outside in a cell of a table that others open: Markdown and CSV.
//!
//! A pipe must not add a column, markup must not be rendered, and a spreadsheet must not run a
//! name as a formula.

use super::inert;

/// Text as it is to be read in a Markdown table, whatever it holds.
pub fn markdown_cell(text: &str) -> String {
    let text = inert(text);
    let mut out = String::with_capacity(text.len());
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            // Underscores inside words mean nothing, and names of counters are full of them.
            '_' if is_inside(before, &text[at..]) => out.push('_'),
            '|' | '\\' | '`' | '*' | '_' | '[' | ']' | '~' | '$' | '!' | '#' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
        before = c;
    }
    out
}

fn is_inside(before: char, from: &str) -> bool {
    let after = from.trim_start_matches('_').chars().next();
    (before.is_alphanumeric() || before == '_') && after.is_some_and(char::is_alphanumeric)
}

/// A field of a CSV file that a spreadsheet takes as text or as a plain number.
pub fn csv_field(text: &str) -> String {
    let text = inert(text);
    let is_formula = text
        .trim_start()
        .starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']);
    let text = if is_formula && !is_number(text.trim_end_matches('%')) {
        format!("'{text}")
    } else {
        text.into_owned()
    };
    if text.contains([',', '"', ';', '\'']) || text.trim() != text {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

fn is_number(text: &str) -> bool {
    let is_plain = |b: u8| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.' | b'e' | b'E');
    text.bytes().all(is_plain) && text.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_leaves_its_cell() {
        assert_eq!(
            markdown_cell("a|b\n<b>_x_ sm__inst `c` \\"),
            "a\\|b\\\\n&lt;b&gt;\\_x\\_ sm__inst \\`c\\` \\\\"
        );
        assert_eq!(
            markdown_cell("\u{1b}[2J\u{202e}"),
            "\\\\x1b\\[2J\\\\u{202e}"
        );
    }

    #[test]
    fn no_text_is_a_formula() {
        for bad in [
            "=1+1",
            "+cmd|'/c calc'!A0",
            "-2+3",
            "@SUM(A1)",
            " =1",
            "\t=1",
            "＝1",
            "\r=1",
            "--1",
        ] {
            let field = csv_field(bad);
            let inner = field.trim_matches('"');
            assert!(
                inner.starts_with('\'') || inner.starts_with('\\'),
                "{bad:?} {field}"
            );
        }
        for fine in ["-54.35%", "-1e-3", "+5", "24.603B", ""] {
            assert_eq!(csv_field(fine), fine);
        }
        assert_eq!(csv_field("a,\"b\"\nc"), "\"a,\"\"b\"\"\\nc\"");
    }
}
