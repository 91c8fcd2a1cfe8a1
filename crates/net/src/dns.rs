//! Name resolution that can be interrupted.
//!
//! The system's resolver blocks a thread for each name, for as long as a name server is silent. A
//! guest that may reach any public address could keep all those threads busy. Here a lookup is a
//! future with a few sockets: dropping it ends it, and no lookup waits for another (T-NET-013).
//!
//! - `config`: the files of the machine that say how names are resolved
//! - `message`: questions and answers as bytes; answers are hostile
//! - `ask`: one question to one name server
//!
//! A stub: it asks the name servers of the machine and follows no referral.

mod ask;
mod config;
mod message;
#[cfg(test)]
mod tests;

use std::io;
use std::net::{IpAddr, Ipv6Addr, SocketAddr, UdpSocket};
use std::time::Duration;

use cofferdam_caps::network::{LOOPBACK, is_loopback_name};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::Later;
use crate::resolver::{Resolver, SystemResolver};
use ask::Failure;
use config::{Machine, Source};
use message::Kind;

/// Longest time for one name, whatever the machine's settings say.
const MAX_TIME: Duration = Duration::from_secs(20);

/// Most lookups at once; each has two sockets.
const MAX_LOOKUPS: usize = 512;

/// Resolves names as the machine does: hosts file, name servers and search list. Blocks no thread,
/// except for names that only the system's own resolver knows, such as those of `.local`.
pub struct MachineResolver {
    machine: Machine,
    system: SystemResolver,
    lookups: Semaphore,
}

impl MachineResolver {
    /// Creates a resolver that reads the files below `/etc` when they have changed.
    pub fn new() -> Self {
        Self::on(Machine::here())
    }

    fn on(machine: Machine) -> Self {
        Self { machine, system: SystemResolver, lookups: Semaphore::new(MAX_LOOKUPS) }
    }

    async fn lookup(&self, domain: &str) -> io::Result<Vec<IpAddr>> {
        let config = self.machine.config();
        let name = domain.strip_suffix('.').unwrap_or(domain).to_ascii_lowercase();
        if let Some(addresses) = config.hosts.get(&name) {
            return Ok(addresses.clone());
        }
        // No name server is asked for these (RFC 6761).
        if is_loopback_name(&name) {
            return Ok(LOOPBACK.to_vec());
        }
        if config.source_of(&name) == Source::System {
            return self.system.resolve(domain).await;
        }
        let _turn = self.lookups.acquire().await.map_err(io::Error::other)?;
        let mut failure = None;
        for candidate in config.candidates(domain) {
            match both(&config.servers, &config.timing, &candidate).await {
                Ok(addresses) if addresses.is_empty() => {}
                Ok(addresses) => return Ok(addresses),
                Err(error) => failure = Some(error),
            }
        }
        match failure {
            Some(Failure::Silent) => {
                Err(io::Error::new(io::ErrorKind::TimedOut, "no name server answers"))
            }
            Some(Failure::Refused) => Err(io::Error::other("the name servers cannot tell")),
            None => Err(io::Error::new(io::ErrorKind::NotFound, "no such name")),
        }
    }
}

impl Default for MachineResolver {
    fn default() -> Self {
        Self::new()
    }
}

impl Resolver for MachineResolver {
    fn resolve<'a>(&'a self, domain: &'a str) -> Later<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            let late = || io::Error::new(io::ErrorKind::TimedOut, "no name server answers");
            timeout(MAX_TIME, self.lookup(domain)).await.unwrap_or_else(|_| Err(late()))
        })
    }
}

/// Returns the addresses of both kinds, the usable kind first. One kind is enough.
async fn both(
    servers: &[SocketAddr],
    timing: &config::Timing,
    name: &str,
) -> Result<Vec<IpAddr>, Failure> {
    let (four, six) = tokio::join!(
        ask::addresses(servers, timing, name, Kind::Four),
        ask::addresses(servers, timing, name, Kind::Six)
    );
    let (four, six) = match (four, six) {
        (Err(failure), Err(_)) => return Err(failure),
        (Err(failure), Ok(found)) | (Ok(found), Err(failure)) if found.is_empty() => {
            return Err(failure);
        }
        (four, six) => (four.unwrap_or_default(), six.unwrap_or_default()),
    };
    Ok(match has_ipv6() {
        true => alternating(six, four),
        false => four.into_iter().chain(six).collect(),
    })
}

/// Returns the addresses of two lists in turn, because only the first few are tried.
fn alternating(first: Vec<IpAddr>, second: Vec<IpAddr>) -> Vec<IpAddr> {
    let (mut first, mut second) = (first.into_iter(), second.into_iter());
    let mut all = Vec::new();
    loop {
        let pair = [first.next(), second.next()];
        if pair == [None, None] {
            return all;
        }
        all.extend(pair.into_iter().flatten());
    }
}

/// Returns true if this machine has a route for IPv6. Nothing is sent: a datagram socket only
/// chooses its own address, towards one that belongs to nobody.
fn has_ipv6() -> bool {
    let nobody = SocketAddr::from((Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1), 9));
    UdpSocket::bind((Ipv6Addr::UNSPECIFIED, 0)).and_then(|socket| socket.connect(nobody)).is_ok()
}
