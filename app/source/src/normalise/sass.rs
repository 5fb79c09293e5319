//! Normalisation of SASS.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::marks::LineKind;
use super::relative::{MAX_ROWS, Row, each_symbol, relative};
use super::{Channels, Pass, Passes, collapse};
use crate::kernel::sass::{Line, line, parts};

/// An instruction as it was printed.
struct Instruction<'a> {
    offset: &'a str,
    code: &'a str,
    encoding: [Option<&'a str>; 2],
    /// Lines of the input, from 0: that of the code, and that of the upper half of the encoding.
    origins: [usize; 2],
}

/// The origin of a label that the text does not have.
const NOWHERE: usize = usize::MAX;

/// What stands in a function.
enum Item<'a> {
    Instruction(Instruction<'a>),
    Label(&'a str, usize),
}

pub(super) fn run(text: &str, passes: &Passes, out: &mut Channels) {
    let mut function: Option<&str> = None;
    let mut items: Vec<Item<'_>> = Vec::new();
    for (at, l) in text.lines().enumerate() {
        match line(l) {
            Line::Function(name) => {
                write(function, &mut items, passes, out);
                out.mark(at, name);
                function = Some(name);
            }
            Line::Instruction {
                offset,
                code,
                encoding,
            } => {
                if items.len() >= MAX_ROWS {
                    write(function.take(), &mut items, passes, out);
                    if out.notices.is_empty() {
                        out.notices.push(format!(
                            "a function of more than {MAX_ROWS} lines: jumps across its parts are not relative"
                        ));
                    }
                }
                items.push(Item::Instruction(Instruction {
                    offset,
                    code,
                    encoding: [encoding, None],
                    origins: [at, at],
                }));
            }
            Line::Encoding(word) => {
                if let Some(Item::Instruction(i)) = items.last_mut() {
                    i.encoding[1] = Some(word);
                    i.origins[1] = at;
                }
            }
            Line::Label(name) => items.push(Item::Label(name, at)),
            Line::Other(other) => {
                let keep_blank = !passes.has(Pass::Whitespace);
                let dropped = passes.has(Pass::Banners) && is_banner(other);
                if !dropped && (keep_blank || !other.is_empty()) {
                    let to = if passes.has(Pass::Preamble) {
                        &mut out.preamble
                    } else {
                        write(function.take(), &mut items, passes, out);
                        &mut out.text
                    };
                    to.push_str(other);
                    to.push('\n');
                    out.mark(at, other);
                }
            }
        }
    }
    write(function, &mut items, passes, out);
}

/// Lines that say where and by what the dump was made, and not what the code is.
fn is_banner(text: &str) -> bool {
    let dots = |c: char| text.len() > 3 && text.chars().all(|x| x == c);
    dots('=')
        || dots('.')
        || [
            "Fatbin",
            "host =",
            "identifier =",
            "producer =",
            "code version =",
            "compile_size =",
            "compressed",
            "//",
            "has debug",
        ]
        .iter()
        .any(|p| text.starts_with(p))
}

/// Writes what was read of a function.
fn write(function: Option<&str>, items: &mut Vec<Item<'_>>, passes: &Passes, out: &mut Channels) {
    if let Some(name) = function {
        out.text.push_str(name);
        out.text.push_str(":\n");
    }
    let labels = passes.has(Pass::Labels);
    let targets = if labels {
        targets(items)
    } else {
        BTreeSet::new()
    };
    let mut rows = Vec::with_capacity(items.len());
    let mut scheduling = String::new();
    for item in items.drain(..) {
        match item {
            Item::Label(name, origin) => rows.push(Row {
                label: labels.then(|| name.to_owned()),
                code: format!("{name}:"),
                origin,
            }),
            Item::Instruction(i) => {
                if let Some(at) = number(i.offset).filter(|n| targets.contains(n)) {
                    rows.push(Row {
                        label: Some(symbol(at)),
                        code: String::new(),
                        origin: NOWHERE,
                    });
                }
                let begin = scheduling.len();
                rows.push(Row {
                    label: None,
                    code: instruction(&i, &targets, passes, &mut scheduling),
                    origin: i.origins[0],
                });
                if let Some(m) = &mut out.marks
                    && i.origins[0] != i.origins[1]
                {
                    let hints = &scheduling.as_bytes()[begin..];
                    m.put(i.origins[1], LineKind::Scheduling, hints);
                }
            }
        }
    }
    if labels {
        relative(&mut rows);
    }
    for row in rows {
        if row.origin != NOWHERE {
            out.mark(row.origin, row.code.trim_start());
        }
        out.text.push_str(&row.code);
        out.text.push('\n');
    }
    if !scheduling.is_empty() {
        if let Some(name) = function {
            out.scheduling.push_str(name);
            out.scheduling.push_str(":\n");
        }
        out.scheduling.push_str(&scheduling);
    }
}

/// A symbol for an offset that no disassembly uses.
fn symbol(offset: u64) -> String {
    format!(".at.{offset:x}")
}

fn number(hex: &str) -> Option<u64> {
    u64::from_str_radix(hex, 16).ok()
}

/// Offsets that instructions of the function jump to, and that it has.
fn targets(items: &[Item<'_>]) -> BTreeSet<u64> {
    let mut wanted = BTreeSet::new();
    let mut there = BTreeSet::new();
    for item in items {
        if let Item::Instruction(i) = item {
            wanted.extend(target(i.code).map(|(_, n)| n));
            there.extend(number(i.offset));
        }
    }
    wanted.intersection(&there).copied().collect()
}

/// Where in the code of a jump its target stands, and the target.
fn target(code: &str) -> Option<(usize, u64)> {
    let (_, op, operands) = parts(code);
    let head = op.split('.').next().unwrap_or(op);
    let jumps = matches!(
        head,
        "BRA"
            | "BSSY"
            | "CALL"
            | "JMP"
            | "JCAL"
            | "CAL"
            | "SSY"
            | "PBK"
            | "PCNT"
            | "PRET"
            | "BREAK"
    );
    let last = operands.rsplit([',', ' ']).next()?.trim();
    let n = number(last.strip_prefix("0x").filter(|_| jumps)?)?;
    Some((code.len() - last.len(), n))
}

fn instruction(
    i: &Instruction<'_>,
    targets: &BTreeSet<u64>,
    passes: &Passes,
    scheduling: &mut String,
) -> String {
    let mut code = match target(i.code) {
        Some((at, n)) if targets.contains(&n) => format!("{}{}", &i.code[..at], symbol(n)),
        _ => i.code.to_owned(),
    };
    if passes.has(Pass::Whitespace) {
        code = collapse(&code);
    }
    let mut hints = i.encoding[1].map(control).unwrap_or_default();
    if passes.has(Pass::Scheduling) {
        let reused = take_reuse(&mut code);
        if hints.is_empty() && !reused.is_empty() {
            hints = format!("reuse {reused}");
        }
        if !hints.is_empty() {
            scheduling.push_str(&hints);
            scheduling.push('\n');
        }
        hints.clear();
    }
    let mut out = String::from(if passes.has(Pass::Whitespace) {
        "\t"
    } else {
        "        "
    });
    if !passes.has(Pass::Offsets) {
        let _ = write!(out, "/*{}*/ ", i.offset);
    }
    if !hints.is_empty() {
        let _ = write!(out, "[{hints}] ");
    }
    out.push_str(&code);
    if !passes.has(Pass::Offsets) {
        for word in i.encoding.iter().flatten() {
            let _ = write!(out, " /* {word} */");
        }
    }
    out
}

/// The control bits of the upper half of a 128-bit encoding (Volta and later): wait mask, read
/// barrier, write barrier, yield, stall cycles, reuse mask. `-` stands for no barrier.
fn control(word: &str) -> String {
    let Some(bits) = word.strip_prefix("0x").and_then(number) else {
        return String::new();
    };
    let c = bits >> 41;
    let barrier = |n: u64| match n & 7 {
        7 => "-".to_owned(),
        n => n.to_string(),
    };
    format!(
        "wait {:02x} read {} write {} {} stall {} reuse {:x}",
        (c >> 11) & 0x3f,
        barrier(c >> 8),
        barrier(c >> 5),
        // The bit is set where the scheduler shall not prefer another warp.
        if (c >> 4) & 1 == 0 { "yield" } else { "stay" },
        c & 15,
        (c >> 17) & 15
    )
}

/// Takes the `.reuse` marks out of the operands; says which operands had one.
fn take_reuse(code: &mut String) -> String {
    if !code.contains(".reuse") {
        return String::new();
    }
    let mut places = Vec::new();
    let mut at = 0;
    each_symbol(code, |start, end| {
        if code[start..end].ends_with(".reuse") {
            places.push(at.to_string());
        }
        at += 1;
    });
    *code = code.replace(".reuse", "");
    places.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_bits_are_those_of_the_encoding() {
        assert_eq!(
            control("0x000fe20000000800"),
            "wait 00 read - write - stay stall 1 reuse 0"
        );
        assert_eq!(
            control("0x004fe400078e0200"),
            "wait 04 read - write - stay stall 2 reuse 0"
        );
        assert_eq!(
            control("0x000e2e0000002100"),
            "wait 00 read - write 0 stay stall 7 reuse 0"
        );
    }
}
