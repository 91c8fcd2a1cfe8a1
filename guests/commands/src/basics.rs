//! The most common commands, for a program that browsers fetch and instantiate quickly.
//!
//! Every instance of a program begins with a copy of its data. That of all commands is more than
//! twice as long, mostly tables of formats, encodings and the database.

use std::ffi::OsString;

use crate::commands::*;
use crate::table::uu;

type Run = fn(Vec<OsString>) -> i32;

/// Returns the function that runs a common command.
pub(crate) fn find(name: &str) -> Option<Run> {
    BASICS.binary_search_by_key(&name, |(name, _)| *name).ok().map(|at| BASICS[at].1)
}

/// Names and functions, sorted by name.
#[rustfmt::skip]
const BASICS: &[(&str, Run)] = &[
    ("[", condition::bracket),
    ("awk", awk::run),
    ("basename", uu!(uu_basename, "basename")),
    ("cat", cat::run),
    ("chmod", modes::chmod),
    ("cp", copy::cp),
    ("cut", uu!(uu_cut, "cut")),
    ("dirname", uu!(uu_dirname, "dirname")),
    ("echo", uu!(uu_echo, "echo")),
    ("egrep", grep::extended),
    ("env", env::run),
    ("false", plain::fail),
    ("fgrep", grep::fixed),
    ("find", find::run),
    ("grep", grep::run),
    ("head", uu!(uu_head, "head")),
    ("js", js::run),
    ("ln", uu!(uu_ln, "ln")),
    ("ls", ls::run),
    ("mkdir", copy::mkdir),
    ("mv", uu!(uu_mv, "mv")),
    ("nl", uu!(uu_nl, "nl")),
    ("node", js::node),
    ("paste", uu!(uu_paste, "paste")),
    ("printf", uu!(uu_printf, "printf")),
    ("pwd", uu!(uu_pwd, "pwd")),
    ("rev", plain::rev),
    ("rm", uu!(uu_rm, "rm")),
    ("rmdir", uu!(uu_rmdir, "rmdir")),
    ("sed", sed::run),
    ("seq", uu!(uu_seq, "seq")),
    ("sleep", uu!(uu_sleep, "sleep")),
    ("sort", sort::run),
    ("tac", tac::run),
    ("tail", uu!(uu_tail, "tail")),
    ("tee", uu!(uu_tee, "tee")),
    ("test", condition::test),
    ("tr", uu!(uu_tr, "tr")),
    ("true", plain::succeed),
    ("uniq", uu!(uu_uniq, "uniq")),
    ("wc", uu!(uu_wc, "wc")),
    ("which", plain::which),
    ("xargs", xargs::run),
    ("yes", plain::yes),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_knows_the_same_common_commands() {
        let ours: Vec<&str> = BASICS.iter().map(|(name, _)| *name).collect();
        assert_eq!(ours, cofferdam_abi::commands::BASICS);
    }

    #[test]
    fn common_commands_are_commands() {
        assert!(BASICS.iter().all(|(name, _)| crate::table::find(name).is_some()));
    }
}
