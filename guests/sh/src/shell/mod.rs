//! Shell state.

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
mod unset;
pub mod value;
pub mod vars;

use std::rc::Rc;

use crate::builtins::{Keys, Limit};
use crate::completion::Spec;
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

/// Reason a command ended early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// `break`, with the number of loops left to leave.
    Break(usize),
    /// `continue`, with the number of loops left to leave.
    Continue(usize),
    /// `return`
    Return(i32),
    /// `exit`
    Exit(i32),
    /// An error that abandons the rest of the line, or of the text given to `eval`.
    Discard(i32),
    /// An error that abandons every text being evaluated: the rest of a script's line, or the whole
    /// text of `bash -c`.
    Abandon(i32),
    /// An error that ends a non-interactive shell.
    Fatal(i32),
}

/// Exit status of a command, or the reason it ended early.
pub type Exec = Result<i32, Flow>;

/// The state of one shell.
pub struct Shell {
    /// Variables.
    pub vars: Vars,
    /// Functions.
    pub functions: Table<Text, Rc<Function>>,
    /// Running function calls and sourced files, innermost last.
    pub frames: Vec<Frame>,
    /// `$0`
    pub arg0: Text,
    /// `$1`, `$2`, …
    pub args: Rc<Vec<Text>>,
    /// Positional parameters at the bottom of `BASH_ARGV`; `None` until something asks for them.
    pub first_args: Option<Vec<Text>>,
    /// Options of `set` and `shopt`.
    pub options: Options,
    /// `SHELLOPTS` and `BASHOPTS`, if they are exported.
    pub exported_options: [bool; 2],
    /// Descriptors by script number.
    pub fds: Fds,
    /// Background children.
    pub jobs: Jobs,
    /// Traps.
    pub traps: Traps,
    /// Aliases.
    pub aliases: Rc<Aliases>,
    /// Paths of commands found before, shown by `hash`.
    pub hashed: Table<Text, Text>,
    /// Entries of the environment that are no variables, which programs get as they are.
    pub foreign: Vec<Text>,
    /// True inside a pipeline or a compound command with redirected input, whose background
    /// commands read that input.
    pub lends_input: bool,
    /// Dynamic variables that were unset, as bits.
    pub lost: u16,
    /// True after a syntax error in the text of `eval`.
    pub bad_syntax: bool,
    /// True while `command` starts a builtin, whose errors then do not end a POSIX script.
    pub tolerates: bool,
    /// Number of times that each of these commands ran.
    pub hits: Table<Text, u32>,
    /// Completion specifications by command name, in the order in which they were made.
    pub completions: Vec<(Text, Spec)>,
    /// Options of the completion whose function is running, which `compopt` changes.
    pub completing: Option<Vec<String>>,
    /// Limits set by `ulimit`.
    pub limits: Vec<Limit>,
    /// Changes made by `bind`.
    pub keys: Keys,
    /// Directory stack of `pushd`, without the working directory.
    pub dir_stack: Vec<Text>,
    /// Logical working directory, as `$PWD` shows it.
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
    /// Number of complete commands read, which `\#` shows in prompts.
    pub commands: u32,
    /// `$BASH_COMMAND`
    pub command_text: Text,
    /// Number of running loops in the current function.
    pub loops: usize,
    /// True while `break 0` leaves all loops with a failure.
    pub failed_break: bool,
    /// Nesting depth of conditions, in which `set -e` does not apply.
    pub errexit_off: usize,
    /// Exit status of the last substitution in the command being expanded.
    pub substituted: Option<i32>,
    /// A program of the running command that a signal killed.
    pub killed: Option<(cofferdam_guest_sys::Pid, cofferdam_guest_sys::Status)>,
    /// The last command of `bash -c` or of a subshell, for which bash starts no process. Only
    /// compared, never followed.
    pub final_command: Option<*const crate::syntax::ast::Command>,
    /// Nesting depth of evaluations and substitutions, which `set -x` shows.
    pub trace_level: usize,
    /// Current nesting depth of running commands.
    pub depth: usize,
    /// Time at which `$SECONDS` was 0, in seconds since 1970.
    pub started: i64,
    /// State of the `$RANDOM` generator.
    pub random: u32,
    /// Position of `getopts` inside an argument.
    pub getopts_at: usize,
    /// `$OPTIND` after the last `getopts`.
    pub getopts_index: i64,
    /// Parsed expressions whose text was built at run time.
    pub ariths: Table<Text, Rc<Arith>>,
    /// Compiled regular expressions.
    pub regexes: Regexes,
    /// Command history.
    pub history: History,
    /// Running coprocesses.
    pub coprocs: Vec<Coproc>,
    /// Script numbers of process substitutions of the running command.
    pub process_fds: Vec<u32>,
    /// Numbers opened by `{name}>`, which stay open after the command.
    pub kept_fds: Vec<u32>,
    /// Numbers closed by redirections of the running command.
    pub closed_fds: Vec<u32>,
    /// Output buffer while a substitution runs in this process.
    pub captured: Option<Text>,
    /// Number of here-documents written to files; makes their names unique.
    pub heres: usize,
    /// Argument of `-c`.
    pub command_string: Option<Text>,
    /// True for an interactive shell.
    pub interactive: bool,
    /// Builtins disabled by `enable -n`.
    pub disabled: Vec<Text>,
    /// True in a subshell, where a fatal error ends the process with status 1.
    pub in_subshell: bool,
    /// `set` replaced the positional parameters of the script being sourced, outside functions.
    pub args_set: bool,
    /// File or other source of the running commands, for messages.
    pub source: Text,
}

impl Shell {
    /// Returns the value of a variable that configures the shell.
    pub fn setting(&mut self, name: &[u8]) -> Option<Text> {
        self.get(name)
    }
}
