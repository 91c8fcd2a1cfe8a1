//! The `enable` builtin, which turns builtins on and off.

use super::{BUILTINS, find, shown};
use crate::shell::{Exec, Shell};
use crate::syntax::ast::Text;

pub(super) fn enable(shell: &mut Shell, args: &[Text]) -> Exec {
    let mut off = false;
    let mut all = false;
    let mut special = false;
    let mut removes = false;
    let mut names = Vec::new();
    for arg in &args[1..] {
        match arg.as_slice() {
            arg if arg.first() == Some(&b'-') && arg.len() > 1 => {
                for letter in &arg[1..] {
                    match letter {
                        b'n' => off = true,
                        b'a' => all = true,
                        b's' => special = true,
                        b'p' => {}
                        b'd' => removes = true,
                        b'f' => {
                            shell.warn("enable: -f: there are no loadable builtins");
                            return Ok(1);
                        }
                        letter => {
                            let letter = char::from(*letter);
                            super::bad_option(shell, "enable", &format!("-{letter}"));
                            return Ok(super::USAGE);
                        }
                    }
                }
            }
            _ => names.push(arg.clone()),
        }
    }
    if names.is_empty() {
        let mut out = Vec::new();
        for builtin in BUILTINS.iter().filter(|builtin| builtin.special || !special) {
            let disabled = shell.disabled.iter().any(|name| name == builtin.name.as_bytes());
            if all || disabled == off {
                let sign = if disabled { "-n " } else { "" };
                out.extend_from_slice(format!("enable {sign}{}\n", builtin.name).as_bytes());
            }
        }
        return shell.print(&out, "enable");
    }
    let mut status = 0;
    for name in names {
        if find(&name).is_none() {
            shell.warn(&format!("enable: {}: not a shell builtin", shown(&name)));
            status = 1;
            continue;
        }
        if removes {
            shell.warn(&format!("enable: {}: not dynamically loaded", shown(&name)));
            status = 1;
            continue;
        }
        shell.disabled.retain(|disabled| *disabled != name);
        if off {
            shell.disabled.push(name);
        }
    }
    Ok(status)
}
