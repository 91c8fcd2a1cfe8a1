use std::fmt;
use std::sync::Arc;

use cofferdam_caps::{Capability, visible};
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::id::RequestId;

/// What the guest is told, and what a caller finds in its output: exactly what to grant.
///
/// Written as one line of JSON. One that was found in a text ([`find_in`](Self::find_in)) was
/// perhaps written by a tool: it says what somebody wants, and proves nothing. Its texts are
/// hostile until [`visible`].
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

/// The answer no, for the guest and for the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denial {
    error: PermissionError,
    reason: Reason,
}

/// Why not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// Nothing that was granted allows it, and nobody could be asked.
    NotGranted,
    /// Somebody said no.
    Refused,
    /// The run has asked for more different things than anybody would read.
    TooMany,
    /// It lies outside of what the sandbox is [bounded](crate::Bounds) to, by this rule: no grant
    /// would help.
    Outside(Arc<str>),
    /// Grants or audit log cannot be read or written. For the caller's eyes: it names files.
    Unavailable(Error),
}

impl PermissionError {
    /// What [`code`](Self::code) always is.
    pub const CODE: &'static str = "PERMISSION_DENIED";

    pub(crate) fn new(required: &Capability, id: &RequestId, reason: &Reason) -> Self {
        let action = required.describe();
        let because = match reason {
            Reason::NotGranted => format!("not granted ({id})"),
            Reason::Refused => format!("refused ({id})"),
            Reason::TooMany => {
                format!("not granted, and the run has asked for too much to ask again ({id})")
            }
            // Without the id: whoever grants it is none the better for it.
            Reason::Outside(rule) => format!("outside of {}", visible(rule)),
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

    /// `PERMISSION_DENIED`.
    pub fn code(&self) -> &'static str {
        match self.code {
            Code::PermissionDenied => Self::CODE,
        }
    }

    /// The narrowest capability that would do, as it is granted.
    pub fn required_permission(&self) -> &str {
        &self.required_permission
    }

    /// The same in words.
    pub fn attempted_action(&self) -> &str {
        &self.attempted_action
    }

    /// What to grant it by.
    pub fn request_id(&self) -> &str {
        &self.request_id
    }

    /// All of it in a sentence.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The object as one line, without a line end.
    pub fn to_json(&self) -> String {
        // Text fields cannot fail to be written, and JSON has no bare line ends.
        serde_json::to_string(self).unwrap_or_default()
    }

    pub(crate) fn is_plausible(&self) -> bool {
        self.required_permission.parse::<Capability>().is_ok()
            && self.request_id.parse::<RequestId>().is_ok()
    }
}

impl Denial {
    pub(crate) fn new(required: &Capability, id: &RequestId, reason: Reason) -> Self {
        Self { error: PermissionError::new(required, id, &reason), reason }
    }

    /// For the guest.
    pub fn error(&self) -> &PermissionError {
        &self.error
    }

    /// For the guest, by value.
    pub fn into_error(self) -> PermissionError {
        self.error
    }

    /// For the caller.
    pub fn reason(&self) -> &Reason {
        &self.reason
    }
}

/// Fit for a terminal.
impl fmt::Display for PermissionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&visible(&self.message))
    }
}

impl std::error::Error for PermissionError {}

/// As for the guest, with the host's own trouble behind it.
impl fmt::Display for Denial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)?;
        match &self.reason {
            Reason::Unavailable(error) => write!(f, ": {error}"),
            Reason::NotGranted | Reason::Refused | Reason::TooMany | Reason::Outside(_) => Ok(()),
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
