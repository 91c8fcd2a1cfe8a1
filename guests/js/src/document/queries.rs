//! Selectors, and the collections by tag and class.

use cofferdam_dom::{QualName, Walk};
use rquickjs::function::Func;
use rquickjs::{Ctx, Object, Result};

use super::state::{maybe, node, number, with};
use crate::apis::base::text::Text;

const HTML: &str = "http://www.w3.org/1999/xhtml";

pub(super) fn natives<'js>(_: &Ctx<'js>, dom: &Object<'js>) -> Result<()> {
    dom.set("queryFirst", Func::from(query_first))?;
    dom.set("queryAll", Func::from(query_all))?;
    dom.set("matches", Func::from(matches))?;
    dom.set("specificity", Func::from(specificity))?;
    dom.set("closest", Func::from(closest))?;
    dom.set("byId", Func::from(by_id))?;
    dom.set("byTag", Func::from(by_tag))?;
    dom.set("byTagNs", Func::from(by_tag_ns))?;
    dom.set("byClass", Func::from(by_class))?;
    dom.set("customBelow", Func::from(custom_below))
}

fn query_first(ctx: Ctx<'_>, scope: f64, selector: Text) -> Result<f64> {
    with(&ctx, |tree| tree.query_first(node(scope), &selector.0).map(maybe))
}

fn query_all(ctx: Ctx<'_>, scope: f64, selector: Text) -> Result<Vec<f64>> {
    with(&ctx, |tree| {
        Ok(tree.query_all(node(scope), &selector.0)?.into_iter().map(number).collect())
    })
}

fn matches(ctx: Ctx<'_>, element: f64, selector: Text) -> Result<bool> {
    with(&ctx, |tree| tree.matches(node(element), &selector.0))
}

/// Returns how specific the selector is that matches, or -1 if none of the list does.
fn specificity(ctx: Ctx<'_>, element: f64, list: Text) -> Result<f64> {
    with(&ctx, |tree| Ok(tree.specificity(node(element), &list.0)?.map_or(-1.0, f64::from)))
}

fn closest(ctx: Ctx<'_>, element: f64, selector: Text) -> Result<f64> {
    with(&ctx, |tree| tree.closest(node(element), &selector.0).map(maybe))
}

fn by_id(ctx: Ctx<'_>, root: f64, id: Text) -> Result<f64> {
    with(&ctx, |tree| tree.element_by_id(node(root), &id.0).map(maybe))
}

/// Returns the elements that can be custom, at and below a node and, if asked, in shadow trees.
fn custom_below(ctx: Ctx<'_>, root: f64, shadows: bool) -> Result<Vec<f64>> {
    let walk = if shadows { Walk::Composed } else { Walk::Tree };
    with(&ctx, |tree| Ok(tree.custom_below(node(root), walk)?.into_iter().map(number).collect()))
}

/// `getElementsByTagName`; `html` is true if the document folds names of HTML elements.
fn by_tag(ctx: Ctx<'_>, root: f64, name: Text, html: bool) -> Result<Vec<f64>> {
    let name = name.0;
    let lower = if html { name.to_ascii_lowercase() } else { name.clone() };
    let test = |own: &QualName, _: &str| {
        if name == "*" {
            return true;
        }
        let wanted = if &*own.ns == HTML { &lower } else { &name };
        match own.prefix.as_deref() {
            None | Some("") => *own.local == **wanted,
            Some(prefix) => *wanted == format!("{prefix}:{}", own.local),
        }
    };
    with(&ctx, |tree| Ok(tree.elements_below(node(root), test)?.into_iter().map(number).collect()))
}

fn by_tag_ns(ctx: Ctx<'_>, root: f64, namespace: Text, local: Text) -> Result<Vec<f64>> {
    let test = |own: &QualName, _: &str| {
        (namespace.0 == "*" || *own.ns == *namespace.0)
            && (local.0 == "*" || *own.local == *local.0)
    };
    with(&ctx, |tree| Ok(tree.elements_below(node(root), test)?.into_iter().map(number).collect()))
}

fn by_class(ctx: Ctx<'_>, root: f64, names: Text, quirky: bool) -> Result<Vec<f64>> {
    let names: Vec<&str> = names.0.split_ascii_whitespace().collect();
    let same = |a: &str, b: &str| if quirky { a.eq_ignore_ascii_case(b) } else { a == b };
    let test = |_: &QualName, own: &str| {
        !names.is_empty()
            && names.iter().all(|name| own.split_ascii_whitespace().any(|class| same(class, name)))
    };
    with(&ctx, |tree| Ok(tree.elements_below(node(root), test)?.into_iter().map(number).collect()))
}
