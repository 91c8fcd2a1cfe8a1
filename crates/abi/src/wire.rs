//! Encoding of integers, lengths and bytes, little-endian. Decoding checks every bound.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// The reason why a message was refused. The host stops the run that sent it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed {
    what: &'static str,
    at: usize,
}

impl Malformed {
    /// Creates an error; `what` describes the field, `at` is its offset in the message.
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

/// Reads a message from front to back, never beyond its end.
#[derive(Debug, Clone)]
pub struct Reader<'a> {
    all: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    /// Creates a reader at the first byte.
    pub fn new(all: &'a [u8]) -> Self {
        Reader { all, at: 0 }
    }

    /// Returns an error at the current position.
    pub fn malformed(&self, what: &'static str) -> Malformed {
        Malformed::new(what, self.at)
    }

    /// Returns the number of unread bytes.
    pub fn remaining(&self) -> usize {
        self.all.len() - self.at
    }

    /// Returns true if everything has been read.
    pub fn is_empty(&self) -> bool {
        self.remaining() == 0
    }

    /// Reads `len` bytes without copying them.
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

    /// Reads one byte.
    pub fn u8(&mut self) -> Result<u8> {
        Ok(self.array::<1>()?[0])
    }

    /// Reads two bytes.
    pub fn u16(&mut self) -> Result<u16> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    /// Reads four bytes.
    pub fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    /// Reads eight bytes.
    pub fn u64(&mut self) -> Result<u64> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// Reads a double.
    pub fn f64(&mut self) -> Result<f64> {
        Ok(f64::from_le_bytes(self.array()?))
    }

    /// Reads an unsigned number of at most 32 bits from one to five bytes (LEB128).
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

    /// Reads bytes preceded by their length.
    pub fn bytes(&mut self) -> Result<&'a [u8]> {
        let len = self.varint()? as usize;
        self.take(len)
    }

    /// Reads text preceded by its length in bytes.
    pub fn str(&mut self) -> Result<&'a str> {
        let bytes = self.bytes()?;
        core::str::from_utf8(bytes).map_err(|_| self.malformed("text that is not UTF-8"))
    }

    /// Reads text into an owned string.
    pub fn string(&mut self) -> Result<String> {
        self.str().map(String::from)
    }

    /// Reads a count of items that take at least `least` bytes each, so that a short message
    /// cannot cause a large allocation.
    pub fn count(&mut self, least: usize) -> Result<usize> {
        let count = self.varint()? as usize;
        if count > self.remaining() / least.max(1) {
            return Err(self.malformed("count past the end"));
        }
        Ok(count)
    }

    /// Refuses bytes after the last field.
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
    /// Creates an empty message.
    pub fn new() -> Self {
        Writer::default()
    }

    /// Appends to the contents of `out`.
    pub fn onto(out: Vec<u8>) -> Self {
        Writer { out }
    }

    /// Returns the message.
    pub fn finish(self) -> Vec<u8> {
        self.out
    }

    /// Returns the bytes written so far.
    pub fn as_bytes(&self) -> &[u8] {
        &self.out
    }

    /// Returns the number of bytes written so far.
    pub fn len(&self) -> usize {
        self.out.len()
    }

    /// Returns true if nothing has been written.
    pub fn is_empty(&self) -> bool {
        self.out.is_empty()
    }

    /// Writes bytes without their length.
    pub fn raw(&mut self, bytes: &[u8]) -> &mut Self {
        self.out.extend_from_slice(bytes);
        self
    }

    /// Writes one byte.
    pub fn u8(&mut self, v: u8) -> &mut Self {
        self.out.push(v);
        self
    }

    /// Writes two bytes.
    pub fn u16(&mut self, v: u16) -> &mut Self {
        self.raw(&v.to_le_bytes())
    }

    /// Writes four bytes.
    pub fn u32(&mut self, v: u32) -> &mut Self {
        self.raw(&v.to_le_bytes())
    }

    /// Writes eight bytes.
    pub fn u64(&mut self, v: u64) -> &mut Self {
        self.raw(&v.to_le_bytes())
    }

    /// Writes a double.
    pub fn f64(&mut self, v: f64) -> &mut Self {
        self.raw(&v.to_le_bytes())
    }

    /// Writes a number in the format of [`Reader::varint`].
    pub fn varint(&mut self, mut v: u32) -> &mut Self {
        while v >= 0x80 {
            self.out.push((v as u8 & 0x7f) | 0x80);
            v >>= 7;
        }
        self.u8(v as u8)
    }

    /// Writes a length or count. Lengths in a 32-bit cell always fit in 32 bits.
    pub fn length(&mut self, len: usize) -> &mut Self {
        self.varint(u32::try_from(len).unwrap_or(u32::MAX))
    }

    /// Writes bytes preceded by their length.
    pub fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.length(bytes.len()).raw(bytes)
    }

    /// Writes text preceded by its length.
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
