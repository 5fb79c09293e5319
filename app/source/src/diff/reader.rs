//! Syntax of one side from any line on, without reading from the beginning each time.

use std::sync::{Mutex, PoisonError};

use super::rows::{CellSpan, Mark};
use super::side::Prepared;
use super::view::shown;
use crate::syntax::{Highlighter, Syntax};

/// Lines between two places at which the state of the syntax is kept.
const EVERY: usize = 256;

/// The state of the syntax before every so many lines, as far as someone has looked.
#[derive(Debug, Default)]
pub(super) struct Checkpoints(Mutex<Vec<Highlighter>>);

impl Checkpoints {
    /// The state at the last kept place at or before a line, and which line that is.
    fn before(&self, side: &Prepared<'_>, n: usize) -> (Highlighter, usize) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.is_empty() {
            kept.push(Highlighter::new(side.language));
        }
        let wanted = n / EVERY;
        while kept.len() <= wanted {
            let from = (kept.len() - 1) * EVERY;
            let Some(mut syntax) = kept.last().cloned() else {
                break;
            };
            for i in from..from + EVERY {
                syntax.skip(side.line(i));
            }
            kept.push(syntax);
        }
        match kept.get(wanted) {
            Some(syntax) => (syntax.clone(), wanted * EVERY),
            None => (Highlighter::new(side.language), 0),
        }
    }
}

/// Follows the syntax of one side from line to line.
pub(super) struct Reader<'s> {
    side: &'s Prepared<'s>,
    kept: &'s Checkpoints,
    /// The state before the line that comes next, and that line.
    at: Option<(Highlighter, usize)>,
}

impl<'s> Reader<'s> {
    pub(super) fn new(side: &'s Prepared<'_>, kept: &'s Checkpoints) -> Self {
        Self {
            side,
            kept,
            at: None,
        }
    }

    /// The pieces of a line; `marks` are what changed inside it.
    pub(super) fn spans(
        &mut self,
        n: usize,
        base: Mark,
        marks: &[(usize, usize)],
    ) -> Vec<CellSpan> {
        let (mut syntax, from) = match self.at.take() {
            Some((syntax, from)) if from <= n && n - from <= EVERY => (syntax, from),
            _ => self.kept.before(self.side, n),
        };
        for i in from..n {
            syntax.skip(self.side.line(i));
        }
        let text = self.side.line(n);
        let pieces = syntax.line(text);
        self.at = Some((syntax, n + 1));
        let (text, cut) = shown(text);
        if cut {
            return vec![CellSpan {
                text,
                syntax: Syntax::Plain,
                mark: base,
            }];
        }
        // Both lists are sorted; a piece ends where either does.
        let mut out: Vec<CellSpan> = Vec::new();
        let mut marks = marks.iter().peekable();
        for s in pieces {
            let mut from = s.from;
            while from < s.to {
                while marks.next_if(|(_, q)| *q <= from).is_some() {}
                let (to, mark) = match marks.peek() {
                    Some((p, _)) if *p > from => (s.to.min(*p), base),
                    Some((_, q)) => (s.to.min(*q), Mark::Emphasised),
                    None => (s.to, base),
                };
                out.push(CellSpan {
                    text: text.get(from..to).unwrap_or("").to_owned(),
                    syntax: s.class,
                    mark,
                });
                from = to;
            }
        }
        out
    }
}
