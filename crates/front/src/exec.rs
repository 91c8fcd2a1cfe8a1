//! Parses the parameters of runs and sandboxes. The shape of every parameter is checked.
//!
//! Meets T-CELL-026.

use base64::Engine as _;
use cofferdam::config::Config;
use cofferdam::{
    Boundary, Capability, Command, Function, HostDir, Language, Limits, Mount, Sandbox,
    SandboxBuilder, Tool,
};
use serde_json::{Map, Value as Json};

use crate::fields::{EXEC, names};

/// A message about a wrong parameter; it begins with the name of the parameter.
pub struct BadParams(pub String);

impl From<cofferdam::Error> for BadParams {
    fn from(error: cofferdam::Error) -> Self {
        BadParams(error.to_string())
    }
}

/// A run to be started.
pub struct Exec {
    /// Tool or program.
    pub runnable: Runnable,
    /// Sandbox of the run.
    pub sandbox: SandboxRef,
    /// Session of a tool.
    pub session: Option<String>,
    /// True if a page was given; it is then part of the answer.
    pub has_page: bool,
    /// Limits of this run in a kept sandbox, by name.
    pub limits: Map<String, Json>,
    /// True if the output is sent while the run goes on.
    pub is_streamed: bool,
}

/// The sandbox of a run.
pub enum SandboxRef {
    /// A sandbox made for this run.
    Fresh(Box<Plan>),
    /// A kept sandbox, by its id.
    Kept(String),
}

/// A sandbox to be built.
pub struct Plan {
    /// Settings of the sandbox.
    pub builder: SandboxBuilder,
    /// Functions that the client lends.
    pub lent: Vec<Lent>,
    /// Value that questions repeat; `None` if the client is not asked.
    pub ask: Option<Json>,
}

/// A function that the client lends.
pub struct Lent {
    /// Name by which tools call it.
    pub name: String,
    /// Description for a language model.
    pub description: String,
    /// Schema of the arguments.
    pub takes: Option<Json>,
    /// Schema of the result.
    pub gives: Option<Json>,
    /// Value that calls repeat.
    pub handle: Json,
}

impl Lent {
    /// Returns the function for a sandbox; `call` passes a call on to the client.
    pub fn function<C, F>(self, call: C) -> Result<Function, cofferdam::Error>
    where
        C: Fn(Json) -> F + Send + Sync + 'static,
        F: Future<Output = Result<Json, String>> + Send + 'static,
    {
        let mut function = Function::new(self.name, call).described(self.description);
        if let Some(schema) = &self.takes {
            function = function.takes(schema)?;
        }
        if let Some(schema) = &self.gives {
            function = function.gives(schema)?;
        }
        Ok(function)
    }
}

/// A tool or a program.
pub enum Runnable {
    /// A script.
    Tool(Tool),
    /// A program.
    Program(Command),
    /// A real program of the machine, by its command line.
    Native(Vec<String>),
}

/// Returns the kind of run that a name stands for. Models write the names of languages in full
/// although the schema names the kinds.
pub fn kind_of(name: &str) -> &str {
    match name {
        "javascript" => "js",
        "typescript" => "ts",
        "py" | "python3" => "python",
        "bash" | "sh" => "shell",
        name => name,
    }
}

/// Longest module that is read from a file.
const MAX_MODULE: u64 = 256 << 20;

impl Exec {
    /// Parses the parameters of `exec`.
    pub fn parse(params: Json) -> Result<Self, BadParams> {
        let Json::Object(mut params) = params else { return bad("params: not an object") };
        check_known(&params, &names(EXEC))?;
        let kind = text(&mut params, "kind")?.ok_or(BadParams(
            "kind: missing; must be \"js\", \"ts\", \"python\", \"shell\", \"wasm\" or \"native\""
                .into(),
        ))?;
        let kind = kind_of(&kind);
        match kind {
            "shell" => return Exec::shell(params),
            "wasm" => return Exec::wasm(params),
            "native" => return Exec::native(params),
            _ => {}
        }
        only(&params, "js", &["command", "wasm", "argv", "preopens"])?;
        let language = text(&mut params, "language")?;
        let language = match (kind, language.as_deref().map(kind_of)) {
            ("js", None) => None,
            ("js", Some("js")) => Some(Language::JavaScript),
            ("ts", None) | ("js" | "ts", Some("ts")) => Some(Language::TypeScript),
            ("python", None | Some("python")) | ("js" | "ts", Some("python")) => {
                Some(Language::Python)
            }
            ("js" | "ts" | "python", Some(other)) => {
                return bad(format!(
                    "language: unknown {other:?}; must be \"js\", \"ts\" or \"python\""
                ));
            }
            (other, _) => {
                return bad(format!(
                    "kind: unknown {other:?}; must be \"js\", \"ts\", \"python\", \"shell\", \
                     \"wasm\" or \"native\""
                ));
            }
        };
        let code = text(&mut params, "code")?.ok_or(BadParams("code: missing".into()))?;
        let name = text(&mut params, "name")?;
        let mut tool = match name {
            Some(name) => Tool::from_file_name(&name, code),
            None if language == Some(Language::TypeScript) => Tool::typescript(code),
            None if language == Some(Language::Python) => Tool::python(code),
            None => Tool::javascript(code),
        };
        if let Some(language) = language {
            tool = tool.language(language);
        }
        if let Some(args) = params.remove("args") {
            tool = tool.args(args);
        }
        let session = text(&mut params, "session")?;
        in_sandbox(Runnable::Tool(tool), params, session)
    }

    /// Parses a run of shell text, as with `bash -c`.
    ///
    /// Not inlined, like other parts that few calls need: a browser compiles a function whole when it
    /// is first called, and a first result waits for that.
    #[inline(never)]
    fn shell(mut params: Map<String, Json>) -> Result<Self, BadParams> {
        only(&params, "shell", &OF_TOOLS)?;
        only(&params, "shell", &["wasm", "argv", "preopens"])?;
        let text = text(&mut params, "command")?.ok_or(BadParams("command: missing".into()))?;
        in_sandbox(Runnable::Program(Command::shell(text)), params, None)
    }

    /// Parses a run of a WASI program.
    #[inline(never)] // see `shell`
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
        if let Some(argv) = argv(&mut params)? {
            command = command.argv(argv);
        }
        command = match params.remove("preopens") {
            None | Some(Json::Null) => command,
            Some(Json::Array(items)) if items.is_empty() => command.without_preopens(),
            Some(Json::Array(items)) if items == [Json::from("/")] => command,
            Some(_) => return bad("preopens: must be [] or [\"/\"]"),
        };
        in_sandbox(Runnable::Program(command), params, None)
    }

    /// Parses a run of a real program of the machine.
    #[inline(never)] // see `shell`
    fn native(mut params: Map<String, Json>) -> Result<Self, BadParams> {
        only(&params, "native", &OF_TOOLS)?;
        only(&params, "native", &["command", "wasm", "preopens", "files", "programs"])?;
        match argv(&mut params)? {
            Some(words) if !words.is_empty() => in_sandbox(Runnable::Native(words), params, None),
            Some(_) | None => bad("argv: missing; must begin with the program"),
        }
    }
}

/// Takes the words of a command line.
fn argv(params: &mut Map<String, Json>) -> Result<Option<Vec<String>>, BadParams> {
    match params.remove("argv") {
        None | Some(Json::Null) => Ok(None),
        Some(Json::Array(items)) => {
            let mut argv = Vec::new();
            for item in items {
                let Json::String(item) = item else {
                    return bad("argv: not an array of strings");
                };
                argv.push(item);
            }
            Ok(Some(argv))
        }
        Some(_) => bad("argv: not an array"),
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
pub fn check_known(params: &Map<String, Json>, known: &[&str]) -> Result<(), BadParams> {
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
#[inline(never)] // see `Exec::shell`
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
const OF_SANDBOXES: [&str; 9] = [
    "files",
    "capabilities",
    "programs",
    "mounts",
    "functions",
    "ask",
    "boundary",
    "config",
    "page",
];

/// Limits that belong to the sandbox and cannot be set for one run.
const LIMITS_OF_SANDBOXES: [&str; 2] = ["fsBytes", "fileCount"];

/// Returns true if a parameter is there and not null.
pub fn is_given(params: &Map<String, Json>, name: &str) -> bool {
    params.get(name).is_some_and(|value| !value.is_null())
}

/// Formats an error without the number of the operating system.
fn plain(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_lowercase()
}

/// Combines a tool or program with its sandbox.
fn in_sandbox(
    runnable: Runnable,
    mut params: Map<String, Json>,
    session: Option<String>,
) -> Result<Exec, BadParams> {
    let is_streamed = flag(&mut params, "stream")?.unwrap_or(false);
    let Some(id) = text(&mut params, "sandbox")? else {
        let has_page = is_given(&params, "page");
        let sandbox = SandboxRef::Fresh(Box::new(sandbox(params)?));
        let limits = Map::new();
        return Ok(Exec { runnable, sandbox, session, has_page, limits, is_streamed });
    };
    if let Some(name) = OF_SANDBOXES.iter().find(|name| is_given(&params, name)) {
        return bad(format!("{name}: can only be given when the sandbox is created"));
    }
    let limits = object(&mut params, "limits")?;
    if let Some(name) = LIMITS_OF_SANDBOXES.iter().find(|name| limits.contains_key(**name)) {
        return bad(format!("limits.{name}: can only be given when the sandbox is created"));
    }
    self::limits(Limits::default(), &limits)?;
    let runnable = match runnable {
        Runnable::Program(command) => Runnable::Program(settings(command, params)?),
        runnable @ (Runnable::Tool(_) | Runnable::Native(_)) => {
            let of_program = ["stdin", "env", "cwd"];
            if let Some(name) = of_program.iter().find(|name| is_given(&params, name)) {
                return bad(format!("{name}: can only be given when the sandbox is created"));
            }
            runnable
        }
    };
    let sandbox = SandboxRef::Kept(id);
    Ok(Exec { runnable, sandbox, session, has_page: false, limits, is_streamed })
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
    let failed = |e: std::io::Error| BadParams(format!("{name}.path: {path}: {}", plain(&e)));
    let file = std::fs::File::open(path).map_err(failed)?;
    let mut module = Vec::new();
    file.take(MAX_MODULE + 1).read_to_end(&mut module).map_err(failed)?;
    Ok(module)
}

/// Builds a sandbox from its parameters.
pub fn sandbox(mut params: Map<String, Json>) -> Result<Plan, BadParams> {
    let given = object(&mut params, "limits")?;
    let mut builder = Sandbox::builder().limits(limits(Limits::default(), &given)?);
    builder = page(builder, &mut params)?;
    for item in array(&mut params, "mounts")? {
        let (at, directory, mode) = mount(item)?;
        builder = builder.mount(at, directory, mode);
    }
    let lent =
        array(&mut params, "functions")?.into_iter().map(function).collect::<Result<_, _>>()?;
    let ask = match params.remove("ask") {
        None | Some(Json::Null | Json::Bool(false)) => None,
        Some(handle @ (Json::Bool(true) | Json::String(_) | Json::Number(_))) => Some(handle),
        Some(_) => return bad("ask: neither true or false nor a string or number"),
    };
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
    for item in array(&mut params, "capabilities")? {
        let Json::String(name) = item else { return bad("capabilities: not an array of strings") };
        let capability = name.parse::<Capability>();
        builder = builder.grant(capability.map_err(|e| BadParams(format!("capabilities: {e}")))?);
    }
    Ok(Plan { builder, lent, ask })
}

/// Applies boundary, configuration and page.
fn page(
    builder: SandboxBuilder,
    params: &mut Map<String, Json>,
) -> Result<SandboxBuilder, BadParams> {
    let (named, config) = (text(params, "boundary")?, params.remove("config"));
    let builder = match config.filter(|config| !config.is_null()) {
        Some(_) if named.is_some() => {
            return bad("boundary: given together with config; give one of them");
        }
        Some(config) => builder.config(Config::from_json(&config)?),
        None => builder.boundary(boundary(named)?),
    };
    Ok(match text(params, "page")? {
        Some(html) => builder.page(html),
        None => builder,
    })
}

/// Opens a directory of this machine that the caller named.
#[inline(never)] // see `Exec::shell`
fn mount(item: Json) -> Result<(String, HostDir, Mount), BadParams> {
    let Json::Object(mut fields) = item else { return bad("mounts: not an array of objects") };
    check_fields("mounts", &fields, &["host", "at", "mode"])?;
    let missing = |name| BadParams(format!("mounts.{name}: missing"));
    let host = field(&mut fields, "mounts", "host")?.ok_or_else(|| missing("host"))?;
    let at = field(&mut fields, "mounts", "at")?.ok_or_else(|| missing("at"))?;
    if !at.starts_with('/') {
        return bad(format!("mounts.at: {at:?} is not an absolute path"));
    }
    let mode = match field(&mut fields, "mounts", "mode")?.as_deref() {
        // The default is the least that can be given.
        None | Some("ro") => Mount::ReadOnly,
        Some("overlay") => Mount::Overlay,
        Some("rw") => Mount::ReadWrite,
        Some(other) => {
            return bad(format!(
                "mounts.mode: unknown {other:?}; must be \"ro\", \"overlay\" or \"rw\""
            ));
        }
    };
    let directory = HostDir::open_ambient(&host)
        .map_err(|e| BadParams(format!("mounts.host: {host}: {}", plain(&e))))?;
    Ok((at, directory, mode))
}

#[inline(never)] // see `Exec::shell`
fn function(item: Json) -> Result<Lent, BadParams> {
    let Json::Object(mut fields) = item else { return bad("functions: not an array of objects") };
    let known = ["name", "description", "parameters", "returns", "handle"];
    check_fields("functions", &fields, &known)?;
    let name = field(&mut fields, "functions", "name")?;
    let name = name.ok_or(BadParams("functions.name: missing".into()))?;
    // The capability that lets tools call the function must be a capability.
    if let Err(error) = format!("function:call:{name}").parse::<Capability>() {
        return bad(format!("functions.name: {error}"));
    }
    let mut schema = |name: &str| fields.remove(name).filter(|schema| !schema.is_null());
    let (takes, gives) = (schema("parameters"), schema("returns"));
    let handle = fields.remove("handle").unwrap_or(Json::Null);
    let description = field(&mut fields, "functions", "description")?.unwrap_or_default();
    Ok(Lent { name, description, takes, gives, handle })
}

/// Returns a text of an object inside a parameter.
fn field(
    fields: &mut Map<String, Json>,
    of: &str,
    name: &str,
) -> Result<Option<String>, BadParams> {
    text(fields, name).map_err(|bad| BadParams(format!("{of}.{}", bad.0)))
}

fn check_fields(of: &str, fields: &Map<String, Json>, known: &[&str]) -> Result<(), BadParams> {
    match fields.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => bad(format!("{of}.{key}: unknown field; known are {}", known.join(", "))),
        None => Ok(()),
    }
}

/// Changes limits by their names.
pub fn limits(mut limits: Limits, given: &Map<String, Json>) -> Result<Limits, BadParams> {
    for (name, value) in given {
        let number = value.as_u64().or_else(|| {
            let float = value.as_f64()?;
            (float >= 0.0 && float.fract() == 0.0).then_some(float as u64)
        });
        let Some(number) = number else {
            return bad(format!("limits.{name}: not a whole number of 0 or more"));
        };
        limits.set(name, number).map_err(|e| BadParams(format!("limits.{e}")))?;
    }
    Ok(limits)
}

/// Returns the bytes of a file given as text or as `{"base64": …}`. `name` is the parameter, for
/// error messages.
#[inline(never)] // see `Exec::shell`
pub fn file_content(name: &str, content: Json) -> Result<Vec<u8>, BadParams> {
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

/// Takes a string out of the parameters.
pub fn text(params: &mut Map<String, Json>, name: &str) -> Result<Option<String>, BadParams> {
    match params.remove(name) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::String(text)) => Ok(Some(text)),
        Some(_) => bad(format!("{name}: not a string")),
    }
}

/// Takes an object out of the parameters; an empty one if it is not given.
pub fn object(params: &mut Map<String, Json>, name: &str) -> Result<Map<String, Json>, BadParams> {
    match params.remove(name) {
        None | Some(Json::Null) => Ok(Map::new()),
        Some(Json::Object(fields)) => Ok(fields),
        Some(_) => bad(format!("{name}: not an object")),
    }
}

/// Takes an array out of the parameters; an empty one if it is not given.
pub fn array(params: &mut Map<String, Json>, name: &str) -> Result<Vec<Json>, BadParams> {
    match params.remove(name) {
        None | Some(Json::Null) => Ok(Vec::new()),
        Some(Json::Array(items)) => Ok(items),
        Some(_) => bad(format!("{name}: not an array")),
    }
}

/// Takes true or false out of the parameters.
pub fn flag(params: &mut Map<String, Json>, name: &str) -> Result<Option<bool>, BadParams> {
    match params.remove(name) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::Bool(flag)) => Ok(Some(flag)),
        Some(_) => bad(format!("{name}: not true or false")),
    }
}

/// Takes a whole number out of the parameters.
pub fn number(params: &mut Map<String, Json>, name: &str) -> Result<Option<u64>, BadParams> {
    match params.remove(name) {
        None | Some(Json::Null) => Ok(None),
        Some(value) => match value.as_u64() {
            Some(number) => Ok(Some(number)),
            None => bad(format!("{name}: not a whole number of 0 or more")),
        },
    }
}

/// Returns an error with this message.
pub fn bad<T>(what: impl Into<String>) -> Result<T, BadParams> {
    Err(BadParams(what.into()))
}

#[cfg(test)]
mod tests;
