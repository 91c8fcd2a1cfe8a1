//! The `compgen` builtin, limited to the listing of names that scripts use, and `complete`, which
//! does nothing because a sandbox has no interactive completion.

use super::{BUILTINS, USAGE, shown};
use crate::shell::{Exec, Shell};
use crate::syntax::ast::Text;

pub(super) fn complete(_: &mut Shell, _: &[Text]) -> Exec {
    Ok(0)
}

pub(super) fn compgen(shell: &mut Shell, args: &[Text]) -> Exec {
    let mut found: Vec<Text> = Vec::new();
    let mut prefix: &[u8] = b"";
    let mut actions: Vec<Text> = Vec::new();
    let mut at = 1;
    while let Some(arg) = args.get(at) {
        at += 1;
        match arg.as_slice() {
            b"-A" => {
                actions.push(args.get(at).cloned().unwrap_or_default());
                at += 1;
            }
            b"-W" => {
                let words = args.get(at).cloned().unwrap_or_default();
                at += 1;
                let ifs = shell.ifs();
                let words = shell.expand_text(&words)?;
                found.extend(
                    words.split(|c| ifs.contains(c)).filter(|w| !w.is_empty()).map(<[u8]>::to_vec),
                );
            }
            b"-P" | b"-S" | b"-X" | b"-F" | b"-C" | b"-G" | b"-o" => {
                shell.warn(&format!("compgen: {}: not supported", shown(arg)));
                return Ok(USAGE);
            }
            b"--" => {}
            [b'-', letters @ ..] => {
                for letter in letters {
                    let action: &[u8] = match letter {
                        b'a' => b"alias",
                        b'b' => b"builtin",
                        b'c' => b"command",
                        b'd' => b"directory",
                        b'e' => b"export",
                        b'f' => b"file",
                        b'k' => b"keyword",
                        b'v' => b"variable",
                        _ => {
                            shell.warn(&format!("compgen: {}: not supported", shown(arg)));
                            return Ok(USAGE);
                        }
                    };
                    actions.push(action.to_vec());
                }
            }
            word => prefix = word,
        }
    }
    for action in actions {
        let mut names: Vec<Text> = match action.as_slice() {
            b"alias" => shell.aliases.keys().cloned().collect(),
            b"builtin" => BUILTINS.iter().map(|b| b.name.as_bytes().to_vec()).collect(),
            b"function" => shell.functions.keys().cloned().collect(),
            b"command" => {
                let builtins = BUILTINS.iter().map(|b| b.name.as_bytes().to_vec());
                builtins.chain(shell.functions.keys().cloned()).collect()
            }
            b"variable" => shell.vars.keys().map(|name| name.to_vec()).collect(),
            b"export" => shell
                .vars
                .iter()
                .filter(|(_, var)| var.has(crate::shell::value::flag::EXPORT))
                .map(|(name, _)| name.to_vec())
                .collect(),
            b"file" | b"directory" => {
                let mut pattern = Vec::new();
                crate::expand::escape_pattern(prefix, &mut pattern);
                pattern.push(b'*');
                let mut names = shell.glob(&pattern)?;
                if action == b"directory" {
                    names.retain(|name| {
                        cofferdam_guest_sys::stat(name, true)
                            .is_ok_and(|status| crate::expand::glob::is_dir(status.mode))
                    });
                }
                names
            }
            b"setopt" => {
                crate::shell::options::SET.iter().map(|(_, n)| n.as_bytes().to_vec()).collect()
            }
            b"shopt" => {
                crate::shell::options::SHOPT.iter().map(|(n, _)| n.as_bytes().to_vec()).collect()
            }
            b"keyword" => [
                &b"if"[..],
                b"then",
                b"else",
                b"elif",
                b"fi",
                b"case",
                b"esac",
                b"for",
                b"select",
                b"while",
                b"until",
                b"do",
                b"done",
                b"in",
                b"function",
                b"time",
                b"{",
                b"}",
                b"!",
                b"[[",
                b"]]",
                b"coproc",
            ]
            .iter()
            .map(|w| w.to_vec())
            .collect(),
            _ => {
                shell.warn(&format!("compgen: {}: not supported", shown(&action)));
                return Ok(USAGE);
            }
        };
        names.sort_unstable();
        found.append(&mut names);
    }
    found.retain(|name| name.starts_with(prefix));
    let mut out = Vec::new();
    for name in &found {
        out.extend_from_slice(name);
        out.push(b'\n');
    }
    shell.print(&out, "compgen")?;
    Ok(i32::from(found.is_empty()))
}
