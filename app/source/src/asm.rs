//! Assembly for the GNU assembler, read line by line.

pub(crate) mod aarch64;
pub(crate) mod statement;
pub(crate) mod x86;

pub(crate) use statement::{Dialect, Section, Statement, each_statement, split_comment};

/// What one instruction is, as far as the facts need it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Class {
    /// Fused multiply-add, scalar or vector.
    pub fma: bool,
    /// Works on several elements at once.
    pub vector: bool,
    /// Widest fixed vector register, in bits; 0 when not a vector instruction.
    pub width_bits: u32,
    /// Vector instruction whose width is only known at run time.
    pub scalable: bool,
    /// Vector load.
    pub load: bool,
    /// Vector store.
    pub store: bool,
    /// Dot product with accumulation.
    pub dot: bool,
    /// Matrix multiply-accumulate on tiles.
    pub matrix: bool,
    /// Jump, conditional or not.
    pub branch: bool,
    /// Call.
    pub call: bool,
    /// Software prefetch.
    pub prefetch: bool,
    /// What it does to the stack.
    pub stack: Stack,
}

/// What an instruction does to the stack frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Stack {
    /// Nothing of interest.
    #[default]
    None,
    /// Grows the frame by so many bytes.
    Grow(u64),
    /// Changes the stack pointer by an amount that the text does not show.
    Dynamic,
    /// Makes the frame pointer point into the frame.
    SetFramePointer,
    /// Stores a register relative to the stack pointer; the bits name callee-saved registers.
    StoreSp(u64),
    /// Stores a register relative to the frame pointer; the bits name callee-saved registers.
    StoreFp(u64),
}

/// Splits operands at commas outside of brackets, braces and parentheses.
pub(crate) fn operands(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let (mut depth, mut start) = (0u32, 0);
    for (i, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                out.push(text[start..i].trim());
                start = i + 1;
            }
            _ => {}
        }
    }
    let last = text[start..].trim();
    if !last.is_empty() || !out.is_empty() {
        out.push(last);
    }
    out
}

/// Reads an integer literal, decimal or hexadecimal, with sign.
pub(crate) fn integer(text: &str) -> Option<i64> {
    let t = text.trim();
    let (negative, t) = match t.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, t.strip_prefix('+').unwrap_or(t)),
    };
    let value = match t.strip_prefix("0x").or_else(|| t.strip_prefix("0X")) {
        Some(hex) => i64::from_str_radix(hex, 16).ok()?,
        None => t.parse::<i64>().ok()?,
    };
    Some(if negative { -value } else { value })
}
