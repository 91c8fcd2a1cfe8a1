//! Prints entries in the chosen layout.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::bytes::OsStrExt as _;
use crate::files::{Kind, blocks, mode_text, owner_name};
use crate::width;
use cofferdam_guest_sys::calendar;

use super::list::{Entry, List, time_of};
use super::{Layout, Mark};

impl List<'_> {
    /// Prints entries; the entries of a directory are preceded by a total in the long format.
    pub(super) fn show(&mut self, entries: &[Entry], of_directory: bool) {
        let s = self.settings;
        if of_directory && (s.layout == Layout::Long || s.blocks) {
            let total: u64 = entries.iter().map(|entry| blocks(&entry.status)).sum();
            let text = s.units.show(total * 512, 1024);
            let _ = writeln!(self.out, "total {text}");
        }
        let written = match s.layout {
            Layout::Long => self.long(entries),
            Layout::Lines => {
                let fronts = self.fronts(entries);
                for (entry, front) in entries.iter().zip(fronts) {
                    let name = self.label(entry);
                    let _ = self.out.write_all(front.as_bytes());
                    let _ = self.out.write_all(&name);
                    let _ = self.out.write_all(&[s.line_end]);
                }
                Ok(())
            }
            Layout::Commas => self.commas(entries),
            Layout::Columns => self.columns(entries, true),
            Layout::Across => self.columns(entries, false),
        };
        // An error is reported by the final flush.
        let _ = written;
    }

    /// Returns the inode and block columns, if requested.
    fn fronts(&self, entries: &[Entry]) -> Vec<String> {
        let s = self.settings;
        let inodes: Vec<String> = entries.iter().map(|e| e.status.inode.to_string()).collect();
        let sizes: Vec<String> = entries
            .iter()
            .map(|e| {
                let used = blocks(&e.status);
                s.units.show(used * 512, 1024)
            })
            .collect();
        let inode_width = inodes.iter().map(String::len).max().unwrap_or(0);
        let size_width = sizes.iter().map(String::len).max().unwrap_or(0);
        let mut fronts = Vec::with_capacity(entries.len());
        for (inode, size) in inodes.iter().zip(&sizes) {
            let mut front = String::new();
            if s.inode {
                front.push_str(&format!("{inode:>inode_width$} "));
            }
            if s.blocks {
                front.push_str(&format!("{size:>size_width$} "));
            }
            fronts.push(front);
        }
        fronts
    }

    fn label(&self, entry: &Entry) -> Vec<u8> {
        let s = self.settings;
        let mut label = Vec::with_capacity(entry.name.len() + 2);
        let kind = Kind::of(entry.status.mode);
        let runnable = kind == Kind::Regular && entry.status.mode & 0o111 != 0;
        let color = match kind {
            _ if !s.color => None,
            Kind::Directory => Some("01;34"),
            Kind::Link => Some("01;36"),
            Kind::Pipe => Some("33"),
            Kind::Socket => Some("01;35"),
            Kind::Block | Kind::Character => Some("01;33"),
            Kind::Regular => runnable.then_some("01;32"),
        };
        if let Some(color) = color {
            label.extend_from_slice(format!("\x1b[0m\x1b[{color}m").as_bytes());
        }
        label.extend_from_slice(&s.quoting.of(&entry.name));
        if color.is_some() {
            label.extend_from_slice(b"\x1b[0m");
        }
        label.extend(self.mark(entry));
        label
    }

    /// Returns the character that shows the kind of an entry, if that was asked for.
    fn mark(&self, entry: &Entry) -> Option<u8> {
        let s = self.settings;
        let kind = Kind::of(entry.status.mode);
        match (s.mark, kind) {
            (Mark::None, _) => None,
            (_, Kind::Directory) => Some(b'/'),
            (Mark::Slash, _) => None,
            (_, Kind::Link) => (s.layout != Layout::Long).then_some(b'@'),
            (_, Kind::Pipe) => Some(b'|'),
            (_, Kind::Socket) => Some(b'='),
            (Mark::All, Kind::Regular) => (entry.status.mode & 0o111 != 0).then_some(b'*'),
            (Mark::Kind, Kind::Regular) | (_, Kind::Block | Kind::Character) => None,
        }
    }

    fn long(&mut self, entries: &[Entry]) -> std::io::Result<()> {
        let s = self.settings;
        let owner = |id: u32| if s.numeric { id.to_string() } else { owner_name(id) };
        let sizes: Vec<String> = entries.iter().map(|e| s.units.show(e.status.size, 1)).collect();
        let widest =
            |texts: &mut dyn Iterator<Item = String>| texts.map(|t| t.len()).max().unwrap_or(0);
        let links_width = widest(&mut entries.iter().map(|e| e.status.links.to_string()));
        let owner_width = widest(&mut entries.iter().map(|e| owner(e.status.uid)));
        let group_width = widest(&mut entries.iter().map(|e| owner(e.status.gid)));
        let size_width = sizes.iter().map(String::len).max().unwrap_or(0);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs() as i64);
        let fronts = self.fronts(entries);
        for ((entry, size), front) in entries.iter().zip(&sizes).zip(&fronts) {
            let status = &entry.status;
            let mut line =
                format!("{front}{} {:>links_width$} ", mode_text(status.mode), status.links);
            if s.owner {
                line.push_str(&format!("{:<owner_width$} ", owner(status.uid)));
            }
            if s.group {
                line.push_str(&format!("{:<group_width$} ", owner(status.gid)));
            }
            let when = self.moment(time_of(s.time, status), now);
            line.push_str(&format!("{size:>size_width$} {when} "));
            self.out.write_all(line.as_bytes())?;
            let label = self.label(entry);
            self.out.write_all(&label)?;
            if Kind::of(status.mode) == Kind::Link
                && let Ok(target) = fs::read_link(OsStr::from_bytes(&entry.path))
            {
                self.out.write_all(b" -> ")?;
                self.out.write_all(&s.quoting.of(target.as_os_str().as_bytes()))?;
            }
            self.out.write_all(&[s.line_end])?;
        }
        Ok(())
    }

    fn moment(&self, nanoseconds: u64, now: i64) -> String {
        /// Half of a mean Gregorian year, in seconds.
        const RECENT: i64 = 31_556_952 / 2;
        let seconds = (nanoseconds / 1_000_000_000) as i64;
        let recent = seconds <= now + 3600 && seconds > now - RECENT;
        let text = match self.settings.time_style.as_str() {
            "full-iso" => {
                let part = |format: &[u8]| {
                    String::from_utf8_lossy(&calendar::local(format, seconds)).into_owned()
                };
                let fraction = nanoseconds % 1_000_000_000;
                return format!("{}.{fraction:09} {}", part(b"%F %T"), part(b"%z"));
            }
            "long-iso" => calendar::local(b"%F %R", seconds),
            "iso" if recent => calendar::local(b"%m-%d %R", seconds),
            "iso" => calendar::local(b"%F ", seconds),
            custom if custom.starts_with('+') => calendar::local(&custom.as_bytes()[1..], seconds),
            _ if recent => calendar::local(b"%b %e %R", seconds),
            _ => calendar::local(b"%b %e  %Y", seconds),
        };
        String::from_utf8_lossy(&text).into_owned()
    }

    fn commas(&mut self, entries: &[Entry]) -> std::io::Result<()> {
        let mut column = 0;
        for (number, entry) in entries.iter().enumerate() {
            let label = self.label(entry);
            let last = number + 1 == entries.len();
            let len = width::of(&label) + if last { 0 } else { 1 };
            if column > 0 && column + 1 + len >= self.settings.width {
                self.out.write_all(b"\n")?;
                column = 0;
            } else if column > 0 {
                self.out.write_all(b" ")?;
                column += 1;
            }
            self.out.write_all(&label)?;
            if !last {
                self.out.write_all(b",")?;
            }
            column += len;
        }
        if entries.is_empty() { Ok(()) } else { self.out.write_all(b"\n") }
    }

    fn columns(&mut self, entries: &[Entry], down: bool) -> std::io::Result<()> {
        let fronts = self.fronts(entries);
        let cells: Vec<(Vec<u8>, usize)> = entries
            .iter()
            .zip(fronts)
            .map(|(entry, front)| {
                let name = self.settings.quoting.of(&entry.name);
                let mark = usize::from(self.mark(entry).is_some());
                let len = front.len() + width::of(&name) + mark;
                ([front.into_bytes(), self.label(entry)].concat(), len)
            })
            .collect();
        if cells.is_empty() {
            return Ok(());
        }
        let (rows, widths) = arrange(&cells, self.settings.width.max(1), down);
        let columns = widths.len();
        for row in 0..rows {
            let (mut from, mut to) = (0, 0);
            for (column, column_width) in widths.iter().enumerate() {
                let at = if down { column * rows + row } else { row * columns + column };
                let Some((cell, len)) = cells.get(at) else { continue };
                self.out.write_all(&gap(from, to, self.settings.tab))?;
                self.out.write_all(cell)?;
                (from, to) = (to + len, to + column_width);
            }
            self.out.write_all(b"\n")?;
        }
        Ok(())
    }
}

/// Returns the blanks between two places of a line: tabs where they reach further than one blank.
fn gap(mut from: usize, to: usize, tab: usize) -> Vec<u8> {
    let mut blanks = Vec::new();
    while from < to {
        if tab > 0 && to / tab > (from + 1) / tab {
            blanks.push(b'\t');
            from += tab - from % tab;
        } else {
            blanks.push(b' ');
            from += 1;
        }
    }
    blanks
}

/// Returns the smallest number of rows that fits, and the widths of the columns.
fn arrange(cells: &[(Vec<u8>, usize)], line: usize, down: bool) -> (usize, Vec<usize>) {
    const GAP: usize = 2;
    for rows in 1..=cells.len() {
        let columns = cells.len().div_ceil(rows);
        let mut widths = vec![0; columns];
        for (number, (_, len)) in cells.iter().enumerate() {
            let column = if down { number / rows } else { number % columns };
            widths[column] = widths[column].max(len + GAP);
        }
        if widths.iter().sum::<usize>() - GAP < line {
            return (rows, widths);
        }
    }
    (cells.len(), vec![0])
}
