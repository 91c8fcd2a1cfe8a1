//! The language of jq: its tree, and the parser.

use std::rc::Rc;

use super::json::Json;

/// Deepest nesting of a filter, because the parser recurses.
const MAX_NESTING: usize = 250;
/// Highest tree of a filter, because checking and freeing it recurse: operators in a row make a tree
/// as high as the row is long.
const MAX_HEIGHT: usize = 2_000;

#[derive(Debug)]
pub(super) enum Filter {
    Identity,
    /// A filter that has exactly one output and calls no function of the program, so that it runs
    /// without steps and choices. Made by [`super::single`].
    Single(Box<Filter>),
    RecurseAll,
    Literal(Json),
    /// A string with parts to interpolate, formatted by the named format.
    Text(Option<String>, Vec<Part>),
    Format(String),
    Index(Box<Filter>, Box<Filter>),
    Iterate(Box<Filter>),
    Array(Option<Box<Filter>>),
    Object(Vec<(Filter, Filter)>),
    Negate(Box<Filter>),
    Pipe(Box<Filter>, Box<Filter>),
    Comma(Box<Filter>, Box<Filter>),
    Binary(Operator, Box<Filter>, Box<Filter>),
    And(Box<Filter>, Box<Filter>),
    Or(Box<Filter>, Box<Filter>),
    Alternative(Box<Filter>, Box<Filter>),
    Assign(Box<Filter>, Box<Filter>),
    Modify(Box<Filter>, Box<Filter>),
    /// `a += b` and the like; `None` is `//=`.
    Change(Option<Operator>, Box<Filter>, Box<Filter>),
    If(Box<Filter>, Box<Filter>, Box<Filter>),
    Try(Box<Filter>, Option<Box<Filter>>),
    Reduce(Box<Filter>, Vec<Pattern>, Box<Filter>, Box<Filter>),
    Foreach(Box<Filter>, Vec<Pattern>, Box<Filter>, Box<Filter>, Option<Box<Filter>>),
    Bind(Box<Filter>, Vec<Pattern>, Box<Filter>),
    Define(Box<Definition>, Box<Filter>),
    Call(String, Vec<Filter>),
    Variable(String),
    Label(String, Box<Filter>),
    Break(String),
}

impl Filter {
    /// Returns the filters that this one consists of.
    pub(super) fn parts(&mut self) -> Vec<&mut Filter> {
        match self {
            Filter::Identity
            | Filter::RecurseAll
            | Filter::Literal(_)
            | Filter::Format(_)
            | Filter::Array(None)
            | Filter::Variable(_)
            | Filter::Break(_) => Vec::new(),
            Filter::Text(_, parts) => parts
                .iter_mut()
                .filter_map(|part| match part {
                    Part::Plain(_) => None,
                    Part::Filter(filter) => Some(filter),
                })
                .collect(),
            Filter::Single(a)
            | Filter::Iterate(a)
            | Filter::Array(Some(a))
            | Filter::Negate(a)
            | Filter::Try(a, None)
            | Filter::Label(_, a) => vec![a],
            Filter::Index(a, b)
            | Filter::Pipe(a, b)
            | Filter::Comma(a, b)
            | Filter::Binary(_, a, b)
            | Filter::And(a, b)
            | Filter::Or(a, b)
            | Filter::Alternative(a, b)
            | Filter::Assign(a, b)
            | Filter::Modify(a, b)
            | Filter::Change(_, a, b)
            | Filter::Try(a, Some(b)) => vec![a, b],
            Filter::If(a, b, c) => vec![a, b, c],
            Filter::Object(members) => {
                members.iter_mut().flat_map(|(key, value)| [key, value]).collect()
            }
            Filter::Reduce(source, patterns, init, update) => {
                let mut parts: Vec<&mut Filter> = vec![source, init, update];
                patterns.iter_mut().for_each(|pattern| pattern.keys(&mut parts));
                parts
            }
            Filter::Foreach(source, patterns, init, update, extract) => {
                let mut parts: Vec<&mut Filter> = vec![source, init, update];
                parts.extend(extract.as_deref_mut());
                patterns.iter_mut().for_each(|pattern| pattern.keys(&mut parts));
                parts
            }
            Filter::Bind(source, patterns, body) => {
                let mut parts: Vec<&mut Filter> = vec![source, body];
                patterns.iter_mut().for_each(|pattern| pattern.keys(&mut parts));
                parts
            }
            Filter::Define(definition, rest) => vec![&mut definition.body, rest],
            Filter::Call(_, arguments) => arguments.iter_mut().collect(),
        }
    }
}

#[derive(Debug)]
pub(super) enum Part {
    Plain(String),
    Filter(Filter),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Equal,
    Unequal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

#[derive(Debug)]
pub(super) enum Pattern {
    Variable(String),
    Array(Vec<Pattern>),
    /// Pairs of the variable to set to the member (if any), the key, and the pattern (if any).
    Object(Vec<(Option<String>, Filter, Option<Pattern>)>),
}

impl Pattern {
    /// Adds the filters that are keys.
    fn keys<'a>(&'a mut self, keys: &mut Vec<&'a mut Filter>) {
        match self {
            Pattern::Variable(_) => {}
            Pattern::Array(items) => items.iter_mut().for_each(|item| item.keys(keys)),
            Pattern::Object(members) => {
                for (_, key, pattern) in members {
                    keys.push(key);
                    pattern.iter_mut().for_each(|pattern| pattern.keys(keys));
                }
            }
        }
    }

    /// Adds the names of the variables that the pattern sets.
    pub(super) fn names<'a>(&'a self, names: &mut Vec<&'a str>) {
        match self {
            Pattern::Variable(name) => names.push(name),
            Pattern::Array(items) => items.iter().for_each(|item| item.names(names)),
            Pattern::Object(members) => {
                for (name, _, pattern) in members {
                    names.extend(name.as_deref());
                    pattern.iter().for_each(|pattern| pattern.names(names));
                }
            }
        }
    }
}

#[derive(Debug)]
pub(super) struct Definition {
    pub(super) name: String,
    /// Names of the parameters; those of values begin with `$`.
    pub(super) parameters: Vec<String>,
    pub(super) body: Filter,
}

pub(super) struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

type Parsed<T> = Result<T, String>;

const KEYWORDS: [&str; 18] = [
    "def", "if", "then", "elif", "else", "end", "as", "reduce", "foreach", "try", "catch", "label",
    "import", "include", "and", "or", "__loc__", "module",
];

/// Parses a whole program.
pub(super) fn program(text: &str) -> Parsed<Filter> {
    let mut parser = Parser { text, at: 0, depth: 0 };
    if parser.word("module") {
        parser.postfix()?;
        parser.expect(";")?;
    }
    if parser.peek_word("import") || parser.peek_word("include") {
        return Err("module loading is not supported".to_owned());
    }
    let mut filter = parser.body()?;
    parser.blank();
    if height(&mut filter) > MAX_HEIGHT {
        // Freeing the tree would recurse as deep as it is.
        std::mem::forget(filter);
        return Err("syntax error: nesting too deep".to_owned());
    }
    if parser.at < text.len() { Err(parser.unexpected()) } else { Ok(filter) }
}

/// Returns the height of a filter's tree, without recursion.
fn height(filter: &mut Filter) -> usize {
    let mut highest = 0;
    let mut waiting = vec![(filter, 1)];
    while let Some((filter, level)) = waiting.pop() {
        highest = highest.max(level);
        waiting.extend(filter.parts().into_iter().map(|part| (part, level + 1)));
    }
    highest
}

/// Parses a list of definitions.
pub(super) fn definitions(text: &str) -> Parsed<Vec<Definition>> {
    let mut parser = Parser { text, at: 0, depth: 0 };
    let mut list = Vec::new();
    while parser.peek_word("def") {
        list.push(parser.definition()?);
    }
    parser.blank();
    if parser.at < text.len() { Err(parser.unexpected()) } else { Ok(list) }
}

/// Joins filters by an operator that is associative; a long list makes a tree that is not deep.
fn balanced(mut list: Vec<Filter>, join: fn(Box<Filter>, Box<Filter>) -> Filter) -> Filter {
    if list.len() < 2 {
        return list.pop().unwrap_or(Filter::Identity);
    }
    // Short pipes are nested to the right, because each stage then continues in the last place.
    let half = if list.len() < MAX_NESTING { 1 } else { list.len() / 2 };
    let second = list.split_off(half);
    join(boxed(balanced(list, join)), boxed(balanced(second, join)))
}

fn boxed(filter: Filter) -> Box<Filter> {
    Box::new(filter)
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn blank(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start_matches([' ', '\t', '\r', '\n']);
            self.at += rest.len() - trimmed.len();
            if !self.rest().starts_with('#') {
                return;
            }
            // A backslash before the end of the line continues the comment.
            loop {
                let rest = self.rest();
                let end = rest.find('\n').unwrap_or(rest.len());
                let line = rest[..end].trim_end_matches('\r');
                let slashes = line.len() - line.trim_end_matches('\\').len();
                self.at += (end + 1).min(rest.len());
                if slashes.is_multiple_of(2) || self.rest().is_empty() {
                    break;
                }
            }
        }
    }

    fn unexpected(&mut self) -> String {
        self.blank();
        let line = 1 + self.text[..self.at].matches('\n').count();
        let what = match self.rest().chars().next() {
            None => "end of file".to_owned(),
            Some(_) => match self.name_here() {
                Some(name) => format!("'{name}'"),
                None => format!("'{}'", self.rest().chars().next().unwrap_or(' ')),
            },
        };
        format!("syntax error, unexpected {what} at <top-level>, line {line}:\n{}", self.text)
    }

    fn eat(&mut self, symbol: &str) -> bool {
        self.blank();
        let found = self.rest().starts_with(symbol);
        if found {
            self.at += symbol.len();
        }
        found
    }

    fn expect(&mut self, symbol: &str) -> Parsed<()> {
        if self.eat(symbol) { Ok(()) } else { Err(self.unexpected()) }
    }

    /// Returns the name at this place, without leaving the place.
    fn name_here(&self) -> Option<&str> {
        let rest = self.rest();
        if !rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            return None;
        }
        let mut end = 0;
        let bytes = rest.as_bytes();
        while end < bytes.len() {
            let next = |at: usize| bytes.get(at).copied().unwrap_or(0);
            if bytes[end].is_ascii_alphanumeric() || bytes[end] == b'_' {
                end += 1;
            } else if next(end) == b':'
                && next(end + 1) == b':'
                && (next(end + 2).is_ascii_alphabetic() || next(end + 2) == b'_')
            {
                end += 2;
            } else {
                break;
            }
        }
        Some(&rest[..end])
    }

    fn peek_word(&mut self, word: &str) -> bool {
        self.blank();
        self.name_here() == Some(word)
    }

    fn word(&mut self, word: &str) -> bool {
        let found = self.peek_word(word);
        if found {
            self.at += word.len();
        }
        found
    }

    fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.word(word) { Ok(()) } else { Err(self.unexpected()) }
    }

    fn name(&mut self) -> Parsed<String> {
        self.blank();
        match self.name_here().map(str::to_owned) {
            Some(name) => {
                self.at += name.len();
                Ok(name)
            }
            None => Err(self.unexpected()),
        }
    }

    fn variable(&mut self) -> Parsed<String> {
        self.expect("$")?;
        self.name()
    }

    fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_NESTING {
            return Err("syntax error: nesting too deep".to_owned());
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    /// Parses the text of a program or function; definitions alone stand for `.`.
    fn body(&mut self) -> Parsed<Filter> {
        if self.peek_word("def") {
            let definition = self.definition()?;
            let rest = self.deeper(Self::body)?;
            return Ok(Filter::Define(Box::new(definition), boxed(rest)));
        }
        self.blank();
        if self.rest().is_empty() { Ok(Filter::Identity) } else { self.pipe() }
    }

    fn definition(&mut self) -> Parsed<Definition> {
        self.expect_word("def")?;
        let name = self.name()?;
        let mut parameters = Vec::new();
        if self.eat("(") {
            loop {
                let value = self.eat("$");
                let parameter = self.name()?;
                parameters.push(if value { format!("${parameter}") } else { parameter });
                if self.eat(")") {
                    break;
                }
                self.expect(";")?;
            }
        }
        self.expect(":")?;
        let body = self.deeper(Self::pipe)?;
        self.expect(";")?;
        Ok(Definition { name, parameters, body })
    }

    fn pipe(&mut self) -> Parsed<Filter> {
        self.deeper(|this| {
            if this.peek_word("def") {
                let definition = this.definition()?;
                let rest = this.pipe()?;
                return Ok(Filter::Define(Box::new(definition), boxed(rest)));
            }
            let mut stages = vec![this.comma()?];
            while !this.peek("|=") && this.eat("|") {
                if this.peek_word("def") {
                    stages.push(this.pipe()?);
                    break;
                }
                stages.push(this.comma()?);
            }
            Ok(balanced(stages, Filter::Pipe))
        })
    }

    fn peek(&mut self, symbol: &str) -> bool {
        self.blank();
        self.rest().starts_with(symbol)
    }

    fn comma(&mut self) -> Parsed<Filter> {
        let mut parts = vec![self.binary(0)?];
        while self.eat(",") {
            parts.push(self.binary(0)?);
        }
        Ok(balanced(parts, Filter::Comma))
    }

    /// Returns the operator here, its strength, and its length, without leaving the place.
    fn operator(&mut self) -> Option<(&'static str, u8)> {
        self.blank();
        const OPERATORS: [(&str, u8); 20] = [
            ("//=", 2),
            ("?//", 0),
            ("//", 1),
            ("|=", 2),
            ("+=", 2),
            ("-=", 2),
            ("*=", 2),
            ("/=", 2),
            ("%=", 2),
            ("==", 5),
            ("!=", 5),
            ("<=", 5),
            (">=", 5),
            ("<", 5),
            (">", 5),
            ("=", 2),
            ("+", 6),
            ("-", 6),
            ("*", 7),
            ("%", 7),
        ];
        let rest = self.rest();
        let symbol = OPERATORS.into_iter().find(|(symbol, _)| rest.starts_with(symbol));
        let slash = || rest.starts_with('/').then_some(("/", 7));
        let word = || match self.name_here() {
            Some("and") => Some(("and", 4)),
            Some("or") => Some(("or", 3)),
            _ => None,
        };
        symbol.or_else(slash).or_else(word).filter(|(_, strength)| *strength > 0)
    }

    /// Parses operators of at least this strength.
    fn binary(&mut self, least: u8) -> Parsed<Filter> {
        let mut left = self.deeper(Self::unary)?;
        while let Some((symbol, strength)) = self.operator() {
            if strength < least.max(1) {
                break;
            }
            self.at += symbol.len();
            // `//` binds to the right; assignments and comparisons do not chain.
            let right =
                self.deeper(|this| this.binary(if strength == 1 { 1 } else { strength + 1 }))?;
            if matches!(strength, 2 | 5)
                && let Some((_, next)) = self.operator()
                && next == strength
            {
                return Err(self.unexpected());
            }
            left = combine(symbol, boxed(left), boxed(right));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<Filter> {
        if self.word("label") {
            let name = self.variable()?;
            self.expect("|")?;
            return Ok(Filter::Label(name, boxed(self.pipe()?)));
        }
        if self.peek_word("def") {
            let definition = self.definition()?;
            return Ok(Filter::Define(Box::new(definition), boxed(self.pipe()?)));
        }
        let term = self.tried()?;
        if !self.word("as") {
            return Ok(term);
        }
        let patterns = self.patterns()?;
        self.expect("|")?;
        Ok(Filter::Bind(boxed(term), patterns, boxed(self.pipe()?)))
    }

    fn patterns(&mut self) -> Parsed<Vec<Pattern>> {
        let mut list = vec![self.deeper(Self::pattern)?];
        while self.eat("?//") {
            list.push(self.deeper(Self::pattern)?);
        }
        Ok(list)
    }

    fn pattern(&mut self) -> Parsed<Pattern> {
        if self.eat("[") {
            let mut items = Vec::new();
            loop {
                items.push(self.deeper(Self::pattern)?);
                if self.eat("]") {
                    return Ok(Pattern::Array(items));
                }
                self.expect(",")?;
            }
        }
        if !self.eat("{") {
            return Ok(Pattern::Variable(self.variable()?));
        }
        let mut members = Vec::new();
        loop {
            let (name, key) = if self.peek("$") {
                let name = self.variable()?;
                (Some(name.clone()), Filter::Literal(name.into()))
            } else if self.eat("(") {
                let key = self.pipe()?;
                self.expect(")")?;
                (None, key)
            } else if self.peek("\"") {
                (None, self.string(None)?)
            } else {
                (None, Filter::Literal(self.name()?.into()))
            };
            let pattern = match (self.eat(":"), &name) {
                (true, _) => Some(self.deeper(Self::pattern)?),
                (false, Some(_)) => None,
                (false, None) => return Err(self.unexpected()),
            };
            members.push((name, key, pattern));
            if self.eat("}") {
                return Ok(Pattern::Object(members));
            }
            self.expect(",")?;
        }
    }

    /// Parses a term and the paths that follow it.
    fn postfix(&mut self) -> Parsed<Filter> {
        let mut term = self.term()?;
        loop {
            self.blank();
            if self.rest().starts_with("?//") {
                return Ok(term);
            }
            if self.eat("?") {
                term = Filter::Try(boxed(term), None);
            } else if self.eat("[") {
                term = self.bracket(term)?;
            } else if self.peek(".") && !self.peek("..") {
                self.at += 1;
                self.blank();
                if self.eat("[") {
                    term = self.bracket(term)?;
                } else if self.peek("\"") {
                    term = Filter::Index(boxed(term), boxed(self.string(None)?));
                } else {
                    let name = self.name()?;
                    term = Filter::Index(boxed(term), boxed(Filter::Literal(name.into())));
                }
            } else {
                return Ok(term);
            }
        }
    }

    /// Parses an index, slice or iteration after its bracket.
    fn bracket(&mut self, term: Filter) -> Parsed<Filter> {
        if self.eat("]") {
            return Ok(Filter::Iterate(boxed(term)));
        }
        let from = if self.peek(":") { None } else { Some(self.pipe()?) };
        if self.eat(":") {
            let to = if self.peek("]") { None } else { Some(self.pipe()?) };
            self.expect("]")?;
            if from.is_none() && to.is_none() {
                return Err(self.unexpected());
            }
            let bound = |name: &str, bound: Option<Filter>| {
                (Filter::Literal(name.into()), bound.unwrap_or(Filter::Literal(Json::Null)))
            };
            let bounds = Filter::Object(vec![bound("start", from), bound("end", to)]);
            return Ok(Filter::Index(boxed(term), boxed(bounds)));
        }
        self.expect("]")?;
        let index = from.ok_or_else(|| self.unexpected())?;
        Ok(Filter::Index(boxed(term), boxed(index)))
    }

    fn term(&mut self) -> Parsed<Filter> {
        self.blank();
        let Some(first) = self.rest().chars().next() else { return Err(self.unexpected()) };
        let second = self.rest().chars().nth(1).unwrap_or(' ');
        match first {
            '.' if second == '.' => {
                self.at += 2;
                Ok(Filter::RecurseAll)
            }
            '.' if second.is_ascii_digit() => self.number(),
            '.' => {
                self.at += 1;
                let named = self.rest().starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
                let key = if named {
                    Filter::Literal(self.name()?.into())
                } else if self.rest().starts_with('"') {
                    self.string(None)?
                } else {
                    return Ok(Filter::Identity);
                };
                Ok(Filter::Index(boxed(Filter::Identity), boxed(key)))
            }
            '0'..='9' => self.number(),
            '"' => self.string(None),
            '@' => {
                self.at += 1;
                let name = format!("@{}", self.name()?);
                if self.peek("\"") { self.string(Some(name)) } else { Ok(Filter::Format(name)) }
            }
            '(' => {
                self.at += 1;
                let inner = self.pipe()?;
                self.expect(")")?;
                Ok(inner)
            }
            '[' => {
                self.at += 1;
                if self.eat("]") {
                    return Ok(Filter::Array(None));
                }
                let inner = self.pipe()?;
                self.expect("]")?;
                Ok(Filter::Array(Some(boxed(inner))))
            }
            '{' => {
                self.at += 1;
                self.object()
            }
            '$' => {
                let line = 1 + self.text[..self.at].matches('\n').count();
                let name = self.variable()?;
                if name == "__loc__" {
                    return Ok(Filter::Literal(location(line)));
                }
                Ok(Filter::Variable(name))
            }
            _ => self.keyword(),
        }
    }

    fn keyword(&mut self) -> Parsed<Filter> {
        if self.word("if") {
            return self.conditional();
        }
        if self.word("try") {
            let body = self.deeper(Self::tried)?;
            let handler =
                if self.word("catch") { Some(boxed(self.deeper(Self::tried)?)) } else { None };
            return Ok(Filter::Try(boxed(body), handler));
        }
        let reduce = self.word("reduce");
        if reduce || self.word("foreach") {
            return self.fold(reduce);
        }
        if self.word("break") {
            return Ok(Filter::Break(self.variable()?));
        }
        let start = self.at;
        let name = self.name()?;
        match name.as_str() {
            "null" => return Ok(Filter::Literal(Json::Null)),
            "true" => return Ok(Filter::Literal(true.into())),
            "false" => return Ok(Filter::Literal(false.into())),
            word if KEYWORDS.contains(&word) => {
                self.at = start;
                return Err(self.unexpected());
            }
            _ => {}
        }
        let mut arguments = Vec::new();
        if self.eat("(") {
            loop {
                arguments.push(self.pipe()?);
                if self.eat(")") {
                    break;
                }
                self.expect(";")?;
            }
        }
        Ok(Filter::Call(name, arguments))
    }

    /// Parses a term that may be negated.
    fn tried(&mut self) -> Parsed<Filter> {
        if self.eat("-") {
            let operand = self.deeper(Self::tried)?;
            return Ok(Filter::Negate(boxed(operand)));
        }
        self.postfix()
    }

    fn conditional(&mut self) -> Parsed<Filter> {
        let condition = self.pipe()?;
        self.expect_word("then")?;
        let then = self.pipe()?;
        let otherwise = if self.word("elif") {
            self.deeper(Self::conditional)?
        } else if self.word("else") {
            let otherwise = self.pipe()?;
            self.expect_word("end")?;
            otherwise
        } else {
            self.expect_word("end")?;
            Filter::Identity
        };
        Ok(Filter::If(boxed(condition), boxed(then), boxed(otherwise)))
    }

    fn fold(&mut self, reduce: bool) -> Parsed<Filter> {
        // The source ends before `as`, which belongs to the fold.
        let mut source = self.deeper(Self::tried)?;
        while let Some((symbol, strength @ 6..)) = self.operator() {
            self.at += symbol.len();
            let right = self.deeper(Self::tried)?;
            let _ = strength;
            source = combine(symbol, boxed(source), boxed(right));
        }
        self.expect_word("as")?;
        let patterns = self.patterns()?;
        self.expect("(")?;
        let init = self.pipe()?;
        self.expect(";")?;
        let update = self.pipe()?;
        if reduce {
            self.expect(")")?;
            return Ok(Filter::Reduce(boxed(source), patterns, boxed(init), boxed(update)));
        }
        let extract = if self.eat(";") { Some(boxed(self.pipe()?)) } else { None };
        self.expect(")")?;
        Ok(Filter::Foreach(boxed(source), patterns, boxed(init), boxed(update), extract))
    }

    fn object(&mut self) -> Parsed<Filter> {
        let mut members = Vec::new();
        if self.eat("}") {
            return Ok(Filter::Object(members));
        }
        loop {
            members.push(self.member()?);
            if self.eat("}") {
                return Ok(Filter::Object(members));
            }
            self.expect(",")?;
            if self.eat("}") {
                return Ok(Filter::Object(members));
            }
        }
    }

    fn member(&mut self) -> Parsed<(Filter, Filter)> {
        self.blank();
        let of_input = |key: &Json| {
            Filter::Index(boxed(Filter::Identity), boxed(Filter::Literal(key.clone())))
        };
        let (key, default) = match self.rest().chars().next() {
            Some('$') => {
                let line = 1 + self.text[..self.at].matches('\n').count();
                let name = self.variable()?;
                let value = match name.as_str() {
                    "__loc__" => Filter::Literal(location(line)),
                    _ => Filter::Variable(name.clone()),
                };
                if self.eat(":") {
                    return Ok((value, self.member_value()?));
                }
                return Ok((Filter::Literal(name.into()), value));
            }
            Some('(') => {
                self.at += 1;
                let key = self.pipe()?;
                self.expect(")")?;
                (key, None)
            }
            Some('"' | '@') => {
                let from = self.at;
                let parse = |this: &mut Self| match this.eat("@") {
                    true => {
                        let name = format!("@{}", this.name()?);
                        this.string(Some(name))
                    }
                    false => this.string(None),
                };
                let key = parse(self)?;
                let after = self.at;
                self.at = from;
                let again = parse(self)?;
                self.at = after;
                (key, Some(Filter::Index(boxed(Filter::Identity), boxed(again))))
            }
            Some('0'..='9') => {
                let Filter::Literal(number) = self.number()? else { return Err(self.unexpected()) };
                let default = of_input(&number);
                (Filter::Literal(number), Some(default))
            }
            _ => {
                let key = Json::from(self.name()?);
                let default = of_input(&key);
                (Filter::Literal(key), Some(default))
            }
        };
        if self.eat(":") {
            return Ok((key, self.member_value()?));
        }
        match default {
            Some(value) => Ok((key, value)),
            None => Err(self.unexpected()),
        }
    }

    /// Parses the value of a member: terms joined by `|`, without commas.
    fn member_value(&mut self) -> Parsed<Filter> {
        let value = self.deeper(|this| this.binary(1))?;
        if self.eat("|") {
            let rest = self.deeper(Self::member_value)?;
            return Ok(Filter::Pipe(boxed(value), boxed(rest)));
        }
        Ok(value)
    }

    fn number(&mut self) -> Parsed<Filter> {
        let rest = self.rest().as_bytes();
        let digits = |from: usize| {
            rest[from..].iter().position(|b| !b.is_ascii_digit()).map_or(rest.len(), |n| from + n)
        };
        let mut end = digits(0);
        if rest.get(end) == Some(&b'.') {
            end = digits(end + 1);
        }
        if matches!(rest.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(rest.get(end + 1), Some(b'+' | b'-')));
            let last = digits((end + 1 + sign).min(rest.len()));
            if last > end + 1 + sign {
                end = last;
            }
        }
        let value = super::read::number(&self.rest()[..end]);
        let value = value.ok_or_else(|| self.unexpected())?;
        self.at += end;
        Ok(Filter::Literal(value))
    }

    /// Parses a string with its interpolations.
    fn string(&mut self, format: Option<String>) -> Parsed<Filter> {
        self.expect("\"")?;
        let mut parts = Vec::new();
        let mut plain = String::new();
        loop {
            let Some(c) = self.rest().chars().next() else { return Err(self.unexpected()) };
            self.at += c.len_utf8();
            if c == '"' {
                break;
            }
            if c != '\\' {
                plain.push(c);
                continue;
            }
            let Some(escape) = self.rest().chars().next() else { return Err(self.unexpected()) };
            self.at += escape.len_utf8();
            match escape {
                'n' => plain.push('\n'),
                't' => plain.push('\t'),
                'r' => plain.push('\r'),
                'b' => plain.push('\x08'),
                'f' => plain.push('\x0c'),
                '"' | '\\' | '/' => plain.push(escape),
                'u' => plain.push(self.unicode()?),
                '(' => {
                    parts.push(Part::Plain(std::mem::take(&mut plain)));
                    parts.push(Part::Filter(self.pipe()?));
                    self.expect(")")?;
                }
                _ => return Err(self.unexpected()),
            }
        }
        if parts.is_empty() {
            return Ok(Filter::Literal(Json::Str(Rc::from(plain))));
        }
        parts.push(Part::Plain(plain));
        Ok(Filter::Text(format, parts))
    }

    fn unicode(&mut self) -> Parsed<char> {
        let unit = |this: &Self, at: usize| {
            this.text.get(at..at + 4).and_then(|digits| u32::from_str_radix(digits, 16).ok())
        };
        let Some(high) = unit(self, self.at) else { return Err(self.unexpected()) };
        self.at += 4;
        if (0xd800..0xdc00).contains(&high)
            && self.rest().starts_with("\\u")
            && let Some(low @ 0xdc00..0xe000) = unit(self, self.at + 2)
        {
            self.at += 6;
            let code = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
            return Ok(char::from_u32(code).unwrap_or('\u{fffd}'));
        }
        Ok(char::from_u32(high).unwrap_or('\u{fffd}'))
    }
}

fn location(line: usize) -> Json {
    Json::object([("file", "<top-level>".into()), ("line", line.into())])
}

fn combine(symbol: &str, left: Box<Filter>, right: Box<Filter>) -> Filter {
    let operator = match symbol.strip_suffix('=').unwrap_or(symbol) {
        "+" => Some(Operator::Add),
        "-" => Some(Operator::Subtract),
        "*" => Some(Operator::Multiply),
        "/" => Some(Operator::Divide),
        "%" => Some(Operator::Remainder),
        _ => None,
    };
    match symbol {
        "and" => Filter::And(left, right),
        "or" => Filter::Or(left, right),
        "//" => Filter::Alternative(left, right),
        "=" => Filter::Assign(left, right),
        "|=" => Filter::Modify(left, right),
        "==" => Filter::Binary(Operator::Equal, left, right),
        "!=" => Filter::Binary(Operator::Unequal, left, right),
        "<" => Filter::Binary(Operator::Less, left, right),
        "<=" => Filter::Binary(Operator::LessEqual, left, right),
        ">" => Filter::Binary(Operator::Greater, left, right),
        ">=" => Filter::Binary(Operator::GreaterEqual, left, right),
        _ if symbol.ends_with('=') => Filter::Change(operator, left, right),
        _ => Filter::Binary(operator.unwrap_or(Operator::Add), left, right),
    }
}
