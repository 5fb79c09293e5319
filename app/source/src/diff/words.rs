//! Lines into words, for what changed inside of them.

use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::fast::FastMap;

/// Lines longer than this are not searched for what changed inside them.
pub(super) const MAX_BYTES: usize = 4096;

/// Lines of more words than this, likewise.
const MAX_WORDS: usize = 600;

/// The words of a line by place: names and numbers whole, every other character alone, and runs of
/// blanks.
pub(super) fn words(line: &str) -> Vec<(usize, usize)> {
    let mut out = Vec::with_capacity(line.len() / 3);
    let mut chars = line.char_indices().peekable();
    while let Some((from, c)) = chars.next() {
        let class = class(c);
        let mut to = from + c.len_utf8();
        while class > 0
            && let Some((at, d)) = chars.next_if(|(_, d)| self::class(*d) == class)
        {
            to = at + d.len_utf8();
        }
        out.push((from, to));
    }
    out
}

fn class(c: char) -> u8 {
    match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '$' => 2,
        c if c.is_whitespace() => 1,
        c if c.is_alphanumeric() => 2,
        _ => 0,
    }
}

/// The parts of both lines that differ, by place; `None` when marking them would help nobody.
#[allow(clippy::type_complexity)]
pub(super) fn changed(a: &str, b: &str) -> Option<(Vec<(usize, usize)>, Vec<(usize, usize)>)> {
    if a.len().max(b.len()) > MAX_BYTES {
        return None;
    }
    let (x, y) = (words(a), words(b));
    if x.len().max(y.len()) > MAX_WORDS {
        return None;
    }
    // Words by number, so that they are compared but once.
    let mut numbers: FastMap<&str, u32> = FastMap::default();
    let mut number = |line, words: &[(usize, usize)]| -> Vec<u32> {
        let texts = words.iter().map(|(p, q)| text(line, (*p, *q)));
        texts
            .map(|w| {
                let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
                *numbers.entry(w).or_insert(next)
            })
            .collect()
    };
    let (p, q) = (number(a, &x), number(b, &y));
    let named = |line, words: &[(usize, usize)]| -> usize {
        let texts = words.iter().map(|w| text(line, *w));
        // Blanks and brackets are in every line.
        let named = texts.filter(|w| w.starts_with(|c| class(c) == 2));
        named.map(str::len).sum()
    };
    let (mut left, mut right) = (Vec::new(), Vec::new());
    let mut equal = 0;
    for op in capture_diff_slices(Algorithm::Myers, &p, &q) {
        if let DiffOp::Equal { old_index, len, .. } = op {
            equal += named(a, &x[old_index..old_index + len]);
            continue;
        }
        put(&mut left, &x[op.old_range()]);
        put(&mut right, &y[op.new_range()]);
    }
    let (n, m) = (named(a, &x), named(b, &y));
    // Two lines that share next to nothing are two lines, not one that changed.
    (equal * 4 >= n.max(m) || n + m < 24).then_some((left, right))
}

fn text(line: &str, (from, to): (usize, usize)) -> &str {
    line.get(from..to).unwrap_or("")
}

fn put(to: &mut Vec<(usize, usize)>, words: &[(usize, usize)]) {
    for (from, end) in words {
        match to.last_mut() {
            Some(last) if last.1 == *from => last.1 = *end,
            _ => to.push((*from, *end)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_are_whole() {
        let marks = |a: &str, b: &str| {
            let (x, y) = changed(a, b).unwrap();
            let get = |t: &str, m: &[(usize, usize)]| -> Vec<String> {
                m.iter().map(|(p, q)| t[*p..*q].to_owned()).collect()
            };
            (get(a, &x), get(b, &y))
        };
        assert_eq!(
            marks("*(uint1*)(C + 16384)", "*(uint2*)(C + 163)"),
            (
                vec!["uint1".into(), "16384".into()],
                vec!["uint2".into(), "163".into()]
            )
        );
        assert_eq!(
            marks("\tmov %eax, 1", "\tmov %ebx, 1"),
            (vec!["eax".into()], vec!["ebx".into()])
        );
        assert_eq!(changed(&"x".repeat(5000), "x"), None);
        assert_eq!(
            changed(
                "tl::tma_store_arrive(alpha, beta)",
                "float4 gamma = make_zero(delta)"
            ),
            None
        );
    }
}
