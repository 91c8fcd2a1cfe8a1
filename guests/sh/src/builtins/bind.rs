//! The `bind` builtin: the table of key bindings, without an editor that would use it.

use serde::{Deserialize, Serialize};

use super::{USAGE, shown};
use crate::shell::{Exec, Shell};
use crate::syntax::ast::Text;

/// Editing functions with their default keys, in the order of their names.
const FUNCTIONS: &[(&str, &[&str])] = &[
    ("abort", &["\\C-g", "\\C-x\\C-g", "\\e\\C-g"]),
    ("accept-line", &["\\C-j", "\\C-m"]),
    ("alias-expand-line", &[]),
    ("arrow-key-prefix", &[]),
    ("backward-byte", &[]),
    ("backward-char", &["\\C-b", "\\eOD", "\\e[D"]),
    ("backward-delete-char", &["\\C-h", "\\C-?"]),
    ("backward-kill-line", &["\\C-x\\C-?"]),
    ("backward-kill-word", &["\\e\\C-h", "\\e\\C-?"]),
    ("backward-word", &["\\e\\e[D", "\\e[1;3D", "\\e[1;5D", "\\e[5D", "\\eb"]),
    ("beginning-of-history", &["\\e<"]),
    ("beginning-of-line", &["\\C-a", "\\eOH", "\\e[1~", "\\e[H"]),
    ("bracketed-paste-begin", &["\\e[200~"]),
    ("call-last-kbd-macro", &["\\C-xe"]),
    ("capitalize-word", &["\\ec"]),
    ("character-search", &["\\C-]"]),
    ("character-search-backward", &["\\e\\C-]"]),
    ("clear-display", &["\\e\\C-l"]),
    ("clear-screen", &["\\C-l"]),
    ("complete", &["\\C-i", "\\e\\e\\000"]),
    ("complete-command", &["\\e!"]),
    ("complete-filename", &["\\e/"]),
    ("complete-hostname", &["\\e@"]),
    ("complete-into-braces", &["\\e{"]),
    ("complete-username", &["\\e~"]),
    ("complete-variable", &["\\e$"]),
    ("copy-backward-word", &[]),
    ("copy-forward-word", &[]),
    ("copy-region-as-kill", &[]),
    ("dabbrev-expand", &[]),
    ("delete-char", &["\\C-d", "\\e[3~"]),
    ("delete-char-or-list", &[]),
    ("delete-horizontal-space", &["\\e\\\\"]),
    ("digit-argument", &[]),
    ("display-shell-version", &["\\C-x\\C-v"]),
    ("do-lowercase-version", &[]),
    ("downcase-word", &["\\el"]),
    ("dump-functions", &[]),
    ("dump-macros", &[]),
    ("dump-variables", &[]),
    ("dynamic-complete-history", &["\\e\\C-i"]),
    ("edit-and-execute-command", &["\\C-x\\C-e"]),
    ("emacs-editing-mode", &[]),
    ("end-kbd-macro", &["\\C-x)"]),
    ("end-of-history", &["\\e>"]),
    ("end-of-line", &["\\C-e", "\\eOF", "\\e[4~", "\\e[F"]),
    ("exchange-point-and-mark", &["\\C-x\\C-x"]),
    ("fetch-history", &[]),
    ("forward-backward-delete-char", &[]),
    ("forward-byte", &[]),
    ("forward-char", &["\\C-f", "\\eOC", "\\e[C"]),
    ("forward-search-history", &["\\C-s"]),
    ("forward-word", &["\\e\\e[C", "\\e[1;3C", "\\e[1;5C", "\\e[5C", "\\ef"]),
    ("glob-complete-word", &["\\eg"]),
    ("glob-expand-word", &["\\C-x*"]),
    ("glob-list-expansions", &["\\C-xg"]),
    ("history-and-alias-expand-line", &[]),
    ("history-expand-line", &["\\e^"]),
    ("history-search-backward", &["\\e[5~"]),
    ("history-search-forward", &["\\e[6~"]),
    ("history-substring-search-backward", &[]),
    ("history-substring-search-forward", &[]),
    ("insert-comment", &["\\e#"]),
    ("insert-completions", &["\\e*"]),
    ("insert-last-argument", &["\\e.", "\\e_"]),
    ("kill-line", &["\\C-k"]),
    ("kill-region", &[]),
    ("kill-whole-line", &[]),
    ("kill-word", &["\\e[3;5~", "\\ed"]),
    ("magic-space", &[]),
    ("menu-complete", &[]),
    ("menu-complete-backward", &[]),
    ("next-history", &["\\C-n", "\\eOB", "\\e[B"]),
    ("next-screen-line", &[]),
    ("non-incremental-forward-search-history", &["\\en"]),
    ("non-incremental-forward-search-history-again", &[]),
    ("non-incremental-reverse-search-history", &["\\ep"]),
    ("non-incremental-reverse-search-history-again", &[]),
    ("old-menu-complete", &[]),
    ("operate-and-get-next", &["\\C-o"]),
    ("overwrite-mode", &[]),
    ("possible-command-completions", &["\\C-x!"]),
    ("possible-completions", &["\\e=", "\\e?"]),
    ("possible-filename-completions", &["\\C-x/"]),
    ("possible-hostname-completions", &["\\C-x@"]),
    ("possible-username-completions", &["\\C-x~"]),
    ("possible-variable-completions", &["\\C-x$"]),
    ("previous-history", &["\\C-p", "\\eOA", "\\e[A"]),
    ("previous-screen-line", &[]),
    ("print-last-kbd-macro", &[]),
    ("quoted-insert", &["\\C-q", "\\C-v", "\\e[2~"]),
    ("re-read-init-file", &["\\C-x\\C-r"]),
    ("redraw-current-line", &[]),
    ("reverse-search-history", &["\\C-r"]),
    ("revert-line", &["\\e\\C-r", "\\er"]),
    ("self-insert", &[]),
    ("set-mark", &["\\C-@", "\\e "]),
    ("shell-backward-kill-word", &[]),
    ("shell-backward-word", &["\\e\\C-b"]),
    ("shell-expand-line", &["\\e\\C-e"]),
    ("shell-forward-word", &["\\e\\C-f"]),
    ("shell-kill-word", &["\\e\\C-d"]),
    ("shell-transpose-words", &["\\e\\C-t"]),
    ("skip-csi-sequence", &[]),
    ("spell-correct-word", &["\\C-xs"]),
    ("start-kbd-macro", &["\\C-x("]),
    ("tab-insert", &[]),
    ("tilde-expand", &["\\e&"]),
    ("transpose-chars", &["\\C-t"]),
    ("transpose-words", &["\\et"]),
    ("tty-status", &[]),
    ("undo", &["\\C-x\\C-u", "\\C-_"]),
    ("universal-argument", &[]),
    ("unix-filename-rubout", &[]),
    ("unix-line-discard", &["\\C-u"]),
    ("unix-word-rubout", &["\\C-w"]),
    ("upcase-word", &["\\eu"]),
    ("vi-append-eol", &[]),
    ("vi-append-mode", &[]),
    ("vi-arg-digit", &[]),
    ("vi-bWord", &[]),
    ("vi-back-to-indent", &[]),
    ("vi-backward-bigword", &[]),
    ("vi-backward-word", &[]),
    ("vi-bword", &[]),
    ("vi-change-case", &[]),
    ("vi-change-char", &[]),
    ("vi-change-to", &[]),
    ("vi-char-search", &[]),
    ("vi-column", &[]),
    ("vi-complete", &[]),
    ("vi-delete", &[]),
    ("vi-delete-to", &[]),
    ("vi-eWord", &[]),
    ("vi-edit-and-execute-command", &[]),
    ("vi-editing-mode", &[]),
    ("vi-end-bigword", &[]),
    ("vi-end-word", &[]),
    ("vi-eof-maybe", &[]),
    ("vi-eword", &[]),
    ("vi-fWord", &[]),
    ("vi-fetch-history", &[]),
    ("vi-first-print", &[]),
    ("vi-forward-bigword", &[]),
    ("vi-forward-word", &[]),
    ("vi-fword", &[]),
    ("vi-goto-mark", &[]),
    ("vi-insert-beg", &[]),
    ("vi-insertion-mode", &[]),
    ("vi-match", &[]),
    ("vi-movement-mode", &[]),
    ("vi-next-word", &[]),
    ("vi-overstrike", &[]),
    ("vi-overstrike-delete", &[]),
    ("vi-prev-word", &[]),
    ("vi-put", &[]),
    ("vi-redo", &[]),
    ("vi-replace", &[]),
    ("vi-rubout", &[]),
    ("vi-search", &[]),
    ("vi-search-again", &[]),
    ("vi-set-mark", &[]),
    ("vi-subst", &[]),
    ("vi-tilde-expand", &[]),
    ("vi-undo", &[]),
    ("vi-unix-word-rubout", &[]),
    ("vi-yank-arg", &[]),
    ("vi-yank-pop", &[]),
    ("vi-yank-to", &[]),
    ("yank", &["\\C-y"]),
    ("yank-last-arg", &["\\e.", "\\e_"]),
    ("yank-nth-arg", &["\\e\\C-y"]),
    ("yank-pop", &["\\ey"]),
];

/// Settings of the editor with their defaults.
const SETTINGS: &[(&str, &str)] = &[
    ("bind-tty-special-chars", "on"),
    ("blink-matching-paren", "off"),
    ("byte-oriented", "off"),
    ("colored-completion-prefix", "off"),
    ("colored-stats", "off"),
    ("completion-ignore-case", "off"),
    ("completion-map-case", "off"),
    ("convert-meta", "off"),
    ("disable-completion", "off"),
    ("echo-control-characters", "on"),
    ("enable-active-region", "on"),
    ("enable-bracketed-paste", "on"),
    ("enable-keypad", "off"),
    ("enable-meta-key", "on"),
    ("expand-tilde", "off"),
    ("history-preserve-point", "off"),
    ("horizontal-scroll-mode", "off"),
    ("input-meta", "on"),
    ("mark-directories", "on"),
    ("mark-modified-lines", "off"),
    ("mark-symlinked-directories", "off"),
    ("match-hidden-files", "on"),
    ("menu-complete-display-prefix", "off"),
    ("meta-flag", "on"),
    ("output-meta", "on"),
    ("page-completions", "on"),
    ("prefer-visible-bell", "on"),
    ("print-completions-horizontally", "off"),
    ("revert-all-at-newline", "off"),
    ("show-all-if-ambiguous", "off"),
    ("show-all-if-unmodified", "off"),
    ("show-mode-in-prompt", "off"),
    ("skip-completed-text", "off"),
    ("visible-stats", "off"),
    ("bell-style", "audible"),
    ("comment-begin", "#"),
    ("completion-display-width", "-1"),
    ("completion-prefix-display-length", "0"),
    ("completion-query-items", "100"),
    ("editing-mode", "emacs"),
    ("emacs-mode-string", "@"),
    ("history-size", "0"),
    ("keymap", "emacs"),
    ("keyseq-timeout", "500"),
    ("vi-cmd-mode-string", "(cmd)"),
    ("vi-ins-mode-string", "(ins)"),
];

/// Returns the names of the editing functions, sorted.
pub(crate) fn functions() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.iter().map(|(name, _)| *name)
}

/// Changes that scripts made to the key bindings.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Keys {
    /// Key sequences with the function bound to them; `None` for an unbound sequence.
    functions: Vec<(Text, Option<Text>)>,
    /// Key sequences with the text that they produce.
    macros: Vec<(Text, Text)>,
    /// Key sequences with the shell commands that they run.
    commands: Vec<(Text, Text)>,
}

impl Keys {
    fn forget(&mut self, keys: &[u8]) {
        self.functions.retain(|(known, _)| known != keys);
        self.macros.retain(|(known, _)| known != keys);
        self.commands.retain(|(known, _)| known != keys);
    }

    /// Returns the key sequences of a function.
    fn of(&self, function: &str, defaults: &[&str]) -> Vec<Text> {
        let is_changed = |default: &[u8]| {
            self.functions.iter().any(|(keys, _)| keys == default)
                || self.macros.iter().any(|(keys, _)| keys == default)
        };
        let defaults = defaults.iter().map(|keys| keys.as_bytes());
        let mut keys: Vec<Text> =
            defaults.filter(|keys| !is_changed(keys)).map(<[u8]>::to_vec).collect();
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
            b"-m" | b"-f" => at += 1,
            b"--" => {}
            b"-x" => {
                if let Some((keys, command)) = value.and_then(|value| split(value)) {
                    shell.keys.forget(&keys);
                    shell.keys.commands.push((keys, command.to_vec()));
                }
                at += 1;
            }
            b"-X" => {
                for (keys, command) in &shell.keys.commands {
                    let line = [b"\"", keys.as_slice(), b"\": \"", command, b"\"\n"].concat();
                    out.extend_from_slice(&line);
                }
            }
            b"-v" | b"-V" => {
                for (name, value) in SETTINGS {
                    out.extend_from_slice(&match arg.as_slice() {
                        b"-v" => format!("set {name} {value}\n").into_bytes(),
                        _ => format!("{name} is set to `{value}'\n").into_bytes(),
                    });
                }
            }
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
                    super::needs_argument(shell, "bind", &shown(arg));
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
                super::bad_option(shell, "bind", &shown(option));
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

/// Splits a binding such as `"\C-t": clear-screen` into keys and target.
fn split(binding: &[u8]) -> Option<(Text, &[u8])> {
    let rest = binding.trim_ascii().strip_prefix(b"\"")?;
    let mut end = 0;
    while end < rest.len() && rest[end] != b'"' {
        end += if rest[end] == b'\\' { 2 } else { 1 };
    }
    let keys = rest[..end.min(rest.len())].to_vec();
    let target = rest.get(end + 1..)?.trim_ascii().strip_prefix(b":")?;
    Some((keys, target.trim_ascii()))
}

/// Carries out a binding; other lines change nothing.
fn set(shell: &mut Shell, binding: &[u8]) {
    let Some((keys, target)) = split(binding) else { return };
    shell.keys.forget(&keys);
    match target.first() {
        Some(quote @ (b'"' | b'\'')) => {
            let text = target[1..].strip_suffix(&[*quote]).unwrap_or(&target[1..]);
            shell.keys.macros.push((keys, text.to_vec()));
        }
        _ => shell.keys.functions.push((keys, Some(target.to_vec()))),
    }
}
