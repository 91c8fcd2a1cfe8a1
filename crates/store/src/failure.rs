//! Translation of SQLite and file errors into the broker's error, each with a hint.
//!
//! Separate, so that every way a store can fail is listed in one place.

use std::path::Path;

use cofferdam_broker::{Error, ErrorKind};
use rusqlite::ErrorCode;

/// Converts an SQLite error and adds a hint on how to recover.
pub(crate) fn sql(path: &Path, error: &rusqlite::Error) -> Error {
    let place = path.display();
    let fail = |kind, reason: &str| Error::new(kind, &place, reason);
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            fail(ErrorKind::Locked, "another process holds the store")
                .with_hint(format_args!("find the process with: fuser -v '{place}'"))
        }
        Some(ErrorCode::DiskFull) => fail(ErrorKind::Full, "no space is left for the store")
            .with_hint(format_args!(
                "free some space, or use another folder: XDG_DATA_HOME=/path/with/space"
            )),
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
            fail(ErrorKind::ReadOnly, "the store is not writable")
                .with_hint(format_args!("chmod u+w '{place}'"))
        }
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => damaged(path, error),
        Some(ErrorCode::CannotOpen) => fail(ErrorKind::System, "the store cannot be opened")
            .with_hint(format_args!("ls -ld '{place}'")),
        Some(_) | None => match error {
            // A row whose content this program did not write.
            rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::QueryReturnedNoRows => damaged(path, error),
            _ => Error::new(ErrorKind::System, place, error),
        },
    }
}

/// Returns the error for a file that is not a store or was altered.
pub(crate) fn damaged(path: &Path, why: impl std::fmt::Display) -> Error {
    let place = path.display();
    Error::new(ErrorKind::Damaged, &place, format_args!("the store is damaged: {why}")).with_hint(
        format_args!("start with an empty store, without grants: mv '{place}' '{place}.damaged'"),
    )
}

/// Converts an error with a folder or file outside SQLite.
pub(crate) fn io(path: &Path, error: &std::io::Error) -> Error {
    let kind = match error.kind() {
        std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => {
            ErrorKind::ReadOnly
        }
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => ErrorKind::Full,
        _ => ErrorKind::System,
    };
    Error::new(kind, path.display(), error)
        .with_hint("use another folder: XDG_DATA_HOME=/path/of/yours")
}
