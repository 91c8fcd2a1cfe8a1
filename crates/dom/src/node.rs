use html5ever::{LocalName, QualName};

/// Stands for "no node" in the links of the arena.
pub(crate) const NIL: u32 = u32::MAX;

/// The last generation of a slot; a slot that reaches it is not used again.
///
/// Slot and generation together fit the 53 bits that a script's number has.
pub(crate) const LAST_GENERATION: u32 = (1 << 21) - 1;

/// Names one node of one [`Tree`](crate::Tree).
///
/// An id stays valid while the node exists, whatever happens to the tree around it; afterwards it
/// names nothing, even when the slot holds another node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NodeId {
    pub(crate) slot: u32,
    pub(crate) generation: u32,
}

impl NodeId {
    /// The id as a number below 2^53.
    pub fn to_number(self) -> u64 {
        u64::from(self.generation) << 32 | u64::from(self.slot)
    }

    /// The id that [`to_number`](NodeId::to_number) made; any other number names nothing.
    pub fn from_number(number: u64) -> NodeId {
        NodeId { slot: number as u32, generation: (number >> 32) as u32 }
    }
}

/// What a node is.
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
    /// A document fragment, among them the contents of templates.
    Fragment,
}

impl NodeKind {
    /// The `nodeType` of the DOM standard.
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
    /// The name with its prefix, as it stands in markup.
    pub fn qualified_name(&self) -> String {
        qualified(&self.name)
    }

    /// The name without its prefix.
    pub fn local_name(&self) -> &str {
        &self.name.local
    }

    /// The prefix, if there is one.
    pub fn prefix(&self) -> Option<&str> {
        self.name.prefix.as_deref()
    }

    /// The namespace; empty for none.
    pub fn namespace(&self) -> &str {
        &self.name.ns
    }

    /// The value.
    pub fn value(&self) -> &str {
        &self.value
    }

    pub(crate) fn is_plain(&self, local: &LocalName) -> bool {
        self.name.ns.is_empty() && self.name.local == *local
    }

    /// What the attribute costs.
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

/// How a document reads names: `HTML` folds the case of HTML elements, `XML` does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentKind {
    /// Made by the HTML parser, or to be treated as if.
    Html,
    /// Made by the XML parser.
    Xml,
}

/// Which of the historical layouts a document asked for; only case folding depends on it here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quirks {
    /// Standards mode, and the nearly-standards mode.
    None,
    /// Quirks mode: ids and classes match without regard to case.
    Full,
}

#[derive(Debug, Clone)]
pub(crate) struct Element {
    pub(crate) name: QualName,
    pub(crate) attributes: Vec<Attribute>,
    /// The contents, when it is a template.
    pub(crate) contents: u32,
    /// Whether HTML inside this MathML element is parsed as HTML.
    pub(crate) html_integration: bool,
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
    /// An unused slot, and the next one.
    Free(u32),
    Document(DocumentKind, Quirks),
    Doctype(Box<Doctype>),
    /// The template that it is the contents of, or `NIL`.
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

    /// What the node costs beside its slot.
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
    /// The document of the tree that this node is the root of; out of date below a root.
    pub(crate) document: u32,
    pub(crate) generation: u32,
    /// How many hold the node from outside.
    pub(crate) pins: u32,
    pub(crate) data: Data,
}
