//! Registered tools. Agents add, call and remove their own; approvers see all.

use axum::Json as Answer;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use cofferdam_front::fields::{ANY, Field, MANIFEST, Need, OBJECT, OBJECTS, TEXT};
use serde_json::{Value as Json, json};

use super::Body;
use crate::identity::{Agent, Caller};
use crate::problem::Problem;
use crate::routes::{Content, Routes, Who, route};
use crate::server::{Accepted, Server, blocking};
use crate::tools::{self, Manifest};

const TOOL: &[Field] = &[("tool", OBJECT, Need::Required)];
const TOOLS: &[Field] = &[("tools", OBJECTS, Need::Required)];
const CALLED: &[Field] = &[
    ("run", TEXT, Need::Required),
    ("status", TEXT, Need::Required),
    ("outcome", OBJECT, Need::Optional),
    ("mistake", TEXT, Need::Optional),
];

pub(super) fn routes() -> Routes {
    let one = |method, path, about| route(method, path, about, Who::Agent);
    Routes::default()
        .add(
            route(Method::GET, "/v1/tools", "Lists registered tools", Who::Both)
                .answer(200, Content::Object(TOOLS)),
            list,
        )
        .add(
            one(Method::POST, "/v1/tools", "Registers a tool, or a new version of one")
                .body(Content::Object(MANIFEST))
                .answer(201, Content::Object(TOOL)),
            add,
        )
        .add(
            one(Method::GET, "/v1/tools/{name}", "Returns a tool with its source and versions")
                .answer(200, Content::Object(TOOL)),
            show,
        )
        .add(
            one(Method::POST, "/v1/tools/{name}/call", "Calls a tool and waits for its outcome")
                .body(Content::Object(&[("args", ANY, Need::Optional)]))
                .answer(200, Content::Object(CALLED)),
            call,
        )
        .add(
            one(Method::DELETE, "/v1/tools/{name}", "Removes a tool of the agent")
                .answer(204, Content::Nothing),
            remove,
        )
}

/// Lists tools: those that an agent may call, or for an approver all, each with its owner.
async fn list(State(server): State<Server>, caller: Caller) -> Result<Answer<Json>, Problem> {
    let list = blocking(move || match caller {
        Caller::Agent(agent) => {
            let tools = tools::list(server.store(), &agent.id)?;
            Ok::<_, Problem>(tools.iter().map(tools::Registered::to_json).collect::<Vec<_>>())
        }
        Caller::Approver(_) => tools::all(server.store()),
    });
    Ok(Answer(json!({ "tools": list.await?? })))
}

async fn add(State(server): State<Server>, agent: Agent, body: Body) -> Result<Response, Problem> {
    let manifest = Manifest::parse(body.object()?)?;
    let (tool, is_new) = blocking({
        let server = server.clone();
        move || tools::add(server.store(), &agent.id, manifest)
    })
    .await??;
    let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
    Ok((status, Answer(json!({ "tool": tool.to_json() }))).into_response())
}

async fn show(
    State(server): State<Server>,
    agent: Agent,
    Path(name): Path<String>,
) -> Result<Answer<Json>, Problem> {
    let shown = blocking(move || tools::show(server.store(), &agent.id, &name)).await??;
    Ok(Answer(json!({ "tool": shown })))
}

async fn remove(
    State(server): State<Server>,
    agent: Agent,
    Path(name): Path<String>,
) -> Result<StatusCode, Problem> {
    blocking(move || tools::remove(server.store(), &agent.id, &name)).await??;
    Ok(StatusCode::NO_CONTENT)
}

/// Calls a tool. With `mistake` the result does not fit the schema that the tool promised.
async fn call(
    State(server): State<Server>,
    agent: Agent,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Answer<Json>, Problem> {
    let mut fields = body.object()?;
    cofferdam_front::exec::check_known(&fields, &["args"])?;
    let args = fields.remove("args").unwrap_or_else(|| json!({}));
    let tool = blocking({
        let (server, agent) = (server.clone(), agent.id.clone());
        move || tools::get(server.store(), &agent, &name)
    })
    .await??;
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let marks = (header("user-agent"), header("idempotency-key"));
    let mut answer = match server.call_tool(&agent, &tool, args, marks).await? {
        Accepted::Run(run) => {
            run.outcome().await;
            run.to_json()
        }
        Accepted::Earlier(known) => known,
    };
    if let Some(mistake) = tools::mistake(&tool, &answer["outcome"]) {
        answer["mistake"] = Json::from(&*mistake);
    }
    Ok(Answer(answer))
}
