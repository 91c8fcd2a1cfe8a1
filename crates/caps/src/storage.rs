//! `storage:local:read[:KEY]` and its siblings: key-value storage of the sandbox.

use std::fmt;

use crate::capability::Area;
use crate::error::Error;
use crate::kind::{Access, Kind};
use crate::pattern::Pattern;
use crate::scope::{Covers, Scope};
use crate::text::{self, name_type};

/// Keys of one storage area that may be read or written.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Storage {
    area: StorageArea,
    access: Access,
    scope: Scope<Pattern>,
}

/// A storage area, which determines the lifetime of its keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StorageArea {
    /// Keys live as long as the sandbox.
    Local,
    /// Keys live as long as the session.
    Session,
}

name_type! {
    /// A key of the storage: any non-empty text. A `/` separates segments.
    Key, text::anything
}

impl Storage {
    pub(crate) fn parse(
        area: StorageArea,
        access: Access,
        scope: Option<&str>,
    ) -> Result<Self, Error> {
        Ok(Self { area, access, scope: Scope::parse(scope, Scope::deep)? })
    }

    pub(crate) fn required(area: StorageArea, access: Access, key: Option<&Key>) -> Self {
        let scope = key.map_or(Scope::All, |key| Scope::Only(Pattern::literal(&key.0)));
        Self { area, access, scope }
    }

    pub(crate) fn widening(area: StorageArea, access: Access, key: Option<&Key>) -> Vec<Self> {
        let scopes = match key {
            Some(key) => Scope::widening(&Pattern::literal(&key.0)),
            None => vec![Scope::All],
        };
        scopes.into_iter().map(|scope| Self { area, access, scope }).collect()
    }

    /// Returns the storage area.
    pub fn area(&self) -> StorageArea {
        self.area
    }

    /// Returns the direction of access.
    pub fn access(&self) -> Access {
        self.access
    }

    /// Returns the keys that this capability applies to.
    pub fn scope(&self) -> &Scope<Pattern> {
        &self.scope
    }
}

impl Covers for Storage {
    fn covers(&self, other: &Self) -> bool {
        self.area == other.area && self.access == other.access && self.scope.covers(&other.scope)
    }
}

impl Area for Storage {
    fn kind(&self) -> Kind {
        match (self.area, self.access) {
            (StorageArea::Local, Access::Read) => Kind::StorageLocalRead,
            (StorageArea::Local, Access::Write) => Kind::StorageLocalWrite,
            (StorageArea::Session, Access::Read) => Kind::StorageSessionRead,
            (StorageArea::Session, Access::Write) => Kind::StorageSessionWrite,
        }
    }

    fn describe(&self) -> String {
        let keys = self.scope.describe("key", "keys");
        match (self.access, self.area) {
            (Access::Read, StorageArea::Local) => format!("read {keys} of local storage"),
            (Access::Read, StorageArea::Session) => format!("read {keys} of session storage"),
            (Access::Write, StorageArea::Local) => format!("write {keys} of local storage"),
            (Access::Write, StorageArea::Session) => format!("write {keys} of session storage"),
        }
    }
}

impl fmt::Display for Storage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.kind(), self.scope)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Access, Capability, Request, storage::StorageArea};

    fn check(capability: &str, key: &str, expect: bool) {
        let request = Request::Storage {
            area: StorageArea::Local,
            access: Access::Read,
            key: Some(key.parse().unwrap()),
        };
        let capability = capability.parse::<Capability>().unwrap();
        assert_eq!(capability.allows(&request), expect, "{capability} on {key}");
    }

    #[test]
    fn key_keeps_its_colons() {
        check("storage:local:read:user:7:name", "user:7:name", true);
        check("storage:local:read:user:*", "user:7:name", true);
        check("storage:local:read:user:*", "users", false);
    }

    #[test]
    fn slash_parts_segments_of_a_key() {
        check("storage:local:read:cart/*", "cart/1/x", false);
        check("storage:local:read:cart/**", "cart/1/x", true);
    }

    #[test]
    fn areas_are_apart() {
        check("storage:session:read", "k", false);
        check("storage:local:write", "k", false);
        check("storage:local:read", "k", true);
    }

    #[test]
    fn two_stars_are_the_same_as_no_scope() {
        let all = "storage:local:read:**".parse::<Capability>().unwrap();
        assert_eq!(all.to_string(), "storage:local:read");
    }

    #[test]
    fn whole_area_needs_the_whole_area() {
        let list = Request::Storage { area: StorageArea::Local, access: Access::Read, key: None };
        assert!("storage:local:read".parse::<Capability>().unwrap().allows(&list));
        assert!(!"storage:local:read:*".parse::<Capability>().unwrap().allows(&list));
    }

    #[test]
    fn description_says_which_storage() {
        let describe = |text: &str| text.parse::<Capability>().unwrap().describe();
        assert_eq!(describe("storage:local:read:theme"), "read the key theme of local storage");
        assert_eq!(describe("storage:session:write:a/**"), "write keys below a of session storage");
    }
}
