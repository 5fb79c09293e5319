//! Bytes of a file as text, and what had to be done for it.

use std::borrow::Cow;

use assay_core::view::Said;

use crate::SourceFile;
use crate::said::{Key, plain, say};

/// A file as text.
pub(crate) struct Decoded<'a> {
    pub text: Cow<'a, str>,
    /// What was replaced or left out, in sentences.
    pub notices: Vec<Said>,
    /// Whether bytes that are no text were replaced: two files may seem equal that are not.
    pub lossy: bool,
}

/// Reads a file as UTF-8, or as UTF-16 where it begins with the mark of that; `None` when it is
/// binary.
///
/// A comment in another encoding must not cost the facts: what is not UTF-8 is read with
/// replacement characters.
pub(crate) fn decode(file: &SourceFile) -> Option<Decoded<'_>> {
    let path = || plain(assay_core::text::inert(&file.path).into_owned());
    let mut notices = Vec::new();
    let mut lossy = false;
    let mut text = if let Some(unit) = utf16(&file.bytes) {
        let (pairs, rest) = file.bytes[2..].as_chunks::<2>();
        let mut whole = rest.is_empty();
        let text: String = char::decode_utf16(pairs.iter().map(|p| unit(*p)))
            .map(|c| {
                whole &= c.is_ok();
                c.unwrap_or(char::REPLACEMENT_CHARACTER)
            })
            .collect();
        if text.contains('\0') {
            return None;
        }
        let key = match whole {
            true => Key::Utf16,
            false => Key::Utf16Damaged,
        };
        notices.push(say(key, [path()]));
        lossy = !whole;
        Cow::Owned(text)
    } else if file.bytes.contains(&0) {
        return None;
    } else {
        match file.text() {
            Ok(text) => match text.strip_prefix('\u{feff}') {
                Some(rest) => {
                    notices.push(say(Key::Mark, [path()]));
                    Cow::Borrowed(rest)
                }
                None => Cow::Borrowed(text),
            },
            Err(at) => {
                notices.push(say(Key::NotUtf8, [path(), plain(at.to_string())]));
                lossy = true;
                String::from_utf8_lossy(&file.bytes)
            }
        }
    };
    // Nearly every text has a line feed in its first bytes.
    if !text.as_bytes().contains(&b'\n') && text.trim_end().contains('\r') {
        notices.push(say(Key::LoneReturns, [path()]));
        text = Cow::Owned(text.replace('\r', "\n"));
    }
    Some(Decoded {
        text,
        notices,
        lossy,
    })
}

/// Whether bytes are no text: a zero byte is in none but UTF-16.
pub(crate) fn is_binary(bytes: &[u8]) -> bool {
    utf16(bytes).is_none() && bytes.contains(&0)
}

/// The first bytes of a file as text, to tell what it is.
pub(crate) fn head(bytes: &[u8]) -> Cow<'_, str> {
    match utf16(bytes) {
        Some(unit) => {
            let (pairs, _) = bytes[2..].as_chunks::<2>();
            let chars = char::decode_utf16(pairs.iter().map(|p| unit(*p)));
            Cow::Owned(
                chars
                    .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
                    .collect(),
            )
        }
        None => String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)),
    }
}

/// How units are read of bytes that begin with a mark of UTF-16.
fn utf16(bytes: &[u8]) -> Option<fn([u8; 2]) -> u16> {
    match bytes {
        [0xff, 0xfe, ..] => Some(u16::from_le_bytes),
        [0xfe, 0xff, ..] => Some(u16::from_be_bytes),
        _ => None,
    }
}
