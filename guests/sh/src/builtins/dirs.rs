//! The `pushd`, `popd` and `dirs` builtins.

use super::{number, shown};
use crate::shell::{Exec, Shell};
use crate::syntax::ast::Text;

/// Returns the directory stack with the working directory first.
fn stack(shell: &Shell) -> Vec<Text> {
    [shell.cwd.clone()].into_iter().chain(shell.dir_stack.iter().rev().cloned()).collect()
}

/// Converts `+N` or `-N` to an index into the stack.
fn position(arg: &[u8], len: usize) -> Option<usize> {
    let n = number(&arg[1..]).filter(|n| *n >= 0)? as usize;
    match arg[0] {
        b'+' => (n < len).then_some(n),
        b'-' => len.checked_sub(n + 1),
        _ => None,
    }
}

fn is_position(arg: &[u8]) -> bool {
    arg.len() > 1 && matches!(arg[0], b'+' | b'-') && arg[1..].iter().all(u8::is_ascii_digit)
}

fn tilded(shell: &mut Shell, dir: &[u8]) -> Text {
    let home = shell.get(b"HOME").unwrap_or_default();
    match dir.strip_prefix(home.as_slice()) {
        Some(rest) if home.len() > 1 && (rest.is_empty() || rest[0] == b'/') => {
            [b"~", rest].concat()
        }
        _ => dir.to_vec(),
    }
}

fn show(shell: &mut Shell) -> Exec {
    let dirs: Vec<Text> = stack(shell).iter().map(|dir| tilded(shell, dir)).collect();
    let line = [dirs.join(&b' ').as_slice(), b"\n"].concat();
    shell.print(&line, "dirs")
}

/// Replaces the stack; its first entry becomes the working directory.
fn put(shell: &mut Shell, dirs: Vec<Text>, who: &str, go: bool) -> Exec {
    let Some((first, rest)) = dirs.split_first() else { return Ok(1) };
    if go && !shell.change_directory(first, false, who)? {
        return Ok(1);
    }
    shell.dir_stack = rest.iter().rev().cloned().collect();
    show(shell)
}

/// Complains of a position that the stack does not have.
fn out_of_range(shell: &mut Shell, who: &str, position: &[u8]) {
    match shell.dir_stack.is_empty() {
        true => shell.warn(&format!("{who}: directory stack empty")),
        false => {
            let position = shown(if who == "dirs" { &position[1..] } else { position });
            shell.warn(&format!("{who}: {position}: directory stack index out of range"));
        }
    }
}

pub(super) fn pushd(shell: &mut Shell, args: &[Text]) -> Exec {
    let stay = args[1..].iter().any(|arg| arg == b"-n");
    let rest: Vec<&Text> = args[1..].iter().filter(|arg| *arg != b"-n" && *arg != b"--").collect();
    let mut dirs = stack(shell);
    match rest.as_slice() {
        [] if stay => Ok(0),
        [] => {
            if dirs.len() < 2 {
                shell.warn("pushd: no other directory");
                return Ok(1);
            }
            dirs.swap(0, 1);
            put(shell, dirs, "pushd", !stay)
        }
        [arg] if is_position(arg) => match position(arg, dirs.len()) {
            Some(at) => {
                dirs.rotate_left(at);
                put(shell, dirs, "pushd", !stay)
            }
            None => {
                out_of_range(shell, "pushd", arg);
                Ok(1)
            }
        },
        [option] if option.len() > 1 && option[0] == b'-' => {
            shell.warn(&format!("pushd: {}: invalid number", shown(option)));
            super::print_usage(shell, "pushd");
            Ok(super::USAGE)
        }
        [dir] => {
            if stay {
                dirs.insert(1, (*dir).clone());
                return put(shell, dirs, "pushd", false);
            }
            let before = shell.cwd.clone();
            if !shell.change_directory(dir, false, "pushd")? {
                return Ok(1);
            }
            shell.dir_stack.push(before);
            show(shell)
        }
        _ => {
            shell.warn("pushd: too many arguments");
            Ok(1)
        }
    }
}

pub(super) fn popd(shell: &mut Shell, args: &[Text]) -> Exec {
    let stay = args[1..].iter().any(|arg| arg == b"-n");
    let rest: Vec<&Text> = args[1..].iter().filter(|arg| *arg != b"-n" && *arg != b"--").collect();
    let mut dirs = stack(shell);
    if let Some(arg) = rest.first().filter(|arg| !is_position(arg)) {
        let is_option = arg.len() > 1 && arg[0] == b'-';
        let what = if is_option { "invalid number" } else { "invalid argument" };
        shell.warn(&format!("popd: {}: {what}", shown(arg)));
        if is_option {
            super::print_usage(shell, "popd");
        }
        return Ok(super::USAGE);
    }
    if dirs.len() < 2 {
        shell.warn("popd: directory stack empty");
        return Ok(1);
    }
    let at = match rest.first() {
        Some(arg) => match position(arg, dirs.len()) {
            Some(at) => at,
            None => {
                out_of_range(shell, "popd", arg);
                return Ok(1);
            }
        },
        None => usize::from(stay),
    };
    dirs.remove(at);
    put(shell, dirs, "popd", at == 0 && !stay)
}

pub(super) fn dirs(shell: &mut Shell, args: &[Text]) -> Exec {
    let (mut clear, mut lines, mut numbered, mut long) = (false, false, false, false);
    let mut chosen = None;
    for arg in &args[1..] {
        if is_position(arg) {
            chosen = Some(arg.clone());
            continue;
        }
        if arg.first() != Some(&b'-') {
            super::bad_option(shell, "dirs", &shown(arg));
            return Ok(super::USAGE);
        }
        for letter in &arg[1..] {
            match letter {
                b'c' => clear = true,
                b'p' => lines = true,
                b'v' => numbered = true,
                b'l' => long = true,
                _ => {
                    shell.warn(&format!("dirs: {}: invalid number", shown(arg)));
                    super::print_usage(shell, "dirs");
                    return Ok(super::USAGE);
                }
            }
        }
    }
    if clear {
        shell.dir_stack.clear();
        return Ok(0);
    }
    let all = stack(shell);
    let all: Vec<Text> =
        if long { all } else { all.iter().map(|dir| tilded(shell, dir)).collect() };
    if let Some(arg) = chosen {
        return match position(&arg, all.len()) {
            Some(at) => shell.print(&[all[at].as_slice(), b"\n"].concat(), "dirs"),
            None => {
                out_of_range(shell, "dirs", &arg);
                Ok(1)
            }
        };
    }
    let mut out = Vec::new();
    if numbered {
        for (at, dir) in all.iter().enumerate() {
            out.extend_from_slice(format!("{at:2}  {}\n", shown(dir)).as_bytes());
        }
    } else {
        out = all.join(if lines { &b'\n' } else { &b' ' });
        out.push(b'\n');
    }
    shell.print(&out, "dirs")
}
