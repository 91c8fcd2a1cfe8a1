//! States of form controls that pseudo-classes ask for, as far as the tree shows them: attributes,
//! content, and the checkedness that a click has changed.
//!
//! Ancestors are looked at up to `boundary` only, since nothing outside it may be observed. States of
//! a whole form or group of radio buttons are not found, since each would cost a walk of the tree.

use crate::choice::is_ticked;
use crate::node::Element;
use crate::tree::{Tree, is_html};
use html5ever::{LocalName, local_name, ns};

pub(super) fn has(element: &Element, name: &str) -> bool {
    element.plain(&LocalName::from(name)).is_some()
}

pub(super) fn is(element: &Element, names: &[LocalName]) -> bool {
    element.name.ns == ns!(html) && names.contains(&element.name.local)
}

/// Returns true if the `type` of an input is one of `kinds`.
fn is_input(element: &Element, kinds: &[&str]) -> bool {
    let kind = element.plain(&local_name!("type")).unwrap_or_default();
    is_html(&element.name, &local_name!("input"))
        && kinds.iter().any(|known| kind.eq_ignore_ascii_case(known))
}

fn is_text_area(element: &Element) -> bool {
    is_html(&element.name, &local_name!("textarea"))
}

const TICKED: [&str; 2] = ["checkbox", "radio"];
const BUTTONS: [&str; 4] = ["button", "image", "reset", "submit"];
/// Types that take text and show no placeholder. An unknown type is text, and shows one.
const WITHOUT_PLACEHOLDER: [&str; 8] =
    ["color", "date", "datetime-local", "file", "hidden", "month", "time", "week"];

/// Returns true for a ticked box, and for an option that its select shows as chosen.
pub(super) fn is_checked(tree: &Tree, slot: u32, boundary: u32) -> bool {
    let Some(element) = tree.element(slot) else { return false };
    if is_html(&element.name, &local_name!("option")) {
        return tree.is_chosen(slot, boundary);
    }
    is_input(element, &TICKED) && is_ticked(element)
}

/// Returns true for a box or option that was chosen before anyone changed it.
pub(super) fn is_default(element: &Element) -> bool {
    let is_option = is_html(&element.name, &local_name!("option"));
    is_option && has(element, "selected") || is_input(element, &TICKED) && has(element, "checked")
}

/// Returns true for a progress bar that does not say how far it is.
pub(super) fn is_indeterminate(element: &Element) -> bool {
    is_html(&element.name, &local_name!("progress")) && !has(element, "value")
}

pub(super) fn can_be_disabled(element: &Element) -> bool {
    can_be_required(element)
        || is(
            element,
            &[
                local_name!("button"),
                local_name!("optgroup"),
                local_name!("option"),
                local_name!("fieldset"),
            ],
        )
}

pub(super) fn can_be_required(element: &Element) -> bool {
    is(element, &[local_name!("input"), local_name!("select"), local_name!("textarea")])
}

pub(super) fn is_required(element: &Element) -> bool {
    can_be_required(element)
        && has(element, "required")
        && !is_input(element, &BUTTONS)
        && !is_input(element, &["color", "hidden", "range"])
}

/// Options are disabled by their group, other controls by a fieldset unless they are in its legend.
pub(super) fn is_disabled(tree: &Tree, slot: u32, boundary: u32) -> bool {
    let Some(element) = tree.element(slot) else { return false };
    if !can_be_disabled(element) {
        return false;
    }
    if has(element, "disabled") {
        return true;
    }
    let is_option = is_html(&element.name, &local_name!("option"));
    if slot == boundary || is_html(&element.name, &local_name!("optgroup")) {
        return false;
    }
    let by = if is_option { local_name!("optgroup") } else { local_name!("fieldset") };
    let mut below = slot;
    for above in tree.ancestors_at(slot) {
        let Some(other) = tree.element(above) else { break };
        if is_html(&other.name, &by) && has(other, "disabled") {
            return is_option || first_legend(tree, above) != Some(below);
        }
        if above == boundary || is_option && is_html(&other.name, &local_name!("select")) {
            return false;
        }
        below = above;
    }
    false
}

/// Most children of a fieldset that are searched for its legend, which comes first in practice.
// T-DOM-004: host time and memory through selectors.
const MAX_BEFORE_LEGEND: usize = 64;

fn first_legend(tree: &Tree, fieldset: u32) -> Option<u32> {
    let is_legend = |child: &u32| {
        tree.element(*child).is_some_and(|child| is_html(&child.name, &local_name!("legend")))
    };
    tree.children_at(fieldset).take(MAX_BEFORE_LEGEND).find(is_legend)
}

/// Returns true for a control or other element whose text a person may change.
pub(super) fn is_editable(tree: &Tree, slot: u32, boundary: u32) -> bool {
    let Some(element) = tree.element(slot) else { return false };
    if can_be_read_only(element) {
        return !has(element, "readonly") && !is_disabled(tree, slot, boundary);
    }
    if is_html(&element.name, &local_name!("input")) {
        return false;
    }
    let says = |slot: u32| {
        let value = tree.element(slot)?.plain(&LocalName::from("contenteditable"))?;
        let is_on = ["", "true", "plaintext-only"].iter().any(|on| value.eq_ignore_ascii_case(on));
        (is_on || value.eq_ignore_ascii_case("false")).then_some(is_on)
    };
    if let Some(is_on) = says(slot) {
        return is_on;
    }
    if slot == boundary {
        return false;
    }
    for above in tree.ancestors_at(slot) {
        if let Some(is_on) = says(above) {
            return is_on;
        }
        if above == boundary {
            break;
        }
    }
    false
}

fn can_be_read_only(element: &Element) -> bool {
    is_text_area(element)
        || is_html(&element.name, &local_name!("input"))
            && !is_input(element, &TICKED)
            && !is_input(element, &BUTTONS)
            && !is_input(element, &["color", "file", "hidden", "range"])
}

/// Returns true if the value of a control is checked at all before its form is sent.
fn is_candidate(tree: &Tree, slot: u32, boundary: u32) -> bool {
    let Some(element) = tree.element(slot) else { return false };
    let kind = element.plain(&local_name!("type")).unwrap_or_default();
    let is_barred = ["button", "reset"].iter().any(|barred| kind.eq_ignore_ascii_case(barred));
    let is_control = match is_html(&element.name, &local_name!("button")) {
        true => !is_barred,
        false => can_be_required(element) && !is_input(element, &["button", "hidden", "reset"]),
    };
    is_control
        && !(can_be_read_only(element) && has(element, "readonly"))
        && !is_disabled(tree, slot, boundary)
}

/// Returns true for a valid control, false for another, `None` for an element that is not checked.
pub(super) fn validity(tree: &Tree, slot: u32, boundary: u32) -> Option<bool> {
    let element = tree.element(slot)?;
    if !is_candidate(tree, slot, boundary) {
        return None;
    }
    let is_missing = match is_input(element, &TICKED) {
        true => !is_ticked(element),
        false => !is_html(&element.name, &local_name!("select")) && is_blank(tree, slot),
    };
    let is_missing = is_required(element) && is_missing;
    Some(!is_missing && number_range(element) != Some(false))
}

/// Returns true if a control that takes text has none.
fn is_blank(tree: &Tree, slot: u32) -> bool {
    let Some(element) = tree.element(slot) else { return false };
    match is_text_area(element) {
        true => tree.text_below(slot, char::MAX.len_utf8()).is_empty(),
        false => element.plain(&local_name!("value")).is_none_or(str::is_empty),
    }
}

pub(super) fn shows_placeholder(tree: &Tree, slot: u32) -> bool {
    let Some(element) = tree.element(slot) else { return false };
    can_be_read_only(element)
        && !is_input(element, &WITHOUT_PLACEHOLDER)
        && has(element, "placeholder")
        && is_blank(tree, slot)
}

/// Returns true for a number within its limits, false for another; `None` without limits, and for an
/// element that is not checked.
pub(super) fn range(tree: &Tree, slot: u32, boundary: u32) -> Option<bool> {
    if !is_candidate(tree, slot, boundary) {
        return None;
    }
    number_range(tree.element(slot)?)
}

fn number_range(element: &Element) -> Option<bool> {
    if !is_input(element, &["number", "range"]) {
        return None;
    }
    let number = |name: LocalName| element.plain(&name)?.trim().parse::<f64>().ok();
    let (low, high) = (number(local_name!("min")), number(local_name!("max")));
    let is_slider = is_input(element, &["range"]);
    if low.is_none() && high.is_none() {
        return is_slider.then_some(true);
    }
    let Some(value) = number(local_name!("value")) else { return Some(true) };
    let is_within = low.is_none_or(|low| value >= low) && high.is_none_or(|high| value <= high);
    // A slider keeps its value between its ends.
    Some(is_slider || is_within)
}
