//! Finds the parts of a filter that have exactly one output and call no function of the program:
//! they run at once, and most of a program consists of them.

use super::program::defines;
use super::run::Globals;
use super::syntax::{Definition, Filter};
use super::{library, math};

/// Marks such parts in a program and in the functions of the prelude.
pub(super) fn mark(filter: &mut Filter, globals: &mut Globals) {
    let mut names: Vec<(String, usize)> = Vec::new();
    let mut own: Vec<Definition> = globals.drain().flat_map(|(_, list)| list).collect();
    names.extend(own.iter().map(|known| (known.name.clone(), known.parameters.len())));
    for definition in &mut own {
        body(definition, &mut names);
    }
    if part(filter, &mut names) {
        wrap(filter);
    }
    for definition in own {
        globals.entry(definition.name.clone()).or_default().push(definition);
    }
    debug_assert!(names.iter().all(|name| defines(globals, name)));
}

fn body(definition: &mut Definition, names: &mut Vec<(String, usize)>) {
    let before = names.len();
    let parameters = definition.parameters.iter();
    names.extend(parameters.map(|name| (name.trim_start_matches('$').to_owned(), 0)));
    if part(&mut definition.body, names) {
        wrap(&mut definition.body);
    }
    names.truncate(before);
}

/// Returns true if the filter is a single one; if it is not, its parts that are single are marked.
fn part(filter: &mut Filter, names: &mut Vec<(String, usize)>) -> bool {
    if let Filter::Define(definition, rest) = filter {
        names.push((definition.name.clone(), definition.parameters.len()));
        body(definition, names);
        if part(rest, names) {
            wrap(rest);
        }
        names.pop();
        return false;
    }
    let may = may_be(filter, names);
    let mut parts = filter.parts();
    let single: Vec<bool> = parts.iter_mut().map(|inner| part(inner, names)).collect();
    if may && single.iter().all(|single| *single) {
        return true;
    }
    parts.into_iter().zip(single).filter(|(_, single)| *single).for_each(|(inner, _)| wrap(inner));
    false
}

fn wrap(filter: &mut Filter) {
    if !matches!(filter, Filter::Identity | Filter::Literal(_) | Filter::Variable(_)) {
        *filter = Filter::Single(Box::new(std::mem::replace(filter, Filter::Identity)));
    }
}

/// Returns true if the filter is a single one as soon as all its parts are.
fn may_be(filter: &Filter, names: &[(String, usize)]) -> bool {
    match filter {
        Filter::Identity
        | Filter::Single(_)
        | Filter::Literal(_)
        | Filter::Text(..)
        | Filter::Format(_)
        | Filter::Index(..)
        | Filter::Array(_)
        | Filter::Object(_)
        | Filter::Negate(_)
        | Filter::Pipe(..)
        | Filter::Binary(..)
        | Filter::And(..)
        | Filter::Or(..)
        | Filter::Alternative(..)
        | Filter::If(..)
        | Filter::Variable(_) => true,
        Filter::Call(name, arguments) => {
            let called = (name.as_str(), arguments.len());
            let known = library::NAMES.contains(&called) || math::NAMES.contains(&called);
            let own = names.iter().any(|(name, arity)| (name.as_str(), *arity) == called);
            known && !own && !library::MANY.contains(&called)
        }
        Filter::RecurseAll
        | Filter::Iterate(_)
        | Filter::Comma(..)
        | Filter::Assign(..)
        | Filter::Modify(..)
        | Filter::Change(..)
        | Filter::Try(..)
        | Filter::Reduce(..)
        | Filter::Foreach(..)
        | Filter::Bind(..)
        | Filter::Define(..)
        | Filter::Label(..)
        | Filter::Break(_) => false,
    }
}
