//! Builds the body of a request: data, forms, files.

use std::fs::File;
use std::io::Read;
use std::os::fd::AsRawFd;

use super::settings::{Piece, Settings};
use super::{Failure, code};
use crate::output::{Input, reason};

/// Longest body that is put together in memory.
const MAX_BODY: usize = 10 << 20;

/// Separates the parts of a form. A number is appended if a part contains it.
const BOUNDARY: &str = "------------------------cofferdam";

/// Bytes that are read before a body is sent in pieces. A shorter body has a known length, which
/// more servers accept.
const MAX_GATHERED: u64 = 64 << 10;

/// The body of a request.
#[derive(Default)]
pub(super) struct Body {
    /// Bytes that are known before the request is sent.
    pub(super) bytes: Vec<u8>,
    /// The file, or standard input, whose rest follows. The host reads it while it sends.
    pub(super) rest: Option<Rest>,
}

/// See [`Body::rest`].
pub(super) enum Rest {
    Stdin,
    File(File),
}

impl Rest {
    fn open(name: &str) -> Result<Self, Failure> {
        match name {
            "-" => Ok(Rest::Stdin),
            name => File::open(name).map(Rest::File).map_err(|e| unreadable(name, &e)),
        }
    }

    /// Reads up to `most` bytes.
    fn read(&mut self, most: u64) -> std::io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        match self {
            Rest::Stdin => Input.take(most).read_to_end(&mut bytes),
            Rest::File(file) => file.take(most).read_to_end(&mut bytes),
        }?;
        Ok(bytes)
    }

    /// Returns the number of the descriptor.
    pub(super) fn number(&self) -> Option<u32> {
        let number = match self {
            Rest::Stdin => 0,
            Rest::File(file) => file.as_raw_fd(),
        };
        u32::try_from(number).ok()
    }
}

impl From<Vec<u8>> for Body {
    fn from(bytes: Vec<u8>) -> Self {
        Body { bytes, rest: None }
    }
}

/// URL, body and content type.
type Sent = (String, Option<Body>, Option<String>);

/// Returns the final URL of a request, its body and its content type.
pub(super) fn of(settings: &Settings, url: String) -> Result<Sent, Failure> {
    if let Some(file) = &settings.upload {
        // A URL that ends with a slash gets the file name appended.
        let name = file.rsplit('/').next().unwrap_or(file);
        let url = if url.ends_with('/') && file != "-" { format!("{url}{name}") } else { url };
        let rest = Some(Rest::open(file)?);
        return Ok((url, Some(Body { rest, ..Body::default() }), None));
    }
    if !settings.form.is_empty() {
        let (bytes, boundary) = form(&settings.form)?;
        let kind = format!("multipart/form-data; boundary={boundary}");
        return Ok((url, Some(bytes.into()), Some(kind)));
    }
    if settings.pieces.is_empty() {
        return Ok((url, None, None));
    }
    if settings.as_query {
        let data = String::from_utf8_lossy(&data(&settings.pieces)?).into_owned();
        let sign = if url.contains('?') { '&' } else { '?' };
        return Ok((format!("{url}{sign}{data}"), None, None));
    }
    let kind = match settings.is_json() {
        true => "application/json",
        false => "application/x-www-form-urlencoded",
    };
    let body = match settings.pieces.as_slice() {
        // A file that is sent as it is need not be in memory.
        [Piece::Binary(name) | Piece::Json(name)] if name.starts_with(b"@") => {
            let name = String::from_utf8_lossy(&name[1..]).into_owned();
            let mut rest = Rest::open(&name)?;
            let bytes = rest.read(MAX_GATHERED).map_err(|e| unreadable(&name, &e))?;
            let rest = (bytes.len() as u64 == MAX_GATHERED).then_some(rest);
            Body { bytes, rest }
        }
        pieces => data(pieces)?.into(),
    };
    Ok((url, Some(body), Some(kind.to_owned())))
}

fn unreadable(file: &str, error: &std::io::Error) -> Failure {
    Failure::new(code::READ, format!("Failed to open {file}: {}", reason(error)))
}

fn data(pieces: &[Piece]) -> Result<Vec<u8>, Failure> {
    let mut all = Vec::new();
    for piece in pieces {
        let bytes = match piece {
            Piece::Raw(bytes) => bytes.clone(),
            Piece::Plain(bytes) => match file_of(bytes) {
                Some(file) => {
                    let mut bytes = read(&file)?;
                    bytes.retain(|byte| !matches!(byte, b'\n' | b'\r' | 0));
                    bytes
                }
                None => bytes.clone(),
            },
            Piece::Binary(bytes) | Piece::Json(bytes) => match file_of(bytes) {
                Some(file) => read(&file)?,
                None => bytes.clone(),
            },
            Piece::Encoded(bytes) => encoded(bytes)?,
        };
        // JSON pieces are concatenated without a separator.
        if !all.is_empty() && !matches!(piece, Piece::Json(_)) {
            all.push(b'&');
        }
        all.extend_from_slice(&bytes);
        fits(&all)?;
    }
    Ok(all)
}

fn file_of(bytes: &[u8]) -> Option<String> {
    bytes.strip_prefix(b"@").map(|file| String::from_utf8_lossy(file).into_owned())
}

/// Encodes `content`, `=content`, `name=content`, `@file` or `name@file`.
fn encoded(bytes: &[u8]) -> Result<Vec<u8>, Failure> {
    let at = bytes.iter().position(|byte| matches!(byte, b'=' | b'@'));
    let (name, content) = match at {
        Some(at) if bytes[at] == b'=' => (&bytes[..at], bytes[at + 1..].to_vec()),
        Some(at) => (&bytes[..at], read(&String::from_utf8_lossy(&bytes[at + 1..]))?),
        None => (&[][..], bytes.to_vec()),
    };
    let mut out = name.to_vec();
    if !name.is_empty() {
        out.push(b'=');
    }
    for byte in content {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => out.push(byte),
            byte => out.extend_from_slice(format!("%{byte:02X}").as_bytes()),
        }
    }
    Ok(out)
}

/// Builds a multipart form; returns the body and its boundary.
fn form(parts: &[Vec<u8>]) -> Result<(Vec<u8>, String), Failure> {
    let mut read_parts = Vec::new();
    for part in parts {
        let Some(at) = part.iter().position(|byte| *byte == b'=') else {
            return Err(Failure::new(code::USAGE, "-F: a part is NAME=VALUE"));
        };
        let name = quoted(&String::from_utf8_lossy(&part[..at]));
        let (value, options) = options(&String::from_utf8_lossy(&part[at + 1..]));
        let option = |wanted: &str| {
            options.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.clone())
        };
        let mut head = format!("Content-Disposition: form-data; name=\"{name}\"");
        let content = match (value.strip_prefix('@'), value.strip_prefix('<')) {
            (Some(file), _) => {
                let usual = || file.rsplit('/').next().unwrap_or(file).to_owned();
                let shown = option("filename").unwrap_or_else(usual);
                head += &format!("; filename=\"{}\"", quoted(&shown));
                let kind = option("type").unwrap_or_else(|| "application/octet-stream".to_owned());
                head += &format!("\r\nContent-Type: {kind}");
                read(file)?
            }
            (None, Some(file)) => read(file)?,
            (None, None) => {
                if let Some(kind) = option("type") {
                    head += &format!("\r\nContent-Type: {kind}");
                }
                value.into_bytes()
            }
        };
        read_parts.push((head, content));
    }
    let mut boundary = BOUNDARY.to_owned();
    let mut number = 0;
    while read_parts.iter().any(|(_, content)| {
        content.windows(boundary.len()).any(|window| window == boundary.as_bytes())
    }) {
        number += 1;
        boundary = format!("{BOUNDARY}{number}");
    }
    let mut all = Vec::new();
    for (head, content) in read_parts {
        all.extend_from_slice(format!("--{boundary}\r\n{head}\r\n\r\n").as_bytes());
        all.extend_from_slice(&content);
        all.extend_from_slice(b"\r\n");
        fits(&all)?;
    }
    all.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    Ok((all, boundary))
}

/// Splits `value;type=…;filename=…` into the value and its options.
fn options(text: &str) -> (String, Vec<(String, String)>) {
    let mut parts = text.split(';');
    let mut value = parts.next().unwrap_or_default().to_owned();
    let mut options = Vec::new();
    for part in parts {
        match part.trim().split_once('=') {
            Some((name @ ("type" | "filename"), of)) => {
                options.push((name.to_owned(), of.trim_matches('"').to_owned()));
            }
            // Not a known option, so the semicolon is part of the value.
            _ => {
                value.push(';');
                value += part;
            }
        }
    }
    (value, options)
}

fn quoted(text: &str) -> String {
    text.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A")
}

fn read(file: &str) -> Result<Vec<u8>, Failure> {
    let bytes = Rest::open(file)?.read(MAX_BODY as u64 + 1).map_err(|e| unreadable(file, &e))?;
    fits(&bytes)?;
    Ok(bytes)
}

fn fits(bytes: &[u8]) -> Result<(), Failure> {
    if bytes.len() <= MAX_BODY {
        return Ok(());
    }
    Err(Failure::new(code::SEND, format!("more than {MAX_BODY} bytes to send")))
}

/// Encodes bytes in base64, for basic authentication.
pub(super) fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * at)) as usize & 63];
            text.push(if at <= chunk.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_padded() {
        for (bytes, text) in [("", ""), ("a", "YQ=="), ("ab", "YWI="), ("a:b", "YTpi")] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }

    #[test]
    fn pieces_are_joined_and_encoded() {
        let pieces = [Piece::Plain(b"a=1".to_vec()), Piece::Encoded(b"b=x y&z".to_vec())];
        assert_eq!(data(&pieces).ok().unwrap(), b"a=1&b=x%20y%26z");
        let pieces = [Piece::Raw(b"@a".to_vec())];
        assert_eq!(data(&pieces).ok().unwrap(), b"@a");
        let pieces = [Piece::Json(b"{\"a\":".to_vec()), Piece::Json(b"1}".to_vec())];
        assert_eq!(data(&pieces).ok().unwrap(), b"{\"a\":1}");
    }

    #[test]
    fn a_form_has_its_parts_and_no_part_can_end_it() {
        let (bytes, boundary) =
            form(&[format!("a=1;b--{BOUNDARY}").into_bytes()]).ok().expect("a form");
        let text = String::from_utf8(bytes).unwrap();
        assert_ne!(boundary, BOUNDARY);
        assert!(text.contains("name=\"a\"\r\n\r\n1;b--"), "{text}");
        assert!(text.ends_with(&format!("--{boundary}--\r\n")), "{text}");
    }
}
