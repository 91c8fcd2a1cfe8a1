//! The [`Ledger`] trait: durable storage behind a broker, implemented in memory and by the store.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use cofferdam_caps::{Capability, Kind};

use crate::error::{Error, ErrorKind};
use crate::grant::Grant;
use crate::grant_index::RequestKeys;
use crate::id::{GrantId, Key, RequestId, RunId};
use crate::timestamp::Timestamp;

/// Storage for grants that outlive a run and for recorded requests.
///
/// Several brokers in several processes may share one ledger. A change is durable when the
/// function returns: it survives a crash of the process and of the machine.
pub trait Ledger: Send + Sync {
    /// Returns the secret from which request ids are derived; it never changes.
    fn key(&self) -> Result<Key, Error>;

    /// Returns a number that differs after every change of grants or denials by any process.
    ///
    /// Called at every check that depends on the ledger, so it must be cheap.
    fn mark(&self) -> Result<u64, Error>;

    /// Returns the changes after `since`, the [`at`](Changes::at) of an earlier result; 0 returns
    /// everything, except perhaps what [`grants_for`](Self::grants_for) returns.
    fn changes(&self, since: u64) -> Result<Changes, Error>;

    /// Returns a part of the grants for one tool, or of those for every tool, that a
    /// [whole](Changes::whole) list of changes leaves out. A process runs a few tools, which make a
    /// few requests, and a ledger may hold grants for many.
    fn grants_for(&self, tool: Option<&str>, part: Part<'_>) -> Result<Vec<Grant>, Error> {
        let _ = (tool, part);
        Ok(Vec::new())
    }

    /// Returns true if a whole list of changes leaves out more than `most` grants for one tool, or
    /// for every tool.
    fn has_more_than(&self, tool: Option<&str>, most: usize) -> Result<bool, Error> {
        let _ = (tool, most);
        Ok(false)
    }

    /// Adds a grant and marks the request that it answers as granted.
    fn add(&self, grant: &Grant, answers: Option<&RequestId>) -> Result<(), Error>;

    /// Removes a grant and returns it, or `None` if it does not exist.
    fn revoke(&self, id: &GrantId) -> Result<Option<Grant>, Error>;

    /// Consumes one use of a counted grant.
    ///
    /// Returns false if no use is left, or if the grant has expired or does not exist.
    fn take(&self, id: &GrantId, now: Timestamp) -> Result<bool, Error>;

    /// Binds a [`Span::Once`](crate::Span::Once) grant to the first run that uses it.
    ///
    /// Returns true if the grant belongs to `run` now, and false if it belongs to another run, has
    /// expired or does not exist. A bound grant expires after [`MAX_SESSION`](crate::MAX_SESSION) at
    /// the latest, in case its run is killed.
    fn bind(&self, id: &GrantId, run: &RunId, now: Timestamp) -> Result<bool, Error>;

    /// Removes the grants that are bound to a run, because the run has ended.
    fn end_run(&self, run: &RunId) -> Result<(), Error>;

    /// Records a denied request.
    ///
    /// If the request is already recorded, raises its count; if it was granted, opens it again.
    fn record(&self, request: &RecordedRequest) -> Result<(), Error>;

    /// Denies a request for good and returns it, or `None` if it does not exist.
    fn deny(&self, id: &RequestId) -> Result<Option<RecordedRequest>, Error>;

    /// Returns one request, or `None` if it does not exist.
    fn request(&self, id: &RequestId) -> Result<Option<RecordedRequest>, Error>;

    /// Returns all requests, latest first.
    fn requests(&self) -> Result<Vec<RecordedRequest>, Error>;

    /// Returns all grants, latest first.
    fn grants(&self) -> Result<Vec<Grant>, Error>;

    /// Records that the runs of a sandbox, or of one tool in it, have only what they are granted of a
    /// kind, for good. Called only if sandboxes of this name are one sandbox in all processes; see
    /// [`Setup::keep_sessions`](crate::Setup::keep_sessions).
    fn restrict(&self, sandbox: &str, tool: Option<&str>, kind: Kind) -> Result<(), Error>;

    /// Returns true if [`restrict`](Self::restrict) was called for the sandbox and this tool, or for
    /// the sandbox and every tool.
    fn is_restricted(&self, sandbox: &str, tool: &str, kind: Kind) -> Result<bool, Error>;

    /// Returns true if other processes can change the ledger, so that waiting runs must poll it.
    fn is_shared(&self) -> bool;
}

/// A part of the grants for one tool, or of those for every tool.
#[derive(Debug, Clone, Copy)]
pub enum Part<'a> {
    /// All of them.
    All,
    /// Those of one kind.
    Kind(Kind),
    /// Those that may allow a request.
    Keys(&'a RequestKeys),
    /// At least one of each of these kinds that any run of a sandbox may use, if there is one. Of
    /// several, one that expires last.
    #[expect(missing_docs, reason = "the names say it")]
    Signs { kinds: &'a [Kind], sandbox: &'a str },
}

/// Changes of a ledger since an earlier read.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    /// Position to continue from; pass it to [`Ledger::changes`].
    pub at: u64,
    /// True if the list is complete and replaces everything known before. It may leave out grants,
    /// which [`Ledger::grants_for`] returns.
    pub whole: bool,
    /// Grants that were added or changed.
    pub grants: Vec<Grant>,
    /// Grants that were removed.
    pub gone: Vec<GrantId>,
    /// Requests whose status changed, with the new status.
    pub requests: Vec<(RequestId, RequestStatus)>,
}

/// A request that was denied, kept so that a person can grant it later.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedRequest {
    /// Id by which the request can be granted or denied.
    pub id: RequestId,
    /// Narrowest capability that would allow the request.
    pub capability: Capability,
    /// Name of the tool; hostile text.
    pub tool: Arc<str>,
    /// Name of the sandbox.
    pub sandbox: Arc<str>,
    /// Folder of the host that a request for a file is about; see
    /// [`Holder::folder`](crate::Holder::folder).
    pub folder: Option<Arc<str>>,
    /// Time at which the request was first recorded.
    pub first: Timestamp,
    /// Time at which the request was last recorded. A run records it at most once.
    pub last: Timestamp,
    /// Number of times that the request was recorded.
    pub times: u32,
    /// Decision so far.
    pub status: RequestStatus,
}

/// Decision on a recorded request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RequestStatus {
    /// Not decided.
    Open,
    /// A grant was made for the request.
    Granted,
    /// Denied for good; the approver is not asked again.
    Denied,
}

impl RequestStatus {
    /// Returns the word that command line and store use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Granted => "granted",
            Self::Denied => "denied",
        }
    }
}

impl fmt::Display for RequestStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for RequestStatus {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let all = [Self::Open, Self::Granted, Self::Denied];
        let status = all.into_iter().find(|status| status.name() == text);
        status.ok_or_else(|| Error::new(ErrorKind::Damaged, text, "not open, granted or denied"))
    }
}
