//! Advice for commands that a sandbox cannot have.

/// Names, each group with one sentence on the way that works here.
const ADVICE: &[(&[&str], &str)] = &[
    (
        &[
            "apk", "apt", "apt-get", "brew", "cargo", "conda", "dnf", "dpkg", "gem", "npm", "npx",
            "pacman", "pip", "pip3", "pipx", "pnpm", "poetry", "snap", "uv", "yarn", "yum",
        ],
        "packages cannot be installed in a sandbox; `ls /usr/bin` lists its commands",
    ),
    (
        &["python", "python2", "python3"],
        "there is no Python here; use js for scripts, jq for JSON and awk for text",
    ),
    (
        &["bun", "deno", "ts-node", "tsc", "tsx"],
        "use js, which runs JavaScript and TypeScript files",
    ),
    (
        &["lua", "perl", "php", "r", "ruby", "tclsh"],
        "there is no such interpreter here; use js for scripts, sed and awk for text",
    ),
    (
        &["c++", "cc", "clang", "g++", "gcc", "go", "java", "javac", "ld", "rustc"],
        "there is no compiler here; programs run as WebAssembly modules, scripts with js",
    ),
    (
        &["ftp", "nc", "ncat", "netcat", "rsync", "scp", "sftp", "ssh", "telnet"],
        "a sandbox reaches the network only over HTTP; use curl or wget with a granted URL",
    ),
    (
        &["dig", "host", "ifconfig", "ip", "netstat", "nslookup", "ping", "ss", "traceroute"],
        "a sandbox has no network interfaces; use curl with a granted URL",
    ),
    (
        &["docker", "docker-compose", "helm", "kubectl", "podman"],
        "a sandbox runs no containers; run the commands themselves",
    ),
    (
        &["crontab", "journalctl", "service", "systemctl"],
        "a sandbox has no services; start a program in the background with `&`",
    ),
    (&["doas", "su", "sudo"], "a sandbox has one user; run the command without it"),
    (
        &["emacs", "nano", "nvim", "pico", "vi", "vim"],
        "there is no editor here; use sed -i, patch or a here-document",
    ),
    (&["apropos", "info", "man"], "use `NAME --help`, or `help NAME` for builtins"),
    (&["hg", "jj", "svn"], "use git"),
    (&["gawk", "mawk", "nawk"], "use awk"),
    (&["7z", "rar", "unrar"], "use zip and unzip, or tar with -z, -j or -J"),
    (&["ack", "ag"], "use rg or grep -r"),
    (&["mongo", "mysql", "psql", "redis-cli"], "use sqlite3, whose databases are files"),
    (&["open", "xdg-open"], "a sandbox has no desktop; write a file instead"),
];

/// Returns one sentence on what to use instead of a command.
pub(super) fn instead_of(name: &[u8]) -> Option<&'static str> {
    let name = std::str::from_utf8(name).ok()?;
    ADVICE.iter().find(|(names, _)| names.contains(&name)).map(|(_, advice)| *advice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_one_piece_of_advice() {
        let mut all: Vec<&str> =
            ADVICE.iter().flat_map(|(names, _)| names.iter().copied()).collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
        assert!(ADVICE.iter().all(|(names, _)| names.is_sorted()));
    }

    #[test]
    fn only_absent_commands_have_advice() {
        assert!(instead_of(b"apt-get").is_some_and(|advice| advice.contains("packages")));
        assert_eq!(instead_of(b"grep"), None);
        assert_eq!(instead_of(b"nonsense"), None);
    }
}
