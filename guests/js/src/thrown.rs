//! Describes an exception for a person: name, message, stack, position.

use cofferdam_abi::entry::Thrown;
use rquickjs::{Ctx, Object, Value};

use crate::{apis, engine};

/// Longest name, message or stack that is reported.
// T-CELL-014: a result or exception that is too long.
const MAX_TEXT: usize = 64 << 10;

/// Most lines of a stack that are reported.
const MAX_LINES: usize = 100;

/// Begins the properties of an error, behind its last frame.
const BRACE: &str = " {";

/// Shortens a text that is too long, and marks the cut.
fn cut(text: &str) -> String {
    if text.len() <= MAX_TEXT {
        return text.to_owned();
    }
    let end = (0..=MAX_TEXT).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    format!("{}… (cut)", &text[..end])
}

/// Describes a thrown value. Getters of hostile objects may throw themselves: then that part
/// stays empty.
pub fn describe<'js>(ctx: &Ctx<'js>, value: &Value<'js>, file: &str) -> Thrown {
    let Some(error) = value.as_object().filter(|_| value.is_error()) else {
        return Thrown { message: cut(&plain(ctx, value)), ..Thrown::default() };
    };
    let (name, message) = (text_of(ctx, error, "name"), text_of(ctx, error, "message"));
    let stack = text_of(ctx, error, "stack");
    let position = (name == "SyntaxError").then(|| position(&stack, file)).flatten();
    let request_id = match name == "PermissionError" {
        true => cut(&text_of(ctx, error, "requestId")),
        false => String::new(),
    };
    let mut thrown = Thrown {
        name: cut(&name),
        message: cut(&message),
        stack: clean(&stack),
        position,
        request_id,
    };
    // A denial has its own report, and without memory nothing can be shown.
    if thrown.name != "PermissionError" && !is_out_of_memory(&thrown) {
        let shown = apis::show_error(ctx, value);
        if let Some(shown) = shown.filter(|shown| shown.ends_with('}') && !stack.ends_with('}')) {
            thrown.stack = clean(&shown);
        }
    }
    thrown
}

/// Returns true for the error that QuickJS throws when memory runs out.
pub fn is_out_of_memory(thrown: &Thrown) -> bool {
    thrown.name == "InternalError" && thrown.message == "out of memory"
}

fn text_of<'js>(ctx: &Ctx<'js>, object: &Object<'js>, key: &str) -> String {
    let value = object.get::<_, Value>(key);
    let text =
        value.and_then(|v| if v.is_undefined() { Ok(String::new()) } else { engine::text(&v) });
    text.unwrap_or_else(|_| {
        ctx.catch();
        String::new()
    })
}

/// Returns the text of a thrown value that is not an Error.
fn plain<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> String {
    if value.is_symbol() {
        return "a symbol".into();
    }
    let json = value.is_object().then(|| ctx.json_stringify(value.clone()));
    let text = match json {
        Some(Ok(Some(json))) => engine::text(&json),
        Some(_) | None => engine::text(value),
    };
    text.unwrap_or_else(|_| {
        ctx.catch();
        "a value without text".into()
    })
}

/// Returns the frames of a stack, without the message above them.
pub fn frames(stack: &str) -> String {
    stack.lines().filter(|line| is_frame(line)).collect::<Vec<_>>().join("\n")
}

fn is_frame(line: &str) -> bool {
    line.trim_start().starts_with("at ")
}

/// Returns line and column of the first frame, if that frame is in the tool itself.
fn position(stack: &str, file: &str) -> Option<(u32, u32)> {
    let first = stack.lines().find(|line| is_frame(line))?;
    let at = first.find(&format!("{file}:"))?;
    let mut numbers = first[at + file.len() + 1..].split(|c: char| !c.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

/// Removes the frames of the preludes. A brace behind such a frame, which begins the properties of
/// the error, moves to the line above.
// T-CELL-023: host paths in stack traces.
fn clean(stack: &str) -> String {
    let is_ours = |line: &str| {
        is_frame(line) && (line.contains("cofferdam:") || line.ends_with("at apply (<anonymous>)"))
    };
    let mut lines: Vec<String> = Vec::new();
    for line in stack.lines() {
        let (frame, brace) = match line.strip_suffix(BRACE).filter(|line| is_frame(line)) {
            Some(frame) => (frame, BRACE),
            None => (line, ""),
        };
        if is_ours(frame) {
            if let Some(above) = lines.last_mut() {
                above.push_str(brace);
            }
        } else if lines.len() < MAX_LINES {
            lines.push(line.to_owned());
        }
    }
    cut(&lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(stack: &str, expect: &str) {
        assert_eq!(clean(stack), expect);
    }

    #[test]
    fn frames_of_preludes_are_removed() {
        check("E: a\n    at x (cofferdam:fs:1:2)\n    at t.js:1:1", "E: a\n    at t.js:1:1");
        check("    at x (cofferdam:fs:1:2)\n    at t.js:1:1", "    at t.js:1:1");
    }

    #[test]
    fn the_brace_of_a_removed_frame_is_kept() {
        check(
            "E: a\n    at t.js:1:1\n    at apply (<anonymous>) {\n  code: 1\n}",
            "E: a\n    at t.js:1:1 {\n  code: 1\n}",
        );
        check("E: a\n    at x (cofferdam:fs:1:2) {\n  code: 1\n}", "E: a {\n  code: 1\n}");
    }
}
