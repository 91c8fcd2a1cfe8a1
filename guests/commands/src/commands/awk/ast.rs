//! The syntax tree of a program.

use std::rc::Rc;

use crate::pattern::Pattern;

/// A whole program.
#[derive(Default)]
pub(super) struct Program {
    pub(super) begin: Vec<Block>,
    pub(super) end: Vec<Block>,
    pub(super) rules: Vec<Rule>,
    pub(super) functions: Vec<Function>,
    /// Names of global variables; the special variables come first, see [`super::globals`].
    pub(super) globals: Vec<String>,
}

pub(super) type Block = Vec<Statement>;

pub(super) struct Rule {
    pub(super) when: When,
    /// `None` prints the record.
    pub(super) body: Option<Block>,
}

pub(super) enum When {
    Always,
    If(Expr),
    /// From a record that matches the first expression to one that matches the second; the number
    /// indexes the state of the range.
    Range(Expr, Expr, usize),
}

pub(super) struct Function {
    pub(super) name: String,
    pub(super) params: usize,
    /// For each parameter, true if it is used as an array.
    pub(super) arrays: Vec<bool>,
    pub(super) body: Block,
}

/// A variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    Global(usize),
    Local(usize),
}

pub(super) enum Statement {
    Expr(Expr),
    Print(Vec<Expr>, Option<Redirect>),
    Printf(Vec<Expr>, Option<Redirect>),
    If(Expr, Block, Block),
    While(Expr, Block),
    Do(Block, Expr),
    For(Option<Box<Statement>>, Option<Expr>, Option<Box<Statement>>, Block),
    ForIn(Name, Name, Block),
    Switch(Expr, Vec<Case>),
    Block(Block),
    Next,
    NextFile,
    Exit(Option<Expr>),
    Return(Option<Expr>),
    Break,
    Continue,
    Delete(Name, Option<Vec<Expr>>),
}

/// A label of `switch`, `None` for `default`, and its statements.
pub(super) struct Case {
    pub(super) label: Option<Expr>,
    pub(super) body: Block,
}

pub(super) enum Redirect {
    Truncate(Expr),
    Append(Expr),
    Pipe(Expr),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Power,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    Less,
    LessEqual,
    Equal,
    NotEqual,
    Greater,
    GreaterEqual,
}

/// An expression that can be assigned to.
pub(super) enum Place {
    Variable(Name),
    Field(Box<Expr>),
    Element(Name, Vec<Expr>),
}

pub(super) enum Expr {
    Number(f64),
    Text(Rc<[u8]>),
    Regex(Rc<Pattern>),
    Get(Place),
    Assign(Place, Box<Expr>),
    Update(Arithmetic, Place, Box<Expr>),
    /// `++` or `--`: the place, the increment, and true if the value is the old one.
    Step(Place, f64, bool),
    Arithmetic(Arithmetic, Box<Expr>, Box<Expr>),
    Compare(Comparison, Box<Expr>, Box<Expr>),
    /// Text, pattern, and true if negated.
    Match(Box<Expr>, Box<Expr>, bool),
    Concat(Vec<Expr>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    Not(Box<Expr>),
    Negative(Box<Expr>),
    Positive(Box<Expr>),
    Condition(Box<Expr>, Box<Expr>, Box<Expr>),
    In(Vec<Expr>, Name),
    /// `(a, b)`, allowed only in `print` and `in`.
    Grouping(Vec<Expr>),
    Call(usize, Vec<Expr>),
    Builtin(Builtin, Vec<Expr>),
    Getline(Option<Box<Place>>, Source),
}

/// The input that `getline` reads.
pub(super) enum Source {
    Main,
    File(Box<Expr>),
    Command(Box<Expr>),
}

macro_rules! builtins {
    ($($variant:ident $name:literal $least:literal $most:literal;)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Builtin { $($variant),* }

        impl Builtin {
            pub(super) fn named(name: &str) -> Option<Self> {
                match name { $($name => Some(Builtin::$variant),)* _ => None }
            }

            pub(super) fn name(self) -> &'static str {
                match self { $(Builtin::$variant => $name),* }
            }

            /// Returns the smallest and the largest number of arguments.
            pub(super) fn arguments(self) -> (usize, usize) {
                match self { $(Builtin::$variant => ($least, $most)),* }
            }
        }
    };
}

builtins! {
    And "and" 2 64;
    Asort "asort" 1 3;
    Asorti "asorti" 1 3;
    Atan2 "atan2" 2 2;
    Close "close" 1 2;
    Compl "compl" 1 1;
    Cos "cos" 1 1;
    Exp "exp" 1 1;
    Fflush "fflush" 0 1;
    Gensub "gensub" 3 4;
    Gsub "gsub" 2 3;
    Index "index" 2 2;
    Int "int" 1 1;
    IsArray "isarray" 1 1;
    Length "length" 0 1;
    Log "log" 1 1;
    Lshift "lshift" 2 2;
    Match "match" 2 3;
    Mktime "mktime" 1 2;
    OrBits "or" 2 64;
    Rand "rand" 0 0;
    Rshift "rshift" 2 2;
    Sin "sin" 1 1;
    Split "split" 2 4;
    Sprintf "sprintf" 1 1000;
    Sqrt "sqrt" 1 1;
    Srand "srand" 0 1;
    Strftime "strftime" 0 3;
    Strtonum "strtonum" 1 1;
    Sub "sub" 2 3;
    Substr "substr" 2 3;
    System "system" 1 1;
    Systime "systime" 0 0;
    Tolower "tolower" 1 1;
    Toupper "toupper" 1 1;
    Typeof "typeof" 1 1;
    Xor "xor" 2 64;
}
