//! Runs the tree-construction tests of html5lib, which are not part of this repository.
//!
//! Usage: `cargo run --release -p cofferdam-dom --example html5lib -- DIR`, where DIR holds the
//! `.dat` files. Scripting is off, so tests marked `#script-on` are only counted.

use cofferdam_dom::{Budget, DocumentKind, Named, NodeId, NodeKind, Tree, qualified_name};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(directory) = std::env::args().nth(1) else {
        eprintln!("usage: html5lib DIR [-v]");
        return ExitCode::from(2);
    };
    let verbose = std::env::args().nth(2).is_some();
    let mut files = Vec::new();
    find(Path::new(&directory), &mut files);
    files.sort();
    let (mut passed, mut failed, mut scripted) = (0, 0, 0);
    for file in &files {
        let text = String::from_utf8_lossy(&std::fs::read(file).unwrap_or_default()).into_owned();
        for case in cases(&text) {
            if case.script_on {
                scripted += 1;
                continue;
            }
            let got = run(&case);
            if got.trim_end() == case.expected.trim_end() {
                passed += 1;
                continue;
            }
            failed += 1;
            println!("FAILED {}: {:?}", file.display(), case.data);
            if verbose {
                println!("expected\n{}\ngot\n{got}", case.expected);
            }
        }
    }
    let rate = 100.0 * f64::from(passed) / f64::from((passed + failed).max(1));
    println!(
        "{passed} passed, {failed} failed ({rate:.2} %), {scripted} need scripting and do not apply, {} files",
        files.len()
    );
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn find(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            find(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "dat") {
            files.push(path);
        }
    }
}

#[derive(Default)]
struct Case {
    data: String,
    context: Option<String>,
    script_on: bool,
    expected: String,
}

fn cases(text: &str) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut section = "";
    let mut case = Case::default();
    for line in text.lines() {
        match line {
            "#data" => {
                if section == "#document" {
                    cases.push(std::mem::take(&mut case));
                }
                section = line;
                continue;
            }
            "#script-on" if section != "#data" => case.script_on = true,
            "#errors" | "#new-errors" | "#document-fragment" | "#document" | "#script-off" => {
                section = line;
                continue;
            }
            _ => {}
        }
        match section {
            "#data" => {
                case.data.push_str(line);
                case.data.push('\n');
            }
            "#document-fragment" => case.context = Some(line.to_owned()),
            "#document" => {
                case.expected.push_str(line);
                case.expected.push('\n');
            }
            _ => {}
        }
    }
    if section == "#document" {
        cases.push(case);
    }
    for case in &mut cases {
        case.data.pop();
    }
    cases
}

fn run(case: &Case) -> String {
    let mut tree = Tree::new(Budget::default());
    let parsed = match &case.context {
        None => tree.parse_html(&case.data),
        Some(context) => tree.create_document(DocumentKind::Html).and_then(|document| {
            let (namespace, local) = match context.split_once(' ') {
                Some(("svg", local)) => ("http://www.w3.org/2000/svg", local),
                Some(("math", local)) => ("http://www.w3.org/1998/Math/MathML", local),
                _ => ("http://www.w3.org/1999/xhtml", context.as_str()),
            };
            let name = qualified_name(namespace, local, Named::Element)?;
            let context = tree.create_element(document, name)?;
            tree.parse_fragment(context, &case.data)
        }),
    };
    match parsed {
        Err(error) => error.to_string(),
        Ok(root) => {
            let mut out = String::new();
            dump(&tree, root, 0, &mut out);
            out
        }
    }
}

/// Writes a tree in the format of the tests. Recurses, since the tests are not deep.
fn dump(tree: &Tree, node: NodeId, level: usize, out: &mut String) {
    for child in tree.children(node).unwrap_or_default() {
        let indent = "  ".repeat(level);
        let text = tree.data(child).unwrap_or_default();
        match tree.kind(child).unwrap_or(NodeKind::Document) {
            NodeKind::Text => out.push_str(&format!("| {indent}\"{text}\"\n")),
            NodeKind::Comment => out.push_str(&format!("| {indent}<!-- {text} -->\n")),
            NodeKind::Doctype => {
                let (name, public, system) = tree.doctype(child).unwrap_or_default();
                match (public, system) {
                    ("", "") => out.push_str(&format!("| {indent}<!DOCTYPE {name}>\n")),
                    _ => out.push_str(&format!(
                        "| {indent}<!DOCTYPE {name} \"{public}\" \"{system}\">\n"
                    )),
                }
            }
            NodeKind::Element => {
                if let Some(name) = tree.element_name(child) {
                    let prefix = prefix(&name.ns);
                    out.push_str(&format!("| {indent}<{prefix}{}>\n", name.local));
                }
                let mut lines: Vec<String> = tree
                    .attributes(child)
                    .iter()
                    .map(|a| {
                        let prefix = prefix(a.namespace());
                        format!("| {indent}  {prefix}{}=\"{}\"\n", a.local_name(), a.value())
                    })
                    .collect();
                lines.sort();
                out.push_str(&lines.concat());
                if let Some(contents) = tree.template_contents(child) {
                    out.push_str(&format!("| {indent}  content\n"));
                    dump(tree, contents, level + 2, out);
                }
                dump(tree, child, level + 1, out);
            }
            kind => out.push_str(&format!("| {indent}{kind:?}\n")),
        }
    }
}

fn prefix(namespace: &str) -> &'static str {
    match namespace {
        "http://www.w3.org/2000/svg" => "svg ",
        "http://www.w3.org/1998/Math/MathML" => "math ",
        "http://www.w3.org/1999/xlink" => "xlink ",
        "http://www.w3.org/XML/1998/namespace" => "xml ",
        "http://www.w3.org/2000/xmlns/" => "xmlns ",
        _ => "",
    }
}
