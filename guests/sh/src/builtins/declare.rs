//! The `declare`, `local`, `export` and `readonly` builtins.

use super::{USAGE, shown};
use crate::exec::{Assigned, Decl, NewValue};
use crate::expand::{quote, transform};
use crate::shell::frames::Function;
use crate::shell::scope::{make_assoc, make_indexed, split_place};
use crate::shell::value::{Value, Var, flag};
use crate::shell::{Exec, Flow, Shell};
use crate::syntax::ast::Text;
use crate::syntax::{function_text, is_name, is_name_char};

/// Parsed options of one call.
#[derive(Default)]
struct Asked {
    on: u16,
    off: u16,
    indexed: bool,
    assoc: bool,
    destroys: bool,
    functions: bool,
    names_only: bool,
    global: bool,
    print: bool,
    /// Set for calls on behalf of `declare -g`, which share the checks of `export`.
    quiet: bool,
    inherit: bool,
    local: bool,
    who: &'static str,
}

pub(super) fn declare(shell: &mut Shell, args: Vec<Decl>) -> Exec {
    let who = if args.first().is_some_and(|arg| arg.text() == b"typeset") {
        "typeset"
    } else {
        "declare"
    };
    run(shell, args, Asked { who, ..Asked::default() })
}

pub(super) fn local(shell: &mut Shell, args: Vec<Decl>) -> Exec {
    if !shell.frames.iter().any(|frame| frame.is_function) {
        // As in bash, array literals are assigned all the same.
        for arg in args {
            if let Decl::Assign(assigned @ Assigned { value: NewValue::Array(_), .. }) = arg {
                shell.apply_assign(assigned)?;
            }
        }
        shell.warn("local: can only be used in a function");
        return Ok(1);
    }
    run(shell, args, Asked { who: "local", local: true, ..Asked::default() })
}

pub(super) fn export(shell: &mut Shell, args: Vec<Decl>) -> Exec {
    run(shell, args, Asked { who: "export", on: flag::EXPORT, global: true, ..Asked::default() })
}

pub(super) fn readonly(shell: &mut Shell, args: Vec<Decl>) -> Exec {
    run(
        shell,
        args,
        Asked { who: "readonly", on: flag::READONLY, global: true, ..Asked::default() },
    )
}

fn run(shell: &mut Shell, args: Vec<Decl>, mut asked: Asked) -> Exec {
    let mut args = args.into_iter().skip(1).peekable();
    while let Some(Decl::Word(arg)) = args.peek() {
        let sign = arg.first().copied();
        if arg == b"--" {
            args.next();
            break;
        }
        if arg == b"-" && asked.local {
            args.next();
            let options = shell.options;
            if let Some(frame) = shell.frames.iter_mut().rev().find(|frame| frame.is_function) {
                frame.options.get_or_insert(options);
            }
            continue;
        }
        if arg.len() < 2 || !matches!(sign, Some(b'-' | b'+')) {
            break;
        }
        let on = sign == Some(b'-');
        for letter in &arg[1..] {
            let bit = match letter {
                letter
                    if (asked.who == "export" && !b"fnp".contains(letter))
                        || (asked.who == "readonly" && !b"aAfp".contains(letter)) =>
                {
                    let letter = char::from(*letter);
                    let who = asked.who;
                    super::bad_option(shell, who, &format!("-{letter}"));
                    return Ok(USAGE);
                }
                b'x' => flag::EXPORT,
                b'r' => flag::READONLY,
                b'i' => flag::INTEGER,
                b'l' => flag::LOWER,
                b'u' => flag::UPPER,
                b'n' if asked.who == "export" => {
                    asked.on &= !flag::EXPORT;
                    asked.off |= flag::EXPORT;
                    continue;
                }
                b'n' => flag::NAMEREF,
                b't' => flag::TRACE,
                b'c' => flag::CAPITAL,
                b'a' => {
                    asked.indexed = on;
                    asked.destroys |= !on;
                    continue;
                }
                b'A' => {
                    asked.assoc = on;
                    asked.destroys |= !on;
                    continue;
                }
                b'f' => {
                    asked.functions = true;
                    continue;
                }
                b'F' => {
                    asked.functions = true;
                    asked.names_only = true;
                    continue;
                }
                b'g' => {
                    asked.global = true;
                    continue;
                }
                b'p' => {
                    asked.print = true;
                    continue;
                }
                b'I' => {
                    asked.inherit = true;
                    continue;
                }
                _ => {
                    let letter = char::from(*letter);
                    let who = asked.who;
                    super::bad_option(shell, who, &format!("-{letter}"));
                    return Ok(USAGE);
                }
            };
            if on { asked.on |= bit } else { asked.off |= bit }
        }
        args.next();
    }
    let args: Vec<Decl> = args.collect();
    let refers = asked.on & flag::NAMEREF != 0 && (asked.indexed || asked.assoc);
    if refers {
        asked.on &= !flag::NAMEREF;
    }
    if asked.functions {
        let wrong = match () {
            _ if asked.indexed => Some("-a"),
            _ if asked.assoc => Some("-A"),
            _ if asked.on & flag::INTEGER != 0 => Some("-i"),
            _ => None,
        };
        if let Some(option) = wrong {
            shell.warn(&format!("{}: {option}: invalid option", asked.who));
            return Ok(USAGE);
        }
        return functions(shell, &args, &asked);
    }
    if args.is_empty() {
        return list(shell, &asked);
    }
    if asked.print && !matches!(asked.who, "export" | "readonly") {
        return print_named(shell, &args, &asked);
    }
    let mut status = 0;
    for arg in args {
        // As in bash, the array is made nevertheless.
        if let Decl::Assign(Assigned { name, value: NewValue::Array(_), .. }) = &arg
            && refers
        {
            let name = shown(name);
            let who = asked.who;
            shell.warn(&format!("{who}: {name}: reference variable cannot be an array"));
            status = 1;
        }
        match one(shell, arg, &asked) {
            Ok(true) => {}
            Ok(false) | Err(Flow::Discard(_)) => status = 1,
            Err(flow) => return Err(flow),
        }
    }
    Ok(status)
}

/// Splits an argument into name, subscript, append flag and value; the value is `None` for a bare
/// name.
fn parse(arg: Decl) -> Result<(Text, Option<Text>, bool, Option<NewValue>), Text> {
    match arg {
        Decl::Assign(Assigned { name, index, append, value }) => {
            Ok((name, index, append, Some(value)))
        }
        Decl::Word(text) => {
            // A key may contain an equals sign.
            let name = text.iter().take_while(|c| is_name_char(**c)).count();
            let from = match text.get(name) {
                Some(b'[') => text.windows(2).position(|pair| matches!(pair, b"]=" | b"]+")),
                _ => None,
            };
            let from = from.unwrap_or_default();
            let sign = text[from..].iter().position(|c| *c == b'=').map(|at| from + at);
            let (place, append, value) = match sign {
                Some(at) if at > 0 => {
                    let append = text[at - 1] == b'+';
                    let end = if append { at - 1 } else { at };
                    (text[..end].to_vec(), append, Some(NewValue::Scalar(text[at + 1..].to_vec())))
                }
                _ => (text.clone(), false, None),
            };
            match split_place(&place) {
                Some(place) => Ok((place.name, place.index, append, value)),
                None if place.ends_with(b"[]") => Err(text),
                None => Err(text),
            }
        }
    }
}

/// Declares one name. Returns false if that fails, after printing the error.
fn one(shell: &mut Shell, arg: Decl, asked: &Asked) -> Result<bool, Flow> {
    let who = asked.who;
    let (name, index, append, value) = match parse(arg) {
        Ok(parsed) => parsed,
        Err(text) => {
            shell.warn(&format!("{who}: `{}': not a valid identifier", shown(&text)));
            return Ok(false);
        }
    };
    if !is_name(&name) {
        shell.warn(&format!("{who}: `{}': not a valid identifier", shown(&name)));
        return Ok(false);
    }
    let in_function = shell.frames.iter().any(|frame| frame.is_function);
    let makes_local = in_function && !asked.global;
    if makes_local {
        let outer = shell.vars.get(name.as_slice()).cloned();
        if outer.as_ref().is_some_and(|var| var.has(flag::READONLY)) && asked.local {
            // A local copy is refused only for a global: locals of callers may be shadowed.
            let is_local = shell
                .frames
                .iter()
                .any(|frame| frame.saved.iter().any(|(saved, _)| saved[..] == name[..]));
            if !is_local {
                shell.warn(&format!("{who}: {}: readonly variable", shown(&name)));
                return Ok(false);
            }
        }
        if shell.make_local(&name) {
            let inherits = asked.inherit || shell.options.localvar_inherit();
            // The new local starts with the outer value only under `-I` or `localvar_inherit`.
            if inherits && let Some(outer) = outer.clone() {
                *shell.entry(&name) = outer;
            }
        }
    }
    let index = match index {
        Some(index) if matches!(who, "export" | "readonly") && !asked.quiet => {
            let place = format!("{}[{}]", shown(&name), shown(&index));
            shell.warn(&format!("{who}: `{place}': not a valid identifier"));
            return Ok(false);
        }
        // The subscript is expanded even if the script quotes the argument.
        Some(index) => Some(shell.expand_key(&index)?),
        None => None,
    };
    let is_element = index.is_some() && value.is_none();
    let target = if asked.on & flag::NAMEREF != 0 || asked.off & flag::NAMEREF != 0 || makes_local {
        name.clone()
    } else {
        let place = shell.resolve(&name);
        if let Some(index) = place.index.filter(|_| matches!(who, "export" | "readonly")) {
            let place = format!("{}[{}]", shown(&place.name), shown(&index));
            shell.warn(&format!("{who}: `{place}': not a valid identifier"));
            return Ok(true);
        }
        place.name
    };
    if asked.destroys && shell.vars.get(target.as_slice()).is_some_and(Var::is_array) {
        let target = shown(&target);
        shell.warn(&format!("{who}: {target}: cannot destroy array variables in this way"));
        return Ok(false);
    }
    if asked.global && in_function && matches!(who, "declare" | "typeset") {
        return global(shell, &name, index, append, value, asked);
    }
    if asked.on & flag::NAMEREF != 0 {
        return reference(shell, &target, value, asked);
    }
    if asked.off & flag::NAMEREF != 0
        && shell.is_reference(&name)
        && let Some(NewValue::Scalar(text)) = &value
    {
        // The value goes to the variable that the reference names.
        shell.assign(&name, index.as_deref(), text.clone(), append)?;
        if let Some(var) = shell.vars.get_mut(name.as_slice()) {
            var.flags &= !flag::NAMEREF;
        }
        return Ok(true);
    }
    if shell.vars.get(target.as_slice()).is_some_and(|var| var.has(flag::READONLY))
        && (value.is_some() || asked.off & flag::READONLY != 0)
    {
        shell.warn(&format!(
            "{}{}: readonly variable",
            if who == "declare" { "declare: " } else { "" },
            shown(&target)
        ));
        if matches!(who, "export" | "readonly") {
            super::misused(shell, 1)?;
        }
        return Ok(false);
    }
    if let Some(at) = crate::shell::start::options_at(&target)
        && value.is_none()
    {
        shell.exported_options[at] = asked.on & flag::EXPORT != 0;
        return Ok(true);
    }
    // An attribute does not hide the value of a dynamic variable.
    if value.is_none()
        && !makes_local
        && !shell.vars.contains_key(target.as_slice())
        && shell.dynamic(&target).is_some()
    {
        return Ok(true);
    }
    // As in bash, `readonly -a name` alone declares no array.
    let is_bare = who == "readonly" && value.is_none();
    let var = shell.entry(&target);
    if asked.assoc && !is_bare && !make_assoc(var) {
        shell.warn(&format!(
            "{who}: {}: cannot convert indexed to associative array",
            shown(&target)
        ));
        return Ok(false);
    }
    if (asked.indexed && !is_bare) || (is_element && !matches!(var.value, Value::Assoc(..))) {
        if matches!(var.value, Value::Assoc(..)) {
            shell.warn(&format!(
                "{who}: {}: cannot convert associative to indexed array",
                shown(&target)
            ));
            return Ok(false);
        }
        make_indexed(var);
    }
    var.flags |= asked.on & !flag::READONLY;
    if asked.on & flag::LOWER != 0 {
        var.flags &= !flag::UPPER;
    }
    if asked.on & flag::UPPER != 0 {
        var.flags &= !flag::LOWER;
    }
    var.flags &= !asked.off;
    match value {
        None => {}
        Some(NewValue::Array(elements)) => shell.assign_array(&target, elements, append)?,
        Some(NewValue::Scalar(text)) => {
            // `declare -a x='(1 2)'` assigns an array, as in bash.
            let is_array = shell.vars.get(target.as_slice()).is_some_and(Var::is_array);
            let asks = asked.indexed || asked.assoc;
            let takes_list = match who {
                "export" | "readonly" => asks || asked.quiet,
                _ => asks || index.is_none(),
            };
            if is_array && takes_list && text.first() == Some(&b'(') && text.ends_with(b")") {
                let source = [target.as_slice(), if append { b"+=" } else { b"=" }, &text].concat();
                let saved = (shell.status, shell.line);
                shell.exec_text(&source, shell.line, who)?;
                (shell.status, shell.line) = saved;
            } else {
                if shell.options.xtrace() && matches!(who, "export" | "readonly") && !asked.quiet {
                    let value = NewValue::Scalar(text.clone());
                    let name = target.clone();
                    shell.trace_assign(&Assigned { name, index: None, append, value });
                }
                shell.assign(&target, index.as_deref(), text, append)?;
            }
        }
    }
    let var = shell.entry(&target);
    var.flags |= asked.on & flag::READONLY;
    Ok(true)
}

impl Shell {
    /// Returns true if the name is local to the running function.
    fn is_local(&self, name: &[u8]) -> bool {
        let frame = self.frames.iter().rev().find(|frame| frame.is_function);
        frame.is_some_and(|frame| frame.saved.iter().any(|(saved, _)| **saved == *name))
    }
}

/// Implements `declare -g`: declares the variable outside all functions.
fn global(
    shell: &mut Shell,
    name: &[u8],
    index: Option<Text>,
    append: bool,
    value: Option<NewValue>,
    asked: &Asked,
) -> Result<bool, Flow> {
    let outermost =
        shell.frames.iter().position(|frame| frame.saved.iter().any(|(saved, _)| **saved == *name));
    let Some(frame) = outermost else {
        let asked = Asked {
            global: true,
            who: "export",
            quiet: true,
            on: asked.on,
            off: asked.off,
            indexed: asked.indexed,
            assoc: asked.assoc,
            ..Asked::default()
        };
        let assigned = match value {
            Some(value) => Decl::Assign(Assigned { name: name.to_vec(), index, append, value }),
            None => Decl::Word(name.to_vec()),
        };
        return one(shell, assigned, &asked);
    };
    // The shadowed global is swapped in, changed, and swapped out again.
    let at = shell.frames[frame].saved.iter().position(|(saved, _)| **saved == *name);
    let Some(at) = at else { return Ok(false) };
    let outer = shell.frames[frame].saved[at].1.take();
    let inner = shell.vars.remove(name);
    if let Some(outer) = outer {
        *shell.entry(name) = outer;
    }
    let again = Asked {
        global: true,
        who: "export",
        quiet: true,
        on: asked.on,
        off: asked.off,
        indexed: asked.indexed,
        assoc: asked.assoc,
        ..Asked::default()
    };
    let assigned = match value {
        Some(value) => Decl::Assign(Assigned { name: name.to_vec(), index, append, value }),
        None => Decl::Word(name.to_vec()),
    };
    let answer = one(shell, assigned, &again);
    shell.frames[frame].saved[at].1 = shell.vars.remove(name);
    if let Some(inner) = inner {
        *shell.entry(name) = inner;
    }
    answer
}

fn reference(
    shell: &mut Shell,
    name: &[u8],
    value: Option<NewValue>,
    asked: &Asked,
) -> Result<bool, Flow> {
    let who = asked.who;
    let given = value.is_some();
    if given && shell.vars.get(name).is_some_and(|var| var.has(flag::READONLY)) {
        shell.warn(&format!("{who}: {}: readonly variable", shown(name)));
        return Ok(false);
    }
    let target = match value {
        Some(NewValue::Scalar(text)) => Some(text),
        Some(NewValue::Array(_)) => {
            shell.warn(&format!("{who}: {}: reference variable cannot be an array", shown(name)));
            return Ok(false);
        }
        None => shell.vars.get(name).and_then(|var| var.first().cloned()),
    };
    if let Some(target) = &target {
        if !target.is_empty() && split_place(target).is_none() {
            let target = shown(target);
            shell.warn(&format!("{who}: `{target}': invalid variable name for name reference"));
            return Ok(false);
        }
        if target == name && given && !shell.frames.iter().any(|frame| frame.is_function) {
            let name = shown(name);
            shell.warn(&format!("{who}: {name}: nameref variable self references not allowed"));
            return Ok(false);
        }
        if target == name && given {
            shell.warn(&format!("{who}: warning: {}: circular name reference", shown(name)));
        }
    }
    if shell.vars.get(name).is_some_and(Var::is_array) {
        shell.warn(&format!("{who}: {}: reference variable cannot be an array", shown(name)));
        return Ok(false);
    }
    let var = shell.entry(name);
    var.flags |= asked.on;
    if let Some(target) = target {
        var.value = Value::Scalar(target);
    }
    Ok(true)
}

/// Formats a variable as `declare -p` does.
pub(super) fn described(name: &[u8], var: &Var) -> Text {
    let letters = Shell::attributes(var);
    let letters = if letters.is_empty() { "-".to_owned() } else { letters };
    let mut line = format!("declare -{letters} ").into_bytes();
    line.extend_from_slice(name);
    if var.is_assigned() {
        line.push(b'=');
        match &var.value {
            Value::Scalar(text) => line.extend_from_slice(&quote::double(text)),
            Value::Indexed(..) | Value::Assoc(..) => {
                line.extend_from_slice(&transform::compound(var));
            }
            Value::Unset => {}
        }
    }
    line.push(b'\n');
    line
}

fn print_named(shell: &mut Shell, args: &[Decl], asked: &Asked) -> Exec {
    let mut out = Vec::new();
    let mut status = 0;
    for arg in args {
        let name = arg.text();
        let found = match shell.vars.get(name.as_slice()) {
            Some(_) if asked.local && !shell.is_local(&name) => None,
            Some(var) => Some(described(&name, var)),
            None => {
                let computed = shell.computed();
                let found = computed.iter().find(|(known, _)| *known == name);
                found.map(|(_, var)| described(&name, var))
            }
        };
        match found {
            Some(line) => out.extend_from_slice(&line),
            None => {
                shell.warn(&format!("{}: {}: not found", asked.who, shown(&name)));
                status = 1;
            }
        }
    }
    let written = shell.print(&out, asked.who)?;
    Ok(status.max(written))
}

fn list(shell: &mut Shell, asked: &Asked) -> Exec {
    let mut names: Vec<Text> = match asked.who {
        "local" => {
            let frame = shell.frames.iter().rev().find(|frame| frame.is_function);
            frame
                .map(|f| f.saved.iter().map(|(name, _)| name.to_vec()).collect())
                .unwrap_or_default()
        }
        _ => shell.vars.keys().map(|name| name.to_vec()).collect(),
    };
    let computed = if asked.who == "local" { Vec::new() } else { shell.listed() };
    names.extend(computed.iter().map(|(name, _)| name.clone()));
    names.sort_unstable();
    names.dedup();
    let filtered = asked.on != 0 || asked.indexed || asked.assoc;
    let mut out = Vec::new();
    for name in names {
        let computed = computed.iter().find(|(known, _)| *known == name).map(|(_, var)| var);
        let Some(var) = shell.vars.get(name.as_slice()).or(computed) else { continue };
        let is_kind = (asked.indexed && matches!(var.value, Value::Indexed(..)))
            || (asked.assoc && matches!(var.value, Value::Assoc(..)));
        let has_flag = var.flags & asked.on != 0;
        let fits = match asked.who {
            "export" | "readonly" if asked.indexed || asked.assoc => has_flag && is_kind,
            _ => has_flag || is_kind,
        };
        if filtered && !fits {
            continue;
        }
        if shell.options.posix() && matches!(asked.who, "export" | "readonly") {
            out.extend_from_slice(&posix_line(asked.who, &name, var));
        } else if filtered || asked.print || asked.local {
            out.extend_from_slice(&described(&name, var));
        } else if var.is_assigned() {
            out.extend_from_slice(&setting(&name, var));
        }
    }
    if !filtered && !asked.print && matches!(asked.who, "declare" | "typeset") {
        out.extend_from_slice(&all_functions(shell));
    }
    shell.print(&out, asked.who)
}

/// Formats a variable as `export` and `readonly` list it in POSIX mode.
fn posix_line(who: &str, name: &[u8], var: &Var) -> Text {
    let kind = match &var.value {
        Value::Indexed(..) => " -a",
        Value::Assoc(..) => " -A",
        Value::Unset | Value::Scalar(_) => "",
    };
    let mut line = format!("{who}{kind} {}", shown(name)).into_bytes();
    match &var.value {
        Value::Unset => {}
        Value::Scalar(text) => line.extend([b"=", quote::double(text).as_slice()].concat()),
        Value::Indexed(..) | Value::Assoc(..) => {
            line.extend([b"=", transform::compound(var).as_slice()].concat());
        }
    }
    line.push(b'\n');
    line
}

/// Formats a variable as `set` does.
pub(super) fn setting(name: &[u8], var: &Var) -> Text {
    let value = match &var.value {
        Value::Scalar(text) => quote::minimal(text),
        Value::Unset => Vec::new(),
        Value::Indexed(..) | Value::Assoc(..) => transform::compound(var),
    };
    [name, b"=", &value, b"\n"].concat()
}

/// Formats all functions as source text, sorted by name.
pub(super) fn all_functions(shell: &Shell) -> Text {
    let mut all: Vec<_> = shell.functions.iter().collect();
    all.sort_unstable_by_key(|(name, _)| name.as_slice());
    all.iter().flat_map(|(name, function)| function_text(name, &function.body())).collect()
}

/// Returns the attributes of a function as options of `declare`.
fn function_letters(function: &Function) -> String {
    let set = [('r', function.readonly), ('t', function.traced), ('x', function.exported)];
    let set = set.iter().filter(|(_, is_set)| *is_set).map(|(letter, _)| *letter);
    std::iter::once('f').chain(set).collect()
}

fn functions(shell: &mut Shell, args: &[Decl], asked: &Asked) -> Exec {
    let mut out = Vec::new();
    if args.is_empty() {
        let mut all: Vec<_> = shell.functions.iter().collect();
        all.sort_unstable_by_key(|(name, _)| name.as_slice());
        for (name, function) in all {
            if asked.on & flag::EXPORT != 0 && !function.exported {
                continue;
            }
            if asked.on & flag::READONLY != 0 && !function.readonly {
                continue;
            }
            let letters = function_letters(function);
            if asked.names_only || (asked.who == "export") {
                if asked.who == "export" {
                    out.extend_from_slice(&function_text(name, &function.body()));
                }
                out.extend_from_slice(format!("declare -{letters} {}\n", shown(name)).as_bytes());
            } else {
                out.extend_from_slice(&function_text(name, &function.body()));
                if letters != "f" {
                    let line = format!("declare -{letters} {}\n", shown(name));
                    out.extend_from_slice(line.as_bytes());
                }
            }
        }
        return shell.print(&out, asked.who);
    }
    let mut status = 0;
    for arg in args {
        let name = arg.text();
        if name.contains(&b'=') {
            shell.warn(&format!("{}: cannot use `-f' to make functions", asked.who));
            return Ok(1);
        }
        let Some(function) = shell.functions.get(&name).cloned() else {
            if asked.print {
                shell.warn(&format!("{}: {}: not found", asked.who, shown(&name)));
            } else if matches!(asked.who, "export" | "readonly") {
                shell.warn(&format!("{}: {}: not a function", asked.who, shown(&name)));
            }
            status = 1;
            continue;
        };
        if function.readonly && asked.off & flag::READONLY != 0 {
            shell.warn(&format!("{}: {}: readonly function", asked.who, shown(&name)));
            status = 1;
            continue;
        }
        if (asked.on | asked.off) & (flag::EXPORT | flag::READONLY) != 0 {
            let exported = if asked.off & flag::EXPORT != 0 {
                false
            } else {
                function.exported || asked.on & flag::EXPORT != 0
            };
            let readonly = function.readonly || asked.on & flag::READONLY != 0;
            let changed = std::rc::Rc::new(function.with(exported, readonly));
            shell.functions.insert(name, changed);
        } else if (asked.on | asked.off) & flag::TRACE != 0 {
            shell
                .functions
                .insert(name, std::rc::Rc::new(function.traced(asked.on & flag::TRACE != 0)));
        } else if asked.names_only {
            if asked.print {
                out.extend_from_slice(format!("declare -f {}\n", shown(&name)).as_bytes());
            } else if shell.options.extdebug() {
                let line =
                    format!("{} {} {}\n", shown(&name), function.line, shown(&function.source));
                out.extend_from_slice(line.as_bytes());
            } else {
                out.extend_from_slice(&name);
                out.push(b'\n');
            }
        } else {
            out.extend_from_slice(&function_text(&name, &function.body()));
            let letters = function_letters(&function);
            if asked.print && letters != "f" {
                out.extend_from_slice(format!("declare -{letters} {}\n", shown(&name)).as_bytes());
            }
        }
    }
    let written = shell.print(&out, asked.who)?;
    Ok(status.max(written))
}
