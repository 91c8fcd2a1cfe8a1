//! Makes the patched copy of QuickJS for the native tests of the guests, and prints its directory.
//!
//! The images are built with the same copy (`crates/images/build/quickjs.rs`); `cargo` takes it with
//! `--config 'paths=["DIRECTORY"]'`, as `make guests-test` does. The argument is the directory below
//! which the copy is made.

#[path = "../../../crates/images/build/quickjs/changes.rs"]
mod changes;
#[path = "../../../crates/images/build/quickjs/package.rs"]
mod package;
#[path = "../../../crates/images/build/quickjs/values.rs"]
mod values;
#[path = "../../../crates/images/build/quickjs/wording.rs"]
mod wording;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let Some(target) = std::env::args().nth(1) else {
        eprintln!("usage: cofferdam-guest-quickjs DIRECTORY");
        return ExitCode::from(2);
    };
    match find().and_then(|original| package::changed(&original, Path::new(&target))) {
        Ok(copy) => {
            println!("{}", copy.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Returns the directory of the unpacked package, in the version of the lock file.
fn find() -> Result<PathBuf, Box<dyn Error>> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    // Asks for packages of every platform, which a build for one platform has not fetched.
    let arguments = ["metadata", "--locked", "--format-version", "1"];
    let output = Command::new(cargo).args(arguments).output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let manifest = packages
        .filter(|found| found["name"] == package::PACKAGE)
        .find_map(|found| found["manifest_path"].as_str())
        .ok_or("no package with QuickJS")?;
    Ok(Path::new(manifest).parent().ok_or("a manifest without directory")?.to_owned())
}
