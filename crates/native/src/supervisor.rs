//! Answers the calls of a sandbox: joins the walls to the desk of the run.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use cofferdam_broker::{Action, Denial, Desk, PermissionError, Permit, Verdict, Waiting};
use cofferdam_caps::{Access, Kind, Request};
use cofferdam_walls::{self as walls, Attempt, Call, GuestPath, Place, Sandbox};
use serde_json::json;

use crate::clock::Clock;
use crate::deno::{self, Deno};
use crate::errno;
use crate::executor::Executor;
use crate::files::{self, Files, ShowFile};
use crate::installed::{self, Installed, UseProgram};
use crate::lock;
use crate::network::{self, Network};
use crate::output::{Output, Stream};
use crate::silent::{self, Surroundings};
use crate::start::{Programs, StartFile};
use crate::told::{self, Ask, Told};

/// Most lines about denials and failures that are written to standard error.
const MAX_SHOWN: usize = 10_000;

/// Everything that answering a call needs.
pub(crate) struct Supervisor {
    pub(crate) sandbox: Arc<Sandbox>,
    pub(crate) desk: Desk,
    pub(crate) files: Files,
    pub(crate) programs: Programs,
    pub(crate) installed: Installed,
    pub(crate) network: Network,
    pub(crate) hidden: Vec<PathBuf>,
    /// Folders of the installations of the programs that were started first.
    pub(crate) prefixes: Vec<PathBuf>,
    /// The folders that the program works in.
    pub(crate) surroundings: Surroundings,
    /// True if the sandbox has nothing below `/sys`.
    pub(crate) is_without_sys: bool,
    pub(crate) clock: Clock,
    pub(crate) output: Arc<Output>,
    /// Waits for people, so that other calls are answered meanwhile.
    pub(crate) executor: Executor,
    /// Denials and failures that were written to standard error.
    pub(crate) shown: Mutex<HashSet<String>>,
    /// Denials that the program can ask about.
    pub(crate) told: Mutex<Told>,
    /// Variables that the program gets if they are granted.
    pub(crate) offered: BTreeMap<String, String>,
    /// Connections of Deno; `None` if the program is another one.
    pub(crate) deno: Option<Deno>,
}

/// The answer to a call.
pub(crate) enum Answer {
    Proceed,
    Refuse(i32),
    /// Fails with `EACCES`, because of a decision of the desk.
    Denied(Box<PermissionError>),
    /// Returns 0 without carrying out the call.
    Yes,
    /// Opens a text that is nowhere a file.
    Give(String),
    /// Opens a connection over which Deno asks for permissions.
    Connect,
    AskVariable(String, Box<Waiting<Request>>),
    AskFile(PathBuf, Box<Waiting<ShowFile>>),
    AskProgram(String, Box<Waiting<StartFile>>),
    AskInstalled(PathBuf, Box<Waiting<UseProgram>>),
}

impl Supervisor {
    /// Answers calls until the sandbox ends.
    pub(crate) fn serve(self: &Arc<Self>) {
        while let Some(call) = self.sandbox.next_call() {
            let answer = self.decide(&call);
            self.give(call, answer);
        }
    }

    fn give(self: &Arc<Self>, call: Call, answer: Answer) {
        match answer {
            Answer::Proceed => self.sandbox.proceed(&call),
            Answer::Refuse(errno) => self.sandbox.refuse(&call, errno),
            Answer::Denied(_) => self.sandbox.refuse(&call, errno::ACCESS),
            Answer::Yes => self.sandbox.answer(&call, 0),
            Answer::Give(text) => {
                let given = told::pipe(&text).and_then(|file| self.sandbox.inject(&call, &file));
                if given.is_err() {
                    self.sandbox.refuse(&call, errno::NOT_FOUND);
                }
            }
            Answer::Connect => {
                if let Err(call) = deno::connect(self, call) {
                    self.sandbox.refuse(&call, errno::FAMILY);
                }
            }
            answer @ (Answer::AskVariable(..)
            | Answer::AskFile(..)
            | Answer::AskProgram(..)
            | Answer::AskInstalled(..)) => {
                let this = self.clone();
                self.executor.spawn(async move {
                    let answer = this.settle(answer, || this.decide(&call)).await;
                    this.give(call, answer);
                });
            }
        }
    }

    /// Waits for the person who is asked, and carries out the answer. `again` decides whatever is
    /// left to decide; another answer is returned as it is.
    pub(crate) async fn settle(&self, answer: Answer, again: impl FnOnce() -> Answer) -> Answer {
        let answer = match answer {
            Answer::AskVariable(name, waiting) => {
                return match self.wait(&format!("env:{name}"), *waiting).await {
                    Ok(_permit) => self.variable(&name),
                    Err(error) => Answer::Denied(error),
                };
            }
            Answer::AskFile(path, waiting) => {
                match self.wait(&path.to_string_lossy(), *waiting).await {
                    Ok(permit) => self.show(permit),
                    Err(error) => Answer::Denied(error),
                }
            }
            Answer::AskProgram(name, waiting) => match self.wait(&name, *waiting).await {
                Ok(permit) => self.allow(permit, &name),
                Err(error) => Answer::Denied(error),
            },
            Answer::AskInstalled(path, waiting) => {
                match self.wait(&explained(&path), *waiting).await {
                    Ok(_permit) => self.show_installed(&path),
                    Err(error) => Answer::Denied(error),
                }
            }
            Answer::Proceed
            | Answer::Refuse(_)
            | Answer::Denied(_)
            | Answer::Yes
            | Answer::Give(_)
            | Answer::Connect => return answer,
        };
        // Another path of the same call may be left to decide.
        if matches!(answer, Answer::Proceed) { again() } else { answer }
    }

    /// Waits for a person, with the clock of the run stopped.
    async fn wait<A: Action>(
        &self,
        name: &str,
        waiting: Waiting<A>,
    ) -> Result<Permit<A>, Box<PermissionError>> {
        let _pause = self.clock.pause();
        waiting.await.map_err(|denial| {
            self.tell(&denial);
            lock(&self.told).add(name.to_owned(), &denial);
            Box::new(denial.into_error())
        })
    }

    fn decide(self: &Arc<Self>, call: &Call) -> Answer {
        match &call.attempt {
            Attempt::Open(path, walls::Access::Read) => self.decide_read(call, path),
            Attempt::Look(path) => self.decide_look(call, path),
            Attempt::LookAtProgram(path) => self.decide_look_at_program(call, path),
            Attempt::Open(path, walls::Access::Write) => self.decide_write(call, path),
            Attempt::Change(paths) => {
                for path in paths {
                    match self.decide_write(call, path) {
                        Answer::Proceed => {}
                        other => return other,
                    }
                }
                Answer::Proceed
            }
            Attempt::Execute(path, words) => self.decide_start(call, path, words),
            Attempt::Socket => {
                network::start(self);
                Answer::Proceed
            }
            Attempt::Connect(to) => {
                network::expect(self, *to);
                Answer::Proceed
            }
            Attempt::UnixSocket => match self.deno {
                Some(_) => Answer::Connect,
                None => Answer::Refuse(errno::FAMILY),
            },
            // The socket is connected since it was made, and can be connected to nothing else.
            Attempt::ConnectUnix(path) => match path == Path::new(deno::SOCKET) {
                true if self.deno.is_some() => Answer::Yes,
                true | false => Answer::Refuse(errno::ACCESS),
            },
            Attempt::Nothing => Answer::Proceed,
        }
    }

    fn decide_read(&self, call: &Call, path: &GuestPath) -> Answer {
        if self.is_absent(path) {
            return Answer::Refuse(errno::NOT_FOUND);
        }
        match self.sandbox.locate(call, path) {
            Place::Outside(path) => self.decide_outside(call, path),
            Place::Inside => Answer::Proceed,
        }
    }

    /// Decides about reading a path that the sandbox does not show.
    fn decide_outside(&self, call: &Call, path: PathBuf) -> Answer {
        match told::parse(&path) {
            Some(ask) => self.explain(call, &ask),
            None if !self.sandbox.is_waiting(call) => Answer::Refuse(errno::ACCESS),
            None => self.ask_file(path, Access::Read),
        }
    }

    /// Returns true for a path of the kernel that no sandbox has and nobody has granted. A runtime
    /// looks for a dozen of these before it runs anything, and looking each up takes the longest.
    fn is_absent(&self, path: &GuestPath) -> bool {
        self.is_without_sys
            && path.text().starts_with("/sys")
            && self.surroundings.is_probe(path.text())
            && !self.has_grants_of_files()
    }

    /// Decides about a look at a file. One at a program of the user's own asks to start it.
    fn decide_look(&self, call: &Call, path: &GuestPath) -> Answer {
        if self.is_absent(path) {
            return Answer::Refuse(errno::NOT_FOUND);
        }
        let Place::Outside(path) = self.sandbox.locate(call, path) else { return Answer::Proceed };
        match self.ask_installed(call, &path) {
            Some(answer) => answer,
            None => self.decide_outside(call, path),
        }
    }

    /// Checks a program of the user's own at the desk, and shows it if it may be started; `None` if
    /// the path is none of them.
    fn ask_installed(&self, call: &Call, path: &Path) -> Option<Answer> {
        let action = match self.installed.find(path) {
            installed::Found::Elsewhere => return None,
            installed::Found::Missing => return Some(Answer::Refuse(errno::NOT_FOUND)),
            installed::Found::Program(action) => action,
        };
        // T-NAT-007: a file of the program's own making is no program of the user.
        let checked = path.to_str().and_then(|path| path.parse().ok());
        let change = checked.map(|path| Request::Fs { access: Access::Write, path });
        if change.is_none_or(|change| self.is_granted(&change)) {
            return None;
        }
        if !self.sandbox.is_waiting(call) {
            return Some(Answer::Refuse(errno::ACCESS));
        }
        // The start is checked, and logged, when it comes.
        if self.is_granted(&action.request()) {
            return Some(self.show_installed(path));
        }
        Some(match self.desk.check(action) {
            Verdict::Permit(_permit) => self.show_installed(path),
            Verdict::Denied(denial) => self.denied_program(explained(path), &denial),
            Verdict::Ask(waiting) => Answer::AskInstalled(path.to_owned(), Box::new(waiting)),
        })
    }

    fn show_installed(&self, path: &Path) -> Answer {
        match self.installed.show(path, &self.sandbox, &self.programs) {
            Ok(()) => Answer::Proceed,
            Err(error) => Answer::Refuse(error.raw_os_error().unwrap_or(errno::ACCESS)),
        }
    }

    /// Says yes about a program that could be granted: shells and compilers look before they start
    /// one, and the start is the request.
    fn decide_look_at_program(&self, call: &Call, path: &GuestPath) -> Answer {
        match self.decide_look(call, path) {
            Answer::Proceed => {}
            other => return other,
        }
        match self.sandbox.executable(call, path) {
            Some(found) if found.is_marked => Answer::Yes,
            Some(_) | None => Answer::Proceed,
        }
    }

    fn decide_write(&self, call: &Call, path: &GuestPath) -> Answer {
        match self.place_to_write(call, path) {
            Some(_) if !self.sandbox.is_waiting(call) => Answer::Refuse(errno::ACCESS),
            Some(path) => self.ask_file(path, Access::Write),
            None => Answer::Proceed,
        }
    }

    /// Returns the path that has to be granted before a path of a call can be written to.
    pub(crate) fn place_to_write(&self, call: &Call, path: &GuestPath) -> Option<PathBuf> {
        match self.sandbox.locate(call, path) {
            Place::Outside(path) => Some(path),
            Place::Inside => {
                self.sandbox.resolve(call, path).filter(|path| self.files.is_read_only(path))
            }
        }
    }

    /// Answers a question of a shim.
    fn explain(&self, call: &Call, ask: &Ask<'_>) -> Answer {
        if !self.sandbox.is_waiting(call) {
            return Answer::Refuse(errno::ACCESS);
        }
        let denied = |name: &str| match lock(&self.told).find(name) {
            Some(text) => Answer::Give(text),
            None => Answer::Refuse(errno::NOT_FOUND),
        };
        let name = match ask {
            Ask::File(path) => return denied(path),
            Ask::DeniedVariable(name) => return denied(&format!("env:{name}")),
            Ask::Program(name) => return denied(&format!("exec:{name}")),
            Ask::Variable(name) => *name,
        };
        let parsed = name.parse().ok().filter(|_| self.offered.contains_key(name));
        let Some(parsed) = parsed else { return Answer::Refuse(errno::NOT_FOUND) };
        let request = Request::Env { name: parsed };
        if silent::is_probed_variable(name) && !self.is_granted(&request) {
            return Answer::Refuse(errno::NOT_FOUND);
        }
        self.ask_variable(name, request)
    }

    /// Checks a variable at the desk.
    pub(crate) fn ask_variable(&self, name: &str, request: Request) -> Answer {
        match self.desk.check(request) {
            Verdict::Permit(_permit) => self.variable(name),
            Verdict::Denied(denial) => {
                lock(&self.told).add(format!("env:{name}"), &denial);
                self.denied(&denial)
            }
            Verdict::Ask(waiting) => Answer::AskVariable(name.to_owned(), Box::new(waiting)),
        }
    }

    fn variable(&self, name: &str) -> Answer {
        match self.offered.get(name) {
            Some(value) => Answer::Give(value.clone()),
            None => Answer::Refuse(errno::NOT_FOUND),
        }
    }

    // T-NAT-001: files that were not granted.
    /// Checks a file of the host at the desk, and shows it if it is permitted.
    pub(crate) fn ask_file(&self, path: PathBuf, access: Access) -> Answer {
        // A runtime makes dozens of these calls before it runs anything, and most runs have no grant
        // of a file: following the path on the host would take most of the answer's time.
        if self.surroundings.is_probe(&path) && !self.has_grants_of_files() {
            return Answer::Refuse(errno::NOT_FOUND);
        }
        let Some(action) = ShowFile::new(path.clone(), access) else {
            return Answer::Refuse(errno::ACCESS);
        };
        // T-NAT-009: the program reads or changes its own grants.
        if self.hidden.iter().any(|hidden| action.path().starts_with(hidden)) {
            return Answer::Refuse(errno::ACCESS);
        }
        let is_installed = |path: &Path| {
            self.prefixes.iter().any(|at| path.starts_with(at)) || self.installed.has(path)
        };
        let is_in_other_case = || {
            let other = silent::in_other_case(&path);
            other.is_some_and(|other| self.sandbox.open(&other).is_ok())
        };
        let paths = [path.as_path(), action.path()];
        let is_probe = paths.iter().any(|path| self.surroundings.is_probe(path))
            || (action.is_missing()
                && (silent::is_setting(&path) || is_installed(&path) || is_in_other_case()));
        if is_probe && !self.is_granted(&action.request()) {
            return Answer::Refuse(errno::NOT_FOUND);
        }
        match self.desk.check(action) {
            Verdict::Permit(permit) => self.show(permit),
            Verdict::Denied(denial) => {
                lock(&self.told).add(path.to_string_lossy().into_owned(), &denial);
                self.denied(&denial)
            }
            Verdict::Ask(waiting) => Answer::AskFile(path, Box::new(waiting)),
        }
    }

    fn show(&self, permit: Permit<ShowFile>) -> Answer {
        match self.files.show(permit) {
            Ok(()) => Answer::Proceed,
            Err(error) => Answer::Refuse(error.raw_os_error().unwrap_or(errno::ACCESS)),
        }
    }

    fn decide_start(&self, call: &Call, path: &GuestPath, words: &[String]) -> Answer {
        if let Place::Outside(path) = self.sandbox.locate(call, path) {
            if !self.sandbox.is_waiting(call) {
                return Answer::Refuse(errno::ACCESS);
            }
            // The file has to be there before it can be started.
            let shown = self.ask_installed(call, &path);
            match shown.unwrap_or_else(|| self.ask_file(path, Access::Read)) {
                Answer::Proceed => {}
                other => return other,
            }
        }
        let Some(executable) = self.sandbox.executable(call, path) else {
            return Answer::Proceed;
        };
        if self.programs.is_allowed(&executable.path) {
            return Answer::Proceed;
        }
        if let Ok(true) = self.programs.allow_link(&executable) {
            return Answer::Proceed;
        }
        if !self.sandbox.is_waiting(call) {
            return Answer::Refuse(errno::ACCESS);
        }
        let name = format!("exec:{}", path.file_name());
        let Some(action) = self.programs.to_start(executable, words, &self.desk) else {
            return Answer::Refuse(errno::ACCESS);
        };
        self.ask_program(name, action)
    }

    /// Checks a program at the desk, and lets it be started if it is permitted.
    pub(crate) fn ask_program(&self, name: String, action: StartFile) -> Answer {
        match self.desk.check(action) {
            Verdict::Permit(permit) => self.allow(permit, &name),
            Verdict::Denied(denial) => self.denied_program(name, &denial),
            Verdict::Ask(waiting) => Answer::AskProgram(name, Box::new(waiting)),
        }
    }

    /// Lets a program be started, and the interpreter that its first line names.
    fn allow(&self, permit: Permit<StartFile>, name: &str) -> Answer {
        let mut permit = permit;
        // An interpreter may be a script itself; the kernel allows five.
        for _ in 0..5 {
            let interpreter = match self.programs.allow(permit) {
                Ok(Some(interpreter)) => interpreter,
                Ok(None) => return Answer::Proceed,
                Err(error) => {
                    return Answer::Refuse(error.raw_os_error().unwrap_or(errno::ACCESS));
                }
            };
            let Some(executable) = self.sandbox.program_at(&interpreter) else {
                return Answer::Proceed;
            };
            if self.programs.is_allowed(&executable.path) {
                return Answer::Proceed;
            }
            let Some(action) = self.programs.to_start(executable, &[], &self.desk) else {
                return Answer::Refuse(errno::ACCESS);
            };
            permit = match self.desk.check(action) {
                Verdict::Permit(permit) => permit,
                Verdict::Denied(denial) => return self.denied_program(name.to_owned(), &denial),
                Verdict::Ask(waiting) => {
                    return Answer::AskProgram(name.to_owned(), Box::new(waiting));
                }
            };
        }
        Answer::Proceed
    }

    /// Takes away what is no longer granted.
    pub(crate) fn follow_revocations(&self) {
        self.files.retain(|request| self.is_granted(request));
    }

    pub(crate) fn is_granted(&self, request: &Request) -> bool {
        files::is_granted(&self.desk, request)
    }

    fn has_grants_of_files(&self) -> bool {
        let seen = self.desk.seen(&[Kind::FsRead, Kind::FsWrite]);
        seen.map_or(true, |seen| seen.contains(&true))
    }

    fn denied(&self, denial: &Denial) -> Answer {
        self.tell(denial);
        Answer::Denied(Box::new(denial.error().clone()))
    }

    fn denied_program(&self, name: String, denial: &Denial) -> Answer {
        lock(&self.told).add(name, denial);
        self.denied(denial)
    }

    /// Writes to standard error why a request failed, once. Returns the line.
    pub(crate) fn tell_failure(&self, message: &str) -> String {
        let line = json!({ "code": "FETCH_FAILED", "message": message }).to_string();
        let mut shown = lock(&self.shown);
        if shown.len() < MAX_SHOWN && shown.insert(line.clone()) {
            self.output.add(Stream::Err, format!("{line}\n").as_bytes());
        }
        line
    }

    /// Writes a denial to standard error, once.
    pub(crate) fn tell(&self, denial: &Denial) {
        let error = denial.error();
        let mut shown = lock(&self.shown);
        if shown.len() < MAX_SHOWN && shown.insert(error.request_id().to_owned()) {
            let line = format!("{}\n", error.to_json());
            self.output.add(Stream::Err, line.as_bytes());
        }
    }
}

/// Returns the name under which a shim asks why a program was denied.
fn explained(program: &Path) -> String {
    format!("exec:{}", program.file_name().unwrap_or_default().to_string_lossy())
}
