//! Questions that wait for an approver: those of this process, and those of others that use the
//! same store.
//!
//! A question of this process is answered at its broker. One of another process is answered through
//! the store: the answer is left there, and the process whose run waits carries it out. A thread
//! writes the questions of this process to the store and looks for changes by others.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use cofferdam::Capability;
use cofferdam::permissions::{
    Answer, Approver, Broker, Choice, Decision, Question, QuestionId, Seal, Span, Timestamp, Usual,
    Wish,
};
use cofferdam_front::json::level;
use cofferdam_front::lock;
use cofferdam_store::{Front, Pulse, Store};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::broadcast;

use crate::own_address::OwnAddresses;
use crate::runs::{RunRecord, Runs};

/// Longest time until a change by another process is noticed.
const INTERVAL: Duration = Duration::from_millis(25);

/// Interval at which the addresses of other servers are read.
const FRONTS_EVERY: u32 = 40;

/// Most live events that wait for a slow listener; it then reads everything again.
const MAX_LIVE: usize = 1_024;

/// A question as an approver sees it. Texts are the broker's, with hidden characters escaped;
/// `why` and `client` are the agent's own words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the fields are those of the broker's question and of the run")]
pub struct Shown {
    pub question: String,
    /// Digits that bind an answer to exactly this content.
    pub seal: String,
    pub request: Option<String>,
    pub tool: String,
    pub sandbox: String,
    pub run: String,
    pub agent: Option<String>,
    pub agent_name: Option<String>,
    pub client: Option<String>,
    pub why: Option<String>,
    /// Time at which it was asked, in microseconds since 1970.
    pub asked: u64,
    pub wishes: Vec<ShownWish>,
}

/// One capability that a question asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the fields are those of the broker's wish")]
pub struct ShownWish {
    pub words: String,
    pub details: Vec<(String, String)>,
    pub on_host: Option<String>,
    /// From narrow to wide; the first is exactly what is wanted.
    pub choices: Vec<ShownChoice>,
    /// Position of the wider choice that is most often meant.
    pub usual: Option<usize>,
}

/// One capability that would satisfy a wish.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the fields are those of the broker's choice")]
pub struct ShownChoice {
    pub capability: String,
    pub text: String,
    pub words: String,
    pub risk: String,
    pub reason: String,
}

/// An answer to a question, as it is left for another process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Reply {
    /// Seal of the question that was shown.
    pub seal: String,
    /// One decision for each wish, in order: a capability and a span, or nothing.
    pub decisions: Vec<Option<(String, String)>>,
    /// Reason of a refusal, for the agent.
    pub reason: Option<String>,
    /// Approver who decided.
    pub by: String,
}

/// A change that listeners hear of.
#[derive(Debug, Clone)]
pub enum Live {
    /// A question waits.
    Asked(Arc<Shown>),
    /// A question waits no more.
    Closed(Arc<str>),
    /// A run began, waits, goes on or has ended.
    Run(Arc<str>),
}

/// The questions of this process and of others. Clones share them.
#[derive(Clone)]
pub struct Board(Arc<Inner>);

struct Inner {
    store: Store,
    broker: Broker,
    front: Arc<Front>,
    jobs: Mutex<Option<mpsc::Sender<Job>>>,
    /// Questions that wait, of all processes.
    open: Mutex<HashMap<Arc<str>, Entry>>,
    live: broadcast::Sender<Live>,
}

/// A question that waits, and the place of its run.
#[derive(Clone)]
struct Entry {
    shown: Arc<Shown>,
    at: Place,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Here,
    Elsewhere,
}

enum Job {
    Post(Arc<Shown>),
    Close(Arc<str>),
}

impl Board {
    /// Creates the board and starts its thread, which ends with the last clone.
    pub fn start(
        store: &Store,
        broker: &Broker,
        front: &Arc<Front>,
        own: OwnAddresses,
    ) -> Result<Self, String> {
        let (sender, jobs) = mpsc::channel();
        let (live, _) = broadcast::channel(MAX_LIVE);
        let board = Board(Arc::new(Inner {
            store: store.clone(),
            broker: broker.clone(),
            front: front.clone(),
            jobs: Mutex::new(Some(sender)),
            open: Mutex::default(),
            live,
        }));
        let pulse = store.pulse().map_err(|error| error.to_string())?;
        let work = Work { board: Arc::downgrade(&board.0), pulse, own, ticks: 0 };
        work.read_fronts(&board.0);
        std::thread::Builder::new()
            .name("cofferdam-board".to_owned())
            .spawn(move || work.run(&jobs))
            .map_err(|error| format!("board thread: {error}"))?;
        Ok(board)
    }

    /// Returns the questions that wait, oldest first.
    pub fn open(&self) -> Vec<Arc<Shown>> {
        let mut all: Vec<_> =
            lock(&self.0.open).values().map(|entry| entry.shown.clone()).collect();
        all.sort_by(|a, b| (a.asked, &a.question).cmp(&(b.asked, &b.question)));
        all
    }

    /// Returns a question that waits.
    pub fn get(&self, id: &str) -> Option<Arc<Shown>> {
        lock(&self.0.open).get(id).map(|entry| entry.shown.clone())
    }

    /// Returns a stream of changes from now on.
    pub fn listen(&self) -> broadcast::Receiver<Live> {
        self.0.live.subscribe()
    }

    /// Tells listeners that a run has changed.
    pub fn run_changed(&self, run: &Arc<str>) {
        // Nobody may be listening.
        let _ = self.0.live.send(Live::Run(run.clone()));
    }

    /// Answers a question at the broker of this process. Returns `None` if the run waits elsewhere.
    pub fn answer_here(
        &self,
        id: &str,
        reply: &Reply,
    ) -> Option<Result<(), cofferdam::permissions::Error>> {
        let place = lock(&self.0.open).get(id).map(|entry| entry.at);
        (place == Some(Place::Here)).then(|| self.0.carry_out(id, reply))
    }

    /// Leaves an answer for another process and returns its number. Returns `None` if the question
    /// does not wait any more.
    pub fn leave(
        &self,
        id: &str,
        reply: &Reply,
    ) -> Result<Option<i64>, cofferdam::permissions::Error> {
        self.0.store.leave_answer(id, &json!(reply).to_string())
    }

    /// Returns the result of an answer that was left: nothing, or the reason why it failed.
    pub fn left(&self, number: i64) -> Result<Option<String>, cofferdam::permissions::Error> {
        self.0.store.take_settled(number)
    }

    fn job(&self, job: Job) {
        if let Some(jobs) = &*lock(&self.0.jobs) {
            // The thread ends after this board.
            let _ = jobs.send(job);
        }
    }
}

impl Inner {
    fn carry_out(&self, id: &str, reply: &Reply) -> Result<(), cofferdam::permissions::Error> {
        use cofferdam::permissions::{Error, ErrorKind};
        let unfit = |what: &str| Error::new(ErrorKind::NotEnough, id, what);
        let stale = || Error::new(ErrorKind::Late, id, "the question has changed");
        let question: QuestionId = id.parse().map_err(|_| stale())?;
        let seal = u64::from_str_radix(&reply.seal, 16).map(Seal).map_err(|_| stale())?;
        let mut decisions = Vec::new();
        for decision in &reply.decisions {
            decisions.push(match decision {
                None => Decision::Deny,
                Some((capability, span)) => Decision::Grant(
                    capability.parse::<Capability>().map_err(|e| unfit(&e.to_string()))?,
                    span.parse::<Span>().map_err(|e| unfit(&e.to_string()))?,
                ),
            });
        }
        let mut answer = Answer::new(question, seal, decisions).by(&reply.by);
        if let Some(reason) = &reply.reason {
            answer = answer.because(reason);
        }
        self.broker.answer(answer)?;
        // The run learns of the answer when it is polled next. Until then the question would still
        // be shown, and a client that continues the run at once would be asked again.
        lock(&self.open).remove(id);
        Ok(())
    }

    fn tell(&self, live: Live) {
        // Nobody may be listening.
        let _ = self.live.send(live);
    }
}

/// Ends the thread.
impl Drop for Inner {
    fn drop(&mut self) {
        *lock(&self.jobs) = None;
    }
}

/// The thread of a board.
struct Work {
    board: Weak<Inner>,
    pulse: Pulse,
    own: OwnAddresses,
    ticks: u32,
}

impl Work {
    fn run(mut self, jobs: &mpsc::Receiver<Job>) {
        loop {
            let first = jobs.recv_timeout(INTERVAL);
            if matches!(first, Err(RecvTimeoutError::Disconnected)) {
                return;
            }
            let Some(board) = self.board.upgrade() else { return };
            self.write(&board, first.into_iter().chain(jobs.try_iter()));
            self.ticks = self.ticks.wrapping_add(1);
            if self.ticks.is_multiple_of(FRONTS_EVERY) {
                self.read_fronts(&board);
            }
            match self.pulse.has_changed() {
                Ok(false) => {}
                Ok(true) => self.read(&board),
                Err(error) => tracing::error!(%error, "the store cannot be read"),
            }
        }
    }

    /// Writes the questions of this process to the store, many at a time.
    fn write(&self, board: &Inner, jobs: impl Iterator<Item = Job>) {
        let (mut posts, mut closes) = (Vec::new(), Vec::new());
        for job in jobs {
            match job {
                Job::Post(shown) => posts.push(cofferdam_store::OpenQuestion {
                    id: shown.question.clone(),
                    front: board.front.id().to_owned(),
                    agent: shown.agent.clone(),
                    run: shown.run.clone(),
                    shown: json!(*shown).to_string(),
                    at: Timestamp::from_micros(shown.asked),
                }),
                Job::Close(id) => closes.push(id.to_string()),
            }
        }
        if !posts.is_empty()
            && let Err(error) = board.store.post_questions(&posts)
        {
            tracing::error!(%error, "questions are not visible to other processes");
        }
        if !closes.is_empty()
            && let Err(error) = board.store.close_questions(&closes)
        {
            tracing::error!(%error, "closed questions stay visible to other processes");
        }
    }

    /// Carries out answers that were left for this process, and learns of questions of others.
    fn read(&self, board: &Inner) {
        let answers = board.store.answers_for(board.front.id());
        for (number, id, answer) in answers.unwrap_or_default() {
            let error = match serde_json::from_str::<Reply>(&answer) {
                Ok(reply) => board.carry_out(&id, &reply).err().map(|error| error.to_string()),
                Err(error) => Some(error.to_string()),
            };
            if let Err(error) = board.store.settle_answer(number, &error.unwrap_or_default()) {
                tracing::error!(%error, "the result of an answer cannot be written");
            }
        }
        let Ok(questions) = board.store.questions_of_others(board.front.id()) else { return };
        let others: HashMap<Arc<str>, Arc<Shown>> = questions
            .into_iter()
            .filter_map(|question| {
                let shown = serde_json::from_str::<Shown>(&question.shown).ok()?;
                Some((question.id.into(), Arc::new(shown)))
            })
            .collect();
        let mut open = lock(&board.open);
        let (mut asked, mut closed) = (Vec::new(), Vec::new());
        open.retain(|id, entry| {
            let stays = entry.at == Place::Here || others.contains_key(id);
            if !stays {
                closed.push(id.clone());
            }
            stays
        });
        for (id, shown) in others {
            let entry = Entry { shown: shown.clone(), at: Place::Elsewhere };
            if open.insert(id, entry).is_none() {
                asked.push(shown);
            }
        }
        drop(open);
        asked.into_iter().for_each(|shown| board.tell(Live::Asked(shown)));
        closed.into_iter().for_each(|id| board.tell(Live::Closed(id)));
    }

    fn read_fronts(&self, board: &Inner) {
        let Ok(fronts) = board.store.fronts() else { return };
        let addresses = fronts.iter().flat_map(|front| &front.addresses);
        self.own.set(addresses.filter_map(|address| address.parse().ok()).collect());
    }
}

/// The approver of all sandboxes of the server: puts questions on the board and waits.
pub struct Asker {
    /// The board.
    pub board: Board,
    /// The runs of this process.
    pub runs: Arc<Runs>,
    /// Longest wait for an answer.
    pub patience: Duration,
}

impl Approver for Asker {
    fn ask(&self, question: Question) -> Pin<Box<dyn Future<Output = Answer> + Send>> {
        let run = self.runs.get(question.run());
        let shown = Arc::new(shown(&question, run.as_deref()));
        let (board, patience) = (self.board.clone(), self.patience);
        Box::pin(async move {
            let _posted = Posted::new(board, shown, run);
            tokio::time::sleep(patience).await;
            question.deny().because("nobody answered in time")
        })
    }
}

/// A question on the board. Dropped when it is answered, or when no run waits for it any more.
struct Posted {
    board: Board,
    id: Arc<str>,
    run: Option<Arc<RunRecord>>,
}

impl Posted {
    fn new(board: Board, shown: Arc<Shown>, run: Option<Arc<RunRecord>>) -> Self {
        let id: Arc<str> = shown.question.as_str().into();
        let entry = Entry { shown: shown.clone(), at: Place::Here };
        // Under one lock: whoever sees the question finds its run waiting, and the other way round.
        let mut open = lock(&board.0.open);
        open.insert(id.clone(), entry);
        if let Some(run) = &run {
            run.asking(&id, json!(*shown));
        }
        drop(open);
        board.job(Job::Post(shown.clone()));
        board.0.tell(Live::Asked(shown));
        Posted { board, id, run }
    }
}

impl Drop for Posted {
    fn drop(&mut self) {
        lock(&self.board.0.open).remove(&self.id);
        self.board.job(Job::Close(self.id.clone()));
        if let Some(run) = &self.run {
            run.resumed(&self.id);
        }
        self.board.0.tell(Live::Closed(self.id.clone()));
    }
}

/// Describes a question for an approver.
fn shown(question: &Question, run: Option<&RunRecord>) -> Shown {
    let about = run.map(|run| &run.about);
    let text = |text: &Option<Arc<str>>| text.as_deref().map(str::to_owned);
    Shown {
        question: question.id().to_string(),
        seal: format!("{:016x}", question.seal().0),
        request: question.request().map(ToString::to_string),
        tool: question.tool(),
        sandbox: question.sandbox().to_owned(),
        run: question.run().to_owned(),
        agent: about.map(|about| about.agent.to_string()),
        agent_name: about.map(|about| about.agent_name.to_string()),
        client: about.and_then(|about| text(&about.client)),
        why: about.and_then(|about| text(&about.why)),
        asked: Timestamp::now().micros(),
        wishes: question.wishes().iter().map(wish).collect(),
    }
}

fn wish(wish: &Wish) -> ShownWish {
    let choice = |choice: &Choice| ShownChoice {
        capability: choice.capability().to_string(),
        text: choice.text(),
        words: choice.words(),
        risk: level(choice.risk().level).to_owned(),
        reason: choice.risk().reason.to_owned(),
    };
    let usual = match wish.usual() {
        Some(Usual::Folder(usual) | Usual::Host(usual)) => {
            wish.choices().iter().position(|choice| choice == usual)
        }
        None => None,
    };
    ShownWish {
        words: wish.words(),
        details: wish.details().iter().map(|(name, text)| ((*name).into(), text.clone())).collect(),
        on_host: wish.on_host().map(str::to_owned),
        choices: wish.choices().iter().map(choice).collect(),
        usual,
    }
}
