//! jq: the options, and the modules in the order of a run.

mod format;
mod json;
mod library;
mod math;
mod paths;
mod program;
mod read;
mod regex;
mod run;
mod scope;
mod single;
mod stack;
mod syntax;
mod time;
mod write;

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};

use crate::bytes::OsStringExt as _;
use crate::output::{self, Input, reason};
pub(super) use json::{Json, Object};
pub(super) use program::Program;
pub(super) use run::Inputs;
pub(super) use write::Layout;

const HELP: &str = "\
Usage:\tjq [OPTIONS] FILTER [FILES...]
\tjq [OPTIONS] -f FILE [FILES...]
\tjq [OPTIONS] --args FILTER [ARGUMENTS...]
\tjq [OPTIONS] --jsonargs FILTER [JSON_VALUES...]

Command options:
  -n, --null-input          use `null` as the single input value;
  -R, --raw-input           read each line as string instead of JSON;
  -s, --slurp               read all inputs into an array and use it as
                            the single input value;
  -c, --compact-output      compact instead of pretty-printed output;
  -r, --raw-output          output strings without escapes and quotes;
  -j, --join-output         implies -r and output without newline after
                            each output;
      --raw-output0         implies -r and output NUL after each output;
  -a, --ascii-output        output strings by only ASCII characters
                            using escape sequences;
  -S, --sort-keys           sort keys of each object on output;
      --tab                 use tabs for indentation;
      --indent n            use n spaces for indentation (max 7 spaces);
  -e, --exit-status         set exit status code based on the output;
  -f, --from-file file      load filter from the file;
      --seq                 write an RS before each output;
      --stream              parse the input value in streaming fashion;
      --arg name value      set $name to the string value;
      --argjson name value  set $name to the JSON value;
      --slurpfile name file set $name to an array of JSON values read
                            from the file;
      --rawfile name file   set $name to string contents of file;
      --args                consume remaining arguments as positional
                            string values;
      --jsonargs            consume remaining arguments as positional
                            JSON values;
  -C, -M                    color, no color;
  -h, --help                show the help;
  -V, --version             show the version;
";

/// Longest input, in bytes; the whole input is kept in memory.
const MAX_INPUT: u64 = 1 << 30;

#[derive(Default)]
struct Settings {
    null_input: bool,
    raw_input: bool,
    slurp: bool,
    raw: bool,
    join: bool,
    zero: bool,
    seq: bool,
    stream: bool,
    exit_status: bool,
    ascii: bool,
    sort_keys: bool,
    compact: bool,
    indent: Option<String>,
    filter: Option<String>,
    files: Vec<OsString>,
    named: Vec<(String, Json)>,
    positional: Vec<Json>,
}

/// A usage error: a message and the exit code.
type Wrong = (String, i32);

pub(crate) fn run(args: Vec<OsString>) -> i32 {
    match settings(args) {
        Ok(Some(settings)) => filter(settings),
        Ok(None) => crate::commands::uutils::flushed(0),
        Err((message, code)) => {
            eprintln!("jq: {message}");
            if code == 2 && message.starts_with("Unknown") {
                eprintln!(
                    "Use jq --help for help with command-line options,\nor see the jq manpage, or online docs  at https://jqlang.github.io/jq"
                );
            }
            code
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Rest {
    Files,
    Texts,
    Json,
}

fn settings(args: Vec<OsString>) -> Result<Option<Settings>, Wrong> {
    let mut s = Settings::default();
    let mut args = args.into_iter().skip(1);
    let mut rest = Rest::Files;
    let mut options = true;
    let mut from_file = false;
    while let Some(arg) = args.next() {
        let text = arg.to_string_lossy().into_owned();
        // A filter may begin with a minus sign, before a digit or a path.
        let negated = s.filter.is_none()
            && text.strip_prefix('-').is_some_and(|rest| rest.starts_with(['.', '(', '$', '1']));
        if !options || !text.starts_with('-') || text == "-" || negated {
            operand(&mut s, arg, rest, from_file)?;
            continue;
        }
        if text == "--" {
            options = false;
            continue;
        }
        let names: Vec<String> = match text.strip_prefix("--") {
            Some(_) => vec![text.clone()],
            None => text.chars().skip(1).map(|c| format!("-{c}")).collect(),
        };
        for name in names {
            let mut value = |what: &str| {
                args.next().ok_or_else(|| (format!("{name} takes {what} (e.g. {name} ...)"), 2))
            };
            match name.as_str() {
                "-n" | "--null-input" => s.null_input = true,
                "-R" | "--raw-input" => s.raw_input = true,
                "-s" | "--slurp" => s.slurp = true,
                "-c" | "--compact-output" => s.compact = true,
                "-r" | "--raw-output" => s.raw = true,
                "-j" | "--join-output" => (s.raw, s.join) = (true, true),
                "--raw-output0" => (s.raw, s.zero) = (true, true),
                "-a" | "--ascii-output" => s.ascii = true,
                "-S" | "--sort-keys" => s.sort_keys = true,
                "-e" | "--exit-status" => s.exit_status = true,
                "-C" | "--color-output" | "-M" | "--monochrome-output" | "--unbuffered" => {}
                "--seq" => s.seq = true,
                "--stream" => s.stream = true,
                "--tab" => s.indent = Some("\t".to_owned()),
                "--indent" => {
                    let number = value("one parameter")?.to_string_lossy().parse::<usize>();
                    match number {
                        Ok(0) => s.compact = true,
                        Ok(number) if number <= 7 => s.indent = Some(" ".repeat(number)),
                        Ok(_) => return Err(("Cannot indent more than 7 characters".into(), 2)),
                        Err(_) => return Err(("--indent takes a number".into(), 2)),
                    }
                }
                "-f" | "--from-file" => {
                    from_file = true;
                    // The first operand was taken for the filter; with `-f` it is a file.
                    if let Some(file) = s.filter.take() {
                        s.filter = Some(read_text(&file.into())?);
                    }
                }
                "--arg" => {
                    let name = value("two parameters")?.to_string_lossy().into_owned();
                    let text = value("two parameters")?.into_vec();
                    s.named.push((name, text_of(text)));
                }
                "--argjson" => {
                    let name = value("two parameters")?.to_string_lossy().into_owned();
                    let text = value("two parameters")?.into_vec();
                    let json = read::one(&text)
                        .map_err(|_| ("Invalid JSON text passed to --argjson".to_owned(), 2))?;
                    s.named.push((name, json));
                }
                "--slurpfile" | "--rawfile" => {
                    let variable = value("two parameters")?.to_string_lossy().into_owned();
                    let file = value("two parameters")?;
                    let bad = |why: String| {
                        (
                            format!(
                                "Bad JSON in --{} {variable} {}: {why}",
                                &name[2..],
                                file.to_string_lossy()
                            ),
                            2,
                        )
                    };
                    let text = std::fs::read(&file).map_err(|error| bad(reason(&error)))?;
                    let content = if name == "--rawfile" {
                        text_of(text)
                    } else {
                        let values: Result<Vec<_>, _> = read::Reader::new(&text).collect();
                        values.map_err(bad)?.into()
                    };
                    s.named.push((variable, content));
                }
                "--args" => rest = Rest::Texts,
                "--jsonargs" => rest = Rest::Json,
                "-h" | "--help" => {
                    print!("{HELP}");
                    return Ok(None);
                }
                "-V" | "--version" => {
                    println!("jq-1.7 (cofferdam {})", env!("CARGO_PKG_VERSION"));
                    return Ok(None);
                }
                other => return Err((format!("Unknown arguments: {other}"), 2)),
            }
        }
    }
    if s.filter.is_none() {
        return Err((
            "no filter given\nUse jq --help for help with command-line options".into(),
            2,
        ));
    }
    Ok(Some(s))
}

fn operand(s: &mut Settings, arg: OsString, rest: Rest, from_file: bool) -> Result<(), Wrong> {
    if s.filter.is_none() {
        s.filter = Some(if from_file {
            read_text(&arg)?
        } else {
            String::from_utf8_lossy(&arg.into_vec()).into_owned()
        });
        return Ok(());
    }
    match rest {
        Rest::Files => s.files.push(arg),
        Rest::Texts => s.positional.push(text_of(arg.into_vec())),
        Rest::Json => {
            let json = read::one(&arg.into_vec())
                .map_err(|_| ("Invalid JSON text passed to --jsonargs".to_owned(), 2))?;
            s.positional.push(json);
        }
    }
    Ok(())
}

fn read_text(file: &OsString) -> Result<String, Wrong> {
    let text = std::fs::read(file);
    let shown = file.to_string_lossy();
    text.map(|text| String::from_utf8_lossy(&text).into_owned())
        .map_err(|error| (format!("error: Could not open {shown}: {}", reason(&error)), 2))
}

/// Returns bytes as a string.
fn text_of(bytes: Vec<u8>) -> Json {
    Json::from(String::from_utf8_lossy(&bytes).into_owned())
}

fn filter(s: Settings) -> i32 {
    let filter = s.filter.as_deref().unwrap_or(".");
    let program = match Program::compile(filter, &s.named, s.positional.clone()) {
        Ok(program) => program,
        Err(message) => {
            eprintln!("jq: error: {message}\njq: 1 compile error");
            return 3;
        }
    };
    let mut texts: Vec<(Json, Vec<u8>)> = Vec::new();
    let mut code = 0;
    // Standard input is read when the filter asks for it.
    if s.files.is_empty() && !s.null_input {
        let mut text = Vec::new();
        if let Err(error) = Input.take(MAX_INPUT).read_to_end(&mut text) {
            eprintln!("jq: error: Could not read standard input: {}", reason(&error));
            code = 2;
        }
        texts.push((Json::Null, text));
    }
    for file in &s.files {
        let mut text = Vec::new();
        let opened = match file.to_str() {
            Some("-") => Input.take(MAX_INPUT).read_to_end(&mut text),
            _ => File::open(file).and_then(|file| file.take(MAX_INPUT).read_to_end(&mut text)),
        };
        let shown = file.to_string_lossy();
        if let Err(error) = opened {
            eprintln!("jq: error: Could not open {shown}: {}", reason(&error));
            code = 2;
            continue;
        }
        texts.push((Json::from(&*shown), text));
    }
    let layout = Layout {
        indent: if s.compact { None } else { Some(s.indent.clone().unwrap_or("  ".to_owned())) },
        sort_keys: s.sort_keys,
        ascii: s.ascii,
    };
    let mut out = output::stdout();
    let mut last = None;
    let inputs = Texts::new(&s, texts);
    let ended = program.run(inputs, s.null_input, &mut |value| {
        emit(&mut out, &s, &layout, &value)?;
        last = Some(!matches!(value, Json::Null | Json::Bool(false)));
        Ok(())
    });
    if ended != 0 {
        code = ended;
    } else if code == 0 && s.exit_status {
        code = match last {
            Some(true) => 0,
            Some(false) => 1,
            None => 4,
        };
    }
    output::finish("jq", &mut out, code)
}

fn emit(out: &mut output::Output, s: &Settings, layout: &Layout, value: &Json) -> io::Result<()> {
    if s.seq {
        out.write_all(b"\x1e")?;
    }
    match value {
        Json::Str(text) if s.raw && !s.ascii => out.write_all(text.as_bytes())?,
        other => layout.write(out, other, 0)?,
    }
    match (s.zero, s.join) {
        (true, _) => out.write_all(b"\0"),
        (false, true) => Ok(()),
        (false, false) => out.write_all(b"\n"),
    }
}

/// The inputs: the values in the texts of files or of standard input.
struct Texts {
    texts: std::vec::IntoIter<(Json, Vec<u8>)>,
    how: How,
    /// Standard input is still to be read.
    unread: bool,
    file: Json,
    values: std::vec::IntoIter<(Result<Json, String>, usize)>,
    line: usize,
    slurped: bool,
}

struct How {
    raw: bool,
    slurp: bool,
    stream: bool,
}

impl Texts {
    fn new(s: &Settings, texts: Vec<(Json, Vec<u8>)>) -> Self {
        let how = How { raw: s.raw_input, slurp: s.slurp, stream: s.stream };
        let unread = s.files.is_empty() && s.null_input;
        let (texts, values) = (texts.into_iter(), Vec::new().into_iter());
        Texts { texts, how, unread, file: Json::Null, values, line: 0, slurped: false }
    }

    fn text(&mut self) -> Option<(Json, Vec<u8>)> {
        if std::mem::take(&mut self.unread) {
            let mut text = Vec::new();
            // Values read before a failure are used.
            let _ = Input.take(MAX_INPUT).read_to_end(&mut text);
            return Some((Json::Null, text));
        }
        self.texts.next()
    }

    /// Returns all values of one text, each with the number of lines read by then.
    fn values(&self, text: &[u8]) -> Vec<(Result<Json, String>, usize)> {
        if self.how.raw {
            let whole = text.strip_suffix(b"\n").unwrap_or(text);
            let lines = whole.split(|b| *b == b'\n').enumerate();
            let lines = lines.map(|(at, line)| (Ok(text_of(line.to_vec())), at + 1));
            return if text.is_empty() { Vec::new() } else { lines.collect() };
        }
        let mut reader = read::Reader::new(text);
        let mut list = Vec::new();
        while let Some(value) = reader.next() {
            let line = reader.line();
            match value {
                Ok(value) if self.how.stream => {
                    let mut events = Vec::new();
                    events_of(&value, &mut Vec::new(), &mut events);
                    list.extend(events.into_iter().map(|event| (Ok(event), line)));
                }
                value => list.push((value, line)),
            }
        }
        list
    }

    /// Returns everything as one value.
    fn all(&mut self) -> Result<Json, String> {
        let mut joined = Vec::new();
        let mut list = Vec::new();
        while let Some((_, text)) = self.text() {
            if self.how.raw {
                joined.extend_from_slice(&text);
                continue;
            }
            for (value, line) in self.values(&text) {
                list.push(value?);
                self.line = line;
            }
        }
        Ok(if self.how.raw { text_of(joined) } else { list.into() })
    }
}

impl Inputs for Texts {
    fn next(&mut self) -> Option<Result<Json, String>> {
        if self.how.slurp {
            return if std::mem::replace(&mut self.slurped, true) {
                None
            } else {
                Some(self.all())
            };
        }
        loop {
            if let Some((value, line)) = self.values.next() {
                self.line = line;
                return Some(value);
            }
            let (file, text) = self.text()?;
            self.values = self.values(&text).into_iter();
            (self.file, self.line) = (file, 0);
        }
    }

    fn file(&self) -> Json {
        self.file.clone()
    }

    fn line(&self) -> usize {
        self.line
    }
}

/// Adds the events of a value: its leaves with their paths, and the ends of its containers.
fn events_of(value: &Json, path: &mut Vec<Json>, events: &mut Vec<Json>) {
    let parts: Vec<(Json, &Json)> = match value {
        Json::Arr(items) => {
            items.items().iter().enumerate().map(|(at, item)| (Json::from(at), item)).collect()
        }
        Json::Obj(members) => {
            members.iter().map(|(key, item)| (Json::Str(key.clone()), item)).collect()
        }
        Json::Null | Json::Bool(_) | Json::Num(..) | Json::Str(_) => Vec::new(),
    };
    let last = parts.last().map(|(key, _)| key.clone());
    for (key, part) in parts {
        path.push(key);
        events_of(part, path, events);
        path.pop();
    }
    match last {
        None => events.push(vec![Json::from(path.clone()), value.clone()].into()),
        Some(last) => {
            path.push(last);
            events.push(vec![Json::from(path.clone())].into());
            path.pop();
        }
    }
}
