//! What the guest printed, cut at a limit.

/// Which of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

/// Sees output while the run goes on: any function of a stream and bytes will do.
///
/// It is called from inside the run and holds it up, past its deadline if need be: who hands the
/// bytes to somebody slow should do so on another thread.
pub trait Watcher: Send + Sync {
    /// The bytes that are kept, nothing past the limit.
    fn saw(&self, stream: Stream, bytes: &[u8]);

    /// Whether what is printed there still reaches somebody. A program that prints to nobody ends
    /// as at a pipe that was closed.
    fn is_read(&self, _: Stream) -> bool {
        true
    }
}

impl<F: Fn(Stream, &[u8]) + Send + Sync> Watcher for F {
    fn saw(&self, stream: Stream, bytes: &[u8]) {
        self(stream, bytes);
    }
}

/// One stream's text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Output {
    /// What was printed, up to the limit.
    pub bytes: Vec<u8>,
    /// Whether more was printed.
    pub is_cut: bool,
}

impl Output {
    /// Keeps what fits; answers the part that was kept.
    pub(crate) fn write<'a>(&mut self, bytes: &'a [u8], limit: usize) -> &'a [u8] {
        if self.is_cut {
            return &[];
        }
        let room = limit.saturating_sub(self.bytes.len());
        let kept = if bytes.len() <= room {
            bytes
        } else {
            self.is_cut = true;
            &bytes[..character_boundary(bytes, room)]
        };
        self.bytes.extend_from_slice(kept);
        kept
    }

    /// As text, with what is not UTF-8 replaced.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

/// The last place at or before `at` that does not split a UTF-8 character.
fn character_boundary(bytes: &[u8], at: usize) -> usize {
    let is_inside = |at: &usize| bytes.get(*at).is_some_and(|byte| byte & 0xc0 == 0x80);
    // A character has at most four bytes; more continuation bytes than that are not text anyway.
    (at.saturating_sub(3)..=at).rev().find(|at| !is_inside(at)).unwrap_or(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(writes: &[&[u8]], limit: usize, kept: &[u8], is_cut: bool) {
        let mut output = Output::default();
        for bytes in writes {
            output.write(bytes, limit);
        }
        assert_eq!((output.bytes.as_slice(), output.is_cut), (kept, is_cut));
    }

    #[test]
    fn what_fits_is_not_cut() {
        check(&[b"abc", b"def"], 6, b"abcdef", false);
    }

    #[test]
    fn it_is_cut_at_a_character() {
        check(&["aé".as_bytes()], 2, b"a", true);
        check(&["a🙂b".as_bytes()], 4, b"a", true);
        check(&["a🙂b".as_bytes()], 5, "a🙂".as_bytes(), true);
    }

    #[test]
    fn nothing_follows_after_the_cut() {
        check(&["aé".as_bytes(), b"b"], 2, b"a", true);
    }

    #[test]
    fn bytes_that_are_no_text_are_cut_anywhere() {
        check(&[&[0x80; 10]], 7, &[0x80; 7], true);
    }
}
