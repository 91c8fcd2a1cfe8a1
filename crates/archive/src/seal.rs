//! Seals of archives: proof that the owner of a key wrote an archive and nobody changed it since.
//!
//! The checksum of an archive detects damage; who changes the file can compute it anew. A seal
//! follows the checksum: the HMAC-SHA256 (RFC 2104) of the archive, and an end mark. The mark is
//! last, where an archive without a seal has its checksum, which nobody can choose.
//!
//! Meets T-BOX-005.

use sha2::{Digest, Sha256};

/// The last bytes of a sealed archive.
const END: &[u8; 16] = b"cofferdam-seal\r\n";

/// Length of the HMAC and of the end mark.
const LENGTH: usize = 32 + END.len();

/// Length of the blocks that SHA-256 works on.
const BLOCK: usize = 64;

/// A key that archives are sealed with.
#[derive(Clone)]
pub struct SealKey([u8; 32]);

/// The finding about the seal of an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArchiveSeal {
    /// Sealed with this key, and unchanged since.
    Ours,
    /// Sealed with another key, or changed since.
    Other,
    /// Not sealed.
    Missing,
}

impl SealKey {
    /// Derives the key from a secret, which may have other uses too.
    pub fn derived_from(secret: &[u8]) -> Self {
        SealKey(hmac(secret, b"cofferdam seal of exports 1"))
    }

    /// Returns the archive with a seal, in place of the one that it has.
    pub fn seal(&self, mut archive: Vec<u8>) -> Vec<u8> {
        archive.truncate(without_seal(&archive).len());
        let seal = hmac(&self.0, &archive);
        archive.extend_from_slice(&seal);
        archive.extend_from_slice(END);
        archive
    }

    /// Checks the seal of an archive. The archive may still be damaged or hostile.
    pub fn check(&self, bytes: &[u8]) -> ArchiveSeal {
        let archive = without_seal(bytes);
        let Some(seal) = bytes[archive.len()..].strip_suffix(END) else {
            return ArchiveSeal::Missing;
        };
        let expect = hmac(&self.0, archive);
        // Looks at every byte, so that the time taken does not tell how many are right.
        let differing = expect.iter().zip(seal).fold(0, |all, (a, b)| all | (a ^ b));
        match seal.len() == expect.len() && differing == 0 {
            true => ArchiveSeal::Ours,
            false => ArchiveSeal::Other,
        }
    }
}

/// Returns the archive alone.
pub(crate) fn without_seal(bytes: &[u8]) -> &[u8] {
    match bytes.ends_with(END) {
        true => &bytes[..bytes.len().saturating_sub(LENGTH)],
        false => bytes,
    }
}

fn hmac(key: &[u8], message: &[u8]) -> [u8; 32] {
    let mut block = [0; BLOCK];
    match block.get_mut(..key.len()) {
        Some(start) => start.copy_from_slice(key),
        None => block[..32].copy_from_slice(&Sha256::digest(key)),
    }
    let inner = Sha256::new().chain_update(block.map(|byte| byte ^ 0x36)).chain_update(message);
    let outer = Sha256::new().chain_update(block.map(|byte| byte ^ 0x5c));
    outer.chain_update(inner.finalize()).finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Cases 1, 2 and 6 of RFC 4231.
    #[test]
    fn hmac_is_that_of_the_standard() {
        let check = |key: &[u8], text: &[u8], expect: &str| {
            assert_eq!(hex(&hmac(key, text)), expect);
        };
        check(
            &[0x0b; 20],
            b"Hi There",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
        );
        check(
            b"Jefe",
            b"what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
        );
        check(
            &[0xaa; 131],
            b"Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
        );
    }

    /// T-BOX-005.
    #[test]
    fn a_seal_is_for_one_key_and_one_content() {
        let (ours, other) = (SealKey::derived_from(b"ours"), SealKey::derived_from(b"other"));
        let sealed = ours.seal(b"an archive".to_vec());
        assert_eq!(ours.check(&sealed), ArchiveSeal::Ours);
        assert_eq!(other.check(&sealed), ArchiveSeal::Other);
        assert_eq!(ours.check(b"an archive"), ArchiveSeal::Missing);
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert_ne!(ours.check(&changed), ArchiveSeal::Ours, "{at}");
        }
        for length in 0..sealed.len() {
            assert_ne!(ours.check(&sealed[..length]), ArchiveSeal::Ours, "{length}");
        }
        assert_eq!(ours.check(END), ArchiveSeal::Other);
        assert_eq!(without_seal(&sealed), b"an archive");
    }

    #[test]
    fn a_second_seal_replaces_the_first() {
        let (one, two) = (SealKey::derived_from(b"1"), SealKey::derived_from(b"2"));
        let sealed = two.seal(one.seal(b"an archive".to_vec()));
        assert_eq!(two.check(&sealed), ArchiveSeal::Ours);
        assert_eq!(sealed, two.seal(b"an archive".to_vec()));
    }
}
