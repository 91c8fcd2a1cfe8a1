//! The network of a sandbox: names and connections of the program end here, and each request goes
//! on through the broker and the client of `cofferdam-net`.
//!
//! The namespace has no way out. Every address in it is local, so that whatever the program
//! connects to is accepted here: as HTTP, or as TLS with a certificate of an authority that exists
//! for this run alone and whose key never enters the sandbox.

mod authority;
mod names;
mod proxy;
mod reply;
mod send;

use std::collections::HashSet;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use cofferdam_net::{Client, Limits};
use cofferdam_walls::{NetworkSockets, PORTS};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_rustls::TlsAcceptor;

use crate::lock;
use crate::output::Stream;
use crate::supervisor::Supervisor;

pub(crate) use authority::Authority;

/// Port of the permission proxy, for programs that speak to one.
pub(crate) const PROXY: u16 = PORTS[2];

/// Port of the resolver.
const RESOLVER: u16 = 53;

/// Most connections at once.
const MAX_CONNECTIONS: usize = 256;

/// Most mebibytes of bodies of requests that are kept at once.
const MAX_KEPT: usize = 64;

/// Time after which a connection is accepted again if the system had no descriptor for it.
const ACCEPT_AGAIN: Duration = Duration::from_millis(50);

/// Most ports that are listened on.
const MAX_PORTS: usize = 256;

/// Longest wait for the first byte on a port that is not one of HTTP. In many protocols the server
/// speaks first, and the program would wait until its time is over.
const FIRST_BYTE: Duration = Duration::from_secs(10);

/// First byte of a TLS connection.
const HANDSHAKE: u8 = 0x16;

/// Longest head of a request.
const MAX_HEAD: usize = 64 << 10;

/// The network of one run.
pub(crate) struct Network {
    pub(crate) client: Client,
    pub(crate) authority: Authority,
    /// Limits of each request.
    pub(crate) limits: Limits,
    /// Room for bodies of requests that are kept, in mebibytes.
    pub(crate) kept: Semaphore,
    /// Sockets that nothing serves yet.
    sockets: Mutex<Option<NetworkSockets>>,
    connections: Arc<Semaphore>,
    /// Ports that are listened on, with loopback apart.
    ports: Mutex<HashSet<(u16, bool)>>,
}

/// A connection of the program, before its first request.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arrival {
    /// Address that the program connected to.
    pub(super) to: SocketAddr,
    pub(super) secure: bool,
}

impl Network {
    pub(crate) fn new(
        client: Client,
        authority: Authority,
        limits: Limits,
        sockets: NetworkSockets,
    ) -> Self {
        Network {
            client,
            authority,
            limits,
            kept: Semaphore::new(MAX_KEPT),
            sockets: Mutex::new(Some(sockets)),
            connections: Arc::new(Semaphore::new(MAX_CONNECTIONS)),
            ports: Mutex::new(PORTS.iter().map(|port| (*port, false)).collect()),
        }
    }
}

/// Serves the sockets that the sandbox was started with, from now on.
pub(crate) fn start(supervisor: &Arc<Supervisor>) {
    let Some(sockets) = lock(&supervisor.network.sockets).take() else { return };
    // A network that nothing serves is one in which every connection waits in vain.
    if let Err(error) = serve(supervisor, sockets) {
        supervisor.output.add(Stream::Err, format!("network: {error}\n").as_bytes());
    }
}

fn serve(supervisor: &Arc<Supervisor>, sockets: NetworkSockets) -> io::Result<()> {
    let no_thread = || io::Error::from(io::ErrorKind::WouldBlock);
    let _context = supervisor.executor.handle().ok_or_else(no_thread)?.enter();
    sockets.names.set_nonblocking(true)?;
    supervisor.executor.spawn(names::serve(tokio::net::UdpSocket::from_std(sockets.names)?));
    for listener in sockets.ports {
        accept(supervisor, listener)?;
    }
    Ok(())
}

/// Prepares for a connection of the program to an address: listens there, unless the program does
/// so itself.
pub(crate) fn expect(supervisor: &Arc<Supervisor>, to: SocketAddr) {
    let network = &supervisor.network;
    let is_loopback = match to.ip() {
        // The resolver of the C library connects to the address that a server is about to bind.
        IpAddr::V4(ip) if ip.is_unspecified() => return,
        IpAddr::V4(ip) => ip.is_loopback(),
        IpAddr::V6(_) => return,
    };
    if to.port() == RESOLVER {
        return;
    }
    // A port of the sandbox itself: the program may be about to listen on it.
    if is_loopback && !is_served_on_host(to.port()) {
        return;
    }
    let key = (to.port(), is_loopback);
    let mut ports = lock(&network.ports);
    let is_open = ports.contains(&key) || ports.contains(&(to.port(), false));
    if is_open || ports.len() >= MAX_PORTS {
        return;
    }
    let Some(executor) = supervisor.executor.handle() else { return };
    if let Ok(listener) = supervisor.sandbox.listen(to.port(), is_loopback) {
        let _context = executor.enter();
        if accept(supervisor, listener).is_ok() {
            ports.insert(key);
        }
    }
}

/// Returns true if something on this machine listens on a port of loopback.
fn is_served_on_host(port: u16) -> bool {
    const LISTENING: &str = "0A";
    let Ok(table) = std::fs::read_to_string("/proc/net/tcp") else { return false };
    let suffix = format!(":{port:04X}");
    table.lines().skip(1).any(|line| {
        let mut fields = line.split_ascii_whitespace().skip(1);
        let (local, state) = (fields.next(), fields.nth(1));
        local.is_some_and(|local| local.ends_with(&suffix)) && state == Some(LISTENING)
    })
}

fn accept(supervisor: &Arc<Supervisor>, listener: std::net::TcpListener) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let listener = TcpListener::from_std(listener)?;
    // The listener does not keep the run alive.
    let supervisor = Arc::downgrade(supervisor);
    let accepting = accept_all(supervisor.clone(), listener);
    if let Some(supervisor) = supervisor.upgrade() {
        supervisor.executor.spawn(accepting);
    }
    Ok(())
}

async fn accept_all(supervisor: Weak<Supervisor>, listener: TcpListener) {
    loop {
        let accepted = listener.accept().await;
        let Some(supervisor) = supervisor.upgrade() else { return };
        let Ok((stream, _)) = accepted else {
            drop(supervisor);
            tokio::time::sleep(ACCEPT_AGAIN).await;
            continue;
        };
        let connections = supervisor.network.connections.clone();
        let Ok(slot) = connections.try_acquire_owned() else { continue };
        tokio::spawn(async move {
            let _slot = slot;
            connect(supervisor, stream).await;
        });
    }
}

/// Serves one connection of the program.
async fn connect(supervisor: Arc<Supervisor>, stream: TcpStream) {
    let Ok(to) = stream.local_addr() else { return };
    let _ = stream.set_nodelay(true);
    let mut first = [0];
    let peek = stream.peek(&mut first);
    let peeked = match PORTS.contains(&to.port()) {
        true => peek.await,
        false => match tokio::time::timeout(FIRST_BYTE, peek).await {
            Ok(peeked) => peeked,
            Err(_) => return not_http(&supervisor, to),
        },
    };
    let secure = match peeked {
        Ok(1) => first[0] == HANDSHAKE,
        Ok(_) | Err(_) => return,
    };
    let arrival = Arrival { to, secure };
    if !secure {
        return converse(supervisor, TokioIo::new(stream), arrival).await;
    }
    let fallback = match to.ip() {
        IpAddr::V4(Ipv4Addr::LOCALHOST) => "localhost".to_owned(),
        ip => ip.to_string(),
    };
    let Ok(settings) = supervisor.network.authority.settings(fallback) else { return };
    // A program that does not trust the authority ends the connection here.
    if let Ok(stream) = TlsAcceptor::from(settings).accept(stream).await {
        converse(supervisor, TokioIo::new(stream), arrival).await;
    }
}

async fn converse<S>(supervisor: Arc<Supervisor>, stream: TokioIo<S>, arrival: Arrival)
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
{
    let serves = supervisor.clone();
    let service = service_fn(move |request| {
        let supervisor = serves.clone();
        async move {
            Ok::<_, std::convert::Infallible>(proxy::serve(supervisor, arrival, request).await)
        }
    });
    let mut server = http1::Builder::new();
    server.max_buf_size(MAX_HEAD).timer(TokioTimer::new());
    // Nobody is left to hear of a connection that breaks.
    if let Err(error) = server.serve_connection(stream, service).await
        && error.is_parse()
    {
        not_http(&supervisor, arrival.to);
    }
}

/// Says why a connection of another protocol was closed, which the program cannot know.
fn not_http(supervisor: &Supervisor, to: SocketAddr) {
    let message = format!("{to}: the connection is not HTTP; other protocols are not supported");
    supervisor.tell_failure(&message);
}
