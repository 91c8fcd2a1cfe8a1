//! Registered tools in MCP: the tool `tools`, and each registered tool as a tool of its own.

use rmcp::ErrorData;
use rmcp::model::{CallToolRequestParams, CallToolResponse, JsonObject, Tool, ToolAnnotations};
use serde_json::{Map, Value as Json, json};

use cofferdam_front::exec::{bad, check_known, text};

use super::follow::{Begun, Follow};
use super::{Call, arguments, failed, internal, report, state};
use crate::problem::Problem;
use crate::server::{Accepted, blocking};
use crate::tools::{self, Manifest, Registered};

impl Call<'_> {
    /// Returns the registered tools as tools of MCP.
    pub(super) async fn registered(&self) -> Result<Vec<Tool>, ErrorData> {
        let (server, agent) = (self.server().clone(), self.agent.id.clone());
        let list = blocking(move || tools::list(server.store(), &agent)).await;
        let list = list.and_then(|list| list).map_err(internal)?;
        Ok(list.iter().map(tool).collect())
    }

    /// Adds, lists, shows or removes registered tools.
    pub(super) async fn tools(&self, mut given: Map<String, Json>) -> Result<Json, Problem> {
        let action = text(&mut given, "action")?;
        let action = action.ok_or_else(|| Problem::params("action: missing"))?;
        let (server, agent) = (self.server().clone(), self.agent.id.clone());
        blocking(move || {
            let store = server.store();
            let name = given.get("name").and_then(Json::as_str).unwrap_or_default().to_owned();
            match action.as_str() {
                "add" => {
                    let (tool, is_new) = tools::add(store, &agent, Manifest::parse(given)?)?;
                    Ok(json!({ "tool": tool.to_json(), "isNew": is_new }))
                }
                "list" => {
                    check_known(&given, &[])?;
                    let list = tools::list(store, &agent)?;
                    let list: Vec<_> = list.iter().map(Registered::to_json).collect();
                    Ok(json!({ "tools": list }))
                }
                "show" => {
                    check_known(&given, &["name"])?;
                    Ok(json!({ "tool": tools::show(store, &agent, &name)? }))
                }
                "remove" => {
                    check_known(&given, &["name"])?;
                    tools::remove(store, &agent, &name)?;
                    Ok(json!({ "removed": name }))
                }
                other => Ok(bad(format!(
                    "action: unknown {other:?}; must be \"add\", \"list\", \"show\" or \"remove\""
                ))?),
            }
        })
        .await?
    }

    /// Calls a registered tool.
    pub(super) async fn call_registered(
        &self,
        params: CallToolRequestParams,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = params.name.to_string();
        let (server, agent) = (self.server().clone(), self.agent.id.clone());
        let found = blocking({
            let name = name.clone();
            move || tools::get(server.store(), &agent, &name)
        });
        let Ok(Ok(tool)) = found.await else {
            return Err(ErrorData::invalid_params(format!("{name}: no such tool"), None));
        };
        let digest = state::digest(&params.name, params.arguments.as_ref());
        let retry = self.retry(&params, digest)?;
        let responses = params.input_responses.clone().unwrap_or_default();
        let begun = match retry {
            Some(run) => Begun::Run(run),
            None => {
                let (args, client) = (Json::Object(arguments(params)), self.client());
                let marks = (client.as_deref(), None);
                match self.server().call_tool(&self.agent, &tool, args, marks).await {
                    Ok(Accepted::Run(run)) => Begun::Run(run),
                    Ok(Accepted::Earlier(known)) => Begun::Ended(known),
                    Err(problem) => return Ok(failed(&problem).into()),
                }
            }
        };
        let most = report::OUTPUT_BYTES;
        self.follow(begun, Follow { digest, responses, most, tool: Some(tool) }).await
    }
}

/// Describes a registered tool. All of its text is that of the party that added it.
fn tool(registered: &Registered) -> Tool {
    let manifest = &registered.manifest;
    let object = |schema: &Json| -> JsonObject { schema.as_object().cloned().unwrap_or_default() };
    let annotations =
        ToolAnnotations::new().read_only(false).open_world(!manifest.wants.is_empty());
    let mut tool = Tool::new(
        manifest.name.clone(),
        manifest.description.clone(),
        object(&manifest.parameters),
    );
    if let Some(returns) = manifest.returns.as_ref().filter(|schema| schema["type"] == "object") {
        tool = tool.with_raw_output_schema(object(returns).into());
    }
    tool.with_annotations(annotations)
}
