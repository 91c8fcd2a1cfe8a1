//! One isolated world, in which tools run.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cofferdam_broker::{Approver, Broker, Grant, Terms};
use cofferdam_caps::storage::StorageArea;
use cofferdam_caps::{Capability, CapabilitySet};
use cofferdam_cell::KillSwitch;
use cofferdam_dom::Page;
use cofferdam_dom::proxy::Event;
use cofferdam_kernel::resources::Artifact;
use cofferdam_kernel::{
    AllowAll, Asking, Clock, Commands, Environment, Policy, Random, Resources, Settings, Watcher,
};
use cofferdam_net::Client;
use cofferdam_vfs::{HostDir, Mode, Mount, VPath};

use crate::archive;
use crate::command::Command;
use crate::content_policy::ContentPolicy;
use crate::drive;
use crate::error::{Error, ErrorKind};
use crate::files;
use crate::function::Function;
use crate::json;
use crate::limits::Limits;
use crate::outcome::Outcome;
use crate::page::{self, Boundary};
use crate::program;
use crate::run::Run;
use crate::runtime::Runtime;
use crate::session::{Session, Slot};
use crate::tool::Tool;

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
    watcher: Option<Watcher>,
    /// Where the next program begins.
    pub(crate) cwd: Mutex<String>,
    pub(crate) stdin: Vec<u8>,
    pub(crate) boundary: Boundary,
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

/// Makes a [`Sandbox`] with other settings than the usual.
#[derive(Default)]
pub struct SandboxBuilder {
    runtime: Option<Runtime>,
    limits: Limits,
    clock: Clock,
    random: Random,
    watcher: Option<Watcher>,
    env: BTreeMap<String, String>,
    stdin: Vec<u8>,
    capabilities: CapabilitySet,
    files: Vec<(String, Vec<u8>)>,
    links: Vec<(String, String)>,
    name: Option<String>,
    broker: Option<Broker>,
    approver: Option<Arc<dyn Approver>>,
    client: Option<Client>,
    functions: Vec<Function>,
    published: Vec<(String, Artifact)>,
    mounts: Vec<(String, HostDir, Mount)>,
    policy: Option<Arc<dyn Policy>>,
    programs: Vec<(String, Vec<u8>)>,
    archive: Option<Vec<u8>>,
    page: Option<String>,
    boundary: Boundary,
}

impl SandboxBuilder {
    /// Uses this runtime in place of the shared one.
    pub fn runtime(mut self, runtime: &Runtime) -> Self {
        self.runtime = Some(runtime.clone());
        self
    }

    /// Limits of each run.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Where time comes from.
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Where random bytes come from.
    pub fn random(mut self, random: Random) -> Self {
        self.random = random;
        self
    }

    /// Sees output while a run goes on.
    pub fn watcher(mut self, watcher: Watcher) -> Self {
        self.watcher = Some(watcher);
        self
    }

    /// Adds a variable to the sandbox's environment; the host's own is never seen.
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.insert(name.into(), value.into());
        self
    }

    /// What runs find on standard input.
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = bytes.into();
        self
    }

    /// Gives the sandbox a capability.
    pub fn grant(mut self, capability: Capability) -> Self {
        self.capabilities.insert(capability);
        self
    }

    /// Puts a file there before anything runs, with the folders above it. A path that is not
    /// absolute begins in the working directory.
    pub fn file(mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        self.files.push((path.into(), bytes.into()));
        self
    }

    /// Puts a symbolic link there before anything runs, with the folders above it.
    pub fn link(mut self, path: impl Into<String>, target: impl Into<String>) -> Self {
        self.links.push((path.into(), target.into()));
        self
    }

    /// What the sandbox is called in grants, requests and the audit log. One that comes again
    /// under the same name has its requests known again.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Who keeps grants and the audit log. Without one nothing is kept, and nothing is allowed
    /// but what the sandbox is given.
    pub fn broker(mut self, broker: &Broker) -> Self {
        self.broker = Some(broker.clone());
        self
    }

    /// Who is asked for what is not granted. Without one, nobody: it is denied.
    pub fn approver(mut self, approver: Arc<dyn Approver>) -> Self {
        self.approver = Some(approver);
        self
    }

    /// Reaches the network through this client in place of the shared one.
    pub fn client(mut self, client: &Client) -> Self {
        self.client = Some(client.clone());
        self
    }

    /// A function that tools with a grant for it may call as `btcp.tools.NAME(args)`.
    pub fn function(mut self, function: Function) -> Self {
        self.functions.push(function);
        self
    }

    /// Publishes something that tools with a grant for it may read as `btcp.state.get(NAME)`.
    pub fn publish(
        mut self,
        name: impl Into<String>,
        content: serde_json::Value,
        metadata: serde_json::Value,
    ) -> Self {
        self.published.push((name.into(), artifact(content, metadata)));
        self
    }

    /// A page that tools with a grant for it may read and change as `btcp.dom`; they see copies,
    /// never the page. It counts against the memory of a run.
    pub fn page(mut self, html: impl Into<String>) -> Self {
        self.page = Some(html.into());
        self
    }

    /// What tools find around them: see [`Boundary`].
    pub fn boundary(mut self, boundary: Boundary) -> Self {
        self.boundary = boundary;
        self
    }

    /// Shows a real directory at an absolute path of the sandbox.
    pub fn mount(mut self, at: impl Into<String>, directory: HostDir, mount: Mount) -> Self {
        self.mounts.push((at.into(), directory, mount));
        self
    }

    /// Who decides what may be started; without one, anything the sandbox has.
    pub fn policy(mut self, policy: Arc<dyn Policy>) -> Self {
        self.policy = Some(policy);
        self
    }

    /// A WASI module or script as a command of the shell: `/usr/local/bin/NAME`, on `PATH`.
    pub fn program(mut self, name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        self.programs.push((name.into(), bytes.into()));
        self
    }

    /// Begins with what [`Sandbox::export`] wrote: files, local storage, variables, working
    /// directory. What is set on this builder comes on top of it.
    pub fn import(mut self, archive: impl Into<Vec<u8>>) -> Self {
        self.archive = Some(archive.into());
        self
    }

    /// Makes the sandbox.
    pub fn build(self) -> Result<Sandbox, Error> {
        let runtime = match self.runtime {
            Some(runtime) => runtime,
            None => Runtime::shared()?,
        };
        let tree = files::fresh(&self.limits);
        let mut env = default_environment();
        // Before the mounts, so that nothing in it can reach a real directory.
        let imported = match &self.archive {
            Some(bytes) => {
                let imported = archive::read(bytes, &tree, &self.limits)?;
                env.clone_from(&imported.variables);
                env.insert("PWD".into(), imported.cwd.clone());
                Some(imported)
            }
            None => None,
        };
        for (at, directory, mount) in self.mounts {
            let bad = |e: String| Error::new(ErrorKind::Setting, format!("mount {at}: {e}"));
            let path = VPath::new(&at).map_err(|e| bad(e.to_string()))?;
            let mounted = tree.mount(&path, directory, mount, files::now());
            mounted.map_err(|e| bad(e.errno().to_string()))?;
        }
        env.extend(self.env);
        for (name, bytes) in &self.programs {
            files::program(&tree, name, bytes)?;
        }
        if !self.programs.is_empty() {
            files::add_to_path(&mut env);
        }
        let cwd = env.get("PWD").cloned().unwrap_or_else(|| files::HOME.to_owned());
        for (path, bytes) in &self.files {
            files::write(&tree, &self.limits, &files::absolute(path, &cwd), bytes)?;
        }
        for (path, target) in &self.links {
            files::link(&tree, path, target)?;
        }
        let resources = Resources::new(tree);
        *lock(&resources.variables) = env;
        if let Some(imported) = imported {
            resources.storage.with(StorageArea::Local, |area| *area = imported.local);
        }
        for function in self.functions {
            let name = function.name().to_owned();
            resources.functions.register(&name, Arc::new(function));
        }
        for (name, artifact) in self.published {
            publish(&resources, &name, artifact)?;
        }
        if let Some(html) = self.page {
            *lock(&resources.page) = Some(page::parse(&html, &self.limits)?);
        }
        let broker = match self.broker {
            Some(broker) => broker,
            None => runtime.broker()?,
        };
        let name = self.name.unwrap_or_else(|| runtime.next_sandbox());
        let permissions = session(&broker, &name, &self.capabilities, &self.approver);
        let world = World {
            client: self.client.unwrap_or_else(|| runtime.client()),
            runtime,
            limits: self.limits,
            clock: self.clock,
            random: self.random,
            watcher: self.watcher,
            cwd: Mutex::new(cwd),
            policy: self.policy.unwrap_or_else(|| Arc::new(AllowAll)),
            stdin: self.stdin,
            boundary: self.boundary,
            capabilities: self.capabilities,
            resources: Arc::new(resources),
            permissions,
            broker,
            approver: self.approver,
            destroyed: AtomicBool::new(false),
            next_run: AtomicU64::new(0),
            runs: Mutex::default(),
            sessions: Mutex::default(),
        };
        Ok(Sandbox { world: Arc::new(world) })
    }
}

fn session(
    broker: &Broker,
    name: &str,
    given: &CapabilitySet,
    approver: &Option<Arc<dyn Approver>>,
) -> cofferdam_broker::Session {
    match approver {
        Some(approver) => broker.session_asking(name, given, Some(approver.clone())),
        None => broker.session(name, given),
    }
}

fn artifact(content: serde_json::Value, metadata: serde_json::Value) -> Artifact {
    Artifact { content: json::from_json(content), metadata: json::from_json(metadata) }
}

fn publish(resources: &Resources, name: &str, artifact: Artifact) -> Result<(), Error> {
    let full = |_| Error::new(ErrorKind::Setting, format!("{name}: too much is published"));
    resources.published.put(name, artifact).map_err(full)
}

fn default_environment() -> BTreeMap<String, String> {
    let pairs =
        [("HOME", files::HOME), ("PWD", files::HOME), ("PATH", "/usr/bin:/bin"), ("USER", "user")];
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).into()
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

    /// The page as HTML; none where it has none.
    pub fn page_html(&self) -> Option<String> {
        lock(&self.world.resources.page).as_ref().map(Page::html)
    }

    /// What tools did to the page that a person does with mouse and keyboard, in order; each is
    /// given once.
    pub fn page_events(&self) -> Vec<Event> {
        let mut page = lock(&self.world.resources.page);
        page.as_mut().map(Page::take_events).unwrap_or_default()
    }

    /// Changes the page while tools may be running; `change` gets its tree and document. Which
    /// elements grants name is found anew afterwards.
    pub fn change_page<T>(
        &self,
        change: impl FnOnce(&mut cofferdam_dom::Tree, cofferdam_dom::NodeId) -> T,
    ) -> Result<T, Error> {
        self.world.check_alive()?;
        let mut page = lock(&self.world.resources.page);
        let Some(page) = page.as_mut() else {
            return Err(Error::new(ErrorKind::Setting, "page: this sandbox has none"));
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
        ContentPolicy::new(&self.world.capabilities, self.world.boundary)
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
            permissions: session(&self.broker, &name, &self.capabilities, &self.approver),
            broker: self.broker.clone(),
            approver: self.approver.clone(),
            client: self.client.clone(),
            boundary: self.boundary,
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

    /// The variables, and where the next program begins.
    pub(crate) fn environment(&self) -> (BTreeMap<String, String>, String) {
        (lock(&self.resources.variables).clone(), lock(&self.cwd).clone())
    }

    /// What a program says the next one is to begin with. What is not text is left out.
    pub(crate) fn keep_environment(&self, environment: &Environment) {
        let pair = |bytes: &Vec<u8>| {
            let (name, value) = std::str::from_utf8(bytes).ok()?.split_once('=')?;
            // How deep a shell is nested is counted anew in every run.
            let is_kept = !name.is_empty() && name != "SHLVL";
            is_kept.then(|| (name.to_owned(), value.to_owned()))
        };
        let variables = environment.variables.iter().filter_map(pair).collect();
        *lock(&self.resources.variables) = variables;
        match std::str::from_utf8(&environment.cwd) {
            Ok(cwd) if cwd.starts_with('/') => *lock(&self.cwd) = cwd.to_owned(),
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
        }
    }
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
