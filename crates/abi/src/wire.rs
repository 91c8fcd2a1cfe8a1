//! Integers, lengths and bytes, little-endian, with every bound checked on the way in.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// Why a message was refused. The host stops the run that sent it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed {
    what: &'static str,
    at: usize,
}

impl Malformed {
    /// `what` names the field that was wrong, `at` the offset in the message.
    pub const fn new(what: &'static str, at: usize) -> Self {
        Malformed { what, at }
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {} of the message", self.what, self.at)
    }
}

impl core::error::Error for Malformed {}

/// Result of decoding.
pub type Result<T> = core::result::Result<T, Malformed>;

/// Reads a message from front to back and never past its end.
#[derive(Debug, Clone)]
pub struct Reader<'a> {
    all: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    /// Starts at the first byte.
    pub fn new(all: &'a [u8]) -> Self {
        Reader { all, at: 0 }
    }

    /// The refusal of what was read last.
    pub fn malformed(&self, what: &'static str) -> Malformed {
        Malformed::new(what, self.at)
    }

    /// Bytes not read yet.
    pub fn remaining(&self) -> usize {
        self.all.len() - self.at
    }

    /// Whether everything was read.
    pub fn is_empty(&self) -> bool {
        self.remaining() == 0
    }

    /// The next `len` bytes, borrowed.
    pub fn take(&mut self, len: usize) -> Result<&'a [u8]> {
        if len > self.remaining() {
            return Err(self.malformed("length past the end"));
        }
        let bytes = &self.all[self.at..self.at + len];
        self.at += len;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let bytes = self.take(N)?;
        bytes.try_into().map_err(|_| self.malformed("length past the end"))
    }

    /// One byte.
    pub fn u8(&mut self) -> Result<u8> {
        Ok(self.array::<1>()?[0])
    }

    /// Two bytes.
    pub fn u16(&mut self) -> Result<u16> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    /// Four bytes.
    pub fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    /// Eight bytes.
    pub fn u64(&mut self) -> Result<u64> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// A double.
    pub fn f64(&mut self) -> Result<f64> {
        Ok(f64::from_le_bytes(self.array()?))
    }

    /// An unsigned number of at most 32 bits in one to five bytes (LEB128).
    pub fn varint(&mut self) -> Result<u32> {
        let mut value: u32 = 0;
        for shift in [0, 7, 14, 21, 28] {
            let byte = self.u8()?;
            let bits = u32::from(byte & 0x7f);
            if shift == 28 && bits > 0x0f {
                return Err(self.malformed("number of more than 32 bits"));
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(self.malformed("number of more than five bytes"))
    }

    /// Bytes behind their length.
    pub fn bytes(&mut self) -> Result<&'a [u8]> {
        let len = self.varint()? as usize;
        self.take(len)
    }

    /// Text behind its length in bytes.
    pub fn str(&mut self) -> Result<&'a str> {
        let bytes = self.bytes()?;
        core::str::from_utf8(bytes).map_err(|_| self.malformed("text that is not UTF-8"))
    }

    /// Text, owned.
    pub fn string(&mut self) -> Result<String> {
        self.str().map(String::from)
    }

    /// A count of things that take at least `least` bytes each, so that a short message
    /// cannot ask for a large allocation.
    pub fn count(&mut self, least: usize) -> Result<usize> {
        let count = self.varint()? as usize;
        if count > self.remaining() / least.max(1) {
            return Err(self.malformed("count past the end"));
        }
        Ok(count)
    }

    /// Refuses bytes behind the last field.
    pub fn end(&self) -> Result<()> {
        if self.is_empty() { Ok(()) } else { Err(self.malformed("bytes after the end")) }
    }
}

/// Builds a message.
#[derive(Debug, Default, Clone)]
pub struct Writer {
    out: Vec<u8>,
}

impl Writer {
    /// An empty message.
    pub fn new() -> Self {
        Writer::default()
    }

    /// Goes on behind what `out` holds.
    pub fn onto(out: Vec<u8>) -> Self {
        Writer { out }
    }

    /// What was written.
    pub fn finish(self) -> Vec<u8> {
        self.out
    }

    /// What was written so far.
    pub fn as_bytes(&self) -> &[u8] {
        &self.out
    }

    /// How much was written so far.
    pub fn len(&self) -> usize {
        self.out.len()
    }

    /// Whether nothing was written yet.
    pub fn is_empty(&self) -> bool {
        self.out.is_empty()
    }

    /// Bytes as they are, without a length.
    pub fn raw(&mut self, bytes: &[u8]) -> &mut Self {
        self.out.extend_from_slice(bytes);
        self
    }

    /// One byte.
    pub fn u8(&mut self, v: u8) -> &mut Self {
        self.out.push(v);
        self
    }

    /// Two bytes.
    pub fn u16(&mut self, v: u16) -> &mut Self {
        self.raw(&v.to_le_bytes())
    }

    /// Four bytes.
    pub fn u32(&mut self, v: u32) -> &mut Self {
        self.raw(&v.to_le_bytes())
    }

    /// Eight bytes.
    pub fn u64(&mut self, v: u64) -> &mut Self {
        self.raw(&v.to_le_bytes())
    }

    /// A double.
    pub fn f64(&mut self, v: f64) -> &mut Self {
        self.raw(&v.to_le_bytes())
    }

    /// See [`Reader::varint`].
    pub fn varint(&mut self, mut v: u32) -> &mut Self {
        while v >= 0x80 {
            self.out.push((v as u8 & 0x7f) | 0x80);
            v >>= 7;
        }
        self.u8(v as u8)
    }

    /// A length or count. Nothing in a 32-bit cell is longer than 32 bits can say.
    pub fn length(&mut self, len: usize) -> &mut Self {
        self.varint(u32::try_from(len).unwrap_or(u32::MAX))
    }

    /// Bytes behind their length.
    pub fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.length(bytes.len()).raw(bytes)
    }

    /// Text behind its length.
    pub fn str(&mut self, text: &str) -> &mut Self {
        self.bytes(text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_varint(v: u32, bytes: &[u8]) {
        assert_eq!(Writer::new().varint(v).as_bytes(), bytes);
        let mut r = Reader::new(bytes);
        assert_eq!(r.varint(), Ok(v));
        assert_eq!(r.end(), Ok(()));
    }

    #[test]
    fn small_numbers_take_one_byte() {
        check_varint(0, &[0]);
        check_varint(127, &[0x7f]);
        check_varint(128, &[0x80, 1]);
        check_varint(u32::MAX, &[0xff, 0xff, 0xff, 0xff, 0x0f]);
    }

    #[test]
    fn a_number_of_33_bits_is_refused() {
        assert!(Reader::new(&[0xff, 0xff, 0xff, 0xff, 0x1f]).varint().is_err());
        assert!(Reader::new(&[0x80, 0x80, 0x80, 0x80, 0x80, 0]).varint().is_err());
    }

    #[test]
    fn a_length_past_the_end_is_refused() {
        assert!(Reader::new(&[5, 1, 2]).bytes().is_err());
        assert!(Reader::new(&[0xff, 0xff, 0xff, 0xff, 0x0f]).bytes().is_err());
    }

    #[test]
    fn a_count_cannot_promise_more_than_the_message_holds() {
        assert!(Reader::new(&[100, 0, 0, 0]).count(1).is_err());
        assert_eq!(Reader::new(&[3, 0, 0, 0]).count(1), Ok(3));
    }

    #[test]
    fn text_must_be_utf8() {
        assert!(Reader::new(&[2, 0xc3, 0x28]).str().is_err());
    }
}
