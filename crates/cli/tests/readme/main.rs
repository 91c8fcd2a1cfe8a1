//! Runs every block of every document, and draws the picture of a session from its output.
//!
//! A `console` block has commands after `$ ` and their output, standard output and standard error
//! together. `…` stands for any text, and alone on a line for any lines. Ids and times differ in
//! every run: an id of the document stands for the one that was printed in its place. `$ echo $?`
//! is the code of the previous command. A command with `--ask` runs at a terminal, and the answers
//! behind its questions are typed. The blocks of one document share a home and a folder, which
//! starts as a copy of `docs/first`.
//!
//! `COFFERDAM_BLESS=1` draws the picture again.

mod blocks;
mod matching;
mod picture;
mod session;

use std::path::{Path, PathBuf};

use blocks::Block;
use session::Session;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Runs the blocks of a document. Returns those that are part of the picture, with their output.
fn check(name: &str) -> Vec<picture::Shown> {
    let text = read(name);
    let session = &mut Session::new(&name.replace('/', "-"));
    let mut shown = Vec::new();
    for block in Block::all(&text) {
        for step in &block.steps {
            let printed = session.run(step);
            let expected = session.bind(&step.printed, &printed);
            if let Err(why) = matching::lines(&expected, &printed) {
                let (line, command) = (step.line, &step.command);
                panic!("{name}:{line}: $ {command}\n{why}\nit printed:\n{}", printed.join("\n"));
            }
            if block.is_pictured {
                shown.push(picture::Shown::new(&step.command, &step.printed));
            }
        }
    }
    shown
}

#[test]
fn what_the_readme_shows_is_what_happens_and_so_is_its_picture() {
    let shown = check("README.md");
    assert!(!shown.is_empty(), "README.md has no block for the picture");
    let (drawn, path) = (picture::draw(&shown), root().join("docs/session.svg"));
    if std::env::var_os("COFFERDAM_BLESS").is_some() {
        std::fs::write(&path, &drawn).expect("docs/session.svg can be written");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == drawn, "docs/session.svg is not what README.md shows: COFFERDAM_BLESS=1");
}

#[test]
fn what_other_documents_show_is_what_happens() {
    let folder = std::fs::read_dir(root().join("docs")).expect("docs");
    let names = folder.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    for name in names.filter(|name| name.ends_with(".md")) {
        check(&format!("docs/{name}"));
    }
}

#[test]
fn every_block_of_the_readme_is_of_a_kind_that_is_tested() {
    let text = read("README.md");
    let fences = text.lines().filter_map(|line| line.strip_prefix("```"));
    // Every second fence ends a block. Blocks in Rust are run by the doctests of the library, and
    // what is said in TOML about builds by `scripts/package`.
    for kind in fences.step_by(2) {
        assert!(["console", "rust", "sh", "toml"].contains(&kind), "a block of kind {kind:?}");
    }
}

#[test]
fn what_the_readme_says_to_make_can_be_made() {
    let (readme, makefile) = (read("README.md"), read("Makefile"));
    let targets: Vec<_> = readme.lines().filter_map(|line| line.strip_prefix("make ")).collect();
    assert!(targets.len() >= 2, "{targets:?}");
    for target in targets {
        let name = target.split_whitespace().next().unwrap_or_default();
        assert!(makefile.contains(&format!("\n{name}:")), "no target {name}");
    }
}

#[test]
fn the_program_in_the_readme_is_the_one_in_docs() {
    use base64::Engine;
    let readme = read("README.md");
    let line = readme.lines().find_map(|line| line.strip_prefix("$ echo AGFzb"));
    let line = line.expect("a program in base64");
    let code = format!("AGFzb{}", line.split_whitespace().next().unwrap_or_default());
    let module = wat::parse_str(read("docs/hello.wat")).expect("docs/hello.wat");
    assert_eq!(code, base64::engine::general_purpose::STANDARD.encode(module));
}

#[test]
fn the_reference_has_every_limit_capability_and_method() {
    let reference = read("docs/reference.md");
    let limits = cofferdam::Limit::SETTABLE.iter().map(|limit| format!("`{}`", limit.name()));
    let kinds = cofferdam::capabilities::Kind::ALL;
    let kinds = kinds.map(|kind| format!("`{}:{}`", kind.name(), kind.scope()));
    let session = &mut Session::new("reference");
    let command = r#"echo '{"jsonrpc":"2.0","id":1,"method":"?"}' | cofferdam rpc"#.to_owned();
    let refused = session.run(&blocks::Step { line: 0, command, printed: Vec::new() }).join("");
    let known = refused.split("known are ").nth(1).and_then(|rest| rest.split('"').next());
    let methods = known.expect("a list of methods").split(", ").map(|name| format!("`{name}`"));
    for name in limits.chain(kinds).chain(methods) {
        assert!(reference.contains(&name), "no {name}");
    }
}

#[test]
fn links_in_the_documents_lead_somewhere() {
    for name in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"] {
        for target in blocks::links(&read(name)) {
            let path = target.split('#').next().unwrap_or_default();
            assert!(root().join(path).exists(), "{name}: {target}");
        }
    }
}
