//! Notes: what somebody wants to be kept beside the evidence.

use assay_core::RecordId;
use assay_core::record::Note;

use crate::error::{Error, Result};
use crate::workbench::Workbench;

impl Workbench {
    /// Keeps a note about a variant or baseline, or about the campaign.
    ///
    /// # Errors
    /// For an empty text or an unknown name, and when the ledger cannot be written.
    pub fn note(&self, text: &str, about: Option<&str>) -> Result<(RecordId, Option<String>)> {
        let text = text.trim();
        if text.is_empty() {
            return Err(Error::input("a note needs a text"));
        }
        self.evaluator()?;
        let about = about.map(|name| self.resolve_subject(name)).transpose()?;
        let note = Note {
            about: about.clone(),
            text: text.to_owned(),
        };
        let id = self.append(self.record(note), &[])?;
        self.tidy();
        Ok((id, about))
    }
}
