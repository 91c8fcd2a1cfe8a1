//! The `alias` and `unalias` builtins.

use std::rc::Rc;

use super::{USAGE, shown};
use crate::expand::quote;
use crate::shell::{Exec, Shell};
use crate::syntax::ast::Text;

/// Returns the definition of an alias, which POSIX mode prints without a command before it.
fn line(command: &[u8], name: &[u8], value: &[u8]) -> Text {
    [command, name, b"=", &quote::single(value), b"\n"].concat()
}

pub(super) fn alias(shell: &mut Shell, args: &[Text]) -> Exec {
    let options = args[1..].iter().take_while(|arg| arg.len() > 1 && arg[0] == b'-').count();
    let (options, names) = args[1..].split_at(options);
    if let Some(unknown) = options.iter().find(|arg| *arg != b"-p" && *arg != b"--") {
        super::bad_option(shell, "alias", &shown(unknown));
        return Ok(USAGE);
    }
    let all = options.iter().any(|arg| arg == b"-p");
    let command: &[u8] = if shell.options.posix() && !all { b"" } else { b"alias " };
    let mut out = Vec::new();
    if names.is_empty() || all {
        let mut all: Vec<_> = shell.aliases.iter().collect();
        all.sort_unstable();
        for (name, value) in all {
            out.extend_from_slice(&line(command, name, value));
        }
    }
    let mut status = 0;
    for name in names {
        match name.iter().position(|c| *c == b'=').filter(|at| *at > 0) {
            Some(at) => {
                let aliases = Rc::make_mut(&mut shell.aliases);
                aliases.insert(name[..at].to_vec(), name[at + 1..].to_vec());
            }
            None => match shell.aliases.get(name.as_slice()) {
                Some(value) => out.extend_from_slice(&line(command, name, value)),
                None => {
                    shell.warn(&format!("alias: {}: not found", shown(name)));
                    status = 1;
                }
            },
        }
    }
    let written = shell.print(&out, "alias")?;
    Ok(status.max(written))
}

pub(super) fn unalias(shell: &mut Shell, args: &[Text]) -> Exec {
    if args.len() < 2 {
        shell.print_error(b"unalias: usage: unalias [-a] name [name ...]\n");
        return Ok(USAGE);
    }
    if args[1].len() > 1 && args[1][0] == b'-' && args[1] != b"-a" && args[1] != b"--" {
        super::bad_option(shell, "unalias", &shown(&args[1]));
        return Ok(USAGE);
    }
    let mut status = 0;
    for name in args[1..].iter().filter(|arg| *arg != b"--") {
        let aliases = Rc::make_mut(&mut shell.aliases);
        if name == b"-a" {
            aliases.clear();
        } else if aliases.remove(name).is_none() {
            shell.warn(&format!("unalias: {}: not found", shown(name)));
            status = 1;
        }
    }
    Ok(status)
}
