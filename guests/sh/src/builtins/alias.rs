//! The `alias` and `unalias` builtins.

use std::rc::Rc;

use super::{USAGE, shown};
use crate::expand::quote;
use crate::shell::{Exec, Shell};
use crate::syntax::ast::Text;

fn line(name: &[u8], value: &[u8]) -> Text {
    [b"alias ", name, b"=", &quote::single(value), b"\n"].concat()
}

pub(super) fn alias(shell: &mut Shell, args: &[Text]) -> Exec {
    let names: Vec<&Text> = args[1..].iter().filter(|arg| *arg != b"-p" && *arg != b"--").collect();
    let mut out = Vec::new();
    if names.is_empty() {
        let mut all: Vec<_> = shell.aliases.iter().collect();
        all.sort_unstable();
        for (name, value) in all {
            out.extend_from_slice(&line(name, value));
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
                Some(value) => out.extend_from_slice(&line(name, value)),
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
        shell.warn("unalias: usage: unalias [-a] name [name ...]");
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
