//! Blocks of lines that went from one place to another.

use std::collections::HashMap;

use super::align::KeyMap;
use super::compare::{Comparison, NONE};
use crate::normalise::marks::LineKind;

/// Lines of code that a block has at least, so that a lone brace does not count.
const LEAST: usize = 3;

type Lines = HashMap<u32, u32>;

/// What moved.
#[derive(Default)]
pub(super) struct Moves {
    /// The line of B for each line of A that moved, and the other way round.
    pub lines: (Lines, Lines),
    /// Single barriers, fences and waits among them: the line in A and in B.
    pub syncs: Vec<(u32, u32)>,
}

/// More barriers that moved are not spoken of one by one.
const MAX_SYNCS: usize = 8;

/// Words that tell a barrier, a fence, or a wait or commit of copies.
const SYNC: &[&str] = &[
    "syncthreads",
    "sync_thread",
    "syncwarp",
    "barrier",
    "fence",
    "wait",
    "commit",
    "arrive",
    "prefetch",
    "bar.",
    "membar",
    "depbar",
    "warpsync",
    "errbar",
    "s_waitcnt",
];

/// Whether the place of a line counts even when it is alone: other lines must not pass it.
fn is_sync(line: &str) -> bool {
    let line = line.get(..512).unwrap_or(line).to_ascii_lowercase();
    let line = line.trim_start();
    !line.starts_with("//") && SYNC.iter().any(|w| line.contains(w))
}

/// The code of a line for a sentence: without comments and cut to a few words.
pub(super) fn words_of(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find("/*") {
        out.push_str(&rest[..at]);
        rest = rest[at..].split_once("*/").map_or("", |(_, after)| after);
    }
    out.push_str(rest.split("//").next().unwrap_or(""));
    let words: Vec<&str> = out.split_whitespace().collect();
    let text = words.join(" ");
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Finds what moved.
pub(super) fn moved(c: &Comparison<'_>) -> Moves {
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
    let mut found = Moves::default();
    if deleted.is_empty() || inserted.is_empty() {
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
            let mut lines = (from..from + n).map(|x| deleted[x]);
            let Some(sync) = lines.position(|l| is_sync(c.a.line(l as usize))) else {
                continue;
            };
            if found.syncs.len() < MAX_SYNCS {
                let pair = (deleted[from + sync], inserted[to + sync]);
                found.syncs.push(pair);
            }
        }
        for k in 0..n {
            taken[from + k] = true;
            found.lines.0.insert(deleted[from + k], inserted[to + k]);
            found.lines.1.insert(inserted[to + k], deleted[from + k]);
        }
    }
    found
}
