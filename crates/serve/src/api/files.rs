//! Files of sandboxes as raw bytes, whole or in part.

use axum::body::{Body as RawBody, Bytes};
use axum::extract::{Path, Query, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use cofferdam::FileReader;
use cofferdam_front::fields::{FLAG, Need};
use futures_util::StreamExt;
use serde::Deserialize;
use serde_json::json;

use crate::identity::{Agent, Caller};
use crate::problem::Problem;
use crate::routes::{Content, Routes, Who, route};
use crate::server::{Server, blocking};

/// Longest file that the route takes; the settings may allow less.
const MAX_FILE: usize = 1 << 30;

pub(super) fn routes() -> Routes {
    const PATH: &str = "/v1/sandboxes/{id}/files/{*path}";
    Routes::default()
        .add(
            route(Method::GET, PATH, "Returns a file, or with Range a part of it", Who::Both)
                .query(&[("list", FLAG, Need::Optional)])
                .answer(200, Content::Bytes),
            read,
        )
        .add(
            route(Method::PUT, PATH, "Writes a file", Who::Agent)
                .query(&[("executable", FLAG, Need::Optional)])
                .body(Content::Bytes)
                .answer(204, Content::Nothing)
                .most(MAX_FILE),
            write,
        )
}

/// Bytes that are read from a sandbox at once.
const PIECE: usize = 64 << 10;

/// Refuses a body that a form of another site could send, or that says it is longer than `most`.
fn check(headers: &HeaderMap, most: usize) -> Result<(), Problem> {
    let media = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    if media != Some("application/octet-stream") {
        let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
        let detail = "Content-Type: must be application/octet-stream";
        return Err(Problem::new(status, "bad-content-type", detail));
    }
    let declared = headers.get(header::CONTENT_LENGTH);
    let declared = declared.and_then(|len| len.to_str().ok()?.parse::<usize>().ok());
    if declared.is_some_and(|len| len > most) { Err(too_long(most)) } else { Ok(()) }
}

fn too_long(most: usize) -> Problem {
    let detail = format!("body: longer than {most} bytes");
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too-long", detail)
}

/// Reads a whole body of up to `most` bytes.
pub(super) async fn raw(request: Request, server: &Server, most: usize) -> Result<Bytes, Problem> {
    check(request.headers(), most)?;
    let bytes = super::bytes(request, server).await?;
    if bytes.len() > most { Err(too_long(most)) } else { Ok(bytes) }
}

#[derive(Deserialize)]
struct How {
    /// True to list a folder.
    #[serde(default)]
    list: bool,
    /// True for a program or script that can be started by its path.
    #[serde(default)]
    executable: bool,
}

/// Returns a file, or with `Range` a part of it; with `?list=true` the entries of a folder.
async fn read(
    State(server): State<Server>,
    caller: Caller,
    Path((id, path)): Path<(String, String)>,
    Query(how): Query<How>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let range =
        headers.get(header::RANGE).map(|range| range.to_str().unwrap_or_default().to_owned());
    let path = format!("/{path}");
    let found = blocking(move || {
        let sandbox = server.boxes().seen(&server, &caller, &id)?;
        if how.list {
            let entries = sandbox.list(&path)?;
            let entry = |entry: &cofferdam::FolderEntry| json!({ "name": entry.name, "isFolder": entry.is_folder });
            let entries: Vec<_> = entries.iter().map(entry).collect();
            return Ok(Found::Folder(json!({ "entries": entries })));
        }
        Ok::<_, Problem>(Found::File(sandbox.open_file(&path)?))
    });
    let file = match found.await?? {
        Found::Folder(entries) => return Ok(axum::Json(entries).into_response()),
        Found::File(file) => file,
    };
    let whole = file.len();
    let part = range.as_deref().map_or(Part::Whole, |range| part(range, whole));
    let mut response = match part {
        Part::Whole => pieces(file, 0, whole).into_response(),
        Part::Between(from, to) => {
            let body = pieces(file, from, to + 1);
            let mut response = (StatusCode::PARTIAL_CONTENT, body).into_response();
            set(&mut response, header::CONTENT_RANGE, &format!("bytes {from}-{to}/{whole}"));
            response
        }
        Part::None => {
            let status = StatusCode::RANGE_NOT_SATISFIABLE;
            let mut response =
                Problem::new(status, "bad-range", "Range: beyond the file").into_response();
            set(&mut response, header::CONTENT_RANGE, &format!("bytes */{whole}"));
            return Ok(response);
        }
    };
    let len = match part {
        Part::Between(from, to) => to + 1 - from,
        Part::Whole | Part::None => whole,
    };
    set(&mut response, header::CONTENT_LENGTH, &len.to_string());
    // A browser must not take a file of an agent for a page.
    set(&mut response, header::CONTENT_TYPE, "application/octet-stream");
    set(&mut response, header::CONTENT_DISPOSITION, "attachment");
    set(&mut response, header::ACCEPT_RANGES, "bytes");
    Ok(response)
}

enum Found {
    Folder(serde_json::Value),
    File(FileReader),
}

/// Returns a body that reads the bytes from `from` up to `end` as the client takes them.
fn pieces(file: FileReader, from: u64, end: u64) -> RawBody {
    let file = std::sync::Arc::new(file);
    let pieces = futures_util::stream::unfold(from, move |at| {
        let file = file.clone();
        async move {
            let most = usize::try_from(end.saturating_sub(at)).unwrap_or(usize::MAX).min(PIECE);
            if most == 0 {
                return None;
            }
            let read = blocking(move || file.read_at(at, most)).await;
            match read {
                // A file that became shorter ends the body early, which the client sees by its
                // length.
                Ok(Ok(bytes)) if bytes.is_empty() => None,
                Ok(Ok(bytes)) => {
                    let next = at + bytes.len() as u64;
                    Some((Ok(Bytes::from(bytes)), next))
                }
                Ok(Err(error)) => Some((Err(error.to_string()), end)),
                Err(problem) => Some((Err(problem.detail().to_owned()), end)),
            }
        }
    });
    RawBody::from_stream(pieces)
}

fn set(response: &mut Response, name: header::HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
}

/// Part of a file that a client asks for.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Part {
    /// Several parts, or a unit that is not known: the whole file is a right answer.
    Whole,
    Between(u64, u64),
    None,
}

fn part(range: &str, whole: u64) -> Part {
    let Some((from, to)) = range.strip_prefix("bytes=").and_then(|range| range.split_once('-'))
    else {
        return Part::Whole;
    };
    let last = whole.saturating_sub(1);
    match (from.parse::<u64>(), to.parse::<u64>()) {
        (Ok(from), _) if from > last || whole == 0 => Part::None,
        (Ok(from), Err(_)) if to.is_empty() => Part::Between(from, last),
        (Ok(from), Ok(to)) if to >= from => Part::Between(from, to.min(last)),
        (Err(_), Ok(0)) if from.is_empty() => Part::None,
        (Err(_), Ok(len)) if from.is_empty() && whole > 0 => {
            Part::Between(whole.saturating_sub(len), last)
        }
        _ => Part::Whole,
    }
}

/// Writes a file and creates the folders above it.
async fn write(
    State(server): State<Server>,
    agent: Agent,
    Path((id, path)): Path<(String, String)>,
    Query(how): Query<How>,
    request: Request,
) -> Result<StatusCode, Problem> {
    let most = server.settings().file_bytes;
    check(request.headers(), most)?;
    let path = format!("/{path}");
    let create = blocking(move || {
        let kept = server.boxes().kept(&server, &agent.id, &id)?;
        Ok::<_, Problem>(kept.sandbox.create_file(&path)?)
    });
    let mut file = create.await??;
    let mut pieces = request.into_body().into_data_stream();
    let mut len = 0;
    while let Some(piece) = pieces.next().await {
        let piece = piece.map_err(|error| Problem::request(format!("body: {error}")))?;
        len += piece.len();
        if len > most {
            return Err(too_long(most));
        }
        file = blocking(move || {
            file.write(&piece)?;
            Ok::<_, Problem>(file)
        })
        .await??;
    }
    blocking(move || file.finish(how.executable)).await??;
    Ok(StatusCode::NO_CONTENT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_cut_to_the_file() {
        assert_eq!(part("bytes=0-3", 10), Part::Between(0, 3));
        assert_eq!(part("bytes=5-", 10), Part::Between(5, 9));
        assert_eq!(part("bytes=-3", 10), Part::Between(7, 9));
        assert_eq!(part("bytes=-30", 10), Part::Between(0, 9));
        assert_eq!(part("bytes=8-99", 10), Part::Between(8, 9));
        assert_eq!(part("bytes=10-", 10), Part::None);
        assert_eq!(part("bytes=-0", 10), Part::None);
        assert_eq!(part("bytes=0-", 0), Part::None);
        assert_eq!(part("bytes=3-1", 10), Part::Whole);
        assert_eq!(part("bytes=0-1,3-4", 10), Part::Whole);
        assert_eq!(part("lines=1-2", 10), Part::Whole);
    }
}
