//! A deterministic stand-in for the host: a clock that only tests move, random bytes that count up,
//! timers that fire on demand.

pub(super) mod files;

use std::cell::{Cell, RefCell};

use cofferdam_abi::call::ToolCall;
use cofferdam_abi::frame::{self, Refusal, Status};
use cofferdam_abi::value::{self, Value};
use cofferdam_abi::wire::{Reader, Writer};

thread_local! {
    static OUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static ERR: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static CLOCK: Cell<f64> = const { Cell::new(0.0) };
    static NEXT_BYTE: Cell<u8> = const { Cell::new(0) };
    static TIMERS: RefCell<Vec<(f64, u32)>> = const { RefCell::new(Vec::new()) };
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static LAST_TICKET: Cell<u32> = const { Cell::new(0) };
}

/// Answers request frames.
pub fn cross<T>(request: &[u8], f: impl FnOnce(&[u8]) -> T) -> T {
    let mut requests = Reader::new(request);
    let mut answers = Writer::new();
    while !requests.is_empty() {
        let request = frame::next_request(&mut requests).expect("the guest packs well");
        let (status, payload) = answer(request.call, request.payload);
        frame::write_answer(&mut answers, status, &payload);
    }
    f(answers.as_bytes())
}

/// Moves the clock to a timer that is waited for, the only call that is ever pending here.
pub fn wait<T>(ticket: u32, f: impl FnOnce(&[u8]) -> T) -> T {
    let at = TIMERS.with_borrow_mut(|timers| {
        let found = timers.iter().position(|timer| timer.1 == ticket).expect("a timer");
        timers.remove(found).0
    });
    CLOCK.set(CLOCK.get().max(at));
    let mut answer = Writer::new();
    frame::write_answer(&mut answer, Status::Done, &[]);
    f(answer.as_bytes())
}

fn answer(call: ToolCall, payload: &[u8]) -> (Status, Vec<u8>) {
    let mut fields = Reader::new(payload);
    let done = |bytes: Vec<u8>| (Status::Done, bytes);
    match call {
        ToolCall::ConsoleWrite => {
            let sink = if payload[0] == 1 { &OUT } else { &ERR };
            sink.with_borrow_mut(|sink| sink.extend_from_slice(&payload[1..]));
            done(Vec::new())
        }
        ToolCall::ClockWall => done((1_700_000_000_000.0 + CLOCK.get()).to_le_bytes().to_vec()),
        ToolCall::ClockMonotonic => done(CLOCK.get().to_le_bytes().to_vec()),
        ToolCall::RandomBytes => {
            let count = fields.u32().expect("count");
            let next = |_| NEXT_BYTE.replace(NEXT_BYTE.get().wrapping_add(1));
            done((0..count).map(next).collect())
        }
        ToolCall::TimerStart => {
            let ticket = LAST_TICKET.get() + 1;
            LAST_TICKET.set(ticket);
            let at = CLOCK.get() + fields.f64().expect("delay");
            TIMERS.with_borrow_mut(|timers| timers.push((at, ticket)));
            (Status::Pending, ticket.to_le_bytes().to_vec())
        }
        ToolCall::TicketCancel => {
            let ticket = fields.u32().expect("ticket");
            TIMERS.with_borrow_mut(|timers| timers.retain(|timer| timer.1 != ticket));
            done(Vec::new())
        }
        ToolCall::VariableList => {
            let mut w = Writer::new();
            value::encode(&Value::Array(Vec::new()), &mut w);
            done(w.finish())
        }
        // No variable is set.
        ToolCall::VariableGet if files::is_served() => {
            let mut w = Writer::new();
            value::encode(&Value::Null, &mut w);
            done(w.finish())
        }
        ToolCall::InputRead => done(INPUT.take()),
        other if let Some(answer) = files::answer(other, payload) => answer,
        // The double grants nothing else.
        other => {
            let mut w = Writer::new();
            let members = vec![("code", "PERMISSION_DENIED"), ("attemptedAction", other.name())];
            Refusal { name: "PermissionError", message: "nothing is granted", members }
                .write(&mut w);
            (Status::Refused, w.finish())
        }
    }
}

/// Moves the clock.
pub fn advance(ms: f64) {
    CLOCK.set(CLOCK.get() + ms);
}

/// Gives the tool standard input.
pub fn set_input(bytes: &[u8]) {
    INPUT.set(bytes.to_vec());
}

/// Starts over, as for a fresh cell.
pub fn reset() {
    CLOCK.set(0.0);
    NEXT_BYTE.set(0);
    LAST_TICKET.set(0);
    TIMERS.take();
    INPUT.take();
    take_output();
    files::forget();
}

/// Takes the output so far: standard output, standard error.
pub fn take_output() -> (Vec<u8>, Vec<u8>) {
    (OUT.take(), ERR.take())
}

/// Moves the clock to the next timer and returns its ticket.
pub fn next_ticket() -> Option<u32> {
    let next = TIMERS.with_borrow_mut(|timers| {
        let first =
            (0..timers.len()).min_by(|a, b| timers[*a].partial_cmp(&timers[*b]).unwrap())?;
        Some(timers.remove(first))
    });
    let (at, ticket) = next?;
    CLOCK.set(CLOCK.get().max(at));
    Some(ticket)
}

/// Moves the clock to the next timer and answers it. Returns false if there is none.
pub fn fire_next(ctx: &rquickjs::Ctx<'_>) -> rquickjs::Result<bool> {
    let Some(ticket) = next_ticket() else { return Ok(false) };
    crate::pending::answer(ctx, ticket, Status::Done, &[])?;
    Ok(true)
}
