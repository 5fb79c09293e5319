//! Where the kernels of a file stand, and which of them belong together.

use std::collections::HashMap;
use std::ops::Range;

use crate::c_lex::Tokens;
use crate::facts::declared_functions;
use crate::kernel::base_name;
use crate::kernel::outline::{MAX_FUNCTIONS, Piece, Role};
use crate::language::Language;
use crate::normalise::marks::hash;

/// A kernel by its lines, from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Region {
    pub name: String,
    pub base: String,
    /// What its header says without its name: parameters and launch bounds.
    pub signature: u64,
    pub lines: Range<usize>,
}

/// Adds the kernels of a part of device source.
pub(super) fn of_pieces(
    t: &Tokens<'_>,
    pieces: &[Piece],
    lines: &[(u32, u32)],
    out: &mut Vec<Region>,
) {
    let line = |token: usize| {
        let start = if token < t.len() { t.place(token).0 } else { 0 };
        lines
            .partition_point(|(from, _)| *from as usize <= start)
            .saturating_sub(1)
    };
    for p in pieces.iter().filter(|p| p.role == Role::Kernel) {
        let first = line(p.first).max(out.last().map_or(0, |r| r.lines.end));
        let mut signature = 0;
        for i in (p.first..p.open).filter(|i| *i != p.name) {
            signature = hash(signature, t.at(i).as_bytes());
        }
        out.push(Region {
            name: t.at(p.name).to_owned(),
            base: base_name(t.at(p.name)),
            signature,
            lines: first..(line(p.last) + 1).max(first),
        });
    }
}

/// The kernels of PTX, the functions of SASS and of assembly.
pub(super) fn of_lines(language: Language, text: &str) -> Vec<Region> {
    let mut out: Vec<Region> = Vec::new();
    let mut open = false;
    let functions = if language.is_assembly() || language == Language::AsmAmdgcn {
        declared_functions(text)
    } else {
        Default::default()
    };
    for (i, line) in text.lines().enumerate() {
        let (starts, ends) = match language {
            Language::Ptx => (ptx_name(line), line.starts_with('}')),
            Language::Sass => match crate::kernel::sass::line(line) {
                crate::kernel::sass::Line::Function(name) => (Some(name), false),
                _ => (None, line.trim_start().starts_with("......")),
            },
            _ if functions.is_empty() => (None, false),
            _ => {
                let label = line.split(':').next().filter(|_| line.contains(':'));
                let label = label.map(str::trim).filter(|l| functions.contains(*l));
                (label, line.trim_start().starts_with(".size"))
            }
        };
        if let Some(name) = starts
            && out.len() < MAX_FUNCTIONS
        {
            if open && let Some(last) = out.last_mut() {
                last.lines.end = i;
            }
            open = true;
            let signature = match line.split_once(name) {
                Some((before, after)) => hash(hash(0, before.as_bytes()), after.as_bytes()),
                None => 0,
            };
            out.push(Region {
                name: name.to_owned(),
                base: base_name(name),
                signature,
                lines: i..i + 1,
            });
        } else if open && let Some(last) = out.last_mut() {
            last.lines.end = i + 1;
            open = !ends;
        }
    }
    out
}

fn ptx_name(line: &str) -> Option<&str> {
    let rest = match line.split_once(".entry") {
        Some((before, rest)) if !before.contains("//") => rest,
        _ => return None,
    };
    rest.trim_start()
        .split(|c: char| c.is_whitespace() || matches!(c, '(' | '{'))
        .find(|w| !w.is_empty())
}

/// A name without the number that a generator appends: `main_kernel` of `main_kernel_1`.
fn family(base: &str) -> &str {
    let stem = base.trim_end_matches(|c: char| c.is_ascii_digit());
    match stem.strip_suffix('_') {
        Some(s) if !s.is_empty() && stem.len() < base.len() => s,
        _ => base,
    }
}

/// Pairs kernels by index: by full name and header, by full name, by base name, by name without its number, by header, and
/// the last one of each side with each other. In each step only what is unique or in order pairs.
pub(super) fn pair(a: &[Region], b: &[Region]) -> Vec<(usize, usize)> {
    let mut left: Vec<usize> = (0..a.len()).collect();
    let mut right: Vec<usize> = (0..b.len()).collect();
    let mut out = Vec::new();
    type Key = fn(&Region) -> String;
    let steps: [Key; 5] = [
        // Of overloads with one name those with the same parameters belong together.
        |r| format!("{} {:x}", r.name, r.signature),
        |r| r.name.clone(),
        |r| r.base.clone(),
        |r| family(&r.base).to_owned(),
        |r| format!("{:x}", r.signature),
    ];
    for key in steps {
        if left.is_empty() || right.is_empty() {
            break;
        }
        let mut by: HashMap<String, Vec<usize>> = HashMap::new();
        for j in &right {
            by.entry(key(&b[*j])).or_default().push(*j);
        }
        for list in by.values_mut() {
            list.reverse();
        }
        let mut taken = vec![false; b.len()];
        left.retain(|i| match by.get_mut(&key(&a[*i])).and_then(Vec::pop) {
            Some(j) => {
                taken[j] = true;
                out.push((*i, j));
                false
            }
            None => true,
        });
        right.retain(|j| !taken[*j]);
    }
    if let ([i], [j]) = (&left[..], &right[..]) {
        out.push((*i, *j));
    }
    out.sort_unstable();
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn regions(text: &str) -> Vec<Region> {
        of_lines(Language::Ptx, text)
    }

    #[test]
    fn kernels_pair_by_name_family_and_header() {
        let a = regions(
            ".visible .entry _Z3addPf(\n)\n{\n}\n.entry main_kernel(.param .u32 x)\n{\n}\n.entry old(.param .u64 q)\n{\n}\n",
        );
        let b = regions(
            ".entry fresh(.param .u64 q)\n{\n}\n.entry main_kernel_1(.param .u32 y)\n{\n}\n.visible .entry _Z3addPd(\n)\n{\n}\n",
        );
        assert_eq!(a.len(), 3);
        assert_eq!((a[0].lines.clone(), a[1].lines.clone()), (0..4, 4..7));
        assert_eq!(pair(&a, &b), [(0, 2), (1, 1), (2, 0)]);
        let overloads = |order: [&str; 2]| {
            let of = |t: &str| format!(".entry k(.param .{t} x)\n{{\n}}\n");
            regions(&order.map(of).concat())
        };
        let (a, b) = (overloads(["u32", "f32"]), overloads(["f32", "u32"]));
        assert_eq!(pair(&a, &b), [(0, 1), (1, 0)]);
        assert_eq!(family("k_12"), "k");
        assert_eq!(family("k12"), "k12");
        assert_eq!(family("_1"), "_1");
    }
}
