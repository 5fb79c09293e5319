//! Facts of kernels: C-like device source, PTX and SASS.
//!
//! All counts are static: places in the text, not executions. A call in a loop counts once, and an
//! unrolled one as often as it was written out. What the facts mean is in [`FACTS`].

mod access;
mod amdgcn;
mod body;
mod brackets;
mod calls;
mod conditions;
mod declaration;
mod expansion;
mod inline_asm;
mod macros;
mod mma;
mod names;
pub(crate) mod outline;
pub(crate) mod ptx;
mod records;
pub(crate) mod sass;
pub(crate) mod source;
mod stated;
mod tally;
mod trips;
mod types;
mod words;

use std::collections::BTreeMap;

use assay_core::record::Figure;

use crate::language::Language;
use source::Source;

pub(crate) use declaration::{Declaration, read_declaration};
pub(crate) use types::bits as type_bits;

/// Whether a function of that name does something that is counted.
pub(crate) fn has_effect(name: &str) -> bool {
    calls::in_some_scope(name)
}
pub use names::{FACTS, Fact, Fold, facts_as_markdown};
pub use tally::Tally;

/// Distinct names that are counted for one kernel; more come from no compiler.
const MAX_NAMES: usize = 2048;

/// Names longer than this are cut.
const MAX_NAME_BYTES: usize = 160;

/// Kernels beyond this have no figures of their own in a record.
const MAX_KERNELS_IN_RECORD: usize = 8;

/// Notices beyond this say nothing new.
const MAX_NOTICES: usize = 12;

fn clip(name: &str) -> &str {
    let mut end = name.len().min(MAX_NAME_BYTES);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    &name[..end]
}

/// Facts of one kernel.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Kernel {
    /// Name as it stands in the text, mangled or not.
    pub name: String,
    /// Name without mangling, scope and template arguments, to pair it by.
    pub base: String,
    /// Launch bounds as written, e.g. `__launch_bounds__(256, 1)`; empty when there are none.
    pub bounds: String,
    /// Figures: the kernel's own text and the helpers it reaches, each helper once.
    pub tally: Tally,
    /// Functions of the same text that it reaches, by name.
    pub helpers: Vec<String>,
    /// How often each opcode occurs (PTX, SASS).
    pub opcodes: BTreeMap<String, u64>,
}

/// Facts of a file set.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KernelFacts {
    /// Kernels in the order in which they stand.
    pub kernels: Vec<Kernel>,
    /// Figures over all kernels; a helper that several of them reach counts once.
    pub total: Tally,
    /// How often each opcode occurs over all kernels (PTX, SASS).
    pub opcodes: BTreeMap<String, u64>,
    /// What was left out, and why.
    pub notices: Vec<String>,
    cut: bool,
}

impl KernelFacts {
    /// Takes the facts of one more file in.
    pub fn add_file(&mut self, language: Language, text: &str) {
        match language {
            Language::Ptx => ptx::read(self, text),
            Language::Sass => sass::read(self, text),
            Language::AsmAmdgcn => amdgcn::read(self, text),
            l if l.is_device_c() => source::read(self, text),
            _ => return,
        }
        self.complete(language);
    }

    /// Takes the facts of one more file of device source in, which was read part by part.
    pub(crate) fn add_source(
        &mut self,
        language: Language,
        source: Source<'_>,
        notices: &[String],
        text: &str,
    ) {
        source.finish(self, notices, text);
        self.complete(language);
    }

    fn complete(&mut self, language: Language) {
        Tally::complete_all(self.kernels.iter_mut().map(|k| &mut k.tally), language);
        if !self.kernels.is_empty() {
            self.total.complete(language);
        }
    }

    pub(crate) fn notice(&mut self, text: String) {
        match self.notices.len().cmp(&MAX_NOTICES) {
            std::cmp::Ordering::Less => self.notices.push(text),
            std::cmp::Ordering::Equal => self.notices.push("and further notices".into()),
            std::cmp::Ordering::Greater => {}
        }
    }

    /// Adds a kernel to the list; its figures are in the total by now, or will be.
    fn list(&mut self, kernel: Kernel) {
        match self.kernels.len().cmp(&outline::MAX_FUNCTIONS) {
            std::cmp::Ordering::Less => self.kernels.push(kernel),
            std::cmp::Ordering::Equal if !self.cut => {
                self.cut = true;
                self.notice(format!(
                    "only the first {} kernels are listed; the totals hold all",
                    outline::MAX_FUNCTIONS
                ));
            }
            _ => {}
        }
    }

    /// Adds a kernel, and its figures to the total.
    fn push(&mut self, kernel: Kernel) {
        self.total.add("kernel.count", 1);
        self.total.take_in(&kernel.tally);
        for (op, n) in &kernel.opcodes {
            if self.opcodes.len() < MAX_NAMES || self.opcodes.contains_key(op) {
                *self.opcodes.entry(op.clone()).or_default() += n;
            }
        }
        self.list(kernel);
    }

    /// The facts for the record: the totals, and with 2 to 8 kernels also those of each one, as
    /// `kernel.<name>.<fact>`. The name is the base name, or the full one where that is not unique.
    pub fn figures(&self) -> BTreeMap<String, Figure> {
        let mut out: BTreeMap<String, Figure> = self
            .total
            .iter()
            .map(|(name, n)| (name.to_owned(), figure(name, n)))
            .collect();
        if (2..=MAX_KERNELS_IN_RECORD).contains(&self.kernels.len()) {
            for (k, name) in self.kernels.iter().zip(self.names()) {
                self.single(k, &name, &mut out);
            }
        }
        out
    }

    /// That figures of single kernels are left out of a record, where they are.
    pub fn left_out(&self) -> Option<String> {
        (self.kernels.len() > MAX_KERNELS_IN_RECORD).then(|| {
            format!(
                "{} kernels: facts of single kernels are recorded for up to {MAX_KERNELS_IN_RECORD}, the totals hold all",
                self.kernels.len()
            )
        })
    }

    /// What each kernel is called in figures.
    fn names(&self) -> Vec<String> {
        let mut bases: BTreeMap<&str, usize> = BTreeMap::new();
        for k in &self.kernels {
            *bases.entry(&k.base).or_default() += 1;
        }
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        let name = |k: &'_ Kernel, n: usize| match n {
            1 => k.name.clone(),
            // Overloads have one name in the text.
            n => format!("{}#{n}", k.name),
        };
        (self.kernels.iter())
            .map(|k| match bases.get(k.base.as_str()) {
                Some(1) => k.base.clone(),
                _ => {
                    let nth = seen.entry(&k.name).or_default();
                    *nth += 1;
                    name(k, *nth)
                }
            })
            .collect()
    }

    /// Adds the facts of one kernel.
    fn single(&self, k: &Kernel, of: &str, out: &mut BTreeMap<String, Figure>) {
        for (name, n) in k.tally.iter() {
            // A zero of one kernel says something only where another has more.
            if n > 0 || self.total.get(name).is_some_and(|t| t > 0) {
                out.insert(format!("kernel.{of}.{name}"), figure(name, n));
            }
        }
    }
}

/// The facts of those kernels that are on both sides and whose facts differ, where one side has
/// more kernels than [`KernelFacts::figures`] lists; empty where it lists them all.
pub fn different(a: &KernelFacts, b: &KernelFacts) -> [BTreeMap<String, Figure>; 2] {
    let mut out = [BTreeMap::new(), BTreeMap::new()];
    if a.kernels.len().max(b.kernels.len()) <= MAX_KERNELS_IN_RECORD {
        return out;
    }
    let (names_a, names_b) = (a.names(), b.names());
    let of_a: BTreeMap<&str, &Kernel> =
        (names_a.iter().map(String::as_str).zip(&a.kernels)).collect();
    for (name, y) in names_b.iter().zip(&b.kernels) {
        let Some(x) = of_a.get(name.as_str()) else {
            continue;
        };
        let some = |(_, n): &(&str, u64)| *n > 0;
        if x.tally == y.tally || x.tally.iter().filter(some).eq(y.tally.iter().filter(some)) {
            continue;
        }
        a.single(x, name, &mut out[0]);
        b.single(y, name, &mut out[1]);
    }
    out
}

// Counts of places in a text stay far below 2^53, so that the conversion is exact.
fn figure(name: &str, value: u64) -> Figure {
    Figure {
        value: value as f64,
        unit: names::fact(name).map_or("1", |f| f.unit).to_owned(),
    }
}

/// Counts an access to memory in its histogram and, where there is one, in the space's own facts.
fn count_memory(tally: &mut Tally, kind: &str, space: &str, bits: Option<u64>) {
    tally.count_memory(kind, space, bits, 1);
}

/// Counts a synchronisation by its fact and by its name.
fn count_sync(tally: &mut Tally, fact: &str, name: &str) {
    tally.add(fact, 1);
    tally.add(&format!("sync.{name}"), 1);
    if fact.starts_with("barrier.") {
        tally.add("barrier.count", 1);
    }
}

/// Counts a matrix instruction; `times` is how often it stands there after unrolling, 0 where that
/// is no question.
fn count_mma(tally: &mut Tally, names: &[String], times: u64) {
    count_mmas(tally, names, 1, times);
}

/// Counts `n` matrix instructions of the same names; `times` is their sum after unrolling.
fn count_mmas(tally: &mut Tally, names: &[String], n: u64, times: u64) {
    tally.add("mma.count", n);
    if names.iter().any(|n| is_sparse(n)) {
        tally.add("mma.sparse", n);
    }
    if times > 0 {
        tally.add("mma.unrolled", times);
    }
    for name in names {
        tally.add(name, n);
    }
}

/// Whether the name of a matrix instruction says that one operand is sparse.
fn is_sparse(name: &str) -> bool {
    name.split(['.', '_', ':'])
        .any(|p| matches!(p, "sp" | "SP" | "smfmac" | "swmmac"))
}

/// A name without mangling, scope and template arguments.
pub(crate) fn base_name(name: &str) -> String {
    let demangled = name.strip_prefix("_Z").and_then(|rest| {
        let (nested, mut rest) = match rest.strip_prefix('N') {
            Some(r) => (true, r),
            None => (false, rest),
        };
        let mut last = None;
        loop {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            let Ok(n) = rest[..digits].parse::<usize>() else {
                return last;
            };
            last = rest.get(digits..digits.checked_add(n)?);
            rest = rest.get(digits + n..)?;
            if !nested {
                return last;
            }
        }
    });
    let plain = demangled.unwrap_or(name);
    let plain = plain.split(['<', '(']).next().unwrap_or(plain);
    clip(plain.rsplit("::").next().unwrap_or(plain)).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_out_of_their_mangling() {
        for (name, base) in [
            ("_Z9gemm_wmmaPK6__halfS1_PS_iii", "gemm_wmma"),
            ("_ZN7cutlass6KernelI4GemmEEvNT_6ParamsE", "Kernel"),
            ("main_kernel", "main_kernel"),
            ("a::b<int>(int)", "b"),
            ("_Z99999999999999999999999x", "_Z99999999999999999999999x"),
            ("_Z9ab", "_Z9ab"),
        ] {
            assert_eq!(base_name(name), base);
        }
    }
}
