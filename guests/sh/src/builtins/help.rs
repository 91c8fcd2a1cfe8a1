//! The `help` builtin.

use super::{BUILTINS, USAGE, shown};
use crate::pattern::{Pattern, Rules};
use crate::shell::{Exec, Shell};
use crate::syntax::ast::Text;

/// Returns the names and summaries of the sandbox's commands.
#[cfg(target_arch = "wasm32")]
fn commands() -> Vec<(&'static str, &'static str)> {
    use cofferdam_guest_commands::{names, summary};
    names().iter().map(|name| (*name, summary(name))).collect()
}

/// Returns nothing: on a real Unix the commands are those of the machine.
#[cfg(not(target_arch = "wasm32"))]
fn commands() -> Vec<(&'static str, &'static str)> {
    Vec::new()
}

pub(super) fn help(shell: &mut Shell, args: &[Text]) -> Exec {
    let mut out = Vec::new();
    let mut names = &args[1..];
    while let Some(([b'-', letters @ ..], more)) =
        names.split_first().map(|(arg, more)| (arg.as_slice(), more))
        && !letters.is_empty()
    {
        names = more;
        if letters == b"-" {
            break;
        }
        if let Some(wrong) = letters.iter().find(|letter| !b"dms".contains(letter)) {
            super::bad_option(shell, "help", &format!("-{}", char::from(*wrong)));
            return Ok(USAGE);
        }
    }
    if names.is_empty() {
        out.extend_from_slice(
            b"Commands of the shell itself; `help name' says how to use one:\n\n",
        );
        for builtin in BUILTINS {
            out.extend_from_slice(format!(" {}\n", builtin.usage).as_bytes());
        }
        let commands = commands();
        if !commands.is_empty() {
            out.extend_from_slice(b"\nOther commands; `name --help' says how to use one:\n\n");
        }
        for (name, summary) in commands {
            out.extend_from_slice(format!(" {name:<10} {summary}\n").as_bytes());
        }
        return shell.print(&out, "help");
    }
    let (mut status, mut any) = (0, false);
    if let Some(name) = names.iter().find(|name| name.iter().any(|c| b"*?[".contains(c))) {
        let many = if names.len() > 1 { "s" } else { "" };
        out.extend_from_slice(
            format!("Shell commands matching keyword{many} `{}'\n\n", shown(name)).as_bytes(),
        );
    }
    for name in names {
        let pattern = Pattern::new(name, Rules::default());
        let mut found = false;
        for builtin in BUILTINS.iter().filter(|b| pattern.matches(b.name.as_bytes())) {
            found = true;
            out.extend_from_slice(format!("{}: {}\n", builtin.name, builtin.usage).as_bytes());
        }
        for (name, summary) in commands() {
            if pattern.matches(name.as_bytes()) {
                found = true;
                out.extend_from_slice(format!("{name}: {summary}\n").as_bytes());
            }
        }
        any |= found;
        if !found {
            let name = shown(name);
            shell.warn(&format!(
                "help: no help topics match `{name}'.  Try `help help' or `man -k {name}' or `info {name}'."
            ));
            status = 1;
        }
    }
    if any {
        status = 0;
    }
    let written = shell.print(&out, "help")?;
    Ok(status.max(written))
}
