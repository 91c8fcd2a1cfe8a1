//! The public WASI test suite, which is not part of this repository. It runs if
//! `COFFERDAM_WASI_TESTSUITE` names a directory with its compiled tests.

use std::path::{Path, PathBuf};

use cofferdam::{Command, Ending, Sandbox};
use serde_json::Value as Json;

fn modules(under: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(under) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            modules(&path, found);
        } else if path.extension().is_some_and(|e| e == "wasm")
            && path.to_string_lossy().contains("wasm32-wasip1")
        {
            found.push(path);
        }
    }
}

/// Copies a directory of the suite to the root of the sandbox.
fn fill(sandbox: &Sandbox, from: &Path, to: &str) {
    for entry in std::fs::read_dir(from).into_iter().flatten().flatten() {
        let (path, at) = (entry.path(), format!("{to}/{}", entry.file_name().to_string_lossy()));
        if path.is_dir() {
            sandbox.write_file(&format!("{at}/.gitignore"), b"").expect("room");
            fill(sandbox, &path, &at);
        } else {
            let bytes = std::fs::read(&path).expect("readable");
            sandbox.write_file(&at, &bytes).expect("room");
        }
    }
}

async fn run(module: &Path) -> Result<(), String> {
    let spec = std::fs::read(module.with_extension("json")).unwrap_or_else(|_| b"{}".to_vec());
    let spec: Json = serde_json::from_slice(&spec).map_err(|e| e.to_string())?;
    let sandbox = Sandbox::new().map_err(|e| e.to_string())?;
    let bytes = std::fs::read(module).map_err(|e| e.to_string())?;
    let name = module.file_name().unwrap_or_default().to_string_lossy();
    let mut command = Command::wasm(&name, bytes).clear_env();
    for argument in spec["args"].as_array().into_iter().flatten() {
        command = command.arg(argument.as_str().unwrap_or_default());
    }
    for (name, value) in spec["env"].as_object().into_iter().flatten() {
        command = command.env(name, value.as_str().unwrap_or_default());
    }
    match spec["root"].as_str() {
        Some(root) => fill(&sandbox, &module.with_file_name(root), ""),
        None => command = command.without_preopens(),
    }
    let outcome = sandbox.run_program(command).await.map_err(|e| e.to_string())?;
    let expected = spec["exit_code"].as_u64().unwrap_or(0);
    let stdout = spec["stdout"].as_str();
    match &outcome.ending {
        Ending::Exited(code) if u64::from(*code) == expected => {}
        ending => return Err(format!("{ending:?}\n{}", outcome.stderr.text())),
    }
    match stdout {
        Some(expected) if outcome.stdout.text() != expected => {
            Err(format!("printed {:?}", outcome.stdout.text()))
        }
        Some(_) | None => Ok(()),
    }
}

#[tokio::test]
async fn the_public_suite_passes() {
    let Some(at) = std::env::var_os("COFFERDAM_WASI_TESTSUITE") else { return };
    let mut all = Vec::new();
    modules(Path::new(&at), &mut all);
    all.sort();
    assert!(!all.is_empty(), "no compiled tests below {}", at.display());
    let mut failed = 0;
    for module in &all {
        if let Err(why) = run(module).await {
            failed += 1;
            eprintln!(
                "{}: {}",
                module.display(),
                why.lines().take(6).collect::<Vec<_>>().join("\n    ")
            );
        }
    }
    eprintln!("{} of {} pass", all.len() - failed, all.len());
    assert_eq!(failed, 0);
}
