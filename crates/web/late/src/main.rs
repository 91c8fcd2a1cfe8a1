//! Splits the host for browsers in two files: `cofferdam-late HOST MAP FIRST LATE`
//!
//! HOST is the linked module with names, MAP the map of its linker. FIRST is what every page fetches.
//! LATE has functions and tables that few pages need; the host asks for it before it uses them
//! (`crates/web/src/late.rs`).
//!
//! In reading order:
//! - [`split`]: functions, and the two modules
//! - [`data`]: constants that only late functions use

mod data;
mod split;

use std::process::ExitCode;

/// Paths of functions that need what is late. Each is entered only with a document, or with a
/// question for a person; a document is made by the first. The parts of a path occur in this order in
/// the name of the function.
const GATES: &[&[&str]] = &[
    &["13cofferdam_dom", "4page", "4Page5parse"],
    &["13cofferdam_dom", "5proxy", "5Proxy4call"],
    &["13cofferdam_dom", "5proxy4read", "7matches"],
    &["13cofferdam_dom", "5proxy4read", "7resolve"],
    &["13cofferdam_dom", "6select5query", "4find"],
    &["13cofferdam_dom", "6select6memory", "8selector"],
    &["13cofferdam_dom", "9serialize4html", "10write_html"],
    &["13cofferdam_dom", "6mutate", "12append_child"],
    &["14cofferdam_caps", "10look_alike", "9described"],
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        [host, map, first, late] => match run(host, map, first, late) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("cofferdam-late: {error}");
                ExitCode::FAILURE
            }
        },
        _ => {
            eprintln!("usage: cofferdam-late HOST MAP FIRST LATE");
            ExitCode::FAILURE
        }
    }
}

fn run(host: &str, map: &str, first: &str, late: &str) -> Result<(), String> {
    let read = |file: &str| std::fs::read(file).map_err(|e| format!("{file}: {e}"));
    let write =
        |file: &str, bytes: &[u8]| std::fs::write(file, bytes).map_err(|e| format!("{file}: {e}"));
    let constants = data::constants(&String::from_utf8_lossy(&read(map)?));
    let found = std::cell::RefCell::new(vec![false; GATES.len()]);
    let is_gate = |name: &str| {
        let gate = GATES.iter().position(|path| is_at(name, path));
        gate.inspect(|gate| found.borrow_mut()[*gate] = true).is_some()
    };
    let parts = split::split(&read(host)?, is_gate, &constants)?;
    if let Some(missing) = found.borrow().iter().position(|found| !found) {
        return Err(format!("no function is named {}", GATES[missing].concat()));
    }
    write(first, &parts.first)?;
    write(late, &parts.late)
}

/// Returns true if the name of a function has the parts of a path, in their order. Names of instances
/// of generic functions of other crates have their own path first.
fn is_at(name: &str, path: &[&str]) -> bool {
    let mut rest = name;
    for part in path {
        match rest.split_once(part) {
            Some((before, after)) if !before.contains("drop_in_place") => rest = after,
            _ => return false,
        }
    }
    // A closure of the function has a further part.
    true
}
