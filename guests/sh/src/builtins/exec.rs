//! The `exec` builtin, which replaces the shell with a program.

use super::{USAGE, shown};
use crate::shell::{Exec, Flow, Shell};
use crate::syntax::ast::Text;

/// Status of a command that does not exist.
const NOT_FOUND: i32 = 127;

pub(super) fn exec(shell: &mut Shell, args: &[Text]) -> Exec {
    let mut rest = &args[1..];
    let mut name = None;
    let mut clean = false;
    let mut login = false;
    while let Some((arg, more)) = rest.split_first() {
        match arg.as_slice() {
            b"--" => {
                rest = more;
                break;
            }
            b"-c" => clean = true,
            b"-l" => login = true,
            b"-a" => {
                if more.is_empty() {
                    super::needs_argument(shell, "exec", "-a");
                    return Ok(USAGE);
                }
                name = more.first().cloned();
                rest = more.get(1..).unwrap_or(&[]);
                continue;
            }
            arg if arg.len() > 1 && arg[0] == b'-' => {
                super::bad_option(shell, "exec", &shown(arg));
                return super::misused(shell, USAGE);
            }
            _ => break,
        }
        rest = more;
    }
    if rest.is_empty() {
        return Ok(0);
    }
    // A cell cannot replace a process, so the shell waits for the program and exits with its
    // status, without running its EXIT trap.
    let mut args = rest.to_vec();
    let found = shell.find_program(&args[0]);
    if login {
        let first = name.take().unwrap_or_else(|| args[0].clone());
        name = Some([b"-", first.as_slice()].concat());
    }
    if let (Some(name), crate::exec::find::Found::Program(path)) = (name, &found) {
        shell.hashed.insert(name.clone(), path.clone());
        args[0] = name;
    }
    if matches!(found, crate::exec::find::Found::Nothing) && !args[0].contains(&b'/') {
        shell.warn(&format!("exec: {}: not found", shown(&args[0])));
        let goes_on = goes_on(shell);
        return if goes_on { Ok(NOT_FOUND) } else { Err(Flow::Exit(NOT_FOUND)) };
    }
    let mut env = if clean { Vec::new() } else { shell.exported() };
    shell.lower_level(&mut env);
    match shell.spawn_program(&args, &env) {
        Ok(pid) => {
            let status = shell.wait_for(pid)?;
            shell.traps.list.remove(&crate::shell::traps::Event::Exit);
            Err(Flow::Exit(status.code()))
        }
        Err(status) if goes_on(shell) => Ok(status),
        Err(status) => Err(Flow::Exit(status)),
    }
}

/// Returns true if the shell survives a program that cannot be run. A subshell never does.
fn goes_on(shell: &Shell) -> bool {
    !shell.in_subshell && (shell.options.execfail() || shell.interactive)
}
