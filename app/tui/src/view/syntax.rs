//! Syntax of the lines of a diff that are in view.

use assay_core::view::{DiffLine, DiffView};
use assay_source::syntax::{Highlighter, Span, Syntax};

use crate::state::At;
use crate::theme::Role;

/// Lines above the view that are read for what they leave open, such as a comment.
const READ_BACK: usize = 200;

/// Bytes of a line that are looked at: a generated line can be megabytes long.
const LINE_BYTES: usize = 16 << 10;

/// Follows the syntax of a hunk from row to row; only what is drawn is read, and a little before it.
pub struct Syntaxes<'v> {
    view: &'v DiffView,
    /// The hunk that is followed and the line that comes next.
    at: Option<(At, Highlighter)>,
}

impl<'v> Syntaxes<'v> {
    /// Nothing is followed yet.
    pub fn new(view: &'v DiffView) -> Self {
        Self { view, at: None }
    }

    /// The pieces of an unchanged line; nothing for another one, which is coloured by its change.
    pub fn of(&mut self, (file, hunk, line): At) -> Vec<Span> {
        let Some(f) = self.view.files.get(file) else {
            return Vec::new();
        };
        let (Some(lines), Ok(language)) = (f.hunks.get(hunk), f.language.parse()) else {
            return Vec::new();
        };
        let follows = |(f, h, l): &At| (*f, *h) == (file, hunk) && *l <= line;
        let (from, mut syntax) = match self.at.take() {
            Some((at, syntax)) if follows(&at) => (at.2, syntax),
            _ => (line.saturating_sub(READ_BACK), Highlighter::new(language)),
        };
        // Side A alone would open what side B does not have.
        let before = lines.get(from..line).unwrap_or_default();
        for l in before.iter().filter(|l| l.tag != "delete") {
            syntax.skip(&head(l));
        }
        let found = match lines.get(line) {
            Some(l) if l.tag == "insert" => {
                syntax.skip(&head(l));
                Vec::new()
            }
            Some(l) if l.tag != "delete" => syntax.line(&head(l)),
            _ => Vec::new(),
        };
        self.at = Some(((file, hunk, line + 1), syntax));
        found
    }
}

/// The beginning of a line.
fn head(line: &DiffLine) -> String {
    let mut out = String::new();
    for p in &line.pieces {
        let room = LINE_BYTES.saturating_sub(out.len());
        let end = (0..=room.min(p.text.len())).rev();
        let end = { end }.find(|i| p.text.is_char_boundary(*i)).unwrap_or(0);
        out.push_str(&p.text[..end]);
        if end < p.text.len() {
            break;
        }
    }
    out
}

/// The role of a piece of source.
pub fn role(class: Syntax) -> Role {
    match class {
        Syntax::Keyword | Syntax::Opcode => Role::Keyword,
        Syntax::Type | Syntax::Register | Syntax::Intrinsic => Role::Name,
        Syntax::Number | Syntax::String => Role::Literal,
        Syntax::Comment => Role::Dim,
        Syntax::Plain | Syntax::Label | Syntax::Directive | Syntax::Modifier => Role::Plain,
    }
}
