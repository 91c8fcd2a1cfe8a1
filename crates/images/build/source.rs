//! Builds the modules from the sources of the guests, and runs the initialisation of those that
//! are libraries.

use std::path::{Path, PathBuf};
use std::process::Command;

use cofferdam_cell::imaging;

use crate::progress::Progress;
use crate::toolchain::{Toolchain, watched};
use crate::{Guest, GuestForm, Result, module_file, python, quickjs, read, write};

/// Inputs of the modules that are not dependencies of this crate.
const SOURCES: [&str; 26] = [
    "crates/abi/src",
    "crates/dom/Cargo.toml",
    "crates/dom/src",
    "guests/Cargo.lock",
    "guests/Cargo.toml",
    "guests/commands",
    "guests/gate/Cargo.toml",
    "guests/gate/src",
    "guests/git/Cargo.toml",
    "guests/git/src",
    "guests/js/Cargo.toml",
    "guests/js/build.rs",
    "guests/js/src",
    "guests/py/Cargo.toml",
    "guests/py/build.rs",
    "guests/py/c",
    "guests/py/cpython",
    "guests/py/python",
    "guests/py/src",
    "guests/sh",
    "guests/sys",
    "guests/ts/Cargo.toml",
    "guests/ts/build.rs",
    "guests/ts/src",
    "scripts/guest-toolchain",
    "scripts/python-guest",
];

/// Returns the root of the repository, or `None` if this package is not in it.
pub(crate) fn root(package: &Path) -> Option<PathBuf> {
    let root = package.join("../..").canonicalize().ok()?;
    root.join("guests/Cargo.toml").is_file().then_some(root)
}

/// Tells cargo when to run this script again.
pub(crate) fn watch() {
    for source in SOURCES {
        // Relative paths, because several checkouts may share a target directory.
        println!("cargo::rerun-if-changed=../../{source}");
    }
    println!("cargo::rerun-if-env-changed=COFFERDAM_GUEST_ROUTE");
}

/// Builds the modules of the guests into the output directory.
pub(crate) fn modules(
    root: &Path,
    guests: &[&Guest],
    out: &Path,
    progress: &mut Progress,
) -> Result<()> {
    let target_dir = shared_target_dir(out);
    let toolchain = Toolchain::find(root, "env")?;
    let overrides = quickjs::changed(&toolchain, &target_dir)?;
    let place = Place { target_dir: &target_dir, overrides: &overrides };
    let mut programs = Vec::new();
    for guest in guests {
        let GuestForm::Library { package, init, .. } = guest.form else {
            programs.push(*guest);
            continue;
        };
        // Two builds of the same package write the same module file, so each module is read
        // immediately.
        let python = (package == "py").then(|| python::built(root, progress)).transpose()?;
        let wasm = build_library(&toolchain, place, guest, python.as_ref(), progress)?;
        let name = guest.name;
        progress.show(&format!("{name}: taking its image"));
        let made =
            imaging::initialise(&wasm, init, &[]).map_err(|e| format!("{name} guest: {e}"))?;
        write(&module_file(out, guest), &made.module)?;
    }
    build_programs(root, &programs, out, place, progress)
}

/// Directories of a guest build.
#[derive(Clone, Copy)]
struct Place<'a> {
    target_dir: &'a Path,
    /// Directory of a package that overrides the registry's package of the same name.
    overrides: &'a Path,
}

/// Builds a guest as a library, which the host enters repeatedly, and returns the module.
fn build_library(
    toolchain: &Toolchain,
    place: Place<'_>,
    guest: &Guest,
    python: Option<&python::Built>,
    progress: &mut Progress,
) -> Result<Vec<u8>> {
    let GuestForm::Library { package, features, .. } = guest.form else {
        return Err(format!("{}: not a library", guest.name).into());
    };
    let mut cargo = toolchain.cargo();
    if let Some(python) = python {
        python.set(&mut cargo);
    }
    // Names the crate type explicitly: cargo disables LTO for a package that also produces an rlib.
    cargo.args(["rustc", "--lib", "--crate-type", "cdylib", "--features", features]);
    cargo.args(["-p", &format!("cofferdam-guest-{package}")]);
    let folder = run_cargo(cargo, place, "wasm32-unknown-unknown", guest.name, progress)?;
    read(&folder.join(format!("cofferdam_guest_{package}.wasm")))
}

fn build_programs(
    root: &Path,
    programs: &[&Guest],
    out: &Path,
    place: Place<'_>,
    progress: &mut Progress,
) -> Result<()> {
    if programs.is_empty() {
        return Ok(());
    }
    let toolchain = Toolchain::find(root, "env-wasip1")?;
    // One build for all, so that shared dependencies are compiled once, with one set of features.
    let mut cargo = toolchain.cargo();
    cargo.arg("build");
    for Guest { name, .. } in programs {
        cargo.args(["-p", &format!("cofferdam-guest-{name}"), "--bin", name]);
    }
    let names: Vec<&str> = programs.iter().map(|guest| guest.name).collect();
    let folder = run_cargo(cargo, place, "wasm32-wasip1", &names.join(", "), progress)?;
    for guest in programs {
        write(&module_file(out, guest), &read(&folder.join(format!("{}.wasm", guest.name)))?)?;
    }
    Ok(())
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
    watched(cargo, |line| progress.show(&format!("{what}: {}", line.trim())))
        .map_err(|log| format!("{what} guest: cargo build failed\n{log}"))?;
    Ok(place.target_dir.join(target).join("release"))
}

/// Returns the guests' target directory, beside the host's profile directories. Checkouts that
/// share a target directory thus share the guests' standard library.
fn shared_target_dir(out: &Path) -> PathBuf {
    let build = out.ancestors().find(|dir| dir.ends_with("build"));
    let root = build.and_then(Path::parent).and_then(Path::parent);
    root.unwrap_or(out).join("guests")
}
