//! The `enable` builtin, which turns builtins on and off.

use super::{BUILTINS, find, shown};
use crate::shell::{Exec, Shell};
use crate::syntax::ast::Text;

pub(super) fn enable(shell: &mut Shell, args: &[Text]) -> Exec {
    let mut off = false;
    let mut all = false;
    let mut names = Vec::new();
    for arg in &args[1..] {
        match arg.as_slice() {
            b"-n" => off = true,
            b"-a" => all = true,
            b"-p" | b"-s" => {}
            arg if arg.first() == Some(&b'-') => {
                shell.warn(&format!("enable: {}: not supported", shown(arg)));
                return Ok(super::USAGE);
            }
            _ => names.push(arg.clone()),
        }
    }
    if names.is_empty() {
        let mut out = Vec::new();
        for builtin in BUILTINS {
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
        shell.disabled.retain(|disabled| *disabled != name);
        if off {
            shell.disabled.push(name);
        }
    }
    Ok(status)
}
