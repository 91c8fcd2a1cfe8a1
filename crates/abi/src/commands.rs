//! Names of the commands of the sandbox's shell.
//!
//! With this list the host recognises a command by its bare name without asking a guest. A test of
//! `guests/commands` keeps the list and the guest's table equal.

/// The shell and all its commands, sorted.
#[rustfmt::skip]
pub const COMMANDS: &[&str] = &[
    "[", "arch", "awk", "b2sum", "base32", "base64", "basename", "basenc", "bash", "bc", "bunzip2",
    "bzcat", "bzip2", "cat", "chgrp", "chmod", "chown", "cksum", "clear", "cmp", "column", "comm",
    "cp", "csplit", "curl", "cut", "date", "dd", "df", "diff", "dir", "dirname", "dos2unix", "du",
    "echo", "ed", "egrep", "env", "envsubst", "expand", "expr", "factor", "false", "fgrep", "file",
    "find", "flock", "fmt", "fold", "getopt", "git", "grep", "groups", "gunzip", "gzip", "head", "hexdump",
    "hostname", "iconv", "id", "install", "join", "jq", "js", "less", "link", "ln", "logname",
    "ls", "make", "md5sum", "mkdir", "mkfifo", "mktemp", "more", "mv", "nice", "nl", "node",
    "nohup", "nproc", "numfmt", "od", "openssl", "parallel", "paste", "patch", "pathchk", "pgrep",
    "pkill", "pr", "printenv", "printf", "ps", "ptx", "pwd", "python", "python3", "readlink", "realpath",
    "rev", "rg", "rm", "rmdir", "sed", "seq", "sh", "sha1sum", "sha224sum", "sha256sum", "sha384sum",
    "sha512sum", "shasum", "shred", "shuf", "sleep", "sort", "split", "sqlite3", "stat", "strings",
    "sum", "sync", "tac", "tail", "tar", "tee", "test", "timeout", "top", "touch", "tr", "tree",
    "true", "truncate", "tsort", "tty", "uname", "unexpand", "uniq", "unix2dos", "unlink", "unxz",
    "unzip", "unzstd", "uuidgen", "vdir", "wc", "wget", "which", "whoami", "xargs", "xxd", "xz",
    "xzcat", "yes", "yq", "zcat", "zip", "zstd", "zstdcat",
];

/// The most common commands, sorted. Browsers have them in a program of their own.
#[rustfmt::skip]
pub const BASICS: &[&str] = &[
    "[", "awk", "basename", "cat", "chmod", "cp", "cut", "dirname", "echo", "egrep", "env",
    "false", "fgrep", "find", "grep", "head", "js", "ln", "ls", "mkdir", "mv", "nl", "node",
    "paste", "printf", "pwd", "rev", "rm", "rmdir", "sed", "seq", "sleep", "sort", "tac",
    "tail", "tee", "test", "tr", "true", "uniq", "wc", "which", "xargs", "yes",
];

/// Returns true if the command is one of the most common.
pub fn is_basic(name: &str) -> bool {
    BASICS.binary_search(&name).is_ok()
}

/// Returns true if a command has this name.
pub fn is_command(name: &str) -> bool {
    COMMANDS.binary_search(&name).is_ok()
}

/// Guests that contain commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandGuest {
    /// The shell itself.
    Shell,
    /// `git`, which most runs never load.
    Git,
    /// All other commands.
    Commands,
}

/// Returns the guest that contains a command.
pub fn guest_of(name: &str) -> CommandGuest {
    match name {
        "bash" | "sh" => CommandGuest::Shell,
        "git" => CommandGuest::Git,
        _ => CommandGuest::Commands,
    }
}
