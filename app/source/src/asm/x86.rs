//! What an x86-64 instruction is, in AT&T and in Intel syntax.

use super::{Class, Stack, integer, operands};

/// How operands are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// Source first, registers with `%`.
    Att,
    /// Destination first, memory in brackets.
    Intel,
}

/// The syntax of a file that does not declare one: AT&T as soon as a register has its `%`.
pub(crate) fn syntax_of(text: &str) -> Syntax {
    let declared = text.lines().map(str::trim_start).find_map(|l| {
        if l.starts_with(".intel_syntax") {
            Some(Syntax::Intel)
        } else if l.starts_with(".att_syntax") {
            Some(Syntax::Att)
        } else {
            None
        }
    });
    declared.unwrap_or_else(|| {
        if text.contains('%') || !text.contains('[') {
            Syntax::Att
        } else {
            Syntax::Intel
        }
    })
}

/// Classifies one instruction; `mnemonic` is in lower case.
pub(crate) fn classify(mnemonic: &str, operand_text: &str, syntax: Syntax) -> Class {
    let ops = operands(operand_text);
    let mut class = Class {
        branch: mnemonic.starts_with('j') || mnemonic.starts_with("loop"),
        call: mnemonic.starts_with("call"),
        prefetch: mnemonic.starts_with("prefetch"),
        stack: stack(mnemonic, &ops, syntax),
        ..Class::default()
    };
    let base = mnemonic.strip_prefix('v').unwrap_or(mnemonic);
    class.fma = is_fma(base);
    class.matrix = mnemonic.starts_with("tdp") || mnemonic.starts_with("tcmm");
    class.dot = base.starts_with("pdp") || base.starts_with("dpbf16") || base.starts_with("dpp");
    let width = ops.iter().map(|o| vector_bits(o)).max().unwrap_or(0);
    if width == 0 || is_scalar(base) || moves_nothing(base, &ops, syntax) {
        return class;
    }
    class.vector = true;
    class.width_bits = width;
    if let Some(at) = ops.iter().position(|o| is_memory(o, syntax)) {
        let destination = match syntax {
            Syntax::Att => at + 1 == ops.len(),
            Syntax::Intel => at == 0,
        };
        class.store = destination;
        class.load = !destination;
    }
    class
}

fn is_fma(base: &str) -> bool {
    let base = base.strip_prefix('4').unwrap_or(base);
    ["fmadd", "fmsub", "fnmadd", "fnmsub"]
        .iter()
        .any(|p| base.starts_with(p))
}

fn vector_bits(operand: &str) -> u32 {
    [("zmm", 512), ("ymm", 256), ("xmm", 128)]
        .iter()
        .find(|(name, _)| operand.contains(name))
        .map_or(0, |(_, bits)| *bits)
}

/// Scalar floating-point and single-element moves, which use vector registers for one element.
fn is_scalar(base: &str) -> bool {
    if matches!(base, "movd" | "movq") {
        return true;
    }
    if base.starts_with('p') || base.starts_with("broadcast") {
        return false;
    }
    if base.starts_with("cvt") {
        return ["2ss", "2sd", "2sh", "ss2", "sd2", "sh2"]
            .iter()
            .any(|p| base.contains(p));
    }
    ["ss", "sd", "sh"].iter().any(|s| base.ends_with(s))
}

/// Register copies and zeroing, which compilers use in scalar code too.
fn moves_nothing(base: &str, ops: &[&str], syntax: Syntax) -> bool {
    let copies = ["movap", "movup", "movdq"];
    if copies.iter().any(|p| base.starts_with(p)) {
        return !ops.iter().any(|o| is_memory(o, syntax));
    }
    let zeroes = matches!(base, "xorps" | "xorpd" | "pxor" | "pxord" | "pxorq");
    zeroes && ops.windows(2).all(|w| w[0] == w[1])
}

fn is_memory(operand: &str, syntax: Syntax) -> bool {
    match syntax {
        Syntax::Att => {
            operand.contains('(')
                || (!operand.is_empty() && !operand.starts_with(['%', '$', '*', '{']))
        }
        Syntax::Intel => operand.contains('[') || operand.to_ascii_lowercase().contains(" ptr "),
    }
}

enum Base {
    StackPointer,
    FramePointer,
}

/// The base of a memory operand that is nothing but a stack register and a displacement.
fn stack_slot(operand: &str, syntax: Syntax) -> Option<Base> {
    match syntax {
        Syntax::Att => {
            let (displacement, rest) = operand.split_once('(')?;
            match rest {
                "%rsp)" => Some(Base::StackPointer),
                "%rbp)" if displacement.starts_with('-') => Some(Base::FramePointer),
                _ => None,
            }
        }
        Syntax::Intel => {
            let (before, rest) = operand.split_once('[')?;
            let inside = rest.strip_suffix(']')?.trim();
            let outside = before.rsplit(' ').next().unwrap_or("");
            let (register, inner) = inside.split_at_checked(3)?;
            let inner: String = inner.chars().filter(|c| !c.is_whitespace()).collect();
            if !inner.is_empty() && integer(&inner).is_none() {
                return None;
            }
            match register {
                "rsp" => Some(Base::StackPointer),
                "rbp" if inner.starts_with('-') || outside.starts_with('-') => {
                    Some(Base::FramePointer)
                }
                _ => None,
            }
        }
    }
}

fn stack(mnemonic: &str, ops: &[&str], syntax: Syntax) -> Stack {
    if mnemonic.starts_with("push") {
        return Stack::Grow(8);
    }
    let (Some(first), Some(last)) = (ops.first(), ops.last()) else {
        return Stack::None;
    };
    if ops.len() != 2 {
        return Stack::None;
    }
    let (source, destination) = match syntax {
        Syntax::Att => (*first, *last),
        Syntax::Intel => (*last, *first),
    };
    let register = |o: &str, name: &str| o.strip_prefix('%').unwrap_or(o) == name;
    if register(destination, "rsp") {
        let amount = integer(source.strip_prefix('$').unwrap_or(source));
        return match (mnemonic.trim_end_matches('q'), amount) {
            ("sub", Some(n)) if n > 0 => Stack::Grow(n.unsigned_abs()),
            ("add", Some(n)) if n < 0 => Stack::Grow(n.unsigned_abs()),
            ("sub", None) => Stack::Dynamic,
            _ => Stack::None,
        };
    }
    if register(destination, "rbp") && register(source, "rsp") && mnemonic.starts_with("mov") {
        return Stack::SetFramePointer;
    }
    let is_move = mnemonic.starts_with("mov") || mnemonic.starts_with("vmov");
    let from_register = match syntax {
        Syntax::Att => source.starts_with('%'),
        Syntax::Intel => {
            source.starts_with(|c: char| c.is_ascii_lowercase())
                && !is_memory(source, syntax)
                && !source.to_ascii_lowercase().starts_with("offset")
        }
    };
    if !is_move || !from_register {
        return Stack::None;
    }
    match stack_slot(destination, syntax) {
        Some(Base::StackPointer) => Stack::StoreSp(0),
        Some(Base::FramePointer) => Stack::StoreFp(0),
        None => Stack::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn att(m: &str, o: &str) -> Class {
        classify(m, o, Syntax::Att)
    }

    #[test]
    fn packed_and_scalar_are_told_apart() {
        let c = att("vfmadd213ps", "(%rcx,%rax), %ymm2, %ymm0");
        assert!(c.fma && c.vector && c.load && !c.store);
        assert_eq!(c.width_bits, 256);
        let c = att("vfmadd213ss", "(%r8), %xmm1, %xmm0");
        assert!(c.fma && !c.vector && !c.load);
        assert!(!att("cvtsi2sdq", "%rax, %xmm0").vector);
        assert!(!att("pxor", "%xmm0, %xmm0").vector);
        assert!(!att("movaps", "%xmm0, %xmm1").vector);
        assert!(att("vpminsd", "%ymm0, %ymm1, %ymm1").vector);
        assert!(att("vbroadcastss", "%xmm1, %ymm2").vector);
        assert!(att("vpdpbusd", "%zmm0, %zmm1, %zmm2").dot);
        assert!(att("vmovups", "%zmm0, (%rax){%k1}").store);
    }

    #[test]
    fn both_syntaxes_agree_on_direction_and_stack() {
        let c = classify("vmovups", "YMMWORD PTR [rcx+rax], ymm0", Syntax::Intel);
        assert!(c.store && !c.load);
        let c = classify("vmovups", "ymm0, YMMWORD PTR [rsi+rax]", Syntax::Intel);
        assert!(c.load && !c.store);
        for (m, o, s) in [
            ("movq", "%rax, -32(%rsp)", Syntax::Att),
            ("mov", "QWORD PTR -32[rsp], rax", Syntax::Intel),
            ("mov", "qword ptr [rsp - 32], rax", Syntax::Intel),
            ("vmovaps", "%ymm3, 64(%rsp)", Syntax::Att),
        ] {
            assert_eq!(classify(m, o, s).stack, Stack::StoreSp(0), "{m} {o}");
        }
        assert_eq!(att("movq", "%rax, -8(%rbp)").stack, Stack::StoreFp(0));
        assert_eq!(att("movq", "%rax, (%rsp,%rcx,8)").stack, Stack::None);
        assert_eq!(att("movq", "$0, -8(%rsp)").stack, Stack::None);
        assert_eq!(att("addq", "$-128, %rsp").stack, Stack::Grow(128));
        assert_eq!(att("subq", "$40, %rsp").stack, Stack::Grow(40));
        assert_eq!(att("subq", "%rax, %rsp").stack, Stack::Dynamic);
        assert_eq!(
            classify("sub", "rsp, 40", Syntax::Intel).stack,
            Stack::Grow(40)
        );
    }
}
