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
        return match leads(local, name) {
            Leads::WhenAsked => is_harmless_address(value),
            Leads::AtOnce => is_near(value) || is_picture(value),
            Leads::WithWhatIsTyped => is_near(value),
        };
    }
    if matches!(name, "id" | "name") && clobbers(value.trim()) {
        return false;
    }
    let family = (name.starts_with("aria-") || name.starts_with("data-"))
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'));
    family || is_global(name) || is_for(local, name)
}

/// When a page goes to an address, and what it takes along.
enum Leads {
    /// When somebody follows a link.
    WhenAsked,
    /// When it is shown: what is in the address has left then.
    AtOnce,
    /// With what a person types into a form.
    WithWhatIsTyped,
}

fn leads(local: &str, name: &str) -> Leads {
    match (local, name) {
        ("img", _) => Leads::AtOnce,
        ("form", _) => Leads::WithWhatIsTyped,
        _ => Leads::WhenAsked,
    }
}

/// Relative addresses, and those of schemes that run nothing.
fn is_harmless_address(value: &str) -> bool {
    match scheme(&seen(value)) {
        Some((scheme, _)) => {
            ["http", "https", "mailto", "tel"].iter().any(|s| s.eq_ignore_ascii_case(scheme))
        }
        None => true,
    }
}

/// Whether an address is where the page itself is from.
fn is_near(value: &str) -> bool {
    let address = seen(value);
    let mut first = address.chars();
    let is_slash = |c: Option<char>| matches!(c, Some('/' | '\\'));
    let names_a_host = is_slash(first.next()) && is_slash(first.next());
    scheme(&address).is_none() && !names_a_host
}

/// Whether an address is a picture by itself.
fn is_picture(value: &str) -> bool {
    const KINDS: [&str; 5] = ["image/png", "image/gif", "image/jpeg", "image/webp", "image/avif"];
    let address = seen(value).to_ascii_lowercase();
    let Some(("data", rest)) = scheme(&address) else { return false };
    KINDS.iter().any(|kind| rest.strip_prefix(kind).is_some_and(|r| r.starts_with([';', ','])))
}

/// An address as browsers see it: these are skipped in front of the scheme, and some inside it.
fn seen(value: &str) -> String {
    value.chars().filter(|c| *c > ' ' && !c.is_control()).collect()
}

fn scheme(address: &str) -> Option<(&str, &str)> {
    let end = address.find([':', '/', '?', '#', '\\'])?;
    address[end..].strip_prefix(':').map(|rest| (&address[..end], rest))
}
