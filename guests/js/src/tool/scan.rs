//! A rough tokenizer for JavaScript: enough to find braces and names, past strings, templates,
//! regular expressions and comments.

/// Tokens of a text with their offsets: names, single characters, and whole literals.
pub(super) struct Tokens<'a> {
    text: &'a str,
    at: usize,
    /// True if a `/` begins a regular expression here, not a division.
    may_be_regex: bool,
}

impl<'a> Tokens<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        Tokens { text, at: 0, may_be_regex: true }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Moves past blanks and comments.
    fn skip_blank(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            let skipped = if trimmed.starts_with("//") {
                trimmed.find('\n').unwrap_or(trimmed.len())
            } else if trimmed.starts_with("/*") {
                trimmed.find("*/").map_or(trimmed.len(), |end| end + 2)
            } else {
                return;
            };
            self.at += skipped;
        }
    }

    /// Returns the length of the token at the beginning of a text that is not empty.
    fn length(&self, text: &str) -> usize {
        let first = text.chars().next().unwrap_or(' ');
        match first {
            '"' | '\'' => quoted(text, first),
            '`' => template(text),
            '/' if self.may_be_regex => regex(text),
            _ if is_name(first) => text.find(|c| !is_name(c)).unwrap_or(text.len()),
            _ => first.len_utf8(),
        }
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = (usize, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        self.skip_blank();
        let rest = self.rest();
        if rest.is_empty() {
            return None;
        }
        let token = &rest[..self.length(rest)];
        let at = self.at;
        self.at += token.len();
        // Behind a value a slash divides; behind a keyword or an operator it does not.
        self.may_be_regex = match token {
            "return" | "typeof" | "case" | "in" | "of" | "await" | "yield" | "void" | "delete" => {
                true
            }
            ")" | "]" | "}" => false,
            _ => !token.starts_with(|c: char| is_name(c) || "\"'`".contains(c)) && token.len() == 1,
        };
        Some((at, token))
    }
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$' || c == '#'
}

/// Returns the length of a string literal.
fn quoted(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Returns the length of a template literal. Its expressions are skipped by counting braces.
fn template(text: &str) -> usize {
    let (mut is_escaped, mut depth, mut last) = (false, 0usize, ' ');
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '{' if last == '$' || depth > 0 => depth += 1,
            '}' if depth > 0 => depth -= 1,
            '`' if depth == 0 => return at + 1,
            _ => {}
        }
        last = c;
    }
    text.len()
}

/// Returns the length of a regular expression without its flags; 1 if the line ends before it does.
fn regex(text: &str) -> usize {
    let (mut is_escaped, mut is_class) = (false, false);
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\n' => return 1,
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '[' => is_class = true,
            ']' => is_class = false,
            '/' if !is_class => return at + 1,
            _ => {}
        }
    }
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &[&str]) {
        let tokens: Vec<&str> = Tokens::of(text).map(|(_, token)| token).collect();
        assert_eq!(tokens, expect);
    }

    #[test]
    fn literals_are_one_token() {
        check("a = '}\\'{' + `x${ {a:1}.a }y`", &["a", "=", "'}\\'{'", "+", "`x${ {a:1}.a }y`"]);
        check("x.replace(/[/}]/g, 1)", &["x", ".", "replace", "(", "/[/}]/", "g", ",", "1", ")"]);
        check("a / b / c", &["a", "/", "b", "/", "c"]);
    }

    #[test]
    fn comments_are_no_tokens() {
        check("a // {\n/* { */ b", &["a", "b"]);
        check("// {", &[]);
    }
}
