//! Runs `tests/cases/*.sh`: scripts whose output has to be that of real git.
//!
//! A line `%%` separates scripts. `NAME.out` has the output of each, standard error last, as real
//! git 2.47 gave it; `RECORD=1` with a real git writes it anew, and the diff must be read. Every
//! repository that a script leaves behind is checked with `git fsck` where a real git is installed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Environment of every script: names, times and settings are fixed.
const SETUP: &str = "export GIT_AUTHOR_NAME=Ada GIT_AUTHOR_EMAIL=ada@example.com \
    GIT_COMMITTER_NAME=Ada GIT_COMMITTER_EMAIL=ada@example.com \
    GIT_AUTHOR_DATE='2026-01-02T03:04:05Z' GIT_COMMITTER_DATE='2026-01-02T03:04:05Z' \
    GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/nonexistent/gitconfig TZ=UTC LC_ALL=C.UTF-8 \
    GIT_CEILING_DIRECTORIES=/";

const SEPARATOR: &str = "%%\n";

fn run(bin: Option<&Path>, dir: &Path, script: &str) -> String {
    // A script of an earlier run may have left files.
    let _ = fs::remove_dir_all(dir);
    fs::create_dir_all(dir).unwrap();
    let path = match bin {
        Some(bin) => format!("{}:/usr/bin:/bin", bin.display()),
        None => std::env::var("PATH").unwrap(),
    };
    let output = Command::new("bash")
        .arg("-c")
        .arg(format!("{SETUP}\n{script}"))
        .current_dir(dir)
        .env_clear()
        .env("PATH", path)
        .env("HOME", dir)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    // Apart, because real git keeps its output back until it ends.
    let (out, error) = (&output.stdout, &output.stderr);
    let [out, error] = [out, error].map(|text| String::from_utf8_lossy(text).into_owned());
    let text = if error.is_empty() { out } else { format!("{out}--- stderr\n{error}") };
    text.replace(&*dir.to_string_lossy(), "/work")
}

/// Returns what `git fsck` has to say about the repositories in a directory.
fn problems(dir: &Path) -> String {
    let script = "for g in $(find . -name .git -type d -o -name '*.git' -type d); do \
        git --git-dir=\"$g\" fsck --strict 2>&1 | grep -v '^notice\\|^dangling\\|^Checking'; done";
    let output = Command::new("bash").arg("-c").arg(script).current_dir(dir).output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Treatment of the repositories that scripts leave behind.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Left {
    Sound,
    /// The scripts break them on purpose.
    Broken,
}

fn check(name: &str, left: Left) {
    let cases = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let root = std::env::temp_dir().join(format!("git-cases-{name}-{}", std::process::id()));
    let bin = root.join("bin");
    fs::create_dir_all(&bin).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_git"), bin.join("git")).unwrap();
    let is_checked = left == Left::Sound && Path::new("/usr/bin/git").exists();
    let scripts = fs::read_to_string(cases.join(format!("{name}.sh"))).unwrap();
    let record = std::env::var_os("RECORD").is_some();
    let mut outputs = Vec::new();
    let mut broken = Vec::new();
    for script in scripts.split(SEPARATOR) {
        let dir = root.join("work");
        outputs.push(run((!record).then_some(&bin), &dir, script));
        let found = if is_checked { problems(&dir) } else { String::new() };
        if !found.is_empty() {
            broken.push(format!("{script}{found}"));
        }
    }
    let file = cases.join(format!("{name}.out"));
    if record {
        fs::write(&file, outputs.join(SEPARATOR)).unwrap();
    }
    let expected = fs::read_to_string(&file).unwrap();
    let expected: Vec<&str> = expected.split(SEPARATOR).collect();
    let different: Vec<String> = scripts
        .split(SEPARATOR)
        .zip(outputs.iter().zip(&expected))
        .filter(|(_, (output, expected))| output != *expected)
        .map(|(script, (output, expected))| {
            format!("$ {script}--- expected\n{expected}--- found\n{output}")
        })
        .collect();
    fs::remove_dir_all(&root).unwrap();
    assert_eq!(outputs.len(), expected.len(), "{name}.out has another number of cases");
    assert!(different.is_empty(), "{}", different.join("\n"));
    assert!(broken.is_empty(), "git fsck: {}", broken.join("\n"));
}

#[test]
fn everyday_commands_print_what_git_prints() {
    check("everyday", Left::Sound);
}

#[test]
fn branches_merges_and_clones_print_what_git_prints() {
    check("branches", Left::Sound);
}

#[test]
fn differences_and_commits_are_shown_as_git_shows_them() {
    check("shown", Left::Sound);
}

#[test]
fn worktrees_bisections_and_mails_are_those_of_git() {
    check("workflows", Left::Sound);
}

#[test]
fn hostile_input_is_refused() {
    check("hostile", Left::Broken);
}

#[test]
fn rebases_merges_and_graphs_are_those_of_git() {
    check("history", Left::Sound);
}

#[test]
fn attributes_archives_notes_and_remotes_are_those_of_git() {
    check("files", Left::Sound);
}
