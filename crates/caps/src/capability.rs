//! [`Capability`], the sum of all areas, and the questions that can be asked of any of them.

use std::fmt;
use std::str::FromStr;

use crate::MAX_CAPABILITY_LEN;
use crate::dom::Dom;
use crate::env::Env;
use crate::error::{Error, ErrorKind};
use crate::fs::Fs;
use crate::function::Function;
use crate::kind::{Access, Kind};
use crate::network::{FetchUrl, Network, Origin};
use crate::process::Process;
use crate::request::Request;
use crate::scope::Covers;
use crate::state::State;
use crate::storage::{Storage, StorageArea};
use crate::text;

/// Permission for one kind of operation: `network:fetch:GET@https://api.example.com/v1/*`.
///
/// Parsed with [`FromStr`], which rejects unknown names. Displayed in canonical form: equal
/// capabilities print alike, and printed text parses back to an equal capability.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "each variant is documented by its content")]
pub enum Capability {
    Dom(Dom),
    Env(Env),
    Fs(Fs),
    Function(Function),
    Network(Network),
    Process(Process),
    State(State),
    Storage(Storage),
}

/// Operations common to all areas of capabilities, whatever the type of their scope.
pub(crate) trait Area: fmt::Display {
    fn kind(&self) -> Kind;
    fn describe(&self) -> String;
}

impl Capability {
    /// Returns true if a holder of this capability may perform `request`.
    ///
    /// For the network this is only half of the check: an address that is not public also requires
    /// [`names_origin`](Self::names_origin) to hold for the same capability.
    pub fn allows(&self, request: &Request) -> bool {
        self.covers(&request.required())
    }

    /// Returns true if this capability allows every request that `other` allows.
    ///
    /// This is a partial order on the text of the scopes. It has no false positives, but it can
    /// return false for patterns that nest only by coincidence. To decide whether a holder may
    /// delegate `other`, use [`may_hand_on`](Self::may_hand_on).
    pub fn covers(&self, other: &Self) -> bool {
        match self {
            Self::Dom(mine) => matches!(other, Self::Dom(theirs) if mine.covers(theirs)),
            Self::Env(mine) => matches!(other, Self::Env(theirs) if mine.covers(theirs)),
            Self::Fs(mine) => matches!(other, Self::Fs(theirs) if mine.covers(theirs)),
            Self::Function(mine) => matches!(other, Self::Function(theirs) if mine.covers(theirs)),
            Self::Network(mine) => matches!(other, Self::Network(theirs) if mine.covers(theirs)),
            Self::Process(mine) => matches!(other, Self::Process(theirs) if mine.covers(theirs)),
            Self::State(mine) => matches!(other, Self::State(theirs) if mine.covers(theirs)),
            Self::Storage(mine) => matches!(other, Self::Storage(theirs) if mine.covers(theirs)),
        }
    }

    /// Returns true if a holder of this capability may delegate `other` without giving away
    /// authority that the holder lacks.
    /// Stricter than [`covers`](Self::covers): `network:fetch` covers
    /// `network:fetch:http://127.0.0.1`, but only the latter reaches loopback.
    pub fn may_hand_on(&self, other: &Self) -> bool {
        let named = other.origin();
        self.covers(other) && (named.is_none() || named == self.origin())
    }

    /// Returns true if the scope names exactly the origin of `url`: its scheme, host and port,
    /// without wildcards.
    ///
    /// Only such a capability reaches loopback, private, link-local and metadata addresses.
    pub fn names_origin(&self, url: &FetchUrl) -> bool {
        self.origin() == Some(url.origin())
    }

    fn origin(&self) -> Option<&Origin> {
        match self {
            Self::Network(network) => network.origin(),
            Self::Dom(_)
            | Self::Env(_)
            | Self::Fs(_)
            | Self::Function(_)
            | Self::Process(_)
            | Self::State(_)
            | Self::Storage(_) => None,
        }
    }

    /// Returns the kind of this capability, without its scope.
    pub fn kind(&self) -> Kind {
        self.area().kind()
    }

    /// Describes this capability in words for a person: `read files below /data`.
    ///
    /// The text is safe to show: names that could be mistaken for part of the sentence are quoted,
    /// and hidden characters are made [`visible`](crate::visible).
    pub fn describe(&self) -> String {
        self.area().describe()
    }

    fn area(&self) -> &dyn Area {
        match self {
            Self::Dom(area) => area,
            Self::Env(area) => area,
            Self::Fs(area) => area,
            Self::Function(area) => area,
            Self::Network(area) => area,
            Self::Process(area) => area,
            Self::State(area) => area,
            Self::Storage(area) => area,
        }
    }

    fn parse(kind: Kind, scope: Option<&str>) -> Result<Self, Error> {
        use Access::{Read, Write};
        use StorageArea::{Local, Session};
        Ok(match kind {
            Kind::DomRead => Self::Dom(Dom::parse(Read, scope)?),
            Kind::DomWrite => Self::Dom(Dom::parse(Write, scope)?),
            Kind::EnvRead => Self::Env(Env::parse(scope)?),
            Kind::FsRead => Self::Fs(Fs::parse(Read, scope)?),
            Kind::FsWrite => Self::Fs(Fs::parse(Write, scope)?),
            Kind::FunctionCall => Self::Function(Function::parse(scope)?),
            Kind::NetworkFetch => Self::Network(Network::parse(scope)?),
            Kind::ProcessExec => Self::Process(Process::parse(scope)?),
            Kind::StateRead => Self::State(State::parse(Read, scope)?),
            Kind::StateWrite => Self::State(State::parse(Write, scope)?),
            Kind::StorageLocalRead => Self::Storage(Storage::parse(Local, Read, scope)?),
            Kind::StorageLocalWrite => Self::Storage(Storage::parse(Local, Write, scope)?),
            Kind::StorageSessionRead => Self::Storage(Storage::parse(Session, Read, scope)?),
            Kind::StorageSessionWrite => Self::Storage(Storage::parse(Session, Write, scope)?),
        })
    }
}

impl FromStr for Capability {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let fits = |len: usize| match len > MAX_CAPABILITY_LEN {
            true => {
                let reason = format!("longer than {MAX_CAPABILITY_LEN} bytes");
                Err(Error::new(ErrorKind::TooLong, text, reason))
            }
            false => Ok(()),
        };
        fits(text.len())?;
        text::no_nul(text)?;
        let (kind, scope) = Kind::split(text)?;
        let capability = Self::parse(kind, scope).map_err(|error| error.within(text))?;
        // Percent-encoding can make the canonical form longer than the input.
        fits(capability.to_string().len())?;
        Ok(capability)
    }
}

/// Writes the canonical form, which may contain hostile text; see [`visible`](crate::visible).
impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.area().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn capability(text: &str) -> Capability {
        text.parse().unwrap_or_else(|error| panic!("{error}"))
    }

    fn check(wide: &str, narrow: &str, expect: bool) {
        assert_eq!(capability(wide).covers(&capability(narrow)), expect, "{wide} over {narrow}");
    }

    #[test]
    fn write_does_not_imply_read() {
        check("fs:write", "fs:read:/a", false);
        check("dom:write", "dom:read", false);
        check("state:read", "state:write", false);
        check("storage:local:write", "storage:local:read:k", false);
    }

    #[test]
    fn areas_do_not_cover_each_other() {
        for wide in Kind::ALL {
            for narrow in Kind::ALL {
                check(wide.name(), narrow.name(), wide == narrow);
            }
        }
    }

    #[test]
    fn kind_is_the_name_that_was_read() {
        for kind in Kind::ALL {
            let read = capability(kind.name());
            assert_eq!(read.kind(), kind);
            assert_eq!(read.to_string(), kind.name());
        }
    }

    #[test]
    fn error_names_the_whole_text() {
        let error = "fs:read:data".parse::<Capability>().unwrap_err();
        assert_eq!(error.to_string(), "fs:read:data: a path must be absolute, starting with /");
    }

    #[test]
    fn unknown_name_is_an_error_with_a_suggestion() {
        let error = "fs:raed:/data".parse::<Capability>().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UnknownName);
        assert_eq!(error.suggestion(), Some("fs:read:/data"));
        assert_eq!(
            error.to_string(),
            "fs:raed:/data: no such capability, did you mean fs:read:/data"
        );
    }

    #[test]
    fn error_hides_nothing() {
        let error = "fs:\u{202e}read".parse::<Capability>().unwrap_err();
        assert!(error.to_string().starts_with("fs:\\u{202e}read: no such"), "{error}");
    }

    #[test]
    fn empty_scope_is_not_everything() {
        for kind in Kind::ALL {
            let error = format!("{kind}:").parse::<Capability>().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::EmptyScope);
        }
    }

    #[test]
    fn text_is_capped_as_read_and_as_printed() {
        let long = format!("state:read:{}", "a".repeat(MAX_CAPABILITY_LEN));
        assert_eq!(long.parse::<Capability>().unwrap_err().kind(), ErrorKind::TooLong);
        let grows = format!("network:fetch:https://a/{}", "ä".repeat(MAX_CAPABILITY_LEN / 3));
        assert_eq!(grows.parse::<Capability>().unwrap_err().kind(), ErrorKind::TooLong);
    }

    #[test]
    fn nul_is_refused_everywhere() {
        for kind in Kind::ALL {
            assert!(format!("{kind}:/a\0b").parse::<Capability>().is_err());
        }
    }

    #[test]
    fn private_reach_is_not_handed_on_by_those_without() {
        let check = |holder: &str, other: &str, expect: bool| {
            assert_eq!(capability(holder).may_hand_on(&capability(other)), expect, "{other}");
        };
        check("network:fetch", "network:fetch:http://127.0.0.1", false);
        check("network:fetch:http://127.0.0.1:*", "network:fetch:http://127.0.0.1", false);
        check("network:fetch:http://127.0.0.1", "network:fetch:GET@http://127.0.0.1/a", true);
        check("network:fetch", "network:fetch:https://*.example.com", true);
        check("fs:read", "fs:read:/a", true);
        check("fs:read:/a", "fs:read", false);
    }
}
