//! Natives that create and change nodes.

use cofferdam_dom::{
    Change, Cloning, Custom, DocumentKind, Named, NodeId, existing_name, html_name, qualified_name,
    unsplit_name,
};
use rquickjs::function::Func;
use rquickjs::{Ctx, Object, Result};

use super::state::{collect, node, number, with};
use crate::apis::base::text::Text;

pub(super) fn natives<'js>(_: &Ctx<'js>, dom: &Object<'js>) -> Result<()> {
    dom.set("createDocument", Func::from(create_document))?;
    dom.set("createHtml", Func::from(create_html))?;
    dom.set("createElement", Func::from(create_element))?;
    dom.set("createUnsplit", Func::from(create_unsplit))?;
    dom.set("createText", Func::from(create_text))?;
    dom.set("createCData", Func::from(create_cdata))?;
    dom.set("createComment", Func::from(create_comment))?;
    dom.set("createInstruction", Func::from(create_instruction))?;
    dom.set("createDoctype", Func::from(create_doctype))?;
    dom.set("createFragment", Func::from(create_fragment))?;
    dom.set("insert", Func::from(insert))?;
    dom.set("checkInsert", Func::from(check_insert))?;
    dom.set("replace", Func::from(replace))?;
    dom.set("remove", Func::from(remove))?;
    dom.set("replaceChildren", Func::from(replace_children))?;
    dom.set("adopt", Func::from(adopt))?;
    dom.set("clone", Func::from(clone))?;
    dom.set("normalize", Func::from(normalize))?;
    dom.set("setData", Func::from(set_data))?;
    dom.set("setAttribute", Func::from(set_attribute))?;
    dom.set("setAttributeNs", Func::from(set_attribute_ns))?;
    dom.set("putAttribute", Func::from(put_attribute))?;
    dom.set("attributeName", Func::from(attribute_name))?;
    dom.set("setChecked", Func::from(set_checked))?;
    dom.set("resetChecked", Func::from(reset_checked))?;
    dom.set("isChecked", Func::from(is_checked))?;
    dom.set("setFocus", Func::from(set_focus))?;
    dom.set("setSelected", Func::from(set_selected))?;
    dom.set("clearSelected", Func::from(clear_selected))?;
    dom.set("setCustom", Func::from(set_custom))?;
    dom.set("attachShadow", Func::from(attach_shadow))?;
    dom.set("removeAttribute", Func::from(remove_attribute))?;
    dom.set("removeAttributeNs", Func::from(remove_attribute_ns))?;
    dom.set("isWorthCollecting", Func::from(is_worth_collecting))?;
    dom.set("collect", Func::from(collect))?;
    dom.set("runGc", Func::from(|ctx: Ctx<'js>| ctx.run_gc()))
}

fn create_document(ctx: Ctx<'_>, html: bool) -> Result<f64> {
    let kind = if html { DocumentKind::Html } else { DocumentKind::Xml };
    with(&ctx, |tree| tree.create_document(kind).map(number))
}

/// Creates an HTML element; the name is in lower case already.
fn create_html(ctx: Ctx<'_>, document: f64, local: Text) -> Result<f64> {
    with(&ctx, |tree| tree.create_element(node(document), html_name(&local.0)).map(number))
}

fn create_element(ctx: Ctx<'_>, document: f64, namespace: Text, name: Text) -> Result<f64> {
    with(&ctx, |tree| {
        let name = qualified_name(&namespace.0, &name.0, Named::Element)?;
        tree.create_element(node(document), name).map(number)
    })
}

/// Creates an element whose local name is the whole name, colons included.
fn create_unsplit(ctx: Ctx<'_>, document: f64, namespace: Text, name: Text) -> Result<f64> {
    with(&ctx, |tree| {
        let name = unsplit_name(&namespace.0, &name.0)?;
        tree.create_element(node(document), name).map(number)
    })
}

fn create_text(ctx: Ctx<'_>, document: f64, text: Text) -> Result<f64> {
    with(&ctx, |tree| tree.create_text(node(document), &text.0).map(number))
}

fn create_cdata(ctx: Ctx<'_>, document: f64, text: Text) -> Result<f64> {
    with(&ctx, |tree| tree.create_cdata(node(document), &text.0).map(number))
}

fn create_comment(ctx: Ctx<'_>, document: f64, text: Text) -> Result<f64> {
    with(&ctx, |tree| tree.create_comment(node(document), &text.0).map(number))
}

fn create_instruction(ctx: Ctx<'_>, document: f64, target: Text, data: Text) -> Result<f64> {
    with(&ctx, |tree| tree.create_instruction(node(document), &target.0, &data.0).map(number))
}

fn create_doctype(
    ctx: Ctx<'_>,
    document: f64,
    name: Text,
    public: Text,
    system: Text,
) -> Result<f64> {
    with(&ctx, |tree| {
        tree.create_doctype(node(document), &name.0, &public.0, &system.0).map(number)
    })
}

fn create_fragment(ctx: Ctx<'_>, document: f64) -> Result<f64> {
    with(&ctx, |tree| tree.create_fragment(node(document)).map(number))
}

/// Returns `None` for zero, which is no node.
fn maybe_node(id: f64) -> Option<NodeId> {
    (id != 0.0).then(|| node(id))
}

fn insert(ctx: Ctx<'_>, parent: f64, new: f64, before: f64) -> Result<()> {
    with(&ctx, |tree| tree.insert_before(node(parent), node(new), maybe_node(before)))
}

/// Throws if a change would: 0 `insert`, 1 `replace` of `before`, 2 `replaceChildren`.
fn check_insert(ctx: Ctx<'_>, parent: f64, new: f64, before: f64, change: u8) -> Result<()> {
    with(&ctx, |tree| {
        let change = match change {
            0 => Change::Insert,
            1 => Change::Replace,
            _ => Change::ReplaceAll,
        };
        tree.check_insert(node(parent), node(new), maybe_node(before), change)
    })
}

fn replace(ctx: Ctx<'_>, parent: f64, new: f64, old: f64) -> Result<()> {
    with(&ctx, |tree| tree.replace_child(node(parent), node(new), node(old)))
}

fn remove(ctx: Ctx<'_>, parent: f64, old: f64) -> Result<()> {
    with(&ctx, |tree| tree.remove_child(node(parent), node(old)))
}

fn replace_children(ctx: Ctx<'_>, parent: f64, new: f64) -> Result<()> {
    with(&ctx, |tree| tree.replace_children(node(parent), maybe_node(new)))
}

fn adopt(ctx: Ctx<'_>, id: f64, document: f64) -> Result<()> {
    with(&ctx, |tree| tree.adopt(node(id), node(document)))
}

fn clone(ctx: Ctx<'_>, id: f64, deep: bool, document: f64) -> Result<f64> {
    let cloning = if deep { Cloning::Deep } else { Cloning::Shallow };
    with(&ctx, |tree| tree.clone_node(node(id), cloning, node(document)).map(number))
}

fn normalize(ctx: Ctx<'_>, id: f64) -> Result<()> {
    with(&ctx, |tree| tree.normalize(node(id)))
}

fn set_data(ctx: Ctx<'_>, id: f64, text: Text) -> Result<()> {
    with(&ctx, |tree| tree.set_data(node(id), &text.0))
}

fn set_attribute(ctx: Ctx<'_>, id: f64, name: Text, value: Text) -> Result<()> {
    with(&ctx, |tree| tree.set_attribute(node(id), &name.0, &value.0))
}

fn set_attribute_ns(ctx: Ctx<'_>, id: f64, namespace: Text, name: Text, value: Text) -> Result<()> {
    with(&ctx, |tree| {
        let name = qualified_name(&namespace.0, &name.0, Named::Attribute)?;
        tree.set_attribute_ns(node(id), name, &value.0)
    })
}

/// Returns prefix and local name of a qualified name, which must be valid for an attribute.
fn attribute_name(ctx: Ctx<'_>, namespace: Text, name: Text) -> Result<Vec<String>> {
    with(&ctx, |_| {
        let name = qualified_name(&namespace.0, &name.0, Named::Attribute)?;
        let prefix = name.prefix.as_deref().unwrap_or_default();
        Ok(vec![prefix.to_owned(), name.local.to_string()])
    })
}

fn set_checked(ctx: Ctx<'_>, id: f64, checked: bool) -> Result<()> {
    with(&ctx, |tree| tree.set_checked(node(id), checked))
}

fn reset_checked(ctx: Ctx<'_>, id: f64) -> Result<()> {
    with(&ctx, |tree| tree.reset_checked(node(id)))
}

/// Gives the focus to an element; zero takes it from all.
fn set_focus(ctx: Ctx<'_>, id: f64) -> Result<()> {
    with(&ctx, |tree| {
        tree.set_focus(maybe_node(id));
        Ok(())
    })
}

fn is_checked(ctx: Ctx<'_>, id: f64) -> Result<bool> {
    with(&ctx, |tree| tree.is_checked(node(id)))
}

fn set_selected(ctx: Ctx<'_>, id: f64, selected: bool) -> Result<()> {
    with(&ctx, |tree| tree.set_selected(node(id), selected))
}

/// Chooses no option of a select.
fn clear_selected(ctx: Ctx<'_>, id: f64) -> Result<()> {
    with(&ctx, |tree| tree.clear_selected(node(id)))
}

/// Records the progress of a custom element: true if its constructor has run.
fn set_custom(ctx: Ctx<'_>, id: f64, defined: bool) -> Result<()> {
    let custom = if defined { Custom::Defined } else { Custom::Waiting };
    with(&ctx, |tree| tree.set_custom(node(id), custom))
}

fn attach_shadow(ctx: Ctx<'_>, host: f64) -> Result<f64> {
    with(&ctx, |tree| tree.attach_shadow(node(host)).map(number))
}

/// Sets an attribute whose name exists already, which may be one that only a parser makes.
fn put_attribute(
    ctx: Ctx<'_>,
    id: f64,
    namespace: Text,
    prefix: Text,
    local: Text,
    value: Text,
) -> Result<()> {
    with(&ctx, |tree| {
        let name = existing_name(&namespace.0, &prefix.0, &local.0);
        tree.put_attribute(node(id), name, &value.0)
    })
}

fn remove_attribute(ctx: Ctx<'_>, id: f64, name: Text) -> Result<bool> {
    with(&ctx, |tree| tree.remove_attribute(node(id), &name.0))
}

fn remove_attribute_ns(ctx: Ctx<'_>, id: f64, namespace: Text, local: Text) -> Result<bool> {
    with(&ctx, |tree| tree.remove_attribute_ns(node(id), &namespace.0, &local.0))
}

fn is_worth_collecting(ctx: Ctx<'_>) -> Result<bool> {
    with(&ctx, |tree| Ok(tree.is_worth_collecting()))
}
