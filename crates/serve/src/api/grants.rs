//! Grants: listed, made and revoked by approvers alone.

use std::time::Duration;

use axum::Json as Answer;
use axum::extract::{Path, State};
use axum::http::{Method, StatusCode};
use cofferdam::Capability;
use cofferdam::permissions::{GrantId, RequestId, Span, Terms};
use cofferdam_front::exec::{check_known, number, text};
use cofferdam_front::fields::{COUNT, Field, GRANT, GRANTS, Need, SPAN, TEXT, names};
use cofferdam_front::json;
use serde_json::{Value as Json, json};

use super::Body;
use crate::identity::Approver;
use crate::problem::Problem;
use crate::routes::{Content, Routes, Who, route};
use crate::server::Server;

const LIST: &[Field] = &[("grants", GRANTS, Need::Required)];
const MADE: &[Field] = &[("grant", GRANT, Need::Required)];
const TERMS: &[Field] = &[
    ("capability", TEXT, Need::Optional),
    ("request", TEXT, Need::Optional),
    ("span", SPAN, Need::Required),
    ("tool", TEXT, Need::Optional),
    ("sandbox", TEXT, Need::Optional),
    ("expiresInMs", COUNT, Need::Optional),
    ("maxUses", COUNT, Need::Optional),
];

pub(super) fn routes() -> Routes {
    Routes::default()
        .add(
            route(Method::GET, "/v1/grants", "Lists grants, latest first", Who::Approver)
                .answer(200, Content::Object(LIST)),
            list,
        )
        .add(
            route(
                Method::POST,
                "/v1/grants",
                "Grants a capability or a recorded request",
                Who::Approver,
            )
            .body(Content::Object(TERMS))
            .answer(201, Content::Object(MADE)),
            grant,
        )
        .add(
            route(Method::DELETE, "/v1/grants/{id}", "Revokes a grant", Who::Approver)
                .answer(200, Content::Object(MADE)),
            revoke,
        )
}

async fn list(State(server): State<Server>, _: Approver) -> Result<Answer<Json>, Problem> {
    let grants = server.broker().grants()?;
    Ok(Answer(json!({ "grants": grants.iter().map(json::grant).collect::<Vec<_>>() })))
}

/// Grants a capability, or a recorded request.
async fn grant(
    State(server): State<Server>,
    approver: Approver,
    body: Body,
) -> Result<(StatusCode, Answer<Json>), Problem> {
    let mut fields = body.object()?;
    check_known(&fields, &names(TERMS))?;
    let span = text(&mut fields, "span")?.ok_or_else(|| Problem::params("span: missing"))?;
    let span = span.parse::<Span>().map_err(|e| Problem::params(format!("span: {e}")))?;
    let capability = text(&mut fields, "capability")?.map(|text| text.parse::<Capability>());
    let capability =
        capability.transpose().map_err(|e| Problem::params(format!("capability: {e}")))?;
    let request = text(&mut fields, "request")?.map(|text| text.parse::<RequestId>()).transpose();
    let request = request.map_err(|e| Problem::params(format!("request: {e}")))?;
    let broker = server.broker();
    let mut terms = match (&request, capability) {
        (Some(id), None) => broker.terms_for(id, span)?,
        (Some(id), Some(wider)) => broker.terms_for(id, span)?.with_capability(wider),
        (None, Some(capability)) => Terms::new(capability, span),
        (None, None) => return Err(Problem::params("capability: missing; or give request")),
    };
    server.check_grantable(terms.capability())?;
    server.check_without_passkey(terms.capability(), span)?;
    if let Some(tool) = text(&mut fields, "tool")? {
        terms = terms.for_tool(&tool);
    }
    if let Some(sandbox) = text(&mut fields, "sandbox")? {
        terms = terms.for_sandbox(&sandbox);
    }
    if let Some(millis) = number(&mut fields, "expiresInMs")? {
        terms = terms.expires_in(Duration::from_millis(millis));
    }
    if let Some(uses) = number(&mut fields, "maxUses")? {
        terms = terms.max(u32::try_from(uses).unwrap_or(u32::MAX));
    }
    let terms = terms.by(&approver.name);
    let grant = match &request {
        Some(id) => broker.grant_request(id, terms)?,
        None => broker.grant(terms)?,
    };
    Ok((StatusCode::CREATED, Answer(json!({ "grant": json::grant(&grant) }))))
}

/// Revokes a grant, with effect from the next check.
async fn revoke(
    State(server): State<Server>,
    approver: Approver,
    Path(id): Path<String>,
) -> Result<Answer<Json>, Problem> {
    let id = id.parse::<GrantId>().map_err(|_| Problem::not_found("grant"))?;
    let revoked = server.broker().revoke(&id, &approver.name)?;
    Ok(Answer(json!({ "grant": json::grant(&revoked) })))
}
