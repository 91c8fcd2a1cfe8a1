//! Fetches against servers on loopback, driven without any async runtime on the caller's side.

mod addresses;
mod bodies;
mod dropping;
mod fixture;
mod limits;
mod redirects;
mod secrets;
mod tls;
