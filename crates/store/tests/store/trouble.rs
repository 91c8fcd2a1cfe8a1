//! Stores that are damaged, foreign, too new, locked or not writable: each is an error with a hint.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use cofferdam_broker::{Broker, Error, ErrorKind, Ledger, Reason, Span, Terms, Verdict};
use cofferdam_caps::CapabilitySet;
use cofferdam_store::{Options, Store};
use rusqlite::Connection;

use super::{Scratch, key};

fn check(error: Error, kind: ErrorKind, path: &Path) {
    assert_eq!(error.kind(), kind, "{error}");
    assert!(error.to_string().starts_with(&path.display().to_string()), "{error}");
    assert!(error.hint().is_some(), "{error}");
}

/// Creates a store, then changes it through a separate connection.
fn changed(scratch: &Scratch, change: impl FnOnce(&Connection)) {
    drop(Store::open(&scratch.path()).unwrap());
    change(&Connection::open(scratch.path()).unwrap());
}

#[test]
fn files_are_accessible_to_their_owner_alone() {
    let scratch = Scratch::new();
    let store = Store::open(&scratch.path()).unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(scratch.path().parent().unwrap()), 0o700);
    for entry in std::fs::read_dir(scratch.path().parent().unwrap()).unwrap() {
        assert_eq!(mode(&entry.unwrap().path()), 0o600);
    }
    drop(store);
    std::fs::set_permissions(scratch.path(), PermissionsExt::from_mode(0o666)).unwrap();
    drop(Store::open(&scratch.path()).unwrap());
    assert_eq!(mode(&scratch.path()), 0o600);
}

#[test]
fn file_that_is_not_a_store_is_refused_and_unchanged() {
    let scratch = Scratch::new();
    let path = scratch.path();
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let garbage = "not a database, but longer than the header of one ".repeat(40);
    std::fs::write(&path, &garbage).unwrap();
    check(Store::open(&path).unwrap_err(), ErrorKind::Damaged, &path);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), garbage);
    std::fs::remove_file(&path).unwrap();
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE theirs (a)").unwrap();
    check(Store::open(&path).unwrap_err(), ErrorKind::Damaged, &path);
}

#[test]
fn store_of_a_later_version_is_refused() {
    let scratch = Scratch::new();
    changed(&scratch, |file| file.pragma_update(None, "user_version", 99).unwrap());
    check(Store::open(&scratch.path()).unwrap_err(), ErrorKind::TooNew, &scratch.path());
}

/// T-PERM-010.
#[test]
fn damaged_pages_are_an_error_and_no_grant() {
    let scratch = Scratch::new();
    let path = scratch.path();
    changed(&scratch, |file| {
        file.execute_batch("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE")
            .unwrap();
    });
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[100..].iter_mut().for_each(|byte| *byte ^= 0x55);
    std::fs::write(&path, bytes).unwrap();
    check(Store::open(&path).unwrap_err(), ErrorKind::Damaged, &path);
}

#[test]
fn row_that_cannot_be_read_closes_the_store() {
    let scratch = Scratch::new();
    changed(&scratch, |file| {
        let sql = "INSERT INTO grants VALUES ('grt_0000000000', 'fs:fly', 'always', NULL, NULL, '', 0, NULL, NULL, NULL, NULL, '', 0, 2, NULL, NULL)";
        file.execute(sql, []).unwrap();
    });
    let store = Arc::new(Store::open(&scratch.path()).unwrap());
    let error = Broker::setup(store.clone(), store).open().unwrap_err();
    check(error, ErrorKind::Damaged, &scratch.path());
}

/// T-PERM-010.
#[test]
fn locked_store_is_an_error_and_a_denial() {
    let scratch = Scratch::new();
    let options = Options { patience: Duration::from_millis(20), ..Options::default() };
    let store = Arc::new(Store::open_with(&scratch.path(), &options).unwrap());
    let broker = Broker::setup(store.clone(), store.clone()).open().unwrap();
    broker.grant(Terms::new(key("a").required(), Span::Once)).unwrap();
    let other = Connection::open(scratch.path()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let terms = Terms::new(key("b").required(), Span::Always);
    check(broker.grant(terms.clone()).unwrap_err(), ErrorKind::Locked, &scratch.path());
    let desk = broker.permissions("s", &CapabilitySet::default()).desk("r", "t");
    // A counted grant cannot be used while its count cannot be written.
    let Verdict::Denied(denial) = desk.check(&key("a")) else { panic!("permitted") };
    assert!(matches!(denial.reason(), Reason::Unavailable(_)), "{denial}");
    assert!(!denial.error().to_json().contains("store.db"));
    other.execute_batch("ROLLBACK").unwrap();
    broker.grant(terms).unwrap();
    assert_eq!(store.grants().unwrap().len(), 2);
}

#[test]
fn folder_that_cannot_be_written_is_an_error() {
    // Nobody can create files here, not even root.
    let path = Path::new("/proc/self/cofferdam/store.db");
    let error = Store::open(path).unwrap_err();
    assert!(error.to_string().starts_with("/proc/self/cofferdam"), "{error}");
    assert!(error.hint().is_some());
}

#[test]
fn raw_markup_is_kept_and_older_grants_of_a_page_stay_sanitised() {
    let scratch = Scratch::new();
    // As written by a version without raw markup.
    changed(&scratch, |connection| {
        let row = "INSERT INTO grants (id, capability, span, by, at, headers, changed) \
                   VALUES ('grt_0000000000', 'dom:write:#old', 'always', '', 1, '', 1)";
        connection.execute(row, []).unwrap();
        connection.execute("UPDATE meta SET generation = 1", []).unwrap();
    });
    let store = Arc::new(Store::open(&scratch.path()).unwrap());
    let broker = Broker::setup(store.clone(), store).open().unwrap();
    let raw = Terms::new("dom:write:raw@#new".parse().unwrap(), Span::Always);
    broker.grant(raw).unwrap();
    drop(broker);
    let store = Store::open(&scratch.path()).unwrap();
    let mut texts: Vec<_> = Ledger::grants(&store)
        .unwrap()
        .iter()
        .map(|grant| (grant.capability.to_string(), grant.capability.describe()))
        .collect();
    texts.sort();
    let (new, old) = ("change the page inside #new", "change the page inside #old");
    assert_eq!(texts[0], ("dom:write:#old".into(), old.into()));
    assert_eq!(texts[1].0, "dom:write:raw@#new");
    assert_eq!(texts[1].1, format!("{new}, with scripts and whatever else the tool writes"));
}

/// Tables of version 1, in which tools were known by a short hash.
const VERSION_1: &str = "
CREATE TABLE meta (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), key BLOB NOT NULL,
    generation INTEGER NOT NULL DEFAULT 1, floor INTEGER NOT NULL DEFAULT 0);
CREATE TABLE grants (id TEXT PRIMARY KEY, capability TEXT NOT NULL, span TEXT NOT NULL, tool TEXT,
    sandbox TEXT, by TEXT NOT NULL, at INTEGER NOT NULL, expires INTEGER, uses INTEGER,
    headers TEXT NOT NULL, gone INTEGER NOT NULL DEFAULT 0, changed INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX grants_by_change ON grants (changed);
CREATE TABLE requests (id TEXT PRIMARY KEY, capability TEXT NOT NULL, tool TEXT NOT NULL,
    sandbox TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, times INTEGER NOT NULL,
    standing TEXT NOT NULL, changed INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX requests_by_change ON requests (changed);
CREATE INDEX requests_by_time ON requests (last);
CREATE TABLE audit (number INTEGER PRIMARY KEY, time INTEGER NOT NULL, event TEXT NOT NULL,
    sandbox TEXT, run TEXT, capability TEXT, target TEXT, verdict TEXT, about TEXT, note TEXT,
    times INTEGER NOT NULL, micros INTEGER NOT NULL, bytes INTEGER NOT NULL);
INSERT INTO meta VALUES (1, zeroblob(32), 7, 0);
INSERT INTO grants VALUES
    ('grt_0000000000', 'fs:read:/a', 'always', 'a.js#0011aabb', NULL, '', 1, NULL, NULL, '', 0, 2),
    ('grt_0000000001', 'fs:read:/b', 'always', 'bash', NULL, '', 1, NULL, NULL, '', 0, 3),
    ('grt_0000000002', 'fs:read:/c', 'always', NULL, NULL, '', 1, NULL, NULL, '', 0, 4),
    ('grt_0000000003', 'fs:read:/d', 'once', NULL, NULL, '', 1, NULL, 1, '', 0, 5);
INSERT INTO requests VALUES ('req_0000000000', 'fs:read:/a', 'a.js#0011aabb', 's', 1, 1, 1, 'open', 0);
PRAGMA application_id = 0x636f6664;
PRAGMA user_version = 1;
";

/// T-PERM-008.
#[test]
fn grants_by_short_hash_are_dropped_from_an_older_store() {
    let scratch = Scratch::new();
    let path = scratch.path();
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    Connection::open(&path).unwrap().execute_batch(VERSION_1).unwrap();
    let store = Store::open(&path).unwrap();
    assert_eq!(store.dropped_grants(), 2);
    let kept: Vec<_> = Ledger::grants(&store)
        .unwrap()
        .iter()
        .map(|grant| (grant.id.to_string(), grant.uses))
        .collect();
    assert_eq!(kept, [("grt_0000000003".into(), None), ("grt_0000000002".into(), None)]);
    assert!(store.requests().unwrap().is_empty());
    drop(store);
    assert_eq!(Store::open(&path).unwrap().dropped_grants(), 0);
}

/// Creates a store and makes its folder or file another user's. Returns false if only root could.
fn given_away(path: &Path) -> bool {
    std::os::unix::fs::chown(path, Some(54_321), None).is_ok()
}

/// T-PERM-017.
#[test]
fn store_of_another_user_is_refused() {
    let scratch = Scratch::new();
    drop(Store::open(&scratch.path()).unwrap());
    let folder = scratch.path().parent().unwrap().to_owned();
    if !given_away(&scratch.path()) {
        // Without the right to give files away, a folder of root's serves as well.
        let path = Path::new("/store.db");
        check(Store::open(path).unwrap_err(), ErrorKind::Untrusted, Path::new("/"));
        return;
    }
    check(Store::open(&scratch.path()).unwrap_err(), ErrorKind::Untrusted, &scratch.path());
    std::os::unix::fs::chown(scratch.path(), Some(0), None).unwrap();
    drop(Store::open(&scratch.path()).unwrap());
    let log = folder.join("store.db-wal");
    std::fs::write(&log, "").unwrap();
    assert!(given_away(&log));
    check(Store::open(&scratch.path()).unwrap_err(), ErrorKind::Untrusted, &log);
    std::fs::remove_file(&log).unwrap();
    assert!(given_away(&folder));
    check(Store::open(&scratch.path()).unwrap_err(), ErrorKind::Untrusted, &folder);
}

/// T-PERM-017.
#[test]
fn store_behind_a_link_or_in_an_open_folder_is_refused() {
    let scratch = Scratch::new();
    let (folder, elsewhere) = (scratch.path().parent().unwrap().to_owned(), scratch.0.join("x"));
    std::fs::create_dir(&elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &folder).unwrap();
    check(Store::open(&scratch.path()).unwrap_err(), ErrorKind::Untrusted, &folder);
    std::fs::remove_file(&folder).unwrap();
    std::fs::create_dir(&folder).unwrap();
    for name in ["store.db", "store.db-mark", "store.db-wal"] {
        let link = folder.join(name);
        // An attempt that was refused half-way leaves a log.
        let _ = std::fs::remove_file(&link);
        std::os::unix::fs::symlink(elsewhere.join("target"), &link).unwrap();
        check(Store::open(&scratch.path()).unwrap_err(), ErrorKind::Untrusted, &link);
        std::fs::remove_file(&link).unwrap();
    }
    assert!(!elsewhere.join("target").exists());
    std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o777)).unwrap();
    check(Store::open(&scratch.path()).unwrap_err(), ErrorKind::Untrusted, &folder);
}
