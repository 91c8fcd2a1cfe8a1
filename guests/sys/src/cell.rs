//! System calls inside a cell. Every call is one request frame through a single host import.

use std::cell::RefCell;
use std::ffi::{CString, c_char, c_int};
use std::io;
use std::os::wasi::ffi::OsStrExt as _;
use std::time::Duration;

use cofferdam_abi::call::{ProgramCall, TAKE};
use cofferdam_abi::frame::{self, REQUEST_HEADER, Refusal};
use cofferdam_abi::process::{self as abi, FileStatus};
use cofferdam_abi::wire::{Reader, Writer};

use crate::{Fd, HostError, Myself, Pid, Spawn, Status, Which, errno};

#[link(wasm_import_module = "cofferdam")]
unsafe extern "C" {
    #[link_name = "call"]
    fn import(request: *const u8, request_len: u32, answer: *mut u8, answer_cap: u32) -> u32;
}

/// No flag is needed: a child inherits only the descriptors that [`Spawn::descriptors`] lists.
pub(crate) const OPEN_FLAGS: i32 = 0;

/// Lowest number for parked descriptors; lower numbers are the standard streams and the root
/// directory.
pub(crate) const PARKED: Fd = 4;

/// Offset of script numbers from 3 on.
const SCRIPT_BASE: Fd = 1000;

/// Returns the descriptor for a script number.
pub fn number(script: u32) -> Fd {
    let script = script as Fd;
    if script < 3 { script } else { script.saturating_add(SCRIPT_BASE) }
}

/// Size of the answer buffer on the stack; longer answers need an allocation and a second call.
const ROOM: usize = 1024;

thread_local! {
    static REQUEST: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Makes one call and passes the fields of its answer to `read`; errors become errno values.
fn call<T>(
    which: ProgramCall,
    fields: impl FnOnce(&mut Writer),
    read: impl FnOnce(&mut Reader<'_>) -> cofferdam_abi::wire::Result<T>,
) -> io::Result<T> {
    try_call(which, fields, read).map_err(|refused| match errno::number(&refused.name) {
        Some(number) => io::Error::from_raw_os_error(number),
        None => io::Error::other(refused.message),
    })
}

/// Makes one call like [`call`], but returns the host's full error rather than an errno.
pub(crate) fn try_call<T>(
    which: ProgramCall,
    fields: impl FnOnce(&mut Writer),
    read: impl FnOnce(&mut Reader<'_>) -> cofferdam_abi::wire::Result<T>,
) -> Result<T, HostError> {
    let mut buf = REQUEST.take();
    buf.clear();
    buf.extend_from_slice(&which.number().to_le_bytes());
    buf.extend_from_slice(&[0; 4]);
    let mut writer = Writer::onto(buf);
    fields(&mut writer);
    let mut request = writer.finish();
    let len = (request.len() - REQUEST_HEADER) as u32;
    request[2..REQUEST_HEADER].copy_from_slice(&len.to_le_bytes());
    let answer = cross(&request, |bytes| understand(bytes, read));
    if request.capacity() <= 64 * 1024 {
        REQUEST.set(request);
    }
    answer
}

fn cross<T>(request: &[u8], f: impl FnOnce(&[u8]) -> T) -> T {
    let mut room = [0; ROOM];
    // SAFETY: `request` and `room` are live for the call and at least as long as the lengths
    // passed; the host reads the first and writes at most `ROOM` bytes to the second.
    let len =
        unsafe { import(request.as_ptr(), request.len() as u32, room.as_mut_ptr(), ROOM as u32) }
            as usize;
    if len <= ROOM {
        return f(&room[..len]);
    }
    let mut long = vec![0; len];
    let mut take = [0; REQUEST_HEADER];
    take[..2].copy_from_slice(&TAKE.to_le_bytes());
    // SAFETY: `take` and `long` are live for the call and have exactly the lengths passed; the host
    // writes at most `len` bytes to `long`.
    unsafe { import(take.as_ptr(), take.len() as u32, long.as_mut_ptr(), len as u32) };
    f(&long)
}

fn understand<T>(
    bytes: &[u8],
    read: impl FnOnce(&mut Reader<'_>) -> cofferdam_abi::wire::Result<T>,
) -> Result<T, HostError> {
    let strange = |_| HostError::plain("malformed answer from the host");
    let answer = frame::next_answer(&mut Reader::new(bytes)).map_err(strange)?;
    match answer.status {
        frame::Status::Done => read(&mut Reader::new(answer.payload)).map_err(strange),
        frame::Status::Refused => {
            let refusal = Refusal::read(answer.payload).map_err(strange)?;
            let kind = refusal.members.iter().find(|(name, _)| *name == "kind");
            Err(HostError {
                name: refusal.name.to_owned(),
                message: refusal.message.to_owned(),
                kind: kind.map_or_else(String::new, |(_, kind)| (*kind).to_owned()),
            })
        }
        frame::Status::Pending => {
            Err(HostError::plain("the host deferred an answer that was due at once"))
        }
    }
}

/// Starts a process and returns its number.
pub fn spawn(spawn: &Spawn<'_>) -> io::Result<Pid> {
    let packed = abi::Spawn {
        program: spawn.program,
        argv: spawn.argv.clone(),
        env: spawn.env.clone(),
        cwd: spawn.cwd,
        descriptors: spawn
            .descriptors
            .iter()
            .map(|&(script, fd)| (number(script) as u32, fd as u32))
            .collect(),
        state: spawn.state,
    };
    call(ProgramCall::ProcessSpawn, |w| packed.write(w), |r| r.u32())
}

/// Waits for a child to end. Returns `None` if `nohang` is set and no child has ended.
pub fn wait(which: Which, nohang: bool) -> io::Result<Option<(Pid, Status)>> {
    let pid = match which {
        Which::Any => 0,
        Which::One(pid) => pid,
    };
    let (pid, status) = call(
        ProgramCall::ProcessWait,
        |w| {
            w.u32(pid).u8(u8::from(nohang));
        },
        |r| Ok((r.u32()?, r.u32()?)),
    )?;
    if pid == 0 {
        return Ok(None);
    }
    let status = match status.checked_sub(256) {
        Some(signal) => Status::Killed(signal as u8),
        None => Status::Exited(status as u8),
    };
    Ok(Some((pid, status)))
}

/// Sends a signal. Signal 0 only checks that the process exists.
pub fn kill(pid: Pid, signal: u8) -> io::Result<()> {
    call(
        ProgramCall::ProcessKill,
        |w| {
            w.u32(pid).u8(signal);
        },
        |_| Ok(()),
    )
}

/// Returns information about this process.
pub fn myself() -> io::Result<Myself> {
    call(
        ProgramCall::ProcessMyself,
        |_| (),
        |r| {
            let me = abi::Myself::read(r)?;
            Ok(Myself {
                pid: me.pid,
                parent: me.parent,
                cwd: me.cwd.to_vec(),
                state: me.state.to_vec(),
                ignored: me.ignored,
                args: me.argv.into_iter().map(<[u8]>::to_vec).collect(),
                environment: me.env.into_iter().map(<[u8]>::to_vec).collect(),
                open: me.open.into_iter().map(|fd| fd as Fd).collect(),
                now: Duration::from_nanos(me.now),
            })
        },
    )
}

/// Sets the C library's working directory to the one the host started this process in. Must be
/// called once, before any other call; `chdir` would cost five host calls to check the path.
pub fn begin_in(cwd: &[u8]) {
    unsafe extern "C" {
        static mut __wasilibc_cwd: *const c_char;
    }
    // The C library resolves relative paths only in programs that link `chdir`; this reference
    // links it.
    std::hint::black_box(libc::chdir as unsafe extern "C" fn(*const c_char) -> c_int);
    let Ok(cwd) = CString::new(cwd) else { return };
    if !cwd.is_empty() {
        // SAFETY: the cell has one thread, so nothing else accesses the static. The string is
        // leaked, so it outlives every read; the C library frees only strings that it allocated
        // itself.
        unsafe { __wasilibc_cwd = cwd.into_raw() };
    }
}

pub(crate) fn pipe() -> io::Result<(Fd, Fd)> {
    call(ProgramCall::PipeNew, |_| (), |r| Ok((r.u32()? as Fd, r.u32()? as Fd)))
}

pub(crate) fn copy(fd: Fd, least: Fd) -> io::Result<Fd> {
    call(
        ProgramCall::DescriptorCopy,
        |w| {
            w.u32(fd as u32).u32(least as u32);
        },
        |r| Ok(r.u32()? as Fd),
    )
}

pub(crate) fn replace(fd: Fd, to: Fd) -> io::Result<()> {
    call(
        ProgramCall::DescriptorReplace,
        |w| {
            w.u32(fd as u32).u32(to as u32);
        },
        |_| Ok(()),
    )
}

/// Takes the signals received since the last call, in order of arrival.
pub fn signals_take() -> Vec<u8> {
    call(
        ProgramCall::SignalTake,
        |_| (),
        |r| {
            let len = r.remaining();
            r.take(len).map(<[u8]>::to_vec)
        },
    )
    .unwrap_or_default()
}

/// Sets which signals are caught and ignored, bit `n` for signal `n`; all others kill the process.
pub fn signals_set(caught: u64, ignored: u64) -> io::Result<()> {
    call(
        ProgramCall::SignalSet,
        |w| {
            w.u64(caught).u64(ignored);
        },
        |_| Ok(()),
    )
}

pub(crate) fn stat(path: &[u8], follow: bool) -> io::Result<FileStatus> {
    let path = absolute(path)?;
    call(
        ProgramCall::FileStat,
        |w| {
            w.u8(u8::from(follow)).bytes(&path);
        },
        |r| FileStatus::read(r),
    )
}

pub(crate) fn chmod(path: &[u8], mode: u32) -> io::Result<()> {
    let path = absolute(path)?;
    call(
        ProgramCall::FileMode,
        |w| {
            w.u32(mode).bytes(&path);
        },
        |_| Ok(()),
    )
}

pub(crate) fn mkfifo(path: &[u8], mode: u32) -> io::Result<()> {
    let path = absolute(path)?;
    call(
        ProgramCall::FifoMake,
        |w| {
            w.u32(mode).bytes(&path);
        },
        |_| Ok(()),
    )
}

pub(crate) fn umask(mask: u32) -> u32 {
    call(
        ProgramCall::ProcessMask,
        |w| {
            w.u32(mask);
        },
        |r| r.u32(),
    )
    .unwrap_or(0o022)
}

/// Saves the working directory and environment for the sandbox's next run. The host honours this
/// call only from the first process of a run.
pub fn keep_environment(cwd: &[u8], variables: &[&[u8]]) -> io::Result<()> {
    let environment = abi::Environment { cwd, variables: variables.to_vec() };
    call(ProgramCall::EnvironmentKeep, |w| environment.write(w), |_| Ok(()))
}

/// Makes a path absolute: the host has no working directory, only the C library does.
fn absolute(path: &[u8]) -> io::Result<Vec<u8>> {
    if path.is_empty() {
        return Err(io::Error::from_raw_os_error(libc::ENOENT));
    }
    if path[0] == b'/' {
        return Ok(path.to_vec());
    }
    let mut full = std::env::current_dir()?.as_os_str().as_bytes().to_vec();
    if full.last() != Some(&b'/') {
        full.push(b'/');
    }
    full.extend_from_slice(path);
    Ok(full)
}
