//! Files that appear whole or not at all, and survive a crash once reported.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::error::{Error, Result};

/// From this many files on, one `syncfs` is cheaper than one `fsync` each.
const MANY: usize = 64;

/// How the names of files begin that have not got their own yet.
pub(crate) const TEMPORARY: &str = ".tmp-";

/// Files to make visible together: all are written before the first gets its name.
#[derive(Default)]
pub(crate) struct Staged {
    files: Vec<(NamedTempFile, PathBuf)>,
}

impl Staged {
    /// Writes `bytes` beside `target` under a temporary name.
    pub fn add(&mut self, target: &Path, bytes: &[u8]) -> Result<()> {
        let dir = target.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(dir).map_err(Error::io("creating", dir))?;
        let write = || -> io::Result<NamedTempFile> {
            let mut f = tempfile::Builder::new()
                .prefix(TEMPORARY)
                .tempfile_in(dir)?;
            f.write_all(bytes)?;
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                f.as_file()
                    .set_permissions(fs::Permissions::from_mode(0o644))?;
            }
            Ok(f)
        };
        let file = write().map_err(Error::io("writing", target))?;
        self.files.push((file, target.to_owned()));
        Ok(())
    }

    /// Syncs all files, then gives them their names in the order in which they were added.
    ///
    /// A file that exists already is left as it is: names stand for content here, and the caller
    /// has compared where they do not.
    pub fn publish(self) -> Result<()> {
        let temporary: Vec<&Path> = self.files.iter().map(|(f, _)| f.path()).collect();
        sync_files(&temporary)?;
        let mut dirs: Vec<PathBuf> = Vec::new();
        for (file, target) in self.files {
            match file.persist_noclobber(&target) {
                Ok(_) => {}
                Err(e) if e.error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(Error::io("naming", &target)(e.error)),
            }
            if let Some(dir) = target.parent() {
                dirs.push(dir.to_owned());
            }
        }
        dirs.sort();
        dirs.dedup();
        let dirs: Vec<&Path> = dirs.iter().map(PathBuf::as_path).collect();
        sync_files(&dirs)
    }
}

/// Writes one file so that it appears whole; an existing one is replaced.
pub(crate) fn replace(target: &Path, bytes: &[u8]) -> Result<()> {
    let dir = target.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(dir).map_err(Error::io("creating", dir))?;
    let write = || -> io::Result<()> {
        let mut f = tempfile::Builder::new()
            .prefix(TEMPORARY)
            .tempfile_in(dir)?;
        f.write_all(bytes)?;
        f.as_file().sync_data()?;
        f.persist(target)?;
        Ok(())
    };
    write().map_err(Error::io("writing", target))
}

/// Makes files and folders durable; a path that has vanished is skipped.
///
/// The calls run side by side, because the file system then commits its journal once for all.
pub(crate) fn sync_files(paths: &[&Path]) -> Result<()> {
    let Some(first) = paths.first() else {
        return Ok(());
    };
    if paths.len() > MANY && sync_file_system(first) {
        return Ok(());
    }
    let workers = paths.len().min(8);
    let results: Vec<Result<()>> = std::thread::scope(|scope| {
        let spawned: Vec<_> = (0..workers)
            .map(|w| {
                scope.spawn(move || {
                    paths
                        .iter()
                        .skip(w)
                        .step_by(workers)
                        .try_for_each(|p| sync_one(p))
                })
            })
            .collect();
        spawned.into_iter().filter_map(|t| t.join().ok()).collect()
    });
    results.into_iter().collect()
}

fn sync_one(path: &Path) -> Result<()> {
    match File::open(path).and_then(|f| f.sync_all()) {
        Ok(()) => Ok(()),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(e) => Err(Error::io("syncing", path)(e)),
    }
}

#[cfg(target_os = "linux")]
fn sync_file_system(path: &Path) -> bool {
    File::open(path).is_ok_and(|f| rustix::fs::syncfs(&f).is_ok())
}

#[cfg(not(target_os = "linux"))]
fn sync_file_system(_: &Path) -> bool {
    false
}
