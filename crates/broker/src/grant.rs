use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use cofferdam_caps::{Capability, visible};

use crate::error::{Error, ErrorKind};
use crate::id::GrantId;
use crate::secret::{BadHeader, SecretHeaders};
use crate::timestamp::Timestamp;

/// Longest a session grant in a ledger lives: nobody is there to end the session when a process
/// is killed.
pub const MAX_SESSION: Duration = Duration::from_secs(12 * 60 * 60);

/// Longest name of a tool, a sandbox or a person, in bytes.
pub const MAX_LABEL: usize = 256;

/// How long a grant is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Span {
    /// For one permit.
    Once,
    /// For the lifetime of the sandbox in which it was granted; in a ledger at most
    /// [`MAX_SESSION`].
    ///
    /// The word is the one a person chooses at a prompt or as `--session`. It does not mean a
    /// kept cell, which is also called a session: ending one leaves the grant in force.
    Session,
    /// Until it is revoked.
    Always,
}

/// Whom a grant is for. Everybody by default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Holder {
    /// The tool of this name only; whoever chooses a tool's name chooses its grants.
    pub tool: Option<Arc<str>>,
    /// This sandbox only.
    pub sandbox: Option<Arc<str>>,
}

/// A capability given: for how long, to whom, by whom and when.
///
/// A value of this type allows nothing. Only a grant that a ledger or the
/// [`Permissions`](crate::Permissions) of a sandbox hold counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// What to revoke it by.
    pub id: GrantId,
    /// What may be done.
    pub capability: Capability,
    /// For how long.
    pub span: Span,
    /// By whom it may be used.
    pub holder: Holder,
    /// Who gave it.
    pub by: Arc<str>,
    /// When it was given.
    pub at: Timestamp,
    /// When it ends, at the latest.
    pub expires: Option<Timestamp>,
    /// Permits left, where they are counted.
    pub uses: Option<u32>,
    /// What the host adds to requests.
    pub headers: SecretHeaders,
}

/// What somebody wants to give; see [`Broker::grant`](crate::Broker::grant).
#[derive(Debug, Clone)]
pub struct Terms {
    capability: Capability,
    span: Span,
    holder: Holder,
    by: Arc<str>,
    lasts: Option<Duration>,
    uses: Option<u32>,
    headers: SecretHeaders,
}

impl Terms {
    /// The capability for everybody, by nobody in particular, without an end but the span's.
    pub fn new(capability: Capability, span: Span) -> Self {
        let (holder, headers) = (Holder::default(), SecretHeaders::default());
        Self { capability, span, holder, by: Arc::from(""), lasts: None, uses: None, headers }
    }

    /// Another capability in place of the one it was made for.
    pub fn with_capability(mut self, capability: Capability) -> Self {
        self.capability = capability;
        self
    }

    /// For this tool only.
    pub fn for_tool(mut self, name: &str) -> Self {
        self.holder.tool = Some(name.into());
        self
    }

    /// For this sandbox only.
    pub fn for_sandbox(mut self, id: &str) -> Self {
        self.holder.sandbox = Some(id.into());
        self
    }

    /// Who gives it.
    pub fn by(mut self, who: &str) -> Self {
        self.by = who.into();
        self
    }

    /// Ends after this time.
    pub fn expires_in(mut self, time: Duration) -> Self {
        self.lasts = Some(time);
        self
    }

    /// Ends after this many permits.
    pub fn max(mut self, uses: u32) -> Self {
        self.uses = Some(uses);
        self
    }

    /// Sent by the host with each request; for a capability that names one origin only.
    pub fn header(mut self, name: &str, value: &str) -> Result<Self, BadHeader> {
        self.headers.set(name, value)?;
        Ok(self)
    }

    /// What is given.
    pub fn capability(&self) -> &Capability {
        &self.capability
    }

    /// For how long.
    pub fn span(&self) -> Span {
        self.span
    }

    pub(crate) fn sign(self, id: GrantId, now: Timestamp, kept: Kept) -> Result<Grant, Error> {
        let bad = |reason: &str| Err(Error::new(ErrorKind::BadGrant, &self.capability, reason));
        let labels = [self.holder.tool.as_ref(), self.holder.sandbox.as_ref(), Some(&self.by)];
        if labels.into_iter().flatten().any(|label| label.len() > MAX_LABEL) {
            return bad("the name of a tool, a sandbox or a person has 256 bytes at most");
        }
        if self.uses == Some(0) {
            return bad("a grant is good for one permit at least");
        }
        if self.span == Span::Once && self.uses.is_some_and(|uses| uses != 1) {
            return bad("once is one permit, leave the number away");
        }
        if !self.headers.is_empty() && !names_an_origin(&self.capability) {
            return bad("headers go to one origin, so the grant has to name one");
        }
        let lasts = match (self.span, kept) {
            (Span::Session, Kept::InLedger) => {
                if self.holder.sandbox.is_none() {
                    return bad("a grant for a session names its sandbox");
                }
                Some(self.lasts.unwrap_or(MAX_SESSION).min(MAX_SESSION))
            }
            (Span::Session, Kept::InMemory) | (Span::Once | Span::Always, _) => self.lasts,
        };
        Ok(Grant {
            id,
            capability: self.capability,
            span: self.span,
            holder: self.holder,
            by: self.by,
            at: now,
            expires: lasts.map(|time| now.after(time)),
            uses: if self.span == Span::Once { Some(1) } else { self.uses },
            headers: self.headers,
        })
    }
}

/// Where a grant is going to be.
#[derive(Clone, Copy)]
pub(crate) enum Kept {
    InLedger,
    InMemory,
}

fn names_an_origin(capability: &Capability) -> bool {
    matches!(capability, Capability::Network(network) if network.origin().is_some())
}

impl Grant {
    /// Whether it has not ended by the clock.
    pub fn lives_at(&self, now: Timestamp) -> bool {
        self.expires.is_none_or(|end| now < end)
    }
}

/// One line for a list, without what the host adds to requests.
impl fmt::Display for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.id, self.span, visible(&self.capability.to_string()))?;
        if let Some(tool) = &self.holder.tool {
            write!(f, " for {}", visible(tool))?;
        }
        if let Some(sandbox) = &self.holder.sandbox {
            write!(f, " in {}", visible(sandbox))?;
        }
        if let (Some(uses), Span::Session | Span::Always) = (self.uses, self.span) {
            write!(f, " {uses} left")?;
        }
        match self.expires {
            Some(end) => write!(f, " until {end}"),
            None => Ok(()),
        }
    }
}

impl Span {
    /// Every span, from the shortest.
    pub const ALL: [Self; 3] = [Self::Once, Self::Session, Self::Always];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Once => "once",
            Self::Session => "session",
            Self::Always => "always",
        }
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Span {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let span = Self::ALL.into_iter().find(|span| span.name() == text);
        span.ok_or_else(|| Error::new(ErrorKind::BadGrant, text, "not once, session or always"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(capability: &str, span: Span) -> Terms {
        Terms::new(capability.parse().unwrap(), span)
    }

    fn sign(terms: Terms) -> Result<Grant, Error> {
        terms.sign(GrantId::derive(&[0; 32], &[]), Timestamp::from_micros(5), Kept::InLedger)
    }

    fn check_refused(terms: Terms, expect: &str) {
        assert_eq!(sign(terms).unwrap_err().to_string(), expect);
    }

    #[test]
    fn once_is_one_permit() {
        assert_eq!(sign(terms("fs:read", Span::Once)).unwrap().uses, Some(1));
        check_refused(
            terms("fs:read", Span::Once).max(2),
            "fs:read: once is one permit, leave the number away",
        );
        check_refused(
            terms("fs:read", Span::Always).max(0),
            "fs:read: a grant is good for one permit at least",
        );
    }

    #[test]
    fn session_in_a_ledger_ends_by_itself() {
        let session = terms("fs:read", Span::Session);
        check_refused(session.clone(), "fs:read: a grant for a session names its sandbox");
        let grant = sign(session.for_sandbox("s").expires_in(Duration::MAX)).unwrap();
        assert_eq!(grant.expires, Some(Timestamp::from_micros(5).after(MAX_SESSION)));
    }

    #[test]
    fn headers_need_one_origin() {
        let with = |scope: &str| terms(scope, Span::Always).header("x-key", "v").unwrap();
        assert!(sign(with("network:fetch:https://a.example/v1/**")).is_ok());
        for scope in ["network:fetch", "network:fetch:https://*.a.example", "fs:read"] {
            assert!(sign(with(scope)).is_err(), "{scope}");
        }
    }

    #[test]
    fn expiry_is_counted_from_now() {
        let grant =
            sign(terms("fs:read", Span::Always).expires_in(Duration::from_secs(1))).unwrap();
        assert!(grant.lives_at(Timestamp::from_micros(1_000_004)));
        assert!(!grant.lives_at(Timestamp::from_micros(1_000_005)));
    }

    #[test]
    fn line_hides_nothing_and_shows_no_secret() {
        let terms = terms("network:fetch:https://a.example", Span::Always).for_tool("a\u{202e}b");
        let grant = sign(terms.header("x-key", "s3cr3t").unwrap().max(3)).unwrap();
        let line = grant.to_string();
        assert!(line.ends_with(r" always network:fetch:https://a.example for a\u{202e}b 3 left"));
        assert!(!format!("{line}{grant:?}").contains("s3cr3t"));
    }
}
