//! Name resolution, behind a trait so that tests and embedders can supply their own.

use std::io;
use std::net::IpAddr;

use crate::Later;

/// Resolves domain names. Called once per connection.
pub trait Resolver: Send + Sync {
    /// Returns all addresses of `domain`, best first. Polled on the client's thread inside its
    /// tokio runtime.
    fn resolve<'a>(&'a self, domain: &'a str) -> Later<'a, io::Result<Vec<IpAddr>>>;
}

/// Resolves names with the C library, which knows every source that the machine is set up for. Each
/// name blocks one of 16 threads for as long as a name server is silent.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemResolver;

impl Resolver for SystemResolver {
    fn resolve<'a>(&'a self, domain: &'a str) -> Later<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            // The call requires a port but does not use it.
            let found = tokio::net::lookup_host((domain, 0)).await?;
            let mut addresses: Vec<IpAddr> = found.map(|address| address.ip()).collect();
            addresses.dedup();
            Ok(addresses)
        })
    }
}
