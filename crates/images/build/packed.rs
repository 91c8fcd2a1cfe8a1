//! Takes the modules from the published package, where `scripts/package` put them.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use ruzstd::decoding::StreamingDecoder;

use crate::{Guest, Result, module_file, write};

/// Tells cargo when to run this script again.
pub(crate) fn watch() {
    println!("cargo::rerun-if-changed=packed");
}

/// Unpacks the modules of the guests into the output directory.
pub(crate) fn modules(package: &Path, guests: &[&Guest], out: &Path) -> Result<()> {
    for guest in guests {
        let file = directory(package, guest).join(format!("{}.wasm.zst", guest.name));
        let module = unpack(&file).map_err(|e| {
            format!(
                "{}: {e}\n\
                 hint: the published crates have this module; `make package` in the repository packs it",
                file.display()
            )
        })?;
        write(&module_file(out, guest), &module)?;
    }
    Ok(())
}

/// Returns the directory of a packed module. Large guests are in crates of their own, because
/// crates.io refuses packages of more than 10 MiB.
fn directory(package: &Path, guest: &Guest) -> PathBuf {
    match guest.feature {
        #[cfg(feature = "python")]
        "CARGO_FEATURE_PYTHON" => PathBuf::from(cofferdam_images_python::PACKED),
        #[cfg(feature = "shell")]
        "CARGO_FEATURE_SHELL" => PathBuf::from(cofferdam_images_shell::PACKED),
        _ => package.join("packed"),
    }
}

fn unpack(file: &Path) -> Result<Vec<u8>> {
    let mut module = Vec::new();
    StreamingDecoder::new(BufReader::new(File::open(file)?))?.read_to_end(&mut module)?;
    Ok(module)
}
