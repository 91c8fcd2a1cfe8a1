//! Shell scripts: parsed one command at a time, as the shell does, then printed and parsed again.

use std::rc::Rc;

use cofferdam_guest_sh::serial::{pack, unpack};
use cofferdam_guest_sh::syntax::ast::{Command, Kind, List};
use cofferdam_guest_sh::syntax::{Parser, SyntaxError, function_text};

use super::Target;
use crate::{cost, meaning};

pub const TARGET: Target = Target {
    name: "shell",
    run,
    words: &[
        "$(",
        "`",
        "${",
        "}",
        "$((",
        "))",
        "((",
        "[[",
        "]]",
        "<<E\n",
        "E\n",
        "<<-'E'\n",
        "<<<",
        "<(",
        ">&2",
        "2>&1",
        "&>",
        "|&",
        "&&",
        "||",
        ";;",
        ";&",
        "case x in ",
        "esac",
        "for i in ",
        "for ((",
        "do ",
        "done",
        "if ",
        "then ",
        "fi",
        "while ",
        "function f ",
        "() {",
        "{ ",
        "a=(",
        "[1]=",
        "+=",
        "'",
        "\"",
        "$'",
        "\\\n",
        "\\",
        "!",
        "time ",
        "coproc ",
        "select ",
        "@(a|b)",
        "{a,b}",
        "{1..3}",
        "$1",
        "$@",
        "${a[@]:1:2}",
        "${a//b/c}",
        "${!a}",
        "${a@Q}",
        "# ",
        "\n",
    ],
    repeats: &[
        "a;",
        "a|",
        "a&&",
        "$(",
        "`a`",
        "${a:-",
        "((",
        "( ",
        "{ ",
        "[[ ",
        "\"$(",
        "a=(",
        "<<E\n",
        "if a;then ",
        "case a in a) ",
        "$((",
        "'",
        "{a,b}",
        "\\\n",
        "a\n",
        "@(",
        "<(",
        "# ",
        "[a",
        "a b ",
        "!",
        "f() ",
        "a=b ",
        ">a ",
        "${a/",
    ],
};

/// Host memory for each byte of a script, which becomes a tree of small boxes and lists.
const EACH: usize = 4096;

/// Longest script whose meaning is compared; the comparison takes far longer than parsing.
const MEANT: usize = 8192;

pub fn run(data: &[u8]) {
    let read = cost::within(data.len(), EACH, 1 << 20, || all(data));
    let Ok((lists, ended)) = read else { return };
    // Some constructs are valid only at the end of a script and cannot be placed in a function: an
    // unfinished here-document and a trailing backslash. The words after `coproc` are ambiguous,
    // and a keyword with a line continuation in it is read as a plain word.
    let has = |word: &[u8]| data.windows(word.len()).any(|found| found == word);
    let lawful = ended && !data.ends_with(b"\\") && !has(b"coproc") && !has(b"\\\n");
    for list in lists {
        let bytes = pack(&list);
        let unpacked: List = unpack(&bytes).expect("what a shell packs it can unpack");
        assert_eq!(pack(&unpacked), bytes);
        if !lawful || data.len() > MEANT {
            continue;
        }
        let body = Command { line: 1, kind: Kind::Group(list), redirects: Vec::new() };
        let printed = function_text(b"f", &body);
        // Not every absurd script can be parsed again after printing, as in bash; if it can, its
        // meaning must be unchanged.
        let Some(again) = function_of(&printed) else { continue };
        let Some(meant) = meaning::of(&body) else { continue };
        let means = meaning::of(&again);
        assert_eq!(means, Some(meant), "{} from {}", show(&printed), show(data));
    }
}

fn show(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

/// Returns the body of the function, if the script is a single function definition.
fn function_of(text: &[u8]) -> Option<Rc<Command>> {
    let (lists, _) = all(text).ok()?;
    let [list] = &lists[..] else { return None };
    let [item] = &list.items[..] else { return None };
    match &item.first.stages.first()?.kind {
        Kind::Function(_, body) => Some(body.clone()),
        _ => None,
    }
}

/// Parses all commands; the flag is true if every here-document is terminated.
fn all(text: &[u8]) -> Result<(Vec<List>, bool), SyntaxError> {
    let mut parser = Parser::new(text, 1);
    let mut lists = Vec::new();
    let mut left = parser.rest().len();
    while let Some(list) = parser.next(None, true)? {
        lists.push(list);
        assert!(parser.rest().len() < left, "a command was read and nothing is gone");
        left = parser.rest().len();
    }
    Ok((lists, !parser.wants_more()))
}
