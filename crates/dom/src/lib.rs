//! Documents: a tree in an arena, HTML and XML read into it and written out of it, CSS selectors,
//! and changes under the checks of the DOM standard.
//!
//! No I/O and no script: host programs hold their pages in it, and the JavaScript guest, compiled
//! to WebAssembly, its own document. What a [`Tree`] holds is counted against a [`Budget`]; nothing
//! recurses over the depth of a tree.
//!
//! In reading order:
//!
//! - what is said and answered: `error`, `budget`, `node`, `names`
//! - the tree: `tree` (the arena), `walk`, `collect` (what nobody holds is freed)
//! - what can be done: `mutate`, `attributes`, `text`, `copy`, `position`
//! - markup: `parse`, `serialize`
//! - selectors: `select`, `interrupt` (searches that nobody wants any more)
//! - a page for tools: `page`, `proxy`, `sanitize`

mod attributes;
mod budget;
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
mod text;
mod tree;
mod walk;

pub use budget::{Budget, Usage};
pub use copy::Cloning;
pub use error::{Error, ErrorKind};
pub use html5ever::QualName;
pub use interrupt::Interrupt;
pub use names::{Named, is_attribute_name, is_element_name, qualified_name};
pub use node::{Attribute, DocumentKind, NodeId, NodeKind, Quirks};
pub use page::Page;
pub use parse::ParsedXml;
pub use tree::{Tree, html_name};
