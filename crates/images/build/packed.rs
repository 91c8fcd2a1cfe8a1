//! Takes the modules from the published package, where `scripts/package` put them.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use ruzstd::decoding::StreamingDecoder;

use crate::{Guest, Result, module_file, write};

/// Tells cargo when to run this script again.
pub(crate) fn watch() {
    println!("cargo::rerun-if-changed=packed");
}

/// Unpacks the modules of the guests into the output directory.
pub(crate) fn modules(package: &Path, guests: &[&Guest], out: &Path) -> Result<()> {
    for guest in guests {
        let module = match guest.name {
            "py" => unpack_python(),
            name => unpack_file(&package.join("packed").join(format!("{name}.wasm.zst"))),
        };
        let module = module.map_err(|e| {
            format!(
                "{}: {e}\n\
                 hint: the published crates have this module; `make package` in the repository packs it",
                guest.name
            )
        })?;
        write(&module_file(out, guest), &module)?;
    }
    Ok(())
}

fn unpack_file(file: &Path) -> Result<Vec<u8>> {
    unpack(BufReader::new(File::open(file).map_err(|e| format!("{}: {e}", file.display()))?))
}

/// Takes the module of the Python guest from its own crate.
#[cfg(feature = "python")]
fn unpack_python() -> Result<Vec<u8>> {
    unpack(cofferdam_images_python::MODULE.ok_or("not packed")?)
}

#[cfg(not(feature = "python"))]
fn unpack_python() -> Result<Vec<u8>> {
    Err("the feature `python` is off".into())
}

fn unpack(packed: impl Read) -> Result<Vec<u8>> {
    let mut module = Vec::new();
    StreamingDecoder::new(packed)?.read_to_end(&mut module)?;
    Ok(module)
}
