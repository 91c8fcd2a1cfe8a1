//! Copies of elements, limited in size.

use crate::error::{Error, ErrorKind};
use crate::serialize::Part;
use crate::tree::Tree;
use html5ever::local_name;

/// Most bytes of all copies in one answer.
pub(super) const MAX_ANSWER: usize = 1024 * 1024;

/// Most bytes of text, and of HTML, in the copy of a single element.
pub(super) const MAX_SINGLE: usize = 64 * 1024;

/// Most bytes of text, and of HTML, in each copy of several elements.
pub(super) const MAX_EACH: usize = 4 * 1024;

/// A copy of an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// Names the element in later calls of the same run.
    pub handle: u32,
    /// The name, in lower case for HTML elements.
    pub tag: String,
    /// The id.
    pub id: Option<String>,
    /// The classes.
    pub classes: Vec<String>,
    /// Names and values of the attributes.
    pub attributes: Vec<(String, String)>,
    /// The text, possibly cut.
    pub text: String,
    /// The outer HTML, possibly cut.
    pub html: String,
    /// True if text or HTML was cut; both can be read through the handle.
    pub cut: bool,
}

/// Copies an element. `room` is the number of bytes left in the answer.
pub(super) fn copy(
    tree: &Tree,
    slot: u32,
    handle: u32,
    each: usize,
    room: &mut usize,
) -> Result<Snapshot, Error> {
    let Some(element) = tree.element(slot) else { return Err(Error::gone()) };
    let plain = |name| element.plain(&name);
    let attributes: usize = element.attributes.iter().map(|a| 2 * a.value.len() + 64).sum();
    let fixed = 128 + element.name.local.len() + attributes;
    *room = room.checked_sub(fixed).ok_or_else(too_long)?;
    let limit = each.min(*room / 2);
    let text = tree.text_below(slot, limit);
    let html = tree.write_html(slot, Part::Outer, limit);
    *room = room.saturating_sub(text.len() + html.text.len());
    Ok(Snapshot {
        handle,
        tag: element.name.local.to_string(),
        id: plain(local_name!("id")).map(str::to_owned),
        classes: plain(local_name!("class"))
            .unwrap_or_default()
            .split_ascii_whitespace()
            .map(str::to_owned)
            .collect(),
        attributes: element
            .attributes
            .iter()
            .map(|a| (a.qualified_name(), a.value.to_string()))
            .collect(),
        text,
        cut: !html.complete,
        html: html.text,
    })
}

pub(super) fn too_long() -> Error {
    let text = format!("answer: more than {MAX_ANSWER} bytes");
    Error::new(ErrorKind::QuotaExceeded, text)
}
