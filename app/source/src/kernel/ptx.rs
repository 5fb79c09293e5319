//! Facts of PTX: of whole files, and of the PTX in inline assembly.

use super::{
    Kernel, KernelFacts, MAX_NAMES, Tally, base_name, count_memory, count_mma, count_sync, stated,
};

/// What stands at depth 0 or in a function.
#[derive(Default)]
struct Reader {
    kernel: Option<Kernel>,
    depth: usize,
    /// Whether the header of a kernel or function is being read.
    header: bool,
    shared_outside: Tally,
}

pub(super) fn read(facts: &mut KernelFacts, text: &str) {
    let mut r = Reader::default();
    each_statement(text, |s| r.statement(facts, s));
    if let Some(k) = r.kernel.take() {
        facts.notice(format!(
            "the braces of `{}` do not balance: it ends with the file",
            assay_core::text::inert(&k.base)
        ));
        facts.push(k);
    }
    facts.total.take_in(&r.shared_outside);
    stated::apply(facts, text);
}

/// Longer beginnings of statements are neither labels nor heads of functions.
const MAX_HEAD: usize = 64 << 10;

/// Calls `f` with each statement of a text: between `;`, braces, labels and line ends of
/// directives, without comments. Braces come alone.
pub(crate) fn each_statement<'a>(text: &'a str, mut f: impl FnMut(&'a str)) {
    let b = text.as_bytes();
    let (mut start, mut i) = (0, 0);
    // Braces of vector operands are part of their instruction.
    let mut round = 0usize;
    let mut cut = |from: usize, to: usize| {
        let s = text.get(from..to).unwrap_or("").trim();
        if !s.is_empty() {
            f(s);
        }
    };
    while i < b.len() {
        match b[i] {
            b'/' if b.get(i + 1) == Some(&b'/') => {
                cut(start, i);
                while i < b.len() && b[i] != b'\n' {
                    i += 1;
                }
                start = i;
                continue;
            }
            b'/' if b.get(i + 1) == Some(&b'*') => {
                cut(start, i);
                i += 2;
                while i < b.len() && !(b[i] == b'*' && b.get(i + 1) == Some(&b'/')) {
                    i += 1;
                }
                i = (i + 2).min(b.len());
                start = i;
                continue;
            }
            b'"' => {
                i += 1;
                while i < b.len() && !matches!(b[i], b'"' | b'\n') {
                    i += 1;
                }
            }
            b'(' | b'[' => round += 1,
            b')' | b']' => round = round.saturating_sub(1),
            b';' => {
                round = 0;
                cut(start, i);
                start = i + 1;
            }
            b'{' if round == 0 && i - start < MAX_HEAD && opens_block(b, start, i) => {
                cut(start, i);
                cut(i, i + 1);
                start = i + 1;
            }
            b'}' if round == 0 && text.get(start..i).is_some_and(|s| s.trim().is_empty()) => {
                cut(i, i + 1);
                start = i + 1;
            }
            // Directives of a whole line have no `;`.
            b'\n' if round == 0 => {
                let line = text.get(start..i).unwrap_or("").trim_start();
                if line.is_empty() {
                    start = i + 1;
                } else if line.starts_with('.') {
                    let ends = !line.starts_with(".reg") && !line.starts_with(".param");
                    if ends && !line.ends_with(',') {
                        cut(start, i);
                        start = i + 1;
                    }
                }
            }
            b':' if round == 0
                && b.get(i + 1) != Some(&b':')
                && i > start
                && i - start < MAX_HEAD
                && b[i - 1] != b':'
                && text.get(start..i).is_some_and(|s| is_label(s.trim())) =>
            {
                cut(start, i + 1);
                start = i + 1;
            }
            _ => {}
        }
        i += 1;
    }
    cut(start, b.len());
}

fn is_label(s: &str) -> bool {
    !s.is_empty()
        && s.len() < 512
        && s.bytes()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, b'$' | b'_'))
}

/// Whether a `{` begins a block: nothing of an instruction stands before it.
fn opens_block(b: &[u8], start: usize, at: usize) -> bool {
    let before = b[start..at].trim_ascii();
    before.is_empty()
        || before.ends_with(b")")
        || (before.starts_with(b".") && !before.contains(&b'='))
}

impl Reader {
    fn statement(&mut self, facts: &mut KernelFacts, s: &str) {
        match s {
            "{" => {
                self.depth += 1;
                self.header = false;
                return;
            }
            "}" => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0
                    && let Some(k) = self.kernel.take()
                {
                    facts.push(k);
                }
                return;
            }
            _ => {}
        }
        if s.starts_with('.') {
            self.directive(facts, s);
        } else if self.depth > 0
            && let Some(k) = &mut self.kernel
        {
            instruction(&mut k.tally, s, 0, Some(&mut k.opcodes));
        }
    }

    fn directive(&mut self, facts: &mut KernelFacts, s: &str) {
        let mut words = s.split_whitespace().take(24).peekable();
        while words
            .next_if(|w| matches!(*w, ".visible" | ".weak" | ".extern"))
            .is_some()
        {}
        let head = words.next().unwrap_or("");
        if head == ".entry" || head == ".func" {
            if let Some(k) = self.kernel.take() {
                if self.depth > 0 {
                    facts.notice(format!(
                        "the braces of `{}` do not balance: it is cut where the next function begins",
                        assay_core::text::inert(&k.base)
                    ));
                    facts.push(k);
                }
                self.depth = 0;
            }
            self.header = true;
            if head == ".entry" {
                let name = s[s.find(".entry").unwrap_or(0) + 6..].trim_start();
                let name: String = name
                    .chars()
                    .take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%'))
                    .take(1024)
                    .collect();
                self.kernel = Some(Kernel {
                    base: base_name(&name),
                    name,
                    ..Kernel::default()
                });
                // Bounds may stand in the same statement.
                if let Some(i) = s.rfind(')') {
                    s[i + 1..]
                        .split_inclusive('\n')
                        .for_each(|l| self.bounds(l.trim()));
                }
            }
            return;
        }
        match (self.header, &mut self.kernel) {
            (true, Some(_)) => self.bounds(s),
            (false, Some(k)) => declaration(&mut k.tally, s),
            (_, None) => {
                if s.contains(".shared") && self.depth == 0 {
                    declaration(&mut self.shared_outside, s);
                }
            }
        }
    }

    fn bounds(&mut self, s: &str) {
        let Some(k) = &mut self.kernel else { return };
        let (head, rest) = s.split_once(char::is_whitespace).unwrap_or((s, ""));
        let product = || {
            rest.split(',')
                .map(|n| n.trim().parse::<u64>().ok())
                .try_fold(1u64, |a, n| a.checked_mul(n?))
        };
        match (head, product()) {
            (".maxntid" | ".reqntid", Some(n)) => {
                k.tally.add("launch.bounded", 1);
                k.tally.most("launch.threads", n);
                k.bounds = s.chars().take(200).collect();
            }
            (".minnctapersm", Some(n)) => k.tally.most("launch.min_blocks", n),
            (".reqnctapercluster" | ".maxclusterrank", Some(n)) => {
                k.tally.most("launch.cluster", n);
            }
            (".maxnreg", Some(n)) => k.tally.most("registers.limit", n),
            _ => {}
        }
    }
}

/// `.shared .align 16 .b8 name[4096]`, `.local …`, `.reg .b32 %r<35>`, `.pragma "nounroll"`.
fn declaration(tally: &mut Tally, s: &str) {
    let between = |open: char, close: char| -> Option<u64> {
        let from = s.find(open)? + 1;
        s[from..].split(close).next()?.trim().parse().ok()
    };
    let bytes = || -> Option<u64> {
        let element = s
            .split_whitespace()
            .find_map(|w| type_bits(w.strip_prefix('.')?))?;
        let n = if s.contains('[') {
            between('[', ']')?
        } else {
            1
        };
        n.checked_mul(element).map(|bits| bits.div_ceil(8))
    };
    if s.contains(".shared") {
        if s.starts_with(".extern") {
            tally.add("shared.dynamic", 1);
        } else {
            tally.add("shared.declarations", 1);
            if let Some(n) = bytes() {
                tally.add("shared.static_bytes", n);
            }
        }
    } else if s.starts_with(".local") {
        if let Some(n) = bytes() {
            tally.add("local.array_bytes", n);
        }
    } else if s.starts_with(".reg") {
        // `%r<35>` declares %r0 to %r34; without a number it is a list of single registers.
        let n = between('<', '>').unwrap_or_else(|| s.split(',').count() as u64);
        tally.add("registers.virtual", n);
    } else if s.starts_with(".pragma") {
        let forbids = s.contains("nounroll");
        if forbids || s.contains("unroll") {
            let name = if forbids {
                "loop.nounroll"
            } else {
                "loop.unroll"
            };
            tally.add(name, 1);
        }
    }
}

fn type_bits(part: &str) -> Option<u64> {
    Some(match part {
        "b8" | "u8" | "s8" => 8,
        "b16" | "u16" | "s16" | "f16" | "bf16" => 16,
        "b32" | "u32" | "s32" | "f32" | "f16x2" | "bf16x2" | "tf32" => 32,
        "b64" | "u64" | "s64" | "f64" => 64,
        "b128" => 128,
        _ => return None,
    })
}

/// Counts the PTX of an inline assembly statement that runs `times` after unrolling.
pub(super) fn inline(tally: &mut Tally, text: &str, times: u64) {
    for s in text.split(';') {
        // Line ends are written as escapes in the literal.
        let s = s.trim_matches(|c: char| c.is_whitespace() || matches!(c, '{' | '}'));
        let s = s.trim_start_matches("\\n").trim_start_matches("\\t");
        let s = s.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '{' | '}'));
        instruction(tally, s, times, None);
    }
}

fn instruction(
    tally: &mut Tally,
    s: &str,
    times: u64,
    opcodes: Option<&mut std::collections::BTreeMap<String, u64>>,
) {
    let s = match s.strip_prefix('@') {
        Some(rest) => rest
            .split_once(char::is_whitespace)
            .map_or("", |r| r.1)
            .trim_start(),
        None => s,
    };
    let (op, operands) = s.split_once(char::is_whitespace).unwrap_or((s, ""));
    if !op.starts_with(|c: char| c.is_ascii_lowercase()) || op.len() > 120 || op.ends_with(':') {
        return;
    }
    if let Some(opcodes) = opcodes {
        tally.add("inst.total", 1);
        if opcodes.len() < MAX_NAMES || opcodes.contains_key(op) {
            *opcodes.entry(op.to_owned()).or_default() += 1;
        }
    }
    let parts: Vec<&str> = op.split('.').collect();
    let has = |p: &str| parts.contains(&p);
    let short = |n: usize| parts[..n.min(parts.len())].join(".");
    match parts[0] {
        "mma" | "wmma" | "wgmma" | "tcgen05" => {
            let multiplies = match parts[0] {
                "mma" => true,
                "wgmma" => has("mma_async"),
                _ => has("mma"),
            };
            if multiplies {
                let shape = parts.iter().find(|p| p.starts_with('m') && p.contains('k'));
                // `.sp` and `.sp::ordered_metadata` stand before or after what comes second.
                let sparse = parts.iter().any(|p| *p == "sp" || p.starts_with("sp::"));
                let name = match (sparse, parts[0]) {
                    (false, _) => short(2),
                    (true, "mma") => "mma.sp".to_owned(),
                    (true, _) => format!("{}.sp", short(2)),
                };
                let mut names = vec![format!("mma.{name}")];
                names.extend(shape.map(|shape| format!("mma.{name}.{shape}")));
                count_mma(tally, &names, times);
            } else if has("fence") {
                count_sync(tally, "fence.count", &short(2));
            } else if has("commit_group") || has("commit") {
                count_sync(tally, "async.commit", &short(2));
            } else if has("wait_group") || has("wait") {
                count_sync(tally, "async.wait", &short(2));
            }
        }
        "bar" | "barrier" => {
            let fact = if has("warp") {
                "barrier.warp"
            } else if has("cluster") {
                "barrier.cluster"
            } else if operands.contains(',') || !matches!(operands.trim(), "0" | "") {
                "barrier.partial"
            } else {
                "barrier.block"
            };
            count_sync(tally, fact, &short(2));
        }
        "mbarrier" => {
            let fact = if has("init") {
                "mbarrier.init"
            } else if has("arrive") {
                "mbarrier.arrive"
            } else if has("try_wait") || has("test_wait") {
                "mbarrier.wait"
            } else {
                if has("expect_tx")
                    && let Some(n) = last_number(operands)
                {
                    tally.add("tma.expect_bytes", n);
                }
                return;
            };
            count_sync(tally, fact, &short(2));
            if has("expect_tx")
                && let Some(n) = last_number(operands)
            {
                tally.add("tma.expect_bytes", n);
            }
        }
        "fence" | "membar" => count_sync(tally, "fence.count", &short(2)),
        "cp" if has("bulk") => bulk(tally, op, &parts, &short(4)),
        "cp" if has("commit_group") => count_sync(tally, "async.commit", &short(3)),
        "cp" if has("wait_group") || has("wait_all") => count_sync(tally, "async.wait", &short(3)),
        "cp" if has("async") && has("mbarrier") => {
            count_sync(tally, "mbarrier.arrive", &short(3));
        }
        "cp" if has("async") => tally.add("cp_async.count", 1),
        "prefetch" if has("tensormap") => tally.add("tma.prefetch", 1),
        "ldmatrix" => tally.add("ldmatrix.count", 1),
        "stmatrix" => tally.add("stmatrix.count", 1),
        "atom" | "red" => tally.add("atomic.count", 1),
        "shfl" => tally.add("shuffle.count", 1),
        "setmaxnreg" => {
            let fact = if has("inc") {
                "registers.alloc"
            } else {
                "registers.dealloc"
            };
            if let Ok(n) = operands.trim().parse() {
                tally.most(fact, n);
            }
        }
        "ld" | "ldu" | "st" => {
            let space = ["global", "shared", "local", "const", "param"]
                .into_iter()
                .find(|s| parts.iter().any(|p| p.split(':').next() == Some(s)))
                .unwrap_or("generic");
            let lanes = ["v2", "v4", "v8"].into_iter().find(|v| has(v));
            let lanes = lanes.and_then(|v| v[1..].parse::<u64>().ok()).unwrap_or(1);
            let bits = parts.iter().rev().find_map(|p| type_bits(p));
            let kind = if parts[0] == "st" { "store" } else { "load" };
            count_memory(tally, kind, space, bits.map(|b| b * lanes));
        }
        "fma" => tally.add("inst.fma", 1),
        // That of integers computes addresses.
        "mad" if has("f32") || has("f64") => tally.add("inst.fma", 1),
        "bra" | "brx" => tally.add("branch.total", 1),
        "call" => tally.add("call.total", 1),
        _ => {}
    }
}

/// The number that operands end with.
fn last_number(operands: &str) -> Option<u64> {
    let last = operands.rsplit(',').next()?.trim();
    match last.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => last.parse().ok(),
    }
}

/// Bulk copies: the destination comes before the source in the name.
fn bulk(tally: &mut Tally, op: &str, parts: &[&str], name: &str) {
    if parts.contains(&"commit_group") {
        count_sync(tally, "async.commit", name);
    } else if parts.contains(&"wait_group") {
        count_sync(tally, "async.wait", name);
    } else if parts.contains(&"prefetch") {
        tally.add("tma.prefetch", 1);
    } else {
        let shared = op.find(".shared");
        let global = op.find(".global");
        match (shared, global) {
            (Some(s), Some(g)) if s > g => tally.add("tma.store", 1),
            _ => tally.add("tma.load", 1),
        }
    }
}
