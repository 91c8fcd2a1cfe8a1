//! The parameters of `exec`, taken apart with every shape checked.

use base64::Engine as _;
use cofferdam::{Capability, Language, Limits, Sandbox, SandboxBuilder, Tool};
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
    pub(crate) tool: Tool,
    pub(crate) sandbox: SandboxBuilder,
    pub(crate) session: Option<String>,
}

const KNOWN: [&str; 13] = [
    "kind",
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
    "language",
];

impl Exec {
    pub(crate) fn parse(params: Json) -> Result<Self, BadParams> {
        let Json::Object(mut params) = params else { return bad("params: not an object") };
        if let Some(unknown) = params.keys().find(|key| !KNOWN.contains(&key.as_str())) {
            return bad(format!("{unknown}: unknown parameter; known are {}", KNOWN.join(", ")));
        }
        let kind = text(&mut params, "kind")?.ok_or(BadParams("kind: missing; \"js\"".into()))?;
        let language = match (kind.as_str(), text(&mut params, "language")?.as_deref()) {
            ("js", None) => None,
            ("js", Some("js" | "javascript")) => Some(Language::JavaScript),
            ("ts", None) | ("js" | "ts", Some("ts" | "typescript")) => Some(Language::TypeScript),
            ("js" | "ts", Some(other)) => {
                return bad(format!("language: unknown {other:?}; js or ts"));
            }
            (other, _) => {
                return bad(format!("kind: {other:?} is not supported; \"js\" or \"ts\""));
            }
        };
        match text(&mut params, "boundary")?.as_deref() {
            None | Some("worker") => {}
            Some(other) => return bad(format!("boundary: {other:?} is not supported; \"worker\"")),
        }
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
        let sandbox = sandbox(params)?;
        Ok(Exec { tool, sandbox, session })
    }
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
