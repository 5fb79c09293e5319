//! A record and what is stored beside it: where a number comes from in the end.

use assay_core::RecordId;
use assay_core::fold::log_row;
use assay_core::record::{BlobRef, Record};
use assay_core::view::{LogRow, LogView, RecordView, StoredFile};
use assay_ledger::blob_refs;
use serde_json::Value;

use crate::error::{Error, Result};
use crate::workbench::Workbench;

/// Schema of the view.
const SCHEMA: &str = "assay.record-view/1";

/// Bytes of the beginning and of the end of a stored file that are shown.
const SHOWN: usize = 64 << 10;

impl Workbench {
    /// The record of an id, if the text is one and the ledger has it.
    ///
    /// # Errors
    /// When the ledger cannot be read, or the record is damaged.
    pub fn record_of(&self, text: &str) -> Result<Option<RecordView>> {
        let Some((record, bytes)) = self.find_record(text)? else {
            return Ok(None);
        };
        let mut whole: Value = serde_json::from_slice(&bytes)?;
        let files = blob_refs(&record).into_iter().map(|b| self.stored_file(&b));
        let files = files.collect::<Result<_>>()?;
        Ok(Some(RecordView {
            schema: SCHEMA.into(),
            campaign: record.campaign.clone(),
            reason: record.reason.clone(),
            record: log_row(&record),
            body: whole["body"].take(),
            files,
        }))
    }

    /// Records that are evidence about these variants or baselines, of each the newest first; an id
    /// stands for its record. None comes twice.
    ///
    /// # Errors
    /// When one is unknown, or the ledger cannot be read.
    pub fn records_of(&self, names: &[String]) -> Result<LogView> {
        let mut records: Vec<LogRow> = Vec::new();
        for name in names {
            let found = match self.find_record(name)? {
                Some((record, _)) => vec![log_row(&record)],
                None => self.log(Some(name), None)?.records,
            };
            let new = |row: &LogRow| records.iter().all(|r| r.id != row.id);
            let found: Vec<LogRow> = found.into_iter().filter(new).collect();
            records.extend(found);
        }
        Ok(LogView {
            schema: "assay.log/1".into(),
            campaign: self.campaign.clone(),
            records,
        })
    }

    /// The record of an id with its bytes.
    fn find_record(&self, text: &str) -> Result<Option<(Record, Vec<u8>)>> {
        let Ok(id) = text.parse::<RecordId>() else {
            return Ok(None);
        };
        let Some(raw) = self.ledger.get(id)? else {
            return Ok(None);
        };
        let read = Record::from_bytes(&raw.bytes);
        let damaged = |e| {
            Error::input(format!("record {id}: {e}"))
                .hint("`assay verify` finds all that is damaged")
        };
        Ok(Some((read.map_err(damaged)?, raw.bytes)))
    }

    fn stored_file(&self, file: &BlobRef) -> Result<StoredFile> {
        let mut out = StoredFile {
            name: file.name.clone(),
            sha256: file.sha256.to_string(),
            bytes: file.bytes,
            ..StoredFile::default()
        };
        if let Some(bytes) = self.ledger.blob(file.sha256)?.into_bytes() {
            out.stored = true;
            if let Some((text, left_out)) = ends(&bytes) {
                (out.text, out.left_out) = (Some(text), left_out);
            }
        }
        Ok(out)
    }
}

/// A text, or its beginning and its end, each to a whole line, and how many bytes lie between them;
/// nothing of what is no text.
fn ends(bytes: &[u8]) -> Option<(String, u64)> {
    let of = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
    if bytes.contains(&0) {
        return None;
    }
    if bytes.len() <= 2 * SHOWN {
        return Some((of(bytes), 0));
    }
    let head = &bytes[..SHOWN];
    let head = &head[..head
        .iter()
        .rposition(|b| *b == b'\n')
        .map_or(SHOWN, |i| i + 1)];
    let tail = &bytes[bytes.len() - SHOWN..];
    let tail = &tail[tail.iter().position(|b| *b == b'\n').map_or(0, |i| i + 1)..];
    let left_out = (bytes.len() - head.len() - tail.len()) as u64;
    let text = format!(
        "{}[assay: {left_out} bytes are left out here]\n{}",
        of(head),
        of(tail)
    );
    Some((text, left_out))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_shown_by_its_ends_and_what_is_none_is_not() {
        assert_eq!(ends(b"a\nb"), Some(("a\nb".into(), 0)));
        assert_eq!(ends(b"\x7fELF\0"), None);
        let long: String = (0..40_000).map(|i| format!("line {i}\n")).collect();
        let (text, left_out) = ends(long.as_bytes()).unwrap();
        assert!(text.starts_with("line 0\n") && text.ends_with("line 39999\n"));
        assert!(text.contains(&format!(
            "\n[assay: {left_out} bytes are left out here]\nline "
        )));
        assert!(text.len() < 2 * SHOWN + 100 && left_out > 0);
    }
}
