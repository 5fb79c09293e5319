//! Two files beside each other: which lines belong together, in hunks, and what kind of change each is.

use std::collections::HashMap;
use std::ops::Range;
use std::time::Instant;

use assay_core::text::inert;
use assay_core::view::Said;

use super::align::{Aligner, in_order};
use super::bindings::rebound;
use super::classes::{Change, classes};
use super::kernels::KernelState;
use super::moves::{moved, words_of};
use super::reader::Checkpoints;
use super::regions::pair;
use super::segments::places;
use super::side::Prepared;
use super::{Align, DiffOptions};
use crate::normalise::marks::hash;
use crate::said::{Key, plain, say};

/// No line on this side.
pub(super) const NONE: u32 = u32::MAX;

/// One line of a comparison, in the order of a unified diff. Lines count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    pub a: u32,
    pub b: u32,
}

impl Entry {
    pub(super) fn is_change(self) -> bool {
        self.a == NONE || self.b == NONE
    }
}

/// A change with the unchanged lines around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// Its lines, by place in the comparison.
    pub lines: Range<usize>,
    /// Name of the kernel on side A that it lies in; empty outside of kernels.
    pub kernel_a: String,
    /// Name of the kernel on side B that it lies in; empty outside of kernels.
    pub kernel_b: String,
}

/// Kernels that belong together, by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelPair {
    /// Name on side A; absent when the kernel is new.
    pub a: Option<String>,
    /// Name on side B; absent when the kernel is gone.
    pub b: Option<String>,
    /// How the one became the other.
    pub state: KernelState,
    /// Places in the regions of both sides.
    pub(super) at: (Option<usize>, Option<usize>),
}

/// A comparison of two prepared files. It holds no copy of their text: rows are made when asked for.
#[derive(Debug)]
pub struct Comparison<'a> {
    /// Side A.
    pub a: Prepared<'a>,
    /// Side B.
    pub b: Prepared<'a>,
    /// Changes in order.
    pub hunks: Vec<Hunk>,
    /// Kernels by pair, in the order of side B, those that are gone last.
    pub kernels: Vec<KernelPair>,
    /// Lines that count as unchanged and yet differ in what normalisation takes out.
    pub renamed: usize,
    /// What was left out or is coarse.
    pub notices: Vec<Said>,
    /// Whether kernels that belong together stand in another order.
    pub(super) is_reordered: bool,
    pub(super) entries: Vec<Entry>,
    /// The line of the other side for each line of A and of B that moved.
    pub(super) moved: (HashMap<u32, u32>, HashMap<u32, u32>),
    pub(super) options: DiffOptions,
    /// What the syntax of each side leaves open, as far as it was read.
    pub(super) syntax: (Checkpoints, Checkpoints),
}

impl<'a> Comparison<'a> {
    /// Compares two files.
    ///
    /// The time is bounded by [`DiffOptions::timeout`]; what had to be coarse is in the notices.
    pub fn new(a: Prepared<'a>, b: Prepared<'a>, options: &DiffOptions) -> Self {
        let deadline = Instant::now().checked_add(options.timeout);
        Self::until(a, b, options, deadline)
    }

    pub(super) fn until(
        a: Prepared<'a>,
        b: Prepared<'a>,
        options: &DiffOptions,
        deadline: Option<Instant>,
    ) -> Self {
        let mut out = Self {
            hunks: Vec::new(),
            kernels: Vec::new(),
            renamed: 0,
            notices: Vec::new(),
            is_reordered: false,
            entries: Vec::new(),
            moved: Default::default(),
            options: *options,
            syntax: Default::default(),
            a,
            b,
        };
        if out.align(deadline) {
            out.split(&rebound(&out));
        }
        if out.differs_in_blanks() {
            out.a.leave_out_blanks(&options.passes);
            out.b.leave_out_blanks(&options.passes);
            (out.entries, out.kernels, out.notices) = Default::default();
            if out.align(deadline) {
                out.split(&rebound(&out));
            }
        }
        if out.entries.iter().all(|e| !e.is_change()) && out.hides_a_change() {
            // Whatever keeps a difference from being seen, its lines are shown.
            out.notices.push(say(Key::Hidden, []));
            out.options.align = Align::Raw;
            (out.entries, out.kernels) = Default::default();
            out.align(deadline);
        }
        out.renamed = out.count_renamed();
        let moves = moved(&out);
        for m in moves.syncs {
            let line = |n: u32| plain(n.saturating_add(1).to_string());
            let text = words_of(out.a.line(m.0 as usize));
            let values = [plain(format!("`{}`", inert(&text))), line(m.0), line(m.1)];
            out.notices.push(say(Key::SyncMoved, values));
        }
        out.moved = moves.lines;
        out.group();
        out
    }

    /// Whether the sides differ after normalisation in more than the order of their kernels.
    fn hides_a_change(&self) -> bool {
        self.options.align == Align::Normalised
            && self.a.language == self.b.language
            && !self.normalised_equal()
            && !(self.is_reordered && self.kernels.iter().all(|k| k.state != KernelState::Changed))
    }

    /// Makes lines that were paired and mean something else removed and new ones.
    fn split(&mut self, places: &[usize]) {
        if places.is_empty() {
            return;
        }
        let lines = plain(places.len().to_string());
        self.notices.push(say(Key::Rebound, [lines]));
        let mut places = places.iter().copied().peekable();
        let old = std::mem::take(&mut self.entries);
        let mut new: Vec<Entry> = Vec::with_capacity(old.len() + places.len());
        let mut late: Vec<Entry> = Vec::new();
        for (at, e) in old.into_iter().enumerate() {
            if places.next_if_eq(&at).is_some() {
                new.push(Entry { a: e.a, b: NONE });
                late.push(Entry { a: NONE, b: e.b });
                continue;
            }
            new.append(&mut late);
            new.push(e);
        }
        new.append(&mut late);
        self.entries = new;
    }

    /// Pairs the lines; says whether any were paired by their text alone.
    fn align(&mut self, deadline: Option<Instant>) -> bool {
        let raw = match self.options.align {
            Align::Raw => Some((self.a.raw_keys(), self.b.raw_keys())),
            Align::Normalised => None,
        };
        let (keys_a, keys_b) = match &raw {
            Some((a, b)) => (a, b),
            None => (&self.a.keys, &self.b.keys),
        };
        let mut aligner = Aligner::new(deadline);
        let mut entries = Vec::with_capacity(self.a.lines.len().max(self.b.lines.len()));
        let same = self.a.language == self.b.language;
        let pairs = if same && self.a.regions != self.b.regions {
            pair(&self.a.regions, &self.b.regions)
        } else if same {
            (0..self.a.regions.len()).map(|i| (i, i)).collect()
        } else {
            Vec::new()
        };
        let kept = in_order(&places(&pairs));
        if kept.len() < pairs.len() && !self.is_reordered {
            self.is_reordered = true;
            self.notices.push(self.reordered(&pairs, &kept));
        }
        // A diff of the text has the lines where they stand.
        let beside: Vec<(usize, usize)> = match raw {
            Some(_) => kept.iter().map(|n| pairs[*n]).collect(),
            None => pairs.clone(),
        };
        let mut by_text = false;
        for segment in self.segments(&beside) {
            let of = |keys: &[u64], lines: &[Range<u32>]| -> Vec<u64> {
                let ranges = lines.iter().map(|r| r.start as usize..r.end as usize);
                ranges.flat_map(|r| keys[r].iter().copied()).collect()
            };
            let (x, y) = (of(keys_a, &segment.a), of(keys_b, &segment.b));
            let lines = |ranges: Vec<Range<u32>>| ranges.into_iter().flatten();
            let (mut left, mut right) = (lines(segment.a), lines(segment.b));
            for op in aligner.run(&x, &y) {
                let (n, m) = (op.a.1 - op.a.0, op.b.1 - op.b.0);
                if op.equal {
                    for _ in 0..n {
                        entries.push(Entry {
                            a: left.next().unwrap_or(NONE),
                            b: right.next().unwrap_or(NONE),
                        });
                    }
                    continue;
                }
                let deleted: Vec<u32> = left.by_ref().take(n as usize).collect();
                let inserted: Vec<u32> = right.by_ref().take(m as usize).collect();
                by_text |= self.change(&mut aligner, &deleted, &inserted, &mut entries);
            }
        }
        self.entries = entries;
        if aligner.coarse {
            self.notices.push(say(Key::CoarseTime, []));
        }
        self.list_kernels(&pairs);
        by_text
    }

    /// Adds removed and new lines of one place; says whether any of them are paired.
    ///
    /// Lines that differ after normalisation and yet have the same text are paired: a name may be
    /// called otherwise by what was added before it. Whether it means the same is looked at later.
    fn change(
        &self,
        aligner: &mut Aligner,
        deleted: &[u32],
        inserted: &[u32],
        entries: &mut Vec<Entry>,
    ) -> bool {
        let raw = |p: &Prepared<'_>, lines: &[u32]| -> Vec<u64> {
            let text = lines.iter().map(|n| p.line(*n as usize).as_bytes());
            text.map(|t| hash(0, t)).collect()
        };
        let both = !deleted.is_empty() && !inserted.is_empty();
        let ops = if both && self.options.align == Align::Normalised {
            aligner.run(&raw(&self.a, deleted), &raw(&self.b, inserted))
        } else {
            Vec::new()
        };
        let (mut from_a, mut from_b) = (0, 0);
        let mut put = |to_a: usize, to_b: usize, equal: usize| {
            let gone = deleted[from_a..to_a].iter();
            entries.extend(gone.map(|a| Entry { a: *a, b: NONE }));
            let new = inserted[from_b..to_b].iter();
            entries.extend(new.map(|b| Entry { a: NONE, b: *b }));
            let same = deleted[to_a..to_a + equal]
                .iter()
                .zip(&inserted[to_b..to_b + equal]);
            entries.extend(same.map(|(a, b)| Entry { a: *a, b: *b }));
            (from_a, from_b) = (to_a + equal, to_b + equal);
        };
        for op in ops.iter().filter(|o| o.equal) {
            put(op.a.0 as usize, op.b.0 as usize, (op.a.1 - op.a.0) as usize);
        }
        put(deleted.len(), inserted.len(), 0);
        ops.iter().any(|o| o.equal)
    }

    fn list_kernels(&mut self, pairs: &[(usize, usize)]) {
        let partner: HashMap<usize, usize> = pairs.iter().map(|(i, j)| (*j, *i)).collect();
        let mut taken = vec![false; self.a.regions.len()];
        for (j, r) in self.b.regions.iter().enumerate() {
            let i = partner.get(&j).copied();
            if let Some(i) = i {
                taken[i] = true;
            }
            self.kernels.push(KernelPair {
                a: i.map(|i| self.a.regions[i].name.clone()),
                b: Some(r.name.clone()),
                state: i.map_or(KernelState::New, |i| self.state(i, j)),
                at: (i, Some(j)),
            });
        }
        let gone = self.a.regions.iter().enumerate().zip(taken);
        for ((i, r), _) in gone.filter(|(_, t)| !t) {
            self.kernels.push(KernelPair {
                a: Some(r.name.clone()),
                b: None,
                state: KernelState::Gone,
                at: (Some(i), None),
            });
        }
    }

    /// Puts changes with their context into hunks.
    fn group(&mut self) {
        let context = self.options.context;
        let normalised = self.options.align == Align::Normalised;
        let mut at = 0;
        let mut hunks: Vec<Range<usize>> = Vec::new();
        while let Some(n) = self.entries[at..].iter().position(|e| e.is_change()) {
            let first = at + n;
            let length = self.entries[first..]
                .iter()
                .take_while(|e| e.is_change())
                .count();
            if normalised && (first..first + length).all(|i| self.is_noise(i)) {
                self.renamed += length;
                at = first + length;
                continue;
            }
            let (mut from, mut to) = (first, first + length);
            for _ in 0..context {
                let lines = from > at && !self.entries[from - 1].is_change();
                if lines && self.follows(from - 1) {
                    from -= 1;
                }
                if to < self.entries.len() && !self.entries[to].is_change() && self.follows(to - 1)
                {
                    to += 1;
                }
            }
            let near = first == 0 || self.follows(first - 1);
            match hunks.last_mut().filter(|last| near && last.end >= from) {
                Some(last) => last.end = to,
                None => hunks.push(from.max(hunks.last().map_or(0, |h| h.end))..to),
            }
            at = first + length;
        }
        let mut partners = (
            vec![None; self.a.regions.len()],
            vec![None; self.b.regions.len()],
        );
        for k in &self.kernels {
            if let (Some(i), Some(j)) = k.at {
                (partners.0[i], partners.1[j]) = (Some(j), Some(i));
            }
        }
        let all = hunks.into_iter().map(|lines| self.hunk(lines, &partners));
        self.hunks = all.collect();
    }

    /// Whether an entry and the next are neighbours in their files.
    fn follows(&self, i: usize) -> bool {
        let (Some(x), Some(y)) = (self.entries.get(i), self.entries.get(i + 1)) else {
            return false;
        };
        let jump = |p: u32, q: u32| p != NONE && q != NONE && q != p + 1;
        !jump(x.a, y.a) && !jump(x.b, y.b)
    }

    /// A hunk with the kernel of its first change that lies in one, and its partner.
    fn hunk(
        &self,
        lines: Range<usize>,
        partners: &(Vec<Option<usize>>, Vec<Option<usize>>),
    ) -> Hunk {
        let region = |p: &Prepared<'_>, line: u32| {
            let at = line as usize;
            let n = (p.regions.partition_point(|r| r.lines.start <= at)).checked_sub(1)?;
            p.regions[n].lines.contains(&at).then_some(n)
        };
        let of = |e: &Entry| match (e.a, e.b) {
            (NONE, b) => region(&self.b, b).map(|j| (partners.1[j], Some(j))),
            (a, _) => region(&self.a, a).map(|i| (Some(i), partners.0[i])),
        };
        let mut changes = self.entries[lines.clone()].iter().filter(|e| e.is_change());
        let (a, b) = changes.find_map(of).unwrap_or_default();
        let name = |p: &Prepared<'_>, n: Option<usize>| {
            n.map_or(String::new(), |n| p.regions[n].name.clone())
        };
        Hunk {
            kernel_a: name(&self.a, a),
            kernel_b: name(&self.b, b),
            lines,
        }
    }

    /// The kinds of change in a hunk, each once, in order.
    ///
    /// They are looked for when they are asked for: it takes longer than to find the hunk.
    pub fn changes(&self, hunk: &Hunk) -> Vec<Change> {
        let end = hunk.lines.end.min(self.entries.len());
        classes(self, hunk.lines.start.min(end)..end)
    }

    /// The same without a borrow of the files.
    pub fn into_owned(self) -> Comparison<'static> {
        Comparison {
            a: self.a.into_owned(),
            b: self.b.into_owned(),
            hunks: self.hunks,
            kernels: self.kernels,
            renamed: self.renamed,
            notices: self.notices,
            is_reordered: self.is_reordered,
            entries: self.entries,
            moved: self.moved,
            options: self.options,
            syntax: self.syntax,
        }
    }

    /// Whether both sides are the same after normalisation, over all channels.
    pub fn normalised_equal(&self) -> bool {
        self.a.language == self.b.language && self.a.normalised() == self.b.normalised()
    }

    /// Where a hunk begins on both sides and how many lines of each are in it: first line of A from
    /// 1, lines of A, first line of B, lines of B. A side without a line begins at 0.
    pub fn place(&self, hunk: usize) -> [u32; 4] {
        let lines = self.hunks.get(hunk).map_or(0..0, |h| h.lines.clone());
        let side = |of: fn(&Entry) -> u32| {
            let numbers = self.entries[lines.clone()].iter().map(of);
            let mut numbers = numbers.filter(|n| *n != NONE);
            let first = numbers.next();
            let count = first.map_or(0, |_| 1 + numbers.count());
            [
                first.map_or(0, |n| n.saturating_add(1)),
                u32::try_from(count).unwrap_or(u32::MAX),
            ]
        };
        let (a, b) = (side(|e| e.a), side(|e| e.b));
        [a[0], a[1], b[0], b[1]]
    }

    /// Number of lines of the comparison with everything unfolded.
    pub fn line_count(&self) -> usize {
        self.entries.len()
    }
}
