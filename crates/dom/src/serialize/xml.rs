//! Serialisation to XML, which declares the namespaces that names need.

use super::is_void;
use crate::error::Error;
use crate::node::{Attribute, Data, Element, NIL, NodeId};
use crate::tree::Tree;
use html5ever::{Namespace, Prefix, ns};

impl Tree {
    /// Returns the XML of a node and its descendants.
    pub fn outer_xml(&self, id: NodeId) -> Result<String, Error> {
        let root = self.slot(id)?;
        let mut writer = Writer { tree: self, out: String::new(), scope: Scope::default() };
        writer.write(root);
        Ok(writer.out)
    }
}

/// The mapping of prefixes to namespaces at the writer's position, as the standard for DOM parsing
/// keeps it.
struct Scope {
    /// Prefixes by namespace, in the order of their declarations.
    declared: Vec<(Namespace, Prefix)>,
    /// The namespace that a name without a prefix has here.
    inherited: Namespace,
    /// For each open element: the number of declarations before it, the namespace that it inherited
    /// and its tag.
    open: Vec<(usize, Namespace, String)>,
    made: u32,
}

impl Default for Scope {
    fn default() -> Scope {
        let declared = vec![(ns!(xml), Prefix::from("xml"))];
        Scope { declared, inherited: ns!(), open: Vec::new(), made: 0 }
    }
}

impl Scope {
    fn has(&self, prefix: &str, namespace: &str) -> bool {
        self.declared.iter().any(|(ns, p)| **ns == *namespace && **p == *prefix)
    }

    /// Returns the wanted prefix if it is bound to `namespace`, or else the last one that is.
    fn prefix(&self, namespace: &Namespace, wanted: Option<&Prefix>) -> Option<Prefix> {
        let mut last = None;
        for (_, prefix) in self.declared.iter().filter(|(ns, _)| ns == namespace) {
            if Some(prefix) == wanted {
                return Some(prefix.clone());
            }
            last = Some(prefix);
        }
        last.cloned()
    }

    fn declare(&mut self, prefix: Prefix, namespace: Namespace) {
        self.declared.push((namespace, prefix));
    }

    fn make(&mut self, namespace: &Namespace) -> Prefix {
        self.made += 1;
        let prefix = Prefix::from(format!("ns{}", self.made));
        self.declare(prefix.clone(), namespace.clone());
        prefix
    }
}

/// Declarations that an element makes itself.
struct Local {
    prefixes: Vec<(Prefix, Namespace)>,
    default: Option<Namespace>,
    /// False if the declaration of the default namespace contradicts the element or repeats it.
    keeps_default: bool,
}

impl Local {
    fn namespace(&self, prefix: &str) -> Option<&Namespace> {
        self.prefixes.iter().find(|(p, _)| **p == *prefix).map(|(_, ns)| ns)
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
        let (outer, inherited) = (self.scope.declared.len(), self.scope.inherited.clone());
        let mut local = self.record(element);
        let (name, namespace) = (&element.name, &element.name.ns);
        let qualified = |prefix: &str| format!("{prefix}:{}", name.local);
        let plain = || name.local.to_string();
        let mut added = None;
        let tag = if inherited == *namespace {
            local.keeps_default = local.default.is_none();
            if *namespace == ns!(xml) { qualified("xml") } else { plain() }
        } else if let Some(known) = self.scope.prefix(namespace, name.prefix.as_ref()) {
            if let Some(default) = local.default.as_ref().filter(|ns| **ns != ns!(xml)) {
                self.scope.inherited = default.clone();
            }
            qualified(&known)
        } else if let Some(own) = name.prefix.as_ref().filter(|_| *namespace != ns!()) {
            let prefix = if local.namespace(own).is_some() {
                self.scope.make(namespace)
            } else {
                self.scope.declare(own.clone(), namespace.clone());
                own.clone()
            };
            if let Some(default) = &local.default {
                self.scope.inherited = default.clone();
            }
            let tag = qualified(&prefix);
            added = Some(Some(prefix));
            tag
        } else {
            if local.default.as_ref() != Some(namespace) {
                local.keeps_default = false;
                added = Some(None);
            }
            self.scope.inherited = namespace.clone();
            plain()
        };
        self.out.push('<');
        self.out.push_str(&tag);
        if let Some(prefix) = added {
            self.declaration(prefix.as_deref(), namespace);
        }
        self.attributes(element, &local);
        let void = *namespace == ns!(html) && is_void(&name.local);
        if empty && (void || *namespace != ns!(html)) {
            self.out.push_str(if void { " />" } else { "/>" });
            self.scope.open.push((outer, inherited, String::new()));
        } else {
            self.out.push('>');
            self.scope.open.push((outer, inherited, tag));
        }
    }

    /// Brings the declarations of an element into scope.
    fn record(&mut self, element: &Element) -> Local {
        let mut local = Local { prefixes: Vec::new(), default: None, keeps_default: true };
        for attribute in element.attributes.iter().filter(|a| a.name.ns == ns!(xmlns)) {
            let namespace = Namespace::from(&*attribute.value);
            if attribute.name.prefix.is_none() {
                local.default = Some(namespace);
            } else if namespace != ns!(xml) && !self.scope.has(&attribute.name.local, &namespace) {
                let prefix = Prefix::from(&*attribute.name.local);
                self.scope.declare(prefix.clone(), namespace.clone());
                local.prefixes.push((prefix, namespace));
            }
        }
        local
    }

    fn attributes(&mut self, element: &Element, local: &Local) {
        for attribute in &element.attributes {
            let name = &attribute.name;
            let prefix = if name.ns == ns!() {
                None
            } else if name.ns == ns!(xmlns) {
                if *attribute.value == *ns!(xml) || self.is_redundant(attribute, local) {
                    continue;
                }
                name.prefix.as_ref().map(|_| Prefix::from("xmlns"))
            } else if let Some(known) = self.scope.prefix(&name.ns, name.prefix.as_ref()) {
                Some(known)
            } else {
                let prefix = self.scope.make(&name.ns);
                self.declaration(Some(&prefix), &name.ns);
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

    /// Returns true for a declaration that is in scope already, or that must not be.
    fn is_redundant(&self, declaration: &Attribute, local: &Local) -> bool {
        let name = &declaration.name;
        if name.prefix.is_none() {
            return !local.keeps_default;
        }
        let is_own = local.namespace(&name.local).is_some_and(|ns| **ns == *declaration.value);
        !is_own && self.scope.has(&name.local, &declaration.value)
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
        let Some((outer, inherited, tag)) = self.scope.open.pop() else { return };
        if !tag.is_empty() {
            self.out.push_str("</");
            self.out.push_str(&tag);
            self.out.push('>');
        }
        self.scope.declared.truncate(outer);
        self.scope.inherited = inherited;
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
