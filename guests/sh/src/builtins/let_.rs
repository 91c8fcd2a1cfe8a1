//! The `let` builtin.

use crate::shell::{Exec, Shell};
use crate::syntax::ast::Text;

pub(super) fn let_(shell: &mut Shell, args: &[Text]) -> Exec {
    let mut rest = &args[1..];
    if rest.first().is_some_and(|arg| arg == b"--") {
        rest = &rest[1..];
    }
    if rest.is_empty() {
        shell.warn("let: expression expected");
        return Ok(1);
    }
    let mut last = 0;
    for expression in rest {
        match shell.arith_source(expression, "let") {
            Ok(value) => last = value,
            Err(None) => return Ok(1),
            Err(Some(flow)) => return Err(flow),
        }
    }
    Ok(i32::from(last == 0))
}
