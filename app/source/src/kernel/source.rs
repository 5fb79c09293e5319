//! Facts of C-like device source: CUDA, MACA, HIP, and what generators emit for them.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::body::{Body, Known};
use super::brackets::Brackets;
use super::calls;
use super::conditions::Dead;
use super::declaration::{declaration, value};
use super::expansion::Macros;
use super::macros::{Define, Defines, arguments, tokens};
use super::outline::{Outliner, Piece, Role};
use super::records::Records;
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
    /// Macros that launch attributes hide behind.
    launches: Defines<'a>,
    macros: Macros<'a>,
    records: Records<'a>,
    /// Names of the functions so far.
    defined: HashSet<u32>,
    words: Words,
    vars: Variables,
    brackets: Brackets,
    read: Vec<Function<'a>>,
}

impl<'a> Source<'a> {
    /// Takes the facts of a part, of which some is left out.
    pub(crate) fn part(&mut self, t: &Tokens<'a>, pieces: &[Piece], dead: &Dead) {
        self.words.grow(t);
        self.vars.grow(t);
        self.macros.grow(t);
        let more = self.outside(t, pieces, dead);
        self.late |= more && !self.read.is_empty();
        for p in pieces.iter().filter(|p| p.role != Role::Context) {
            if p.role == Role::Function {
                self.defined.extend(t.symbol(p.name));
            }
            let known = Known {
                constants: &self.constants,
                words: &self.words,
                defined: &self.defined,
                dead,
                macros: &self.macros,
                records: &self.records,
            };
            let (vars, brackets) = (&mut self.vars, &mut self.brackets);
            let (mut tally, called) = Body::read(t, p, &known, vars, brackets);
            let is_kernel = p.role == Role::Kernel;
            if is_kernel {
                launch(t, p, &mut tally, &self.constants, &self.launches);
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

    /// Takes in what stands outside of functions: constants, names of types, macros. Whether there
    /// was a constant that was not known.
    fn outside(&mut self, t: &Tokens<'a>, pieces: &[Piece], dead: &Dead) -> bool {
        let mut found = false;
        let mut pieces = pieces.iter().filter(|p| p.role != Role::Context).peekable();
        let mut i = 0;
        while i < t.len() {
            if let Some(p) = pieces.next_if(|p| p.first <= i) {
                i = i.max(p.last + 1);
                continue;
            }
            if let Some(end) = dead.end(i) {
                i = end;
                continue;
            }
            let room = !self.fixed && self.constants.len() < MAX_CONSTANTS;
            if t.kind(i) == Some(Kind::Directive) {
                if let Some(d) = Define::read(t.at(i)) {
                    found |= self.define(d, room);
                }
            } else if t.class(i) == Class::Const {
                if let Some(d) = declaration(t, i, t.len()).filter(|_| room) {
                    for v in d.variables.iter().filter(|v| v.value > 0) {
                        let known = |n: &str| self.constants.get(n).copied();
                        if let Some(n) = value(t, v.value, v.end, &known) {
                            self.constants.insert(t.at(v.name), n);
                            found = true;
                        }
                    }
                }
            } else if t.class(i) == Class::Statement && matches!(t.at(i), "using" | "typedef") {
                self.words.alias(t, i);
            } else if Records::begins(t, i) {
                self.records.read(t, i, &self.words);
            }
            i += 1;
        }
        found
    }

    /// Takes a macro in; whether it is a constant.
    fn define(&mut self, d: Define<'a>, room: bool) -> bool {
        if d.body.contains("launch_bounds") || d.body.contains("work_group_size") {
            self.launches.add(d);
        } else if d.parameters.is_some() {
            self.macros.add(d);
        } else if room && let Some(n) = defined(d.body, &self.constants) {
            self.constants.insert(d.name, n);
            return true;
        }
        false
    }

    /// Reads a text; `None` when there are too many tokens.
    fn whole(mut self, text: &'a str) -> Option<(Self, Vec<String>)> {
        let mut t = Tokens::of(text);
        let (mut outliner, mut pieces) = (Outliner::default(), Vec::new());
        while !t.is_at_end() {
            outliner.part(&mut t, &mut pieces)?;
            self.part(&t, &pieces, outliner.dead());
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
        // What a call does by its name is counted at the call, and not in the body again.
        if calls::function("", f.name).is_none()
            && let Some(name) = f.symbol
        {
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

/// Where the arguments of a launch attribute lie between two tokens: its name and its end.
fn attribute(t: &Tokens<'_>, from: usize, to: usize, name: &str) -> Option<(usize, usize)> {
    let is = |i: usize| match t.class(i) {
        Class::Launch => t.is(i, name),
        // Clang knows the attribute by a name of its own, and libraries by macros of theirs.
        _ if name == BOUNDS && t.mark(i + 1) == b'(' => {
            let word = t.at(i);
            word == "launch_bounds" || word.contains("LAUNCH_BOUNDS")
        }
        _ => false,
    };
    let at = (from..to).find(|i| is(*i))?;
    t.closing(at + 1, to).map(|close| (at, close))
}

const BOUNDS: &str = "__launch_bounds__";

fn bounds_text(t: &Tokens<'_>, p: &Piece) -> String {
    attribute(t, p.first, p.open, BOUNDS)
        .and_then(|(at, close)| t.text.get(t.place(at).0..t.place(close).1))
        .map(|s| s.split_whitespace().collect::<Vec<_>>().join(" "))
        .map(|s| s.chars().take(200).collect())
        .unwrap_or_default()
}

fn launch(
    t: &Tokens<'_>,
    p: &Piece,
    tally: &mut Tally,
    constants: &FastMap<&str, u64>,
    macros: &Defines<'_>,
) {
    attributes(t, p.first, p.open, tally, constants);
    if macros.is_empty() {
        return;
    }
    for i in (p.first..p.open).filter(|i| t.is_word(*i)) {
        let Some(d) = macros.get(t.at(i)) else {
            continue;
        };
        let given = arguments(t, i + 1, p.open).map_or_else(Vec::new, |a| a.0);
        if let Some(text) = d.expand(&given)
            && let Some(own) = tokens(&text)
        {
            attributes(&own, 0, own.len(), tally, constants);
        }
    }
}

/// What the launch attributes between two tokens say.
fn attributes(
    t: &Tokens<'_>,
    from: usize,
    to: usize,
    tally: &mut Tally,
    constants: &FastMap<&str, u64>,
) {
    let arguments = |name: &str| -> Vec<Option<u64>> {
        let Some((at, close)) = attribute(t, from, to, name) else {
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
    let bounds = arguments(BOUNDS);
    if !bounds.is_empty() {
        tally.most("launch.bounded", 1);
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
        tally.most("launch.bounded", 1);
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

/// The number that a macro stands for.
fn defined(body: &str, constants: &FastMap<&str, u64>) -> Option<u64> {
    /// Numbers of kernels are short expressions.
    const MAX_BYTES: usize = 200;
    if body.is_empty() || body.len() > MAX_BYTES {
        return None;
    }
    integer(body).or_else(|| {
        let t = tokens(body)?;
        value(&t, 0, t.len(), &|n| constants.get(n).copied())
    })
}
