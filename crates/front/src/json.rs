//! Questions, grants, requests and audit lines as JSON, the same on every front.

use cofferdam::permissions::{Choice, Grant, Level, Line, Place, Question, RecordedRequest};
use serde_json::{Map, Value as Json, json};

/// Converts a question to JSON.
pub fn question(question: &Question) -> Json {
    let choice = |choice: &Choice| {
        let risk = choice.risk();
        json!({
            "capability": choice.capability().to_string(),
            "words": choice.words(),
            "risk": level(risk.level),
            "reason": risk.reason,
        })
    };
    let wishes = question.wishes().iter().map(|wish| {
        let choices: Vec<_> = wish.choices().iter().map(choice).collect();
        let details: Map<_, _> =
            wish.details().iter().map(|(name, text)| ((*name).to_owned(), json!(text))).collect();
        json!({
            "wanted": wish.wanted().to_string(),
            "choices": choices,
            "words": wish.words(),
            "details": details,
            "onHost": wish.on_host(),
        })
    });
    json!({
        "at": question.place().map(Place::as_str),
        "question": question.id().as_str(),
        "tool": question.tool(),
        "sandbox": question.sandbox(),
        "run": question.run(),
        "wishes": wishes.collect::<Vec<_>>(),
    })
}

/// Returns the word for a level of risk.
pub fn level(level: Level) -> &'static str {
    match level {
        Level::Low => "low",
        Level::Medium => "medium",
        _ => "high",
    }
}

/// Converts a grant to JSON, without the values of its headers.
pub fn grant(grant: &Grant) -> Json {
    json!({
        "id": grant.id.as_str(),
        "capability": grant.capability.to_string(),
        "span": grant.span.name(),
        "tool": grant.holder.tool.as_deref(),
        "sandbox": grant.holder.sandbox.as_deref(),
        "folder": grant.holder.folder.as_deref(),
        "by": &*grant.by,
        "at": grant.at.to_string(),
        "expires": grant.expires.map(|at| at.to_string()),
        "left": grant.uses,
        "headers": grant.headers.names().collect::<Vec<_>>(),
    })
}

/// Converts a request to JSON.
pub fn request(request: &RecordedRequest) -> Json {
    json!({
        "id": request.id.as_str(),
        "capability": request.capability.to_string(),
        "action": request.capability.describe(),
        "tool": &*request.tool,
        "sandbox": &*request.sandbox,
        "folder": request.folder.as_deref(),
        "first": request.first.to_string(),
        "last": request.last.to_string(),
        "times": request.times,
        "status": request.status.name(),
    })
}

/// Converts a line of the audit log to JSON.
pub fn line(line: &Line) -> Json {
    // A line always serialises to an object.
    serde_json::from_str(&line.to_json()).unwrap_or(Json::Null)
}
