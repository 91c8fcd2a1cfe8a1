//! Parses the command line of rg.

use std::ffi::OsString;
use std::path::PathBuf;

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Encoding, MmapChoice, Searcher, SearcherBuilder};
use ignore::overrides::{Override, OverrideBuilder};
use ignore::types::{Types, TypesBuilder};

use super::TROUBLE;
use crate::options::{self, Item, Key, Order, Usage, Value};
use crate::output::reason;

const USAGE: Usage = Usage {
    name: "rg",
    text: "\
Usage: rg [OPTION]... PATTERN [PATH]...
  or:  rg [OPTION]... -e PATTERN... [PATH]...
  or:  rg [OPTION]... --files [PATH]...
Search files for a regular expression, folders recursively. Hidden and binary files, and what
.gitignore, .ignore and .rgignore name, are left out. Without PATH: standard input if something is
there, and the working directory otherwise. Files come in the order of their names.

Patterns:
  -e, --regexp PATTERN       a pattern; may be given again
  -f, --file FILE            patterns from FILE, one in each line
  -F, --fixed-strings        patterns are strings
  -i, --ignore-case          upper and lower case are the same
  -s, --case-sensitive       they are not
  -S, --smart-case           they are, unless a pattern has upper case
  -w, --word-regexp          whole words only
  -x, --line-regexp          whole lines only
  -v, --invert-match         lines that do not match
  -U, --multiline            a match may span lines
      --multiline-dotall     . matches line ends too
      --no-unicode           characters are bytes
  -m, --max-count NUM        at most NUM lines of each file

Which files:
  -g, --glob GLOB            only what matches GLOB; !GLOB for what does not
      --iglob GLOB           likewise, in upper and lower case
  -t, --type TYPE            only files of TYPE; --type-list shows them
  -T, --type-not TYPE        none of TYPE
      --type-list            show the types
      --files                show which files would be searched
  -., --hidden               hidden files too
      --no-ignore            ignore files mean nothing
      --no-ignore-vcs        .gitignore means nothing
      --no-require-git       .gitignore counts outside of repositories too
  -u, --unrestricted         --no-ignore; twice, --hidden too; three times, --text too
  -d, --max-depth NUM        no deeper than NUM
      --max-filesize NUM     no larger than NUM bytes; K, M, G may follow
  -a, --text                 search binary files as text
  -E, --encoding NAME        the encoding of the text; auto, none, or one such as utf-16

What is shown:
  -n, --line-number          numbers of lines
  -N, --no-line-number       none
  -H, --with-filename        names of files
  -I, --no-filename          none
      --heading              names above their lines; --no-heading beside them
      --column               numbers of columns
  -b, --byte-offset          numbers of bytes
  -o, --only-matching        only what matches
  -r, --replace TEXT         TEXT in place of what matches; $1, $name for groups
  -A, --after-context NUM    NUM lines after
  -B, --before-context NUM   NUM lines before
  -C, --context NUM          both
      --passthru             all lines, matches marked
      --vimgrep              a line for each match, with everything
  -M, --max-columns NUM      leave longer lines out
      --trim                 leave out blanks in front
  -l, --files-with-matches   only names of files
      --files-without-match  only names of those without
  -c, --count                only how many lines
      --count-matches        only how many matches
      --include-zero         also where there are none
  -q, --quiet                nothing
  -0, --null                 a zero byte after names of files
      --json                 JSON, a line for each event
      --color WHEN           never, auto, always
      --no-messages          no messages about files that cannot be read
      --sort KEY             path or none; -j, --no-config, --no-mmap  accepted; nothing to change
      --help                 show this

Exit status is 0 if something was found, 1 if not, 2 after an error.
",
    trouble: TROUBLE,
};

/// The kind of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Mode {
    #[default]
    Search,
    Files,
    Types,
}

/// The output for each file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Report {
    #[default]
    Lines,
    Json,
    Count,
    CountMatches,
    With,
    Without,
    Quiet,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Case {
    #[default]
    Exact,
    Ignore,
    Smart,
}

/// The parsed options.
#[derive(Debug, Default)]
pub(super) struct Settings {
    pub(super) mode: Mode,
    pub(super) report: Report,
    pub(super) paths: Vec<PathBuf>,
    pub(super) names: Option<bool>,
    pub(super) heading: Option<bool>,
    pub(super) color: bool,
    pub(super) column: bool,
    pub(super) offsets: bool,
    pub(super) only_matching: bool,
    pub(super) replacement: Option<Vec<u8>>,
    pub(super) before: usize,
    pub(super) after: usize,
    pub(super) per_match: bool,
    pub(super) max_columns: Option<u64>,
    pub(super) trim: bool,
    pub(super) include_zero: bool,
    pub(super) null: bool,
    pub(super) no_messages: bool,
    pub(super) hidden: bool,
    pub(super) no_ignore: bool,
    pub(super) no_vcs: bool,
    pub(super) no_require_git: bool,
    pub(super) max_depth: Option<usize>,
    pub(super) max_filesize: Option<u64>,
    patterns: Vec<String>,
    has_patterns: bool,
    case: Case,
    fixed: bool,
    words: bool,
    lines: bool,
    invert: bool,
    multiline: bool,
    dotall: bool,
    no_unicode: bool,
    text: bool,
    passthru: bool,
    line_numbers: Option<bool>,
    most: Option<u64>,
    encoding: Option<String>,
    globs: Vec<(String, bool)>,
    wanted: Vec<String>,
    unwanted: Vec<String>,
    unrestricted: u32,
}

const SPECS: &[options::Spec] = &[
    ('e', "regexp", Value::Required),
    ('f', "file", Value::Required),
    ('F', "fixed-strings", Value::None),
    ('i', "ignore-case", Value::None),
    ('s', "case-sensitive", Value::None),
    ('S', "smart-case", Value::None),
    ('w', "word-regexp", Value::None),
    ('x', "line-regexp", Value::None),
    ('v', "invert-match", Value::None),
    ('U', "multiline", Value::None),
    ('\0', "multiline-dotall", Value::None),
    ('\0', "no-unicode", Value::None),
    ('m', "max-count", Value::Required),
    ('g', "glob", Value::Required),
    ('\0', "iglob", Value::Required),
    ('t', "type", Value::Required),
    ('T', "type-not", Value::Required),
    ('\0', "type-list", Value::None),
    ('\0', "files", Value::None),
    ('.', "hidden", Value::None),
    ('\0', "no-ignore", Value::None),
    ('\0', "no-ignore-vcs", Value::None),
    ('\0', "no-require-git", Value::None),
    ('u', "unrestricted", Value::None),
    ('d', "max-depth", Value::Required),
    ('\0', "max-filesize", Value::Required),
    ('a', "text", Value::None),
    ('E', "encoding", Value::Required),
    ('n', "line-number", Value::None),
    ('N', "no-line-number", Value::None),
    ('H', "with-filename", Value::None),
    ('I', "no-filename", Value::None),
    ('\0', "heading", Value::None),
    ('\0', "no-heading", Value::None),
    ('\0', "column", Value::None),
    ('b', "byte-offset", Value::None),
    ('o', "only-matching", Value::None),
    ('r', "replace", Value::Required),
    ('A', "after-context", Value::Required),
    ('B', "before-context", Value::Required),
    ('C', "context", Value::Required),
    ('\0', "passthru", Value::None),
    ('\0', "vimgrep", Value::None),
    ('M', "max-columns", Value::Required),
    ('\0', "trim", Value::None),
    ('l', "files-with-matches", Value::None),
    ('\0', "files-without-match", Value::None),
    ('c', "count", Value::None),
    ('\0', "count-matches", Value::None),
    ('\0', "include-zero", Value::None),
    ('q', "quiet", Value::None),
    ('0', "null", Value::None),
    ('\0', "json", Value::None),
    ('\0', "color", Value::Required),
    ('p', "pretty", Value::None),
    ('\0', "no-messages", Value::None),
    ('\0', "sort", Value::Required),
    ('j', "threads", Value::Required),
    ('\0', "no-config", Value::None),
    ('\0', "no-mmap", Value::None),
    ('h', "short-help", Value::None),
    ('L', "follow", Value::None),
    ('P', "pcre2", Value::None),
    ('z', "search-zip", Value::None),
];

impl Settings {
    pub(super) fn parse(args: Vec<OsString>) -> Result<Self, i32> {
        let mut settings = Settings::default();
        let mut operands = Vec::new();
        for item in options::parse(&USAGE, args, SPECS, Order::Anywhere)? {
            match item {
                Item::Operand(operand) => operands.push(operand),
                Item::Option(key, value) => settings.set(key, value.unwrap_or_default())?,
            }
        }
        if settings.mode == Mode::Search && !settings.has_patterns {
            if operands.is_empty() {
                return Err(USAGE.wrong("a pattern is needed"));
            }
            settings.patterns.push(utf8(operands.remove(0))?);
        }
        settings.paths = operands.into_iter().map(PathBuf::from).collect();
        Ok(settings)
    }

    fn set(&mut self, key: Key, value: OsString) -> Result<(), i32> {
        match key {
            Key::Short('e') => {
                self.has_patterns = true;
                self.patterns.push(utf8(value)?);
            }
            Key::Short('f') => self.read_patterns(&utf8(value)?)?,
            Key::Short('F') => self.fixed = true,
            Key::Short('i') => self.case = Case::Ignore,
            Key::Short('s') => self.case = Case::Exact,
            Key::Short('S') => self.case = Case::Smart,
            Key::Short('w') => self.words = true,
            Key::Short('x') => self.lines = true,
            Key::Short('v') => self.invert = true,
            Key::Short('U') => self.multiline = true,
            Key::Long("multiline-dotall") => self.dotall = true,
            Key::Long("no-unicode") => self.no_unicode = true,
            Key::Short('m') => self.most = Some(number(value)?),
            Key::Short('g') => self.globs.push((utf8(value)?, false)),
            Key::Long("iglob") => self.globs.push((utf8(value)?, true)),
            Key::Short('t') => self.wanted.push(utf8(value)?),
            Key::Short('T') => self.unwanted.push(utf8(value)?),
            Key::Long("type-list") => self.mode = Mode::Types,
            Key::Long("files") => self.mode = Mode::Files,
            Key::Short('.') => self.hidden = true,
            Key::Long("no-ignore") => self.no_ignore = true,
            Key::Long("no-ignore-vcs") => self.no_vcs = true,
            Key::Long("no-require-git") => self.no_require_git = true,
            Key::Short('u') => {
                self.unrestricted += 1;
                self.no_ignore = true;
                self.hidden |= self.unrestricted > 1;
                self.text |= self.unrestricted > 2;
            }
            Key::Short('d') => self.max_depth = Some(number(value)? as usize),
            Key::Long("max-filesize") => self.max_filesize = Some(size(value)?),
            Key::Short('a') => self.text = true,
            Key::Short('E') => self.encoding = Some(utf8(value)?),
            key => return self.set_output(key, value),
        }
        Ok(())
    }

    fn set_output(&mut self, key: Key, value: OsString) -> Result<(), i32> {
        match key {
            Key::Short('n') => self.line_numbers = Some(true),
            Key::Short('N') => self.line_numbers = Some(false),
            Key::Short('H') => self.names = Some(true),
            Key::Short('I') => self.names = Some(false),
            Key::Long("heading") => self.heading = Some(true),
            Key::Long("no-heading") => self.heading = Some(false),
            Key::Long("column") => {
                self.column = true;
                self.line_numbers.get_or_insert(true);
            }
            Key::Short('b') => self.offsets = true,
            Key::Short('o') => self.only_matching = true,
            Key::Short('r') => self.replacement = Some(utf8(value)?.into_bytes()),
            Key::Short('A') => self.after = number(value)? as usize,
            Key::Short('B') => self.before = number(value)? as usize,
            Key::Short('C') => {
                self.after = number(value)? as usize;
                self.before = self.after;
            }
            Key::Long("passthru") => self.passthru = true,
            Key::Long("vimgrep") => {
                self.per_match = true;
                self.column = true;
                self.line_numbers = Some(true);
                self.names = Some(true);
                self.heading = Some(false);
            }
            Key::Short('M') => self.max_columns = Some(number(value)?).filter(|most| *most > 0),
            Key::Long("trim") => self.trim = true,
            Key::Short('l') => self.report = Report::With,
            Key::Long("files-without-match") => self.report = Report::Without,
            Key::Short('c') => self.report = Report::Count,
            Key::Long("count-matches") => self.report = Report::CountMatches,
            Key::Long("include-zero") => self.include_zero = true,
            Key::Short('q') => self.report = Report::Quiet,
            Key::Short('0') => self.null = true,
            Key::Long("json") => self.report = Report::Json,
            Key::Long("color") => self.color = matches!(value.to_str(), Some("always" | "ansi")),
            Key::Short('p') => {
                self.color = true;
                self.heading = Some(true);
                self.line_numbers = Some(true);
            }
            Key::Long("no-messages") => self.no_messages = true,
            Key::Short('h') => {
                print!("{}", USAGE.text);
                return Err(crate::commands::uutils::flushed(0));
            }
            Key::Short('L') => return Err(USAGE.wrong("-L: links are not followed here")),
            Key::Short('P') => return Err(USAGE.wrong("-P: not supported; use grep -P")),
            Key::Short('z') => return Err(USAGE.wrong("-z: not supported; use zcat FILE | rg")),
            // Accepted without an effect.
            Key::Short(_) | Key::Long(_) => {}
        }
        Ok(())
    }

    fn read_patterns(&mut self, file: &str) -> Result<(), i32> {
        self.has_patterns = true;
        let text = match file {
            "-" => std::io::read_to_string(crate::output::Input),
            file => std::fs::read_to_string(file),
        };
        let text = text.map_err(|e| USAGE.wrong(&format!("{file}: {}", reason(&e))))?;
        self.patterns.extend(text.lines().map(str::to_owned));
        Ok(())
    }

    /// Compiles the patterns.
    pub(super) fn matcher(&self) -> Result<RegexMatcher, String> {
        let mut builder = RegexMatcherBuilder::new();
        builder
            .case_insensitive(self.case == Case::Ignore)
            .case_smart(self.case == Case::Smart)
            .fixed_strings(self.fixed)
            .word(self.words)
            .whole_line(self.lines)
            .unicode(!self.no_unicode)
            .multi_line(true);
        match self.multiline {
            true => builder.dot_matches_new_line(self.dotall),
            false => builder.line_terminator(Some(b'\n')).dot_matches_new_line(false),
        };
        builder.build_many(&self.patterns).map_err(|e| e.to_string())
    }

    /// Returns a searcher; `named` is true for files that the command line names.
    pub(super) fn searcher(&self, named: bool) -> Result<Searcher, String> {
        let binary = match (self.text, named) {
            (true, _) => BinaryDetection::none(),
            (false, true) => BinaryDetection::convert(0),
            (false, false) => BinaryDetection::quit(0),
        };
        let encoding = match self.encoding.as_deref() {
            None | Some("auto" | "none") => None,
            Some(name) => Some(Encoding::new(name).map_err(|e| e.to_string())?),
        };
        let is_json = self.report == Report::Json;
        Ok(SearcherBuilder::new()
            .invert_match(self.invert)
            .line_number(self.line_numbers.unwrap_or(is_json || self.is_terminal()))
            .multi_line(self.multiline)
            .before_context(self.before)
            .after_context(self.after)
            .passthru(self.passthru)
            .max_matches(self.most)
            .binary_detection(binary)
            .encoding(encoding)
            .bom_sniffing(self.encoding.as_deref() != Some("none"))
            .memory_map(MmapChoice::never())
            .build())
    }

    pub(super) fn is_terminal(&self) -> bool {
        cofferdam_guest_sys::is_terminal(1)
    }

    pub(super) fn overrides(&self) -> Result<Override, String> {
        let mut builder = OverrideBuilder::new(".");
        for (glob, any_case) in &self.globs {
            builder.case_insensitive(*any_case).map_err(|e| e.to_string())?;
            builder.add(glob).map_err(|e| e.to_string())?;
        }
        builder.build().map_err(|e| e.to_string())
    }

    pub(super) fn types(&self) -> Result<Types, String> {
        let mut builder = TypesBuilder::new();
        builder.add_defaults();
        for name in &self.wanted {
            builder.select(name);
        }
        for name in &self.unwanted {
            builder.negate(name);
        }
        builder.build().map_err(|e| e.to_string())
    }
}

fn utf8(text: OsString) -> Result<String, i32> {
    text.into_string().map_err(|_| USAGE.wrong("an argument is not UTF-8"))
}

fn number(text: OsString) -> Result<u64, i32> {
    let text = utf8(text)?;
    text.parse().map_err(|_| USAGE.wrong(&format!("'{text}' is not a number")))
}

fn size(text: OsString) -> Result<u64, i32> {
    let text = utf8(text)?;
    let digits = text.trim_end_matches(['K', 'M', 'G']);
    let shift = match &text[digits.len()..] {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        _ => return Err(USAGE.wrong(&format!("'{text}' is not a size"))),
    };
    let wrong = |_| USAGE.wrong(&format!("'{text}' is not a size"));
    digits.parse::<u64>().map(|number| number.saturating_mul(1 << shift)).map_err(wrong)
}
