//! `function:call[:NAME]`: functions that the embedding program lends to tools.

use std::fmt;

use crate::capability::Area;
use crate::error::Error;
use crate::kind::Kind;
use crate::pattern::Pattern;
use crate::scope::{Covers, Scope};
use crate::text::{self, name_type};

/// Capability to call functions of the embedding program.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Function {
    scope: Scope<Pattern>,
}

name_type! {
    /// Name of a function: any text that is not empty. A `/` separates segments.
    FunctionName, text::anything
}

impl Function {
    pub(crate) fn parse(scope: Option<&str>) -> Result<Self, Error> {
        Ok(Self { scope: Scope::parse(scope, Scope::deep)? })
    }

    pub(crate) fn required(name: &FunctionName) -> Self {
        Self { scope: Scope::Only(Pattern::literal(&name.0)) }
    }

    pub(crate) fn widening(name: &FunctionName) -> Vec<Self> {
        let scopes = Scope::widening(&Pattern::literal(&name.0));
        scopes.into_iter().map(|scope| Self { scope }).collect()
    }

    /// Returns the names that the capability covers.
    pub fn scope(&self) -> &Scope<Pattern> {
        &self.scope
    }
}

impl Covers for Function {
    fn covers(&self, other: &Self) -> bool {
        self.scope.covers(&other.scope)
    }
}

impl Area for Function {
    fn kind(&self) -> Kind {
        Kind::FunctionCall
    }

    fn describe(&self) -> String {
        format!("call {} of the embedding program", self.scope.describe("function", "functions"))
    }
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.kind(), self.scope)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Capability, Request};

    fn check(capability: &str, name: &str, expect: bool) {
        let request = Request::Function { name: name.parse().unwrap() };
        let capability = capability.parse::<Capability>().unwrap();
        assert_eq!(capability.allows(&request), expect, "{capability} on {name}");
    }

    #[test]
    fn name_is_the_scope() {
        check("function:call:github/list_issues", "github/list_issues", true);
        check("function:call:github/*", "github/list_issues", true);
        check("function:call:*", "github/list_issues", false);
        check("function:call", "github/list_issues", true);
    }

    #[test]
    fn description_says_whose_function() {
        let describe = |text: &str| text.parse::<Capability>().unwrap().describe();
        assert_eq!(describe("function:call:pay"), "call the function pay of the embedding program");
        assert_eq!(
            describe("function:call:pay me"),
            "call the function \"pay me\" of the embedding program"
        );
    }
}
