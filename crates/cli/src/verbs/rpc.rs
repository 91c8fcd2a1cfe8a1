//! `cofferdam rpc`: JSON-RPC 2.0, one object per line, on standard input and output.

use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::os::fd::AsFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::task::{Context, Waker};

use cofferdam::permissions::{Broker, InMemory};
use cofferdam::{Canceller, RunSettings, Tool};
use cofferdam_front::exec::{BadParams, Exec, Runnable};
use cofferdam_front::lock;
use cofferdam_front::runner::{Fault, NotStarted, Runner, Started, fault};
use cofferdam_serve::tools::Registered;
use cofferdam_store::Store;
use serde_json::{Value as Json, json};
use tokio::sync::Semaphore;

use crate::channel::{Channel, Streamed};
use crate::kept::{Failed, Host, Kept, Log};
use crate::methods::{self, Call, METHODS};
use crate::permissions;
use crate::registered;
use crate::report::{self, Failure};
use crate::request::{BadLine, Code, Incoming, Request, RpcError};
use crate::spelling;

/// Longest line that is read; it is host memory.
// T-CELL-026: a line without end, or one that is not JSON-RPC.
const MAX_LINE: u64 = 512 << 20;

/// Bytes that are read from the client at a time.
const READ: usize = 64 << 10;

/// Most runs under way at once. Others wait their turn, and can be cancelled while they wait.
// T-CELL-021: an exhausted pool.
const MAX_RUNNING: usize = 512;

/// Most requests that wait or run; further ones are answered with an error.
const MAX_REQUESTS: usize = 100_000;

/// Most tools of the client that are remembered, and the longest of them in bytes. A tool that is
/// sent again need not be compiled again, which is a third of a short run.
const MAX_REMEMBERED: usize = 32;
const MAX_REMEMBERED_LEN: usize = 64 << 10;

/// Serve JSON-RPC 2.0 on standard input and output, one object per line.
///
/// `exec` runs a tool or program in a fresh sandbox, `cancel` ends a request by its id.
/// `sandbox.create` makes a sandbox that is kept; `exec` and the other methods take its id. A run
/// may ask the client, call functions that the client lends, and send its output while it goes on.
/// Requests run concurrently and are answered as they finish. `--schema` prints every method.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"exec\",\"params\":{\"kind\":\"js\",\"code\":\"return 1+1\"}}' | cofferdam rpc")]
pub(crate) struct Rpc {
    /// Keep grants, requests, tools and the audit log in the store of this user, not in memory
    #[arg(long)]
    store: bool,

    /// Print a JSON Schema of all methods and messages, and exit
    #[arg(long)]
    schema: bool,
}

impl From<BadParams> for RpcError {
    fn from(bad: BadParams) -> Self {
        RpcError(Code::Params, bad.0)
    }
}

impl From<Failed> for RpcError {
    fn from(failed: Failed) -> Self {
        match failed {
            Failed::Params(text) => RpcError(Code::Params, text),
            Failed::Full(text) => RpcError(Code::Busy, text),
            Failed::Internal(text) => RpcError(Code::Internal, text),
            Failed::Sandbox(error) => RpcError(code_of(&error), error.to_string()),
        }
    }
}

impl Rpc {
    pub(crate) fn run(self) -> Result<u8, Failure> {
        if self.schema {
            report::json(&methods::schema());
            return Ok(0);
        }
        let executor = tokio::runtime::Builder::new_multi_thread().build();
        let executor = executor.map_err(|e| Failure::usage(format!("executor: {e}")))?;
        // Loaded now, so that the first request does not wait for it.
        let runtime = crate::place::runtime(cofferdam::Pool::default())?;
        runtime.load_programs()?;
        runtime.share();
        let channel = Arc::new(Channel::default());
        let server = Arc::new(Server::new(self.host(channel.clone())?));
        let input = std::io::stdin().as_fd().try_clone_to_owned();
        let input = input.map_err(|e| Failure::usage(format!("standard input: {e}")))?;
        let from = BufReader::with_capacity(READ, File::from(input));
        let mut lines = Lines { from, longest: MAX_LINE };
        while let Some(line) = lines.next() {
            match line {
                Ok(line) if line.trim_ascii().is_empty() => {}
                Ok(line) => {
                    let next =
                        if lines.from.buffer().is_empty() { Next::Later } else { Next::Here };
                    server.clone().take(&line, next, &executor);
                }
                Err(error) => server.answer(Json::Null, Err(error)),
            }
        }
        // Standard input has ended: requests under way are finished and answered first.
        channel.close();
        executor.block_on(server.idle());
        server.kept.host.broker.flush().map_err(Failure::from_broker)?;
        Ok(0)
    }

    fn host(&self, channel: Arc<Channel>) -> Result<Host, Failure> {
        if self.store {
            let (store, broker) = permissions::broker()?;
            let tools = store.clone();
            return Ok(Host { channel, broker, log: Log::Store(store), tools });
        }
        let memory = Arc::new(InMemory::new().map_err(Failure::from_broker)?);
        let broker = Broker::setup(memory.clone(), memory.clone()).open();
        let broker = broker.map_err(Failure::from_broker)?;
        let tools = Store::in_memory().map_err(Failure::from_broker)?;
        Ok(Host { channel, broker, log: Log::Memory(memory), tools })
    }
}

/// The line behind the one that is being handled.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    /// Has been read already.
    Here,
    /// Has yet to be sent.
    Later,
}

/// Lines of a stream, each of bounded length. A longer line is skipped.
struct Lines<R> {
    from: R,
    longest: u64,
}

impl<R: BufRead> Lines<R> {
    fn next(&mut self) -> Option<Result<Vec<u8>, RpcError>> {
        let mut line = Vec::new();
        let read = (&mut self.from).take(self.longest + 1).read_until(b'\n', &mut line);
        match read {
            Ok(0) | Err(_) => None,
            Ok(len) if len as u64 > self.longest => {
                // The line ending may be the one byte too many.
                if line.last() != Some(&b'\n') {
                    self.skip_line();
                }
                let text = format!("line is longer than {} bytes", self.longest);
                Some(Err(RpcError(Code::Request, text)))
            }
            Ok(_) => Some(Ok(line)),
        }
    }

    fn skip_line(&mut self) {
        loop {
            let Ok(buffer) = self.from.fill_buf() else { return };
            if buffer.is_empty() {
                return;
            }
            let end = buffer.iter().position(|byte| *byte == b'\n');
            let used = end.map_or(buffer.len(), |end| end + 1);
            self.from.consume(used);
            if end.is_some() {
                return;
            }
        }
    }
}

struct Server {
    /// Requests under way, by the text of their id.
    requests: Mutex<HashMap<String, Canceller>>,
    runner: Runner,
    /// Owner of all sessions.
    client: Arc<str>,
    kept: Kept,
    running: Semaphore,
    /// Tools that the client has sent, latest last.
    remembered: Mutex<VecDeque<Tool>>,
    changed: tokio::sync::Notify,
    waiting: std::sync::atomic::AtomicUsize,
}

impl Server {
    fn new(host: Host) -> Self {
        Server {
            requests: Mutex::default(),
            runner: Runner::default(),
            client: "rpc".into(),
            kept: Kept::new(host),
            running: Semaphore::new(MAX_RUNNING),
            remembered: Mutex::default(),
            changed: tokio::sync::Notify::new(),
            waiting: Default::default(),
        }
    }

    /// Handles one line: answers it, or starts the run that it asks for.
    fn take(self: Arc<Self>, line: &[u8], next: Next, executor: &tokio::runtime::Runtime) {
        let Request { id, method, params } = match Incoming::parse(line) {
            Ok(Incoming::Request(request)) => request,
            Ok(Incoming::Response(response)) => return self.kept.host.channel.settle(response),
            Err(BadLine { id, error }) => return self.answer(id, Err(error)),
        };
        let is_notification = id.is_none();
        let id = id.unwrap_or(Json::Null);
        let answered = match methods::find(&method) {
            None => Err(unknown_method(&method)),
            Some(method) => match method.call {
                Call::Exec => Exec::parse(params).map_err(RpcError::from).and_then(|mut exec| {
                    if let Runnable::Tool(tool) = &mut exec.runnable {
                        remember(&mut lock(&self.remembered), tool);
                    }
                    self.clone().exec((&id, is_notification), exec, None, (next, executor))
                }),
                Call::Tool => registered::prepare(&self.kept, method, params)
                    .map_err(RpcError::from)
                    .and_then(|(exec, tool)| {
                        self.clone().exec(
                            (&id, is_notification),
                            exec,
                            Some(tool),
                            (next, executor),
                        )
                    }),
                Call::Cancel => self.cancel(params).map(Some),
                Call::CloseSession => self.close_session(params).map(Some),
                Call::Kept(call) => {
                    self.kept.call(method, call, params).map(Some).map_err(RpcError::from)
                }
            },
        };
        match answered {
            Ok(None) => {}
            Ok(Some(result)) if !is_notification => self.answer(id, Ok(result)),
            Err(error) if !is_notification => self.answer(id, Err(error)),
            Ok(Some(_)) | Err(_) => {}
        }
    }

    fn exec(
        self: Arc<Self>,
        (id, is_notification): (&Json, bool),
        exec: Exec,
        tool: Option<Registered>,
        (next, executor): (Next, &tokio::runtime::Runtime),
    ) -> Result<Option<Json>, RpcError> {
        use std::sync::atomic::Ordering::SeqCst;
        if self.waiting.load(SeqCst) >= MAX_REQUESTS {
            return Err(RpcError(
                Code::Busy,
                format!("{MAX_REQUESTS} requests are waiting or running already; try again later"),
            ));
        }
        // Two threads that wake each other cost several times a short run. A request that comes alone
        // therefore begins on this thread, and moves to the others at the end of its first slice.
        let is_alone = next == Next::Later && !exec.is_streamed && self.waiting.load(SeqCst) == 0;
        let mut settings = RunSettings::default();
        if exec.is_streamed {
            let channel = self.kept.host.channel.clone();
            settings = settings.watcher(Arc::new(Streamed::new(channel, id.clone())));
        }
        let started = self.runner.start(&self.client, exec, settings, &self.kept);
        let Started { run, sandbox, has_page } = match started {
            Ok(started) => started,
            Err(NotStarted::Params(text)) => return Err(RpcError(Code::Params, text)),
            Err(NotStarted::Busy(text)) => return Err(RpcError(Code::Busy, text)),
            Err(NotStarted::Internal(text)) => return Err(RpcError(Code::Internal, text)),
            Err(NotStarted::Outcome(outcome)) => {
                return Ok(Some(registered::checked(tool.as_ref(), outcome.to_json())));
            }
        };
        let page = has_page.then_some(sandbox);
        let key = id.to_string();
        if !is_notification {
            let mut requests = lock(&self.requests);
            if requests.contains_key(&key) {
                return Err(RpcError(
                    Code::Request,
                    format!("id: {key} is in use by another request"),
                ));
            }
            requests.insert(key.clone(), run.canceller());
        }
        self.waiting.fetch_add(1, SeqCst);
        let id = id.clone();
        let begins_here = Arc::new(AtomicBool::new(is_alone));
        let is_here = begins_here.clone();
        let mut work = Box::pin(async move {
            // A run that is cancelled while it waits needs no turn.
            let canceller = run.canceller();
            let permit = tokio::select! {
                permit = self.running.acquire() => permit.ok(),
                () = canceller.cancelled() => None,
            };
            let outcome = run.await;
            drop(permit);
            if !is_notification {
                lock(&self.requests).remove(&key);
                let answer = outcome.map(|outcome| {
                    let mut json = outcome.to_json();
                    if let Some(html) = page.and_then(|sandbox| sandbox.page_html()) {
                        json["pageHtml"] = html.into();
                    }
                    registered::checked(tool.as_ref(), json)
                });
                let answer = answer.map_err(|e| RpcError(code_of(&e), e.to_string()));
                let line = Channel::line(&answer_json(&id, answer));
                // The thread that reads must not wait for a client that does not.
                if is_here.load(SeqCst) && !Channel::has_room(&line) {
                    tokio::task::yield_now().await;
                }
                self.kept.host.channel.write(&line);
            }
            self.waiting.fetch_sub(1, SeqCst);
            self.changed.notify_waiters();
        });
        if is_alone {
            let _context = executor.enter();
            let mut context = Context::from_waker(Waker::noop());
            // As on the other threads, a panic ends the request and not the server.
            let begun = catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(&mut context)));
            begins_here.store(false, SeqCst);
            if begun.map_or(true, |begun| begun.is_ready()) {
                return Ok(None);
            }
        }
        executor.spawn(work);
        Ok(None)
    }

    fn cancel(&self, params: Json) -> Result<Json, RpcError> {
        let Some(id) = params.get("id") else {
            return Err(RpcError(
                Code::Params,
                "id: missing; give the id of the request to cancel".into(),
            ));
        };
        let found = lock(&self.requests).get(&id.to_string()).cloned();
        if let Some(canceller) = &found {
            canceller.cancel();
        }
        Ok(json!({ "cancelled": found.is_some() }))
    }

    fn close_session(&self, params: Json) -> Result<Json, RpcError> {
        let Some(name) = params.get("session").and_then(Json::as_str) else {
            return Err(RpcError(Code::Params, "session: missing or not a string".into()));
        };
        let kept = match params.get("sandbox") {
            None | Some(Json::Null) => None,
            Some(Json::String(id)) => Some(id.clone()),
            Some(_) => return Err(RpcError(Code::Params, "sandbox: not a string".into())),
        };
        let is_closed = self.runner.close_session(&self.client, kept, name);
        Ok(json!({ "closed": is_closed }))
    }

    /// Writes an answer.
    fn answer(&self, id: Json, answer: Result<Json, RpcError>) {
        self.kept.host.channel.send(&answer_json(&id, answer));
    }

    async fn idle(&self) {
        loop {
            let changed = self.changed.notified();
            if self.waiting.load(std::sync::atomic::Ordering::SeqCst) == 0 {
                return;
            }
            changed.await;
        }
    }
}

/// Gives a tool the compiled code of an equal one that was sent before, or remembers it.
fn remember(remembered: &mut VecDeque<Tool>, tool: &mut Tool) {
    if tool.source().len() > MAX_REMEMBERED_LEN || remembered.iter().any(|old| tool.share_code(old))
    {
        return;
    }
    if remembered.len() >= MAX_REMEMBERED {
        remembered.pop_front();
    }
    remembered.push_back(tool.clone().args(Json::Null));
}

fn answer_json(id: &Json, answer: Result<Json, RpcError>) -> Json {
    match answer {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(RpcError(code, message)) => {
            let error = json!({ "code": code as i32, "message": message });
            json!({ "jsonrpc": "2.0", "id": id, "error": error })
        }
    }
}

fn unknown_method(name: &str) -> RpcError {
    let known: Vec<_> = METHODS.iter().map(|method| method.name).collect();
    let meant = spelling::nearest(name, known.iter().copied());
    let meant = meant.map_or(String::new(), |meant| format!(", did you mean {meant}"));
    let known = known.join(", ");
    RpcError(Code::Method, format!("{name}: unknown method{meant}; known are {known}"))
}

fn code_of(error: &cofferdam::Error) -> Code {
    match fault(error.kind()) {
        Fault::Busy => Code::Busy,
        Fault::Caller => Code::Params,
        Fault::Host => Code::Internal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_remembered_by_source_and_the_oldest_goes() {
        let mut remembered = VecDeque::new();
        for number in [0, 1, 0, 2, 1] {
            remember(&mut remembered, &mut Tool::javascript(format!("return {number}")));
        }
        assert_eq!(remembered.len(), 3);
        let mut python = Tool::python("return 1");
        assert!(!python.share_code(&remembered[1]));
        remember(&mut remembered, &mut Tool::javascript("x".repeat(MAX_REMEMBERED_LEN + 1)));
        assert_eq!(remembered.len(), 3);
        for number in 0..MAX_REMEMBERED {
            remember(&mut remembered, &mut Tool::javascript(format!("return 'x{number}'")));
        }
        assert_eq!(remembered.len(), MAX_REMEMBERED);
        assert!(!remembered.iter().any(|tool| tool.source() == "return 2"));
    }

    /// T-CELL-026.
    #[test]
    fn a_line_has_512_mebibytes_and_a_longer_one_is_skipped_whole() {
        assert_eq!(MAX_LINE, 536_870_912);
        let text = b"1234\n12345\n123456789\n12\n123456789";
        let mut lines = Lines { from: &text[..], longest: 5 };
        let mut next = || lines.next().map(|line| line.map_err(|error| error.0));
        assert_eq!(next(), Some(Ok(b"1234\n".to_vec())));
        assert_eq!(next(), Some(Err(Code::Request)));
        assert_eq!(next(), Some(Err(Code::Request)));
        assert_eq!(next(), Some(Ok(b"12\n".to_vec())));
        assert_eq!(next(), Some(Err(Code::Request)));
        assert_eq!(next(), None);
    }
}
