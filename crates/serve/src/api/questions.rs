//! Questions and recorded requests: agents see their own, approvers decide.

use axum::Json as Answer;
use axum::extract::{Path, State};
use axum::http::Method;
use cofferdam::Capability;
use cofferdam::permissions::{RequestId, RequestStatus, Span};
use cofferdam_front::exec::{array, bad, text};
use cofferdam_front::fields::{ANY, DECISIONS, FLAG, Field, Need, OBJECT, OBJECTS, SPAN, TEXT};
use cofferdam_front::json;
use serde_json::{Map, Value as Json, json};

use super::Body;
use crate::board::Shown;
use crate::identity::{Approver, Caller};
use crate::passkeys::Proof;
use crate::problem::Problem;
use crate::routes::{Content, Routes, Who, route};
use crate::server::{Decided, Server};

const LIST: &[Field] = &[("questions", OBJECTS, Need::Required)];
const REQUESTS: &[Field] = &[("requests", OBJECTS, Need::Required)];
const DECISION: &[Field] = &[
    ("seal", TEXT, Need::Required),
    ("allow", FLAG, Need::Optional),
    ("span", SPAN, Need::Optional),
    ("decisions", DECISIONS, Need::Optional),
    ("reason", TEXT, Need::Optional),
    ("passkey", OBJECT, Need::Optional),
];

pub(super) fn routes() -> Routes {
    Routes::default()
        .add(
            route(Method::GET, "/v1/questions", "Lists questions that wait", Who::Both)
                .answer(200, Content::Object(LIST)),
            list,
        )
        .add(
            route(Method::GET, "/v1/questions/{id}", "Returns a question that waits", Who::Both),
            show,
        )
        .add(
            route(
                Method::POST,
                "/v1/questions/{id}/decision",
                "Decides a question; the seal is that of what was shown",
                Who::Approver,
            )
            .body(Content::Object(DECISION))
            .answer(200, Content::Object(&[("answered", FLAG, Need::Required)])),
            decide,
        )
        .add(
            route(
                Method::POST,
                "/v1/questions/{id}/challenge",
                "Returns the challenge of the passkey that a decision needs, or null",
                Who::Approver,
            )
            .body(Content::Object(DECISION))
            .answer(200, Content::Object(&[("passkey", ANY, Need::Required)])),
            challenge,
        )
        .add(
            route(Method::GET, "/v1/requests", "Lists denied requests", Who::Both)
                .answer(200, Content::Object(REQUESTS)),
            requests,
        )
        .add(
            route(
                Method::POST,
                "/v1/requests/{id}/deny",
                "Denies a request until something is granted for it",
                Who::Approver,
            )
            .answer(200, Content::Object(&[("request", OBJECT, Need::Required)])),
            deny,
        )
}

fn sees(caller: &Caller, shown: &Shown) -> bool {
    match caller {
        Caller::Agent(agent) => shown.agent.as_deref() == Some(&*agent.id),
        Caller::Approver(_) => true,
    }
}

async fn list(State(server): State<Server>, caller: Caller) -> Answer<Json> {
    let mut open = server.board().open();
    open.retain(|shown| sees(&caller, shown));
    Answer(json!({ "questions": open.iter().map(|shown| json!(**shown)).collect::<Vec<_>>() }))
}

async fn show(
    State(server): State<Server>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Answer<Json>, Problem> {
    let shown = server.board().get(&id).filter(|shown| sees(&caller, shown));
    Ok(Answer(json!(*shown.ok_or_else(|| Problem::not_found("question"))?)))
}

/// Decides a question: `{"seal": …, "allow": true, "span": "once"}`, `{"seal": …, "allow": false,
/// "reason": …}`, or `{"seal": …, "decisions": [null, {"capability": …, "span": …}]}`.
async fn decide(
    State(server): State<Server>,
    approver: Approver,
    Path(id): Path<String>,
    body: Body,
) -> Result<Answer<Json>, Problem> {
    let shown = server.board().get(&id).ok_or_else(|| Problem::not_found("question"))?;
    let mut fields = body.object()?;
    let proof = fields.remove("passkey").filter(|proof| !proof.is_null());
    let proof = proof.map(Proof::parse).transpose()?;
    let decided = vec![(id, decided(&shown, fields)?)];
    for proven in server.prove(&approver, decided, proof.as_ref())? {
        server.decide(&approver, proven).await?;
    }
    Ok(Answer(json!({ "answered": true })))
}

/// Returns the challenge for the decision that the body describes.
async fn challenge(
    State(server): State<Server>,
    approver: Approver,
    Path(id): Path<String>,
    body: Body,
) -> Result<Answer<Json>, Problem> {
    let shown = server.board().get(&id).ok_or_else(|| Problem::not_found("question"))?;
    let decided = decided(&shown, body.object()?)?;
    Ok(Answer(server.wanted_passkey(&approver, &[(id, decided)])?))
}

fn span(fields: &mut Map<String, Json>) -> Result<Option<Span>, Problem> {
    let span = text(fields, "span")?.map(|text| text.parse::<Span>()).transpose();
    span.map_err(|error| Problem::params(format!("span: {error}")))
}

fn capability(text: &str) -> Result<Capability, Problem> {
    text.parse().map_err(|error| Problem::params(format!("capability: {error}")))
}

fn decided(shown: &Shown, mut fields: Map<String, Json>) -> Result<Decided, Problem> {
    cofferdam_front::exec::check_known(&fields, &["seal", "allow", "span", "decisions", "reason"])?;
    // The seal is that of the page which was decided on; it is never filled in here.
    let seal = text(&mut fields, "seal")?.ok_or_else(|| Problem::params("seal: missing"))?;
    let reason = text(&mut fields, "reason")?;
    let common = span(&mut fields)?;
    let missing = || Problem::params("span: missing; must be once, session or always");
    let allow = cofferdam_front::exec::flag(&mut fields, "allow")?;
    let given = array(&mut fields, "decisions")?;
    let decisions = match (allow, given.is_empty()) {
        (Some(true), true) => {
            let span = common.ok_or_else(missing)?;
            let wanted = |wish: &crate::board::ShownWish| -> Result<_, Problem> {
                let first = wish.choices.first().ok_or_else(|| Problem::params("no choice"))?;
                Ok(Some((capability(&first.capability)?, span)))
            };
            shown.wishes.iter().map(wanted).collect::<Result<_, _>>()?
        }
        (Some(false), true) => vec![None; shown.wishes.len()],
        (None, false) => {
            let mut decisions = Vec::new();
            for one in given {
                decisions.push(match one {
                    Json::Null => None,
                    Json::Object(mut one) => {
                        let name = text(&mut one, "capability")?;
                        let name = name.ok_or_else(|| Problem::params("capability: missing"))?;
                        let span = span(&mut one)?.or(common).ok_or_else(missing)?;
                        Some((capability(&name)?, span))
                    }
                    _ => bad("decisions: each must be null or {\"capability\": …, \"span\": …}")?,
                });
            }
            decisions
        }
        (None, true) => bad("allow: missing; give true or false, or decisions")?,
        (Some(_), false) => bad("decisions: given together with allow; give one of them")?,
    };
    Ok(Decided { seal, decisions, reason })
}

/// Lists recorded requests that are not decided: for an agent its own.
async fn requests(State(server): State<Server>, caller: Caller) -> Result<Answer<Json>, Problem> {
    let requests = server.broker().requests()?;
    let is_seen = |sandbox: &str| match &caller {
        Caller::Approver(_) => true,
        Caller::Agent(agent) => *agent.id == *sandbox || server.boxes().is_of(&agent.id, sandbox),
    };
    let open = requests
        .iter()
        .filter(|request| request.status == RequestStatus::Open && is_seen(&request.sandbox));
    Ok(Answer(json!({ "requests": open.map(json::request).collect::<Vec<_>>() })))
}

/// Denies a recorded request until something is granted for it.
async fn deny(
    State(server): State<Server>,
    approver: Approver,
    Path(id): Path<String>,
) -> Result<Answer<Json>, Problem> {
    let id = id.parse::<RequestId>().map_err(|_| Problem::not_found("request"))?;
    let denied = server.broker().deny_request(&id, &approver.name)?;
    Ok(Answer(json!({ "request": json::request(&denied) })))
}
