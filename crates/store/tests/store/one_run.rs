//! A process with one run: the store is opened only if the run needs it, and nothing is lost or seen
//! twice either way.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use cofferdam_broker::{
    Broker, Cost, Desk, Event, Ledger, Line, Offered, Sink, Span, Terms, Timestamp,
};
use cofferdam_caps::{CapabilitySet, Kind};
use cofferdam_store::{Filter, OneRun, Store};

use crate::{Scratch, broker, is_permitted, key};

const TOOL: &str = "t.js#1";

fn desk(path: &Path) -> (Arc<OneRun>, Desk) {
    let store = Arc::new(OneRun::prepare(path, Some(TOOL)));
    let broker = Broker::setup(store.clone(), store.clone()).keep_sessions().open().unwrap();
    (store, broker.permissions("s", &CapabilitySet::default()).desk("r", TOOL))
}

/// Returns true if checks of a run that was granted nothing find the store unopened. The log beside
/// the file is made by every process that opens it.
fn does_without_the_store(path: &Path) -> bool {
    remove_log(path);
    let store = Arc::new(OneRun::prepare(path, Some(TOOL)));
    let broker = Broker::setup(store.clone(), store.clone()).open().unwrap();
    let desk = broker.permissions("s", &CapabilitySet::default()).desk("r", TOOL);
    desk.end("finished", Cost::default());
    store.flush().unwrap();
    drop((desk, broker, store));
    !beside(path, "-shm").exists()
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Removes the log of a store that no process has open.
fn remove_log(path: &Path) {
    for suffix in ["-wal", "-shm"] {
        let _ = std::fs::remove_file(beside(path, suffix));
    }
}

fn ended(run: &str) -> Line {
    let mut line = Line::new(Timestamp::from_micros(1), Event::End);
    line.run = Some(run.into());
    line
}

fn runs(path: &Path) -> Vec<String> {
    let filter = Filter { event: Some(Event::End), ..Filter::default() };
    let lines = Store::open(path).unwrap().lines(&filter).unwrap();
    lines.into_iter().map(|(_, line)| line.run.unwrap().to_string()).collect()
}

fn append(path: &Path, run: &str) {
    let store = OneRun::prepare(path, Some(TOOL));
    assert!(matches!(store.offer(vec![ended(run)]), Offered::Taken));
    store.flush().unwrap();
}

fn terms() -> Terms {
    Terms::new(key("k").required(), Span::Always)
}

/// A store without grants that has an outline: the process that makes a store also writes its log
/// back when it ends, so that the outline is made by the second one.
fn opened() -> Scratch {
    let scratch = Scratch::new();
    for _ in 0..2 {
        drop(Store::open(&scratch.path()).unwrap());
    }
    scratch
}

#[test]
fn run_without_grants_does_not_open_the_store() {
    let scratch = opened();
    assert!(does_without_the_store(&scratch.path()));
    assert_eq!(runs(&scratch.path()), ["r"]);
}

#[test]
fn grants_of_another_tool_do_not_matter() {
    let scratch = opened();
    broker(&scratch.path()).grant(terms().for_tool("other.js#2")).unwrap();
    // The change has removed the outline, which the next process makes.
    drop(Store::open(&scratch.path()).unwrap());
    assert!(does_without_the_store(&scratch.path()));
    assert!(!is_permitted(&desk(&scratch.path()).1, &key("k")));
}

#[test]
fn tool_has_the_grants_that_were_made_for_it_and_for_every_tool() {
    for terms in [terms().for_tool(TOOL), terms()] {
        let scratch = opened();
        let grant = broker(&scratch.path()).grant(terms).unwrap();
        for _ in 0..2 {
            assert!(is_permitted(&desk(&scratch.path()).1, &key("k")));
        }
        broker(&scratch.path()).revoke(&grant.id, "").unwrap();
        for _ in 0..2 {
            assert!(!is_permitted(&desk(&scratch.path()).1, &key("k")));
        }
    }
}

#[test]
fn grant_and_revocation_of_another_process_are_seen_during_the_run() {
    let scratch = opened();
    let (_store, desk) = desk(&scratch.path());
    assert!(!is_permitted(&desk, &key("k")));
    let grant = broker(&scratch.path()).grant(terms().for_tool(TOOL)).unwrap();
    assert!(is_permitted(&desk, &key("k")));
    broker(&scratch.path()).revoke(&grant.id, "").unwrap();
    assert!(!is_permitted(&desk, &key("k")));
}

#[test]
fn denial_is_recorded_and_a_denial_for_good_is_known() {
    let scratch = opened();
    assert!(!is_permitted(&desk(&scratch.path()).1, &key("k")));
    let request = broker(&scratch.path()).requests().unwrap().remove(0);
    broker(&scratch.path()).deny_request(&request.id, "alice").unwrap();
    let store = OneRun::prepare(&scratch.path(), Some(TOOL));
    assert_eq!(store.changes(0).unwrap().requests.len(), 1);
    // Also if an outline was made since.
    let store = OneRun::prepare(&scratch.path(), Some(TOOL));
    assert_eq!(store.changes(0).unwrap().requests.len(), 1);
}

#[test]
fn restriction_is_known() {
    let scratch = opened();
    let store = Store::open(&scratch.path()).unwrap();
    store.restrict("s", None, Kind::ALL[0]).unwrap();
    drop(store);
    for _ in 0..2 {
        let store = OneRun::prepare(&scratch.path(), Some(TOOL));
        assert!(store.is_restricted("s", TOOL, Kind::ALL[0]).unwrap());
    }
}

#[test]
fn very_many_tools_with_grants_are_no_trouble() {
    let scratch = opened();
    let broker = broker(&scratch.path());
    for number in 0..600 {
        broker.grant(terms().for_tool(&format!("t{number}.js"))).unwrap();
    }
    broker.grant(terms().for_tool(TOOL)).unwrap();
    for _ in 0..2 {
        assert!(is_permitted(&desk(&scratch.path()).1, &key("k")));
    }
}

#[test]
fn another_file_in_place_of_the_store_is_noticed() {
    let scratch = opened();
    let (path, other) = (scratch.path(), opened());
    broker(&other.path()).grant(terms().for_tool(TOOL)).unwrap();
    remove_log(&path);
    std::fs::copy(other.path(), &path).unwrap();
    assert!(is_permitted(&desk(&path).1, &key("k")));
}

#[test]
fn lines_follow_those_of_earlier_processes() {
    let scratch = opened();
    let path = scratch.path();
    append(&path, "a");
    append(&path, "b");
    Store::open(&path).unwrap().commit(vec![ended("c")]).unwrap();
    append(&path, "d");
    assert_eq!(runs(&path), ["a", "b", "c", "d"]);
}

#[test]
fn lines_of_a_process_that_was_killed_while_it_took_them_over_are_there_once() {
    let scratch = opened();
    let path = scratch.path();
    let beside = |suffix| beside(&path, suffix);
    // Killed before the commit, and another process has appended since.
    append(&path, "a");
    std::fs::rename(beside("-spool"), beside("-spool-1")).unwrap();
    append(&path, "b");
    let kept = std::fs::read(beside("-spool")).unwrap();
    assert_eq!(runs(&path), ["a", "b"]);
    // Killed after the commit.
    std::fs::write(beside("-spool-2"), kept).unwrap();
    append(&path, "c");
    assert_eq!(runs(&path), ["a", "b", "c"]);
    assert!(!beside("-spool-2").exists() && !beside("-spool-3").exists());
}

#[test]
fn lines_of_many_writers_are_all_there_once() {
    let scratch = opened();
    let path = scratch.path();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let path = &path;
            scope.spawn(move || (0..25).for_each(|run| append(path, &format!("{writer}-{run}"))));
        }
        for _ in 0..20 {
            runs(&path);
        }
    });
    let mut found = runs(&path);
    found.sort();
    let mut expect: Vec<_> =
        (0..4).flat_map(|writer| (0..25).map(move |run| format!("{writer}-{run}"))).collect();
    expect.sort();
    assert_eq!(found, expect);
}

#[test]
fn long_spool_is_taken_over_by_the_process_that_made_it_long() {
    let scratch = opened();
    let path = scratch.path();
    let mut line = ended("r");
    line.note = Some("x".repeat(100_000).into());
    let name = beside(&path, "-spool");
    let mut longest = 0;
    for _ in 0..5 {
        let store = OneRun::prepare(&path, Some(TOOL));
        assert!(matches!(store.offer(vec![line.clone()]), Offered::Taken));
        store.flush().unwrap();
        longest = longest.max(std::fs::metadata(&name).map_or(0, |found| found.len()));
    }
    assert!((100_000..300_000).contains(&longest), "{longest}");
    assert_eq!(runs(&path).len(), 5);
}

#[test]
fn spool_that_cannot_be_written_is_an_error_that_says_so() {
    let scratch = opened();
    let path = scratch.path();
    std::fs::create_dir(beside(&path, "-spool")).unwrap();
    let store = OneRun::prepare(&path, Some(TOOL));
    assert!(matches!(store.offer(vec![ended("r")]), Offered::Taken));
    let error = store.flush().unwrap_err();
    assert!(error.to_string().contains("-spool"), "{error}");
    assert!(error.hint().is_some());
}
