//! The `test` and `[` builtins.

use super::{USAGE, number, shown};
use crate::exec::test::compare;
use crate::shell::{Exec, Flow, Shell};
use crate::syntax::ast::{TestOp, Text};

/// Deepest nesting of parentheses and negations.
const MAX_DEPTH: usize = 200;

pub(super) fn bracket(shell: &mut Shell, args: &[Text]) -> Exec {
    match args.split_last() {
        Some((last, rest)) if last == b"]" && !rest.is_empty() => run(shell, &rest[1..], "["),
        _ => {
            shell.warn("[: missing `]'");
            Ok(USAGE)
        }
    }
}

pub(super) fn test(shell: &mut Shell, args: &[Text]) -> Exec {
    run(shell, &args[1..], "test")
}

/// Reason an expression has no result.
enum Wrong {
    Message(String),
    Flow(Flow),
}

impl From<Flow> for Wrong {
    fn from(flow: Flow) -> Wrong {
        Wrong::Flow(flow)
    }
}

type Answer = Result<bool, Wrong>;

fn run(shell: &mut Shell, args: &[Text], who: &str) -> Exec {
    let mut test = Test { shell, args, at: 0, depth: 0 };
    let answer = match test.by_count(args) {
        Some(answer) => answer,
        None => test.whole(),
    };
    match answer {
        Ok(answer) => Ok(i32::from(!answer)),
        Err(Wrong::Message(message)) => {
            shell.warn(&format!("{who}: {message}"));
            Ok(USAGE)
        }
        Err(Wrong::Flow(flow)) => Err(flow),
    }
}

fn binary_op(text: &[u8]) -> Option<TestOp> {
    Some(match text {
        b"=" => TestOp::Equals,
        b"==" => TestOp::Matches,
        b"!=" => TestOp::Differs,
        b"<" => TestOp::Before,
        b">" => TestOp::After,
        b"-eq" => TestOp::Eq,
        b"-ne" => TestOp::Ne,
        b"-lt" => TestOp::Lt,
        b"-le" => TestOp::Le,
        b"-gt" => TestOp::Gt,
        b"-ge" => TestOp::Ge,
        b"-nt" => TestOp::Newer,
        b"-ot" => TestOp::Older,
        b"-ef" => TestOp::Same,
        _ => return None,
    })
}

fn unary_op(text: &[u8]) -> Option<u8> {
    match text {
        [b'-', letter] if b"abcdefghknoprstuvwxzGLNORS".contains(letter) => Some(*letter),
        _ => None,
    }
}

struct Test<'a> {
    shell: &'a mut Shell,
    args: &'a [Text],
    at: usize,
    depth: usize,
}

impl Test<'_> {
    /// Evaluates up to four arguments by the rules POSIX gives for each count.
    fn by_count(&mut self, args: &[Text]) -> Option<Answer> {
        match args {
            [] => Some(Ok(false)),
            [one] => Some(Ok(!one.is_empty())),
            [not, one] if not == b"!" => Some(Ok(one.is_empty())),
            [op, one] => Some(match unary_op(op) {
                Some(letter) => self.unary(letter, one),
                None => Err(Wrong::Message(format!("{}: unary operator expected", shown(op)))),
            }),
            [left, op, right] => {
                if let Some(op) = binary_op(op) {
                    return Some(self.binary(op, left, right));
                }
                match op.as_slice() {
                    b"-a" => return Some(Ok(!left.is_empty() && !right.is_empty())),
                    b"-o" => return Some(Ok(!left.is_empty() || !right.is_empty())),
                    _ => {}
                }
                if left == b"!" {
                    let inner = self.by_count(&args[1..])?;
                    return Some(inner.map(|answer| !answer));
                }
                if left == b"(" && right == b")" {
                    return Some(Ok(!op.is_empty()));
                }
                Some(Err(Wrong::Message(format!("{}: binary operator expected", shown(op)))))
            }
            [not, rest @ ..] if not == b"!" && rest.len() == 3 => {
                let inner = self.by_count(rest)?;
                Some(inner.map(|answer| !answer))
            }
            [open, inner @ .., close] if inner.len() == 2 && open == b"(" && close == b")" => {
                self.by_count(inner)
            }
            _ => None,
        }
    }

    fn whole(&mut self) -> Answer {
        let answer = self.or()?;
        match self.args.get(self.at) {
            Some(_) => Err(Wrong::Message("too many arguments".to_owned())),
            None => Ok(answer),
        }
    }

    fn eat(&mut self, text: &[u8]) -> bool {
        let found = self.args.get(self.at).is_some_and(|arg| arg == text);
        self.at += usize::from(found);
        found
    }

    fn or(&mut self) -> Answer {
        let mut answer = self.and()?;
        while self.eat(b"-o") {
            answer |= self.and()?;
        }
        Ok(answer)
    }

    fn and(&mut self) -> Answer {
        let mut answer = self.term()?;
        while self.eat(b"-a") {
            answer &= self.term()?;
        }
        Ok(answer)
    }

    fn term(&mut self) -> Answer {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Wrong::Message(format!("nested deeper than {MAX_DEPTH} levels")));
        }
        let answer = self.term_inside();
        self.depth -= 1;
        answer
    }

    fn term_inside(&mut self) -> Answer {
        let Some(first) = self.args.get(self.at).cloned() else {
            return Err(Wrong::Message("argument expected".to_owned()));
        };
        let op = self.args.get(self.at + 1).and_then(|op| binary_op(op));
        let is_operator = first == b"!" || first == b"(";
        if let (Some(op), Some(right), false) =
            (op, self.args.get(self.at + 2).cloned(), is_operator)
        {
            self.at += 3;
            return self.binary(op, &first, &right);
        }
        self.at += 1;
        if first == b"!" {
            return self.term().map(|answer| !answer);
        }
        if first == b"(" {
            let answer = self.or()?;
            if !self.eat(b")") {
                return Err(Wrong::Message("`)' expected".to_owned()));
            }
            return Ok(answer);
        }
        if let (Some(letter), Some(operand)) = (unary_op(&first), self.args.get(self.at).cloned()) {
            self.at += 1;
            return self.unary(letter, &operand);
        }
        Ok(!first.is_empty())
    }

    fn unary(&mut self, letter: u8, text: &[u8]) -> Answer {
        Ok(self.shell.test_unary(letter, text)?)
    }

    fn binary(&mut self, op: TestOp, left: &[u8], right: &[u8]) -> Answer {
        Ok(match op {
            TestOp::Matches | TestOp::Equals => left == right,
            TestOp::Differs => left != right,
            TestOp::Eq | TestOp::Ne | TestOp::Lt | TestOp::Le | TestOp::Gt | TestOp::Ge => {
                let integer = |text: &[u8]| {
                    number(text).ok_or_else(|| {
                        Wrong::Message(format!("{}: integer expression expected", shown(text)))
                    })
                };
                compare(op, integer(left)?, integer(right)?)
            }
            TestOp::Before | TestOp::After | TestOp::Newer | TestOp::Older | TestOp::Same => {
                self.shell.test_files(op, left, right)
            }
            TestOp::Regex => false,
        })
    }
}
