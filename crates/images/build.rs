//! Builds the guests, takes their memory images and compiles them to native code.

use std::path::{Path, PathBuf};
use std::process::Command;

use cofferdam_cell::{Engine, imaging};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() {
    if let Err(error) = build() {
        for line in error.to_string().lines() {
            println!("cargo::error={line}");
        }
        std::process::exit(1);
    }
}

fn build() -> Result<()> {
    let package = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR")?);
    let root = package.join("../..").canonicalize()?;
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    for watched in ["guests/js/src", "guests/js/Cargo.toml", "guests/js/Cargo.lock", "crates/abi/src"] {
        println!("cargo::rerun-if-changed=../../{watched}");
    }
    println!("cargo::rerun-if-changed=../../scripts/guest-toolchain");
    println!("cargo::rerun-if-env-changed=COFFERDAM_GUEST_ROUTE");
    let wasm = build_guest(&root, &out, "js", "cofferdam_guest_js")?;
    let image = imaging::initialise(&wasm).map_err(|e| format!("js guest: {e}"))?;
    let native = Engine::compile(&image).map_err(|e| format!("js guest: {e}"))?;
    std::fs::write(out.join("js.image"), native)?;
    Ok(())
}

/// Runs cargo in the guest's own workspace and answers the module.
fn build_guest(root: &Path, out: &Path, guest: &str, file: &str) -> Result<Vec<u8>> {
    let target_dir = shared_target_dir(out);
    let mut command = Command::new(std::env::var("CARGO")?);
    // What the outer cargo set is meant for the host, not for the guest.
    for (key, _) in std::env::vars() {
        let keep = ["CARGO_HOME", "CARGO_HTTP_CAINFO", "CARGO_NET_OFFLINE", "CARGO_TERM_COLOR"];
        let outer = key.starts_with("CARGO") || key.starts_with("RUST") || key.starts_with("DEP_");
        if outer && !keep.contains(&key.as_str()) && !key.starts_with("RUSTUP") {
            command.env_remove(key);
        }
    }
    let toolchain = guest_toolchain(root)?;
    for (key, value) in &toolchain {
        if key == "CARGO" {
            let previous = std::mem::replace(&mut command, Command::new(value));
            for (key, value) in previous.get_envs() {
                match value {
                    Some(value) => command.env(key, value),
                    None => command.env_remove(key),
                };
            }
        }
        command.env(key, value);
    }
    command
        .current_dir(root.join("guests").join(guest))
        .args(["build", "--release", "--locked", "--target", "wasm32-unknown-unknown"])
        .arg("--target-dir")
        .arg(&target_dir);
    let output = command.output().map_err(|e| format!("{guest} guest: cannot run cargo: {e}"))?;
    if !output.status.success() {
        let log = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{guest} guest: cargo build failed\n{log}").into());
    }
    let module = target_dir.join("wasm32-unknown-unknown/release").join(format!("{file}.wasm"));
    std::fs::read(&module).map_err(|e| format!("{}: {e}", module.display()).into())
}

/// The toolchain as `scripts/guest-toolchain` finds it.
fn guest_toolchain(root: &Path) -> Result<Vec<(String, String)>> {
    let script = root.join("scripts/guest-toolchain");
    let output = Command::new(&script)
        .arg("env")
        .env_remove("RUSTC")
        .output()
        .map_err(|e| format!("{}: {e}", script.display()))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    let lines = String::from_utf8(output.stdout)?;
    let pairs = lines.lines().filter_map(|line| line.split_once('='));
    Ok(pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).collect())
}

/// Beside the host's profile directories, so that every checkout that shares a target directory
/// shares the guests' standard library too.
fn shared_target_dir(out: &Path) -> PathBuf {
    let build = out.ancestors().find(|dir| dir.ends_with("build"));
    let root = build.and_then(Path::parent).and_then(Path::parent);
    root.unwrap_or(out).join("guests")
}
