//! A text as a list of lines, and the numbers that stand for equal lines.

use std::collections::HashMap;
use std::ops::Range;

/// Differences between lines that do not count.
#[derive(Clone, Copy, Default)]
pub(super) struct Ignored {
    pub(super) case: bool,
    /// Amount of white space.
    pub(super) space_change: bool,
    pub(super) all_space: bool,
    pub(super) trailing_space: bool,
    /// Blanks that a tab stands for.
    pub(super) tab_expansion: bool,
}

impl Ignored {
    fn any_space(self) -> bool {
        self.space_change || self.all_space || self.trailing_space || self.tab_expansion
    }

    /// Returns a line without the differences that do not count.
    fn folded(self, line: &[u8]) -> Vec<u8> {
        let blank = |byte: u8| byte.is_ascii_whitespace() || byte == 0x0b;
        let mut out = Vec::with_capacity(line.len());
        for byte in line.iter().copied() {
            if blank(byte) && self.all_space {
                continue;
            }
            if blank(byte) && self.space_change {
                if out.last() != Some(&b' ') {
                    out.push(b' ');
                }
                continue;
            }
            if byte == b'\t' && self.tab_expansion {
                let width = 8 - out.len() % 8;
                out.resize(out.len() + width, b' ');
                continue;
            }
            out.push(if self.case { byte.to_ascii_lowercase() } else { byte });
        }
        while (self.space_change || self.trailing_space) && out.last().is_some_and(|b| blank(*b)) {
            out.pop();
        }
        out
    }
}

/// A text and the places of its lines.
pub(super) struct Text {
    bytes: Vec<u8>,
    lines: Vec<Range<usize>>,
    /// The last line does not end with a newline.
    pub(super) is_incomplete: bool,
}

impl Text {
    pub(super) fn new(bytes: Vec<u8>) -> Self {
        let mut lines = Vec::new();
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', &bytes) {
            lines.push(start..end);
            start = end + 1;
        }
        let is_incomplete = start < bytes.len();
        if is_incomplete {
            lines.push(start..bytes.len());
        }
        Text { bytes, lines, is_incomplete }
    }

    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns a line without its newline.
    pub(super) fn line(&self, at: usize) -> &[u8] {
        self.lines.get(at).map_or(b"", |range| &self.bytes[range.clone()])
    }

    /// Returns true if the line ends with a newline.
    pub(super) fn ends(&self, at: usize) -> bool {
        !self.is_incomplete || at + 1 < self.lines.len()
    }
}

/// Returns the numbers of the lines of both texts; equal lines have equal numbers.
pub(super) fn numbers(old: &Text, new: &Text, ignored: Ignored) -> (Vec<u32>, Vec<u32>) {
    let plain = !(ignored.case || ignored.any_space());
    let mut own: HashMap<(Vec<u8>, bool), u32> = HashMap::new();
    let mut borrowed: HashMap<(&[u8], bool), u32> = HashMap::new();
    let mut number = |text: &'_ Text, at: usize| {
        let ends = ignored.any_space() || text.ends(at);
        let next = own.len() as u32;
        *own.entry((ignored.folded(text.line(at)), ends)).or_insert(next)
    };
    if plain {
        let mut next = |key| {
            let next = borrowed.len() as u32;
            *borrowed.entry(key).or_insert(next)
        };
        let first = (0..old.len()).map(|at| next((old.line(at), old.ends(at)))).collect();
        let second = (0..new.len()).map(|at| next((new.line(at), new.ends(at)))).collect();
        return (first, second);
    }
    let first = (0..old.len()).map(|at| number(old, at)).collect();
    (first, (0..new.len()).map(|at| number(new, at)).collect())
}
