//! The `fc` builtin, limited to the forms that need no editor.

use super::history::take_own;
use super::{USAGE, number, shown};
use crate::shell::{Exec, Shell};
use crate::syntax::ast::Text;

/// Number of entries listed by default.
const PAGE: usize = 16;

pub(super) fn fc(shell: &mut Shell, args: &[Text]) -> Exec {
    let (mut lists, mut plain, mut reverse, mut runs) = (false, false, false, false);
    let mut editor = None;
    let mut at = 1;
    while let Some(arg) = args.get(at).filter(|arg| arg.len() > 1 && arg[0] == b'-') {
        if arg[1].is_ascii_digit() {
            break;
        }
        at += 1;
        if arg == b"--" {
            break;
        }
        for letter in &arg[1..] {
            match letter {
                b'l' => lists = true,
                b'n' => plain = true,
                b'r' => reverse = true,
                b's' => runs = true,
                b'e' => {
                    editor = args.get(at).cloned();
                    at += 1;
                }
                _ => {
                    super::bad_option(shell, "fc", &shown(arg));
                    return Ok(USAGE);
                }
            }
        }
    }
    let rest = args.get(at..).unwrap_or_default();
    take_own(shell);
    if runs || editor.as_deref() == Some(b"-") {
        return again(shell, rest);
    }
    if !lists {
        shell.warn("fc: there is no editor in a sandbox; use fc -l or fc -s");
        return Ok(1);
    }
    if shell.history.entries().len() == 0 {
        return Ok(0);
    }
    let newest = shell.history.next() - 1;
    let oldest = shell.history.first();
    let first = match rest.first() {
        Some(spec) => find(shell, spec),
        None => Some((newest + 1).saturating_sub(PAGE).max(oldest)),
    };
    let last = match rest.get(1) {
        Some(spec) => find(shell, spec),
        None => Some(newest),
    };
    let (Some(first), Some(last)) = (first, last) else {
        shell.warn("fc: history specification out of range");
        return Ok(1);
    };
    let is_down = first > last || reverse;
    let (low, high) = (first.min(last), first.max(last));
    let mut numbers: Vec<usize> = (low..=high).collect();
    if is_down {
        numbers.reverse();
    }
    let mut out = Vec::new();
    for number in numbers {
        let Some(text) = shell.history.get(number) else { continue };
        if !plain {
            out.extend_from_slice(number.to_string().as_bytes());
        }
        out.extend_from_slice(b"\t ");
        out.extend_from_slice(text);
        out.push(b'\n');
    }
    shell.print(&out, "fc")
}

/// Implements `fc -s [old=new] [which]`: runs an entry again.
fn again(shell: &mut Shell, rest: &[Text]) -> Exec {
    let mut rest = rest;
    let mut changes = Vec::new();
    while let [first, more @ ..] = rest
        && let Some(at) = first.iter().position(|c| *c == b'=')
    {
        changes.push((first[..at].to_vec(), first[at + 1..].to_vec()));
        rest = more;
    }
    let number = match rest.first() {
        Some(spec) => find(shell, spec),
        None => Some(shell.history.next() - 1),
    };
    let Some(mut text) = number.and_then(|number| shell.history.get(number)).cloned() else {
        shell.warn("fc: no command found");
        return Ok(1);
    };
    for (old, new) in changes.into_iter().filter(|(old, _)| !old.is_empty()) {
        let mut from = 0;
        while let Some(at) = text[from..].windows(old.len()).position(|piece| piece == old)
            && text.len() < crate::expand::MAX_VALUE
        {
            let at = from + at;
            text.splice(at..at + old.len(), new.iter().copied());
            from = at + new.len();
        }
    }
    let mut line = text.clone();
    line.push(b'\n');
    shell.print_error(&line);
    let size = shell.history_size();
    shell.history.push(text.clone(), size);
    shell.exec_text(&text, shell.line, "fc")
}

/// Finds the entry for a number, an offset from the newest, or the beginning of a command.
fn find(shell: &Shell, spec: &[u8]) -> Option<usize> {
    let (oldest, newest) = (shell.history.first(), shell.history.next().checked_sub(1)?);
    match number(spec) {
        Some(0) => Some(newest),
        Some(number) if number < 0 => {
            let at = (newest as i64 + 1 + number).max(oldest as i64);
            usize::try_from(at).ok()
        }
        Some(number) => usize::try_from(number).ok().map(|at| at.clamp(oldest, newest)),
        None => {
            let mut entries = shell.history.entries().rev();
            entries.find(|(_, text)| text.starts_with(spec)).map(|(number, _)| number)
        }
    }
}
