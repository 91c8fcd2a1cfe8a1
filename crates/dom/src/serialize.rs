//! Serialisation of trees to HTML and XML.

mod html;
mod xml;

/// Returns true for HTML elements without content and end tag.
pub(crate) fn is_void(local: &str) -> bool {
    matches!(
        local,
        "area"
            | "base"
            | "basefont"
            | "bgsound"
            | "br"
            | "col"
            | "embed"
            | "frame"
            | "hr"
            | "img"
            | "input"
            | "keygen"
            | "link"
            | "meta"
            | "param"
            | "source"
            | "track"
            | "wbr"
    )
}

/// The part of a node to serialise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// Only the descendants.
    Inner,
    /// The node and its descendants.
    Outer,
}

/// Markup up to a size limit; `complete` is false if it was cut.
#[derive(Debug)]
pub(crate) struct Markup {
    pub(crate) text: String,
    pub(crate) complete: bool,
}
