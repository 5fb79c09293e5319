//! The log of a program: everything up to a size, beyond it the head and the tail.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// Writes a log as it comes, in bounded memory.
///
/// The head goes to the file at once, so that a crash of ours loses none of it. Beyond it only the
/// last bytes are held in memory, and written when the program has ended.
pub(super) struct Log {
    file: Option<File>,
    problem: Option<String>,
    head_max: u64,
    total: u64,
    tail: Tail,
}

impl Log {
    /// A log at `path`, or in memory alone; at most about `kept` bytes of output are kept.
    pub(super) fn open(path: Option<&Path>, append: bool, kept: u64) -> io::Result<Self> {
        let file = match path {
            None => None,
            Some(path) => {
                if let Some(parent) = path.parent() {
                    fs::create_dir_all(parent)?;
                }
                let mut options = OpenOptions::new();
                if append {
                    options.append(true);
                } else {
                    options.write(true).truncate(true);
                }
                Some(options.create(true).open(path)?)
            }
        };
        let tail_max = (kept / 64).clamp(4 << 10, 1 << 20);
        Ok(Self {
            file,
            problem: None,
            head_max: kept.saturating_sub(tail_max),
            total: 0,
            tail: Tail::new(usize::try_from(tail_max).unwrap_or(1 << 20)),
        })
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        let room = self.head_max.saturating_sub(self.total);
        let now = bytes.len().min(usize::try_from(room).unwrap_or(usize::MAX));
        self.write(&bytes[..now]);
        self.total += bytes.len() as u64;
        self.tail.push(bytes);
    }

    /// Writes the tail. Returns how many bytes were left out.
    pub(super) fn finish(&mut self) -> u64 {
        let beyond = self.total.saturating_sub(self.head_max);
        let end = self.tail.bytes();
        let keep = end.len().min(usize::try_from(beyond).unwrap_or(usize::MAX));
        let end = end[end.len() - keep..].to_vec();
        let cut = beyond - keep as u64;
        if cut > 0 {
            self.write(format!("\n[assay: {cut} bytes of output are left out here]\n").as_bytes());
        }
        self.write(&end);
        cut
    }

    /// Bytes of output seen so far.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// The end of the output.
    pub(super) fn tail(&self, max: usize) -> Vec<u8> {
        let bytes = self.tail.bytes();
        bytes[bytes.len().saturating_sub(max)..].to_vec()
    }

    /// Why the log is not whole, if writing failed, e.g. because the disk is full.
    pub(super) fn problem(&self) -> Option<String> {
        self.problem.clone()
    }

    fn write(&mut self, bytes: &[u8]) {
        let Some(file) = &mut self.file else { return };
        if let Err(e) = file.write_all(bytes) {
            self.problem = Some(format!("the log is not whole: {e}"));
            self.file = None;
        }
    }
}

/// The last `max` bytes of a stream, in at most twice that memory.
struct Tail {
    max: usize,
    held: Vec<u8>,
}

impl Tail {
    fn new(max: usize) -> Self {
        Self {
            max,
            held: Vec::new(),
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        let bytes = &bytes[bytes.len().saturating_sub(self.max)..];
        if self.held.len() + bytes.len() > 2 * self.max {
            let keep = self.max - bytes.len();
            let from = self.held.len().saturating_sub(keep);
            self.held.drain(..from);
        }
        self.held.extend_from_slice(bytes);
    }

    fn bytes(&self) -> &[u8] {
        &self.held[self.held.len().saturating_sub(self.max)..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tail_holds_the_last_bytes_however_they_come() {
        let all: Vec<u8> = (0..10_000u32).map(|i| (i % 251) as u8).collect();
        for step in [1, 3, 7, 64, 999, 10_000] {
            let mut tail = Tail::new(100);
            for chunk in all.chunks(step) {
                tail.push(chunk);
                assert!(tail.held.len() <= 200);
            }
            assert_eq!(tail.bytes(), &all[all.len() - 100..], "step {step}");
        }
    }

    #[test]
    fn a_short_log_is_kept_whole_and_a_long_one_by_head_and_tail() {
        let dir = tempfile::tempdir().unwrap();
        for (size, cut) in [
            (0usize, 0u64),
            (60_000, 0),
            (64 << 10, 0),
            (200_000, 134_464),
        ] {
            let path = dir.path().join("deep/log");
            let mut log = Log::open(Some(&path), false, 64 << 10).unwrap();
            let all: Vec<u8> = (0..size).map(|i| b'a' + (i % 23) as u8).collect();
            all.chunks(777).for_each(|c| log.push(c));
            assert_eq!(log.finish(), cut);
            let text = fs::read(&path).unwrap();
            let marker = format!("\n[assay: {cut} bytes of output are left out here]\n");
            if cut == 0 {
                assert_eq!(text, all);
            } else {
                let text = String::from_utf8(text).unwrap();
                let (head, tail) = text.split_once(&marker).unwrap();
                assert!(all.starts_with(head.as_bytes()) && all.ends_with(tail.as_bytes()));
                assert_eq!((head.len() + tail.len()) as u64 + cut, size as u64);
            }
        }
    }
}
