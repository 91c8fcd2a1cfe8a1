//! The tool `files`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cofferdam_front::exec::{bad, check_known, flag, text};
use serde_json::{Map, Value as Json, json};

use super::{Call, report, resources};
use crate::problem::Problem;
use crate::server::blocking;

impl Call<'_> {
    pub(super) async fn files(&self, mut given: Map<String, Json>) -> Result<Json, Problem> {
        let known = ["action", "sandbox", "path", "text", "base64", "executable"];
        check_known(&given, &known)?;
        let mut need = |name: &str| {
            let value = text(&mut given, name)?;
            value.ok_or_else(|| Problem::params(format!("{name}: missing")))
        };
        let (action, id, path) = (need("action")?, need("sandbox")?, need("path")?);
        let is_executable = flag(&mut given, "executable")?.unwrap_or(false);
        let (words, bytes) = (text(&mut given, "text")?, text(&mut given, "base64")?);
        let content = match (words, bytes) {
            (Some(words), None) => Some(words.into_bytes()),
            (None, Some(bytes)) => Some(decode("base64", &bytes)?),
            (None, None) => None,
            (Some(_), Some(_)) => bad("text: given together with base64; give one of them")?,
        };
        let (server, agent) = (self.server().clone(), self.agent.id.clone());
        blocking(move || {
            let kept = server.boxes().kept(&server, &agent, &id)?;
            let sandbox = &kept.sandbox;
            match (action.as_str(), content) {
                ("read", None) => {
                    let bytes = sandbox.read_file(&path, server.settings().file_bytes)?;
                    Ok(read(&kept.id, &path, bytes))
                }
                ("list", None) => {
                    let entries = sandbox.list(&path)?;
                    let entry = |entry: &cofferdam::FolderEntry| {
                        json!({ "name": entry.name, "isFolder": entry.is_folder })
                    };
                    let entries: Vec<_> = entries.iter().map(entry).collect();
                    Ok(json!({ "path": path, "entries": entries }))
                }
                ("write", Some(bytes)) => {
                    match is_executable {
                        true => sandbox.write_executable(&path, &bytes)?,
                        false => sandbox.write_file(&path, &bytes)?,
                    }
                    Ok(json!({ "path": path, "bytes": bytes.len() }))
                }
                ("write", None) => Ok(bad("text: missing; give text or base64")?),
                ("read" | "list", Some(_)) => Ok(bad("text: only for action \"write\"")?),
                (other, _) => Ok(bad(format!(
                    "action: unknown {other:?}; must be \"read\", \"write\" or \"list\""
                ))?),
            }
        })
        .await?
    }
}

/// Returns a file: text if it is text, and the address of its resource if it is long.
fn read(sandbox: &str, path: &str, bytes: Vec<u8>) -> Json {
    let len = bytes.len();
    if len > report::MAX_OUTPUT_BYTES {
        let whole = resources::file_uri(sandbox, path);
        return json!({ "path": path, "bytes": len, "whole": whole });
    }
    match String::from_utf8(bytes) {
        Ok(text) => json!({ "path": path, "bytes": len, "text": text }),
        Err(error) => {
            let encoded = STANDARD.encode(error.as_bytes());
            json!({ "path": path, "bytes": len, "base64": encoded })
        }
    }
}

fn decode(name: &str, text: &str) -> Result<Vec<u8>, Problem> {
    STANDARD.decode(text).map_err(|error| Problem::params(format!("{name}: {error}")))
}

/// Returns the content of a file that is given as text or as `{"base64": …}`.
pub(super) fn content(path: &str, content: Json) -> Result<Vec<u8>, Problem> {
    match content {
        Json::String(text) => Ok(text.into_bytes()),
        Json::Object(object) => match object.get("base64").and_then(Json::as_str) {
            Some(text) => decode(&format!("files.{path}"), text),
            None => Ok(bad(format!("files.{path}: neither text nor {{\"base64\": …}}"))?),
        },
        _ => Ok(bad(format!("files.{path}: neither text nor {{\"base64\": …}}"))?),
    }
}
