//! Bytes are looked for eight at a time.

const ONES: u64 = u64::from_ne_bytes([1; 8]);
const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);

/// Not zero where one of the eight bytes is this one.
#[inline]
fn has(word: u64, byte: u8) -> u64 {
    let x = word ^ (ONES * u64::from(byte));
    x.wrapping_sub(ONES) & !x & HIGH
}

/// Where the first byte stands that is one of two.
#[inline]
pub(crate) fn either(bytes: &[u8], a: u8, b: u8) -> Option<usize> {
    let (words, _) = bytes.as_chunks::<8>();
    let free = words
        .iter()
        .take_while(|w| {
            let w = u64::from_ne_bytes(**w);
            has(w, a) | has(w, b) == 0
        })
        .count();
    let from = free * 8;
    let rest = bytes[from..].iter();
    rest.copied()
        .position(|c| c == a || c == b)
        .map(|n| from + n)
}

/// Where the first of these bytes stands.
#[inline]
pub(crate) fn first(bytes: &[u8], byte: u8) -> Option<usize> {
    either(bytes, byte, byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_is_found_at_every_place() {
        for n in 0..40 {
            let text = format!(
                "{}\\\"x",
                "\u{e9}a!#".repeat(10).chars().take(n).collect::<String>()
            );
            let bytes = text.as_bytes();
            assert_eq!(either(bytes, b'"', b'\\'), text.find('\\'), "{text}");
            assert_eq!(first(bytes, b'"'), text.find('"'), "{text}");
        }
        assert_eq!(first(b"0123456789", b'x'), None);
    }
}
