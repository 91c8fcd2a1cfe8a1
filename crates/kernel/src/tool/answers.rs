//! Answers to calls that were pending, as the guest takes them.

use std::time::Duration;

use cofferdam_abi::entry::Entry;
use cofferdam_abi::frame::{Answer, Status};
use cofferdam_abi::wire::Writer;

use crate::shared::call_error::{Done, pack_done};

/// Answers to pending calls, for the next entry into the cell.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Answers {
    pub(crate) timers: Vec<u32>,
    pub(crate) done: Vec<(u32, Done)>,
    /// How long somebody was asked meanwhile.
    pub paused: Duration,
}

impl Answers {
    /// Whether there is nothing to enter the cell for.
    pub fn is_empty(&self) -> bool {
        self.timers.is_empty() && self.done.is_empty()
    }

    /// Packs them as an [`Entry`].
    pub fn write(&self, w: &mut Writer) {
        let fired = |ticket: &u32| (*ticket, Answer { status: Status::Done, payload: &[] });
        let packed: Vec<_> = self.done.iter().map(|(t, done)| (*t, pack_done(done))).collect();
        let answered = packed
            .iter()
            .map(|(ticket, (status, payload))| (*ticket, Answer { status: *status, payload }));
        Entry::Resume(answered.chain(self.timers.iter().map(fired)).collect()).write(w);
    }
}
