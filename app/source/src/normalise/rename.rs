//! Local variables of device source by what they are called without their numbers.
//!
//! Generators number their temporaries through the whole file, so that one more of them renames
//! all that follow. Here a variable is called by its stem and by how many variables of that stem
//! are alive around it: `i_3` in a loop of its own is `$i`, and `$i1` inside of another.

use std::fmt::Write as _;

use crate::c_lex::{Class, Kind, Tokens};
use crate::fast::FastMap;
use crate::kernel::outline::Piece;
use crate::kernel::{Declaration, read_declaration};

#[derive(PartialEq, Eq)]
enum Opened {
    /// A block.
    Block,
    /// The braces of an initialiser.
    Values,
    /// What a condition declares, until the statements of its branches end.
    Condition,
    /// What a loop declares, until its statement ends.
    Loop,
}

struct Scope {
    opened: Opened,
    round: usize,
    /// The variables before it.
    begin: usize,
}

/// New names by token, each text kept once.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Token and number of its name, in order of token.
    pub at: Vec<(u32, u32)>,
    table: Vec<String>,
    numbers: FastMap<String, u32>,
}

impl Names {
    pub(super) fn text(&self, number: u32) -> &str {
        self.table.get(number as usize).map_or("", String::as_str)
    }

    fn number(&mut self, name: &str) -> u32 {
        if let Some(n) = self.numbers.get(name) {
            return *n;
        }
        // There are fewer tokens than numbers.
        let n = u32::try_from(self.table.len()).unwrap_or(u32::MAX);
        self.table.push(name.to_owned());
        self.numbers.insert(name.to_owned(), n);
        n
    }

    fn put(&mut self, token: usize, number: u32) {
        self.at
            .push((u32::try_from(token).unwrap_or(u32::MAX), number));
    }
}

/// Gives the local variables of functions their new names.
#[derive(Default)]
pub(super) struct Renamer<'a> {
    scopes: Vec<Scope>,
    /// The variables that are alive, those of the innermost scope last.
    variables: Vec<Variable>,
    /// The innermost variable of each name, by number of the word.
    bound: Vec<u32>,
    /// The stem of each name that was declared, by number of the word.
    stem_of: Vec<u32>,
    stems: FastMap<&'a str, u32>,
    /// How many variables of a stem are alive, and the names they get in order.
    alive: Vec<(usize, Vec<u32>)>,
    /// A name being made.
    text: String,
}

/// A variable that is alive.
struct Variable {
    name: u32,
    stem: u32,
    /// What it is called now.
    new: u32,
    /// The variable of that name that it hides.
    hides: u32,
}

/// No variable, or no stem.
const NONE: u32 = u32::MAX;

impl<'a> Renamer<'a> {
    /// Makes room for all words that a text has by now.
    pub(super) fn grow(&mut self, t: &Tokens<'a>) {
        self.bound.resize(t.symbols(), NONE);
        self.stem_of.resize(t.symbols(), NONE);
    }

    /// Adds the new names of the local variables of one function.
    pub(super) fn rename(&mut self, t: &Tokens<'a>, piece: &Piece, out: &mut Names) {
        let first = out.at.len();
        let mut jumps = false;
        let mut round = 0usize;
        let mut begins = false;
        let mut pending: Vec<usize> = Vec::new();
        let mut header_ends: Vec<usize> = Vec::new();
        let mut d = Declaration::default();
        for (i, token) in t.range(piece.open, piece.last + 1) {
            let mark = token.mark();
            if let Some(symbol) = token.symbol() {
                if begins && read_declaration(t, i, piece.last + 1, &mut d) {
                    pending.clear();
                    pending.extend(d.variables.iter().rev().map(|v| v.name));
                }
                if pending.last() == Some(&i) {
                    pending.pop();
                    let name = self.declare(t, symbol, out);
                    out.put(i, name);
                } else if let Some(name) = self.name(symbol) {
                    if !is_member(t, i) {
                        out.put(i, name);
                    }
                } else if t.has_dollar(i) && !is_member(t, i) {
                    // No name of ours may meet one that was there.
                    let name = out.number(&format!("${}", t.at(i)));
                    out.put(i, name);
                }
                begins = matches!(token.class(), Class::Else | Class::Do);
                jumps |= token.class() == Class::Statement && t.is(i, "goto");
                continue;
            }
            let mut ended_header = false;
            match mark {
                0 => {
                    begins = token.is_directive();
                    continue;
                }
                b'{' => {
                    let opened = if i == piece.open || begins_block(t, i - 1) {
                        Opened::Block
                    } else {
                        Opened::Values
                    };
                    self.open(opened, round);
                }
                b'}' => {
                    let block = self.close_brace();
                    if block {
                        self.end_headers(round, t.class(i + 1) == Class::Else);
                    }
                }
                b'(' => {
                    if i > piece.open && t.class(i - 1).has_header() {
                        let opened = match t.class(i - 1) {
                            Class::If => Opened::Condition,
                            _ => Opened::Loop,
                        };
                        self.open(opened, round);
                        header_ends.push(round);
                    }
                    round += 1;
                }
                b')' => {
                    round = round.saturating_sub(1);
                    ended_header = header_ends.pop_if(|r| *r == round).is_some();
                }
                b';' => self.end_headers(round, t.class(i + 1) == Class::Else),
                _ => {}
            }
            begins = ended_header
                || matches!(mark, b';' | b'{' | b'}' | b':')
                || (mark == b'(' && i > piece.open && t.class(i - 1).has_header());
        }
        // What the text leaves open ends with the function.
        while self.close().is_some() {}
        if jumps {
            labels(t, piece, out, first);
        }
    }
}

/// Numbers the labels of a function in the order in which they stand, and its jumps like them.
fn labels(t: &Tokens<'_>, piece: &Piece, out: &mut Names, first: usize) {
    let mut numbers: FastMap<u32, u32> = FastMap::default();
    let mut found = Vec::new();
    for i in piece.open + 1..piece.last {
        let begins = matches!(t.mark(i - 1), b';' | b'{' | b'}' | b':' | b')')
            || matches!(t.class(i - 1), Class::Else | Class::Do)
            || t.kind(i - 1) == Some(Kind::Directive);
        if begins
            && t.mark(i + 1) == b':'
            && t.mark(i + 2) != b':'
            && !t.class(i).is_statement()
            && let Some(symbol) = t.symbol(i)
        {
            let name = out.number(&format!("$L{}", numbers.len()));
            found.push((i, *numbers.entry(symbol).or_insert(name)));
        }
    }
    for i in piece.open + 1..piece.last {
        let target =
            (t.class(i - 1) == Class::Statement && t.is(i - 1, "goto")).then(|| t.symbol(i));
        if let Some(name) = target.flatten().and_then(|s| numbers.get(&s)) {
            found.push((i, *name));
        }
    }
    // Labels have names of their own, which a variable may have too.
    let place = |i: usize| u32::try_from(i).unwrap_or(u32::MAX);
    let mut of_function = out.at.split_off(first);
    let taken: std::collections::BTreeSet<u32> = found.iter().map(|(i, _)| place(*i)).collect();
    of_function.retain(|(at, _)| !taken.contains(at));
    of_function.extend(found.into_iter().map(|(i, name)| (place(i), name)));
    of_function.sort_unstable();
    out.at.extend(of_function);
}

/// Whether a `{` after this token opens a block, and not the values of an initialiser.
fn begins_block(t: &Tokens<'_>, before: usize) -> bool {
    match t.class(before) {
        Class::Else | Class::Do => true,
        Class::Qualifier => t.is(before, "mutable"),
        _ => {
            matches!(t.mark(before), b')' | b'{' | b'}' | b';' | b':')
                || t.kind(before) == Some(Kind::Directive)
        }
    }
}

/// Whether a word is a member, or part of a qualified name.
fn is_member(t: &Tokens<'_>, i: usize) -> bool {
    let before = i.checked_sub(1).map_or(0, |j| t.mark(j));
    let pair = |mark| i >= 2 && t.mark(i - 2) == mark && t.is_glued(i - 1);
    match before {
        b'.' => true,
        b'>' if pair(b'-') => true,
        b':' if pair(b':') => true,
        _ => t.mark(i + 1) == b':' && t.mark(i + 2) == b':',
    }
}

/// A name without its number: `i` of `i_1`, `v` of `v_`, `T` of `T7`.
fn stem(name: &str) -> &str {
    let stem = name
        .trim_start_matches('$')
        .trim_end_matches(|c: char| c.is_ascii_digit() || c == '_');
    if stem.is_empty() { "_" } else { stem }
}

impl<'a> Renamer<'a> {
    fn open(&mut self, opened: Opened, round: usize) {
        self.scopes.push(Scope {
            opened,
            round,
            begin: self.variables.len(),
        });
    }

    fn stem(&mut self, t: &Tokens<'a>, symbol: u32) -> u32 {
        let known = self.stem_of[symbol as usize];
        if known != NONE {
            return known;
        }
        // There are fewer stems than words.
        let next = u32::try_from(self.alive.len()).unwrap_or(NONE);
        let number = *self
            .stems
            .entry(stem(t.symbol_text(symbol)))
            .or_insert(next);
        if number == next {
            self.alive.push((0, Vec::new()));
        }
        self.stem_of[symbol as usize] = number;
        number
    }

    fn declare(&mut self, t: &Tokens<'a>, symbol: u32, names: &mut Names) -> u32 {
        let number = self.stem(t, symbol);
        let (alive, known) = &mut self.alive[number as usize];
        let new = match known.get(*alive) {
            Some(new) => *new,
            None => {
                self.text.clear();
                self.text.push('$');
                self.text.push_str(stem(t.symbol_text(symbol)));
                if *alive > 0 {
                    // Writing to a string cannot fail.
                    let _ = write!(self.text, "{alive}");
                }
                let new = names.number(&self.text);
                known.push(new);
                new
            }
        };
        if !self.scopes.is_empty() {
            *alive += 1;
            let place = u32::try_from(self.variables.len()).unwrap_or(NONE);
            self.variables.push(Variable {
                name: symbol,
                stem: number,
                new,
                hides: std::mem::replace(&mut self.bound[symbol as usize], place),
            });
        }
        new
    }

    fn name(&self, symbol: u32) -> Option<u32> {
        let place = *self.bound.get(symbol as usize)?;
        self.variables.get(place as usize).map(|v| v.new)
    }

    fn close(&mut self) -> Option<Opened> {
        let scope = self.scopes.pop()?;
        while self.variables.len() > scope.begin
            && let Some(v) = self.variables.pop()
        {
            self.bound[v.name as usize] = v.hides;
            let alive = &mut self.alive[v.stem as usize].0;
            *alive = alive.saturating_sub(1);
        }
        Some(scope.opened)
    }

    /// Closes the innermost braces and what was left open within; true when they were a block.
    fn close_brace(&mut self) -> bool {
        loop {
            match self.close() {
                Some(Opened::Loop | Opened::Condition) => {}
                Some(opened) => return opened == Opened::Block,
                None => return false,
            }
        }
    }

    /// Ends the loops and conditions whose statement is over; before an `else` the innermost
    /// condition goes on.
    fn end_headers(&mut self, round: usize, before_else: bool) {
        while let Some(s) = self.scopes.last() {
            let ends = match s.opened {
                Opened::Loop => true,
                Opened::Condition => !before_else,
                Opened::Block | Opened::Values => false,
            };
            if !ends || s.round != round {
                return;
            }
            self.close();
        }
    }
}
