//! Notes with their tables: `assay.notes/1`, and part of `assay.show/1`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A note as shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NoteView {
    /// Record id.
    pub id: String,
    /// The variant or baseline that it is about; absent for the campaign.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// What kind of thing it says, e.g. `environment`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    /// The text.
    pub text: String,
    /// Who wrote it.
    pub by: String,
    /// When, RFC 3339.
    pub at: String,
    /// A table that belongs to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<TableView>,
}

/// `assay note --json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotesView {
    /// `assay.notes/1`.
    pub schema: String,
    /// Campaign.
    pub campaign: String,
    /// Notes, oldest first.
    pub notes: Vec<NoteView>,
}

/// A table of text, as it was given.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TableView {
    /// Name of its file.
    pub name: String,
    /// Hash of its content.
    pub sha256: String,
    /// Names of the columns; none where it could not be read.
    pub columns: Vec<String>,
    /// Rows as they stand.
    pub rows: Vec<Vec<String>>,
    /// Rows that are not shown.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: usize,
    /// Why it is not shown; absent where it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

impl NoteView {
    /// Whether it says what figures were measured on.
    pub fn is_environment(&self) -> bool {
        self.topic.as_deref() == Some(crate::record::ENVIRONMENT)
    }
}

fn is_zero(n: &usize) -> bool {
    *n == 0
}
