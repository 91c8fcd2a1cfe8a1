//! The ledger of the page: grants and requests in memory, whose changes the worker writes to
//! IndexedDB for a kept sandbox.
//!
//! A browser writes asynchronously, so a change is in force before it is on disk. The worker answers
//! the request that made the change after both.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use cofferdam::capabilities::Kind;
use cofferdam::permissions::{
    Changes, Error, ErrorKind, Grant, GrantId, Holder, InMemory, Key, Ledger, RecordedRequest,
    RequestId, RunId, SecretHeaders, Timestamp,
};
use serde_json::{Map, Value as Json, json};

use crate::port;

/// A ledger whose changes are kept in the browser.
pub(crate) struct Kept {
    inner: InMemory,
    /// False if the sandbox is not kept.
    is_kept: bool,
}

impl Kept {
    /// Opens a ledger with these records, or an empty one that is not kept.
    pub(crate) fn open(records: Option<Map<String, Json>>) -> Result<Self, Error> {
        match records {
            Some(records) => Kept::restored(records),
            None => Ok(Kept { inner: InMemory::new()?, is_kept: false }),
        }
    }

    #[inline(never)] // see `start` of the methods
    fn restored(mut records: Map<String, Json>) -> Result<Self, Error> {
        let key = match records.get("key").and_then(Json::as_str) {
            Some(text) => {
                let key = BASE64.decode(text).ok().and_then(|key| Key::try_from(key).ok());
                key.ok_or_else(|| damaged("key"))?
            }
            None => {
                let key = InMemory::new()?.key()?;
                port::notify("ledger", json!({ "key": BASE64.encode(key) }));
                key
            }
        };
        let inner = InMemory::with_key(key);
        for grant in list(&mut records, "grants") {
            inner.add(&read_grant(&grant).ok_or_else(|| damaged("grants"))?, None)?;
        }
        for request in list(&mut records, "requests") {
            inner.record(&read_request(&request).ok_or_else(|| damaged("requests"))?)?;
        }
        Ok(Kept { inner, is_kept: true })
    }

    fn note(&self, change: Json) {
        if self.is_kept {
            port::notify("ledger", change);
        }
    }

    /// Notes the present state of a grant.
    fn note_grant(&self, id: &GrantId) -> Result<(), Error> {
        if self.is_kept {
            let grants = self.inner.grants()?;
            self.note(match grants.iter().find(|grant| grant.id == *id) {
                Some(grant) => json!({ "grants": [write_grant(grant)] }),
                None => json!({ "gone": [id.as_str()] }),
            });
        }
        Ok(())
    }

    fn note_request(&self, id: &RequestId) -> Result<(), Error> {
        if let Some(request) = self.inner.request(id)? {
            self.note(json!({ "requests": [write_request(&request)] }));
        }
        Ok(())
    }
}

impl Ledger for Kept {
    fn key(&self) -> Result<Key, Error> {
        self.inner.key()
    }

    fn mark(&self) -> Result<u64, Error> {
        self.inner.mark()
    }

    fn changes(&self, since: u64) -> Result<Changes, Error> {
        self.inner.changes(since)
    }

    fn add(&self, grant: &Grant, answers: Option<&RequestId>) -> Result<(), Error> {
        self.inner.add(grant, answers)?;
        self.note_grant(&grant.id)?;
        answers.map_or(Ok(()), |id| self.note_request(id))
    }

    fn revoke(&self, id: &GrantId) -> Result<Option<Grant>, Error> {
        let revoked = self.inner.revoke(id)?;
        self.note_grant(id)?;
        Ok(revoked)
    }

    fn take(&self, id: &GrantId, now: Timestamp) -> Result<bool, Error> {
        let taken = self.inner.take(id, now)?;
        self.note_grant(id)?;
        Ok(taken)
    }

    fn bind(&self, id: &GrantId, run: &RunId, now: Timestamp) -> Result<bool, Error> {
        let bound = self.inner.bind(id, run, now)?;
        self.note_grant(id)?;
        Ok(bound)
    }

    fn end_run(&self, run: &RunId) -> Result<(), Error> {
        let bound = |grant: &Grant| grant.run.as_ref() == Some(run);
        let ended: Vec<GrantId> =
            self.inner.grants()?.into_iter().filter(bound).map(|grant| grant.id).collect();
        self.inner.end_run(run)?;
        ended.iter().try_for_each(|id| self.note_grant(id))
    }

    fn record(&self, request: &RecordedRequest) -> Result<(), Error> {
        self.inner.record(request)?;
        self.note_request(&request.id)
    }

    fn deny(&self, id: &RequestId) -> Result<Option<RecordedRequest>, Error> {
        let denied = self.inner.deny(id)?;
        self.note_request(id)?;
        Ok(denied)
    }

    fn request(&self, id: &RequestId) -> Result<Option<RecordedRequest>, Error> {
        self.inner.request(id)
    }

    // The page keeps no sessions between reloads, so there is nothing to write.
    fn restrict(&self, sandbox: &str, tool: Option<&str>, kind: Kind) -> Result<(), Error> {
        self.inner.restrict(sandbox, tool, kind)
    }

    fn is_restricted(&self, sandbox: &str, tool: &str, kind: Kind) -> Result<bool, Error> {
        self.inner.is_restricted(sandbox, tool, kind)
    }

    fn requests(&self) -> Result<Vec<RecordedRequest>, Error> {
        self.inner.requests()
    }

    fn grants(&self) -> Result<Vec<Grant>, Error> {
        self.inner.grants()
    }

    fn is_shared(&self) -> bool {
        false
    }
}

fn damaged(what: &str) -> Error {
    Error::new(ErrorKind::Damaged, what, "cannot be read; forget the kept sandbox")
}

fn list(records: &mut Map<String, Json>, name: &str) -> Vec<Json> {
    match records.remove(name) {
        Some(Json::Array(list)) => list,
        _ => Vec::new(),
    }
}

fn write_grant(grant: &Grant) -> Json {
    json!({
        "id": grant.id.as_str(),
        "capability": grant.capability.to_string(),
        "span": grant.span.name(),
        "tool": grant.holder.tool.as_deref(),
        "sandbox": grant.holder.sandbox.as_deref(),
        "folder": grant.holder.folder.as_deref(),
        "by": &*grant.by,
        "at": grant.at.micros(),
        "expires": grant.expires.map(Timestamp::micros),
        "uses": grant.uses,
        "run": grant.run.as_ref().map(RunId::as_str),
        "headers": grant.headers.expose().collect::<Vec<_>>(),
    })
}

fn read_grant(record: &Json) -> Option<Grant> {
    let text = |name: &str| record[name].as_str();
    let mut headers = SecretHeaders::default();
    for header in record["headers"].as_array()? {
        headers.set(header[0].as_str()?, header[1].as_str()?).ok()?;
    }
    Some(Grant {
        id: text("id")?.parse().ok()?,
        capability: text("capability")?.parse().ok()?,
        span: text("span")?.parse().ok()?,
        holder: Holder {
            tool: text("tool").map(Into::into),
            sandbox: text("sandbox").map(Into::into),
            folder: text("folder").map(Into::into),
        },
        by: text("by")?.into(),
        at: Timestamp::from_micros(record["at"].as_u64()?),
        expires: record["expires"].as_u64().map(Timestamp::from_micros),
        uses: record["uses"].as_u64().and_then(|uses| u32::try_from(uses).ok()),
        run: match text("run") {
            Some(run) => Some(run.parse().ok()?),
            None => None,
        },
        headers,
    })
}

fn write_request(request: &RecordedRequest) -> Json {
    json!({
        "id": request.id.as_str(),
        "capability": request.capability.to_string(),
        "tool": &*request.tool,
        "sandbox": &*request.sandbox,
        "folder": request.folder.as_deref(),
        "first": request.first.micros(),
        "last": request.last.micros(),
        "times": request.times,
        "status": request.status.name(),
    })
}

fn read_request(record: &Json) -> Option<RecordedRequest> {
    let text = |name: &str| record[name].as_str();
    Some(RecordedRequest {
        id: text("id")?.parse().ok()?,
        capability: text("capability")?.parse().ok()?,
        tool: text("tool")?.into(),
        sandbox: text("sandbox")?.into(),
        folder: text("folder").map(Into::into),
        first: Timestamp::from_micros(record["first"].as_u64()?),
        last: Timestamp::from_micros(record["last"].as_u64()?),
        times: u32::try_from(record["times"].as_u64()?).ok()?,
        status: text("status")?.parse().ok()?,
    })
}
