//! Questions of Deno, over the protocol of its permission broker: lines of JSON on a Unix socket.
//!
//! Each question becomes a request like that of a system call, and is decided by the same
//! functions. An answer is comfort and no wall: a program that says yes to itself reaches nothing
//! more. Questions that have no request of their own are left to the walls.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use cofferdam_broker::{Action, Preview};
use cofferdam_caps::{Access, Request};
use cofferdam_walls::{Call, GuestPath, Place, Plan, UnixSockets};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;

use crate::errno;
use crate::program::{Found, Program};
use crate::silent;
use crate::supervisor::{Answer, Supervisor};
use crate::world::is_granted_to_start_all;

/// Variable that names the socket to Deno.
pub(crate) const VARIABLE: &str = "DENO_PERMISSION_BROKER_PATH";

/// Path of the socket. There is no such file: the supervisor answers the call that connects.
pub(crate) const SOCKET: &str = "/.cofferdam/deno";

/// Most connections at once.
const MAX_CONNECTIONS: usize = 16;

/// Longest question. A path of 4,096 bytes takes six times as many if all of them are escaped.
const MAX_LINE: usize = 64 << 10;

/// Letters of Deno's options for permissions.
const LETTERS: &str = "AEINPRSW";

/// Beginnings of Deno's long options for permissions.
const OPTIONS: [&str; 4] = ["--allow-", "--deny-", "--ignore-", "--permission-set"];

/// The answer to a question that no grant can change.
const REFUSED: Answer = Answer::Refuse(errno::ACCESS);

/// Connections of Deno, and the environment that it was started with.
pub(crate) struct Deno {
    connections: Arc<AtomicUsize>,
    /// Names of the variables that the program has.
    variables: Vec<String>,
    /// Folders in which it finds programs.
    search: Vec<PathBuf>,
}

/// Returns true if a program is Deno and leaves its permissions to the run. Deno ignores its
/// options for permissions if it has a broker: a command line that has such options has none.
pub(crate) fn is_asking(program: &Program, found: &Found) -> bool {
    let mut files = found.interpreters.iter().chain([&found.file]);
    if !files.any(|file| is_deno(&file.path) || is_deno(&file.named)) {
        return false;
    }
    // Words behind the script are those of the script.
    let end = found.script.as_ref().map_or(program.words.len(), |script| script.index);
    let words = program.words.iter().take(end).skip(1).filter_map(|word| word.to_str());
    let line = found.line.as_deref().unwrap_or_default().split_ascii_whitespace();
    // `env -S deno run` has options of `env` before its program.
    let is_before = |word: &&str| found.interpreters.len() > 1 && !is_deno(Path::new(word));
    !words.chain(line.skip_while(is_before)).any(is_about_permissions)
}

fn is_deno(path: &Path) -> bool {
    path.file_name() == Some(OsStr::new("deno"))
}

fn is_about_permissions(word: &str) -> bool {
    let letters = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
    let letters = letters.and_then(|rest| rest.split('=').next()).unwrap_or_default();
    letters.contains(|letter| LETTERS.contains(letter))
        || OPTIONS.iter().any(|option| word.starts_with(option))
}

impl Deno {
    /// Returns `None` if the plan refuses the sockets.
    pub(crate) fn new(plan: &Plan) -> Option<Self> {
        if plan.unix_sockets == UnixSockets::Refused {
            return None;
        }
        let variables = plan.variables.iter();
        let path = variables.clone().find(|(name, _)| name == "PATH");
        let search = path.map(|(_, folders)| std::env::split_paths(folders).collect());
        let variables = variables.filter_map(|(name, _)| name.to_str()).map(str::to_owned);
        let variables = variables.collect();
        Some(Deno { connections: Arc::default(), variables, search: search.unwrap_or_default() })
    }

    /// Takes a place for a connection; `None` if there are enough.
    fn enter(&self) -> Option<Entered> {
        let connections = self.connections.clone();
        let is_free = |number| (number < MAX_CONNECTIONS).then_some(number + 1);
        let entered = connections.fetch_update(Ordering::SeqCst, Ordering::SeqCst, is_free);
        entered.ok().map(|_| Entered(connections))
    }
}

/// A place for a connection.
struct Entered(Arc<AtomicUsize>);

impl Drop for Entered {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Gives the program the socket that it asks for, and answers what it sends there. Returns the call
/// if there are too many connections.
// T-NAT-013: a socket through which the program could reach or decide something.
pub(crate) fn connect(supervisor: &Arc<Supervisor>, call: Call) -> Result<(), Call> {
    let entered = supervisor.deno.as_ref().and_then(Deno::enter);
    let (Some(entered), Some(executor)) = (entered, supervisor.executor.handle()) else {
        return Err(call);
    };
    let Ok(stream) = supervisor.sandbox.give_socket(&call) else { return Err(call) };
    let _context = executor.enter();
    let Ok(stream) = UnixStream::from_std(stream) else { return Ok(()) };
    let supervisor = supervisor.clone();
    executor.spawn(async move {
        let _entered = entered;
        serve(&supervisor, &call, stream).await;
    });
    Ok(())
}

/// Answers questions one after the other, until the program closes the connection or sends
/// something that is no question.
async fn serve(supervisor: &Arc<Supervisor>, call: &Call, mut stream: UnixStream) {
    let (reader, mut writer) = stream.split();
    let mut reader = BufReader::new(reader);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = (&mut reader).take(MAX_LINE as u64).read_until(b'\n', &mut line).await;
        if read.is_err() || line.pop() != Some(b'\n') {
            return;
        }
        let Some(question) = Question::parse(&line) else { return };
        let answer = tokio::select! {
            biased;
            answer = supervisor.reply(call, &question) => answer,
            // Deno waits for its answer: a program that sends more, or is gone, wants none.
            _ = reader.fill_buf() => return,
        };
        let mut reply = json!({ "id": question.id, "result": answer.result() });
        if let Reply::Deny(Some(reason)) = answer {
            reply["reason"] = Value::String(reason);
        }
        if writer.write_all(format!("{reply}\n").as_bytes()).await.is_err() {
            return;
        }
    }
}

/// A question of Deno.
#[derive(Debug, PartialEq, Eq)]
struct Question {
    id: u64,
    permission: String,
    /// Path, name or host; `None` for all of them.
    value: Option<String>,
}

impl Question {
    fn parse(line: &[u8]) -> Option<Self> {
        let Value::Object(mut fields) = serde_json::from_slice(line).ok()? else { return None };
        let id = fields.get("id")?.as_u64()?;
        let permission = fields.get("permission")?.as_str()?.to_owned();
        let value = match fields.remove("value") {
            Some(Value::String(text)) => Some(text),
            Some(Value::Null) | None => None,
            Some(Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
                return None;
            }
        };
        Some(Question { id, permission, value })
    }
}

/// A reply to Deno.
#[derive(Debug)]
enum Reply {
    Allow,
    /// With the message of the error that Deno throws, if it is not Deno's own.
    Deny(Option<String>),
}

impl Reply {
    fn result(&self) -> &'static str {
        match self {
            Reply::Allow => "allow",
            Reply::Deny(_) => "deny",
        }
    }
}

impl Supervisor {
    /// Decides a question, and waits for the person who is asked.
    async fn reply(self: &Arc<Self>, call: &Call, question: &Question) -> Reply {
        let mut answer = self.consider(call, question);
        // A person may be asked about the interpreter of a program as well.
        loop {
            answer = match answer {
                Answer::AskFile(..)
                | Answer::AskProgram(..)
                | Answer::AskInstalled(..)
                | Answer::AskVariable(..) => {
                    self.settle(answer, || self.consider(call, question)).await
                }
                Answer::Denied(error) => {
                    let reason = format!("{}: {}", error.required_permission(), error.message());
                    return Reply::Deny(Some(reason));
                }
                Answer::Refuse(errno::ACCESS) => return Reply::Deny(None),
                // A variable that was granted just now.
                Answer::Give(_) => return Reply::Deny(Some(late(question))),
                // The call that follows has the answer of the kernel.
                Answer::Proceed | Answer::Refuse(_) | Answer::Yes | Answer::Connect => {
                    return Reply::Allow;
                }
            };
        }
    }

    /// Turns a question into a request. What no request is made of is left to the walls.
    fn consider(&self, call: &Call, question: &Question) -> Answer {
        let value = question.value.as_deref();
        // Deno hides a path of its own behind a name such as `<TMP>`.
        let value = value.filter(|value| !(value.starts_with('<') && value.ends_with('>')));
        match (question.permission.as_str(), value) {
            ("read" | "ffi", Some(path)) => {
                match self.sandbox.locate(call, &GuestPath::new(path)) {
                    Place::Outside(path) => self.ask_file(path, Access::Read),
                    Place::Inside => Answer::Proceed,
                }
            }
            ("write", Some(path)) => match self.place_to_write(call, &GuestPath::new(path)) {
                Some(path) => self.ask_file(path, Access::Write),
                None => Answer::Proceed,
            },
            ("env", Some(name)) => self.consider_variable(name),
            ("run", Some(name)) => self.consider_program(call, name),
            // Deno names the program only if it may not start all of them.
            ("run", None) if !is_granted_to_start_all(&self.desk) => REFUSED,
            // The network asks about each request, with its method and address.
            ("net" | "import" | "sys" | "read" | "write" | "env" | "ffi" | "run", _) => {
                Answer::Proceed
            }
            (_, _) => REFUSED,
        }
    }

    fn consider_variable(&self, name: &str) -> Answer {
        let is_there = self.deno.iter().any(|deno| deno.variables.iter().any(|has| has == name));
        let parsed = name.parse().ok().filter(|_| self.offered.contains_key(name) && !is_there);
        let Some(parsed) = parsed else { return Answer::Proceed };
        let request = Request::Env { name: parsed };
        match silent::is_probed_variable(name) && !self.is_granted(&request) {
            true => Answer::Proceed,
            false => self.ask_variable(name, request),
        }
    }

    fn consider_program(&self, call: &Call, name: &str) -> Answer {
        let search = self.deno.iter().flat_map(|deno| &deno.search);
        let executable = match name.contains('/') {
            true => self.sandbox.executable(call, &GuestPath::new(name)),
            false => search
                .filter_map(|folder| self.sandbox.program_at(&folder.join(name)))
                .find(|found| found.is_marked),
        };
        // Starting a program that is not there, or not shown yet, is decided when it is started.
        let executable = executable.filter(|found| !self.programs.is_allowed(&found.path));
        let Some(executable) = executable else { return Answer::Proceed };
        let action = self.programs.to_start(executable, &[name.to_owned()], &self.desk);
        let Some(action) = action else { return REFUSED };
        // A person is asked when it is started: the command line is known then.
        match self.desk.would_grant(&action.request()) {
            Ok(Preview::WouldAsk(_)) => Answer::Proceed,
            Ok(_) | Err(_) => {
                let name = Path::new(name).file_name().unwrap_or_default().to_string_lossy();
                self.ask_program(format!("exec:{name}"), action)
            }
        }
    }
}

fn late(question: &Question) -> String {
    let name = cofferdam_caps::visible(question.value.as_deref().unwrap_or_default());
    format!("the variable {name} is granted now, and Deno has it when it is started again")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn question_has_an_id_and_a_permission() {
        let check = |line: &str, expect: Option<(u64, &str, Option<&str>)>| {
            let found = Question::parse(line.as_bytes());
            let found = found.as_ref().map(|q| (q.id, q.permission.as_str(), q.value.as_deref()));
            assert_eq!(found, expect, "{line}");
        };
        check(
            r#"{"v":1,"pid":7,"id":3,"datetime":"x","permission":"read","value":"a"}"#,
            Some((3, "read", Some("a"))),
        );
        check(r#"{"id":1,"permission":"run","value":null}"#, Some((1, "run", None)));
        check(r#"{"id":-1,"permission":"run"}"#, None);
        check(r#"{"id":1,"permission":"run","value":[1]}"#, None);
        check(r#"[1]"#, None);
        check("", None);
    }

    #[test]
    fn options_for_permissions_are_told_from_others() {
        for word in ["-A", "-RN", "-R=/data", "--allow-net", "--deny-read=x", "--permission-set"] {
            assert!(is_about_permissions(word), "{word}");
        }
        for word in ["run", "-q", "-L", "--check", "--no-prompt", "-c=A"] {
            assert!(!is_about_permissions(word), "{word}");
        }
    }
}
