//! Facts of the body of one function of C-like device source.

use std::collections::HashSet;

use super::Tally;
use super::access::Accesses;
use super::brackets::Brackets;
use super::calls::{self, Effect};
use super::conditions::Dead;
use super::declaration::{Declaration, declaration, elements, read_declaration, value};
use super::expansion::Macros;
use super::mma::Mma;
use super::outline::{Piece, Role};
use super::records::Records;
use super::trips::Loops;
use super::words::{Looked, Variables, Words};
use crate::c_lex::{Class, Kind, Tokens, integer};
use crate::fast::FastMap;

/// Where a variable lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Space {
    Global,
    Shared,
    Local,
    Generic,
}

impl Space {
    /// Every one, in the order of its number.
    pub(super) const ALL: [Self; 4] = [Self::Global, Self::Shared, Self::Local, Self::Generic];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Shared => "shared",
            Self::Local => "local",
            Self::Generic => "generic",
        }
    }
}

/// What is known of a variable.
#[derive(Debug, Clone, Copy)]
pub(super) struct Var {
    pub space: Space,
    pub bits: Option<u64>,
    pub pointer: bool,
    pub dims: usize,
    /// The type of an argument that is a record or points to one.
    pub record: Option<u32>,
}

/// What is known of a text before a function is read.
pub(super) struct Known<'t, 'a> {
    /// Constants outside of functions.
    pub constants: &'t FastMap<&'a str, u64>,
    pub words: &'t Words,
    /// Names of the functions that the text defines.
    pub defined: &'t HashSet<u32>,
    pub dead: &'t Dead,
    /// What macros stand for.
    pub macros: &'t Macros<'a>,
    pub records: &'t Records<'a>,
}

/// An unrolled loop being read.
pub(super) struct Loop {
    pub end: usize,
    /// Copies of its body.
    pub copies: u64,
}

/// What was asked for the next loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unroll {
    /// As it is.
    Not,
    /// As often as the loop runs.
    Whole,
    /// That many copies.
    By(u64),
}

/// A function being read.
pub(super) struct Body<'t, 'a> {
    pub t: &'t Tokens<'a>,
    pub open: usize,
    pub last: usize,
    brackets: &'t Brackets,
    pub accesses: Accesses,
    pub vars: &'t mut Variables,
    pub known: &'t Known<'t, 'a>,
    /// Constants of the function itself.
    own: FastMap<&'a str, u64>,
    /// Names in the declaration being read, in order.
    declared: Vec<usize>,
    pub tally: Tally,
    /// Functions called by name.
    called: Vec<u32>,
    /// The declaration being read.
    scratch: Declaration,
    pub loops: Vec<Loop>,
    pub unroll: Option<Unroll>,
    /// Up to where accesses are those of a macro that was counted.
    pub covered: usize,
    mma: Mma<'a>,
    pub steps: Loops,
    /// Whether the text has macros that may hide something.
    pub some_macros: bool,
    plain_shared: bool,
    /// Where pointers among the arguments lead.
    pub arguments: Space,
}

/// Names of functions that are kept for one body.
const MAX_CALLED: usize = 4096;

/// Variables that are kept for one body.
const MAX_VARIABLES: usize = 100_000;

impl<'t, 'a> Body<'t, 'a> {
    pub(super) fn read(
        t: &'t Tokens<'a>,
        piece: &Piece,
        known: &'t Known<'t, 'a>,
        vars: &'t mut Variables,
        brackets: &'t mut Brackets,
    ) -> (Tally, Vec<u32>) {
        vars.clear();
        brackets.read(t, piece.open, piece.last, known.dead);
        let mut body = Self {
            t,
            open: piece.open,
            last: piece.last,
            brackets,
            accesses: Accesses::default(),
            vars,
            known,
            own: FastMap::default(),
            declared: Vec::new(),
            tally: Tally::default(),
            called: Vec::new(),
            scratch: Declaration::default(),
            loops: Vec::new(),
            unroll: None,
            covered: 0,
            mma: Mma::default(),
            steps: Loops::default(),
            some_macros: !known.macros.is_empty(),
            plain_shared: true,
            arguments: match piece.role {
                Role::Kernel => Space::Global,
                _ => Space::Generic,
            },
        };
        body.parameters(piece);
        body.walk();
        body.accesses.put(&mut body.tally);
        body.mma.put(&mut body.tally);
        body.steps.put(&mut body.tally);
        if body.plain_shared {
            body.tally.add("shared.static_bytes", 0);
        } else {
            body.tally.remove("shared.static_bytes");
        }
        (body.tally, body.called)
    }

    pub(super) fn constant(&self, name: &str) -> Option<u64> {
        let own = self
            .own
            .get(name)
            .or_else(|| self.known.constants.get(name));
        own.copied()
    }

    /// The bracket that belongs to the one at a token.
    pub(super) fn partner(&self, i: usize) -> Option<usize> {
        self.brackets.partner(i)
    }

    /// Whether a token is a name in the declaration being read.
    pub(super) fn is_declared(&self, i: usize) -> bool {
        self.declared.last().is_some_and(|last| i <= *last) && self.declared.contains(&i)
    }

    fn parameters(&mut self, piece: &Piece) {
        let space = self.arguments;
        // `f(`, `f<float, 4>(` of a specialised template, `KERNEL(f)(` of a macro.
        let open = match self.t.mark(piece.name + 1) {
            b'<' => self.t.closing_angle(piece.name + 1).map(|close| close + 1),
            b')' => Some(piece.name + 2),
            _ => Some(piece.name + 1),
        };
        let Some((open, close)) = open.and_then(|o| Some((o, self.t.closing(o, piece.open)?)))
        else {
            return;
        };
        let mut i = open + 1;
        while i < close {
            let mut end = i;
            let mut depth = 0usize;
            while end < close && !(depth == 0 && self.t.mark(end) == b',') {
                match self.t.mark(end) {
                    b'(' | b'[' | b'<' => depth += 1,
                    b')' | b']' | b'>' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                end += 1;
            }
            if let Some(d) = declaration_of_parameter(self.t, i, end) {
                let v = d.variables[0];
                let pointer = v.pointer || v.dims > 0;
                let bits = self.known.words.bits(self.t, d.type_name);
                let var = Var {
                    space: if pointer { space } else { Space::Local },
                    bits,
                    pointer,
                    // Of `float (*a)[16]` both have to be gone through.
                    dims: if v.pointer { v.dims } else { 0 },
                    record: (bits.is_none())
                        .then(|| self.t.symbol(d.type_name))
                        .flatten(),
                };
                if let Some(name) = self.t.symbol(v.name) {
                    self.vars.insert(name, var);
                }
            }
            i = end + 1;
        }
    }

    fn walk(&mut self) {
        let t = self.t;
        let mut begins = true;
        let mut header_end = None;
        let some_dead = !self.known.dead.is_empty();
        for (i, token) in t.range(self.open + 1, self.last) {
            if some_dead && self.known.dead.end(i).is_some() {
                continue;
            }
            let mark = token.mark();
            if token.is_directive() {
                self.directive(t.at(i));
                begins = true;
                continue;
            }
            while self.loops.last().is_some_and(|l| l.end < i) {
                self.loops.pop();
            }
            if mark != 0 {
                begins = matches!(mark, b';' | b'{' | b'}' | b':')
                    || header_end == Some(i)
                    || (mark == b'(' && t.class(i - 1).has_header());
                if mark == b'(' {
                    self.access_by_cast(i);
                }
                continue;
            }
            let Some(symbol) = token.symbol() else {
                begins = false;
                continue;
            };
            if begins {
                self.declaration(i);
            }
            let class = token.class();
            begins = matches!(class, Class::Else | Class::Do);
            match class {
                Class::For | Class::While => {
                    self.loop_header(i);
                    header_end = self.partner(i + 1).or(header_end);
                }
                Class::If | Class::Switch => header_end = self.partner(i + 1).or(header_end),
                Class::Asm | Class::OtherAsm => self.inline_assembly(i),
                Class::Statement if matches!(t.at(i), "using" | "typedef") => {
                    self.known.words.alias(t, i);
                }
                _ if self.pragma_macro(i) => begins = true,
                _ if self.some_macros && self.expand(i) => {}
                _ => self.call(i),
            }
            self.access_of_word(i, class, symbol);
        }
    }

    fn declaration(&mut self, i: usize) {
        let mut d = std::mem::take(&mut self.scratch);
        if read_declaration(self.t, i, self.last, &mut d) {
            self.declare(&d);
        }
        self.scratch = d;
    }

    fn declare(&mut self, d: &Declaration) {
        self.declared.clear();
        self.declared.extend(d.variables.iter().map(|v| v.name));
        let bits = self.known.words.bits(self.t, d.type_name);
        let auto = self.t.is(d.type_name, "auto");
        for v in &d.variables {
            let name = self.t.at(v.name);
            let size = elements(self.t, v.name + 1, &|n| self.constant(n));
            let mut var = Var {
                space: Space::Local,
                bits,
                pointer: v.pointer,
                dims: v.dims,
                record: None,
            };
            if d.shared {
                var.space = Space::Shared;
                self.shared(d, bits, size);
            } else if (v.pointer || auto) && v.value > 0 {
                var.space = self.space_in(v.value, v.end);
                // What `auto` stands for is not known well enough to count its elements.
                var.pointer = v.pointer;
                if var.space == Space::Shared {
                    self.shared_offset(v.value, v.end);
                }
            } else if v.pointer {
                var.space = Space::Generic;
            } else if v.dims > 0
                && let (Some(bits), Some(n)) = (bits, size)
            {
                self.tally
                    .add("local.array_bytes", bits.saturating_mul(n).div_ceil(8));
            }
            if d.constant
                && v.value > 0
                && let Some(n) = value(self.t, v.value, v.end, &|n| self.constant(n))
            {
                self.own.insert(name, n);
            }
            if self.vars.len() < MAX_VARIABLES
                && let Some(name) = self.t.symbol(v.name)
            {
                self.vars.insert(name, var);
            }
        }
    }

    fn shared(&mut self, d: &Declaration, bits: Option<u64>, size: Option<u64>) {
        if d.external {
            self.tally.add("shared.dynamic", 1);
            return;
        }
        self.tally.add("shared.declarations", 1);
        match (bits, size) {
            (Some(bits), Some(n)) => self
                .tally
                .add("shared.static_bytes", bits.saturating_mul(n).div_ceil(8)),
            _ => self.plain_shared = false,
        }
    }

    /// `((char*)buffer + 16384)`: where a buffer begins in shared memory.
    fn shared_offset(&mut self, begin: usize, end: usize) {
        let offset = (begin..end)
            .filter(|i| self.t.mark(*i) == b'+')
            .find_map(|i| integer(self.t.at(i + 1)));
        if let Some(n) = offset {
            self.tally.most("shared.dynamic_offset", n);
        }
    }

    fn call(&mut self, i: usize) {
        let t = self.t;
        let next = t.mark(i + 1);
        if !matches!(next, b'(' | b'<') || self.is_declared(i) {
            return;
        }
        let angle = (next == b'<').then(|| t.closing_angle(i + 1)).flatten();
        let open = angle.map_or(i + 1, |a| a + 1);
        if t.mark(open) != b'(' {
            // `tl::AllReduce<…>::run(…)` does what its class is for.
            if !(angle.is_some() && t.mark(open) == b':') {
                return;
            }
        }
        let name = t.at(i);
        let member = i >= 2
            && (t.mark(i - 1) == b'.'
                || (t.mark(i - 1) == b'>' && t.mark(i - 2) == b'-' && t.is_glued(i - 1)));
        let effect = if member {
            calls::method(self.object(i), name)
        } else if let Some(symbol) = t.symbol(i) {
            if self.called.len() < MAX_CALLED && self.vars.call(symbol) {
                self.called.push(symbol);
            }
            let looked = self.known.words.effect(t, symbol);
            match looked {
                Looked::Nothing => return,
                Looked::Does(effect) => return self.done(i, open, angle, effect),
                Looked::Scoped => {}
            }
            let scoped = i >= 3 && t.mark(i - 1) == b':' && t.mark(i - 2) == b':';
            let scope = if scoped { t.at(i - 3) } else { "" };
            calls::function(scope, name).or_else(|| {
                let own = scoped || self.known.defined.contains(&symbol);
                (!own).then(|| calls::unscoped(name)).flatten()
            })
        } else {
            None
        };
        if let Some(effect) = effect {
            self.done(i, open, angle, effect);
        }
    }

    /// Counts what the call at a token does; its arguments begin at `open`, and the end of those of
    /// its template is `angle`.
    fn done(&mut self, i: usize, open: usize, angle: Option<usize>, effect: Effect) {
        let t = self.t;
        let name = t.at(i);
        let numbers: Vec<u64> = angle
            .map(|a| {
                (i + 2..a)
                    .filter(|j| t.kind(*j) == Some(Kind::Number))
                    .filter_map(|j| integer(t.at(j)))
                    .collect()
            })
            .unwrap_or_default();
        match effect {
            Effect::Mma => {
                let times = self.unrolled();
                self.mma.count(&mut self.tally, name, &numbers, times);
            }
            Effect::Sync(fact) => super::count_sync(&mut self.tally, fact, name),
            Effect::SyncOrWait => {
                let waits = t.is(open + 1, "0");
                let fact = if waits { "async.wait" } else { "barrier.block" };
                super::count_sync(&mut self.tally, fact, name);
            }
            Effect::Expect => {
                super::count_sync(&mut self.tally, "mbarrier.arrive", name);
                self.expected(open);
            }
            Effect::ExpectAlone => self.expected(open),
            Effect::Wide(kind) => {
                self.count_memory(kind, Space::Global, calls::bits(name));
            }
            Effect::Count(fact) => self.tally.add(fact, 1),
            Effect::Swizzle => {
                self.tally.add("swizzle.count", 1);
                self.tally.add(&format!("swizzle.{name}"), 1);
                for n in numbers {
                    self.tally.most("swizzle.panel", n);
                }
            }
            Effect::Registers(fact) => {
                if let Some(n) = numbers.first() {
                    self.tally.most(fact, *n);
                }
            }
            Effect::Load => self.access_by_call("load", open),
            Effect::Store => self.access_by_call("store", open),
        }
    }

    /// The bytes that a barrier is told to expect: the last argument.
    fn expected(&mut self, open: usize) {
        let Some(close) = self.partner(open) else {
            return;
        };
        let from = (open + 1..close)
            .rev()
            .find(|i| self.t.mark(*i) == b',')
            .unwrap_or(open)
            + 1;
        if let Some(n) = value(self.t, from, close, &|n| self.constant(n)) {
            self.tally.add("tma.expect_bytes", n);
        }
    }

    /// The name of the object that a method is called on: `bar` of `bar[0].wait(…)`.
    fn object(&self, method: usize) -> &'a str {
        let t = self.t;
        let mut i = method - 2;
        if t.mark(method - 1) == b'>' {
            i = i.saturating_sub(1);
        }
        for _ in 0..4 {
            match t.mark(i) {
                b')' | b']' => match self.partner(i) {
                    Some(open) if open > self.open => i = open - 1,
                    _ => return "",
                },
                _ => return t.at(i),
            }
        }
        ""
    }
}

fn declaration_of_parameter(t: &Tokens<'_>, begin: usize, end: usize) -> Option<Declaration> {
    // The comma or parenthesis after the parameter ends its declaration like a semicolon.
    declaration(t, begin, end + 1)
}
