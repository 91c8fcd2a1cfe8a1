//! Links CPython, and makes the table of the standard library.
//!
//! `COFFERDAM_PYTHON` and `COFFERDAM_PYTHON_START` name the folders that `scripts/python-guest` has
//! made. Without them, as in checks that run nothing, the guest cannot be linked.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::Compression;
use flate2::write::ZlibEncoder;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Stack that the guest is linked with. CPython counts nested calls of C code and stops before this
/// is used up.
const STACK: usize = 4 << 20;

/// Libraries, dependent ones first.
const LIBRARIES: [&str; 11] = [
    "start",
    "python3.13",
    "mpdec",
    "expat",
    "Hacl_Hash_SHA2",
    "sqlite3",
    "compression",
    "z",
    "c",
    "zigc",
    "compiler_rt",
];

/// Modules that are loaded before the one that unpacks the others.
const FIRST: [&str; 5] =
    ["cofferdam", "cofferdam.library", "encodings", "encodings.aliases", "encodings.utf_8"];

fn main() {
    if let Err(error) = build() {
        for line in error.to_string().lines() {
            println!("cargo::error={line}");
        }
        std::process::exit(1);
    }
}

fn build() -> Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=python");
    println!("cargo::rerun-if-changed=cpython/freeze.py");
    println!("cargo::rerun-if-env-changed=COFFERDAM_PYTHON");
    println!("cargo::rerun-if-env-changed=COFFERDAM_PYTHON_START");
    if std::env::var("CARGO_CFG_TARGET_ARCH")? != "wasm32" {
        return Ok(());
    }
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    let Some(home) = std::env::var_os("COFFERDAM_PYTHON").map(PathBuf::from) else {
        std::fs::write(out.join("library.rs"), table(&out, &[])?)?;
        return Ok(());
    };
    println!("cargo::rustc-link-arg-cdylib=-zstack-size={STACK}");
    println!("cargo::rustc-link-search=native={}", home.join("lib").display());
    if let Ok(start) = std::env::var("COFFERDAM_PYTHON_START") {
        println!("cargo::rustc-link-search=native={start}");
    }
    for library in LIBRARIES {
        println!("cargo::rustc-link-lib=static:-bundle={library}");
    }
    let mut modules = freeze(&home, &out)?;
    // A module of this guest replaces one of the standard library.
    let names: Vec<String> = modules.iter().map(|module| module.name.clone()).collect();
    let library = index(&home.join("library.txt"), &home.join("library.bin"))?;
    modules.extend(library.into_iter().filter(|module| !names.contains(&module.name)));
    modules.sort_by(|a, b| a.name.cmp(&b.name));
    std::fs::write(out.join("library.rs"), table(&out, &modules)?)?;
    Ok(())
}

/// Compiles the Python files of this guest with the interpreter of the same version.
fn freeze(home: &Path, out: &Path) -> Result<Vec<Module>> {
    let source = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR")?);
    let status = Command::new(home.join("native/bin/python3.13"))
        .env("PYTHONHOME", home.join("native"))
        .args(["-S", "-B"])
        .arg(source.join("cpython/freeze.py"))
        .args([&source.join("python"), &out.join("own")])
        .status()
        .map_err(|e| format!("{}: {e}", home.display()))?;
    if !status.success() {
        return Err("the Python files of the guest do not compile".into());
    }
    index(&out.join("own.txt"), &out.join("own.bin"))
}

/// A compiled module.
struct Module {
    name: String,
    is_package: bool,
    code: Vec<u8>,
}

/// Reads a file of compiled modules by its list.
fn index(list: &Path, file: &Path) -> Result<Vec<Module>> {
    let failed = |path: &Path, e: std::io::Error| format!("{}: {e}", path.display());
    let text = std::fs::read_to_string(list).map_err(|e| failed(list, e))?;
    let data = std::fs::read(file).map_err(|e| failed(file, e))?;
    let modules = text.lines().map(|line| {
        let mut words = line.split(' ');
        let mut next = || words.next().ok_or_else(|| format!("{}: {line}", list.display()));
        let (name, offset, len) =
            (next()?.to_owned(), next()?.parse::<usize>()?, next()?.parse::<usize>()?);
        let code = data.get(offset..offset + len).ok_or("a module past the end")?.to_vec();
        Ok(Module { name, is_package: next()? == "1", code })
    });
    modules.collect()
}

/// Writes the tables as Rust: modules that the interpreter starts with, and all others, packed.
fn table(out: &Path, modules: &[Module]) -> Result<String> {
    let (first, later): (Vec<_>, Vec<_>) =
        modules.iter().partition(|module| FIRST.contains(&module.name.as_str()));
    let mut text = format!("static FIRST: Table<{}> = Table([\n", first.len() + 1);
    for (number, Module { name, is_package, code }) in first.iter().enumerate() {
        let file = out.join(format!("first_{number}.bin"));
        std::fs::write(&file, code)?;
        text += &format!("    module(c{name:?}, include_bytes!({file:?}), {is_package}),\n");
    }
    text += "    END,\n]);\n";
    let mut packed = Vec::new();
    text += &format!("static LATER: [Packed; {}] = [\n", later.len());
    for Module { name, is_package, code } in &later {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(code)?;
        let code = encoder.finish()?;
        let (from, to) = (packed.len(), packed.len() + code.len());
        text += &format!(
            "    Packed {{ name: {name:?}, is_package: {is_package}, from: {from}, to: {to} }},\n"
        );
        packed.extend(code);
    }
    let file = out.join("later.bin");
    std::fs::write(&file, packed)?;
    text += &format!("];\nstatic CODE: &[u8] = include_bytes!({file:?});\n");
    Ok(text)
}
