//! Build folders: one for each build of a content, held while it is in use.
//!
//! ```text
//! build/<content>/<id>/…              what the build made
//! build/<content>/<id>.complete       hashes of it; absent until the build ended well
//! build/<content>/<id>.lock           held shared while in use, so that nobody clears it away
//! ```

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use assay_core::record::Artefact;
use assay_core::{RecordId, Sha256, Timestamp};

use crate::error::{AtPath, Result};

/// A build folder in use.
pub struct Folder {
    /// The folder.
    pub path: PathBuf,
    content: PathBuf,
    _hold: File,
}

impl Folder {
    /// A new, empty folder for a content; complete older ones that nobody uses are kept, broken ones cleared.
    pub fn fresh(content: &Path) -> Result<Self> {
        fs::create_dir_all(content).at(content)?;
        let path = content.join(RecordId::fresh(Timestamp::now()).to_string());
        fs::create_dir_all(&path).at(&path)?;
        let hold = hold(&path)?;
        Ok(Self {
            path,
            content: content.to_owned(),
            _hold: hold,
        })
    }

    /// Takes a complete build of the same content instead, if there is one.
    pub fn take_complete(&mut self) -> Result<bool> {
        let mut found = siblings(&self.content)?;
        found.sort();
        for path in found.into_iter().rev().filter(|p| *p != self.path) {
            let hold = hold(&path)?;
            if complete(&path) {
                let _ = fs::remove_dir_all(&self.path);
                self.path = path;
                self._hold = hold;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether this folder holds a complete build with the hashes that were noted.
    pub fn is_complete(&self) -> bool {
        complete(&self.path)
    }

    /// Empties it for a build.
    pub fn empty(&self) -> Result<()> {
        let _ = fs::remove_file(beside(&self.path, "complete"));
        fs::remove_dir_all(&self.path).at(&self.path)?;
        fs::create_dir_all(&self.path).at(&self.path)
    }

    /// Notes what a build made, and clears away other builds of this content that nobody uses.
    pub fn complete(&self, artefacts: &[Artefact]) -> Result<()> {
        let text: String = artefacts
            .iter()
            .map(|a| format!("{} {}\n", a.sha256, a.path))
            .collect();
        let marker = beside(&self.path, "complete");
        fs::write(&marker, text).at(&marker)?;
        for other in siblings(&self.content)?
            .into_iter()
            .filter(|p| *p != self.path)
        {
            let lock = beside(&other, "lock");
            let free = File::open(&lock).map_or(true, |f| f.try_lock().is_ok());
            if free {
                let _ = fs::remove_file(beside(&other, "complete"));
                let _ = fs::remove_dir_all(&other);
                let _ = fs::remove_file(lock);
            }
        }
        Ok(())
    }

    /// Where the log of a program goes: beside the folder, so that it is no artefact.
    pub fn log(&self, of: &str) -> PathBuf {
        beside(&self.path, &format!("{of}.log"))
    }

    /// An own folder beside it, e.g. for a profiler's files; empty.
    pub fn side(&self, name: &str) -> Result<PathBuf> {
        let path = beside(&self.path, name);
        if path.exists() {
            fs::remove_dir_all(&path).at(&path)?;
        }
        fs::create_dir_all(&path).at(&path)?;
        Ok(path)
    }
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    path.with_extension(suffix)
}

fn hold(path: &Path) -> Result<File> {
    let lock = beside(path, "lock");
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .read(true)
        .open(&lock)
        .at(&lock)?;
    file.lock_shared().at(&lock)?;
    Ok(file)
}

fn siblings(content: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(content).at(content)?;
    let paths = entries.filter_map(|e| e.ok().map(|e| e.path()));
    Ok(paths
        .filter(|p| p.extension().is_none() && p.is_dir())
        .collect())
}

fn complete(path: &Path) -> bool {
    let Ok(listed) = fs::read_to_string(beside(path, "complete")) else {
        return false;
    };
    listed.lines().all(|l| {
        l.split_once(' ')
            .and_then(|(sha, file)| {
                fs::read(path.join(file))
                    .ok()
                    .map(|b| Sha256::of(b).to_string() == sha)
            })
            .unwrap_or(false)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn artefact(bytes: &str) -> Artefact {
        Artefact {
            path: "lib.so".into(),
            sha256: Sha256::of(bytes),
            bytes: bytes.len() as u64,
        }
    }

    #[test]
    fn a_complete_build_is_taken_and_a_changed_one_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let first = Folder::fresh(dir.path()).unwrap();
        fs::write(first.path.join("lib.so"), "code").unwrap();
        first.complete(&[artefact("code")]).unwrap();
        let mut second = Folder::fresh(dir.path()).unwrap();
        assert!(!second.is_complete());
        assert!(second.take_complete().unwrap());
        assert_eq!(second.path, first.path);
        fs::write(first.path.join("lib.so"), "other").unwrap();
        assert!(!Folder::fresh(dir.path()).unwrap().take_complete().unwrap());
    }

    #[test]
    fn a_build_in_use_is_not_cleared_away() {
        let dir = tempfile::tempdir().unwrap();
        let first = Folder::fresh(dir.path()).unwrap();
        fs::write(first.path.join("lib.so"), "code").unwrap();
        first.complete(&[artefact("code")]).unwrap();
        let second = Folder::fresh(dir.path()).unwrap();
        second.complete(&[]).unwrap();
        assert!(first.is_complete());
        let path = first.path.clone();
        drop(first);
        second.complete(&[]).unwrap();
        assert!(!path.exists());
    }
}
