//! make: builds targets from a makefile. Recipes are run by the shell, one after the other.

mod build;
mod expand;
mod functions;
mod parse;

use std::collections::BTreeMap;
use std::ffi::OsString;

use crate::options::{self, Item, Key, Order, Usage, Value};
use crate::output::reason;

const USAGE: Usage = Usage {
    name: "make",
    text: "\
Usage: make [OPTION]... [TARGET]... [NAME=VALUE]...
Build targets as a makefile describes.

  -B, --always-make        make all targets, even if they are up to date
  -C DIR, --directory=DIR  change to DIR first
  -e, --environment-overrides  let environment variables override makefiles
  -f FILE, --file=FILE     read FILE as the makefile
  -i, --ignore-errors      ignore errors of recipes
  -j [N], --jobs[=N]       accepted; recipes run one after the other
  -k, --keep-going         go on with other targets after an error
  -n, --dry-run            print recipes, run none
  -o FILE, --old-file=FILE do not remake FILE
  -p, --print-data-base    print the variables that were read
  -q, --question           run no recipe; the exit status says if targets are up to date
  -s, --silent, --quiet    do not print recipes
  -S, --no-keep-going      turn off -k
  -t, --touch              touch targets instead of making them
  -w, --print-directory    print the current directory
      --no-print-directory turn off -w
      --warn-undefined-variables  warn of undefined variables
",
    trouble: 2,
};

/// Origin of a variable; a lower origin does not replace a higher one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Origin {
    Default,
    Environment,
    File,
    EnvironmentOverride,
    CommandLine,
    Override,
}

/// A variable.
#[derive(Debug, Clone)]
struct Variable {
    value: String,
    /// True for `:=`, whose value is not expanded again.
    is_simple: bool,
    origin: Origin,
    exported: bool,
}

/// A rule as written, for one target or pattern.
#[derive(Debug, Clone, Default)]
struct Rule {
    target: String,
    needs: Vec<String>,
    /// Prerequisites after `|`, which only have to exist.
    order_only: Vec<String>,
    recipe: Vec<(usize, String)>,
    file: String,
    is_double: bool,
    /// Variables of this target alone: name, operator, value.
    variables: Vec<(String, String, String)>,
    /// Text that `%` stands for in a static pattern rule.
    stem: Option<String>,
}

/// Options of one call.
#[derive(Debug, Clone, Default)]
struct Options {
    always: bool,
    dry: bool,
    silent: bool,
    keep_going: bool,
    ignore: bool,
    question: bool,
    touch: bool,
    print_directory: bool,
    warn_undefined: bool,
    old: Vec<String>,
}

/// The state of one call.
#[derive(Debug, Default)]
struct Make {
    options: Options,
    variables: BTreeMap<String, Variable>,
    rules: Vec<Rule>,
    patterns: Vec<Rule>,
    default_goal: Option<String>,
    phony: Vec<String>,
    export_all: bool,
    /// Values of `$@` and its relatives while a recipe is expanded.
    automatic: Vec<BTreeMap<&'static str, String>>,
    /// Arguments of running `$(call …)`.
    calls: Vec<Vec<String>>,
    depth: usize,
    files_read: Vec<String>,
    /// File and number of the line that is read or run.
    at: Option<(String, usize)>,
    level: usize,
}

pub(crate) fn run(args: Vec<OsString>) -> i32 {
    match start(args) {
        Ok(code) | Err(code) => super::uutils::flushed(code),
    }
}

/// Prints an error that ends the run and returns the exit code.
fn fatal(make: &Make, message: &str) -> i32 {
    use std::io::Write as _;
    let _ = std::io::stdout().flush();
    eprintln!("{}: *** {message}.  Stop.", make.name());
    USAGE.trouble
}

fn start(args: Vec<OsString>) -> Result<i32, i32> {
    let specs = [
        ('B', "always-make", Value::None),
        ('C', "directory", Value::Required),
        ('e', "environment-overrides", Value::None),
        ('f', "file", Value::Required),
        ('f', "makefile", Value::Required),
        ('i', "ignore-errors", Value::None),
        ('I', "include-dir", Value::Required),
        ('j', "jobs", Value::Optional),
        ('k', "keep-going", Value::None),
        ('l', "load-average", Value::Optional),
        ('n', "dry-run", Value::None),
        ('n', "just-print", Value::None),
        ('o', "old-file", Value::Required),
        ('O', "output-sync", Value::Optional),
        ('p', "print-data-base", Value::None),
        ('q', "question", Value::None),
        ('r', "no-builtin-rules", Value::None),
        ('R', "no-builtin-variables", Value::None),
        ('s', "silent", Value::None),
        ('s', "quiet", Value::None),
        ('S', "no-keep-going", Value::None),
        ('t', "touch", Value::None),
        ('w', "print-directory", Value::None),
        ('\0', "no-print-directory", Value::None),
        ('\0', "warn-undefined-variables", Value::None),
        ('\0', "trace", Value::None),
    ];
    let mut make = Make::default();
    let level = std::env::var("MAKELEVEL").ok().and_then(|level| level.parse().ok());
    make.level = level.unwrap_or(0);
    let (mut files, mut goals, mut environment, mut no_print) =
        (Vec::new(), Vec::new(), false, false);
    let mut assigned = Vec::new();
    let mut flags = String::new();
    let inherited = std::env::var("MAKEFLAGS").unwrap_or_default();
    let mut all: Vec<OsString> = vec!["make".into()];
    for (at, word) in inherited.split_whitespace().enumerate() {
        let is_letters = at == 0 && !word.starts_with('-') && !word.contains('=');
        all.push(if is_letters { format!("-{word}").into() } else { word.into() });
    }
    all.extend(args.into_iter().skip(1));
    let (mut was_jobs, mut was_entered) = (false, false);
    for item in options::parse(&USAGE, all, &specs, Order::Anywhere)? {
        let after_jobs = std::mem::take(&mut was_jobs);
        match item {
            Item::Option(
                Key::Short(letter @ ('B' | 'e' | 'i' | 'k' | 'n' | 'q' | 's' | 't')),
                _,
            ) => {
                let on = &mut make.options;
                match letter {
                    'B' => on.always = true,
                    'e' => environment = true,
                    'i' => on.ignore = true,
                    'k' => on.keep_going = true,
                    'n' => on.dry = true,
                    'q' => on.question = true,
                    's' => on.silent = true,
                    _ => on.touch = true,
                }
                if !flags.contains(letter) {
                    flags.push(letter);
                }
            }
            Item::Option(Key::Short('S'), _) => make.options.keep_going = false,
            Item::Option(Key::Short('w'), _) => make.options.print_directory = true,
            Item::Option(Key::Short('j'), None) => was_jobs = true,
            Item::Option(Key::Short('C'), Some(dir)) => {
                if let Err(error) = std::env::set_current_dir(&dir) {
                    let dir = dir.to_string_lossy();
                    let name = make.name();
                    eprintln!("{name}: *** {dir}: {}.  Stop.", reason(&error));
                    return Err(USAGE.trouble);
                }
                was_entered = true;
            }
            Item::Option(Key::Short('f'), Some(file)) => {
                files.push(file.to_string_lossy().into_owned());
            }
            Item::Option(Key::Short('o'), Some(file)) => {
                make.options.old.push(file.to_string_lossy().into_owned());
            }
            Item::Option(Key::Long("no-print-directory"), _) => no_print = true,
            Item::Option(Key::Long("warn-undefined-variables"), _) => {
                make.options.warn_undefined = true;
            }
            Item::Option(..) => {}
            Item::Operand(word) => {
                let word = word.to_string_lossy().into_owned();
                match word.split_once('=') {
                    // `-j 4` has its number as a word of its own.
                    None if after_jobs && word.parse::<u32>().is_ok() => {}
                    None => goals.push(word),
                    Some((name, value)) => assigned.push((name.to_owned(), value.to_owned())),
                }
            }
        }
    }
    if (make.level > 0 || was_entered) && !no_print && !make.options.silent {
        make.options.print_directory = true;
    }
    if no_print {
        make.options.print_directory = false;
    }
    make.begin(&flags, environment, &assigned, &goals);
    let here = std::env::current_dir().unwrap_or_default();
    let name = make.name();
    if make.options.print_directory {
        println!("{name}: Entering directory '{}'", here.display());
    }
    let code = make.read_all(files).and_then(|()| make.work(goals));
    if make.options.print_directory {
        println!("{name}: Leaving directory '{}'", here.display());
    }
    code
}

impl Make {
    /// Returns the name in messages, which shows how deep make runs in itself.
    fn name(&self) -> String {
        if self.level == 0 { "make".to_owned() } else { format!("make[{}]", self.level) }
    }

    /// Sets the variables that exist before a makefile is read.
    fn begin(
        &mut self,
        flags: &str,
        override_files: bool,
        assigned: &[(String, String)],
        goals: &[String],
    ) {
        let defaults = [
            ("MAKE", "make"),
            ("SHELL", "/bin/sh"),
            ("CC", "cc"),
            ("CXX", "g++"),
            ("AR", "ar"),
            ("RM", "rm -f"),
            ("LD", "ld"),
            ("AS", "as"),
            ("CPP", "$(CC) -E"),
            ("MAKE_VERSION", "4.3"),
        ];
        for (name, value) in defaults {
            self.define(name, value, false, Origin::Default);
        }
        let origin = if override_files { Origin::EnvironmentOverride } else { Origin::Environment };
        for (name, value) in std::env::vars_os() {
            let (name, value) = (name.to_string_lossy(), value.to_string_lossy());
            if name != "SHELL" && name != "MAKEFLAGS" && name != "MAKELEVEL" {
                self.define(&name, &value.replace('$', "$$"), false, origin);
                if let Some(variable) = self.variables.get_mut(name.as_ref()) {
                    variable.exported = true;
                }
            }
        }
        let mut words = flags.to_owned();
        for (name, value) in assigned {
            let (name, is_simple) = match name.strip_suffix(':') {
                Some(name) => (name, true),
                None => (name.as_str(), false),
            };
            self.define(name, value, is_simple, Origin::CommandLine);
            if let Some(variable) = self.variables.get_mut(name) {
                variable.exported = true;
            }
            words.push_str(&format!(" {name}={value}"));
        }
        self.define("MAKEFLAGS", &words.replace('$', "$$"), false, Origin::File);
        self.define("MAKECMDGOALS", &goals.join(" "), true, Origin::File);
        let here = std::env::current_dir().unwrap_or_default();
        self.define("CURDIR", &here.to_string_lossy().replace('$', "$$"), true, Origin::File);
    }

    /// Sets a variable unless one with a higher origin exists.
    fn define(&mut self, name: &str, value: &str, is_simple: bool, origin: Origin) {
        let old = self.variables.get(name);
        if old.is_some_and(|old| old.origin > origin) {
            return;
        }
        let exported = old.is_some_and(|old| old.exported);
        let variable = Variable { value: value.to_owned(), is_simple, origin, exported };
        self.variables.insert(name.to_owned(), variable);
    }

    fn read_all(&mut self, mut files: Vec<String>) -> Result<(), i32> {
        if files.is_empty() {
            let usual = ["GNUmakefile", "makefile", "Makefile"];
            files.extend(
                usual.iter().find(|name| std::fs::metadata(name).is_ok()).map(|n| (*n).into()),
            );
        }
        for file in files {
            self.read_file(&file, true)?;
        }
        Ok(())
    }

    fn work(&mut self, mut goals: Vec<String>) -> Result<i32, i32> {
        if goals.is_empty() {
            let chosen = self.variable(".DEFAULT_GOAL").filter(|goal| !goal.is_empty());
            match chosen.or_else(|| self.default_goal.clone()) {
                Some(goal) => goals.push(goal),
                None if self.files_read.is_empty() => {
                    return Err(fatal(self, "No targets specified and no makefile found"));
                }
                None => return Err(fatal(self, "No targets")),
            }
        }
        self.build_all(&goals)
    }
}
