//! The `command` and `builtin` builtins, which run a command without looking for a function.

use super::{USAGE, find, shown};
use crate::exec::Decl;
use crate::shell::{Exec, Shell};

/// `PATH` used by `command -p`.
const STANDARD_PATH: &[u8] = b"/bin:/usr/bin";

pub(super) fn command(shell: &mut Shell, args: Vec<Decl>) -> Exec {
    let mut args = args;
    args.remove(0);
    let mut describe = None;
    let mut standard = false;
    while let Some(Decl::Word(arg)) = args.first() {
        let arg = arg.clone();
        if arg == b"--" {
            args.remove(0);
            break;
        }
        if arg.len() < 2 || arg[0] != b'-' {
            break;
        }
        for letter in &arg[1..] {
            match letter {
                b'p' => standard = true,
                b'v' | b'V' => describe = Some(*letter),
                _ => {
                    super::bad_option(shell, "command", &format!("-{}", char::from(*letter)));
                    return Ok(USAGE);
                }
            }
        }
        args.remove(0);
    }
    if args.is_empty() {
        return Ok(0);
    }
    if let Some(letter) = describe {
        let names: Vec<_> = args.iter().map(Decl::text).collect();
        let path = shell.get(b"PATH");
        if standard {
            shell.set(b"PATH", STANDARD_PATH.to_vec())?;
        }
        let answer = super::type_::describe_command(shell, &names, letter == b'V');
        match path {
            Some(path) if standard => shell.set(b"PATH", path)?,
            None if standard => shell.unset(b"PATH")?,
            _ => {}
        }
        return answer;
    }
    // Under `command`, an error of a special builtin does not end the script.
    let outer = std::mem::replace(&mut shell.tolerates, true);
    let answer = run(shell, args, standard);
    shell.tolerates = outer;
    answer
}

/// Runs a command, with the standard `PATH` if asked.
fn run(shell: &mut Shell, args: Vec<Decl>, standard: bool) -> Exec {
    let name = args[0].text();
    if standard && !shell.is_builtin(&name) {
        let path = shell.get(b"PATH");
        shell.set(b"PATH", STANDARD_PATH.to_vec())?;
        let answer = shell.run_command(&name, args, Vec::new());
        if let Some(path) = path {
            shell.set(b"PATH", path)?;
        }
        return answer;
    }
    shell.run_command(&name, args, Vec::new())
}

pub(super) fn builtin(shell: &mut Shell, args: Vec<Decl>) -> Exec {
    let mut args = args;
    args.remove(0);
    if matches!(args.first(), Some(Decl::Word(arg)) if arg == b"--") {
        args.remove(0);
    }
    let Some(first) = args.first() else { return Ok(0) };
    let name = first.text();
    if let [b'-', letter, ..] = name.as_slice() {
        super::bad_option(shell, "builtin", &format!("-{}", char::from(*letter)));
        return Ok(USAGE);
    }
    match find(&name) {
        Some(builtin) if shell.is_builtin(&name) => builtin.call(shell, args),
        _ => {
            shell.warn(&format!("builtin: {}: not a shell builtin", shown(&name)));
            Ok(1)
        }
    }
}
