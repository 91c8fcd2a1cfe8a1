//! Builtin commands. Each builtin is one file and one line in the table.

mod alias;
mod bind;
mod cd;
mod colon;
mod command;
mod complete;
mod declare;
mod dirs;
mod echo;
mod enable;
mod eval;
mod exec;
mod fc;
mod flow;
mod getopts;
mod hash;
mod help;
mod history;
mod jobs;
mod kill;
mod let_;
mod mapfile;
mod printf;
mod read;
mod set;
mod shift;
mod shopt;
mod source;
mod test;
mod times;
mod trap;
mod type_;
mod ulimit;
mod umask;
mod unset;
mod wait;

use crate::exec::Decl;
use crate::shell::{Exec, Flow, Shell};
use crate::syntax::ast::Text;

/// Exit status for incorrect usage.
pub(crate) const USAGE: i32 = 2;

/// Entry point of a builtin; argument 0 is its own name.
enum Run {
    /// Takes its arguments as text.
    Plain(fn(&mut Shell, &[Text]) -> Exec),
    /// Takes assignments unexpanded into text, as `declare` needs them.
    Declaration(fn(&mut Shell, Vec<Decl>) -> Exec),
}

/// One entry of the builtin table.
pub struct Builtin {
    /// Command name.
    pub name: &'static str,
    /// POSIX special builtin: in POSIX mode, assignments before it persist.
    pub special: bool,
    /// Synopsis for `help`.
    pub usage: &'static str,
    run: Run,
}

impl Builtin {
    /// Runs the builtin.
    pub fn call(&self, shell: &mut Shell, args: Vec<Decl>) -> Exec {
        if matches!(args.get(1), Some(Decl::Word(arg)) if arg == b"--help") && self.has_options() {
            let text = format!("{}: {}\n", self.name, self.usage);
            shell.print(text.as_bytes(), self.name)?;
            return Ok(USAGE);
        }
        let answer = match self.run {
            Run::Plain(run) => {
                let args: Vec<Text> = args
                    .into_iter()
                    .map(|arg| match arg {
                        Decl::Word(text) => text,
                        assign @ Decl::Assign(_) => assign.text(),
                    })
                    .collect();
                run(shell, &args)
            }
            Run::Declaration(run) => run(shell, args),
        };
        match answer {
            // A variable that cannot be assigned fails these builtins, and not the line.
            Err(Flow::Discard(_) | Flow::Fatal(_)) if ASSIGNING.contains(&self.name) => {
                Ok(if self.name == "getopts" { USAGE } else { 1 })
            }
            answer => answer,
        }
    }
}

/// Builtins that assign variables whose names are arguments.
const ASSIGNING: [&str; 6] = ["getopts", "let", "mapfile", "printf", "read", "readarray"];

impl Builtin {
    /// Returns false for builtins that take `--help` as an ordinary argument.
    fn has_options(&self) -> bool {
        !matches!(self.name, "echo" | "test" | "[" | ":" | "true" | "false")
    }
}

const fn plain(
    name: &'static str,
    usage: &'static str,
    run: fn(&mut Shell, &[Text]) -> Exec,
) -> Builtin {
    Builtin { name, special: false, usage, run: Run::Plain(run) }
}

const fn special(
    name: &'static str,
    usage: &'static str,
    run: fn(&mut Shell, &[Text]) -> Exec,
) -> Builtin {
    Builtin { name, special: true, usage, run: Run::Plain(run) }
}

const fn declaration(
    name: &'static str,
    special: bool,
    usage: &'static str,
    run: fn(&mut Shell, Vec<Decl>) -> Exec,
) -> Builtin {
    Builtin { name, special, usage, run: Run::Declaration(run) }
}

/// All builtins, sorted by name for binary search.
pub static BUILTINS: &[Builtin] = &[
    special(".", ". filename [arguments]", source::source),
    special(":", ":", colon::succeed),
    plain("[", "[ arg... ]", test::bracket),
    plain("alias", "alias [-p] [name[=value] ... ]", alias::alias),
    plain("bg", "bg [job_spec ...]", jobs::bg),
    plain(
        "bind",
        "bind [-lpsvPSVX] [-m keymap] [-f filename] [-q name] [-u name] [-r keyseq] [-x keyseq:shell-command] [keyseq:readline-function or readline-command]",
        bind::bind,
    ),
    special("break", "break [n]", flow::break_),
    declaration("builtin", false, "builtin [shell-builtin [arg ...]]", command::builtin),
    plain("caller", "caller [expr]", type_::caller),
    plain("cd", "cd [-L|[-P [-e]] [-@]] [dir]", cd::cd),
    declaration("command", false, "command [-pVv] command [arg ...]", command::command),
    plain(
        "compgen",
        "compgen [-abcdefgjksuv] [-o option] [-A action] [-G globpat] [-W wordlist] [-F function] [-C command] [-X filterpat] [-P prefix] [-S suffix] [word]",
        complete::compgen,
    ),
    plain(
        "complete",
        "complete [-abcdefgjksuv] [-pr] [-DEI] [-o option] [-A action] [-G globpat] [-W wordlist] [-F function] [-C command] [-X filterpat] [-P prefix] [-S suffix] [name ...]",
        complete::complete,
    ),
    plain("compopt", "compopt [-o|+o option] [-DEI] [name ...]", complete::compopt),
    special("continue", "continue [n]", flow::continue_),
    declaration(
        "declare",
        false,
        "declare [-aAfFgiIlnrtux] [name[=value] ...] or declare -p [-aAfFilnrtux] [name ...]",
        declare::declare,
    ),
    plain("dirs", "dirs [-clpv] [+N] [-N]", dirs::dirs),
    plain("disown", "disown [-h] [-ar] [jobspec ... | pid ...]", jobs::disown),
    plain("echo", "echo [-neE] [arg ...]", echo::echo),
    plain("enable", "enable [-a] [-dnps] [-f filename] [name ...]", enable::enable),
    special("eval", "eval [arg ...]", eval::eval),
    special("exec", "exec [-cl] [-a name] [command [argument ...]] [redirection ...]", exec::exec),
    special("exit", "exit [n]", flow::exit),
    declaration("export", true, "export [-fn] [name[=value] ...] or export -p", declare::export),
    plain("false", "false", colon::fail),
    plain("fc", "fc [-e ename] [-lnr] [first] [last] or fc -s [pat=rep] [command]", fc::fc),
    plain("fg", "fg [job_spec]", jobs::fg),
    plain("getopts", "getopts optstring name [arg ...]", getopts::getopts),
    plain("hash", "hash [-lr] [-p pathname] [-dt] [name ...]", hash::hash),
    plain("help", "help [-dms] [pattern ...]", help::help),
    plain(
        "history",
        "history [-c] [-d offset] [n] or history -anrw [filename] or history -ps arg [arg...]",
        history::history,
    ),
    plain("jobs", "jobs [-lnprs] [jobspec ...] or jobs -x command [args]", jobs::jobs),
    plain(
        "kill",
        "kill [-s sigspec | -n signum | -sigspec] pid | jobspec ... or kill -l [sigspec]",
        kill::kill,
    ),
    plain("let", "let arg [arg ...]", let_::let_),
    declaration("local", false, "local [option] name[=value] ...", declare::local),
    plain("logout", "logout [n]", flow::logout),
    plain(
        "mapfile",
        "mapfile [-d delim] [-n count] [-O origin] [-s count] [-t] [-u fd] [-C callback] [-c quantum] [array]",
        mapfile::mapfile,
    ),
    plain("popd", "popd [-n] [+N | -N]", dirs::popd),
    plain("printf", "printf [-v var] format [arguments]", printf::printf),
    plain("pushd", "pushd [-n] [+N | -N | dir]", dirs::pushd),
    plain("pwd", "pwd [-LP]", cd::pwd),
    plain(
        "read",
        "read [-ers] [-a array] [-d delim] [-i text] [-n nchars] [-N nchars] [-p prompt] [-t timeout] [-u fd] [name ...]",
        read::read,
    ),
    plain(
        "readarray",
        "readarray [-d delim] [-n count] [-O origin] [-s count] [-t] [-u fd] [-C callback] [-c quantum] [array]",
        mapfile::mapfile,
    ),
    declaration(
        "readonly",
        true,
        "readonly [-aAf] [name[=value] ...] or readonly -p",
        declare::readonly,
    ),
    special("return", "return [n]", flow::return_),
    special("set", "set [-abefhkmnptuvxBCEHPT] [-o option-name] [--] [-] [arg ...]", set::set),
    special("shift", "shift [n]", shift::shift),
    plain("shopt", "shopt [-pqsu] [-o] [optname ...]", shopt::shopt),
    special("source", "source filename [arguments]", source::source),
    plain("suspend", "suspend [-f]", jobs::suspend),
    plain("test", "test [expr]", test::test),
    special("times", "times", times::times),
    special("trap", "trap [-lp] [[arg] signal_spec ...]", trap::trap),
    plain("true", "true", colon::succeed),
    plain("type", "type [-afptP] name [name ...]", type_::type_),
    declaration(
        "typeset",
        false,
        "typeset [-aAfFgiIlnrtux] name[=value] ... or typeset -p [-aAfFilnrtux] [name ...]",
        declare::declare,
    ),
    plain("ulimit", "ulimit [-SHabcdefiklmnpqrstuvxPRT] [limit]", ulimit::ulimit),
    plain("umask", "umask [-p] [-S] [mode]", umask::umask),
    plain("unalias", "unalias [-a] name [name ...]", alias::unalias),
    special("unset", "unset [-f] [-v] [-n] [name ...]", unset::unset),
    plain("wait", "wait [-fn] [-p var] [id ...]", wait::wait),
];

/// Returns the builtin of this name.
pub fn find(name: &[u8]) -> Option<&'static Builtin> {
    let at = BUILTINS.binary_search_by(|builtin| builtin.name.as_bytes().cmp(name)).ok()?;
    Some(&BUILTINS[at])
}

pub use bind::Keys;
pub(crate) use bind::functions as readline_functions;
pub use ulimit::Limit;

/// Runs commands from a file, as `source` does.
pub(crate) fn source(shell: &mut Shell, args: &[Text]) -> Exec {
    source::source(shell, args)
}

/// Complains of an option that the builtin does not have, and prints its synopsis.
pub(crate) fn bad_option(shell: &mut Shell, who: &str, option: &str) {
    shell.warn(&format!("{who}: {option}: invalid option"));
    print_usage(shell, who);
}

/// Prints the synopsis of a builtin as an error.
fn print_usage(shell: &mut Shell, who: &str) {
    if let Some(builtin) = find(who.as_bytes()) {
        shell.print_error(format!("{who}: usage: {}\n", builtin.usage).as_bytes());
    }
}

/// Ends a builtin that was used wrongly. In POSIX mode, that ends the script if the builtin is a
/// special one and was not started by `command`.
fn misused(shell: &Shell, status: i32) -> Exec {
    match shell.options.posix() && !shell.interactive && !shell.tolerates {
        true => Err(Flow::Exit(status)),
        false => Ok(status),
    }
}

/// Complains of an option without the argument that it needs, and prints the synopsis.
fn needs_argument(shell: &mut Shell, who: &str, option: &str) {
    shell.warn(&format!("{who}: {option}: option requires an argument"));
    print_usage(shell, who);
}

/// Complains of too many arguments. As in bash, that ends the text of `bash -c`.
pub(crate) fn too_many(shell: &mut Shell, who: &str) -> Flow {
    shell.warn(&format!("{who}: too many arguments"));
    Flow::Abandon(1)
}

/// Parses a numeric argument, with an optional leading `+`.
pub(crate) fn number(text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?.trim_start().trim_end_matches([' ', '\t']);
    text.strip_prefix('+').unwrap_or(text).parse().ok()
}

/// Converts text for use in a message; invalid UTF-8 is replaced.
pub(crate) fn shown(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}
