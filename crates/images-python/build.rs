//! Embeds the packed module if the package has it.

use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=packed");
    let packed = Path::new(&std::env::var("CARGO_MANIFEST_DIR")?).join("packed/py.wasm.zst");
    let module = match packed.exists() {
        true => format!("Some(include_bytes!({packed:?}))"),
        false => "None".to_owned(),
    };
    std::fs::write(Path::new(&std::env::var("OUT_DIR")?).join("module.rs"), module)?;
    Ok(())
}
