//! Files of the stand-in host: in memory for tests, or those of this machine for the example
//! `run_script`, which compares scripts with Node.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::io::ErrorKind;

use cofferdam_abi::call::ToolCall;
use cofferdam_abi::frame::{Refusal, Status};
use cofferdam_abi::value::{self, Value};
use cofferdam_abi::wire::{Reader, Writer};

thread_local! {
    static FILES: RefCell<BTreeMap<String, Vec<u8>>> = const { RefCell::new(BTreeMap::new()) };
    static IS_MACHINE: Cell<bool> = const { Cell::new(false) };
}

/// Adds a file in memory.
pub fn add_file(path: &str, content: &[u8]) {
    FILES.with_borrow_mut(|files| files.insert(path.into(), content.into()));
}

/// Gives the tool this machine's files, without any check.
pub fn serve_machine() {
    IS_MACHINE.set(true);
}

pub(super) fn forget() {
    FILES.take();
}

/// Returns true if the tool has files.
pub(super) fn is_served() -> bool {
    IS_MACHINE.get() || !FILES.with_borrow(BTreeMap::is_empty)
}

type Found<T> = Result<T, ErrorKind>;

/// Answers a call about files; `None` if there are no files here, or the call is another.
pub(super) fn answer(call: ToolCall, payload: &[u8]) -> Option<(Status, Vec<u8>)> {
    if !is_served() {
        return None;
    }
    let mut fields = Reader::new(payload);
    let path = fields.str().ok()?.to_owned();
    let answered = match call {
        ToolCall::FileRead | ToolCall::ModuleRead => read(&path),
        ToolCall::FileWrite => {
            let appends = fields.u8().ok()? == 1;
            let mut content = if appends { read(&path).unwrap_or_default() } else { Vec::new() };
            content.extend_from_slice(fields.take(fields.remaining()).ok()?);
            write(&path, content)
        }
        ToolCall::FileLook => look(&path).map(|(kind, size)| {
            let number = |name: &str, n: f64| (name.to_owned(), Value::Number(n));
            packed(&Value::Object(vec![
                ("type".to_owned(), Value::String(kind.into())),
                number("size", size as f64),
                number("mode", 420.0),
                number("atimeMs", 0.0),
                number("mtimeMs", 0.0),
                number("ctimeMs", 0.0),
            ]))
        }),
        ToolCall::FileList => list(&path).map(|names| {
            let pair = |(name, kind): (String, &str)| {
                Value::Array(vec![Value::String(name), Value::String(kind.into())])
            };
            packed(&Value::Array(names.into_iter().map(pair).collect()))
        }),
        ToolCall::FolderMake => match IS_MACHINE.get() {
            true => std::fs::create_dir_all(&path).map(|()| Vec::new()).map_err(|e| e.kind()),
            false => Ok(Vec::new()),
        },
        ToolCall::FileRemove => remove(&path),
        _ => return None,
    };
    Some(match answered {
        Ok(bytes) => (Status::Done, bytes),
        Err(kind) => (Status::Refused, refusal(kind, &path)),
    })
}

fn packed(value: &Value) -> Vec<u8> {
    let mut w = Writer::new();
    value::encode(value, &mut w);
    w.finish()
}

fn refusal(kind: ErrorKind, path: &str) -> Vec<u8> {
    let (code, text) = match kind {
        ErrorKind::NotFound => ("ENOENT", "no such file or directory"),
        ErrorKind::NotADirectory => ("ENOTDIR", "not a directory"),
        ErrorKind::IsADirectory => ("EISDIR", "is a directory"),
        _ => ("EIO", "input or output error"),
    };
    let mut w = Writer::new();
    let message = format!("{code}: {text}, '{path}'");
    Refusal { name: "Error", message: &message, members: vec![("code", code), ("path", path)] }
        .write(&mut w);
    w.finish()
}

fn read(path: &str) -> Found<Vec<u8>> {
    match IS_MACHINE.get() {
        true => std::fs::read(path).map_err(|error| error.kind()),
        false => FILES.with_borrow(|files| files.get(path).cloned()).ok_or(ErrorKind::NotFound),
    }
}

fn write(path: &str, content: Vec<u8>) -> Found<Vec<u8>> {
    match IS_MACHINE.get() {
        true => std::fs::write(path, content).map_err(|error| error.kind())?,
        false => add_file(path, &content),
    }
    Ok(Vec::new())
}

fn remove(path: &str) -> Found<Vec<u8>> {
    match IS_MACHINE.get() {
        true => std::fs::remove_file(path).map_err(|error| error.kind())?,
        false => drop(FILES.with_borrow_mut(|files| files.remove(path))),
    }
    Ok(Vec::new())
}

fn look(path: &str) -> Found<(&'static str, u64)> {
    if IS_MACHINE.get() {
        let meta = std::fs::metadata(path).map_err(|error| error.kind())?;
        return Ok((if meta.is_dir() { "directory" } else { "file" }, meta.len()));
    }
    FILES.with_borrow(|files| match files.get(path) {
        Some(content) => Ok(("file", content.len() as u64)),
        None if files.keys().any(|key| key.starts_with(&format!("{path}/"))) => {
            Ok(("directory", 0))
        }
        None => Err(ErrorKind::NotFound),
    })
}

fn list(path: &str) -> Found<Vec<(String, &'static str)>> {
    if IS_MACHINE.get() {
        let entries = std::fs::read_dir(path).map_err(|error| error.kind())?;
        let mut names: Vec<_> = entries
            .filter_map(Result::ok)
            .map(|entry| {
                let kind = if entry.path().is_dir() { "directory" } else { "file" };
                (entry.file_name().to_string_lossy().into_owned(), kind)
            })
            .collect();
        names.sort();
        return Ok(names);
    }
    let below = format!("{}/", path.trim_end_matches('/'));
    let mut names = BTreeMap::new();
    FILES.with_borrow(|files| {
        for rest in files.keys().filter_map(|key| key.strip_prefix(&below)) {
            match rest.split_once('/') {
                Some((folder, _)) => names.insert(folder.to_owned(), "directory"),
                None => names.insert(rest.to_owned(), "file"),
            };
        }
    });
    match names.is_empty() {
        true => Err(ErrorKind::NotFound),
        false => Ok(names.into_iter().collect()),
    }
}
