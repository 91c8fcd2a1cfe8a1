//! [`Cell`], one instance of a tool's guest.

use std::future::poll_fn;
use std::task::Context;
use std::time::{Duration, Instant};

use super::engine::Image;
use super::glue;
use super::registry::{self, Asked, Event, Exit, Guest, Left, Reply, Rest};
use crate::Error;
use crate::contract::Host;
use crate::stop::{KillSwitch, Limits, Stop};

/// Time that a guest has to stop by itself and report its stack before it is stopped.
const GRACE: Duration = Duration::from_micros(1500);

/// Reason of a guest that was not instantiated.
const NOT_LOADED: &str = "the guest cannot be loaded, or this browser has no room for another cell";

/// Capacity of the answer buffer that a cell keeps between two calls, in bytes.
const MAX_KEPT: usize = 64 << 10;

/// One running guest. Dropping it frees its memory.
pub struct Cell<H: Host> {
    cell: u32,
    /// Present while the guest is not on the stack.
    state: Option<Box<State<H>>>,
}

struct State<H> {
    host: H,
    /// The last answer, kept until the guest has taken it.
    answer: Vec<u8>,
    limits: Limits,
    memory_refused: bool,
    switch: KillSwitch,
    deadline: Instant,
    ending: Ending,
    /// True if the guest last left the stack by itself.
    came_back: bool,
    /// The reason why the guest had to leave the stack in the middle of a call.
    stopped: Option<Stop>,
}

/// Progress of ending a run.
enum Ending {
    /// The guest has not been asked to stop.
    No,
    /// The guest has been asked to stop; at this time it is stopped.
    Asked(Stop, Instant),
}

impl<H: Host> Guest for State<H> {
    fn call(&mut self, cell: u32, asked: Asked, _: &mut Context<'_>) -> Reply {
        let Asked::Cross { request, request_len, room, room_len } = asked else {
            return self.stop(Stop::Breach("call of a program in a tool".into()));
        };
        match self.cross(cell, (request, request_len), (room, room_len)) {
            Ok(len) => Reply::Value(len),
            Err(stop) => self.stop(stop),
        }
    }

    // T-CELL-001: endless computation.
    fn rest(&mut self, cell: u32) -> Rest {
        let now = Instant::now();
        let stop = match &self.ending {
            Ending::Asked(stop, at) if now >= *at => {
                self.stopped = Some(stop.clone());
                return Rest::Stop;
            }
            Ending::Asked(..) => return Rest::GoOn,
            Ending::No if self.switch.is_killed() => Stop::Killed,
            Ending::No if now >= self.deadline => Stop::Deadline,
            Ending::No => return Rest::Yield,
        };
        glue::interrupt_cell(cell, 1);
        self.ending = Ending::Asked(stop, now + GRACE);
        Rest::GoOn
    }

    // T-CELL-003: memory of the cell.
    fn grow(&mut self, from: u64, by: u64) -> bool {
        let allowed = from.saturating_add(by) <= self.limits.memory_bytes;
        self.memory_refused |= !allowed;
        allowed
    }
}

impl<H: Host> State<H> {
    fn stop(&mut self, stop: Stop) -> Reply {
        self.stopped = Some(stop);
        Reply::Gone
    }

    fn cross(&mut self, cell: u32, request: (u32, u32), room: (u32, u32)) -> Result<u32, Stop> {
        let (message, is_take) = registry::message(cell, request.0, request.1)?;
        if !is_take {
            self.answer.clear();
            self.answer.shrink_to(MAX_KEPT);
            self.host.cross(&message, &mut self.answer)?;
        } else if self.answer.len() > room.1 as usize {
            return Err(Stop::Breach("gate.take without room for the answer".into()));
        }
        registry::hand_over(cell, &self.answer, room.0, room.1)
    }

    /// Copies the reply of a guest that has left, or returns the reason why there is none.
    fn reply(&mut self, cell: u32, left: Left) -> Result<Vec<u8>, Stop> {
        if let Some(stop) = self.stopped.take() {
            return Err(stop);
        }
        match left.kind {
            Exit::Returned => {}
            Exit::Stack => return Err(Stop::Stack),
            Exit::NoRoom => return Err(Stop::Memory),
            // A guest that cannot allocate usually aborts.
            _ if self.memory_refused => return Err(Stop::Memory),
            Exit::Abort => return Err(Stop::Trap("unreachable code".into())),
            Exit::Memory => return Err(Stop::Trap("access out of bounds".into())),
            Exit::Arithmetic => return Err(Stop::Trap("arithmetic error".into())),
            Exit::NotLoaded => return Err(Stop::HostFailed(NOT_LOADED.into())),
        }
        self.came_back = true;
        // T-CELL-014: a result or exception that is too long.
        if left.second as usize > self.limits.reply_bytes {
            return Err(Stop::ReplyTooLong(left.second as usize));
        }
        let bytes = glue::read(cell, left.first.into(), left.second.into());
        bytes.ok_or_else(|| Stop::Breach("reply outside the guest's memory".into()))
    }
}

impl<H: Host> Cell<H> {
    /// Makes a cell. Its memory is allocated when it is first entered.
    // T-CELL-020: state of one run seen by the next.
    pub fn new(
        image: &Image<H>,
        host: H,
        limits: Limits,
        switch: KillSwitch,
        deadline: Instant,
    ) -> Result<Self, Error> {
        let state = State {
            host,
            answer: Vec::new(),
            limits,
            memory_refused: false,
            switch,
            deadline,
            ending: Ending::No,
            came_back: true,
            stopped: None,
        };
        let cell = registry::next_cell();
        glue::prepare_cell(cell, image.name);
        Ok(Cell { cell, state: Some(Box::new(state)) })
    }

    /// Passes a message to the guest, lets it compute until it has nothing left to do, and copies
    /// its reply out. After an error the cell can only be dropped.
    pub async fn enter(&mut self, message: &[u8]) -> Result<Vec<u8>, Stop> {
        let cell = self.cell;
        let state = self.state_mut();
        if state.switch.is_killed() {
            return Err(Stop::Killed);
        }
        if state.deadline <= Instant::now() {
            return Err(Stop::Deadline);
        }
        state.came_back = false;
        let mut stay = Stay { of: self };
        stay.put_back();
        glue::enter_cell(cell, message);
        loop {
            match poll_fn(|cx| registry::poll_event(cell, cx)).await {
                Event::Left(left) => {
                    stay.take();
                    return stay.of.state_mut().reply(cell, left);
                }
                Event::Asked(Asked::Wait { ticket, room, room_len }) => {
                    stay.take();
                    let state = stay.of.state_mut();
                    state.answer.clear();
                    // T-CELL-028: a tool that blocks in a call.
                    state.deadline = state.host.wait(ticket, &mut state.answer).await?;
                    let len = registry::hand_over(cell, &state.answer, room, room_len)?;
                    stay.put_back();
                    glue::answer_cell(cell, len);
                }
                Event::Asked(Asked::Cross { .. } | Asked::Import { .. }) => {}
            }
        }
    }

    fn state(&self) -> &State<H> {
        self.state.as_deref().expect("the state of a cell is in place between entries")
    }

    fn state_mut(&mut self) -> &mut State<H> {
        self.state.as_deref_mut().expect("the state of a cell is in place between entries")
    }

    /// Returns the host that handles this cell's calls.
    pub fn host(&self) -> &H {
        &self.state().host
    }

    /// Returns the host that handles this cell's calls.
    pub fn host_mut(&mut self) -> &mut H {
        &mut self.state_mut().host
    }

    /// Returns the host that handles this cell's calls, and the memory of the guest.
    pub fn host_and_memory(&mut self) -> (&mut H, Resident) {
        (self.host_mut(), Resident)
    }

    /// Prepares a kept cell for its next run.
    pub fn rearm(&mut self, switch: KillSwitch, deadline: Instant) {
        glue::interrupt_cell(self.cell, 0);
        let state = self.state_mut();
        state.switch = switch;
        state.deadline = deadline;
        state.ending = Ending::No;
        state.memory_refused = false;
    }

    /// Returns the deadline, extended by time spent waiting for approval.
    pub fn deadline(&self) -> Instant {
        self.state().deadline
    }

    /// Changes the deadline; only effective while the guest is not on the stack.
    pub fn set_deadline(&mut self, deadline: Instant) {
        self.state_mut().deadline = deadline;
    }

    /// Returns the reason why the guest was asked to stop, if it was.
    pub fn asked_to_stop(&self) -> Option<Stop> {
        match &self.state().ending {
            Ending::No => None,
            Ending::Asked(stop, _) => Some(stop.clone()),
        }
    }

    /// Returns true if the guest last left the stack by itself. Otherwise it was stopped, and the
    /// cell can only be dropped.
    pub fn came_back(&self) -> bool {
        self.state().came_back
    }

    /// Returns true if the guest was ever refused memory.
    pub fn memory_refused(&self) -> bool {
        self.state().memory_refused
    }

    /// Returns zero: a page has no thread on which large cells could be freed.
    pub fn grown_bytes(&self) -> u64 {
        0
    }
}

/// The memory of a guest that is not on the stack. A browser parks nothing.
pub struct Resident;

impl Resident {
    /// Waits for a future.
    pub async fn during<F: Future>(self, wait: F) -> F::Output {
        wait.await
    }
}

impl<H: Host> Drop for Cell<H> {
    fn drop(&mut self) {
        registry::remove(self.cell);
        glue::release_cell(self.cell);
    }
}

/// One stay of a guest on the stack. Brings the state back to its cell, also if the future of the
/// stay is dropped.
struct Stay<'a, H: Host> {
    of: &'a mut Cell<H>,
}

impl<H: Host> Stay<'_, H> {
    fn put_back(&mut self) {
        if let Some(state) = self.of.state.take() {
            registry::put(self.of.cell, state);
        }
    }

    fn take(&mut self) {
        if self.of.state.is_none() {
            self.of.state = registry::take(self.of.cell);
        }
    }
}

impl<H: Host> Drop for Stay<'_, H> {
    fn drop(&mut self) {
        self.take();
    }
}
