//! Markup into nodes and nodes into markup.

use cofferdam_dom::html_name;
use rquickjs::function::Func;
use rquickjs::{Array, Ctx, Object, Result};

use super::state::{node, number, with};
use crate::apis::base::text::Text;

pub(super) fn natives<'js>(_: &Ctx<'js>, dom: &Object<'js>) -> Result<()> {
    dom.set("parseHtml", Func::from(parse_html))?;
    dom.set("parseXml", Func::from(parse_xml))?;
    dom.set("fragment", Func::from(fragment))?;
    dom.set("innerHtml", Func::from(inner_html))?;
    dom.set("outerHtml", Func::from(outer_html))?;
    dom.set("outerXml", Func::from(outer_xml))
}

fn parse_html(ctx: Ctx<'_>, source: Text) -> Result<f64> {
    with(&ctx, |tree| tree.parse_html(&source.0).map(number))
}

/// Returns the document, and the first error in the source.
fn parse_xml(ctx: Ctx<'_>, source: Text) -> Result<Array<'_>> {
    let parsed = with(&ctx, |tree| tree.parse_xml(&source.0))?;
    let pair = Array::new(ctx)?;
    pair.set(0, number(parsed.document))?;
    pair.set(1, parsed.error)?;
    Ok(pair)
}

/// Parses `source` as the content of an element; of a `body` for other nodes.
fn fragment(ctx: Ctx<'_>, context: f64, source: Text) -> Result<f64> {
    with(&ctx, |tree| {
        let mut context = node(context);
        if tree.element_name(context).is_none() {
            context = tree.create_element(context, html_name("body"))?;
        }
        tree.parse_fragment(context, &source.0).map(number)
    })
}

fn inner_html(ctx: Ctx<'_>, id: f64) -> Result<String> {
    with(&ctx, |tree| tree.inner_html(node(id)))
}

fn outer_html(ctx: Ctx<'_>, id: f64) -> Result<String> {
    with(&ctx, |tree| tree.outer_html(node(id)))
}

fn outer_xml(ctx: Ctx<'_>, id: f64) -> Result<String> {
    with(&ctx, |tree| tree.outer_xml(node(id)))
}
