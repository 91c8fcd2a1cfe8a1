//! Runs of this server, with their output.

use std::collections::HashMap;
use std::sync::Arc;

use askama::Template;
use axum::extract::{Path, Query, State};
use axum::response::{Redirect, Response};
use serde::Deserialize;
use serde_json::Value as Json;

use super::frame::{Frame, Page, Person, Refused, page};
use super::words::{self, Moment};
use crate::problem::Problem;
use crate::runs::{EventKind, Phase, RunRecord};
use crate::server::{Server, blocking};

/// Most runs on the page.
const MOST: usize = 200;

/// Most bytes of output on a page; the end of it.
const MAX_OUTPUT: usize = 128 << 10;

/// Most bytes of a result on a page.
const MAX_RESULT: usize = 32 << 10;

#[derive(Deserialize)]
pub(super) struct Said {
    said: Option<String>,
}

#[derive(Template)]
#[template(path = "runs.html")]
struct Runs {
    frame: Frame,
    runs: Vec<Row>,
    more: usize,
}

/// A run in a list.
struct Row {
    id: String,
    status: Status,
    kind: String,
    agent: String,
    client: Option<String>,
    why: Option<String>,
    sandbox: String,
    at: Moment,
}

/// State of a run, for a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Status {
    Running,
    Waiting,
    Ended,
    Failed,
}

impl Status {
    fn of(phase: &Phase) -> Self {
        match phase {
            Phase::Running => Status::Running,
            Phase::Waiting => Status::Waiting,
            Phase::Ended(outcome) if outcome["errorClass"].is_null() => Status::Ended,
            Phase::Ended(_) => Status::Failed,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Status::Running => "running",
            Status::Waiting => "waiting",
            Status::Ended => "ended",
            Status::Failed => "failed",
        }
    }
}

fn row(run: &RunRecord, phase: &Phase, names: &HashMap<Arc<str>, String>) -> Row {
    let about = &run.about;
    Row {
        id: about.id.to_string(),
        status: Status::of(phase),
        kind: words::text(&about.kind),
        agent: words::text(&about.agent_name),
        client: about.client.as_deref().map(words::text),
        why: about.why.as_deref().map(words::text),
        sandbox: words::sandbox(&about.sandbox, names),
        at: about.at.into(),
    }
}

/// Lists the runs, latest first.
pub(super) async fn list(
    State(server): State<Server>,
    person: Person,
) -> Result<Response, Refused> {
    let frame = Frame::new(&server, &person, Page::Runs, "Runs");
    let names = words::agents(&server)?;
    let all = server.runs().all();
    let runs = all.iter().take(MOST).map(|run| row(run, &run.phase(), &names));
    Ok(page(&Runs { frame, runs: runs.collect(), more: all.len().saturating_sub(MOST) }))
}

#[derive(Template)]
#[template(path = "run.html")]
struct Run {
    frame: Frame,
    row: Row,
    source: String,
    pieces: Vec<Piece>,
    is_cut: bool,
    /// Ids of the questions that it waits for.
    questions: Vec<String>,
    outcome: Option<Outcome>,
}

/// Output of one stream, until the other one follows.
struct Piece {
    is_error: bool,
    text: String,
}

/// The end of a run.
struct Outcome {
    error: Option<String>,
    result: Option<String>,
    exit_code: i64,
    milliseconds: String,
}

/// Shows a run and its output.
pub(super) async fn show(
    State(server): State<Server>,
    person: Person,
    Path(id): Path<String>,
    Query(said): Query<Said>,
) -> Result<Response, Refused> {
    let back = |problem: Problem| Refused::from(problem).back("/runs");
    let run = server.runs().get(&id).ok_or_else(|| back(Problem::not_found("run")))?;
    let frame = Frame::new(&server, &person, Page::Run, "Run").said(said.said.as_deref());
    let built = blocking(move || {
        let names = words::agents(&server)?;
        let (about, phase) = (&run.about, run.phase());
        let row = row(&run, &phase, &names);
        let (pieces, is_cut) = output(&run);
        let outcome = match &phase {
            Phase::Running | Phase::Waiting => None,
            Phase::Ended(json) => Some(outcome(json)),
        };
        let questions = run.questions().iter().map(ToString::to_string).collect();
        let source = words::lines(&about.source);
        Ok::<_, Problem>(Run { frame, row, source, pieces, is_cut, questions, outcome })
    });
    Ok(page(&built.await??))
}

/// Returns the end of the output, and true if something before it is left out.
fn output(run: &RunRecord) -> (Vec<Piece>, bool) {
    let (events, _) = run.events_after(0);
    let mut is_cut = events.first().is_some_and(|event| event.id > 1);
    let (mut left, mut pieces) = (MAX_OUTPUT, Vec::<Piece>::new());
    for event in events.iter().rev() {
        let is_error = match event.kind {
            EventKind::Stdout => false,
            EventKind::Stderr => true,
            EventKind::Asking | EventKind::Resumed | EventKind::Result => continue,
        };
        if left == 0 {
            is_cut = true;
            break;
        }
        let (text, is_tail) = words::tail(event.data["text"].as_str().unwrap_or_default(), left);
        is_cut |= is_tail;
        left -= text.len().min(left);
        let text = words::lines(text);
        match pieces.last_mut() {
            Some(piece) if piece.is_error == is_error => piece.text.insert_str(0, &text),
            Some(_) | None => pieces.push(Piece { is_error, text }),
        }
    }
    pieces.reverse();
    (pieces, is_cut)
}

fn outcome(json: &Json) -> Outcome {
    let error = json["error"].as_object().map(|error| {
        let word = |name: &str| error.get(name).and_then(Json::as_str).unwrap_or_default();
        words::lines(&format!("{}: {}", word("name"), word("message")))
    });
    let error = error.or_else(|| json["errorClass"].as_str().map(words::text));
    let result = match &json["result"] {
        Json::Null => None,
        result => serde_json::to_string_pretty(result).ok(),
    };
    let result = result.map(|text| match text.char_indices().nth(MAX_RESULT) {
        Some((end, _)) => format!("{}…", words::lines(&text[..end])),
        None => words::lines(&text),
    });
    let millis = json["executionTimeMs"].as_f64().unwrap_or_default();
    Outcome {
        error,
        result,
        exit_code: json["exitCode"].as_i64().unwrap_or_default(),
        milliseconds: format!("{millis:.1} ms"),
    }
}

/// Cancels a run.
pub(super) async fn cancel(
    State(server): State<Server>,
    person: Person,
    Path(id): Path<String>,
) -> Result<Redirect, Refused> {
    let run = server.runs().get(&id);
    let run = run.ok_or_else(|| Refused::from(Problem::not_found("run")).back("/runs"))?;
    tracing::info!(run = %run.about.id, by = %person.0.name, "an approver cancels a run");
    run.cancel();
    Ok(Redirect::to(&format!("/runs/{}?said=cancelled", run.about.id)))
}
