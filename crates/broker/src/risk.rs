use std::fmt;

use cofferdam_caps::dom::Markup;
use cofferdam_caps::{Access, Capability, Scope};

/// How much somebody who says yes gives away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// Stays in the sandbox, and can be undone by throwing it away.
    Low,
    /// Shows the tool something, or changes much of the sandbox.
    Medium,
    /// Acts outside the sandbox, or lets data leave it.
    High,
}

/// A level, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Risk {
    /// How much.
    pub level: Level,
    /// Why, in words for a person.
    pub reason: &'static str,
}

impl Risk {
    /// What granting this would mean.
    pub fn of(capability: &Capability) -> Self {
        let (level, reason) = match capability {
            Capability::Network(network) => match network.scope() {
                Scope::All => (Level::High, "anything the tool can see can be sent anywhere"),
                Scope::Only(fetches) => match fetches.urls().origin() {
                    Some(origin) if is_private(origin) => {
                        (Level::High, "the address is on this machine or its own network")
                    }
                    Some(_) if only_reads(fetches.methods()) => {
                        (Level::Medium, "what the tool can see can be sent there in the address")
                    }
                    Some(_) => (Level::High, "anything the tool can see can be sent there"),
                    None => (Level::High, "anything the tool can see can be sent to any of them"),
                },
            },
            Capability::Process(process) => match process.scope() {
                Scope::All => (Level::Medium, "any command of the sandbox can be run"),
                Scope::Only(_) => (Level::Low, "the command runs in the sandbox"),
            },
            Capability::Function(function) => match function.scope() {
                Scope::All => (Level::High, "any function of the program can be called"),
                Scope::Only(_) => (Level::High, "it acts with the program's own rights"),
            },
            Capability::State(state) => match state.access() {
                Access::Read => (Level::Medium, "the tool sees what the program published"),
                Access::Write => (Level::High, "the program will use what the tool writes"),
            },
            Capability::Env(env) => match env.scope() {
                Scope::All => (Level::Medium, "variables often hold keys"),
                Scope::Only(_) => (Level::Medium, "the variable may hold a key"),
            },
            Capability::Dom(dom) => match (dom.access(), dom.markup()) {
                (Access::Read, _) => (Level::Medium, "the tool sees what is on the page"),
                (Access::Write, Markup::Sanitised) => {
                    (Level::Medium, "the tool changes what others see on the page")
                }
                (Access::Write, Markup::Raw) => {
                    (Level::High, "scripts of the tool run for whoever opens the page")
                }
            },
            Capability::Fs(fs) => match (fs.access(), fs.scope()) {
                (Access::Read, Scope::All) => (Level::Medium, "the tool sees every file"),
                (Access::Read, Scope::Only(_)) => {
                    (Level::Low, "files in the sandbox, or mounted there")
                }
                (Access::Write, Scope::All) => {
                    (Level::Medium, "any file can be changed or lost, also in a folder mounted :rw")
                }
                (Access::Write, Scope::Only(_)) => {
                    (Level::Medium, "files can be changed or lost, also in a folder mounted :rw")
                }
            },
            Capability::Storage(storage) => match (storage.access(), storage.scope()) {
                (Access::Write, Scope::All) => (Level::Medium, "any key can be changed or lost"),
                (Access::Write, Scope::Only(_)) | (Access::Read, _) => {
                    (Level::Low, "storage of the sandbox only")
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

/// By the name alone, for the warning; what it resolves to is checked when it is connected to.
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
        check("network:fetch", "high: anything the tool can see can be sent anywhere");
        check(
            "network:fetch:https://a.example",
            "high: anything the tool can see can be sent there",
        );
        check("function:call:mail", "high: it acts with the program's own rights");
        check("state:write:cart", "high: the program will use what the tool writes");
        check("dom:write:raw@#a", "high: scripts of the tool run for whoever opens the page");
    }

    #[test]
    fn reading_an_address_still_sends_something() {
        check(
            "network:fetch:GET@https://a.example/x",
            "medium: what the tool can see can be sent there in the address",
        );
    }

    #[test]
    fn address_nearby_is_high_whatever_is_done() {
        for host in ["127.0.0.1", "[::1]", "10.0.0.7:8080", "router", "a.localhost", "db.internal"]
        {
            check(
                &format!("network:fetch:GET@http://{host}/x"),
                "high: the address is on this machine or its own network",
            );
        }
    }

    #[test]
    fn what_stays_inside_is_low() {
        check("storage:local:read:k", "low: storage of the sandbox only");
        check("fs:read:/data/**", "low: files in the sandbox, or mounted there");
        check("process:exec:ls", "low: the command runs in the sandbox");
    }
}
