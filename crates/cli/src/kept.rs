//! Sandboxes and snapshots that `rpc` keeps between requests, by their ids.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cofferdam::dom::proxy::{Event, EventKind};
use cofferdam::permissions::{Broker, InMemory};
use cofferdam::{ArchiveSeal, Sandbox, SealKey, Snapshot};
use cofferdam_front::exec::{
    BadParams, Plan, bad, check_known, file_content, number, object, sandbox, text,
};
use cofferdam_front::lock;
use cofferdam_front::runner::Sandboxes;
use cofferdam_store::Store;
use serde_json::{Map, Value as Json, json};

use crate::channel::{Asking, Channel};
use crate::methods::Method;

/// Most sandboxes at once; each holds its files.
// T-BOX-003: host memory through sandboxes and snapshots that are kept.
const MAX_SANDBOXES: usize = 256;

/// Most snapshots at once; each holds the content that has changed since.
const MAX_SNAPSHOTS: usize = 1024;

/// Longest file that is read by default, and at most.
const READ_BYTES: usize = 64 << 20;

/// Failure of a method.
pub(crate) enum Failed {
    Params(String),
    /// The server is full.
    Full(String),
    /// The server failed.
    Internal(String),
    Sandbox(cofferdam::Error),
}

impl From<BadParams> for Failed {
    fn from(bad: BadParams) -> Self {
        Failed::Params(bad.0)
    }
}

impl From<cofferdam::Error> for Failed {
    fn from(error: cofferdam::Error) -> Self {
        Failed::Sandbox(error)
    }
}

/// The client, the broker and the audit log that every sandbox of the server uses.
pub(crate) struct Host {
    pub(crate) channel: Arc<Channel>,
    pub(crate) broker: Broker,
    pub(crate) log: Log,
    /// Registered tools.
    pub(crate) tools: Store,
}

/// The audit log of the server.
pub(crate) enum Log {
    /// Lines of this process.
    Memory(Arc<InMemory>),
    /// The user's store.
    Store(Store),
}

impl Host {
    /// Builds a sandbox that asks the client and calls its functions.
    pub(crate) fn build(&self, plan: Plan) -> Result<Sandbox, cofferdam::Error> {
        let mut builder = plan.builder.broker(&self.broker);
        if let Some(handle) = plan.ask {
            builder = builder.approver(Arc::new(Asking { channel: self.channel.clone(), handle }));
        }
        for lent in plan.lent {
            let (channel, name) = (self.channel.clone(), lent.name.clone());
            let handle = lent.handle.clone();
            let call = move |args| channel.clone().call(name.clone(), handle.clone(), args);
            builder = builder.function(lent.function(call)?);
        }
        builder.build()
    }
}

impl Sandboxes for Kept {
    fn get(&self, id: &str) -> Result<Sandbox, BadParams> {
        self.get(id)
    }

    fn build(&self, plan: Plan) -> Result<Sandbox, cofferdam::Error> {
        self.host.build(plan)
    }
}

/// Sandboxes and snapshots, by id.
pub(crate) struct Kept {
    pub(crate) host: Host,
    sandboxes: Mutex<HashMap<String, Sandbox>>,
    snapshots: Mutex<HashMap<String, Snapshot>>,
    next: AtomicU64,
}

impl Kept {
    pub(crate) fn new(host: Host) -> Self {
        let (sandboxes, snapshots) = Default::default();
        Kept { host, sandboxes, snapshots, next: AtomicU64::new(0) }
    }

    /// Calls a method, after checking that it knows every parameter.
    pub(crate) fn call(
        &self,
        method: &Method,
        call: fn(&Kept, Map<String, Json>) -> Result<Json, Failed>,
        params: Json,
    ) -> Result<Json, Failed> {
        let params = match params {
            Json::Object(params) => params,
            Json::Null => Map::new(),
            _ => return Err(Failed::Params("params: not an object".into())),
        };
        check_known(&params, &method.known())?;
        call(self, params)
    }

    /// Returns a sandbox by its id.
    pub(crate) fn get(&self, id: &str) -> Result<Sandbox, BadParams> {
        match lock(&self.sandboxes).get(id) {
            Some(sandbox) => Ok(sandbox.clone()),
            None => bad(format!("sandbox: there is no {id:?}")),
        }
    }

    fn named(&self, params: &mut Map<String, Json>) -> Result<(String, Sandbox), Failed> {
        let Some(id) = text(params, "sandbox")? else {
            return Err(Failed::Params(
                "sandbox: missing; give the id that sandbox.create returned".into(),
            ));
        };
        let sandbox = self.get(&id)?;
        Ok((id, sandbox))
    }

    fn id(&self, kind: &str) -> String {
        format!("{kind}_{}", self.next.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// Keeps the sandbox that `make` returns. If the server is full, `make` is not called.
    fn keep(&self, make: impl FnOnce() -> Result<Sandbox, Failed>) -> Result<Json, Failed> {
        let mut sandboxes = lock(&self.sandboxes);
        if sandboxes.len() >= MAX_SANDBOXES {
            let text = format!("{MAX_SANDBOXES} sandboxes are kept already; destroy one first");
            return Err(Failed::Full(text));
        }
        let sandbox = make()?;
        // The name in questions, requests and the audit log.
        let id = sandbox.permissions().sandbox().to_owned();
        sandboxes.insert(id.clone(), sandbox);
        Ok(json!({ "sandbox": id }))
    }

    pub(crate) fn create(&self, params: Map<String, Json>) -> Result<Json, Failed> {
        let plan = sandbox(params)?;
        self.keep(|| Ok(self.host.build(plan)?))
    }

    pub(crate) fn import(&self, mut params: Map<String, Json>) -> Result<Json, Failed> {
        let Some(encoded) = text(&mut params, "base64")? else {
            return Err(Failed::Params(
                "base64: missing; give the text that sandbox.export returned".into(),
            ));
        };
        let archive = STANDARD.decode(encoded);
        let archive = archive.map_err(|e| Failed::Params(format!("base64: {e}")))?;
        let is_ours = self.seal_key()?.check(&archive) == ArchiveSeal::Ours;
        match params.remove("sealed") {
            Some(Json::Bool(true)) if !is_ours => {
                let message = "base64: not sealed by this store, or changed since";
                return Err(Failed::Params(message.into()));
            }
            None | Some(Json::Null | Json::Bool(_)) => {}
            Some(_) => return Err(Failed::Params("sealed: not true or false".into())),
        }
        let mut plan = sandbox(params)?;
        plan.builder = plan.builder.import(archive);
        let mut made = self.keep(|| Ok(self.host.build(plan)?))?;
        made["sealed"] = is_ours.into();
        Ok(made)
    }

    /// Returns the key that exports are sealed with.
    // T-BOX-005: an export that was made or changed by somebody else.
    fn seal_key(&self) -> Result<SealKey, Failed> {
        let key = crate::permissions::seal_key(&self.host.tools);
        key.map_err(|error| Failed::Internal(error.to_string()))
    }

    pub(crate) fn write(&self, mut params: Map<String, Json>) -> Result<Json, Failed> {
        let (_, sandbox) = self.named(&mut params)?;
        let path = path(&mut params)?;
        let Some(content) = params.remove("content") else {
            return Err(Failed::Params("content: missing".into()));
        };
        let bytes = file_content("content", content)?;
        match params.remove("executable") {
            None | Some(Json::Null | Json::Bool(false)) => sandbox.write_file(&path, &bytes)?,
            Some(Json::Bool(true)) => sandbox.write_executable(&path, &bytes)?,
            Some(_) => return Err(Failed::Params("executable: not true or false".into())),
        }
        Ok(json!({ "bytes": bytes.len() }))
    }

    /// Returns text if the file is UTF-8, and base64 otherwise or if it is asked for.
    pub(crate) fn read(&self, mut params: Map<String, Json>) -> Result<Json, Failed> {
        let (_, sandbox) = self.named(&mut params)?;
        let path = path(&mut params)?;
        let most = match number(&mut params, "maxBytes")? {
            None => READ_BYTES,
            Some(most) => usize::try_from(most).unwrap_or(usize::MAX).min(READ_BYTES),
        };
        let encoding = text(&mut params, "encoding")?;
        if !matches!(encoding.as_deref(), None | Some("base64")) {
            return Err(Failed::Params("encoding: must be \"base64\" or left out".into()));
        }
        let bytes = sandbox.read_file(&path, most)?;
        Ok(match (encoding, String::from_utf8(bytes)) {
            (None, Ok(text)) => json!({ "text": text }),
            (Some(_), Ok(text)) => json!({ "base64": STANDARD.encode(text) }),
            (_, Err(error)) => json!({ "base64": STANDARD.encode(error.as_bytes()) }),
        })
    }

    /// Sets variables for later runs; `null` removes one.
    pub(crate) fn set_env(&self, mut params: Map<String, Json>) -> Result<Json, Failed> {
        let (_, sandbox) = self.named(&mut params)?;
        for (name, value) in object(&mut params, "env")? {
            match value {
                Json::String(value) => sandbox.set_env(&name, Some(&value))?,
                Json::Null => sandbox.set_env(&name, None)?,
                _ => return Err(Failed::Params(format!("env.{name}: neither a string nor null"))),
            }
        }
        Ok(json!({ "env": sandbox.env() }))
    }

    pub(crate) fn get_env(&self, mut params: Map<String, Json>) -> Result<Json, Failed> {
        let (_, sandbox) = self.named(&mut params)?;
        Ok(json!({ "env": sandbox.env() }))
    }

    pub(crate) fn is_running(&self, mut params: Map<String, Json>) -> Result<Json, Failed> {
        let (_, sandbox) = self.named(&mut params)?;
        Ok(json!({ "running": sandbox.is_running()? }))
    }

    /// Cancels every run of a sandbox, which stays.
    pub(crate) fn cancel(&self, mut params: Map<String, Json>) -> Result<Json, Failed> {
        let (_, sandbox) = self.named(&mut params)?;
        let was_running = sandbox.is_running()?;
        sandbox.cancel()?;
        Ok(json!({ "cancelled": was_running }))
    }

    pub(crate) fn list(&self, mut params: Map<String, Json>) -> Result<Json, Failed> {
        let (_, sandbox) = self.named(&mut params)?;
        let entries = sandbox.list(&path(&mut params)?)?;
        let entry = |entry: &cofferdam::FolderEntry| json!({ "name": entry.name, "isFolder": entry.is_folder });
        Ok(json!({ "entries": entries.iter().map(entry).collect::<Vec<_>>() }))
    }

    /// Lists lent functions in the shape in which they were declared.
    pub(crate) fn functions(&self, mut params: Map<String, Json>) -> Result<Json, Failed> {
        let (_, sandbox) = self.named(&mut params)?;
        let function = |function: &cofferdam::Signature| {
            let mut object = json!({ "name": function.name, "description": function.description });
            if let Some(schema) = &function.takes {
                object["parameters"] = schema.clone();
            }
            if let Some(schema) = &function.gives {
                object["returns"] = schema.clone();
            }
            object
        };
        Ok(json!({ "functions": sandbox.functions().iter().map(function).collect::<Vec<_>>() }))
    }

    pub(crate) fn set_page(&self, mut params: Map<String, Json>) -> Result<Json, Failed> {
        let (_, sandbox) = self.named(&mut params)?;
        let html = text(&mut params, "html")?.ok_or(BadParams("html: missing".into()))?;
        sandbox.set_page(&html)?;
        Ok(json!({ "set": true }))
    }

    pub(crate) fn page_html(&self, mut params: Map<String, Json>) -> Result<Json, Failed> {
        let (_, sandbox) = self.named(&mut params)?;
        Ok(json!({ "html": sandbox.page_html() }))
    }

    /// Takes the events on the page, so that each is returned once.
    pub(crate) fn page_events(&self, mut params: Map<String, Json>) -> Result<Json, Failed> {
        let (_, sandbox) = self.named(&mut params)?;
        let event = |Event { kind, path, .. }: &Event| match kind {
            EventKind::Click => json!({ "kind": "click", "path": path }),
            EventKind::Fill(value) => json!({ "kind": "fill", "path": path, "value": value }),
            EventKind::Submit(fields) => {
                json!({ "kind": "submit", "path": path, "fields": fields })
            }
        };
        Ok(json!({ "events": sandbox.page_events().iter().map(event).collect::<Vec<_>>() }))
    }

    pub(crate) fn publish(&self, mut params: Map<String, Json>) -> Result<Json, Failed> {
        let (_, sandbox) = self.named(&mut params)?;
        let name = text(&mut params, "name")?.ok_or(BadParams("name: missing".into()))?;
        let Some(content) = params.remove("content") else {
            return Err(Failed::Params("content: missing".into()));
        };
        sandbox.publish(&name, content, params.remove("metadata").unwrap_or(Json::Null))?;
        Ok(json!({ "published": true }))
    }

    pub(crate) fn published(&self, mut params: Map<String, Json>) -> Result<Json, Failed> {
        let (_, sandbox) = self.named(&mut params)?;
        let name = text(&mut params, "name")?.ok_or(BadParams("name: missing".into()))?;
        let content = sandbox.published(&name);
        Ok(json!({ "found": content.is_some(), "content": content }))
    }

    pub(crate) fn fork(&self, mut params: Map<String, Json>) -> Result<Json, Failed> {
        let (_, sandbox) = self.named(&mut params)?;
        self.keep(|| Ok(sandbox.fork()?))
    }

    pub(crate) fn snapshot(&self, mut params: Map<String, Json>) -> Result<Json, Failed> {
        let (_, sandbox) = self.named(&mut params)?;
        let mut snapshots = lock(&self.snapshots);
        if snapshots.len() >= MAX_SNAPSHOTS {
            let text = format!("{MAX_SNAPSHOTS} snapshots are kept already; drop one first");
            return Err(Failed::Full(text));
        }
        let id = self.id("snapshot");
        snapshots.insert(id.clone(), sandbox.snapshot()?);
        Ok(json!({ "snapshot": id }))
    }

    pub(crate) fn restore(&self, mut params: Map<String, Json>) -> Result<Json, Failed> {
        let (_, sandbox) = self.named(&mut params)?;
        let Some(id) = text(&mut params, "snapshot")? else {
            return Err(Failed::Params(
                "snapshot: missing; give the id that sandbox.snapshot returned".into(),
            ));
        };
        let Some(snapshot) = lock(&self.snapshots).get(&id).cloned() else {
            return Err(Failed::Params(format!("snapshot: there is no {id:?}")));
        };
        sandbox.restore(&snapshot)?;
        Ok(json!({ "restored": true }))
    }

    pub(crate) fn export(&self, mut params: Map<String, Json>) -> Result<Json, Failed> {
        let (_, sandbox) = self.named(&mut params)?;
        let archive = self.seal_key()?.seal(sandbox.export()?);
        Ok(json!({ "base64": STANDARD.encode(archive) }))
    }

    pub(crate) fn destroy(&self, mut params: Map<String, Json>) -> Result<Json, Failed> {
        let (id, sandbox) = self.named(&mut params)?;
        lock(&self.sandboxes).remove(&id);
        sandbox.destroy()?;
        Ok(json!({ "destroyed": true }))
    }

    pub(crate) fn drop_snapshot(&self, mut params: Map<String, Json>) -> Result<Json, Failed> {
        let id = text(&mut params, "snapshot")?.unwrap_or_default();
        match lock(&self.snapshots).remove(&id) {
            Some(_) => Ok(json!({ "dropped": true })),
            None => Err(Failed::Params(format!("snapshot: there is no {id:?}"))),
        }
    }
}

fn path(params: &mut Map<String, Json>) -> Result<String, BadParams> {
    text(params, "path")?.ok_or(BadParams("path: missing".into()))
}
