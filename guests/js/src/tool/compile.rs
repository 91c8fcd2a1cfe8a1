//! Compiles a tool in one of its forms and calls it.

use std::borrow::Cow;

use cofferdam_abi::call::ToolCall;
use cofferdam_abi::entry::{Code, MAX_CODE, Start};
use rquickjs::function::This;
use rquickjs::{Array, Ctx, Exception, Function, Module, Object, Promise, Result, Value};

use super::declared::{self, Declared};
use super::parameters::{self, Takes};
use crate::engine::{self, Eval};
use crate::{clone, gate, modules};

/// Parameters of the function around a plain body.
const PLAIN: usize = 2;

/// Names that Node gives a script. A source that mentions one gets all of them.
const NODE_NAMES: [&str; 5] = ["require", "module", "exports", "__filename", "__dirname"];

/// The function around a tool. Its lines keep their numbers, and it is an expression without
/// parentheses: QuickJS would scan those a second time, for the arrow of a function.
struct Wrapper {
    head: &'static str,
    tail: &'static str,
}

/// For a body that uses `btcp` and `args` at most.
const BODY: Wrapper = Wrapper { head: "0, async function tool(btcp, args) {\n\n", tail: "\n}" };

/// For a script that uses Node's names, or declares a name of the host's again: those names are
/// one scope further out.
const SCRIPT: Wrapper = Wrapper {
    head: "0, function (btcp, args, require, module, exports, __filename, __dirname) { \
           return async function tool() {\n\n",
    tail: "\n} }",
};

/// QuickJS takes 0 for "not given", so a wrapped text begins two lines before its first.
const FIRST_LINE: i32 = -1;

/// Calls a body: the text of an async function of `(btcp, args)`, or a CommonJS script.
pub(super) fn call_body<'js>(
    ctx: &Ctx<'js>,
    function: Function<'js>,
    btcp: Object<'js>,
    args: Value<'js>,
) -> Result<Promise<'js>> {
    if function.get::<_, usize>("length")? <= PLAIN {
        return function.call((btcp, args));
    }
    let names: Array = modules::part(ctx, "modules")?.get::<_, Function>("startMain")?.call(())?;
    let (require, module): (Value, Value) = (names.get(0)?, names.get(1)?);
    let exports: Value = names.get(2)?;
    let (file, folder): (Value, Value) = (names.get(3)?, names.get(4)?);
    let script: Function =
        function.call((btcp, args, require, module, exports.clone(), file, folder))?;
    script.call((This(exports),))
}

/// Compiles a body, or restores one that was compiled before.
pub(super) fn body<'js>(ctx: &Ctx<'js>, start: &Start<'_>) -> Result<Function<'js>> {
    if let Code::Kept(code) = start.code {
        let value = engine::run(engine::unpack(ctx, code)?)?;
        return value.into_function().ok_or(rquickjs::Error::Unknown);
    }
    let source = without_shebang(start.source);
    let call = match declared::look(&source) {
        Declared::No => String::new(),
        Declared::One { name, takes: Takes::Args } => format!("\nreturn {name}(args)"),
        Declared::One { name, takes: Takes::BtcpAndArgs } => {
            format!("\nreturn {name}(btcp, args)")
        }
        Declared::Several(names) => {
            return Err(Exception::throw_type(ctx, &declared::hint(&names)));
        }
    };
    if !NODE_NAMES.iter().any(|name| source.contains(name)) {
        match wrapped(ctx, start, &BODY, &source, &call) {
            // The source may have a `const args` of its own.
            Err(_) if mentions_parameter(&source) => drop(ctx.catch()),
            settled => return settled,
        }
    }
    wrapped(ctx, start, &SCRIPT, &source, &call)
}

fn mentions_parameter(source: &str) -> bool {
    source.contains("args") || source.contains("btcp")
}

fn wrapped<'js>(
    ctx: &Ctx<'js>,
    start: &Start<'_>,
    wrapper: &Wrapper,
    source: &str,
    call: &str,
) -> Result<Function<'js>> {
    let text = [wrapper.head, source, call, wrapper.tail].concat();
    let value = match start.code {
        Code::ToKeep => {
            let code = engine::eval(ctx, &text, start.file, FIRST_LINE, Eval::Compile)?;
            engine::pack(&code, keep)?;
            engine::run(code)?
        }
        Code::Unkept | Code::Kept(_) => {
            engine::eval(ctx, &text, start.file, FIRST_LINE, Eval::Script)?
        }
    };
    value.into_function().ok_or(rquickjs::Error::Unknown)
}

/// Hands the compiled code to the host, before any of it runs.
fn keep(code: &[u8]) {
    if code.len() <= MAX_CODE {
        gate::call(ToolCall::CodeKeep, code, |_, _| ());
    }
}

/// Makes a comment of a first line such as `#!/usr/bin/env node`; positions stay.
pub(crate) fn without_shebang(source: &str) -> Cow<'_, str> {
    match source.strip_prefix("#!") {
        Some(rest) => Cow::Owned(format!("//{rest}")),
        None => Cow::Borrowed(source),
    }
}

/// Runs a module: its default export is the tool. Without one it is a script.
pub(super) fn module<'js>(
    ctx: &Ctx<'js>,
    start: &Start<'_>,
    btcp: Object<'js>,
    args: Value<'js>,
) -> Result<Promise<'js>> {
    let mut source = without_shebang(start.source);
    if !source.contains("export default") {
        match declared::look(&source) {
            Declared::One { name, .. } => {
                let export = format!("{source}\nexport default {name};\n");
                source = Cow::Owned(export);
            }
            Declared::No | Declared::Several(_) => {}
        }
    }
    let module = Module::declare(ctx.clone(), start.file, source.as_ref())?;
    modules::set_main_meta(ctx, &module.meta()?)?;
    let (module, loaded) = module.eval()?;
    let namespace = module.namespace()?;
    let takes = Function::new(ctx.clone(), takes_both)?;
    clone::helper(ctx, "callDefault")?.call((loaded, namespace, takes, btcp, args))
}

/// Returns true if a function with this text wants `(btcp, args)`.
fn takes_both(text: String) -> bool {
    parameters::of(&text) == Takes::BtcpAndArgs
}

/// Runs a script whose top-level names stay for the next run of a kept cell.
pub(super) fn kept<'js>(
    ctx: &Ctx<'js>,
    start: &Start<'_>,
    btcp: Object<'js>,
    args: Value<'js>,
) -> Result<Promise<'js>> {
    ctx.globals().set("btcp", btcp)?;
    ctx.globals().set("args", args)?;
    let source = without_shebang(start.source);
    let value = engine::eval(ctx, &source, start.file, 1, Eval::AsyncScript)?;
    value.into_promise().ok_or(rquickjs::Error::Unknown)
}

/// Returns true if a line begins with a word that only a module's line can begin with.
pub(super) fn is_likely_module(source: &str) -> bool {
    source.lines().any(|line| {
        let line = line.trim_start();
        line.starts_with("export") || line.starts_with("import")
    })
}
