//! Text: dates, comparison of files, similarity, merging of files, messages.

pub(crate) mod apply;
pub(crate) mod compare;
pub(crate) mod date;
pub(crate) mod mail;
pub(crate) mod merge;
pub(crate) mod message;
pub(crate) mod similar;
