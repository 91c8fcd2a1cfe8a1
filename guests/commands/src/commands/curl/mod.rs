//! curl, on top of the broker's fetch. A URL without a grant cannot be reached; each request is
//! checked, redirected and audited like a request of a tool.

mod body;
mod settings;
mod write_out;

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::time::Instant;

use cofferdam_guest_sys::{self as sys, FetchHead, FetchRequest, HostError};

use crate::output::{self, reason};
use settings::{Head, Settings, Target};

/// Exit codes of curl.
mod code {
    pub(super) const UNSUPPORTED: i32 = 1;
    pub(super) const USAGE: i32 = 2;
    pub(super) const BAD_URL: i32 = 3;
    pub(super) const RESOLVE: i32 = 6;
    pub(super) const CONNECT: i32 = 7;
    pub(super) const HTTP: i32 = 22;
    pub(super) const WRITE: i32 = 23;
    pub(super) const READ: i32 = 26;
    pub(super) const TIME: i32 = 28;
    pub(super) const REDIRECTS: i32 = 47;
    pub(super) const SEND: i32 = 55;
    pub(super) const RECEIVE: i32 = 56;
    pub(super) const CERTIFICATE: i32 = 60;
    pub(super) const ENCODING: i32 = 61;
    pub(super) const SIZE: i32 = 63;
}

/// The reason why a transfer failed.
struct Failure {
    code: i32,
    message: String,
    /// True for a denial, which is printed as a line of JSON even if errors are suppressed.
    is_denial: bool,
}

impl Failure {
    fn new(code: i32, message: impl Into<String>) -> Self {
        Failure { code, message: message.into(), is_denial: false }
    }
}

impl From<HostError> for Failure {
    fn from(refused: HostError) -> Self {
        if refused.name == "PermissionError" {
            return Failure { code: code::CONNECT, message: refused.message, is_denial: true };
        }
        let code = match refused.kind.as_str() {
            "request" => code::BAD_URL,
            "resolve" => code::RESOLVE,
            "address" | "connect" => code::CONNECT,
            "tls" => code::CERTIFICATE,
            "limit" => code::SIZE,
            "redirect" | "redirects" => code::REDIRECTS,
            "time" => code::TIME,
            "encoding" => code::ENCODING,
            "send" => code::SEND,
            "protocol" => code::RECEIVE,
            _ => code::USAGE,
        };
        Failure::new(code, refused.message)
    }
}

/// The facts about a finished transfer.
#[derive(Default)]
struct Transfer {
    head: FetchHead,
    method: String,
    url: String,
    received: u64,
    sent: u64,
    file: String,
    seconds: f64,
}

pub(crate) fn run(args: Vec<OsString>) -> i32 {
    let settings = match Settings::parse(args) {
        Ok(settings) => settings,
        Err(code) => return code,
    };
    let mut last = 0;
    for (url, target) in &settings.transfers {
        let mut done = Transfer { url: url.clone(), ..Transfer::default() };
        let began = Instant::now();
        let failure = transfer(&settings, url, target, &mut done).err();
        done.seconds = began.elapsed().as_secs_f64();
        last = failure.as_ref().map_or(0, |failure| failure.code);
        if let Some(failure) = &failure {
            tell(&settings, failure);
        }
        if let Some(format) = &settings.write_out {
            let message = failure.as_ref().map_or("", |failure| &failure.message);
            let text = write_out::text(format, &done, last, message);
            if io::stdout().write_all(&text).and_then(|()| io::stdout().flush()).is_err() {
                return code::WRITE;
            }
        }
    }
    last
}

fn tell(settings: &Settings, failure: &Failure) {
    if failure.is_denial {
        eprintln!("{}", failure.message);
    } else if !settings.silent || settings.show_error {
        eprintln!("curl: ({}) {}", failure.code, failure.message);
    }
}

fn transfer(
    settings: &Settings,
    url: &str,
    target: &Target,
    done: &mut Transfer,
) -> Result<(), Failure> {
    let url = settings::with_scheme(url)?;
    let (url, body, kind) = body::of(settings, url)?;
    done.sent = body.as_ref().map_or(0, |body| body.bytes.len() as u64);
    let mut headers = settings.headers.clone();
    let has = |headers: &[(String, String)], name: &str| {
        headers.iter().any(|(given, _)| given.eq_ignore_ascii_case(name))
    };
    for (name, value) in settings.usual_headers(kind.as_deref()) {
        if !has(&headers, name) && !settings.unwanted.iter().any(|n| n.eq_ignore_ascii_case(name)) {
            headers.push((name.to_owned(), value));
        }
    }
    done.method = match &settings.method {
        Some(method) => method.clone(),
        None if settings.head == Head::Only => "HEAD".to_owned(),
        None if settings.upload.is_some() => "PUT".to_owned(),
        None if body.is_some() => "POST".to_owned(),
        None => "GET".to_owned(),
    };
    done.url = url.clone();
    let has_body = body.is_some();
    if settings.verbose {
        eprintln!("> {} {url}", done.method);
        headers.iter().for_each(|(name, value)| eprintln!("> {name}: {value}"));
        eprintln!(">");
    }
    let body = body.unwrap_or_default();
    done.head = sys::fetch(FetchRequest {
        method: done.method.clone(),
        url,
        headers,
        from: body.rest.as_ref().and_then(body::Rest::number),
        body: has_body.then_some(body.bytes),
        follow: settings.follow,
        time_ms: settings.time_ms,
    })?;
    done.sent = done.head.sent.unwrap_or(done.sent);
    let head = head_text(&done.head);
    if settings.verbose {
        let text = String::from_utf8_lossy(&head);
        text.lines().for_each(|line| eprintln!("< {line}"));
    }
    if let Some(file) = &settings.dump_header {
        write_file(file, &head)?;
    }
    let failed = settings.fail.is_some() && done.head.status >= 400;
    if settings.fail == Some(settings::Fail::Silently) && failed {
        return Err(refused_by_server(done.head.status));
    }
    let mut out = open(settings, target, done)?;
    if settings.head != Head::None {
        write(&mut *out, &head)?;
    }
    if let Some(stream) = done.head.stream
        && settings.head != Head::Only
    {
        loop {
            let bytes = sys::fetch_read(stream)?;
            if bytes.is_empty() {
                break;
            }
            done.received += bytes.len() as u64;
            write(&mut *out, &bytes)?;
        }
    }
    if failed { Err(refused_by_server(done.head.status)) } else { Ok(()) }
}

fn refused_by_server(status: u16) -> Failure {
    Failure::new(code::HTTP, format!("The requested URL returned error: {status}"))
}

fn write(out: &mut dyn Write, bytes: &[u8]) -> Result<(), Failure> {
    let written = out.write_all(bytes).and_then(|()| out.flush());
    written
        .map_err(|e| Failure::new(code::WRITE, format!("Failure writing output: {}", reason(&e))))
}

fn write_file(file: &str, bytes: &[u8]) -> Result<(), Failure> {
    if file == "-" {
        return write(&mut output::stdout(), bytes);
    }
    let written = std::fs::write(file, bytes);
    written.map_err(|e| Failure::new(code::WRITE, format!("Failed to open {file}: {}", reason(&e))))
}

fn open(
    settings: &Settings,
    target: &Target,
    done: &mut Transfer,
) -> Result<Box<dyn Write>, Failure> {
    let file = match target {
        Target::Stdout => return Ok(Box::new(output::stdout())),
        Target::File(file) if file == "-" => return Ok(Box::new(output::stdout())),
        Target::File(file) => file.clone(),
        Target::Remote => remote_name(&done.url)?,
    };
    if settings.create_dirs
        && let Some((folder, _)) = file.rsplit_once('/')
    {
        let _ = std::fs::create_dir_all(folder);
    }
    done.file.clone_from(&file);
    let opened = File::create(&file);
    let opened = opened
        .map_err(|e| Failure::new(code::WRITE, format!("Failed to open {file}: {}", reason(&e))))?;
    Ok(Box::new(opened))
}

/// Returns the last component of a URL's path, the file name of `-O`.
fn remote_name(url: &str) -> Result<String, Failure> {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let path = path.split_once("://").map_or(path, |(_, rest)| rest);
    match path.split_once('/').and_then(|(_, path)| path.rsplit('/').next()) {
        Some(name) if !name.is_empty() && name != "." && name != ".." => Ok(name.to_owned()),
        _ => Err(Failure::new(code::WRITE, "Remote file name has no length!")),
    }
}

/// Formats the head of a response as it appears on the wire.
fn head_text(head: &FetchHead) -> Vec<u8> {
    let mut text = format!("HTTP/1.1 {} {}", head.status, head.status_text).into_bytes();
    while text.last() == Some(&b' ') {
        text.pop();
    }
    text.extend_from_slice(b"\r\n");
    for (name, value) in &head.headers {
        text.extend_from_slice(name.as_bytes());
        text.extend_from_slice(b": ");
        text.extend(value.chars().map(|c| u8::try_from(c).unwrap_or(b'?')));
        text.extend_from_slice(b"\r\n");
    }
    text.extend_from_slice(b"\r\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remote_name_is_the_last_part_of_the_path() {
        let check = |url: &str, expect: Option<&str>| {
            assert_eq!(remote_name(url).ok().as_deref(), expect, "{url}");
        };
        check("http://h/a/b.txt?x=1/2", Some("b.txt"));
        check("http://h/a/", None);
        check("http://h", None);
        check("http://h/a/..", None);
    }

    #[test]
    fn a_head_has_its_bytes_back() {
        let head = FetchHead {
            status: 200,
            headers: vec![("x".into(), "\u{e9}".into())],
            ..FetchHead::default()
        };
        assert_eq!(head_text(&head), b"HTTP/1.1 200\r\nx: \xe9\r\n\r\n");
    }
}
