//! Collection of expansion results: splits fields and records which characters were quoted.

use crate::syntax::ast::Text;

/// Result that a sink produces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Arguments, split into fields.
    Fields,
    /// One value, without quoting information.
    Single,
    /// One pattern, in which quoted characters are escaped.
    Pattern,
}

/// One field, stored as a pattern.
#[derive(Debug, Clone, Default)]
pub(crate) struct Field {
    /// Text with a backslash before each quoted special character.
    pub(crate) pattern: Text,
    /// True if the field contains unquoted special characters.
    pub(crate) magic: bool,
    /// The pattern to search files with, if it differs: in it, backslashes of unquoted values
    /// escape the character that follows.
    loose: Option<Text>,
    escaped: bool,
}

impl Field {
    /// Returns the pattern to search files with.
    pub(crate) fn search(&self) -> &[u8] {
        self.loose.as_ref().unwrap_or(&self.pattern)
    }

    fn push(&mut self, text: &[u8]) {
        self.pattern.extend_from_slice(text);
        if let Some(loose) = &mut self.loose {
            loose.extend_from_slice(text);
        }
    }

    /// Adds a backslash of an unquoted value.
    fn push_backslash(&mut self) {
        self.loose.get_or_insert_with(|| self.pattern.clone()).push(b'\\');
        self.pattern.extend_from_slice(b"\\\\");
        self.escaped = true;
    }

    /// Returns the field as text.
    pub(crate) fn plain(self) -> Text {
        if self.escaped { unescape(&self.pattern) } else { self.pattern }
    }
}

/// Removes the backslashes that [`escape`] added.
pub(crate) fn unescape(pattern: &[u8]) -> Text {
    let mut text = Vec::with_capacity(pattern.len());
    let mut bytes = pattern.iter();
    while let Some(c) = bytes.next() {
        match c {
            // A backslash at the very end escapes nothing.
            b'\\' => text.push(*bytes.next().unwrap_or(c)),
            c => text.push(*c),
        }
    }
    text
}

fn is_special(c: u8) -> bool {
    matches!(
        c,
        b'*' | b'?' | b'[' | b']' | b'\\' | b'!' | b'^' | b'-' | b'(' | b')' | b'|' | b'+' | b'@'
    )
}

/// Appends a pattern that matches exactly this text. Returns true if it had to escape anything.
pub(crate) fn escape(text: &[u8], out: &mut Text) -> bool {
    let mut escaped = false;
    for c in text {
        if is_special(*c) {
            out.push(b'\\');
            escaped = true;
        }
        out.push(*c);
    }
    escaped
}

/// A collector of expansion results; see the module documentation.
pub(crate) struct Sink {
    mode: Mode,
    ifs: Text,
    fields: Vec<Field>,
    current: Field,
    /// The current field exists, even if it is empty.
    started: bool,
    /// White space ended the previous field, so one more separator belongs to the same gap.
    gap: bool,
    size: usize,
    /// Number of empty lists expanded, such as `$@` without arguments.
    pub(crate) empty_lists: usize,
}

impl Sink {
    pub(crate) fn new(mode: Mode, ifs: Text) -> Sink {
        Sink {
            mode,
            ifs,
            fields: Vec::new(),
            current: Field::default(),
            started: false,
            gap: false,
            size: 0,
            empty_lists: 0,
        }
    }

    pub(crate) fn mode(&self) -> Mode {
        self.mode
    }

    /// Returns the number of bytes added so far.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// Adds quoted text.
    pub(crate) fn quoted(&mut self, text: &[u8]) {
        self.started = true;
        self.gap = false;
        self.size += text.len();
        match self.mode {
            Mode::Single => self.current.pattern.extend_from_slice(text),
            Mode::Fields | Mode::Pattern => {
                let mut safe = Vec::with_capacity(text.len());
                self.current.escaped |= escape(text, &mut safe);
                self.current.push(&safe);
            }
        }
    }

    /// Adds unquoted literal text, which is not split.
    pub(crate) fn literal(&mut self, text: &[u8]) {
        if text.is_empty() {
            return;
        }
        self.started = true;
        self.gap = false;
        self.size += text.len();
        self.current.push(text);
        if self.mode == Mode::Fields {
            self.current.magic |= text.iter().any(|c| matches!(c, b'*' | b'?' | b'[' | b'('));
            self.current.escaped |= text.contains(&b'\\');
        }
    }

    /// Adds an unquoted value; in field mode it is split.
    pub(crate) fn value(&mut self, text: &[u8]) {
        self.size += text.len();
        if self.mode != Mode::Fields {
            self.started |= !text.is_empty();
            self.current.pattern.extend_from_slice(text);
            return;
        }
        let is_wide = !self.ifs.is_ascii();
        let mut rest = text;
        while let Some(&c) = rest.first() {
            let len = if is_wide { crate::pattern::decode(rest).1 } else { 1 };
            let (piece, after) = rest.split_at(len);
            rest = after;
            let separates = match piece {
                [c] => self.ifs.contains(c),
                piece => self.ifs.windows(len).any(|known| known == piece),
            };
            if !separates {
                self.started = true;
                self.gap = false;
                if c == b'\\' {
                    self.current.push_backslash();
                    continue;
                }
                self.current.magic |= matches!(c, b'*' | b'?' | b'[' | b'(');
                self.current.push(piece);
            } else if matches!(c, b' ' | b'\t' | b'\n') {
                if self.started {
                    self.end_field();
                    self.gap = true;
                }
            } else if self.started {
                self.end_field();
            } else if self.gap {
                self.gap = false;
            } else {
                self.fields.push(Field::default());
            }
        }
    }

    /// Ends the current field, if there is one.
    pub(crate) fn end_field(&mut self) {
        if self.started {
            self.fields.push(std::mem::take(&mut self.current));
            self.started = false;
        }
    }

    /// Returns the first character of `IFS`, which joins elements.
    pub(crate) fn first_separator(&self) -> Option<u8> {
        self.ifs.first().copied()
    }

    /// Returns the first character of `IFS` with all its bytes.
    pub(crate) fn joint(&self) -> Text {
        let len = if self.ifs.is_empty() { 0 } else { crate::pattern::decode(&self.ifs).1 };
        self.ifs[..len.min(self.ifs.len())].to_vec()
    }

    pub(crate) fn finish(mut self) -> Vec<Field> {
        self.end_field();
        self.fields
    }

    pub(crate) fn single(self) -> Text {
        self.current.pattern
    }
}
