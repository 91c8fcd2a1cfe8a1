//! Encodes and decodes the parts of a record: tags, numbers, texts, paths and attributes.

use cofferdam_vfs::{Mode, Stat, Time, VPath};

use crate::error::{Error, bad};

/// Tags, the first byte of each record.
pub(crate) mod tag {
    pub(crate) const VARIABLE: u8 = 1;
    pub(crate) const STORED: u8 = 2;
    pub(crate) const DIRECTORY: u8 = 3;
    pub(crate) const FILE: u8 = 4;
    pub(crate) const LINK: u8 = 5;
    /// A hard link to a file that an earlier record created.
    pub(crate) const NAME: u8 = 6;
    /// The working directory; always the last record.
    pub(crate) const CWD: u8 = 7;
    pub(crate) const FIFO: u8 = 8;
}

/// The bytes written so far.
pub(crate) struct Out(pub(crate) Vec<u8>);

impl Out {
    pub(crate) fn tag(&mut self, tag: u8) -> &mut Self {
        self.0.push(tag);
        self
    }

    pub(crate) fn number(&mut self, number: u64) -> &mut Self {
        self.0.extend_from_slice(&number.to_le_bytes());
        self
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.number(bytes.len() as u64).0.extend_from_slice(bytes);
        self
    }

    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        self.bytes(text.as_bytes())
    }

    pub(crate) fn attributes(&mut self, stat: &Stat) -> &mut Self {
        let bits = u64::from(stat.mode.bits());
        self.number(bits).number(stat.accessed.0).number(stat.modified.0)
    }
}

/// The bytes still to be read.
pub(crate) struct Rest<'a>(pub(crate) &'a [u8]);

impl<'a> Rest<'a> {
    pub(crate) fn tag(&mut self) -> Result<u8, Error> {
        let Some((tag, rest)) = self.0.split_first() else { return bad("cut off") };
        self.0 = rest;
        Ok(*tag)
    }

    pub(crate) fn number(&mut self) -> Result<u64, Error> {
        let Some((number, rest)) = self.0.split_first_chunk() else { return bad("cut off") };
        self.0 = rest;
        Ok(u64::from_le_bytes(*number))
    }

    pub(crate) fn bytes(&mut self) -> Result<&'a [u8], Error> {
        let len = usize::try_from(self.number()?).unwrap_or(usize::MAX);
        let Some((bytes, rest)) = self.0.split_at_checked(len) else { return bad("cut off") };
        self.0 = rest;
        Ok(bytes)
    }

    pub(crate) fn text(&mut self) -> Result<&'a str, Error> {
        match std::str::from_utf8(self.bytes()?) {
            Ok(text) => Ok(text),
            Err(_) => bad("a text that is not UTF-8"),
        }
    }

    /// Reads a path in the form that `write` produces: absolute, without `.`, `..` or redundant
    /// slashes.
    pub(crate) fn path(&mut self) -> Result<VPath, Error> {
        let text = self.text()?;
        match VPath::new(text) {
            Ok(path) if path.as_str() == text => Ok(path),
            Ok(_) | Err(_) => bad(format!("{text:?}: not a plain absolute path")),
        }
    }

    pub(crate) fn attributes(&mut self) -> Result<Attributes, Error> {
        let bits = self.number()?;
        let mode = Mode::new(u32::try_from(bits & 0o7777).unwrap_or(0));
        Ok(Attributes { mode, accessed: Time(self.number()?), modified: Time(self.number()?) })
    }
}

pub(crate) struct Attributes {
    pub(crate) mode: Mode,
    pub(crate) accessed: Time,
    pub(crate) modified: Time,
}
