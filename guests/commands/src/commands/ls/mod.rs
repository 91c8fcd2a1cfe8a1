//! ls, dir, vdir: list directories.

mod list;
mod show;
mod units;

use std::ffi::OsString;

use crate::bytes::OsStringExt as _;
use crate::options::{self, Item, Key, Usage, Value};
use crate::output;
use crate::quoting::Quoting;

use self::units::Units;

const USAGE: Usage = Usage {
    name: "ls",
    text: "\
Usage: ls [OPTION]... [FILE]...
List information about the FILEs (the current directory by default), sorted by name.

  -a, --all                  do not ignore entries starting with .
  -A, --almost-all           do not list implied . and ..
  -B, --ignore-backups       do not list entries ending with ~
  -C                         list entries by columns
  -c                         with -lt: sort by, and show, time of change of status
      --color[=WHEN]         color the output WHEN
  -d, --directory            list directories themselves, not their contents
  -F, --classify             append indicator (one of */=>@|) to entries
  -f                         do not sort, list everything
      --full-time            like -l --time-style=full-iso
  -g                         like -l, but do not list owner
      --group-directories-first  group directories before files
  -G, --no-group             in a long listing, don't print group names
  -h, --human-readable       with -l and -s, print sizes like 1K 234M 2G
  -I, --ignore=PATTERN       do not list entries matching shell PATTERN
  -i, --inode                print the index number of each file
  -k, --kibibytes            1024-byte blocks
  -l                         use a long listing format
  -L, --dereference          show the file that a link leads to
  -m                         fill width with a comma separated list of entries
  -n, --numeric-uid-gid      like -l, but list numeric user and group IDs
  -q, --hide-control-chars   print ? instead of control characters
  -N, --literal              print entry names without quoting
  -o                         like -l, but do not list group information
  -p                         append / indicator to directories
  -b, --escape               print escapes for blanks and characters that cannot be seen
  -Q, --quote-name           enclose entry names in double quotes
      --quoting-style=WORD   literal, escape, c, shell or shell-always
  -R, --recursive            list subdirectories recursively
  -r, --reverse              reverse order while sorting
  -S                         sort by file size, largest first
  -s, --size                 print the allocated size of each file, in blocks
      --sort=WORD            sort by WORD: none, size, time, version, extension, name
  -t                         sort by time, newest first
      --time=WORD            show WORD: atime, ctime, mtime
      --time-style=STYLE     full-iso, long-iso, iso, locale, or +FORMAT
  -U                         do not sort
  -u                         with -lt: sort by, and show, access time
  -v                         natural sort of (version) numbers within text
  -w, --width=COLS           set output width to COLS
  -X                         sort alphabetically by entry extension
  -x                         list entries by lines instead of by columns
  -1                         list one file per line
      --zero                 end each output line with NUL, not newline
",
    trouble: 2,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hidden {
    Ignored,
    AlmostAll,
    All,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    Name,
    Size,
    Time,
    Version,
    Extension,
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Time {
    Modified,
    Changed,
    Accessed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    Lines,
    Long,
    Columns,
    Across,
    Commas,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    None,
    Slash,
    /// As `All`, but without the mark of programs.
    Kind,
    All,
}

pub(super) struct Settings {
    pub(super) hidden: Hidden,
    pub(super) sort: Sort,
    pub(super) time: Time,
    pub(super) layout: Layout,
    pub(super) mark: Mark,
    pub(super) reverse: bool,
    pub(super) recursive: bool,
    pub(super) directories_themselves: bool,
    pub(super) directories_first: bool,
    pub(super) units: Units,
    pub(super) inode: bool,
    pub(super) blocks: bool,
    pub(super) owner: bool,
    pub(super) group: bool,
    pub(super) numeric: bool,
    pub(super) dereference: bool,
    pub(super) quoting: Quoting,
    pub(super) color: bool,
    pub(super) backups: bool,
    pub(super) ignored: Vec<Vec<u8>>,
    pub(super) time_style: String,
    pub(super) width: usize,
    /// Width of a tab between columns; 0 for blanks only.
    pub(super) tab: usize,
    pub(super) line_end: u8,
}

pub(crate) fn run(args: Vec<OsString>) -> i32 {
    main("ls", None, args)
}

pub(crate) fn dir(args: Vec<OsString>) -> i32 {
    main("dir", Some(Layout::Columns), args)
}

pub(crate) fn vdir(args: Vec<OsString>) -> i32 {
    main("vdir", Some(Layout::Long), args)
}

fn main(name: &'static str, layout: Option<Layout>, args: Vec<OsString>) -> i32 {
    let usage = Usage { name, ..USAGE };
    match parse_invocation(&usage, layout, args) {
        Ok((settings, files)) => {
            let mut list = list::List::new(name, &settings);
            let code = list.run(files);
            output::finish(name, &mut list.out, code)
        }
        Err(code) => code,
    }
}

fn parse_invocation(
    usage: &Usage,
    layout: Option<Layout>,
    args: Vec<OsString>,
) -> Result<(Settings, Vec<Vec<u8>>), i32> {
    let mut specs: Vec<options::Spec> =
        "aABCcdFfgGhiklLmnNopQqRrSstUuvXx1HbZ".chars().map(|c| (c, "", Value::None)).collect();
    for (short, long, value) in [
        ('a', "all", Value::None),
        ('A', "almost-all", Value::None),
        ('B', "ignore-backups", Value::None),
        ('\0', "color", Value::Optional),
        ('d', "directory", Value::None),
        ('F', "classify", Value::Optional),
        ('\0', "file-type", Value::None),
        ('\0', "indicator-style", Value::Required),
        ('\0', "block-size", Value::Required),
        ('\0', "si", Value::None),
        ('\0', "hide", Value::Required),
        ('T', "tabsize", Value::Required),
        ('\0', "full-time", Value::None),
        ('\0', "group-directories-first", Value::None),
        ('G', "no-group", Value::None),
        ('h', "human-readable", Value::None),
        ('I', "ignore", Value::Required),
        ('i', "inode", Value::None),
        ('k', "kibibytes", Value::None),
        ('L', "dereference", Value::None),
        ('n', "numeric-uid-gid", Value::None),
        ('N', "literal", Value::None),
        ('q', "hide-control-chars", Value::None),
        ('Q', "quote-name", Value::None),
        ('b', "escape", Value::None),
        ('\0', "quoting-style", Value::Required),
        ('R', "recursive", Value::None),
        ('r', "reverse", Value::None),
        ('s', "size", Value::None),
        ('\0', "sort", Value::Required),
        ('\0', "time", Value::Required),
        ('\0', "time-style", Value::Required),
        ('\0', "format", Value::Required),
        ('w', "width", Value::Required),
        ('\0', "zero", Value::None),
        ('\0', "show-control-chars", Value::None),
    ] {
        specs.retain(|spec| short == '\0' || spec.0 != short || !spec.1.is_empty());
        specs.push((short, long, value));
    }
    // `-F` takes no value, but `--classify` takes an optional one.
    specs.retain(|spec| !(spec.0 == 'F' && spec.1 == "classify"));
    specs.push(('F', "", Value::None));
    specs.push(('\0', "classify", Value::Optional));
    let terminal = cofferdam_guest_sys::is_terminal(1);
    let default = if terminal { Layout::Columns } else { Layout::Lines };
    let mut s = Settings {
        hidden: Hidden::Ignored,
        sort: Sort::Name,
        time: Time::Modified,
        layout: layout.unwrap_or(default),
        mark: Mark::None,
        reverse: false,
        recursive: false,
        directories_themselves: false,
        directories_first: false,
        units: Units::Bytes,
        inode: false,
        blocks: false,
        owner: true,
        group: true,
        numeric: false,
        dereference: false,
        quoting: std::env::var("QUOTING_STYLE")
            .ok()
            .and_then(|name| Quoting::named(&name))
            .unwrap_or(Quoting::Literal),
        color: false,
        backups: true,
        ignored: Vec::new(),
        time_style: String::new(),
        width: 80,
        tab: 8,
        line_end: b'\n',
    };
    let mut files = Vec::new();
    let mut sort_named = false;
    let mut hides = false;
    for item in options::parse(usage, args, &specs, options::Order::Anywhere)? {
        let (key, value) = match item {
            Item::Operand(file) => {
                files.push(file.into_vec());
                continue;
            }
            Item::Option(key, value) => (key, value),
        };
        let text = value.as_ref().map(|v| v.to_string_lossy().into_owned()).unwrap_or_default();
        let wrong = |what: &str| usage.wrong(&format!("invalid argument '{text}' for '--{what}'"));
        match key {
            Key::Short('a') => s.hidden = Hidden::All,
            Key::Short('A') => s.hidden = Hidden::AlmostAll,
            Key::Short('B') => s.backups = false,
            Key::Short('C') => s.layout = Layout::Columns,
            Key::Short('x') => s.layout = Layout::Across,
            Key::Short('m') => s.layout = Layout::Commas,
            Key::Short('1') if s.layout != Layout::Long => s.layout = Layout::Lines,
            Key::Short('l') => s.layout = Layout::Long,
            Key::Short('g') => (s.layout, s.owner) = (Layout::Long, false),
            Key::Short('o') => (s.layout, s.group) = (Layout::Long, false),
            Key::Short('n') => (s.layout, s.numeric) = (Layout::Long, true),
            Key::Short('G') => s.group = false,
            Key::Long("full-time") => {
                (s.layout, s.time_style) = (Layout::Long, "full-iso".to_owned());
            }
            Key::Short('c') => s.time = Time::Changed,
            Key::Short('u') => s.time = Time::Accessed,
            Key::Long("time") => {
                s.time = match text.as_str() {
                    "atime" | "access" | "use" => Time::Accessed,
                    "ctime" | "status" => Time::Changed,
                    "mtime" | "modification" => Time::Modified,
                    _ => return Err(wrong("time")),
                }
            }
            Key::Short('d') => s.directories_themselves = true,
            Key::Short('F') | Key::Long("classify") => s.mark = Mark::All,
            Key::Short('p') => s.mark = Mark::Slash,
            Key::Long("file-type") => s.mark = Mark::Kind,
            Key::Long("indicator-style") => {
                s.mark = match text.as_str() {
                    "none" => Mark::None,
                    "slash" => Mark::Slash,
                    "file-type" => Mark::Kind,
                    "classify" => Mark::All,
                    _ => return Err(wrong("indicator-style")),
                }
            }
            Key::Short('T') => match text.parse() {
                Ok(tab) => s.tab = tab,
                Err(_) => return Err(usage.wrong(&format!("invalid tab size: '{text}'"))),
            },
            Key::Short('f') => (s.sort, s.hidden, sort_named) = (Sort::None, Hidden::All, true),
            Key::Short('U') => (s.sort, sort_named) = (Sort::None, true),
            Key::Short('S') => (s.sort, sort_named) = (Sort::Size, true),
            Key::Short('t') => (s.sort, sort_named) = (Sort::Time, true),
            Key::Short('v') => (s.sort, sort_named) = (Sort::Version, true),
            Key::Short('X') => (s.sort, sort_named) = (Sort::Extension, true),
            Key::Long("sort") => {
                sort_named = true;
                s.sort = match text.as_str() {
                    "none" => Sort::None,
                    "size" => Sort::Size,
                    "time" => Sort::Time,
                    "version" => Sort::Version,
                    "extension" => Sort::Extension,
                    "name" => Sort::Name,
                    _ => return Err(wrong("sort")),
                }
            }
            Key::Long("format") => {
                s.layout = match text.as_str() {
                    "long" | "verbose" => Layout::Long,
                    "single-column" => Layout::Lines,
                    "commas" => Layout::Commas,
                    "across" | "horizontal" => Layout::Across,
                    "vertical" => Layout::Columns,
                    _ => return Err(wrong("format")),
                }
            }
            Key::Short('r') => s.reverse = true,
            Key::Short('R') => s.recursive = true,
            Key::Long("group-directories-first") => s.directories_first = true,
            Key::Short('h') => s.units = Units::Human,
            Key::Long("si") => s.units = Units::Decimal,
            Key::Long("block-size") => match Units::parse(&text) {
                Some(units) => s.units = units,
                None => return Err(wrong("block-size")),
            },
            Key::Short('i') => s.inode = true,
            Key::Short('s') => s.blocks = true,
            Key::Short('L' | 'H') => s.dereference = true,
            Key::Short('q') | Key::Long("hide-control-chars") => hides = true,
            Key::Long("show-control-chars") => hides = false,
            Key::Short('Q') => s.quoting = Quoting::C,
            Key::Short('b') => s.quoting = Quoting::Escape,
            Key::Short('N') => s.quoting = Quoting::Literal,
            Key::Long("quoting-style") => match Quoting::named(&text) {
                Some(quoting) => s.quoting = quoting,
                None => return Err(wrong("quoting-style")),
            },
            Key::Short('I') => s.ignored.push(text.into_bytes()),
            Key::Long("hide") if s.hidden == Hidden::Ignored => s.ignored.push(text.into_bytes()),
            Key::Long("time-style") => s.time_style = text,
            Key::Short('w') => match text.parse() {
                Ok(width) => s.width = width,
                Err(_) => return Err(usage.wrong(&format!("invalid line width: '{text}'"))),
            },
            Key::Long("zero") => (s.line_end, s.layout) = (0, Layout::Lines),
            Key::Long("color") => {
                s.color = matches!(text.as_str(), "always" | "yes" | "force" | "");
                s.tab = if s.color { 0 } else { s.tab };
            }
            _ => {}
        }
    }
    // `-c` and `-u` sort by time, unless the long format shows the time.
    if s.time != Time::Modified && s.layout != Layout::Long && !sort_named {
        s.sort = Sort::Time;
    }
    if hides {
        s.quoting = s.quoting.hidden();
    }
    Ok((s, files))
}
