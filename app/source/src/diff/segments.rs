//! In which order the parts of two files are aligned: kernels beside their partners.

use std::ops::Range;

use assay_core::text::inert;
use assay_core::view::{Said, SaidValue};

use super::align::in_order;
use super::compare::{Comparison, NONE};
use crate::said::{Join, Key, list, plain, say};

impl Comparison<'_> {
    /// What is aligned with what: kernels with their partners, and what lies between.
    ///
    /// Kernels in the same order on both sides keep the order of the file. One that stands
    /// elsewhere comes where it stands in B.
    pub(super) fn segments(&self, pairs: &[(usize, usize)]) -> Vec<Segment> {
        let place = |i: usize| u32::try_from(i).unwrap_or(NONE);
        let kept = in_order(&places(pairs));
        let mut elsewhere: Vec<(usize, usize)> = Vec::new();
        let mut next = kept.iter().peekable();
        for (n, p) in pairs.iter().enumerate() {
            if next.next_if(|k| **k == n).is_none() {
                elsewhere.push(*p);
            }
        }
        elsewhere.sort_by_key(|(_, j)| *j);
        let (mut skip_a, mut skip_b): (Vec<_>, Vec<_>) = (Vec::new(), Vec::new());
        for (i, j) in &elsewhere {
            skip_a.push(lines(&self.a.regions[*i].lines));
            skip_b.push(lines(&self.b.regions[*j].lines));
        }
        skip_a.sort_by_key(|r| r.start);
        skip_b.sort_by_key(|r| r.start);
        let mut out = Vec::new();
        let (mut from_a, mut from_b) = (0, 0);
        let mut late = elsewhere.into_iter().peekable();
        let end = (place(self.a.lines.len()), place(self.b.lines.len()));
        for n in kept.into_iter().map(Some).chain([None]) {
            let (a, b) = match n {
                Some(n) => (
                    lines(&self.a.regions[pairs[n].0].lines),
                    lines(&self.b.regions[pairs[n].1].lines),
                ),
                None => (end.0..end.0, end.1..end.1),
            };
            // A kernel that begins in the line in which the one before ends shares that line.
            let (a, b) = (
                a.start.max(from_a)..a.end.max(from_a),
                b.start.max(from_b)..b.end.max(from_b),
            );
            out.push(Segment {
                a: without(from_a..a.start, &skip_a),
                b: without(from_b..b.start, &skip_b),
            });
            while let Some((i, j)) = late
                .next_if(|(_, j)| lines(&self.b.regions[*j].lines).start < b.start || n.is_none())
            {
                out.push(Segment {
                    a: vec![lines(&self.a.regions[i].lines)],
                    b: vec![lines(&self.b.regions[j].lines)],
                });
            }
            (from_a, from_b) = (a.end, b.end);
            out.push(Segment {
                a: vec![a],
                b: vec![b],
            });
        }
        out
    }

    /// That kernels stand in another order, and which.
    pub(super) fn reordered(&self, pairs: &[(usize, usize)], kept: &[usize]) -> Said {
        /// More names than this are not read.
        const MOST: usize = 8;
        let mut names: Vec<SaidValue> = (0..pairs.len())
            .filter(|n| kept.binary_search(n).is_err())
            .map(|n| plain(format!("`{}`", inert(&self.b.regions[pairs[n].1].name))))
            .collect();
        let more = names.len().saturating_sub(MOST);
        names.truncate(MOST);
        let names = list(Join::Comma, names);
        match more {
            0 => say(Key::OtherOrder, [names]),
            n => say(Key::OtherOrderMore, [names, plain(n.to_string())]),
        }
    }
}

pub(super) fn places(pairs: &[(usize, usize)]) -> Vec<(u32, u32)> {
    let place = |i: usize| u32::try_from(i).unwrap_or(NONE);
    pairs.iter().map(|(i, j)| (place(*i), place(*j))).collect()
}

/// Lines of both sides that are aligned with each other.
pub(super) struct Segment {
    pub a: Vec<Range<u32>>,
    pub b: Vec<Range<u32>>,
}

fn lines(r: &Range<usize>) -> Range<u32> {
    let place = |i: usize| u32::try_from(i).unwrap_or(NONE);
    place(r.start)..place(r.end)
}

/// A range without those in a sorted list.
fn without(range: Range<u32>, skip: &[Range<u32>]) -> Vec<Range<u32>> {
    let mut out = Vec::new();
    let mut from = range.start;
    for s in skip
        .iter()
        .filter(|s| s.end > range.start && s.start < range.end)
    {
        if s.start > from {
            out.push(from..s.start);
        }
        from = from.max(s.end);
    }
    if from < range.end {
        out.push(from..range.end);
    }
    out
}
