//! `env:read[:NAME]`: environment variables of the sandbox, never of the host.

use std::fmt;

use crate::capability::Area;
use crate::error::{Error, ErrorKind};
use crate::kind::Kind;
use crate::pattern::Pattern;
use crate::scope::{Covers, Scope};
use crate::text::name_type;

/// Environment variables that may be read.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Env {
    scope: Scope<Pattern>,
}

name_type! {
    /// The name of a variable: without `=`, and without `/` so that `*` matches every name.
    EnvName, check
}

impl Env {
    pub(crate) fn parse(scope: Option<&str>) -> Result<Self, Error> {
        let flat = |text: &str| check(text).and_then(|()| Scope::flat(text));
        Ok(Self { scope: Scope::parse(scope, flat)? })
    }

    pub(crate) fn required(name: &EnvName) -> Self {
        Self { scope: Scope::Only(Pattern::literal(&name.0)) }
    }

    pub(crate) fn widening(name: &EnvName) -> Vec<Self> {
        vec![Self::required(name), Self { scope: Scope::All }]
    }

    /// Returns the names that this capability applies to.
    pub fn scope(&self) -> &Scope<Pattern> {
        &self.scope
    }
}

fn check(text: &str) -> Result<(), Error> {
    match text.contains(['=', '/']) {
        true => Err(Error::new(ErrorKind::BadName, text, "a variable must not contain = or /")),
        false => Ok(()),
    }
}

impl Covers for Env {
    fn covers(&self, other: &Self) -> bool {
        self.scope.covers(&other.scope)
    }
}

impl Area for Env {
    fn kind(&self) -> Kind {
        Kind::EnvRead
    }

    fn describe(&self) -> String {
        format!("read {} of the sandbox", self.scope.describe("variable", "variables"))
    }
}

impl fmt::Display for Env {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.kind(), self.scope)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Capability, ErrorKind, Request};

    fn check(capability: &str, name: &str, expect: bool) {
        let request = Request::Env { name: name.parse().unwrap() };
        let capability = capability.parse::<Capability>().unwrap();
        assert_eq!(capability.allows(&request), expect, "{capability} on {name}");
    }

    #[test]
    fn name_is_the_scope() {
        check("env:read:PATH", "PATH", true);
        check("env:read:PATH", "Path", false);
        check("env:read:AWS_*", "AWS_REGION", true);
        check("env:read:AWS_*", "MY_AWS_REGION", false);
    }

    #[test]
    fn star_is_the_same_as_no_scope() {
        for text in ["env:read:*", "env:read:**", "env:read"] {
            assert_eq!(text.parse::<Capability>().unwrap().to_string(), "env:read");
        }
    }

    #[test]
    fn assignment_is_not_a_name() {
        let error = "env:read:A=b".parse::<Capability>().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BadName);
    }

    #[test]
    fn description_says_whose_variables() {
        let describe = |text: &str| text.parse::<Capability>().unwrap().describe();
        assert_eq!(describe("env:read"), "read any variable of the sandbox");
        assert_eq!(describe("env:read:A*"), "read variables that match A* of the sandbox");
    }
}
