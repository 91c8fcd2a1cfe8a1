//! Serialisation of syntax trees and shell state, for subshells.

use serde::{Deserialize, Serialize};

use crate::syntax::ast::{Command, Kind, Simple};

/// Serialises a command.
pub fn pack_command(command: &Command) -> Vec<u8> {
    pack(command)
}

/// Deserialises a command. The bytes come from [`pack_command`] in another shell process; malformed
/// bytes give a command that does nothing.
pub fn unpack_command(bytes: &[u8]) -> Command {
    unpack(bytes).unwrap_or(Command {
        line: 0,
        kind: Kind::Simple(Simple::default()),
        redirects: Vec::new(),
    })
}

/// Serialises a value.
pub fn pack<T: Serialize>(value: &T) -> Vec<u8> {
    postcard::to_allocvec(value).unwrap_or_default()
}

/// Deserialises a value, or returns `None` if the bytes are malformed.
pub fn unpack<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Option<T> {
    postcard::from_bytes(bytes).ok()
}
