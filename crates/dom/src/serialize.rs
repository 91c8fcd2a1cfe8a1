//! Trees into HTML and XML.

mod html;
mod xml;

/// Elements of HTML that have no content and no end tag.
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

/// Which part of a node is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// What is below the node.
    Inner,
    /// The node and what is below it.
    Outer,
}

/// Markup as far as a limit let it grow.
#[derive(Debug)]
pub(crate) struct Markup {
    pub(crate) text: String,
    pub(crate) complete: bool,
}
