//! Parses the parameters of `exec`. The shape of every parameter is checked.

use base64::Engine as _;
use cofferdam::config::Config;
use cofferdam::{Boundary, Capability, Command, Language, Limits, Sandbox, SandboxBuilder, Tool};
use serde_json::{Map, Value as Json};

/// A message about a wrong parameter; it begins with the name of the parameter.
pub(crate) struct BadParams(pub(crate) String);

impl From<cofferdam::Error> for BadParams {
    fn from(error: cofferdam::Error) -> Self {
        BadParams(error.to_string())
    }
}

/// A run to be started.
pub(crate) struct Exec {
    pub(crate) runnable: Runnable,
    pub(crate) sandbox: SandboxRef,
    pub(crate) session: Option<String>,
    /// True if a page was given; it is then part of the answer.
    pub(crate) has_page: bool,
}

/// The sandbox of a run.
pub(crate) enum SandboxRef {
    /// A sandbox made for this run.
    Fresh(Box<SandboxBuilder>),
    /// A kept sandbox, by its id.
    Kept(String),
}

/// A tool or a program.
pub(crate) enum Runnable {
    Tool(Tool),
    Program(Command),
}

/// Longest module that is read from a file.
const MAX_MODULE: u64 = 256 << 20;

const KNOWN: [&str; 21] = [
    "kind",
    "command",
    "wasm",
    "argv",
    "preopens",
    "code",
    "args",
    "capabilities",
    "limits",
    "stdin",
    "env",
    "files",
    "cwd",
    "name",
    "session",
    "boundary",
    "config",
    "page",
    "language",
    "sandbox",
    "programs",
];

impl Exec {
    pub(crate) fn parse(params: Json) -> Result<Self, BadParams> {
        let Json::Object(mut params) = params else { return bad("params: not an object") };
        check_known(&params, &KNOWN)?;
        let kind = text(&mut params, "kind")?.ok_or(BadParams(
            "kind: missing; must be \"js\", \"ts\", \"shell\" or \"wasm\"".into(),
        ))?;
        match kind.as_str() {
            "shell" => return Exec::shell(params),
            "wasm" => return Exec::wasm(params),
            _ => {}
        }
        only(&params, "js", &["command", "wasm", "argv", "preopens"])?;
        let language = match (kind.as_str(), text(&mut params, "language")?.as_deref()) {
            ("js", None) => None,
            ("js", Some("js" | "javascript")) => Some(Language::JavaScript),
            ("ts", None) | ("js" | "ts", Some("ts" | "typescript")) => Some(Language::TypeScript),
            ("js" | "ts", Some(other)) => {
                return bad(format!("language: unknown {other:?}; must be \"js\" or \"ts\""));
            }
            (other, _) => {
                return bad(format!(
                    "kind: unknown {other:?}; must be \"js\", \"ts\", \"shell\" or \"wasm\""
                ));
            }
        };
        let (named, config) = (text(&mut params, "boundary")?, params.remove("config"));
        let config = match config.filter(|config| !config.is_null()) {
            Some(_) if named.is_some() => {
                return bad("boundary: given together with config; give one of them");
            }
            Some(config) => Some(Config::from_json(&config)?),
            None => None,
        };
        // Both belong to the sandbox; a kept sandbox refuses them below.
        let of_sandbox = match (&named, &config) {
            (Some(_), _) => Some("boundary"),
            (None, Some(_)) => Some("config"),
            (None, None) => None,
        };
        let boundary = boundary(named)?;
        let page = text(&mut params, "page")?;
        let code = text(&mut params, "code")?.ok_or(BadParams("code: missing".into()))?;
        let name = text(&mut params, "name")?;
        let mut tool = match name {
            Some(name) => Tool::from_file_name(&name, code),
            None if language == Some(Language::TypeScript) => Tool::typescript(code),
            None => Tool::javascript(code),
        };
        if let Some(language) = language {
            tool = tool.language(language);
        }
        if let Some(args) = params.remove("args") {
            tool = tool.args(args);
        }
        let session = text(&mut params, "session")?;
        if session.is_some() && params.get("sandbox").is_some_and(|id| !id.is_null()) {
            return bad(
                "session: not supported in a kept sandbox; leave out \"session\" or \"sandbox\"",
            );
        }
        let mut exec = in_sandbox(Runnable::Tool(tool), params, session)?;
        match (&mut exec.sandbox, page) {
            (SandboxRef::Fresh(builder), page) => {
                exec.has_page = page.is_some();
                let taken = std::mem::take(&mut **builder);
                let mut filled = match config {
                    Some(config) => taken.config(config),
                    None => taken.boundary(boundary),
                };
                if let Some(html) = page {
                    filled = filled.page(html);
                }
                **builder = filled;
            }
            (SandboxRef::Kept(_), Some(_)) => {
                return bad("page: can only be given when the sandbox is created");
            }
            (SandboxRef::Kept(_), None) => {
                if let Some(name) = of_sandbox {
                    return bad(format!("{name}: can only be given when the sandbox is created"));
                }
            }
        }
        Ok(exec)
    }

    /// Parses a run of shell text, as with `bash -c`.
    fn shell(mut params: Map<String, Json>) -> Result<Self, BadParams> {
        only(&params, "shell", &OF_TOOLS)?;
        only(&params, "shell", &["wasm", "argv", "preopens"])?;
        let text = text(&mut params, "command")?.ok_or(BadParams("command: missing".into()))?;
        in_sandbox(Runnable::Program(Command::shell(text)), params, None)
    }

    /// Parses a run of a WASI program.
    fn wasm(mut params: Map<String, Json>) -> Result<Self, BadParams> {
        only(&params, "wasm", &OF_TOOLS)?;
        only(&params, "wasm", &["command"])?;
        let given = object(&mut params, "wasm")?;
        let path = given.get("path").and_then(Json::as_str).map(str::to_owned);
        let of_files = path.as_ref().and_then(|path| params.get("files")?.get(path).cloned());
        let mut command = match (&path, of_files) {
            (Some(path), Some(content)) if !given.contains_key("base64") => {
                Command::wasm(path, file_content(&format!("files.{path}"), content)?)
            }
            _ => {
                let name = path.as_deref().unwrap_or("program.wasm");
                Command::wasm(name, module("wasm", given.clone())?)
            }
        };
        command = match params.remove("argv") {
            None | Some(Json::Null) => command,
            Some(Json::Array(items)) => {
                let mut argv = Vec::new();
                for item in items {
                    let Json::String(item) = item else {
                        return bad("argv: not an array of strings");
                    };
                    argv.push(item);
                }
                command.argv(argv)
            }
            Some(_) => return bad("argv: not an array"),
        };
        command = match params.remove("preopens") {
            None | Some(Json::Null) => command,
            Some(Json::Array(items)) if items.is_empty() => command.without_preopens(),
            Some(Json::Array(items)) if items == [Json::from("/")] => command,
            Some(_) => return bad("preopens: must be [] or [\"/\"]"),
        };
        in_sandbox(Runnable::Program(command), params, None)
    }
}

fn boundary(name: Option<String>) -> Result<Boundary, BadParams> {
    let Some(name) = name else { return Ok(Boundary::default()) };
    match Boundary::ALL.iter().find(|boundary| boundary.name() == name) {
        Some(boundary) => Ok(*boundary),
        None => bad(format!("boundary: unknown {name:?}; must be \"worker\" or \"iframe\"")),
    }
}

/// Parameters that only tools have.
const OF_TOOLS: [&str; 8] =
    ["code", "args", "name", "session", "boundary", "config", "page", "language"];

/// Refuses parameters that a method does not have.
pub(crate) fn check_known(params: &Map<String, Json>, known: &[&str]) -> Result<(), BadParams> {
    match params.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) if key == "tools" && known.contains(&"programs") => bad(
            "tools: unknown parameter; a WASI module that becomes a command is one of \"programs\"",
        ),
        Some(key) => bad(format!("{key}: unknown parameter; known are {}", known.join(", "))),
        None => Ok(()),
    }
}

/// Refuses parameters that have no meaning for this kind of run.
fn only(params: &Map<String, Json>, kind: &str, not: &[&str]) -> Result<(), BadParams> {
    match not.iter().find(|name| params.get(**name).is_some_and(|value| !value.is_null())) {
        Some(name) => bad(format!("{name}: not a parameter of kind {kind:?}")),
        None => Ok(()),
    }
}

/// Returns the bytes of a module given as `{"path": …}` or `{"base64": …}`.
fn module(name: &str, mut given: Map<String, Json>) -> Result<Vec<u8>, BadParams> {
    let (path, encoded) = (text(&mut given, "path")?, text(&mut given, "base64")?);
    if let Some(unknown) = given.keys().next() {
        return bad(format!("{name}.{unknown}: unknown field; known are path, base64"));
    }
    match (path, encoded) {
        (Some(path), None) => module_file(name, &path),
        (None, Some(encoded)) => {
            let module = base64::engine::general_purpose::STANDARD.decode(encoded);
            module.map_err(|e| BadParams(format!("{name}.base64: {e}")))
        }
        (None, None) => bad(format!("{name}: missing; give {{\"path\": …}} or {{\"base64\": …}}")),
        (Some(_), Some(_)) => bad(format!("{name}: has both path and base64; give one of them")),
    }
}

/// Parameters that can be given only when a sandbox is created.
const OF_SANDBOXES: [&str; 4] = ["limits", "files", "capabilities", "programs"];

/// Combines a tool or program with its sandbox.
fn in_sandbox(
    runnable: Runnable,
    mut params: Map<String, Json>,
    session: Option<String>,
) -> Result<Exec, BadParams> {
    let Some(id) = text(&mut params, "sandbox")? else {
        let sandbox = SandboxRef::Fresh(Box::new(sandbox(params)?));
        return Ok(Exec { runnable, sandbox, session, has_page: false });
    };
    let is_given = |name: &&&str| params.get(**name).is_some_and(|value| !value.is_null());
    if let Some(name) = OF_SANDBOXES.iter().find(is_given) {
        return bad(format!("{name}: can only be given when the sandbox is created"));
    }
    let runnable = match runnable {
        Runnable::Program(command) => Runnable::Program(settings(command, params)?),
        Runnable::Tool(tool) => {
            if let Some(name) = ["stdin", "env", "cwd"].iter().find(is_given) {
                return bad(format!("{name}: can only be given when the sandbox is created"));
            }
            Runnable::Tool(tool)
        }
    };
    Ok(Exec { runnable, sandbox: SandboxRef::Kept(id), session, has_page: false })
}

/// Applies standard input, working directory and environment to one program in a kept sandbox.
fn settings(mut command: Command, mut params: Map<String, Json>) -> Result<Command, BadParams> {
    if let Some(stdin) = text(&mut params, "stdin")? {
        command = command.stdin(stdin);
    }
    if let Some(cwd) = text(&mut params, "cwd")? {
        command = command.cwd(absolute(cwd)?);
    }
    for (name, value) in object(&mut params, "env")? {
        let (name, value) = variable(name, value)?;
        command = command.env(name, value);
    }
    Ok(command)
}

fn absolute(cwd: String) -> Result<String, BadParams> {
    match cwd.starts_with('/') {
        true => Ok(cwd),
        false => bad(format!("cwd: {cwd:?} is not an absolute path")),
    }
}

fn variable(name: String, value: Json) -> Result<(String, String), BadParams> {
    let Json::String(value) = value else { return bad(format!("env.{name}: not a string")) };
    if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
        return bad(format!("env.{name}: not an environment variable (empty name, `=` or NUL)"));
    }
    Ok((name, value))
}

/// Reads a module from a file of this machine that the caller named.
fn module_file(name: &str, path: &str) -> Result<Vec<u8>, BadParams> {
    use std::io::Read;
    let failed =
        |e: std::io::Error| BadParams(format!("{name}.path: {path}: {}", crate::place::plain(&e)));
    let file = std::fs::File::open(path).map_err(failed)?;
    let mut module = Vec::new();
    file.take(MAX_MODULE + 1).read_to_end(&mut module).map_err(failed)?;
    Ok(module)
}

/// Builds a sandbox from its parameters.
pub(crate) fn sandbox(mut params: Map<String, Json>) -> Result<SandboxBuilder, BadParams> {
    let mut builder = Sandbox::builder().limits(limits(object(&mut params, "limits")?)?);
    if let Some(stdin) = text(&mut params, "stdin")? {
        builder = builder.stdin(stdin);
    }
    if let Some(cwd) = text(&mut params, "cwd")? {
        builder = builder.env("PWD", absolute(cwd)?);
    }
    for (name, value) in object(&mut params, "env")? {
        let (name, value) = variable(name, value)?;
        builder = builder.env(name, value);
    }
    for (path, content) in object(&mut params, "files")? {
        builder = builder.file(path.clone(), file_content(&format!("files.{path}"), content)?);
    }
    for (name, given) in object(&mut params, "programs")? {
        let Json::Object(given) = given else {
            return bad(format!("programs.{name}: not an object"));
        };
        let module = module(&format!("programs.{name}"), given)?;
        builder = builder.program(name, module);
    }
    let capabilities = match params.remove("capabilities") {
        None | Some(Json::Null) => Vec::new(),
        Some(Json::Array(items)) => items,
        Some(_) => return bad("capabilities: not an array"),
    };
    for item in capabilities {
        let Json::String(name) = item else { return bad("capabilities: not an array of strings") };
        let capability = name.parse::<Capability>();
        builder = builder.grant(capability.map_err(|e| BadParams(format!("capabilities: {e}")))?);
    }
    Ok(builder)
}

fn limits(given: Map<String, Json>) -> Result<Limits, BadParams> {
    let mut limits = Limits::default();
    for (name, value) in given {
        let number = value.as_u64().or_else(|| {
            let float = value.as_f64()?;
            (float >= 0.0 && float.fract() == 0.0).then_some(float as u64)
        });
        let Some(number) = number else {
            return bad(format!("limits.{name}: not a whole number of 0 or more"));
        };
        limits.set(&name, number).map_err(|e| BadParams(format!("limits.{e}")))?;
    }
    Ok(limits)
}

/// Returns the bytes of a file given as text or as `{"base64": …}`. `name` is the parameter, for
/// error messages.
pub(crate) fn file_content(name: &str, content: Json) -> Result<Vec<u8>, BadParams> {
    let encoded = match &content {
        Json::String(text) => return Ok(text.as_bytes().to_vec()),
        Json::Object(fields) => fields.get("base64").and_then(Json::as_str),
        _ => None,
    };
    let Some(encoded) = encoded else {
        return bad(format!("{name}: neither a string nor {{\"base64\": …}}"));
    };
    let decoded = base64::engine::general_purpose::STANDARD.decode(encoded);
    decoded.map_err(|error| BadParams(format!("{name}.base64: {error}")))
}

pub(crate) fn text(
    params: &mut Map<String, Json>,
    name: &str,
) -> Result<Option<String>, BadParams> {
    match params.remove(name) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::String(text)) => Ok(Some(text)),
        Some(_) => bad(format!("{name}: not a string")),
    }
}

pub(crate) fn object(
    params: &mut Map<String, Json>,
    name: &str,
) -> Result<Map<String, Json>, BadParams> {
    match params.remove(name) {
        None | Some(Json::Null) => Ok(Map::new()),
        Some(Json::Object(fields)) => Ok(fields),
        Some(_) => bad(format!("{name}: not an object")),
    }
}

pub(crate) fn bad<T>(what: impl Into<String>) -> Result<T, BadParams> {
    Err(BadParams(what.into()))
}

#[cfg(test)]
mod tests;
