//! Methods about permissions: grants, requests and the audit log. They are the page's alone: nothing
//! that a tool can reach calls them.

use std::collections::VecDeque;
use std::sync::Mutex;

use cofferdam::Capability;
use cofferdam::permissions::{Error, GrantId, Line, Offered, RequestId, Sink, Span, Terms};
use cofferdam_front::exec::text;
use cofferdam_front::json::{grant as grant_json, line as line_json, request as request_json};
use serde_json::{Value as Json, json};

use crate::methods::{Failed, Host, Params, required};
use crate::port;

/// Lines of the audit log that are kept.
const MAX_LINES: usize = 10_000;

/// The latest lines of the audit log.
pub(crate) struct Log {
    lines: Mutex<VecDeque<Json>>,
    /// True if the worker keeps the lines in the browser.
    is_kept: bool,
}

impl Log {
    /// Makes a log that begins with lines of an earlier page.
    pub(crate) fn new(earlier: Option<Json>, is_kept: bool) -> Self {
        let earlier = match earlier {
            Some(Json::Array(lines)) => lines.into(),
            _ => VecDeque::new(),
        };
        Log { lines: Mutex::new(earlier), is_kept }
    }

    fn add(&self, new: Vec<Line>) {
        let Ok(mut lines) = self.lines.lock() else { return };
        let new: Vec<Json> = new.iter().map(line_json).collect();
        if self.is_kept {
            port::notify("ledger", json!({ "lines": new }));
        }
        lines.extend(new);
        let over = lines.len().saturating_sub(MAX_LINES);
        lines.drain(..over);
    }
}

impl Sink for Log {
    fn offer(&self, lines: Vec<Line>) -> Offered {
        self.add(lines);
        Offered::Taken
    }

    fn commit(&self, lines: Vec<Line>) -> Result<(), Error> {
        self.add(lines);
        Ok(())
    }

    fn flush(&self) -> Result<(), Error> {
        Ok(())
    }
}

fn refused(error: impl std::fmt::Display) -> Failed {
    Failed(error.to_string())
}

/// Handles a method about permissions.
pub(crate) fn request(host: &Host, method: &str, mut params: Params) -> Result<Json, Failed> {
    match method {
        "grant" => grant(host, params),
        "revoke" => {
            let id: GrantId = required(&mut params, "grant")?.parse().map_err(refused)?;
            let revoked = match text(&mut params, "sandbox")? {
                Some(sandbox) => host.sandbox(&sandbox)?.permissions().revoke(&id, "page"),
                None => host.broker.revoke(&id, "page"),
            };
            Ok(grant_json(&revoked.map_err(refused)?))
        }
        "grants" => {
            let mut grants = host.broker.grants().map_err(refused)?;
            if let Some(sandbox) = text(&mut params, "sandbox")? {
                grants.extend(host.sandbox(&sandbox)?.permissions().grants());
            }
            Ok(grants.iter().map(grant_json).collect())
        }
        "requests" => {
            let requests = host.broker.requests().map_err(refused)?;
            Ok(requests.iter().map(request_json).collect())
        }
        "deny" => {
            let id: RequestId = required(&mut params, "request")?.parse().map_err(refused)?;
            Ok(request_json(&host.broker.deny_request(&id, "page").map_err(refused)?))
        }
        "audit" => {
            host.broker.flush().map_err(refused)?;
            let lines = host.log.lines.lock().map_err(refused)?;
            Ok(lines.iter().cloned().collect())
        }
        other => Err(Failed(format!("{other}: unknown method"))),
    }
}

/// Grants a capability to one sandbox, or the request with this id.
fn grant(host: &Host, mut params: Params) -> Result<Json, Failed> {
    let span = match text(&mut params, "span")? {
        Some(name) => name.parse().map_err(refused)?,
        None => Span::Session,
    };
    let granted = match text(&mut params, "request")? {
        Some(id) => {
            let id: RequestId = id.parse().map_err(refused)?;
            let terms = host.broker.terms_for(&id, span).map_err(refused)?;
            host.broker.grant_request(&id, terms.by("page"))
        }
        None => {
            let capability: Capability =
                required(&mut params, "capability")?.parse().map_err(refused)?;
            let sandbox = host.sandbox(&required(&mut params, "sandbox")?)?;
            let mut granted =
                grant_json(&sandbox.grant(Terms::new(capability.clone(), span).by("page"))?);
            if let Some(rule) = sandbox.permissions().barred(&capability) {
                granted["useless"] = rule.into();
            }
            return Ok(granted);
        }
    };
    Ok(json!(grant_json(&granted.map_err(refused)?)))
}
