//! Scripts that declare functions and do nothing with them.
//!
//! Models often write a function and leave the call to their reader. A script with one such
//! function is called with the arguments; with several, the error says what to add.

use super::parameters::{self, Takes};
use super::scan::Tokens;

/// Result of looking at a script.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Declared<'a> {
    /// The script does something by itself.
    No,
    /// It declares this function and does nothing else.
    One { name: &'a str, takes: Takes },
    /// It declares several functions and does nothing else.
    Several(Vec<&'a str>),
}

/// Names that say which of several functions is the one to call.
const MAIN: [&str; 3] = ["main", "run", "handler"];

/// Looks for statements other than declarations.
pub(super) fn look(source: &str) -> Declared<'_> {
    // Nearly every tool ends with something else than a block, and is not looked at any further.
    if !source.trim_end().ends_with(['}', ';']) {
        return Declared::No;
    }
    let Some(functions) = declarations(source) else { return Declared::No };
    match functions.as_slice() {
        [] => Declared::No,
        [(name, text)] => Declared::One { name, takes: parameters::of(text) },
        several => {
            let is_main = |found: &&(&str, &str)| MAIN.contains(&found.0);
            match several.iter().find(is_main) {
                Some((name, text)) => Declared::One { name, takes: parameters::of(text) },
                None => Declared::Several(several.iter().map(|found| found.0).collect()),
            }
        }
    }
}

/// Message for a script of several functions.
pub(super) fn hint(names: &[&str]) -> String {
    let last = names.last().copied().unwrap_or("main");
    format!(
        "the script declares {} and calls none of them: add `return {last}(args)` at its end",
        names.join(", ")
    )
}

/// Returns name and text of every function, if the source has nothing but declarations.
fn declarations(source: &str) -> Option<Vec<(&str, &str)>> {
    let mut tokens = Tokens::of(source).peekable();
    let mut functions = Vec::new();
    while let Some((_, token)) = tokens.next() {
        match token {
            ";" | "async" | "export" | "'use strict'" | "\"use strict\"" => {}
            "function" => {
                let (mut at, mut name) = tokens.next()?;
                if name == "*" {
                    (at, name) = tokens.next()?;
                }
                skip_to_block(&mut tokens)?;
                functions.push((name, &source[at..]));
            }
            "class" => skip_to_block(&mut tokens)?,
            "const" | "let" | "var" => {
                let (_, name) = tokens.next()?;
                let is_pattern = name == "{" || name == "[";
                if is_pattern {
                    skip_nested(&mut tokens)?;
                }
                if tokens.next()?.1 != "=" {
                    return None;
                }
                let (at, first) = tokens.next()?;
                match first {
                    "require" => {
                        if tokens.next()?.1 != "(" {
                            return None;
                        }
                        skip_nested(&mut tokens)?;
                        end_statement(&mut tokens)?;
                    }
                    "async" | "function" | "(" if !is_pattern => {
                        skip_function(first, &mut tokens)?;
                        functions.push((name, &source[at..]));
                    }
                    _ if is_literal(first) => end_statement(&mut tokens)?,
                    _ => return None,
                }
            }
            _ => return None,
        }
    }
    Some(functions)
}

type Source<'a> = std::iter::Peekable<Tokens<'a>>;

fn is_literal(token: &str) -> bool {
    token.starts_with(|c: char| c.is_ascii_digit() || "\"'`".contains(c))
}

/// Moves past the end of a statement. A line break counts as one only before another declaration.
fn end_statement(tokens: &mut Source<'_>) -> Option<()> {
    match tokens.peek().map(|(_, token)| *token) {
        None | Some(";" | "const" | "let" | "var" | "function" | "async" | "class" | "export") => {
            Some(())
        }
        Some(_) => None,
    }
}

/// Moves past what an opening bracket, already taken, encloses.
fn skip_nested(tokens: &mut Source<'_>) -> Option<()> {
    let mut depth = 1;
    while depth > 0 {
        match tokens.next()?.1 {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
    }
    Some(())
}

/// Moves past parameters and the block behind them.
fn skip_to_block(tokens: &mut Source<'_>) -> Option<()> {
    loop {
        match tokens.next()?.1 {
            "{" => return skip_nested(tokens),
            "(" | "[" => skip_nested(tokens)?,
            ";" => return None,
            _ => {}
        }
    }
}

/// Moves past a function expression or an arrow function with a block.
fn skip_function(first: &str, tokens: &mut Source<'_>) -> Option<()> {
    if first == "(" {
        skip_nested(tokens)?;
    }
    let mut last = "";
    loop {
        let (_, token) = tokens.next()?;
        match token {
            "{" => {
                skip_nested(tokens)?;
                return end_statement(tokens);
            }
            "(" => skip_nested(tokens)?,
            "=" | ">" | "async" | "function" | "*" => {}
            // The name of a function expression.
            _ if last == "function" || last == "*" => {}
            // An arrow function that is an expression, or not a function at all.
            _ => return None,
        }
        last = token;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_one(source: &str, expect: &str) {
        let Declared::One { name, .. } = look(source) else { panic!("{source}") };
        assert_eq!(name, expect);
    }

    #[track_caller]
    fn check_no(source: &str) {
        assert_eq!(look(source), Declared::No, "{source}");
    }

    #[test]
    fn a_function_alone_is_found() {
        check_one(
            "async function renderMarkdown({ markdown }) {\n  return `${markdown}`;\n}\n",
            "renderMarkdown",
        );
        check_one(
            "'use strict';\nconst fs = require('fs');\nfunction run(a) { if (a) { return /}/ } }",
            "run",
        );
        check_one("const work = async (args) => {\n return 1 }", "work");
        check_one("const LIMIT = 10;\nexport async function only() {}", "only");
        check_one("function helper() {}\nasync function main() { helper() }", "main");
        check_one("const f = async function named(a) { };", "f");
    }

    #[test]
    fn what_does_something_is_left_alone() {
        check_no("function f() {}\nf();");
        check_no("function f() {}\nreturn f()");
        check_no("(async () => { await 1 })();");
        check_no("const x = f();\nfunction f() { return 1 }");
        check_no("const f = () => { return 1 }\n(f)();");
        check_no("if (x) { y() }");
        check_no("console.log(1);");
        check_no("class A {}");
        check_no("");
    }

    #[test]
    fn several_functions_are_named() {
        let source = "function a() {}\nconst b = () => { return 2 };";
        assert_eq!(look(source), Declared::Several(vec!["a", "b"]));
        let message = hint(&["a", "b"]);
        assert!(
            message
                .ends_with("declares a, b and calls none of them: add `return b(args)` at its end")
        );
    }
}
