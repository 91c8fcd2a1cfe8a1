//! The `break`, `continue`, `return` and `exit` builtins.

use super::{number, shown, too_many};
use crate::shell::{Exec, Flow, Shell};
use crate::syntax::ast::Text;

fn loops(shell: &mut Shell, args: &[Text], who: &str) -> Result<Option<usize>, Flow> {
    if shell.loops == 0 {
        if shell.options.posix() {
            return Ok(None);
        }
        shell.warn(&format!("{who}: only meaningful in a `for', `while', or `until' loop"));
        return Ok(None);
    }
    let Some(arg) = args.get(1) else { return Ok(Some(1)) };
    if args.len() > 2 {
        return Err(too_many(shell, who));
    }
    match number(arg) {
        Some(n) if n > 0 => Ok(Some((n as usize).min(shell.loops))),
        Some(_) => {
            shell.warn(&format!("{who}: {}: loop count out of range", shown(arg)));
            shell.failed_break = true;
            Err(Flow::Break(shell.loops))
        }
        None => {
            shell.warn(&format!("{who}: {}: numeric argument required", shown(arg)));
            Err(Flow::Exit(128))
        }
    }
}

pub(super) fn break_(shell: &mut Shell, args: &[Text]) -> Exec {
    match loops(shell, args, "break")? {
        Some(n) => Err(Flow::Break(n)),
        None => Ok(0),
    }
}

pub(super) fn continue_(shell: &mut Shell, args: &[Text]) -> Exec {
    match loops(shell, args, "continue")? {
        Some(n) => Err(Flow::Continue(n)),
        None => Ok(0),
    }
}

fn status(shell: &mut Shell, args: &[Text], who: &str) -> Result<i32, Flow> {
    let args = match args.get(1) {
        Some(arg) if arg == b"--" => &args[1..],
        _ => args,
    };
    if args.len() > 2 && number(&args[1]).is_some() {
        return Err(too_many(shell, who));
    }
    match args.get(1) {
        // `exit` in the trap of a signal has the status of the last command, `return` that of the
        // command before the trap.
        None if who == "exit" && !shell.traps.is_exiting => Ok(shell.status),
        None => Ok(shell.traps.status_before.unwrap_or(shell.status)),
        Some(arg) => match number(arg) {
            Some(n) => Ok((n & 0xff) as i32),
            None => {
                shell.warn(&format!("{who}: {}: numeric argument required", shown(arg)));
                Err(if who == "exit" { Flow::Exit(2) } else { Flow::Return(2) })
            }
        },
    }
}

pub(super) fn return_(shell: &mut Shell, args: &[Text]) -> Exec {
    if args.len() > 2 && number(&args[1]).is_some() {
        return Err(too_many(shell, "return"));
    }
    if shell.frames.is_empty() {
        if let Some(arg) = args.get(1).filter(|arg| *arg != b"--" && number(arg).is_none()) {
            shell.warn(&format!("return: {}: numeric argument required", shown(arg)));
        }
        shell.warn("return: can only `return' from a function or sourced script");
        return Ok(2);
    }
    status(shell, args, "return").and_then(|status| Err(Flow::Return(status)))
}

pub(super) fn logout(shell: &mut Shell, args: &[Text]) -> Exec {
    if shell.options.is_shopt("login_shell") != Some(true) {
        shell.warn("logout: not login shell: use `exit'");
        return Ok(1);
    }
    exit(shell, args)
}

pub(super) fn exit(shell: &mut Shell, args: &[Text]) -> Exec {
    let status = status(shell, args, "exit")?;
    shell.run_logout_file();
    // The EXIT trap sees the function and the local variables of `exit`.
    Err(Flow::Exit(shell.run_exit_trap(status)))
}
