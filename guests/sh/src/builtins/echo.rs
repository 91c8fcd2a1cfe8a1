//! The `echo` builtin, and the escapes that it shares with `printf`.

use crate::shell::{Exec, Shell};
use crate::syntax::ast::Text;
use crate::syntax::quote::{Flavour, escape};

pub(super) fn echo(shell: &mut Shell, args: &[Text]) -> Exec {
    let mut newline = true;
    let mut escapes = shell.options.xpg_echo();
    let mut rest = &args[1..];
    while let Some((arg, more)) = rest.split_first() {
        let is_option = arg.len() > 1
            && arg[0] == b'-'
            && arg[1..].iter().all(|c| matches!(c, b'n' | b'e' | b'E'));
        if !is_option || (shell.options.posix() && shell.options.xpg_echo()) {
            break;
        }
        for letter in &arg[1..] {
            match letter {
                b'n' => newline = false,
                b'e' => escapes = true,
                _ => escapes = false,
            }
        }
        rest = more;
    }
    let mut out = Vec::with_capacity(rest.iter().map(|arg| arg.len() + 1).sum::<usize>() + 1);
    for (at, arg) in rest.iter().enumerate() {
        if at > 0 {
            out.push(b' ');
        }
        if escapes {
            if !expand(arg, Flavour::Echo, &mut out) {
                return shell.print(&out, "echo");
            }
        } else {
            out.extend_from_slice(arg);
        }
    }
    if newline {
        out.push(b'\n');
    }
    shell.print(&out, "echo")
}

/// Expands escapes as `echo -e` and `%b` do. Returns false at `\c`, which ends all output.
pub(super) fn expand(text: &[u8], flavour: Flavour, out: &mut Text) -> bool {
    let mut at = 0;
    while at < text.len() {
        if text[at] != b'\\' {
            out.push(text[at]);
            at += 1;
            continue;
        }
        if text.get(at + 1) == Some(&b'c') {
            return false;
        }
        let (bytes, len) = escape(&text[at..], flavour);
        out.extend_from_slice(&bytes);
        at += len;
    }
    true
}
