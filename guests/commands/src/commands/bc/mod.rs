//! bc: a calculator with arbitrary precision.

mod lexer;
mod machine;
mod math;
mod number;
mod parser;

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Write};

use crate::options::{self, Item, Key, Order, Usage, Value};
use crate::output::{self, Input, reason};
use lexer::Token;
use machine::{Flow, Machine};
use parser::Parser;

const USAGE: Usage = Usage {
    name: "bc",
    text: "\
Usage: bc [OPTION]... [FILE]...
Calculate what the FILEs and then standard input say.

  -l, --mathlib      functions s c a l e (sine, cosine, arctangent, logarithm, power of e), and
                     a scale of 20
  -e, --expression EXPRESSION
                     calculate EXPRESSION and read no standard input
  -q, --quiet        accepted; there is no welcome
  -i, -s, -w         accepted; nothing to change
      --help         show this

Numbers have any length. scale says how many digits a quotient has behind the point, ibase and
obase the bases of what is read and written. There are + - * / % ^, comparisons, && || !,
assignments, arrays, sqrt() length() scale() abs(), if else while for break continue, define,
auto, return, print, quit. Arrays as parameters, read() and j() are not supported.
",
    trouble: 1,
};

/// Longest program read at once, in bytes.
const MAX_TEXT: u64 = 16 << 20;

pub(crate) fn run(args: Vec<OsString>) -> i32 {
    let specs = [
        ('l', "mathlib", Value::None),
        ('e', "expression", Value::Required),
        ('q', "quiet", Value::None),
        ('i', "interactive", Value::None),
        ('s', "standard", Value::None),
        ('w', "warn", Value::None),
    ];
    let items = match options::parse(&USAGE, args, &specs, Order::Anywhere) {
        Ok(items) => items,
        Err(code) => return code,
    };
    let (mut has_library, mut expressions, mut files) = (false, Vec::new(), Vec::new());
    for item in items {
        match item {
            Item::Option(Key::Short('l'), _) => has_library = true,
            Item::Option(Key::Short('e'), Some(text)) => {
                expressions.push(text.to_string_lossy().into_owned());
            }
            Item::Option(..) => {}
            Item::Operand(file) => files.push(file.to_string_lossy().into_owned()),
        }
    }
    let mut machine = Machine::new(output::stdout(), has_library);
    for file in &files {
        let text = match std::fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) => {
                eprintln!("File {file} is unavailable: {}", reason(&error));
                return output::finish("bc", &mut machine.out, 1);
            }
        };
        if !go(&mut machine, file, &text, 0) {
            return output::finish("bc", &mut machine.out, 0);
        }
    }
    for text in &expressions {
        if !go(&mut machine, "(expression)", &format!("{text}\n"), 0) {
            return output::finish("bc", &mut machine.out, 0);
        }
    }
    if expressions.is_empty()
        && let Err(error) = converse(&mut machine)
    {
        eprintln!("bc: standard input: {}", reason(&error));
        return output::finish("bc", &mut machine.out, 1);
    }
    output::finish("bc", &mut machine.out, 0)
}

/// Reads standard input and runs each statement as soon as it is complete, since the other end may
/// wait for the result.
fn converse<W: Write>(machine: &mut Machine<W>) -> io::Result<()> {
    let mut input = BufReader::new(io::Read::take(Input, MAX_TEXT));
    let (mut text, mut lines, mut from) = (String::new(), 0, 0);
    loop {
        let len = input.read_line(&mut text)?;
        lines += u32::from(len > 0);
        if len > 0 && is_open(&text) {
            continue;
        }
        if !text.is_empty() && !go(machine, "(standard_in)", &text, from) {
            return Ok(());
        }
        if len == 0 {
            return Ok(());
        }
        from = lines;
        text.clear();
        // Flushes before the next read blocks, because the writer may wait for the result.
        if input.buffer().is_empty() {
            machine.out.flush()?;
        }
    }
}

/// Returns true if a brace, a comment or a string continues on the next line.
fn is_open(text: &str) -> bool {
    if text.ends_with("\\\n") {
        return true;
    }
    let Ok(tokens) = lexer::tokens(text) else { return text.contains("/*") || text.contains('"') };
    let depth = |open: &str, close: &str| {
        tokens.iter().fold(0i64, |depth, (token, _)| match token {
            Token::Sign(sign) if *sign == open => depth + 1,
            Token::Sign(sign) if *sign == close => depth - 1,
            _ => depth,
        })
    };
    let mut before_end = tokens.iter().rev().map(|(token, _)| token);
    let last = before_end.find(|token| !matches!(token, Token::Line | Token::End));
    let waits = match last {
        Some(Token::Sign(")")) => begins_with_keyword(&tokens),
        Some(Token::Name(name)) => name == "else",
        _ => false,
    };
    depth("{", "}") > 0 || depth("(", ")") > 0 || waits
}

/// Returns true if a line such as `while (x)` or `define f(x)` still lacks its statement.
fn begins_with_keyword(tokens: &[(Token, u32)]) -> bool {
    let starts = |name: &str| matches!(name, "if" | "while" | "for" | "define");
    matches!(tokens.first(), Some((Token::Name(name), _)) if starts(name))
        && !tokens.iter().any(|(token, _)| *token == Token::Sign("}"))
        && Parser::new(tokens.to_vec()).next_statement().is_some_and(|parsed| parsed.is_err())
}

/// Runs a program; returns false after `quit`. Errors are printed, and execution continues with the
/// next statement.
fn go<W: Write>(machine: &mut Machine<W>, name: &str, text: &str, from: u32) -> bool {
    let tokens = match lexer::tokens(text) {
        Ok(tokens) => tokens,
        Err((line, message)) => {
            eprintln!("{name} {}: {message}", line + from);
            return true;
        }
    };
    let mut parser = Parser::new(tokens);
    while let Some(parsed) = parser.next_statement() {
        let ended = match parsed {
            Ok(statement) => machine.run(&statement),
            Err((line, message)) => {
                let _ = machine.out.flush();
                eprintln!("{name} {}: {message}", line + from);
                continue;
            }
        };
        match ended {
            Ok(Flow::Quit) => return false,
            Ok(_) => {}
            Err(message) => {
                let _ = machine.out.flush();
                machine.recover();
                eprintln!("Runtime error: {message}");
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        let mut machine = Machine::new(Vec::new(), true);
        go(&mut machine, "test", text, 0);
        assert_eq!(String::from_utf8(machine.out).unwrap(), expect, "{text}");
    }

    #[test]
    fn expressions() {
        check("scale=0\n1+2*3\n-2^2\n2^3^2\n7/2\n-7%3\n", "7\n4\n512\n3\n-1\n");
        check("scale=4; 1/3\n", ".3333\n");
        check("a=5; a; a++; ++a; a+=3; a\n", "5\n5\n7\n10\n");
        check("1<2; 2<=1; 1==1 && 0; !0 || 0\n(x=4)\n", "1\n0\n0\n1\n4\n");
        check("ibase=16; FF\nibase=A; obase=16; 255\n", "255\nFF\n");
        check("scale=10; sqrt(2); length(123.45); scale(1.50)\n", "1.4142135623\n5\n2\n");
        check("4*a(1)\n", "3.14159265358979323844\n");
    }

    #[test]
    fn statements() {
        check(
            "define f(n) { if (n<=1) return (1)\n return (n*f(n-1))\n}\nf(20)\n",
            "2432902008176640000\n",
        );
        check("for (i=0;i<3;i++) { if (i==1) continue; i }\n", "0\n2\n");
        check("while (1) { i+=1; if (i>2) break }\ni\n", "3\n");
        check(
            "x[1]=7; x[1]\nprint \"a\\tb\", 1+1, \"\\n\"\n\"text\"\n",
            "7\na\tb2\ntext\n".trim_end_matches('\n'),
        );
        check("1\nquit\n2\n", "1\n");
    }

    #[test]
    fn errors_do_not_stop_the_rest() {
        check("1/0\n2\n)\n3\n", "2\n3\n");
        // In an unoptimised build, the calls need more stack than a test thread has.
        let deep = || check("define f(n) { return f(n+1) }\nf(1)\n5\n", "5\n");
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(64 << 20);
            thread.spawn_scoped(scope, deep).unwrap().join().unwrap();
        });
    }

    #[test]
    fn what_is_open_goes_on() {
        for text in ["define f(x) {\n", "if (x)\n", "(1 +\n", "1 + \\\n", "/* a\n"] {
            assert!(is_open(text), "{text}");
        }
        for text in ["1+1\n", "f(1)\n", "if (1) 2\n", "while (0) { 1 }\n"] {
            assert!(!is_open(text), "{text}");
        }
    }
}
