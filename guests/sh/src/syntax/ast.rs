//! The tree of a script. It can be packed, so that a subshell receives it as it is.

use std::cell::RefCell;
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::arith::Arith;

/// Bytes of a script: what it works with need not be UTF-8.
pub type Text = Vec<u8>;

/// Commands one after the other.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct List {
    /// In order.
    pub items: Vec<Item>,
}

/// One element of a list.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Item {
    /// What comes first.
    pub first: Pipeline,
    /// What follows `&&` and `||`.
    pub rest: Vec<(Link, Pipeline)>,
    /// Ended by `&`.
    pub background: bool,
}

/// Between two pipelines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Link {
    /// `&&`
    And,
    /// `||`
    Or,
}

/// Commands joined by `|`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Pipeline {
    /// `!` an odd number of times.
    pub negated: bool,
    /// `time` in front.
    pub timed: Option<Timed>,
    /// At least one, unless it is a lone `!` or `time`.
    pub stages: Vec<Rc<Command>>,
}

/// How `time` reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Timed {
    /// As bash does.
    Bash,
    /// `time -p`
    Posix,
}

/// One command with its redirections.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Command {
    /// Where it begins.
    pub line: u32,
    /// What it is.
    pub kind: Kind,
    /// In order.
    pub redirects: Vec<Redirect>,
}

/// What a command is.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Kind {
    /// `a=1 name args`
    Simple(Simple),
    /// `( list )`
    Subshell(Rc<List>),
    /// `{ list; }`
    Group(List),
    /// `if`: conditions with their bodies, and what follows `else`.
    If(Vec<(List, List)>, Option<List>),
    /// `while` and `until`.
    Loop(Loop),
    /// `for name in words`; without `in` it goes over the positional parameters.
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

/// `while` and `until`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Loop {
    /// Goes on while the condition fails.
    pub until: bool,
    /// Asked before each turn.
    pub condition: List,
    /// What a turn does.
    pub body: List,
}

/// A simple command.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Simple {
    /// In front of the name.
    pub assigns: Vec<Assign>,
    /// Name and arguments.
    pub args: Vec<Arg>,
}

/// One word of a command.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Arg {
    /// Expanded, split, globbed.
    Word(Word),
    /// An assignment handed to `declare` and its kin.
    Assign(Assign),
}

/// `name[index]+=value`
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Assign {
    /// The variable.
    pub name: Text,
    /// What stood in brackets.
    pub index: Option<Word>,
    /// `+=`
    pub append: bool,
    /// Behind the sign.
    pub value: AssignValue,
}

/// What is assigned.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum AssignValue {
    /// One value.
    Scalar(Word),
    /// `(…)`
    Array(Vec<Element>),
}

/// One element of `(…)`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Element {
    /// `[index]=`
    pub index: Option<Word>,
    /// `[index]+=`
    pub append: bool,
    /// Several values where there is no index and the word splits.
    pub value: Word,
}

/// One arm of `case`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Arm {
    /// Any of them.
    pub patterns: Vec<Word>,
    /// What to do.
    pub body: List,
    /// How it ends.
    pub end: ArmEnd,
}

/// What follows an arm that matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ArmEnd {
    /// `;;`
    Leave,
    /// `;&`: the next body, whatever its pattern.
    Fall,
    /// `;;&`: the next pattern that matches.
    Test,
}

/// A redirection.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Redirect {
    /// Which descriptor.
    pub fd: RedirectFd,
    /// What becomes of it.
    pub to: RedirectTo,
}

/// The left side of a redirection.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum RedirectFd {
    /// What the operator implies.
    Implied,
    /// `3>`
    Number(u32),
    /// `{name}>`
    Variable(Text),
}

/// The right side of a redirection.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum RedirectTo {
    /// A file, opened in this way.
    File(FileMode, Word),
    /// `>&word`, `<&word`
    Copy(Direction, Word),
    /// `&>word`, and with true `&>>word`.
    Both(bool, Word),
    /// `<<<word`
    String(Word),
    /// `<<`
    Here(Rc<Here>),
}

/// Which operator a copy was written with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Direction {
    /// `<&`
    Input,
    /// `>&`
    Output,
}

/// How a file is opened.
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

/// A here-document. Its body stands behind the line that names it, so it is filled in later.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Here {
    /// The word that ends it, without quotes.
    pub end: Text,
    /// `<<-`
    pub strip_tabs: bool,
    /// Whether the end was quoted: nothing is expanded.
    pub quoted: bool,
    /// What stands in it.
    pub body: RefCell<Word>,
}

/// A word before expansion.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Word {
    /// Its pieces, one behind the other.
    pub parts: Vec<Part>,
}

/// A piece of a word.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Part {
    /// Unquoted text; inside [`Part::Double`] quoted text.
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
    /// `<(…)`, and with true `>(…)`.
    Process(bool, Rc<List>),
    /// `{a,b}`: alternatives.
    Braces(Vec<Word>),
    /// `{1..9..2}`, `{a..z}`
    Sequence(Sequence),
}

/// A brace sequence.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Sequence {
    /// First.
    pub from: i64,
    /// Last, or just beyond it.
    pub to: i64,
    /// Never 0.
    pub step: i64,
    /// Numbers are padded with zeros to so many characters.
    pub width: usize,
    /// Characters rather than numbers.
    pub letters: bool,
}

/// An arithmetic expression as written.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ArithText {
    /// With its substitutions; what they give becomes part of the expression's text.
    pub word: Word,
    /// Its tree, where that does not depend on substitutions.
    pub tree: Option<Rc<Arith>>,
}

/// `${…}` and `$x`
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Param {
    /// Variable, digits, or one special character.
    pub name: Text,
    /// `[…]`
    pub index: Option<Index>,
    /// `${!…}`
    pub indirect: bool,
    /// What is done with the value.
    pub op: Op,
}

/// What stands in the brackets of `${a[…]}`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Index {
    /// `[@]`
    At,
    /// `[*]`
    Star,
    /// Anything else.
    One(Word),
}

/// What `${…}` does with a value.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Op {
    /// Nothing.
    Get,
    /// `${#x}`
    Length,
    /// `${!x[@]}`
    Keys,
    /// `${!x*}`, `${!x@}`: the names that begin so. True for `@`.
    Names(bool),
    /// `-`, `=`, `?`, `+`; with a colon, empty counts as unset.
    Default(DefaultOp, bool, Word),
    /// `#`, `##`, `%`, `%%`
    Remove(Side, bool, Word),
    /// `/`
    Replace(Where, Word, Option<Word>),
    /// `^`, `^^`, `,`, `,,`, `~`, `~~`
    Case(CaseOp, bool, Option<Word>),
    /// `:offset:length`
    Slice(ArithText, Option<ArithText>),
    /// `@Q` and its kin.
    Transform(u8),
    /// Not understood; an error when it is expanded.
    Bad(Text),
}

/// What to do when there is no value, or one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum DefaultOp {
    /// `-`
    Use,
    /// `=`
    Assign,
    /// `?`
    Fail,
    /// `+`
    Instead,
}

/// From which side a pattern is removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Side {
    /// `#`
    Front,
    /// `%`
    Back,
}

/// Which matches are replaced.
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

/// How case changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum CaseOp {
    /// `^`
    Upper,
    /// `,`
    Lower,
    /// `~`
    Toggle,
}

/// What stands in `[[ ]]`.
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
    /// A lone word, true unless empty.
    Word(Word),
}

/// Operators between two words of `[[ ]]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum TestOp {
    /// `==`
    Matches,
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
    /// A word of this text, quoted.
    pub fn quoted(text: &[u8]) -> Word {
        Word { parts: vec![Part::Quoted(text.to_vec())] }
    }

    /// The text, where the word is nothing else.
    pub fn literal(&self) -> Option<&[u8]> {
        match self.parts.as_slice() {
            [Part::Literal(text)] => Some(text),
            [] => Some(b""),
            _ => None,
        }
    }
}
