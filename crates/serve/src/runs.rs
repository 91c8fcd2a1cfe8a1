//! Runs of agents, each with a log of events that clients can follow and take up again.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use cofferdam::permissions::Timestamp;
use cofferdam::{Canceller, Stream, Watcher};
use cofferdam_front::text::Pieces;
use serde_json::{Value as Json, json};
use tokio::sync::watch;

/// Most bytes of output that the log of one run keeps; beyond that the oldest go first.
const MAX_LOG: usize = 4 << 20;

/// Most runs that are kept after they have ended.
const MAX_ENDED: usize = 4_096;

/// Most bytes of the logs of runs that have ended.
const MAX_ENDED_BYTES: usize = 256 << 20;

/// The runs of a server.
#[derive(Default)]
pub struct Runs {
    list: Mutex<List>,
}

#[derive(Default)]
struct List {
    runs: HashMap<Arc<str>, Arc<RunRecord>>,
    /// Ended runs and the length of their logs, oldest first.
    ended: VecDeque<(Arc<str>, usize)>,
    ended_bytes: usize,
    /// Runs under way, by agent.
    live: HashMap<Arc<str>, usize>,
}

/// A run, while it goes on and for a while after.
pub struct RunRecord {
    /// Facts that do not change.
    pub about: About,
    /// Set when the run is started.
    canceller: OnceLock<Canceller>,
    log: Mutex<Log>,
    /// Number of events so far, for those who wait for the next.
    seen: watch::Sender<u64>,
}

/// Facts about a run that do not change.
#[derive(Debug, Clone)]
pub struct About {
    /// Id of the run, also in the audit log.
    pub id: Arc<str>,
    /// Id of the agent that started it.
    pub agent: Arc<str>,
    /// Name of the agent.
    pub agent_name: Arc<str>,
    /// Program that the agent uses, by its own words.
    pub client: Option<Arc<str>>,
    /// Reason for the run, in the words of the agent.
    pub why: Option<Arc<str>>,
    /// Kind of run: `js`, `ts`, `shell`, `wasm`, `native`.
    pub kind: Arc<str>,
    /// Source, or the first part of it.
    pub source: Arc<str>,
    /// Name of the sandbox.
    pub sandbox: Arc<str>,
    /// Time at which it was accepted.
    pub at: Timestamp,
}

/// State of a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Phase {
    /// Computes, or waits for a cell.
    Running,
    /// Waits for a person.
    Waiting,
    /// Has ended with this outcome.
    Ended(Arc<Json>),
}

impl Phase {
    /// Returns the word for the state.
    pub fn name(&self) -> &'static str {
        match self {
            Phase::Running => "running",
            Phase::Waiting => "waiting",
            Phase::Ended(_) => "ended",
        }
    }
}

/// An event of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunEvent {
    /// Number of the event, from 1.
    pub id: u64,
    /// Kind of event.
    pub kind: EventKind,
    /// Content of the event.
    pub data: Arc<Json>,
}

/// Kind of event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant is its name")]
pub enum EventKind {
    Stdout,
    Stderr,
    Asking,
    Resumed,
    Result,
}

impl EventKind {
    /// Returns the name of the event in a stream.
    pub fn name(self) -> &'static str {
        match self {
            EventKind::Stdout => "stdout",
            EventKind::Stderr => "stderr",
            EventKind::Asking => "asking",
            EventKind::Resumed => "resumed",
            EventKind::Result => "result",
        }
    }
}

#[derive(Default)]
struct Log {
    events: VecDeque<RunEvent>,
    bytes: usize,
    made: u64,
    /// Questions of the run that wait for an answer.
    open: Vec<Arc<str>>,
    outcome: Option<Arc<Json>>,
    pieces: [Pieces; 2],
}

impl RunRecord {
    /// Creates the record of a run that is about to start.
    pub fn new(about: About) -> Self {
        let (seen, _) = watch::channel(0);
        RunRecord { about, canceller: OnceLock::new(), log: Mutex::default(), seen }
    }

    pub(crate) fn started(&self, canceller: Canceller) {
        let _ = self.canceller.set(canceller);
    }

    /// Cancels the run. Does nothing if it has ended.
    pub fn cancel(&self) {
        if let Some(canceller) = self.canceller.get() {
            canceller.cancel();
        }
    }

    /// Returns the state of the run.
    pub fn phase(&self) -> Phase {
        let log = self.log();
        match &log.outcome {
            Some(outcome) => Phase::Ended(outcome.clone()),
            None if log.open.is_empty() => Phase::Running,
            None => Phase::Waiting,
        }
    }

    /// Returns the ids of the questions that the run waits for.
    pub fn questions(&self) -> Vec<Arc<str>> {
        self.log().open.clone()
    }

    /// Returns the number of the last event so far.
    pub fn last_event(&self) -> u64 {
        self.log().made
    }

    /// Returns the events after number `last`, and true if no more will come.
    pub fn events_after(&self, last: u64) -> (Vec<RunEvent>, bool) {
        let log = self.log();
        let events = log.events.iter().filter(|event| event.id > last).cloned().collect();
        (events, log.outcome.is_some())
    }

    /// Waits until the run has an event after number `last`.
    pub async fn event_after(&self, last: u64) {
        let mut seen = self.seen.subscribe();
        // An error would mean that the sender is gone, which `self` holds.
        let _ = seen.wait_for(|seen| *seen > last).await;
    }

    /// Waits for the outcome.
    pub async fn outcome(&self) -> Arc<Json> {
        let mut last = 0;
        loop {
            {
                let log = self.log();
                if let Some(outcome) = &log.outcome {
                    return outcome.clone();
                }
                last = log.made.max(last);
            }
            self.event_after(last).await;
        }
    }

    /// Waits for the outcome for this long.
    pub async fn outcome_within(&self, time: Duration) -> Option<Arc<Json>> {
        tokio::time::timeout(time, self.outcome()).await.ok()
    }

    /// Returns the run as JSON, with its outcome if it has ended.
    pub fn to_json(&self) -> Json {
        let (about, phase) = (&self.about, self.phase());
        let mut object = json!({
            "run": &*about.id,
            "status": phase.name(),
            "agent": { "id": &*about.agent, "name": &*about.agent_name },
            "client": about.client.as_deref(),
            "why": about.why.as_deref(),
            "kind": &*about.kind,
            "sandbox": &*about.sandbox,
            "at": about.at.to_string(),
        });
        match phase {
            Phase::Running => {}
            Phase::Waiting => {
                let open: Vec<_> = self.questions().iter().map(|id| id.to_string()).collect();
                object["questions"] = open.into();
            }
            Phase::Ended(outcome) => object["outcome"] = (*outcome).clone(),
        }
        object
    }

    pub(crate) fn asking(&self, question: &str, shown: Json) {
        let mut log = self.log();
        log.open.push(question.into());
        self.push(log, EventKind::Asking, shown);
    }

    pub(crate) fn resumed(&self, question: &str) {
        let mut log = self.log();
        log.open.retain(|open| **open != *question);
        self.push(log, EventKind::Resumed, json!({ "question": question }));
    }

    /// Ends the run. Later events are dropped.
    pub(crate) fn end(&self, outcome: Json) {
        let mut log = self.log();
        if log.outcome.is_none() {
            log.open.clear();
            let outcome = Arc::new(outcome);
            log.outcome = Some(outcome.clone());
            self.push_shared(log, EventKind::Result, outcome);
        }
    }

    fn push(&self, log: MutexGuard<'_, Log>, kind: EventKind, data: Json) {
        if log.outcome.is_none() {
            self.push_shared(log, kind, Arc::new(data));
        }
    }

    fn push_shared(&self, mut log: MutexGuard<'_, Log>, kind: EventKind, data: Arc<Json>) {
        log.made += 1;
        let event = RunEvent { id: log.made, kind, data };
        log.bytes += event.len();
        log.events.push_back(event);
        while log.bytes > MAX_LOG && log.events.len() > 1 {
            if let Some(event) = log.events.pop_front() {
                log.bytes -= event.len();
            }
        }
        let made = log.made;
        drop(log);
        self.seen.send_replace(made);
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RunEvent {
    /// Returns the length of the output in the event. Other events are few.
    fn len(&self) -> usize {
        64 + self.data.get("text").and_then(Json::as_str).map_or(0, str::len)
    }
}

/// Output of the run.
impl Watcher for RunRecord {
    fn saw(&self, stream: Stream, bytes: &[u8]) {
        let (index, kind) = match stream {
            Stream::Out => (0, EventKind::Stdout),
            Stream::Err => (1, EventKind::Stderr),
        };
        let mut log = self.log();
        let text = log.pieces[index].add(bytes);
        if !text.is_empty() {
            self.push(log, kind, json!({ "text": text }));
        }
    }
}

impl Runs {
    /// Adds a run, unless the agent has `most` under way.
    pub fn add(&self, run: &Arc<RunRecord>, most: usize) -> bool {
        let mut list = self.list();
        let live = list.live.entry(run.about.agent.clone()).or_default();
        if *live >= most {
            return false;
        }
        *live += 1;
        list.runs.insert(run.about.id.clone(), run.clone());
        true
    }

    /// Notes that a run has ended, and drops the oldest ended ones.
    pub fn ended(&self, run: &RunRecord) {
        let bytes = run.log().bytes;
        let mut list = self.list();
        if let Some(live) = list.live.get_mut(&run.about.agent) {
            *live = live.saturating_sub(1);
            if *live == 0 {
                list.live.remove(&run.about.agent);
            }
        }
        list.ended.push_back((run.about.id.clone(), bytes));
        list.ended_bytes += bytes;
        while list.ended.len() > MAX_ENDED || list.ended_bytes > MAX_ENDED_BYTES {
            let Some((id, bytes)) = list.ended.pop_front() else { break };
            list.runs.remove(&id);
            list.ended_bytes -= bytes;
        }
    }

    /// Returns a run by its id.
    pub fn get(&self, id: &str) -> Option<Arc<RunRecord>> {
        self.list().runs.get(id).cloned()
    }

    /// Returns all runs, latest first.
    pub fn all(&self) -> Vec<Arc<RunRecord>> {
        let mut all: Vec<_> = self.list().runs.values().cloned().collect();
        all.sort_by(|a, b| (b.about.at, &b.about.id).cmp(&(a.about.at, &a.about.id)));
        all
    }

    /// Returns the number of runs under way.
    pub fn live(&self) -> usize {
        self.list().live.values().sum()
    }

    fn list(&self) -> MutexGuard<'_, List> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
