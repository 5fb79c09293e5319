//! One record on its way in or out, checked.

use assay_core::record::{BlobRef, Body, Tombstone};
use assay_core::{Record, json};
use serde_json::Value;

use super::blobs::refs_in;
use crate::error::{Error, Result};

/// A record that is ready to be written.
pub(super) struct Entry {
    pub record: Record,
    pub path: String,
    pub bytes: Vec<u8>,
    pub refs: Vec<BlobRef>,
}

impl Entry {
    /// Prepares a new record.
    pub fn of(record: &Record) -> Result<Self> {
        let fail = |problem: String| Error::Record {
            path: record.path(),
            problem,
        };
        let bytes = record.to_bytes().map_err(|e| fail(e.to_string()))?;
        let value: Value = serde_json::from_slice(&bytes).map_err(|e| fail(e.to_string()))?;
        if record.supersedes.is_some() && record.reason.as_deref().is_none_or(str::is_empty) {
            return Err(fail("a correction needs a reason".into()));
        }
        Ok(Self {
            record: record.clone(),
            path: record.path(),
            refs: refs_in(&value),
            bytes,
        })
    }

    /// Checks stored bytes that were found at `path`, and brings them into canonical form.
    ///
    /// # Errors
    /// A text that says what is wrong.
    pub fn check(path: &str, bytes: &[u8]) -> Result<Self, String> {
        let record = Record::from_bytes(bytes).map_err(|e| e.to_string())?;
        if record.path() != path {
            return Err(format!(
                "it stands at `{path}` but belongs at `{}`",
                record.path()
            ));
        }
        // Not `record.to_bytes()`: a newer version may have written fields unknown here.
        let value: Value = serde_json::from_slice(bytes).map_err(|e| e.to_string())?;
        let mut text = json::canonical(&value).map_err(|e| e.to_string())?;
        text.push('\n');
        Ok(Self {
            record,
            path: path.to_owned(),
            bytes: text.into_bytes(),
            refs: refs_in(&value),
        })
    }
}

/// The tombstone in `bytes`, if it is a sound one.
pub(super) fn tombstone(bytes: &[u8]) -> Option<Tombstone> {
    // Most records are something else; looking for the word first avoids parsing them.
    const WORD: &[u8] = b"\"tombstone\"";
    if !bytes.windows(WORD.len()).any(|w| w == WORD) {
        return None;
    }
    match Record::from_bytes(bytes).ok()?.body {
        Body::Tombstone(t) => Some(t),
        _ => None,
    }
}

/// Whether `path` is where a record may stand.
pub(super) fn is_record_path(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    path.starts_with("records/") && path.ends_with(".json") && !name.starts_with('.')
}
