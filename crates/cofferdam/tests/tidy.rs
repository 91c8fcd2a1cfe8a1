//! Checks the rules of the repository that no compiler checks: threat ids, module heads, doc
//! comments, the direction of dependencies, numbers stated in documents, names of imports.
//!
//! Uses nothing but the standard library and reads sources as text, so that it is fast.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Folders with Rust sources.
const SOURCES: [&str; 3] = ["crates", "guests", "fuzz"];

/// Folders with case files.
const CASES: [&str; 2] = ["tests/cases", "guests/js/tests/cases"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Finds every file below a folder with one of these extensions, except build output.
fn find(folder: &Path, endings: &[&str], found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            if !["target", "node_modules", "corpus"].iter().any(|name| path.ends_with(name)) {
                find(&path, endings, found);
            }
        } else if path.extension().is_some_and(|e| endings.iter().any(|ending| e == *ending)) {
            found.push(path);
        }
    }
}

/// Returns the files below these folders with their texts, by path from the root.
fn files(folders: &[&str], endings: &[&str]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    folders.iter().for_each(|folder| find(&root().join(folder), endings, &mut found));
    found.sort();
    assert!(!found.is_empty(), "{folders:?}: no files");
    let named = |path: &PathBuf| {
        let name = path.strip_prefix(root()).unwrap_or(path).display().to_string();
        (name, std::fs::read_to_string(path).unwrap_or_default())
    };
    found.iter().map(named).collect()
}

/// Returns true if the whole file is a test.
fn is_test(name: &str) -> bool {
    name.contains("/tests/") || name.ends_with("/tests.rs") || name.starts_with("fuzz/")
}

/// Splits a source into code and the tests at its end.
fn split(source: &str) -> (&str, &str) {
    let at = source.find("#[cfg(test)]\nmod tests {").unwrap_or(source.len());
    source.split_at(at)
}

#[track_caller]
fn assert_none(wrong: Vec<String>) {
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Every threat is named beside the code that meets it, and in a test or a case that proves it.
#[test]
fn every_threat_is_named_in_code_and_in_a_test() {
    let (mut code, mut proofs) = (String::new(), String::new());
    for (name, source) in files(&SOURCES, &["rs", "js"]) {
        let (main, tests) = match is_test(&name) {
            true => ("", source.as_str()),
            false => split(&source),
        };
        code.push_str(main);
        proofs.push_str(tests);
    }
    files(&CASES, &["md"]).iter().for_each(|(_, case)| proofs.push_str(case));
    let mut wrong = Vec::new();
    let security = text("SECURITY.md");
    let rows = security.lines().filter_map(|line| line.strip_prefix("| T-"));
    for row in rows {
        let id = format!("T-{}", row.split(' ').next().unwrap_or_default());
        if !code.contains(&id) {
            wrong.push(format!("{id}: not named in code"));
        }
        if !proofs.contains(&id) {
            wrong.push(format!("{id}: not named in a test or case"));
        }
    }
    assert_none(wrong);
}

/// Every source file begins by saying what lives there.
#[test]
fn every_source_has_a_head() {
    let has_head = |source: &str| source.trim_start().starts_with("//!");
    let heads = files(&SOURCES, &["rs"]).into_iter().filter(|(_, source)| !has_head(source));
    assert_none(heads.map(|(name, _)| name).collect());
}

/// A doc comment begins with a verb or a noun, not with a question word.
#[test]
fn no_doc_comment_begins_with_a_question_word() {
    const WORDS: [&str; 7] = ["What", "Who", "Whose", "Where", "Whether", "Which", "How"];
    let mut wrong = Vec::new();
    for (name, source) in files(&SOURCES, &["rs"]) {
        let mut is_inside = false;
        for (at, line) in source.lines().enumerate() {
            let line = line.trim_start();
            let comment = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"));
            let first = comment.and_then(|comment| {
                comment.trim_start().split(|c: char| !c.is_alphabetic()).next()
            });
            if !is_inside && first.is_some_and(|word| WORDS.contains(&word)) {
                wrong.push(format!("{name}:{}: {line}", at + 1));
            }
            is_inside = comment.is_some();
        }
    }
    assert_none(wrong);
}

/// Returns the names between backquotes.
fn quoted(text: &str) -> Vec<String> {
    text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Returns the name that ARCHITECTURE.md has for a package.
fn in_documents(package: &str) -> String {
    match package.strip_prefix("cofferdam-guest-") {
        Some(guest) => format!("guests/{guest}"),
        None => package.strip_prefix("cofferdam-").unwrap_or(package).to_owned(),
    }
}

/// Returns the name of a package and the packages of ours that it is built with.
fn manifest(source: &str) -> (String, BTreeSet<String>) {
    let (mut section, mut package, mut uses) = (String::new(), String::new(), BTreeSet::new());
    for line in source.lines() {
        if line.starts_with('[') {
            section = line.trim_matches(['[', ']']).to_owned();
            continue;
        }
        let name = line.split(['.', ' ', '=']).next().unwrap_or_default();
        let is_dependency = section.ends_with("dependencies")
            && !section.ends_with("dev-dependencies")
            && !section.starts_with("workspace");
        if section == "package" && name == "name" {
            package = line.split('"').nth(1).unwrap_or_default().to_owned();
        } else if is_dependency && (name == "cofferdam" || name.starts_with("cofferdam-")) {
            uses.insert(in_documents(name));
        }
    }
    (in_documents(&package), uses)
}

/// The table of crates in ARCHITECTURE.md is that of the manifests, and nothing uses a crate that
/// is above it in the table.
#[test]
fn crates_depend_downwards_as_documented() {
    let architecture = text("ARCHITECTURE.md");
    let start = architecture.find("| crate | purpose | uses |").expect("a table of crates");
    let rows = architecture[start..].lines().skip(2).take_while(|line| line.starts_with('|'));
    let mut order = Vec::new();
    let mut table = BTreeMap::new();
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split('|').collect();
        let [name, _, uses] = cells[..] else { panic!("{row}: not three cells") };
        let name = quoted(name).pop().expect("the name of a crate");
        let uses: BTreeSet<String> = quoted(uses).into_iter().collect();
        order.push(name.clone());
        table.insert(name, uses);
    }
    let mut wrong = Vec::new();
    let mut built = BTreeSet::new();
    for (path, source) in files(&SOURCES, &["toml"]) {
        if !path.ends_with("/Cargo.toml") || !source.contains("[package]") {
            continue;
        }
        let (name, uses) = manifest(&source);
        match table.get(&name) {
            None => wrong.push(format!("{name}: not in the table")),
            Some(stated) if *stated != uses => {
                wrong.push(format!("{name}: uses {uses:?}, the table says {stated:?}"));
            }
            Some(_) => {}
        }
        let place = |name: &String| order.iter().position(|other| other == name);
        for used in uses.iter().filter(|used| place(used) <= place(&name)) {
            wrong.push(format!("{name}: uses {used}, which is not below it"));
        }
        built.insert(name);
    }
    for name in order.iter().filter(|name| !built.contains(*name)) {
        wrong.push(format!("{name}: no such crate"));
    }
    assert_none(wrong);
}

/// Returns the value of a constant: a number, or one operator between two numbers.
fn constant(file: &str, name: &str) -> u64 {
    let source = text(file);
    let found = source.lines().find_map(|line| line.split_once(&format!("const {name}: ")));
    let (_, rest) = found.unwrap_or_else(|| panic!("{file}: no constant {name}"));
    let value = rest.split_once("= ").map_or(rest, |(_, value)| value).trim_end_matches(';');
    let value = value.rsplit_once('(').map_or(value, |(_, value)| value.trim_end_matches(')'));
    let number = |text: &str| -> u64 {
        let parsed = text.trim().replace('_', "").parse();
        parsed.unwrap_or_else(|_| panic!("{file}: {name}: {text} is not a number"))
    };
    match (value.split_once("<<"), value.split_once('*')) {
        (Some((a, b)), _) => number(a) << number(b),
        (None, Some((a, b))) => number(a) * number(b),
        (None, None) => number(value),
    }
}

/// Writes a number as documents do: `10,000`, `1024`.
fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let split = digits.len().saturating_sub(3);
    match digits.len() {
        0..=3 => digits,
        _ => format!("{},{}", grouped(value / 1000), &digits[split..]),
    }
}

/// Writes a number of bytes as documents do: `64 KiB`, `2 MiB`.
fn sized(bytes: u64) -> String {
    match bytes {
        _ if bytes > 0 && bytes.is_multiple_of(1 << 20) => format!("{} MiB", bytes >> 20),
        _ if bytes > 0 && bytes.is_multiple_of(1 << 10) => format!("{} KiB", bytes >> 10),
        _ => format!("{} bytes", grouped(bytes)),
    }
}

/// Limits that documents state are the constants of the code.
#[test]
fn stated_limits_are_constants() {
    let (kernel, rpc) = ("crates/kernel/src", "crates/cli/src/verbs/rpc.rs");
    let of = |file: &str, name: &str| constant(file, name);
    let of_kernel = |file: &str, name: &str| constant(&format!("{kernel}/{file}"), name);
    let descriptors = of_kernel("program/descriptor.rs", "MAX_DESCRIPTORS");
    let pipe = sized(of_kernel("program/pipe.rs", "CAPACITY"));
    let arguments = sized(of_kernel("program/spawn.rs", "MAX_ARGUMENTS"));
    let storage = sized(of_kernel("shared/resources/storage.rs", "STORAGE_BYTES"));
    let timers = grouped(of_kernel("tool/kernel.rs", "MAX_TIMERS"));
    let uploads = of_kernel("tool/uploads.rs", "MAX_UPLOADS");
    let piece = sized(of_kernel("tool/uploads.rs", "MAX_PIECE"));
    let path = grouped(of("crates/vfs/src/path.rs", "PATH_MAX") - 1);
    let name = of("crates/vfs/src/path.rs", "NAME_MAX");
    let line = sized(of(rpc, "MAX_LINE"));
    let (running, requests) = (of(rpc, "MAX_RUNNING"), grouped(of(rpc, "MAX_REQUESTS")));
    let sessions = of("crates/front/src/runner.rs", "MAX_SESSIONS");
    let sandboxes = of("crates/cli/src/kept.rs", "MAX_SANDBOXES");
    let snapshots = grouped(of("crates/cli/src/kept.rs", "MAX_SNAPSHOTS"));
    let slice = of("crates/cell/src/alarm.rs", "SLICE");
    let grace = of("crates/cell/src/cell.rs", "GRACE") as f64 / 1000.0;
    let tools = of("crates/cofferdam/src/shell_tools.rs", "MAX_TOOLS");
    let steps = grouped(of("crates/dom/src/select/element.rs", "UNINTERRUPTED"));
    let stated = [
        ("SPECIFICATION.md", format!("{descriptors} descriptors for each process")),
        ("SPECIFICATION.md", format!("{pipe} for each pipe")),
        ("SPECIFICATION.md", format!("{arguments} of arguments and variables")),
        ("SPECIFICATION.md", format!("{name} bytes for a name")),
        ("SPECIFICATION.md", format!("{path} bytes for a path")),
        ("SPECIFICATION.md", format!("{storage} for local and for session storage")),
        ("SPECIFICATION.md", format!("{timers} timers")),
        ("SPECIFICATION.md", format!("{uploads} uploads at once in pieces of {piece}")),
        ("SPECIFICATION.md", format!("A line is at most {line}")),
        ("SPECIFICATION.md", format!("at most {running} at once")),
        ("SPECIFICATION.md", format!("{requests} may wait")),
        ("SPECIFICATION.md", format!("sessions ({sessions})")),
        ("SPECIFICATION.md", format!("sandboxes ({sandboxes})")),
        ("SPECIFICATION.md", format!("snapshots ({snapshots})")),
        ("docs/reference.md", format!("{sandboxes} such sandboxes and {snapshots} snapshots")),
        ("docs/shell-differences.md", format!("At most {tools} run at once")),
        ("ARCHITECTURE.md", format!("a slice of {slice} ms")),
        ("ARCHITECTURE.md", format!("within {grace} ms")),
        ("ARCHITECTURE.md", format!("pipes hold {pipe}")),
        ("SECURITY.md", format!("every {steps} steps")),
    ];
    let is_missing = |(document, phrase): &&(&str, String)| !text(document).contains(phrase);
    let missing = stated.iter().filter(is_missing);
    assert_none(missing.map(|(document, phrase)| format!("{document}: {phrase:?}")).collect());
}

/// Counts that documents state are those of the code: imports, commands, fuzz targets.
#[test]
fn stated_counts_are_those_of_the_code() {
    let gate = text("crates/cell/src/gate.rs");
    let imports = split(&gate).0.matches("linker.func_wrap").count();
    let words = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight"];
    let phrase = format!("A tool's guest has {} imports", words[imports]);
    assert!(text("ARCHITECTURE.md").contains(&phrase), "ARCHITECTURE.md: {phrase:?}");

    let commands = text("crates/abi/src/commands.rs");
    let list = commands.split_once("&[\n").expect("a list").1.split_once("];").expect("its end").0;
    // Without `bash` and `sh`, the names of the shell itself.
    let count = list.matches('"').count() / 2 - 2;
    for name in ["README.md", "CHANGELOG.md"] {
        assert!(text(name).contains(&format!("{count} commands")), "{name}: {count} commands");
    }

    let mut targets = Vec::new();
    find(&root().join("fuzz/fuzz_targets"), &["rs"], &mut targets);
    let phrase = format!("{} targets", targets.len());
    assert!(text("ARCHITECTURE.md").contains(&phrase), "ARCHITECTURE.md: {phrase:?}");
    let specification = text("SPECIFICATION.md");
    for target in targets {
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let row = format!("`fuzz/src/targets/{name}`");
        assert!(specification.contains(&row), "SPECIFICATION.md: no row for {row}");
    }
}

/// The reference for people states the same limits as the specification.
#[test]
fn the_reference_has_the_limits_of_the_specification() {
    let rows = |document: &str| -> BTreeMap<String, String> {
        let source = text(document);
        let after = source.split_once("## Limits").expect("a section on limits").1.to_owned();
        let table = after.lines().filter(|line| line.starts_with("| `"));
        let mut found = BTreeMap::new();
        for row in table.take_while(|row| row.matches('|').count() >= 4) {
            let mut cells = row.trim_matches('|').split('|');
            let names = quoted(cells.next().unwrap_or_default());
            let value = cells.next().unwrap_or_default().trim().trim_end_matches(" each");
            names.into_iter().for_each(|name| drop(found.insert(name, value.to_owned())));
        }
        found
    };
    let reference = rows("docs/reference.md");
    for (name, value) in rows("SPECIFICATION.md") {
        let Ok(number) = value.parse::<u64>() else { continue };
        let written = match name.ends_with("Bytes") {
            true => sized(number),
            false => grouped(number),
        };
        assert_eq!(reference.get(&name), Some(&written), "docs/reference.md: {name}");
    }
}

/// One word, one thing: no import gives one of our types another name.
#[test]
fn no_import_renames_a_type_of_ours() {
    let mut wrong = Vec::new();
    for (name, source) in files(&SOURCES, &["rs"]) {
        for statement in source.split("use ").skip(1) {
            let statement = statement.split(';').next().unwrap_or_default();
            let is_ours = ["cofferdam", "crate::", "super::", "self::"];
            if !is_ours.iter().any(|start| statement.starts_with(start)) {
                continue;
            }
            for renamed in statement.split(" as ").skip(1) {
                if renamed.starts_with(|c: char| c.is_ascii_uppercase()) {
                    let alias = renamed.split([',', '}', '\n']).next().unwrap_or_default();
                    wrong.push(format!("{name}: {alias}"));
                }
            }
        }
    }
    assert_none(wrong);
}
