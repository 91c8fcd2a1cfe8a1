//! `cofferdam rpc`: JSON-RPC 2.0, one object per line, on standard input and output.

use std::collections::HashMap;
use std::io::{BufRead, Read, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cofferdam::{Canceller, ErrorKind, Outcome, Sandbox};
use serde_json::{Value as Json, json};
use tokio::sync::Semaphore;

use crate::exec::{BadParams, Exec, Runnable, SandboxRef};
use crate::kept::{Failed, Kept, METHODS};
use crate::report::Failure;
use crate::request::{BadLine, Code, Request, RpcError};
use crate::spelling;

/// Longest line that is read; it is host memory.
const MAX_LINE: u64 = 512 << 20;

/// Most runs under way at once. Others wait their turn, and can be cancelled while they wait.
const MAX_RUNNING: usize = 512;

/// Most sessions at once; each holds the memory of a cell.
const MAX_SESSIONS: usize = 64;

/// Most requests that wait or run; further ones are answered with an error.
const MAX_REQUESTS: usize = 100_000;

/// Serve JSON-RPC 2.0 on standard input and output, one object per line.
///
/// Methods: `exec` runs a tool or program in a fresh sandbox, `cancel` ends a request by its id,
/// `session.close` closes a session. `sandbox.create` makes a sandbox that is kept; `exec` takes
/// its id. `sandbox.write`, `.read`, `.setEnv`, `.fork`, `.snapshot`, `.restore`, `.export`,
/// `.import` and `.destroy` work on a kept sandbox. Requests run concurrently and are answered as
/// they finish.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"exec\",\"params\":{\"kind\":\"js\",\"code\":\"return 1+1\"}}' | cofferdam rpc")]
pub(crate) struct Rpc {}

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
        let executor = tokio::runtime::Builder::new_multi_thread().build();
        let executor = executor.map_err(|e| Failure::usage(format!("executor: {e}")))?;
        // Loaded now, so that the first request does not wait for it.
        let runtime = crate::place::runtime(cofferdam::Pool::default())?;
        runtime.load_programs()?;
        runtime.share();
        let server = Arc::new(Server::default());
        let mut lines = Lines { from: std::io::stdin().lock(), longest: MAX_LINE };
        while let Some(line) = lines.next() {
            match line {
                Ok(line) if line.trim_ascii().is_empty() => {}
                Ok(line) => server.clone().take(&line, &executor),
                Err(error) => server.answer(Json::Null, Err(error)),
            }
        }
        // Standard input has ended: requests under way are finished and answered first.
        executor.block_on(server.idle());
        Ok(0)
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
    sessions: Mutex<HashMap<String, Sandbox>>,
    kept: Kept,
    running: Semaphore,
    changed: tokio::sync::Notify,
    waiting: std::sync::atomic::AtomicUsize,
}

impl Default for Server {
    fn default() -> Self {
        Server {
            requests: Mutex::default(),
            sessions: Mutex::default(),
            kept: Kept::default(),
            running: Semaphore::new(MAX_RUNNING),
            changed: tokio::sync::Notify::new(),
            waiting: Default::default(),
        }
    }
}

impl Server {
    /// Handles one line: answers it, or starts the run that it asks for.
    fn take(self: Arc<Self>, line: &[u8], executor: &tokio::runtime::Runtime) {
        let Request { id, method, params } = match Request::parse(line) {
            Ok(request) => request,
            Err(BadLine { id, error }) => return self.answer(id, Err(error)),
        };
        let is_notification = id.is_none();
        let id = id.unwrap_or(Json::Null);
        let answered = match method.as_str() {
            "exec" | "sandbox.exec" => self.clone().exec(&id, is_notification, params, executor),
            "cancel" => self.cancel(params).map(Some),
            "session.close" => self.close_session(params).map(Some),
            other => match self.kept.call(other, params) {
                Some(answer) => answer.map(Some).map_err(RpcError::from),
                None => Err(unknown_method(other)),
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
        let (run, sandbox) = match self.start(exec) {
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
    fn start(&self, exec: Exec) -> Result<(cofferdam::Run, Option<Sandbox>), NotStarted> {
        let of_page = |sandbox: Sandbox| exec.has_page.then_some(sandbox);
        let builder = match exec.sandbox {
            SandboxRef::Fresh(builder) => builder,
            SandboxRef::Kept(id) => {
                let sandbox = self.kept.get(&id).map_err(|bad| NotStarted::Error(bad.into()))?;
                let run = match exec.runnable {
                    Runnable::Tool(tool) => sandbox.start(tool)?,
                    Runnable::Program(command) => sandbox.start_program(command)?,
                };
                return Ok((run, None));
            }
        };
        match exec.session {
            None => {
                let sandbox = builder.build()?;
                let run = match exec.runnable {
                    Runnable::Tool(tool) => sandbox.start(tool)?,
                    Runnable::Program(command) => sandbox.start_program(command)?,
                };
                Ok((run, of_page(sandbox)))
            }
            Some(name) => {
                let Runnable::Tool(tool) = exec.runnable else {
                    let text = "session: only for kinds \"js\" and \"ts\"".into();
                    return Err(NotStarted::Error(RpcError(Code::Params, text)));
                };
                let mut sessions = lock(&self.sessions);
                let sandbox = match sessions.get(&name) {
                    Some(sandbox) => sandbox.clone(),
                    None if sessions.len() >= MAX_SESSIONS => {
                        let text =
                            format!("{MAX_SESSIONS} sessions are open already; close one first");
                        return Err(NotStarted::Error(RpcError(Code::Busy, text)));
                    }
                    None => builder.build()?,
                };
                sessions.insert(name.clone(), sandbox.clone());
                let run = sandbox.session(&name)?.start(tool)?;
                Ok((run, of_page(sandbox)))
            }
        }
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
        let found = lock(&self.sessions).remove(name);
        if let Some(sandbox) = &found {
            // A sandbox that is destroyed already needs nothing.
            let _ = sandbox.destroy();
        }
        Ok(json!({ "closed": found.is_some() }))
    }

    /// Writes an answer. Standard output carries nothing but answers, one per line.
    fn answer(&self, id: Json, answer: Result<Json, RpcError>) {
        let object = match answer {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err(RpcError(code, message)) => {
                let error = json!({ "code": code as i32, "message": message });
                json!({ "jsonrpc": "2.0", "id": id, "error": error })
            }
        };
        let mut line = object.to_string();
        line.push('\n');
        let mut out = std::io::stdout().lock();
        if out.write_all(line.as_bytes()).and_then(|()| out.flush()).is_err() {
            // Nobody reads the answers, so there is nothing left to do.
            std::process::exit(0);
        }
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
    let own = ["exec", "sandbox.exec", "cancel", "session.close"];
    let known: Vec<_> = own.into_iter().chain(METHODS.iter().map(|(name, _)| *name)).collect();
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
