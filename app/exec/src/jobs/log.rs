//! The log of a job: pieces that are named by the byte at which they begin.
//!
//! A place in the log is a number of bytes from its very beginning, whatever has been dropped since:
//! a reader that was away asks from where it stopped.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::ExecError;

/// Bytes of a piece; two are kept.
const PIECE: u64 = 1 << 20;

/// Most that is read at once, in bytes.
const READ_MOST: u64 = 256 << 10;

/// A part of a log.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LogPart {
    /// Where it begins: later than was asked for when what lies before is gone or too long.
    pub from: u64,
    /// Where it ends, to ask from next.
    pub end: u64,
    /// Whole lines.
    pub text: String,
}

/// Writes a log.
#[derive(Debug)]
pub(super) struct Log {
    folder: PathBuf,
    file: File,
    start: u64,
    len: u64,
}

impl Log {
    pub(super) fn create(folder: &Path) -> io::Result<Self> {
        Ok(Self {
            folder: folder.to_owned(),
            file: File::create(piece(folder, 0))?,
            start: 0,
            len: 0,
        })
    }

    /// Adds a line.
    pub(super) fn line(&mut self, text: &str) -> io::Result<()> {
        if self.len >= PIECE {
            let next = self.start + self.len;
            self.file = File::create(piece(&self.folder, next))?;
            for old in pieces(&self.folder).into_iter().filter(|p| *p < self.start) {
                let _ = fs::remove_file(piece(&self.folder, old));
            }
            (self.start, self.len) = (next, 0);
        }
        // In one piece, so that no reader sees half a line.
        let line = format!("{text}\n");
        self.file.write_all(line.as_bytes())?;
        self.len += line.len() as u64;
        Ok(())
    }
}

fn piece(folder: &Path, start: u64) -> PathBuf {
    folder.join(format!("log.{start}"))
}

/// Where the pieces begin, in order.
fn pieces(folder: &Path) -> Vec<u64> {
    let names = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut all: Vec<u64> = names
        .filter_map(|e| e.file_name().to_str()?.strip_prefix("log.")?.parse().ok())
        .collect();
    all.sort_unstable();
    all
}

fn length(folder: &Path, start: u64) -> u64 {
    fs::metadata(piece(folder, start)).map_or(0, |m| m.len())
}

/// Bytes that were written so far.
pub(super) fn end(folder: &Path) -> u64 {
    let last = pieces(folder).last().copied();
    last.map_or(0, |start| start + length(folder, start))
}

/// Reads from a byte on, at most [`READ_MOST`] bytes of the newest.
pub(super) fn read(folder: &Path, from: u64) -> Result<LogPart, ExecError> {
    let end = end(folder);
    let from = from.max(end.saturating_sub(READ_MOST));
    let mut part = LogPart {
        from,
        end: from,
        text: String::new(),
    };
    let mut bytes = Vec::new();
    for start in pieces(folder) {
        let path = piece(folder, start);
        let len = length(folder, start);
        if start + len <= part.end {
            continue;
        }
        let mut file = match File::open(&path) {
            Ok(file) => file,
            // The writer has just dropped it.
            Err(e) if e.kind() == io::ErrorKind::NotFound => continue,
            Err(e) => return Err(ExecError::file("read", &path)(e)),
        };
        if bytes.is_empty() {
            part.from = part.from.max(start);
            part.end = part.from;
        }
        let skip = part.end.saturating_sub(start);
        let cannot = |e| ExecError::file("read", &path)(e);
        file.seek(SeekFrom::Start(skip)).map_err(cannot)?;
        let read = file.take(len - skip).read_to_end(&mut bytes);
        part.end += read.map_err(cannot)? as u64;
    }
    // The first line is a half where its beginning was too long ago.
    if part.from > 0 && from == part.from && from + READ_MOST == end {
        let cut = bytes.iter().position(|b| *b == b'\n').map_or(0, |i| i + 1);
        bytes.drain(..cut);
        part.from += cut as u64;
    }
    part.text = String::from_utf8_lossy(&bytes).into_owned();
    Ok(part)
}

/// The end of a small file, at most 2 KiB.
pub(super) fn tail(path: &Path) -> String {
    const MOST: u64 = 2048;
    let read = || -> io::Result<Vec<u8>> {
        let mut file = File::open(path)?;
        let len = file.metadata()?.len();
        file.seek(SeekFrom::Start(len.saturating_sub(MOST)))?;
        let mut bytes = Vec::new();
        file.take(MOST).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    String::from_utf8_lossy(&read().unwrap_or_default()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(range: std::ops::Range<usize>) -> String {
        range.map(|i| format!("line {i:>7}\n")).collect()
    }

    #[test]
    fn a_log_is_read_on_from_where_it_was_left() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(read(dir.path(), 0).unwrap(), LogPart::default());
        let mut log = Log::create(dir.path()).unwrap();
        (0..3).for_each(|i| log.line(&format!("line {i:>7}")).unwrap());
        let first = read(dir.path(), 0).unwrap();
        assert_eq!((first.text.as_str(), first.end), (&*lines(0..3), 39));
        (3..5).for_each(|i| log.line(&format!("line {i:>7}")).unwrap());
        let next = read(dir.path(), first.end).unwrap();
        assert_eq!((next.text.as_str(), next.from), (&*lines(3..5), 39));
        assert_eq!(read(dir.path(), next.end).unwrap().text, "");
    }

    #[test]
    fn a_long_log_keeps_its_newest_pieces_and_its_places() {
        let dir = tempfile::tempdir().unwrap();
        let mut log = Log::create(dir.path()).unwrap();
        let all = 4 * PIECE as usize / 13;
        (0..all).for_each(|i| log.line(&format!("line {i:>7}")).unwrap());
        assert_eq!(end(dir.path()), all as u64 * 13);
        let kept: u64 = pieces(dir.path())
            .iter()
            .map(|p| length(dir.path(), *p))
            .sum();
        assert!(pieces(dir.path()).len() == 2 && kept < 2 * PIECE + 26);
        // From the beginning: the newest, from a whole line on.
        let part = read(dir.path(), 0).unwrap();
        assert!(part.text.len() as u64 <= READ_MOST && part.text.starts_with("line "));
        assert_eq!(part.from % 13, 0);
        assert!(part.text.ends_with(&lines(all - 2..all)));
        // Over the border of two pieces.
        let border = pieces(dir.path())[1];
        assert_eq!(border % 13, 0);
        log.line("end").unwrap();
        let from = end(dir.path()) - 4 - 13;
        assert_eq!(
            read(dir.path(), from).unwrap().text,
            format!("{}end\n", lines(all - 1..all))
        );
    }
}
