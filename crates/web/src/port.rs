//! Messages between the host and its worker, as JSON in the host's memory.
#![allow(unsafe_code)]

use std::cell::RefCell;
use std::collections::HashMap;
use std::future::poll_fn;
use std::task::{Poll, Waker};
use std::time::Instant;

use serde_json::{Value as Json, json};

use crate::{executor, methods};

#[link(wasm_import_module = "cofferdam_web")]
unsafe extern "C" {
    /// Attaches bytes to the next message; the worker copies them.
    fn attach(bytes: *const u8, len: usize);
    /// Hands a message to the worker, which copies it.
    fn send(message: *const u8, len: usize);
    /// Has `web_poll` called as soon as the stack is empty.
    fn wake();
    /// Has `web_poll` called after this many milliseconds at the latest.
    fn sleep(milliseconds: f64);
}

/// Result of an inquiry: a value, or the text of an error.
pub(crate) type Settled = Result<Json, String>;

#[derive(Default)]
struct Inquiries {
    next: u64,
    open: HashMap<u64, Slot>,
}

#[derive(Default)]
struct Slot {
    settled: Option<Settled>,
    waker: Option<Waker>,
}

thread_local! {
    static INQUIRIES: RefCell<Inquiries> = RefCell::default();
    /// Bytes that came with the message that is being handled.
    static ATTACHED: RefCell<Option<Vec<u8>>> = const { RefCell::new(None) };
}

/// Takes the bytes that came with the message that is being handled.
pub(crate) fn attached() -> Option<Vec<u8>> {
    ATTACHED.take()
}

/// Puts bytes back that belong to the message that is being handled.
pub(crate) fn attach_again(bytes: Option<Vec<u8>>) {
    ATTACHED.set(bytes);
}

/// Sends a message with bytes beside it, which JSON could only hold as text.
pub(crate) fn post_with(message: &Json, bytes: &[u8]) {
    // SAFETY: the worker copies `len` bytes during the call.
    unsafe { attach(bytes.as_ptr(), bytes.len()) }
    post(message);
}

/// Sends a message to the worker.
pub(crate) fn post(message: &Json) {
    let text = message.to_string();
    // SAFETY: the worker copies `len` bytes during the call.
    unsafe { send(text.as_ptr(), text.len()) }
}

/// Sends an event, which nobody answers.
pub(crate) fn notify(event: &str, params: Json) {
    post(&json!({ "event": event, "params": params }));
}

/// Has the executor polled soon.
pub(crate) fn schedule() {
    // SAFETY: passes no pointers.
    unsafe { wake() }
}

/// Asks the page, and waits for its answer. Dropping the future tells the page that nobody waits
/// any more.
pub(crate) async fn inquire(kind: &str, params: Json) -> Settled {
    let ticket = INQUIRIES.with_borrow_mut(|inquiries| {
        inquiries.next += 1;
        inquiries.open.insert(inquiries.next, Slot::default());
        inquiries.next
    });
    let open = Open(ticket);
    post(&json!({ "inquiry": ticket, "kind": kind, "params": params }));
    poll_fn(|cx| {
        INQUIRIES.with_borrow_mut(|inquiries| {
            let Some(slot) = inquiries.open.get_mut(&open.0) else {
                return Poll::Ready(Err("the page is gone".to_owned()));
            };
            match slot.settled.take() {
                Some(settled) => Poll::Ready(settled),
                None => {
                    slot.waker = Some(cx.waker().clone());
                    Poll::Pending
                }
            }
        })
    })
    .await
}

/// An inquiry that waits for the page.
struct Open(u64);

impl Drop for Open {
    fn drop(&mut self) {
        INQUIRIES.with_borrow_mut(|inquiries| inquiries.open.remove(&self.0));
        post(&json!({ "inquiryOver": self.0 }));
    }
}

/// Settles an inquiry. An answer that nothing waits for is ignored: its run may have ended.
fn settle(ticket: u64, settled: Settled) {
    let waker = INQUIRIES.with_borrow_mut(|inquiries| {
        let slot = inquiries.open.get_mut(&ticket)?;
        slot.settled = Some(settled);
        slot.waker.take()
    });
    if let Some(waker) = waker {
        waker.wake();
    }
}

/// Takes a message of the worker: a request, or the answer to an inquiry.
fn receive(message: &[u8]) {
    let Ok(Json::Object(mut message)) = serde_json::from_slice(message) else { return };
    if let Some(ticket) = message.get("inquiry").and_then(Json::as_u64) {
        let settled = match message.remove("error") {
            None | Some(Json::Null) => Ok(message.remove("value").unwrap_or(Json::Null)),
            Some(Json::String(text)) => Err(text),
            Some(other) => Err(other.to_string()),
        };
        return settle(ticket, settled);
    }
    let id = message.remove("id").unwrap_or(Json::Null);
    let params = message.remove("params").unwrap_or(Json::Null);
    if let Some(Json::String(method)) = message.remove("method") {
        methods::request(id, &method, params);
    }
}

/// Returns memory for a message of the worker.
#[unsafe(no_mangle)]
extern "C" fn web_alloc(len: usize) -> *mut u8 {
    Box::into_raw(vec![0; len].into_boxed_slice()).cast()
}

/// Takes a message of the worker, in memory from `web_alloc`.
///
/// # Safety
///
/// `message` and `len` must be those of one call of `web_alloc`, and are used up.
#[unsafe(no_mangle)]
unsafe extern "C" fn web_receive(message: *mut u8, len: usize) {
    // SAFETY: the caller promises that this is a box made by `web_alloc`.
    let message = unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(message, len)) };
    receive(&message);
}

/// Takes bytes that belong to the next message, in memory from `web_alloc`.
///
/// # Safety
///
/// `bytes` and `len` must be those of one call of `web_alloc`, and are used up.
#[unsafe(no_mangle)]
unsafe extern "C" fn web_attach(bytes: *mut u8, len: usize) {
    // SAFETY: the caller promises that this is a box made by `web_alloc`.
    let bytes = unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(bytes, len)) };
    ATTACHED.set(Some(bytes.into_vec()));
}

/// Lets the runs continue that are ready.
#[unsafe(no_mangle)]
extern "C" fn web_poll() {
    cofferdam_cell::browser::tick();
    executor::poll();
    if let Some(next) = cofferdam_cell::browser::tick() {
        let left = next.saturating_duration_since(Instant::now());
        // SAFETY: passes no pointers.
        unsafe { sleep(left.as_secs_f64() * 1e3) }
    }
}
