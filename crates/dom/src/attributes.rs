//! Names and attributes of elements.

use crate::error::{Error, ErrorKind, shortened};
use crate::names::is_attribute_name;
use crate::node::{Attribute, Element, NodeId, qualified};
use crate::tree::{Tree, plain_name};
use html5ever::{LocalName, QualName, ns};
use std::borrow::Cow;

impl Tree {
    /// Returns the name of an element.
    pub fn element_name(&self, id: NodeId) -> Option<&QualName> {
        let slot = self.slot(id).ok()?;
        Some(&self.element(slot)?.name)
    }

    /// Returns the `tagName` of an element: in upper case for HTML elements of HTML documents.
    pub fn tag_name(&self, id: NodeId) -> Option<String> {
        let slot = self.slot(id).ok()?;
        let name = qualified(&self.element(slot)?.name);
        Some(if self.folds_case(slot) { name.to_ascii_uppercase() } else { name })
    }

    /// Returns the contents of a template.
    pub fn template_contents(&self, id: NodeId) -> Option<NodeId> {
        let slot = self.slot(id).ok()?;
        self.maybe_id(self.element(slot)?.template())
    }

    /// Returns the attributes in order; empty for nodes that are not elements.
    pub fn attributes(&self, id: NodeId) -> &[Attribute] {
        match self.slot(id).ok().and_then(|slot| self.element(slot)) {
            Some(element) => &element.attributes,
            None => &[],
        }
    }

    /// Returns the value of the attribute with this qualified name.
    pub fn attribute(&self, id: NodeId, name: &str) -> Option<&str> {
        let slot = self.slot(id).ok()?;
        let at = self.position(slot, &self.folded(slot, name))?;
        Some(&self.element(slot)?.attributes.get(at)?.value)
    }

    /// Returns the value of the attribute with this namespace and local name.
    pub fn attribute_ns(&self, id: NodeId, namespace: &str, local: &str) -> Option<&str> {
        self.attributes(id)
            .iter()
            .find(|a| a.namespace() == namespace && a.local_name() == local)
            .map(Attribute::value)
    }

    /// Sets the attribute with this qualified name.
    pub fn set_attribute(&mut self, id: NodeId, name: &str, value: &str) -> Result<(), Error> {
        if !is_attribute_name(name) {
            let text = format!("'{}': not a valid attribute name", shortened(name));
            return Err(Error::new(ErrorKind::InvalidCharacter, text));
        }
        let slot = self.element_slot(id)?;
        let name = self.folded(slot, name);
        match self.position(slot, &name) {
            Some(at) => self.overwrite(slot, at, value),
            None => self.add(slot, plain_name(&name), value),
        }
    }

    /// Sets the attribute with this namespace and local name; the prefix is not compared.
    pub fn set_attribute_ns(
        &mut self,
        id: NodeId,
        name: QualName,
        value: &str,
    ) -> Result<(), Error> {
        let slot = self.element_slot(id)?;
        let found = self.attributes(id).iter().position(|a| a.name.expanded() == name.expanded());
        match found {
            Some(at) => self.overwrite(slot, at, value),
            None => self.add(slot, name, value),
        }
    }

    /// Sets the attribute with this namespace and local name, and its prefix.
    pub fn put_attribute(&mut self, id: NodeId, name: QualName, value: &str) -> Result<(), Error> {
        self.set_attribute_ns(id, name.clone(), value)?;
        let slot = self.element_slot(id)?;
        let own = self.element_mut(slot).into_iter().flat_map(|e| e.attributes.iter_mut());
        for attribute in own.filter(|a| a.name.expanded() == name.expanded()) {
            attribute.name = name.clone();
        }
        Ok(())
    }

    /// Removes the attribute with this qualified name. Returns false if there was none.
    pub fn remove_attribute(&mut self, id: NodeId, name: &str) -> Result<bool, Error> {
        let slot = self.element_slot(id)?;
        let at = self.position(slot, &self.folded(slot, name));
        Ok(self.remove_at(slot, at))
    }

    /// Removes the attribute with this namespace and local name. Returns false if there was none.
    pub fn remove_attribute_ns(
        &mut self,
        id: NodeId,
        namespace: &str,
        local: &str,
    ) -> Result<bool, Error> {
        let slot = self.element_slot(id)?;
        let at = self
            .attributes(id)
            .iter()
            .position(|a| a.namespace() == namespace && a.local_name() == local);
        Ok(self.remove_at(slot, at))
    }

    /// Returns true if names are folded to lower case for this element.
    pub(crate) fn folds_case(&self, slot: u32) -> bool {
        self.element(slot).is_some_and(|element| element.name.ns == ns!(html))
            && self.is_html_document(self.document_of(slot))
    }

    fn folded<'a>(&self, slot: u32, name: &'a str) -> Cow<'a, str> {
        if name.bytes().any(|b| b.is_ascii_uppercase()) && self.folds_case(slot) {
            Cow::Owned(name.to_ascii_lowercase())
        } else {
            Cow::Borrowed(name)
        }
    }

    fn position(&self, slot: u32, name: &str) -> Option<usize> {
        self.element(slot)?.attributes.iter().position(|a| match a.prefix() {
            None | Some("") => a.local_name() == name,
            Some(prefix) => name
                .strip_prefix(prefix)
                .and_then(|rest| rest.strip_prefix(':'))
                .is_some_and(|local| local == a.local_name()),
        })
    }

    fn element_slot(&self, id: NodeId) -> Result<u32, Error> {
        let slot = self.slot(id)?;
        match self.element(slot) {
            Some(_) => Ok(slot),
            None => {
                Err(Error::new(ErrorKind::NotSupported, "attributes: the node is not an element"))
            }
        }
    }

    fn overwrite(&mut self, slot: u32, at: usize, value: &str) -> Result<(), Error> {
        self.account.charge(value.len())?;
        self.touch_still();
        if let Some(attribute) = self.element_mut(slot).and_then(|e| e.attributes.get_mut(at)) {
            let old = std::mem::replace(&mut attribute.value, value.into());
            self.account.refund(old.len());
        }
        Ok(())
    }

    fn add(&mut self, slot: u32, name: QualName, value: &str) -> Result<(), Error> {
        let bytes = size_of::<Attribute>() + value.len() + name.local.len();
        self.account.charge(bytes)?;
        self.touch_still();
        if let Some(element) = self.element_mut(slot) {
            element.attribute_changed(&name);
            element.attributes.push(Attribute { name, value: value.into() });
        }
        Ok(())
    }

    fn remove_at(&mut self, slot: u32, at: Option<usize>) -> bool {
        let (Some(at), Some(element)) = (at, self.element_mut(slot)) else {
            return false;
        };
        let old = element.attributes.remove(at);
        element.attribute_changed(&old.name);
        self.account.refund(old.bytes());
        self.touch_still();
        true
    }
}

impl Element {
    /// Returns the value of an attribute without a namespace.
    pub(crate) fn plain(&self, local: &LocalName) -> Option<&str> {
        self.attributes.iter().find(|a| a.is_plain(local)).map(Attribute::value)
    }
}
