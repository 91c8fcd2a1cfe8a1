//! Parses the command line of curl.

use std::ffi::OsString;

use super::{Failure, code};
use crate::bytes::OsStrExt as _;
use crate::options::{self, Item, Key, Order, Usage, Value};

const USAGE: Usage = Usage {
    name: "curl",
    text: "\
Usage: curl [OPTION]... URL...
Transfer what a URL names. Only what the sandbox was granted can be reached; a denial is a line of
JSON on standard error, and the exit code is then 7.

What is sent:
  -X, --request METHOD      use METHOD in place of GET
  -H, --header LINE         send 'Name: value'; 'Name:' leaves a usual header out
  -d, --data DATA           POST DATA; @FILE for a file without its line ends, @- for input
      --data-raw DATA       likewise, but @ has no meaning
      --data-binary DATA    likewise, but a file is sent as it is
      --data-urlencode DATA likewise, with what follows = encoded
      --json DATA           POST DATA as JSON, and accept JSON
  -F, --form NAME=VALUE     POST a form; VALUE may be @FILE, or <FILE for its text
  -T, --upload-file FILE    PUT a file; - for standard input
  -G, --get                 put the data into the URL and GET it
  -A, --user-agent NAME     say who asks
  -e, --referer URL         say where from
  -b, --cookie NAME=VALUE   send cookies
  -u, --user USER:PASSWORD  send them as basic authentication
  -r, --range RANGE         ask for a part
  -L, --location            follow redirects; each is checked like a request of its own

What comes back:
  -o, --output FILE         write to FILE in place of standard output
  -O, --remote-name         write to a file of the URL's last name
      --create-dirs         make the folders of -o
  -i, --include             show the headers before the body
  -I, --head                ask for the headers only
  -D, --dump-header FILE    write the headers to FILE
  -f, --fail                fail with 22, and no body, for a status from 400 on
      --fail-with-body      likewise, with the body
  -w, --write-out FORMAT    say something at the end, such as '%{http_code}\\n'
  -s, --silent              do not show errors
  -S, --show-error          show them with -s too
  -v, --verbose             show the headers of both sides on standard error

Time and the rest:
  -m, --max-time SECONDS    give up after that; never more than the sandbox's own limit
      --connect-timeout SECONDS  accepted; -m and the sandbox's own limit count
      --compressed, -N, -g, -#, --no-progress-meter, --http1.1  accepted; nothing to change
      --url URL             a URL to transfer
      --help                show this

Bodies are at most 10 MiB either way, redirects at most 5. There are no cookies kept, no proxies,
no other protocols, and certificates are always checked.
",
    trouble: code::USAGE,
};

/// The part of the output that shows the response's head.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Head {
    #[default]
    None,
    Before,
    Only,
}

/// The reaction to an HTTP error status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fail {
    Silently,
    WithBody,
}

/// The destination of a response body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    Stdout,
    File(String),
    Remote,
}

/// A piece of `-d` or a related option, not read yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// `-d`: line ends are removed from a file.
    Plain(Vec<u8>),
    Raw(Vec<u8>),
    Binary(Vec<u8>),
    Encoded(Vec<u8>),
    Json(Vec<u8>),
}

#[derive(Debug, Default)]
pub(super) struct Settings {
    pub(super) transfers: Vec<(String, Target)>,
    pub(super) method: Option<String>,
    pub(super) headers: Vec<(String, String)>,
    /// Default headers that are suppressed.
    pub(super) unwanted: Vec<String>,
    pub(super) pieces: Vec<Piece>,
    pub(super) form: Vec<Vec<u8>>,
    pub(super) upload: Option<String>,
    pub(super) as_query: bool,
    pub(super) follow: bool,
    pub(super) head: Head,
    pub(super) dump_header: Option<String>,
    pub(super) fail: Option<Fail>,
    pub(super) write_out: Option<String>,
    pub(super) silent: bool,
    pub(super) show_error: bool,
    pub(super) verbose: bool,
    pub(super) create_dirs: bool,
    pub(super) time_ms: Option<f64>,
    agent: Option<String>,
    json: bool,
}

const SPECS: &[options::Spec] = &[
    ('X', "request", Value::Required),
    ('H', "header", Value::Required),
    ('d', "data", Value::Required),
    ('\0', "data-ascii", Value::Required),
    ('\0', "data-raw", Value::Required),
    ('\0', "data-binary", Value::Required),
    ('\0', "data-urlencode", Value::Required),
    ('\0', "json", Value::Required),
    ('F', "form", Value::Required),
    ('T', "upload-file", Value::Required),
    ('G', "get", Value::None),
    ('A', "user-agent", Value::Required),
    ('e', "referer", Value::Required),
    ('b', "cookie", Value::Required),
    ('u', "user", Value::Required),
    ('r', "range", Value::Required),
    ('L', "location", Value::None),
    ('o', "output", Value::Required),
    ('O', "remote-name", Value::None),
    ('\0', "create-dirs", Value::None),
    ('i', "include", Value::None),
    ('I', "head", Value::None),
    ('D', "dump-header", Value::Required),
    ('f', "fail", Value::None),
    ('\0', "fail-with-body", Value::None),
    ('w', "write-out", Value::Required),
    ('s', "silent", Value::None),
    ('S', "show-error", Value::None),
    ('v', "verbose", Value::None),
    ('m', "max-time", Value::Required),
    ('\0', "connect-timeout", Value::Required),
    ('\0', "compressed", Value::None),
    ('N', "no-buffer", Value::None),
    ('g', "globoff", Value::None),
    ('#', "progress-bar", Value::None),
    ('\0', "no-progress-meter", Value::None),
    ('\0', "http1.1", Value::None),
    ('\0', "url", Value::Required),
    ('k', "insecure", Value::None),
    ('x', "proxy", Value::Required),
    ('c', "cookie-jar", Value::Required),
];

/// Decodes bytes as Latin-1, the encoding of header values.
fn latin(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(*byte)).collect()
}

impl Settings {
    pub(super) fn parse(args: Vec<OsString>) -> Result<Self, i32> {
        let mut settings = Settings::default();
        let (mut urls, mut targets) = (Vec::new(), Vec::new());
        for item in options::parse(&USAGE, args, SPECS, Order::Anywhere)? {
            let (key, value) = match item {
                Item::Operand(url) => {
                    urls.push(url.to_string_lossy().into_owned());
                    continue;
                }
                Item::Option(key, value) => (key, value.unwrap_or_default()),
            };
            let bytes = value.as_bytes().to_vec();
            let text = String::from_utf8_lossy(&bytes).into_owned();
            match key {
                Key::Long("url") => urls.push(text),
                Key::Short('o') => targets.push(Target::File(text)),
                Key::Short('O') => targets.push(Target::Remote),
                key => settings.set(key, bytes, text)?,
            }
        }
        if urls.is_empty() {
            return Err(USAGE.wrong("no URL specified"));
        }
        let sent =
            [!settings.form.is_empty(), !settings.pieces.is_empty(), settings.upload.is_some()];
        if sent.into_iter().filter(|is| *is).count() > 1 {
            return Err(USAGE.wrong("only one of -d, -F and -T can say what is sent"));
        }
        let mut targets = targets.into_iter();
        settings.transfers =
            urls.into_iter().map(|url| (url, targets.next().unwrap_or(Target::Stdout))).collect();
        Ok(settings)
    }

    fn set(&mut self, key: Key, bytes: Vec<u8>, text: String) -> Result<(), i32> {
        match key {
            Key::Short('X') => self.method = Some(text),
            Key::Short('H') => self.header(&bytes)?,
            Key::Short('d') | Key::Long("data-ascii") => self.pieces.push(Piece::Plain(bytes)),
            Key::Long("data-raw") => self.pieces.push(Piece::Raw(bytes)),
            Key::Long("data-binary") => self.pieces.push(Piece::Binary(bytes)),
            Key::Long("data-urlencode") => self.pieces.push(Piece::Encoded(bytes)),
            Key::Long("json") => {
                self.json = true;
                self.pieces.push(Piece::Json(bytes));
            }
            Key::Short('F') => self.form.push(bytes),
            Key::Short('T') => self.upload = Some(text),
            Key::Short('G') => self.as_query = true,
            Key::Short('A') => self.agent = Some(latin(&bytes)),
            Key::Short('e') => self.headers.push(("Referer".into(), latin(&bytes))),
            Key::Short('b') if !bytes.contains(&b'=') => {
                return Err(USAGE.wrong("-b: only NAME=VALUE; cookies are not kept in files"));
            }
            Key::Short('b') => self.headers.push(("Cookie".into(), latin(&bytes))),
            Key::Short('u') => {
                let basic = format!("Basic {}", super::body::base64(&bytes));
                self.headers.push(("Authorization".into(), basic));
            }
            Key::Short('r') => self.headers.push(("Range".into(), format!("bytes={text}"))),
            Key::Short('L') => self.follow = true,
            Key::Long("create-dirs") => self.create_dirs = true,
            Key::Short('i') => self.head = Head::Before,
            Key::Short('I') => self.head = Head::Only,
            Key::Short('D') => self.dump_header = Some(text),
            Key::Short('f') => self.fail = Some(Fail::Silently),
            Key::Long("fail-with-body") => self.fail = Some(Fail::WithBody),
            Key::Short('w') => self.write_out = Some(text),
            Key::Short('s') => self.silent = true,
            Key::Short('S') => self.show_error = true,
            Key::Short('v') => self.verbose = true,
            Key::Short('m') => match text.parse::<f64>() {
                Ok(seconds) if seconds.is_finite() && seconds >= 0.0 => {
                    self.time_ms = Some(seconds * 1e3).filter(|ms| *ms > 0.0);
                }
                _ => return Err(USAGE.wrong(&format!("-m: '{text}' is not a number of seconds"))),
            },
            Key::Short('k') => return Err(USAGE.wrong("-k: certificates are always checked")),
            Key::Short('x') => return Err(USAGE.wrong("-x: there are no proxies here")),
            Key::Short('c') => return Err(USAGE.wrong("-c: cookies are not kept")),
            // Accepted without an effect.
            Key::Short(_) | Key::Long(_) => {}
        }
        Ok(())
    }

    fn header(&mut self, line: &[u8]) -> Result<(), i32> {
        let line = latin(line);
        match line.split_once(':') {
            Some((name, value)) if value.trim().is_empty() => self.unwanted.push(name.into()),
            Some((name, value)) => {
                self.headers.push((name.trim().to_owned(), value.trim().to_owned()));
            }
            None => match line.strip_suffix(';') {
                Some(name) => self.headers.push((name.to_owned(), String::new())),
                None => {
                    return Err(USAGE.wrong(&format!("-H: '{line}' has no colon after its name")));
                }
            },
        }
        Ok(())
    }

    /// Returns the headers that are sent unless the user overrides them.
    pub(super) fn usual_headers(&self, kind: Option<&str>) -> Vec<(&'static str, String)> {
        let usual = format!("curl/8.0 (cofferdam {})", env!("CARGO_PKG_VERSION"));
        let mut headers = vec![("User-Agent", self.agent.clone().unwrap_or(usual))];
        headers.push(("Accept", if self.json { "application/json" } else { "*/*" }.to_owned()));
        headers.extend(kind.map(|kind| ("Content-Type", kind.to_owned())));
        headers.retain(|(_, value)| !value.is_empty());
        headers
    }

    pub(super) fn is_json(&self) -> bool {
        self.json
    }
}

/// Adds `http://` to a URL without a scheme.
pub(super) fn with_scheme(url: &str) -> Result<String, Failure> {
    match url.split_once("://") {
        None => Ok(format!("http://{url}")),
        Some((scheme, _)) => match scheme.to_ascii_lowercase().as_str() {
            "http" | "https" => Ok(url.to_owned()),
            scheme => {
                let message = format!("Protocol \"{scheme}\" not supported");
                Err(Failure::new(code::UNSUPPORTED, message))
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(args: &[&str]) -> Result<Settings, i32> {
        let args = std::iter::once("curl").chain(args.iter().copied()).map(OsString::from);
        Settings::parse(args.collect())
    }

    #[test]
    fn options_stand_together_and_files_go_to_urls_in_order() {
        let settings = parse(&["-sSfL", "-o", "f", "-O", "a", "b", "c"]).unwrap();
        assert!(settings.silent && settings.show_error && settings.follow);
        assert_eq!(settings.fail, Some(Fail::Silently));
        let targets: Vec<_> = settings.transfers.iter().map(|(_, target)| target).collect();
        assert_eq!(targets, [&Target::File("f".into()), &Target::Remote, &Target::Stdout]);
    }

    #[test]
    fn a_header_without_value_is_left_out_and_with_semicolon_is_empty() {
        let settings = parse(&["-H", "Accept:", "-H", "X;", "-H", "A: b c ", "u"]).unwrap();
        assert_eq!(settings.unwanted, ["Accept"]);
        assert_eq!(settings.headers, [("X".into(), "".into()), ("A".into(), "b c".into())]);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        for args in [&["-k", "u"][..], &[], &["-x", "p", "u"], &["-d", "x", "-T", "f", "u"]] {
            assert_eq!(parse(args).err(), Some(2), "{args:?}");
        }
    }

    #[test]
    fn other_protocols_are_named() {
        assert_eq!(with_scheme("h/x").ok().as_deref(), Some("http://h/x"));
        assert!(with_scheme("file:///etc/passwd").is_err_and(|e| e.message.contains("\"file\"")));
    }
}
