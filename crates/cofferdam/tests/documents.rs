//! Checks that everything the documents name exists: files, folders, functions, tests, cases,
//! threats.
//!
//! A document that points at something that was renamed is worse than none.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const DOCUMENTS: [&str; 3] = ["ARCHITECTURE.md", "SECURITY.md", "SPECIFICATION.md"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn document(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Finds every file below a folder with this extension, except build output.
fn files(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() && !path.ends_with("target") && !path.ends_with("node_modules") {
            files(&path, ending, found);
        } else if path.extension().is_some_and(|ext| ext == ending) {
            found.push(path);
        }
    }
}

/// Returns the texts of all files below these folders with this extension.
fn texts(folders: &[&str], ending: &str) -> Vec<String> {
    let mut found = Vec::new();
    folders.iter().for_each(|folder| files(&root().join(folder), ending, &mut found));
    found.iter().filter_map(|path| std::fs::read_to_string(path).ok()).collect()
}

/// Returns the texts between backquotes in a line.
fn quoted(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// Finds a file or folder that a document names, from the root or below `crates/`.
fn place(name: &str) -> Option<PathBuf> {
    let name = name.trim_end_matches("/*");
    let below = ["", "crates", "tests/cases", "guests/js/tests/cases"];
    below.iter().map(|folder| root().join(folder).join(name)).find(|path| path.exists())
}

fn is_path(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-/*".contains(c);
    let has_ending = [".rs", ".md", ".toml", ".js", ".mjs"].iter().any(|end| text.ends_with(end));
    let has_root = ["crates/", "guests/", "tests/", "bench/", "scripts/", "fuzz/", "docs/"];
    text.contains('/')
        && text.chars().all(plain)
        && !text.starts_with('/')
        && (has_ending
            || has_root.iter().any(|root| text.starts_with(root))
            || text.contains("/src"))
}

/// Returns the last cells of tables that list proofs, with their lines.
fn claims(text: &str) -> Vec<(usize, &str)> {
    let mut proofs = false;
    let mut found = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let Some(last) = line.strip_prefix('|').and_then(|row| row.rsplit('|').nth(1)) else {
            proofs = false;
            continue;
        };
        match last.trim() {
            "proven by" | "enforced by" => proofs = true,
            cell if proofs => found.push((at + 1, cell)),
            _ => {}
        }
    }
    assert!(!found.is_empty(), "no table says what proves it");
    found
}

/// Returns true if the text looks like the name of a test: words joined by underscores.
fn is_claim(text: &str) -> bool {
    text.matches('_').count() >= 2
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

fn assert_none(wrong: Vec<String>) {
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn paths_lead_somewhere() {
    let mut wrong = Vec::new();
    for name in DOCUMENTS {
        for (at, line) in document(name).lines().enumerate() {
            for path in quoted(line).filter(|text| is_path(text) && !text.contains('<')) {
                if place(path).is_none() {
                    wrong.push(format!("{name}:{}: {path}", at + 1));
                }
            }
        }
    }
    assert_none(wrong);
}

#[test]
fn tests_that_are_named_are_tests() {
    let code = texts(&["crates", "guests", "fuzz"], "rs");
    let mut wrong = Vec::new();
    for name in ["SECURITY.md", "SPECIFICATION.md"] {
        for (at, cell) in claims(&document(name)) {
            for claim in quoted(cell).filter(|text| is_claim(text)) {
                if !code.iter().any(|text| text.contains(&format!("fn {claim}("))) {
                    wrong.push(format!("{name}:{at}: {claim}"));
                }
            }
        }
    }
    assert_none(wrong);
}

/// The names in brackets after a file must be in that file.
#[test]
fn what_is_named_in_a_file_is_in_it() {
    let mut wrong = Vec::new();
    let security = document("SECURITY.md");
    for line in security.lines().filter(|line| line.starts_with("| T-")) {
        let met = line.split('|').nth(3).unwrap_or_default();
        for piece in met.split(", `").flat_map(|piece| piece.split("; `")) {
            let piece = piece.trim().trim_start_matches('`');
            let Some((path, rest)) = piece.split_once('`') else { continue };
            let Some((found, rest)) = place(path).zip(rest.trim_start().strip_prefix('(')) else {
                continue;
            };
            let names = rest.split(')').next().unwrap_or_default();
            let text = match found.is_dir() {
                true => texts(&[&format!("crates/{path}"), path], "rs").concat(),
                false => std::fs::read_to_string(&found).unwrap_or_default(),
            };
            for name in quoted(names).filter(|name| !name.contains([' ', '/', '.'])) {
                let last = name.rsplit("::").next().unwrap_or(name);
                if !text.contains(last) {
                    wrong.push(format!("{path}: has no {name}"));
                }
            }
        }
    }
    assert_none(wrong);
}

/// A case is named as `case \`area/topic: Heading\``, or by its heading alone.
#[test]
fn cases_that_are_named_are_cases() {
    let cases = texts(&["tests/cases", "guests/js/tests/cases"], "md").concat();
    let headings: BTreeSet<&str> =
        cases.lines().filter_map(|line| line.strip_prefix("## ")).map(str::trim).collect();
    let mut wrong = Vec::new();
    for name in ["SECURITY.md", "SPECIFICATION.md"] {
        for (at, cell) in claims(&document(name)) {
            for claim in quoted(cell).filter(|text| text.contains(' ')) {
                let heading = claim.split_once(": ").map_or(claim, |(_, heading)| heading);
                if !headings.contains(heading) && !headings.contains(claim) {
                    wrong.push(format!("{name}:{at}: no case {claim:?}"));
                }
            }
        }
    }
    assert_none(wrong);
}

/// An id in the code is a row of SECURITY.md, and each row has an id of its own.
#[test]
fn threats_in_the_code_are_known() {
    let security = document("SECURITY.md");
    let rows: Vec<&str> = security
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split(' ').next())
        .filter(|id| id.starts_with("T-"))
        .collect();
    let known: BTreeSet<&str> = rows.iter().copied().collect();
    assert_eq!(known.len(), rows.len(), "an id is given twice");
    let mut wrong = Vec::new();
    for text in texts(&["crates", "guests", "fuzz"], "rs") {
        for piece in text.split("T-").skip(1) {
            let len = piece.find(|c: char| !c.is_ascii_alphanumeric() && c != '-');
            let id = format!("T-{}", &piece[..len.unwrap_or(piece.len())]);
            let shape =
                id.split('-').nth(2).is_some_and(|n| n.len() == 3 && n.parse::<u16>().is_ok());
            if shape && !known.contains(id.as_str()) {
                wrong.push(id);
            }
        }
    }
    assert_none(wrong);
}

/// The table of limits matches the program.
#[test]
fn limits_are_those_of_the_program() {
    let text = document("SPECIFICATION.md");
    let defaults = cofferdam::Limits::default();
    let rows = [
        ("timeoutMs", defaults.time().as_millis() as u64),
        ("memoryBytes", defaults.memory_bytes()),
        ("commandBytes", defaults.source_bytes()),
        ("stdoutBytes", defaults.stdout_bytes()),
        ("stderrBytes", defaults.stderr_bytes()),
        ("resultBytes", defaults.result_bytes()),
        ("fsBytes", defaults.fs_bytes()),
        ("fileCount", defaults.file_count()),
        ("processes", defaults.processes()),
        ("callBytes", defaults.call_bytes()),
        ("fetchBytes", defaults.fetch_bytes()),
    ];
    assert_eq!(rows.len(), cofferdam::Limit::SETTABLE.len());
    for (name, value) in rows {
        assert!(text.contains(&format!("| `{name}` | {value} |")), "{name} is {value}");
    }
}
