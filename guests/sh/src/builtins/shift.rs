//! The `shift` builtin.

use std::rc::Rc;

use super::{number, shown, too_many};
use crate::shell::{Exec, Shell};
use crate::syntax::ast::Text;

pub(super) fn shift(shell: &mut Shell, args: &[Text]) -> Exec {
    let args = if args.get(1).is_some_and(|arg| arg == b"--") { &args[1..] } else { args };
    if args.len() > 2 {
        return Err(too_many(shell, "shift"));
    }
    let count = match args.get(1) {
        None => 1,
        Some(arg) => match number(arg) {
            Some(n) => n,
            None => {
                shell.warn(&format!("shift: {}: numeric argument required", shown(arg)));
                return Ok(1);
            }
        },
    };
    if count < 0 {
        shell.warn(&format!("shift: {count}: shift count out of range"));
        return Ok(1);
    }
    if count as usize > shell.args.len() {
        if shell.options.shift_verbose() {
            shell.warn(&format!("shift: {count}: shift count out of range"));
        }
        return Ok(1);
    }
    shell.args = Rc::new(shell.args[count as usize..].to_vec());
    Ok(0)
}
