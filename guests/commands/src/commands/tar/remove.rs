//! Takes members out of an archive.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};

use ::tar::Archive;

use super::create::stored_size;
use super::writer::{BLOCK, Writer};
use super::{Tar, about};

impl Tar {
    /// Deletes the members that the command line names, in place.
    pub(super) fn delete(&mut self) -> io::Result<()> {
        let Some(name) = self.settings.file.clone() else {
            return Err(io::Error::other("no archive is named"));
        };
        let failed = |error: io::Error| about(name.to_string_lossy(), "Cannot open", &error);
        let mut source = File::open(&name).map_err(failed)?;
        let mut seen = vec![false; self.settings.names.len()];
        // The parts of the archive that stay, from one end to the next: headers that hold long
        // names belong to the member after them.
        let (mut kept, mut end) = (Vec::new(), 0);
        for entry in Archive::new(&mut source).entries()? {
            let entry = entry?;
            let start = end;
            end = entry.raw_file_position() + stored_size(&entry).div_ceil(BLOCK) * BLOCK;
            let name = entry.path_bytes();
            let bare = name.strip_suffix(b"/").unwrap_or(&name);
            let mut doomed = false;
            for ((_, rule), seen) in self.settings.names.iter().zip(&mut seen) {
                if rule.covers(bare) {
                    (*seen, doomed) = (true, true);
                }
            }
            if !doomed {
                kept.push((start, end));
            }
        }
        let mut target = OpenOptions::new().write(true).open(&name).map_err(failed)?;
        let mut written = 0;
        for (start, end) in kept {
            if start == written {
                written = target.seek(SeekFrom::Start(end))?;
                continue;
            }
            // Parts only move towards the start, so that nothing is overwritten before it is read.
            source.seek(SeekFrom::Start(start))?;
            written += io::copy(&mut (&source).take(end - start), &mut target)?;
        }
        let size = Writer::new(&mut target, written).finish()?;
        target.set_len(size)?;
        self.missing(&seen);
        Ok(())
    }
}
