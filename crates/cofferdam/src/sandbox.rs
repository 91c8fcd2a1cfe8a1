//! One isolated sandbox: files, storage, variables, grants and limits, and the runs in it.

mod builder;

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cofferdam_broker::{Approver, Bounds, Broker, Grant, Terms};
use cofferdam_caps::{CapabilitySet, Kind};
use cofferdam_cell::KillSwitch;
use cofferdam_kernel::permitted::{Network, Permitted};
use cofferdam_kernel::resources::Artifact;
use cofferdam_kernel::{
    Clock, Commands, Environment, Policy, Random, Resources, Settings, Watcher,
};
use cofferdam_vfs::{Mode, raw};

use crate::command::Command;
use crate::config::Config;
use crate::content_policy::ContentPolicy;
use crate::drive;
use crate::error::{Error, ErrorKind};
use crate::files::{self, FolderEntry};
use crate::function::Signature;
use crate::json;
use crate::limits::Limits;
use crate::outcome::Outcome;
use crate::page::Boundary;
use crate::program;
use crate::run::{Run, RunSettings};
use crate::runtime::Runtime;
use crate::session::{Session, Slot};
use crate::tool::Tool;

pub use builder::SandboxBuilder;

/// An isolated sandbox. This is a handle: clones refer to the same sandbox.
#[derive(Clone)]
pub struct Sandbox {
    pub(crate) state: Arc<SandboxState>,
}

pub(crate) struct SandboxState {
    pub(crate) runtime: Runtime,
    pub(crate) limits: Limits,
    clock: Clock,
    random: Random,
    pub(crate) watcher: Option<Arc<dyn Watcher>>,
    /// Working directory of the next program.
    pub(crate) cwd: Mutex<String>,
    pub(crate) stdin: Vec<u8>,
    pub(crate) boundary: Boundary,
    config: Config,
    capabilities: CapabilitySet,
    pub(crate) resources: Arc<Resources>,
    functions: Arc<[Signature]>,
    pub(crate) permissions: cofferdam_broker::Permissions,
    /// Kept for forks, which get permissions of their own.
    broker: Broker,
    approver: Option<Arc<dyn Approver>>,
    network: Network,
    pub(crate) policy: Arc<dyn Policy>,
    destroyed: AtomicBool,
    next_run: AtomicU64,
    runs: Mutex<HashMap<u64, KillSwitch>>,
    pub(crate) sessions: Mutex<HashMap<String, Arc<Slot>>>,
}

impl SandboxState {
    /// Returns the working directory of tools and programs.
    pub(crate) fn cwd(&self) -> String {
        lock(&self.cwd).clone()
    }
}

impl Sandbox {
    /// Creates an empty sandbox with default limits.
    pub fn new() -> Result<Self, Error> {
        Sandbox::builder().build()
    }

    /// Returns a builder for a sandbox with other settings.
    pub fn builder() -> SandboxBuilder {
        SandboxBuilder::default()
    }

    /// Runs a tool in a fresh cell.
    pub async fn run(&self, tool: &Tool) -> Result<Outcome, Error> {
        let switch = self.state.new_switch();
        let _registered = self.state.register(&switch)?;
        drive::fresh(&self.state, tool, &switch, &RunSettings::default()).await
    }

    /// Starts a tool in a fresh cell. The returned [`Run`] is a future that can be cancelled.
    pub fn start(&self, tool: Tool) -> Result<Run, Error> {
        self.start_with(tool, RunSettings::default())
    }

    /// Starts a tool in a fresh cell with settings for this run.
    pub fn start_with(&self, tool: Tool, settings: RunSettings) -> Result<Run, Error> {
        let switch = self.state.new_switch();
        let registered = self.state.register(&switch)?;
        let of_run = switch.clone();
        let future = Box::pin(async move {
            let outcome = drive::fresh(&registered.state, &tool, &of_run, &settings).await;
            drop(registered);
            outcome
        });
        Ok(Run { switch, future })
    }

    /// Runs a program and every process that it starts.
    pub async fn run_program(&self, command: Command) -> Result<Outcome, Error> {
        let switch = self.state.new_switch();
        let _registered = self.state.register(&switch)?;
        program::run(&self.state, command, &switch, &RunSettings::default()).await
    }

    /// Starts a program. The returned [`Run`] is a future that can be cancelled.
    pub fn start_program(&self, command: Command) -> Result<Run, Error> {
        self.start_program_with(command, RunSettings::default())
    }

    /// Starts a program with settings for this run.
    pub fn start_program_with(
        &self,
        command: Command,
        settings: RunSettings,
    ) -> Result<Run, Error> {
        let switch = self.state.new_switch();
        let registered = self.state.register(&switch)?;
        let of_run = switch.clone();
        let future = Box::pin(async move {
            let outcome = program::run(&registered.state, command, &of_run, &settings).await;
            drop(registered);
            outcome
        });
        Ok(Run { switch, future })
    }

    /// Returns the session of this name, creating it on first use. Variables that one run declares
    /// are there for the next.
    pub fn session(&self, name: &str) -> Result<Session, Error> {
        self.state.check_alive()?;
        let mut sessions = lock(&self.state.sessions);
        let slot = sessions.entry(name.to_owned()).or_default().clone();
        Ok(Session { state: self.state.clone(), slot })
    }

    /// Drops the kept cell of a session, with the variables in it. Returns false if there is no
    /// such session. A run that is under way in it goes on.
    pub fn close_session(&self, name: &str) -> bool {
        lock(&self.state.sessions).remove(name).is_some()
    }

    /// Returns the limits that the sandbox was built with.
    pub fn limits(&self) -> Limits {
        self.state.limits
    }

    /// Returns the functions that tools may be granted, sorted by name, with the descriptions and
    /// schemas that a language model needs to call them.
    pub fn functions(&self) -> &[Signature] {
        &self.state.functions
    }

    /// Returns true if a run is under way.
    pub fn is_running(&self) -> Result<bool, Error> {
        self.state.check_alive()?;
        Ok(!lock(&self.state.runs).is_empty())
    }

    /// Cancels every run that is under way. Later runs are not affected.
    pub fn cancel(&self) -> Result<(), Error> {
        self.state.check_alive()?;
        self.state.cancel_all();
        Ok(())
    }

    /// Cancels every run and drops every kept cell. From then on every call returns an error.
    pub fn destroy(&self) -> Result<(), Error> {
        if self.state.destroyed.swap(true, Ordering::SeqCst) {
            return Err(Error::new(ErrorKind::Destroyed, ""));
        }
        self.state.cancel_all();
        lock(&self.state.sessions).clear();
        Ok(())
    }

    /// Returns the environment that programs start with.
    pub fn env(&self) -> BTreeMap<String, String> {
        lock(&self.state.resources.variables).clone()
    }

    /// Sets an environment variable for later runs, or removes it if `value` is `None`.
    pub fn set_env(&self, name: &str, value: Option<&str>) -> Result<(), Error> {
        self.state.check_alive()?;
        let has_nul = value.is_some_and(|value| value.contains('\0'));
        if name.is_empty() || name.contains(['=', '\0']) || has_nul {
            let text = format!("{name}: not an environment variable (empty name, `=` or NUL)");
            return Err(Error::new(ErrorKind::BadOption, text));
        }
        let mut variables = lock(&self.state.resources.variables);
        match value {
            Some(value) => variables.insert(name.to_owned(), value.to_owned()),
            None => variables.remove(name),
        };
        Ok(())
    }

    /// Grants a capability. Runs that wait for it go on.
    pub fn grant(&self, terms: Terms) -> Result<Grant, Error> {
        self.state.check_alive()?;
        Ok(self.state.permissions.grant(terms)?)
    }

    /// Returns the permissions of the sandbox: what was given and granted, and the means to revoke
    /// it.
    pub fn permissions(&self) -> &cofferdam_broker::Permissions {
        &self.state.permissions
    }

    /// Publishes a value under a name, replacing the previous one. Tools may be running.
    pub fn publish(
        &self,
        name: &str,
        content: serde_json::Value,
        metadata: serde_json::Value,
    ) -> Result<(), Error> {
        self.state.check_alive()?;
        publish(&self.state.resources, name, artifact(content, metadata))
    }

    /// Returns the value published under a name, as tools may have changed it.
    pub fn published(&self, name: &str) -> Option<serde_json::Value> {
        let artifact = self.state.resources.published.get(name)?;
        Some(json::to_json(&artifact.content).json)
    }

    /// Returns the default standard input of runs.
    pub fn stdin(&self) -> &[u8] {
        &self.state.stdin
    }

    /// Reads a file. Fails if it is longer than `most` bytes.
    pub fn read_file(&self, path: &str, most: usize) -> Result<Vec<u8>, Error> {
        self.state.check_alive()?;
        let files = self.state.resources.files.as_host(files::now());
        Ok(files.read_file(path, most)?)
    }

    /// Returns the entries of a folder, sorted by name; the first 10,000 if there are more.
    pub fn list(&self, path: &str) -> Result<Vec<FolderEntry>, Error> {
        self.state.check_alive()?;
        Ok(files::list(&self.state.resources.files, path)?)
    }

    /// Writes a file and creates the folders above it. A write that fails leaves the file as it
    /// was.
    pub fn write_file(&self, path: &str, bytes: &[u8]) -> Result<(), Error> {
        self.state.check_alive()?;
        files::write(&self.state.resources.files, &self.state.limits, path, bytes)
    }

    /// Returns the files, as a program in the sandbox sees them. The limits of the sandbox hold.
    pub fn files(&self) -> Result<cofferdam_vfs::Files<'_>, Error> {
        self.state.check_alive()?;
        Ok(self.state.resources.files.as_guest(files::now()))
    }

    /// Writes a program or script that can be started by its path.
    pub fn write_executable(&self, path: &str, bytes: &[u8]) -> Result<(), Error> {
        self.write_file(path, bytes)?;
        let files = self.state.resources.files.as_guest(files::now());
        let set = files.set_mode(files::absolute(path, files::HOME).as_str(), Mode::new(0o755));
        Ok(set?)
    }

    /// Describes the given capabilities as a content security policy.
    pub fn content_policy(&self) -> ContentPolicy {
        let policy = ContentPolicy::new(&self.state.capabilities, self.state.boundary);
        self.state.config.narrow(policy)
    }

    /// Returns the capabilities that the sandbox was given when it was built.
    pub fn capabilities(&self) -> &CapabilitySet {
        &self.state.capabilities
    }
}

impl SandboxState {
    pub(crate) fn new_switch(&self) -> KillSwitch {
        KillSwitch::new(self.runtime.engine().alarm())
    }

    /// Returns a number for the name of a file that is being written.
    pub(crate) fn next_part(&self) -> u64 {
        self.next_run.fetch_add(1, Ordering::Relaxed)
    }

    pub(crate) fn check_alive(&self) -> Result<(), Error> {
        match self.destroyed.load(Ordering::SeqCst) {
            true => Err(Error::new(ErrorKind::Destroyed, "")),
            false => Ok(()),
        }
    }

    /// Copies the content and settings. Grants made since the sandbox was built stay with the
    /// original.
    pub(crate) fn fork(&self, name: Option<&str>) -> SandboxState {
        let name = name.map_or_else(|| self.runtime.next_sandbox(), str::to_owned);
        let bounds = self.config.bounds();
        let permissions =
            permissions(&self.broker, &name, &self.capabilities, &self.approver, bounds);
        permissions.set_host_folders(self.permissions.host_folders());
        // A fork of a restricted sandbox is restricted, though it does not have all the grants.
        if self.permissions.is_restricted(Kind::ProcessExec) {
            permissions.restrict(Kind::ProcessExec);
        }
        SandboxState {
            runtime: self.runtime.clone(),
            limits: self.limits,
            clock: self.clock,
            random: self.random,
            watcher: self.watcher.clone(),
            cwd: Mutex::new(lock(&self.cwd).clone()),
            stdin: self.stdin.clone(),
            capabilities: self.capabilities.clone(),
            resources: Arc::new(self.resources.fork()),
            functions: self.functions.clone(),
            permissions,
            broker: self.broker.clone(),
            approver: self.approver.clone(),
            network: self.network.clone(),
            boundary: self.boundary,
            config: self.config.clone(),
            policy: self.policy.clone(),
            destroyed: AtomicBool::new(false),
            next_run: AtomicU64::new(0),
            runs: Mutex::default(),
            sessions: Mutex::default(),
        }
    }

    /// Records a run, so that it can be cancelled. Dropping the returned value removes the record.
    pub(crate) fn register(self: &Arc<Self>, switch: &KillSwitch) -> Result<Registered, Error> {
        let id = self.next_run.fetch_add(1, Ordering::Relaxed);
        let mut runs = lock(&self.runs);
        // Checked under the lock: `destroy` sees every run recorded here.
        self.check_alive()?;
        runs.insert(id, switch.clone());
        Ok(Registered { state: self.clone(), id })
    }

    /// Keeps runs from starting while the returned guard is held. Fails if a run is under way.
    pub(crate) fn idle(&self) -> Result<MutexGuard<'_, HashMap<u64, KillSwitch>>, Error> {
        let runs = lock(&self.runs);
        self.check_alive()?;
        match runs.is_empty() {
            true => Ok(runs),
            false => Err(Error::new(ErrorKind::SandboxBusy, "sandbox: a run is under way in it")),
        }
    }

    fn cancel_all(&self) {
        lock(&self.runs).values().for_each(KillSwitch::kill);
    }

    /// Saves the environment and working directory for the next run; drops variables that are not
    /// UTF-8.
    pub(crate) fn keep_environment(&self, environment: &Environment) {
        fn pair(bytes: &[u8]) -> Option<(&str, &str)> {
            let pair = std::str::from_utf8(bytes).ok()?.split_once('=')?;
            // The nesting depth of the shell is counted from the start in every run.
            (!pair.0.is_empty() && pair.0 != "SHLVL").then_some(pair)
        }
        let pairs = || environment.variables.iter().filter_map(|bytes| pair(bytes));
        let mut variables = lock(&self.resources.variables);
        let is_known =
            |(name, value): (&str, &str)| variables.get(name).is_some_and(|v| v == value);
        // Most commands change no variable, so compare before copying.
        if pairs().count() != variables.len() || !pairs().all(is_known) {
            *variables = pairs().map(|(name, value)| (name.into(), value.into())).collect();
        }
        drop(variables);
        let cwd = raw::text(&environment.cwd);
        let mut kept = lock(&self.cwd);
        if cwd.starts_with('/') && *kept != cwd {
            (*cwd).clone_into(&mut kept);
        }
    }

    /// Opens the desk at which a run of this tool makes its requests. A run without a name gets one.
    pub(crate) fn desk(&self, tool: Arc<str>, run: Option<&str>) -> cofferdam_broker::Desk {
        match run {
            Some(run) => self.permissions.desk(run, tool),
            None => self.permissions.desk(self.runtime.next_run(), tool),
        }
    }

    pub(crate) fn settings(
        &self,
        course: &drive::Course,
        commands: Option<Arc<dyn Commands>>,
    ) -> Settings {
        Settings {
            resources: Permitted::new(self.resources.clone()),
            desk: course.desk.clone(),
            network: self.network.clone(),
            commands,
            clock: self.clock,
            random: self.random,
            stdout_bytes: self.limits.stdout_bytes as usize,
            stderr_bytes: self.limits.stderr_bytes as usize,
            call_bytes: self.limits.call_bytes as usize,
            fetch_bytes: self.limits.fetch_bytes as usize,
            watcher: self.watcher.clone(),
            run_clock: course.clock.clone(),
            allowance: course.allowance.clone(),
            console: None,
            code: None,
            types: None,
        }
    }
}

fn permissions(
    broker: &Broker,
    name: &str,
    given: &CapabilitySet,
    approver: &Option<Arc<dyn Approver>>,
    bounds: Bounds,
) -> cofferdam_broker::Permissions {
    let approver = approver.clone().or_else(|| broker.approver());
    broker.permissions_within(name, given, approver, bounds)
}

fn artifact(content: serde_json::Value, metadata: serde_json::Value) -> Artifact {
    Artifact { content: json::from_json(content), metadata: json::from_json(metadata) }
}

fn publish(resources: &Resources, name: &str, artifact: Artifact) -> Result<(), Error> {
    let full = |_| {
        let text = format!("{name}: published state is full (10,000 entries)");
        Error::new(ErrorKind::Limit, text)
    };
    resources.published.put(name, artifact).map_err(full)
}

/// A record of a run under way.
// T-CELL-019: a run killed half-way.
pub(crate) struct Registered {
    pub(crate) state: Arc<SandboxState>,
    id: u64,
}

impl Drop for Registered {
    fn drop(&mut self) {
        lock(&self.state.runs).remove(&self.id);
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
