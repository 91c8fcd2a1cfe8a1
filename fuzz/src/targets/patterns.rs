//! Glob patterns of the shell: the first line is the pattern, the second the text.

use cofferdam_guest_sh::pattern::{Pattern, Rules};

use super::Target;

pub const TARGET: Target = Target {
    name: "patterns",
    run,
    words: &[
        "*",
        "?",
        "[a-z]",
        "[!",
        "[[:alpha:]]",
        "[^",
        "]",
        "\\",
        "@(",
        "!(",
        "*(",
        "+(",
        "?(",
        "|",
        ")",
        "\n",
        "[[=a=]]",
        "[[.a.]]",
        "ä",
        "[]-a]",
    ],
    repeats: &["*a", "?", "[a", "!(", "*(a|", "@(a)", "\\", "[[:"],
};

/// Longest text and longest pattern; matching costs the product of both.
const LONGEST: usize = 512;

pub fn run(data: &[u8]) {
    let at = data.iter().position(|byte| *byte == b'\n').unwrap_or(data.len());
    let (pattern, text) = (&data[..at], data.get(at + 1..).unwrap_or_default());
    let (pattern, text) =
        (&pattern[..pattern.len().min(LONGEST)], &text[..text.len().min(LONGEST)]);
    for extended in [false, true] {
        let compiled = Pattern::new(pattern, Rules { extended, ..Rules::default() });
        let folded = Pattern::new(pattern, Rules { extended, fold: true, bytes: false });
        let whole = compiled.matches(text);
        if let Some((short, long)) = compiled.prefix(text) {
            assert!(short <= long && long <= text.len());
            assert!(compiled.matches(&text[..short]) && compiled.matches(&text[..long]));
        }
        if let Some((short, long)) = compiled.suffix(text) {
            assert!(long <= short && short <= text.len());
            assert!(compiled.matches(&text[short..]) && compiled.matches(&text[long..]));
        }
        assert_eq!(whole, compiled.prefix(text).is_some_and(|(_, long)| long == text.len()));
        assert_eq!(whole, compiled.suffix(text).is_some_and(|(_, long)| long == 0));
        let negates = pattern.iter().any(|byte| matches!(byte, b'!' | b'^'));
        assert!(!whole || negates || folded.matches(text), "it matches, but not in any case");
    }
    let mut quoted = Vec::new();
    text.iter().for_each(|byte| quoted.extend([b'\\', *byte]));
    if std::str::from_utf8(text).is_ok_and(str::is_ascii) {
        assert!(Pattern::new(&quoted, Rules { extended: true, ..Rules::default() }).matches(text));
    }
}
