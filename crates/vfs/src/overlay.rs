//! The lower side of an overlay: reading a real directory into the tree on demand.
//!
//! The entries of a directory become nodes when they are first needed, and the bytes of a file when
//! it is first written. Until then the node records its origin and is read from there. All
//! operations, moving included, treat such a node like any other.

use std::sync::Arc;
use std::time::Duration;

use crate::backend::Listed;
use crate::chunk::{CHUNK, Staged};
use crate::content::Content;
use crate::directory::Directory;
use crate::inode::{Area, Body, Inode, Origin};
use crate::state::ROOT;
use crate::tree::Tree;
use crate::{Caller, Errno, Ino, Interrupt, Kind, Open, Time, Usage};

/// Reads the entries of an overlay's directory into the tree, unless that has been done. If
/// interrupted, the directory stays unread.
pub(crate) fn read_directory(tree: &Tree, ino: Ino, until: &Interrupt) -> Result<(), Errno> {
    let origin = match tree.lock().get(ino)? {
        inode if !inode.directory().is_some_and(|directory| directory.unread) => return Ok(()),
        inode => inode.origin.clone().ok_or(Errno::Io)?,
    };
    let mut found = Vec::new();
    for entry in origin.backend.list(Caller::default(), &origin.path, until)? {
        until.check()?;
        match lower(&origin, &entry) {
            Ok(Some(inode)) => found.push((entry.name, inode)),
            // Removed since it was listed, or of a kind that guests cannot use.
            Ok(None) | Err(Errno::NotFound) => {}
            Err(errno) => return Err(errno),
        }
    }

    let mut state = tree.lock();
    let directory = state.directory(ino)?;
    if directory.unread {
        for (name, inode) in found {
            state.adopt(ino, &name, inode)?;
        }
        state.edit_directory(ino, |directory| {
            directory.unread = false;
            directory.original = Some(directory.entries().cloned().collect());
        })?;
    }
    Ok(())
}

/// Returns the node for an entry of a real directory, or `None` for kinds that guests cannot use.
fn lower(parent: &Origin, entry: &Listed) -> Result<Option<Inode>, Errno> {
    let origin =
        Origin { backend: Arc::clone(&parent.backend), path: parent.path.join(&entry.name) };
    let stat = origin.backend.stat(Caller::default(), &origin.path)?;
    let body = match stat.kind {
        Kind::File => Body::Lower(stat.size),
        Kind::Directory => {
            let mut directory = Directory::new(ROOT, "".into(), ROOT);
            directory.unread = true;
            Body::Directory(directory)
        }
        Kind::Link => Body::Link(origin.backend.read_link(Caller::default(), &origin.path)?.into()),
        Kind::Device(_) | Kind::Other => return Ok(None),
    };
    Ok(Some(Inode {
        accessed: stat.accessed,
        modified: stat.modified,
        changed: stat.changed,
        area: Area::Free,
        origin: Some(Arc::new(origin)),
        ..Inode::new(body, stat.mode, Time(0))
    }))
}

/// Bytes that a copy reads between two looks at the end of its run. Without readahead, larger reads
/// keep a disk busy.
const COPIED_AT_ONCE: usize = 4 * CHUNK;

/// Bytes that are freed without a pause.
const FREED_AT_ONCE: u64 = 16 * CHUNK as u64;

/// Time in which other threads can allocate, between two such pieces.
const PAUSE: Duration = Duration::from_micros(500);

/// Frees a copy that is not needed any more on a thread of its own: freeing 100 MB takes 10 ms, and
/// the run that wanted the copy is over. In pieces and from the end, because the allocator gives
/// the end of its heap back to the system, 64 MB at once if it can, and nobody else can allocate
/// meanwhile.
fn discard(mut content: Content) {
    let free = move || {
        while content.size() > 0 {
            content.resize(content.size().saturating_sub(FREED_AT_ONCE));
            std::thread::sleep(PAUSE);
        }
    };
    // Without a thread, the copy is freed here.
    let _ = std::thread::Builder::new().name("cofferdam-discard".into()).spawn(free);
}

/// Copies the bytes of an overlay's file into the tree, unless that has been done. Charged before a
/// byte is read. If interrupted, the file keeps its original bytes.
pub(crate) fn copy_up(tree: &Tree, ino: Ino, until: &Interrupt) -> Result<(), Errno> {
    let (origin, limit) = {
        let state = tree.lock();
        let inode = state.get(ino)?;
        let Body::Lower(size) = inode.body else { return Ok(()) };
        state.afford(Usage::bytes(size))?;
        let room = state.limits.bytes.saturating_sub(state.used.bytes);
        (inode.origin.clone().ok_or(Errno::Io)?, room)
    };
    let file = origin.backend.open(Caller::default(), &origin.path, Open::to_read())?;
    // The kernel may be set to fetch megabytes ahead, and no read can be interrupted.
    file.without_readahead();
    let mut content = Content::default();
    let mut buffer = vec![0; COPIED_AT_ONCE];
    loop {
        if let Err(stopped) = until.check() {
            discard(content);
            return Err(stopped);
        }
        let at = content.size();
        let len = file.read_at(at, &mut buffer)?;
        if len == 0 {
            break;
        }
        // The file may have grown since its size was read.
        if at + len as u64 > limit {
            return Err(Errno::NoSpace);
        }
        let bytes = &buffer[..len];
        content.write(at, bytes, Staged::new(at, bytes));
    }

    let mut state = tree.lock();
    if matches!(state.get(ino)?.body, Body::Lower(_)) {
        state.afford(Usage::bytes(content.cost()))?;
        state.edit(ino, |inode| inode.body = Body::File(content))?;
    }
    Ok(())
}
