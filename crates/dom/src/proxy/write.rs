//! Calls that change a page or act on it.

use super::event::{EventKind, record};
use super::reach::Writing;
use crate::error::{Error, ErrorKind, shortened};
use crate::node::NIL;
use crate::page::Page;
use crate::sanitize;
use crate::select::Place;
use crate::tree::{Tree, is_html};
use html5ever::{LocalName, local_name};

/// Longest markup of one call, in bytes.
const MAX_MARKUP: usize = 256 * 1024;

/// Most fields of a form in an event.
const MAX_FIELDS: usize = 1_000;

/// Most bytes of all field values in an event.
const MAX_VALUES: usize = 1024 * 1024;

pub(super) fn set_text(
    page: &mut Page,
    slot: u32,
    text: &str,
    writing: Writing,
) -> Result<bool, Error> {
    check_inside(&page.tree, slot, writing)?;
    empty(&mut page.tree, slot);
    let id = page.tree.id(slot);
    page.tree.set_text_content(id, text)?;
    Ok(true)
}

pub(super) fn set_attribute(
    page: &mut Page,
    slot: u32,
    name: &str,
    value: &str,
    writing: Writing,
) -> Result<bool, Error> {
    check_place(&page.tree, slot, writing)?;
    let Some(element) = page.tree.element(slot) else { return Ok(false) };
    if writing == Writing::Sanitised
        && !sanitize::takes_attribute(element, &name.to_ascii_lowercase(), value)
    {
        let text =
            format!("'{}': a tool must not set this attribute to this value", shortened(name));
        return Err(Error::new(ErrorKind::NotSupported, text));
    }
    let id = page.tree.id(slot);
    page.tree.set_attribute(id, name, value)?;
    Ok(true)
}

pub(super) fn set_html(
    page: &mut Page,
    slot: u32,
    html: &str,
    writing: Writing,
) -> Result<bool, Error> {
    let fragment = markup(page, slot, html, writing)?;
    empty(&mut page.tree, slot);
    put(page, slot, fragment)
}

pub(super) fn append(
    page: &mut Page,
    slot: u32,
    html: &str,
    writing: Writing,
) -> Result<bool, Error> {
    let fragment = markup(page, slot, html, writing)?;
    put(page, slot, fragment)
}

/// Parses markup into nodes that may be inserted into an element.
fn markup(page: &mut Page, context: u32, html: &str, writing: Writing) -> Result<u32, Error> {
    if html.len() > MAX_MARKUP {
        let text = format!("markup: more than {MAX_MARKUP} bytes");
        return Err(Error::new(ErrorKind::QuotaExceeded, text));
    }
    check_inside(&page.tree, context, writing)?;
    let context = page.tree.id(context);
    let fragment = match writing {
        Writing::Raw => page.tree.parse_fragment(context, html)?,
        Writing::Sanitised => sanitize::fragment(&mut page.tree, context, html)?,
    };
    page.tree.slot(fragment)
}

/// Refuses changes to the content of scripts and style sheets, which is code.
fn check_inside(tree: &Tree, slot: u32, writing: Writing) -> Result<(), Error> {
    check_place(tree, slot, writing)?;
    let Some(element) = tree.element(slot) else { return Err(Error::gone()) };
    if writing == Writing::Raw || sanitize::takes_content(element) {
        return Ok(());
    }
    let text = format!("{}: a tool must not change the content", element.name.local);
    Err(Error::new(ErrorKind::NotSupported, text))
}

/// Refuses edits inside `noscript`: browsers parse it as raw text, which new markup could end.
fn check_place(tree: &Tree, slot: u32, writing: Writing) -> Result<(), Error> {
    if writing == Writing::Raw || !sanitize::is_text_elsewhere(tree, slot) {
        return Ok(());
    }
    let text = "noscript: a tool must not change the content";
    Err(Error::new(ErrorKind::NotSupported, text))
}

fn put(page: &mut Page, parent: u32, fragment: u32) -> Result<bool, Error> {
    let tree = &mut page.tree;
    // Markup for a template goes into its contents.
    let parent = match tree.element(parent) {
        Some(element) if element.template() != NIL => element.template(),
        _ => parent,
    };
    let (parent, new) = (tree.id(parent), tree.id(fragment));
    let done = tree.append_child(parent, new);
    tree.destroy(fragment);
    done.map(|()| true)
}

pub(super) fn remove(page: &mut Page, place: Place) -> Result<bool, Error> {
    page.tree.destroy(place.scope);
    Ok(true)
}

pub(super) fn click(page: &mut Page, place: Place) -> Result<bool, Error> {
    record(page, EventKind::Click, place.scope)?;
    Ok(true)
}

pub(super) fn fill(
    page: &mut Page,
    slot: u32,
    value: &str,
    writing: Writing,
) -> Result<bool, Error> {
    check_place(&page.tree, slot, writing)?;
    let Some(element) = page.tree.element(slot) else { return Ok(false) };
    let id = page.tree.id(slot);
    let is = |local: LocalName| is_html(&element.name, &local);
    let kind = element.plain(&local_name!("type")).unwrap_or_default().to_ascii_lowercase();
    if is(local_name!("textarea")) {
        empty(&mut page.tree, slot);
        page.tree.set_text_content(id, value)?;
    } else if is(local_name!("select")) {
        choose(&mut page.tree, slot, value)?;
    } else if is(local_name!("input")) && !matches!(&*kind, "file" | "checkbox" | "radio") {
        page.tree.set_attribute(id, "value", value)?;
    } else {
        let text = format!("{}: not a field that can be filled", element.name.local);
        return Err(Error::new(ErrorKind::NotSupported, text));
    }
    record(page, EventKind::Fill(value.to_owned()), slot)?;
    Ok(true)
}

pub(super) fn submit(page: &mut Page, place: Place) -> Result<bool, Error> {
    let tree = &page.tree;
    let is_form =
        |slot: u32| tree.element(slot).is_some_and(|e| is_html(&e.name, &local_name!("form")));
    let mut form = place.scope;
    while !is_form(form) {
        // Stops at the boundary of the reachable part.
        form = if form == place.boundary { NIL } else { tree.node(form).parent };
        if form == NIL {
            return Ok(false);
        }
    }
    let fields = fields(tree, form)?;
    record(page, EventKind::Submit(fields), form)?;
    Ok(true)
}

/// Frees the content of an element; handles to it become invalid.
fn empty(tree: &mut Tree, slot: u32) {
    loop {
        match tree.node(slot).first {
            NIL => break,
            child => tree.destroy(child),
        }
    }
    if let Some(contents) = tree.element(slot).map(|element| element.contents)
        && contents != NIL
    {
        empty(tree, contents);
    }
}

/// Selects the option with this value.
fn choose(tree: &mut Tree, select: u32, value: &str) -> Result<(), Error> {
    let options: Vec<u32> = tree
        .subtree_at(select)
        .filter(|&s| tree.element(s).is_some_and(|e| is_html(&e.name, &local_name!("option"))))
        .collect();
    let Some(&chosen) = options.iter().find(|&&option| field_value(tree, option) == value) else {
        let text = format!("'{}': the select has no such option", shortened(value));
        return Err(Error::new(ErrorKind::NotFound, text));
    };
    for option in options {
        let id = tree.id(option);
        if option == chosen {
            tree.set_attribute(id, "selected", "")?;
        } else {
            tree.remove_attribute(id, "selected")?;
        }
    }
    Ok(())
}

/// Returns the value of a field or an option.
fn field_value(tree: &Tree, slot: u32) -> String {
    let Some(element) = tree.element(slot) else { return String::new() };
    if is_html(&element.name, &local_name!("textarea")) {
        return tree.text_below(slot, MAX_VALUES);
    }
    match element.plain(&local_name!("value")) {
        Some(value) => value.to_owned(),
        None if is_html(&element.name, &local_name!("option")) => {
            let text = tree.text_below(slot, MAX_VALUES);
            text.split_ascii_whitespace().collect::<Vec<_>>().join(" ")
        }
        None => String::new(),
    }
}

/// Returns the names and values that the form would send.
fn fields(tree: &Tree, form: u32) -> Result<Vec<(String, String)>, Error> {
    let mut fields = Vec::new();
    let mut bytes = 0;
    for slot in tree.subtree_at(form) {
        let Some(element) = tree.element(slot) else { continue };
        let is = |local: LocalName| is_html(&element.name, &local);
        let has = |local: LocalName| element.plain(&local).is_some();
        let Some(name) = element.plain(&local_name!("name")).filter(|name| !name.is_empty()) else {
            continue;
        };
        if has(local_name!("disabled")) {
            continue;
        }
        let kind = element.plain(&local_name!("type")).unwrap_or_default().to_ascii_lowercase();
        let value = if is(local_name!("textarea")) {
            field_value(tree, slot)
        } else if is(local_name!("select")) {
            let mut options = tree.subtree_at(slot).filter(|&s| {
                tree.element(s).is_some_and(|e| is_html(&e.name, &local_name!("option")))
            });
            let first = options.next();
            let selected = first.into_iter().chain(options).find(|&s| {
                tree.element(s).is_some_and(|e| e.plain(&local_name!("selected")).is_some())
            });
            match selected.or(first) {
                Some(option) => field_value(tree, option),
                None => continue,
            }
        } else if is(local_name!("input")) {
            match &*kind {
                "submit" | "button" | "image" | "reset" | "file" => continue,
                "checkbox" | "radio" if !has(local_name!("checked")) => continue,
                "checkbox" | "radio" if !has(local_name!("value")) => "on".to_owned(),
                _ => field_value(tree, slot),
            }
        } else {
            continue;
        };
        bytes += name.len() + value.len();
        if fields.len() >= MAX_FIELDS || bytes > MAX_VALUES {
            let text = format!("form: more than {MAX_FIELDS} fields or {MAX_VALUES} bytes");
            return Err(Error::new(ErrorKind::QuotaExceeded, text));
        }
        fields.push((name.to_owned(), value));
    }
    Ok(fields)
}
