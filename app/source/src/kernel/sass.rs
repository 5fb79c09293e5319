//! Facts of SASS as `cuobjdump -sass` and `nvdisasm` print it.

use super::{
    Kernel, KernelFacts, MAX_NAMES, Tally, base_name, count_memory, count_mma, count_sync, stated,
};

/// One line of a disassembly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// The function whose code follows.
    Function(&'a str),
    /// Offset, code without `;`, and the encoding when it stands in the same line.
    Instruction {
        /// Hexadecimal digits.
        offset: &'a str,
        /// Predicate, opcode and operands.
        code: &'a str,
        /// The lower half of the encoding, as `0x…`.
        encoding: Option<&'a str>,
    },
    /// The upper half of an encoding.
    Encoding(&'a str),
    /// A label of nvdisasm.
    Label(&'a str),
    /// Anything else.
    Other(&'a str),
}

/// Reads one line.
pub(crate) fn line(text: &str) -> Line<'_> {
    let s = text.trim();
    if let Some(name) = s
        .strip_prefix("Function")
        .and_then(|rest| rest.trim_start().strip_prefix(':'))
    {
        return Line::Function(name.trim());
    }
    // Tools that edit SASS write the scheduling before the offset: `[B------:R-:W0:-:S02] /*0010*/`.
    let s = match s.strip_prefix("[B").and_then(|rest| rest.split_once(']')) {
        Some((schedule, rest)) if schedule.contains(":S") => rest.trim_start(),
        _ => s,
    };
    if let Some(rest) = s.strip_prefix(".section")
        && let Some(name) = rest.trim_start().strip_prefix(".text.")
    {
        let name = name.split([',', ' ', '\t']).next().unwrap_or(name);
        return Line::Function(name.trim_matches('"'));
    }
    if let Some((inside, rest)) = comment(s) {
        if inside.starts_with("0x") && rest.is_empty() {
            return Line::Encoding(inside);
        }
        if !inside.is_empty() && inside.bytes().all(|c| c.is_ascii_hexdigit()) {
            let (code, after) = rest.split_once(';').unwrap_or((rest, ""));
            let code = code.trim().trim_start_matches('{').trim();
            if !code.is_empty() {
                return Line::Instruction {
                    offset: inside,
                    code,
                    encoding: comment(after.trim())
                        .map(|c| c.0)
                        .filter(|c| c.starts_with("0x")),
                };
            }
        }
    }
    match s.strip_suffix(':') {
        Some(name) if name.starts_with(".L") => Line::Label(name),
        _ => Line::Other(s),
    }
}

/// The comment that a text begins with, and what follows it.
fn comment(s: &str) -> Option<(&str, &str)> {
    let (inside, rest) = s.strip_prefix("/*")?.split_once("*/")?;
    Some((inside.trim(), rest.trim_start()))
}

/// Predicate, opcode and operands of an instruction.
pub(crate) fn parts(code: &str) -> (&str, &str, &str) {
    let (predicate, rest) = match code.strip_prefix('@') {
        Some(_) => code.split_once(char::is_whitespace).unwrap_or((code, "")),
        None => ("", code),
    };
    let rest = rest.trim_start();
    let (op, operands) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    (predicate, op, operands.trim())
}

pub(super) fn read(facts: &mut KernelFacts, text: &str) {
    let mut kernel: Option<Kernel> = None;
    let mut outside = 0u64;
    let mut label = "";
    for l in text.lines() {
        match line(l) {
            Line::Function(name) => {
                if let Some(k) = kernel.take() {
                    facts.push(k);
                }
                kernel = Some(Kernel {
                    name: super::clip(name).to_owned(),
                    base: base_name(name),
                    ..Kernel::default()
                });
            }
            Line::Instruction { offset, code, .. } => {
                match &mut kernel {
                    // Behind the end stands a branch to itself.
                    Some(k) if !to_itself(code, offset, label) => instruction(k, code),
                    Some(k) => {
                        *k.opcodes.entry("BRA".to_owned()).or_default() += 1;
                        k.tally.add("inst.nop", 1);
                    }
                    None => outside += 1,
                }
                label = "";
            }
            Line::Label(name) => label = name,
            _ => {}
        }
    }
    if let Some(k) = kernel {
        facts.push(k);
    }
    if outside > 0 {
        facts.notice(format!(
            "{outside} instructions stand before any function: they are not counted"
        ));
    }
    stated::apply(facts, text);
}

/// Whether an instruction is a branch to where it stands.
fn to_itself(code: &str, offset: &str, label: &str) -> bool {
    let ("", op, operands) = parts(code) else {
        return false;
    };
    if op != "BRA" {
        return false;
    }
    let same = |a: &str, b: &str| a.trim_start_matches('0') == b.trim_start_matches('0');
    let target = operands.trim_matches(['`', '(', ')']);
    match target.strip_prefix("0x") {
        Some(hex) => same(hex, offset),
        None => !label.is_empty() && target == label,
    }
}

fn instruction(k: &mut Kernel, code: &str) {
    let (_, op, operands) = parts(code);
    if !op.starts_with(|c: char| c.is_ascii_uppercase()) || op.len() > 80 {
        return;
    }
    if k.opcodes.len() < MAX_NAMES || k.opcodes.contains_key(op) {
        *k.opcodes.entry(op.to_owned()).or_default() += 1;
    }
    let t = &mut k.tally;
    if op == "NOP" {
        t.add("inst.nop", 1);
        return;
    }
    t.add("inst.total", 1);
    highest_register(t, operands);
    let (head, rest) = op.split_once('.').unwrap_or((op, ""));
    match head {
        "HMMA" | "IMMA" | "DMMA" | "BMMA" | "QMMA" | "OMMA" | "HGMMA" | "IGMMA" | "QGMMA"
        | "BGMMA" | "UTCHMMA" | "UTCIMMA" | "UTCQMMA" | "UTCOMMA" | "UTCMMA" => {
            // `HMMA.SP` is another instruction than `HMMA`.
            let sparse = rest.split('.').any(|m| m == "SP");
            let mut names = vec![match sparse {
                true => format!("mma.{head}.SP"),
                false => format!("mma.{head}"),
            }];
            let whole = format!("mma.{op}");
            if !names.contains(&whole) {
                names.push(whole);
            }
            count_mma(t, &names, 0);
        }
        "BAR" => {
            let id = operands.split(',').next().unwrap_or("").trim();
            let all = matches!(id, "" | "0x0" | "RZ" | "0") && !operands.contains(',');
            let fact = if all {
                "barrier.block"
            } else {
                "barrier.partial"
            };
            let name = rest.split('.').next().unwrap_or("");
            count_sync(t, fact, &format!("BAR.{name}"));
        }
        "WARPSYNC" => count_sync(t, "barrier.warp", head),
        "UCGABAR_ARV" | "UCGABAR_WAIT" | "CGABAR" => count_sync(t, "barrier.cluster", head),
        "SYNCS" => {
            let fact = if rest.contains("TRYWAIT") || rest.contains("PHASECHK") {
                "mbarrier.wait"
            } else if rest.contains("EXCH") {
                "mbarrier.init"
            } else if rest.contains("ARRIVE") {
                "mbarrier.arrive"
            } else {
                return;
            };
            count_sync(t, fact, op);
        }
        "MEMBAR" | "FENCE" => count_sync(t, "fence.count", head),
        "WARPGROUP" if rest.starts_with("ARRIVE") => {
            count_sync(t, "fence.count", "WARPGROUP.ARRIVE")
        }
        "WARPGROUP" if rest.starts_with("DEPBAR") => {
            count_sync(t, "async.wait", "WARPGROUP.DEPBAR")
        }
        "LDGDEPBAR" | "UTMACMDFLUSH" | "UTCBAR" => count_sync(t, "async.commit", head),
        "ARRIVES" => count_sync(t, "mbarrier.arrive", head),
        "DEPBAR" => count_sync(t, "async.wait", head),
        "LDGSTS" => t.add("cp_async.count", 1),
        "LDSM" => t.add("ldmatrix.count", 1),
        "STSM" => t.add("stmatrix.count", 1),
        "UTMALDG" => t.add("tma.load", 1),
        "UTMASTG" | "UTMAREDG" => t.add("tma.store", 1),
        "UBLKRED" => t.add("tma.store", 1),
        "UBLKCP" => {
            let fact = if rest.starts_with('G') {
                "tma.store"
            } else {
                "tma.load"
            };
            t.add(fact, 1);
        }
        "UTMAPF" | "UBLKPF" => t.add("tma.prefetch", 1),
        "UTMACCTL" if rest.starts_with("PF") => t.add("tma.prefetch", 1),
        "ATOM" | "ATOMG" | "ATOMS" | "RED" | "REDG" | "REDS" => t.add("atomic.count", 1),
        "SHFL" => t.add("shuffle.count", 1),
        "USETMAXREG" => {
            let n = operands.rsplit([',', ' ']).find_map(number);
            let fact = if rest.contains("DEALLOC") {
                "registers.dealloc"
            } else {
                "registers.alloc"
            };
            if let Some(n) = n {
                t.most(fact, n);
            }
        }
        "LDG" | "LDS" | "LDL" | "LD" | "LDC" | "STG" | "STS" | "STL" | "ST" => {
            let space = match &head[2..] {
                "G" => "global",
                "S" => "shared",
                "L" => "local",
                "C" => "const",
                _ => "generic",
            };
            let kind = if head.starts_with("ST") {
                "store"
            } else {
                "load"
            };
            count_memory(t, kind, space, Some(width(rest)));
        }
        // Constants are loaded by a multiplication of zero: `HFMA2 R3, -RZ, RZ, 0, 0`.
        "FFMA" | "DFMA" | "HFMA2" | "FFMA2" | "HFMA" | "BFMA" if !operands.contains("-RZ, RZ,") => {
            t.add("inst.fma", 1);
        }
        "BRA" | "BRX" | "JMP" | "JMX" | "BRXU" => t.add("branch.total", 1),
        "CALL" | "CAL" | "JCAL" => t.add("call.total", 1),
        _ => {}
    }
}

/// Bits of a memory access by the modifiers of its opcode.
fn width(modifiers: &str) -> u64 {
    modifiers
        .split('.')
        .find_map(|m| match m {
            "U8" | "S8" => Some(8),
            "U16" | "S16" => Some(16),
            "64" => Some(64),
            "128" => Some(128),
            "ENL2" | "256" => Some(256),
            _ => None,
        })
        .unwrap_or(32)
}

fn number(text: &str) -> Option<u64> {
    match text.trim().strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => text.trim().parse().ok(),
    }
}

fn highest_register(t: &mut Tally, operands: &str) {
    let b = operands.as_bytes();
    let mut highest = None;
    for i in 0..b.len() {
        let begins =
            b[i] == b'R' && (i == 0 || !b[i - 1].is_ascii_alphanumeric() && b[i - 1] != b'_');
        if !begins {
            continue;
        }
        let digits = b[i + 1..]
            .iter()
            .take(4)
            .take_while(|c| c.is_ascii_digit())
            .count();
        let number = operands
            .get(i + 1..i + 1 + digits)
            .and_then(|n| n.parse::<u64>().ok());
        highest = highest.max(number.filter(|n| *n < 255));
    }
    if let Some(n) = highest {
        t.most("registers.seen", n + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_apart() {
        assert_eq!(
            line("        /*00b0*/               @P0 BRA 0x110 ;      /* 0x0000000000140947 */"),
            Line::Instruction {
                offset: "00b0",
                code: "@P0 BRA 0x110",
                encoding: Some("0x0000000000140947")
            }
        );
        assert_eq!(
            line("        /* 0x000fea0003800000 */"),
            Line::Encoding("0x000fea0003800000")
        );
        assert_eq!(line("\t\tFunction : _Z1fv"), Line::Function("_Z1fv"));
        assert_eq!(line(".L_x_3:"), Line::Label(".L_x_3"));
        assert_eq!(
            line("\t.section\t.text._Z1fv,\"ax\",@progbits"),
            Line::Function("_Z1fv")
        );
        assert_eq!(line("Function:add_kernel"), Line::Function("add_kernel"));
        assert_eq!(line("Functional"), Line::Other("Functional"));
        assert_eq!(
            line("      [B--2---:R-:W0:Y:S04]         /*0060*/    FFMA R9, R4, R6, R8 ;"),
            Line::Instruction {
                offset: "0060",
                code: "FFMA R9, R4, R6, R8",
                encoding: None
            }
        );
        assert!(to_itself("BRA 0x110", "0110", ""));
        assert!(to_itself("BRA `(.L_x_3)", "0110", ".L_x_3"));
        assert!(!to_itself("@P0 BRA 0x110", "0110", ""));
        assert!(!to_itself("BRA 0x120", "0110", ".L_x_3"));
        assert_eq!(line("/*"), Line::Other("/*"));
        assert_eq!(
            parts("@!UP0 LDG.E.128 R4, [R2]"),
            ("@!UP0", "LDG.E.128", "R4, [R2]")
        );
        assert_eq!(parts("EXIT"), ("", "EXIT", ""));
        assert_eq!(parts("@P0"), ("@P0", "", ""));
    }
}
