//! Parses tokens into statements.

use super::lexer::Token;

/// Deepest nesting, because parsing and running recurse.
const MAX_DEPTH: usize = 150;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Statement {
    /// An expression whose value is printed.
    Show(Expression),
    /// An expression whose value is not printed.
    Do(Expression),
    Text(String),
    Print(Vec<Printed>),
    Block(Vec<Statement>),
    If(Expression, Box<Statement>, Option<Box<Statement>>),
    While(Expression, Box<Statement>),
    For(Option<Expression>, Option<Expression>, Option<Expression>, Box<Statement>),
    Break,
    Continue,
    Return(Option<Expression>),
    Quit,
    Define(Function),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Printed {
    Text(String),
    Value(Expression),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) parameters: Vec<String>,
    pub(super) locals: Vec<String>,
    pub(super) body: Vec<Statement>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Expression {
    Number(String),
    Read(Place),
    Assign(Place, Option<&'static str>, Box<Expression>),
    /// `++x`, `x++` and the like. `by` is the increment; `first` is true for the prefix form.
    Step {
        place: Place,
        by: i64,
        first: bool,
    },
    Binary(&'static str, Box<Expression>, Box<Expression>),
    Negate(Box<Expression>),
    Not(Box<Expression>),
    Call(String, Vec<Expression>),
}

/// An expression that can be assigned to.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Place {
    Variable(String),
    Element(String, Box<Expression>),
    Last,
}

pub(super) struct Parser {
    tokens: Vec<(Token, u32)>,
    at: usize,
    depth: usize,
}

type Result<T> = std::result::Result<T, (u32, String)>;

impl Parser {
    pub(super) fn new(tokens: Vec<(Token, u32)>) -> Self {
        Parser { tokens, at: 0, depth: 0 }
    }

    fn token(&self) -> &Token {
        self.tokens.get(self.at).map_or(&Token::End, |(token, _)| token)
    }

    fn next(&mut self) -> Token {
        let token = self.token().clone();
        self.at += 1;
        token
    }

    fn wrong<T>(&self) -> Result<T> {
        let line = self.tokens.get(self.at).or(self.tokens.last()).map_or(1, |(_, line)| *line);
        Err((line, "syntax error".into()))
    }

    fn is(&self, sign: &str) -> bool {
        matches!(self.token(), Token::Sign(found) if *found == sign)
    }

    fn take(&mut self, sign: &str) -> bool {
        let is = self.is(sign);
        self.at += usize::from(is);
        is
    }

    fn expect(&mut self, sign: &str) -> Result<()> {
        if self.take(sign) { Ok(()) } else { self.wrong() }
    }

    fn take_name(&mut self, name: &str) -> bool {
        let is = matches!(self.token(), Token::Name(found) if found == name);
        self.at += usize::from(is);
        is
    }

    fn skip_lines(&mut self) {
        while *self.token() == Token::Line {
            self.at += 1;
        }
    }

    /// Parses the next statement. Returns `None` at the end of the program. After an error, parsing
    /// continues with the next line.
    pub(super) fn next_statement(&mut self) -> Option<Result<Statement>> {
        loop {
            match self.token() {
                Token::End => return None,
                Token::Line | Token::Sign(";") => self.at += 1,
                _ => break,
            }
        }
        let statement = self.statement().and_then(|statement| match self.token() {
            Token::Line | Token::End | Token::Sign(";") => Ok(statement),
            // A function definition needs no terminator.
            _ if matches!(statement, Statement::Define(_)) => Ok(statement),
            _ => self.wrong(),
        });
        if statement.is_err() {
            self.depth = 0;
            while !matches!(self.token(), Token::Line | Token::End) {
                self.at += 1;
            }
        }
        Some(statement)
    }

    fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let line = self.tokens.get(self.at).map_or(1, |(_, line)| *line);
            return Err((line, format!("nested deeper than {MAX_DEPTH} levels")));
        }
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    fn statement(&mut self) -> Result<Statement> {
        self.deeper(Self::any_statement)
    }

    fn any_statement(&mut self) -> Result<Statement> {
        match self.token().clone() {
            Token::Sign("{") => {
                self.at += 1;
                Ok(Statement::Block(self.block()?))
            }
            Token::Text(text) => {
                self.at += 1;
                Ok(Statement::Text(text))
            }
            Token::Name(name) => match name.as_str() {
                "if" => self.keyword(Self::conditional),
                "while" => self.keyword(Self::repeat),
                "for" => self.keyword(Self::count),
                "define" => self.keyword(Self::define),
                "print" => self.keyword(Self::print),
                "return" => self.keyword(Self::give_back),
                "break" => self.keyword(|_| Ok(Statement::Break)),
                "continue" => self.keyword(|_| Ok(Statement::Continue)),
                "quit" | "halt" => self.keyword(|_| Ok(Statement::Quit)),
                _ => self.expression_statement(),
            },
            _ => self.expression_statement(),
        }
    }

    fn keyword(&mut self, parse: fn(&mut Self) -> Result<Statement>) -> Result<Statement> {
        self.at += 1;
        parse(self)
    }

    fn expression_statement(&mut self) -> Result<Statement> {
        let expression = self.expression()?;
        Ok(match expression {
            Expression::Assign(..) => Statement::Do(expression),
            expression => Statement::Show(expression),
        })
    }

    /// Parses statements up to the closing brace.
    fn block(&mut self) -> Result<Vec<Statement>> {
        let mut statements = Vec::new();
        loop {
            while matches!(self.token(), Token::Line | Token::Sign(";")) {
                self.at += 1;
            }
            if self.take("}") {
                return Ok(statements);
            }
            statements.push(self.statement()?);
            if !matches!(self.token(), Token::Line | Token::Sign(";" | "}")) {
                return self.wrong();
            }
        }
    }

    fn condition(&mut self) -> Result<Expression> {
        self.expect("(")?;
        let condition = self.expression()?;
        self.expect(")")?;
        self.skip_lines();
        Ok(condition)
    }

    fn conditional(&mut self) -> Result<Statement> {
        let condition = self.condition()?;
        let then = Box::new(self.statement()?);
        let before = self.at;
        // `else` may follow on the next line after a block, or after a semicolon.
        while matches!(self.token(), Token::Line | Token::Sign(";")) {
            self.at += 1;
        }
        if !self.take_name("else") {
            self.at = before;
            return Ok(Statement::If(condition, then, None));
        }
        self.skip_lines();
        let otherwise = Box::new(self.statement()?);
        Ok(Statement::If(condition, then, Some(otherwise)))
    }

    fn repeat(&mut self) -> Result<Statement> {
        let condition = self.condition()?;
        Ok(Statement::While(condition, Box::new(self.statement()?)))
    }

    fn count(&mut self) -> Result<Statement> {
        self.expect("(")?;
        let first = self.unless(";")?;
        let condition = self.unless(";")?;
        let step = self.unless(")")?;
        self.skip_lines();
        Ok(Statement::For(first, condition, step, Box::new(self.statement()?)))
    }

    fn unless(&mut self, sign: &str) -> Result<Option<Expression>> {
        if self.take(sign) {
            return Ok(None);
        }
        let expression = self.expression()?;
        self.expect(sign)?;
        Ok(Some(expression))
    }

    fn print(&mut self) -> Result<Statement> {
        let mut list = Vec::new();
        loop {
            list.push(match self.token().clone() {
                Token::Text(text) => {
                    self.at += 1;
                    Printed::Text(text)
                }
                _ => Printed::Value(self.expression()?),
            });
            if !self.take(",") {
                return Ok(Statement::Print(list));
            }
        }
    }

    fn give_back(&mut self) -> Result<Statement> {
        match self.token() {
            Token::Line | Token::End | Token::Sign(";" | "}") => Ok(Statement::Return(None)),
            _ => Ok(Statement::Return(Some(self.expression()?))),
        }
    }

    fn define(&mut self) -> Result<Statement> {
        self.take_name("void");
        let Token::Name(name) = self.next() else { return self.wrong() };
        self.expect("(")?;
        let parameters = match self.take(")") {
            true => Vec::new(),
            false => {
                let names = self.names()?;
                self.expect(")")?;
                names
            }
        };
        self.skip_lines();
        self.expect("{")?;
        self.skip_lines();
        let locals = match self.take_name("auto") {
            true => self.names()?,
            false => Vec::new(),
        };
        let body = self.block()?;
        Ok(Statement::Define(Function { name, parameters, locals, body }))
    }

    /// Parses names separated by commas; the name of an array is returned with `[]`.
    fn names(&mut self) -> Result<Vec<String>> {
        let mut names = Vec::new();
        loop {
            let Token::Name(mut name) = self.next() else { return self.wrong() };
            if self.take("[") {
                self.expect("]")?;
                name.push_str("[]");
            }
            names.push(name);
            if !self.take(",") {
                return Ok(names);
            }
        }
    }

    pub(super) fn expression(&mut self) -> Result<Expression> {
        self.deeper(|parser| parser.binary(0))
    }

    /// Parses binary operators by precedence, from the loosest: `||`, `&&`, `!`, comparisons,
    /// assignments, sums, products, powers, signs.
    fn binary(&mut self, level: usize) -> Result<Expression> {
        const LEVELS: [&[&str]; 5] =
            [&["||"], &["&&"], &["==", "<=", ">=", "!=", "<", ">"], &["+", "-"], &["*", "/", "%"]];
        let Some(signs) = LEVELS.get(level) else { return self.power() };
        if level == 2 && self.take("!") {
            return Ok(Expression::Not(Box::new(self.deeper(|parser| parser.binary(2))?)));
        }
        let mut left = self.binary(level + 1)?;
        loop {
            let sign = match self.token() {
                Token::Sign(sign) if signs.contains(sign) => *sign,
                _ => return Ok(left),
            };
            self.at += 1;
            let right = self.binary(level + 1)?;
            left = Expression::Binary(sign, Box::new(left), Box::new(right));
        }
    }

    fn power(&mut self) -> Result<Expression> {
        let base = self.signed()?;
        if !self.take("^") {
            return Ok(base);
        }
        let exponent = self.deeper(Self::power)?;
        Ok(Expression::Binary("^", Box::new(base), Box::new(exponent)))
    }

    fn signed(&mut self) -> Result<Expression> {
        if self.take("-") {
            return Ok(Expression::Negate(Box::new(self.deeper(Self::signed)?)));
        }
        if self.take("+") {
            return self.deeper(Self::signed);
        }
        for (sign, by) in [("++", 1), ("--", -1)] {
            if self.take(sign) {
                return match self.primary()? {
                    Expression::Read(place) => Ok(Expression::Step { place, by, first: true }),
                    _ => self.wrong(),
                };
            }
        }
        let value = self.primary()?;
        let Expression::Read(place) = value else { return Ok(value) };
        for (sign, by) in [("++", 1), ("--", -1)] {
            if self.take(sign) {
                return Ok(Expression::Step { place, by, first: false });
            }
        }
        let operator = match self.token() {
            Token::Sign("=") => None,
            Token::Sign(sign @ ("+=" | "-=" | "*=" | "/=" | "%=" | "^=")) => Some(&sign[..1]),
            _ => return Ok(Expression::Read(place)),
        };
        self.at += 1;
        // The value of an assignment extends over operators that bind tighter than a comparison.
        let value = self.deeper(|parser| parser.binary(3))?;
        Ok(Expression::Assign(place, operator, Box::new(value)))
    }

    fn primary(&mut self) -> Result<Expression> {
        match self.next() {
            Token::Number(text) => Ok(Expression::Number(text)),
            Token::Sign("(") => {
                let inner = self.expression()?;
                self.expect(")")?;
                // An assignment in parentheses is an ordinary value, so it is printed.
                Ok(match inner {
                    inner @ Expression::Assign(..) => {
                        let nothing = Expression::Number("0".into());
                        Expression::Binary("+", Box::new(inner), Box::new(nothing))
                    }
                    inner => inner,
                })
            }
            Token::Sign(".") => Ok(Expression::Read(Place::Last)),
            Token::Name(name) if name == "last" => Ok(Expression::Read(Place::Last)),
            Token::Name(name) => {
                if self.take("(") {
                    let mut arguments = Vec::new();
                    while !self.take(")") {
                        arguments.push(self.expression()?);
                        if !self.is(")") {
                            self.expect(",")?;
                        }
                    }
                    return Ok(Expression::Call(name, arguments));
                }
                if self.take("[") {
                    let index = self.expression()?;
                    self.expect("]")?;
                    return Ok(Expression::Read(Place::Element(name, Box::new(index))));
                }
                Ok(Expression::Read(Place::Variable(name)))
            }
            _ => {
                self.at -= 1;
                self.wrong()
            }
        }
    }
}
