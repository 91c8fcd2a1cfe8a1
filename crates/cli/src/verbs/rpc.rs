//! `cofferdam rpc`: JSON-RPC 2.0, one object per line, on standard input and output.

use std::collections::HashMap;
use std::io::{BufRead, Read};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cofferdam::permissions::{Broker, InMemory};
use cofferdam::{Canceller, ErrorKind, Outcome, RunSettings, Sandbox, Tool};
use serde_json::{Value as Json, json};
use tokio::sync::Semaphore;

use crate::channel::{Channel, Streamed};
use crate::exec::{self, BadParams, Exec, Runnable, SandboxRef};
use crate::kept::{Failed, Host, Kept, Log};
use crate::methods::{self, Call, METHODS};
use crate::permissions;
use crate::report::{self, Failure};
use crate::request::{BadLine, Code, Incoming, Request, RpcError};
use crate::spelling;

/// Longest line that is read; it is host memory.
// T-CELL-026: a line without end, or one that is not JSON-RPC.
const MAX_LINE: u64 = 512 << 20;

/// Most runs under way at once. Others wait their turn, and can be cancelled while they wait.
// T-CELL-021: an exhausted pool.
const MAX_RUNNING: usize = 512;

/// Most sessions at once; each holds the memory of a cell.
const MAX_SESSIONS: usize = 64;

/// Most requests that wait or run; further ones are answered with an error.
const MAX_REQUESTS: usize = 100_000;

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
    /// Keep grants, requests and the audit log in the store of this user, not in memory
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
            Failed::Sandbox(error) => RpcError(code_of(error.kind()), error.to_string()),
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
        let mut lines = Lines { from: std::io::stdin().lock(), longest: MAX_LINE };
        while let Some(line) = lines.next() {
            match line {
                Ok(line) if line.trim_ascii().is_empty() => {}
                Ok(line) => server.clone().take(&line, &executor),
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
            return Ok(Host { channel, broker, log: Log::Store(store) });
        }
        let memory = Arc::new(InMemory::new().map_err(Failure::from_broker)?);
        let broker = Broker::setup(memory.clone(), memory.clone()).open();
        let broker = broker.map_err(Failure::from_broker)?;
        Ok(Host { channel, broker, log: Log::Memory(memory) })
    }
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
    /// Sandboxes of sessions, by the id of a kept sandbox and the name of the session.
    sessions: Mutex<HashMap<(Option<String>, String), Sandbox>>,
    kept: Kept,
    running: Semaphore,
    changed: tokio::sync::Notify,
    waiting: std::sync::atomic::AtomicUsize,
}

impl Server {
    fn new(host: Host) -> Self {
        Server {
            requests: Mutex::default(),
            sessions: Mutex::default(),
            kept: Kept::new(host),
            running: Semaphore::new(MAX_RUNNING),
            changed: tokio::sync::Notify::new(),
            waiting: Default::default(),
        }
    }

    /// Handles one line: answers it, or starts the run that it asks for.
    fn take(self: Arc<Self>, line: &[u8], executor: &tokio::runtime::Runtime) {
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
                Call::Exec => self.clone().exec(&id, is_notification, params, executor),
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
        id: &Json,
        is_notification: bool,
        params: Json,
        executor: &tokio::runtime::Runtime,
    ) -> Result<Option<Json>, RpcError> {
        use std::sync::atomic::Ordering::SeqCst;
        let exec = Exec::parse(params)?;
        if self.waiting.load(SeqCst) >= MAX_REQUESTS {
            return Err(RpcError(
                Code::Busy,
                format!("{MAX_REQUESTS} requests are waiting or running already; try again later"),
            ));
        }
        let (run, sandbox) = match self.start(exec, id) {
            Ok(run) => run,
            Err(NotStarted::Error(error)) => return Err(error),
            Err(NotStarted::Outcome(outcome)) => return Ok(Some(outcome.to_json())),
        };
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
        executor.spawn(async move {
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
                    if let Some(html) = sandbox.and_then(|sandbox| sandbox.page_html()) {
                        json["pageHtml"] = html.into();
                    }
                    json
                });
                self.answer(id, answer.map_err(|e| RpcError(code_of(e.kind()), e.to_string())));
            }
            self.waiting.fetch_sub(1, SeqCst);
            self.changed.notify_waiters();
        });
        Ok(None)
    }

    /// Starts a run. Also returns its sandbox if the answer includes the page.
    fn start(
        &self,
        exec: Exec,
        id: &Json,
    ) -> Result<(cofferdam::Run, Option<Sandbox>), NotStarted> {
        let mut settings = RunSettings::default();
        if exec.is_streamed {
            let channel = self.kept.host.channel.clone();
            settings = settings.watcher(Arc::new(Streamed::new(channel, id.clone())));
        }
        let bad = |bad: BadParams| NotStarted::Error(bad.into());
        let (sandbox, kept) = match exec.sandbox {
            SandboxRef::Kept(name) => {
                let sandbox = self.kept.get(&name).map_err(bad)?;
                if !exec.limits.is_empty() {
                    let limits = exec::limits(sandbox.limits(), &exec.limits).map_err(bad)?;
                    settings = settings.limits(limits);
                }
                (SandboxSource::Made(sandbox), Some(name))
            }
            SandboxRef::Fresh(plan) => (SandboxSource::Planned(plan), None),
        };
        let (run, sandbox) = match (exec.session, exec.runnable) {
            (None, Runnable::Tool(tool)) => {
                let sandbox = self.made(sandbox)?;
                (sandbox.start_with(tool, settings)?, sandbox)
            }
            (None, Runnable::Program(command)) => {
                let sandbox = self.made(sandbox)?;
                (sandbox.start_program_with(command, settings)?, sandbox)
            }
            (Some(name), Runnable::Tool(tool)) => {
                self.in_session((kept, name), sandbox, tool, settings)?
            }
            (Some(_), Runnable::Program(_)) => {
                let text = "session: only for kinds \"js\" and \"ts\"".into();
                return Err(NotStarted::Error(RpcError(Code::Params, text)));
            }
        };
        Ok((run, exec.has_page.then_some(sandbox)))
    }

    fn made(&self, sandbox: SandboxSource) -> Result<Sandbox, cofferdam::Error> {
        match sandbox {
            SandboxSource::Made(sandbox) => Ok(sandbox),
            SandboxSource::Planned(plan) => self.kept.host.build(*plan),
        }
    }

    /// Starts a tool in a session. The first run of a session makes its sandbox.
    fn in_session(
        &self,
        key: (Option<String>, String),
        sandbox: SandboxSource,
        tool: Tool,
        settings: RunSettings,
    ) -> Result<(cofferdam::Run, Sandbox), NotStarted> {
        let mut sessions = lock(&self.sessions);
        // Sessions end with their sandbox.
        sessions.retain(|_, sandbox| sandbox.is_running().is_ok());
        let sandbox = match sessions.get(&key) {
            Some(sandbox) => sandbox.clone(),
            None if sessions.len() >= MAX_SESSIONS => {
                let text = format!("{MAX_SESSIONS} sessions are open already; close one first");
                return Err(NotStarted::Error(RpcError(Code::Busy, text)));
            }
            None => self.made(sandbox)?,
        };
        let run = sandbox.session(&key.1)?.start_with(tool, settings)?;
        sessions.insert(key, sandbox.clone());
        Ok((run, sandbox))
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
        let is_kept = kept.is_some();
        let found = lock(&self.sessions).remove(&(kept, name.to_owned()));
        match &found {
            Some(sandbox) if is_kept => {
                sandbox.close_session(name);
            }
            // A sandbox that is destroyed already needs nothing.
            Some(sandbox) => drop(sandbox.destroy()),
            None => {}
        }
        Ok(json!({ "closed": found.is_some() }))
    }

    /// Writes an answer.
    fn answer(&self, id: Json, answer: Result<Json, RpcError>) {
        let object = match answer {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err(RpcError(code, message)) => {
                let error = json!({ "code": code as i32, "message": message });
                json!({ "jsonrpc": "2.0", "id": id, "error": error })
            }
        };
        self.kept.host.channel.send(&object);
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

/// The sandbox of a run before it starts.
enum SandboxSource {
    Made(Sandbox),
    Planned(Box<exec::Plan>),
}

/// Reason why a run was not started.
enum NotStarted {
    Error(RpcError),
    /// The run ended before it began: filling its sandbox reached a limit.
    Outcome(Box<Outcome>),
}

impl From<cofferdam::Error> for NotStarted {
    fn from(error: cofferdam::Error) -> Self {
        match error.to_outcome() {
            Some(outcome) => NotStarted::Outcome(Box::new(outcome)),
            None => NotStarted::Error(RpcError(code_of(error.kind()), error.to_string())),
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

fn code_of(kind: ErrorKind) -> Code {
    match kind {
        ErrorKind::PoolFull | ErrorKind::SandboxBusy => Code::Busy,
        ErrorKind::BadOption
        | ErrorKind::NotFound
        | ErrorKind::File
        | ErrorKind::Mount
        | ErrorKind::Archive
        | ErrorKind::Limit
        | ErrorKind::Destroyed => Code::Params,
        _ => Code::Internal,
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn a_failure_of_ours_is_an_internal_error() {
        let kinds = [
            (ErrorKind::PoolFull, Code::Busy),
            (ErrorKind::SandboxBusy, Code::Busy),
            (ErrorKind::BadOption, Code::Params),
            (ErrorKind::NotFound, Code::Params),
            (ErrorKind::File, Code::Params),
            (ErrorKind::Archive, Code::Params),
            (ErrorKind::Limit, Code::Params),
            (ErrorKind::Destroyed, Code::Params),
            (ErrorKind::Engine, Code::Internal),
        ];
        for (kind, code) in kinds {
            assert_eq!(code_of(kind), code);
        }
        assert_eq!(Code::Internal as i32, -32603);
    }
}
