//! `cofferdam serve`: HTTP API, MCP and console in one process.

use std::net::SocketAddr;
use std::path::PathBuf;

use cofferdam_serve::assembled::Sources;
use cofferdam_serve::server::Reached;
use cofferdam_serve::{Server, Settings, listen};

use crate::permissions::store;
use crate::place;
use crate::report::{self, Failure};

/// Serve HTTP, MCP and the console where a person says yes.
///
/// Agents use tokens (`cofferdam token create`). They run things and never decide. People sign in
/// with a one-time code (`cofferdam login`) and decide in the console. Options are also read from
/// a TOML file (--config) and from variables such as COFFERDAM_SERVE_LISTEN.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  cofferdam serve
  cofferdam serve --listen 127.0.0.1:9000
  cofferdam serve --tls-cert cert.pem --tls-key key.pem --url https://my.box
  cofferdam serve --set passkeys=true --set 'limits={ timeoutMs = 120000 }'
  cofferdam token create --name agent   # prints the TOKEN of a client

Clients:
  curl -H 'Authorization: Bearer TOKEN' -H 'Content-Type: application/json' \\
    -d '{\"kind\":\"js\",\"code\":\"return 1+1\"}' http://127.0.0.1:8930/v1/exec
  claude mcp add --transport http cofferdam http://127.0.0.1:8930/mcp \\
    --header 'Authorization: Bearer TOKEN'
  COFFERDAM_TOKEN=TOKEN codex mcp add cofferdam \\
    --url http://127.0.0.1:8930/mcp --bearer-token-env-var COFFERDAM_TOKEN
  code --add-mcp '{\"name\":\"cofferdam\",\"type\":\"http\",'\\
'\"url\":\"http://127.0.0.1:8930/mcp\",'\\
'\"headers\":{\"Authorization\":\"Bearer TOKEN\"}}'")]
pub(crate) struct Serve {
    /// Listen on this address
    #[arg(long, value_name = "ADDRESS:PORT", conflicts_with = "unix")]
    listen: Option<SocketAddr>,

    /// Listen on this socket file
    #[arg(long, value_name = "PATH")]
    unix: Option<PathBuf>,

    /// Let only this user connect to the socket file, by number; may be repeated
    #[arg(long = "peer", value_name = "UID", requires = "unix")]
    peers: Vec<u32>,

    /// Address of the server as browsers see it
    #[arg(long, value_name = "URL")]
    url: Option<String>,

    /// Accept this name in the Host header; may be repeated
    #[arg(long = "host", value_name = "NAME[:PORT]")]
    hosts: Vec<String>,

    /// Accept requests from this origin; may be repeated
    #[arg(long = "origin", value_name = "ORIGIN")]
    origins: Vec<String>,

    /// Use TLS with this certificate chain (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,

    /// Private key of the certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,

    /// Listen on an address other than loopback without TLS
    #[arg(long)]
    plain: bool,

    /// Most cells at once: runs that compute or wait, and sessions
    #[arg(long, value_name = "COUNT")]
    cells: Option<u32>,

    /// Set any option of the TOML file, such as drain-seconds=30; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE")]
    set: Vec<String>,

    /// Read options from this TOML file
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Print logs as text instead of JSON
    #[arg(long)]
    text_log: bool,
}

impl Serve {
    pub(crate) fn run(self) -> Result<u8, Failure> {
        let settings = self.settings()?;
        log(self.text_log);
        listen::raise_open_files();
        let failed = |text: String| Failure::usage(text);
        let executor = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        let executor = executor.map_err(|error| failed(format!("threads: {error}")))?;
        executor.block_on(async {
            let socket = listen::Socket::bind(&settings).await.map_err(failed)?;
            let reached = Reached {
                url: Some(socket.url(&settings)),
                addresses: socket.address().into_iter().collect(),
            };
            let url = reached.url.clone().unwrap_or_default();
            let server = Server::open(settings, store()?, reached, cofferdam_front::cache::path());
            let server = server.map_err(failed)?;
            // Before anybody knows of the server, so that no signal finds it without a handler.
            let end = end().map_err(|error| failed(format!("signals: {error}")))?;
            report::note(&format!("listening on {url}; cofferdam login opens the console"));
            listen::serve(server, socket, end).await.map_err(failed)?;
            Ok(0)
        })
    }

    fn settings(&self) -> Result<Settings, Failure> {
        let usage = |text: String| Failure::usage(text).hint("cofferdam serve --help");
        let mut sources = Sources::default();
        if let Some(path) = &self.config {
            let path = path.to_string_lossy();
            let bytes = place::read(&path, 1 << 20, "cofferdam serve --config FILE")?;
            let text = String::from_utf8_lossy(&bytes);
            sources = sources.file(&text).map_err(|error| usage(format!("{path}: {error}")))?;
        }
        let variables = std::env::vars_os().filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        });
        let mut sources = sources.environment(variables);
        let path = |path: &Option<PathBuf>| path.as_ref().map(|p| p.to_string_lossy().into_owned());
        let given = [
            ("listen", self.listen.map(|address| address.to_string())),
            ("unix", path(&self.unix)),
            ("url", self.url.clone()),
            ("tls-cert", path(&self.tls_cert)),
            ("tls-key", path(&self.tls_key)),
            ("cells", self.cells.map(|cells| cells.to_string())),
            ("plain", self.plain.then(|| "true".to_owned())),
        ];
        for (name, value) in given {
            if let Some(value) = value {
                sources.set(name, &value);
            }
        }
        for text in &self.set {
            let Some((name, value)) = text.split_once('=') else {
                return Err(Failure::usage(format!("--set {text}: not NAME=VALUE"))
                    .hint("--set drain-seconds=30"));
            };
            sources.set(name, value);
        }
        if !self.peers.is_empty() {
            sources.set("peers", &format!("{:?}", self.peers));
        }
        sources.add("hosts", self.hosts.clone());
        sources.add("origins", self.origins.clone());
        sources.settings().map_err(usage)
    }
}

/// Writes events to standard error. `COFFERDAM_LOG` selects them, as in `debug` or
/// `cofferdam_serve=warn`.
pub(crate) fn log(as_text: bool) {
    let filter = tracing_subscriber::EnvFilter::try_from_env("COFFERDAM_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("info,rmcp=warn"));
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    // A second subscriber is refused; there is none.
    let _ = match as_text {
        true => builder.with_ansi(false).try_init(),
        false => builder.json().try_init(),
    };
}

/// Listens for signals from now on. The future completes when the process is told to end.
fn end() -> std::io::Result<impl Future<Output = ()> + Send + 'static> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}
