//! The `eval` builtin.

use crate::shell::{Exec, Flow, Shell};
use crate::syntax::ast::Text;

pub(super) fn eval(shell: &mut Shell, args: &[Text]) -> Exec {
    let mut rest = &args[1..];
    if rest.first().is_some_and(|arg| arg == b"--") {
        rest = &rest[1..];
    } else if let Some(arg) = rest.first().filter(|arg| arg.len() > 1 && arg[0] == b'-') {
        let arg = super::shown(arg);
        shell.warn(&format!("eval: {arg}: invalid option"));
        return Ok(super::USAGE);
    }
    let text = rest.join(&b' ');
    match shell.exec_text(&text, shell.line, "eval") {
        // An error abandons the evaluated text, not the script that called `eval`.
        Err(Flow::Discard(status)) if !shell.in_subshell => {
            shell.status = status;
            Ok(status)
        }
        other => other,
    }
}
