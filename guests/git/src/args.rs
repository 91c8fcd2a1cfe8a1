//! Arguments of a command.

use crate::bytes::text;
use crate::fault::{Fault, Result, USAGE};

/// One argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Arg {
    /// An option and its value: `-m text`, `--message=text`, `-5` as `-n` with 5.
    Option(String, Option<Vec<u8>>),
    Operand(Vec<u8>),
    /// `--`; only operands follow.
    Dashes,
}

/// Options of a command that have values.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Valued {
    /// Letters whose value is the rest of the argument or the next one.
    pub(crate) short: &'static str,
    /// Letters whose value is the rest of the argument, if there is one.
    pub(crate) attached: &'static str,
    /// Long names whose value may be the next argument; a `?` behind a name says that the last
    /// argument needs no value.
    pub(crate) long: &'static [&'static str],
}

/// Parses the arguments of a command.
pub(crate) fn parse(args: Vec<Vec<u8>>, valued: &Valued) -> Result<Vec<Arg>> {
    let mut out = Vec::new();
    let mut rest = args.into_iter();
    while let Some(arg) = rest.next() {
        if arg == b"--" {
            out.push(Arg::Dashes);
            out.extend(rest.by_ref().map(Arg::Operand));
        } else if arg.starts_with(b"--") {
            let shown = text(&arg);
            let (name, value) = match shown.split_once('=') {
                Some((name, _)) => (name.to_owned(), Some(arg[name.len() + 1..].to_vec())),
                None => (shown, None),
            };
            let value = match value {
                None if valued.long.contains(&name.as_str()) => Some(next(&mut rest, &name)?),
                // The value is the next argument, unless the option is the last one.
                None if valued.long.contains(&format!("{name}?").as_str()) => rest.next(),
                value => value,
            };
            out.push(Arg::Option(name, value));
        } else if arg.len() > 1 && arg[0] == b'-' {
            letters(&arg, valued, &mut rest, &mut out)?;
        } else {
            out.push(Arg::Operand(arg));
        }
    }
    Ok(out)
}

fn letters(
    arg: &[u8],
    valued: &Valued,
    rest: &mut std::vec::IntoIter<Vec<u8>>,
    out: &mut Vec<Arg>,
) -> Result<()> {
    if arg[1..].iter().all(u8::is_ascii_digit) {
        out.push(Arg::Option("-n".to_owned(), Some(arg[1..].to_vec())));
        return Ok(());
    }
    let mut at = 1;
    while at < arg.len() {
        let name = format!("-{}", arg[at] as char);
        let tail = &arg[at + 1..];
        let is_in = |letters: &str| letters.as_bytes().contains(&arg[at]);
        if is_in(valued.short) {
            let value = match tail.is_empty() {
                true => next(rest, &name)?,
                false => tail.to_vec(),
            };
            out.push(Arg::Option(name, Some(value)));
            return Ok(());
        }
        if is_in(valued.attached) && !tail.is_empty() {
            out.push(Arg::Option(name, Some(tail.to_vec())));
            return Ok(());
        }
        out.push(Arg::Option(name, None));
        at += 1;
    }
    Ok(())
}

fn next(rest: &mut std::vec::IntoIter<Vec<u8>>, name: &str) -> Result<Vec<u8>> {
    rest.next().ok_or_else(|| {
        let kind = if name.starts_with("--") { "option" } else { "switch" };
        let name = name.trim_start_matches('-');
        Fault { code: USAGE, text: format!("error: {kind} `{name}' requires a value") }
    })
}

/// Returns the value of an option as text.
pub(crate) fn value_text(value: &Option<Vec<u8>>) -> String {
    value.as_deref().map(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_taken_apart() {
        let valued = Valued { short: "m", attached: "U", long: &["--author"] };
        let parse = |args: &[&str]| {
            let args = args.iter().map(|arg| arg.as_bytes().to_vec()).collect();
            parse(args, &valued)
                .unwrap()
                .into_iter()
                .map(|arg| match arg {
                    Arg::Option(name, None) => name,
                    Arg::Option(name, Some(value)) => format!("{name}={}", text(&value)),
                    Arg::Operand(value) => format!("<{}>", text(&value)),
                    Arg::Dashes => "--".to_owned(),
                })
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(parse(&["-am", "x", "f"]), "-a -m=x <f>");
        assert_eq!(parse(&["-mx", "-U5", "-3"]), "-m=x -U=5 -n=3");
        assert_eq!(parse(&["--author", "a", "--b=c", "--", "-x"]), "--author=a --b=c -- <-x>");
    }

    #[test]
    fn a_missing_value_is_an_error() {
        assert!(
            super::parse(vec![b"-m".to_vec()], &Valued { short: "m", ..Valued::default() })
                .is_err()
        );
    }
}
