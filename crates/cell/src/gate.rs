//! The imports of a guest: `call` and `wait`, with every bound checked, and the two imports that
//! were added to its code at build time so that it can be stopped.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Poll;

use cofferdam_abi::call::TAKE;
use cofferdam_abi::frame::MAX_REQUEST;
use cofferdam_abi::names;
use wasmtime::{Caller, Linker};

use crate::cell::{Next, State};
use crate::contract::{Host, IMPORT_PACE, IMPORT_REST};
use crate::stop::Stop;

/// Capacity of the answer buffer that a cell keeps between two calls, in bytes.
const MAX_KEPT: usize = 64 << 10;

pub(crate) fn link<H: Host>(linker: &mut Linker<State<H>>) -> wasmtime::Result<()> {
    linker.func_wrap(names::IMPORT_MODULE, names::IMPORT_CALL, cross::<H>)?;
    linker.func_wrap_async(
        names::IMPORT_MODULE,
        names::IMPORT_WAIT,
        |caller, (ticket, room, room_len): (u32, u32, u32)| {
            Box::new(wait::<H>(caller, ticket, room, room_len))
        },
    )?;
    linker.func_wrap(names::IMPORT_MODULE, IMPORT_PACE, |caller: Caller<'_, State<H>>| {
        u32::from(caller.data().is_rung())
    })?;
    linker.func_wrap_async(names::IMPORT_MODULE, IMPORT_REST, |caller, ()| {
        Box::new(rest::<H>(caller))
    })?;
    Ok(())
}

async fn rest<H: Host>(mut caller: Caller<'_, State<H>>) -> wasmtime::Result<()> {
    let Some(memory) = caller.data().memory else {
        return breach("rest before the cell was set up");
    };
    let (guest, state) = memory.data_and_store_mut(&mut caller);
    match state.look_at_clock(guest)? {
        Next::GoOn => {}
        Next::Yield => {
            let mut is_polled = false;
            poll_fn(|cx| {
                if std::mem::replace(&mut is_polled, true) {
                    return Poll::Ready(());
                }
                cx.waker().wake_by_ref();
                Poll::Pending
            })
            .await;
        }
    }
    Ok(())
}

/// `call(request, request_len, answer, answer_cap) -> answer_len`.
///
/// An answer longer than the guest's buffer is kept; the guest enlarges its buffer and fetches the
/// answer with a single [`TAKE`] in a crossing of its own.
fn cross<H: Host>(
    mut caller: Caller<'_, State<H>>,
    request: u32,
    request_len: u32,
    answer: u32,
    answer_cap: u32,
) -> wasmtime::Result<u32> {
    let Some(memory) = caller.data().memory else {
        return breach("call before the cell was set up");
    };
    let (guest, state) = memory.data_and_store_mut(&mut caller);
    let Some(message) = slice(guest, request, request_len) else {
        return breach("request outside the guest's memory");
    };
    if message.len() > MAX_REQUEST {
        return breach("request longer than the limit");
    }
    let is_take = message.starts_with(&TAKE.to_le_bytes());
    if is_take {
        if message.len() != cofferdam_abi::frame::REQUEST_HEADER {
            return breach("gate.take with fields or in a batch");
        }
    } else {
        state.answer.clear();
        state.answer.shrink_to(MAX_KEPT);
        let answering = AssertUnwindSafe(|| state.host.cross(message, &mut state.answer));
        // T-CELL-010: a panic in a host call.
        match catch_unwind(answering) {
            Ok(Ok(())) => {}
            Ok(Err(stop)) => return Err(stop.into()),
            Err(_) => return Err(Stop::HostFailed("panic in a host call".into()).into()),
        }
    }
    if is_take && state.answer.len() > answer_cap as usize {
        return breach("gate.take without room for the answer");
    }
    hand_over(guest, &state.answer, answer, answer_cap)
}

/// `wait(ticket, answer, answer_cap) -> answer_len`. An answer that is too long is kept, as in
/// [`cross`].
async fn wait<H: Host>(
    mut caller: Caller<'_, State<H>>,
    ticket: u32,
    room: u32,
    room_len: u32,
) -> wasmtime::Result<u32> {
    let Some(memory) = caller.data().memory else {
        return breach("wait before the cell was set up");
    };
    let (guest, state) = memory.data_and_store_mut(&mut caller);
    state.wait_for(guest, ticket).await?;
    hand_over(guest, &state.answer, room, room_len)
}

/// Copies an answer into the guest if it fits; returns its length.
fn hand_over(guest: &mut [u8], answer: &[u8], room: u32, room_len: u32) -> wasmtime::Result<u32> {
    let Ok(len) = u32::try_from(answer.len()) else {
        return breach("answer longer than 4 GiB");
    };
    if len <= room_len {
        let Some(room) = slice_mut(guest, room, len) else {
            return breach("room for the answer outside the guest's memory");
        };
        room.copy_from_slice(answer);
    }
    Ok(len)
}

fn breach<T>(what: &str) -> wasmtime::Result<T> {
    Err(Stop::Breach(what.into()).into())
}

// T-CELL-007: request, answer or reply outside the guest's memory.
pub(crate) fn slice(memory: &[u8], at: u32, len: u32) -> Option<&[u8]> {
    memory.get(at as usize..(at as usize).checked_add(len as usize)?)
}

fn slice_mut(memory: &mut [u8], at: u32, len: u32) -> Option<&mut [u8]> {
    memory.get_mut(at as usize..(at as usize).checked_add(len as usize)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// T-CELL-007.
    #[test]
    fn nothing_outside_the_guests_memory_is_read_or_written() {
        let mut memory = [7_u8; 16];
        for (at, len) in [(0, 17), (16, 1), (17, 0), (15, 2), (u32::MAX, 1), (1, u32::MAX)] {
            assert_eq!(slice(&memory, at, len), None, "{at} {len}");
            assert_eq!(slice_mut(&mut memory, at, len), None, "{at} {len}");
        }
        assert_eq!(slice(&memory, 4, 12), Some(&[7; 12][..]));
        assert_eq!(slice(&memory, 16, 0), Some(&[][..]));

        for room in [13, 16, u32::MAX] {
            let stopped = hand_over(&mut memory, b"four", room, 4).expect_err("no room there");
            assert!(matches!(stopped.downcast_ref::<Stop>(), Some(Stop::Breach(_))), "{stopped}");
        }
        // Longer than the buffer that the guest claims to have: nothing is written.
        assert_eq!(hand_over(&mut memory, b"four", 0, 3).expect("its length"), 4);
        assert_eq!(memory, [7; 16]);
        assert_eq!(hand_over(&mut memory, b"four", 12, 4).expect("its length"), 4);
        assert_eq!(memory[12..], *b"four");
    }
}
