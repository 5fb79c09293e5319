//! CSV output of Nsight Compute: details, raw, `--metrics`, per-kernel summary, and source pages.
//!
//! The CSV stands among `==PROF==` lines and whatever the program printed, so each line is judged
//! by itself. Rule rows become notices. Separators in figures depend on the locale of the machine
//! that printed them: see the module `separators`.

mod figures;
mod header;
mod raw;
mod reader;
mod source;
mod tables;

use std::borrow::Cow;

use self::header::Header;
use self::reader::Reader;
use super::text;
use crate::{Profile, ProfileError, rows};

/// Name of the format.
pub const NAME: &str = "Nsight Compute CSV";

/// Name of the tool in the profile and in the catalog.
pub const TOOL: &str = "ncu";

/// How far the header is looked for behind the output of the program.
const LOOKED_AT: usize = 8 << 20;

pub(super) fn matches(bytes: &[u8]) -> bool {
    let bytes = bytes.get(..LOOKED_AT).unwrap_or(bytes);
    bytes.split(|b| *b == b'\n').any(|line| {
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        // A session of the profiler without any row says why it has none.
        line.starts_with(b"==PROF== ") || Header::begins(line).is_some()
    })
}

pub(super) fn parse(bytes: &[u8]) -> Result<Profile, ProfileError> {
    let mut profile = Profile::new(TOOL, "csv");
    let text = text(bytes, &mut profile.notices);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let mut reader = Reader::new(text, profile);
    let mut at = 0;
    while at < text.len() {
        at = reader.line(at);
    }
    reader.finish()
}

/// A field as text that owns nothing where it can.
type Field<'a> = Cow<'a, str>;

/// The row at an offset.
fn row(text: &str, at: usize, separator: u8) -> rows::Row<'_> {
    rows::Row::new(text, at, separator)
}
