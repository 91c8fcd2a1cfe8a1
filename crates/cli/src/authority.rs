//! Methods of `rpc` about permissions: questions, grants, requests and the audit log.
//!
//! They are the client's alone: nothing that a tool can reach calls them.

use std::time::Duration;

use cofferdam::Capability;
use cofferdam::permissions::{
    Decision, Event, GrantId, Line, Question, RequestId, RequestStatus, Ruling, Span, Terms,
};
use cofferdam_front::exec::{bad, flag, number, object, text};
use cofferdam_front::json::{
    grant as grant_json, line as line_json, question as question_json, request as request_json,
};
use cofferdam_store::Filter;
use serde_json::{Map, Value as Json, json};

use crate::kept::{Failed, Kept, Log};

/// Name that decisions are recorded with if the client gives none.
const CLIENT: &str = "rpc";

type Params = Map<String, Json>;

fn refused(error: impl std::fmt::Display) -> Failed {
    Failed::Params(error.to_string())
}

fn required(params: &mut Params, name: &str) -> Result<String, Failed> {
    text(params, name)?.ok_or_else(|| Failed::Params(format!("{name}: missing")))
}

fn by(params: &mut Params) -> Result<String, Failed> {
    Ok(text(params, "by")?.unwrap_or_else(|| CLIENT.to_owned()))
}

fn span(params: &mut Params) -> Result<Option<Span>, Failed> {
    match text(params, "span")? {
        None => Ok(None),
        Some(text) => Ok(Some(text.parse().map_err(|e| Failed::Params(format!("span: {e}")))?)),
    }
}

fn capability(text: &str) -> Result<Capability, Failed> {
    text.parse().map_err(|e| Failed::Params(format!("capability: {e}")))
}

/// Answers a question that waits.
pub(crate) fn answer(kept: &Kept, mut params: Params) -> Result<Json, Failed> {
    let id = required(&mut params, "question")?;
    let questions = kept.host.broker.questions();
    let Some(question) = questions.iter().find(|question| question.id().as_str() == id) else {
        return Err(Failed::Params(format!("question: {id:?} does not wait for an answer")));
    };
    let span = span(&mut params)?.unwrap_or(Span::Once);
    let answer = match (flag(&mut params, "allow")?, params.remove("decisions")) {
        (Some(true), None | Some(Json::Null)) => question.allow(span),
        (Some(false), None | Some(Json::Null)) => question.deny(),
        (None, Some(Json::Array(decisions))) => {
            question.answer(self::decisions(question, decisions, span)?)
        }
        (None, Some(Json::Null) | None) => {
            bad("allow: missing; give \"allow\": true or false, or \"decisions\"")?
        }
        (None, Some(_)) => bad("decisions: not an array")?,
        (Some(_), Some(_)) => bad("decisions: given together with allow; give one of them")?,
    };
    let by = by(&mut params)?;
    kept.host
        .broker
        .answer(answer.by(&by))
        .map_err(|e| Failed::Params(format!("question: {e}")))?;
    Ok(json!({ "answered": true }))
}

/// Parses one decision for each wish. A grant that does not fit its wish would count as a refusal,
/// so it is an error here.
fn decisions(
    question: &Question,
    given: Vec<Json>,
    span_of_all: Span,
) -> Result<Vec<Decision>, Failed> {
    let wishes = question.wishes();
    if given.len() != wishes.len() {
        let text = format!("decisions: {} for {} wishes", given.len(), wishes.len());
        return Err(Failed::Params(text));
    }
    let decision = |given| match given {
        Json::Null => Ok(Decision::Deny),
        Json::Object(mut fields) => {
            let wanted = capability(&required(&mut fields, "capability")?)?;
            let span = span(&mut fields)?.unwrap_or(span_of_all);
            Ok(Decision::Grant(wanted, span))
        }
        _ => bad("decisions: each must be null or {\"capability\": …, \"span\": …}")?,
    };
    given.into_iter().map(decision).collect()
}

/// Lists the questions that wait.
pub(crate) fn questions(kept: &Kept, _: Params) -> Result<Json, Failed> {
    let questions = kept.host.broker.questions();
    Ok(json!({ "questions": questions.iter().map(question_json).collect::<Vec<_>>() }))
}

/// Lists the grants of the server, and those of a sandbox if one is named.
pub(crate) fn grants(kept: &Kept, mut params: Params) -> Result<Json, Failed> {
    let mut grants = Vec::new();
    if let Some(id) = text(&mut params, "sandbox")? {
        grants = kept.get(&id)?.permissions().grants();
    }
    grants.extend(kept.host.broker.grants().map_err(refused)?);
    Ok(json!({ "grants": grants.iter().map(grant_json).collect::<Vec<_>>() }))
}

/// Grants a capability, or the request with this id.
pub(crate) fn grant(kept: &Kept, mut params: Params) -> Result<Json, Failed> {
    let broker = &kept.host.broker;
    let sandbox = text(&mut params, "sandbox")?.map(|id| kept.get(&id)).transpose()?;
    let span = span(&mut params)?.unwrap_or(match sandbox {
        Some(_) => Span::Session,
        None => Span::Once,
    });
    let named = text(&mut params, "capability")?.map(|text| capability(&text)).transpose()?;
    let request = match text(&mut params, "request")? {
        Some(id) => {
            Some(id.parse::<RequestId>().map_err(|e| Failed::Params(format!("request: {e}")))?)
        }
        None => None,
    };
    let mut terms = match (&request, named) {
        (Some(id), None) => broker.terms_for(id, span).map_err(refused)?,
        (Some(id), Some(wider)) => {
            broker.terms_for(id, span).map_err(refused)?.with_capability(wider)
        }
        (None, Some(capability)) => Terms::new(capability, span),
        (None, None) => return Err(Failed::Params("capability: missing; or give request".into())),
    };
    if let Some(tool) = text(&mut params, "tool")? {
        terms = terms.for_tool(&tool);
    }
    if let Some(millis) = number(&mut params, "expiresInMs")? {
        terms = terms.expires_in(Duration::from_millis(millis));
    }
    if let Some(uses) = number(&mut params, "maxUses")? {
        terms = terms.max(u32::try_from(uses).unwrap_or(u32::MAX));
    }
    for (name, value) in object(&mut params, "headers")? {
        let Json::String(value) = value else { bad(format!("headers.{name}: not a string"))? };
        // The error does not repeat the value, which is a secret.
        terms = terms.header(&name, &value).map_err(|e| Failed::Params(format!("headers: {e}")))?;
    }
    let terms = terms.by(&by(&mut params)?);
    let grant = match (&sandbox, &request) {
        (Some(sandbox), _) => sandbox.grant(terms)?,
        (None, Some(id)) => broker.grant_request(id, terms).map_err(refused)?,
        (None, None) => broker.grant(terms).map_err(refused)?,
    };
    Ok(json!({ "grant": grant_json(&grant) }))
}

/// Revokes a grant, with effect from the next check.
pub(crate) fn revoke(kept: &Kept, mut params: Params) -> Result<Json, Failed> {
    let id = required(&mut params, "grant")?;
    let id = id.parse::<GrantId>().map_err(|e| Failed::Params(format!("grant: {e}")))?;
    let by = by(&mut params)?;
    let revoked = match text(&mut params, "sandbox")? {
        Some(sandbox) => kept.get(&sandbox)?.permissions().revoke(&id, &by),
        None => kept.host.broker.revoke(&id, &by),
    };
    Ok(json!({ "grant": grant_json(&revoked.map_err(refused)?) }))
}

/// Lists requests that were denied and not decided since; with `all`, every request.
pub(crate) fn requests(kept: &Kept, mut params: Params) -> Result<Json, Failed> {
    let all = flag(&mut params, "all")?.unwrap_or(false);
    let requests = kept.host.broker.requests().map_err(refused)?;
    let wanted = requests.iter().filter(|r| all || r.status == RequestStatus::Open);
    Ok(json!({ "requests": wanted.map(request_json).collect::<Vec<_>>() }))
}

/// Denies a request.
pub(crate) fn deny(kept: &Kept, mut params: Params) -> Result<Json, Failed> {
    let id = required(&mut params, "request")?;
    let id = id.parse::<RequestId>().map_err(|e| Failed::Params(format!("request: {e}")))?;
    let by = by(&mut params)?;
    let denied = kept.host.broker.deny_request(&id, &by).map_err(refused)?;
    Ok(json!({ "request": request_json(&denied) }))
}

/// Returns the lines of the log that match all parameters.
pub(crate) fn audit(kept: &Kept, mut params: Params) -> Result<Json, Failed> {
    let event = text(&mut params, "event")?.map(|text| text.parse::<Event>()).transpose();
    let ruling = text(&mut params, "verdict")?.map(|text| text.parse::<Ruling>()).transpose();
    let last = number(&mut params, "last")?.map(|last| u32::try_from(last).unwrap_or(u32::MAX));
    let filter = Filter {
        sandbox: text(&mut params, "sandbox")?,
        run: text(&mut params, "run")?,
        event: event.map_err(|e| Failed::Params(format!("event: {e}")))?,
        ruling: ruling.map_err(|e| Failed::Params(format!("verdict: {e}")))?,
        id: text(&mut params, "id")?,
        last,
        ..Filter::default()
    };
    kept.host.broker.flush().map_err(refused)?;
    let lines: Vec<Line> = match &kept.host.log {
        Log::Store(store) => {
            let lines = store.lines(&filter).map_err(refused)?;
            lines.into_iter().map(|(_, line)| line).collect()
        }
        Log::Memory(memory) => {
            let mut lines = memory.lines();
            lines.retain(|line| matches(line, &filter));
            let most = filter.last.map_or(usize::MAX, |last| last as usize);
            lines.split_off(lines.len().saturating_sub(most))
        }
    };
    let lines: Vec<Json> = lines.iter().map(line_json).collect();
    Ok(json!({ "lines": lines }))
}

fn matches(line: &Line, filter: &Filter) -> bool {
    let is = |wanted: &Option<String>, found: &Option<std::sync::Arc<str>>| {
        wanted.as_deref().is_none_or(|wanted| found.as_deref() == Some(wanted))
    };
    is(&filter.sandbox, &line.sandbox)
        && is(&filter.run, &line.run)
        && is(&filter.id, &line.id)
        && filter.event.is_none_or(|event| line.event == event)
        && filter.ruling.is_none_or(|ruling| line.ruling == Some(ruling))
}
