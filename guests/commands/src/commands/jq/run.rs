//! Runs filters, without recursion in the functions of a program: steps that wait and places to go
//! back to are on the heap (see [`super::stack`]), so that a call in the last place takes no room, and
//! any other call takes some memory instead of native stack.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use super::json::{Json, MAX_DEPTH, Object};
use super::scope::{Item, Name, Path, Scope};
use super::stack::{
    Binding, Bound, Building, Change, Changing, Choice, Entering, MAX_FRAMES, MAX_HEAVY, Step,
    Steps, Stop, Unbound, Writing, too_deep,
};
use super::syntax::{Definition, Filter, Operator, Part, Pattern};
use super::{library, paths};

/// Source of inputs.
pub(in crate::commands) trait Inputs {
    fn next(&mut self) -> Option<Result<Json, String>>;
    /// Returns the name of the current file.
    fn file(&self) -> Json;
    /// Returns the number of lines read.
    fn line(&self) -> usize;
}

/// The functions that a program can call by name.
pub(super) type Globals = HashMap<String, Vec<Definition>>;

/// Everything that filters share while a program runs.
pub(super) struct Machine<'a> {
    pub(super) globals: &'a Globals,
    pub(super) inputs: &'a RefCell<dyn Inputs + 'a>,
    pub(super) environment: Json,
    pub(super) regexes: RefCell<HashMap<(String, String), Rc<fancy_regex::Regex>>>,
    pub(super) labels: Cell<usize>,
}

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

    /// Runs filters that functions seldom end with.
    fn other(
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
                let text = super::format::apply(name, &input.value)?;
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

    /// Does a step with an item.
    fn give(&mut self, step: Step<'a>, item: Item, steps: Steps<'a>) -> Doing<'a> {
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

    /// Goes back to the last choice.
    fn back(&mut self) -> Option<Doing<'a>> {
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
    fn caught(&mut self, stop: Stop) -> Result<Doing<'a>, Stop> {
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

    fn attempt(
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

    fn write(&mut self, mut writing: Box<Writing<'a>>, steps: Steps<'a>) -> Doing<'a> {
        while let Some((last, rest)) = writing.parts.split_last() {
            writing.parts = rest;
            match last {
                Part::Plain(plain) => writing.tail.insert_str(0, plain),
                Part::Filter(filter) => {
                    match self.quick(filter, &writing.scope, &writing.input.value) {
                        Some(value) => writing.add(&value?)?,
                        None => {
                            let scope = writing.scope.clone();
                            let value = Item::of(writing.input.value.clone());
                            let steps = steps.then(Step::Text(writing))?;
                            return Ok(Next::Run(filter, scope, value, steps));
                        }
                    }
                }
            }
        }
        Ok(Next::Give(writing.input.made(writing.tail.into()), steps))
    }

    fn build(&mut self, mut building: Box<Building<'a>>, steps: Steps<'a>) -> Doing<'a> {
        while let Some(((key, value), rest)) = building.members.split_first() {
            let (scope, input) = (&building.scope, &building.input.value);
            let Some(key) = self.quick(key, scope, input) else {
                let (scope, input) = (scope.clone(), Item::of(input.clone()));
                return Ok(Next::Run(key, scope, input, steps.then(Step::Key(building))?));
            };
            let key = key_of(key?)?;
            let Some(value) = self.quick(value, scope, input) else {
                return self.member(key, building, steps);
            };
            building.object.insert(key, value?);
            building.members = rest;
        }
        let Building { object, input, .. } = *building;
        Ok(Next::Give(input.made(shallow(object.into())?), steps))
    }

    /// Runs the value of the next member.
    fn member(
        &mut self,
        key: Rc<str>,
        mut building: Box<Building<'a>>,
        steps: Steps<'a>,
    ) -> Doing<'a> {
        let Some(((_, value), rest)) = building.members.split_first() else {
            return Ok(Next::Back);
        };
        building.members = rest;
        let (scope, input) = (building.scope.clone(), Item::of(building.input.value.clone()));
        Ok(Next::Run(value, scope, input, steps.then(Step::Member(key, building))?))
    }

    fn assign(
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
    fn change(
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
    fn advance(&mut self) -> Doing<'a> {
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

    /// Binds a value to patterns, of which later ones are tried if earlier ones fail.
    fn patterns(
        &mut self,
        patterns: &'a [Pattern],
        scope: Scope<'a>,
        value: Json,
        then: Bound<'a>,
        steps: Steps<'a>,
    ) -> Doing<'a> {
        if let [Pattern::Variable(name)] = patterns {
            return self.bound(then, scope.with(Name::Variable(name, value))?, steps);
        }
        let mut scope = scope;
        if patterns.len() > 1 {
            let mut names = Vec::new();
            patterns.iter().for_each(|pattern| pattern.names(&mut names));
            for name in names {
                scope = scope.with(Name::Variable(name, Json::Null))?;
            }
        }
        let binding = Box::new(Binding { work: Vec::new(), scope, then });
        self.try_patterns(patterns, value, binding, steps)
    }

    fn try_patterns(
        &mut self,
        patterns: &'a [Pattern],
        value: Json,
        mut binding: Box<Binding<'a>>,
        steps: Steps<'a>,
    ) -> Doing<'a> {
        let Some((first, rest)) = patterns.split_first() else { return Ok(Next::Back) };
        if !rest.is_empty() {
            let choice = (value.clone(), binding.clone(), steps.clone());
            self.leave(Choice::Patterns(rest, choice.0, choice.1, choice.2))?;
        }
        binding.work.push(Unbound::Pattern(first, value));
        self.bind(binding, steps)
    }

    fn bind(&mut self, mut binding: Box<Binding<'a>>, steps: Steps<'a>) -> Doing<'a> {
        while let Some(work) = binding.work.pop() {
            match work {
                Unbound::Pattern(Pattern::Variable(name), value) => {
                    binding.scope = binding.scope.with(Name::Variable(name, value))?;
                }
                Unbound::Pattern(Pattern::Array(items), value) => {
                    for (at, item) in items.iter().enumerate().rev() {
                        let part = paths::index(&value, &at.into())?;
                        binding.work.push(Unbound::Pattern(item, part));
                    }
                }
                Unbound::Pattern(Pattern::Object(members), value) => {
                    binding.work.push(Unbound::Members(members, value));
                }
                Unbound::Members(members, value) => {
                    let Some((_, key, _)) = members.first() else { continue };
                    let found = self.quick(key, &binding.scope, &value);
                    let input = value.clone();
                    binding.work.push(Unbound::Members(members, value));
                    match found {
                        Some(key) => binding.key(key?)?,
                        None => {
                            let scope = binding.scope.clone();
                            let steps = steps.then(Step::BindMember(binding))?;
                            return Ok(Next::Run(key, scope, Item::of(input), steps));
                        }
                    }
                }
            }
        }
        let Binding { scope, then, .. } = *binding;
        self.bound(then, scope, steps)
    }

    fn bound(&mut self, then: Bound<'a>, scope: Scope<'a>, steps: Steps<'a>) -> Doing<'a> {
        match then {
            Bound::Body(filter, input) => Ok(Next::Run(filter, scope, input, steps)),
            Bound::Reduce(at, update) => {
                let Some(Choice::Reduce(state, _)) = self.choices.get_mut(at) else {
                    return Ok(Next::Back);
                };
                let Some(old) = state.take() else { return Ok(Next::Back) };
                if old.path.untracked() && is_quick(update) {
                    *state = Some(Item::of(self.machine.single(update, &scope, old.value)?));
                    return Ok(Next::Back);
                }
                let last = self.leave(Choice::Update(None, at, old.path.lost()))?;
                let steps = Steps::default().then(Step::Last(last))?;
                Ok(Next::Run(update, scope, old, steps))
            }
            Bound::Foreach(at, update, extract) => {
                let Some(Choice::Foreach(state)) = self.choices.get_mut(at) else {
                    return Ok(Next::Back);
                };
                let old = std::mem::replace(state, Item::of(Json::Null));
                let steps = steps.then(Step::State(at, extract, scope.clone()))?;
                Ok(Next::Run(update, scope, old, steps))
            }
        }
    }

    fn call(
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

    fn parameters(&mut self, mut entering: Box<Entering<'a>>, steps: Steps<'a>) -> Doing<'a> {
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

/// Returns true if [`Machine::single`] can run the filter.
fn is_quick(filter: &Filter) -> bool {
    matches!(
        filter,
        Filter::Single(_) | Filter::Literal(_) | Filter::Identity | Filter::Variable(_)
    )
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

impl<'a> Machine<'a> {
    pub(super) fn variable(&self, name: &str, scope: &Scope<'a>) -> Json {
        let mut at = scope;
        while let Some(node) = at.node() {
            match &node.name {
                Name::Variable(known, value) | Name::Argument(known, value) if *known == name => {
                    return value.clone();
                }
                _ => at = &node.outer,
            }
        }
        if name == "ENV" { self.environment.clone() } else { Json::Null }
    }

    fn global(&self, name: &str, arity: usize) -> Option<&'a Definition> {
        let known = self.globals.get(name)?;
        known.iter().find(|definition| definition.parameters.len() == arity)
    }

    /// Runs a filter that has exactly one output, see [`Filter::Single`]. It recurses at most as deep
    /// as the text of the filter is nested.
    pub(super) fn single(
        &self,
        filter: &'a Filter,
        scope: &Scope<'a>,
        input: Json,
    ) -> Result<Json, Stop> {
        Ok(match filter {
            Filter::Identity => input,
            Filter::Single(inner) => self.single(inner, scope, input)?,
            Filter::Literal(value) => value.clone(),
            Filter::Variable(name) => self.variable(name, scope),
            Filter::Format(name) => super::format::apply(name, &input)?.into(),
            Filter::Index(term, key) => {
                let key = match &**key {
                    Filter::Literal(key) => key.clone(),
                    key => self.single(key, scope, input.clone())?,
                };
                paths::index(&self.single(term, scope, input)?, &key)?
            }
            Filter::Array(None) => Vec::new().into(),
            Filter::Array(Some(inner)) => shallow(vec![self.single(inner, scope, input)?].into())?,
            Filter::Negate(operand) => negated(self.single(operand, scope, input)?)?,
            Filter::Pipe(first, second) => {
                let value = self.single(first, scope, input)?;
                self.single(second, scope, value)?
            }
            Filter::Binary(operator, left, right) => {
                let right = self.single(right, scope, input.clone())?;
                calculate(*operator, self.single(left, scope, input)?, right)?
            }
            Filter::And(left, right) => (self.single(left, scope, input.clone())?.is_true()
                && self.single(right, scope, input)?.is_true())
            .into(),
            Filter::Or(left, right) => (self.single(left, scope, input.clone())?.is_true()
                || self.single(right, scope, input)?.is_true())
            .into(),
            Filter::Alternative(left, right) => {
                let value = self.single(left, scope, input.clone())?;
                if value.is_true() { value } else { self.single(right, scope, input)? }
            }
            Filter::If(condition, then, otherwise) => {
                let truth = self.single(condition, scope, input.clone())?.is_true();
                self.single(if truth { then } else { otherwise }, scope, input)?
            }
            Filter::Object(members) => {
                let mut object = Object::default();
                for (key, value) in members {
                    let key = key_of(self.single(key, scope, input.clone())?)?;
                    object.insert(key, self.single(value, scope, input.clone())?);
                }
                shallow(object.into())?
            }
            Filter::Text(format, parts) => {
                let format = format.as_deref();
                let mut texts = Vec::with_capacity(parts.len());
                // Parts run from the last to the first.
                for part in parts.iter().rev() {
                    texts.push(match part {
                        Part::Plain(plain) => Rc::from(plain.as_str()),
                        Part::Filter(filter) => {
                            written(format, &self.single(filter, scope, input.clone())?)?
                        }
                    });
                }
                texts.iter().rev().map(|text| &**text).collect::<String>().into()
            }
            Filter::Call(name, arguments) => {
                let mut values = Vec::with_capacity(arguments.len());
                for argument in arguments {
                    values.push(self.single(argument, scope, input.clone())?);
                }
                shallow(library::plain(self, name, &values, input)?)?
            }
            _ => return Err("filter is not a single one".to_owned().into()),
        })
    }
}

impl Writing<'_> {
    fn add(&mut self, value: &Json) -> Result<(), Stop> {
        self.tail.insert_str(0, &written(self.format, value)?);
        Ok(())
    }
}

/// Returns a value as it is written into a string.
fn written(format: Option<&str>, value: &Json) -> Result<Rc<str>, Stop> {
    Ok(match format {
        Some(name) => super::format::apply(name, value)?.into(),
        None => value.plain(),
    })
}

impl Entering<'_> {
    /// Sets the next parameter, which is a value.
    fn value(&mut self, value: Json) -> Result<(), Stop> {
        if let Some(name) = self.definition.parameters.get(self.set) {
            let name = name.trim_start_matches('$');
            self.inner = self.inner.with(Name::Argument(name, value))?;
        }
        self.set += 1;
        Ok(())
    }
}

impl Binding<'_> {
    /// Binds the first of the members that are left, whose key is this one.
    fn key(&mut self, key: Json) -> Result<(), Stop> {
        let Some(Unbound::Members(members, value)) = self.work.pop() else { return Ok(()) };
        let Some(((name, _, pattern), rest)) = members.split_first() else { return Ok(()) };
        if !matches!(key, Json::Str(_)) {
            return Err(format!("Cannot index {} with {}", value.kind(), key.kind()).into());
        }
        let member = paths::index(&value, &key)?;
        self.work.push(Unbound::Members(rest, value));
        if let Some(name) = name {
            self.scope = self.scope.with(Name::Variable(name, member.clone()))?;
        }
        self.work.extend(pattern.as_ref().map(|pattern| Unbound::Pattern(pattern, member)));
        Ok(())
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

    fn put(&mut self, value: Json) -> Result<(), Stop> {
        let mut value = Some(value);
        self.update(&mut |_| Ok(value.take().unwrap_or_default()))
    }

    /// Deletes the part at the current path once all others are changed.
    fn delete(&mut self) {
        if let Some(path) = self.paths.get(self.done) {
            self.doomed.push(Json::from(path.clone()));
            self.done += 1;
        }
    }
}

fn key_of(key: Json) -> Result<Rc<str>, Stop> {
    match key {
        Json::Str(key) => Ok(key),
        other => Err(format!("Object keys must be strings, not {}", other.described()).into()),
    }
}

fn negated(value: Json) -> Result<Json, Stop> {
    match value {
        Json::Num(number, None) => Ok((-number).into()),
        Json::Num(number, Some(text)) => {
            let text = match text.strip_prefix('-') {
                Some(rest) => Rc::from(rest),
                None => Rc::from(format!("-{text}")),
            };
            Ok(Json::Num(-number, Some(text)))
        }
        other => Err(format!("{} cannot be negated", other.described()).into()),
    }
}

/// Returns the keys of an item's path.
fn keys(item: &Item) -> Result<Vec<Json>, Stop> {
    if matches!(item.path, Path::Lost) {
        let shown = item.value.shortened(11);
        return Err(format!("Invalid path expression with result {shown}").into());
    }
    Ok(item.path.keys())
}

/// Returns the part of an item that a key names.
pub(super) fn part(item: &Item, key: Json) -> Result<Item, Stop> {
    if matches!(item.path, Path::Lost) {
        let (key, of) = (key.shortened(11), item.value.shortened(11));
        let message =
            format!("Invalid path expression near attempt to access element {key} of {of}");
        return Err(message.into());
    }
    let value = paths::index(&item.value, &key)?;
    Ok(Item { path: item.path.then(key)?, value })
}

/// Returns the number of elements of a container.
fn size(value: &Json) -> usize {
    match value {
        Json::Arr(array) => array.items().len(),
        Json::Obj(members) => members.len(),
        Json::Null | Json::Bool(_) | Json::Num(..) | Json::Str(_) => 0,
    }
}

/// Returns an element of an array or a value of an object, by its place.
fn element(item: &Item, at: usize) -> Result<Option<Item>, Stop> {
    if matches!(item.path, Path::Lost) {
        let of = item.value.shortened(11);
        return Err(format!("Invalid path expression near attempt to iterate through {of}").into());
    }
    let path = |key: &dyn Fn() -> Json| match item.path {
        Path::Untracked => Ok(Path::Untracked),
        _ => item.path.then(key()),
    };
    let (path, value) = match &item.value {
        Json::Arr(array) => match array.items().get(at) {
            Some(value) => (path(&|| at.into())?, value),
            None => return Ok(None),
        },
        Json::Obj(members) => match members.at(at) {
            Some((key, value)) => (path(&|| Json::Str(key.clone()))?, value),
            None => return Ok(None),
        },
        Json::Null => return Err("Cannot iterate over null (null)".to_owned().into()),
        other => return Err(format!("Cannot iterate over {}", other.described()).into()),
    };
    Ok(Some(Item { path, value: value.clone() }))
}

/// Refuses a value that is nested too deep.
pub(super) fn shallow(value: Json) -> Result<Json, Stop> {
    if value.depth() > MAX_DEPTH {
        return Err(Stop::Error("Exceeds depth limit for values".into()));
    }
    Ok(value)
}

fn calculate(operator: Operator, a: Json, b: Json) -> Result<Json, Stop> {
    Ok(match operator {
        Operator::Add => a.add(b)?,
        Operator::Subtract => a.subtract(b)?,
        Operator::Multiply => a.multiply(b)?,
        Operator::Divide => a.divide(b)?,
        Operator::Remainder => a.remainder(b)?,
        Operator::Equal => (a == b).into(),
        Operator::Unequal => (a != b).into(),
        Operator::Less => a.order(&b).is_lt().into(),
        Operator::LessEqual => a.order(&b).is_le().into(),
        Operator::Greater => a.order(&b).is_gt().into(),
        Operator::GreaterEqual => a.order(&b).is_ge().into(),
    })
}
