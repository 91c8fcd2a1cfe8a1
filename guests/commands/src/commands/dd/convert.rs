//! Conversions of blocks: case, byte order, records of fixed length.

/// Case conversion of ASCII letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    Lower,
    Upper,
}

impl Case {
    pub(super) fn apply(self, bytes: &mut [u8]) {
        match self {
            Case::Lower => bytes.make_ascii_lowercase(),
            Case::Upper => bytes.make_ascii_uppercase(),
        }
    }
}

/// Conversion between lines and records of fixed length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Records {
    /// Lines become records, padded with blanks or cut.
    Block,
    /// Records become lines without trailing blanks.
    Unblock,
}

/// Converts a stream, whose blocks need not end with a record.
#[derive(Debug)]
pub(super) struct Recorder {
    kind: Records,
    size: usize,
    /// Bytes of the current line or record.
    at: usize,
    /// Blanks that are written only if more of the record follows.
    blanks: usize,
    /// Records that were cut.
    pub(super) cut: u64,
}

impl Recorder {
    pub(super) fn new(kind: Records, size: usize) -> Self {
        Recorder { kind, size, at: 0, blanks: 0, cut: 0 }
    }

    pub(super) fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        for byte in bytes {
            match self.kind {
                Records::Block => self.block(*byte, out),
                Records::Unblock => self.unblock(*byte, out),
            }
        }
    }

    fn block(&mut self, byte: u8, out: &mut Vec<u8>) {
        if byte == b'\n' {
            out.extend(std::iter::repeat_n(b' ', self.size.saturating_sub(self.at)));
            self.at = 0;
            return;
        }
        if self.at < self.size {
            out.push(byte);
        } else if self.at == self.size {
            self.cut += 1;
        }
        self.at = self.at.saturating_add(1);
    }

    fn unblock(&mut self, byte: u8, out: &mut Vec<u8>) {
        if byte == b' ' {
            self.blanks += 1;
        } else {
            out.extend(std::iter::repeat_n(b' ', std::mem::take(&mut self.blanks)));
            out.push(byte);
        }
        self.at += 1;
        if self.at == self.size {
            self.end_line(out);
        }
    }

    fn end_line(&mut self, out: &mut Vec<u8>) {
        out.push(b'\n');
        (self.at, self.blanks) = (0, 0);
    }

    /// Completes the last line or record.
    pub(super) fn finish(&mut self, out: &mut Vec<u8>) {
        match self.kind {
            _ if self.at == 0 => {}
            Records::Block => self.block(b'\n', out),
            Records::Unblock => self.end_line(out),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: Records, input: &[&str], expect: &str) {
        let (mut recorder, mut out) = (Recorder::new(kind, 4), Vec::new());
        for block in input {
            recorder.push(block.as_bytes(), &mut out);
        }
        recorder.finish(&mut out);
        assert_eq!(String::from_utf8(out).unwrap(), expect);
    }

    #[test]
    fn lines_become_records() {
        check(Records::Block, &["ab\nabc", "def\n\nx"], "ab  abcd    x   ");
    }

    #[test]
    fn records_become_lines() {
        check(Records::Unblock, &["ab  a", " cd    x"], "ab\na cd\n\nx\n");
    }
}
