//! What a person should know of an exception.

use cofferdam_abi::entry::Thrown;
use rquickjs::{Ctx, Object, Value};

use crate::engine;

/// Describes what was thrown. Getters of hostile objects may throw themselves: then that part
/// stays empty.
pub fn describe<'js>(ctx: &Ctx<'js>, value: &Value<'js>, file: &str) -> Thrown {
    let Some(error) = value.as_object().filter(|_| value.is_error()) else {
        return Thrown { message: plain(ctx, value), ..Thrown::default() };
    };
    let (name, message) = (text_of(ctx, error, "name"), text_of(ctx, error, "message"));
    let stack = text_of(ctx, error, "stack");
    let position = (name == "SyntaxError").then(|| position(&stack, file)).flatten();
    Thrown { name, message, stack: clean(&stack), position }
}

/// Whether it is QuickJS's own complaint that memory ran out.
pub fn is_out_of_memory(thrown: &Thrown) -> bool {
    thrown.name == "InternalError" && thrown.message == "out of memory"
}

fn text_of<'js>(ctx: &Ctx<'js>, object: &Object<'js>, key: &str) -> String {
    let value = object.get::<_, Value>(key);
    let text = value.and_then(|v| if v.is_undefined() { Ok(String::new()) } else { engine::text(&v) });
    text.unwrap_or_else(|_| {
        ctx.catch();
        String::new()
    })
}

/// Text of a thrown thing that is not an Error.
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

/// `FILE:LINE:COLUMN` of the first frame, where the frame is in the tool itself.
fn position(stack: &str, file: &str) -> Option<(u32, u32)> {
    let first = stack.lines().next()?;
    let at = first.find(&format!("{file}:"))?;
    let mut numbers = first[at + file.len() + 1..].split(|c: char| !c.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

/// Leaves out the frames of the machinery around the tool.
fn clean(stack: &str) -> String {
    let own = |line: &&str| !line.contains("(native)") || line.trim_start() != "at call (native)";
    stack.lines().filter(own).collect::<Vec<_>>().join("\n")
}
