//! Printing of syntax trees as source text, in the format of `declare -f` and `type`.

use super::ast::{
    Arg, ArmEnd, Assign, AssignValue, Command, Direction, FileMode, Item, Kind, Link, List, Part,
    Pipeline, Redirect, RedirectFd, RedirectTo, Text, Timed, Word,
};
use std::rc::Rc;

/// Formats a function as `declare -f` does.
pub fn function_text(name: &[u8], body: &Command) -> Text {
    let mut p = Printer::default();
    p.function(name, body);
    p.text(b"\n");
    p.out
}

/// Returns true if the word, at the start of a command, would not be read as a command name.
fn is_reserved(word: &Word) -> bool {
    const RESERVED: [&[u8]; 22] = [
        b"!",
        b"[[",
        b"case",
        b"coproc",
        b"do",
        b"done",
        b"elif",
        b"else",
        b"esac",
        b"fi",
        b"for",
        b"function",
        b"if",
        b"in",
        b"select",
        b"then",
        b"time",
        b"until",
        b"while",
        b"{",
        b"}",
        b"]]",
    ];
    match &*word.parts {
        // `!(` at the start of a command would be read as a negated subshell.
        [Part::Literal(text), ..] if text.starts_with(b"!(") => true,
        [Part::Literal(text)] => RESERVED.contains(&&**text),
        _ => false,
    }
}

/// Formats the commands of a substitution, as they stand between its parentheses.
pub(super) fn enclosed_text(list: &List) -> Text {
    let mut p = Printer::default();
    p.substitution_list(list);
    p.out
}

/// Formats commands on one line where possible.
pub fn list_text(list: &List) -> Text {
    let mut p = Printer::default();
    p.list(list);
    p.out
}

mod words;

#[derive(Default)]
struct Printer {
    out: Text,
    indent: usize,
    /// Here-documents whose bodies follow at the end of the line.
    heres: Vec<Rc<super::ast::Here>>,
    /// True after a here-document; as in bash, the next semicolon is left out.
    was_here: bool,
    /// True inside a function, where each command of a list begins a line.
    in_function: bool,
    /// True inside `$(…)`, where the newlines of the script are kept.
    substitution: bool,
}

impl Printer {
    fn text(&mut self, text: &[u8]) {
        self.out.extend_from_slice(text);
    }

    fn newline(&mut self) {
        self.text(b"\n");
        let blanks = vec![b' '; self.indent];
        self.text(&blanks);
    }

    /// Prints an operator after a command, with the here-documents of that command.
    fn operator(&mut self, operator: &[u8], beside: &[u8]) {
        self.text(operator);
        if self.heres.is_empty() {
            self.text(beside);
            return;
        }
        self.text(b"\n");
        self.bodies();
        self.text(if operator.is_empty() { b"" } else { b" " });
        self.text(beside);
    }

    /// Prints a semicolon, unless a background command or a here-document is before it.
    fn semicolon(&mut self) {
        if !matches!(self.out.last(), Some(b'&' | b'\n')) {
            self.text(b";");
        }
    }

    /// Prints the bodies of here-documents, each with its delimiter.
    fn bodies(&mut self) {
        self.was_here |= !self.heres.is_empty();
        for here in std::mem::take(&mut self.heres) {
            let body = here.body.borrow();
            let mut inner = Printer::default();
            inner.here_body(&body.parts, here.quoted);
            self.text(&inner.out);
            // A body that ended with the script may lack its final newline.
            if inner.out.last().is_some_and(|last| *last != b'\n') {
                self.text(b"\n");
            }
            self.text(&here.end);
            self.text(b"\n");
        }
    }

    fn function(&mut self, name: &[u8], body: &Command) {
        self.text(name);
        self.text(b" () ");
        self.newline();
        let outer = std::mem::replace(&mut self.in_function, true);
        if let Kind::Group(list) = &body.kind {
            self.text(b"{ ");
            self.block(list);
            self.newline();
            self.text(b"}");
            self.in_function = outer;
            self.redirects(&body.redirects);
        } else {
            self.text(b"{ ");
            self.indent += 4;
            self.newline();
            self.command(body);
            self.indent -= 4;
            self.newline();
            self.text(b"}");
            self.in_function = outer;
        }
    }

    /// Prints a list that begins a line, indented.
    fn block(&mut self, list: &List) {
        self.indent += 4;
        match list.items.is_empty() {
            true => self.text(b"\n"),
            false => self.newline(),
        }
        self.list(list);
        if !self.heres.is_empty() {
            self.operator(b"", b"");
        }
        self.indent -= 4;
    }

    fn list(&mut self, list: &List) {
        for (at, item) in list.items.iter().enumerate() {
            self.item(item);
            if at + 1 == list.items.len() {
                return;
            }
            // As in bash, the command after `&` stays on its line.
            if item.background {
                self.text(b" ");
                continue;
            }
            let keeps_newline = self.substitution && item.newline;
            if !self.heres.is_empty() {
                self.operator(b"", b"");
                // As in bash, only the first command's here-document takes a semicolon from the
                // command after it.
                self.was_here = at == 0;
            } else if !std::mem::take(&mut self.was_here) {
                self.text(if keeps_newline { b"\n" } else { b";" });
            }
            if self.in_function {
                self.newline();
            } else if !keeps_newline && self.out.last() != Some(&b'\n') {
                self.text(b" ");
            }
        }
    }

    fn item(&mut self, item: &Item) {
        self.pipeline(&item.first);
        for (link, pipeline) in &item.rest {
            self.operator(
                match link {
                    Link::And => b" && ",
                    Link::Or => b" || ",
                },
                b"",
            );
            self.pipeline(pipeline);
        }
        if item.background {
            self.operator(b" &", b"");
        }
    }

    fn pipeline(&mut self, pipeline: &Pipeline) {
        match pipeline.timed {
            Some(Timed::Bash) => self.text(b"time "),
            Some(Timed::Posix) => self.text(b"time -p "),
            None => {}
        }
        if pipeline.negated {
            self.text(b"! ");
        }
        for (at, command) in pipeline.stages.iter().enumerate() {
            if at > 0 {
                self.operator(b" |", b" ");
            }
            self.command(command);
        }
    }

    fn command(&mut self, command: &Command) {
        match &command.kind {
            Kind::Simple(simple) => {
                let mut first = true;
                for assign in &simple.assigns {
                    self.space(&mut first);
                    self.assign(assign);
                }
                // A reserved word is an ordinary command name only after a redirection.
                let before = match simple.args.first() {
                    Some(Arg::Word(word)) if simple.assigns.is_empty() && is_reserved(word) => 1,
                    _ => 0,
                };
                let before = before.min(command.redirects.len());
                for redirect in &command.redirects[..before] {
                    self.space(&mut first);
                    self.redirect(redirect);
                }
                for arg in &simple.args {
                    self.space(&mut first);
                    match arg {
                        Arg::Word(word) => self.word(word),
                        Arg::Assign(assign) => self.assign(assign),
                    }
                }
                for redirect in &command.redirects[before..] {
                    self.space(&mut first);
                    self.redirect(redirect);
                }
                return;
            }
            Kind::Subshell(list) => {
                self.text(b"( ");
                self.list(list);
                if !self.heres.is_empty() {
                    self.operator(b"", b"");
                }
                self.text(b" )");
            }
            Kind::Group(list) if self.in_function => {
                self.text(b"{ ");
                self.block(list);
                self.newline();
                self.text(b"}");
            }
            Kind::Group(list) => {
                self.text(b"{ ");
                self.list(list);
                if !self.heres.is_empty() {
                    self.operator(b"", b"");
                }
                self.semicolon();
                self.text(b" }");
            }
            Kind::If(arms, otherwise) => self.if_clause(arms, otherwise.as_ref()),
            Kind::Loop(l) => {
                self.text(if l.until { b"until " } else { b"while " });
                self.list(&l.condition);
                if !self.heres.is_empty() {
                    self.operator(b"", b"");
                }
                self.semicolon();
                self.do_group(&l.body, b" ");
            }
            Kind::For(name, words, body) => self.for_clause(b"for ", name, words, body),
            Kind::Select(name, words, body) => self.for_clause(b"select ", name, words, body),
            Kind::ArithFor(header, body) => {
                self.text(b"for ((");
                for (at, expr) in header.iter().enumerate() {
                    if at > 0 {
                        self.text(b"; ");
                    }
                    match expr {
                        Some(expr) => self.arith_trimmed(expr),
                        None => self.text(b"1"),
                    }
                }
                self.text(b"))");
                self.newline();
                self.text(b"do");
                self.block(body);
                self.semicolon();
                self.newline();
                self.text(b"done");
            }
            Kind::Case(word, arms) => {
                self.text(b"case ");
                self.word(word);
                self.text(b" in ");
                self.indent += 4;
                for arm in arms {
                    self.newline();
                    for (at, pattern) in arm.patterns.iter().enumerate() {
                        if at > 0 {
                            self.text(b" | ");
                        }
                        self.word(pattern);
                    }
                    self.text(b")");
                    self.block(&arm.body);
                    self.newline();
                    self.text(match arm.end {
                        ArmEnd::Leave => b";;",
                        ArmEnd::Fall => b";&",
                        ArmEnd::Test => b";;&",
                    });
                }
                self.indent -= 4;
                self.newline();
                self.text(b"esac");
            }
            Kind::Arith(text) => {
                self.text(b"((");
                self.arith(text);
                self.text(b"))");
            }
            Kind::Test(expr) => {
                self.text(b"[[ ");
                self.test(expr);
                self.text(b" ]]");
            }
            Kind::Function(name, body) => {
                self.text(b"function ");
                self.function(name, body);
            }
            Kind::Coproc(name, body) => {
                self.text(b"coproc ");
                // A simple command cannot have a name. Bash prints one anyway, and reads it back as
                // the command.
                if !matches!(body.kind, Kind::Simple(_)) {
                    self.text(name);
                    self.text(b" ");
                }
                self.command(body);
            }
        }
        self.redirects(&command.redirects);
    }

    fn space(&mut self, first: &mut bool) {
        if !std::mem::replace(first, false) {
            self.text(b" ");
        }
    }

    fn if_clause(&mut self, arms: &[(List, List)], otherwise: Option<&List>) {
        let depth = arms.len();
        for (at, (condition, body)) in arms.iter().enumerate() {
            if at > 0 {
                self.newline();
                self.text(b"else");
                self.indent += 4;
                self.newline();
            }
            self.text(b"if ");
            self.list(condition);
            self.semicolon();
            self.text(b" then");
            self.block(body);
            self.semicolon();
        }
        if let Some(body) = otherwise {
            self.newline();
            self.text(b"else");
            self.block(body);
            self.semicolon();
        }
        for at in 0..depth {
            self.newline();
            self.text(b"fi");
            if at + 1 < depth {
                self.text(b";");
                self.indent -= 4;
            }
        }
    }

    fn do_group(&mut self, body: &List, before: &[u8]) {
        self.text(before);
        self.text(b"do");
        self.block(body);
        self.semicolon();
        self.newline();
        self.text(b"done");
    }

    fn for_clause(&mut self, keyword: &[u8], name: &[u8], words: &Option<Vec<Word>>, body: &List) {
        self.text(keyword);
        self.text(name);
        if let Some(words) = words {
            self.text(b" in");
            for word in words {
                self.text(b" ");
                self.word(word);
            }
        } else {
            self.text(b" in \"$@\"");
        }
        self.text(b";");
        self.newline();
        self.do_group(body, b"");
    }

    fn assign(&mut self, assign: &Assign) {
        self.text(&assign.name);
        if let Some(index) = &assign.index {
            self.text(b"[");
            self.word(index);
            self.text(b"]");
        }
        self.text(if assign.append { b"+=" } else { b"=" });
        match &assign.value {
            AssignValue::Scalar(word) => self.word(word),
            AssignValue::Array(elements) => {
                self.text(b"(");
                for (at, element) in elements.iter().enumerate() {
                    if at > 0 {
                        self.text(b" ");
                    }
                    if let Some(index) = &element.index {
                        self.text(b"[");
                        self.word(index);
                        self.text(if element.append { b"]+=" } else { b"]=" });
                    }
                    self.word(&element.value);
                }
                self.text(b")");
            }
        }
    }

    fn redirects(&mut self, redirects: &[Redirect]) {
        for redirect in redirects {
            self.text(b" ");
            self.redirect(redirect);
        }
    }

    fn redirect(&mut self, redirect: &Redirect) {
        self.was_here = false;
        match &redirect.fd {
            RedirectFd::Implied => {}
            RedirectFd::Number(n) if redirect.is_default(*n) => {}
            RedirectFd::Number(n) => self.text(n.to_string().as_bytes()),
            RedirectFd::Variable(name) => {
                self.text(b"{");
                self.text(name);
                self.text(b"}");
            }
        }
        match &redirect.to {
            RedirectTo::File(mode, word) => {
                self.text(match mode {
                    FileMode::Read => b"< ",
                    FileMode::Write => b"> ",
                    FileMode::Clobber => b">| ",
                    FileMode::Append => b">> ",
                    FileMode::ReadWrite => b"<> ",
                });
                self.word(word);
            }
            RedirectTo::Copy(direction, word) => {
                if matches!(redirect.fd, RedirectFd::Implied) {
                    self.text(match direction {
                        Direction::Input => b"0",
                        Direction::Output => b"1",
                    });
                }
                let closes = word.literal() == Some(b"-");
                self.text(match direction {
                    Direction::Input if !closes => b"<&",
                    Direction::Input | Direction::Output => b">&",
                });
                self.word(word);
            }
            RedirectTo::Both(append, word) => {
                self.text(if *append { b"&>> " } else { b"&> " });
                self.word(word);
            }
            RedirectTo::String(word) => {
                self.text(b"<<< ");
                self.word(word);
            }
            RedirectTo::Here(here) => {
                self.text(if here.strip_tabs { b"<<-" } else { b"<<" });
                if here.quoted {
                    self.text(b"'");
                    self.text(&here.end);
                    self.text(b"'");
                } else {
                    self.text(&here.end);
                }
                self.heres.push(here.clone());
            }
        }
    }
}

impl Redirect {
    /// Returns true if the operator means this descriptor by itself, and bash prints none.
    fn is_default(&self, fd: u32) -> bool {
        match &self.to {
            RedirectTo::File(FileMode::Read | FileMode::ReadWrite, _)
            | RedirectTo::String(_)
            | RedirectTo::Here(_) => fd == 0,
            RedirectTo::File(FileMode::Write | FileMode::Clobber | FileMode::Append, _) => fd == 1,
            RedirectTo::Copy(..) | RedirectTo::Both(..) => false,
        }
    }
}

/// Formats a word as source text.
pub fn word_text(word: &Word) -> Text {
    let mut p = Printer::default();
    p.word(word);
    p.out
}

/// Formats a command on one line where possible.
pub fn command_text(command: &Command) -> Text {
    let mut p = Printer::default();
    p.command(command);
    p.out
}
