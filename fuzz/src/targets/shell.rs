//! Scripts: read one command at a time, as the shell does, printed, and read again.

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

/// Host bytes for each byte of a script: a tree of small boxes and lists.
const EACH: usize = 4096;

/// Longest script whose meaning is compared, which takes far longer than reading it.
const MEANT: usize = 8192;

pub fn run(data: &[u8]) {
    let read = cost::within(data.len(), EACH, 1 << 20, || all(data));
    let Ok((lists, ended)) = read else { return };
    // What only ends because the script does cannot stand in a function: a here-document without its
    // last line, a backslash without what it escapes. What follows `coproc` may as well be its
    // command's as its own, and a keyword that goes on in the next line is read as a plain word.
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
        // Not every absurd script reads back, as with bash; one that does means what it meant.
        let Some(again) = function_of(&printed) else { continue };
        let Some(meant) = meaning::of(&body) else { continue };
        let means = meaning::of(&again);
        assert_eq!(means, Some(meant), "{} from {}", show(&printed), show(data));
    }
}

fn show(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

/// The body of the only function that a script defines.
fn function_of(text: &[u8]) -> Option<Rc<Command>> {
    let (lists, _) = all(text).ok()?;
    let [list] = &lists[..] else { return None };
    let [item] = &list.items[..] else { return None };
    match &item.first.stages.first()?.kind {
        Kind::Function(_, body) => Some(body.clone()),
        _ => None,
    }
}

/// Every command, and whether each here-document has ended.
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
