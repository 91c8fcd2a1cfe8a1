//! [`Kind`], the closed list of capability names, and [`Access`].

use std::fmt;

use crate::did_you_mean;
use crate::error::{Error, ErrorKind};

/// The area and action of a capability, without its scope: `fs:read`, `network:fetch`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "each variant is its name, see `name`")]
pub enum Kind {
    DomRead,
    DomWrite,
    EnvRead,
    FsRead,
    FsWrite,
    FunctionCall,
    NetworkFetch,
    ProcessExec,
    StateRead,
    StateWrite,
    StorageLocalRead,
    StorageLocalWrite,
    StorageSessionRead,
    StorageSessionWrite,
}

/// The direction of an operation. Neither direction implies the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Access {
    /// Reads without changing anything.
    Read,
    /// Changes, creates or deletes.
    Write,
}

impl Kind {
    /// All kinds, sorted by name.
    pub const ALL: [Self; 14] = [
        Self::DomRead,
        Self::DomWrite,
        Self::EnvRead,
        Self::FsRead,
        Self::FsWrite,
        Self::FunctionCall,
        Self::NetworkFetch,
        Self::ProcessExec,
        Self::StateRead,
        Self::StateWrite,
        Self::StorageLocalRead,
        Self::StorageLocalWrite,
        Self::StorageSessionRead,
        Self::StorageSessionWrite,
    ];

    /// Returns the name as written in a capability.
    pub const fn name(self) -> &'static str {
        match self {
            Self::DomRead => "dom:read",
            Self::DomWrite => "dom:write",
            Self::EnvRead => "env:read",
            Self::FsRead => "fs:read",
            Self::FsWrite => "fs:write",
            Self::FunctionCall => "function:call",
            Self::NetworkFetch => "network:fetch",
            Self::ProcessExec => "process:exec",
            Self::StateRead => "state:read",
            Self::StateWrite => "state:write",
            Self::StorageLocalRead => "storage:local:read",
            Self::StorageLocalWrite => "storage:local:write",
            Self::StorageSessionRead => "storage:session:read",
            Self::StorageSessionWrite => "storage:session:write",
        }
    }

    /// Returns a placeholder for the scope, for help texts: `PATH`, `[METHODS@]URL-PATTERN`.
    pub const fn scope(self) -> &'static str {
        match self {
            Self::DomRead | Self::DomWrite => "SELECTOR",
            Self::FsRead | Self::FsWrite => "PATH",
            Self::NetworkFetch => "[METHODS@]URL-PATTERN",
            Self::ProcessExec => "COMMAND",
            Self::StorageLocalRead
            | Self::StorageLocalWrite
            | Self::StorageSessionRead
            | Self::StorageSessionWrite => "KEY",
            Self::EnvRead | Self::FunctionCall | Self::StateRead | Self::StateWrite => "NAME",
        }
    }

    /// Splits the text of a capability into its kind and the scope after the next colon.
    pub(crate) fn split(text: &str) -> Result<(Self, Option<&str>), Error> {
        for kind in Self::ALL {
            match text.strip_prefix(kind.name()) {
                Some("") => return Ok((kind, None)),
                Some(rest) if rest.starts_with(':') => return Ok((kind, Some(&rest[1..]))),
                Some(_) | None => {}
            }
        }
        Err(unknown(text))
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Former names of kinds, and the kinds that they named.
const FORMER: [(&str, Kind); 1] = [("tool:call", Kind::FunctionCall)];

/// Returns the kind that `text` names by its former name.
fn former(text: &str) -> Option<Kind> {
    let is_former = |name: &str| {
        text.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
    };
    FORMER.into_iter().find(|(name, _)| is_former(name)).map(|(_, kind)| kind)
}

fn unknown(text: &str) -> Error {
    if let Some(kind) = former(text) {
        let reason = format!("this kind is now spelled {kind}");
        let error = Error::new(ErrorKind::UnknownName, text, reason);
        return match did_you_mean::meant(text) {
            Some(meant) => error.suggest(meant),
            None => error,
        };
    }
    match did_you_mean::meant(text) {
        Some(meant) => {
            Error::new(ErrorKind::UnknownName, text, "no such capability").suggest(meant)
        }
        None => {
            let known = Kind::ALL.map(Kind::name).join(", ");
            Error::new(
                ErrorKind::UnknownName,
                text,
                format!("no such capability; expected one of {known}"),
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_no_name_hides_another() {
        for pair in Kind::ALL.windows(2) {
            assert!(pair[0].name() < pair[1].name());
        }
        for kind in Kind::ALL {
            assert_eq!(Kind::split(kind.name()), Ok((kind, None)));
        }
    }

    #[test]
    fn scope_is_all_behind_the_name() {
        assert_eq!(Kind::split("dom:read:a:b::c"), Ok((Kind::DomRead, Some("a:b::c"))));
        assert_eq!(Kind::split("fs:read:"), Ok((Kind::FsRead, Some(""))));
    }

    #[test]
    fn former_name_is_an_error_that_names_the_new_one() {
        let check = |text: &str, expect: &str, suggestion: &str| {
            let error = Kind::split(text).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::UnknownName);
            assert_eq!(error.suggestion(), Some(suggestion));
            assert_eq!(error.to_string(), format!("{expect}, did you mean {suggestion}"));
        };
        let reason = "this kind is now spelled function:call";
        check("tool:call:x", &format!("tool:call:x: {reason}"), "function:call:x");
        check("tool:call", &format!("tool:call: {reason}"), "function:call");
        check("tool:call:", &format!("tool:call:: {reason}"), "function:call:NAME");
        assert!(!Kind::split("tool:calls").unwrap_err().to_string().contains("now spelled"));
    }

    #[test]
    fn unknown_name_without_a_neighbour_lists_the_known() {
        let error = Kind::split("teleport").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UnknownName);
        let expected = "teleport: no such capability; expected one of dom:read,";
        assert!(error.to_string().starts_with(expected), "{error}");
        assert!(error.to_string().ends_with("storage:session:read, storage:session:write"));
    }
}
