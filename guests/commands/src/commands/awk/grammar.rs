//! Parses expressions, by precedence.

use std::rc::Rc;

use crate::pattern::{Options, Pattern, Syntax};

use super::ast::*;
use super::lexer::Token;
use super::parser::Parser;

/// The position of an expression, which decides the meaning of `>`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Context {
    Plain,
    /// In an argument of `print`, where `>` is a redirection.
    Print,
}

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Result<Expr, String> {
        self.ternary(Context::Plain)
    }

    pub(super) fn print_expr(&mut self) -> Result<Expr, String> {
        self.ternary(Context::Print)
    }

    /// Parses the target of a redirection: a concatenation, not a comparison.
    pub(super) fn target(&mut self) -> Result<Expr, String> {
        self.concatenation()
    }

    pub(super) fn concatenation_operand(&mut self) -> Result<Expr, String> {
        self.additive()
    }

    /// Parses expressions up to a closing sign.
    pub(super) fn list(&mut self, close: &str) -> Result<Vec<Expr>, String> {
        let mut list = Vec::new();
        self.newlines()?;
        if self.accept(close)? {
            return Ok(list);
        }
        loop {
            list.push(self.expr()?);
            self.newlines()?;
            if self.accept(close)? {
                return Ok(list);
            }
            self.expect(",")?;
            self.newlines()?;
        }
    }

    fn ternary(&mut self, context: Context) -> Result<Expr, String> {
        self.enter()?;
        let before = std::mem::replace(&mut self.context, context);
        let condition = self.or(context)?;
        let whole = if self.accept("?")? {
            self.newlines()?;
            let yes = self.ternary(context)?;
            self.newlines()?;
            self.expect(":")?;
            self.newlines()?;
            let no = self.ternary(context)?;
            Expr::Condition(Box::new(condition), Box::new(yes), Box::new(no))
        } else {
            condition
        };
        self.depth -= 1;
        self.context = before;
        Ok(whole)
    }

    fn or(&mut self, context: Context) -> Result<Expr, String> {
        let mut left = self.and(context)?;
        while self.accept("||")? {
            self.newlines()?;
            left = Expr::Or(Box::new(left), Box::new(self.and(context)?));
        }
        Ok(left)
    }

    fn and(&mut self, context: Context) -> Result<Expr, String> {
        let mut left = self.membership(context)?;
        while self.accept("&&")? {
            self.newlines()?;
            left = Expr::And(Box::new(left), Box::new(self.membership(context)?));
        }
        Ok(left)
    }

    fn membership(&mut self, context: Context) -> Result<Expr, String> {
        let mut left = self.matching(context)?;
        while self.is_keyword("in") {
            self.advance()?;
            let Token::Name(name) = &self.token else { return Err(self.unexpected()) };
            let name = name.clone();
            self.advance()?;
            let array = self.array(&name);
            let subscript = match left {
                Expr::Grouping(list) => list,
                one => vec![one],
            };
            left = Expr::In(subscript, array);
        }
        Ok(left)
    }

    fn matching(&mut self, context: Context) -> Result<Expr, String> {
        let mut left = self.comparison(context)?;
        while let Token::Sign(sign @ ("~" | "!~")) = self.token {
            self.advance()?;
            let right = self.comparison(context)?;
            left = Expr::Match(Box::new(left), Box::new(right), sign == "!~");
        }
        Ok(left)
    }

    fn comparison(&mut self, context: Context) -> Result<Expr, String> {
        let mut left = self.concatenation()?;
        loop {
            let comparison = match self.token {
                Token::Sign("<") => Comparison::Less,
                Token::Sign("<=") => Comparison::LessEqual,
                Token::Sign("==") => Comparison::Equal,
                Token::Sign("!=") => Comparison::NotEqual,
                Token::Sign(">") if context == Context::Plain => Comparison::Greater,
                Token::Sign(">=") => Comparison::GreaterEqual,
                Token::Sign("|") => {
                    let (lexer, token) = (self.lexer.clone(), self.token.clone());
                    self.advance()?;
                    if self.is_keyword("getline") {
                        self.advance()?;
                        let place = self.optional_place()?;
                        left = Expr::Getline(place, Source::Command(Box::new(left)));
                        continue;
                    }
                    (self.lexer, self.token) = (lexer, token);
                    return Ok(left);
                }
                _ => return Ok(left),
            };
            self.advance()?;
            let right = self.concatenation()?;
            left = Expr::Compare(comparison, Box::new(left), Box::new(right));
        }
    }

    fn concatenation(&mut self) -> Result<Expr, String> {
        let first = self.additive()?;
        if !self.starts_operand() {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.starts_operand() {
            parts.push(self.additive()?);
        }
        Ok(Expr::Concat(parts))
    }

    fn starts_operand(&self) -> bool {
        match &self.token {
            Token::Number(_)
            | Token::Text(_)
            | Token::Name(_)
            | Token::FunctionName(_)
            | Token::Builtin(_) => true,
            Token::Sign(sign) => matches!(*sign, "$" | "(" | "!" | "++" | "--"),
            Token::Keyword(_) | Token::Newline | Token::End => false,
        }
    }

    fn additive(&mut self) -> Result<Expr, String> {
        let mut left = self.multiplicative()?;
        while let Token::Sign(sign @ ("+" | "-")) = self.token {
            self.advance()?;
            let right = self.multiplicative()?;
            let kind = if sign == "+" { Arithmetic::Add } else { Arithmetic::Subtract };
            left = Expr::Arithmetic(kind, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn multiplicative(&mut self) -> Result<Expr, String> {
        let mut left = self.unary()?;
        while let Token::Sign(sign @ ("*" | "/" | "%")) = self.token {
            self.advance()?;
            let right = self.unary()?;
            let kind = match sign {
                "*" => Arithmetic::Multiply,
                "/" => Arithmetic::Divide,
                _ => Arithmetic::Remainder,
            };
            left = Expr::Arithmetic(kind, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expr, String> {
        let Token::Sign(sign @ ("!" | "-" | "+")) = self.token else {
            return self.power();
        };
        self.enter()?;
        self.advance()?;
        let operand = Box::new(self.unary()?);
        self.depth -= 1;
        Ok(match sign {
            "!" => Expr::Not(operand),
            "-" => Expr::Negative(operand),
            _ => Expr::Positive(operand),
        })
    }

    fn power(&mut self) -> Result<Expr, String> {
        let base = self.postfix()?;
        if !self.accept("^")? {
            return Ok(base);
        }
        self.enter()?;
        // The exponent may be signed, and powers associate to the right.
        let exponent = if matches!(self.token, Token::Sign("-" | "+" | "!")) {
            self.unary()?
        } else {
            self.power()?
        };
        self.depth -= 1;
        Ok(Expr::Arithmetic(Arithmetic::Power, Box::new(base), Box::new(exponent)))
    }

    fn postfix(&mut self) -> Result<Expr, String> {
        let primary = self.primary()?;
        let Expr::Get(place) = primary else { return Ok(primary) };
        if let Token::Sign(sign @ ("++" | "--")) = self.token {
            self.advance()?;
            return Ok(Expr::Step(place, if sign == "++" { 1.0 } else { -1.0 }, true));
        }
        let kind = match self.token {
            Token::Sign("=") => None,
            Token::Sign("+=") => Some(Arithmetic::Add),
            Token::Sign("-=") => Some(Arithmetic::Subtract),
            Token::Sign("*=") => Some(Arithmetic::Multiply),
            Token::Sign("/=") => Some(Arithmetic::Divide),
            Token::Sign("%=") => Some(Arithmetic::Remainder),
            Token::Sign("^=") => Some(Arithmetic::Power),
            _ => return Ok(Expr::Get(place)),
        };
        self.advance()?;
        self.newlines()?;
        let value = Box::new(self.ternary(self.context)?);
        Ok(match kind {
            None => Expr::Assign(place, value),
            Some(kind) => Expr::Update(kind, place, value),
        })
    }

    fn regex_literal(&mut self, start: &str) -> Result<Expr, String> {
        let text = self.lexer.regex(start)?;
        self.advance()?;
        let pattern = Pattern::new(&text, Syntax::Awk, Options::default())
            .map_err(|error| self.lexer.error(&format!("{error}: /{text}/")))?;
        Ok(Expr::Regex(Rc::new(pattern)))
    }

    fn primary(&mut self) -> Result<Expr, String> {
        match self.token.clone() {
            Token::Number(number) => {
                self.advance()?;
                Ok(Expr::Number(number))
            }
            Token::Text(text) => {
                self.advance()?;
                Ok(Expr::Text(text.into()))
            }
            Token::Sign("/") => self.regex_literal(""),
            Token::Sign("/=") => self.regex_literal("="),
            Token::Sign("$") => {
                self.advance()?;
                self.enter()?;
                let index = match self.token {
                    Token::Sign(sign @ ("++" | "--")) => {
                        self.advance()?;
                        let place = self.place()?;
                        Expr::Step(place, if sign == "++" { 1.0 } else { -1.0 }, false)
                    }
                    Token::Sign("-") => {
                        self.advance()?;
                        Expr::Negative(Box::new(self.primary()?))
                    }
                    _ => self.primary()?,
                };
                self.depth -= 1;
                Ok(Expr::Get(Place::Field(Box::new(index))))
            }
            Token::Sign(sign @ ("++" | "--")) => {
                self.advance()?;
                let place = self.place()?;
                Ok(Expr::Step(place, if sign == "++" { 1.0 } else { -1.0 }, false))
            }
            Token::Sign("!" | "-" | "+") => self.unary(),
            Token::Sign("(") => {
                self.advance()?;
                let mut list = self.list(")")?;
                match list.len() {
                    0 => Err(self.unexpected()),
                    1 => list.pop().ok_or_else(|| self.unexpected()),
                    _ => Ok(Expr::Grouping(list)),
                }
            }
            Token::Keyword("getline") => {
                self.advance()?;
                let place = self.optional_place()?;
                if self.accept("<")? {
                    let file = self.primary()?;
                    return Ok(Expr::Getline(place, Source::File(Box::new(file))));
                }
                Ok(Expr::Getline(place, Source::Main))
            }
            Token::Builtin(builtin) => self.builtin(builtin),
            Token::FunctionName(name) => self.call(&name),
            Token::Name(_) => Ok(Expr::Get(self.place()?)),
            Token::Sign(_) | Token::Keyword(_) | Token::Newline | Token::End => {
                Err(self.unexpected())
            }
        }
    }

    fn optional_place(&mut self) -> Result<Option<Box<Place>>, String> {
        match self.token {
            Token::Name(_) | Token::Sign("$") => Ok(Some(Box::new(self.place()?))),
            _ => Ok(None),
        }
    }

    fn place(&mut self) -> Result<Place, String> {
        match self.token.clone() {
            Token::Name(name) => {
                self.advance()?;
                if self.accept("[")? {
                    let subscript = self.list("]")?;
                    let array = self.array(&name);
                    return Ok(Place::Element(array, subscript));
                }
                Ok(Place::Variable(self.name(&name)))
            }
            Token::Sign("$") => match self.primary()? {
                Expr::Get(place) => Ok(place),
                _ => Err(self.unexpected()),
            },
            Token::Sign("(") => {
                self.advance()?;
                let place = self.place()?;
                self.expect(")")?;
                Ok(place)
            }
            _ => Err(self.unexpected()),
        }
    }

    fn call(&mut self, name: &str) -> Result<Expr, String> {
        self.advance()?;
        self.expect("(")?;
        let args = self.list(")")?;
        let function = self.function(name);
        for (position, arg) in args.iter().enumerate() {
            if let Expr::Get(Place::Variable(name)) = arg {
                self.passed.push((self.current, function, position, *name));
            }
        }
        Ok(Expr::Call(function, args))
    }

    fn builtin(&mut self, builtin: Builtin) -> Result<Expr, String> {
        self.advance()?;
        let args = if self.accept("(")? {
            self.list(")")?
        } else if builtin == Builtin::Length {
            Vec::new()
        } else {
            return Err(self.unexpected());
        };
        let (least, most) = builtin.arguments();
        if args.len() < least || args.len() > most {
            let message =
                format!("{} is invalid as number of arguments for {}", args.len(), builtin.name());
            return Err(self.lexer.error(&message));
        }
        let arrays: &[usize] = match builtin {
            Builtin::Split => &[1, 3],
            Builtin::Match => &[2],
            Builtin::Asort | Builtin::Asorti => &[0, 1],
            _ => &[],
        };
        for position in arrays {
            if let Some(Expr::Get(Place::Variable(Name::Local(number)))) = args.get(*position)
                && let Some(function) = self.current
            {
                self.array_locals.push((function, *number));
            }
        }
        Ok(Expr::Builtin(builtin, args))
    }
}
