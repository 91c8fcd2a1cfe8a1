use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use cofferdam_caps::Capability;

use crate::error::{Error, ErrorKind};
use crate::grant::Grant;
use crate::id::{GrantId, Key, RequestId};
use crate::timestamp::Timestamp;

/// Where grants that outlive a run are kept, and what was asked for.
///
/// Several brokers, in several processes, may share one. What a function promises to have done
/// is done for good when it returns: it survives a crash of the process and of the machine.
pub trait Ledger: Send + Sync {
    /// The secret that ids of requests are derived from; the same for the ledger's whole life.
    fn key(&self) -> Result<Key, Error>;

    /// A number that is another one after each change of grants or denials, by anybody.
    ///
    /// Asked for at every check that depends on the ledger, so it has to be cheap.
    fn mark(&self) -> Result<u64, Error>;

    /// What changed after `since`, the [`at`](Changes::at) of an earlier answer; 0 for all.
    fn changes(&self, since: u64) -> Result<Changes, Error>;

    /// Adds a grant, and settles the request that it answers.
    fn add(&self, grant: &Grant, answers: Option<&RequestId>) -> Result<(), Error>;

    /// Takes a grant away and says what it was; none where it is not there any more.
    fn revoke(&self, id: &GrantId) -> Result<Option<Grant>, Error>;

    /// Uses up one permit of a counted grant; false where none is left, it has ended or is gone.
    fn take(&self, id: &GrantId, now: Timestamp) -> Result<bool, Error>;

    /// Notes that something was asked for and not given. What is there already is counted, and is
    /// open again where it had been granted.
    fn record(&self, request: &RecordedRequest) -> Result<(), Error>;

    /// Decides that a request is not to be asked about again; none where there is none.
    fn deny(&self, id: &RequestId) -> Result<Option<RecordedRequest>, Error>;

    /// One request.
    fn request(&self, id: &RequestId) -> Result<Option<RecordedRequest>, Error>;

    /// All requests, the latest first.
    fn requests(&self) -> Result<Vec<RecordedRequest>, Error>;

    /// All grants, the latest first.
    fn grants(&self) -> Result<Vec<Grant>, Error>;

    /// Whether others can change it, so that one who waits has to look from time to time.
    fn is_shared(&self) -> bool;
}

/// What is different in a ledger since it was last read.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    /// Where to go on from next time.
    pub at: u64,
    /// This is everything: forget what was known.
    pub whole: bool,
    /// New grants, and those that are different now.
    pub grants: Vec<Grant>,
    /// Grants that are no more.
    pub gone: Vec<GrantId>,
    /// Requests that were decided or opened again, and which of the two.
    pub requests: Vec<(RequestId, RequestStatus)>,
}

/// Something that a tool asked for and did not get.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedRequest {
    /// What to grant or deny it by.
    pub id: RequestId,
    /// The narrowest capability that would do.
    pub capability: Capability,
    /// Whose tool asked; hostile text.
    pub tool: Arc<str>,
    /// Where.
    pub sandbox: Arc<str>,
    /// When it was asked for at first.
    pub first: Timestamp,
    /// When it was last noted. A loop in a run is noted once.
    pub last: Timestamp,
    /// How often it was noted.
    pub times: u32,
    /// What became of it.
    pub status: RequestStatus,
}

/// What became of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RequestStatus {
    /// Nobody has decided.
    Open,
    /// Something was granted for it.
    Granted,
    /// Not to be asked about again.
    Denied,
}

impl RequestStatus {
    /// The word for it.
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
