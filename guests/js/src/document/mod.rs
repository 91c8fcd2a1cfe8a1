//! A document for tools behind the `iframe` boundary: the tree is `cofferdam-dom`'s, the objects
//! that a tool sees are JavaScript.
//!
//! The native side knows nodes by number only; zero is no node. The table of objects by number is
//! in `node.js`, which also says when nodes that nothing holds are freed.
//!
//! No script in a document runs, and nothing in it is fetched.
//!
//! Differences from a browser: nothing is laid out, so boxes are empty; `getComputedStyle` follows
//! `style` elements, adopted sheets and the element's own declarations, but lengths stay as they were
//! written, and most properties without a declaration are empty; values of most properties are not
//! checked; there are no frames, canvases, cookies or navigation, except that the fragment of the
//! address can change; controls of a form are properties of it only under names that it does not have
//! otherwise; `document.write` adds to the body; a range cannot begin or end in an attribute; text
//! has no lone surrogates.
//!
//! Custom elements are those of the one registry of the main document. Internals of elements hold a
//! shadow root and roles, and take no part in forms. Shadow roots are attached by scripts: markup
//! does not declare them, and copies of hosts have none. The name of a customized built-in element
//! is not written out unless it is an attribute. Templates have the document of their element, but
//! nothing in their contents is upgraded. XML has no entities but the predefined ones.
//!
//! Nothing of this costs a document that does not use it: `internal.isReactive` is false until the
//! first definition or shadow root. Reactions never run inside a change (`custom.js`).
//!
//! Meets T-DOM-005.

mod changes;
mod markup;
mod named;
mod queries;
mod reads;
mod state;

use super::apis::Api;

macro_rules! part {
    ($name:literal) => {
        Api {
            name: concat!("document/", $name),
            source: include_str!(concat!($name, ".js")),
            natives: None,
        }
    };
}

/// The preludes in load order, behind those of the worker.
pub(crate) const PARTS: &[Api] = &[
    Api { natives: Some(state::natives), ..part!("node") },
    part!("observer"),
    part!("collections"),
    part!("live"),
    part!("tree"),
    part!("character_data"),
    part!("attributes"),
    part!("tokens"),
    part!("css_values"),
    part!("css_shorthands"),
    part!("style"),
    part!("element"),
    part!("reflect"),
    part!("html"),
    part!("reflected"),
    part!("tables"),
    part!("gauges"),
    part!("forms"),
    part!("options"),
    part!("values"),
    part!("text_controls"),
    part!("validity"),
    part!("document"),
    part!("custom"),
    part!("shadow"),
    part!("css_rules"),
    part!("sheets"),
    part!("cascade"),
    part!("traversal"),
    part!("range"),
    part!("selection"),
    part!("parser"),
    part!("ui_events"),
    part!("activation"),
    part!("focus"),
    part!("form_entries"),
    part!("window"),
    part!("file_reader"),
    part!("nowhere"),
];
