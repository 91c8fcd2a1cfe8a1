//! Compiles and runs a filter.

use std::io;

use jaq_core::data::HasLut;
use jaq_core::load::{Arena, File, Loader, lex, parse};
use jaq_core::{Compiler, Ctx, DataT, Filter, Lut, Vars, load};
use jaq_json::{Map, Val};
use jaq_std::input::{HasInputs, Inputs, RcIter};

/// Filters of jq that the libraries lack.
const OWN_DEFINITIONS: &str = "def leaf_paths: paths(scalars); def input_filename: null;";

/// The data available to native filters: the program, and the remaining inputs.
pub(in crate::commands) struct Data;

#[derive(Clone)]
pub(in crate::commands) struct Global<'a> {
    lut: &'a Lut<Data>,
    inputs: Inputs<'a, Val>,
}

impl DataT for Data {
    type V<'a> = Val;
    type Data<'a> = Global<'a>;
}

impl<'a> HasLut<'a, Data> for Global<'a> {
    fn lut(&self) -> &'a Lut<Data> {
        self.lut
    }
}

impl<'a> HasInputs<'a, Val> for Global<'a> {
    fn inputs(&self) -> Inputs<'a, Val> {
        self.inputs
    }
}

/// A compiled filter and the values of its global variables.
pub(in crate::commands) struct Program {
    filter: Filter<Data>,
    variables: Vec<Val>,
}

impl Program {
    pub(in crate::commands) fn compile(
        text: &str,
        named: &[(String, Val)],
        named_map: Map,
        positional: Vec<Val>,
    ) -> Result<Self, String> {
        let mut names = vec!["$ENV".to_owned(), "$ARGS".to_owned(), "$__prog_args".to_owned()];
        let environment = std::env::vars_os().map(|(name, value)| {
            let text = |s: std::ffi::OsString| Val::from(s.to_string_lossy().into_owned());
            (text(name), text(value))
        });
        let mut args = Map::default();
        args.insert(Val::from("positional".to_owned()), positional.iter().cloned().collect());
        args.insert(Val::from("named".to_owned()), Val::obj(named_map));
        let mut variables =
            vec![Val::obj(environment.collect()), Val::obj(args), positional.into_iter().collect()];
        for (name, value) in named {
            names.push(format!("${name}"));
            variables.push(value.clone());
        }
        let own = load::parse(OWN_DEFINITIONS, |parser| parser.defs()).unwrap_or_default();
        let defs = jaq_core::defs().chain(jaq_std::defs()).chain(jaq_json::defs()).chain(own);
        let inputs = jaq_std::input::funs::<Data>().into_vec().into_iter();
        let funs = jaq_core::funs()
            .chain(jaq_std::funs())
            .chain(jaq_json::funs())
            .chain(inputs.map(jaq_core::native::run::<Data>));
        let arena = Arena::default();
        let loader = Loader::new(defs);
        let modules =
            loader.load(&arena, File { code: text, path: () }).map_err(|e| load_error(&e))?;
        let filter = Compiler::default()
            .with_funs(funs)
            .with_global_vars(names.iter().map(String::as_str))
            .compile(modules)
            .map_err(|errors| {
                let undefined = errors.into_iter().flat_map(|(_, errors)| errors).next();
                match undefined {
                    Some((name, kind)) => format!("{name}/{kind:?} is not defined"),
                    None => "cannot be compiled".to_owned(),
                }
            })?;
        Ok(Program { filter, variables })
    }

    /// Runs the filter on the inputs and returns the exit code.
    pub(in crate::commands) fn run(
        &self,
        inputs: Box<dyn Iterator<Item = Result<Val, String>> + '_>,
        null_input: bool,
        emit: &mut dyn FnMut(Val) -> io::Result<()>,
    ) -> i32 {
        let inputs = RcIter::new(inputs);
        let inputs: Inputs<'_, Val> = &inputs;
        let mut code = 0;
        if null_input {
            return self.one(Val::Null, inputs, emit).unwrap_or_else(|code| code);
        }
        for input in inputs {
            match input {
                Ok(input) => match self.one(input, inputs, emit) {
                    Ok(0) => {}
                    Ok(failed) => code = failed,
                    Err(halted) => return halted,
                },
                Err(error) => {
                    eprintln!("jq: error (at <stdin>:0): {error}");
                    return 2;
                }
            }
        }
        code
    }

    /// Runs the filter on one input. `Err` carries the exit code that ends the command.
    fn one<'a>(
        &'a self,
        input: Val,
        inputs: Inputs<'a, Val>,
        emit: &mut dyn FnMut(Val) -> io::Result<()>,
    ) -> Result<i32, i32> {
        let global = Global { lut: &self.filter.lut, inputs };
        let ctx = Ctx::<Data>::new(global, Vars::new(self.variables.iter().cloned()));
        for output in self.filter.id.run((ctx, input)) {
            match output {
                Ok(value) => emit(value).map_err(|error| {
                    eprintln!("jq: error: {}", crate::output::reason(&error));
                    2
                })?,
                Err(exception) => {
                    let error = match exception.get_err() {
                        Ok(error) => error,
                        Err(other) => return Err(other.get_halt().unwrap_or(5)),
                    };
                    match error.into_val() {
                        Val::TStr(text) => {
                            let text = String::from_utf8_lossy(&text).into_owned();
                            eprintln!("jq: error (at <stdin>:0): {text}");
                        }
                        other => eprintln!("jq: error (at <stdin>:0) (not a string): {other}"),
                    }
                    return Ok(5);
                }
            }
        }
        Ok(0)
    }
}

fn load_error(errors: &load::Errors<&str, ()>) -> String {
    for (_, error) in errors {
        match error {
            load::Error::Io(list) => {
                if let Some((path, why)) = list.first() {
                    return format!("module not found: {path}: {why}");
                }
            }
            load::Error::Lex(list) => {
                if let Some((expected, found)) = list.first() {
                    let expected: &lex::Expect<&str> = expected;
                    return format!("syntax error, expected {} at {found:?}", expected.as_str());
                }
            }
            load::Error::Parse(list) => {
                if let Some((expected, found)) = list.first() {
                    let expected: &parse::Expect<&str> = expected;
                    return format!("syntax error, expected {} at {found:?}", expected.as_str());
                }
            }
        }
    }
    "syntax error".to_owned()
}
