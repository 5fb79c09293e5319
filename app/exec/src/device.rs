//! One measurement at a time on a device: a lock across processes and users of this host.
//!
//! The lock is an advisory lock (`flock`) on a file in a folder that everybody may write, so that
//! the kernel frees it however its holder ends. The file holds who has it; it is never removed,
//! because removing a locked file would let a second holder in. Containers with a `/tmp` of their
//! own do not see each other's locks: give them a shared folder.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use assay_core::{Sha256, Timestamp, text};
use rustix::fs::{Mode, OFlags, fchmod};
use serde::{Deserialize, Serialize};

use crate::{Cancel, ExecError};

/// The folder for locks where no other one is set.
pub const DEFAULT_FOLDER: &str = "/tmp";

/// What to lock and what others are told about it.
#[derive(Debug, Clone)]
pub struct LockRequest<'a> {
    /// Folder for lock files, usually [`DEFAULT_FOLDER`].
    pub folder: &'a Path,
    /// Identity of the device, e.g. a GPU's UUID or `cpu`.
    pub device: &'a str,
    /// Name of the user.
    pub user: &'a str,
    /// What it is for, e.g. `gemm-cpu: bench blocking against naive`.
    pub what: &'a str,
    /// How long to wait while another has it.
    pub wait: Duration,
}

/// Who holds a lock, by their own account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// User.
    pub user: String,
    /// Process.
    pub pid: u32,
    /// Since when.
    pub since: Timestamp,
    /// What for.
    pub what: String,
}

impl std::fmt::Display for Holder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (user, what) = (text::inert(&self.user), text::inert(&self.what));
        write!(
            f,
            "{user} (process {}, since {:.0}): {what}",
            self.pid, self.since
        )
    }
}

/// A held lock; dropping it frees the device.
#[derive(Debug)]
pub struct DeviceLock {
    file: File,
}

impl DeviceLock {
    /// Locks a device, waiting with growing pauses while another holds it.
    ///
    /// `on_wait` is told who holds it (as far as that can be read) and for how long we have waited,
    /// before each pause.
    ///
    /// # Errors
    /// When it is not free in time, when cancelled, when the lock file is no plain file (a link
    /// that someone has put there), or when the folder cannot be used.
    pub fn acquire(
        request: &LockRequest<'_>,
        cancel: &Cancel,
        mut on_wait: impl FnMut(Option<&Holder>, Duration),
    ) -> Result<Self, ExecError> {
        let path = Self::path(request.folder, request.device);
        let started = Instant::now();
        let mut pause = Duration::from_millis(10);
        loop {
            if cancel.is_cancelled() {
                return Err(ExecError::Cancelled);
            }
            let mut file = open(&path)?;
            let locked = match file.try_lock() {
                Ok(()) => true,
                Err(TryLockError::WouldBlock) => false,
                Err(TryLockError::Error(e)) => return Err(ExecError::file("lock", &path)(e)),
            };
            if locked {
                if !same_file(&file, &path) {
                    continue; // someone removed or replaced the file before we had the lock
                }
                write_holder(&mut file, request)
                    .map_err(ExecError::file("write the holder into", &path))?;
                return Ok(Self { file });
            }
            let holder = read_holder(&mut file);
            let waited = started.elapsed();
            let Some(left) = request.wait.checked_sub(waited).filter(|l| !l.is_zero()) else {
                return Err(ExecError::DeviceBusy {
                    device: request.device.to_owned(),
                    holder: holder.map_or_else(|| "another process".into(), |h| h.to_string()),
                    waited,
                });
            };
            on_wait(holder.as_ref(), waited);
            cancel.wait(pause.min(left));
            pause = (pause * 2).min(Duration::from_millis(500));
        }
    }

    /// Where the lock of a device lies.
    pub fn path(folder: &Path, device: &str) -> PathBuf {
        folder.join(format!("assay-locks-{}.lock", Sha256::of(device).short()))
    }

    /// Who holds a device now; `None` when nobody does or it cannot be told.
    pub fn holder(folder: &Path, device: &str) -> Option<Holder> {
        let mut file = open_existing(&Self::path(folder, device)).ok()??;
        match file.try_lock_shared() {
            Ok(()) => None,
            Err(_) => read_holder(&mut file),
        }
    }
}

impl Drop for DeviceLock {
    fn drop(&mut self) {
        // The text must not outlive the lock: it would name a holder that is gone.
        let _ = self.file.set_len(0);
        let _ = self.file.unlock();
    }
}

fn open(path: &Path) -> Result<File, ExecError> {
    loop {
        if let Some(file) = open_existing(path)? {
            return Ok(file);
        }
        // Creating is a step of its own: the kernel refuses O_CREAT on the file of another user
        // in a sticky folder (`fs.protected_regular`), even to open what is there.
        let made = options().create_new(true).mode(0o666).open(path);
        match made {
            Ok(file) => {
                // The umask has taken bits away that other users need.
                let _ = fchmod(&file, Mode::from_bits_truncate(0o666));
                return Ok(file);
            }
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(ExecError::file("create the device lock", path)(e)),
        }
    }
}

fn options() -> OpenOptions {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let mut options = OpenOptions::new();
    options
        .read(true)
        .write(true)
        .custom_flags(flags.bits().cast_signed());
    options
}

fn open_existing(path: &Path) -> Result<Option<File>, ExecError> {
    let distrust = |why: &str| ExecError::UnsafeLock {
        path: path.to_owned(),
        why: why.to_owned(),
    };
    let file = match options().open(path) {
        Ok(file) => file,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(_) if fs::symlink_metadata(path).is_ok_and(|m| !m.is_file()) => {
            return Err(distrust("it is not a plain file"));
        }
        Err(e) => return Err(ExecError::file("open the device lock", path)(e)),
    };
    let meta = file
        .metadata()
        .map_err(ExecError::file("look at the device lock", path))?;
    if !meta.is_file() {
        return Err(distrust("it is not a plain file"));
    }
    if meta.nlink() > 1 {
        return Err(distrust("it is a second name of another file"));
    }
    Ok(Some(file))
}

fn same_file(file: &File, path: &Path) -> bool {
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(a), Ok(b)) => (a.dev(), a.ino()) == (b.dev(), b.ino()),
        _ => false,
    }
}

fn write_holder(file: &mut File, request: &LockRequest<'_>) -> io::Result<()> {
    let holder = Holder {
        user: request.user.to_owned(),
        pid: std::process::id(),
        since: Timestamp::now(),
        what: request.what.to_owned(),
    };
    let text = serde_json::to_vec(&holder)?;
    file.set_len(0)?;
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&text)
}

/// Reads who holds the lock. The text is another user's, so it is bounded and may be nonsense.
fn read_holder(file: &mut File) -> Option<Holder> {
    let mut text = Vec::new();
    file.seek(SeekFrom::Start(0)).ok()?;
    file.take(4096).read_to_end(&mut text).ok()?;
    serde_json::from_slice(&text).ok()
}
