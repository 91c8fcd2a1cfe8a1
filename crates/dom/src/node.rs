//! Nodes of the arena, their ids and their contents.

use crate::choice::Ticked;
use html5ever::{LocalName, QualName, expanded_name, local_name, ns};

/// The absence of a node in the links of the arena.
pub(crate) const NIL: u32 = u32::MAX;

/// Last generation of a slot; a slot that reaches it is not reused.
///
/// Slot and generation together fit in the 53 bits of a JavaScript integer.
pub(crate) const LAST_GENERATION: u32 = (1 << 21) - 1;

/// The identity of one node of one [`Tree`](crate::Tree).
///
/// An id is valid as long as the node exists, wherever the node moves. Afterwards it names nothing,
/// even if another node reuses the slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NodeId {
    pub(crate) slot: u32,
    pub(crate) generation: u32,
}

impl NodeId {
    /// Returns the id as a number below 2^53.
    pub fn to_number(self) -> u64 {
        u64::from(self.generation) << 32 | u64::from(self.slot)
    }

    /// Converts a number from [`to_number`](NodeId::to_number) back; any other number names
    /// nothing.
    pub fn from_number(number: u64) -> NodeId {
        NodeId { slot: number as u32, generation: (number >> 32) as u32 }
    }
}

/// The type of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeKind {
    /// An element.
    Element,
    /// Text.
    Text,
    /// A CDATA section of an XML document.
    CData,
    /// A processing instruction.
    ProcessingInstruction,
    /// A comment.
    Comment,
    /// A document.
    Document,
    /// A document type.
    Doctype,
    /// A document fragment, including the contents of templates.
    Fragment,
}

impl NodeKind {
    /// Returns the `nodeType` of the DOM standard.
    pub fn number(self) -> u8 {
        match self {
            NodeKind::Element => 1,
            NodeKind::Text => 3,
            NodeKind::CData => 4,
            NodeKind::ProcessingInstruction => 7,
            NodeKind::Comment => 8,
            NodeKind::Document => 9,
            NodeKind::Doctype => 10,
            NodeKind::Fragment => 11,
        }
    }
}

/// One attribute of an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute {
    pub(crate) name: QualName,
    pub(crate) value: Box<str>,
}

impl Attribute {
    /// Returns the name with its prefix, as written in markup.
    pub fn qualified_name(&self) -> String {
        qualified(&self.name)
    }

    /// Returns the name without its prefix.
    pub fn local_name(&self) -> &str {
        &self.name.local
    }

    /// Returns the prefix, if any.
    pub fn prefix(&self) -> Option<&str> {
        self.name.prefix.as_deref()
    }

    /// Returns the namespace; empty if there is none.
    pub fn namespace(&self) -> &str {
        &self.name.ns
    }

    /// Returns the value.
    pub fn value(&self) -> &str {
        &self.value
    }

    pub(crate) fn is_plain(&self, local: &LocalName) -> bool {
        self.name.ns.is_empty() && self.name.local == *local
    }

    /// Returns the bytes charged for the attribute.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<Attribute>() + self.value.len() + self.name.local.len()
    }
}

pub(crate) fn qualified(name: &QualName) -> String {
    match &name.prefix {
        Some(prefix) if !prefix.is_empty() => format!("{prefix}:{}", name.local),
        _ => name.local.to_string(),
    }
}

/// The kind of a document: HTML folds the case of names of HTML elements, XML does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentKind {
    /// Created by the HTML parser, or treated as if it were.
    Html,
    /// Created by the XML parser.
    Xml,
}

/// The compatibility mode of a document. In this crate only case folding depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quirks {
    /// Standards mode or limited quirks mode.
    None,
    /// Quirks mode: ids and classes match without regard to case.
    Full,
}

#[derive(Debug, Clone)]
pub(crate) struct Element {
    pub(crate) name: QualName,
    pub(crate) attributes: Vec<Attribute>,
    /// Contents of a template, the shadow root of another element, or `NIL`.
    pub(crate) contents: u32,
    /// True if HTML inside this MathML element is parsed as HTML.
    pub(crate) html_integration: bool,
    /// State of a box or an option.
    pub(crate) ticked: Ticked,
    /// Progress of a custom element.
    pub(crate) custom: Custom,
}

impl Element {
    fn is_template(&self) -> bool {
        self.name.expanded() == expanded_name!(html "template")
    }

    /// Returns the contents of a template, or `NIL`.
    pub(crate) fn template(&self) -> u32 {
        if self.contents != NIL && self.is_template() { self.contents } else { NIL }
    }

    /// Returns the shadow root, or `NIL`.
    pub(crate) fn shadow(&self) -> u32 {
        if self.contents != NIL && !self.is_template() { self.contents } else { NIL }
    }
}

/// The progress of a custom element, which `:defined` tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Custom {
    /// The name of the element decides.
    Unknown,
    /// The element waits for the definition of a customized built-in element.
    Waiting,
    /// The constructor of the definition has run.
    Defined,
}

#[derive(Debug, Clone)]
pub(crate) struct Doctype {
    pub(crate) name: Box<str>,
    pub(crate) public_id: Box<str>,
    pub(crate) system_id: Box<str>,
}

#[derive(Debug, Clone)]
pub(crate) struct Instruction {
    pub(crate) target: Box<str>,
    pub(crate) data: String,
}

#[derive(Debug, Clone)]
#[expect(clippy::enum_variant_names, reason = "CDATA is a word of XML, not of this type")]
pub(crate) enum Data {
    /// An unused slot and the next one in the free list.
    Free(u32),
    Document(DocumentKind, Quirks),
    Doctype(Box<Doctype>),
    /// A fragment and its host: the template whose contents it is, the element whose shadow root it
    /// is, or `NIL`.
    Fragment(u32),
    Element(Element),
    Text(String),
    CData(String),
    Comment(String),
    Instruction(Box<Instruction>),
}

impl Data {
    pub(crate) fn kind(&self) -> Option<NodeKind> {
        Some(match self {
            Data::Free(_) => return None,
            Data::Document(..) => NodeKind::Document,
            Data::Doctype(_) => NodeKind::Doctype,
            Data::Fragment(_) => NodeKind::Fragment,
            Data::Element(_) => NodeKind::Element,
            Data::Text(_) => NodeKind::Text,
            Data::CData(_) => NodeKind::CData,
            Data::Comment(_) => NodeKind::Comment,
            Data::Instruction(_) => NodeKind::ProcessingInstruction,
        })
    }

    /// Returns the bytes charged for the node in addition to its slot.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Data::Free(_) | Data::Document(..) | Data::Fragment(_) => 0,
            Data::Doctype(doctype) => {
                size_of::<Doctype>()
                    + doctype.name.len()
                    + doctype.public_id.len()
                    + doctype.system_id.len()
            }
            Data::Element(element) => {
                element.name.local.len()
                    + element.attributes.iter().map(Attribute::bytes).sum::<usize>()
            }
            Data::Text(text) | Data::CData(text) | Data::Comment(text) => text.len(),
            Data::Instruction(pi) => size_of::<Instruction>() + pi.target.len() + pi.data.len(),
        }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) parent: u32,
    pub(crate) previous: u32,
    pub(crate) next: u32,
    pub(crate) first: u32,
    pub(crate) last: u32,
    /// The document of the tree whose root is this node; outdated for nodes below a root.
    pub(crate) document: u32,
    pub(crate) generation: u32,
    /// Number of holders outside the tree.
    pub(crate) pins: u32,
    pub(crate) data: Data,
}
