//! The `set` builtin.

use std::rc::Rc;

use super::{USAGE, shown};
use crate::shell::options::SET;
use crate::shell::{Exec, Shell};
use crate::syntax::ast::Text;

pub(super) fn set(shell: &mut Shell, args: &[Text]) -> Exec {
    if args.len() == 1 {
        let mut vars = shell.listed();
        vars.retain(|(name, _)| !shell.vars.contains_key(name.as_slice()));
        vars.extend(shell.vars.iter().map(|(name, var)| (name.to_vec(), var.clone())));
        vars.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        let mut out = Vec::new();
        for (name, var) in vars.iter().filter(|(_, var)| var.is_assigned()) {
            out.extend_from_slice(&super::declare::setting(name, var));
        }
        if !shell.options.posix() {
            out.extend_from_slice(&super::declare::all_functions(shell));
        }
        return shell.print(&out, "set");
    }
    if let Some(letter) = bad_letter(shell, &args[1..]) {
        super::bad_option(shell, "set", &letter);
        return Ok(USAGE);
    }
    let mut at = 1;
    while let Some(arg) = args.get(at) {
        let on = match arg.first() {
            Some(b'-') => true,
            Some(b'+') => false,
            _ => break,
        };
        if arg == b"--" {
            shell.args = Rc::new(args[at + 1..].to_vec());
            shell.args_set = !shell.frames.iter().any(|frame| frame.is_function);
            return Ok(0);
        }
        if arg == b"-" {
            shell.options.set_named("xtrace", false);
            shell.options.set_named("verbose", false);
            if args.len() > at + 1 {
                shell.args = Rc::new(args[at + 1..].to_vec());
                shell.args_set = !shell.frames.iter().any(|frame| frame.is_function);
            }
            return Ok(0);
        }
        at += 1;
        for letter in &arg[1..] {
            if *letter == b'o' {
                match args.get(at) {
                    Some(name) if !matches!(name.first(), Some(b'-' | b'+')) => {
                        let name = shown(name);
                        if !shell.options.set_named(&name, on) {
                            shell.warn(&format!("set: {name}: invalid option name"));
                            return Ok(USAGE);
                        }
                        if name == "posix" {
                            shell.note_posix();
                        }
                        if name == "history" && on && !shell.interactive {
                            shell.load_history();
                        }
                        at += 1;
                    }
                    _ => {
                        list(shell, on)?;
                    }
                }
            } else {
                shell.options.set_letter(*letter, on);
            }
        }
    }
    if at < args.len() {
        shell.args = Rc::new(args[at..].to_vec());
        shell.args_set = !shell.frames.iter().any(|frame| frame.is_function);
    }
    Ok(0)
}

/// Returns the first option that does not exist, with its sign: then none of them is set.
fn bad_letter(shell: &Shell, args: &[Text]) -> Option<String> {
    let mut args = args.iter().peekable();
    while let Some([sign @ (b'-' | b'+'), letters @ ..]) = args.next().map(Vec::as_slice) {
        if letters.is_empty() || letters == b"-" {
            return None;
        }
        for letter in letters {
            let is_name = |arg: &&Text| !matches!(arg.first(), Some(b'-' | b'+'));
            if *letter == b'o' {
                args.next_if(is_name);
            } else if !{ shell.options }.set_letter(*letter, true) {
                return Some(format!("{}{}", char::from(*sign), char::from(*letter)));
            }
        }
    }
    None
}

fn list(shell: &mut Shell, table: bool) -> Exec {
    let mut out = String::new();
    for (_, name) in SET {
        let on = shell.options.is_set(name) == Some(true);
        if table {
            out.push_str(&format!("{name:<15}\t{}\n", if on { "on" } else { "off" }));
        } else {
            out.push_str(&format!("set {}o {name}\n", if on { '-' } else { '+' }));
        }
    }
    shell.print(out.as_bytes(), "set")
}
