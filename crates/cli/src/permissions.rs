//! Options that grant permissions to a run, and access to the store of grants and the audit log.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use cofferdam::capabilities::{Error, ErrorKind};
use cofferdam::permissions::{Approver, Broker, Discard, InMemory, Ledger, Setup};
use cofferdam::{Capability, SandboxBuilder, SealKey, shell_word, visible};
use cofferdam_serve::own_address::OwnAddresses;
use cofferdam_store::{OneRun, Store};

use crate::paint::Tone;
use crate::prompt::{Lasting, Prompt};
use crate::report::{self, Failure};

/// Name of the sandbox of all runs from the command line. It is fixed, so that a request made by
/// one run is recognised in the next.
pub(crate) const SANDBOX: &str = "terminal";

/// Permissions of a run.
#[derive(clap::Args)]
pub(crate) struct PermissionArgs {
    /// Give the run a capability, such as fs:read:/data/** or network:fetch:GET@https://example.com
    #[arg(long = "allow", value_name = "CAPABILITY")]
    allow: Vec<String>,

    /// Ask on the terminal about anything that is not granted
    #[arg(long)]
    ask: bool,

    /// Do not use or keep grants, requests and the audit log
    #[arg(long)]
    ephemeral: bool,

    /// The store of a process with one run.
    #[arg(skip)]
    one_run: Option<Arc<OneRun>>,
}

impl PermissionArgs {
    /// Asks about what is not granted, as with `--ask`.
    pub(crate) fn also_ask(&mut self) {
        self.ask = true;
    }

    /// Applies the permissions to a sandbox. The returned broker must be flushed at the end.
    pub(crate) fn fill(
        &mut self,
        mut sandbox: SandboxBuilder,
    ) -> Result<(SandboxBuilder, Broker), Failure> {
        let (capabilities, broker) = self.open()?;
        for capability in capabilities {
            sandbox = sandbox.grant(capability);
        }
        Ok((sandbox.name(SANDBOX).broker(&broker), broker))
    }

    /// Prepares the store, if one is used, for a process with one run. The run is that of a tool with
    /// this identity, if one is given. A store that will be needed is opened on another thread:
    /// opening takes as long as loading a guest.
    pub(crate) fn open_ahead(&mut self, tool: Option<&str>) -> Result<(), Failure> {
        if !self.ephemeral {
            self.one_run = Some(Arc::new(OneRun::prepare(&store_path()?, tool)));
        }
        Ok(())
    }

    /// Returns the given capabilities, and a broker with the approver that was asked for.
    pub(crate) fn open(&mut self) -> Result<(Vec<Capability>, Broker), Failure> {
        let allowed = self.allow.iter().map(|text| parse(text, "--allow"));
        let allowed = allowed.collect::<Result<Vec<_>, _>>()?;
        let mut setup = match self.ephemeral {
            true => {
                let memory = InMemory::new().map_err(Failure::from_broker)?;
                Broker::setup(Arc::new(memory), Arc::new(Discard))
            }
            false => match &self.one_run {
                Some(store) => Broker::setup(store.clone(), store.clone()).keep_sessions(),
                None => setup(&store().map_err(without_store)?),
            },
        };
        if self.ask {
            let lasting = if self.ephemeral { Lasting::InMemory } else { Lasting::InStore };
            let approver: Arc<dyn Approver> = Arc::new(Prompt::open(lasting)?);
            setup = setup.approver(approver);
        }
        let broker = setup.open().map_err(Failure::from_broker);
        let broker = if self.ephemeral { broker? } else { broker.map_err(without_store)? };
        if let Some(store) = &self.one_run {
            tell_of_dropped(&store_path()?, store.dropped_grants());
        }
        Ok((allowed, broker))
    }

    /// Returns the key of the user's store that exports are sealed with. Returns `None` if no store
    /// is used.
    pub(crate) fn seal_key(&self) -> Result<Option<SealKey>, Failure> {
        match self.ephemeral {
            true => Ok(None),
            false => seal_key(&store()?).map(Some).map_err(Failure::from_broker),
        }
    }

    /// Returns the file of the prompt's history, beside the store. Returns `None` if no store is
    /// used.
    pub(crate) fn history(&self) -> Option<PathBuf> {
        let store = cofferdam_store::user_path().filter(|_| !self.ephemeral)?;
        Some(store.with_file_name("sh_history"))
    }
}

/// Audit log of a run that needs no permissions.
#[derive(clap::Args)]
pub(crate) struct Noted {
    /// Do not record the run in the audit log
    #[arg(long)]
    ephemeral: bool,
}

impl Noted {
    /// Connects a sandbox with the audit log. The returned broker must be flushed at the end.
    pub(crate) fn fill(
        &self,
        sandbox: SandboxBuilder,
    ) -> Result<(SandboxBuilder, Broker), Failure> {
        let ephemeral = self.ephemeral;
        let mut permissions =
            PermissionArgs { allow: Vec::new(), ask: false, ephemeral, one_run: None };
        permissions.open_ahead(None)?;
        permissions.fill(sandbox)
    }
}

/// Parses a capability. `before` is the option or the start of the command that it follows; the
/// hint repeats it.
pub(crate) fn parse(text: &str, before: &str) -> Result<Capability, Failure> {
    text.parse().map_err(|error: Error| {
        let message = match before.starts_with("--") {
            true => format!("{before}: {error}"),
            false => error.to_string(),
        };
        let meant = match error.suggestion() {
            _ if url(text).is_some() => quoted(&url(text).unwrap_or_default()),
            // Other suggestions replace a part of the text only.
            Some(meant) if error.kind() == ErrorKind::UnknownName => quoted(meant),
            Some(_) | None => format!("{}   (for example)", quoted(example(text))),
        };
        Failure::usage(message).hint(format!("{before} {meant}"))
    })
}

/// Quotes a capability for the shell. Also quotes text that needs no quotes, because a person may
/// extend it with a star.
pub(crate) fn quoted(capability: &str) -> String {
    let word = shell_word(capability);
    if word == capability { format!("'{word}'") } else { word }
}

/// Endings of file names that are not top-level domains.
const FILE_ENDINGS: [&str; 14] = [
    "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "wasm", "json", "html", "htm", "txt",
    "csv",
];

/// Returns true if the text is the name of a file rather than a host name or a capability.
pub(crate) fn is_file_name(text: &str) -> bool {
    let path = std::path::Path::new(text);
    let ending = path.extension().and_then(|ending| ending.to_str());
    !text.contains(':') && (path.exists() || ending.is_some_and(|end| FILE_ENDINGS.contains(&end)))
}

/// Returns the capability that an address alone, or an address without a scheme, probably meant.
fn url(text: &str) -> Option<String> {
    if is_file_name(text) {
        return None;
    }
    let address = text.strip_prefix("network:fetch:").unwrap_or(text);
    let (is_whole, rest) = match address.split_once("://") {
        Some(("http" | "https", rest)) => (true, rest),
        Some(_) => return None,
        None => (false, address),
    };
    let host = rest.split(['/', ':']).next()?;
    let is_host = host.contains('.') || host == "localhost";
    let scheme = if is_whole { "" } else { "https://" };
    let meant = format!("network:fetch:{scheme}{address}");
    (is_host && meant.parse::<Capability>().is_ok()).then_some(meant)
}

/// Returns an example of a capability in the area that the text begins with.
fn example(text: &str) -> &'static str {
    match text.split(':').next().unwrap_or_default() {
        "dom" => "dom:read:#main",
        "env" => "env:read:LANG",
        "function" => "function:call:NAME",
        "network" => "network:fetch:GET@https://example.com/v1/**",
        "process" => "process:exec:ls",
        "state" => "state:read:NAME",
        "storage" => "storage:local:read:KEY",
        _ => "fs:read:/data/**",
    }
}

/// Returns the path of the user's store. Behind the walls there is none: a store that this program
/// made there would be gone with the run, and its grants would mean nothing.
// T-NAT-009.
pub(crate) fn store_path() -> Result<PathBuf, Failure> {
    #[cfg(target_os = "linux")]
    if cofferdam::native::is_inside() {
        return Err(Failure::usage(
            "this is a sandbox of `cofferdam exec`: grants are kept and decided outside of it",
        ));
    }
    cofferdam_store::user_path().ok_or_else(|| {
        Failure::usage("store: neither XDG_DATA_HOME nor HOME is set")
            .hint("export XDG_DATA_HOME=/path/of/yours")
    })
}

/// Opens the user's store.
pub(crate) fn store() -> Result<Store, Failure> {
    let path = store_path()?;
    let store = Store::open(&path).map_err(Failure::from_broker)?;
    tell_of_dropped(&path, store.dropped_grants());
    Ok(store)
}

/// Says that a conversion dropped grants, if it did.
fn tell_of_dropped(path: &Path, number: u32) {
    if number > 0 {
        let shown = visible(&path.to_string_lossy()).into_owned();
        report::labelled(
            Tone::Note,
            "note",
            &format!(
                "{shown}: {number} grants of an earlier version were dropped, because they knew \
                 their tools by a part of a hash only; grant them again when a run needs them"
            ),
        );
    }
}

fn without_store(failure: Failure) -> Failure {
    failure.hint("--ephemeral   (runs without the store)")
}

/// Returns the key of a store that exports are sealed with.
pub(crate) fn seal_key(store: &Store) -> Result<SealKey, cofferdam::permissions::Error> {
    Ok(SealKey::derived_from(&store.key()?))
}

/// Opens a broker on the user's store.
pub(crate) fn broker() -> Result<(Store, Broker), Failure> {
    let store = store()?;
    let broker = setup(&store).open().map_err(Failure::from_broker)?;
    Ok((store, broker))
}

/// Returns the addresses of running servers, which no run may reach.
// T-NET-012.
pub(crate) fn own_addresses(store: &Store) -> Result<OwnAddresses, Failure> {
    let fronts = store.fronts().map_err(Failure::from_broker)?;
    let addresses = fronts.iter().flat_map(|front| &front.addresses);
    let own = OwnAddresses::default();
    own.set(addresses.filter_map(|address| address.parse().ok()).collect());
    Ok(own)
}

fn setup(store: &Store) -> Setup {
    // All runs of the command line are in one sandbox, so a session is the same in all of them.
    Broker::setup(Arc::new(store.clone()), Arc::new(store.clone())).keep_sessions()
}

/// Returns the name of the user, which decisions are recorded with.
pub(crate) fn who() -> String {
    std::env::var("USER").or_else(|_| std::env::var("LOGNAME")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_answered_with_the_capability_for_it() {
        let hint = |text: &str| parse(text, "--allow").err().map(|failure| failure.hints.concat());
        let check = |text: &str, meant: &str| {
            assert_eq!(hint(text), Some(format!("--allow '{meant}'")), "{text}");
        };
        check("https://example.com", "network:fetch:https://example.com");
        check("example.com", "network:fetch:https://example.com");
        check("network:fetch:example.com/v1/*", "network:fetch:https://example.com/v1/*");
        check("http://localhost:8080", "network:fetch:http://localhost:8080");
        check("fs:raed:/a.b", "fs:read:/a.b");
        check("bun.sh", "network:fetch:https://bun.sh");
        let example = "--allow 'fs:read:/data/**'   (for example)";
        assert_eq!(hint("total.js").as_deref(), Some(example));
        let example = "--allow 'network:fetch:GET@https://example.com/v1/**'   (for example)";
        assert_eq!(hint("network:fetch:ftp://a.b").as_deref(), Some(example));
    }

    #[test]
    fn every_example_is_a_capability() {
        for kind in cofferdam::capabilities::Kind::ALL {
            let name = kind.to_string();
            let example = example(&name);
            assert!(example.parse::<Capability>().is_ok(), "{example}");
            assert_eq!(example.split(':').next(), name.split(':').next());
        }
    }
}
