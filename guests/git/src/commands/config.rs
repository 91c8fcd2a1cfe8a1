//! `git config` and `git var`.

use super::Call;
use crate::args::{Arg, Valued, value_text};
use crate::bytes::{self, text, variable};
use crate::fault::{At, Fault, Result, fatal, silent};
use crate::repo::Repo;
use crate::store::config::{self, Config, Setting, Write, normal_key};

/// Thing to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Task {
    /// Decided by the number of operands.
    Either,
    Get,
    GetAll,
    GetRegexp,
    List,
    Set,
    Add,
    ReplaceAll,
    Unset,
    RemoveSection,
    RenameSection,
}

/// Runs `git config`.
pub(crate) fn run(call: &mut Call<'_>) -> Result<i32> {
    let mut task = Task::Either;
    let mut has_scope = false;
    let (mut file, mut is_global, mut is_system, mut is_local) = (None, false, false, false);
    let (mut names_only, mut has_origin, mut end, mut kind, mut default) =
        (false, false, '\n', String::new(), None);
    let (mut operands, mut takes_all) = (Vec::new(), false);
    let valued = Valued {
        short: "f",
        long: &["--file", "--type", "--default", "--blob"],
        ..Valued::default()
    };
    for arg in call.parse(&valued)? {
        match arg {
            Arg::Option(name, value) => match name.as_str() {
                "--get" => task = Task::Get,
                "--get-all" | "--all" => task = Task::GetAll,
                "--get-regexp" => task = Task::GetRegexp,
                "-l" | "--list" => task = Task::List,
                "--add" => task = Task::Add,
                "--replace-all" => task = Task::ReplaceAll,
                "--unset" | "--unset-all" => {
                    task = Task::Unset;
                    takes_all = name == "--unset-all";
                }
                "--remove-section" => task = Task::RemoveSection,
                "--global" => is_global = true,
                "--system" => is_system = true,
                "--local" | "--worktree" => is_local = true,
                "-f" | "--file" => file = value,
                "--name-only" => names_only = true,
                "--show-origin" => has_origin = true,
                "--show-scope" => has_scope = true,
                "--rename-section" => task = Task::RenameSection,
                "--no-name-only" | "--show-names" => {}
                "-z" | "--null" => end = '\0',
                "--bool" => kind = "bool".to_owned(),
                "--int" => kind = "int".to_owned(),
                "--path" => kind = "path".to_owned(),
                "--type" => kind = value_text(&value),
                "--default" => default = Some(value_text(&value)),
                "--includes" | "--no-includes" | "--fixed-value" => {}
                "-e" | "--edit" => {
                    return Err(fatal(
                        "git config --edit needs a terminal; use git config NAME VALUE",
                    ));
                }
                other => return Err(call.unknown(other)),
            },
            Arg::Operand(operand) => operands.push(text(&operand)),
            Arg::Dashes => {}
        }
    }
    // The subcommands of newer versions.
    if task == Task::Either {
        let verb = operands.first().map(String::as_str);
        task = match verb {
            Some("list") if operands.len() == 1 => Task::List,
            Some("get") if operands.len() > 1 => Task::Get,
            Some("set") if operands.len() > 2 => Task::Set,
            Some("unset") if operands.len() > 1 => Task::Unset,
            Some("remove-section") if operands.len() > 1 => Task::RemoveSection,
            Some("rename-section") if operands.len() > 2 => Task::RenameSection,
            _ => Task::Either,
        };
        if task != Task::Either {
            operands.remove(0);
        }
    }
    let repo = call.repo();
    let own = match &file {
        Some(file) => Some(file.clone()),
        None if is_global => config::global_files().pop(),
        None if is_system => Some(b"/etc/gitconfig".to_vec()),
        None => None,
    };
    let settings = match (&own, &repo) {
        (Some(file), _) => match bytes::read_if_exists(file).at(file)? {
            Some(data) => config::parse(&data, file)?,
            None if task == Task::List => {
                return Err(fatal(format!(
                    "unable to read config file '{}': No such file or directory",
                    text(file)
                )));
            }
            None => Vec::new(),
        },
        (None, Ok(repo)) if is_local => {
            config::parse(&repo.state("config").unwrap_or_default(), b".git/config")?
        }
        (None, Ok(repo)) => repo.config.settings.clone(),
        (None, Err(_)) => Config::load(None, &call.given)?.settings,
    };
    let target = || -> Result<Vec<u8>> {
        match (&own, &repo) {
            (Some(file), _) => Ok(file.clone()),
            (None, Ok(repo)) => Ok(repo.file("config")),
            (None, Err(_)) => Err(fatal("not in a git directory")),
        }
    };
    let key = |n: usize| -> Result<String> {
        let given = operands.get(n).ok_or_else(|| Fault {
            code: 129,
            text: "error: wrong number of arguments, should be from 1 to 2".to_owned(),
        })?;
        normal_key(given).ok_or_else(|| config::bad_key(given))
    };
    // Settings are looked up in the file that they came from.
    let origin = |key: &str| -> String {
        let has = |settings: &[Setting]| settings.iter().any(|setting| setting.key == key);
        let (scope, place) = match (&own, &repo) {
            (Some(file), _) => (if is_global { "global" } else { "command" }, text(file)),
            (None, Ok(repo)) => {
                let local =
                    config::parse(&repo.state("config").unwrap_or_default(), b".git/config");
                if has(&call.given) {
                    ("command", String::new())
                } else if local.is_ok_and(|local| has(&local)) {
                    ("local", ".git/config".to_owned())
                } else {
                    let files = config::global_files().into_iter().rev();
                    let file = files.into_iter().find(|file| bytes::path(file).exists());
                    ("global", file.map_or_else(String::new, |file| text(&file)))
                }
            }
            (None, Err(_)) => ("global", String::new()),
        };
        let mut out = String::new();
        if has_scope {
            out += &format!("{scope}\t");
        }
        if has_origin {
            let kind =
                if scope == "command" && place.is_empty() { "command line:" } else { "file:" };
            out += &format!("{kind}{place}\t");
        }
        out
    };
    match task {
        Task::List => {
            for Setting { key, value } in &settings {
                let origin = origin(key);
                let line = match (names_only, value) {
                    (true, _) | (false, None) => format!("{origin}{key}{end}"),
                    (false, Some(value)) => {
                        format!("{origin}{key}{}{value}{end}", if end == '\0' { '\n' } else { '=' })
                    }
                };
                call.out.text(line);
            }
            Ok(0)
        }
        Task::Get | Task::GetAll | Task::Either if task != Task::Either || operands.len() == 1 => {
            let key = key(0)?;
            let found: Vec<&Setting> =
                settings.iter().filter(|setting| setting.key == key).collect();
            let found = if task == Task::GetAll {
                found
            } else {
                found.last().copied().into_iter().collect()
            };
            if found.is_empty() {
                return match default {
                    Some(value) => {
                        call.out.text(format!("{}{end}", typed(&value, &kind, &key)?));
                        Ok(0)
                    }
                    None => Err(silent(1)),
                };
            }
            for setting in found {
                let value =
                    setting.value.as_deref().unwrap_or(if kind.is_empty() { "" } else { "true" });
                call.out.text(format!("{}{}{end}", origin(&key), typed(value, &kind, &key)?));
            }
            Ok(0)
        }
        Task::GetRegexp => {
            let pattern = operands.first().cloned().unwrap_or_default();
            let regex = regex::Regex::new(&pattern)
                .map_err(|_| fatal(format!("invalid key pattern: {pattern}")))?;
            let found: Vec<&Setting> =
                settings.iter().filter(|setting| regex.is_match(&setting.key)).collect();
            for setting in &found {
                let value =
                    setting.value.as_deref().map_or_else(String::new, |value| format!(" {value}"));
                let value = if names_only { String::new() } else { value };
                call.out.text(format!("{}{value}{end}", setting.key));
            }
            if found.is_empty() { Err(silent(1)) } else { Ok(0) }
        }
        Task::Unset => {
            let key = key(0)?;
            let file = target()?;
            if !takes_all && config::count(&file, &key)? > 1 {
                call.out.note(format!("warning: {key} has multiple values"))?;
                return Err(silent(5));
            }
            if config::unset(&file, &key)? { Ok(0) } else { Err(silent(5)) }
        }
        Task::RemoveSection => {
            let section = operands.first().cloned().unwrap_or_default();
            if config::remove_section(&target()?, &section)? {
                return Ok(0);
            }
            Err(Fault { code: 128, text: format!("fatal: no such section: {section}") })
        }
        Task::RenameSection => {
            let [old, new] = &operands[..] else {
                let text = "error: wrong number of arguments, should be 2".to_owned();
                return Err(Fault { code: crate::fault::USAGE, text });
            };
            let file = target()?;
            let prefix = format!("{old}.");
            let moved: Vec<Setting> = settings
                .iter()
                .filter(|setting| {
                    setting.key.starts_with(&prefix) && !setting.key[prefix.len()..].contains('.')
                })
                .cloned()
                .collect();
            if !config::remove_section(&file, old)? {
                return Err(fatal(format!("no such section: {old}")));
            }
            for Setting { key, value } in moved {
                let key = format!("{new}.{}", &key[prefix.len()..]);
                config::set(&file, &key, value.as_deref().unwrap_or("true"), Write::Add)?;
            }
            Ok(0)
        }
        Task::Set | Task::Add | Task::ReplaceAll | Task::Either | Task::Get | Task::GetAll => {
            let given = operands.first().cloned().unwrap_or_default();
            key(0)?;
            let Some(value) = operands.get(1) else {
                return Err(Fault {
                    code: 129,
                    text: "error: no action specified\nusage: git config [<options>]".to_owned(),
                });
            };
            let how = match task {
                Task::Add => Write::Add,
                Task::ReplaceAll => Write::ReplaceAll,
                _ => Write::Replace,
            };
            let value = typed(value, &kind, &given)?;
            config::set(&target()?, &given, &value, how)?;
            Ok(0)
        }
    }
}

/// Returns a value in the form that its type has.
fn typed(value: &str, kind: &str, key: &str) -> Result<String> {
    match kind {
        "bool" => match config::truth(value) {
            Some(truth) => Ok(truth.to_string()),
            None => Err(fatal(format!("bad boolean config value '{value}' for '{key}'"))),
        },
        "int" => {
            let (digits, factor) = match value.to_ascii_lowercase().strip_suffix(['k', 'm', 'g']) {
                Some(digits) => (
                    digits.to_owned(),
                    match value.as_bytes()[value.len() - 1].to_ascii_lowercase() {
                        b'k' => 1 << 10,
                        b'm' => 1 << 20,
                        _ => 1i64 << 30,
                    },
                ),
                None => (value.to_owned(), 1),
            };
            let number = digits.parse::<i64>().ok().and_then(|n| n.checked_mul(factor));
            number.map(|n| n.to_string()).ok_or_else(|| {
                fatal(format!("bad numeric config value '{value}' for '{key}': invalid unit"))
            })
        }
        "path" => Ok(text(&crate::repo::expand_home(value.as_bytes()))),
        _ => Ok(value.to_owned()),
    }
}

/// Runs `git var`.
pub(crate) fn var(call: &mut Call<'_>) -> Result<i32> {
    let name = call.args.first().map(|arg| text(arg)).unwrap_or_default();
    let repo: Repo = call.repo()?;
    let value = match name.as_str() {
        "GIT_AUTHOR_IDENT" => crate::ident::author(&repo, None)?,
        "GIT_COMMITTER_IDENT" => crate::ident::committer(&repo)?,
        "GIT_EDITOR" => {
            variable("GIT_EDITOR").or_else(|| variable("EDITOR")).ok_or_else(|| silent(1))?
        }
        "GIT_DEFAULT_BRANCH" => {
            repo.config.get("init.defaultbranch").unwrap_or("master").as_bytes().to_vec()
        }
        _ => return Err(Fault { code: 129, text: "usage: git var (-l | <variable>)".to_owned() }),
    };
    call.out.line(value);
    Ok(0)
}
