//! jq, based on the jaq library.

mod program;
mod write;

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};

use jaq_json::{Map, Val, read};

use crate::bytes::OsStringExt as _;
use crate::output::{self, Input, reason};
pub(super) use program::Program;
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

/// Deepest nesting of an input, because reading and writing recurse.
const MAX_DEPTH: usize = 1000;
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
    exit_status: bool,
    ascii: bool,
    sort_keys: bool,
    compact: bool,
    indent: Option<String>,
    filter: Option<String>,
    files: Vec<OsString>,
    named: Vec<(String, Val)>,
    positional: Vec<Val>,
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
        if !options || !text.starts_with('-') || text == "-" {
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
                    s.named.push((name, Val::utf8_str(text)));
                }
                "--argjson" => {
                    let name = value("two parameters")?.to_string_lossy().into_owned();
                    let text = value("two parameters")?.into_vec();
                    let json = parse(&text)
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
                        Val::utf8_str(text)
                    } else {
                        check_depth(&text).map_err(&bad)?;
                        let values: Result<Vec<_>, _> = read::parse_many(&text).collect();
                        values.map_err(|error| bad(error.to_string()))?.into_iter().collect()
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
        Rest::Texts => s.positional.push(Val::utf8_str(arg.into_vec())),
        Rest::Json => {
            let json = parse(&arg.into_vec())
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

fn parse(text: &[u8]) -> Result<Val, String> {
    check_depth(text)?;
    read::parse_single(text).map_err(|error| error.to_string())
}

/// Refuses input that nests too deep for the stack.
fn check_depth(text: &[u8]) -> Result<(), String> {
    let (mut depth, mut inside, mut escaped) = (0_usize, false, false);
    for byte in text {
        match (inside, byte) {
            (true, _) if escaped => escaped = false,
            (true, b'\\') => escaped = true,
            (_, b'"') => inside = !inside,
            (false, b'[' | b'{') => depth += 1,
            (false, b']' | b'}') => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_DEPTH {
            return Err("Exceeds depth limit for parsing".to_owned());
        }
    }
    Ok(())
}

fn filter(s: Settings) -> i32 {
    let mut text = Vec::new();
    let mut code = 0;
    if s.files.is_empty()
        && let Err(error) = Input.take(MAX_INPUT).read_to_end(&mut text)
    {
        eprintln!("jq: error: Could not read standard input: {}", reason(&error));
        code = 2;
    }
    for file in &s.files {
        let opened = File::open(file).and_then(|file| file.take(MAX_INPUT).read_to_end(&mut text));
        if let Err(error) = opened {
            let shown = file.to_string_lossy();
            eprintln!("jq: error: Could not open {shown}: {}", reason(&error));
            code = 2;
        }
    }
    let mut named = Map::default();
    for (name, value) in &s.named {
        named.insert(Val::from(name.clone()), value.clone());
    }
    let filter = s.filter.as_deref().unwrap_or(".");
    let program = match Program::compile(filter, &s.named, named, s.positional.clone()) {
        Ok(program) => program,
        Err(message) => {
            eprintln!("jq: error: {message}\njq: 1 compile error");
            return 3;
        }
    };
    let inputs = values(&s, &text);
    let layout = Layout {
        indent: if s.compact { None } else { Some(s.indent.clone().unwrap_or("  ".to_owned())) },
        sort_keys: s.sort_keys,
        ascii: s.ascii,
    };
    let mut out = output::stdout();
    let mut last = None;
    let ended = program.run(inputs, s.null_input, &mut |value| {
        emit(&mut out, &s, &layout, &value)?;
        last = Some(!matches!(value, Val::Null | Val::Bool(false)));
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

fn emit(out: &mut output::Output, s: &Settings, layout: &Layout, value: &Val) -> io::Result<()> {
    if s.seq {
        out.write_all(b"\x1e")?;
    }
    match value {
        Val::TStr(text) | Val::BStr(text) if s.raw && !s.ascii => out.write_all(text)?,
        other => layout.write(out, other, 0)?,
    }
    match (s.zero, s.join) {
        (true, _) => out.write_all(b"\0"),
        (false, true) => Ok(()),
        (false, false) => out.write_all(b"\n"),
    }
}

/// Returns the input values.
fn values<'a>(s: &Settings, text: &'a [u8]) -> Box<dyn Iterator<Item = Result<Val, String>> + 'a> {
    if s.raw_input && s.slurp {
        return Box::new(std::iter::once(Ok(Val::utf8_str(text.to_vec()))));
    }
    if s.raw_input {
        let whole = text.strip_suffix(b"\n").unwrap_or(text);
        let lines = whole.split(|b| *b == b'\n').map(|line| Ok(Val::utf8_str(line.to_vec())));
        return if text.is_empty() { Box::new(std::iter::empty()) } else { Box::new(lines) };
    }
    if let Err(error) = check_depth(text) {
        return Box::new(std::iter::once(Err(error)));
    }
    let mut failed = false;
    let values = read::parse_many(text).map_while(move |value| {
        if failed {
            return None;
        }
        failed = value.is_err();
        Some(value.map_err(|error| error.to_string()))
    });
    if !s.slurp {
        return Box::new(values);
    }
    let all: Result<Vec<Val>, String> = values.collect();
    Box::new(std::iter::once(all.map(|all| all.into_iter().collect())))
}
