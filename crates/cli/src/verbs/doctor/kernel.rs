//! Checks the features of the operating system's kernel that make cells fast.

use rustix::fs::MemfdFlags;

use super::Check;

/// Hint for a call that is refused.
pub(super) const ALLOW: &str = "in a container: a seccomp profile that allows memfd_create";

pub(super) fn checks() -> Vec<Check> {
    vec![pagemap_scan(), memfd(), huge_pages(), mappings(), filter()]
}

/// Checks that the engine has a descriptor for page faults. Called while an engine exists: an open
/// descriptor is the only proof that does not depend on kernel versions and settings.
pub(super) fn userfaultfd() -> Check {
    let matters = "without it the kernel maps pages that a cell does not touch: a fresh cell takes \
                   a few microseconds longer";
    let open = std::fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
    let mut names = open.filter_map(|entry| std::fs::read_link(entry.path()).ok());
    match names.any(|name| name.as_os_str() == "anon_inode:[userfaultfd]") {
        true => Check::ok("userfaultfd", "in use", matters),
        false => Check::lost("userfaultfd", "refused by the kernel or a filter", matters)
            .hint("Linux 5.19 or newer; in a container, a seccomp profile that allows userfaultfd"),
    }
}

/// Reports a filter on system calls. It explains the failures above and is no failure itself.
fn filter() -> Check {
    let status = file("/proc/self/status");
    let mode = status.lines().find_map(|line| line.strip_prefix("Seccomp:")).map(str::trim);
    let matters = "a filter on system calls may refuse what makes cells fast";
    match mode {
        Some("0") => Check::ok("seccomp", "no filter", matters),
        Some(_) => {
            Check::ok("seccomp", "a filter is on; the checks above show its effect", matters)
        }
        None => Check::ok("seccomp", "unknown", matters),
    }
}

/// First kernel version that can report which pages were written.
const PAGEMAP_SCAN: (u32, u32) = (6, 7);

fn pagemap_scan() -> Check {
    let release = file("/proc/sys/kernel/osrelease");
    let matters = "without it a cell's memory is reset as a whole, not page by page: cells that \
                   wrote little take longer to be ready again";
    let found = format!("kernel {release}");
    let is_new = version(&release).is_some_and(|version| version >= PAGEMAP_SCAN);
    match is_new && std::fs::File::open("/proc/self/pagemap").is_ok() {
        true => Check::ok("pagemap scan", found, matters),
        false => Check::lost("pagemap scan", found, matters)
            .hint("Linux 6.7 or newer, with /proc/self/pagemap readable"),
    }
}

fn memfd() -> Check {
    let matters = "without it no guest can be loaded: their memory is mapped from it";
    match rustix::fs::memfd_create("cofferdam", MemfdFlags::CLOEXEC) {
        Ok(_) => Check::ok("memfd", "available", matters),
        Err(error) => Check::failed("memfd", format!("refused: {error}"), matters).hint(ALLOW),
    }
}

fn huge_pages() -> Check {
    let text = file("/sys/kernel/mm/transparent_hugepage/enabled");
    let chosen = text.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    let matters = "with `always`, memory of guests may grow in steps of 2 MiB: more is \
                   resident than they use";
    match chosen {
        Some(("always", _)) => Check::lost("huge pages", "always", matters)
            .hint("echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled"),
        Some((chosen, _)) => Check::ok("huge pages", chosen, matters),
        None => Check::ok("huge pages", "unknown", matters),
    }
}

/// Mappings that a thousand cells with grown memories may need.
const MAPPINGS: u64 = 16_000;

fn mappings() -> Check {
    let matters = "with fewer, many cells at once fail with `cannot allocate memory`";
    match file("/proc/sys/vm/max_map_count").parse::<u64>() {
        Ok(count) if count >= MAPPINGS => Check::ok("mappings", count.to_string(), matters),
        Ok(count) => Check::lost("mappings", count.to_string(), matters)
            .hint("sudo sysctl vm.max_map_count=65530"),
        Err(_) => Check::ok("mappings", "unknown", matters),
    }
}

/// Reads a small file of the system. Returns an empty string if it does not exist.
pub(super) fn file(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_default().trim().to_owned()
}

fn version(release: &str) -> Option<(u32, u32)> {
    let mut numbers = release.split(|c: char| !c.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::version;

    #[test]
    fn releases_are_read_whatever_follows_the_numbers() {
        assert_eq!(version("6.8.0-31-generic"), Some((6, 8)));
        assert_eq!(version("6.12.9+bpo-amd64"), Some((6, 12)));
        assert_eq!(version("6.7-rc1"), Some((6, 7)));
        assert_eq!(version(""), None);
        assert_eq!(version("linux"), None);
    }
}
