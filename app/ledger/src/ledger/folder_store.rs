//! The ledger in a plain folder.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use assay_core::{RecordId, Sha256, Timestamp};

use super::blobs::BlobDir;
use super::cover::List;
use super::entry::is_record_path;
use super::git_store::check_format;
use super::{Batch, FORMAT, RawRecord, Snapshot};
use crate::error::{Error, Result};
use crate::fsio::{Staged, TEMPORARY};

pub(super) struct FolderStore {
    pub root: PathBuf,
    pub blobs: BlobDir,
}

impl FolderStore {
    pub fn open(root: &Path) -> Result<Self> {
        let store = Self {
            root: root.to_owned(),
            blobs: BlobDir(root.join("blobs")),
        };
        match fs::read(root.join("format.json")) {
            Ok(bytes) => check_format(&bytes)?,
            Err(_) if !root.exists() || root.join("records").is_dir() || is_fresh(root) => {}
            Err(_) => {
                return Err(Error::Folder {
                    path: root.to_owned(),
                    problem: "is not a ledger: it has neither format.json nor records/".into(),
                });
            }
        }
        Ok(store)
    }

    /// Paths of all records, sorted.
    pub fn paths(&self) -> Result<Vec<String>> {
        let mut out = Vec::new();
        walk(&self.root.join("records"), "records", &mut out)?;
        out.sort();
        Ok(out)
    }

    pub fn head(&self) -> Result<Option<String>> {
        Ok(self.seal(&self.paths()?))
    }

    /// What stands for all records: their names, and of each file its size and times, since
    /// nothing keeps anybody from editing a file of a plain folder.
    fn seal(&self, paths: &[String]) -> Option<String> {
        let mut parts = Vec::with_capacity(paths.len());
        for path in paths {
            // A file that is gone by now is read as one that is not there.
            let about = fs::symlink_metadata(self.root.join(path)).map_or_else(
                |_| String::new(),
                |m| {
                    let (changed, written) =
                        ((m.ctime(), m.ctime_nsec()), (m.mtime(), m.mtime_nsec()));
                    format!("{} {changed:?} {written:?}", m.len())
                },
            );
            parts.push(format!("{path} {about}"));
        }
        (!parts.is_empty()).then(|| format!("folder-{}", Sha256::of_parts(&parts)))
    }

    pub fn snapshot(&self) -> Result<Snapshot> {
        let paths = self.paths()?;
        // Before anything is read: what is edited meanwhile has another seal afterwards.
        let head = self.seal(&paths);
        let mut records = Vec::with_capacity(paths.len());
        for path in paths {
            let file = self.root.join(&path);
            match fs::read(&file) {
                Ok(bytes) => records.push(RawRecord { path, bytes }),
                // Removed by `gc` since the names were read.
                Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
                Err(e) => return Err(Error::io("reading", &file)(e)),
            }
        }
        Ok(Snapshot { head, records })
    }

    pub fn get(&self, id: RecordId) -> Result<Option<RawRecord>> {
        let name = format!("/{id}.json");
        let path = match likely_path(id) {
            Some(path) if self.root.join(&path).is_file() => Some(path),
            _ => self.paths()?.into_iter().find(|p| p.ends_with(&name)),
        };
        path.map(|path| {
            let file = self.root.join(&path);
            let bytes = fs::read(&file).map_err(Error::io("reading", &file))?;
            Ok(RawRecord { path, bytes })
        })
        .transpose()
    }

    pub fn write(&self, batch: Batch) -> Result<String> {
        let mut staged = Staged::default();
        let list = List::of(&self.root);
        // A ledger of old that has none does not get one that leaves out what it has already.
        let lists = list.is_there() || self.paths()?.is_empty();
        let format = self.root.join("format.json");
        if !format.exists() {
            staged.add(&format, FORMAT.as_bytes())?;
        }
        for (sha, bytes) in &batch.blobs {
            self.blobs.stage(&mut staged, *sha, bytes)?;
        }
        let mut new = Vec::new();
        for entry in &batch.records {
            let absent = entry
                .refs
                .iter()
                .find(|b| !batch.blobs.contains_key(&b.sha256) && !self.blobs.has(b.sha256));
            if let (Some(blob), false) = (absent, batch.allow_missing) {
                return Err(Error::BlobAbsent {
                    record: entry.record.id,
                    name: blob.name.clone(),
                    sha256: blob.sha256,
                });
            }
            let file = self.root.join(&entry.path);
            match fs::read(&file) {
                Ok(there) if there == entry.bytes => continue,
                Ok(_) => {
                    return Err(Error::Record {
                        path: entry.path.clone(),
                        problem: "a record of this id with other content is in the ledger".into(),
                    });
                }
                Err(_) => staged.add(&file, &entry.bytes)?,
            }
            new.push(entry);
        }
        staged.publish()?;
        if lists {
            list.add(new.into_iter())?;
        }
        for path in &batch.remove {
            let file = self.root.join(path);
            match fs::remove_file(&file) {
                Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                    return Err(Error::io("removing", &file)(e));
                }
                _ => {}
            }
        }
        Ok(self.head()?.unwrap_or_default())
    }
}

/// Where the record of that id stands if it was created at the time in its id.
pub(super) fn likely_path(id: RecordId) -> Option<String> {
    let at = Timestamp::from_millisecond(i64::try_from(id.unix_ms()).ok()?).ok()?;
    let text = id.to_string();
    let day = at.strftime("%Y/%m/%d");
    Some(format!(
        "records/{day}/{}/{text}.json",
        &text[text.len() - 2..]
    ))
}

/// Whether a folder is empty, or holds no more than another's first write has staged.
fn is_fresh(dir: &Path) -> bool {
    let ours = |name: &str| name == "blobs" || name.starts_with(TEMPORARY);
    let entry = |e: std::io::Result<fs::DirEntry>| {
        e.is_ok_and(|e| e.file_name().to_str().is_some_and(ours))
    };
    fs::read_dir(dir).is_ok_and(|mut d| d.all(entry))
}

fn walk(dir: &Path, at: &str, out: &mut Vec<String>) -> Result<()> {
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(e) => return Err(Error::io("reading", dir)(e)),
    };
    for entry in entries {
        let entry = entry.map_err(Error::io("reading", dir))?;
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        let path = format!("{at}/{name}");
        // A link is not followed: a ledger from elsewhere must not read outside itself.
        match entry.file_type() {
            Ok(t) if t.is_dir() => walk(&entry.path(), &path, out)?,
            Ok(t) if t.is_file() && is_record_path(&path) => out.push(path),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_first_write_under_way_is_no_foreign_folder() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        fs::create_dir(root.join("blobs")).unwrap();
        fs::write(root.join(".tmp-1"), "").unwrap();
        assert!(FolderStore::open(root).is_ok());
        fs::write(root.join("notes.txt"), "").unwrap();
        assert!(FolderStore::open(root).is_err());
    }
}
