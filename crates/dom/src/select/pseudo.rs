//! Pseudo-classes other than the structural ones.
//!
//! A document here is never displayed or pointed at. Pseudo-classes that depend on that are
//! accepted but never match.

use super::language::{Direction, direction_of, is_in_range, language_of};
use crate::node::{Custom, Element};
use crate::tree::{Tree, is_html};
use cssparser::ToCss;
use html5ever::{LocalName, local_name, ns};
use selectors::parser::{NonTSPseudoClass, PseudoElement as Pseudo};
use std::fmt;

macro_rules! classes {
    ($($variant:ident $name:literal,)*) => {
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub(crate) enum PseudoClass {
            /// `:lang()` with its ranges.
            Lang(Box<[Box<str>]>),
            /// `:dir()`; `None` for a direction that does not exist.
            Dir(Option<Direction>),
            $($variant,)*
        }

        impl PseudoClass {
            pub(crate) fn named(name: &str) -> Option<PseudoClass> {
                $(if name.eq_ignore_ascii_case($name) { return Some(PseudoClass::$variant); })*
                None
            }

            fn name(&self) -> &'static str {
                match self {
                    PseudoClass::Lang(_) => "lang",
                    PseudoClass::Dir(_) => "dir",
                    $(PseudoClass::$variant => $name,)*
                }
            }
        }
    };
}

classes! {
    Active "active",
    AnyLink "any-link",
    Autofill "autofill",
    Buffering "buffering",
    Checked "checked",
    Default "default",
    Defined "defined",
    Disabled "disabled",
    Enabled "enabled",
    Focus "focus",
    FocusVisible "focus-visible",
    FocusWithin "focus-within",
    Fullscreen "fullscreen",
    Hover "hover",
    InRange "in-range",
    Indeterminate "indeterminate",
    Invalid "invalid",
    Link "link",
    LocalLink "local-link",
    Modal "modal",
    Muted "muted",
    Open "open",
    Optional "optional",
    OutOfRange "out-of-range",
    Paused "paused",
    PictureInPicture "picture-in-picture",
    Playing "playing",
    PopoverOpen "popover-open",
    PlaceholderShown "placeholder-shown",
    ReadOnly "read-only",
    ReadWrite "read-write",
    Required "required",
    Seeking "seeking",
    Stalled "stalled",
    Target "target",
    TargetWithin "target-within",
    UserInvalid "user-invalid",
    UserValid "user-valid",
    Valid "valid",
    Visited "visited",
}

impl PseudoClass {
    pub(crate) fn matches(&self, tree: &Tree, slot: u32, boundary: u32) -> bool {
        let Some(element) = tree.element(slot) else { return false };
        match self {
            PseudoClass::Lang(ranges) => {
                let language = language_of(tree, slot, boundary);
                ranges.iter().any(|range| is_in_range(range, language))
            }
            PseudoClass::Dir(wanted) => *wanted == Some(direction_of(tree, slot, boundary)),
            PseudoClass::Active
            | PseudoClass::Autofill
            | PseudoClass::Buffering
            | PseudoClass::Fullscreen
            | PseudoClass::LocalLink
            | PseudoClass::Modal
            | PseudoClass::PictureInPicture
            | PseudoClass::Playing
            | PseudoClass::PopoverOpen
            | PseudoClass::Seeking
            | PseudoClass::Stalled
            | PseudoClass::TargetWithin
            | PseudoClass::UserInvalid
            | PseudoClass::UserValid
            | PseudoClass::Focus
            | PseudoClass::FocusVisible
            | PseudoClass::FocusWithin
            | PseudoClass::Hover
            | PseudoClass::Indeterminate
            | PseudoClass::Target
            | PseudoClass::Visited => false,
            PseudoClass::AnyLink | PseudoClass::Link => is_link(element),
            PseudoClass::Defined => is_defined(element),
            PseudoClass::Default => has(element, "checked") || has(element, "selected"),
            PseudoClass::Open => is(element, &OPENABLE) && has(element, "open"),
            PseudoClass::Muted => is(element, &MEDIA) && has(element, "muted"),
            PseudoClass::Paused => is(element, &MEDIA),
            PseudoClass::InRange => number_range(element) == Some(true),
            PseudoClass::OutOfRange => number_range(element) == Some(false),
            PseudoClass::Valid => can_be_required(element) && !is_invalid(element),
            PseudoClass::Invalid => can_be_required(element) && is_invalid(element),
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

const OPENABLE: [LocalName; 2] = [local_name!("details"), local_name!("dialog")];
const MEDIA: [LocalName; 2] = [local_name!("audio"), local_name!("video")];

/// Returns true unless the element waits for the definition of a custom element.
fn is_defined(element: &Element) -> bool {
    match element.custom {
        Custom::Defined => true,
        Custom::Waiting => false,
        Custom::Unknown => !element.may_be_custom(),
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
        && element.checked.unwrap_or_else(|| has(element, "checked"))
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

/// Returns true if an input must have a value and has none, or has a number beyond its limits.
fn is_invalid(element: &Element) -> bool {
    let has_value = element.plain(&local_name!("value")).is_some_and(|value| !value.is_empty());
    let is_missing = has(element, "required") && !has_value;
    number_range(element) == Some(false)
        || is_missing && is_html(&element.name, &local_name!("input"))
}

/// Returns true for a number within its limits, false for another, `None` without limits.
fn number_range(element: &Element) -> Option<bool> {
    let kind = element.plain(&local_name!("type")).unwrap_or_default();
    let counts = kind.eq_ignore_ascii_case("number") || kind.eq_ignore_ascii_case("range");
    if !counts || !is_html(&element.name, &local_name!("input")) {
        return None;
    }
    let number = |name: LocalName| element.plain(&name)?.trim().parse::<f64>().ok();
    let (low, high) = (number(local_name!("min")), number(local_name!("max")));
    if low.is_none() && high.is_none() {
        return None;
    }
    let Some(value) = number(local_name!("value")) else { return Some(true) };
    Some(low.is_none_or(|low| value >= low) && high.is_none_or(|high| value <= high))
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

/// A pseudo-element that standards name. No element matches it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PseudoElement(&'static str);

const PSEUDO_ELEMENTS: [&str; 18] = [
    "after",
    "backdrop",
    "before",
    "checkmark",
    "cue",
    "cue-region",
    "details-content",
    "file-selector-button",
    "first-letter",
    "first-line",
    "grammar-error",
    "marker",
    "picker-icon",
    "placeholder",
    "selection",
    "spelling-error",
    "target-text",
    "view-transition",
];

/// Pseudo-elements with arguments.
const PSEUDO_FUNCTIONS: [&str; 10] = [
    "cue",
    "cue-region",
    "highlight",
    "part",
    "picker",
    "slotted",
    "view-transition-group",
    "view-transition-image-pair",
    "view-transition-new",
    "view-transition-old",
];

impl PseudoElement {
    pub(crate) fn named(name: &str) -> Option<PseudoElement> {
        // Browsers accept every name with this prefix.
        let is_foreign = name.get(..8).is_some_and(|start| start.eq_ignore_ascii_case("-webkit-"));
        if is_foreign && name.len() > 8 {
            return Some(PseudoElement("-webkit-"));
        }
        find(&PSEUDO_ELEMENTS, name)
    }

    pub(crate) fn function(name: &str) -> Option<PseudoElement> {
        find(&PSEUDO_FUNCTIONS, name)
    }
}

fn find(names: &[&'static str], name: &str) -> Option<PseudoElement> {
    let known = names.iter().find(|known| known.eq_ignore_ascii_case(name))?;
    Some(PseudoElement(known))
}

impl ToCss for PseudoElement {
    fn to_css<W: fmt::Write>(&self, out: &mut W) -> fmt::Result {
        write!(out, "::{}", self.0)
    }
}

impl Pseudo for PseudoElement {
    fn accepts_state_pseudo_classes(&self) -> bool {
        true
    }
}
