//! The parameters of `exec`, taken apart with every shape checked.

use base64::Engine as _;
use cofferdam::{Boundary, Capability, Command, Language, Limits, Sandbox, SandboxBuilder, Tool};
use serde_json::{Map, Value as Json};

/// Why parameters were refused; names the one that is wrong.
pub(crate) struct BadParams(pub(crate) String);

impl From<cofferdam::Error> for BadParams {
    fn from(error: cofferdam::Error) -> Self {
        BadParams(error.to_string())
    }
}

/// A run that was asked for.
pub(crate) struct Exec {
    pub(crate) what: What,
    pub(crate) sandbox: SandboxBuilder,
    pub(crate) session: Option<String>,
    /// Whether a page was given, so that it is given back.
    pub(crate) has_page: bool,
}

/// What is to run.
pub(crate) enum What {
    Tool(Tool),
    Program(Command),
}

/// Longest module that is read from a file.
const MAX_MODULE: u64 = 256 << 20;

const KNOWN: [&str; 19] = [
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
];

impl Exec {
    pub(crate) fn parse(params: Json) -> Result<Self, BadParams> {
        let Json::Object(mut params) = params else { return bad("params: not an object") };
        if let Some(unknown) = params.keys().find(|key| !KNOWN.contains(&key.as_str())) {
            return bad(format!("{unknown}: unknown parameter; known are {}", KNOWN.join(", ")));
        }
        let kind = text(&mut params, "kind")?
            .ok_or(BadParams("kind: missing; \"js\", \"ts\", \"shell\" or \"wasm\"".into()))?;
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
                return bad(format!("language: unknown {other:?}; js or ts"));
            }
            (other, _) => {
                return bad(format!(
                    "kind: {other:?} is not supported; \"js\", \"ts\", \"shell\" or \"wasm\""
                ));
            }
        };
        let boundary = match (text(&mut params, "boundary")?, params.remove("config")) {
            (named, None | Some(Json::Null)) => boundary(named)?,
            (None, Some(config)) => cofferdam::config::boundary_from_json(&config)?,
            (Some(_), Some(_)) => return bad("boundary and config are given; one is enough"),
        };
        let page = text(&mut params, "page")?;
        let code = text(&mut params, "code")?.ok_or(BadParams("code: missing".into()))?;
        let name = text(&mut params, "name")?;
        let mut tool = match (name, language) {
            (Some(name), None) => Tool::from_file_name(&name, code),
            (Some(name), Some(language)) => Tool::from_file_name(&name, code).language(language),
            (None, Some(Language::TypeScript)) => Tool::typescript(code),
            (None, Some(Language::JavaScript) | None) => Tool::javascript(code),
        };
        if let Some(args) = params.remove("args") {
            tool = tool.args(args);
        }
        let session = text(&mut params, "session")?;
        let mut sandbox = sandbox(params)?.boundary(boundary);
        let has_page = page.is_some();
        if let Some(html) = page {
            sandbox = sandbox.page(html);
        }
        Ok(Exec { what: What::Tool(tool), sandbox, session, has_page })
    }

    /// Text for the shell, as with `bash -c`.
    fn shell(mut params: Map<String, Json>) -> Result<Self, BadParams> {
        only(&params, "shell", &OF_TOOLS)?;
        only(&params, "shell", &["wasm", "argv", "preopens"])?;
        let text = text(&mut params, "command")?.ok_or(BadParams("command: missing".into()))?;
        let sandbox = sandbox(params)?;
        Ok(Exec {
            what: What::Program(Command::shell(text)),
            sandbox,
            session: None,
            has_page: false,
        })
    }

    /// A WASI program.
    fn wasm(mut params: Map<String, Json>) -> Result<Self, BadParams> {
        only(&params, "wasm", &OF_TOOLS)?;
        only(&params, "wasm", &["command"])?;
        let mut given = object(&mut params, "wasm")?;
        let (path, encoded) = (text(&mut given, "path")?, text(&mut given, "base64")?);
        if let Some(unknown) = given.keys().next() {
            return bad(format!("wasm.{unknown}: unknown; path or base64"));
        }
        let mut command = match (path, encoded) {
            (Some(path), None) if params.get("files").is_some_and(|f| f.get(&path).is_some()) => {
                Command::wasm(&path, file_content(&path, params["files"][&path].clone())?)
            }
            (Some(path), None) => Command::wasm(&path, module_file(&path)?),
            (None, Some(encoded)) => {
                let module = base64::engine::general_purpose::STANDARD.decode(encoded);
                let module = module.map_err(|e| BadParams(format!("wasm.base64: {e}")))?;
                Command::wasm("program.wasm", module)
            }
            (None, None) => return bad("wasm: missing; {\"path\": …} or {\"base64\": …}"),
            (Some(_), Some(_)) => return bad("wasm: path and base64 are given; one is enough"),
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
            Some(_) => return bad("preopens: either [] or [\"/\"]"),
        };
        let sandbox = sandbox(params)?;
        Ok(Exec { what: What::Program(command), sandbox, session: None, has_page: false })
    }
}

fn boundary(name: Option<String>) -> Result<Boundary, BadParams> {
    let Some(name) = name else { return Ok(Boundary::default()) };
    match Boundary::ALL.into_iter().find(|boundary| boundary.name() == name) {
        Some(boundary) => Ok(boundary),
        None => bad(format!("boundary: unknown {name:?}; \"worker\" or \"iframe\"")),
    }
}

/// Parameters that only tools have.
const OF_TOOLS: [&str; 8] =
    ["code", "args", "name", "session", "boundary", "config", "page", "language"];

/// Refuses parameters that mean nothing for this kind.
fn only(params: &Map<String, Json>, kind: &str, not: &[&str]) -> Result<(), BadParams> {
    match not.iter().find(|name| params.get(**name).is_some_and(|value| !value.is_null())) {
        Some(name) => bad(format!("{name}: not a parameter of kind {kind:?}")),
        None => Ok(()),
    }
}

/// A module of this machine, whose caller named it.
fn module_file(path: &str) -> Result<Vec<u8>, BadParams> {
    use std::io::Read;
    let failed =
        |e: std::io::Error| BadParams(format!("wasm.path: {path}: {}", crate::place::plain(&e)));
    let file = std::fs::File::open(path).map_err(failed)?;
    let mut module = Vec::new();
    file.take(MAX_MODULE + 1).read_to_end(&mut module).map_err(failed)?;
    Ok(module)
}

fn sandbox(mut params: Map<String, Json>) -> Result<SandboxBuilder, BadParams> {
    let mut builder = Sandbox::builder().limits(limits(object(&mut params, "limits")?)?);
    if let Some(stdin) = text(&mut params, "stdin")? {
        builder = builder.stdin(stdin);
    }
    if let Some(cwd) = text(&mut params, "cwd")? {
        if !cwd.starts_with('/') {
            return bad(format!("cwd: {cwd:?} is not absolute"));
        }
        builder = builder.env("PWD", cwd);
    }
    for (name, value) in object(&mut params, "env")? {
        let Json::String(value) = value else { return bad(format!("env.{name}: not a string")) };
        if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
            return bad(format!("env.{name}: not a name and value that a variable can have"));
        }
        builder = builder.env(name, value);
    }
    for (path, content) in object(&mut params, "files")? {
        builder = builder.file(path.clone(), file_content(&path, content)?);
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
            return bad(format!("limits.{name}: not a whole number from 0"));
        };
        limits.set(&name, number).map_err(|e| BadParams(format!("limits.{e}")))?;
    }
    Ok(limits)
}

fn file_content(path: &str, content: Json) -> Result<Vec<u8>, BadParams> {
    match content {
        Json::String(text) => Ok(text.into_bytes()),
        Json::Object(fields) => {
            let encoded = fields.get("base64").and_then(Json::as_str);
            let decoded =
                encoded.map(|text| base64::engine::general_purpose::STANDARD.decode(text));
            match decoded {
                Some(Ok(bytes)) => Ok(bytes),
                _ => bad(format!("files.{path}: neither a string nor {{\"base64\": …}}")),
            }
        }
        _ => bad(format!("files.{path}: neither a string nor {{\"base64\": …}}")),
    }
}

fn text(params: &mut Map<String, Json>, name: &str) -> Result<Option<String>, BadParams> {
    match params.remove(name) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::String(text)) => Ok(Some(text)),
        Some(_) => bad(format!("{name}: not a string")),
    }
}

fn object(params: &mut Map<String, Json>, name: &str) -> Result<Map<String, Json>, BadParams> {
    match params.remove(name) {
        None | Some(Json::Null) => Ok(Map::new()),
        Some(Json::Object(fields)) => Ok(fields),
        Some(_) => bad(format!("{name}: not an object")),
    }
}

fn bad<T>(what: impl Into<String>) -> Result<T, BadParams> {
    Err(BadParams(what.into()))
}
