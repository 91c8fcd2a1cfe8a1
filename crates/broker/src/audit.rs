//! The audit log: one [`Line`] per event, and the [`Sink`] that writes lines.
//!
//! The types are apart from the desks that fill them in, because a store that keeps the log needs
//! nothing else of the broker.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::Serialize;
use serde::ser::SerializeMap;

use crate::error::{Error, ErrorKind};
use crate::timestamp::Timestamp;

/// One line of the audit log.
///
/// A line contains no secret that the broker knows of: no header of a grant, and neither query
/// nor fragment of a URL, which often carry keys. A URL with credentials is rejected before it
/// becomes a request. Text that a tool puts into a path, a key or a name is written in full,
/// with hidden characters escaped.
///
/// Serialises to one JSON object and omits empty fields.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Line {
    /// Time of the event.
    pub time: Timestamp,
    /// Kind of event.
    pub event: Event,
    /// Name of the sandbox.
    pub sandbox: Option<Arc<str>>,
    /// Name of the run.
    pub run: Option<Arc<str>>,
    /// Capability that was granted for a permit; capability that a denial or question requires.
    pub capability: Option<Arc<str>>,
    /// Object of the event: a path, a key, a method and URL, a limit.
    pub target: Option<Arc<str>>,
    /// Decision, if the event has one.
    pub ruling: Option<Ruling>,
    /// Id of the grant, request or question concerned.
    pub id: Option<Arc<str>>,
    /// Person who decided, or the reason, as text.
    pub note: Option<Arc<str>>,
    /// Number of events that this line stands for; `time` is that of the first.
    ///
    /// Exceeds one if the same denial is repeated, or if a run makes calls faster than the log can
    /// be written.
    pub times: u32,
    /// Time and bytes used.
    pub cost: Cost,
}

/// Time and bytes that a call or run used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cost {
    /// Duration in microseconds.
    pub micros: u64,
    /// Bytes transferred.
    pub bytes: u64,
}

/// Kind of event in the audit log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Event {
    /// A run began.
    Start,
    /// A run ended.
    End,
    /// A call was checked.
    Check,
    /// A permitted call finished; the line has its cost.
    Done,
    /// A program is about to change a file of the host.
    Change,
    /// An approver was asked.
    Question,
    /// A question was answered or withdrawn.
    Answer,
    /// Something was granted.
    Grant,
    /// A grant was revoked.
    Revoke,
    /// A recorded request was denied for good.
    Deny,
    /// A run was stopped by the caller.
    Kill,
    /// A run reached a limit.
    Limit,
}

/// Decision that an audit line reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each variant is its name")]
pub enum Ruling {
    Permit,
    Deny,
    Ask,
}

/// Destination of audit lines.
pub trait Sink: Send + Sync {
    /// Queues lines to be written soon and returns without waiting.
    fn offer(&self, lines: Vec<Line>) -> Offered;

    /// Writes lines durably before it returns.
    fn commit(&self, lines: Vec<Line>) -> Result<(), Error>;

    /// Writes every line that was offered.
    fn flush(&self) -> Result<(), Error>;
}

/// Result of [`Sink::offer`].
#[derive(Debug)]
pub enum Offered {
    /// The lines are queued.
    Taken,
    /// The queue is full; the lines are returned.
    Busy(Vec<Line>),
    /// The log can no longer be written, and lines were lost.
    Failed(Error),
}

/// A sink that discards every line, for embedders that keep no log.
#[derive(Debug, Clone, Copy, Default)]
pub struct Discard;

impl Sink for Discard {
    fn offer(&self, _: Vec<Line>) -> Offered {
        Offered::Taken
    }

    fn commit(&self, _: Vec<Line>) -> Result<(), Error> {
        Ok(())
    }

    fn flush(&self) -> Result<(), Error> {
        Ok(())
    }
}

impl Line {
    /// Creates a line with all optional fields empty.
    pub fn new(time: Timestamp, event: Event) -> Self {
        Self {
            time,
            event,
            sandbox: None,
            run: None,
            capability: None,
            target: None,
            ruling: None,
            id: None,
            note: None,
            times: 1,
            cost: Cost::default(),
        }
    }

    /// Returns true if the lines differ only in time, count and cost, so that one can stand for
    /// both.
    pub(crate) fn says_the_same(&self, other: &Self) -> bool {
        let same = |a: &Option<Arc<str>>, b: &Option<Arc<str>>| match (a, b) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b) || a == b,
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        };
        self.event == other.event
            && self.ruling == other.ruling
            && same(&self.target, &other.target)
            && same(&self.capability, &other.capability)
            && same(&self.run, &other.run)
            && same(&self.sandbox, &other.sandbox)
            && same(&self.id, &other.id)
            && same(&self.note, &other.note)
    }

    /// Returns the line as JSON, without a trailing newline.
    pub fn to_json(&self) -> String {
        // Serialising a map with string keys into a string cannot fail.
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl Serialize for Line {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("time", &self.time.to_string())?;
        map.serialize_entry("event", self.event.name())?;
        for (key, text) in [
            ("sandbox", &self.sandbox),
            ("run", &self.run),
            ("capability", &self.capability),
            ("target", &self.target),
        ] {
            text.iter().try_for_each(|text| map.serialize_entry(key, &**text))?;
        }
        self.ruling.iter().try_for_each(|r| map.serialize_entry("verdict", r.name()))?;
        for (key, text) in [("id", &self.id), ("note", &self.note)] {
            text.iter().try_for_each(|text| map.serialize_entry(key, &**text))?;
        }
        if self.times != 1 {
            map.serialize_entry("times", &self.times)?;
        }
        for (key, number) in [("micros", self.cost.micros), ("bytes", self.cost.bytes)] {
            if number != 0 {
                map.serialize_entry(key, &number)?;
            }
        }
        map.end()
    }
}

/// Implements `ALL`, `name`, `Display` and `FromStr` for an enum from its list of words.
macro_rules! words {
    ($type:ident: $($variant:ident = $word:literal),+ $(,)?) => {
        impl $type {
            /// Every variant.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// Returns the word that the log uses.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }

        impl FromStr for $type {
            type Err = Error;

            fn from_str(text: &str) -> Result<Self, Error> {
                let found = Self::ALL.iter().copied().find(|one| one.name() == text);
                let known = [$($word),+].join(", ");
                found.ok_or_else(|| {
                    Error::new(ErrorKind::NotFound, text, format!("not one of {known}"))
                })
            }
        }
    };
}

words!(Event: Start = "start", End = "end", Check = "check", Done = "done", Change = "change", Question = "question",
    Answer = "answer", Grant = "grant", Revoke = "revoke", Deny = "deny", Kill = "kill",
    Limit = "limit");
words!(Ruling: Permit = "permit", Deny = "deny", Ask = "ask");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_is_one_object_without_empty_fields() {
        let mut line = Line::new(Timestamp::from_micros(0), Event::Check);
        line.sandbox = Some("s".into());
        line.target = Some("/a\nb".into());
        line.ruling = Some(Ruling::Deny);
        line.cost.bytes = 3;
        assert_eq!(
            line.to_json(),
            r#"{"time":"1970-01-01T00:00:00.000000Z","event":"check","sandbox":"s","target":"/a\nb","verdict":"deny","bytes":3}"#
        );
    }

    #[test]
    fn words_read_back() {
        assert!(Event::ALL.iter().all(|event| event.name().parse() == Ok(*event)));
        assert!(Ruling::ALL.iter().all(|ruling| ruling.name().parse() == Ok(*ruling)));
        let error = "x".parse::<Ruling>().unwrap_err();
        assert_eq!(error.to_string(), "x: not one of permit, deny, ask");
    }
}
