use std::path::Path;

use cofferdam_broker::{Error, ErrorKind};
use rusqlite::ErrorCode;

/// What went wrong with the file, and the way out.
pub(crate) fn sql(path: &Path, error: &rusqlite::Error) -> Error {
    let place = path.display();
    let fail = |kind, reason: &str| Error::new(kind, &place, reason);
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            fail(ErrorKind::Locked, "another process holds the store")
                .with_hint(format_args!("see which one with: fuser -v '{place}'"))
        }
        Some(ErrorCode::DiskFull) => fail(ErrorKind::Full, "no room is left for the store")
            .with_hint(format_args!(
                "make room, or use another folder: XDG_DATA_HOME=/path/with/room"
            )),
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
            fail(ErrorKind::ReadOnly, "the store cannot be written")
                .with_hint(format_args!("chmod u+w '{place}'"))
        }
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => damaged(path, error),
        Some(ErrorCode::CannotOpen) => fail(ErrorKind::System, "the store cannot be opened")
            .with_hint(format_args!("ls -ld '{place}'")),
        Some(_) | None => match error {
            // A row that does not hold what we put there.
            rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::QueryReturnedNoRows => damaged(path, error),
            _ => Error::new(ErrorKind::System, place, error),
        },
    }
}

/// The file is not one of ours, or not as we left it.
pub(crate) fn damaged(path: &Path, why: impl std::fmt::Display) -> Error {
    let place = path.display();
    Error::new(ErrorKind::Damaged, &place, format_args!("the store is damaged: {why}")).with_hint(
        format_args!("begin with an empty one, without grants: mv '{place}' '{place}.damaged'"),
    )
}

/// What went wrong with a folder or file before SQLite had it.
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
