//! Output that arrives in pieces, as text.

/// Bytes at the end of a stream that are the beginning of a character.
#[derive(Debug, Default)]
pub struct Pieces(Vec<u8>);

impl Pieces {
    /// Adds bytes and returns the text that is complete. Bytes that are not UTF-8 become U+FFFD.
    pub fn add(&mut self, bytes: &[u8]) -> String {
        self.0.extend_from_slice(bytes);
        let tail = self.0.utf8_chunks().last().map_or(0, |chunk| {
            let invalid = chunk.invalid();
            let is_start = match invalid {
                [first, ..] => invalid.len() < width(*first),
                [] => false,
            };
            if is_start { invalid.len() } else { 0 }
        });
        let rest = self.0.split_off(self.0.len() - tail);
        let text = String::from_utf8_lossy(&self.0).into_owned();
        self.0 = rest;
        text
    }
}

/// Returns the length of the character that begins with this byte.
fn width(first: u8) -> usize {
    match first {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_in_two_pieces_is_returned_whole() {
        let mut pieces = Pieces::default();
        assert_eq!(pieces.add(b"a\xe2\x82"), "a");
        assert_eq!(pieces.add(b"\xac!"), "€!");
        assert_eq!(pieces.add(b"\xff\n"), "\u{fffd}\n");
        assert_eq!(pieces.add(b"\xf0\x9f"), "");
        assert_eq!(pieces.add(b"x"), "\u{fffd}x");
    }
}
