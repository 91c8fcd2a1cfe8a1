//! What a shell knows.

pub mod assoc;
pub mod dynamic;
pub mod fds;
pub mod frames;
pub mod history;
pub mod jobs;
pub mod options;
pub mod output;
pub mod scope;
pub mod start;
pub mod state;
pub mod traps;
pub mod value;
pub mod vars;

use std::rc::Rc;

use crate::exec::coproc::Coproc;
use crate::exec::regex::Regexes;
use crate::syntax::Aliases;
use crate::syntax::arith::Arith;
use crate::syntax::ast::Text;
use crate::table::Table;
use fds::Fds;
use frames::{Frame, Function};
use history::History;
use jobs::Jobs;
use options::Options;
use traps::Traps;
use vars::Vars;

/// How a command ended early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// `break`, with how many loops are left to leave.
    Break(usize),
    /// `continue`
    Continue(usize),
    /// `return`
    Return(i32),
    /// `exit`
    Exit(i32),
    /// An error that gives up the rest of the line, or of what `eval` was given.
    Discard(i32),
    /// An error that ends a shell which reads a script.
    Fatal(i32),
}

/// Exit status of a command, or why there is none.
pub type Exec = Result<i32, Flow>;

/// One shell.
pub struct Shell {
    /// Variables.
    pub vars: Vars,
    /// Functions.
    pub functions: Table<Text, Rc<Function>>,
    /// Function calls and sourced files being run, innermost last.
    pub frames: Vec<Frame>,
    /// `$0`
    pub arg0: Text,
    /// `$1`, `$2`, …
    pub args: Rc<Vec<Text>>,
    /// `set` and `shopt`.
    pub options: Options,
    /// Descriptors by script number.
    pub fds: Fds,
    /// Children.
    pub jobs: Jobs,
    /// `trap`
    pub traps: Traps,
    /// `alias`
    pub aliases: Rc<Aliases>,
    /// Where commands were found.
    pub hashed: Table<Text, Text>,
    /// `pushd`; the working directory is not in it.
    pub dir_stack: Vec<Text>,
    /// Working directory, as the shell names it.
    pub cwd: Text,
    /// `$?`
    pub status: i32,
    /// `${PIPESTATUS[@]}`
    pub pipe_status: Vec<i32>,
    /// `$_`
    pub last_arg: Text,
    /// `$!`
    pub last_background: Option<u32>,
    /// `$$`
    pub pid: u32,
    /// `$BASHPID`; differs from `$$` in a subshell.
    pub own_pid: u32,
    /// `$PPID`
    pub parent: u32,
    /// `$BASH_SUBSHELL`
    pub subshell: u32,
    /// `$LINENO`
    pub line: u32,
    /// `$BASH_COMMAND`
    pub command_text: Text,
    /// Loops being run in this function.
    pub loops: usize,
    /// Failures do not end the shell here, whatever `set -e` says.
    pub errexit_off: usize,
    /// Exit status of the last substitution of the command being expanded.
    pub substituted: Option<i32>,
    /// Commands nested in each other while running.
    pub depth: usize,
    /// When `$SECONDS` was 0, in seconds since 1970.
    pub started: i64,
    /// State of `$RANDOM`.
    pub random: u32,
    /// Where `getopts` is inside of an argument.
    pub getopts_at: usize,
    /// What `$OPTIND` was after the last `getopts`.
    pub getopts_index: i64,
    /// Expressions whose text was made at run time.
    pub ariths: Table<Text, Rc<Arith>>,
    /// Compiled regular expressions.
    pub regexes: Regexes,
    /// Commands that were entered.
    pub history: History,
    /// `coproc`
    pub coprocs: Vec<Coproc>,
    /// Ends of process substitutions that the command being run may use.
    pub process_fds: Vec<u32>,
    /// Numbers that `{name}>` opened: they outlive the command.
    pub kept_fds: Vec<u32>,
    /// Numbers that were closed.
    pub closed_fds: Vec<u32>,
    /// Where output goes while a substitution runs in this process.
    pub captured: Option<Text>,
    /// How many calls deep the trap for `RETURN` was set.
    pub return_trap_depth: usize,
    /// Here-documents that were files.
    pub heres: usize,
    /// Text given with `-c`.
    pub command_string: Option<Text>,
    /// A person types.
    pub interactive: bool,
    /// Builtins that `enable -n` turned off.
    pub disabled: Vec<Text>,
    /// Subshell of a pipeline, substitution or parenthesis: a fatal error ends it with 1.
    pub in_subshell: bool,
    /// The file or other source being run, for messages.
    pub source: Text,
}

impl Shell {
    /// The value of a variable as the shell itself reads its settings.
    pub fn setting(&mut self, name: &[u8]) -> Option<Text> {
        self.get(name)
    }
}
