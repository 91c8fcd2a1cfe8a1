//! Textual forms of file attributes: modes, owners, kinds, sizes.

use std::io;

use cofferdam_guest_sys::{self as sys, FileStatus};

/// The name of the only user besides root.
pub(crate) const USER: &str = "user";
/// The number of that user, and of its group.
pub(crate) const USER_ID: u32 = 1000;

/// The kind of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Directory,
    Link,
    Pipe,
    Socket,
    Block,
    Character,
    Regular,
}

impl Kind {
    /// Returns the kind encoded in a mode.
    pub(crate) fn of(mode: u32) -> Self {
        match mode & 0o170_000 {
            0o040_000 => Kind::Directory,
            0o120_000 => Kind::Link,
            0o010_000 => Kind::Pipe,
            0o140_000 => Kind::Socket,
            0o060_000 => Kind::Block,
            0o020_000 => Kind::Character,
            _ => Kind::Regular,
        }
    }

    /// Returns the letter of `ls -l`. `find -printf %y` uses the same letters, except `f` for a
    /// regular file.
    pub(crate) fn letter(self) -> char {
        match self {
            Kind::Directory => 'd',
            Kind::Link => 'l',
            Kind::Pipe => 'p',
            Kind::Socket => 's',
            Kind::Block => 'b',
            Kind::Character => 'c',
            Kind::Regular => '-',
        }
    }

    /// Returns the name that GNU's commands have for a file of this kind and size.
    pub(crate) fn name(self, size: u64) -> &'static str {
        match self {
            Kind::Directory => "directory",
            Kind::Link => "symbolic link",
            Kind::Pipe => "fifo",
            Kind::Socket => "socket",
            Kind::Block => "block special file",
            Kind::Character => "character special file",
            Kind::Regular if size == 0 => "regular empty file",
            Kind::Regular => "regular file",
        }
    }
}

/// Returns the permission bits that new files do not get.
pub(crate) fn umask() -> u32 {
    // The call that reads the mask also sets it.
    let mask = sys::umask(0o022);
    sys::umask(mask);
    mask
}

/// Formats a mode as `ls -l` does: `-rw-r--r--`.
pub(crate) fn mode_text(mode: u32) -> String {
    let mut text = String::with_capacity(10);
    text.push(Kind::of(mode).letter());
    for (shift, special, set, unset) in
        [(6, 0o4000, 's', 'S'), (3, 0o2000, 's', 'S'), (0, 0o1000, 't', 'T')]
    {
        let bits = mode >> shift;
        text.push(if bits & 4 != 0 { 'r' } else { '-' });
        text.push(if bits & 2 != 0 { 'w' } else { '-' });
        text.push(match (mode & special != 0, bits & 1 != 0) {
            (true, true) => set,
            (true, false) => unset,
            (false, true) => 'x',
            (false, false) => '-',
        });
    }
    text
}

/// Returns the name of a user or group.
pub(crate) fn owner_name(id: u32) -> String {
    match id {
        0 => "root".to_owned(),
        USER_ID => USER.to_owned(),
        other => other.to_string(),
    }
}

/// Returns the number of a user or group.
pub(crate) fn owner_id(name: &str) -> Option<u32> {
    match name {
        "root" => Some(0),
        USER => Some(USER_ID),
        other => other.parse().ok(),
    }
}

/// Returns the status of a file; follows a final link if `follow` is set.
pub(crate) fn status(path: &[u8], follow: bool) -> io::Result<FileStatus> {
    sys::stat(path, follow)
}

/// Returns the 512-byte blocks of a file. The files are virtual, so this is what a disk would use.
pub(crate) fn blocks(status: &FileStatus) -> u64 {
    match Kind::of(status.mode) {
        Kind::Regular => status.size.div_ceil(4096) * 8,
        Kind::Directory => 8,
        Kind::Link | Kind::Pipe | Kind::Socket | Kind::Block | Kind::Character => 0,
    }
}

/// Formats a size for people: `1.5K`.
pub(crate) fn human(size: u64) -> String {
    const UNITS: [char; 6] = ['K', 'M', 'G', 'T', 'P', 'E'];
    if size < 1024 {
        return size.to_string();
    }
    let mut value = size as f64;
    let mut unit = 0;
    value /= 1024.0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    // Rounded up, as in GNU.
    let tenths = (value * 10.0).ceil() / 10.0;
    if tenths < 10.0 {
        format!("{tenths:.1}{}", UNITS[unit])
    } else {
        format!("{:.0}{}", value.ceil(), UNITS[unit])
    }
}

/// Parses a symbolic or octal mode, as accepted by `chmod`, `mkdir -m` and `find -perm`.
pub(crate) fn parse_mode(text: &str, before: u32, directory: bool, mask: u32) -> Option<u32> {
    if text.bytes().all(|b| (b'0'..=b'7').contains(&b)) && !text.is_empty() {
        let mode = u32::from_str_radix(text, 8).ok()?;
        return (mode <= 0o7777).then_some(mode);
    }
    let mut mode = before & 0o7777;
    for clause in text.split(',') {
        mode = clause_applied(clause, mode, directory, mask)?;
    }
    Some(mode)
}

fn clause_applied(clause: &str, mut mode: u32, directory: bool, mask: u32) -> Option<u32> {
    let operators = clause.find(['+', '-', '='])?;
    let mut who = 0;
    for c in clause[..operators].chars() {
        who |= match c {
            'u' => 0o4700,
            'g' => 0o2070,
            'o' => 0o1007,
            'a' => 0o7777,
            _ => return None,
        };
    }
    let (who, limit) = if who == 0 { (0o7777, !mask) } else { (who, !0) };
    let mut rest = &clause[operators..];
    while let Some(operator) = rest.chars().next() {
        rest = &rest[1..];
        let end = rest.find(['+', '-', '=']).unwrap_or(rest.len());
        let mut bits = 0;
        for c in rest[..end].chars() {
            bits |= match c {
                'r' => 0o444,
                'w' => 0o222,
                'x' => 0o111,
                'X' if directory || mode & 0o111 != 0 => 0o111,
                'X' => 0,
                's' => 0o6000,
                't' => 0o1000,
                'u' => (mode >> 6 & 7) * 0o111,
                'g' => (mode >> 3 & 7) * 0o111,
                'o' => (mode & 7) * 0o111,
                _ => return None,
            };
        }
        rest = &rest[end..];
        let bits = bits & who & limit;
        match operator {
            '+' => mode |= bits,
            '-' => mode &= !bits,
            _ => {
                // A directory keeps its set-id bits unless the mode names them.
                let kept = if directory { mode & 0o6000 } else { 0 };
                mode = mode & !(who & 0o7777) | bits | kept;
            }
        }
    }
    Some(mode)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_written_as_letters() {
        assert_eq!(mode_text(0o100_644), "-rw-r--r--");
        assert_eq!(mode_text(0o041_777), "drwxrwxrwt");
        assert_eq!(mode_text(0o104_711), "-rws--x--x");
    }

    #[test]
    fn modes_are_read_in_both_forms() {
        let check = |text, before, expect| {
            assert_eq!(parse_mode(text, before, false, 0o022), expect, "{text}");
        };
        check("755", 0, Some(0o755));
        check("u+x", 0o644, Some(0o744));
        check("go-rwx", 0o777, Some(0o700));
        check("a=r", 0o777, Some(0o444));
        check("+w", 0o444, Some(0o644));
        check("u=rw,g=u", 0o000, Some(0o660));
        check("u+q", 0, None);
        check("8", 0, None);
    }

    #[test]
    fn sizes_are_rounded_up() {
        assert_eq!(human(1023), "1023");
        assert_eq!(human(1025), "1.1K");
        assert_eq!(human(10 * 1024), "10K");
        assert_eq!(human(1_500_000), "1.5M");
    }
}
