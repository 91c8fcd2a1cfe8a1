//! The table of all commands, one line each.

use std::ffi::OsString;

use crate::commands::*;

/// Returns the function that runs a command.
pub(crate) fn find(name: &str) -> Option<fn(Vec<OsString>) -> i32> {
    NAMES.binary_search(&name).ok().map(|at| RUN[at])
}

/// Returns true if there is a command of this name. Unlike [`find`], refers to no command.
pub(crate) fn is_known(name: &str) -> bool {
    NAMES.binary_search(&name).is_ok()
}

/// Returns the one-line description of a command.
pub(crate) fn summary(name: &str) -> Option<&'static str> {
    NAMES.binary_search(&name).ok().map(|at| SUMMARIES[at])
}

macro_rules! table {
    ($($name:literal, $summary:literal, $run:expr;)*) => {
        /// The names of all commands, sorted.
        pub(crate) const NAMES: &[&str] = &[$($name),*];
        const SUMMARIES: &[&str] = &[$($summary),*];
        // A separate array, so that a program that only uses names and summaries, such as the
        // shell, is linked without the commands.
        const RUN: &[fn(Vec<OsString>) -> i32] = &[$($run),*];
    };
}

macro_rules! uu {
    ($from:path, $name:literal) => {
        |args| {
            use $from as from;
            let tool = uutils::Tool {
                name: $name,
                main: |args| from::uumain(args),
                help: || from::uu_app().render_help().to_string(),
                accepted: || uutils::accepted!(from::uu_app()),
            };
            uutils::call(&tool, args)
        }
    };
}

pub(crate) use uu;

// Sorted by name; a test checks the order.
table! {
    "[", "evaluate a condition", condition::bracket;
    "arch", "name of the machine's architecture", identity::arch;
    "awk", "pattern scanning and processing", awk::run;
    "b2sum", "BLAKE2 checksums", uu!(uu_b2sum, "b2sum");
    "base32", "encode or decode base32", uu!(uu_base32, "base32");
    "base64", "encode or decode base64", uu!(uu_base64, "base64");
    "basename", "strip directory and suffix from a name", uu!(uu_basename, "basename");
    "basenc", "encode or decode in several bases", uu!(uu_basenc, "basenc");
    "bc", "calculate with any precision", bc::run;
    "bunzip2", "uncompress bzip2 files", pack::bunzip2;
    "bzcat", "write files compressed with bzip2 out", pack::bzcat;
    "bzip2", "compress files with bzip2", pack::bzip2;
    "cat", "concatenate files", cat::run;
    "chgrp", "change groups of files", modes::chgrp;
    "chmod", "change file modes", modes::chmod;
    "chown", "change owners of files", modes::chown;
    "cksum", "CRC and other checksums", uu!(uu_cksum, "cksum");
    "clear", "clear the screen", plain::clear;
    "cmp", "compare files byte by byte", diff::cmp;
    "column", "lists as columns and tables", column::run;
    "comm", "compare two sorted files line by line", uu!(uu_comm, "comm");
    "cp", "copy files", copy::cp;
    "csplit", "split a file at patterns", uu!(uu_csplit, "csplit");
    "curl", "transfer what a URL names", curl::run;
    "cut", "take parts of each line", uu!(uu_cut, "cut");
    "date", "show date and time", date::run;
    "dd", "copy and convert blocks", dd::run;
    "df", "space that is left", df::run;
    "diff", "compare files line by line", diff::diff;
    "dir", "list files in columns", ls::dir;
    "dirname", "the directory part of a name", uu!(uu_dirname, "dirname");
    "dos2unix", "line ends of DOS to those of Unix", plain::dos2unix;
    "du", "space that files take", tree::du;
    "echo", "write arguments", uu!(uu_echo, "echo");
    "ed", "edit a file line by line", ed::run;
    "egrep", "grep with extended patterns", grep::extended;
    "env", "run a command with other variables", env::run;
    "envsubst", "replace variables in text", convert::envsubst;
    "expand", "tabs to blanks", plain::expand;
    "expr", "evaluate an expression", uu!(uu_expr, "expr");
    "factor", "prime factors", uu!(uu_factor, "factor");
    "false", "do nothing, unsuccessfully", plain::fail;
    "fgrep", "grep with fixed strings", grep::fixed;
    "file", "what is in a file", file::run;
    "find", "search for files in a directory tree", find::run;
    "flock", "run a command while a lock is held", helpers::flock;
    "fmt", "fill paragraphs", uu!(uu_fmt, "fmt");
    "fold", "wrap long lines", uu!(uu_fold, "fold");
    "getopt", "parse the options of scripts", getopt::run;
    // A separate guest (`guests/git`); the line is for `help`, `type` and suggestions.
    "git", "keep versions of files", plain::absent;
    "grep", "search for lines that match", grep::run;
    "groups", "groups of the user", identity::groups;
    "gunzip", "uncompress files", gzip::gunzip;
    "gzip", "compress files", gzip::gzip;
    "head", "first lines of files", uu!(uu_head, "head");
    "hexdump", "show bytes in several forms", dump::hexdump;
    "hostname", "name of the host", identity::hostname;
    "iconv", "convert the encoding of text", convert::iconv;
    "id", "numbers of the user and groups", identity::id;
    "install", "copy files and set modes", helpers::install;
    "join", "join lines of two files on a field", uu!(uu_join, "join");
    "jq", "filter and change JSON", jq::run;
    "js", "run JavaScript or TypeScript", js::run;
    "less", "show files", helpers::pager;
    "link", "make a hard link", uu!(uu_link, "link");
    "ln", "make links", uu!(uu_ln, "ln");
    "logname", "login name of the user", identity::logname;
    "ls", "list files", ls::run;
    "make", "build targets from a makefile", make::run;
    "md5sum", "MD5 checksums", uu!(uu_md5sum, "md5sum");
    "mkdir", "make directories", copy::mkdir;
    "mkfifo", "make named pipes", fifo::mkfifo;
    "mktemp", "make a temporary file", uu!(uu_mktemp, "mktemp");
    "more", "show files", helpers::pager;
    "mv", "move or rename files", uu!(uu_mv, "mv");
    "nice", "run a command with lower priority", launch::nice;
    "nl", "number lines", uu!(uu_nl, "nl");
    "node", "run JavaScript or TypeScript", js::node;
    "nohup", "run a command that outlives its terminal", launch::nohup;
    "nproc", "number of processors", identity::nproc;
    "numfmt", "convert numbers to and from human forms", uu!(uu_numfmt, "numfmt");
    "od", "dump files in octal and other forms", uu!(uu_od, "od");
    "openssl", "digests, encryption and random bytes", openssl::run;
    "parallel", "run a command for each value", helpers::parallel;
    "paste", "merge lines of files", uu!(uu_paste, "paste");
    "patch", "apply a diff", patch::run;
    "pathchk", "check file names", uu!(uu_pathchk, "pathchk");
    "pgrep", "find processes by name", processes::pgrep;
    "pkill", "signal processes by name", processes::pkill;
    "pr", "paginate for printing", pr::run;
    "printenv", "write variables", uu!(uu_printenv, "printenv");
    "printf", "format and write arguments", uu!(uu_printf, "printf");
    "ps", "list processes", processes::ps;
    "ptx", "permuted index", uu!(uu_ptx, "ptx");
    "pwd", "write the working directory", uu!(uu_pwd, "pwd");
    "python", "run Python", python::run;
    "python3", "run Python", python::run;
    "readlink", "where a link points", uu!(uu_readlink, "readlink");
    "realpath", "absolute name without links", uu!(uu_realpath, "realpath");
    "rev", "reverse each line", plain::rev;
    "rg", "search files for a pattern, recursively", rg::run;
    "rm", "remove files", uu!(uu_rm, "rm");
    "rmdir", "remove empty directories", uu!(uu_rmdir, "rmdir");
    "sed", "edit a stream of lines", sed::run;
    "seq", "a sequence of numbers", uu!(uu_seq, "seq");
    "sha1sum", "SHA-1 checksums", uu!(uu_sha1sum, "sha1sum");
    "sha224sum", "SHA-224 checksums", uu!(uu_sha224sum, "sha224sum");
    "sha256sum", "SHA-256 checksums", uu!(uu_sha256sum, "sha256sum");
    "sha384sum", "SHA-384 checksums", uu!(uu_sha384sum, "sha384sum");
    "sha512sum", "SHA-512 checksums", uu!(uu_sha512sum, "sha512sum");
    "shasum", "SHA checksums", convert::shasum;
    "shred", "overwrite files", uu!(uu_shred, "shred");
    "shuf", "random order", uu!(uu_shuf, "shuf");
    "sleep", "wait", uu!(uu_sleep, "sleep");
    "sort", "sort lines", sort::run;
    "split", "split a file into pieces", uu!(uu_split, "split");
    "sqlite3", "run SQL on a database in a file", sqlite3::run;
    "stat", "show the status of files", modes::stat;
    "strings", "printable text in files", dump::strings;
    "sum", "old checksums", uu!(uu_sum, "sum");
    "sync", "write cached data out", plain::sync;
    "tac", "lines in reverse order", tac::run;
    "tail", "last lines of files", uu!(uu_tail, "tail");
    "tar", "archives of files", tar::run;
    "tee", "copy input to output and files", uu!(uu_tee, "tee");
    "test", "evaluate a condition", condition::test;
    "timeout", "run a command for a limited time", launch::timeout;
    "top", "list processes", processes::top;
    "touch", "set file times, make empty files", uu!(uu_touch, "touch");
    "tr", "translate characters", uu!(uu_tr, "tr");
    "tree", "directories as a tree", tree::tree;
    "true", "do nothing, successfully", plain::succeed;
    "truncate", "set the size of files", uu!(uu_truncate, "truncate");
    "tsort", "topological sort", uu!(uu_tsort, "tsort");
    "tty", "name of the terminal", uu!(uu_tty, "tty");
    "uname", "name of the system", identity::uname;
    "unexpand", "blanks to tabs", uu!(uu_unexpand, "unexpand");
    "uniq", "drop or count repeated lines", uu!(uu_uniq, "uniq");
    "unix2dos", "line ends of Unix to those of DOS", plain::unix2dos;
    "unlink", "remove a name", uu!(uu_unlink, "unlink");
    "unxz", "uncompress xz files", pack::unxz;
    "unzip", "extract a zip archive", zip::unzip;
    "unzstd", "uncompress zstd files", pack::unzstd;
    "uuidgen", "make a UUID", convert::uuidgen;
    "vdir", "list files in the long form", ls::vdir;
    "wc", "count lines, words, bytes", uu!(uu_wc, "wc");
    "wget", "download files", wget::run;
    "which", "where commands are", plain::which;
    "whoami", "name of the user", identity::whoami;
    "xargs", "run a command with arguments from input", xargs::run;
    "xxd", "make a hex dump or undo it", dump::xxd;
    "xz", "compress files with xz", pack::xz;
    "xzcat", "write files compressed with xz out", pack::xzcat;
    "yes", "write a line over and over", plain::yes;
    "yq", "filter and change YAML", yq::run;
    "zcat", "write compressed files out", gzip::zcat;
    "zip", "make a zip archive", zip::zip;
    "zstd", "compress files with zstd", pack::zstd;
    "zstdcat", "write files compressed with zstd out", pack::zstdcat;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_single() {
        assert!(NAMES.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn the_host_knows_the_same_names() {
        let mut ours = [NAMES, &["bash", "sh"]].concat();
        ours.sort_unstable();
        assert_eq!(ours, cofferdam_abi::commands::COMMANDS);
    }
}
