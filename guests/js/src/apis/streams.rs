//! Natives of the streams: compression. The streams themselves are JavaScript.

pub(super) mod compression;
