//! Fetches against servers on loopback, under an executor of nobody's.

mod addresses;
mod bodies;
mod dropping;
mod limits;
mod redirects;
mod secrets;
mod tls;
mod world;
