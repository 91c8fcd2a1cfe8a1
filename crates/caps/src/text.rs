//! The macro and the checks behind the types of concrete names.
//!
//! A concrete name is text that has been checked once; from then on its type is the proof.

use crate::MAX_NAME_LEN;
use crate::error::{Error, ErrorKind};

/// Defines the type of a concrete name from its documentation and its check.
macro_rules! name_type {
    ($(#[$doc:meta])* $name:ident, $check:path) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(Box<str>);

        impl $name {
            /// Returns the name as given.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::Error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                $crate::text::check(text)?;
                $check(text)?;
                Ok(Self(text.into()))
            }
        }

        /// Writes the name as given, so it may be hostile; see [`visible`](crate::visible).
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

pub(crate) use name_type;

/// Checks the rules that apply to every concrete name.
pub(crate) fn check(text: &str) -> Result<(), Error> {
    if text.len() > MAX_NAME_LEN {
        let reason = format!("longer than {MAX_NAME_LEN} bytes");
        return Err(Error::new(ErrorKind::TooLong, text, reason));
    }
    if text.is_empty() {
        return Err(Error::new(ErrorKind::BadName, "\"\"", "a name must not be empty"));
    }
    no_nul(text)
}

/// Refuses NUL, which would end the name early in some of the places it is passed to.
pub(crate) fn no_nul(text: &str) -> Result<(), Error> {
    match text.contains('\0') {
        true => Err(Error::new(ErrorKind::BadName, text, "a name must not contain NUL")),
        false => Ok(()),
    }
}

/// Accepts every text, for names without rules of their own.
pub(crate) fn anything(_: &str) -> Result<(), Error> {
    Ok(())
}
