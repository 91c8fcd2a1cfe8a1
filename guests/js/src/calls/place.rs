//! Tells the host where in the tool a question or a denial comes from. Nothing of it runs unless a
//! call was not permitted.

use cofferdam_abi::call::ToolCall;
use cofferdam_abi::wire::Writer;
use rquickjs::{Array, Ctx, Object, Value};

use super::RefusalError;
use crate::{engine, gate};

/// Longest file name that is told.
const MAX_FILE: usize = 200;

/// Returns true if a person is asked about the pending call with this answer.
pub(super) fn is_asked(payload: &[u8]) -> bool {
    payload.len() > size_of::<u32>()
}

/// Tells the place of a call that a person is asked about.
pub(super) fn tell_question(ctx: &Ctx<'_>, ticket: u32) {
    if let Some(error) = error_here(ctx) {
        tell(ctx, ticket, &error);
    }
}

/// Tells the place of the denial that was answered last; `error` was made where the call was.
pub(super) fn tell_denial<'js>(ctx: &Ctx<'js>, error: &Value<'js>) {
    if let Some(error) = error.as_object() {
        tell(ctx, 0, error);
    }
}

/// Makes an error for its stack.
fn error_here<'js>(ctx: &Ctx<'js>) -> Option<Object<'js>> {
    let make = ctx.userdata::<RefusalError>()?.0.clone();
    let made = Array::new(ctx.clone()).and_then(|none| make.call(("Error", "", none)));
    made.map_err(|_| drop(ctx.catch())).ok()
}

fn tell<'js>(ctx: &Ctx<'js>, ticket: u32, error: &Object<'js>) {
    // A tool can replace how stacks are made; then there may be no text, or any text.
    let stack = error.get::<_, Value>("stack").and_then(|stack| engine::text(&stack));
    let Ok(stack) = stack.map_err(|_| drop(ctx.catch())) else { return };
    let Some((file, line)) = first(&stack) else { return };
    let mut fields = Writer::new();
    fields.u32(ticket).str(file).u32(line);
    gate::call(ToolCall::PlaceTell, fields.as_bytes(), |_, _| ());
}

/// Returns file and line of the first frame that is in the tool.
fn first(stack: &str) -> Option<(&str, u32)> {
    let mut frames = stack.lines().filter_map(|line| line.trim_start().strip_prefix("at "));
    let frame = frames.find(|frame| {
        !frame.contains("cofferdam:") && !frame.contains("(<anonymous>)") && frame.contains(':')
    })?;
    let place = frame.rsplit_once('(').map_or(frame, |(_, place)| place).trim_end_matches(')');
    let (rest, last) = place.rsplit_once(':')?;
    let (file, line) = match rest.rsplit_once(':') {
        Some((file, line)) if line.parse::<u32>().is_ok() => (file, line),
        Some(_) | None => (rest, last),
    };
    let line = line.parse().ok()?;
    (file.len() <= MAX_FILE).then_some((file, line))
}

#[cfg(test)]
mod tests {
    use super::first;

    #[test]
    fn the_first_frame_of_the_tool_counts() {
        let check = |stack: &str, expect| assert_eq!(first(stack), expect, "{stack}");
        let ours = "    at readFile (cofferdam:files.js:70:5)\n    at apply (<anonymous>)\n";
        check(
            &format!("{ours}    at load (tool.js:3:14)\n    at tool.js:9:1"),
            Some(("tool.js", 3)),
        );
        check(&format!("Error: x\n{ours}    at /code/a.js:12:3"), Some(("/code/a.js", 12)));
        check("    at f (a.js:7)", Some(("a.js", 7)));
        check(ours, None);
        check("", None);
        check("    at f (a.js:x:y)", None);
        check(&format!("    at {}:1:1", "x".repeat(300)), None);
    }
}
