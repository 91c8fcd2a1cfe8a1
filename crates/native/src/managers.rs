//! Version managers: finds the program that a stand-in of a manager would start.
//!
//! The stand-ins of rustup are one program, which looks for its toolchains at run time; those of pyenv
//! and its kind are scripts that need the whole manager. Neither is there behind the walls, so the
//! program itself is taken. Files that name a version are read as text, and a version is only ever a
//! folder of the manager.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::program::{Program, on_host};

/// Longest file with a version that is read.
const MAX_FILE: u64 = 64 << 10;

/// Managers with a folder of scripts: variable with a version, and file in a project.
const WITH_SHIMS: [(&str, &str, &str); 4] = [
    (".pyenv", "PYENV_VERSION", ".python-version"),
    (".rbenv", "RBENV_VERSION", ".ruby-version"),
    (".nodenv", "NODENV_VERSION", ".node-version"),
    (".goenv", "GOENV_VERSION", ".go-version"),
];

/// Returns the program that a stand-in starts; `None` if the path is no stand-in, or its manager has
/// no such program.
pub(crate) fn behind(path: &Path, program: &Program) -> Option<PathBuf> {
    let (folder, name) = (path.parent()?, path.file_name()?);
    if folder.ends_with("shims") {
        return of_shim(folder.parent()?, name, program);
    }
    let target = fs::canonicalize(path).ok()?;
    let is_rustup = target.file_name() == Some(OsStr::new("rustup")) && name != "rustup";
    is_rustup.then(|| of_rustup(&target, name, program))?
}

/// Returns the program of a manager whose versions are folders beside `shims`.
fn of_shim(root: &Path, name: &OsStr, program: &Program) -> Option<PathBuf> {
    let is_kind = |(folder, ..): &&(&str, &str, &str)| root.ends_with(folder);
    // A manager may be installed under another name: its own variable and file are not known then.
    let (variable, file) =
        WITH_SHIMS.iter().find(is_kind).map_or(("", ""), |(_, variable, file)| (*variable, *file));
    let chosen = value(variable, program).or_else(|| in_project(&[file], program));
    let chosen = chosen.or_else(|| read(&root.join("version")))?;
    let versions = chosen.split([':', '\n']).map(str::trim).filter(|version| is_name(version));
    let programs =
        versions.map(|version| root.join("versions").join(version).join("bin").join(name));
    programs.into_iter().find(|program| program.is_file())
}

/// Returns the program of the toolchain that rustup would choose.
fn of_rustup(rustup: &Path, name: &OsStr, program: &Program) -> Option<PathBuf> {
    // rustup is in `.cargo/bin`, and its own folder is beside `.cargo`.
    let beside = || rustup.ancestors().nth(3).map(|home| home.join(".rustup"));
    let root = value("RUSTUP_HOME", program).map(PathBuf::from).or_else(beside)?;
    let settings = || read(&root.join("settings.toml"));
    let chosen = value("RUSTUP_TOOLCHAIN", program)
        .or_else(|| in_project(&["rust-toolchain.toml", "rust-toolchain"], program).map(channel))
        .or_else(|| quoted_value(&settings()?, "default_toolchain"))?;
    let toolchain = chosen.trim().to_owned();
    if !is_name(&toolchain) {
        return None;
    }
    let toolchains = root.join("toolchains");
    let exact = toolchains.join(&toolchain);
    let folder = match exact.is_dir() {
        true => exact,
        // `stable` is short for `stable-x86_64-unknown-linux-gnu`.
        false => {
            let full = format!("{toolchain}-{}-", std::env::consts::ARCH);
            let mut folders: Vec<_> = fs::read_dir(toolchains).ok()?.flatten().collect();
            folders.sort_by_key(fs::DirEntry::file_name);
            let is_meant = |entry: &fs::DirEntry| {
                entry.file_name().to_str().is_some_and(|name| name.starts_with(&full))
            };
            folders.into_iter().find(is_meant)?.path()
        }
    };
    Some(folder.join("bin").join(name)).filter(|program| program.is_file())
}

/// Returns the toolchain that the text of a `rust-toolchain` file names: a channel in TOML, or a line.
fn channel(text: String) -> String {
    quoted_value(&text, "channel").unwrap_or(text)
}

/// Returns the text that a key of a TOML file has on a line of its own.
fn quoted_value(text: &str, key: &str) -> Option<String> {
    let mut values = text.lines().filter_map(|line| {
        let rest = line.trim().strip_prefix(key)?.trim_start().strip_prefix('=')?.trim();
        let (value, _) = rest.strip_prefix('"')?.split_once('"')?;
        Some(value.to_owned())
    });
    values.next()
}

/// Returns the text of the nearest of these files, in the working folder or above.
fn in_project(names: &[&str], program: &Program) -> Option<String> {
    let base = on_host(&program.base()?, &program.folders);
    let mut files = base.ancestors().flat_map(|folder| names.iter().map(|name| folder.join(name)));
    files.find_map(|file| read(&file))
}

fn value(name: &str, program: &Program) -> Option<String> {
    let value = program.variables.get(name).or_else(|| program.offered.get(name));
    value.filter(|value| !value.is_empty()).cloned()
}

fn read(file: &Path) -> Option<String> {
    let found = fs::metadata(file).ok()?;
    (found.is_file() && found.len() <= MAX_FILE).then(|| fs::read_to_string(file).ok())?
}

/// Returns true for a text that can only be the name of a folder.
fn is_name(text: &str) -> bool {
    !text.is_empty() && !text.starts_with('.') && !text.contains('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A home with the folders of two managers, which is removed at the end.
    struct Home(PathBuf);

    impl Home {
        fn new(name: &str) -> Self {
            let path = format!("cofferdam-managers-{}-{name}", std::process::id());
            let home = Home(std::env::temp_dir().join(path));
            for file in [
                ".cargo/bin/rustup",
                ".rustup/toolchains/stable-x86_64-a/bin/cargo",
                ".rustup/toolchains/1.90-x86_64-a/bin/cargo",
                ".pyenv/shims/python3",
                ".pyenv/versions/3.11.7/bin/python3",
                ".pyenv/versions/3.12.1/bin/python3",
            ] {
                home.write(file, "");
            }
            std::os::unix::fs::symlink("rustup", home.0.join(".cargo/bin/cargo")).expect("a link");
            home
        }

        fn write(&self, file: &str, text: &str) {
            let file = self.0.join(file);
            fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
            fs::write(file, text).expect("a file");
        }

        #[track_caller]
        fn check(&self, stand_in: &str, variable: &str, expect: Option<&str>) {
            let directory = Some(self.0.join("project"));
            let variables = variable.split_once('=').into_iter();
            let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
            let program =
                Program { directory, variables: variables.collect(), ..Program::default() };
            let found = behind(&self.0.join(stand_in), &program);
            assert_eq!(found, expect.map(|path| self.0.join(path)), "{stand_in} {variable}");
        }
    }

    impl Drop for Home {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn rustup_starts_the_toolchain_that_is_chosen() {
        let home = Home::new("rustup");
        let (stable, old) = (
            Some(".rustup/toolchains/stable-x86_64-a/bin/cargo"),
            Some(".rustup/toolchains/1.90-x86_64-a/bin/cargo"),
        );
        home.check(".cargo/bin/cargo", "", None);
        home.write(".rustup/settings.toml", "version = \"12\"\ndefault_toolchain = \"stable\"\n");
        home.check(".cargo/bin/cargo", "", stable);
        home.check(".cargo/bin/cargo", "RUSTUP_TOOLCHAIN=1.90", old);
        home.check(".cargo/bin/cargo", "RUSTUP_TOOLCHAIN=../../x", None);
        home.check(".cargo/bin/cargo", "RUSTUP_TOOLCHAIN=nightly", None);
        home.check(".cargo/bin/rustup", "", None);
        home.write("project/rust-toolchain.toml", "[toolchain]\nchannel = \"1.90\"\n");
        home.check(".cargo/bin/cargo", "", old);
    }

    #[test]
    fn shim_starts_the_version_that_is_chosen() {
        let home = Home::new("pyenv");
        let (old, new) = (
            Some(".pyenv/versions/3.11.7/bin/python3"),
            Some(".pyenv/versions/3.12.1/bin/python3"),
        );
        home.check(".pyenv/shims/python3", "", None);
        home.write(".pyenv/version", "2.7\n3.11.7\n");
        home.check(".pyenv/shims/python3", "", old);
        home.check(".pyenv/shims/python3", "PYENV_VERSION=3.12.1", new);
        home.check(".pyenv/shims/python3", "PYENV_VERSION=../../x", None);
        home.check(".pyenv/shims/ruby", "", None);
        home.write("project/.python-version", "3.12.1\n");
        home.check(".pyenv/shims/python3", "", new);
    }

    #[test]
    fn other_programs_are_what_they_are() {
        let home = Home::new("others");
        home.write("bin/tool", "");
        home.check("bin/tool", "", None);
        home.check("bin/missing", "", None);
    }
}
