//! The names that a filter sees, and the values with their paths that it works on.
//!
//! Scopes and paths are shared lists that may become very long; they are freed without recursion.

use std::rc::Rc;

use super::json::Json;
use super::stack::{MAX_FRAMES, Stop, too_deep};
use super::syntax::{Definition, Filter};

/// A scope: the innermost name, if any, and the names around it.
#[derive(Clone, Default)]
pub(super) struct Scope<'a>(Option<Rc<Node<'a>>>);

pub(super) struct Node<'a> {
    pub(super) name: Name<'a>,
    pub(super) outer: Scope<'a>,
    depth: usize,
}

/// A name and its meaning.
pub(super) enum Name<'a> {
    Variable(&'a str, Json),
    /// A parameter that is a value: both a variable and a function.
    Argument(&'a str, Json),
    Function(&'a Definition),
    /// A parameter: the filter that was passed, and the scope it came from.
    Parameter(&'a str, &'a Filter, Scope<'a>),
    Label(&'a str, usize),
}

impl<'a> Scope<'a> {
    pub(super) fn with(&self, name: Name<'a>) -> Result<Self, Stop> {
        let mut depth = self.depth();
        if let Name::Parameter(_, _, from) = &name {
            depth = depth.max(from.depth());
        }
        if depth >= MAX_FRAMES {
            return Err(too_deep());
        }
        Ok(Scope(Some(Rc::new(Node { name, outer: self.clone(), depth: depth + 1 }))))
    }

    pub(super) fn node(&self) -> Option<&Node<'a>> {
        self.0.as_deref()
    }

    fn depth(&self) -> usize {
        self.0.as_ref().map_or(0, |node| node.depth)
    }
}

impl Drop for Scope<'_> {
    fn drop(&mut self) {
        let mut doomed = Vec::new();
        let mut next = self.0.take();
        while let Some(node) = next.take().or_else(|| doomed.pop()) {
            let Some(mut node) = Rc::into_inner(node) else { continue };
            if let Name::Parameter(_, _, from) = &mut node.name {
                doomed.extend(from.0.take());
            }
            next = node.outer.0.take();
        }
    }
}

/// The path of a value, if paths are tracked.
#[derive(Clone)]
pub(super) enum Path {
    Untracked,
    Root,
    Below(Rc<Step>),
    /// The value did not come from the input by a path.
    Lost,
}

pub(super) struct Step {
    above: Path,
    key: Json,
    depth: usize,
}

impl Path {
    pub(super) fn then(&self, key: Json) -> Result<Path, Stop> {
        let depth = match self {
            Path::Untracked => return Ok(Path::Untracked),
            Path::Lost => return Ok(Path::Lost),
            Path::Root => 0,
            Path::Below(step) => step.depth,
        };
        if depth >= MAX_FRAMES {
            return Err(too_deep());
        }
        Ok(Path::Below(Rc::new(Step { above: self.clone(), key, depth: depth + 1 })))
    }

    pub(super) fn lost(&self) -> Path {
        if self.untracked() { Path::Untracked } else { Path::Lost }
    }

    pub(super) fn untracked(&self) -> bool {
        matches!(self, Path::Untracked)
    }

    pub(super) fn keys(&self) -> Vec<Json> {
        let mut keys = Vec::new();
        let mut path = self;
        while let Path::Below(step) = path {
            keys.push(step.key.clone());
            path = &step.above;
        }
        keys.reverse();
        keys
    }
}

impl Drop for Step {
    fn drop(&mut self) {
        let mut next = std::mem::replace(&mut self.above, Path::Lost);
        while let Path::Below(step) = next {
            let Some(mut step) = Rc::into_inner(step) else { return };
            next = std::mem::replace(&mut step.above, Path::Lost);
        }
    }
}

/// A value on its way through a filter.
#[derive(Clone)]
pub(super) struct Item {
    pub(super) path: Path,
    pub(super) value: Json,
}

impl Item {
    pub(super) fn of(value: Json) -> Self {
        Item { path: Path::Untracked, value }
    }

    /// Returns an item that was computed from this one.
    pub(super) fn made(&self, value: Json) -> Self {
        Item { path: self.path.lost(), value }
    }
}
