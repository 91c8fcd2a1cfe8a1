//! Grants, and their end.

use askama::Template;
use axum::extract::{Path, Query, State};
use axum::response::{Redirect, Response};
use cofferdam::permissions::{Grant, GrantId, Risk, Span, shown_identity};
use cofferdam_front::json::level;
use serde::Deserialize;

use super::frame::{Frame, Page, Person, Refused, page};
use super::words::{self, Moment};
use crate::problem::Problem;
use crate::server::{Server, blocking};

#[derive(Deserialize)]
pub(super) struct Said {
    said: Option<String>,
}

#[derive(Template)]
#[template(path = "grants.html")]
struct Grants {
    frame: Frame,
    grants: Vec<Row>,
}

struct Row {
    id: String,
    words: String,
    text: String,
    risk: &'static str,
    reason: &'static str,
    /// End of the grant, in words.
    lasts: String,
    tool: String,
    digest: Option<String>,
    sandbox: String,
    folder: Option<String>,
    by: String,
    at: Moment,
}

/// Lists the grants in force.
pub(super) async fn list(
    State(server): State<Server>,
    person: Person,
    Query(said): Query<Said>,
) -> Result<Response, Refused> {
    let frame = Frame::new(&server, &person, Page::Grants, "Grants").said(said.said.as_deref());
    let built = blocking(move || {
        let names = words::agents(&server)?;
        let grants = server.broker().grants()?;
        let sandbox = |grant: &Grant| match &grant.holder.sandbox {
            Some(sandbox) => words::sandbox(sandbox, &names),
            None => "any".to_owned(),
        };
        let grants = grants.iter().map(|grant| row(grant, sandbox(grant))).collect();
        Ok::<_, Problem>(Grants { frame, grants })
    });
    Ok(page(&built.await??))
}

fn row(grant: &Grant, sandbox: String) -> Row {
    let risk = Risk::of(&grant.capability);
    let (tool, digest) = match &grant.holder.tool {
        Some(tool) => words::tool(&shown_identity(tool)),
        None => ("any".to_owned(), None),
    };
    let mut lasts = match grant.span {
        Span::Once => "one run".to_owned(),
        Span::Session => "this session".to_owned(),
        Span::Always => "until revoked".to_owned(),
    };
    if let Some(expires) = grant.expires {
        lasts += &format!(", at most {}", words::until(expires));
    }
    if let Some(uses) = grant.uses {
        lasts += &format!(", {uses} uses left");
    }
    Row {
        id: grant.id.to_string(),
        words: words::capital(&words::text(&grant.capability.describe())),
        text: words::text(&grant.capability.to_string()),
        risk: level(risk.level),
        reason: risk.reason,
        lasts,
        tool,
        digest,
        sandbox,
        folder: grant.holder.folder.as_deref().filter(|f| !f.is_empty()).map(words::text),
        by: words::text(&grant.by),
        at: grant.at.into(),
    }
}

/// Revokes a grant.
pub(super) async fn revoke(
    State(server): State<Server>,
    Person(approver): Person,
    Path(id): Path<String>,
) -> Result<Redirect, Refused> {
    let back = |problem: Problem| Refused::from(problem).back("/grants");
    let id = id.parse::<GrantId>().map_err(|_| back(Problem::not_found("grant")))?;
    let revoked = blocking(move || server.broker().revoke(&id, &approver.name));
    revoked.await?.map_err(|error| back(error.into()))?;
    Ok(Redirect::to("/grants?said=revoked"))
}
