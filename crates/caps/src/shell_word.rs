//! Quoting of hostile text for a shell, in hints that people paste.

use crate::visible::visible;

/// Returns `text` as one word of a POSIX shell that means exactly this text.
///
/// The result is a single printable line: text with control, direction or invisible characters
/// becomes a `$'…'` word, which bash and zsh read back as the same text. A shell that does not know
/// that form reads another word, and still runs nothing.
pub fn shell_word(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    if visible(text) == text {
        return format!("'{}'", text.replace('\'', r"'\''"));
    }
    let mut word = String::from("$'");
    for c in text.chars() {
        match c {
            // Written as numbers, so that the quotes around stay in pairs in every shell.
            '\'' | '\\' => word += &format!("\\x{:02x}", u32::from(c)),
            c if visible(c.encode_utf8(&mut [0; 4])) == *c.encode_utf8(&mut [0; 4]) => word.push(c),
            c if c.is_ascii() => word += &format!("\\{:03o}", u32::from(c)),
            c => word += &format!("\\U{:08x}", u32::from(c)),
        }
    }
    word + "'"
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Has a shell print the word, followed by a full stop.
    fn read_by(shell: &str, text: &str) -> String {
        let script = format!("printf '%s.' {}", shell_word(text));
        let mut command = std::process::Command::new(shell);
        let output = command.env("LC_ALL", "C.UTF-8").args(["-c", &script]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    const HOSTILE: [&str; 12] = [
        "fs:read:/x'; touch pwned; echo '",
        "$(touch pwned)",
        "`touch pwned`",
        "a b\"c",
        "!!",
        "",
        "#a",
        "~",
        "*",
        "\\",
        "a\\'",
        "é…",
    ];

    #[test]
    fn shells_read_the_text_back() {
        for text in HOSTILE {
            assert_eq!(read_by("sh", text), format!("{text}."), "{text:?}");
        }
        for text in ["a\nb", "\u{1b}[2J", "a'\u{202e}b", "'\n;touch pwned\n'", "\\'\u{7f}\\"] {
            assert_eq!(read_by("bash", text), format!("{text}."), "{text:?}");
        }
    }

    #[test]
    fn word_is_one_printable_line() {
        for text in ["a\nb", "\u{1b}]0;x\u{7}", "\u{202e}", "a\r'"] {
            let word = shell_word(text);
            assert_eq!(visible(&word), word);
            assert!(!word.contains('\n'));
            // Another shell reads two quotes and nothing to run between them.
            assert_eq!(word.matches('\'').count(), 2, "{word}");
        }
        assert_eq!(shell_word("fs:read:/data/a.txt"), "fs:read:/data/a.txt");
    }
}
