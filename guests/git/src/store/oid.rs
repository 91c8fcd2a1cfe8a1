//! Identity of an object: the SHA-1 of its content.

use std::fmt;

use sha1::{Digest, Sha1};

/// Length in bytes.
pub(crate) const LEN: usize = 20;

/// Identity of an object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Oid(pub(crate) [u8; LEN]);

impl Oid {
    /// Stands for "no object" in reflogs and diffs.
    pub(crate) const ZERO: Oid = Oid([0; LEN]);

    /// Hashes an object with its header.
    pub(crate) fn of(kind: &str, data: &[u8]) -> Oid {
        let mut hash = Sha1::new();
        hash.update(format!("{kind} {}\0", data.len()));
        hash.update(data);
        Oid(hash.finalize().into())
    }

    /// Parses all 40 digits.
    pub(crate) fn parse(text: &[u8]) -> Option<Oid> {
        if text.len() != 2 * LEN {
            return None;
        }
        let mut oid = [0; LEN];
        for (byte, pair) in oid.iter_mut().zip(text.chunks(2)) {
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Some(Oid(oid))
    }

    /// Reads the bytes of an identity.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Oid> {
        bytes.try_into().ok().map(Oid)
    }

    /// Returns true for [`Oid::ZERO`].
    pub(crate) fn is_zero(self) -> bool {
        self == Oid::ZERO
    }
}

fn digit(byte: u8) -> Option<u8> {
    (byte as char).to_digit(16).map(|digit| digit as u8)
}

/// Returns the SHA-1 of data, for checksums of files.
pub(crate) fn checksum(data: &[u8]) -> [u8; LEN] {
    Sha1::digest(data).into()
}

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_empty_blob_has_its_known_identity() {
        let oid = Oid::of("blob", b"");
        assert_eq!(oid.to_string(), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
        assert_eq!(Oid::parse(oid.to_string().as_bytes()), Some(oid));
        assert_eq!(Oid::parse(b"e69d"), None);
        assert_eq!(Oid::parse(&[b'g'; 40]), None);
    }
}
