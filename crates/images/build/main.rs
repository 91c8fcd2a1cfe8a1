//! Builds the guests, snapshots their initialised memory as images, and compiles them to native
//! code.

mod progress;
mod quickjs;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use cofferdam_cell::{Engine, ProgramEngine, imaging};

use progress::Progress;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() {
    if let Err(error) = build() {
        for line in error.to_string().lines() {
            println!("cargo::error={line}");
        }
        std::process::exit(1);
    }
}

/// A guest whose initialised memory is part of its image.
struct Guest {
    /// The image is embedded as `<name>.image`.
    name: &'static str,
    /// The package is `cofferdam-guest-<package>`.
    package: &'static str,
    features: &'static str,
}

const GUESTS: [Guest; 3] = [
    Guest { name: "js", package: "js", features: "" },
    // The same guest with a document, for the iframe boundary.
    Guest { name: "js-document", package: "js", features: "document" },
    Guest { name: "ts", package: "ts", features: "" },
];

/// Inputs of the images that are not dependencies of this crate.
const SOURCES: [&str; 13] = [
    "crates/abi/src",
    "crates/dom/Cargo.toml",
    "crates/dom/src",
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

/// Skips the guests, which take minutes to build. Set by `make lint` and other checks that run
/// nothing. A program built with this variable has no guests and fails on start with a message that
/// says so.
const ONLY_CHECK: &str = "COFFERDAM_ONLY_CHECK";

fn build() -> Result<()> {
    let root = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR")?).join("../..").canonicalize()?;
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    for watched in SOURCES {
        // Relative paths, because several checkouts may share a target directory.
        println!("cargo::rerun-if-changed=../../{watched}");
    }
    println!("cargo::rerun-if-env-changed=COFFERDAM_GUEST_ROUTE");
    println!("cargo::rerun-if-env-changed={ONLY_CHECK}");
    if std::env::var_os(ONLY_CHECK).is_some() {
        return embed_nothing(&out);
    }
    let toolchain = Toolchain::find(&root, "env")?;
    let target_dir = shared_target_dir(&out);
    let overrides = quickjs::changed(&toolchain, &target_dir)?;
    let mut progress = Progress::new();
    let place = Place { target_dir: &target_dir, overrides: &overrides };
    for guest in GUESTS {
        // Two builds of the same package write the same module file, so each module is read
        // immediately.
        let wasm = build_library(&toolchain, place, &guest, &mut progress)?;
        let name = guest.name;
        progress.show(&format!("{name}: taking its image"));
        let image = imaging::initialise(&wasm).map_err(|e| format!("{name} guest: {e}"))?;
        progress.show(&format!("{name}: to native code"));
        let native = Engine::compile(&image).map_err(|e| format!("{name} guest: {e}"))?;
        std::fs::write(out.join(format!("{name}.image")), native)?;
    }
    build_programs(&root, &out, place, progress)
}

/// Directories of a guest build.
#[derive(Clone, Copy)]
struct Place<'a> {
    target_dir: &'a Path,
    /// Directory of a package that overrides the registry's package of the same name.
    overrides: &'a Path,
}

fn embed_nothing(out: &Path) -> Result<()> {
    for name in GUESTS.iter().map(|guest| guest.name).chain(PROGRAMS) {
        std::fs::write(out.join(format!("{name}.image")), [])?;
    }
    Ok(())
}

/// The shell and its commands are WASI programs without a memory image. They are two programs
/// because the function table is copied for every cell, and most cells are shells.
const PROGRAMS: [&str; 2] = ["sh", "commands"];

fn build_programs(root: &Path, out: &Path, place: Place<'_>, mut progress: Progress) -> Result<()> {
    for watched in ["sh", "sys", "commands"] {
        println!("cargo::rerun-if-changed=../../guests/{watched}");
    }
    let toolchain = Toolchain::find(root, "env-wasip1")?;
    // One build for both, so that shared dependencies are compiled once, with one set of features.
    let mut cargo = toolchain.cargo();
    cargo.arg("build");
    for name in PROGRAMS {
        cargo.args(["-p", &format!("cofferdam-guest-{name}"), "--bin", name]);
    }
    let folder = run_cargo(cargo, place, "wasm32-wasip1", "sh, commands", &mut progress)?;
    for name in PROGRAMS {
        let wasm = read_module(&folder.join(format!("{name}.wasm")))?;
        progress.show(&format!("{name}: to native code"));
        let native = ProgramEngine::compile(&wasm).map_err(|e| format!("{name} guest: {e}"))?;
        std::fs::write(out.join(format!("{name}.image")), native)?;
    }
    Ok(())
}

/// Builds a guest as a library, which the host enters repeatedly, and returns the module.
fn build_library(
    toolchain: &Toolchain,
    place: Place<'_>,
    guest: &Guest,
    progress: &mut Progress,
) -> Result<Vec<u8>> {
    let Guest { name, package, features } = guest;
    let mut cargo = toolchain.cargo();
    // Names the crate type explicitly: cargo disables LTO for a package that also produces an rlib.
    cargo.args(["rustc", "--lib", "--crate-type", "cdylib", "--features", features]);
    cargo.args(["-p", &format!("cofferdam-guest-{package}")]);
    let folder = run_cargo(cargo, place, "wasm32-unknown-unknown", name, progress)?;
    read_module(&folder.join(format!("cofferdam_guest_{package}.wasm")))
}

/// Runs cargo in the guests' workspace and returns the directory of the modules.
fn run_cargo(
    mut cargo: Command,
    place: Place<'_>,
    target: &str,
    what: &str,
    progress: &mut Progress,
) -> Result<PathBuf> {
    cargo
        .args(["--release", "--locked", "--target", target])
        // A path override leaves the lock file unchanged; `[patch]` does not.
        .args(["--config", &format!("paths=[{:?}]", place.overrides)])
        .arg("--target-dir")
        .arg(place.target_dir);
    progress.show(&format!("{what}: cargo"));
    watch(cargo, |line| progress.show(&format!("{what}: {}", line.trim())))
        .map_err(|log| format!("{what} guest: cargo build failed\n{log}"))?;
    Ok(place.target_dir.join(target).join("release"))
}

fn read_module(file: &Path) -> Result<Vec<u8>> {
    std::fs::read(file).map_err(|e| format!("{}: {e}", file.display()).into())
}

/// Runs a command and passes each line of its standard error to `line`. The error holds the whole
/// log.
fn watch(mut command: Command, mut line: impl FnMut(&str)) -> Result<()> {
    let program = command.get_program().to_owned();
    let spawned = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    let mut child = spawned.map_err(|e| format!("cannot run {program:?}: {e}"))?;
    let mut log = String::new();
    for read in child.stderr.take().into_iter().flat_map(|err| BufReader::new(err).split(b'\n')) {
        let text = String::from_utf8_lossy(&read?).into_owned();
        line(&text);
        log.push_str(&text);
        log.push('\n');
    }
    match child.wait()?.success() {
        true => Ok(()),
        false => Err(log.into()),
    }
}

/// Runs a command and returns its output. The error holds its standard error.
fn run(mut command: Command) -> Result<Output> {
    let program = command.get_program().to_owned();
    let output = command.output().map_err(|e| format!("cannot run {program:?}: {e}"))?;
    if output.status.success() {
        return Ok(output);
    }
    Err(String::from_utf8_lossy(&output.stderr).into_owned().into())
}

/// The toolchain of the guests, as found by `scripts/guest-toolchain`.
struct Toolchain {
    guests: PathBuf,
    variables: Vec<(String, String)>,
}

impl Toolchain {
    fn find(root: &Path, what: &str) -> Result<Self> {
        let mut script = Command::new(root.join("scripts/guest-toolchain"));
        script.arg(what).env_remove("RUSTC");
        let lines = String::from_utf8(run(script)?.stdout)?;
        let pairs = lines.lines().filter_map(|line| line.split_once('='));
        let variables = pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
        Ok(Toolchain { guests: root.join("guests"), variables })
    }

    /// Returns a cargo command for the guests' workspace.
    fn cargo(&self) -> Command {
        let named = self.variables.iter().find(|(key, _)| key == "CARGO");
        let program = named.map(|(_, value)| value.clone()).or_else(|| std::env::var("CARGO").ok());
        let mut command = Command::new(program.unwrap_or_else(|| "cargo".into()));
        // Variables set by the outer cargo apply to the host, not to the guest.
        for (key, _) in std::env::vars() {
            let keep = ["CARGO_HOME", "CARGO_HTTP_CAINFO", "CARGO_NET_OFFLINE", "CARGO_TERM_COLOR"];
            let is_outer = ["CARGO", "RUST", "DEP_"].iter().any(|start| key.starts_with(start));
            if is_outer && !keep.contains(&key.as_str()) && !key.starts_with("RUSTUP") {
                command.env_remove(key);
            }
        }
        command.envs(self.variables.iter().map(|(key, value)| (key, value)));
        command.current_dir(&self.guests);
        command
    }
}

/// Returns the guests' target directory, beside the host's profile directories. Checkouts that
/// share a target directory thus share the guests' standard library.
fn shared_target_dir(out: &Path) -> PathBuf {
    let build = out.ancestors().find(|dir| dir.ends_with("build"));
    let root = build.and_then(Path::parent).and_then(Path::parent);
    root.unwrap_or(out).join("guests")
}
