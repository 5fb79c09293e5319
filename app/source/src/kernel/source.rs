//! Facts of C-like device source: CUDA, MACA, HIP, and what generators emit for them.

use std::collections::{BTreeSet, HashMap};

use super::body::Body;
use super::declaration::{declaration, value};
use super::outline::{Outline, Piece, Role, outline};
use super::words::{Variables, Words};
use super::{Kernel, KernelFacts, Tally, base_name, stated};
use crate::c_lex::{Class, Kind, MAX_TOKENS, Tokens, integer};

/// Named constants of a file that are kept.
const MAX_CONSTANTS: usize = 1024;

/// Steps from function to function over all kernels; beyond them helpers are not followed.
const MAX_STEPS: usize = 200_000;

pub(super) fn read(facts: &mut KernelFacts, text: &str) {
    let Some(t) = Tokens::read(text) else {
        facts.notice(format!("more than {MAX_TOKENS} tokens: no facts are taken"));
        return;
    };
    read_tokens(facts, &t, &outline(&t));
}

/// Takes the facts of a text that was read.
pub(crate) fn read_tokens(facts: &mut KernelFacts, t: &Tokens<'_>, outline: &Outline) {
    let constants = constants(t, outline);
    let functions: Vec<&Piece> = outline
        .pieces
        .iter()
        .filter(|p| p.role != Role::Context)
        .collect();
    let (words, mut vars) = (Words::of(t), Variables::of(t));
    let mut read: Vec<(Tally, Vec<u32>)> = functions
        .iter()
        .map(|p| Body::read(t, p, &constants, &words, &mut vars))
        .collect();
    for notice in &outline.notices {
        facts.notice(notice.clone());
    }
    let mut helpers: HashMap<u32, Vec<usize>> = HashMap::new();
    for (i, p) in functions.iter().enumerate() {
        if p.role == Role::Function
            && let Some(name) = t.symbol(p.name)
        {
            helpers.entry(name).or_default().push(i);
        }
    }
    let mut steps = 0;
    let mut all_helpers = BTreeSet::new();
    let mut own_total = Tally::default();
    let mut count = 0;
    for (i, p) in functions
        .iter()
        .enumerate()
        .filter(|(_, p)| p.role == Role::Kernel)
    {
        let reached = reached(i, &read, &helpers, &mut steps);
        // A kernel is nobody's helper.
        let mut own = std::mem::take(&mut read[i].0);
        launch(t, p, &mut own, &constants);
        own_total.take_in(&own);
        let mut kernel = Kernel {
            name: t.at(p.name).to_owned(),
            base: base_name(t.at(p.name)),
            bounds: bounds_text(t, p),
            ..Kernel::default()
        };
        for h in &reached {
            own.take_in(&read[*h].0);
            kernel.helpers.push(t.at(functions[*h].name).to_owned());
        }
        all_helpers.extend(reached);
        kernel.tally = own;
        facts.list(kernel);
        count += 1;
    }
    for h in all_helpers {
        own_total.take_in(&read[h].0);
    }
    own_total.add("kernel.count", count);
    facts.total.take_in(&own_total);
    if steps > MAX_STEPS {
        facts.notice("too many kernels and helpers: not every helper is counted".into());
    }
    stated::apply(facts, t.text);
}

/// The helpers that a function reaches by name, in order.
fn reached(
    kernel: usize,
    read: &[(Tally, Vec<u32>)],
    helpers: &HashMap<u32, Vec<usize>>,
    steps: &mut usize,
) -> BTreeSet<usize> {
    let mut seen = BTreeSet::new();
    let mut open = vec![kernel];
    while let Some(i) = open.pop() {
        for name in &read[i].1 {
            *steps += 1;
            if *steps > MAX_STEPS {
                return seen;
            }
            for h in helpers.get(name).into_iter().flatten() {
                if seen.insert(*h) {
                    open.push(*h);
                }
            }
        }
    }
    seen
}

/// Arguments of an attribute in the header of a kernel.
fn attribute(t: &Tokens<'_>, p: &Piece, name: &str) -> Option<(usize, usize)> {
    let at = (p.first..p.open)
        .filter(|i| t.class(*i) == Class::Launch)
        .find(|i| t.is(*i, name))?;
    t.closing(at + 1, p.open).map(|close| (at, close))
}

fn bounds_text(t: &Tokens<'_>, p: &Piece) -> String {
    attribute(t, p, "__launch_bounds__")
        .and_then(|(at, close)| t.text.get(t.place(at).0..t.place(close).1))
        .map(|s| s.chars().take(200).collect())
        .unwrap_or_default()
}

fn launch(t: &Tokens<'_>, p: &Piece, tally: &mut Tally, constants: &HashMap<&str, u64>) {
    let arguments = |name: &str| -> Vec<Option<u64>> {
        let Some((at, close)) = attribute(t, p, name) else {
            return Vec::new();
        };
        let mut out = Vec::new();
        let mut begin = at + 2;
        for i in at + 2..=close {
            if t.mark(i) == b',' || i == close {
                out.push(value(t, begin, i, &|n| constants.get(n).copied()));
                begin = i + 1;
            }
        }
        out
    };
    let bounds = arguments("__launch_bounds__");
    if !bounds.is_empty() {
        tally.add("launch.bounded", 1);
    }
    if let Some(Some(n)) = bounds.first() {
        tally.most("launch.threads", *n);
    }
    if let Some(Some(n)) = bounds.get(1) {
        tally.most("launch.min_blocks", *n);
    }
    // HIP spells the bound as a range in an attribute of the compiler.
    if let Some(Some(n)) = arguments("amdgpu_flat_work_group_size").get(1) {
        tally.most("launch.threads", *n);
        tally.add("launch.bounded", 1);
    }
    let cluster = arguments("__cluster_dims__");
    if !cluster.is_empty() && cluster.iter().all(Option::is_some) {
        let blocks = cluster
            .iter()
            .flatten()
            .fold(1u64, |a, b| a.saturating_mul(*b));
        tally.most("launch.cluster", blocks);
    }
    if let Some(Some(n)) = arguments("__maxnreg__").first() {
        tally.most("registers.limit", *n);
    }
}

/// `#define N 128` and `constexpr int N = 128;` outside of functions.
fn constants<'a>(t: &Tokens<'a>, outline: &Outline) -> HashMap<&'a str, u64> {
    let mut out: HashMap<&str, u64> = HashMap::new();
    let mut pieces = outline
        .pieces
        .iter()
        .filter(|p| p.role != Role::Context)
        .peekable();
    let mut i = 0;
    while i < t.len() && out.len() < MAX_CONSTANTS {
        if let Some(p) = pieces.next_if(|p| p.first <= i) {
            i = i.max(p.last + 1);
            continue;
        }
        if t.kind(i) == Some(Kind::Directive) {
            let mut words = t.at(i).split_whitespace();
            if words.next() == Some("#define")
                && let (Some(name), Some(v), None) = (words.next(), words.next(), words.next())
                && let Some(n) = integer(v.trim_matches(['(', ')']))
            {
                out.insert(name, n);
            }
        } else if t.class(i) == Class::Const
            && let Some(d) = declaration(t, i, t.len())
        {
            for v in d.variables.iter().filter(|v| v.value > 0) {
                if let Some(n) = value(t, v.value, v.end, &|n| out.get(n).copied()) {
                    out.insert(t.at(v.name), n);
                }
            }
        }
        i += 1;
    }
    out
}
