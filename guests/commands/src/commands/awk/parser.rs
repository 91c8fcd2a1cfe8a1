//! Parses rules, functions and statements. Expressions are in [`super::grammar`].

use std::collections::HashMap;

use super::ast::*;
use super::globals;
use super::grammar::Context;
use super::lexer::{Lexer, Token};

/// Deepest nesting of blocks and expressions, because parsing and running recurse.
pub(super) const MAX_DEPTH: usize = 150;

pub(super) struct Parser<'a> {
    pub(super) lexer: Lexer<'a>,
    pub(super) token: Token,
    pub(super) program: Program,
    global_numbers: HashMap<String, usize>,
    pub(super) locals: HashMap<String, usize>,
    function_numbers: HashMap<String, usize>,
    /// For each function, true once its body has been parsed.
    defined: Vec<bool>,
    /// Calls that pass a bare name: caller, callee, position, name.
    pub(super) passed: Vec<(Option<usize>, usize, usize, Name)>,
    pub(super) current: Option<usize>,
    /// Parameters used as arrays: the function, and the number of the parameter.
    pub(super) array_locals: Vec<(usize, usize)>,
    pub(super) depth: usize,
    pub(super) context: Context,
    ranges: usize,
    loops: usize,
}

/// Parses a program.
pub(super) fn parse(source: &[u8]) -> Result<Program, String> {
    let mut parser = Parser {
        lexer: Lexer::new(source),
        token: Token::Newline,
        program: Program::default(),
        global_numbers: HashMap::new(),
        locals: HashMap::new(),
        function_numbers: HashMap::new(),
        defined: Vec::new(),
        passed: Vec::new(),
        current: None,
        array_locals: Vec::new(),
        depth: 0,
        context: Context::Plain,
        ranges: 0,
        loops: 0,
    };
    for name in globals::NAMES {
        parser.global(name);
    }
    parser.advance()?;
    parser.items()?;
    parser.finish()
}

impl Parser<'_> {
    pub(super) fn advance(&mut self) -> Result<(), String> {
        self.token = self.lexer.next()?;
        Ok(())
    }

    pub(super) fn is(&self, sign: &str) -> bool {
        matches!(&self.token, Token::Sign(s) if *s == sign)
    }

    pub(super) fn is_keyword(&self, word: &str) -> bool {
        matches!(&self.token, Token::Keyword(k) if *k == word)
    }

    pub(super) fn accept(&mut self, sign: &str) -> Result<bool, String> {
        let found = self.is(sign);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    pub(super) fn expect(&mut self, sign: &str) -> Result<(), String> {
        if self.accept(sign)? { Ok(()) } else { Err(self.unexpected()) }
    }

    pub(super) fn unexpected(&self) -> String {
        let what = match &self.token {
            Token::Newline => "newline or end of string".to_owned(),
            Token::End => "end of program".to_owned(),
            Token::Number(number) => number.to_string(),
            Token::Text(text) => format!("\"{}\"", String::from_utf8_lossy(text)),
            Token::Name(name) | Token::FunctionName(name) => name.clone(),
            Token::Builtin(builtin) => builtin.name().to_owned(),
            Token::Keyword(word) => (*word).to_owned(),
            Token::Sign(sign) => (*sign).to_owned(),
        };
        self.lexer.error(&format!("syntax error: unexpected {what}"))
    }

    pub(super) fn newlines(&mut self) -> Result<(), String> {
        while self.token == Token::Newline {
            self.advance()?;
        }
        Ok(())
    }

    fn terminators(&mut self) -> Result<(), String> {
        while self.token == Token::Newline || self.is(";") {
            self.advance()?;
        }
        Ok(())
    }

    fn global(&mut self, name: &str) -> usize {
        if let Some(number) = self.global_numbers.get(name) {
            return *number;
        }
        let number = self.program.globals.len();
        self.program.globals.push(name.to_owned());
        self.global_numbers.insert(name.to_owned(), number);
        number
    }

    pub(super) fn name(&mut self, name: &str) -> Name {
        match self.locals.get(name) {
            Some(number) => Name::Local(*number),
            None => Name::Global(self.global(name)),
        }
    }

    /// Resolves a name and records that it is used as an array.
    pub(super) fn array(&mut self, name: &str) -> Name {
        let name = self.name(name);
        if let (Name::Local(number), Some(function)) = (name, self.current) {
            self.array_locals.push((function, number));
        }
        name
    }

    pub(super) fn function(&mut self, name: &str) -> usize {
        if let Some(number) = self.function_numbers.get(name) {
            return *number;
        }
        let number = self.program.functions.len();
        self.function_numbers.insert(name.to_owned(), number);
        self.defined.push(false);
        self.program.functions.push(Function {
            name: name.to_owned(),
            params: 0,
            arrays: Vec::new(),
            body: Vec::new(),
        });
        number
    }

    fn items(&mut self) -> Result<(), String> {
        loop {
            self.terminators()?;
            match &self.token {
                Token::End => return Ok(()),
                Token::Keyword("BEGIN") => {
                    self.advance()?;
                    let block = self.block()?;
                    self.program.begin.push(block);
                }
                Token::Keyword("END") => {
                    self.advance()?;
                    let block = self.block()?;
                    self.program.end.push(block);
                }
                Token::Keyword("function") => self.definition()?,
                _ => self.rule()?,
            }
        }
    }

    fn definition(&mut self) -> Result<(), String> {
        self.advance()?;
        let name = match &self.token {
            Token::Name(name) | Token::FunctionName(name) => name.clone(),
            _ => return Err(self.unexpected()),
        };
        self.advance()?;
        let number = self.function(&name);
        if std::mem::replace(&mut self.defined[number], true) {
            return Err(self.lexer.error(&format!("function name `{name}' previously defined")));
        }
        self.expect("(")?;
        self.newlines()?;
        while let Token::Name(param) = &self.token {
            let param = param.clone();
            let position = self.locals.len();
            if self.locals.insert(param.clone(), position).is_some() {
                let message = format!("function `{name}': parameter `{param}' used twice");
                return Err(self.lexer.error(&message));
            }
            self.advance()?;
            if !self.accept(",")? {
                break;
            }
            self.newlines()?;
        }
        self.expect(")")?;
        self.newlines()?;
        self.current = Some(number);
        self.program.functions[number].params = self.locals.len();
        self.program.functions[number].arrays = vec![false; self.locals.len()];
        let body = self.block()?;
        self.program.functions[number].body = body;
        self.current = None;
        self.locals.clear();
        Ok(())
    }

    fn rule(&mut self) -> Result<(), String> {
        let when = if self.is("{") {
            When::Always
        } else {
            let first = self.expr()?;
            if self.accept(",")? {
                self.newlines()?;
                let second = self.expr()?;
                self.ranges += 1;
                When::Range(first, second, self.ranges - 1)
            } else {
                When::If(first)
            }
        };
        let body = if self.is("{") { Some(self.block()?) } else { None };
        if body.is_none() && !matches!(self.token, Token::Newline | Token::End) && !self.is(";") {
            return Err(self.unexpected());
        }
        self.program.rules.push(Rule { when, body });
        Ok(())
    }

    fn finish(mut self) -> Result<Program, String> {
        if let Some(missing) = self.defined.iter().position(|defined| !defined) {
            let name = &self.program.functions[missing].name;
            return Err(format!("function `{name}' not defined"));
        }
        for (function, number) in &self.array_locals {
            self.program.functions[*function].arrays[*number] = true;
        }
        // A parameter that is passed on as an array is an array itself.
        loop {
            let mut changed = false;
            for (caller, callee, position, name) in &self.passed {
                let is_array = self.program.functions[*callee].arrays.get(*position).copied();
                if is_array == Some(true)
                    && let (Some(caller), Name::Local(number)) = (caller, name)
                {
                    let flag = &mut self.program.functions[*caller].arrays[*number];
                    changed |= !std::mem::replace(flag, true);
                }
            }
            if !changed {
                return Ok(self.program);
            }
        }
    }

    pub(super) fn enter(&mut self) -> Result<(), String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.lexer.error("nested too deeply"));
        }
        Ok(())
    }

    fn block(&mut self) -> Result<Block, String> {
        self.expect("{")?;
        let mut block = Vec::new();
        loop {
            self.terminators()?;
            if self.accept("}")? {
                return Ok(block);
            }
            block.push(self.statement()?);
        }
    }

    /// Parses a single statement, or a block in braces.
    fn body(&mut self) -> Result<Block, String> {
        self.newlines()?;
        if self.is("{") {
            return self.block();
        }
        if self.accept(";")? {
            return Ok(Vec::new());
        }
        Ok(vec![self.statement()?])
    }

    fn loop_body(&mut self) -> Result<Block, String> {
        self.loops += 1;
        let body = self.body();
        self.loops -= 1;
        body
    }

    /// Consumes the end of a simple statement.
    fn end(&mut self) -> Result<(), String> {
        match &self.token {
            Token::Newline | Token::Sign(";") => self.advance(),
            Token::End | Token::Sign("}") => Ok(()),
            _ => Err(self.unexpected()),
        }
    }

    fn statement(&mut self) -> Result<Statement, String> {
        self.enter()?;
        let statement = self.statement_inside();
        self.depth -= 1;
        statement
    }

    fn statement_inside(&mut self) -> Result<Statement, String> {
        let Token::Keyword(word) = self.token else {
            if self.is("{") {
                return Ok(Statement::Block(self.block()?));
            }
            let simple = self.simple()?;
            self.end()?;
            return Ok(simple);
        };
        match word {
            "if" => {
                self.advance()?;
                let condition = self.condition()?;
                let then = self.body()?;
                // Newlines and a semicolon may come before `else`.
                let (lexer, token) = (self.lexer.clone(), self.token.clone());
                self.terminators()?;
                if self.is_keyword("else") {
                    self.advance()?;
                    return Ok(Statement::If(condition, then, self.body()?));
                }
                (self.lexer, self.token) = (lexer, token);
                Ok(Statement::If(condition, then, Vec::new()))
            }
            "while" => {
                self.advance()?;
                let condition = self.condition()?;
                Ok(Statement::While(condition, self.loop_body()?))
            }
            "do" => {
                self.advance()?;
                let body = self.loop_body()?;
                self.terminators()?;
                if !self.is_keyword("while") {
                    return Err(self.unexpected());
                }
                self.advance()?;
                let condition = self.condition()?;
                self.end()?;
                Ok(Statement::Do(body, condition))
            }
            "for" => self.for_loop(),
            "switch" => self.switch(),
            _ => {
                let simple = self.simple()?;
                self.end()?;
                Ok(simple)
            }
        }
    }

    fn condition(&mut self) -> Result<Expr, String> {
        self.expect("(")?;
        self.newlines()?;
        let condition = self.expr()?;
        self.newlines()?;
        self.expect(")")?;
        Ok(condition)
    }

    fn for_loop(&mut self) -> Result<Statement, String> {
        self.advance()?;
        self.expect("(")?;
        if let Token::Name(variable) = &self.token {
            let variable = variable.clone();
            let (lexer, token) = (self.lexer.clone(), self.token.clone());
            self.advance()?;
            if self.is_keyword("in") {
                self.advance()?;
                if let Token::Name(array) = &self.token {
                    let array = array.clone();
                    self.advance()?;
                    if self.accept(")")? {
                        let (variable, array) = (self.name(&variable), self.array(&array));
                        return Ok(Statement::ForIn(variable, array, self.loop_body()?));
                    }
                }
            }
            (self.lexer, self.token) = (lexer, token);
        }
        let first = if self.is(";") { None } else { Some(Box::new(self.simple()?)) };
        self.expect(";")?;
        self.newlines()?;
        let condition = if self.is(";") { None } else { Some(self.expr()?) };
        self.expect(";")?;
        self.newlines()?;
        let step = if self.is(")") { None } else { Some(Box::new(self.simple()?)) };
        self.expect(")")?;
        Ok(Statement::For(first, condition, step, self.loop_body()?))
    }

    fn switch(&mut self) -> Result<Statement, String> {
        self.advance()?;
        let value = self.condition()?;
        self.newlines()?;
        self.expect("{")?;
        let mut cases = Vec::new();
        self.loops += 1;
        loop {
            self.terminators()?;
            if self.accept("}")? {
                break;
            }
            let label = if self.is_keyword("case") {
                self.advance()?;
                Some(self.concatenation_operand()?)
            } else if self.is_keyword("default") {
                self.advance()?;
                None
            } else {
                return Err(self.unexpected());
            };
            self.expect(":")?;
            let mut body = Vec::new();
            loop {
                self.terminators()?;
                if self.is("}") || self.is_keyword("case") || self.is_keyword("default") {
                    break;
                }
                body.push(self.statement()?);
            }
            cases.push(Case { label, body });
        }
        self.loops -= 1;
        Ok(Statement::Switch(value, cases))
    }

    fn at_end(&self) -> bool {
        matches!(self.token, Token::Newline | Token::End | Token::Sign(";" | "}"))
    }

    fn optional_value(&mut self) -> Result<Option<Expr>, String> {
        self.advance()?;
        if self.at_end() { Ok(None) } else { Ok(Some(self.expr()?)) }
    }

    /// Parses a statement that is allowed in the head of a `for`.
    fn simple(&mut self) -> Result<Statement, String> {
        let Token::Keyword(word) = self.token else {
            return Ok(Statement::Expr(self.expr()?));
        };
        let simple = match word {
            "print" | "printf" => return self.print(word == "printf"),
            "next" => Statement::Next,
            "nextfile" => Statement::NextFile,
            "break" | "continue" if self.loops == 0 => {
                let message = format!("`{word}' is not allowed outside a loop");
                return Err(self.lexer.error(&message));
            }
            "break" => Statement::Break,
            "continue" => Statement::Continue,
            "exit" => return Ok(Statement::Exit(self.optional_value()?)),
            "return" if self.current.is_none() => {
                return Err(self.lexer.error("`return' used outside function context"));
            }
            "return" => return Ok(Statement::Return(self.optional_value()?)),
            "delete" => return self.delete(),
            _ => return Ok(Statement::Expr(self.expr()?)),
        };
        self.advance()?;
        Ok(simple)
    }

    fn delete(&mut self) -> Result<Statement, String> {
        self.advance()?;
        let parens = self.accept("(")?;
        let Token::Name(name) = &self.token else { return Err(self.unexpected()) };
        let name = name.clone();
        self.advance()?;
        let array = self.array(&name);
        let subscript = if self.accept("[")? { Some(self.list("]")?) } else { None };
        if parens {
            self.expect(")")?;
        }
        Ok(Statement::Delete(array, subscript))
    }

    fn print(&mut self, formatted: bool) -> Result<Statement, String> {
        self.advance()?;
        let mut args = Vec::new();
        let is_redirect = |token: &Token| matches!(token, Token::Sign(">" | ">>" | "|"));
        if !self.at_end() && !is_redirect(&self.token) {
            loop {
                args.push(self.print_expr()?);
                if !self.accept(",")? {
                    break;
                }
                self.newlines()?;
            }
        }
        if let [Expr::Grouping(_)] = args.as_slice()
            && let Some(Expr::Grouping(list)) = args.pop()
        {
            args = list;
        }
        if formatted && args.is_empty() {
            return Err(self.lexer.error("printf: no format"));
        }
        let redirect = match self.token {
            Token::Sign(">") => {
                self.advance()?;
                Some(Redirect::Truncate(self.target()?))
            }
            Token::Sign(">>") => {
                self.advance()?;
                Some(Redirect::Append(self.target()?))
            }
            Token::Sign("|") => {
                self.advance()?;
                Some(Redirect::Pipe(self.target()?))
            }
            _ => None,
        };
        Ok(if formatted {
            Statement::Printf(args, redirect)
        } else {
            Statement::Print(args, redirect)
        })
    }
}
