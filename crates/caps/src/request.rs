//! [`Request`], one concrete operation, and the capabilities that would allow it.

use std::fmt;

use crate::capability::Capability;
use crate::dom::{Dom, Markup, Selector};
use crate::env::{Env, EnvName};
use crate::fs::{FilePath, Fs};
use crate::function::{Function, FunctionName};
use crate::kind::{Access, Kind};
use crate::network::{FetchUrl, Method, Network};
use crate::process::{CommandName, Process};
use crate::state::{State, StateName};
use crate::storage::{Key, Storage, StorageArea};
use crate::visible::visible;

/// One concrete operation that a guest attempts.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the types of the fields say it")]
pub enum Request {
    /// Read or change elements inside a selector, or the whole page without one.
    Dom { access: Access, markup: Markup, selector: Option<Selector> },
    /// Read a variable.
    Env { name: EnvName },
    /// Read or change a file or folder.
    Fs { access: Access, path: FilePath },
    /// Call a function of the embedding program.
    Function { name: FunctionName },
    /// Send an HTTP request.
    Network { method: Method, url: FetchUrl },
    /// Start a command.
    Process { command: CommandName },
    /// Read or write a state of the embedding program.
    State { access: Access, name: StateName },
    /// Read or write a key; without a key, list or clear the whole area.
    Storage { area: StorageArea, access: Access, key: Option<Key> },
}

impl Request {
    /// Returns the narrowest capability that allows this request.
    ///
    /// It allows nothing else, except for differences that no capability can express: the query of
    /// a URL and the spelling of its path.
    pub fn required(&self) -> Capability {
        match self {
            Self::Dom { access, markup, selector } => {
                Capability::Dom(Dom::required(*access, *markup, selector.as_ref()))
            }
            Self::Env { name } => Capability::Env(Env::required(name)),
            Self::Fs { access, path } => Capability::Fs(Fs::required(*access, path)),
            Self::Function { name } => Capability::Function(Function::required(name)),
            Self::Network { method, url } => Capability::Network(Network::required(method, url)),
            Self::Process { command } => Capability::Process(Process::required(command)),
            Self::State { access, name } => Capability::State(State::required(*access, name)),
            Self::Storage { area, access, key } => {
                Capability::Storage(Storage::required(*area, *access, key.as_ref()))
            }
        }
    }

    /// Returns capabilities to choose from in a prompt: [`required`](Self::required) first, then
    /// each covering the one before it.
    ///
    /// For the network the choices end at the origin. A wildcard for sibling domains is never
    /// offered, because names do not show which domains belong together.
    pub fn suggestions(&self) -> Vec<Capability> {
        fn wrap<T>(steps: Vec<T>, variant: fn(T) -> Capability) -> Vec<Capability> {
            steps.into_iter().map(variant).collect()
        }
        match self {
            Self::Dom { access, markup, selector } => {
                wrap(Dom::widening(*access, *markup, selector.as_ref()), Capability::Dom)
            }
            Self::Env { name } => wrap(Env::widening(name), Capability::Env),
            Self::Fs { access, path } => wrap(Fs::widening(*access, path), Capability::Fs),
            Self::Function { name } => wrap(Function::widening(name), Capability::Function),
            Self::Network { method, url } => {
                wrap(Network::widening(method, url), Capability::Network)
            }
            Self::Process { command } => wrap(Process::widening(command), Capability::Process),
            Self::State { access, name } => wrap(State::widening(*access, name), Capability::State),
            Self::Storage { area, access, key } => {
                wrap(Storage::widening(*area, *access, key.as_ref()), Capability::Storage)
            }
        }
    }

    /// Returns the kind of capability that this request needs.
    pub fn kind(&self) -> Kind {
        self.required().kind()
    }

    /// Describes the request in words for a person: `read the file /data/a.txt`.
    pub fn describe(&self) -> String {
        self.required().describe()
    }
}

/// Writes one line for a log: the kind and its object, with hidden characters escaped. The query
/// of a URL is left out because it may hold secrets.
impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind().fmt(f)?;
        let mut object = |text: &str| write!(f, " {}", visible(text));
        match self {
            Self::Dom { selector, .. } => selector.iter().try_for_each(|s| object(s.as_str())),
            Self::Env { name } => object(name.as_str()),
            Self::Fs { path, .. } => object(path.as_str()),
            Self::Function { name } => object(name.as_str()),
            Self::Network { method, url } => {
                object(&format!("{method} {}{}", url.origin(), url.path()))
            }
            Self::Process { command } => object(command.as_str()),
            Self::State { name, .. } => object(name.as_str()),
            Self::Storage { key, .. } => key.iter().try_for_each(|key| object(key.as_str())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(request: Request, line: &str, required: &str) {
        assert_eq!(request.to_string(), line);
        assert_eq!(request.required().to_string(), required);
    }

    #[test]
    fn log_line_names_kind_and_object() {
        let path = "/secret/key".parse().unwrap();
        let request = Request::Fs { access: Access::Read, path };
        check(request, "fs:read /secret/key", "fs:read:/secret/key");
    }

    #[test]
    fn log_line_is_one_line() {
        let name = "a\nallow fs:write /".parse().unwrap();
        let line = "function:call a\\nallow fs:write /";
        check(Request::Function { name }, line, "function:call:a\nallow fs:write /");
    }

    #[test]
    fn log_line_leaves_the_query_out() {
        let url = "https://a.example:8443/v1?token=s3cr3t#x".parse().unwrap();
        let request = Request::Network { method: "get".parse().unwrap(), url };
        check(
            request,
            "network:fetch GET https://a.example:8443/v1",
            "network:fetch:GET@https://a.example:8443/v1",
        );
    }

    #[test]
    fn request_for_the_whole_has_no_object() {
        let request =
            Request::Dom { access: Access::Write, markup: Markup::Sanitised, selector: None };
        check(request, "dom:write", "dom:write");
    }
}
