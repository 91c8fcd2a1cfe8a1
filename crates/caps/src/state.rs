//! `state:read[:NAME]`, `state:write[:NAME]`: state published by the embedding program.

use std::fmt;

use crate::capability::Area;
use crate::error::Error;
use crate::kind::{Access, Kind};
use crate::pattern::Pattern;
use crate::scope::{Covers, Scope};
use crate::text::{self, name_type};

/// Artifacts and state of the embedding program that may be read or written.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State {
    access: Access,
    scope: Scope<Pattern>,
}

name_type! {
    /// The name of an artifact or state: any non-empty text. A `/` separates segments.
    StateName, text::anything
}

impl State {
    pub(crate) fn parse(access: Access, scope: Option<&str>) -> Result<Self, Error> {
        Ok(Self { access, scope: Scope::parse(scope, Scope::deep)? })
    }

    pub(crate) fn required(access: Access, name: &StateName) -> Self {
        Self { access, scope: Scope::Only(Pattern::literal(&name.0)) }
    }

    pub(crate) fn widening(access: Access, name: &StateName) -> Vec<Self> {
        let scopes = Scope::widening(&Pattern::literal(&name.0));
        scopes.into_iter().map(|scope| Self { access, scope }).collect()
    }

    /// Returns the direction of access.
    pub fn access(&self) -> Access {
        self.access
    }

    /// Returns the names that this capability applies to.
    pub fn scope(&self) -> &Scope<Pattern> {
        &self.scope
    }
}

impl Covers for State {
    fn covers(&self, other: &Self) -> bool {
        self.access == other.access && self.scope.covers(&other.scope)
    }
}

impl Area for State {
    fn kind(&self) -> Kind {
        match self.access {
            Access::Read => Kind::StateRead,
            Access::Write => Kind::StateWrite,
        }
    }

    fn describe(&self) -> String {
        let names = self.scope.describe("state", "states");
        match self.access {
            Access::Read => format!("read {names} of the embedding program"),
            Access::Write => format!("write {names} of the embedding program"),
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.kind(), self.scope)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Access, Capability, Request};

    fn check(capability: &str, name: &str, expect: bool) {
        let request = Request::State { access: Access::Write, name: name.parse().unwrap() };
        let capability = capability.parse::<Capability>().unwrap();
        assert_eq!(capability.allows(&request), expect, "{capability} on {name}");
    }

    #[test]
    fn name_is_the_scope() {
        check("state:write:cart", "cart", true);
        check("state:write:cart", "carts", false);
        check("state:write:cart*", "carts", true);
        check("state:read:cart", "cart", false);
    }

    #[test]
    fn description_names_the_program() {
        let describe = |text: &str| text.parse::<Capability>().unwrap().describe();
        assert_eq!(describe("state:read:cart"), "read the state cart of the embedding program");
        assert_eq!(describe("state:write"), "write any state of the embedding program");
    }
}
