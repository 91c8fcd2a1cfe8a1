//! Processes: making, limiting and ending them.

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use super::check;

/// The two sides of a fork.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Forked {
    Child,
    Parent(libc::pid_t),
}

/// The end of a child.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChildEnd {
    Exited(i32),
    Signalled(i32),
}

/// Forks this process, which must have one thread; the child is in new namespaces.
pub(crate) fn fork_into(namespaces: libc::c_int) -> io::Result<Forked> {
    let flags = libc::c_long::from(namespaces | libc::SIGCHLD);
    // SAFETY: without a stack and without shared memory the call is a fork. The launcher has one
    // thread, so that the child may allocate and use every lock.
    let pid = check(unsafe { libc::syscall(libc::SYS_clone, flags, 0, 0, 0, 0) })?;
    Ok(if pid == 0 { Forked::Child } else { Forked::Parent(pid as libc::pid_t) })
}

/// Stack of a child that shares the memory of this process.
const SHARED_STACK: usize = 256 << 10;

/// Runs `work` in a child that shares the memory of this process, which must have one thread and
/// waits until the child has become a program or has ended. Nothing is copied, unlike by a fork.
pub(crate) fn fork_sharing(mut work: &mut dyn FnMut() -> i32) -> io::Result<libc::pid_t> {
    extern "C" fn enter(work: *mut libc::c_void) -> libc::c_int {
        // SAFETY: the argument of `clone` below, on the stack of the process that waits.
        let work = unsafe { &mut *work.cast::<&mut dyn FnMut() -> i32>() };
        let code = work();
        // SAFETY: ends this child alone. What `exit` would do belongs to the parent.
        unsafe { libc::_exit(code) }
    }
    let mut stack = vec![0u128; SHARED_STACK / size_of::<u128>()];
    let top = stack.as_mut_ptr_range().end.cast();
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    // SAFETY: the stack is aligned, is the child's alone, and outlives it as far as it is used:
    // this process goes on only when the child no longer uses this memory.
    let pid = unsafe { libc::clone(enter, top, flags, (&raw mut work).cast()) };
    Ok(check(libc::c_long::from(pid))? as libc::pid_t)
}

/// Ends this process at once. The handlers that a fork has of its parent are the parent's.
pub(crate) fn exit(code: i32) -> ! {
    // SAFETY: the call takes a number and does not return.
    unsafe { libc::_exit(code) }
}

/// Waits for any child, or for one. Returns `None` if there is no child.
pub(crate) fn wait(pid: libc::pid_t) -> Option<(libc::pid_t, ChildEnd)> {
    let mut status = 0;
    loop {
        // SAFETY: the status is a number on this stack.
        let ended = unsafe { libc::waitpid(pid, &mut status, 0) };
        if ended > 0 {
            let end = match libc::WIFEXITED(status) {
                true => ChildEnd::Exited(libc::WEXITSTATUS(status)),
                false => ChildEnd::Signalled(libc::WTERMSIG(status)),
            };
            return Some((ended, end));
        }
        if io::Error::last_os_error().raw_os_error() != Some(libc::EINTR) {
            return None;
        }
    }
}

/// Waits for a child if it has ended; returns false if it has not.
pub(crate) fn has_ended(pid: libc::pid_t) -> bool {
    let mut status = 0;
    // SAFETY: the status is a number on this stack.
    unsafe { libc::waitpid(pid, &mut status, libc::WNOHANG) != 0 }
}

/// Sends SIGKILL to a child that has not been waited for.
pub(crate) fn kill(pid: libc::pid_t) {
    // SAFETY: the call takes numbers. The child was not waited for, so the number is still its own.
    unsafe { libc::kill(pid, libc::SIGKILL) };
}

/// Sends SIGKILL to this process when its parent ends.
pub(crate) fn die_with_parent() -> io::Result<()> {
    control(libc::PR_SET_PDEATHSIG, libc::SIGKILL as libc::c_ulong)
}

/// Keeps other processes of the same user from reading the memory of this one.
pub(crate) fn hide_memory() -> io::Result<()> {
    control(libc::PR_SET_DUMPABLE, 0)
}

/// Keeps this process and its children from gaining privileges.
pub(crate) fn no_new_privileges() -> io::Result<()> {
    control(libc::PR_SET_NO_NEW_PRIVS, 1)
}

/// Makes this process the parent of orphans among its descendants.
pub(crate) fn adopt_orphans() -> io::Result<()> {
    control(libc::PR_SET_CHILD_SUBREAPER, 1)
}

fn control(option: libc::c_int, value: libc::c_ulong) -> io::Result<()> {
    // SAFETY: the options used here take numbers.
    check(libc::c_long::from(unsafe { libc::prctl(option, value, 0, 0, 0) }))?;
    Ok(())
}

/// Takes away the means to gain a capability, from this process and its children.
pub(crate) fn limit_capabilities() {
    for capability in 0..64 {
        // Fails past the last capability that the kernel knows, where nothing is left to drop.
        if control(libc::PR_CAPBSET_DROP, capability).is_err() {
            break;
        }
    }
}

/// Overwrites the command line and the environment of this process, which a fork has of its
/// parent: `/proc` shows both. Fails if they cannot be found.
pub(crate) fn forget_arguments() -> io::Result<()> {
    unsafe extern "C" {
        static mut environ: *mut *mut libc::c_char;
    }
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    // The name in parentheses may have blanks. Behind it are a blank and the third field.
    const ARGUMENTS: usize = 48 - 3 + 1;
    let (_, rest) = stat.rsplit_once(')').unwrap_or_default();
    let fields: Vec<usize> = rest.split(' ').map(|text| text.parse().unwrap_or(0)).collect();
    let found = fields.get(ARGUMENTS..).and_then(|fields| fields.first_chunk());
    let Some(&[arguments, arguments_end, variables, variables_end]) = found else {
        return Err(io::Error::from(io::ErrorKind::InvalidData));
    };
    // SAFETY: the kernel put both texts on the stack of this process at its start, and they stay
    // there and writable. There is one thread, so that nothing else uses them.
    unsafe {
        environ = std::ptr::null_mut();
        for (start, end) in [(arguments, arguments_end), (variables, variables_end)] {
            if start != 0 && start < end {
                std::ptr::write_bytes(start as *mut u8, 0, end - start);
            }
        }
    }
    Ok(())
}

/// Drops all capabilities.
pub(crate) fn drop_capabilities() -> io::Result<()> {
    /// The kernel's `__user_cap_header_struct`.
    #[repr(C)]
    struct Header {
        version: u32,
        pid: libc::c_int,
    }
    const VERSION_3: u32 = 0x2008_0522;
    let header = Header { version: VERSION_3, pid: 0 };
    let none = [0u32; 6];
    // SAFETY: version 3 has a header of two words and data of six.
    check(unsafe { libc::syscall(libc::SYS_capset, &header, none.as_ptr()) })?;
    Ok(())
}

/// Drops supplementary groups; only for root.
pub(crate) fn drop_groups() -> io::Result<()> {
    // SAFETY: a list of no groups needs no pointer.
    check(libc::c_long::from(unsafe { libc::setgroups(0, std::ptr::null()) }))?;
    Ok(())
}

/// Begins a session without a terminal.
pub(crate) fn new_session() -> io::Result<()> {
    // SAFETY: the call takes nothing.
    check(libc::c_long::from(unsafe { libc::setsid() }))?;
    Ok(())
}

/// Gives signals that `std` and a shell change their usual effect.
pub(crate) fn reset_signals() {
    // SAFETY: the set is initialised before it is used, and the default action needs no handler.
    unsafe {
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &none, std::ptr::null_mut());
        for signal in [libc::SIGPIPE, libc::SIGINT, libc::SIGQUIT, libc::SIGHUP, libc::SIGCHLD] {
            libc::signal(signal, libc::SIG_DFL);
        }
    }
}

/// Sets both values of a resource limit, but never above the present hard limit.
pub(crate) fn limit(resource: libc::__rlimit_resource_t, most: u64) -> io::Result<()> {
    let mut old = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the structure is on this stack.
    check(libc::c_long::from(unsafe { libc::getrlimit(resource, &mut old) }))?;
    let most = most.min(old.rlim_max);
    let new = libc::rlimit { rlim_cur: most, rlim_max: most };
    // SAFETY: as above.
    check(libc::c_long::from(unsafe { libc::setrlimit(resource, &new) }))?;
    Ok(())
}

/// Closes every descriptor from `first` up.
pub(crate) fn close_from(first: libc::c_uint) -> io::Result<()> {
    // SAFETY: nothing in this process uses a descriptor of that range afterwards; callers pass the
    // first number behind those that they keep.
    check(unsafe { libc::syscall(libc::SYS_close_range, first, libc::c_uint::MAX, 0) })?;
    Ok(())
}

/// Closes every descriptor but one.
pub(crate) fn close_all_but(kept: BorrowedFd<'_>) -> io::Result<()> {
    let kept = kept.as_raw_fd() as libc::c_uint;
    if let Some(last) = kept.checked_sub(1) {
        // SAFETY: nothing in this process uses a descriptor of that range afterwards.
        check(unsafe { libc::syscall(libc::SYS_close_range, 0, last, 0) })?;
    }
    close_from(kept + 1)
}

/// Marks every descriptor from `first` up to be closed by the next program.
pub(crate) fn close_on_exec_from(first: libc::c_uint) -> io::Result<()> {
    const CLOSE_RANGE_CLOEXEC: libc::c_uint = 4;
    // SAFETY: marking descriptors closes none.
    check(unsafe {
        libc::syscall(libc::SYS_close_range, first, libc::c_uint::MAX, CLOSE_RANGE_CLOEXEC)
    })?;
    Ok(())
}

/// Replaces this process by a program; returns only if that fails.
pub(crate) fn execute(program: &CStr, arguments: &[CString], variables: &[CString]) -> io::Error {
    let list = |strings: &[CString]| {
        let mut list: Vec<_> = strings.iter().map(|string| string.as_ptr()).collect();
        list.push(std::ptr::null());
        list
    };
    let (arguments, variables) = (list(arguments), list(variables));
    // SAFETY: both lists end with null, and their strings outlive the call.
    unsafe { libc::execve(program.as_ptr(), arguments.as_ptr(), variables.as_ptr()) };
    io::Error::last_os_error()
}

/// Returns the real ids of user and group.
pub(crate) fn user_and_group() -> (u32, u32) {
    // SAFETY: the calls take nothing and cannot fail.
    unsafe { (libc::getuid(), libc::getgid()) }
}

/// Returns the number of this process in its own namespace.
pub(crate) fn own_number() -> libc::pid_t {
    // SAFETY: the call takes nothing and cannot fail.
    unsafe { libc::getpid() }
}

/// Sends SIGKILL to the process of a descriptor. Fails if it has ended.
pub(crate) fn kill_by_descriptor(process: BorrowedFd<'_>) -> io::Result<()> {
    let (fd, none) = (process.as_raw_fd(), std::ptr::null::<libc::siginfo_t>());
    // SAFETY: the call takes numbers, and no details of the signal.
    check(unsafe { libc::syscall(libc::SYS_pidfd_send_signal, fd, libc::SIGKILL, none, 0) })?;
    Ok(())
}

/// Returns true if the kernel has this version or a later one.
pub(crate) fn is_kernel_at_least(version: (u32, u32)) -> bool {
    // SAFETY: a structure of zeroes is valid, and the kernel fills it with strings that end.
    let system = unsafe {
        let mut system: libc::utsname = std::mem::zeroed();
        libc::uname(&mut system);
        system
    };
    // SAFETY: as above.
    let release = unsafe { CStr::from_ptr(system.release.as_ptr()) }.to_string_lossy();
    let mut numbers = release.split(['.', '-']).map_while(|part| part.parse::<u32>().ok());
    matches!((numbers.next(), numbers.next()), (Some(major), Some(minor)) if (major, minor) >= version)
}

/// Sets the name of the machine in this namespace.
pub(crate) fn set_host_name(name: &str) -> io::Result<()> {
    // SAFETY: pointer and length belong to one string.
    check(libc::c_long::from(unsafe { libc::sethostname(name.as_ptr().cast(), name.len()) }))?;
    Ok(())
}

/// Opens a descriptor for a child that has not been waited for; readable when the child ends.
pub(crate) fn pid_descriptor(pid: libc::pid_t) -> io::Result<OwnedFd> {
    // SAFETY: the call takes numbers.
    let fd = check(unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) })?;
    // SAFETY: the call returned a new descriptor that nothing else owns.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as libc::c_int) })
}

/// Waits until one of the descriptors is readable or closed; returns which are.
pub(crate) fn poll(descriptors: &[BorrowedFd<'_>]) -> Vec<bool> {
    poll_for(descriptors, -1)
}

/// Like [`poll`], for at most so many milliseconds.
pub(crate) fn poll_for(descriptors: &[BorrowedFd<'_>], milliseconds: libc::c_int) -> Vec<bool> {
    let entry =
        |fd: &BorrowedFd<'_>| libc::pollfd { fd: fd.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    let mut list: Vec<_> = descriptors.iter().map(entry).collect();
    // SAFETY: pointer and length belong to one list.
    unsafe { libc::poll(list.as_mut_ptr(), list.len() as libc::nfds_t, milliseconds) };
    list.iter().map(|entry| entry.revents != 0).collect()
}

/// Waits until a process has ended, or until a descriptor has hung up.
pub(crate) fn wait_for_end(process: BorrowedFd<'_>, or_hung_up: Option<BorrowedFd<'_>>) {
    let entry =
        |fd: BorrowedFd<'_>, events| libc::pollfd { fd: fd.as_raw_fd(), events, revents: 0 };
    let mut list = vec![entry(process, libc::POLLIN)];
    // Without events, a descriptor that can be read is not reported, and one that hung up is.
    list.extend(or_hung_up.map(|fd| entry(fd, 0)));
    // A signal may interrupt the wait.
    while list.iter().all(|entry| entry.revents == 0) {
        // SAFETY: pointer and length belong to one list.
        unsafe { libc::poll(list.as_mut_ptr(), list.len() as libc::nfds_t, -1) };
    }
}

/// Returns true if nothing can be received from a descriptor any more.
pub(crate) fn has_hung_up(descriptor: BorrowedFd<'_>) -> bool {
    let mut entry = libc::pollfd { fd: descriptor.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: pointer and length belong to one entry.
    unsafe { libc::poll(&mut entry, 1, 0) };
    entry.revents & libc::POLLHUP != 0
}
