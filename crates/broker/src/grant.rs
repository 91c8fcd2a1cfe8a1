//! Grants, and the [`Terms`] from which they are made.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use cofferdam_caps::{Capability, visible};

use crate::error::{Error, ErrorKind};
use crate::id::GrantId;
use crate::secret::{BadHeader, SecretHeaders};
use crate::timestamp::Timestamp;

/// Longest lifetime of a [`Span::Session`] grant in a ledger.
///
/// A process that is killed cannot remove its grants, so they expire.
pub const MAX_SESSION: Duration = Duration::from_secs(12 * 60 * 60);

/// Longest name of a tool, a sandbox or a person, in bytes.
pub const MAX_LABEL: usize = 256;

/// Lifetime of a grant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Span {
    /// For one permit; for a declared capability, for one run.
    Once,
    /// For the lifetime of the sandbox in which it was granted; in a ledger at most
    /// [`MAX_SESSION`].
    ///
    /// The word is the one a person chooses at a prompt or as `--session`. It does not mean a
    /// kept cell, which is also called a session: ending one leaves the grant in force.
    Session,
    /// Until the grant is revoked.
    Always,
}

/// The tool and sandbox that may use a grant; by default any.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Holder {
    /// Limits the grant to the tool of this name. Whoever names a tool chooses its grants.
    pub tool: Option<Arc<str>>,
    /// Limits the grant to this sandbox.
    pub sandbox: Option<Arc<str>>,
}

/// A granted capability: its lifetime, its holder, and who granted it when.
///
/// A value of this type allows nothing. Only a grant that a ledger or the
/// [`Permissions`](crate::Permissions) of a sandbox hold counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// Id by which the grant can be revoked.
    pub id: GrantId,
    /// Capability that is granted.
    pub capability: Capability,
    /// Lifetime of the grant.
    pub span: Span,
    /// Tool and sandbox that may use the grant.
    pub holder: Holder,
    /// Person who made the grant.
    pub by: Arc<str>,
    /// Time at which the grant was made.
    pub at: Timestamp,
    /// Time at which the grant expires.
    pub expires: Option<Timestamp>,
    /// Permits left, if their number is limited.
    pub uses: Option<u32>,
    /// Headers that the host adds to requests.
    pub headers: SecretHeaders,
}

/// Terms of a grant to be made; see [`Broker::grant`](crate::Broker::grant).
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
    /// Creates terms for every tool and sandbox, with no limit but the span.
    pub fn new(capability: Capability, span: Span) -> Self {
        let (holder, headers) = (Holder::default(), SecretHeaders::default());
        Self { capability, span, holder, by: Arc::from(""), lasts: None, uses: None, headers }
    }

    /// Replaces the capability.
    pub fn with_capability(mut self, capability: Capability) -> Self {
        self.capability = capability;
        self
    }

    /// Limits the grant to one tool.
    pub fn for_tool(mut self, name: &str) -> Self {
        self.holder.tool = Some(name.into());
        self
    }

    /// Limits the grant to one sandbox.
    pub fn for_sandbox(mut self, id: &str) -> Self {
        self.holder.sandbox = Some(id.into());
        self
    }

    /// Names the person who makes the grant.
    pub fn by(mut self, who: &str) -> Self {
        self.by = who.into();
        self
    }

    /// Sets the time after which the grant expires.
    pub fn expires_in(mut self, time: Duration) -> Self {
        self.lasts = Some(time);
        self
    }

    /// Sets the number of permits after which the grant ends.
    pub fn max(mut self, uses: u32) -> Self {
        self.uses = Some(uses);
        self
    }

    /// Adds a header that the host sends with each request.
    ///
    /// Requires a capability that names a single origin.
    pub fn header(mut self, name: &str, value: &str) -> Result<Self, BadHeader> {
        self.headers.set(name, value)?;
        Ok(self)
    }

    /// Returns the capability.
    pub fn capability(&self) -> &Capability {
        &self.capability
    }

    /// Returns the lifetime.
    pub fn span(&self) -> Span {
        self.span
    }

    /// Validates the terms and makes the grant.
    pub(crate) fn sign(self, id: GrantId, now: Timestamp, kept: Kept) -> Result<Grant, Error> {
        let bad = |reason: &str| Err(Error::new(ErrorKind::BadGrant, &self.capability, reason));
        let labels = [self.holder.tool.as_ref(), self.holder.sandbox.as_ref(), Some(&self.by)];
        if labels.into_iter().flatten().any(|label| label.len() > MAX_LABEL) {
            return bad("names of tools, sandboxes and people are limited to 256 bytes");
        }
        if self.uses == Some(0) {
            return bad("a grant must allow at least one use");
        }
        if self.span == Span::Once && self.uses.is_some_and(|uses| uses != 1) {
            return bad("once allows a single use; omit the number");
        }
        if !self.headers.is_empty() && !names_an_origin(&self.capability) {
            return bad("a grant with headers must name a single origin");
        }
        let lasts = match (self.span, kept) {
            (Span::Session, Kept::InLedger) => {
                if self.holder.sandbox.is_none() {
                    return bad("a session grant must name its sandbox");
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

/// Place where a grant is kept.
#[derive(Clone, Copy)]
pub(crate) enum Kept {
    InLedger,
    InMemory,
}

fn names_an_origin(capability: &Capability) -> bool {
    matches!(capability, Capability::Network(network) if network.origin().is_some())
}

impl Grant {
    /// Returns true if the grant has not expired at `now`.
    pub fn lives_at(&self, now: Timestamp) -> bool {
        self.expires.is_none_or(|end| now < end)
    }
}

/// Writes one line for a list, without the headers.
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
    /// Every span, shortest first.
    pub const ALL: [Self; 3] = [Self::Once, Self::Session, Self::Always];

    /// Returns the word that command line and store use.
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
            "fs:read: once allows a single use; omit the number",
        );
        check_refused(
            terms("fs:read", Span::Always).max(0),
            "fs:read: a grant must allow at least one use",
        );
    }

    #[test]
    fn session_in_a_ledger_ends_by_itself() {
        let session = terms("fs:read", Span::Session);
        check_refused(session.clone(), "fs:read: a session grant must name its sandbox");
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
