//! The `history` builtin.

use super::{USAGE, number, shown};
use crate::shell::output::reason;
use crate::shell::{Exec, Shell};
use crate::syntax::ast::Text;

/// Operation on the history file.
#[derive(Clone, Copy)]
enum File {
    Append,
    Read,
    ReadNew,
    Write,
}

pub(super) fn history(shell: &mut Shell, args: &[Text]) -> Exec {
    let mut file = None;
    let mut at = 1;
    while let Some(arg) = args.get(at).filter(|arg| arg.len() > 1 && arg[0] == b'-') {
        at += 1;
        if arg == b"--" {
            break;
        }
        for letter in &arg[1..] {
            match letter {
                b'c' => shell.history.clear(),
                b'd' => {
                    let Some(spec) = args.get(at) else {
                        super::needs_argument(shell, "history", "-d");
                        return Ok(USAGE);
                    };
                    return delete(shell, &spec.clone());
                }
                b's' => {
                    // The `history -s` command itself gets no entry.
                    take_own(shell);
                    let text = args[at..].join(&b' ');
                    let size = shell.history_size();
                    if !text.is_empty() {
                        shell.history.push(text, size);
                    }
                    return Ok(0);
                }
                b'p' => {
                    take_own(shell);
                    let lines: Vec<u8> =
                        args[at..].iter().flat_map(|arg| [arg, &b"\n"[..]].concat()).collect();
                    return shell.print(&lines, "history");
                }
                b'a' => file = Some(File::Append),
                b'n' => file = Some(File::ReadNew),
                b'r' => file = Some(File::Read),
                b'w' => file = Some(File::Write),
                _ => {
                    super::bad_option(shell, "history", &shown(arg));
                    return Ok(USAGE);
                }
            }
        }
    }
    let rest = &args[at..];
    match file {
        Some(file) => use_file(shell, file, rest.first().cloned()),
        None if args.len() > 1 && rest.is_empty() => Ok(0),
        None => list(shell, rest),
    }
}

fn list(shell: &mut Shell, rest: &[Text]) -> Exec {
    let mut count = usize::MAX;
    if let [first, more @ ..] = rest {
        let Some(number) = number(first) else {
            shell.warn(&format!("history: {}: numeric argument required", shown(first)));
            return Ok(1);
        };
        if !more.is_empty() {
            return Err(super::too_many(shell, "history"));
        }
        count = usize::try_from(number.unsigned_abs()).unwrap_or(usize::MAX);
    }
    let entries = shell.history.entries();
    let skip = entries.len().saturating_sub(count);
    let mut out = Vec::new();
    for (number, text) in entries.skip(skip) {
        out.extend_from_slice(format!("{number:5}  ").as_bytes());
        out.extend_from_slice(text);
        out.push(b'\n');
    }
    shell.print(&out, "history")
}

fn delete(shell: &mut Shell, spec: &[u8]) -> Exec {
    let next = shell.history.next() as i64;
    let absolute = |text: &[u8]| {
        let number = number(text)?;
        usize::try_from(if number < 0 { next + number } else { number }).ok()
    };
    let dash = spec.iter().skip(1).position(|c| *c == b'-').map(|at| at + 1);
    let range = match dash {
        Some(at) => absolute(&spec[..at]).zip(absolute(&spec[at + 1..])),
        None => absolute(spec).map(|at| (at, at)),
    };
    match range {
        Some((from, to)) if shell.history.remove(from, to) => Ok(0),
        _ => {
            shell.warn(&format!("history: {}: history position out of range", shown(spec)));
            Ok(1)
        }
    }
}

fn use_file(shell: &mut Shell, file: File, name: Option<Text>) -> Exec {
    let name = name.or_else(|| shell.get(b"HISTFILE")).filter(|name| !name.is_empty());
    let Some(name) = name else { return Ok(1) };
    let size = shell.history_size();
    let done = match file {
        File::Append => shell.history.write(&name, true),
        File::Write => shell.history.write(&name, false),
        File::Read => shell.history.read(&name, false, size),
        File::ReadNew => shell.history.read(&name, true, size),
    };
    match done {
        Ok(()) => Ok(0),
        Err(error) => {
            shell.warn(&format!("history: {}: cannot use: {}", shown(&name), reason(&error)));
            Ok(1)
        }
    }
}

/// Removes the entry of the running command, if history is on.
pub(super) fn take_own(shell: &mut Shell) {
    if shell.options.history() {
        shell.history.pop();
    }
}
