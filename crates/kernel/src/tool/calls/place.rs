//! Places in a tool that questions and denials come from.

use cofferdam_broker::Place;

use crate::shared::crossing::{CallIo, Reply};
use crate::tool::kernel::{Kernel, Served};

/// Keeps the place of the question or denial that was answered last. Any other ticket is ignored: a
/// guest may only describe its own last call.
pub(super) fn tell(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let (ticket, file, line) = (io.fields.u32()?, io.fields.str()?, io.fields.u32()?);
    let place = Place::new(file, line);
    match (ticket, kernel.last_question.take(), kernel.last_denial.take()) {
        (0, _, Some(id)) => kernel.settings.desk.denied_at(&id, place),
        (ticket, Some((asked, slot)), _) if asked == ticket => slot.tell(place),
        (_, _, _) => {}
    }
    Ok(Reply::Done)
}
