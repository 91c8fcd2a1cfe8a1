//! Denied requests, as the guest and as the caller see them.

use std::fmt;
use std::sync::Arc;

use cofferdam_caps::{Capability, visible};
use serde::{Deserialize, Serialize};

use crate::desk::MAX_QUESTIONS;
use crate::error::Error;
use crate::id::RequestId;
use crate::particulars::Obstacle;
use crate::place::Place;

/// The error that a guest receives for a denied call; it names the capability to grant.
///
/// Serialises to one line of JSON, which callers also find in a tool's output. An error that was
/// parsed from text ([`find_in`](Self::find_in)) may have been written by the tool itself, so it
/// proves nothing. Its texts are hostile until [`visible`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PermissionError {
    code: Code,
    required_permission: String,
    attempted_action: String,
    request_id: String,
    message: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Code {
    #[serde(rename = "PERMISSION_DENIED")]
    PermissionDenied,
}

/// A denied request: the error for the guest and the reason for the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denial {
    error: PermissionError,
    reason: Reason,
    obstacle: Option<Obstacle>,
    place: Option<Place>,
}

/// Reason for a denial.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// No grant allows the request, and there is no approver to ask.
    NotGranted,
    /// A person or an approver refused.
    Refused,
    /// A person refused and gave this reason.
    RefusedBecause(Arc<str>),
    /// The run has asked the most questions that it may ask.
    TooMany,
    /// The request violates this rule of the sandbox's [bounds](crate::Bounds); no grant would
    /// help.
    Outside(Arc<str>),
    /// The action would fail even if it were permitted, so nobody was asked.
    Hopeless(Obstacle),
    /// Grants or audit log cannot be read or written.
    ///
    /// The error is for the caller only, because it names files of the host.
    Unavailable(Error),
}

impl PermissionError {
    /// Value of [`code`](Self::code).
    pub const CODE: &'static str = "PERMISSION_DENIED";

    pub(crate) fn new(required: &Capability, id: &RequestId, reason: &Reason) -> Self {
        let action = required.describe();
        let because = match reason {
            Reason::NotGranted => format!("not granted ({id})"),
            Reason::Refused => format!("refused ({id})"),
            Reason::RefusedBecause(why) => format!("refused ({id}): {}", visible(why)),
            Reason::TooMany => {
                format!(
                    "not granted, and not asked about, because this run has asked {MAX_QUESTIONS} \
                     questions already; grant a whole folder or origin ({id})"
                )
            }
            // Omits the id: granting the request would not help.
            Reason::Outside(rule) => format!("blocked by {}", visible(rule)),
            Reason::Hopeless(obstacle) => format!("{obstacle} ({id})"),
            Reason::Unavailable(_) => format!("grants or audit log are unavailable ({id})"),
        };
        let message = format!("not allowed to {action}: {because}");
        Self {
            code: Code::PermissionDenied,
            required_permission: required.to_string(),
            attempted_action: action,
            request_id: id.to_string(),
            message,
        }
    }

    /// Returns `PERMISSION_DENIED`.
    pub fn code(&self) -> &'static str {
        match self.code {
            Code::PermissionDenied => Self::CODE,
        }
    }

    /// Returns the narrowest capability that would allow the call, in the form in which it is
    /// granted.
    pub fn required_permission(&self) -> &str {
        &self.required_permission
    }

    /// Returns a description of the required capability.
    pub fn attempted_action(&self) -> &str {
        &self.attempted_action
    }

    /// Returns the id by which the request can be granted.
    pub fn request_id(&self) -> &str {
        &self.request_id
    }

    /// Returns the whole error as a sentence.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the error as one line of JSON, without a trailing newline.
    pub fn to_json(&self) -> String {
        // Serialising strings cannot fail, and JSON escapes newlines.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Returns true if capability and request id are well-formed.
    pub(crate) fn is_plausible(&self) -> bool {
        self.required_permission.parse::<Capability>().is_ok()
            && self.request_id.parse::<RequestId>().is_ok()
    }
}

impl Denial {
    pub(crate) fn new(required: &Capability, id: &RequestId, reason: Reason) -> Self {
        let error = PermissionError::new(required, id, &reason);
        Self { error, reason, obstacle: None, place: None }
    }

    /// Adds the reason why the action would fail even with a grant. Only the caller is told: the
    /// error must not reveal to the guest what exists.
    pub(crate) fn with_obstacle(mut self, obstacle: Option<Obstacle>) -> Self {
        self.obstacle = obstacle;
        self
    }

    /// Returns the error for the guest.
    pub fn error(&self) -> &PermissionError {
        &self.error
    }

    /// Returns the place in the tool that made the request first, if the tool's engine has told it.
    pub fn place(&self) -> Option<&Place> {
        self.place.as_ref()
    }

    /// Sets the place, unless one is set.
    pub(crate) fn found_at(&mut self, place: Place) {
        self.place.get_or_insert(place);
    }

    /// Returns the error for the guest by value.
    pub fn into_error(self) -> PermissionError {
        self.error
    }

    /// Returns true if a grant would allow the request.
    pub fn can_be_granted(&self) -> bool {
        match self.reason {
            Reason::NotGranted
            | Reason::Refused
            | Reason::RefusedBecause(_)
            | Reason::TooMany
            | Reason::Unavailable(_) => true,
            Reason::Outside(_) | Reason::Hopeless(_) => false,
        }
    }

    /// Returns the reason why the action would fail even with a grant, if one is known.
    pub fn obstacle(&self) -> Option<Obstacle> {
        match self.reason {
            Reason::Hopeless(obstacle) => Some(obstacle),
            Reason::NotGranted
            | Reason::Refused
            | Reason::RefusedBecause(_)
            | Reason::TooMany
            | Reason::Outside(_)
            | Reason::Unavailable(_) => self.obstacle,
        }
    }

    /// Returns the reason, for the caller.
    pub fn reason(&self) -> &Reason {
        &self.reason
    }
}

/// Writes the message with hidden characters escaped, fit for a terminal.
impl fmt::Display for PermissionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&visible(&self.message))
    }
}

impl std::error::Error for PermissionError {}

/// Writes the error for the guest, followed by the failure of the host if there was one.
impl fmt::Display for Denial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)?;
        match &self.reason {
            Reason::Unavailable(error) => write!(f, ": {error}"),
            Reason::NotGranted
            | Reason::Refused
            | Reason::RefusedBecause(_)
            | Reason::TooMany
            | Reason::Outside(_)
            | Reason::Hopeless(_) => Ok(()),
        }
    }
}

impl std::error::Error for Denial {}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(capability: &str) -> PermissionError {
        let id = RequestId::derive(&[0; 32], &[b"x"]);
        PermissionError::new(&capability.parse().unwrap(), &id, &Reason::NotGranted)
    }

    #[test]
    fn object_has_the_names_that_callers_look_for() {
        let json = error("fs:read:/secret/key").to_json();
        let id = RequestId::derive(&[0; 32], &[b"x"]);
        assert_eq!(
            json,
            format!(
                "{{\"code\":\"PERMISSION_DENIED\",\"requiredPermission\":\"fs:read:/secret/key\",\
                 \"attemptedAction\":\"read the file /secret/key\",\"requestId\":\"{id}\",\
                 \"message\":\"not allowed to read the file /secret/key: not granted ({id})\"}}"
            )
        );
    }

    /// T-PERM-007.
    #[test]
    fn hostile_name_stays_on_one_line() {
        assert!(!error("function:call:a\nb").to_json().contains('\n'));
    }

    #[test]
    fn guest_hears_nothing_of_the_host() {
        let trouble = Error::new(crate::ErrorKind::Locked, "/home/me/grants.db", "locked");
        let id = RequestId::derive(&[0; 32], &[b"x"]);
        let reason = Reason::Unavailable(trouble);
        let denial = Denial::new(&"fs:read".parse().unwrap(), &id, reason);
        assert!(!denial.error().to_json().contains("/home"));
        assert!(denial.to_string().ends_with(": /home/me/grants.db: locked"));
    }
}
