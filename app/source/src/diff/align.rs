//! Which lines of one side are which of the other.
//!
//! Lines that stand once on each side are anchors (patience); what lies between two of them is
//! searched by the histogram algorithm, and by Myers' when that takes too long. Whatever is left
//! when the time is spent counts as changed.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;
use std::time::Instant;

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

/// Equal lines, or lines of which those of A became those of B.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Op {
    pub equal: bool,
    pub a: (u32, u32),
    pub b: (u32, u32),
}

/// Levels at which anchors are searched again between two anchors.
const MAX_DEPTH: usize = 12;

/// At fewer levels than this anchors are searched however late it is: it takes time in proportion to
/// the lines, and without any nothing would be told of a large file.
const ALWAYS: usize = 2;

/// Parts of fewer lines are searched however late it is.
const SMALL: usize = 64;

/// Keys are hashes already.
#[derive(Default)]
pub(super) struct Same(u64);

impl Hasher for Same {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for b in bytes {
            self.0 = self.0.wrapping_mul(0x0100_0000_01b3) ^ u64::from(*b);
        }
    }

    fn write_u64(&mut self, n: u64) {
        self.0 = n;
    }
}

pub(super) type KeyMap<V> = HashMap<u64, V, BuildHasherDefault<Same>>;

pub(super) struct Aligner {
    deadline: Option<Instant>,
    /// Whether something was called changed because the time was spent.
    pub coarse: bool,
    ops: Vec<Op>,
}

impl Aligner {
    pub(super) fn new(deadline: Option<Instant>) -> Self {
        Self {
            deadline,
            coarse: false,
            ops: Vec::new(),
        }
    }

    /// Aligns two sequences of keys; the ops cover both from begin to end, in order.
    pub(super) fn run(&mut self, a: &[u64], b: &[u64]) -> Vec<Op> {
        self.part(a, b, 0..a.len(), 0..b.len(), 0);
        std::mem::take(&mut self.ops)
    }

    fn expired(&self) -> bool {
        self.deadline.is_some_and(|d| Instant::now() >= d)
    }

    fn push(&mut self, equal: bool, a: Range<usize>, b: Range<usize>) {
        if a.is_empty() && b.is_empty() {
            return;
        }
        // Sides are texts of less than 4 GiB.
        let place = |i: usize| u32::try_from(i).unwrap_or(u32::MAX);
        let (a, b) = (
            (place(a.start), place(a.end)),
            (place(b.start), place(b.end)),
        );
        match self.ops.last_mut() {
            Some(last) if last.equal == equal && last.a.1 == a.0 && last.b.1 == b.0 => {
                last.a.1 = a.1;
                last.b.1 = b.1;
            }
            _ => self.ops.push(Op { equal, a, b }),
        }
    }

    fn part(
        &mut self,
        a: &[u64],
        b: &[u64],
        mut x: Range<usize>,
        mut y: Range<usize>,
        depth: usize,
    ) {
        let head = (a[x.clone()].iter().zip(&b[y.clone()]))
            .take_while(|(p, q)| p == q)
            .count();
        self.push(true, x.start..x.start + head, y.start..y.start + head);
        (x.start, y.start) = (x.start + head, y.start + head);
        let tail = (a[x.clone()].iter().rev().zip(b[y.clone()].iter().rev()))
            .take_while(|(p, q)| p == q)
            .count();
        let (x_tail, y_tail) = (x.end - tail..x.end, y.end - tail..y.end);
        (x.end, y.end) = (x_tail.start, y_tail.start);
        if x.is_empty() || y.is_empty() || (x.len() == 1 && y.len() == 1) {
            self.push(false, x, y);
        } else if depth >= ALWAYS && x.len() + y.len() >= SMALL && self.expired() {
            self.coarse = true;
            self.push(false, x, y);
        } else {
            let anchors = if depth < MAX_DEPTH {
                anchors(&a[x.clone()], &b[y.clone()])
            } else {
                Vec::new()
            };
            if anchors.is_empty() {
                self.search(a, b, x, y);
            } else {
                let (mut i, mut j) = (x.start, y.start);
                for (p, q) in anchors {
                    let (p, q) = (x.start + p, y.start + q);
                    // Lines before the anchor may have been taken by what it is part of.
                    if p < i || q < j {
                        continue;
                    }
                    self.part(a, b, i..p, j..q, depth + 1);
                    let run = (a[p..x.end].iter().zip(&b[q..y.end]))
                        .take_while(|(s, t)| s == t)
                        .count();
                    self.push(true, p..p + run, q..q + run);
                    (i, j) = (p + run, q + run);
                }
                self.part(a, b, i..x.end, j..y.end, depth + 1);
            }
        }
        self.push(true, x_tail, y_tail);
    }

    /// Searches a part in which no line stands once on each side.
    fn search(&mut self, a: &[u64], b: &[u64], x: Range<usize>, y: Range<usize>) {
        let (old, new) = (&a[x.clone()], &b[y.clone()]);
        let small = old.len() + new.len() < SMALL;
        for (algorithm, share) in [(Algorithm::Histogram, 3), (Algorithm::Myers, 2)] {
            let now = Instant::now();
            let end = match self.deadline {
                _ if small => None,
                Some(d) => match d.checked_duration_since(now) {
                    Some(left) => Some(now + left / share),
                    None => break,
                },
                None => None,
            };
            let ops = capture_diff_slices_deadline(algorithm, old, new, end);
            if end.is_some_and(|e| Instant::now() >= e) {
                continue;
            }
            for op in ops {
                let (p, q) = (op.old_range(), op.new_range());
                let equal = matches!(op, DiffOp::Equal { .. });
                self.push(
                    equal,
                    x.start + p.start..x.start + p.end,
                    y.start + q.start..y.start + q.end,
                );
            }
            return;
        }
        self.coarse |= self.expired() || self.deadline.is_some();
        self.push(false, x, y);
    }
}

/// Pairs of lines that stand once on each side, the longest run of them that is in order.
fn anchors(a: &[u64], b: &[u64]) -> Vec<(usize, usize)> {
    const MANY: u32 = u32::MAX;
    let mut seen: KeyMap<(u32, u32)> = KeyMap::default();
    seen.reserve(a.len());
    let place = |i: usize| u32::try_from(i).unwrap_or(MANY - 2);
    // Places count from 1, so that 0 says that there is none.
    for (i, k) in a.iter().enumerate() {
        let slot = seen.entry(*k).or_default();
        slot.0 = if slot.0 == 0 { place(i) + 1 } else { MANY };
    }
    for (j, k) in b.iter().enumerate() {
        if let Some(slot) = seen.get_mut(k) {
            slot.1 = if slot.1 == 0 { place(j) + 1 } else { MANY };
        }
    }
    let pairs: Vec<(u32, u32)> = (a.iter())
        .filter_map(|k| seen.get(k))
        .filter(|(i, j)| *i != MANY && *j != MANY && *j != 0)
        .copied()
        .collect();
    in_order(&pairs)
        .into_iter()
        .map(|n| (pairs[n].0 as usize - 1, pairs[n].1 as usize - 1))
        .collect()
}

/// The longest choice of pairs, sorted by their first, in which the seconds grow too; by index.
pub(super) fn in_order(pairs: &[(u32, u32)]) -> Vec<usize> {
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<usize> = vec![usize::MAX; pairs.len()];
    for (n, (_, j)) in pairs.iter().enumerate() {
        let at = ends.partition_point(|m| pairs[*m].1 < *j);
        if at > 0 {
            before[n] = ends[at - 1];
        }
        if at == ends.len() {
            ends.push(n);
        } else {
            ends[at] = n;
        }
    }
    let mut out = Vec::with_capacity(ends.len());
    let mut next = ends.last().copied();
    while let Some(n) = next {
        out.push(n);
        next = Some(before[n]).filter(|m| *m != usize::MAX);
    }
    out.reverse();
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(a: &[u64], b: &[u64]) -> Vec<Op> {
        Aligner::new(None).run(a, b)
    }

    #[test]
    fn ops_cover_both_sides_and_equal_ones_are_equal() {
        let a = [1, 2, 3, 4, 5, 6, 2, 9];
        let b = [1, 3, 7, 4, 6, 2, 2, 8];
        let ops = run(&a, &b);
        let (mut i, mut j) = (0, 0);
        for o in &ops {
            assert_eq!((o.a.0, o.b.0), (i, j));
            (i, j) = (o.a.1, o.b.1);
            if o.equal {
                assert_eq!(
                    a[o.a.0 as usize..o.a.1 as usize],
                    b[o.b.0 as usize..o.b.1 as usize]
                );
            }
        }
        assert_eq!((i as usize, j as usize), (a.len(), b.len()));
        let equal: u32 = ops.iter().filter(|o| o.equal).map(|o| o.a.1 - o.a.0).sum();
        assert_eq!(equal, 5);
        assert!(run(&a, &a).iter().all(|o| o.equal));
        assert!(run(&[], &[]).is_empty());
    }

    #[test]
    fn the_longest_order_is_kept() {
        assert_eq!(
            in_order(&[(0, 5), (1, 1), (2, 2), (3, 0), (4, 3)]),
            [1, 2, 4]
        );
    }
}
