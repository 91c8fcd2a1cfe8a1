//! Sandboxes of agents: kept in memory, and saved to disk when they have been idle.
//!
//! A sandbox belongs to one agent. Others cannot tell that it exists.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use cofferdam::permissions::Timestamp;
use cofferdam::{Sandbox, Snapshot};
use cofferdam_front::exec::{self, BadParams, bad, number, text};
use cofferdam_front::fields::CREATE;
use cofferdam_front::lock;
use cofferdam_store::{SavedSandbox, Store};
use serde_json::{Map, Value as Json, json};

use crate::identity::{Agent, Caller};
use crate::order;
use crate::problem::Problem;
use crate::secret;
use crate::server::Server;

/// Most snapshots of one agent; each holds the content that has changed since.
const MAX_SNAPSHOTS: usize = 1_024;

/// Longest name of a sandbox.
const MAX_NAME: usize = 64;

/// Longest idle time.
const MAX_IDLE: u64 = 30 * 24 * 60 * 60;

/// Parameters that a saved sandbox is made with again. Its files, variables and working directory
/// are in the archive.
const KEPT_PARAMS: [&str; 6] = ["limits", "stdin", "capabilities", "boundary", "config", "ask"];

/// The sandboxes of all agents.
pub struct Boxes {
    most: usize,
    kept: Mutex<HashMap<Arc<str>, Arc<Kept>>>,
    snapshots: Mutex<HashMap<String, (Arc<str>, Snapshot)>>,
}

/// A sandbox in memory.
pub struct Kept {
    /// Id of the sandbox, also its name in questions and the audit log.
    pub id: Arc<str>,
    /// Agent that it belongs to.
    pub agent: Arc<str>,
    /// Name that the agent chose.
    pub name: Option<String>,
    /// The sandbox.
    pub sandbox: Sandbox,
    settings: Map<String, Json>,
    idle: Option<Duration>,
    on_idle: OnIdle,
    used: Mutex<Instant>,
}

/// Treatment of a sandbox that has been idle for too long, and of all when the server ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OnIdle {
    Save,
    Drop,
}

impl OnIdle {
    fn name(self) -> &'static str {
        match self {
            OnIdle::Save => "save",
            OnIdle::Drop => "drop",
        }
    }
}

/// Name and idle time of a sandbox, as its agent wants them.
#[derive(Debug, Clone)]
struct Keeping {
    name: Option<String>,
    idle: Option<Duration>,
    on_idle: OnIdle,
}

impl Keeping {
    fn take(params: &mut Map<String, Json>) -> Result<Self, BadParams> {
        let name = text(params, "name")?;
        if let Some(name) = &name {
            let is_fit = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
            if name.is_empty() || name.len() > MAX_NAME || !name.bytes().all(is_fit) {
                return bad(format!("name: not 1 to {MAX_NAME} letters, digits, dots and dashes"));
            }
        }
        let idle = number(params, "idleSeconds")?;
        if idle.is_some_and(|idle| idle == 0 || idle > MAX_IDLE) {
            return bad(format!("idleSeconds: not between 1 and {MAX_IDLE}"));
        }
        let on_idle = match text(params, "onIdle")?.as_deref() {
            None | Some("save") => OnIdle::Save,
            Some("drop") => OnIdle::Drop,
            Some(_) => return bad("onIdle: must be \"save\" or \"drop\""),
        };
        Ok(Keeping { name, idle: idle.map(Duration::from_secs), on_idle })
    }

    fn to_params(&self) -> Map<String, Json> {
        let mut params = Map::new();
        params.insert("onIdle".into(), self.on_idle.name().into());
        if let Some(idle) = self.idle {
            params.insert("idleSeconds".into(), idle.as_secs().into());
        }
        params
    }
}

impl Kept {
    fn touch(&self) {
        *lock(&self.used) = Instant::now();
    }

    fn has_been_idle(&self) -> Duration {
        // A run that goes on, or a page that a client reads, keeps it in use.
        match self.sandbox.is_running() {
            Ok(true) => Duration::ZERO,
            Ok(false) | Err(_) => lock(&self.used).elapsed(),
        }
    }

    /// Returns the sandbox as JSON.
    pub fn to_json(&self) -> Json {
        json!({
            "sandbox": &*self.id,
            "name": self.name,
            "agent": &*self.agent,
            "status": if self.sandbox.is_running().unwrap_or(false) { "running" } else { "idle" },
            "idleSeconds": self.idle.map(|idle| idle.as_secs()),
            "onIdle": self.on_idle.name(),
        })
    }
}

impl Boxes {
    pub(crate) fn new(most: usize) -> Self {
        Boxes { most, kept: Mutex::default(), snapshots: Mutex::default() }
    }

    /// Makes a sandbox from the parameters of `sandbox.create`, and `name`, `idleSeconds`, `onIdle`.
    pub fn create(
        &self,
        server: &Server,
        agent: &Agent,
        mut params: Map<String, Json>,
        archive: Option<Vec<u8>>,
    ) -> Result<Arc<Kept>, Problem> {
        order::check_known(&params, CREATE, &["name", "idleSeconds", "onIdle"])?;
        let keeping = Keeping::take(&mut params)?;
        let mut settings = keeping.to_params();
        let wanted = params.iter().filter(|(name, _)| KEPT_PARAMS.contains(&name.as_str()));
        settings.extend(wanted.map(|(name, value)| (name.clone(), value.clone())));
        let mut plan = order::plan(params, agent, server.settings())?;
        if let Some(archive) = archive {
            plan.builder = plan.builder.import(archive);
        }
        let id = secret::id("sbx_");
        let make = || Ok(server.build(plan, &id)?);
        self.keep(server, &agent.id, &id, settings, keeping, make)
    }

    fn keep(
        &self,
        server: &Server,
        agent: &Arc<str>,
        id: &str,
        settings: Map<String, Json>,
        keeping: Keeping,
        make: impl FnOnce() -> Result<Sandbox, Problem>,
    ) -> Result<Arc<Kept>, Problem> {
        let Keeping { name, idle, on_idle } = keeping;
        if let Some(name) = &name {
            let is_saved = server.store().saved_sandboxes()?.iter().any(|saved| {
                saved.name.as_ref() == Some(name) && *saved.agent == **agent && saved.id != id
            });
            if is_saved || self.find(agent, name).is_some() {
                return Err(Problem::conflict("taken", format!("name: {name} is taken")));
            }
        }
        let count = lock(&self.kept).values().filter(|kept| kept.agent == *agent).count();
        if count >= self.most {
            let text = format!("{} sandboxes are kept already; destroy one first", self.most);
            return Err(Problem::busy(text, 60));
        }
        let kept = Arc::new(Kept {
            id: id.into(),
            agent: agent.clone(),
            name,
            sandbox: make()?,
            settings,
            idle,
            on_idle,
            used: Mutex::new(Instant::now()),
        });
        lock(&self.kept).insert(kept.id.clone(), kept.clone());
        Ok(kept)
    }

    /// Returns a sandbox in memory by its id or name.
    fn find(&self, agent: &str, id_or_name: &str) -> Option<Arc<Kept>> {
        let kept = lock(&self.kept);
        let own = kept.values().filter(|kept| *kept.agent == *agent);
        let mut own =
            own.filter(|kept| *kept.id == *id_or_name || kept.name.as_deref() == Some(id_or_name));
        own.next().cloned()
    }

    /// Returns a sandbox of an agent by its id or name, and takes it up again if it was saved.
    pub fn kept(
        &self,
        server: &Server,
        agent: &Arc<str>,
        id_or_name: &str,
    ) -> Result<Arc<Kept>, Problem> {
        if let Some(kept) = self.find(agent, id_or_name) {
            kept.touch();
            return Ok(kept);
        }
        let saved = server.store().saved_sandboxes()?.into_iter().find(|saved| {
            *saved.agent == **agent
                && (saved.id == id_or_name || saved.name.as_deref() == Some(id_or_name))
        });
        let missing = || Problem::not_found("sandbox");
        let saved = saved.ok_or_else(missing)?;
        let (saved, archive) = server.store().saved_sandbox(&saved.id)?.ok_or_else(missing)?;
        let Ok(Json::Object(settings)) = serde_json::from_str(&saved.settings) else {
            return Err(Problem::internal("a saved sandbox has no settings"));
        };
        let mut params = settings.clone();
        let mut keeping = Keeping::take(&mut params)?;
        keeping.name.clone_from(&saved.name);
        let mut plan = exec::sandbox(params)?;
        plan.builder = plan.builder.import(archive);
        let make = || Ok(server.build(plan, &saved.id)?);
        self.keep(server, agent, &saved.id, settings, keeping, make)
    }

    /// Returns true if a sandbox belongs to an agent.
    pub fn is_of(&self, agent: &str, id: &str) -> bool {
        lock(&self.kept).get(id).is_some_and(|kept| *kept.agent == *agent)
    }

    /// Returns a sandbox that a caller may see. An approver sees those in memory, by id.
    pub fn seen(&self, server: &Server, caller: &Caller, id: &str) -> Result<Sandbox, Problem> {
        match caller {
            Caller::Agent(agent) => Ok(self.kept(server, &agent.id, id)?.sandbox.clone()),
            Caller::Approver(_) => {
                let found = lock(&self.kept).get(id).cloned();
                Ok(found.ok_or_else(|| Problem::not_found("sandbox"))?.sandbox.clone())
            }
        }
    }

    /// Returns a sandbox of an agent by its id or name, for a run.
    pub fn get(
        &self,
        server: &Server,
        agent: &Arc<str>,
        id_or_name: &str,
    ) -> Result<Sandbox, BadParams> {
        match self.kept(server, agent, id_or_name) {
            Ok(kept) => Ok(kept.sandbox.clone()),
            Err(problem) => bad(format!("sandbox: {}", problem.detail())),
        }
    }

    /// Returns the sandboxes that a caller may see, in memory and saved.
    pub fn list(&self, server: &Server, caller: &Caller) -> Result<Vec<Json>, Problem> {
        let mut list: Vec<(Arc<str>, Json)> = lock(&self.kept)
            .values()
            .filter(|kept| caller.sees(&kept.agent))
            .map(|kept| (kept.id.clone(), kept.to_json()))
            .collect();
        for saved in server.store().saved_sandboxes()? {
            if caller.sees(&saved.agent) && !list.iter().any(|(id, _)| **id == *saved.id) {
                let json = json!({
                    "sandbox": saved.id, "name": saved.name, "agent": saved.agent,
                    "status": "saved", "at": saved.at.to_string(),
                });
                list.push((saved.id.into(), json));
            }
        }
        list.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(list.into_iter().map(|(_, json)| json).collect())
    }

    /// Copies a sandbox.
    pub fn fork(
        &self,
        server: &Server,
        agent: &Agent,
        id_or_name: &str,
        mut params: Map<String, Json>,
    ) -> Result<Arc<Kept>, Problem> {
        let keeping = Keeping::take(&mut params)?;
        exec::check_known(&params, &["name", "idleSeconds", "onIdle"])?;
        let kept = self.kept(server, &agent.id, id_or_name)?;
        let mut settings = kept.settings.clone();
        settings.extend(keeping.to_params());
        let id = secret::id("sbx_");
        let make = || Ok(kept.sandbox.fork_as(&id)?);
        self.keep(server, &agent.id, &id, settings, keeping, make)
    }

    /// Takes a snapshot and returns its id.
    pub fn snapshot(
        &self,
        server: &Server,
        agent: &Agent,
        id_or_name: &str,
    ) -> Result<String, Problem> {
        let kept = self.kept(server, &agent.id, id_or_name)?;
        let mut snapshots = lock(&self.snapshots);
        if snapshots.values().filter(|(owner, _)| *owner == agent.id).count() >= MAX_SNAPSHOTS {
            let text = format!("{MAX_SNAPSHOTS} snapshots are kept already; drop one first");
            return Err(Problem::busy(text, 60));
        }
        let id = secret::id("snp_");
        snapshots.insert(id.clone(), (agent.id.clone(), kept.sandbox.snapshot()?));
        Ok(id)
    }

    /// Restores a snapshot.
    pub fn restore(
        &self,
        server: &Server,
        agent: &Agent,
        id_or_name: &str,
        snapshot: &str,
    ) -> Result<(), Problem> {
        let kept = self.kept(server, &agent.id, id_or_name)?;
        let found = lock(&self.snapshots)
            .get(snapshot)
            .filter(|(owner, _)| *owner == agent.id)
            .map(|(_, snapshot)| snapshot.clone());
        Ok(kept.sandbox.restore(&found.ok_or_else(|| Problem::not_found("snapshot"))?)?)
    }

    /// Drops a snapshot.
    pub fn drop_snapshot(&self, agent: &Agent, snapshot: &str) -> Result<(), Problem> {
        let mut snapshots = lock(&self.snapshots);
        match snapshots.get(snapshot).is_some_and(|(owner, _)| *owner == agent.id) {
            true => drop(snapshots.remove(snapshot)),
            false => return Err(Problem::not_found("snapshot")),
        }
        Ok(())
    }

    /// Cancels every run of a sandbox and drops it, from memory and disk.
    pub fn destroy(&self, server: &Server, agent: &Agent, id_or_name: &str) -> Result<(), Problem> {
        let found = self.find(&agent.id, id_or_name);
        if let Some(kept) = &found {
            lock(&self.kept).remove(&kept.id);
            kept.sandbox.destroy()?;
        }
        let saved = server.store().saved_sandboxes()?.into_iter().find(|saved| {
            *saved.agent == *agent.id
                && (saved.id == id_or_name
                    || saved.name.as_deref() == Some(id_or_name)
                    || found.as_ref().is_some_and(|kept| *kept.id == *saved.id))
        });
        let is_found = found.is_some() || saved.is_some();
        if let Some(saved) = saved {
            server.store().forget_sandbox(&saved.id)?;
        }
        is_found.then_some(()).ok_or_else(|| Problem::not_found("sandbox"))
    }

    /// Saves a sandbox to disk. It stays in memory.
    pub fn save(&self, store: &Store, kept: &Kept) -> Result<(), Problem> {
        let saved = SavedSandbox {
            id: kept.id.to_string(),
            agent: kept.agent.to_string(),
            name: kept.name.clone(),
            settings: Json::Object(kept.settings.clone()).to_string(),
            at: Timestamp::now(),
        };
        Ok(store.save_sandbox(&saved, &kept.sandbox.export()?)?)
    }

    /// Saves or drops the sandboxes that have been idle for too long.
    pub fn sweep(&self, store: &Store) {
        let idle: Vec<_> = lock(&self.kept)
            .values()
            .filter(|kept| kept.idle.is_some_and(|idle| kept.has_been_idle() >= idle))
            .cloned()
            .collect();
        for kept in idle {
            let saved = match kept.on_idle {
                OnIdle::Save => self.save(store, &kept),
                OnIdle::Drop => Ok(()),
            };
            match saved {
                Ok(()) => drop(lock(&self.kept).remove(&kept.id)),
                Err(problem) => {
                    tracing::error!(sandbox = %kept.id, "cannot be saved: {}", problem.detail());
                }
            }
        }
    }

    /// Saves every sandbox that is not to be dropped.
    pub(crate) fn save_all(&self, store: &Store) {
        let all: Vec<_> = lock(&self.kept).values().cloned().collect();
        for kept in all.iter().filter(|kept| kept.on_idle == OnIdle::Save) {
            if let Err(problem) = self.save(store, kept) {
                tracing::error!(sandbox = %kept.id, "cannot be saved: {}", problem.detail());
            }
        }
    }

    /// Returns the number of sandboxes in memory.
    pub fn len(&self) -> usize {
        lock(&self.kept).len()
    }

    /// Returns true if no sandbox is in memory.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
