//! patch: applies unified and context-free diffs to files.

mod place;
mod text;

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use place::{expected, offset_before, place, splice};
use text::{Change, Hunk, lines, parse};

use crate::options::{self, Item, Key, Order, Usage, Value};
use crate::output::{Input, reason};

const USAGE: Usage = Usage {
    name: "patch",
    text: "\
Usage: patch [OPTION]... [ORIGFILE [PATCHFILE]]
Apply a unified diff to files.

  -p NUM, --strip=NUM        strip NUM leading components from file names
  -i FILE, --input=FILE      read the patch from FILE instead of standard input
  -o FILE, --output=FILE     write the patched file to FILE
  -d DIR, --directory=DIR    change to DIR first
  -R, --reverse              assume the patch was made with old and new files swapped
  -N, --forward              ignore patches that seem reversed or already applied
  -F NUM, --fuzz=NUM         number of context lines that may differ (default 2)
  -b, --backup               keep the original file as FILE.orig
  -E, --remove-empty-files   remove files that are empty after patching
  -f, --force                apply patches even if they seem to be reversed
  -t, --batch                take patches that seem to be reversed for reversed
  -s, --quiet                say nothing unless an error occurs
  -r FILE, --reject-file=FILE  write rejected hunks to FILE
      --dry-run              change no files
",
    trouble: 2,
};

/// Longest patch that is read.
const MAX_PATCH: u64 = 64 << 20;

#[derive(Default)]
struct Settings {
    strip: Option<usize>,
    output: Option<PathBuf>,
    reject: Option<PathBuf>,
    file: Option<PathBuf>,
    reverse: bool,
    forward: bool,
    /// `-f`
    is_forced: bool,
    /// `-t`
    is_batch: bool,
    fuzz: usize,
    backup: bool,
    /// `--no-backup-if-mismatch`
    forgets: bool,
    remove_empty: bool,
    quiet: bool,
    dry: bool,
}

pub(crate) fn run(args: Vec<OsString>) -> i32 {
    match settings(args) {
        Ok((settings, text)) => apply_all(&settings, &text),
        Err(code) => code,
    }
}

fn settings(args: Vec<OsString>) -> Result<(Settings, Vec<u8>), i32> {
    let specs = [
        ('p', "strip", Value::Required),
        ('i', "input", Value::Required),
        ('o', "output", Value::Required),
        ('d', "directory", Value::Required),
        ('r', "reject-file", Value::Required),
        ('F', "fuzz", Value::Required),
        ('R', "reverse", Value::None),
        ('N', "forward", Value::None),
        ('b', "backup", Value::None),
        ('E', "remove-empty-files", Value::None),
        ('f', "force", Value::None),
        ('t', "batch", Value::None),
        ('u', "unified", Value::None),
        ('s', "quiet", Value::None),
        ('s', "silent", Value::None),
        ('l', "ignore-whitespace", Value::None),
        ('\0', "verbose", Value::None),
        ('\0', "binary", Value::None),
        ('\0', "dry-run", Value::None),
        ('\0', "no-backup-if-mismatch", Value::None),
    ];
    let mut s = Settings { fuzz: 2, ..Settings::default() };
    let (mut input, mut operands) = (None, Vec::new());
    for item in options::parse(&USAGE, args, &specs, Order::Anywhere)? {
        match item {
            Item::Option(Key::Short(key @ ('p' | 'F')), Some(value)) => {
                let Ok(number) = value.to_string_lossy().parse() else {
                    let what = if key == 'p' { "strip count" } else { "fuzz factor" };
                    return Err(USAGE.wrong(&format!("{what} {} is not a number", value.display())));
                };
                if key == 'p' { s.strip = Some(number) } else { s.fuzz = number }
            }
            Item::Option(Key::Short('i'), value) => input = value,
            Item::Option(Key::Short('o'), value) => s.output = value.map(PathBuf::from),
            Item::Option(Key::Short('r'), value) => s.reject = value.map(PathBuf::from),
            Item::Option(Key::Short('d'), Some(dir)) => {
                if let Err(error) = std::env::set_current_dir(&dir) {
                    let (dir, why) = (dir.display(), reason(&error));
                    eprintln!("patch: **** Can't change to directory {dir} : {why}");
                    return Err(USAGE.trouble);
                }
            }
            Item::Option(Key::Short('R'), _) => s.reverse = true,
            Item::Option(Key::Short('N'), _) => s.forward = true,
            Item::Option(Key::Short('f'), _) => s.is_forced = true,
            Item::Option(Key::Short('t'), _) => s.is_batch = true,
            Item::Option(Key::Short('b'), _) => s.backup = true,
            Item::Option(Key::Long("no-backup-if-mismatch"), _) => s.forgets = true,
            Item::Option(Key::Short('E'), _) => s.remove_empty = true,
            Item::Option(Key::Short('s'), _) => s.quiet = true,
            Item::Option(Key::Long("dry-run"), _) => s.dry = true,
            Item::Option(..) => {}
            Item::Operand(operand) => operands.push(operand),
        }
    }
    let mut operands = operands.into_iter();
    s.file = operands.next().map(PathBuf::from);
    let input = input.or_else(|| operands.next()).filter(|file| file != "-");
    let mut text = Vec::new();
    let read = match &input {
        Some(file) => {
            fs::File::open(file).and_then(|file| file.take(MAX_PATCH).read_to_end(&mut text))
        }
        None => Input.take(MAX_PATCH).read_to_end(&mut text),
    };
    if let Err(error) = read {
        let file = input.unwrap_or_default();
        eprintln!("patch: **** Can't open patch file {} : {}", file.display(), reason(&error));
        return Err(USAGE.trouble);
    }
    Ok((s, text))
}

fn apply_all(s: &Settings, text: &[u8]) -> i32 {
    let changes = match parse(text) {
        Ok(changes) => changes,
        Err(message) => {
            eprintln!("patch: **** {message}");
            return USAGE.trouble;
        }
    };
    if changes.is_empty() {
        if text.iter().all(u8::is_ascii_whitespace) {
            return 0;
        }
        eprintln!("patch: **** Only garbage was found in the patch input.");
        return USAGE.trouble;
    }
    let mut code = 0;
    for change in &changes {
        match apply(s, change) {
            Ok(true) => {}
            Ok(false) => code = code.max(1),
            Err(message) => {
                eprintln!("patch: **** {message}");
                return USAGE.trouble;
            }
        }
    }
    code
}

fn shown(text: &[u8]) -> String {
    String::from_utf8_lossy(text).trim_end().to_owned()
}

/// Removes leading components from a name; without a count, all directories unless they exist.
/// Returns `None` if the name has fewer components.
fn stripped(s: &Settings, name: &[u8]) -> Option<PathBuf> {
    let text = String::from_utf8_lossy(name).into_owned();
    match s.strip {
        Some(count) => {
            let mut rest = text.as_str();
            for _ in 0..count {
                rest = rest[rest.find('/')?..].trim_start_matches('/');
            }
            Some(PathBuf::from(rest.trim_start_matches('/')))
        }
        None => {
            let whole = PathBuf::from(&text);
            if !whole.is_absolute() && whole.exists() {
                return Some(whole);
            }
            Some(whole.file_name().map(PathBuf::from).unwrap_or(whole))
        }
    }
}

/// Chooses the file to patch, as GNU does: the first name that exists, else the new name.
fn target(s: &Settings, change: &Change) -> Result<Option<PathBuf>, String> {
    if let Some(file) = &s.file {
        return Ok(Some(file.clone()));
    }
    let is_real = |name: &&Vec<u8>| name.as_slice() != b"/dev/null";
    let mut names: Vec<PathBuf> = [&change.old, &change.new]
        .into_iter()
        .flatten()
        .filter(is_real)
        .filter_map(|name| stripped(s, name))
        .collect();
    if let Some((from, _)) = &change.renamed {
        names.extend(stripped(&Settings { strip: Some(0), ..Settings::default() }, from));
    }
    names.retain(|name| !name.as_os_str().is_empty());
    let escapes = |name: &PathBuf| {
        name.is_absolute() || name.components().any(|part| part.as_os_str() == "..")
    };
    if let Some(name) = names.iter().find(|name| escapes(name)) {
        return Err(format!("Ignoring potentially dangerous file name {}", name.display()));
    }
    let found = names.iter().find(|name| name.exists()).or(names.last());
    Ok(found.cloned())
}

/// Applies the changes of one file. Returns false if hunks were rejected.
fn apply(s: &Settings, change: &Change) -> Result<bool, String> {
    let Some(file) = target(s, change)? else { return Ok(no_file(s, change)) };
    let shown = file.display().to_string();
    let fail = |error: io::Error| format!("{shown}: {}", reason(&error));
    let text = match fs::read(&file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(fail(error)),
    };
    let existed = file.exists();
    let mut hunks: Vec<Hunk> = match s.reverse {
        true => change.hunks.iter().map(Hunk::reversed).collect(),
        false => change.hunks.clone(),
    };
    let is_new = |name: &Option<Vec<u8>>| name.as_deref() == Some(b"/dev/null");
    let deletes = is_new(if s.reverse { &change.old } else { &change.new });
    let creates = is_new(if s.reverse { &change.new } else { &change.old });
    if !existed && !creates && hunks.iter().any(|hunk| !hunk.side(b'+').is_empty()) {
        return Ok(no_file(s, change));
    }
    if creates && existed && !text.is_empty() && !s.is_forced {
        let problem =
            format!("The next patch would create the file {shown},\nwhich already exists!");
        if let Doubt::Skip = doubt(s, &problem) {
            println!("{}", ignored(hunks.len()));
            return Ok(false);
        }
        hunks = hunks.iter().map(Hunk::reversed).collect();
    }
    if !s.quiet {
        let verb = if s.dry { "checking" } else { "patching" };
        match &s.output {
            Some(output) => println!("{verb} file {} (read from {shown})", output.display()),
            None => println!("{verb} file {shown}"),
        }
    }
    let mut current: Vec<Vec<u8>> = lines(&text).into_iter().map(<[u8]>::to_vec).collect();
    let mut rejected = Vec::new();
    let mut offset = 0_isize;
    let mut is_inexact = false;
    let seems_reversed = !s.is_forced
        && hunks.first().is_some_and(|first| {
            let back = place(&current, &first.reversed(), 0, s.fuzz).map(|(_, fuzz)| fuzz);
            let there = place(&current, first, 0, s.fuzz).map(|(_, fuzz)| fuzz);
            back.is_some_and(|back| there.is_none_or(|there| back < there))
        });
    let mut is_skipped = false;
    if seems_reversed {
        let word = if s.reverse { "Unreversed" } else { "Reversed (or previously applied)" };
        match doubt(s, &format!("{word} patch detected!")) {
            Doubt::Skip => is_skipped = true,
            Doubt::Turn => hunks = hunks.iter().map(Hunk::reversed).collect(),
        }
    }
    if is_skipped {
        rejected = hunks.clone();
    } else {
        for (number, hunk) in hunks.iter().enumerate() {
            let Some((at, fuzz)) = place(&current, hunk, offset, s.fuzz) else {
                println!("Hunk #{} FAILED at {}.", number + 1, hunk.start.max(1));
                rejected.push(hunk.clone());
                continue;
            };
            let moved = at as isize - expected(hunk, 0);
            let by = moved - offset_before(&hunks, number);
            is_inexact |= fuzz > 0 || by != 0;
            if !s.quiet && (fuzz > 0 || by != 0) {
                let fuzzy = if fuzz > 0 { format!(" with fuzz {fuzz}") } else { String::new() };
                let lines = if by.abs() == 1 { "line" } else { "lines" };
                let off = if by != 0 { format!(" (offset {by} {lines})") } else { String::new() };
                println!("Hunk #{} succeeded at {}{fuzzy}{off}.", number + 1, at + 1);
            }
            offset = moved + splice(&mut current, hunk, at, fuzz);
        }
    }
    // As in GNU, the original is kept if the patch does not match it exactly.
    let keeps = s.backup || (!s.forgets && (is_inexact || !rejected.is_empty()));
    let keeps = keeps && !is_skipped;
    write(s, &file, change, &current.concat(), existed && keeps, deletes).map_err(fail)?;
    if rejected.is_empty() {
        return Ok(true);
    }
    let total = hunks.len();
    let count = rejected.len();
    let mut reject = file.clone().into_os_string();
    reject.push(".rej");
    let reject = s.reject.clone().unwrap_or_else(|| PathBuf::from(reject));
    let mut report = match is_skipped {
        true => ignored(total),
        false => format!("{count} out of {total} {} FAILED", hunks_word(total)),
    };
    let is_kept = !s.dry && reject != Path::new("-");
    if is_kept {
        report += &format!(" -- saving rejects to file {}", reject.display());
    }
    println!("{report}");
    if is_kept {
        let names = change
            .header
            .iter()
            .filter(|line| line.starts_with(b"--- ") || line.starts_with(b"+++ "));
        let mut text: Vec<u8> = names.flatten().copied().collect();
        if text.is_empty() {
            text = format!("--- {shown}\n+++ {shown}\n").into_bytes();
        }
        rejected.iter().for_each(|hunk| text.extend(hunk.text()));
        fs::write(&reject, text).map_err(fail)?;
    }
    Ok(false)
}

fn hunks_word(count: usize) -> &'static str {
    if count == 1 { "hunk" } else { "hunks" }
}

fn ignored(count: usize) -> String {
    format!("{count} out of {count} {} ignored", hunks_word(count))
}

/// Decision about a patch that seems to be applied already.
enum Doubt {
    Skip,
    /// The patch is applied in the other direction.
    Turn,
}

/// Says what is doubtful, and decides as the options want; questions are answered as by somebody
/// who is not there.
fn doubt(s: &Settings, problem: &str) -> Doubt {
    if s.forward {
        println!("{problem}  Skipping patch.");
        return Doubt::Skip;
    }
    if s.is_batch {
        println!("{problem}  {} -R.", if s.reverse { "Ignoring" } else { "Assuming" });
        return Doubt::Turn;
    }
    let verb = if s.reverse { "Ignore" } else { "Assume" };
    println!("{problem}  {verb} -R? [n] \nApply anyway? [n] \nSkipping patch.");
    Doubt::Skip
}

/// Reports that the file of a change is missing; returns that it was not applied.
fn no_file(s: &Settings, change: &Change) -> bool {
    println!("can't find file to patch at input line {}", change.line);
    println!(
        "{}",
        match s.strip {
            Some(_) => "Perhaps you used the wrong -p or --strip option?",
            None => "Perhaps you should have used the -p or --strip option?",
        }
    );
    if !change.header.is_empty() {
        println!("The text leading up to this was:\n--------------------------");
        for line in &change.header {
            println!("|{}", shown(line));
        }
        println!("--------------------------");
    }
    match s.is_forced || s.is_batch {
        true => println!("No file to patch.  Skipping patch."),
        false => println!("File to patch: \nSkip this patch? [y] \nSkipping patch."),
    }
    println!("{}", ignored(change.hunks.len()));
    false
}

fn write(
    s: &Settings,
    file: &Path,
    change: &Change,
    text: &[u8],
    keeps: bool,
    deletes: bool,
) -> io::Result<()> {
    if s.dry {
        return Ok(());
    }
    let with = |end: &str| {
        let mut name = file.as_os_str().to_owned();
        name.push(end);
        name
    };
    if keeps {
        fs::copy(file, with(".orig"))?;
    }
    let to = match (&s.output, &change.renamed) {
        (Some(output), _) => output.clone(),
        (None, Some((_, to))) if !s.reverse && !to.is_empty() => {
            let to = PathBuf::from(String::from_utf8_lossy(to).into_owned());
            fs::remove_file(file)?;
            to
        }
        (None, _) => file.to_path_buf(),
    };
    if text.is_empty() && (deletes || s.remove_empty) && s.output.is_none() {
        return if file.exists() { fs::remove_file(file) } else { Ok(()) };
    }
    if let Some(folder) = to.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder)?;
    }
    fs::write(to, text)
}
