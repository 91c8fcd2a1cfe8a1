//! Prompt strings: backslash escapes and expansions.

use crate::shell::value::{Value, flag};
use crate::shell::{Flow, Shell};
use crate::syntax::ast::Text;

impl Shell {
    /// Returns the time zone for `TZ`, if it is exported.
    pub fn zone(&self) -> Option<String> {
        let var = self.var(b"TZ").filter(|var| var.has(flag::EXPORT))?;
        match &var.value {
            Value::Scalar(value) => Some(String::from_utf8_lossy(value).into_owned()),
            _ => None,
        }
    }

    fn clock(&self, format: &[u8]) -> Text {
        let now = crate::shell::dynamic::now().as_secs() as i64;
        cofferdam_guest_sys::calendar::in_zone(format, now, self.zone().as_deref())
    }

    /// Adds text that the expansion of variables must leave alone.
    fn guard(&self, text: &[u8], out: &mut Text) {
        for c in text {
            if self.options.promptvars() && matches!(c, b'$' | b'`' | b'\\') {
                out.push(b'\\');
            }
            out.push(*c);
        }
    }

    /// Expands a prompt string for display.
    pub fn prompt(&mut self, text: &[u8]) -> Result<Text, Flow> {
        let mut out = Vec::new();
        let mut at = 0;
        while at < text.len() {
            if text[at] != b'\\' || at + 1 == text.len() {
                out.push(text[at]);
                at += 1;
                continue;
            }
            at += 2;
            match text[at - 1] {
                b'u' => {
                    let name: &[u8] = if self.user() == 0 { b"root" } else { b"user" };
                    out.extend_from_slice(&self.get(b"USER").unwrap_or_else(|| name.to_vec()))
                }
                b'h' | b'H' => out.extend_from_slice(&self.get(b"HOSTNAME").unwrap_or_default()),
                b'w' | b'W' => {
                    let home = self.get(b"HOME").unwrap_or_default();
                    let shown = match self.cwd.strip_prefix(home.as_slice()) {
                        Some(rest) if !home.is_empty() && (rest.is_empty() || rest[0] == b'/') => {
                            [b"~", rest].concat()
                        }
                        _ => self.cwd.clone(),
                    };
                    if text[at - 1] == b'W' && shown != b"/" {
                        let last = shown.rsplit(|c| *c == b'/').next().unwrap_or(b"");
                        self.guard(last, &mut out);
                    } else {
                        let kept = self.get(b"PROMPT_DIRTRIM");
                        let kept = kept.and_then(|n| std::str::from_utf8(&n).ok()?.parse().ok());
                        self.guard(&trimmed(shown, kept.unwrap_or(0)), &mut out);
                    }
                }
                b'$' => self.guard(if self.user() == 0 { b"#" } else { b"$" }, &mut out),
                b'n' => out.push(b'\n'),
                b'r' => out.push(b'\r'),
                b'a' => out.push(7),
                b'e' => out.push(27),
                b's' => out.extend_from_slice(b"bash"),
                b'v' => out.extend_from_slice(b"5.2"),
                b'V' => out.extend_from_slice(b"5.2.15"),
                b'j' => out.extend_from_slice(self.jobs.count().to_string().as_bytes()),
                b't' => out.extend_from_slice(&self.clock(b"%H:%M:%S")),
                b'T' => out.extend_from_slice(&self.clock(b"%I:%M:%S")),
                b'@' => out.extend_from_slice(&self.clock(b"%I:%M %p")),
                b'A' => out.extend_from_slice(&self.clock(b"%H:%M")),
                b'd' => out.extend_from_slice(&self.clock(b"%a %b %d")),
                b'D' if text.get(at) == Some(&b'{') => {
                    let end = text[at..].iter().position(|c| *c == b'}').unwrap_or(text.len() - at);
                    let format = &text[at + 1..at + end];
                    out.extend_from_slice(&self.clock(if format.is_empty() {
                        b"%X"
                    } else {
                        format
                    }));
                    at = (at + end + 1).min(text.len());
                }
                b'l' => out.extend_from_slice(b"tty"),
                b'!' => out.extend_from_slice(self.history.current().to_string().as_bytes()),
                b'#' => {
                    let number = if self.command_string.is_some() { 0 } else { self.commands };
                    out.extend_from_slice(number.to_string().as_bytes());
                }
                b'[' | b']' => {}
                b'"' if self.options.promptvars() => out.push(b'"'),
                // The expansion of variables removes one of two backslashes, as in double quotes.
                b'\\' => out.push(b'\\'),
                b'0'..=b'7' => {
                    let (bytes, len) = crate::syntax::quote::escape(
                        &text[at - 2..],
                        crate::syntax::quote::Flavour::Printf,
                    );
                    out.extend_from_slice(&bytes);
                    at = at - 2 + len;
                }
                c => out.extend_from_slice(&[b'\\', c]),
            }
        }
        if !self.options.promptvars() {
            return Ok(out);
        }
        match crate::syntax::parse_quoted(&out) {
            Ok(word) => self.expand_quoted(&word),
            Err(_) => Ok(out),
        }
    }
}

/// Shortens a path to its last `kept` names, as `PROMPT_DIRTRIM` asks; 0 keeps all of them.
fn trimmed(path: Text, kept: usize) -> Text {
    let (front, names) = match path.strip_prefix(b"~") {
        Some(rest) => (&b"~"[..], rest),
        None => (&b""[..], path.as_slice()),
    };
    let names: Vec<&[u8]> = names.split(|c| *c == b'/').filter(|name| !name.is_empty()).collect();
    if kept == 0 || names.len() <= kept {
        return path;
    }
    let last = names[names.len() - kept..].join(&b'/');
    let slash: &[u8] = if front.is_empty() { b"" } else { b"/" };
    [front, slash, b".../", &last].concat()
}
