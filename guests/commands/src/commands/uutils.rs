//! Calls the commands of the uutils family.
//!
//! Options are parsed here first, so that mistakes are reported in GNU's words, and values that
//! begin with a minus sign are not taken for options.

mod operands;
mod refusals;
mod sizes;

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::bytes::{OsStrExt as _, OsStringExt as _};
use crate::options::{self, Item, Key, Order, Spec, Usage, Value};

/// A command of uutils.
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) main: fn(std::vec::IntoIter<OsString>) -> i32,
    pub(crate) help: fn() -> String,
    pub(crate) accepted: fn() -> Vec<Accepted>,
}

/// An option that a command accepts, with its aliases.
pub(crate) struct Accepted {
    pub(crate) shorts: Vec<char>,
    pub(crate) longs: Vec<String>,
    pub(crate) value: Value,
    /// The value follows an equals sign, so that the short forms have none.
    pub(crate) is_long_only: bool,
    /// The values that are accepted; empty if any value may be.
    pub(crate) choices: Vec<String>,
}

impl Accepted {
    fn is_named(&self, key: Key) -> bool {
        match key {
            Key::Short(letter) => self.shorts.contains(&letter),
            Key::Long(name) => self.longs.iter().any(|long| long == name),
        }
    }
}

/// The options and operands of a call.
struct Given<'a> {
    keys: Vec<Key<'a>>,
    operands: Vec<&'a OsStr>,
}

impl Given<'_> {
    fn has(&self, letter: char, long: &str) -> bool {
        self.keys.iter().any(|key| *key == Key::Short(letter) || *key == Key::Long(long))
    }
}

/// Commands whose options end at the first operand.
const OPTIONS_FIRST: &[&str] = &["basename", "pathchk", "printenv", "seq", "tr"];

/// Commands that read `-5` or the like as a number, or that parse their arguments themselves.
const OWN_WAYS: &[&str] = &[
    "echo", "expand", "expr", "factor", "fmt", "fold", "head", "numfmt", "od", "pr", "printf",
    "seq", "sleep", "split", "tail", "unexpand", "uniq",
];

/// Lists the options of a uutils command, as [`Accepted`].
macro_rules! accepted {
    ($app:expr) => {
        $app.get_arguments()
            .filter(|arg| !arg.is_positional())
            .map(|arg| $crate::commands::uutils::Accepted {
                shorts: arg
                    .get_short()
                    .into_iter()
                    .chain(arg.get_all_short_aliases().unwrap_or_default())
                    .collect(),
                longs: arg
                    .get_long()
                    .into_iter()
                    .chain(arg.get_all_aliases().unwrap_or_default())
                    .map(str::to_owned)
                    .collect(),
                value: match arg.get_num_args() {
                    _ if !arg.get_action().takes_values() => $crate::options::Value::None,
                    Some(count) if count.min_values() == 0 => $crate::options::Value::Optional,
                    _ => $crate::options::Value::Required,
                },
                is_long_only: arg.is_require_equals_set(),
                choices: arg
                    .get_possible_values()
                    .iter()
                    .filter(|value| !value.is_hide_set())
                    .map(|value| value.get_name().to_owned())
                    .collect(),
            })
            .collect()
    };
}

pub(crate) use accepted;

/// Runs a uutils command, after loading the embedded message texts.
pub(crate) fn call(tool: &Tool, args: Vec<OsString>) -> i32 {
    let name = tool.name;
    // The setup fails if called twice in a process.
    static IS_READY: AtomicBool = AtomicBool::new(false);
    if !IS_READY.swap(true, Ordering::Relaxed)
        && let Err(error) = uucore::locale::setup_localization(name)
    {
        eprintln!("{name}: message texts are missing: {error}");
        return 99;
    }
    match checked(tool, args) {
        Ok(args) => (tool.main)(args.into_iter()),
        Err(code) => code,
    }
}

/// Returns true for arguments in a form without options that only uutils parses.
fn is_obsolete(name: &str, args: &[OsString]) -> bool {
    let is_number = |arg: &OsString| matches!(arg.as_bytes(), [b'-' | b'+', next, ..] if next.is_ascii_digit() || *next == b'.');
    let is_unit = |arg: &OsString| matches!(arg.as_bytes(), [b'-', b'b' | b'l', ..]);
    OWN_WAYS.contains(&name) && args.iter().any(is_number)
        || name == "tail" && args.get(1).is_some_and(is_unit)
}

/// Returns the arguments with each value attached to its option. The error is an exit code; help or
/// a message has already been printed.
fn checked(tool: &Tool, mut args: Vec<OsString>) -> Result<Vec<OsString>, i32> {
    let name = tool.name;
    sizes::clamp(name, &mut args);
    if matches!(name, "echo" | "expr" | "printf") || is_obsolete(name, &args) {
        if args.len() == 2 && args[1] == "--help" {
            return Err(help(tool));
        }
        return Ok(args);
    }
    // The definitions take time to make.
    let has_options = args.iter().skip(1).any(|arg| arg.as_bytes().starts_with(b"-"));
    let accepted = if has_options { (tool.accepted)() } else { Vec::new() };
    let specs = specs(&accepted);
    let usage = Usage { name, text: "", trouble: trouble(name) };
    let order = if OPTIONS_FIRST.contains(&name) { Order::First } else { Order::Anywhere };
    let mut out: Vec<OsString> = args.first().cloned().into_iter().collect();
    let (items, rest) = options::parse_front(&usage, args, &specs, order)?;
    if items.iter().any(|item| matches!(item, Item::Option(Key::Long("help"), _))) {
        return Err(help(tool));
    }
    for item in &items {
        if let Item::Option(key, Some(value)) = item {
            check_choice(&usage, *key, value, &accepted)?;
        }
    }
    let mut given = Given { keys: Vec::new(), operands: Vec::new() };
    for item in &items {
        match item {
            Item::Operand(operand) => given.operands.push(operand),
            Item::Option(key, _) => given.keys.push(*key),
        }
    }
    given.operands.extend(rest.iter().map(OsString::as_os_str));
    if !given.keys.contains(&Key::Long("version")) {
        operands::check(&usage, &given)?;
        refusals::check(&usage, &given)?;
        sizes::check(&usage, &items)?;
    }
    for item in items {
        match item {
            Item::Operand(operand) => out.push(operand),
            // The next argument would be taken for the width.
            Item::Option(Key::Short('w') | Key::Long("width"), None) if name == "od" => {
                out.push("--width=32".into());
            }
            Item::Option(key, value) => write(key, value, &accepted, &mut out),
        }
    }
    if !rest.is_empty() {
        out.push("--".into());
        out.extend(rest);
    }
    Ok(out)
}

/// Refuses a value that is neither one of the choices nor the beginning of one.
fn check_choice(usage: &Usage, key: Key, value: &OsStr, accepted: &[Accepted]) -> Result<(), i32> {
    let Some(option) = accepted.iter().find(|option| option.is_named(key)) else { return Ok(()) };
    let value = value.to_string_lossy();
    let fits = |choice: &String| choice.starts_with(&*value) && !value.is_empty();
    // A list of values is checked by the command.
    if option.choices.is_empty() || value.contains(',') || option.choices.iter().any(fits) {
        return Ok(());
    }
    let name = option.longs.first().map_or(String::new(), |long| format!("--{long}"));
    let mut message = format!("invalid argument '{value}' for '{name}'\nValid arguments are:");
    for choice in &option.choices {
        message.push_str(&format!("\n  - '{choice}'"));
    }
    Err(usage.wrong(&message))
}

/// Appends an option, with its value attached. The long form is preferred, because it can have an
/// empty value.
fn write(key: Key, value: Option<OsString>, accepted: &[Accepted], out: &mut Vec<OsString>) {
    let long = match key {
        Key::Long(name) => Some(name),
        Key::Short(_) => accepted
            .iter()
            .find(|option| option.is_named(key))
            .and_then(|option| option.longs.first())
            .map(String::as_str),
    };
    let front = match (key, long, &value) {
        (_, Some(long), Some(_)) => format!("--{long}="),
        (Key::Short(letter), ..) => format!("-{letter}"),
        (Key::Long(long), ..) => format!("--{long}"),
    };
    let value = value.map(|value| value.as_bytes().to_vec());
    if long.is_none() && value.as_ref().is_some_and(Vec::is_empty) {
        out.extend([front.into(), OsString::new()]);
    } else {
        let whole = [front.into_bytes(), value.unwrap_or_default()].concat();
        out.push(OsString::from_vec(whole));
    }
}

fn specs(accepted: &[Accepted]) -> Vec<Spec<'_>> {
    let mut specs = Vec::new();
    for option in accepted {
        let of_short = if option.is_long_only { Value::None } else { option.value };
        specs.extend(option.shorts.iter().map(|short| (*short, "", of_short)));
        specs.extend(option.longs.iter().map(|long| ('\0', long.as_str(), option.value)));
    }
    for standard in ["help", "version"] {
        if !specs.iter().any(|spec| spec.1 == standard) {
            specs.push(('\0', standard, Value::None));
        }
    }
    specs
}

/// Returns the exit code of a command for a mistake in its options.
fn trouble(name: &str) -> i32 {
    match name {
        "printenv" | "sort" | "tty" => 2,
        _ => 1,
    }
}

fn help(tool: &Tool) -> i32 {
    print!("{}", usage_first(&(tool.help)()));
    flushed(0)
}
/// Returns a help text with its usage at the beginning, as in the commands of GNU.
fn usage_first(text: &str) -> String {
    let Some(at) = text.find("Usage:") else { return text.to_owned() };
    let end = text[at..].find("\n\n").map_or(text.len(), |len| at + len);
    let (before, after) = (text[..at].trim_end(), text[end..].trim_start_matches('\n'));
    format!("{}\n{before}\n\n{after}", text[at..end].trim_end())
}

/// Flushes standard output; a failure becomes the exit code of the command.
pub(crate) fn flushed(code: i32) -> i32 {
    match std::io::stdout().flush() {
        Err(_) if code == 0 => 1,
        _ => code,
    }
}
