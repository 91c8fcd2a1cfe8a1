//! [`Cell`], one instance of a guest.

use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use cofferdam_abi::INBOX_LEN;
use wasmtime::{Memory, ResourceLimiter, Store, Trap, TypedFunc};

use crate::alarm::{Ring, SLICE};
use crate::contract::Host;
use crate::engine::TABLE_ELEMENTS;
use crate::gate::slice;
use crate::image::Image;
use crate::park::{Resident, drop_pages};
use crate::stop::{KillSwitch, Limits, Stop};
use crate::{Error, ErrorKind};

/// Time that a guest has to stop by itself and report its stack before it is stopped.
const GRACE: Duration = Duration::from_micros(1500);

/// One running guest. Dropping it resets its memory and returns it to the pool.
pub struct Cell<H: Host> {
    store: Store<State<H>>,
    image: Image<H>,
    enter: TypedFunc<(u32, u32), u64>,
    instance: wasmtime::Instance,
    inbox: u32,
}

/// The data of a cell's store.
pub(crate) struct State<H> {
    pub(crate) host: H,
    pub(crate) memory: Option<Memory>,
    /// The last answer, kept until the guest has taken it.
    pub(crate) answer: Vec<u8>,
    limits: Limits,
    memory_refused: bool,
    switch: KillSwitch,
    deadline: Instant,
    interrupt: u32,
    ending: Ending,
    /// True if the guest last left the stack by itself.
    came_back: bool,
    ring: Option<Ring>,
    /// Number of rings when the clock was last checked.
    seen: u64,
}

/// The guest's next step after the host has checked the clock.
pub(crate) enum Next {
    /// Continues computing.
    GoOn,
    /// Yields the thread to the executor and continues when polled again.
    Yield,
}

/// Progress of ending a run.
enum Ending {
    /// The guest has not been asked to stop.
    No,
    /// The guest has been asked to stop; at this time it is stopped.
    Asked(Stop, Instant),
}

impl<H: Host> ResourceLimiter for State<H> {
    // T-CELL-003: memory of the cell.
    fn memory_growing(
        &mut self,
        _current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let allowed = desired as u64 <= self.limits.memory_bytes;
        self.memory_refused |= !allowed;
        Ok(allowed)
    }

    fn table_growing(
        &mut self,
        _current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        Ok(desired <= TABLE_ELEMENTS)
    }
}

impl<H: Host> Cell<H> {
    /// Takes a cell from the pool. The memory of the image counts towards the limit.
    // T-CELL-020: state of one run seen by the next.
    pub fn new(
        image: &Image<H>,
        host: H,
        limits: Limits,
        switch: KillSwitch,
        deadline: Instant,
    ) -> Result<Self, Error> {
        image.engine.crowd.check()?;
        let state = State {
            host,
            memory: None,
            answer: Vec::new(),
            limits,
            memory_refused: false,
            switch,
            deadline,
            interrupt: 0,
            ending: Ending::No,
            came_back: true,
            ring: None,
            seen: 0,
        };
        let mut store = Store::new(&image.engine.inner, state);
        store.limiter(|state| state);
        let bad = |what: &str| Error::new(ErrorKind::Image, format!("bad export {what}"));
        let instance = at_once(image.pre.instantiate_async(&mut store)).map_err(|e| {
            let kind = match e.is::<wasmtime::PoolConcurrencyLimitError>() {
                true => ErrorKind::PoolFull,
                false => ErrorKind::Image,
            };
            Error::new(kind, format!("{e:#}"))
        })?;
        let exports = &image.exports;
        let mut export = |export| instance.get_module_export(&mut store, export);
        let memory = export(&exports.memory).and_then(|e| e.into_memory());
        let enter = export(&exports.enter).and_then(|e| e.into_func());
        let inbox = export(&exports.inbox).and_then(|e| e.into_global());
        let interrupt = export(&exports.interrupt).and_then(|e| e.into_global());
        let memory = memory.ok_or_else(|| bad("memory"))?;
        image.engine.faults.only_touched(memory.data(&store), image.id);
        let enter = enter.ok_or_else(|| bad("enter"))?;
        let enter = enter.typed(&store).map_err(|_| bad("enter"))?;
        let inbox = inbox.and_then(|g| g.get(&mut store).i32()).ok_or_else(|| bad("inbox"))?;
        let interrupt = interrupt.and_then(|g| g.get(&mut store).i32());
        let state = store.data_mut();
        state.memory = Some(memory);
        state.interrupt = interrupt.ok_or_else(|| bad("interrupt"))? as u32;
        image.engine.crowd.joined();
        Ok(Cell { store, image: image.clone(), enter, instance, inbox: inbox as u32 })
    }

    /// Passes a message to the guest, lets it compute until it has nothing left to do, and copies
    /// its reply out. After an error the cell can only be dropped.
    ///
    /// Yields the thread to the executor at every slice.
    // T-CELL-007: request, answer or reply outside the guest's memory.
    pub async fn enter(&mut self, message: &[u8]) -> Result<Vec<u8>, Stop> {
        let state = self.store.data_mut();
        // Read before the switch is checked, so that a later kill rings once more.
        state.seen = state.switch.alarm().rings();
        if state.switch.is_killed() {
            return Err(Stop::Killed);
        }
        let left = state.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Stop::Deadline);
        }
        let alarm = self.image.engine.alarm.clone();
        if left < SLICE * 2 {
            state.ring = Some(alarm.ring_at(state.deadline));
        }
        state.came_back = false;
        let _computing = alarm.computing();
        let at = self.place(message).await?;
        let args = (at, message.len() as u32);
        let reply = self.enter.call_async(&mut self.store, args).await;
        self.store.data_mut().ring = None;
        let reply = reply.map_err(|e| self.reason(e))?;
        self.store.data_mut().came_back = true;
        let (address, len) = ((reply >> 32) as u32, reply as u32);
        // T-CELL-014: a result or exception that is too long.
        let limit = self.store.data().limits.reply_bytes;
        if len as usize > limit {
            return Err(Stop::ReplyTooLong(len as usize));
        }
        let memory = self.memory();
        let bytes = slice(memory.data(&self.store), address, len);
        Ok(bytes.ok_or_else(|| Stop::Breach("reply outside the guest's memory".into()))?.to_vec())
    }

    /// Copies a message into the guest's memory and returns its address.
    async fn place(&mut self, message: &[u8]) -> Result<u32, Stop> {
        let at = if message.len() <= INBOX_LEN {
            self.inbox
        } else {
            let reserve =
                self.instance.get_module_export(&mut self.store, &self.image.exports.reserve);
            let reserve = reserve.and_then(|e| e.into_func());
            let reserve = reserve.and_then(|f| f.typed::<u32, u32>(&self.store).ok());
            let reserve = reserve.ok_or_else(|| Stop::Trap("bad export reserve".into()))?;
            let at = reserve.call_async(&mut self.store, message.len() as u32).await;
            at.map_err(|e| self.reason(e))?
        };
        if at == 0 {
            return Err(Stop::Memory);
        }
        let memory = self.memory();
        memory
            .write(&mut self.store, at as usize, message)
            .map_err(|_| Stop::Breach("inbox outside the guest's memory".into()))?;
        Ok(at)
    }

    fn memory(&self) -> Memory {
        // Set in `new`, before this can be called.
        self.store.data().memory.expect("a cell has its memory from the start")
    }

    /// Returns the host that handles this cell's calls.
    pub fn host(&self) -> &H {
        &self.store.data().host
    }

    /// Returns the host that handles this cell's calls.
    pub fn host_mut(&mut self) -> &mut H {
        &mut self.store.data_mut().host
    }

    /// Returns the host that handles this cell's calls, and the memory of the guest, to be parked
    /// while the host waits.
    pub fn host_and_memory(&mut self) -> (&mut H, Resident<'_>) {
        let memory = self.memory();
        let (guest, state) = memory.data_and_store_mut(&mut self.store);
        (&mut state.host, Resident { guest, alarm: &self.image.engine.alarm })
    }

    /// Prepares a kept cell for its next run.
    pub fn rearm(&mut self, switch: KillSwitch, deadline: Instant) {
        let memory = self.memory();
        let (guest, state) = memory.data_and_store_mut(&mut self.store);
        set_interrupt(guest, state.interrupt, 0);
        state.switch = switch;
        state.deadline = deadline;
        state.ending = Ending::No;
        state.memory_refused = false;
    }

    /// Returns the deadline, extended by time spent waiting for approval.
    pub fn deadline(&self) -> Instant {
        self.store.data().deadline
    }

    /// Changes the deadline; only effective while the guest is not on the stack.
    pub fn set_deadline(&mut self, deadline: Instant) {
        self.store.data_mut().deadline = deadline;
    }

    /// Returns the reason why the guest was asked to stop, if it was.
    pub fn asked_to_stop(&self) -> Option<Stop> {
        match &self.store.data().ending {
            Ending::No => None,
            Ending::Asked(stop, _) => Some(stop.clone()),
        }
    }

    /// Returns true if the guest last left the stack by itself. Otherwise it was stopped, and the
    /// cell can only be dropped.
    pub fn came_back(&self) -> bool {
        self.store.data().came_back
    }

    /// Returns true if the guest was ever refused memory.
    pub fn memory_refused(&self) -> bool {
        self.store.data().memory_refused
    }

    /// Returns the number of bytes by which the guest's memory is larger than that of its image.
    pub fn grown_bytes(&self) -> u64 {
        (self.memory().data_size(&self.store) as u64).saturating_sub(self.image.memory_bytes())
    }

    fn reason(&self, error: wasmtime::Error) -> Stop {
        if let Some(stop) = error.downcast_ref::<Stop>() {
            return stop.clone();
        }
        match error.downcast_ref::<Trap>() {
            Some(Trap::StackOverflow) => Stop::Stack,
            // A guest that cannot allocate usually aborts.
            Some(_) | None if self.memory_refused() => Stop::Memory,
            Some(trap) => Stop::Trap(trap.to_string()),
            None => Stop::Trap(format!("{error:#}")),
        }
    }
}

/// Gives the pages of a cell back if many are alive. The pool would keep them for the next cell of
/// each slot, and after a crowd for nobody.
// T-CELL-031: memory of the host held for a run.
impl<H: Host> Drop for Cell<H> {
    fn drop(&mut self) {
        if self.image.engine.crowd.left() {
            let memory = self.memory();
            drop_pages(memory.data_mut(&mut self.store));
        }
    }
}

/// Returns the result of a future that never waits.
fn at_once<T>(future: impl Future<Output = wasmtime::Result<T>>) -> wasmtime::Result<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => result,
        // An image has no start function that could wait.
        Poll::Pending => wasmtime::bail!("the guest waits before it has started"),
    }
}

/// Sets the flag that asks a guest to stop. If the flag is outside the guest's memory, only a
/// trap stops the guest.
fn set_interrupt(guest: &mut [u8], at: u32, value: u32) {
    let at = at as usize;
    if let Some(flag) = guest.get_mut(at..at.saturating_add(4)) {
        flag.copy_from_slice(&value.to_le_bytes());
    }
}

impl<H: Host> State<H> {
    /// Waits for the answer to a pending call while the guest is on the stack. Time that the host
    /// does not count as the run's own extends the deadline.
    // T-CELL-010: a panic in a host call.
    // T-CELL-028: a tool that blocks in a call.
    pub(crate) async fn wait_for(&mut self, guest: &mut [u8], ticket: u32) -> Result<(), Stop> {
        let alarm = self.switch.alarm().clone();
        let _away = alarm.away();
        self.ring = None;
        self.answer.clear();
        let mut waiting = self.host.wait(ticket, &mut self.answer);
        let waited = poll_fn(|cx| {
            // Confines a panic in a host call to this run.
            let looked = catch_unwind(AssertUnwindSafe(|| waiting.as_mut().poll(cx)));
            let failed = |_| Poll::Ready(Err(Stop::HostFailed("panic in a host call".into())));
            looked.unwrap_or_else(failed)
        });
        let resident = Resident { guest, alarm: &alarm };
        self.deadline = resident.during(waited).await?;
        // The deadline may be earlier than the end of the next slice.
        self.ring = Some(alarm.ring_at(self.deadline));
        Ok(())
    }

    /// Returns true if the alarm has rung since the clock was last checked.
    pub(crate) fn is_rung(&self) -> bool {
        self.switch.alarm().rings() != self.seen
    }

    /// Handles a ring: ends the run, or yields the thread.
    // T-CELL-001: endless computation.
    pub(crate) fn look_at_clock(&mut self, guest: &mut [u8]) -> Result<Next, Stop> {
        let alarm = self.switch.alarm();
        self.seen = alarm.rings();
        let now = Instant::now();
        match &self.ending {
            Ending::Asked(stop, at) if now >= *at => Err(stop.clone()),
            Ending::Asked(..) => Ok(Next::GoOn),
            Ending::No => {
                let stop = if self.switch.is_killed() {
                    Stop::Killed
                } else if now >= self.deadline {
                    Stop::Deadline
                } else {
                    if self.ring.is_none() {
                        self.ring = Some(alarm.ring_at(self.deadline));
                    }
                    // T-CELL-005: a host thread held by a cell that computes.
                    return Ok(Next::Yield);
                };
                self.ring = Some(alarm.ring_at(now + GRACE));
                set_interrupt(guest, self.interrupt, 1);
                self.ending = Ending::Asked(stop, now + GRACE);
                Ok(Next::GoOn)
            }
        }
    }
}
