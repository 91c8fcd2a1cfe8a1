//! `/proc` of a sandbox: its own processes, nothing that belongs to the host, and the limits of its
//! process namespace.

use std::fs;
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use crate::sys::mount::{self, Depth, NO_DEVICES, NO_EXEC, NO_SUID, READ_ONLY};
use crate::sys::process;

/// Files of `/proc` that show or change more than the processes of the sandbox.
// T-NAT-003: `/proc` of the host.
const MASKED: [&str; 14] = [
    "acpi",
    "bus",
    "fs",
    "irq",
    "kallsyms",
    "kcore",
    "keys",
    "key-users",
    "kmsg",
    "sched_debug",
    "scsi",
    "slabinfo",
    "sysrq-trigger",
    "timer_list",
];

/// Mounts `/proc` of this process namespace, without what belongs to the host.
pub(super) fn mount(at: &Path) -> io::Result<()> {
    fs::create_dir_all(at)?;
    // The folder that `/proc` covers is empty for good. A clone of it costs a third of a new
    // filesystem.
    let empty = mount::clone(None, at, Depth::One)?;
    let flags = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
    mount::mount(c"proc", at, flags, "")?;
    refuse_code_in_memory_files(at);
    let mut empty = Some(empty);
    let mut folder: Option<PathBuf> = None;
    for name in MASKED {
        let at = at.join(name);
        let Ok(found) = fs::symlink_metadata(&at) else { continue };
        match (found.is_dir(), &folder, empty.take_if(|_| found.is_dir())) {
            (false, _, _) => {
                let null = mount::clone(None, Path::new("/dev/null"), Depth::One)?;
                mount::attach(null.as_fd(), &at)?;
            }
            (true, _, Some(empty)) => {
                let set = READ_ONLY | NO_SUID | NO_DEVICES | NO_EXEC;
                mount::set_attributes(empty.as_fd(), set, 0, Depth::One)?;
                mount::attach(empty.as_fd(), &at)?;
                folder = Some(at);
            }
            (true, Some(folder), None) => {
                let empty = mount::clone(None, folder, Depth::One)?;
                mount::attach(empty.as_fd(), &at)?;
            }
            (true, None, None) => {}
        }
    }
    Ok(())
}

/// Sets the limits of the process namespace, and makes `/proc` read-only.
pub(super) fn close(at: &Path, tasks: u64) -> io::Result<()> {
    limit_tasks(at, tasks);
    let proc = fs::File::open(at)?;
    mount::set_attributes(proc.as_fd(), READ_ONLY, 0, Depth::One)
}

/// Keeps files in memory from becoming programs, for this process namespace (Linux 6.3).
// T-NAT-005: a program made in memory.
fn refuse_code_in_memory_files(proc: &Path) {
    // The filter refuses such files where this fails; see `has_harmless_memory_files`.
    let _ = fs::write(proc.join("sys/vm/memfd_noexec"), "2");
}

/// First version in which a process namespace has its own highest number.
const OWN_NUMBERS: (u32, u32) = (6, 14);

/// Limits processes and threads by their highest number. The limit of the user does not hold for
/// root; in older kernels the number is that of the whole machine, and must not be changed.
fn limit_tasks(proc: &Path, tasks: u64) {
    if process::is_kernel_at_least(OWN_NUMBERS) {
        // The supervisor counts processes as well, where this fails.
        let _ = fs::write(proc.join("sys/kernel/pid_max"), tasks.to_string());
    }
}

/// Returns true if files in memory cannot be executed in this process namespace.
pub(crate) fn has_harmless_memory_files() -> bool {
    fs::read_to_string("/proc/sys/vm/memfd_noexec").is_ok_and(|text| text.trim() == "2")
}
