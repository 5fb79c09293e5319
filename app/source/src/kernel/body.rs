//! Facts of the body of one function of C-like device source.

use super::access::Accesses;
use super::brackets::Brackets;
use super::calls::{self, Effect};
use super::declaration::{Declaration, declaration, elements, read_declaration, value};
use super::outline::{Piece, Role};
use super::words::{Variables, Words};
use super::{Tally, ptx};
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
}

/// An unrolled loop being read.
struct Loop {
    end: usize,
    trips: u64,
}

/// A function being read.
pub(super) struct Body<'t, 'a> {
    pub t: &'t Tokens<'a>,
    pub open: usize,
    pub last: usize,
    brackets: &'t Brackets,
    pub accesses: Accesses,
    pub vars: &'t mut Variables,
    pub words: &'t Words,
    constants: &'t FastMap<&'a str, u64>,
    /// Constants of the function itself.
    own: FastMap<&'a str, u64>,
    /// Names in the declaration being read, in order.
    declared: Vec<usize>,
    pub tally: Tally,
    /// Functions called by name.
    called: Vec<u32>,
    /// The declaration being read.
    scratch: Declaration,
    loops: Vec<Loop>,
    unroll: Option<bool>,
    plain_shared: bool,
}

/// Names of functions that are kept for one body.
const MAX_CALLED: usize = 4096;

/// Variables that are kept for one body.
const MAX_VARIABLES: usize = 100_000;

impl<'t, 'a> Body<'t, 'a> {
    pub(super) fn read(
        t: &'t Tokens<'a>,
        piece: &Piece,
        constants: &'t FastMap<&'a str, u64>,
        words: &'t Words,
        vars: &'t mut Variables,
        brackets: &'t mut Brackets,
    ) -> (Tally, Vec<u32>) {
        vars.clear();
        brackets.read(t, piece.open, piece.last);
        let mut body = Self {
            t,
            open: piece.open,
            last: piece.last,
            brackets,
            accesses: Accesses::default(),
            vars,
            words,
            constants,
            own: FastMap::default(),
            declared: Vec::new(),
            tally: Tally::default(),
            called: Vec::new(),
            scratch: Declaration::default(),
            loops: Vec::new(),
            unroll: None,
            plain_shared: true,
        };
        body.parameters(piece);
        body.walk();
        body.accesses.put(&mut body.tally);
        if body.plain_shared {
            body.tally.add("shared.static_bytes", 0);
        } else {
            body.tally.remove("shared.static_bytes");
        }
        (body.tally, body.called)
    }

    pub(super) fn constant(&self, name: &str) -> Option<u64> {
        let own = self.own.get(name).or_else(|| self.constants.get(name));
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
        let space = match piece.role {
            Role::Kernel => Space::Global,
            _ => Space::Generic,
        };
        let Some(close) = self.t.closing(piece.name + 1, piece.open) else {
            return;
        };
        let mut i = piece.name + 2;
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
                let var = Var {
                    space: if pointer { space } else { Space::Local },
                    bits: self.words.bits(self.t, d.type_name),
                    pointer,
                    dims: 0,
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
        for (i, token) in t.range(self.open + 1, self.last) {
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
                _ => self.call(i),
            }
            self.access_of_word(i, class, symbol);
        }
    }

    fn directive(&mut self, line: &str) {
        let mut words = line[1..].split_whitespace();
        match words.next().unwrap_or("") {
            "if" | "ifdef" | "ifndef" => self.tally.add("conditional.count", 1),
            "pragma" => {
                let rest: Vec<&str> = words.take(3).collect();
                let number = rest
                    .iter()
                    .find_map(|w| integer(w.trim_matches(|c: char| !c.is_ascii_digit())));
                let first = rest.first().copied().unwrap_or("");
                let asks = first.starts_with("unroll") || rest.get(1) == Some(&"unroll");
                if first == "nounroll" || (asks && number == Some(1)) {
                    self.tally.add("loop.nounroll", 1);
                    self.unroll = Some(false);
                } else if asks {
                    self.tally.add("loop.unroll", 1);
                    self.unroll = Some(true);
                }
            }
            _ => {}
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
        let bits = self.words.bits(self.t, d.type_name);
        let auto = self.t.is(d.type_name, "auto");
        for v in &d.variables {
            let name = self.t.at(v.name);
            let size = elements(self.t, v.name + 1, &|n| self.constant(n));
            let mut var = Var {
                space: Space::Local,
                bits,
                pointer: v.pointer,
                dims: v.dims,
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

    fn loop_header(&mut self, i: usize) {
        self.tally.add("loop.count", 1);
        let unrolled = self.unroll.take() == Some(true);
        let Some(close) = self.partner(i + 1) else {
            return;
        };
        let Some(trips) = self
            .t
            .class(i)
            .eq(&Class::For)
            .then(|| self.trips(i + 2, close))
            .flatten()
        else {
            return;
        };
        if !unrolled {
            self.tally.most("loop.trips", trips);
        } else if self.loops.len() < 64 {
            let end = self.statement_end(close + 1);
            self.loops.push(Loop { end, trips });
        }
    }

    fn inline_assembly(&mut self, i: usize) {
        let t = self.t;
        let open = (i + 1..i + 4).find(|j| t.is(*j, "("));
        let Some((open, close)) = open.and_then(|o| Some((o, self.partner(o)?))) else {
            return;
        };
        self.tally.add("asm.count", 1);
        let mut text = String::new();
        for j in open + 1..close.min(open + 4096) {
            match t.kind(j) {
                Some(Kind::Text) => text.push_str(t.at(j).trim_matches('"')),
                _ if t.is(j, ":") => break,
                _ => {}
            }
        }
        let times = self.unrolled();
        ptx::inline(&mut self.tally, &text, times);
    }

    fn unrolled(&self) -> u64 {
        self.loops
            .iter()
            .fold(1, |n: u64, l| n.saturating_mul(l.trips))
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
            if !self.words.has_effect(t, symbol) {
                return;
            }
            let scoped = i >= 3 && t.mark(i - 1) == b':' && t.mark(i - 2) == b':';
            calls::function(if scoped { t.at(i - 3) } else { "" }, name)
        } else {
            None
        };
        if effect.is_none() {
            return;
        }
        let numbers: Vec<u64> = angle
            .map(|a| {
                (i + 2..a)
                    .filter(|j| t.kind(*j) == Some(Kind::Number))
                    .filter_map(|j| integer(t.at(j)))
                    .collect()
            })
            .unwrap_or_default();
        match effect {
            Some(Effect::Mma) => {
                let mut named = vec![format!("mma.{name}")];
                if let [m, n, k, ..] = numbers[..] {
                    named.push(format!("mma.{name}.m{m}n{n}k{k}"));
                }
                let times = self.unrolled();
                count_mma(&mut self.tally, &named, times);
            }
            Some(Effect::Sync(fact)) => super::count_sync(&mut self.tally, fact, name),
            Some(Effect::Count(fact)) => self.tally.add(fact, 1),
            Some(Effect::Swizzle) => {
                self.tally.add("swizzle.count", 1);
                self.tally.add(&format!("swizzle.{name}"), 1);
                for n in numbers {
                    self.tally.most("swizzle.panel", n);
                }
            }
            Some(Effect::Registers(fact)) => {
                if let Some(n) = numbers.first() {
                    self.tally.most(fact, *n);
                }
            }
            Some(Effect::Load) => self.access_by_call("load", open),
            Some(Effect::Store) => self.access_by_call("store", open),
            None => {}
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

/// Counts a matrix instruction; `times` is how often it stands there after unrolling, 0 where that
/// is no question.
pub(super) fn count_mma(tally: &mut Tally, names: &[String], times: u64) {
    tally.add("mma.count", 1);
    if times > 0 {
        tally.add("mma.unrolled", times);
    }
    for name in names {
        tally.add(name, 1);
    }
}

fn declaration_of_parameter(t: &Tokens<'_>, begin: usize, end: usize) -> Option<Declaration> {
    // The comma or parenthesis after the parameter ends its declaration like a semicolon.
    declaration(t, begin, end + 1)
}
