//! Pseudo-classes other than the structural ones.
//!
//! A document here is never displayed or pointed at. Pseudo-classes that depend on that are
//! accepted but never match.

use crate::node::Element;
use crate::tree::{Tree, is_html};
use cssparser::ToCss;
use html5ever::{LocalName, local_name, ns};
use selectors::parser::{NonTSPseudoClass, PseudoElement as Pseudo};
use std::fmt;

macro_rules! classes {
    ($($variant:ident $name:literal,)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum PseudoClass { $($variant,)* }

        impl PseudoClass {
            pub(crate) fn named(name: &str) -> Option<PseudoClass> {
                $(if name.eq_ignore_ascii_case($name) { return Some(PseudoClass::$variant); })*
                None
            }

            fn name(self) -> &'static str {
                match self { $(PseudoClass::$variant => $name,)* }
            }
        }
    };
}

classes! {
    Active "active",
    AnyLink "any-link",
    Checked "checked",
    Defined "defined",
    Disabled "disabled",
    Enabled "enabled",
    Focus "focus",
    FocusVisible "focus-visible",
    FocusWithin "focus-within",
    Hover "hover",
    Indeterminate "indeterminate",
    Link "link",
    Optional "optional",
    PlaceholderShown "placeholder-shown",
    ReadOnly "read-only",
    ReadWrite "read-write",
    Required "required",
    Target "target",
    Visited "visited",
}

impl PseudoClass {
    pub(crate) fn matches(self, tree: &Tree, slot: u32, boundary: u32) -> bool {
        let Some(element) = tree.element(slot) else { return false };
        match self {
            PseudoClass::Active
            | PseudoClass::Focus
            | PseudoClass::FocusVisible
            | PseudoClass::FocusWithin
            | PseudoClass::Hover
            | PseudoClass::Indeterminate
            | PseudoClass::Target
            | PseudoClass::Visited => false,
            PseudoClass::AnyLink | PseudoClass::Link => is_link(element),
            PseudoClass::Defined => true,
            PseudoClass::Checked => is_checked(element),
            PseudoClass::Disabled => is_disabled(tree, slot, boundary),
            PseudoClass::Enabled => can_be_disabled(element) && !is_disabled(tree, slot, boundary),
            PseudoClass::Required => can_be_required(element) && has(element, "required"),
            PseudoClass::Optional => can_be_required(element) && !has(element, "required"),
            PseudoClass::PlaceholderShown => {
                has(element, "placeholder")
                    && element.plain(&local_name!("value")).is_none_or(str::is_empty)
            }
            PseudoClass::ReadWrite => is_editable(tree, slot, boundary),
            PseudoClass::ReadOnly => !is_editable(tree, slot, boundary),
        }
    }
}

fn has(element: &Element, name: &str) -> bool {
    element.plain(&LocalName::from(name)).is_some()
}

fn is(element: &Element, names: &[LocalName]) -> bool {
    element.name.ns == ns!(html) && names.contains(&element.name.local)
}

pub(crate) fn is_link(element: &Element) -> bool {
    is(element, &[local_name!("a"), local_name!("area")])
        && element.plain(&local_name!("href")).is_some()
}

fn is_checked(element: &Element) -> bool {
    if is_html(&element.name, &local_name!("option")) {
        return has(element, "selected");
    }
    let kind = element.plain(&local_name!("type")).unwrap_or_default();
    is_html(&element.name, &local_name!("input"))
        && (kind.eq_ignore_ascii_case("checkbox") || kind.eq_ignore_ascii_case("radio"))
        && has(element, "checked")
}

fn can_be_disabled(element: &Element) -> bool {
    is(
        element,
        &[
            local_name!("button"),
            local_name!("input"),
            local_name!("select"),
            local_name!("textarea"),
            local_name!("optgroup"),
            local_name!("option"),
            local_name!("fieldset"),
        ],
    )
}

fn can_be_required(element: &Element) -> bool {
    is(element, &[local_name!("input"), local_name!("select"), local_name!("textarea")])
}

/// Looks at ancestors up to `boundary` only, since nothing outside it may be observed.
fn is_disabled(tree: &Tree, slot: u32, boundary: u32) -> bool {
    let Some(element) = tree.element(slot) else { return false };
    if !can_be_disabled(element) {
        return false;
    }
    if has(element, "disabled") {
        return true;
    }
    if slot == boundary {
        return false;
    }
    for above in tree.ancestors_at(slot) {
        let Some(other) = tree.element(above) else { continue };
        let group = is_html(&element.name, &local_name!("option"))
            && is_html(&other.name, &local_name!("optgroup"));
        if (group || is_html(&other.name, &local_name!("fieldset"))) && has(other, "disabled") {
            return true;
        }
        if above == boundary {
            return false;
        }
    }
    false
}

fn is_editable(tree: &Tree, slot: u32, boundary: u32) -> bool {
    let Some(element) = tree.element(slot) else { return false };
    if is(element, &[local_name!("input"), local_name!("textarea")]) {
        return !has(element, "readonly") && !is_disabled(tree, slot, boundary);
    }
    element
        .plain(&LocalName::from("contenteditable"))
        .is_some_and(|value| value.is_empty() || value.eq_ignore_ascii_case("true"))
}

impl ToCss for PseudoClass {
    fn to_css<W: fmt::Write>(&self, out: &mut W) -> fmt::Result {
        write!(out, ":{}", self.name())
    }
}

impl NonTSPseudoClass for PseudoClass {
    fn is_active_or_hover(&self) -> bool {
        matches!(self, PseudoClass::Active | PseudoClass::Hover)
    }

    fn is_user_action_state(&self) -> bool {
        matches!(self, PseudoClass::Active | PseudoClass::Hover | PseudoClass::Focus)
    }
}

/// No pseudo-elements exist; a selector with one is an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PseudoElement {}

impl ToCss for PseudoElement {
    fn to_css<W: fmt::Write>(&self, _: &mut W) -> fmt::Result {
        match *self {}
    }
}

impl Pseudo for PseudoElement {}
