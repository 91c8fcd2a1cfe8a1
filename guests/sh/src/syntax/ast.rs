//! The syntax tree of a script. It is serialisable, so that a subshell receives it without
//! reparsing.

use std::cell::RefCell;
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::arith::Arith;

/// Bytes of a script or value, which need not be UTF-8.
pub type Text = Vec<u8>;

/// A sequence of commands.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct List {
    /// Commands in order.
    pub items: Vec<Item>,
}

/// One element of a list.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Item {
    /// First pipeline.
    pub first: Pipeline,
    /// Further pipelines, each with the operator before it.
    pub rest: Vec<(Link, Pipeline)>,
    /// True if ended by `&`.
    pub background: bool,
    /// True if ended by a newline, not by an operator.
    pub newline: bool,
}

/// Operator between two pipelines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Link {
    /// `&&`
    And,
    /// `||`
    Or,
}

/// Commands connected by `|`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Pipeline {
    /// True if preceded by an odd number of `!`.
    pub negated: bool,
    /// Set if preceded by `time`.
    pub timed: Option<Timed>,
    /// Commands; empty only for a lone `!` or `time`.
    pub stages: Vec<Rc<Command>>,
}

/// Report format of `time`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Timed {
    /// Bash's default format.
    Bash,
    /// `time -p`
    Posix,
}

/// A command with its redirections.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Command {
    /// Line on which the command begins.
    pub line: u32,
    /// Kind of command.
    pub kind: Kind,
    /// Redirections in order.
    pub redirects: Vec<Redirect>,
}

/// Kind of a command.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Kind {
    /// `a=1 name args`
    Simple(Simple),
    /// `( list )`
    Subshell(Rc<List>),
    /// `{ list; }`
    Group(List),
    /// `if`: conditions with their bodies, and the `else` body.
    If(Vec<(List, List)>, Option<List>),
    /// `while` or `until`.
    Loop(Loop),
    /// `for name in words`; without `in`, over the positional parameters.
    For(Text, Option<Vec<Word>>, List),
    /// `select name in words`
    Select(Text, Option<Vec<Word>>, List),
    /// `for ((a; b; c))`
    ArithFor(Box<[Option<ArithText>; 3]>, List),
    /// `case`
    Case(Word, Vec<Arm>),
    /// `(( ))`
    Arith(ArithText),
    /// `[[ ]]`
    Test(TestExpr),
    /// `name() body`
    Function(Text, Rc<Command>),
    /// `coproc name command`
    Coproc(Text, Rc<Command>),
}

/// A `while` or `until` loop.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Loop {
    /// True for `until`, which loops while the condition fails.
    pub until: bool,
    /// Condition, run before each iteration.
    pub condition: List,
    /// Loop body.
    pub body: List,
}

/// A simple command.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Simple {
    /// True if a word contains `$BASH_COMMAND`.
    pub names_command: bool,
    /// Assignments before the name.
    pub assigns: Vec<Assign>,
    /// Name and arguments.
    pub args: Vec<Arg>,
}

/// One word of a command.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Arg {
    /// An ordinary word, expanded to any number of arguments.
    Word(Word),
    /// An assignment argument of `declare` or another declaration builtin.
    Assign(Assign),
}

/// An assignment, `name[index]=value` or `name[index]+=value`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Assign {
    /// Variable name.
    pub name: Text,
    /// Subscript.
    pub index: Option<Word>,
    /// True for `+=`.
    pub append: bool,
    /// New value.
    pub value: AssignValue,
}

/// Value of an assignment.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum AssignValue {
    /// A single value.
    Scalar(Word),
    /// An array literal, `(…)`.
    Array(Vec<Element>),
}

/// One element of an array literal.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Element {
    /// Subscript in `[index]=value`.
    pub index: Option<Word>,
    /// True for `[index]+=value`.
    pub append: bool,
    /// Value; without an index the word may expand to several.
    pub value: Word,
}

/// One arm of `case`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Arm {
    /// Patterns, any of which may match.
    pub patterns: Vec<Word>,
    /// Commands to run.
    pub body: List,
    /// Terminator.
    pub end: ArmEnd,
}

/// Terminator of a `case` arm: the action after a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ArmEnd {
    /// `;;`: leaves the `case`.
    Leave,
    /// `;&`: runs the next body without testing its patterns.
    Fall,
    /// `;;&`: continues with the next arm that matches.
    Test,
}

/// A redirection.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Redirect {
    /// Redirected descriptor.
    pub fd: RedirectFd,
    /// Target.
    pub to: RedirectTo,
}

/// Left side of a redirection.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum RedirectFd {
    /// Default descriptor of the operator.
    Implied,
    /// `3>`
    Number(u32),
    /// `{name}>`
    Variable(Text),
}

/// Right side of a redirection.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum RedirectTo {
    /// A file and the mode to open it in.
    File(FileMode, Word),
    /// `>&word`, `<&word`
    Copy(Direction, Word),
    /// `&>word`, or `&>>word` if true.
    Both(bool, Word),
    /// `<<<word`
    String(Word),
    /// `<<` or `<<-`
    Here(Rc<Here>),
}

/// Operator of a descriptor copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Direction {
    /// `<&`
    Input,
    /// `>&`
    Output,
}

/// Mode in which a redirection opens a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileMode {
    /// `<`
    Read,
    /// `>`
    Write,
    /// `>|`
    Clobber,
    /// `>>`
    Append,
    /// `<>`
    ReadWrite,
}

/// A here-document. Its body follows the current line, so the parser fills it in later.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Here {
    /// Delimiter, without quotes.
    pub end: Text,
    /// True for `<<-`.
    pub strip_tabs: bool,
    /// True if the delimiter was quoted, which turns off expansion.
    pub quoted: bool,
    /// Body.
    pub body: RefCell<Word>,
}

/// A word before expansion.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Word {
    /// Adjacent parts.
    pub parts: Vec<Part>,
    /// Source text, if it differs from what the parts print: `a\ b`, `${x}`, `` `…` ``.
    pub source: Option<Text>,
}

impl Word {
    /// Creates a word from its parts.
    pub fn new(parts: Vec<Part>) -> Word {
        Word { parts, source: None }
    }
}

/// A part of a word.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Part {
    /// Unquoted text; inside [`Part::Double`], quoted text.
    Literal(Text),
    /// `'…'`, `\x`, `$'…'`
    Quoted(Text),
    /// `"…"`
    Double(Vec<Part>),
    /// `$x`, `${…}`
    Param(Box<Param>),
    /// `$(…)`, `` `…` ``
    Command(Rc<List>),
    /// `$((…))`
    Arith(Box<ArithText>),
    /// `<(…)`, or `>(…)` if true.
    Process(bool, Rc<List>),
    /// `{a,b}`: alternatives
    Braces(Vec<Word>),
    /// `{1..9..2}`, `{a..z}`
    Sequence(Sequence),
}

/// A brace sequence.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Sequence {
    /// First value.
    pub from: i64,
    /// Bound; the last value if the step reaches it exactly.
    pub to: i64,
    /// Increment, never 0.
    pub step: i64,
    /// Minimum width of numbers, padded with zeros.
    pub width: usize,
    /// True for characters, false for numbers.
    pub letters: bool,
}

/// An arithmetic expression in a script.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ArithText {
    /// Source word; the results of its substitutions become part of the expression's text.
    pub word: Word,
    /// Parsed expression, if its shape does not depend on substitutions.
    pub tree: Option<Rc<Arith>>,
}

/// A parameter expansion, `$x` or `${…}`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Param {
    /// Variable name, digits, or one special character.
    pub name: Text,
    /// Subscript.
    pub index: Option<Index>,
    /// True for `${!…}`.
    pub indirect: bool,
    /// True for `$x` without braces.
    pub bare: bool,
    /// Operator applied to the value.
    pub op: Op,
}

/// Subscript of `${a[…]}`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Index {
    /// `[@]`
    At,
    /// `[*]`
    Star,
    /// Any other subscript.
    One(Word),
}

/// Operator of `${…}`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Op {
    /// No operator.
    Get,
    /// `${#x}`
    Length,
    /// `${!x[@]}`
    Keys,
    /// `${!x*}`, `${!x@}`: names with a prefix. True for `@`.
    Names(bool),
    /// `-`, `=`, `?`, `+`; true with a colon, which treats an empty value as unset.
    Default(DefaultOp, bool, Word),
    /// `#`, `##`, `%`, `%%`; true for the doubled form, which removes the longest match.
    Remove(Side, bool, Word),
    /// `/`
    Replace(Where, Word, Option<Word>),
    /// `^`, `^^`, `,`, `,,`, `~`, `~~`; true for the doubled form, which changes all characters.
    Case(CaseOp, bool, Option<Word>),
    /// `:offset:length`
    Slice(ArithText, Option<ArithText>),
    /// `@Q` and the other transformations.
    Transform(u8),
    /// Invalid syntax, reported when it is expanded.
    Bad(Text),
}

/// Action of an operator that tests if a value is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum DefaultOp {
    /// `-`: uses the word if unset.
    Use,
    /// `=`: assigns the word if unset.
    Assign,
    /// `?`: fails with the word as message if unset.
    Fail,
    /// `+`: uses the word if set.
    Instead,
}

/// Side from which a pattern is removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Side {
    /// `#`
    Front,
    /// `%`
    Back,
}

/// Matches to replace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Where {
    /// `/`
    First,
    /// `//`
    All,
    /// `/#`
    Front,
    /// `/%`
    Back,
}

/// Direction of a case change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum CaseOp {
    /// `^`
    Upper,
    /// `,`
    Lower,
    /// `~`
    Toggle,
}

/// An expression in `[[ ]]`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum TestExpr {
    /// `-f word`
    Unary(u8, Word),
    /// `a == b`
    Binary(TestOp, Word, Word),
    /// `!`
    Not(Box<TestExpr>),
    /// `&&`
    And(Box<TestExpr>, Box<TestExpr>),
    /// `||`
    Or(Box<TestExpr>, Box<TestExpr>),
    /// `( … )`
    Group(Box<TestExpr>),
    /// A lone word, true unless empty.
    Word(Word),
}

/// Binary operators of `[[ ]]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum TestOp {
    /// `==`
    Matches,
    /// `=`, which means the same as `==`.
    Equals,
    /// `!=`
    Differs,
    /// `=~`
    Regex,
    /// `<`
    Before,
    /// `>`
    After,
    /// `-eq`
    Eq,
    /// `-ne`
    Ne,
    /// `-lt`
    Lt,
    /// `-le`
    Le,
    /// `-gt`
    Gt,
    /// `-ge`
    Ge,
    /// `-nt`
    Newer,
    /// `-ot`
    Older,
    /// `-ef`
    Same,
}

impl Word {
    /// Creates a word that consists of quoted text.
    pub fn quoted(text: &[u8]) -> Word {
        Word::new(vec![Part::Quoted(text.to_vec())])
    }

    /// Returns the text of a word that consists only of literal text.
    pub fn literal(&self) -> Option<&[u8]> {
        match self.parts.as_slice() {
            [Part::Literal(text)] => Some(text),
            [] => Some(b""),
            _ => None,
        }
    }
}
