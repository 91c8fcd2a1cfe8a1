//! Runs every program in `examples/` and compares its output with the `.out` file beside it.
//!
//! Cargo builds examples with the tests. `COFFERDAM_BLESS=1` rewrites the expected output.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the path of an example that cargo built: beside the folder of this test.
fn built(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("a path");
    let folder = test.parent().and_then(Path::parent).expect("a folder of builds");
    folder.join("examples").join(name)
}

#[test]
fn every_example_prints_what_it_is_said_to() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let entries = std::fs::read_dir(&folder).expect("examples");
    let sources = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut count = 0;
    for source in sources.filter(|path| path.extension().is_some_and(|end| end == "rs")) {
        let name = source.file_stem().and_then(|name| name.to_str()).expect("a name");
        let program = built(name);
        assert!(
            program.exists(),
            "{name} is not built: cargo test builds it, --test NAME does not"
        );
        let output = Command::new(program).output().expect("the example runs");
        let printed = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name}: {errors}");
        let expected = source.with_extension("out");
        if std::env::var_os("COFFERDAM_BLESS").is_some() {
            std::fs::write(&expected, &*printed).expect("room");
        }
        let expected = std::fs::read_to_string(&expected).unwrap_or_default();
        assert_eq!(printed, expected, "{name}");
        count += 1;
    }
    assert!(count >= 5, "{count} examples");
}
