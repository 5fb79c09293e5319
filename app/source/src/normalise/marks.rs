//! What each line of a text became: a key to compare lines by.
//!
//! Two lines have the same key when the same is left of them. Keys are hashes with a seed of the
//! process, so that nobody can write two different lines that pass for equal.

use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum LineKind {
    /// Nothing is left of it: a comment, a blank line, debug information.
    #[default]
    Noise,
    /// Code, or what else is compared.
    Code,
    /// Scheduling alone.
    Scheduling,
}

/// Keys and kinds by line of the input, from 0.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    pub keys: Vec<u64>,
    pub kinds: Vec<LineKind>,
}

impl Marks {
    /// With room for so many lines.
    pub(crate) fn with_capacity(lines: usize) -> Self {
        Self {
            keys: Vec::with_capacity(lines),
            kinds: Vec::with_capacity(lines),
        }
    }

    /// Adds what is left of a line, or of a part of it.
    pub(crate) fn put(&mut self, line: usize, kind: LineKind, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        if self.keys.len() <= line {
            self.keys.resize(line + 1, 0);
            self.kinds.resize(line + 1, LineKind::Noise);
        }
        if self.kinds[line] == LineKind::Noise {
            self.kinds[line] = kind;
            self.keys[line] = hash(1 + kind as u64, bytes);
        } else {
            self.keys[line] = hash(self.keys[line], bytes);
        }
    }

    /// Adds what is left of several lines, the first of which is `line`.
    pub(crate) fn put_lines(&mut self, line: usize, text: &str) {
        if !text.contains('\n') {
            return self.put(line, LineKind::Code, text.as_bytes());
        }
        for (i, part) in text.split('\n').enumerate() {
            self.put(line + i, LineKind::Code, part.as_bytes());
        }
    }
}

/// A number of this process.
pub(crate) fn seed() -> u64 {
    static SEED: OnceLock<u64> = OnceLock::new();
    *SEED.get_or_init(|| RandomState::new().hash_one(0x5eed_u64) | 1)
}

/// The halves of a product, folded.
#[inline]
pub(crate) fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ ((product >> 64) as u64)
}

/// A hash of bytes that goes on from another one.
pub(crate) fn hash(from: u64, bytes: &[u8]) -> u64 {
    const K: u64 = 0x9e37_79b9_7f4a_7c15;
    let seed = seed();
    let mut h = from.wrapping_add(K) ^ seed;
    let (words, rest) = bytes.as_chunks::<8>();
    for w in words {
        h = fold(h ^ u64::from_le_bytes(*w), seed ^ K);
    }
    let mut last = [0u8; 8];
    last[..rest.len()].copy_from_slice(rest);
    h = fold(h ^ u64::from_le_bytes(last), seed ^ K);
    fold(h ^ bytes.len() as u64, K)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_tell_lines_apart_and_not_where_they_stand() {
        let mut m = Marks::default();
        m.put_lines(1, "a b\nc");
        m.put(4, LineKind::Code, b"a b");
        m.put(5, LineKind::Scheduling, b"a b");
        m.put(6, LineKind::Code, b"");
        assert_eq!(m.keys.len(), 6);
        assert_eq!(m.keys[1], m.keys[4]);
        assert_ne!(m.keys[1], m.keys[2]);
        assert_ne!(m.keys[4], m.keys[5]);
        assert_eq!(m.kinds[0], LineKind::Noise);
        assert_ne!(hash(0, b"a"), hash(0, b"a\0"));
    }
}
