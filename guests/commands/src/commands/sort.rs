//! sort: the uutils version, except for checking and merging, which need threads there.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read};
use std::os::fd::AsRawFd as _;
use std::path::PathBuf;

use crate::bytes::OsStrExt as _;
use crate::commands::uutils;
use crate::output::{Input, reason};
use crate::table::uu;

/// Longest input of `-c`, in bytes; the input is held in memory.
const MAX_CHECKED: u64 = 512 << 20;

/// Options whose value may be the next argument.
const WITH_VALUE: &[u8] = b"kotST";

pub(crate) fn run(args: Vec<OsString>) -> i32 {
    let taken = take(with_keys(args));
    match taken.check {
        None => {
            let Taken { options: mut args, mut files, .. } = taken;
            let _open = open_pipes(&mut files);
            if !files.is_empty() {
                args.push("--".into());
            }
            args.extend(files);
            sort(args)
        }
        Some(how) => check(taken, how),
    }
}

/// Replaces keys in the old form, `+1.2n -3`, with `-k`.
fn with_keys(args: Vec<OsString>) -> Vec<OsString> {
    let mut done: Vec<OsString> = Vec::with_capacity(args.len());
    let mut args = args.into_iter().peekable();
    while let Some(arg) = args.next() {
        if arg == "--" {
            done.push(arg);
            done.extend(args);
            break;
        }
        let Some(start) = old_place(&arg, '+') else {
            let takes_value =
                matches!(arg.as_bytes(), [b'-', letter] if WITH_VALUE.contains(letter));
            done.push(arg);
            if takes_value {
                done.extend(args.next());
            }
            continue;
        };
        let mut key = format!("{}.{}{}", start.field + 1, start.character + 1, start.letters);
        if let Some(end) = args.peek().and_then(|next| old_place(next, '-')) {
            args.next();
            // Without a character, the key ends with the field before.
            let place = match end.character {
                0 => format!("{}", end.field.max(1)),
                _ => format!("{}.{}", end.field + 1, end.character),
            };
            key.push_str(&format!(",{place}{}", end.letters));
        }
        done.push("-k".into());
        done.push(key.into());
    }
    done
}

/// A place in a line, counted from 0, as old keys have it.
struct OldPlace {
    field: usize,
    character: usize,
    letters: String,
}

/// Parses `+1`, `+1.2n` or the like.
fn old_place(arg: &std::ffi::OsStr, sign: char) -> Option<OldPlace> {
    let text = arg.to_str()?.strip_prefix(sign)?;
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (place, letters) = text.split_at(end);
    let (field, character) = place.split_once('.').unwrap_or((place, "0"));
    if !letters.bytes().all(|letter| b"bdfghiMnRrV".contains(&letter)) {
        return None;
    }
    let (field, character) = (field.parse().ok()?, character.parse().ok()?);
    Some(OldPlace { field, character, letters: letters.to_owned() })
}

fn sort(args: Vec<OsString>) -> i32 {
    uu!(uu_sort, "sort")(args)
}

/// Opens the named pipes among the files and returns the names with descriptors in their place. The
/// uutils version opens each file twice on this target, first to see if it can be read. A writer that
/// met the first opening may have written everything and ended before the second.
fn open_pipes(files: &mut [OsString]) -> Vec<fs::File> {
    let is_pipe = |file: &OsString| {
        let stat = cofferdam_guest_sys::stat(file.as_bytes(), true);
        stat.is_ok_and(|stat| stat.mode & 0o170_000 == 0o010_000)
    };
    let mut open = Vec::new();
    for file in files.iter_mut().filter(|file| is_pipe(file)) {
        // A pipe that cannot be opened is reported by its name.
        if let Ok(pipe) = fs::File::open(&*file) {
            *file = format!("/dev/fd/{}", pipe.as_raw_fd()).into();
            open.push(pipe);
        }
    }
    open
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Check {
    Say,
    Quiet,
}

/// The command line after removal of the options handled here.
struct Taken {
    check: Option<Check>,
    /// Arguments that are not files, starting with the command's name.
    options: Vec<OsString>,
    files: Vec<OsString>,
}

/// Removes `-c`, `-C` and `-m`. Sorting sorted inputs gives the same result as merging them.
fn take(args: Vec<OsString>) -> Taken {
    let mut taken = Taken { check: None, options: Vec::new(), files: Vec::new() };
    let mut args = args.into_iter();
    taken.options.extend(args.next());
    let mut only_files = false;
    while let Some(arg) = args.next() {
        let bytes = arg.as_bytes();
        match bytes {
            _ if only_files || bytes == b"-" || !bytes.starts_with(b"-") => {
                taken.files.push(arg);
            }
            b"--" => only_files = true,
            _ if bytes.starts_with(b"--")
                && let Some(how) = long_check(bytes) =>
            {
                taken.check = Some(how)
            }
            _ if bytes.len() > 2 && b"--merge".starts_with(bytes) => {}
            _ if bytes.starts_with(b"--") => taken.options.push(arg),
            _ => {
                let (kept, needs_value) = letters(bytes, &mut taken.check);
                if kept.len() > 1 {
                    taken.options.push(std::ffi::OsStr::from_bytes(&kept).to_owned());
                }
                if needs_value {
                    taken.options.extend(args.next());
                }
            }
        }
    }
    taken
}

/// Returns the check that a long option asks for. Options may be abbreviated, and the uutils version
/// takes `--check-silent` too.
fn long_check(option: &[u8]) -> Option<Check> {
    let end = option.iter().position(|byte| *byte == b'=').unwrap_or(option.len());
    let (name, value) = (&option[..end], option.get(end + 1..).unwrap_or_default());
    match name.len() {
        4.. if b"--check".starts_with(name) => match value {
            b"quiet" | b"silent" => Some(Check::Quiet),
            _ => Some(Check::Say),
        },
        4.. if b"--check-silent".starts_with(name) => Some(Check::Quiet),
        _ => None,
    }
}

/// Returns the letters of an argument that are passed on, and true if the last one takes the next
/// argument as its value.
fn letters(bytes: &[u8], check: &mut Option<Check>) -> (Vec<u8>, bool) {
    let mut kept = vec![b'-'];
    for (at, letter) in bytes.iter().enumerate().skip(1) {
        match letter {
            b'c' => *check = Some(Check::Say),
            b'C' => *check = Some(Check::Quiet),
            b'm' => {}
            _ if WITH_VALUE.contains(letter) => {
                kept.extend_from_slice(&bytes[at..]);
                return (kept, at + 1 == bytes.len());
            }
            _ => kept.push(*letter),
        }
    }
    (kept, false)
}

/// Finds the first line out of order: the end of the shortest prefix that sorting changes.
fn check(taken: Taken, how: Check) -> i32 {
    if let [_, second, ..] = taken.files.as_slice() {
        eprintln!("sort: extra operand '{}' not allowed with -c", second.to_string_lossy());
        return 2;
    }
    let name = taken.files.first().cloned().unwrap_or_else(|| "-".into());
    let content = match read(&name) {
        Ok(content) => content,
        Err(error) => {
            eprintln!("sort: cannot read: {}: {}", name.to_string_lossy(), reason(&error));
            return 2;
        }
    };
    let lines: Vec<&[u8]> = content.split_inclusive(|byte| *byte == b'\n').collect();
    if lines.is_empty() {
        return 0;
    }
    let (mut sorted, mut unsorted) = (0, lines.len() + 1);
    while sorted + 1 < unsorted {
        // Most files are either sorted or wrong early, so the whole file is tried first.
        let middle = if unsorted > lines.len() { lines.len() } else { (sorted + unsorted) / 2 };
        match is_sorted(&taken.options, &lines[..middle]) {
            Ok(true) => sorted = middle,
            Ok(false) => unsorted = middle,
            Err(code) => return code,
        }
        if sorted == lines.len() {
            return 0;
        }
    }
    if how == Check::Say {
        let line = String::from_utf8_lossy(lines[unsorted - 1]);
        let line = line.trim_end_matches('\n');
        eprintln!("sort: {}:{unsorted}: disorder: {line}", name.to_string_lossy());
    }
    1
}

fn read(name: &OsString) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    let read = match name.to_str() {
        Some("-") => Input.take(MAX_CHECKED + 1).read_to_end(&mut content)?,
        _ => fs::File::open(name)?.take(MAX_CHECKED + 1).read_to_end(&mut content)?,
    };
    match read as u64 > MAX_CHECKED {
        true => Err(io::Error::other("too long to be checked")),
        false => Ok(content),
    }
}

/// Returns true if sorting leaves the lines unchanged. The error is an exit code.
fn is_sorted(options: &[OsString], lines: &[&[u8]]) -> Result<bool, i32> {
    // `std::env::temp_dir` is not supported on this target.
    let folder = PathBuf::from(std::env::var_os("TMPDIR").unwrap_or_else(|| "/tmp".into()));
    let pid = cofferdam_guest_sys::myself().map_or(0, |me| me.pid);
    let (before, after) =
        (folder.join(format!(".sort-{pid}-in")), folder.join(format!(".sort-{pid}-out")));
    let mut content = lines.concat();
    if content.last().is_some_and(|byte| *byte != b'\n') {
        content.push(b'\n');
    }
    let failed = |error: io::Error| {
        eprintln!("sort: {}: {}", folder.display(), reason(&error));
        2
    };
    fs::write(&before, &content).map_err(failed)?;
    let mut args = options.to_vec();
    args.extend(["-o".into(), after.clone().into(), "--".into(), before.clone().into()]);
    let code = sort(args);
    let same = fs::read(&after).map(|sorted| sorted == content);
    let _ = fs::remove_file(&before);
    let _ = fs::remove_file(&after);
    if code != 0 {
        return Err(code);
    }
    same.map_err(failed)
}
