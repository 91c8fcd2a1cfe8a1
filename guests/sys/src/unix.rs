//! The system of a real Unix, for tests: processes are processes.

use std::ffi::{CString, OsString, c_char};
use std::io;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use cofferdam_abi::process::FileStatus;

use crate::{Fd, Myself, Pid, Spawn, Status, Which};

pub(crate) const OPEN_FLAGS: i32 = libc::O_CLOEXEC;

/// High enough that scripts do not name such a number.
pub(crate) const PARKED: Fd = 200;

/// Tells a child where its state is.
const STATE_VARIABLE: &str = "COFFERDAM_STATE_FD";

/// Signals come as numbers up to this one.
const LAST_SIGNAL: u8 = 31;

/// The descriptor that a script number stands for.
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

/// Starts a process.
pub fn spawn(spawn: &Spawn<'_>) -> io::Result<Pid> {
    let mut program = c_string(spawn.program)?;
    if !spawn.program.contains(&b'/') {
        // The one bare name that is known here is the shell itself; others have a file.
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
        // A number no script uses, so that the child's own numbers are free.
        descriptors.push((STATE_NUMBER, fd));
        program = c_string(std::env::current_exe()?.as_os_str().as_bytes())?;
        env.push(c_string(format!("{STATE_VARIABLE}={STATE_NUMBER}").as_bytes())?);
    }
    let argv = spawn.argv.iter().map(|v| c_string(v)).collect::<io::Result<Vec<_>>>()?;
    let cwd = c_string(spawn.cwd)?;
    let (argv_at, env_at) = (pointers(&argv), pointers(&env));
    let (failure, report) = pipe()?;
    // SAFETY: between fork and exec only calls that are safe there are made, on memory that is
    // the child's copy.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        // SAFETY: as above.
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
                // SAFETY: the status is ours; the child is gone.
                unsafe { libc::waitpid(pid, &mut status, 0) };
                Err(io::Error::from_raw_os_error(i32::from_le_bytes(errno)))
            }
            _ => Ok(pid as Pid),
        }
    });
    let _ = crate::close(failure);
    answer
}

/// Where a child finds its state.
const STATE_NUMBER: u32 = 199;

unsafe fn become_program(
    program: &CString,
    argv: &[*const c_char],
    env: &[*const c_char],
    cwd: &CString,
    descriptors: &[(u32, Fd)],
    report: Fd,
) -> ! {
    /// Where descriptors wait while others are put in their places.
    const WAITING: Fd = 400;
    // SAFETY: system calls on numbers and on memory that lives until exec.
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
        if libc::chdir(cwd.as_ptr()) == 0 {
            libc::execve(program.as_ptr(), argv.as_ptr(), env.as_ptr());
        }
        let errno = io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO).to_le_bytes();
        libc::write(report, errno.as_ptr().cast(), 4);
        libc::_exit(127)
    }
}

/// The bytes in a file without a name.
fn keep(state: &[u8]) -> io::Result<Fd> {
    // SAFETY: the name ends with a zero byte.
    let fd = checked(unsafe { libc::memfd_create(c"state".as_ptr(), libc::MFD_CLOEXEC) })?;
    let fd = parked(fd)?;
    crate::write_all(fd, state)?;
    // SAFETY: moves a position.
    unsafe { libc::lseek(fd, 0, libc::SEEK_SET) };
    Ok(fd)
}

fn parked(fd: Fd) -> io::Result<Fd> {
    let moved = copy(fd, PARKED);
    crate::close(fd)?;
    moved
}

/// Waits for a child to end. `None`: with `nohang`, and none has ended.
pub fn wait(which: Which, nohang: bool) -> io::Result<Option<(Pid, Status)>> {
    let pid = match which {
        Which::Any => -1,
        Which::One(pid) => pid as libc::pid_t,
    };
    let mut status = 0;
    // SAFETY: the status is ours.
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

/// Sends a signal; 0 asks whether the process is there.
pub fn kill(pid: Pid, signal: u8) -> io::Result<()> {
    // SAFETY: touches no memory.
    checked(unsafe { libc::kill(pid as libc::pid_t, i32::from(signal)) }).map(drop)
}

fn is_open(fd: Fd) -> bool {
    // SAFETY: asks for flags, touches no memory.
    unsafe { libc::fcntl(fd, libc::F_GETFL) >= 0 }
}

/// A real Unix started the process there.
pub fn begin_in(_cwd: &[u8]) {}

/// What this process is.
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
        // SAFETY: the programs that use this have one thread.
        unsafe { std::env::remove_var(STATE_VARIABLE) };
    }
    let mut ignored = 0;
    for signal in (1..=LAST_SIGNAL).filter(|signal| i32::from(*signal) != libc::SIGPIPE) {
        // SAFETY: asks for the handler, changes nothing.
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
    // SAFETY: room for two numbers.
    checked(unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) })?;
    Ok((parked(ends[0])?, parked(ends[1])?))
}

pub(crate) fn copy(fd: Fd, least: Fd) -> io::Result<Fd> {
    // SAFETY: touches no memory.
    checked(unsafe { libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, least) })
}

pub(crate) fn replace(fd: Fd, to: Fd) -> io::Result<()> {
    // SAFETY: touches no memory.
    checked(unsafe { libc::dup2(fd, to) }).map(drop)
}

static CAUGHT: AtomicU64 = AtomicU64::new(0);
static SET_CAUGHT: AtomicU64 = AtomicU64::new(0);
static SET_IGNORED: AtomicU64 = AtomicU64::new(0);

extern "C" fn note(signal: libc::c_int) {
    CAUGHT.fetch_or(1 << signal, Ordering::SeqCst);
}

/// Signals that came since the last time, in order.
pub fn signals_take() -> Vec<u8> {
    let caught = CAUGHT.swap(0, Ordering::SeqCst);
    (1..=LAST_SIGNAL).filter(|signal| caught & (1 << signal) != 0).collect()
}

/// Which signals are caught and which are ignored, bit `n` for signal `n`; the rest kill.
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
        // SAFETY: the handler only touches an atomic. Without SA_RESTART, waits end with EINTR.
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
    // SAFETY: the path ends with a zero byte.
    checked(unsafe { libc::chmod(path.as_ptr(), mode) }).map(drop)
}

pub(crate) fn mkfifo(path: &[u8], mode: u32) -> io::Result<()> {
    let path = c_string(path)?;
    // SAFETY: the path ends with a zero byte.
    checked(unsafe { libc::mkfifo(path.as_ptr(), mode) }).map(drop)
}

pub(crate) fn umask(mask: u32) -> u32 {
    // SAFETY: sets a number.
    unsafe { libc::umask(mask) }
}

/// Nobody listens outside of a cell.
pub fn keep_environment(_cwd: &[u8], _variables: &[&[u8]]) -> io::Result<()> {
    Ok(())
}
