//! Runs the filters that functions seldom end with: all but pipes, branches, calls and the like.

use super::super::json::Object;
use super::super::scope::{Item, Name, Scope};
use super::super::stack::{Bound, Building, Change, Choice, Step, Steps, Stop, Writing};
use super::super::syntax::Filter;
use super::{Doing, Next, Run, format};

impl<'a> Run<'a, '_> {
    /// Runs filters that functions seldom end with.
    pub(super) fn other(
        &mut self,
        filter: &'a Filter,
        scope: Scope<'a>,
        input: Item,
        steps: Steps<'a>,
    ) -> Doing<'a> {
        Ok(match filter {
            Filter::RecurseAll => {
                self.leave(Choice::Recurse(vec![input], steps))?;
                Next::Back
            }
            Filter::Literal(value) => Next::Give(input.made(value.clone()), steps),
            Filter::Variable(name) => {
                Next::Give(input.made(self.machine.variable(name, &scope)), steps)
            }
            Filter::Text(format, parts) => {
                let (format, tail) = (format.as_deref(), String::new());
                return self.write(Box::new(Writing { format, parts, tail, scope, input }), steps);
            }
            Filter::Format(name) => {
                let text = format::apply(name, &input.value)?;
                Next::Give(input.made(text.into()), steps)
            }
            Filter::Index(term, key) => match self.quick(key, &scope, &input.value) {
                Some(key) => Next::Run(term, scope, input, steps.then(Step::Part(key?))?),
                None => {
                    let value = Item::of(input.value.clone());
                    let step = Step::PartOf(term, scope.clone(), input);
                    Next::Run(key, scope, value, steps.then(step)?)
                }
            },
            Filter::Iterate(term) => Next::Run(term, scope, input, steps.then(Step::Each)?),
            Filter::Array(None) => Next::Give(input.made(Vec::new().into()), steps),
            Filter::Array(Some(inner)) => {
                let at = self.leave(Choice::Collect(Vec::new(), input.path.lost(), steps))?;
                let steps = Steps::default().then(Step::Collect(at))?;
                Next::Run(inner, scope, Item::of(input.value), steps)
            }
            Filter::Object(members) => {
                let object = Object::default();
                return self.build(Box::new(Building { members, object, scope, input }), steps);
            }
            Filter::Negate(operand) => {
                let steps = steps.then(Step::Negate(input.path.lost()))?;
                Next::Run(operand, scope, Item::of(input.value), steps)
            }
            Filter::Binary(operator, left, right) => {
                match self.quick(right, &scope, &input.value) {
                    Some(right) => {
                        let step = Step::Calculate(*operator, right?, input.path.lost());
                        Next::Run(left, scope, Item::of(input.value), steps.then(step)?)
                    }
                    None => {
                        let value = Item::of(input.value.clone());
                        let step = Step::Left(*operator, left, scope.clone(), input);
                        Next::Run(right, scope, value, steps.then(step)?)
                    }
                }
            }
            Filter::And(left, right) | Filter::Or(left, right) => {
                let stops_at = matches!(filter, Filter::Or(..));
                let value = Item::of(input.value.clone());
                let step = Step::Both(right, stops_at, scope.clone(), input);
                Next::Run(left, scope, value, steps.then(step)?)
            }
            Filter::Alternative(left, right) => {
                let choice = (scope.clone(), input.clone(), steps.clone());
                let choice = Choice::Alternative(false, right, choice.0, choice.1, choice.2);
                let at = self.leave(choice)?;
                Next::Run(left, scope, input, steps.then(Step::Alternative(at))?)
            }
            Filter::Assign(target, source) => {
                return self.assign(source, None, true, (target, scope), input, steps);
            }
            Filter::Change(operator, target, source) => {
                return self.assign(source, *operator, false, (target, scope), input, steps);
            }
            Filter::Modify(target, change) => {
                let how = Change::Modify(change, scope.clone());
                return self.change(how, target, scope, input, steps);
            }
            Filter::Try(body, handler) => return self.attempt(body, handler, scope, input, steps),
            Filter::Reduce(source, patterns, init, update) => {
                let value = input.value.clone();
                let step = Step::Fold(source, patterns, update, None, scope.clone(), value);
                Next::Run(init, scope, input, steps.then(step)?)
            }
            Filter::Foreach(source, patterns, init, update, extract) => {
                let (value, extract) = (input.value.clone(), Some(extract.as_deref()));
                let step = Step::Fold(source, patterns, update, extract, scope.clone(), value);
                Next::Run(init, scope, input, steps.then(step)?)
            }
            Filter::Bind(source, patterns, body) => {
                match self.quick(source, &scope, &input.value) {
                    Some(value) => {
                        let then = Bound::Body(body, input);
                        return self.patterns(patterns, scope, value?, then, steps);
                    }
                    None => {
                        let value = Item::of(input.value.clone());
                        let then = Bound::Body(body, input);
                        let step = Step::Bind(patterns, scope.clone(), then);
                        Next::Run(source, scope, value, steps.then(step)?)
                    }
                }
            }
            Filter::Label(name, body) => {
                self.machine.labels.set(self.machine.labels.get() + 1);
                let label = self.machine.labels.get();
                self.leave(Choice::Label(label))?;
                Next::Run(body, scope.with(Name::Label(name, label))?, input, steps)
            }
            Filter::Break(name) => {
                let mut at = &scope;
                while let Some(node) = at.node() {
                    match &node.name {
                        Name::Label(label, number) if label == name => {
                            return Err(Stop::Break(*number));
                        }
                        _ => at = &node.outer,
                    }
                }
                return Err(format!("$*label-{name} is not defined").into());
            }
            Filter::Identity
            | Filter::Single(_)
            | Filter::Pipe(..)
            | Filter::If(..)
            | Filter::Call(..)
            | Filter::Comma(..)
            | Filter::Define(..) => Next::Run(filter, scope, input, steps),
        })
    }
}
