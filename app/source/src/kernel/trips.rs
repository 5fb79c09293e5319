//! How often loops of C-like source run, where the text says it, and where their statements end.

use super::body::Body;
use super::declaration::value;

impl Body<'_, '_> {
    /// The literal trip count of `int i = 0; i < 4; ++i`.
    pub(super) fn trips(&self, begin: usize, close: usize) -> Option<u64> {
        let t = self.t;
        let mut marks = (begin..close.min(begin + 64)).filter(|i| t.mark(*i) == b';');
        let (Some(first), Some(second), None) = (marks.next(), marks.next(), marks.next()) else {
            return None;
        };
        let constant = |n: &str| self.constant(n);
        let equals = (begin..first).find(|i| t.mark(*i) == b'=')?;
        let from = value(t, equals + 1, first, &constant)?;
        let name = t.at(equals - 1);
        let bound = first + 3 + usize::from(t.is(first + 3, "="));
        if !t.is(first + 1, name) || !t.is(first + 2, "<") {
            return None;
        }
        let to = value(t, bound, second, &constant)? + u64::from(bound > first + 3);
        let step = match (second + 1..close.min(second + 32)).find(|i| t.is(*i, "=")) {
            Some(i) if t.is(i - 1, "+") => value(t, i + 1, close, &constant)?,
            Some(_) => return None,
            None => 1,
        };
        (step > 0).then(|| to.saturating_sub(from).div_ceil(step))
    }

    /// The last token of the statement at a token.
    pub(super) fn statement_end(&self, mut i: usize) -> usize {
        for _ in 0..4096 {
            match self.t.mark(i) {
                b';' | b'}' => return i,
                b'{' => return self.partner(i).unwrap_or(self.last),
                b'(' | b'[' => i = self.partner(i).unwrap_or(i),
                0 if i >= self.t.len() => return i,
                _ => {}
            }
            i += 1;
        }
        i
    }
}
