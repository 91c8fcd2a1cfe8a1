//! Paths that programs probe for at every start. Nobody is asked about them: unless they are
//! granted, they do not exist.

use std::path::Path;

/// Names of settings that runtimes look for in every folder above a script.
const NAMES: [&str; 44] = [
    ".bun-version",
    ".bunfig.toml",
    ".curlrc",
    ".editorconfig",
    ".env",
    ".env.development",
    ".env.development.local",
    ".env.local",
    ".env.production",
    ".env.production.local",
    ".env.test",
    ".git",
    ".gitattributes",
    ".gitconfig",
    ".gitignore",
    ".node-version",
    ".npmrc",
    ".nvmrc",
    ".python-version",
    ".yarnrc",
    "HEAD",
    "__pycache__",
    "bun.lock",
    "bun.lockb",
    "bunfig.toml",
    "deno.json",
    "deno.jsonc",
    "deno.lock",
    "jsconfig.json",
    "jsr.json",
    "node_modules",
    "objects",
    "package-lock.json",
    "package.json",
    "package.json5",
    "package.yaml",
    "pnpm-workspace.yaml",
    "pybuilddir.txt",
    "pyvenv.cfg",
    "refs",
    "tsconfig.json",
    "vendor",
    "workspace.json",
    "yarn.lock",
];

/// Folders of the system that say nothing about a user.
const FOLDERS: [&str; 12] = [
    "/etc/cofferdam",
    "/etc/gnutls",
    "/etc/node",
    "/etc/opt",
    "/etc/selinux",
    "/etc/ssl",
    "/etc/pki",
    "/etc/sysctl.d",
    "/selinux",
    "/sys",
    "/run",
    "/var/run",
];

/// Files of the system that programs look for.
const FILES: [&str; 24] = [
    "/",
    "/boot",
    "/etc",
    "/etc/bash.bashrc",
    "/etc/environment",
    "/etc/gitconfig",
    "/etc/inputrc",
    "/etc/ld-nix.so.preload",
    "/etc/ld.so.preload",
    "/etc/login.defs",
    "/etc/lsb-release",
    "/etc/malloc.conf",
    "/etc/netsvc.conf",
    "/etc/svc.conf",
    "/etc/npmrc",
    "/etc/profile",
    "/etc/shells",
    "/etc/suid-debug",
    "/etc/system-release",
    "/etc/terminfo",
    "/lib/terminfo",
    "/var/lib/dbus/machine-id",
    "/etc/machine-id",
    "/var",
];

/// Beginnings and ends of names that a compiler and its linker look for beside their input, and
/// Python above its program.
const PATTERNS: [(&str, &str); 6] = [
    ("-l", ""),
    ("", ".gch"),
    ("Setup.", ""),
    ("libgcc_s.so", ""),
    ("python", "._pth"),
    ("python3", ".zip"),
];

/// Files that Python looks for in the folders `lib/python3.…` above its program.
const LANDMARKS: [&str; 3] = ["lib-dynload", "os.py", "os.pyc"];

/// Returns true for a path that is probed for and not meant.
pub(crate) fn is_probe(path: &Path) -> bool {
    let named = |name: &std::ffi::OsStr| NAMES.iter().any(|known| name == *known);
    let last = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let folder = path.parent().and_then(Path::file_name).and_then(|name| name.to_str());
    PATTERNS.iter().any(|(first, end)| last.starts_with(first) && last.ends_with(end))
        || (LANDMARKS.contains(&last) && folder.is_some_and(|name| name.starts_with("python")))
        || path.components().any(|part| named(part.as_os_str()))
        || FOLDERS.iter().any(|folder| path.starts_with(folder))
        || FILES.iter().any(|file| path == Path::new(file))
}

/// Returns true for a path in the settings of the system. One that is missing there is missing,
/// which says nothing about a user.
pub(crate) fn is_setting(path: &Path) -> bool {
    path.starts_with("/etc")
}

/// Variables that programs look for to decide on colours, languages and the like.
const VARIABLES: [&str; 16] = [
    "CI",
    "COLORTERM",
    "COLUMNS",
    "DEBUG",
    "DISPLAY",
    "EDITOR",
    "FORCE_COLOR",
    "LINES",
    "MAIL",
    "NO_COLOR",
    "OLDPWD",
    "PAGER",
    "SHLVL",
    "TERM",
    "TZ",
    "VISUAL",
];

/// Beginnings of variables of runtimes and their tools.
const PREFIXES: [&str; 9] =
    ["BUN_", "CARGO_", "DENO_", "GIT_", "LC_", "NODE_", "PYTHON", "XDG_", "npm_"];

/// Returns true for a variable that is probed for and not meant.
pub(crate) fn is_probed_variable(name: &str) -> bool {
    VARIABLES.contains(&name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_above_a_script_are_probes_and_its_data_is_not() {
        for path in ["/home/me/package.json", "/node_modules/x/index.js", "/sys/fs/cgroup/cpu.max"]
        {
            assert!(is_probe(Path::new(path)), "{path}");
        }
        for path in ["/home/me/data.csv", "/home/me/.ssh/id_rsa", "/etc/shadow", "/systems"] {
            assert!(!is_probe(Path::new(path)), "{path}");
        }
    }
}
