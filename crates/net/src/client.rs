//! The client: one fetch from the first check to the response, redirects included.
//!
//! Runs on the caller's executor. Each connection runs on the `driver`'s thread; see `hop`.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cofferdam_caps::network::{FetchUrl, Method};

use crate::authority::{Authority, Passage};
use crate::body::SendFault;
use crate::driver::Driver;
use crate::error::{FetchError, FetchErrorKind};
use crate::exchange::{Answer, Hop};
use crate::fetch::{Fetch, Limits, Redirect};
use crate::headers;
use crate::hop::Shared;
use crate::port;
use crate::redirect::{self, Next};
use crate::response::Response;
use crate::settings::Settings;

/// Longest time limit; a longer one could overflow the clock.
const MAX_TIME: Duration = Duration::from_secs(24 * 60 * 60);

/// Sends requests.
///
/// Cheap to clone. Clones share one thread, which the first fetch starts and which ends with the
/// last clone and the last response.
#[derive(Clone)]
pub struct Client {
    driver: Arc<Driver>,
    shared: Arc<Shared>,
}

impl Client {
    /// Creates a client; the thread is not started yet.
    pub fn new(settings: Settings) -> Self {
        Self { driver: Arc::default(), shared: Arc::new(settings.open()) }
    }

    /// Refuses a destination that no grant opens, so that nobody is asked about it: a port of
    /// another protocol, or an address in [`Settings::never`] that the URL spells out. Names are
    /// resolved and checked later, when the request is sent.
    pub fn check_destination(&self, url: &FetchUrl) -> Result<(), FetchError> {
        port::check(url.origin())?;
        self.shared.check_named_address(url.origin())
    }

    /// Sends one request and follows its redirects, each under its own passage.
    ///
    /// Needs no particular executor. Dropping the future closes the connection.
    pub async fn fetch(
        &self,
        fetch: Fetch,
        authority: &dyn Authority,
    ) -> Result<Response, FetchError> {
        let Fetch { method, url, mut headers, body, redirect, limits } = fetch;
        headers::drop_forbidden(&mut headers);
        let mut next = Next { method, url, headers, body };
        check(&next, &limits)?;
        let mut time_left = limits.time.min(MAX_TIME);
        let mut followed = 0;
        loop {
            // T-NET-003: a redirect is a new request, to the authority and to every check.
            port::check(next.url.origin())?;
            let passage = authority.allow(&next.method, &next.url).await;
            let passage =
                passage.map_err(|refused| FetchError::denied(&next.url.origin().host, refused))?;
            let started = Instant::now();
            let answer = self.hop(&mut next, &passage, &limits, time_left).await?;
            time_left = time_left.saturating_sub(started.elapsed());
            let target = match redirect {
                Redirect::Manual => None,
                Redirect::Follow | Redirect::Error => {
                    redirect::target(answer.status, &answer.headers, &next.url)?
                }
            };
            let Some(target) = target else {
                return Ok(self.response(answer, next, followed > 0));
            };
            let host = &next.url.origin().host;
            if redirect == Redirect::Error {
                let reason = "redirects, which the request does not allow";
                return Err(FetchError::new(FetchErrorKind::Redirected, host, reason));
            }
            if followed == limits.redirects {
                let reason = format!("redirects more than {} times", limits.redirects);
                return Err(FetchError::new(FetchErrorKind::RedirectLimit, host, reason));
            }
            followed += 1;
            next.follow(answer.status, target)?;
        }
    }

    // T-NET-010: a connection left behind by a run that was killed.
    async fn hop(
        &self,
        next: &mut Next,
        passage: &Passage,
        limits: &Limits,
        time_left: Duration,
    ) -> Result<Answer, FetchError> {
        let origin = next.url.origin();
        let no_body = next.body.is_empty();
        let headers = headers::to_send(&next.headers, passage, &next.method, origin, no_body)?;
        let spent = || {
            let reason = "the request's body was used up";
            FetchError::new(FetchErrorKind::BadRequest, &origin.host, reason)
        };
        let hop = Hop {
            method: next.method.clone(),
            url: next.url.clone(),
            headers,
            body: next.body.send(limits.send_bytes).ok_or_else(spent)?,
            names_origin: passage.names_origin,
            limits: limits.clone(),
            deadline: Instant::now() + time_left,
        };
        self.driver.send(hop, &self.shared).await
    }

    fn response(&self, answer: Answer, sent: Next, redirected: bool) -> Response {
        let Answer { status, status_text, mut headers, mut body } = answer;
        headers::drop_cookies(&mut headers);
        body.keep(self.driver.clone());
        Response { status, status_text, headers, url: sent.url, redirected, body }
    }
}

/// Refuses requests that are invalid regardless of any grant.
fn check(next: &Next, limits: &Limits) -> Result<(), FetchError> {
    let host = &next.url.origin().host;
    let bad = |reason: String| Err(FetchError::new(FetchErrorKind::BadRequest, host, reason));
    let has_no_body = |method: &Method| matches!(method.as_str(), "GET" | "HEAD");
    if has_no_body(&next.method) && !next.body.is_empty() {
        return bad(format!("a {} request has no body", next.method));
    }
    if headers::size(&next.headers) > limits.header_bytes {
        let reason = format!("the request's headers are longer than {} bytes", limits.header_bytes);
        return Err(FetchError::new(FetchErrorKind::HeaderLimit, host, reason));
    }
    match next.body.len() {
        Some(length) if length > limits.send_bytes => {
            Err(SendFault::TooLong(limits.send_bytes).error(host))
        }
        Some(_) | None => Ok(()),
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").finish_non_exhaustive()
    }
}
