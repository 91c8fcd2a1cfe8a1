//! The help text of tar, the table of its options, and names that an option stands for.

use crate::options::{Spec, Usage, Value};

pub(super) const USAGE: Usage = Usage {
    name: "tar",
    text: "\
Usage: tar [OPTION]... [FILE]...
Create, list, extract, compare and change archives.

  -c, --create           create a new archive
  -r, --append           append files to the end of an archive
  -u, --update           append files that are newer than their copies in the archive
  -A, --concatenate      append archives to an archive
  -t, --list             list the contents of an archive
  -x, --extract, --get   extract files from an archive
  -d, --diff, --compare  find differences between an archive and the file system
      --delete           delete members from an archive
  -f, --file=ARCHIVE     use archive file (default: standard input or output)
  -z, --gzip             filter the archive through gzip
  -j, --bzip2            filter the archive through bzip2
  -J, --xz               filter the archive through xz
      --zstd             filter the archive through zstd
  -I, --use-compress-program=PROG   filter through one of these programs
  -a, --auto-compress    use archive suffix to determine the compression program
  -C, --directory=DIR    change to directory DIR
  -v, --verbose          verbosely list files processed
      --full-time        list times with seconds
  -k, --keep-old-files   don't replace existing files when extracting
      --skip-old-files   don't replace existing files, silently
      --keep-newer-files don't replace files that are newer than their copies
  -U, --unlink-first     remove each file before extracting over it
      --recursive-unlink empty directories before extracting a file over them
  -O, --to-stdout        extract files to standard output
  -p, --preserve-permissions   extract permissions as they are
  -m, --touch            don't extract file modified time
  -h, --dereference      follow links; archive the files they lead to
      --hard-dereference store every link of a file as a file
  -P, --absolute-names   don't strip leading '/'s from names
      --no-recursion     don't descend into directories
      --remove-files     remove files after adding them to the archive
  -N, --newer=DATE, --newer-mtime=DATE   only store files newer than DATE
  -T, --files-from=FILE  get names to extract or create from FILE
      --null             names read with -T end with zero bytes
      --exclude=PATTERN  exclude files, given as a glob
  -X, --exclude-from=FILE      exclude patterns listed in FILE
      --exclude-vcs, --exclude-backups, --exclude-caches, --exclude-tag=FILE
      --wildcards, --no-wildcards, --anchored, --no-anchored, --ignore-case,
      --wildcards-match-slash, --no-wildcards-match-slash
                         how patterns that follow are matched
      --strip-components=N     strip N leading components from names on extraction
      --transform=EXPR, --xform=EXPR   change names with sed's s command
      --show-transformed-names  list names after these changes
      --one-top-level[=DIR]    extract everything into DIR
      --owner=NAME, --group=NAME, --mode=CHANGES, --mtime=DATE
                         store these in place of the files' own
      --totals           print the number of bytes written
      --help             give this help
",
    trouble: 64,
};

/// All options; those without an effect here are accepted, so that scripts run.
pub(super) const SPECS: &[Spec] = &[
    ('c', "create", Value::None),
    ('r', "append", Value::None),
    ('u', "update", Value::None),
    ('A', "concatenate", Value::None),
    ('A', "catenate", Value::None),
    ('t', "list", Value::None),
    ('x', "extract", Value::None),
    ('x', "get", Value::None),
    ('d', "diff", Value::None),
    ('d', "compare", Value::None),
    ('\0', "delete", Value::None),
    ('f', "file", Value::Required),
    ('z', "gzip", Value::None),
    ('z', "gunzip", Value::None),
    ('z', "ungzip", Value::None),
    ('j', "bzip2", Value::None),
    ('J', "xz", Value::None),
    ('\0', "zstd", Value::None),
    ('I', "use-compress-program", Value::Required),
    ('a', "auto-compress", Value::None),
    ('\0', "no-auto-compress", Value::None),
    ('C', "directory", Value::Required),
    ('v', "verbose", Value::None),
    ('\0', "full-time", Value::None),
    ('\0', "utc", Value::None),
    ('k', "keep-old-files", Value::None),
    ('\0', "skip-old-files", Value::None),
    ('\0', "keep-newer-files", Value::None),
    ('\0', "overwrite", Value::None),
    ('\0', "overwrite-dir", Value::None),
    ('\0', "no-overwrite-dir", Value::None),
    ('\0', "keep-directory-symlink", Value::None),
    ('U', "unlink-first", Value::None),
    ('\0', "recursive-unlink", Value::None),
    ('O', "to-stdout", Value::None),
    ('p', "preserve-permissions", Value::None),
    ('p', "same-permissions", Value::None),
    ('\0', "no-same-permissions", Value::None),
    ('\0', "same-owner", Value::None),
    ('\0', "no-same-owner", Value::None),
    ('o', "", Value::None),
    ('s', "preserve-order", Value::None),
    ('m', "touch", Value::None),
    ('h', "dereference", Value::None),
    ('\0', "hard-dereference", Value::None),
    ('P', "absolute-names", Value::None),
    ('\0', "recursion", Value::None),
    ('\0', "no-recursion", Value::None),
    ('\0', "remove-files", Value::None),
    ('\0', "totals", Value::Optional),
    ('i', "ignore-zeros", Value::None),
    ('\0', "ignore-failed-read", Value::None),
    ('N', "newer", Value::Required),
    ('N', "after-date", Value::Required),
    ('\0', "newer-mtime", Value::Required),
    ('T', "files-from", Value::Required),
    ('\0', "verbatim-files-from", Value::None),
    ('\0', "null", Value::None),
    ('\0', "no-null", Value::None),
    ('X', "exclude-from", Value::Required),
    ('\0', "exclude", Value::Required),
    ('\0', "exclude-vcs", Value::None),
    ('\0', "exclude-backups", Value::None),
    ('\0', "exclude-caches", Value::None),
    ('\0', "exclude-caches-under", Value::None),
    ('\0', "exclude-caches-all", Value::None),
    ('\0', "exclude-tag", Value::Required),
    ('\0', "exclude-tag-under", Value::Required),
    ('\0', "exclude-tag-all", Value::Required),
    ('\0', "wildcards", Value::None),
    ('\0', "no-wildcards", Value::None),
    ('\0', "anchored", Value::None),
    ('\0', "no-anchored", Value::None),
    ('\0', "ignore-case", Value::None),
    ('\0', "no-ignore-case", Value::None),
    ('\0', "wildcards-match-slash", Value::None),
    ('\0', "no-wildcards-match-slash", Value::None),
    ('\0', "strip-components", Value::Required),
    ('\0', "transform", Value::Required),
    ('\0', "xform", Value::Required),
    ('\0', "show-transformed-names", Value::None),
    ('\0', "show-stored-names", Value::None),
    ('\0', "one-top-level", Value::Optional),
    ('\0', "owner", Value::Required),
    ('\0', "group", Value::Required),
    ('\0', "mode", Value::Required),
    ('\0', "mtime", Value::Required),
    ('\0', "clamp-mtime", Value::None),
    ('\0', "numeric-owner", Value::None),
    ('\0', "sort", Value::Required),
    ('H', "format", Value::Required),
    ('\0', "old-archive", Value::None),
    ('\0', "portability", Value::None),
    ('\0', "posix", Value::None),
    ('\0', "pax-option", Value::Required),
    ('b', "blocking-factor", Value::Required),
    ('\0', "record-size", Value::Required),
    ('B', "read-full-records", Value::None),
    ('S', "sparse", Value::None),
    ('\0', "sparse-version", Value::Required),
    ('\0', "hole-detection", Value::Required),
    ('n', "seek", Value::None),
    ('\0', "no-seek", Value::None),
    ('l', "check-links", Value::None),
    ('W', "verify", Value::None),
    ('\0', "one-file-system", Value::None),
    ('\0', "force-local", Value::None),
    ('\0', "atime-preserve", Value::Optional),
    ('\0', "delay-directory-restore", Value::None),
    ('\0', "no-delay-directory-restore", Value::None),
    ('\0', "xattrs", Value::None),
    ('\0', "no-xattrs", Value::None),
    ('\0', "acls", Value::None),
    ('\0', "no-acls", Value::None),
    ('\0', "selinux", Value::None),
    ('\0', "no-selinux", Value::None),
    ('\0', "checkpoint", Value::Optional),
    ('\0', "checkpoint-action", Value::Required),
    ('\0', "warning", Value::Required),
    ('\0', "quoting-style", Value::Required),
];

/// Files that version control systems keep beside others.
pub(super) const VCS: &[&str] = &[
    "CVS",
    ".cvsignore",
    "RCS",
    "SCCS",
    ".git",
    ".gitignore",
    ".gitattributes",
    ".gitmodules",
    ".svn",
    ".arch-ids",
    "{arch}",
    "=RELEASE-ID",
    "=meta-update",
    "=update",
    ".bzr",
    ".bzrignore",
    ".bzrtags",
    ".hg",
    ".hgignore",
    ".hgtags",
    "_darcs",
];
