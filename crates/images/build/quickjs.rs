//! Patches the C source of QuickJS.
//!
//! The original stays in the registry's `rquickjs-sys`. A patched copy of that package is made in
//! the target directory. A change whose text does not occur as often as expected fails the build:
//! the package has a new version, and the change must be reviewed.

mod changes;
mod package;
mod values;
mod wording;

use std::path::{Path, PathBuf};

use crate::Result;
use crate::toolchain::{Toolchain, run};

/// Makes the patched copy below `target_dir` and returns its directory.
pub(crate) fn changed(toolchain: &Toolchain, target_dir: &Path) -> Result<PathBuf> {
    package::changed(&find(toolchain)?, target_dir)
}

/// Returns the directory of the unpacked package, in the version of the guests' lock file.
fn find(toolchain: &Toolchain) -> Result<PathBuf> {
    let mut cargo = toolchain.cargo();
    cargo.args(["metadata", "--locked", "--format-version", "1"]);
    cargo.args(["--filter-platform", "wasm32-unknown-unknown"]);
    let output = run(cargo).map_err(|log| format!("guests: cargo metadata failed\n{log}"))?;
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let mut manifests = packages
        .filter(|package| package["name"] == package::PACKAGE)
        .filter_map(|package| package["manifest_path"].as_str());
    let manifest =
        manifests.next().ok_or_else(|| format!("guests: no package {}", package::PACKAGE))?;
    Ok(Path::new(manifest).parent().ok_or("a manifest without directory")?.to_owned())
}
