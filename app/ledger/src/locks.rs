//! Locks between processes: a file that says who holds it.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use jiff::Timestamp;

use crate::error::{Error, Result};

/// An exclusive lock on a file, released when dropped or when the process ends in any way.
///
/// The file stays behind: removing it would let two processes hold "the" lock at once.
#[derive(Debug)]
pub struct FileLock {
    file: File,
    path: PathBuf,
    abandoned: bool,
}

impl FileLock {
    /// Waits up to `timeout` for the lock at `path` and writes `owner`, host, pid and time inside.
    ///
    /// # Errors
    /// [`Error::LockHeld`] with the owner when the time is over; I/O errors.
    pub fn acquire(path: impl AsRef<Path>, timeout: Duration, owner: &str) -> Result<Self> {
        let path = path.as_ref();
        let start = Instant::now();
        let mut file = open(path)?;
        let mut pause = Duration::from_millis(1);
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(e)) => return Err(Error::io("locking", path)(e)),
            }
            let waited = start.elapsed();
            if waited >= timeout {
                return Err(Error::LockHeld {
                    path: path.to_owned(),
                    owner: holder(&mut file),
                    waited_ms: u64::try_from(waited.as_millis()).unwrap_or(u64::MAX),
                });
            }
            std::thread::sleep(pause.min(timeout.saturating_sub(waited)));
            pause = (pause * 2).min(Duration::from_millis(20));
        }
        // A holder that ends in order empties the file.
        let abandoned = file.metadata().is_ok_and(|m| m.len() > 0);
        let mut lock = Self {
            file,
            path: path.to_owned(),
            abandoned,
        };
        lock.note(&identity(owner))?;
        Ok(lock)
    }

    /// The lock at `path` if it is free now, else `None`.
    ///
    /// # Errors
    /// I/O errors.
    pub fn try_acquire(path: impl AsRef<Path>, owner: &str) -> Result<Option<Self>> {
        match Self::acquire(path, Duration::ZERO, owner) {
            Ok(lock) => Ok(Some(lock)),
            Err(Error::LockHeld { .. }) => Ok(None),
            Err(e) => Err(e),
        }
    }

    /// Who holds the lock at `path`, as written inside; `None` when it is free.
    pub fn held_by(path: impl AsRef<Path>) -> Option<String> {
        let mut file = File::open(path).ok()?;
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => Some(holder(&mut file)),
            _ => None,
        }
    }

    /// The lock file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the previous holder died while it held the lock.
    pub fn was_abandoned(&self) -> bool {
        self.abandoned
    }

    fn note(&mut self, text: &str) -> Result<()> {
        let write = |f: &mut File| -> std::io::Result<()> {
            f.set_len(0)?;
            f.rewind()?;
            f.write_all(text.as_bytes())
        };
        write(&mut self.file).map_err(Error::io("writing", &self.path))
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        let _ = self.file.set_len(0);
        let _ = self.file.unlock();
    }
}

/// `owner (pid P on HOST since TIME)`.
pub(crate) fn identity(owner: &str) -> String {
    let host = rustix::system::uname();
    let host = host.nodename().to_string_lossy();
    let since = Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ");
    format!(
        "{owner} (pid {} on {host} since {since})",
        std::process::id()
    )
}

fn open(path: &Path) -> Result<File> {
    if let Some(dir) = path.parent() {
        std::fs::create_dir_all(dir).map_err(Error::io("creating", dir))?;
    }
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
        .map_err(Error::io("opening", path))
}

fn holder(file: &mut File) -> String {
    let mut text = String::new();
    let read = file
        .rewind()
        .and_then(|()| file.take(4096).read_to_string(&mut text));
    match read {
        Ok(_) if !text.is_empty() => text,
        _ => "another process".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_holder_is_told_who_has_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("locks/gpu0");
        let first = FileLock::acquire(&path, Duration::ZERO, "bench of `blocking`").unwrap();
        let err = FileLock::acquire(&path, Duration::ZERO, "other").unwrap_err();
        let text = err.to_string();
        assert!(text.contains("bench of `blocking`"), "{text}");
        assert!(
            text.contains(&format!("pid {}", std::process::id())),
            "{text}"
        );
        assert!(FileLock::held_by(&path).is_some());
        drop(first);
        assert_eq!(FileLock::held_by(&path), None);
        assert!(FileLock::try_acquire(&path, "other").unwrap().is_some());
    }
}
