//! Tables, file version and connection settings.

use std::path::Path;
use std::time::{Duration, Instant};

use cofferdam_broker::{Error, ErrorKind};
use rusqlite::{Connection, ErrorCode, TransactionBehavior};

use crate::failure;

/// SQLite application id: "cofd".
const APPLICATION: i32 = 0x636f_6664;

/// Schema version that this program reads and writes.
const VERSION: i32 = 1;

const TABLES: &str = "
CREATE TABLE meta (
    only_row   INTEGER PRIMARY KEY CHECK (only_row = 1),
    key        BLOB NOT NULL,              -- derives the ids of requests
    generation INTEGER NOT NULL DEFAULT 1, -- number of the last change of grants or standings
    floor      INTEGER NOT NULL DEFAULT 0  -- changes up to this one are not recorded singly
);
CREATE TABLE grants (
    id         TEXT PRIMARY KEY,
    capability TEXT NOT NULL,
    span       TEXT NOT NULL,
    tool       TEXT,
    sandbox    TEXT,
    by         TEXT NOT NULL,
    at         INTEGER NOT NULL,           -- microseconds since 1970
    expires    INTEGER,
    uses       INTEGER,
    headers    TEXT NOT NULL,              -- one line per header, name:value
    gone       INTEGER NOT NULL DEFAULT 0, -- 1 if ended; kept so that other processes notice
    changed    INTEGER NOT NULL            -- generation of the last change of this row
) WITHOUT ROWID;
CREATE INDEX grants_by_change ON grants (changed);
CREATE TABLE requests (
    id         TEXT PRIMARY KEY,
    capability TEXT NOT NULL,
    tool       TEXT NOT NULL,
    sandbox    TEXT NOT NULL,
    first      INTEGER NOT NULL,
    last       INTEGER NOT NULL,
    times      INTEGER NOT NULL,
    standing   TEXT NOT NULL,
    changed    INTEGER NOT NULL            -- generation of the last decision, 0 if none
) WITHOUT ROWID;
CREATE INDEX requests_by_change ON requests (changed);
CREATE INDEX requests_by_time ON requests (last);
CREATE TABLE audit (
    number     INTEGER PRIMARY KEY,
    time       INTEGER NOT NULL,
    event      TEXT NOT NULL,
    sandbox    TEXT,
    run        TEXT,
    capability TEXT,
    target     TEXT,
    verdict    TEXT,
    about      TEXT,
    note       TEXT,
    times      INTEGER NOT NULL,
    micros     INTEGER NOT NULL,
    bytes      INTEGER NOT NULL
);
";

/// Durability of a commit: on disk when it returns, or only handed to the system.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Sync {
    Full,
    Normal,
}

/// Applies the settings of a connection that are not stored in the file.
pub(crate) fn configure(
    connection: &Connection,
    sync: Sync,
    patience: Duration,
) -> rusqlite::Result<()> {
    connection.busy_timeout(patience)?;
    let sync = match sync {
        Sync::Full => "FULL",
        Sync::Normal => "NORMAL",
    };
    connection.pragma_update(None, "synchronous", sync)?;
    // Deleted rows may have contained a secret.
    connection.pragma_update(None, "secure_delete", "ON")?;
    connection.pragma_update(None, "trusted_schema", "OFF")
}

/// Creates the tables in a new file; refuses a file that is not a store of this version.
pub(crate) fn create_tables(
    connection: &mut Connection,
    path: &Path,
    patience: Duration,
) -> Result<(), Error> {
    let failed = |error: rusqlite::Error| failure::sql(path, &error);
    write_ahead(connection, patience).map_err(failed)?;
    let transaction =
        connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
    let number =
        |name: &str| transaction.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
    let (application, version) =
        (number("application_id").map_err(failed)?, number("user_version").map_err(failed)?);
    let tables: i64 = transaction
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .map_err(failed)?;
    match (application, version) {
        (APPLICATION, VERSION) => return Ok(()),
        (APPLICATION, later) if later > VERSION => {
            let reason =
                format_args!("made by a later version ({later}, this one reads {VERSION})");
            return Err(Error::new(ErrorKind::TooNew, path.display(), reason)
                .with_hint("use that version, or another folder: XDG_DATA_HOME=/path/of/yours"));
        }
        (0, 0) if tables == 0 => {}
        (_, _) => return Err(failure::damaged(path, "it is a database of another program")),
    }
    let mut key = cofferdam_broker::Key::default();
    getrandom::fill(&mut key)
        .map_err(|error| Error::new(ErrorKind::System, "random numbers", error))?;
    let make = || {
        transaction.execute_batch(TABLES)?;
        transaction.execute("INSERT INTO meta (only_row, key) VALUES (1, ?1)", [&key[..]])?;
        transaction.pragma_update(None, "application_id", APPLICATION)?;
        transaction.pragma_update(None, "user_version", VERSION)
    };
    make().map_err(failed)?;
    transaction.commit().map_err(failed)
}

/// Switches to write-ahead logging, under which readers do not wait for writers.
fn write_ahead(connection: &Connection, patience: Duration) -> rusqlite::Result<()> {
    let end = Instant::now() + patience;
    loop {
        let result = connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()));
        match result {
            // SQLite does not wait by itself if two processes create the file at once.
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && Instant::now() < end =>
            {
                std::thread::sleep(Duration::from_millis(5));
            }
            other => return other,
        }
    }
}
