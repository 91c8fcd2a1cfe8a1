//! Registered tools: a list, and one tool with its versions and their differences.

use askama::Template;
use axum::extract::{Path, Query, State};
use axum::response::{Redirect, Response};
use cofferdam::permissions::shown_identity;
use serde::Deserialize;

use super::difference::{self, Changed};
use super::frame::{Frame, Page, Person, Refused, page};
use super::words::{self, Moment};
use crate::problem::Problem;
use crate::server::{Server, blocking};
use crate::tools::{self, Registered};

/// Owner of the person's tools in an address.
const OWN: &str = "-";

#[derive(Deserialize)]
pub(super) struct Said {
    said: Option<String>,
}

#[derive(Template)]
#[template(path = "tools.html")]
struct Tools {
    frame: Frame,
    tools: Vec<Row>,
}

#[derive(Template)]
#[template(path = "tool.html")]
struct One {
    frame: Frame,
    tool: Row,
    source: String,
    parameters: String,
    returns: Option<String>,
    versions: Vec<Version>,
}

/// A tool on a page.
struct Row {
    name: String,
    digest: Option<String>,
    /// Address of its page.
    path: String,
    /// Address to remove it.
    remove: String,
    /// Name of the agent that added it; `None` for a tool of the person.
    agent: Option<String>,
    about: String,
    wants: Vec<String>,
    at: Moment,
}

/// An earlier version, and what the next one changed.
struct Version {
    digest: Option<String>,
    at: Moment,
    /// Members of the manifest that changed, without the source.
    changes: Vec<String>,
    lines: Vec<Changed>,
}

/// The change of a registered tool since the version before, beside a question.
pub(super) struct Change {
    /// Address of the page of the tool.
    pub(super) path: String,
    /// Digest of the version before.
    pub(super) before: String,
    pub(super) lines: Vec<Changed>,
}

/// Lists the tools of all owners.
pub(super) async fn list(
    State(server): State<Server>,
    person: Person,
    Query(said): Query<Said>,
) -> Result<Response, Refused> {
    let frame = Frame::new(&server, &person, Page::Tools, "Tools").said(said.said.as_deref());
    let built = blocking(move || {
        let names = words::agents(&server)?;
        let tools = tools::everyones(server.store())?;
        let row = |tool: &Registered| row(tool, names.get(tool.owner.as_str()));
        Ok::<_, Problem>(Tools { frame, tools: tools.iter().map(row).collect() })
    });
    Ok(page(&built.await??))
}

fn row(tool: &Registered, agent: Option<&String>) -> Row {
    let manifest = &tool.manifest;
    let (name, digest) = words::tool(&shown_identity(&manifest.identity()));
    let owner = if tool.owner.is_empty() { OWN } else { &tool.owner };
    let path = words::encoded(&format!("/tools/{owner}/{}", manifest.name));
    Row {
        name,
        digest,
        remove: format!("{path}/remove"),
        path,
        agent: (!tool.owner.is_empty())
            .then(|| agent.cloned().unwrap_or_else(|| words::text(&tool.owner))),
        about: words::text(&manifest.description),
        wants: manifest.wants.iter().map(|want| words::text(want)).collect(),
        at: tool.at.into(),
    }
}

/// Returns the owner that an address names.
fn owner(named: &str) -> &str {
    if named == OWN { "" } else { named }
}

/// Shows one tool with its versions.
pub(super) async fn show(
    State(server): State<Server>,
    person: Person,
    Path((named, name)): Path<(String, String)>,
) -> Result<Response, Refused> {
    let frame = Frame::new(&server, &person, Page::Tools, "Tool");
    let built = blocking(move || {
        let names = words::agents(&server)?;
        let all = tools::versions(server.store(), owner(&named), &name)?;
        let current = all.first().ok_or_else(|| Problem::not_found("tool"))?;
        let pretty = |schema: &serde_json::Value| {
            words::lines(&serde_json::to_string_pretty(schema).unwrap_or_default())
        };
        Ok::<_, Problem>(One {
            frame,
            tool: row(current, names.get(current.owner.as_str())),
            source: words::lines(&current.manifest.source),
            parameters: pretty(&current.manifest.parameters),
            returns: current.manifest.returns.as_ref().map(pretty),
            versions: all.windows(2).map(|pair| version(&pair[0], &pair[1])).collect(),
        })
    });
    Ok(page(&built.await?.map_err(|problem| Refused::from(problem).back("/tools"))?))
}

fn version(next: &Registered, before: &Registered) -> Version {
    let (new, old) = (&next.manifest, &before.manifest);
    let mut changes = Vec::new();
    if new.description != old.description {
        changes.push("description".to_owned());
    }
    if new.kind != old.kind {
        changes.push(format!("language, {} to {}", old.kind, new.kind));
    }
    if (&new.parameters, &new.returns) != (&old.parameters, &old.returns) {
        changes.push("schemas".to_owned());
    }
    let only = |these: &[String], those: &[String], word: &str| -> Vec<String> {
        let only = these.iter().filter(|one| !those.contains(one));
        only.map(|one| format!("{word} {}", words::text(one))).collect()
    };
    changes.extend(only(&new.wants, &old.wants, "wants"));
    changes.extend(only(&old.wants, &new.wants, "no longer wants"));
    Version {
        digest: words::tool(&shown_identity(&old.identity())).1,
        at: before.at.into(),
        changes,
        lines: match new.source == old.source {
            true => Vec::new(),
            false => difference::between(&old.source, &new.source),
        },
    }
}

/// Returns the change of the registered tool that a question is about, if it is one that has
/// changed.
pub(super) fn change(server: &Server, agent: &str, shown: &str) -> Result<Option<Change>, Problem> {
    let (name, _) = words::tool(shown);
    for owner in ["", agent] {
        let all = tools::versions(server.store(), owner, &name)?;
        // The question may be about a version that has been replaced meanwhile.
        let asks = |tool: &Registered| shown_identity(&tool.manifest.identity()) == shown;
        let Some(at) = all.iter().position(asks) else { continue };
        let source = &all[at].manifest.source;
        let before = all[at..].iter().find(|before| before.manifest.source != *source);
        let shown = |before: &Registered| Change {
            path: row(&all[at], None).path,
            before: words::tool(&shown_identity(&before.manifest.identity())).1.unwrap_or_default(),
            lines: difference::between(&before.manifest.source, source),
        };
        return Ok(before.map(shown));
    }
    Ok(None)
}

/// Removes a tool with all its versions.
pub(super) async fn remove(
    State(server): State<Server>,
    _: Person,
    Path((named, name)): Path<(String, String)>,
) -> Result<Redirect, Refused> {
    let removed = blocking(move || tools::remove(server.store(), owner(&named), &name));
    removed.await?.map_err(|problem| Refused::from(problem).back("/tools"))?;
    Ok(Redirect::to("/tools?said=removed"))
}
