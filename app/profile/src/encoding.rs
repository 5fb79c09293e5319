//! Content in UTF-16, which shells of Windows write, as UTF-8.

use std::borrow::Cow;

/// What is looked at to tell UTF-16 that has no byte order mark.
const LOOKED_AT: usize = 4 << 10;

/// Content as UTF-8.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded<'a> {
    /// The content; as it was given, unless it is UTF-16 with a byte order mark.
    pub bytes: Cow<'a, [u8]>,
    /// That it was UTF-16.
    pub notice: Option<&'static str>,
    /// Whether parts of it are damaged or cut.
    pub is_damaged: bool,
}

/// Whether the content begins with a byte order mark of UTF-16.
pub fn is_utf16(bytes: &[u8]) -> bool {
    unit(bytes).is_some()
}

fn unit(bytes: &[u8]) -> Option<fn([u8; 2]) -> u16> {
    match bytes {
        [0xFF, 0xFE, ..] => Some(u16::from_le_bytes),
        [0xFE, 0xFF, ..] => Some(u16::from_be_bytes),
        _ => None,
    }
}

/// Content in UTF-16 as UTF-8, and any other as it is.
pub fn utf8(bytes: &[u8]) -> Decoded<'_> {
    let Some(unit) = unit(bytes) else {
        return Decoded {
            bytes: bytes.into(),
            notice: None,
            is_damaged: false,
        };
    };
    let (pairs, rest) = bytes[2..].as_chunks::<2>();
    let units = pairs.iter().map(|p| unit(*p));
    let mut whole = rest.is_empty();
    let text: String = char::decode_utf16(units)
        .map(|c| {
            whole &= c.is_ok();
            c.unwrap_or(char::REPLACEMENT_CHARACTER)
        })
        .collect();
    Decoded {
        bytes: text.into_bytes().into(),
        notice: Some(match whole {
            true => "The content is UTF-16 and was read as such.",
            false => "The content is UTF-16, and parts of it are damaged or cut.",
        }),
        is_damaged: !whole,
    }
}

/// Which UTF-16 content without a byte order mark seems to be: text of which every second byte is
/// zero.
pub fn unmarked_utf16(bytes: &[u8]) -> Option<&'static str> {
    let head = &bytes[..bytes.len().min(LOOKED_AT)];
    let (pairs, _) = head.as_chunks::<2>();
    if is_utf16(bytes) || pairs.len() < 4 {
        return None;
    }
    // Names in other scripts have no zeros, so that most is enough.
    let most =
        |f: fn(&[u8; 2]) -> bool| pairs.iter().filter(|p| f(p)).count() * 10 > pairs.len() * 8;
    if most(|p| p[0] != 0 && p[1] == 0) {
        Some("UTF-16 (little-endian)")
    } else if most(|p| p[0] == 0 && p[1] != 0) {
        Some("UTF-16 (big-endian)")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf_16_is_told_by_its_mark_and_suspected_by_its_zeros() {
        let text = "\"ID\",\"Kernel Name\" 核\n";
        for (bytes, name) in [
            (u16::to_le_bytes as fn(u16) -> [u8; 2], "little-endian"),
            (u16::to_be_bytes, "big-endian"),
        ] {
            let marked = format!("\u{feff}{text}");
            let marked: Vec<u8> = marked.encode_utf16().flat_map(bytes).collect();
            let decoded = utf8(&marked);
            assert_eq!(decoded.bytes, text.as_bytes());
            assert!(decoded.notice.unwrap().contains("UTF-16") && !decoded.is_damaged);
            assert!(utf8(&marked[..marked.len() - 1]).is_damaged);
            assert_eq!(unmarked_utf16(&marked), None);
            let unmarked: Vec<u8> = text.encode_utf16().flat_map(bytes).collect();
            assert!(unmarked_utf16(&unmarked).unwrap().contains(name));
            assert_eq!(utf8(&unmarked).bytes, unmarked);
        }
        assert_eq!(unmarked_utf16(text.as_bytes()), None);
        assert_eq!(unmarked_utf16(&[0; 64]), None);
        assert_eq!(utf8(text.as_bytes()).notice, None);
    }
}
