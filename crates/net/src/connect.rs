//! Connecting to a checked address, with TLS for `https`.
//!
//! Takes addresses only as [`Checked`], so that nothing unchecked is ever dialled.

use std::net::SocketAddr;

use cofferdam_caps::network::{Origin, Scheme};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};

use crate::error::{FetchError, FetchErrorKind};
use crate::reach::Checked;
use crate::tls::Tls;

/// Maps a checked address to the address that is dialled.
///
/// A hook for tests, whose servers listen on loopback only. Production code uses [`Direct`]; any
/// other implementation bypasses the address checks.
pub trait Dialer: Send + Sync {
    /// Returns the address to dial in place of `checked`.
    fn dial(&self, checked: SocketAddr) -> SocketAddr;
}

/// Dials the checked address itself.
#[derive(Debug, Clone, Copy, Default)]
pub struct Direct;

impl Dialer for Direct {
    fn dial(&self, checked: SocketAddr) -> SocketAddr {
        checked
    }
}

/// A connection, plain or encrypted.
pub(crate) trait Wire: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Wire for T {}

/// Connects to the first address that responds.
pub(crate) async fn connect(
    origin: &Origin,
    checked: &Checked,
    dialer: &dyn Dialer,
    tls: &Tls,
    deadline: Instant,
) -> Result<Box<dyn Wire>, FetchError> {
    let stream = dial(origin, checked, dialer, deadline).await?;
    // Requests are written whole, so waiting to fill a packet only adds delay.
    let _ = stream.set_nodelay(true);
    Ok(match origin.scheme {
        Scheme::Http => Box::new(stream),
        Scheme::Https => Box::new(tls.secure(&origin.host, stream).await?),
    })
}

async fn dial(
    origin: &Origin,
    checked: &Checked,
    dialer: &dyn Dialer,
    deadline: Instant,
) -> Result<TcpStream, FetchError> {
    let addresses = checked.addresses();
    let mut reason = "no address to connect to".to_owned();
    for (tried, &address) in addresses.iter().enumerate() {
        // An address that drops packets must leave time for the remaining ones.
        let others = u32::try_from(addresses.len() - tried).unwrap_or(u32::MAX);
        let share = deadline.saturating_duration_since(Instant::now()) / others;
        match timeout(share, TcpStream::connect(dialer.dial(address))).await {
            Ok(Ok(stream)) => return Ok(stream),
            Ok(Err(error)) => reason = format!("cannot connect to port {}: {error}", origin.port),
            Err(_) => reason = format!("no answer at port {}", origin.port),
        }
    }
    Err(FetchError::new(FetchErrorKind::Connect, &origin.host, reason))
}
