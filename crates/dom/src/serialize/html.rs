//! The HTML fragment serialising algorithm.

use super::{Markup, Part, is_void};
use crate::error::Error;
use crate::node::{Attribute, Data, Element, NIL, NodeId};
use crate::tree::Tree;
use html5ever::{LocalName, local_name, ns};

impl Tree {
    /// Returns the HTML of a node's descendants.
    pub fn inner_html(&self, id: NodeId) -> Result<String, Error> {
        Ok(self.write_html(self.slot(id)?, Part::Inner, usize::MAX).text)
    }

    /// Returns the HTML of a node and its descendants.
    pub fn outer_html(&self, id: NodeId) -> Result<String, Error> {
        Ok(self.write_html(self.slot(id)?, Part::Outer, usize::MAX).text)
    }

    /// Serialises to HTML, cut at a character boundary within `limit` bytes.
    pub(crate) fn write_html(&self, root: u32, part: Part, limit: usize) -> Markup {
        let mut out = String::new();
        let mut here = root;
        if part == Part::Outer {
            self.open(root, &mut out);
        }
        let root_has_content = part == Part::Inner || self.has_content(root);
        let mut down = root_has_content;
        loop {
            if out.len() > limit {
                out.truncate(out.floor_char_boundary(limit));
                return Markup { text: out, complete: false };
            }
            let first = if down { self.content(here) } else { NIL };
            if first != NIL {
                here = first;
                self.open(here, &mut out);
                down = self.has_content(here);
                continue;
            }
            // No children left: ascends to the next node that has a following sibling.
            loop {
                if here != root || part == Part::Outer {
                    self.close(here, &mut out);
                }
                if here == root {
                    let complete = out.len() <= limit;
                    out.truncate(out.floor_char_boundary(limit));
                    return Markup { text: out, complete };
                }
                let next = self.node(here).next;
                if next != NIL {
                    here = next;
                    self.open(here, &mut out);
                    down = self.has_content(here);
                    break;
                }
                here = self.node(here).parent;
                if here != root && matches!(self.node(here).data, Data::Fragment(_)) {
                    here = self.host_or_parent(here);
                }
            }
        }
    }

    /// Returns the first node that is written inside a node.
    fn content(&self, slot: u32) -> u32 {
        match &self.node(slot).data {
            Data::Element(element) if element.template() != NIL => {
                self.node(element.template()).first
            }
            _ => self.node(slot).first,
        }
    }

    fn has_content(&self, slot: u32) -> bool {
        match self.element(slot) {
            Some(element) => !(element.name.ns == ns!(html) && is_void(&element.name.local)),
            None => true,
        }
    }

    fn open(&self, slot: u32, out: &mut String) {
        match &self.node(slot).data {
            Data::Free(_) | Data::Document(..) | Data::Fragment(_) => {}
            Data::Element(element) => {
                out.push('<');
                out.push_str(&tag(element));
                for attribute in &element.attributes {
                    out.push(' ');
                    push_attribute_name(attribute, out);
                    out.push_str("=\"");
                    escape(&attribute.value, Place::Attribute, out);
                    out.push('"');
                }
                out.push('>');
            }
            Data::Text(text) | Data::CData(text) => {
                let parent = self.node(slot).parent;
                match parent != NIL && self.element(parent).is_some_and(is_raw) {
                    true => out.push_str(text),
                    false => escape(text, Place::Text, out),
                }
            }
            Data::Comment(text) => {
                out.push_str("<!--");
                out.push_str(text);
                out.push_str("-->");
            }
            Data::Instruction(instruction) => {
                out.push_str("<?");
                out.push_str(&instruction.target);
                out.push(' ');
                out.push_str(&instruction.data);
                out.push('>');
            }
            Data::Doctype(doctype) => {
                out.push_str("<!DOCTYPE ");
                out.push_str(&doctype.name);
                out.push('>');
            }
        }
    }

    fn close(&self, slot: u32, out: &mut String) {
        if let Some(element) = self.element(slot)
            && self.has_content(slot)
        {
            out.push_str("</");
            out.push_str(&tag(element));
            out.push('>');
        }
    }
}

/// Returns the tag of an element; HTML, SVG and MathML elements have no prefix.
fn tag(element: &Element) -> std::borrow::Cow<'_, str> {
    let name = &element.name;
    match name.prefix {
        None => (&*name.local).into(),
        Some(_) if [ns!(html), ns!(svg), ns!(mathml)].contains(&name.ns) => (&*name.local).into(),
        Some(_) => crate::node::qualified(name).into(),
    }
}

fn push_attribute_name(attribute: &Attribute, out: &mut String) {
    let name = &attribute.name;
    if name.ns == ns!() {
        // No prefix; a local name that a script has set may itself contain a colon.
    } else if name.ns == ns!(xml) {
        out.push_str("xml:");
    } else if name.ns == ns!(xmlns) {
        if name.local != local_name!("xmlns") {
            out.push_str("xmlns:");
        }
    } else if name.ns == ns!(xlink) {
        out.push_str("xlink:");
    } else if let Some(prefix) = &name.prefix
        && !prefix.is_empty()
    {
        out.push_str(prefix);
        out.push(':');
    }
    out.push_str(&name.local);
}

/// Returns true for elements whose text is not escaped. Scripting is off, so `noscript` is not
/// among them.
fn is_raw(element: &Element) -> bool {
    const RAW: [LocalName; 7] = [
        local_name!("style"),
        local_name!("script"),
        local_name!("xmp"),
        local_name!("iframe"),
        local_name!("noembed"),
        local_name!("noframes"),
        local_name!("plaintext"),
    ];
    element.name.ns == ns!(html) && RAW.contains(&element.name.local)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Text,
    Attribute,
}

fn escape(text: &str, place: Place, out: &mut String) {
    let mut rest = text;
    // 0xC2 starts the only escaped character beyond ASCII, the no-break space.
    while let Some(at) = rest.bytes().position(|b| matches!(b, b'&' | b'<' | b'>' | b'"' | 0xC2)) {
        out.push_str(&rest[..at]);
        let found = rest[at..].chars().next().unwrap_or_default();
        match found {
            '&' => out.push_str("&amp;"),
            '\u{A0}' => out.push_str("&nbsp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' if place == Place::Attribute => out.push_str("&quot;"),
            other => out.push(other),
        }
        rest = &rest[at + found.len_utf8()..];
    }
    out.push_str(rest);
}
