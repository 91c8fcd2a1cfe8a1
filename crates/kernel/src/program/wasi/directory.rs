//! Listing directories.

use cofferdam_vfs::raw;

use super::Done;
use super::stat::kind_code;
use crate::program::errno::Errno;
use crate::program::memory::Memory;
use crate::program::process::Process;
use crate::program::rights::Rights;

/// Bytes before an entry's name.
const HEADER: usize = 24;

/// Entries taken from the files at once.
const BATCH: usize = 64;

/// Fills the buffer with entries from `cookie` on. The last entry may be cut; a buffer that is not
/// full marks the end.
#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn read(
    p: &Process,
    m: &mut Memory<'_>,
    fd: u64,
    (at, len): (u64, u64),
    cookie: u64,
    out: u64,
) -> Done {
    let descriptor = p.descriptors.get(fd)?;
    let directory = descriptor.directory()?;
    if !descriptor.base.covers(Rights::FD_READDIR) {
        return Err(Errno::BadDescriptor);
    }
    m.u32(out)?;
    let mut room = m.bytes_mut(at, len)?;
    let mut from = cookie;
    'full: loop {
        let most = BATCH.min(room.len() / HEADER + 1);
        let entries = directory.entries(from, most, p.system.now())?;
        let Some(last) = entries.last() else { break };
        from = last.next;
        for entry in &entries {
            let name = raw::bytes(&entry.name);
            let mut header = [0; HEADER];
            header[..8].copy_from_slice(&entry.next.to_le_bytes());
            header[8..16].copy_from_slice(&entry.ino.0.to_le_bytes());
            header[16..20].copy_from_slice(&(name.len() as u32).to_le_bytes());
            header[20] = kind_code(entry.kind);
            for bytes in [&header, &*name] {
                let len = bytes.len().min(room.len());
                let (start, rest) = room.split_at_mut(len);
                start.copy_from_slice(&bytes[..len]);
                room = rest;
            }
            if room.is_empty() {
                break 'full;
            }
        }
    }
    let used = len as usize - room.len();
    m.write(out, &(used as u32).to_le_bytes())
}
