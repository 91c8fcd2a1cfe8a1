//! Natives of `fetch` and of the bodies it sends and receives.

pub(super) mod data_url;
pub(super) mod multipart;
