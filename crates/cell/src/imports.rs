//! Links the imports of programs: the functions of WASI preview 1 and the gate.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::{Context, Poll};

use cofferdam_abi::call::TAKE;
use cofferdam_abi::frame::{MAX_REQUEST, REQUEST_HEADER};
use cofferdam_abi::names;
use wasmtime::{Caller, Linker};

use crate::contract::{Leave, Program};
use crate::gate::slice;
use crate::memory::GuestMemory;
use crate::program::{Departure, State};
use crate::stop::Stop;
use crate::wasi::{Import, WASI, functions};

/// Capacity of the answer buffer that a cell keeps between two calls, in bytes.
const MAX_KEPT: usize = 64 << 10;

macro_rules! link {
    ($($variant:ident $name:literal ($($arg:ident: $ty:ident),*))+) => {
        fn link_wasi<P: Program>(linker: &mut Linker<State<P>>) -> wasmtime::Result<()> {
            $(linker.func_wrap_async(
                WASI,
                $name,
                |caller: Caller<'_, State<P>>, ($($arg,)*): ($($ty,)*)| {
                    Box::new(answer(caller, Import::$variant, [$(u64::from($arg)),*]))
                },
            )?;)+
            Ok(())
        }
    };
}

functions!(link);

/// Links all imports of a program.
pub(crate) fn link<P: Program>(linker: &mut Linker<State<P>>) -> wasmtime::Result<()> {
    link_wasi(linker)?;
    linker.func_wrap(WASI, "proc_exit", |code: u32| -> wasmtime::Result<()> {
        Err(Departure(Leave::Exit(code)).into())
    })?;
    linker.func_wrap_async(
        names::IMPORT_MODULE,
        names::IMPORT_CALL,
        |caller: Caller<'_, State<P>>,
         (request, request_len, room, room_len): (u32, u32, u32, u32)| {
            Box::new(cross(caller, request, request_len, room, room_len))
        },
    )?;
    Ok(())
}

/// Polls the program's host until it has an answer.
async fn answer<P: Program, const N: usize>(
    mut caller: Caller<'_, State<P>>,
    import: Import,
    args: [u64; N],
) -> wasmtime::Result<u32> {
    poll_fn(|cx| {
        let Some(memory) = caller.data().memory else {
            return breach("call before the cell was set up");
        };
        let (guest, state) = memory.data_and_store_mut(&mut caller);
        let program = &mut state.program;
        guarded(cx, |cx| program.poll_import(import, &args, GuestMemory::new(guest), cx))
    })
    .await
}

/// `call(request, request_len, answer, answer_cap) -> answer_len`, as for tools, except that the
/// host may suspend the program until the answer is available.
async fn cross<P: Program>(
    mut caller: Caller<'_, State<P>>,
    request: u32,
    request_len: u32,
    room: u32,
    room_len: u32,
) -> wasmtime::Result<u32> {
    let mut is_begun = false;
    poll_fn(|cx| {
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
        if is_take && message.len() != REQUEST_HEADER {
            return breach("gate.take with fields or in a batch");
        }
        if !is_take {
            if !is_begun {
                is_begun = true;
                state.answer.clear();
                state.answer.shrink_to(MAX_KEPT);
            }
            let (program, answer) = (&mut state.program, &mut state.answer);
            match guarded(cx, |cx| program.poll_cross(message, answer, cx)) {
                Poll::Ready(Ok(())) => {}
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Pending => return Poll::Pending,
            }
        }
        let len = state.answer.len();
        if len <= room_len as usize {
            let end = (room as usize).saturating_add(len);
            let Some(room) = guest.get_mut(room as usize..end) else {
                return breach("room for the answer outside the guest's memory");
            };
            room.copy_from_slice(&state.answer);
        } else if is_take {
            return breach("gate.take without room for the answer");
        }
        match u32::try_from(len) {
            Ok(len) => Poll::Ready(Ok(len)),
            Err(_) => breach("answer longer than 4 GiB"),
        }
    })
    .await
}

/// Confines a panic in a host call to this run.
fn guarded<T>(
    cx: &mut Context<'_>,
    run: impl FnOnce(&mut Context<'_>) -> Poll<Result<T, Leave>>,
) -> Poll<wasmtime::Result<T>> {
    match catch_unwind(AssertUnwindSafe(|| run(cx))) {
        Ok(Poll::Pending) => Poll::Pending,
        Ok(Poll::Ready(Ok(value))) => Poll::Ready(Ok(value)),
        Ok(Poll::Ready(Err(leave))) => Poll::Ready(Err(Departure(leave).into())),
        Err(_) => {
            let failed = Stop::HostFailed("panic in a host call".into());
            Poll::Ready(Err(failed.into()))
        }
    }
}

fn breach<T>(what: &str) -> Poll<wasmtime::Result<T>> {
    Poll::Ready(Err(Stop::Breach(what.into()).into()))
}
