//! `${x^^}` and the other case operators.

use crate::pattern::{Pattern, decode};
use crate::syntax::ast::{CaseOp, Text};

/// Changes the case of the characters that match the pattern.
pub(super) fn change(text: &[u8], kind: CaseOp, all: bool, pattern: Option<&Pattern>) -> Text {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        let (code, len) = decode(&text[at..]);
        let bytes = &text[at..at + len];
        let wanted = (all || at == 0) && pattern.is_none_or(|pattern| pattern.matches(bytes));
        match char::from_u32(code) {
            Some(c) if wanted => {
                let upper = match kind {
                    CaseOp::Upper => true,
                    CaseOp::Lower => false,
                    CaseOp::Toggle => !c.is_uppercase(),
                };
                // The C library's mapping is one to one, so a character with a longer mapping stays
                // as it is.
                let single = |changed: String| {
                    if changed.chars().count() == 1 { changed } else { c.to_string() }
                };
                let changed = if upper {
                    single(c.to_uppercase().collect())
                } else {
                    single(c.to_lowercase().collect())
                };
                out.extend_from_slice(changed.as_bytes());
            }
            _ => out.extend_from_slice(bytes),
        }
        at += len;
    }
    out
}
