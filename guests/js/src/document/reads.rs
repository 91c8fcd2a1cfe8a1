//! Natives that read nodes.

use cofferdam_dom::{Attribute, DocumentKind, NodeId, NodeKind, Quirks, Tree};
use rquickjs::function::Func;
use rquickjs::{Ctx, Object, Result};

use super::state::{maybe, node, number, with};
use crate::apis::base::text::Text;

pub(super) fn natives<'js>(_: &Ctx<'js>, dom: &Object<'js>) -> Result<()> {
    dom.set("parent", Func::from(|ctx: Ctx<'js>, id| step(&ctx, id, Tree::parent)))?;
    dom.set("first", Func::from(|ctx: Ctx<'js>, id| step(&ctx, id, Tree::first_child)))?;
    dom.set("last", Func::from(|ctx: Ctx<'js>, id| step(&ctx, id, Tree::last_child)))?;
    dom.set("previous", Func::from(|ctx: Ctx<'js>, id| step(&ctx, id, Tree::previous_sibling)))?;
    dom.set("next", Func::from(|ctx: Ctx<'js>, id| step(&ctx, id, Tree::next_sibling)))?;
    dom.set("root", Func::from(|ctx: Ctx<'js>, id| up(&ctx, id, Tree::root)))?;
    dom.set("outermost", Func::from(|ctx: Ctx<'js>, id| up(&ctx, id, Tree::outermost_root)))?;
    dom.set("composedRoot", Func::from(|ctx: Ctx<'js>, id| up(&ctx, id, Tree::composed_root)))?;
    dom.set("owner", Func::from(|ctx: Ctx<'js>, id| up(&ctx, id, Tree::owner_document)))?;
    dom.set("kind", Func::from(kind))?;
    dom.set("names", Func::from(names))?;
    dom.set("data", Func::from(data))?;
    dom.set("text", Func::from(text))?;
    dom.set("doctype", Func::from(doctype))?;
    dom.set("isHtml", Func::from(is_html))?;
    dom.set("isQuirky", Func::from(is_quirky))?;
    dom.set("isInert", Func::from(is_inert))?;
    dom.set("contents", Func::from(contents))?;
    dom.set("attribute", Func::from(attribute))?;
    dom.set("attributeNs", Func::from(attribute_ns))?;
    dom.set("attributes", Func::from(attributes))?;
    dom.set("compare", Func::from(compare))?;
    dom.set("contains", Func::from(contains))?;
    dom.set("isEqual", Func::from(is_equal))?;
    dom.set("children", Func::from(children))?;
    dom.set("childCount", Func::from(child_count))?;
    dom.set("childAt", Func::from(child_at))?;
    dom.set("index", Func::from(index))?;
    dom.set("element", Func::from(element))?;
    dom.set("structure", Func::from(structure))?;
    dom.set("version", Func::from(version))
}

type Step = fn(&Tree, NodeId) -> std::result::Result<Option<NodeId>, cofferdam_dom::Error>;
type Up = fn(&Tree, NodeId) -> std::result::Result<NodeId, cofferdam_dom::Error>;

fn step(ctx: &Ctx<'_>, id: f64, step: Step) -> Result<f64> {
    with(ctx, |tree| step(tree, node(id)).map(maybe))
}

fn up(ctx: &Ctx<'_>, id: f64, up: Up) -> Result<f64> {
    with(ctx, |tree| up(tree, node(id)).map(number))
}

fn kind(ctx: Ctx<'_>, id: f64) -> Result<u8> {
    with(&ctx, |tree| tree.kind(node(id)).map(NodeKind::number))
}

/// Returns local name, namespace, prefix and `tagName`; then the attribute `is`, if there is one.
fn names(ctx: Ctx<'_>, id: f64) -> Result<Vec<String>> {
    with(&ctx, |tree| {
        let id = node(id);
        let tag = tree.tag_name(id).unwrap_or_default();
        Ok(match tree.element_name(id) {
            None => Vec::new(),
            Some(name) => {
                let mut parts = vec![
                    name.local.to_string(),
                    name.ns.to_string(),
                    name.prefix.as_deref().unwrap_or_default().to_owned(),
                    tag,
                ];
                parts.extend(tree.attribute_ns(id, "", "is").map(str::to_owned));
                parts
            }
        })
    })
}

fn data(ctx: Ctx<'_>, id: f64) -> Result<Option<String>> {
    with(&ctx, |tree| Ok(tree.data(node(id)).map(str::to_owned)))
}

fn text(ctx: Ctx<'_>, id: f64) -> Result<Option<String>> {
    with(&ctx, |tree| tree.text_content(node(id)))
}

/// Returns name, public and system identifier of a document type; the target of an instruction.
fn doctype(ctx: Ctx<'_>, id: f64) -> Result<Vec<String>> {
    with(&ctx, |tree| {
        let id = node(id);
        Ok(match (tree.doctype(id), tree.target(id)) {
            (Some((name, public, system)), _) => vec![name.into(), public.into(), system.into()],
            (None, Some(target)) => vec![target.into()],
            (None, None) => Vec::new(),
        })
    })
}

fn is_html(ctx: Ctx<'_>, id: f64) -> Result<bool> {
    with(&ctx, |tree| Ok(tree.kind_of_document(node(id))?.0 == DocumentKind::Html))
}

fn is_quirky(ctx: Ctx<'_>, id: f64) -> Result<bool> {
    with(&ctx, |tree| Ok(tree.kind_of_document(node(id))?.1 == Quirks::Full))
}

fn is_inert(ctx: Ctx<'_>, id: f64) -> Result<bool> {
    with(&ctx, |tree| tree.is_inert(node(id)))
}

fn contents(ctx: Ctx<'_>, id: f64) -> Result<f64> {
    with(&ctx, |tree| Ok(maybe(tree.template_contents(node(id)))))
}

fn attribute(ctx: Ctx<'_>, id: f64, name: Text) -> Result<Option<String>> {
    with(&ctx, |tree| Ok(tree.attribute(node(id), &name.0).map(str::to_owned)))
}

fn attribute_ns(ctx: Ctx<'_>, id: f64, namespace: Text, local: Text) -> Result<Option<String>> {
    with(&ctx, |tree| Ok(tree.attribute_ns(node(id), &namespace.0, &local.0).map(str::to_owned)))
}

/// Returns namespace, prefix, local name and value of each attribute, in a flat list.
fn attributes(ctx: Ctx<'_>, id: f64) -> Result<Vec<String>> {
    let parts = |a: &Attribute| {
        [a.namespace(), a.prefix().unwrap_or_default(), a.local_name(), a.value()]
            .map(str::to_owned)
    };
    with(&ctx, |tree| Ok(tree.attributes(node(id)).iter().flat_map(parts).collect()))
}

fn compare(ctx: Ctx<'_>, a: f64, b: f64) -> Result<u16> {
    with(&ctx, |tree| tree.compare_position(node(a), node(b)))
}

fn contains(ctx: Ctx<'_>, a: f64, b: f64) -> Result<bool> {
    with(&ctx, |tree| tree.contains(node(a), node(b)))
}

fn is_equal(ctx: Ctx<'_>, a: f64, b: f64) -> Result<bool> {
    with(&ctx, |tree| tree.is_equal(node(a), node(b)))
}

fn children(ctx: Ctx<'_>, id: f64, elements: bool) -> Result<Vec<f64>> {
    with(&ctx, |tree| {
        let mut list = tree.children(node(id))?;
        if elements {
            list.retain(|&child| tree.element_name(child).is_some());
        }
        Ok(list.into_iter().map(number).collect())
    })
}

fn child_count(ctx: Ctx<'_>, id: f64, elements: bool) -> Result<u32> {
    with(&ctx, |tree| {
        let mut count = 0;
        let mut here = tree.first_child(node(id))?;
        while let Some(child) = here {
            count += u32::from(!elements || tree.element_name(child).is_some());
            here = tree.next_sibling(child)?;
        }
        Ok(count)
    })
}

fn child_at(ctx: Ctx<'_>, id: f64, mut index: u32, elements: bool) -> Result<f64> {
    with(&ctx, |tree| {
        let mut here = tree.first_child(node(id))?;
        while let Some(child) = here {
            if !elements || tree.element_name(child).is_some() {
                if index == 0 {
                    return Ok(number(child));
                }
                index -= 1;
            }
            here = tree.next_sibling(child)?;
        }
        Ok(0.0)
    })
}

/// Returns the number of siblings in front of the node.
fn index(ctx: Ctx<'_>, id: f64) -> Result<u32> {
    with(&ctx, |tree| {
        let mut count = 0;
        let mut here = tree.previous_sibling(node(id))?;
        while let Some(other) = here {
            count += 1;
            here = tree.previous_sibling(other)?;
        }
        Ok(count)
    })
}

/// Returns the nearest element: 0 the first child, 1 the last child, 2 before, 3 after.
fn element(ctx: Ctx<'_>, id: f64, way: u8) -> Result<f64> {
    with(&ctx, |tree| {
        let on: Step = match way {
            0 | 3 => Tree::next_sibling,
            _ => Tree::previous_sibling,
        };
        let mut here = match way {
            0 => tree.first_child(node(id))?,
            1 => tree.last_child(node(id))?,
            _ => on(tree, node(id))?,
        };
        while let Some(other) = here {
            if tree.element_name(other).is_some() {
                return Ok(number(other));
            }
            here = on(tree, other)?;
        }
        Ok(0.0)
    })
}

/// Returns a number that changes whenever a node comes, goes or moves.
fn structure(ctx: Ctx<'_>) -> Result<f64> {
    with(&ctx, |tree| Ok(tree.structure() as f64))
}

fn version(ctx: Ctx<'_>) -> Result<f64> {
    with(&ctx, |tree| Ok(tree.version() as f64))
}
