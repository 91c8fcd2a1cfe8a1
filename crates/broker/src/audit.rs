use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::Serialize;
use serde::ser::SerializeMap;

use crate::error::{Error, ErrorKind};
use crate::timestamp::Timestamp;

/// One line of the audit log.
///
/// Holds no secret that the broker knows of: no header of a grant, and of a URL neither query
/// nor fragment, since that is where keys are. Credentials in a URL are no request at all. What
/// a tool puts into a path, a key or a name is written as it is, with hidden characters spelled
/// out.
///
/// Serialised as one JSON object without empty fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// When it happened.
    pub time: Timestamp,
    /// What happened.
    pub event: Event,
    /// Where.
    pub sandbox: Option<Arc<str>>,
    /// In which run.
    pub run: Option<Arc<str>>,
    /// For a permit, what was granted; for a denial or question, what would be needed.
    pub capability: Option<Arc<str>>,
    /// What it was about: a path, a key, a method and address, a limit.
    pub target: Option<Arc<str>>,
    /// How it was decided.
    pub ruling: Option<Ruling>,
    /// The grant, request or question that it is about.
    pub id: Option<Arc<str>>,
    /// Who decided, or why, in words.
    pub note: Option<Arc<str>>,
    /// How many there were of this line. More than one for the same denial over and over, and where
    /// a run makes calls faster than they can be written; then `time` is that of the first.
    pub times: u32,
    /// What it took.
    pub cost: Cost,
}

/// What a call or run took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cost {
    /// Time, in microseconds.
    pub micros: u64,
    /// Bytes that went through.
    pub bytes: u64,
}

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Event {
    /// A run began.
    Start,
    /// A run ended.
    End,
    /// A call was checked.
    Check,
    /// A call that was permitted is done; says what it took.
    Done,
    /// A program is about to change a file of the host.
    Change,
    /// Somebody was asked.
    Question,
    /// A question was answered or withdrawn.
    Answer,
    /// Something was granted.
    Grant,
    /// A grant was taken away.
    Revoke,
    /// A request was decided against, whoever asks again.
    Deny,
    /// A run was stopped from outside.
    Kill,
    /// A run came to a limit.
    Limit,
}

/// How it was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each variant is its name")]
pub enum Ruling {
    Permit,
    Deny,
    Ask,
}

/// Where lines of the audit log go.
pub trait Sink: Send + Sync {
    /// Takes lines to be written soon, without waiting for it.
    fn offer(&self, lines: Vec<Line>) -> Offered;

    /// Writes lines. When it returns they are there for good.
    fn commit(&self, lines: Vec<Line>) -> Result<(), Error>;

    /// Writes all that was offered.
    fn flush(&self) -> Result<(), Error>;
}

/// What became of lines that were offered.
#[derive(Debug)]
pub enum Offered {
    /// They are going to be written.
    Taken,
    /// Too many wait to be written already.
    Busy(Vec<Line>),
    /// Nothing can be written any more, and lines were lost.
    Failed(Error),
}

/// A sink that forgets. For programs that keep no log.
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
    /// A line that says nothing yet but when and what.
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

    /// Whether both would say the same but for the moment, so that one can stand for both.
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

    /// The line as JSON, without a line end.
    pub fn to_json(&self) -> String {
        // A map with text for keys cannot fail to be written.
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

/// Gives each variant its word, for printing and reading back.
macro_rules! words {
    ($type:ident: $($variant:ident = $word:literal),+ $(,)?) => {
        impl $type {
            /// All there are.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// The word for it.
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
