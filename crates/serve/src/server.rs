//! The [`Server`]: store, broker, runs, sandboxes and questions of one process.
//!
//! Every front of this crate works on it: the HTTP API, MCP and the console. It starts runs for
//! agents and carries out decisions of approvers. It decides nothing itself.

use std::future::{Future, poll_fn};
use std::path::PathBuf;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use cofferdam::permissions::{Broker, Span, Timestamp};
use cofferdam::{Capability, Client, Outcome, Pool, RunSettings, Runtime, Sandbox, client};
use cofferdam_front::exec::{BadParams, Plan};
use cofferdam_front::runner::{NotStarted, Runner, Sandboxes, Started};
use cofferdam_store::{Claim, Front, KeyedRun, Store};
use serde_json::{Value as Json, json};
use tokio::sync::{Semaphore, watch};

use crate::board::{Asker, Board, Reply};
use crate::boxes::Boxes;
use crate::guard::Rates;
use crate::identity::{Agent, Approver};
use crate::metrics::Metrics;
use crate::order::Order;
use crate::own_address::OwnAddresses;
use crate::passkeys::{Begun, Proven};
use crate::problem::Problem;
use crate::runs::{About, RunRecord, Runs};
use crate::secret;
use crate::settings::Settings;

/// Cells that are left for sessions and for the conversion of TypeScript.
const SPARE_CELLS: u32 = 16;

/// Longest wait for another process that carries out an answer.
const CARRIED_OUT_WITHIN: Duration = Duration::from_secs(2);

/// A server. Clones share everything.
#[derive(Clone)]
pub struct Server(Arc<Inner>);

struct Inner {
    settings: Settings,
    store: Store,
    broker: Broker,
    front: Arc<Front>,
    url: String,
    runtime: Runtime,
    client: Client,
    own: OwnAddresses,
    runner: Runner,
    runs: Arc<Runs>,
    boxes: Boxes,
    board: Board,
    asker: Arc<Asker>,
    /// Cells for runs.
    slots: Semaphore,
    rates: Rates,
    /// Attempts to sign in, of all clients.
    logins: Rates,
    begun_passkeys: Begun,
    metrics: Metrics,
    /// True once the server was told to end.
    ending: watch::Sender<bool>,
}

/// The places where a server is reached.
#[derive(Debug, Clone, Default)]
pub struct Reached {
    /// Address of the console, without a path at the end; `None` for a server without one.
    pub url: Option<String>,
    /// Addresses that it listens on.
    pub addresses: Vec<std::net::SocketAddr>,
}

/// A run that was accepted.
pub enum Accepted {
    /// The run goes on here.
    Run(Arc<RunRecord>),
    /// The run ended earlier, or in another process; this is what is known.
    Earlier(Json),
}

impl Server {
    /// Creates a server on a store. `cache` is the folder of compiled programs.
    pub fn open(
        settings: Settings,
        store: Store,
        reached: Reached,
        cache: Option<PathBuf>,
    ) -> Result<Self, String> {
        settings.check()?;
        // A sandbox that was saved and taken up again has the same name, and with it its session.
        let broker = Broker::setup(Arc::new(store.clone()), Arc::new(store.clone()))
            .keep_sessions()
            .open()
            .map_err(|error| error.to_string())?;
        let pool = Pool { cells: settings.cells.saturating_add(SPARE_CELLS), ..Pool::default() };
        let runtime = match cache {
            Some(cache) => Runtime::with_cache(pool, cache),
            None => Runtime::new(pool),
        };
        let runtime = runtime.map_err(|error| error.to_string())?;
        let addresses: Vec<String> = reached.addresses.iter().map(ToString::to_string).collect();
        let front = store
            .front(&secret::id("front_"), reached.url.as_deref(), &addresses)
            .map_err(|error| error.to_string())?;
        let (front, own) = (Arc::new(front), OwnAddresses::default());
        let never = own.clone();
        let client = Client::new(client::Settings {
            never: client::Never::new(move |address| never.contain(address)),
            ..client::Settings::default()
        });
        let board = Board::start(&store, &broker, &front, own.clone())?;
        let runs = Arc::new(Runs::default());
        let patience = Duration::from_secs(settings.wait_seconds.max(1));
        let asker = Arc::new(Asker { board: board.clone(), runs: runs.clone(), patience });
        let (ending, _) = watch::channel(false);
        Ok(Server(Arc::new(Inner {
            url: reached.url.unwrap_or_default(),
            slots: Semaphore::new(settings.cells as usize),
            rates: Rates::new(settings.rate, settings.burst),
            logins: Rates::new(1, 20),
            begun_passkeys: Begun::default(),
            boxes: Boxes::new(settings.sandboxes_per_agent),
            metrics: Metrics::new(),
            runner: Runner::default(),
            settings,
            store,
            broker,
            front,
            runtime,
            client,
            own,
            runs,
            board,
            asker,
            ending,
        })))
    }

    /// Returns the options.
    pub fn settings(&self) -> &Settings {
        &self.0.settings
    }

    /// Returns the store.
    pub fn store(&self) -> &Store {
        &self.0.store
    }

    /// Returns the broker.
    pub fn broker(&self) -> &Broker {
        &self.0.broker
    }

    /// Returns the runs.
    pub fn runs(&self) -> &Arc<Runs> {
        &self.0.runs
    }

    /// Returns the questions.
    pub fn board(&self) -> &Board {
        &self.0.board
    }

    /// Returns the sandboxes of agents.
    pub fn boxes(&self) -> &Boxes {
        &self.0.boxes
    }

    /// Returns the address of the console; empty if there is none.
    pub fn url(&self) -> &str {
        &self.0.url
    }

    /// Returns the numbers that `/metrics` shows.
    pub fn metrics(&self) -> &Metrics {
        &self.0.metrics
    }

    /// Returns the rates of clients.
    pub fn rates(&self) -> &Rates {
        &self.0.rates
    }

    /// Returns the rate of attempts to sign in.
    pub fn logins(&self) -> &Rates {
        &self.0.logins
    }

    pub(crate) fn begun_passkeys(&self) -> &Begun {
        &self.0.begun_passkeys
    }

    /// Starts a run for an agent. `client` is the program that the agent uses, by its own words;
    /// a second order with the same `key` does not run again.
    pub async fn exec(
        &self,
        agent: &Agent,
        params: Json,
        client: Option<&str>,
        key: Option<&str>,
    ) -> Result<Accepted, Problem> {
        if *self.0.ending.borrow() {
            let problem =
                Problem::new(StatusCode::SERVICE_UNAVAILABLE, "ending", "the server ends");
            return Err(problem);
        }
        let digest = key.map(|_| secret::hash(&params.to_string()));
        let order = Order::parse(params, agent, &self.0.settings)?;
        let id = secret::id("run_");
        if let (Some(key), Some(digest)) = (key, digest)
            && let Some(earlier) = self.claim(&id, agent, key, digest).await?
        {
            return Ok(earlier);
        }
        let started = self.start(id.clone(), agent, order, client);
        match started {
            Ok((run, started)) => {
                let mut driven = Box::pin(self.clone().drive(run.clone(), started, key.is_some()));
                // Most runs end before they first wait. Those need no task of their own, which
                // another thread would have to be woken for.
                let polled = poll_fn(|cx| Poll::Ready(driven.as_mut().poll(cx))).await;
                if polled.is_pending() {
                    tokio::spawn(driven);
                }
                Ok(Accepted::Run(run))
            }
            Err(not_started) => {
                if key.is_some() {
                    // The key is free again: nothing has run.
                    self.0.store.release_run(&id)?;
                }
                match not_started {
                    NotStarted::Outcome(outcome) => Ok(Accepted::Earlier(
                        json!({ "run": id, "status": "ended", "outcome": outcome.to_json() }),
                    )),
                    other => Err(other.into()),
                }
            }
        }
    }

    /// Claims a key for a run. Returns what is known of an earlier run with this key.
    async fn claim(
        &self,
        id: &str,
        agent: &Agent,
        key: &str,
        digest: [u8; 32],
    ) -> Result<Option<Accepted>, Problem> {
        let run = KeyedRun {
            id: id.to_owned(),
            agent: agent.id.to_string(),
            key: key.to_owned(),
            digest,
            front: self.0.front.id().to_owned(),
            outcome: None,
        };
        let store = self.0.store.clone();
        let claim = blocking(move || store.claim_run(&run, Timestamp::now())).await??;
        let Claim::Taken(earlier) = claim else { return Ok(None) };
        if !secret::is_equal(&earlier.digest, &digest) {
            let detail = "Idempotency-Key: was used with other parameters";
            return Err(Problem::params(detail));
        }
        if let Some(run) = self.0.runs.get(&earlier.id) {
            return Ok(Some(Accepted::Run(run)));
        }
        Ok(Some(Accepted::Earlier(self.keyed_json(&earlier)?)))
    }

    /// Describes a run that is known from the store alone.
    pub fn keyed_json(&self, run: &KeyedRun) -> Result<Json, Problem> {
        let mut object = json!({ "run": run.id });
        match &run.outcome {
            Some(outcome) => {
                object["status"] = "ended".into();
                object["outcome"] = serde_json::from_str(outcome).unwrap_or(Json::Null);
            }
            None => {
                let lives = self.0.store.fronts()?.iter().any(|front| front.id == run.front);
                // A run whose server was killed may have acted; it is never started again.
                object["status"] = if lives { "running" } else { "interrupted" }.into();
            }
        }
        Ok(object)
    }

    fn start(
        &self,
        id: String,
        agent: &Agent,
        order: Order,
        client: Option<&str>,
    ) -> Result<(Arc<RunRecord>, Started), NotStarted> {
        let Order { exec, why, kind, source, sandbox } = order;
        let run = Arc::new(RunRecord::new(About {
            id: id.clone().into(),
            agent: agent.id.clone(),
            agent_name: agent.name.clone(),
            client: client.map(Arc::from),
            why,
            kind,
            source,
            sandbox: sandbox.unwrap_or_else(|| agent.id.clone()),
            at: Timestamp::now(),
        }));
        let most = self.0.settings.runs_per_agent;
        if !self.0.runs.add(&run, most) {
            return Err(NotStarted::Busy(format!("{most} runs of this agent are under way")));
        }
        let settings = RunSettings::default().name(id).watcher(run.clone());
        let of_agent = OfAgent { server: self, agent };
        let started = self.0.runner.start(&agent.id, exec, settings, &of_agent);
        let started = started.inspect_err(|_| self.0.runs.ended(&run))?;
        run.started(started.run.canceller());
        self.0.metrics.run_started();
        self.0.board.run_changed(&run.about.id);
        Ok((run, started))
    }

    /// Polls a run to its end.
    async fn drive(self, run: Arc<RunRecord>, started: Started, is_keyed: bool) {
        let began = Instant::now();
        let canceller = started.run.canceller();
        let slot = tokio::select! {
            slot = self.0.slots.acquire() => slot.ok(),
            () = canceller.cancelled() => None,
        };
        let outcome = started.run.await;
        drop(slot);
        let page = started.has_page.then(|| started.sandbox.page_html()).flatten();
        drop(started.sandbox);
        let outcome = outcome_json(outcome, page);
        if is_keyed {
            let (store, id, text) =
                (self.0.store.clone(), run.about.id.clone(), outcome.to_string());
            let kept = blocking(move || store.finish_run(&id, &text)).await;
            if let Ok(Err(error)) = kept {
                tracing::error!(%error, "the outcome of a run cannot be kept");
            }
        }
        self.0.metrics.run_ended(&outcome, began.elapsed());
        run.end(outcome);
        self.0.runs.ended(&run);
        self.0.board.run_changed(&run.about.id);
    }

    /// Builds a sandbox for an agent: its questions go to the board, and its connections never to a
    /// server.
    pub fn build(&self, plan: Plan, name: &str) -> Result<Sandbox, cofferdam::Error> {
        let mut builder = plan
            .builder
            .name(name)
            .runtime(&self.0.runtime)
            .broker(&self.0.broker)
            .client(&self.0.client);
        if plan.ask.is_some() {
            builder = builder.approver(self.0.asker.clone());
        }
        builder.build()
    }

    /// Carries out the decision of an approver on a question.
    pub async fn decide(&self, approver: &Approver, proven: Proven) -> Result<(), Problem> {
        let (id, reply) = proven.into_parts();
        for (capability, _) in reply.decisions.iter().flatten() {
            self.check_grantable(capability)?;
        }
        let decision = |(capability, span): (Capability, Span)| {
            (capability.to_string(), span.name().to_owned())
        };
        let reply = Reply {
            seal: reply.seal,
            decisions: reply.decisions.into_iter().map(|one| one.map(decision)).collect(),
            reason: reply.reason,
            by: approver.name.to_string(),
        };
        let board = self.0.board.clone();
        let is_left = blocking({
            let (board, id, reply) = (board.clone(), id.clone(), reply.clone());
            move || match board.answer_here(&id, &reply) {
                Some(answered) => answered.map(|()| Left::Settled),
                None => Ok(board.leave(&id, &reply)?.map_or(Left::Gone, Left::ForOther)),
            }
        });
        match is_left.await?? {
            Left::Settled => Ok(()),
            Left::Gone => Err(Problem::conflict("stale", "the question does not wait any more")),
            Left::ForOther(number) => {
                let until = Instant::now() + CARRIED_OUT_WITHIN;
                loop {
                    match board.left(number)? {
                        Some(error) if error.is_empty() => return Ok(()),
                        Some(error) => return Err(Problem::conflict("stale", error)),
                        None if Instant::now() > until => {
                            let detail = "the process whose run waits does not respond";
                            return Err(Problem::conflict("unresponsive", detail));
                        }
                        None => tokio::time::sleep(Duration::from_millis(10)).await,
                    }
                }
            }
        }
    }

    /// Refuses a capability that would let a run reach a server.
    // T-NET-012.
    pub fn check_grantable(&self, capability: &Capability) -> Result<(), Problem> {
        match self.0.own.named_by(capability) {
            Some(origin) => Err(Problem::forbidden(format!(
                "{capability}: {origin} is the address of a Cofferdam server, which no run may reach"
            ))),
            None => Ok(()),
        }
    }

    /// Tells the server to end. Runs are no longer accepted.
    pub fn end(&self) {
        self.0.ending.send_replace(true);
    }

    /// Returns true once the server was told to end.
    pub fn is_ending(&self) -> bool {
        *self.0.ending.borrow()
    }

    /// Waits until the server is told to end.
    pub async fn ending(&self) {
        let mut ending = self.0.ending.subscribe();
        // An error would mean that the sender is gone, which `self` holds.
        let _ = ending.wait_for(|ending| *ending).await;
    }

    /// Ends the server: waits for runs under way, cancels those that take too long, saves sandboxes
    /// and writes the audit log.
    pub async fn drain(&self) {
        self.end();
        let until = Instant::now() + Duration::from_secs(self.0.settings.drain_seconds);
        // A run that waits for a person does not end by itself.
        let is_computing =
            || self.0.runs.all().iter().any(|run| run.phase() == crate::runs::Phase::Running);
        while is_computing() && Instant::now() < until {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        self.0.runs.all().iter().for_each(|run| run.cancel());
        let until = Instant::now() + Duration::from_secs(5);
        while self.0.runs.live() > 0 && Instant::now() < until {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let server = self.clone();
        let saved = blocking(move || {
            server.0.boxes.save_all(&server.0.store);
            server.0.broker.flush()
        });
        if let Ok(Err(error)) = saved.await {
            tracing::error!(%error, "the audit log cannot be written");
        }
    }
}

/// A decision of an approver on all wishes of a question.
#[derive(Debug, Clone)]
pub struct Decided {
    /// Seal of the question that was shown.
    pub seal: String,
    /// One decision for each wish, in order; `None` denies.
    pub decisions: Vec<Option<(Capability, Span)>>,
    /// Reason of a refusal, for the agent.
    pub reason: Option<String>,
}

enum Left {
    Settled,
    ForOther(i64),
    Gone,
}

/// The sandboxes that runs of one agent may use.
struct OfAgent<'a> {
    server: &'a Server,
    agent: &'a Agent,
}

impl Sandboxes for OfAgent<'_> {
    fn get(&self, id: &str) -> Result<Sandbox, BadParams> {
        self.server.boxes().get(self.server, &self.agent.id, id)
    }

    /// Fresh sandboxes of an agent share its name, so that a request is the same in the next run,
    /// and a session is the agent's.
    fn build(&self, plan: Plan) -> Result<Sandbox, cofferdam::Error> {
        self.server.build(plan, &self.agent.id)
    }

    fn client(&self) -> Option<&Client> {
        Some(&self.server.0.client)
    }
}

fn outcome_json(outcome: Result<Outcome, cofferdam::Error>, page: Option<String>) -> Json {
    match outcome {
        Ok(outcome) => {
            let mut json = outcome.to_json();
            if let Some(html) = page {
                json["pageHtml"] = html.into();
            }
            json
        }
        Err(error) => {
            tracing::error!(%error, "a run failed");
            let message = match cofferdam_front::runner::fault(error.kind()) {
                cofferdam_front::runner::Fault::Host => "the server failed; see its log".to_owned(),
                _ => error.to_string(),
            };
            json!({
                "exitCode": 1, "stdout": "", "stderr": "", "result": null,
                "errorClass": "EXECUTION_ERROR",
                "error": { "code": "EXECUTION_ERROR", "name": "SandboxError", "message": message },
                "truncated": { "stdout": false, "stderr": false }, "executionTimeMs": 0,
            })
        }
    }
}

/// Runs a function that may wait for the disk on a thread of its own.
pub async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Problem> {
    tokio::task::spawn_blocking(work).await.map_err(Problem::internal)
}
