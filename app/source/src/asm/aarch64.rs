//! What an AArch64 instruction is.

use super::{Class, Stack, integer, operands};

const CONDITIONS: &[&str] = &[
    "eq", "ne", "cs", "hs", "cc", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le",
    "al",
];

/// Classifies one instruction; `mnemonic` is in lower case.
pub(crate) fn classify(mnemonic: &str, operand_text: &str) -> Class {
    let ops = operands(operand_text);
    let mut class = Class {
        branch: is_branch(mnemonic),
        call: mnemonic == "bl" || mnemonic.starts_with("blr"),
        prefetch: matches!(
            mnemonic,
            "prfm" | "prfum" | "prfb" | "prfh" | "prfw" | "prfd"
        ),
        fma: is_fma(mnemonic),
        dot: matches!(
            mnemonic,
            "sdot" | "udot" | "usdot" | "sudot" | "bfdot" | "fdot"
        ),
        matrix: mnemonic.ends_with("mmla")
            || mnemonic.ends_with("mopa")
            || mnemonic.ends_with("mops"),
        stack: stack(mnemonic, &ops),
        ..Class::default()
    };
    // A register copy, or a constant put into a register, is no vector work.
    if matches!(mnemonic, "movi" | "mvni") || (mnemonic == "mov" && ops.len() == 2) {
        return class;
    }
    let is_load = mnemonic.starts_with("ld");
    let is_store = mnemonic.starts_with("st");
    let memory = is_load || is_store;
    class.scalable = ops.iter().any(|o| is_scalable(o));
    class.width_bits = ops.iter().map(|o| width(o, memory)).max().unwrap_or(0);
    class.vector = class.scalable || class.width_bits > 0;
    if class.vector {
        class.load = is_load;
        class.store = is_store;
    }
    class
}

fn is_branch(mnemonic: &str) -> bool {
    matches!(mnemonic, "b" | "br" | "cbz" | "cbnz" | "tbz" | "tbnz")
        || mnemonic.starts_with("b.")
        || mnemonic.starts_with("bc.")
        || mnemonic.starts_with("braa")
        || mnemonic.starts_with("brab")
        || mnemonic
            .strip_prefix('b')
            .is_some_and(|c| CONDITIONS.contains(&c))
}

fn is_fma(mnemonic: &str) -> bool {
    [
        "fmadd", "fmsub", "fnmadd", "fnmsub", "fmla", "fmls", "fmad", "fmsb", "fnmla", "fnmls",
        "fnmad", "fnmsb", "bfmla", "fcmla",
    ]
    .iter()
    .any(|p| mnemonic.starts_with(p))
        && !mnemonic.ends_with("mmla")
}

fn is_scalable(operand: &str) -> bool {
    let o = operand.trim_start_matches(['{', ' ']);
    o.strip_prefix('z')
        .is_some_and(|r| r.starts_with(|c: char| c.is_ascii_digit()))
}

/// Width in bits of the fixed vector registers in an operand: `v0.4s`, `{v0.4s, v1.4s}`, and in
/// loads and stores `q0`. A single element (`v0.s[1]`) has none.
fn width(operand: &str, memory: bool) -> u32 {
    let o = operand.trim_start_matches(['{', ' ']);
    let number = |r: &str| r.starts_with(|c: char| c.is_ascii_digit());
    if o.strip_prefix('q').is_some_and(number) {
        return if memory { 128 } else { 0 };
    }
    if !o.strip_prefix('v').is_some_and(number) {
        return 0;
    }
    let Some((_, arrangement)) = o.split_once('.') else {
        return 0;
    };
    let lanes: String = arrangement
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    let bits = match arrangement[lanes.len()..].chars().next() {
        Some('b') => 8,
        Some('h') => 16,
        Some('s') => 32,
        Some('d') => 64,
        _ => return 0,
    };
    let lanes = lanes.parse::<u32>().unwrap_or(0);
    // Registers are 64 or 128 bits wide; anything else is not an arrangement.
    match lanes.saturating_mul(bits) {
        w @ (64 | 128) => w,
        _ => 0,
    }
}

/// The bit of a callee-saved register (x19 to x30, d8 to d15), or `None` for any other.
fn callee_saved(register: &str) -> Option<u64> {
    let (kind, number) = register.split_at_checked(1)?;
    let number: u32 = number.parse().ok()?;
    match (kind, number) {
        ("x", 19..=30) => Some(1 << number),
        ("d", 8..=15) => Some(1 << (32 + number)),
        _ => None,
    }
}

fn stack(mnemonic: &str, ops: &[&str]) -> Stack {
    let immediate = |o: &str| integer(o.strip_prefix('#').unwrap_or(o));
    if let ["sp", "sp", rest @ ..] = ops {
        return match (mnemonic, rest) {
            ("sub", [n]) => immediate(n).map_or(Stack::Dynamic, |n| Stack::Grow(n.unsigned_abs())),
            ("sub", [n, shift]) if shift.contains("12") => immediate(n)
                .and_then(|n| n.unsigned_abs().checked_mul(4096))
                .map_or(Stack::Dynamic, Stack::Grow),
            ("sub" | "addvl", _) => Stack::Dynamic,
            _ => Stack::None,
        };
    }
    if ops == ["x29", "sp"] && mnemonic == "mov" {
        return Stack::SetFramePointer;
    }
    if ops.len() >= 2 && ops[0] == "x29" && ops[1] == "sp" && mnemonic == "add" {
        return Stack::SetFramePointer;
    }
    if !matches!(mnemonic, "str" | "stur" | "stp" | "stnp") {
        return Stack::None;
    }
    let Some(at) = ops.iter().position(|o| o.starts_with('[')) else {
        return Stack::None;
    };
    let address = ops[at];
    let Some((inside, after)) = address[1..].split_once(']') else {
        return Stack::None;
    };
    let mut parts = inside.split(',').map(str::trim);
    let base = parts.next().unwrap_or("");
    let offset = parts.next().map(immediate);
    if base == "sp" && after == "!" {
        return match offset {
            Some(Some(n)) if n < 0 => Stack::Grow(n.unsigned_abs()),
            _ => Stack::None,
        };
    }
    // An index register or a post-increment addresses an array, not a slot.
    if matches!(offset, Some(None)) || parts.next().is_some() || ops.len() > at + 1 {
        return Stack::None;
    }
    let stored = &ops[..at];
    if stored.iter().any(|r| matches!(*r, "xzr" | "wzr")) {
        return Stack::None;
    }
    let saved = stored
        .iter()
        .try_fold(0u64, |bits, r| callee_saved(r).map(|b| bits | b))
        .unwrap_or(0);
    match base {
        "sp" => Stack::StoreSp(saved),
        "x29" | "fp" => Stack::StoreFp(saved),
        _ => Stack::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vector_scalar_and_scalable_are_told_apart() {
        let c = classify("fmla", "v0.4s, v1.4s, v2.s[0]");
        assert!(c.fma && c.vector && c.width_bits == 128);
        let c = classify("fmla", "s0, s1, v2.s[0]");
        assert!(c.fma && !c.vector);
        let c = classify("fmadd", "s0, s1, s2, s3");
        assert!(c.fma && !c.vector);
        let c = classify("fmla", "z0.s, p0/m, z1.s, z2.s");
        assert!(c.fma && c.vector && c.scalable && c.width_bits == 0);
        assert!(classify("ldp", "q0, q1, [x0], 32").load);
        assert!(classify("ld1", "{v0.4s, v1.4s}, [x0]").load);
        assert!(classify("str", "q0, [x1, x2]").store);
        assert!(!classify("ldr", "s0, [x1]").vector);
        assert!(!classify("movi", "v0.4s, 0").vector);
        assert!(classify("bfmmla", "v0.4s, v1.8h, v2.8h").matrix);
        assert!(!classify("bfmmla", "v0.4s, v1.8h, v2.8h").fma);
    }

    #[test]
    fn control_flow_and_stack() {
        for m in ["b", "b.ne", "bne", "cbz", "tbnz", "br"] {
            assert!(classify(m, "x").branch, "{m}");
        }
        for m in ["bl", "blr"] {
            let c = classify(m, "x");
            assert!(c.call && !c.branch, "{m}");
        }
        assert!(!classify("bic", "x0, x0, x1").branch);
        assert!(classify("prfm", "PLDL1KEEP, [x0]").prefetch);
        assert_eq!(
            classify("stp", "x29, x30, [sp, -32]!").stack,
            Stack::Grow(32)
        );
        assert_eq!(
            classify("sub", "sp, sp, #1, lsl #12").stack,
            Stack::Grow(4096)
        );
        assert_eq!(classify("sub", "sp, sp, x16").stack, Stack::Dynamic);
        assert_eq!(classify("str", "q0, [sp, 16]").stack, Stack::StoreSp(0));
        assert_eq!(classify("str", "w0, [x29, 28]").stack, Stack::StoreFp(0));
        assert_eq!(classify("str", "w0, [sp, x1, lsl 2]").stack, Stack::None);
        assert_eq!(
            classify("stp", "x19, x20, [sp, 16]").stack,
            Stack::StoreSp(1 << 19 | 1 << 20)
        );
    }
}
