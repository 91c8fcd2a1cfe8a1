//! Runs filters, without recursion in the functions of a program: steps that wait and places to go
//! back to are on the heap (see [`super::stack`]), so that a call in the last place takes no room, and
//! any other call takes some memory instead of native stack.
//!
//! In the order of a run: [`filter`] and [`call`] decide what runs next, [`step`] does what waits for
//! an output, [`choice`] goes back. [`build`], [`change`] and [`binding`] are for filters that take
//! several steps, [`machine`] is for filters that take none.

mod binding;
mod build;
mod call;
mod change;
mod choice;
mod filter;
mod item;
mod machine;
mod operator;
mod step;

use super::format;
use super::json::Json;
use super::scope::{Item, Name, Scope};
use super::stack::{Choice, MAX_FRAMES, MAX_HEAVY, Step, Steps, Stop, too_deep};
use super::syntax::Filter;
pub(super) use item::{part, shallow};
pub(in crate::commands) use machine::Inputs;
use machine::is_quick;
pub(super) use machine::{Globals, Machine};

/// A filter that runs on one input; it is asked for its outputs one by one.
pub(super) struct Run<'a, 'm> {
    pub(super) machine: &'m Machine<'a>,
    choices: Vec<Choice<'a>>,
    /// Places of choices that take much memory; those that are gone are removed later.
    heavy: Vec<usize>,
    next: Next<'a>,
}

/// The next thing to do.
pub(super) enum Next<'a> {
    Run(&'a Filter, Scope<'a>, Item, Steps<'a>),
    /// Hands the item to the steps.
    Give(Item, Steps<'a>),
    /// Goes back to the last choice.
    Back,
}

type Doing<'a> = Result<Next<'a>, Stop>;

impl<'a, 'm> Run<'a, 'm> {
    pub(super) fn new(
        machine: &'m Machine<'a>,
        filter: &'a Filter,
        scope: &Scope<'a>,
        input: Json,
    ) -> Self {
        let next = Next::Run(filter, scope.clone(), Item::of(input), Steps::default());
        Run { machine, choices: Vec::new(), heavy: Vec::new(), next }
    }

    /// Leaves a place to go back to, and returns its number.
    pub(super) fn leave(&mut self, choice: Choice<'a>) -> Result<usize, Stop> {
        if self.choices.len() >= MAX_FRAMES {
            return Err(too_deep());
        }
        let at = self.choices.len();
        if choice.heavy() {
            while self.heavy.last().is_some_and(|last| *last >= at) {
                self.heavy.pop();
            }
            if self.heavy.len() >= MAX_HEAVY {
                self.heavy.retain(|at| self.choices.get(*at).is_some_and(Choice::heavy));
            }
            if self.heavy.len() >= MAX_HEAVY {
                return Err(too_deep());
            }
            self.heavy.push(at);
        }
        self.choices.push(choice);
        Ok(at)
    }

    fn run(
        &mut self,
        filter: &'a Filter,
        scope: Scope<'a>,
        input: Item,
        steps: Steps<'a>,
    ) -> Doing<'a> {
        let (mut filter, mut scope, mut input, mut steps) = (filter, scope, input, steps);
        loop {
            match filter {
                Filter::Identity => return Ok(Next::Give(input, steps)),
                Filter::Single(inner) => {
                    if !input.path.untracked() && keeps_paths(inner) {
                        filter = inner;
                        continue;
                    }
                    let path = input.path.lost();
                    let value = self.machine.single(inner, &scope, input.value)?;
                    return Ok(Next::Give(Item { path, value }, steps));
                }
                Filter::Pipe(first, second) => {
                    if input.path.untracked() && is_quick(first) {
                        input = Item::of(self.machine.single(first, &scope, input.value)?);
                        filter = second;
                    } else {
                        steps = steps.then(Step::Run(second, scope.clone()))?;
                        filter = first;
                    }
                }
                Filter::If(condition, then, otherwise) => {
                    if let Some(truth) = self.quick(condition, &scope, &input.value) {
                        filter = if truth?.is_true() { then } else { otherwise };
                    } else {
                        let value = Item::of(input.value.clone());
                        steps = steps.then(Step::Branch(then, otherwise, scope.clone(), input))?;
                        (filter, input) = (condition, value);
                    }
                }
                Filter::Call(name, arguments) => {
                    match self.call(name, arguments, scope, input, steps)? {
                        Next::Run(f, s, i, rest) => (filter, scope, input, steps) = (f, s, i, rest),
                        other => return Ok(other),
                    }
                }
                Filter::Comma(first, second) => {
                    let other = (scope.clone(), input.clone(), steps.clone());
                    self.leave(Choice::Run(second, other.0, other.1, other.2))?;
                    filter = first;
                }
                Filter::Define(definition, rest) => {
                    scope = scope.with(Name::Function(definition))?;
                    filter = rest;
                }
                other => return self.other(other, scope, input, steps),
            }
        }
    }

    /// Returns the only output of a filter that has one and needs no steps.
    pub(super) fn quick(
        &self,
        filter: &'a Filter,
        scope: &Scope<'a>,
        input: &Json,
    ) -> Option<Result<Json, Stop>> {
        match filter {
            Filter::Literal(value) => Some(Ok(value.clone())),
            other if is_quick(other) => Some(self.machine.single(other, scope, input.clone())),
            _ => None,
        }
    }
}

impl Iterator for Run<'_, '_> {
    type Item = Result<Json, Stop>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut next = std::mem::replace(&mut self.next, Next::Back);
        loop {
            let done = match next {
                Next::Run(filter, scope, input, steps) => self.run(filter, scope, input, steps),
                Next::Give(item, steps) => match steps.split() {
                    Some((step, steps)) => self.give(step, item, steps),
                    None => return Some(Ok(item.value)),
                },
                Next::Back => self.back()?,
            };
            next = match done {
                Ok(next) => next,
                Err(stop) => {
                    let mut stop = stop;
                    loop {
                        match self.caught(stop) {
                            Ok(Ok(next)) => break next,
                            Ok(Err(again)) => stop = again,
                            Err(stop) => return Some(Err(stop)),
                        }
                    }
                }
            };
        }
    }
}

/// Returns true if outputs of the filter may have the paths of its inputs.
fn keeps_paths(filter: &Filter) -> bool {
    match filter {
        Filter::Identity
        | Filter::Single(_)
        | Filter::Index(..)
        | Filter::Pipe(..)
        | Filter::If(..)
        | Filter::Alternative(..) => true,
        Filter::Call(name, _) => name == "getpath" || name == "error",
        _ => false,
    }
}
