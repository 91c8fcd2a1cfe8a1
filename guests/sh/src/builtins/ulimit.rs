//! The `ulimit` builtin. It prints limits; setting one has no effect, because limits belong to the
//! sandbox.

use super::{USAGE, shown};
use crate::shell::{Exec, Shell};
use crate::syntax::ast::Text;

pub(super) fn ulimit(shell: &mut Shell, args: &[Text]) -> Exec {
    let mut letter = b'f';
    let mut value = None;
    for arg in &args[1..] {
        match arg.as_slice() {
            [b'-', letters @ ..] if !letters.is_empty() => {
                for l in letters {
                    match l {
                        b'S' | b'H' => {}
                        b'a' | b'b' | b'c' | b'd' | b'e' | b'f' | b'i' | b'k' | b'l' | b'm'
                        | b'n' | b'p' | b'q' | b'r' | b's' | b't' | b'u' | b'v' | b'x' => {
                            letter = *l
                        }
                        _ => {
                            shell.warn(&format!("ulimit: {}: invalid option", shown(arg)));
                            return Ok(USAGE);
                        }
                    }
                }
            }
            arg => value = Some(arg.to_vec()),
        }
    }
    match value {
        Some(value) if value == b"unlimited" || super::number(&value).is_some() => Ok(0),
        Some(value) => {
            shell.warn(&format!("ulimit: {}: invalid number", shown(&value)));
            Ok(1)
        }
        None => {
            let text: &[u8] = match letter {
                b'n' => b"256\n",
                b'c' => b"0\n",
                _ => b"unlimited\n",
            };
            shell.print(text, "ulimit")
        }
    }
}
