//! Maps for names of sources: quick to look up, and hard to fill with collisions, because their
//! hash has a seed of the process.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::normalise::marks::hash;

/// A hash of short byte strings.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Fast(u64);

impl Hasher for Fast {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = hash(self.0, bytes);
    }

    fn write_u8(&mut self, _: u8) {
        // The end mark of a string; its length is in the hash.
    }
}

/// A map by name.
pub(crate) type FastMap<K, V> = HashMap<K, V, BuildHasherDefault<Fast>>;
