//! The adapter through which html5ever and xml5ever build nodes of the arena.

use crate::copy::Cloning;
use crate::error::{Error, ErrorKind};
use crate::node::{Attribute, Data, Doctype, DocumentKind, Instruction, NIL, Quirks};
use crate::tree::{Tree, html_name};
use html5ever::interface::{ElemName, ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute as Parsed, LocalName, Namespace, QualName, local_name, ns};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};

/// Treatment of nodes beyond the deepest level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Deep {
    /// Attaches nodes at the deepest allowed level, as browsers do.
    Flatten,
    /// Ends the parse with an error.
    Refuse,
}

/// Most nodes inside `select` elements that one parse visits.
///
/// The end of each option causes a search of its whole select, so a select with more than a few
/// thousand options shows none.
const MAX_LOOKS: usize = 4_000_000;

/// Receives nodes from a tree builder. After a failure it ignores all further calls.
pub(super) struct Sink<'t> {
    tree: RefCell<&'t mut Tree>,
    document: u32,
    /// The document of new nodes.
    owner: u32,
    deep: Deep,
    /// Level below which elements set `too_deep`.
    level: u32,
    pub(super) too_deep: Cell<bool>,
    /// Placeholder for every node that could not be created.
    pub(super) spill: u32,
    /// Remaining visits of nodes inside `select` elements.
    looks: Cell<usize>,
    /// The element created last.
    latest: Cell<u32>,
    pub(super) failure: RefCell<Option<Error>>,
    /// The first syntax error of the source.
    pub(super) complaint: RefCell<Option<Cow<'static, str>>>,
}

impl<'t> Sink<'t> {
    pub(super) fn new(
        tree: &'t mut Tree,
        document: u32,
        owner: u32,
        deep: Deep,
        level: u32,
    ) -> Result<Sink<'t>, Error> {
        let spill = tree.make_element(html_name("html"), Vec::new(), owner)?;
        Ok(Sink {
            tree: RefCell::new(tree),
            document,
            owner,
            deep,
            level,
            too_deep: Cell::new(false),
            spill,
            looks: Cell::new(MAX_LOOKS),
            latest: Cell::new(spill),
            failure: RefCell::new(None),
            complaint: RefCell::new(None),
        })
    }

    /// Inserts attributes before those of the element created last.
    pub(super) fn declare(&self, attributes: Vec<Parsed>) {
        let latest = self.latest.get();
        if self.failure.borrow().is_some() || latest == self.spill {
            return;
        }
        let mut tree = self.tree.borrow_mut();
        let attributes = taken(attributes);
        if let Err(error) = tree.account.charge(attributes.iter().map(Attribute::bytes).sum()) {
            return self.fail(error);
        }
        if let Some(element) = tree.element_mut(latest) {
            element.attributes.splice(0..0, attributes);
        }
    }

    fn fail(&self, error: Error) {
        self.failure.borrow_mut().get_or_insert(error);
    }

    fn made(&self, made: Result<u32, Error>) -> u32 {
        made.unwrap_or_else(|error| {
            self.fail(error);
            self.spill
        })
    }

    fn make(&self, bytes: usize, data: impl FnOnce() -> Data) -> u32 {
        if self.failure.borrow().is_some() {
            return self.spill;
        }
        let mut tree = self.tree.borrow_mut();
        let charged = tree.account.charge(bytes);
        let made = charged.and_then(|()| {
            tree.account.refund(bytes);
            tree.allocate(data(), self.owner)
        });
        self.made(made)
    }

    /// Inserts a node or text into `parent`, before `before`.
    fn put(&self, mut parent: u32, mut before: u32, child: NodeOrText<u32>) {
        if self.failure.borrow().is_some() {
            return;
        }
        let mut tree = self.tree.borrow_mut();
        let deepest = tree.account.budget.depth;
        let mut depth = tree.depth_of(parent, deepest) + 1;
        if depth >= deepest {
            match self.deep {
                Deep::Refuse => {
                    let text = format!("markup: more than {deepest} levels");
                    return self.fail(Error::new(ErrorKind::QuotaExceeded, text));
                }
                Deep::Flatten => {
                    while depth >= deepest && tree.host_or_parent(parent) != NIL {
                        parent = tree.host_or_parent(parent);
                        before = NIL;
                        depth -= 1;
                    }
                }
            }
        }
        match child {
            NodeOrText::AppendNode(node) => {
                let cycle = tree.node(node).first != NIL && tree.is_inside(parent, node);
                if node == self.spill || cycle {
                    return;
                }
                if depth > self.level && matches!(tree.node(node).data, Data::Element(_)) {
                    self.too_deep.set(true);
                }
                tree.unlink(node);
                tree.link(parent, node, before);
            }
            NodeOrText::AppendText(text) => {
                let previous = match before {
                    NIL => tree.node(parent).last,
                    before => tree.node(before).previous,
                };
                if previous != NIL && matches!(tree.node(previous).data, Data::Text(_)) {
                    if let Err(error) = tree.push_text(previous, &text) {
                        self.fail(error);
                    }
                    return;
                }
                let bytes = text.len();
                let made = tree.account.charge(bytes).and_then(|()| {
                    tree.account.refund(bytes);
                    tree.allocate(Data::Text(String::from(&*text)), self.owner)
                });
                match made {
                    Ok(node) => tree.link(parent, node, before),
                    Err(error) => self.fail(error),
                }
            }
        }
    }
}

/// The name of an element, owned because the tree changes while the name is in use.
#[derive(Debug)]
pub(super) struct Name {
    namespace: Namespace,
    local: LocalName,
}

impl ElemName for Name {
    fn ns(&self) -> &Namespace {
        &self.namespace
    }

    fn local_name(&self) -> &LocalName {
        &self.local
    }
}

fn taken(attributes: Vec<Parsed>) -> Vec<Attribute> {
    attributes
        .into_iter()
        .map(|a| Attribute { name: a.name, value: Box::from(&*a.value) })
        .collect()
}

impl TreeSink for Sink<'_> {
    type Handle = u32;
    type Output = Self;
    type ElemName<'a>
        = Name
    where
        Self: 'a;

    fn finish(self) -> Self {
        self
    }

    fn parse_error(&self, message: Cow<'static, str>) {
        self.complaint.borrow_mut().get_or_insert(message);
    }

    fn get_document(&self) -> u32 {
        self.document
    }

    fn elem_name<'a>(&'a self, target: &'a u32) -> Name {
        match self.tree.borrow().element(*target) {
            Some(e) => Name { namespace: e.name.ns.clone(), local: e.name.local.clone() },
            None => Name { namespace: ns!(), local: local_name!("") },
        }
    }

    fn create_element(&self, name: QualName, attrs: Vec<Parsed>, flags: ElementFlags) -> u32 {
        if self.failure.borrow().is_some() {
            return self.spill;
        }
        let mut tree = self.tree.borrow_mut();
        let made = tree.make_element(name, taken(attrs), self.owner);
        if flags.mathml_annotation_xml_integration_point
            && let Ok(slot) = made
            && let Some(element) = tree.element_mut(slot)
        {
            element.html_integration = true;
        }
        let made = self.made(made);
        self.latest.set(made);
        made
    }

    fn create_comment(&self, text: StrTendril) -> u32 {
        self.make(text.len(), || Data::Comment(String::from(&*text)))
    }

    fn create_pi(&self, target: StrTendril, data: StrTendril) -> u32 {
        self.make(target.len() + data.len(), || {
            Data::Instruction(Box::new(Instruction {
                target: Box::from(&*target),
                data: String::from(&*data),
            }))
        })
    }

    fn append(&self, parent: &u32, child: NodeOrText<u32>) {
        self.put(*parent, NIL, child);
    }

    fn append_before_sibling(&self, sibling: &u32, child: NodeOrText<u32>) {
        let parent = self.tree.borrow().node(*sibling).parent;
        if parent != NIL {
            self.put(parent, *sibling, child);
        }
    }

    fn append_based_on_parent_node(&self, element: &u32, previous: &u32, child: NodeOrText<u32>) {
        if self.tree.borrow().node(*element).parent == NIL {
            self.append(previous, child);
        } else {
            self.append_before_sibling(element, child);
        }
    }

    fn append_doctype_to_document(&self, name: StrTendril, public: StrTendril, system: StrTendril) {
        let node = self.make(name.len() + public.len() + system.len(), || {
            Data::Doctype(Box::new(Doctype {
                name: Box::from(&*name),
                public_id: Box::from(&*public),
                system_id: Box::from(&*system),
            }))
        });
        self.put(self.document, NIL, NodeOrText::AppendNode(node));
    }

    fn get_template_contents(&self, target: &u32) -> u32 {
        match self.tree.borrow().element(*target) {
            Some(element) if element.template() != NIL => element.template(),
            _ => *target,
        }
    }

    fn same_node(&self, x: &u32, y: &u32) -> bool {
        x == y
    }

    fn set_quirks_mode(&self, mode: QuirksMode) {
        let quirks = match mode {
            QuirksMode::Quirks => Quirks::Full,
            QuirksMode::LimitedQuirks | QuirksMode::NoQuirks => Quirks::None,
        };
        if let Data::Document(DocumentKind::Html, old) =
            &mut self.tree.borrow_mut().node_mut(self.document).data
        {
            *old = quirks;
        }
    }

    fn add_attrs_if_missing(&self, target: &u32, attrs: Vec<Parsed>) {
        if self.failure.borrow().is_some() {
            return;
        }
        let mut tree = self.tree.borrow_mut();
        for attribute in taken(attrs) {
            let Some(element) = tree.element(*target) else { return };
            if element.attributes.iter().any(|a| a.name.expanded() == attribute.name.expanded()) {
                continue;
            }
            if let Err(error) = tree.account.charge(attribute.bytes()) {
                return self.fail(error);
            }
            tree.touch();
            if let Some(element) = tree.element_mut(*target) {
                element.attributes.push(attribute);
            }
        }
    }

    fn remove_from_parent(&self, target: &u32) {
        self.tree.borrow_mut().unlink(*target);
    }

    fn reparent_children(&self, node: &u32, new_parent: &u32) {
        let mut tree = self.tree.borrow_mut();
        if node == new_parent || tree.is_inside(*new_parent, *node) {
            return;
        }
        let mut child = tree.node(*node).first;
        while child != NIL {
            let next = tree.node(child).next;
            tree.unlink(child);
            tree.link(*new_parent, child, NIL);
            child = next;
        }
    }

    fn is_mathml_annotation_xml_integration_point(&self, handle: &u32) -> bool {
        self.tree.borrow().element(*handle).is_some_and(|element| element.html_integration)
    }

    fn maybe_clone_an_option_into_selectedcontent(&self, option: &u32) {
        if self.failure.borrow().is_some() {
            return;
        }
        let mut tree = self.tree.borrow_mut();
        let Some((from, to)) = shown_option(&tree, *option, &self.looks) else { return };
        tree.clear_children(to);
        let mut child = tree.node(from).first;
        while child != NIL {
            match tree.copy_at(child, Cloning::Deep, self.owner) {
                Ok(copy) => tree.link(to, copy, NIL),
                Err(error) => return self.fail(error),
            }
            child = tree.node(child).next;
        }
    }
}

/// Returns `option` and the element that displays it, if it is the selected option of its select.
fn shown_option(tree: &Tree, option: u32, looks: &Cell<usize>) -> Option<(u32, u32)> {
    let is = |slot: u32, local: &LocalName| {
        tree.element(slot).is_some_and(|e| e.name.ns == ns!(html) && e.name.local == *local)
    };
    let has =
        |slot: u32, local: &LocalName| tree.element(slot).is_some_and(|e| e.plain(local).is_some());
    let select = tree.ancestors_at(option).find(|&a| is(a, &local_name!("select")))?;
    if has(select, &local_name!("multiple")) {
        return None;
    }
    let shown = LocalName::from("selectedcontent");
    let (mut to, mut selected, mut first) = (None, None, None);
    for slot in tree.subtree_at(select) {
        looks.set(looks.get().checked_sub(1)?);
        if is(slot, &shown) {
            to = to.or(Some(slot));
        } else if is(slot, &local_name!("option")) {
            if has(slot, &local_name!("selected")) {
                selected = Some(slot);
            } else if !has(slot, &local_name!("disabled")) {
                first = first.or(Some(slot));
            }
        }
    }
    let to = to?;
    let chosen = selected.or(first);
    (chosen == Some(option) && !tree.is_inside(to, option)).then_some((option, to))
}
