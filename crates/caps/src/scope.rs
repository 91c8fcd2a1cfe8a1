use std::fmt;

use crate::error::{Error, ErrorKind};
use crate::pattern::{Pattern, Shape};
use crate::visible::quoted;

/// How much of its kind a capability speaks of.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope<P> {
    /// Everything: the capability was written without a scope, or with one that limits nothing.
    All,
    /// What fits this.
    Only(P),
}

/// The order of what two things of one kind stand for: reflexive, transitive, and equal where
/// both cover each other.
///
/// Never says yes wrongly. It can say no where two patterns nest by coincidence only, as
/// `*/**/b` and `**/a/b`.
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
    /// Reads what stands behind the colon, if there is one.
    pub(crate) fn parse(
        text: Option<&str>,
        parse: impl FnOnce(&str) -> Result<Self, Error>,
    ) -> Result<Self, Error> {
        match text {
            None => Ok(Self::All),
            Some("") => Err(Error::new(
                ErrorKind::EmptyScope,
                "",
                "nothing after the colon, leave it away to mean everything",
            )),
            Some(text) => parse(text),
        }
    }

    /// The pattern, where there is one.
    pub fn only(&self) -> Option<&P> {
        match self {
            Self::All => None,
            Self::Only(pattern) => Some(pattern),
        }
    }
}

impl Scope<Pattern> {
    /// Reads a pattern whose names may have several segments.
    pub(crate) fn deep(text: &str) -> Result<Self, Error> {
        let pattern = Pattern::parse(text)?;
        Ok(if pattern.is_all() { Self::All } else { Self::Only(pattern) })
    }

    /// Reads a pattern whose names have no slash, so that `*` is already everything.
    pub(crate) fn flat(text: &str) -> Result<Self, Error> {
        let pattern = Pattern::parse(text)?;
        Ok(if pattern.is_all() || pattern.is_one_star() { Self::All } else { Self::Only(pattern) })
    }

    /// From this name alone, over what lies beside and below it, to everything.
    pub(crate) fn widening(name: &Pattern) -> Vec<Self> {
        let mut steps = vec![Self::Only(name.clone())];
        if name.segments().len() > 1 {
            steps.push(Self::Only(name.below(name.segments().len() - 1)));
        }
        steps.push(Self::All);
        steps
    }

    /// `the key a`, `keys below a`, `keys that match a*`, `any key`.
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

/// As it stands in a capability: with the colon, or nothing.
impl<P: fmt::Display> fmt::Display for Scope<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => Ok(()),
            Self::Only(pattern) => write!(f, ":{pattern}"),
        }
    }
}
