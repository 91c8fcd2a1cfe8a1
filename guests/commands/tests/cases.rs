//! Runs `tests/cases/*.txt`: scripts with their expected output, run by a real `sh` that finds the
//! project's commands first in its path.
//!
//! A line `$ …` is a script. The lines up to the next script are its output, including standard
//! error. A last line `[n]` is an exit code other than 0. Lines that start with `#` before a script
//! are prose.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

struct Case {
    script: String,
    expect: String,
}

fn cases(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in text.lines() {
        if let Some(script) = line.strip_prefix("$ ") {
            cases.push(Case { script: script.to_owned(), expect: String::new() });
        } else if line.starts_with("# ") || (line.is_empty() && cases.is_empty()) {
            continue;
        } else if let Some(case) = cases.last_mut() {
            case.expect.push_str(line);
            case.expect.push('\n');
        }
    }
    cases
}

/// Creates a directory that holds every command under its name.
fn commands(root: &Path) -> PathBuf {
    let dir = root.join("bin");
    fs::create_dir_all(&dir).unwrap();
    for name in cofferdam_guest_commands::names() {
        symlink(env!("CARGO_BIN_EXE_commands"), dir.join(name)).unwrap();
    }
    dir
}

fn run(bin: &Path, dir: &Path, script: &str) -> String {
    fs::create_dir_all(dir).unwrap();
    let path = format!("{}:/usr/bin:/bin", bin.display());
    let output = Command::new("/bin/sh")
        .arg("-c")
        .arg(format!("{{ {script}\n}} 2>&1"))
        .current_dir(dir)
        .env_clear()
        .env("PATH", path)
        .env("LC_ALL", "C.UTF-8")
        .env("HOME", "/home/user")
        .env("TZ", "UTC")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    match output.status.code() {
        Some(0) => {}
        Some(code) => text.push_str(&format!("[{code}]\n")),
        None => text.push_str("[killed]\n"),
    }
    text
}

#[test]
fn commands_write_what_the_case_files_say() {
    let root =
        PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("cases-{}", std::process::id()));
    let _ = fs::remove_dir_all(&root);
    let bin = commands(&root);
    let mut wrong = Vec::new();
    let mut count = 0;
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut files: Vec<_> =
        fs::read_dir(here).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for file in files {
        for case in cases(&fs::read_to_string(&file).unwrap()) {
            count += 1;
            let got = run(&bin, &root.join(format!("{count}")), &case.script);
            // Blank lines before the next script are layout.
            if got.trim_end_matches('\n') != case.expect.trim_end_matches('\n') {
                wrong.push(format!(
                    "{}: $ {}\n--- expected\n{}--- got\n{got}",
                    file.file_name().unwrap().to_string_lossy(),
                    case.script,
                    case.expect
                ));
            }
        }
    }
    let _ = fs::remove_dir_all(&root);
    assert!(count > 50, "only {count} cases were found");
    assert!(wrong.is_empty(), "{} of {count} differ\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_command_has_help() {
    let root =
        PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("help-{}", std::process::id()));
    let _ = fs::remove_dir_all(&root);
    let bin = commands(&root);
    // `test` takes every word as an expression; `git` is another program.
    let others = ["git", "test"];
    for name in cofferdam_guest_commands::names().iter().filter(|name| !others.contains(name)) {
        let text = run(&bin, &root.join("w"), &format!("'{}/{name}' --help", bin.display()));
        assert!(text.to_lowercase().contains("usage"), "{name} --help says {text:?}");
    }
    let _ = fs::remove_dir_all(&root);
}
