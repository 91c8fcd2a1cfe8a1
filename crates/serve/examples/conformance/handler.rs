//! The handler of the suite.

// Logging, sampling and roots are deprecated in the latest revision; the suite checks them in the
// one before.
#![expect(deprecated, reason = "the suite checks earlier revisions as well")]

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use cofferdam_serve::secret;
use rmcp::model::*;
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};
use tokio::sync::broadcast;

use crate::{asking, content};

/// Time between two steps of a tool.
const STEP: Duration = Duration::from_millis(50);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    Tools,
    Prompts,
}

/// State that all clients share.
#[derive(Clone)]
pub(crate) struct Suite {
    changes: broadcast::Sender<Change>,
    /// States that were handed out and not used yet.
    states: Arc<Mutex<HashSet<String>>>,
}

impl Default for Suite {
    fn default() -> Self {
        Suite { changes: broadcast::channel(16).0, states: Arc::default() }
    }
}

/// Reads something of the protocol.
fn of<T: DeserializeOwned>(json: Json) -> Result<T, ErrorData> {
    serde_json::from_value(json).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

/// Reads a result, which is complete. Clients of earlier revisions do not see that.
fn result<T: DeserializeOwned>(mut json: Json) -> Result<T, ErrorData> {
    json["resultType"] = "complete".into();
    of(json)
}

fn text(text: impl Into<String>) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

impl Suite {
    fn seal(&self, step: &str) -> String {
        let state = format!("{step}.{}", secret::id(""));
        self.states.lock().unwrap_or_else(PoisonError::into_inner).insert(state.clone());
        state
    }

    fn open(&self, state: &str) -> Result<(), ErrorData> {
        match self.states.lock().unwrap_or_else(PoisonError::into_inner).remove(state) {
            true => Ok(()),
            false => Err(ErrorData::invalid_params("requestState: not valid", None)),
        }
    }

    /// Returns what to ask for, or `None` if everything was answered.
    fn asks(
        &self,
        name: &str,
        state: Option<&str>,
        responses: Option<&InputResponses>,
        context: &RequestContext<RoleServer>,
    ) -> Result<Option<InputRequiredResult>, ErrorData> {
        let Some(mut requests) = asking::first(name) else { return Ok(None) };
        if name == "test_input_required_result_capabilities" {
            let capabilities = json!(context.client_capabilities().unwrap_or_default());
            requests = asking::within(requests, &capabilities);
        }
        if let Some(state) = state {
            self.open(state)?;
        }
        let is_second = state.is_some_and(|state| state.starts_with("second."));
        if is_second {
            requests = asking::second();
        }
        let is_answered = |(key, request): (&String, &Json)| {
            let answer = responses.and_then(|responses| responses.get(key));
            answer.is_some_and(|answer| asking::is_answer(request, answer))
        };
        let all = requests.as_object().cloned().unwrap_or_default();
        let mut step = "first";
        if !all.is_empty() && all.iter().all(is_answered) {
            if name != "test_input_required_result_multi_round" || is_second {
                return Ok(None);
            }
            (requests, step) = (asking::second(), "second");
        } else if is_second {
            step = "second";
        }
        let has_state = !matches!(
            name,
            "test_input_required_result_elicitation"
                | "test_input_required_result_sampling"
                | "test_input_required_result_list_roots"
                | "test_input_required_result_prompt"
        );
        let state = has_state.then(|| self.seal(step));
        Ok(Some(InputRequiredResult::new(Some(of(requests)?), state)))
    }

    async fn steps(
        &self,
        name: &str,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let peer = &context.peer;
        for (index, words) in
            ["Tool execution started", "Tool processing data", "Tool execution completed"]
                .iter()
                .enumerate()
        {
            if index > 0 {
                tokio::time::sleep(STEP).await;
            }
            // A client that has gone hears nothing.
            if name == "test_tool_with_logging" {
                let param = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(words));
                let _ = peer.notify_logging_message(param).await;
            } else if let Some(token) = context.meta.get_progress_token() {
                let param = ProgressNotificationParam::new(token, index as f64 * 50.0);
                let _ = peer.notify_progress(param.with_total(100.0)).await;
            }
        }
        Ok(text("done"))
    }

    async fn inside(
        &self,
        name: &str,
        schema: Json,
        arguments: &Json,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let message = arguments["message"].as_str().unwrap_or("Please fill in");
        let params = json!({ "mode": "form", "message": message, "requestedSchema": schema });
        let params: ElicitRequestParams = of(params)?;
        let failed = |error: rmcp::ServiceError| ErrorData::internal_error(error.to_string(), None);
        let answer = context.peer.create_elicitation(params).await.map_err(failed)?;
        let (action, content) = (json!(answer.action), answer.content.unwrap_or_default());
        let action = action.as_str().unwrap_or_default();
        Ok(text(match name {
            "test_elicitation" => {
                format!("User response: action: {action}, content: {content}")
            }
            _ => format!("Elicitation completed: action={action}, content={content}"),
        }))
    }

    async fn sampled(
        &self,
        arguments: &Json,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let prompt = arguments["prompt"].as_str().unwrap_or_default();
        let params = json!({ "messages": [{ "role": "user",
            "content": { "type": "text", "text": prompt } }], "maxTokens": 100 });
        let failed = |error: rmcp::ServiceError| ErrorData::internal_error(error.to_string(), None);
        let answer = context.peer.create_message(of(params)?).await.map_err(failed)?;
        let answer = json!(answer);
        let said = answer["content"]["text"].as_str().unwrap_or_default();
        Ok(text(format!("LLM response: {said}")))
    }
}

impl ServerHandler for Suite {
    fn get_info(&self) -> ServerConfig {
        let capabilities = of(json!({
            "tools": { "listChanged": true },
            "prompts": { "listChanged": true },
            "resources": { "subscribe": true },
            "logging": {},
            "completions": {},
        }));
        ServerConfig::new(capabilities.unwrap_or_default())
            .with_server_info(Implementation::new("cofferdam-suite", "1"))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        result(json!({ "tools": content::tools() }))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let tools: Vec<Tool> = of(content::tools()).ok()?;
        tools.into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let (name, arguments) = (params.name.to_string(), json!(params.arguments));
        if let Some(result) = content::of_tool(&name) {
            return Ok(self::result::<CallToolResult>(result)?.into());
        }
        let (state, responses) = (params.request_state.as_deref(), params.input_responses.as_ref());
        if let Some(asks) = self.asks(&name, state, responses, &context)? {
            return Ok(asks.into());
        }
        if asking::first(&name).is_some() {
            let said = json!(responses);
            let who = said["user_name"]["content"]["name"].as_str().unwrap_or("client");
            return Ok(text(format!("Hello, {who}! state-ok {said}")).into());
        }
        if let Some(schema) = asking::schema_inside(&name) {
            return Ok(self.inside(&name, schema, &arguments, &context).await?.into());
        }
        let result = match name.as_str() {
            "test_tool_with_logging" | "test_tool_with_progress" => {
                self.steps(&name, &context).await?
            }
            "test_error_handling" => CallToolResult::error(vec![ContentBlock::text(
                "This tool intentionally returns an error for testing",
            )]),
            "test_sampling" => self.sampled(&arguments, &context).await?,
            "test_missing_capability" => {
                let has = context.client_capabilities().is_some_and(|own| own.sampling.is_some());
                if !has {
                    let required = of(json!({ "sampling": {} }))?;
                    return Err(ErrorData::missing_required_client_capability(required));
                }
                text("done")
            }
            "test_trigger_tool_change" | "test_trigger_prompt_change" => {
                let is_tools = name == "test_trigger_tool_change";
                let change = if is_tools { Change::Tools } else { Change::Prompts };
                // Nobody may be listening.
                let _ = self.changes.send(change);
                text("done")
            }
            _ => return Err(ErrorData::invalid_params(format!("{name}: no such tool"), None)),
        };
        Ok(result.into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        result(json!({ "prompts": content::prompts() }))
    }

    async fn get_prompt(
        &self,
        params: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let (state, responses) = (params.request_state.as_deref(), params.input_responses.as_ref());
        if let Some(asks) = self.asks(&params.name, state, responses, &context)? {
            return Ok(asks.into());
        }
        let found = content::prompt(&params.name, &json!(params.arguments));
        let missing =
            || ErrorData::invalid_params(format!("{}: no such prompt", params.name), None);
        Ok(result::<GetPromptResult>(found.ok_or_else(missing)?)?.into())
    }

    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        result(json!({ "completion": { "values": ["test"], "total": 1, "hasMore": false } }))
    }

    async fn set_level(
        &self,
        _: SetLevelRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        result(json!({ "resources": content::resources() }))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        result(json!({ "resourceTemplates": content::templates() }))
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = &params.uri;
        let missing = || {
            let data = json!({ "uri": uri });
            ErrorData::resource_not_found(format!("{uri}: no such resource"), Some(data))
        };
        Ok(result::<ReadResourceResult>(content::resource(uri).ok_or_else(missing)?)?.into())
    }

    async fn subscribe(
        &self,
        _: SubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(
        &self,
        _: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let (mut changes, peer) = (self.changes.subscribe(), context.peer);
        tokio::spawn(async move {
            while let Ok(change) = changes.recv().await {
                let told = match change {
                    Change::Tools => peer.notify_tool_list_changed().await,
                    Change::Prompts => peer.notify_prompt_list_changed().await,
                };
                if told.is_err() {
                    return;
                }
            }
        });
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.changes.subscribe();
        loop {
            let change = tokio::select! {
                () = context.cancelled() => return Ok(()),
                change = changes.recv() => change,
            };
            let accepted = context.accepted();
            // A client that has gone cancels the subscription.
            let _ = match change {
                Ok(Change::Tools) if accepted.tools_list_changed == Some(true) => {
                    context.sink().notify_tool_list_changed().await
                }
                Ok(Change::Prompts) if accepted.prompts_list_changed == Some(true) => {
                    context.sink().notify_prompt_list_changed().await
                }
                Ok(Change::Tools | Change::Prompts) => Ok(()),
                Err(_) => return Ok(()),
            };
        }
    }
}
