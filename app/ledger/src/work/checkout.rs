//! Making a folder hold exactly the files that are wanted.
//!
//! libgit2's checkout compares with the repository's index, which belongs to the user. This one
//! keeps a list of its own beside the folder, and reads a file again unless its inode, size and
//! times are those it was written with. Filters (line endings, LFS) are not applied.

use std::collections::BTreeMap;
use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use git2::{ObjectType, Oid};
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::fsio;
use crate::variants::{Stored, Variants};

/// A file changed so shortly before the list was written may have been changed again after, with
/// the same time stamp. Twice the coarsest clock tick of common file systems, in nanoseconds.
const RACY_NS: i128 = 20_000_000;

/// What was written, and what the file looked like then.
#[derive(Default, Serialize, Deserialize)]
struct Manifest {
    /// Change time of the manifest's own file system when it was written, in nanoseconds.
    at_ns: i128,
    files: BTreeMap<String, Seen>,
}

#[derive(Clone, PartialEq, Serialize, Deserialize)]
struct Seen {
    oid: String,
    inode: u64,
    size: u64,
    mtime_ns: i128,
    ctime_ns: i128,
}

/// How much work a checkout was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Work {
    pub written: usize,
    pub removed: usize,
}

/// Makes `dir` hold exactly the files in `want`; `list` is where it remembers them.
pub(super) fn checkout(
    variants: Variants<'_>,
    want: &BTreeMap<String, Stored>,
    dir: &Path,
    list: &Path,
) -> Result<Work> {
    if let Some(path) = want.keys().find(|p| !crate::variants::safe(p)) {
        return Err(Error::UnsafePath { path: path.clone() });
    }
    match fs::symlink_metadata(dir) {
        Ok(meta) if !meta.is_dir() => remove(dir)?,
        _ => {}
    }
    fs::create_dir_all(dir).map_err(Error::io("creating", dir))?;
    // A list that cannot be read costs time, nothing else.
    let known: Manifest = fs::read(list)
        .ok()
        .and_then(|b| serde_json::from_slice(&b).ok())
        .unwrap_or_default();
    let mut sweep = Sweep {
        want,
        known: &known,
        sound: BTreeMap::new(),
        work: Work::default(),
    };
    sweep.folder(dir, "")?;
    let Sweep {
        mut sound,
        mut work,
        ..
    } = sweep;
    for (path, file) in want {
        if sound.contains_key(path) {
            continue;
        }
        let target = dir.join(path);
        write(variants, *file, &target)?;
        work.written += 1;
        if file.mode != 0o160_000 {
            sound.insert(path.clone(), seen(&target, file.oid)?);
        }
    }
    remember(list, sound)?;
    Ok(work)
}

struct Sweep<'a> {
    want: &'a BTreeMap<String, Stored>,
    known: &'a Manifest,
    /// Files that are as they should be.
    sound: BTreeMap<String, Seen>,
    work: Work,
}

impl Sweep<'_> {
    /// Removes whatever is not wanted and finds out what is right already.
    fn folder(&mut self, dir: &Path, at: &str) -> Result<()> {
        // A build may have write-protected the folder, so that nothing in it could be removed.
        let mode = fs::symlink_metadata(dir).map(|m| m.mode());
        if mode.is_ok_and(|m| m & 0o700 != 0o700) {
            let open = Permissions::from_mode(0o755);
            fs::set_permissions(dir, open).map_err(Error::io("opening up", dir))?;
        }
        let entries = fs::read_dir(dir).map_err(Error::io("reading", dir))?;
        for entry in entries {
            let entry = entry.map_err(Error::io("reading", dir))?;
            let full = entry.path();
            let name = entry.file_name();
            let meta = fs::symlink_metadata(&full).map_err(Error::io("reading", &full))?;
            let path = name.to_str().map(|n| crate::variants::join(at, n));
            let keep = match &path {
                Some(path) if meta.is_dir() => self.holds(path),
                Some(path) => self.is_sound(path, &full, &meta)?,
                None => false,
            };
            match path {
                Some(path) if keep && meta.is_dir() => self.folder(&full, &path)?,
                _ if keep => {}
                _ => {
                    remove(&full)?;
                    self.work.removed += 1;
                }
            }
        }
        Ok(())
    }

    /// Whether a wanted file lies below `path`.
    fn holds(&self, path: &str) -> bool {
        let below = format!("{path}/");
        let next = self.want.range(below.clone()..).next();
        next.is_some_and(|(p, _)| p.starts_with(&below))
    }

    fn is_sound(&mut self, path: &str, full: &Path, meta: &fs::Metadata) -> Result<bool> {
        let Some(file) = self.want.get(path) else {
            return Ok(false);
        };
        let mode = if meta.is_symlink() {
            0o120_000
        } else if !meta.is_file() {
            return Ok(false);
        } else if meta.mode() & 0o100 != 0 {
            0o100_755
        } else {
            0o100_644
        };
        // A second name for the same file would let someone change it unseen.
        if mode != file.mode || meta.nlink() > 1 {
            return Ok(false);
        }
        let now = seen_of(meta, file.oid);
        let trusted =
            self.known.files.get(path) == Some(&now) && now.ctime_ns + RACY_NS < self.known.at_ns;
        if trusted || on_disk(full, mode)? == file.oid {
            self.sound.insert(path.to_owned(), now);
            return Ok(true);
        }
        Ok(false)
    }
}

/// The git id of a file as it is on disk.
fn on_disk(path: &Path, mode: u32) -> Result<Oid> {
    let bytes = if mode == 0o120_000 {
        let target = fs::read_link(path).map_err(Error::io("reading", path))?;
        target.into_os_string().into_encoded_bytes()
    } else {
        fs::read(path).map_err(Error::io("reading", path))?
    };
    Oid::hash_object(ObjectType::Blob, &bytes).map_err(Error::git("hashing a file"))
}

fn write(variants: Variants<'_>, file: Stored, target: &Path) -> Result<()> {
    if file.mode == 0o160_000 {
        return fs::create_dir_all(target).map_err(Error::io("creating", target));
    }
    if let Some(dir) = target.parent() {
        fs::create_dir_all(dir).map_err(Error::io("creating", dir))?;
    }
    let bytes = variants.bytes(file.oid)?;
    let make = || -> io::Result<()> {
        if file.mode == 0o120_000 {
            let link = String::from_utf8(bytes).map_err(io::Error::other)?;
            return symlink(link, target);
        }
        let mut f = File::create_new(target)?;
        f.write_all(&bytes)?;
        let mode = if file.mode == 0o100_755 { 0o755 } else { 0o644 };
        f.set_permissions(Permissions::from_mode(mode))
    };
    make().map_err(Error::io("writing", target))
}

/// Removes a file or folder, even one that a build has write-protected.
fn remove(path: &Path) -> Result<()> {
    let attempt = || match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(e) => Err(e),
    };
    if let Err(e) = attempt()
        && e.kind() == io::ErrorKind::PermissionDenied
    {
        open_up(path);
    }
    attempt().map_err(Error::io("removing", path))
}

fn open_up(path: &Path) {
    let Ok(meta) = fs::symlink_metadata(path) else {
        return;
    };
    if meta.is_dir() {
        let _ = fs::set_permissions(path, Permissions::from_mode(0o700));
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            open_up(&entry.path());
        }
    }
}

fn seen(path: &Path, oid: Oid) -> Result<Seen> {
    let meta = fs::symlink_metadata(path).map_err(Error::io("reading", path))?;
    Ok(seen_of(&meta, oid))
}

fn seen_of(meta: &fs::Metadata, oid: Oid) -> Seen {
    let ns = |s: i64, n: i64| i128::from(s) * 1_000_000_000 + i128::from(n);
    Seen {
        oid: oid.to_string(),
        inode: meta.ino(),
        size: meta.len(),
        mtime_ns: ns(meta.mtime(), meta.mtime_nsec()),
        ctime_ns: ns(meta.ctime(), meta.ctime_nsec()),
    }
}

fn remember(list: &Path, files: BTreeMap<String, Seen>) -> Result<()> {
    // The clock that counts is that of the file system, so a file is touched to read it.
    let probe = list.with_extension("probe");
    fs::write(&probe, b"").map_err(Error::io("writing", &probe))?;
    let manifest = Manifest {
        at_ns: seen(&probe, Oid::ZERO_SHA1)?.ctime_ns,
        files,
    };
    let text = serde_json::to_vec(&manifest).map_err(|e| Error::Folder {
        path: list.to_owned(),
        problem: e.to_string(),
    })?;
    fsio::replace(list, &text)
}
