//! The `break`, `continue`, `return` and `exit` builtins.

use super::{number, shown};
use crate::shell::{Exec, Flow, Shell};
use crate::syntax::ast::Text;

fn loops(shell: &mut Shell, args: &[Text], who: &str) -> Result<Option<usize>, Flow> {
    if shell.loops == 0 {
        shell.warn(&format!("{who}: only meaningful in a `for', `while', or `until' loop"));
        return Ok(None);
    }
    let Some(arg) = args.get(1) else { return Ok(Some(1)) };
    if args.len() > 2 {
        shell.warn(&format!("{who}: too many arguments"));
        return Err(Flow::Discard(1));
    }
    match number(arg) {
        Some(n) if n > 0 => Ok(Some((n as usize).min(shell.loops))),
        Some(_) => {
            shell.warn(&format!("{who}: {}: loop count out of range", shown(arg)));
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

fn status(shell: &mut Shell, args: &[Text], who: &str) -> Result<i32, i32> {
    let args = match args.get(1) {
        Some(arg) if arg == b"--" => &args[1..],
        _ => args,
    };
    if args.len() > 2 && number(&args[1]).is_some() {
        shell.warn(&format!("{who}: too many arguments"));
        return Err(1);
    }
    match args.get(1) {
        None => Ok(shell.status),
        Some(arg) => match number(arg) {
            Some(n) => Ok((n & 0xff) as i32),
            None => {
                shell.warn(&format!("{who}: {}: numeric argument required", shown(arg)));
                Err(2)
            }
        },
    }
}

pub(super) fn return_(shell: &mut Shell, args: &[Text]) -> Exec {
    if shell.frames.is_empty() {
        shell.warn("return: can only `return' from a function or sourced script");
        return Ok(2);
    }
    match status(shell, args, "return") {
        Ok(status) | Err(status) => Err(Flow::Return(status)),
    }
}

pub(super) fn exit(shell: &mut Shell, args: &[Text]) -> Exec {
    match status(shell, args, "exit") {
        Ok(status) => Err(Flow::Exit(status)),
        // With too many arguments `exit` fails and the shell continues.
        Err(1) => Ok(1),
        Err(status) => Err(Flow::Exit(status)),
    }
}
