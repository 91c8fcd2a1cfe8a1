//! `[[ … ]]`, and the primaries that it shares with `test`.

use std::ops::Range;

use cofferdam_guest_sys as sys;

use super::spawn::shown;
use crate::pattern::Pattern;
use crate::shell::scope::split_place;
use crate::shell::value::{Value, Var};
use crate::shell::{Exec, Flow, Shell};
use crate::syntax::ast::{Part, TestExpr, TestOp, Text, Word};

impl Shell {
    pub(super) fn exec_test(&mut self, expr: &TestExpr) -> Exec {
        match self.test(expr)? {
            Some(true) => Ok(0),
            Some(false) => Ok(1),
            None => Ok(2),
        }
    }

    /// Evaluates an expression. Returns `None` if it is invalid, after printing the error.
    fn test(&mut self, expr: &TestExpr) -> Result<Option<bool>, Flow> {
        Ok(match expr {
            TestExpr::Word(word) => {
                let text = self.expand_string(word)?;
                self.trace_test(b"", b"-n", &text);
                Some(!text.is_empty())
            }
            TestExpr::Not(inner) => {
                if let (TestExpr::Unary(letter, word), true) = (&**inner, self.options.xtrace()) {
                    let text = self.expand_string(word)?;
                    self.trace_test(b"!", &[b'-', *letter], &text);
                    return Ok(Some(!self.test_unary(*letter, &text)?));
                }
                self.test(inner)?.map(|answer| !answer)
            }
            TestExpr::And(left, right) => match self.test(left)? {
                Some(true) => self.test(right)?,
                other => other,
            },
            TestExpr::Or(left, right) => match self.test(left)? {
                Some(false) => self.test(right)?,
                other => other,
            },
            TestExpr::Group(inner) => self.test(inner)?,
            TestExpr::Unary(letter, word) => {
                let text = self.expand_string(word)?;
                self.trace_test(b"", &[b'-', *letter], &text);
                Some(self.test_unary(*letter, &text)?)
            }
            TestExpr::Binary(op, left, right) => self.test_binary_words(*op, left, right)?,
        })
    }

    /// Traces a primary: an operator between two operands, or before one.
    fn trace_test(&mut self, left: &[u8], op: &[u8], right: &[u8]) {
        if !self.options.xtrace() {
            return;
        }
        let right: &[u8] = if right.is_empty() { b"''" } else { right };
        let blank: &[u8] = if left.is_empty() { b"" } else { b" " };
        self.trace(&[b"[[ ", left, blank, op, b" ", right, b" ]]"].concat());
    }

    fn test_binary_words(
        &mut self,
        op: TestOp,
        left: &Word,
        right: &Word,
    ) -> Result<Option<bool>, Flow> {
        let left = self.expand_string(left)?;
        if self.options.xtrace() {
            let shown = match op {
                TestOp::Matches | TestOp::Equals | TestOp::Differs => self.expand_pattern(right)?,
                TestOp::Regex => self.expand_regex(right)?,
                _ => self.expand_string(right)?,
            };
            let left: &[u8] = if left.is_empty() { b"''" } else { &left };
            self.trace_test(left, op.text(), &shown);
        }
        match op {
            TestOp::Matches | TestOp::Equals | TestOp::Differs => {
                let pattern = self.expand_pattern(right)?;
                let mut rules = self.pattern_rules();
                rules.extended = true;
                let same = Pattern::new(&pattern, rules).matches(&left);
                Ok(Some(same == (op != TestOp::Differs)))
            }
            TestOp::Regex => {
                let pattern = self.expand_regex(right)?;
                self.match_regex(&left, &pattern)
            }
            TestOp::Eq | TestOp::Ne | TestOp::Lt | TestOp::Le | TestOp::Gt | TestOp::Ge => {
                let right = self.expand_string(right)?;
                let mut number = |text: &[u8]| match self.arith_source(text, "[[") {
                    Ok(value) => Ok(Some(value)),
                    Err(None) => Ok(None),
                    Err(Some(flow)) => Err(flow),
                };
                let (Some(a), Some(b)) = (number(&left)?, number(&right)?) else {
                    return Ok(Some(false));
                };
                Ok(Some(compare(op, a, b)))
            }
            TestOp::Before | TestOp::After | TestOp::Newer | TestOp::Older | TestOp::Same => {
                let right = self.expand_string(right)?;
                Ok(Some(self.test_files(op, &left, &right)))
            }
        }
    }

    /// Evaluates string and file comparisons that `test` shares; numbers are compared by
    /// [`compare`].
    pub fn test_files(&mut self, op: TestOp, left: &[u8], right: &[u8]) -> bool {
        let times = || {
            let time = |path: &[u8]| sys::stat(path, true).ok().map(|status| status.modified);
            (time(left), time(right))
        };
        match op {
            TestOp::Before => left < right,
            TestOp::After => left > right,
            TestOp::Newer => match times() {
                (Some(a), Some(b)) => a > b,
                (a, _) => a.is_some(),
            },
            TestOp::Older => match times() {
                (Some(a), Some(b)) => a < b,
                (_, b) => b.is_some(),
            },
            TestOp::Same => match (sys::stat(left, true), sys::stat(right, true)) {
                (Ok(a), Ok(b)) => (a.device, a.inode) == (b.device, b.inode),
                _ => false,
            },
            _ => false,
        }
    }

    /// Evaluates a unary primary, `-x text`.
    pub fn test_unary(&mut self, letter: u8, text: &[u8]) -> Result<bool, Flow> {
        const FORMAT: u32 = 0o170_000;
        let mode = |follow: bool| self.stat_script(text, follow).map(|status| status.mode);
        let kind = |kind: u32| mode(true).is_some_and(|mode| mode & FORMAT == kind);
        Ok(match letter {
            b'n' => !text.is_empty(),
            b'z' => text.is_empty(),
            b'a' | b'e' => mode(true).is_some(),
            b'f' => kind(0o100_000),
            b'd' => kind(0o040_000),
            b'b' => kind(0o060_000),
            b'c' => kind(0o020_000),
            b'p' => kind(0o010_000),
            b'S' => kind(0o140_000),
            b'h' | b'L' => mode(false).is_some_and(|mode| mode & FORMAT == 0o120_000),
            b's' => self.stat_script(text, true).is_some_and(|status| status.size > 0),
            b'r' => self.may(text, 4),
            b'w' => self.may(text, 2),
            b'x' => self.may(text, 1),
            b'u' => mode(true).is_some_and(|mode| mode & 0o4000 != 0),
            b'g' => mode(true).is_some_and(|mode| mode & 0o2000 != 0),
            b'k' => mode(true).is_some_and(|mode| mode & 0o1000 != 0),
            b'O' | b'G' => mode(true).is_some(),
            b'N' => {
                self.stat_script(text, true).is_some_and(|status| status.modified > status.accessed)
            }
            b't' => {
                let number = std::str::from_utf8(text).ok().and_then(|n| n.parse().ok());
                number.is_some_and(|n| self.fds.fd(n).is_ok_and(sys::is_terminal))
            }
            b'o' => {
                let name = shown(text);
                self.options.is_set(&name).unwrap_or(false)
            }
            b'v' => self.is_set_place(text)?,
            b'R' => self.is_reference(text) && self.vars.get(text).and_then(Var::first).is_some(),
            _ => false,
        })
    }

    /// Returns a file's status; `/dev/fd/N` refers to script numbers.
    fn stat_script(&self, path: &[u8], follow: bool) -> Option<sys::FileStatus> {
        if path.is_empty() {
            return None;
        }
        let number = path.strip_prefix(b"/dev/fd/").and_then(|n| std::str::from_utf8(n).ok());
        if let Some(number) = number.and_then(|n| n.parse::<u32>().ok()) {
            let status = sys::FileStatus { mode: 0o010_600, ..sys::FileStatus::default() };
            return self.fds.get(number).map(|_| status);
        }
        sys::stat(path, follow).ok()
    }

    /// Returns true if the file may be read (4), written (2) or run (1). In a cell the owner bits
    /// decide on reading and writing. On a real Unix the tests run as root, which may read and
    /// write everything.
    fn may(&self, path: &[u8], bit: u32) -> bool {
        let Some(status) = self.stat_script(path, true) else { return false };
        let is_folder = status.mode & 0o170_000 == 0o040_000;
        match bit {
            1 => is_folder || status.mode & 0o111 != 0,
            _ => {
                let root = cfg!(not(target_arch = "wasm32"));
                root || status.mode & (bit << 6) != 0
            }
        }
    }

    /// Implements `-v name` and `-v name[index]`.
    fn is_set_place(&mut self, text: &[u8]) -> Result<bool, Flow> {
        if !text.is_empty() && text.iter().all(u8::is_ascii_digit) {
            let at: usize = shown(text).parse().unwrap_or(usize::MAX);
            return Ok(at == 0 || at <= self.args.len());
        }
        let Some(place) = split_place(text) else { return Ok(false) };
        let Some(index) = place.index else {
            // A reference to an element counts as a variable with a name like `a[0]`.
            if self.is_reference(&place.name) && self.resolve(&place.name).index.is_some() {
                return Ok(false);
            }
            return Ok(self.get(&place.name).is_some());
        };
        if index == b"@" || index == b"*" {
            let is_assoc =
                matches!(self.var(&place.name).map(|var| &var.value), Some(Value::Assoc(..)));
            if !is_assoc {
                return Ok(!self.elements(&place.name).is_empty());
            }
        }
        let index = self.expand_key(&index)?;
        Ok(self.get_element(&place.name, &index)?.is_some())
    }

    /// Expands the right side of `=~`; quoted parts match literally.
    fn expand_regex(&mut self, word: &Word) -> Result<Text, Flow> {
        let mut out = Vec::new();
        for (at, part) in word.parts.iter().enumerate() {
            let one = Word::new(vec![part.clone()]);
            match part {
                Part::Literal(text) if at == 0 && text.first() == Some(&b'~') => {
                    let last = word.parts.len() == 1;
                    let (home, len) = self.tilde(text, last, b"/").unwrap_or_default();
                    super::regex::escape(&home, &mut out);
                    out.extend_from_slice(&text[len..]);
                }
                Part::Literal(text) => out.extend_from_slice(text),
                Part::Quoted(text) => super::regex::escape(text, &mut out),
                Part::Double(_) => {
                    let text = self.expand_string(&one)?;
                    super::regex::escape(&text, &mut out);
                }
                _ => out.extend_from_slice(&self.expand_string(&one)?),
            }
        }
        Ok(out)
    }

    fn match_regex(&mut self, text: &[u8], pattern: &[u8]) -> Result<Option<bool>, Flow> {
        let fold = self.options.nocasematch();
        let Some(regex) = self.regexes.get(pattern, fold) else {
            return Ok(None);
        };
        let found = regex.captures(text).map(|captures| {
            let group =
                |range: Option<Range<usize>>| range.map_or_else(Text::new, |r| text[r].to_vec());
            captures.into_iter().map(group).collect::<Vec<Text>>()
        });
        let matched = found.is_some();
        self.set_array(b"BASH_REMATCH", found.unwrap_or_default())?;
        Ok(Some(matched))
    }
}

/// Compares two numbers.
pub fn compare(op: TestOp, a: i64, b: i64) -> bool {
    match op {
        TestOp::Eq => a == b,
        TestOp::Ne => a != b,
        TestOp::Lt => a < b,
        TestOp::Le => a <= b,
        TestOp::Gt => a > b,
        TestOp::Ge => a >= b,
        _ => false,
    }
}
