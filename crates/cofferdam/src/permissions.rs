//! Grants, requests, questions and the audit log, as an embedding program uses them. See
//! [`Sandbox::permissions`](crate::Sandbox::permissions).
//!
//! Absent on purpose: permits and the desks that make them. Only the kernel and the supervisor of
//! native programs hold those.

pub use cofferdam_broker::{
    Answer, Approver, BadHeader, BadId, Bounds, Broker, Changes, Choice, Cost, Decision, Denial,
    Discard, Error, ErrorKind, Event, FolderMode, FromOutside, Grant, GrantId, Holder, HostFolder,
    HostFolders, InMemory, Key, Ledger, Level, Line, MAX_REASON, Obstacle, Offered, Part,
    PermissionError, Permissions, Place, Question, QuestionId, Reason, RecordedRequest, RequestId,
    RequestKeys, RequestStatus, Risk, Ruling, RunId, Seal, SecretHeaders, Setup, Sink, Span, Terms,
    Timestamp, Usual, Wish, grant_key, identity, shortened, shown_identity,
};
