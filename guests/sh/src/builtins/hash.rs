//! The `hash` builtin.

use super::{USAGE, shown};
use crate::exec::find::Found;
use crate::shell::{Exec, Shell};
use crate::syntax::ast::Text;

pub(super) fn hash(shell: &mut Shell, args: &[Text]) -> Exec {
    if !shell.options.hashall() {
        shell.warn("hash: hashing disabled");
        return Ok(1);
    }
    let (mut forget, mut reusable, mut remove, mut tell, mut path) =
        (false, false, false, false, None);
    let mut at = 1;
    while let Some(arg) = args.get(at).filter(|arg| arg.len() > 1 && arg[0] == b'-') {
        at += 1;
        if arg == b"--" {
            break;
        }
        for (place, letter) in arg[1..].iter().enumerate() {
            match letter {
                b'r' => forget = true,
                b'l' => reusable = true,
                b'd' => remove = true,
                b't' => tell = true,
                b'p' => {
                    let rest = &arg[place + 2..];
                    path =
                        if rest.is_empty() { args.get(at).cloned() } else { Some(rest.to_vec()) };
                    at += usize::from(rest.is_empty());
                    if path.is_none() {
                        super::needs_argument(shell, "hash", "-p");
                        return Ok(USAGE);
                    }
                    break;
                }
                _ => {
                    super::bad_option(shell, "hash", &format!("-{}", char::from(*letter)));
                    return Ok(USAGE);
                }
            }
        }
    }
    let names = &args[at.min(args.len())..];
    if forget {
        shell.hashed.clear();
        shell.hits.clear();
    }
    if tell || (remove && names.is_empty()) {
        return show(shell, names, reusable, if tell { "-t" } else { "-d" });
    }
    if names.is_empty() {
        return if forget { Ok(0) } else { list(shell, reusable) };
    }
    let mut status = 0;
    for name in names {
        if remove {
            if shell.hashed.remove(name).is_none() {
                status = not_found(shell, name);
            }
        } else if let Some(path) = &path {
            if shell.is_a_directory(path) {
                shell.warn(&format!("hash: {}: Is a directory", shown(path)));
                status = 1;
                continue;
            }
            shell.hashed.insert(name.clone(), path.clone());
            shell.hits.remove(name);
        } else if !(name.contains(&b'/')
            || shell.functions.contains_key(name)
            || shell.is_builtin(name))
        {
            shell.hashed.remove(name);
            if !matches!(shell.find_program(name), Found::Program(_)) {
                status = not_found(shell, name);
            }
            shell.hits.remove(name);
        }
    }
    Ok(status)
}

impl Shell {
    fn is_a_directory(&self, path: &[u8]) -> bool {
        let status = cofferdam_guest_sys::stat(path, true);
        status.is_ok_and(|status| crate::expand::glob::is_dir(status.mode))
    }
}

fn not_found(shell: &mut Shell, name: &[u8]) -> i32 {
    shell.warn(&format!("hash: {}: not found", shown(name)));
    1
}

/// Implements `hash -t`.
fn show(shell: &mut Shell, names: &[Text], reusable: bool, option: &str) -> Exec {
    if names.is_empty() {
        shell.warn(&format!("hash: {option}: option requires an argument"));
        return Ok(1);
    }
    let mut out = Vec::new();
    let mut status = 0;
    for name in names {
        let Some(path) = shell.hashed.get(name).cloned() else {
            status = not_found(shell, name);
            continue;
        };
        if reusable {
            out.extend_from_slice(&as_command(name, &path));
            continue;
        }
        if names.len() > 1 {
            out.extend_from_slice(name);
            out.push(b'\t');
        }
        out.extend_from_slice(&path);
        out.push(b'\n');
    }
    shell.print(&out, "hash")?;
    Ok(status)
}

fn as_command(name: &[u8], path: &[u8]) -> Text {
    [b"builtin hash -p ", path, b" ", name, b"\n"].concat()
}

fn list(shell: &mut Shell, reusable: bool) -> Exec {
    if shell.hashed.is_empty() {
        return if reusable { Ok(0) } else { shell.print(b"hash: hash table empty\n", "hash") };
    }
    let mut all: Vec<(&Text, &Text)> = shell.hashed.iter().collect();
    all.sort_unstable_by_key(|(_, path)| *path);
    let mut out = if reusable { Vec::new() } else { b"hits\tcommand\n".to_vec() };
    for (name, path) in all {
        if reusable {
            out.extend_from_slice(&as_command(name, path));
        } else {
            let hits = shell.hits.get(name).copied().unwrap_or(0);
            out.extend_from_slice(format!("{hits:4}\t").as_bytes());
            out.extend_from_slice(path);
            out.push(b'\n');
        }
    }
    shell.print(&out, "hash")
}
