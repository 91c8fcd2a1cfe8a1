//! `test` and `[`: evaluate a condition.

use std::ffi::OsString;

use crate::bytes::OsStrExt as _;
use crate::files::{Kind, status};

/// Deepest nesting of parentheses and negations.
const MAX_DEPTH: usize = 200;

pub(crate) fn test(args: Vec<OsString>) -> i32 {
    decide("test", &args[args.len().min(1)..])
}

pub(crate) fn bracket(args: Vec<OsString>) -> i32 {
    match args.split_last() {
        Some((last, rest)) if last == "]" && !rest.is_empty() => decide("[", &rest[1..]),
        _ if args.get(1).is_some_and(|arg| arg == "--help") => {
            println!("Usage: [ EXPRESSION ]\nExit with the status determined by EXPRESSION.");
            0
        }
        _ => {
            eprintln!("[: missing ']'");
            2
        }
    }
}

fn decide(name: &str, args: &[OsString]) -> i32 {
    let words: Vec<&[u8]> = args.iter().map(|arg| arg.as_bytes()).collect();
    let mut test = Test { words: &words, at: 0, depth: 0 };
    match test.whole() {
        Ok(answer) => i32::from(!answer),
        Err(message) => {
            eprintln!("{name}: {message}");
            2
        }
    }
}

struct Test<'a> {
    words: &'a [&'a [u8]],
    at: usize,
    depth: usize,
}

type Answer = Result<bool, String>;

impl Test<'_> {
    /// Evaluates the whole expression. POSIX decides by the number of arguments; more than four are
    /// parsed by a grammar.
    fn whole(&mut self) -> Answer {
        let words = self.words;
        match words {
            [] => Ok(false),
            [one] => Ok(!one.is_empty()),
            [b"!", one] => Ok(one.is_empty()),
            [operator, operand] => match unary(operator, operand) {
                Some(answer) => answer,
                None => Err(format!("'{}': unary operator expected", shown(operator))),
            },
            [left, operator, right] => {
                if let Some(answer) = binary(left, operator, right) {
                    return answer;
                }
                match (*left, *operator, *right) {
                    (b"!", ..) => Test { words: &words[1..], at: 0, depth: 0 }.whole().map(|a| !a),
                    (b"(", inside, b")") => Ok(!inside.is_empty()),
                    _ => self.grammar(),
                }
            }
            [b"!", _, _, _] => Test { words: &words[1..], at: 0, depth: 0 }.whole().map(|a| !a),
            [b"(", _, _, b")"] => Test { words: &words[1..3], at: 0, depth: 0 }.whole(),
            _ => self.grammar(),
        }
    }

    fn grammar(&mut self) -> Answer {
        let answer = self.or()?;
        match self.words.get(self.at) {
            None => Ok(answer),
            Some(extra) => Err(format!("extra argument '{}'", shown(extra))),
        }
    }

    fn is(&self, word: &[u8]) -> bool {
        self.words.get(self.at).is_some_and(|next| *next == word)
    }

    fn or(&mut self) -> Answer {
        let mut answer = self.and()?;
        while self.is(b"-o") {
            self.at += 1;
            answer |= self.and()?;
        }
        Ok(answer)
    }

    fn and(&mut self) -> Answer {
        let mut answer = self.not()?;
        while self.is(b"-a") {
            self.at += 1;
            answer &= self.not()?;
        }
        Ok(answer)
    }

    fn not(&mut self) -> Answer {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("expression nested too deeply".to_owned());
        }
        let answer = if self.is(b"!") && self.at + 1 < self.words.len() {
            self.at += 1;
            self.not().map(|answer| !answer)
        } else {
            self.primary()
        };
        self.depth -= 1;
        answer
    }

    fn primary(&mut self) -> Answer {
        let rest = &self.words[self.at.min(self.words.len())..];
        if let [left, operator, right, ..] = rest
            && let Some(answer) = binary(left, operator, right)
        {
            self.at += 3;
            return answer;
        }
        if let [b"(", ..] = rest {
            self.at += 1;
            let answer = self.or()?;
            if !self.is(b")") {
                return Err("')' expected".to_owned());
            }
            self.at += 1;
            return Ok(answer);
        }
        if let [operator, operand, ..] = rest
            && let Some(answer) = unary(operator, operand)
        {
            self.at += 2;
            return answer;
        }
        let Some(word) = rest.first() else { return Err("argument expected".to_owned()) };
        self.at += 1;
        Ok(!word.is_empty())
    }
}

fn shown(word: &[u8]) -> String {
    String::from_utf8_lossy(word).into_owned()
}

fn unary(operator: &[u8], operand: &[u8]) -> Option<Answer> {
    let mode = |follow| status(operand, follow).ok().map(|status| status.mode);
    let kind = |kind: Kind| mode(true).is_some_and(|mode| Kind::of(mode) == kind);
    let bits = |bits: u32| mode(true).is_some_and(|mode| mode & bits != 0);
    Some(Ok(match operator {
        b"-n" => !operand.is_empty(),
        b"-z" => operand.is_empty(),
        b"-e" | b"-a" => mode(true).is_some(),
        b"-f" => kind(Kind::Regular),
        b"-d" => kind(Kind::Directory),
        b"-b" => kind(Kind::Block),
        b"-c" => kind(Kind::Character),
        b"-p" => kind(Kind::Pipe),
        b"-S" => kind(Kind::Socket),
        b"-h" | b"-L" => mode(false).is_some_and(|mode| Kind::of(mode) == Kind::Link),
        b"-r" => bits(0o444),
        b"-w" => bits(0o222),
        b"-x" => bits(0o111),
        b"-u" => bits(0o4000),
        b"-g" => bits(0o2000),
        b"-k" => bits(0o1000),
        b"-s" => status(operand, true).is_ok_and(|status| status.size > 0),
        b"-O" | b"-G" => {
            status(operand, true).is_ok_and(|status| status.uid == crate::files::USER_ID)
        }
        b"-N" => status(operand, true).is_ok_and(|status| status.modified > status.accessed),
        b"-t" => {
            let number = shown(operand).parse();
            return Some(match number {
                Ok(number) => {
                    Ok(cofferdam_guest_sys::is_terminal(cofferdam_guest_sys::number(number)))
                }
                Err(_) => Err(format!("invalid integer '{}'", shown(operand))),
            });
        }
        _ => return None,
    }))
}

fn binary(left: &[u8], operator: &[u8], right: &[u8]) -> Option<Answer> {
    let numbers = |compare: fn(&i64, &i64) -> bool| {
        let number = |word: &[u8]| {
            let text = shown(word);
            text.trim().parse::<i64>().map_err(|_| format!("invalid integer '{text}'"))
        };
        Some(number(left).and_then(|left| Ok(compare(&left, &number(right)?))))
    };
    let modified = |path: &[u8]| status(path, true).ok().map(|status| status.modified);
    Some(Ok(match operator {
        b"=" | b"==" => left == right,
        b"!=" => left != right,
        b"<" => left < right,
        b">" => left > right,
        b"-eq" => return numbers(|a, b| a == b),
        b"-ne" => return numbers(|a, b| a != b),
        b"-lt" => return numbers(|a, b| a < b),
        b"-le" => return numbers(|a, b| a <= b),
        b"-gt" => return numbers(|a, b| a > b),
        b"-ge" => return numbers(|a, b| a >= b),
        b"-nt" => modified(left) > modified(right),
        b"-ot" => modified(left) < modified(right),
        b"-ef" => match (status(left, true), status(right, true)) {
            (Ok(a), Ok(b)) => (a.device, a.inode) == (b.device, b.inode),
            _ => false,
        },
        _ => return None,
    }))
}
