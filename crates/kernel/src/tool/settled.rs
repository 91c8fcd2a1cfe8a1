//! Pending calls and timers that are settled, as the guest takes them.

use cofferdam_abi::entry::Entry;
use cofferdam_abi::frame::{Answer, Status};
use cofferdam_abi::wire::Writer;

use crate::shared::call_error::{Done, pack_done};

/// Settled calls and timers, for the next entry into the cell.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Settled {
    pub(crate) timers: Vec<u32>,
    pub(crate) done: Vec<(u32, Done)>,
}

impl Settled {
    /// Packs the answers as an [`Entry`].
    pub fn write(&self, w: &mut Writer) {
        let fired = |ticket: &u32| (*ticket, Answer { status: Status::Done, payload: &[] });
        let packed: Vec<_> = self.done.iter().map(|(t, done)| (*t, pack_done(done))).collect();
        let answered = packed
            .iter()
            .map(|(ticket, (status, payload))| (*ticket, Answer { status: *status, payload }));
        Entry::Resume(answered.chain(self.timers.iter().map(fired)).collect()).write(w);
    }
}
