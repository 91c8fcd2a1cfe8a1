//! The formats: `@csv`, `@base64` and the others.

use super::json::Json;

pub(super) const NAMES: [&str; 12] = [
    "@text", "@json", "@csv", "@tsv", "@html", "@uri", "@urid", "@sh", "@base64", "@base64d",
    "@base32", "@base32d",
];

/// Returns a value as text in a format.
pub(super) fn apply(name: &str, value: &Json) -> Result<String, String> {
    match name {
        "@text" => Ok(value.plain().to_string()),
        "@json" => Ok(value.text()),
        "@csv" => row(value, "csv", ",", &|text| format!("\"{}\"", text.replace('"', "\"\""))),
        "@tsv" => row(value, "tsv", "\t", &|text| {
            let text = text.replace('\\', "\\\\").replace('\t', "\\t");
            text.replace('\n', "\\n").replace('\r', "\\r")
        }),
        "@html" => Ok(html(&value.plain())),
        "@uri" => Ok(uri(&value.plain())),
        "@urid" => from_uri(&value.plain()),
        "@sh" => shell(value),
        "@base64" => Ok(base64(value.plain().as_bytes())),
        "@base64d" => from_base64(value),
        "@base32" => Ok(base32(value.plain().as_bytes())),
        "@base32d" => from_base32(value),
        other => Err(format!("{} is not a valid format", &other[1..])),
    }
}

fn row(
    value: &Json,
    kind: &str,
    separator: &str,
    quote: &dyn Fn(&str) -> String,
) -> Result<String, String> {
    let Json::Arr(items) = value else {
        return Err(format!(
            "{} cannot be {kind}-formatted, only an array can be",
            value.described()
        ));
    };
    let cells: Result<Vec<String>, String> = items
        .items()
        .iter()
        .map(|cell| match cell {
            Json::Null => Ok(String::new()),
            Json::Bool(_) | Json::Num(..) => Ok(cell.text()),
            Json::Str(text) => Ok(quote(text)),
            Json::Arr(_) | Json::Obj(_) => {
                Err(format!("{} is not valid in a {kind} row", cell.described()))
            }
        })
        .collect();
    Ok(cells?.join(separator))
}

fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\'' => out.push_str("&apos;"),
            '"' => out.push_str("&quot;"),
            other => out.push(other),
        }
    }
    out
}

fn uri(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                out.push(char::from(byte));
            }
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}

fn from_uri(text: &str) -> Result<String, String> {
    let mut out = Vec::new();
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let pair = [bytes.next().unwrap_or(0), bytes.next().unwrap_or(0)];
        let digits = std::str::from_utf8(&pair).ok().and_then(|d| u8::from_str_radix(d, 16).ok());
        out.push(digits.ok_or_else(|| {
            format!("{} is not a valid uri encoding", Json::from(text).described())
        })?);
    }
    Ok(String::from_utf8_lossy(&out).into_owned())
}

fn shell(value: &Json) -> Result<String, String> {
    let items = match value {
        Json::Arr(items) => items.items(),
        other => std::slice::from_ref(other),
    };
    let words: Result<Vec<String>, String> = items
        .iter()
        .map(|item| match item {
            Json::Str(text) => Ok(format!("'{}'", text.replace('\'', "'\\''"))),
            Json::Null | Json::Bool(_) | Json::Num(..) => Ok(item.text()),
            Json::Arr(_) | Json::Obj(_) => {
                Err(format!("{} can not be escaped for shell", item.described()))
            }
        })
        .collect();
    Ok(words?.join(" "))
}

const DIGITS_64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const DIGITS_32: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

fn base64(bytes: &[u8]) -> String {
    encode(bytes, DIGITS_64, 6, 4)
}

fn base32(bytes: &[u8]) -> String {
    encode(bytes, DIGITS_32, 5, 8)
}

/// Encodes bytes in digits of some bits each, padded to groups of digits.
fn encode(bytes: &[u8], digits: &[u8], bits: u32, group: usize) -> String {
    let mut out = String::with_capacity(bytes.len() * 2);
    let (mut held, mut have) = (0_u32, 0);
    for byte in bytes {
        held = (held << 8) | u32::from(*byte);
        have += 8;
        while have >= bits {
            have -= bits;
            out.push(char::from(digits[(held >> have) as usize & (digits.len() - 1)]));
        }
        held &= (1 << have) - 1;
    }
    if have > 0 {
        out.push(char::from(digits[(held << (bits - have)) as usize & (digits.len() - 1)]));
    }
    while !out.len().is_multiple_of(group) {
        out.push('=');
    }
    out
}

fn decode(text: &str, digits: &[u8], bits: u32) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let (mut held, mut have) = (0_u32, 0);
    for byte in text.trim_end_matches('=').bytes() {
        let digit = digits.iter().position(|d| *d == byte)? as u32;
        held = (held << bits) | digit;
        have += bits;
        if have >= 8 {
            have -= 8;
            out.push((held >> have) as u8);
            held &= (1 << have) - 1;
        }
    }
    Some(out)
}

fn from_base64(value: &Json) -> Result<String, String> {
    let text = value.plain();
    let bad = || format!("{} is not valid base64 data", Json::from(&*text).described());
    let bytes = decode(&text, DIGITS_64, 6).ok_or_else(bad)?;
    if bytes.is_empty() && !text.trim_end_matches('=').is_empty() {
        return Err(bad());
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn from_base32(value: &Json) -> Result<String, String> {
    let text = value.plain();
    let bytes = decode(&text, DIGITS_32, 5)
        .ok_or_else(|| format!("{} is not valid base32 data", Json::from(&*text).described()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
