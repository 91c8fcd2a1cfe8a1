//! The options of diff.

use std::ffi::OsString;
use std::fs;

use super::groups::Formats;
use super::hunk::Trivial;
use super::text::Ignored;
use crate::bytes::OsStringExt as _;
use crate::options::{self, Item, Key, Order, Usage, Value};
use crate::output::reason;
use crate::pattern::{Options, Pattern, Syntax};

const USAGE: Usage = Usage {
    name: "diff",
    text: "\
Usage: diff [OPTION]... FILES
Compare FILES line by line.

      --normal                  output a normal diff (the default)
  -q, --brief                   report only when files differ
  -s, --report-identical-files  report when two files are the same
  -c, -C NUM, --context[=NUM]   output NUM (default 3) lines of copied context
  -u, -U NUM, --unified[=NUM]   output NUM (default 3) lines of unified context
  -e, --ed                      output an ed script
  -n, --rcs                     output an RCS format diff
  -y, --side-by-side            output in two columns
  -W, --width=NUM               output at most NUM (default 130) print columns
      --left-column             output only the left column of common lines
      --suppress-common-lines   do not output common lines
  -p, --show-c-function         show which C function each change is in
  -F, --show-function-line=RE   show the most recent line matching RE
      --label LABEL             use LABEL instead of file name and timestamp
  -t, --expand-tabs             expand tabs to spaces in output
  -T, --initial-tab             make tabs line up by prepending a tab
      --tabsize=NUM             tab stops every NUM (default 8) print columns
      --suppress-blank-empty    suppress space or tab before empty output lines
  -r, --recursive               recursively compare any subdirectories found
      --no-dereference          don't follow symbolic links
  -N, --new-file                treat absent files as empty
      --unidirectional-new-file treat absent first files as empty
  -x, --exclude=PAT             exclude files that match PAT
  -X, --exclude-from=FILE       exclude files that match any pattern in FILE
  -S, --starting-file=FILE      start with FILE when comparing directories
      --from-file=FILE1         compare FILE1 to all operands
      --to-file=FILE2           compare all operands to FILE2
  -i, --ignore-case             ignore case differences in file contents
  -E, --ignore-tab-expansion    ignore changes due to tab expansion
  -Z, --ignore-trailing-space   ignore white space at line end
  -b, --ignore-space-change     ignore changes in the amount of white space
  -w, --ignore-all-space        ignore all white space
  -B, --ignore-blank-lines      ignore changes where lines are all blank
  -I, --ignore-matching-lines=RE  ignore changes where all lines match RE
  -a, --text                    treat all files as text
      --strip-trailing-cr       strip trailing carriage return on input
  -D, --ifdef=NAME              output merged file with '#ifdef NAME' diffs
      --GTYPE-group-format=GFMT format GTYPE input groups with GFMT
      --line-format=LFMT        format all input lines with LFMT
      --LTYPE-line-format=LFMT  format LTYPE input lines with LFMT
  -d, --minimal                 try hard to find a smaller set of changes
      --color[=WHEN]            color output; WHEN is 'never', 'always' or 'auto'
      --help                    display this help
",
    trouble: 2,
};

/// Most lines of context, so that numbers do not overflow.
const MAX_CONTEXT: usize = 1 << 30;

/// The form of a report.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Normal,
    Unified(usize),
    Context(usize),
    Ed,
    ForwardEd,
    Rcs,
    Side,
    Groups,
}

/// The treatment of files that only one of two directories has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Absent {
    Reported,
    /// Absent files are empty.
    Empty,
    /// Files that are absent in the first directory are empty.
    FirstEmpty,
}

pub(super) struct Settings {
    pub(super) form: Form,
    pub(super) brief: bool,
    pub(super) report_identical: bool,
    pub(super) recursive: bool,
    pub(super) follow: bool,
    pub(super) absent: Absent,
    pub(super) exclude: Vec<Vec<u8>>,
    pub(super) starting_file: Option<Vec<u8>>,
    pub(super) from_file: Option<OsString>,
    pub(super) to_file: Option<OsString>,
    pub(super) labels: Vec<String>,
    pub(super) functions: Vec<Pattern>,
    pub(super) ignored: Ignored,
    pub(super) trivial: Trivial,
    pub(super) ignore_name_case: bool,
    pub(super) text: bool,
    pub(super) strip_cr: bool,
    pub(super) minimal: bool,
    pub(super) colour: bool,
    pub(super) expand_tabs: bool,
    pub(super) initial_tab: bool,
    pub(super) suppress_blank_empty: bool,
    pub(super) tab_size: usize,
    pub(super) width: usize,
    pub(super) left_column: bool,
    pub(super) suppress_common: bool,
    pub(super) formats: Formats,
    /// Options as they were typed, for the heads of files in directories.
    pub(super) typed: Vec<String>,
    pub(super) files: Vec<OsString>,
}

const SPECS: &[options::Spec] = &[
    ('\0', "normal", Value::None),
    ('q', "brief", Value::None),
    ('s', "report-identical-files", Value::None),
    ('c', "", Value::None),
    ('C', "context", Value::Optional),
    ('u', "", Value::None),
    ('U', "unified", Value::Optional),
    ('e', "ed", Value::None),
    ('f', "forward-ed", Value::None),
    ('n', "rcs", Value::None),
    ('y', "side-by-side", Value::None),
    ('W', "width", Value::Required),
    ('\0', "left-column", Value::None),
    ('\0', "suppress-common-lines", Value::None),
    ('p', "show-c-function", Value::None),
    ('F', "show-function-line", Value::Required),
    ('L', "label", Value::Required),
    ('t', "expand-tabs", Value::None),
    ('T', "initial-tab", Value::None),
    ('\0', "tabsize", Value::Required),
    ('\0', "suppress-blank-empty", Value::None),
    ('l', "paginate", Value::None),
    ('r', "recursive", Value::None),
    ('\0', "no-dereference", Value::None),
    ('N', "new-file", Value::None),
    ('P', "unidirectional-new-file", Value::None),
    ('\0', "ignore-file-name-case", Value::None),
    ('\0', "no-ignore-file-name-case", Value::None),
    ('x', "exclude", Value::Required),
    ('X', "exclude-from", Value::Required),
    ('S', "starting-file", Value::Required),
    ('\0', "from-file", Value::Required),
    ('\0', "to-file", Value::Required),
    ('i', "ignore-case", Value::None),
    ('E', "ignore-tab-expansion", Value::None),
    ('Z', "ignore-trailing-space", Value::None),
    ('b', "ignore-space-change", Value::None),
    ('w', "ignore-all-space", Value::None),
    ('B', "ignore-blank-lines", Value::None),
    ('I', "ignore-matching-lines", Value::Required),
    ('a', "text", Value::None),
    ('\0', "strip-trailing-cr", Value::None),
    ('\0', "binary", Value::None),
    ('D', "ifdef", Value::Required),
    ('\0', "old-group-format", Value::Required),
    ('\0', "new-group-format", Value::Required),
    ('\0', "unchanged-group-format", Value::Required),
    ('\0', "changed-group-format", Value::Required),
    ('\0', "line-format", Value::Required),
    ('\0', "old-line-format", Value::Required),
    ('\0', "new-line-format", Value::Required),
    ('\0', "unchanged-line-format", Value::Required),
    ('d', "minimal", Value::None),
    ('H', "speed-large-files", Value::None),
    ('\0', "horizon-lines", Value::Required),
    ('\0', "color", Value::Optional),
    ('\0', "palette", Value::Required),
];

/// Prints an error of usage and returns the exit code.
fn wrong(message: &str) -> i32 {
    eprintln!("diff: {message}\ndiff: Try 'diff --help' for more information.");
    2
}

/// Parses the arguments. The error is the exit code; its message has already been printed.
pub(super) fn parse(args: Vec<OsString>) -> Result<Settings, i32> {
    let mut diff = Settings::new();
    let args = prepared(args, &mut diff.typed);
    for item in options::parse(&USAGE, args, SPECS, Order::Anywhere)? {
        match item {
            Item::Operand(file) => diff.files.push(file),
            Item::Option(key, value) => diff.set(key, value)?,
        }
    }
    let wanted = if diff.from_file.is_some() || diff.to_file.is_some() { 1 } else { 2 };
    match diff.files.as_slice() {
        [] => Err(wrong("missing operand after 'diff'")),
        files if files.len() < wanted => {
            Err(wrong(&format!("missing operand after '{}'", files[0].to_string_lossy())))
        }
        [_, _, extra, ..] if wanted == 2 => {
            Err(wrong(&format!("extra operand '{}'", extra.to_string_lossy())))
        }
        _ => Ok(diff),
    }
}

/// Keeps the options as they were typed, and gives `-U 3` and `-3` the form of an attached value.
fn prepared(args: Vec<OsString>, typed: &mut Vec<String>) -> Vec<OsString> {
    let mut out: Vec<OsString> = Vec::with_capacity(args.len());
    let mut rest = args.into_iter();
    out.extend(rest.next());
    while let Some(arg) = rest.next() {
        let text = arg.to_string_lossy().into_owned();
        if text == "--" {
            out.push(arg);
            break;
        }
        if !text.starts_with('-') || text == "-" {
            out.push(arg);
            continue;
        }
        typed.push(text.clone());
        let cluster = text.strip_prefix('-').filter(|text| !text.starts_with('-'));
        let takes_value = |letter: char| "CFILSUWxDX".contains(letter);
        let value_at = cluster.and_then(|cluster| cluster.find(takes_value));
        match (cluster, value_at) {
            // The number of lines may be among the letters: `-u5`, `-5`.
            (Some(cluster), None) if cluster.bytes().any(|b| b.is_ascii_digit()) => {
                let (digits, letters): (String, String) =
                    cluster.chars().partition(char::is_ascii_digit);
                let form = if letters.contains('c') { "-C" } else { "-U" };
                let others = letters.replace(['u', 'c'], "");
                if !others.is_empty() {
                    out.push(format!("-{others}").into());
                }
                out.push(format!("{form}{digits}").into());
            }
            (Some(cluster), Some(at)) if at + 1 == cluster.len() => {
                let mut whole = arg;
                if let Some(value) = rest.next() {
                    typed.push(value.to_string_lossy().into_owned());
                    whole.push(value);
                }
                out.push(whole);
            }
            _ => out.push(arg),
        }
    }
    out.extend(rest);
    out
}

impl Settings {
    fn new() -> Self {
        Settings {
            form: Form::Normal,
            brief: false,
            report_identical: false,
            recursive: false,
            follow: true,
            absent: Absent::Reported,
            exclude: Vec::new(),
            starting_file: None,
            from_file: None,
            to_file: None,
            labels: Vec::new(),
            functions: Vec::new(),
            ignored: Ignored::default(),
            trivial: Trivial::default(),
            ignore_name_case: false,
            text: false,
            strip_cr: false,
            minimal: false,
            colour: false,
            expand_tabs: false,
            initial_tab: false,
            suppress_blank_empty: false,
            tab_size: 8,
            width: 130,
            left_column: false,
            suppress_common: false,
            formats: Formats::default(),
            typed: Vec::new(),
            files: Vec::new(),
        }
    }

    fn set(&mut self, key: Key, value: Option<OsString>) -> Result<(), i32> {
        let text = value.as_ref().map(|value| value.to_string_lossy().into_owned());
        let word = text.clone().unwrap_or_default();
        let lines = |what: &str| match &text {
            None => Ok(3),
            Some(text) => match text.parse::<usize>() {
                Ok(number) => Ok(number.min(MAX_CONTEXT)),
                Err(_) => Err(wrong(&format!("invalid {what} length '{text}'"))),
            },
        };
        let positive = |what: &str| match word.parse::<usize>() {
            Ok(number @ 1..=MAX_CONTEXT) => Ok(number),
            _ => Err(wrong(&format!("invalid {what} '{word}'"))),
        };
        let bytes = || Some(value.clone().unwrap_or_default().into_vec());
        match key {
            Key::Long("normal") => self.form = Form::Normal,
            Key::Short('q') => self.brief = true,
            Key::Short('s') => self.report_identical = true,
            Key::Short('c') => self.form = Form::Context(3),
            Key::Short('C') => self.form = Form::Context(lines("context")?),
            Key::Short('u') => self.form = Form::Unified(3),
            Key::Short('U') => self.form = Form::Unified(lines("context")?),
            Key::Short('e') => self.form = Form::Ed,
            Key::Short('f') => self.form = Form::ForwardEd,
            Key::Short('n') => self.form = Form::Rcs,
            Key::Short('y') => self.form = Form::Side,
            Key::Short('W') => self.width = positive("width")?,
            Key::Long("left-column") => self.left_column = true,
            Key::Long("suppress-common-lines") => self.suppress_common = true,
            Key::Short('p') => self.functions.push(pattern("^[[:alpha:]$_]")?),
            Key::Short('F') => self.functions.push(pattern(&word)?),
            Key::Short('L') => {
                if self.labels.len() == 2 {
                    return Err(wrong("too many file label options"));
                }
                self.labels.push(word);
            }
            Key::Short('t') => self.expand_tabs = true,
            Key::Short('T') => self.initial_tab = true,
            Key::Long("tabsize") => self.tab_size = positive("tabsize")?,
            Key::Long("suppress-blank-empty") => self.suppress_blank_empty = true,
            Key::Short('r') => self.recursive = true,
            Key::Long("no-dereference") => self.follow = false,
            Key::Short('N') => self.absent = Absent::Empty,
            Key::Short('P') => self.absent = Absent::FirstEmpty,
            Key::Long("ignore-file-name-case") => self.ignore_name_case = true,
            Key::Long("no-ignore-file-name-case") => self.ignore_name_case = false,
            Key::Short('x') => self.exclude.extend(bytes()),
            Key::Short('X') => {
                let file = fs::read(&word).map_err(|error| {
                    eprintln!("diff: {word}: {}", reason(&error));
                    2
                })?;
                let globs = file.split(|b| *b == b'\n').filter(|line| !line.is_empty());
                self.exclude.extend(globs.map(<[u8]>::to_vec));
            }
            Key::Short('S') => self.starting_file = bytes(),
            Key::Long("from-file") => self.from_file = value,
            Key::Long("to-file") => self.to_file = value,
            Key::Short('i') => self.ignored.case = true,
            Key::Short('E') => self.ignored.tab_expansion = true,
            Key::Short('Z') => self.ignored.trailing_space = true,
            Key::Short('b') => self.ignored.space_change = true,
            Key::Short('w') => self.ignored.all_space = true,
            Key::Short('B') => self.trivial.blank_lines = true,
            Key::Short('I') => self.trivial.matching.push(pattern(&word)?),
            Key::Short('a') => self.text = true,
            Key::Long("strip-trailing-cr") => self.strip_cr = true,
            Key::Short('d') => self.minimal = true,
            Key::Long("color") => match word.as_str() {
                "" | "always" => self.colour = word == "always",
                "never" | "auto" => self.colour = false,
                _ => return Err(wrong(&format!("invalid color '{word}'"))),
            },
            Key::Short('D') => {
                self.formats.merge(&word);
                self.form = Form::Groups;
            }
            Key::Long(format) if format.ends_with("-format") => self.format(format, bytes()),
            // The other options change how the comparison is done, not its result.
            _ => {}
        }
        Ok(())
    }

    fn format(&mut self, name: &str, format: Option<Vec<u8>>) {
        self.form = Form::Groups;
        let formats = &mut self.formats;
        match name {
            "old-group-format" => formats.old_group = format,
            "new-group-format" => formats.new_group = format,
            "unchanged-group-format" => formats.unchanged_group = format,
            "changed-group-format" => formats.changed_group = format,
            "old-line-format" => formats.old_line = format,
            "new-line-format" => formats.new_line = format,
            "unchanged-line-format" => formats.unchanged_line = format,
            _ => {
                formats.old_line = format.clone();
                formats.new_line = format.clone();
                formats.unchanged_line = format;
            }
        }
    }
}

fn pattern(text: &str) -> Result<Pattern, i32> {
    Pattern::new(text, Syntax::Basic, Options::default()).map_err(|message| {
        eprintln!("diff: {text}: {message}");
        2
    })
}
