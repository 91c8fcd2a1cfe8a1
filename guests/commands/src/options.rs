//! Parses command-line options like GNU's `getopt_long`.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};

use crate::bytes::{OsStrExt, OsStringExt};

/// The value of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Value {
    None,
    Required,
    /// Only if attached: `--color=auto`, `-i.bak`.
    Optional,
}

/// An option: its short form (or NUL), its long form (or an empty string), and its value.
pub(crate) type Spec<'a> = (char, &'a str, Value);

/// An argument of the command line, in order.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Item<'a> {
    /// An option and its value. The key is the short form, if the option has one.
    Option(Key<'a>, Option<OsString>),
    Operand(OsString),
}

/// Identifies an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Key<'a> {
    Short(char),
    Long(&'a str),
}

/// The place where options end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// Options may follow operands.
    Anywhere,
    /// Options end at the first operand, because the rest belongs to another command.
    First,
}

/// The name of a command and its text for `--help`.
pub(crate) struct Usage {
    pub(crate) name: &'static str,
    pub(crate) text: &'static str,
    /// Exit code for a usage error.
    pub(crate) trouble: i32,
}

impl Usage {
    /// Prints an error and a hint to `--help`; returns the exit code.
    pub(crate) fn wrong(&self, message: &str) -> i32 {
        let name = self.name;
        // The families of tools differ in the form of the hint.
        let (prefix, other) = match name {
            "diff" | "cmp" => (format!("{name}: "), ""),
            "grep" => ("Usage: grep [OPTION]... PATTERNS [FILE]...\n".to_owned(), ""),
            "tar" => (String::new(), " or 'tar --usage'"),
            _ => (String::new(), ""),
        };
        if name == "curl" {
            let message = match message.strip_prefix("unrecognized option '") {
                Some(option) => format!("option {}: is unknown", option.trim_end_matches('\'')),
                None => message.to_owned(),
            };
            eprintln!("curl: {message}\ncurl: try 'curl --help' for more information");
            return self.trouble;
        }
        eprintln!("{name}: {message}\n{prefix}Try '{name} --help'{other} for more information.");
        self.trouble
    }
}

/// Parses the arguments. The error is the exit code; its message has already been printed.
pub(crate) fn parse<'a>(
    usage: &Usage,
    args: Vec<OsString>,
    specs: &[Spec<'a>],
    order: Order,
) -> Result<Vec<Item<'a>>, i32> {
    let (mut items, rest) = parse_front(usage, args, specs, order)?;
    items.extend(rest.into_iter().map(Item::Operand));
    Ok(items)
}

/// Parses the arguments up to the end of options, as [`parse`] does. Returns the operands behind
/// that end separately.
pub(crate) fn parse_front<'a>(
    usage: &Usage,
    args: Vec<OsString>,
    specs: &[Spec<'a>],
    order: Order,
) -> Result<(Vec<Item<'a>>, VecDeque<OsString>), i32> {
    let mut items = Vec::new();
    let mut rest: VecDeque<OsString> = args.into_iter().skip(1).collect();
    while let Some(arg) = rest.pop_front() {
        let bytes = arg.as_bytes();
        if bytes == b"--" {
            break;
        } else if bytes.starts_with(b"--") {
            items.push(long(usage, &bytes[2..], specs, &mut rest)?);
        } else if bytes.len() > 1 && bytes[0] == b'-' {
            shorts(usage, &bytes[1..], specs, &mut rest, &mut items)?;
        } else if order == Order::First {
            rest.push_front(arg);
            break;
        } else {
            items.push(Item::Operand(arg));
        }
    }
    Ok((items, rest))
}

fn long<'a>(
    usage: &Usage,
    text: &[u8],
    specs: &[Spec<'a>],
    rest: &mut VecDeque<OsString>,
) -> Result<Item<'a>, i32> {
    let end = text.iter().position(|b| *b == b'=').unwrap_or(text.len());
    let name = String::from_utf8_lossy(&text[..end]).into_owned();
    let attached = text.get(end + 1..).map(|value| OsStr::from_bytes(value).to_owned());
    let exact = specs.iter().find(|spec| spec.1 == name);
    let candidates: Vec<&Spec> =
        specs.iter().filter(|spec| spec.1.starts_with(&name) && !spec.1.is_empty()).collect();
    let text = String::from_utf8_lossy(text);
    let spec = match (exact, candidates.as_slice()) {
        (Some(spec), _) => spec,
        (None, _) if name == "help" => {
            print!("{}", usage.text);
            return Err(crate::commands::uutils::flushed(0));
        }
        (None, [spec]) => spec,
        (None, []) if name == "version" => {
            println!("{} (cofferdam) {}", usage.name, env!("CARGO_PKG_VERSION"));
            return Err(crate::commands::uutils::flushed(0));
        }
        (None, []) => return Err(usage.wrong(&format!("unrecognized option '--{text}'"))),
        (None, several) => {
            let mut message = format!("option '--{text}' is ambiguous; possibilities:");
            for spec in several {
                message.push_str(&format!(" '--{}'", spec.1));
            }
            return Err(usage.wrong(&message));
        }
    };
    let value = match spec.2 {
        Value::None if attached.is_some() => {
            let message = format!("option '--{}' doesn't allow an argument", spec.1);
            return Err(usage.wrong(&message));
        }
        Value::None => None,
        Value::Optional => attached,
        Value::Required => match attached.or_else(|| rest.pop_front()) {
            Some(value) => Some(value),
            None => {
                return Err(usage.wrong(&format!("option '--{}' requires an argument", spec.1)));
            }
        },
    };
    Ok(Item::Option(key(spec), value))
}

fn shorts<'a>(
    usage: &Usage,
    text: &[u8],
    specs: &[Spec<'a>],
    rest: &mut VecDeque<OsString>,
    items: &mut Vec<Item<'a>>,
) -> Result<(), i32> {
    let mut at = 0;
    while at < text.len() {
        let c = char::from(text[at]);
        at += 1;
        let Some(spec) = specs.iter().find(|spec| spec.0 == c && c != '\0') else {
            return Err(usage.wrong(&format!("invalid option -- '{c}'")));
        };
        let attached = (at < text.len()).then(|| OsString::from_vec(text[at..].to_vec()));
        let value = match spec.2 {
            Value::None => None,
            Value::Optional => attached,
            Value::Required => match attached.or_else(|| rest.pop_front()) {
                Some(value) => Some(value),
                None => {
                    return Err(usage.wrong(&format!("option requires an argument -- '{c}'")));
                }
            },
        };
        items.push(Item::Option(key(spec), value));
        if spec.2 != Value::None {
            break;
        }
    }
    Ok(())
}

fn key<'a>(spec: &Spec<'a>) -> Key<'a> {
    if spec.0 == '\0' { Key::Long(spec.1) } else { Key::Short(spec.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USAGE: Usage = Usage { name: "x", text: "", trouble: 2 };
    const SPECS: &[Spec] = &[
        ('a', "all", Value::None),
        ('n', "number", Value::Required),
        ('\0', "color", Value::Optional),
    ];

    fn check(args: &[&str], order: Order, expect: &str) {
        let args = std::iter::once("x").chain(args.iter().copied()).map(OsString::from).collect();
        let items = parse(&USAGE, args, SPECS, order);
        let text: Vec<String> = items
            .unwrap()
            .into_iter()
            .map(|item| match item {
                Item::Option(Key::Short(c), value) => format!("-{c}{value:?}"),
                Item::Option(Key::Long(name), value) => format!("--{name}{value:?}"),
                Item::Operand(operand) => operand.into_string().unwrap(),
            })
            .collect();
        assert_eq!(text.join(" "), expect);
    }

    #[test]
    fn options_stand_anywhere_and_together() {
        check(&["f", "-an5", "g"], Order::Anywhere, "f -aNone -nSome(\"5\") g");
        check(&["--num", "5", "--", "-a"], Order::Anywhere, "-nSome(\"5\") -a");
    }

    #[test]
    fn what_follows_another_command_is_its_own() {
        check(&["-a", "cmd", "-a"], Order::First, "-aNone cmd -a");
    }

    #[test]
    fn an_optional_value_is_attached_only() {
        check(&["--color", "f"], Order::Anywhere, "--colorNone f");
        check(&["--color=auto"], Order::Anywhere, "--colorSome(\"auto\")");
    }
}
