//! Settings of a sandbox, before there is one.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex};

use cofferdam_broker::{Approver, Broker};
use cofferdam_caps::storage::StorageArea;
use cofferdam_caps::{Capability, CapabilitySet};
use cofferdam_kernel::resources::Artifact;
use cofferdam_kernel::{AllowAll, Clock, Elsewhere, Policy, Random, Resources, Shown, Watcher};
use cofferdam_net::Client;
use cofferdam_vfs::{HostDir, Mount, VPath};

use super::{Sandbox, SandboxState, artifact, lock, publish, session};
use crate::archive;
use crate::config::Config;
use crate::error::{Error, ErrorKind};
use crate::files;
use crate::function::Function;
use crate::limits::Limits;
use crate::page::{self, Boundary};
use crate::runtime::Runtime;

/// Where the page comes from.
enum PageSource {
    Html(String),
    Elsewhere(Arc<dyn Elsewhere>),
}

/// Makes a [`Sandbox`] with other settings than the usual.
#[derive(Default)]
pub struct SandboxBuilder {
    runtime: Option<Runtime>,
    limits: Limits,
    clock: Clock,
    random: Random,
    watcher: Option<Arc<dyn Watcher>>,
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
    page: Option<PageSource>,
    boundary: Boundary,
    config: Config,
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

    /// Sees output while a run goes on: a function of [`Stream`](crate::Stream) and bytes, or
    /// whatever is a [`Watcher`].
    pub fn watcher(mut self, watcher: Arc<dyn Watcher>) -> Self {
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
    /// never the page. It counts against the memory of a run. What tools write is sanitised,
    /// unless the grant says otherwise: `dom:write:raw@SELECTOR`.
    pub fn page(mut self, html: impl Into<String>) -> Self {
        self.page = Some(PageSource::Html(html.into()));
        self
    }

    /// A page that somebody else answers for, in place of one that is held here.
    pub fn page_elsewhere(mut self, page: impl Elsewhere + 'static) -> Self {
        self.page = Some(PageSource::Elsewhere(Arc::new(page)));
        self
    }

    /// Takes the boundary of a configuration, and its policy: no connection goes beyond it, whether
    /// it was given, granted by a broker or allowed by a person. What lies outside is denied, and
    /// nobody is asked.
    pub fn config(mut self, config: Config) -> Self {
        self.boundary = config.boundary();
        self.config = config;
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
        self.limits.check()?;
        if self.broker.is_none() && self.approver.is_none() {
            self.config.check_covered(&self.capabilities)?;
        }
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
            let bad = |e: String| Error::new(ErrorKind::Mount, format!("mount {at}: {e}"));
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
        *lock(&resources.page) = match self.page {
            None => Shown::Nothing,
            Some(PageSource::Html(html)) => {
                Shown::Here(Box::new(page::parse(&html, &self.limits)?))
            }
            Some(PageSource::Elsewhere(page)) => Shown::Elsewhere(page),
        };
        let broker = match self.broker {
            Some(broker) => broker,
            None => runtime.broker()?,
        };
        let name = self.name.unwrap_or_else(|| runtime.next_sandbox());
        let bounds = self.config.bounds();
        let permissions = session(&broker, &name, &self.capabilities, &self.approver, bounds);
        let state = SandboxState {
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
            config: self.config,
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
        Ok(Sandbox { state: Arc::new(state) })
    }
}

fn default_environment() -> BTreeMap<String, String> {
    let pairs =
        [("HOME", files::HOME), ("PWD", files::HOME), ("PATH", "/usr/bin:/bin"), ("USER", "user")];
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).into()
}
