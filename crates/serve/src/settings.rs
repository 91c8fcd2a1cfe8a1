//! Options of a server, from flags, environment variables or a TOML file.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value as Json};

/// Options of a server. The defaults are those of a server for one person on one machine.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// Address to listen on.
    pub listen: SocketAddr,
    /// Socket file to listen on, in place of an address.
    pub unix: Option<PathBuf>,
    /// Users that may connect to the socket file, by number; empty for all that can open it.
    pub peers: Vec<u32>,
    /// Address of the server as browsers see it, if it is not the one it listens on.
    pub url: Option<String>,
    /// Further names that clients may use in `Host`, with the port if it is not the default.
    pub hosts: Vec<String>,
    /// Further origins that may send requests.
    pub origins: Vec<String>,
    /// Certificate chain for TLS, as PEM.
    pub tls_cert: Option<PathBuf>,
    /// Private key for TLS, as PEM.
    pub tls_key: Option<PathBuf>,
    /// Listens on an address other than loopback without TLS.
    pub plain: bool,
    /// Longest JSON body.
    pub body_bytes: usize,
    /// Longest body of a file or of an archive.
    pub file_bytes: usize,
    /// Requests that each client may make in a second, on average.
    pub rate: u32,
    /// Requests that each client may make at once.
    pub burst: u32,
    /// Most cells at once: runs that compute or wait, and sessions.
    pub cells: u32,
    /// Most runs of one agent that are under way, or wait for a cell or for an answer.
    pub runs_per_agent: usize,
    /// Most sandboxes that are kept for one agent.
    pub sandboxes_per_agent: usize,
    /// Seconds that a run waits for an answer.
    pub wait_seconds: u64,
    /// Seconds that runs may go on after the server was told to end.
    pub drain_seconds: u64,
    /// Seconds between two signs of life of a stream.
    pub heartbeat_seconds: u64,
    /// Seconds that a call of MCP waits for a person before it returns and leaves the run waiting.
    pub mcp_wait_seconds: u64,
    /// Seconds in which a client of MCP must come back with the state of a call that waits.
    pub mcp_state_seconds: u64,
    /// Lets clients of MCP answer questions of low and medium risk in a form. A form proves no
    /// person.
    pub mcp_forms: bool,
    /// Requires a passkey for decisions of high risk and for those that grant always.
    pub passkeys: bool,
    /// Lets agents run native programs of this machine, behind walls of the operating system.
    pub native: bool,
    /// Largest limits that an agent may set, by name. A limit that is not named is at most its
    /// default.
    pub limits: Map<String, Json>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            listen: SocketAddr::from(([127, 0, 0, 1], 8930)),
            unix: None,
            peers: Vec::new(),
            url: None,
            hosts: Vec::new(),
            origins: Vec::new(),
            tls_cert: None,
            tls_key: None,
            plain: false,
            body_bytes: 16 << 20,
            file_bytes: 256 << 20,
            rate: 5_000,
            burst: 10_000,
            cells: 1_000,
            runs_per_agent: 10_000,
            sandboxes_per_agent: 256,
            wait_seconds: 24 * 60 * 60,
            drain_seconds: 10,
            heartbeat_seconds: 15,
            mcp_wait_seconds: 45,
            mcp_state_seconds: 600,
            mcp_forms: false,
            passkeys: false,
            native: false,
            limits: Map::new(),
        }
    }
}

impl Settings {
    /// Reads options from the text of a TOML file.
    pub fn from_toml(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| error.to_string().trim_end().to_owned())
    }

    /// Checks that the options fit together.
    pub fn check(&self) -> Result<(), String> {
        match (&self.tls_cert, &self.tls_key) {
            (Some(_), None) => return Err("tls-cert: given without tls-key".into()),
            (None, Some(_)) => return Err("tls-key: given without tls-cert".into()),
            (Some(_), Some(_)) | (None, None) => {}
        }
        let is_near = self.unix.is_some() || self.listen.ip().is_loopback();
        if !is_near && self.tls_cert.is_none() && !self.plain {
            let listen = self.listen;
            return Err(format!(
                "listen: {listen} is not loopback, so it needs tls-cert and tls-key"
            ));
        }
        for (name, number) in [("rate", self.rate), ("burst", self.burst), ("cells", self.cells)] {
            if number == 0 {
                return Err(format!("{name}: must be more than 0"));
            }
        }
        cofferdam_front::exec::limits(cofferdam::Limits::default(), &self.limits)
            .map(drop)
            .map_err(|bad| bad.0)
    }

    /// Returns true if the server uses TLS.
    pub fn has_tls(&self) -> bool {
        self.tls_cert.is_some()
    }

    /// Returns the time between two signs of life of a stream.
    pub fn heartbeat(&self) -> Duration {
        Duration::from_secs(self.heartbeat_seconds.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str) {
        let checked = Settings::from_toml(text).and_then(|settings| settings.check());
        let error = checked.err().unwrap_or_default();
        assert!(error.contains(expect) && error.is_empty() == expect.is_empty(), "{text}: {error}");
    }

    #[test]
    fn an_address_of_others_needs_tls_or_a_word() {
        check("", "");
        check("listen = '127.0.0.1:0'", "");
        check("listen = '[::1]:80'", "");
        check("listen = '0.0.0.0:80'", "is not loopback, so it needs tls-cert and tls-key");
        check("listen = '0.0.0.0:80'\nplain = true", "");
        check("listen = '0.0.0.0:80'\ntls-cert = 'a'\ntls-key = 'b'", "");
        check("tls-cert = 'a'", "tls-cert: given without tls-key");
    }

    #[test]
    fn a_name_that_is_none_is_refused() {
        check("listne = '127.0.0.1:0'", "unknown field `listne`");
        check("limits = { timeoutMs = 60000 }", "");
        check("limits = { time = 1 }", "limits.time");
        check("rate = 0", "rate: must be more than 0");
    }
}
