//! Blocks of lines that went from one place to another.

use std::collections::HashMap;

use super::align::KeyMap;
use super::compare::{Comparison, NONE};
use crate::normalise::marks::LineKind;

/// Lines of code that a block has at least, so that a lone brace does not count.
const LEAST: usize = 3;

type Lines = HashMap<u32, u32>;

/// The line of B for each line of A that moved, and the other way round.
pub(super) fn moved(c: &Comparison<'_>) -> (Lines, Lines) {
    // Lines of each side, and in which run of changes each stands.
    let (mut deleted, mut inserted) = (Vec::new(), Vec::new());
    let (mut run_a, mut run_b) = (Vec::new(), Vec::new());
    let mut run = 0usize;
    for e in &c.entries {
        match (e.a, e.b) {
            (a, NONE) => {
                deleted.push(a);
                run_a.push(run);
            }
            (NONE, b) => {
                inserted.push(b);
                run_b.push(run);
            }
            _ => run += 1,
        }
    }
    let mut found = (Lines::new(), Lines::new());
    if deleted.len() < LEAST || inserted.len() < LEAST {
        return found;
    }
    // Places in the lists, of lines that stand once in each.
    let once = |lines: &[u32], keys: &[u64], kinds: &[LineKind]| {
        let mut map: KeyMap<Option<usize>> = KeyMap::default();
        for (i, n) in lines.iter().enumerate() {
            let n = *n as usize;
            if kinds.get(n) == Some(&LineKind::Code) {
                map.entry(keys[n])
                    .and_modify(|e| *e = None)
                    .or_insert(Some(i));
            }
        }
        map
    };
    let left = once(&deleted, &c.a.keys, &c.a.kinds);
    let right = once(&inserted, &c.b.keys, &c.b.kinds);
    let mut taken = vec![false; deleted.len()];
    for i in 0..deleted.len() {
        let key = c.a.keys[deleted[i] as usize];
        let (Some(Some(p)), Some(Some(q))) = (left.get(&key), right.get(&key)) else {
            continue;
        };
        // In one place the lines became each other, and did not move.
        if *p != i || taken[i] || run_a[i] == run_b[*q] {
            continue;
        }
        let same =
            |x: usize, y: usize| c.a.keys[deleted[x] as usize] == c.b.keys[inserted[y] as usize];
        let (mut from, mut to) = (i, *q);
        while from > 0
            && to > 0
            && !taken[from - 1]
            && deleted[from - 1] + 1 == deleted[from]
            && inserted[to - 1] + 1 == inserted[to]
            && same(from - 1, to - 1)
        {
            (from, to) = (from - 1, to - 1);
        }
        let mut n = 0;
        while from + n < deleted.len()
            && to + n < inserted.len()
            && !taken[from + n]
            && (n == 0
                || (deleted[from + n] == deleted[from + n - 1] + 1
                    && inserted[to + n] == inserted[to + n - 1] + 1))
            && same(from + n, to + n)
        {
            n += 1;
        }
        let code = (from..from + n)
            .filter(|x| c.a.kinds[deleted[*x] as usize] == LineKind::Code)
            .count();
        if code < LEAST {
            continue;
        }
        for k in 0..n {
            taken[from + k] = true;
            found.0.insert(deleted[from + k], inserted[to + k]);
            found.1.insert(inserted[to + k], deleted[from + k]);
        }
    }
    found
}
