//! The PTX in inline assembly.

use super::body::Body;
use super::ptx;
use crate::c_lex::Kind;

impl Body<'_, '_> {
    /// Counts the statement of inline assembly at a token.
    pub(super) fn inline_assembly(&mut self, i: usize) {
        let t = self.t;
        let open = (i + 1..i + 4).find(|j| t.is(*j, "("));
        let Some((open, close)) = open.and_then(|o| Some((o, self.partner(o)?))) else {
            return;
        };
        self.tally.add("asm.count", 1);
        let mut text = String::new();
        for j in open + 1..close.min(open + 4096) {
            match t.kind(j) {
                Some(Kind::Text) => text.push_str(literal(t.at(j))),
                _ if t.is(j, ":") => break,
                _ => {}
            }
        }
        let times = self.unrolled();
        ptx::inline(&mut self.tally, &text, times);
    }
}

/// What stands in a literal of a string.
fn literal(text: &str) -> &str {
    match text.strip_prefix("R\"") {
        Some(raw) => {
            let inside = raw.split_once('(').map_or("", |(_, rest)| rest);
            inside.rsplit_once(')').map_or(inside, |(text, _)| text)
        }
        None => text.trim_matches('"'),
    }
}
