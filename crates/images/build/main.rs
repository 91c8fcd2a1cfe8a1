//! Embeds the guests: takes their modules from the sources or from the package, and compiles them
//! to native code.
//!
//! A module is a guest as WebAssembly, with its initialised memory. In the repository, modules are
//! built from the sources in `guests`, which needs a toolchain for WebAssembly. In the published
//! package they are in `packed`, and nothing but Rust is needed.

mod packed;
mod progress;
mod python;
mod quickjs;
mod source;
mod toolchain;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use cofferdam_abi::names;
use cofferdam_cell::{Engine, ProgramEngine, imaging};

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
    /// The module is `<name>.wasm`, the native code `<name>.image`, or `<name>.packed`.
    name: &'static str,
    /// Feature of this crate that embeds the guest, as cargo tells build scripts; empty if the
    /// guest is always embedded.
    feature: &'static str,
    /// True if the package for browsers has this guest; `scripts/web-guests` builds some others.
    is_for_browsers: bool,
    /// True if the native code is embedded as `<name>.packed`, which a first use unpacks.
    is_packed: bool,
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
        /// Export that initialises the memory.
        init: &'static str,
    },
    /// A WASI program without a memory image, the binary `<name>` of `cofferdam-guest-<name>`.
    Program,
}

use GuestForm::{Library, Program};

/// All guests. The shell and its commands are two programs because the function table is copied for
/// every cell, and most cells are shells.
const GUESTS: [Guest; 8] = [
    Guest {
        name: "js",
        feature: "",
        is_for_browsers: false,
        is_packed: false,
        form: Library { package: "js", features: "", init: names::INIT },
    },
    // The same guest with Node's modules loaded. It has twice as many pages with content, and a
    // fresh cell of it takes longer.
    Guest {
        name: "js-node",
        feature: "",
        is_for_browsers: true,
        is_packed: true,
        form: Library { package: "js", features: "", init: names::INIT_WITH_LIBRARY },
    },
    // The same guest with a document, for the iframe boundary.
    Guest {
        name: "js-document",
        feature: "CARGO_FEATURE_DOM",
        is_for_browsers: true,
        is_packed: true,
        form: Library { package: "js", features: "document", init: names::INIT_WITH_LIBRARY },
    },
    Guest {
        name: "ts",
        feature: "CARGO_FEATURE_TYPESCRIPT",
        is_for_browsers: true,
        is_packed: true,
        form: Library { package: "ts", features: "", init: names::INIT },
    },
    Guest {
        name: "py",
        feature: "CARGO_FEATURE_PYTHON",
        // Twice as long as all the others together.
        is_for_browsers: false,
        is_packed: true,
        form: Library { package: "py", features: "", init: names::INIT },
    },
    Guest {
        name: "sh",
        feature: "CARGO_FEATURE_SHELL",
        is_for_browsers: false,
        is_packed: false,
        form: Program,
    },
    Guest {
        name: "commands",
        feature: "CARGO_FEATURE_SHELL",
        is_for_browsers: true,
        is_packed: true,
        form: Program,
    },
    // Separate from the commands, so that only runs that use git load it.
    Guest {
        name: "git",
        feature: "CARGO_FEATURE_SHELL",
        is_for_browsers: true,
        is_packed: true,
        form: Program,
    },
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
    let compiler = std::env::current_exe().and_then(std::fs::read)?;
    for guest in guests {
        let module = read(&module_file(&out, guest))?;
        let stamp = stamp(&compiler, &module);
        let stamp_file = stamp_file(&out, guest);
        if std::fs::read_to_string(&stamp_file).is_ok_and(|earlier| earlier == stamp) {
            continue;
        }
        progress.show(&format!("{}: to native code", guest.name));
        let code = guest.compile(&module)?;
        if guest.is_packed {
            progress.show(&format!("{}: packed", guest.name));
            write(&image_file(&out, guest), &imaging::pack(&code)?)?;
        } else {
            write(&image_file(&out, guest), &code)?;
        }
        if guest.is_for_browsers {
            let web = imaging::for_browser(&module).map_err(|e| format!("{}: {e}", guest.name))?;
            write(&web_file(&out, guest), &web)?;
        }
        write(&stamp_file, stamp.as_bytes())?;
    }
    Ok(())
}

/// Returns a text that changes with the module and with this program, which contains the compiler.
/// Most changes concern one guest, and compiling all of them takes minutes.
fn stamp(compiler: &[u8], module: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    (compiler, module).hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

fn embed_nothing(guests: &[&Guest], out: &Path) -> Result<()> {
    guests.iter().try_for_each(|guest| {
        write(&stamp_file(out, guest), &[])?;
        write(&image_file(out, guest), &[])
    })
}

/// Returns the file of a guest's module in the output directory. `scripts/package` packs the files
/// from there.
fn module_file(out: &Path, guest: &Guest) -> PathBuf {
    out.join(format!("{}.wasm", guest.name))
}

/// Returns the file of a guest's module for browsers. `scripts/web` takes the files from there.
fn web_file(out: &Path, guest: &Guest) -> PathBuf {
    out.join(format!("{}.web.wasm", guest.name))
}

fn stamp_file(out: &Path, guest: &Guest) -> PathBuf {
    out.join(format!("{}.stamp", guest.name))
}

fn image_file(out: &Path, guest: &Guest) -> PathBuf {
    let ending = if guest.is_packed { "packed" } else { "image" };
    out.join(format!("{}.{ending}", guest.name))
}

fn read(file: &Path) -> Result<Vec<u8>> {
    std::fs::read(file).map_err(|e| format!("{}: {e}", file.display()).into())
}

fn write(file: &Path, bytes: &[u8]) -> Result<()> {
    std::fs::write(file, bytes).map_err(|e| format!("{}: {e}", file.display()).into())
}
