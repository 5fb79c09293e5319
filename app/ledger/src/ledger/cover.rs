//! Which records a plain folder has to have: what makes one that is gone be noticed.
//!
//! A record says by its own hash that it is whole. That a whole record was deleted nothing says on a plain
//! folder, where no commit stands behind the tree. `records.sha256` lists them as `sha256sum` does, one a
//! line, in the order in which they were written; `sha256sum -c records.sha256` reads it too. Lines are
//! only ever added, each batch by one write behind its records, so that a list never names what was not
//! saved. Who edits the list as well goes unnoticed: the hash of the list itself is for keeping elsewhere.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use assay_core::Sha256;

use super::entry::{Entry, is_record_path};
use crate::error::{Error, Result};

/// Name of the list beside `format.json`.
pub(super) const LIST: &str = "records.sha256";

/// What the list of a plain folder says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cover {
    /// Records in the list.
    pub listed: usize,
    /// Records that are here and not in the list: nobody would notice if one of them went.
    pub unlisted: usize,
    /// Lines that are no lines of such a list.
    pub unread: usize,
    /// SHA-256 of the list as it stands.
    pub sha256: Sha256,
}

/// The list of a plain folder.
pub(super) struct List(PathBuf);

/// What a list names: the hash of each record by its path.
pub(super) struct Named {
    pub records: BTreeMap<String, Sha256>,
    pub unread: usize,
    pub sha256: Sha256,
}

impl List {
    pub fn of(root: &Path) -> Self {
        Self(root.join(LIST))
    }

    pub fn is_there(&self) -> bool {
        self.0.is_file()
    }

    /// Adds records that are saved.
    pub fn add<'e>(&self, entries: impl Iterator<Item = &'e Entry>) -> Result<()> {
        let lines: String = entries
            .map(|e| format!("{}  {}\n", Sha256::of(&e.bytes), e.path))
            .collect();
        if lines.is_empty() {
            return Ok(());
        }
        let write = || -> std::io::Result<()> {
            let mut file = OpenOptions::new()
                .create(true)
                .read(true)
                .append(true)
                .open(&self.0)?;
            // A line that a crash cut short stays a line of its own.
            let torn = file.seek(SeekFrom::End(0))? > 0 && !ends_a_line(&mut file)?;
            let begin = if torn { "\n" } else { "" };
            file.write_all(format!("{begin}{lines}").as_bytes())?;
            file.sync_data()
        };
        write().map_err(Error::io("writing", &self.0))
    }

    /// What it names; nothing where there is none.
    pub fn read(&self) -> Result<Option<Named>> {
        let bytes = match fs::read(&self.0) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(Error::io("reading", &self.0)(e)),
        };
        let mut out = Named {
            records: BTreeMap::new(),
            unread: 0,
            sha256: Sha256::of(&bytes),
        };
        for line in String::from_utf8_lossy(&bytes).lines() {
            match line_of(line) {
                Some((path, sum)) => drop(out.records.entry(path.to_owned()).or_insert(sum)),
                None => out.unread += 1,
            }
        }
        Ok(Some(out))
    }
}

fn line_of(line: &str) -> Option<(&str, Sha256)> {
    let (sum, path) = line.split_once("  ")?;
    is_record_path(path).then_some((path, sum.parse().ok()?))
}

fn ends_a_line(file: &mut fs::File) -> std::io::Result<bool> {
    use std::io::Read;
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}
