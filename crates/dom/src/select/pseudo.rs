//! Pseudo-classes other than the structural ones.
//!
//! A document here is never displayed or pointed at. Pseudo-classes that depend on that are
//! accepted but never match.

use super::forms::{self, has, is};
use super::language::{Direction, direction_of, is_in_range, language_of};
use crate::node::{Custom, Element};
use crate::tree::Tree;
use cssparser::ToCss;
use html5ever::{LocalName, local_name};
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
    Host "host",
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
            | PseudoClass::Hover
            | PseudoClass::Host
            | PseudoClass::Target
            | PseudoClass::Visited => false,
            PseudoClass::Focus | PseudoClass::FocusVisible => tree.has_focus(slot),
            PseudoClass::FocusWithin => tree.has_focus_within(slot),
            PseudoClass::AnyLink | PseudoClass::Link => is_link(element),
            PseudoClass::Defined => is_defined(element),
            PseudoClass::Default => forms::is_default(element),
            PseudoClass::Open => is(element, &OPENABLE) && has(element, "open"),
            PseudoClass::Muted => is(element, &MEDIA) && has(element, "muted"),
            PseudoClass::Paused => is(element, &MEDIA),
            PseudoClass::Indeterminate => forms::is_indeterminate(element),
            PseudoClass::InRange => forms::range(tree, slot, boundary) == Some(true),
            PseudoClass::OutOfRange => forms::range(tree, slot, boundary) == Some(false),
            PseudoClass::Valid => forms::validity(tree, slot, boundary) == Some(true),
            PseudoClass::Invalid => forms::validity(tree, slot, boundary) == Some(false),
            PseudoClass::Checked => forms::is_checked(tree, slot, boundary),
            PseudoClass::Disabled => forms::is_disabled(tree, slot, boundary),
            PseudoClass::Enabled => {
                forms::can_be_disabled(element) && !forms::is_disabled(tree, slot, boundary)
            }
            PseudoClass::Required => forms::is_required(element),
            PseudoClass::Optional => {
                forms::can_be_required(element) && !forms::is_required(element)
            }
            PseudoClass::PlaceholderShown => forms::shows_placeholder(tree, slot),
            PseudoClass::ReadWrite => forms::is_editable(tree, slot, boundary),
            PseudoClass::ReadOnly => !forms::is_editable(tree, slot, boundary),
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

pub(crate) fn is_link(element: &Element) -> bool {
    is(element, &[local_name!("a"), local_name!("area")])
        && element.plain(&local_name!("href")).is_some()
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
