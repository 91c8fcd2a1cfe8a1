//! Signing in and out: a one-time code becomes the cookie of a browser.
//!
//! Meets T-SERVE-005.

use std::time::Duration;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use cofferdam::permissions::Timestamp;
use cofferdam_front::exec::text;
use cofferdam_front::fields::{Need, TEXT};
use cofferdam_store::Credential;
use serde_json::json;

use super::Body;
use crate::identity::{Approver, COOKIE, cookie};
use crate::problem::Problem;
use crate::routes::{Content, Routes, Who, route};
use crate::secret;
use crate::server::Server;

/// Time after which an approver signs in again.
pub const COOKIE_LIFE: Duration = Duration::from_secs(12 * 60 * 60);

pub(super) fn routes() -> Routes {
    Routes::default()
        .add(
            route(Method::POST, "/v1/login", "Exchanges a one-time code for a cookie", Who::Anyone)
                .body(Content::Object(&[("code", TEXT, Need::Required)]))
                .answer(204, Content::Nothing),
            login,
        )
        .add(
            route(Method::POST, "/v1/logout", "Makes the cookie worthless", Who::Approver)
                .answer(204, Content::Nothing),
            logout,
        )
        .add(
            route(Method::GET, "/v1/me", "Returns the name of the approver", Who::Approver)
                .answer(200, Content::Object(&[("approver", TEXT, Need::Required)])),
            me,
        )
}

/// Exchanges a code for a cookie.
async fn login(
    State(server): State<Server>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    // A page of another site could sign a browser in as somebody else.
    if !headers.contains_key(header::ORIGIN) {
        return Err(Problem::forbidden("Origin: missing"));
    }
    let code = text(&mut body.object()?, "code")?.unwrap_or_default();
    let cookie = sign_in(&server, &code)?;
    Ok((StatusCode::NO_CONTENT, [(header::SET_COOKIE, cookie)]).into_response())
}

/// Uses up a login code. Returns the header that sets the cookie.
pub fn sign_in(server: &Server, code: &str) -> Result<HeaderValue, Problem> {
    server.logins().take(&[0; 32])?;
    let (hash, now) = (secret::hash(&secret::plain_code(code)), Timestamp::now());
    let name = server.store().take_credential(Credential::Code, &hash, now)?;
    // T-SERVE-005: a code used twice, or guessed.
    let name = name.ok_or_else(|| {
        Problem::unauthorised("the code is wrong, used or too old; cofferdam login makes another")
    })?;
    let value = secret::cookie().map_err(Problem::internal)?;
    let life = (now, now.after(COOKIE_LIFE));
    server.store().add_credential(Credential::Cookie, &secret::hash(&value), &name, life)?;
    set_cookie(server, &value, COOKIE_LIFE.as_secs())
}

fn set_cookie(server: &Server, value: &str, seconds: u64) -> Result<HeaderValue, Problem> {
    let secure = if server.settings().has_tls() { "; Secure" } else { "" };
    let cookie =
        format!("{COOKIE}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age={seconds}{secure}");
    HeaderValue::from_str(&cookie).map_err(Problem::internal)
}

/// Makes the cookie worthless.
async fn logout(
    State(server): State<Server>,
    _: Approver,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let cookie = sign_out(&server, &headers)?;
    Ok((StatusCode::NO_CONTENT, [(header::SET_COOKIE, cookie)]).into_response())
}

/// Makes the cookie of a request worthless. Returns the header that removes it.
pub fn sign_out(server: &Server, headers: &HeaderMap) -> Result<HeaderValue, Problem> {
    if let Some(value) = cookie(headers) {
        let hash = secret::hash(value);
        server.store().take_credential(Credential::Cookie, &hash, Timestamp::now())?;
    }
    set_cookie(server, "", 0)
}

/// Returns the name of the approver.
async fn me(approver: Approver) -> impl IntoResponse {
    axum::Json(json!({ "approver": &*approver.name }))
}
