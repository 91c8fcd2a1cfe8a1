//! Passkeys of the person who looks at the page.

use askama::Template;
use axum::Json as Answer;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::Value as Json;

use super::frame::{Frame, Page, Person, Refused, page};
use super::words::Moment;
use crate::api::Body;
use crate::identity::Approver;
use crate::passkeys::encoded;
use crate::problem::Problem;
use crate::server::{Server, blocking};

#[derive(Template)]
#[template(path = "passkeys.html")]
struct Passkeys {
    frame: Frame,
    passkeys: Vec<Row>,
}

struct Row {
    /// First characters of the id.
    id: String,
    at: Moment,
}

/// Lists the passkeys.
pub(super) async fn list(
    State(server): State<Server>,
    person: Person,
) -> Result<Response, Refused> {
    let frame = Frame::new(&server, &person, Page::Passkeys, "Passkeys");
    let built = blocking(move || {
        let own = server.store().passkeys(&person.0.name)?;
        let row = |passkey: &cofferdam_store::Passkey| Row {
            id: encoded(&passkey.id).chars().take(12).collect(),
            at: passkey.at.into(),
        };
        Ok::<_, Problem>(Passkeys { frame, passkeys: own.iter().map(row).collect() })
    });
    Ok(page(&built.await??))
}

/// Begins to add a passkey.
pub(super) async fn challenge(
    State(server): State<Server>,
    approver: Approver,
    _: Body,
) -> Result<Answer<Json>, Problem> {
    blocking(move || server.begin_passkey(&approver)).await?.map(Answer)
}

/// Adds a passkey that the script made.
pub(super) async fn add(
    State(server): State<Server>,
    approver: Approver,
    body: Body,
) -> Result<StatusCode, Problem> {
    let fields = body.object()?;
    blocking(move || server.add_passkey(&approver, fields)).await??;
    Ok(StatusCode::CREATED)
}
