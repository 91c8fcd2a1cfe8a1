//! One isolated world, in which tools run.

mod builder;

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cofferdam_broker::{Approver, Bounds, Broker, Grant, Terms};
use cofferdam_caps::CapabilitySet;
use cofferdam_cell::KillSwitch;
use cofferdam_dom::Page;
use cofferdam_dom::proxy::Event;
use cofferdam_kernel::resources::Artifact;
use cofferdam_kernel::{
    Asking, Clock, Commands, Environment, Policy, Random, Resources, Settings, Watcher,
};
use cofferdam_net::Client;
use cofferdam_vfs::Mode;

use crate::command::Command;
use crate::config::Config;
use crate::content_policy::ContentPolicy;
use crate::drive;
use crate::error::{Error, ErrorKind};
use crate::files;
use crate::json;
use crate::limits::Limits;
use crate::outcome::Outcome;
use crate::page::Boundary;
use crate::program;
use crate::run::Run;
use crate::runtime::Runtime;
use crate::session::{Session, Slot};
use crate::tool::Tool;

pub use builder::SandboxBuilder;

/// One isolated world. A handle: clones are the same sandbox.
#[derive(Clone)]
pub struct Sandbox {
    pub(crate) world: Arc<World>,
}

pub(crate) struct World {
    pub(crate) runtime: Runtime,
    pub(crate) limits: Limits,
    clock: Clock,
    random: Random,
    watcher: Option<Arc<dyn Watcher>>,
    /// Where the next program begins.
    pub(crate) cwd: Mutex<String>,
    pub(crate) stdin: Vec<u8>,
    pub(crate) boundary: Boundary,
    config: Config,
    capabilities: CapabilitySet,
    pub(crate) resources: Arc<Resources>,
    permissions: cofferdam_broker::Session,
    /// For forks, which have permissions of their own.
    broker: Broker,
    approver: Option<Arc<dyn Approver>>,
    client: Client,
    pub(crate) policy: Arc<dyn Policy>,
    destroyed: AtomicBool,
    next_run: AtomicU64,
    runs: Mutex<HashMap<u64, KillSwitch>>,
    pub(crate) sessions: Mutex<HashMap<String, Arc<Slot>>>,
}

impl World {
    /// Returns the working directory of tools and programs.
    pub(crate) fn cwd(&self) -> String {
        lock(&self.cwd).clone()
    }
}

impl Sandbox {
    /// An empty world with the usual limits.
    pub fn new() -> Result<Self, Error> {
        Sandbox::builder().build()
    }

    /// Settings first.
    pub fn builder() -> SandboxBuilder {
        SandboxBuilder::default()
    }

    /// Runs a tool in a fresh cell.
    pub async fn run(&self, tool: &Tool) -> Result<Outcome, Error> {
        let switch = self.world.new_switch();
        let _registered = self.world.register(&switch)?;
        drive::fresh(&self.world, tool, &switch).await
    }

    /// Starts a tool in a fresh cell; it can be cancelled through what this answers.
    pub fn start(&self, tool: Tool) -> Result<Run, Error> {
        let switch = self.world.new_switch();
        let registered = self.world.register(&switch)?;
        let of_run = switch.clone();
        let future = Box::pin(async move {
            let outcome = drive::fresh(&registered.world, &tool, &of_run).await;
            drop(registered);
            outcome
        });
        Ok(Run { switch, future })
    }

    /// Runs a program and all that it starts.
    pub async fn run_program(&self, command: Command) -> Result<Outcome, Error> {
        let switch = self.world.new_switch();
        let _registered = self.world.register(&switch)?;
        program::run(&self.world, command, &switch).await
    }

    /// Starts a program; it can be cancelled through what this answers.
    pub fn start_program(&self, command: Command) -> Result<Run, Error> {
        let switch = self.world.new_switch();
        let registered = self.world.register(&switch)?;
        let of_run = switch.clone();
        let future = Box::pin(async move {
            let outcome = program::run(&registered.world, command, &of_run).await;
            drop(registered);
            outcome
        });
        Ok(Run { switch, future })
    }

    /// A kept cell of this name: what a run declares is there for the next one.
    pub fn session(&self, name: &str) -> Result<Session, Error> {
        self.world.check_alive()?;
        let mut sessions = lock(&self.world.sessions);
        let slot = sessions.entry(name.to_owned()).or_default().clone();
        Ok(Session { world: self.world.clone(), slot })
    }

    /// Whether a run is under way.
    pub fn is_running(&self) -> Result<bool, Error> {
        self.world.check_alive()?;
        Ok(!lock(&self.world.runs).is_empty())
    }

    /// Ends every run that is under way. The next one works.
    pub fn cancel(&self) -> Result<(), Error> {
        self.world.check_alive()?;
        self.world.cancel_all();
        Ok(())
    }

    /// Ends every run, drops every kept cell; from now on every call is an error.
    pub fn destroy(&self) -> Result<(), Error> {
        if self.world.destroyed.swap(true, Ordering::SeqCst) {
            return Err(Error::new(ErrorKind::Destroyed, ""));
        }
        self.world.cancel_all();
        lock(&self.world.sessions).clear();
        Ok(())
    }

    /// The variables that programs in this sandbox see.
    pub fn env(&self) -> BTreeMap<String, String> {
        lock(&self.world.resources.variables).clone()
    }

    /// Sets a variable for the runs to come, or takes it away.
    pub fn set_env(&self, name: &str, value: Option<&str>) -> Result<(), Error> {
        self.world.check_alive()?;
        let has_nul = value.is_some_and(|value| value.contains('\0'));
        if name.is_empty() || name.contains(['=', '\0']) || has_nul {
            let text = format!("{name}: not a name and value that a variable can have");
            return Err(Error::new(ErrorKind::Setting, text));
        }
        let mut variables = lock(&self.world.resources.variables);
        match value {
            Some(value) => variables.insert(name.to_owned(), value.to_owned()),
            None => variables.remove(name),
        };
        Ok(())
    }

    /// Grants something now; a run that waits for it goes on.
    pub fn grant(&self, terms: Terms) -> Result<Grant, Error> {
        self.world.check_alive()?;
        Ok(self.world.permissions.grant(terms)?)
    }

    /// What it was given and granted, and how to take it away again.
    pub fn permissions(&self) -> &cofferdam_broker::Session {
        &self.world.permissions
    }

    /// Publishes something, or replaces it, while tools may be running.
    pub fn publish(
        &self,
        name: &str,
        content: serde_json::Value,
        metadata: serde_json::Value,
    ) -> Result<(), Error> {
        self.world.check_alive()?;
        publish(&self.world.resources, name, artifact(content, metadata))
    }

    /// What is published under a name; a tool may have changed it.
    pub fn published(&self, name: &str) -> Option<serde_json::Value> {
        let artifact = self.world.resources.published.get(name)?;
        Some(json::to_json(&artifact.content).json)
    }

    /// The page as HTML; none where it holds none.
    pub fn page_html(&self) -> Option<String> {
        lock(&self.world.resources.page).here().map(|page| page.html())
    }

    /// What tools did to the page that a person does with mouse and keyboard, in order; each is
    /// given once.
    pub fn page_events(&self) -> Vec<Event> {
        let mut page = lock(&self.world.resources.page);
        page.here().map(Page::take_events).unwrap_or_default()
    }

    /// Changes the page while tools may be running; `change` gets its tree and document. Which
    /// elements grants name is found anew afterwards.
    pub fn change_page<T>(
        &self,
        change: impl FnOnce(&mut cofferdam_dom::Tree, cofferdam_dom::NodeId) -> T,
    ) -> Result<T, Error> {
        self.world.check_alive()?;
        let mut page = lock(&self.world.resources.page);
        let Some(page) = page.here() else {
            return Err(Error::new(ErrorKind::Setting, "page: this sandbox holds none"));
        };
        let document = page.document();
        Ok(change(page.tree_mut(), document))
    }

    /// What runs find on standard input.
    pub fn stdin(&self) -> &[u8] {
        &self.world.stdin
    }

    /// What a file holds; at most `most` bytes of it are read.
    pub fn read_file(&self, path: &str, most: usize) -> Result<Vec<u8>, Error> {
        self.world.check_alive()?;
        let files = self.world.resources.files.as_host(files::now());
        files.read_file(path, most).map_err(|e| Error::new(ErrorKind::Setting, e.to_string()))
    }

    /// The names in a folder, sorted, and which of them are folders.
    pub fn list(&self, path: &str) -> Result<Vec<(String, bool)>, Error> {
        self.world.check_alive()?;
        let listed = files::list(&self.world.resources.files, path);
        listed.map_err(|e| Error::new(ErrorKind::Setting, e.to_string()))
    }

    /// Writes a file, with the folders above it: whole, or not at all.
    pub fn write_file(&self, path: &str, bytes: &[u8]) -> Result<(), Error> {
        self.world.check_alive()?;
        files::write(&self.world.resources.files, &self.world.limits, path, bytes)
    }

    /// Writes a program or script, which can then be started by its path.
    pub fn write_executable(&self, path: &str, bytes: &[u8]) -> Result<(), Error> {
        self.write_file(path, bytes)?;
        let files = self.world.resources.files.as_guest(files::now());
        let set = files.set_mode(files::absolute(path, files::HOME).as_str(), Mode::new(0o755));
        set.map_err(|e| Error::new(ErrorKind::Setting, e.to_string()))
    }

    /// What it was given, as a content security policy.
    pub fn content_policy(&self) -> ContentPolicy {
        let policy = ContentPolicy::new(&self.world.capabilities, self.world.boundary);
        self.world.config.narrow(policy)
    }

    /// What was granted.
    pub fn capabilities(&self) -> &CapabilitySet {
        &self.world.capabilities
    }
}

impl World {
    pub(crate) fn new_switch(&self) -> KillSwitch {
        KillSwitch::new(self.runtime.engine().alarm())
    }

    pub(crate) fn check_alive(&self) -> Result<(), Error> {
        match self.destroyed.load(Ordering::SeqCst) {
            true => Err(Error::new(ErrorKind::Destroyed, "")),
            false => Ok(()),
        }
    }

    /// Another world with the same content and settings. What was granted since the sandbox was
    /// made stays with this one.
    pub(crate) fn fork(&self) -> World {
        let name = self.runtime.next_sandbox();
        World {
            runtime: self.runtime.clone(),
            limits: self.limits,
            clock: self.clock,
            random: self.random,
            watcher: self.watcher.clone(),
            cwd: Mutex::new(lock(&self.cwd).clone()),
            stdin: self.stdin.clone(),
            capabilities: self.capabilities.clone(),
            resources: Arc::new(self.resources.fork()),
            permissions: session(
                &self.broker,
                &name,
                &self.capabilities,
                &self.approver,
                self.config.bounds(),
            ),
            broker: self.broker.clone(),
            approver: self.approver.clone(),
            client: self.client.clone(),
            boundary: self.boundary,
            config: self.config.clone(),
            policy: self.policy.clone(),
            destroyed: AtomicBool::new(false),
            next_run: AtomicU64::new(0),
            runs: Mutex::default(),
            sessions: Mutex::default(),
        }
    }

    /// Notes a run, so that it can be cancelled; forgotten when the answer is dropped.
    pub(crate) fn register(self: &Arc<Self>, switch: &KillSwitch) -> Result<Registered, Error> {
        let id = self.next_run.fetch_add(1, Ordering::Relaxed);
        let mut runs = lock(&self.runs);
        // Looked at under the lock: a run noted here is seen by `destroy`.
        self.check_alive()?;
        runs.insert(id, switch.clone());
        Ok(Registered { world: self.clone(), id })
    }

    /// Keeps runs from starting while the answer is held; an error when one is under way.
    pub(crate) fn idle(&self) -> Result<MutexGuard<'_, HashMap<u64, KillSwitch>>, Error> {
        let runs = lock(&self.runs);
        self.check_alive()?;
        match runs.is_empty() {
            true => Ok(runs),
            false => Err(Error::new(ErrorKind::Setting, "sandbox: something is running in it")),
        }
    }

    fn cancel_all(&self) {
        lock(&self.runs).values().for_each(KillSwitch::kill);
    }

    /// What a program says the next one is to begin with. What is not text is left out.
    pub(crate) fn keep_environment(&self, environment: &Environment) {
        fn pair(bytes: &[u8]) -> Option<(&str, &str)> {
            let pair = std::str::from_utf8(bytes).ok()?.split_once('=')?;
            // How deep a shell is nested is counted anew in every run.
            (!pair.0.is_empty() && pair.0 != "SHLVL").then_some(pair)
        }
        let pairs = || environment.variables.iter().filter_map(|bytes| pair(bytes));
        let mut variables = lock(&self.resources.variables);
        let is_known =
            |(name, value): (&str, &str)| variables.get(name).is_some_and(|v| v == value);
        // Most commands change nothing.
        if pairs().count() != variables.len() || !pairs().all(is_known) {
            *variables = pairs().map(|(name, value)| (name.into(), value.into())).collect();
        }
        drop(variables);
        match std::str::from_utf8(&environment.cwd) {
            Ok(cwd) if cwd.starts_with('/') => {
                let mut kept = lock(&self.cwd);
                if *kept != cwd {
                    cwd.clone_into(&mut kept);
                }
            }
            Ok(_) | Err(_) => {}
        }
    }

    /// Where the next run of this tool makes its requests.
    pub(crate) fn desk(&self, tool: &str) -> cofferdam_broker::Desk {
        self.permissions.desk(&self.runtime.next_run(), tool)
    }

    pub(crate) fn settings(
        &self,
        desk: cofferdam_broker::Desk,
        commands: Option<Arc<dyn Commands>>,
    ) -> Settings {
        Settings {
            resources: self.resources.clone(),
            desk,
            client: self.client.clone(),
            commands,
            clock: self.clock,
            random: self.random,
            stdout_bytes: self.limits.stdout_bytes as usize,
            stderr_bytes: self.limits.stderr_bytes as usize,
            watcher: self.watcher.clone(),
            asking: Asking::default(),
            console: None,
            code: None,
            term: None,
            types: None,
        }
    }
}

fn session(
    broker: &Broker,
    name: &str,
    given: &CapabilitySet,
    approver: &Option<Arc<dyn Approver>>,
    bounds: Bounds,
) -> cofferdam_broker::Session {
    let approver = approver.clone().or_else(|| broker.approver());
    broker.session_within(name, given, approver, bounds)
}

fn artifact(content: serde_json::Value, metadata: serde_json::Value) -> Artifact {
    Artifact { content: json::from_json(content), metadata: json::from_json(metadata) }
}

fn publish(resources: &Resources, name: &str, artifact: Artifact) -> Result<(), Error> {
    let full = |_| Error::new(ErrorKind::Setting, format!("{name}: too much is published"));
    resources.published.put(name, artifact).map_err(full)
}

/// A noted run.
pub(crate) struct Registered {
    pub(crate) world: Arc<World>,
    id: u64,
}

impl Drop for Registered {
    fn drop(&mut self) {
        lock(&self.world.runs).remove(&self.id);
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
