//! Sockets, TLS, and the end of the process.

use std::future::Future;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::serve::{Listener, ListenerExt};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio::sync::mpsc;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::server::TlsStream;

use crate::api;
use crate::connections::{self, HEAD};
use crate::server::{Server, blocking};
use crate::settings::Settings;

/// Longest wait for connections after all runs have ended.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Interval at which idle sandboxes are saved or dropped.
const SWEEP: Duration = Duration::from_secs(1);

/// Longest TLS handshake.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// Most handshakes at once, and connections that wait to be served.
const MAX_HANDSHAKES: usize = 256;

/// Pause after the system refused a connection, such as for lack of descriptors.
const PAUSE: Duration = Duration::from_millis(100);

/// A socket that a server listens on.
pub struct Socket(Kind);

enum Kind {
    Tcp(TcpListener),
    Tls(TcpListener, TlsAcceptor),
    Unix(UnixListener, Vec<u32>),
}

impl Socket {
    /// Opens the socket that the options name. Port 0 is replaced by a free one.
    pub async fn bind(settings: &Settings) -> Result<Self, String> {
        settings.check()?;
        if let Some(path) = &settings.unix {
            return Ok(Socket(Kind::Unix(unix(path).await?, settings.peers.clone())));
        }
        let tls = match (&settings.tls_cert, &settings.tls_key) {
            (Some(cert), Some(key)) => Some(acceptor(cert, key)?),
            (_, _) => None,
        };
        let address = settings.listen;
        let tcp =
            TcpListener::bind(address).await.map_err(|error| format!("{address}: {error}"))?;
        Ok(Socket(match tls {
            Some(tls) => Kind::Tls(tcp, tls),
            None => Kind::Tcp(tcp),
        }))
    }

    /// Returns the address, unless it is a file.
    pub fn address(&self) -> Option<SocketAddr> {
        match &self.0 {
            Kind::Tcp(tcp) | Kind::Tls(tcp, _) => tcp.local_addr().ok(),
            Kind::Unix(..) => None,
        }
    }

    /// Returns the URL of the server: the one in the options, or that of the address.
    pub fn url(&self, settings: &Settings) -> String {
        if let Some(url) = &settings.url {
            return url.trim_end_matches('/').to_owned();
        }
        let scheme = if settings.has_tls() { "https" } else { "http" };
        match self.address() {
            Some(address) if address.ip().is_unspecified() => {
                format!("{scheme}://localhost:{}", address.port())
            }
            // Browsers take passkeys for names alone.
            Some(address) if settings.passkeys && address.ip().is_loopback() => {
                format!("{scheme}://localhost:{}", address.port())
            }
            Some(address) => format!("{scheme}://{address}"),
            None => "http://localhost".to_owned(),
        }
    }
}

/// Opens a socket file. One that no server listens on is replaced.
async fn unix(path: &Path) -> Result<UnixListener, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    if UnixStream::connect(path).await.is_ok() {
        return Err(format!("{}: a server listens on it already", path.display()));
    }
    if std::fs::symlink_metadata(path).is_ok_and(|found| {
        use std::os::unix::fs::FileTypeExt;
        found.file_type().is_socket()
    }) {
        std::fs::remove_file(path).map_err(failed)?;
    }
    let listener = UnixListener::bind(path).map_err(failed)?;
    // The folder and the list of users decide who connects; the token decides who is who.
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o666)).map_err(failed)?;
    Ok(listener)
}

fn acceptor(cert: &Path, key: &Path) -> Result<TlsAcceptor, String> {
    let bad = |path: &Path, error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(cert)
        .and_then(Iterator::collect)
        .map_err(|error| bad(cert, &error))?;
    let private = PrivateKeyDer::from_pem_file(key).map_err(|error| bad(key, &error))?;
    let provider = tokio_rustls::rustls::crypto::ring::default_provider();
    let mut config = ServerConfig::builder_with_provider(Arc::new(provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| bad(cert, &error))?
        .with_no_client_auth()
        .with_single_cert(chain, private)
        .map_err(|error| bad(cert, &error))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// Lets the process have as many open files as the system allows. Each connection is one, and the
/// usual limit of 1,024 is for programs of another time.
pub fn raise_open_files() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum {
        let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
        if let Err(error) = setrlimit(Resource::Nofile, raised) {
            tracing::warn!(%error, "the number of open files stays limited");
        }
    }
}

/// Serves until `end` completes, and then until runs have ended.
pub async fn serve(
    server: Server,
    socket: Socket,
    end: impl Future<Output = ()> + Send + 'static,
) -> Result<(), String> {
    let router = api::router(&server, socket.address().map(|address| address.port()));
    let sweeper = tokio::spawn(sweep(server.clone()));
    let (closed, wait) = tokio::sync::oneshot::channel::<()>();
    let draining = server.clone();
    let ended = async move {
        end.await;
        draining.drain().await;
        drop(closed);
    };
    let serving: Pin<Box<dyn Future<Output = ()> + Send>> = match socket.0 {
        Kind::Tcp(tcp) => {
            // Small answers must not wait to fill a packet.
            let listener = tcp.tap_io(|stream| {
                let _ = stream.set_nodelay(true);
            });
            Box::pin(connections::serve(listener, router, HEAD, ended))
        }
        Kind::Tls(tcp, tls) => {
            let listener = Tls::start(tcp, tls);
            Box::pin(connections::serve(listener, router, HEAD, ended))
        }
        Kind::Unix(unix, peers) => {
            let listener = Peers { unix, peers };
            Box::pin(connections::serve(listener, router, HEAD, ended))
        }
    };
    // A client that keeps its connection open does not keep the server alive.
    let late = async {
        let _ = wait.await;
        tokio::time::sleep(LAST_WORDS).await;
    };
    tokio::select! {
        () = serving => {}
        () = late => {}
    }
    sweeper.abort();
    Ok(())
}

async fn sweep(server: Server) {
    let mut tick = tokio::time::interval(SWEEP);
    loop {
        tick.tick().await;
        let server = server.clone();
        let _ = blocking(move || server.boxes().sweep(server.store())).await;
    }
}

/// Connections whose handshake is done. A client that is slow at it keeps nobody waiting.
struct Tls {
    ready: mpsc::Receiver<(TlsStream<TcpStream>, SocketAddr)>,
    address: std::io::Result<SocketAddr>,
}

impl Tls {
    fn start(tcp: TcpListener, tls: TlsAcceptor) -> Self {
        let (sender, ready) = mpsc::channel(MAX_HANDSHAKES);
        let address = tcp.local_addr();
        let handshakes = Arc::new(tokio::sync::Semaphore::new(MAX_HANDSHAKES));
        tokio::spawn(async move {
            while !sender.is_closed() {
                let Ok(slot) = handshakes.clone().acquire_owned().await else { return };
                let Ok((stream, address)) = tcp.accept().await else {
                    tokio::time::sleep(PAUSE).await;
                    continue;
                };
                let _ = stream.set_nodelay(true);
                let (tls, sender) = (tls.clone(), sender.clone());
                tokio::spawn(async move {
                    let done = tokio::time::timeout(HANDSHAKE, tls.accept(stream)).await;
                    if let Ok(Ok(stream)) = done {
                        // The server may have ended.
                        let _ = sender.send((stream, address)).await;
                    }
                    drop(slot);
                });
            }
        });
        Tls { ready, address }
    }
}

impl Listener for Tls {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        match self.ready.recv().await {
            Some(connection) => connection,
            None => std::future::pending().await,
        }
    }

    fn local_addr(&self) -> std::io::Result<SocketAddr> {
        match &self.address {
            Ok(address) => Ok(*address),
            Err(error) => Err(error.kind().into()),
        }
    }
}

/// Connections to a socket file, of the users that may connect.
// T-SERVE-007: another user of the machine.
struct Peers {
    unix: UnixListener,
    peers: Vec<u32>,
}

impl Listener for Peers {
    type Io = UnixStream;
    type Addr = tokio::net::unix::SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        loop {
            let Ok((stream, address)) = self.unix.accept().await else {
                tokio::time::sleep(PAUSE).await;
                continue;
            };
            let uid = stream.peer_cred().map(|peer| peer.uid());
            match uid {
                Ok(uid) if self.peers.is_empty() || self.peers.contains(&uid) => {
                    return (stream, address);
                }
                Ok(uid) => tracing::warn!(uid, "a user that may not connect was turned away"),
                Err(error) => tracing::warn!(%error, "a connection without a user"),
            }
        }
    }

    fn local_addr(&self) -> std::io::Result<tokio::net::unix::SocketAddr> {
        self.unix.local_addr()
    }
}
