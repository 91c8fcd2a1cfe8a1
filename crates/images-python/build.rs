//! Embeds the packed module if the package has it.

use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let packed = Path::new(&std::env::var("CARGO_MANIFEST_DIR")?).join("packed/py.wasm.zst");
    // A file that is missing would make cargo run this each time.
    let (module, watched) = match packed.exists() {
        true => (format!("Some(include_bytes!({packed:?}))"), "packed"),
        false => ("None".to_owned(), "build.rs"),
    };
    println!("cargo::rerun-if-changed={watched}");
    std::fs::write(Path::new(&std::env::var("OUT_DIR")?).join("module.rs"), module)?;
    Ok(())
}
