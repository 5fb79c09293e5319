//! Facts of AMDGCN assembly as LLVM prints it, with the metadata that stands below the code.

use std::collections::BTreeSet;

use super::{
    Kernel, KernelFacts, MAX_NAMES, Tally, base_name, count_memory, count_mma, count_sync,
};
use crate::facts::declared_functions;

/// Names of kernels that are looked for.
const MAX_KERNELS: usize = 4096;

pub(super) fn read(facts: &mut KernelFacts, text: &str) {
    let functions = declared_functions(text);
    let described: BTreeSet<&str> = (text.lines())
        .filter_map(|l| l.trim_start().strip_prefix(".amdhsa_kernel"))
        .map(str::trim)
        .take(MAX_KERNELS)
        .collect();
    let mut kernels: Vec<Kernel> = Vec::new();
    let mut open = false;
    let mut helpers = 0u64;
    // Where scratch memory lies behind a buffer resource, it is that of the first registers.
    let private = text.contains(".amdhsa_user_sgpr_private_segment_buffer 1");
    for line in text.lines() {
        let code = without_comment(line);
        if code.is_empty() {
            continue;
        }
        if let Some(label) = code.strip_suffix(':') {
            if functions.contains(label) || described.contains(label) {
                open = described.is_empty() || described.contains(label);
                if open {
                    kernels.push(Kernel {
                        name: super::clip(label).to_owned(),
                        base: base_name(label),
                        ..Kernel::default()
                    });
                } else {
                    helpers += 1;
                }
            }
            continue;
        }
        if code.starts_with('.') {
            open &= !code.starts_with(".size") && !code.starts_with(".section");
            continue;
        }
        if open && let Some(k) = kernels.last_mut() {
            let scratch = spill(&mut k.tally, line)
                || (private && code.starts_with("buffer_") && code.contains(" s[0:3],"));
            instruction(k, code, scratch);
        }
    }
    metadata(&mut kernels, text);
    if helpers > 0 {
        facts.notice(format!(
            "{helpers} functions that are no kernels: their instructions are not counted"
        ));
    }
    for k in kernels {
        facts.push(k);
    }
}

fn without_comment(line: &str) -> &str {
    let end = line.find(';').unwrap_or(line.len());
    let line = &line[..end];
    line[..line.find("//").unwrap_or(line.len())].trim()
}

/// Counts the bytes that a comment of the compiler says are spilled or come back: `; 16-byte Folded
/// Spill`. Whether it says so.
fn spill(t: &mut Tally, line: &str) -> bool {
    let Some((_, comment)) = line.split_once(';') else {
        return false;
    };
    let Some((bytes, what)) = comment.trim().split_once("-byte Folded ") else {
        return false;
    };
    let fact = match what.trim() {
        "Spill" => "spill.store_bytes",
        "Reload" => "spill.load_bytes",
        _ => return false,
    };
    if let Ok(n) = bytes.parse() {
        t.add(fact, n);
    }
    true
}

fn instruction(k: &mut Kernel, code: &str, scratch: bool) {
    let (op, operands) = code.split_once(char::is_whitespace).unwrap_or((code, ""));
    if !op.starts_with(|c: char| c.is_ascii_lowercase()) || op.len() > 80 || !op.contains('_') {
        return;
    }
    if k.opcodes.len() < MAX_NAMES || k.opcodes.contains_key(op) {
        *k.opcodes.entry(op.to_owned()).or_default() += 1;
    }
    let t = &mut k.tally;
    if op == "s_nop" {
        t.add("inst.nop", 1);
        return;
    }
    t.add("inst.total", 1);
    let begins = |prefixes: &[&str]| prefixes.iter().any(|p| op.starts_with(p));
    if begins(&["v_mfma_", "v_smfmac_", "v_wmma_", "v_swmmac_"]) {
        count_mma(t, &[format!("mma.{op}")], 0);
    } else if begins(&["v_fma", "v_pk_fma", "v_dual_fma", "v_mad_f"]) {
        t.add("inst.fma", 1);
    } else if begins(&["s_branch", "s_cbranch"]) {
        t.add("branch.total", 1);
    } else if begins(&["s_swappc", "s_call"]) {
        t.add("call.total", 1);
    } else if begins(&["s_barrier_signal"]) {
        // The wait that follows makes the barrier whole.
        count_sync(t, "mbarrier.arrive", op);
    } else if begins(&["s_barrier"]) {
        count_sync(t, "barrier.block", op);
    } else if begins(&["s_waitcnt", "s_wait_"]) {
        count_sync(t, "wait.counters", op);
    } else if begins(&["buffer_gl", "buffer_wbl2", "buffer_inv"]) {
        count_sync(t, "fence.count", op);
    } else if begins(&["ds_bpermute", "ds_permute", "ds_swizzle"]) {
        t.add("shuffle.count", 1);
    } else {
        memory(t, op, operands, scratch);
    }
    registers(t, operands);
}

fn memory(t: &mut Tally, op: &str, operands: &str, scratch: bool) {
    let spaces = [
        ("global_", "global"),
        ("buffer_", "global"),
        ("flat_", "generic"),
        ("scratch_", "local"),
        ("ds_", "shared"),
        ("s_buffer_", "const"),
        ("s_", "const"),
    ];
    let Some((rest, space)) = (spaces.iter()).find_map(|(p, s)| Some((op.strip_prefix(p)?, *s)))
    else {
        return;
    };
    let space = if scratch { "local" } else { space };
    if rest.contains("atomic") || (space == "shared" && is_shared_atomic(rest)) {
        t.add("atomic.count", 1);
        return;
    }
    let kind = match rest.split('_').next() {
        Some("load" | "read") => "load",
        Some("store" | "write") => "store",
        _ => return,
    };
    if space == "global"
        && (operands.split_whitespace().any(|w| w == "lds") || rest.contains("_lds"))
    {
        t.add("cp_async.count", 1);
        return;
    }
    // `ds_read2_b64` reads two of them.
    let twice =
        if rest.starts_with("read2") || rest.starts_with("write2") || rest.contains("_2addr") {
            2
        } else {
            1
        };
    let bits = rest.split('_').skip(1).find_map(width).map(|b| b * twice);
    count_memory(t, kind, space, bits);
}

fn is_shared_atomic(rest: &str) -> bool {
    [
        "add", "sub", "rsub", "inc", "dec", "min", "max", "and", "or", "xor", "cmpst", "cmpstore",
        "pk_add",
    ]
    .iter()
    .any(|p| rest.starts_with(p))
}

/// Bits of `dwordx4`, `b128`, `ubyte`, `short`, `u16`.
fn width(word: &str) -> Option<u64> {
    Some(match word {
        "dword" => 32,
        "dwordx2" => 64,
        "dwordx3" => 96,
        "dwordx4" => 128,
        "dwordx8" => 256,
        "dwordx16" => 512,
        "ubyte" | "sbyte" | "byte" => 8,
        "ushort" | "sshort" | "short" => 16,
        _ => {
            let n = word.strip_prefix(['b', 'u', 'i'])?;
            n.parse()
                .ok()
                .filter(|n| matches!(n, 8 | 16 | 32 | 64 | 96 | 128 | 256 | 512))?
        }
    })
}

/// The highest vector register among the operands.
fn registers(t: &mut Tally, operands: &str) {
    for part in operands.split([',', ' ']) {
        let Some(rest) = part.strip_prefix('v') else {
            continue;
        };
        let last = match rest.strip_prefix('[').and_then(|r| r.strip_suffix(']')) {
            Some(range) => range.rsplit(':').next().unwrap_or(""),
            None => rest,
        };
        if let Ok(n) = last.parse::<u64>() {
            t.most("registers.seen", n.saturating_add(1));
        }
    }
}

/// What `.amdgpu_metadata` says of each kernel.
fn metadata(kernels: &mut [Kernel], text: &str) {
    let mut item: Option<usize> = None;
    let mut found = Tally::default();
    let mut name = "";
    let mut inside = false;
    for line in text.lines() {
        let bare = line.trim_start();
        let indent = line.len() - bare.len();
        match bare.trim_end() {
            "amdhsa.kernels:" => {
                inside = true;
                item = None;
                continue;
            }
            ".end_amdgpu_metadata" | "..." => {
                apply(kernels, name, &found);
                (inside, name, found) = (false, "", Tally::default());
                continue;
            }
            _ if !inside => continue,
            _ => {}
        }
        if indent == 0 && !bare.starts_with('-') && !bare.is_empty() {
            // The next key of the document ends the list of kernels.
            apply(kernels, name, &found);
            (inside, name, found) = (false, "", Tally::default());
            continue;
        }
        let dash = bare.strip_prefix("- ");
        if dash.is_some() && item.is_none_or(|i| i == indent) {
            apply(kernels, name, &found);
            (name, found) = ("", Tally::default());
            item = Some(indent);
        }
        let column = if dash.is_some() { indent + 2 } else { indent };
        // Deeper keys are those of arguments.
        if item.is_none_or(|i| column != i + 2) {
            continue;
        }
        let Some((key, value)) = dash.unwrap_or(bare).split_once(':') else {
            continue;
        };
        let value = value.trim().trim_matches(['\'', '"']);
        if key == ".name" {
            name = value;
        }
        let Ok(n) = value.parse::<u64>() else {
            continue;
        };
        match key {
            ".vgpr_count" => found.most("registers.count", n),
            ".sgpr_count" => found.most("registers.scalar", n),
            ".agpr_count" => found.most("registers.accumulator", n),
            ".vgpr_spill_count" | ".sgpr_spill_count" => found.add("spill.count", n),
            ".group_segment_fixed_size" => found.add("shared.static_bytes", n),
            ".private_segment_fixed_size" => found.most("stack.bytes", n),
            ".max_flat_workgroup_size" => found.most("launch.threads", n),
            _ => {}
        }
    }
    apply(kernels, name, &found);
}

fn apply(kernels: &mut [Kernel], name: &str, found: &Tally) {
    if let Some(k) = kernels
        .iter_mut()
        .find(|k| !name.is_empty() && k.name == name)
    {
        k.tally.take_in(found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;

    const TEXT: &str = include_str!("../../tests/fixtures/gemm_gfx942.s");

    #[test]
    fn code_and_metadata_make_the_facts() {
        let mut facts = KernelFacts::default();
        facts.add_file(Language::AsmAmdgcn, TEXT);
        let [k] = &facts.kernels[..] else {
            panic!("{:?}", facts.kernels)
        };
        assert_eq!(k.base, "gemm");
        for (name, value) in [
            ("mma.count", 2),
            ("mma.v_mfma_f32_16x16x16_f16", 2),
            ("barrier.block", 1),
            ("async.wait", 0),
            ("wait.counters", 2),
            ("mma.sparse", 0),
            ("load.global.b128", 1),
            ("load.global.b64", 1),
            ("store.global.b32", 1),
            ("load.shared.b128", 1),
            ("store.shared.b128", 1),
            ("load.const.b128", 1),
            ("registers.count", 48),
            ("registers.scalar", 22),
            ("registers.accumulator", 4),
            ("spill.count", 2),
            ("shared.static_bytes", 8192),
            ("stack.bytes", 16),
            ("launch.threads", 256),
            ("branch.total", 1),
            ("inst.fma", 1),
            ("inst.nop", 1),
            ("registers.seen", 14),
        ] {
            assert_eq!(k.tally.get(name), Some(value), "{name}");
        }
        assert_eq!(k.opcodes["s_endpgm"], 1);
        assert_eq!(facts.notices.len(), 1, "{:?}", facts.notices);
    }

    #[test]
    fn spills_are_no_accesses_to_global_memory() {
        let mut facts = KernelFacts::default();
        facts.add_file(
            Language::AsmAmdgcn,
            "\t.type\tk,@function\nk:\n\
             \tbuffer_store_dword v1, off, s[0:3], 0 offset:4 ; 4-byte Folded Spill\n\
             \tscratch_store_dwordx4 off, v[2:5], off ; 16-byte Folded Spill\n\
             \tbuffer_load_dword v1, off, s[0:3], 0 offset:4 ; 4-byte Folded Reload\n\
             \tbuffer_load_dword v3, v2, s[0:3], 0 offen\n\
             \tbuffer_load_dwordx4 v[4:7], v2, s[8:11], 0 offen\n\ts_endpgm\n\
             \t.amdhsa_user_sgpr_private_segment_buffer 1\n",
        );
        let t = &facts.total;
        for (name, value) in [
            ("spill.store_bytes", 20),
            ("spill.load_bytes", 4),
            ("load.local.b32", 2),
            ("store.local.b128", 1),
            ("load.global.b128", 1),
            ("load.global.count", 1),
            ("store.global.count", 0),
        ] {
            assert_eq!(t.get(name), Some(value), "{name}");
        }
    }
}
