//! Templates, line by line.

use assay_core::text::nearest;

use super::TemplateError;
use crate::chapter;

/// Lines of a template that are read; longer ones are no template.
const MAX_LINES: usize = 10_000;

/// A part of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    Heading(u8, Vec<Token>),
    Paragraph(Vec<Token>),
    List(Vec<Vec<Token>>),
    Code(String),
    Chapter(String),
}

/// A piece of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    Text(String),
    /// Where emphasis begins or ends.
    Strong,
    /// Where code in the line begins or ends.
    Code,
    Reference {
        words: Vec<String>,
        line: usize,
    },
}

impl Token {
    /// The record that it names.
    pub(super) fn record(&self) -> Option<&str> {
        match self {
            Self::Reference { words, .. } => match words.as_slice() {
                [what, id, ..] if what == "record" => Some(id),
                _ => None,
            },
            _ => None,
        }
    }
}

impl Part {
    pub(super) fn tokens(&self) -> Box<dyn Iterator<Item = &Token> + '_> {
        match self {
            Self::Heading(_, t) | Self::Paragraph(t) => Box::new(t.iter()),
            Self::List(items) => Box::new(items.iter().flatten()),
            Self::Code(_) | Self::Chapter(_) => Box::new(std::iter::empty()),
        }
    }
}

/// Reads all parts.
pub(super) fn parse(text: &str) -> Result<Vec<Part>, TemplateError> {
    let mut out: Vec<Part> = Vec::new();
    // Whether the next line of text goes on with the last part.
    let mut goes_on = false;
    let mut lines = text.lines().enumerate();
    while let Some((i, raw)) = lines.next() {
        let number = i + 1;
        let error = |problem: String| TemplateError {
            line: number,
            problem,
        };
        if number > MAX_LINES {
            return Err(error(format!("longer than {MAX_LINES} lines")));
        }
        let line = raw.trim();
        if line.is_empty() {
            goes_on = false;
        } else if line.starts_with("```") {
            let mut code = String::new();
            loop {
                match lines.next() {
                    Some((_, l)) if l.trim_start().starts_with("```") => break,
                    Some((_, l)) => {
                        code.push_str(l);
                        code.push('\n');
                    }
                    None => return Err(error("the code that begins here has no end".into())),
                }
            }
            out.push(Part::Code(code));
            goes_on = false;
        } else if let Some(name) = chapter_name(line) {
            if !chapter::names().any(|n| n == name) {
                return Err(error(no_chapter(name)));
            }
            out.push(Part::Chapter(name.to_owned()));
            goes_on = false;
        } else if line.starts_with('#') {
            let level = line.bytes().take_while(|b| *b == b'#').count();
            let title = &line[level..];
            if !(1..=3).contains(&level) || !title.starts_with(' ') {
                return Err(error(
                    "a heading is `# `, `## ` or `### ` and its words".into(),
                ));
            }
            out.push(Part::Heading(level as u8, tokens(title.trim(), number)?));
            goes_on = false;
        } else if let Some(item) = line.strip_prefix("- ") {
            let item = tokens(item.trim(), number)?;
            match out.last_mut() {
                Some(Part::List(items)) if goes_on => items.push(item),
                _ => out.push(Part::List(vec![item])),
            }
            goes_on = true;
        } else if line.starts_with('|') {
            return Err(error(
                "tables come from chapters: `{{chapter NAME}}`".into(),
            ));
        } else {
            let more = tokens(line, number)?;
            let last = match out.last_mut() {
                Some(Part::Paragraph(t)) if goes_on => Some(t),
                Some(Part::List(items)) if goes_on => items.last_mut(),
                _ => None,
            };
            match last {
                Some(t) => {
                    t.push(Token::Text(" ".into()));
                    t.extend(more);
                }
                None => out.push(Part::Paragraph(more)),
            }
            goes_on = true;
        }
    }
    Ok(out)
}

/// The name in a line that asks for a chapter and nothing else.
fn chapter_name(line: &str) -> Option<&str> {
    let inside = line.strip_prefix("{{")?.strip_suffix("}}")?;
    let mut words = inside.split_whitespace();
    match (words.next(), words.next(), words.next()) {
        (Some("chapter"), Some(name), None) => Some(name),
        _ => None,
    }
}

fn no_chapter(name: &str) -> String {
    let all: Vec<&str> = chapter::names().collect();
    match nearest(name, all.iter().copied()) {
        Some(near) => format!("no chapter `{name}`; did you mean `{near}`?"),
        None => format!("no chapter `{name}`; there are {}", all.join(", ")),
    }
}

fn tokens(line: &str, number: usize) -> Result<Vec<Token>, TemplateError> {
    let error = |problem: &str| TemplateError {
        line: number,
        problem: problem.into(),
    };
    let mut out = Vec::new();
    let mut rest = line;
    while let Some(open) = rest.find("{{") {
        out.push(Token::Text(rest[..open].to_owned()));
        let tail = &rest[open + 2..];
        let close = tail
            .find("}}")
            .ok_or_else(|| error("`{{` without `}}` on the same line"))?;
        let words: Vec<String> = tail[..close]
            .split_whitespace()
            .map(str::to_owned)
            .collect();
        match words.first().map(String::as_str) {
            None => return Err(error("an empty reference")),
            Some("chapter") => {
                return Err(error(
                    "a chapter stands on a line of its own: `{{chapter NAME}}`",
                ));
            }
            Some(_) => out.push(Token::Reference {
                words,
                line: number,
            }),
        }
        rest = &tail[close + 2..];
    }
    out.push(Token::Text(rest.to_owned()));
    let out = marked(out);
    if out.iter().filter(|t| **t == Token::Strong).count() % 2 == 1 {
        return Err(error("`**` without its partner on the same line"));
    }
    Ok(out)
}

/// Finds the marks of code and emphasis in the text between references. A tick without a partner is one
/// of the text, and in code there is no emphasis.
fn marked(line: Vec<Token>) -> Vec<Token> {
    let ticks = |t: &Token| match t {
        Token::Text(words) => words.matches('`').count(),
        _ => 0,
    };
    let mut left = line.iter().map(ticks).sum::<usize>() / 2 * 2;
    let mut is_code = false;
    let mut out = Vec::new();
    for token in line {
        let Token::Text(words) = token else {
            out.push(token);
            continue;
        };
        let mut rest = words.as_str();
        while let (Some(at), true) = (rest.find('`'), left > 0) {
            words_of(&rest[..at], is_code, &mut out);
            out.push(Token::Code);
            (is_code, left, rest) = (!is_code, left - 1, &rest[at + 1..]);
        }
        words_of(rest, is_code, &mut out);
    }
    out
}

/// Text, with marks of emphasis in it where it is no code.
fn words_of(words: &str, is_code: bool, out: &mut Vec<Token>) {
    let parts: Vec<&str> = match is_code {
        true => vec![words],
        false => words.split("**").collect(),
    };
    for (i, part) in parts.into_iter().enumerate() {
        if i > 0 {
            out.push(Token::Strong);
        }
        if !part.is_empty() {
            out.push(Token::Text(part.to_owned()));
        }
    }
}

/// The text with every reference taken out, on the same lines.
pub(super) fn without_references(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find("{{") {
        out.push_str(&rest[..open]);
        let tail = &rest[open..];
        match tail.find("}}") {
            Some(close) => rest = &tail[close + 2..],
            None => return out,
        }
    }
    out.push_str(rest);
    out
}
