//! [`Scope`], the part of a capability after its kind, and the order on scopes.

use std::fmt;

use crate::error::{Error, ErrorKind};
use crate::pattern::{Pattern, Shape};
use crate::visible::quoted;

/// The set of objects that a capability applies to, within its kind.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope<P> {
    /// Everything: the capability has no scope, or one that excludes nothing.
    All,
    /// The objects that match this pattern.
    Only(P),
}

/// Inclusion of the sets that two patterns of one type stand for.
///
/// The relation is reflexive and transitive, and patterns that cover each other are equal. It has
/// no false positives, but it can return false for patterns that nest only by coincidence, such
/// as `*/**/b` and `**/a/b`.
pub(crate) trait Covers {
    fn covers(&self, other: &Self) -> bool;
}

impl<P: Covers> Covers for Scope<P> {
    fn covers(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::All, Self::All | Self::Only(_)) => true,
            (Self::Only(_), Self::All) => false,
            (Self::Only(mine), Self::Only(theirs)) => mine.covers(theirs),
        }
    }
}

impl<P> Scope<P> {
    /// Parses the text after the colon; `None` means that there is no colon.
    pub(crate) fn parse(
        text: Option<&str>,
        parse: impl FnOnce(&str) -> Result<Self, Error>,
    ) -> Result<Self, Error> {
        match text {
            None => Ok(Self::All),
            Some("") => Err(Error::new(
                ErrorKind::EmptyScope,
                "",
                "nothing after the colon; omit the colon to mean everything",
            )),
            Some(text) => parse(text),
        }
    }

    /// Returns the pattern, or `None` if the scope is everything.
    pub fn only(&self) -> Option<&P> {
        match self {
            Self::All => None,
            Self::Only(pattern) => Some(pattern),
        }
    }
}

impl Scope<Pattern> {
    /// Parses a pattern for names that may have several segments.
    pub(crate) fn deep(text: &str) -> Result<Self, Error> {
        let pattern = Pattern::parse(text)?;
        Ok(if pattern.is_all() { Self::All } else { Self::Only(pattern) })
    }

    /// Parses a pattern for names without slashes, where `*` already matches everything.
    pub(crate) fn flat(text: &str) -> Result<Self, Error> {
        let pattern = Pattern::parse(text)?;
        Ok(if pattern.is_all() || pattern.is_one_star() { Self::All } else { Self::Only(pattern) })
    }

    /// Returns increasingly wide scopes: the name alone, its folder, everything.
    pub(crate) fn widening(name: &Pattern) -> Vec<Self> {
        let mut steps = vec![Self::Only(name.clone())];
        if name.segments().len() > 1 {
            steps.push(Self::Only(name.below(name.segments().len() - 1)));
        }
        steps.push(Self::All);
        steps
    }

    /// Describes the scope in words: `the key a`, `keys below a`, `keys that match a*`, `any key`.
    pub(crate) fn describe(&self, one: &str, many: &str) -> String {
        match self {
            Self::All => format!("any {one}"),
            Self::Only(pattern) => match pattern.shape() {
                Shape::Literal => format!("the {one} {}", quoted(&pattern.plain())),
                Shape::Folder(folder) => format!("{many} below {}", quoted(&folder.plain())),
                Shape::Other => format!("{many} that match {}", quoted(&pattern.to_string())),
            },
        }
    }
}

/// Writes the scope as part of a capability: empty, or a colon and the pattern.
impl<P: fmt::Display> fmt::Display for Scope<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => Ok(()),
            Self::Only(pattern) => write!(f, ":{pattern}"),
        }
    }
}
