//! Formats the output of `-w` at the end of a transfer.

use super::Transfer;

/// Expands a format: `%{name}`, `%%`, and `\n`, `\r`, `\t`.
pub(super) fn text(format: &str, done: &Transfer, code: i32, message: &str) -> Vec<u8> {
    let mut out = String::new();
    let mut rest = format;
    while let Some(at) = rest.find(['%', '\\']) {
        out += &rest[..at];
        let (sign, after) = rest[at..].split_at(1);
        rest = after;
        if sign == "\\" {
            let (letter, unescaped) = match after.chars().next() {
                Some('n') => (1, "\n"),
                Some('r') => (1, "\r"),
                Some('t') => (1, "\t"),
                _ => (0, "\\"),
            };
            out += unescaped;
            rest = &after[letter..];
        } else if let Some(doubled) = after.strip_prefix('%') {
            out.push('%');
            rest = doubled;
        } else if let Some((name, after)) =
            after.strip_prefix('{').and_then(|rest| rest.split_once('}'))
        {
            rest = after;
            match variable(name, done, code, message) {
                Some(value) => out += &value,
                None => eprintln!("curl: unknown --write-out variable: '{name}'"),
            }
        } else {
            out.push('%');
        }
    }
    out += rest;
    out.into_bytes()
}

fn variable(name: &str, done: &Transfer, code: i32, message: &str) -> Option<String> {
    let header = |wanted: &str| {
        let found = done.head.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted));
        found.map_or_else(String::new, |(_, value)| value.clone())
    };
    if let Some(wanted) = name.strip_prefix("header:") {
        return Some(header(wanted));
    }
    Some(match name {
        "http_code" | "response_code" => format!("{:03}", done.head.status),
        "size_download" => done.received.to_string(),
        "size_upload" => done.sent.to_string(),
        "url" => done.url.clone(),
        "url_effective" if done.head.url.is_empty() => done.url.clone(),
        "url_effective" => done.head.url.clone(),
        "redirect_url" => header("location"),
        "content_type" => header("content-type"),
        "num_headers" => done.head.headers.len().to_string(),
        "method" => done.method.clone(),
        "filename_effective" => done.file.clone(),
        "http_version" => "1.1".to_owned(),
        "scheme" => done.url.split("://").next().unwrap_or_default().to_owned(),
        "exitcode" => code.to_string(),
        "errormsg" => message.to_owned(),
        "time_total" => format!("{:.6}", done.seconds),
        "speed_download" => {
            format!("{:.0}", done.received as f64 / done.seconds.max(f64::EPSILON))
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_escapes_and_signs() {
        let mut done = Transfer { received: 7, ..Transfer::default() };
        done.head.status = 404;
        done.head.headers = vec![("content-type".into(), "text/plain".into())];
        let check = |format: &str, expect: &str| {
            assert_eq!(String::from_utf8(text(format, &done, 22, "no")).unwrap(), expect);
        };
        check("%{http_code} %{size_download}\\n", "404 7\n");
        check("100%% %{content_type}\\t\\x", "100% text/plain\t\\x");
        check("%{exitcode} %{errormsg} %{header:Content-Type}", "22 no text/plain");
        check("%{unknown}|%x|%", "|%x|%");
    }
}
