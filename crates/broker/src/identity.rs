//! Identity of tools and scripts: a name and the SHA-256 of the source.
//!
//! Grants are stored for and compared with the whole identity. People see the first digits.
//!
//! Meets T-PERM-008.

use cofferdam_caps::visible;
use sha2::{Digest, Sha256};

/// Hexadecimal digits of a SHA-256.
const DIGITS: usize = 64;

/// Digits that a person is shown.
const SHOWN: usize = 8;

/// Most characters of a name that a person is shown.
const MAX_SHOWN_NAME: usize = 60;

/// Returns the identity of the tool or script with this name and source.
///
/// ```
/// # use cofferdam_broker::{identity, shown_identity};
/// let identity = identity("a.js", b"return 1");
/// assert_eq!(shown_identity(&identity), "a.js#486d9aff");
/// ```
pub fn identity(name: &str, source: &[u8]) -> String {
    with_digest(name, Sha256::digest(source).into())
}

/// Returns an identity with the name of another and this digest.
pub(crate) fn identity_of_digest(other: &str, digest: [u8; 32]) -> String {
    with_digest(split(other).map_or(other, |(name, _)| name), digest)
}

fn with_digest(name: &str, digest: [u8; 32]) -> String {
    let mut identity = String::with_capacity(name.len() + 1 + DIGITS);
    identity.push_str(name);
    identity.push('#');
    for byte in digest {
        let digit = |value: u8| char::from(b"0123456789abcdef"[usize::from(value)]);
        identity.extend([digit(byte >> 4), digit(byte & 15)]);
    }
    identity
}

/// Splits an identity into its name and the digits of its digest; `None` if it has no digest.
fn split(identity: &str) -> Option<(&str, &str)> {
    let at = identity.len().checked_sub(DIGITS)?;
    let (name, digest) = identity.split_at_checked(at)?;
    let is_digest = digest.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    Some((name.strip_suffix('#').filter(|_| is_digest)?, digest))
}

/// Returns an identity for a person: hidden characters escaped, a long name shortened in the
/// middle, and of the digest the first eight digits.
pub fn shown_identity(identity: &str) -> String {
    match split(identity) {
        Some((name, digest)) => {
            [&*shortened(&visible(name), MAX_SHOWN_NAME), "#", &digest[..SHOWN]].concat()
        }
        None => shortened(&visible(identity), MAX_SHOWN_NAME + 1 + SHOWN),
    }
}

/// Shortens a text to `most` characters by leaving out its middle. Start and end stay, because the
/// end of a name often tells what it is.
pub fn shortened(text: &str, most: usize) -> String {
    let len = text.chars().count();
    if len <= most {
        return text.to_owned();
    }
    let (start, end) = (most / 2, most - most / 2 - 1);
    let head = text.chars().take(start);
    head.chain(['…']).chain(text.chars().skip(len - end)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// T-PERM-008.
    #[test]
    fn all_of_the_digest_counts_and_eight_digits_are_shown() {
        let (one, other) = (identity("a.js", b"1"), identity("a.js", b"2"));
        assert_eq!(one.len(), "a.js#".len() + 64);
        assert_ne!(one, other);
        assert_eq!(shown_identity(&one), "a.js#6b86b273");
    }

    #[test]
    fn name_cannot_pass_for_an_identity() {
        // A tool that names itself like another tool still has a digest of its own.
        let victim = identity("a.js", b"1");
        assert_ne!(identity(&victim, b"evil"), victim);
        assert!(identity(&victim, b"evil").starts_with(&victim));
    }

    #[test]
    fn long_and_hidden_names_are_shown_shortened() {
        let name = format!("{}\u{202e}.js", "a".repeat(300));
        let shown = shown_identity(&identity(&name, b"1"));
        assert_eq!(shown.chars().count(), 60 + 9);
        assert!(shown.starts_with("aaa") && shown.ends_with("\\u{202e}.js#6b86b273"), "{shown}");
        assert_eq!(shortened("abcdef", 6), "abcdef");
        assert_eq!(shortened("abcdefg", 6), "abc…fg");
        assert_eq!(shown_identity("shell prompt"), "shell prompt");
        assert_eq!(shown_identity("é"), "é");
    }
}
