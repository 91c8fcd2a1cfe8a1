//! A control group around the processes of a sandbox, where the system hands one down: the kernel
//! then keeps the limits of memory and tasks at every moment.
//!
//! Control groups of version 2 only. Nothing of the caller's own groups is changed: a group is made
//! beside them, in the nearest folder that this user may use and that limits memory already.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The control group of one sandbox. It is removed when this is dropped, once it is empty.
pub(crate) struct Group {
    folder: PathBuf,
}

impl Group {
    /// Makes a group with limits. Returns `None` if this process has no place for one.
    // T-NAT-012: memory that grows between two samples.
    pub(crate) fn make(memory_bytes: u64, tasks: u64) -> Option<Self> {
        let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
        let own = fs::read_to_string("/proc/self/cgroup").ok()?;
        Group::make_below(&folder(&mounts, &own)?, &top(&mounts)?, memory_bytes, tasks)
    }

    /// Makes a group in the nearest folder between `own` and `top` that can hold one.
    fn make_below(own: &Path, top: &Path, memory_bytes: u64, tasks: u64) -> Option<Self> {
        let folders = own.ancestors().take_while(|folder| folder.starts_with(top));
        folders.filter(|folder| limits_memory(folder)).find_map(|folder| {
            let group = Group::create(folder).ok()?;
            // A group that cannot be limited, or entered, is of no use.
            let limited = group.limit(memory_bytes, tasks);
            limited.and_then(|()| group.check(folder)).ok().map(|()| group)
        })
    }

    fn create(parent: &Path) -> io::Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = parent.join(format!("cofferdam-{}-{number}", std::process::id()));
        fs::create_dir(&folder)?;
        Ok(Group { folder })
    }

    fn limit(&self, memory_bytes: u64, tasks: u64) -> io::Result<()> {
        self.write("memory.max", &memory_bytes.to_string())?;
        // All processes of a run end together.
        self.write("memory.oom.group", "1")?;
        // Systems without swap, and folders without the controller, lack these.
        let _ = self.write("memory.swap.max", "0");
        let _ = self.write("pids.max", &tasks.to_string());
        Ok(())
    }

    /// Checks that processes can be moved here from the groups of this process.
    fn check(&self, common: &Path) -> io::Result<()> {
        for folder in [common, &self.folder] {
            fs::File::options().write(true).open(folder.join("cgroup.procs"))?;
        }
        Ok(())
    }

    /// Moves a process into the group, and so all that it starts.
    pub(crate) fn add(&self, process: u32) -> io::Result<()> {
        self.write("cgroup.procs", &process.to_string())
    }

    /// Returns true if the kernel ended the processes because of their memory.
    pub(crate) fn ran_out_of_memory(&self) -> bool {
        let events = fs::read_to_string(self.folder.join("memory.events")).unwrap_or_default();
        let count = |line: &str| line.strip_prefix("oom_kill ")?.trim().parse::<u64>().ok();
        events.lines().find_map(count).is_some_and(|count| count > 0)
    }

    fn write(&self, file: &str, text: &str) -> io::Result<()> {
        // Without making it: a file that the kernel does not have is not there.
        let mut file = fs::File::options().write(true).open(self.folder.join(file))?;
        io::Write::write_all(&mut file, text.as_bytes())
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // Fails as long as a process is in it; it then stays behind, empty, until the next boot.
        let _ = fs::remove_dir(&self.folder);
    }
}

fn limits_memory(folder: &Path) -> bool {
    let text = fs::read_to_string(folder.join("cgroup.subtree_control")).unwrap_or_default();
    text.split_ascii_whitespace().any(|controller| controller == "memory")
}

/// Returns the place where control groups of version 2 are mounted whole.
fn top(mounts: &str) -> Option<PathBuf> {
    mounts.lines().find_map(|line| {
        let (mount, about) = line.split_once(" - ")?;
        let mut fields = mount.split(' ').skip(3);
        let (root, at) = (fields.next()?, fields.next()?);
        (about.starts_with("cgroup2 ") && root == "/").then(|| PathBuf::from(at))
    })
}

/// Returns the folder of this process's own group.
fn folder(mounts: &str, own: &str) -> Option<PathBuf> {
    let path = own.lines().find_map(|line| line.strip_prefix("0::/"))?;
    // A group outside of the namespace begins with `..`.
    let is_plain = !path.split('/').any(|name| name == "..");
    top(mounts).filter(|_| is_plain).map(|top| top.join(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "\
        24 1 0:22 / /proc rw - proc proc rw\n\
        31 1 0:27 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n";

    #[test]
    fn own_group_is_found_below_the_mount() {
        let check = |own: &str, expect: Option<&str>| {
            assert_eq!(folder(MOUNTS, own), expect.map(PathBuf::from), "{own}");
        };
        check("0::/user.slice/a.scope\n", Some("/sys/fs/cgroup/user.slice/a.scope"));
        check("4:memory:/x\n0::/\n", Some("/sys/fs/cgroup/"));
        check("0::/../a\n", None);
        check("4:memory:/x\n", None);
        assert_eq!(folder("", "0::/a\n"), None);
    }

    /// A folder that looks like one of control groups. The kernel fills a new group with files;
    /// here they are in place already.
    struct Tree(PathBuf);

    impl Tree {
        fn new(name: &str) -> Self {
            let folder = format!("cofferdam-group-{name}-{}", std::process::id());
            let tree = Tree(std::env::temp_dir().join(folder));
            fs::create_dir_all(tree.0.join("user/app/own")).unwrap();
            tree
        }

        fn write(&self, at: &str, text: &str) {
            fs::write(self.0.join(at), text).unwrap();
        }

        fn make(&self) -> Option<Group> {
            Group::make_below(&self.0.join("user/app/own"), &self.0, 1 << 20, 64)
        }
    }

    impl Drop for Tree {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn nothing_is_made_where_memory_is_not_limited() {
        let tree = Tree::new("none");
        tree.write("user/app/cgroup.subtree_control", "cpu pids\n");
        assert!(tree.make().is_none());
    }

    #[test]
    fn group_that_cannot_be_limited_is_not_used() {
        let tree = Tree::new("bare");
        tree.write("user/app/cgroup.subtree_control", "memory pids\n");
        // A plain folder has no `memory.max`.
        assert!(tree.make().is_none());
        assert_eq!(fs::read_dir(tree.0.join("user/app")).unwrap().count(), 2);
    }

    #[test]
    fn limits_and_events_are_those_of_the_group() {
        let tree = Tree::new("events");
        let group = Group { folder: tree.0.join("user") };
        for file in ["memory.max", "memory.oom.group", "pids.max", "cgroup.procs"] {
            tree.write(&format!("user/{file}"), "");
        }
        group.limit(4096, 64).unwrap();
        group.add(7).unwrap();
        let read = |file: &str| fs::read_to_string(tree.0.join("user").join(file)).unwrap();
        assert_eq!((read("memory.max"), read("pids.max")), ("4096".into(), "64".into()));
        assert_eq!(read("cgroup.procs"), "7");
        assert!(!group.ran_out_of_memory());
        tree.write("user/memory.events", "oom 1\noom_kill 0\n");
        assert!(!group.ran_out_of_memory());
        tree.write("user/memory.events", "oom 3\noom_kill 2\n");
        assert!(group.ran_out_of_memory());
        std::mem::forget(group);
    }
}
