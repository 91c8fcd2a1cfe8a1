//! Outbound HTTP for guests, with limits on reachable addresses, sent headers and response size.
//!
//! [`Client::fetch`] sends one request under an [`Authority`], which decides on the first request
//! and again on each redirect before it is followed. The host name is resolved once per request,
//! every address is checked, and the connection goes to a checked address.
//!
//! ```no_run
//! # async fn example(authority: &dyn cofferdam_net::Authority) -> Result<(), Box<dyn std::error::Error>> {
//! use cofferdam_net::{Client, Fetch, Settings};
//!
//! let client = Client::new(Settings::default());
//! let fetch = Fetch::new("GET".parse()?, "https://api.example.com/v1/items".parse()?);
//! let mut response = client.fetch(fetch, authority).await?;
//! while let Some(chunk) = response.body.chunk().await {
//!     println!("{} bytes", chunk?.len());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! In reading order:
//!
//! - [`Client`], [`Settings`]: one fetch from start to end, redirects included
//! - [`Fetch`], [`Body`], [`Limits`]: the request of a guest
//! - [`BodySink`], [`Wanted`]: a request body that is written while it is sent
//! - [`Authority`], [`Passage`], [`NotAuthorised`]: the decision on a request, and the headers a
//!   grant adds
//! - [`Response`], [`ResponseBody`]: the response as the guest sees it
//! - [`AddressClass`], `reach`, `port`: addresses and ports that are never connected to
//! - `headers`, `redirect`: headers removed from requests and responses, and the redirect rules
//! - `hop`, `connect`, `tls`, `pump`, `decode`: one request on one connection
//! - [`Resolver`], `dns`: names and their addresses
//! - `driver`: the thread that runs all connections
//! - `browser`: in place of the last two lines, the page's `fetch`
//!
//! Absent on purpose:
//!
//! - **Connection reuse.** Each request has its own connection. No check outlives its grant, no
//!   sandbox learns from timing what another one fetched, and no response is read from another
//!   sandbox's connection.
//! - **HTTP/2.** It gains nothing with one request per connection.
//! - **Proxies, cookies, caches, TLS sessions** and any other state kept between requests.
//!   `HTTP_PROXY` and similar variables are not read: a proxy would resolve the name a second time.
//! - **Brotli.** It is not advertised; a Brotli body is passed on undecoded.

mod address;
mod authority;
mod body;
#[cfg(target_family = "wasm")]
mod browser;
mod client;
#[cfg(not(target_family = "wasm"))]
mod connect;
#[cfg(not(target_family = "wasm"))]
mod decode;
#[cfg(not(target_family = "wasm"))]
mod dns;
#[cfg(not(target_family = "wasm"))]
mod driver;
mod error;
mod exchange;
mod fetch;
mod headers;
#[cfg(not(target_family = "wasm"))]
mod hop;
mod port;
#[cfg(not(target_family = "wasm"))]
mod pump;
#[cfg(not(target_family = "wasm"))]
mod reach;
mod redirect;
#[cfg(not(target_family = "wasm"))]
mod resolver;
mod response;
#[cfg(not(target_family = "wasm"))]
mod settings;
#[cfg(not(target_family = "wasm"))]
mod tls;
mod upload;

use std::pin::Pin;

pub use address::AddressClass;
pub use authority::{Authority, NotAuthorised, Passage};
pub use body::Body;
#[cfg(target_family = "wasm")]
pub use browser::{Page, PageRequest, PageResponse, Settings};
pub use bytes::Bytes;
pub use client::Client;
pub use error::{FetchError, FetchErrorKind};
pub use fetch::{Fetch, Limits, Redirect};
pub use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
pub use response::{Response, ResponseBody};
pub use upload::{BodyClosed, BodySink, Wanted};
#[cfg(target_family = "wasm")]
use {browser as driver, browser as hop, browser as settings};
#[cfg(not(target_family = "wasm"))]
pub use {
    connect::{Dialer, Direct},
    dns::MachineResolver,
    reach::Never,
    resolver::{Resolver, SystemResolver},
    settings::Settings,
    tls::Roots,
};

/// A boxed future, for object-safe traits.
pub type Later<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
