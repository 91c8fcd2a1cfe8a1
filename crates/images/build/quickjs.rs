//! QuickJS with a few lines changed.
//!
//! The source stays in the registry's `rquickjs-sys`; a copy of that package is made in the target
//! directory, with the changes below. A change whose text is not found exactly once fails the
//! build: then a new version of the package has come, and the change has to be looked at again.

use std::path::{Path, PathBuf};

use crate::{Result, Toolchain, run};

/// The package that carries QuickJS's C code.
const PACKAGE: &str = "rquickjs-sys";

/// One place to change.
struct Change {
    file: &'static str,
    from: &'static str,
    to: &'static str,
}

const CHANGES: [Change; 1] = [
    // The hash of a key of a Map or Set; the low bits choose its bucket. A number is hashed as the
    // bits of a double, and those of small integers are zero where it matters: thousands of them
    // fell into a handful of buckets. Multiplying moves every bit up, the shift back down.
    Change {
        file: "quickjs/quickjs.c",
        from: "    return h ^ ctx->hash_seed ^ hash32(tag);\n",
        to: "    h = (h ^ ctx->hash_seed ^ tag) * 0x9e3779b1u;\n    return h ^ (h >> 15);\n",
    },
];

/// Makes the changed copy below `target_dir` and answers where it is.
pub(crate) fn changed(toolchain: &Toolchain, target_dir: &Path) -> Result<PathBuf> {
    let original = find(toolchain)?;
    let name = original.file_name().ok_or("package at the root of the file system")?;
    if let Some(change) = CHANGES.iter().find(|c| !original.join(c.file).is_file()) {
        return Err(format!("{PACKAGE}: no file {}", change.file).into());
    }
    let copy = target_dir.join("changed").join(name);
    copy_tree(&original, &copy, Path::new(""))?;
    Ok(copy)
}

/// Where cargo has unpacked the package, in the version of the guests' lock file.
fn find(toolchain: &Toolchain) -> Result<PathBuf> {
    let mut cargo = toolchain.cargo();
    cargo.args(["metadata", "--locked", "--format-version", "1"]);
    cargo.args(["--filter-platform", "wasm32-unknown-unknown"]);
    let output = run(cargo).map_err(|log| format!("guests: cargo metadata failed\n{log}"))?;
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let mut manifests = packages
        .filter(|package| package["name"] == PACKAGE)
        .filter_map(|package| package["manifest_path"].as_str());
    let manifest = manifests.next().ok_or_else(|| format!("guests: no package {PACKAGE}"))?;
    Ok(Path::new(manifest).parent().ok_or("a manifest without directory")?.to_owned())
}

fn copy_tree(from: &Path, to: &Path, below: &Path) -> Result<()> {
    std::fs::create_dir_all(to.join(below))?;
    for entry in std::fs::read_dir(from.join(below))? {
        let entry = entry?;
        let path = below.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_tree(from, to, &path)?;
            continue;
        }
        let contents = change(&path, std::fs::read(entry.path())?)?;
        // A file that is as it should be is left alone, so that cargo sees nothing new.
        let target = to.join(&path);
        if std::fs::read(&target).is_ok_and(|there| there == contents) {
            continue;
        }
        std::fs::write(&target, contents).map_err(|e| format!("{}: {e}", target.display()))?;
    }
    Ok(())
}

/// The contents of a file with its changes made.
fn change(path: &Path, contents: Vec<u8>) -> Result<Vec<u8>> {
    let changes: Vec<_> = CHANGES.iter().filter(|c| Path::new(c.file) == path).collect();
    if changes.is_empty() {
        return Ok(contents);
    }
    let mut text = String::from_utf8(contents)?;
    for change in changes {
        let found = text.matches(change.from).count();
        if found != 1 {
            return Err(format!(
                "{PACKAGE}: {}: found {found} times, not once: {:?}\n\
                 hint: the package has changed; see crates/images/build/quickjs.rs",
                change.file,
                change.from.trim(),
            )
            .into());
        }
        text = text.replacen(change.from, change.to, 1);
    }
    Ok(text.into_bytes())
}
