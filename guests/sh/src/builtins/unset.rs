//! The `unset` builtin.

use super::{USAGE, shown};
use crate::shell::scope::split_place;
use crate::shell::{Exec, Flow, Shell};
use crate::syntax::ast::Text;

pub(super) fn unset(shell: &mut Shell, args: &[Text]) -> Exec {
    let (mut function, mut variable, mut reference) = (false, false, false);
    let mut at = 1;
    while let Some(arg) = args.get(at).filter(|arg| arg.len() > 1 && arg[0] == b'-') {
        at += 1;
        if arg == b"--" {
            break;
        }
        for letter in &arg[1..] {
            match letter {
                b'f' => function = true,
                b'v' => variable = true,
                b'n' => reference = true,
                _ => {
                    super::bad_option(shell, "unset", &format!("-{}", char::from(*letter)));
                    return Ok(USAGE);
                }
            }
        }
    }
    if function && variable {
        shell.warn("unset: cannot simultaneously unset a function and a variable");
        return Ok(1);
    }
    let mut status = 0;
    for name in &args[at..] {
        if function {
            status |= unset_function(shell, name);
            continue;
        }
        let Some(place) = split_place(name) else {
            if !variable && shell.functions.contains_key(name) {
                status |= unset_function(shell, name);
            } else {
                // Without `-v`, such a name is that of a function that does not exist.
                if variable {
                    shell.warn(&format!("unset: `{}': not a valid identifier", shown(name)));
                    status = 1;
                }
            }
            continue;
        };
        let answer = match place.index {
            Some(index) => {
                let index = shell.expand_key(&index)?;
                shell.unset_element(&place.name, &index)
            }
            None => {
                if reference && !shell.is_reference(&place.name) {
                    continue;
                }
                let target = if reference { place.clone() } else { shell.resolve(&place.name) };
                let known = shell.vars.contains_key(target.name.as_slice());
                if let Some(index) = target.index {
                    shell.unset_element(&target.name, &index)
                } else if !known && !variable && shell.functions.contains_key(name) {
                    status |= unset_function(shell, name);
                    Ok(())
                } else {
                    shell.unset(&target.name)
                }
            }
        };
        match answer {
            Ok(()) => {}
            Err(Flow::Discard(_)) => status = 1,
            Err(flow) => return Err(flow),
        }
    }
    Ok(status)
}

fn unset_function(shell: &mut Shell, name: &[u8]) -> i32 {
    if shell.functions.get(name).is_some_and(|function| function.readonly) {
        shell.warn(&format!("unset: {}: cannot unset: readonly function", shown(name)));
        return 1;
    }
    shell.functions.remove(name);
    0
}
