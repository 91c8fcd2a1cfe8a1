//! Names that are not UTF-8, as text.
//!
//! Paths are text, because people grant, read and write them as text. Programs and real directories
//! have names of any bytes. A byte that is not part of UTF-8 becomes the character `U+EF00` plus the
//! byte, from a private area of Unicode. A name that contains such a character itself is treated as
//! three bytes that are not UTF-8, so that every name has one text. Other texts with the same bytes
//! are no names: if two texts could stand for one file, a rule about one of them would not hold for
//! the other.

use std::borrow::Cow;

/// Text of a byte that is not part of UTF-8: this character plus the byte.
const BASE: u32 = 0xef00;

/// First byte of the encoding of all characters of the area, and of few others.
const LEAD: u8 = 0xee;

/// Returns the byte that a character stands for.
fn byte_of(char: char) -> Option<u8> {
    u8::try_from(u32::from(char).checked_sub(BASE)?).ok().filter(|byte| !byte.is_ascii())
}

fn push(text: &mut String, bytes: &[u8]) {
    text.extend(bytes.iter().filter_map(|byte| char::from_u32(BASE + u32::from(*byte))));
}

/// Returns a name or path of any bytes as text.
pub fn text(bytes: &[u8]) -> Cow<'_, str> {
    if !bytes.contains(&LEAD)
        && let Ok(text) = std::str::from_utf8(bytes)
    {
        return text.into();
    }
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for char in chunk.valid().chars() {
            match byte_of(char) {
                Some(_) => push(&mut text, char.encode_utf8(&mut [0; 4]).as_bytes()),
                None => text.push(char),
            }
        }
        push(&mut text, chunk.invalid());
    }
    text.into()
}

/// Returns the bytes of a name or path.
pub fn bytes(text: &str) -> Cow<'_, [u8]> {
    if !text.as_bytes().contains(&LEAD) {
        return text.as_bytes().into();
    }
    let mut bytes = Vec::with_capacity(text.len());
    for char in text.chars() {
        match byte_of(char) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    bytes.into()
}

/// Returns the number of bytes of a name; `None` if the name of these bytes is another text.
// T-PERM-024: two texts for one file.
pub(crate) fn len(name: &str) -> Option<usize> {
    if !name.as_bytes().contains(&LEAD) {
        return Some(name.len());
    }
    let bytes = bytes(name);
    (text(&bytes) == name).then_some(bytes.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_name_has_one_text(name in prop::collection::vec(any::<u8>(), 0..40)) {
            let text = text(&name).into_owned();
            assert_eq!(&*bytes(&text), name);
            assert_eq!(len(&text), Some(name.len()));
        }

        #[test]
        fn text_that_is_not_that_of_its_bytes_is_no_name(
            name in "[a\u{ef80}-\u{efff}\u{e000}é]{0,12}",
        ) {
            assert_eq!(len(&name).is_some(), text(&bytes(&name)) == name);
        }
    }

    #[test]
    fn names_in_utf_8_are_themselves() {
        for name in ["", "a", "ä/ö", "\u{e000}\u{f000}"] {
            assert_eq!((&*text(name.as_bytes()), len(name)), (name, Some(name.len())));
        }
        assert_eq!(text(b"a\xffb"), "a\u{efff}b");
        // The bytes of `é`, one by one.
        assert_eq!(len("\u{efc3}\u{efa9}"), None);
        // A character of the area is three bytes of its own.
        assert_eq!(len("\u{efff}"), Some(1));
        assert_eq!(text("\u{efff}".as_bytes()), "\u{efee}\u{efbf}\u{efbf}");
    }
}
