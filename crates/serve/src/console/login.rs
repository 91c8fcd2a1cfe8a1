//! Signing in with a one-time code, and out.

use askama::Template;
use axum::Form;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use serde::Deserialize;

use super::frame::{Frame, Page, Person, Refused, page};
use super::words;
use crate::api;
use crate::problem::Problem;
use crate::server::Server;

/// Longest address to go on to.
const MAX_TO: usize = 300;

#[derive(Template)]
#[template(path = "login.html")]
struct Login {
    frame: Frame,
    code: String,
    /// Page to go on to.
    to: String,
    /// Reason why a code was refused.
    refused: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Wanted {
    #[serde(default)]
    code: String,
    #[serde(default)]
    to: String,
    said: Option<String>,
}

/// Returns an address of this server to go on to. Anything else leads to the inbox, because a link
/// of another site could name it.
fn local(to: &str) -> &str {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.~%".contains(&byte);
    let is_local = to.starts_with('/') && !to.starts_with("//");
    if is_local && to.len() <= MAX_TO && to.bytes().all(is_plain) { to } else { "/" }
}

/// Shows the form.
pub(super) async fn form(Query(wanted): Query<Wanted>) -> Response {
    let frame = Frame::outside(Page::Login, "Sign in").said(wanted.said.as_deref());
    let to = local(&wanted.to).to_owned();
    page(&Login { frame, code: words::text(&wanted.code), to, refused: None })
}

/// Exchanges a code for the cookie.
pub(super) async fn sign_in(
    State(server): State<Server>,
    headers: HeaderMap,
    Form(wanted): Form<Wanted>,
) -> Result<Response, Refused> {
    // T-SERVE-003: a page of another site could sign a browser in as somebody else. `guard` has
    // checked the value.
    if !headers.contains_key(header::ORIGIN) {
        return Err(Problem::forbidden("Origin: missing").into());
    }
    let to = local(&wanted.to).to_owned();
    match api::sign_in(&server, &wanted.code) {
        Ok(cookie) => Ok(([(header::SET_COOKIE, cookie)], Redirect::to(&to)).into_response()),
        Err(problem) if problem.status() == StatusCode::UNAUTHORIZED => {
            let frame = Frame::outside(Page::Login, "Sign in");
            let refused = Some(words::sentence(problem.detail()));
            let mut response = page(&Login { frame, code: String::new(), to, refused });
            *response.status_mut() = StatusCode::UNAUTHORIZED;
            Ok(response)
        }
        Err(problem) => Err(problem.into()),
    }
}

/// Makes the cookie worthless.
pub(super) async fn sign_out(
    State(server): State<Server>,
    _: Person,
    headers: HeaderMap,
) -> Result<Response, Refused> {
    let cookie = api::sign_out(&server, &headers)?;
    Ok(([(header::SET_COOKIE, cookie)], Redirect::to("/login?said=out")).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_sent_to_another_site() {
        let check = |to, expect| assert_eq!(local(to), expect, "{to}");
        check("/requests/qst_1", "/requests/qst_1");
        check("//evil.example", "/");
        check("/\\evil.example", "/");
        check("https://evil.example", "/");
        check("javascript:alert(1)", "/");
        check("", "/");
    }
}
