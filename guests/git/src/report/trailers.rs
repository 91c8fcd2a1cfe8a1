//! Trailers of messages, such as `Signed-off-by`, and `%(trailers:…)`.

use crate::bytes;

/// Returns the lines of the last paragraph if they are trailers; a line that begins with white
/// space belongs to the one before it.
pub(crate) fn of(message: &[u8]) -> Vec<Vec<u8>> {
    let message = message.trim_ascii_end();
    let Some(start) = message.windows(2).rposition(|pair| pair == b"\n\n") else {
        return Vec::new();
    };
    let mut found: Vec<Vec<u8>> = Vec::new();
    let mut others = 0;
    for line in bytes::lines(&message[start + 2..]) {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        match found.last_mut() {
            Some(last) if line.starts_with(b" ") || line.starts_with(b"\t") => {
                last.push(b'\n');
                last.extend(line);
            }
            _ if key(line).is_some() => found.push(line.to_vec()),
            _ => others += 1,
        }
    }
    // A paragraph of text may contain a colon; one that git writes makes it a list of trailers.
    let is_git_s = |line: &Vec<u8>| {
        line.starts_with(b"Signed-off-by: ") || line.starts_with(b"(cherry picked from commit ")
    };
    let is_list = others == 0 || found.iter().any(is_git_s) && found.len() * 3 >= others;
    if is_list { found } else { Vec::new() }
}

/// Returns the key of a trailer.
pub(crate) fn key(line: &[u8]) -> Option<&[u8]> {
    let end = line.iter().position(|b| *b == b':')?;
    let key = line[..end].trim_ascii_end();
    let is_key = !key.is_empty() && key.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'-');
    is_key.then_some(key)
}

/// Formats the trailers of a message as `%(trailers:…)` asks for; `None` if it asks for something
/// unknown.
pub(crate) fn format(message: &[u8], arguments: &str) -> Option<Vec<u8>> {
    let (mut keys, mut has_keys, mut has_values) = (Vec::new(), true, true);
    let (mut separator, mut between, mut unfolds) = (None, b": ".to_vec(), false);
    for argument in arguments.split(',').filter(|argument| !argument.is_empty()) {
        let (name, value) = argument.split_once('=').unwrap_or((argument, ""));
        let is_on = !matches!(value, "no" | "false" | "off");
        match name {
            "key" => keys.push(value.trim_end_matches(':').to_ascii_lowercase()),
            "separator" => separator = Some(unescaped(value)),
            "key_value_separator" => between = unescaped(value),
            "valueonly" => has_keys = !is_on,
            "keyonly" => has_values = !is_on,
            "unfold" => unfolds = is_on,
            "only" => {}
            _ => return None,
        }
    }
    let mut out = Vec::new();
    for line in of(message) {
        let Some(name) = key(&line) else { continue };
        let is_wanted = keys.is_empty()
            || keys.iter().any(|key| key.as_bytes() == name.to_ascii_lowercase().as_slice());
        if !is_wanted {
            continue;
        }
        let colon = line.iter().position(|b| *b == b':').unwrap_or(line.len());
        let mut value = line.get(colon + 1..).unwrap_or_default().trim_ascii().to_vec();
        if unfolds {
            let words = value.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
            value = words.collect::<Vec<_>>().join(&b' ');
        }
        if let Some(separator) = separator.as_ref().filter(|_| !out.is_empty()) {
            out.extend(separator);
        }
        if has_keys {
            out.extend(name);
        }
        if has_keys && has_values {
            out.extend(&between);
        }
        if has_values {
            out.extend(value);
        }
        if separator.is_none() {
            out.push(b'\n');
        }
    }
    Some(out)
}

/// Decodes `%x2C` and `%n`.
fn unescaped(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let hex = after.strip_prefix(b"x").and_then(|hex| std::str::from_utf8(hex.get(..2)?).ok());
        let byte = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match (first, byte, after.first()) {
            (b'%', Some(byte), _) => {
                out.push(byte);
                rest = &after[3..];
            }
            (b'%', None, Some(b'n')) => {
                out.push(b'\n');
                rest = &after[1..];
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
    fn trailers_are_the_last_paragraph() {
        let message = b"s\n\nbody: text\n\nSigned-off-by: A <a@b>\nCo-authored-by: C <c@d>\n";
        let check = |arguments: &str, expect: &str| {
            let found = format(message, arguments).unwrap();
            assert_eq!(String::from_utf8(found).unwrap(), expect, "{arguments}");
        };
        check("", "Signed-off-by: A <a@b>\nCo-authored-by: C <c@d>\n");
        check("key=co-authored-by,valueonly", "C <c@d>\n");
        check("only,separator=%x2C ", "Signed-off-by: A <a@b>, Co-authored-by: C <c@d>");
        assert!(of(b"subject: only").is_empty());
        assert!(of(b"s\n\nsome text\nwith a: colon").is_empty());
    }
}
