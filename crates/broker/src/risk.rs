//! Risk of a grant, as prompts and `cofferdam explain` show it.

use std::fmt;

use cofferdam_caps::dom::Markup;
use cofferdam_caps::{Access, Capability, Scope};

/// Severity of a risk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Level {
    /// Stays in the sandbox and ends with it.
    Low,
    /// Reveals data to the tool, or changes much of the sandbox.
    Medium,
    /// Acts outside the sandbox, or lets data leave it.
    High,
}

/// Risk of granting a capability.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Risk {
    /// Severity.
    pub level: Level,
    /// Explanation for a person.
    pub reason: &'static str,
}

impl Risk {
    /// Returns the risk of granting a capability.
    pub fn of(capability: &Capability) -> Self {
        let (level, reason) = match capability {
            Capability::Network(network) => match network.scope() {
                Scope::All => {
                    (Level::High, "the tool can send anything it sees to any public address")
                }
                Scope::Only(fetches) => match fetches.urls().origin() {
                    Some(origin) if is_private(origin) => {
                        (Level::High, "the address is on this machine or its local network")
                    }
                    Some(_) if only_reads(fetches.methods()) => {
                        (Level::Medium, "the tool can send what it sees there as part of the URL")
                    }
                    Some(_) => (Level::High, "the tool can send anything it sees there"),
                    None => {
                        (Level::High, "the tool can send anything it sees to any matching address")
                    }
                },
            },
            Capability::Process(process) => match process.scope() {
                Scope::All => (Level::Medium, "the tool can run any command of the sandbox"),
                Scope::Only(_) => (Level::Low, "the command runs in the sandbox"),
            },
            Capability::Function(function) => match function.scope() {
                Scope::All => {
                    (Level::High, "the tool can call any function of the embedding program")
                }
                Scope::Only(_) => {
                    (Level::High, "the function acts with the embedding program's own privileges")
                }
            },
            Capability::State(state) => match state.access() {
                Access::Read => {
                    (Level::Medium, "the tool sees what the embedding program published")
                }
                Access::Write => (Level::High, "the embedding program uses what the tool writes"),
            },
            Capability::Env(env) => match env.scope() {
                Scope::All => (Level::Medium, "environment variables often hold secrets"),
                Scope::Only(_) => (Level::Medium, "the variable may hold a secret"),
            },
            Capability::Dom(dom) => match (dom.access(), dom.markup()) {
                (Access::Read, _) => (Level::Medium, "the tool sees what is on the page"),
                (Access::Write, Markup::Sanitised) => {
                    (Level::Medium, "the tool changes what others see on the page")
                }
                (Access::Write, Markup::Raw) => {
                    (Level::High, "scripts written by the tool run for everyone who opens the page")
                }
            },
            Capability::Fs(fs) => match (fs.access(), fs.scope()) {
                (Access::Read, Scope::All) => (Level::Medium, "the tool sees every file"),
                (Access::Read, Scope::Only(_)) => {
                    (Level::Low, "limited to files in the sandbox or mounted into it")
                }
                (Access::Write, Scope::All) => (
                    Level::Medium,
                    "any file can be changed or lost, including in folders mounted :rw",
                ),
                (Access::Write, Scope::Only(_)) => (
                    Level::Medium,
                    "files can be changed or lost, including in folders mounted :rw",
                ),
            },
            Capability::Storage(storage) => match (storage.access(), storage.scope()) {
                (Access::Write, Scope::All) => (Level::Medium, "any key can be changed or lost"),
                (Access::Write, Scope::Only(_)) | (Access::Read, _) => {
                    (Level::Low, "limited to the storage of the sandbox")
                }
            },
        };
        Self { level, reason }
    }
}

fn only_reads(methods: &Scope<cofferdam_caps::network::Methods>) -> bool {
    match methods {
        Scope::All => false,
        Scope::Only(methods) => methods.iter().all(|m| ["GET", "HEAD"].contains(&m.as_str())),
    }
}

/// Returns true if a host name suggests a private address.
///
/// Only for the warning: the address itself is checked when a connection is made.
fn is_private(origin: &cofferdam_caps::network::Origin) -> bool {
    let local = |domain: &str| {
        let last = domain.rsplit('.').next().unwrap_or(domain);
        !domain.contains('.') || ["localhost", "local", "internal", "lan", "home"].contains(&last)
    };
    origin.host.ip().is_some() || origin.host.domain().is_some_and(local)
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        })
    }
}

impl fmt::Display for Risk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.level, self.reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(capability: &str, expect: &str) {
        assert_eq!(Risk::of(&capability.parse().unwrap()).to_string(), expect, "{capability}");
    }

    #[test]
    fn what_leaves_the_sandbox_is_high() {
        check("network:fetch", "high: the tool can send anything it sees to any public address");
        check("network:fetch:https://a.example", "high: the tool can send anything it sees there");
        check(
            "function:call:mail",
            "high: the function acts with the embedding program's own privileges",
        );
        check("state:write:cart", "high: the embedding program uses what the tool writes");
        check(
            "dom:write:raw@#a",
            "high: scripts written by the tool run for everyone who opens the page",
        );
    }

    #[test]
    fn reading_an_address_still_sends_something() {
        check(
            "network:fetch:GET@https://a.example/x",
            "medium: the tool can send what it sees there as part of the URL",
        );
    }

    #[test]
    fn address_nearby_is_high_whatever_is_done() {
        for host in ["127.0.0.1", "[::1]", "10.0.0.7:8080", "router", "a.localhost", "db.internal"]
        {
            check(
                &format!("network:fetch:GET@http://{host}/x"),
                "high: the address is on this machine or its local network",
            );
        }
    }

    #[test]
    fn what_stays_inside_is_low() {
        check("storage:local:read:k", "low: limited to the storage of the sandbox");
        check("fs:read:/data/**", "low: limited to files in the sandbox or mounted into it");
        check("process:exec:ls", "low: the command runs in the sandbox");
    }
}
