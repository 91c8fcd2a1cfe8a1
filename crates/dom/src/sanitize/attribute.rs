use super::lists::{clobbers, is_address, is_for, is_global};
use crate::node::Element;
use html5ever::ns;

/// Whether an element may get an attribute with a value. `name` is in lower case.
pub(crate) fn takes(element: &Element, name: &str, value: &str) -> bool {
    let local = &*element.name.local;
    if element.name.ns != ns!(html) {
        return false;
    }
    if is_address(local, name) {
        return is_harmless_address(value, local == "img");
    }
    if matches!(name, "id" | "name") && clobbers(value.trim()) {
        return false;
    }
    let family = (name.starts_with("aria-") || name.starts_with("data-"))
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'));
    family || is_global(name) || is_for(local, name)
}

/// Relative addresses, and those of schemes that run nothing.
fn is_harmless_address(value: &str, image: bool) -> bool {
    // Browsers skip these anywhere in front of the scheme, and some of them inside it.
    let address: String = value.chars().filter(|c| *c > ' ' && !c.is_control()).collect();
    let Some(end) = address.find([':', '/', '?', '#', '\\']) else { return true };
    if !address[end..].starts_with(':') {
        return true;
    }
    let (scheme, rest) = (address[..end].to_ascii_lowercase(), &address[end + 1..]);
    match &*scheme {
        "http" | "https" | "mailto" | "tel" => true,
        "data" if image => {
            let rest = rest.to_ascii_lowercase();
            ["image/png", "image/gif", "image/jpeg", "image/webp", "image/avif"].iter().any(
                |kind| rest.strip_prefix(kind).is_some_and(|rest| rest.starts_with([';', ','])),
            )
        }
        _ => false,
    }
}
