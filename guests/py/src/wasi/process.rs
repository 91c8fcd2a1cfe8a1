//! Functions of WASI about clocks, randomness and the process, which is the cell.

use cofferdam_abi::call::ToolCall;
use cofferdam_abi::wire::Reader;

use super::{Errno, status};
use crate::host;

/// Clock that counts from 1970.
const CLOCK_WALL: u32 = 0;

#[unsafe(no_mangle)]
unsafe extern "C" fn __imported_wasi_snapshot_preview1_clock_time_get(
    clock: u32,
    _: u64,
    to: *mut u64,
) -> u16 {
    let which = if clock == CLOCK_WALL { ToolCall::ClockWall } else { ToolCall::ClockMonotonic };
    // SAFETY: the C library passes room for the number.
    unsafe { *to = (host::clock_ms(which) * 1e6).max(0.0) as u64 };
    status(Ok(()))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __imported_wasi_snapshot_preview1_clock_res_get(_: u32, to: *mut u64) -> u16 {
    // SAFETY: the C library passes room for the number.
    unsafe { *to = 1000 };
    status(Ok(()))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __imported_wasi_snapshot_preview1_random_get(to: *mut u8, len: u32) -> u16 {
    // SAFETY: the C library passes room for `len` bytes.
    host::random(unsafe { std::slice::from_raw_parts_mut(to, len as usize) });
    status(Ok(()))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __imported_wasi_snapshot_preview1_args_sizes_get(
    count: *mut u32,
    len: *mut u32,
) -> u16 {
    // SAFETY: the C library passes room for the numbers.
    unsafe { (*count, *len) = (0, 0) };
    status(Ok(()))
}

#[unsafe(no_mangle)]
extern "C" fn __imported_wasi_snapshot_preview1_args_get(_: *mut u8, _: *mut u8) -> u16 {
    status(Ok(()))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __imported_wasi_snapshot_preview1_environ_sizes_get(
    count: *mut u32,
    len: *mut u32,
) -> u16 {
    // SAFETY: the C library passes room for the numbers.
    unsafe { (*count, *len) = (0, 0) };
    status(Ok(()))
}

#[unsafe(no_mangle)]
extern "C" fn __imported_wasi_snapshot_preview1_environ_get(_: *mut u8, _: *mut u8) -> u16 {
    status(Ok(()))
}

#[unsafe(no_mangle)]
extern "C" fn __imported_wasi_snapshot_preview1_proc_exit(code: u32) -> ! {
    // A fatal error of CPython: it has printed its message, and its state cannot be trusted.
    panic!("exit with {code}");
}

#[unsafe(no_mangle)]
extern "C" fn __imported_wasi_snapshot_preview1_sched_yield() -> u16 {
    status(Ok(()))
}

/// `struct __wasi_subscription_t`.
#[repr(C)]
struct Subscription {
    user: u64,
    tag: u8,
    clock: ClockSubscription,
}

/// `struct __wasi_subscription_clock_t`.
#[repr(C)]
struct ClockSubscription {
    id: u32,
    timeout: u64,
    precision: u64,
    flags: u16,
}

/// `struct __wasi_event_t`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Event {
    user: u64,
    error: u16,
    kind: u8,
    bytes: u64,
    flags: u16,
}

const TAG_CLOCK: u8 = 0;
const ABSOLUTE: u16 = 1;

/// Sleeps until the first clock. Descriptors are ready at once.
#[unsafe(no_mangle)]
unsafe extern "C" fn __imported_wasi_snapshot_preview1_poll_oneoff(
    subscriptions: *const Subscription,
    events: *mut Event,
    count: u32,
    done: *mut u32,
) -> u16 {
    if count == 0 {
        return status(Err(Errno::EINVAL));
    }
    // SAFETY: the C library passes `count` subscriptions and room for as many events.
    unsafe {
        let asked = std::slice::from_raw_parts(subscriptions, count as usize);
        let mut ready = 0;
        let mut shortest: Option<(u64, f64)> = None;
        for one in asked {
            if one.tag != TAG_CLOCK {
                let event = Event { user: one.user, error: 0, kind: one.tag, bytes: 0, flags: 0 };
                events.add(ready).write(event);
                ready += 1;
                continue;
            }
            let mut ms = one.clock.timeout as f64 / 1e6;
            if one.clock.flags & ABSOLUTE != 0 {
                let which = if one.clock.id == CLOCK_WALL {
                    ToolCall::ClockWall
                } else {
                    ToolCall::ClockMonotonic
                };
                ms -= host::clock_ms(which);
            }
            if shortest.is_none_or(|(_, other)| ms < other) {
                shortest = Some((one.user, ms));
            }
        }
        if let (0, Some((user, ms))) = (ready, shortest) {
            sleep(ms);
            events.write(Event { user, error: 0, kind: TAG_CLOCK, bytes: 0, flags: 0 });
            ready = 1;
        }
        *done = ready as u32;
    }
    status(Ok(()))
}

/// Waits for a timer of its own; answers to other calls stay with the host.
fn sleep(ms: f64) {
    if !host::is_live() {
        return;
    }
    let started = host::call(ToolCall::TimerStart, |w| w.f64(ms.max(0.0)));
    if let Ok(ticket) = Reader::new(&started.payload).u32() {
        host::wait(ticket);
    }
}
