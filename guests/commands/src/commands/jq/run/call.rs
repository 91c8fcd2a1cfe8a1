//! Calls functions: finds the definition, and sets the parameters.

use super::super::json::Json;
use super::super::library;
use super::super::scope::{Item, Name, Scope};
use super::super::stack::{Entering, Step, Steps, Stop};
use super::super::syntax::{Definition, Filter};
use super::{Doing, Next, Run};

impl<'a> Run<'a, '_> {
    pub(super) fn call(
        &mut self,
        name: &'a str,
        arguments: &'a [Filter],
        scope: Scope<'a>,
        input: Item,
        steps: Steps<'a>,
    ) -> Doing<'a> {
        let mut at = &scope;
        while let Some(node) = at.node() {
            match &node.name {
                Name::Parameter(known, filter, from) if *known == name && arguments.is_empty() => {
                    return Ok(Next::Run(filter, from.clone(), input, steps));
                }
                Name::Argument(known, value) if *known == name && arguments.is_empty() => {
                    return Ok(Next::Give(input.made(value.clone()), steps));
                }
                Name::Function(definition)
                    if definition.name == name
                        && definition.parameters.len() == arguments.len() =>
                {
                    let inner = at.clone();
                    return self.enter(definition, inner, arguments, scope, input, steps);
                }
                _ => at = &node.outer,
            }
        }
        if let Some(definition) = self.machine.global(name, arguments.len()) {
            let inner = Scope::default();
            return self.enter(definition, inner, arguments, scope, input, steps);
        }
        library::call(self, name, arguments, scope, input, steps)
    }

    /// Runs a function's body with its parameters in scope.
    fn enter(
        &mut self,
        definition: &'a Definition,
        inner: Scope<'a>,
        arguments: &'a [Filter],
        scope: Scope<'a>,
        input: Item,
        steps: Steps<'a>,
    ) -> Doing<'a> {
        if arguments.is_empty() {
            return Ok(Next::Run(&definition.body, inner, input, steps));
        }
        if definition.parameters.iter().all(|name| !name.starts_with('$')) {
            let mut inner = inner;
            for (name, argument) in definition.parameters.iter().zip(arguments) {
                inner = inner.with(passed(name, argument, &scope))?;
            }
            return Ok(Next::Run(&definition.body, inner, input, steps));
        }
        let entering = Entering { definition, arguments, set: 0, inner, scope, input };
        self.parameters(Box::new(entering), steps)
    }

    pub(super) fn parameters(
        &mut self,
        mut entering: Box<Entering<'a>>,
        steps: Steps<'a>,
    ) -> Doing<'a> {
        while let Some(name) = entering.definition.parameters.get(entering.set) {
            let argument = &entering.arguments[entering.set];
            if !name.starts_with('$') {
                entering.inner = entering.inner.with(passed(name, argument, &entering.scope))?;
                entering.set += 1;
                continue;
            }
            match self.quick(argument, &entering.scope, &entering.input.value) {
                Some(value) => entering.value(value?)?,
                None => {
                    let scope = entering.scope.clone();
                    let input = Item::of(entering.input.value.clone());
                    let steps = steps.then(Step::Parameter(entering))?;
                    return Ok(Next::Run(argument, scope, input, steps));
                }
            }
        }
        let Entering { definition, inner, input, .. } = *entering;
        Ok(Next::Run(&definition.body, inner, input, steps))
    }
}

impl Entering<'_> {
    /// Sets the next parameter, which is a value.
    pub(super) fn value(&mut self, value: Json) -> Result<(), Stop> {
        if let Some(name) = self.definition.parameters.get(self.set) {
            let name = name.trim_start_matches('$');
            self.inner = self.inner.with(Name::Argument(name, value))?;
        }
        self.set += 1;
        Ok(())
    }
}

/// Returns the name of a parameter with the filter that is passed for it.
///
/// A parameter that is passed on is passed as what it is, so that functions that call themselves do
/// not make a chain of it.
fn passed<'a>(name: &'a str, argument: &'a Filter, scope: &Scope<'a>) -> Name<'a> {
    if let Filter::Call(called, arguments) = argument
        && arguments.is_empty()
    {
        let mut at = scope;
        while let Some(node) = at.node() {
            match &node.name {
                Name::Parameter(known, filter, from) if known == called => {
                    return Name::Parameter(name, filter, from.clone());
                }
                Name::Argument(known, _) if known == called => break,
                Name::Function(known) if known.name == *called && known.parameters.is_empty() => {
                    break;
                }
                _ => at = &node.outer,
            }
        }
    }
    Name::Parameter(name, argument, scope.clone())
}
