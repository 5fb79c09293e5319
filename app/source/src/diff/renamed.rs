//! Lines that count as unchanged and have another text.

use super::compare::{Comparison, NONE};

impl Comparison<'_> {
    /// How many lines count as unchanged and have another text.
    pub(super) fn count_renamed(&self) -> usize {
        /// Lines that are compared at once: nearly all are the same.
        const TOGETHER: usize = 32;
        let entries = &self.entries;
        let (mut count, mut at) = (0, 0);
        while let Some(first) = entries.get(at) {
            if first.is_change() {
                at += 1;
                continue;
            }
            // Lines that follow each other on both sides.
            let run = (entries[at..].iter().take(TOGETHER).zip(0u32..))
                .take_while(|(e, n)| {
                    let next = |from: u32, to: u32| to != NONE && from.checked_add(*n) == Some(to);
                    next(first.a, e.a) && next(first.b, e.b)
                })
                .count()
                .max(1);
            let same = self.a.block(first.a as usize, run) == self.b.block(first.b as usize, run);
            if !same {
                count += (entries[at..at + run].iter())
                    .filter(|e| self.a.line(e.a as usize) != self.b.line(e.b as usize))
                    .count();
            }
            at += run;
        }
        count
    }
}
