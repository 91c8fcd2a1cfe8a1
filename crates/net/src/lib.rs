//! Outbound HTTP for guests: what may be reached, what is sent, how much comes back.
//!
//! [`Client::fetch`] sends one request under an [`Authority`], which is asked before the first
//! connection and again before each redirect is followed. The name is resolved once, every
//! address is checked, and the connection is made to what was checked.
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
//! - [`Client`], [`Settings`]: the way of one fetch, redirects included
//! - [`Fetch`], [`Body`], [`Limits`]: what a guest asks for
//! - [`BodySink`], [`Wanted`]: a request's body that is written while it is sent
//! - [`Authority`], [`Passage`], [`Refused`]: who says yes, and what comes with it
//! - [`Response`], [`ResponseBody`]: what it gets
//! - [`AddressClass`], `reach`, `port`: where no connection goes
//! - `headers`, `redirect`: what is left out on the way there and back
//! - `hop`, `connect`, `tls`, `pump`, `decode`: one request on one connection
//! - `driver`: the thread all of that runs on
//!
//! Absent on purpose:
//!
//! - **Kept connections.** Each request has its own, so no check outlives its grant, no sandbox
//!   sees from timing what another fetched, and no answer is read from another's connection.
//! - **HTTP/2.** One request per connection has nothing to gain from it.
//! - **Proxies, cookies, caches, TLS sessions**, and everything else that remembers.
//!   `HTTP_PROXY` and its kin are not read: a proxy would resolve the name once more.
//! - **Brotli**, which is not advertised; a body in it arrives as it was sent.

mod address;
mod authority;
mod body;
mod client;
mod connect;
mod decode;
mod driver;
mod error;
mod fetch;
mod headers;
mod hop;
mod port;
mod pump;
mod reach;
mod redirect;
mod resolver;
mod response;
mod tls;
mod upload;

use std::pin::Pin;

pub use address::AddressClass;
pub use authority::{Authority, Passage, Refused};
pub use body::Body;
pub use bytes::Bytes;
pub use client::{Client, Settings};
pub use connect::{Dialer, Direct};
pub use error::{FetchError, FetchErrorKind};
pub use fetch::{Fetch, Limits, Redirect};
pub use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
pub use resolver::{Resolver, SystemResolver};
pub use response::{Response, ResponseBody};
pub use tls::Roots;
pub use upload::{BodyClosed, BodySink, Wanted};

/// A boxed future, for traits that are used as objects.
pub type Later<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
