//! Runs a program: a module with `_start` that imports WASI preview 1.

use std::future::poll_fn;
use std::task::{Context, Poll};

use super::engine::ProgramImage;
use super::glue;
use super::memory::GuestMemory;
use super::registry::{self, Asked, Event, Exit, Guest, Left, Reply, Rest};
use crate::budget::{Account, ProgramLimits};
use crate::contract::{Finish, Leave, Program, TrapKind};
use crate::stop::Stop;
use crate::{Error, ErrorKind};

/// Capacity of the answer buffer that a cell keeps between two calls, in bytes.
const MAX_KEPT: usize = 64 << 10;

struct State<P> {
    program: P,
    /// The last answer of the gate, kept until the guest has taken it.
    answer: Vec<u8>,
    /// True while a crossing is pending, with part of its answer in place.
    is_begun: bool,
    account: Account,
    /// The way the program left in the middle of a call.
    left: Option<Result<Leave, Stop>>,
}

impl<P: Program> Guest for State<P> {
    fn call(&mut self, cell: u32, asked: Asked, cx: &mut Context<'_>) -> Reply {
        let polled = match asked {
            Asked::Import { import, args, count } => {
                let memory = GuestMemory::new(cell);
                self.program.poll_import(import, &args[..count], memory, cx).map_err(Ok)
            }
            Asked::Cross { request, request_len, room, room_len } => {
                self.poll_cross(cell, (request, request_len), (room, room_len), cx)
            }
            Asked::Wait { .. } => {
                Poll::Ready(Err(Err(Stop::Breach("wait of a tool in a program".into()))))
            }
        };
        match polled {
            Poll::Ready(Ok(value)) => Reply::Value(value),
            Poll::Ready(Err(left)) => {
                self.left = Some(left);
                Reply::Gone
            }
            Poll::Pending => Reply::Pending,
        }
    }

    /// Nothing is decided here: the run ends the program by not polling it again.
    fn rest(&mut self, _: u32) -> Rest {
        Rest::Yield
    }

    fn grow(&mut self, _: u64, by: u64) -> bool {
        self.account.charge(by)
    }
}

impl<P: Program> State<P> {
    fn poll_cross(
        &mut self,
        cell: u32,
        request: (u32, u32),
        (room, room_len): (u32, u32),
        cx: &mut Context<'_>,
    ) -> Poll<Result<u32, Result<Leave, Stop>>> {
        let (message, is_take) = match registry::message(cell, request.0, request.1) {
            Ok(message) => message,
            Err(stop) => return Poll::Ready(Err(Err(stop))),
        };
        if !is_take {
            if !std::mem::replace(&mut self.is_begun, true) {
                self.answer.clear();
                self.answer.shrink_to(MAX_KEPT);
            }
            match self.program.poll_cross(&message, &mut self.answer, cx) {
                Poll::Ready(Ok(())) => self.is_begun = false,
                Poll::Ready(Err(leave)) => return Poll::Ready(Err(Ok(leave))),
                Poll::Pending => return Poll::Pending,
            }
        } else if self.answer.len() > room_len as usize {
            let what = "gate.take without room for the answer";
            return Poll::Ready(Err(Err(Stop::Breach(what.into()))));
        }
        Poll::Ready(registry::hand_over(cell, &self.answer, room, room_len).map_err(Err))
    }
}

/// Runs a program to its end in a cell of its own. Dropping the future ends the program and frees
/// everything it holds.
///
/// The program lets the event loop turn at every slice. The caller checks switch and deadline
/// between two polls.
///
/// An error of the outer result is a failure of the host: the cell could not be created.
pub async fn execute<P: Program>(
    image: &ProgramImage<P>,
    program: P,
    limits: ProgramLimits,
) -> Result<Result<Finish, Stop>, Error> {
    let state = State {
        program,
        answer: Vec::new(),
        is_begun: false,
        account: Account::new(limits),
        left: None,
    };
    let cell = registry::next_cell();
    glue::prepare_cell(cell, &image.name);
    let _running = Running(cell);
    registry::put(cell, Box::new(state));
    glue::start_cell(cell);
    poll_fn(|cx| {
        loop {
            match registry::poll_event(cell, cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Event::Left(left)) => {
                    return Poll::Ready(match registry::take::<State<P>>(cell) {
                        Some(state) => finish(*state, left),
                        None => Err(Error::new(ErrorKind::Image, "the cell was lost")),
                    });
                }
                Poll::Ready(Event::Asked(asked)) => {
                    let Some(mut state) = registry::take::<State<P>>(cell) else {
                        continue;
                    };
                    let reply = state.call(cell, asked, cx);
                    let reply = match reply {
                        Reply::Gone => {
                            let left = Left { kind: Exit::Returned, first: 0, second: 0 };
                            return Poll::Ready(finish(*state, left));
                        }
                        reply => reply,
                    };
                    registry::put(cell, state);
                    match reply {
                        Reply::Value(value) => glue::answer_cell(cell, value),
                        Reply::Pending | Reply::Gone => {
                            registry::still_asked(cell, asked);
                            return Poll::Pending;
                        }
                    }
                }
            }
        }
    })
    .await
}

/// Frees the cell of a program.
struct Running(u32);

impl Drop for Running {
    fn drop(&mut self) {
        registry::remove(self.0);
        glue::release_cell(self.0);
    }
}

fn finish<P>(mut state: State<P>, left: Left) -> Result<Result<Finish, Stop>, Error> {
    match state.left.take() {
        Some(Ok(Leave::Exit(code))) => return Ok(Ok(Finish::Exited(code))),
        Some(Ok(Leave::Signal(signal))) => return Ok(Ok(Finish::Signalled(signal))),
        Some(Ok(Leave::Breach(what))) => return Ok(Err(Stop::Breach(what))),
        Some(Err(stop)) => return Ok(Err(stop)),
        None => {}
    }
    let kind = match left.kind {
        Exit::Returned => return Ok(Ok(Finish::Exited(left.first))),
        Exit::Stack => TrapKind::Stack,
        Exit::NotLoaded if !state.account.has_refused() => {
            return Err(Error::new(
                ErrorKind::Image,
                "the guest cannot be loaded, or this browser has no room for another cell",
            ));
        }
        // A program that cannot allocate usually aborts.
        _ if state.account.has_refused() => TrapKind::OutOfMemory,
        Exit::Arithmetic => TrapKind::Arithmetic,
        Exit::Abort => TrapKind::Abort,
        Exit::Memory | Exit::NotLoaded | Exit::NoRoom => TrapKind::Memory,
    };
    Ok(Ok(Finish::Trapped(kind)))
}
