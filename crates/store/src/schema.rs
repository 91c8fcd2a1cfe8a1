//! Tables, file version and connection settings.
//!
//! Meets T-PERM-008.

use std::path::Path;
use std::time::{Duration, Instant};

use cofferdam_broker::{Error, ErrorKind, grant_key};
use cofferdam_caps::Capability;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior, params};

use crate::failure;
use crate::grants::parsed;

/// SQLite application id: "cofd".
const APPLICATION: i32 = 0x636f_6664;

/// Schema version that this program reads and writes.
const VERSION: i32 = 5;

const TABLES: &str = "
CREATE TABLE meta (
    only_row   INTEGER PRIMARY KEY CHECK (only_row = 1),
    key        BLOB NOT NULL,              -- derives the ids of requests
    generation INTEGER NOT NULL DEFAULT 1, -- number of the last change of grants or standings
    floor      INTEGER NOT NULL DEFAULT 0, -- changes up to this one are not recorded singly
    spooled    INTEGER NOT NULL DEFAULT 0  -- number of the last spool that was taken over
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
    run        TEXT,                       -- run that a grant for one run belongs to
    folder     TEXT,                       -- folder of the host that it is bound to
    headers    TEXT NOT NULL,              -- one line per header, name:value
    gone       INTEGER NOT NULL DEFAULT 0, -- 1 if ended; kept so that other processes notice
    changed    INTEGER NOT NULL,           -- generation of the last change of this row
    kind       TEXT,                       -- of the capability
    key        TEXT                        -- finds grants for a request; see RequestKeys
) WITHOUT ROWID;
CREATE INDEX grants_by_change ON grants (changed);
CREATE TABLE requests (
    id         TEXT PRIMARY KEY,
    capability TEXT NOT NULL,
    tool       TEXT NOT NULL,
    sandbox    TEXT NOT NULL,
    folder     TEXT,
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
CREATE TABLE audit_counts (
    class      INTEGER PRIMARY KEY,        -- lines that make room for each other
    lines      INTEGER NOT NULL
);
";

/// Tables of servers and their clients.
const FRONTS: &str = "
CREATE TABLE agents (
    id           TEXT PRIMARY KEY,
    name         TEXT NOT NULL,
    hash         BLOB NOT NULL UNIQUE,     -- of the token
    capabilities TEXT NOT NULL,            -- one line each
    at           INTEGER NOT NULL,
    revoked      INTEGER
) WITHOUT ROWID;
CREATE TABLE credentials (
    hash         BLOB PRIMARY KEY,         -- of a login code or of an approver's cookie
    kind         TEXT NOT NULL,
    name         TEXT NOT NULL,
    expires      INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE passkeys (
    id           BLOB PRIMARY KEY,         -- as the authenticator knows it
    name         TEXT NOT NULL,            -- approver
    key          BLOB NOT NULL,            -- public key
    at           INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE fronts (
    id           TEXT PRIMARY KEY,
    url          TEXT,                     -- of the console, if the process has one
    addresses    TEXT NOT NULL,            -- one line each; no run may connect to them
    at           INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE questions (
    id           TEXT PRIMARY KEY,
    front        TEXT NOT NULL,            -- process whose run waits
    agent        TEXT,
    run          TEXT NOT NULL,
    shown        TEXT NOT NULL,            -- the question as JSON
    at           INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX questions_by_front ON questions (front);
CREATE TABLE answers (
    number       INTEGER PRIMARY KEY,
    question     TEXT NOT NULL,
    front        TEXT NOT NULL,            -- process that carries it out
    answer       TEXT NOT NULL,            -- as JSON
    settled      TEXT                      -- result: empty, or an error
);
CREATE INDEX answers_by_front ON answers (front);
CREATE TABLE runs (
    id           TEXT PRIMARY KEY,
    agent        TEXT NOT NULL,
    key          TEXT NOT NULL,            -- the client's Idempotency-Key
    digest       BLOB NOT NULL,            -- of the request
    front        TEXT NOT NULL,
    at           INTEGER NOT NULL,
    outcome      TEXT,
    UNIQUE (agent, key)
) WITHOUT ROWID;
CREATE INDEX runs_by_time ON runs (at);
CREATE TABLE sandboxes (
    id           TEXT PRIMARY KEY,
    agent        TEXT NOT NULL,
    name         TEXT,
    settings     TEXT NOT NULL,            -- parameters that it was made with, as JSON
    at           INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE tools (
    owner        TEXT NOT NULL,            -- agent, or empty for the person
    name         TEXT NOT NULL,
    hash         TEXT NOT NULL,            -- of the manifest
    manifest     TEXT NOT NULL,            -- as JSON, with the source
    at           INTEGER NOT NULL,
    is_current   INTEGER NOT NULL,
    PRIMARY KEY (owner, name, hash)
) WITHOUT ROWID;
";

/// Kinds of capabilities of which a sandbox has only what it is granted. Some stores of version 3
/// have this table.
const RESTRICTIONS: &str = "
CREATE TABLE IF NOT EXISTS restrictions (
    sandbox      TEXT NOT NULL,
    tool         TEXT NOT NULL,            -- identity, or empty for every tool
    kind         TEXT NOT NULL,
    PRIMARY KEY (sandbox, tool, kind)
) WITHOUT ROWID;
";

/// Indexes without which a start or the end of a run takes longer with every grant. Some stores of
/// version 3 have a few of them.
const INDEXES: &str = "
CREATE INDEX IF NOT EXISTS grants_by_key ON grants (tool, kind, key) WHERE NOT gone;
CREATE INDEX IF NOT EXISTS grants_by_place ON grants (tool, kind, sandbox, expires)
    WHERE NOT gone AND run IS NULL;
CREATE INDEX IF NOT EXISTS grants_by_run ON grants (run) WHERE NOT gone AND run IS NOT NULL;
CREATE INDEX IF NOT EXISTS grants_by_end ON grants (expires) WHERE NOT gone AND expires IS NOT NULL;
CREATE INDEX IF NOT EXISTS grants_gone ON grants (changed) WHERE gone;
CREATE INDEX IF NOT EXISTS requests_denied ON requests (id) WHERE standing = 'denied';
";

/// Adds the column that versions before 5 did not have.
const SPOOLED: &str = "ALTER TABLE meta ADD COLUMN spooled INTEGER NOT NULL DEFAULT 0;";

/// Changes a store of version 1, which knew tools by 32 bits of their hash or by name alone.
///
/// Grants for such a tool are dropped: another tool can have the same short hash. The ids of
/// requests depend on the tool, so no request would be made again under its old id.
const FROM_VERSION_1: &str = "
ALTER TABLE grants ADD COLUMN run TEXT;
ALTER TABLE grants ADD COLUMN folder TEXT;
ALTER TABLE requests ADD COLUMN folder TEXT;
UPDATE grants SET uses = NULL WHERE span = 'once';
DELETE FROM grants WHERE gone OR tool IS NOT NULL;
DELETE FROM requests;
CREATE TABLE audit_counts (class INTEGER PRIMARY KEY, lines INTEGER NOT NULL);
INSERT INTO audit_counts SELECT
    CASE WHEN event = 'check' AND verdict IS 'deny' THEN 0
        WHEN event IN ('grant', 'revoke', 'deny', 'answer') THEN 1
        WHEN event = 'change' THEN 2 ELSE 3 END, count(*) FROM audit GROUP BY 1;
UPDATE meta SET generation = generation + 1, floor = generation + 1;
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
    set_sync(connection, sync)?;
    // Deleted rows may have contained a secret.
    connection.pragma_update(None, "secure_delete", "ON")?;
    // Closing writes the log back only if it is long; see `Connections::settle`.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.pragma_update(None, "trusted_schema", "OFF")
}

/// Sets the durability of the commits of a connection.
pub(crate) fn set_sync(connection: &Connection, sync: Sync) -> rusqlite::Result<()> {
    let sync = match sync {
        Sync::Full => "FULL",
        Sync::Normal => "NORMAL",
    };
    connection.pragma_update(None, "synchronous", sync)
}

/// Creates the tables in a new file, and converts a file of an earlier version. Returns the number
/// of grants that the conversion dropped. Refuses any other file.
pub(crate) fn create_tables(
    connection: &mut Connection,
    path: &Path,
    patience: Duration,
) -> Result<u32, Error> {
    let failed = |error: rusqlite::Error| failure::sql(path, &error);
    write_ahead(connection, patience).map_err(failed)?;
    // Nearly every start finds a file of this version, which needs no lock for writing.
    if version(connection).map_err(failed)? == (APPLICATION, VERSION) {
        return Ok(0);
    }
    let transaction =
        connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
    let tables: i64 = transaction
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .map_err(failed)?;
    let mut dropped = 0;
    match version(&transaction).map_err(failed)? {
        // Another process was faster.
        (APPLICATION, VERSION) => return Ok(0),
        (APPLICATION, 4) => transaction.execute_batch(SPOOLED).map_err(failed)?,
        (APPLICATION, 3) => {
            transaction.execute_batch(RESTRICTIONS).map_err(failed)?;
            add_keys(&transaction).map_err(failed)?;
            transaction.execute_batch(SPOOLED).map_err(failed)?;
        }
        (APPLICATION, 2) => {
            transaction.execute_batch(FRONTS).map_err(failed)?;
            transaction.execute_batch(RESTRICTIONS).map_err(failed)?;
            add_keys(&transaction).map_err(failed)?;
            transaction.execute_batch(SPOOLED).map_err(failed)?;
        }
        (APPLICATION, 1) => {
            let count = "SELECT count(*) FROM grants WHERE NOT gone AND tool IS NOT NULL";
            dropped = transaction.query_row(count, [], |row| row.get(0)).map_err(failed)?;
            transaction.execute_batch(FROM_VERSION_1).map_err(failed)?;
            transaction.execute_batch(FRONTS).map_err(failed)?;
            transaction.execute_batch(RESTRICTIONS).map_err(failed)?;
            add_keys(&transaction).map_err(failed)?;
            transaction.execute_batch(SPOOLED).map_err(failed)?;
        }
        (APPLICATION, later) if later > VERSION => {
            let reason =
                format_args!("made by a later version ({later}, this one reads {VERSION})");
            return Err(Error::new(ErrorKind::TooNew, path.display(), reason)
                .with_hint("use that version, or another folder: XDG_DATA_HOME=/path/of/yours"));
        }
        (0, 0) if tables == 0 => {
            let mut key = cofferdam_broker::Key::default();
            getrandom::fill(&mut key)
                .map_err(|error| Error::new(ErrorKind::System, "random numbers", error))?;
            let make = || {
                transaction.execute_batch(TABLES)?;
                transaction.execute_batch(FRONTS)?;
                transaction.execute_batch(RESTRICTIONS)?;
                transaction
                    .execute("INSERT INTO meta (only_row, key) VALUES (1, ?1)", [&key[..]])?;
                transaction.pragma_update(None, "application_id", APPLICATION)
            };
            make().map_err(failed)?;
        }
        (_, _) => return Err(failure::damaged(path, "it is a database of another program")),
    }
    transaction.execute_batch(INDEXES).map_err(failed)?;
    transaction.pragma_update(None, "user_version", VERSION).map_err(failed)?;
    transaction.commit().map_err(failed)?;
    Ok(dropped)
}

/// Returns the ids of the program and of the schema.
fn version(connection: &Connection) -> rusqlite::Result<(i32, i32)> {
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get(0));
    Ok((number("application_id")?, number("user_version")?))
}

/// Adds the columns by which grants are found, which versions before 4 did not have.
fn add_keys(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute_batch(
        "ALTER TABLE grants ADD COLUMN kind TEXT;
        ALTER TABLE grants ADD COLUMN key TEXT;
        DROP INDEX IF EXISTS grants_by_tool;",
    )?;
    let mut select = transaction.prepare("SELECT id, capability FROM grants WHERE NOT gone")?;
    let mut update = transaction.prepare("UPDATE grants SET kind = ?2, key = ?3 WHERE id = ?1")?;
    let rows = select.query_map([], |row| Ok((row.get::<_, String>(0)?, parsed(row, 1)?)))?;
    let rows: Vec<(String, Capability)> = rows.collect::<Result<_, _>>()?;
    for (id, capability) in rows {
        update.execute(params![id, capability.kind().name(), grant_key(&capability)])?;
    }
    Ok(())
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
