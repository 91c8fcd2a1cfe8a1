//! [`Tree`], the arena: creating nodes, finding them by id, and recycling their slots.

use crate::budget::{Account, Budget, Usage};
use crate::choice::Ticked;
use crate::error::Error;
use crate::interrupt::Interrupt;
use crate::node::{
    Custom, Data, Doctype, DocumentKind, Element, Instruction, LAST_GENERATION, NIL, Node, NodeId,
    NodeKind, Quirks,
};
use crate::select::Memory;
use html5ever::{QualName, expanded_name, local_name, ns};

/// An arena of nodes: any number of documents and detached nodes under one [`Budget`].
///
/// No operation recurses, so deep nesting cannot exhaust the stack.
#[derive(Debug, Clone)]
pub struct Tree {
    pub(crate) nodes: Vec<Node>,
    free: u32,
    pub(crate) account: Account,
    /// Incremented by every change that a query could observe.
    pub(crate) version: u64,
    /// Changes of attributes, data and states, which leave every node where it is.
    still: u64,
    /// Element that has the focus.
    pub(crate) focus: Option<NodeId>,
    /// Number of nodes created since the last collection.
    pub(crate) made: u32,
    /// Number of nodes that must be created before the next collection.
    pub(crate) patience: u32,
    pub(crate) memory: Memory,
    pub(crate) interrupt: Interrupt,
}

impl Tree {
    /// Creates an arena without nodes.
    pub fn new(budget: Budget) -> Tree {
        Tree {
            nodes: Vec::new(),
            free: NIL,
            account: Account { budget, used: Usage::default(), charged: 0 },
            version: 0,
            still: 0,
            focus: None,
            made: 0,
            patience: 0,
            memory: Memory::default(),
            interrupt: Interrupt::default(),
        }
    }

    /// Returns the budget that the tree was created with.
    pub fn budget(&self) -> Budget {
        self.account.budget
    }

    /// Returns the memory and nodes in use.
    pub fn usage(&self) -> Usage {
        self.account.used
    }

    /// Returns a number that differs after every change; equal numbers imply an equal tree.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Returns a number that changes whenever a node comes, goes or moves.
    pub fn structure(&self) -> u64 {
        self.version - self.still
    }

    /// Creates an empty document.
    pub fn create_document(&mut self, kind: DocumentKind) -> Result<NodeId, Error> {
        let slot = self.allocate(Data::Document(kind, Quirks::None), NIL)?;
        self.nodes[slot as usize].document = slot;
        Ok(self.id(slot))
    }

    /// Creates a detached element of `document`. The name is not validated.
    pub fn create_element(&mut self, document: NodeId, name: QualName) -> Result<NodeId, Error> {
        let document = self.document(document)?;
        let slot = self.make_element(name, Vec::new(), document)?;
        Ok(self.id(slot))
    }

    /// Creates a detached text node of `document`.
    pub fn create_text(&mut self, document: NodeId, text: &str) -> Result<NodeId, Error> {
        self.create(document, text.len(), || Data::Text(text.to_owned()))
    }

    /// Creates a detached CDATA section of `document`.
    pub fn create_cdata(&mut self, document: NodeId, text: &str) -> Result<NodeId, Error> {
        self.create(document, text.len(), || Data::CData(text.to_owned()))
    }

    /// Creates a detached comment of `document`.
    pub fn create_comment(&mut self, document: NodeId, text: &str) -> Result<NodeId, Error> {
        self.create(document, text.len(), || Data::Comment(text.to_owned()))
    }

    /// Creates a detached processing instruction of `document`.
    pub fn create_instruction(
        &mut self,
        document: NodeId,
        target: &str,
        data: &str,
    ) -> Result<NodeId, Error> {
        self.create(document, target.len() + data.len(), || {
            Data::Instruction(Box::new(Instruction { target: target.into(), data: data.into() }))
        })
    }

    /// Creates a detached document type of `document`.
    pub fn create_doctype(
        &mut self,
        document: NodeId,
        name: &str,
        public_id: &str,
        system_id: &str,
    ) -> Result<NodeId, Error> {
        self.create(document, name.len() + public_id.len() + system_id.len(), || {
            Data::Doctype(Box::new(Doctype {
                name: name.into(),
                public_id: public_id.into(),
                system_id: system_id.into(),
            }))
        })
    }

    /// Creates an empty fragment of `document`.
    pub fn create_fragment(&mut self, document: NodeId) -> Result<NodeId, Error> {
        self.create(document, 0, || Data::Fragment(NIL))
    }

    /// Returns the kind and the quirks mode of the document that the node belongs to.
    pub fn kind_of_document(&self, id: NodeId) -> Result<(DocumentKind, Quirks), Error> {
        Ok(self.document_kind(self.document(id)?))
    }

    /// Returns true if the id names an existing node.
    pub fn exists(&self, id: NodeId) -> bool {
        self.slot(id).is_ok()
    }

    fn create(
        &mut self,
        document: NodeId,
        bytes: usize,
        data: impl FnOnce() -> Data,
    ) -> Result<NodeId, Error> {
        let document = self.document(document)?;
        // Checks the budget before copying: the guest chose the length of the text.
        self.account.charge(bytes)?;
        self.account.refund(bytes);
        let slot = self.allocate(data(), document)?;
        Ok(self.id(slot))
    }

    /// Returns the slot of the document that the node belongs to.
    pub(crate) fn document(&self, id: NodeId) -> Result<u32, Error> {
        let slot = self.slot(id)?;
        Ok(self.document_of(slot))
    }

    /// Returns the slot that an id names, or an error if the node no longer exists.
    #[inline]
    pub(crate) fn slot(&self, id: NodeId) -> Result<u32, Error> {
        match self.nodes.get(id.slot as usize) {
            Some(node)
                if node.generation == id.generation && !matches!(node.data, Data::Free(_)) =>
            {
                Ok(id.slot)
            }
            _ => Err(Error::gone()),
        }
    }

    #[inline]
    pub(crate) fn id(&self, slot: u32) -> NodeId {
        NodeId { slot, generation: self.nodes[slot as usize].generation }
    }

    pub(crate) fn maybe_id(&self, slot: u32) -> Option<NodeId> {
        (slot != NIL).then(|| self.id(slot))
    }

    #[inline]
    pub(crate) fn node(&self, slot: u32) -> &Node {
        &self.nodes[slot as usize]
    }

    #[inline]
    pub(crate) fn node_mut(&mut self, slot: u32) -> &mut Node {
        &mut self.nodes[slot as usize]
    }

    pub(crate) fn kind_at(&self, slot: u32) -> NodeKind {
        self.node(slot).data.kind().unwrap_or(NodeKind::Fragment)
    }

    pub(crate) fn element(&self, slot: u32) -> Option<&Element> {
        match &self.node(slot).data {
            Data::Element(element) => Some(element),
            _ => None,
        }
    }

    pub(crate) fn element_mut(&mut self, slot: u32) -> Option<&mut Element> {
        match &mut self.node_mut(slot).data {
            Data::Element(element) => Some(element),
            _ => None,
        }
    }

    /// Returns the document that the node belongs to.
    pub(crate) fn document_of(&self, slot: u32) -> u32 {
        let mut root = self.root_of(slot);
        // A shadow tree belongs to the document of its host, which can move.
        while let Some(host) = self.shadow_host_at(root) {
            root = self.root_of(host);
        }
        self.node(root).document
    }

    pub(crate) fn root_of(&self, mut slot: u32) -> u32 {
        loop {
            match self.node(slot).parent {
                NIL => return slot,
                parent => slot = parent,
            }
        }
    }

    pub(crate) fn document_kind(&self, document: u32) -> (DocumentKind, Quirks) {
        match self.nodes.get(document as usize).map(|node| &node.data) {
            Some(Data::Document(kind, quirks)) => (*kind, *quirks),
            _ => (DocumentKind::Html, Quirks::None),
        }
    }

    pub(crate) fn is_html_document(&self, document: u32) -> bool {
        self.document_kind(document).0 == DocumentKind::Html
    }

    /// Creates a node of any kind except a template.
    pub(crate) fn allocate(&mut self, data: Data, document: u32) -> Result<u32, Error> {
        self.account.charge_node(size_of::<Node>() + data.bytes())?;
        self.made = self.made.saturating_add(1);
        let node = Node {
            parent: NIL,
            previous: NIL,
            next: NIL,
            first: NIL,
            last: NIL,
            document,
            generation: 1,
            pins: 0,
            data,
        };
        if self.free == NIL {
            self.nodes.push(node);
            return Ok(self.nodes.len() as u32 - 1);
        }
        let slot = self.free;
        let old = self.node_mut(slot);
        let generation = old.generation;
        let next = match old.data {
            Data::Free(next) => next,
            _ => NIL,
        };
        *old = Node { generation, ..node };
        self.free = next;
        Ok(slot)
    }

    /// Reserves room for nodes that are likely to follow, within the budget.
    pub(crate) fn expect_nodes(&mut self, nodes: usize) {
        let left = self.account.budget.nodes.saturating_sub(self.account.used.nodes) as usize;
        let bytes = self.account.budget.bytes.saturating_sub(self.account.used.bytes);
        self.nodes.reserve(nodes.min(left).min(bytes / size_of::<Node>()));
    }

    /// Creates an element, together with its contents if it is a template.
    pub(crate) fn make_element(
        &mut self,
        name: QualName,
        attributes: Vec<crate::node::Attribute>,
        document: u32,
    ) -> Result<u32, Error> {
        let template = name.expanded() == expanded_name!(html "template");
        let element = Element {
            name,
            attributes,
            contents: NIL,
            html_integration: false,
            ticked: Ticked::ByAttribute,
            custom: Custom::Unknown,
        };
        let slot = self.allocate(Data::Element(element), document)?;
        if template {
            let contents = match self.allocate(Data::Fragment(slot), document) {
                Ok(contents) => contents,
                Err(error) => {
                    self.release(slot);
                    return Err(error);
                }
            };
            if let Some(element) = self.element_mut(slot) {
                element.contents = contents;
            }
        }
        Ok(slot)
    }

    /// Frees the slot. The caller has unlinked the node and also frees its children.
    pub(crate) fn release(&mut self, slot: u32) {
        let free = self.free;
        let node = &mut self.nodes[slot as usize];
        let bytes = size_of::<Node>() + node.data.bytes();
        let worn = node.generation >= LAST_GENERATION;
        node.data = Data::Free(if worn { NIL } else { free });
        node.generation += 1;
        node.pins = 0;
        (node.parent, node.previous, node.next) = (NIL, NIL, NIL);
        (node.first, node.last, node.document) = (NIL, NIL, NIL);
        if !worn {
            self.free = slot;
        }
        self.account.refund(bytes);
        self.account.used.nodes = self.account.used.nodes.saturating_sub(1);
    }

    /// Records a change that a query could observe.
    #[inline]
    pub(crate) fn touch(&mut self) {
        self.version += 1;
    }

    /// Records a change that leaves every node where it is.
    #[inline]
    pub(crate) fn touch_still(&mut self) {
        self.touch();
        self.still += 1;
    }
}

/// Returns a name in the HTML namespace.
pub fn html_name(local: &str) -> QualName {
    QualName::new(None, ns!(html), html5ever::LocalName::from(local))
}

/// Returns a name without a namespace, as most attributes have.
pub(crate) fn plain_name(local: &str) -> QualName {
    QualName::new(None, ns!(), html5ever::LocalName::from(local))
}

pub(crate) fn is_html(name: &QualName, local: &html5ever::LocalName) -> bool {
    name.ns == ns!(html) && name.local == *local
}
