//! The system calls that a filter treats specially, as tables.
//!
//! A call that is in no table is allowed: it reaches nothing but the namespaces of the sandbox.

use libc::{SYS_execve, SYS_execveat};

/// A call that takes a path, and therefore is asked about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked {
    pub(crate) number: i64,
    pub(crate) path: PathArgument,
    pub(crate) purpose: Purpose,
}

/// The arguments that make up a path.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PathArgument {
    /// Argument with the directory; the working directory if `None`.
    pub(crate) directory: Option<usize>,
    /// Argument with the text.
    pub(crate) text: usize,
}

/// The use that a call makes of its path.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Purpose {
    /// Opens; the flags are this argument.
    Open(usize),
    /// Makes and opens a file.
    Create,
    /// Looks at what the path, or a link that it is, leads to.
    Look,
    /// Looks at a link itself.
    LookAtLink,
    /// Looks; the flags of this argument say whether at a link itself.
    LookWith(usize),
    /// Finds out what the caller may do with a file; the rights are this argument, the flags that
    /// one.
    Check(usize, Option<usize>),
    /// Changes a file that is there.
    Change,
    /// Changes the entry itself, not what it leads to.
    ChangeEntry,
    /// Moves an entry to a second path.
    Move(PathArgument),
    /// Starts a program.
    Execute,
    /// Connects a socket to an address.
    Connect,
}

const fn at(directory: usize, text: usize) -> PathArgument {
    PathArgument { directory: Some(directory), text }
}

#[cfg(target_arch = "x86_64")]
const fn plain(text: usize) -> PathArgument {
    PathArgument { directory: None, text }
}

const fn asked(number: i64, path: PathArgument, purpose: Purpose) -> Asked {
    Asked { number, path, purpose }
}

/// `fchmodat2`, which is newer than the headers.
const SYS_FCHMODAT2: i64 = 452;

/// Calls of all architectures that are asked about.
pub(crate) const ASKED: &[Asked] = &[
    asked(libc::SYS_openat, at(0, 1), Purpose::Open(2)),
    asked(libc::SYS_newfstatat, at(0, 1), Purpose::LookWith(3)),
    asked(libc::SYS_statx, at(0, 1), Purpose::LookWith(2)),
    asked(libc::SYS_faccessat, at(0, 1), Purpose::Check(2, None)),
    asked(libc::SYS_faccessat2, at(0, 1), Purpose::Check(2, Some(3))),
    asked(libc::SYS_readlinkat, at(0, 1), Purpose::LookAtLink),
    asked(libc::SYS_chdir, PathArgument { directory: None, text: 0 }, Purpose::Look),
    asked(libc::SYS_statfs, PathArgument { directory: None, text: 0 }, Purpose::Look),
    asked(libc::SYS_getxattr, PathArgument { directory: None, text: 0 }, Purpose::Look),
    asked(libc::SYS_lgetxattr, PathArgument { directory: None, text: 0 }, Purpose::LookAtLink),
    asked(libc::SYS_listxattr, PathArgument { directory: None, text: 0 }, Purpose::Look),
    asked(libc::SYS_llistxattr, PathArgument { directory: None, text: 0 }, Purpose::LookAtLink),
    asked(libc::SYS_inotify_add_watch, PathArgument { directory: None, text: 1 }, Purpose::Look),
    asked(libc::SYS_truncate, PathArgument { directory: None, text: 0 }, Purpose::Change),
    asked(libc::SYS_fchmodat, at(0, 1), Purpose::Change),
    asked(SYS_FCHMODAT2, at(0, 1), Purpose::Change),
    asked(libc::SYS_fchownat, at(0, 1), Purpose::Change),
    asked(libc::SYS_utimensat, at(0, 1), Purpose::Change),
    asked(libc::SYS_setxattr, PathArgument { directory: None, text: 0 }, Purpose::Change),
    asked(libc::SYS_lsetxattr, PathArgument { directory: None, text: 0 }, Purpose::ChangeEntry),
    asked(libc::SYS_removexattr, PathArgument { directory: None, text: 0 }, Purpose::Change),
    asked(libc::SYS_lremovexattr, PathArgument { directory: None, text: 0 }, Purpose::ChangeEntry),
    asked(libc::SYS_mkdirat, at(0, 1), Purpose::ChangeEntry),
    asked(libc::SYS_mknodat, at(0, 1), Purpose::ChangeEntry),
    asked(libc::SYS_unlinkat, at(0, 1), Purpose::ChangeEntry),
    asked(libc::SYS_symlinkat, at(1, 2), Purpose::ChangeEntry),
    asked(libc::SYS_linkat, at(0, 1), Purpose::Move(at(2, 3))),
    asked(libc::SYS_renameat2, at(0, 1), Purpose::Move(at(2, 3))),
    asked(libc::SYS_renameat, at(0, 1), Purpose::Move(at(2, 3))),
    asked(SYS_execve, PathArgument { directory: None, text: 0 }, Purpose::Execute),
    asked(SYS_execveat, at(0, 1), Purpose::Execute),
    asked(libc::SYS_connect, PathArgument { directory: None, text: 1 }, Purpose::Connect),
];

/// Calls that only this architecture has and that are asked about.
#[cfg(target_arch = "x86_64")]
pub(crate) const ASKED_HERE: &[Asked] = &[
    asked(libc::SYS_open, plain(0), Purpose::Open(1)),
    asked(libc::SYS_creat, plain(0), Purpose::Create),
    asked(libc::SYS_stat, plain(0), Purpose::Look),
    asked(libc::SYS_lstat, plain(0), Purpose::LookAtLink),
    asked(libc::SYS_access, plain(0), Purpose::Check(1, None)),
    asked(libc::SYS_readlink, plain(0), Purpose::LookAtLink),
    asked(libc::SYS_chmod, plain(0), Purpose::Change),
    asked(libc::SYS_chown, plain(0), Purpose::Change),
    asked(libc::SYS_lchown, plain(0), Purpose::ChangeEntry),
    asked(libc::SYS_utime, plain(0), Purpose::Change),
    asked(libc::SYS_utimes, plain(0), Purpose::Change),
    asked(libc::SYS_futimesat, at(0, 1), Purpose::Change),
    asked(libc::SYS_mkdir, plain(0), Purpose::ChangeEntry),
    asked(libc::SYS_mknod, plain(0), Purpose::ChangeEntry),
    asked(libc::SYS_rmdir, plain(0), Purpose::ChangeEntry),
    asked(libc::SYS_unlink, plain(0), Purpose::ChangeEntry),
    asked(libc::SYS_symlink, plain(1), Purpose::ChangeEntry),
    asked(libc::SYS_link, plain(0), Purpose::Move(plain(1))),
    asked(libc::SYS_rename, plain(0), Purpose::Move(plain(1))),
];

/// Calls that only this architecture has and that are asked about.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) const ASKED_HERE: &[Asked] = &[];

/// Calls that set the mode of a file, with the argument that has it.
pub(crate) const MODES: &[(i64, u32)] =
    &[(libc::SYS_fchmod, 1), (libc::SYS_fchmodat, 2), (SYS_FCHMODAT2, 2), (libc::SYS_mknodat, 2)];

/// Calls that open a file, with the argument that has the flags; the next one has the mode.
pub(crate) const OPENS: &[(i64, u32)] = &[(libc::SYS_openat, 2)];

/// Calls of these kinds that only this architecture has.
#[cfg(target_arch = "x86_64")]
pub(crate) const MODES_HERE: &[(i64, u32)] =
    &[(libc::SYS_chmod, 1), (libc::SYS_creat, 1), (libc::SYS_mknod, 1)];
#[cfg(target_arch = "x86_64")]
pub(crate) const OPENS_HERE: &[(i64, u32)] = &[(libc::SYS_open, 1)];

/// Calls of these kinds that only this architecture has.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) const MODES_HERE: &[(i64, u32)] = &[];
#[cfg(not(target_arch = "x86_64"))]
pub(crate) const OPENS_HERE: &[(i64, u32)] = &[];

/// Calls that are refused, with the error of each.
///
/// `ENOSYS` is for calls whose absence programs expect; they then use an older one.
// T-NAT-004: calls with a history of holes in the kernel.
pub(crate) const REFUSED: &[(i64, i32)] = &[
    (libc::SYS_io_uring_setup, libc::ENOSYS),
    (libc::SYS_io_uring_enter, libc::ENOSYS),
    (libc::SYS_io_uring_register, libc::ENOSYS),
    // Its flags are in memory, where no filter can check them; `clone` has them in a register.
    (libc::SYS_clone3, libc::ENOSYS),
    // Its mode is in memory as well; `openat` has it in a register.
    (libc::SYS_openat2, libc::ENOSYS),
    (libc::SYS_userfaultfd, libc::ENOSYS),
    (libc::SYS_unshare, libc::EPERM),
    (libc::SYS_setns, libc::EPERM),
    (libc::SYS_mount, libc::EPERM),
    (libc::SYS_umount2, libc::EPERM),
    (libc::SYS_pivot_root, libc::EPERM),
    (libc::SYS_chroot, libc::EPERM),
    (libc::SYS_open_tree, libc::EPERM),
    (libc::SYS_move_mount, libc::EPERM),
    (libc::SYS_mount_setattr, libc::EPERM),
    (libc::SYS_fsopen, libc::EPERM),
    (libc::SYS_fsconfig, libc::EPERM),
    (libc::SYS_fsmount, libc::EPERM),
    (libc::SYS_fspick, libc::EPERM),
    (libc::SYS_ptrace, libc::EPERM),
    (libc::SYS_process_vm_readv, libc::EPERM),
    (libc::SYS_process_vm_writev, libc::EPERM),
    (libc::SYS_pidfd_getfd, libc::EPERM),
    (libc::SYS_kcmp, libc::EPERM),
    (libc::SYS_bpf, libc::EPERM),
    (libc::SYS_perf_event_open, libc::EPERM),
    (libc::SYS_add_key, libc::EPERM),
    (libc::SYS_request_key, libc::EPERM),
    (libc::SYS_keyctl, libc::EPERM),
    (libc::SYS_open_by_handle_at, libc::EPERM),
    (libc::SYS_name_to_handle_at, libc::EPERM),
    (libc::SYS_fanotify_init, libc::EPERM),
    (libc::SYS_fanotify_mark, libc::EPERM),
    (libc::SYS_init_module, libc::EPERM),
    (libc::SYS_finit_module, libc::EPERM),
    (libc::SYS_delete_module, libc::EPERM),
    (libc::SYS_kexec_load, libc::EPERM),
    (libc::SYS_reboot, libc::EPERM),
    (libc::SYS_swapon, libc::EPERM),
    (libc::SYS_swapoff, libc::EPERM),
    (libc::SYS_acct, libc::EPERM),
    (libc::SYS_quotactl, libc::EPERM),
    (libc::SYS_syslog, libc::EPERM),
    (libc::SYS_vhangup, libc::EPERM),
    (libc::SYS_settimeofday, libc::EPERM),
    (libc::SYS_clock_settime, libc::EPERM),
    (libc::SYS_clock_adjtime, libc::EPERM),
    (libc::SYS_adjtimex, libc::EPERM),
    (libc::SYS_sethostname, libc::EPERM),
    (libc::SYS_setdomainname, libc::EPERM),
    (libc::SYS_move_pages, libc::EPERM),
    (libc::SYS_migrate_pages, libc::EPERM),
    (libc::SYS_lookup_dcookie, libc::EPERM),
    (libc::SYS_mq_open, libc::EACCES),
    // Newer than the headers: calls on a path that the filter does not ask about (`setxattrat` and
    // its kind, `open_tree_attr`, `file_getattr`, `file_setattr`).
    (463, libc::ENOSYS),
    (464, libc::ENOSYS),
    (465, libc::ENOSYS),
    (466, libc::ENOSYS),
    (467, libc::ENOSYS),
    (468, libc::ENOSYS),
    (469, libc::ENOSYS),
];

/// Calls that only this architecture has and that are refused.
#[cfg(target_arch = "x86_64")]
pub(crate) const REFUSED_HERE: &[(i64, i32)] = &[
    (libc::SYS_kexec_file_load, libc::EPERM),
    (libc::SYS_iopl, libc::EPERM),
    (libc::SYS_ioperm, libc::EPERM),
    (libc::SYS_modify_ldt, libc::EPERM),
    (libc::SYS_uselib, libc::ENOSYS),
    (libc::SYS_ustat, libc::ENOSYS),
    (libc::SYS_sysfs, libc::ENOSYS),
    (libc::SYS__sysctl, libc::ENOSYS),
];

/// Calls that only this architecture has and that are refused.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) const REFUSED_HERE: &[(i64, i32)] = &[];

/// Returns the entry of a call that is asked about.
pub(crate) fn find(number: i64) -> Option<&'static Asked> {
    ASKED.iter().chain(ASKED_HERE).find(|asked| asked.number == number)
}
