//! Bracket expressions of regular expressions: `[a-z[:digit:]]`.

use super::translate::Aim;

/// A parsed bracket expression.
pub(crate) struct Bracket {
    negated: bool,
    ranges: Vec<(char, char)>,
    classes: Vec<&'static Class>,
    /// Position after the closing bracket.
    pub(crate) end: usize,
}

struct Class {
    name: &'static str,
    ascii: &'static str,
    wide: &'static str,
}

const fn class(name: &'static str, ascii: &'static str, wide: &'static str) -> Class {
    Class { name, ascii, wide }
}

const CLASSES: &[Class] = &[
    class("alpha", "a-zA-Z", "\\p{Alphabetic}"),
    class("digit", "0-9", "0-9"),
    class("alnum", "a-zA-Z0-9", "\\p{Alphabetic}\\p{Nd}"),
    class("upper", "A-Z", "\\p{Uppercase}"),
    class("lower", "a-z", "\\p{Lowercase}"),
    class("space", "\\t\\n\\x0b\\x0c\\r ", "\\s"),
    class("blank", "\\t ", "\\t\\p{Zs}"),
    class("punct", "!-/:-@\\[-`{-~", "!-/:-@\\[-`{-~\\p{P}\\p{S}"),
    class("print", " -~", "\\P{C}"),
    class("graph", "!-~", "[\\P{C}--\\s]"),
    class("cntrl", "\\x00-\\x1f\\x7f", "\\p{Cc}"),
    class("xdigit", "0-9A-Fa-f", "0-9A-Fa-f"),
];

const UNMATCHED: &str = "Unmatched [, [^, [:, [., or [=";

/// Parses a bracket expression; `from` is the position after the opening bracket.
pub(crate) fn parse(chars: &[char], from: usize, escapes: bool) -> Result<Bracket, &'static str> {
    let mut at = from;
    let negated = chars.get(at) == Some(&'^');
    at += usize::from(negated);
    let first = at;
    let mut bracket = Bracket { negated, ranges: Vec::new(), classes: Vec::new(), end: 0 };
    loop {
        let c = *chars.get(at).ok_or(UNMATCHED)?;
        if c == ']' && at > first {
            bracket.end = at + 1;
            return Ok(bracket);
        }
        if c == '[' && chars.get(at + 1) == Some(&':') {
            let close = find(chars, at + 2, ':').ok_or(UNMATCHED)?;
            let name: String = chars[at + 2..close].iter().collect();
            let class = CLASSES.iter().find(|class| class.name == name);
            bracket.classes.push(class.ok_or("Invalid character class name")?);
            at = close + 2;
            continue;
        }
        let (low, next) = element(chars, at, escapes)?;
        at = next;
        let is_range =
            chars.get(at) == Some(&'-') && chars.get(at + 1).is_some_and(|next| *next != ']');
        if is_range {
            let (high, next) = element(chars, at + 1, escapes)?;
            if high < low {
                return Err("Invalid range end");
            }
            bracket.ranges.push((low, high));
            at = next;
        } else {
            bracket.ranges.push((low, low));
        }
    }
}

/// Parses one character, also in the form `[.x.]` or `[=x=]`; returns it and the position after it.
fn element(chars: &[char], at: usize, escapes: bool) -> Result<(char, usize), &'static str> {
    let c = *chars.get(at).ok_or(UNMATCHED)?;
    if c == '['
        && let Some(mark @ ('.' | '=')) = chars.get(at + 1).copied()
    {
        let close = find(chars, at + 2, mark).ok_or(UNMATCHED)?;
        return match &chars[at + 2..close] {
            [one] => Ok((*one, close + 2)),
            _ => Err("Invalid collation character"),
        };
    }
    if c != '\\' || !escapes {
        return Ok((c, at + 1));
    }
    let Some(next) = chars.get(at + 1).copied() else { return Err(UNMATCHED) };
    let literal = match next {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'f' => '\x0c',
        'v' => '\x0b',
        'a' => '\x07',
        'b' => '\x08',
        other => other,
    };
    Ok((literal, at + 2))
}

fn find(chars: &[char], from: usize, mark: char) -> Option<usize> {
    (from..chars.len().saturating_sub(1)).find(|&i| chars[i] == mark && chars[i + 1] == ']')
}

impl Bracket {
    /// Writes the expression in the syntax of the `regex` crate.
    pub(crate) fn write(&self, aim: Aim) -> String {
        let mut text = String::from(if self.negated { "[^" } else { "[" });
        let mut empty = true;
        for &(low, high) in &self.ranges {
            if !aim.unicode && !low.is_ascii() {
                continue;
            }
            let high = if aim.unicode { high } else { high.min('\x7f') };
            text.push_str(&format!("\\x{{{:x}}}-\\x{{{:x}}}", low as u32, high as u32));
            empty = false;
        }
        for class in &self.classes {
            text.push_str(if aim.unicode { class.wide } else { class.ascii });
            empty = false;
        }
        if empty {
            // All listed characters are outside ASCII and cannot occur in ASCII text.
            return if self.negated { not_newline(aim) } else { "[a&&b]".to_owned() };
        }
        if self.negated && aim.lines {
            text.push_str("\\n]");
            return text;
        }
        text.push(']');
        if aim.lines && self.classes.iter().any(|class| class.name == "space") {
            return format!("[{text}--\\n]");
        }
        text
    }
}

fn not_newline(aim: Aim) -> String {
    if aim.lines { "[^\\n]".to_owned() } else { "(?s:.)".to_owned() }
}
