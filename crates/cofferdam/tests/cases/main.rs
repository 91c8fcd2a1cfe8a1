//! Runs the case files: `tests/cases/**/*.md` at the root of the repository.
//!
//! A heading `## claim` is a test, prose gives the reason, and fenced blocks are the content:
//!
//! | block | content |
//! |---|---|
//! | `limits` | lines `timeoutMs = 100` |
//! | `files` | lines `/path: content` or `/link -> /target` |
//! | `grants` | one capability per line |
//! | `page` | the HTML of the sandbox's page |
//! | `boundary` | `iframe`; the default is `worker` |
//! | `clock` | `system`; by default time stands still at 1700000000000 |
//! | `session` | the tools of the case run one after another in one kept cell |
//! | `args` | JSON, for the next tool |
//! | `js`, `ts`, `py` | the tool; `js module` declares a module |
//! | `sh` | text for the shell; several blocks run one after another in the sandbox |
//! | `result` | JSON; if absent, the tool above returned `undefined` |
//! | `notes` | lines `path: was -> became`; if absent, there are none |
//! | `error` | `CLASS name: message` or `CAPABILITY_DENIED capability`, then lines of the stack; if absent, nothing failed |
//! | `stdout`, `stderr` | the output; if absent, there is none |
//! | `page-out` | the HTML of the page afterwards; if absent, the page is unchanged |
//! | `events` | lines `KIND PATH`, events on the page; if absent, there are none |
//! | `truncated` | the streams that were cut; if absent, neither was |
//! | `exit` | the exit code of a command; the default is 0, or that of the error |
//!
//! `COFFERDAM_BLESS=1` rewrites the expectations to what happens, so that the diff can be read.

mod bless;
mod outcome;
mod parse;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use parse::Case;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases");
    let files = case_files(&root);
    assert!(!files.is_empty(), "{}: no case files", root.display());
    let mut trials = refusals();
    for path in files {
        let topic = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{topic}: {e}"));
        match parse::parse(&text) {
            Ok(cases) if !arguments.list && std::env::var_os("COFFERDAM_BLESS").is_some() => {
                let text = bless::rewrite(&text, &cases);
                std::fs::write(&path, text).unwrap_or_else(|e| panic!("{topic}: {e}"));
            }
            Ok(cases) => trials.extend(cases.into_iter().map(|case| trial(&topic, case))),
            Err(bad) => trials.push(Trial::test(topic.clone(), move || {
                Err(Failed::from(format!("{topic}:{}: {}", bad.line, bad.what)))
            })),
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn trial(topic: &str, case: Case) -> Trial {
    let name = format!("{}: {}", topic.trim_end_matches(".md"), case.claim);
    let topic = topic.to_owned();
    Trial::test(name, move || {
        let wrong = outcome::differences(&case);
        match wrong.is_empty() {
            true => Ok(()),
            false => Err(Failed::from(format!("{topic}:{}\n{}", case.line, wrong.join("\n")))),
        }
    })
}

/// Returns tests of malformed case files: a slip must fail, not be passed over.
fn refusals() -> Vec<Trial> {
    let files = [
        ("no cases", "# Title\n", 1, "no cases"),
        ("a case without a tool", "\n## a\n", 2, "without a tool"),
        ("an unknown block", "## a\n```js\n```\n```reslut\n1\n```\n", 4, "unknown block"),
        ("a block without an end", "## a\n```js\n", 2, "without an end"),
        ("a block before the first heading", "```js\n```\n", 1, "before the first heading"),
        ("a result that is not JSON", "## a\n```js\n```\n```result\n{\n```\n", 5, "result"),
        ("a result before its tool", "## a\n```result\n1\n```\n", 2, "before the tool"),
        (
            "two results",
            "## a\n```js\n```\n```result\n1\n```\n```result\n1\n```\n",
            7,
            "second result",
        ),
        ("two tools without a session", "## a\n```js\n```\n```js\n```\n", 1, "session"),
        ("an unknown limit", "## a\n```limits\ntimeoutMs = 1\ntime = 1\n```\n", 4, "unknown limit"),
        ("a limit without a number", "## a\n```limits\ntimeoutMs = soon\n```\n", 3, "not a number"),
        ("args that are not JSON", "## a\n```args\n{n}\n```\n", 3, "args"),
        ("an unknown clock", "## a\n```clock\nsundial\n```\n", 3, "clock"),
        ("an unknown boundary", "## a\n```boundary\nfence\n```\n", 3, "boundary"),
        ("an unknown capability", "## a\n```grants\nnonsense\n```\n", 3, "nonsense"),
        ("two cases of one name", "## a\n```js\n```\n## a\n", 4, "second case"),
    ];
    let trial = |(name, text, line, part): (&str, &'static str, usize, &'static str)| {
        Trial::test(format!("format: {name} is refused with its line"), move || match parse::parse(
            text,
        ) {
            Err(bad) if bad.line == line && bad.what.contains(part) => Ok(()),
            Err(bad) => Err(Failed::from(format!("line {}: {}", bad.line, bad.what))),
            Ok(_) => Err(Failed::from("taken")),
        })
    };
    files.into_iter().map(trial).collect()
}

/// Returns every `.md` file below the folder, sorted by path.
fn case_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    for entry in entries {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() {
            found.extend(case_files(&path));
        } else if path.extension().is_some_and(|ending| ending == "md") {
            found.push(path);
        }
    }
    found.sort();
    found
}
