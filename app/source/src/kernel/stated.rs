//! What the compiler said of registers, spills and stacks, wherever a text holds it.
//!
//! Understood are `ptxas -v` (`Used 40 registers, 4096 bytes smem`, `8 bytes spill stores`), the
//! resource usage of cuobjdump (`REG:40 STACK:8 SHARED:4096`) and section info
//! (`SHI_REGISTERS=40`). They name a kernel before or in the same line, or stand alone.

use super::{KernelFacts, Tally};

/// Adds what is stated to the kernels and the total.
pub(super) fn apply(facts: &mut KernelFacts, text: &str) {
    // `REG` is in `REG:` and in `SHI_REGISTERS`.
    if !["registers", "spill", "REG"]
        .iter()
        .any(|w| text.contains(w))
    {
        return;
    }
    let mut current: Option<String> = None;
    for line in text.lines() {
        let line = line.trim_start().trim_start_matches(['/', '*', ' ']);
        if let Some(name) = kernel_named(line) {
            current = Some(name.to_owned());
        }
        let mut found = Tally::default();
        one_line(line, &mut found);
        if found.is_empty() {
            continue;
        }
        facts.total.take_in(&found);
        if let Some(name) = &current
            && let Some(k) = facts.kernels.iter_mut().find(|k| k.name == *name)
        {
            k.tally.take_in(&found);
        }
    }
}

/// The kernel that a line of the compiler is about.
fn kernel_named(line: &str) -> Option<&str> {
    let after = |mark: &str| line.find(mark).map(|i| &line[i + mark.len()..]);
    if let Some(rest) = after("Compiling entry function '") {
        return rest.split('\'').next();
    }
    let rest = after("Function properties for ")
        .or_else(|| line.strip_prefix("Function : "))
        .or_else(|| line.strip_prefix("Function "))
        .or_else(|| line.strip_prefix(".section .text."))
        .or_else(|| line.strip_prefix(".section\t.text."))?;
    rest.split([' ', ':', ',', '\t']).find(|w| !w.is_empty())
}

fn one_line(line: &str, found: &mut Tally) {
    if let Some(n) = line
        .find("SHI_REGISTERS=")
        .and_then(|i| leading(&line[i + 14..]))
    {
        found.most("registers.count", n);
    }
    if line.starts_with("REG:") || line.contains(" REG:") {
        for word in line.split_whitespace() {
            match word.split_once(':') {
                Some(("REG", n)) => put(found, "registers.count", n),
                Some(("STACK", n)) => put(found, "stack.bytes", n),
                _ => {}
            }
        }
    }
    if let Some(i) = line.find("Used ")
        && line.contains(" registers")
        && let Some(n) = leading(&line[i + 5..])
    {
        found.most("registers.count", n);
    }
    if line.contains(" bytes spill ") || line.contains(" bytes stack frame") {
        for part in line.split(',') {
            let part = part.rsplit(':').next().unwrap_or(part).trim();
            let Some(n) = leading(part) else { continue };
            if part.ends_with("bytes spill stores") {
                found.add("spill.store_bytes", n);
            } else if part.ends_with("bytes spill loads") {
                found.add("spill.load_bytes", n);
            } else if part.ends_with("bytes stack frame") {
                found.most("stack.bytes", n);
            }
        }
    }
}

fn put(found: &mut Tally, name: &str, number: &str) {
    if let Some(n) = leading(number) {
        found.most(name, n);
    }
}

fn leading(text: &str) -> Option<u64> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    text[..digits].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Kernel;

    #[test]
    fn compilers_are_believed_in_each_of_their_dialects() {
        let mut facts = KernelFacts {
            kernels: ["k", "_Z1fv"]
                .map(|n| Kernel {
                    name: n.into(),
                    ..Kernel::default()
                })
                .into(),
            ..KernelFacts::default()
        };
        apply(
            &mut facts,
            "ptxas info    : Compiling entry function 'k' for 'sm_90'\n\
             ptxas info    : Function properties for k\n    24 bytes stack frame, 8 bytes spill stores, 16 bytes spill loads\n\
             ptxas info    : Used 40 registers, used 1 barriers, 4096 bytes smem\n\
             Function _Z1fv:\n  REG:64 STACK:0 SHARED:0 LOCAL:0\n",
        );
        let k = &facts.kernels[0].tally;
        assert_eq!(k.get("registers.count"), Some(40));
        assert_eq!(k.get("spill.store_bytes"), Some(8));
        assert_eq!(k.get("spill.load_bytes"), Some(16));
        assert_eq!(k.get("stack.bytes"), Some(24));
        assert_eq!(facts.kernels[1].tally.get("registers.count"), Some(64));
        assert_eq!(facts.total.get("registers.count"), Some(64));
    }
}
