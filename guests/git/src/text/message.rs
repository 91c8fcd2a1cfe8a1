//! Clean-up of commit messages.

/// Removes comments, blank lines at both ends, repeated blank lines and spaces at line ends.
pub(crate) fn cleaned(message: &[u8], has_comments: bool) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::new();
    let mut blank = false;
    for line in message.split(|b| *b == b'\n') {
        if has_comments && line.starts_with(b"#") {
            continue;
        }
        let line = line.trim_ascii_end();
        if line.is_empty() {
            blank = !out.is_empty();
            continue;
        }
        if std::mem::take(&mut blank) {
            out.push(b'\n');
        }
        out.extend_from_slice(line);
        out.push(b'\n');
    }
    out
}

/// Adds a trailer such as `Signed-off-by:` unless the message ends with it.
pub(crate) fn with_trailer(message: &[u8], trailer: &[u8]) -> Vec<u8> {
    let mut out = message.to_vec();
    let last = message.trim_ascii_end().rsplit(|b| *b == b'\n').next().unwrap_or_default();
    if last == trailer {
        return out;
    }
    let is_trailer = |line: &[u8]| {
        let name = line.split(|b| *b == b':').next().unwrap_or_default();
        name.len() < line.len() && !name.is_empty() && !name.contains(&b' ')
    };
    let has_paragraphs = message.trim_ascii_end().windows(2).any(|pair| pair == b"\n\n");
    if !(is_trailer(last) && has_paragraphs) {
        out.push(b'\n');
    }
    out.extend_from_slice(trailer);
    out.push(b'\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_cleaned() {
        assert_eq!(cleaned(b"\n\na  \n\n\n# c\nb\n\n", true), b"a\n\nb\n");
        assert_eq!(cleaned(b"# a\n", false), b"# a\n");
        assert_eq!(cleaned(b" \n", true), b"");
    }

    #[test]
    fn trailers_share_a_paragraph() {
        assert_eq!(with_trailer(b"a\n", b"S: x"), b"a\n\nS: x\n");
        assert_eq!(with_trailer(b"a\n\nT: y\n", b"S: x"), b"a\n\nT: y\nS: x\n");
        assert_eq!(with_trailer(b"a\n\nS: x\n", b"S: x"), b"a\n\nS: x\n");
    }
}
