//! Assignments: collect the paths of the target, then change the parts one by one.

use super::super::json::Json;
use super::super::paths;
use super::super::scope::{Item, Path, Scope};
use super::super::stack::{Change, Changing, Choice, Step, Steps, Stop};
use super::super::syntax::{Filter, Operator};
use super::item::shallow;
use super::machine::is_quick;
use super::operator::calculate;
use super::{Doing, Next, Run};

impl<'a> Run<'a, '_> {
    pub(super) fn assign(
        &mut self,
        source: &'a Filter,
        operator: Option<Operator>,
        plain: bool,
        (target, scope): (&'a Filter, Scope<'a>),
        input: Item,
        steps: Steps<'a>,
    ) -> Doing<'a> {
        match self.quick(source, &scope, &input.value) {
            Some(value) => {
                let how =
                    if plain { Change::Set(value?) } else { Change::Calculate(operator, value?) };
                self.change(how, target, scope, input, steps)
            }
            None => {
                let value = Item::of(input.value.clone());
                let step = Step::Assign(operator, plain, target, scope.clone(), input);
                Ok(Next::Run(source, scope, value, steps.then(step)?))
            }
        }
    }

    /// Changes every part that the target names.
    pub(super) fn change(
        &mut self,
        how: Change<'a>,
        target: &'a Filter,
        scope: Scope<'a>,
        input: Item,
        steps: Steps<'a>,
    ) -> Doing<'a> {
        let path = input.path.lost();
        let start = Item { path: Path::Root, value: input.value.clone() };
        let changing = Changing {
            how,
            paths: Vec::new(),
            done: 0,
            collected: false,
            doomed: Vec::new(),
            value: input.value,
            path,
        };
        let at = self.leave(Choice::Change(Box::new(changing), steps))?;
        let steps = Steps::default().then(Step::CollectPath(at))?;
        Ok(Next::Run(target, scope, start, steps))
    }

    /// Goes on with the change of the last choice.
    pub(super) fn advance(&mut self) -> Doing<'a> {
        let at = self.choices.len().saturating_sub(1);
        let machine = self.machine;
        let Some(Choice::Change(changing, _)) = self.choices.last_mut() else {
            return Ok(Next::Back);
        };
        while changing.done < changing.paths.len() {
            let (filter, scope) = match &changing.how {
                Change::Set(new) => {
                    let new = new.clone();
                    changing.update(&mut |_| Ok(new.clone()))?;
                    continue;
                }
                Change::Calculate(operator, new) => {
                    let (operator, new) = (*operator, new.clone());
                    changing.update(&mut |old| match operator {
                        Some(operator) => calculate(operator, old, new.clone()),
                        None => Ok(if old.is_true() { old } else { new.clone() }),
                    })?;
                    continue;
                }
                Change::Modify(filter, scope) => (*filter, scope.clone()),
            };
            if is_quick(filter) {
                changing.update(&mut |old| machine.single(filter, &scope, old))?;
                continue;
            }
            let old = Item::of(changing.take()?);
            let steps = Steps::default().then(Step::Changed(at))?;
            return Ok(Next::Run(filter, scope, old, steps));
        }
        let Some(Choice::Change(changing, steps)) = self.choices.pop() else {
            return Ok(Next::Back);
        };
        let Changing { doomed, value, path, .. } = *changing;
        let value = if doomed.is_empty() { value } else { paths::delete(value, &doomed.into())? };
        Ok(Next::Give(Item { path, value }, steps))
    }
}

impl Changing<'_> {
    /// Changes the part at the current path.
    fn update(&mut self, change: &mut dyn FnMut(Json) -> Result<Json, Stop>) -> Result<(), Stop> {
        let value = std::mem::take(&mut self.value);
        self.value = shallow(paths::update(value, &self.paths[self.done], change)?)?;
        self.done += 1;
        Ok(())
    }

    /// Takes the part at the current path out of the value.
    fn take(&mut self) -> Result<Json, Stop> {
        let path = &self.paths[self.done];
        // A slice cannot be taken out without moving what is after it.
        let slice = path.iter().any(|key| matches!(key, Json::Obj(_)));
        let mut part = Json::Null;
        let value = std::mem::take(&mut self.value);
        self.value = paths::update::<Stop>(value, path, &mut |old| {
            part = old;
            Ok(if slice { part.clone() } else { Json::Null })
        })?;
        Ok(part)
    }

    pub(super) fn put(&mut self, value: Json) -> Result<(), Stop> {
        let mut value = Some(value);
        self.update(&mut |_| Ok(value.take().unwrap_or_default()))
    }

    /// Deletes the part at the current path once all others are changed.
    pub(super) fn delete(&mut self) {
        if let Some(path) = self.paths.get(self.done) {
            self.doomed.push(Json::from(path.clone()));
            self.done += 1;
        }
    }
}
