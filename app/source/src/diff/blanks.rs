//! Lines that differ in blanks and comments alone.

use std::collections::HashSet;

use super::compare::{Comparison, NONE};
use super::side::Prepared;
use crate::normalise::marks::{LineKind, hash};

impl Comparison<'_> {
    /// Whether lines of both sides may differ in blanks and comments alone.
    ///
    /// To copy the blanks of a line is much faster than to leave out those that mean nothing, and
    /// what one program wrote has them in the same places.
    pub(super) fn differs_in_blanks(&self) -> bool {
        let passes = &self.options.passes;
        if !self.a.has_blanks(passes) || !self.b.has_blanks(passes) {
            return false;
        }
        let key = |p: &Prepared<'_>, n: u32| p.keys.get(n as usize).copied().unwrap_or(0);
        let (mut gone, mut keys) = (HashSet::new(), HashSet::new());
        for e in self.entries.iter().filter(|e| e.b == NONE) {
            if let Some(letters) = skeleton(self.a.line(e.a as usize)) {
                gone.insert(letters);
                keys.insert(key(&self.a, e.a));
            }
        }
        // A line that moved is the same line.
        let mut new = self.entries.iter().filter(|e| e.a == NONE);
        !gone.is_empty()
            && new.any(|e| {
                let letters = skeleton(self.b.line(e.b as usize));
                letters.is_some_and(|h| gone.contains(&h)) && !keys.contains(&key(&self.b, e.b))
            })
    }

    /// Whether nothing is left of a changed line after normalisation: a blank line, a comment.
    pub(super) fn is_noise(&self, i: usize) -> bool {
        let Some(e) = self.entries.get(i) else {
            return false;
        };
        let (side, line) = match e.a {
            NONE => (&self.b, e.b),
            a => (&self.a, a),
        };
        side.kinds.get(line as usize) == Some(&LineKind::Noise)
    }
}

/// What a line has without blanks, comments, and numbers of names; `None` where that is little.
fn skeleton(line: &str) -> Option<u64> {
    let b = line.as_bytes();
    let mut out = Vec::with_capacity(b.len());
    let (mut i, mut name) = (0, false);
    while let Some(c) = b.get(i) {
        match c {
            b' ' | b'\t' | b'\r' => {}
            b'/' if b.get(i + 1) == Some(&b'/') => break,
            b'/' if b.get(i + 1) == Some(&b'*') => {
                i += line[i..].find("*/").map_or(b.len(), |n| n + 2);
                name = false;
                continue;
            }
            b'0'..=b'9' | b'_' if name => {}
            c => out.push(*c),
        }
        name = match c {
            b'0'..=b'9' => name,
            c => c.is_ascii_alphabetic() || *c == b'_',
        };
        i += 1;
    }
    (out.len() > 2).then(|| hash(0, &out))
}
