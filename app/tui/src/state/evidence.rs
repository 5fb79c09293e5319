//! Records as evidence: a list of them, and one with what is stored beside it.

use assay_core::view::{LogRow, RecordView};

use super::{Cursor, Slot};
use crate::document::Doc;

/// The records that something rests on.
#[derive(Debug, Default)]
pub struct Evidence {
    /// What it is: names of variants, ids of records.
    pub names: Vec<String>,
    /// The records.
    pub slot: Slot<Vec<LogRow>>,
    /// Selected one.
    pub cursor: Cursor,
}

impl Evidence {
    /// Number of records.
    pub fn count(&self) -> usize {
        self.slot.value.as_ref().map_or(0, Vec::len)
    }

    /// The selected record.
    pub fn current(&self) -> Option<&LogRow> {
        self.slot.value.as_ref()?.get(self.cursor.index)
    }
}

/// A record that is looked at.
#[derive(Debug, Default)]
pub struct Opened {
    /// Its id.
    pub id: String,
    /// The record.
    pub slot: Slot<RecordView>,
    /// As drawn.
    pub doc: Doc,
}
