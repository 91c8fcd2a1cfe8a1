//! The part of the machine that every sandbox sees: system folders, devices, a few files of
//! `/etc`. No secrets of a user are in any of them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::plan::{Bind, Content, Entry};

/// Home folder in the sandbox.
pub const HOME: &str = "/home/user";

/// Folders with programs. They are shown as data: a program is started only if it is mounted
/// again, as code.
// T-NAT-007: programs that were not granted.
pub const PROGRAMS: [&str; 9] = [
    "/usr/bin",
    "/usr/sbin",
    "/usr/local/bin",
    "/usr/local/sbin",
    "/usr/games",
    "/usr/libexec",
    "/bin",
    "/sbin",
    "/usr/local/libexec",
];

/// Folders with libraries and data of the system.
const SYSTEM: [&str; 7] = ["/usr", "/lib", "/lib64", "/lib32", "/bin", "/sbin", "/nix/store"];

/// Files and folders of `/etc` that programs need and that hold no secrets.
const SETTINGS: [&str; 19] = [
    "/etc/alternatives",
    "/etc/crypto-policies",
    "/etc/debian_version",
    "/etc/fonts",
    "/etc/gai.conf",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/magic",
    "/etc/mime.types",
    "/etc/os-release",
    "/etc/protocols",
    "/etc/services",
    "/etc/ssl/openssl.cnf",
    "/etc/timezone",
    "/etc/xattr.conf",
    "/etc/python3.11",
    "/etc/python3",
];

const DEVICES: [&str; 6] =
    ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

/// Folders for the program's own files.
const PRIVATE: [&str; 4] = ["/tmp", "/var/tmp", "/dev/shm", HOME];

/// Ports of a sandbox's network on which its supervisor can accept connections from the start: HTTP,
/// HTTPS, and one for a proxy.
pub const PORTS: [u16; 3] = [80, 443, 9998];

/// File that only a sandbox has.
const MARK: &str = "/etc/cofferdam/walls";

/// Returns true if this process is in a sandbox. It is for clear messages and no wall: a changed
/// copy of this program can lie to itself, and reaches nothing more.
pub fn is_inside() -> bool {
    Path::new(MARK).exists()
}

/// Longest file that is copied. A copy costs a fifth of a mount, which is made and taken away.
pub(crate) const MAX_COPY: u64 = 64 << 10;

/// Returns the entries of every sandbox, which its launcher makes before it knows the plan.
pub fn system() -> Vec<Entry> {
    let mut entries = Vec::new();
    for path in SYSTEM {
        add(&mut entries, path, |_| Content::Host(Bind::code(path)));
    }
    for path in PROGRAMS {
        if fs::symlink_metadata(path).is_ok_and(|found| found.is_dir()) {
            entries.push(Entry::new(path, Content::Host(Bind::read_only(path))));
        }
    }
    for path in SETTINGS {
        add(&mut entries, path, |found| match found.is_file() && found.len() <= MAX_COPY {
            true => Content::Copy(path.into()),
            false => Content::Host(Bind::read_only(path)),
        });
    }
    for path in DEVICES {
        if Path::new(path).exists() {
            entries.push(Entry::new(path, Content::Device(path.into())));
        }
    }
    let links = [
        ("/dev/fd", "/proc/self/fd"),
        ("/dev/stdin", "/proc/self/fd/0"),
        ("/dev/stdout", "/proc/self/fd/1"),
        ("/dev/stderr", "/proc/self/fd/2"),
        ("/etc/mtab", "/proc/self/mounts"),
    ];
    for (at, target) in links {
        entries.push(Entry::new(at, Content::Link(target.into())));
    }
    entries.extend(private());
    entries.push(Entry::new("/proc", Content::Processes));
    entries.push(Entry::new("/run", Content::Folder));
    entries.extend(accounts());
    entries
}

/// Returns the folders for the program's own files.
pub(crate) fn private() -> Vec<Entry> {
    PRIVATE.iter().map(|path| Entry::new(path, Content::Private)).collect()
}

/// Returns the folders below which no path is ever asked about: missing files there are missing.
pub(crate) fn known() -> Vec<PathBuf> {
    let fixed = ["/usr", "/proc", "/dev", "/tmp", "/var/tmp", "/lib", "/lib64", HOME];
    fixed.iter().map(PathBuf::from).collect()
}

/// Adds a path of the host as it is there: a folder, a file or a link.
fn add(entries: &mut Vec<Entry>, path: &str, content: impl FnOnce(&fs::Metadata) -> Content) {
    let Ok(found) = fs::symlink_metadata(path) else { return };
    // `/etc/localtime` and the like lead to files that are shown themselves.
    let content = match found.is_symlink() {
        true => fs::read_link(path).map(Content::Link),
        false => Ok(content(&found)),
    };
    entries.extend(content.map(|content| Entry::new(path, content)));
}

/// Returns files that name the one user there is, this machine alone, and the sandbox.
fn accounts() -> Vec<Entry> {
    let (user, group) = crate::sys::process::user_and_group();
    let text = |at: &str, text: String| Entry::new(at, Content::Text(text));
    vec![
        text(MARK, "This program runs in a sandbox of Cofferdam.\n".to_owned()),
        text("/etc/passwd", format!("user:x:{user}:{group}::{HOME}:/bin/sh\n")),
        text("/etc/group", format!("user:x:{group}:\n")),
        text("/etc/hosts", "127.0.0.1 localhost cofferdam\n::1 localhost\n".to_owned()),
        text("/etc/hostname", "cofferdam\n".to_owned()),
        text("/etc/host.conf", "multi on\n".to_owned()),
        text("/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n".to_owned()),
        text("/etc/resolv.conf", "nameserver 127.0.0.1\noptions timeout:2 attempts:2\n".to_owned()),
    ]
}
