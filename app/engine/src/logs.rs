//! Benchmark logs that were made elsewhere: read, filed, read again, set side by side.
//!
//! | module | what it does |
//! |---|---|
//! | `read` | a file becomes rows, by its content or as asked |
//! | `rows` | rows as they are stored, and back |
//! | `file` | logs become records |
//! | `work` | what one launch of a row does, by formulas |
//! | `tables` | logs as the report shows them |
//! | `figures` | what logs print of their own times, computed again |

mod figures;
mod file;
mod read;
mod rows;
mod tables;
mod work;

use std::path::PathBuf;

pub use assay_core::campaign::ParseKind;
pub use assay_core::record::ReadingsRule;
use assay_core::record::{BlobRef, Readings};
use assay_core::view::ImportedLogView;
use assay_exec::readings::table::{table, to_csv, to_markdown};

use crate::error::{Error, Result};
use crate::workbench::Workbench;

pub(crate) use rows::stored;

/// What to import, and how to read it.
#[derive(Debug, Clone, Default)]
pub struct LogRequest {
    /// Log files.
    pub paths: Vec<PathBuf>,
    /// Their form; absent when the content tells it.
    pub kind: Option<ParseKind>,
    /// What the form does not say by itself.
    pub rule: ReadingsRule,
    /// Subjects that the others are held against; empty to choose them by name.
    pub baselines: Vec<String>,
    /// The target that the log is from.
    pub target: Option<String>,
    /// A remark to keep.
    pub note: Option<String>,
    /// Say what would be filed, and write nothing.
    pub dry_run: bool,
}

impl Workbench {
    /// The content of a blob of a log; why it is not at hand otherwise.
    fn log_blob(&self, blob: &BlobRef) -> Result<Vec<u8>> {
        let bytes = self.ledger.blob(blob.sha256)?.into_bytes();
        bytes.ok_or_else(|| {
            Error::input(format!(
                "{} ({} bytes) is not stored here",
                blob.name, blob.bytes
            ))
            .hint("`assay sync --blobs` fetches it")
        })
    }

    /// A log that was read as one table, without filing it: Markdown, or CSV with a line for each
    /// workload and subject. Speed-ups are over the first baseline.
    pub fn log_preview(&self, log: &ImportedLogView, request: &LogRequest, as_csv: bool) -> String {
        let known = work::Known::new(self.config.as_ref(), &request.rule);
        let readings = assay_exec::readings::Readings {
            kind: ParseKind::from_name(&log.kind).unwrap_or(ParseKind::Regex),
            facts: Vec::new(),
            rows: rows::readings(&log.rows),
            notices: Vec::new(),
        };
        let base = log.baselines.first().map(String::as_str);
        let side = table(&readings, base, &|row| known.find(row).work);
        match as_csv {
            true => to_csv(&side),
            false => to_markdown(&side),
        }
    }

    /// The rows of a filed log, as they were recorded.
    ///
    /// # Errors
    /// When they are not stored here or are no rows.
    pub fn log_rows(&self, log: &Readings) -> Result<Vec<assay_core::record::ReadingRow>> {
        let bytes = self.log_blob(&log.rows)?;
        serde_json::from_slice(&bytes)
            .map_err(|e| Error::environment(format!("rows of {}: {e}", log.name)))
    }

    /// Reads the file of a log again and holds it against what was recorded; says what differs.
    ///
    /// # Errors
    /// Why that cannot be done, for people.
    pub(crate) fn read_log_again(&self, log: &Readings) -> Result<Option<String>, String> {
        let plain = |e: Error| e.message;
        let recorded = self.log_rows(log).map_err(plain)?;
        let bytes = self.log_blob(&log.log).map_err(plain)?;
        let kind = ParseKind::from_name(&log.kind)
            .ok_or_else(|| format!("its form `{}` is not known to this version", log.kind))?;
        let mut side = |name: &str| {
            let blob = log.sides.iter().find(|b| b.name == name)?;
            self.log_blob(blob).ok()
        };
        let again = read::as_asked(kind, &log.rule, &bytes, &mut side).map_err(plain)?;
        let again = stored(&again);
        if again.len() != recorded.len() {
            let (was, is) = (recorded.len(), again.len());
            return Ok(Some(format!("recorded {was} rows, read {is}")));
        }
        let differs = recorded.iter().zip(&again).find(|(was, is)| was != is);
        Ok(differs.map(|(was, is)| {
            let text = |row| serde_json::to_string(row).unwrap_or_default();
            format!("recorded {}, read {}", text(was), text(is))
        }))
    }
}
