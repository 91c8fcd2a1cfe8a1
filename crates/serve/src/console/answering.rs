//! Decisions: the forms of questions and of recorded requests.

use axum::Form;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use cofferdam::Capability;
use cofferdam::permissions::{RequestId, Span};

use super::asked::field;
use super::frame::{Person, Refused};
use crate::board::Shown;
use crate::identity::Approver;
use crate::passkeys::Proof;
use crate::problem::Problem;
use crate::server::{Decided, Server, blocking};

/// Fields of a form, in order.
type Fields = [(String, String)];

/// Answer that a button stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Said {
    Deny,
    Allow(Span),
}

impl Said {
    fn of(fields: &Fields) -> Result<Self, Problem> {
        match get(fields, "answer") {
            Some("deny") => Ok(Said::Deny),
            Some(word) => {
                let span = word.parse::<Span>();
                span.map(Said::Allow).map_err(|error| Problem::params(format!("answer: {error}")))
            }
            None => Err(Problem::params("answer: missing")),
        }
    }
}

/// Returns the first field of this name that is not empty.
fn get<'a>(fields: &'a Fields, name: &str) -> Option<&'a str> {
    let found = fields.iter().find(|(field, value)| field == name && !value.is_empty());
    found.map(|(_, value)| value.as_str())
}

/// Decisions on questions that a form describes.
struct Meant {
    decided: Vec<(String, Decided)>,
    /// True if one scope answers all questions.
    is_together: bool,
    /// True if a question does not wait any more.
    is_missing: bool,
}

impl Meant {
    fn of(server: &Server, fields: &Fields) -> Result<Self, Problem> {
        let said = Said::of(fields)?;
        // One scope for all questions, chosen in place of those that were asked for.
        let together = get(fields, "together").map(capability).transpose()?;
        let mut questions = Vec::new();
        for (_, value) in fields.iter().filter(|(name, _)| name == "question") {
            let pair = value.split_once(' ');
            questions.push(pair.ok_or_else(|| Problem::params("question: not an id and a seal"))?);
        }
        if questions.is_empty() {
            return Err(Problem::params("question: missing"));
        }
        let reason = get(fields, "reason").map(str::trim).filter(|reason| !reason.is_empty());
        let (mut decided, mut is_missing) = (Vec::new(), false);
        for (id, seal) in questions {
            let Some(shown) = server.board().get(id) else {
                is_missing = true;
                continue;
            };
            let decisions = decisions(&shown, said, together.as_ref(), fields)?;
            let reason = reason.map(str::to_owned);
            decided.push((id.to_owned(), Decided { seal: seal.to_owned(), decisions, reason }));
        }
        Ok(Meant { decided, is_together: together.is_some(), is_missing })
    }
}

/// Decides one question, or several of one run. Each comes with the seal of what the page showed,
/// and the scope of each wish is the one that the page named; nothing is filled in here.
pub(super) async fn answer(
    State(server): State<Server>,
    Person(approver): Person,
    Form(fields): Form<Vec<(String, String)>>,
) -> Result<Redirect, Refused> {
    let Meant { decided, is_together, is_missing } = Meant::of(&server, &fields)?;
    let proof = get(&fields, "passkey").map(|text| {
        let json = serde_json::from_str(text);
        json.map_err(|_| Problem::params("passkey: not JSON")).and_then(Proof::parse)
    });
    let is_allowed = decided.iter().any(|(_, one)| one.decisions.iter().any(Option::is_some));
    let mut done = 0;
    let mut failed = is_missing.then(gone);
    for proven in server.prove(&approver, decided, proof.transpose()?.as_ref())? {
        match server.decide(&approver, proven).await {
            Ok(()) => done += 1,
            Err(problem) => {
                // The answer to the first may have been enough for the others.
                let is_needless =
                    done > 0 && is_together && problem.status() == StatusCode::CONFLICT;
                if !is_needless {
                    failed = failed.or(Some(problem));
                }
            }
        }
    }
    match failed {
        Some(problem) if done > 0 => {
            let detail =
                format!("{done} of the requests were answered, not all: {}", problem.detail());
            Err(Problem::new(problem.status(), "partly", detail).into())
        }
        Some(problem) => Err(problem.into()),
        None => Ok(Redirect::to(if is_allowed { "/?said=allowed" } else { "/?said=denied" })),
    }
}

/// Returns the challenge of the passkey that the decision of a form needs, for the script.
pub(super) async fn challenge(
    State(server): State<Server>,
    approver: Approver,
    Form(fields): Form<Vec<(String, String)>>,
) -> Result<Response, Problem> {
    let meant = Meant::of(&server, &fields)?;
    Ok(axum::Json(server.wanted_passkey(&approver, &meant.decided)?).into_response())
}

fn gone() -> Problem {
    Problem::conflict(
        "stale",
        "the request does not wait any more: it was answered elsewhere, or the run has ended",
    )
}

fn capability(text: &str) -> Result<Capability, Problem> {
    text.parse().map_err(|error| Problem::params(format!("scope: {error}")))
}

/// Returns the decision on each wish of a question.
fn decisions(
    shown: &Shown,
    said: Said,
    together: Option<&Capability>,
    fields: &Fields,
) -> Result<Vec<Option<(Capability, Span)>>, Problem> {
    let span = match said {
        Said::Deny => return Ok(vec![None; shown.wishes.len()]),
        Said::Allow(span) => span,
    };
    let decision = |index: usize| {
        if let Some(together) = together {
            return Ok(Some((together.clone(), span)));
        }
        let name = field(&shown.question, index);
        let scope = fields.iter().find(|(field, _)| *field == name);
        match scope.map(|(_, value)| value.as_str()) {
            None => Err(Problem::params("scope: missing; choose one for each thing asked for")),
            Some("") => Ok(None),
            Some(text) => Ok(Some((capability(text)?, span))),
        }
    };
    (0..shown.wishes.len()).map(decision).collect()
}

/// Decides a request that no run waits for.
pub(super) async fn recorded(
    State(server): State<Server>,
    Person(approver): Person,
    Path(id): Path<String>,
    Form(fields): Form<Vec<(String, String)>>,
) -> Result<Redirect, Refused> {
    let id = id.parse::<RequestId>().map_err(|_| Problem::not_found("request"))?;
    let said = Said::of(&fields)?;
    let decided = blocking(move || {
        let broker = server.broker();
        match said {
            Said::Deny => {
                broker.deny_request(&id, &approver.name)?;
                Ok::<_, Problem>("/?said=denied")
            }
            Said::Allow(span) => {
                let terms = broker.terms_for(&id, span)?;
                server.check_grantable(terms.capability())?;
                server.check_without_passkey(terms.capability(), span)?;
                broker.grant_request(&id, terms.by(&approver.name))?;
                Ok("/?said=kept")
            }
        }
    });
    Ok(Redirect::to(decided.await??))
}
