//! Questions that wait: all of them, and one by its id.

use std::collections::HashMap;
use std::sync::Arc;

use askama::Template;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use cofferdam::permissions::{RecordedRequest, RequestStatus, shown_identity};
use serde::Deserialize;

use super::asked::{Asked, Group};
use super::earlier::{self, Earlier, Known};
use super::frame::{Frame, Page, Person, Refused, page};
use super::tools::{self, Change};
use super::words::{self, Moment};
use crate::problem::Problem;
use crate::server::{Server, blocking};

/// Most questions on one page; the others follow when these are answered.
const MOST: usize = 100;

/// Most earlier requests on the page.
const MOST_RECORDED: usize = 20;

/// Most recorded requests that are looked at for the page.
const MOST_LOOKED_AT: usize = 200;

/// Most earlier decisions beside a question.
const MOST_EARLIER: usize = 6;

#[derive(Deserialize)]
pub(super) struct Said {
    said: Option<String>,
}

#[derive(Template)]
#[template(path = "inbox.html")]
struct Inbox {
    frame: Frame,
    groups: Vec<Group>,
    /// Questions that wait and are not on the page.
    more: usize,
    recorded: Vec<Recorded>,
}

/// A request that was denied, and that no run waits for.
struct Recorded {
    id: String,
    words: String,
    text: String,
    tool: String,
    digest: Option<String>,
    sandbox: String,
    times: u32,
    last: Moment,
}

/// Shows the questions that wait.
pub(super) async fn inbox(
    State(server): State<Server>,
    person: Person,
    Query(said): Query<Said>,
) -> Result<Response, Refused> {
    let frame = Frame::new(&server, &person, Page::Inbox, "Inbox").said(said.said.as_deref());
    let shown = blocking(move || {
        let names = words::agents(&server)?;
        let open = server.board().open();
        let more = open.len().saturating_sub(MOST);
        let asked = open.iter().take(MOST).map(|shown| Asked::of(&server, shown, &names));
        let mut groups = Group::all(asked.collect());
        let sandboxes: HashMap<&str, &str> =
            open.iter().map(|one| (one.question.as_str(), one.sandbox.as_str())).collect();
        let mut known = Known::default();
        for group in &mut groups {
            let [one] = group.asked.as_slice() else { continue };
            let [wish] = one.wishes.as_slice() else { continue };
            let Some(sandbox) = sandboxes.get(one.id.as_str()) else { continue };
            let is_same = |earlier: &&Earlier| earlier.capability == wish.exact.capability;
            group.earlier = known.of(server.store(), sandbox)?.iter().find(is_same).cloned();
        }
        let asked_now = |id: &str| open.iter().any(|one| one.request.as_deref() == Some(id));
        let mut requests = server.broker().requests()?;
        requests.retain(|request| {
            request.status == RequestStatus::Open && !asked_now(request.id.as_str())
        });
        requests.sort_by_key(|request| std::cmp::Reverse(request.last));
        let mut recorded = Vec::new();
        for request in requests.iter().take(MOST_LOOKED_AT) {
            if recorded.len() == MOST_RECORDED {
                break;
            }
            if !known.settles(server.store(), request)? {
                recorded.push(recorded_row(request, &names));
            }
        }
        Ok::<_, Problem>(Inbox { frame, groups, more, recorded })
    });
    Ok(page(&shown.await??))
}

fn recorded_row(request: &RecordedRequest, names: &HashMap<Arc<str>, String>) -> Recorded {
    let (tool, digest) = words::tool(&shown_identity(&request.tool));
    Recorded {
        id: request.id.to_string(),
        words: words::capital(&words::text(&request.capability.describe())),
        text: words::text(&request.capability.to_string()),
        tool,
        digest,
        sandbox: words::sandbox(&request.sandbox, names),
        times: request.times,
        last: request.last.into(),
    }
}

#[derive(Template)]
#[template(path = "request.html")]
struct Request {
    frame: Frame,
    one: Asked,
    /// Number of further questions of the same run.
    others: usize,
    earlier: Vec<Earlier>,
    /// Change of the registered tool that asks.
    change: Option<Change>,
}

/// Shows one question.
pub(super) async fn request(
    State(server): State<Server>,
    person: Person,
    Path(id): Path<String>,
) -> Result<Response, Refused> {
    let shown = server.board().get(&id).ok_or_else(|| {
        let status = axum::http::StatusCode::NOT_FOUND;
        Problem::new(
            status,
            "not-found",
            "no run waits for this request: it was answered, or the run has ended",
        )
    })?;
    let frame = Frame::new(&server, &person, Page::Request, "Request");
    let built = blocking(move || {
        let names = words::agents(&server)?;
        let one = Asked::of(&server, &shown, &names);
        let mut earlier = earlier::of(server.store(), &shown.sandbox)?;
        let is_same = |earlier: &Earlier| {
            one.wishes.iter().any(|wish| wish.exact.capability == earlier.capability)
        };
        // Those on the same capability come first; the order is otherwise kept.
        earlier.sort_by_key(|earlier| !is_same(earlier));
        earlier.truncate(MOST_EARLIER);
        let open = server.board().open();
        let of_run = open.iter().filter(|other| other.run == shown.run);
        let others = of_run.filter(|other| other.question != shown.question).count();
        let agent = shown.agent.as_deref().unwrap_or_default();
        let change = tools::change(&server, agent, &shown.tool)?;
        Ok::<_, Problem>(Request { frame, one, others, earlier, change })
    });
    Ok(page(&built.await??))
}
