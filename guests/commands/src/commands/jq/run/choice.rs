//! Goes back to choices: for another output, after the last output, and after an error.

use super::super::json::Json;
use super::super::scope::{Item, Scope};
use super::super::stack::{Choice, Step, Steps, Stop};
use super::super::syntax::Filter;
use super::item::{element, shallow, size};
use super::{Doing, Next, Run};

impl<'a> Run<'a, '_> {
    /// Goes back to the last choice.
    pub(super) fn back(&mut self) -> Option<Doing<'a>> {
        let again = match self.choices.last_mut()? {
            Choice::Each(item, at, steps) => {
                let part = match element(item, *at) {
                    Ok(part) => part,
                    Err(stop) => return Some(Err(stop)),
                };
                *at += 1;
                // The last element is handed over without the choice, so that it can be a tail call.
                (*at < size(&item.value)).then(|| (part, steps.clone()))
            }
            Choice::Range(at, to, step, path, steps) => {
                let value = *at;
                *at += *step;
                let more = (*step > 0.0 && *at < *to)
                    || (*step < 0.0 && *at > *to)
                    || (*step == 0.0 && *at < *to);
                let item = Item { path: path.clone(), value: value.into() };
                more.then(|| (Some(item), steps.clone()))
            }
            _ => None,
        };
        if let Some((Some(item), steps)) = again {
            return Some(Ok(Next::Give(item, steps)));
        }
        let choice = self.choices.pop()?;
        Some(self.resume(choice))
    }

    fn resume(&mut self, choice: Choice<'a>) -> Doing<'a> {
        Ok(match choice {
            Choice::Run(filter, scope, input, steps) => Next::Run(filter, scope, input, steps),
            Choice::Each(item, at, steps) => match element(&item, at.saturating_sub(1))? {
                Some(part) => {
                    drop(item);
                    Next::Give(part, steps)
                }
                None => Next::Back,
            },
            Choice::Range(at, _, step, path, steps) => {
                Next::Give(Item { path, value: (at - step).into() }, steps)
            }
            Choice::Recurse(mut waiting, steps) => {
                let Some(item) = waiting.pop() else { return Ok(Next::Back) };
                if matches!(item.value, Json::Arr(_) | Json::Obj(_)) {
                    for at in (0..size(&item.value)).rev() {
                        waiting.extend(element(&item, at)?);
                    }
                }
                if !waiting.is_empty() {
                    self.leave(Choice::Recurse(waiting, steps.clone()))?;
                }
                Next::Give(item, steps)
            }
            Choice::Inputs(path, steps) => {
                let next = self.machine.inputs.borrow_mut().next();
                let Some(value) = next else { return Ok(Next::Back) };
                let item = Item { path: path.clone(), value: value? };
                self.leave(Choice::Inputs(path, steps.clone()))?;
                Next::Give(item, steps)
            }
            Choice::Collect(list, path, steps) => {
                Next::Give(Item { path, value: shallow(list.into())? }, steps)
            }
            Choice::Alternative(any, right, scope, input, steps) => {
                if any {
                    return Ok(Next::Back);
                }
                Next::Run(right, scope, input, steps)
            }
            Choice::Reduce(state, steps) => match state {
                Some(state) => Next::Give(state, steps),
                None => Next::Back,
            },
            Choice::Update(last, at, path) => {
                if let Some(Choice::Reduce(state, _)) = self.choices.get_mut(at) {
                    *state = Some(last.unwrap_or(Item { path, value: Json::Null }));
                }
                Next::Back
            }
            Choice::Last(last, steps) => match last {
                Some(item) => Next::Give(item, steps),
                None => Next::Back,
            },
            Choice::Otherwise(truth, path, steps) => {
                Next::Give(Item { path, value: truth.into() }, steps)
            }
            Choice::Change(mut changing, steps) => {
                if changing.collected {
                    changing.delete();
                }
                changing.collected = true;
                self.leave(Choice::Change(changing, steps))?;
                return self.advance();
            }
            Choice::Try(..)
            | Choice::Passed(_)
            | Choice::Label(_)
            | Choice::Foreach(_)
            | Choice::Patterns(..)
            | Choice::First(_)
            | Choice::Count(_) => Next::Back,
        })
    }

    /// Returns the next thing to do after a stop, or the stop if nothing catches it.
    pub(super) fn caught(&mut self, stop: Stop) -> Result<Doing<'a>, Stop> {
        while let Some(choice) = self.choices.pop() {
            match (choice, &stop) {
                (_, Stop::Halt(_)) => {}
                (Choice::Label(label), Stop::Break(wanted)) if label == *wanted => {
                    return Ok(Ok(Next::Back));
                }
                (Choice::Passed(at), _) => self.choices.truncate(at),
                (Choice::Try(None, ..), Stop::Error(_)) => return Ok(Ok(Next::Back)),
                (Choice::Try(Some(handler), scope, input, steps), Stop::Error(error)) => {
                    let item = input.made(error.clone());
                    return Ok(Ok(Next::Run(handler, scope, item, steps)));
                }
                (Choice::Patterns(patterns, value, binding, steps), Stop::Error(_)) => {
                    return Ok(self.try_patterns(patterns, value, binding, steps));
                }
                _ => {}
            }
        }
        Err(stop)
    }

    pub(super) fn attempt(
        &mut self,
        body: &'a Filter,
        handler: &'a Option<Box<Filter>>,
        scope: Scope<'a>,
        input: Item,
        steps: Steps<'a>,
    ) -> Doing<'a> {
        if input.path.untracked()
            && let Some(value) = self.quick(body, &scope, &input.value)
        {
            return match (value, handler) {
                (Ok(value), _) => Ok(Next::Give(Item::of(value), steps)),
                (Err(Stop::Error(_)), None) => Ok(Next::Back),
                (Err(Stop::Error(error)), Some(handler)) => {
                    Ok(Next::Run(handler, scope, Item::of(error), steps))
                }
                (Err(stop), _) => Err(stop),
            };
        }
        let choice = (scope.clone(), input.clone(), steps.clone());
        let at = self.leave(Choice::Try(handler.as_deref(), choice.0, choice.1, choice.2))?;
        Ok(Next::Run(body, scope, input, steps.then(Step::Tried(at))?))
    }
}
