//! The `eval` builtin.

use crate::shell::{Exec, Shell};
use crate::syntax::ast::Text;

pub(super) fn eval(shell: &mut Shell, args: &[Text]) -> Exec {
    let mut rest = &args[1..];
    if rest.first().is_some_and(|arg| arg == b"--") {
        rest = &rest[1..];
    } else if let Some(arg) = rest.first().filter(|arg| arg.len() > 1 && arg[0] == b'-') {
        let arg = super::shown(arg);
        super::bad_option(shell, "eval", &arg);
        return super::misused(shell, super::USAGE);
    }
    let text = rest.join(&b' ');
    // A trap that runs because `eval` failed sees `eval`, not the command in it.
    let (command, line) = (shell.command_text.clone(), shell.line);
    let tolerates = std::mem::take(&mut shell.tolerates);
    shell.bad_syntax = false;
    let answer = shell.exec_text(&text, shell.line, "eval");
    shell.tolerates = tolerates;
    if std::mem::take(&mut shell.bad_syntax) && answer.is_ok() {
        return super::misused(shell, super::USAGE);
    }
    shell.command_text = command;
    if answer.is_ok() {
        shell.line = line;
    }
    answer
}
