//! Grants, requests, questions and the audit log, as an embedding program uses them. See
//! [`Sandbox::permissions`](crate::Sandbox::permissions).
//!
//! Absent on purpose: permits and the desks that make them. Only the kernel holds those.

pub use cofferdam_broker::{
    Answer, Approver, BadHeader, BadId, Bounds, Broker, Changes, Choice, Cost, Decision, Discard,
    Error, ErrorKind, Event, FromOutside, Grant, GrantId, Holder, InMemory, Key, Ledger, Level,
    Line, Offered, PermissionError, Permissions, Question, QuestionId, RecordedRequest, RequestId,
    RequestStatus, Risk, Ruling, SecretHeaders, Setup, Sink, Span, Terms, Timestamp, Wish,
};
