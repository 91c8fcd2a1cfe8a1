//! Guests on the stack, and the functions that they call.
//!
//! While a guest computes, its state is here, where the exported functions find it. The future that
//! waits for the guest takes the state out when the guest has left or waits for an answer.

use std::any::Any;
use std::cell::RefCell;
use std::collections::HashMap;
use std::task::{Context, Poll, Waker};

use super::glue;
use crate::stop::Stop;
use crate::wasi::Import;

/// Parameters of the largest import.
const MAX_ARGS: usize = 9;

/// A call of a guest: to the gate, or to a function of WASI.
#[derive(Clone, Copy)]
pub(super) enum Asked {
    /// One crossing of the gate.
    Cross { request: u32, request_len: u32, room: u32, room_len: u32 },
    /// A wait for the answer to a pending call.
    Wait { ticket: u32, room: u32, room_len: u32 },
    /// A function of WASI.
    Import { import: Import, args: [u64; MAX_ARGS], count: usize },
}

/// The way a guest left the stack, as the glue reports it.
#[derive(Clone, Copy)]
pub(super) struct Left {
    pub(super) kind: Exit,
    /// Address of a reply, or exit code.
    pub(super) first: u32,
    /// Length of a reply.
    pub(super) second: u32,
}

/// Category of [`Left`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Exit {
    /// The guest returned a reply, or exited with a code.
    Returned,
    Abort,
    Memory,
    Arithmetic,
    Stack,
    /// The guest could not be loaded or instantiated.
    NotLoaded,
    /// The guest could not be given room for a message.
    NoRoom,
}

impl Exit {
    const ALL: [Exit; 7] = [
        Exit::Returned,
        Exit::Abort,
        Exit::Memory,
        Exit::Arithmetic,
        Exit::Stack,
        Exit::NotLoaded,
        Exit::NoRoom,
    ];
}

/// The next step of a guest that called `rest`.
pub(super) enum Rest {
    /// Continues computing.
    GoOn,
    /// Lets the event loop turn.
    Yield,
    /// Leaves the stack.
    Stop,
}

/// The result of a call.
pub(super) enum Reply {
    /// The value that the guest's import returns.
    Value(u32),
    /// The guest is suspended, and the call is repeated.
    Pending,
    /// The guest leaves the stack; the state holds the reason.
    Gone,
}

/// The state of a guest on the stack.
pub(super) trait Guest: Any + Send {
    /// Handles a call, or repeats one that was pending.
    fn call(&mut self, cell: u32, asked: Asked, cx: &mut Context<'_>) -> Reply;
    /// Handles the end of a slice.
    fn rest(&mut self, cell: u32) -> Rest;
    /// Charges a growth of memory, in bytes; returns false if it is refused.
    fn grow(&mut self, from: u64, by: u64) -> bool;
}

#[derive(Default)]
struct Slot {
    guest: Option<Box<dyn Guest>>,
    asked: Option<Asked>,
    left: Option<Left>,
    waker: Option<Waker>,
}

thread_local! {
    static SLOTS: RefCell<HashMap<u32, Slot>> = RefCell::default();
    static COMPILING: RefCell<HashMap<u32, Compiled>> = RefCell::default();
    static NEXT: std::cell::Cell<u32> = const { std::cell::Cell::new(1) };
    static ARGS: std::cell::Cell<[u64; MAX_ARGS]> = const { std::cell::Cell::new([0; MAX_ARGS]) };
}

/// A module that is being compiled.
#[derive(Default)]
struct Compiled {
    waker: Option<Waker>,
    /// Name of the module, or the reason why it cannot run.
    result: Option<Result<Vec<u8>, String>>,
}

/// Waits for a module to be compiled: its name, or the reason why it cannot run.
pub(super) fn poll_compiled(ticket: u32, cx: &mut Context<'_>) -> Poll<Result<Vec<u8>, String>> {
    COMPILING.with_borrow_mut(|compiling| {
        let compiled = compiling.entry(ticket).or_default();
        compiled.waker = Some(cx.waker().clone());
        compiled.result.take().map_or(Poll::Pending, Poll::Ready)
    })
}

/// Forgets a module that nobody waits for any more.
pub(super) fn forget_compiled(ticket: u32) {
    COMPILING.with_borrow_mut(|compiling| compiling.remove(&ticket));
}

/// Returns a number for a new cell.
pub(super) fn next_cell() -> u32 {
    NEXT.replace(NEXT.get().wrapping_add(1))
}

/// Puts a guest's state where its calls find it.
pub(super) fn put(cell: u32, guest: Box<dyn Guest>) {
    SLOTS.with_borrow_mut(|slots| slots.entry(cell).or_default().guest = Some(guest));
}

/// Takes the state of a guest that is not computing.
pub(super) fn take<G: Guest>(cell: u32) -> Option<Box<G>> {
    let guest = SLOTS.with_borrow_mut(|slots| slots.get_mut(&cell)?.guest.take())?;
    let guest: Box<dyn Any> = guest;
    guest.downcast().ok()
}

/// Forgets a cell.
pub(super) fn remove(cell: u32) {
    let slot = SLOTS.with_borrow_mut(|slots| slots.remove(&cell));
    drop(slot);
}

/// An event for the future that waits for a guest.
pub(super) enum Event {
    /// The guest is suspended in a call.
    Asked(Asked),
    /// The guest has left the stack.
    Left(Left),
}

/// Waits for the guest's next event.
pub(super) fn poll_event(cell: u32, cx: &mut Context<'_>) -> Poll<Event> {
    SLOTS.with_borrow_mut(|slots| {
        let slot = slots.entry(cell).or_default();
        slot.waker = Some(cx.waker().clone());
        match (slot.left.take(), slot.asked.take()) {
            (Some(left), _) => Poll::Ready(Event::Left(left)),
            (None, Some(asked)) => Poll::Ready(Event::Asked(asked)),
            (None, None) => Poll::Pending,
        }
    })
}

/// Notes that a suspended guest still waits for the answer to this call.
pub(super) fn still_asked(cell: u32, asked: Asked) {
    SLOTS.with_borrow_mut(|slots| slots.entry(cell).or_default().asked = Some(asked));
}

fn note(cell: u32, change: impl FnOnce(&mut Slot)) {
    let waker = SLOTS.with_borrow_mut(|slots| {
        let slot = slots.get_mut(&cell)?;
        change(slot);
        slot.waker.clone()
    });
    if let Some(waker) = waker {
        waker.wake();
    }
}

/// Calls the guest's state outside of any borrow, since a call may start and end other cells.
fn with_guest<T>(cell: u32, run: impl FnOnce(&mut dyn Guest, Waker) -> T) -> Option<T> {
    let (mut guest, waker) = SLOTS.with_borrow_mut(|slots| {
        let slot = slots.get_mut(&cell)?;
        Some((slot.guest.take()?, slot.waker.clone()))
    })?;
    let value = run(&mut *guest, waker.unwrap_or_else(|| Waker::noop().clone()));
    SLOTS.with_borrow_mut(|slots| {
        if let Some(slot) = slots.get_mut(&cell) {
            slot.guest = Some(guest);
        }
    });
    Some(value)
}

const PENDING: f64 = -1.0;
const GONE: f64 = -2.0;

/// Handles a call at once if possible. The glue suspends the guest if it is pending.
fn call(cell: u32, asked: Asked) -> f64 {
    let reply = with_guest(cell, |guest, waker| {
        let reply = guest.call(cell, asked, &mut Context::from_waker(&waker));
        // A call may have made processes that the run has to adopt.
        waker.wake();
        reply
    });
    match reply {
        Some(Reply::Value(value)) => f64::from(value),
        Some(Reply::Pending) => {
            still_asked(cell, asked);
            PENDING
        }
        Some(Reply::Gone) | None => GONE,
    }
}

/// Imports of guests, called by the glue.
#[allow(unsafe_code)]
mod exports {
    use super::*;

    /// The import `call`. Returns the length of the answer, −1 if the guest has to be suspended, or
    /// −2 if it has to leave.
    #[unsafe(no_mangle)]
    extern "C" fn guest_call(
        cell: u32,
        request: u32,
        request_len: u32,
        room: u32,
        room_len: u32,
    ) -> f64 {
        call(cell, Asked::Cross { request, request_len, room, room_len })
    }

    /// The import `wait`; the guest is always suspended.
    #[unsafe(no_mangle)]
    extern "C" fn guest_wait(cell: u32, ticket: u32, room: u32, room_len: u32) {
        note(cell, |slot| slot.asked = Some(Asked::Wait { ticket, room, room_len }));
    }

    /// Returns the address of the arguments of `guest_import`.
    #[unsafe(no_mangle)]
    extern "C" fn guest_args() -> *mut u64 {
        ARGS.with(|args| args.as_ptr().cast())
    }

    /// A function of WASI, by its place in [`Import::ALL`]; returns its errno, or as `guest_call`.
    #[unsafe(no_mangle)]
    extern "C" fn guest_import(cell: u32, index: u32) -> f64 {
        match Import::ALL.get(index as usize) {
            Some(&(import, count)) => call(cell, Asked::Import { import, args: ARGS.get(), count }),
            None => GONE,
        }
    }

    /// Returns the name of a function of WASI by its place, for the glue's table: its address; its
    /// length is in the upper half. Zero after the last.
    #[unsafe(no_mangle)]
    extern "C" fn guest_import_name(index: u32) -> u64 {
        Import::ALL.get(index as usize).map_or(0, |(import, _)| {
            let name = import.name();
            (name.len() as u64) << 32 | name.as_ptr() as u64
        })
    }

    /// The import `rest`: 0 goes on, 1 lets the event loop turn, 2 leaves.
    #[unsafe(no_mangle)]
    extern "C" fn guest_rest(cell: u32) -> u32 {
        let rest = with_guest(cell, |guest, waker| {
            waker.wake();
            guest.rest(cell)
        });
        match rest {
            Some(Rest::GoOn) => 0,
            Some(Rest::Yield) => 1,
            Some(Rest::Stop) | None => 2,
        }
    }

    /// Asks for a growth of memory by this many pages; returns false if it is refused.
    #[unsafe(no_mangle)]
    extern "C" fn guest_grow(cell: u32, pages: u32) -> bool {
        let by = u64::from(pages) << 16;
        with_guest(cell, |guest, _| guest.grow(glue::memory_size(cell), by)).unwrap_or(false)
    }

    /// Reports that a module was compiled. The text is its name, or the reason why it cannot run.
    #[unsafe(no_mangle)]
    extern "C" fn guest_compiled(ticket: u32, is_fit: bool, len: usize) {
        let text = glue::text_of_compiled(ticket, len);
        let waker = COMPILING.with_borrow_mut(|compiling| {
            let compiled = compiling.get_mut(&ticket)?;
            compiled.result = Some(match is_fit {
                true => Ok(text),
                false => Err(String::from_utf8_lossy(&text).into_owned()),
            });
            compiled.waker.take()
        });
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Reports that a guest has left the stack.
    #[unsafe(no_mangle)]
    extern "C" fn guest_left(cell: u32, kind: u32, first: u32, second: u32) {
        let kind = Exit::ALL.get(kind as usize).copied().unwrap_or(Exit::Abort);
        note(cell, |slot| slot.left = Some(Left { kind, first, second }));
    }
}

/// Copies an answer into the guest if it fits, and returns its length.
pub(super) fn hand_over(cell: u32, answer: &[u8], room: u32, room_len: u32) -> Result<u32, Stop> {
    let Ok(len) = u32::try_from(answer.len()) else {
        return Err(Stop::Breach("answer longer than 4 GiB".into()));
    };
    if len <= room_len && glue::write(cell, room.into(), answer).is_none() {
        return Err(Stop::Breach("room for the answer outside the guest's memory".into()));
    }
    Ok(len)
}

/// Reads the message of a crossing; also returns true if it is a single `gate.take`.
pub(super) fn message(cell: u32, request: u32, len: u32) -> Result<(Vec<u8>, bool), Stop> {
    use cofferdam_abi::call::TAKE;
    use cofferdam_abi::frame::{MAX_REQUEST, REQUEST_HEADER};
    let breach = |what: &str| Err(Stop::Breach(what.into()));
    if len as usize > MAX_REQUEST {
        return breach("request longer than the limit");
    }
    let Some(message) = glue::read(cell, request.into(), len.into()) else {
        return breach("request outside the guest's memory");
    };
    let is_take = message.starts_with(&TAKE.to_le_bytes());
    if is_take && message.len() != REQUEST_HEADER {
        return breach("gate.take with fields or in a batch");
    }
    Ok((message, is_take))
}
