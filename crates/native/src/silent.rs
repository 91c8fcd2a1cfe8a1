//! Paths that programs probe for at every start. Nobody is asked about them: unless they are
//! granted, they do not exist.

use std::path::{Path, PathBuf};

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
const FOLDERS: [&str; 14] = [
    "/etc/cofferdam",
    "/etc/gnutls",
    "/etc/node",
    "/etc/opt",
    "/etc/selinux",
    "/etc/ssh",
    "/etc/ssl",
    "/etc/pki",
    "/etc/sysctl.d",
    "/selinux",
    "/sys",
    "/run",
    "/var/run",
    "/var/ssl",
];

/// Files of the system that programs look for.
const FILES: [&str; 26] = [
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
    "/etc/pip.conf",
    "/etc/profile",
    "/etc/shells",
    "/etc/suid-debug",
    "/etc/system-release",
    "/etc/terminfo",
    "/etc/wgetrc",
    "/lib/terminfo",
    "/var/lib/dbus/machine-id",
    "/etc/machine-id",
    "/var",
];

/// Beginnings and ends of names that a compiler and its linker look for beside their input, Java where
/// it is started, and Python above its program.
const PATTERNS: [(&str, &str); 7] = [
    ("-l", ""),
    (".hotspot", ""),
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

/// Names of settings that tools look for in every folder above the one that they work in. In that
/// folder itself they are a part of the program's work, and requests like all others.
const SETTINGS_ABOVE: [&str; 66] = [
    ".browserslistrc",
    ".bundle",
    ".cargo",
    ".clang-format",
    ".clang-tidy",
    ".coveragerc",
    ".envrc",
    ".flake8",
    ".hg",
    ".jj",
    ".mise.toml",
    ".mypy.ini",
    ".npmignore",
    ".pnp.cjs",
    ".pnp.js",
    ".pnp.loader.mjs",
    ".pylintrc",
    ".pytest.ini",
    ".pytest.toml",
    ".rspec",
    ".ruby-version",
    ".ruff.toml",
    ".rustfmt.toml",
    ".svn",
    ".swcrc",
    ".tool-versions",
    ".watchmanconfig",
    ".yarnrc.yml",
    "Cargo.lock",
    "Cargo.toml",
    "Gemfile",
    "Pipfile",
    "__init__.py",
    "biome.json",
    "biome.jsonc",
    "browserslist",
    "build.gradle",
    "clippy.toml",
    "compile_commands.json",
    "conftest.py",
    "go.mod",
    "go.work",
    "lerna.json",
    "mise.toml",
    "mypy.ini",
    "nx.json",
    "pnpm-lock.yaml",
    "poetry.lock",
    "pom.xml",
    "pyproject.toml",
    "pytest.ini",
    "pytest.toml",
    "ruff.toml",
    "rush.json",
    "rust-toolchain",
    "rust-toolchain.toml",
    "rustfmt.toml",
    "settings.gradle",
    "setup.cfg",
    "setup.py",
    "tox.ini",
    "tsconfig.base.json",
    "turbo.json",
    "uv.lock",
    "uv.toml",
    "workspace.jsonc",
];

/// Beginnings of such names.
const BEGINNINGS_ABOVE: [&str; 12] = [
    ".babelrc",
    ".c8rc",
    ".eslintignore",
    ".eslintrc",
    ".lintstagedrc",
    ".mocharc",
    ".nycrc",
    ".postcssrc",
    ".prettierignore",
    ".prettierrc",
    ".stylelintrc",
    ".taprc",
];

/// Middles of such names: `vite.config.ts`, `jest.config.cjs`.
const MIDDLE_ABOVE: &str = ".config.";

/// The folders that a program works in, and the files that its command line names.
#[derive(Debug, Default)]
pub(crate) struct Surroundings {
    folders: Vec<PathBuf>,
    /// Files that would be probes if the person had not named them.
    meant: Vec<PathBuf>,
}

impl Surroundings {
    pub(crate) fn new(folders: Vec<PathBuf>, words: impl Iterator<Item = PathBuf>) -> Self {
        Surroundings { folders, meant: words.filter(|path| is_probe(path)).collect() }
    }

    /// Returns true for a path that is probed for and not meant.
    pub(crate) fn is_probe(&self, path: &Path) -> bool {
        let is_meant = self.meant.iter().any(|meant| meant == path);
        !is_meant && (is_probe(path) || self.is_setting_above(path))
    }

    /// Returns true for such a setting, and for what is below one that is a folder.
    fn is_setting_above(&self, path: &Path) -> bool {
        path.ancestors().any(|path| {
            let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
                return false;
            };
            let is_above = |at: &PathBuf| at != folder && at.starts_with(folder);
            name.to_str().is_some_and(is_setting_of_a_tool) && self.folders.iter().any(is_above)
        })
    }
}

fn is_setting_of_a_tool(name: &str) -> bool {
    SETTINGS_ABOVE.contains(&name)
        || name.contains(MIDDLE_ABOVE)
        || BEGINNINGS_ABOVE.iter().any(|beginning| name.starts_with(beginning))
}

/// Returns a path with its capital letters small and the others large; `None` if it has none. Tools
/// find out in this way whether a filesystem tells them apart.
pub(crate) fn in_other_case(path: &Path) -> Option<PathBuf> {
    let text = path.to_str()?;
    let other = |c: char| match c.is_ascii_uppercase() {
        true => c.to_ascii_lowercase(),
        false => c.to_ascii_uppercase(),
    };
    let swapped: String = text.chars().map(other).collect();
    (swapped != text).then(|| swapped.into())
}

/// Returns true for a path in the settings of the system, or right below its root. One that is
/// missing there is missing, which says nothing about a user.
pub(crate) fn is_setting(path: &Path) -> bool {
    path.starts_with("/etc") || path.parent() == Some(Path::new("/"))
}

/// Variables that programs look for to decide on colours, languages and the like, or to find out
/// where they run. A proxy of the host is of no use inside.
const VARIABLES: [&str; 43] = [
    "ALL_PROXY",
    "APPVEYOR",
    "BUILDKITE",
    "CI",
    "CIRCLECI",
    "COLORFGBG",
    "COLORTERM",
    "COLUMNS",
    "DEBUG",
    "DISPLAY",
    "DRONE",
    "EDITOR",
    "FORCE_COLOR",
    "GITHUB_ACTIONS",
    "GITLAB_CI",
    "HOSTNAME",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "INSIDE_EMACS",
    "JENKINS_URL",
    "LANGUAGE",
    "LINES",
    "MAIL",
    "NO_COLOR",
    "NO_PROXY",
    "OLDPWD",
    "PAGER",
    "SHLVL",
    "STY",
    "TEAMCITY_VERSION",
    "TEMP",
    "TERM",
    "TF_BUILD",
    "TMP",
    "TMUX",
    "TRAVIS",
    "TZ",
    "VISUAL",
    "_",
    "all_proxy",
    "http_proxy",
    "https_proxy",
    "no_proxy",
];

/// Beginnings of variables of runtimes, terminals and tools.
const PREFIXES: [&str; 17] = [
    "BABEL_",
    "BROWSERSLIST",
    "BUN_",
    "CARGO_",
    "DENO_",
    "GIT_",
    "JEST_",
    "LC_",
    "NODE_",
    "PYTHON",
    "SSH_C",
    "TERM_PROGRAM",
    "VITEST",
    "VSCODE_",
    "XDG_",
    "YARN_",
    "npm_",
];

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

    #[test]
    fn settings_of_tools_are_probes_above_the_folder_that_they_work_in() {
        let folder = || vec![PathBuf::from("/home/me/work")];
        let around = Surroundings::new(folder(), std::iter::empty());
        for path in
            ["/home/me/pytest.toml", "/vite.config.mts", "/home/.mocharc.yml", "/.cargo/config"]
        {
            assert!(around.is_probe(Path::new(path)), "{path}");
        }
        for path in ["/home/me/work/pytest.toml", "/home/you/setup.py", "/home/me/data.csv"] {
            assert!(!around.is_probe(Path::new(path)), "{path}");
        }
    }

    #[test]
    fn file_of_the_command_line_is_meant() {
        let named = PathBuf::from("/home/me/package.json");
        let around = Surroundings::new(Vec::new(), [named.clone()].into_iter());
        assert!(!around.is_probe(&named));
        assert!(around.is_probe(Path::new("/home/package.json")));
    }

    #[test]
    fn letters_change_their_case() {
        let other = |path: &str| in_other_case(Path::new(path));
        assert_eq!(other("/W/lib/A.ts"), Some(PathBuf::from("/w/LIB/a.TS")));
        assert_eq!(other("/1/2"), None);
    }
}
