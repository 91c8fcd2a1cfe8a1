//! The [`Ledger`] trait: durable storage behind a broker, implemented in memory and by the store.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use cofferdam_caps::Capability;

use crate::error::{Error, ErrorKind};
use crate::grant::Grant;
use crate::id::{GrantId, Key, RequestId};
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
    /// everything.
    fn changes(&self, since: u64) -> Result<Changes, Error>;

    /// Adds a grant and marks the request that it answers as granted.
    fn add(&self, grant: &Grant, answers: Option<&RequestId>) -> Result<(), Error>;

    /// Removes a grant and returns it, or `None` if it does not exist.
    fn revoke(&self, id: &GrantId) -> Result<Option<Grant>, Error>;

    /// Consumes one use of a counted grant.
    ///
    /// Returns false if no use is left, or if the grant has expired or does not exist.
    fn take(&self, id: &GrantId, now: Timestamp) -> Result<bool, Error>;

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

    /// Returns true if other processes can change the ledger, so that waiting runs must poll it.
    fn is_shared(&self) -> bool;
}

/// Changes of a ledger since an earlier read.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    /// Position to continue from; pass it to [`Ledger::changes`].
    pub at: u64,
    /// True if the list is complete and replaces everything known before.
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
