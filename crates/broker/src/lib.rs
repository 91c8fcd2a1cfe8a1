//! Grants, requests and the audit log; the only source of permits.
//!
//! A [`Broker`] turns each [`Action`] of a run into a [`Permit`], a [`Denial`] that says what to
//! grant, or a [`Question`] for a person. A function that touches a resource takes a `Permit` by
//! value and its target from it; only a [`Desk`] can create one.
//!
//! Absent on purpose: I/O (a [`Ledger`] and a [`Sink`] do it), an executor, a thread per waiting
//! run, and any way for a guest to make a grant, to answer a question, or to read the headers of
//! a grant. If ledger or log fail, requests are denied.
//!
//! In reading order:
//!
//! - [`Broker`], [`Permissions`], [`Desk`]: of a process, a sandbox, a run; a [`Desk`] returns a
//!   [`Verdict`]
//! - [`Action`], [`Permit`], [`Denial`], [`PermissionError`]: the verdict, and a denial as the guest sees it
//! - [`Terms`], [`Grant`], [`Span`], [`SecretHeaders`]: grants and their lifetime
//! - [`Approver`], [`Question`], [`Answer`], [`Risk`], [`Waiting`], [`Place`]: decisions by a person
//! - [`HostFolders`]: real folders behind the paths of a sandbox
//! - [`Declaration`]: capabilities that a tool says it needs
//! - [`identity`], [`shown_identity`]: tools and scripts, by name and source
//! - [`Ledger`], [`RecordedRequest`], [`InMemory`]: data that outlives a run; [`Part`],
//!   [`RequestKeys`]: the part of many grants that a request needs
//! - [`Line`], [`Sink`]: the audit log
//!
//! ```
//! use std::sync::Arc;
//! use cofferdam_broker::{Broker, InMemory, Span, Terms, Verdict};
//! use cofferdam_caps::{Access, CapabilitySet, Request};
//!
//! let memory = Arc::new(InMemory::new()?);
//! let broker = Broker::setup(memory.clone(), memory).open()?;
//! let permissions = broker.permissions("sandbox-1", &CapabilitySet::default());
//! let desk = permissions.desk("run-1", "report.js");
//!
//! let request = Request::Fs { access: Access::Read, path: "/data/a.txt".parse()? };
//! let Verdict::Denied(denial) = desk.check(&request) else { panic!("nothing was granted") };
//! assert_eq!(denial.error().required_permission(), "fs:read:/data/a.txt");
//!
//! permissions.grant(Terms::new("fs:read:/data/**".parse()?, Span::Session).by("alice"))?;
//! let Verdict::Permit(permit) = desk.check(&request) else { panic!("it was granted") };
//! assert_eq!(permit.request(), &request);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod audit;
mod audit_buffer;
mod bounds;
mod broker;
mod code;
mod declaration;
mod denial;
mod desk;
mod error;
mod find;
mod grant;
mod grant_index;
mod granted;
mod held_grant;
mod host_folders;
mod id;
mod identity;
mod ledger;
mod ledger_cache;
mod memory;
mod open_question;
mod particulars;
mod permissions;
mod permit;
mod place;
mod question;
mod risk;
mod secret;
mod timestamp;
mod waiters;
mod waiting;
mod watch;

pub use audit::{Cost, Discard, Event, Line, Offered, Ruling, Sink};
pub use bounds::Bounds;
pub use broker::{Broker, Setup};
pub use declaration::{Declaration, MAX_DECLARATION_LEN, MAX_DECLARED};
pub use denial::{Denial, PermissionError, Reason};
pub use desk::{Desk, MAX_KEPT_REQUESTS, MAX_QUESTIONS, Preview, Verdict};
pub use error::{Error, ErrorKind};
pub use grant::{Grant, Holder, MAX_LABEL, MAX_SESSION, Span, Terms};
pub use grant_index::{RequestKeys, grant_key};
pub use granted::Granted;
pub use host_folders::{FolderMode, HostFolder, HostFolders};
pub use id::{BadId, GrantId, Key, QuestionId, RequestId, RunId};
pub use identity::{identity, shortened, shown_identity};
pub use ledger::{Changes, Ledger, Part, RecordedRequest, RequestStatus};
pub use memory::InMemory;
pub use particulars::{Obstacle, Particulars};
pub use permissions::Permissions;
pub use permit::{Action, Permit};
pub use place::{Place, PlaceSlot};
pub use question::{
    Answer, Approver, Choice, Decision, FromOutside, MAX_REASON, Question, Seal, Usual, Wish,
};
pub use risk::{Level, Risk};
pub use secret::{BadHeader, MAX_HEADER_LEN, MAX_HEADERS, SecretHeaders};
pub use timestamp::{Clock, Timestamp};
pub use waiting::{Waiting, WaitingForAll};
