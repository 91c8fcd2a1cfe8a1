//! The client of `rpc`, as the server sees it: writes answers and notifications, asks questions,
//! and calls functions that the client lent.
//!
//! Only the client at the other end of standard input can answer. When standard input ends,
//! questions are denied and calls fail, so that no run waits for a client that is gone.

use std::collections::HashMap;
use std::future::Future;
use std::io::Write;
use std::os::fd::AsFd;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use cofferdam::permissions::{Answer, Approver, Question};
use cofferdam::{Stream, Watcher};
use cofferdam_front::json::question as question_json;
use cofferdam_front::lock;
use cofferdam_front::text::Pieces;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use serde_json::{Value as Json, json};
use tokio::sync::{oneshot, watch};

use crate::request::Response;

/// Longest line that a pipe takes whole if it takes any byte: `PIPE_BUF`.
const AT_ONCE: usize = 4096;

/// Most calls of lent functions that wait for the client; each holds its arguments.
const MAX_CALLS: usize = 10_000;

type Settled = Result<Json, String>;

/// The connection to the client.
pub(crate) struct Channel {
    /// Calls that wait for the client, by their ids.
    calls: Mutex<HashMap<String, oneshot::Sender<Settled>>>,
    next: AtomicU64,
    is_closed: watch::Sender<bool>,
}

impl Default for Channel {
    fn default() -> Self {
        let (is_closed, _) = watch::channel(false);
        Channel { calls: Mutex::default(), next: AtomicU64::new(0), is_closed }
    }
}

impl Channel {
    /// Writes one line. Standard output carries nothing else.
    pub(crate) fn send(&self, object: &Json) {
        self.write(&Channel::line(object));
    }

    /// Returns the line of an object.
    pub(crate) fn line(object: &Json) -> String {
        let mut line = object.to_string();
        line.push('\n');
        line
    }

    /// Returns true if a line can be written without waiting for the client to read.
    pub(crate) fn has_room(line: &str) -> bool {
        let out = std::io::stdout();
        let mut ready = [PollFd::new(out.as_fd(), PollFlags::POLLOUT)];
        line.len() <= AT_ONCE
            && poll(&mut ready, PollTimeout::ZERO).is_ok()
            && ready[0].revents() == Some(PollFlags::POLLOUT)
    }

    /// Writes one line that [`Channel::line`] returned.
    pub(crate) fn write(&self, line: &str) {
        let mut out = std::io::stdout().lock();
        if out.write_all(line.as_bytes()).and_then(|()| out.flush()).is_err() {
            // Nobody reads the answers, so there is nothing left to do.
            std::process::exit(0);
        }
    }

    /// Sends a notification.
    pub(crate) fn notify(&self, method: &str, params: &Json) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Calls a function that the client lent, and waits for its response.
    pub(crate) async fn call(self: Arc<Self>, name: String, handle: Json, args: Json) -> Settled {
        let id = format!("call_{}", self.next.fetch_add(1, Ordering::Relaxed) + 1);
        let (sender, receiver) = oneshot::channel();
        {
            let mut calls = lock(&self.calls);
            if calls.len() >= MAX_CALLS {
                return Err(format!("{MAX_CALLS} calls wait for the client already"));
            }
            calls.insert(id.clone(), sender);
        }
        // Dropped with the run, so that a call of a run that was cancelled is forgotten.
        let call = OpenCall { channel: self, id };
        let params = json!({ "name": name, "handle": handle, "args": args });
        call.channel.send(&json!({
            "jsonrpc": "2.0", "id": call.id, "method": "function.call", "params": params,
        }));
        let gone = || Err("the client is gone".to_owned());
        tokio::select! {
            settled = receiver => settled.unwrap_or_else(|_| gone()),
            () = call.channel.closed() => gone(),
        }
    }

    /// Hands a response of the client to the call that waits for it. A response that nothing waits
    /// for is ignored: its run may have ended.
    pub(crate) fn settle(&self, response: Response) {
        let Json::String(id) = response.id else { return };
        if let Some(sender) = lock(&self.calls).remove(&id) {
            // The run may have ended since.
            let _ = sender.send(response.result);
        }
    }

    /// Records that standard input has ended.
    pub(crate) fn close(&self) {
        self.is_closed.send_replace(true);
    }

    async fn closed(&self) {
        let mut is_closed = self.is_closed.subscribe();
        // An error would mean that the sender is gone, which `self` holds.
        let _ = is_closed.wait_for(|is_closed| *is_closed).await;
    }
}

/// A call that waits for the client.
struct OpenCall {
    channel: Arc<Channel>,
    id: String,
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        lock(&self.channel.calls).remove(&self.id);
    }
}

/// Asks the client. `question.answer` answers through the broker; see `authority`.
pub(crate) struct Asking {
    pub(crate) channel: Arc<Channel>,
    /// Value that the client chose, repeated in each question.
    pub(crate) handle: Json,
}

impl Approver for Asking {
    fn ask(&self, question: Question) -> Pin<Box<dyn Future<Output = Answer> + Send>> {
        let open = OpenQuestion { channel: self.channel.clone(), id: question.id().to_string() };
        let mut params = question_json(&question);
        params["handle"] = self.handle.clone();
        Box::pin(async move {
            open.channel.notify("question", &params);
            open.channel.closed().await;
            question.deny()
        })
    }
}

/// A question that the client was asked. Dropped when the question is answered, or when no run
/// waits for it any more.
struct OpenQuestion {
    channel: Arc<Channel>,
    id: String,
}

impl Drop for OpenQuestion {
    fn drop(&mut self) {
        self.channel.notify("question.closed", &json!({ "question": self.id }));
    }
}

/// Sends the output of one run while it goes on.
pub(crate) struct Streamed {
    channel: Arc<Channel>,
    request: Json,
    /// Output of each stream that is not sent yet.
    pieces: Mutex<[Pieces; 2]>,
}

impl Streamed {
    pub(crate) fn new(channel: Arc<Channel>, request: Json) -> Self {
        Streamed { channel, request, pieces: Mutex::default() }
    }
}

impl Watcher for Streamed {
    fn saw(&self, stream: Stream, bytes: &[u8]) {
        let (index, name) = match stream {
            Stream::Out => (0, "stdout"),
            Stream::Err => (1, "stderr"),
        };
        // Held until the text is sent, so that pieces are sent in order.
        let mut pieces = lock(&self.pieces);
        let text = pieces[index].add(bytes);
        if !text.is_empty() {
            let params = json!({ "id": self.request, "stream": name, "text": text });
            self.channel.notify("output", &params);
        }
    }
}
