//! Makes a patched copy of the package that contains QuickJS.
//!
//! Apart from the rest of the build, because the native tests of the guests make the same copy
//! (`guests/quickjs`).

use std::error::Error;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use super::{changes, values, wording};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The package that contains the C source of QuickJS.
pub(crate) const PACKAGE: &str = "rquickjs-sys";

/// A replacement of text that occurs `times` times in `file`.
pub(crate) struct Change {
    pub(crate) file: &'static str,
    pub(crate) times: usize,
    pub(crate) from: &'static str,
    pub(crate) to: &'static str,
}

/// Copies the unpacked package in `original` below `target_dir`, with all changes made, and returns
/// the directory of the copy.
pub(crate) fn changed(original: &Path, target_dir: &Path) -> Result<PathBuf> {
    let name = original.file_name().ok_or("package at the root of the file system")?;
    // The package's build script does not watch its C files, so different changes go to a different
    // directory.
    let mut files: Vec<_> = changes().map(|change| change.file).collect();
    files.sort_unstable();
    files.dedup();
    let mut hasher = DefaultHasher::new();
    for file in files {
        let contents =
            std::fs::read(original.join(file)).map_err(|_| format!("{PACKAGE}: no file {file}"))?;
        change(Path::new(file), contents)?.hash(&mut hasher);
    }
    let copy = target_dir.join(format!("changed-{:016x}", hasher.finish())).join(name);
    copy_tree(original, &copy, Path::new(""))?;
    Ok(copy)
}

fn changes() -> impl Iterator<Item = &'static Change> {
    changes::CHANGES.iter().chain(values::CHANGES).chain(wording::CHANGES)
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
        // Leaves an up-to-date file alone, so that cargo does not rebuild.
        let target = to.join(&path);
        if std::fs::read(&target).is_ok_and(|there| there == contents) {
            continue;
        }
        std::fs::write(&target, contents).map_err(|e| format!("{}: {e}", target.display()))?;
    }
    Ok(())
}

/// Returns the contents of a file with its changes applied.
fn change(path: &Path, contents: Vec<u8>) -> Result<Vec<u8>> {
    let changes: Vec<_> = changes().filter(|change| Path::new(change.file) == path).collect();
    if changes.is_empty() {
        return Ok(contents);
    }
    let mut text = String::from_utf8(contents)?;
    for change in changes {
        let found = text.matches(change.from).count();
        if found != change.times {
            return Err(format!(
                "{PACKAGE}: {}: found {found} times, not {}: {:?}\n\
                 hint: the package has changed; see crates/images/build/quickjs",
                change.file,
                change.times,
                change.from.trim(),
            )
            .into());
        }
        text = text.replace(change.from, change.to);
    }
    Ok(guard_counts(&text).into_bytes())
}

/// Rewrites every `JS_REF_COUNT(p)++`, `JS_REF_COUNT(p)--` and `--JS_REF_COUNT(p)` so that the
/// counts of the image stay unchanged.
fn guard_counts(text: &str) -> String {
    const COUNT: &str = "JS_REF_COUNT(";
    let mut guarded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(COUNT) {
        let (before, from) = rest.split_at(at);
        let (counted, after) = from.split_at(from.find(')').map_or(from.len(), |end| end + 1));
        let what = &counted[COUNT.len()..];
        let changed = match (before.strip_suffix("--"), after.get(..2)) {
            (Some(before), _) => Some((before, "js_count_down(", after)),
            (None, Some("++")) => Some((before, "js_count_up(", &after[2..])),
            (None, Some("--")) => Some((before, "js_count_down(", &after[2..])),
            (None, _) => None,
        };
        match changed {
            Some((before, call, after)) => {
                guarded.extend([before, call, what]);
                rest = after;
            }
            None => {
                guarded.extend([before, counted]);
                rest = after;
            }
        }
    }
    guarded + rest
}
