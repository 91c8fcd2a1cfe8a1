use std::io;
use std::net::IpAddr;

use crate::Later;

/// Turns a domain into addresses. Asked once for each connection.
pub trait Resolver: Send + Sync {
    /// All addresses of `domain`, best first. Polled on the client's own thread, within its
    /// runtime of tokio.
    fn resolve<'a>(&'a self, domain: &'a str) -> Later<'a, io::Result<Vec<IpAddr>>>;
}

/// As the machine resolves names: its hosts file, its name servers, its search list.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemResolver;

impl Resolver for SystemResolver {
    fn resolve<'a>(&'a self, domain: &'a str) -> Later<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            // The port is not looked at; the call wants one.
            let found = tokio::net::lookup_host((domain, 0)).await?;
            let mut addresses: Vec<IpAddr> = found.map(|address| address.ip()).collect();
            addresses.dedup();
            Ok(addresses)
        })
    }
}
