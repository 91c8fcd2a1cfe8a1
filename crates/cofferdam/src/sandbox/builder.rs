//! Settings of a sandbox that is about to be built.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex};

use cofferdam_broker::{Approver, Broker, FolderMode, HostFolder, HostFolders};
use cofferdam_caps::storage::StorageArea;
use cofferdam_caps::{Capability, CapabilitySet};
use cofferdam_kernel::permitted::Network;
use cofferdam_kernel::resources::Artifact;
use cofferdam_kernel::{AllowAll, Clock, Policy, Random, Resources, Watcher};
use cofferdam_vfs::{HostDir, Mount, VPath};

use super::{Sandbox, SandboxState, artifact, lock, permissions, publish};
use crate::archive;
use crate::config::Config;
use crate::error::{Error, ErrorKind};
use crate::files;
use crate::function::Function;
use crate::limits::Limits;
use crate::page::{Boundary, PageSource};
use crate::runtime::Runtime;

/// Builds a [`Sandbox`] with settings other than the defaults.
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
    network: Option<Network>,
    functions: Vec<Function>,
    published: Vec<(String, Artifact)>,
    mounts: Vec<(String, HostDir, Mount)>,
    policy: Option<Arc<dyn Policy>>,
    programs: Vec<(String, Vec<u8>)>,
    archive: Option<Vec<u8>>,
    pub(crate) page: Option<PageSource>,
    boundary: Boundary,
    config: Config,
}

impl SandboxBuilder {
    /// Uses this runtime instead of the shared one.
    pub fn runtime(mut self, runtime: &Runtime) -> Self {
        self.runtime = Some(runtime.clone());
        self
    }

    /// Sets the limits of each run; [`SandboxBuilder::build`] checks them.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the source of time.
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Sets the source of randomness.
    pub fn random(mut self, random: Random) -> Self {
        self.random = random;
        self
    }

    /// Sets an observer of output while a run goes on: a function of [`Stream`](crate::Stream) and
    /// bytes, or any other [`Watcher`].
    pub fn watcher(mut self, watcher: Arc<dyn Watcher>) -> Self {
        self.watcher = Some(watcher);
        self
    }

    /// Sets an environment variable. The environment of the host is never visible.
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.insert(name.into(), value.into());
        self
    }

    /// Sets the default standard input of runs.
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = bytes.into();
        self
    }

    /// Gives the sandbox a capability.
    pub fn grant(mut self, capability: Capability) -> Self {
        self.capabilities.insert(capability);
        self
    }

    /// Adds a file, with the folders above it, before anything runs. A relative path is relative to
    /// the working directory.
    pub fn file(mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        self.files.push((path.into(), bytes.into()));
        self
    }

    /// Adds a symbolic link, with the folders above it, before anything runs.
    pub fn link(mut self, path: impl Into<String>, target: impl Into<String>) -> Self {
        self.links.push((path.into(), target.into()));
        self
    }

    /// Sets the name of the sandbox in grants, requests and the audit log. A later sandbox of the
    /// same name is recognised as the same requester.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets the broker that keeps grants and the audit log. Without one, nothing is kept, and only
    /// the given capabilities are allowed.
    pub fn broker(mut self, broker: &Broker) -> Self {
        self.broker = Some(broker.clone());
        self
    }

    /// Sets the approver that is asked about actions that are not granted. Without one, they are
    /// denied.
    pub fn approver(mut self, approver: Arc<dyn Approver>) -> Self {
        self.approver = Some(approver);
        self
    }

    /// Uses this network client instead of the shared one.
    #[cfg(feature = "net")]
    pub fn client(mut self, client: &cofferdam_net::Client) -> Self {
        self.network = Some(Network::new(client.clone()));
        self
    }

    /// Lends a function to tools. Those with a grant for it call it as `btcp.functions.NAME(args)`.
    pub fn function(mut self, function: Function) -> Self {
        self.functions.push(function);
        self
    }

    /// Publishes a value that tools with a grant for it may read as `btcp.state.get(NAME)`.
    pub fn publish(
        mut self,
        name: impl Into<String>,
        content: serde_json::Value,
        metadata: serde_json::Value,
    ) -> Self {
        self.published.push((name.into(), artifact(content, metadata)));
        self
    }

    /// Applies a configuration: its boundary and its policy. No connection goes beyond the policy,
    /// whether the capability was given, granted by a broker or allowed by a person. Such requests
    /// are denied without asking.
    pub fn config(mut self, config: Config) -> Self {
        self.boundary = config.boundary();
        self.config = config;
        self
    }

    /// Sets the globals of tools; see [`Boundary`].
    pub fn boundary(mut self, boundary: Boundary) -> Self {
        self.boundary = boundary;
        self
    }

    /// Mounts a directory of the host at an absolute path of the sandbox.
    pub fn mount(mut self, at: impl Into<String>, directory: HostDir, mount: Mount) -> Self {
        self.mounts.push((at.into(), directory, mount));
        self
    }

    /// Sets the policy that decides which programs may start. Without one, any program of the
    /// sandbox may.
    pub fn policy(mut self, policy: Arc<dyn Policy>) -> Self {
        self.policy = Some(policy);
        self
    }

    /// Adds a WASI module or script as a command of the shell: `/usr/local/bin/NAME`, on `PATH`.
    pub fn program(mut self, name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        self.programs.push((name.into(), bytes.into()));
        self
    }

    /// Starts from the bytes that [`Sandbox::export`] returned: files, local storage, variables,
    /// working directory. Other settings of this builder are applied on top.
    pub fn import(mut self, archive: impl Into<Vec<u8>>) -> Self {
        self.archive = Some(archive.into());
        self
    }

    /// Builds the sandbox.
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
        // Imported before the mounts, so that nothing in the archive can reach a directory of the
        // host.
        let imported = match &self.archive {
            Some(bytes) => {
                let imported = archive::read(bytes, &tree, &self.limits)?;
                env.clone_from(&imported.variables);
                env.insert("PWD".into(), imported.cwd.clone());
                Some(imported)
            }
            None => None,
        };
        let mut folders = Vec::new();
        for (at, directory, mount) in self.mounts {
            let host = directory.shown_path().to_string_lossy().into_owned();
            let bad = |e: String| Error::new(ErrorKind::Mount, format!("mount {at}: {e}"));
            let path = VPath::new(&at).map_err(|e| bad(e.to_string()))?;
            let mode = match mount {
                Mount::ReadOnly => FolderMode::ReadOnly,
                Mount::Overlay => FolderMode::Overlay,
                Mount::ReadWrite => FolderMode::ReadWrite,
            };
            folders.push(HostFolder { at: path.as_str().to_owned(), host, mode });
            let mounted = tree.mount(&path, directory, mount, files::now());
            mounted.map_err(|e| bad(e.errno().to_string()))?;
        }
        // The working directory may have been in a mount that is not there this time.
        if let Some(imported) = &imported
            && !files::is_folder(&tree, &imported.cwd)
        {
            env.insert("PWD".into(), files::HOME.into());
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
        let mut signatures: Vec<_> = self.functions.iter().map(|f| f.signature().clone()).collect();
        signatures.sort_by(|a, b| a.name.cmp(&b.name));
        for function in self.functions {
            let name = function.name().to_owned();
            resources.functions.register(&name, Arc::new(function));
        }
        for (name, artifact) in self.published {
            publish(&resources, &name, artifact)?;
        }
        if let Some(page) = self.page {
            *lock(&resources.page) = page.show(&self.limits)?;
        }
        let broker = match self.broker {
            Some(broker) => broker,
            None => runtime.broker()?,
        };
        let name = self.name.unwrap_or_else(|| runtime.next_sandbox());
        let bounds = self.config.bounds();
        let permissions = permissions(&broker, &name, &self.capabilities, &self.approver, bounds);
        permissions.set_host_folders(HostFolders::new(folders));
        let state = SandboxState {
            network: self.network.unwrap_or_else(|| runtime.network()),
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
            functions: signatures.into(),
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
