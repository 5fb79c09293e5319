//! Notes: what somebody wants to be kept beside the evidence, in words or as a table.

use std::path::{Path, PathBuf};

use assay_core::RecordId;
use assay_core::fold::State;
use assay_core::record::{BlobRef, Body, Note};
use assay_core::text::{Grid, inert};
use assay_core::view::{NoteView, NotesView, TableView};
use assay_ledger::Blob;

use crate::Cancel;
use crate::error::{Error, Result};
use crate::input;
use crate::workbench::Workbench;

/// The most that a table of a note may hold, in bytes: it is to be read, and lies in the ledger.
const KEPT: u64 = 256 << 10;

/// Rows of a table that a document shows; the file in the ledger has all.
const SHOWN: usize = 400;

/// Columns that a topic may have: it is a few words.
const TOPIC: usize = 60;

/// What to keep.
#[derive(Debug, Clone, Default)]
pub struct NoteRequest {
    /// The text.
    pub text: String,
    /// The variant or baseline that it is about; absent for the campaign.
    pub about: Option<String>,
    /// What kind of thing it says, in a few words.
    pub topic: Option<String>,
    /// A table that belongs to it: values separated by commas, in `.tsv` by tabs.
    pub table: Option<PathBuf>,
}

impl Workbench {
    /// Keeps a note about a variant or baseline, or about the campaign.
    ///
    /// # Errors
    /// For an empty text, an unknown name or a table that is none, and when the ledger cannot be
    /// written.
    pub fn note(&self, request: &NoteRequest) -> Result<(RecordId, Option<String>)> {
        let text = request.text.trim();
        if text.is_empty() {
            return Err(Error::input("a note needs a text"));
        }
        let topic = request.topic.as_deref().map(str::trim);
        if let Some(topic) = topic
            && (topic.is_empty() || topic.chars().count() > TOPIC || topic.contains('\n'))
        {
            return Err(Error::input(format!(
                "a topic is a few words on one line, {TOPIC} characters at most"
            )));
        }
        self.evaluator()?;
        let about = request.about.as_deref();
        let about = about.map(|name| self.resolve_subject(name)).transpose()?;
        let blob = request.table.as_deref().map(given).transpose()?;
        let note = Note {
            topic: topic.map(str::to_owned),
            table: blob.as_ref().map(Blob::reference),
            ..Note::new(about.clone(), text)
        };
        let record = self.record(note);
        let blobs: Vec<Blob> = blob.into_iter().collect();
        let id = record.id;
        self.ledger.append(&[record], &blobs)?;
        self.tidy();
        Ok((id, about))
    }

    /// The notes of the campaign, or those about a variant or baseline, oldest first.
    ///
    /// # Errors
    /// When the ledger cannot be read, or the name is unknown.
    pub fn all_notes(&self, about: Option<&str>) -> Result<NotesView> {
        let about = about.map(|name| self.resolve_subject(name)).transpose()?;
        let mut notes = self.notes(&self.state()?);
        notes.retain(|n| about.is_none() || n.about == about);
        Ok(NotesView {
            schema: "assay.notes/1".into(),
            campaign: self.campaign.clone(),
            notes,
        })
    }

    /// Every note, oldest first, with its table.
    pub(crate) fn notes(&self, state: &State) -> Vec<NoteView> {
        let mut notes = assay_core::fold::all_notes(state);
        self.fill_tables(state, &mut notes);
        notes
    }

    /// Reads the tables of notes; what cannot be read says why.
    pub(crate) fn fill_tables(&self, state: &State, notes: &mut [NoteView]) {
        for note in notes.iter_mut().filter(|n| n.table.is_some()) {
            let id = note.id.parse().ok();
            let record = id.and_then(|id: RecordId| state.get(id));
            if let Some(Body::Note(kept)) = record.map(|r| &r.body)
                && let Some(blob) = &kept.table
            {
                note.table = Some(self.table_view(blob));
            }
        }
    }

    /// A table of the ledger as it stands.
    pub(crate) fn table_view(&self, blob: &BlobRef) -> TableView {
        let mut view = TableView {
            name: blob.name.clone(),
            sha256: blob.sha256.to_string(),
            ..TableView::default()
        };
        let content = self.ledger.blob(blob.sha256).map(|b| b.into_bytes());
        let bytes = match content {
            Ok(Some(bytes)) => bytes,
            Ok(None) => {
                view.problem = Some("it is not stored here".into());
                return view;
            }
            Err(e) => {
                view.problem = Some(inert(&e.to_string()).into_owned());
                return view;
            }
        };
        let read = match std::str::from_utf8(&bytes) {
            Err(_) => Err("it is not UTF-8".to_owned()),
            Ok(text) => Grid::read(text, separator(Path::new(&blob.name), text))
                .map_err(|e| format!("it is no table: {}", inert(&e.to_string()))),
        };
        match read {
            Err(why) => view.problem = Some(why),
            Ok(grid) => {
                view.columns = grid.columns;
                view.left_out = grid.rows.len().saturating_sub(SHOWN);
                view.rows = grid.rows;
                view.rows.truncate(SHOWN);
            }
        }
        view
    }
}

/// A table that was named, held against what a table must be.
fn given(path: &Path) -> Result<Blob> {
    let bytes = input::bytes(path, KEPT, &Cancel::new())?;
    let shown = path.display().to_string();
    let text = std::str::from_utf8(&bytes).map_err(|e| {
        Error::input(format!(
            "{}: not UTF-8 at byte {}",
            inert(&shown),
            e.valid_up_to()
        ))
    })?;
    Grid::read(text, separator(path, text)).map_err(|e| {
        Error::input(format!("{}: {}", inert(&shown), inert(&e.to_string())))
            .hint("rows are counted as a spreadsheet shows them: the header is row 1")
    })?;
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned());
    Ok(Blob::new(name.unwrap_or(shown), bytes))
}

/// What stands between the cells: tabs in a `.tsv`, else semicolons where the header has some and no
/// comma, else commas.
fn separator(path: &Path, text: &str) -> char {
    let header = text.lines().next().unwrap_or_default();
    match path.extension().and_then(|e| e.to_str()) {
        Some(e) if e.eq_ignore_ascii_case("tsv") => '\t',
        _ if header.contains(';') && !header.contains(',') => ';',
        _ => ',',
    }
}
