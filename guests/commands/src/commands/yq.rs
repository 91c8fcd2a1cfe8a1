//! yq: jq for YAML, with TOML, XML and JSON as further formats.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};

use jaq_json::{Map, Num, Val};

use super::jq::{Inputs, Json, Layout, Object, Program};
use crate::output::{self, Input, reason};

const HELP: &str = "\
Usage: yq [OPTION]... [eval|eval-all] [EXPRESSION] [FILE]...
Filter YAML with the language of jq.

  -p FORMAT, --input-format=FORMAT   yaml, json, toml or xml (default: by the file's name, or yaml)
  -o FORMAT, --output-format=FORMAT  yaml, json or props (default: yaml)
  -i, --inplace        change the file itself
  -r, --unwrapScalar   print strings without quotes (the default)
  -j, --tojson         print JSON
  -P, --prettyPrint    accepted
  -n, --null-input     use null as the input
  -I N, --indent N     indentation (default 2)
  -c, --compact        compact JSON
  -e, --exit-status    fail if the result is null or false
  -s, --slurp          read all documents into one list
";

/// Longest input, in bytes; the whole input is kept in memory.
const MAX_INPUT: u64 = 256 << 20;
/// Deepest nesting of a value that is written.
const MAX_DEPTH: usize = 500;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Yaml,
    Json,
    Toml,
    Xml,
    Props,
}

impl Format {
    fn named(name: &str) -> Option<Format> {
        Some(match name {
            "yaml" | "y" | "yml" | "auto" | "a" => Format::Yaml,
            "json" | "j" => Format::Json,
            "toml" => Format::Toml,
            "xml" | "x" => Format::Xml,
            "props" | "p" => Format::Props,
            _ => return None,
        })
    }
}

struct Settings {
    from: Option<Format>,
    to: Option<Format>,
    in_place: bool,
    raw: bool,
    null_input: bool,
    exit_status: bool,
    slurp: bool,
    compact: bool,
    indent: usize,
    filter: Option<String>,
    files: Vec<String>,
}

pub(crate) fn run(args: Vec<OsString>) -> i32 {
    match settings(args) {
        Ok(Some(settings)) => work(&settings).unwrap_or_else(|message| {
            eprintln!("Error: {message}");
            1
        }),
        Ok(None) => super::uutils::flushed(0),
        Err(message) => {
            eprintln!("Error: {message}");
            1
        }
    }
}

/// Splits letters such as `-rc` into options of one letter each.
fn apart(arg: String) -> Vec<String> {
    const LETTERS: &str = "hVirjynescPMCN";
    match arg.strip_prefix('-') {
        Some(rest) if rest.len() > 1 && rest.chars().all(|letter| LETTERS.contains(letter)) => {
            rest.chars().map(|letter| format!("-{letter}")).collect()
        }
        _ => vec![arg],
    }
}

fn settings(args: Vec<OsString>) -> Result<Option<Settings>, String> {
    let mut s = Settings {
        from: None,
        to: None,
        in_place: false,
        raw: true,
        null_input: false,
        exit_status: false,
        slurp: false,
        compact: false,
        indent: 2,
        filter: None,
        files: Vec::new(),
    };
    let mut operands = Vec::new();
    let args = args.into_iter().skip(1).map(|arg| arg.to_string_lossy().into_owned());
    let mut args = args.flat_map(apart);
    while let Some(arg) = args.next() {
        let (name, attached) = match arg.split_once('=') {
            Some((name, value)) if name.starts_with("--") => {
                (name.to_owned(), Some(value.to_owned()))
            }
            _ => match arg.get(..2) {
                Some(short @ ("-p" | "-o" | "-I")) if arg.len() > 2 => {
                    (short.to_owned(), Some(arg[2..].trim_start_matches('=').to_owned()))
                }
                _ => (arg.clone(), None),
            },
        };
        let format =
            |text: String| Format::named(&text).ok_or_else(|| format!("unknown format '{text}'"));
        let mut value = || {
            attached
                .clone()
                .or_else(|| args.next())
                .ok_or_else(|| format!("flag needs an argument: {name}"))
        };
        match name.as_str() {
            "-h" | "--help" => {
                print!("{HELP}");
                return Ok(None);
            }
            "-V" | "--version" => {
                println!("yq (cofferdam) version {}", env!("CARGO_PKG_VERSION"));
                return Ok(None);
            }
            "-p" | "--input-format" => s.from = Some(format(value()?)?),
            "-o" | "--output-format" => s.to = Some(format(value()?)?),
            "-I" | "--indent" => {
                s.indent = value()?.parse().ok().filter(|n| *n <= 16).ok_or("invalid indent")?;
            }
            "-i" | "--inplace" | "--in-place" => s.in_place = true,
            "-r" | "--unwrapScalar" | "--raw-output" => {
                s.raw = attached.as_deref() != Some("false")
            }
            "-j" | "--tojson" => s.to = Some(Format::Json),
            "-y" | "--yaml-output" => s.to = Some(Format::Yaml),
            "-n" | "--null-input" => s.null_input = true,
            "-e" | "--exit-status" => s.exit_status = true,
            "-s" | "--slurp" => s.slurp = true,
            "-c" | "--compact-output" | "--compact" => s.compact = true,
            "-P" | "--prettyPrint" | "-M" | "-C" | "--no-colors" | "--colors" | "-N"
            | "--no-doc" => {}
            "-" => operands.push(arg),
            name if name.starts_with('-') => return Err(format!("unknown flag: {name}")),
            _ => operands.push(arg),
        }
    }
    if operands
        .first()
        .is_some_and(|word| matches!(word.as_str(), "eval" | "e" | "eval-all" | "ea"))
    {
        let word = operands.remove(0);
        s.slurp |= word.starts_with("eval-all") || word == "ea";
    }
    // A single operand that is a file has the identity as its expression.
    if operands.len() == 1 && std::fs::metadata(&operands[0]).is_ok_and(|data| data.is_file()) {
        operands.insert(0, ".".to_owned());
    }
    if !operands.is_empty() {
        s.filter = Some(operands.remove(0));
    }
    s.files = operands;
    Ok(Some(s))
}

fn work(s: &Settings) -> Result<i32, String> {
    let files: Vec<Option<&String>> = match s.files.is_empty() {
        true => vec![None],
        false => s.files.iter().map(Some).collect(),
    };
    let filter = s.filter.as_deref().unwrap_or(".");
    let program = Program::compile(filter, &[], Vec::new())
        .map_err(|message| format!("bad expression: {message}"))?;
    let mut last = None;
    let mut code = 0;
    let mut is_first = true;
    let mut out = output::stdout();
    for file in files {
        let from = s.from.unwrap_or_else(|| guess(file.map_or("", String::as_str)));
        let inputs = if s.null_input && file.is_none() { Vec::new() } else { read(file, from)? };
        let inputs: Vec<Json> = inputs.iter().map(taken).collect();
        let inputs = match s.slurp {
            true => vec![Json::from(inputs)],
            false => inputs,
        };
        let to = s.to.unwrap_or(if from == Format::Json { Format::Json } else { Format::Yaml });
        let mut text = Vec::new();
        let ended = program.run(Values(inputs.into_iter()), s.null_input, &mut |json| {
            let value = given(&json);
            if !is_first && to == Format::Yaml && is_collection(&value) && last == Some(true) {
                text.extend_from_slice(b"---\n");
            }
            is_first = false;
            last = Some(is_collection(&value));
            if matches!(value, Val::Null | Val::Bool(false)) && s.exit_status {
                code = 1;
            }
            write(s, to, &value, &json, &mut text)
        });
        if ended != 0 {
            code = 1;
        }
        match file {
            Some(file) if s.in_place => {
                std::fs::write(file, &text)
                    .map_err(|error| format!("{file}: {}", reason(&error)))?;
            }
            _ => out.write_all(&text).map_err(|error| reason(&error))?,
        }
    }
    Ok(output::finish("yq", &mut out, code))
}

/// The inputs of a filter.
struct Values(std::vec::IntoIter<Json>);

impl Inputs for Values {
    fn next(&mut self) -> Option<Result<Json, String>> {
        self.0.next().map(Ok)
    }

    fn file(&self) -> Json {
        Json::Null
    }

    fn line(&self) -> usize {
        0
    }
}

/// Returns a value that was read as the filters see it; keys become strings.
fn taken(value: &Val) -> Json {
    let text = |bytes: &[u8]| Json::from(String::from_utf8_lossy(bytes).into_owned());
    match value {
        Val::Null => Json::Null,
        Val::Bool(truth) => Json::Bool(*truth),
        Val::Num(Num::Int(number)) => Json::from(*number as f64),
        Val::Num(Num::Float(number)) => Json::from(*number),
        // Decimals keep their text, as in `1.50`.
        Val::Num(number) => {
            let text = number.to_string();
            Json::Num(text.parse::<f64>().unwrap_or(f64::NAN), Some(text.into()))
        }
        Val::TStr(bytes) | Val::BStr(bytes) => text(bytes),
        Val::Arr(items) => items.iter().map(taken).collect(),
        Val::Obj(members) => {
            let key = |key: &Val| match key {
                Val::TStr(bytes) | Val::BStr(bytes) => String::from_utf8_lossy(bytes).into(),
                other => other.to_string().into(),
            };
            let object: Object = members.iter().map(|(k, v)| (key(k), taken(v))).collect();
            object.into()
        }
    }
}

/// Returns a value of a filter as the formats write it.
fn given(value: &Json) -> Val {
    match value {
        Json::Null => Val::Null,
        Json::Bool(truth) => Val::Bool(*truth),
        Json::Num(_, Some(text)) => Val::Num(Num::Dec(text.to_string().into())),
        Json::Num(number, _) if *number == number.trunc() && number.abs() < 9e15 => {
            Val::Num(Num::Int(*number as isize))
        }
        Json::Num(number, _) => Val::Num(Num::Float(*number)),
        Json::Str(text) => Val::from(text.to_string()),
        Json::Arr(items) => items.items().iter().map(given).collect(),
        Json::Obj(members) => {
            let pairs = members.iter().map(|(k, v)| (Val::from(k.to_string()), given(v)));
            Val::obj(pairs.collect::<Map>())
        }
    }
}

fn is_collection(value: &Val) -> bool {
    matches!(value, Val::Arr(_) | Val::Obj(_))
}

fn guess(file: &str) -> Format {
    match file.rsplit('.').next() {
        Some("json") => Format::Json,
        Some("toml") => Format::Toml,
        Some("xml") => Format::Xml,
        _ => Format::Yaml,
    }
}

fn read(file: Option<&String>, from: Format) -> Result<Vec<Val>, String> {
    let mut bytes = Vec::new();
    let read = match file.filter(|file| *file != "-") {
        Some(file) => {
            File::open(file).and_then(|file| file.take(MAX_INPUT).read_to_end(&mut bytes))
        }
        None => Input.take(MAX_INPUT).read_to_end(&mut bytes),
    };
    let shown = file.map_or("-", String::as_str);
    read.map_err(|error| format!("open {shown}: {}", reason(&error)))?;
    let text = String::from_utf8(bytes).map_err(|_| format!("{shown}: not UTF-8"))?;
    let bad = |error: &dyn std::fmt::Display| format!("bad file '{shown}': {error}");
    match from {
        Format::Yaml | Format::Props => {
            // The parser recurses, so the depth of flow collections and indentation is limited.
            let deep = text.lines().any(|line| {
                line.chars().take_while(|c| *c == ' ').count() > 2 * MAX_DEPTH
                    || line.matches("- ").count() > MAX_DEPTH
            });
            let (mut depth, mut deepest) = (0_usize, 0_usize);
            for byte in text.bytes() {
                match byte {
                    b'[' | b'{' => depth += 1,
                    b']' | b'}' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                deepest = deepest.max(depth);
            }
            if deep || deepest > MAX_DEPTH {
                return Err(bad(&"nested too deep"));
            }
            let values: Result<Vec<Val>, _> = jaq_fmts::read::yaml::parse_many(&text).collect();
            let values = values.map_err(|error| bad(&error))?;
            Ok(if values.is_empty() { vec![Val::Null] } else { values })
        }
        Format::Json => {
            let values = jaq_json::read::parse_many(text.as_bytes());
            values.collect::<Result<Vec<Val>, _>>().map_err(|error| bad(&error))
        }
        Format::Toml => {
            let value = jaq_fmts::read::toml::parse(&text).map_err(|error| bad(&error))?;
            Ok(vec![value])
        }
        Format::Xml => {
            let values = jaq_fmts::read::xml::parse_many(&text);
            values.collect::<Result<Vec<Val>, _>>().map_err(|error| bad(&error))
        }
    }
}

fn write(s: &Settings, to: Format, value: &Val, json: &Json, out: &mut Vec<u8>) -> io::Result<()> {
    match (to, value) {
        (Format::Json, value) => {
            let indent = (!s.compact && s.indent > 0).then(|| " ".repeat(s.indent));
            let layout = Layout { indent, sort_keys: false, ascii: false };
            match value {
                Val::TStr(text) | Val::BStr(text) if s.raw && s.to.is_none() => {
                    out.write_all(text)?;
                }
                _ => layout.write(out, json, 0)?,
            }
        }
        (Format::Props, value) => {
            props("", value, out, 0)?;
            return Ok(());
        }
        (_, Val::TStr(text) | Val::BStr(text)) if s.raw => out.write_all(text)?,
        (_, value) => {
            yaml(value, s.indent.max(1), 0, out, Place::Top)?;
            if is_collection(value) && out.last() == Some(&b'\n') {
                return Ok(());
            }
        }
    }
    out.write_all(b"\n")
}

/// Writes `a.b = value` lines.
fn props(path: &str, value: &Val, out: &mut Vec<u8>, depth: usize) -> io::Result<()> {
    if depth > MAX_DEPTH {
        return Err(io::Error::other("nested too deep"));
    }
    let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match value {
        Val::Obj(map) => {
            for (key, value) in map.iter() {
                props(&below(&plain(key)), value, out, depth + 1)?;
            }
        }
        Val::Arr(list) => {
            for (at, value) in list.iter().enumerate() {
                props(&below(&at.to_string()), value, out, depth + 1)?;
            }
        }
        value => writeln!(out, "{path} = {}", plain(value))?,
    }
    Ok(())
}

/// Returns a scalar as text without quotes.
fn plain(value: &Val) -> String {
    match value {
        Val::TStr(text) | Val::BStr(text) => String::from_utf8_lossy(text).into_owned(),
        value => value.to_string(),
    }
}

/// The place of a value in a document.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Top,
    /// After a key and its colon.
    Key,
    /// After the dash of a list.
    Item,
}

/// Writes a value in block style. Collections end with a newline, scalars do not.
fn yaml(value: &Val, step: usize, depth: usize, out: &mut Vec<u8>, place: Place) -> io::Result<()> {
    if depth > MAX_DEPTH {
        return Err(io::Error::other("nested too deep"));
    }
    let pad = " ".repeat(step * depth);
    match value {
        Val::Obj(map) if map.is_empty() => out.write_all(b"{}"),
        Val::Arr(list) if list.is_empty() => out.write_all(b"[]"),
        Val::Obj(map) => {
            if place == Place::Key {
                out.push(b'\n');
            }
            for (at, (key, value)) in map.iter().enumerate() {
                if !(at == 0 && place == Place::Item) {
                    out.write_all(pad.as_bytes())?;
                }
                out.write_all(scalar(key, depth, step).as_bytes())?;
                out.push(b':');
                pair(value, step, depth, out, Place::Key)?;
            }
            Ok(())
        }
        Val::Arr(list) => {
            if place == Place::Key {
                out.push(b'\n');
            }
            for (at, value) in list.iter().enumerate() {
                if !(at == 0 && place == Place::Item) {
                    out.write_all(pad.as_bytes())?;
                }
                out.push(b'-');
                pair(value, step, depth, out, Place::Item)?;
            }
            Ok(())
        }
        value => out.write_all(scalar(value, depth, step).as_bytes()),
    }
}

/// Writes the value after a key or a dash, and the end of the line.
fn pair(value: &Val, step: usize, depth: usize, out: &mut Vec<u8>, place: Place) -> io::Result<()> {
    let is_filled = match value {
        Val::Obj(map) => !map.is_empty(),
        Val::Arr(list) => !list.is_empty(),
        _ => false,
    };
    if !is_filled || place == Place::Item {
        out.push(b' ');
    }
    yaml(value, step, depth + 1, out, place)?;
    if !is_filled {
        out.push(b'\n');
    }
    Ok(())
}

/// Returns a scalar as YAML, quoted if it would be read as something else.
fn scalar(value: &Val, depth: usize, step: usize) -> String {
    let text = match value {
        Val::TStr(text) | Val::BStr(text) => String::from_utf8_lossy(text).into_owned(),
        value => return value.to_string(),
    };
    let is_multiline = text.contains('\n')
        && !text.starts_with([' ', '\n'])
        && !text.chars().any(|c| c.is_control() && c != '\n' && c != '\t');
    if is_multiline {
        let pad = " ".repeat(step * depth.max(1));
        let mark = match (text.ends_with("\n\n"), text.ends_with('\n')) {
            (true, _) => "|+",
            (false, true) => "|",
            (false, false) => "|-",
        };
        let body = text.strip_suffix('\n').unwrap_or(&text);
        let lines = body.split('\n').map(|line| match line.is_empty() {
            true => String::new(),
            false => format!("{pad}{line}"),
        });
        return format!("{mark}\n{}", lines.collect::<Vec<_>>().join("\n"));
    }
    if text.chars().any(|c| c.is_control()) {
        let mut quoted = String::from("\"");
        for c in text.chars() {
            match c {
                '"' => quoted.push_str("\\\""),
                '\\' => quoted.push_str("\\\\"),
                '\n' => quoted.push_str("\\n"),
                '\t' => quoted.push_str("\\t"),
                '\r' => quoted.push_str("\\r"),
                c if c.is_control() => quoted.push_str(&format!("\\x{:02x}", u32::from(c))),
                c => quoted.push(c),
            }
        }
        quoted.push('"');
        return quoted;
    }
    if needs_quotes(&text) {
        return match text.contains('\'') {
            true => format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")),
            false => match text.is_empty() || looks_typed(&text) {
                true => format!("\"{text}\""),
                false => format!("'{text}'"),
            },
        };
    }
    text
}

/// Returns true if a plain scalar of this text would not be a string.
fn looks_typed(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let words = ["null", "~", "true", "false", "yes", "no", "on", "off", ".nan", ".inf", "-.inf"];
    words.contains(&lower.as_str())
        || text.parse::<f64>().is_ok()
        || text.strip_prefix("0x").is_some_and(|hex| u64::from_str_radix(hex, 16).is_ok())
        || text.strip_prefix("0o").is_some_and(|octal| u64::from_str_radix(octal, 8).is_ok())
}

fn needs_quotes(text: &str) -> bool {
    text.is_empty()
        || looks_typed(text)
        || text.starts_with(|c: char| "!&*-?|>@`%{}[],#:\"' \t".contains(c))
            && !(text.starts_with(['-', '?', ':'])
                && text[1..].starts_with(|c: char| c.is_alphanumeric() || c == '-' || c == '/'))
        || text.ends_with([' ', '\t', ':'])
        || text.contains(": ")
        || text.contains(" #")
}
