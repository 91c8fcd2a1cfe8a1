//! Checks memory and address space.

use cofferdam::{Limits, Pool, Runtime};

use super::Check;
use super::kernel::file;

pub(super) fn checks() -> Vec<Check> {
    vec![available(), overcommit(), addresses()]
}

fn available() -> Check {
    let kilobytes = field(&file("/proc/meminfo"), "MemAvailable:").unwrap_or(0);
    // In a container, the figure of the machine is not the limit.
    let allowed = file("/sys/fs/cgroup/memory.max").parse::<u64>().unwrap_or(u64::MAX);
    let bytes = kilobytes.saturating_mul(1024).min(allowed);
    let each = Limits::default().memory_bytes().max(1);
    let matters = "runs that use all of their memory limit at once need it";
    let found = format!("{} MiB available, {} runs at their limit", bytes >> 20, bytes / each);
    match bytes / each {
        0..4 => Check::lost("memory", found, matters).hint("--limit memoryBytes=16777216"),
        _ => Check::ok("memory", found, matters),
    }
}

fn overcommit() -> Check {
    let matters =
        "the kernel reserves all memory that is requested: many cells at once fail sooner";
    match file("/proc/sys/vm/overcommit_memory").as_str() {
        "2" => Check::lost("overcommit", "never (2)", matters)
            .hint("sudo sysctl vm.overcommit_memory=0"),
        "1" => Check::ok("overcommit", "always (1)", matters),
        "0" => Check::ok("overcommit", "heuristic (0)", matters),
        _ => Check::ok("overcommit", "unknown", matters),
    }
}

/// Checks address space. Every cell reserves 4 GiB, so that its code needs no bounds checks.
fn addresses() -> Check {
    let limits = file("/proc/self/limits");
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"));
    let limit = line.and_then(|line| line.split_whitespace().next()).unwrap_or("unknown");
    let pool = Pool::default();
    let matters =
        "a pool of the default size cannot be created: `rpc` and the library do not start";
    let found = |made: &str| format!("limit {limit}, room for {} cells{made}", pool.cells);
    match Runtime::new(pool) {
        Ok(_) => Check::ok("addresses", found(""), matters),
        Err(error) => Check::failed("addresses", format!("limit {limit}: {error}"), matters)
            .hint("ulimit -v unlimited"),
    }
}

/// Returns the number after a name, in the format of `/proc/meminfo`.
fn field(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::field;

    #[test]
    fn a_field_is_the_number_behind_its_name() {
        let text = "MemTotal:       24000000 kB\nMemAvailable:   23000000 kB\n";
        assert_eq!(field(text, "MemAvailable:"), Some(23_000_000));
        assert_eq!(field(text, "Nothing:"), None);
        assert_eq!(field("MemAvailable: x kB", "MemAvailable:"), None);
    }
}
