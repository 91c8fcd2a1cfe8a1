//! Concrete names: text that was checked once and then has a type.

use crate::MAX_NAME_LEN;
use crate::error::{Error, ErrorKind};

/// Makes a type for a concrete name out of its documentation and its check.
macro_rules! name_type {
    ($(#[$doc:meta])* $name:ident, $check:path) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(Box<str>);

        impl $name {
            /// The name as it was given.
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

        /// The name as it was given, so hostile still; see [`visible`](crate::visible).
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

pub(crate) use name_type;

/// What holds for every concrete name.
pub(crate) fn check(text: &str) -> Result<(), Error> {
    if text.len() > MAX_NAME_LEN {
        let reason = format!("longer than {MAX_NAME_LEN} bytes");
        return Err(Error::new(ErrorKind::TooLong, text, reason));
    }
    if text.is_empty() {
        return Err(Error::new(ErrorKind::BadName, "\"\"", "a name is not empty"));
    }
    no_nul(text)
}

/// NUL ends a name in some of the places that names go to.
pub(crate) fn no_nul(text: &str) -> Result<(), Error> {
    match text.contains('\0') {
        true => Err(Error::new(ErrorKind::BadName, text, "a name has no NUL in it")),
        false => Ok(()),
    }
}

/// For names with no rules of their own.
pub(crate) fn anything(_: &str) -> Result<(), Error> {
    Ok(())
}
