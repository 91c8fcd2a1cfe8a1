//! Scripts compared with the output of a real bash: `tests/cases/<topic>.sh` and `.out`.
//!
//! `COFFERDAM_ORACLE=bash cargo test` rewrites the expectations with the output of that shell; read
//! the diff. `hostile` is excluded, because it crashes bash itself.

use std::path::Path;
use std::process::{Command, Stdio};

/// Runs a script in an empty directory and returns its output and status.
fn run(shell: &str, script: &Path) -> String {
    let topic = script.file_stem().and_then(|name| name.to_str()).unwrap_or("case");
    let folder = std::env::temp_dir().join(format!("sh-case-{}-{topic}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder for the case");
    // A script that starts `bash` gets the shell under test, not that of the machine.
    let bin = folder.with_extension("bin");
    let _ = std::fs::remove_dir_all(&bin);
    std::fs::create_dir_all(&bin).expect("a folder for the shell");
    let mut program = std::path::PathBuf::from(shell);
    if program.is_absolute() {
        // The name decides about POSIX mode: the program itself is called `sh`.
        let link = bin.join("bash");
        std::os::unix::fs::symlink(shell, &link).expect("a link to the shell");
        program = link;
    }
    // A shell cannot trap signals ignored when it started, such as SIGINT under `nohup make test
    // &`.
    let output = Command::new("/usr/bin/env")
        .arg("--default-signal")
        .arg(program)
        .arg(script)
        .current_dir(&folder)
        .env_clear()
        .env("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", bin.display()))
        .env("HOME", "/home/user")
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::null())
        .output()
        .expect("the shell starts");
    let _ = std::fs::remove_dir_all(&folder);
    let _ = std::fs::remove_dir_all(&bin);
    let text = String::from_utf8_lossy(&output.stdout);
    format!("{text}status {}\n", output.status.code().unwrap_or(-1))
}

#[test]
fn scripts_print_what_bash_prints() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let oracle = std::env::var("COFFERDAM_ORACLE").ok();
    let mut scripts: Vec<_> = std::fs::read_dir(&folder)
        .expect("the cases")
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ext| ext == "sh"))
        .collect();
    scripts.sort();
    assert!(!scripts.is_empty());
    let mut wrong = Vec::new();
    for script in scripts {
        let expected = script.with_extension("out");
        if let Some(oracle) = oracle.as_ref().filter(|_| !script.ends_with("hostile.sh")) {
            std::fs::write(&expected, run(oracle, &script)).expect("expectations are written");
        }
        let want = std::fs::read_to_string(&expected).unwrap_or_default();
        let got = run(env!("CARGO_BIN_EXE_sh"), &script);
        if got != want {
            let line = got.lines().zip(want.lines()).find(|(got, want)| got != want);
            wrong.push(format!("{}: {line:?}\n{got}", script.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
