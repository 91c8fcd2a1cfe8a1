//! Every crate but the benchmark can be published: its manifest says what it is, and its package
//! has what a build needs. `scripts/package` builds programs that depend on the packages.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Runs cargo at the root of the repository and returns its standard output.
fn cargo(arguments: &[&str]) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let output = Command::new(env!("CARGO")).args(arguments).current_dir(root).output();
    let output = output.expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Returns the manifests of the workspace as cargo reads them.
fn manifests() -> Vec<Value> {
    let arguments = ["metadata", "--no-deps", "--offline", "--format-version", "1"];
    let mut metadata: Value = serde_json::from_str(&cargo(&arguments)).expect("JSON");
    metadata["packages"].as_array_mut().map(std::mem::take).expect("packages")
}

fn is_published(manifest: &Value) -> bool {
    // An empty list of registries is `publish = false`.
    manifest["publish"].as_array().is_none_or(|registries| !registries.is_empty())
}

#[test]
fn only_the_benchmark_is_not_published() {
    let manifests = manifests();
    let kept = manifests.iter().filter(|manifest| !is_published(manifest));
    let kept: Vec<&Value> = kept.map(|manifest| &manifest["name"]).collect();
    assert_eq!(kept, ["cofferdam-bench"]);
}

#[test]
fn every_published_crate_says_what_it_is() {
    for manifest in manifests().iter().filter(|manifest| is_published(manifest)) {
        for field in ["description", "documentation", "license", "readme"] {
            let text = manifest[field].as_str().unwrap_or_default();
            assert!(!text.is_empty(), "{} has no {field}", manifest["name"]);
        }
        for field in ["keywords", "categories"] {
            let words = manifest[field].as_array().map_or(0, Vec::len);
            assert!((1..=5).contains(&words), "{} has {words} {field}", manifest["name"]);
        }
    }
}

#[test]
fn every_package_has_its_sources_and_a_readme() {
    for manifest in manifests().iter().filter(|manifest| is_published(manifest)) {
        let name = manifest["name"].as_str().expect("a name");
        let list = cargo(&["package", "--list", "--allow-dirty", "--offline", "--package", name]);
        let has = |file: &str| list.lines().any(|line| line == file);
        let main = if name == "cofferdam-cli" { "src/main.rs" } else { "src/lib.rs" };
        for file in ["Cargo.toml", "README.md", main] {
            assert!(has(file), "{name} lacks {file}:\n{list}");
        }
        assert_eq!(has("build/packed.rs"), name == "cofferdam-images");
    }
}
