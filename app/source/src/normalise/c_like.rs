//! Normalisation of C and the languages that share its comments and strings.

use super::{Channels, Pass, Passes, shorten_paths};

pub(super) fn run(text: &str, passes: &Passes, out: &mut Channels) {
    let text = if passes.has(Pass::Comments) {
        without_comments(text)
    } else {
        text.to_owned()
    };
    out.text.reserve(text.len() + 1);
    for (i, line) in text.lines().enumerate() {
        if passes.has(Pass::DebugInfo) && is_line_marker(line) {
            continue;
        }
        let mut line = line.to_owned();
        if passes.has(Pass::Paths) && line.contains("\"/") {
            line = shorten_paths(&line);
        }
        if passes.has(Pass::Whitespace) {
            line.truncate(line.trim_end().len());
            if line.is_empty() {
                continue;
            }
        }
        out.mark(i, &line);
        out.text.push_str(&line);
        out.text.push('\n');
    }
}

/// `#line 3 "x.c"` and the `# 3 "x.c"` of preprocessor output.
pub(super) fn is_line_marker(line: &str) -> bool {
    let Some(rest) = line.trim_start().strip_prefix('#') else {
        return false;
    };
    let rest = rest.trim_start();
    rest.strip_prefix("line")
        .is_some_and(|r| r.starts_with([' ', '\t']))
        || rest.starts_with(|c: char| c.is_ascii_digit())
}

/// Replaces comments by a blank; line feeds inside block comments stay.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('/', Some('/')) => {
                while let Some(c) = chars.next_if(|c| *c != '\n') {
                    // A backslash at the end of the line continues the comment.
                    if c == '\\' && chars.next_if_eq(&'\n').is_some() {
                        out.push('\n');
                    }
                }
            }
            ('/', Some('*')) => {
                chars.next();
                out.push(' ');
                let mut last = ' ';
                for c in chars.by_ref() {
                    if last == '*' && c == '/' {
                        break;
                    }
                    if c == '\n' {
                        out.push('\n');
                    }
                    last = c;
                }
            }
            // A quote between digits separates thousands in C++ and opens nothing.
            ('\'', _) if out.ends_with(|c: char| c.is_ascii_hexdigit()) => out.push(c),
            ('"' | '\'', _) => {
                out.push(c);
                let mut escaped = false;
                while let Some(d) = chars.next_if(|d| *d != '\n') {
                    out.push(d);
                    match d {
                        _ if escaped => escaped = false,
                        '\\' => escaped = true,
                        d if d == c => break,
                        _ => {}
                    }
                }
            }
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_go_and_strings_stay() {
        let text = "int a; // x\nchar*s = \"// no /* no\"; /* y\n z */ int b = 1'000;\r\n\n#line 3 \"x\"\n";
        let run = |text: &str, passes: &Passes| {
            let mut out = Channels::default();
            run(text, passes, &mut out);
            out.text
        };
        assert_eq!(
            run(text, &Passes::default()),
            "int a;\nchar*s = \"// no /* no\";\n int b = 1'000;\n"
        );
        assert_eq!(run("a // b\n", &Passes::none()), "a // b\n");
    }
}
