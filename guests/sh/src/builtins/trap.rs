//! The `trap` builtin.

use super::{USAGE, shown};
use crate::expand::quote;
use crate::shell::traps::{Event, signal_table};
use crate::shell::{Exec, Shell};
use crate::syntax::ast::Text;

pub(super) fn trap(shell: &mut Shell, args: &[Text]) -> Exec {
    let mut rest = &args[1..];
    match rest.first().map(Vec::as_slice) {
        Some(b"-l") => {
            return shell.print(signal_table().as_bytes(), "trap");
        }
        Some(b"-p") => return show(shell, &rest[1..]),
        Some(b"--") => rest = &rest[1..],
        Some([b'-', letter, ..]) => {
            super::bad_option(shell, "trap", &format!("-{}", char::from(*letter)));
            return Ok(USAGE);
        }
        _ => {}
    }
    let Some((command, events)) = rest.split_first() else { return show(shell, &[]) };
    // A single argument, or a number as the first, resets those signals.
    let is_number = !command.is_empty() && command.iter().all(u8::is_ascii_digit);
    let (command, events) = if events.is_empty() || is_number {
        (None, rest)
    } else if command == b"-" {
        (None, events)
    } else {
        (Some(command.clone()), events)
    };
    if events.len() == 1 && rest.len() == 1 && Event::parse(&events[0]).is_none() {
        shell.print_error(b"trap: usage: trap [-lp] [[arg] signal_spec ...]\n");
        return Ok(USAGE);
    }
    let mut status = 0;
    shell.traps.inherited.clear();
    for name in events {
        match Event::parse(name) {
            Some(event) => {
                shell.traps.set(event, command.clone());
            }
            None => {
                shell.warn(&format!("trap: {}: invalid signal specification", shown(name)));
                status = 1;
            }
        }
    }
    Ok(status)
}

fn show(shell: &mut Shell, names: &[Text]) -> Exec {
    let mut out = Vec::new();
    let mut status = 0;
    let traps = shell.traps.shown();
    let mut wanted = Vec::new();
    for name in names {
        match Event::parse(name) {
            Some(event) => wanted.push(event),
            None => {
                shell.warn(&format!("trap: {}: invalid signal specification", shown(name)));
                status = 1;
            }
        }
    }
    if names.is_empty() {
        wanted = traps.keys().copied().collect();
    }
    for event in wanted {
        if let Some(command) = traps.get(&event) {
            out.extend_from_slice(b"trap -- ");
            out.extend_from_slice(&quote::plain_single(command));
            out.extend_from_slice(format!(" {}\n", event.name()).as_bytes());
        }
    }
    let written = shell.print(&out, "trap")?;
    Ok(status.max(written))
}
