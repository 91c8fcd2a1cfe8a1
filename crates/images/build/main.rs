//! Embeds the guests: takes their modules from the sources or from the package, and compiles them
//! to native code.
//!
//! A module is a guest as WebAssembly, with its initialised memory. In the repository, modules are
//! built from the sources in `guests`, which needs a toolchain for WebAssembly. In the published
//! package they are in `packed`, and nothing but Rust is needed.

mod packed;
mod progress;
mod quickjs;
mod source;
mod toolchain;

use std::path::{Path, PathBuf};

use cofferdam_cell::{Engine, ProgramEngine};

use progress::Progress;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() {
    if let Err(error) = embed() {
        for line in error.to_string().lines() {
            println!("cargo::error={line}");
        }
        std::process::exit(1);
    }
}

/// An embedded guest.
struct Guest {
    /// The module is `<name>.wasm`, the native code `<name>.image`.
    name: &'static str,
    /// Feature of this crate that embeds the guest, as cargo tells build scripts; empty if the
    /// guest is always embedded.
    feature: &'static str,
    form: GuestForm,
}

/// Ways in which the host uses a guest.
enum GuestForm {
    /// A library that the host enters repeatedly. Its initialised memory is part of its module.
    Library {
        /// The package is `cofferdam-guest-<package>`.
        package: &'static str,
        /// Features of that package.
        features: &'static str,
    },
    /// A WASI program without a memory image, the binary `<name>` of `cofferdam-guest-<name>`.
    Program,
}

use GuestForm::{Library, Program};

/// All guests. The shell and its commands are two programs because the function table is copied for
/// every cell, and most cells are shells.
const GUESTS: [Guest; 5] = [
    Guest { name: "js", feature: "", form: Library { package: "js", features: "" } },
    // The same guest with a document, for the iframe boundary.
    Guest {
        name: "js-document",
        feature: "CARGO_FEATURE_DOM",
        form: Library { package: "js", features: "document" },
    },
    Guest {
        name: "ts",
        feature: "CARGO_FEATURE_TYPESCRIPT",
        form: Library { package: "ts", features: "" },
    },
    Guest { name: "sh", feature: "CARGO_FEATURE_SHELL", form: Program },
    Guest { name: "commands", feature: "CARGO_FEATURE_SHELL", form: Program },
];

impl Guest {
    fn is_embedded(&self) -> bool {
        self.feature.is_empty() || std::env::var_os(self.feature).is_some()
    }

    fn compile(&self, module: &[u8]) -> Result<Vec<u8>> {
        let native = match self.form {
            Library { .. } => Engine::compile(module),
            Program => ProgramEngine::compile(module),
        };
        native.map_err(|e| format!("{} guest: {e}", self.name).into())
    }
}

/// Variables that skip the guests, which take minutes to build. `make lint` and other checks that
/// run nothing set the first, docs.rs sets the second. A program built with one of them has no
/// guests and fails on start with a message that says so.
const ONLY_CHECK: [&str; 2] = ["COFFERDAM_ONLY_CHECK", "DOCS_RS"];

fn embed() -> Result<()> {
    let package = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    let root = source::root(&package);
    match root {
        Some(_) => source::watch(),
        None => packed::watch(),
    }
    for variable in ONLY_CHECK {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    let guests: Vec<&Guest> = GUESTS.iter().filter(|guest| guest.is_embedded()).collect();
    if ONLY_CHECK.iter().any(|variable| std::env::var_os(variable).is_some()) {
        return embed_nothing(&guests, &out);
    }
    let mut progress = Progress::new();
    match root {
        Some(root) => source::modules(&root, &guests, &out, &mut progress)?,
        None => packed::modules(&package, &guests, &out)?,
    }
    for guest in guests {
        progress.show(&format!("{}: to native code", guest.name));
        let native = guest.compile(&read(&module_file(&out, guest))?)?;
        write(&image_file(&out, guest), &native)?;
    }
    Ok(())
}

fn embed_nothing(guests: &[&Guest], out: &Path) -> Result<()> {
    guests.iter().try_for_each(|guest| write(&image_file(out, guest), &[]))
}

/// Returns the file of a guest's module in the output directory. `scripts/package` packs the files
/// from there.
fn module_file(out: &Path, guest: &Guest) -> PathBuf {
    out.join(format!("{}.wasm", guest.name))
}

fn image_file(out: &Path, guest: &Guest) -> PathBuf {
    out.join(format!("{}.image", guest.name))
}

fn read(file: &Path) -> Result<Vec<u8>> {
    std::fs::read(file).map_err(|e| format!("{}: {e}", file.display()).into())
}

fn write(file: &Path, bytes: &[u8]) -> Result<()> {
    std::fs::write(file, bytes).map_err(|e| format!("{}: {e}", file.display()).into())
}
