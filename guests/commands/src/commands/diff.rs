//! diff and cmp.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use diffutilslib::params::{Format, Params, parse_params};
use diffutilslib::{context_diff, ed_diff, normal_diff, side_diff, unified_diff};

use crate::bytes::{OsStrExt as _, OsStringExt};
use crate::glob;
use crate::options::{self, Item, Key, Order, Usage, Value};
use crate::output::{self, Input, Output, reason};

const HELP: &str = "\
Usage: diff [OPTION]... FILES
Compare FILES line by line.

      --normal                  output a normal diff (the default)
  -q, --brief                   report only when files differ
  -s, --report-identical-files  report when two files are the same
  -c, -C NUM, --context[=NUM]   output NUM (default 3) lines of copied context
  -u, -U NUM, --unified[=NUM]   output NUM (default 3) lines of unified context
  -e, --ed                      output an ed script
  -y, --side-by-side            output in two columns
  -t, --expand-tabs             expand tabs to spaces in output
  -L, --label NAME              use NAME instead of a file name and time
      --tabsize=NUM             tab stops every NUM (default 8) print columns
  -r, --recursive               recursively compare any subdirectories found
  -N, --new-file                treat absent files as empty
  -i, --ignore-case             ignore case differences
  -b, --ignore-space-change     ignore changes in the amount of white space
  -w, --ignore-all-space        ignore all white space
  -Z, --ignore-trailing-space   ignore white space at line end
  -B, --ignore-blank-lines      ignore changes where lines are all blank
      --strip-trailing-cr       strip trailing carriage return on input
  -x, --exclude=PAT             exclude files that match PAT
      --help                    display this help
";

/// Deepest nesting of directories for `-r`.
const MAX_DEPTH: usize = 128;

#[derive(Default)]
struct Extra {
    recursive: bool,
    new_file: bool,
    ignore_case: bool,
    space_change: bool,
    all_space: bool,
    trailing_space: bool,
    blank_lines: bool,
    strip_cr: bool,
    /// Globs of names that are left out of directories.
    exclude: Vec<Vec<u8>>,
}

struct Diff {
    /// Options passed on to the library.
    passed: Vec<OsString>,
    extra: Extra,
    /// Options as they were typed, for the heads of files in directories.
    typed: Vec<String>,
    /// Names for the heads of the two files.
    labels: Vec<OsString>,
    out: Output,
}

/// The result of a comparison; the largest of several counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    Same,
    Different,
    Trouble,
}

pub(crate) fn diff(args: Vec<OsString>) -> i32 {
    let mut extra = Extra::default();
    let mut passed = vec![OsString::from("diff")];
    let mut typed = Vec::new();
    let mut files = Vec::new();
    let mut rest = args.into_iter().skip(1).peekable();
    let mut labels = Vec::new();
    let mut options = true;
    while let Some(arg) = rest.next() {
        let text = arg.to_string_lossy().into_owned();
        if !options || !text.starts_with('-') || text == "-" {
            files.push(arg);
            continue;
        }
        typed.push(text.clone());
        match text.as_str() {
            "--" => options = false,
            "--help" => {
                print!("{HELP}");
                return super::uutils::flushed(0);
            }
            "--version" => {
                println!("diff (cofferdam) {}", env!("CARGO_PKG_VERSION"));
                return super::uutils::flushed(0);
            }
            "--recursive" => extra.recursive = true,
            "--new-file" => extra.new_file = true,
            "--ignore-case" => extra.ignore_case = true,
            "--ignore-space-change" => extra.space_change = true,
            "--ignore-all-space" => extra.all_space = true,
            "--ignore-blank-lines" => extra.blank_lines = true,
            "--text" | "--minimal" | "--speed-large-files" => {}
            "--ignore-trailing-space" => extra.trailing_space = true,
            "--strip-trailing-cr" => extra.strip_cr = true,
            "--exclude" => {
                typed.extend(rest.peek().map(|glob| glob.to_string_lossy().into_owned()));
                extra.exclude.extend(rest.next().map(OsStringExt::into_vec));
            }
            glob if glob.starts_with("--exclude=") => extra.exclude.push(glob[10..].into()),
            "--label" => labels.extend(rest.next()),
            label if label.starts_with("--label=") => labels.push(label[8..].into()),
            "--color" | "--color=never" | "--color=auto" => {}
            long if long.starts_with("--") => passed.push(arg),
            cluster => {
                // Removes the options handled here; a number after `-u` or `-c`, or on its own,
                // stays.
                let mut kept = String::from("-");
                let mut chars = cluster[1..].chars().peekable();
                while let Some(c) = chars.next() {
                    match c {
                        'r' => extra.recursive = true,
                        'N' => extra.new_file = true,
                        'i' => extra.ignore_case = true,
                        'b' => extra.space_change = true,
                        'w' => extra.all_space = true,
                        'B' => extra.blank_lines = true,
                        'Z' => extra.trailing_space = true,
                        'x' => {
                            let attached: String = chars.by_ref().collect();
                            if attached.is_empty() {
                                let glob = rest.next().unwrap_or_default();
                                typed.push(glob.to_string_lossy().into_owned());
                                extra.exclude.push(glob.into_vec());
                            } else {
                                extra.exclude.push(attached.into_bytes());
                            }
                        }
                        'a' | 'd' | 'p' => {}
                        'L' => {
                            let attached: String = chars.by_ref().collect();
                            match attached.is_empty() {
                                true => labels.extend(rest.next()),
                                false => labels.push(attached.into()),
                            }
                        }
                        'U' | 'C' | 'W' => {
                            kept.push(c);
                            kept.extend(chars.by_ref());
                            if kept.ends_with(c)
                                && let Some(value) = rest.next()
                            {
                                typed.push(value.to_string_lossy().into_owned());
                                kept.push_str(&value.to_string_lossy());
                            }
                        }
                        other => kept.push(other),
                    }
                }
                for option in split_cluster(&kept) {
                    passed.push(match option.strip_prefix("-W") {
                        Some(width) => format!("--width={width}").into(),
                        None => option.into(),
                    });
                }
            }
        }
    }
    let [from, to] = files.as_slice() else {
        let what = match files.last() {
            None => "missing operand after 'diff'".to_owned(),
            Some(last) if files.len() == 1 => {
                format!("missing operand after '{}'", last.to_string_lossy())
            }
            Some(_) => format!("extra operand '{}'", files[2].to_string_lossy()),
        };
        eprintln!("diff: {what}\ndiff: Try 'diff --help' for more information.");
        return 2;
    };
    let mut work = Diff { passed, extra, typed, labels, out: output::stdout() };
    let verdict = work.operands(Path::new(from), Path::new(to));
    let code = match verdict {
        Verdict::Same => 0,
        Verdict::Different => 1,
        Verdict::Trouble => 2,
    };
    output::finish("diff", &mut work.out, code)
}

/// Puts labels in place of the names and times in the first two lines.
fn labelled(text: &[u8], labels: &[OsString], signs: [&str; 2]) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = text.splitn(3, |b| *b == b'\n').collect();
    let heads: Vec<String> = (signs.iter().zip(labels))
        .map(|(sign, label)| format!("{sign} {}", label.to_string_lossy()))
        .collect();
    for (line, head) in lines.iter_mut().zip(&heads) {
        *line = head.as_bytes();
    }
    lines.join(&b'\n')
}

/// Writes the ranges of a normal diff as GNU does: a range of one line is one number.
fn single_lines(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for line in text.split_inclusive(|b| *b == b'\n') {
        let command = line.iter().position(|b| matches!(b, b'a' | b'c' | b'd'));
        match command.filter(|_| line[0].is_ascii_digit()) {
            Some(at) => {
                out.extend_from_slice(single(&line[..at]));
                out.push(line[at]);
                out.extend_from_slice(single(line[at + 1..].trim_ascii_end()));
                out.push(b'\n');
            }
            None => out.extend_from_slice(line),
        }
    }
    out
}

/// Returns a range as one number if both of its ends are the same.
fn single(range: &[u8]) -> &[u8] {
    let Some(comma) = range.iter().position(|b| *b == b',') else { return range };
    if range[..comma] == range[comma + 1..] { &range[..comma] } else { range }
}

/// Returns a word as a shell would read it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=+,./:@%^".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// Splits `-qu3` into `-q -u3`.
fn split_cluster(cluster: &str) -> Vec<String> {
    let mut options: Vec<String> = Vec::new();
    for c in cluster.chars().skip(1) {
        match options.last_mut() {
            Some(last) if c.is_ascii_digit() => last.push(c),
            _ => options.push(format!("-{c}")),
        }
    }
    options
}

impl Diff {
    /// Compares two operands. A directory and a file compare the file with its namesake in the
    /// directory.
    fn operands(&mut self, from: &Path, to: &Path) -> Verdict {
        if from == Path::new("-") && to == from {
            return Verdict::Same;
        }
        match (from.is_dir(), to.is_dir()) {
            (true, true) => self.directories(from, to, 0),
            (true, false) => {
                let name = to.file_name().unwrap_or_default();
                self.files(&from.join(name), to, false)
            }
            (false, true) => {
                let name = from.file_name().unwrap_or_default();
                self.files(from, &to.join(name), false)
            }
            (false, false) => self.files(from, to, false),
        }
    }

    fn directories(&mut self, from: &Path, to: &Path, depth: usize) -> Verdict {
        let names = |dir: &Path| -> io::Result<Vec<OsString>> {
            fs::read_dir(dir)?.map(|entry| entry.map(|entry| entry.file_name())).collect()
        };
        let mut all = Vec::new();
        for dir in [from, to] {
            match names(dir) {
                Ok(names) => all.extend(names),
                Err(error) => {
                    eprintln!("diff: {}: {}", dir.display(), reason(&error));
                    return Verdict::Trouble;
                }
            }
        }
        let excluded =
            |name: &OsString| self.extra.exclude.iter().any(|g| glob::matches(g, name.as_bytes()));
        all.retain(|name| !excluded(name));
        all.sort();
        all.dedup();
        let mut verdict = Verdict::Same;
        for name in all {
            let (a, b) = (from.join(&name), to.join(&name));
            let shown = |path: &PathBuf| path.symlink_metadata().is_ok();
            let one = match (shown(&a), shown(&b)) {
                (true, true) => match (a.is_dir(), b.is_dir()) {
                    (true, true) if self.extra.recursive && depth < MAX_DEPTH => {
                        self.directories(&a, &b, depth + 1)
                    }
                    (true, true) => {
                        let _ = writeln!(
                            self.out,
                            "Common subdirectories: {} and {}",
                            a.display(),
                            b.display()
                        );
                        Verdict::Same
                    }
                    (false, false) => self.files(&a, &b, true),
                    (a_dir, _) => {
                        let kind = |dir: bool| if dir { "directory" } else { "regular file" };
                        let _ = writeln!(
                            self.out,
                            "File {} is a {} while file {} is a {}",
                            a.display(),
                            kind(a_dir),
                            b.display(),
                            kind(!a_dir)
                        );
                        Verdict::Different
                    }
                },
                _ if self.extra.new_file && !a.is_dir() && !b.is_dir() => self.files(&a, &b, true),
                (here, _) => {
                    let dir = if here { from } else { to };
                    let name = name.to_string_lossy();
                    let _ = writeln!(self.out, "Only in {}: {name}", dir.display());
                    Verdict::Different
                }
            };
            verdict = verdict.max(one);
        }
        verdict
    }

    fn content(&self, path: &Path) -> io::Result<Vec<u8>> {
        let mut text = self.whole(path)?;
        if self.extra.strip_cr {
            let mut before = 0;
            let line_ends: Vec<usize> = memchr::memmem::find_iter(&text, b"\r\n").collect();
            let mut kept = Vec::with_capacity(text.len());
            for at in line_ends {
                kept.extend_from_slice(&text[before..at]);
                before = at + 1;
            }
            kept.extend_from_slice(&text[before..]);
            text = kept;
        }
        Ok(text)
    }

    fn whole(&self, path: &Path) -> io::Result<Vec<u8>> {
        if path.as_os_str() == "-" {
            let mut text = Vec::new();
            Input.read_to_end(&mut text)?;
            return Ok(text);
        }
        match fs::read(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && self.extra.new_file => {
                Ok(Vec::new())
            }
            other => other,
        }
    }

    fn files(&mut self, from: &Path, to: &Path, heading: bool) -> Verdict {
        let mut contents = Vec::new();
        for path in [from, to] {
            match self.content(path) {
                Ok(content) => contents.push(content),
                Err(error) => {
                    let _ = self.out.flush();
                    eprintln!("diff: {}: {}", path.display(), reason(&error));
                }
            }
        }
        let [a, b] = contents.as_slice() else { return Verdict::Trouble };
        let mut args = self.passed.clone();
        args.push(from.as_os_str().to_owned());
        args.push(to.as_os_str().to_owned());
        let params = match parse_params(args.clone().into_iter().peekable()) {
            Ok(params) => params,
            Err(message) => {
                eprintln!("{message}");
                return Verdict::Trouble;
            }
        };
        let (names, same) = ((from.display(), to.display()), self.alike(a, b));
        if same {
            if params.report_identical_files {
                let _ = writeln!(self.out, "Files {} and {} are identical", names.0, names.1);
            }
            return Verdict::Same;
        }
        let binary = |text: &[u8]| memchr::memchr(0, &text[..text.len().min(4096)]).is_some();
        if params.brief {
            let _ = writeln!(self.out, "Files {} and {} differ", names.0, names.1);
        } else if binary(a) || binary(b) {
            let _ = writeln!(self.out, "Binary files {} and {} differ", names.0, names.1);
        } else {
            if heading {
                let mut line = String::from("diff");
                for word in self.typed.iter().map(String::as_str) {
                    line.push(' ');
                    line.push_str(&quoted(word));
                }
                let _ = writeln!(self.out, "{line} {} {}", names.0, names.1);
            }
            if let Err(message) = self.write(a, b, &params) {
                eprintln!("{message}");
                return Verdict::Trouble;
            }
        }
        Verdict::Different
    }

    fn write(&mut self, a: &[u8], b: &[u8], params: &Params) -> Result<(), String> {
        let (a, b) = self.unified(a, b);
        check_room(&a, &b)?;
        let text = match params.format {
            Format::Normal => single_lines(&normal_diff::diff(&a, &b, params)),
            Format::Unified => unified_diff::diff(&a, &b, params),
            Format::Context => context_diff::diff(&a, &b, params),
            Format::Ed => ed_diff::diff(&a, &b, params).map_err(|error| error.to_string())?,
            Format::SideBySide => {
                side_diff::diff(&a, &b, &mut self.out, params);
                return Ok(());
            }
        };
        let text = match params.format {
            Format::Unified => labelled(&text, &self.labels, ["---", "+++"]),
            Format::Context => labelled(&text, &self.labels, ["***", "---"]),
            Format::Normal | Format::Ed | Format::SideBySide => text,
        };
        self.out.write_all(&text).map_err(|error| reason(&error))
    }

    /// Gives lines that count as equal the same text, which is that of the first file.
    fn unified(&self, a: &[u8], b: &[u8]) -> (Vec<u8>, Vec<u8>) {
        let e = &self.extra;
        if !(e.ignore_case || e.space_change || e.all_space || e.trailing_space) {
            return (a.to_vec(), b.to_vec());
        }
        let mut known: HashMap<Vec<u8>, Vec<u8>> = HashMap::new();
        let mut same = |text: &[u8]| -> Vec<u8> {
            let mut lines = Vec::new();
            for line in text.split(|byte| *byte == b'\n') {
                lines.push(known.entry(self.folded(line)).or_insert_with(|| line.to_vec()).clone());
            }
            lines.join(&b'\n')
        };
        (same(a), same(b))
    }

    /// Returns true if two files are equal under the options given.
    fn alike(&self, a: &[u8], b: &[u8]) -> bool {
        let e = &self.extra;
        let folds = e.ignore_case || e.space_change || e.all_space || e.trailing_space;
        if !(folds || e.blank_lines) {
            return a == b;
        }
        let lines = |text: &[u8]| -> Vec<Vec<u8>> {
            let lines = text.split(|b| *b == b'\n').map(|line| self.folded(line));
            lines.filter(|line| !(e.blank_lines && line.is_empty())).collect()
        };
        lines(a) == lines(b)
    }

    fn folded(&self, line: &[u8]) -> Vec<u8> {
        let e = &self.extra;
        let mut out = Vec::with_capacity(line.len());
        for byte in line {
            let blank = matches!(byte, b' ' | b'\t' | b'\r');
            if blank && e.all_space {
                continue;
            }
            if blank && e.space_change {
                if out.last() != Some(&b' ') {
                    out.push(b' ');
                }
                continue;
            }
            out.push(if e.ignore_case { byte.to_ascii_lowercase() } else { *byte });
        }
        let ends = if e.trailing_space { b" \t\r".as_slice() } else { b" " };
        while (e.space_change || e.trailing_space) && out.last().is_some_and(|b| ends.contains(b)) {
            out.pop();
        }
        out
    }
}

/// Refuses texts that differ in more lines than there is memory for. The comparison makes a table
/// of all pairs of lines between the first and the last difference, and panics without room for it.
// T-PROC-014.
fn check_room(a: &[u8], b: &[u8]) -> Result<(), String> {
    let is_end = |byte: &u8| *byte == b'\n';
    let a: Vec<_> = a.split(is_end).collect();
    let b: Vec<_> = b.split(is_end).collect();
    let same = |(left, right): &(&&[u8], &&[u8])| left == right;
    let head = a.iter().zip(&b).take_while(same).count();
    let tail = a[head..].iter().rev().zip(b[head..].iter().rev()).take_while(same).count();
    let (left, right) = (a.len() - head - tail, b.len() - head - tail);
    let has_room = |pairs| {
        let mut table = Vec::<u32>::new();
        let reserved = table.try_reserve_exact(pairs);
        // Otherwise the compiler may leave out the reservation and assume that it succeeds.
        std::hint::black_box(&mut table);
        reserved.is_ok()
    };
    if (left + 1).checked_mul(right + 1).is_some_and(has_room) {
        return Ok(());
    }
    Err(format!("diff: out of memory: {left} and {right} lines to compare"))
}

const CMP: Usage = Usage {
    name: "cmp",
    text: "\
Usage: cmp [OPTION]... FILE1 [FILE2]
Compare two files byte by byte.

  -b, --print-bytes  print differing bytes
  -i, --ignore-initial=SKIP  skip first SKIP bytes of both inputs
  -l, --verbose      output byte numbers and differing byte values
  -n, --bytes=LIMIT  compare at most LIMIT bytes
  -s, --quiet, --silent  suppress all normal output
      --help         display this help
",
    trouble: 2,
};

pub(crate) fn cmp(args: Vec<OsString>) -> i32 {
    run_cmp(args).unwrap_or_else(|code| code)
}

fn run_cmp(args: Vec<OsString>) -> Result<i32, i32> {
    let specs = [
        ('b', "print-bytes", Value::None),
        ('i', "ignore-initial", Value::Required),
        ('l', "verbose", Value::None),
        ('n', "bytes", Value::Required),
        ('s', "quiet", Value::None),
        ('s', "silent", Value::None),
    ];
    let (mut all, mut quiet, mut skip, mut limit, mut bytes) = (false, false, 0, u64::MAX, false);
    let mut files = Vec::new();
    for item in options::parse(&CMP, args, &specs, Order::Anywhere)? {
        match item {
            Item::Option(Key::Short('l'), _) => all = true,
            Item::Option(Key::Short('s'), _) => quiet = true,
            Item::Option(Key::Short('b'), _) => bytes = true,
            Item::Option(Key::Short(which), Some(value)) => {
                let text = value.to_string_lossy();
                let number: u64 =
                    text.parse().map_err(|_| CMP.wrong(&format!("invalid number '{text}'")))?;
                if which == 'i' {
                    skip = number;
                } else {
                    limit = number;
                }
            }
            Item::Option(..) => {}
            Item::Operand(file) => files.push(file),
        }
    }
    if files.is_empty() {
        return Err(CMP.wrong("missing operand after 'cmp'"));
    }
    if files.len() == 1 {
        files.push("-".into());
    }
    let open = |name: &OsString| -> Result<Box<dyn BufRead>, i32> {
        let opened = if name == "-" {
            Ok(Box::new(BufReader::new(Input)) as Box<dyn BufRead>)
        } else {
            File::open(name)
                .map(|file| Box::new(BufReader::with_capacity(65536, file)) as Box<dyn BufRead>)
        };
        opened.map_err(|error| {
            if !quiet {
                eprintln!("cmp: {}: {}", name.to_string_lossy(), reason(&error));
            }
            2
        })
    };
    let fail = |error: io::Error| {
        eprintln!("cmp: {}", reason(&error));
        2
    };
    let (mut a, mut b) = (open(&files[0])?, open(&files[1])?);
    for side in [&mut a, &mut b] {
        io::copy(&mut side.take(skip), &mut io::sink()).map_err(fail)?;
    }
    let names = (files[0].to_string_lossy(), files[1].to_string_lossy());
    let mut out = output::stdout();
    let (mut at, mut line, mut code) = (0_u64, 1_u64, 0);
    let mut ended_line = false;
    while at < limit {
        let (x, y) = (a.fill_buf().map_err(fail)?, b.fill_buf().map_err(fail)?);
        let len = x.len().min(y.len()).min((limit - at).min(1 << 20) as usize);
        if len == 0 {
            if x.len() != y.len() {
                if !quiet {
                    let _ = out.flush();
                    let short = if x.is_empty() { &names.0 } else { &names.1 };
                    let place = match (at, all, ended_line) {
                        (0, _, _) => "which is empty".to_owned(),
                        (_, true, _) => format!("after byte {at}"),
                        (_, false, true) => format!("after byte {at}, line {}", line - 1),
                        (_, false, false) => format!("after byte {at}, in line {line}"),
                    };
                    eprintln!("cmp: EOF on {short} {place}");
                }
                code = 1;
            }
            break;
        }
        for i in 0..len {
            if x[i] != y[i] {
                code = 1;
                if quiet {
                    return Ok(1);
                }
                let place = at + i as u64 + 1;
                if all {
                    let _ = writeln!(out, "{place} {:3o} {:3o}", x[i], y[i]);
                    continue;
                }
                let detail = if bytes {
                    format!(
                        " is {:3o} {} {:3o} {}",
                        x[i],
                        x[i].escape_ascii(),
                        y[i],
                        y[i].escape_ascii()
                    )
                } else {
                    String::new()
                };
                let _ = writeln!(
                    out,
                    "{} {} differ: byte {place}, line {line}{detail}",
                    names.0, names.1
                );
                return Ok(output::finish("cmp", &mut out, 1));
            }
            ended_line = x[i] == b'\n';
            line += u64::from(ended_line);
        }
        a.consume(len);
        b.consume(len);
        at += len as u64;
    }
    Ok(output::finish("cmp", &mut out, code))
}
