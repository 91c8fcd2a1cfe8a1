//! The `times` builtin.

use crate::shell::{Exec, Shell};
use crate::syntax::ast::Text;

/// Prints zeros: a cell has no CPU clock.
pub(super) fn times(shell: &mut Shell, _: &[Text]) -> Exec {
    shell.print(b"0m0.000s 0m0.000s\n0m0.000s 0m0.000s\n", "times")
}
