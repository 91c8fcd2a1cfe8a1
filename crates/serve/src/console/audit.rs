//! The audit log, with search.

use askama::Template;
use axum::extract::{Query, State};
use axum::response::Response;
use cofferdam::permissions::{Event, Line, Ruling};
use cofferdam_store::Filter;
use serde::Deserialize;

use super::frame::{Frame, Page, Person, Refused, page};
use super::words::{self, Moment};
use crate::problem::Problem;
use crate::server::{Server, blocking};

/// Lines on one page.
const MOST: u32 = 100;

/// Fields of the search; empty ones do not count.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Search {
    text: String,
    event: String,
    verdict: String,
    sandbox: String,
    run: String,
    before: String,
}

impl Search {
    fn filter(&self) -> Result<Filter, Problem> {
        let word = |text: &str| (!text.trim().is_empty()).then(|| text.trim().to_owned());
        let event = word(&self.event).map(|word| word.parse()).transpose();
        let ruling = word(&self.verdict).map(|word| word.parse()).transpose();
        let before = word(&self.before).map(|word| word.parse()).transpose();
        Ok(Filter {
            before: before.map_err(|_| Problem::params("before: not a number"))?,
            text: word(&self.text),
            sandbox: word(&self.sandbox),
            run: word(&self.run),
            event: event.map_err(|error| Problem::params(format!("event: {error}")))?,
            ruling: ruling.map_err(|error| Problem::params(format!("verdict: {error}")))?,
            last: Some(MOST),
            ..Filter::default()
        })
    }

    fn is_empty(&self) -> bool {
        let fields = [&self.text, &self.event, &self.verdict, &self.sandbox, &self.run];
        fields.iter().all(|field| field.trim().is_empty())
    }

    /// Returns the query of the page before line `before`.
    fn older(&self, before: i64) -> String {
        let fields = [
            ("text", &self.text),
            ("event", &self.event),
            ("verdict", &self.verdict),
            ("sandbox", &self.sandbox),
            ("run", &self.run),
        ];
        let mut query = String::new();
        for (name, value) in fields.iter().filter(|(_, value)| !value.is_empty()) {
            query += &format!("{name}={}&", words::encoded(value));
        }
        format!("{query}before={before}")
    }
}

#[derive(Template)]
#[template(path = "audit.html")]
struct Audit {
    frame: Frame,
    search: Search,
    events: Vec<Choice>,
    verdicts: Vec<Choice>,
    rows: Vec<Row>,
    /// Query of the next page, if there is one.
    older: Option<String>,
    /// Number of the latest line, if the page follows the log.
    follows: Option<i64>,
}

/// An option of a list.
struct Choice {
    word: &'static str,
    is_chosen: bool,
}

struct Row {
    number: i64,
    at: Moment,
    event: &'static str,
    verdict: &'static str,
    capability: String,
    target: String,
    note: String,
    sandbox: Option<String>,
    sandbox_name: String,
    /// Name of the run, and the same in an address.
    run: Option<(String, String)>,
    times: u32,
}

/// Shows lines of the log, latest first.
pub(super) async fn list(
    State(server): State<Server>,
    person: Person,
    Query(search): Query<Search>,
) -> Result<Response, Refused> {
    let frame = Frame::new(&server, &person, Page::Audit, "Audit");
    let filter = search.filter().map_err(|problem| Refused::from(problem).back("/audit"))?;
    let built = blocking(move || {
        let names = words::agents(&server)?;
        // Lines are written a moment after what they tell of.
        server.broker().flush()?;
        let lines = server.store().lines(&filter)?;
        let is_whole = u32::try_from(lines.len()).unwrap_or(u32::MAX) < MOST;
        let older = lines.first().filter(|_| !is_whole).map(|(first, _)| search.older(*first));
        let latest = lines.last().map_or(0, |(last, _)| *last);
        let follows = (filter.before.is_none() && search.is_empty()).then_some(latest);
        let row = |(number, line): &(i64, Line)| {
            let text = |text: &Option<std::sync::Arc<str>>| {
                words::text(text.as_deref().unwrap_or_default())
            };
            let sandbox_name = line
                .sandbox
                .as_deref()
                .map(|name| words::sandbox(name, &names))
                .unwrap_or_default();
            Row {
                number: *number,
                at: line.time.into(),
                event: line.event.name(),
                verdict: line.ruling.map_or("", |ruling| ruling.name()),
                capability: text(&line.capability),
                target: text(&line.target),
                note: text(&line.note),
                sandbox: line.sandbox.as_deref().map(words::encoded),
                sandbox_name,
                run: line.run.as_deref().map(|run| (words::text(run), words::encoded(run))),
                times: line.times,
            }
        };
        let rows = lines.iter().rev().map(row).collect();
        let events = Event::ALL.iter().map(|event| event.name());
        let verdicts = Ruling::ALL.iter().map(|ruling| ruling.name());
        let events = events.map(|word| Choice { word, is_chosen: word == search.event }).collect();
        let verdicts =
            verdicts.map(|word| Choice { word, is_chosen: word == search.verdict }).collect();
        Ok::<_, Problem>(Audit { frame, search, events, verdicts, rows, older, follows })
    });
    Ok(page(&built.await??))
}
