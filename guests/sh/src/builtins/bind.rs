//! The `bind` builtin: the table of key bindings, without an editor that would use it.

use super::{USAGE, shown};
use crate::shell::{Exec, Shell};
use crate::syntax::ast::Text;

/// Editing functions with their default key, empty if they have none; sorted by name.
const FUNCTIONS: &[(&str, &str)] = &[
    ("abort", "\\C-g"),
    ("accept-line", "\\C-j"),
    ("backward-char", "\\C-b"),
    ("backward-delete-char", "\\C-h"),
    ("backward-kill-line", "\\C-x\\C-?"),
    ("backward-kill-word", "\\e\\C-h"),
    ("backward-word", "\\eb"),
    ("beginning-of-history", "\\e<"),
    ("beginning-of-line", "\\C-a"),
    ("call-last-kbd-macro", "\\C-xe"),
    ("capitalize-word", "\\ec"),
    ("clear-display", "\\e\\C-l"),
    ("clear-screen", "\\C-l"),
    ("complete", "\\C-i"),
    ("delete-char", "\\C-d"),
    ("delete-horizontal-space", "\\e\\\\"),
    ("downcase-word", "\\el"),
    ("dump-functions", ""),
    ("edit-and-execute-command", "\\C-x\\C-e"),
    ("end-of-history", "\\e>"),
    ("end-of-line", "\\C-e"),
    ("exchange-point-and-mark", "\\C-x\\C-x"),
    ("forward-char", "\\C-f"),
    ("forward-search-history", "\\C-s"),
    ("forward-word", "\\ef"),
    ("history-expand-line", "\\e^"),
    ("history-search-backward", ""),
    ("history-search-forward", ""),
    ("insert-comment", "\\e#"),
    ("insert-completions", "\\e*"),
    ("kill-line", "\\C-k"),
    ("kill-whole-line", ""),
    ("kill-word", "\\ed"),
    ("menu-complete", ""),
    ("next-history", "\\C-n"),
    ("operate-and-get-next", "\\C-o"),
    ("possible-completions", "\\e="),
    ("previous-history", "\\C-p"),
    ("quoted-insert", "\\C-q"),
    ("re-read-init-file", "\\C-x\\C-r"),
    ("redraw-current-line", ""),
    ("reverse-search-history", "\\C-r"),
    ("revert-line", "\\e\\C-r"),
    ("self-insert", ""),
    ("set-mark", "\\C-@"),
    ("shell-expand-line", "\\e\\C-e"),
    ("tab-insert", "\\e\\C-i"),
    ("tilde-expand", "\\e&"),
    ("transpose-chars", "\\C-t"),
    ("transpose-words", "\\et"),
    ("undo", "\\C-_"),
    ("universal-argument", ""),
    ("unix-line-discard", "\\C-u"),
    ("unix-word-rubout", "\\C-w"),
    ("upcase-word", "\\eu"),
    ("yank", "\\C-y"),
    ("yank-last-arg", "\\e."),
    ("yank-nth-arg", "\\e\\C-y"),
    ("yank-pop", "\\ey"),
];

/// Returns the names of the editing functions, sorted.
pub(crate) fn functions() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.iter().map(|(name, _)| *name)
}

/// Changes that scripts made to the key bindings.
#[derive(Debug, Clone, Default)]
pub struct Keys {
    /// Key sequences with the function bound to them; `None` for an unbound sequence.
    functions: Vec<(Text, Option<Text>)>,
    /// Key sequences with the text that they produce.
    macros: Vec<(Text, Text)>,
}

impl Keys {
    fn forget(&mut self, keys: &[u8]) {
        self.functions.retain(|(known, _)| known != keys);
        self.macros.retain(|(known, _)| known != keys);
    }

    /// Returns the key sequences of a function.
    fn of(&self, function: &str, default: &str) -> Vec<Text> {
        let default = default.as_bytes();
        let is_changed = self.functions.iter().any(|(keys, _)| keys == default)
            || self.macros.iter().any(|(keys, _)| keys == default);
        let mut keys = Vec::new();
        if !default.is_empty() && !is_changed {
            keys.push(default.to_vec());
        }
        let own =
            self.functions.iter().filter(|(_, to)| to.as_deref() == Some(function.as_bytes()));
        keys.extend(own.map(|(keys, _)| keys.clone()));
        keys
    }
}

pub(super) fn bind(shell: &mut Shell, args: &[Text]) -> Exec {
    shell.warn("bind: warning: line editing not enabled");
    let mut out = Vec::new();
    let mut at = 1;
    let mut status = 0;
    while let Some(arg) = args.get(at) {
        at += 1;
        let value = args.get(at);
        match arg.as_slice() {
            b"-m" | b"-f" | b"-x" => at += 1,
            b"-v" | b"-V" | b"-X" | b"--" => {}
            b"-l" => {
                for name in functions() {
                    out.extend_from_slice(format!("{name}\n").as_bytes());
                }
            }
            b"-p" | b"-P" => {
                for (name, default) in FUNCTIONS {
                    list(&mut out, name, &shell.keys.of(name, default), arg == b"-P");
                }
            }
            b"-s" | b"-S" => {
                for (keys, text) in &shell.keys.macros {
                    let line = if arg == b"-s" {
                        [b"\"", keys.as_slice(), b"\": \"", text, b"\"\n"].concat()
                    } else {
                        [keys.as_slice(), b" outputs ", text, b"\n"].concat()
                    };
                    out.extend_from_slice(&line);
                }
            }
            b"-q" | b"-u" | b"-r" => {
                let Some(value) = value else {
                    shell.warn(&format!("bind: {}: option requires an argument", shown(arg)));
                    return Ok(USAGE);
                };
                at += 1;
                if arg == b"-r" {
                    shell.keys.forget(value);
                    shell.keys.functions.push((value.clone(), None));
                    continue;
                }
                let Some((name, default)) = FUNCTIONS.iter().find(|(n, _)| n.as_bytes() == *value)
                else {
                    shell.warn(&format!("bind: `{}': unknown function name", shown(value)));
                    status = 1;
                    continue;
                };
                let keys = shell.keys.of(name, default);
                if arg == b"-q" {
                    status = i32::from(keys.is_empty());
                    out.extend_from_slice(&queried(name, &keys));
                } else {
                    shell.keys.functions.extend(keys.into_iter().map(|keys| (keys, None)));
                }
            }
            option if option.first() == Some(&b'-') && option.len() > 1 => {
                shell.warn(&format!("bind: {}: invalid option", shown(option)));
                return Ok(USAGE);
            }
            binding => set(shell, binding),
        }
    }
    let written = shell.print(&out, "bind")?;
    Ok(status.max(written))
}

/// Formats the answer to `bind -q`.
fn queried(name: &str, keys: &[Text]) -> Text {
    if keys.is_empty() {
        return format!("{name} is not bound to any keys.\n").into_bytes();
    }
    let keys: Vec<String> = keys.iter().map(|keys| format!("\"{}\"", shown(keys))).collect();
    format!("{name} can be invoked via {}.\n", keys.join(", ")).into_bytes()
}

/// Writes a function's bindings for people, or as commands for an initialisation file.
fn list(out: &mut Text, name: &str, keys: &[Text], for_people: bool) {
    if for_people {
        let shown: Vec<String> = keys.iter().map(|keys| format!("\"{}\"", shown(keys))).collect();
        let line = match shown.is_empty() {
            true => format!("{name} is not bound to any keys\n"),
            false => format!("{name} can be found on {}.\n", shown.join(", ")),
        };
        out.extend_from_slice(line.as_bytes());
        return;
    }
    if keys.is_empty() {
        out.extend_from_slice(format!("# {name} (not bound)\n").as_bytes());
    }
    for keys in keys {
        out.extend_from_slice(format!("\"{}\": {name}\n", shown(keys)).as_bytes());
    }
}

/// Carries out a binding such as `"\C-t": clear-screen`; other lines change nothing.
fn set(shell: &mut Shell, binding: &[u8]) {
    let Some(rest) = binding.trim_ascii().strip_prefix(b"\"") else { return };
    let mut end = 0;
    while end < rest.len() && rest[end] != b'"' {
        end += if rest[end] == b'\\' { 2 } else { 1 };
    }
    let keys = rest[..end.min(rest.len())].to_vec();
    let Some(target) = rest.get(end + 1..).and_then(|rest| rest.trim_ascii().strip_prefix(b":"))
    else {
        return;
    };
    let target = target.trim_ascii();
    shell.keys.forget(&keys);
    match target.first() {
        Some(quote @ (b'"' | b'\'')) => {
            let text = target[1..].strip_suffix(&[*quote]).unwrap_or(&target[1..]);
            shell.keys.macros.push((keys, text.to_vec()));
        }
        _ => shell.keys.functions.push((keys, Some(target.to_vec()))),
    }
}
