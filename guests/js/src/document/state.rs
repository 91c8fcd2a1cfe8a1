//! The tree behind the objects, and how natives reach it.

use std::cell::{Cell, RefCell};

use cofferdam_dom::{Budget, DocumentKind, NodeId, Tree};
use rquickjs::{Ctx, Error, JsLifetime, Object, Result};

use super::{changes, markup, named, queries, reads};
use crate::apis::throw_dom_exception;

/// Memory that a tool's documents may hold; the rest of a cell's memory is for its program.
const BUDGET: Budget = Budget { bytes: 40 * 1024 * 1024, nodes: 400_000, depth: 4096 };

pub(super) struct Documents {
    pub(super) tree: RefCell<Tree>,
    /// Number of the document that exists from the start.
    main: Cell<f64>,
}

// SAFETY: no field holds a JavaScript value.
unsafe impl<'js> JsLifetime<'js> for Documents {
    type Changed<'to> = Documents;
}

pub(crate) fn natives<'js>(ctx: &Ctx<'js>, native: &Object<'js>) -> Result<()> {
    let mut tree = Tree::new(BUDGET);
    let main = tree
        .create_document(DocumentKind::Html)
        .and_then(|id| tree.pin(id).map(|()| number(id)))
        .map_err(|error| thrown(ctx, &error))?;
    let documents = Documents { tree: RefCell::new(tree), main: Cell::new(main) };
    ctx.store_userdata(documents).map_err(|_| Error::Unknown)?;
    let dom = Object::new(ctx.clone())?;
    dom.set_prototype(None)?;
    dom.set("main", main)?;
    reads::natives(ctx, &dom)?;
    changes::natives(ctx, &dom)?;
    markup::natives(ctx, &dom)?;
    queries::natives(ctx, &dom)?;
    named::natives(ctx, &dom)?;
    native.set("dom", dom)
}

/// Runs `work` on the tree; its refusal becomes a `DOMException`.
pub(super) fn with<T>(
    ctx: &Ctx<'_>,
    work: impl FnOnce(&mut Tree) -> std::result::Result<T, cofferdam_dom::Error>,
) -> Result<T> {
    let result = match ctx.userdata::<Documents>() {
        Some(documents) => work(&mut documents.tree.borrow_mut()),
        None => return Err(Error::Unknown),
    };
    result.map_err(|error| thrown(ctx, &error))
}

/// Frees the nodes that neither the main document nor the trees of `held` keep.
pub(super) fn collect(ctx: Ctx<'_>, held: Vec<f64>) -> Result<usize> {
    let Some(documents) = ctx.userdata::<Documents>() else { return Err(Error::Unknown) };
    let mut tree = documents.tree.borrow_mut();
    let held: Vec<NodeId> = held.into_iter().map(node).collect();
    for id in &held {
        // One that is gone has nothing to keep.
        let _ = tree.pin(*id);
    }
    debug_assert!(tree.exists(node(documents.main.get())));
    let freed = tree.collect();
    for id in &held {
        tree.unpin(*id);
    }
    Ok(freed)
}

fn thrown(ctx: &Ctx<'_>, error: &cofferdam_dom::Error) -> Error {
    throw_dom_exception(ctx, error.kind().dom_name(), error.message())
}

/// The node that a number from JavaScript names.
pub(super) fn node(number: f64) -> NodeId {
    NodeId::from_number(number as u64)
}

/// The number of a node.
pub(super) fn number(id: NodeId) -> f64 {
    id.to_number() as f64
}

/// The number of a node, or zero.
pub(super) fn maybe(id: Option<NodeId>) -> f64 {
    id.map_or(0.0, number)
}
