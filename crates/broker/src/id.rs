//! Ids of requests, grants and questions: short enough to type, safe to print, hard to guess.

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};

use sha2::{Digest, Sha256};

/// Characters after the prefix: 50 bits, too many to guess and few enough to type.
const LETTERS: usize = 10;

/// Base 32 without letters that resemble digits or each other.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// A secret from which ids are derived: the ledger's for requests, the process's for the rest.
pub type Key = [u8; 32];

/// Defines an id type from its documentation and prefix.
macro_rules! id_type {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(Box<str>);

        impl $name {
            /// Returns the text, which is safe to print.
            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// Derives an id; equal keys and parts give equal ids.
            pub(crate) fn derive(key: &Key, parts: &[&[u8]]) -> Self {
                Self(format!("{}{}", $prefix, digest(key, $prefix, parts)).into())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl FromStr for $name {
            type Err = BadId;

            fn from_str(text: &str) -> Result<Self, BadId> {
                let is_ours = |rest: &str| {
                    rest.len() == LETTERS && rest.bytes().all(|byte| ALPHABET.contains(&byte))
                };
                match text.strip_prefix($prefix).is_some_and(is_ours) {
                    true => Ok(Self(text.into())),
                    false => Err(BadId { prefix: $prefix }),
                }
            }
        }
    };
}

id_type! {
    /// Id of a denied request: `req_0123456789`.
    ///
    /// Equal for equal requests of one tool in one sandbox, in every process that uses the same
    /// ledger.
    RequestId, "req_"
}

id_type! {
    /// Id of a grant: `grt_0123456789`.
    GrantId, "grt_"
}

id_type! {
    /// Id of a question: `qst_0123456789`. A question that is asked again has a new id.
    QuestionId, "qst_"
}

/// Error for text that is not an id of the expected kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadId {
    prefix: &'static str,
}

impl fmt::Display for BadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not an id: expected {} and {LETTERS} letters and digits", self.prefix)
    }
}

impl std::error::Error for BadId {}

/// Generator of unique ids.
#[derive(Debug)]
pub(crate) struct Ids {
    key: Key,
    made: AtomicU64,
}

impl Ids {
    pub(crate) fn new(key: Key) -> Self {
        Self { key, made: AtomicU64::new(0) }
    }

    pub(crate) fn grant(&self) -> GrantId {
        GrantId::derive(&self.key, &[&self.next()])
    }

    pub(crate) fn question(&self) -> QuestionId {
        QuestionId::derive(&self.key, &[&self.next()])
    }

    fn next(&self) -> [u8; 8] {
        self.made.fetch_add(1, Ordering::Relaxed).to_le_bytes()
    }
}

fn digest(key: &Key, label: &str, parts: &[&[u8]]) -> String {
    let mut hash = Sha256::new_with_prefix(key);
    for part in [label.as_bytes()].iter().chain(parts) {
        // Prefixes the length, so that different lists of parts never hash alike.
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    let letter = |byte: &u8| char::from(ALPHABET[usize::from(byte % 32)]);
    hash.finalize().iter().take(LETTERS).map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_parts_make_the_same_id() {
        let id = |parts: &[&[u8]]| RequestId::derive(&[7; 32], parts);
        assert_eq!(id(&[b"a", b"b"]), id(&[b"a", b"b"]));
        assert_ne!(id(&[b"a", b"b"]), id(&[b"ab", b""]));
        assert_ne!(id(&[b"a"]), RequestId::derive(&[8; 32], &[b"a"]));
    }

    #[test]
    fn ids_read_back() {
        let id = RequestId::derive(&[7; 32], &[]);
        assert_eq!(id.as_str().parse(), Ok(id.clone()));
        assert_eq!(id.as_str().len(), 14);
    }

    #[test]
    fn what_is_no_id_is_refused() {
        for text in
            ["", "req_", "req_012345678", "grt_0123456789", "req_01234\n6789", "req_iiiiiiiiii"]
        {
            assert!(text.parse::<RequestId>().is_err(), "{text:?}");
        }
        let error = "x".parse::<GrantId>().unwrap_err();
        assert_eq!(error.to_string(), "not an id: expected grt_ and 10 letters and digits");
    }

    #[test]
    fn made_ids_never_come_twice() {
        let ids = Ids::new([7; 32]);
        let made: std::collections::HashSet<_> = (0..1000).map(|_| ids.grant()).collect();
        assert_eq!(made.len(), 1000);
    }
}
