//! Sandboxes and their files, to look at.

use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;
use serde_json::Value as Json;

use super::frame::{Frame, Page, Person, Refused, page};
use super::words;
use crate::identity::Caller;
use crate::problem::Problem;
use crate::server::{Server, blocking};

/// Longest file that is read for a page.
const MAX_FILE: usize = 1 << 20;

/// Most bytes of a file on a page.
const MAX_SHOWN: usize = 64 << 10;

#[derive(Template)]
#[template(path = "sandboxes.html")]
struct Sandboxes {
    frame: Frame,
    sandboxes: Vec<Row>,
}

struct Row {
    id: String,
    name: Option<String>,
    agent: String,
    status: String,
    idle: Option<String>,
    is_here: bool,
}

/// Lists the sandboxes that agents keep.
pub(super) async fn list(
    State(server): State<Server>,
    person: Person,
) -> Result<Response, Refused> {
    let frame = Frame::new(&server, &person, Page::Sandboxes, "Sandboxes");
    let built = blocking(move || {
        let names = words::agents(&server)?;
        let list = server.boxes().list(&server, &Caller::Approver(person.0))?;
        let word = |json: &Json, name: &str| words::text(json[name].as_str().unwrap_or_default());
        let sandboxes = list.iter().map(|one| {
            let (agent, status) = (word(one, "agent"), word(one, "status"));
            let idle = one["idleSeconds"].as_u64().map(|seconds| {
                let end = if one["onIdle"] == "drop" { "dropped" } else { "saved" };
                format!("{end} after {} idle", words::duration(seconds))
            });
            Row {
                id: word(one, "sandbox"),
                name: one["name"].as_str().map(words::text),
                agent: names.get(agent.as_str()).cloned().unwrap_or(agent),
                is_here: status != "saved",
                status,
                idle,
            }
        });
        Ok::<_, Problem>(Sandboxes { frame, sandboxes: sandboxes.collect() })
    });
    Ok(page(&built.await??))
}

#[derive(Template)]
#[template(path = "files.html")]
struct Files {
    frame: Frame,
    id: String,
    /// Name that the agent gave the sandbox.
    given: Option<String>,
    /// Folders above, with their addresses.
    trail: Vec<(String, String)>,
    name: String,
    content: Content,
    /// Address of the raw bytes.
    raw: String,
}

enum Content {
    Folder(Vec<Item>),
    Text {
        text: String,
        is_cut: bool,
    },
    /// Not text, or too long to show; the reason.
    Hidden(String),
}

struct Item {
    name: String,
    address: String,
    is_folder: bool,
    /// Size in words; empty for a folder.
    size: String,
}

/// Most files of a folder whose sizes are shown.
const MAX_SIZES: usize = 500;

/// Shows the topmost folder of a sandbox.
pub(super) async fn root(
    server: State<Server>,
    person: Person,
    Path(id): Path<String>,
) -> Result<Response, Refused> {
    files(server, person, Path((id, String::new()))).await
}

/// Shows a folder or a file of a sandbox.
pub(super) async fn files(
    State(server): State<Server>,
    person: Person,
    Path((id, path)): Path<(String, String)>,
) -> Result<Response, Refused> {
    let frame = Frame::new(&server, &person, Page::Sandboxes, "Files");
    let path = format!("/{}", path.trim_matches('/'));
    let built = blocking(move || {
        let caller = Caller::Approver(person.0);
        let sandbox = server.boxes().seen(&server, &caller, &id)?;
        let base = format!("/sandboxes/{}/files", words::encoded(&id));
        let content = match sandbox.list(&path) {
            Ok(entries) => {
                let folder = path.trim_end_matches('/');
                let item = |(at, entry): (usize, &cofferdam::FolderEntry)| {
                    let path = format!("{folder}/{}", entry.name);
                    let is_sized = !entry.is_folder && at < MAX_SIZES;
                    let file = is_sized.then(|| sandbox.open_file(&path).ok()).flatten();
                    Item {
                        name: words::text(&entry.name),
                        address: format!("{base}{}", words::encoded(&path)),
                        is_folder: entry.is_folder,
                        size: file.map(|file| words::size(file.len())).unwrap_or_default(),
                    }
                };
                Content::Folder(entries.iter().enumerate().map(item).collect())
            }
            Err(_) => match sandbox.read_file(&path, MAX_FILE) {
                Ok(bytes) => text(&bytes),
                Err(error) if error.kind() == cofferdam::ErrorKind::NotFound => {
                    return Err(Problem::not_found("file"));
                }
                Err(error) => Content::Hidden(words::sentence(&error.to_string())),
            },
        };
        let mut trail = vec![("/".to_owned(), base.clone())];
        let mut address = String::new();
        let parts: Vec<_> = path.split('/').filter(|part| !part.is_empty()).collect();
        for part in parts.iter().take(parts.len().saturating_sub(1)) {
            address += &format!("/{part}");
            trail.push((words::text(part), format!("{base}{}", words::encoded(&address))));
        }
        let name = parts.last().map(|name| words::text(name)).unwrap_or_default();
        let raw = format!("/v1/sandboxes/{}/files{}", words::encoded(&id), words::encoded(&path));
        let all = server.boxes().list(&server, &caller)?;
        let found = all.into_iter().find(|one| one["sandbox"] == *id);
        let given = found.and_then(|one| one["name"].as_str().map(words::text));
        let id = words::text(&id);
        Ok::<_, Problem>(Files { frame, id, given, trail, name, content, raw })
    });
    let built = built.await?.map_err(|problem| Refused::from(problem).back("/sandboxes"))?;
    Ok(page(&built))
}

fn text(bytes: &[u8]) -> Content {
    let Ok(text) = std::str::from_utf8(bytes) else {
        let reason = format!("{} bytes that are not text.", bytes.len());
        return Content::Hidden(reason);
    };
    let mut end = text.len().min(MAX_SHOWN);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    Content::Text { text: words::lines(&text[..end]), is_cut: end < text.len() }
}
