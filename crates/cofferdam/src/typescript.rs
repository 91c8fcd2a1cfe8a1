//! Turns TypeScript into JavaScript in a cell of its own, because the parser recurses over hostile
//! input.

use cofferdam_abi::entry::{Code, Entry, Form, Leave, Script, Start};
use cofferdam_abi::wire::Writer;
use cofferdam_cell::{Cell, Stop};
use cofferdam_kernel::Kernel;

use crate::drive::{self, Course, exceeded};
use crate::interrupted::Interrupted;
use crate::limits::Limit;
use crate::outcome::Ending;
use crate::tool::Tool;

/// Memory of the cell. It depends on the length of the source, not on the memory limit of the tool.
const MEMORY: u64 = 256 << 20;

/// Returns the room for the JavaScript. Transformed syntax, such as an enum, is longer than its
/// source.
fn reply_room(source: &str) -> usize {
    source.len().saturating_mul(8).saturating_add(64 << 10)
}

/// Removes the types. Returns the detected form of the source, and the JavaScript.
// T-CELL-018: a source bomb for the TypeScript parser.
pub(crate) async fn strip(
    course: &Course,
    tool: &Tool,
    form: Form,
) -> Result<(Form, String), Interrupted> {
    let limits =
        cofferdam_cell::Limits { memory_bytes: MEMORY, reply_bytes: reply_room(&tool.source) };
    let kernel = Kernel::new(course.settings());
    let image = course.state.runtime.ts()?;
    course.state.runtime.make_room();
    let mut cell =
        Cell::new(image, kernel, limits, course.clock.switch().clone(), course.clock.deadline())?;
    let mut message = Writer::new();
    Entry::Start(Start {
        form,
        file: &tool.name,
        source: &tool.source,
        code: Code::Unkept,
        args: &[],
        result_bytes: u32::MAX,
        members: Vec::new(),
        script: Script::default(),
    })
    .write(&mut message);
    let reply = match course.clock.compute(cell.enter(message.as_bytes())).await {
        Ok(reply) => reply,
        // A trap means that the parser exhausted its stack or gave up in another way.
        Err(Stop::Stack | Stop::Trap(_)) => return Err(exceeded(Limit::Stack, 0, None).into()),
        Err(Stop::Memory) => return Err(exceeded(Limit::Memory, MEMORY, None).into()),
        Err(stop) => return Err(drive::stopped(course, stop, String::new())?.into()),
    };
    match Leave::read(&reply) {
        Ok(Leave::Finished([kind, text @ ..])) => {
            let found = match (form, kind) {
                (Form::Kept, _) => Form::Kept,
                (_, 1) => Form::Module,
                (_, _) => Form::Body,
            };
            Ok((found, String::from_utf8_lossy(text).into_owned()))
        }
        Ok(Leave::Threw(thrown)) => Err(Ending::Threw(drive::script_error(thrown)).into()),
        Ok(_) | Err(_) => {
            let what = Stop::Breach("reply of the TypeScript guest".into());
            Err(drive::stopped(course, what, String::new())?.into())
        }
    }
}
