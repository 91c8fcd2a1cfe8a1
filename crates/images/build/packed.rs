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
        let file = package.join("packed").join(format!("{}.wasm.zst", guest.name));
        let module = unpack(&file).map_err(|e| {
            format!(
                "{}: {e}\n\
                 hint: the published crate has this file; `make package` in the repository makes it",
                file.display()
            )
        })?;
        write(&module_file(out, guest), &module)?;
    }
    Ok(())
}

fn unpack(file: &Path) -> Result<Vec<u8>> {
    let mut module = Vec::new();
    StreamingDecoder::new(BufReader::new(File::open(file)?))?.read_to_end(&mut module)?;
    Ok(module)
}
