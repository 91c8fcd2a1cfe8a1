//! Operations on paths and text as bytes, which need not be UTF-8.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

#[cfg(unix)]
use std::os::unix::ffi::{OsStrExt, OsStringExt};
#[cfg(target_os = "wasi")]
use std::os::wasi::ffi::{OsStrExt, OsStringExt};

/// Returns the bytes of an argument.
pub fn bytes_of(text: OsString) -> Vec<u8> {
    text.into_vec()
}

/// Returns a path for the standard library.
pub(crate) fn path(bytes: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(bytes))
}

/// Returns the bytes of a name from the standard library.
pub(crate) fn raw(name: &OsStr) -> &[u8] {
    name.as_bytes()
}

/// Returns text for a message.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Returns a variable of the environment; an empty one counts as unset.
pub(crate) fn variable(name: &str) -> Option<Vec<u8>> {
    std::env::var_os(name).map(OsStringExt::into_vec).filter(|value: &Vec<u8>| !value.is_empty())
}

/// Returns `name` below `dir`, or `name` itself if it is absolute or `dir` is empty.
pub(crate) fn join(dir: &[u8], name: &[u8]) -> Vec<u8> {
    if name.starts_with(b"/") || dir.is_empty() {
        return name.to_vec();
    }
    if name.is_empty() {
        return dir.to_vec();
    }
    let mut joined = dir.to_vec();
    if !joined.ends_with(b"/") {
        joined.push(b'/');
    }
    joined.extend_from_slice(name);
    joined
}

/// Returns the directory part of a relative path; empty for a bare name.
pub(crate) fn parent(path: &[u8]) -> &[u8] {
    path.iter().rposition(|b| *b == b'/').map_or(&[], |at| &path[..at])
}

/// Returns the last component of a path.
pub(crate) fn base(path: &[u8]) -> &[u8] {
    path.iter().rposition(|b| *b == b'/').map_or(path, |at| &path[at + 1..])
}

/// Removes `.`, `..` and repeated slashes from a path, without following links.
pub(crate) fn normal(path: &[u8]) -> Vec<u8> {
    let is_absolute = path.starts_with(b"/");
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in path.split(|b| *b == b'/') {
        match part {
            b"" | b"." => {}
            b".." if parts.last().is_some_and(|last| *last != b"..") => {
                parts.pop();
            }
            b".." if is_absolute => {}
            other => parts.push(other),
        }
    }
    let joined = parts.join(&b'/');
    if is_absolute { [b"/", joined.as_slice()].concat() } else { joined }
}

/// Returns lines with their newline.
pub(crate) fn lines(data: &[u8]) -> impl Iterator<Item = &[u8]> {
    data.split_inclusive(|b| *b == b'\n')
}

/// Returns data without spaces and newlines at both ends.
pub(crate) fn trim(data: &[u8]) -> &[u8] {
    data.trim_ascii()
}

/// Returns true if `needle` occurs in `hay`.
pub(crate) fn contains(hay: &[u8], needle: &[u8]) -> bool {
    needle.is_empty() || hay.windows(needle.len()).any(|part| part == needle)
}

/// Reads a file, or returns `None` if it does not exist.
pub(crate) fn read_if_exists(file: &[u8]) -> io::Result<Option<Vec<u8>>> {
    match fs::read(path(file)) {
        Ok(data) => Ok(Some(data)),
        Err(e) if is_missing(&e) => Ok(None),
        Err(e) => Err(e),
    }
}

/// Returns true if the error says that a path does not exist.
pub(crate) fn is_missing(e: &io::Error) -> bool {
    matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Replaces a file as a whole, through a temporary file beside it. Refuses to replace anything but
/// a regular file: renaming over a device such as `/dev/null` would remove it for everybody.
pub(crate) fn replace(file: &[u8], data: &[u8]) -> io::Result<()> {
    if fs::metadata(path(file)).is_ok_and(|found| !found.is_file()) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    let lock = [file, b".lock"].concat();
    if let Some(dir) = path(file).parent() {
        fs::create_dir_all(dir)?;
    }
    // The file is git's lock as well: whoever creates it may write.
    let mut written = fs::File::create_new(path(&lock)).map_err(|e| match e.kind() {
        io::ErrorKind::AlreadyExists => io::Error::other(format!(
            "unable to create '{}': File exists; remove it if no other git is running",
            text(&lock)
        )),
        _ => e,
    })?;
    let done = written.write_all(data).and_then(|()| fs::rename(path(&lock), path(file)));
    if done.is_err() {
        // A lock that stays would block the repository.
        let _ = fs::remove_file(path(&lock));
    }
    done
}

/// Quotes a path as git prints it: unusual bytes put it in quotes, with escapes.
pub(crate) fn quoted(name: &[u8]) -> Vec<u8> {
    let is_plain = |b: &u8| (0x20..0x7f).contains(b) && *b != b'"' && *b != b'\\';
    if name.iter().all(is_plain) {
        return name.to_vec();
    }
    let mut out = vec![b'"'];
    for byte in name {
        match byte {
            b'"' | b'\\' => out.extend([b'\\', *byte]),
            b'\n' => out.extend(b"\\n"),
            b'\t' => out.extend(b"\\t"),
            b'\r' => out.extend(b"\\r"),
            7 => out.extend(b"\\a"),
            8 => out.extend(b"\\b"),
            11 => out.extend(b"\\v"),
            12 => out.extend(b"\\f"),
            b if is_plain(b) => out.push(*b),
            b => out.extend(format!("\\{b:03o}").bytes()),
        }
    }
    out.push(b'"');
    out
}

/// Returns the name inside quotes that [`quoted`] made, and the rest after it.
pub(crate) fn unquoted(text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut rest = text.strip_prefix(b"\"")?;
    let mut name = Vec::new();
    loop {
        let (&byte, after) = rest.split_first()?;
        rest = after;
        match byte {
            b'"' => return Some((name, rest)),
            b'\\' => {
                let (&escape, after) = rest.split_first()?;
                rest = after;
                match escape {
                    b'n' => name.push(b'\n'),
                    b't' => name.push(b'\t'),
                    b'r' => name.push(b'\r'),
                    b'a' => name.push(7),
                    b'b' => name.push(8),
                    b'v' => name.push(11),
                    b'f' => name.push(12),
                    b'0'..=b'3' => {
                        let digits = std::str::from_utf8(rest.get(..2)?).ok()?;
                        let low = u32::from_str_radix(digits, 8).ok()?;
                        name.push((u32::from(escape - b'0') * 64 + low) as u8);
                        rest = &rest[2..];
                    }
                    other => name.push(other),
                }
            }
            other => name.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_normal() {
        let check = |input: &str, expect: &str| {
            assert_eq!(text(&normal(input.as_bytes())), expect, "{input}");
        };
        check("a/./b//c", "a/b/c");
        check("a/../b", "b");
        check("../a", "../a");
        check("/../a/", "/a");
        check(".", "");
    }

    #[test]
    fn only_regular_files_are_replaced() {
        let dir = std::env::temp_dir();
        assert!(replace(raw(dir.as_os_str()), b"x").is_err());
    }

    #[test]
    fn quoting_can_be_undone() {
        let name = b"a \"b\"\\\n\xc3\xa9";
        let quoted = quoted(name);
        assert_eq!(quoted, b"\"a \\\"b\\\"\\\\\\n\\303\\251\"");
        assert_eq!(unquoted(&quoted), Some((name.to_vec(), &b""[..])));
        assert_eq!(unquoted(b"\"open"), None);
    }
}
