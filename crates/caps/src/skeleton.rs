//! Texts as they look, if they look like ASCII: the skeleton of Unicode Technical Standard 39.
//!
//! Separate from `look_alike` for its table, which `build.rs` makes: bytes without addresses, so that
//! it costs nothing at the start of a program.

use unicode_normalization::UnicodeNormalization;

/// Records of eight bytes, ordered by character: the character, the place of its text, the length
/// of its text, and a zero.
static RECORDS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/look-alikes.records"));

/// Length that stands for a text that is not ASCII.
const OTHER: u8 = u8::MAX;

static TEXTS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/look-alikes.texts"));

/// Returns the skeleton of a text, or `None` if it is not ASCII.
pub(crate) fn ascii_skeleton(text: &str) -> Option<String> {
    let mut plain = String::new();
    for c in text.nfd() {
        match look_up(c) {
            Looks::Like(text) => plain.push_str(text),
            Looks::Itself if c.is_ascii() => plain.push(c),
            Looks::Itself | Looks::Other => return None,
        }
    }
    Some(plain)
}

/// The look of a character.
enum Looks {
    /// Like an ASCII text, which is empty for a character that cannot be seen.
    Like(&'static str),
    /// Like characters that are not ASCII.
    Other,
    /// Like no other.
    Itself,
}

fn look_up(c: char) -> Looks {
    let (records, _) = RECORDS.as_chunks::<8>();
    let key = |record: &[u8; 8]| u32::from_le_bytes([record[0], record[1], record[2], record[3]]);
    let Ok(index) = records.binary_search_by_key(&u32::from(c), key) else { return Looks::Itself };
    let [.., low, high, length, _] = records[index];
    let at = usize::from(u16::from_le_bytes([low, high]));
    let text = TEXTS.get(at..at + usize::from(length)).filter(|_| length != OTHER);
    text.and_then(|text| std::str::from_utf8(text).ok()).map_or(Looks::Other, Looks::Like)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_has_the_skeleton_of_the_standard() {
        for c in '\0'..=char::MAX {
            let text = c.to_string();
            let full: String = unicode_security::skeleton(&text).collect();
            let expect = full.is_ascii().then_some(full);
            assert_eq!(ascii_skeleton(&text), expect, "{c:?}");
        }
    }

    #[test]
    fn words_are_the_skeletons_of_their_characters() {
        assert_eq!(ascii_skeleton("\u{430}\u{440}\u{440}\u{4cf}\u{435}").as_deref(), Some("apple"));
        assert_eq!(ascii_skeleton("mI\u{200b}").as_deref(), Some("rnl"));
        assert_eq!(ascii_skeleton("caf\u{e9}"), None);
    }
}
