//! The last words of a command that has no memory left.
//!
//! A command that cannot go on without memory ends by a trap, and the host says why. Before that,
//! the runtime of the command's language prints a message of its own, with a note about backtraces,
//! in pieces. It is held back: it tells a person nothing, and nothing can replace it in the command.

/// The message in its pieces; digits are between the first two.
const ALLOCATION: &[u8] = b"memory allocation of ";
const FAILED: &[u8] =
    b" bytes failed\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n";

/// Longest message; the number has 20 digits at most.
const MAX: usize = ALLOCATION.len() + 20 + FAILED.len();

/// Text that a process has written to standard error and that is held back.
#[derive(Debug, Default)]
pub(crate) struct LastWords(Vec<u8>);

impl LastWords {
    /// Takes a text that may be a part of the message. Returns false if it is not; then the text,
    /// and what [`held`](Self::held) returns before it, are to be written.
    pub(crate) fn take(&mut self, text: &[u8]) -> bool {
        if self.0.len() + text.len() > MAX {
            return false;
        }
        let before = self.0.len();
        self.0.extend_from_slice(text);
        let is_part = is_beginning(&self.0);
        if !is_part {
            self.0.truncate(before);
        }
        is_part
    }

    /// Returns what was held back, which is held back no longer.
    pub(crate) fn held(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.0)
    }

    /// Returns true if something is held back.
    pub(crate) fn is_holding(&self) -> bool {
        !self.0.is_empty()
    }
}

/// Returns true if the message begins with this text.
fn is_beginning(text: &[u8]) -> bool {
    let common = ALLOCATION.len().min(text.len());
    if text[..common] != ALLOCATION[..common] {
        return false;
    }
    let rest = &text[common..];
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = &rest[digits..];
    rest.is_empty() || (digits > 0 && FAILED.starts_with(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_is_held_back_however_it_is_cut() {
        let text = [ALLOCATION, b"16777216", FAILED].concat();
        for size in 1..text.len() {
            let mut words = LastWords::default();
            assert!(text.chunks(size).all(|piece| words.take(piece)), "{size}");
            assert_eq!(words.held(), text);
            assert!(!words.is_holding());
        }
    }

    #[test]
    fn other_texts_are_not_held_back() {
        for text in ["x", "memory", "memory allocation of all", "memory allocation of  bytes"] {
            let mut words = LastWords::default();
            assert_eq!(words.take(text.as_bytes()), text == "memory", "{text}");
        }
        let mut words = LastWords::default();
        assert!(words.take(b"memory allocation of 5"));
        assert!(!words.take(b" apples"));
        assert_eq!(words.held(), b"memory allocation of 5");
    }
}
