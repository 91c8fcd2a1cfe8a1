//! grep, egrep, fgrep: print lines that match patterns.

mod matcher;
mod search;
mod walk;

use std::ffi::OsString;

use crate::bytes::{OsStrExt as _, OsStringExt as _};
use crate::options::{self, Item, Key, Order, Usage, Value};
use crate::output::{self, reason};

use matcher::{Kind, Matcher};
use search::Searcher;

const USAGE: Usage = Usage {
    name: "grep",
    text: "\
Usage: grep [OPTION]... PATTERNS [FILE]...
Search for PATTERNS in each FILE, or in standard input.

Pattern selection:
  -E, --extended-regexp     PATTERNS are extended regular expressions
  -F, --fixed-strings       PATTERNS are strings
  -G, --basic-regexp        PATTERNS are basic regular expressions
  -P, --perl-regexp         PATTERNS are Perl regular expressions
  -e, --regexp=PATTERNS     use PATTERNS for matching
  -f, --file=FILE           take PATTERNS from FILE
  -i, --ignore-case         ignore case distinctions
      --no-ignore-case      do not ignore case distinctions
  -w, --word-regexp         match only whole words
  -x, --line-regexp         match only whole lines
  -z, --null-data           a data line ends in 0 byte, not newline

Output control:
  -s, --no-messages         suppress messages about missing files
  -v, --invert-match        select non-matching lines
  -m, --max-count=NUM       stop after NUM selected lines
  -b, --byte-offset         print the byte offset with output lines
  -n, --line-number         print line number with output lines
      --line-buffered       flush output on every line
  -H, --with-filename       print file name with output lines
  -h, --no-filename         suppress the file name prefix on output
      --label=LABEL         use LABEL as the name of standard input
  -o, --only-matching       show only nonempty parts of lines that match
  -q, --quiet, --silent     suppress all normal output
      --binary-files=TYPE   TYPE is 'binary', 'text', or 'without-match'
  -a, --text                equivalent to --binary-files=text
  -I                        equivalent to --binary-files=without-match
  -r, --recursive           search directories
  -R, --dereference-recursive  likewise, but follow all links
      --include=GLOB        search only files that match GLOB
      --exclude=GLOB        skip files that match GLOB
      --exclude-from=FILE   skip files that match any glob from FILE
      --exclude-dir=GLOB    skip directories that match GLOB
  -d, --directories=ACTION  ACTION is 'read', 'recurse', or 'skip'
  -L, --files-without-match print only names of FILEs with no selected lines
  -l, --files-with-matches  print only names of FILEs with selected lines
  -c, --count               print only a count of selected lines per FILE
  -T, --initial-tab         make tabs line up
  -Z, --null                print 0 byte after FILE name

Context control:
  -B, --before-context=NUM  print NUM lines of leading context
  -A, --after-context=NUM   print NUM lines of trailing context
  -C, --context=NUM         print NUM lines of output context
  -NUM                      same as --context=NUM
      --group-separator=SEP print SEP between groups of context
      --no-group-separator  do not print separators
      --color[=WHEN]        mark matches; WHEN is 'always', 'never', or 'auto'

Exit status is 0 if any line is selected, 1 otherwise; 2 if an error occurs.
",
    trouble: 2,
};

/// The output for each file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Report {
    Lines,
    Count,
    FilesWith,
    FilesWithout,
    Quiet,
}

/// The treatment of binary files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Binary {
    Say,
    Text,
    Skip,
}

/// The treatment of directories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Directories {
    Read,
    Skip,
    Recurse { follow: bool },
}

/// The parsed options.
pub(super) struct Settings {
    pub(super) report: Report,
    pub(super) binary: Binary,
    pub(super) directories: Directories,
    pub(super) invert: bool,
    pub(super) only_matching: bool,
    pub(super) line_numbers: bool,
    pub(super) offsets: bool,
    pub(super) names: Option<bool>,
    pub(super) null_names: bool,
    pub(super) initial_tab: bool,
    pub(super) silent: bool,
    pub(super) color: bool,
    pub(super) line_buffered: bool,
    pub(super) most: Option<u64>,
    pub(super) before: usize,
    pub(super) after: usize,
    pub(super) separator: Option<Vec<u8>>,
    pub(super) label: Vec<u8>,
    pub(super) line_end: u8,
    globs: walk::Globs,
}

pub(crate) fn run(args: Vec<OsString>) -> i32 {
    main("grep", Kind::Basic, args)
}

pub(crate) fn extended(args: Vec<OsString>) -> i32 {
    main("egrep", Kind::Extended, args)
}

pub(crate) fn fixed(args: Vec<OsString>) -> i32 {
    main("fgrep", Kind::Fixed, args)
}

fn main(name: &'static str, kind: Kind, args: Vec<OsString>) -> i32 {
    let usage = Usage { name, ..USAGE };
    match parse_invocation(&usage, kind, args) {
        Ok((settings, matcher, files)) => {
            let mut searcher = Searcher::new(&settings, &matcher);
            let code = searcher.run(files);
            output::finish(name, &mut searcher.out, code)
        }
        Err(code) => code,
    }
}

const SPECS: &[options::Spec] = &[
    ('E', "extended-regexp", Value::None),
    ('F', "fixed-strings", Value::None),
    ('G', "basic-regexp", Value::None),
    ('P', "perl-regexp", Value::None),
    ('e', "regexp", Value::Required),
    ('f', "file", Value::Required),
    ('i', "ignore-case", Value::None),
    ('y', "", Value::None),
    ('\0', "no-ignore-case", Value::None),
    ('w', "word-regexp", Value::None),
    ('x', "line-regexp", Value::None),
    ('z', "null-data", Value::None),
    ('s', "no-messages", Value::None),
    ('v', "invert-match", Value::None),
    ('m', "max-count", Value::Required),
    ('b', "byte-offset", Value::None),
    ('n', "line-number", Value::None),
    ('\0', "line-buffered", Value::None),
    ('H', "with-filename", Value::None),
    ('h', "no-filename", Value::None),
    ('\0', "label", Value::Required),
    ('o', "only-matching", Value::None),
    ('q', "quiet", Value::None),
    ('q', "silent", Value::None),
    ('\0', "binary-files", Value::Required),
    ('a', "text", Value::None),
    ('I', "", Value::None),
    ('U', "binary", Value::None),
    ('r', "recursive", Value::None),
    ('R', "dereference-recursive", Value::None),
    ('\0', "include", Value::Required),
    ('\0', "exclude", Value::Required),
    ('\0', "exclude-from", Value::Required),
    ('\0', "exclude-dir", Value::Required),
    ('d', "directories", Value::Required),
    ('D', "devices", Value::Required),
    ('L', "files-without-match", Value::None),
    ('l', "files-with-matches", Value::None),
    ('c', "count", Value::None),
    ('T', "initial-tab", Value::None),
    ('Z', "null", Value::None),
    ('B', "before-context", Value::Required),
    ('A', "after-context", Value::Required),
    ('C', "context", Value::Required),
    ('\0', "group-separator", Value::Required),
    ('\0', "no-group-separator", Value::None),
    ('\0', "color", Value::Optional),
    ('\0', "colour", Value::Optional),
    ('V', "version", Value::None),
];

/// The options, the compiled patterns, and the files.
type Invocation = (Settings, Matcher, Vec<OsString>);

fn parse_invocation(usage: &Usage, kind: Kind, args: Vec<OsString>) -> Result<Invocation, i32> {
    let (args, short_context) = take_numbers(args);
    let items = options::parse(usage, args, SPECS, Order::Anywhere)?;
    let mut settings = Settings {
        report: Report::Lines,
        binary: Binary::Say,
        directories: Directories::Read,
        invert: false,
        only_matching: false,
        line_numbers: false,
        offsets: false,
        names: None,
        null_names: false,
        initial_tab: false,
        silent: false,
        color: false,
        line_buffered: false,
        most: None,
        before: short_context.unwrap_or(0),
        after: short_context.unwrap_or(0),
        separator: Some(b"--".to_vec()),
        label: b"(standard input)".to_vec(),
        line_end: b'\n',
        globs: walk::Globs::default(),
    };
    let mut wish = matcher::Wish { kind, ..Default::default() };
    let mut patterns: Option<Vec<u8>> = None;
    let mut operands = Vec::new();
    let (mut before, mut after, mut both) = (None, None, None);
    let context = |value: &OsString| {
        let text = value.to_string_lossy();
        text.parse::<usize>().map_err(|_| {
            eprintln!("{}: {text}: invalid context length argument", usage.name);
            2
        })
    };
    for item in items {
        let (key, value) = match item {
            Item::Operand(operand) => {
                operands.push(operand);
                continue;
            }
            Item::Option(key, value) => (key, value.unwrap_or_default()),
        };
        match key {
            Key::Short('E') => wish.kind = Kind::Extended,
            Key::Short('F') => wish.kind = Kind::Fixed,
            Key::Short('G') => wish.kind = Kind::Basic,
            Key::Short('P') => wish.kind = Kind::Perl,
            Key::Short('e') => add(&mut patterns, &value.into_vec()),
            Key::Short('f') => {
                let mut text = read(usage, &value)?;
                // A final newline terminates the last pattern; it does not start an empty one.
                let empty = text.is_empty();
                if text.last() == Some(&b'\n') {
                    text.pop();
                }
                if empty {
                    patterns.get_or_insert_default();
                    wish.has_file = true;
                } else {
                    add(&mut patterns, &text);
                }
            }
            Key::Short('i' | 'y') => wish.ignore_case = true,
            Key::Long("no-ignore-case") => wish.ignore_case = false,
            Key::Short('w') => wish.words = true,
            Key::Short('x') => wish.whole_lines = true,
            Key::Short('z') => settings.line_end = 0,
            Key::Short('s') => settings.silent = true,
            Key::Short('v') => settings.invert = true,
            Key::Short('m') => {
                let text = value.to_string_lossy();
                let most = text.parse::<i64>().map_err(|_| {
                    eprintln!("{}: invalid max count", usage.name);
                    2
                })?;
                settings.most = u64::try_from(most).ok();
            }
            Key::Short('b') => settings.offsets = true,
            Key::Short('n') => settings.line_numbers = true,
            Key::Long("line-buffered") => settings.line_buffered = true,
            Key::Short('H') => settings.names = Some(true),
            Key::Short('h') => settings.names = Some(false),
            Key::Long("label") => settings.label = value.into_vec(),
            Key::Short('o') => settings.only_matching = true,
            Key::Short('q') => settings.report = Report::Quiet,
            Key::Long("binary-files") => {
                settings.binary = match value.as_bytes() {
                    b"binary" => Binary::Say,
                    b"text" => Binary::Text,
                    b"without-match" => Binary::Skip,
                    _ => return Err(usage.wrong("invalid argument for --binary-files")),
                }
            }
            Key::Short('a') => settings.binary = Binary::Text,
            Key::Short('I') => settings.binary = Binary::Skip,
            Key::Short('r') => settings.directories = Directories::Recurse { follow: false },
            Key::Short('R') => settings.directories = Directories::Recurse { follow: true },
            Key::Long("include") => {
                settings.globs.files.push((walk::Takes::Include, value.into_vec()))
            }
            Key::Long("exclude") => {
                settings.globs.files.push((walk::Takes::Exclude, value.into_vec()))
            }
            Key::Long("exclude-from") => {
                let text = read(usage, &value)?;
                let lines = text.split(|b| *b == b'\n').filter(|line| !line.is_empty());
                let globs = lines.map(|line| (walk::Takes::Exclude, line.to_vec()));
                settings.globs.files.extend(globs);
            }
            Key::Long("exclude-dir") => settings.globs.exclude_dir.push(value.into_vec()),
            Key::Short('d') => {
                settings.directories = match value.as_bytes() {
                    b"read" => Directories::Read,
                    b"skip" => Directories::Skip,
                    b"recurse" => Directories::Recurse { follow: false },
                    _ => return Err(usage.wrong("invalid argument for --directories")),
                }
            }
            Key::Short('L') => settings.report = Report::FilesWithout,
            Key::Short('l') => settings.report = Report::FilesWith,
            Key::Short('c') if settings.report == Report::Lines => settings.report = Report::Count,
            Key::Short('T') => settings.initial_tab = true,
            Key::Short('Z') => settings.null_names = true,
            Key::Short('B') => before = Some(context(&value)?),
            Key::Short('A') => after = Some(context(&value)?),
            Key::Short('C') => both = Some(context(&value)?),
            Key::Long("group-separator") => settings.separator = Some(value.into_vec()),
            Key::Long("no-group-separator") => settings.separator = None,
            Key::Long("color" | "colour") => settings.color = value == "always",
            Key::Short('V') => {
                println!("grep (cofferdam) {}", env!("CARGO_PKG_VERSION"));
                return Err(crate::commands::uutils::flushed(0));
            }
            _ => {}
        }
    }
    settings.before = before.or(both).unwrap_or(settings.before);
    settings.after = after.or(both).unwrap_or(settings.after);
    let patterns = match patterns {
        Some(patterns) => patterns,
        None if operands.is_empty() => {
            eprintln!(
                "Usage: {0} [OPTION]... PATTERNS [FILE]...\nTry '{0} --help' for more information.",
                usage.name
            );
            return Err(2);
        }
        None => operands.remove(0).into_vec(),
    };
    wish.line_end = settings.line_end;
    let matcher = Matcher::new(&patterns, &wish).map_err(|message| {
        eprintln!("{}: {message}", usage.name);
        2
    })?;
    Ok((settings, matcher, operands))
}

/// Removes options such as `-5` from the arguments and returns the number.
fn take_numbers(args: Vec<OsString>) -> (Vec<OsString>, Option<usize>) {
    let mut number = None;
    let mut rest = Vec::with_capacity(args.len());
    let mut options = true;
    for arg in args {
        let bytes = arg.as_bytes();
        options &= bytes != b"--";
        let digits = bytes.strip_prefix(b"-").unwrap_or_default();
        if options && !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) {
            number = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok());
            continue;
        }
        rest.push(arg);
    }
    (rest, number)
}

fn add(patterns: &mut Option<Vec<u8>>, text: &[u8]) {
    match patterns {
        Some(patterns) => {
            patterns.push(b'\n');
            patterns.extend_from_slice(text);
        }
        None => *patterns = Some(text.to_vec()),
    }
}

fn read(usage: &Usage, file: &OsString) -> Result<Vec<u8>, i32> {
    let text = if file == "-" {
        let mut text = Vec::new();
        std::io::Read::read_to_end(&mut output::Input, &mut text).map(|_| text)
    } else {
        std::fs::read(file)
    };
    text.map_err(|error| {
        eprintln!("{}: {}: {}", usage.name, file.to_string_lossy(), reason(&error));
        2
    })
}
