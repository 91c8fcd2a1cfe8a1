//! Writes members in GNU's format: headers, long names, content, and the end of an archive.

use std::io::{self, Read, Write};

use ::tar::{EntryType, Header};

/// Size of a block of an archive.
pub(super) const BLOCK: u64 = 512;
/// Size of a record; an archive ends at a multiple of it.
const RECORD: u64 = 20 * BLOCK;
/// Longest name that a header holds.
const MAX_NAME: usize = 100;
/// Name of a member that holds the long name of the next one.
const LONG: &[u8] = b"././@LongLink";

/// The end of an archive that is being written.
pub(super) struct Writer<'a> {
    to: &'a mut dyn Write,
    written: u64,
}

impl<'a> Writer<'a> {
    /// Starts after the bytes that are there already.
    pub(super) fn new(to: &'a mut dyn Write, written: u64) -> Self {
        Writer { to, written }
    }

    /// Adds a member. The content must have as many bytes as the header says.
    pub(super) fn add(
        &mut self,
        header: &mut Header,
        name: &[u8],
        link: &[u8],
        content: &mut dyn Read,
    ) -> io::Result<()> {
        if link.len() > MAX_NAME {
            self.long(EntryType::GNULongLink, link)?;
        }
        if name.len() > MAX_NAME {
            self.long(EntryType::GNULongName, name)?;
        }
        let old = header.as_old_mut();
        fill(&mut old.name, name);
        fill(&mut old.linkname, link);
        self.block(header)?;
        let size = io::copy(content, &mut self.to)?;
        self.written += size;
        self.pad(BLOCK)
    }

    fn long(&mut self, kind: EntryType, name: &[u8]) -> io::Result<()> {
        let mut header = Header::new_gnu();
        header.set_entry_type(kind);
        header.set_mode(0o644);
        header.set_uid(0);
        header.set_gid(0);
        header.set_mtime(0);
        header.set_username("root")?;
        header.set_groupname("root")?;
        header.set_size(name.len() as u64 + 1);
        fill(&mut header.as_old_mut().name, LONG);
        self.block(&mut header)?;
        self.to.write_all(name)?;
        self.to.write_all(&[0])?;
        self.written += name.len() as u64 + 1;
        self.pad(BLOCK)
    }

    fn block(&mut self, header: &mut Header) -> io::Result<()> {
        header.set_cksum();
        // GNU ends the checksum with a zero byte and a blank.
        let sum = header.cksum()?;
        header.as_old_mut().cksum.copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        self.to.write_all(header.as_bytes())?;
        self.written += BLOCK;
        Ok(())
    }

    fn pad(&mut self, size: u64) -> io::Result<()> {
        let missing = self.written.next_multiple_of(size) - self.written;
        io::copy(&mut io::repeat(0).take(missing), &mut self.to)?;
        self.written += missing;
        Ok(())
    }

    /// Writes the end of the archive and returns its size.
    pub(super) fn finish(mut self) -> io::Result<u64> {
        io::copy(&mut io::repeat(0).take(2 * BLOCK), &mut self.to)?;
        self.written += 2 * BLOCK;
        self.pad(RECORD)?;
        self.to.flush()?;
        Ok(self.written)
    }
}

/// Fills a field of a header; a name that is too long is cut.
fn fill(field: &mut [u8], text: &[u8]) {
    field.fill(0);
    let len = text.len().min(field.len());
    field[..len].copy_from_slice(&text[..len]);
}
