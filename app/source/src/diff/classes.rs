//! What kind of change a hunk is.

use std::ops::Range;

use super::compare::{Comparison, Entry, NONE};
use super::line_change::LineChanges;
use super::side::Prepared;
use crate::language::Language;
use crate::normalise::marks::LineKind;

macro_rules! changes {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $weight:literal;)*) => {
        /// A kind of change, from the least to the most.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Change { $($(#[$doc])* $variant,)* }

        impl Change {
            /// Every kind, from the least to the most.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The name in views.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// How much it counts where changes are ranked.
            pub fn weight(self) -> u32 {
                match self { $(Self::$variant => $weight,)* }
            }
        }
    };
}

changes! {
    /// Comments, blanks, debug information: nothing that is left after normalisation.
    Comment = "comment", 0;
    /// What a compiler writes of a kernel beside its code (AMDGCN): registers, sizes, arguments.
    Metadata = "metadata", 1;
    /// Names of temporaries, labels and virtual registers.
    Rename = "rename", 0;
    /// The schedule of the same instructions.
    Scheduling = "scheduling", 1;
    /// Places in the stack frame, and its size.
    Stack = "stack", 1;
    /// Which register holds what.
    Registers = "registers", 5;
    /// Numbers and texts.
    Literal = "literal", 20;
    /// The machine that the code is for (PTX).
    Target = "target", 20;
    /// The same text, in which names mean something else.
    Rebound = "rebound", 60;
    /// Other names, or the same ones in another order.
    Operands = "operands", 60;
    /// Another operator.
    Operator = "operator", 60;
    /// Another type.
    Type = "type", 60;
    /// The condition of an instruction.
    Predicate = "predicate", 60;
    /// Another instruction, or another form of it.
    Opcode = "opcode", 60;
    /// The same lines in another order.
    Reorder = "reorder", 60;
    /// A block that went elsewhere, or came from there.
    Moved = "moved", 60;
    /// Lines that are new.
    Insert = "insert", 100;
    /// Lines that are gone.
    Delete = "delete", 100;
    /// Lines that became others.
    Edit = "edit", 100;
}

/// Blocks of more lines than this are not looked into line by line.
const MAX_LINES: usize = 2000;

/// The kinds of change in a hunk, each once, in order.
pub(super) fn classes(c: &Comparison<'_>, lines: Range<usize>) -> Vec<Change> {
    let mut out: Vec<Change> = Vec::new();
    let mut pairs = LineChanges::default();
    let mut at = lines.start;
    while at < lines.end {
        if !c.entries[at].is_change() {
            at += 1;
            continue;
        }
        let run = c.entries[at..lines.end].iter();
        let end = at + run.take_while(|e| e.is_change()).count();
        let block = &c.entries[at..end];
        let side = |of: fn(&Entry) -> u32| -> Vec<usize> {
            let lines = block.iter().map(of).filter(|n| *n != NONE);
            lines.map(|n| n as usize).collect()
        };
        let (a, b) = (side(|e| e.a), side(|e| e.b));
        out.extend(block_classes(c, &a, &b, &mut pairs));
        at = end;
    }
    for e in c.entries[lines].iter().filter(|e| !e.is_change()) {
        let (x, y) = (c.a.line(e.a as usize), c.b.line(e.b as usize));
        pairs.context(c.b.language, x, y);
    }
    out.extend(pairs.finish());
    out.sort_unstable();
    out.dedup();
    if out.len() > 1 {
        // Beside a real change these say nothing.
        out.retain(|c| !matches!(c, Change::Comment | Change::Rename));
    }
    out
}

/// What became of removed and new lines of one place; what became of single lines is in `pairs`.
fn block_classes<'c>(
    c: &'c Comparison<'_>,
    a: &[usize],
    b: &[usize],
    pairs: &mut LineChanges<'c>,
) -> Vec<Change> {
    let code = |p: &Prepared<'_>, lines: &[usize], kind: LineKind| -> Vec<usize> {
        lines
            .iter()
            .copied()
            .filter(|n| p.kinds[*n] == kind)
            .collect()
    };
    let (x, y) = (code(&c.a, a, LineKind::Code), code(&c.b, b, LineKind::Code));
    let mut out = Vec::new();
    if x.is_empty() && y.is_empty() {
        let scheduling = !code(&c.a, a, LineKind::Scheduling).is_empty()
            || !code(&c.b, b, LineKind::Scheduling).is_empty();
        let metadata = |p: &Prepared<'_>, lines: &[usize]| {
            p.language == Language::AsmAmdgcn && lines.iter().any(|n| is_metadata(p.line(*n)))
        };
        out.push(if scheduling {
            Change::Scheduling
        } else if metadata(&c.a, a) || metadata(&c.b, b) {
            Change::Metadata
        } else {
            Change::Comment
        });
        return out;
    }
    let went = |n: &usize| c.moved.0.contains_key(&u32::try_from(*n).unwrap_or(NONE));
    let came = |n: &usize| c.moved.1.contains_key(&u32::try_from(*n).unwrap_or(NONE));
    let (moved_x, x): (Vec<usize>, Vec<usize>) = x.into_iter().partition(went);
    let (moved_y, y): (Vec<usize>, Vec<usize>) = y.into_iter().partition(came);
    if !moved_x.is_empty() || !moved_y.is_empty() {
        out.push(Change::Moved);
    }
    if x.is_empty() && y.is_empty() {
        return out;
    }
    let keys = |p: &Prepared<'_>, lines: &[usize]| -> Vec<u64> {
        lines.iter().map(|n| p.keys[*n]).collect()
    };
    let (mut p, mut q) = (keys(&c.a, &x), keys(&c.b, &y));
    if p == q {
        out.push(Change::Rename);
        return out;
    }
    p.sort_unstable();
    q.sort_unstable();
    if p == q {
        out.push(Change::Reorder);
        return out;
    }
    let language = c.b.language;
    if x.is_empty() || y.is_empty() {
        let all = |p: &Prepared<'_>, lines: &[usize]| {
            lines.len() < MAX_LINES && lines.iter().all(|n| is_stack_line(language, p.line(*n)))
        };
        out.push(if all(&c.a, &x) && all(&c.b, &y) {
            Change::Stack
        } else if x.is_empty() {
            Change::Insert
        } else {
            Change::Delete
        });
        return out;
    }
    if x.len() != y.len() || x.len() > MAX_LINES {
        out.push(Change::Edit);
        return out;
    }
    for (i, j) in x.iter().zip(&y) {
        if c.a.keys[*i] == c.b.keys[*j] {
            out.push(Change::Rename);
        } else {
            pairs.add(language, c.a.line(*i), c.b.line(*j));
        }
    }
    out
}

/// Whether a line is one of `.amdgpu_metadata`: `  - .name: k`, `amdhsa.target: gfx942`.
fn is_metadata(line: &str) -> bool {
    let line = line.trim_start_matches([' ', '\t', '-']);
    let Some((key, _)) = line.split_once(':') else {
        return false;
    };
    // Local labels have a capital letter after their dot.
    let name = key
        .strip_prefix('.')
        .or_else(|| key.strip_prefix("amdhsa."));
    name.is_some_and(|n| {
        n.starts_with(|c: char| c.is_ascii_lowercase())
            && n.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
    })
}

pub(crate) fn is_x86(word: &str) -> bool {
    let w = word.strip_prefix(['r', 'e']).unwrap_or(word);
    let named = matches!(w, "ax" | "bx" | "cx" | "dx" | "si" | "di" | "bp" | "sp");
    let numbered = word.strip_prefix('r').is_some_and(|r| {
        let n = r.trim_end_matches(['d', 'w', 'b']);
        !n.is_empty() && n.len() <= 2 && n.bytes().all(|b| b.is_ascii_digit())
    });
    let byte = matches!(
        word,
        "al" | "bl" | "cl" | "dl" | "sil" | "dil" | "ah" | "bh" | "ch" | "dh"
    );
    named || numbered || byte
}

/// Whether a line works on the stack frame.
pub(super) fn is_stack_line(language: Language, line: &str) -> bool {
    let has = |words: &[&str]| words.iter().any(|w| line.contains(w));
    match language {
        Language::AsmX86_64 => {
            let op = line.trim_start();
            has(&["rsp", "rbp"]) || op.starts_with("push") || op.starts_with("pop")
        }
        Language::AsmAarch64 => has(&["[sp", "sp, sp", "[x29"]),
        Language::Sass => has(&["[R1", "STL", "LDL"]) || line.contains(" R1, R1,"),
        Language::AsmAmdgcn => has(&["scratch_", " s32"]),
        Language::Ptx => has(&["__local_depot", "%SP", "st.local", "ld.local"]),
        _ => false,
    }
}
