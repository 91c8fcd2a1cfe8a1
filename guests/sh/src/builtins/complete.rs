//! The `complete`, `compgen` and `compopt` builtins.
//!
//! A sandbox has no interactive completion. Specifications are kept for scripts that print or
//! change them, and `compgen` generates the candidates of one.

use super::{USAGE, shown};
use crate::completion::{ACTIONS, OPTIONS, Spec};
use crate::expand::quote;
use crate::shell::{Exec, Shell};
use crate::syntax::ast::Text;

/// Arguments of one call.
#[derive(Default)]
struct Call {
    spec: Spec,
    removed: Vec<String>,
    names: Vec<Text>,
    print: bool,
    remove: bool,
    /// The names `-D`, `-E` and `-I`.
    special: Option<&'static str>,
}

/// Parses the arguments. The error is the exit status; its message has been printed.
fn parse(shell: &mut Shell, args: &[Text], who: &str) -> Result<Call, i32> {
    let mut call = Call::default();
    let mut at = 1;
    while let Some(arg) = args.get(at) {
        let plus = arg.first() == Some(&b'+');
        if arg.len() < 2 || !(plus || arg[0] == b'-') {
            break;
        }
        at += 1;
        if arg == b"--" {
            break;
        }
        let mut letters = 1;
        while let Some(letter) = arg.get(letters) {
            letters += 1;
            if let Some((_, name)) = ACTIONS.iter().find(|(short, _)| short == letter) {
                call.spec.actions.push((*name).to_owned());
                continue;
            }
            match letter {
                b'p' | b'r' | b'C' | b'G' | b'W' | b'X' | b'P' | b'S' | b'F' | b'A'
                    if who == "compopt" =>
                {
                    super::bad_option(shell, who, &format!("-{}", char::from(*letter)));
                    return Err(USAGE);
                }
                b'p' => call.print = true,
                b'r' => call.remove = true,
                b'D' => call.special = Some("-D"),
                b'E' => call.special = Some("-E"),
                b'I' => call.special = Some("-I"),
                b'A' | b'o' | b'G' | b'W' | b'P' | b'S' | b'X' | b'F' | b'C' => {
                    let value = if letters < arg.len() {
                        arg[letters..].to_vec()
                    } else {
                        at += 1;
                        match args.get(at - 1) {
                            Some(value) => value.clone(),
                            None => {
                                let letter = char::from(*letter);
                                super::needs_argument(shell, who, &format!("-{letter}"));
                                return Err(USAGE);
                            }
                        }
                    };
                    letters = arg.len();
                    take(shell, &mut call, *letter, plus, value, who)?;
                }
                letter => {
                    super::bad_option(shell, who, &format!("-{}", char::from(*letter)));
                    return Err(USAGE);
                }
            }
        }
    }
    call.names = args[at.min(args.len())..].to_vec();
    Ok(call)
}

/// Stores the value of one option.
fn take(
    shell: &mut Shell,
    call: &mut Call,
    letter: u8,
    plus: bool,
    value: Text,
    who: &str,
) -> Result<(), i32> {
    let spec = &mut call.spec;
    match letter {
        b'A' => match ACTIONS.iter().find(|(_, name)| name.as_bytes() == value) {
            Some((_, name)) => spec.actions.push((*name).to_owned()),
            None => {
                shell.warn(&format!("{who}: {}: invalid action name", shown(&value)));
                return Err(USAGE);
            }
        },
        b'o' => match OPTIONS.iter().find(|name| name.as_bytes() == value) {
            Some(name) if plus => call.removed.push((*name).to_owned()),
            Some(name) => spec.options.push((*name).to_owned()),
            None => {
                shell.warn(&format!("{who}: {}: invalid option name", shown(&value)));
                return Err(USAGE);
            }
        },
        b'G' => spec.glob = Some(value),
        b'W' => spec.words = Some(value),
        b'P' => spec.prefix = Some(value),
        b'S' => spec.suffix = Some(value),
        b'X' => spec.filter = Some(value),
        b'F' if value.iter().any(|c| b" \t\n;&|<>()'\"\\$`".contains(c)) => {
            shell.warn(&format!("{who}: `{}': not a valid identifier", shown(&value)));
            return Err(USAGE);
        }
        b'F' => spec.function = Some(value),
        _ => spec.command = Some(value),
    }
    Ok(())
}

pub(super) fn complete(shell: &mut Shell, args: &[Text]) -> Exec {
    let mut call = match parse(shell, args, "complete") {
        Ok(call) => call,
        Err(status) => return Ok(status),
    };
    if let Some(special) = call.special {
        call.names = vec![special.as_bytes().to_vec()];
    }
    if call.remove {
        if call.names.is_empty() {
            shell.completions.clear();
        }
        let mut status = 0;
        for name in &call.names {
            // Without a table of specifications, bash does not look.
            if !shell.completions.is_empty()
                && !shell.completions.iter().any(|(known, _)| known == name)
            {
                no_specification(shell, "complete", name);
                status = 1;
            }
        }
        shell.completions.retain(|(name, _)| !call.names.contains(name));
        return Ok(status);
    }
    if call.print || args.len() == 1 || call.names.is_empty() {
        if !call.print && args.len() > 1 {
            shell.warn("complete: usage: complete [-abcdefgjksuv] [-pr] [-DEI] [name ...]");
            return Ok(USAGE);
        }
        return print(shell, &call.names);
    }
    for name in call.names {
        shell.completions.retain(|(known, _)| *known != name);
        shell.completions.push((name, call.spec.clone()));
    }
    Ok(0)
}

fn print(shell: &mut Shell, names: &[Text]) -> Exec {
    let mut out = Vec::new();
    let mut status = 0;
    let mut all: Vec<Text> = shell.completions.iter().rev().map(|(name, _)| name.clone()).collect();
    // In the order of bash's table; newer entries of a bucket come first.
    all.sort_by_key(|name| crate::shell::assoc::hash(stored(name)) % BUCKETS);
    for name in if names.is_empty() { &all } else { names } {
        match shell.completions.iter().find(|(known, _)| known == name) {
            Some((name, spec)) => out.extend_from_slice(&described(name, spec)),
            None => {
                no_specification(shell, "complete", name);
                status = 1;
            }
        }
    }
    let written = shell.print(&out, "complete")?;
    Ok(status.max(written))
}

/// Complains of a command without a specification.
fn no_specification(shell: &mut Shell, who: &str, name: &[u8]) {
    shell.warn(&format!("{who}: {}: no completion specification", shown(stored(name))));
}

/// Buckets of bash's table of completions.
const BUCKETS: u32 = 512;

/// Returns the name under which bash stores a specification.
fn stored(name: &[u8]) -> &[u8] {
    match name {
        b"-D" => b"_DefaultCmD_",
        b"-E" => b"_EmptycmD_",
        b"-I" => b"_InitialWorD_",
        name => name,
    }
}

/// Formats a specification as the command that makes it.
fn described(name: &[u8], spec: &Spec) -> Text {
    let mut out = b"complete ".to_vec();
    let is_on = |option: &&&str| spec.options.iter().any(|own| own == **option);
    for option in OPTIONS.iter().filter(is_on) {
        out.extend_from_slice(format!("-o {option} ").as_bytes());
    }
    let has = |name: &str| spec.actions.iter().any(|own| own == name);
    let short = ACTIONS.iter().filter(|(letter, name)| *letter != 0 && has(name));
    let mut letters: Vec<u8> = short.map(|(letter, _)| *letter).collect();
    letters.sort_unstable();
    for letter in letters {
        out.extend_from_slice(&[b'-', letter, b' ']);
    }
    for (_, action) in ACTIONS.iter().filter(|(letter, name)| *letter == 0 && has(name)) {
        out.extend_from_slice(format!("-A {action} ").as_bytes());
    }
    let quoted = [
        (b'G', &spec.glob),
        (b'W', &spec.words),
        (b'P', &spec.prefix),
        (b'S', &spec.suffix),
        (b'X', &spec.filter),
        (b'C', &spec.command),
    ];
    for (letter, value) in quoted {
        if let Some(value) = value {
            out.extend_from_slice(&[b'-', letter, b' ']);
            out.extend_from_slice(&quote::plain_single(value));
            out.push(b' ');
        }
    }
    if let Some(function) = &spec.function {
        out.extend_from_slice(b"-F ");
        out.extend_from_slice(function);
        out.push(b' ');
    }
    out.extend_from_slice(name);
    out.push(b'\n');
    out
}

pub(super) fn compgen(shell: &mut Shell, args: &[Text]) -> Exec {
    let call = match parse(shell, args, "compgen") {
        Ok(call) => call,
        Err(status) => return Ok(status),
    };
    if call.spec.function.is_some() {
        shell.warn("compgen: warning: -F option may not work as you expect");
    }
    if call.spec.command.is_some() {
        shell.warn("compgen: warning: -C option may not work as you expect");
    }
    let word = call.names.first().cloned().unwrap_or_default();
    let found = shell.candidates(&call.spec, &word)?;
    let mut out = Vec::new();
    for name in &found {
        out.extend_from_slice(name);
        out.push(b'\n');
    }
    shell.print(&out, "compgen")?;
    Ok(i32::from(found.is_empty()))
}

pub(super) fn compopt(shell: &mut Shell, args: &[Text]) -> Exec {
    let mut call = match parse(shell, args, "compopt") {
        Ok(call) => call,
        Err(status) => return Ok(status),
    };
    if let Some(special) = call.special {
        call.names = vec![special.as_bytes().to_vec()];
    }
    if call.names.is_empty() {
        let Some(options) = &mut shell.completing else {
            shell.warn("compopt: not currently executing completion function");
            return Ok(1);
        };
        options.retain(|option| !call.removed.contains(option));
        options.extend(call.spec.options);
        return Ok(0);
    }
    let (added, removed) = (&call.spec.options, &call.removed);
    let mut out = Vec::new();
    let mut status = 0;
    for name in &call.names {
        let Some((_, spec)) = shell.completions.iter_mut().find(|(known, _)| known == name) else {
            no_specification(shell, "compopt", name);
            status = 1;
            continue;
        };
        if added.is_empty() && removed.is_empty() {
            out.extend_from_slice(b"compopt ");
            for option in OPTIONS {
                let is_on = spec.options.iter().any(|own| own == option);
                let sign = if is_on { '-' } else { '+' };
                out.extend_from_slice(format!("{sign}o {option} ").as_bytes());
            }
            out.extend_from_slice(name);
            out.push(b'\n');
        }
        spec.options.retain(|option| !removed.contains(option));
        spec.options.extend(added.iter().filter(|option| !removed.contains(option)).cloned());
    }
    let written = shell.print(&out, "compopt")?;
    Ok(status.max(written))
}
