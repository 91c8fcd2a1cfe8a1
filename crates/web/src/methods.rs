//! The methods of the host. Parameters and results are those of every front; see
//! `cofferdam_front`.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use cofferdam::client::Settings;
use cofferdam::dom::proxy::{Event, EventKind};
use cofferdam::permissions::Broker;
use cofferdam::run::Canceller;
use cofferdam::{Capability, Client, Clock, Random, RunSettings, Sandbox, Stream, Watcher};
use cofferdam_front::exec::{self, BadParams, Exec, Plan, file_content, object, text};
use cofferdam_front::runner::{NotStarted, Runner, Sandboxes, Started};
use cofferdam_front::text::Pieces;
use serde_json::{Map, Value as Json, json};

use crate::authority::{self, Log};
use crate::document::Document;
use crate::ledger::Kept;
use crate::page::{Asking, Fetching};
use crate::{executor, files, late, port};

/// Parameters of a method.
pub(crate) type Params = Map<String, Json>;

/// A failed request: the message of the error.
pub(crate) struct Failed(pub(crate) String);

impl From<BadParams> for Failed {
    fn from(bad: BadParams) -> Self {
        Failed(bad.0)
    }
}

impl From<cofferdam::Error> for Failed {
    fn from(error: cofferdam::Error) -> Self {
        Failed(error.to_string())
    }
}

/// The state of the host.
pub(crate) struct Host {
    pub(crate) broker: Broker,
    pub(crate) log: Arc<Log>,
    client: Client,
    runner: Runner,
    sandboxes: RefCell<HashMap<String, Sandbox>>,
    runs: RefCell<HashMap<String, Canceller>>,
    next: RefCell<u64>,
}

thread_local! {
    static HOST: RefCell<Option<Rc<Host>>> = const { RefCell::new(None) };
}

impl Host {
    /// Opens the host with the records of a kept sandbox, or with none.
    #[inline(never)] // see `start`
    fn open(records: Option<Params>) -> Result<Rc<Host>, Failed> {
        let failed = |e: &dyn std::fmt::Display| Failed(format!("broker: {e}"));
        let mut records = records;
        let lines = records.as_mut().and_then(|records| records.remove("lines"));
        let log = Arc::new(Log::new(lines, records.is_some()));
        let ledger = Kept::open(records).map_err(|e| failed(&e))?;
        let broker = Broker::setup(Arc::new(ledger), log.clone()).open().map_err(|e| failed(&e))?;
        Ok(Rc::new(Host {
            broker,
            log,
            client: Client::new(Settings { page: Some(Arc::new(Fetching)) }),
            runner: Runner::default(),
            sandboxes: RefCell::default(),
            runs: RefCell::default(),
            next: RefCell::new(0),
        }))
    }

    /// Returns a kept sandbox.
    pub(crate) fn sandbox(&self, id: &str) -> Result<Sandbox, Failed> {
        let sandbox = self.sandboxes.borrow().get(id).cloned();
        sandbox.ok_or_else(|| Failed(format!("sandbox: {id:?} does not exist")))
    }

    fn next_id(&self) -> u64 {
        *self.next.borrow_mut() += 1;
        *self.next.borrow()
    }
}

impl Sandboxes for Host {
    fn get(&self, id: &str) -> Result<Sandbox, BadParams> {
        self.sandbox(id).map_err(|failed| BadParams(failed.0))
    }

    fn build(&self, plan: Plan) -> Result<Sandbox, cofferdam::Error> {
        self.build_as("", plan)
    }
}

impl Host {
    fn build_as(&self, id: &str, plan: Plan) -> Result<Sandbox, cofferdam::Error> {
        let mut builder = plan.builder.broker(&self.broker).client(&self.client);
        if plan.ask.is_some() {
            builder = builder.approver(Arc::new(Asking { sandbox: id.to_owned() }));
        }
        for lent in plan.lent {
            let (name, sandbox) = (lent.name.clone(), id.to_owned());
            builder = builder.function(lent.function(move |args| {
                let params = json!({ "name": name, "args": args, "handle": sandbox });
                async move { port::inquire("function", params).await }
            })?);
        }
        builder.build()
    }
}

/// Handles a request: answers at once, or when its run has ended.
pub(crate) fn request(id: Json, method: &str, params: Json) {
    let Json::Object(params) = params else {
        return answer(&id, Err(Failed("params: not an object".into())));
    };
    if late::is_missing(&params) {
        let (method, attached) = (method.to_owned(), port::attached());
        return executor::spawn(async move {
            match late::load().await {
                Ok(()) => {
                    port::attach_again(attached);
                    request(id, &method, Json::Object(params));
                }
                Err(e) => answer(&id, Err(Failed(format!("{method}: {e}")))),
            }
        });
    }
    let is_restored = method == "restore";
    let host = match HOST.with_borrow(Clone::clone) {
        Some(_) if is_restored => Err(Failed("restore: the host is in use already".into())),
        Some(host) => Ok(host),
        None => Host::open(is_restored.then(|| params.clone())),
    };
    let host = match host {
        Ok(host) => host,
        Err(failed) => return answer(&id, Err(failed)),
    };
    HOST.with_borrow_mut(|kept| *kept = Some(host.clone()));
    if is_restored {
        return answer(&id, Ok(Json::Null));
    }
    let answered = match method {
        "exec" => return start(host, id, params),
        "create" => create(&host, params),
        "readFile" => {
            return answer_bytes(&id, &host, params, |sandbox, params| {
                files::read(sandbox, &required(params, "path")?)
            });
        }
        "export" => {
            return answer_bytes(&id, &host, params, |sandbox, _| Ok(sandbox.export()?));
        }
        other => answered_at_once(&host, other, params),
    };
    answer(&id, answered);
}

/// Returns the result of a method that neither runs nor makes anything.
#[inline(never)] // see `start`
fn answered_at_once(host: &Host, method: &str, params: Params) -> Result<Json, Failed> {
    match method {
        "destroy" => with_sandbox(host, params, |sandbox, _| {
            sandbox.destroy()?;
            Ok(Json::Null)
        })
        .inspect(|_| host.sandboxes.borrow_mut().retain(|_, kept| kept.is_running().is_ok())),
        "cancel" => cancel(host, params),
        "writeFile" => with_sandbox(host, params, |sandbox, params| {
            let path = required(params, "path")?;
            let content = params.remove("content").unwrap_or(Json::Null);
            sandbox.write_file(&path, &content_of("content", content)?)?;
            Ok(Json::Null)
        }),
        "list" => with_sandbox(host, params, |sandbox, params| {
            let path = required(params, "path")?;
            files::check_folder(sandbox, &path)?;
            let entries = sandbox.list(&path)?;
            let entry = |entry: &cofferdam::FolderEntry| json!({ "name": entry.name, "isFolder": entry.is_folder });
            Ok(entries.iter().map(entry).collect())
        }),
        "stat" | "mkdir" | "unlink" | "rmdir" | "rename" | "chmod" => {
            with_sandbox(host, params, |sandbox, params| files::operate(sandbox, method, params))
        }
        "page" => with_sandbox(host, params, |sandbox, _| {
            let events = sandbox.page_events().iter().map(event).collect::<Vec<_>>();
            Ok(json!({ "html": sandbox.page_html(), "events": events }))
        }),
        "publish" => with_sandbox(host, params, |sandbox, params| {
            let name = required(params, "name")?;
            let content = params.remove("content").unwrap_or(Json::Null);
            let metadata = params.remove("metadata").unwrap_or(Json::Null);
            sandbox.publish(&name, content, metadata)?;
            Ok(Json::Null)
        }),
        "published" => with_sandbox(host, params, |sandbox, params| {
            Ok(sandbox.published(&required(params, "name")?).unwrap_or(Json::Null))
        }),
        other => authority::request(host, other, params),
    }
}

fn answer(id: &Json, answered: Result<Json, Failed>) {
    port::post(&match answered {
        Ok(result) => json!({ "id": id, "result": result }),
        Err(Failed(message)) => json!({ "id": id, "error": { "message": message } }),
    });
}

/// Answers a request with bytes, which are beside the message.
#[inline(never)] // see `start`
fn answer_bytes(
    id: &Json,
    host: &Host,
    mut params: Params,
    read: impl FnOnce(&Sandbox, &mut Params) -> Result<Vec<u8>, Failed>,
) {
    let bytes = required(&mut params, "sandbox")
        .and_then(|name| host.sandbox(&name))
        .and_then(|sandbox| read(&sandbox, &mut params));
    match bytes {
        Ok(bytes) => port::post_with(&json!({ "id": id, "result": null }), &bytes),
        Err(failed) => answer(id, Err(failed)),
    }
}

/// Returns bytes that are a parameter: text, Base64, or beside the message.
fn content_of(name: &str, content: Json) -> Result<Vec<u8>, Failed> {
    match &content {
        Json::Object(given) if given.get("attached") == Some(&Json::Bool(true)) => {
            port::attached().ok_or_else(|| Failed(format!("{name}: no bytes came along")))
        }
        _ => Ok(file_content(name, content)?),
    }
}

/// Converts an event on a page that the sandbox holds.
fn event(event: &Event) -> Json {
    let (kind, value) = match &event.kind {
        EventKind::Click => ("click", Json::Null),
        EventKind::Fill(value) => ("fill", json!(value)),
        EventKind::Submit(fields) => ("submit", json!(fields)),
    };
    json!({ "kind": kind, "value": value, "path": event.path })
}

/// Takes a parameter that must be given.
pub(crate) fn required(params: &mut Params, name: &str) -> Result<String, Failed> {
    text(params, name)?.ok_or_else(|| Failed(format!("{name}: missing")))
}

fn with_sandbox(
    host: &Host,
    mut params: Params,
    run: impl FnOnce(&Sandbox, &mut Params) -> Result<Json, Failed>,
) -> Result<Json, Failed> {
    let sandbox = host.sandbox(&required(&mut params, "sandbox")?)?;
    run(&sandbox, &mut params)
}

/// Makes a sandbox.
#[inline(never)] // see `start`
fn create(host: &Host, mut params: Params) -> Result<Json, Failed> {
    let archive = object(&mut params, "archive")?;
    let has_document = exec::flag(&mut params, "document")?.unwrap_or(false);
    // Settings that make runs repeatable, for tests.
    let mut pinned = object(&mut params, "pinned")?;
    // The name is part of request ids, so that they are the same after a reload.
    let id = match text(&mut params, "name")? {
        Some(name) => name,
        None => format!("sandbox_{}", host.next_id()),
    };
    let mut plan = exec::sandbox(params)?;
    if !archive.is_empty() {
        plan.builder = plan.builder.import(content_of("archive", Json::Object(archive))?);
    }
    if has_document {
        plan.builder = plan.builder.page_elsewhere(Document { sandbox: id.clone() });
    }
    if let Some(seed) = exec::number(&mut pinned, "seed")? {
        plan.builder = plan.builder.random(Random::Seeded(seed));
    }
    if let Some(at) = exec::number(&mut pinned, "clock")? {
        plan.builder = plan.builder.clock(Clock::Fixed(at as f64));
    }
    for (path, target) in object(&mut pinned, "links")? {
        let Json::String(target) = target else { return Err(Failed(format!("{path}: no target"))) };
        plan.builder = plan.builder.link(path, target);
    }
    plan.builder = plan.builder.name(&id);
    let sandbox = host.build_as(&id, plan)?;
    let policy = sandbox.content_policy().to_string();
    let useless = |capability: &Capability| {
        let rule = sandbox.permissions().barred(capability)?;
        Some(format!("{capability}: the policy leaves nothing of it: {rule}"))
    };
    let useless: Vec<String> = sandbox.capabilities().iter().filter_map(useless).collect();
    host.sandboxes.borrow_mut().insert(id.clone(), sandbox);
    Ok(json!({ "sandbox": id, "policy": policy, "useless": useless }))
}

fn cancel(host: &Host, mut params: Params) -> Result<Json, Failed> {
    let id = required(&mut params, "run")?;
    let canceller = host.runs.borrow().get(&id).cloned();
    if let Some(canceller) = &canceller {
        canceller.cancel();
    }
    Ok(json!({ "cancelled": canceller.is_some() }))
}

/// Starts a run, which answers the request when it ends.
///
/// Not inlined, like the other large parts of [`request`]: a browser compiles a function whole when it
/// is first called, so a first result would wait for the code of every method.
#[inline(never)]
fn start(host: Rc<Host>, id: Json, mut params: Params) {
    let run = match text(&mut params, "run") {
        Ok(Some(run)) => run,
        Ok(None) => format!("run_{}", host.next_id()),
        Err(bad) => return answer(&id, Err(bad.into())),
    };
    let exec = match Exec::parse(Json::Object(params)) {
        Ok(exec) => exec,
        Err(bad) => return answer(&id, Err(bad.into())),
    };
    let mut settings = RunSettings::default().name(run.as_str());
    if exec.is_streamed {
        settings = settings.watcher(Arc::new(Streamed::new(run.clone())));
    }
    let started = host.runner.start(&"page".into(), exec, settings, &*host);
    let Started { run: running, .. } = match started {
        Ok(started) => started,
        Err(NotStarted::Outcome(outcome)) => return answer(&id, Ok(outcome.to_json())),
        Err(NotStarted::Params(e) | NotStarted::Busy(e) | NotStarted::Internal(e)) => {
            return answer(&id, Err(Failed(e)));
        }
    };
    host.runs.borrow_mut().insert(run.clone(), running.canceller());
    executor::spawn(async move {
        let outcome = running.await;
        host.runs.borrow_mut().remove(&run);
        answer(&id, outcome.map(|outcome| outcome.to_json()).map_err(Failed::from));
    });
}

/// Sends the output of one run while it goes on.
struct Streamed {
    run: String,
    /// Output of each stream that is not sent yet.
    pieces: Mutex<[Pieces; 2]>,
}

impl Streamed {
    fn new(run: String) -> Self {
        Streamed { run, pieces: Mutex::default() }
    }
}

impl Watcher for Streamed {
    fn saw(&self, stream: Stream, bytes: &[u8]) {
        let (index, name) = match stream {
            Stream::Out => (0, "stdout"),
            Stream::Err => (1, "stderr"),
        };
        let Ok(mut pieces) = self.pieces.lock() else { return };
        let text = pieces[index].add(bytes);
        if !text.is_empty() {
            port::notify("output", json!({ "run": self.run, "stream": name, "text": text }));
        }
    }
}
