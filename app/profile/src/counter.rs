//! A counter by itself: how readers make one.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use serde_json::Number;
use smol_str::SmolStr;

use crate::{Key, Status};

/// One counter as reported, on its way into a launch or taken out of one; its key is (section,
/// name), and case matters.
///
/// Launches keep theirs in less space: see [`CounterRef`](crate::CounterRef). Section, name,
/// canonical name and unit are reached as fields: see [`Key`].
#[derive(Debug, Clone, PartialEq)]
pub struct Counter {
    key: Arc<Key>,
    /// The number, with integers kept exactly; only with status `value`.
    pub value: Option<Number>,
    /// The word; only with status `text`.
    pub text: Option<Box<str>>,
    /// The last digit printed is worth this much (0.01 for `1.25`): the value is known no better.
    pub resolution: Option<f64>,
    /// The figure as printed.
    pub raw: SmolStr,
    /// What the entry amounts to.
    pub status: Status,
    /// Why it should not be taken at face value; empty when nothing speaks against it.
    pub suspect: Vec<String>,
}

impl Deref for Counter {
    type Target = Key;

    fn deref(&self) -> &Key {
        &self.key
    }
}

impl DerefMut for Counter {
    fn deref_mut(&mut self) -> &mut Key {
        Arc::make_mut(&mut self.key)
    }
}

impl Counter {
    /// A counter from a figure as printed. What is not a plain number gets status `error`.
    pub fn read(
        section: impl Into<SmolStr>,
        name: impl Into<SmolStr>,
        raw: &str,
        unit: impl Into<SmolStr>,
    ) -> Self {
        let mut c = Self::without_value(section, name, raw, unit, Status::Error);
        c.set(crate::number::read(raw));
        c
    }

    /// Takes over a number, or the reason why there is none.
    pub fn set(&mut self, read: Result<crate::number::Read, String>) {
        match read {
            Ok(n) => {
                self.value = Some(n.value);
                self.resolution = Some(n.resolution);
                self.status = Status::Value;
                self.suspect.extend(n.suspect);
            }
            Err(why) => {
                self.status = Status::Error;
                self.suspect.push(why);
            }
        }
    }

    /// An entry that is a word, not a number.
    pub fn words(section: impl Into<SmolStr>, name: impl Into<SmolStr>, text: &str) -> Self {
        let mut c = Self::without_value(section, name, text, "", Status::Text);
        c.text = Some(text.into());
        c
    }

    /// A counter that has no number; the status says why.
    pub fn without_value(
        section: impl Into<SmolStr>,
        name: impl Into<SmolStr>,
        raw: &str,
        unit: impl Into<SmolStr>,
        status: Status,
    ) -> Self {
        let unit = unit.into();
        let key = Key {
            section: section.into(),
            name: name.into(),
            canonical: None,
            unit: if unit.is_empty() {
                SmolStr::new_static("1")
            } else {
                unit
            },
        };
        Self::of(Arc::new(key), raw, status)
    }

    /// A counter without number of a key that other launches have too.
    #[inline]
    pub fn of(key: Arc<Key>, raw: &str, status: Status) -> Self {
        Self {
            key,
            value: None,
            text: None,
            resolution: None,
            raw: raw.into(),
            status,
            suspect: Vec::new(),
        }
    }

    /// Section of the report; empty where it has none.
    pub fn section(&self) -> &str {
        &self.key.section
    }

    /// Name as the tool prints it.
    pub fn name(&self) -> &str {
        &self.key.name
    }

    /// Name in the catalog, where it has one.
    pub fn canonical(&self) -> Option<&str> {
        self.key.canonical.as_deref()
    }

    /// Unit as the tool prints it; `1` for counts.
    pub fn unit(&self) -> &str {
        &self.key.unit
    }

    /// The number as a double; integers beyond 2^53 are rounded here and exact in [`Self::exact`].
    pub fn number(&self) -> Option<f64> {
        self.value.as_ref().and_then(Number::as_f64)
    }

    /// The number with integers kept exactly.
    pub fn exact(&self) -> Option<Number> {
        self.value.clone()
    }

    /// The word; only with status `text`.
    pub fn word(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// The figure as printed.
    pub fn raw(&self) -> &str {
        &self.raw
    }

    /// What the last digit printed is worth.
    pub fn resolution(&self) -> Option<f64> {
        self.resolution
    }

    /// What the entry amounts to.
    pub fn status(&self) -> Status {
        self.status
    }

    /// Why it should not be taken at face value.
    pub fn suspect(&self) -> &[String] {
        &self.suspect
    }

    /// The number in a unit of the catalog, if it can be converted.
    pub fn in_unit(&self, unit: &str) -> Option<f64> {
        crate::catalog::in_unit(self.number()?, &self.key.unit, unit)
    }

    /// What the counter is, without its figure.
    pub(crate) fn into_key(self) -> Arc<Key> {
        self.key
    }

    /// What the counter is, to be shared.
    pub fn key(&self) -> &Arc<Key> {
        &self.key
    }
}
