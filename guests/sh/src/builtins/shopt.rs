//! The `shopt` builtin.

use super::{USAGE, shown};
use crate::shell::options::{SET, SHOPT, shopt_name};
use crate::shell::{Exec, Shell};
use crate::syntax::ast::Text;

pub(super) fn shopt(shell: &mut Shell, args: &[Text]) -> Exec {
    let (mut on, mut off) = (false, false);
    let (mut quiet, mut reuse, mut set) = (false, false, false);
    let mut names = Vec::new();
    for arg in &args[1..] {
        if arg.first() == Some(&b'-') && arg.len() > 1 && names.is_empty() {
            for letter in &arg[1..] {
                match letter {
                    b's' => on = true,
                    b'u' => off = true,
                    b'q' => quiet = true,
                    b'p' => reuse = true,
                    b'o' => set = true,
                    _ => {
                        super::bad_option(shell, "shopt", &shown(arg));
                        return Ok(USAGE);
                    }
                }
            }
        } else {
            names.push(shown(arg));
        }
    }
    let turn = match (on, off) {
        (true, true) => {
            shell.warn("shopt: cannot set and unset shell options simultaneously");
            return Ok(1);
        }
        (true, false) => Some(true),
        (false, true) => Some(false),
        (false, false) => None,
    };
    let known: Vec<&'static str> = if set {
        SET.iter().map(|(_, name)| *name).collect()
    } else {
        SHOPT.iter().map(|(name, _)| shopt_name(name)).collect()
    };
    let is_on = |shell: &Shell, name: &str| {
        if set { shell.options.is_set(name) } else { shell.options.is_shopt(name) }
    };
    let line = |name: &str, on: bool| match (reuse, set) {
        (true, true) => format!("set {}o {name}\n", if on { '-' } else { '+' }),
        (true, false) => format!("shopt -{} {name}\n", if on { 's' } else { 'u' }),
        (false, _) => format!("{name:<15}\t{}\n", if on { "on" } else { "off" }),
    };
    let mut out = String::new();
    let mut status = 0;
    if names.is_empty() && quiet {
        return Ok(0);
    }
    if names.is_empty() {
        for name in known {
            let on = is_on(shell, name).unwrap_or(false);
            if turn.is_none_or(|turn| turn == on) {
                out.push_str(&line(name, on));
            }
        }
        return shell.print(out.as_bytes(), "shopt");
    }
    for name in &names {
        let Some(on) = is_on(shell, name) else {
            let what = if set { "option name" } else { "shell option name" };
            shell.warn(&format!("shopt: {name}: invalid {what}"));
            // bash reports success for `shopt -o`.
            status = i32::from(!set || turn.is_none());
            continue;
        };
        match turn {
            Some(turn) => {
                if set {
                    shell.options.set_named(name, turn);
                    if name == "posix" {
                        shell.note_posix();
                    }
                } else {
                    shell.options.shopt_named(name, turn);
                    if let Some(level) = name.strip_prefix("compat") {
                        match turn {
                            true => shell.set(b"BASH_COMPAT", level.as_bytes().to_vec())?,
                            false => shell.unset(b"BASH_COMPAT")?,
                        }
                    }
                    if name == "extdebug" {
                        shell.options.set_named("functrace", turn);
                        shell.options.set_named("errtrace", turn);
                        if turn {
                            shell.note_arguments();
                        }
                    }
                }
            }
            None => {
                if !on {
                    status = 1;
                }
                if !quiet {
                    out.push_str(&line(name, on));
                }
            }
        }
    }
    let written = shell.print(out.as_bytes(), "shopt")?;
    Ok(status.max(written))
}
