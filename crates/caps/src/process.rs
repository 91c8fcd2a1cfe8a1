//! `process:exec[:COMMAND]`: commands that may be started.

use std::fmt;

use crate::capability::Area;
use crate::error::{Error, ErrorKind};
use crate::kind::Kind;
use crate::pattern::Pattern;
use crate::scope::{Covers, Scope};
use crate::text::name_type;

/// Commands that may be started, with any arguments.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Process {
    scope: Scope<Pattern>,
}

name_type! {
    /// The name of a command: no path, no spaces, no arguments.
    CommandName, check
}

impl Process {
    pub(crate) fn parse(scope: Option<&str>) -> Result<Self, Error> {
        let flat = |text: &str| check(text).and_then(|()| Scope::flat(text));
        Ok(Self { scope: Scope::parse(scope, flat)? })
    }

    pub(crate) fn required(command: &CommandName) -> Self {
        Self { scope: Scope::Only(Pattern::literal(&command.0)) }
    }

    pub(crate) fn widening(command: &CommandName) -> Vec<Self> {
        vec![Self::required(command), Self { scope: Scope::All }]
    }

    /// Returns the commands that this capability applies to.
    pub fn scope(&self) -> &Scope<Pattern> {
        &self.scope
    }
}

fn check(text: &str) -> Result<(), Error> {
    let bad = |reason| Err(Error::new(ErrorKind::BadName, text, reason));
    if text.contains('/') {
        return bad("a command must be a name, not a path");
    }
    if text.contains(char::is_whitespace) {
        return bad("a command must be named without its arguments");
    }
    match text {
        "." | ".." => bad("a command must be a name, not a folder"),
        _ => Ok(()),
    }
}

impl Covers for Process {
    fn covers(&self, other: &Self) -> bool {
        self.scope.covers(&other.scope)
    }
}

impl Area for Process {
    fn kind(&self) -> Kind {
        Kind::ProcessExec
    }

    fn describe(&self) -> String {
        format!("run {}", self.scope.describe("command", "commands"))
    }
}

impl fmt::Display for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.kind(), self.scope)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Capability, Request, process::CommandName};

    fn check(capability: &str, command: &str, expect: bool) {
        let request = Request::Process { command: command.parse().unwrap() };
        let capability = capability.parse::<Capability>().unwrap();
        assert_eq!(capability.allows(&request), expect, "{capability} on {command}");
    }

    #[test]
    fn name_is_the_scope() {
        check("process:exec:git", "git", true);
        check("process:exec:git", "git-lfs", false);
        check("process:exec:git-*", "git-lfs", true);
        check("process:exec:[", "[", true);
    }

    #[test]
    fn star_is_every_command() {
        check("process:exec:*", "rm", true);
        assert_eq!("process:exec:*".parse::<Capability>().unwrap().to_string(), "process:exec");
    }

    #[test]
    fn path_or_arguments_are_not_a_name() {
        for text in ["/bin/sh", "./a", "git status", "..", ""] {
            assert!(text.parse::<CommandName>().is_err(), "{text}");
            assert!(format!("process:exec:{text}").parse::<Capability>().is_err(), "{text}");
        }
    }

    #[test]
    fn description_names_the_command() {
        let describe = |text: &str| text.parse::<Capability>().unwrap().describe();
        assert_eq!(describe("process:exec:git"), "run the command git");
        assert_eq!(describe("process:exec"), "run any command");
    }
}
