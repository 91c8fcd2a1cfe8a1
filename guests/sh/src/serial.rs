//! Trees and the shell's state as bytes, for subshells.

use serde::{Deserialize, Serialize};

use crate::syntax::ast::{Command, Kind, Simple};

/// A command as bytes.
pub fn pack_command(command: &Command) -> Vec<u8> {
    pack(command)
}

/// A command from bytes. Only ever given what a shell of ours packed; anything else is a command
/// that does nothing.
pub fn unpack_command(bytes: &[u8]) -> Command {
    unpack(bytes).unwrap_or(Command {
        line: 0,
        kind: Kind::Simple(Simple::default()),
        redirects: Vec::new(),
    })
}

/// Anything as bytes.
pub fn pack<T: Serialize>(value: &T) -> Vec<u8> {
    postcard::to_allocvec(value).unwrap_or_default()
}

/// Anything from bytes.
pub fn unpack<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Option<T> {
    postcard::from_bytes(bytes).ok()
}
