//! Which bracket belongs to which.

use crate::c_lex::Tokens;

/// No partner.
pub(super) const NONE: u32 = u32::MAX;

/// The bracket that belongs to each bracket; those without one have none.
pub(super) fn partners(t: &Tokens<'_>, open: usize, last: usize) -> Vec<u32> {
    let mut out = vec![NONE; last.saturating_sub(open) + 1];
    let mut stack: Vec<usize> = Vec::new();
    for i in open..=last {
        match t.mark(i) {
            b'(' | b'[' | b'{' => stack.push(i),
            close @ (b')' | b']' | b'}') => {
                let fits = |o: usize| {
                    matches!(
                        (t.mark(o), close),
                        (b'(', b')') | (b'[', b']') | (b'{', b'}')
                    )
                };
                // A brace closes whatever was left open within it.
                if close == b'}' {
                    while stack.last().is_some_and(|o| t.mark(*o) != b'{') {
                        stack.pop();
                    }
                }
                if let Some(o) = stack.pop_if(|o| fits(*o)) {
                    let place = |i: usize| u32::try_from(i).unwrap_or(NONE);
                    out[o - open] = place(i);
                    out[i - open] = place(o);
                }
            }
            _ => {}
        }
    }
    out
}
