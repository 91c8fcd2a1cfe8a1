//! Lists members, in the short and in the long form.

use std::io::{self, Write};

use ::tar::{EntryType, Header};
use cofferdam_guest_sys::calendar;

use super::Tar;
use crate::files::mode_text;
use crate::output::Output;

/// Width of the columns of owners and size before a wider line comes.
pub(super) const WIDTH: usize = 19;

/// A member as it is listed.
pub(super) struct Listed<'a> {
    pub(super) header: &'a Header,
    /// Name, with a slash at the end if the member is a directory.
    pub(super) name: &'a [u8],
    /// Target of a link.
    pub(super) link: &'a [u8],
    pub(super) size: u64,
}

impl Tar {
    /// Writes the line of a member.
    pub(super) fn show(
        &mut self,
        member: &Listed<'_>,
        long: bool,
        to_error: bool,
        out: &mut Output,
    ) -> io::Result<()> {
        let mut line = if long { self.long(member) } else { String::new() };
        line.push_str(&escaped(member.name));
        if long && !member.link.is_empty() {
            let hard = member.header.entry_type().is_hard_link();
            line.push_str(if hard { " link to " } else { " -> " });
            line.push_str(&escaped(member.link));
        }
        if to_error {
            eprintln!("{line}");
            return Ok(());
        }
        writeln!(out, "{line}")
    }

    /// Returns the columns before the name.
    fn long(&mut self, member: &Listed<'_>) -> String {
        let header = member.header;
        let kind = match header.entry_type() {
            EntryType::Directory => 0o040_000,
            EntryType::Symlink => 0o120_000,
            EntryType::Fifo => 0o010_000,
            EntryType::Char => 0o020_000,
            EntryType::Block => 0o060_000,
            _ => 0o100_000,
        };
        let mut mode = mode_text(kind | header.mode().unwrap_or(0) & 0o7777);
        if header.entry_type().is_hard_link() {
            mode.replace_range(..1, "h");
        }
        let numeric = self.settings.numeric;
        let owner = |name: Option<&[u8]>, id: u64| match name {
            Some(name) if !name.is_empty() && !numeric => {
                String::from_utf8_lossy(name).into_owned()
            }
            _ => id.to_string(),
        };
        let user = owner(header.username_bytes(), header.uid().unwrap_or(0));
        let group = owner(header.groupname_bytes(), header.gid().unwrap_or(0));
        let owners = format!("{user}/{group}");
        let device = |number: io::Result<Option<u32>>| number.ok().flatten().unwrap_or(0);
        let size = match header.entry_type() {
            EntryType::Char | EntryType::Block => {
                format!("{},{}", device(header.device_major()), device(header.device_minor()))
            }
            _ => member.size.to_string(),
        };
        self.width = self.width.max(owners.len() + 1 + size.len());
        let width = self.width - owners.len() - 1;
        let format: &[u8] = if self.settings.full_time { b"%F %T" } else { b"%F %R" };
        let date = calendar::local(format, header.mtime().unwrap_or(0) as i64);
        let date = String::from_utf8_lossy(&date);
        format!("{mode} {owners} {size:>width$} {date} ")
    }
}

/// Returns a name with control characters and bytes that are no text as escapes.
pub(super) fn escaped(name: &[u8]) -> String {
    let mut text = String::with_capacity(name.len());
    for chunk in name.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\\' => text.push_str("\\\\"),
                '\n' => text.push_str("\\n"),
                '\t' => text.push_str("\\t"),
                '\r' => text.push_str("\\r"),
                '\x07' => text.push_str("\\a"),
                '\x08' => text.push_str("\\b"),
                '\x0b' => text.push_str("\\v"),
                '\x0c' => text.push_str("\\f"),
                c if c.is_ascii_control() => text.push_str(&format!("\\{:03o}", u32::from(c))),
                c => text.push(c),
            }
        }
        for byte in chunk.invalid() {
            text.push_str(&format!("\\{byte:03o}"));
        }
    }
    text
}
