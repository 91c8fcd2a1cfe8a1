//! Resources: the typed API of tools, long output of runs, and files of sandboxes.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::ErrorData;
use rmcp::model::{
    CacheScope, ReadResourceResponse, ReadResourceResult, Resource, ResourceContents,
    ResourceTemplate,
};
use serde_json::Value as Json;

use super::Call;
use crate::identity::Caller;
use crate::problem::Problem;
use crate::runs::Phase;
use crate::server::blocking;

/// Address of the typed API.
pub(super) const API: &str = "cofferdam://api/tool.d.ts";

/// The typed API of tools.
pub(super) const DECLARATIONS: &str = include_str!("tool.d.ts");

/// Most bytes of a file that a resource returns.
const MAX_FILE: usize = 8 << 20;

/// Returns the address of a file.
pub(super) fn file_uri(sandbox: &str, path: &str) -> String {
    format!("cofferdam://sandboxes/{sandbox}/files{path}")
}

pub(super) fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new("cofferdam://runs/{run}/{part}", "run")
            .with_description("stdout, stderr or result of a run, whole"),
        ResourceTemplate::new("cofferdam://sandboxes/{sandbox}/files{+path}", "file")
            .with_description("a file of a kept sandbox"),
    ]
}

impl Call<'_> {
    pub(super) async fn resources(&self) -> Result<Vec<Resource>, Problem> {
        let api = Resource::new(API, "tool.d.ts")
            .with_title("API of tools")
            .with_description("What a script sees: btcp, args and the globals")
            .with_mime_type("text/typescript");
        let (server, caller) = (self.server().clone(), Caller::Agent(self.agent.clone()));
        let boxes = blocking(move || server.boxes().list(&server, &caller)).await??;
        let of_box = |sandbox: &Json| {
            let id = sandbox["sandbox"].as_str().unwrap_or_default();
            let name = sandbox["name"].as_str().unwrap_or(id);
            Resource::new(file_uri(id, "/"), name)
                .with_description("files of a kept sandbox")
                .with_mime_type("application/json")
        };
        Ok(std::iter::once(api).chain(boxes.iter().map(of_box)).collect())
    }

    pub(super) async fn read(&self, uri: &str) -> Result<ReadResourceResponse, ErrorData> {
        let missing = || {
            let data = serde_json::json!({ "uri": uri });
            ErrorData::resource_not_found(format!("{uri}: no such resource"), Some(data))
        };
        let path = uri.strip_prefix("cofferdam://").ok_or_else(missing)?;
        let contents = match path.split_once('/') {
            Some(("api", "tool.d.ts")) => {
                ResourceContents::text(DECLARATIONS, uri).with_mime_type("text/typescript")
            }
            Some(("runs", rest)) => self.part(uri, rest).ok_or_else(missing)?,
            Some(("sandboxes", rest)) => self.file(uri, rest).await.map_err(|_| missing())?,
            _ => return Err(missing()),
        };
        let result = ReadResourceResult::new(vec![contents])
            .with_ttl_ms(0)
            .with_cache_scope(CacheScope::Private);
        Ok(result.into())
    }

    /// Returns a part of a run that has ended.
    fn part(&self, uri: &str, rest: &str) -> Option<ResourceContents> {
        let (id, part) = rest.split_once('/')?;
        let Phase::Ended(outcome) = self.own_run(id).ok()?.phase() else { return None };
        match part {
            "stdout" | "stderr" => Some(ResourceContents::text(outcome[part].as_str()?, uri)),
            "result" => {
                let text = outcome["result"].to_string();
                Some(ResourceContents::text(text, uri).with_mime_type("application/json"))
            }
            _ => None,
        }
    }

    /// Returns a file, or the names in a folder.
    async fn file(&self, uri: &str, rest: &str) -> Result<ResourceContents, Problem> {
        let missing = || Problem::not_found("file");
        let (id, path) = rest.split_once("/files").ok_or_else(missing)?;
        let (id, path, uri) = (id.to_owned(), path.to_owned(), uri.to_owned());
        let (server, agent) = (self.server().clone(), self.agent.id.clone());
        blocking(move || {
            let kept = server.boxes().kept(&server, &agent, &id)?;
            if path.ends_with('/') {
                let entries = kept.sandbox.list(&path)?;
                let names: Vec<_> = entries.iter().map(|entry| entry.name.as_str()).collect();
                let text = serde_json::json!(names).to_string();
                return Ok(ResourceContents::text(text, uri).with_mime_type("application/json"));
            }
            let bytes = kept.sandbox.read_file(&path, MAX_FILE)?;
            Ok(match String::from_utf8(bytes) {
                Ok(text) => ResourceContents::text(text, uri),
                Err(error) => ResourceContents::blob(STANDARD.encode(error.as_bytes()), uri)
                    .with_mime_type("application/octet-stream"),
            })
        })
        .await?
    }
}
