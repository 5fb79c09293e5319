//! Reading files that were named and standard input, so that a cancellation ends the wait.
//!
//! A pipe that nobody writes to, and some files below `/proc`, keep a reader for ever. By name only
//! regular files are opened; each read waits in `poll` for content or for the cancellation.

use std::fs::{self, File, FileType};
use std::io::{self, PipeReader, Read, Write, pipe};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::OFlags;
use rustix::io::Errno;

use crate::Cancel;
use crate::cancel::Subscription;

/// Names of our own standard input.
const STDIN: [&str; 3] = ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];

/// Where descriptors have names that a shell handed over, as in `<(command)`.
const HANDED_OVER: [&str; 2] = ["/dev/fd/", "/proc/self/fd/"];

/// Something that is read until it ends or the token is cancelled.
#[derive(Debug)]
pub struct Input {
    source: OwnedFd,
    wake: PipeReader,
    cancel: Cancel,
    _subscription: Subscription,
}

impl Input {
    /// Standard input.
    ///
    /// # Errors
    /// When there is none.
    pub fn stdin(cancel: &Cancel) -> io::Result<Self> {
        Self::new(io::stdin().as_fd().try_clone_to_owned()?, cancel)
    }

    /// A regular file, links followed; or a descriptor that was handed over, such as `/dev/stdin`.
    ///
    /// # Errors
    /// When it cannot be opened, or is something else: that is not even opened, which could wait
    /// for ever or have effects.
    pub fn open(path: &Path, cancel: &Cancel) -> io::Result<Self> {
        let named = path.to_str().unwrap_or_default();
        if STDIN.contains(&named) {
            return Self::stdin(cancel);
        }
        let is_ours = HANDED_OVER.iter().any(|d| named.starts_with(d));
        let refuse = |kind: FileType| {
            let what = irregular(kind).filter(|_| !is_ours || kind.is_dir());
            what.map_or(Ok(()), |what| Err(refused(what)))
        };
        refuse(fs::metadata(path)?.file_type())?;
        // What has the name by now may be a pipe: without waiting, opening one returns.
        let flags = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or_default();
        let file = File::options().read(true).custom_flags(flags).open(path)?;
        refuse(file.metadata()?.file_type())?;
        Self::new(file.into(), cancel)
    }

    fn new(source: OwnedFd, cancel: &Cancel) -> io::Result<Self> {
        let (wake, bell) = pipe()?;
        let subscription = cancel.subscribe(move || {
            let _ = (&bell).write(&[1]);
        });
        Ok(Self {
            source,
            wake,
            cancel: cancel.clone(),
            _subscription: subscription,
        })
    }
}

impl Read for Input {
    fn read(&mut self, piece: &mut [u8]) -> io::Result<usize> {
        if piece.is_empty() {
            return Ok(0);
        }
        loop {
            if self.cancel.is_cancelled() {
                return Err(io::Error::other("cancelled"));
            }
            let mut polled = [
                PollFd::from_borrowed_fd(self.source.as_fd(), PollFlags::IN),
                PollFd::from_borrowed_fd(self.wake.as_fd(), PollFlags::IN),
            ];
            match poll(&mut polled, None) {
                Ok(_) if polled[0].revents().is_empty() => continue,
                Ok(_) => {}
                Err(Errno::INTR) => continue,
                Err(e) => return Err(e.into()),
            }
            match rustix::io::read(&self.source, &mut *piece) {
                Ok(n) => return Ok(n),
                // Another reader of the same pipe was faster.
                Err(Errno::INTR | Errno::AGAIN) => {}
                Err(e) => return Err(e.into()),
            }
        }
    }
}

/// What a file is that is no regular one.
fn irregular(kind: FileType) -> Option<&'static str> {
    match kind {
        k if k.is_file() => None,
        k if k.is_dir() => Some("a folder"),
        k if k.is_fifo() => Some("a pipe"),
        k if k.is_socket() => Some("a socket"),
        _ => Some("a device"),
    }
}

fn refused(what: &str) -> io::Error {
    let why = format!("it is {what}, and by name only regular files are read");
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn piped(reader: PipeReader, cancel: &Cancel) -> Input {
        Input::new(reader.into(), cancel).unwrap()
    }

    #[test]
    fn only_regular_files_are_opened_by_name() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        fs::write(path("f"), "content").unwrap();
        symlink("f", path("to-file")).unwrap();
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mkfifoat(rustix::fs::CWD, path("pipe"), mode).unwrap();
        symlink("pipe", path("to-pipe")).unwrap();
        let cancel = Cancel::new();
        for name in ["f", "to-file"] {
            let mut text = String::new();
            let mut input = Input::open(&path(name), &cancel).unwrap();
            input.read_to_string(&mut text).unwrap();
            assert_eq!(text, "content");
        }
        for (given, what) in [
            (path("pipe"), "a pipe"),
            (path("to-pipe"), "a pipe"),
            (dir.path().to_owned(), "a folder"),
            ("/dev/null".into(), "a device"),
        ] {
            let error = Input::open(&given, &cancel).unwrap_err().to_string();
            assert!(error.contains(what), "{error}");
        }
        let none = Input::open(&path("none"), &cancel).unwrap_err();
        assert_eq!(none.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_cancellation_ends_the_wait_for_a_silent_pipe() {
        let (reader, mut writer) = pipe().unwrap();
        writer.write_all(b"some").unwrap();
        let cancel = Cancel::new();
        let mut input = piped(reader, &cancel);
        let mut piece = [0; 16];
        assert_eq!(input.read(&mut piece).unwrap(), 4);
        std::thread::scope(|s| {
            s.spawn(|| cancel.cancel());
            let error = input.read_to_end(&mut Vec::new()).unwrap_err();
            assert_eq!(error.to_string(), "cancelled");
        });
        drop(writer);
    }

    #[test]
    fn a_pipe_that_was_closed_ends() {
        let (reader, mut writer) = pipe().unwrap();
        writer.write_all(b"all").unwrap();
        drop(writer);
        let mut text = String::new();
        let mut input = piped(reader, &Cancel::new());
        input.read_to_string(&mut text).unwrap();
        assert_eq!(text, "all");
    }
}
