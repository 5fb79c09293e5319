//! Reports by a template of one's own: headings, paragraphs and lists in Markdown, chapters by name,
//! and figures that point at records.
//!
//! A template holds no figures: `{{champion ratio}}` or `{{record ID /body/ratio}}` stands where
//! one belongs, and what the reference yields is written together with its record.

mod parse;
mod refer;

use std::collections::BTreeMap;
use std::fmt;

use serde_json::Value;

use crate::check::{Literal, literals, placeholders};
use crate::doc::{Doc, Line, Piece};
use crate::strings::Lang;
use crate::{ReportModel, chapter, doc};

use parse::{Part, Token};

/// A template that was read.
#[derive(Debug, Clone)]
pub struct Template {
    parts: Vec<Part>,
    text: String,
}

/// What is wrong with a template, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateError {
    /// Line, from 1.
    pub line: usize,
    /// What is wrong.
    pub problem: String,
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.problem)
    }
}

impl std::error::Error for TemplateError {}

/// Records by id, as JSON.
pub type Records = BTreeMap<String, Value>;

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// On the first line that is none.
    pub fn parse(text: &str) -> Result<Self, TemplateError> {
        Ok(Self {
            parts: parse::parse(text)?,
            text: text.to_owned(),
        })
    }

    /// Ids of the records that it refers to, each once.
    pub fn records(&self) -> Vec<&str> {
        let mut out: Vec<&str> = self.tokens().filter_map(|t| t.record()).collect();
        out.sort_unstable();
        out.dedup();
        out
    }

    /// Figures that are written out instead of referred to.
    pub fn literals(&self) -> Vec<Literal> {
        literals(&parse::without_references(&self.text))
    }

    /// Every place that somebody still has to fill in, with its line and words.
    pub fn placeholders(&self) -> Vec<Literal> {
        let lines = self.text.lines().enumerate();
        let found = lines.flat_map(|(i, line)| {
            placeholders(line).into_iter().map(move |gap| Literal {
                line: i + 1,
                text: gap.to_owned(),
            })
        });
        found.collect()
    }

    fn tokens(&self) -> impl Iterator<Item = &Token> {
        self.parts.iter().flat_map(Part::tokens)
    }

    /// The report as Markdown.
    ///
    /// # Errors
    /// When a reference leads nowhere.
    pub fn markdown(
        &self,
        model: &ReportModel,
        records: &Records,
        lang: Lang,
    ) -> Result<String, TemplateError> {
        let doc = self.document(model, records, lang, false)?;
        Ok(doc::markdown::write(&doc))
    }

    /// The report as one HTML page.
    ///
    /// # Errors
    /// When a reference leads nowhere.
    pub fn html(
        &self,
        model: &ReportModel,
        records: &Records,
        lang: Lang,
    ) -> Result<String, TemplateError> {
        let doc = self.document(model, records, lang, true)?;
        Ok(doc::html::write(&doc, lang))
    }

    fn document(
        &self,
        model: &ReportModel,
        records: &Records,
        lang: Lang,
        plots: bool,
    ) -> Result<Doc, TemplateError> {
        let mut out = Doc {
            lang,
            plots,
            ..Doc::default()
        };
        let mut sources = Vec::new();
        let mut line = |tokens: &[Token]| -> Result<Line, TemplateError> {
            let mut line = Line::default();
            let mut strong: Option<Line> = None;
            let mut code: Option<Line> = None;
            for token in tokens {
                let piece = match token {
                    Token::Text(text) if code.is_some() => Line::outside(text),
                    Token::Code => match code.take() {
                        Some(inner) => Line(vec![Piece::Code(inner.plain())]),
                        None => {
                            code = Some(Line::default());
                            continue;
                        }
                    },
                    Token::Text(text) => spaced(text),
                    Token::Strong => {
                        match strong.take() {
                            Some(inner) => line.0.push(Piece::Strong(inner)),
                            None => strong = Some(Line::default()),
                        }
                        continue;
                    }
                    Token::Reference { words, line } => {
                        let found = refer::resolve(model, records, words).map_err(|problem| {
                            let line = *line;
                            TemplateError { line, problem }
                        })?;
                        if let Some(record) = found.record {
                            let row = (words.join(" "), found.text.clone(), record);
                            if !sources.contains(&row) {
                                sources.push(row);
                            }
                        }
                        found.text
                    }
                };
                let into = code.as_mut().or(strong.as_mut());
                into.unwrap_or(&mut line).0.extend(piece.0);
            }
            Ok(line)
        };
        for part in &self.parts {
            match part {
                Part::Heading(level, tokens) => out.heading(*level, line(tokens)?),
                Part::Paragraph(tokens) => out.paragraph(line(tokens)?),
                Part::List(items) => {
                    let items: Result<Vec<Line>, _> = items.iter().map(|i| line(i)).collect();
                    out.list(items?);
                }
                Part::Code(text) => out.code("", text.clone()),
                Part::Chapter(name) => {
                    chapter::add(name, 1, model, &mut out);
                }
            }
        }
        if !sources.is_empty() {
            let s = lang.strings();
            out.heading(2, s.tp_figures);
            let rows = sources.into_iter().map(|(words, value, record)| {
                vec![Line::outside(words), value, Line::outside(record)]
            });
            out.table([s.tp_reference, s.value, s.record], &[], rows.collect());
        }
        Ok(out)
    }
}

/// Text from outside with the space around it, which a format would otherwise take off.
fn spaced(text: &str) -> Line {
    let words = text.trim();
    let mut out = Line::default();
    let space = |out: &mut Line| out.0.push(Piece::Own(" ".into()));
    if text.starts_with(char::is_whitespace) {
        space(&mut out);
    }
    if !words.is_empty() {
        out = out.and(Line::outside(words));
        if text.ends_with(char::is_whitespace) {
            space(&mut out);
        }
    }
    out
}
