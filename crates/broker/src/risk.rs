//! Risk of a grant, as prompts and `cofferdam explain` show it.
//!
//! Meets T-DOM-003.

use std::fmt;

use cofferdam_caps::dom::Markup;
use cofferdam_caps::{Access, Capability, Scope};

use crate::host_folders::HostFolders;

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
    /// Returns the risk of granting a capability in a sandbox with these folders of the host.
    pub fn within(capability: &Capability, folders: &HostFolders) -> Self {
        let risk = Self::of(capability);
        let outside = match capability {
            Capability::Process(_) if folders.can_be_changed() => {
                Some("the command can change files of this machine that are mounted :rw")
            }
            // Grants of files are for tools: a command reads whatever is mounted.
            Capability::Process(_) if !folders.is_empty() => {
                let reason = "the command can read all files of this machine that are mounted";
                return Self { level: Level::Medium, reason };
            }
            Capability::Fs(fs) if fs.access() == Access::Write => {
                folders.changes(capability).then_some("changes files of this machine")
            }
            Capability::Fs(_)
            | Capability::Process(_)
            | Capability::Dom(_)
            | Capability::Env(_)
            | Capability::Network(_)
            | Capability::State(_)
            | Capability::Storage(_)
            | Capability::Function(_) => None,
        };
        match outside {
            Some(reason) => Self { level: Level::High, reason },
            None => risk,
        }
    }

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
                (_, Scope::Only(pattern)) if names_a_secret(&pattern.to_string()) => {
                    (Level::High, "files of this name usually hold passwords or keys")
                }
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

/// Names of files and folders that usually hold passwords or keys.
const SECRETS: [&str; 22] = [
    ".aws",
    ".azure",
    ".docker",
    ".env",
    ".gcloud",
    ".git-credentials",
    ".gnupg",
    ".htpasswd",
    ".kube",
    ".netrc",
    ".npmrc",
    ".pgpass",
    ".pypirc",
    ".ssh",
    ".vault-token",
    "credentials",
    "credentials.json",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "id_rsa",
    "shadow",
];

/// Endings of files that usually hold keys.
const SECRET_ENDINGS: [&str; 8] =
    [".key", ".keystore", ".jks", ".kdbx", ".p12", ".pem", ".pfx", ".ppk"];

/// Returns true if a path or a folder in it has a name that usually stands for secrets.
fn names_a_secret(path: &str) -> bool {
    path.split('/').any(|name| {
        let name = name.to_ascii_lowercase();
        SECRETS.contains(&name.as_str())
            || name.starts_with(".env.")
            || SECRET_ENDINGS.iter().any(|ending| name.ends_with(ending))
    })
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
    use crate::host_folders::{FolderMode, HostFolder};

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
    fn secrets_are_high_by_name() {
        for path in [
            "/home/user/.env",
            "/a/.env.local",
            "/home/user/.ssh/config",
            "/k/server.PEM",
            "/home/user/.aws/**",
            "/etc/shadow",
            "/a/id_rsa",
        ] {
            let expect = "high: files of this name usually hold passwords or keys";
            check(&format!("fs:read:{path}"), expect);
        }
        check("fs:read:/a/environment", "low: limited to files in the sandbox or mounted into it");
    }

    #[test]
    fn command_beside_a_real_folder_is_no_low_risk() {
        let folder = |mode| HostFolder { at: "/w".into(), host: "/home/me".into(), mode };
        let level = |text: &str, mode| {
            Risk::within(&text.parse().unwrap(), &HostFolders::new([folder(mode)])).level
        };
        assert_eq!(level("process:exec:rm", FolderMode::ReadWrite), Level::High);
        assert_eq!(level("process:exec:rm", FolderMode::Overlay), Level::Medium);
        assert_eq!(level("process:exec:cat", FolderMode::ReadOnly), Level::Medium);
        assert_eq!(level("process:exec", FolderMode::ReadOnly), Level::Medium);
        assert_eq!(level("fs:write:/w/a", FolderMode::ReadWrite), Level::High);
        assert_eq!(level("fs:write:/**", FolderMode::ReadWrite), Level::High);
        assert_eq!(level("fs:write:/tmp/a", FolderMode::ReadWrite), Level::Medium);
        assert_eq!(level("fs:write:/w/a", FolderMode::Overlay), Level::Medium);
    }

    #[test]
    fn what_stays_inside_is_low() {
        check("storage:local:read:k", "low: limited to the storage of the sandbox");
        check("fs:read:/data/**", "low: limited to files in the sandbox or mounted into it");
        check("process:exec:ls", "low: the command runs in the sandbox");
    }
}
