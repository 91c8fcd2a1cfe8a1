//! Compiles and runs a filter.

use std::cell::{Cell, RefCell};
use std::io;

use super::json::{Json, Object};
use super::run::{Globals, Inputs, Machine, Run};
use super::scope::{Name, Scope};
use super::stack::Stop;
use super::syntax::{self, Filter, Part, Pattern};
use super::{format, library, math, single};

/// The functions that are written in the language itself.
const PRELUDE: &str = include_str!("prelude.jq");

/// A compiled filter and the values of its global variables.
pub(in crate::commands) struct Program {
    filter: Filter,
    globals: Globals,
    variables: Vec<(String, Json)>,
    environment: Json,
}

impl Program {
    pub(in crate::commands) fn compile(
        text: &str,
        named: &[(String, Json)],
        positional: Vec<Json>,
    ) -> Result<Self, String> {
        let members: Object =
            named.iter().map(|(name, value)| (name.as_str().into(), value.clone())).collect();
        let arguments =
            Json::object([("positional", positional.clone().into()), ("named", members.into())]);
        let mut variables =
            vec![("ARGS".to_owned(), arguments), ("__prog_args".to_owned(), positional.into())];
        variables.extend(named.iter().cloned());
        let environment: Object = std::env::vars_os()
            .map(|(name, value)| {
                (name.to_string_lossy().into(), Json::from(value.to_string_lossy().into_owned()))
            })
            .collect();
        let definitions = syntax::definitions(PRELUDE)?;
        let mut globals = Globals::new();
        for definition in definitions {
            globals.entry(definition.name.clone()).or_default().push(definition);
        }
        let mut filter = syntax::program(text)?;
        let mut names = Names { globals: &globals, functions: Vec::new(), variables: Vec::new() };
        names.variables.push("ENV".to_owned());
        names.variables.extend(variables.iter().map(|(name, _)| name.clone()));
        names
            .check(&filter)
            .map_err(|name| format!("{name} is not defined at <top-level>, line 1:\n{text}"))?;
        single::mark(&mut filter, &mut globals);
        Ok(Program { filter, globals, variables, environment: environment.into() })
    }

    /// Runs the filter on the inputs and returns the exit code.
    pub(in crate::commands) fn run(
        &self,
        inputs: impl Inputs,
        null_input: bool,
        emit: &mut dyn FnMut(Json) -> io::Result<()>,
    ) -> i32 {
        let inputs = RefCell::new(inputs);
        let machine = Machine {
            globals: &self.globals,
            inputs: &inputs,
            environment: self.environment.clone(),
            regexes: RefCell::default(),
            labels: Cell::new(0),
        };
        let mut scope = Scope::default();
        for (name, value) in &self.variables {
            // There are not as many variables as a scope can hold.
            scope = scope.with(Name::Variable(name, value.clone())).unwrap_or_default();
        }
        if null_input {
            let place = || "<unknown>".to_owned();
            return self
                .one(&machine, &scope, Json::Null, emit, &place)
                .unwrap_or_else(|code| code);
        }
        let mut code = 0;
        loop {
            let input = inputs.borrow_mut().next();
            let place = || {
                let inputs = inputs.borrow();
                match inputs.file() {
                    Json::Str(file) => format!("{file}:{}", inputs.line()),
                    _ => format!("<stdin>:{}", inputs.line()),
                }
            };
            match input {
                None => return code,
                Some(Ok(input)) => match self.one(&machine, &scope, input, emit, &place) {
                    Ok(0) => {}
                    Ok(failed) => code = failed,
                    Err(halted) => return halted,
                },
                Some(Err(why)) => {
                    eprintln!("jq: parse error: {why}");
                    return 2;
                }
            }
        }
    }

    /// Runs the filter on one input. `Err` carries the exit code that ends the command.
    fn one<'a>(
        &'a self,
        machine: &Machine<'a>,
        scope: &Scope<'a>,
        input: Json,
        emit: &mut dyn FnMut(Json) -> io::Result<()>,
        place: &dyn Fn() -> String,
    ) -> Result<i32, i32> {
        let outputs = Run::new(machine, &self.filter, scope, input);
        let flow = outputs.into_iter().try_for_each(|output| {
            emit(output?).map_err(|error| {
                eprintln!("jq: error: {}", crate::output::reason(&error));
                Stop::Halt(2)
            })
        });
        match flow {
            Ok(()) => Ok(0),
            Err(Stop::Halt(code)) => Err(code),
            Err(Stop::Break(_)) => {
                eprintln!("jq: error (at {}): break", place());
                Ok(5)
            }
            Err(Stop::Error(Json::Str(text))) => {
                eprintln!("jq: error (at {}): {text}", place());
                Ok(5)
            }
            Err(Stop::Error(other)) => {
                eprintln!("jq: error (at {}) (not a string): {}", place(), other.text());
                Ok(5)
            }
        }
    }
}

/// Returns true if the prelude defines the function of this name and number of parameters.
pub(super) fn defines(globals: &Globals, (name, arity): &(String, usize)) -> bool {
    let known = globals.get(name).into_iter().flatten();
    known.into_iter().any(|definition| definition.parameters.len() == *arity)
}

/// The names in scope while a filter is checked.
struct Names<'a> {
    globals: &'a Globals,
    functions: Vec<(String, usize)>,
    variables: Vec<String>,
}

impl Names<'_> {
    /// Returns the first name that is not defined.
    fn check(&mut self, filter: &Filter) -> Result<(), String> {
        match filter {
            Filter::Identity | Filter::RecurseAll | Filter::Literal(_) | Filter::Array(None) => {
                Ok(())
            }
            Filter::Format(name) => {
                if format::NAMES.contains(&name.as_str()) {
                    Ok(())
                } else {
                    Err(format!("{name}/0"))
                }
            }
            Filter::Text(_, parts) => parts.iter().try_for_each(|part| match part {
                Part::Plain(_) => Ok(()),
                Part::Filter(filter) => self.check(filter),
            }),
            Filter::Single(a) | Filter::Iterate(a) | Filter::Array(Some(a)) | Filter::Negate(a) => {
                self.check(a)
            }
            Filter::Index(a, b)
            | Filter::Pipe(a, b)
            | Filter::Comma(a, b)
            | Filter::Binary(_, a, b)
            | Filter::And(a, b)
            | Filter::Or(a, b)
            | Filter::Alternative(a, b)
            | Filter::Assign(a, b)
            | Filter::Modify(a, b)
            | Filter::Change(_, a, b) => self.check(a).and_then(|()| self.check(b)),
            Filter::Object(members) => members
                .iter()
                .try_for_each(|(key, value)| self.check(key).and_then(|()| self.check(value))),
            Filter::If(a, b, c) => [a, b, c].into_iter().try_for_each(|part| self.check(part)),
            Filter::Try(body, handler) => {
                self.check(body)?;
                handler.iter().try_for_each(|handler| self.check(handler))
            }
            Filter::Reduce(source, patterns, init, update) => {
                self.check(source)?;
                self.check(init)?;
                self.bound(patterns, &[update])
            }
            Filter::Foreach(source, patterns, init, update, extract) => {
                self.check(source)?;
                self.check(init)?;
                let mut parts = vec![&**update];
                parts.extend(extract.as_deref());
                self.bound(patterns, &parts)
            }
            Filter::Bind(source, patterns, body) => {
                self.check(source)?;
                self.bound(patterns, &[body])
            }
            Filter::Define(definition, rest) => {
                let (functions, variables) = (self.functions.len(), self.variables.len());
                self.functions.push((definition.name.clone(), definition.parameters.len()));
                for parameter in &definition.parameters {
                    if let Some(variable) = parameter.strip_prefix('$') {
                        self.variables.push(variable.to_owned());
                    }
                    self.functions.push((parameter.trim_start_matches('$').to_owned(), 0));
                }
                let checked = self.check(&definition.body);
                self.functions.truncate(functions + 1);
                self.variables.truncate(variables);
                checked.and_then(|()| self.check(rest)).inspect(|()| {
                    self.functions.truncate(functions);
                })
            }
            Filter::Call(name, arguments) => {
                let called = (name.clone(), arguments.len());
                let native = (name.as_str(), arguments.len());
                let known = self.functions.contains(&called)
                    || defines(self.globals, &called)
                    || library::NAMES.contains(&native)
                    || math::NAMES.contains(&native);
                if !known {
                    return Err(format!("{name}/{}", arguments.len()));
                }
                arguments.iter().try_for_each(|argument| self.check(argument))
            }
            Filter::Variable(name) => {
                if self.variables.contains(name) {
                    Ok(())
                } else {
                    Err(format!("${name}"))
                }
            }
            Filter::Label(name, body) => {
                self.variables.push(format!("*label-{name}"));
                let checked = self.check(body);
                self.variables.pop();
                checked
            }
            Filter::Break(name) => {
                let label = format!("*label-{name}");
                if self.variables.contains(&label) { Ok(()) } else { Err(format!("${label}")) }
            }
        }
    }

    /// Checks filters in which the variables of patterns are known.
    fn bound(&mut self, patterns: &[Pattern], filters: &[&Filter]) -> Result<(), String> {
        let before = self.variables.len();
        let mut names = Vec::new();
        patterns.iter().for_each(|pattern| pattern.names(&mut names));
        self.variables.extend(names.into_iter().map(str::to_owned));
        let checked = patterns
            .iter()
            .try_for_each(|pattern| self.keys(pattern))
            .and_then(|()| filters.iter().try_for_each(|filter| self.check(filter)));
        self.variables.truncate(before);
        checked
    }

    /// Checks the keys of a pattern.
    fn keys(&mut self, pattern: &Pattern) -> Result<(), String> {
        match pattern {
            Pattern::Variable(_) => Ok(()),
            Pattern::Array(items) => items.iter().try_for_each(|item| self.keys(item)),
            Pattern::Object(members) => members.iter().try_for_each(|(_, key, pattern)| {
                self.check(key)?;
                pattern.iter().try_for_each(|pattern| self.keys(pattern))
            }),
        }
    }
}
