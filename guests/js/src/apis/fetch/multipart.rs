//! Taking apart a `multipart/form-data` body.

use memchr::memmem;
use rquickjs::{Array, Ctx, Function, Object, Result, TypedArray};

use crate::apis::base::bytes::Bytes;
use crate::apis::base::text::Text;

pub fn natives<'js>(ctx: &Ctx<'js>, native: &Object<'js>) -> Result<()> {
    native.set("multipartParse", Function::new(ctx.clone(), parse_for_js)?)
}

/// Returns `[[name, filename?, type?, bytes], …]`; `None` if the body is malformed.
fn parse_for_js<'js>(ctx: Ctx<'js>, body: Bytes, boundary: Text) -> Result<Option<Array<'js>>> {
    let Some(parts) = parse(&body.0, &boundary.0) else { return Ok(None) };
    let list = Array::new(ctx.clone())?;
    for (index, part) in parts.into_iter().enumerate() {
        let entry = Array::new(ctx.clone())?;
        entry.set(0, part.name)?;
        entry.set(1, part.filename)?;
        entry.set(2, part.content_type)?;
        entry.set(3, TypedArray::<u8>::new_copy(ctx.clone(), part.content)?)?;
        list.set(index, entry)?;
    }
    Ok(Some(list))
}

struct Part<'a> {
    name: String,
    filename: Option<String>,
    content_type: Option<String>,
    content: &'a [u8],
}

fn parse<'a>(body: &'a [u8], boundary: &str) -> Option<Vec<Part<'a>>> {
    let first = format!("--{boundary}");
    let later = format!("\r\n--{boundary}");
    let start = memmem::find(body, first.as_bytes())?;
    let mut rest = &body[start + first.len()..];
    let mut parts = Vec::new();
    loop {
        if rest.starts_with(b"--") {
            return Some(parts);
        }
        rest = rest.strip_prefix(b"\r\n")?;
        let (head, after) = split_once(rest, b"\r\n\r\n")?;
        let (content, next) = split_once(after, later.as_bytes())?;
        parts.push(read_part(head, content)?);
        rest = next;
    }
}

fn split_once<'a>(bytes: &'a [u8], mark: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let at = memmem::find(bytes, mark)?;
    Some((&bytes[..at], &bytes[at + mark.len()..]))
}

fn read_part<'a>(head: &[u8], content: &'a [u8]) -> Option<Part<'a>> {
    let head = String::from_utf8_lossy(head);
    let mut name = None;
    let mut filename = None;
    let mut content_type = None;
    for line in head.split("\r\n") {
        let (field, value) = line.split_once(':')?;
        if field.eq_ignore_ascii_case("content-disposition") {
            name = parameter(value, "name");
            filename = parameter(value, "filename");
        } else if field.eq_ignore_ascii_case("content-type") {
            content_type = Some(value.trim().to_owned());
        }
    }
    Some(Part { name: name?, filename, content_type, content })
}

/// Returns the value of `; key="…"`, quoted or not, with the escapes of browsers undone.
fn parameter(value: &str, key: &str) -> Option<String> {
    let mut rest = value;
    while let Some(at) = rest.find(';') {
        rest = rest[at + 1..].trim_start();
        let Some(after) = rest.strip_prefix(key).and_then(|after| after.strip_prefix('=')) else {
            continue;
        };
        let raw = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"')?.0,
            None => after.split(';').next()?.trim(),
        };
        return Some(raw.replace("%0A", "\n").replace("%0D", "\r").replace("%22", "\""));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::parse;

    fn names(body: &str) -> Option<Vec<String>> {
        let parts = parse(body.as_bytes(), "b")?;
        Some(parts.into_iter().map(|part| part.name).collect())
    }

    const HEAD: &str = "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n";

    #[test]
    fn a_part_ends_at_the_boundary() {
        assert_eq!(names(&format!("{HEAD}x\r\n--b--\r\n")), Some(vec!["a".into()]));
    }

    #[test]
    fn a_body_without_its_last_boundary_is_malformed() {
        assert_eq!(names(&format!("{HEAD}x\r\n")), None);
        assert_eq!(names(&format!("{HEAD}x\r\n--b")), None);
        assert_eq!(names(""), None);
    }

    #[test]
    fn a_part_without_a_name_is_malformed() {
        assert_eq!(names("--b\r\nContent-Type: text/plain\r\n\r\nx\r\n--b--"), None);
    }
}
