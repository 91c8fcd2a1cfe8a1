//! Compares members with the files that they were made from.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Write};

use ::tar::{Entry, EntryType};

use super::list::escaped;
use super::read::Member;
use super::{DIFFERENT, Tar};
use crate::bytes::OsStrExt as _;
use crate::files::{Kind, status};
use crate::output::{Output, reason};

/// Bytes compared at a time.
const BUFFER: usize = 64 * 1024;

impl Tar {
    /// Writes the differences between a member and its file.
    pub(super) fn compare<R: Read>(
        &mut self,
        entry: &mut Entry<'_, R>,
        member: &Member,
        out: &mut Output,
    ) -> io::Result<()> {
        let path = member.dir.join(OsStr::from_bytes(&member.name));
        let bytes = path.as_os_str().as_bytes();
        let bytes = bytes.strip_suffix(b"/").unwrap_or(bytes);
        let shown = escaped(&member.name);
        let kind = entry.header().entry_type();
        let found = match status(bytes, self.settings.dereference) {
            Ok(found) => found,
            Err(error) => {
                out.flush()?;
                let what = if kind.is_symlink() { "readlink" } else { "stat" };
                eprintln!("tar: {shown}: Warning: Cannot {what}: {}", reason(&error));
                self.code = self.code.max(DIFFERENT);
                return Ok(());
            }
        };
        let mut differences: Vec<String> = Vec::new();
        let expected = match kind {
            EntryType::Directory => Kind::Directory,
            EntryType::Symlink => Kind::Link,
            EntryType::Fifo => Kind::Pipe,
            EntryType::Char => Kind::Character,
            EntryType::Block => Kind::Block,
            _ => Kind::Regular,
        };
        let header = entry.header();
        if kind.is_hard_link() {
            let to = member.dir.join(OsStr::from_bytes(&member.link));
            let same = status(to.as_os_str().as_bytes(), false)
                .is_ok_and(|to| (to.device, to.inode) == (found.device, found.inode));
            if !same {
                differences.push(format!("Not linked to {}", escaped(&member.link)));
            }
        } else if Kind::of(found.mode) != expected {
            differences.push("File type differs".to_owned());
        } else if kind.is_symlink() {
            let to = fs::read_link(&path)?;
            if to.as_os_str().as_bytes() != member.link.as_slice() {
                differences.push("Symlink differs".to_owned());
            }
        } else {
            if header.mode().unwrap_or(0) & 0o7777 != found.mode & 0o7777 {
                differences.push("Mode differs".to_owned());
            }
            if kind.is_file() {
                let number = |id: io::Result<u64>, other| id.is_ok_and(|id| id != u64::from(other));
                if number(header.uid(), found.uid) {
                    differences.push("Uid differs".to_owned());
                }
                if number(header.gid(), found.gid) {
                    differences.push("Gid differs".to_owned());
                }
                if header.mtime().unwrap_or(0) != found.modified / 1_000_000_000 {
                    differences.push("Mod time differs".to_owned());
                }
                if entry.size() != found.size {
                    differences.push("Size differs".to_owned());
                } else if !same_content(entry, File::open(&path)?)? {
                    differences.push("Contents differ".to_owned());
                }
            }
        }
        for difference in differences {
            writeln!(out, "{shown}: {difference}")?;
            self.code = self.code.max(DIFFERENT);
        }
        Ok(())
    }
}

fn same_content(a: &mut dyn Read, b: File) -> io::Result<bool> {
    let mut b = BufReader::with_capacity(BUFFER, b);
    let (mut left, mut right) = (vec![0; BUFFER], vec![0; BUFFER]);
    loop {
        let len = a.read(&mut left)?;
        if len == 0 {
            return Ok(b.read(&mut right)? == 0);
        }
        if b.read_exact(&mut right[..len]).is_err() || left[..len] != right[..len] {
            return Ok(false);
        }
    }
}
