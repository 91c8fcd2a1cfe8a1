//! The parameters that a function declares, read from its text.
//!
//! `length` does not tell: it stops at the first parameter with a default.

/// Arguments that a tool's function is called with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    /// `(args)`: a function with one parameter, or none.
    Args,
    /// `(btcp, args)`: a function with two parameters, or one that is named `btcp`.
    BtcpAndArgs,
}

/// Returns the arguments for a function with this text, such as `async ({ a }, b = 1) => a`.
pub(crate) fn of(text: &str) -> Takes {
    let text = text.trim_start();
    let text = text.strip_prefix("async").filter(|rest| !starts_with_name(rest)).unwrap_or(text);
    let list = match text.find(['(', '=']) {
        // An arrow function without parentheses: `args => …`.
        Some(at) if text[at..].starts_with('=') => text[..at].trim(),
        Some(at) => inside(&text[at..]),
        None => "",
    };
    let (first, has_second) = first_of(list);
    match has_second || first == "btcp" {
        true => Takes::BtcpAndArgs,
        false => Takes::Args,
    }
}

fn starts_with_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$')
}

/// Returns the text between the first parenthesis and the one that closes it.
fn inside(text: &str) -> &str {
    let mut depth = 0;
    for (at, token) in super::scan::Tokens::of(text) {
        match token {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &text[1..at];
        }
    }
    &text[1..]
}

/// Returns the first parameter, and true if another follows.
fn first_of(list: &str) -> (&str, bool) {
    let mut depth = 0;
    for (at, token) in super::scan::Tokens::of(list) {
        match token {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            "," if depth == 0 => {
                let rest = &list[at + 1..];
                let is_another = super::scan::Tokens::of(rest).next().is_some();
                return (list[..at].trim(), is_another);
            }
            _ => {}
        }
    }
    (list.trim(), false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: Takes) {
        assert_eq!(of(text), expect, "{text}");
    }

    #[test]
    fn one_parameter_is_the_arguments() {
        for text in [
            "function ({ markdown }) {}",
            "function ({ a, b = [1, 2] } = { a: 1, b: 2 }) {}",
            "async (args) => args",
            "args => [args, 1]",
            "async args => args",
            "function named(input /* a, b */) {}",
            "() => 1",
            "async function () { return f(1, 2) }",
            "(a = ',') => a",
            "asynchronous => 1",
            "(args,) => args",
        ] {
            check(text, Takes::Args);
        }
    }

    #[test]
    fn two_parameters_are_btcp_and_the_arguments() {
        for text in [
            "function (btcp, args) {}",
            "async (_, args) => args",
            "(btcp, args = {}) => args",
            "({ fs }, { a }) => a",
            "(btcp) => btcp",
            "btcp => btcp",
            "async function tool(api, ...rest) {}",
        ] {
            check(text, Takes::BtcpAndArgs);
        }
    }
}
