//! The `type` and `caller` builtins, and `command -v`.

use super::{USAGE, number, shown};
use crate::exec::find::Found;
use crate::expand::quote;
use crate::shell::{Exec, Shell};
use crate::syntax::ast::Text;
use crate::syntax::function_text;

/// Reserved words.
const KEYWORDS: [&str; 22] = [
    "!", "[[", "]]", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for",
    "function", "if", "in", "select", "then", "time", "until", "while", "{", "}",
];

/// Interpretation of a command name.
enum What {
    Alias(Text),
    Keyword,
    Function,
    Builtin,
    /// A file whose path was found before.
    Hashed(Text),
    File(Text),
}

fn look(shell: &mut Shell, name: &[u8], functions: bool, all: bool) -> Vec<What> {
    let mut found = Vec::new();
    if let Some(value) = shell.aliases.get(name)
        && shell.options.expand_aliases()
    {
        found.push(What::Alias(value.clone()));
    }
    if KEYWORDS.iter().any(|keyword| keyword.as_bytes() == name) {
        found.push(What::Keyword);
    }
    if functions && shell.functions.contains_key(name) {
        found.push(What::Function);
    }
    if shell.is_builtin(name) {
        found.push(What::Builtin);
    }
    let hashed = shell.hashed.get(name).filter(|path| path.contains(&b'/'));
    if let Some(path) = hashed.filter(|_| !all && found.is_empty()) {
        return vec![What::Hashed(path.clone())];
    }
    if all || found.is_empty() {
        found.extend(files(shell, name, all).into_iter().map(What::File));
    }
    found
}

fn files(shell: &mut Shell, name: &[u8], all: bool) -> Vec<Text> {
    if name.contains(&b'/') || !all {
        let known = shell.hashed.contains_key(name);
        let found = shell.find_program(name);
        // Asking about a command does not count as a use.
        if !known {
            shell.hashed.remove(name);
        }
        return match found {
            Found::Program(path) => {
                if cfg!(target_arch = "wasm32") && !path.contains(&b'/') {
                    return bare(&path);
                }
                vec![path]
            }
            Found::Forbidden(path) if !name.contains(&b'/') => vec![path],
            _ => Vec::new(),
        };
    }
    let path = shell.get(b"PATH").unwrap_or_default();
    let mut list: Vec<Text> = path
        .split(|c| *c == b':')
        .filter_map(|folder| match shell.search(folder, name) {
            Found::Program(path) if path.contains(&b'/') => Some(path),
            _ => None,
        })
        .collect();
    if list.is_empty() && cfg!(target_arch = "wasm32") {
        list = bare(name);
    }
    list
}

/// Returns the path shown for a sandbox command that has no file.
fn bare(name: &[u8]) -> Vec<Text> {
    if crate::is_command(name) { vec![[b"/usr/bin/", name].concat()] } else { Vec::new() }
}

pub(super) fn type_(shell: &mut Shell, args: &[Text]) -> Exec {
    let (mut all, mut functions, mut path, mut force, mut word) =
        (false, true, false, false, false);
    let mut at = 1;
    while let Some(arg) = args.get(at).filter(|arg| arg.len() > 1 && arg[0] == b'-') {
        at += 1;
        if arg == b"--" {
            break;
        }
        for letter in &arg[1..] {
            match letter {
                b'a' => all = true,
                b'f' => functions = false,
                b'p' => path = true,
                b'P' => force = true,
                b't' => word = true,
                _ => {
                    super::bad_option(shell, "type", &format!("-{}", char::from(*letter)));
                    return Ok(USAGE);
                }
            }
        }
    }
    let mut out = Vec::new();
    let mut status = 0;
    for name in &args[at..] {
        let mut found = if force {
            files(shell, name, all).into_iter().map(What::File).collect()
        } else {
            look(shell, name, functions, all)
        };
        if !all {
            found.truncate(1);
        }
        if found.is_empty() {
            if !word && !path && !force {
                shell.print(&out, "type")?;
                out.clear();
                shell.warn(&format!("type: {}: not found", shown(name)));
            }
            status = 1;
        }
        for what in found {
            if word {
                out.extend_from_slice(match what {
                    What::Alias(_) => b"alias\n",
                    What::Keyword => b"keyword\n",
                    What::Function => b"function\n",
                    What::Builtin => b"builtin\n",
                    What::Hashed(_) | What::File(_) => b"file\n",
                });
            } else if path || force {
                if let What::Hashed(file) | What::File(file) = what {
                    out.extend_from_slice(&file);
                    out.push(b'\n');
                }
            } else {
                out.extend_from_slice(&sentence(shell, name, &what));
            }
        }
    }
    let written = shell.print(&out, "type")?;
    Ok(status.max(written))
}

fn sentence(shell: &Shell, name: &[u8], what: &What) -> Text {
    match what {
        What::Alias(value) => [name, b" is aliased to `", value, b"'\n"].concat(),
        What::Keyword => [name, b" is a shell keyword\n"].concat(),
        What::Function => {
            let text = shell.functions.get(name).map(|f| function_text(name, &f.body()));
            [name, b" is a function\n", &text.unwrap_or_default()].concat()
        }
        What::Builtin => {
            let special = super::find(name).is_some_and(|b| b.special) && shell.options.posix();
            let kind: &[u8] =
                if special { b" is a special shell builtin\n" } else { b" is a shell builtin\n" };
            [name, kind].concat()
        }
        What::Hashed(path) => [name, b" is hashed (", path, b")\n"].concat(),
        What::File(path) => [name, b" is ", path, b"\n"].concat(),
    }
}

pub(super) fn describe_command(shell: &mut Shell, names: &[Text], long: bool) -> Exec {
    let mut out = Vec::new();
    let mut status = 1;
    for name in names {
        let Some(what) = look(shell, name, true, false).into_iter().next() else {
            if long {
                shell.warn(&format!("command: {}: not found", shown(name)));
            }
            continue;
        };
        status = 0;
        if long {
            out.extend_from_slice(&sentence(shell, name, &what));
            continue;
        }
        match what {
            What::Alias(value) => {
                out.extend_from_slice(
                    &[b"alias ", name.as_slice(), b"=", &quote::single(&value)].concat(),
                );
            }
            What::Hashed(path) | What::File(path) => out.extend_from_slice(&path),
            What::Keyword | What::Function | What::Builtin => out.extend_from_slice(name),
        }
        out.push(b'\n');
    }
    let written = shell.print(&out, "command")?;
    Ok(status.max(written))
}

pub(super) fn caller(shell: &mut Shell, args: &[Text]) -> Exec {
    let at = match args.get(1) {
        Some(arg) if arg.len() > 1 && arg[0] == b'-' => {
            super::bad_option(shell, "caller", &format!("-{}", char::from(arg[1])));
            return Ok(USAGE);
        }
        Some(arg) => match number(arg) {
            Some(n) => n as usize,
            None => {
                shell.warn(&format!("caller: {}: invalid number", shown(arg)));
                super::print_usage(shell, "caller");
                return Ok(USAGE);
            }
        },
        None => 0,
    };
    let lines = shell.dynamic_array(b"BASH_LINENO");
    let sources = shell.dynamic_array(b"BASH_SOURCE");
    let source = sources.get(at + 1).map(|source| shown(source));
    if args.len() == 1 {
        let Some(line) = lines.first() else { return Ok(1) };
        let source = source.unwrap_or_else(|| "NULL".to_owned());
        return shell.print(format!("{} {source}\n", shown(line)).as_bytes(), "caller");
    }
    let names = shell.dynamic_array(b"FUNCNAME");
    let (Some(line), Some(name), Some(source)) = (lines.get(at), names.get(at + 1), source) else {
        return Ok(1);
    };
    let text = format!("{} {} {source}\n", shown(line), shown(name));
    shell.print(text.as_bytes(), "caller")
}
