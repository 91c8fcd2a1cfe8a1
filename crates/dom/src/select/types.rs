//! The types that the `selectors` crate is parameterised with.

use super::pseudo::{PseudoClass, PseudoElement};
use cssparser::ToCss;
use html5ever::Namespace;
use precomputed_hash::PrecomputedHash;
use selectors::parser::SelectorImpl;
use std::borrow::Borrow;
use std::fmt;

#[derive(Debug, Clone)]
pub(crate) struct Css;

impl SelectorImpl for Css {
    type ExtraMatchingData<'a> = ();
    type AttrValue = Text;
    type Identifier = Text;
    type LocalName = Name;
    type NamespaceUrl = Url;
    type NamespacePrefix = Text;
    type BorrowedNamespaceUrl = Url;
    type BorrowedLocalName = Name;
    type NonTSPseudoClass = PseudoClass;
    type PseudoElement = PseudoElement;
}

/// A value or identifier.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Text(pub(crate) Box<str>);

impl From<&str> for Text {
    fn from(text: &str) -> Text {
        Text(text.into())
    }
}

impl AsRef<str> for Text {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl ToCss for Text {
    fn to_css<W: fmt::Write>(&self, out: &mut W) -> fmt::Result {
        cssparser::serialize_identifier(&self.0, out)
    }
}

impl PrecomputedHash for Text {
    fn precomputed_hash(&self) -> u32 {
        // FNV-1a. Only the Bloom filters of `selectors` use it, which are not used here.
        self.0.bytes().fold(0x811C_9DC5, |hash, b| (hash ^ u32::from(b)).wrapping_mul(0x0100_0193))
    }
}

/// The local name of an element or attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Name(pub(crate) html5ever::LocalName);

impl From<&str> for Name {
    fn from(text: &str) -> Name {
        Name(text.into())
    }
}

impl ToCss for Name {
    fn to_css<W: fmt::Write>(&self, out: &mut W) -> fmt::Result {
        cssparser::serialize_identifier(&self.0, out)
    }
}

impl PrecomputedHash for Name {
    fn precomputed_hash(&self) -> u32 {
        self.0.precomputed_hash()
    }
}

/// The URL of a namespace.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Url(pub(crate) Namespace);

impl Borrow<str> for Url {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl PrecomputedHash for Url {
    fn precomputed_hash(&self) -> u32 {
        self.0.precomputed_hash()
    }
}
