//! Facts of generated assembly: what the compiler made of the kernel.
//!
//! All counts are static: instructions in the text, not instructions executed. A loop body counts
//! once however often it runs, and an unrolled one as often as it was written out.

use std::collections::{BTreeMap, BTreeSet};

use assay_core::record::Figure;

use crate::asm::{Class, Dialect, Section, Stack, Statement, each_statement, split_comment};
use crate::asm::{aarch64, x86};
use crate::language::Language;

/// Static counts over a function or a file set.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Counts {
    /// Instructions, without directives and labels.
    pub instructions: u64,
    /// Fused multiply-adds, scalar and vector.
    pub fma: u64,
    /// Instructions that work on several elements at once. Register copies and zeroing are left
    /// out, because compilers use vector registers for them in scalar code too.
    pub vector: u64,
    /// Fused multiply-adds on vectors.
    pub vector_fma: u64,
    /// Widest fixed vector register that a vector instruction uses, in bits; 0 when there is none.
    pub vector_width_bits: u32,
    /// Vector instructions whose width is known only at run time (SVE).
    pub vector_scalable: u64,
    /// Vector instructions that read memory. An instruction that loads two registers counts once.
    pub vector_loads: u64,
    /// Vector instructions that write memory.
    pub vector_stores: u64,
    /// Dot-product-and-accumulate instructions (VNNI, BF16, SDOT).
    pub dot: u64,
    /// Matrix instructions (AMX tiles, SMMLA, SME outer products).
    pub matrix: u64,
    /// Jumps, conditional or not. A tail call is a jump, so it counts here.
    pub branches: u64,
    /// Calls.
    pub calls: u64,
    /// Stores of a register to a fixed stack slot: a heuristic for register pressure.
    ///
    /// Counted are moves from a register to an address that is the stack or frame pointer plus a
    /// constant. Pushes, pre-indexed prologue stores and the first store of each callee-saved
    /// AArch64 register are not counted. Arguments passed on the stack and scalars that live in
    /// memory by choice look the same and are counted.
    pub spills: u64,
    /// Software prefetches.
    pub prefetches: u64,
}

impl Counts {
    fn add(&mut self, c: &Class) {
        self.instructions += 1;
        self.fma += u64::from(c.fma);
        self.vector += u64::from(c.vector);
        self.vector_fma += u64::from(c.fma && c.vector);
        self.vector_width_bits = self.vector_width_bits.max(c.width_bits);
        self.vector_scalable += u64::from(c.scalable);
        self.vector_loads += u64::from(c.load);
        self.vector_stores += u64::from(c.store);
        self.dot += u64::from(c.dot);
        self.matrix += u64::from(c.matrix);
        self.branches += u64::from(c.branch);
        self.calls += u64::from(c.call);
        self.prefetches += u64::from(c.prefetch);
    }

    /// The counts by the names that records, gates and reports use.
    pub fn figures(&self) -> BTreeMap<String, Figure> {
        let one = "1";
        [
            ("inst.total", self.instructions, one),
            ("inst.fma", self.fma, one),
            ("vector.total", self.vector, one),
            ("vector.fma", self.vector_fma, one),
            (
                "vector.width_bits",
                u64::from(self.vector_width_bits),
                "bits",
            ),
            ("vector.scalable", self.vector_scalable, one),
            ("vector.loads", self.vector_loads, one),
            ("vector.stores", self.vector_stores, one),
            ("vector.dot", self.dot, one),
            ("matrix.mma", self.matrix, one),
            ("branch.total", self.branches, one),
            ("call.total", self.calls, one),
            ("stack.spills", self.spills, one),
            ("prefetch.total", self.prefetches, one),
        ]
        .into_iter()
        .map(|(name, value, unit)| (name.to_owned(), figure(value, unit)))
        .collect()
    }
}

// Counts of lines in a file stay far below 2^53, so that the conversion is exact.
fn figure(value: u64, unit: &str) -> Figure {
    Figure {
        value: value as f64,
        unit: unit.to_owned(),
    }
}

/// Facts of one function.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FunctionFacts {
    /// Symbol.
    pub name: String,
    /// Counts.
    pub counts: Counts,
    /// Bytes that the function takes from the stack: pushes plus constant adjustments of the stack
    /// pointer. Absent when it also moves the stack pointer by an amount that the text does not
    /// show.
    pub frame_bytes: Option<u64>,
    /// How often each opcode occurs.
    pub opcodes: BTreeMap<String, u64>,
}

/// Facts of a file set.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AsmFacts {
    /// Counts over everything, also over instructions outside of any function.
    pub total: Counts,
    /// Functions in the order in which they stand.
    pub functions: Vec<FunctionFacts>,
    /// How often each opcode occurs over everything.
    pub opcodes: BTreeMap<String, u64>,
}

/// Facts of host assembly: name, unit, meaning.
pub const ASM_FACTS: &[(&str, &str, &str)] = &[
    (
        "inst.total",
        "1",
        "instructions, without directives and labels",
    ),
    ("inst.fma", "1", "fused multiply-adds, scalar and vector"),
    (
        "vector.total",
        "1",
        "instructions that work on several elements at once; copies and zeroing of registers are left out",
    ),
    ("vector.fma", "1", "fused multiply-adds on vectors"),
    (
        "vector.width_bits",
        "bits",
        "widest fixed vector register that a vector instruction uses; 0 when there is none",
    ),
    (
        "vector.scalable",
        "1",
        "vector instructions whose width is known only at run time (SVE)",
    ),
    (
        "vector.loads",
        "1",
        "vector instructions that read memory; one that loads two registers counts once",
    ),
    (
        "vector.stores",
        "1",
        "vector instructions that write memory",
    ),
    (
        "vector.dot",
        "1",
        "dot products with accumulation (VNNI, BF16, SDOT)",
    ),
    (
        "matrix.mma",
        "1",
        "matrix instructions (AMX tiles, SMMLA, SME outer products)",
    ),
    (
        "branch.total",
        "1",
        "jumps, conditional or not; a tail call is one",
    ),
    ("call.total", "1", "calls"),
    (
        "stack.spills",
        "1",
        "stores of a register to a fixed stack slot, a heuristic for register pressure: pushes and the first store of a callee-saved register are left out, arguments on the stack are not",
    ),
    ("prefetch.total", "1", "software prefetches"),
    ("function.total", "1", "functions"),
    (
        "frame.bytes",
        "bytes",
        "largest stack frame of a function: pushes and constant adjustments of the stack pointer; absent when one of them moves it by an amount that the text does not show",
    ),
];

/// The facts of host assembly as a table of Markdown.
pub fn asm_facts_as_markdown() -> String {
    let mut out = String::from("| Fact | Unit | Meaning |\n|---|---|---|\n");
    for (name, unit, meaning) in ASM_FACTS {
        out.push_str(&format!("| `{name}` | {unit} | {meaning} |\n"));
    }
    out
}

impl AsmFacts {
    /// Takes the facts of one more file in.
    pub fn add_file(&mut self, language: Language, text: &str) {
        if language.is_assembly() {
            Reader::new(self, language, text).read(text);
        }
    }

    /// The largest frame of any function, in bytes; absent when there is no function or the frame
    /// of one of them is not visible.
    pub fn frame_bytes(&self) -> Option<u64> {
        self.functions
            .iter()
            .map(|f| f.frame_bytes)
            .collect::<Option<Vec<_>>>()?
            .into_iter()
            .max()
    }

    /// The facts for the record: counts, number of functions and largest frame.
    pub fn figures(&self) -> BTreeMap<String, Figure> {
        let mut out = self.total.figures();
        out.insert(
            "function.total".into(),
            figure(self.functions.len() as u64, "1"),
        );
        if let Some(bytes) = self.frame_bytes() {
            out.insert("frame.bytes".into(), figure(bytes, "bytes"));
        }
        out
    }
}

/// State of the function being read.
#[derive(Default)]
struct Frame {
    bytes: u64,
    dynamic: bool,
    frame_pointer: bool,
    /// Callee-saved registers whose first store was seen.
    saved: u64,
}

struct Reader<'f> {
    facts: &'f mut AsmFacts,
    dialect: Dialect,
    syntax: x86::Syntax,
    section: Section,
    declared: BTreeSet<String>,
    inside: bool,
    frame: Frame,
}

impl<'f> Reader<'f> {
    fn new(facts: &'f mut AsmFacts, language: Language, text: &str) -> Self {
        Self {
            facts,
            dialect: Dialect::of(language, text),
            syntax: x86::syntax_of(text),
            section: Section::default(),
            declared: declared_functions(text),
            inside: false,
            frame: Frame::default(),
        }
    }

    fn read(mut self, text: &str) {
        let mut in_block = false;
        let dialect = self.dialect;
        for line in text.lines() {
            let (code, _) = split_comment(line, dialect, &mut in_block);
            each_statement(&code, dialect, |s, _| self.statement(s));
        }
        self.end_function();
    }

    fn statement(&mut self, s: Statement<'_>) {
        match s {
            Statement::Label(name) => {
                if self.is_function(name) {
                    self.end_function();
                    self.inside = true;
                    self.facts.functions.push(FunctionFacts {
                        name: name.to_owned(),
                        ..FunctionFacts::default()
                    });
                }
            }
            Statement::Directive(name, args) => {
                if name == ".intel_syntax" {
                    self.syntax = x86::Syntax::Intel;
                } else if name == ".att_syntax" {
                    self.syntax = x86::Syntax::Att;
                } else if name == ".size" && self.is_current(args) {
                    self.end_function();
                } else {
                    self.section.follow(name, args);
                }
            }
            Statement::Instruction(mnemonic, operands) => self.instruction(mnemonic, operands),
        }
    }

    fn is_function(&self, name: &str) -> bool {
        if !self.declared.is_empty() {
            return self.declared.contains(name);
        }
        // Mach-O and hand-written files declare no types: a global-looking label in code begins one.
        self.section.is_code() && !name.starts_with(['.', 'L', 'l']) && !is_number(name)
    }

    fn is_current(&self, size_args: &str) -> bool {
        let name = size_args.split(',').next().unwrap_or("").trim();
        self.inside
            && self
                .facts
                .functions
                .last()
                .is_some_and(|f| f.name == name.trim_matches('"'))
    }

    fn instruction(&mut self, mnemonic: &str, operands: &str) {
        let mnemonic = mnemonic.to_ascii_lowercase();
        // Whatever does not look like an opcode is data that was mistaken for code.
        if !mnemonic.starts_with(|c: char| c.is_ascii_alphabetic()) || mnemonic.len() > 40 {
            return;
        }
        let class = if self.dialect.aarch64 {
            aarch64::classify(&mnemonic, &operands.to_ascii_lowercase())
        } else {
            x86::classify(&mnemonic, operands, self.syntax)
        };
        let spill = self.stack(class.stack);
        let facts = &mut *self.facts;
        facts.total.add(&class);
        facts.total.spills += u64::from(spill);
        if self.inside
            && let Some(f) = facts.functions.last_mut()
        {
            f.counts.add(&class);
            f.counts.spills += u64::from(spill);
            *f.opcodes.entry(mnemonic.clone()).or_default() += 1;
        }
        *facts.opcodes.entry(mnemonic).or_default() += 1;
    }

    /// Follows the frame; true when the instruction is a spill.
    fn stack(&mut self, effect: Stack) -> bool {
        let frame = &mut self.frame;
        let saved = match effect {
            Stack::None => return false,
            Stack::Grow(n) => {
                frame.bytes = frame.bytes.saturating_add(n);
                return false;
            }
            Stack::Dynamic => {
                frame.dynamic = true;
                return false;
            }
            Stack::SetFramePointer => {
                frame.frame_pointer = true;
                return false;
            }
            Stack::StoreFp(_) if !frame.frame_pointer => return false,
            Stack::StoreSp(saved) | Stack::StoreFp(saved) => saved,
        };
        let first_save = saved != 0 && frame.saved & saved == 0;
        frame.saved |= saved;
        !first_save
    }

    fn end_function(&mut self) {
        let frame = std::mem::take(&mut self.frame);
        if std::mem::take(&mut self.inside)
            && let Some(f) = self.facts.functions.last_mut()
        {
            f.frame_bytes = (!frame.dynamic).then_some(frame.bytes);
        }
    }
}

fn is_number(name: &str) -> bool {
    name.bytes().all(|b| b.is_ascii_digit())
}

/// Names that the file declares to be functions.
pub(crate) fn declared_functions(text: &str) -> BTreeSet<String> {
    text.lines()
        .filter_map(|l| l.trim_start().strip_prefix(".type"))
        .filter_map(|l| l.split_once(','))
        .filter(|(_, kind)| {
            let kind = kind.trim_start();
            [
                "@function",
                "%function",
                "@gnu_indirect_function",
                "STT_FUNC",
                "\"function\"",
            ]
            .iter()
            .any(|k| kind.starts_with(k))
        })
        .map(|(name, _)| name.trim().trim_matches('"').to_owned())
        .collect()
}
