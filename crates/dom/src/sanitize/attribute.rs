//! The check of a single attribute: its name, and its value if it is an address.

use super::lists::{clobbers, is_address, is_for, is_global};
use crate::node::Element;
use html5ever::ns;

/// Returns true if an element may have this attribute with this value. `name` is in lower case.
pub(crate) fn takes(element: &Element, name: &str, value: &str) -> bool {
    let local = &*element.name.local;
    if element.name.ns != ns!(html) {
        return false;
    }
    if is_address(local, name) {
        return match loading(local, name) {
            Loading::OnClick => is_harmless_address(value),
            Loading::OnDisplay => is_near(value) || is_picture(value),
            Loading::WithInput => is_near(value),
        };
    }
    if matches!(name, "id" | "name") && clobbers(value.trim()) {
        return false;
    }
    let family = (name.starts_with("aria-") || name.starts_with("data-"))
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'));
    family || is_global(name) || is_for(local, name)
}

/// The moment at which a page contacts an address, and the data it sends.
enum Loading {
    /// When a person follows a link.
    OnClick,
    /// When the page is displayed, which already sends whatever the address contains.
    OnDisplay,
    /// When a form is submitted, together with the person's input.
    WithInput,
}

fn loading(local: &str, name: &str) -> Loading {
    match (local, name) {
        ("img", _) => Loading::OnDisplay,
        ("form", _) => Loading::WithInput,
        _ => Loading::OnClick,
    }
}

/// Returns true for relative addresses and for schemes that run nothing.
fn is_harmless_address(value: &str) -> bool {
    match scheme(&seen(value)) {
        Some((scheme, _)) => {
            ["http", "https", "mailto", "tel"].iter().any(|s| s.eq_ignore_ascii_case(scheme))
        }
        None => true,
    }
}

/// Returns true if the address is on the page's own origin.
fn is_near(value: &str) -> bool {
    let address = seen(value);
    let mut first = address.chars();
    let is_slash = |c: Option<char>| matches!(c, Some('/' | '\\'));
    let names_a_host = is_slash(first.next()) && is_slash(first.next());
    scheme(&address).is_none() && !names_a_host
}

/// Returns true if the address is an embedded raster image.
fn is_picture(value: &str) -> bool {
    const KINDS: [&str; 5] = ["image/png", "image/gif", "image/jpeg", "image/webp", "image/avif"];
    let address = seen(value).to_ascii_lowercase();
    let Some(("data", rest)) = scheme(&address) else { return false };
    KINDS.iter().any(|kind| rest.strip_prefix(kind).is_some_and(|r| r.starts_with([';', ','])))
}

/// Returns the address as browsers interpret it: without spaces and control characters, which
/// they skip before the scheme and partly inside it.
fn seen(value: &str) -> String {
    value.chars().filter(|c| *c > ' ' && !c.is_control()).collect()
}

fn scheme(address: &str) -> Option<(&str, &str)> {
    let end = address.find([':', '/', '?', '#', '\\'])?;
    address[end..].strip_prefix(':').map(|rest| (&address[..end], rest))
}
