//! Runs filters. Every output of a filter is handed to a callback, and the rest of the pipeline runs
//! inside that callback; a filter that tracks paths carries them with its outputs.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use super::json::{Json, MAX_DEPTH, Object};
use super::paths;
use super::syntax::{Definition, Filter, Operator, Part, Pattern};

/// Deepest nesting of running filters, because the evaluator recurses: what fits the stack of a cell.
const MAX_RUNNING: usize = 2_000;
/// Most bytes of stack that running filters may use.
const MAX_STACK: usize = 5 << 20;

/// A reason to stop producing outputs.
#[derive(Debug)]
pub(super) enum Stop {
    Error(Json),
    Break(usize),
    Halt(i32),
    /// A callback stopped; the place that made the callback holds the reason.
    Unwind,
}

impl From<String> for Stop {
    fn from(message: String) -> Self {
        Stop::Error(message.into())
    }
}

pub(super) type Flow = Result<(), Stop>;

/// The path of an output, where paths are tracked.
#[derive(Clone)]
pub(super) enum Path {
    Untracked,
    Root,
    Below(Rc<(Path, Json)>),
    /// The value did not come from the input by a path.
    Lost,
}

impl Path {
    fn then(&self, key: Json) -> Path {
        match self {
            Path::Untracked => Path::Untracked,
            Path::Lost => Path::Lost,
            Path::Root | Path::Below(_) => Path::Below(Rc::new((self.clone(), key))),
        }
    }

    fn lost(&self) -> Path {
        if matches!(self, Path::Untracked) { Path::Untracked } else { Path::Lost }
    }

    fn keys(&self) -> Vec<Json> {
        let mut keys = Vec::new();
        let mut path = self;
        while let Path::Below(node) = path {
            keys.push(node.1.clone());
            path = &node.0;
        }
        keys.reverse();
        keys
    }
}

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

/// A name in scope, and the scope around it.
pub(super) enum Node<'a> {
    Variable(&'a str, Json, Scope<'a>),
    Function(&'a Definition, Scope<'a>),
    /// A parameter: the filter that was passed, and the scope it came from.
    Parameter(&'a str, &'a Filter, Scope<'a>, Scope<'a>),
    Label(&'a str, usize, Scope<'a>),
}

pub(super) type Scope<'a> = Option<Rc<Node<'a>>>;

fn within<'a>(node: Node<'a>) -> Scope<'a> {
    Some(Rc::new(node))
}

pub(super) type Out<'o> = &'o mut dyn FnMut(Item) -> Flow;

/// Source of inputs.
pub(in crate::commands) trait Inputs {
    fn next(&mut self) -> Option<Result<Json, String>>;
    /// Returns the name of the current file.
    fn file(&self) -> Json;
    /// Returns the number of lines read.
    fn line(&self) -> usize;
}

pub(super) struct Machine<'a> {
    pub(super) globals: &'a HashMap<(String, usize), Definition>,
    pub(super) inputs: &'a RefCell<dyn Inputs + 'a>,
    pub(super) environment: Json,
    pub(super) regexes: RefCell<HashMap<(String, String), Rc<fancy_regex::Regex>>>,
    pub(super) depth: Cell<usize>,
    /// Address on the stack where the run began.
    pub(super) base: usize,
    pub(super) labels: Cell<usize>,
}

impl<'a> Machine<'a> {
    pub(super) fn run(&self, filter: &'a Filter, scope: &Scope<'a>, input: Item, out: Out) -> Flow {
        let place = 0_u8;
        let used = self.base.abs_diff(std::ptr::from_ref(&place).addr());
        if self.depth.get() >= MAX_RUNNING || used > MAX_STACK {
            return Err(Stop::Error("filter is nested too deep".into()));
        }
        self.depth.set(self.depth.get() + 1);
        // Filters that recursive functions consist of have functions of their own, to use little stack.
        let flow = match filter {
            Filter::Pipe(first, second) => self.pipe(first, second, scope, input, out),
            Filter::If(condition, then, otherwise) => {
                self.conditional(condition, (then, otherwise), scope, input, out)
            }
            Filter::Call(name, arguments) => self.call(name, arguments, scope, input, out),
            other => self.step(other, scope, input, out),
        };
        self.depth.set(self.depth.get() - 1);
        flow
    }

    fn pipe(
        &self,
        first: &'a Filter,
        second: &'a Filter,
        scope: &Scope<'a>,
        input: Item,
        out: Out,
    ) -> Flow {
        self.run(first, scope, input, &mut |item| self.run(second, scope, item, out))
    }

    fn conditional(
        &self,
        condition: &'a Filter,
        (then, otherwise): (&'a Filter, &'a Filter),
        scope: &Scope<'a>,
        input: Item,
        out: Out,
    ) -> Flow {
        // Few conditions have more than one value: their branches run after them, not inside.
        let mut truths = self.collect(condition, scope, &input.value)?;
        let Some(last) = truths.pop() else { return Ok(()) };
        let branch = |truth: &Json| if truth.is_true() { then } else { otherwise };
        for truth in &truths {
            self.run(branch(truth), scope, input.clone(), out)?;
        }
        self.run(branch(&last), scope, input, out)
    }

    /// Runs a filter on a value and hands over the values it makes.
    pub(super) fn values(
        &self,
        filter: &'a Filter,
        scope: &Scope<'a>,
        input: &Json,
        out: &mut dyn FnMut(Json) -> Flow,
    ) -> Flow {
        // Most arguments are literals.
        if let Filter::Literal(value) = filter {
            return out(value.clone());
        }
        self.run(filter, scope, Item::of(input.clone()), &mut |item| out(item.value))
    }

    pub(super) fn collect(
        &self,
        filter: &'a Filter,
        scope: &Scope<'a>,
        input: &Json,
    ) -> Result<Vec<Json>, Stop> {
        let mut list = Vec::new();
        self.values(filter, scope, input, &mut |value| {
            list.push(value);
            Ok(())
        })?;
        Ok(list)
    }

    /// Collects the paths that a filter names.
    pub(super) fn paths(
        &self,
        filter: &'a Filter,
        scope: &Scope<'a>,
        input: &Json,
    ) -> Result<Vec<Vec<Json>>, Stop> {
        let mut list = Vec::new();
        let start = Item { path: Path::Root, value: input.clone() };
        self.run(filter, scope, start, &mut |item| {
            list.push(keys(&item)?);
            Ok(())
        })?;
        Ok(list)
    }

    fn step(&self, filter: &'a Filter, scope: &Scope<'a>, input: Item, out: Out) -> Flow {
        match filter {
            Filter::Identity => out(input),
            Filter::RecurseAll => self.recurse(input, &mut |item| children(item), out),
            Filter::Literal(value) => out(input.made(value.clone())),
            Filter::Text(format, parts) => self.text(format.as_deref(), parts, scope, &input, out),
            Filter::Format(name) => {
                let text = super::format::apply(name, &input.value)?;
                out(input.made(text.into()))
            }
            Filter::Index(term, key) => self.index(term, key, scope, input, out),
            Filter::Slice(term, from, to) => self.slice(term, from, to, scope, &input, out),
            Filter::Iterate(term) => self.run(term, scope, input, &mut |item| {
                for part in children_of(&item)? {
                    out(part)?;
                }
                Ok(())
            }),
            Filter::Array(None) => out(input.made(Vec::new().into())),
            Filter::Array(Some(inner)) => {
                let list = self.collect(inner, scope, &input.value)?;
                out(input.made(shallow(list.into())?))
            }
            Filter::Object(members) => {
                self.object(members, Object::default(), scope, &input, &mut |object| {
                    out(input.made(shallow(object.into())?))
                })
            }
            Filter::Negate(operand) => {
                self.values(operand, scope, &input.value, &mut |v| match v {
                    Json::Num(n, None) => out(input.made((-n).into())),
                    Json::Num(n, Some(text)) => {
                        let text = match text.strip_prefix('-') {
                            Some(rest) => Rc::from(rest),
                            None => Rc::from(format!("-{text}")),
                        };
                        out(input.made(Json::Num(-n, Some(text))))
                    }
                    other => Err(format!("{} cannot be negated", other.described()).into()),
                })
            }
            Filter::Comma(first, second) => {
                self.run(first, scope, input.clone(), out)?;
                self.run(second, scope, input, out)
            }
            Filter::Binary(operator, left, right) => {
                self.values(right, scope, &input.value, &mut |right| {
                    self.values(left, scope, &input.value, &mut |left| {
                        out(input.made(calculate(*operator, left, right.clone())?))
                    })
                })
            }
            Filter::And(left, right) => self.both(left, right, false, scope, &input, out),
            Filter::Or(left, right) => self.both(left, right, true, scope, &input, out),
            Filter::Alternative(left, right) => self.alternative(left, right, scope, input, out),
            Filter::Assign(target, source) => {
                let list = self.collect(source, scope, &input.value)?;
                self.each(list, input, out, &mut |value, new| {
                    self.set(target, scope, value, &mut |_| Ok(Some(new.clone())))
                })
            }
            Filter::Modify(target, change) => {
                let lost = input.path.lost();
                let value = self.modify(target, change, scope, input.value)?;
                out(Item { path: lost, value })
            }
            Filter::Change(operator, target, source) => {
                let list = self.collect(source, scope, &input.value)?;
                self.each(list, input, out, &mut |value, new| {
                    self.set(target, scope, value, &mut |old| match operator {
                        Some(operator) => Ok(Some(calculate(*operator, old, new.clone())?)),
                        None => Ok(Some(if old.is_true() { old } else { new.clone() })),
                    })
                })
            }
            Filter::Try(body, handler) => self.attempt(body, handler, scope, input, out),
            Filter::Reduce(source, patterns, init, update) => {
                self.reduce(source, patterns, init, update, scope, input, out)
            }
            Filter::Foreach(source, patterns, init, update, extract) => {
                let fold = (&**source, patterns.as_slice(), &**update, extract.as_deref());
                self.run(init, scope, input.clone(), &mut |state| {
                    self.foreach(fold, scope, &input.value, state, out)
                })
            }
            Filter::Bind(source, patterns, body) => {
                self.values(source, scope, &input.value, &mut |value| {
                    self.bind(patterns, scope, &value, &mut |scope| {
                        self.run(body, &scope, input.clone(), out)
                    })
                })
            }
            Filter::Define(definition, rest) => {
                let scope = within(Node::Function(definition, scope.clone()));
                self.run(rest, &scope, input, out)
            }
            Filter::Pipe(..) | Filter::If(..) | Filter::Call(..) => {
                self.run(filter, scope, input, out)
            }
            Filter::Variable(name) => out(input.made(self.variable(name, scope))),
            Filter::Label(name, body) => {
                let label = self.label();
                let scope = within(Node::Label(name, label, scope.clone()));
                until(label, self.run(body, &scope, input, out))
            }
            Filter::Break(name) => {
                let mut at = scope;
                while let Some(node) = at {
                    match &**node {
                        Node::Label(label, number, _) if label == name => {
                            return Err(Stop::Break(*number));
                        }
                        other => at = outer(other),
                    }
                }
                Err(format!("$*label-{name} is not defined").into())
            }
        }
    }

    pub(super) fn label(&self) -> usize {
        self.labels.set(self.labels.get() + 1);
        self.labels.get()
    }

    fn variable(&self, name: &str, scope: &Scope<'a>) -> Json {
        let mut at = scope;
        while let Some(node) = at {
            match &**node {
                Node::Variable(known, value, _) if *known == name => return value.clone(),
                other => at = outer(other),
            }
        }
        if name == "ENV" { self.environment.clone() } else { Json::Null }
    }

    /// Hands over what `change` makes of the input for each of the values.
    fn each(
        &self,
        list: Vec<Json>,
        input: Item,
        out: Out,
        change: &mut dyn FnMut(Json, &Json) -> Result<Json, Stop>,
    ) -> Flow {
        let lost = input.path.lost();
        let mut value = Some(input.value);
        let last = list.len().saturating_sub(1);
        for (number, new) in list.iter().enumerate() {
            // The last one gets the input itself, so that it is changed without a copy.
            let old = if number == last { value.take() } else { value.clone() };
            out(Item { path: lost.clone(), value: change(old.unwrap_or_default(), new)? })?;
        }
        Ok(())
    }

    /// Changes every part that the target names; `None` from `change` deletes the part.
    fn set(
        &self,
        target: &'a Filter,
        scope: &Scope<'a>,
        value: Json,
        change: &mut dyn FnMut(Json) -> Result<Option<Json>, Stop>,
    ) -> Result<Json, Stop> {
        let list = self.paths(target, scope, &value)?;
        let mut value = value;
        let mut doomed = Vec::new();
        for path in list {
            let mut delete = false;
            value = paths::update(value, &path, &mut |old| {
                let changed = change(old)?;
                delete = changed.is_none();
                Ok::<_, Stop>(changed.unwrap_or_default())
            })?;
            value = shallow(value)?;
            if delete {
                doomed.push(Json::from(path));
            }
        }
        if doomed.is_empty() { Ok(value) } else { Ok(paths::delete(value, &doomed.into())?) }
    }

    pub(super) fn modify(
        &self,
        target: &'a Filter,
        change: &'a Filter,
        scope: &Scope<'a>,
        value: Json,
    ) -> Result<Json, Stop> {
        self.set(target, scope, value, &mut |old| {
            let mut first = None;
            let label = self.label();
            until(
                label,
                self.run(change, scope, Item::of(old), &mut |item| {
                    first = Some(item.value);
                    Err(Stop::Break(label))
                }),
            )?;
            Ok(first)
        })
    }

    fn text(
        &self,
        format: Option<&str>,
        parts: &'a [Part],
        scope: &Scope<'a>,
        input: &Item,
        out: Out,
    ) -> Flow {
        fn go<'a>(
            this: &Machine<'a>,
            format: Option<&str>,
            parts: &'a [Part],
            scope: &Scope<'a>,
            input: &Item,
            tail: &str,
            out: &mut dyn FnMut(Json) -> Flow,
        ) -> Flow {
            match parts.split_last() {
                None => out(tail.into()),
                Some((Part::Plain(plain), rest)) => {
                    go(this, format, rest, scope, input, &format!("{plain}{tail}"), out)
                }
                Some((Part::Filter(filter), rest)) => {
                    this.values(filter, scope, &input.value, &mut |value| {
                        let text = match format {
                            Some(name) => super::format::apply(name, &value)?.into(),
                            None => value.plain(),
                        };
                        go(this, format, rest, scope, input, &format!("{text}{tail}"), out)
                    })
                }
            }
        }
        go(self, format, parts, scope, input, "", &mut |text| out(input.made(text)))
    }

    fn index(
        &self,
        term: &'a Filter,
        key: &'a Filter,
        scope: &Scope<'a>,
        input: Item,
        out: Out,
    ) -> Flow {
        let value = input.value.clone();
        self.values(key, scope, &value, &mut |key| {
            self.run(term, scope, input.clone(), &mut |item| out(part(&item, key.clone())?))
        })
    }

    fn slice(
        &self,
        term: &'a Filter,
        from: &'a Option<Box<Filter>>,
        to: &'a Option<Box<Filter>>,
        scope: &Scope<'a>,
        input: &Item,
        out: Out,
    ) -> Flow {
        let bounds =
            |filter: &'a Option<Box<Filter>>, out: &mut dyn FnMut(Json) -> Flow| match filter {
                Some(filter) => self.values(filter, scope, &input.value, out),
                None => out(Json::Null),
            };
        bounds(from, &mut |from| {
            bounds(to, &mut |to| {
                let key = Json::object([("start", from.clone()), ("end", to)]);
                self.run(term, scope, input.clone(), &mut |item| match &item.value {
                    Json::Null | Json::Arr(_) | Json::Str(_) => out(part(&item, key.clone())?),
                    other => Err(format!("Cannot index {} with object", other.kind()).into()),
                })
            })
        })
    }

    fn object(
        &self,
        members: &'a [(Filter, Filter)],
        so_far: Object,
        scope: &Scope<'a>,
        input: &Item,
        out: &mut dyn FnMut(Object) -> Flow,
    ) -> Flow {
        let Some(((key, value), rest)) = members.split_first() else { return out(so_far) };
        self.values(key, scope, &input.value, &mut |key| {
            let Json::Str(key) = key else {
                return Err(format!("Object keys must be strings, not {}", key.described()).into());
            };
            self.values(value, scope, &input.value, &mut |value| {
                let mut object = so_far.clone();
                object.insert(key.clone(), value);
                self.object(rest, object, scope, input, out)
            })
        })
    }

    /// Runs `and` (which `stops_at` false) or `or` (which `stops_at` true).
    fn both(
        &self,
        left: &'a Filter,
        right: &'a Filter,
        stops_at: bool,
        scope: &Scope<'a>,
        input: &Item,
        out: Out,
    ) -> Flow {
        self.values(left, scope, &input.value, &mut |left| {
            if left.is_true() == stops_at {
                return out(input.made(stops_at.into()));
            }
            self.values(right, scope, &input.value, &mut |right| {
                out(input.made(right.is_true().into()))
            })
        })
    }

    fn alternative(
        &self,
        left: &'a Filter,
        right: &'a Filter,
        scope: &Scope<'a>,
        input: Item,
        out: Out,
    ) -> Flow {
        let mut any = false;
        self.guarded(out, &mut |out| {
            self.run(left, scope, input.clone(), &mut |item| {
                if !item.value.is_true() {
                    return Ok(());
                }
                any = true;
                out(item)
            })
        })
        .or_else(|stop| if matches!(stop, Stop::Error(_)) { Ok(None) } else { Err(stop) })
        .and_then(|after| match after {
            Some(stop) => Err(stop),
            None if any => Ok(()),
            None => self.run(right, scope, input, out),
        })
    }

    fn attempt(
        &self,
        body: &'a Filter,
        handler: &'a Option<Box<Filter>>,
        scope: &Scope<'a>,
        input: Item,
        out: Out,
    ) -> Flow {
        let flow = self.guarded(out, &mut |out| self.run(body, scope, input.clone(), out));
        match (flow, handler) {
            (Ok(None), _) => Ok(()),
            (Ok(Some(stop)), _) => Err(stop),
            (Err(Stop::Error(_)), None) => Ok(()),
            (Err(Stop::Error(error)), Some(handler)) => {
                self.run(handler, scope, input.made(error), out)
            }
            (Err(stop), _) => Err(stop),
        }
    }

    /// Runs a filter so that errors of its own can be told from those of what comes after it: those
    /// are returned as a value.
    fn guarded(&self, out: Out, run: &mut dyn FnMut(Out) -> Flow) -> Result<Option<Stop>, Stop> {
        let mut after = None;
        let depth = self.depth.get();
        let flow = run(&mut |item| {
            out(item).map_err(|stop| {
                after = Some(stop);
                Stop::Unwind
            })
        });
        self.depth.set(depth);
        match (after, flow) {
            (Some(stop), _) => Ok(Some(stop)),
            (None, Ok(())) => Ok(None),
            (None, Err(stop)) => Err(stop),
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one construct")]
    fn reduce(
        &self,
        source: &'a Filter,
        patterns: &'a [Pattern],
        init: &'a Filter,
        update: &'a Filter,
        scope: &Scope<'a>,
        input: Item,
        out: Out,
    ) -> Flow {
        self.run(init, scope, input.clone(), &mut |state| {
            let mut state = Some(state);
            self.values(source, scope, &input.value, &mut |value| {
                self.bind(patterns, scope, &value, &mut |scope| {
                    let Some(old) = state.take() else { return Ok(()) };
                    let lost = old.path.lost();
                    let mut last = None;
                    self.run(update, &scope, old, &mut |item| {
                        last = Some(item);
                        Ok(())
                    })?;
                    state = last.or(Some(Item { path: lost, value: Json::Null }));
                    Ok(())
                })
            })?;
            state.take().map_or(Ok(()), &mut *out)
        })
    }

    fn foreach(
        &self,
        (source, patterns, update, extract): (
            &'a Filter,
            &'a [Pattern],
            &'a Filter,
            Option<&'a Filter>,
        ),
        scope: &Scope<'a>,
        input: &Json,
        state: Item,
        out: Out,
    ) -> Flow {
        let mut state = state;
        self.values(source, scope, input, &mut |value| {
            self.bind(patterns, scope, &value, &mut |scope| {
                let old = std::mem::replace(&mut state, Item::of(Json::Null));
                self.run(update, &scope, old, &mut |item| {
                    state = item.clone();
                    match extract {
                        Some(extract) => self.run(extract, &scope, item, out),
                        None => out(item),
                    }
                })
            })
        })
    }

    /// Binds a value to patterns, of which later ones are tried if earlier ones fail.
    fn bind(
        &self,
        patterns: &'a [Pattern],
        scope: &Scope<'a>,
        value: &Json,
        out: &mut dyn FnMut(Scope<'a>) -> Flow,
    ) -> Flow {
        if let [pattern] = patterns {
            return self.destructure(pattern, scope.clone(), value, out);
        }
        let mut names = Vec::new();
        patterns.iter().for_each(|pattern| pattern.names(&mut names));
        let mut base = scope.clone();
        for name in names {
            base = within(Node::Variable(name, Json::Null, base));
        }
        for (number, pattern) in patterns.iter().enumerate() {
            match self.destructure(pattern, base.clone(), value, out) {
                Err(Stop::Error(_)) if number + 1 < patterns.len() => {}
                flow => return flow,
            }
        }
        Ok(())
    }

    fn destructure(
        &self,
        pattern: &'a Pattern,
        scope: Scope<'a>,
        value: &Json,
        out: &mut dyn FnMut(Scope<'a>) -> Flow,
    ) -> Flow {
        match pattern {
            Pattern::Variable(name) => out(within(Node::Variable(name, value.clone(), scope))),
            Pattern::Array(items) => self.elements(items, 0, scope, value, out),
            Pattern::Object(members) => self.members(members, scope, value, out),
        }
    }

    fn elements(
        &self,
        items: &'a [Pattern],
        at: usize,
        scope: Scope<'a>,
        value: &Json,
        out: &mut dyn FnMut(Scope<'a>) -> Flow,
    ) -> Flow {
        let Some((first, rest)) = items.split_first() else { return out(scope) };
        let element = paths::index(value, &at.into())?;
        self.destructure(first, scope, &element, &mut |scope| {
            self.elements(rest, at + 1, scope, value, out)
        })
    }

    fn members(
        &self,
        members: &'a [(Option<String>, Filter, Option<Pattern>)],
        scope: Scope<'a>,
        value: &Json,
        out: &mut dyn FnMut(Scope<'a>) -> Flow,
    ) -> Flow {
        let Some(((name, key, pattern), rest)) = members.split_first() else { return out(scope) };
        self.values(key, &scope, value, &mut |key| {
            if !matches!(key, Json::Str(_)) {
                return Err(format!("Cannot index {} with {}", value.kind(), key.kind()).into());
            }
            let member = paths::index(value, &key)?;
            let scope = match name {
                Some(name) => within(Node::Variable(name, member.clone(), scope.clone())),
                None => scope.clone(),
            };
            match pattern {
                Some(pattern) => self.destructure(pattern, scope, &member, &mut |scope| {
                    self.members(rest, scope, value, out)
                }),
                None => self.members(rest, scope, value, out),
            }
        })
    }

    fn call(
        &self,
        name: &'a str,
        arguments: &'a [Filter],
        scope: &Scope<'a>,
        input: Item,
        out: Out,
    ) -> Flow {
        let mut at = scope;
        while let Some(node) = at {
            match &**node {
                Node::Parameter(known, filter, from, _)
                    if *known == name && arguments.is_empty() =>
                {
                    return self.run(filter, from, input, out);
                }
                Node::Variable(known, value, _)
                    if arguments.is_empty() && known.strip_prefix('$') == Some(name) =>
                {
                    return out(input.made(value.clone()));
                }
                Node::Function(definition, _)
                    if definition.name == name
                        && definition.parameters.len() == arguments.len() =>
                {
                    let body = (*definition, at.clone());
                    return self.enter(body, arguments, scope, input, out);
                }
                other => at = outer(other),
            }
        }
        if let Some(definition) = self.global(name, arguments.len()) {
            return self.enter((definition, None), arguments, scope, input, out);
        }
        super::library::call(self, name, arguments, scope, input, out)
    }

    fn global(&self, name: &str, arity: usize) -> Option<&'a Definition> {
        self.globals.get(&(name.to_owned(), arity))
    }

    /// Runs a function's body with its parameters in scope.
    fn enter(
        &self,
        (definition, inner): (&'a Definition, Scope<'a>),
        arguments: &'a [Filter],
        scope: &Scope<'a>,
        input: Item,
        out: Out,
    ) -> Flow {
        if arguments.is_empty() {
            return self.run(&definition.body, &inner, input, out);
        }
        self.parameters(&definition.parameters, arguments, inner, scope, &input, &mut |inner| {
            self.run(&definition.body, &inner, input.clone(), out)
        })
    }

    fn parameters(
        &self,
        names: &'a [String],
        arguments: &'a [Filter],
        inner: Scope<'a>,
        scope: &Scope<'a>,
        input: &Item,
        out: &mut dyn FnMut(Scope<'a>) -> Flow,
    ) -> Flow {
        let (Some((name, names)), Some((argument, arguments))) =
            (names.split_first(), arguments.split_first())
        else {
            return out(inner);
        };
        let Some(variable) = name.strip_prefix('$') else {
            let inner = within(Node::Parameter(name, argument, scope.clone(), inner));
            return self.parameters(names, arguments, inner, scope, input, out);
        };
        self.values(argument, scope, &input.value, &mut |value| {
            // Both `$name` and `name` refer to the value.
            let inner = within(Node::Variable(name, value.clone(), inner.clone()));
            let inner = within(Node::Variable(variable, value, inner));
            self.parameters(names, arguments, inner, scope, input, out)
        })
    }

    /// Hands over an item, and those that `more` makes of it, and so on, without recursion.
    pub(super) fn recurse(
        &self,
        input: Item,
        more: &mut dyn FnMut(&Item) -> (Vec<Item>, Option<Stop>),
        out: Out,
    ) -> Flow {
        let mut waiting: Vec<Result<Item, Stop>> = vec![Ok(input)];
        while let Some(next) = waiting.pop() {
            let item = next?;
            out(item.clone())?;
            let (list, stop) = more(&item);
            waiting.extend(stop.map(Err));
            waiting.extend(list.into_iter().rev().map(Ok));
        }
        Ok(())
    }
}

/// Returns the scope around a name.
fn outer<'s, 'a>(node: &'s Node<'a>) -> &'s Scope<'a> {
    match node {
        Node::Variable(_, _, outer)
        | Node::Function(_, outer)
        | Node::Parameter(_, _, _, outer)
        | Node::Label(_, _, outer) => outer,
    }
}

/// Ends the flow at the label that it broke to.
pub(super) fn until(label: usize, flow: Flow) -> Flow {
    match flow {
        Err(Stop::Break(number)) if number == label => Ok(()),
        other => other,
    }
}

/// Returns the keys of an item's path.
pub(super) fn keys(item: &Item) -> Result<Vec<Json>, Stop> {
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
    Ok(Item { path: item.path.then(key), value })
}

fn children(item: &Item) -> (Vec<Item>, Option<Stop>) {
    match &item.value {
        Json::Arr(_) | Json::Obj(_) => match children_of(item) {
            Ok(list) => (list, None),
            Err(stop) => (Vec::new(), Some(stop)),
        },
        Json::Null | Json::Bool(_) | Json::Num(..) | Json::Str(_) => (Vec::new(), None),
    }
}

/// Returns the elements of an array or the values of an object.
fn children_of(item: &Item) -> Result<Vec<Item>, Stop> {
    if matches!(item.path, Path::Lost) {
        let of = item.value.shortened(11);
        return Err(format!("Invalid path expression near attempt to iterate through {of}").into());
    }
    let tracked = !matches!(item.path, Path::Untracked);
    let path =
        |key: &dyn Fn() -> Json| if tracked { item.path.then(key()) } else { Path::Untracked };
    match &item.value {
        Json::Arr(array) => {
            let parts = array.items().iter().enumerate();
            Ok(parts.map(|(at, v)| Item { path: path(&|| at.into()), value: v.clone() }).collect())
        }
        Json::Obj(members) => {
            let parts = members.iter();
            Ok(parts
                .map(|(k, v)| Item { path: path(&|| Json::Str(k.clone())), value: v.clone() })
                .collect())
        }
        other => Err(format!(
            "Cannot iterate over {}",
            match other {
                Json::Null => "null (null)".to_owned(),
                other => other.described(),
            }
        )
        .into()),
    }
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
