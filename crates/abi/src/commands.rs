//! Names of the commands that the sandbox's shell brings along.
//!
//! The host needs them to know that a bare name is a command without asking a guest; a test of
//! `guests/commands` holds this list and the guest's table together.

/// The shell and every command of it, sorted.
#[rustfmt::skip]
pub const COMMANDS: &[&str] = &[
    "[", "arch", "awk", "b2sum", "base32", "base64", "basename", "basenc", "bash", "bc", "cat",
    "chgrp", "chmod", "chown", "cksum", "clear", "cmp", "column", "comm", "cp", "csplit", "curl",
    "cut", "date", "dd", "df", "diff", "dir", "dirname", "dos2unix", "du", "echo", "egrep", "env",
    "expand", "expr", "factor", "false", "fgrep", "file", "find", "fmt", "fold", "grep", "groups",
    "gunzip", "gzip", "head", "hexdump", "hostname", "id", "join", "jq", "js", "link", "ln",
    "logname", "ls", "md5sum", "mkdir", "mkfifo", "mktemp", "mv", "nice", "nl", "nohup", "nproc", "numfmt",
    "od", "paste", "pathchk", "pr", "printenv", "printf", "ptx", "pwd", "readlink", "realpath",
    "rev", "rg", "rm", "rmdir", "sed", "seq", "sh", "sha1sum", "sha224sum", "sha256sum",
    "sha384sum", "sha512sum", "shred", "shuf", "sleep", "sort", "split", "sqlite3", "stat",
    "strings", "sum", "sync", "tac", "tail", "tar", "tee", "test", "timeout", "touch", "tr",
    "tree", "true", "truncate", "tsort", "tty", "uname", "unexpand", "uniq", "unix2dos", "unlink",
    "vdir", "wc", "which", "whoami", "xargs", "xxd", "yes", "zcat",
];

/// Whether there is a command of this name.
pub fn is_command(name: &str) -> bool {
    COMMANDS.binary_search(&name).is_ok()
}

/// Whether this name stands for the shell itself, which is another program than its commands.
pub fn is_shell(name: &str) -> bool {
    matches!(name, "bash" | "sh")
}
