//! What the counters of a launch are, in their order; launches of one report share the list.

use std::sync::Arc;

use crate::Key;

/// Keys in the order of a report.
pub(crate) type KeyList = Arc<[Arc<Key>]>;

/// The keys of one launch: as many of a shared list as fit, then its own.
#[derive(Clone, Default)]
pub(crate) struct Keys {
    shared: Option<KeyList>,
    /// How many keys are those of the shared list.
    common: usize,
    own: Vec<Arc<Key>>,
}

impl Keys {
    /// No keys yet, and those of a list expected.
    pub fn expecting(list: KeyList) -> Self {
        Self {
            shared: Some(list),
            ..Self::default()
        }
    }

    /// The first keys of a list.
    pub fn first(list: KeyList, count: usize) -> Self {
        Self {
            common: count.min(list.len()),
            shared: Some(list),
            own: Vec::new(),
        }
    }

    /// No keys yet, and the same ones expected again.
    pub fn expected_again(&self) -> Self {
        Self::expecting(self.list())
    }

    /// How many keys are expected.
    pub fn expected(&self) -> usize {
        self.shared.as_ref().map_or(0, |list| list.len())
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.common + self.own.len()
    }

    /// The key at a place; an empty one where there is none.
    pub fn get(&self, at: usize) -> &Arc<Key> {
        static NONE: std::sync::LazyLock<Arc<Key>> = std::sync::LazyLock::new(Arc::default);
        let key = match at.checked_sub(self.common) {
            None => self.shared.as_ref().and_then(|list| list.get(at)),
            Some(at) => self.own.get(at),
        };
        key.unwrap_or_else(|| &NONE)
    }

    /// Whether there are no others than the first of those that are expected.
    pub fn are_as_expected(&self) -> bool {
        self.own.is_empty()
    }

    /// The key that is expected next, as long as all before it were as expected.
    #[inline]
    pub fn next(&self) -> Option<&Arc<Key>> {
        if !self.own.is_empty() {
            return None;
        }
        self.shared.as_ref()?.get(self.common)
    }

    /// Takes the key that is expected next, known to be the right one.
    #[inline]
    pub fn advance(&mut self) {
        self.common += 1;
    }

    /// Adds a key.
    #[inline]
    pub fn put(&mut self, key: Arc<Key>) {
        match self.next() {
            Some(next) if Arc::ptr_eq(next, &key) || **next == *key => self.common += 1,
            _ => self.own.push(key),
        }
    }

    /// Adds a key that is shared with the list if it is the expected one.
    #[inline]
    pub fn put_shared(&mut self, key: &Arc<Key>) {
        match self.next() {
            Some(next) if Arc::ptr_eq(next, key) => self.common += 1,
            _ => self.own.push(Arc::clone(key)),
        }
    }

    /// Puts another key in a place.
    pub fn set(&mut self, at: usize, key: &Arc<Key>) {
        let old = self.get(at);
        if at >= self.len() || Arc::ptr_eq(old, key) || **old == **key {
            return;
        }
        if at < self.common {
            let list = self.shared.iter().flat_map(|list| list.iter());
            let moved = list.take(self.common).skip(at).cloned();
            self.own.splice(0..0, moved);
            self.common = at;
        }
        if let Some(place) = self.own.get_mut(at - self.common) {
            *place = Arc::clone(key);
        }
    }

    /// All keys as one list.
    pub fn list(&self) -> KeyList {
        match &self.shared {
            Some(list) if self.own.is_empty() && list.len() == self.common => Arc::clone(list),
            _ => (0..self.len()).map(|at| Arc::clone(self.get(at))).collect(),
        }
    }

    /// A list that begins with these keys, and their number.
    pub fn parts(&self) -> (KeyList, usize) {
        match &self.shared {
            Some(list) if self.own.is_empty() => (Arc::clone(list), self.common),
            _ => (self.list(), self.len()),
        }
    }
}
