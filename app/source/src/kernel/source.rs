//! Facts of C-like device source: CUDA, MACA, HIP, and what generators emit for them.

use std::collections::{BTreeSet, HashMap};

use super::body::Body;
use super::brackets::Brackets;
use super::declaration::{declaration, value};
use super::outline::{Outliner, Piece, Role};
use super::words::{Variables, Words};
use super::{Kernel, KernelFacts, Tally, base_name, stated};
use crate::c_lex::{Class, Kind, MAX_TOKENS, Tokens, integer};
use crate::fast::FastMap;

/// Named constants of a file that are kept.
const MAX_CONSTANTS: usize = 1024;

/// Steps from function to function over all kernels; beyond them helpers are not followed.
const MAX_STEPS: usize = 200_000;

pub(super) fn read(facts: &mut KernelFacts, text: &str) {
    match Source::default().whole(text) {
        Some((source, notices)) => source.finish(facts, &notices, text),
        None => facts.notice(format!("more than {MAX_TOKENS} tokens: no facts are taken")),
    }
}

/// A function that was read.
struct Function<'a> {
    is_kernel: bool,
    name: &'a str,
    symbol: Option<u32>,
    /// Launch bounds of a kernel as written.
    bounds: String,
    tally: Tally,
    /// Functions that it calls by name.
    called: Vec<u32>,
}

/// Takes the facts of a text part by part.
#[derive(Default)]
pub(crate) struct Source<'a> {
    constants: FastMap<&'a str, u64>,
    /// Whether the constants are those of the whole text.
    fixed: bool,
    /// Whether one came after a function that it may stand in.
    late: bool,
    words: Words,
    vars: Variables,
    brackets: Brackets,
    read: Vec<Function<'a>>,
}

impl<'a> Source<'a> {
    /// Takes the facts of a part.
    pub(crate) fn part(&mut self, t: &Tokens<'a>, pieces: &[Piece]) {
        if !self.fixed {
            let more = constants(t, pieces, &mut self.constants);
            self.late |= more && !self.read.is_empty();
        }
        self.words.grow(t);
        self.vars.grow(t);
        for p in pieces.iter().filter(|p| p.role != Role::Context) {
            let (words, vars) = (&self.words, &mut self.vars);
            let (mut tally, called) =
                Body::read(t, p, &self.constants, words, vars, &mut self.brackets);
            let is_kernel = p.role == Role::Kernel;
            if is_kernel {
                launch(t, p, &mut tally, &self.constants);
            }
            self.read.push(Function {
                is_kernel,
                name: t.at(p.name),
                symbol: t.symbol(p.name),
                bounds: if is_kernel {
                    bounds_text(t, p)
                } else {
                    String::new()
                },
                tally,
                called,
            });
        }
    }

    /// Reads a text; `None` when there are too many tokens.
    fn whole(mut self, text: &'a str) -> Option<(Self, Vec<String>)> {
        let mut t = Tokens::of(text);
        let (mut outliner, mut pieces) = (Outliner::default(), Vec::new());
        while !t.is_at_end() {
            outliner.part(&mut t, &mut pieces)?;
            self.part(&t, &pieces);
        }
        Some((self, outliner.finish()))
    }

    /// Adds the facts of the parts that were read, which are all of the text.
    pub(crate) fn finish(self, facts: &mut KernelFacts, notices: &[String], text: &str) {
        let mut read = self.read;
        if self.late {
            // Functions see the constants of the whole text, those after them as well.
            let known = Source {
                constants: self.constants,
                fixed: true,
                ..Source::default()
            };
            if let Some((again, _)) = known.whole(text) {
                read = again.read;
            }
        }
        for notice in notices {
            facts.notice(notice.clone());
        }
        list(facts, read);
        stated::apply(facts, text);
    }
}

/// Lists the kernels with what they reach.
fn list(facts: &mut KernelFacts, mut read: Vec<Function<'_>>) {
    let mut helpers: HashMap<u32, Vec<usize>> = HashMap::new();
    for (i, f) in read.iter().enumerate().filter(|(_, f)| !f.is_kernel) {
        if let Some(name) = f.symbol {
            helpers.entry(name).or_default().push(i);
        }
    }
    let mut steps = 0;
    let mut all_helpers = BTreeSet::new();
    let mut own_total = Tally::default();
    let mut count = 0;
    for i in 0..read.len() {
        if !read[i].is_kernel {
            continue;
        }
        let reached = reached(i, &read, &helpers, &mut steps);
        // A kernel is nobody's helper.
        let mut own = std::mem::take(&mut read[i].tally);
        own_total.take_in(&own);
        let mut kernel = Kernel {
            name: read[i].name.to_owned(),
            base: base_name(read[i].name),
            bounds: std::mem::take(&mut read[i].bounds),
            ..Kernel::default()
        };
        for h in &reached {
            own.take_in(&read[*h].tally);
            kernel.helpers.push(read[*h].name.to_owned());
        }
        all_helpers.extend(reached);
        kernel.tally = own;
        facts.list(kernel);
        count += 1;
    }
    for h in all_helpers {
        own_total.take_in(&read[h].tally);
    }
    own_total.add("kernel.count", count);
    facts.total.take_in(&own_total);
    if steps > MAX_STEPS {
        facts.notice("too many kernels and helpers: not every helper is counted".into());
    }
}

/// The helpers that a function reaches by name, in order.
fn reached(
    kernel: usize,
    read: &[Function<'_>],
    helpers: &HashMap<u32, Vec<usize>>,
    steps: &mut usize,
) -> BTreeSet<usize> {
    let mut seen = BTreeSet::new();
    let mut open = vec![kernel];
    while let Some(i) = open.pop() {
        for name in &read[i].called {
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

fn launch(t: &Tokens<'_>, p: &Piece, tally: &mut Tally, constants: &FastMap<&str, u64>) {
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

/// Adds `#define N 128` and `constexpr int N = 128;` outside of functions; whether any was there.
fn constants<'a>(t: &Tokens<'a>, pieces: &[Piece], out: &mut FastMap<&'a str, u64>) -> bool {
    let mut found = false;
    let mut pieces = pieces.iter().filter(|p| p.role != Role::Context).peekable();
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
                found = true;
            }
        } else if t.class(i) == Class::Const
            && let Some(d) = declaration(t, i, t.len())
        {
            for v in d.variables.iter().filter(|v| v.value > 0) {
                if let Some(n) = value(t, v.value, v.end, &|n| out.get(n).copied()) {
                    out.insert(t.at(v.name), n);
                    found = true;
                }
            }
        }
        i += 1;
    }
    found
}
