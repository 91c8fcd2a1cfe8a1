//! Explains calls that do not parse, and suggests the call that was probably meant.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use cofferdam::shell_word;

use crate::report::Failure;
use crate::spelling;

/// Verbs, each with names that other tools use for it.
const VERBS: &[(&str, &[&str])] = &[
    (
        "run",
        &["eval", "js", "ts", "py", "python", "python3", "node", "deno", "bun", "start", "execute"],
    ),
    ("sh", &["shell", "bash", "zsh", "command", "cmd", "repl", "terminal"]),
    ("wasm", &["wasi", "wasmtime", "program"]),
    ("rpc", &["sandbox", "fork", "snapshot"]),
    ("serve", &["server", "daemon", "listen", "http"]),
    ("grant", &["allow", "approve", "permit", "accept"]),
    ("requests", &["pending", "denied", "denials", "asked"]),
    ("grants", &["permissions", "capabilities", "granted", "list", "ls"]),
    ("revoke", &["remove", "rm", "ungrant", "forget"]),
    ("deny", &["reject", "refuse", "dismiss"]),
    ("sandboxes", &["boxes", "kept"]),
    ("audit", &["log", "logs", "history", "journal"]),
    ("explain", &["why", "describe", "what"]),
    ("demo", &["tour", "example", "examples", "tutorial"]),
    ("doctor", &["check", "status", "diagnose", "info", "selftest"]),
    ("completions", &["complete", "completion"]),
];

/// Options, each with an example and names that other tools use for it.
const OPTIONS: &[(&str, &str, &[&str])] = &[
    ("limit", "--limit timeoutMs=1000", &["--timeout", "--time", "--time-limit", "-t"]),
    ("limit", "--limit memoryBytes=67108864", &["--memory", "--mem", "--max-memory", "-m"]),
    ("mount", "--mount ./src:/src:ro", &["--volume", "--bind", "--preopen", "-v"]),
    ("allow", "--allow 'network:fetch:GET@https://example.com'", &["--allow-net", "--net"]),
    ("allow", "--allow 'env:read:NAME'", &["--allow-env"]),
    ("allow", "--allow 'process:exec:ls'", &["--allow-run"]),
    ("allow", "--allow 'fs:write:/data/**'", &["--allow-write"]),
    ("allow", "--allow 'fs:read:/data/**'", &["--allow-read", "--grant", "--cap", "--permission"]),
    ("args", "--args '{\"n\":3}'", &["--input", "--arguments", "--params", "--data"]),
    ("cwd", "--cwd /home/user", &["--workdir", "--working-dir", "--chdir", "-w", "-C"]),
    ("load", "--load FILE", &["--import", "--restore", "--from"]),
    ("save", "--save FILE", &["--export", "--output", "--snapshot", "-o"]),
    ("program", "--program NAME=FILE", &["--tool", "--tools", "--module"]),
    ("page", "--page page.html", &["--html", "--document"]),
    ("lang", "--lang ts", &["--language", "--type"]),
    ("expires", "--expires 1h", &["--for", "--ttl", "--duration", "--until", "--expire"]),
    ("always", "--always", &["--forever", "--permanent"]),
    ("ephemeral", "--ephemeral", &["--no-store", "--no-save", "--temporary"]),
    ("ask", "--ask", &["--prompt", "--interactive", "-i"]),
    ("last", "--last 20", &["--tail", "--count", "-n"]),
];

/// Explains a parse error. Returns `None` if clap's own text, such as help, should be shown.
pub(crate) fn explain(error: &clap::Error, words: &[String]) -> Option<Failure> {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        Some(ContextValue::Strings(texts)) => texts.first().map(String::as_str),
        _ => None,
    };
    let verb = verb_of(words);
    match error.kind() {
        ErrorKind::InvalidSubcommand => {
            Some(unknown_verb(text(ContextKind::InvalidSubcommand)?, words))
        }
        ErrorKind::UnknownArgument => {
            let typed = text(ContextKind::InvalidArg)?;
            Some(match typed.starts_with('-') {
                true if verb.is_empty() && typed == "-c" => {
                    let call: String =
                        words.iter().map(|word| format!(" {}", shell_word(word))).collect();
                    Failure::usage("-c: unknown option of cofferdam")
                        .hint(format!("cofferdam sh{call}"))
                }
                true => unknown_option(&verb, typed),
                false => too_many(&verb, typed),
            })
        }
        ErrorKind::MissingRequiredArgument => {
            let missing = match error.get(ContextKind::InvalidArg) {
                Some(ContextValue::Strings(missing)) => missing.join(" "),
                _ => return None,
            };
            let failure = Failure::usage(format!("missing: {missing}"));
            Some(with_examples(failure, &verb))
        }
        ErrorKind::InvalidValue => {
            let option = text(ContextKind::InvalidArg)?;
            let name = option.split(' ').next().unwrap_or(option);
            let value = text(ContextKind::InvalidValue).unwrap_or_default();
            if value.is_empty() {
                let failure = Failure::usage(format!("{name}: value is missing: {option}"));
                return Some(with_examples(failure, &verb));
            }
            let known = match error.get(ContextKind::ValidValue) {
                Some(ContextValue::Strings(known)) => known.clone(),
                _ => return None,
            };
            // A positional argument is named by its value alone.
            let (shown, before) = match name.starts_with('-') {
                true => (format!("{name} {value}"), name.to_owned()),
                false => (value.to_owned(), command(&verb)),
            };
            let failure = Failure::usage(format!("{shown}: not one of {}", known.join(", ")));
            Some(match spelling::nearest(value, known.iter().map(String::as_str)) {
                Some(meant) => failure.hint(format!("{before} {meant}")),
                None => failure.hint(format!("{before} {}", known.first()?)),
            })
        }
        ErrorKind::ValueValidation => {
            let option = text(ContextKind::InvalidArg)?;
            let name = option.split(' ').next().unwrap_or(option);
            let value = text(ContextKind::InvalidValue).unwrap_or_default();
            let failure = Failure::usage(format!("{name} {value}: not a valid number"));
            Some(failure.hint(format!("{name} 10")))
        }
        _ => None,
    }
}

/// Returns true if an option is one of the verb's with a single typing error, or is meant to permit
/// something. Scripts have options of their own, such as `--input` and `--name`, so a name that is
/// merely similar is not enough.
pub(crate) fn is_mistyped(verb: &str, typed: &str) -> bool {
    let definitions = crate::definitions();
    let Some(verb) = definitions.find_subcommand(verb) else { return false };
    let typed = typed.trim_start_matches('-');
    let mut known = verb.get_arguments().filter_map(clap::Arg::get_long);
    typed.starts_with("allow-") || known.any(|known| spelling::is_typing_error(typed, known))
}

/// Explains an option that a verb does not have.
pub(crate) fn unknown_option(verb: &str, typed: &str) -> Failure {
    let typed = typed.split('=').next().unwrap_or(typed);
    let failure = Failure::usage(format!("{typed}: unknown option of {}", command(verb)));
    let failure = match meant_option(verb, typed) {
        Some(meant) => failure.hint(meant),
        None => failure,
    };
    let failure = match verb {
        "run" => {
            failure.hint(format!("cofferdam run FILE -- {typed}   (for an option of the script)"))
        }
        _ => failure,
    };
    failure.hint(format!("{} --help   (lists the options)", command(verb)))
}

fn meant_option(verb: &str, typed: &str) -> Option<String> {
    let definitions = crate::definitions();
    let options: Vec<_> = definitions.find_subcommand(verb)?.get_arguments().collect();
    let find = |long: &str| options.iter().find(|option| option.get_long() == Some(long));
    let synonym =
        OPTIONS.iter().find(|(ours, _, theirs)| theirs.contains(&typed) && find(ours).is_some());
    if let Some((_, example, _)) = synonym {
        return Some((*example).to_owned());
    }
    let known = options.iter().filter_map(|option| option.get_long());
    let option = find(spelling::nearest(typed.trim_start_matches('-'), known)?)?;
    let value = option.get_value_names().unwrap_or_default();
    let takes_value = option.get_action().takes_values();
    let value = value.first().filter(|_| takes_value).map_or(String::new(), |v| format!(" {v}"));
    Some(format!("--{}{value}", option.get_long()?))
}

fn unknown_verb(typed: &str, words: &[String]) -> Failure {
    let failure = Failure::usage(format!("{typed}: unknown verb"));
    let rest = words.iter().skip_while(|word| *word != typed).skip(1);
    // A word that names no file is a command of the shell.
    if RUNS_COMMANDS.contains(&typed) && rest.clone().next().is_some_and(|word| is_command(word)) {
        return failure.hint(shell_call(rest)).hint("cofferdam --help   (lists the verbs)");
    }
    let rest: String = rest.map(|word| format!(" {}", shell_word(word))).collect();
    let failure = match meant_verb(typed) {
        Some(meant) => failure.hint(format!("cofferdam {meant}{rest}")),
        None => failure,
    };
    failure.hint("cofferdam --help   (lists the verbs)")
}

/// Names that other tools use for a verb that takes a command and its arguments.
const RUNS_COMMANDS: &[&str] = &["execute", "command", "cmd", "shell", "bash", "zsh"];

/// Returns true if a word can be the name of a command and no file has that name.
pub(crate) fn is_command(word: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_+".contains(c);
    let is_name =
        word.starts_with(|c: char| c.is_ascii_alphanumeric()) && word.chars().all(is_plain);
    is_name && !std::path::Path::new(word).exists()
}

/// Returns the call that runs these words in the shell.
pub(crate) fn shell_call<'a>(words: impl Iterator<Item = &'a String>) -> String {
    let words: Vec<String> = words.map(|word| shell_word(word)).collect();
    format!("cofferdam sh -c {}", shell_word(&words.join(" ")))
}

/// Returns the verb that was probably meant, followed by the file if a file was typed in its place.
fn meant_verb(typed: &str) -> Option<String> {
    let file = std::path::Path::new(typed);
    match file.extension().and_then(|end| end.to_str()) {
        Some("js" | "mjs" | "ts" | "mts" | "py") => {
            return Some(format!("run {}", shell_word(typed)));
        }
        Some("sh" | "bash") => return Some(format!("sh {}", shell_word(typed))),
        Some("wasm") => return Some(format!("wasm {}", shell_word(typed))),
        _ => {}
    }
    if ["version", "-v", "v"].contains(&typed) {
        return Some("--version".to_owned());
    }
    let synonym = VERBS.iter().find(|(_, theirs)| theirs.contains(&typed));
    if let Some((verb, _)) = synonym {
        return Some((*verb).to_owned());
    }
    let definitions = crate::definitions();
    let verbs = definitions.get_subcommands().map(clap::Command::get_name);
    spelling::nearest(typed, verbs).map(str::to_owned)
}

fn too_many(verb: &str, typed: &str) -> Failure {
    let failure = Failure::usage(format!("{typed}: unexpected argument of {}", command(verb)));
    with_examples(failure, verb)
}

/// Adds an example from the help of the verb.
fn with_examples(failure: Failure, verb: &str) -> Failure {
    let definitions = crate::definitions();
    let help = definitions.find_subcommand(verb).and_then(clap::Command::get_after_help);
    let help = help.map(ToString::to_string).unwrap_or_default();
    let example = help.lines().map(str::trim).find(|line| line.contains("cofferdam "));
    let failure = match example {
        Some(example) => failure.hint(format!("{example}   (for example)")),
        None => failure,
    };
    failure.hint(format!("{} --help", command(verb)))
}

fn command(verb: &str) -> String {
    match verb {
        "" => "cofferdam".to_owned(),
        verb => format!("cofferdam {verb}"),
    }
}

/// Returns the verb of a call, or an empty string if it has none.
fn verb_of(words: &[String]) -> String {
    let definitions = crate::definitions();
    let is_verb = |word: &&String| definitions.find_subcommand(word.as_str()).is_some();
    words.iter().find(is_verb).cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[track_caller]
    fn check(call: &str, message: &str, hint: &str) {
        let words: Vec<String> = call.split(' ').map(str::to_owned).collect();
        let error = crate::Cli::try_parse_from(&words).err().expect("a wrong call");
        let failure = explain(&error, &words[1..]).unwrap_or_else(|| panic!("{error}"));
        assert_eq!(failure.message, message);
        assert_eq!(failure.hints.first().map(String::as_str), Some(hint), "{call}");
    }

    #[test]
    fn a_verb_by_another_name_is_answered_with_the_whole_call() {
        check("cofferdam rnu a.js", "rnu: unknown verb", "cofferdam run a.js");
        check(
            "cofferdam execute a$b --json",
            "execute: unknown verb",
            "cofferdam run 'a$b' --json",
        );
        check("cofferdam shell -c ls", "shell: unknown verb", "cofferdam sh -c ls");
        check("cofferdam tool.js", "tool.js: unknown verb", "cofferdam run tool.js");
        check("cofferdam version", "version: unknown verb", "cofferdam --version");
        let list = "cofferdam --help   (lists the verbs)";
        check("cofferdam frobnicate", "frobnicate: unknown verb", list);
    }

    #[test]
    fn an_option_by_another_name_is_answered_with_ours() {
        let unknown =
            |name: &str, verb: &str| format!("{name}: unknown option of cofferdam {verb}");
        check("cofferdam run a --alow x", &unknown("--alow", "run"), "--allow CAPABILITY");
        check("cofferdam run a --jsno", &unknown("--jsno", "run"), "--json");
        check(
            "cofferdam run a --timeout=5",
            &unknown("--timeout", "run"),
            "--limit timeoutMs=1000",
        );
        check("cofferdam grant a --for 1h", &unknown("--for", "grant"), "--expires 1h");
        // An option of another verb is no help here.
        let list = "cofferdam grants --help   (lists the options)";
        check("cofferdam grants --timeout 5", &unknown("--timeout", "grants"), list);
    }

    #[test]
    fn options_of_scripts_are_not_taken_for_ours() {
        for theirs in
            ["--name", "--input", "--output", "--data", "--count", "--timeout", "-n", "-i"]
        {
            assert!(!is_mistyped("run", theirs), "{theirs}");
        }
        for ours in ["--alow", "--jsno", "--limits", "--mont", "--allow-net"] {
            assert!(is_mistyped("run", ours), "{ours}");
        }
    }

    #[test]
    fn what_is_missing_is_answered_with_an_example() {
        let example = "cofferdam run tool.js --args '{\"n\":3}'   (for example)";
        check("cofferdam run", "missing: <FILE>", example);
        check(
            "cofferdam completions pwsh",
            "pwsh: not one of bash, zsh, fish",
            "cofferdam completions bash",
        );
        check("cofferdam run a --lang python", "--lang python: not one of js, ts, py", "--lang js");
        check("cofferdam audit --last x", "--last x: not a valid number", "--last 10");
    }

    /// Such a name would hide a verb or an option.
    #[test]
    fn no_other_name_is_one_of_ours() {
        let definitions = crate::definitions();
        for (verb, theirs) in VERBS {
            assert!(definitions.find_subcommand(verb).is_some(), "{verb}");
            let ours = theirs.iter().find(|name| definitions.find_subcommand(name).is_some());
            assert_eq!(ours, None);
        }
        for (ours, _, _) in OPTIONS {
            let mut verbs = definitions.get_subcommands().flat_map(clap::Command::get_arguments);
            assert!(verbs.any(|option| option.get_long() == Some(ours)), "--{ours}");
        }
    }
}
