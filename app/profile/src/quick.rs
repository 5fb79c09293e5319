//! A hash for tables of names that are built in: quick, and not made for keys from outside.

use std::hash::{BuildHasherDefault, Hasher};

/// For a `HashMap` whose keys are all known beforehand. Looking up a foreign name is safe; entering
/// one is not, since names with equal hashes are easy to make.
pub(crate) type Quick = BuildHasherDefault<QuickHasher>;

/// Multiplies and rotates, eight bytes at a time.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct QuickHasher(u64);

impl QuickHasher {
    fn word(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

impl Hasher for QuickHasher {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for w in words {
            self.word(u64::from_le_bytes(*w));
        }
        if !rest.is_empty() {
            let mut last = [0; 8];
            last[..rest.len()].copy_from_slice(rest);
            self.word(u64::from_le_bytes(last));
        }
    }

    fn write_u8(&mut self, byte: u8) {
        self.word(u64::from(byte));
    }

    fn finish(&self) -> u64 {
        // The upper bits are the mixed ones; tables take the lower ones too.
        self.0 ^ (self.0 >> 32)
    }
}
