//! Does the steps that wait for an item.

use super::super::library;
use super::super::scope::Item;
use super::super::stack::{Bound, Change, Choice, Step, Steps, Stop};
use super::build::key_of;
use super::item::{element, keys, part};
use super::operator::{calculate, negated};
use super::{Doing, Next, Run};

impl<'a> Run<'a, '_> {
    /// Does a step with an item.
    pub(super) fn give(&mut self, step: Step<'a>, item: Item, steps: Steps<'a>) -> Doing<'a> {
        Ok(match step {
            Step::Run(filter, scope) => Next::Run(filter, scope, item, steps),
            Step::Branch(then, otherwise, scope, input) => {
                let branch = if item.value.is_true() { then } else { otherwise };
                Next::Run(branch, scope, input, steps)
            }
            Step::Part(key) => Next::Give(part(&item, key)?, steps),
            Step::PartOf(term, scope, input) => {
                Next::Run(term, scope, input, steps.then(Step::Part(item.value))?)
            }
            Step::Each => {
                if element(&item, 0)?.is_none() {
                    return Ok(Next::Back);
                }
                self.leave(Choice::Each(item, 0, steps))?;
                Next::Back
            }
            Step::Negate(path) => Next::Give(Item { path, value: negated(item.value)? }, steps),
            Step::Left(operator, left, scope, input) => {
                let step = Step::Calculate(operator, item.value, input.path.lost());
                Next::Run(left, scope, Item::of(input.value), steps.then(step)?)
            }
            Step::Calculate(operator, right, path) => {
                let value = calculate(operator, item.value, right)?;
                Next::Give(Item { path, value }, steps)
            }
            Step::Both(right, stops_at, scope, input) => {
                let path = input.path.lost();
                if item.value.is_true() == stops_at {
                    return Ok(Next::Give(Item { path, value: stops_at.into() }, steps));
                }
                Next::Run(right, scope, Item::of(input.value), steps.then(Step::Truth(path))?)
            }
            Step::Truth(path) => {
                Next::Give(Item { path, value: item.value.is_true().into() }, steps)
            }
            Step::Collect(at) => {
                if let Some(Choice::Collect(list, ..)) = self.choices.get_mut(at) {
                    list.push(item.value);
                }
                Next::Back
            }
            Step::CollectPath(at) => {
                let keys = keys(&item)?;
                if let Some(Choice::Change(changing, _)) = self.choices.get_mut(at) {
                    changing.paths.push(keys);
                }
                Next::Back
            }
            Step::ShowPath(path) => Next::Give(Item { path, value: keys(&item)?.into() }, steps),
            Step::Key(building) => {
                let key = key_of(item.value)?;
                return self.member(key, building, steps);
            }
            Step::Member(key, mut building) => {
                building.object.insert(key, item.value);
                return self.build(building, steps);
            }
            Step::Text(mut writing) => {
                writing.add(&item.value)?;
                return self.write(writing, steps);
            }
            Step::Argument(mut calling) => {
                calling.values.push(item.value);
                return library::arguments(self, calling, steps);
            }
            Step::Parameter(mut entering) => {
                entering.value(item.value)?;
                return self.parameters(entering, steps);
            }
            Step::Tried(at) => {
                self.pass(at)?;
                Next::Give(item, steps)
            }
            Step::Alternative(at) => {
                if !item.value.is_true() {
                    return Ok(Next::Back);
                }
                if let Some(Choice::Alternative(any, ..)) = self.choices.get_mut(at) {
                    *any = true;
                }
                if self.choices.len() == at + 1 {
                    // The left side has no other output.
                    self.choices.pop();
                }
                Next::Give(item, steps)
            }
            Step::Bind(patterns, scope, then) => {
                return self.patterns(patterns, scope, item.value, then, steps);
            }
            Step::BindMember(mut binding) => {
                binding.key(item.value)?;
                return self.bind(binding, steps);
            }
            Step::Fold(source, patterns, update, extract, scope, input) => {
                let steps = match extract {
                    None => {
                        let at = self.leave(Choice::Reduce(Some(item), steps))?;
                        let then = Bound::Reduce(at, update);
                        Steps::default().then(Step::Bind(patterns, scope.clone(), then))?
                    }
                    Some(extract) => {
                        let at = self.leave(Choice::Foreach(item))?;
                        let then = Bound::Foreach(at, update, extract);
                        steps.then(Step::Bind(patterns, scope.clone(), then))?
                    }
                };
                Next::Run(source, scope, Item::of(input), steps)
            }
            Step::Last(at) => {
                if let Some(Choice::Last(last, _) | Choice::Update(last, ..)) =
                    self.choices.get_mut(at)
                {
                    *last = Some(item);
                }
                Next::Back
            }
            Step::State(at, extract, scope) => {
                if let Some(Choice::Foreach(state)) = self.choices.get_mut(at) {
                    *state = item.clone();
                }
                match extract {
                    Some(extract) => Next::Run(extract, scope, item, steps),
                    None => Next::Give(item, steps),
                }
            }
            Step::First(at) => {
                self.choices.truncate(at + 1);
                match self.choices.pop() {
                    Some(Choice::First(steps)) => Next::Give(item, steps),
                    _ => Next::Back,
                }
            }
            Step::Limit(at) => {
                if let Some(Choice::Count(left)) = self.choices.get_mut(at) {
                    *left -= 1.0;
                    if *left <= 0.0 {
                        self.choices.truncate(at);
                    }
                }
                Next::Give(item, steps)
            }
            Step::Skip(at) => {
                if let Some(Choice::Count(left)) = self.choices.get_mut(at)
                    && *left > 0.0
                {
                    *left -= 1.0;
                    return Ok(Next::Back);
                }
                Next::Give(item, steps)
            }
            Step::Settle(at) => return Ok(self.settle(at)),
            Step::Condition(at, stops_at, condition, scope) => {
                let steps = Steps::default().then(Step::Found(at, stops_at))?;
                Next::Run(condition, scope, Item::of(item.value), steps)
            }
            Step::Found(at, stops_at) => {
                if item.value.is_true() == stops_at {
                    self.settle(at)
                } else {
                    Next::Back
                }
            }
            Step::Assign(operator, plain, target, scope, input) => {
                let how = if plain {
                    Change::Set(item.value)
                } else {
                    Change::Calculate(operator, item.value)
                };
                return self.change(how, target, scope, input, steps);
            }
            Step::Changed(at) => {
                self.choices.truncate(at + 1);
                if let Some(Choice::Change(changing, _)) = self.choices.last_mut() {
                    changing.put(item.value)?;
                }
                return self.advance();
            }
            Step::Replace(mut replacing) => {
                replacing.add(&item.value)?;
                return library::replace(self, replacing, steps);
            }
        })
    }

    /// Lets an item out of the filter that the choice belongs to: later errors are not for the choice.
    fn pass(&mut self, at: usize) -> Result<(), Stop> {
        if self.choices.len() == at + 1 {
            // The filter has no other output.
            self.choices.pop();
        } else if !matches!(self.choices.last(), Some(Choice::Passed(last)) if *last == at) {
            self.leave(Choice::Passed(at))?;
        }
        Ok(())
    }

    /// Hands over the opposite of the truth that would be the result after the last output.
    fn settle(&mut self, at: usize) -> Next<'a> {
        self.choices.truncate(at + 1);
        match self.choices.pop() {
            Some(Choice::Otherwise(truth, path, steps)) => {
                Next::Give(Item { path, value: (!truth).into() }, steps)
            }
            _ => Next::Back,
        }
    }
}
