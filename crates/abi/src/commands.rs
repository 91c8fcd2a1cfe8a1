//! Names of the commands of the sandbox's shell.
//!
//! With this list the host recognises a command by its bare name without asking a guest. A test of
//! `guests/commands` keeps the list and the guest's table equal.

/// The shell and all its commands, sorted.
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

/// Returns true if a command has this name.
pub fn is_command(name: &str) -> bool {
    COMMANDS.binary_search(&name).is_ok()
}

/// Returns true if the name is that of the shell itself, which is a separate program.
pub fn is_shell(name: &str) -> bool {
    matches!(name, "bash" | "sh")
}
