//! The `kill` builtin.

use cofferdam_guest_sys as sys;

use super::{USAGE, number, shown};
use crate::shell::output::reason;
use crate::shell::traps::{signal_name, signal_number};
use crate::shell::{Exec, Flow, Shell};
use crate::syntax::ast::Text;

/// Default signal.
const SIGTERM: u8 = 15;

fn signal(text: &[u8]) -> Option<u8> {
    match number(text) {
        Some(n @ 0..=64) => Some(n as u8),
        Some(_) => None,
        None => {
            let name = shown(text).to_ascii_uppercase();
            if name == "EXIT" { Some(0) } else { signal_number(&name) }
        }
    }
}

pub(super) fn kill(shell: &mut Shell, args: &[Text]) -> Exec {
    let mut rest = &args[1..];
    let mut which = SIGTERM;
    if let Some(first) = rest.first() {
        match first.as_slice() {
            b"-l" | b"-L" => return list(shell, &rest[1..]),
            b"-s" | b"-n" => {
                let Some(name) = rest.get(1).cloned() else {
                    shell.warn(&format!("kill: {}: option requires an argument", shown(first)));
                    return Ok(1);
                };
                match signal(&name) {
                    Some(signal) => which = signal,
                    None => return invalid(shell, &name),
                }
                rest = rest.get(2..).unwrap_or(&[]);
            }
            b"--" => rest = &rest[1..],
            option if option.len() > 1 && option[0] == b'-' => {
                match signal(&option[1..]) {
                    Some(signal) => which = signal,
                    None => return invalid(shell, &option[1..]),
                }
                rest = &rest[1..];
            }
            _ => {}
        }
    }
    if rest.first().is_some_and(|arg| arg == b"--") {
        rest = &rest[1..];
    }
    if rest.is_empty() {
        shell.print_error(b"kill: usage: kill [-s sigspec | -n signum | -sigspec] pid | jobspec ... or kill -l [sigspec]\n");
        return Ok(USAGE);
    }
    // A child that has ended must not look alive.
    while let Ok(Some((pid, ended))) = sys::wait(sys::Which::Any, true) {
        shell.jobs.note(pid, ended);
    }
    let mut status = 0;
    for target in rest {
        let pids = if target.first() == Some(&b'%') {
            match shell.jobs.find(target) {
                Some(at) => shell.jobs.list[at].pids.clone(),
                None => {
                    shell.warn(&format!("kill: {}: no such job", shown(target)));
                    status = 1;
                    continue;
                }
            }
        } else {
            match number(target) {
                Some(pid) if pid <= 0 && cfg!(target_arch = "wasm32") => group(shell, -pid as u32),
                Some(pid) => vec![pid as u32],
                None => {
                    let text = shown(target);
                    let what = match text.is_empty() {
                        true => "`': not a pid or valid job spec".to_owned(),
                        false => format!("{text}: arguments must be process or job IDs"),
                    };
                    shell.warn(&format!("kill: {what}"));
                    status = 1;
                    continue;
                }
            }
        };
        for pid in pids {
            if pid == shell.own_pid && which != 0 {
                return myself(shell, which);
            }
            if let Err(error) = sys::kill(pid, which) {
                shell.warn(&format!("kill: ({pid}) - {}", reason(&error)));
                status = 1;
            }
        }
    }
    Ok(status)
}

/// Returns the processes of a group. A sandbox has no groups, so that of the shell is the shell with
/// its background jobs, and any other number is a process.
fn group(shell: &Shell, leader: u32) -> Vec<u32> {
    if leader != 0 && leader != shell.pid && leader != shell.own_pid {
        return vec![leader];
    }
    let running = shell.jobs.list.iter().filter(|job| job.status().is_none());
    let mut pids: Vec<u32> = running.flat_map(|job| job.pids.iter().copied()).collect();
    pids.push(shell.own_pid);
    pids
}

/// Signals for which bash runs its EXIT trap before they end it: HUP, INT, USR1, USR2, PIPE,
/// ALRM and TERM.
const ENDING: [u8; 7] = [1, 2, 10, 12, 13, 14, 15];

/// Sends a signal to the shell itself; a trap for the signal runs at once.
fn myself(shell: &mut Shell, which: u8) -> Exec {
    if shell.traps.is_ignored(which) {
        return Ok(0);
    }
    if shell.traps.get(crate::shell::traps::Event::Signal(which)).is_some() {
        shell.run_trap(crate::shell::traps::Event::Signal(which))?;
        return Ok(0);
    }
    if ENDING.contains(&which) {
        let status = shell.status;
        shell.run_exit_trap(status);
    }
    if sys::kill(shell.own_pid, which).is_err() {
        return Err(Flow::Exit(128 + i32::from(which)));
    }
    Ok(0)
}

fn invalid(shell: &mut Shell, name: &[u8]) -> Exec {
    shell.warn(&format!("kill: {}: invalid signal specification", shown(name)));
    Ok(1)
}

fn list(shell: &mut Shell, names: &[Text]) -> Exec {
    let mut out = String::new();
    if names.is_empty() {
        out.push_str(&crate::shell::traps::signal_table());
    }
    let mut status = 0;
    for name in names {
        match number(name) {
            Some(n) if (0..=64).contains(&n) || (129..=192).contains(&n) => {
                let n = if n > 128 { n - 128 } else { n };
                out.push_str(&signal_name(n as u8));
                out.push('\n');
            }
            _ => match signal(name) {
                Some(number) => out.push_str(&format!("{number}\n")),
                None => {
                    invalid(shell, name)?;
                    status = 1;
                }
            },
        }
    }
    let written = shell.print(out.as_bytes(), "kill")?;
    Ok(status.max(written))
}
