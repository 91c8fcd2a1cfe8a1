//! wget, on top of the broker's fetch. A URL without a grant cannot be reached.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use cofferdam_guest_sys::{self as sys, FetchHead, FetchRequest};

use crate::options::{self, Item, Key, Order, Usage, Value};
use crate::output::reason;

const USAGE: Usage = Usage {
    name: "wget",
    text: "\
Usage: wget [OPTION]... [URL]...
Retrieve files over HTTP.

  -O FILE, --output-document=FILE  write documents to FILE; - is standard output
  -P DIR, --directory-prefix=DIR   save files to DIR
  -q, --quiet                      no messages
  -nv, --no-verbose                fewer messages
  -S, --server-response            print the server's response
  -nc, --no-clobber                skip downloads that would replace files
  -i FILE, --input-file=FILE       download the URLs in FILE
  -T SECONDS, --timeout=SECONDS    time limit
  -U AGENT, --user-agent=AGENT     name of the program
      --header=LINE                send a header
      --method=METHOD              HTTP method
      --post-data=TEXT, --post-file=FILE, --body-data=TEXT, --body-file=FILE  send a body
      --spider                     ask for the file, download nothing
      --max-redirect=NUM           0 follows no redirects
  -c, -N, -t, --no-check-certificate, --content-disposition and others are accepted
",
    trouble: 2,
};

/// Exit codes of wget.
mod code {
    pub(super) const FAILURE: i32 = 1;
    pub(super) const FILE: i32 = 3;
    pub(super) const NETWORK: i32 = 4;
    pub(super) const TLS: i32 = 5;
    pub(super) const SERVER: i32 = 8;
}

#[derive(Default)]
struct Settings {
    output: Option<PathBuf>,
    dir: PathBuf,
    quiet: bool,
    shows_response: bool,
    no_clobber: bool,
    spider: bool,
    method: Option<String>,
    headers: Vec<(String, String)>,
    body: Option<Vec<u8>>,
    time: Option<f64>,
    follow: bool,
    urls: Vec<String>,
}

pub(crate) fn run(args: Vec<OsString>) -> i32 {
    let settings = match settings(args) {
        Ok(settings) => settings,
        Err(code) => return code,
    };
    let mut last = 0;
    let mut is_first = true;
    for url in &settings.urls {
        let failed = match one(&settings, url, is_first) {
            Ok(()) => 0,
            Err(code) => code,
        };
        is_first = false;
        if failed != 0 && (last == 0 || failed < last) {
            last = failed;
        }
    }
    last
}

fn settings(args: Vec<OsString>) -> Result<Settings, i32> {
    let specs = [
        ('O', "output-document", Value::Required),
        ('P', "directory-prefix", Value::Required),
        ('q', "quiet", Value::None),
        ('n', "", Value::Required),
        ('v', "verbose", Value::None),
        ('S', "server-response", Value::None),
        ('i', "input-file", Value::Required),
        ('T', "timeout", Value::Required),
        ('t', "tries", Value::Required),
        ('U', "user-agent", Value::Required),
        ('c', "continue", Value::None),
        ('N', "timestamping", Value::None),
        ('4', "", Value::None),
        ('6', "", Value::None),
        ('\0', "no-verbose", Value::None),
        ('\0', "no-clobber", Value::None),
        ('\0', "header", Value::Required),
        ('\0', "method", Value::Required),
        ('\0', "post-data", Value::Required),
        ('\0', "post-file", Value::Required),
        ('\0', "body-data", Value::Required),
        ('\0', "body-file", Value::Required),
        ('\0', "spider", Value::None),
        ('\0', "max-redirect", Value::Required),
        ('\0', "no-check-certificate", Value::None),
        ('\0', "content-disposition", Value::None),
        ('\0', "show-progress", Value::None),
        ('\0', "progress", Value::Required),
        ('\0', "retry-connrefused", Value::None),
        ('\0', "https-only", Value::None),
        ('\0', "no-cache", Value::None),
        ('\0', "connect-timeout", Value::Required),
        ('\0', "read-timeout", Value::Required),
        ('\0', "waitretry", Value::Required),
        ('\0', "no-proxy", Value::None),
    ];
    let mut s = Settings { follow: true, ..Settings::default() };
    let text = |value: &OsString| value.to_string_lossy().into_owned();
    let body = |file: &OsString| {
        fs::read(file).map_err(|error| {
            eprintln!("wget: {}: {}", file.to_string_lossy(), reason(&error));
            code::FILE
        })
    };
    for item in options::parse(&USAGE, args, &specs, Order::Anywhere)? {
        match item {
            Item::Option(Key::Short('O'), Some(file)) => s.output = Some(PathBuf::from(file)),
            Item::Option(Key::Short('P'), Some(dir)) => s.dir = PathBuf::from(dir),
            Item::Option(Key::Short('q'), _) => s.quiet = true,
            Item::Option(Key::Short('n'), Some(letter)) => match text(&letter).as_str() {
                "c" => s.no_clobber = true,
                "v" | "d" | "H" | "p" => s.quiet |= letter == "v",
                _ => return Err(USAGE.wrong(&format!("invalid option -- 'n{}'", text(&letter)))),
            },
            Item::Option(Key::Long("no-verbose"), _) => s.quiet = true,
            Item::Option(Key::Long("no-clobber"), _) => s.no_clobber = true,
            Item::Option(Key::Short('S'), _) => s.shows_response = true,
            Item::Option(Key::Short('i'), Some(file)) => {
                let lines = body(&file)?;
                let lines = String::from_utf8_lossy(&lines).into_owned();
                let urls = lines.lines().map(str::trim).filter(|line| !line.is_empty());
                s.urls.extend(urls.map(str::to_owned));
            }
            Item::Option(Key::Short('T'), Some(seconds)) => {
                s.time = text(&seconds).parse::<f64>().ok().map(|seconds| seconds * 1000.0);
            }
            Item::Option(Key::Short('U'), Some(agent)) => {
                s.headers.push(("User-Agent".to_owned(), text(&agent)));
            }
            Item::Option(Key::Long("header"), Some(line)) => {
                let line = text(&line);
                let (name, value) = line.split_once(':').unwrap_or((&line, ""));
                s.headers.push((name.trim().to_owned(), value.trim().to_owned()));
            }
            Item::Option(Key::Long("method"), Some(method)) => s.method = Some(text(&method)),
            Item::Option(Key::Long("post-data"), Some(data)) => {
                s.method = Some("POST".to_owned());
                s.body = Some(text(&data).into_bytes());
            }
            Item::Option(Key::Long("post-file"), Some(file)) => {
                s.method = Some("POST".to_owned());
                s.body = Some(body(&file)?);
            }
            Item::Option(Key::Long("body-data"), Some(data)) => {
                s.body = Some(text(&data).into_bytes());
            }
            Item::Option(Key::Long("body-file"), Some(file)) => s.body = Some(body(&file)?),
            Item::Option(Key::Long("spider"), _) => s.spider = true,
            Item::Option(Key::Long("max-redirect"), Some(count)) => s.follow = count != "0",
            Item::Option(..) => {}
            Item::Operand(url) => s.urls.push(text(&url)),
        }
    }
    if s.urls.is_empty() {
        eprintln!("wget: missing URL\nUsage: wget [OPTION]... [URL]...");
        return Err(USAGE.trouble);
    }
    Ok(s)
}

/// Returns the file name for a URL.
fn file_name(url: &str) -> String {
    let path = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = path.split('#').next().unwrap_or(path);
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let name = match path.split_once('/') {
        Some((_, rest)) => rest.rsplit('/').next().unwrap_or(""),
        None => "",
    };
    match (name.is_empty(), query.is_empty()) {
        (true, _) => "index.html".to_owned(),
        (false, true) => name.to_owned(),
        (false, false) => format!("{name}?{query}"),
    }
}

/// Returns a name that is not taken: `x`, `x.1`, `x.2` and so on.
fn free(path: PathBuf) -> PathBuf {
    let numbered = |number: usize| {
        let mut name = path.clone().into_os_string();
        name.push(format!(".{number}"));
        PathBuf::from(name)
    };
    if !path.exists() {
        return path;
    }
    (1..10_000).map(numbered).find(|name| !name.exists()).unwrap_or(path)
}

fn one(s: &Settings, url: &str, is_first: bool) -> Result<(), i32> {
    let url = if url.contains("://") { url.to_owned() } else { format!("http://{url}") };
    let target = s.output.clone().unwrap_or_else(|| s.dir.join(file_name(&url)));
    if s.output.is_none() && s.no_clobber && target.exists() {
        if !s.quiet {
            eprintln!("File '{}' already there; not retrieving.", target.display());
        }
        return Ok(());
    }
    if !s.quiet {
        eprintln!("--  {url}");
    }
    let mut headers = s.headers.clone();
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("user-agent")) {
        headers.push(("User-Agent".to_owned(), "Wget/1.21".to_owned()));
    }
    let is_form = s.body.is_some() && s.method.as_deref() == Some("POST");
    if is_form && !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
        let form = "application/x-www-form-urlencoded".to_owned();
        headers.push(("Content-Type".to_owned(), form));
    }
    let usual = if s.spider { "HEAD" } else { "GET" };
    let request = FetchRequest {
        method: s.method.clone().unwrap_or_else(|| usual.to_owned()),
        url: url.clone(),
        headers,
        body: s.body.clone(),
        from: None,
        follow: s.follow,
        time_ms: s.time,
    };
    let head = sys::fetch(request).map_err(|refused| {
        // A denial is one line of JSON, printed even if messages are off.
        if refused.name == "PermissionError" {
            eprintln!("{}", refused.message);
            return code::NETWORK;
        }
        if !s.quiet {
            eprintln!("wget: unable to reach '{url}': {}", refused.message);
        }
        match refused.kind.as_str() {
            "tls" => code::TLS,
            "request" => code::FAILURE,
            "protocol" => code::SERVER,
            _ => code::NETWORK,
        }
    })?;
    report(s, &head);
    if !(200..300).contains(&head.status) {
        if !s.quiet {
            eprintln!("ERROR {}: {}.", head.status, head.status_text);
        }
        return Err(code::SERVER);
    }
    if s.spider {
        return Ok(());
    }
    let target = if s.output.is_none() { free(target) } else { target };
    let received = save(&head, &target, s.output.is_some() && !is_first).map_err(|message| {
        eprintln!("wget: {}: {message}", target.display());
        code::FILE
    })?;
    if !s.quiet && target != Path::new("-") {
        eprintln!("'{}' saved [{received}]", target.display());
    }
    Ok(())
}

fn report(s: &Settings, head: &FetchHead) {
    if s.shows_response {
        eprintln!("  HTTP/1.1 {} {}", head.status, head.status_text);
        head.headers.iter().for_each(|(name, value)| eprintln!("  {name}: {value}"));
    } else if !s.quiet {
        eprintln!("HTTP request sent, awaiting response... {} {}", head.status, head.status_text);
    }
}

/// Writes the body to a file and returns its length.
fn save(head: &FetchHead, target: &Path, append: bool) -> Result<u64, String> {
    let mut out: Box<dyn Write> = if target == Path::new("-") {
        Box::new(io::stdout())
    } else {
        if let Some(folder) = target.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::create_dir_all(folder).map_err(|error| reason(&error))?;
        }
        let file = match append {
            true => File::options().append(true).open(target),
            false => File::create(target),
        };
        Box::new(file.map_err(|error| reason(&error))?)
    };
    let mut received = 0;
    if let Some(stream) = head.stream {
        loop {
            let bytes = sys::fetch_read(stream).map_err(|refused| refused.message)?;
            if bytes.is_empty() {
                break;
            }
            received += bytes.len() as u64;
            out.write_all(&bytes).map_err(|error| reason(&error))?;
        }
    }
    out.flush().map_err(|error| reason(&error))?;
    Ok(received)
}
