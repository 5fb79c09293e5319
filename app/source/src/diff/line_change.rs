//! What became of one line, word by word, and what of that a renaming explains.

use std::collections::HashMap;

use super::bindings::{is_declared, is_name, tokens};
use super::classes::{Change, is_stack_line, is_x86};
use super::words::MAX_BYTES;
use crate::language::Language;

/// A name in the place of another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Renamed<'t> {
    from: &'t str,
    to: &'t str,
    /// What it is called when a renaming explains it.
    as_change: Change,
    /// Whether the line gives the name its value.
    defines: bool,
}

/// The changes of pairs of lines of one hunk.
#[derive(Default)]
pub(super) struct LineChanges<'t> {
    pub found: Vec<Change>,
    renamed: Vec<Renamed<'t>>,
    /// The same on unchanged lines around: no changes of their own, and they say what a name is.
    around: Vec<Renamed<'t>>,
    /// Words that are the same on both sides.
    same: Vec<&'t str>,
}

impl<'t> LineChanges<'t> {
    /// Adds what made one line of the other.
    pub(super) fn add(&mut self, language: Language, a: &'t str, b: &'t str) {
        if a == b {
            return self.found.push(Change::Rebound);
        }
        if a.len().max(b.len()) > MAX_BYTES {
            return self.found.push(Change::Edit);
        }
        let (x, y) = (tokens(language, a), tokens(language, b));
        if x[..] == y[..] {
            return self.found.push(Change::Comment);
        }
        if language == Language::Ptx && is_target(&x) && is_target(&y) {
            return self.found.push(Change::Target);
        }
        let asm = !language.is_c_like();
        if x.len() != y.len() {
            let (p, q) = (unconditional(&x), unconditional(&y));
            return self.found.push(if asm && p == q {
                Change::Predicate
            } else if asm && opcode(p) != opcode(q) && operands(p) == operands(q) {
                Change::Opcode
            } else {
                Change::Edit
            });
        }
        let (mut p, mut q) = (x.clone(), y.clone());
        p.sort_unstable();
        q.sort_unstable();
        if p == q {
            return self.found.push(Change::Operands);
        }
        self.words(
            language,
            &x,
            &y,
            is_stack_line(language, a) && is_stack_line(language, b),
        );
    }

    fn words(&mut self, language: Language, x: &[&'t str], y: &[&'t str], stack: bool) {
        let asm = !language.is_c_like();
        let opcode_at = x.len() - unconditional(x).len();
        for (i, (p, q)) in x.iter().zip(y).enumerate() {
            if p == q {
                if is_name(p) {
                    self.same.push(p);
                }
                continue;
            }
            let registers = is_register(language, p) && is_register(language, q);
            let change = if registers {
                Change::Registers
            } else if is_number(p) && is_number(q) {
                match stack {
                    true => Change::Stack,
                    false => Change::Literal,
                }
            } else if asm && i == opcode_at {
                Change::Opcode
            } else if asm && i < opcode_at {
                Change::Predicate
            } else if is_type(p) && is_type(q) {
                Change::Type
            } else if !is_name(p) && !is_name(q) && !is_number(p) && !is_number(q) {
                Change::Operator
            } else if is_name(p) && is_name(q) && !calls(x, i) {
                match stem(p) == stem(q) && !stem(p).is_empty() {
                    true => Change::Rename,
                    false => Change::Operands,
                }
            } else {
                Change::Edit
            };
            if matches!(change, Change::Registers | Change::Rename) {
                self.renamed.push(Renamed {
                    from: p,
                    to: q,
                    as_change: change,
                    defines: defines(language, x, i, opcode_at),
                });
            } else {
                self.found.push(change);
            }
        }
    }

    /// Adds the words of an unchanged line, by what they are called on both sides.
    pub(super) fn context(&mut self, language: Language, a: &'t str, b: &'t str) {
        if self.renamed.is_empty() {
            return;
        }
        let (x, y) = (tokens(language, a), tokens(language, b));
        let same = x.iter().zip(&y).filter(|(p, q)| p == q && is_name(p));
        self.same.extend(same.map(|(p, _)| *p));
        if x.len() != y.len() {
            return;
        }
        let opcode_at = x.len() - unconditional(&x).len();
        for (i, (p, q)) in x.iter().zip(&y).enumerate() {
            if p != q && is_name(p) && is_name(q) {
                self.around.push(Renamed {
                    from: p,
                    to: q,
                    as_change: Change::Rename,
                    defines: defines(language, &x, i, opcode_at),
                });
            }
        }
    }

    /// All kinds of change. A renaming is one where each name has one other name in the whole hunk,
    /// and the hunk has the place where it gets its value; other names are other operands.
    pub(super) fn finish(mut self) -> Vec<Change> {
        let mut there: HashMap<&str, &str> = HashMap::new();
        let mut back: HashMap<&str, &str> = HashMap::new();
        let all = || self.renamed.iter().chain(&self.around);
        let one_to_one = all().all(|r| {
            *there.entry(r.from).or_insert(r.to) == r.to
                && *back.entry(r.to).or_insert(r.from) == r.from
        });
        let kept = self
            .same
            .iter()
            .any(|w| there.contains_key(w) || back.contains_key(w));
        let defined = |name: &str| all().any(|r| r.from == name && r.defines);
        let explained = one_to_one && !kept && self.renamed.iter().all(|r| defined(r.from));
        // What an unchanged line says a name is called is no change of this hunk.
        let known = |r: &Renamed<'_>| self.around.iter().any(|d| d.from == r.from && d.defines);
        let mut changes: Vec<Change> = (self.renamed.iter())
            .filter(|r| !explained || !known(r))
            .map(|r| match explained {
                true => r.as_change,
                false => Change::Operands,
            })
            .collect();
        if changes.is_empty() && self.found.is_empty() {
            changes.extend(self.renamed.iter().map(|r| r.as_change));
        }
        self.found.extend(changes);
        self.found
    }
}

fn is_target(words: &[&str]) -> bool {
    matches!(words, [".", "target", ..])
}

/// An instruction without the condition before it: `@!P0 BRA x` is `BRA x`.
fn unconditional<'w, 't>(words: &'w [&'t str]) -> &'w [&'t str] {
    match words {
        ["@", "!", "%", _, rest @ ..] | ["@", "%", _, rest @ ..] => rest,
        ["@", "!", _, rest @ ..] | ["@", _, rest @ ..] => rest,
        words => words,
    }
}

/// The words of an opcode with its suffixes: `LDG . E . 128`.
fn opcode<'w, 't>(words: &'w [&'t str]) -> &'w [&'t str] {
    let mut end = words.len().min(1);
    while words.get(end) == Some(&".") {
        end = words.len().min(end + 2);
    }
    &words[..end]
}

fn operands<'w, 't>(words: &'w [&'t str]) -> &'w [&'t str] {
    &words[opcode(words).len()..]
}

/// Whether a name is one that is called.
fn calls(words: &[&str], at: usize) -> bool {
    words.get(at + 1) == Some(&"(")
}

/// Whether a line gives the name at a place its value.
fn defines(language: Language, words: &[&str], at: usize, opcode_at: usize) -> bool {
    if language.is_c_like() {
        let assigned = at == 0 && words.get(1) == Some(&"=") && words.get(2) != Some(&"=");
        return assigned || is_declared(words, at);
    }
    if matches!(language, Language::AsmX86_64) {
        return true;
    }
    let code = &words[opcode_at..];
    let stores = code.first().is_some_and(|op| {
        let op = op.to_ascii_lowercase();
        op.starts_with("st") || op.starts_with("red") || op.starts_with("bra")
    });
    let label = words.last() == Some(&":");
    let first = (code.iter().skip(opcode(code).len())).position(|w| is_name(w));
    let first = first.map(|n| opcode_at + opcode(code).len() + n);
    label || (!stores && first == Some(at))
}

/// A name without its number.
fn stem(word: &str) -> &str {
    if word.starts_with(|c: char| c.is_ascii_digit()) {
        return "";
    }
    word.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_')
}

/// `uint1` and `uint4` are no two temporaries.
fn is_type(word: &str) -> bool {
    crate::kernel::type_bits(word).is_some() || (is_name(word) && word.ends_with("_t"))
}

fn is_number(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
}

fn is_register(language: Language, word: &str) -> bool {
    let numbered = |prefixes: &[&str]| {
        prefixes.iter().any(|p| {
            word.strip_prefix(p)
                .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
        })
    };
    match language {
        Language::Sass => {
            numbered(&["R", "UR", "P", "UP", "B"]) || matches!(word, "RZ" | "URZ" | "PT")
        }
        Language::AsmAarch64 => {
            numbered(&["x", "w", "v", "q", "d", "s", "h", "b", "z", "p"])
                || matches!(word, "xzr" | "wzr")
        }
        Language::AsmAmdgcn => numbered(&["v", "s", "a"]) || matches!(word, "vcc" | "exec"),
        Language::AsmX86_64 => numbered(&["xmm", "ymm", "zmm", "k", "r"]) || is_x86(word),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(language: Language, pairs: &[(&str, &str)], context: &[&str]) -> Vec<&'static str> {
        let mut all = LineChanges::default();
        for (a, b) in pairs {
            all.add(language, a, b);
        }
        for line in context {
            all.context(language, line, line);
        }
        let mut out: Vec<&str> = all.finish().into_iter().map(Change::name).collect();
        out.dedup();
        out
    }

    #[test]
    fn a_renaming_is_one_to_one_and_has_its_definition() {
        let sass = |pairs: &[(&str, &str)], context: &[&str]| of(Language::Sass, pairs, context);
        let renamed = [
            ("LEA R29, P1, R15 ;", "LEA R40, P1, R15 ;"),
            ("IADD3 R28, R2, R29 ;", "IADD3 R28, R2, R40 ;"),
        ];
        assert_eq!(sass(&renamed, &[]), ["registers"]);
        assert_eq!(sass(&renamed, &["MOV R1, R29 ;"]), ["operands"]);
        assert_eq!(sass(&renamed[1..], &[]), ["operands"]);
        assert_eq!(
            sass(
                &[
                    ("LDG R28, [R12]", "LDG R20, [R12]"),
                    ("LDG R20, [R20]", "LDG R28, [R20]")
                ],
                &[]
            ),
            ["operands"]
        );
        assert_eq!(
            sass(&[("FFMA R1, R2, R3 ;", "FFMA R1, R3, R2 ;")], &[]),
            ["operands"]
        );
    }

    #[test]
    fn words_that_differ_have_a_kind() {
        for (language, a, b, kind) in [
            (
                Language::Cuda,
                "x = y & 1;",
                "x = y % 3;",
                vec!["operator", "literal"],
            ),
            (
                Language::Cuda,
                "a[6] = x_2;",
                "a[6] = x_1;",
                vec!["operands"],
            ),
            (
                Language::Cuda,
                "d(desc_a, 1);",
                "d(desc_b, 1);",
                vec!["operands"],
            ),
            (Language::Cuda, "(half_t*)C", "(bfloat16_t*)C", vec!["type"]),
            (Language::Cuda, "uint1 a;", "uint4 a;", vec!["type"]),
            (Language::Cuda, "f(a);", "g(a);", vec!["edit"]),
            (
                Language::Cuda,
                "float C[64];",
                "volatile float C[64];",
                vec!["edit"],
            ),
            (
                Language::Cuda,
                "int x_1 = 0;",
                "int x_2 = 0;",
                vec!["rename"],
            ),
            (Language::Cuda, "a = t_1;", "a = t_1;", vec!["rebound"]),
            (
                Language::Ptx,
                " @%p1 bra L;",
                " @!%p1 bra L;",
                vec!["predicate"],
            ),
            (
                Language::Ptx,
                ".target sm_90",
                ".target sm_80",
                vec!["target"],
            ),
            (
                Language::Sass,
                "@P0 BRA 0x110 ;",
                "@!P0 BRA 0x110 ;",
                vec!["predicate"],
            ),
            (
                Language::Sass,
                "LDG.E R2, [R1] ;",
                "LDG.E.128 R2, [R1] ;",
                vec!["opcode"],
            ),
            (
                Language::Sass,
                "LDG R2, [R1] ;",
                "LDS R2, [R1] ;",
                vec!["opcode"],
            ),
        ] {
            assert_eq!(of(language, &[(a, b)], &[]), kind, "{a} -> {b}");
        }
    }
}
