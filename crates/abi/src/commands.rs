//! Names of the commands that the sandbox's shell brings along.
//!
//! The host needs them to know that a bare name is a command without asking a guest; a test of
//! `guests/commands` holds this list and the guest's table together.

/// Every command of the `sh` guest, sorted.
#[rustfmt::skip]
pub const COMMANDS: &[&str] = &[
    "awk", "b2sum", "base32", "base64", "basename", "basenc", "bash", "cat", "cksum", "comm", "cp",
    "csplit", "cut", "date", "dd", "dirname", "echo", "expand", "expr", "factor", "fmt", "fold",
    "head", "join", "link", "ln", "md5sum", "mkdir", "mktemp", "mv", "nl", "numfmt", "od", "paste",
    "pathchk", "pr", "printenv", "printf", "ptx", "pwd", "readlink", "realpath", "rm", "rmdir",
    "sed", "seq", "sh", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "shred",
    "shuf", "sleep", "sort", "split", "sum", "tac", "tail", "tee", "touch", "tr", "truncate",
    "tsort", "tty", "unexpand", "uniq", "unlink", "wc", "yes",
];
