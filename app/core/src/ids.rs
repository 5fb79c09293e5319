//! Identifiers: record ids and content hashes.

use std::fmt;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use sha2::Digest;

/// Why a string is not an identifier.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    /// Not a ULID of 26 Crockford base-32 characters.
    #[error("`{0}` is not a record id (26 characters of Crockford base 32)")]
    Record(String),
    /// Not 64 lower-case hexadecimal digits.
    #[error("`{0}` is not a SHA-256 (64 lower-case hexadecimal digits)")]
    Sha256(String),
}

/// The identity of one record: a ULID, so that ids sort by creation time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordId(ulid::Ulid);

impl RecordId {
    /// Makes an id from a time in milliseconds since the epoch and 80 random bits.
    pub fn from_parts(unix_ms: u64, random: u128) -> Self {
        Self(ulid::Ulid::from_parts(unix_ms, random))
    }

    /// Makes a fresh id for a record created at `at`, with bits from the operating system.
    ///
    /// Ids that one process makes in one millisecond follow each other: records of one table keep its order.
    pub fn fresh(at: jiff::Timestamp) -> Self {
        static LAST: Mutex<Option<ulid::Ulid>> = Mutex::new(None);
        let ms = u64::try_from(at.as_millisecond()).unwrap_or(0);
        let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        let follows = last.filter(|l| l.timestamp_ms() == ms);
        let next = follows.and_then(|l| l.increment().ok());
        let next =
            next.unwrap_or_else(|| ulid::Ulid::from_parts(ms, ulid::Ulid::generate().random()));
        // The clock of another thread may be a hair behind.
        if last.is_none_or(|l| l < next) {
            *last = Some(next);
        }
        Self(next)
    }

    /// Milliseconds since the epoch that the id carries.
    pub fn unix_ms(self) -> u64 {
        self.0.timestamp_ms()
    }
}

impl fmt::Display for RecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_string())
    }
}

impl FromStr for RecordId {
    type Err = IdError;
    fn from_str(s: &str) -> Result<Self, IdError> {
        let id = ulid::Ulid::from_string(s).map_err(|_| IdError::Record(s.to_owned()))?;
        // The decoder is lenient about case and look-alikes; one spelling only is accepted.
        if id.to_string() == s {
            Ok(Self(id))
        } else {
            Err(IdError::Record(s.to_owned()))
        }
    }
}

/// A SHA-256 digest, written as 64 lower-case hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sha256([u8; 32]);

impl Sha256 {
    /// The digest of `bytes`.
    pub fn of(bytes: impl AsRef<[u8]>) -> Self {
        Self(sha2::Sha256::digest(bytes.as_ref()).into())
    }

    /// The digest of a list of parts, each preceded by its length so that parts cannot run together.
    pub fn of_parts<P: AsRef<[u8]>>(parts: impl IntoIterator<Item = P>) -> Self {
        let mut h = sha2::Sha256::new();
        for part in parts {
            let part = part.as_ref();
            h.update((part.len() as u64).to_le_bytes());
            h.update(part);
        }
        Self(h.finalize().into())
    }

    /// The first 12 hexadecimal digits, for people.
    pub fn short(&self) -> String {
        self.to_string()[..12].to_owned()
    }
}

/// A digest of content that comes in pieces.
#[derive(Debug, Clone, Default)]
pub struct Sha256Stream(sha2::Sha256);

impl Sha256Stream {
    /// Takes the next piece.
    pub fn update(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    /// The digest of all pieces.
    pub fn finish(self) -> Sha256 {
        Sha256(self.0.finalize().into())
    }
}

impl fmt::Display for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|b| write!(f, "{b:02x}"))
    }
}

impl FromStr for Sha256 {
    type Err = IdError;
    fn from_str(s: &str) -> Result<Self, IdError> {
        let bad = || IdError::Sha256(s.to_owned());
        if s.len() != 64 || !s.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
            return Err(bad());
        }
        let mut out = [0u8; 32];
        for (i, byte) in out.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&s[2 * i..2 * i + 2], 16).map_err(|_| bad())?;
        }
        Ok(Self(out))
    }
}

macro_rules! serde_as_string {
    ($($t:ty),*) => {$(
        impl Serialize for $t {
            fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                s.collect_str(self)
            }
        }
        impl<'de> Deserialize<'de> for $t {
            fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                let s = std::borrow::Cow::<'de, str>::deserialize(d)?;
                s.parse().map_err(serde::de::Error::custom)
            }
        }
    )*};
}
serde_as_string!(RecordId, Sha256);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sha256_round_trips_and_refuses_other_spellings() {
        let h = Sha256::of("abc");
        assert_eq!(
            h.to_string(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_eq!(h.to_string().parse::<Sha256>().unwrap(), h);
        assert!(h.to_string().to_uppercase().parse::<Sha256>().is_err());
        assert!("ab".parse::<Sha256>().is_err());
    }

    #[test]
    fn parts_cannot_run_together() {
        assert_ne!(Sha256::of_parts(["ab", "c"]), Sha256::of_parts(["a", "bc"]));
    }

    #[test]
    fn record_ids_sort_by_time_and_have_one_spelling() {
        let a = RecordId::from_parts(1, 0xABCDE);
        let b = RecordId::from_parts(2, 0);
        assert!(a < b && a.to_string() < b.to_string());
        assert_eq!(a.to_string().parse::<RecordId>().unwrap(), a);
        assert!(a.to_string().to_lowercase().parse::<RecordId>().is_err());
    }
}
