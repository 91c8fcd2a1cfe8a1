//! Sandboxes of agents.

use axum::Json as Answer;
use axum::extract::{Path, Query, State};
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use cofferdam::permissions::Ledger;
use cofferdam::{ArchiveSeal, SealKey};
use cofferdam_front::exec::text;
use cofferdam_front::fields::{COUNT, CREATE, FLAG, Field, Need, OBJECTS, TEXT};
use serde_json::{Map, Value as Json, json};

use super::Body;
use crate::identity::{Agent, Caller};
use crate::problem::Problem;
use crate::routes::{Content, Routes, Who, route};
use crate::server::{Server, blocking};

/// Longest archive that the route takes; the settings may allow less.
const MAX_ARCHIVE: usize = 1 << 30;

/// Content type of archives.
const ARCHIVE: &str = "application/octet-stream";

/// Fields that sandboxes of agents have beyond those of `sandbox.create` in `rpc`.
const KEEPING: &[Field] = &[
    ("name", TEXT, Need::Optional),
    ("idleSeconds", COUNT, Need::Optional),
    ("onIdle", r#"{"enum":["save","drop"]}"#, Need::Optional),
];

/// Query of an import.
const IMPORT: &[Field] = &[
    KEEPING[0],
    KEEPING[1],
    KEEPING[2],
    ("sealed", r#"{"enum":["true","false"]}"#, Need::Optional),
];

const SANDBOX: &[Field] = &[
    ("sandbox", TEXT, Need::Required),
    ("name", r#"{"type":["string","null"]}"#, Need::Required),
    ("status", r#"{"enum":["idle","running","saved"]}"#, Need::Required),
];

pub(super) fn routes() -> Routes {
    let made = Content::Object(SANDBOX);
    let snapshot_id = Content::Object(&[("snapshot", TEXT, Need::Required)]);
    let one = |method, path, about| route(method, path, about, Who::Agent);
    Routes::default()
        .add(
            route(Method::GET, "/v1/sandboxes", "Lists sandboxes", Who::Both)
                .answer(200, Content::Object(&[("sandboxes", OBJECTS, Need::Required)])),
            list,
        )
        .add(
            one(Method::POST, "/v1/sandboxes", "Makes a sandbox that is kept")
                .body(Content::Objects(CREATE, KEEPING))
                .answer(201, made),
            create,
        )
        .add(
            one(Method::POST, "/v1/sandboxes/import", "Makes a sandbox from an export")
                .query(IMPORT)
                .body(Content::Bytes)
                .answer(201, Content::Objects(SANDBOX, &[("sealed", FLAG, Need::Required)]))
                .most(MAX_ARCHIVE),
            import,
        )
        .add(
            one(Method::GET, "/v1/sandboxes/{id}", "Returns a sandbox, by id or name")
                .answer(200, made),
            show,
        )
        .add(
            one(Method::DELETE, "/v1/sandboxes/{id}", "Cancels its runs and drops a sandbox")
                .answer(204, Content::Nothing),
            destroy,
        )
        .add(
            one(Method::POST, "/v1/sandboxes/{id}/fork", "Copies a sandbox")
                .body(Content::Object(KEEPING))
                .answer(201, made),
            fork,
        )
        .add(
            one(Method::POST, "/v1/sandboxes/{id}/snapshots", "Takes a snapshot")
                .answer(201, snapshot_id),
            snapshot,
        )
        .add(
            one(Method::POST, "/v1/sandboxes/{id}/restore", "Restores a snapshot")
                .body(snapshot_id)
                .answer(204, Content::Nothing),
            restore,
        )
        .add(
            one(Method::GET, "/v1/sandboxes/{id}/export", "Encodes the content of a sandbox")
                .answer(200, Content::Bytes),
            export,
        )
        .add(
            one(Method::POST, "/v1/sandboxes/{id}/save", "Saves a sandbox to disk now")
                .answer(204, Content::Nothing),
            save,
        )
        .add(
            one(Method::DELETE, "/v1/snapshots/{id}", "Drops a snapshot")
                .answer(204, Content::Nothing),
            drop_snapshot,
        )
}

async fn list(State(server): State<Server>, caller: Caller) -> Result<Answer<Json>, Problem> {
    let list = blocking(move || server.boxes().list(&server, &caller)).await??;
    Ok(Answer(json!({ "sandboxes": list })))
}

/// Makes a sandbox: the parameters of `sandbox.create` in `rpc`, and `name`, `idleSeconds` and
/// `onIdle`.
async fn create(
    State(server): State<Server>,
    agent: Agent,
    body: Body,
) -> Result<Response, Problem> {
    let params = body.object()?;
    let kept = blocking(move || server.boxes().create(&server, &agent, params, None)).await??;
    Ok((StatusCode::CREATED, Answer(kept.to_json())).into_response())
}

/// Makes a sandbox from an archive. The query has `name`, `idleSeconds`, `onIdle`, and `sealed`,
/// which if true refuses an archive that this store did not export.
async fn import(
    State(server): State<Server>,
    agent: Agent,
    Query(query): Query<Map<String, Json>>,
    request: axum::extract::Request,
) -> Result<Response, Problem> {
    let most = server.settings().file_bytes;
    let archive = super::files::raw(request, &server, most).await?;
    let mut params = query;
    if let Some(seconds) = params.get("idleSeconds").and_then(Json::as_str) {
        let seconds: u64 =
            seconds.parse().map_err(|_| Problem::params("idleSeconds: not a number"))?;
        params.insert("idleSeconds".into(), seconds.into());
    }
    let must_be_sealed = match params.remove("sealed").as_ref().map(Json::as_str) {
        None | Some(Some("false")) => false,
        Some(Some("true")) => true,
        Some(_) => return Err(Problem::params("sealed: not true or false")),
    };
    let made = move || {
        let is_ours = seal_key(&server)?.check(&archive) == ArchiveSeal::Ours;
        if must_be_sealed && !is_ours {
            return Err(Problem::params("the body is not sealed by this store, or changed since"));
        }
        let kept = server.boxes().create(&server, &agent, params, Some(archive.to_vec()))?;
        let mut made = kept.to_json();
        made["sealed"] = is_ours.into();
        Ok(made)
    };
    Ok((StatusCode::CREATED, Answer(blocking(made).await??)).into_response())
}

async fn show(
    State(server): State<Server>,
    agent: Agent,
    Path(id): Path<String>,
) -> Result<Answer<Json>, Problem> {
    let kept = blocking(move || server.boxes().kept(&server, &agent.id, &id)).await??;
    Ok(Answer(kept.to_json()))
}

async fn destroy(
    State(server): State<Server>,
    agent: Agent,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    blocking(move || server.boxes().destroy(&server, &agent, &id)).await??;
    Ok(StatusCode::NO_CONTENT)
}

async fn fork(
    State(server): State<Server>,
    agent: Agent,
    Path(id): Path<String>,
    body: Body,
) -> Result<Response, Problem> {
    let params = body.object()?;
    let kept = blocking(move || server.boxes().fork(&server, &agent, &id, params)).await??;
    Ok((StatusCode::CREATED, Answer(kept.to_json())).into_response())
}

async fn snapshot(
    State(server): State<Server>,
    agent: Agent,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let snapshot = blocking(move || server.boxes().snapshot(&server, &agent, &id)).await??;
    Ok((StatusCode::CREATED, Answer(json!({ "snapshot": snapshot }))).into_response())
}

async fn restore(
    State(server): State<Server>,
    agent: Agent,
    Path(id): Path<String>,
    body: Body,
) -> Result<StatusCode, Problem> {
    let snapshot = text(&mut body.object()?, "snapshot")?;
    let snapshot = snapshot.ok_or_else(|| Problem::params("snapshot: missing"))?;
    blocking(move || server.boxes().restore(&server, &agent, &id, &snapshot)).await??;
    Ok(StatusCode::NO_CONTENT)
}

async fn drop_snapshot(
    State(server): State<Server>,
    agent: Agent,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    server.boxes().drop_snapshot(&agent, &id)?;
    Ok(StatusCode::NO_CONTENT)
}

/// Returns the key that exports are sealed with, the same as for `rpc` and `sh --save`.
// T-BOX-005: an export that was made or changed by somebody else.
fn seal_key(server: &Server) -> Result<SealKey, Problem> {
    Ok(SealKey::derived_from(&server.store().key()?))
}

/// Returns the content of a sandbox as an archive, sealed with the key of the store.
async fn export(
    State(server): State<Server>,
    agent: Agent,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let archive = blocking(move || {
        let kept = server.boxes().kept(&server, &agent.id, &id)?;
        Ok::<_, Problem>(seal_key(&server)?.seal(kept.sandbox.export()?))
    });
    Ok(([(header::CONTENT_TYPE, ARCHIVE)], archive.await??).into_response())
}

/// Saves a sandbox to disk now.
async fn save(
    State(server): State<Server>,
    agent: Agent,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    blocking(move || {
        let kept = server.boxes().kept(&server, &agent.id, &id)?;
        server.boxes().save(server.store(), &kept)
    })
    .await??;
    Ok(StatusCode::NO_CONTENT)
}
