//! The table of open descriptors, and host calls about files.

use std::cell::RefCell;
use std::collections::BTreeMap;

use cofferdam_abi::call::ToolCall;
use cofferdam_abi::frame::Status;
use cofferdam_abi::value::{self, Value};
use cofferdam_abi::wire::Writer;

use super::{Errno, Result, kind_number};
use crate::files::{OpenFile, Write};
use crate::{host, refusal};

/// Descriptor of the root folder.
pub(super) const ROOT: u32 = 3;

/// Most descriptors that are open at once.
const MOST: usize = 1024;

/// An open descriptor.
pub(super) enum Descriptor {
    /// Standard input, output or error.
    Stream(u8),
    /// A folder, with its entries once they were listed.
    Folder { path: String, listed: Option<Vec<(String, u8)>> },
    /// A file.
    File(OpenFile),
}

thread_local! {
    static TABLE: RefCell<BTreeMap<u32, Descriptor>> = const { RefCell::new(BTreeMap::new()) };
}

/// Runs `f` with the descriptor of this number.
pub(super) fn with<T>(fd: u32, f: impl FnOnce(&mut Descriptor) -> Result<T>) -> Result<T> {
    TABLE.with_borrow_mut(|table| {
        if table.is_empty() {
            for fd in 0..ROOT {
                table.insert(fd, Descriptor::Stream(fd as u8));
            }
            table.insert(ROOT, Descriptor::Folder { path: "/".into(), listed: None });
        }
        f(table.get_mut(&fd).ok_or(Errno::EBADF)?)
    })
}

/// Opens a descriptor under the first free number.
pub(super) fn open(descriptor: Descriptor) -> Result<u32> {
    with(ROOT, |_| Ok(())).ok();
    TABLE.with_borrow_mut(|table| {
        if table.len() >= MOST {
            return Err(Errno::EMFILE);
        }
        let fd = (0..).find(|fd| !table.contains_key(fd)).ok_or(Errno::EMFILE)?;
        table.insert(fd, descriptor);
        Ok(fd)
    })
}

/// Closes a descriptor and sends what was written to it.
pub(super) fn close(fd: u32) -> Result<()> {
    let closed = TABLE.with_borrow_mut(|table| table.remove(&fd)).ok_or(Errno::EBADF)?;
    match closed {
        Descriptor::File(mut file) => send(&mut file),
        Descriptor::Stream(_) | Descriptor::Folder { .. } => Ok(()),
    }
}

/// Makes `to` the descriptor that `from` was.
pub(super) fn renumber(from: u32, to: u32) -> Result<()> {
    let moved = TABLE.with_borrow_mut(|table| table.remove(&from)).ok_or(Errno::EBADF)?;
    let replaced = TABLE.with_borrow_mut(|table| table.insert(to, moved));
    match replaced {
        Some(Descriptor::File(mut file)) => send(&mut file),
        Some(Descriptor::Stream(_) | Descriptor::Folder { .. }) | None => Ok(()),
    }
}

/// Sends what was written to a file.
pub(super) fn send(file: &mut OpenFile) -> Result<()> {
    let sent = match file.pending() {
        None => return Ok(()),
        Some(Write::Append(bytes)) => write(&file.path, true, bytes),
        Some(Write::Replace(bytes)) => write(&file.path, false, bytes),
    };
    file.settle();
    sent
}

/// Sends what was written to the files that are open; errors are lost, as when a process exits.
pub(crate) fn flush_all() {
    TABLE.with_borrow_mut(|table| {
        for descriptor in table.values_mut() {
            if let Descriptor::File(file) = descriptor {
                let _ = send(file);
            }
        }
    });
}

/// Sends what was written to files below a path, before the host looks at them.
pub(super) fn flush_path(path: &str) {
    TABLE.with_borrow_mut(|table| {
        for descriptor in table.values_mut() {
            if let Descriptor::File(file) = descriptor
                && file.pending().is_some()
                && file.path.starts_with(path)
            {
                let _ = send(file);
            }
        }
    });
}

/// Makes a call about files and returns the bytes of its answer.
pub(super) fn ask(
    call: ToolCall,
    fields: impl FnOnce(&mut Writer) -> &mut Writer,
) -> Result<Vec<u8>> {
    if !host::is_live() {
        return Err(Errno::ENOENT);
    }
    refusal::forget();
    let mut answer = host::call(call, fields);
    if let Some(ticket) = answer.ticket() {
        if answer.is_asked() {
            super::tell_place(ticket);
        }
        answer = host::wait(ticket);
    } else if answer.status == Status::Refused && refusal::is_denial(&answer.payload) {
        super::tell_place(0);
    }
    match answer.status {
        Status::Done => Ok(answer.payload),
        Status::Refused | Status::Pending => Err(refusal::errno(&answer.payload)),
    }
}

/// Makes a call about files whose answer is a value.
pub(super) fn ask_value(
    call: ToolCall,
    fields: impl FnOnce(&mut Writer) -> &mut Writer,
) -> Result<Value> {
    value::decode(&ask(call, fields)?).map_err(|_| Errno::EIO)
}

pub(super) fn write(path: &str, append: bool, bytes: &[u8]) -> Result<()> {
    ask(ToolCall::FileWrite, |w| w.str(path).u8(u8::from(append)).raw(bytes)).map(drop)
}

/// Returns name and kind of the entries of a folder.
pub(super) fn list(path: &str) -> Result<Vec<(String, u8)>> {
    flush_path(path);
    let Value::Array(entries) = ask_value(ToolCall::FileList, |w| w.str(path))? else {
        return Err(Errno::EIO);
    };
    let named = entries.into_iter().filter_map(|entry| match entry {
        Value::Array(pair) => match <[Value; 2]>::try_from(pair) {
            Ok([Value::String(name), Value::String(kind)]) => Some((name, kind_number(&kind))),
            _ => None,
        },
        _ => None,
    });
    Ok(named.collect())
}
