//! Serialisation to XML, which declares the namespaces that names need.

use super::is_void;
use crate::error::Error;
use crate::node::{Data, Element, NIL, NodeId};
use crate::tree::Tree;
use html5ever::{Namespace, Prefix, local_name, ns};

impl Tree {
    /// Returns the XML of a node and its descendants.
    pub fn outer_xml(&self, id: NodeId) -> Result<String, Error> {
        let root = self.slot(id)?;
        let mut writer = Writer { tree: self, out: String::new(), scope: Scope::default() };
        writer.write(root);
        Ok(writer.out)
    }
}

/// The mapping of prefixes to namespaces at the writer's position.
#[derive(Default)]
struct Scope {
    declared: Vec<(Option<Prefix>, Namespace)>,
    /// Number of declarations that were in scope before each open element.
    outer: Vec<usize>,
    /// The tags of the open elements.
    tags: Vec<String>,
    made: u32,
}

impl Scope {
    fn namespace(&self, prefix: Option<&Prefix>) -> Namespace {
        let found = self.declared.iter().rev().find(|(p, _)| p.as_ref() == prefix);
        match (found, prefix) {
            (Some((_, namespace)), _) => namespace.clone(),
            (None, Some(prefix)) if **prefix == *"xml" => ns!(xml),
            (None, _) => ns!(),
        }
    }

    /// Returns a prefix that is bound to `namespace` here.
    fn prefix(&self, namespace: &Namespace) -> Option<Prefix> {
        if *namespace == ns!(xml) {
            return Some(Prefix::from("xml"));
        }
        self.declared
            .iter()
            .rev()
            .filter_map(|(prefix, ns)| (ns == namespace).then_some(prefix.as_ref()?))
            .find(|prefix| self.namespace(Some(prefix)) == *namespace)
            .cloned()
    }

    fn declare(&mut self, prefix: Option<Prefix>, namespace: Namespace) {
        self.declared.push((prefix, namespace));
    }

    fn make(&mut self) -> Prefix {
        self.made += 1;
        Prefix::from(format!("ns{}", self.made))
    }
}

struct Writer<'a> {
    tree: &'a Tree,
    out: String,
    scope: Scope,
}

impl Writer<'_> {
    fn write(&mut self, root: u32) {
        let mut here = root;
        loop {
            self.open(here);
            let first = self.content(here);
            if first != NIL {
                here = first;
                continue;
            }
            loop {
                self.close(here);
                if here == root {
                    return;
                }
                let next = self.tree.node(here).next;
                if next != NIL {
                    here = next;
                    break;
                }
                here = self.tree.node(here).parent;
                if here != root && matches!(self.tree.node(here).data, Data::Fragment(_)) {
                    here = self.tree.host_or_parent(here);
                }
            }
        }
    }

    fn content(&self, slot: u32) -> u32 {
        match self.tree.element(slot) {
            Some(element) if element.template() != NIL => self.tree.node(element.template()).first,
            _ => self.tree.node(slot).first,
        }
    }

    fn open(&mut self, slot: u32) {
        let tree = self.tree;
        match &tree.node(slot).data {
            Data::Free(_) | Data::Document(..) | Data::Fragment(_) => {}
            Data::Element(element) => self.open_element(element, self.content(slot) == NIL),
            Data::Text(text) => escape(text, &mut self.out),
            Data::CData(text) => {
                self.out.push_str("<![CDATA[");
                self.out.push_str(text);
                self.out.push_str("]]>");
            }
            Data::Comment(text) => {
                self.out.push_str("<!--");
                self.out.push_str(text);
                self.out.push_str("-->");
            }
            Data::Instruction(instruction) => {
                self.out.push_str("<?");
                self.out.push_str(&instruction.target);
                self.out.push(' ');
                self.out.push_str(&instruction.data);
                self.out.push_str("?>");
            }
            Data::Doctype(doctype) => {
                self.out.push_str("<!DOCTYPE ");
                self.out.push_str(&doctype.name);
                match (&*doctype.public_id, &*doctype.system_id) {
                    ("", "") => {}
                    ("", system) => self.out.push_str(&format!(" SYSTEM \"{system}\"")),
                    (public, "") => self.out.push_str(&format!(" PUBLIC \"{public}\"")),
                    (public, system) => {
                        self.out.push_str(&format!(" PUBLIC \"{public}\" \"{system}\""));
                    }
                }
                self.out.push('>');
            }
        }
    }

    fn open_element(&mut self, element: &Element, empty: bool) {
        let outer_default = self.scope.namespace(None);
        self.scope.outer.push(self.scope.declared.len());
        let name = &element.name;
        let mut own_default = None;
        for attribute in element.attributes.iter().filter(|a| a.name.ns == ns!(xmlns)) {
            let namespace = Namespace::from(&*attribute.value);
            if attribute.name.prefix.is_none() {
                own_default = Some(namespace);
            } else {
                let prefix = Prefix::from(&*attribute.name.local);
                self.scope.declare(Some(prefix), namespace);
            }
        }
        let mut added = Vec::new();
        let prefix = if name.prefix.is_none()
            && (name.ns == outer_default || own_default.as_ref() == Some(&name.ns))
        {
            None
        } else if name.ns == ns!(xml) {
            Some(Prefix::from("xml"))
        } else if let Some(own) = &name.prefix
            && self.scope.namespace(Some(own)) == name.ns
        {
            Some(own.clone())
        } else if name.ns != ns!()
            && let Some(known) = self.scope.prefix(&name.ns)
        {
            Some(known)
        } else if let Some(own) = &name.prefix
            && name.ns != ns!()
        {
            let taken = self.scope.declared[self.scope.outer.last().copied().unwrap_or(0)..]
                .iter()
                .any(|(p, _)| p.as_ref() == Some(own));
            let prefix = if taken { self.scope.make() } else { own.clone() };
            added.push((Some(prefix.clone()), name.ns.clone()));
            Some(prefix)
        } else {
            added.push((None, name.ns.clone()));
            None
        };
        // The element's own default namespace applies to its children, unless its name contradicts
        // it.
        let mut keeps_default = true;
        if prefix.is_none() {
            keeps_default = own_default.as_ref().is_none_or(|own| *own == name.ns);
            self.scope.declare(None, name.ns.clone());
        } else if let Some(own) = own_default {
            self.scope.declare(None, own);
        }
        for (prefix, namespace) in &added {
            if prefix.is_some() {
                self.scope.declare(prefix.clone(), namespace.clone());
            }
        }
        let tag = match &prefix {
            None => name.local.to_string(),
            Some(prefix) => format!("{prefix}:{}", name.local),
        };
        self.out.push('<');
        self.out.push_str(&tag);
        for (prefix, namespace) in added {
            self.declaration(prefix.as_deref(), &namespace);
        }
        self.attributes(element, keeps_default);
        let void = name.ns == ns!(html) && is_void(&name.local);
        if empty && (void || name.ns != ns!(html)) {
            self.out.push_str(if void { " />" } else { "/>" });
            self.scope.tags.push(String::new());
        } else {
            self.out.push('>');
            self.scope.tags.push(tag);
        }
    }

    fn attributes(&mut self, element: &Element, keeps_default: bool) {
        for attribute in &element.attributes {
            let name = &attribute.name;
            let prefix = if name.ns == ns!() {
                None
            } else if name.ns == ns!(xmlns) {
                if name.prefix.is_none() && !keeps_default {
                    continue;
                }
                (name.local != local_name!("xmlns")).then(|| Prefix::from("xmlns"))
            } else if let Some(own) = &name.prefix
                && self.scope.namespace(Some(own)) == name.ns
            {
                Some(own.clone())
            } else if let Some(known) = self.scope.prefix(&name.ns) {
                Some(known)
            } else {
                let free = |own: &&Prefix| self.scope.namespace(Some(own)) == ns!();
                let prefix = match name.prefix.as_ref().filter(free) {
                    Some(own) => own.clone(),
                    None => self.scope.make(),
                };
                self.declaration(Some(&prefix), &name.ns);
                self.scope.declare(Some(prefix.clone()), name.ns.clone());
                Some(prefix)
            };
            self.out.push(' ');
            if let Some(prefix) = prefix {
                self.out.push_str(&prefix);
                self.out.push(':');
            }
            self.out.push_str(&name.local);
            self.out.push_str("=\"");
            escape_attribute(&attribute.value, &mut self.out);
            self.out.push('"');
        }
    }

    fn declaration(&mut self, prefix: Option<&str>, namespace: &str) {
        self.out.push_str(" xmlns");
        if let Some(prefix) = prefix {
            self.out.push(':');
            self.out.push_str(prefix);
        }
        self.out.push_str("=\"");
        escape_attribute(namespace, &mut self.out);
        self.out.push('"');
    }

    fn close(&mut self, slot: u32) {
        if self.tree.element(slot).is_none() {
            return;
        }
        let tag = self.scope.tags.pop().unwrap_or_default();
        if !tag.is_empty() {
            self.out.push_str("</");
            self.out.push_str(&tag);
            self.out.push('>');
        }
        let outer = self.scope.outer.pop().unwrap_or(0);
        self.scope.declared.truncate(outer);
    }
}

fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            c => out.push(c),
        }
    }
}

fn escape_attribute(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' => out.push_str("&#9;"),
            '\n' => out.push_str("&#xA;"),
            '\r' => out.push_str("&#xD;"),
            c => out.push(c),
        }
    }
}
