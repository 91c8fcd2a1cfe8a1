//! Where expansions go: fields are split here, and it is kept what was quoted.

use crate::syntax::ast::Text;

/// What is being made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Arguments.
    Fields,
    /// One value, quotes forgotten.
    Single,
    /// One pattern: quoted characters are escaped.
    Pattern,
}

/// One field, as a pattern.
#[derive(Debug, Clone, Default)]
pub(crate) struct Field {
    /// With a backslash before each special character that was quoted.
    pub(crate) pattern: Text,
    /// Unquoted special characters are in it.
    pub(crate) magic: bool,
    escaped: bool,
}

impl Field {
    /// The field as text.
    pub(crate) fn plain(self) -> Text {
        if self.escaped { unescape(&self.pattern) } else { self.pattern }
    }
}

/// Text without the backslashes that [`escape`] put in.
pub(crate) fn unescape(pattern: &[u8]) -> Text {
    let mut text = Vec::with_capacity(pattern.len());
    let mut bytes = pattern.iter();
    while let Some(c) = bytes.next() {
        match c {
            b'\\' => text.extend(bytes.next()),
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

/// Text as a pattern that matches just it.
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

/// See the module.
pub(crate) struct Sink {
    mode: Mode,
    ifs: Text,
    fields: Vec<Field>,
    current: Field,
    /// The current field exists, even if it is empty.
    started: bool,
    /// White space ended the field before: one separator more belongs to the same gap.
    gap: bool,
    size: usize,
    /// How many lists without elements were expanded.
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

    /// Bytes taken so far.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// Quoted text.
    pub(crate) fn quoted(&mut self, text: &[u8]) {
        self.started = true;
        self.gap = false;
        self.size += text.len();
        match self.mode {
            Mode::Single => self.current.pattern.extend_from_slice(text),
            Mode::Fields | Mode::Pattern => {
                let escaped = escape(text, &mut self.current.pattern);
                self.current.escaped |= escaped;
            }
        }
    }

    /// Unquoted text of the script: not split.
    pub(crate) fn literal(&mut self, text: &[u8]) {
        if text.is_empty() {
            return;
        }
        self.started = true;
        self.gap = false;
        self.size += text.len();
        self.current.pattern.extend_from_slice(text);
        if self.mode == Mode::Fields {
            self.current.magic |= text.iter().any(|c| matches!(c, b'*' | b'?' | b'[' | b'('));
            self.current.escaped |= text.contains(&b'\\');
        }
    }

    /// An unquoted value: split where it is to become fields.
    pub(crate) fn value(&mut self, text: &[u8]) {
        self.size += text.len();
        if self.mode != Mode::Fields {
            self.started |= !text.is_empty();
            self.current.pattern.extend_from_slice(text);
            return;
        }
        for &c in text {
            if !self.ifs.contains(&c) {
                self.started = true;
                self.gap = false;
                match c {
                    b'*' | b'?' | b'[' | b'(' => self.current.magic = true,
                    b'\\' => {
                        self.current.pattern.push(b'\\');
                        self.current.escaped = true;
                    }
                    _ => {}
                }
                self.current.pattern.push(c);
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

    /// Ends the field, if there is one.
    pub(crate) fn end_field(&mut self) {
        if self.started {
            self.fields.push(std::mem::take(&mut self.current));
            self.started = false;
        }
    }

    /// What joins elements in this mode.
    pub(crate) fn first_separator(&self) -> Option<u8> {
        self.ifs.first().copied()
    }

    pub(crate) fn finish(mut self) -> Vec<Field> {
        self.end_field();
        self.fields
    }

    pub(crate) fn single(self) -> Text {
        self.current.pattern
    }
}
