//! Mails with patches: headers that `git format-patch` writes and `git am` reads.

use crate::bytes;

/// Longest line of a header.
const WIDTH: usize = 76;

/// A mail with a patch.
#[derive(Debug, Default)]
pub(crate) struct Mail {
    /// `Name <address>`.
    pub(crate) from: String,
    pub(crate) date: String,
    pub(crate) subject: String,
    pub(crate) body: Vec<u8>,
    pub(crate) patch: Vec<u8>,
}

/// Splits a mailbox; text without a mailbox's lines is one mail.
pub(crate) fn split(data: &[u8]) -> Vec<Vec<u8>> {
    let mut mails: Vec<Vec<u8>> = Vec::new();
    let mut is_after_blank = true;
    for line in bytes::lines(data) {
        if mails.is_empty() || is_after_blank && is_start(line) {
            mails.push(Vec::new());
        }
        if let Some(mail) = mails.last_mut() {
            mail.extend(line);
        }
        is_after_blank = bytes::trim(line).is_empty();
    }
    mails.retain(|mail| !bytes::trim(mail).is_empty());
    mails
}

/// Returns true for the line that begins a mail: `From`, a sender and a time.
fn is_start(line: &[u8]) -> bool {
    line.starts_with(b"From ")
        && line.split(|b| *b == b' ').any(|word| {
            let parts: Vec<&[u8]> = word.split(|b| *b == b':').collect();
            parts.len() == 3 && parts.iter().all(|part| part.len() == 2)
        })
}

/// Reads a mail.
pub(crate) fn parse(data: &[u8], keeps_subject: bool) -> Mail {
    let mut mail = Mail::default();
    let mut headers: Vec<(String, String)> = Vec::new();
    let mut rest = data;
    while !rest.is_empty() {
        let end = rest.iter().position(|b| *b == b'\n').map_or(rest.len(), |at| at + 1);
        let line = bytes::text(rest[..end].trim_ascii_end());
        rest = &rest[end..];
        if line.is_empty() {
            break;
        }
        if line.starts_with("From ") {
            continue;
        }
        match (line.starts_with([' ', '\t']), line.split_once(':')) {
            (true, _) => {
                if let Some((_, value)) = headers.last_mut() {
                    value.push(' ');
                    *value += line.trim();
                }
            }
            (false, Some((name, value))) => {
                headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
            }
            (false, None) => {}
        }
    }
    for (name, value) in headers {
        match name.as_str() {
            "from" => mail.from = decoded(&value),
            "date" => mail.date = value,
            "subject" => mail.subject = decoded(&value),
            _ => {}
        }
    }
    if !keeps_subject {
        mail.subject = without_prefix(&mail.subject).to_owned();
    }
    let is_patch = |line: &[u8]| {
        line == b"---"
            || line.starts_with(b"diff -")
            || line.starts_with(b"Index: ")
            || line.starts_with(b"--- ")
    };
    let mut is_body = true;
    for line in bytes::lines(rest) {
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        is_body &= !is_patch(text.strip_suffix(b"\r").unwrap_or(text));
        // An author in the body stands for that of the mail.
        if !is_body {
            mail.patch.extend(line);
        } else if mail.body.is_empty() && text.starts_with(b"From: ") {
            mail.from = decoded(&bytes::text(&text[6..]));
        } else if !mail.body.is_empty() || !bytes::trim(text).is_empty() {
            mail.body.extend(line);
        }
    }
    mail
}

/// Removes `Re:` and words in brackets from a subject.
fn without_prefix(subject: &str) -> &str {
    let mut rest = subject.trim();
    loop {
        let lower = rest.to_ascii_lowercase();
        if lower.starts_with("re:") {
            rest = rest[3..].trim_start();
        } else if let Some(inside) = rest.strip_prefix('[')
            && let Some(end) = inside.find(']')
        {
            rest = inside[end + 1..].trim_start();
        } else {
            return rest;
        }
    }
}

/// Returns a header with its lines folded, and encoded if it is not ASCII.
pub(crate) fn header(name: &str, value: &str) -> String {
    if !value.is_ascii() {
        // The mark of a patch stays readable.
        let mark = if value.starts_with('[') { value.find("] ").map_or(0, |at| at + 2) } else { 0 };
        let start = name.len() + 2 + mark;
        return format!("{name}: {}{}\n", &value[..mark], encoded(&value[mark..], start));
    }
    let mut out = format!("{name}:");
    let mut length = out.len();
    for word in value.split(' ') {
        if length + 1 + word.len() > WIDTH + 2 && length > name.len() + 1 {
            out += "\n";
            length = 0;
        }
        out.push(' ');
        out += word;
        length += 1 + word.len();
    }
    out + "\n"
}

/// Encodes text as `=?UTF-8?q?…?=`, in lines of at most 76 characters.
fn encoded(value: &str, start: usize) -> String {
    const BEGIN: &str = "=?UTF-8?q?";
    let mut out = BEGIN.to_owned();
    let mut length = start + BEGIN.len();
    for c in value.chars() {
        let mut buffer = [0; 4];
        let text = c.encode_utf8(&mut buffer);
        let is_plain = c.is_ascii_graphic() && !"=?_\"(),.:;<>@[]\\".contains(c)
            || matches!(
                c,
                '.' | ',' | ':' | ';' | '(' | ')' | '[' | ']' | '<' | '>' | '@' | '"' | '\\'
            );
        let piece: String = match is_plain {
            true => text.to_owned(),
            false => text.bytes().map(|byte| format!("={byte:02X}")).collect(),
        };
        if length + piece.len() + 2 > WIDTH {
            out += "?=\n ";
            out += BEGIN;
            length = 1 + BEGIN.len();
        }
        out += &piece;
        length += piece.len();
    }
    out + "?="
}

/// Decodes `=?UTF-8?q?…?=` and `=?UTF-8?b?…?=`.
fn decoded(value: &str) -> String {
    let mut out: Vec<u8> = Vec::new();
    let mut rest = value;
    let mut was_encoded = false;
    while let Some(at) = rest.find("=?") {
        let gap = &rest[..at];
        // White space between two encoded words belongs to neither.
        if !(was_encoded && gap.trim().is_empty()) {
            out.extend(gap.bytes());
        }
        let mut parts = rest[at + 2..].splitn(4, '?');
        let (Some(_), Some(kind), Some(text), Some(after)) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            break;
        };
        let Some(after) = after.strip_prefix('=') else { break };
        match kind {
            "q" | "Q" => out.extend(unquoted(text)),
            _ => out.extend(text.bytes()),
        }
        was_encoded = true;
        rest = after;
    }
    out.extend(rest.bytes());
    bytes::text(&out)
}

fn unquoted(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let hex = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        let byte = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match (first, byte) {
            (b'=', Some(byte)) => {
                out.push(byte);
                rest = &after[2..];
            }
            (b'_', _) => {
                out.push(b' ');
                rest = after;
            }
            _ => {
                out.push(*first);
                rest = after;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_mail_has_its_parts() {
        let data = b"From 0123 Mon Sep 17 00:00:00 2001\nFrom: A <a@b>\nSubject: [PATCH 1/2] long\n line\n\nbody\n---\n f | 1 +\n\ndiff --git a/f b/f\n";
        let mail = parse(data, false);
        assert_eq!((mail.from.as_str(), mail.subject.as_str()), ("A <a@b>", "long line"));
        assert_eq!(mail.body, b"body\n");
        assert!(mail.patch.starts_with(b"---\n"));
    }

    #[test]
    fn names_outside_ascii_are_encoded() {
        let header = header("From", "J\u{fc}rgen <j@x>");
        assert!(header.starts_with("From: =?UTF-8?q?J=C3=BCrgen"), "{header}");
        assert_eq!(decoded("=?UTF-8?q?J=C3=BCrgen=20X?= <j@x>"), "J\u{fc}rgen X <j@x>");
    }

    #[test]
    fn a_mailbox_is_split() {
        let one = "From 0123 Mon Sep 17 00:00:00 2001\nSubject: x\n\nFrom here\n\n";
        assert_eq!(split(format!("{one}{one}").as_bytes()).len(), 2);
    }
}
