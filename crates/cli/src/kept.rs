//! Sandboxes and snapshots that `rpc` keeps between requests, by their ids.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cofferdam::{Sandbox, Snapshot};
use serde_json::{Map, Value as Json, json};

use crate::exec::{BadParams, bad, check_known, file_content, object, sandbox, text};

/// Most sandboxes at once; each holds its files.
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

/// Sandboxes and snapshots, by id.
#[derive(Default)]
pub(crate) struct Kept {
    sandboxes: Mutex<HashMap<String, Sandbox>>,
    snapshots: Mutex<HashMap<String, Snapshot>>,
    next: AtomicU64,
}

type Method = fn(&Kept, Map<String, Json>) -> Result<Json, Failed>;

/// Methods, by name.
pub(crate) const METHODS: [(&str, Method); 11] = [
    ("sandbox.create", Kept::create),
    ("sandbox.write", Kept::write),
    ("sandbox.read", Kept::read),
    ("sandbox.setEnv", Kept::set_env),
    ("sandbox.fork", Kept::fork),
    ("sandbox.snapshot", Kept::snapshot),
    ("sandbox.restore", Kept::restore),
    ("sandbox.export", Kept::export),
    ("sandbox.import", Kept::import),
    ("sandbox.destroy", Kept::destroy),
    ("snapshot.drop", Kept::drop_snapshot),
];

impl Kept {
    /// Calls a method. Returns `None` if there is no method of this name.
    pub(crate) fn call(&self, method: &str, params: Json) -> Option<Result<Json, Failed>> {
        let (_, method) = METHODS.iter().find(|(name, _)| *name == method)?;
        Some(match params {
            Json::Object(params) => method(self, params),
            Json::Null => method(self, Map::new()),
            _ => Err(Failed::Params("params: not an object".into())),
        })
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
        let (id, sandbox) = (self.id("sandbox"), make()?);
        sandboxes.insert(id.clone(), sandbox);
        Ok(json!({ "sandbox": id }))
    }

    fn create(&self, params: Map<String, Json>) -> Result<Json, Failed> {
        let known = ["limits", "stdin", "cwd", "env", "files", "capabilities", "programs"];
        check_known(&params, &known)?;
        let builder = sandbox(params)?;
        self.keep(|| Ok(builder.build()?))
    }

    fn import(&self, mut params: Map<String, Json>) -> Result<Json, Failed> {
        let known = ["base64", "limits", "stdin", "env", "capabilities", "programs"];
        check_known(&params, &known)?;
        let Some(encoded) = text(&mut params, "base64")? else {
            return Err(Failed::Params(
                "base64: missing; give the text that sandbox.export returned".into(),
            ));
        };
        let archive = STANDARD.decode(encoded);
        let archive = archive.map_err(|e| Failed::Params(format!("base64: {e}")))?;
        let builder = sandbox(params)?.import(archive);
        self.keep(|| Ok(builder.build()?))
    }

    fn write(&self, mut params: Map<String, Json>) -> Result<Json, Failed> {
        check_known(&params, &["sandbox", "path", "content", "executable"])?;
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
    fn read(&self, mut params: Map<String, Json>) -> Result<Json, Failed> {
        check_known(&params, &["sandbox", "path", "maxBytes", "encoding"])?;
        let (_, sandbox) = self.named(&mut params)?;
        let path = path(&mut params)?;
        let most = match params.remove("maxBytes") {
            None | Some(Json::Null) => READ_BYTES,
            Some(most) => match most.as_u64() {
                Some(most) => usize::try_from(most).unwrap_or(usize::MAX).min(READ_BYTES),
                None => {
                    return Err(Failed::Params("maxBytes: not a whole number of 0 or more".into()));
                }
            },
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
    fn set_env(&self, mut params: Map<String, Json>) -> Result<Json, Failed> {
        check_known(&params, &["sandbox", "env"])?;
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

    fn fork(&self, mut params: Map<String, Json>) -> Result<Json, Failed> {
        check_known(&params, &["sandbox"])?;
        let (_, sandbox) = self.named(&mut params)?;
        self.keep(|| Ok(sandbox.fork()?))
    }

    fn snapshot(&self, mut params: Map<String, Json>) -> Result<Json, Failed> {
        check_known(&params, &["sandbox"])?;
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

    fn restore(&self, mut params: Map<String, Json>) -> Result<Json, Failed> {
        check_known(&params, &["sandbox", "snapshot"])?;
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

    fn export(&self, mut params: Map<String, Json>) -> Result<Json, Failed> {
        check_known(&params, &["sandbox"])?;
        let (_, sandbox) = self.named(&mut params)?;
        Ok(json!({ "base64": STANDARD.encode(sandbox.export()?) }))
    }

    fn destroy(&self, mut params: Map<String, Json>) -> Result<Json, Failed> {
        check_known(&params, &["sandbox"])?;
        let (id, sandbox) = self.named(&mut params)?;
        lock(&self.sandboxes).remove(&id);
        sandbox.destroy()?;
        Ok(json!({ "destroyed": true }))
    }

    fn drop_snapshot(&self, mut params: Map<String, Json>) -> Result<Json, Failed> {
        check_known(&params, &["snapshot"])?;
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

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
