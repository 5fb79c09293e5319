//! What became of each kernel, and which rows of a comparison it takes.

use std::ops::Range;

use super::compare::{Comparison, NONE};
use super::rows::{Layout, Row};
use super::side::Prepared;
use crate::normalise::marks::LineKind;

/// How a kernel of side A became one of side B.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KernelState {
    /// Letter for letter the same.
    #[default]
    Same,
    /// The same after normalisation.
    NormalisedEqual,
    /// Something that normalisation keeps is different.
    Changed,
    /// It is on side B only.
    New,
    /// It is on side A only.
    Gone,
}

impl KernelState {
    /// The name in views.
    pub fn name(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::NormalisedEqual => "normalised-equal",
            Self::Changed => "changed",
            Self::New => "new",
            Self::Gone => "gone",
        }
    }
}

impl Comparison<'_> {
    /// What became of kernel `i` of A, which is kernel `j` of B.
    pub(super) fn state(&self, i: usize, j: usize) -> KernelState {
        let (x, y) = (&self.a.regions[i], &self.b.regions[j]);
        let text = |p: &Prepared<'_>, r: &Range<usize>| {
            let bounds = (p.lines.get(r.start)).zip(p.lines.get(r.end.saturating_sub(1)));
            bounds.map_or(0..0, |(first, last)| first.0 as usize..last.1 as usize)
        };
        let (s, t) = (text(&self.a, &x.lines), text(&self.b, &y.lines));
        if self.a.text.get(s) == self.b.text.get(t) {
            return KernelState::Same;
        }
        fn kept<'p>(p: &'p Prepared<'_>, r: &Range<usize>) -> impl Iterator<Item = &'p u64> {
            let lines = r.clone();
            let lines = lines.filter(|n| p.kinds.get(*n) != Some(&LineKind::Noise));
            lines.filter_map(|n| p.keys.get(n))
        }
        if kept(&self.a, &x.lines).eq(kept(&self.b, &y.lines)) {
            KernelState::NormalisedEqual
        } else {
            KernelState::Changed
        }
    }

    /// The row of a layout at which a kernel begins, or in whose fold it does.
    pub fn row_of_kernel(&self, layout: &Layout, kernel: usize) -> Option<usize> {
        let k = self.kernels.get(kernel)?;
        let first = |at: Option<usize>, p: &Prepared<'_>| {
            let line = p.regions.get(at?)?.lines.start;
            u32::try_from(line).ok()
        };
        let (a, b) = (first(k.at.0, &self.a), first(k.at.1, &self.b));
        let place = (self.entries.iter()).position(|e| match b {
            Some(_) => Some(e.b) == b,
            None => Some(e.a) == a,
        })?;
        let head = Row::Kernel(u32::try_from(kernel).ok()?);
        layout.rows.iter().position(|r| match *r {
            Row::Folded { at, count } => {
                (at as usize..at as usize + count as usize).contains(&place)
            }
            Row::Lines { a: x, b: y, .. } => match b {
                Some(_) => y == b,
                None => x == a,
            },
            Row::Line { gone, line, .. } => {
                Some(line) == if gone { a.filter(|_| b.is_none()) } else { b }
            }
            row => row == head,
        })
    }

    /// The places in the comparison that each kernel with a change takes, in order, with its place
    /// in [`Comparison::kernels`].
    pub(super) fn kernel_places(&self) -> Vec<(Range<usize>, u32)> {
        let mut owner: (Vec<Option<u32>>, Vec<Option<u32>>) = (
            vec![None; self.a.lines.len()],
            vec![None; self.b.lines.len()],
        );
        for (n, k) in self.kernels.iter().enumerate() {
            let n = u32::try_from(n).unwrap_or(NONE);
            let sides = [
                (k.at.0, &self.a.regions, &mut owner.0),
                (k.at.1, &self.b.regions, &mut owner.1),
            ];
            for (at, regions, owner) in sides {
                let lines = at.and_then(|i| regions.get(i)).map(|r| r.lines.clone());
                for l in lines.into_iter().flatten() {
                    if let Some(o) = owner.get_mut(l) {
                        *o = Some(n);
                    }
                }
            }
        }
        let mut out: Vec<(Range<usize>, u32, bool)> = Vec::new();
        for (at, e) in self.entries.iter().enumerate() {
            let of = |owner: &[Option<u32>], n: u32| owner.get(n as usize).copied().flatten();
            let kernel = match e.b {
                NONE => of(&owner.0, e.a),
                b => of(&owner.1, b),
            };
            match (out.last_mut(), kernel) {
                (Some(last), Some(k)) if last.1 == k && last.0.end == at => {
                    last.0.end = at + 1;
                    last.2 |= e.is_change();
                }
                (_, Some(k)) => out.push((at..at + 1, k, e.is_change())),
                (_, None) => {}
            }
        }
        let changed = out.into_iter().filter(|(_, _, changed)| *changed);
        changed.map(|(range, k, _)| (range, k)).collect()
    }
}
