//! Search for permission errors in arbitrary text: standard error, logs, messages.
//!
//! The text is hostile, so the work per text has a fixed cap.

use crate::denial::PermissionError;

/// Most errors returned for one text.
const MAX_FOUND: usize = 1_000;

/// Most braces before a code that are tried as the start of its object.
///
/// The object itself contains braces only inside strings.
const MAX_BRACES: usize = 64;

/// Longest distance from a code to the start or end of its object, in bytes.
const MAX_REACH: usize = 64 * 1024;

/// Most failed attempts to parse JSON in one text.
const MAX_TRIES: usize = 4_096;

/// Most levels of JSON strings inside JSON strings that are unwrapped.
const MAX_NESTED: usize = 3;

impl PermissionError {
    /// Returns the permission errors in a text, in order and without duplicates.
    ///
    /// The object may stand between other text, inside another object, or inside a JSON string.
    /// Skips objects without a valid capability and request id.
    pub fn find_in(text: &str) -> Vec<Self> {
        let mut search = Search { found: Vec::new(), tries: MAX_TRIES };
        search.all(text, MAX_NESTED);
        search.found
    }
}

struct Search {
    found: Vec<PermissionError>,
    tries: usize,
}

impl Search {
    fn all(&mut self, text: &str, nested: usize) {
        let mut from = 0;
        while let Some(at) = text[from..].find(PermissionError::CODE).map(|at| from + at) {
            if self.found.len() >= MAX_FOUND || self.tries == 0 {
                return;
            }
            from = at + PermissionError::CODE.len();
            let before = &text[..at];
            if before.ends_with("\\\"") && nested > 0 {
                self.tries -= 1;
                if let Some((inner, end)) = quoted_around(text, at) {
                    from = from.max(end);
                    self.all(&inner, nested - 1);
                }
            } else if before.ends_with('"') {
                let Some((error, end)) = self.object_around(text, at) else { continue };
                from = from.max(end);
                if error.is_plausible() && !self.found.contains(&error) {
                    self.found.push(error);
                }
            }
        }
    }

    /// Returns the object that contains the code at `at`, and its end.
    fn object_around(&mut self, text: &str, at: usize) -> Option<(PermissionError, usize)> {
        let (back, ahead) = reach(text, at);
        let braces = text[back..at].rmatch_indices('{').take(MAX_BRACES);
        for start in braces.map(|(start, _)| back + start) {
            let json = serde_json::Deserializer::from_str(&text[start..ahead]);
            let mut objects = json.into_iter::<PermissionError>();
            if let Some(Ok(error)) = objects.next() {
                let end = start + objects.byte_offset();
                // An object that ends before the code is a different one.
                return (end > at).then_some((error, end));
            }
            self.tries = self.tries.checked_sub(1)?;
        }
        None
    }
}

/// Returns the range in which an object with the code at `at` may lie.
fn reach(text: &str, at: usize) -> (usize, usize) {
    let back = text.floor_char_boundary(at.saturating_sub(MAX_REACH));
    (back, text.floor_char_boundary(at + MAX_REACH))
}

/// Returns the JSON string that contains the code at `at`, unescaped, and its end.
fn quoted_around(text: &str, at: usize) -> Option<(String, usize)> {
    let (back, ahead) = reach(text, at);
    let bytes = text.as_bytes();
    let is_bare = |quote: usize| {
        let slashes = bytes[back..quote].iter().rev().take_while(|byte| **byte == b'\\').count();
        slashes % 2 == 0
    };
    let start =
        text[back..at].rmatch_indices('"').map(|(quote, _)| back + quote).find(|&q| is_bare(q))?;
    let mut texts = serde_json::Deserializer::from_str(&text[start..ahead]).into_iter::<String>();
    let inner = texts.next()?.ok()?;
    Some((inner, start + texts.byte_offset()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::denial::Reason;
    use crate::id::RequestId;

    fn error(capability: &str) -> PermissionError {
        let id = RequestId::derive(&[0; 32], &[capability.as_bytes()]);
        PermissionError::new(&capability.parse().unwrap(), &id, &Reason::NotGranted)
    }

    fn check(text: &str, expect: &[PermissionError]) {
        assert_eq!(PermissionError::find_in(text), expect, "{text}");
    }

    #[test]
    fn object_is_found_between_other_text() {
        let (a, b) = (error("fs:read:/a"), error("function:call:{x}"));
        let text = format!("warn {{: {}\n[{}] and {}", a.to_json(), b.to_json(), a.to_json());
        check(&text, &[a, b]);
    }

    #[test]
    fn object_in_quotes_in_quotes_is_found() {
        let a = error("fs:read:/a\"b");
        let once = serde_json::to_string(&format!("Error: {}", a.to_json())).unwrap();
        check(&format!("{{\"message\":{once}}}"), std::slice::from_ref(&a));
        let twice = serde_json::to_string(&format!("{{\"message\":{once}}}")).unwrap();
        check(&format!("{{\"log\":{twice},\"x\":1}}"), &[a]);
    }

    #[test]
    fn object_in_an_object_is_found() {
        let a = error("fs:read:/a");
        check(&format!("{{\"error\":{},\"x\":{{}}}}", a.to_json()), &[a]);
    }

    #[test]
    fn what_only_looks_like_one_is_left_out() {
        check("", &[]);
        check("PERMISSION_DENIED", &[]);
        check(r#"{"code":"PERMISSION_DENIED"}"#, &[]);
        let wrong = error("fs:read:/a").to_json().replace("req_", "\\u001b[2J");
        check(&wrong, &[]);
        let wrong = error("fs:read:/a").to_json().replace("fs:read", "fs:fly");
        check(&wrong, &[]);
    }

    #[test]
    fn hostile_text_ends_quickly() {
        let text = "{\"code\":\"PERMISSION_DENIED\"".repeat(20_000);
        check(&text, &[]);
        let text = "{".repeat(200_000) + "PERMISSION_DENIED";
        check(&text, &[]);
        let text = r#"\"PERMISSION_DENIED\"#.repeat(20_000);
        check(&text, &[]);
        check(&"é{\"".repeat(50_000), &[]);
        let text = format!("\"{}", r#"\"PERMISSION_DENIED\" "#.repeat(100_000));
        check(&text, &[]);
    }
}
