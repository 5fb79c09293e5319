//! Files that users name, read within bounds and until someone cancels.
//!
//! Everything that a command line or a folder of data names is read here: `Input` refuses what is
//! no regular file, and this adds bounds, encodings, and errors that name the file.

use std::io::{self, Read};
use std::path::Path;

use assay_exec::input::Input;
use assay_profile::Mapping;
use assay_profile::encoding::{unmarked_utf16, utf8};

use crate::Cancel;
use crate::error::{Error, Result};

/// The path that stands for standard input.
pub const STDIN: &str = "-";

/// The most that is read at once of a file, in bytes.
pub(crate) const WHOLE: u64 = 1 << 30;

/// The most that is read of a file that people write, in bytes.
pub(crate) const BY_HAND: u64 = 4 << 20;

/// Opens a regular file, or standard input as `-`.
pub(crate) fn open(path: &Path, cancel: &Cancel) -> Result<Input> {
    let opened = if path.as_os_str() == STDIN {
        Input::stdin(cancel)
    } else {
        Input::open(path, cancel)
    };
    opened.map_err(|e| failed(path, &e, cancel))
}

/// The whole content of a regular file.
pub(crate) fn bytes(path: &Path, most: u64, cancel: &Cancel) -> Result<Vec<u8>> {
    let mut source = open(path, cancel)?.take(most + 1);
    let mut bytes = Vec::new();
    // Room for all of it at once; what is no file, or is too large, is found out by reading.
    let size = std::fs::metadata(path).map_or(0, |m| m.len().min(most));
    let _ = bytes.try_reserve(usize::try_from(size).unwrap_or(0) + 1);
    let read = source.read_to_end(&mut bytes);
    read.map_err(|e| failed(path, &e, cancel))?;
    if bytes.len() as u64 > most {
        return Err(Error::input(format!(
            "{}: more than {} MiB, which is the most that is read of such a file",
            path.display(),
            most >> 20
        )));
    }
    Ok(bytes)
}

/// A file as text.
pub(crate) struct Text {
    /// The content.
    pub(crate) text: String,
    /// What should be known of its encoding.
    pub(crate) notice: Option<String>,
}

/// The whole content of a regular file of text: UTF-8, or UTF-16 that says so.
pub(crate) fn text(path: &Path, most: u64, cancel: &Cancel) -> Result<Text> {
    let bytes = bytes(path, most, cancel)?;
    if let Some(what) = unmarked_utf16(&bytes) {
        return Err(unmarked(path, what));
    }
    let content = utf8(&bytes);
    if content.is_damaged {
        return Err(Error::input(format!(
            "{}: it is UTF-16, and parts of it are damaged or cut",
            path.display()
        )));
    }
    let notice = content.notice;
    let text = String::from_utf8(content.bytes.into_owned())
        .map_err(|_| Error::input(format!("{}: not UTF-8", path.display())))?;
    Ok(Text {
        text,
        notice: notice.map(|n| format!("{}: {n}", path.display())),
    })
}

/// A mapping file, and what should be known of its encoding.
pub(crate) fn mapping(path: &Path, cancel: &Cancel) -> Result<(Mapping, Option<String>)> {
    let Text { text, notice } = text(path, BY_HAND, cancel)?;
    let mapping = Mapping::read(&path.display().to_string(), &text);
    Ok((mapping.map_err(|e| Error::input(e.to_string()))?, notice))
}

/// Why a file could not be read.
pub(crate) fn failed(path: &Path, e: &io::Error, cancel: &Cancel) -> Error {
    match cancel.is_cancelled() {
        true => Error::cancelled(),
        false => Error::input(format!("{}: {e}", path.display())),
    }
}

/// UTF-16 that does not say so: it could be something else.
pub(crate) fn unmarked(path: &Path, what: &str) -> Error {
    Error::input(format!(
        "{}: it seems to be {what} without a byte order mark",
        path.display()
    ))
    .hint("save it as UTF-8, or as UTF-16 with a byte order mark")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn text_is_bounded_and_decoded() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        let read = |content: &[u8], most: u64| {
            fs::write(&path, content).unwrap();
            text(&path, most, &Cancel::new())
        };
        let plain = read(b"a = 1\n", 6).unwrap();
        assert_eq!((plain.text.as_str(), plain.notice), ("a = 1\n", None));
        let error = read(b"a = 12\n", 6).err().unwrap();
        assert!(error.message.contains("f: more than 0 MiB"), "{error}");
        let utf16 =
            |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
        let marked = read(&utf16("\u{feff}a = 1\n"), BY_HAND).unwrap();
        assert_eq!(marked.text, "a = 1\n");
        assert!(marked.notice.unwrap().contains("f: The content is UTF-16"));
        let error = read(&utf16("a = 1\n"), BY_HAND).err().unwrap();
        assert!(error.message.contains("UTF-16 (little-endian)"), "{error}");
        let error = read(&[0xff, 0xfe, 0], BY_HAND).err().unwrap();
        assert!(error.message.contains("damaged or cut"), "{error}");
        let error = read(&[0xff], BY_HAND).err().unwrap();
        assert!(error.message.ends_with("f: not UTF-8"), "{error}");
    }

    #[test]
    fn a_cancellation_is_told_as_one() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        fs::write(&path, "x").unwrap();
        let cancel = Cancel::new();
        cancel.cancel();
        let error = bytes(&path, WHOLE, &cancel).err().unwrap();
        assert_eq!(error.kind, crate::Kind::Cancelled);
        let error = bytes(dir.path(), WHOLE, &Cancel::new()).err().unwrap();
        assert!(error.message.contains("it is a folder"), "{error}");
    }
}
