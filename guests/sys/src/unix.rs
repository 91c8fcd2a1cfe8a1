//! System calls on a real Unix, for tests: each process is an operating system process.

use std::ffi::{CString, OsString, c_char};
use std::io;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use cofferdam_abi::process::FileStatus;

use crate::{Fd, Myself, Pid, Spawn, Status, Which};

pub(crate) const OPEN_FLAGS: i32 = libc::O_CLOEXEC;

/// Lowest number for parked descriptors, above any number a script uses.
pub(crate) const PARKED: Fd = 200;

/// Environment variable with the descriptor number of a child's state.
const STATE_VARIABLE: &str = "COFFERDAM_STATE_FD";

/// Highest signal number handled.
const LAST_SIGNAL: u8 = 31;

/// Returns the descriptor for a script number.
pub fn number(script: u32) -> Fd {
    script as Fd
}

fn checked(answer: libc::c_int) -> io::Result<libc::c_int> {
    if answer < 0 { Err(io::Error::last_os_error()) } else { Ok(answer) }
}

fn c_string(bytes: &[u8]) -> io::Result<CString> {
    CString::new(bytes).map_err(|_| io::Error::from_raw_os_error(libc::EINVAL))
}

fn pointers(list: &[CString]) -> Vec<*const c_char> {
    list.iter().map(|s| s.as_ptr()).chain([std::ptr::null()]).collect()
}

/// Starts a process and returns its number.
pub fn spawn(spawn: &Spawn<'_>) -> io::Result<Pid> {
    let mut program = c_string(spawn.program)?;
    if !spawn.program.contains(&b'/') {
        // The shell is the only built-in command here; every other program needs a path.
        if !matches!(spawn.program, b"sh" | b"bash") {
            return Err(io::Error::from_raw_os_error(libc::ENOENT));
        }
        program = c_string(std::env::current_exe()?.as_os_str().as_bytes())?;
    }
    let mut env = spawn.env.iter().map(|v| c_string(v)).collect::<io::Result<Vec<_>>>()?;
    let mut descriptors = spawn.descriptors.clone();
    let mut state = None;
    if !spawn.state.is_empty() {
        let fd = keep(spawn.state)?;
        state = Some(fd);
        // A number that no script uses, so that it takes none of the child's script numbers.
        descriptors.push((STATE_NUMBER, fd));
        program = c_string(std::env::current_exe()?.as_os_str().as_bytes())?;
        env.push(c_string(format!("{STATE_VARIABLE}={STATE_NUMBER}").as_bytes())?);
    }
    let argv = spawn.argv.iter().map(|v| c_string(v)).collect::<io::Result<Vec<_>>>()?;
    let cwd = c_string(spawn.cwd)?;
    let (argv_at, env_at) = (pointers(&argv), pointers(&env));
    let (failure, report) = pipe()?;
    // SAFETY: the child calls only `become_program`, which makes async-signal-safe calls until exec.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        // SAFETY: this is the forked child. The pointer arrays end with a null pointer, and their
        // strings (`argv`, `env`) are alive until exec.
        unsafe { become_program(&program, &argv_at, &env_at, &cwd, &descriptors, report) }
    }
    let _ = crate::close(report);
    if let Some(fd) = state {
        let _ = crate::close(fd);
    }
    let answer = checked(pid).and_then(|pid| {
        let mut errno = [0; 4];
        match crate::read(failure, &mut errno) {
            Ok(4) => {
                let mut status = 0;
                // SAFETY: `status` is valid for writes, and `pid` is a child that has not been
                // waited for.
                unsafe { libc::waitpid(pid, &mut status, 0) };
                Err(io::Error::from_raw_os_error(i32::from_le_bytes(errno)))
            }
            _ => Ok(pid as Pid),
        }
    });
    let _ = crate::close(failure);
    answer
}

/// Descriptor number of the state in a child.
const STATE_NUMBER: u32 = 199;

/// Turns a forked child into the given program; on failure writes the errno to `report` and exits.
///
/// # Safety
///
/// Must run in a freshly forked child. `argv` and `env` must end with a null pointer, and their
/// other entries must point to live C strings.
unsafe fn become_program(
    program: &CString,
    argv: &[*const c_char],
    env: &[*const c_char],
    cwd: &CString,
    descriptors: &[(u32, Fd)],
    report: Fd,
) -> ! {
    /// Lowest number of the temporary copies, above all numbers assigned in the child.
    const WAITING: Fd = 400;
    // SAFETY: `program`, `cwd`, `argv` and `env` are live and terminated by contract; `none` and
    // `errno` are locals; the other calls take only descriptor and signal numbers. Nothing here
    // allocates or takes a lock.
    unsafe {
        let mut sources = [0; 256];
        let count = descriptors.len().min(sources.len());
        for (source, (_, fd)) in sources.iter_mut().zip(descriptors) {
            *source = libc::fcntl(*fd, libc::F_DUPFD_CLOEXEC, WAITING);
        }
        for fd in 0..3 {
            libc::close(fd);
        }
        for (source, (child, _)) in sources[..count].iter().zip(descriptors) {
            libc::dup2(*source, *child as Fd);
        }
        for fd in 0..STATE_NUMBER {
            if !descriptors.iter().any(|(child, _)| *child == fd) {
                libc::close(fd as Fd);
            }
        }
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &none, std::ptr::null_mut());
        // A removed directory cannot be entered again; the child then starts in the parent's.
        libc::chdir(cwd.as_ptr());
        libc::execve(program.as_ptr(), argv.as_ptr(), env.as_ptr());
        let errno = io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO).to_le_bytes();
        libc::write(report, errno.as_ptr().cast(), 4);
        libc::_exit(127)
    }
}

/// Writes the state to an anonymous file and returns its descriptor, positioned at the start.
fn keep(state: &[u8]) -> io::Result<Fd> {
    // SAFETY: the name is a NUL-terminated literal.
    let fd = checked(unsafe { libc::memfd_create(c"state".as_ptr(), libc::MFD_CLOEXEC) })?;
    let fd = parked(fd)?;
    crate::write_all(fd, state)?;
    // SAFETY: `lseek` accesses no memory.
    unsafe { libc::lseek(fd, 0, libc::SEEK_SET) };
    Ok(fd)
}

fn parked(fd: Fd) -> io::Result<Fd> {
    let moved = copy(fd, PARKED);
    crate::close(fd)?;
    moved
}

/// Waits for a child to end. Returns `None` if `nohang` is set and no child has ended.
pub fn wait(which: Which, nohang: bool) -> io::Result<Option<(Pid, Status)>> {
    let pid = match which {
        Which::Any => -1,
        Which::One(pid) => pid as libc::pid_t,
    };
    let mut status = 0;
    // SAFETY: `status` is valid for writes.
    let pid = checked(unsafe {
        libc::waitpid(pid, &mut status, if nohang { libc::WNOHANG } else { 0 })
    })?;
    if pid == 0 {
        return Ok(None);
    }
    let status = if libc::WIFSIGNALED(status) {
        Status::Killed(libc::WTERMSIG(status) as u8)
    } else {
        Status::Exited(libc::WEXITSTATUS(status) as u8)
    };
    Ok(Some((pid as Pid, status)))
}

/// Sends a signal. Signal 0 only checks that the process exists.
pub fn kill(pid: Pid, signal: u8) -> io::Result<()> {
    // SAFETY: `kill` accesses no memory of this process.
    checked(unsafe { libc::kill(pid as libc::pid_t, i32::from(signal)) }).map(drop)
}

fn is_open(fd: Fd) -> bool {
    // SAFETY: `F_GETFL` accesses no memory of this process.
    unsafe { libc::fcntl(fd, libc::F_GETFL) >= 0 }
}

/// Does nothing: the operating system already started the process there.
pub fn begin_in(_cwd: &[u8]) {}

/// Returns information about this process.
pub fn myself() -> io::Result<Myself> {
    let mut state = Vec::new();
    if let Some(fd) = std::env::var(STATE_VARIABLE).ok().and_then(|fd| fd.parse().ok()) {
        let mut buf = [0; 65536];
        loop {
            match crate::read(fd, &mut buf)? {
                0 => break,
                len => state.extend_from_slice(&buf[..len]),
            }
        }
        crate::close(fd)?;
        // SAFETY: this program has one thread, so no other thread reads the environment.
        unsafe { std::env::remove_var(STATE_VARIABLE) };
    }
    let mut ignored = 0;
    for signal in (1..=LAST_SIGNAL).filter(|signal| i32::from(*signal) != libc::SIGPIPE) {
        // SAFETY: an all-zero `sigaction` is valid, and `action` is valid for writes. A null new
        // action changes nothing.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            libc::sigaction(i32::from(signal), std::ptr::null(), &mut action);
            if action.sa_sigaction == libc::SIG_IGN {
                ignored |= 1 << signal;
            }
        }
    }
    Ok(Myself {
        pid: std::process::id(),
        parent: std::os::unix::process::parent_id(),
        cwd: std::env::current_dir().unwrap_or_default().into_os_string().into_vec(),
        state,
        ignored,
        args: std::env::args_os().map(OsString::into_vec).collect(),
        environment: std::env::vars_os()
            .map(|(name, value)| [name.into_vec(), value.into_vec()].join(&b'='))
            .collect(),
        open: crate::LISTED.map(number).filter(|fd| is_open(*fd)).collect(),
        now: SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default(),
    })
}

pub(crate) fn pipe() -> io::Result<(Fd, Fd)> {
    let mut ends = [0; 2];
    // SAFETY: `ends` has room for the two descriptors.
    checked(unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) })?;
    Ok((parked(ends[0])?, parked(ends[1])?))
}

pub(crate) fn copy(fd: Fd, least: Fd) -> io::Result<Fd> {
    // SAFETY: `F_DUPFD_CLOEXEC` accesses no memory of this process.
    checked(unsafe { libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, least) })
}

pub(crate) fn replace(fd: Fd, to: Fd) -> io::Result<()> {
    // SAFETY: `dup2` accesses no memory of this process.
    checked(unsafe { libc::dup2(fd, to) }).map(drop)
}

static CAUGHT: AtomicU64 = AtomicU64::new(0);
static SET_CAUGHT: AtomicU64 = AtomicU64::new(0);
static SET_IGNORED: AtomicU64 = AtomicU64::new(0);

extern "C" fn note(signal: libc::c_int) {
    CAUGHT.fetch_or(1 << signal, Ordering::SeqCst);
}

/// Takes the signals received since the last call, in numerical order.
pub fn signals_take() -> Vec<u8> {
    let caught = CAUGHT.swap(0, Ordering::SeqCst);
    (1..=LAST_SIGNAL).filter(|signal| caught & (1 << signal) != 0).collect()
}

/// Sets which signals are caught and ignored, bit `n` for signal `n`; all others kill the process.
pub fn signals_set(caught: u64, ignored: u64) -> io::Result<()> {
    let before =
        (SET_CAUGHT.swap(caught, Ordering::SeqCst), SET_IGNORED.swap(ignored, Ordering::SeqCst));
    for signal in 1..=LAST_SIGNAL {
        let bit = 1u64 << signal;
        if (before.0 & bit, before.1 & bit) == (caught & bit, ignored & bit) {
            continue;
        }
        let handler = if caught & bit != 0 {
            note as *const () as libc::sighandler_t
        } else if ignored & bit != 0 {
            libc::SIG_IGN
        } else {
            libc::SIG_DFL
        };
        // SAFETY: an all-zero `sigaction` is valid, and the handler only updates an atomic, which
        // is async-signal-safe. Without `SA_RESTART`, blocking calls fail with `EINTR`.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handler;
            libc::sigaction(i32::from(signal), &action, std::ptr::null_mut());
        }
    }
    Ok(())
}

pub(crate) fn stat(path: &[u8], follow: bool) -> io::Result<FileStatus> {
    use std::os::unix::fs::MetadataExt as _;
    let path = std::path::Path::new(std::ffi::OsStr::from_bytes(path));
    let meta = if follow { path.metadata() } else { path.symlink_metadata() }?;
    let nanos = |s: i64, n: i64| (s.max(0) as u64) * 1_000_000_000 + n as u64;
    Ok(FileStatus {
        mode: meta.mode(),
        links: meta.nlink() as u32,
        uid: meta.uid(),
        gid: meta.gid(),
        device: meta.dev(),
        inode: meta.ino(),
        size: meta.size(),
        accessed: nanos(meta.atime(), meta.atime_nsec()),
        modified: nanos(meta.mtime(), meta.mtime_nsec()),
        changed: nanos(meta.ctime(), meta.ctime_nsec()),
    })
}

pub(crate) fn chmod(path: &[u8], mode: u32) -> io::Result<()> {
    let path = c_string(path)?;
    // SAFETY: `path` is NUL-terminated and outlives the call.
    checked(unsafe { libc::chmod(path.as_ptr(), mode) }).map(drop)
}

pub(crate) fn mkfifo(path: &[u8], mode: u32) -> io::Result<()> {
    let path = c_string(path)?;
    // SAFETY: `path` is NUL-terminated and outlives the call.
    checked(unsafe { libc::mkfifo(path.as_ptr(), mode) }).map(drop)
}

pub(crate) fn umask(mask: u32) -> u32 {
    // SAFETY: `umask` accesses no memory of this process.
    unsafe { libc::umask(mask) }
}

/// Does nothing: outside a cell there is no next run.
pub fn keep_environment(_cwd: &[u8], _variables: &[&[u8]]) -> io::Result<()> {
    Ok(())
}
