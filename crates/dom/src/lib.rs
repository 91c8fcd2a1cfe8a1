//! Documents: an arena of nodes, HTML and XML parsers and serialisers, CSS selectors, and changes
//! checked by the rules of the DOM standard.
//!
//! There is no I/O and no scripting. Host programs keep their pages here; the JavaScript guest,
//! compiled to WebAssembly, keeps its own document here. The contents of a [`Tree`] are charged
//! to a [`Budget`], and no algorithm recurses over the depth of a tree.
//!
//! In reading order:
//!
//! - basic types: `error`, `budget`, `node`, `names`
//! - the tree: `tree` (the arena), `walk`, `collect` (frees unreachable nodes)
//! - operations: `mutate`, `attributes`, `choice`, `text`, `copy`, `position`
//! - markup: `parse`, `serialize`
//! - selectors: `select`, `interrupt` (cancels long searches)
//! - a page for tools: `page`, `proxy`, `sanitize`

mod attributes;
mod budget;
mod choice;
mod collect;
mod copy;
mod error;
mod interrupt;
mod mutate;
mod names;
mod node;
mod page;
mod parse;
pub mod position;
pub mod proxy;
mod sanitize;
mod select;
mod serialize;
mod shadow;
mod text;
mod tree;
mod walk;

pub use budget::{Budget, Usage};
pub use copy::Cloning;
pub use error::{Error, ErrorKind};
pub use html5ever::QualName;
pub use interrupt::Interrupt;
pub use mutate::Change;
pub use names::{
    Named, existing_name, is_attribute_name, is_element_name, qualified_name, unsplit_name,
};
pub use node::{Attribute, Custom, DocumentKind, NodeId, NodeKind, Quirks};
pub use page::Page;
pub use parse::ParsedXml;
pub use shadow::Walk;
pub use tree::{Tree, html_name};
