//! Builds the guests, takes their memory images and compiles them to native code.

use std::path::{Path, PathBuf};
use std::process::Command;

use cofferdam_cell::{Engine, ProgramEngine, imaging};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() {
    if let Err(error) = build() {
        for line in error.to_string().lines() {
            println!("cargo::error={line}");
        }
        std::process::exit(1);
    }
}

/// Embedded as `<name>.image`; the package is `cofferdam-guest-<name>`.
const GUESTS: [&str; 2] = ["js", "ts"];

/// What the images are made of, beside what this crate depends on.
const SOURCES: [&str; 11] = [
    "crates/abi/src",
    "guests/Cargo.lock",
    "guests/Cargo.toml",
    "guests/gate/Cargo.toml",
    "guests/gate/src",
    "guests/js/Cargo.toml",
    "guests/js/src",
    "guests/ts/Cargo.toml",
    "guests/ts/build.rs",
    "guests/ts/src",
    "scripts/guest-toolchain",
];

fn build() -> Result<()> {
    let root = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR")?).join("../..").canonicalize()?;
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    for watched in SOURCES {
        // Relative: several checkouts may share a target directory.
        println!("cargo::rerun-if-changed=../../{watched}");
    }
    println!("cargo::rerun-if-env-changed=COFFERDAM_GUEST_ROUTE");
    let toolchain = guest_toolchain(&root, "env")?;
    for guest in GUESTS {
        let wasm = build_guest(&root, &out, &toolchain, guest, Kind::Library)?;
        let image = imaging::initialise(&wasm).map_err(|e| format!("{guest} guest: {e}"))?;
        let native = Engine::compile(&image).map_err(|e| format!("{guest} guest: {e}"))?;
        std::fs::write(out.join(format!("{guest}.image")), native)?;
    }
    build_shell(&root, &out)
}

/// The shell guest is a program for WASI, not a tool's guest: it has no image of its memory.
fn build_shell(root: &Path, out: &Path) -> Result<()> {
    for watched in ["sh", "sys", "commands"] {
        println!("cargo::rerun-if-changed=../../guests/{watched}");
    }
    let embedded = match root.join("guests/sh/Cargo.toml").exists() {
        false => "None".to_owned(),
        true => {
            let toolchain = guest_toolchain(root, "env-wasip1")?;
            let wasm = build_guest(root, out, &toolchain, "sh", Kind::Program)?;
            let native = ProgramEngine::compile(&wasm).map_err(|e| format!("sh guest: {e}"))?;
            std::fs::write(out.join("sh.image"), native)?;
            r#"Some(include_bytes!(concat!(env!("OUT_DIR"), "/sh.image")))"#.to_owned()
        }
    };
    Ok(std::fs::write(out.join("sh.rs"), embedded)?)
}

/// What a guest is built as.
#[derive(Clone, Copy)]
enum Kind {
    /// A library that is entered again and again.
    Library,
    /// A program with `_start`.
    Program,
}

/// Runs cargo in the guests' own workspace and answers the module.
fn build_guest(
    root: &Path,
    out: &Path,
    toolchain: &[(String, String)],
    guest: &str,
    kind: Kind,
) -> Result<Vec<u8>> {
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
    for (key, value) in toolchain {
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
    let target = match kind {
        Kind::Library => "wasm32-unknown-unknown",
        Kind::Program => "wasm32-wasip1",
    };
    command
        .current_dir(root.join("guests"))
        .args(["rustc", "--release", "--locked", "--target", target])
        .args(["-p", &format!("cofferdam-guest-{guest}")]);
    match kind {
        // Named here, because cargo links a package without LTO that also makes an rlib.
        Kind::Library => command.args(["--lib", "--crate-type", "cdylib"]),
        Kind::Program => command.args(["--bin", guest]),
    };
    command.arg("--target-dir").arg(&target_dir);
    let output = command.output().map_err(|e| format!("{guest} guest: cannot run cargo: {e}"))?;
    if !output.status.success() {
        let log = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{guest} guest: cargo build failed\n{log}").into());
    }
    let file = match kind {
        Kind::Library => format!("{target}/release/cofferdam_guest_{guest}.wasm"),
        Kind::Program => format!("{target}/release/{guest}.wasm"),
    };
    let module = target_dir.join(file);
    std::fs::read(&module).map_err(|e| format!("{}: {e}", module.display()).into())
}

/// The toolchain as `scripts/guest-toolchain` finds it.
fn guest_toolchain(root: &Path, what: &str) -> Result<Vec<(String, String)>> {
    let script = root.join("scripts/guest-toolchain");
    let output = Command::new(&script)
        .arg(what)
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
